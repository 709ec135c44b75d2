/* Tarjan's algorithm with an explicit stack on the graph whose nodes are
 * columns: column j leads to k where j has an entry in the row that k is
 * matched with, that is, where k's equation needs j. A component is complete
 * only after all it leads to, so they appear last first. */
#include "graph/blocks.h"

typedef struct tarjan {
    const int64_t *column_start;
    const int32_t *row, *row_of;
    int32_t *column_of;    /* [row] */
    int32_t *number, *low; /* [column]: order of visit + 1; 0: not yet */
    int64_t *next;         /* [column]: entry to look at next */
    int32_t *open;         /* columns not yet in a component */
    int32_t *path;         /* the way down */
    int32_t *columns;      /* result, filled from the end */
    int32_t *ends;         /* ends of components, last first */
    size_t n, left, open_count, end_count;
    int32_t clock;
    const dae_allocator *a;
} tarjan;

static dae_status tarjan_init(tarjan *g)
{
    g->column_of = alloc_zeroed(g->a, g->n, sizeof *g->column_of);
    g->number = alloc_zeroed(g->a, g->n, sizeof *g->number);
    g->low = alloc_zeroed(g->a, g->n, sizeof *g->low);
    g->next = alloc_zeroed(g->a, g->n, sizeof *g->next);
    g->open = alloc_zeroed(g->a, g->n, sizeof *g->open);
    g->path = alloc_zeroed(g->a, g->n, sizeof *g->path);
    const bool ok = g->column_of && g->number && g->low && g->next && g->open
        && g->path;
    return ok ? DAE_OK : DAE_MEMORY;
}

static void tarjan_clear(tarjan *g)
{
    alloc_free(g->a, g->column_of, g->n, sizeof *g->column_of);
    alloc_free(g->a, g->number, g->n, sizeof *g->number);
    alloc_free(g->a, g->low, g->n, sizeof *g->low);
    alloc_free(g->a, g->next, g->n, sizeof *g->next);
    alloc_free(g->a, g->open, g->n, sizeof *g->open);
    alloc_free(g->a, g->path, g->n, sizeof *g->path);
}

static void enter(tarjan *g, int32_t j)
{
    g->number[j] = g->low[j] = ++g->clock;
    g->next[j] = g->column_start[j];
    g->open[g->open_count++] = j;
}

/* j is the root of a component: everything open above it. A finished column
 * is told by low = INT32_MAX. */
static void close_component(tarjan *g, int32_t j)
{
    int32_t k;
    g->ends[g->end_count++] = (int32_t)g->left;
    do {
        k = g->open[--g->open_count];
        g->low[k] = INT32_MAX;
        g->columns[--g->left] = k;
    } while (k != j);
}

static void visit(tarjan *g, int32_t root)
{
    size_t depth = 1;
    g->path[0] = root;
    enter(g, root);
    while (depth > 0) {
        const int32_t j = g->path[depth - 1];
        if (g->next[j] < g->column_start[j + 1]) {
            const int32_t k = g->column_of[g->row[g->next[j]++]];
            if (g->number[k] == 0) {
                enter(g, k);
                g->path[depth++] = k;
            } else if (g->low[k] != INT32_MAX && g->number[k] < g->low[j]) {
                g->low[j] = g->number[k];
            }
            continue;
        }
        const int32_t low = g->low[j];
        if (low == g->number[j]) close_component(g, j);
        if (--depth == 0 || low == INT32_MAX) continue;
        const int32_t up = g->path[depth - 1];
        if (low < g->low[up]) g->low[up] = low;
    }
}

dae_status blocks_order(size_t n, const int64_t *column_start,
    const int32_t *row, const int32_t *row_of, const dae_allocator *allocator,
    int32_t *columns, int32_t *start, size_t *count)
{
    tarjan g = {.column_start = column_start,
        .row = row,
        .row_of = row_of,
        .columns = columns,
        .ends = start,
        .n = n,
        .left = n,
        .a = alloc_or_default(allocator)};
    dae_status st = DAE_LIMIT;
    *count = 0;
    if (n >= INT32_MAX) return st;
    if ((st = tarjan_init(&g))) goto done;
    for (size_t j = 0; j < n; j++) g.column_of[row_of[j]] = (int32_t)j;
    for (size_t j = 0; j < n; j++)
        if (g.number[j] == 0) visit(&g, (int32_t)j);
    *count = g.end_count;
    /* ends come last first: n, ..., end of block 0; turn them into starts */
    for (size_t b = 0; b < g.end_count / 2; b++) {
        const int32_t other = start[g.end_count - 1 - b];
        start[g.end_count - 1 - b] = start[b];
        start[b] = other;
    }
    for (size_t b = g.end_count; b > 0; b--) start[b] = start[b - 1];
    start[0] = 0;
done:
    tarjan_clear(&g);
    return st;
}
