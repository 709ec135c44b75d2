/* After a solved start, for problems whose F leaves highest derivatives open.
 * F_t comes from a difference in time, as a dae_problem tells no other; the
 * rest is exact entries and one factorization. */
#include "start/derive.h"
#include "linalg/kkt.h"
#include "linalg/thresholds.h"
#include "start/tolerance.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { DERIVE_ITERATIONS = 20 };

/* Rows: all of the system, then dF/dt. Columns: free highest derivatives,
 * then w of every unknown. */
typedef struct derive {
    init_system *s;
    size_t rates, rows, columns;
    int32_t *slot_at; /* rates: slots of the free highest derivatives */
    int64_t *start;   /* columns + 1 */
    int32_t *row;
    double *values;
    double *scale;    /* columns */
    double *ft;       /* n: partial derivative in time */
    double *g, *size; /* n: dF/dt without w; its largest term */
    double *r;        /* rows */
    double *d;        /* columns */
    double *before;   /* slots: to go back to */
    kkt *kkt;
} derive;

static size_t top_of(const derive *v, size_t j)
{
    return v->s->request->layout->first[j + 1] - 1;
}

/* Writes one slot's F entries (and with `all` the conditions'), shifted by
 * `offset` rows; `row` and `values` may be NULL. */
static size_t put_slot(const derive *v, size_t slot, bool all, size_t offset,
    size_t at, int32_t *row, double *values)
{
    entry_range e[2];
    const int count = unknowns_column(v->s, slot, e);
    for (int q = 0; q < count && (all || q == 0); q++) {
        for (int64_t p = e[q].begin; p < e[q].end; p++, at++) {
            const size_t i = (size_t)e[q].row[p] + e[q].offset + offset;
            if (row) row[at] = (int32_t)i;
            if (values) values[at] = entry_value(&e[q], p);
        }
    }
    return at;
}

/* The whole matrix in order; the same walk for pattern and values. */
static size_t put_all(
    const derive *v, int64_t *start, int32_t *row, double *values)
{
    const init_system *s = v->s;
    size_t at = 0, column = 0;
    for (size_t k = 0; k < v->rates; k++) {
        const size_t slot = (size_t)v->slot_at[k];
        if (start) start[column++] = (int64_t)at;
        at = put_slot(v, slot, true, 0, at, row, values);
        at = put_slot(
            v, top_of(v, slot - s->states), false, s->rows, at, row, values);
    }
    for (size_t j = 0; j < s->n; j++) {
        const bool has_rate = s->request->layout->order[j] > 0;
        if (start) start[column++] = (int64_t)at;
        at = put_slot(v, has_rate ? s->states + j : top_of(v, j), false,
            s->rows, at, row, values);
    }
    if (start) start[column] = (int64_t)at;
    return at;
}

static dae_status derive_init(derive *v)
{
    init_system *s = v->s;
    arena *a = &s->arena;
    v->slot_at = ARENA_ARRAY(a, int32_t, s->n);
    if (!v->slot_at) return DAE_MEMORY;
    for (size_t k = s->states; k < s->slots; k++)
        if (s->is_free[k]) v->slot_at[v->rates++] = (int32_t)k;
    v->rows = s->rows + s->n;
    v->columns = v->rates + s->n;
    if (v->rows >= INT32_MAX || v->columns >= INT32_MAX) return DAE_LIMIT;
    const size_t entries = put_all(v, NULL, NULL, NULL);
    v->start = ARENA_ARRAY(a, int64_t, v->columns + 1);
    v->row = ARENA_ARRAY(a, int32_t, entries);
    v->values = ARENA_ARRAY(a, double, entries);
    v->scale = ARENA_ARRAY(a, double, v->columns);
    v->ft = ARENA_ARRAY(a, double, s->n);
    v->g = ARENA_ARRAY(a, double, s->n);
    v->size = ARENA_ARRAY(a, double, s->n);
    v->r = ARENA_ARRAY(a, double, v->rows);
    v->d = ARENA_ARRAY(a, double, v->columns);
    v->before = ARENA_ARRAY(a, double, s->slots);
    if (!v->start || !v->row || !v->values || !v->scale || !v->ft || !v->g
        || !v->size || !v->r || !v->d || !v->before)
        return DAE_MEMORY;
    const size_t written = put_all(v, v->start, v->row, NULL);
    assert(written == entries && v->rates <= s->n);
    (void)written;
    return kkt_create(v->rows, v->columns, v->start, v->row, s->fuzz,
        s->request->allocator, &v->kkt);
}

