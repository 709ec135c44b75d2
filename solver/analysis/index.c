/* The differentiation index. The structural index is an upper bound if the system
 * Jacobian is regular [Pry01], and exact if it is at most 1: it is 0 if and only if
 * dF/dx' is regular. Above 1 it may be too high [RMB00], so the index of small systems
 * is found by the ranks of their derivative array, which also decide where structure
 * fails, and for large ones it is tested whether the bound is attained
 * (index/index_bound.c). Each component is examined separately. */
#include "analysis/components.h"
#include "index/block_regularity.h"
#include "index/free_levels.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <string.h>

/* max c, plus 1 if some d is 0, over the user's equations and unknowns. */
static int64_t structural_index(const analysis *a, const dae_structure *s)
{
    int64_t most = 0;
    bool is_algebraic = false;
    for (size_t i = 0; i < s->n; i++) {
        if (!is_counted(a->problem, i)) continue;
        if (s->c[i] > most) most = s->c[i];
        if (s->d[i] == 0) is_algebraic = true;
    }
    return most + is_algebraic;
}

/* Residuals just below their tolerances may belong to a point that is no solution,
 * approached by values that grow without bound; its ranks are not used. */
static bool has_sharp_start(const analysis *a)
{
    return a->is_consistent && a->found.start.residual <= NEGLIGIBLE;
}

/* The Jacobian is the same everywhere. */
static bool is_constant(const dae_problem *p)
{
    if (!p->pattern || !p->pattern->kind) return false;
    const size_t columns = dae_problem_state_count(p) + p->unknown_count;
    const int64_t end = p->pattern->column_start[columns];
    for (int64_t k = 0; k < end; k++)
        if (p->pattern->kind[k] == DAE_ENTRY_VARYING) return false;
    return true;
}

/* ---- one component ------------------------------------------------------------------- */

/* A component as a problem, for as long as its array is examined: the problem
 * itself where there is no other. */
typedef struct question {
    analysis *a;
    component *k;
    const dae_problem *problem;
    const double *x, *xp;
    bool is_constant; /* its Jacobian */
    subproblems all;
    subproblem own;
} question;

static array_request request_of(
    const question *w, bool has_point, bool is_generic)
{
    const analysis *a = w->a;
    return (array_request){.problem = w->problem,
        .t = a->t0,
        .x = has_point ? w->x : NULL,
        .xp = has_point ? w->xp : NULL,
        .is_consistent = has_point,
        .is_generic = is_generic,
        .expected = w->k->index > 0 ? w->k->index : 0,
        .allocator = a->allocator,
        .interrupt = a->options.interrupt,
        .interrupt_context = a->options.interrupt_context};
}

static dae_status ask_array(
    const question *w, bool has_point, bool is_generic, array_findings *out)
{
    const analysis *a = w->a;
    const array_request q = request_of(w, has_point, is_generic);
    const dae_status st = array_examine(&q, out);
    if (st != DAE_LIMIT) return st;
    array_findings_clear(out, a->allocator);
    return DAE_OK;
}

/* At the start itself: used only to show that there is no index. A system that is
 * singular on its constraints has no generic points that would confirm an index. */
static dae_status ask_given(const question *w, array_findings *out)
{
    const dae_status st = ask_array(w, true, false, out);
    if (!st && out->outcome == ARRAY_FOUND) out->outcome = ARRAY_UNSURE;
    return st;
}

/* Ranks of the array near the start, or, if the structure loses rank there,
 * near other points, since the structure may miss constraints that the start
 * violates. If no such point is found (redundant constraints lose rank wherever
 * they hold), at the start after all. */
static dae_status examine_array(const question *w)
{
    const analysis *a = w->a;
    array_findings *out = &w->k->array;
    const bool is_doubtful = w->k->blocks == DAE_SINGULAR_HERE;
    const bool has_point = has_sharp_start(a) && !is_doubtful;
    const dae_status st = ask_array(w, has_point, true, out);
    const bool is_known = out->outcome == ARRAY_FOUND
        || out->outcome == ARRAY_NO_INDEX;
    if (st || is_known || !is_doubtful || !a->is_consistent) return st;
    array_findings_clear(out, a->allocator);
    return ask_given(w, out);
}

/* Regular at solutions. Random points do not show that: an equation a + b*c together
 * with one that makes c zero is singular only at solutions. */
static bool is_regular_on_solutions(const question *w)
{
    if (w->k->blocks != DAE_CERTIFIED) return false;
    return has_sharp_start(w->a) || w->is_constant;
}

static bool is_same(const component *k)
{
    const array_findings *g = &k->array;
    return g->index == k->index && g->degrees_of_freedom == k->freedom;
}

