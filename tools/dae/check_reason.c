#include "check_parts.h"
#include "memory.h"

void check_put_times(int64_t count, phrase *p)
{
    if (count == 1) phrase_put(p, "once");
    else if (count == 2) phrase_put(p, "twice");
    else phrase_add(p, "%lld times", (long long)count);
}

/* So many are named. */
enum { NAMED = 4 };

/* The equations that are differentiated most, of those the user knows. */
typedef struct peak {
    int64_t c;           /* how often */
    size_t count;        /* of them */
    size_t named[NAMED]; /* the first ones */
} peak;

static peak find_peak(const check *k)
{
    const dae_structure *s = k->analysis->repaired;
    peak best = {.count = 0};
    for (size_t at = 0; at < dae_model_equation_count(k->model); at++) {
        const size_t i = (size_t)k->equation_at[at];
        if (s->c[i] < best.c) continue;
        if (s->c[i] > best.c) best = (peak){.c = s->c[i]};
        if (best.count < NAMED) best.named[best.count] = i;
        best.count++;
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
    return true;
}

/* Unknowns as the text has them: how many, and the first ones. */
typedef struct unknowns {
    size_t count, named[NAMED];
} unknowns;

static bool is_before(const check *k, size_t j, size_t other)
{
    return dae_model_unknown_position(k->model, j)
        < dae_model_unknown_position(k->model, other);
}

static void put_unknown(const check *k, unknowns *u, size_t j)
{
    const size_t known = u->count < NAMED ? u->count : NAMED;
    size_t at = known;
    u->count++;
    while (at > 0 && is_before(k, j, u->named[at - 1])) at--;
    if (at == NAMED) return;
    for (size_t q = known < NAMED ? known : NAMED - 1; q > at; q--)
        u->named[q] = u->named[q - 1];
    u->named[at] = j;
}

/* The unknowns that are determined last: of the nearest block that needs the
 * equation those that are not differentiated themselves. */
static unknowns determined_last(const check *k, size_t i)
{
    const dae_structure *s = k->analysis->repaired;
    unknowns found = {.count = 0};
    if (s != k->analysis->structure)
        return found; /* the signature is of the other */
    uint8_t *marked = memory_take(s->fine_count + 1, 1);
    if (!marked || !mark_users(k, i, marked)) return found;
    for (size_t b = 0; b < s->fine_count && found.count == 0; b++) {
        if (!marked[b]) continue;
        for (int32_t p = s->fine[b].begin; p < s->fine[b].end; p++) {
            const size_t j = (size_t)s->column_at[p];
            if (s->d[j] == 0 && check_shows_unknown(k, j))
                put_unknown(k, &found, j);
        }
    }
    return found;
}

/* Index 1 without differentiation: unknowns that occur without derivatives. */
static void put_algebraic(const check *k, phrase *p)
{
    const dae_structure *s = k->analysis->repaired;
    size_t count = 0, first = 0;
    for (size_t at = 0; at < dae_model_unknown_count(k->model); at++) {
        const size_t j = (size_t)k->unknown_at[at];
        if (s->d[j] == 0 && count++ == 0) first = j;
    }
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

/* "`a`, what replaces `b` and 3 more" */
static void put_peak(const check *k, const peak *m, phrase *p)
{
    for (size_t e = 0; e < m->count && phrase_next(p, e, m->count, NAMED);
         e++) {
        if (is_replaced(k, (int64_t)m->named[e]))
            phrase_put(p, "what replaces ");
        phrase_put(p, "`");
        check_put_equation(k, m->named[e], 0, p);
        phrase_put(p, "`");
    }
}

/* What the equations named are needed for. Two of them may be needed by one
 * block: its unknowns count once. */
static unknowns find_needing(const check *k, const peak *m)
{
    unknowns all = {.count = 0};
    size_t first[NAMED], blocks = 0;
    for (size_t e = 0; e < m->count && e < NAMED; e++) {
        const unknowns u = determined_last(k, m->named[e]);
        bool is_new = u.count > 0;
        for (size_t q = 0; q < blocks; q++)
            is_new = is_new && first[q] != u.named[0];
        if (!is_new) continue;
        first[blocks++] = u.named[0];
        for (size_t q = 0; q < u.count && q < NAMED; q++)
            put_unknown(k, &all, u.named[q]);
        all.count += u.count > NAMED ? u.count - NAMED : 0;
    }
    return all;
}

/* Of equations that are not named what needs them is not looked for. */
static void put_needing(const check *k, const peak *m, phrase *p)
{
    const unknowns u = find_needing(k, m);
    const bool has_others = m->count > NAMED;
    const size_t shown = u.count < NAMED ? u.count : NAMED;
    if (u.count == 0) return;
    phrase_put(p, " before ");
    for (size_t q = 0; q < shown; q++) {
        if (q) phrase_put(p, q + 1 == u.count && !has_others ? " and " : ", ");
        phrase_put(p, "`");
        check_put_slot(k, u.named[q], 0, p);
        phrase_put(p, "`");
    }
    if (has_others) phrase_put(p, " and others");
    else phrase_more(p, shown, u.count);
    phrase_put(
        p, u.count > 1 || has_others ? " are determined" : " is determined");
}

static void put_differentiated(const check *k, phrase *p)
{
    const peak m = find_peak(k);
    if (m.c == 0) {
        put_algebraic(k, p);
        return;
    }
    put_peak(k, &m, p);
    phrase_put(p, m.count > 1 ? " are differentiated " : " is differentiated ");
    check_put_times(m.c, p);
    put_needing(k, &m, p);
}

void check_put_reason(const check *k, phrase *p)
{
    const dae_analysis *a = k->analysis;
    if (!a->repaired->is_regular) return;
    if (a->index == 0) {
        phrase_put(p,
            "the equations determine every highest derivative as they stand");
    } else if (a->index == a->repaired->index
        && a->degrees_of_freedom == a->repaired->degrees_of_freedom) {
        put_differentiated(k, p);
    } else {
        phrase_add(p,
            "by the ranks of the equations with their derivatives; "
            "structure alone says %lld",
            (long long)a->structural_index);
    }
}
