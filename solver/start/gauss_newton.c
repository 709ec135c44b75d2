/* Small blocks by linalg/rank_revealing_qr.h, large ones by the sparse symmetric system of
 * linalg/kkt.h, which finds the same steps where the rows are independent. */
#include "start/gauss_newton.h"
#include "linalg/kkt.h"
#include "linalg/rank_revealing_qr.h"
#include "linalg/thresholds.h"
#include "start/snapshot.h"
#include "start/tolerance.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    ITERATIONS = 120,
    PROJECTIONS = 15, /* towards the guesses */
    HALVINGS = 20,
    LAST_HALVINGS = 6, /* of a step far below the tolerances */
    REFINEMENTS = 12,  /* digits double with each */
    DESCENTS = 100,
    DESCENT_MOST = 80, /* rows or slots of a descent */
    REMEMBERED = 4 /* damped steps that have to halve the residual together */
};

typedef struct gauss_newton {
    init_system *s;
    const subset *p;
    submatrix m;
    rrqr qr;
    kkt *sparse; /* in place of qr; NULL: none */
    double *values, *column_scale, *row_size;
    double *b, *y;           /* the longer side */
    double *d, *next, *from; /* columns: steps, and where they begin */
    double *trial;           /* rows of s */
    uint8_t *is_held;        /* columns: at a bound */
    size_t rank;             /* of the last factorization */
    size_t highest;          /* rank of this iteration */
    double zero;             /* of a pivot */
    double largest;          /* guess or given value */
    bool is_linear, is_nearby;
    bool is_nearest;  /* the last step minimized the distance to guesses */
    bool is_at_guess; /* only there may a point be accepted without a step */
    int iterations;
    double work; /* operations that are left for factorizations */
} gauss_newton;

/* How the steps went. */
typedef struct progress {
    double size, last;    /* of the step, in tolerances, and the one before */
    double before, after; /* the weighted residual around it */
    double left[REMEMBERED]; /* after / before of the last steps */
    double lambda;           /* the part of the step that was taken */
    bool contracts;          /* steps become smaller at one rank */
    bool has_halved;         /* full steps, or residuals over damped ones */
    int slow;                /* steps in a row of a linear rate */
    bool is_accepted;
    bool
        is_at_boundary; /* rows of other parts have no value at the full step */
} progress;

/* ---- memory ---------------------------------------------------------------------- */

static bool is_large(const gauss_newton *g)
{
    size_t cells;
    return !size_mul(g->m.rows, g->m.columns, &cells)
        || cells > DENSE_CELLS_MOST;
}

/* Classes of slots, in the order in which they may move. */
static uint8_t class_of(const init_system *s, size_t slot)
{
    const uint8_t *order = s->request->stands_for;
    if (s->is_plain) return 0;
    if (s->is_stated[slot]) return 2;
    if (s->is_rate[slot]) return 0;
    return order && slot < s->states && order[slot] > 0 ? 0 : 1;
}

static dae_status take_factors(gauss_newton *g)
{
    const submatrix *m = &g->m;
    if (is_large(g))
        return kkt_create(m->rows, m->columns, m->column_start, m->row,
            g->s->fuzz, g->s->request->allocator, &g->sparse);
    if (!rrqr_init(&g->qr, &g->s->arena, m->rows, m->columns))
        return DAE_MEMORY;
    for (size_t j = 0; j < m->columns; j++)
        g->qr.class[j] = class_of(g->s, (size_t)m->slot_at[j]);
    return DAE_OK;
}

static dae_status begin(gauss_newton *g, init_system *s, const subset *p)
{
    arena *a = &s->arena;
    *g = (gauss_newton){.s = s, .p = p, .work = 4 * WORK_OF_SECOND};
    dae_status st = submatrix_init(
        &g->m, s, p->rows, p->row_count, p->slots, p->slot_count);
    if (st) return st;
    const size_t r = g->m.rows, n = g->m.columns, longer = r > n ? r : n;
    g->values = ARENA_ARRAY(a, double, g->m.entries);
    g->column_scale = ARENA_ARRAY(a, double, n);
    g->row_size = ARENA_ARRAY(a, double, r);
    g->b = ARENA_ARRAY(a, double, longer);
    g->y = ARENA_ARRAY(a, double, longer);
    g->d = ARENA_ARRAY(a, double, n);
    g->next = ARENA_ARRAY(a, double, n);
    g->from = ARENA_ARRAY(a, double, n);
    g->trial = ARENA_ARRAY(a, double, s->rows);
    g->is_held = ARENA_ARRAY(a, uint8_t, n);
    if (!g->values || !g->column_scale || !g->row_size || !g->b || !g->y
        || !g->d || !g->next || !g->from || !g->trial || !g->is_held)
        return DAE_MEMORY;
    g->zero = fmax(rank_zero(longer), s->is_exact ? 0 : s->fuzz);
    return take_factors(g);
}

