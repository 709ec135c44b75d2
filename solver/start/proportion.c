/* x y = 1 with x^2 = 0: the search halves x and doubles y until x is within its
 * tolerance of 0; y is as large as that makes it, and would be larger for a
 * smaller one. A solution stays where it is. */
#include "start/proportion.h"
#include "start/damped.h"
#include "start/moment.h"
#include "start/uncertain.h"
#include <math.h>
#include <string.h>

/* So much of the tolerances there, or so little of what was left there. */
static const double GROWTH = 1e3, PART = 1e-3;
/* A tolerance above this part of the row's terms says that they may be
 * anything. */
static const double LOOSE = 0.1;
/* Tolerances of the second search against those of the first. */
static const double TIGHTER = 1e-6;
/* So far, as part of itself, a value may move in it. */
static const double STEADY = 0.5;

dae_status proportion_init(proportion *p, init_system *s)
{
    p->allowed = ARENA_ARRAY(&s->arena, double, s->rows);
    p->most = ARENA_ARRAY(&s->arena, double, s->rows);
    if (!p->allowed || !p->most) return DAE_MEMORY;
    for (size_t i = 0; i < s->rows; i++) {
        p->allowed[i] = fmax(s->tolerance[i], s->noise[i]);
        const double most = fmax(
            GROWTH * p->allowed[i], PART * fabs(s->res[i]));
        p->most[i] = most > 0 ? most : s->request->rtol;
    }
    return DAE_OK;
}

bool proportion_is_kept(const proportion *p, const init_system *s, size_t row)
{
    return fabs(s->res[row]) <= p->most[row];
}

/* Has the slot's value left all that it was taken for? */
static bool is_large(const init_system *s, size_t slot)
{
    const double size = fmax(s->scale[slot], fabs(s->guess[slot]));
    return fabs(s->z[slot]) > GROWTH * size;
}

static bool has_grown(const init_system *s, size_t slot)
{
    return s->is_free[slot] && is_large(s, slot);
}

bool proportion_is_any_grown(const init_system *s)
{
    for (size_t k = 0; k < s->slots; k++)
        if (is_large(s, k)) return true;
    return false;
}

static bool has_any_grown(const init_system *s, const submatrix *m)
{
    for (size_t j = 0; j < m->columns; j++)
        if (has_grown(s, (size_t)m->slot_at[j])) return true;
    return false;
}

size_t proportion_grown(const init_system *s, size_t row)
{
    double most = 0;
    size_t grown = 0;
    for (size_t k = 0; k < s->slots; k++) {
        entry_range e[2];
        const double size = fmax(s->scale[k], fabs(s->guess[k]));
        const int count = s->is_free[k] ? unknowns_column(s, k, e) : 0;
        for (int q = 0; q < count; q++)
            for (int64_t p = e[q].begin; p < e[q].end; p++) {
                if ((size_t)e[q].row[p] + e[q].offset != row) continue;
                if (!(fabs(s->z[k]) > most * size)) continue;
                most = fabs(s->z[k]) / size;
                grown = k;
            }
    }
    return grown;
}

/* The first row that a grown value makes loose: what tolerances of free slots
 * explain of it has grown, too, and is as large as its terms. m->rows: none. */
static dae_status find_loose(
    const proportion *p, init_system *s, const submatrix *m, size_t *local)
{
    arena *a = &s->arena;
    int32_t *number = ARENA_ARRAY(a, int32_t, s->rows);
    double *values = ARENA_ARRAY(a, double, m->entries);
    double *loose = ARENA_ARRAY(a, double, m->rows);
    uint8_t *is_grown = ARENA_ARRAY(a, uint8_t, m->rows);
    if (!number || !values || !loose || !is_grown) return DAE_MEMORY;
    submatrix_values(m, s, number, values);
    for (size_t j = 0; j < m->columns; j++) {
        const size_t k = (size_t)m->slot_at[j];
        const double change = s->request->rtol * fabs(s->z[k]) + s->atol[k];
        for (int64_t q = m->column_start[j]; q < m->column_start[j + 1]; q++) {
            const size_t i = (size_t)m->row[q];
            loose[i] = fmax(loose[i], fabs(values[q]) * change);
            if (has_grown(s, k)) is_grown[i] = 1;
        }
    }
    for (size_t j = 0; j < m->columns; j++) {
        const double z = s->z[m->slot_at[j]];
        for (int64_t q = m->column_start[j]; q < m->column_start[j + 1]; q++)
            if (loose[m->row[q]] <= LOOSE * fabs(values[q] * z))
                is_grown[m->row[q]] = 0;
    }
    for (*local = 0; *local < m->rows; ++*local) {
        const double before = p->allowed[m->row_at[*local]];
        if (is_grown[*local] && loose[*local] > GROWTH * before) break;
    }
    return DAE_OK;
}

/* Smaller tolerances, once more from here: do the grown values stay, and is no
 * row loose any more? Or their reciprocals are rounding. */
