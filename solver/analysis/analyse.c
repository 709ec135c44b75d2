/* The order of things: signature, structure, numbers against structure,
 * repairs, the start, index, hidden constraints; then the report. */
#include "analysis/coefficients.h"
#include "analysis/components.h"
#include "analysis/lift.h"
#include "analysis/present.h"
#include "analysis/report.h"
#include <string.h>

static const double DEFAULT_RTOL = 1e-6, DEFAULT_ATOL = 1e-9;

/* ---- structure --------------------------------------------------------------- */

static bool take_vectors(analysis *a)
{
    const size_t n = a->problem->unknown_count;
    arena *m = &a->memory;
    differentiation *plan = &a->plan;
    a->x = ARENA_ARRAY(m, double, a->layout.states);
    a->xp = ARENA_ARRAY(m, double, n);
    plan->times = ARENA_ARRAY(m, int32_t, n);
    plan->highest = ARENA_ARRAY(m, int32_t, n);
    plan->lifted_c = ARENA_ARRAY(m, int64_t, n);
    plan->lifted_d = ARENA_ARRAY(m, int64_t, n);
    a->found.differentiated = plan->times;
    a->found.highest = plan->highest;
    return a->x && a->xp && plan->times && plan->highest && plan->lifted_c
        && plan->lifted_d;
}

static dae_status begin(analysis *a)
{
    const dae_start *s = a->problem->start;
    const dae_status st = layout_init(&a->layout, a->problem, a->allocator);
    if (st) return st;
    if (!take_vectors(a)) return DAE_MEMORY;
    if (!s) return DAE_OK;
    a->t0 = s->t0;
    if (s->x) memcpy(a->x, s->x, a->layout.states * sizeof *a->x);
    if (s->xp) memcpy(a->xp, s->xp, a->problem->unknown_count * sizeof *a->xp);
    return DAE_OK;
}

static dae_status find_structure(analysis *a)
{
    const dae_structure_options options = {
        a->options.interrupt, a->options.interrupt_context};
    dae_status st = signature_create(
        a->problem, &a->layout, a->allocator, &a->signature);
    if (st) return st;
    st = dae_structure_analyse(
        &a->signature->table, &options, a->allocator, &a->structure);
    if (st) return st;
    a->found.signature = &a->signature->table;
    a->found.structure = a->found.repaired = a->structure;
    return DAE_OK;
}

static blocks_request blocks_of(const analysis *a)
{
    return (blocks_request){.problem = a->problem,
        .layout = &a->layout,
        .signature = a->signature,
        .structure = a->structure,
        .allocator = a->allocator,
        .interrupt = a->options.interrupt,
        .interrupt_context = a->options.interrupt_context};
}

static bool has_singular(const analysis *a)
{
    for (size_t b = 0; b < a->structure->fine_count; b++)
        if (a->certificates[b] == DAE_SINGULAR) return true;
    return false;
}

static dae_status certify(analysis *a)
{
    const blocks_request q = blocks_of(a);
    a->certificates = ARENA_ARRAY(
        &a->memory, dae_certificate, a->structure->fine_count + 1);
    if (!a->certificates) return DAE_MEMORY;
    dae_status st = blocks_certify(&q, a->certificates, NULL);
    if (st || !has_singular(a)) return st;
    st = repair_all(&q, a->certificates, &a->repair);
    if (st) return st;
    a->found.repairs = a->repair.repairs;
    a->found.repair_count = a->repair.count;
    a->found.repaired = best_structure(a);
    return DAE_OK;
}

/* ---- what is differentiated -------------------------------------------------- */

/* A bound on offsets that numbers of this size can hold. */
static int32_t clip(int64_t order)
{
    return order < INT32_MAX ? (int32_t)order : INT32_MAX;
}

/* Of the structure as it stands. */
static dae_status lift_all(analysis *a)
{
    differentiation *plan = &a->plan;
    bool is_lifted;
    const dae_status st = lift_offsets(a->structure, &a->signature->table,
        &a->layout, a->problem->smoothness, a->allocator, plan->lifted_c,
        plan->lifted_d, &is_lifted);
    if (st || !is_lifted) return st;
    /* what cannot be differentiated so often is looked at as it is */
    for (size_t i = 0; i < a->problem->unknown_count; i++)
        if (plan->lifted_c[i] >= DAE_SERIES_TERMS_MAX) is_lifted = false;
    const size_t size = a->problem->unknown_count * sizeof *plan->lifted_c;
    if (is_lifted) return DAE_OK;
    memcpy(plan->lifted_c, a->structure->c, size);
    memcpy(plan->lifted_d, a->structure->d, size);
    return DAE_OK;
}

/* By how many orders a repaired structure determines less than what occurs in
 * the equations as they are written: x' in them, where it says no more than
 * what x is. One more differentiation of everything for each of them. */
static int32_t find_deficit(const analysis *a)
{
    const dae_structure *s = best_structure(a);
    int32_t most = 0;
    if (!a->repair.structure) return 0;
    for (size_t j = 0; j < a->problem->unknown_count; j++) {
        const int32_t q = a->layout.order[j];
        if (q - s->d[j] > most) most = (int32_t)(q - s->d[j]);
    }
    return most;
}

