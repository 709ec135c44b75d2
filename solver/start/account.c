/* Patterns count what was solved as it came; where a part was singular or met
 * otherwise they may be wrong, and ranks at the solution count. */
#include "start/account.h"
#include "linalg/naming.h"
#include "start/agree.h"
#include "start/count.h"
#include "start/rank.h"
#include "start/record.h"
#include <math.h>

/* By the numbers: directions of the states that stay free are the null space
 * of the whole Jacobian without what lies in derivatives alone. `open` gets the
 * states that they move. */
static dae_status count_by_rank(
    search *a, size_t *missing, int64_t *redundant, split_part *open)
{
    init_system *s = &a->s;
    split_part all;
    submatrix m;
    size_t rank, rate_rank, rates = 0;
    dae_status st = search_all(a, &all);
    if (st) return st;
    size_t cells;
    if (!size_mul(all.row_count, all.slot_count, &cells) || cells > RANK_LIMIT)
        return DAE_OK;
    while (rates < all.slot_count
        && (size_t)all.slots[all.slot_count - 1 - rates] >= s->states)
        rates++;
    uint8_t *is_open = ARENA_ARRAY(&s->arena, uint8_t, all.slot_count);
    open->slots = ARENA_ARRAY(&s->arena, int32_t, all.slot_count);
    if (!is_open || !open->slots) return DAE_MEMORY;
    if ((st = submatrix_init(
             &m, s, all.rows, all.row_count, all.slots, all.slot_count))
        || (st = rank_numeric(s, &m, &rank, is_open)))
        return st;
    const size_t states = all.slot_count - rates;
    if ((st = submatrix_init(
             &m, s, all.rows, all.row_count, all.slots + states, rates))
        || (st = rank_numeric(s, &m, &rate_rank, NULL)))
        return st;
    for (size_t j = 0; j < states; j++)
        if (is_open[j]) open->slots[open->slot_count++] = all.slots[j];
    *missing = (all.slot_count - rank) - (rates - rate_rank);
    *redundant = (int64_t)(all.row_count - rank);
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
static dae_status account_findings(search *a, bool *is_done)
{
    init_system *s = &a->s;
    init_findings *f = s->request->findings;
    *is_done = false;
    if (!f || !s->request->is_thorough) return DAE_OK;
    dae_status st = count_conditions(s, a->scale, f);
    *is_done = f->is_by_rank;
    if (st || !*is_done) return st;
    f->missing = bounded(s, f->missing);
    return agree_judge(s);
}

static void fill_report(
    search *a, int64_t missing, int64_t redundant, dae_start_report *report)
{
    const init_system *s = &a->s;
    init_findings *f = s->request->findings;
    if (f && !f->is_by_rank) {
        f->missing = (size_t)missing;
        f->redundant_count = (size_t)(redundant > 0 ? redundant : 0);
    }
    if (!report) return;
    *report = (dae_start_report){.conditions = count_given(s),
        .degrees_missing = missing,
        .redundant = redundant,
        .iterations = a->iterations};
    for (size_t i = 0; i < s->rows; i++)
        report->residual = fmax(report->residual, unknowns_ratio(s, i));
}

/* The first algebraic unknown of a part; SIZE_MAX: none. */
static size_t find_algebraic(const init_system *s, const split_part *p)
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
static dae_status list_findings(search *a, const split_part *open)
{
    init_findings *f = a->s.request->findings;
    const split_part *under = &a->split.part[SPLIT_STATES_UNDER];
    const split_part *untouched = &a->split.untouched;
    const split_part *parts[] = {under, untouched, open};
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
            if ((size_t)parts[p]->slots[k] < a->s.states)
                list[f->open_count++] = parts[p]->slots[k];
    f->suspect = find_algebraic(&a->s, is_any ? untouched : open);
    f->check_count = a->split.checks.row_count;
    return record_slots(
        &a->s, a->split.checks.rows, f->check_count, &f->checks);
}

dae_status account_start(search *a, dae_start_report *report)
{
    init_system *s = &a->s;
    const split_part *over = &a->split.part[SPLIT_STATES_OVER];
    bool is_done;
    const dae_status by_rank = account_findings(a, &is_done);
    if (by_rank) return by_rank;
    if (is_done) {
        const init_findings *f = s->request->findings;
        fill_report(
            a, (int64_t)f->missing, (int64_t)f->redundant_count, report);
        return DAE_OK;
    }
    size_t missing = a->split.missing;
    split_part open = {0};
    int64_t redundant = (int64_t)(over->row_count - over->slot_count);
    if (missing || a->is_uncertain) {
        const dae_status st = count_by_rank(a, &missing, &redundant, &open);
        if (st) return st;
    }
    missing = bounded(s, missing);
    redundant += (int64_t)a->split.checks.row_count;
    const dae_status st = list_findings(a, &open);
    if (st) return st;
    fill_report(a, (int64_t)missing, redundant, report);
    return DAE_OK;
}
