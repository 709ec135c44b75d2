/* A pick as a dae_problem: which equalities are taken out, which chains there are,
 * where every column of the extended problem lives, and the pattern that follows. */
#include "reduce/reduced.h"
#include "newton/weights.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- equalities taken out ------------------------------------------------------ */

/* Two chains are joined where one goes on as the other, never where a state would
 * have two derivatives, a derivative two states, or a chain would end in itself. */

static int32_t first_of(merge *m, int32_t column)
{
    int32_t root = column;
    while (m->first[root] != root) root = m->first[root];
    while (m->first[column] != root) {
        const int32_t up = m->first[column];
        m->first[column] = root;
        column = up;
    }
    return root;
}

/* The end of the chain a column stands in. */
static int32_t end_of(merge *m, int32_t column)
{
    while (m->next[column] >= 0) column = first_of(m, m->next[column]);
    return column;
}

/* An unknown itself, no derivative of one, would have the accuracy of a slope
 * as the last derivative of a chain. */
static bool can_join(merge *m, int32_t a, int32_t b)
{
    const bool is_value = m->has_value[a] || m->has_value[b];
    const bool has_next = m->next[a] >= 0 || m->next[b] >= 0;
    const bool has_before = m->before[a] >= 0 || m->before[b] >= 0;
    if (a == b) return false;
    if (m->next[a] >= 0 && m->next[b] >= 0) return false;
    if (m->before[a] >= 0 && m->before[b] >= 0) return false;
    if (is_value && has_before && !has_next) return false;
    return end_of(m, a) != end_of(m, b);
}

static void join(merge *m, int32_t a, int32_t b)
{
    const int32_t root = a < b ? a : b, other = a < b ? b : a;
    m->first[other] = root;
    if (m->next[root] < 0) m->next[root] = m->next[other];
    if (m->before[root] < 0) m->before[root] = m->before[other];
    m->has_value[root] |= m->has_value[other];
}

static void take_out(merge *m, const dae_problem *p, const extended *e,
    const pick *k, const dae_equality *q)
{
    const size_t u = (size_t)q->first.unknown, v = (size_t)q->second.unknown;
    size_t a = e->column_first[u] + (size_t)q->first.order;
    size_t b = e->column_first[v] + (size_t)q->second.order;
    if (pick_has_bounds(p->scales, u) || pick_has_bounds(p->scales, v)) return;
    const size_t first = e->row_first[q->equation];
    for (size_t row = first; row < e->row_first[q->equation + 1];
         row++, a++, b++) {
        if (a >= e->column_first[u + 1] || b >= e->column_first[v + 1]) return;
        if (k->is_frozen[a] || k->is_frozen[b] || k->is_out[row]) continue;
        const int32_t x = first_of(m, (int32_t)a), y = first_of(m, (int32_t)b);
        if (!can_join(m, x, y)) continue;
        join(m, x, y);
        m->is_dropped[row] = 1;
    }
}

static dae_status merge_slots(const dae_problem *original, const extended *e,
    const pick *p, arena *a, merge *out)
{
    out->first = ARENA_ARRAY(a, int32_t, e->columns);
    out->next = ARENA_ARRAY(a, int32_t, e->columns);
    out->before = ARENA_ARRAY(a, int32_t, e->columns);
    out->has_value = ARENA_ARRAY(a, uint8_t, e->columns);
    out->is_dropped = ARENA_ARRAY(a, uint8_t, e->rows);
    if (!out->first || !out->next || !out->before || !out->has_value
        || !out->is_dropped)
        return DAE_MEMORY;
    memcpy(out->is_dropped, p->is_out, e->rows);
    for (size_t k = 0; k < e->columns; k++) {
        out->first[k] = (int32_t)k;
        out->next[k] = out->before[k] = -1;
        out->has_value[k] = k == e->column_first[e->column_unknown[k]];
    }
    for (size_t k = 0; k + 1 < e->columns; k++) {
        if (!p->is_state[k]) continue;
        out->next[k] = (int32_t)k + 1;
        out->before[k + 1] = (int32_t)k;
    }
    for (size_t k = 0; k < original->equality_count; k++)
        take_out(out, original, e, p, &original->equalities[k]);
    for (size_t k = 0; k < e->columns; k++) {
        out->first[k] = first_of(out, (int32_t)k);
        if (out->next[k] >= 0) out->next[k] = first_of(out, out->next[k]);
        if (out->before[k] >= 0) out->before[k] = first_of(out, out->before[k]);
    }
    return DAE_OK;
}

/* ---- multipliers ---------------------------------------------------------------- */

/* What is being built. */
typedef struct builder {
    const stabilize_request *q;
    const extended *e;
    const merge *m;
    stabilizer *s;
    int32_t *constraint;
    size_t *start;
    size_t terms; /* so far */
} builder;

