/* The step d is shortened until a test of decrease holds, either of the two:
 * the residuals, measured in what their slots' tolerances explain, or the
 * simplified Newton step at the new point, measured in the slots'
 * tolerances, which no scaling of the rows can mislead ("natural" test,
 * [Deu04 3.3]). Bounds are kept by projection. */
#include "start/damped.h"
#include "linalg/linear.h"
#include "start/claims.h"
#include "start/kkt.h"
#include "start/least.h"
#include "start/scan.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { ITERATIONS = 50, HALVINGS = 24, POLISHES = 15, MOVES = 4 };
/* A last step of this part of the tolerances: what is left after it, with
 * quadratic convergence, is rounding. */
static const double STEP_SMALL = 1e-4;
/* Residuals that fall by more are not those of rounding. */
static const double STILL_LEFT = 0.5;
/* So much of a step that ends where there are no slopes is taken back. */
static const double BACK = 0.1;
/* Pivots of scaled rows are good to some 1e-15. */
static const double ORTHOGONAL_ZERO = 1e-12;

typedef struct damped {
    init_system *s;
    const submatrix *m;
    const double *slot_scale; /* slots */
    bool is_least;            /* by KKT instead of a square factorization */
    bool is_orthogonal;       /* by orthogonal factors instead of both */
    bool began_singular;      /* at the first point */
    bool is_nudged;           /* the next step is one from such a point */
    bool may_be_any;          /* solution, if only it is one */
    bool has_moved;           /* from a point with a Jacobian, in `from` */
    bool is_refuted;          /* what held did so by slopes that are none */
    linear *linear;
    kkt *kkt;
    double *values;   /* entries */
    double *scale;    /* columns; 0: held at a bound */
    double *d, *next; /* columns: the step, the simplified one after it */
    double *weight;   /* columns: 1 / tolerance */
    double *from;     /* columns: values before the step */
    double *r;        /* local rows */
    double *allowed;  /* local rows > 0 */
    double *trial;    /* rows of the system */
    int32_t *local;   /* rows of the system: scratch */
    int64_t iterations;
} damped;

static bool take_vectors(damped *w)
{
    arena *a = &w->s->arena;
    const submatrix *m = w->m;
    w->values = ARENA_ARRAY(a, double, m->entries);
    w->scale = ARENA_ARRAY(a, double, m->columns);
    w->d = ARENA_ARRAY(a, double, m->columns);
    w->next = ARENA_ARRAY(a, double, m->columns);
    w->weight = ARENA_ARRAY(a, double, m->columns);
    w->from = ARENA_ARRAY(a, double, m->columns);
    w->r = ARENA_ARRAY(a, double, m->rows > m->columns ? m->rows : m->columns);
    w->allowed = ARENA_ARRAY(a, double, m->rows);
    w->trial = ARENA_ARRAY(a, double, w->s->rows);
    w->local = ARENA_ARRAY(a, int32_t, w->s->rows);
    return w->values && w->scale && w->d && w->next && w->weight && w->from
        && w->r && w->allowed && w->trial && w->local;
}

static dae_status use_least(damped *w)
{
    const submatrix *m = w->m;
    w->is_least = true;
    if (w->kkt) return DAE_OK;
    return kkt_create(m->rows, m->columns, m->column_start, m->row, w->s->fuzz,
        w->s->request->allocator, &w->kkt);
}

static dae_status damped_init(damped *w)
{
    const submatrix *m = w->m;
    if (!take_vectors(w)) return DAE_MEMORY;
    for (size_t j = 0; j < m->columns; j++)
        w->scale[j] = w->slot_scale[m->slot_at[j]];
    if (m->rows != m->columns) return use_least(w);
    return linear_create(m->columns, m->column_start, m->row, DAE_LINEAR_AUTO,
        w->s->request->allocator, &w->linear);
}

static void damped_clear(damped *w)
{
    linear_free(w->linear);
    kkt_free(w->kkt);
}

