/* Both null spaces are solutions with one square matrix: that of the chosen rows
 * and columns, or its transpose. Each is factorized when it is first needed. */
#include "linalg/sparse_rank.h"
#include "base/arena.h"
#include "graph/transpose.h"
#include "linalg/linear.h"
#include "linalg/markowitz.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* The chosen part of the matrix or of its transpose, by columns. */
typedef struct chosen {
    int64_t *start; /* rank + 1 */
    int32_t *row;
    double *values;
    linear *factors; /* NULL: not yet */
} chosen;

struct sparse_rank {
    arena memory;
    const dae_allocator *allocator;
    matrix_view m;
    transposed by_rows;
    size_t rank;
    double zero;
    int32_t *row_at, *column_at;         /* rank: those chosen */
    int32_t *row_number, *column_number; /* rows, columns: which; -1: not */
    double *b;                           /* rank */
    chosen columns, rows;                /* A[P, C] and its transpose */
};

static bool take(sparse_rank *s)
{
    const matrix_view *m = &s->m;
    const size_t most = m->rows < m->columns ? m->rows : m->columns;
    arena *a = &s->memory;
    s->row_at = ARENA_ARRAY(a, int32_t, most);
    s->column_at = ARENA_ARRAY(a, int32_t, most);
    s->row_number = ARENA_ARRAY(a, int32_t, m->rows);
    s->column_number = ARENA_ARRAY(a, int32_t, m->columns);
    s->b = ARENA_ARRAY(a, double, most);
    return s->row_at && s->column_at && s->row_number && s->column_number
        && s->b;
}

/* pivot[i], the column of row i, to lists in the order of rows. */
static void number(sparse_rank *s, const int32_t *pivot)
{
    size_t k = 0;
    memset(s->row_number, 0xff, s->m.rows * sizeof *s->row_number);
    memset(s->column_number, 0xff, s->m.columns * sizeof *s->column_number);
    for (size_t i = 0; i < s->m.rows; i++) {
        if (pivot[i] < 0) continue;
        assert(s->column_number[pivot[i]] < 0); /* no column twice */
        s->row_at[k] = (int32_t)i;
        s->column_at[k] = pivot[i];
        s->row_number[i] = s->column_number[pivot[i]] = (int32_t)k++;
    }
    assert(k == s->rank);
}

static dae_status choose(sparse_rank *s)
{
    const arena_position mark = arena_mark(&s->memory);
    const size_t rows = s->m.rows;
    double leverage = 0;
    wide_entry *entry = ARENA_ARRAY(&s->memory, wide_entry, s->by_rows.entries);
    int32_t *pivot = ARENA_ARRAY(&s->memory, int32_t, rows);
    if (!entry || !pivot) return DAE_MEMORY;
    for (size_t i = 0; i < rows; i++)
        for (int64_t p = s->by_rows.start[i]; p < s->by_rows.start[i + 1]; p++)
            entry[p] = (wide_entry){(int32_t)i, s->by_rows.index[p],
                s->m.values[s->by_rows.entry[p]]};
    const wide_matrix w = {.rows = rows,
        .columns = s->m.columns,
        .entry = entry,
        .count = s->by_rows.entries,
        .zero = s->zero,
        .work = SPARSE_RANK_WORK};
    const dae_status st = markowitz_eliminate(
        &w, s->allocator, pivot, &leverage, NULL, &s->rank);
    if (!st) number(s, pivot);
    arena_release(&s->memory, mark);
    return st;
}

/* By columns: rows ascend in each, as those chosen do. */
static dae_status load_columns(sparse_rank *s)
{
    const matrix_view *m = &s->m;
    chosen *c = &s->columns;
    int64_t at = 0;
    c->start = ARENA_ARRAY(&s->memory, int64_t, s->rank + 1);
    c->row = ARENA_ARRAY(&s->memory, int32_t, s->by_rows.entries);
    c->values = ARENA_ARRAY(&s->memory, double, s->by_rows.entries);
    if (!c->start || !c->row || !c->values) return DAE_MEMORY;
    for (size_t k = 0; k < s->rank; k++) {
        const int32_t j = s->column_at[k];
        for (int64_t p = m->start[j]; p < m->start[j + 1]; p++) {
            if (s->row_number[m->row[p]] < 0) continue;
            c->row[at] = s->row_number[m->row[p]];
            c->values[at++] = m->values[p];
        }
        c->start[k + 1] = at;
    }
    return DAE_OK;
}

static dae_status factor(sparse_rank *s, chosen *c)
{
    dae_status st = linear_create(
        s->rank, c->start, c->row, DAE_LINEAR_AUTO, s->allocator, &c->factors);
    if (!st) st = linear_factor(c->factors, c->values);
    return st;
}

static dae_status load_rows(sparse_rank *s)
{
    transposed t;
    chosen *c = &s->rows;
    const chosen *of = &s->columns;
    const dae_status st = transpose_pattern(
        s->rank, s->rank, of->start, of->row, s->allocator, &t);
    if (st) return st;
    c->start = ARENA_ARRAY(&s->memory, int64_t, s->rank + 1);
    c->row = ARENA_ARRAY(&s->memory, int32_t, t.entries);
    c->values = ARENA_ARRAY(&s->memory, double, t.entries);
    const bool has_memory = c->start && c->row && c->values;
    if (has_memory) {
        memcpy(c->start, t.start, (s->rank + 1) * sizeof *c->start);
        memcpy(c->row, t.index, t.entries * sizeof *c->row);
        for (size_t p = 0; p < t.entries; p++)
            c->values[p] = of->values[t.entry[p]];
    }
    transpose_clear(&t);
    return has_memory ? DAE_OK : DAE_MEMORY;
}

