/* The numbers of an elimination: multiplications in an order and to places
 * that were found once, so that a matrix costs a pass over them. */
#include "linalg/condense.h"
#include "linalg/row_matching.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* --- making it --- */

typedef struct numbering {
    const elimination *e;
    int32_t *of_column; /* n: in S */
    uint32_t *place;    /* of every entry in values */
} numbering;

static const elimination_entry *entry_of(const numbering *z, int32_t k)
{
    return &z->e->entries.items[k];
}

/* Entries in columns that stay. */
static size_t count_kept(const elimination *e)
{
    size_t count = 0;
    for (size_t j = 0; j < e->n; j++)
        if (!e->is_column_out[j]) count += (size_t)e->column_count[j];
    return count;
}

static bool allocate(condensed *c, numbering *z, size_t kept, size_t given)
{
    arena *a = &c->memory;
    const size_t n = c->n, p = c->pivots, all = c->value_count;
    c->column_start = ARENA_ARRAY(a, int64_t, c->count + 1);
    c->row = ARENA_ARRAY(a, int32_t, kept);
    c->level = ARENA_ARRAY(a, uint8_t, kept);
    c->kept_row = ARENA_ARRAY(a, int32_t, c->count);
    c->kept_column = ARENA_ARRAY(a, int32_t, c->count);
    c->pivot_row = ARENA_ARRAY(a, int32_t, p);
    c->pivot_column = ARENA_ARRAY(a, int32_t, p);
    c->pivot_at = ARENA_ARRAY(a, uint32_t, p + 1);
    c->below_at = ARENA_ARRAY(a, uint32_t, p);
    c->other = ARENA_ARRAY(a, int32_t, all);
    c->target = ARENA_ARRAY(a, uint32_t, c->target_count);
    c->place = ARENA_ARRAY(a, uint32_t, given);
    c->values = ARENA_ARRAY(a, double, all);
    c->right = ARENA_ARRAY(a, double, p);
    c->left = ARENA_ARRAY(a, double, c->count);
    z->of_column = alloc_zeroed(a->allocator, n, sizeof *z->of_column);
    z->place = alloc_zeroed(a->allocator, all, sizeof *z->place);
    return c->column_start && c->row && c->level && c->kept_row
        && c->kept_column && c->pivot_row && c->pivot_column && c->pivot_at
        && c->below_at && c->other && c->target && c->place && c->values
        && c->right && c->left && z->of_column && z->place;
}

static void number_kept(condensed *c, numbering *z)
{
    const elimination *e = z->e;
    int32_t rows = 0, columns = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (e->is_row_out[i]) continue;
        c->kept_row[rows++] = (int32_t)i;
    }
    for (size_t j = 0; j < c->n; j++) {
        if (e->is_column_out[j]) continue;
        c->kept_column[columns] = (int32_t)j;
        c->column_start[columns + 1] = c->column_start[columns]
            + e->column_count[j];
        z->of_column[j] = columns++;
    }
}

/* Row by row, in the order of kept_row, so that rows ascend in the columns. */
static void place_kept(condensed *c, numbering *z)
{
    const elimination *e = z->e;
    for (size_t r = 0; r < c->count; r++) {
        int32_t k = e->row_first[c->kept_row[r]];
        for (; k >= 0; k = entry_of(z, k)->next_in_row) {
            const int32_t j = z->of_column[entry_of(z, k)->column];
            const int64_t at = c->column_start[j]++;
            c->row[at] = (int32_t)r;
            c->level[at] = entry_of(z, k)->level;
            z->place[k] = (uint32_t)at;
        }
    }
    for (size_t j = c->count; j > 0; j--)
        c->column_start[j] = c->column_start[j - 1];
    c->column_start[0] = 0;
}

/* Rows in the order in which pivots are expected, so that what factorizes S
 * needs no other order of its own. */
static dae_status align_kept(condensed *c, numbering *z)
{
    arena *a = &c->memory;
    bool is_moved = false;
    const arena_position before = arena_mark(a);
    int32_t *row_of = ARENA_ARRAY(a, int32_t, c->count);
    if (!row_of) return DAE_MEMORY;
    const dae_status st = align_rows(c->count, c->column_start, c->row,
        c->level, a->allocator, row_of, &is_moved);
    if (!st && is_moved) {
        for (size_t r = 0; r < c->count; r++)
            row_of[r] = c->kept_row[row_of[r]];
        memcpy(c->kept_row, row_of, c->count * sizeof *row_of);
        place_kept(c, z);
    }
    arena_release(a, before);
    return st;
}

static void place_pivots(condensed *c, numbering *z, uint32_t at)
{
    const elimination *e = z->e;
    for (size_t p = 0; p < c->pivots; p++) {
        const int32_t pivot = e->pivots.items[p];
        const int32_t i = entry_of(z, pivot)->row;
        const int32_t j = entry_of(z, pivot)->column;
        c->pivot_row[p] = i;
        c->pivot_column[p] = j;
        c->pivot_at[p] = at;
        z->place[pivot] = at++;
        for (int32_t k = e->row_first[i]; k >= 0;
             k = entry_of(z, k)->next_in_row) {
            c->other[at] = entry_of(z, k)->column;
            z->place[k] = at++;
        }
        c->below_at[p] = at;
        for (int32_t k = e->column_first[j]; k >= 0;
             k = entry_of(z, k)->next_in_column) {
            c->other[at] = entry_of(z, k)->row;
            z->place[k] = at++;
        }
    }
    c->pivot_at[c->pivots] = at;
    assert(at == c->value_count);
}

