/* Primal and dual together, block by block. Potentials start from the highest
 * weight of each column, what is matched stays so where it is tight, that is
 * u + v = weight. Then by turns: tight entries are matched as far as they go
 * [HK73], and the potentials change by the least amount that makes a way from
 * a free row to a free column tight.
 *
 * Distances are those of the shortest augmenting path with potentials
 * [Tom71; EK72], for sparse patterns [DK01]. One search from all free rows at
 * once stops at the first free column: its cost is what lies nearer than that
 * column. Searching from one row after the other would be quadratic where ways
 * are long; this way each round lengthens the least distance, as in [GT89]. */
#include "graph/assign.h"
#include "graph/heap.h"

#include <assert.h>

#define FAR INT64_MAX
enum {
    NONE = -1,
    PATIENCE = 1 << 16, /* rows looked at between two questions to interrupt */
};

typedef struct assignment {
    const weighted *w;
    int32_t *row_of, *column_of;
    int64_t *u, *v;
    int32_t *free_rows;
    size_t free_count;
    bool is_ready; /* what follows is allocated */
    /* the search: distances of columns below `limit`, the nearest free one */
    int64_t *distance; /* FAR: not reached */
    int64_t limit;
    heap heap;
    int32_t *touched; /* columns reached */
    int32_t *ready;   /* of these, as near as the row they were reached from */
    size_t touched_count, ready_count;
    /* the flips: steps from a free row to each row, NONE: not reached, or used
     * up; the rows reached, entries to look at, the way down */
    int32_t *level;
    int32_t *reached, *path;
    size_t reached_count;
    int64_t *next;
    dae_interrupt_fn *interrupt;
    void *interrupt_context;
    size_t work; /* rows since the last question */
    const dae_allocator *a;
} assignment;

/* What searching takes, once there is something to search for. */
static dae_status assignment_init(assignment *s)
{
    const size_t n = s->w->n;
    s->distance = alloc_zeroed(s->a, n, sizeof *s->distance);
    s->touched = alloc_zeroed(s->a, n, sizeof *s->touched);
    s->ready = alloc_zeroed(s->a, n, sizeof *s->ready);
    s->level = alloc_zeroed(s->a, n, sizeof *s->level);
    s->reached = alloc_zeroed(s->a, n, sizeof *s->reached);
    s->path = alloc_zeroed(s->a, n, sizeof *s->path);
    s->next = alloc_zeroed(s->a, n, sizeof *s->next);
    const bool ok = s->distance && s->touched && s->ready && s->level
        && s->reached && s->path && s->next;
    if (!ok) return DAE_MEMORY;
    for (size_t j = 0; j < n; j++) s->distance[j] = FAR;
    for (size_t i = 0; i < n; i++) s->level[i] = NONE;
    return heap_init(&s->heap, n, s->distance, s->a);
}

static void assignment_clear(assignment *s)
{
    const size_t n = s->w->n;
    alloc_free(s->a, s->free_rows, n, sizeof *s->free_rows);
    alloc_free(s->a, s->distance, n, sizeof *s->distance);
    alloc_free(s->a, s->touched, n, sizeof *s->touched);
    alloc_free(s->a, s->ready, n, sizeof *s->ready);
    alloc_free(s->a, s->level, n, sizeof *s->level);
    alloc_free(s->a, s->reached, n, sizeof *s->reached);
    alloc_free(s->a, s->path, n, sizeof *s->path);
    alloc_free(s->a, s->next, n, sizeof *s->next);
    heap_clear(&s->heap);
}

/* How far entry p of row i is from being tight. */
static int64_t slack(const assignment *s, int32_t i, int64_t p)
{
    return s->u[i] + s->v[s->w->column[p]] - s->w->weight[p];
}

/* Asked rarely; true where the work is to stop. */
static bool is_stopped(assignment *s)
{
    if (++s->work < PATIENCE) return false;
    s->work = 0;
    return s->interrupt && s->interrupt(s->interrupt_context);
}

/* The least u of row i that leaves no slack below 0; true where its partner
 * is tight then. */
