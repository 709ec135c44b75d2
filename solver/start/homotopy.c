/* Euler's predictor and Gauss and Newton's corrector by pseudo-inverses: steps
 * across the curve, or where there is freedom left across the surface, in
 * units of the slots' sizes [AG03 ch. 3, 10.2]. Small blocks only, within a
 * budget. */
#include "linalg/rank_revealing_qr.h"
#include "linalg/thresholds.h"
#include "start/snapshot.h"
#include "start/stages.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { STEPS = 400, EVALUATIONS = 600, CORRECTIONS = 6 };
/* Rows times slots of a block. */
enum { CELLS_MOST = 90000 };

typedef struct path {
    init_system *s;
    const subset *b;
    submatrix block;       /* of the part */
    submatrix wide;        /* with one more column, that of s */
    double *values;        /* of wide */
    double *f0;            /* block rows: residuals at the guesses */
    double *r;             /* block rows */
    rrqr qr;               /* of wide, scaled */
    double *row_scale, *y; /* block rows; columns of wide */
    double *scale, *d, *tangent, *next; /* columns of wide */
    double *w, *from;                   /* the same: values, s the last */
    int evaluations;
    bool is_late; /* no more work is allowed */
} path;

/* ---- one point --------------------------------------------------------------- */

static dae_status take_vectors(path *p)
{
    arena *a = &p->s->arena;
    const size_t rows = p->block.rows, columns = p->block.columns + 1;
    p->values = ARENA_ARRAY(a, double, p->block.entries + rows);
    p->f0 = ARENA_ARRAY(a, double, rows);
    p->r = ARENA_ARRAY(a, double, rows);
    p->scale = ARENA_ARRAY(a, double, columns);
    p->d = ARENA_ARRAY(a, double, columns);
    p->tangent = ARENA_ARRAY(a, double, columns);
    p->next = ARENA_ARRAY(a, double, columns);
    p->w = ARENA_ARRAY(a, double, columns);
    p->from = ARENA_ARRAY(a, double, columns);
    p->row_scale = ARENA_ARRAY(a, double, rows);
    p->y = ARENA_ARRAY(a, double, columns);
    const bool has_all = p->values && p->f0 && p->r && p->scale && p->d
        && p->tangent && p->next && p->w && p->from && p->row_scale && p->y
        && rrqr_init(&p->qr, a, rows, columns);
    return has_all ? DAE_OK : DAE_MEMORY;
}

static dae_status widen(path *p)
{
    const submatrix *m = &p->block;
    arena *a = &p->s->arena;
    submatrix *to = &p->wide;
    *to = *m;
    to->columns = m->columns + 1;
    to->entries = m->entries + m->rows;
    to->column_start = ARENA_ARRAY(a, int64_t, to->columns + 1);
    to->row = ARENA_ARRAY(a, int32_t, to->entries);
    if (!to->column_start || !to->row) return DAE_MEMORY;
    memcpy(to->column_start, m->column_start,
        (m->columns + 1) * sizeof *m->column_start);
    to->column_start[to->columns] = (int64_t)to->entries;
    memcpy(to->row, m->row, m->entries * sizeof *m->row);
    for (size_t i = 0; i < m->rows; i++) to->row[m->entries + i] = (int32_t)i;
    return DAE_OK;
}

static void factor(path *p)
{
    const submatrix *m = &p->wide;
    const matrix_view all = submatrix_view(m, p->values);
    scale_rows(&all, p->scale, p->row_scale);
    scale_to_dense(&all, p->row_scale, p->scale, p->qr.a);
    p->s->stats->factorizations++;
    rrqr_factor(&p->qr, fmax(rank_zero(m->columns), p->s->fuzz));
    rrqr_complete(&p->qr);
}

/* Residuals and Jacobian of H at w, factorized. DAE_RETRY: no values there. */
static dae_status evaluate(path *p)
{
    init_system *s = p->s;
    const size_t n = p->block.columns;
    dae_status st = unknowns_interrupt(s);
    if (st) return st;
    p->is_late = ++p->evaluations > EVALUATIONS;
    for (size_t j = 0; j < n; j++) s->z[p->block.slot_at[j]] = p->w[j];
    st = unknowns_residual(s, s->z, s->res);
    if (!st) st = unknowns_jacobian(s);
    if (st) return st;
    submatrix_values(&p->block, s, p->values);
    for (size_t i = 0; i < p->block.rows; i++) {
        p->values[p->block.entries + i] = p->f0[i];
        p->r[i] = s->res[p->block.row_at[i]] - (1 - p->w[n]) * p->f0[i];
    }
    factor(p);
    return DAE_OK;
}

