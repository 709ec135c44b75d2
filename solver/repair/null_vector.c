/* Combinations of equations with constant weights, else with weights that vary,
 * for every singular block at once. */
#include "repair/null_vector.h"
#include "index/points.h"
#include "linalg/thresholds.h"
#include "repair/circuit.h"
#include "repair/repair.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The combinations are those of the first point, and have to hold at the others,
 * with the same weights or with others. Not the points at which signatures and
 * certificates are found. */
enum { POINTS_LEAST = 3, POINTS = 5, FIRST_POINT = 16, POINTS_TRIED = 10 };
/* Equations whose weights vary, in one combination. */
enum { VARYING_MOST = 40 };
/* More differentiations than there are coefficients. */
enum { ORDER_MOST = 63 };

/* An entry of a block with d - c = order. */
typedef struct block_entry {
    int32_t row, column; /* in the block */
    int64_t entry;       /* of the pattern */
    bool is_constant;
} block_entry;

typedef struct survey {
    const blocks_request *at;
    const dae_certificate *certificates;
    const plan *plan;
    const dae_structure *s;
    const dae_allocator *allocator;
    int32_t *place; /* rows: in row_at */
    size_t *blocks; /* those looked at */
    size_t *first;  /* block_count + 1: their entries */
    size_t block_count;
    ARRAY(block_entry) entry;
    double *value; /* POINTS * entries */
    size_t points;
    ARRAY(repair_step) found;
    bool is_all;
    arena scratch, *arena; /* of one block; of the steps */
} survey;

/* One block, dense. */
typedef struct workbench {
    size_t size, first, end; /* its entries */
    int32_t begin;           /* in row_at */
    int32_t *order;          /* of rows */
} workbench;

static void survey_clear(survey *w)
{
    const dae_allocator *a = w->allocator;
    alloc_free(a, w->place, w->s->n, sizeof *w->place);
    alloc_free(a, w->blocks, w->s->fine_count, sizeof *w->blocks);
    alloc_free(a, w->first, w->s->fine_count + 1, sizeof *w->first);
    alloc_free(a, w->value, w->entry.count * POINTS, sizeof *w->value);
    ARRAY_FREE(a, &w->entry);
    ARRAY_FREE(a, &w->found);
    arena_clear(&w->scratch);
}

/* ---- numbers ------------------------------------------------------------------- */

static bool is_small(const survey *w, size_t f)
{
    return w->s->fine[f].end - w->s->fine[f].begin <= REPAIR_LARGEST;
}

static dae_status list_entries(survey *w, size_t f)
{
    const dae_block *b = &w->s->fine[f];
    const signature *g = w->at->signature;
    const dae_pattern *p = w->at->problem->pattern;
    const uint8_t *kind = p ? p->kind : NULL;
    for (int32_t k = b->begin; k < b->end; k++) {
        const int32_t j = w->s->column_at[k];
        for (int64_t e = g->column_start[j]; e < g->column_start[j + 1]; e++) {
            const int32_t i = g->row[e], at = w->place[i];
            if (at < b->begin || at >= b->end) continue;
            if (w->s->d[j] - w->s->c[i] != g->order[e]) continue;
            const block_entry entry = {at - b->begin, k - b->begin, g->entry[e],
                kind && kind[g->entry[e]] != DAE_ENTRY_VARYING};
            if (!ARRAY_PUSH(w->allocator, &w->entry, entry)) return DAE_MEMORY;
        }
    }
    return DAE_OK;
}

static dae_status survey_init(survey *w)
{
    const dae_structure *s = w->s;
    assert(s->is_regular);
    w->place = alloc_zeroed(w->allocator, s->n, sizeof *w->place);
    w->blocks = alloc_zeroed(w->allocator, s->fine_count, sizeof *w->blocks);
    w->first = alloc_zeroed(w->allocator, s->fine_count + 1, sizeof *w->first);
    if (!w->place || !w->blocks || !w->first) return DAE_MEMORY;
    for (size_t k = 0; k < s->n; k++) w->place[s->row_at[k]] = (int32_t)k;
    for (size_t f = 0; f < s->fine_count; f++) {
        if (w->certificates[f] != DAE_SINGULAR) continue;
        w->is_all = w->is_all && is_small(w, f);
        if (!is_small(w, f)) continue;
        const dae_status st = list_entries(w, f);
        if (st) return st;
        w->blocks[w->block_count++] = f;
        w->first[w->block_count] = w->entry.count;
    }
    w->value = alloc_zeroed(
        w->allocator, w->entry.count * POINTS, sizeof *w->value);
    return w->value ? DAE_OK : DAE_MEMORY;
}