/* If all blocks are regular at solutions, the degrees of freedom are right and the
 * index is not higher: ranks that contradict this are wrong. */
static bool is_credible(const question *w)
{
    const component *k = w->k;
    const array_findings *g = &k->array;
    if (!is_regular_on_solutions(w)) return true;
    return g->outcome == ARRAY_FOUND && g->index <= k->index
        && g->degrees_of_freedom == k->freedom;
}

/* Whether the ranks at the start are those at other points. Tested only if the
 * index found is above that of the structure, as it is if the structure misses
 * constraints; otherwise the start may be an isolated singular point. */
static dae_status confirm_here(const question *w, bool *is_confirmed)
{
    array_findings here = {.outcome = ARRAY_TOO_LARGE};
    const component *k = w->k;
    dae_status st = DAE_OK;
    *is_confirmed = k->blocks != DAE_SINGULAR_HERE;
    if (*is_confirmed || !w->a->is_consistent) return DAE_OK;
    if (k->array.index <= k->index) return DAE_OK;
    st = ask_array(w, true, false, &here);
    *is_confirmed = here.outcome == ARRAY_FOUND && here.index == k->array.index
        && here.degrees_of_freedom == k->array.degrees_of_freedom;
    array_findings_clear(&here, w->a->allocator);
    return st;
}

/* Takes ranks found at other points than the start. If the ranks at the start
 * differ, the result is marked singular at the start; index and degrees of
 * freedom are then those of the ranks only if these show constraints that the
 * structure misses. */
static dae_status take_array(const question *w)
{
    component *k = w->k;
    const array_findings *g = &k->array;
    bool is_confirmed;
    const dae_status st = confirm_here(w, &is_confirmed);
    const bool is_here = !is_confirmed;
    const bool is_other = g->degrees_of_freedom != k->freedom;
    const bool is_taken = !is_here || is_other;
    k->found_index = is_taken ? g->index : k->index;
    k->found_freedom = is_taken ? g->degrees_of_freedom : k->freedom;
    k->certificate = is_here ? DAE_SINGULAR_HERE : DAE_CERTIFIED;
    return st;
}

static void take_nothing(component *k)
{
    k->verdict = k->array.verdict;
    k->found_index = k->found_freedom = -1;
    k->certificate = DAE_CERTIFIED;
}

/* By structure alone: if the system Jacobian is regular, the degrees of freedom are
 * exact and the index is bounded. */
static void take_structure(component *k)
{
    const bool is_singular = k->blocks == DAE_SINGULAR;
    k->found_index = is_singular ? -1 : k->index;
    k->found_freedom = is_singular ? -1 : k->freedom;
    const bool is_open = k->blocks == DAE_CERTIFIED
        ? !k->is_attained
        /* regular only at random points, which satisfy no equation */
        : k->blocks == DAE_SINGULAR_HERE && k->array.outcome != ARRAY_FOUND;
    k->certificate = is_open ? DAE_NOT_CERTIFIED : k->blocks;
}

/* The unknowns of blocks that are not regular, in the question's numbers. */
static void mark_doubtful(const question *w, uint8_t *is_doubtful)
{
    const analysis *a = w->a;
    const dae_structure *s = a->structure;
    const component *k = w->k;
    uint8_t *of_all = is_doubtful + k->count;
    for (size_t b = 0; b < s->fine_count; b++)
        for (int32_t p = s->fine[b].begin; p < s->fine[b].end; p++)
            of_all[s->column_at[p]] = a->certificates[b] != DAE_CERTIFIED;
    for (size_t q = 0; q < k->count; q++)
        is_doubtful[q] = of_all[k->unknowns[q]];
}

/* If neither blocks nor the array decide: whether a common level of some
 * unknowns is undetermined (index/free_levels.h). */
static dae_status ask_floating(const question *w)
{
    component *k = w->k;
    analysis *a = w->a;
    const bool is_known = k->blocks == DAE_CERTIFIED
        || k->blocks == DAE_SINGULAR_HERE || k->array.outcome == ARRAY_FOUND
        || k->array.outcome == ARRAY_NO_INDEX
        /* the contradiction is the reason, not a free level */
        || k->array.verdict == DAE_INDEX_CONTRADICTORY;
    if (is_known) return DAE_OK;
    const arena_position mark = arena_mark(&a->memory);
    uint8_t *is_doubtful = ARENA_ARRAY(
        &a->memory, uint8_t, k->count + a->problem->unknown_count);
    if (!is_doubtful) return DAE_MEMORY;
    mark_doubtful(w, is_doubtful);
    const dae_status st = floating_find(
        w->problem, is_doubtful, a->allocator, &k->array);
    arena_release(&a->memory, mark);
    return st;
}

