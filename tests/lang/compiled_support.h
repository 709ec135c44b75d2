/* A compiled system against references that share no code with it: residuals
 * by shape_eval row by row, Jacobians by differences of the residual. */
#ifndef COMPILED_SUPPORT_H
#define COMPILED_SUPPORT_H

#include "lang/system_support.h"

/* ---- the reference --------------------------------------------------------- */

typedef struct reading {
    world *w;
    const uint32_t *row;
} reading;

static inline double reference_leaf(
    void *context, leaf_kind kind, uint32_t number, unsigned order)
{
    reading *r = context;
    uint32_t object = r->row[1 + number];
    if (kind == LEAF_TIME) return r->w->t;
    if (kind == LEAF_PARAM) return r->w->s.param_values.items[object];
    if (kind == LEAF_UNKNOWN) return r->w->u[object * ORDERS + order];
    for (; order > 0; order--)
        object = r->w->s.definitions.items[object].derivative;
    assert_true(object != NODE_NONE);
    assert_true(r->w->is_set[object]);
    return r->w->v[object];
}

static inline double reference_row(world *w, const row_list *l, size_t r)
{
    double value;
    reading at = {w, l->data.items + r * (1 + (size_t)l->hole_count)};
    CHECK_STATUS(
        shape_eval(&w->s.shapes, l->root, reference_leaf, &at, NULL, &value),
        DAE_OK);
    return value;
}

/* Whether all definitions that a row reads are known. */
static inline bool is_ready(world *w, const row_list *l, size_t r)
{
    const uint32_t *row = l->data.items + r * (1 + (size_t)l->hole_count);
    node_id *needed;
    size_t count;
    bool ready = true;
    CHECK_STATUS(
        shape_needed(&w->s.shapes, &l->root, 1, &needed, &count), DAE_OK);
    for (size_t k = 0; k < count; k++) {
        const node *n = shape_node(&w->s.shapes, needed[k]);
        if (n->op != NODE_HOLE || n->kind != LEAF_DEFINITION) continue;
        uint32_t id = row[1 + n->a];
        for (unsigned o = 0; o < n->order; o++)
            id = w->s.definitions.items[id].derivative;
        ready = ready && w->is_set[id];
    }
    alloc_free(w->s.allocator, needed, count, sizeof *needed);
    return ready;
}

static inline double definition_sum(world *w, uint32_t id, bool *ready)
{
    const definition *d = &w->s.definitions.items[id];
    double sum = 0;
    *ready = true;
    for (uint32_t r = 0; r < d->row_count && *ready; r++) {
        row_ref ref = w->s.row_refs.items[d->first_row + r];
        const row_list *l =
            &w->s.groups[GROUP_DEFINITION].lists.items[ref.list];
        *ready = is_ready(w, l, ref.row);
        if (*ready) sum += reference_row(w, l, ref.row);
    }
    return sum;
}

/* All definitions, those that became unknowns from x; pass after pass until
 * nothing new is known. */
static inline void reference_definitions(world *w)
{
    bool moved = true;
    memset(w->is_set, 0, w->s.definitions.count + 1);
    for (size_t k = 0; k < w->c->chains.borders.count; k++) {
        uint32_t id = w->c->chains.borders.items[k];
        w->v[id] = w->x[w->c->slots.states + k];
        w->is_set[id] = 1;
    }
    while (moved) {
        moved = false;
        for (uint32_t id = 0; id < w->s.definitions.count; id++) {
            bool ready;
            if (w->is_set[id]) continue;
            double sum = definition_sum(w, id, &ready);
            if (!ready) continue;
            w->v[id] = sum;
            w->is_set[id] = 1;
            moved = true;
        }
    }
}

static inline void reference_rows(
    world *w, row_group_kind group, double *values)
{
    const row_group *g = &w->s.groups[group];
    for (size_t k = 0; k < g->lists.count; k++) {
        const row_list *l = &g->lists.items[k];
        for (size_t r = 0; r < row_count(l); r++)
            values[l->data.items[r * (1 + (size_t)l->hole_count)]] +=
                reference_row(w, l, r);
    }
}