/* The constraint that equation k of a block is at a stage; -1: none, or one
 * that is no equation any more. */
static int32_t constraint_at(
    const builder *b, const stage_block *k, size_t row, int64_t level)
{
    if (k->c[row] < level) return -1;
    const size_t i = b->e->row_first[k->equation[row]]
        + (size_t)(k->c[row] - level);
    return b->m->is_dropped[i] ? -1 : (int32_t)i;
}

/* The state that an unknown of a block is at a stage; -1: none that goes on. */
static int32_t state_at(
    const builder *b, const stage_block *k, int32_t column, int64_t level)
{
    if (k->d[column] < level) return -1;
    const size_t p = b->e->column_first[k->unknown[column]]
        + (size_t)(k->d[column] - level);
    const int32_t first = b->m->first[p];
    return b->m->next[first] >= 0 ? first : -1;
}

static void count_multipliers(
    const builder *b, size_t *multipliers, size_t *terms)
{
    *multipliers = *terms = 0;
    for (size_t f = 0; f < b->q->stages->block_count; f++) {
        const stage_block *k = &b->q->stages->block[f];
        for (int64_t level = 1; level <= k->most; level++) {
            for (size_t i = 0; i < k->size; i++)
                *multipliers += constraint_at(b, k, i, level) >= 0;
            for (size_t t = 0; t < k->entry_count; t++)
                *terms += constraint_at(b, k, (size_t)k->entry[t].row, level)
                    >= 0;
        }
    }
}

static int32_t relation(stabilizer *s, int32_t column)
{
    if (s->relation_of[column] < 0) {
        s->column[s->relations] = column;
        s->relation_of[column] = (int32_t)s->relations++;
    }
    return s->relation_of[column];
}

/* Keeps the terms of one multiplier in the order of relations. */
static void insert(builder *b, size_t begin, stabilize_term t)
{
    stabilize_term *all = b->s->term;
    size_t at = b->terms++;
    for (; at > begin && all[at - 1].relation > t.relation; at--)
        all[at] = all[at - 1];
    all[at] = t;
}

/* The multiplier of one constraint; terms in units in which the largest
 * gradient by a state's size is 1. Entries of a block are by rows. */
static void add_multiplier(
    builder *b, const stage_block *k, size_t *entry, size_t row, int64_t level)
{
    const int32_t i = constraint_at(b, k, row, level);
    const size_t begin = b->terms;
    double largest = 0;
    for (; *entry < k->entry_count && k->entry[*entry].row == (int32_t)row;
         (*entry)++) {
        const stage_entry *t = &k->entry[*entry];
        const int32_t column = i < 0 ? -1 : state_at(b, k, t->column, level);
        if (column < 0) continue;
        const double size = b->q->size[k->unknown[t->column]];
        const double value = b->q->values[t->at];
        insert(b, begin,
            (stabilize_term){.relation = relation(b->s, column),
                .at = t->at,
                .factor = size * size,
                .gradient = value});
        largest = fmax(largest, fabs(value) * size);
    }
    if (i < 0) return;
    const bool has_scale = largest > 0 && isfinite(largest);
    for (size_t t = begin; t < b->terms; t++)
        b->s->term[t].factor /= has_scale ? largest : 1;
    b->constraint[b->s->count] = i;
    b->start[++b->s->count] = b->terms;
}

static void add_all(builder *b)
{
    for (size_t f = 0; f < b->q->stages->block_count; f++) {
        const stage_block *k = &b->q->stages->block[f];
        for (int64_t level = 1; level <= k->most; level++) {
            size_t entry = 0;
            for (size_t i = 0; i < k->size; i++)
                add_multiplier(b, k, &entry, i, level);
        }
    }
}

static dae_status stabilizer_create(const stabilize_request *q,
    const extended *e, const merge *m, arena *a, stabilizer **out)
{
    size_t multipliers, terms;
    stabilizer *s = ARENA_ARRAY(a, stabilizer, 1);
    if (!s) return DAE_MEMORY;
    builder b = {.q = q, .e = e, .m = m, .s = s};
    count_multipliers(&b, &multipliers, &terms);
    b.constraint = ARENA_ARRAY(a, int32_t, multipliers);
    b.start = ARENA_ARRAY(a, size_t, multipliers + 1);
    *s = (stabilizer){.term = ARENA_ARRAY(a, stabilize_term, terms),
        .relation_of = ARENA_ARRAY(a, int32_t, e->columns),
        .column = ARENA_ARRAY(a, int32_t, e->columns),
        .unknown = ARENA_ARRAY(a, int32_t, e->columns),
        .next = ARENA_ARRAY(a, int32_t, e->columns),
        .slope_at = ARENA_ARRAY(a, int64_t, e->columns),
        .next_at = ARENA_ARRAY(a, int64_t, e->columns),
        .rtol = q->rtol};
    if (!b.constraint || !b.start || !s->term || !s->relation_of || !s->column
        || !s->unknown || !s->next || !s->slope_at || !s->next_at)
        return DAE_MEMORY;
    memset(s->relation_of, 0xff, e->columns * sizeof *s->relation_of);
    b.start[0] = 0;
    add_all(&b);
    s->constraint = b.constraint;
    s->start = b.start;
    *out = s;
    return DAE_OK;
}

