/* Conditions for the systems of random_dae.h, and their text. */
#include "random_maker.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 3 * MAKER_UNKNOWNS, LENGTH = 18 };

/* Values that may be given, x_j^(k), k up to the highest derivative. */
typedef struct slots {
    int count;
    int j[SLOTS], k[SLOTS];
    double value[SLOTS];
    double by[SLOTS][2 * MAKER_UNKNOWNS]; /* what it changes by with each
                                             initial value of the parts */
    int freedom;
    int part[2 * MAKER_UNKNOWNS], part_order[2 * MAKER_UNKNOWNS];
    double initial[2 * MAKER_UNKNOWNS];
} slots;

static bool values_at(
    const maker *m, slots *s, const double *initial, double *value)
{
    scalar z[MAKER_UNKNOWNS * TERMS_LENGTH], x[MAKER_UNKNOWNS * TERMS_LENGTH];
    scalar from[2 * MAKER_UNKNOWNS] = {{.real = 0}};
    static const double factorial[] = {1, 1, 2, 6, 24, 120};
    for (int f = 0; f < s->freedom; f++)
        from[2 * s->part[f] + s->part_order[f]].real = initial[f];
    if (!maker_solve(m, false, LENGTH, (scalar){.real = 0}, from, z, x))
        return false;
    for (int p = 0; p < s->count; p++)
        value[p] = x[s->j[p] * TERMS_LENGTH + s->k[p]].real
            * factorial[s->k[p]];
    return true;
}

/* False: values too large to be of use, or of no use for their derivatives. */
static bool slots_make(maker *m, slots *s)
{
    const double step = 1e-6;
    double high[SLOTS], low[SLOTS];
    memset(s, 0, sizeof *s);
    for (int j = 0; j < m->n; j++)
        for (int k = 0; k < m->order[j]; k++) {
            s->part[s->freedom] = j, s->part_order[s->freedom] = k;
            s->initial[s->freedom++] = (double)(1 + random_below(&m->r, 12)) / 8
                * (maker_chance(m, 50) ? 1 : -1);
        }
    for (int j = 0; j < m->n; j++)
        for (int k = 0; k <= m->x_order[j] && k < 3; k++)
            s->j[s->count] = j, s->k[s->count++] = k;
    if (!values_at(m, s, s->initial, s->value)) return false;
    for (int f = 0; f < s->freedom; f++) {
        double at = s->initial[f];
        s->initial[f] = at + step;
        if (!values_at(m, s, s->initial, high)) return false;
        s->initial[f] = at - step;
        if (!values_at(m, s, s->initial, low)) return false;
        s->initial[f] = at;
        for (int p = 0; p < s->count; p++)
            s->by[p][f] = (high[p] - low[p]) / (2 * step);
    }
    return true;
}

/* Chooses values that fix all of the parts', below the highest derivatives:
 * their changes have to differ well from those chosen before. False: there are
 * not enough of them. */
static bool choose(maker *m, const slots *s, bool *is_chosen)
{
    double basis[2 * MAKER_UNKNOWNS][2 * MAKER_UNKNOWNS];
    int count = 0, first = (int)random_below(&m->r, (size_t)s->count);
    memset(is_chosen, 0, SLOTS * sizeof *is_chosen);
    for (int q = 0; q < s->count && count < s->freedom; q++) {
        int p = (first + q) % s->count;
        double rest[2 * MAKER_UNKNOWNS], before = 0, after = 0;
        if (s->k[p] > 0 && s->k[p] >= m->x_order[s->j[p]]) continue;
        for (int f = 0; f < s->freedom; f++) {
            rest[f] = s->by[p][f];
            before += rest[f] * rest[f];
        }
        for (int b = 0; b < count; b++) {
            double along = 0;
            for (int f = 0; f < s->freedom; f++) along += rest[f] * basis[b][f];
            for (int f = 0; f < s->freedom; f++) rest[f] -= along * basis[b][f];
        }
        for (int f = 0; f < s->freedom; f++) after += rest[f] * rest[f];
        if (!(after > 0.05 * before && after > 0.01)) continue;
        for (int f = 0; f < s->freedom; f++)
            basis[count][f] = rest[f] / sqrt(after);
        is_chosen[p] = true;
        count++;
    }
    return count == s->freedom;
}

