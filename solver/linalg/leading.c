/* Blocks are found once, from the pattern; then each is eliminated for itself. */
#include "linalg/leading.h"
#include "base/splitmix.h"
#include "graph/blocks.h"
#include "graph/match.h"
#include "linalg/gauss_jordan.h"
#include "linalg/linear.h"
#include "linalg/scale.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- large blocks ---------------------------------------------------------------- */

/* A large block, by a sparse factorization: the sign of its determinant, and how far
 * it is from being singular. The determinant itself is no measure of that where there
 * are hundreds of unknowns; the size of A^-1 b is, for one vector b with entries +-1.
 * By KLU, which keeps its pivots from look to look as long as they serve. */

/* Columns and rows of a pattern: the block, n each. */
typedef struct sparse_request {
    const dae_pattern *pattern;
    const int32_t *column; /* n: of the pattern */
    const int32_t *row_at; /* rows of the pattern: where in the block, from
                              `first` on */
    size_t first, n;
    const dae_allocator *allocator;
} sparse_request;

struct sparse_block {
    size_t n;
    int64_t *start; /* n + 1 */
    int32_t *row;   /* entries */
    int64_t *from;  /* entries: in the pattern */
    double *values; /* entries */
    double *b;      /* n */
    linear *linear;
};

static bool belongs(const sparse_request *q, int64_t entry)
{
    const int32_t at = q->row_at[q->pattern->row[entry]];
    return at >= (int32_t)q->first && at < (int32_t)(q->first + q->n);
}

static size_t count_entries(const sparse_request *q)
{
    const int64_t *start = q->pattern->column_start;
    size_t count = 0;
    for (size_t j = 0; j < q->n; j++)
        for (int64_t k = start[q->column[j]]; k < start[q->column[j] + 1]; k++)
            count += belongs(q, k);
    return count;
}

/* The rows of one column, ascending, from `begin` on; where it ends. */
static int64_t fill_column(
    sparse_block *w, const sparse_request *q, size_t j, int64_t begin)
{
    const int64_t *start = q->pattern->column_start;
    int64_t end = begin;
    for (int64_t k = start[q->column[j]]; k < start[q->column[j] + 1]; k++) {
        if (!belongs(q, k)) continue;
        const int32_t i = q->row_at[q->pattern->row[k]] - (int32_t)q->first;
        int64_t at = end++;
        for (; at > begin && w->row[at - 1] > i; at--) {
            w->row[at] = w->row[at - 1];
            w->from[at] = w->from[at - 1];
        }
        w->row[at] = i;
        w->from[at] = k;
    }
    return end;
}

static dae_status sparse_init(
    sparse_block *w, const sparse_request *q, arena *a)
{
    const size_t count = count_entries(q);
    *w = (sparse_block){.n = q->n};
    w->start = ARENA_ARRAY(a, int64_t, q->n + 1);
    w->row = ARENA_ARRAY(a, int32_t, count + 1);
    w->from = ARENA_ARRAY(a, int64_t, count + 1);
    w->values = ARENA_ARRAY(a, double, count + 1);
    w->b = ARENA_ARRAY(a, double, q->n);
    if (!w->start || !w->row || !w->from || !w->values || !w->b)
        return DAE_MEMORY;
    w->start[0] = 0;
    for (size_t j = 0; j < q->n; j++)
        w->start[j + 1] = fill_column(w, q, j, w->start[j]);
    return linear_create(
        q->n, w->start, w->row, DAE_LINEAR_KLU, q->allocator, &w->linear);
}

static void sparse_clear(sparse_block *w)
{
    linear_free(w->linear);
    *w = (sparse_block){.n = 0};
}

static matrix_view sparse_load(const sparse_block *w, const double *values)
{
    for (int64_t k = 0; k < w->start[w->n]; k++)
        w->values[k] = values[w->from[k]];
    return (matrix_view){w->n, w->n, w->start, w->row, w->values};
}

/* Factors that bring the largest entries of the rows, then of the columns, near
 * 1 (linalg/scale.h). */
static void sparse_scale(
    const sparse_block *w, const double *values, double *row, double *column)
{
    const matrix_view m = sparse_load(w, values);
    scale_rows(&m, NULL, row);
    scale_columns(&m, row, column);
}

/* The sign of the determinant of the block so scaled; 0: singular, or no memory.
 * *distance is 1 / |A^-1 b|, and *column the one that has the largest part in A^-1 b:
 * near a singular matrix what is not determined. */
