#include "linalg/linear.h"
#include "linalg/rank_revealing_qr.h"
#include "linalg/thresholds.h"
#include "start/block_order.h"
#include "start/snapshot.h"
#include "start/stages.h"
#include "start/tolerance.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

typedef struct search {
    init_system *s;
    order order;
    bool is_trial;
    const snapshot *begun;     /* the point, until it moves; then NULL */
    uint8_t *is_done;          /* rows that were solved otherwise; NULL: none */
    uint8_t *is_row, *is_slot; /* rows, slots: of the part that is solved */
    bool
        is_dependent_accepted; /* rows that depend on each other but for rounding */
    solution *out;
} search;

/* ---- the square part at once ------------------------------------------------------ */

enum { NEWTON_STEPS = 12 };

/* Newton's method as long as every step is at most half of the one before: enough
 * if dF/dx' is regular and all states are given. */
typedef struct newton_steps {
    init_system *s;
    const subset *p;
    submatrix m;
    linear *linear;
    double last;   /* the last step, in tolerances */
    double before; /* the residual, in units of rounding */
    bool is_done, is_well_conditioned, is_from_guess, is_constant;
} newton_steps;

/* Evaluations and factors use the memory in turn. Not in a run's own starts: there
 * no later evaluation may lack it. */
static void release_evaluations(const init_system *s)
{
    const dae_problem *p = s->request->problem;
    if (p->release && s->request->is_thorough) p->release(p->self);
}

static void release_factors(const newton_steps *w)
{
    if (w->s->request->is_thorough && !w->is_constant)
        linear_release(w->linear);
}

/* Up to so many unknowns the few eliminations of a start cost less on a full matrix than
 * what a choice of pivots for a list does. */
enum { FULL_MOST = 32 };

static dae_status newton_begin(newton_steps *w)
{
    init_system *s = w->s;
    const subset *p = w->p;
    const size_t n = p->slot_count;
    w->last = w->before = DBL_MAX;
    w->is_well_conditioned = true;
    release_evaluations(s);
    dae_status st = submatrix_init(&w->m, s, p->rows, n, p->slots, n);
    if (st) return st;
    return linear_create(n, w->m.column_start, w->m.row,
        n <= FULL_MOST ? DAE_LINEAR_DENSE : DAE_LINEAR_AUTO,
        s->request->allocator, &w->linear);
}

/* The largest residual in units of its rounding. */
static double rounding_units(const newton_steps *w)
{
    double most = 0;
    for (size_t i = 0; i < w->p->row_count; i++) {
        const size_t row = (size_t)w->p->rows[i];
        const double size = fabs(w->s->res[row]);
        if (size > 0) most = fmax(most, size / fmax(w->s->noise[row], DBL_MIN));
    }
    return most;
}

/* DAE_NUMERIC: singular to rounding. The values are not kept. */
static dae_status newton_factor(newton_steps *w)
{
    const dae_allocator *a = w->s->arena.allocator;
    release_evaluations(w->s);
    double *values = alloc_zeroed(a, w->m.entries, sizeof *values);
    if (!values) return DAE_MEMORY;
    submatrix_values(&w->m, w->s, values);
    w->s->stats->factorizations++;
    const dae_status st = linear_factor(w->linear, values);
    alloc_free(a, values, w->m.entries, sizeof *values);
    if (st) return st;
    const double rcond = linear_rcond(w->linear);
    const double fuzz = w->s->is_exact ? 0 : w->s->fuzz;
    if (!(rcond > fmax(rank_zero(w->p->slot_count), fuzz))) return DAE_NUMERIC;
    w->is_well_conditioned = rcond > fmax(HALF_DIGITS, fuzz / DIGIT);
    return DAE_OK;
}

/* Along b, which becomes the step. DAE_NUMERIC: it is not half of the last one,
 * or leaves the bounds. */