/* A problem that has relations: its slots of x and xp, and what is where. */
typedef struct stabilizer_place {
    const layout *layout;
    size_t row;           /* the first relation's */
    int32_t *relation_at; /* slots: the relation it stands in alone; -1: none */
} stabilizer_place;

/* Adds the relations' entries of a column, rows ascending, from `at` on; says
 * where the next one goes. */
static int64_t stabilizer_fill(stabilizer *s, const stabilizer_place *p,
    size_t slot, int32_t *row, uint8_t *kind, int64_t at)
{
    const size_t states = p->layout->states, first = states - s->count;
    const int32_t alone = p->relation_at[slot];
    if (alone >= 0) {
        (slot < states ? s->next_at : s->slope_at)[alone] = at;
        row[at] = (int32_t)p->row + alone;
        kind[at++] = DAE_ENTRY_CONSTANT;
    }
    if (slot < first || slot >= states) return at;
    const size_t k = slot - first;
    for (size_t t = s->start[k]; t < s->start[k + 1]; t++) {
        const int32_t here = (int32_t)p->row + s->term[t].relation;
        const bool is_new = t == s->start[k] || row[at - 1] != here;
        if (is_new) {
            row[at] = here;
            kind[at++] = DAE_ENTRY_VARYING;
        }
        s->term[t].target = at - 1;
    }
    return at;
}

/* The relations' residuals at x, xp of the reduced problem, whose last unknowns
 * the multipliers are, x of the first of them `mu`. */
static void stabilizer_residual(const stabilizer *s, const double *x,
    const double *xp, const double *mu, double *res)
{
    for (size_t q = 0; q < s->relations; q++)
        res[q] = xp[s->unknown[q]] - x[s->next[q]];
    for (size_t k = 0; k < s->count; k++)
        for (size_t t = s->start[k]; t < s->start[k + 1]; t++) {
            const stabilize_term *term = &s->term[t];
            res[term->relation] += term->factor * term->gradient * mu[k];
        }
}

/* Takes over gradients and writes what varies into the reduced problem's
 * Jacobian, `from` being the values of the extended one's. */
static void stabilizer_jacobian(
    stabilizer *s, const double *from, double *values)
{
    for (size_t q = 0; q < s->relations; q++) {
        values[s->slope_at[q]] = 1;
        values[s->next_at[q]] = -1;
    }
    for (size_t t = 0; t < s->start[s->count]; t++) {
        stabilize_term *term = &s->term[t];
        term->gradient = from[term->at];
        values[term->target] += term->factor * term->gradient;
    }
}

/* Whether the chain is cut after `column`, a first one of what it stands in. */
static bool stabilizer_cuts(const stabilizer *s, size_t column)
{
    return s && s->relation_of[column] >= 0;
}

/* ---- values and callbacks ------------------------------------------------------- */

/* Those of the extended problem, with columns and rows in another order, and the
 * relations of a stabilized one. */

void reduced_gather(
    const reduced *r, const double *columns, double *x, double *xp)
{
    const size_t states = r->layout.states;
    for (size_t s = 0; s < states; s++) {
        const int32_t from = r->column_of[s];
        x[s] = from >= 0 ? columns[from] : 0;
    }
    for (size_t j = 0; j < r->layout.unknowns; j++) {
        const int32_t from = r->column_of[states + j];
        xp[j] = from >= 0 ? columns[from] : 0;
    }
}

void reduced_scatter(
    const reduced *r, const double *x, const double *xp, double *columns)
{
    const size_t states = r->layout.states;
    for (size_t p = 0; p < r->e->columns; p++) {
        const int32_t s = r->slot_of[p];
        columns[p] = s < 0       ? 0
            : (size_t)s < states ? x[s]
                                 : xp[(size_t)s - states];
    }
}

static dae_status residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    reduced *r = self;
    const dae_problem *e = &r->e->problem;
    reduced_scatter(r, x, xp, r->columns);
    const dae_status st = e->residual(e->self, t, r->columns, NULL, r->rows);
    if (st && st != DAE_RETRY) return st;
    const stabilizer *z = r->stabilizer;
    const size_t own = r->row_count;
    for (size_t i = 0; i < own; i++) res[i] = r->rows[r->row_of[i]];
    if (z)
        stabilizer_residual(
            z, x, xp, x + r->layout.states - z->count, res + own);
    if (st || !r->loose) return st;
    return loose_residual(r->loose, t, r->columns, res + own);
}

