/* Newton's method on the columns of slopes and of what has no derivative, with
 * the values of the run's last Jacobian: a problem of index 1 determines them.
 * They stand linearly in last derivatives of constraints, so that a rate is
 * what entries have changed since, a hundredth as a rule. */
#include "run/algebraic.h"
#include "linalg/jacobian.h"
#include "reduce/thresholds.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

typedef struct algebraic {
    const dae_problem *problem; /* that the rest is made for; NULL: none */
    const layout *layout;       /* its own, borrowed */
    const reduced *now;         /* it is the problem of; NULL: of none */
    size_t n;
    int32_t *slot;  /* n: what is solved for; from the states on in xp */
    int64_t *start; /* n + 1: the pattern, with the problem's rows, */
    int64_t *from;  /* n: and where each column begins in the problem's */
    int32_t *row;
    double *values;       /* of the pattern */
    double *rest;         /* n: the residual, then the correction */
    double *as_found;     /* n */
    double *moved;        /* states; NULL: not needed yet */
    double *slopes;       /* n: xp where it is not wanted */
    double *entries;      /* of `now` at a point that the run may never see, */
    double *whole;        /* and what they make of its pattern */
    struct jacobian *own; /* where there is no `now` */
    int64_t evaluated;    /* now->evaluations that `values` are of; 0: none */
    linear *linear;
    arena memory;
} algebraic;

enum { ITERATIONS_MOST = 8 };

static void clear(algebraic *h)
{
    if (!h->problem) return;
    linear_free(h->linear);
    jacobian_free(h->own);
    arena_clear(&h->memory);
    *h = (algebraic){.problem = NULL};
}

void algebraic_free(engine *e)
{
    for (int k = 0; k < 2; k++) {
        if (e->algebraic[k]) clear(e->algebraic[k]);
        alloc_free(e->allocator, e->algebraic[k], 1, sizeof **e->algebraic);
        e->algebraic[k] = NULL;
    }
}

/* ---- the matrix -------------------------------------------------------------- */

static bool make_pattern(algebraic *h, const dae_pattern *p)
{
    arena *a = &h->memory;
    if (!TAKE(a, h->slot, h->n) || !TAKE(a, h->start, h->n)
        || !TAKE(a, h->from, h->n))
        return false;
    for (size_t j = 0; j < h->n; j++) {
        const size_t s = layout_highest(h->layout, j);
        h->slot[j] = (int32_t)s;
        h->from[j] = p->column_start[s];
        h->start[j + 1] = h->start[j] + p->column_start[s + 1] - h->from[j];
    }
    const size_t count = (size_t)h->start[h->n];
    if (!TAKE(a, h->row, count) || !TAKE(a, h->values, count)) return false;
    for (size_t j = 0; j < h->n; j++)
        memcpy(h->row + h->start[j], p->row + h->from[j],
            (size_t)(h->start[j + 1] - h->start[j]) * sizeof *h->row);
    return true;
}

static dae_status make(algebraic *h, dae_linear choice)
{
    arena *a = &h->memory;
    const dae_problem *p = h->problem;
    const dae_pattern *pattern = p->pattern;
    const jacobian_source source = {.self = p->self,
        .rows = p->unknown_count,
        .residual = p->residual,
        .function = p->jacobian,
        .pattern = pattern};
    h->n = h->layout->unknowns;
    if (h->now) {
        const size_t slots = h->layout->states + h->n;
        if (!TAKE(a, h->entries, h->now->entries)
            || !TAKE(a, h->whole, (size_t)pattern->column_start[slots]))
            return DAE_MEMORY;
    } else {
        const dae_status st = jacobian_create(
            &source, h->layout, a->allocator, &h->own);
        if (st) return st;
        pattern = jacobian_pattern(h->own);
    }
    if (!make_pattern(h, pattern) || !TAKE(a, h->rest, h->n)
        || !TAKE(a, h->as_found, h->n) || !TAKE(a, h->slopes, h->n))
        return DAE_MEMORY;
    return linear_create(
        h->n, h->start, h->row, choice, a->allocator, &h->linear);
}

/* That of `now`, or of the engine's problem as it stands; made once. */
static dae_status prepare(engine *e, const reduced *now, algebraic **out)
{
    algebraic **place = &e->algebraic[now != NULL];
    assert(!now || e->problem == &now->problem);
    if (!*place) *place = alloc_zeroed(e->allocator, 1, sizeof **place);
    algebraic *h = *out = *place;
    if (!h) return DAE_MEMORY;
    if (h->problem) return DAE_OK;
    arena_init(&h->memory, e->allocator, 0);
    h->problem = e->problem;
    h->layout = &e->layout;
    h->now = now;
    const dae_status st = make(h, e->linear);
    if (st) clear(h);
    return st;
}

/* From the entries of the whole Jacobian. */
static dae_status factor(algebraic *h, const double *entries)
{
    for (size_t j = 0; j < h->n; j++)
        for (int64_t k = h->start[j], from = h->from[j]; k < h->start[j + 1];
             k++, from++)
            h->values[k] = entries[from];
    h->evaluated = 0;
    return linear_factor(h->linear, h->values);
}