static dae_status newton_move(newton_steps *w, double *b)
{
    init_system *s = w->s;
    double size = 0;
    for (size_t i = 0; i < w->p->row_count; i++) {
        const size_t row = (size_t)w->p->rows[i];
        /* guesses that satisfy the row to rounding need no correction */
        const bool is_rounding = fabs(s->res[row]) <= s->noise[row];
        b[i] = w->is_from_guess && is_rounding ? 0 : s->res[row];
    }
    dae_status st = linear_solve(w->linear, b);
    if (st) return st;
    for (size_t j = 0; j < w->p->slot_count; j++) {
        const size_t k = (size_t)w->p->slots[j];
        const double to = s->z[k] - b[j];
        if (!unknowns_is_inside(s, k, to) || is_overflow(to))
            return DAE_NUMERIC;
        const double z = fmax(fabs(s->z[k]), fabs(to));
        const double unit = s->request->rtol * z + s->atol[k];
        size = fmax(size, fabs(b[j]) / fmax(unit, DBL_MIN));
        s->z[k] = to;
    }
    if (!is_step_solved(size) && !(size <= w->last / 2)) return DAE_NUMERIC;
    w->last = size;
    s->stats->newton_iterations++;
    w->before = rounding_units(w);
    return DAE_OK;
}

static dae_status newton_step(newton_steps *w)
{
    const dae_allocator *a = w->s->arena.allocator;
    const size_t n = w->p->slot_count;
    double *b = alloc_zeroed(a, n, sizeof *b);
    if (!b) return DAE_MEMORY;
    const dae_status st = newton_move(w, b);
    alloc_free(a, b, n, sizeof *b);
    if (st) return st;
    release_factors(w);
    return unknowns_residual(w->s, w->s->z, w->s->res);
}

/* *is_done: solved, with a regular Jacobian. */
static dae_status newton_run(newton_steps *w)
{
    init_system *s = w->s;
    dae_status st = DAE_OK;
    w->is_constant = unknowns_are_constant(s);
    for (int k = 0; k < NEWTON_STEPS; k++) {
        if ((st = unknowns_interrupt(s))) return st;
        if (k && (st = unknowns_jacobian(s))) return st;
        tolerance_measure(s);
        const bool is_there = rounding_units(w) <= 1
            && (k ? w->last <= 1 : unknowns_are_guessed(s, w->p));
        if ((k == 0 || !w->is_constant) && (st = newton_factor(w))) return st;
        w->is_done = is_there;
        if (is_there) return DAE_OK;
        if ((st = newton_step(w))) return st;
        w->is_done = is_step_solved(w->last)
            && rounding_units(w) <= fmax(ROUNDING_OF_SUMS, w->before / 2);
        if (w->is_done) return DAE_OK;
        if (is_step_solved(w->last)) return DAE_NUMERIC;
    }
    return DAE_OK;
}

/* Not solved, all is as before. */
static dae_status solve_at_once(search *a, bool *is_done)
{
    init_system *s = a->s;
    newton_steps w = {
        .s = s, .p = &a->order.well, .is_from_guess = !a->is_trial};
    const snapshot *before = a->begun;
    snapshot own;
    assert(w.p->row_count == w.p->slot_count);
    *is_done = w.p->slot_count == 0;
    if (*is_done) return DAE_OK;
    const arena_position mark = arena_mark(&s->arena);
    const int64_t begun = s->stats->newton_iterations;
    dae_status st = before ? DAE_OK : snapshot_take(&own, s);
    if (!before) before = &own;
    if (!st) st = newton_begin(&w);
    if (!st) st = newton_run(&w);
    linear_free(w.linear);
    if (st == DAE_NUMERIC || st == DAE_RETRY) st = DAE_OK;
    *is_done = !st && w.is_done;
    a->out->iterations += s->stats->newton_iterations - begun;
    if (!w.is_well_conditioned) a->out->is_regular = false;
    if (!st && !*is_done) st = snapshot_return(before, s);
    a->begun = NULL;
    arena_release(&s->arena, mark);
    return st;
}

/* ---- parts ---------------------------------------------------------------------------- */

/* Sets slots of the part at 0 to their units, inside their bounds. */
static bool leave_zero(init_system *s, const subset *p)
{
    bool is_moved = false;
    for (size_t j = 0; j < p->slot_count; j++) {
        const size_t k = (size_t)p->slots[j];
        if (s->z[k] != 0) continue;
        s->z[k] = unknowns_inside(s, k, unknowns_unit(s, k));
        is_moved = is_moved || s->z[k] != 0;
    }
    return is_moved;
}