static void put_loose(reduced *r, double *values)
{
    loose *l = r->loose;
    loose_update(l, r->values);
    for (size_t k = 0; k < l->count; k++)
        for (size_t i = 0; i < l->rows; i++)
            values[r->loose_entry[k] + (int64_t)i] = l->n[i * l->count + k];
}

static dae_status jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    reduced *r = self;
    const dae_problem *e = &r->e->problem;
    const size_t slots = r->layout.states + r->layout.unknowns;
    const size_t entries = (size_t)r->pattern.column_start[slots];
    const size_t all = (size_t)e->pattern->column_start[r->e->columns];
    (void)scope; /* entries that do not vary get the value they have */
    reduced_scatter(r, x, xp, r->columns);
    const dae_status st = e->jacobian(
        e->self, DAE_ALL, t, r->columns, NULL, r->values);
    if (st && st != DAE_RETRY) return st;
    r->evaluations += !st;
    for (size_t k = 0; k < entries; k++) values[k] = 0;
    for (size_t k = 0; k < all; k++)
        if (r->target[k] >= 0) values[r->target[k]] += r->values[k];
    if (r->stabilizer) stabilizer_jacobian(r->stabilizer, r->values, values);
    if (r->loose) put_loose(r, values);
    return st;
}

static size_t explain(void *self, dae_name_kind kind, size_t index, double t,
    const double *x, const double *xp, char *text, size_t size)
{
    reduced *r = self;
    const dae_problem *e = &r->e->problem;
    if (size > 0) text[0] = '\0';
    if (kind != DAE_NAME_EQUATION || index >= r->row_count) return 0;
    reduced_scatter(r, x, xp, r->columns);
    return e->explain(e->self, kind, (size_t)r->row_of[index], t, r->columns,
        NULL, text, size);
}

/* The extended problem's number of equation or unknown `index`; SIZE_MAX: it
 * has none. */
static size_t number_of(const reduced *r, dae_name_kind kind, size_t index)
{
    int32_t number = (int32_t)index;
    if (kind == DAE_NAME_UNKNOWN) number = r->name_of[index];
    if (kind == DAE_NAME_EQUATION) number = r->row_of[index];
    return number < 0 ? SIZE_MAX : (size_t)number;
}

/* A multiplier by its constraint, a relation by what it is the slope of. */
static size_t name_added(
    const reduced *r, dae_name_kind kind, size_t index, char *text, size_t size)
{
    char of[160];
    const stabilizer *z = r->stabilizer;
    const dae_problem *e = &r->e->problem;
    if (kind == DAE_NAME_UNKNOWN) {
        const size_t k = index - (r->problem.unknown_count - z->count);
        (void)e->name(e->self, DAE_NAME_EQUATION, (size_t)z->constraint[k], of,
            sizeof of);
        return (size_t)snprintf(text, size, "multiplier of %s", of);
    }
    const size_t q = index - r->row_count;
    (void)e->name(
        e->self, DAE_NAME_UNKNOWN, (size_t)z->column[q], of, sizeof of);
    return (size_t)snprintf(text, size, "slope of %s", of);
}

/* "least lam[1], ..." */
static size_t loose_name(const reduced *r, char *text, size_t size)
{
    static const char least[] = "least ";
    const dae_problem *e = &r->e->problem;
    size_t length = 0;
    for (; least[length]; length++)
        if (length + 1 < size) text[length] = least[length];
    const size_t at = length < size ? length : size;
    return length
        + e->name(e->self, DAE_NAME_UNKNOWN, (size_t)r->loose->column[0],
            text + at, size - at);
}

static size_t name(
    void *self, dae_name_kind kind, size_t index, char *text, size_t size)
{
    const reduced *r = self;
    const dae_problem *e = &r->e->problem;
    const size_t number = number_of(r, kind, index);
    if (number != SIZE_MAX) return e->name(e->self, kind, number, text, size);
    return r->loose ? loose_name(r, text, size)
                    : name_added(r, kind, index, text, size);
}

static int place(void *self, dae_name_kind kind, size_t index,
    const struct dae_source **source, uint32_t *begin, uint32_t *end)
{
    const reduced *r = self;
    const dae_problem *e = &r->e->problem;
    const size_t number = number_of(r, kind, index);
    if (number == SIZE_MAX) return 0;
    return e->place(e->self, kind, number, source, begin, end);
}

