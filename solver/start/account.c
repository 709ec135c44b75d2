/* Patterns count what was solved as it came; where a part was singular or met
 * otherwise they may be wrong, and ranks at the solution count. */
#include "start/account.h"
#include "linalg/naming.h"
#include "linalg/thresholds.h"
#include "start/agree.h"
#include "start/count.h"
#include "start/rank.h"
#include "start/record.h"
#include "start/split.h"
#include <assert.h>
#include <math.h>

/* A start that is counted. */
typedef struct account {
    init_system *s;
    const solution *found;
    split split;
    subset all; /* rows with a free slot, and free slots */
} account;

/* The rank was too much work, or not to be relied upon. */
static bool is_unknown(dae_status st)
{
    return st == DAE_LIMIT || st == DAE_NUMERIC;
}

/* A derivative that follows from those below it: where it stays open, no
 * condition is missing. */
static bool is_inner(const init_system *s, size_t slot)
{
    const uint8_t *inner = s->request->is_inner;
    return inner ? inner[slot] != 0 : slot >= s->states;
}

/* By the numbers: directions of the states that stay free are the null space
 * of the whole Jacobian without what lies in inner slots alone. `open` gets the
 * states that they move. */
static dae_status count_by_rank(const account *a, size_t *missing,
    int64_t *redundant, subset *open, bool *is_known)
{
    init_system *s = a->s;
    const subset all = a->all;
    submatrix m;
    size_t rank, inner_rank, inner_count = 0;
    dae_status st;
    /* of a large part the count alone: each null vector is a solution */
    size_t cells;
    const bool is_small = size_mul(all.row_count, all.slot_count, &cells)
        && cells <= DENSE_CELLS_MOST;
    *is_known = false;
    uint8_t *is_open = ARENA_ARRAY(&s->arena, uint8_t, all.slot_count);
    int32_t *inner = ARENA_ARRAY(&s->arena, int32_t, all.slot_count);
    open->slots = ARENA_ARRAY(&s->arena, int32_t, all.slot_count);
    if (!is_open || !inner || !open->slots) return DAE_MEMORY;
    for (size_t k = 0; k < all.slot_count; k++)
        if (is_inner(s, (size_t)all.slots[k]))
            inner[inner_count++] = all.slots[k];
    if ((st = submatrix_init(
             &m, s, all.rows, all.row_count, all.slots, all.slot_count))
        || (st = rank_numeric(s, &m, &rank, is_small ? is_open : NULL)))
        return is_unknown(st) ? DAE_OK : st;
    if ((st = submatrix_init(
             &m, s, all.rows, all.row_count, inner, inner_count))
        || (st = rank_numeric(s, &m, &inner_rank, NULL)))
        return is_unknown(st) ? DAE_OK : st;
    assert(inner_rank <= inner_count && rank <= all.slot_count);
    /* ranks that contradict each other say nothing */
    if (rank > inner_rank + (all.slot_count - inner_count)) return DAE_OK;
    for (size_t j = 0; j < all.slot_count; j++)
        if (is_open[j] && (size_t)all.slots[j] < s->states)
            open->slots[open->slot_count++] = all.slots[j];
    *missing = (all.slot_count - rank) - (inner_count - inner_rank);
    *redundant = (int64_t)(all.row_count - rank);
    *is_known = true;
    return DAE_OK;
}

static int64_t count_given(const init_system *s)
{
    const init_request *r = s->request;
    int64_t count = (int64_t)(s->rows - s->equations);
    for (size_t k = 0; k < s->states; k++) count += r->x_fixed[k] != 0;
    for (size_t j = 0; j < s->n; j++)
        count += r->layout->order[j] > 0 && r->xp_fixed[j];
    return count;
}

/* What a structure that may lack constraints leaves open is a bound, too. */
static size_t bounded(const init_system *s, size_t missing)
{
    const init_request *r = s->request;
    return r->is_count_bound && missing > r->freedom ? r->freedom : missing;
}

/* By rank where that is possible. */
static dae_status account_findings(init_system *s, bool *is_done)
{
    init_findings *f = s->request->findings;
    *is_done = false;
    if (!f || !s->request->is_thorough) return DAE_OK;
    dae_status st = count_conditions(s, f);
    *is_done = f->is_by_rank;
    if (st || !*is_done) return st;
    f->missing = bounded(s, f->missing);
    return agree_judge(s);
}

static void fill_report(const account *a, int64_t missing, int64_t redundant,
    dae_start_report *report)
{
    const init_system *s = a->s;
    init_findings *f = s->request->findings;
    if (f && !f->is_by_rank) {
        f->missing = (size_t)missing;
        f->redundant_count = (size_t)(redundant > 0 ? redundant : 0);
    }
    if (!report) return;
    *report = (dae_start_report){.conditions = count_given(s),
        .degrees_missing = missing,
        .redundant = redundant,
        .iterations = a->found->iterations};
    for (size_t i = 0; i < s->rows; i++)
        report->residual = fmax(report->residual, unknowns_ratio(s, i));
}