dae_status sparse_rank_create(const matrix_view *m, double zero,
    const dae_allocator *allocator, sparse_rank **out)
{
    const dae_allocator *a = alloc_or_default(allocator);
    *out = NULL;
    assert(m->start && zero >= 0);
    if (m->rows >= INT32_MAX || m->columns >= INT32_MAX) return DAE_LIMIT;
    sparse_rank *s = alloc_zeroed(a, 1, sizeof *s);
    if (!s) return DAE_MEMORY;
    s->allocator = a;
    s->m = *m;
    s->zero = zero;
    arena_init(&s->memory, a, 0);
    dae_status st = transpose_pattern(
        m->rows, m->columns, m->start, m->row, a, &s->by_rows);
    if (!st && !take(s)) st = DAE_MEMORY;
    if (!st) st = choose(s);
    if (!st) st = load_columns(s);
    if (!st) st = factor(s, &s->columns);
    if (st) sparse_rank_free(s);
    else *out = s;
    return st;
}

void sparse_rank_free(sparse_rank *s)
{
    if (!s) return;
    linear_free(s->columns.factors);
    linear_free(s->rows.factors);
    transpose_clear(&s->by_rows);
    arena_clear(&s->memory);
    alloc_free(s->allocator, s, 1, sizeof *s);
}

size_t sparse_rank_count(const sparse_rank *s)
{
    return s->rank;
}

bool sparse_rank_has_row(const sparse_rank *s, size_t i)
{
    assert(i < s->m.rows);
    return s->row_number[i] >= 0;
}

bool sparse_rank_has_column(const sparse_rank *s, size_t j)
{
    assert(j < s->m.columns);
    return s->column_number[j] >= 0;
}

static double largest(const double *v, size_t n)
{
    double most = 0;
    for (size_t k = 0; k < n; k++) most = fmax(most, fabs(v[k]));
    return most;
}

/* Is u^T A = 0 in every column, beside its entries times the largest of u?
 * Growth of the factors costs digits: half of them may go. */
static bool is_left_null(const sparse_rank *s, const double *u)
{
    const matrix_view *m = &s->m;
    const double most = largest(u, m->rows);
    for (size_t j = 0; j < m->columns; j++) {
        double sum = 0, size = 0;
        for (int64_t p = m->start[j]; p < m->start[j + 1]; p++) {
            sum += u[m->row[p]] * m->values[p];
            size += most * fabs(m->values[p]);
        }
        if (!(fabs(sum) <= null_zero(s->zero) * size)) return false;
    }
    return true;
}

static bool is_null(const sparse_rank *s, const double *x)
{
    const transposed *t = &s->by_rows;
    const double most = largest(x, s->m.columns);
    for (size_t i = 0; i < s->m.rows; i++) {
        double sum = 0, size = 0;
        for (int64_t p = t->start[i]; p < t->start[i + 1]; p++) {
            const double entry = s->m.values[t->entry[p]];
            sum += x[t->index[p]] * entry;
            size += most * fabs(entry);
        }
        if (!(fabs(sum) <= null_zero(s->zero) * size)) return false;
    }
    return true;
}

dae_status sparse_rank_left_null_vector(sparse_rank *s, size_t i, double *u)
{
    const transposed *t = &s->by_rows;
    dae_status st = DAE_OK;
    assert(!sparse_rank_has_row(s, i));
    if (!s->rows.factors) {
        st = load_rows(s);
        if (!st) st = factor(s, &s->rows);
    }
    if (st) return st;
    memset(s->b, 0, s->rank * sizeof *s->b);
    for (int64_t p = t->start[i]; p < t->start[i + 1]; p++) {
        const int32_t k = s->column_number[t->index[p]];
        if (k >= 0) s->b[k] = -s->m.values[t->entry[p]];
    }
    if ((st = linear_solve(s->rows.factors, s->b))) return st;
    memset(u, 0, s->m.rows * sizeof *u);
    for (size_t k = 0; k < s->rank; k++) u[s->row_at[k]] = s->b[k];
    u[i] = 1;
    return is_left_null(s, u) ? DAE_OK : DAE_NUMERIC;
}

dae_status sparse_rank_null_vector(sparse_rank *s, size_t j, double *x)
{
    const matrix_view *m = &s->m;
    assert(!sparse_rank_has_column(s, j));
    memset(s->b, 0, s->rank * sizeof *s->b);
    for (int64_t p = m->start[j]; p < m->start[j + 1]; p++) {
        const int32_t k = s->row_number[m->row[p]];
        if (k >= 0) s->b[k] = -m->values[p];
    }
    const dae_status st = linear_solve(s->columns.factors, s->b);
    if (st) return st;
    memset(x, 0, m->columns * sizeof *x);
    for (size_t k = 0; k < s->rank; k++) x[s->column_at[k]] = s->b[k];
    x[j] = 1;
    return is_null(s, x) ? DAE_OK : DAE_NUMERIC;
}
