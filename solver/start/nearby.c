/* A double root such as x^2 + y^2 = 1 at x = 1 leaves y open to first order,
 * although y is isolated: the second derivative says so. */
#include "start/nearby.h"
#include "base/splitmix.h"
#include "linalg/basis.h"
#include "linalg/rrqr.h"
#include "linalg/thresholds.h"
#include "start/gauss_newton.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum { SHORTER = 3, DIRECTIONS_MOST = 32 };

/* ---- another solution -------------------------------------------------------- */

/* A number in [-1, 1) for each k, the same in every run. */
static double number_of(size_t k)
{
    return splitmix_unit(splitmix(k * UINT64_C(0x9E3779B97F4A7C15)));
}

/* What a movement of each column's slot is measured by: its size, and where
 * that is small or not known a part of what the rows balance it against. */
static void measure(const init_system *s, const tangent *t, double *size)
{
    double most = 0;
    for (size_t j = 0; j < t->columns; j++)
        most = fmax(most, s->scale[t->slot_at[j]] * t->unit[j]);
    for (size_t j = 0; j < t->columns; j++)
        size[j] = fmax(s->scale[t->slot_at[j]], ASIDE * most / t->unit[j]);
}

/* v (columns), in the tangent's units, to the slots' own, with the largest 1
 * against `size`; what that divided v by. */
static double stretch(const tangent *t, const double *size, double *v)
{
    double most = 0;
    for (size_t j = 0; j < t->columns; j++) {
        v[j] /= t->column_size[j];
        most = fmax(most, fabs(v[j]) / size[j]);
    }
    if (!(most > 0)) return 1;
    for (size_t j = 0; j < t->columns; j++) v[j] /= most;
    return most;
}

static void step_along(init_system *s, const tangent *t, const double *from,
    const double *v, double by)
{
    for (size_t j = 0; j < t->columns; j++) {
        const size_t k = (size_t)t->slot_at[j];
        s->z[k] = fmin(fmax(from[k] + by * v[j], s->low[k]), s->high[k]);
    }
}

static dae_status solve_equations(
    init_system *s, const tangent *t, bool *is_moved)
{
    gauss_newton_result result;
    subset all = {.rows = ARENA_ARRAY(&s->arena, int32_t, s->equations),
        .slots = ARENA_ARRAY(&s->arena, int32_t, t->columns),
        .row_count = s->equations,
        .slot_count = t->columns};
    if (!all.rows || !all.slots) return DAE_MEMORY;
    memcpy(all.slots, t->slot_at, t->columns * sizeof *all.slots);
    for (size_t i = 0; i < s->equations; i++) all.rows[i] = (int32_t)i;
    memcpy(s->guess, s->z, s->slots * sizeof *s->guess);
    dae_status st = unknowns_residual(s, s->z, s->res);
    if (!st) st = gauss_newton_solve(s, &all, &result);
    if (!st && result.end == GAUSS_NEWTON_SOLVED) {
        if ((st = unknowns_residual(s, s->z, s->res))) return st;
        if ((st = unknowns_jacobian(s))) return st;
        *is_moved = true;
    }
    return st;
}

dae_status nearby_go(
    nearby *w, init_system *s, const tangent *t, bool *is_moved)
{
    arena *a = &s->arena;
    dae_status st = DAE_OK;
    w->z = ARENA_ARRAY(a, double, s->slots);
    w->guess = ARENA_ARRAY(a, double, s->slots);
    w->res = ARENA_ARRAY(a, double, s->rows);
    double *v = ARENA_ARRAY(a, double, t->columns);
    double *size = ARENA_ARRAY(a, double, t->columns);
    *is_moved = false;
    if (!w->z || !w->guess || !w->res || !v || !size) return DAE_MEMORY;
    memcpy(w->z, s->z, s->slots * sizeof *s->z);
    memcpy(w->guess, s->guess, s->slots * sizeof *s->z);
    memcpy(w->res, s->res, s->rows * sizeof *s->res);
    assert(t->freedom > 0);
    for (size_t d = 0; d < t->freedom; d++)
        for (size_t j = 0; j < t->columns; j++)
            v[j] += number_of(d) * t->free[d * t->columns + j];
    measure(s, t, size);
    (void)stretch(t, size, v);
    double by = ASIDE;
    for (int k = 0; k < SHORTER && !*is_moved; k++, by /= 10) {
        step_along(s, t, w->z, v, by);
        st = solve_equations(s, t, is_moved);
        if (st && st != DAE_RETRY) return st;
    }
    return DAE_OK;
}

