/* Residuals explained by the tolerances of the slots, and by rounding. */
#include "start/tolerance.h"
#include "base/real.h"
#include "linalg/jacobian.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

void tolerance_default(double *rtol, double *atol)
{
    if (!(*rtol > 0)) *rtol = START_RTOL;
    if (!(*atol > 0)) *atol = START_ATOL;
    assert(*rtol > 0 && *atol > 0);
}

void tolerance_fill(init_system *s, size_t j)
{
    const init_request *r = s->request;
    const layout *l = r->layout;
    const dae_scales *scales = r->problem->scales;
    const size_t top = l->first[j + 1] - 1, xp = s->states + j;
    const double nominal = scales && scales->nominal ? scales->nominal[j] : 0;
    assert(r->rtol > 0 && l->first[j] < l->first[j + 1]);
    for (size_t k = l->first[j]; k <= top; k++) {
        double least = r->atol[k] / r->rtol;
        if (nominal > 0) least = nominal;
        if (!(least > 0) || !isfinite(least)) least = 1;
        s->atol[k] = r->atol[k];
        s->scale[k] = larger(least, fabs(s->z[k]));
        assert(s->scale[k] > 0);
    }
    if (s->slots == s->states) return;
    s->atol[xp] = r->atol[top];
    s->scale[xp] = larger(s->scale[top], fabs(s->z[xp]));
}

double tolerance_remnant(const init_system *s)
{
    double most = 0;
    for (size_t k = 0; k < s->slots; k++)
        if (isfinite(s->z[k])) most = larger(most, fabs(s->z[k]));
    return rounding_of(128) * most;
}

void tolerance_sharpen(init_system *s, double least)
{
    const dae_start *start = s->request->problem->start;
    if (start && start->is_of_run) return;
    for (size_t k = 0; k < s->slots; k++) {
        const double z = s->is_free[k] ? s->guess[k] : s->z[k];
        const bool is_stated = !s->is_free[k] || s->is_stated[k];
        const double digits = DIGIT * DIGIT * DIGIT * fabs(z);
        if (is_stated && z != 0)
            s->atol[k] = fmin(s->atol[k], larger(digits, least));
    }
}

/* Are the residuals `res` of the slot's rows no larger than s->res, or than what the
 * relative tolerance makes of their largest term? */
static bool holds_around(const init_system *s, size_t slot, const double *res)
{
    const double share = s->request->rtol / rounding_of(ROUNDING_OF_SUMS);
    entry_range e[2];
    const int count = unknowns_column(s, slot, e);
    for (int q = 0; q < count; q++)
        for (int64_t p = e[q].begin; p < e[q].end; p++) {
            const size_t i = (size_t)e[q].row[p] + e[q].offset;
            const double most = larger(share, 1) * s->noise[i];
            if (fabs(res[i]) > larger(most, fabs(s->res[i]))) return false;
        }
    return true;
}

/* Is there a given value that may be rounding of 0? */
static bool has_remnant(const init_system *s, double remnant)
{
    for (size_t k = 0; k < s->slots; k++)
        if (!s->is_free[k] && s->z[k] != 0 && fabs(s->z[k]) <= remnant)
            return true;
    return false;
}

dae_status tolerance_judge_remnants(init_system *s)
{
    const double remnant = tolerance_remnant(s);
    if (!has_remnant(s, remnant)) return DAE_OK;
    const arena_position mark = arena_mark(&s->arena);
    double *z = ARENA_ARRAY(&s->arena, double, s->slots);
    double *res = ARENA_ARRAY(&s->arena, double, s->rows);
    if (!z || !res) return DAE_MEMORY;
    for (size_t k = 0; k < s->slots; k++)
        z[k] = fabs(s->z[k]) <= remnant ? 0 : s->z[k];
    const dae_status st = unknowns_residual(s, z, res);
    bool are_zero = !st;
    for (size_t k = 0; k < s->slots && are_zero; k++)
        are_zero = z[k] == s->z[k] || holds_around(s, k, res);
    arena_release(&s->arena, mark);
    if (st || are_zero) return st == DAE_RETRY ? DAE_OK : st;
    tolerance_sharpen(s, 0);
    tolerance_measure(s);
    return DAE_OK;
}

