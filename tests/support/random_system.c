/* The equations of random_dae.h: parts, disguise, and the index. */
#include "random_maker.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int maker_number(maker *m, int most)
{
    int value = 1 + (int)random_below(&m->r, (size_t)most);
    return random_below(&m->r, 2) ? value : -value;
}

bool maker_chance(maker *m, int percent)
{
    return (int)random_below(&m->r, 100) < percent;
}

static int pick(maker *m, int below)
{
    return (int)random_below(&m->r, (size_t)below);
}

/* ---- parts ------------------------------------------------------------------- */

/* a known function of time */
static int forcing(maker *m)
{
    terms *s = &m->s;
    int t;
    if (!m->has_time || maker_chance(m, 30))
        return term_number(s, maker_number(m, 3));
    t = term_time(s);
    switch (pick(m, 5)) {
    case 0: return t;
    case 1: return term_apply(s, TERM_SIN, t);
    case 2:
        return term_apply(
            s, TERM_COS, term_mul(s, term_number(s, 1 + pick(m, 3)), t));
    case 3: return term_apply(s, TERM_EXP, term_mul(s, term_number(s, -1), t));
    default: return term_mul(s, t, t);
    }
}

/* a function of a and b that depends on a */
static int nonlinear(maker *m, int a, int b)
{
    terms *s = &m->s;
    int one;
    switch (pick(m, 6)) {
    case 0: return term_mul(s, a, a);
    case 1:
    case 2:
        return term_mul(s, a, a == b ? term_add(s, a, term_number(s, 2)) : b);
    case 3: return term_apply(s, TERM_SIN, a);
    case 4:
        one = term_add(s, term_number(s, 1), term_mul(s, a, a));
        return term_mul(s, a, term_apply(s, TERM_INVERSE, one));
    default: return term_apply(s, TERM_EXP, term_apply(s, TERM_SIN, a));
    }
}

/* a sum of `count` terms with different ones of `from`, and of a forcing */
static int mixture(maker *m, const int *from, int from_count, int count)
{
    terms *s = &m->s;
    int sum = maker_chance(m, 60) || !from_count ? forcing(m)
                                                 : term_number(s, 0);
    int first = from_count ? pick(m, from_count) : 0;
    for (int k = 0; k < count && k < from_count; k++) {
        int a = from[(first + k) % from_count];
        int factor = term_number(s, maker_number(m, 3));
        if (m->has_time && maker_chance(m, 20)) factor = forcing(m);
        if (!m->is_linear && maker_chance(m, 40))
            a = nonlinear(m, a, from[pick(m, from_count)]);
        sum = term_add(s, sum, term_mul(s, factor, a));
    }
    return sum;
}

/* all z before `first`, some of them differentiated */
static int earlier(maker *m, int first, int *from)
{
    int count = 0;
    for (int j = 0; j < first; j++)
        from[count++] = maker_chance(m, 12) ? term_derivative(&m->s, m->z[j], 1)
                                            : m->z[j];
    return count;
}

static int with_own(
    maker *m, int first, int size, int order, int *from, int count)
{
    for (int j = first; j < first + size; j++) {
        from[count++] = m->z[j];
        if (order == 2) from[count++] = term_derivative(&m->s, m->z[j], 1);
    }
    return count;
}

enum { SOURCES = 3 * MAKER_UNKNOWNS };

static void differential(maker *m, int first, int size)
{
    int from[SOURCES];
    int order = m->has_second && maker_chance(m, 60) ? 2 : 1;
    int count = earlier(m, first, from);
    count = with_own(m, first, size, order, from, count);
    for (int j = first; j < first + size; j++) {
        m->order[j] = order;
        m->right[j] = mixture(m, from, count, 1 + pick(m, 3));
    }
}

static void chain(maker *m, int first, int size)
{
    int from[SOURCES];
    int count = earlier(m, first, from);
    m->right[first] = mixture(m, from, count, pick(m, 3));
    for (int j = first + 1; j < first + size; j++)
        m->right[j] = term_add(&m->s, term_derivative(&m->s, m->z[j - 1], 1),
            mixture(m, from, count, pick(m, 2)));
    for (int j = first; j < first + size; j++) m->order[j] = 0;
}

/* u of size - 2 unknowns, the constrained c, and y, which keeps it so */
static void constrained(maker *m, int first, int size)
{
    int from[SOURCES];
    int order = m->has_second && maker_chance(m, 70) ? 2 : 1;
    int c = first + size - 2, y = c + 1;
    int count = earlier(m, first, from);
    m->right[c] = mixture(m, from, count, pick(m, 2));
    count = with_own(m, first, size - 2, order, from, count);
    m->right[y] = term_add(&m->s, term_derivative(&m->s, m->z[c], order),
        mixture(m, from, count, 2));
    for (int j = first; j < c; j++) {
        int pull = term_mul(
            &m->s, term_number(&m->s, maker_number(m, 2)), m->z[y]);
        m->right[j] = term_add(&m->s, pull, mixture(m, from, count, 2));
        m->order[j] = order;
    }
    m->order[c] = m->order[y] = 0;
}