/* Jacobian, and what its rows may have for residuals. */
static dae_status evaluate(damped *w)
{
    const dae_status st = unknowns_jacobian(w->s);
    if (st) return st;
    unknowns_measure(w->s);
    submatrix_values(w->m, w->s, w->local, w->values);
    for (size_t i = 0; i < w->m->rows; i++) {
        const size_t row = (size_t)w->m->row_at[i];
        const double size = fmax(w->s->tolerance[row], w->s->noise[row]);
        /* a row that is flat here: its residual is all there is to go by */
        w->allowed[i] = size > 0
            ? size
            : w->s->request->rtol * fmax(1, fabs(w->s->res[row]));
    }
    return DAE_OK;
}

static bool is_solved(const damped *w)
{
    for (size_t i = 0; i < w->m->rows; i++)
        if (!(unknowns_ratio(w->s, (size_t)w->m->row_at[i]) <= 1)) return false;
    return true;
}

static bool is_noise(const damped *w)
{
    for (size_t i = 0; i < w->m->rows; i++) {
        const size_t row = (size_t)w->m->row_at[i];
        if (!(fabs(w->s->res[row]) <= w->s->noise[row])) return false;
    }
    return true;
}

static dae_status factor(damped *w)
{
    dae_status st;
    w->s->stats->factorizations++;
    if (w->is_orthogonal) return DAE_OK; /* with each solve */
    if (!w->is_least) {
        /* pivots within the values' error: a step without a right digit */
        st = linear_factor(w->linear, w->values);
        if (!st && linear_rcond(w->linear) > w->s->fuzz) return DAE_OK;
        if (st && st != DAE_NUMERIC) return st;
        if (w->iterations == 0) w->began_singular = true;
        if ((st = use_least(w))) return st;
    }
    return kkt_factor(w->kkt, w->values, w->scale);
}

/* d := the step for residuals `res` (system rows). DAE_NUMERIC: it has
 * overflowed. */
static dae_status solve(
    damped *w, const double *res, const double *deviation, double *d)
{
    for (size_t i = 0; i < w->m->rows; i++) w->r[i] = res[w->m->row_at[i]];
    if (w->is_orthogonal)
        return least_solve(&w->s->arena, w->m, w->values, w->scale, w->r,
            fmax(ORTHOGONAL_ZERO, w->s->fuzz), d);
    if (w->is_least) return kkt_solve(w->kkt, w->r, deviation, d);
    const dae_status st = linear_solve(w->linear, w->r);
    if (!st && any_overflow(w->r, w->m->columns)) return DAE_NUMERIC;
    for (size_t j = 0; j < w->m->columns; j++) d[j] = -w->r[j];
    return st;
}

static void weigh(damped *w)
{
    const init_system *s = w->s;
    for (size_t j = 0; j < w->m->columns; j++) {
        const size_t k = (size_t)w->m->slot_at[j];
        const double size = fmax(fabs(s->z[k]), fabs(s->z[k] + w->d[j]));
        w->weight[j] = 1 / fmax(s->request->rtol * size + s->atol[k], DBL_MIN);
    }
}

static double largest(const damped *w, const double *d)
{
    double most = 0;
    for (size_t j = 0; j < w->m->columns; j++) {
        const double size = fabs(d[j]) * w->weight[j];
        if (!(size <= most)) most = size; /* a NaN stays */
        if (isnan(most)) break;
    }
    return most;
}

static double norm_of_step(const damped *w, const double *d)
{
    double sum = 0;
    for (size_t j = 0; j < w->m->columns; j++) {
        const double part = d[j] * w->weight[j];
        sum += part * part;
    }
    return sqrt(sum);
}

static double norm_of_rows(const damped *w, const double *res)
{
    double sum = 0;
    for (size_t i = 0; i < w->m->rows; i++) {
        const double part = res[w->m->row_at[i]] / w->allowed[i];
        sum += part * part;
    }
    return sqrt(sum);
}

static void remember(damped *w)
{
    for (size_t j = 0; j < w->m->columns; j++)
        w->from[j] = w->s->z[w->m->slot_at[j]];
}

static void put_back(damped *w)
{
    for (size_t j = 0; j < w->m->columns; j++)
        w->s->z[w->m->slot_at[j]] = w->from[j];
}