static dae_status look_closer(const proportion *p, init_system *s,
    const submatrix *m, const double *z, bool *is_steady)
{
    damped_result result;
    size_t local = m->rows;
    for (size_t k = 0; k < s->slots; k++) s->atol[k] *= TIGHTER;
    dae_status st = unknowns_jacobian(s);
    if (!st) unknowns_measure(s);
    if (!st) st = damped_reach(s, m, s->scale, &result);
    if (!st) st = unknowns_jacobian(s);
    if (!st) st = find_loose(p, s, m, &local);
    *is_steady = !st && result.outcome == DAMPED_SOLVED && local == m->rows;
    for (size_t j = 0; j < m->columns && *is_steady; j++) {
        const size_t k = (size_t)m->slot_at[j];
        const double moved = fabs(s->z[k] - z[k]);
        *is_steady = moved <= STEADY * fabs(z[k])
            || moved <= GROWTH * s->scale[k];
    }
    return st == DAE_RETRY ? DAE_OK : st;
}

static dae_status is_steady(
    const proportion *p, init_system *s, const submatrix *m, bool *out)
{
    double *z = ARENA_ARRAY(&s->arena, double, s->slots);
    double *res = ARENA_ARRAY(&s->arena, double, s->rows);
    double *atol = ARENA_ARRAY(&s->arena, double, s->slots);
    if (!z || !res || !atol) return DAE_MEMORY;
    memcpy(z, s->z, s->slots * sizeof *z);
    memcpy(res, s->res, s->rows * sizeof *res);
    memcpy(atol, s->atol, s->slots * sizeof *atol);
    dae_status st = look_closer(p, s, m, z, out);
    memcpy(s->z, z, s->slots * sizeof *z);
    memcpy(s->res, res, s->rows * sizeof *res);
    memcpy(s->atol, atol, s->slots * sizeof *atol);
    if (st) return st;
    st = unknowns_jacobian(s);
    if (!st) unknowns_measure(s);
    return st == DAE_RETRY ? DAE_OK : st;
}

/* Has the slot's value grown although no row answers to it here? What it makes of
 * a row, cancelled by other terms, is then below the rounding of the row. */
static bool is_idle(const init_system *s, const submatrix *m,
    const double *values, size_t column)
{
    const size_t k = (size_t)m->slot_at[column];
    if (!has_grown(s, k)) return false;
    for (int64_t q = m->column_start[column]; q < m->column_start[column + 1];
         q++) {
        const double noise = s->noise[m->row_at[m->row[q]]];
        if (fabs(values[q] * s->z[k]) > noise) return false;
    }
    return true;
}

/* Takes such values back to their guesses; false: there are none. */
static bool take_back(init_system *s, const submatrix *m, const double *values)
{
    bool is_any = false;
    for (size_t j = 0; j < m->columns; j++) {
        if (!is_idle(s, m, values, j)) continue;
        s->z[m->slot_at[j]] = s->guess[m->slot_at[j]];
        is_any = true;
    }
    return is_any;
}

/* The first row that does not hold any more where values that nothing
 * determines are as they were taken for: it was met because they had grown until
 * rounding concealed it. */
static dae_status find_drowned(init_system *s, const submatrix *m, size_t *row)
{
    moment here;
    int32_t *number = ARENA_ARRAY(&s->arena, int32_t, s->rows);
    double *values = ARENA_ARRAY(&s->arena, double, m->entries);
    if (!number || !values) return DAE_MEMORY;
    dae_status st = moment_take(&here, s);
    if (st) return st;
    submatrix_values(m, s, number, values);
    if (!take_back(s, m, values)) return DAE_OK;
    st = unknowns_residual(s, s->z, s->res);
    if (!st) st = unknowns_jacobian(s);
    if (!st) unknowns_measure(s);
    for (size_t i = m->rows; i-- > 0 && !st;)
        if (!(unknowns_ratio(s, (size_t)m->row_at[i]) <= 1))
            *row = (size_t)m->row_at[i];
    moment_return(&here, s);
    if (st && st != DAE_RETRY) return st;
    st = unknowns_jacobian(s);
    if (!st) unknowns_measure(s);
    return st == DAE_RETRY ? DAE_OK : st;
}

/* The first of the rows with the slot in it. */
static size_t row_with(const init_system *s, const submatrix *m, size_t slot)
{
    for (size_t i = 0; i < m->rows; i++) {
        const size_t row = (size_t)m->row_at[i];
        entry_range e[2];
        const int count = unknowns_column(s, slot, e);
        for (int q = 0; q < count; q++)
            for (int64_t p = e[q].begin; p < e[q].end; p++)
                if ((size_t)e[q].row[p] + e[q].offset == row
                    && entry_is_present(&e[q], p))
                    return row;
    }
    return s->rows;
}

dae_status proportion_judge(
    const proportion *p, init_system *s, const submatrix *m, size_t *row)
{
    size_t local = m->rows;
    bool is_kept = true;
    dae_status st = DAE_OK;
    *row = s->rows;
    if (s->request->has_high_derivatives) return DAE_OK;
    const arena_position mark = arena_mark(&s->arena);
    if (has_any_grown(s, m)) st = find_loose(p, s, m, &local);
    if (!st && local < m->rows) {
        is_kept = proportion_is_kept(p, s, (size_t)m->row_at[local]);
        if (is_kept) st = is_steady(p, s, m, &is_kept);
        if (!st && !is_kept) *row = (size_t)m->row_at[local];
    }
    if (!st && *row == s->rows && has_any_grown(s, m))
        st = find_drowned(s, m, row);
    if (!st && *row == s->rows) {
        size_t slot;
        st = uncertain_find(s, m, &slot);
        if (!st && slot < s->slots) *row = row_with(s, m, slot);
    }
    arena_release(&s->arena, mark);
    return st;
}