static void set_callbacks(reduced *r)
{
    const dae_problem *e = &r->e->problem;
    dae_problem *p = &r->problem;
    p->self = r;
    p->residual = residual;
    p->jacobian = jacobian;
    p->pattern = &r->pattern;
    p->name = name;
    if (e->place) p->place = place;
    if (e->explain) p->explain = explain;
    p->is_smooth = r->original->is_smooth;
    p->events = r->original->events;
}

/* ---- chains and slots ----------------------------------------------------------- */

/* Where an unknown begins: the first state of a chain, or a slot of no chain. */
static bool is_head(const reduced *r, const pick *p, size_t column)
{
    const merge *m = &r->merge;
    if (p->is_frozen[column] || m->first[column] != (int32_t)column)
        return false;
    return m->before[column] < 0
        || stabilizer_cuts(r->stabilizer, (size_t)m->before[column]);
}

static size_t chain_length(const reduced *r, size_t head)
{
    const int32_t *next = r->merge.next;
    size_t length = 0;
    for (int32_t c = (int32_t)head; next[c] >= 0; c = next[c]) {
        length++;
        if (stabilizer_cuts(r->stabilizer, (size_t)c)) break;
    }
    return length;
}

static dae_status count_unknowns(reduced *r, const pick *k)
{
    const size_t extra = r->stabilizer ? r->stabilizer->count : 0;
    size_t count = extra;
    for (size_t p = 0; p < r->e->columns; p++) count += is_head(r, k, p);
    uint8_t *order = ARENA_ARRAY(&r->arena, uint8_t, count);
    if (!order) return DAE_MEMORY;
    memset(order, 0, count);
    for (size_t p = 0, j = 0; p < r->e->columns; p++) {
        if (!is_head(r, k, p)) continue;
        const size_t length = chain_length(r, p);
        if (length > UINT8_MAX) return DAE_LIMIT;
        order[j++] = (uint8_t)length;
    }
    r->problem.unknown_count = count;
    r->problem.order = order;
    return DAE_OK;
}

/* The slots of unknown j, whose first column is `column`. */
static void number_unknown(reduced *r, size_t j, int32_t column)
{
    const layout *l = &r->layout;
    int32_t last = -1;
    for (size_t s = l->first[j]; s < l->first[j + 1]; s++) {
        r->column_of[s] = column;
        r->slot_of[column] = (int32_t)s;
        last = column;
        column = r->merge.next[column];
    }
    if (column < 0) return;
    r->column_of[l->states + j] = column;
    if (stabilizer_cuts(r->stabilizer, (size_t)last))
        r->stabilizer->unknown[r->stabilizer->relation_of[last]] = (int32_t)j;
    else r->slot_of[column] = (int32_t)(l->states + j);
}

static dae_status number_slots(reduced *r, const pick *k)
{
    const layout *l = &r->layout;
    const size_t slots = l->states + l->unknowns, columns = r->e->columns;
    stabilizer *z = r->stabilizer;
    r->column_of = ARENA_ARRAY(&r->arena, int32_t, slots);
    r->slot_of = ARENA_ARRAY(&r->arena, int32_t, columns);
    if (!r->column_of || !r->slot_of) return DAE_MEMORY;
    memset(r->column_of, 0xff, slots * sizeof *r->column_of);
    memset(r->slot_of, 0xff, columns * sizeof *r->slot_of);
    for (size_t p = 0, j = 0; p < columns; p++)
        if (is_head(r, k, p)) number_unknown(r, j++, (int32_t)p);
    for (size_t p = 0; p < columns; p++)
        r->slot_of[p] = r->slot_of[r->merge.first[p]];
    for (size_t q = 0; z && q < z->relations; q++)
        z->next[q] = r->slot_of[r->merge.next[z->column[q]]];
    return DAE_OK;
}

/* Of the columns that are one, a name of the user's own comes before that of a
 * derivative. */
static dae_status choose_names(reduced *r)
{
    const extended *e = r->e;
    const layout *l = &r->layout;
    int32_t *unknown_at = ARENA_ARRAY(&r->arena, int32_t, l->states);
    r->name_of = ARENA_ARRAY(&r->arena, int32_t, l->unknowns);
    r->state_name = ARENA_ARRAY(&r->arena, int32_t, l->states);
    if (!r->name_of || !r->state_name || !unknown_at) return DAE_MEMORY;
    memset(unknown_at, 0xff, l->states * sizeof *unknown_at);
    memset(r->state_name, 0xff, l->states * sizeof *r->state_name);
    for (size_t j = 0; j < l->unknowns; j++) {
        r->name_of[j] = r->column_of[l->first[j]];
        unknown_at[l->first[j]] = (int32_t)j;
        for (size_t s = l->first[j]; l->order[j] > 0 && s < l->first[j + 1];
             s++)
            r->state_name[s] = r->column_of[s];
    }
    for (size_t u = e->unknowns; u-- > 0;) {
        const size_t column = e->column_first[u];
        const int32_t s = r->slot_of[column];
        if (s < 0 || (size_t)s >= l->states) continue;
        if (r->state_name[s] >= 0) r->state_name[s] = (int32_t)column;
        if (unknown_at[s] < 0) continue;
        r->name_of[unknown_at[s]] = (int32_t)column;
    }
    return DAE_OK;
}