static inline void reference_residual(world *w, double *res)
{
    bool ready;
    memset(res, 0, w->p->unknown_count * sizeof *res);
    reference_rows(w, GROUP_EQUATION, res);
    for (size_t k = 0; k < w->c->chains.borders.count; k++) {
        uint32_t id = w->c->chains.borders.items[k];
        res[w->s.equation_count + k] = definition_sum(w, id, &ready)
            - w->x[w->c->slots.states + k];
    }
}

/* ---- comparing -------------------------------------------------------------- */

static inline void take_point(world *w, uint64_t seed)
{
    size_t n = w->s.unknown_count, d = w->s.definitions.count + 1;
    free(w->u), free(w->v), free(w->is_set), free(w->x), free(w->xp);
    w->u = calloc(n * ORDERS + 1, sizeof(double));
    w->v = calloc(d, sizeof(double));
    w->is_set = calloc(d, 1);
    w->x = calloc(w->c->slots.total_states + 1, sizeof(double));
    w->xp = calloc(w->c->slots.total + 1, sizeof(double));
    assert_true(w->u && w->v && w->is_set && w->x && w->xp);
    w->t = 0.25 + random_number(&seed) / 8;
    for (size_t k = 0; k < w->c->slots.total_states; k++)
        w->x[k] = 0.6 + random_number(&seed) / 4;
    for (size_t k = 0; k < w->c->slots.total; k++)
        w->xp[k] = 0.6 + random_number(&seed) / 4;
}

/* Unknowns' values from x and xp. */
static inline void read_point(world *w)
{
    for (size_t j = 0; j < w->s.unknown_count; j++)
        for (unsigned o = 0; o <= compiled_order(w->c, j); o++) {
            size_t index;
            bool in_xp;
            assert_true(compiled_slot(w->c, j, o, &index, &in_xp));
            w->u[j * ORDERS + o] = in_xp ? w->xp[index] : w->x[index];
        }
}

static inline void check_close(double a, double b, double tolerance)
{
    if (a == b || (isnan(a) && isnan(b))) return;
    CHECK_NEAR(a, b, tolerance * (1 + fabs(b)));
}

static inline void check_residual(world *w)
{
    size_t n = w->p->unknown_count;
    double *res = calloc(n + 1, sizeof *res), *ref = calloc(n + 1, sizeof *ref);
    read_point(w);
    reference_definitions(w);
    reference_residual(w, ref);
    memset(res, 0xFF, n * sizeof *res);
    CHECK_STATUS(w->p->residual(w->p->self, w->t, w->x, w->xp, res), DAE_OK);
    for (size_t i = 0; i < n; i++) check_close(res[i], ref[i], 1e-13);
    free(res), free(ref);
}

/* Columns in order, rows ascending, each once, all within bounds. */
static inline void check_pattern(
    const dae_pattern *p, size_t columns, size_t rows)
{
    assert_int_equal(p->column_start[0], 0);
    for (size_t k = 0; k < columns; k++) {
        assert_true(p->column_start[k] <= p->column_start[k + 1]);
        for (int64_t e = p->column_start[k]; e < p->column_start[k + 1]; e++) {
            assert_true(p->row[e] >= 0 && (size_t)p->row[e] < rows);
            if (e > p->column_start[k]) assert_true(p->row[e] > p->row[e - 1]);
        }
    }
}

typedef struct system_view {
    dae_residual_fn *residual;
    dae_jacobian_fn *jacobian;
    const dae_pattern *pattern;
    size_t rows;
} system_view;

/* Central differences of sixth order of all residuals by one number. */
static inline void difference(
    world *w, const system_view *v, double *at, double h, double *d)
{
    static const double weight[] = {0.75, -0.15, 1.0 / 60};
    double keep = *at;
    double *a = calloc(v->rows + 1, sizeof *a),
           *b = calloc(v->rows + 1, sizeof *b);
    memset(d, 0, v->rows * sizeof *d);
    for (int k = 1; k <= 3; k++) {
        *at = keep + k * h;
        CHECK_STATUS(v->residual(w->p->self, w->t, w->x, w->xp, a), DAE_OK);
        *at = keep - k * h;
        CHECK_STATUS(v->residual(w->p->self, w->t, w->x, w->xp, b), DAE_OK);
        for (size_t i = 0; i < v->rows; i++)
            d[i] += weight[k - 1] * (a[i] - b[i]) / h;
    }
    *at = keep;
    free(a), free(b);
}

