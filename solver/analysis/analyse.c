/* The order of things: signature, structure, numbers against structure,
 * repairs, the start, index, hidden constraints; then the report. */
#include "analysis/components.h"
#include "analysis/follow.h"
#include "analysis/lift.h"
#include "analysis/onward.h"
#include "analysis/present.h"
#include "analysis/report.h"
#include "analysis/rounded.h"
#include "analysis/twin.h"
#include "analysis/zeros.h"
#include <string.h>

static const double DEFAULT_RTOL = 1e-6, DEFAULT_ATOL = 1e-9;

static bool take_vectors(analysis *a)
{
    const size_t n = a->problem->unknown_count;
    arena *m = &a->memory;
    a->x = ARENA_ARRAY(m, double, a->layout.states);
    a->xp = ARENA_ARRAY(m, double, n);
    a->differentiate = ARENA_ARRAY(m, int32_t, n);
    a->highest = ARENA_ARRAY(m, int32_t, n);
    a->lifted_c = ARENA_ARRAY(m, int64_t, n);
    a->lifted_d = ARENA_ARRAY(m, int64_t, n);
    a->found.differentiated = a->differentiate;
    a->found.highest = a->highest;
    return a->x && a->xp && a->differentiate && a->highest && a->lifted_c
        && a->lifted_d;
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

/* A bound on offsets that numbers of this size can hold. */
static int32_t clip(int64_t order)
{
    return order < INT32_MAX ? (int32_t)order : INT32_MAX;
}

/* Of the structure as it stands. */
static dae_status lift_all(analysis *a)
{
    bool is_lifted;
    const dae_status st = lift_offsets(a->structure, &a->signature->table,
        &a->layout, a->problem->smoothness, a->allocator, a->lifted_c,
        a->lifted_d, &is_lifted);
    if (st || !is_lifted) return st;
    /* what cannot be differentiated so often is looked at as it is */
    for (size_t i = 0; i < a->problem->unknown_count; i++)
        if (a->lifted_c[i] >= DAE_SERIES_TERMS_MAX) is_lifted = false;
    const size_t size = a->problem->unknown_count * sizeof *a->lifted_c;
    if (is_lifted) return DAE_OK;
    memcpy(a->lifted_c, a->structure->c, size);
    memcpy(a->lifted_d, a->structure->d, size);
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

static void plan_differentiation(analysis *a)
{
    const dae_structure *s = best_structure(a);
    const int32_t deficit = find_deficit(a);
    const bool is_repaired = a->repair.structure != NULL;
    for (size_t i = 0; i < a->problem->unknown_count; i++) {
        a->differentiate[i] = a->repair.differentiate
            ? a->repair.differentiate[i] + deficit
            : clip(is_repaired ? s->c[i] : a->lifted_c[i]);
        a->highest[i] = clip(is_repaired ? s->d[i] : a->lifted_d[i]);
        if (deficit && a->layout.order[i] > a->highest[i])
            a->highest[i] = a->layout.order[i];
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

static bool any_better(const analysis *a)
{
    for (size_t k = 0; k < a->component_count; k++)
        if (knows_better(&a->components[k])) return true;
    return false;
}

/* All equations of a component equally often, where its structure does not
 * know better. */
static void plan_evenly(analysis *a, int32_t times, bool is_for_all)
{
    plan_differentiation(a);
    a->is_even = true;
    for (size_t q = 0; q < a->component_count; q++) {
        const component *k = &a->components[q];
        const int32_t own = clip(k->found_index);
        if (!is_for_all && !knows_better(k)) continue;
        for (size_t p = 0; p < k->count; p++) {
            const int32_t j = k->unknowns[p], order = a->layout.order[j];
            a->differentiate[k->equations[p]] = times < own ? times : own;
            a->highest[j] = order > 0 ? order : 1;
        }
    }
}

static dae_status certify_start(analysis *a)
{
    const blocks_request q = blocks_of(a);
    const dae_start_findings *f = &a->found.start;
    if (!a->is_consistent) return DAE_OK;
    if (!a->repair.structure)
        return blocks_certify_at(&q, a->t0, a->x, a->xp, a->certificates, NULL);
    return repair_certify_at(&q, a->t0, f->values, f->value_first, &a->repair);
}

/* Blocks that lose their rank at the start, of which each then holds back a
 * value that is none of its unknowns' highest derivatives. */
static size_t count_lost(const analysis *a)
{
    size_t lost = 0;
    if (a->repair.structure) return 0;
    for (size_t b = 0; b < a->structure->fine_count; b++)
        lost += a->certificates[b] == DAE_SINGULAR_HERE;
    return lost;
}

/* Free values and given ones that count have to make up the degrees of freedom
 * that ranks near the start show. Where they do not, the values make the
 * equations small and solve nothing: one of them is out of all proportion.
 * Only where the start is singular one condition may close more than one
 * direction: a sum of squares is 0 at one point. */
static bool is_counted(const analysis *a)
{
    const dae_start_findings *s = &a->found.start;
    const bool has_count = s->verdict == DAE_START_CONSISTENT
        || s->verdict == DAE_START_UNDERDETERMINED;
    if (!has_count || !a->last.findings.is_by_rank
        || a->found.verdict != DAE_INDEX_FOUND
        || a->found.certificate != DAE_CERTIFIED)
        return true;
    const size_t given = s->given_count + s->condition_count + s->missing;
    const size_t counted = (size_t)a->found.degrees_of_freedom
        + a->last.findings.redundant_count;
    const size_t closed = a->last.findings.singular_count + count_lost(a);
    return given <= counted && given + closed >= counted;
}

/* Where equations are differentiated evenly, what is left of those that hold
 * may serve as coefficients of derivatives beyond all bounds. Newton's method
 * gets nearer to such a point in small steps alone, and stops just below the
 * tolerances; at solutions it ends far below. */
static bool has_crept(const analysis *a)
{
    static const double SHARP = 1e-3;
    const dae_start_findings *s = &a->found.start;
    const bool is_solved = s->verdict == DAE_START_CONSISTENT
        || s->verdict == DAE_START_UNDERDETERMINED;
    return is_solved && s->residual > SHARP;
}

/* Where structure does not know which equations are to be differentiated: all
 * as often as the index asks, one more time after the other, each from where
 * the last one ended. Far from what it is about, a derivative may have
 * coefficients that lead astray. */
static dae_status examine_evenly(analysis *a)
{
    const int32_t last = clip(a->found.index);
    dae_status st = DAE_OK;
    for (int32_t times = 0; times <= last && !st; times++) {
        plan_evenly(a, times, false);
        a->is_consistent = false;
        st = start_examine(a);
        if (a->found.start.verdict == DAE_START_INCONSISTENT) break;
        if (!a->is_consistent) continue;
        a->seed = a->found.start.values;
        a->seed_first = a->found.start.value_first;
    }
    a->seed = NULL;
    return st;
}

/* Turns what only looks like a start into what it is. */
static void refuse_start(analysis *a)
{
    a->found.start.verdict = DAE_START_UNSOLVED;
    a->is_consistent = false;
    index_doubt(a); /* ranks were taken near what is no start */
}

static bool is_believable(const analysis *a)
{
    const dae_start_verdict verdict = a->found.start.verdict;
    return verdict != DAE_START_UNSOLVED && verdict != DAE_START_UNKNOWN
        && !has_crept(a) && is_counted(a);
}

/* From the point whose ranks are known, or else what contradicts the value that
 * it refutes. */
static dae_status examine_from_ranks(analysis *a, bool *is_better)
{
    bool is_found = false;
    plan_evenly(a, clip(a->found.index), true);
    dae_status st = start_follow(a, &is_found);
    const dae_slot refuted = a->refuted;
    a->refuted.unknown = -1;
    *is_better = false;
    if (!st && is_found && (st = start_examine(a)) == DAE_OK)
        *is_better = is_believable(a);
    if (!st && is_found && !*is_better && refuted.unknown >= 0) {
        a->refuted = refuted;
        if ((st = start_examine(a)) == DAE_OK) *is_better = is_believable(a);
    }
    a->seed = NULL;
    a->refuted.unknown = -1;
    return st;
}

/* A start that no search has found. What was found stays, and what is
 * differentiated, where this does no better. */
static dae_status examine_along(analysis *a)
{
    const dae_start_findings unsolved = a->found.start;
    examined_start last = a->last;
    const bool was_even = a->is_even;
    const size_t n = a->problem->unknown_count;
    bool is_better = false;
    int32_t *own = ARENA_ARRAY(&a->memory, int32_t, 2 * n);
    if (!own) return DAE_MEMORY;
    memcpy(own, a->differentiate, n * sizeof *own);
    memcpy(own + n, a->highest, n * sizeof *own);
    a->last = (examined_start){.x = {.a = a}};
    const dae_status st = examine_from_ranks(a, &is_better);
    if (is_better) {
        examined_clear(&last);
        return st;
    }
    examined_clear(&a->last);
    a->last = last;
    a->found.start = unsolved;
    a->is_consistent = false;
    a->is_even = was_even;
    memcpy(a->differentiate, own, n * sizeof *own);
    memcpy(a->highest, own + n, n * sizeof *own);
    return st;
}

/* Where the degrees of freedom are not known, or there are none to speak of, nobody
 * can say that conditions are too few. */
static void forget_count(analysis *a)
{
    if (a->found.start.verdict != DAE_START_UNDERDETERMINED
        || a->found.degrees_of_freedom >= 0
        || a->found.verdict == DAE_INDEX_REDUNDANT)
        return;
    examined_clear(&a->last);
    a->found.start = (dae_start_findings){.verdict = DAE_START_UNKNOWN};
    a->is_consistent = false;
}

/* A repaired structure that is not certified may have missed constraints, and
 * each takes one of the conditions that seem to be missing. */
static void doubt_count(analysis *a, bool has_better)
{
    dae_start_findings *f = &a->found.start;
    const int64_t freedom = a->found.degrees_of_freedom;
    if (!a->repair.structure || has_better
        || a->found.certificate != DAE_NOT_CERTIFIED
        || f->verdict != DAE_START_UNDERDETERMINED)
        return;
    a->is_count_bound = true;
    if (freedom < 0 || f->missing <= (size_t)freedom) return;
    f->missing = a->last.findings.missing = (size_t)freedom;
    if (!f->missing) f->verdict = DAE_START_CONSISTENT;
}

/* No start that was found may come with what is known of conditions. */
static void forget_conditions(analysis *a)
{
    dae_start_findings *f = &a->found.start;
    f->redundant_count = f->missing = f->could_fix_count = 0;
    f->undetermined_count = 0;
}

/* Equations that are to be differentiated more often than they can be. */
static size_t count_kinks(const analysis *a)
{
    const uint8_t *smoothness = a->problem->smoothness;
    size_t count = 0;
    for (size_t i = 0; smoothness && i < a->problem->unknown_count; i++)
        count += smoothness[i] != DAE_SMOOTH
            && a->differentiate[i] > smoothness[i];
    return count;
}

/* Start, then index, which is looked for near the start. Where structure
 * misses constraints the index comes first. */
static dae_status examine(analysis *a)
{
    const bool is_trusted = a->repair.structure ? a->repair.is_complete
                                                : !has_singular(a);
    const bool has_start = !a->options.skip_start && a->problem->start;
    dae_status st;
    plan_differentiation(a);
    a->kink_count = count_kinks(a);
    if (a->kink_count) return index_decide(a);
    if (has_start && is_trusted && (st = start_examine(a))) return st;
    if ((st = certify_start(a)) || (st = index_decide(a))) return st;
    const bool has_better = any_better(a);
    const bool is_hopeless = a->found.verdict == DAE_INDEX_FLOATING
        || a->found.verdict == DAE_INDEX_CONTRADICTORY
        || a->found.verdict == DAE_INDEX_NOT_UNIQUE;
    if (has_start && (has_better || !is_trusted) && !is_hopeless) {
        st = has_better ? examine_evenly(a) : start_examine(a);
        if (st) return st;
        if (has_better && has_crept(a)) refuse_start(a);
    }
    if (!is_counted(a)) refuse_start(a);
    doubt_count(a, has_better);
    const bool is_open = has_start && !is_hopeless
        && a->found.start.verdict == DAE_START_UNSOLVED;
    if (is_open) {
        if ((st = examine_along(a))) return st;
        doubt_count(a, has_better);
    }
    if (a->found.start.verdict == DAE_START_UNSOLVED) forget_conditions(a);
    st = index_confirm(a);
    forget_count(a);
    return st;
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
        return a->kink_count > 0 || is_motion_loose(a);
    return a->kink_count > 0 || verdict != DAE_INDEX_FOUND;
}

static dae_status run(analysis *a)
{
    dae_status st;
    a->found.start.verdict = DAE_START_UNKNOWN;
    a->refuted.unknown = -1;
    a->found.index = a->found.degrees_of_freedom = -1;
    a->found.structural_index = a->found.structural_freedom = -1;
    if ((st = begin(a)) || (st = find_structure(a)) || (st = zeros_list(a))
        || (st = rounded_find(a)))
        return st;
    if (!a->structure->is_regular) {
        a->found.verdict = DAE_INDEX_UNDEFINED;
        a->found.certificate = DAE_NOT_CERTIFIED;
        a->found.is_wrong = 1;
        return DAE_OK;
    }
    if ((st = lift_all(a)) || (st = certify(a)) || (st = components_find(a))
        || (st = examine(a)) || (st = onward_find(a))
        || (st = present_findings(a)))
        return st;
    a->found.is_wrong = is_wrong(a);
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
    array_findings_clear(&a->array, a->allocator);
    repair_findings_clear(&a->repair, a->allocator);
    examined_clear(&a->last);
    dae_structure_free(a->structure);
    signature_free(a->signature);
    layout_clear(&a->layout);
    arena_clear(&a->memory);
    alloc_free(a->guard.base, a, 1, sizeof *a);
}