/* z := from + lambda d inside the bounds. */
static void move(damped *w, double lambda)
{
    init_system *s = w->s;
    for (size_t j = 0; j < w->m->columns; j++) {
        const size_t k = (size_t)w->m->slot_at[j];
        const double to = w->from[j] + lambda * w->d[j];
        s->z[k] = fmin(fmax(to, s->low[k]), s->high[k]);
    }
}

/* A slot that a least change pushes over its bound stays there: others have
 * to give way. */
static void hold_at_bounds(damped *w)
{
    const init_system *s = w->s;
    if (!w->is_least) return;
    for (size_t j = 0; j < w->m->columns; j++) {
        const size_t k = (size_t)w->m->slot_at[j];
        if ((s->z[k] <= s->low[k] && w->d[j] < 0)
            || (s->z[k] >= s->high[k] && w->d[j] > 0))
            w->scale[j] = 0;
    }
}

/* Beside a point with a singular matrix steps are as long as it is near, and
 * land anywhere: cos(y) = 0.5 from y = 0. At most so many sizes. */
static const double LEAP = 1;

static double first_part(const damped *w)
{
    double part = 1;
    for (size_t j = 0; j < w->m->columns && w->is_nudged; j++) {
        const size_t k = (size_t)w->m->slot_at[j];
        const double size = fmax(scan_unit(w->s, k), fabs(w->s->guess[k]));
        const double step = fabs(w->d[j]);
        if (step > LEAP * size) part = fmin(part, LEAP * size / step);
    }
    return part;
}

/* Moves along d as far as serves; *is_better says whether anything did, *left what
 * part of the residuals. */
static dae_status search(damped *w, bool is_near, bool *is_better, double *left)
{
    init_system *s = w->s;
    const double before = norm_of_rows(w, s->res);
    const double length = norm_of_step(w, w->d);
    double lambda = first_part(w);
    bool has_value = false;
    *is_better = false;
    w->is_nudged = false;
    remember(w);
    for (int k = 0; k < HALVINGS; k++, lambda /= 2) {
        const double fall = 1 - lambda / 4;
        move(w, lambda);
        dae_status st = unknowns_residual(s, s->z, w->trial);
        if (st == DAE_RETRY) { /* far from where there are values */
            lambda /= 2;
            k++;
            continue;
        }
        if (st) return st;
        has_value = true;
        const double after = norm_of_rows(w, w->trial);
        const bool is_worse = s->request->is_thorough && after > before;
        bool ok = (is_near && !is_worse) || after <= fall * before;
        if (!ok) {
            st = solve(w, w->trial, NULL, w->next);
            if (st && st != DAE_NUMERIC) return st;
            ok = !st && norm_of_step(w, w->next) <= fall * length;
        }
        if (!ok) continue;
        memcpy(s->res, w->trial, s->rows * sizeof *s->res);
        *left = after / before;
        *is_better = true;
        return DAE_OK;
    }
    put_back(w);
    /* no value anywhere: has this point one? */
    return has_value ? DAE_OK : unknowns_residual(s, s->z, s->res);
}

/* From the very edge of a domain, where slopes are infinite, part of the way
 * back to where the step began. */
static dae_status step_back(damped *w)
{
    init_system *s = w->s;
    for (size_t j = 0; j < w->m->columns; j++) {
        double *z = &s->z[w->m->slot_at[j]];
        *z += BACK * (w->from[j] - *z);
    }
    const dae_status st = unknowns_residual(s, s->z, s->res);
    return st ? st : evaluate(w);
}

/* One iteration. *is_done with *outcome, or go on. `last` is the size of the
 * step before. */
