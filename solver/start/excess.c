/* One row more than a regular square matrix has is a combination of its rows:
 * that solves a system with the transposed matrix, which stays sparse. */
#include "start/excess.h"
#include "graph/match.h"
#include "linalg/linear.h"
#include <math.h>
#include <string.h>

/* So many rows too many are tried. */
enum { TRIED = 16 };
/* Coefficients below this part of the largest are rounding. */
static const double PART_ZERO = 1e-5;

/* The entries that are not 0, and their transpose: columns of `turned` are the
 * matched rows. */
typedef struct excess {
    const excess_rows *r;
    size_t rows, columns;
    int64_t *column_start, *turned_start;
    int32_t *row, *turned_row, *row_of, *column_of;
    double *values, *turned, *solution;
} excess;

static bool take_room(excess *x, arena *a)
{
    const size_t entries = x->r->m->entries;
    x->column_start = ARENA_ARRAY(a, int64_t, x->columns + 1);
    x->turned_start = ARENA_ARRAY(a, int64_t, x->columns + 1);
    x->row = ARENA_ARRAY(a, int32_t, entries);
    x->turned_row = ARENA_ARRAY(a, int32_t, entries);
    x->row_of = ARENA_ARRAY(a, int32_t, x->columns);
    x->column_of = ARENA_ARRAY(a, int32_t, x->rows);
    x->values = ARENA_ARRAY(a, double, entries);
    x->turned = ARENA_ARRAY(a, double, entries);
    x->solution = ARENA_ARRAY(a, double, x->columns);
    return x->column_start && x->turned_start && x->row && x->turned_row
        && x->row_of && x->column_of && x->values && x->turned && x->solution;
}

static void take_entries(excess *x)
{
    const submatrix *m = x->r->m;
    int64_t at = 0;
    for (size_t j = 0; j < x->columns; j++) {
        for (int64_t p = m->column_start[j]; p < m->column_start[j + 1]; p++) {
            const double value = x->r->values[p] * x->r->scale[m->row[p]];
            if (value == 0 || !isfinite(value)) continue;
            x->row[at] = m->row[p];
            x->values[at++] = value;
        }
        x->column_start[j + 1] = at;
    }
    for (size_t j = 0; j < x->columns; j++) x->row_of[j] = MATCH_NONE;
    for (size_t i = 0; i < x->rows; i++) x->column_of[i] = MATCH_NONE;
}

/* Matched rows in the order of their columns. */
static void turn(excess *x)
{
    int64_t *start = x->turned_start;
    const int64_t end = x->column_start[x->columns];
    for (int64_t p = 0; p < end; p++)
        if (x->column_of[x->row[p]] >= 0) start[x->column_of[x->row[p]] + 1]++;
    for (size_t k = 0; k < x->columns; k++) start[k + 1] += start[k];
    for (size_t j = 0; j < x->columns; j++)
        for (int64_t p = x->column_start[j]; p < x->column_start[j + 1]; p++) {
            const int32_t to = x->column_of[x->row[p]];
            if (to < 0) continue;
            x->turned_row[start[to]] = (int32_t)j;
            x->turned[start[to]++] = x->values[p];
        }
    for (size_t k = x->columns; k > 0; k--) start[k] = start[k - 1];
    start[0] = 0;
}

/* Row `extra` as a combination of the matched ones; does what is left of them
 * contradict that? */
static dae_status try_row(
    excess *x, linear *l, size_t extra, double *u, bool *is_found)
{
    double most = 1, sum = 0, allowed = 0;
    memset(x->solution, 0, x->columns * sizeof *x->solution);
    for (size_t j = 0; j < x->columns; j++)
        for (int64_t p = x->column_start[j]; p < x->column_start[j + 1]; p++)
            if ((size_t)x->row[p] == extra) x->solution[j] = -x->values[p];
    const dae_status st = linear_solve(l, x->solution);
    for (size_t i = 0; i < x->rows && !st; i++) {
        const int32_t k = x->column_of[i];
        u[i] = i == extra ? 1 : k >= 0 ? x->solution[k] : 0;
        most = fmax(most, fabs(u[i]));
    }
    for (size_t i = 0; i < x->rows && !st; i++) {
        if (fabs(u[i]) <= PART_ZERO * most) u[i] = 0;
        sum += u[i] * x->r->left[i];
        allowed += fabs(u[i]) * x->r->allowed[i];
    }
    *is_found = !st && fabs(sum) > allowed && isfinite(most);
    return st;
}

static dae_status search(
    excess *x, const dae_allocator *allocator, double *u, bool *is_found)
{
    linear *l = NULL;
    dae_status st = linear_create(x->columns, x->turned_start, x->turned_row,
        DAE_LINEAR_AUTO, allocator, &l);
    if (!st) st = linear_factor(l, x->turned);
    for (size_t i = 0, tried = 0; i < x->rows && !st; i++) {
        if (x->column_of[i] >= 0) continue;
        if (tried++ == TRIED || *is_found) break;
        st = try_row(x, l, i, u, is_found);
    }
    linear_free(l);
    return st == DAE_NUMERIC ? DAE_OK : st;
}

dae_status excess_find(const excess_rows *r, arena *a,
    const dae_allocator *allocator, double *u, bool *is_found)
{
    excess x = {.r = r, .rows = r->m->rows, .columns = r->m->columns};
    size_t rank = 0;
    *is_found = false;
    if (x.rows <= x.columns || x.columns == 0) return DAE_OK;
    if (!take_room(&x, a)) return DAE_MEMORY;
    take_entries(&x);
    dae_status st = match_maximum(x.rows, x.columns, x.column_start, x.row,
        allocator, x.row_of, x.column_of, &rank);
    if (st || rank < x.columns) return st;
    turn(&x);
    return search(&x, allocator, u, is_found);
}