static void parts(maker *m)
{
    m->n = 1 + pick(m, MAKER_UNKNOWNS);
    if (m->n < 3 && maker_chance(m, 70)) m->n += 2;
    for (int j = 0; j < m->n; j++) m->z[j] = term_unknown(&m->s, j);
    for (int first = 0, size; first < m->n; first += size) {
        int left = m->n - first, kind = pick(m, 10);
        size = 1 + pick(m, left < 3 ? left : 3);
        if (kind < 4) {
            differential(m, first, size);
        } else if (kind < 8 || left < 3) {
            if (maker_chance(m, 10)) size = left < 6 ? left : 6;
            if (maker_chance(m, 40)) size = 1;
            chain(m, first, size);
        } else {
            size = 3 + pick(m, left - 2 < 2 ? left - 2 : 2);
            constrained(m, first, size);
        }
    }
}

/* ---- what the parts say of the index ------------------------------------------ */

typedef struct levels {
    int order[MAKER_UNKNOWNS][MAKER_UNKNOWNS]; /* of z_j in right[i] */
    int given[MAKER_UNKNOWNS];                 /* lower derivatives are given */
    int known[MAKER_UNKNOWNS][TERMS_LENGTH];
} levels;

/* How often equations have to be differentiated to give z_j^(k). */
static int level(const maker *m, levels *l, int j, int k)
{
    if (k < l->given[j]) return 0;
    if (k >= TERMS_LENGTH) return TERMS_LENGTH;
    if (l->known[j][k]) return l->known[j][k] - 1;
    int times = k - m->order[j], most = times;
    for (int i = 0; i < m->n; i++)
        if (l->order[j][i] >= 0) {
            int needed = level(m, l, i, l->order[j][i] + times);
            if (needed > most) most = needed;
        }
    l->known[j][k] = most + 1;
    return most;
}

static int predict(const maker *m)
{
    levels l = {0};
    int most = 0;
    for (int j = 0; j < m->n; j++) l.given[j] = m->order[j] > 1 ? 2 : 1;
    for (int j = 0; j < m->n; j++) {
        exact_system q = {
            .terms = &m->s, .roots = &m->right[j], .rows = 1, .unknowns = m->n};
        if (!exact_orders(&q, l.order[j])) return -1;
        for (int i = 0; i < m->n; i++)
            if (l.order[j][i] > l.given[i]) l.given[i] = l.order[j][i];
    }
    for (int j = 0; j < m->n; j++) {
        int needed = level(m, &l, j, l.given[j]);
        if (needed > most) most = needed;
        if (l.given[j] > 1 && m->step_count) return -1;
    }
    return m->raises ? -1 : most;
}

/* ---- change of variables -------------------------------------------------------- */

static void change(maker *m, int count)
{
    terms *s = &m->s;
    int map[MAKER_UNKNOWNS];
    memcpy(map, m->z, sizeof map);
    for (int k = 0; k < count; k++) {
        maker_step *step = &m->steps[m->step_count];
        int to = pick(m, m->n), a = pick(m, m->n), b = pick(m, m->n);
        if (a == to || b == to) continue;
        int factor = term_number(s, maker_number(m, 2));
        if (m->has_time && maker_chance(m, 25)) factor = forcing(m);
        int added = !m->is_linear && maker_chance(m, 60)
            ? nonlinear(m, m->z[a], m->z[b])
            : m->z[a];
        *step = (maker_step){to, 1, term_mul(s, factor, added)};
        if (maker_chance(m, 15)) step->scale = 2;
        map[to] = term_add(s, term_mul(s, term_number(s, step->scale), map[to]),
            term_substitute(s, step->term, map));
        m->step_count++;
    }
    memcpy(m->map, map, sizeof map);
    for (int i = 0; i < m->n; i++) {
        m->lhs[i] = term_derivative(s, map[i], m->order[i]);
        m->rhs[i] = term_substitute(s, m->right[i], map);
    }
    m->rows = m->n;
}

/* ---- equations ------------------------------------------------------------------ */

/* row `to` becomes itself and `factor` times row `from` */
static void combine(maker *m, int to, int factor, int from)
{
    terms *s = &m->s;
    m->lhs[to] = term_add(s, m->lhs[to], term_mul(s, factor, m->lhs[from]));
    m->rhs[to] = term_add(s, m->rhs[to], term_mul(s, factor, m->rhs[from]));
}