void tolerance_measure(init_system *s)
{
    const double rtol = s->request->rtol;
    assert(rtol > 0);
    memset(s->tolerance, 0, s->rows * sizeof *s->tolerance);
    memset(s->noise, 0, s->rows * sizeof *s->noise);
    for (size_t k = 0; k < s->slots; k++) {
        entry_range e[2];
        const int count = unknowns_column(s, k, e);
        const double size = fabs(s->z[k]);
        const double change = rtol * size + s->atol[k];
        /* rounding of a term and of the sum that contains it */
        const double rounding = rounding_of(ROUNDING_OF_SUMS) * size;
        for (int q = 0; q < count; q++) {
            for (int64_t p = e[q].begin; p < e[q].end; p++) {
                const size_t i = (size_t)e[q].row[p] + e[q].offset;
                const double slope = fabs(entry_value(&e[q], p));
                if (slope * change > s->tolerance[i])
                    s->tolerance[i] = slope * change;
                if (slope * rounding > s->noise[i])
                    s->noise[i] = slope * rounding;
            }
        }
    }
}

double tolerance_ratio(const init_system *s, size_t i)
{
    assert(i < s->rows && s->tolerance[i] >= 0 && s->noise[i] >= 0);
    const double size = fabs(s->res[i]);
    const double allowed = larger(s->tolerance[i], s->noise[i]);
    if (size <= allowed) return allowed > 0 ? size / allowed : 0;
    return allowed > 0 ? fmin(size / allowed, DBL_MAX) : DBL_MAX;
}

/* Whether the row falls to half, or changes sign, with the slot at z + by. */
static dae_status falls(
    init_system *s, size_t row, size_t slot, double by, double *res, bool *does)
{
    const double z = s->z[slot], before = s->res[row];
    s->z[slot] = z + by;
    const dae_status st = unknowns_residual(s, s->z, res);
    s->z[slot] = z;
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    *does = *does || fabs(res[row]) <= fabs(before) / 2
        || (res[row] > 0) != (before > 0);
    return DAE_OK;
}

dae_status tolerance_holds(init_system *s, size_t row, bool *holds)
{
    dae_status st = DAE_OK;
    *holds = tolerance_ratio(s, row) <= 1;
    if (!*holds
        || fabs(s->res[row]) <= s->noise[row] / rounding_of(ROUNDING_OF_SUMS))
        return DAE_OK;
    double *res = ARENA_ARRAY(&s->arena, double, s->rows);
    if (!res) return DAE_MEMORY;
    *holds = s->res[row] == 0;
    for (size_t k = 0; k < s->slots && !*holds && !st; k++) {
        const double by = s->request->rtol * fabs(s->z[k]) + s->atol[k];
        if (unknowns_slope(s, k, row) == 0) continue;
        st = falls(s, row, k, by, res, holds);
        if (!st) st = falls(s, row, k, -by, res, holds);
    }
    return st;
}

/* Where the row is the p-th root of a function its step is p times too long. */
enum { ROOTS = 4 };

dae_status tolerance_reaches(init_system *s, size_t row, bool *does)
{
    dae_status st = DAE_OK;
    *does = fabs(s->res[row])
        <= s->noise[row] / rounding_of(ROUNDING_OF_SUMS) * rounding_of(4);
    if (*does) return DAE_OK;
    double *res = ARENA_ARRAY(&s->arena, double, s->rows);
    if (!res) return DAE_MEMORY;
    for (size_t k = 0; k < s->slots && !*does && !st; k++) {
        const double slope = unknowns_slope(s, k, row);
        const double step = slope == 0 ? 0 : -s->res[row] / slope;
        const double tolerance = s->request->rtol * fabs(s->z[k]) + s->atol[k];
        const double most = s->is_free[k] ? fabs(step) : tolerance;
        if (step == 0 || is_overflow(step)) continue;
        for (int p = 1; p <= ROOTS && !*does && !st; p++)
            st = falls(s, row, k, copysign(fmin(fabs(step) / p, most), step),
                res, does);
    }
    return st;
}