/* F at t0 + shift into `res` (rows of F). */
static dae_status residual_at(derive *v, double shift, double *res)
{
    init_system *s = v->s;
    const dae_problem *p = s->request->problem;
    s->stats->residual_evals++;
    const dae_status st = p->residual(
        p->self, s->request->t0 + shift, s->z, unknowns_xp(s, s->z), res);
    if (!st && any_overflow(res, s->n)) return DAE_RETRY;
    return st;
}

/* One-sided difference of second order over two intervals of length h. */
static dae_status difference(derive *v, double h, double *one, double *two)
{
    const init_system *s = v->s;
    /* the intervals as the machine has them */
    const double t = s->request->t0, a = (t + h) - t, b = (t + 2 * h) - t;
    dae_status st;
    if ((st = residual_at(v, a, one))) return st;
    if ((st = residual_at(v, b, two))) return st;
    for (size_t i = 0; i < s->n; i++) {
        const double f1 = (one[i] - s->res[i]) / a;
        const double f2 = (two[i] - s->res[i]) / b;
        one[i] = (f1 * b - f2 * a) / (b - a);
    }
    return DAE_OK;
}

/* F_t by differences of falling length, for each row the one that changed
 * least against its neighbour: the scale of time is not known. `side` is 1 or
 * -1: forward or backward. */
static dae_status difference_in_time(derive *v, double side)
{
    init_system *s = v->s;
    arena *a = &s->arena;
    double *one = ARENA_ARRAY(a, double, s->n);
    double *two = ARENA_ARRAY(a, double, s->n);
    double *last = ARENA_ARRAY(a, double, s->n);
    double *least = ARENA_ARRAY(a, double, s->n);
    const double unit = fmax(fabs(s->request->t0), 1);
    bool has_last = false;
    if (!one || !two || !last || !least) return DAE_MEMORY;
    for (size_t i = 0; i < s->n; i++) least[i] = DBL_MAX;
    for (int k = 2; k <= 11; k++) {
        const dae_status st = difference(
            v, side * unit * pow(10, -k), one, two);
        if (st == DAE_RETRY) continue;
        if (st) return st;
        for (size_t i = 0; i < s->n; i++) {
            const double change = fabs(one[i] - last[i]);
            if (has_last && change < least[i]) {
                least[i] = change;
                v->ft[i] = one[i];
            }
            last[i] = one[i];
        }
        has_last = true;
    }
    return has_last ? DAE_OK : DAE_RETRY;
}

static void add_term(derive *v, size_t slot, double factor)
{
    entry_range e[2];
    if (unknowns_column(v->s, slot, e) == 0) return;
    for (int64_t p = e[0].begin; p < e[0].end; p++) {
        const double term = entry_value(&e[0], p) * factor;
        v->g[e[0].row[p]] += term;
        v->size[e[0].row[p]] = fmax(v->size[e[0].row[p]], fabs(term));
    }
}

/* g := F_t + F_slot * next, at the present highest derivatives, w = 0. */
static void differentiate(derive *v)
{
    const init_system *s = v->s;
    const layout *l = s->request->layout;
    for (size_t i = 0; i < s->n; i++) {
        v->g[i] = v->ft[i];
        v->size[i] = fabs(v->ft[i]);
    }
    for (size_t j = 0; j < s->n; j++) {
        const size_t top = top_of(v, j);
        for (size_t k = l->first[j]; k < top; k++) add_term(v, k, s->z[k + 1]);
        if (l->order[j] > 0) add_term(v, top, s->z[s->states + j]);
    }
}

