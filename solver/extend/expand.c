/* Made once, before any value: which entry of the original, differentiated how
 * often, goes where, by what dae_series_jacobian_fn says of the derivative
 * array. */
#include "extend/expand.h"
#include "linalg/naming.h"
#include <assert.h>
#include <string.h>

/* Unknown and order of column p of a pattern over the original's slots;
 * false: the column of an algebraic unknown in xp, which is never read. */
static bool expand_slot(
    const extension *x, size_t p, size_t *unknown, size_t *order)
{
    const layout *l = &x->layout;
    int of;
    *unknown = naming_unknown(l, p, &of);
    *order = (size_t)of;
    return p < l->states || of > 0;
}

dae_status expand_full(extension *x, size_t rows, dae_pattern *out)
{
    const size_t columns = x->layout.states + x->layout.unknowns;
    const uint64_t most = INT64_MAX / 2;
    size_t entries;
    if (!size_mul(rows, columns, &entries) || entries >= most) return DAE_LIMIT;
    int64_t *start = ARENA_ARRAY(&x->arena, int64_t, columns + 1);
    int32_t *row = ARENA_ARRAY(&x->arena, int32_t, entries);
    if (!start || !row) return DAE_MEMORY;
    for (size_t p = 0; p < columns; p++) {
        start[p + 1] = start[p] + (int64_t)rows;
        for (size_t i = 0; i < rows; i++) row[p * rows + i] = (int32_t)i;
    }
    *out = (dae_pattern){start, row, NULL};
    return DAE_OK;
}

void expand_orders(extension *x)
{
    const dae_pattern *s = x->source;
    const size_t columns = x->layout.states + x->layout.unknowns;
    for (size_t j = 0; j < x->layout.unknowns; j++)
        if (x->d[j] < x->layout.order[j]) x->d[j] = x->layout.order[j];
    for (size_t p = 0; p < columns; p++) {
        size_t j, o;
        if (!expand_slot(x, p, &j, &o)) continue;
        for (int64_t e = s->column_start[p]; e < s->column_start[p + 1]; e++) {
            const int32_t top = (int32_t)o + x->c[s->row[e]];
            if (x->d[j] < top) x->d[j] = top;
        }
    }
}

static uint8_t kind_of(const extension *x, int64_t entry)
{
    return x->source->kind ? x->source->kind[entry] : DAE_ENTRY_VARYING;
}

/* Terms that entry e of the source gives: one for each row k and each
 * shift s = l - o <= k; constants have no derivatives, so s = k. */
static size_t count_of(const extension *x, int64_t entry)
{
    const size_t c = (size_t)x->c[x->source->row[entry]];
    return kind_of(x, entry) == DAE_ENTRY_VARYING ? (c + 1) * (c + 2) / 2
                                                  : c + 1;
}

static dae_status take_factors(extension *x)
{
    x->factors = ARENA_ARRAY(&x->arena, double, x->terms * x->terms);
    if (!x->factors) return DAE_MEMORY;
    for (size_t k = 0; k < x->terms; k++) {
        double factor = 1; /* k!/s! */
        for (size_t s = k + 1; s-- > 0;) {
            x->factors[k * x->terms + s] = factor;
            factor *= (double)s;
        }
    }
    return DAE_OK;
}

/* A term and its entry of the extended pattern. */
typedef struct placed_term {
    uint32_t source;
    int32_t row, column;
    uint16_t factor;
    uint8_t kind;
} placed_term;

static uint32_t place_of(const extension *x, int64_t entry, size_t k)
{
    return (uint32_t)extend_place(x->problem->series_jacobian_part != NULL,
        x->source_entries, x->terms, (size_t)entry, k);
}

static void put_terms(const extension *x, int64_t entry, size_t j, size_t o,
    placed_term *out, size_t *at)
{
    const size_t i = (size_t)x->source->row[entry];
    const uint8_t kind = kind_of(x, entry);
    for (size_t k = 0; k <= (size_t)x->c[i]; k++) {
        for (size_t s = k + 1; s-- > 0;) {
            out[(*at)++] = (placed_term){.source = place_of(x, entry, k - s),
                .factor = (uint16_t)(k * x->terms + s),
                .kind = kind,
                .row = (int32_t)(x->e.row_first[i] + k),
                .column = (int32_t)(x->e.column_first[j] + o + s)};
            if (kind != DAE_ENTRY_VARYING) break;
        }
    }
}

static size_t put_all(const extension *x, placed_term *out)
{
    const dae_pattern *s = x->source;
    const size_t columns = x->layout.states + x->layout.unknowns;
    size_t at = 0;
    for (size_t p = 0; p < columns; p++) {
        size_t j, o;
        if (!expand_slot(x, p, &j, &o)) continue;
        for (int64_t e = s->column_start[p]; e < s->column_start[p + 1]; e++)
            put_terms(x, e, j, o, out, &at);
    }
    return at;
}