/* d := the least change that makes r 0; r is overwritten. */
static dae_status step_across(path *p)
{
    for (size_t i = 0; i < p->wide.rows; i++) p->r[i] *= -p->row_scale[i];
    rrqr_solve(&p->qr, p->r, p->y);
    for (size_t j = 0; j < p->wide.columns; j++)
        p->d[j] = p->y[j] * p->scale[j];
    return any_overflow(p->d, p->wide.columns) ? DAE_NUMERIC : DAE_OK;
}

static double length_of(const path *p, const double *v)
{
    double sum = 0;
    for (size_t j = 0; j <= p->block.columns; j++)
        sum += v[j] / p->scale[j] * (v[j] / p->scale[j]);
    return sqrt(sum);
}

/* `next` := the part of v along the curve, scaled to length 1; *share: its length
 * relative to v. */
static dae_status project(path *p, const double *v, double *share)
{
    const submatrix *m = &p->wide;
    memset(p->r, 0, m->rows * sizeof *p->r);
    for (size_t j = 0; j < m->columns; j++)
        for (int64_t k = m->column_start[j]; k < m->column_start[j + 1]; k++)
            p->r[m->row[k]] += p->values[k] * v[j];
    const dae_status st = step_across(p);
    if (st) return st;
    for (size_t j = 0; j < m->columns; j++) p->next[j] = v[j] + p->d[j];
    const double length = length_of(p, p->next);
    *share = length / fmax(length_of(p, v), DBL_MIN);
    for (size_t j = 0; j < m->columns; j++) p->next[j] /= fmax(length, DBL_MIN);
    return DAE_OK;
}

/* ---- along the curve ---------------------------------------------------------- */

/* The direction in which s changes by `sign`, or where it does not change at
 * first, that of the slot that can move most freely. */
static dae_status begin(path *p, double sign, bool *has_begun)
{
    const size_t n = p->block.columns;
    double share = 0;
    memset(p->tangent, 0, (n + 1) * sizeof *p->tangent);
    p->tangent[n] = sign;
    dae_status st = project(p, p->tangent, &share);
    for (size_t j = 0; !st && !(share > HALF_DIGITS) && j < n && j < 50; j++) {
        memset(p->tangent, 0, (n + 1) * sizeof *p->tangent);
        p->tangent[j] = sign * p->scale[j];
        st = project(p, p->tangent, &share);
        if (!st && share < DIGIT) share = 0;
    }
    *has_begun = !st && share > HALF_DIGITS;
    memcpy(p->tangent, p->next, (n + 1) * sizeof *p->tangent);
    return st == DAE_NUMERIC ? DAE_OK : st;
}

static bool is_far(const path *p)
{
    const size_t n = p->block.columns;
    for (size_t j = 0; j < n; j++) {
        const size_t k = (size_t)p->block.slot_at[j];
        if (!(fabs(p->w[j] - p->s->guess[k]) <= p->scale[j] / HALF_DIGITS))
            return true;
    }
    return !(fabs(p->w[n]) <= 50 * CURVE_STEP);
}

static void keep_bounds(path *p)
{
    for (size_t j = 0; j < p->block.columns; j++) {
        const size_t k = (size_t)p->block.slot_at[j];
        p->w[j] = unknowns_inside(p->s, k, p->w[j]);
    }
}

/* From `from` by `step`, then projected onto the curve; `next`: its tangent. */
static dae_status advance(path *p, double step, bool *is_accepted)
{
    const size_t columns = p->wide.columns;
    double before = HALVED * step, share;
    *is_accepted = false;
    for (size_t j = 0; j < columns; j++)
        p->w[j] = p->from[j] + step * p->tangent[j];
    for (int k = 0;; k++) {
        keep_bounds(p);
        dae_status st = is_far(p) ? DAE_RETRY : evaluate(p);
        if (!st) st = step_across(p);
        if (st) return st == DAE_RETRY || st == DAE_NUMERIC ? DAE_OK : st;
        const double length = length_of(p, p->d);
        if (!(length <= (k ? HALVED : 1) * before)) return DAE_OK;
        for (size_t j = 0; j < columns; j++) p->w[j] += p->d[j];
        before = length;
        if (is_step_solved(length / (DIGIT * step))) break;
        if (k == CORRECTIONS || p->is_late) return DAE_OK;
    }
    const dae_status st = project(p, p->tangent, &share);
    if (st) return st == DAE_NUMERIC ? DAE_OK : st;
    *is_accepted = share >= CURVE_TURN;
    return DAE_OK;
}

