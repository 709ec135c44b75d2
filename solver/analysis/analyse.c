/* The order of the stages: signature, structure, its numerical test, repairs, the
 * start, index, hidden constraints; then the report. */
#include "analysis/components.h"
#include "analysis/report.h"
#include "linalg/libraries.h"
#include "linalg/thresholds.h"
#include "start/tolerance.h"
#include <assert.h>
#include <string.h>

/* ---- the interrupt ----------------------------------------------------------- */

/* The interrupt for code that polls it, as iterations do: after the first stop it is
 * not called again and remains stopped. */
static int is_stopped(void *self)
{
    analysis *a = self;
    if (!a->is_stopped && a->interrupt)
        a->is_stopped = a->interrupt(a->interrupt_context) != 0;
    return a->is_stopped;
}

/* All other code that runs long allocates memory: after a stop allocations fail, which
 * ends it. */
static void *resize(void *self, void *block, size_t old_size, size_t size)
{
    analysis *a = self;
    const bool grows = size > 0 && (!block || size > old_size);
    if (grows && is_stopped(a)) return NULL;
    return a->base->resize(a->base->context, block, old_size, size);
}

/* ---- structure --------------------------------------------------------------- */

static bool take_vectors(analysis *a)
{
    const size_t n = a->problem->unknown_count;
    arena *m = &a->memory;
    a->x = ARENA_ARRAY(m, double, a->layout.states);
    a->xp = ARENA_ARRAY(m, double, n);
    a->plan.times = ARENA_ARRAY(m, int32_t, n);
    a->plan.highest = ARENA_ARRAY(m, int32_t, n);
    a->found.differentiated = a->plan.times;
    a->found.highest = a->plan.highest;
    return a->x && a->xp && a->plan.times && a->plan.highest;
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
    assert(!a->structure->is_regular
        || a->structure->n == a->problem->unknown_count);
    a->found.signature = &a->signature->table;
    a->found.structure = a->found.repaired = a->structure;
    return DAE_OK;
}

blocks_request analysis_blocks(const analysis *a)
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
    const blocks_request q = analysis_blocks(a);
    const size_t blocks = a->structure->fine_count;
    a->certificates = ARENA_ARRAY(&a->memory, dae_certificate, blocks + 1);
    a->generic = ARENA_ARRAY(&a->memory, dae_certificate, blocks + 1);
    if (!a->certificates || !a->generic) return DAE_MEMORY;
    dae_status st = blocks_certify(&q, a->certificates, NULL);
    memcpy(a->generic, a->certificates, blocks * sizeof *a->generic);
    if (st || !has_singular(a)) return st;
    st = repair_all(&q, a->certificates, &a->repair);
    if (!st)
        st = report_repairs(
            a->problem, a->repair.repairs, a->repair.count, &a->memory);
    if (st) return st;
    assert(!a->repair.structure || a->repair.certificates);
    a->found.repairs = a->repair.repairs;
    a->found.repair_count = a->repair.count;
    a->found.repaired = best_structure(a);
    return DAE_OK;
}

/* ---- the start, and ranks near it -------------------------------------------- */

static dae_status certify_start(analysis *a)
{
    const blocks_request q = analysis_blocks(a);
    const dae_start_findings *f = &a->found.start;
    if (!a->is_consistent) return DAE_OK;
    if (!a->repair.structure)
        return blocks_certify_at(&q, a->t0, a->x, a->xp, a->certificates, NULL);
    return repair_certify_at(a->t0, f->values, f->value_first, &a->repair);
}

/* Whether the structure is not refuted at generic points, so that it misses nothing as
 * far as these show: no block is singular; of a repaired one all blocks are certified. */
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

/* If the structure is confirmed: the start, then the index by ranks near it.
 * Else: the index by ranks at other points, then the start. If ranks show
 * constraints that the structure misses (equations regular everywhere except at
 * their solutions), the start is searched again with these constraints. */
