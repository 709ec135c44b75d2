/* Thin over graph/match. The witness of an unmatched column is what
 * alternating paths reach from it: all rows met are matched (or the matching
 * were not a largest one), so there are as many rows as columns but for the
 * first. Each column met could take the first one's place, so none of them
 * can be left out. */
#include <dae/structure.h>

#include "graph/match.h"
#include "graph/transpose.h"

#include <stdlib.h>
#include <string.h>

enum { WITNESSES = 64 }; /* starts tried: each may cost a whole pass */

static dae_status check_pattern(const dae_incidence *p, const dae_matching *m)
{
    if (p->rows >= INT32_MAX || p->columns >= INT32_MAX) return DAE_LIMIT;
    for (size_t j = 0; j < p->columns; j++) {
        if (p->column_start[j] > p->column_start[j + 1]) return DAE_ARGUMENT;
        const int32_t i = m->row_of[j];
        if (i == DAE_UNMATCHED) continue;
        if (i < 0 || (size_t)i >= p->rows || m->column_of[i] != (int32_t)j)
            return DAE_ARGUMENT;
    }
    for (int64_t k = 0; k < p->column_start[p->columns]; k++)
        if (p->row[k] < 0 || (size_t)p->row[k] >= p->rows) return DAE_ARGUMENT;
    for (size_t i = 0; i < p->rows; i++) {
        const int32_t j = m->column_of[i];
        if (j == DAE_UNMATCHED) continue;
        if (j < 0 || (size_t)j >= p->columns || m->row_of[j] != (int32_t)i)
            return DAE_ARGUMENT;
    }
    return DAE_OK;
}

dae_status dae_structure_match(
    const dae_incidence *p, const dae_allocator *allocator, dae_matching *m)
{
    if (!p || !m) return DAE_ARGUMENT;
    m->rank = 0;
    dae_status st = check_pattern(p, m);
    if (st) return st;
    st = match_maximum(p->rows, p->columns, p->column_start, p->row, allocator,
        m->row_of, m->column_of, &m->rank);
    if (st) return st;
    return match_parts(p->rows, p->columns, p->column_start, p->row, m->row_of,
        m->column_of, allocator, m->row_part, m->column_part);
}

/* A search from one side: columns and their entries, or rows by their
 * transposed ones. `partner` is of the other side's members. */
typedef struct search {
    size_t near, far; /* members of the side begun from and of the other */
    const int64_t *start;
    const int32_t *entry;
    const int32_t *own;     /* near: partner or DAE_UNMATCHED */
    const int32_t *partner; /* far: the same */
    int32_t *stamp;         /* far: the try that met it, from 1 */
    int32_t *queue;         /* near: members met */
    size_t count;
} search;

/* What is reached from `root`; false where it would be `limit` or more. */
static bool reach(search *s, int32_t root, int32_t stamp, size_t limit)
{
    s->queue[0] = root;
    s->count = 1;
    for (size_t head = 0; head < s->count; head++) {
        const int32_t j = s->queue[head];
        if (s->count >= limit) return false;
        for (int64_t p = s->start[j]; p < s->start[j + 1]; p++) {
            const int32_t i = s->entry[p];
            if (s->stamp[i] == stamp) continue;
            s->stamp[i] = stamp;
            /* each has one: else the matching were no largest one */
            if (s->partner[i] == DAE_UNMATCHED) continue;
            s->queue[s->count++] = s->partner[i];
        }
    }
    return s->count < limit;
}

static int compare(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* The smallest set into near_set and far_set. */
static void find_smallest(
    search *s, int32_t *near_set, int32_t *far_set, size_t *count)
{
    int32_t stamp = 0;
    size_t limit = SIZE_MAX;
    *count = 0;
    for (size_t j = 0; j < s->near && stamp < WITNESSES; j++) {
        if (s->own[j] != DAE_UNMATCHED) continue;
        if (!reach(s, (int32_t)j, ++stamp, limit)) continue;
        limit = *count = s->count;
        memcpy(near_set, s->queue, s->count * sizeof *near_set);
    }
    for (size_t k = 1; k < *count; k++) far_set[k - 1] = s->own[near_set[k]];
    if (*count == 0) return;
    qsort(near_set, *count, sizeof *near_set, compare);
    qsort(far_set, *count - 1, sizeof *far_set, compare);
}

static dae_status run_search(search *s, const dae_allocator *a,
    int32_t *near_set, int32_t *far_set, size_t *near_count, size_t *far_count)
{
    s->stamp = alloc_zeroed(a, s->far, sizeof *s->stamp);
    s->queue = alloc_zeroed(a, s->near, sizeof *s->queue);
    const bool is_good = s->stamp && s->queue;
    if (is_good) find_smallest(s, near_set, far_set, near_count);
    *far_count = *near_count ? *near_count - 1 : 0;
    alloc_free(a, s->stamp, s->far, sizeof *s->stamp);
    alloc_free(a, s->queue, s->near, sizeof *s->queue);
    return is_good ? DAE_OK : DAE_MEMORY;
}

dae_status dae_structure_excess(const dae_incidence *p, const dae_matching *m,
    const dae_allocator *allocator, dae_witness *out)
{
    if (!p || !m || !out) return DAE_ARGUMENT;
    const dae_allocator *a = alloc_or_default(allocator);
    transposed t = {0};
    out->row_count = out->column_count = 0;
    dae_status st = transpose_pattern(
        p->rows, p->columns, p->column_start, p->row, a, &t);
    if (st) return st;
    search s = {.near = p->rows,
        .far = p->columns,
        .start = t.start,
        .entry = t.index,
        .own = m->column_of,
        .partner = m->row_of};
    st = run_search(
        &s, a, out->rows, out->columns, &out->row_count, &out->column_count);
    transpose_clear(&t);
    return st;
}

dae_status dae_structure_shortage(const dae_incidence *p, const dae_matching *m,
    const dae_allocator *allocator, dae_witness *out)
{
    if (!p || !m || !out) return DAE_ARGUMENT;
    search s = {.near = p->columns,
        .far = p->rows,
        .start = p->column_start,
        .entry = p->row,
        .own = m->row_of,
        .partner = m->column_of};
    out->row_count = out->column_count = 0;
    return run_search(&s, alloc_or_default(allocator), out->columns, out->rows,
        &out->column_count, &out->row_count);
}