static dae_status iterate(
    damped *w, double *last, bool *is_done, damped_outcome *outcome)
{
    dae_status st;
    bool is_better;
    double left = 0;
    *is_done = true;
    *outcome = DAMPED_SOLVED;
    if ((st = unknowns_interrupt(w->s))) return st;
    if ((st = evaluate(w)) == DAE_RETRY && w->has_moved) st = step_back(w);
    if (st == DAE_RETRY) {
        *outcome = DAMPED_NO_VALUE;
        return DAE_OK;
    }
    if (st) return st;
    if (is_noise(w)) return DAE_OK;
    *outcome = DAMPED_STALLED;
    if (!(st = factor(w))) st = solve(w, w->s->res, NULL, w->d);
    if (st) return st == DAE_NUMERIC ? DAE_OK : st;
    weigh(w);
    const double size = largest(w, w->d);
    if (!is_solved(w) && size <= STEP_SMALL) return DAE_OK;
    st = search(w, size <= 1 && is_solved(w), &is_better, &left);
    if (st) return st;
    w->iterations++;
    w->s->stats->newton_iterations++;
    if (!is_better) {
        if (size <= 1 && is_solved(w)) *outcome = DAMPED_SOLVED;
        return DAE_OK;
    }
    w->has_moved = true;
    hold_at_bounds(w);
    /* small, or no longer falling because of rounding: down an exponential steps
     * are of one length, but residuals fall */
    const bool is_still = size <= 1 && *last <= 1 && size > *last / 2
        && !(left < STILL_LEFT);
    *last = size;
    *outcome = DAMPED_SOLVED;
    *is_done = (size <= STEP_SMALL || is_still) && is_solved(w);
    return DAE_OK;
}

static dae_status run_until(damped *w, damped_outcome *outcome)
{
    double last = DBL_MAX;
    bool is_done = false;
    w->has_moved = false;
    const int64_t end = w->iterations + ITERATIONS;
    while (!is_done && w->iterations < end) {
        const dae_status st = iterate(w, &last, &is_done, outcome);
        if (st) return st;
    }
    if (!is_done) *outcome = DAMPED_BUDGET;
    return DAE_OK;
}

/* Where rows hold only by the slopes of an edge it is no solution; where one
 * of them has a zero so near, the search goes on from there. */
static dae_status run(damped *w, damped_outcome *outcome)
{
    init_system *s = w->s;
    claims_verdict verdict = CLAIMS_MOVED;
    for (int k = 0; k < MOVES && verdict == CLAIMS_MOVED; k++) {
        dae_status st = run_until(w, outcome);
        if (st || *outcome != DAMPED_SOLVED) return st;
        st = claims_judge(s, w->m->row_at, w->m->rows, &verdict);
        if (!st && verdict == CLAIMS_MOVED)
            st = unknowns_residual(s, s->z, s->res);
        if (st) return st == DAE_RETRY ? DAE_OK : st;
    }
    w->is_refuted = w->is_refuted || verdict == CLAIMS_REFUTED;
    if (verdict == CLAIMS_REFUTED) *outcome = DAMPED_STALLED;
    return DAE_OK;
}

/* A start where the matrix happens to be singular, such as x^2 = 4 at x = 0,
 * is left by a small step to somewhere else, up to 1 % of the sizes. */
static dae_status nudge(damped *w, const double *entry)
{
    init_system *s = w->s;
    for (size_t j = 0; j < w->m->columns; j++) {
        const size_t k = (size_t)w->m->slot_at[j];
        const double by = s->scale[k] * (0.01 - 0.0005 * (double)(j % 11));
        const double up = fmin(entry[j] + by, s->high[k]);
        s->z[k] = up > entry[j] ? up : fmax(entry[j] - by, s->low[k]);
    }
    w->is_least = false;
    w->began_singular = false;
    w->is_nudged = true;
    const dae_status st = unknowns_residual(s, s->z, w->trial);
    if (!st) memcpy(s->res, w->trial, s->rows * sizeof *s->res);
    return st;
}

static double deviation_of(const damped *w, double *deviation)
{
    const init_system *s = w->s;
    double sum = 0;
    for (size_t j = 0; j < w->m->columns; j++) {
        const size_t k = (size_t)w->m->slot_at[j];
        deviation[j] = s->z[k] - s->guess[k];
        const double part = deviation[j] / w->slot_scale[k];
        sum += part * part;
    }
    return sqrt(sum);
}

/* Brings the solution nearer to the guesses along the solutions: Newton's
 * steps alone end near the nearest one, not at it. */