/* ---- one linear problem ------------------------------------------------------------ */

static void find_scales(gauss_newton *g)
{
    const matrix_view m = submatrix_view(&g->m, g->values);
    for (size_t j = 0; j < m.columns; j++)
        g->column_scale[j] = g->s->scale[g->m.slot_at[j]];
    row_sizes(&m, g->column_scale, NULL, g->row_size);
}

static void factor_dense(gauss_newton *g)
{
    const submatrix *m = &g->m;
    const matrix_view all = submatrix_view(m, g->values);
    divide_to_dense(&all, g->row_size, g->column_scale, g->qr.a);
    for (size_t j = 0; j < m->columns; j++)
        if (g->is_held[j])
            memset(g->qr.a + j * m->rows, 0, m->rows * sizeof *g->qr.a);
    rrqr_factor(&g->qr, g->zero);
    rrqr_complete(&g->qr);
    g->rank = g->qr.rank;
    g->work -= 2 * (double)m->rows * (double)m->columns
        * (double)(m->rows < m->columns ? m->rows : m->columns);
}

/* The symmetric system has no classes: a slot of a later class moves by so small a part
 * of what one of an earlier class does. */
static double part_of_class(const gauss_newton *g, size_t j)
{
    return pow(NEGLIGIBLE, class_of(g->s, (size_t)g->m.slot_at[j]));
}

/* Of the Jacobian at hand, without the columns that are held. DAE_NUMERIC: it
 * has overflowed. */
static dae_status factor(gauss_newton *g)
{
    find_scales(g);
    g->s->stats->factorizations++;
    if (!g->sparse) {
        factor_dense(g);
        return DAE_OK;
    }
    for (size_t j = 0; j < g->m.columns; j++)
        g->column_scale[j] *= g->is_held[j] ? 0 : part_of_class(g, j);
    g->rank = g->m.rows < g->m.columns ? g->m.rows : g->m.columns;
    const dae_status st = kkt_factor(g->sparse, g->values, g->column_scale);
    g->work -= kkt_work(g->sparse);
    return st;
}

/* From the point to the guesses. */
static double deviation(const gauss_newton *g, size_t j)
{
    const size_t k = (size_t)g->m.slot_at[j];
    return g->is_held[j] ? 0 : g->s->guess[k] - g->s->z[k];
}

static dae_status solve_sparse(
    gauss_newton *g, const double *res, bool is_back, double *d)
{
    for (size_t i = 0; i < g->m.rows; i++) g->b[i] = res[g->m.row_at[i]];
    for (size_t j = 0; j < g->m.columns; j++) g->y[j] = -deviation(g, j);
    return kkt_solve(g->sparse, g->b, is_back ? g->y : NULL, d);
}

/* d (columns): the step for the residuals `res` (rows of s), of least norm, or
 * (`is_back`) the one that ends nearest to the guesses. */
static dae_status solve(
    gauss_newton *g, const double *res, bool is_back, double *d)
{
    const submatrix *m = &g->m;
    if (g->sparse) return solve_sparse(g, res, is_back, d);
    for (size_t i = 0; i < m->rows; i++)
        g->b[i] = -res[m->row_at[i]] / g->row_size[i];
    for (size_t j = 0; is_back && j < m->columns; j++)
        for (int64_t p = m->column_start[j]; p < m->column_start[j + 1]; p++)
            g->b[m->row[p]] -= g->values[p] * deviation(g, j)
                / g->row_size[m->row[p]];
    rrqr_solve(&g->qr, g->b, g->y);
    for (size_t j = 0; j < m->columns; j++)
        d[j] = g->is_held[j]
            ? 0
            : g->y[j] * g->column_scale[j] + (is_back ? deviation(g, j) : 0);
    return any_overflow(d, m->columns) ? DAE_NUMERIC : DAE_OK;
}

/* The same with slots held that are at a bound and would pass it; the others
 * compensate for them. */
