/* Made once, before any value: which entry of the original, differentiated how
 * often, goes where, by what dae_series_jacobian_fn says of the derivative
 * array. */
#include "extend/expand.h"
#include <string.h>

bool expand_slot(const extension *x, size_t p, size_t *unknown, size_t *order)
{
    const layout *l = &x->layout;
    if (p >= l->states) {
        *unknown = p - l->states;
        *order = l->order[*unknown];
        return *order > 0;
    }
    size_t low = 0, high = l->unknowns; /* first[low] <= p < first[high] */
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (l->first[middle] <= p) low = middle;
        else high = middle;
    }
    *unknown = low;
    *order = p - l->first[low];
    return true;
}

dae_status expand_full(extension *x, size_t rows, dae_pattern *out)
{
    const size_t columns = x->layout.states + x->layout.unknowns;
    size_t entries;
    if (!size_mul(rows, columns, &entries) || entries >= INT64_MAX / 2)
        return DAE_LIMIT;
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

static void put_terms(const extension *x, int64_t entry, size_t j, size_t o,
    extend_term *out, size_t *at)
{
    const size_t i = (size_t)x->source->row[entry];
    const uint8_t kind = kind_of(x, entry);
    for (size_t k = 0; k <= (size_t)x->c[i]; k++) {
        double factor = 1; /* k!/s! */
        for (size_t s = k + 1; s-- > 0;) {
            out[(*at)++] = (extend_term){
                .row = (int32_t)(x->e.row_first[i] + k),
                .column = (int32_t)(x->e.column_first[j] + o + s),
                .source = entry * (int64_t)x->terms + (int64_t)(k - s),
                .factor = factor,
                .kind = kind};
            if (kind != DAE_ENTRY_VARYING) break;
            factor *= (double)s;
        }
    }
}

static size_t put_all(const extension *x, extend_term *out)
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
static void sort_terms(const extend_term *from, extend_term *to, size_t count,
    bool by_column, size_t groups, int64_t *start)
{
    memset(start, 0, (groups + 1) * sizeof *start);
    for (size_t q = 0; q < count; q++)
        start[(by_column ? from[q].column : from[q].row) + 1]++;
    for (size_t g = 0; g < groups; g++) start[g + 1] += start[g];
    for (size_t q = 0; q < count; q++)
        to[start[by_column ? from[q].column : from[q].row]++] = from[q];
}

/* Terms of one entry stand together: entries are counted, and where `row` is
 * given written. */
static size_t gather(extension *x, size_t count, int64_t *column_start,
    int32_t *row, uint8_t *kind)
{
    const extend_term *t = x->term;
    size_t entries = 0;
    for (size_t q = 0; q < count; q++) {
        const bool is_new = q == 0 || t[q].row != t[q - 1].row
            || t[q].column != t[q - 1].column;
        entries += is_new;
        if (!row) continue;
        const size_t e = entries - 1;
        if (is_new) {
            row[e] = t[q].row;
            kind[e] = t[q].kind;
            x->term_start[e] = (int64_t)q;
            column_start[t[q].column + 1]++;
        } else if (t[q].kind < kind[e]) {
            kind[e] = t[q].kind;
        }
    }
    return entries;
}

static dae_status take_terms(extension *x, size_t entry_limit, size_t *count)
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
    x->term = ARENA_ARRAY(&x->arena, extend_term, *count);
    return x->term ? DAE_OK : DAE_MEMORY;
}

dae_status expand_pattern(extension *x, size_t entry_limit)
{
    size_t count, entries;
    const size_t rows = x->e.rows, columns = x->e.columns;
    const size_t groups = rows > columns ? rows : columns;
    dae_status st = take_terms(x, entry_limit, &count);
    if (st) return st;
    extend_term *other = alloc_zeroed(x->allocator, count, sizeof *other);
    int64_t *start = ARENA_ARRAY(&x->arena, int64_t, groups + 1);
    if (!other || !start) st = DAE_MEMORY;
    if (!st) {
        put_all(x, x->term);
        sort_terms(x->term, other, count, false, rows, start);
        sort_terms(other, x->term, count, true, columns, start);
    }
    alloc_free(x->allocator, other, count, sizeof *other);
    if (st) return st;
    entries = gather(x, count, NULL, NULL, NULL);
    /* 2 * columns: those of xp are empty */
    int64_t *column_start = ARENA_ARRAY(&x->arena, int64_t, 2 * columns + 1);
    int32_t *row = ARENA_ARRAY(&x->arena, int32_t, entries);
    uint8_t *kind = ARENA_ARRAY(&x->arena, uint8_t, entries);
    x->term_start = ARENA_ARRAY(&x->arena, int64_t, entries + 1);
    if (!column_start || !row || !kind || !x->term_start) return DAE_MEMORY;
    gather(x, count, column_start, row, kind);
    x->term_start[entries] = (int64_t)count;
    for (size_t q = 0; q < 2 * columns; q++)
        column_start[q + 1] += column_start[q];
    x->pattern = (dae_pattern){column_start, row, kind};
    return DAE_OK;
}