static dae_status sample(survey *w)
{
    const blocks_request *at = w->at;
    sampler *s;
    dae_status st = sampler_create(at->problem, at->layout, w->allocator, &s);
    if (st) return st;
    for (unsigned k = 0; k < POINTS_TRIED && w->points < POINTS; k++) {
        st = points_sample(s, FIRST_POINT + k);
        if (st && st != DAE_RETRY) break;
        if (st) continue;
        const double *values = sampler_values(s);
        double *to = w->value + w->points++ * w->entry.count;
        for (size_t e = 0; e < w->entry.count; e++)
            to[e] = values[w->entry.items[e].entry];
    }
    sampler_free(s);
    return st == DAE_RETRY ? DAE_OK : st;
}

/* The block at all points, side by side. */
static double *spread(survey *w, const workbench *b)
{
    const size_t width = b->size * w->points;
    double *m = ARENA_ARRAY(&w->scratch, double, b->size *width);
    for (size_t e = b->first; m && e < b->end; e++) {
        const block_entry *q = &w->entry.items[e];
        for (size_t k = 0; k < w->points; k++)
            m[(size_t)q->row * width + k * b->size + (size_t)q->column] =
                w->value[k * w->entry.count + e];
    }
    return m;
}

/* Rows of the block at one point; members NULL: all. */
static double *rows_at(survey *w, const workbench *b, const double *all,
    size_t point, const int32_t *member, size_t count)
{
    const size_t width = b->size * w->points;
    double *m = ARENA_ARRAY(&w->scratch, double, count * b->size);
    for (size_t k = 0; m && k < count; k++) {
        const size_t row = member ? (size_t)member[k] : k;
        memcpy(m + k * b->size, all + row * width + point * b->size,
            b->size * sizeof *m);
    }
    return m;
}

/* ---- combinations of equations ------------------------------------------------- */

typedef struct order_key {
    int64_t c;
    int32_t row, local;
    bool is_constant;
} order_key;

