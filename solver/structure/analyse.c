/* The signature method [Pry01] from end to end: matching, coarse blocks, the
 * transversal of the highest value, canonical offsets, fine blocks. The
 * matching is found on the renumbered signature (structure/nearby.h), what
 * follows is by position (structure/ordered.h); the result is written back to
 * the signature's own rows and columns. */
#include <dae/structure.h>

#include "graph/assign.h"
#include "graph/match.h"
#include "structure/fine.h"
#include "structure/nearby.h"
#include "structure/offsets.h"

/* So that offsets, which are sums of orders, and their sums fit. */
#define MOST_ORDERS (INT64_C(1) << 60)

/* What the caller sees, and whom its memory belongs to. */
typedef struct result {
    dae_structure shown; /* first: dae_structure_free casts back */
    int64_t *c, *d;
    int32_t *row_at, *column_at;
    dae_block *coarse, *fine;
    const dae_allocator *allocator;
} result;

typedef struct analysis {
    const dae_structure_options *options;
    const dae_allocator *a;
    nearby q;
    dae_matching matching; /* of q.s */
    /* regular only; by position */
    size_t n;
    ordered o;
    int32_t *row_of, *column_of; /* the transversal */
    int64_t *u, *v, *c, *d;
    int32_t *fine_rows, *fine_start; /* n, n + 1 */
    size_t fine_count;
    int32_t *fine_of; /* n: of the signature's columns in large fine blocks,
                         one more than the block */
    int32_t *next;    /* n: of each fine block, where it goes on */
} analysis;

static dae_status check_signature(const dae_signature *s)
{
    int64_t sum = 0;
    if (s->rows >= INT32_MAX || s->columns >= INT32_MAX) return DAE_LIMIT;
    if (s->column_start[0] != 0) return DAE_ARGUMENT;
    for (size_t j = 0; j < s->columns; j++)
        if (s->column_start[j] > s->column_start[j + 1]) return DAE_ARGUMENT;
    for (size_t j = 0; j < s->columns; j++) {
        int32_t most = 0;
        for (int64_t p = s->column_start[j]; p < s->column_start[j + 1]; p++) {
            if (s->row[p] < 0 || (size_t)s->row[p] >= s->rows
                || s->order[p] < 0)
                return DAE_ARGUMENT;
            if (most < s->order[p]) most = s->order[p];
        }
        sum += most;
    }
    return sum > MOST_ORDERS ? DAE_LIMIT : DAE_OK;
}

/* ---- memory ------------------------------------------------------------------- */

static dae_status matching_create(
    const dae_signature *s, const dae_allocator *a, dae_matching *m)
{
    m->row_of = alloc_zeroed(a, s->columns, sizeof *m->row_of);
    m->column_of = alloc_zeroed(a, s->rows, sizeof *m->column_of);
    m->row_part = alloc_zeroed(a, s->rows, sizeof *m->row_part);
    m->column_part = alloc_zeroed(a, s->columns, sizeof *m->column_part);
    const bool ok = m->row_of && m->column_of && m->row_part && m->column_part;
    return ok ? DAE_OK : DAE_MEMORY;
}

static void matching_free(
    const dae_matching *m, size_t rows, size_t columns, const dae_allocator *a)
{
    alloc_free(a, m->row_of, columns, sizeof *m->row_of);
    alloc_free(a, m->column_of, rows, sizeof *m->column_of);
    alloc_free(a, m->row_part, rows, sizeof *m->row_part);
    alloc_free(a, m->column_part, columns, sizeof *m->column_part);
}

static dae_status result_create(
    const dae_signature *s, const dae_allocator *a, result **out)
{
    result *r = *out = alloc_zeroed(a, 1, sizeof *r);
    if (!r) return DAE_MEMORY;
    r->allocator = a;
    r->shown.rows = s->rows;
    r->shown.columns = s->columns;
    return matching_create(s, a, &r->shown.matching);
}

/* The arrays of a regular signature; blocks as far as they are counted. */
static dae_status result_extend(result *r, size_t n, size_t coarse, size_t fine)
{
    const dae_allocator *a = r->allocator;
    dae_structure *shown = &r->shown;
    shown->n = n;
    shown->coarse_count = coarse;
    shown->fine_count = fine;
    shown->c = r->c = alloc_zeroed(a, n, sizeof *r->c);
    shown->d = r->d = alloc_zeroed(a, n, sizeof *r->d);
    shown->row_at = r->row_at = alloc_zeroed(a, n, sizeof *r->row_at);
    shown->column_at = r->column_at = alloc_zeroed(a, n, sizeof *r->column_at);
    shown->coarse = r->coarse = alloc_zeroed(a, coarse, sizeof *r->coarse);
    shown->fine = r->fine = alloc_zeroed(a, fine, sizeof *r->fine);
    return r->c && r->d && r->row_at && r->column_at && r->coarse && r->fine
        ? DAE_OK
        : DAE_MEMORY;
}

