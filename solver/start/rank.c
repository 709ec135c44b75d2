/* For runs, which need no lists: how many conditions are missing or too many, on a
 * part that the pattern has left open. A start with findings is counted by
 * tangent.c. */
#include "start/rank.h"
#include "linalg/rrqr.h"
#include "linalg/scale.h"
#include "linalg/sparse_rank.h"
#include "linalg/thresholds.h"
#include <math.h>

static double zero_of(const init_system *s, const submatrix *m)
{
    const size_t longer = m->rows > m->columns ? m->rows : m->columns;
    return rank_zero_of(longer, s->fuzz);
}

/* Scales the values of a matrix in place. */
static bool scale(arena *a, const matrix_view *m, double *values)
{
    double *row = ARENA_ARRAY(a, double, m->rows);
    double *column = ARENA_ARRAY(a, double, m->columns);
    if (!row || !column) return false;
    scale_rows(m, NULL, row);
    scale_columns(m, row, column);
    scale_by(m, row, column, values);
    return true;
}

static void mark_open(
    const double *v, size_t columns, double zero, uint8_t *is_open)
{
    double most = 0;
    for (size_t j = 0; j < columns; j++) most = fmax(most, fabs(v[j]));
    for (size_t j = 0; j < columns; j++)
        if (fabs(v[j]) > null_zero(zero) * most) is_open[j] = 1;
}

static dae_status rank_dense(init_system *s, const submatrix *m,
    const double *values, size_t *rank, uint8_t *is_open)
{
    rrqr f;
    arena *a = &s->arena;
    double *v = ARENA_ARRAY(a, double, m->columns);
    if (!v || !rrqr_init(&f, a, m->rows, m->columns)) return DAE_MEMORY;
    for (size_t j = 0; j < m->columns; j++)
        for (int64_t p = m->column_start[j]; p < m->column_start[j + 1]; p++)
            f.a[j * m->rows + (size_t)m->row[p]] = values[p];
    const matrix_view all = {m->rows, m->columns, NULL, NULL, f.a};
    if (!scale(a, &all, f.a)) return DAE_MEMORY;
    rrqr_factor(&f, zero_of(s, m));
    *rank = f.rank;
    if (!is_open) return DAE_OK;
    rrqr_complete(&f);
    for (size_t k = 0; k < m->columns - f.rank; k++) {
        rrqr_null_vector(&f, k, v);
        mark_open(v, m->columns, zero_of(s, m), is_open);
    }
    return DAE_OK;
}

static dae_status rank_sparse(
    init_system *s, const submatrix *m, double *values, size_t *rank)
{
    sparse_rank *f = NULL;
    const matrix_view all = {
        m->rows, m->columns, m->column_start, m->row, values};
    if (!scale(&s->arena, &all, values)) return DAE_MEMORY;
    dae_status st = sparse_rank_create(
        &all, zero_of(s, m), s->request->allocator, &f);
    if (!st) *rank = sparse_rank_count(f);
    sparse_rank_free(f);
    return st;
}

dae_status rank_numeric(
    init_system *s, const submatrix *m, size_t *rank, uint8_t *is_open)
{
    const arena_position mark = arena_mark(&s->arena);
    dae_status st = DAE_MEMORY;
    size_t cells;
    *rank = 0;
    double *values = ARENA_ARRAY(&s->arena, double, m->entries);
    if (values) {
        submatrix_values(m, s, values);
        const bool is_small = size_mul(m->rows, m->columns, &cells)
            && cells <= DENSE_CELLS_MOST;
        st = is_small ? rank_dense(s, m, values, rank, is_open)
                      : rank_sparse(s, m, values, rank);
    }
    arena_release(&s->arena, mark);
    return st;
}
