/* Stage s = d_j - m counts backwards from an unknown's highest derivative that
 * differentiation gives: at stage -s its derivative of order d_j - s follows
 * from equations i of its block, each differentiated c_i - s times. Where c_i < s
 * for all of them nothing is left to determine it, and it is a state. Else it is
 * of index 1 + the largest c_i - s among its own equations and those of all it
 * needs at its stage or an earlier one. Structure only, block by block: no
 * recursion, and as many stages as an unknown needs to come down to order 0. */
#include "orders/roles.h"

typedef struct walk {
    arena *memory;
    const dae_structure *s;
    const dae_signature *g;
    int64_t *row_start; /* the signature by rows */
    int32_t *column, *order;
    int32_t *block_of; /* columns: their fine block */
    int64_t *index;    /* blocks by stages: index[stage * fine_count + block] */
    size_t stages;
} walk;

/* The transpose of the signature, by counting. */
static bool transpose(walk *w)
{
    const dae_signature *g = w->g;
    const int64_t entries = g->column_start[g->columns];
    w->row_start = ARENA_ARRAY(w->memory, int64_t, g->rows + 2);
    w->column = ARENA_ARRAY(w->memory, int32_t, (size_t)entries);
    w->order = ARENA_ARRAY(w->memory, int32_t, (size_t)entries);
    if (!w->row_start || !w->column || !w->order) return false;
    for (int64_t p = 0; p < entries; p++) w->row_start[g->row[p] + 2]++;
    for (size_t i = 0; i < g->rows; i++)
        w->row_start[i + 2] += w->row_start[i + 1];
    for (size_t j = 0; j < g->columns; j++)
        for (int64_t p = g->column_start[j]; p < g->column_start[j + 1]; p++) {
            const int64_t at = w->row_start[g->row[p] + 1]++;
            w->column[at] = (int32_t)j;
            w->order[at] = g->order[p];
        }
    return true;
}

static bool prepare(walk *w)
{
    int64_t most = 0;
    const dae_structure *s = w->s;
    for (size_t j = 0; j < s->n; j++) most = s->d[j] > most ? s->d[j] : most;
    w->stages = (size_t)most + 1;
    w->block_of = ARENA_ARRAY(w->memory, int32_t, s->n);
    w->index = ARENA_ARRAY(w->memory, int64_t, w->stages * s->fine_count);
    if (!w->block_of || !w->index || !transpose(w)) return false;
    for (size_t b = 0; b < s->fine_count; b++)
        for (int32_t p = s->fine[b].begin; p < s->fine[b].end; p++)
            w->block_of[s->column_at[p]] = (int32_t)b;
    return true;
}

/* What equation i, differentiated `times` times, needs beside its own block. */
static int64_t index_of_needs(
    const walk *w, int32_t i, int64_t times, size_t own, int64_t found)
{
    for (int64_t p = w->row_start[i]; p < w->row_start[i + 1]; p++) {
        const int32_t l = w->column[p];
        const int64_t stage = w->s->d[l] - w->order[p] - times;
        const size_t block = (size_t)w->block_of[l];
        if (stage < 0 || stage >= (int64_t)w->stages || block == own) continue;
        const int64_t theirs =
            w->index[(size_t)stage * w->s->fine_count + block];
        if (theirs > found) found = theirs;
    }
    return found;
}

static int64_t index_of_block(const walk *w, size_t block, int64_t stage)
{
    int64_t found = 0;
    const dae_block *b = &w->s->fine[block];
    for (int32_t p = b->begin; p < b->end; p++) {
        const int32_t i = w->s->row_at[p];
        const int64_t times = w->s->c[i] - stage;
        if (times < 0) continue;
        if (times + 1 > found) found = times + 1;
        found = index_of_needs(w, i, times, block, found);
    }
    return found;
}

/* From the latest stage to stage 0: what a block needs is of a later stage, or
 * of its own and a block before it. */
static void walk_stages(walk *w)
{
    for (size_t k = w->stages; k-- > 0;)
        for (size_t b = 0; b < w->s->fine_count; b++)
            w->index[k * w->s->fine_count + b] = index_of_block(
                w, b, (int64_t)k);
}

/* Repairs replace equations, and the signature is of those they replace: then
 * the offsets of an unknown's block have to do. */
static int64_t index_by_block(const walk *w, size_t column, int64_t order)
{
    const dae_structure *s = w->s;
    int64_t index = 0;
    for (size_t b = 0; b < s->coarse_count; b++)
        for (int32_t p = s->coarse[b].begin; p < s->coarse[b].end; p++)
            if ((size_t)s->column_at[p] == column)
                index = 1 + s->coarse[b].max_c - s->d[column] + order;
    return index > 0 ? index : 0;
}

static int64_t index_of(
    const walk *w, bool has_repairs, size_t column, int64_t order)
{
    if (has_repairs) return index_by_block(w, column, order);
    const int64_t stage = w->s->d[column] - order;
    if (stage < 0) return 0;
    return w
        ->index[(size_t)stage * w->s->fine_count + (size_t)w->block_of[column]];
}

static void judge(const walk *w, bool has_repairs, const dae_problem *p,
    dae_orders_unknown *states)
{
    size_t at = 0;
    for (size_t j = 0; j < p->unknown_count; j++) {
        const int highest = p->order ? p->order[j] : 1;
        for (int order = 0; order == 0 || order < highest; order++, at++) {
            states[at] = (dae_orders_unknown){.unknown = j,
                .derivative = order,
                .state = at,
                .has_derivative = highest > 0};
            if (w->s->n == p->unknown_count)
                states[at].index = index_of(w, has_repairs, j, order);
        }
    }
}

dae_status orders_roles(const dae_analysis *a, const dae_problem *p,
    arena *scratch, dae_orders_unknown *states)
{
    const arena_position mark = arena_mark(scratch);
    walk w = {.memory = scratch, .s = a->repaired, .g = a->signature};
    const bool walks = a->repair_count == 0 && w.s->is_regular;
    const bool has_room = !walks || prepare(&w);
    if (has_room && walks) walk_stages(&w);
    if (has_room) judge(&w, !walks, p, states);
    arena_release(scratch, mark);
    return has_room ? DAE_OK : DAE_MEMORY;
}