static dae_status solve_counted(
    init_system *s, const subset *p, gauss_newton_result *result)
{
    dae_status st = DAE_OK;
    *result = (gauss_newton_result){.end = GAUSS_NEWTON_NO_VALUE};
    if (unknowns_have_values(s, s->res)) st = gauss_newton_solve(s, p, result);
    if (st || result->end != GAUSS_NEWTON_NO_VALUE) return st;
    /* a 0 may be only the default */
    if (leave_zero(s, p)) {
        st = unknowns_evaluate(s);
        if (!st) st = gauss_newton_solve(s, p, result);
        if (st != DAE_RETRY) return st;
    }
    for (size_t j = 0; j < p->slot_count; j++)
        s->z[p->slots[j]] = s->guess[p->slots[j]];
    st = unknowns_evaluate(s);
    return st == DAE_RETRY ? DAE_OK : st;
}

static void mark_part(search *a, const subset *p, uint8_t as)
{
    for (size_t i = 0; i < p->row_count; i++) a->is_row[p->rows[i]] = as;
    for (size_t j = 0; j < p->slot_count; j++) a->is_slot[p->slots[j]] = as;
}

/* While a part is solved only its own rows need values. */
static dae_status solve_subset(search *a, const subset *p)
{
    init_system *s = a->s;
    gauss_newton_result result;
    const uint8_t *counted = s->is_counted;
    uint8_t *is_free = s->is_free;
    if (p->row_count == 0) return DAE_OK;
    if (a->is_done && a->is_done[p->rows[0]]) return DAE_OK;
    a->begun = NULL;
    mark_part(a, p, 1);
    s->is_counted = a->is_row;
    s->is_free = a->is_slot;
    const dae_status st = solve_counted(s, p, &result);
    s->is_counted = counted;
    s->is_free = is_free;
    mark_part(a, p, 0);
    a->out->iterations += result.iterations;
    if (result.is_linear) a->out->is_regular = false;
    a->out->end = result.end;
    if (!st && result.end != GAUSS_NEWTON_SOLVED) {
        a->out->failed = *p;
        a->out->is_singular = result.is_deficient;
    }
    return st;
}

/* Each block costs residuals of all rows: many blocks of a large system are
 * solved together. */
static dae_status solve_blocks(search *a)
{
    order *o = &a->order;
    dae_status st = order_blocks(o, a->s);
    if (st) return st;
    /* each of the blocks evaluates all rows, at some 100 operations each */
    if ((double)o->count * (double)a->s->rows > WORK_OF_SECOND / 100)
        return solve_subset(a, &o->well);
    for (size_t k = 0; k < o->count && !st; k++) {
        const subset block = order_block(o, k);
        st = solve_subset(a, &block);
        if (a->out->end != GAUSS_NEWTON_SOLVED) break;
    }
    return st;
}

/* Rows whose slots are all given. */
static dae_status check_rows(search *a, bool *hold)
{
    subset *checks = &a->order.checks;
    dae_status st = DAE_OK;
    *hold = true;
    a->out->end = GAUSS_NEWTON_STALLED;
    for (size_t k = 0; k < checks->row_count && *hold && !st; k++) {
        const size_t row = (size_t)checks->rows[k];
        if (is_overflow(a->s->res[row])) a->out->end = GAUSS_NEWTON_NO_VALUE;
        st = tolerance_holds(a->s, row, hold);
    }
    if (*hold) a->out->end = GAUSS_NEWTON_SOLVED;
    else a->out->failed = *checks;
    return st;
}

/* Each block from its guesses, before any other search. */
static dae_status homotopy_of_blocks(search *a)
{
    dae_status st = order_blocks(&a->order, a->s);
    bool is_done;
    a->begun = NULL;
    for (size_t k = 0; k < a->order.count && !st; k++) {
        const subset block = order_block(&a->order, k);
        st = homotopy_solve(a->s, &block, &is_done);
    }
    if (!st) st = unknowns_jacobian(a->s);
    return st == DAE_RETRY ? DAE_OK : st;
}

static dae_status solve_square(search *a)
{
    bool is_done = false;
    if (a->s->request->is_homotopy_first && !a->is_trial && !a->is_done) {
        const dae_status st = homotopy_of_blocks(a);
        if (st) return st;
    }
    dae_status st = DAE_OK;
    if (!a->is_done && unknowns_have_values(a->s, a->s->res)
        && unknowns_have_slopes(a->s))
        st = solve_at_once(a, &is_done);
    if (st || is_done) return st;
    a->out->is_regular = false;
    return solve_blocks(a);
}