static dae_status examine(analysis *a)
{
    const bool has_start = !a->options.skip_start && a->problem->start;
    const bool is_first = has_start && is_trusted(a);
    dae_status st;
    plan_by_structure(a);
    a->plan.kink_count = plan_kinks(a);
    if (a->plan.kink_count) return index_decide(a);
    if (is_first && (st = start_examine(a))) return st;
    if ((st = certify_start(a)) || (st = index_decide(a))) return st;
    if (!has_start || has_no_solution(a)) return DAE_OK;
    const bool is_better = plan_by_ranks(a);
    return is_better || !is_first ? start_examine(a) : DAE_OK;
}

/* ---- the result for a start -------------------------------------------------- */

/* Each constraint that was missed makes the number of missing conditions one too
 * large: it is bounded by the degrees of freedom. */
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

static int64_t count_given(const analysis *a)
{
    const dae_start *start = a->problem->start;
    int64_t count = start ? (int64_t)start->condition_count : 0;
    for (size_t k = 0; start && start->x_fixed && k < a->layout.states; k++)
        count += start->x_fixed[k] != 0;
    for (size_t j = 0; start && start->xp_fixed && j < a->layout.unknowns; j++)
        count += start->xp_fixed[j] != 0;
    return count;
}

/* Conditions are called missing only if the degrees of freedom are known or the
 * equations are redundant; where constraints may be missed, missing and given
 * conditions must also be as many as these at least. Else the start is not known.
 * Without a start no condition is called missing or redundant. */
static void settle_start(analysis *a)
{
    dae_start_findings *f = &a->found.start;
    if (f->verdict == DAE_START_UNSOLVED) {
        f->redundant_count = f->missing = f->could_fix_count = 0;
        f->undetermined_count = 0;
    }
    if (f->verdict != DAE_START_UNDERDETERMINED) return;
    bound_count(a);
    const int64_t freedom = a->found.degrees_of_freedom;
    const bool is_enough = is_trusted(a)
        || freedom <= (int64_t)f->missing + count_given(a);
    if (a->found.verdict == DAE_INDEX_REDUNDANT || (freedom >= 0 && is_enough))
        return;
    examined_clear(&a->last);
    *f = (dae_start_findings){.verdict = DAE_START_UNKNOWN};
    a->is_consistent = false;
}

/* At a regular start each degree of freedom is given or missing. Where ranks of the
 * conditions count fewer, entries that are 0 for them are not 0 for the block that was
 * certified: the start is singular to tolerance. */
static void doubt_certificate(analysis *a)
{
    const dae_start_findings *f = &a->found.start;
    const int64_t independent = count_given(a) - (int64_t)f->redundant_count;
    const bool has_values = f->verdict == DAE_START_CONSISTENT
        || f->verdict == DAE_START_UNDERDETERMINED;
    if (a->found.certificate == DAE_CERTIFIED && has_values && !f->is_too_large
        && a->found.degrees_of_freedom > (int64_t)f->missing + independent)
        a->found.certificate = DAE_SINGULAR_HERE;
}

/* Invariants of a verdict on the start. */
static void assert_start(const analysis *a)
{
    const dae_start_findings *f = &a->found.start;
    assert(a->is_consistent
        == (f->verdict == DAE_START_CONSISTENT
            || f->verdict == DAE_START_UNDERDETERMINED));
    assert(!a->is_consistent || (f->values && f->value_first));
    assert((f->verdict == DAE_START_UNDERDETERMINED) == (f->missing > 0));
    assert(a->found.degrees_of_freedom < 0
        || f->missing <= (size_t)a->found.degrees_of_freedom);
    assert(a->last.findings.outcome != INIT_CONSISTENT || !f->conflict_count);
    (void)f;
}

/* Consistent values at which a block loses rank: a solution may or may not continue. */
static bool is_singular_here(const analysis *a)
{
    const dae_structure *s = best_structure(a);
    if (!a->is_consistent || a->found.verdict != DAE_INDEX_FOUND) return false;
    for (size_t b = 0; b < s->fine_count; b++)
        if (a->found.blocks[b] == DAE_SINGULAR_HERE) return true;
    return false;
}