/* What the user's equations differentiate stays continuous, also where the pick
 * has made an unknown without derivatives of it. */
static dae_status find_slopes(reduced *r)
{
    const extended *e = r->e;
    const layout *l = &r->layout;
    r->slope_slot = ARENA_ARRAY(&r->arena, int32_t, l->states);
    if (!r->slope_slot) return DAE_MEMORY;
    memset(r->slope_slot, 0xff, l->states * sizeof *r->slope_slot);
    for (size_t j = 0; j < e->unknowns; j++) {
        const size_t first = e->column_first[j];
        const size_t q = r->original->order ? r->original->order[j] : 1;
        for (size_t c = first; c < first + q; c++) {
            const int32_t s = r->slot_of[c];
            const bool has_slope = c + 1 < e->column_first[j + 1];
            if (s < 0 || (size_t)s >= l->states || !has_slope) continue;
            r->slope_slot[s] = r->slot_of[c + 1];
        }
    }
    for (size_t u = 0; u < l->unknowns; u++)
        for (size_t s = l->first[u]; l->order[u] > 0 && s < l->first[u + 1];
             s++)
            r->slope_slot[s] = -1;
    return DAE_OK;
}

/* ---- the pattern -------------------------------------------------------------- */

static dae_status number_rows(reduced *r, int32_t *number)
{
    size_t count = 0;
    r->row_of = ARENA_ARRAY(&r->arena, int32_t, r->problem.unknown_count);
    if (!r->row_of) return DAE_MEMORY;
    for (size_t i = 0; i < r->e->rows; i++) {
        number[i] = -1;
        if (r->merge.is_dropped[i]) continue;
        if (count == r->problem.unknown_count) return DAE_UNSUPPORTED;
        r->row_of[count] = (int32_t)i;
        number[i] = (int32_t)count++;
    }
    r->row_count = count;
    count += r->stabilizer ? r->stabilizer->relations : 0;
    count += r->loose ? r->loose->rows : 0;
    if (count != r->problem.unknown_count) return DAE_UNSUPPORTED;
    for (size_t i = r->row_count; i < count; i++) r->row_of[i] = -1;
    return DAE_OK;
}

bool gathering_init(gathering *g, const reduced *r, size_t slots, size_t rows,
    size_t most, arena *a)
{
    const size_t entries =
        (size_t)r->e->problem.pattern->column_start[r->e->columns];
    assert(most >= entries);
    *g = (gathering){.e = r->e,
        .head = ARENA_ARRAY(a, int32_t, slots),
        .next = ARENA_ARRAY(a, int32_t, r->e->columns),
        .number = ARENA_ARRAY(a, int32_t, r->e->rows),
        .place = ARENA_ARRAY(a, int64_t, rows),
        .start = ARENA_ARRAY(a, int64_t, slots + 1),
        .row = ARENA_ARRAY(a, int32_t, most),
        .kind = ARENA_ARRAY(a, uint8_t, most),
        .target = ARENA_ARRAY(a, int64_t, entries)};
    if (!g->head || !g->next || !g->number || !g->place || !g->start || !g->row
        || !g->kind || !g->target)
        return false;
    memset(g->head, 0xff, slots * sizeof *g->head);
    memset(g->target, 0xff, entries * sizeof *g->target);
    for (size_t p = r->e->columns; p-- > 0;) {
        const int32_t slot = r->slot_of[p];
        if (slot < 0 || (size_t)slot >= slots) continue;
        g->next[p] = g->head[slot];
        g->head[slot] = (int32_t)p;
    }
    return true;
}

/* Rows of a column of the extended problem ascend, so that they have to be sorted
 * only where there are several. */