static dae_status solve_in_order(search *a)
{
    const order *o = &a->order;
    solution *out = a->out;
    bool hold;
    dae_status st = check_rows(a, &hold);
    if (st || !hold) return st;
    out->is_regular = !o->over.row_count && !o->under.row_count
        && !o->under.slot_count && !o->is_loose;
    out->checks = o->checks.row_count;
    st = solve_subset(a, &o->over);
    if (!st && out->end == GAUSS_NEWTON_SOLVED) st = solve_square(a);
    if (!st && out->end == GAUSS_NEWTON_SOLVED) st = solve_subset(a, &o->under);
    return st;
}

/* ---- error bounds ---------------------------------------------------------------------- */

static double size_of(const init_system *s, size_t slot)
{
    return fmax(fabs(s->z[slot]), s->scale[slot]);
}

/* The residual, but at least the rounding of the terms. */
static double error_of_row(const init_system *s, size_t row)
{
    const double term = s->noise[row] / rounding_of(ROUNDING_OF_SUMS);
    return fmax(fabs(s->res[row]), rounding_of(2) * term);
}

/* The Jacobian `values` of all parts together in units, to `a`, and the sizes of its
 * rows. If there are more rows than slots, a row is scaled by no less than TWO_DIGITS
 * times its error, so that near x = 0 the row x^2 = 0 weighs less than x = 0. An entry
 * below the rounding of its row becomes 0. */
static dae_status scale_part(init_system *s, const submatrix *m, double *values,
    double *a, double *row_size)
{
    const matrix_view all = submatrix_view(m, values);
    double *size = ARENA_ARRAY(&s->arena, double, m->columns);
    double *least = ARENA_ARRAY(&s->arena, double, m->rows);
    if (!size || !least) return DAE_MEMORY;
    for (size_t j = 0; j < m->columns; j++) {
        size[j] = size_of(s, (size_t)m->slot_at[j]);
        for (int64_t p = m->column_start[j]; p < m->column_start[j + 1]; p++)
            if (fabs(values[p]) * size[j] <= s->noise[m->row_at[m->row[p]]])
                values[p] = 0;
    }
    for (size_t i = 0; i < m->rows && m->rows > m->columns; i++)
        least[i] = TWO_DIGITS * error_of_row(s, (size_t)m->row_at[i]);
    row_sizes(&all, size, least, row_size);
    divide_to_dense(&all, row_size, size, a);
    return DAE_OK;
}

/* The value is so large that its guess is negligible; of a rate by a further factor
 * 1/rtol, for time scales down to rtol. */
static bool is_away(const init_system *s, size_t slot)
{
    const uint8_t *orders = s->request->stands_for;
    const bool is_rate = s->is_rate[slot] || slot >= s->states
        || (orders && orders[slot] > 0);
    const double rtol = s->request->rtol;
    const double unit = fmax(s->scale[slot], unknowns_unit(s, slot));
    const double size = unit / (is_rate ? rtol : 1);
    return size <= rtol * fabs(s->z[slot]);
}

/* The slot is in no row at the point, and its value is at least ten times its guess and
 * its size: no digit of the guess is left. */
static bool has_no_digit(
    const init_system *s, const submatrix *m, const double *values, size_t j)
{
    const size_t k = (size_t)m->slot_at[j];
    for (int64_t p = m->column_start[j]; p < m->column_start[j + 1]; p++)
        if (values[p] != 0) return false;
    const double from = fmax(s->scale[k], fabs(s->guess[k]));
    return from <= DIGIT * fabs(s->z[k]);
}

/* Residuals of dependent rows compare given values with each other and are
 * accepted within tolerance. */
static void accept_given(
    const init_system *s, const submatrix *m, double *error)
{
    for (size_t i = 0; i < m->rows; i++) {
        const size_t row = (size_t)m->row_at[i];
        if (fabs(s->res[row]) > ROUNDING_OF_SUMS * s->noise[row])
            error[i] = s->noise[row];
    }
}

/* The free slots of the rows, then the given ones in them. */
static dae_status list_data(search *a, const subset *all, subset *to)
{
    init_system *s = a->s;
    uint8_t *is_row = ARENA_ARRAY(&s->arena, uint8_t, s->rows);
    *to = *all;
    to->slots = ARENA_ARRAY(&s->arena, int32_t, s->slots);
    if (!is_row || !to->slots) return DAE_MEMORY;
    for (size_t i = 0; i < all->row_count; i++) is_row[all->rows[i]] = 1;
    memcpy(to->slots, all->slots, all->slot_count * sizeof *to->slots);
    for (size_t k = 0; k < s->slots; k++)
        if (!s->is_free[k] && unknowns_is_in(s, k, is_row))
            to->slots[to->slot_count++] = (int32_t)k;
    return DAE_OK;
}

