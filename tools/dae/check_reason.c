#include "check_reason.h"
#include "memory.h"

void check_put_times(int64_t count, phrase *p)
{
    if (count == 1) phrase_put(p, "once");
    else if (count == 2) phrase_put(p, "twice");
    else phrase_add(p, "%lld times", (long long)count);
}

/* The equation that is differentiated most: the first of those the user knows,
 * -1 where none is; and how many share the number. */
static int64_t most_differentiated(
    const check *k, int64_t *max_c, size_t *count)
{
    const dae_structure *s = k->analysis->repaired;
    int64_t best = -1;
    *max_c = 0;
    *count = 0;
    for (size_t i = 0; i < dae_model_equation_count(k->model); i++) {
        if (best >= 0 && s->c[i] < *max_c) continue;
        if (best < 0 || s->c[i] > *max_c) {
            best = (int64_t)i;
            *max_c = s->c[i];
            *count = 0;
        }
        ++*count;
    }
    return best;
}

/* Marks the fine blocks that need equation `i`, its own first: no equation has
 * a tight entry in a later block, so one pass in their order finds all. The
 * signature is by columns, so what a block gives is handed on to its users. */
static bool mark_users(const check *k, size_t i, uint8_t *marked)
{
    const dae_structure *s = k->analysis->repaired;
    const dae_signature *g = k->analysis->signature;
    int32_t *block_of = memory_take(s->n + 1, sizeof *block_of);
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
    memory_drop(block_of);
    return true;
}

/* The unknown that is determined last: of those not differentiated themselves
 * the first in the nearest block that needs the equation; -1: none. */
static int64_t determined_last(const check *k, size_t i, bool *failed)
{
    const dae_analysis *a = k->analysis;
    const dae_structure *s = a->repaired;
    int64_t found = -1;
    if (s != a->structure) return -1; /* the signature is of the other */
    uint8_t *marked = memory_take(s->fine_count + 1, 1);
    if (!marked || !mark_users(k, i, marked)) {
        *failed = true;
        memory_drop(marked);
        return -1;
    }
    for (size_t b = 0; b < s->fine_count && found < 0; b++) {
        if (!marked[b]) continue;
        for (int32_t p = s->fine[b].begin; p < s->fine[b].end; p++) {
            const int32_t j = s->column_at[p];
            if (s->d[j] == 0 && check_shows_unknown(k, (size_t)j)
                && (found < 0 || j < found))
                found = j;
        }
    }
    memory_drop(marked);
    return found;
}

/* Index 1 without differentiation: unknowns that occur without derivatives. */
static void put_algebraic(const check *k, phrase *p)
{
    const dae_structure *s = k->analysis->repaired;
    size_t count = 0, first = 0;
    for (size_t j = 0; j < dae_model_unknown_count(k->model); j++)
        if (s->d[j] == 0 && count++ == 0) first = j;
    if (count) {
        phrase_put(p, "`");
        check_put_slot(k, first, 0, p);
        phrase_put(p, "`");
        if (count > 1)
            phrase_add(p, " and %zu other unknown%s", count - 1,
                count == 2 ? "" : "s");
        phrase_add(p, " occur%s without derivatives; ", count > 1 ? "" : "s");
    }
    phrase_put(p, "no equation has to be differentiated");
}

/* A repair put another equation in its place. */
static bool is_replaced(const check *k, int64_t i)
{
    for (size_t r = 0; r < k->analysis->repair_count; r++)
        if (k->analysis->repairs[r].replaces == i) return true;
    return false;
}

static void put_differentiated(const check *k, phrase *p)
{
    int64_t max_c;
    size_t count;
    const int64_t i = most_differentiated(k, &max_c, &count);
    if (i < 0 || max_c == 0) {
        put_algebraic(k, p);
        return;
    }
    phrase_put(p, is_replaced(k, i) ? "what replaces `" : "`");
    check_put_equation(k, (size_t)i, 0, p);
    phrase_put(p, "`");
    if (count > 1)
        phrase_add(p, " and %zu other equation%s are differentiated ",
            count - 1, count == 2 ? "" : "s");
    else phrase_put(p, " is differentiated ");
    check_put_times(max_c, p);
    const int64_t j = determined_last(k, (size_t)i, &p->failed);
    if (j >= 0) {
        phrase_put(p, " before `");
        check_put_slot(k, (size_t)j, 0, p);
        phrase_put(
            p, count > 1 ? "` and others are determined" : "` is determined");
    }
}

void check_put_reason(const check *k, phrase *p)
{
    const dae_analysis *a = k->analysis;
    if (!a->repaired->is_regular) return;
    if (a->index == 0) {
        phrase_put(p,
            "the equations determine every highest derivative as they stand");
    } else if (a->index == a->repaired->index) {
        put_differentiated(k, p);
    } else {
        phrase_add(p,
            "by the ranks of the equations with their derivatives; "
            "structure alone says %lld",
            (long long)a->structural_index);
    }
}