static int sparse_look(sparse_block *w, const double *values,
    const double *row_factor, const double *column_factor, double *distance,
    size_t *column)
{
    int64_t row = -1, lost = -1;
    double most = 0;
    *distance = 0;
    *column = 0;
    const matrix_view m = sparse_load(w, values);
    scale_by(&m, row_factor, column_factor, w->values);
    for (size_t j = 0; j < w->n; j++) w->b[j] = splitmix(j) & 1 ? 1 : -1;
    if (linear_factor(w->linear, w->values) || linear_solve(w->linear, w->b)) {
        linear_singular_at(w->linear, &row, &lost);
        if (lost >= 0) *column = (size_t)lost;
        return 0;
    }
    for (size_t j = 0; j < w->n; j++)
        if (!(fabs(w->b[j]) <= most)) most = fabs(w->b[j]), *column = j;
    if (!(most > 0) || !isfinite(most)) return 0;
    *distance = 1 / most;
    return linear_sign(w->linear);
}

/* ---- all blocks ------------------------------------------------------------------- */

/* The matrix by itself, with what the graph makes of it. */
typedef struct square {
    int64_t *start;                 /* n + 1 */
    int32_t *row;                   /* entries */
    int32_t *row_of, *column_of;    /* n: the matching */
    int32_t *columns, *block_start; /* blocks in order */
    size_t blocks;
} square;

static dae_status make_square(
    square *s, const leading *l, const leading_request *q, arena *a)
{
    const dae_pattern *p = q->pattern;
    size_t count = 0, rank = 0;
    for (size_t j = 0; j < q->n; j++)
        count += (size_t)(p->column_start[q->column[j] + 1]
            - p->column_start[q->column[j]]);
    s->start = ARENA_ARRAY(a, int64_t, q->n + 1);
    s->row = ARENA_ARRAY(a, int32_t, count + 1);
    s->row_of = ARENA_ARRAY(a, int32_t, q->n);
    s->column_of = ARENA_ARRAY(a, int32_t, q->n);
    s->columns = ARENA_ARRAY(a, int32_t, q->n);
    s->block_start = ARENA_ARRAY(a, int32_t, q->n + 1);
    if (!s->start || !s->row || !s->row_of || !s->column_of || !s->columns
        || !s->block_start)
        return DAE_MEMORY;
    count = 0;
    for (size_t j = 0; j < q->n; j++) {
        int64_t k = p->column_start[q->column[j]];
        for (; k < p->column_start[q->column[j] + 1]; k++)
            if (l->row_at[p->row[k]] >= 0)
                s->row[count++] = l->row_at[p->row[k]];
        s->start[j + 1] = (int64_t)count;
    }
    memset(s->row_of, 0xff, q->n * sizeof *s->row_of);
    memset(s->column_of, 0xff, q->n * sizeof *s->column_of);
    const dae_status st = match_maximum(q->n, q->n, s->start, s->row,
        q->allocator, s->row_of, s->column_of, &rank);
    if (st || rank < q->n) return st;
    return blocks_order(q->n, s->start, s->row, s->row_of, q->allocator,
        s->columns, s->block_start, &s->blocks);
}

static dae_status take(leading *l, size_t rows, size_t n, arena *a)
{
    l->start = ARENA_ARRAY(a, int32_t, n + 1);
    l->column = ARENA_ARRAY(a, int32_t, n);
    l->row = ARENA_ARRAY(a, int32_t, n);
    l->row_at = ARENA_ARRAY(a, int32_t, rows);
    l->row_factor = ARENA_ARRAY(a, double, n);
    l->column_factor = ARENA_ARRAY(a, double, n);
    l->is_done = ARENA_ARRAY(a, uint8_t, n);
    l->order = ARENA_ARRAY(a, int32_t, n);
    return l->start && l->column && l->row && l->row_at && l->row_factor
            && l->column_factor && l->is_done && l->order
        ? DAE_OK
        : DAE_MEMORY;
}

static void number_rows(leading *l, size_t rows, const int32_t *row, size_t n)
{
    memset(l->row_at, 0xff, rows * sizeof *l->row_at);
    for (size_t i = 0; i < n; i++) l->row_at[row[i]] = (int32_t)i;
}

static bool varies(const leading *l, size_t begin, size_t end)
{
    const dae_pattern *p = l->pattern;
    for (size_t j = begin; j < end; j++) {
        int64_t k = p->column_start[l->column[j]];
        for (; k < p->column_start[l->column[j] + 1]; k++) {
            const int32_t i = l->row_at[p->row[k]];
            if (i >= (int32_t)begin && i < (int32_t)end
                && (!p->kind || p->kind[k] == DAE_ENTRY_VARYING))
                return true;
        }
    }
    return false;
}

/* One block to the end of the lists, where it is kept if it varies. */
static size_t add_block(leading *l, const leading_request *q, const square *s,
    size_t block, size_t from)
{
    const size_t begin = (size_t)s->block_start[block];
    const size_t size = (size_t)s->block_start[block + 1] - begin;
    for (size_t k = 0; k < size; k++) {
        const int32_t j = s->columns[begin + k];
        l->column[from + k] = q->column[j];
        l->row[from + k] = q->row[s->row_of[j]];
        l->row_at[l->row[from + k]] = (int32_t)(from + k);
    }
    if (varies(l, from, from + size)) return from + size;
    for (size_t k = 0; k < size; k++) l->row_at[l->row[from + k]] = -1;
    return from;
}