static dae_status bounded_step(gauss_newton *g, bool is_back)
{
    const init_system *s = g->s;
    memset(g->is_held, 0, g->m.columns);
    for (size_t turn = 0; turn <= g->m.columns; turn++) {
        bool is_more = false;
        dae_status st = factor(g);
        if (!st) st = solve(g, s->res, is_back, g->d);
        if (st) return st;
        assert(g->rank <= g->m.rows && g->rank <= g->m.columns);
        for (size_t j = 0; j < g->m.columns; j++) {
            const size_t k = (size_t)g->m.slot_at[j];
            if (g->is_held[j]) continue;
            if ((s->z[k] <= unknowns_low(s, k) && g->d[j] < 0)
                || (s->z[k] >= unknowns_high(s, k) && g->d[j] > 0))
                g->is_held[j] = is_more = true;
        }
        if (!is_more) return DAE_OK;
    }
    return DAE_OK;
}

/* ---- measures ----------------------------------------------------------------------- */

static double merit(const gauss_newton *g, const double *res)
{
    double sum = 0;
    for (size_t i = 0; i < g->m.rows; i++) {
        assert(g->row_size[i] > 0);
        const double v = res[g->m.row_at[i]] / g->row_size[i];
        sum += v * v;
    }
    return sqrt(sum);
}

/* In tolerances of the slots at one end of `share` of the step, the larger: with a share
 * of 0 a step far beyond all values differs from one farther yet. */
static double size_over(const gauss_newton *g, const double *d, double share)
{
    double most = 0;
    const init_system *s = g->s;
    for (size_t j = 0; j < g->m.columns; j++) {
        const size_t k = (size_t)g->m.slot_at[j];
        const double from = fabs(s->z[k]), to = fabs(s->z[k] + share * d[j]);
        double unit = s->request->rtol * (from > to ? from : to) + s->atol[k];
        if (unit < DBL_MIN) unit = DBL_MIN;
        if (fabs(d[j]) > most * unit) most = fabs(d[j]) / unit;
    }
    return most;
}

static double step_size(const gauss_newton *g, const double *d)
{
    return size_over(g, d, 1);
}

static bool is_rounding(const gauss_newton *g, double times)
{
    for (size_t i = 0; i < g->m.rows; i++) {
        const size_t row = (size_t)g->m.row_at[i];
        if (!(fabs(g->s->res[row]) <= times * g->s->noise[row])) return false;
    }
    return true;
}

/* All rows, in tolerances. */
static bool are_within(const gauss_newton *g, double most)
{
    for (size_t i = 0; i < g->m.rows; i++)
        if (!(tolerance_ratio(g->s, (size_t)g->m.row_at[i]) <= most))
            return false;
    return true;
}

/* With as many pivots as rows residuals must be at rounding, also if a pivot was
 * lost later, as by a slope that grows towards the boundary of a domain. Else rows
 * compare given values with each other and must be within their tolerances. */
static bool do_rows_hold(const gauss_newton *g)
{
    if (g->m.rows == g->highest) return is_rounding(g, ROUNDING_OF_SUMS);
    return are_within(g, 1);
}

/* ---- points ------------------------------------------------------------------------- */

static void keep_point(gauss_newton *g, double *to)
{
    for (size_t j = 0; j < g->m.columns; j++) to[j] = g->s->z[g->m.slot_at[j]];
}

static void move(gauss_newton *g, double lambda)
{
    init_system *s = g->s;
    for (size_t j = 0; j < g->m.columns; j++) {
        const size_t k = (size_t)g->m.slot_at[j];
        const double to = g->from[j] + lambda * g->d[j];
        s->z[k] = isnan(to) ? to : unknowns_inside(s, k, to);
    }
}

static dae_status go_to(gauss_newton *g, const double *z)
{
    for (size_t j = 0; j < g->m.columns; j++) g->s->z[g->m.slot_at[j]] = z[j];
    return unknowns_residual(g->s, g->s->z, g->s->res);
}

/* The part of the first step that is tried. From a nearby point no slot moves
 * by more than its size, at most the largest of the system, since the Jacobian
 * may be nearly singular there. */
static double first_part(const gauss_newton *g)
{
    double least = 1;
    for (size_t j = 0; j < g->m.columns && g->is_nearby; j++) {
        const size_t k = (size_t)g->m.slot_at[j];
        const double at = fmin(fabs(g->s->z[k]), g->largest);
        const double size = fmax(
            fmax(unknowns_unit(g->s, k), fabs(g->s->guess[k])), at);
        if (fabs(g->d[j]) > size) least = fmin(least, size / fabs(g->d[j]));
    }
    return least;
}

/* The Jacobian at the point. If a step has reached the boundary of its domain, the
 * point returns by a tenth of the step; *is_there: the Jacobian has a value. */