/* a factor, of an x where the system is not linear */
static int factor(maker *m)
{
    terms *s = &m->s;
    int x = m->z[pick(m, m->n)], c = term_number(s, maker_number(m, 3));
    if (m->has_time && maker_chance(m, 20)) return forcing(m);
    if (m->is_linear || maker_chance(m, 50)) return c;
    if (maker_chance(m, 8)) x = term_derivative(s, x, 1);
    switch (pick(m, 3)) {
    case 0: return term_mul(s, c, x);
    case 1: return term_add(s, c, term_mul(s, x, x));
    default: return term_apply(s, TERM_SIN, x);
    }
}

static void mix(maker *m, int count)
{
    for (int k = 0; k < count && m->rows > 1; k++) {
        int to = pick(m, m->rows), from = pick(m, m->rows);
        if (to != from) combine(m, to, factor(m), from);
    }
}

/* a factor that is nowhere 0 for one equation */
static void scale(maker *m)
{
    terms *s = &m->s;
    int i = pick(m, m->rows), by = term_number(s, maker_number(m, 4));
    int x = m->z[pick(m, m->n)];
    if (!m->is_linear && maker_chance(m, 60))
        by = maker_chance(m, 50)
            ? term_add(s, term_number(s, 2), term_apply(s, TERM_COS, x))
            : term_add(s, term_number(s, 1), term_mul(s, x, x));
    m->lhs[i] = term_mul(s, by, m->lhs[i]);
    m->rhs[i] = term_mul(s, by, m->rhs[i]);
}

/* (a b)' - a' b - a b' in one equation, or a' - a' */
static void hide(maker *m)
{
    terms *s = &m->s;
    int i = pick(m, m->rows), a = m->z[pick(m, m->n)], b = m->z[pick(m, m->n)];
    int da = term_derivative(s, a, 1), db = term_derivative(s, b, 1);
    int whole = da, split = da;
    if (!m->is_linear && a != b && maker_chance(m, 70)) {
        whole = term_derivative(s, term_mul(s, a, b), 1);
        split = term_add(s, term_mul(s, da, b), term_mul(s, a, db));
    }
    if (maker_chance(m, 50)) {
        m->lhs[i] = term_add(s, m->lhs[i], whole);
        m->rhs[i] = term_add(s, m->rhs[i], split);
    } else {
        m->lhs[i] = term_add(s, m->lhs[i],
            term_add(s, whole, term_mul(s, term_number(s, -1), split)));
    }
}

/* adds the derivative of one equation to another: the same solutions, mostly
 * of a higher index */
static void raise_index(maker *m)
{
    terms *s = &m->s;
    int to = pick(m, m->rows), from = pick(m, m->rows);
    int c = term_number(s, maker_number(m, 2));
    if (to == from) return;
    m->raises = true;
    m->lhs[to] = term_add(
        s, m->lhs[to], term_mul(s, c, term_derivative(s, m->lhs[from], 1)));
    m->rhs[to] = term_add(
        s, m->rhs[to], term_mul(s, c, term_derivative(s, m->rhs[from], 1)));
}

/* row `to` becomes a combination of others, or of one other's derivative */
static void depend(maker *m, int to)
{
    terms *s = &m->s;
    int other = (to + 1 + pick(m, m->n - 1)) % m->n;
    if (to == m->n) other = pick(m, m->n);
    int times = maker_chance(m, 15) ? 1 : 0;
    int c = term_number(s, maker_number(m, 3));
    m->lhs[to] = term_mul(s, c, term_derivative(s, m->lhs[other], times));
    m->rhs[to] = term_mul(s, c, term_derivative(s, m->rhs[other], times));
    for (int k = 0; k < 2; k++) {
        other = pick(m, m->n);
        if (other != to && maker_chance(m, 60))
            combine(m, to, factor(m), other);
    }
}

static void spoil(maker *m)
{
    random_kind kind = m->out->kind;
    if (kind == RANDOM_REDUNDANT || kind == RANDOM_CONTRADICTORY) {
        int to = pick(m, m->n);
        depend(m, to);
        if (kind == RANDOM_CONTRADICTORY)
            m->rhs[to] = term_add(&m->s, m->rhs[to], term_number(&m->s, 1));
    } else if (kind == RANDOM_TOO_MANY) {
        depend(m, m->n);
        m->rows = m->n + 1;
    }
}

