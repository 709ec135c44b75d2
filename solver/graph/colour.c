/* Greedy colouring of the column intersection graph. The graph is never
 * built: a column's neighbours are met by walking the rows of its entries. */
#include "graph/colour.h"
#include "graph/transpose.h"
#include <string.h>

typedef struct colouring {
    size_t rows, columns;
    const int64_t *column_start;
    const int32_t *row;
    transposed rows_of; /* the pattern by rows */
    int32_t *order;     /* columns in the order of colouring */
    int32_t *seen;      /* [colour]: last column that ruled it out, + 1 */
    int32_t *trial;     /* colours of the second attempt */
    const dae_allocator *a;
} colouring;

static int64_t degree(const colouring *g, size_t j)
{
    return g->column_start[j + 1] - g->column_start[j];
}

static dae_status colouring_init(colouring *g)
{
    g->order = alloc_zeroed(g->a, g->columns, sizeof *g->order);
    g->seen = alloc_zeroed(g->a, g->columns + 1, sizeof *g->seen);
    g->trial = alloc_zeroed(g->a, g->columns, sizeof *g->trial);
    if (!g->order || !g->seen || !g->trial) return DAE_MEMORY;
    return transpose_pattern(
        g->rows, g->columns, g->column_start, g->row, g->a, &g->rows_of);
}

static void colouring_clear(colouring *g)
{
    transpose_clear(&g->rows_of);
    alloc_free(g->a, g->order, g->columns, sizeof *g->order);
    alloc_free(g->a, g->seen, g->columns + 1, sizeof *g->seen);
    alloc_free(g->a, g->trial, g->columns, sizeof *g->trial);
}

static void rule_out(colouring *g, size_t j, const int32_t *colour)
{
    for (int64_t p = g->column_start[j]; p < g->column_start[j + 1]; p++) {
        const size_t i = (size_t)g->row[p];
        const int64_t end = g->rows_of.start[i + 1];
        for (int64_t k = g->rows_of.start[i]; k < end; k++) {
            const int32_t c = colour[g->rows_of.index[k]];
            if (c >= 0) g->seen[c] = (int32_t)j + 1;
        }
    }
}

/* Colours in g->order; returns the number of colours. */
static int32_t run_greedy(colouring *g, int32_t *colour)
{
    int32_t count = 0;
    memset(g->seen, 0, (g->columns + 1) * sizeof *g->seen);
    for (size_t j = 0; j < g->columns; j++) colour[j] = -1;
    for (size_t k = 0; k < g->columns; k++) {
        const size_t j = (size_t)g->order[k];
        if (degree(g, j) == 0) continue;
        rule_out(g, j, colour);
        int32_t c = 0;
        while (g->seen[c] == (int32_t)j + 1) c++;
        colour[j] = c;
        if (c >= count) count = c + 1;
    }
    return count;
}

/* Columns by falling degree, equal ones in their natural order. */
static dae_status order_by_degree(colouring *g)
{
    size_t *place = alloc_zeroed(g->a, g->rows + 2, sizeof *place);
    if (!place) return DAE_MEMORY;
    for (size_t j = 0; j < g->columns; j++)
        place[g->rows - (size_t)degree(g, j) + 1]++;
    for (size_t d = 0; d <= g->rows; d++) place[d + 1] += place[d];
    for (size_t j = 0; j < g->columns; j++)
        g->order[place[g->rows - (size_t)degree(g, j)]++] = (int32_t)j;
    alloc_free(g->a, place, g->rows + 2, sizeof *place);
    return DAE_OK;
}

static int32_t longest_row(const colouring *g)
{
    int64_t most = 0;
    for (size_t i = 0; i < g->rows; i++) {
        const int64_t d = g->rows_of.start[i + 1] - g->rows_of.start[i];
        if (d > most) most = d;
    }
    return (int32_t)most;
}

/* A row that meets every column leaves nothing to share. */
static bool colour_apart(const colouring *g, int32_t *colour, int32_t *count)
{
    int32_t used = 0;
    for (size_t j = 0; j < g->columns; j++)
        colour[j] = degree(g, j) ? used++ : -1;
    if (used != longest_row(g)) return false;
    *count = used;
    return true;
}

dae_status colour_columns(size_t rows, size_t columns,
    const int64_t *column_start, const int32_t *row,
    const dae_allocator *allocator, int32_t *colour, int32_t *count)
{
    colouring g = {.rows = rows,
        .columns = columns,
        .column_start = column_start,
        .row = row,
        .a = alloc_or_default(allocator)};
    dae_status st = DAE_LIMIT;
    *count = 0;
    if (rows >= INT32_MAX || columns >= INT32_MAX) goto done;
    if ((st = colouring_init(&g))) goto done;
    for (size_t j = 0; j < columns; j++) g.order[j] = (int32_t)j;
    if (colour_apart(&g, colour, count)) goto done;
    *count = run_greedy(&g, colour);
    if (*count == longest_row(&g)) goto done; /* cannot be bettered */
    if ((st = order_by_degree(&g))) goto done;
    const int32_t second = run_greedy(&g, g.trial);
    if (second < *count) {
        *count = second;
        if (columns) memcpy(colour, g.trial, columns * sizeof *colour);
    }
done:
    colouring_clear(&g);
    return st;
}