/* The unit of a step in the slot: its size; of a given value its tolerance. */
static double unit_of(const init_system *s, size_t k)
{
    return s->is_free[k] ? size_of(s, k)
                         : s->request->rtol * fabs(s->z[k]) + s->atol[k];
}

static bool is_left(const init_system *s, size_t row)
{
    return fabs(s->res[row]) > fmax(ROUNDING_OF_SUMS * s->noise[row],
               DIGIT * NEGLIGIBLE * s->tolerance[row]);
}

/* d (columns of m): the step for all residuals, by given values as far as the free
 * ones cannot, in units of the slots; none where the rows are independent. */
static dae_status data_step(
    init_system *s, const submatrix *m, double *d, bool *are_dependent)
{
    rrqr qr;
    double *values = ARENA_ARRAY(&s->arena, double, m->entries);
    double *row_size = ARENA_ARRAY(&s->arena, double, m->rows);
    double *unit = ARENA_ARRAY(&s->arena, double, m->columns);
    double *b = ARENA_ARRAY(&s->arena, double, m->rows);
    if (!values || !row_size || !unit || !b
        || !rrqr_init(&qr, &s->arena, m->rows, m->columns))
        return DAE_MEMORY;
    submatrix_values(m, s, values);
    const matrix_view all = submatrix_view(m, values);
    for (size_t j = 0; j < m->columns; j++)
        unit[j] = size_of(s, (size_t)m->slot_at[j]);
    row_sizes(&all, unit, NULL, row_size);
    for (size_t j = 0; j < m->columns; j++) {
        const size_t k = (size_t)m->slot_at[j];
        qr.class[j] = !s->is_free[k];
        unit[j] = unit_of(s, k);
    }
    divide_to_dense(&all, row_size, unit, qr.a);
    for (size_t i = 0; i < m->rows; i++) {
        const size_t row = (size_t)m->row_at[i];
        const bool is_data = row
            >= s->equations; /* a condition, within itself */
        if (is_left(s, row) && !is_data) b[i] = -s->res[row] / row_size[i];
    }
    rrqr_factor(&qr, rank_zero(m->rows > m->columns ? m->rows : m->columns));
    *are_dependent = qr.upto[1] < m->rows;
    if (!*are_dependent) return DAE_OK;
    rrqr_complete(&qr);
    rrqr_solve(&qr, b, d);
    return DAE_OK;
}

/* Of dependent rows: residuals above rounding must result from given values, so a step
 * of free slots and of given values, these within their tolerances, must remove them.
 * Then the free slots keep the step; else *uncertain is a given slot that exceeds its
 * tolerance or a slot of a row whose residual remains. */
static dae_status check_data(search *a, const subset *all, size_t *uncertain)
{
    init_system *s = a->s;
    subset data;
    submatrix m;
    snapshot here;
    bool is_any = false, are_dependent;
    for (size_t i = 0; i < all->row_count && !is_any; i++)
        is_any = is_left(s, (size_t)all->rows[i]);
    if (!is_any) return DAE_OK;
    dae_status st = list_data(a, all, &data);
    if (!st) st = snapshot_take(&here, s);
    if (!st)
        st = submatrix_init(
            &m, s, data.rows, data.row_count, data.slots, data.slot_count);
    double *d = ARENA_ARRAY(&s->arena, double, data.slot_count);
    double *before = ARENA_ARRAY(&s->arena, double, s->rows);
    if (!st && (!d || !before)) st = DAE_MEMORY;
    if (!st) st = data_step(s, &m, d, &are_dependent);
    if (st || !are_dependent) return st;
    memcpy(before, s->res, s->rows * sizeof *before);
    for (size_t j = 0; j < m.columns; j++) {
        const size_t k = (size_t)m.slot_at[j];
        const double to = s->z[k] + d[j] * unit_of(s, k);
        s->z[k] = unknowns_inside(s, k, to);
        if (!s->is_free[k] && fabs(d[j]) > 1 + DIGIT) *uncertain = k;
    }
    st = unknowns_residual(s, s->z, s->res);
    for (size_t i = 0; i < m.rows && !st; i++) {
        const size_t row = (size_t)m.row_at[i];
        const bool is_gone = row >= s->equations || !is_left(s, row)
            || fabs(s->res[row]) <= DIGIT * fabs(before[row]);
        for (size_t j = 0; j < m.columns && !is_gone; j++)
            if (unknowns_reads(s, (size_t)m.slot_at[j], row))
                *uncertain = (size_t)m.slot_at[j];
    }
    if (st == DAE_RETRY) *uncertain = (size_t)m.slot_at[0];
    if (st && st != DAE_RETRY) return st;
    if (*uncertain != SIZE_MAX) return snapshot_return(&here, s);
    for (size_t k = 0; k < s->slots; k++)
        if (!s->is_free[k]) s->z[k] = here.z[k];
    return unknowns_evaluate(s);
}