static dae_status polish(damped *w)
{
    init_system *s = w->s;
    arena *a = &s->arena;
    double *deviation = ARENA_ARRAY(a, double, w->m->columns);
    double *best = ARENA_ARRAY(a, double, w->m->columns);
    double *res = ARENA_ARRAY(a, double, s->rows);
    dae_status st = DAE_OK;
    if (!deviation || !best || !res) return DAE_MEMORY;
    double distance = deviation_of(w, deviation);
    for (int k = 0; k < POLISHES && distance > 0; k++) {
        damped_outcome outcome = DAMPED_STALLED;
        remember(w);
        memcpy(best, w->from, w->m->columns * sizeof *best);
        memcpy(res, s->res, s->rows * sizeof *res);
        if ((st = evaluate(w)) || (st = factor(w))) break;
        if ((st = solve(w, s->res, deviation, w->d))) break;
        move(w, 1);
        st = unknowns_residual(s, s->z, s->res);
        if (!st) st = run(w, &outcome);
        const double nearer = deviation_of(w, deviation);
        if (!st && outcome == DAMPED_SOLVED && nearer < distance) {
            const bool is_enough = nearer > distance * (1 - 1e-6);
            distance = nearer;
            if (is_enough) break;
            continue;
        }
        memcpy(w->from, best, w->m->columns * sizeof *best);
        put_back(w);
        memcpy(s->res, res, s->rows * sizeof *res);
        break;
    }
    return st == DAE_RETRY || st == DAE_NUMERIC ? DAE_OK : st;
}

/* Square, and singular where it ended? */
static dae_status look_back(damped *w, bool *is_singular)
{
    *is_singular = false;
    if (!w->is_least || w->m->rows != w->m->columns) return DAE_OK;
    dae_status st = evaluate(w);
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    st = linear_factor(w->linear, w->values);
    if (st && st != DAE_NUMERIC) return st;
    *is_singular = st || linear_rcond(w->linear) <= w->s->fuzz;
    return DAE_OK;
}

/* Columns that are weak in all their rows for the sizes of their slots count
 * for next to nothing beside strong ones, though nothing else may be able to
 * solve what those leave: they get the size at which some row feels them. */
static const double STRETCH = 1e6;

static void strengthen(damped *w)
{
    const submatrix *m = w->m;
    double *row = w->r;
    memset(row, 0, m->rows * sizeof *row);
    for (size_t j = 0; j < m->columns; j++)
        for (int64_t p = m->column_start[j]; p < m->column_start[j + 1]; p++)
            row[m->row[p]] = fmax(
                row[m->row[p]], fabs(w->values[p]) * w->scale[j]);
    for (size_t j = 0; j < m->columns; j++) {
        double most = 0;
        for (int64_t p = m->column_start[j]; p < m->column_start[j + 1]; p++)
            if (row[m->row[p]] > 0)
                most = fmax(
                    most, fabs(w->values[p]) * w->scale[j] / row[m->row[p]]);
        if (most > 0 && most < 1) w->scale[j] *= fmin(1 / most, STRETCH);
    }
}

/* Least changes that came to nothing, again with other sizes; where that comes
 * to nothing too, all is as before. */
static dae_status run_strengthened(damped *w, damped_outcome *outcome)
{
    init_system *s = w->s;
    const submatrix *m = w->m;
    double *scale = ARENA_ARRAY(&s->arena, double, m->columns);
    double *entry = ARENA_ARRAY(&s->arena, double, m->columns);
    double *res = ARENA_ARRAY(&s->arena, double, s->rows);
    damped_outcome found = *outcome;
    if (!scale || !entry || !res) return DAE_MEMORY;
    memcpy(scale, w->scale, m->columns * sizeof *scale);
    memcpy(res, s->res, s->rows * sizeof *res);
    remember(w);
    memcpy(entry, w->from, m->columns * sizeof *entry);
    strengthen(w);
    const dae_status st = run(w, &found);
    memcpy(w->scale, scale, m->columns * sizeof *scale);
    if (st || found == DAMPED_SOLVED) {
        *outcome = found;
        return st;
    }
    memcpy(w->from, entry, m->columns * sizeof *entry);
    put_back(w);
    memcpy(s->res, res, s->rows * sizeof *res);
    return DAE_OK;
}