void dae_structure_free(dae_structure *structure)
{
    if (!structure) return;
    result *r = (result *)structure;
    const dae_structure *shown = &r->shown;
    const dae_allocator *a = r->allocator;
    matching_free(&shown->matching, shown->rows, shown->columns, a);
    alloc_free(a, r->c, shown->n, sizeof *r->c);
    alloc_free(a, r->d, shown->n, sizeof *r->d);
    alloc_free(a, r->row_at, shown->n, sizeof *r->row_at);
    alloc_free(a, r->column_at, shown->n, sizeof *r->column_at);
    alloc_free(a, r->coarse, shown->coarse_count, sizeof *r->coarse);
    alloc_free(a, r->fine, shown->fine_count, sizeof *r->fine);
    alloc_free(a, r, 1, sizeof *r);
}

static dae_status analysis_init(analysis *w)
{
    const size_t n = w->n;
    w->row_of = alloc_zeroed(w->a, n, sizeof *w->row_of);
    w->column_of = alloc_zeroed(w->a, n, sizeof *w->column_of);
    w->u = alloc_zeroed(w->a, n, sizeof *w->u);
    w->v = alloc_zeroed(w->a, n, sizeof *w->v);
    w->c = alloc_zeroed(w->a, n, sizeof *w->c);
    w->d = alloc_zeroed(w->a, n, sizeof *w->d);
    w->fine_rows = alloc_zeroed(w->a, n, sizeof *w->fine_rows);
    w->fine_start = alloc_zeroed(w->a, n + 1, sizeof *w->fine_start);
    w->fine_of = alloc_zeroed(w->a, n, sizeof *w->fine_of);
    w->next = alloc_zeroed(w->a, n, sizeof *w->next);
    const bool ok = w->row_of && w->column_of && w->u && w->v && w->c && w->d
        && w->fine_rows && w->fine_start && w->fine_of && w->next;
    return ok ? DAE_OK : DAE_MEMORY;
}

static void analysis_clear(analysis *w)
{
    const size_t n = w->n;
    ordered_clear(&w->o);
    alloc_free(w->a, w->row_of, n, sizeof *w->row_of);
    alloc_free(w->a, w->column_of, n, sizeof *w->column_of);
    alloc_free(w->a, w->u, n, sizeof *w->u);
    alloc_free(w->a, w->v, n, sizeof *w->v);
    alloc_free(w->a, w->c, n, sizeof *w->c);
    alloc_free(w->a, w->d, n, sizeof *w->d);
    alloc_free(w->a, w->fine_rows, n, sizeof *w->fine_rows);
    alloc_free(w->a, w->fine_start, n + 1, sizeof *w->fine_start);
    alloc_free(w->a, w->fine_of, n, sizeof *w->fine_of);
    alloc_free(w->a, w->next, n, sizeof *w->next);
}

/* ---- a largest matching -------------------------------------------------------- */

/* Orders above this count as this one in the greedy start. */
enum { HIGH_ORDERS = 16 };

static int32_t clipped(int32_t order)
{
    return order < HIGH_ORDERS ? order : HIGH_ORDERS - 1;
}

/* Each column of this order that has no partner takes a free row, in which it
 * has its highest derivative if possible; where `is_highest_only`, no other. */
static void match_order(const dae_signature *s, const int32_t *highest,
    int32_t order, bool is_highest_only, dae_matching *m)
{
    for (size_t j = 0; j < s->columns; j++) {
        if (clipped(highest[j]) != order || m->row_of[j] != DAE_UNMATCHED)
            continue;
        int64_t best = -1;
        for (int64_t p = s->column_start[j]; p < s->column_start[j + 1]; p++) {
            if (m->column_of[s->row[p]] != DAE_UNMATCHED) continue;
            if (best < 0 || s->order[best] < s->order[p]) best = p;
        }
        if (best < 0) continue;
        if (is_highest_only && s->order[best] < highest[j]) continue;
        m->row_of[j] = s->row[best];
        m->column_of[s->row[best]] = (int32_t)j;
    }
}

/* Highest derivatives first: on chains of subsystems all columns err the same
 * way, if at all, so that one way mends it. A start that meets them in the
 * order of the columns errs here and there and leaves a way for each. */