static dae_status decide(const question *w)
{
    component *k = w->k;
    dae_status st = examine_array(w);
    if (!st) st = ask_floating(w);
    if (st) return st;
    const array_outcome outcome = k->array.outcome;
    /* pivots near rounding: ranks are no more certain */
    const bool is_doubtful = k->blocks == DAE_NOT_CERTIFIED
        && outcome == ARRAY_FOUND && !is_same(k);
    if (is_doubtful || !is_credible(w)) take_structure(k);
    else if (outcome == ARRAY_FOUND) return take_array(w);
    else if (outcome == ARRAY_NO_INDEX) take_nothing(k);
    else take_structure(k);
    return DAE_OK;
}

/* ---- all of them ---------------------------------------------------------------------- */

static dae_status question_open(question *w, component *k)
{
    analysis *a = w->a;
    const bool is_whole = a->component_count == 1;
    dae_status st = DAE_OK;
    w->k = k;
    if (!is_whole && !w->all.whole)
        st = subproblems_init(&w->all, a->problem, &a->layout, a->x, a->xp,
            WORK_OF_SECOND, a->allocator);
    if (!is_whole && !st)
        st = subproblem_open(
            &w->own, &w->all, k->equations, k->unknowns, k->count);
    if (st) return st;
    w->problem = is_whole ? a->problem : &w->own.problem;
    w->x = is_whole ? a->x : w->own.x;
    w->xp = is_whole ? a->xp : w->own.xp;
    w->is_constant = is_constant(w->problem);
    return DAE_OK;
}

/* Converts findings of arrays from the component's numbers. */
static void renumber(const component *k, array_findings *f)
{
    for (size_t q = 0; q < f->loose_count; q++)
        f->loose[q].unknown = k->unknowns[f->loose[q].unknown];
    for (size_t q = 0; q < f->dependent_count; q++)
        f->dependent[q].index = k->equations[f->dependent[q].index];
}

static dae_status ask(question *w, component *k)
{
    dae_status st = question_open(w, k);
    if (!st) st = decide(w);
    if (!st && w->a->component_count > 1) renumber(k, &k->array);
    subproblem_close(&w->own);
    return st;
}

static bool is_simple(const analysis *a, const component *k, bool is_constant)
{
    return k->index <= 1 && k->blocks == DAE_CERTIFIED
        && (is_constant || has_sharp_start(a));
}

/* Repairs have left it as it is. */
static bool is_untouched(const analysis *a, const component *k)
{
    const dae_structure *s = a->structure, *best = best_structure(a);
    for (size_t q = 0; q < k->count; q++) {
        const int32_t i = k->equations[q], j = k->unknowns[q];
        if (s->c[i] != best->c[i] || s->d[j] != best->d[j]) return false;
    }
    return true;
}

/* Components of blocks that are regular at the start: is their bound the
 * index? */
static dae_status find_attained(analysis *a, bool is_constant)
{
    const size_t n = a->problem->unknown_count;
    const blocks_request q = analysis_blocks(a);
    const arena_position mark = arena_mark(&a->memory);
    if (!(is_constant || has_sharp_start(a))) return DAE_OK;
    int32_t *group = ARENA_ARRAY(&a->memory, int32_t, n);
    uint8_t *is_attained = ARENA_ARRAY(&a->memory, uint8_t, a->component_count);
    if (!group || !is_attained) return DAE_MEMORY;
    for (size_t c = 0; c < a->component_count; c++) {
        const component *k = &a->components[c];
        const bool is_asked = k->blocks == DAE_CERTIFIED && k->index > 1
            && is_untouched(a, k);
        for (size_t p = 0; p < k->count; p++)
            group[k->equations[p]] = is_asked ? (int32_t)c : -1;
    }
    const dae_status st = attained_find(
        &q, a->t0, a->x, a->xp, group, a->component_count, is_attained);
    for (size_t k = 0; k < a->component_count; k++)
        a->components[k].is_attained = is_attained[k];
    arena_release(&a->memory, mark);
    return st;
}

/* Examines the components whose blocks are regular, or the others. */
static dae_status ask_all(question *w, bool is_regular, bool is_still)
{
    analysis *a = w->a;
    dae_status st = DAE_OK;
    for (size_t q = 0; q < a->component_count && !st; q++) {
        component *k = &a->components[q];
        if ((k->blocks == DAE_CERTIFIED) != is_regular) continue;
        if (is_simple(a, k, is_still)) continue;
        if (k->is_attained) take_structure(k);
        else st = ask(w, k);
    }
    return st;
}