dae_status nearby_return(const nearby *w, init_system *s)
{
    memcpy(s->z, w->z, s->slots * sizeof *s->z);
    memcpy(s->guess, w->guess, s->slots * sizeof *s->z);
    memcpy(s->res, w->res, s->rows * sizeof *s->res);
    const dae_status st = unknowns_jacobian(s);
    if (!st) unknowns_measure(s);
    return st;
}

/* ---- second order ------------------------------------------------------------- */

/* All rows against the slots that exist. */
typedef struct bend {
    init_system *s;
    const tangent *t;
    submatrix m;
    size_t entries;
    double *size;         /* columns */
    double *at, *up, *to; /* entries: Jacobians at the point, on either side */
    double *left;         /* rows x fixed: what no free slot changes */
    size_t fixed;
    double *magnitude; /* rows: largest term */
    double *change;    /* rows: scratch */
} bend;

static dae_status bend_init(bend *b)
{
    init_system *s = b->s;
    arena *a = &s->arena;
    int32_t *rows = ARENA_ARRAY(a, int32_t, s->rows);
    if (!rows) return DAE_MEMORY;
    for (size_t i = 0; i < s->rows; i++) rows[i] = (int32_t)i;
    const dae_status st = submatrix_init(
        &b->m, s, rows, s->rows, b->t->slot_at, b->t->columns);
    if (st) return st;
    b->size = ARENA_ARRAY(a, double, b->m.columns);
    b->at = ARENA_ARRAY(a, double, b->m.entries);
    b->up = ARENA_ARRAY(a, double, b->m.entries);
    b->to = ARENA_ARRAY(a, double, b->m.entries);
    b->magnitude = ARENA_ARRAY(a, double, s->rows);
    b->change = ARENA_ARRAY(a, double, s->rows);
    if (!b->size || !b->at || !b->up || !b->to || !b->magnitude || !b->change)
        return DAE_MEMORY;
    measure(s, b->t, b->size);
    submatrix_values(&b->m, s, b->at);
    for (size_t j = 0; j < b->m.columns; j++)
        for (int64_t p = b->m.column_start[j]; p < b->m.column_start[j + 1];
             p++) {
            double *most = &b->magnitude[b->m.row[p]];
            *most = fmax(*most, fabs(b->at[p]) * b->size[j]);
        }
    return DAE_OK;
}

/* The combinations of rows that no free slot changes: the null space of the
 * transpose of the free columns. */
static dae_status find_left(bend *b)
{
    const submatrix *m = &b->m;
    size_t columns = 0;
    double *matrix = ARENA_ARRAY(&b->s->arena, double, m->rows * m->columns);
    if (!matrix) return DAE_MEMORY;
    for (size_t j = 0; j < m->columns; j++)
        columns += b->s->is_free[m->slot_at[j]] != 0;
    size_t at = 0;
    for (size_t j = 0; j < m->columns; j++) {
        if (!b->s->is_free[m->slot_at[j]]) continue;
        for (int64_t p = m->column_start[j]; p < m->column_start[j + 1]; p++) {
            const size_t i = (size_t)m->row[p];
            if (b->magnitude[i] > 0)
                matrix[i * columns + at] = b->at[p] * b->size[j]
                    / b->magnitude[i];
        }
        at++;
    }
    return rrqr_null_space(&b->s->arena, matrix, columns, m->rows, CIRCUIT_ZERO,
        &b->left, &b->fixed);
}

static dae_status jacobian_aside(
    bend *b, const double *from, const double *v, double by, double *values)
{
    init_system *s = b->s;
    step_along(s, b->t, from, v, by);
    dae_status st = unknowns_residual(s, s->z, s->res);
    if (!st) st = unknowns_jacobian(s);
    if (!st) submatrix_values(&b->m, s, values);
    return st;
}