static dae_status match_greedily(
    const dae_signature *s, const dae_allocator *a, dae_matching *m)
{
    int32_t *highest = alloc_zeroed(a, s->columns, sizeof *highest);
    bool is_met[HIGH_ORDERS] = {false};
    if (!highest) return DAE_MEMORY;
    for (size_t j = 0; j < s->columns; j++) {
        for (int64_t p = s->column_start[j]; p < s->column_start[j + 1]; p++)
            if (highest[j] < s->order[p]) highest[j] = s->order[p];
        is_met[clipped(highest[j])] = true;
    }
    for (int32_t k = HIGH_ORDERS; k-- > 0;)
        if (is_met[k]) match_order(s, highest, k, true, m);
    for (int32_t k = HIGH_ORDERS; k-- > 0;)
        if (is_met[k]) match_order(s, highest, k, false, m);
    alloc_free(a, highest, s->columns, sizeof *highest);
    return DAE_OK;
}

static dae_status match(analysis *w)
{
    const dae_signature *s = &w->q.s;
    dae_matching *m = &w->matching;
    for (size_t j = 0; j < s->columns; j++) m->row_of[j] = DAE_UNMATCHED;
    for (size_t i = 0; i < s->rows; i++) m->column_of[i] = DAE_UNMATCHED;
    dae_status st = match_greedily(s, w->a, m);
    if (st) return st;
    return match_maximum(s->rows, s->columns, s->column_start, s->row, w->a,
        m->row_of, m->column_of, &m->rank);
}

/* ---- the singular case --------------------------------------------------------- */

static void write_matching(const analysis *w, result *r)
{
    const nearby *q = &w->q;
    const dae_signature *s = &q->s;
    const dae_matching *m = &w->matching;
    dae_matching *to = &r->shown.matching;
    for (size_t j = 0; j < s->columns; j++) {
        const int32_t i = m->row_of[j];
        to->row_of[q->column_at[j]] = i < 0 ? DAE_UNMATCHED : q->row_at[i];
        to->column_part[q->column_at[j]] = m->column_part[j];
    }
    for (size_t i = 0; i < s->rows; i++) {
        const int32_t j = m->column_of[i];
        to->column_of[q->row_at[i]] = j < 0 ? DAE_UNMATCHED : q->column_at[j];
        to->row_part[q->row_at[i]] = m->row_part[i];
    }
}

static dae_status analyse_singular(analysis *w, result *r)
{
    const dae_signature *s = &w->q.s;
    const dae_matching *m = &w->matching;
    const dae_status st = match_parts(s->rows, s->columns, s->column_start,
        s->row, m->row_of, m->column_of, w->a, m->row_part, m->column_part);
    if (!st) write_matching(w, r);
    return st;
}

/* ---- the regular case --------------------------------------------------------- */

static dae_status order_blocks(analysis *w)
{
    const dae_status st = ordered_init(
        &w->o, &w->q.s, w->matching.row_of, w->a);
    if (st) return st;
    for (size_t k = 0; k < w->n; k++) {
        w->o.row_at[k] = w->q.row_at[w->o.row_at[k]];
        w->o.column_at[k] = w->q.column_at[w->o.column_at[k]];
        w->row_of[k] = w->column_of[k] = (int32_t)k;
    }
    return DAE_OK;
}

static dae_status find_offsets(analysis *w)
{
    static const dae_structure_options never = {0};
    const dae_structure_options *options = w->options ? w->options : &never;
    const ordered *o = &w->o;
    const weighted pattern = {.n = w->n,
        .block_count = o->block_count,
        .start = o->start,
        .row_start = o->row_start,
        .row_end = o->inner_end,
        .column = o->column,
        .weight = o->order};
    dae_status st = assign_highest(&pattern, w->a, options->interrupt,
        options->interrupt_context, w->row_of, w->column_of, w->u, w->v);
    if (st) return st;
    st = offsets_find(o, w->column_of, w->row_of, w->u, w->v, w->c, w->d);
    if (st) return st;
    return fine_order(o, w->column_of, w->c, w->d, w->fine_rows, w->fine_start,
        &w->fine_count);
}

enum { SMALL = 32 }; /* blocks that are sorted where they stand */

