/* Rounds: what is singular is combined, in all blocks at once; the equations
 * that result are analysed and certified like a problem of their own
 * (repair_view.h), and where the value of the transversal has fallen, the next
 * round begins from there. Otherwise it is undone and other kinds of steps are
 * tried. */
#include "repair/repair.h"
#include "repair/round.h"
#include "repair/step.h"
#include <string.h>

/* Every round lowers the degrees of freedom, so there is an end; equations
 * grow with each, and 50 are more than any model has asked for. */
enum { ROUNDS = 50 };

/* What outlives the rounds. */
struct repair_kept {
    stage now; /* without structure and certificates, which the findings have */
    arena arena;
};

static dae_status repair_rounds(repair_work *w)
{
    static const unsigned kinds[] = {
        1U << REPAIR_ROWS | 1U << REPAIR_COLUMNS | 1U << REPAIR_VARYING,
        1U << REPAIR_ROWS | 1U << REPAIR_COLUMNS,
        1U << REPAIR_COLUMNS | 1U << REPAIR_VARYING, 1U << REPAIR_VARYING};
    dae_status st = DAE_OK;
    for (int round = 0; round < ROUNDS; round++) {
        bool is_better = false, is_over = false;
        for (int k = 0; k < 4 && !st && !is_better && !is_over; k++)
            st = round_try(w, kinds[k], &is_better, &is_over);
        if (st || !is_better) return st;
    }
    return DAE_OK;
}

/* ---- findings ------------------------------------------------------------------ */

static bool all_certified(const dae_certificate *c, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (c[k] != DAE_CERTIFIED) return false;
    return true;
}

/* The stage goes to the findings, and what it stands on with it. */
static void hand_over_stage(repair_work *w, repair_findings *out)
{
    struct repair_kept *kept = out->kept;
    kept->now = w->now;
    kept->arena = w->arena;
    kept->now.view->plan = &kept->now.plan;
    out->structure = w->now.structure;
    out->certificates = w->now.certificates;
    kept->now.structure = NULL;
    kept->now.certificates = NULL;
    w->now = (stage){0};
    arena_init(&w->arena, w->given.allocator, 0);
}

static dae_status hand_over(repair_work *w, repair_findings *out)
{
    const dae_allocator *a = w->given.allocator;
    const size_t n = w->given.problem->unknown_count;
    const size_t count = w->repairs.count;
    const dae_structure *s = stage_request(&w->now, &w->given).structure;
    out->is_complete = all_certified(
        w->now.view ? w->now.certificates : w->certificates, s->fine_count);
    out->unknowns = n;
    out->dead_end = w->dead_end;
    w->dead_end = (dae_repair){0};
    if (!w->now.view) return DAE_OK;
    out->differentiate = alloc_zeroed(a, n, sizeof *out->differentiate);
    dae_repair *repairs = alloc_zeroed(a, count, sizeof *repairs);
    struct repair_kept *kept = alloc_zeroed(a, 1, sizeof *kept);
    if (!out->differentiate || !repairs || !kept) {
        alloc_free(a, repairs, count, sizeof *repairs);
        alloc_free(a, kept, 1, sizeof *kept);
        return DAE_MEMORY;
    }
    memcpy(repairs, w->repairs.items, count * sizeof *repairs);
    out->repairs = repairs;
    out->count = count;
    w->repairs.count = 0; /* they are the findings' now */
    stage_derivatives(&w->now, out->differentiate);
    out->kept = kept;
    hand_over_stage(w, out);
    return DAE_OK;
}

dae_status repair_all(const blocks_request *q,
    const dae_certificate *certificates, repair_findings *out)
{
    repair_work w = {.given = *q, .certificates = certificates};
    const dae_allocator *a = alloc_or_default(q->allocator);
    w.given.allocator = a;
    *out = (repair_findings){0};
    arena_init(&w.arena, a, 0);
    dae_status st = plan_begin(
        q->problem->unknown_count, &w.arena, &w.now.plan);
    if (!st) st = stage_find_index(&w.now, &w.given, &w.arena);
    if (!st) st = repair_rounds(&w);
    if (!st) st = hand_over(&w, out);
    stage_clear(&w.now, a);
    round_clear_repair(&w.dead_end, a);
    for (size_t k = 0; k < w.repairs.count; k++)
        round_clear_repair(&w.repairs.items[k], a);
    ARRAY_FREE(a, &w.repairs);
    arena_clear(&w.arena);
    if (st) repair_findings_clear(out, a);
    return st;
}

dae_status repair_certify_at(const blocks_request *q, double t,
    const double *values, const size_t *first, repair_findings *f)
{
    blocks_request given = *q;
    if (!f->kept) return DAE_OK;
    given.allocator = alloc_or_default(q->allocator);
    stage at = f->kept->now;
    at.structure = f->structure;
    const dae_status st = stage_certify_at(
        &at, &given, t, values, first, f->certificates);
    f->is_complete = all_certified(f->certificates, f->structure->fine_count);
    return st;
}

void repair_findings_clear(repair_findings *f, const dae_allocator *allocator)
{
    const dae_allocator *a = alloc_or_default(allocator);
    for (size_t k = 0; k < f->count; k++) round_clear_repair(&f->repairs[k], a);
    alloc_free(a, f->repairs, f->count, sizeof *f->repairs);
    round_clear_repair(&f->dead_end, a);
    if (f->structure)
        alloc_free(a, f->certificates, f->structure->fine_count,
            sizeof *f->certificates);
    dae_structure_free(f->structure);
    alloc_free(a, f->differentiate, f->unknowns, sizeof *f->differentiate);
    if (f->kept) {
        stage_clear(&f->kept->now, a);
        arena_clear(&f->kept->arena);
        alloc_free(a, f->kept, 1, sizeof *f->kept);
    }
    *f = (repair_findings){0};
}