/* What each block is eliminated in. */
static dae_status take_matrices(leading *l, const leading_request *q, arena *a)
{
    size_t largest = 0;
    dae_status st = DAE_OK;
    l->sparse = ARENA_ARRAY(a, sparse_block, l->blocks + 1);
    if (!l->sparse) return DAE_MEMORY;
    for (size_t b = 0; b < l->blocks; b++)
        l->sparse[b] = (sparse_block){.n = 0};
    for (size_t b = 0; b < l->blocks && !st; b++) {
        const size_t first = (size_t)l->start[b];
        const size_t n = (size_t)l->start[b + 1] - first;
        const sparse_request block = {
            q->pattern, l->column + first, l->row_at, first, n, q->allocator};
        if (n > q->full_most) st = sparse_init(&l->sparse[b], &block, a);
        else if (n > largest) largest = n;
    }
    l->matrix = ARENA_ARRAY(a, double, largest *largest + 1);
    return st || l->matrix ? st : DAE_MEMORY;
}

dae_status leading_init(leading *l, const leading_request *q, arena *a)
{
    square s = {.blocks = 0};
    assert(q->pattern && q->n <= q->rows);
    *l = (leading){.total = q->n, .pattern = q->pattern};
    dae_status st = take(l, q->rows, q->n, a);
    if (st) return st;
    number_rows(l, q->rows, q->row, q->n);
    if ((st = make_square(&s, l, q, a))) return st;
    memset(l->row_at, 0xff, q->rows * sizeof *l->row_at);
    size_t n = 0;
    for (size_t b = 0; b < s.blocks; b++) {
        const size_t end = add_block(l, q, &s, b, n);
        if (end == n) continue;
        l->start[++l->blocks] = (int32_t)end;
        n = end;
    }
    return take_matrices(l, q, a);
}

void leading_clear(leading *l)
{
    for (size_t b = 0; l->sparse && b < l->blocks; b++)
        sparse_clear(&l->sparse[b]);
    l->blocks = 0;
}

bool leading_is_full(const leading *l, size_t block)
{
    return l->sparse[block].n == 0;
}

/* A block as it is, by columns, or by rows in the units of the first one. */
static void load(
    const leading *l, const double *values, size_t block, bool by_columns)
{
    const dae_pattern *p = l->pattern;
    const size_t begin = (size_t)l->start[block];
    const size_t n = (size_t)l->start[block + 1] - begin;
    memset(l->matrix, 0, n * n * sizeof *l->matrix);
    for (size_t j = 0; j < n; j++) {
        const size_t c = begin + j;
        int64_t k = p->column_start[l->column[c]];
        for (; k < p->column_start[l->column[c] + 1]; k++) {
            const int32_t at = l->row_at[p->row[k]];
            if (at < (int32_t)begin || at >= (int32_t)(begin + n)) continue;
            const size_t i = (size_t)at - begin;
            if (by_columns) l->matrix[j * n + i] = values[k];
            else
                l->matrix[i * n + j] = values[k] * l->row_factor[begin + i]
                    * l->column_factor[c];
        }
    }
}

void leading_begin(leading *l, const double *values)
{
    for (size_t b = 0; b < l->blocks; b++) {
        const size_t begin = (size_t)l->start[b];
        const size_t n = (size_t)l->start[b + 1] - begin;
        if (!leading_is_full(l, b)) {
            sparse_scale(&l->sparse[b], values, l->row_factor + begin,
                l->column_factor + begin);
            continue;
        }
        load(l, values, b, true);
        const matrix_view m = {n, n, NULL, NULL, l->matrix};
        scale_rows(&m, NULL, l->row_factor + begin);
        scale_columns(&m, l->row_factor + begin, l->column_factor + begin);
    }
}

/* The row is the one that is matched with the column. */
static leading_view look_sparse(leading *l, const double *values, size_t block)
{
    const size_t begin = (size_t)l->start[block];
    size_t column;
    leading_view v = {.sign = 0};
    v.sign = sparse_look(&l->sparse[block], values, l->row_factor + begin,
        l->column_factor + begin, &v.pivot, &column);
    v.size = v.sign ? log(v.pivot) : -HUGE_VAL;
    v.row = v.column = begin + column;
    return v;
}

leading_view leading_look(leading *l, const double *values, size_t block)
{
    assert(block < l->blocks);
    if (!leading_is_full(l, block)) return look_sparse(l, values, block);
    const size_t begin = (size_t)l->start[block];
    const size_t n = (size_t)l->start[block + 1] - begin;
    load(l, values, block, false);
    determinant d = jordan_determinant(l->matrix, n, l->is_done, l->order);
    d.row += begin;
    d.column += begin;
    return d;
}