/* to := change of the Jacobian along v from one side to the other; false
 * where there is no value. */
static dae_status turn(bend *b, const double *from, const double *v)
{
    double by = ASIDE;
    dae_status st = DAE_RETRY;
    for (int k = 0; k < SHORTER && st == DAE_RETRY; k++, by /= 10) {
        st = jacobian_aside(b, from, v, by, b->up);
        if (!st) st = jacobian_aside(b, from, v, -by, b->to);
    }
    for (size_t p = 0; p < b->m.entries && !st; p++)
        b->to[p] = b->up[p] - b->to[p];
    if (st == DAE_RETRY) /* taken for straight */
        memset(b->to, 0, b->m.entries * sizeof *b->to);
    return st == DAE_RETRY ? DAE_OK : st;
}

/* Rows i * fixed ... of `forms` (count * fixed x count), column j: what left
 * combination l makes of the change times direction j. */
static void put_forms(
    bend *b, const double *v, size_t i, size_t count, double *forms)
{
    const submatrix *m = &b->m;
    for (size_t j = 0; j < count; j++) {
        double *form = forms + (j * count + i) * b->fixed;
        memset(b->change, 0, m->rows * sizeof *b->change);
        for (size_t c = 0; c < m->columns; c++)
            for (int64_t p = m->column_start[c]; p < m->column_start[c + 1];
                 p++)
                b->change[m->row[p]] += b->to[p] * v[j * m->columns + c];
        for (size_t r = 0; r < m->rows; r++)
            if (b->magnitude[r] > 0) b->change[r] /= b->magnitude[r];
        for (size_t l = 0; l < b->fixed; l++)
            for (size_t r = 0; r < m->rows; r++)
                form[l] += b->left[l * m->rows + r] * b->change[r];
    }
}

static dae_status find_forms(
    bend *b, const double *v, size_t count, double *forms)
{
    init_system *s = b->s;
    double *from = ARENA_ARRAY(&s->arena, double, s->slots);
    double *res = ARENA_ARRAY(&s->arena, double, s->rows);
    dae_status st = DAE_OK;
    if (!from || !res) return DAE_MEMORY;
    memcpy(from, s->z, s->slots * sizeof *from);
    memcpy(res, s->res, s->rows * sizeof *res);
    for (size_t i = 0; i < count && !st; i++) {
        st = turn(b, from, v + i * b->m.columns);
        if (!st) put_forms(b, v, i, count, forms);
    }
    memcpy(s->z, from, s->slots * sizeof *from);
    memcpy(s->res, res, s->rows * sizeof *res);
    if (st) return st;
    if ((st = unknowns_jacobian(s))) return st;
    unknowns_measure(s);
    return DAE_OK;
}

/* Differences of an exact Jacobian over ASIDE of the sizes: what is below is
 * rounding. */
static double curved(const bend *b)
{
    return rank_zero(b->m.columns) / ASIDE;
}

/* Is m (count x count, symmetric, largest entry `most`) without directions of
 * the other sign? By Cholesky's factors of it, raised by what rounding is. */
static bool has_one_sign(
    const double *m, size_t count, double sign, double most, double *l)
{
    for (size_t k = 0; k < count * count; k++) l[k] = sign * m[k];
    for (size_t k = 0; k < count; k++) {
        l[k * count + k] += HALF_DIGITS * most;
        if (!(l[k * count + k] > 0)) return false;
        l[k * count + k] = sqrt(l[k * count + k]);
        for (size_t i = k + 1; i < count; i++)
            l[k * count + i] /= l[k * count + k];
        for (size_t j = k + 1; j < count; j++)
            for (size_t i = j; i < count; i++)
                l[j * count + i] -= l[k * count + i] * l[k * count + j];
    }
    return true;
}

/* Whether one of the forms has one sign, and is 0 along `left` directions
 * alone. */