static dae_status linearize(gauss_newton *g, bool has_moved, bool *is_there)
{
    init_system *s = g->s;
    dae_status st = unknowns_jacobian(s);
    if (st == DAE_RETRY && has_moved) {
        for (size_t j = 0; j < g->m.columns; j++) {
            double *z = &s->z[g->m.slot_at[j]];
            *z += (g->from[j] - *z) / 10;
        }
        st = unknowns_residual(s, s->z, s->res);
        if (!st) st = unknowns_jacobian(s);
    }
    *is_there = !st;
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    tolerance_measure(s);
    submatrix_values(&g->m, s, g->values);
    return DAE_OK;
}

/* ---- the iteration ------------------------------------------------------------------- */

/* Estimates the rounding error of the residuals by third differences along the
 * step [Mor11], since sums may cancel. *is: the residuals are not larger. */
static dae_status measure_rounding(gauss_newton *g, bool *is)
{
    enum { POINTS = 8 };
    init_system *s = g->s;
    const arena_position mark = arena_mark(&s->arena);
    double *v = ARENA_ARRAY(&s->arena, double, POINTS * s->rows);
    dae_status st = DAE_OK;
    if (!v) return DAE_MEMORY;
    keep_point(g, g->from);
    for (int k = 0; k < POINTS && !st; k++) {
        move(g, (k - POINTS / 2) / (double)POINTS);
        st = unknowns_residual(s, s->z, v + (size_t)k * s->rows);
    }
    *is = !st;
    for (size_t i = 0; i < g->m.rows && *is; i++) {
        const size_t row = (size_t)g->m.row_at[i];
        double most = 0;
        for (size_t k = 0; k + 3 < POINTS; k++) {
            const double *w = v + k * s->rows + row;
            most = fmax(most,
                fabs(w[3 * s->rows] - 3 * w[2 * s->rows] + 3 * w[s->rows]
                    - w[0]));
        }
        *is = fabs(s->res[row])
            <= fmax(4 * most, ROUNDING_OF_SUMS * s->noise[row]);
    }
    arena_release(&s->arena, mark);
    return st && st != DAE_RETRY ? st : go_to(g, g->from);
}

/* The rate of the steps, before the current step is taken. */
static void judge_step(gauss_newton *g, progress *w, int k)
{
    double product = 1;
    assert(w->lambda > 0 && w->last >= 0);
    for (int q = 0; q < REMEMBERED; q++) product *= w->left[q];
    w->size = step_size(g, g->d);
    w->before = merit(g, g->s->res);
    /* damped steps also shrink at the boundary of a domain: there the residual
     * must fall; steps after a pivot was lost do not count as contracting */
    const bool is_free = k == 0 || w->lambda == 1 || product <= HALVED;
    g->highest = g->rank > g->highest ? g->rank : g->highest;
    if (g->rank < g->highest) w->contracts = false;
    else
        w->contracts = k == 0 ? g->is_at_guess || w->size <= 1
                              : is_free
                && (w->size <= SLOW_RATE * w->last || is_step_solved(w->size)
                    || w->left[(k - 1) % REMEMBERED] <= NEGLIGIBLE);
    w->has_halved = k == 0
        ? g->is_at_guess
        : (w->lambda == 1 && w->size <= HALVED * w->last) || product <= HALVED;
    const bool is_slow = k > 0 && w->size > LINEAR_RATE * w->last
        && w->size < SLOW_RATE * w->last;
    w->slow = is_slow ? w->slow + 1 : 0;
    if (w->slow >= 3) g->is_linear = true;
    else if (w->size < DIGIT * w->last) g->is_linear = false;
}

/* At a singular root steps contract by a constant factor, so the step is
 * extended to the limit of the geometric series [DKK83]. Accepted if the
 * residual falls by more than in three steps, each of which halves the distance to a
 * double root. */
static dae_status try_extrapolation(gauss_newton *g, progress *w)
{
    init_system *s = g->s;
    if (w->slow < 2) return DAE_OK;
    move(g, 1 / (1 - w->size / w->last));
    const dae_status st = unknowns_residual(s, s->z, g->trial);
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    w->after = merit(g, g->trial);
    w->lambda = 1;
    w->is_accepted = w->after < pow(HALVED, 6) * w->before;
    if (w->is_accepted) g->is_linear = true;
    return DAE_OK;
}

/* The residual falls, or with as many pivots as rows the next step does
 * (the natural test [Deu04 3.3]); it is skipped for a part of a last step. */