static int slot_of(const slots *s, int j, int k)
{
    for (int p = 0; p < s->count; p++)
        if (s->j[p] == j && s->k[p] == k) return p;
    return -1;
}

/* ---- conditions ------------------------------------------------------------------ */

typedef struct conditions {
    bool is_given[SLOTS];             /* values of x */
    double value[SLOTS];              /* what is written for them */
    bool is_part[2 * MAKER_UNKNOWNS]; /* values of z, as expressions in x */
    bool has_guesses;
} conditions;

/* Gives the values of the parts; those that are unknowns as they are by name. */
static void give_parts(const maker *m, const slots *s, conditions *c)
{
    memset(c->is_given, 0, sizeof c->is_given);
    for (int f = 0; f < s->freedom; f++) {
        term z = m->s.at[m->map[s->part[f]]];
        if (z.kind == TERM_UNKNOWN)
            c->is_given[slot_of(s, z.a, s->part_order[f])] = true;
        else c->is_part[f] = true;
    }
}

/* Drops one of the conditions. */
static void drop(maker *m, const slots *s, conditions *c)
{
    int left = (int)random_below(&m->r, (size_t)s->freedom);
    for (int p = 0; p < s->count; p++)
        if (c->is_given[p] && left-- == 0) c->is_given[p] = false;
    for (int f = 0; f < s->freedom; f++)
        if (c->is_part[f] && left-- == 0) c->is_part[f] = false;
}

/* Gives one value more; false: there is none. */
static bool give_more(maker *m, const slots *s, conditions *c, bool is_wrong)
{
    int first = (int)random_below(&m->r, (size_t)s->count);
    for (int q = 0; q < s->count; q++) {
        int p = (first + q) % s->count;
        if (c->is_given[p]) continue;
        c->is_given[p] = true;
        if (is_wrong) c->value[p] += 0.25 + 0.25 * (random_unit(&m->r) + 1);
        return true;
    }
    return false;
}

static random_start draw_start(maker *m)
{
    static const random_start each[] = {
        RANDOM_CONSISTENT, RANDOM_EXCESS, RANDOM_CONFLICT, RANDOM_SHORT};
    random_start start = each[m->out->number / 3 % 4];
    if (m->out->number % 3 || m->out->kind != RANDOM_REGULAR)
        return RANDOM_OPEN;
    if (start == RANDOM_SHORT && m->out->degrees_of_freedom == 0)
        return RANDOM_CONFLICT;
    return start;
}

static bool conditions_make(maker *m, const slots *s, conditions *c)
{
    random_dae *out = m->out;
    memset(c, 0, sizeof *c);
    memcpy(c->value, s->value, sizeof c->value);
    c->has_guesses = maker_chance(m, 70);
    out->start = draw_start(m);
    out->missing = 0;
    if (out->start == RANDOM_OPEN) {
        out->missing = out->degrees_of_freedom;
        return true;
    }
    bool is_chosen = choose(m, s, c->is_given);
    const bool is_by_parts = !is_chosen || maker_chance(m, 25);
    if (is_by_parts) give_parts(m, s, c);
    m->is_unique = is_by_parts || m->is_linear;
    c->has_guesses = true;
    out->missing = out->start == RANDOM_SHORT;
    if (out->start == RANDOM_SHORT) drop(m, s, c);
    if (out->start == RANDOM_EXCESS || out->start == RANDOM_CONFLICT)
        return give_more(m, s, c, out->start == RANDOM_CONFLICT);
    return true;
}

/* ---- text ------------------------------------------------------------------------ */

static const char *primes(int k)
{
    static const char *const text[] = {"", "'", "''", "'''"};
    return text[k];
}