static void plan_by_structure(analysis *a)
{
    differentiation *plan = &a->plan;
    const dae_structure *s = best_structure(a);
    const int32_t deficit = find_deficit(a);
    const bool is_repaired = a->repair.structure != NULL;
    for (size_t i = 0; i < a->problem->unknown_count; i++) {
        plan->times[i] = a->repair.differentiate
            ? a->repair.differentiate[i] + deficit
            : clip(is_repaired ? s->c[i] : plan->lifted_c[i]);
        plan->highest[i] = clip(is_repaired ? s->d[i] : plan->lifted_d[i]);
        if (deficit && a->layout.order[i] > plan->highest[i])
            plan->highest[i] = a->layout.order[i];
    }
}

/* Ranks of the component's array know more than its structure: that misses
 * constraints, or is not to be trusted. As many free values: the constraints of
 * the structure are all there are. */
static bool knows_better(const component *k)
{
    return k->array.outcome == ARRAY_FOUND
        && (!k->is_trusted || k->found_freedom != k->freedom);
}

/* All equations of such a component as often as its index says; false: there is
 * none. */
static bool plan_by_ranks(analysis *a)
{
    differentiation *plan = &a->plan;
    for (size_t q = 0; q < a->component_count; q++) {
        const component *k = &a->components[q];
        if (!knows_better(k)) continue;
        plan->is_even = true;
        for (size_t p = 0; p < k->count; p++) {
            const int32_t j = k->unknowns[p], order = a->layout.order[j];
            plan->times[k->equations[p]] = clip(k->found_index);
            plan->highest[j] = order > 0 ? order : 1;
        }
    }
    return plan->is_even;
}

/* Equations that are to be differentiated more often than they can be. */
static size_t count_kinks(const analysis *a)
{
    const uint8_t *smoothness = a->problem->smoothness;
    size_t count = 0;
    for (size_t i = 0; smoothness && i < a->problem->unknown_count; i++)
        count += smoothness[i] != DAE_SMOOTH
            && a->plan.times[i] > smoothness[i];
    return count;
}

/* ---- the start, and ranks near it -------------------------------------------- */

static dae_status certify_start(analysis *a)
{
    const blocks_request q = blocks_of(a);
    const dae_start_findings *f = &a->found.start;
    if (!a->is_consistent) return DAE_OK;
    if (!a->repair.structure)
        return blocks_certify_at(&q, a->t0, a->x, a->xp, a->certificates, NULL);
    return repair_certify_at(&q, a->t0, f->values, f->value_first, &a->repair);
}

/* Whether the structure, as far as points anywhere tell, misses nothing. */
static bool is_trusted(const analysis *a)
{
    return a->repair.structure ? a->repair.is_complete : !has_singular(a);
}

static bool has_no_solution(const analysis *a)
{
    const dae_index_verdict verdict = a->found.verdict;
    return verdict == DAE_INDEX_FLOATING || verdict == DAE_INDEX_CONTRADICTORY
        || verdict == DAE_INDEX_NOT_UNIQUE;
}

/* Where structure is to be trusted, the start, then the index by ranks near it;
 * else the index by ranks at other points, then the start on what these say. A
 * start is none where ranks near it show constraints that structure misses:
 * equations that are regular anywhere but where they hold. It is found with
 * these. */
static dae_status examine(analysis *a)
{
    const bool has_start = !a->options.skip_start && a->problem->start;
    const bool is_first = has_start && is_trusted(a);
    dae_status st;
    plan_by_structure(a);
    a->plan.kink_count = count_kinks(a);
    if (a->plan.kink_count) return index_decide(a);
    if (is_first && (st = start_examine(a))) return st;
    if ((st = certify_start(a)) || (st = index_decide(a))) return st;
    if (!has_start || has_no_solution(a)) return DAE_OK;
    const bool is_better = plan_by_ranks(a);
    return is_better || !is_first ? start_examine(a) : DAE_OK;
}

/* ---- what is known of a start ------------------------------------------------ */

/* Each constraint that was missed takes one of the conditions that seem to be
 * missing. */
static void bound_count(analysis *a)
{
    dae_start_findings *f = &a->found.start;
    const int64_t freedom = a->found.degrees_of_freedom;
    const bool is_above = freedom >= 0 && f->missing > (size_t)freedom;
    const bool is_open = a->repair.structure && !a->plan.is_even
        && a->found.certificate == DAE_NOT_CERTIFIED;
    a->is_count_bound = f->missing > 0 && (is_open || is_above);
    if (!is_above) return;
    f->missing = a->last.findings.missing = (size_t)freedom;
    if (!f->missing) f->verdict = DAE_START_CONSISTENT;
}

/* Conditions too few without degrees of freedom that are known, nor a reason why
 * there are none: nothing is known. No start: nothing is known of conditions. */