static dae_status is_descent(gauss_newton *g, progress *w, bool is_back)
{
    const double fall = 1 - w->lambda / 4;
    if (is_back) {
        w->is_accepted = w->after <= fmax(w->before, NEGLIGIBLE);
        return DAE_OK;
    }
    w->is_accepted = w->after <= fall * w->before;
    if (w->is_accepted || g->rank != g->m.rows
        || w->after >= w->before / NEGLIGIBLE
        || (w->lambda < 1 && is_step_solved(w->size)))
        return DAE_OK;
    const dae_status st = solve(g, g->trial, false, g->next);
    w->is_accepted = !st && step_size(g, g->next) <= fall * w->size;
    return st == DAE_NUMERIC ? DAE_OK : st;
}

/* A function that refuses a point need not write its rows. */
static void forget_rows(const gauss_newton *g, double *res)
{
    for (size_t i = 0; i < g->m.rows; i++) res[g->m.row_at[i]] = (double)NAN;
}

static bool have_values(const gauss_newton *g, const double *res)
{
    for (size_t i = 0; i < g->m.rows; i++)
        if (is_overflow(res[g->m.row_at[i]])) return false;
    return true;
}

/* Halves the step until it is a descent. */
static dae_status search_along(
    gauss_newton *g, progress *w, int k, bool is_back)
{
    init_system *s = g->s;
    keep_point(g, g->from);
    w->is_accepted = false;
    dae_status st = is_back ? DAE_OK : try_extrapolation(g, w);
    if (st || w->is_accepted) return st;
    w->lambda = k ? 1 : first_part(g);
    const int most = is_step_solved(w->size) ? LAST_HALVINGS : HALVINGS;
    for (int h = 0; h < most; h++, w->lambda /= 2) {
        move(g, w->lambda);
        forget_rows(g, g->trial);
        st = unknowns_residual(s, s->z, g->trial);
        if (h == 0)
            w->is_at_boundary = st == DAE_RETRY && have_values(g, g->trial);
        if (st == DAE_RETRY) continue;
        if (st) return st;
        w->after = merit(g, g->trial);
        if ((st = is_descent(g, w, is_back)) || w->is_accepted) return st;
    }
    return DAE_OK;
}

/* Whether rounding alone makes a step as large as the last one: at tight tolerances more
 * than one of them. */
static bool is_step_rounding(gauss_newton *g)
{
    const double size = size_over(g, g->d, 0);
    bool is = false;
    for (size_t period = 1; period <= 2; period++) {
        for (size_t i = 0; i < g->m.rows; i++) {
            const size_t row = (size_t)g->m.row_at[i];
            g->trial[row] = i % period ? -g->s->noise[row] : g->s->noise[row];
        }
        if (!solve(g, g->trial, false, g->next))
            is = is || size <= size_over(g, g->next, 0);
    }
    return is;
}

/* No step is a descent: the point is solved if residuals are at rounding, or
 * within tolerance where rows are dependent. */
static dae_status end_without_step(
    gauss_newton *g, const progress *w, gauss_newton_end *end)
{
    bool is = false;
    const dae_status st = go_to(g, g->from);
    if (st) return st;
    *end = GAUSS_NEWTON_STALLED;
    /* the step estimates the distance of a root */
    const bool is_rounded = w->size > 1 && is_step_rounding(g);
    const bool is_near = w->size <= 1 || is_rounded;
    if (g->m.rows != g->highest)
        is = is_near && (w->contracts || is_rounded) && do_rows_hold(g);
    else {
        is = (is_step_solved(w->size) && w->has_halved && !w->is_at_boundary
                 && g->rank == g->highest)
            || (is_near && do_rows_hold(g));
        /* the rank of a large part is not known, and what eps of the symmetric
         * system leaves of nearly dependent rows does not fall */
        if (!is && is_near && w->contracts && g->sparse)
            is = are_within(g, DIGIT);
        if (!is && is_near) {
            const dae_status measured = measure_rounding(g, &is);
            if (measured) return measured;
        }
    }
    if (is) *end = GAUSS_NEWTON_SOLVED;
    return DAE_OK;
}

/* Whether the iteration has converged: the step is small and it, or the one
 * before, halved the residual; or the rows hold to tolerance and steps no
 * longer shrink. */