static void write_unknowns(
    maker *m, const slots *s, const conditions *c, term_text *text)
{
    for (int name = 0; name < m->n; name++)
        for (int j = 0; j < m->n; j++) {
            if (m->numbers[j] != name) continue;
            int p = slot_of(s, j, 0);
            text_say(text, "var x%d", name + 1);
            if (p >= 0 && c->is_given[p])
                text_say(text, " = %.17g", c->value[p]);
            else if (p >= 0 && c->has_guesses)
                text_say(
                    text, " ~ %.3g", s->value[p] + 0.01 * random_unit(&m->r));
            text_say(text, "\n");
        }
}

static void write_conditions(maker *m, const slots *s, const conditions *c,
    const term_style *style, term_text *text)
{
    for (int p = 0; p < s->count; p++) {
        int x = m->numbers[s->j[p]] + 1;
        if (s->k[p] == 0) continue;
        if (c->is_given[p])
            text_say(
                text, "init x%d%s = %.17g\n", x, primes(s->k[p]), c->value[p]);
        else if (c->has_guesses && s->k[p] < m->x_order[s->j[p]])
            text_say(text, "init x%d%s ~ %.3g\n", x, primes(s->k[p]),
                s->value[p] + 0.01 * random_unit(&m->r));
    }
    for (int f = 0; f < s->freedom; f++) {
        if (!c->is_part[f]) continue;
        int z = term_derivative(&m->s, m->map[s->part[f]], s->part_order[f]);
        text_say(text, "init ");
        term_print(&m->s, z, style, false, text);
        text_say(text, " = %.17g\n", s->initial[f]);
    }
}

static void write_expectations(const maker *m, term_text *text)
{
    const random_dae *d = m->out;
    if (d->kind == RANDOM_TOO_MANY || d->kind == RANDOM_TOO_FEW)
        text_say(text, "expect \"E0301\"\n");
    else if (d->kind == RANDOM_REGULAR)
        text_say(text, "expect index == %d\nexpect dof == %d\n", d->index,
            d->degrees_of_freedom);
    text_say(text, "solve t in 0..1\n");
}

/* Equations without primes but on unknowns, where that is not too long. */
static void expand(maker *m)
{
    for (int i = 0; i < m->rows; i++) {
        m->lhs[i] = term_expand(&m->s, m->lhs[i]);
        m->rhs[i] = term_expand(&m->s, m->rhs[i]);
    }
}

static void keep_solution(maker *m, const slots *s)
{
    for (int p = 0; p < s->count && m->is_unique; p++)
        m->out->solution[m->numbers[s->j[p]]][s->k[p]] = s->value[p];
}

bool maker_write(maker *m)
{
    slots s;
    conditions c;
    char *room = malloc(MAKER_TEXT);
    term_text text = {room, 0, MAKER_TEXT};
    term_style style = {m->map, 0, "z", m->numbers};
    if (!room || !slots_make(m, &s) || !conditions_make(m, &s, &c)) {
        free(room);
        return false;
    }
    keep_solution(m, &s);
    m->has_names = maker_chance(m, 50) && m->step_count > 0;
    if (m->has_names) style.named_count = m->n;
    else if (maker_chance(m, 40)) expand(m);
    text_say(&text, "# %llu: %s\n", (unsigned long long)m->out->number,
        m->out->traits);
    write_unknowns(m, &s, &c, &text);
    for (int j = 0; j < style.named_count; j++) {
        text_say(&text, "let z%d = ", j + 1);
        term_style plain = {m->map, 0, "z", m->numbers};
        term_print(&m->s, m->map[j], &plain, true, &text);
        text_say(&text, "\n");
    }
    for (int i = 0; i < m->rows; i++) {
        text_say(&text, "e%d: ", i + 1);
        term_print(&m->s, m->lhs[i], &style, false, &text);
        text_say(&text, " = ");
        term_print(&m->s, m->rhs[i], &style, false, &text);
        text_say(&text, "\n");
    }
    write_conditions(m, &s, &c, &style, &text);
    write_expectations(m, &text);
    m->out->text = room;
    return !m->s.is_full && text.length < text.size;
}