static dae_status factor_last(algebraic *h, const engine *e)
{
    if (h->evaluated == h->now->evaluations) return DAE_OK;
    const dae_status st = factor(h, iteration_values(e->matrix));
    if (!st) h->evaluated = h->now->evaluations;
    return st;
}

static inline dae_status evaluate(
    algebraic *h, double t, const double *x, const double *xp)
{
    const dae_problem *p = h->problem;
    const dae_status st = p->residual(p->self, t, x, xp, h->rest);
    return !st && any_overflow(h->rest, h->n) ? DAE_RETRY : st;
}

static dae_status factor_here(
    algebraic *h, const engine *e, double t, const double *x, const double *xp)
{
    int64_t residuals = 0;
    dae_status st;
    if (h->now) {
        /* its Jacobian would leave other gradients in the run's residuals */
        if (h->now->stabilizer) return DAE_NUMERIC;
        st = reduced_jacobian(h->now, t, x, xp, h->entries, h->whole);
        return st ? st : factor(h, h->whole);
    }
    /* the user may have changed a parameter since the last time */
    jacobian_reset(h->own);
    st = evaluate(h, t, x, xp);
    if (!st)
        st = jacobian_evaluate(h->own, t, x, xp, h->rest, e->weights.plain,
            e->stepper.last_h, &residuals);
    return st ? st : factor(h, jacobian_values(h->own));
}

/* ---- at a point ---------------------------------------------------------------- */

static double *slot_of(const algebraic *h, size_t j, double *x, double *xp)
{
    const size_t s = (size_t)h->slot[j], states = h->layout->states;
    return s < states ? x + s : xp + (s - states);
}

/* How large the correction is, in tolerances. */
static double measure(
    const algebraic *h, const weights *w, double *x, double *xp)
{
    const layout *l = h->layout;
    double largest = 0;
    for (size_t j = 0; j < h->n; j++) {
        const double value = fabs(*slot_of(h, j, x, xp));
        const double atol = w->floor[l->first[j + 1] - 1];
        const double size = fabs(h->rest[j]) / (w->rtol * value + atol);
        if (!(size <= largest)) largest = size;
    }
    return largest;
}

/* Takes it as well. */
static double move(const algebraic *h, const weights *w, double *x, double *xp)
{
    const double size = measure(h, w, x, xp);
    for (size_t j = 0; j < h->n; j++) *slot_of(h, j, x, xp) -= h->rest[j];
    return size;
}

static dae_status correct(algebraic *h, double t, const weights *w, double *x,
    double *xp, double *size)
{
    dae_status st = evaluate(h, t, x, xp);
    if (!st) st = linear_solve(h->linear, h->rest);
    if (st) return st;
    *size = move(h, w, x, xp);
    return isfinite(*size) ? DAE_OK : DAE_RETRY;
}

/* A first correction tells no rate. Above the rate of a regular root a Jacobian of the
 * point itself is taken, and with that one Newton's method has come to its end: to
 * rounding, if what it found was a digit more. */
static dae_status approach(
    algebraic *h, const engine *e, double t, double *x, double *xp)
{
    double first = 0, before = 0, size = 0;
    bool is_here = !h->now || h->now->evaluations == 0;
    dae_status st = is_here ? factor_here(h, e, t, x, xp) : factor_last(h, e);
    for (int m = 0; m < ITERATIONS_MOST && !st; m++) {
        st = correct(h, t, &e->weights, x, xp, &size);
        if (st) break;
        const double rate = before > 0 ? size / before : LINEAR_RATE;
        if (size <= HALVED * (1 - rate) / rate) return DAE_OK;
        if (m == 0) first = size;
        before = size;
        if (rate <= LINEAR_RATE) continue;
        if (is_here) return size <= DIGIT * first ? DAE_OK : DAE_RETRY;
        is_here = true;
        before = 0;
        st = factor_here(h, e, t, x, xp);
    }
    return st ? st : DAE_RETRY;
}

/* What has no derivative and is tested for its error. */
static bool is_integrated(const algebraic *h, size_t j)
{
    return h->now->layout.order[j] == 0
        && h->now->problem.index_group[j] != DAE_GROUP_FOLLOWS;
}

/* What stays: all where Newton's method does not come to an end. */
static dae_status settle(
    algebraic *h, engine *e, double t, double *x, double *xp, bool is_line)
{
    for (size_t j = 0; j < h->n; j++) h->as_found[j] = *slot_of(h, j, x, xp);
    const dae_status st = approach(h, e, t, x, xp);
    for (size_t j = 0; j < h->n; j++)
        if (st || (!is_line && is_integrated(h, j)))
            *slot_of(h, j, x, xp) = h->as_found[j];
    return st == DAE_RETRY || st == DAE_NUMERIC ? DAE_OK : st;
}

dae_status algebraic_at_point(
    engine *e, const reduced *now, double t, double *x, double *xp)
{
    assert(now && x && xp);
    algebraic *h;
    const dae_status st = prepare(e, now, &h);
    if (st) return st;
    const bool is_between = stepper_is_between(&e->stepper, t);
    return settle(h, e, t, x, xp, is_between);
}