static bool is_end(const gauss_newton *g, const progress *w)
{
    const bool is_independent = g->m.rows == g->highest;
    const bool has_fallen = w->after <= w->before / 2;
    if (!do_rows_hold(g) && (!is_independent || w->is_at_boundary))
        return false;
    if (is_step_solved(w->size) && w->contracts) {
        if (is_independent)
            return w->has_halved || has_fallen || do_rows_hold(g);
        return !has_fallen || is_rounding(g, ROUNDING_OF_SUMS);
    }
    return w->size <= 1 && w->last <= 1 && w->size > SLOW_RATE * w->last
        && w->after > SLOW_RATE * w->before && do_rows_hold(g);
}

/* One step, or the part of it that makes the residual smaller; *fall: by what factor.
 * Else all is as before (1). DAE_RETRY: rows of the part have no value along it. */
static dae_status refine_once(gauss_newton *g, double *fall)
{
    init_system *s = g->s;
    double lambda = 1;
    bool is_undefined = false, is_better = false;
    *fall = 1;
    dae_status st = bounded_step(g, false);
    if (st) return st == DAE_NUMERIC ? DAE_OK : st;
    const double before = merit(g, s->res);
    keep_point(g, g->from);
    for (int h = 0; h < HALVINGS && !is_better; h++, lambda /= 2) {
        move(g, lambda);
        forget_rows(g, g->trial);
        st = unknowns_residual(s, s->z, g->trial);
        if (st && st != DAE_RETRY) return st;
        is_better = !st && merit(g, g->trial) <= before;
        is_undefined = !have_values(g, g->trial);
        if (!is_undefined && !is_better) break;
    }
    if (is_better) {
        *fall = before > 0 ? merit(g, g->trial) / before : 1;
        memcpy(s->res, g->trial, s->rows * sizeof *s->res);
        st = unknowns_jacobian(s); /* no value at the boundary of its domain */
        if (!st) submatrix_values(&g->m, s, g->values);
        if (st != DAE_RETRY) return st;
    }
    *fall = 1;
    st = go_to(g, g->from);
    return !st && is_undefined ? DAE_RETRY : st;
}

/* The iteration ends by the tolerances of the slots, but other equations may need
 * more digits: one step more. A slot far below its absolute tolerance may lack all
 * digits: then more steps, until rows are at rounding. The point after the first one
 * is kept if no step removed a digit of the residual, as at a double root. */
static dae_status refine(gauss_newton *g)
{
    const double accurate = g->s->request->rtol / rounding_of(ROUNDING_OF_SUMS);
    const size_t rank = g->rank;
    snapshot once;
    double fall, least = 1; /* factors of the residual */
    bool is_exact = false;
    dae_status st = refine_once(g, &fall);
    if (st || fall > HALVED || is_rounding(g, accurate))
        return st == DAE_RETRY ? DAE_OK : st;
    if ((st = snapshot_take(&once, g->s))) return st;
    for (int k = 0; k < REFINEMENTS && fall <= HALVED && !st && !is_exact;
         k++) {
        least = fmin(least, fall);
        st = refine_once(g, &fall);
        if (!st) tolerance_measure(g->s);
        is_exact = is_rounding(g, ROUNDING_OF_SUMS);
    }
    if (st && st != DAE_RETRY) return st;
    if (is_exact && fmin(least, fall) <= DIGIT) return DAE_OK;
    g->rank = rank;
    st = snapshot_return(&once, g->s);
    return st == DAE_RETRY ? DAE_OK : st;
}

static dae_status iterate(gauss_newton *g, bool is_back, gauss_newton_end *end)
{
    init_system *s = g->s;
    progress w = {
        .last = DBL_MAX,
        .before = 1,
        .after = 1,
        .lambda = 1,
        .left = {1, 1, 1, 1},
    };
    bool is_there;
    g->is_linear = g->is_nearest = false;
    g->highest = 0;
    g->is_at_guess = unknowns_are_guessed(s, g->p);
    w.contracts = g->is_at_guess;
    for (int k = 0; k < (is_back ? PROJECTIONS : ITERATIONS) && g->work > 0;
         k++) {
        dae_status st = unknowns_interrupt(s);
        if (!st) st = linearize(g, k > 0, &is_there);
        if (st) return st;
        *end = k ? GAUSS_NEWTON_STALLED : GAUSS_NEWTON_NO_VALUE;
        if (!is_there) return DAE_OK;
        *end = GAUSS_NEWTON_SOLVED;
        if (!is_back && w.contracts && is_rounding(g, 1))
            return k ? refine(g) : DAE_OK;
        /* in large parts a step after a full one goes to the solution nearest to
         * the guesses, which saves the search for it afterwards */
        const bool leads_back = is_back
            || (g->sparse && k > 0 && w.lambda == 1);
        st = bounded_step(g, leads_back);
        *end = GAUSS_NEWTON_STALLED;
        if (st) return st == DAE_NUMERIC ? DAE_OK : st;
        judge_step(g, &w, k);
        *end = GAUSS_NEWTON_SOLVED;
        if (is_back && is_step_solved(w.size)) return DAE_OK;
        if ((st = search_along(g, &w, k, is_back))) return st;
        g->iterations++;
        s->stats->newton_iterations++;
        if (!w.is_accepted) return end_without_step(g, &w, end);
        g->is_nearest = leads_back && w.lambda == 1 && !g->is_linear;
        memcpy(s->res, g->trial, s->rows * sizeof *s->res);
        w.left[k % REMEMBERED] = w.after / fmax(w.before, DBL_MIN);
        if (!is_back && is_end(g, &w)) {
            st = linearize(g, true, &is_there);
            return st || !is_there ? st : refine(g);
        }
        w.last = w.size;
    }
    *end = is_back ? GAUSS_NEWTON_SOLVED : GAUSS_NEWTON_BUDGET;
    return DAE_OK;
}