/* A residual counts as an error of a slot only if the Newton step by the row's slope
 * reduces it: not at the boundary of a domain, where the slope is infinite. *uncertain
 * is a slot of a row that is not reduced. */
static dae_status check_slopes(
    init_system *s, const submatrix *m, size_t *uncertain)
{
    dae_status st = DAE_OK;
    for (size_t i = 0; i < m->rows && !st && *uncertain == SIZE_MAX; i++) {
        const size_t row = (size_t)m->row_at[i];
        bool does;
        st = tolerance_reaches(s, row, &does);
        for (size_t j = 0; j < m->columns && !st && !does; j++)
            if (unknowns_slope(s, (size_t)m->slot_at[j], row) != 0)
                *uncertain = (size_t)m->slot_at[j];
    }
    return st;
}

/* The size of the terms that a slot without a stated guess balances, as of lam*x in
 * x'' = -lam*x: the ratio of this size to its own, the least
 * over the rows where it has a constant coefficient; 1 if there are none. `at`: rows of
 * m by row of s, -1: not in m. */
static double implied_size(const init_system *s, const submatrix *m, size_t j,
    const int32_t *at, const double *values, const double *row_size)
{
    const size_t k = (size_t)m->slot_at[j];
    entry_range e[2];
    const int count = s->is_stated[k] ? 0 : unknowns_column(s, k, e);
    double least = DBL_MAX;
    int64_t entry = m->column_start[j];
    for (int q = 0; q < count; q++)
        for (int64_t p = e[q].begin; p < e[q].end; p++) {
            const int32_t row = at[(size_t)e[q].row[p] + e[q].offset];
            while (entry < m->column_start[j + 1] && m->row[entry] < row)
                entry++;
            const bool is_constant = e[q].kind
                && e[q].kind[p] != DAE_ENTRY_VARYING;
            if (row < 0 || !is_constant || entry == m->column_start[j + 1]
                || m->row[entry] != row)
                continue;
            if (values[entry] != 0)
                least = fmin(least, row_size[row] / fabs(values[entry]));
        }
    return least < DBL_MAX ? fmax(least / size_of(s, k), 1) : 1;
}

/* |J^+| (|r| + rounding) bounds the error of each slot [Hig02 7.2], which must leave a
 * quarter of the digits, as at triple roots. A slot that the rows leave open is accepted
 * if it is still at the scale of its guess. */