/* Once more from the beginning, with directions that count for nothing
 * otherwise. Not in a run, which begins as it did. */
static dae_status run_orthogonal(
    damped *w, const double *entry, damped_outcome *outcome)
{
    init_system *s = w->s;
    const submatrix *m = w->m;
    size_t cells;
    damped_outcome found = DAMPED_STALLED;
    if (!s->request->is_thorough || !size_mul(m->rows, m->columns, &cells)
        || cells > LEAST_LIMIT)
        return DAE_OK;
    double *z = ARENA_ARRAY(&s->arena, double, m->columns);
    double *res = ARENA_ARRAY(&s->arena, double, s->rows);
    if (!z || !res) return DAE_MEMORY;
    remember(w);
    memcpy(z, w->from, m->columns * sizeof *z);
    memcpy(res, s->res, s->rows * sizeof *res);
    memcpy(w->from, entry, m->columns * sizeof *entry);
    put_back(w);
    for (size_t j = 0; j < m->columns; j++)
        w->scale[j] = w->slot_scale[m->slot_at[j]];
    w->is_orthogonal = true;
    dae_status st = unknowns_residual(s, s->z, s->res);
    if (!st) st = run(w, &found);
    w->is_orthogonal = false;
    if (!st && found == DAMPED_SOLVED) {
        *outcome = found;
        return DAE_OK;
    }
    memcpy(w->from, z, m->columns * sizeof *z);
    put_back(w);
    memcpy(s->res, res, s->rows * sizeof *res);
    return st == DAE_RETRY ? DAE_OK : st;
}

/* From the beginning, where an edge has drawn the search to it: what its slopes
 * explain is less now. */
static dae_status run_again(
    damped *w, const double *entry, damped_outcome *outcome)
{
    init_system *s = w->s;
    memcpy(w->from, entry, w->m->columns * sizeof *entry);
    put_back(w);
    const dae_status st = unknowns_residual(s, s->z, s->res);
    return st ? st : run(w, outcome);
}

static dae_status solve_here(damped *w, damped_result *result)
{
    init_system *s = w->s;
    const submatrix *m = w->m;
    double *entry = ARENA_ARRAY(&s->arena, double, m->columns);
    if (!entry) return DAE_MEMORY;
    remember(w);
    memcpy(entry, w->from, m->columns * sizeof *entry);
    dae_status st = run(w, &result->outcome);
    if (!st && w->is_refuted) st = run_again(w, entry, &result->outcome);
    if (st) return st;
    if (result->outcome != DAMPED_SOLVED && w->began_singular) {
        st = nudge(w, entry);
        if (st == DAE_RETRY) return DAE_OK;
        if (st || (st = run(w, &result->outcome))) return st;
    }
    if (result->outcome == DAMPED_STALLED && w->is_least
        && (st = run_strengthened(w, &result->outcome)))
        return st;
    const bool is_open = result->outcome != DAMPED_SOLVED && w->is_least;
    if (is_open && (st = run_orthogonal(w, entry, &result->outcome))) return st;
    const bool is_solved_wide = result->outcome == DAMPED_SOLVED
        && m->columns > m->rows && !w->may_be_any;
    if (is_solved_wide && (st = polish(w))) return st;
    return look_back(w, &result->is_singular);
}

static dae_status solve_by(damped *w, damped_result *result)
{
    init_system *s = w->s;
    const arena_position mark = arena_mark(&s->arena);
    *result = (damped_result){.outcome = DAMPED_SOLVED};
    dae_status st = damped_init(w);
    if (!st) st = solve_here(w, result);
    result->iterations = w->iterations;
    damped_clear(w);
    arena_release(&s->arena, mark);
    return st;
}

dae_status damped_solve(init_system *s, const submatrix *m, const double *scale,
    damped_result *result)
{
    damped w = {.s = s, .m = m, .slot_scale = scale};
    return solve_by(&w, result);
}

dae_status damped_reach(init_system *s, const submatrix *m, const double *scale,
    damped_result *result)
{
    damped w = {.s = s, .m = m, .slot_scale = scale, .may_be_any = true};
    return solve_by(&w, result);
}
