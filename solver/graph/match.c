/* Hopcroft-Karp: in each phase a breadth-first search from the free columns
 * finds the length of the shortest augmenting paths, then depth-first
 * searches with an explicit stack take a maximal set of disjoint ones. */
#include "graph/match.h"
#include "graph/transpose.h"
#include <string.h>

/* All that a step asks of a column, together: on large patterns the time is
 * that of memory answering. */
typedef struct match_node {
    int64_t next, end; /* entry to look at next, end of its entries */
    int32_t level;     /* distance from a free column; -1: none, or used up */
} match_node;

typedef struct matching {
    size_t rows, columns;
    const int64_t *column_start;
    const int32_t *row;
    int32_t *row_of, *column_of;
    match_node *nodes; /* [column] */
    int32_t *queue;    /* columns; the stack of the second pass */
    const dae_allocator *a;
} matching;

static dae_status matching_init(matching *m)
{
    m->nodes = alloc_zeroed(m->a, m->columns, sizeof *m->nodes);
    m->queue = alloc_zeroed(m->a, m->columns, sizeof *m->queue);
    return m->nodes && m->queue ? DAE_OK : DAE_MEMORY;
}

static void matching_clear(matching *m)
{
    alloc_free(m->a, m->nodes, m->columns, sizeof *m->nodes);
    alloc_free(m->a, m->queue, m->columns, sizeof *m->queue);
}

/* Each free column takes its first free row, the diagonal one first. */
static void match_greedily(matching *m)
{
    for (size_t j = 0; j < m->columns; j++) {
        if (m->row_of[j] != MATCH_NONE) continue;
        int32_t found = MATCH_NONE;
        for (int64_t p = m->column_start[j]; p < m->column_start[j + 1]; p++) {
            const int32_t i = m->row[p];
            if (m->column_of[i] != MATCH_NONE) continue;
            if (found == MATCH_NONE) found = i;
            if ((size_t)i != j) continue;
            found = i;
            break;
        }
        if (found == MATCH_NONE) continue;
        m->row_of[j] = found;
        m->column_of[found] = (int32_t)j;
    }
}

/* Levels of the columns; true where a free row was reached. */
static bool find_levels(matching *m)
{
    size_t head = 0, tail = 0;
    int32_t last = INT32_MAX; /* level at which a free row was met */
    for (size_t j = 0; j < m->columns; j++) {
        const bool is_free = m->row_of[j] == MATCH_NONE;
        m->nodes[j] = (match_node){
            m->column_start[j], m->column_start[j + 1], is_free ? 0 : -1};
        if (is_free) m->queue[tail++] = (int32_t)j;
    }
    while (head < tail) {
        const match_node *node = &m->nodes[m->queue[head++]];
        if (node->level >= last) break;
        for (int64_t p = node->next; p < node->end; p++) {
            const int32_t k = m->column_of[m->row[p]];
            if (k == MATCH_NONE) {
                last = node->level + 1;
            } else if (m->nodes[k].level < 0) {
                m->nodes[k].level = node->level + 1;
                m->queue[tail++] = k;
            }
        }
    }
    return last != INT32_MAX;
}

/* The columns on the stack and the entries they stand at are a path. */
static void flip_path(matching *m, size_t depth)
{
    for (size_t s = depth; s-- > 0;) {
        const int32_t j = m->queue[s];
        const int32_t i = m->row[m->nodes[j].next - 1];
        m->row_of[j] = i;
        m->column_of[i] = j;
    }
}

static bool augment_from(matching *m, int32_t root)
{
    size_t depth = 1; /* a column's level and one more */
    m->queue[0] = root;
    while (depth > 0) {
        match_node *node = &m->nodes[m->queue[depth - 1]];
        if (node->next == node->end) {
            depth--;
            continue;
        }
        const int32_t k = m->column_of[m->row[node->next++]];
        if (k == MATCH_NONE) {
            flip_path(m, depth);
            return true;
        }
        if (m->nodes[k].level != (int32_t)depth) continue;
        m->nodes[k].level = -1;
        m->queue[depth++] = k;
    }
    return false;
}