static bool fit_row(assignment *s, int32_t i)
{
    const weighted *w = s->w;
    bool is_tight = false;
    int64_t least = FAR;
    s->u[i] = 0;
    for (int64_t p = w->row_start[i]; p < w->row_end[i]; p++) {
        const int64_t gap = slack(s, i, p);
        if (gap < least) is_tight = false;
        if (gap <= least && w->column[p] == s->column_of[i]) is_tight = true;
        if (gap < least) least = gap;
    }
    s->u[i] = -least;
    return is_tight;
}

/* Potentials of a block, and its rows whose partner is not tight set free. */
static void start_block(assignment *s, int32_t begin, int32_t end)
{
    const weighted *w = s->w;
    for (int32_t j = begin; j < end; j++) s->v[j] = 0;
    for (int32_t i = begin; i < end; i++)
        for (int64_t p = w->row_start[i]; p < w->row_end[i]; p++)
            if (s->v[w->column[p]] < w->weight[p])
                s->v[w->column[p]] = w->weight[p];
    s->free_count = 0;
    for (int32_t i = begin; i < end; i++) {
        if (fit_row(s, i)) continue;
        s->row_of[s->column_of[i]] = NONE;
        s->column_of[i] = NONE;
        s->free_rows[s->free_count++] = i;
    }
}

/* ---- ways of tight entries, flipped ------------------------------------------ */

static void reach(assignment *s, int32_t i, int32_t level)
{
    s->level[i] = level;
    s->next[i] = s->w->row_start[i];
    s->reached[s->reached_count++] = i;
}

/* Levels of the rows up to that of the nearest free column; true where there
 * is one. */
static bool find_levels(assignment *s)
{
    int32_t last = INT32_MAX;
    for (size_t k = 0; k < s->free_count; k++) reach(s, s->free_rows[k], 0);
    for (size_t head = 0; head < s->reached_count; head++) {
        const int32_t i = s->reached[head];
        if (s->level[i] >= last) break;
        for (int64_t p = s->w->row_start[i]; p < s->w->row_end[i]; p++) {
            const int32_t k = s->row_of[s->w->column[p]];
            if (k != NONE && s->level[k] != NONE) continue;
            if (slack(s, i, p) != 0) continue;
            if (k == NONE) last = s->level[i] + 1;
            else reach(s, k, s->level[i] + 1);
        }
    }
    return last != INT32_MAX;
}

/* The rows on the path take what the entries they stand at lead to. */
static void flip(assignment *s, size_t depth)
{
    while (depth-- > 0) {
        const int32_t i = s->path[depth];
        const int32_t j = s->w->column[s->next[i] - 1];
        s->column_of[i] = j;
        s->row_of[j] = i;
    }
}

/* Depth first from a free row, level by level; true where it found a
 * partner. */
static bool augment_from(assignment *s, int32_t root)
{
    size_t depth = 1; /* the level of the last row and one more */
    s->path[0] = root;
    while (depth > 0) {
        const int32_t i = s->path[depth - 1];
        if (s->next[i] == s->w->row_end[i]) {
            depth--;
            continue;
        }
        const int64_t p = s->next[i]++;
        const int32_t k = s->row_of[s->w->column[p]];
        if (k != NONE && s->level[k] != (int32_t)depth) continue;
        if (slack(s, i, p) != 0) continue;
        if (k == NONE) {
            flip(s, depth);
            return true;
        }
        s->level[k] = NONE;
        s->path[depth++] = k;
    }
    return false;
}

/* All that tight entries allow: a largest matching of them. False where
 * interrupted. */
static bool augment(assignment *s)
{
    bool is_going = true;
    while (is_going && s->free_count > 0) {
        const bool is_possible = find_levels(s);
        size_t left = 0;
        for (size_t k = 0; is_possible && k < s->free_count; k++) {
            const int32_t i = s->free_rows[k];
            if (!augment_from(s, i)) s->free_rows[left++] = i;
        }
        if (is_possible) s->free_count = left;
        s->work += s->reached_count;
        while (s->reached_count > 0)
            s->level[s->reached[--s->reached_count]] = NONE;
        if (!is_possible) break;
        is_going = !is_stopped(s);
    }
    return is_going;
}