/* The first algebraic unknown of a part; SIZE_MAX: none. */
static size_t find_algebraic(const init_system *s, const subset *p)
{
    for (size_t k = 0; k < p->slot_count; k++) {
        int order;
        const size_t slot = (size_t)p->slots[k];
        const size_t j = naming_unknown(s->request->layout, slot, &order);
        if (s->request->layout->order[j] == 0) return slot;
    }
    return SIZE_MAX;
}

/* Rows whose values are all given, and states that stand in for missing
 * conditions: those that structure leaves open, or where it leaves none, `open`
 * by the numbers. */
static dae_status list_findings(const account *a, const subset *open)
{
    init_findings *f = a->s->request->findings;
    const subset *under = &a->split.part[SPLIT_STATES_UNDER];
    const subset *untouched = &a->split.untouched;
    const subset *parts[] = {under, untouched, open};
    const bool is_any = under->slot_count + untouched->slot_count > 0;
    const size_t first = is_any ? 0 : 2, end = is_any ? 2 : 3;
    size_t count = 0;
    if (!f) return DAE_OK;
    for (size_t p = first; p < end; p++) count += parts[p]->slot_count;
    int32_t *list = ARENA_ARRAY(&f->arena, int32_t, count + 1);
    if (!list) return DAE_MEMORY;
    f->open = list;
    f->open_count = 0;
    for (size_t p = first; p < end; p++)
        for (size_t k = 0; k < parts[p]->slot_count; k++)
            if ((size_t)parts[p]->slots[k] < a->s->states)
                list[f->open_count++] = parts[p]->slots[k];
    f->suspect = find_algebraic(a->s, is_any ? untouched : open);
    f->check_count = a->split.checks.row_count;
    return record_slots(a->s, a->split.checks.rows, f->check_count, &f->checks);
}

/* Rows with a free slot, and the free slots. */
static dae_status take_all(account *a)
{
    init_system *s = a->s;
    uint8_t *is_check = ARENA_ARRAY(&s->arena, uint8_t, s->rows);
    a->all = (subset){.rows = ARENA_ARRAY(&s->arena, int32_t, s->rows),
        .slots = ARENA_ARRAY(&s->arena, int32_t, s->slots)};
    if (!is_check || !a->all.rows || !a->all.slots) return DAE_MEMORY;
    for (size_t k = 0; k < a->split.checks.row_count; k++)
        is_check[a->split.checks.rows[k]] = 1;
    for (size_t i = 0; i < s->rows; i++)
        if (!is_check[i]) a->all.rows[a->all.row_count++] = (int32_t)i;
    for (size_t k = 0; k < s->slots; k++)
        if (s->is_free[k]) a->all.slots[a->all.slot_count++] = (int32_t)k;
    return DAE_OK;
}

/* By pattern, and where what was solved is not regular by the numbers. */
static dae_status account_by_pattern(account *a, dae_start_report *report)
{
    init_system *s = a->s;
    dae_status st = split_init(&a->split, s);
    if (!st) st = take_all(a);
    if (st) return st;
    const subset *over = &a->split.part[SPLIT_STATES_OVER];
    size_t missing = a->split.missing;
    int64_t redundant = (int64_t)(over->row_count - over->slot_count);
    subset open = {0};
    bool is_known;
    init_findings *f = s->request->findings;
    if ((st = count_by_rank(a, &missing, &redundant, &open, &is_known)))
        return st;
    /* a pattern cannot tell which of the open slots are inner ones */
    if (!is_known && missing > 0 && f && s->request->is_inner) {
        f->is_uncounted = true;
        missing = 0;
    }
    missing = bounded(s, missing);
    redundant += (int64_t)a->split.checks.row_count;
    if ((st = list_findings(a, &open))) return st;
    fill_report(a, (int64_t)missing, redundant, report);
    return DAE_OK;
}

dae_status account_start(
    init_system *s, const solution *found, dae_start_report *report)
{
    account a = {.s = s, .found = found};
    init_findings *f = s->request->findings;
    bool is_done = found->is_regular;
    if (is_done && f) f->is_by_rank = true;
    const dae_status st = is_done ? DAE_OK : account_findings(s, &is_done);
    if (st) return st;
    if (!is_done) return account_by_pattern(&a, report);
    fill_report(&a, f ? (int64_t)f->missing : 0,
        f ? (int64_t)f->redundant_count : 0, report);
    return DAE_OK;
}