static dae_status bound_part(search *a, const subset *part, size_t *uncertain)
{
    init_system *s = a->s;
    submatrix m;
    rrqr qr;
    double most = sqrt(HALF_DIGITS);
    dae_status st = submatrix_init(
        &m, s, part->rows, part->row_count, part->slots, part->slot_count);
    if (st || m.rows == 0) return st;
    st = check_data(a, part, uncertain);
    if (!st && *uncertain == SIZE_MAX) st = check_slopes(s, &m, uncertain);
    if (st || *uncertain != SIZE_MAX) return st;
    double *values = ARENA_ARRAY(&s->arena, double, m.entries);
    double *row_size = ARENA_ARRAY(&s->arena, double, m.rows);
    double *left = ARENA_ARRAY(&s->arena, double, m.rows);
    double *error = ARENA_ARRAY(&s->arena, double, m.columns);
    double *open = ARENA_ARRAY(&s->arena, double, m.columns);
    int32_t *at = ARENA_ARRAY(&s->arena, int32_t, s->rows);
    if (!at || !values || !row_size || !left || !error || !open
        || !rrqr_init(&qr, &s->arena, m.rows, m.columns))
        return DAE_MEMORY;
    for (size_t i = 0; i < s->rows; i++) at[i] = -1;
    for (size_t i = 0; i < m.rows; i++) at[m.row_at[i]] = (int32_t)i;
    submatrix_values(&m, s, values);
    if ((st = scale_part(s, &m, values, qr.a, row_size))) return st;
    rrqr_factor(&qr,
        fmax(rank_zero(m.rows > m.columns ? m.rows : m.columns),
            a->is_dependent_accepted ? TWO_DIGITS * s->fuzz : 0));
    rrqr_complete(&qr);
    if ((st = rrqr_null_shares(&qr, &s->arena, open))) return st;
    for (size_t i = 0; i < m.rows; i++)
        left[i] = error_of_row(s, (size_t)m.row_at[i]);
    if (m.rows > qr.rank) accept_given(s, &m, left);
    for (size_t i = 0; i < m.rows; i++) left[i] /= row_size[i];
    st = rrqr_forward_error(&qr, &s->arena, left, error);
    for (size_t j = 0; j < m.columns; j++) {
        const size_t k = (size_t)m.slot_at[j];
        /* a value that is 0 within its error has no size of its own */
        if (error[j] > most && fabs(s->z[k]) <= error[j] * size_of(s, k))
            error[j] /= implied_size(s, &m, j, at, values, row_size);
        if (open[j] > DIGIT
            && (is_away(s, k) || has_no_digit(s, &m, values, j)))
            error[j] = 1;
        if (error[j] <= most) continue;
        most = error[j];
        *uncertain = k;
    }
    return st;
}

static bool is_dense(const subset *p)
{
    size_t cells;
    return size_mul(p->row_count, p->slot_count, &cells)
        && cells <= DENSE_CELLS_MOST;
}

/* All blocks together, as errors propagate from block to block; if these are too many,
 * block by block. *part: the one with the uncertain slot. */
static dae_status bound_errors(search *a, subset *part, size_t *uncertain)
{
    init_system *s = a->s;
    order *o = &a->order;
    *uncertain = SIZE_MAX;
    dae_status st = unknowns_evaluate_solution(s);
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    if ((st = order_join(o, s, part))) return st;
    if (is_dense(part)) return bound_part(a, part, uncertain);
    if ((st = order_blocks(o, s))) return st;
    if ((double)o->count * (double)s->rows > WORK_OF_SECOND / 100)
        return DAE_OK;
    for (size_t k = 0; k < o->count && *uncertain == SIZE_MAX && !st; k++) {
        const arena_position mark = arena_mark(&s->arena);
        *part = order_block(o, k);
        if (is_dense(part)) st = bound_part(a, part, uncertain);
        arena_release(&s->arena, mark);
    }
    return st;
}

/* A point with a slot whose error bound exceeds a quarter of its digits is no solution. */
static dae_status certify(search *a)
{
    subset part;
    if (a->out->end != GAUSS_NEWTON_SOLVED || a->out->is_regular
        || !a->s->request->is_thorough)
        return DAE_OK;
    const dae_status st = bound_errors(a, &part, &a->out->uncertain);
    if (st || a->out->uncertain == SIZE_MAX) return st;
    a->out->end = GAUSS_NEWTON_STALLED;
    a->out->failed = part;
    return DAE_OK;
}

/* ---- all rows together, homotopy --------------------------------------------------------- */

/* Also where slopes have no values. */
static dae_status go_back(const snapshot *to, init_system *s)
{
    const dae_status st = snapshot_return(to, s);
    return st == DAE_RETRY ? DAE_OK : st;
}

/* Solves all rows but those of `solved`. */
static dae_status solve_others(search *a, const subset *solved)
{
    a->is_done = ARENA_ARRAY(&a->s->arena, uint8_t, a->s->rows);
    if (!a->is_done) return DAE_MEMORY;
    for (size_t i = 0; i < solved->row_count; i++)
        a->is_done[solved->rows[i]] = 1;
    const dae_status st = solve_in_order(a);
    a->is_done = NULL;
    return st;
}

/* A later block that loses rank may constrain an earlier one: solves all rows
 * connected with the failed block together, then the others. */