/* Whether an unknown with derivatives is undetermined. Multipliers of redundant
 * constraints may be: their combined effect is determined. */
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

/* Whether the model is wrong whatever the start is. */
static bool is_wrong(const analysis *a)
{
    const dae_index_verdict verdict = a->found.verdict;
    if (verdict == DAE_INDEX_REDUNDANT)
        return a->plan.kink_count > 0 || is_motion_loose(a);
    return a->plan.kink_count > 0 || verdict != DAE_INDEX_FOUND;
}

/* What does not depend on the start, of the analysis that is known. */
static dae_status take_known(analysis *a)
{
    const analysis *k = a->known;
    const size_t blocks = k->structure->fine_count;
    arena *m = &a->memory;
    a->signature = k->signature;
    a->structure = k->structure;
    a->found.signature = k->found.signature;
    a->found.structure = a->found.repaired = k->structure;
    a->plan.raised_c = k->plan.raised_c;
    a->plan.raised_d = k->plan.raised_d;
    a->component_of = k->component_of;
    a->certificates = ARENA_ARRAY(m, dae_certificate, blocks + 1);
    a->generic = k->generic;
    a->components = ARENA_ARRAY(m, component, k->component_count);
    if (!a->certificates || !a->components) return DAE_MEMORY;
    memcpy(a->certificates, k->generic, blocks * sizeof *k->generic);
    a->component_count = k->component_count;
    for (size_t c = 0; c < k->component_count; c++) {
        a->components[c] = k->components[c];
        a->components[c].array = (array_findings){
            .outcome = k->components[c].array.outcome};
    }
    return DAE_OK;
}

/* Structure, generic ranks and repairs. */
static dae_status find_equations(analysis *a)
{
    dae_status st;
    if (a->known) return take_known(a);
    if ((st = find_structure(a)) || (st = coefficients_list(a))) return st;
    if (!a->structure->is_regular) return DAE_OK;
    if ((st = plan_init(a)) || (st = certify(a))) return st;
    return components_find(a);
}

static dae_status run(analysis *a)
{
    dae_status st;
    a->found.start.verdict = DAE_START_UNKNOWN;
    a->found.index = a->found.degrees_of_freedom = -1;
    a->found.structural_index = a->found.structural_freedom = -1;
    if ((st = begin(a)) || (st = find_equations(a))) return st;
    if (!a->structure->is_regular) {
        a->found.verdict = DAE_INDEX_UNDEFINED;
        a->found.certificate = DAE_NOT_CERTIFIED;
        a->found.is_wrong = 1;
        return sort_findings(a);
    }
    if ((st = examine(a))) return st;
    settle_start(a);
    doubt_certificate(a);
    assert_start(a);
    a->found.is_wrong = is_wrong(a);
    if (is_singular_here(a)) a->found.start.onward = DAE_ONWARD_OPEN;
    if (!a->options.start_only && (st = hidden_list(a))) return st;
    return sort_findings(a);
}

static analysis *create(const dae_problem *problem,
    const dae_analysis_options *options, const dae_allocator *from)
{
    analysis *a = alloc_zeroed(from, 1, sizeof *a);
    if (!a) return NULL;
    if (options) a->options = *options;
    a->base = from;
    a->guarded = (dae_allocator){resize, a};
    a->allocator = &a->guarded;
    a->problem = problem;
    a->interrupt = a->options.interrupt;
    a->interrupt_context = a->options.interrupt_context;
    a->options.interrupt = is_stopped;
    a->options.interrupt_context = a;
    tolerance_default(&a->options.rtol, &a->options.atol);
    arena_init(&a->memory, a->allocator, 0);
    a->last.x.a = a;
    return a;
}

