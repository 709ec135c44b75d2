/* Which equations are differentiated most, and what is determined by that. */
#include "report/object.h"

/* The equations that are differentiated most, of those of the text. */
static void find_peak(const dae_report *r, dae_reason *found)
{
    const dae_structure *s = r->analysis->repaired;
    for (size_t at = 0; at < dae_model_equation_count(r->model); at++) {
        const size_t i = (size_t)r->equation_at[at];
        if (s->c[i] < found->times) continue;
        if (s->c[i] > found->times) found->equation_count = 0;
        found->times = s->c[i];
        if (found->equation_count < DAE_REASON_NAMED)
            found->equations[found->equation_count] = i;
        found->equation_count++;
    }
}

/* Marks the fine blocks that need equation `i`, its own first: no equation has
 * a tight entry in a later block, so one pass in their order finds all. The
 * signature is by columns, so what a block gives is handed on to its users. */
static bool mark_users(dae_report *r, size_t i, uint8_t *marked)
{
    const dae_structure *s = r->analysis->repaired;
    const dae_signature *g = r->analysis->signature;
    int32_t *block_of = ARENA_ARRAY(&r->memory, int32_t, s->n);
    if (!block_of) return false;
    for (size_t b = 0; b < s->fine_count; b++)
        for (int32_t p = s->fine[b].begin; p < s->fine[b].end; p++)
            block_of[s->row_at[p]] = (int32_t)b;
    marked[block_of[i]] = 1;
    for (size_t b = 0; b < s->fine_count; b++) {
        if (!marked[b]) continue;
        for (int32_t p = s->fine[b].begin; p < s->fine[b].end; p++) {
            const size_t j = (size_t)s->column_at[p];
            for (int64_t e = g->column_start[j]; e < g->column_start[j + 1];
                 e++)
                if (s->d[j] - s->c[g->row[e]] == g->order[e])
                    marked[block_of[g->row[e]]] = 1;
        }
    }
    return true;
}

/* Unknowns as the text has them: how many, and the first ones. */
typedef struct unknowns {
    size_t count, named[DAE_REASON_NAMED];
} unknowns;

static bool is_before(const dae_report *r, size_t j, size_t other)
{
    return dae_model_unknown_position(r->model, j)
        < dae_model_unknown_position(r->model, other);
}

static void add_unknown(const dae_report *r, unknowns *u, size_t j)
{
    const size_t known = u->count < DAE_REASON_NAMED ? u->count
                                                     : DAE_REASON_NAMED;
    size_t at = known;
    u->count++;
    while (at > 0 && is_before(r, j, u->named[at - 1])) at--;
    if (at == DAE_REASON_NAMED) return;
    for (size_t q = known < DAE_REASON_NAMED ? known : DAE_REASON_NAMED - 1;
         q > at; q--)
        u->named[q] = u->named[q - 1];
    u->named[at] = j;
}

/* The unknowns that are determined last: of the nearest block that needs the
 * equation those that are not differentiated themselves. False: no memory. */
static bool determined_last(dae_report *r, size_t i, unknowns *found)
{
    const dae_structure *s = r->analysis->repaired;
    *found = (unknowns){.count = 0};
    if (s != r->analysis->structure)
        return true; /* the signature is of the other */
    uint8_t *marked = ARENA_ARRAY(&r->memory, uint8_t, s->fine_count);
    if (!marked || !mark_users(r, i, marked)) return false;
    for (size_t b = 0; b < s->fine_count && found->count == 0; b++) {
        if (!marked[b]) continue;
        for (int32_t p = s->fine[b].begin; p < s->fine[b].end; p++) {
            const size_t j = (size_t)s->column_at[p];
            if (s->d[j] == 0 && report_has_unknown(r, j))
                add_unknown(r, found, j);
        }
    }
    return true;
}

/* Index 1 without differentiation: unknowns that occur without derivatives. */
static void find_algebraic(const dae_report *r, dae_reason *found)
{
    const dae_structure *s = r->analysis->repaired;
    for (size_t at = 0; at < dae_model_unknown_count(r->model); at++) {
        const size_t j = (size_t)r->unknown_at[at];
        if (s->d[j] != 0) continue;
        if (found->unknown_count < DAE_REASON_NAMED)
            found->unknowns[found->unknown_count] = j;
        found->unknown_count++;
    }
}

/* What the equations named are needed for. Two of them may be needed by one
 * block: its unknowns count once. */
static dae_status find_needing(dae_report *r, dae_reason *found)
{
    unknowns all = {.count = 0};
    size_t first[DAE_REASON_NAMED], blocks = 0;
    for (size_t e = 0; e < found->equation_count && e < DAE_REASON_NAMED; e++) {
        unknowns u;
        const arena_position mark = arena_mark(&r->memory);
        const bool has_room = determined_last(r, found->equations[e], &u);
        arena_release(&r->memory, mark);
        if (!has_room) return DAE_MEMORY;
        bool is_new = u.count > 0;
        for (size_t q = 0; q < blocks; q++)
            is_new = is_new && first[q] != u.named[0];
        if (!is_new) continue;
        first[blocks++] = u.named[0];
        for (size_t q = 0; q < u.count && q < DAE_REASON_NAMED; q++)
            add_unknown(r, &all, u.named[q]);
        all.count += u.count > DAE_REASON_NAMED ? u.count - DAE_REASON_NAMED
                                                : 0;
    }
    found->unknown_count = all.count;
    for (size_t q = 0; q < DAE_REASON_NAMED; q++)
        found->unknowns[q] = all.named[q];
    return DAE_OK;
}

dae_status dae_report_reason(dae_report *r, dae_reason *out)
{
    if (!r || !out) return DAE_ARGUMENT;
    const dae_analysis *a = r->analysis;
    const dae_structure *s = a->repaired;
    *out = (dae_reason){.kind = DAE_REASON_NONE};
    if (!s->is_regular) return DAE_OK;
    out->kind = DAE_REASON_RANKS;
    if (a->index == 0) out->kind = DAE_REASON_AS_IT_IS;
    else if (a->index == s->index
        && a->degrees_of_freedom == s->degrees_of_freedom)
        out->kind = DAE_REASON_DIFFERENTIATED;
    if (out->kind != DAE_REASON_DIFFERENTIATED) return DAE_OK;
    find_peak(r, out);
    if (out->times > 0) return find_needing(r, out);
    *out = (dae_reason){.kind = DAE_REASON_ALGEBRAIC};
    find_algebraic(r, out);
    return DAE_OK;
}
