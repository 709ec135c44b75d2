/* For runs, which need no lists: how many conditions are missing or too many,
 * by elimination with complete pivoting on a part that the pattern has left
 * open. A start with findings is counted by tangent.c. */
#include "start/rank.h"
#include "linalg/eliminate.h"
#include "linalg/scale.h"
#include <math.h>

/* Columns and rows have a largest entry of 1. */
static const double RANK_ZERO = 1e-10;

/* What solves the upper triangle for a column without a pivot: entries of the
 * null space. The column is spent. */
static void mark_open(double *a, size_t rows, size_t columns, size_t rank,
    double zero, const int32_t *order, uint8_t *is_open)
{
    for (size_t j = rank; j < columns; j++) {
        double *x = a + j * rows;
        is_open[order[j]] = 1;
        for (size_t k = rank; k-- > 0;) {
            x[k] /= a[k * rows + k];
            if (fabs(x[k]) > zero) is_open[order[k]] = 1;
            for (size_t i = 0; i < k; i++) x[i] -= x[k] * a[k * rows + i];
        }
    }
}

dae_status rank_numeric(
    init_system *s, const submatrix *m, size_t *rank, uint8_t *is_open)
{
    const arena_position mark = arena_mark(&s->arena);
    dae_status st = DAE_MEMORY;
    *rank = 0;
    double *a = ARENA_ARRAY(&s->arena, double, m->rows * m->columns);
    double *values = ARENA_ARRAY(&s->arena, double, m->entries);
    int32_t *local = ARENA_ARRAY(&s->arena, int32_t, s->rows);
    int32_t *order = ARENA_ARRAY(&s->arena, int32_t, m->columns);
    const double zero = fmax(RANK_ZERO, s->fuzz);
    if (!a || !values || !local || !order) goto done;
    submatrix_values(m, s, values);
    for (size_t j = 0; j < m->columns; j++)
        for (int64_t p = m->column_start[j]; p < m->column_start[j + 1]; p++)
            a[j * m->rows + (size_t)m->row[p]] = values[p];
    equilibrate(a, m->rows, m->columns, NULL, NULL);
    for (size_t j = 0; j < m->columns; j++) order[j] = (int32_t)j;
    *rank = eliminate_fully(a, m->rows, m->columns, zero, order);
    /* a division or two more than a pivot: not as exact */
    if (is_open)
        mark_open(a, m->rows, m->columns, *rank, 100 * zero, order, is_open);
    st = DAE_OK;
done:
    arena_release(&s->arena, mark);
    return st;
}