dae_status match_maximum(size_t rows, size_t columns,
    const int64_t *column_start, const int32_t *row,
    const dae_allocator *allocator, int32_t *row_of, int32_t *column_of,
    size_t *rank)
{
    matching m = {.rows = rows,
        .columns = columns,
        .column_start = column_start,
        .row = row,
        .row_of = row_of,
        .column_of = column_of,
        .a = alloc_or_default(allocator)};
    dae_status st = DAE_LIMIT;
    *rank = 0;
    if (rows >= INT32_MAX || columns >= INT32_MAX) return st;
    if ((st = matching_init(&m))) goto done;
    match_greedily(&m);
    while (find_levels(&m)) {
        bool is_better = false;
        for (size_t j = 0; j < columns; j++)
            if (row_of[j] == MATCH_NONE && augment_from(&m, (int32_t)j))
                is_better = true;
        if (!is_better) break;
    }
    for (size_t j = 0; j < columns; j++) *rank += row_of[j] != MATCH_NONE;
done:
    matching_clear(&m);
    return st;
}

typedef struct partners {
    const int32_t *row_of, *column_of;
} partners;

/* Columns on alternating paths from free columns, with the rows met. */
static void mark_under(
    matching *m, const partners *with, uint8_t *row_part, uint8_t *column_part)
{
    size_t head = 0, tail = 0;
    for (size_t j = 0; j < m->columns; j++) {
        if (with->row_of[j] != MATCH_NONE) continue;
        column_part[j] = MATCH_UNDER;
        m->queue[tail++] = (int32_t)j;
    }
    while (head < tail) {
        const int32_t j = m->queue[head++];
        for (int64_t p = m->column_start[j]; p < m->column_start[j + 1]; p++) {
            const int32_t i = m->row[p], k = with->column_of[i];
            if (row_part[i] == MATCH_UNDER) continue;
            row_part[i] = MATCH_UNDER;
            if (k == MATCH_NONE || column_part[k] == MATCH_UNDER) continue;
            column_part[k] = MATCH_UNDER;
            m->queue[tail++] = k;
        }
    }
}

/* Rows on alternating paths from free rows, with the columns met. */
static dae_status mark_over(const matching *m, const partners *with,
    uint8_t *row_part, uint8_t *column_part)
{
    transposed t;
    size_t head = 0, tail = 0;
    int32_t *queue = alloc_zeroed(m->a, m->rows, sizeof *queue);
    if (!queue) return DAE_MEMORY;
    const dae_status st = transpose_pattern(
        m->rows, m->columns, m->column_start, m->row, m->a, &t);
    if (st) goto done;
    for (size_t i = 0; i < m->rows; i++) {
        if (with->column_of[i] != MATCH_NONE) continue;
        row_part[i] = MATCH_OVER;
        queue[tail++] = (int32_t)i;
    }
    while (head < tail) {
        const int32_t i = queue[head++];
        for (int64_t p = t.start[i]; p < t.start[i + 1]; p++) {
            const int32_t j = t.index[p], k = with->row_of[j];
            if (column_part[j] == MATCH_OVER) continue;
            column_part[j] = MATCH_OVER;
            if (k == MATCH_NONE || row_part[k] == MATCH_OVER) continue;
            row_part[k] = MATCH_OVER;
            queue[tail++] = k;
        }
    }
    transpose_clear(&t);
done:
    alloc_free(m->a, queue, m->rows, sizeof *queue);
    return st;
}

dae_status match_parts(size_t rows, size_t columns, const int64_t *column_start,
    const int32_t *row, const int32_t *row_of, const int32_t *column_of,
    const dae_allocator *allocator, uint8_t *row_part, uint8_t *column_part)
{
    matching m = {.rows = rows,
        .columns = columns,
        .column_start = column_start,
        .row = row,
        .a = alloc_or_default(allocator)};
    const partners with = {row_of, column_of};
    dae_status st;
    if (rows) memset(row_part, MATCH_WELL, rows);
    if (columns) memset(column_part, MATCH_WELL, columns);
    if ((st = matching_init(&m))) goto done;
    mark_under(&m, &with, row_part, column_part);
    st = mark_over(&m, &with, row_part, column_part);
done:
    matching_clear(&m);
    return st;
}