static dae_status is_any_one_sided(const bend *b, const double *forms,
    size_t count, size_t left, bool *is_one_sided)
{
    arena *a = &b->s->arena;
    double *m = ARENA_ARRAY(a, double, count *count);
    double *l = ARENA_ARRAY(a, double, count *count);
    double *straight;
    size_t dimension;
    *is_one_sided = false;
    if (!m || !l) return DAE_MEMORY;
    for (size_t f = 0; f < b->fixed && !*is_one_sided; f++) {
        double most = 0;
        for (size_t k = 0; k < count * count; k++) {
            m[k] = forms[k * b->fixed + f];
            most = fmax(most, fabs(m[k]));
        }
        if (!(most > curved(b))) continue;
        if (!has_one_sign(m, count, 1, most, l)
            && !has_one_sign(m, count, -1, most, l))
            continue;
        for (size_t k = 0; k < count * count; k++) m[k] /= most;
        const dae_status st = rrqr_null_space(
            a, m, count, count, rank_zero(count), &straight, &dimension);
        if (st) return st;
        *is_one_sided = dimension == left;
    }
    return DAE_OK;
}

/* The null space of the forms, as combinations of the directions. */
static dae_status find_straight(
    bend *b, double *forms, size_t count, double **inner, size_t *inner_count)
{
    const double noise = fmax(curved(b), b->s->fuzz);
    const size_t rows = count * b->fixed;
    double most = 0;
    for (size_t p = 0; p < rows * count; p++) {
        if (fabs(forms[p]) <= noise) forms[p] = 0;
        most = fmax(most, fabs(forms[p]));
    }
    /* forms of very different sizes are all forms */
    const double zero = most > 0 ? fmin(0.5, noise / most) : 0.5;
    return rrqr_null_space(
        &b->s->arena, forms, rows, count, zero, inner, inner_count);
}

/* `open` times `inner` (before x count), where direction i of `inner` counts
 * 1 / by[i]. */
static dae_status combine(init_system *s, const tangent *t, const double *inner,
    const double *by, size_t before, double **open, size_t *count)
{
    arena *a = &s->arena;
    row_basis b;
    double *row = ARENA_ARRAY(a, double, before);
    double *out = ARENA_ARRAY(a, double, t->columns **count);
    if (!row || !out || !row_basis_init(&b, a, before, before))
        return DAE_MEMORY;
    for (size_t c = 0; c < *count; c++) {
        double most = 0;
        for (size_t i = 0; i < before; i++) {
            row[i] = inner[c * before + i] / by[i];
            most = fmax(most, fabs(row[i]));
        }
        for (size_t i = 0; i < before; i++) row[i] /= most;
        (void)row_basis_add(&b, row, 0);
    }
    *count = b.count;
    for (size_t c = 0; c < b.count; c++)
        for (size_t i = 0; i < before; i++)
            for (size_t j = 0; j < t->columns; j++)
                out[c * t->columns + j] += b.q[c * before + i]
                    * (*open)[i * t->columns + j];
    *open = out;
    return DAE_OK;
}

dae_status nearby_straighten(init_system *s, const tangent *t, double **open,
    size_t *count, bool *is_one_sided)
{
    bend b = {.s = s, .t = t};
    const size_t columns = t->columns, before = *count;
    double *inner, *kept;
    dae_status st;
    *is_one_sided = false;
    if (before > DIRECTIONS_MOST) return DAE_OK;
    if ((st = bend_init(&b)) || (st = find_left(&b))) return st;
    double *v = ARENA_ARRAY(&s->arena, double, columns *before);
    double *by = ARENA_ARRAY(&s->arena, double, before);
    double *forms = ARENA_ARRAY(&s->arena, double, before *b.fixed *before);
    if (!v || !by || !forms) return DAE_MEMORY;
    memcpy(v, *open, columns * before * sizeof *v);
    for (size_t i = 0; i < before; i++)
        by[i] = stretch(t, b.size, v + i * columns);
    if ((st = find_forms(&b, v, before, forms))) return st;
    const size_t size = before * b.fixed * before;
    if (!(kept = ARENA_ARRAY(&s->arena, double, size))) return DAE_MEMORY;
    memcpy(kept, forms, size * sizeof *kept);
    if ((st = find_straight(&b, forms, before, &inner, count))) return st;
    assert(*count <= before);
    st = is_any_one_sided(&b, kept, before, *count, is_one_sided);
    if (st) return st;
    return combine(s, t, inner, by, before, open, count);
}