/* Columns so that, with rows scaled, their largest entries are 1. */
static void choose_scales(derive *v)
{
    double *row_size = v->r;
    memset(row_size, 0, v->rows * sizeof *row_size);
    for (size_t j = 0; j < v->columns; j++)
        for (int64_t p = v->start[j]; p < v->start[j + 1]; p++)
            row_size[v->row[p]] = fmax(row_size[v->row[p]], fabs(v->values[p]));
    for (size_t j = 0; j < v->columns; j++) {
        double most = 0;
        for (int64_t p = v->start[j]; p < v->start[j + 1]; p++)
            if (row_size[v->row[p]] > 0)
                most = fmax(most, fabs(v->values[p]) / row_size[v->row[p]]);
        v->scale[j] = most > 0 ? 1 / most : 1;
    }
}

/* d := change of the highest derivatives, and w. */
static dae_status solve(derive *v)
{
    init_system *s = v->s;
    dae_status st;
    put_all(v, NULL, NULL, v->values);
    choose_scales(v);
    s->stats->factorizations++;
    assert(v->columns == v->rates + s->n);
    if ((st = kkt_factor(v->kkt, v->values, v->scale))) return st;
    differentiate(v);
    memcpy(v->r, s->res, s->rows * sizeof *v->r);
    memcpy(v->r + s->rows, v->g, s->n * sizeof *v->r);
    return kkt_solve(v->kkt, v->r, NULL, v->d);
}

/* Does F differentiated hold with the w found? Adds F_w w to g. */
static bool holds(derive *v)
{
    const init_system *s = v->s;
    for (size_t j = 0; j < s->n; j++) {
        const bool has_rate = s->request->layout->order[j] > 0;
        add_term(
            v, has_rate ? s->states + j : top_of(v, j), v->d[v->rates + j]);
    }
    for (size_t i = 0; i < s->n; i++)
        if (!(fabs(v->g[i]) <= STEP_SOLVED * v->size[i])) return false;
    for (size_t i = 0; i < s->rows; i++)
        if (!(tolerance_ratio(s, i) <= 1)) return false;
    return true;
}

/* Adds the change; its size in tolerances. */
static double apply(derive *v)
{
    init_system *s = v->s;
    double most = 0;
    for (size_t k = 0; k < v->rates; k++) {
        const size_t slot = (size_t)v->slot_at[k];
        s->z[slot] += v->d[k];
        const double unit = s->request->rtol * fabs(s->z[slot]) + s->atol[slot];
        most = fmax(most, fabs(v->d[k]) / fmax(unit, DBL_MIN));
    }
    return most;
}

static dae_status iterate(derive *v, bool *is_found)
{
    init_system *s = v->s;
    dae_status st;
    *is_found = false;
    for (int k = 0; k < DERIVE_ITERATIONS; k++) {
        if ((st = solve(v))) return st;
        const double change = apply(v);
        if (!isfinite(change)) return DAE_OK;
        if ((st = unknowns_evaluate(s))) return st;
        /* the second solve also takes the rounding of the first away */
        if (change > RESIDUAL_GONE || k == 0) continue;
        differentiate(v);
        *is_found = holds(v);
        return DAE_OK;
    }
    return DAE_OK;
}

static dae_status run(derive *v, bool *is_found)
{
    /* Differences take many residuals: not where nothing can be solved. */
    dae_status st = solve(v);
    if (st) return st;
    st = difference_in_time(v, 1);
    if (st == DAE_RETRY) st = difference_in_time(v, -1);
    return st ? st : iterate(v, is_found);
}

static bool is_usable(const init_system *s)
{
    const dae_pattern *p = jacobian_pattern(s->f);
    return !any_overflow(
        jacobian_values(s->f), (size_t)p->column_start[s->slots]);
}

dae_status derive_rates(init_system *s)
{
    derive v = {.s = s};
    const arena_position mark = arena_mark(&s->arena);
    bool is_found = false;
    dae_status st = DAE_OK;
    if (!is_usable(s) || (st = derive_init(&v))) goto done;
    memcpy(v.before, s->z, s->slots * sizeof *s->z);
    st = run(&v, &is_found);
    if (st == DAE_NUMERIC) st = DAE_RETRY;
    if ((st && st != DAE_RETRY) || is_found) goto done;
    memcpy(s->z, v.before, s->slots * sizeof *s->z);
    st = unknowns_evaluate(s);
done:
    kkt_free(v.kkt);
    arena_release(&s->arena, mark);
    return st;
}