int64_t gathering_column(gathering *g, size_t slot, int64_t at)
{
    const dae_pattern *e = g->e->problem.pattern;
    const int64_t begin = g->start[slot] = at;
    for (int32_t c = g->head[slot]; c >= 0; c = g->next[c])
        for (int64_t k = e->column_start[c]; k < e->column_start[c + 1]; k++) {
            const int32_t i = g->number[e->row[k]];
            if (i < 0) continue;
            if (g->place[i] > begin) {
                g->kind[g->place[i] - 1] = DAE_ENTRY_VARYING;
                continue;
            }
            g->row[at] = i;
            g->kind[at] = e->kind ? e->kind[k] : DAE_ENTRY_VARYING;
            g->place[i] = ++at;
        }
    for (int64_t k = begin + 1; k < at; k++) {
        const int32_t row = g->row[k];
        const uint8_t kind = g->kind[k];
        int64_t to = k;
        for (; to > begin && g->row[to - 1] > row; to--) {
            g->row[to] = g->row[to - 1];
            g->kind[to] = g->kind[to - 1];
        }
        g->row[to] = row;
        g->kind[to] = kind;
    }
    for (int64_t k = begin; k < at; k++) g->place[g->row[k]] = k + 1;
    for (int32_t c = g->head[slot]; c >= 0; c = g->next[c])
        for (int64_t k = e->column_start[c]; k < e->column_start[c + 1]; k++) {
            const int32_t i = g->number[e->row[k]];
            g->target[k] = i < 0 ? -1 : g->place[i] - 1;
        }
    return at;
}

/* Which slots stand alone in a relation. */
static dae_status place_relations(reduced *r, size_t slots, stabilizer_place *p)
{
    const stabilizer *z = r->stabilizer;
    *p = (stabilizer_place){.layout = &r->layout, .row = r->row_count};
    if (!z) return DAE_OK;
    p->relation_at = ARENA_ARRAY(&r->arena, int32_t, slots);
    if (!p->relation_at) return DAE_MEMORY;
    memset(p->relation_at, 0xff, slots * sizeof *p->relation_at);
    for (size_t q = 0; q < z->relations; q++) {
        p->relation_at[z->next[q]] = (int32_t)q;
        p->relation_at[r->layout.states + (size_t)z->unknown[q]] = (int32_t)q;
    }
    return DAE_OK;
}

/* The equations of loose unknowns are the last rows of their columns. */
static int64_t add_loose(reduced *r, size_t slot, gathering *g, int64_t at)
{
    const loose *l = r->loose;
    for (size_t k = 0; l && k < l->count; k++) {
        if (r->slot_of[l->column[k]] != (int32_t)slot) continue;
        r->loose_entry[k] = at;
        for (size_t i = 0; i < l->rows; i++) {
            g->row[at] = (int32_t)(r->problem.unknown_count - l->rows + i);
            g->kind[at++] = DAE_ENTRY_VARYING;
        }
    }
    return at;
}

static dae_status make_pattern(reduced *r)
{
    const size_t slots = r->layout.states + r->layout.unknowns;
    const size_t own = (size_t)
                           r->e->problem.pattern->column_start[r->e->columns];
    stabilizer *z = r->stabilizer;
    const size_t most = own + (z ? 2 * z->relations + z->start[z->count] : 0)
        + (r->loose ? r->loose->rows * r->loose->count : 0);
    arena *a = &r->arena;
    gathering g;
    stabilizer_place place;
    r->values = ARENA_ARRAY(a, double, most);
    r->loose_entry = ARENA_ARRAY(a, int64_t, r->loose ? r->loose->count : 0);
    r->columns = ARENA_ARRAY(a, double, r->e->columns);
    r->rows = ARENA_ARRAY(a, double, r->e->rows);
    if (!gathering_init(&g, r, slots, r->problem.unknown_count, most, a)
        || !r->values || !r->loose_entry || !r->columns || !r->rows)
        return DAE_MEMORY;
    dae_status st = number_rows(r, g.number);
    if (!st) st = place_relations(r, slots, &place);
    if (st) return st;
    int64_t at = 0;
    for (size_t slot = 0; slot < slots; slot++) {
        at = gathering_column(&g, slot, at);
        if (z) at = stabilizer_fill(z, &place, slot, g.row, g.kind, at);
        at = add_loose(r, slot, &g, at);
    }
    g.start[slots] = at;
    r->target = g.target;
    r->pattern = (dae_pattern){g.start, g.row, g.kind};
    return DAE_OK;
}

/* ---- what the error test sees ------------------------------------------------- */

/* Of the columns that are one state the smallest tolerance counts; a
 * derivative has its unknown's, unless it has a name of its own. */
static dae_status make_tolerances(reduced *r, double option)
{
    const dae_scales *s = r->original->scales;
    const size_t states = r->layout.states;
    double *atol = ARENA_ARRAY(&r->arena, double, states);
    uint8_t *is_named = ARENA_ARRAY(&r->arena, uint8_t, states);
    if (!atol || !is_named) return DAE_MEMORY;
    for (size_t k = 0; k < states; k++) atol[k] = HUGE_VAL;
    for (size_t p = 0; p < r->e->columns; p++) {
        const int32_t slot = r->slot_of[p];
        if (slot < 0 || (size_t)slot >= states) continue;
        const size_t j = (size_t)r->e->column_unknown[p];
        const bool is_name = p == r->e->column_first[j];
        if (is_named[slot] && !is_name) continue;
        const double own = weights_tolerance(s, j, option);
        const bool is_first = is_name && !is_named[slot];
        atol[slot] = is_first ? own : fmin(atol[slot], own);
        is_named[slot] = is_name;
    }
    /* a multiplier by a step is a change in units of the states' sizes */
    const stabilizer *z = r->stabilizer;
    for (size_t k = 0; z && k < z->count; k++) atol[states - 1 - k] = z->rtol;
    r->scales.state_atol = atol;
    r->problem.scales = &r->scales;
    return DAE_OK;
}