/* Solves the equations (s = 1) if s passes 1 between `from` and `w`. */
static dae_status arrive(path *p, bool *is_done)
{
    init_system *s = p->s;
    gauss_newton_result result;
    const size_t n = p->block.columns;
    assert(p->from[n] < 1 && p->w[n] >= 1);
    const double share = (1 - p->from[n]) / (p->w[n] - p->from[n]);
    for (size_t j = 0; j < n; j++)
        s->z[p->block.slot_at[j]] = p->from[j] + share * (p->w[j] - p->from[j]);
    dae_status st = unknowns_residual(s, s->z, s->res);
    if (!st) st = gauss_newton_confirm(s, p->b, &result);
    *is_done = !st && result.end == GAUSS_NEWTON_SOLVED;
    return st == DAE_RETRY ? DAE_OK : st;
}

static void begin_at_guess(path *p)
{
    const size_t n = p->block.columns;
    for (size_t j = 0; j < n; j++)
        p->from[j] = p->w[j] = p->s->guess[p->block.slot_at[j]];
    p->from[n] = p->w[n] = 0;
}

static dae_status follow(path *p, double sign, bool *is_done)
{
    const size_t n = p->block.columns;
    double step = DIGIT;
    bool is_moving, is_accepted;
    p->evaluations = 0;
    begin_at_guess(p);
    dae_status st = evaluate(p);
    if (!st) st = begin(p, sign, &is_moving);
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    for (int k = 0; is_moving && k < STEPS && !p->is_late; k++) {
        if ((st = advance(p, step, &is_accepted))) return st;
        const bool has_passed = is_accepted && p->from[n] < 1 && p->w[n] >= 1;
        if (has_passed) {
            st = arrive(p, is_done);
            if (st || *is_done) return st;
        }
        if (is_accepted && !has_passed) {
            memcpy(p->from, p->w, (n + 1) * sizeof *p->w);
            memcpy(p->tangent, p->next, (n + 1) * sizeof *p->next);
            step = fmin(2 * step, CURVE_STEP);
        } else {
            step /= 2;
            is_moving = !is_step_solved(step / DIGIT);
        }
    }
    return DAE_OK;
}

/* ---- a block ------------------------------------------------------------------ */

/* The size of the guess, but the unit of the slot if that is at most atol/rtol. */
static double size_of(const path *p, size_t slot)
{
    const init_system *s = p->s;
    const double guess = fabs(s->guess[slot]);
    const bool is_size = guess > s->atol[slot] / s->request->rtol;
    return is_size ? guess : unknowns_unit(s, slot);
}

static dae_status path_init(path *p)
{
    init_system *s = p->s;
    const size_t n = p->b->slot_count;
    dae_status st = submatrix_init(&p->block, s, p->b->rows, p->b->row_count,
        p->b->slots, p->b->slot_count);
    if (st || (st = widen(p)) || (st = take_vectors(p))) return st;
    for (size_t j = 0; j < n; j++) {
        p->scale[j] = size_of(p, (size_t)p->b->slots[j]);
        s->z[p->b->slots[j]] = s->guess[p->b->slots[j]];
    }
    p->scale[n] = 1;
    assert(p->wide.columns == n + 1 && p->wide.rows == p->block.rows);
    if ((st = unknowns_residual(s, s->z, s->res))) return st;
    for (size_t i = 0; i < p->block.rows; i++)
        p->f0[i] = s->res[p->block.row_at[i]];
    return DAE_OK;
}

static bool is_small(const subset *b)
{
    size_t cells;
    return b->row_count > 0 && b->row_count <= b->slot_count
        && size_mul(b->row_count, b->slot_count + 1, &cells)
        && cells <= CELLS_MOST;
}

/* Records the number of slots found and the first one of the first block. */
static void remember(init_system *s, const subset *b)
{
    if (s->homotopy.count == 0) s->homotopy.slot = (size_t)b->slots[0];
    s->homotopy.count += b->slot_count;
}

/* Guesses that already solve the block: there is no curve to follow. */
static bool is_there(const path *p)
{
    for (size_t i = 0; i < p->block.rows; i++)
        if (fabs(p->f0[i]) > p->s->noise[p->block.row_at[i]]) return false;
    return true;
}

dae_status homotopy_solve(init_system *s, const subset *b, bool *is_done)
{
    path p = {.s = s, .b = b};
    snapshot before;
    const arena_position mark = arena_mark(&s->arena);
    *is_done = false;
    if (!is_small(b)) return DAE_OK;
    dae_status st = snapshot_take(&before, s);
    if (!st) st = path_init(&p);
    const bool has_way = !st && !is_there(&p);
    for (int k = 0; !st && has_way && !*is_done && k < 2; k++)
        st = follow(&p, k ? -1 : 1, is_done);
    assert(!*is_done || !st);
    if (*is_done) remember(s, b);
    else if (!st || st == DAE_RETRY || st == DAE_NUMERIC)
        st = snapshot_return(&before, s);
    arena_release(&s->arena, mark);
    return st == DAE_RETRY || st == DAE_NUMERIC ? DAE_OK : st;
}