static int compare_keys(const void *a, const void *b)
{
    const order_key *x = a, *y = b;
    if (x->c != y->c) return x->c > y->c ? -1 : 1;
    if (x->is_constant != y->is_constant) return x->is_constant ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Rows with larger offsets first, so that the one that turns out dependent is
 * one of those with the smallest and may be replaced; then linear ones with
 * constant coefficients, then as in the text. */
static dae_status order_rows(survey *w, workbench *b)
{
    order_key *key = ARENA_ARRAY(&w->scratch, order_key, b->size);
    b->order = ARENA_ARRAY(&w->scratch, int32_t, b->size);
    if (!key || !b->order) return DAE_MEMORY;
    for (size_t k = 0; k < b->size; k++) {
        const int32_t i = w->s->row_at[b->begin + (int32_t)k];
        key[k] = (order_key){w->s->c[i], i, (int32_t)k, true};
    }
    for (size_t e = b->first; e < b->end; e++)
        if (!w->entry.items[e].is_constant)
            key[w->entry.items[e].row].is_constant = false;
    qsort(key, b->size, sizeof *key, compare_keys);
    for (size_t k = 0; k < b->size; k++) b->order[k] = key[k].local;
    return DAE_OK;
}

static int32_t row_of(const survey *w, const workbench *b, int32_t local)
{
    return w->s->row_at[b->begin + local];
}

static int32_t column_of(const survey *w, const workbench *b, int32_t local)
{
    return w->s->column_at[b->begin + local];
}

/* Whether the members may be differentiated as often as it takes. */
static bool is_allowed(const survey *w, const workbench *b, const circuit *c)
{
    const int32_t last = row_of(w, b, c->member[c->count - 1]);
    for (size_t k = 0; k < c->count; k++) {
        const int32_t i = row_of(w, b, c->member[k]);
        if (plan_varies(w->plan, i)) return false;
        if (w->s->c[i] - w->s->c[last] > ORDER_MOST) return false;
    }
    return true;
}

static dae_status push_step(
    survey *w, const workbench *b, const circuit *c, bool varies)
{
    arena *a = w->arena;
    const int32_t last = row_of(w, b, c->member[c->count - 1]);
    repair_step s = {.count = c->count};
    assert(c->count > 0);
    s.member = ARENA_ARRAY(a, int32_t, c->count);
    s.order = ARENA_ARRAY(a, int32_t, c->count);
    if (!s.member || !s.order) return DAE_MEMORY;
    for (size_t k = 0; k < c->count; k++) {
        s.member[k] = row_of(w, b, c->member[k]);
        s.order[k] = (int32_t)(w->s->c[s.member[k]] - w->s->c[last]);
        assert(s.order[k] >= 0);
    }
    if (varies) {
        s.pivot_count = b->size;
        s.pivot = ARENA_ARRAY(a, dae_slot, b->size);
        for (size_t k = 0; s.pivot && k < b->size; k++) {
            const int32_t j = column_of(w, b, (int32_t)k);
            s.pivot[k] = (dae_slot){j, (int32_t)(w->s->d[j] - w->s->c[last])};
        }
    } else {
        s.weight = ARENA_ARRAY(a, double, c->count);
        if (s.weight) memcpy(s.weight, c->weight, c->count * sizeof *s.weight);
    }
    if (!s.pivot && !s.weight) return DAE_MEMORY;
    return ARRAY_PUSH(w->allocator, &w->found, s) ? DAE_OK : DAE_MEMORY;
}

/* Whether the members depend on each other at every point, each time with
 * weights of their own. */
static dae_status holds_with_others(survey *w, const workbench *b,
    const circuit *c, const double *all, bool *holds)
{
    circuit own = {.count = c->count};
    own.weight = ARENA_ARRAY(&w->scratch, double, c->count);
    own.member = ARENA_ARRAY(&w->scratch, int32_t, c->count);
    dae_status st = own.weight && own.member ? DAE_OK : DAE_MEMORY;
    *holds = c->count > 1 && c->count <= VARYING_MOST;
    for (size_t k = 0; !st && k < c->count; k++) own.member[k] = (int32_t)k;
    for (size_t k = 0; *holds && !st && k < w->points; k++) {
        const arena_position mark = arena_mark(&w->scratch);
        const double *m = rows_at(w, b, all, k, c->member, c->count);
        if (!m) return DAE_MEMORY;
        st = circuit_weights(
            c->count, b->size, m, &w->scratch, own.weight, holds);
        *holds = *holds && circuit_holds(&own, b->size, m);
        arena_release(&w->scratch, mark);
    }
    return st;
}

static dae_status find_in_block(survey *w, size_t k)
{
    const dae_block *f = &w->s->fine[w->blocks[k]];
    workbench b = {.size = (size_t)(f->end - f->begin),
        .first = w->first[k],
        .end = w->first[k + 1],
        .begin = f->begin};
    circuit_list list = {.count = 0};
    dae_status st = order_rows(w, &b);
    if (st) return st;
    const double *all = spread(w, &b);
    const double *m = all ? rows_at(w, &b, all, 0, NULL, b.size) : NULL;
    if (!m) return DAE_MEMORY;
    const size_t width = b.size * w->points;
    const bool is_whole = circuit_is_whole(all, b.size * width);
    st = circuits_find(
        b.size, b.size, m, b.order, CIRCUIT_ZERO, &w->scratch, &list);
    for (size_t q = 0; q < list.count && !st; q++) {
        circuit *c = &list.items[q];
        if (!is_allowed(w, &b, c)) {
            w->is_all = false;
            continue;
        }
        circuit_simplify(c->weight, c->count, is_whole);
        bool holds = circuit_holds(c, width, all), varies = !holds;
        if (varies) st = holds_with_others(w, &b, c, all, &holds);
        w->is_all = w->is_all && holds;
        if (holds && !st) st = push_step(w, &b, c, varies);
    }
    return st;
}

/* ---- all of it ----------------------------------------------------------------- */

static dae_status find_all(survey *w)
{
    const blocks_request *at = w->at;
    dae_status st = DAE_OK;
    for (size_t k = 0; k < w->block_count && !st; k++) {
        const arena_position mark = arena_mark(&w->scratch);
        if (at->interrupt && at->interrupt(at->interrupt_context))
            return DAE_INTERRUPTED;
        st = find_in_block(w, k);
        arena_release(&w->scratch, mark);
    }
    return st;
}

static dae_status survey_open(survey *w)
{
    w->allocator = alloc_or_default(w->at->allocator);
    w->is_all = true;
    arena_init(&w->scratch, w->allocator, 0);
    const dae_status st = survey_init(w);
    return !st && w->block_count > 0 ? sample(w) : st;
}

dae_status null_vectors_find(const blocks_request *at,
    const dae_certificate *certificates, const plan *p, arena *a,
    null_vectors *out)
{
    survey w = {.at = at,
        .certificates = certificates,
        .plan = p,
        .s = at->structure,
        .arena = a};
    *out = (null_vectors){.count = 0};
    if (!at->problem->jacobian) return DAE_OK;
    dae_status st = survey_open(&w);
    if (!st && w.points >= POINTS_LEAST) st = find_all(&w);
    if (!st && w.found.count > 0) {
        out->items = ARENA_ARRAY(a, repair_step, w.found.count);
        out->count = w.found.count;
        out->is_all = w.is_all;
        if (!out->items) st = DAE_MEMORY;
        else
            memcpy(
                out->items, w.found.items, w.found.count * sizeof *out->items);
    }
    survey_clear(&w);
    return st;
}
