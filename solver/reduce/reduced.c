/* A pick as a dae_problem: which equalities are taken out, which chains there are,
 * where every column of the extended problem lives, and the pattern that follows. */
#include "reduce/reduced.h"
#include "base/unrolled.h"
#include "graph/sets.h"
#include "graph/transpose.h"
#include "linalg/gauss_jordan.h"
#include "newton/weights.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- equalities taken out ------------------------------------------------------ */

/* Two chains are joined where one goes on as the other, never where a state would
 * have two derivatives, a derivative two states, or a chain would end in itself. */

/* The end of the chain a column stands in. */
static int32_t end_of(merge *m, int32_t column)
{
    while (m->next[column] >= 0) column = set_root(m->first, m->next[column]);
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
        const int32_t x = set_root(m->first, (int32_t)a),
                      y = set_root(m->first, (int32_t)b);
        if (!can_join(m, x, y)) continue;
        join(m, x, y);
        m->is_dropped[row] = 1;
    }
}

static dae_status merge_slots(const dae_problem *original, const extended *e,
    const pick *p, arena *a, merge *out)
{
    if (!TAKE(a, out->first, e->columns) || !TAKE(a, out->next, e->columns)
        || !TAKE(a, out->before, e->columns)
        || !TAKE(a, out->has_value, e->columns)
        || !TAKE(a, out->is_dropped, e->rows))
        return DAE_MEMORY;
    memcpy(out->is_dropped, p->is_out, e->rows);
    for (size_t k = 0; k < e->columns; k++) {
        out->first[k] = (int32_t)k;
        out->next[k] = out->before[k] = -1;
        out->has_value[k] = extended_slot(e, k).order == 0;
    }
    for (size_t k = 0; k + 1 < e->columns; k++) {
        if (!p->is_state[k]) continue;
        out->next[k] = (int32_t)k + 1;
        out->before[k + 1] = (int32_t)k;
    }
    for (size_t k = 0; k < original->equality_count; k++)
        take_out(out, original, e, p, &original->equalities[k]);
    for (size_t k = 0; k < e->columns; k++) {
        out->first[k] = set_root(out->first, (int32_t)k);
        if (out->next[k] >= 0)
            out->next[k] = set_root(out->first, out->next[k]);
        if (out->before[k] >= 0)
            out->before[k] = set_root(out->first, out->before[k]);
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
    int32_t *block;  /* unknowns: the fine one */
    transposed rows; /* the pattern of `e` */
} builder;

static int32_t relation(stabilizer *s, int32_t column)
{
    if (s->relation_of[column] < 0) {
        s->column[s->relations] = column;
        s->relation_of[column] = (int32_t)s->relations++;
    }
    return s->relation_of[column];
}

/* The multiplier of one constraint, what equation i of block f is at a stage; none of one
 * that is no equation any more. Terms in units in which the largest gradient by a state's
 * size is 1. */
static void add_multiplier(builder *b, size_t f, int32_t i, int64_t level)
{
    stabilizer *s = b->s;
    const extended *e = b->e;
    const dae_structure *of = b->q->structure;
    const size_t row = e->row_first[i] + (size_t)(of->c[i] - level);
    size_t at = s->start[s->count];
    double largest = 0;
    if (b->m->is_dropped[row]) return;
    for (int64_t k = b->rows.start[row]; k < b->rows.start[row + 1]; k++) {
        const size_t c = (size_t)b->rows.index[k];
        const dae_slot x = extended_slot(e, c);
        const int32_t first = b->m->first[c];
        if (b->block[x.unknown] != (int32_t)f
            || x.order + level != of->d[x.unknown] || b->m->next[first] < 0)
            continue;
        const double size = b->q->size[x.unknown];
        const double value = b->q->values[b->rows.entry[k]];
        s->term[at++] = (stabilize_term){
            relation(s, first), b->rows.entry[k], size * size, value};
        largest = fmax(largest, fabs(value) * size);
    }
    const bool has_scale = largest > 0 && isfinite(largest);
    for (size_t t = s->start[s->count]; t < at; t++)
        s->term[t].factor /= has_scale ? largest : 1;
    s->constraint[s->count] = (int32_t)row;
    s->start[++s->count] = at;
}

static void add_all(builder *b)
{
    const dae_structure *of = b->q->structure;
    for (size_t f = 0; f < of->fine_count; f++)
        for (int32_t k = of->fine[f].begin; k < of->fine[f].end; k++)
            b->block[of->column_at[k]] = (int32_t)f;
    for (size_t f = 0; f < of->fine_count; f++) {
        const dae_block block = of->fine[f];
        const int64_t most = pick_stages(of, block);
        for (int64_t level = 1; level <= most; level++)
            for (int32_t k = block.begin; k < block.end; k++)
                if (of->c[of->row_at[k]] >= level)
                    add_multiplier(b, f, of->row_at[k], level);
    }
}

/* Each constraint is one extended row, and each term one entry of it. */
static dae_status stabilizer_create(const stabilize_request *q,
    const extended *e, const merge *m, arena *a, stabilizer **out)
{
    const size_t entries = extended_entries(e);
    const dae_pattern *p = e->problem.pattern;
    stabilizer *s = *out = ARENA_NEW(a, stabilizer);
    builder b = {.q = q, .e = e, .m = m, .s = s};
    if (!s) return DAE_MEMORY;
    s->rtol = q->rtol;
    if (!TAKE(a, s->constraint, e->rows) || !TAKE(a, s->start, e->rows)
        || !TAKE(a, s->term, entries) || !TAKE(a, s->relation_of, e->columns)
        || !TAKE(a, s->column, e->columns) || !TAKE(a, s->unknown, e->columns)
        || !TAKE(a, s->next, e->columns) || !TAKE(a, b.block, e->unknowns))
        return DAE_MEMORY;
    const dae_status st = transpose_pattern(
        e->rows, e->columns, p->column_start, p->row, a->allocator, &b.rows);
    if (st) return st;
    memset(s->relation_of, 0xff, e->columns * sizeof *s->relation_of);
    add_all(&b);
    transpose_clear(&b.rows);
    return DAE_OK;
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

/* Takes over gradients from the extended problem's Jacobian; the values of the entries
 * that add_relations has added. */
static double *stabilizer_jacobian(
    stabilizer *s, const double *from, double *to)
{
    for (size_t q = 0; q < s->relations; q++) {
        *to++ = 1;
        *to++ = -1;
    }
    for (size_t t = 0; t < s->start[s->count]; t++) {
        stabilize_term *term = &s->term[t];
        term->gradient = from[term->at];
        *to++ = term->factor * term->gradient;
    }
    return to;
}

/* Whether the chain is cut after `column`, a first one of what it stands in. */
static bool stabilizer_cuts(const stabilizer *s, size_t column)
{
    return s && s->relation_of[column] >= 0;
}

/* ---- loose unknowns ------------------------------------------------------------- */

/* Elimination of the loose columns: what a free one changes in the others is
 * the same whichever rows serve as pivots, so N depends on the point alone and
 * smoothly. */

static dae_status loose_create(
    const extended *e, const pick *p, arena *a, loose **out)
{
    size_t rows = 0, count = 0;
    for (size_t c = 0; c < e->columns; c++) {
        rows += p->is_free[c] != 0;
        count += p->is_loose[c] != 0;
    }
    if (rows == 0) return DAE_OK;
    loose *l = *out = ARENA_NEW(a, loose);
    if (!l) return DAE_MEMORY;
    const size_t entries = extended_entries(e);
    l->rows = rows;
    if (!TAKE(a, l->column, count) || !TAKE(a, l->is_free, count)
        || !TAKE(a, l->n, rows * count) || !TAKE(a, l->g, e->rows * count)
        || !TAKE(a, l->is_done, e->rows) || !TAKE(a, l->pivot, count)
        || !TAKE(a, l->values, entries))
        return DAE_MEMORY;
    for (size_t c = 0; c < e->columns; c++) {
        if (!p->is_loose[c]) continue;
        l->is_free[l->count] = p->is_free[c];
        l->column[l->count++] = (int32_t)c;
    }
    return DAE_OK;
}

static void loose_load(loose *l, const extended *e, const double *values)
{
    assert(l->count > 0 && l->rows > 0 && l->rows <= l->count);
    const dae_pattern *p = e->problem.pattern;
    memset(l->g, 0, e->rows * l->count * sizeof *l->g);
    memset(l->is_done, 0, e->rows);
    for (size_t k = 0; k < l->count; k++) {
        const int32_t c = l->column[k];
        for (int64_t q = p->column_start[c]; q < p->column_start[c + 1]; q++)
            l->g[(size_t)p->row[q] * l->count + k] = values[q];
    }
}

/* N from the extended Jacobian's values. */
static void loose_update(loose *l, const extended *e, const double *values)
{
    loose_load(l, e, values);
    for (size_t k = 0; k < l->count; k++) {
        l->pivot[k] = l->is_free[k]
            ? e->rows
            : jordan_row(l->g, e->rows, l->count, k, l->is_done);
        if (l->pivot[k] == e->rows) continue;
        jordan_eliminate(l->g, e->rows, l->count, l->pivot[k], k, NULL);
        l->is_done[l->pivot[k]] = 1;
    }
    for (size_t j = 0, at = 0; j < l->count; j++) {
        if (!l->is_free[j]) continue;
        double *row = l->n + at++ * l->count;
        for (size_t k = 0; k < l->count; k++)
            row[k] = l->pivot[k] < e->rows ? -l->g[l->pivot[k] * l->count + j]
                                           : k == j;
    }
}

/* The residuals of the equations at a point, N made there; DAE_RETRY. */
static dae_status loose_residual(
    loose *l, const extended *e, double t, const double *columns, double *res)
{
    const dae_status st = e->problem.jacobian(
        e->problem.self, DAE_ALL, t, columns, NULL, l->values);
    if (st) return st;
    loose_update(l, e, l->values);
    for (size_t i = 0; i < l->rows; i++) {
        res[i] = 0;
        for (size_t k = 0; k < l->count; k++)
            res[i] += l->n[i * l->count + k] * columns[l->column[k]];
    }
    return DAE_OK;
}

/* ---- values and callbacks ------------------------------------------------------- */

/* Those of the extended problem, with columns and rows in another order, and the
 * relations of a stabilized one. */

void reduced_gather(
    const reduced *r, const double *columns, double *x, double *xp)
{
    const size_t states = r->layout.states;
    for (size_t s = 0; s < states + r->layout.unknowns; s++) {
        const int32_t from = r->column_of[s];
        *(s < states ? x + s : xp + (s - states)) = from >= 0 ? columns[from]
                                                              : 0;
    }
}

/* Of several points: where a column lives is found once. */
UNROLLED void scatter_of(const size_t count, const reduced *r,
    const double *const *x, const double *const *xp, double *const *columns)
{
    const size_t states = r->layout.states, n = r->e->columns;
    const int32_t *slot_of = r->slot_of;
    double *to[REDUCED_POINTS];
    for (size_t k = 0; k < count; k++) to[k] = columns[k];
    for (size_t p = 0; p < n; p++) {
        const int32_t s = slot_of[p];
        if (s < 0) {
            for (size_t k = 0; k < count; k++) to[k][p] = 0;
        } else if ((size_t)s < states) {
            for (size_t k = 0; k < count; k++) to[k][p] = x[k][s];
        } else {
            const size_t at = (size_t)s - states;
            for (size_t k = 0; k < count; k++) to[k][p] = xp[k][at];
        }
    }
}

static void scatter(const reduced *r, size_t count, const double *const *x,
    const double *const *xp, double *const *columns)
{
    switch (count) {
    case 1: scatter_of(1, r, x, xp, columns); break;
    case 3: scatter_of(3, r, x, xp, columns); break;
    case 5: scatter_of(5, r, x, xp, columns); break;
    default: scatter_of(count, r, x, xp, columns); break;
    }
}

void reduced_scatter(
    const reduced *r, const double *x, const double *xp, double *columns)
{
    scatter(r, 1, &x, &xp, &columns);
}

/* Those of the equations here, of rows at the columns. */
static dae_status take_rows(const reduced *r, double t, const double *x,
    const double *xp, const double *columns, const double *rows, double *res)
{
    const stabilizer *z = r->stabilizer;
    const size_t own = r->row_count;
    for (size_t i = 0; i < own; i++) res[i] = rows[r->row_of[i]];
    if (z)
        stabilizer_residual(
            z, x, xp, x + r->layout.states - z->count, res + own);
    return r->loose ? loose_residual(r->loose, r->e, t, columns, res + own)
                    : DAE_OK;
}

static dae_status residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    reduced *r = self;
    const dae_problem *e = &r->e->problem;
    reduced_scatter(r, x, xp, r->columns);
    const dae_status st = e->residual(e->self, t, r->columns, NULL, r->rows);
    if (st && st != DAE_RETRY) return st;
    const dae_status own = take_rows(r, t, x, xp, r->columns, r->rows, res);
    return st ? st : own;
}

static double **take_points(arena *a, size_t size)
{
    double **point = ARENA_ARRAY(a, double *, REDUCED_POINTS), *all;
    size_t total;
    if (!point || !size_mul(size, REDUCED_POINTS, &total)) return NULL;
    if (!(all = ARENA_ARRAY(a, double, total))) return NULL;
    for (size_t k = 0; k < REDUCED_POINTS; k++) point[k] = all + k * size;
    return point;
}

static bool has_points(reduced *r)
{
    if (r->point_rows) return true;
    if (!r->point_columns)
        r->point_columns = take_points(&r->arena, r->e->columns);
    if (r->point_columns) r->point_rows = take_points(&r->arena, r->e->rows);
    return r->point_rows != NULL;
}

static dae_status residuals(void *self, size_t count, const double *t,
    const double *const *x, const double *const *xp, double *const *res)
{
    reduced *r = self;
    const dae_problem *e = &r->e->problem;
    dae_status st = has_points(r) ? DAE_OK : DAE_MEMORY;
    for (size_t k = 0, end; k < count && !st; k = end) {
        double **columns = r->point_columns, **rows = r->point_rows;
        end = count - k < REDUCED_POINTS ? count : k + REDUCED_POINTS;
        scatter(r, end - k, x + k, xp + k, columns);
        st = e->residuals(e->self, end - k, t + k,
            (const double *const *)columns, NULL, rows);
        for (size_t i = k; i < end && !st; i++)
            st = take_rows(
                r, t[i], x[i], xp[i], columns[i - k], rows[i - k], res[i]);
    }
    return st;
}

dae_status reduced_jacobian(const reduced *r, double t, const double *x,
    const double *xp, double *own, double *values)
{
    const dae_problem *e = &r->e->problem;
    const size_t slots = r->layout.states + r->layout.unknowns;
    const size_t entries = (size_t)r->pattern.column_start[slots];
    double *added = own + extended_entries(r->e);
    reduced_scatter(r, x, xp, r->columns);
    const dae_status st = e->jacobian(
        e->self, DAE_ALL, t, r->columns, NULL, own);
    if (st && st != DAE_RETRY) return st;
    if (r->stabilizer) added = stabilizer_jacobian(r->stabilizer, own, added);
    if (r->loose) {
        loose_update(r->loose, r->e, own);
        memcpy(added, r->loose->n,
            r->loose->rows * r->loose->count * sizeof *added);
    }
    memset(values, 0, entries * sizeof *values);
    for (size_t k = 0; k < r->entries; k++)
        if (r->target[k] >= 0) values[r->target[k]] += own[k];
    return st;
}

/* Entries that do not vary get the value they have. */
static dae_status jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    reduced *r = self;
    (void)scope;
    const dae_status st = reduced_jacobian(r, t, x, xp, r->values, values);
    r->evaluations += !st;
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

static dae_status denominators(
    void *self, double t, const double *x, const double *xp, double *values)
{
    reduced *r = self;
    const dae_problem *e = &r->e->problem;
    reduced_scatter(r, x, xp, r->columns);
    return e->denominators->evaluate(e->self, t, r->columns, NULL, values);
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

/* A multiplier by its constraint, a relation by what it is the slope of, an equation of
 * loose unknowns by the first of them. */
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
    const int32_t column = z ? z->column[index - r->row_count]
                             : r->loose->column[0];
    (void)e->name(e->self, DAE_NAME_UNKNOWN, (size_t)column, of, sizeof of);
    return (size_t)snprintf(text, size, z ? "slope of %s" : "least %s", of);
}

static size_t name(
    void *self, dae_name_kind kind, size_t index, char *text, size_t size)
{
    const reduced *r = self;
    const dae_problem *e = &r->e->problem;
    const size_t number = number_of(r, kind, index);
    if (number != SIZE_MAX) return e->name(e->self, kind, number, text, size);
    return name_added(r, kind, index, text, size);
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
    p->residuals = residuals;
    p->jacobian = jacobian;
    p->pattern = &r->pattern;
    p->name = name;
    if (e->place) p->place = place;
    if (e->explain) p->explain = explain;
    p->is_smooth = r->original->is_smooth;
    p->events = r->original->events;
    if (!e->denominators) return;
    r->denominators = *e->denominators;
    r->denominators.evaluate = denominators;
    p->denominators = &r->denominators;
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

/* Multipliers come last, and have no derivatives. */
static dae_status count_unknowns(reduced *r, const pick *k)
{
    const size_t extra = r->stabilizer ? r->stabilizer->count : 0;
    const int32_t *next = r->merge.next;
    size_t count = 0;
    uint8_t *order = ARENA_ARRAY(&r->arena, uint8_t, r->e->columns + extra);
    if (!order) return DAE_MEMORY;
    for (size_t p = 0; p < r->e->columns; p++) {
        size_t length = 0;
        if (!is_head(r, k, p)) continue;
        for (int32_t c = (int32_t)p; next[c] >= 0; c = next[c]) {
            length++;
            if (stabilizer_cuts(r->stabilizer, (size_t)c)) break;
        }
        if (length > UINT8_MAX) return DAE_LIMIT;
        order[count++] = (uint8_t)length;
    }
    r->problem.unknown_count = count + extra;
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
    if (!TAKE(&r->arena, r->column_of, slots)
        || !TAKE(&r->arena, r->slot_of, columns))
        return DAE_MEMORY;
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
    if (!unknown_at || !TAKE(&r->arena, r->name_of, l->unknowns)
        || !TAKE(&r->arena, r->state_name, l->states))
        return DAE_MEMORY;
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
    if (!TAKE(&r->arena, r->slope_slot, l->states)) return DAE_MEMORY;
    memset(r->slope_slot, 0xff, l->states * sizeof *r->slope_slot);
    for (size_t j = 0; j < e->unknowns; j++) {
        const size_t first = e->column_first[j];
        const size_t q = r->original->order ? r->original->order[j] : 1;
        for (size_t c = first; c < first + q; c++) {
            const int32_t s = r->slot_of[c];
            const bool has_slope = c + 1 < e->column_first[j + 1];
            if (s < 0 || (size_t)s >= l->states || !has_slope) continue;
            if (r->state_name[s] < 0) r->slope_slot[s] = r->slot_of[c + 1];
        }
    }
    return DAE_OK;
}

/* ---- the pattern -------------------------------------------------------------- */

static dae_status number_rows(reduced *r, int32_t *number)
{
    size_t count = 0;
    if (!TAKE(&r->arena, r->row_of, r->problem.unknown_count))
        return DAE_MEMORY;
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

static void gathering_add(gathering *g, int32_t row, int32_t slot, uint8_t kind)
{
    g->row[g->count] = row;
    g->slot[g->count] = slot;
    g->kind[g->count++] = kind;
}

bool gathering_init(gathering *g, const extended *e, const int32_t *slot_of,
    const int32_t *number, size_t most, arena *a)
{
    const dae_pattern *p = e->problem.pattern;
    g->count = 0;
    if (!TAKE(a, g->row, most) || !TAKE(a, g->slot, most)
        || !TAKE(a, g->kind, most) || !TAKE(a, g->target, most))
        return false;
    for (size_t c = 0; c < e->columns; c++)
        for (int64_t k = p->column_start[c]; k < p->column_start[c + 1]; k++)
            gathering_add(g, number[p->row[k]],
                slot_of ? slot_of[c] : (int32_t)c,
                p->kind ? p->kind[k] : DAE_ENTRY_VARYING);
    return true;
}

/* Those of `from` with a key of 0 .. keys - 1, by ascending keys and else in their order,
 * into `to`; how many they are. `begin`: room for keys + 1. */
static size_t sort_entries(const int32_t *key, size_t keys, const int32_t *from,
    size_t count, int64_t *begin, int32_t *to)
{
    memset(begin, 0, (keys + 1) * sizeof *begin);
    for (size_t k = 0; k < count; k++)
        if (key[from[k]] >= 0 && (size_t)key[from[k]] < keys)
            begin[key[from[k]] + 1]++;
    for (size_t i = 0; i < keys; i++) begin[i + 1] += begin[i];
    const size_t sorted = (size_t)begin[keys];
    for (size_t k = 0; k < count; k++)
        if (key[from[k]] >= 0 && (size_t)key[from[k]] < keys)
            to[begin[key[from[k]]]++] = from[k];
    return sorted;
}

bool gathering_finish(
    gathering *g, size_t rows, size_t slots, arena *a, dae_pattern *out)
{
    int64_t *start, *begin, at = 0;
    int32_t *row, *order, *by_row;
    uint8_t *kind;
    if (!TAKE(a, begin, rows + slots) || !TAKE(a, order, g->count)
        || !TAKE(a, by_row, g->count) || !TAKE(a, start, slots)
        || !TAKE(a, row, g->count) || !TAKE(a, kind, g->count))
        return false;
    for (size_t k = 0; k < g->count; k++) order[k] = (int32_t)k;
    memset(g->target, 0xff, g->count * sizeof *g->target);
    size_t count = sort_entries(g->row, rows, order, g->count, begin, by_row);
    count = sort_entries(g->slot, slots, by_row, count, begin, order);
    for (size_t k = 0; k < count; k++) {
        const int32_t e = order[k], last = order[k > 0 ? k - 1 : 0];
        const bool is_new = k == 0 || g->row[e] != g->row[last]
            || g->slot[e] != g->slot[last];
        if (is_new) row[at++] = g->row[e];
        kind[at - 1] = is_new ? g->kind[e] : DAE_ENTRY_VARYING;
        g->target[e] = at - 1;
        start[g->slot[e] + 1] = at;
    }
    for (size_t s = 0; s < slots; s++)
        if (start[s + 1] < start[s]) start[s + 1] = start[s];
    *out = (dae_pattern){start, row, kind};
    return true;
}

static void add_relations(const reduced *r, gathering *g)
{
    const stabilizer *z = r->stabilizer;
    const int32_t states = (int32_t)r->layout.states;
    const int32_t row = (int32_t)r->row_count;
    for (int32_t q = 0; q < (int32_t)z->relations; q++) {
        gathering_add(g, row + q, states + z->unknown[q], DAE_ENTRY_CONSTANT);
        gathering_add(g, row + q, z->next[q], DAE_ENTRY_CONSTANT);
    }
    for (size_t k = 0; k < z->count; k++)
        for (size_t t = z->start[k]; t < z->start[k + 1]; t++)
            gathering_add(g, row + z->term[t].relation,
                states - (int32_t)(z->count - k), DAE_ENTRY_VARYING);
}

static void add_loose(const reduced *r, gathering *g)
{
    const loose *l = r->loose;
    for (size_t i = 0; i < l->rows; i++)
        for (size_t k = 0; k < l->count; k++)
            gathering_add(g, (int32_t)(r->row_count + i),
                r->slot_of[l->column[k]], DAE_ENTRY_VARYING);
}

static dae_status make_pattern(reduced *r)
{
    const size_t own = extended_entries(r->e);
    const stabilizer *z = r->stabilizer;
    const loose *l = r->loose;
    const size_t most = own + (z ? 2 * z->relations + z->start[z->count] : 0)
        + (l ? l->rows * l->count : 0);
    arena *a = &r->arena;
    gathering g;
    int32_t *number = ARENA_ARRAY(a, int32_t, r->e->rows);
    if (!number || !TAKE(a, r->values, most)
        || !TAKE(a, r->columns, r->e->columns) || !TAKE(a, r->rows, r->e->rows))
        return DAE_MEMORY;
    const dae_status st = number_rows(r, number);
    if (st) return st;
    if (!gathering_init(&g, r->e, r->slot_of, number, most, a))
        return DAE_MEMORY;
    if (z) add_relations(r, &g);
    if (l) add_loose(r, &g);
    r->entries = g.count;
    r->target = g.target;
    return gathering_finish(&g, r->problem.unknown_count,
               r->layout.states + r->layout.unknowns, a, &r->pattern)
        ? DAE_OK
        : DAE_MEMORY;
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
        const dae_slot from = extended_slot(r->e, p);
        const size_t j = (size_t)from.unknown;
        const bool is_name = from.order == 0;
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

/* Bounds, and what is tested: states, and unknowns of the user's that constraints
 * determine. Neither derivatives that the user's equations do not contain, nor
 * what only the last derivatives of the constraints determine: its error is
 * that of the states divided by the step. */
static dae_status make_bounds(reduced *r, const uint8_t *follows)
{
    enum { TESTED = 1, BY_STEP = 2 };
    const dae_problem *p = r->original;
    const dae_scales *s = p->scales;
    const size_t n = r->problem.unknown_count;
    double *low, *high;
    uint8_t *group;
    arena *a = &r->arena;
    if (!TAKE(a, low, n) || !TAKE(a, high, n) || !TAKE(a, group, n))
        return DAE_MEMORY;
    for (size_t u = 0; u < n; u++) {
        low[u] = -HUGE_VAL, high[u] = HUGE_VAL;
        group[u] = BY_STEP;
        if (r->name_of[u] < 0) continue;
        const dae_slot from = extended_slot(r->e, (size_t)r->name_of[u]);
        const size_t j = (size_t)from.unknown;
        const int q = p->order ? p->order[j] : 1;
        const bool is_own = from.order == 0;
        const bool is_internal = dae_group_is_internal(p, j);
        const bool is_derived = from.order > 0 && from.order >= q;
        low[u] = is_own && s && s->minimum ? s->minimum[j] : -HUGE_VAL;
        high[u] = is_own && s && s->maximum ? s->maximum[j] : HUGE_VAL;
        group[u] = is_internal || is_derived || follows[j] ? DAE_GROUP_FOLLOWS
                                                           : TESTED;
    }
    r->scales.minimum = low;
    r->scales.maximum = high;
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
    if (!st) st = loose_create(r->e, p, &r->arena, &r->loose);
    if (st || (st = count_unknowns(r, p))) return st;
    st = layout_init(&r->layout, &r->problem, r->arena.allocator);
    if (st || (st = number_slots(r, p)) || (st = choose_names(r))
        || (st = find_slopes(r)) || (st = make_pattern(r))
        || (st = make_tolerances(r, atol)) || (st = make_bounds(r, follows)))
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