/* ---- distances, and the potentials they change -------------------------------- */

static void reach_from(assignment *s, int32_t i, int64_t from)
{
    for (int64_t p = s->w->row_start[i]; p < s->w->row_end[i]; p++) {
        const int32_t j = s->w->column[p];
        const int64_t to = from + slack(s, i, p);
        if (to >= s->limit || to >= s->distance[j]) continue;
        if (s->distance[j] == FAR) s->touched[s->touched_count++] = j;
        s->distance[j] = to;
        if (s->row_of[j] == NONE) s->limit = to;
        else if (to > from || heap_has(&s->heap, j)) heap_push(&s->heap, j);
        else s->ready[s->ready_count++] = j;
    }
}

/* The nearest column not yet gone on from, or NONE where none is nearer than
 * the limit. Those that are ready are as near as the last one, which is as
 * near as any. */
static int32_t nearest(assignment *s)
{
    int32_t j = NONE;
    if (s->ready_count > 0) j = s->ready[--s->ready_count];
    else if (s->heap.count > 0) j = heap_pop(&s->heap);
    return j != NONE && s->distance[j] < s->limit ? j : NONE;
}

/* Sets the limit: the distance of the nearest free column. False where
 * interrupted. */
static bool search(assignment *s)
{
    bool is_going = true;
    int32_t j = NONE;
    s->limit = FAR;
    for (size_t k = 0; k < s->free_count && s->limit > 0; k++)
        reach_from(s, s->free_rows[k], 0);
    while (is_going && (j = nearest(s)) != NONE) {
        reach_from(s, s->row_of[j], s->distance[j]);
        is_going = !is_stopped(s);
    }
    heap_empty(&s->heap);
    s->ready_count = 0;
    return is_going;
}

/* Moves the potentials of all that is nearer than the limit, so that it stays
 * as tight as it is and the ways to the limit become tight. */
static void change_potentials(assignment *s)
{
    assert(s->limit < FAR); /* each block has a perfect matching */
    for (size_t k = 0; k < s->free_count; k++)
        s->u[s->free_rows[k]] -= s->limit;
    while (s->touched_count > 0) {
        const int32_t j = s->touched[--s->touched_count];
        const int64_t by = s->limit - s->distance[j];
        s->distance[j] = FAR;
        if (by <= 0) continue;
        s->v[j] += by;
        s->u[s->row_of[j]] -= by;
    }
}

static dae_status assign_block(assignment *s, int32_t begin, int32_t end)
{
    start_block(s, begin, end);
    if (s->free_count == 0) return DAE_OK;
    if (!s->is_ready) {
        const dae_status st = assignment_init(s);
        if (st) return st;
        s->is_ready = true;
    }
    if (!augment(s)) return DAE_INTERRUPTED;
    while (s->free_count > 0) {
        if (!search(s)) return DAE_INTERRUPTED;
        change_potentials(s);
        if (!augment(s)) return DAE_INTERRUPTED;
    }
    return DAE_OK;
}

dae_status assign_highest(const weighted *w, const dae_allocator *allocator,
    dae_interrupt_fn *interrupt, void *interrupt_context, int32_t *row_of,
    int32_t *column_of, int64_t *u, int64_t *v)
{
    assignment s = {.w = w,
        .row_of = row_of,
        .column_of = column_of,
        .u = u,
        .v = v,
        .interrupt = interrupt,
        .interrupt_context = interrupt_context,
        .a = alloc_or_default(allocator)};
    s.free_rows = alloc_zeroed(s.a, w->n, sizeof *s.free_rows);
    dae_status st = s.free_rows ? DAE_OK : DAE_MEMORY;
    for (size_t b = 0; !st && b < w->block_count; b++)
        st = assign_block(&s, w->start[b], w->start[b + 1]);
    assignment_clear(&s);
    return st;
}
