/* Blocks are found once, from the pattern; then each is eliminated for itself. */
#include "run/leading.h"
#include "graph/blocks.h"
#include "graph/match.h"
#include "linalg/gauss_jordan.h"
#include "linalg/scale.h"
#include <math.h>
#include <string.h>

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
    l->wide = ARENA_ARRAY(a, wide, l->blocks + 1);
    if (!l->wide) return DAE_MEMORY;
    for (size_t b = 0; b < l->blocks; b++) l->wide[b] = (wide){.n = 0};
    for (size_t b = 0; b < l->blocks && !st; b++) {
        const size_t first = (size_t)l->start[b];
        const size_t n = (size_t)l->start[b + 1] - first;
        const wide_request block = {
            q->pattern, l->column + first, l->row_at, first, n, q->allocator};
        if (n > q->full_most) st = wide_init(&l->wide[b], &block, a);
        else if (n > largest) largest = n;
    }
    l->matrix = ARENA_ARRAY(a, double, largest *largest + 1);
    return st || l->matrix ? st : DAE_MEMORY;
}

dae_status leading_init(leading *l, const leading_request *q, arena *a)
{
    square s = {.blocks = 0};
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
    for (size_t b = 0; l->wide && b < l->blocks; b++) wide_clear(&l->wide[b]);
    l->blocks = 0;
}

bool leading_is_full(const leading *l, size_t block)
{
    return l->wide[block].n == 0;
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
            wide_scale(&l->wide[b], values, l->row_factor + begin,
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
static leading_view look_wide(leading *l, const double *values, size_t block)
{
    const size_t begin = (size_t)l->start[block];
    size_t column;
    leading_view v = {.sign = 0};
    v.sign = wide_look(&l->wide[block], values, l->row_factor + begin,
        l->column_factor + begin, &v.pivot, &column);
    v.size = v.sign ? log(v.pivot) : -HUGE_VAL;
    v.row = v.column = begin + column;
    return v;
}

leading_view leading_look(leading *l, const double *values, size_t block)
{
    if (!leading_is_full(l, block)) return look_wide(l, values, block);
    const size_t begin = (size_t)l->start[block];
    const size_t n = (size_t)l->start[block + 1] - begin;
    load(l, values, block, false);
    determinant d = jordan_determinant(l->matrix, n, l->is_done, l->order);
    d.row += begin;
    d.column += begin;
    return d;
}