static void shuffle(maker *m)
{
    for (int j = 0; j < m->n; j++) m->numbers[j] = j;
    for (int j = m->n - 1; j > 0; j--) {
        int k = pick(m, j + 1), swap = m->numbers[j];
        m->numbers[j] = m->numbers[k], m->numbers[k] = swap;
    }
    for (int i = m->rows - 1; i > 0; i--) {
        int k = pick(m, i + 1), lhs = m->lhs[i], rhs = m->rhs[i];
        m->lhs[i] = m->lhs[k], m->lhs[k] = lhs;
        m->rhs[i] = m->rhs[k], m->rhs[k] = rhs;
    }
    if (m->out->kind == RANDOM_TOO_FEW) m->rows--;
}

/* ---- the whole ------------------------------------------------------------------- */

static void trait(maker *m, bool is_so, const char *text)
{
    char *to = m->out->traits;
    size_t length = strlen(to);
    if (is_so)
        snprintf(to + length, sizeof m->out->traits - length, "%s%s",
            length ? ", " : "", text);
}

static void disguise(maker *m)
{
    int effort = 1 + pick(m, m->n + 1);
    bool is_changed = m->n > 1 && maker_chance(m, 75);
    change(m, is_changed ? effort : 0);
    spoil(m);
    bool is_raised = maker_chance(m, 8), is_hidden = maker_chance(m, 20);
    if (is_raised && m->out->kind == RANDOM_REGULAR) raise_index(m);
    bool is_mixed = maker_chance(m, 75);
    if (is_mixed) mix(m, effort);
    if (maker_chance(m, 40)) scale(m);
    if (is_hidden) hide(m);
    trait(m, !m->is_linear, "nonlinear");
    trait(m, m->has_time, "time");
    trait(m, m->has_second, "second order");
    trait(m, m->step_count > 0, "changed");
    trait(m, is_mixed, "mixed");
    trait(m, is_hidden, "hidden");
    trait(m, m->raises, "raised");
    shuffle(m);
}

/* finds order, index and degrees of freedom by exact arithmetic */
static bool prove(maker *m)
{
    random_dae *out = m->out;
    terms *s = &m->s;
    int roots[MAKER_UNKNOWNS + 1], freedom = 0, variables = 0;
    scalar t0 = {.exact = 1 + random_next(&m->r) % (SCALAR_PRIME - 1)};
    scalar initial[2 * MAKER_UNKNOWNS];
    static const int most = 10;
    scalar z[MAKER_UNKNOWNS * TERMS_LENGTH], x[MAKER_UNKNOWNS * TERMS_LENGTH];
    for (int k = 0; k < 2 * m->n; k++)
        initial[k].exact = random_next(&m->r) % SCALAR_PRIME;
    for (int i = 0; i < m->rows; i++)
        roots[i] = term_add(
            s, m->lhs[i], term_mul(s, term_number(s, -1), m->rhs[i]));
    if (s->is_full || !maker_solve(m, true, TERMS_LENGTH, t0, initial, z, x))
        return false;
    exact_system q = {.terms = s,
        .roots = roots,
        .rows = m->rows,
        .unknowns = m->n,
        .t0 = t0,
        .curve = x};
    exact_findings found;
    if (!exact_orders(&q, m->x_order)
        || !exact_index(&q, m->x_order, most, &found))
        return false;
    for (int j = 0; j < m->n; j++)
        freedom += m->order[j], variables += m->x_order[j] > 1 ? 2 : 1;
    out->is_exact = true;
    out->index = out->degrees_of_freedom = out->predicted = -1;
    if (out->kind == RANDOM_REGULAR) {
        out->index = found.index;
        out->degrees_of_freedom = freedom;
        out->predicted = predict(m);
        for (int j = 0; j < m->n; j++)
            if (m->x_order[j] > 1 && m->step_count) out->predicted = -1;
        /* a derivative that is 0 on all solutions is not needed where its
         * square is requested: such a system has no index by construction */
        if (found.index >= 0 && found.index < out->predicted) return false;
        out->is_proved = found.is_solution && found.index >= 0
            && found.degrees_of_freedom == freedom
            && (out->predicted < 0 || out->predicted == found.index);
    } else if (out->kind == RANDOM_REDUNDANT) {
        out->is_proved = found.is_solution && found.index < 0;
    } else {
        out->is_proved = out->kind == RANDOM_TOO_FEW
            ? found.index < 0
            : found.is_solution == (out->kind == RANDOM_TOO_MANY);
    }
    return true;
}

bool maker_system(maker *m)
{
    m->is_linear = m->out->is_linear = maker_chance(m, 40);
    m->has_time = maker_chance(m, 60);
    m->has_second = maker_chance(m, 25);
    parts(m);
    if (m->n < 2 && m->out->kind != RANDOM_REGULAR) return false;
    disguise(m);
    m->out->unknowns = m->n;
    m->out->equations = m->rows;
    return !m->s.is_full && prove(m);
}