static void settle_start(analysis *a)
{
    dae_start_findings *f = &a->found.start;
    if (f->verdict == DAE_START_UNSOLVED) {
        f->redundant_count = f->missing = f->could_fix_count = 0;
        f->undetermined_count = 0;
    }
    if (f->verdict != DAE_START_UNDERDETERMINED) return;
    bound_count(a);
    if (a->found.degrees_of_freedom >= 0
        || a->found.verdict == DAE_INDEX_REDUNDANT)
        return;
    examined_clear(&a->last);
    *f = (dae_start_findings){.verdict = DAE_START_UNKNOWN};
    a->is_consistent = false;
}

/* Consistent values where a block loses rank: they may be left or not. */
static bool is_singular_here(const analysis *a)
{
    const dae_structure *s = best_structure(a);
    if (!a->is_consistent || a->found.verdict != DAE_INDEX_FOUND) return false;
    for (size_t b = 0; b < s->fine_count; b++)
        if (a->found.blocks[b] == DAE_SINGULAR_HERE) return true;
    return false;
}

/* Whether something that moves stays undetermined. Multipliers of redundant
 * constraints do no harm: what they act on together is determined. */
static bool is_motion_loose(const analysis *a)
{
    const dae_analysis *f = &a->found;
    const dae_start_findings *s = &f->start;
    for (size_t k = 0; k < f->loose_count; k++)
        if (a->layout.order[f->loose[k].unknown] > 0) return true;
    for (size_t k = 0; k < s->undetermined_count; k++)
        if (s->undetermined[k].order > 0) return true;
    return false;
}

/* Whether no start helps. */
static bool is_wrong(const analysis *a)
{
    const dae_index_verdict verdict = a->found.verdict;
    if (verdict == DAE_INDEX_REDUNDANT)
        return a->plan.kink_count > 0 || is_motion_loose(a);
    return a->plan.kink_count > 0 || verdict != DAE_INDEX_FOUND;
}

static dae_status run(analysis *a)
{
    dae_status st;
    a->found.start.verdict = DAE_START_UNKNOWN;
    a->found.index = a->found.degrees_of_freedom = -1;
    a->found.structural_index = a->found.structural_freedom = -1;
    if ((st = begin(a)) || (st = find_structure(a))
        || (st = coefficients_list(a)))
        return st;
    if (!a->structure->is_regular) {
        a->found.verdict = DAE_INDEX_UNDEFINED;
        a->found.certificate = DAE_NOT_CERTIFIED;
        a->found.is_wrong = 1;
        return DAE_OK;
    }
    if ((st = lift_all(a)) || (st = certify(a)) || (st = components_find(a))
        || (st = examine(a)))
        return st;
    settle_start(a);
    if ((st = present_findings(a))) return st;
    a->found.is_wrong = is_wrong(a);
    if (is_singular_here(a)) a->found.start.onward = DAE_ONWARD_OPEN;
    if (a->options.start_only) return DAE_OK;
    if ((st = hidden_list(a))) return st;
    return present_hidden(a);
}

static dae_status analyse(const dae_problem *problem,
    const dae_analysis_options *options, const dae_allocator *from,
    analysis **out)
{
    analysis *a = alloc_zeroed(from, 1, sizeof *a);
    if (!a) return DAE_MEMORY;
    if (options) a->options = *options;
    guard_init(&a->guard, problem, from, a->options.interrupt,
        a->options.interrupt_context);
    a->options.interrupt = guard_stops;
    a->options.interrupt_context = &a->guard;
    a->allocator = &a->guard.allocator;
    a->problem = &a->guard.problem;
    if (!(a->options.rtol > 0)) a->options.rtol = DEFAULT_RTOL;
    if (!(a->options.atol > 0)) a->options.atol = DEFAULT_ATOL;
    arena_init(&a->memory, a->allocator, 0);
    a->last.x.a = a;
    *out = a;
    return run(a);
}

dae_status dae_analyse(const dae_problem *problem,
    const dae_analysis_options *options, const dae_allocator *allocator,
    dae_diagnostics *ds, dae_analysis **out)
{
    analysis *a = NULL;
    if (!out) return DAE_ARGUMENT;
    *out = NULL;
    if (!problem || !problem->unknown_count) return DAE_ARGUMENT;
    dae_status st = analyse(problem, options, alloc_or_default(allocator), &a);
    if (!st) st = analysis_report(&a->found, ds);
    if (a && a->guard.is_stopped) st = DAE_INTERRUPTED;
    if (st && a) dae_analysis_free(&a->found);
    else if (!st) *out = &a->found;
    return st;
}

void dae_analysis_free(dae_analysis *found)
{
    analysis *a = (analysis *)(void *)found; /* its first member */
    if (!a) return;
    components_clear(a);
    repair_findings_clear(&a->repair, a->allocator);
    examined_clear(&a->last);
    dae_structure_free(a->structure);
    signature_free(a->signature);
    layout_clear(&a->layout);
    arena_clear(&a->memory);
    alloc_free(a->guard.base, a, 1, sizeof *a);
}