/* Slopes are shown as they were. */
dae_status algebraic_on_line(engine *e, double t, double *x)
{
    algebraic *h;
    const dae_status st = prepare(e, NULL, &h);
    if (st) return st == DAE_UNSUPPORTED ? DAE_OK : st;
    stepper_at(&e->stepper, t, NULL, h->slopes);
    return settle(h, e, t, x, h->slopes, true);
}

/* ---- after an event --------------------------------------------------------------- */

/* Iterations of a solution that may be anywhere. */
enum { SOLUTION_MOST = 30 };

/* What rounding of the terms that are solved for makes of a correction, by the factors at
 * hand, in tolerances: at tight ones that is more than a part of them. */
static dae_status find_rounding(
    algebraic *h, const weights *w, double *x, double *xp, double *size)
{
    *size = 0;
    for (size_t period = 1; period <= 2; period++) {
        memset(h->rest, 0, h->n * sizeof *h->rest);
        for (size_t j = 0; j < h->n; j++)
            for (int64_t k = h->start[j]; k < h->start[j + 1]; k++)
                h->rest[h->row[k]] += UNITS_OFF * DBL_EPSILON
                    * fabs(h->values[k] * *slot_of(h, j, x, xp));
        for (size_t i = 1; i < h->n; i += 2)
            if (period == 2) h->rest[i] = -h->rest[i];
        const dae_status st = linear_solve(h->linear, h->rest);
        if (st) return st;
        *size = fmax(*size, measure(h, w, x, xp));
    }
    return DAE_OK;
}

/* The correction is small, and the next one below rounding: with factors of the point its
 * square, with older ones the same part of it again. Or it stays as small as rounding
 * leaves it. */
static bool is_solved(double size, double rate, bool is_old, double rtol)
{
    if (size <= 1 / TWO_DIGITS && rate > DIGIT) return true;
    return size <= PART_GONE && (!is_old || size * rate * rtol <= DBL_EPSILON);
}

dae_status algebraic_solve(
    engine *e, const reduced *now, double t, double *x, double *xp)
{
    algebraic *h;
    dae_stats *stats = e->stepper.stats;
    bool wants_factors = true;
    double before = HUGE_VAL, size = 0;
    dae_status st = prepare(e, now, &h);
    for (int m = 0; m < SOLUTION_MOST && !st; m++) {
        if (wants_factors) {
            st = factor_here(h, e, t, x, xp);
            stats->jacobian_evals++;
            stats->factorizations++;
        }
        if (!st) st = correct(h, t, &e->weights, x, xp, &size);
        stats->residual_evals++;
        if (st) return st;
        const double rate = size / before;
        if (is_solved(size, rate, !wants_factors, e->weights.rtol))
            return DAE_OK;
        if (wants_factors && rate > DIGIT && m > 0) {
            double least;
            st = find_rounding(h, &e->weights, x, xp, &least);
            if (st || size <= least) return st;
        }
        wants_factors = rate > DIGIT;
        before = size;
    }
    return st ? st : DAE_RETRY;
}

/* ---- slopes of what has none ------------------------------------------------- */

/* Adds the residual, so many times, where states have gone on for `later`. */
static dae_status add_later(algebraic *h, double t, double later, double factor,
    const double *x, const double *xp)
{
    const layout *l = h->layout;
    if (!h->moved && !TAKE(&h->memory, h->moved, l->states)) return DAE_MEMORY;
    memcpy(h->moved, x, l->states * sizeof *x);
    layout_move(l, later, h->moved, xp);
    const dae_status st = evaluate(h, t + later, h->moved, xp);
    for (size_t i = 0; i < h->n && !st; i++)
        h->as_found[i] += factor * h->rest[i];
    return st;
}

dae_status algebraic_slopes(engine *e, const reduced *now, double t,
    double delta, const double *x, double *xp)
{
    assert(delta != 0 && x != xp);
    algebraic *h;
    dae_status st = prepare(e, now, &h);
    if (st) return st == DAE_UNSUPPORTED ? DAE_NUMERIC : st;
    const layout *l = h->layout;
    memset(h->as_found, 0, h->n * sizeof *h->as_found);
    st = factor_here(h, e, t, x, xp);
    if (!st) st = add_later(h, t, 0, -3, x, xp);
    if (!st) st = add_later(h, t, delta, 4, x, xp);
    if (!st) st = add_later(h, t, 2 * delta, -1, x, xp);
    if (!st) st = linear_solve(h->linear, h->as_found);
    if (st) return st;
    if (any_overflow(h->as_found, h->n)) return DAE_RETRY;
    for (size_t j = 0; j < l->unknowns; j++)
        if (l->order[j] == 0) xp[j] = -h->as_found[j] / (2 * delta);
    return DAE_OK;
}

bool algebraic_is_ready(const engine *e, const reduced *now)
{
    const algebraic *h = e->algebraic[now != NULL];
    return h && h->problem;
}
