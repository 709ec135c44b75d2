/* The same as linalg/scale's units_of, entry by entry. */
#include "linalg/units.h"
#include <math.h>
#include <string.h>

enum { SWEEPS = 30, EXPONENT_MOST = 1000 };
/* Of an exponent of 2: what is nearer to its mean is there. */
static const double THERE = 0.25;

dae_status units_take(units *u, const linear_system *s)
{
    const dae_allocator *a = s->allocator;
    const size_t n = s->n, entries = (size_t)s->column_start[n];
    if (u->values) return DAE_OK;
    u->row = alloc_zeroed(a, n, sizeof *u->row);
    u->column = alloc_zeroed(a, n, sizeof *u->column);
    u->power = alloc_zeroed(a, entries, sizeof *u->power);
    u->sum = alloc_zeroed(a, n, sizeof *u->sum);
    u->count = alloc_zeroed(a, n, sizeof *u->count);
    u->values = alloc_zeroed(a, entries, sizeof *u->values);
    if (u->row && u->column && u->power && u->sum && u->count && u->values)
        return DAE_OK;
    units_clear(u, s);
    return DAE_MEMORY;
}

void units_clear(units *u, const linear_system *s)
{
    const dae_allocator *a = s->allocator;
    const size_t n = s->n, entries = (size_t)s->column_start[n];
    alloc_free(a, u->row, n, sizeof *u->row);
    alloc_free(a, u->column, n, sizeof *u->column);
    alloc_free(a, u->power, entries, sizeof *u->power);
    alloc_free(a, u->sum, n, sizeof *u->sum);
    alloc_free(a, u->count, n, sizeof *u->count);
    alloc_free(a, u->values, entries, sizeof *u->values);
    *u = (units){.row = NULL};
}

/* Moves all rows, or all columns, to a mean of 0; the largest move. */
static double center(units *u, const linear_system *s, bool of_rows)
{
    double *exponent = of_rows ? u->row : u->column;
    double most = 0;
    memset(u->sum, 0, s->n * sizeof *u->sum);
    memset(u->count, 0, s->n * sizeof *u->count);
    for (size_t j = 0; j < s->n; j++)
        for (int64_t p = s->column_start[j]; p < s->column_start[j + 1]; p++) {
            const size_t i = (size_t)s->row[p], at = of_rows ? i : j;
            if (!isfinite(u->power[p])) continue;
            u->sum[at] += u->power[p] + u->row[i] + u->column[j];
            u->count[at]++;
        }
    for (size_t k = 0; k < s->n; k++) {
        if (u->count[k] == 0) continue;
        const double by = u->sum[k] / u->count[k];
        exponent[k] -= by;
        most = fmax(most, fabs(by));
    }
    return most;
}

static void to_powers(double *exponent, size_t n)
{
    const double most = EXPONENT_MOST;
    for (size_t k = 0; k < n; k++)
        exponent[k] = ldexp(1, (int)rint(fmax(-most, fmin(most, exponent[k]))));
}

bool units_make(units *u, const linear_system *s, const double *values)
{
    const size_t n = s->n, entries = (size_t)s->column_start[n];
    double most = 2 * THERE;
    for (size_t p = 0; p < entries; p++) {
        if (!isfinite(values[p])) return false;
        u->power[p] = log2(fabs(values[p])); /* of 0 it is infinite */
    }
    memset(u->row, 0, n * sizeof *u->row);
    memset(u->column, 0, n * sizeof *u->column);
    for (int k = 0; k < SWEEPS && most > THERE; k++) {
        most = center(u, s, true);
        most = fmax(most, center(u, s, false));
    }
    to_powers(u->row, n);
    to_powers(u->column, n);
    for (size_t j = 0; j < n; j++)
        for (int64_t p = s->column_start[j]; p < s->column_start[j + 1]; p++)
            u->values[p] = values[p] * u->row[s->row[p]] * u->column[j];
    return true;
}