/* ---- descent --------------------------------------------------------------------------- */

/* d := -(J^T J + mu I)^-1 J^T r in scaled units, by the QR of [J; sqrt(mu) I]. */
static void damped_step(gauss_newton *g, rrqr *qr, double mu, double *b)
{
    const submatrix *m = &g->m;
    const size_t rows = m->rows + m->columns;
    memset(qr->a, 0, rows * m->columns * sizeof *qr->a);
    memset(b, 0, rows * sizeof *b);
    for (size_t j = 0; j < m->columns; j++) {
        for (int64_t p = m->column_start[j]; p < m->column_start[j + 1]; p++)
            qr->a[j * rows + (size_t)m->row[p]] = g->values[p]
                * g->column_scale[j] / g->row_size[m->row[p]];
        qr->a[j * rows + m->rows + j] = sqrt(mu);
    }
    for (size_t i = 0; i < m->rows; i++)
        b[i] = -g->s->res[m->row_at[i]] / g->row_size[i];
    rrqr_factor(qr, g->zero);
    rrqr_complete(qr);
    rrqr_solve(qr, b, g->y);
    for (size_t j = 0; j < m->columns; j++)
        g->d[j] = g->y[j] * g->column_scale[j];
}

/* One step of Levenberg and Marquardt that makes the residual smaller. */
static dae_status descend_once(
    gauss_newton *g, rrqr *qr, double *b, double *mu, bool *is_smaller)
{
    init_system *s = g->s;
    const double before = merit(g, s->res);
    keep_point(g, g->from);
    *is_smaller = false;
    for (int h = 0; h < HALVINGS && before > 0; h++) {
        damped_step(g, qr, *mu, b);
        move(g, 1);
        const dae_status st = unknowns_residual(s, s->z, g->trial);
        if (st && st != DAE_RETRY) return st;
        *is_smaller = !st
            && merit(g, g->trial) < before * (1 - rounding_of(1000000));
        *mu = *is_smaller ? fmax(*mu / 9, g->zero) : *mu * 7;
        if (*is_smaller) {
            memcpy(s->res, g->trial, s->rows * sizeof *s->res);
            return DAE_OK;
        }
    }
    return go_to(g, g->from);
}

/* Descends to a root or to a stationary point of the residual [Lev44]. */
static dae_status descend(gauss_newton *g)
{
    init_system *s = g->s;
    const size_t n = g->m.columns, rows = g->m.rows + n;
    double mu = NEGLIGIBLE, *b;
    rrqr qr;
    bool is_smaller = true, is_there = true;
    if (!rrqr_init(&qr, &s->arena, rows, n)
        || !(b = ARENA_ARRAY(&s->arena, double, rows)))
        return DAE_MEMORY;
    for (int k = 0; k < DESCENTS && is_smaller; k++) {
        dae_status st = unknowns_interrupt(s);
        if (!st) st = linearize(g, false, &is_there);
        if (st || !is_there) return st;
        if (is_rounding(g, 1)) return DAE_OK;
        find_scales(g);
        if ((st = descend_once(g, &qr, b, &mu, &is_smaller))) return st;
        g->iterations++;
    }
    return DAE_OK;
}

/* ---- one start after the other ----------------------------------------------------------- */