dae_status condensed_init(condensed *c, const elimination_source *s,
    const elimination *e, const dae_allocator *allocator)
{
    const dae_allocator *a = alloc_or_default(allocator);
    const size_t given = (size_t)s->column_start[s->n], kept = count_kept(e);
    numbering z = {.e = e};
    dae_status st = DAE_MEMORY;
    *c = (condensed){.n = s->n,
        .count = s->n - e->pivots.count,
        .pivots = e->pivots.count,
        .value_count = e->entries.count,
        .target_count = e->targets.count};
    assert(e->pivots.count <= s->n);
    arena_init(&c->memory, a, 0);
    if (!allocate(c, &z, kept, given)) goto done;
    number_kept(c, &z);
    place_kept(c, &z);
    if ((st = align_kept(c, &z))) goto done;
    place_pivots(c, &z, (uint32_t)kept);
    for (size_t p = 0; p < given; p++) c->place[p] = z.place[p];
    for (size_t t = 0; t < c->target_count; t++)
        c->target[t] = z.place[e->targets.items[t]];
    st = DAE_OK;
done:
    alloc_free(a, z.of_column, s->n, sizeof *z.of_column);
    alloc_free(a, z.place, c->value_count, sizeof *z.place);
    if (st) condensed_clear(c);
    return st;
}

void condensed_clear(condensed *c)
{
    if (!c->memory.allocator) return;
    arena_clear(&c->memory);
    *c = (condensed){0};
}

/* --- what it is worth --- */

/* In operations on a full matrix (linear_cost), from perf counts of runs:
 * multiplications of an elimination, an entry beside or below a pivot, there and
 * in each solution, and a row of a solution. */
enum { PRODUCT = 6, BESIDE = 6, ROW = 10 };

bool condensed_saves(
    const condensed *c, const linear *whole, const linear *rest)
{
    const double before = linear_cost(whole), solves = LINEAR_SOLVES;
    const double beside = (double)c->value_count
        - (double)c->column_start[c->count] - (double)c->pivots;
    const double own = PRODUCT * (double)c->target_count
        + (solves + 1) * (BESIDE * beside + ROW * (double)c->n);
    const double after = linear_cost(rest) + own;
    if (isnan(before) || isnan(after))
        return (double)c->pivots >= CONDENSED_PART * (double)c->n;
    return before - after >= fmax(CONDENSED_PART * before, CONDENSED_LEAST);
}

/* --- numbers --- */

/* Takes pivot p out of the rows below it; returns the rest of the targets. */
static const uint32_t *take_out(
    condensed *c, size_t p, double inverse, const uint32_t *target)
{
    double *v = c->values;
    const uint32_t below = c->below_at[p];
    for (uint32_t l = below; l < c->pivot_at[p + 1]; l++) {
        const double factor = v[l] *= inverse;
        for (uint32_t u = c->pivot_at[p] + 1; u < below; u++)
            v[*target++] -= factor * v[u];
    }
    return target;
}

bool condensed_eliminate(condensed *c)
{
    const uint32_t *target = c->target;
    for (size_t p = 0; p < c->pivots; p++) {
        double *pivot = &c->values[c->pivot_at[p]];
        *pivot = 1 / *pivot;
        if (!isfinite(*pivot)) return false;
        target = take_out(c, p, *pivot, target);
    }
    return true;
}

void condensed_reduce(condensed *c, double *b)
{
    const double *v = c->values;
    for (size_t p = 0; p < c->pivots; p++) {
        const double right = c->right[p] = b[c->pivot_row[p]];
        for (uint32_t l = c->below_at[p]; l < c->pivot_at[p + 1]; l++)
            b[c->other[l]] -= v[l] * right;
    }
    for (size_t r = 0; r < c->count; r++) c->left[r] = b[c->kept_row[r]];
}

void condensed_expand(const condensed *c, double *x)
{
    const double *v = c->values;
    for (size_t j = 0; j < c->count; j++) x[c->kept_column[j]] = c->left[j];
    for (size_t p = c->pivots; p-- > 0;) {
        const uint32_t at = c->pivot_at[p];
        double sum = c->right[p];
        for (uint32_t u = at + 1; u < c->below_at[p]; u++)
            sum -= v[u] * x[c->other[u]];
        x[c->pivot_column[p]] = sum * v[at];
    }
}

void condensed_sizes(const condensed *c, const double *of_row, double *size)
{
    for (size_t p = 0; p < c->pivots; p++)
        size[c->pivot_column[p]] = of_row[c->pivot_row[p]]
            * fabs(c->values[c->pivot_at[p]]);
}
