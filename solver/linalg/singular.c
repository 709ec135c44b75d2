#include "linalg/singular.h"
#include "graph/match.h"
#include "graph/transpose.h"
#include <assert.h>
#include <float.h>
#include <math.h>

/* A pattern of the entries that are not zero, nor so small that they have no
 * reciprocal. */
typedef struct nonzeros {
    int64_t *start;
    int32_t *row;
    int32_t *row_of, *column_of;
} nonzeros;

static void nonzeros_clear(nonzeros *z, const linear_system *s)
{
    const size_t entries = (size_t)s->column_start[s->n];
    alloc_free(s->allocator, z->start, s->n + 1, sizeof *z->start);
    alloc_free(s->allocator, z->row, entries, sizeof *z->row);
    alloc_free(s->allocator, z->row_of, s->n, sizeof *z->row_of);
    alloc_free(s->allocator, z->column_of, s->n, sizeof *z->column_of);
}

static bool nonzeros_init(
    nonzeros *z, const linear_system *s, const double *values)
{
    const dae_allocator *a = s->allocator;
    int64_t count = 0;
    z->start = alloc_zeroed(a, s->n + 1, sizeof *z->start);
    z->row = alloc_zeroed(a, (size_t)s->column_start[s->n], sizeof *z->row);
    z->row_of = alloc_zeroed(a, s->n, sizeof *z->row_of);
    z->column_of = alloc_zeroed(a, s->n, sizeof *z->column_of);
    if (!z->start || !z->row || !z->row_of || !z->column_of) return false;
    for (size_t j = 0; j < s->n; j++) {
        const int64_t end = s->column_start[j + 1];
        for (int64_t p = s->column_start[j]; p < end; p++)
            if (fabs(values[p]) >= DBL_MIN) z->row[count++] = s->row[p];
        z->start[j + 1] = count;
        z->row_of[j] = z->column_of[j] = MATCH_NONE;
    }
    return true;
}

/* true where the entries' places alone make the matrix singular */
static bool find_structural(
    const linear_system *s, const double *values, int64_t *row, int64_t *column)
{
    nonzeros z = {0};
    size_t rank = s->n;
    if (nonzeros_init(&z, s, values)
        && !match_maximum(s->n, s->n, z.start, z.row, s->allocator, z.row_of,
            z.column_of, &rank)
        && rank < s->n) {
        for (size_t k = s->n; k-- > 0;) {
            if (z.row_of[k] == MATCH_NONE) *column = (int64_t)k;
            if (z.column_of[k] == MATCH_NONE) *row = (int64_t)k;
        }
    }
    nonzeros_clear(&z, s);
    return *column >= 0;
}

static int64_t dependent_column(const linear_system *s, const double *values)
{
    void *klu = NULL;
    int64_t column = -1;
    if (klu_backend.create(s, &klu)) return -1;
    if (klu_backend.factor(klu, values)) column = klu_failed_column(klu);
    klu_backend.free(klu);
    assert(column >= -1);
    return column < (int64_t)s->n ? column : -1;
}

static int64_t dependent_row(const linear_system *s, const double *values)
{
    transposed t;
    int64_t row = -1;
    if (transpose_pattern(
            s->n, s->n, s->column_start, s->row, s->allocator, &t))
        return -1;
    double *by_rows = alloc_zeroed(s->allocator, t.entries, sizeof *by_rows);
    if (by_rows) {
        const linear_system other = {s->n, t.start, t.index, s->allocator};
        for (size_t k = 0; k < t.entries; k++) by_rows[k] = values[t.entry[k]];
        row = dependent_column(&other, by_rows);
    }
    alloc_free(s->allocator, by_rows, t.entries, sizeof *by_rows);
    transpose_clear(&t);
    return row;
}

void singular_find(
    const linear_system *s, const double *values, int64_t *row, int64_t *column)
{
    *row = *column = -1;
    if (find_structural(s, values, row, column)) return;
    *column = dependent_column(s, values);
    *row = dependent_row(s, values);
}