static void step_nearby(gauss_newton *g, const double *entry)
{
    init_system *s = g->s;
    for (size_t j = 0; j < g->m.columns; j++) {
        const size_t k = (size_t)g->m.slot_at[j];
        const double by = step_aside_of(s->scale[k], j);
        const double up = fmin(entry[j] + by, unknowns_high(s, k));
        s->z[k] = up > entry[j] ? up : fmax(entry[j] - by, unknowns_low(s, k));
    }
}

/* The Jacobian may lose its rank at the guesses alone. */
static dae_status try_nearby(
    gauss_newton *g, const double *entry, gauss_newton_end *end)
{
    init_system *s = g->s;
    step_nearby(g, entry);
    for (size_t k = 0; k < s->slots; k++)
        g->largest = fmax(g->largest, fabs(s->guess[k]));
    dae_status st = unknowns_residual(s, s->z, s->res);
    g->is_nearby = true;
    if (!st) st = iterate(g, false, end);
    g->is_nearby = false;
    if (st == DAE_RETRY) *end = GAUSS_NEWTON_STALLED;
    return st == DAE_RETRY ? DAE_OK : st;
}

/* If not solved, the point is the end of the descent or, in a large part, of the
 * search. */
static dae_status try_descent(
    gauss_newton *g, const double *entry, double *lowest, gauss_newton_end *end)
{
    if (g->m.rows > DESCENT_MOST || g->m.columns > DESCENT_MOST) return DAE_OK;
    dae_status st = go_to(g, entry);
    if (!st) st = descend(g);
    keep_point(g, lowest);
    if (!st) st = iterate(g, false, end);
    if (!st && *end != GAUSS_NEWTON_SOLVED) st = go_to(g, lowest);
    if (st == DAE_RETRY) *end = GAUSS_NEWTON_STALLED;
    return st == DAE_RETRY ? DAE_OK : st;
}

/* The solution nearest to the guesses, if confirmed; else the current one. */
static dae_status project(gauss_newton *g, double *best)
{
    gauss_newton_end end;
    const bool was_linear = g->is_linear;
    keep_point(g, best);
    dae_status st = iterate(g, true, &end);
    if (!st) st = iterate(g, false, &end);
    g->is_linear = was_linear;
    const bool is_lost = st == DAE_RETRY || end != GAUSS_NEWTON_SOLVED;
    if (st && st != DAE_RETRY) return st;
    return is_lost ? go_to(g, best) : DAE_OK;
}

static dae_status solve_all(gauss_newton *g, gauss_newton_end *end)
{
    arena *a = &g->s->arena;
    double *entry = ARENA_ARRAY(a, double, g->m.columns);
    double *other = ARENA_ARRAY(a, double, g->m.columns);
    if (!entry || !other) return DAE_MEMORY;
    keep_point(g, entry);
    dae_status st = iterate(g, false, end);
    if (!st && *end == GAUSS_NEWTON_NO_VALUE) return DAE_OK;
    if (!st && *end != GAUSS_NEWTON_SOLVED) st = try_nearby(g, entry, end);
    if (!st && *end != GAUSS_NEWTON_SOLVED)
        st = try_descent(g, entry, other, end);
    if (*end == GAUSS_NEWTON_NO_VALUE) *end = GAUSS_NEWTON_STALLED;
    const bool is_choice = g->m.columns > g->rank && g->iterations > 0
        && !g->is_nearest;
    if (!st && *end == GAUSS_NEWTON_SOLVED && is_choice) st = project(g, other);
    return st;
}

static dae_status run(
    init_system *s, const subset *p, bool is_whole, gauss_newton_result *result)
{
    gauss_newton g;
    const arena_position mark = arena_mark(&s->arena);
    *result = (gauss_newton_result){.end = GAUSS_NEWTON_SOLVED};
    if (p->row_count == 0) return DAE_OK;
    assert(p->slot_count > 0);
    dae_status st = begin(&g, s, p);
    if (!st)
        st = is_whole ? solve_all(&g, &result->end)
                      : iterate(&g, false, &result->end);
    result->is_linear = g.is_linear;
    result->is_deficient = g.rank < g.m.rows && g.rank < g.m.columns;
    result->iterations = g.iterations;
    kkt_free(g.sparse);
    arena_release(&s->arena, mark);
    return st;
}

dae_status gauss_newton_solve(
    init_system *s, const subset *p, gauss_newton_result *result)
{
    return run(s, p, true, result);
}

dae_status gauss_newton_confirm(
    init_system *s, const subset *p, gauss_newton_result *result)
{
    return run(s, p, false, result);
}
