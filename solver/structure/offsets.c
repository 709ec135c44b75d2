/* c is a longest path. With j's partner k and equality in (k, j), an entry
 * (i, j) asks for
 *
 *     c[k] >= c[i] + order(i, j) - order(k, j)
 *
 * and k stands in the block of i or in an earlier one. So blocks are gone
 * through from the last to the first: what comes from later ones is known by
 * then. Within a block u + v >= order, equal on the transversal, turns this
 * into
 *
 *     c[k] + u[k] >= c[i] + u[i] - slack(i, j),    slack >= 0,
 *
 * a longest path without increasing edges: one pass of Dijkstra's algorithm
 * over -(c + u). Only rows that ask more than holds are put on the heap, mostly
 * none. The textbook iterates c and d to a fixed point instead, in as many
 * sweeps as the index. */
#include "structure/offsets.h"

#include "graph/heap.h"

typedef struct search {
    const ordered *o;
    const int32_t *column_of, *row_of;
    const int64_t *u, *v;
    int64_t *c, *d;
    int64_t *key; /* rows: -(c + u), in the place of c until that is known */
    heap heap;
} search;

/* Asks for what row i needs: raises the rows that have too little and puts
 * them on the heap. Or, where `is_question`, only says whether there are any. */
static bool ask(search *s, int32_t i, bool is_question)
{
    bool is_short = false;
    for (int64_t p = s->o->row_start[i]; p < s->o->inner_end[i]; p++) {
        const int32_t j = s->o->column[p], k = s->row_of[j];
        const int64_t key = s->key[i] + s->u[i] + s->v[j] - s->o->order[p];
        if (key >= s->key[k]) continue;
        is_short = true;
        if (is_question) break;
        s->key[k] = key;
        heap_push(&s->heap, k);
    }
    return is_short;
}

/* d holds what later blocks ask for, as far as c >= 0 does. */
static void find_in_block(search *s, int32_t begin, int32_t end)
{
    for (int32_t i = begin; i < end; i++) {
        const int32_t j = s->column_of[i];
        const int64_t asked = s->d[j] - s->u[i] - s->v[j];
        s->key[i] = -((asked > 0 ? asked : 0) + s->u[i]);
    }
    for (int32_t i = begin; i < end; i++)
        if (ask(s, i, true)) heap_push(&s->heap, i);
    while (s->heap.count > 0) (void)ask(s, heap_pop(&s->heap), false);
    for (int32_t i = begin; i < end; i++) {
        const int32_t j = s->column_of[i];
        s->d[j] = s->v[j] - s->key[i];
        s->c[i] = -s->key[i] - s->u[i];
    }
}

/* What the block's rows ask of columns of earlier blocks. */
static void ask_earlier(search *s, int32_t begin, int32_t end)
{
    for (int32_t i = begin; i < end; i++) {
        const int64_t last = s->o->row_start[i + 1];
        for (int64_t p = s->o->inner_end[i]; p < last; p++) {
            const int32_t j = s->o->column[p];
            const int64_t asked = s->c[i] + s->o->order[p];
            if (s->d[j] < asked) s->d[j] = asked;
        }
    }
}

dae_status offsets_find(const ordered *o, const int32_t *column_of,
    const int32_t *row_of, const int64_t *u, const int64_t *v, int64_t *c,
    int64_t *d)
{
    search s = {.o = o,
        .column_of = column_of,
        .row_of = row_of,
        .u = u,
        .v = v,
        .c = c,
        .d = d,
        .key = c};
    const dae_status st = heap_init(&s.heap, o->n, s.key, o->allocator);
    for (size_t j = 0; !st && j < o->n; j++) d[j] = 0;
    for (size_t b = o->block_count; !st && b > 0; b--) {
        find_in_block(&s, o->start[b - 1], o->start[b]);
        ask_earlier(&s, o->start[b - 1], o->start[b]);
    }
    heap_clear(&s.heap);
    return st;
}