static bool has_index(const analysis *a)
{
    for (size_t q = 0; q < a->component_count; q++)
        if (a->components[q].verdict != DAE_INDEX_FOUND) return false;
    return true;
}

/* Whether the structure is enough for a run: if the system Jacobian is regular at a
 * consistent point, only the index is unknown [Pry01]. */
static bool is_settled(const analysis *a)
{
    if (!a->options.start_only || !has_sharp_start(a)) return false;
    for (size_t q = 0; q < a->component_count; q++) {
        const component *k = &a->components[q];
        if (k->blocks != DAE_CERTIFIED || !is_untouched(a, k)) return false;
    }
    return true;
}

/* Components whose blocks are not regular first: if one of them has no index, the
 * model has none. */
static dae_status decide_all(analysis *a)
{
    question w = {.a = a};
    const bool is_still = is_constant(a->problem);
    bool is_asked = false;
    dae_status st = DAE_OK;
    for (size_t q = 0; q < a->component_count; q++) {
        component *k = &a->components[q];
        k->verdict = DAE_INDEX_FOUND;
        k->certificate = k->blocks;
        k->found_index = k->index;
        k->found_freedom = k->freedom;
        is_asked = is_asked || !is_simple(a, k, is_still);
    }
    if (!is_asked) return DAE_OK;
    a->found.is_index_bound = is_settled(a);
    if (a->found.is_index_bound) return DAE_OK;
    st = find_attained(a, is_still);
    if (!st) st = ask_all(&w, false, is_still);
    if (!st && has_index(a)) st = ask_all(&w, true, is_still);
    subproblems_clear(&w.all);
    return st;
}

/* ---- the whole model -------------------------------------------------------------------- */

/* A contradiction before other reasons why there is no index. */
static const component *find_worst(const analysis *a)
{
    const component *worst = NULL;
    for (size_t q = 0; q < a->component_count; q++) {
        const component *k = &a->components[q];
        if (k->verdict == DAE_INDEX_CONTRADICTORY) return k;
        if (k->verdict != DAE_INDEX_FOUND && !worst) worst = k;
    }
    return worst;
}

static void sum_up(analysis *a)
{
    dae_analysis *f = &a->found;
    const component *worst = find_worst(a);
    f->verdict = DAE_INDEX_FOUND;
    f->certificate = DAE_CERTIFIED;
    f->index = f->degrees_of_freedom = 0;
    f->loose_count = f->dependent_count = 0;
    for (size_t q = 0; q < a->component_count; q++) {
        const component *k = &a->components[q];
        const bool has_none = k->found_index < 0 || f->index < 0;
        if (k->certificate > f->certificate) f->certificate = k->certificate;
        if (has_none || k->found_index > f->index)
            f->index = has_none ? -1 : k->found_index;
        f->degrees_of_freedom = has_none
            ? -1
            : f->degrees_of_freedom + k->found_freedom;
    }
    if (!worst) return;
    f->verdict = worst->verdict;
    f->index = f->degrees_of_freedom = -1;
    f->certificate = worst->certificate;
    f->loose = worst->array.loose;
    f->loose_count = worst->array.loose_count;
    f->dependent = worst->array.dependent;
    f->dependent_count = worst->array.dependent_count;
}

/* What a->known has decided, where the blocks have the same ranks. Of a start that is not
 * found nothing depends on it. */
static bool take_known(analysis *a)
{
    const analysis *k = a->known;
    if (!k) return false;
    for (size_t b = 0; b < k->structure->fine_count && a->is_consistent; b++)
        if (a->certificates[b] != k->certificates[b]) return false;
    for (size_t c = 0; c < k->component_count; c++) {
        component *to = &a->components[c];
        const component *from = &k->components[c];
        to->verdict = from->verdict;
        to->certificate = from->certificate;
        to->found_index = from->found_index;
        to->found_freedom = from->found_freedom;
        to->array.outcome = from->array.outcome;
    }
    return true;
}

dae_status index_decide(analysis *a)
{
    dae_analysis *f = &a->found;
    dae_status st;
    components_take_blocks(a);
    f->structural_index = structural_index(a, a->structure);
    f->structural_freedom = a->structure->degrees_of_freedom;
    f->blocks = a->repair.structure ? a->repair.certificates : a->certificates;
    f->index = 0;
    for (size_t q = 0; q < a->component_count; q++)
        if (a->components[q].index > f->index)
            f->index = a->components[q].index;
    assert(a->component_count > 0);
    if (!take_known(a) && (st = decide_all(a))) return st;
    sum_up(a);
    assert(f->verdict == DAE_INDEX_FOUND || f->index < 0);
    assert((f->index < 0) == (f->degrees_of_freedom < 0));
    return DAE_OK;
}