/* A stable counting sort by row or by column; `start` has room for groups + 1
 * numbers. */
static void sort_terms(const placed_term *from, placed_term *to, size_t count,
    bool by_column, size_t groups, int64_t *start)
{
    memset(start, 0, (groups + 1) * sizeof *start);
    for (size_t q = 0; q < count; q++)
        start[(by_column ? from[q].column : from[q].row) + 1]++;
    for (size_t g = 0; g < groups; g++) start[g + 1] += start[g];
    for (size_t q = 0; q < count; q++)
        to[start[by_column ? from[q].column : from[q].row]++] = from[q];
}

/* Whether term q is the last one of its entry. */
static bool is_last(const placed_term *t, size_t q, size_t count)
{
    return q + 1 == count || t[q].row != t[q + 1].row
        || t[q].column != t[q + 1].column;
}

static size_t count_entries(const placed_term *t, size_t count)
{
    size_t entries = 0;
    for (size_t q = 0; q < count; q++) entries += is_last(t, q, count);
    return entries;
}

/* Terms of one entry stand together; the entry varies as much as any of them. */
static void gather(extension *x, const placed_term *t, size_t count,
    int64_t *column_start, int32_t *row, uint8_t *kind)
{
    size_t e = 0;
    uint8_t least = UINT8_MAX;
    for (size_t q = 0; q < count; q++) {
        if (t[q].kind < least) least = t[q].kind;
        x->term.source[q] = t[q].source;
        x->term.factor[q] = t[q].factor;
        if (!is_last(t, q, count)) continue;
        x->term.factor[q] |= EXTEND_LAST;
        row[e] = t[q].row;
        kind[e++] = least;
        column_start[t[q].column + 1]++;
        least = UINT8_MAX;
    }
}

static dae_status count_terms(
    const extension *x, size_t entry_limit, size_t *count)
{
    const dae_pattern *s = x->source;
    const size_t columns = x->layout.states + x->layout.unknowns;
    *count = 0;
    for (size_t p = 0; p < columns; p++) {
        size_t j, o;
        if (!expand_slot(x, p, &j, &o)) continue;
        for (int64_t e = s->column_start[p]; e < s->column_start[p + 1]; e++) {
            *count += count_of(x, e);
            if (*count > entry_limit) return DAE_LIMIT;
        }
    }
    return x->source_entries > UINT32_MAX / x->terms ? DAE_LIMIT : DAE_OK;
}

/* All terms by columns, rows ascending; memory from `scratch`. */
static dae_status sorted_terms(
    const extension *x, size_t count, arena *scratch, const placed_term **out)
{
    const size_t rows = x->e.rows, columns = x->e.columns;
    const size_t groups = rows > columns ? rows : columns;
    placed_term *term = ARENA_ARRAY(scratch, placed_term, count);
    const arena_position mark = arena_mark(scratch);
    placed_term *other = ARENA_ARRAY(scratch, placed_term, count);
    int64_t *start = ARENA_ARRAY(scratch, int64_t, groups + 1);
    if (!term || !other || !start) return DAE_MEMORY;
    const size_t put = put_all(x, term);
    assert(put == count);
    (void)put;
    sort_terms(term, other, count, false, rows, start);
    sort_terms(other, term, count, true, columns, start);
    arena_release(scratch, mark);
    *out = term;
    return DAE_OK;
}

/* The pattern and the terms of its entries, from sorted ones. */
static dae_status take_terms(
    extension *x, const placed_term *sorted, size_t count)
{
    const size_t columns = x->e.columns;
    const size_t entries = count_entries(sorted, count);
    /* 2 * columns: those of xp are empty */
    int64_t *column_start = ARENA_ARRAY(&x->arena, int64_t, 2 * columns + 1);
    int32_t *row = ARENA_ARRAY(&x->arena, int32_t, entries);
    uint8_t *kind = ARENA_ARRAY(&x->arena, uint8_t, entries);
    x->term.source = ARENA_ARRAY(&x->arena, uint32_t, count);
    x->term.factor = ARENA_ARRAY(&x->arena, uint16_t, count);
    if (!column_start || !row || !kind || !x->term.source || !x->term.factor)
        return DAE_MEMORY;
    gather(x, sorted, count, column_start, row, kind);
    for (size_t q = 0; q < 2 * columns; q++)
        column_start[q + 1] += column_start[q];
    x->pattern = (dae_pattern){column_start, row, kind};
    return DAE_OK;
}

dae_status expand_pattern(extension *x, size_t entry_limit)
{
    size_t count;
    arena scratch;
    const placed_term *sorted;
    dae_status st = count_terms(x, entry_limit, &count);
    if (st || (st = take_factors(x))) return st;
    arena_init(&scratch, x->allocator, 0);
    st = sorted_terms(x, count, &scratch, &sorted);
    if (!st) st = take_terms(x, sorted, count);
    arena_clear(&scratch);
    return st;
}
