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
    int64_t *start; /* n + 1: the pattern, with the rows of `now` */
    int32_t *row;
    int64_t *place;       /* entries of `now`'s pattern: the one here; -1: none;
                         NULL without `now` */
    double *values;       /* of the pattern */
    double *rest;         /* n: the residual, then the correction */
    double *as_found;     /* n */
    double *moved;        /* states; NULL: not needed yet */
    double *columns;      /* of the extended problem, */
    double *jacobian;     /* and its entries, at the point itself */
    struct jacobian *own; /* where there is no extended problem, */
    double *slopes;       /* and xp */
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

/* ---- what is solved for ----------------------------------------------------- */

/* Where the entries of `now` go. */
static bool find_places(algebraic *h, const dae_pattern *p)
{
    const layout *l = h->layout;
    const size_t all = (size_t)p->column_start[l->states + l->unknowns];
    if (!TAKE(&h->memory, h->place, all)) return false;
    memset(h->place, 0xff, (all + 1) * sizeof *h->place);
    for (size_t j = 0; j < h->n; j++) {
        const int64_t from = p->column_start[h->slot[j]];
        for (int64_t k = h->start[j]; k < h->start[j + 1]; k++)
            h->place[from + k - h->start[j]] = k;
    }
    return true;
}

static bool make_pattern(algebraic *h, const dae_pattern *p)
{
    arena *a = &h->memory;
    size_t count = 0;
    if (!TAKE(a, h->slot, h->n) || !TAKE(a, h->start, h->n)) return false;
    for (size_t j = 0; j < h->n; j++) {
        const size_t s = layout_highest(h->layout, j);
        h->slot[j] = (int32_t)s;
        count += (size_t)(p->column_start[s + 1] - p->column_start[s]);
        h->start[j + 1] = (int64_t)count;
    }
    if (!TAKE(a, h->row, count) || !TAKE(a, h->values, count)) return false;
    for (size_t j = 0; j < h->n; j++)
        memcpy(h->row + h->start[j], p->row + p->column_start[h->slot[j]],
            (size_t)(h->start[j + 1] - h->start[j]) * sizeof *h->row);
    return !h->now || find_places(h, p);
}

static dae_status make(algebraic *h, const dae_pattern *p, dae_linear choice)
{
    arena *a = &h->memory;
    h->n = h->layout->unknowns;
    if (!make_pattern(h, p)) return DAE_MEMORY;
    if (!TAKE(a, h->rest, h->n) || !TAKE(a, h->as_found, h->n))
        return DAE_MEMORY;
    return linear_create(
        h->n, h->start, h->row, choice, a->allocator, &h->linear);
}

static dae_status make_reduced(
    algebraic *h, const reduced *now, dae_linear choice)
{
    const extended *e = now->e;
    arena *a = &h->memory;
    if (!TAKE(a, h->columns, e->columns)
        || !TAKE(a, h->jacobian,
            (size_t)e->problem.pattern->column_start[e->columns]))
        return DAE_MEMORY;
    return make(h, &now->pattern, choice);
}

static dae_status make_as_it_stands(algebraic *h, dae_linear choice)
{
    const dae_problem *p = h->problem;
    const jacobian_source source = {.self = p->self,
        .rows = p->unknown_count,
        .residual = p->residual,
        .function = p->jacobian,
        .pattern = p->pattern};
    if (!TAKE(&h->memory, h->slopes, h->layout->unknowns)) return DAE_MEMORY;
    const dae_status st = jacobian_create(
        &source, h->layout, h->memory.allocator, &h->own);
    return st ? st : make(h, jacobian_pattern(h->own), choice);
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
    const dae_status st = now ? make_reduced(h, now, e->linear)
                              : make_as_it_stands(h, e->linear);
    if (st) clear(h);
    return st;
}

/* ---- the matrix -------------------------------------------------------------- */

static dae_status factor(algebraic *h, const double *entries)
{
    const reduced *now = h->now;
    loose *l = now->loose;
    const size_t all =
        (size_t)now->e->problem.pattern->column_start[now->e->columns];
    memset(h->values, 0, (size_t)h->start[h->n] * sizeof *h->values);
    for (size_t k = 0; k < all; k++) {
        const int64_t at = now->target[k] < 0 ? -1 : h->place[now->target[k]];
        if (at >= 0) h->values[at] += entries[k];
    }
    if (l) loose_update(l, now->e, entries);
    for (size_t k = 0; l && k < l->rows * l->count; k++) {
        const int64_t at = h->place[now->target[all + k]];
        if (at >= 0) h->values[at] = l->n[k];
    }
    h->evaluated = 0;
    return linear_factor(h->linear, h->values);
}

static dae_status factor_last(algebraic *h)
{
    if (h->evaluated == h->now->evaluations) return DAE_OK;
    const dae_status st = factor(h, h->now->values);
    if (!st) h->evaluated = h->now->evaluations;
    return st;
}

/* The user may have changed a parameter since the last time. */
static dae_status factor_as_it_stands(
    algebraic *h, const engine *e, double t, const double *x, const double *xp)
{
    const dae_problem *p = h->problem;
    int64_t residuals = 0;
    jacobian_reset(h->own);
    dae_status st = p->residual(p->self, t, x, xp, h->rest);
    if (!st && any_overflow(h->rest, h->n)) st = DAE_RETRY;
    if (!st)
        st = jacobian_evaluate(h->own, t, x, xp, h->rest, e->weights.plain,
            e->stepper.last_h, &residuals);
    if (st) return st;
    const double *entries = jacobian_values(h->own);
    const int64_t *start = jacobian_pattern(h->own)->column_start;
    for (size_t j = 0; j < h->n; j++)
        memcpy(h->values + h->start[j], entries + start[h->slot[j]],
            (size_t)(h->start[j + 1] - h->start[j]) * sizeof *entries);
    return linear_factor(h->linear, h->values);
}

static dae_status factor_here(algebraic *h, const engine *now, double t,
    const double *x, const double *xp)
{
    if (!h->now) return factor_as_it_stands(h, now, t, x, xp);
    const dae_problem *e = &h->now->e->problem;
    reduced_scatter(h->now, x, xp, h->columns);
    const dae_status st = e->jacobian(
        e->self, DAE_ALL, t, h->columns, NULL, h->jacobian);
    return st ? st : factor(h, h->jacobian);
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
    const dae_problem *p = h->problem;
    dae_status st = p->residual(p->self, t, x, xp, h->rest);
    if (!st && any_overflow(h->rest, h->n)) st = DAE_RETRY;
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
    dae_status st = is_here ? factor_here(h, e, t, x, xp) : factor_last(h);
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
    const dae_problem *p = h->problem;
    if (!h->moved) h->moved = ARENA_ARRAY(&h->memory, double, l->states);
    if (!h->moved) return DAE_MEMORY;
    memcpy(h->moved, x, l->states * sizeof *x);
    layout_move(l, later, h->moved, xp);
    const dae_status st = p->residual(
        p->self, t + later, h->moved, xp, h->rest);
    if (st) return st;
    if (any_overflow(h->rest, h->n)) return DAE_RETRY;
    for (size_t i = 0; i < h->n; i++) h->as_found[i] += factor * h->rest[i];
    return DAE_OK;
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
