/* Hidden constraints from the offsets: equation i differentiated k = 1 .. c_i
 * times. Below c_i it leaves fewer initial values free; at c_i it helps to
 * determine the highest derivatives [Pry01]. An equation that a repair put in
 * is not in the text, so it is listed undifferentiated, too. */
#include "analysis/analysis.h"
#include <assert.h>

typedef struct listing {
    analysis *a;
    const dae_structure *s;
    int32_t *block;  /* row -> fine block */
    int32_t *repair; /* row -> the repair that put it in, or -1 */
    dae_hidden *hidden;
    size_t count;
} listing;

static dae_status find_rows(listing *l)
{
    const dae_structure *s = l->s;
    arena *m = &l->a->memory;
    l->block = ARENA_ARRAY(m, int32_t, s->n);
    l->repair = ARENA_ARRAY(m, int32_t, s->n);
    if (!l->block || !l->repair) return DAE_MEMORY;
    for (size_t b = 0; b < s->fine_count; b++)
        for (int32_t k = s->fine[b].begin; k < s->fine[b].end; k++)
            l->block[s->row_at[k]] = (int32_t)b;
    for (size_t i = 0; i < s->n; i++) l->repair[i] = -1;
    for (size_t r = 0; r < l->a->repair.count; r++)
        l->repair[l->a->repair.repairs[r].replaces] = (int32_t)r;
    return DAE_OK;
}

/* Whether row i, differentiated c_i times, contains derivative d_j of unknown j. Not
 * known of a row that a repair changed. */
static bool is_in_row(const listing *l, size_t i, int32_t j)
{
    const dae_structure *s = l->s;
    const dae_signature *g = &l->a->signature->table;
    if (s != l->a->structure) return false;
    for (int64_t p = g->column_start[j]; p < g->column_start[j + 1]; p++)
        if ((size_t)g->row[p] == i) return s->d[j] - s->c[i] == g->order[p];
    return false;
}

/* What row i helps to determine when differentiated c_i times: the unknowns of its
 * block that occur without derivatives (to a user the most informative), then those
 * that the row contains, of each the first in the text. Not the transversal's, which depends on the order of equations. */
static dae_slot determined_by(const listing *l, size_t i)
{
    const dae_structure *s = l->s;
    const dae_block *block = &s->fine[l->block[i]];
    dae_slot best = {-1, 0};
    bool is_best_in = false;
    for (int32_t k = block->begin; k < block->end; k++) {
        const int32_t j = s->column_at[k];
        if (!is_visible(l->a->problem, (size_t)j)) continue;
        if (s->d[j] == 0) return (dae_slot){j, 0};
        const bool is_in = is_in_row(l, i, j);
        if (best.unknown >= 0 && is_in <= is_best_in) continue;
        best = (dae_slot){j, (int32_t)s->d[j]};
        is_best_in = is_in;
    }
    return best;
}

static bool is_alone(const listing *l, size_t i)
{
    const dae_block *block = &l->s->fine[l->block[i]];
    return block->end - block->begin == 1;
}

static void put_row(listing *l, size_t i)
{
    const int64_t c = l->s->c[i];
    for (int64_t k = l->repair[i] < 0 ? 1 : 0; k <= c; k++) {
        const bool is_last = k == c;
        if (l->hidden)
            l->hidden[l->count] = (dae_hidden){.equation = (int32_t)i,
                .repair = l->repair[i],
                .differentiated = (int32_t)k,
                .restricts_start = !is_last,
                .is_alone = is_alone(l, i),
                .determines = is_last ? determined_by(l, i)
                                      : (dae_slot){-1, 0}};
        l->count++;
    }
}

static void put_all(listing *l)
{
    const dae_problem *p = l->a->problem;
    l->count = 0;
    for (size_t i = 0; i < p->unknown_count; i++)
        if (is_visible(p, i)) put_row(l, i);
}

dae_status hidden_list(analysis *a)
{
    listing l = {.a = a, .s = best_structure(a)};
    /* an index of millions would list as many derivatives of one equation */
    enum { MOST = 10000000 };
    int64_t sum = 0;
    if (!l.s->is_regular) return DAE_OK;
    for (size_t i = 0; i < l.s->n; i++) {
        if (l.s->c[i] > MOST - sum) return DAE_OK;
        sum += l.s->c[i];
    }
    dae_status st = find_rows(&l);
    if (st) return st;
    put_all(&l);
    if (!l.count) return DAE_OK;
    l.hidden = ARENA_ARRAY(&a->memory, dae_hidden, l.count);
    if (!l.hidden) return DAE_MEMORY;
    const size_t count = l.count;
    put_all(&l);
    assert(l.count == count);
    (void)count;
    a->found.hidden = l.hidden;
    a->found.hidden_count = l.count;
    return DAE_OK;
}
