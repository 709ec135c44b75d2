/* Greedy choices first, level by level, each completed to a maximum matching
 * of the entries down to that level; augmenting keeps rows and columns
 * matched, so later levels keep the matches of earlier ones. */
#include "linalg/row_matching.h"
#include "graph/match.h"
#include "graph/transpose.h"
#include <assert.h>

typedef struct aligning {
    size_t n;
    const int64_t *column_start;
    const int32_t *row;
    const uint8_t *level;
    int32_t *row_of, *column_of;
    transposed t;        /* the pattern by rows */
    uint8_t *row_best;   /* [row]: highest level in it */
    int64_t *kept_start; /* n + 1: the entries down to a level */
    int32_t *kept_row;   /* entries */
    const dae_allocator *a;
} aligning;

static dae_status aligning_init(aligning *g)
{
    g->column_of = alloc_zeroed(g->a, g->n, sizeof *g->column_of);
    g->row_best = alloc_zeroed(g->a, g->n, sizeof *g->row_best);
    return g->column_of && g->row_best ? DAE_OK : DAE_MEMORY;
}

/* Work space of a matching beyond the diagonal. */
static dae_status take_rows(aligning *g)
{
    const size_t n = g->n;
    const dae_status st = transpose_pattern(
        n, n, g->column_start, g->row, g->a, &g->t);
    if (st) return st;
    g->kept_start = alloc_zeroed(g->a, n + 1, sizeof *g->kept_start);
    g->kept_row = alloc_zeroed(g->a, g->t.entries, sizeof *g->kept_row);
    return g->kept_start && g->kept_row ? DAE_OK : DAE_MEMORY;
}

static void aligning_clear(aligning *g)
{
    const size_t n = g->n;
    alloc_free(g->a, g->column_of, n, sizeof *g->column_of);
    alloc_free(g->a, g->row_best, n, sizeof *g->row_best);
    alloc_free(g->a, g->kept_start, n + 1, sizeof *g->kept_start);
    alloc_free(g->a, g->kept_row, g->t.entries, sizeof *g->kept_row);
    transpose_clear(&g->t);
}

static uint8_t level_of(const aligning *g, int64_t p)
{
    return g->level ? g->level[p] : 0;
}

static void pair(aligning *g, size_t i, size_t j)
{
    assert(i < g->n && j < g->n);
    g->row_of[j] = (int32_t)i;
    g->column_of[i] = (int32_t)j;
}

/* Matches the diagonal entries that no other of their row or column exceeds;
 * returns how many. */
static size_t match_diagonal(aligning *g)
{
    size_t count = 0;
    for (int64_t p = 0; p < g->column_start[g->n]; p++) {
        uint8_t *best = &g->row_best[g->row[p]];
        if (level_of(g, p) > *best) *best = level_of(g, p);
    }
    for (size_t j = 0; j < g->n; j++) {
        int best = -1, own = -1;
        for (int64_t p = g->column_start[j]; p < g->column_start[j + 1]; p++) {
            if (level_of(g, p) > best) best = level_of(g, p);
            if ((size_t)g->row[p] == j) own = level_of(g, p);
        }
        if (own < 0 || own < best || own < g->row_best[j]) continue;
        pair(g, j, j);
        count++;
    }
    return count;
}

static void unmatch(aligning *g)
{
    for (size_t j = 0; j < g->n; j++)
        g->row_of[j] = g->column_of[j] = MATCH_NONE;
}

/* The middle column of row i among its entries down to `least`, where it has
 * at most `most` of them: their columns ascend. */
static int32_t middle_of(const aligning *g, size_t i, int least, size_t most)
{
    size_t count = 0, at = 0;
    const int64_t begin = g->t.start[i], end = g->t.start[i + 1];
    for (int64_t p = begin; p < end; p++)
        count += level_of(g, g->t.entry[p]) >= least;
    if (count > most) return MATCH_NONE;
    for (int64_t p = begin; p < end; p++) {
        if (level_of(g, g->t.entry[p]) < least) continue;
        if (at++ == count / 2) return g->t.index[p];
    }
    return MATCH_NONE;
}

static void match_middle(aligning *g, int least, size_t most)
{
    for (size_t i = 0; i < g->n; i++) {
        if (g->column_of[i] != MATCH_NONE || g->row_best[i] < least) continue;
        const int32_t j = middle_of(g, i, least, most);
        if (j != MATCH_NONE && g->row_of[j] == MATCH_NONE)
            pair(g, i, (size_t)j);
    }
}

static dae_status complete(aligning *g, int least, size_t *rank)
{
    int64_t count = 0;
    for (size_t j = 0; j < g->n; j++) {
        for (int64_t p = g->column_start[j]; p < g->column_start[j + 1]; p++)
            if (level_of(g, p) >= least) g->kept_row[count++] = g->row[p];
        g->kept_start[j + 1] = count;
    }
    return match_maximum(g->n, g->n, g->kept_start, g->kept_row, g->a,
        g->row_of, g->column_of, rank);
}

static dae_status match_levels(aligning *g, bool is_in_order, size_t *rank)
{
    *rank = 0;
    for (int least = g->level ? ALIGN_LEVELS - 1 : 0; least >= 0; least--) {
        if (!is_in_order) {
            match_middle(g, least, 1); /* these have no choice */
            match_middle(g, least, g->n);
        }
        const dae_status st = complete(g, least, rank);
        if (st) return st;
        if (*rank == g->n) break;
    }
    return DAE_OK;
}

static bool is_identity(const aligning *g)
{
    for (size_t j = 0; j < g->n; j++)
        if ((size_t)g->row_of[j] != j) return false;
    return true;
}

dae_status align_rows(size_t n, const int64_t *column_start, const int32_t *row,
    const uint8_t *level, const dae_allocator *allocator, int32_t *row_of,
    bool *is_moved)
{
    aligning g = {.n = n,
        .column_start = column_start,
        .row = row,
        .level = level,
        .row_of = row_of,
        .a = alloc_or_default(allocator)};
    size_t rank = n;
    *is_moved = false;
    dae_status st = aligning_init(&g);
    if (st) goto done;
    unmatch(&g);
    const size_t kept = match_diagonal(&g);
    if (kept == n || (st = take_rows(&g))) goto done;
    /* the few entries of a mostly empty diagonal are there by chance */
    const bool is_in_order = kept >= n / 2;
    if (!is_in_order) unmatch(&g);
    if ((st = match_levels(&g, is_in_order, &rank))) goto done;
    *is_moved = rank == n && !is_identity(&g);
    if (rank < n)
        for (size_t j = 0; j < n; j++) row_of[j] = (int32_t)j;
done:
    aligning_clear(&g);
    return st;
}
