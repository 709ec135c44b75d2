/* The first half of a round: combinations of equations with constant weights, else
 * with weights that vary, for every singular block at once. */
#include "repair/repair_step.h"
#include "index/generic_points.h"
#include "linalg/thresholds.h"
#include "repair/repair.h"
#include "repair/row_dependency.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Null vectors are constant where they are the same at the first points, and
 * have to hold at the others too. Not the points at which signatures and
 * certificates are found. */
enum { STACKED = 3, POINTS = 5, FIRST_POINT = 16, POINTS_TRIED = 10 };
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
    const step_request *q;
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
    arena scratch, *arena; /* of one block; of the steps */
} survey;

/* One block, dense. */
typedef struct workbench {
    size_t number, size, first, end; /* fine block; its entries */
    int32_t begin;                   /* in row_at */
    size_t stacked;                  /* points that tell what is constant */
    int32_t *order;                  /* of rows */
    uint8_t *is_constant;            /* rows */
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

static bool is_wanted(const survey *w, size_t f)
{
    const dae_block *b = &w->s->fine[f];
    return b->end - b->begin <= REPAIR_LARGEST
        && w->q->certificates[f] == DAE_SINGULAR;
}

static dae_status list_entries(survey *w, size_t f)
{
    const dae_block *b = &w->s->fine[f];
    const signature *g = w->q->at->signature;
    const dae_pattern *p = w->q->at->problem->pattern;
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
        if (!is_wanted(w, f)) continue;
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
    const blocks_request *at = w->q->at;
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

/* The block at `count` points from `point` on, side by side. */
static double *spread(
    const survey *w, const workbench *b, size_t point, size_t count, arena *a)
{
    const size_t width = b->size * count;
    double *m = ARENA_ARRAY(a, double, b->size *width);
    for (size_t e = b->first; m && e < b->end; e++) {
        const block_entry *q = &w->entry.items[e];
        for (size_t k = 0; k < count; k++)
            m[(size_t)q->row * width + k * b->size + (size_t)q->column] =
                w->value[(point + k) * w->entry.count + e];
    }
    return m;
}

static bool holds_everywhere(
    const survey *w, const workbench *b, const circuit *c, const double *all)
{
    return circuit_holds(c, b->size * w->points, all);
}

/* ---- combinations of equations ------------------------------------------------- */

typedef struct order_key {
    int64_t c;
    int32_t row, local;
    uint8_t is_constant;
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
    b->is_constant = ARENA_ARRAY(&w->scratch, uint8_t, b->size);
    if (!key || !b->order || !b->is_constant) return DAE_MEMORY;
    memset(b->is_constant, 1, b->size);
    for (size_t e = b->first; e < b->end; e++)
        if (!w->entry.items[e].is_constant)
            b->is_constant[w->entry.items[e].row] = 0;
    b->stacked = memchr(b->is_constant, 0, b->size) ? STACKED : 1;
    for (size_t k = 0; k < b->size; k++) {
        const int32_t i = w->s->row_at[b->begin + (int32_t)k];
        key[k] = (order_key){w->s->c[i], i, (int32_t)k, b->is_constant[k]};
    }
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
        if (plan_varies(w->q->plan, i)) return false;
        if (w->s->c[i] - w->s->c[last] > ORDER_MOST) return false;
    }
    return true;
}

static dae_status push_rows(survey *w, const workbench *b, const circuit *c,
    repair_kind kind, dae_slot *pivot)
{
    arena *a = w->arena;
    repair_step s = {.kind = kind, .block = b->number, .count = c->count};
    const int32_t last = row_of(w, b, c->member[c->count - 1]);
    assert(c->count > 0 && (pivot != NULL) == (kind == REPAIR_VARYING));
    s.member = ARENA_ARRAY(a, int32_t, c->count);
    s.order = ARENA_ARRAY(a, int32_t, c->count);
    s.weight = ARENA_ARRAY(a, double, c->count);
    if (!s.member || !s.order || !s.weight) return DAE_MEMORY;
    for (size_t k = 0; k < c->count; k++) {
        s.member[k] = row_of(w, b, c->member[k]);
        s.order[k] = (int32_t)(w->s->c[s.member[k]] - w->s->c[last]);
        s.weight[k] = c->weight[k];
        assert(s.order[k] >= 0);
    }
    s.pivot = pivot;
    s.pivot_count = pivot ? b->size : 0;
    return ARRAY_PUSH(w->allocator, &w->found, s) ? DAE_OK : DAE_MEMORY;
}

static dae_status find_constant(survey *w, const workbench *b)
{
    circuit_list list;
    arena *a = &w->scratch;
    dae_status st;
    const double *m = spread(w, b, 0, b->stacked, a);
    const double *all = spread(w, b, 0, w->points, a);
    if (!m || !all) return DAE_MEMORY;
    const bool is_whole = circuit_is_whole(all, b->size * b->size * w->points);
    st = circuits_find(
        b->size, b->size * b->stacked, m, b->order, CIRCUIT_ZERO, a, &list);
    for (size_t k = 0; k < list.count && !st; k++) {
        circuit *c = &list.items[k];
        if (!is_allowed(w, b, c)) continue;
        circuit_simplify(c->weight, c->count, is_whole);
        if (holds_everywhere(w, b, c, all))
            st = push_rows(w, b, c, REPAIR_ROWS, NULL);
    }
    return st;
}

/* ---- weights that vary --------------------------------------------------------- */

/* Finds the weights at a point, and whether they are those of all columns. */
static dae_status try_point(
    survey *w, const workbench *b, circuit *c, size_t point, bool *holds)
{
    arena *a = &w->scratch;
    const double *m = spread(w, b, point, 1, a);
    double *part = ARENA_ARRAY(a, double, c->count * b->size);
    if (!m || !part) return DAE_MEMORY;
    for (size_t k = 0; k < c->count; k++)
        memcpy(part + k * b->size, m + (size_t)c->member[k] * b->size,
            b->size * sizeof *m);
    *holds = circuit_weights(c->count, b->size, part, c->weight);
    c->weight[c->count - 1] = 1;
    *holds = *holds && circuit_holds(c, b->size, m);
    return DAE_OK;
}

static dae_status try_varying(survey *w, const workbench *b, circuit *c)
{
    const int32_t last = row_of(w, b, c->member[c->count - 1]);
    for (size_t k = 0; k < w->points; k++) {
        bool holds;
        const dae_status st = try_point(w, b, c, k, &holds);
        if (st) return st;
        if (!holds) return DAE_OK;
    }
    dae_slot *slot = ARENA_ARRAY(w->arena, dae_slot, b->size);
    if (!slot) return DAE_MEMORY;
    for (size_t k = 0; k < b->size; k++) {
        const int32_t j = column_of(w, b, (int32_t)k);
        slot[k] = (dae_slot){j, (int32_t)(w->s->d[j] - w->s->c[last])};
    }
    return push_rows(w, b, c, REPAIR_VARYING, slot);
}

static dae_status find_varying(survey *w, const workbench *b)
{
    circuit_list list;
    arena *a = &w->scratch;
    const double *m = spread(w, b, 0, 1, a);
    if (!m) return DAE_MEMORY;
    dae_status st = circuits_find(
        b->size, b->size, m, b->order, CIRCUIT_ZERO, a, &list);
    for (size_t k = 0; k < list.count && !st; k++) {
        circuit *c = &list.items[k];
        if (c->count > VARYING_MOST || c->count < 2 || !is_allowed(w, b, c))
            continue;
        st = try_varying(w, b, c);
    }
    return st;
}

/* ---- all of it ----------------------------------------------------------------- */

/* The first kind that there is. */
static dae_status find_in_block(survey *w, size_t k)
{
    typedef dae_status finder(survey * w, const workbench *b);
    static const struct {
        repair_kind kind;
        finder *find;
    } way[] = {{REPAIR_ROWS, find_constant}, {REPAIR_VARYING, find_varying}};
    const dae_block *f = &w->s->fine[w->blocks[k]];
    const size_t before = w->found.count;
    workbench b = {.number = w->blocks[k],
        .size = (size_t)(f->end - f->begin),
        .first = w->first[k],
        .end = w->first[k + 1],
        .begin = f->begin};
    dae_status st = order_rows(w, &b);
    for (int i = 0; i < 2 && !st && w->found.count == before; i++)
        if (w->q->kinds & (1U << way[i].kind)) st = way[i].find(w, &b);
    return st;
}

static dae_status find_all(survey *w)
{
    const blocks_request *at = w->q->at;
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

static dae_status survey_open(survey *w, const step_request *q)
{
    *w = (survey){.q = q, .s = q->at->structure};
    w->allocator = alloc_or_default(q->at->allocator);
    arena_init(&w->scratch, w->allocator, 0);
    const dae_status st = survey_init(w);
    return !st && w->block_count > 0 ? sample(w) : st;
}

dae_status steps_find(const step_request *q, arena *a, repair_steps *out)
{
    survey w;
    *out = (repair_steps){0};
    if (!q->at->problem->jacobian) return DAE_OK;
    dae_status st = survey_open(&w, q);
    w.arena = a;
    if (!st && w.points >= STACKED) st = find_all(&w);
    if (!st && w.found.count > 0) {
        out->items = ARENA_ARRAY(a, repair_step, w.found.count);
        out->count = w.found.count;
        if (!out->items) st = DAE_MEMORY;
        else
            memcpy(
                out->items, w.found.items, w.found.count * sizeof *out->items);
    }
    survey_clear(&w);
    return st;
}