/* *out is to be freed whatever the status, unless NULL. */
static dae_status analyse(const dae_problem *problem,
    const dae_analysis_options *options, const dae_analysis *known,
    const dae_allocator *from, analysis **out)
{
    *out = create(problem, options, from);
    if (!*out) return DAE_MEMORY;
    (*out)->found.problem = problem;
    (*out)->known = (const analysis *)(const void *)known;
    return run(*out);
}

dae_status analysis_in_mode(const analysis *first, int32_t further,
    bool is_trial, const dae_allocator *from, analysis **out)
{
    dae_analysis_options options = first->options;
    options.interrupt = first->interrupt;
    options.interrupt_context = first->interrupt_context;
    options.is_trial = is_trial;
    analysis *a = create(first->problem, &options, from);
    *out = a;
    if (!a) return DAE_MEMORY;
    a->further = further;
    a->in_mode = *first->problem;
    a->in_mode.smoothness = first->problem->smoothness_held;
    a->problem = a->found.problem = &a->in_mode;
    const dae_status st = run(a);
    return a->is_stopped ? DAE_INTERRUPTED : st;
}

/* In the mode that has a start, where the branches of the text have none. */
static dae_status analyse_modes(analysis **a, const dae_allocator *from)
{
    analysis *in_mode = NULL;
    if (!start_mode_may_differ(*a)) return DAE_OK;
    modes_outcome tried;
    const dae_status st = start_mode_find(*a, from, &tried, &in_mode);
    analysis *dropped = in_mode && !st ? *a : in_mode;
    if (in_mode && !st) *a = in_mode;
    (*a)->modes = tried;
    if (dropped) dae_analysis_free(&dropped->found);
    return st;
}

dae_status analysis_create(const dae_problem *problem,
    const dae_analysis_options *options, const dae_analysis *known,
    const dae_allocator *allocator, dae_diagnostics *ds, dae_analysis **out)
{
    analysis *a = NULL;
    if (!out) return DAE_ARGUMENT;
    *out = NULL;
    if (!problem || !problem->unknown_count) return DAE_ARGUMENT;
    const dae_allocator *from = alloc_or_default(allocator);
    dae_status st = analyse(problem, options, known, from, &a);
    if (!st) st = analyse_modes(&a, from);
    if (!st) st = analysis_report(&a->found, ds);
    if (a && a->is_stopped) st = DAE_INTERRUPTED;
    if (st && a) dae_analysis_free(&a->found);
    else if (!st) *out = &a->found;
    return libraries_report(ds, st);
}

dae_status dae_analyse(const dae_problem *problem,
    const dae_analysis_options *options, const dae_allocator *allocator,
    dae_diagnostics *ds, dae_analysis **out)
{
    return analysis_create(problem, options, NULL, allocator, ds, out);
}

bool analysis_is_lasting(const dae_analysis *found)
{
    const analysis *a = (const analysis *)(const void *)found;
    return !a->known && a->is_consistent && found->verdict == DAE_INDEX_FOUND
        && found->start.residual <= NEGLIGIBLE && !found->repair_count
        && !a->plan.is_even && !a->plan.kink_count && !found->sides;
}

/* Jacobians of differentiated equations also depend on derivatives of higher orders:
 * with these set to 0, ranks would be those of another point. */
const double *analysis_columns(const dae_analysis *found, size_t count)
{
    const analysis *a = (const analysis *)(const void *)found;
    const init_findings *g = &a->last.findings;
    const bool is_known = a->is_consistent && found->differentiated && g->z
        && g->slot_count >= count;
    return is_known ? g->z : NULL;
}

void dae_analysis_free(dae_analysis *found)
{
    analysis *a = (analysis *)(void *)found; /* its first member */
    if (!a) return;
    components_clear(a);
    repair_findings_clear(&a->repair);
    examined_clear(&a->last);
    if (!a->known) {
        dae_structure_free(a->structure);
        signature_free(a->signature);
    }
    layout_clear(&a->layout);
    arena_clear(&a->memory);
    alloc_free(a->base, a, 1, sizeof *a);
}
