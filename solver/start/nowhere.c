/* What is left of the block's few rows at the minimum of their squares, or of
 * one row where its values end. */
#include "start/nowhere.h"
#include "start/descent.h"
#include "start/scan.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* Rows of which this part of the largest is left do not count. */
static const double LITTLE = 1e-2;
/* So little does a change of the slot's size change the row. */
static const double FLAT = 1e-3;
/* Back from the end of a row's values: of the slot's value, of its size. */
static const double ROUNDING = 32 * DBL_EPSILON, TINY = 1e-20;

/* The only row of the block that does not hold; rows: not one. */
static size_t row_left(const descent *v, size_t *count)
{
    const init_system *s = v->s;
    size_t left = s->rows;
    *count = 0;
    for (size_t i = 0; i < v->m.rows; i++) {
        const size_t row = (size_t)v->m.row_at[i];
        if (unknowns_ratio(s, row) <= 1) continue;
        left = row;
        ++*count;
    }
    return *count == 1 ? left : s->rows;
}

/* Marks the slots in the row; true where none of them changes it, but beyond its
 * bound. */
static bool mark_flat(const descent *v, size_t row, uint8_t *is_flat)
{
    const submatrix *m = &v->m;
    const double left = fabs(v->s->res[row]);
    for (size_t j = 0; j < m->columns; j++) {
        for (int64_t p = m->column_start[j]; p < m->column_start[j + 1]; p++) {
            const size_t slot = (size_t)m->slot_at[j];
            const double slope = v->values[p] * v->s->res[row];
            if ((size_t)m->row_at[m->row[p]] != row) continue;
            if (fabs(v->values[p]) * v->size[j] > FLAT * left
                && !descent_is_held(v->s, slot, slope))
                return false;
            is_flat[slot] = 1;
        }
    }
    return true;
}

/* Marks the slots of which, as they measure, a change changes none of the rows
 * that most is left of. */
static void mark_flat_in_all(const descent *v, uint8_t *is_flat)
{
    const init_system *s = v->s;
    const submatrix *m = &v->m;
    double most = 0;
    for (size_t i = 0; i < m->rows; i++)
        most = fmax(most, v->weight[i] * fabs(s->res[m->row_at[i]]));
    for (size_t j = 0; j < m->columns; j++) {
        bool is_in = false, does_change = false;
        for (int64_t p = m->column_start[j]; p < m->column_start[j + 1]; p++) {
            const int32_t i = m->row[p];
            const double left = fabs(s->res[m->row_at[i]]);
            if (v->weight[i] * left <= LITTLE * most) continue;
            is_in = true;
            if (fabs(v->values[p]) * v->size[j] > FLAT * left)
                does_change = true;
        }
        is_flat[m->slot_at[j]] = is_in && !does_change;
    }
}

/* Is the row smaller anywhere else along its slots? Flat pieces are not
 * minima: there it is nearly the same on one side at least. */
static dae_status is_proved(
    descent *v, size_t row, const uint8_t *is_flat, bool *is_sure)
{
    init_system *s = v->s;
    double work = SCAN_WORK;
    *is_sure = true;
    for (size_t k = 0; k < s->slots && *is_sure; k++) {
        scan c;
        scan_account seen;
        if (!is_flat[k]) continue;
        dae_status st = scan_init(&c, s, row, k, &work);
        if (!st) st = scan_judge(&c, &seen);
        if (st) return st;
        *is_sure = seen.is_constant || (seen.is_least && seen.is_between);
    }
    return DAE_OK;
}

/* From the end of a row's values, at which the residuals are taken, to where
 * there are slopes, too. */
static dae_status step_back(init_system *s, size_t slot, double way)
{
    const double size = fmax(
        ROUNDING * fabs(s->z[slot]), TINY * scan_unit(s, slot));
    dae_status st = unknowns_residual(s, s->z, s->res);
    s->z[slot] = fmin(
        fmax(s->z[slot] - way * size, s->low[slot]), s->high[slot]);
    if (st == DAE_RETRY) st = unknowns_residual(s, s->z, s->res);
    if (!st) st = unknowns_jacobian(s);
    if (!st) unknowns_measure(s);
    return st;
}

/* One row for one slot, which is least at the end of its values or in a cusp:
 * no slope is 0 there, nor need there be one. */
static dae_status find_end(
    init_system *s, const subset *block, nowhere *out)
{
    const size_t row = (size_t)block->rows[0], slot = (size_t)block->slots[0];
    const double at = s->z[slot];
    double work = SCAN_WORK, way = -1;
    scan c;
    scan_account seen = {.is_least = false};
    dae_status st = scan_init(&c, s, row, slot, &work);
    if (!st) st = scan_end(&c, way);
    if (!st && s->z[slot] == at) st = scan_end(&c, way = 1);
    if (!st) st = scan_judge(&c, &seen);
    out->is_found = !st && work > 0 && seen.is_least && seen.is_between
        && !seen.is_constant;
    if (out->is_found) st = step_back(s, slot, way);
    if (!st && out->is_found) {
        out->is_minimum = true;
        out->row = row;
        out->is_flat[slot] = 1;
        return DAE_OK;
    }
    s->z[slot] = at;
    out->is_found = false;
    return st == DAE_RETRY ? DAE_OK : st;
}

dae_status nowhere_find(init_system *s, const subset *block, nowhere *out)
{
    descent v;
    size_t count;
    *out = (nowhere){
        .row = s->rows, .is_flat = ARENA_ARRAY(&s->arena, uint8_t, s->slots)};
    if (!out->is_flat) return DAE_MEMORY;
    if (block->slot_count == 0 || block->slot_count > DESCENT_MOST
        || block->row_count > DESCENT_MOST)
        return DAE_OK;
    dae_status st = descent_init(&v, s, block);
    if (!st) st = descent_run(&v, &out->is_minimum);
    const bool is_one = block->row_count == 1 && block->slot_count == 1;
    if (st && st != DAE_RETRY) return st;
    if (!out->is_minimum) return is_one ? find_end(s, block, out) : DAE_OK;
    if (st) return DAE_OK;
    out->row = row_left(&v, &count);
    if (count == 0) {
        out->is_minimum = false;
        out->is_solved = true;
    }
    if (out->row < s->rows && mark_flat(&v, out->row, out->is_flat)) {
        st = is_proved(&v, out->row, out->is_flat, &out->is_found);
        out->is_doubtful = !out->is_found;
    } else if (!st && is_one && count == 1) {
        st = find_end(s, block, out);
    }
    if (!out->is_found) memset(out->is_flat, 0, s->slots);
    out->is_spread = count > 1;
    if (out->is_spread) mark_flat_in_all(&v, out->is_flat);
    return st;
}