/* A small fine block into the result, columns ascending. */
static void write_small(const analysis *w, result *r, size_t f)
{
    const int32_t begin = w->fine_start[f], end = w->fine_start[f + 1];
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = w->fine_rows[k];
        const int32_t column = w->o.column_at[w->column_of[i]];
        int32_t to = k;
        for (; to > begin && r->column_at[to - 1] > column; to--) {
            r->column_at[to] = r->column_at[to - 1];
            r->row_at[to] = r->row_at[to - 1];
        }
        r->column_at[to] = column;
        r->row_at[to] = w->o.row_at[i];
    }
}

/* The result's rows and columns block by block, columns ascending in each. */
static void write_order(analysis *w, result *r)
{
    for (size_t f = 0; f < w->fine_count; f++) {
        const int32_t begin = w->fine_start[f], end = w->fine_start[f + 1];
        w->next[f] = begin;
        if (end - begin <= SMALL) {
            write_small(w, r, f);
            continue;
        }
        for (int32_t k = begin; k < end; k++)
            w->fine_of[w->o.column_at[w->column_of[w->fine_rows[k]]]] =
                (int32_t)f + 1;
    }
    for (size_t j = 0; j < w->n; j++) {
        if (w->fine_of[j] == 0) continue;
        const int32_t to = w->next[w->fine_of[j] - 1]++;
        r->column_at[to] = (int32_t)j;
        r->row_at[to] = r->shown.matching.row_of[j];
    }
}

/* The block at begin .. end - 1 of the fine blocks' rows. */
static void write_block(
    dae_block *b, int32_t begin, int32_t end, const analysis *w)
{
    bool is_algebraic = false;
    *b = (dae_block){.begin = begin, .end = end};
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = w->fine_rows[k];
        const int64_t c = w->c[i], d = w->d[w->column_of[i]];
        if (b->max_c < c) b->max_c = c;
        if (d == 0) is_algebraic = true;
        b->degrees_of_freedom += d - c;
    }
    b->index = b->max_c + is_algebraic;
}

static void write_blocks(const analysis *w, result *r)
{
    const int32_t *fine = w->fine_start, *coarse = w->o.start;
    dae_block all;
    for (size_t f = 0; f < w->fine_count; f++)
        write_block(&r->fine[f], fine[f], fine[f + 1], w);
    for (size_t b = 0; b < w->o.block_count; b++)
        write_block(&r->coarse[b], coarse[b], coarse[b + 1], w);
    write_block(&all, 0, (int32_t)w->n, w);
    r->shown.index = all.index;
    r->shown.degrees_of_freedom = all.degrees_of_freedom;
}

static void write_result(analysis *w, result *r)
{
    const ordered *o = &w->o;
    dae_matching *m = &r->shown.matching;
    /* parts stay as they are made, 0: DAE_PART_WELL */
    for (size_t k = 0; k < w->n; k++) {
        const int32_t i = o->row_at[k], j = o->column_at[k];
        r->c[i] = w->c[k];
        r->d[j] = w->d[k];
        m->column_of[i] = o->column_at[w->column_of[k]];
        m->row_of[j] = o->row_at[w->row_of[k]];
    }
    write_order(w, r);
    write_blocks(w, r);
}

static dae_status analyse_regular(analysis *w, result *r)
{
    dae_status st = analysis_init(w);
    if (!st) st = order_blocks(w);
    if (!st) st = find_offsets(w);
    if (!st) st = result_extend(r, w->n, w->o.block_count, w->fine_count);
    if (!st) write_result(w, r);
    analysis_clear(w);
    return st;
}

static dae_status analyse(analysis *w, const dae_signature *s, result *r)
{
    dae_status st = nearby_init(&w->q, s, w->a);
    if (!st) st = matching_create(s, w->a, &w->matching);
    if (!st) st = match(w);
    if (st) goto done;
    r->shown.matching.rank = w->matching.rank;
    r->shown.is_regular = s->rows == s->columns && w->matching.rank == s->rows;
    if (r->shown.is_regular) w->n = s->rows;
    st = r->shown.is_regular ? analyse_regular(w, r) : analyse_singular(w, r);
done:
    matching_free(&w->matching, s->rows, s->columns, w->a);
    nearby_clear(&w->q);
    return st;
}

dae_status dae_structure_analyse(const dae_signature *s,
    const dae_structure_options *options, const dae_allocator *allocator,
    dae_structure **out)
{
    if (!s || !out) return DAE_ARGUMENT;
    analysis w = {.options = options, .a = alloc_or_default(allocator)};
    result *r = NULL;
    *out = NULL;
    dae_status st = check_signature(s);
    if (!st) st = result_create(s, w.a, &r);
    if (!st) st = analyse(&w, s, r);
    if (r && st) dae_structure_free(&r->shown);
    else if (r) *out = &r->shown;
    return st;
}