static dae_status solve_together(
    search *a, const snapshot *begun, const subset *all)
{
    init_system *s = a->s;
    const subset failed = a->out->failed;
    snapshot end;
    if (all->row_count <= failed.row_count || !is_dense(all)) return DAE_OK;
    dae_status st = snapshot_take(&end, s);
    if (!st) st = go_back(begun, s);
    if (st || (st = solve_subset(a, all))) return st;
    if (a->out->end == GAUSS_NEWTON_SOLVED) st = solve_others(a, all);
    a->out->is_regular = false;
    if (!st) st = certify(a);
    if (st || a->out->end == GAUSS_NEWTON_SOLVED) return st;
    a->out->failed = failed;
    return go_back(&end, s);
}

/* The block from the guesses, then the other rows. If not solved, all is as
 * before. */
static dae_status solve_by_homotopy(search *a, const subset *p, bool is_all)
{
    init_system *s = a->s;
    const solution failed = *a->out;
    snapshot end;
    bool is_done;
    dae_status st = snapshot_take(&end, s);
    if (!st) st = homotopy_solve(s, p, &is_done);
    if (st) return st;
    if (is_done) {
        a->out->end = GAUSS_NEWTON_SOLVED;
        if (!is_all) st = solve_others(a, p);
        a->out->is_regular = false;
        if (!st) st = certify(a);
        if (st || a->out->end == GAUSS_NEWTON_SOLVED) return st;
    }
    *a->out = failed;
    return go_back(&end, s);
}

/* Searches again with all slots in one class: with classes, a slot of an earlier
 * one moves far if its entries are small beside those of the others. */
static dae_status solve_plainly(search *a, const snapshot *begun)
{
    init_system *s = a->s;
    const solution failed = *a->out;
    snapshot end;
    dae_status st = snapshot_take(&end, s);
    if (!st) st = snapshot_return(begun, s);
    if (st) return st;
    s->is_plain = true;
    a->out->uncertain = SIZE_MAX;
    st = solve_in_order(a);
    s->is_plain = false;
    if (!st) st = certify(a);
    if (st || a->out->end == GAUSS_NEWTON_SOLVED) return st;
    *a->out = failed;
    return go_back(&end, s);
}

/* The last reading of a point whose rows hold: conditions that depend on each other but
 * for rounding, which the certificate calls redundant, leave slots open instead of
 * uncertain. */
static dae_status certify_dependent(search *a)
{
    const solution failed = *a->out;
    a->out->end = GAUSS_NEWTON_SOLVED;
    a->is_dependent_accepted = true;
    const dae_status st = certify(a);
    a->is_dependent_accepted = false;
    if (!st && a->out->end != GAUSS_NEWTON_SOLVED) *a->out = failed;
    return st;
}

dae_status solve_rows(
    init_system *s, const uint8_t *is_in, bool is_trial, solution *out)
{
    snapshot begun;
    search a = {.s = s, .is_trial = is_trial, .begun = &begun, .out = out};
    subset everything, all;
    *out = (solution){.end = GAUSS_NEWTON_STALLED, .uncertain = SIZE_MAX};
    a.is_row = ARENA_ARRAY(&s->arena, uint8_t, s->rows);
    a.is_slot = ARENA_ARRAY(&s->arena, uint8_t, s->slots);
    if (!a.is_row || !a.is_slot) return DAE_MEMORY;
    dae_status st = snapshot_take(&begun, s);
    if (!st) st = order_init(&a.order, s, is_in);
    if (!st) st = solve_in_order(&a);
    if (!st) st = certify(&a);
    if (!st && out->uncertain != SIZE_MAX) st = solve_plainly(&a, &begun);
    if (!st && out->uncertain != SIZE_MAX) st = certify_dependent(&a);
    assert(st || out->end != GAUSS_NEWTON_SOLVED || out->uncertain == SIZE_MAX);
    if (st || out->end == GAUSS_NEWTON_SOLVED
        || out->end == GAUSS_NEWTON_NO_VALUE || !out->failed.slot_count)
        return st;
    assert(!out->is_regular || out->failed.row_count);
    const subset block = out->failed;
    if ((st = order_join(&a.order, s, &everything))) return st;
    if ((st = order_connect(s, &everything, &block, &all))) return st;
    st = solve_together(&a, &begun, &all);
    if (st || out->end == GAUSS_NEWTON_SOLVED) return st;
    if (!s->request->is_thorough || s->request->is_trial || is_trial)
        return DAE_OK;
    st = solve_by_homotopy(&a, &block, false);
    if (st || out->end == GAUSS_NEWTON_SOLVED
        || block.row_count == all.row_count)
        return st;
    return solve_by_homotopy(&a, &all, true);
}