static dae_status make_bounds(reduced *r)
{
    const dae_scales *s = r->original->scales;
    const size_t n = r->problem.unknown_count;
    double *low = ARENA_ARRAY(&r->arena, double, n);
    double *high = ARENA_ARRAY(&r->arena, double, n);
    if (!low || !high) return DAE_MEMORY;
    for (size_t u = 0; u < n; u++) {
        const int32_t column = r->name_of[u];
        low[u] = -HUGE_VAL, high[u] = HUGE_VAL;
        if (column < 0) continue;
        const size_t j = (size_t)r->e->column_unknown[column];
        const bool is_own = (size_t)column == r->e->column_first[j];
        low[u] = is_own && s && s->minimum ? s->minimum[j] : -HUGE_VAL;
        high[u] = is_own && s && s->maximum ? s->maximum[j] : HUGE_VAL;
    }
    r->scales.minimum = low;
    r->scales.maximum = high;
    return DAE_OK;
}

/* What is tested: states, and unknowns of the user's that constraints
 * determine. Neither derivatives that the user's equations do not contain, nor
 * what only the last derivatives of the constraints determine: its error is
 * that of the states divided by the step. */
static dae_status make_groups(reduced *r, const uint8_t *follows)
{
    enum { TESTED = 1, BY_STEP = 2 };
    const dae_problem *p = r->original;
    const extended *e = r->e;
    const size_t n = r->problem.unknown_count;
    uint8_t *group = ARENA_ARRAY(&r->arena, uint8_t, n);
    if (!group) return DAE_MEMORY;
    for (size_t u = 0; u < n; u++) {
        group[u] = BY_STEP;
        if (r->name_of[u] < 0) continue;
        const size_t column = (size_t)r->name_of[u];
        const size_t j = (size_t)e->column_unknown[column];
        const size_t order = column - e->column_first[j];
        const size_t q = p->order ? p->order[j] : 1;
        const bool is_internal = dae_group_is_internal(p, j);
        const bool is_derived = order > 0 && order >= q;
        group[u] = is_internal || is_derived || follows[j] ? DAE_GROUP_FOLLOWS
                                                           : TESTED;
    }
    r->problem.index_group = group;
    return DAE_OK;
}

/* ---- all of it ---------------------------------------------------------------- */

static dae_status make(reduced *r, const pick *p, const uint8_t *follows,
    double atol, const stabilize_request *q)
{
    dae_status st = merge_slots(r->original, r->e, p, &r->arena, &r->merge);
    if (!st && q)
        st = stabilizer_create(q, r->e, &r->merge, &r->arena, &r->stabilizer);
    if (!st)
        st = loose_create(r->e, p->is_loose, p->is_free, &r->arena, &r->loose);
    if (st || (st = count_unknowns(r, p))) return st;
    st = layout_init(&r->layout, &r->problem, r->arena.allocator);
    if (st || (st = number_slots(r, p)) || (st = choose_names(r))
        || (st = find_slopes(r)) || (st = make_pattern(r))
        || (st = make_tolerances(r, atol)) || (st = make_bounds(r))
        || (st = make_groups(r, follows)))
        return st;
    set_callbacks(r);
    return DAE_OK;
}

dae_status reduced_create(const dae_problem *original, const extended *e,
    const pick *p, const uint8_t *follows, double atol,
    const stabilize_request *q, const dae_allocator *allocator, reduced **out)
{
    const dae_allocator *a = alloc_or_default(allocator);
    assert(original && e && p && follows);
    *out = NULL;
    reduced *r = alloc_zeroed(a, 1, sizeof *r);
    if (!r) return DAE_MEMORY;
    r->e = e;
    r->original = original;
    arena_init(&r->arena, a, 0);
    const dae_status st = make(r, p, follows, atol, q);
    if (st) reduced_free(r);
    else *out = r;
    return st;
}

void reduced_free(reduced *r)
{
    if (!r) return;
    const dae_allocator *a = r->arena.allocator;
    layout_clear(&r->layout);
    arena_clear(&r->arena);
    alloc_free(a, r, 1, sizeof *r);
}
