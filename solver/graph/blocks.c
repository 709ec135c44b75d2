/* Tarjan's algorithm with an explicit stack on the graph whose nodes are
 * columns: column j leads to k where j has an entry in the row that k is
 * matched with, that is, where k's equation needs j. A component is complete
 * only after all it leads to, so they appear last first. */
#include "graph/blocks.h"

/* All that a step asks of a column, together: on large patterns the time is
 * that of memory answering. */
typedef struct tarjan_node {
    int64_t next, end;   /* entry to look at next, end of its entries */
    int32_t number, low; /* order of visit + 1; 0: not yet */
} tarjan_node;

typedef struct tarjan {
    size_t n, entries;
    const int64_t *column_start;
    tarjan_node *nodes; /* [column] */
    int32_t *leads_to;  /* [entry]: the column that its row is matched with */
    int32_t *open;      /* columns not yet in a component */
    int32_t *path;      /* the way down */
    int32_t *columns;   /* result, filled from the end */
    int32_t *ends;      /* ends of components, last first */
    size_t left, open_count, end_count;
    int32_t clock;
    const dae_allocator *a;
} tarjan;

static dae_status tarjan_init(
    tarjan *g, const int32_t *row, const int32_t *row_of)
{
    int32_t *column_of = alloc_zeroed(g->a, g->n, sizeof *column_of);
    g->nodes = alloc_zeroed(g->a, g->n, sizeof *g->nodes);
    g->leads_to = alloc_zeroed(g->a, g->entries, sizeof *g->leads_to);
    g->open = alloc_zeroed(g->a, g->n, sizeof *g->open);
    g->path = alloc_zeroed(g->a, g->n, sizeof *g->path);
    const bool ok = column_of && g->nodes && g->leads_to && g->open && g->path;
    if (ok) {
        for (size_t j = 0; j < g->n; j++) column_of[row_of[j]] = (int32_t)j;
        for (size_t p = 0; p < g->entries; p++)
            g->leads_to[p] = column_of[row[p]];
    }
    alloc_free(g->a, column_of, g->n, sizeof *column_of);
    return ok ? DAE_OK : DAE_MEMORY;
}

static void tarjan_clear(tarjan *g)
{
    alloc_free(g->a, g->nodes, g->n, sizeof *g->nodes);
    alloc_free(g->a, g->leads_to, g->entries, sizeof *g->leads_to);
    alloc_free(g->a, g->open, g->n, sizeof *g->open);
    alloc_free(g->a, g->path, g->n, sizeof *g->path);
}

static void enter(tarjan *g, int32_t j)
{
    tarjan_node *node = &g->nodes[j];
    node->number = node->low = ++g->clock;
    node->next = g->column_start[j];
    node->end = g->column_start[j + 1];
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
        g->nodes[k].low = INT32_MAX;
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
        tarjan_node *node = &g->nodes[j];
        if (node->next < node->end) {
            const int32_t k = g->leads_to[node->next++];
            const tarjan_node *to = &g->nodes[k];
            if (to->number == 0) {
                enter(g, k);
                g->path[depth++] = k;
            } else if (to->low != INT32_MAX && to->number < node->low) {
                node->low = to->number;
            }
            continue;
        }
        const int32_t low = node->low;
        if (low == node->number) close_component(g, j);
        if (--depth == 0 || low == INT32_MAX) continue;
        tarjan_node *up = &g->nodes[g->path[depth - 1]];
        if (low < up->low) up->low = low;
    }
}

dae_status blocks_order(size_t n, const int64_t *column_start,
    const int32_t *row, const int32_t *row_of, const dae_allocator *allocator,
    int32_t *columns, int32_t *start, size_t *count)
{
    tarjan g = {.column_start = column_start,
        .columns = columns,
        .ends = start,
        .n = n,
        .left = n,
        .a = alloc_or_default(allocator)};
    dae_status st = DAE_LIMIT;
    *count = 0;
    if (n >= INT32_MAX) return st;
    g.entries = (size_t)column_start[n];
    if ((st = tarjan_init(&g, row, row_of))) goto done;
    for (size_t j = 0; j < n; j++)
        if (g.nodes[j].number == 0) visit(&g, (int32_t)j);
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