/* Two steps of differences that do not agree tell nothing: NaN. */
static inline void steady_difference(
    world *w, const system_view *v, double *at, double *d)
{
    double *fine = calloc(v->rows + 1, sizeof *fine);
    difference(w, v, at, 2e-3, d);
    difference(w, v, at, 1e-3, fine);
    for (size_t i = 0; i < v->rows; i++) {
        if (!(fabs(fine[i] - d[i]) <= 1e-8 * (1 + fabs(d[i]))))
            d[i] = (double)NAN;
        else d[i] = fine[i];
    }
    free(fine);
}

static inline void check_jacobian(world *w, const system_view *v)
{
    size_t states = w->c->slots.total_states;
    size_t columns = states + w->p->unknown_count;
    const dae_pattern *p = v->pattern;
    size_t nonzeros = (size_t)p->column_start[columns];
    double *values = calloc(nonzeros + 1, sizeof *values);
    double *d = calloc(v->rows + 1, sizeof *d);
    check_pattern(p, columns, v->rows);
    memset(values, 0xFF, nonzeros * sizeof *values);
    CHECK_STATUS(
        v->jacobian(w->p->self, DAE_ALL, w->t, w->x, w->xp, values), DAE_OK);
    for (size_t k = 0; k < columns; k++) {
        double *at = k < states ? &w->x[k] : &w->xp[k - states];
        steady_difference(w, v, at, d);
        for (int64_t e = p->column_start[k]; e < p->column_start[k + 1]; e++) {
            w->compared++;
            if (!isfinite(d[p->row[e]])) w->skipped++;
            if (!isfinite(d[p->row[e]])) continue;
            check_close(values[e], d[p->row[e]], 2e-8);
            d[p->row[e]] = 0;
        }
        for (size_t i = 0; i < v->rows; i++) /* nothing outside the pattern */
            if (isfinite(d[i])) CHECK_NEAR(d[i], 0, 1e-9);
    }
    free(values), free(d);
}

static inline bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* DAE_VARYING writes the entries that vary and leaves the others; what is
 * called constant or of params is the same at another point. */
static inline void check_kinds(world *w, const system_view *v, uint64_t seed)
{
    size_t columns = w->c->slots.total_states + w->p->unknown_count;
    const dae_pattern *p = v->pattern;
    size_t nonzeros = (size_t)p->column_start[columns];
    double *a = calloc(nonzeros + 1, sizeof *a);
    double *b = calloc(nonzeros + 1, sizeof *b);
    void *self = w->p->self;
    CHECK_STATUS(v->jacobian(self, DAE_ALL, w->t, w->x, w->xp, a), DAE_OK);
    take_point(w, seed);
    CHECK_STATUS(v->jacobian(self, DAE_ALL, w->t, w->x, w->xp, b), DAE_OK);
    for (size_t e = 0; e < nonzeros; e++) {
        if (p->kind[e] != DAE_ENTRY_VARYING)
            assert_true(same_number(a[e], b[e]));
        a[e] = 777;
    }
    CHECK_STATUS(v->jacobian(self, DAE_VARYING, w->t, w->x, w->xp, a), DAE_OK);
    for (size_t e = 0; e < nonzeros; e++)
        assert_true(
            same_number(a[e], p->kind[e] == DAE_ENTRY_VARYING ? b[e] : 777.0));
    free(a), free(b);
}

static inline system_view equations_of(const world *w)
{
    return (system_view){
        w->p->residual, w->p->jacobian, w->p->pattern, w->p->unknown_count};
}

static inline void check_all(world *w)
{
    for (uint64_t seed = 1; seed <= 2; seed++) {
        system_view v = equations_of(w);
        take_point(w, seed);
        check_residual(w);
        check_jacobian(w, &v);
        check_kinds(w, &v, seed + 10);
    }
}

#endif
