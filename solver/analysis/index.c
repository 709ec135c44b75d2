/* The differentiation index. What structure says is an upper bound where the
 * system Jacobian is regular [Pry01], and exact where it is at most 1: an index
 * of 0 needs no more than a regular dF/dx', one of 1 stands against it. Above 1
 * it may be too high [RMB00], so small systems are asked by the ranks of their
 * derivative array, which also answer where structure fails. */
#include "analysis/slight.h"

static bool is_user(const analysis *a, size_t i)
{
    return i >= a->problem->unknown_count || is_visible(a->problem, i);
}

/* max c, and 1 more if some d is 0, over what the user wrote. */
static int64_t structural_index(const analysis *a, const dae_structure *s)
{
    int64_t most = 0;
    bool is_algebraic = false;
    if (!s->is_regular) return -1;
    for (size_t i = 0; i < s->n; i++) {
        if (!is_user(a, i)) continue;
        if (s->c[i] > most) most = s->c[i];
        if (s->d[i] == 0) is_algebraic = true;
    }
    return most + is_algebraic;
}

/* The bound that a repaired structure gives for the index of what the user
 * wrote: repairs put derivatives of equations into others, so that these are
 * differentiated more often than c says, and take away the highest derivatives
 * of unknowns, which further differentiation has to give back. */
static int64_t repaired_index(const analysis *a, const dae_structure *s)
{
    int64_t most = 0, back = 0;
    if (!s->is_regular || !a->repair.differentiate)
        return structural_index(a, s);
    for (size_t i = 0; i < a->problem->unknown_count && i < s->n; i++) {
        if (!is_user(a, i)) continue;
        const int64_t order = a->layout.order[i], target = order ? order : 1;
        if (a->repair.differentiate[i] > most)
            most = a->repair.differentiate[i];
        if (target - s->d[i] > back) back = target - s->d[i];
    }
    return most + back;
}

static int64_t best_index(const analysis *a)
{
    return a->repair.structure ? repaired_index(a, a->repair.structure)
                               : structural_index(a, a->structure);
}

/* The worst of the blocks'. */
static dae_certificate worst(const dae_certificate *certificates, size_t count)
{
    dae_certificate all = DAE_CERTIFIED;
    for (size_t b = 0; b < count; b++)
        if (certificates[b] > all) all = certificates[b];
    return all;
}

/* Newton's method ends far below the tolerances. What it crept to, with values
 * out of proportion, is no solution but a place where residuals look small:
 * ranks there mean nothing. */
static const double SHARP = 1e-3;

static bool has_sharp_start(const analysis *a)
{
    return a->is_consistent && a->found.start.residual <= SHARP;
}

static dae_status ask_array(analysis *a, bool has_point)
{
    const array_request q = {.problem = a->problem,
        .t = a->t0,
        .x = has_point ? a->x : NULL,
        .xp = has_point ? a->xp : NULL,
        .is_consistent = has_point,
        .is_generic = true,
        .expected = a->found.index > 0 ? a->found.index : 0,
        .allocator = a->allocator,
        .interrupt = a->options.interrupt,
        .interrupt_context = a->options.interrupt_context};
    return array_examine(&q, &a->array);
}

/* Near the start, but not where the structure loses rank there: it may miss
 * constraints, and then the start is none, with values out of proportion.
 * Constraints that are redundant lose it wherever they hold, and other points
 * that satisfy them are hard to come by: then the start tells after all. */
static dae_status examine_array(analysis *a, dae_certificate blocks)
{
    const bool is_doubtful = blocks == DAE_SINGULAR_HERE;
    dae_status st = ask_array(a, has_sharp_start(a) && !is_doubtful);
    const bool has_told = a->array.outcome == ARRAY_FOUND
        || a->array.outcome == ARRAY_NO_INDEX;
    if (st || has_told || !is_doubtful || !a->is_consistent) return st;
    array_findings_clear(&a->array, a->allocator);
    return ask_array(a, true);
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

/* Regular where solutions are. Points at random do not tell: an equation
 * a + b*c beside one that makes c zero is singular on solutions alone. */
static bool is_regular_on_solutions(const analysis *a, dae_certificate blocks)
{
    if (blocks != DAE_CERTIFIED) return false;
    return has_sharp_start(a) || is_constant(a->problem);
}

/* Where all blocks are regular on solutions the degrees of freedom are right
 * and the index is not above: ranks that say otherwise are wrong themselves. */
static bool is_credible(const analysis *a, dae_certificate blocks)
{
    const array_findings *g = &a->array;
    const dae_analysis *f = &a->found;
    /* without a solution to look near, what is flat at the guess looks singular */
    const bool is_blind = blocks == DAE_CERTIFIED && !a->is_consistent;
    if (!is_regular_on_solutions(a, blocks) && !is_blind) return true;
    return g->outcome == ARRAY_FOUND && g->index <= f->index
        && g->degrees_of_freedom == f->degrees_of_freedom;
}

static void take_array(analysis *a)
{
    dae_analysis *f = &a->found;
    const array_findings *g = &a->array;
    const bool is_same = g->index == f->index
        && g->degrees_of_freedom == f->degrees_of_freedom;
    f->index = g->index;
    f->degrees_of_freedom = g->degrees_of_freedom;
    /* singular at the start and right elsewhere, or right nowhere */
    if (!is_same || f->certificate != DAE_SINGULAR_HERE)
        f->certificate = DAE_CERTIFIED;
}

static void take_nothing(analysis *a)
{
    dae_analysis *f = &a->found;
    const array_findings *g = &a->array;
    f->verdict = g->verdict;
    f->index = f->degrees_of_freedom = -1;
    f->certificate = DAE_CERTIFIED;
    f->loose = g->loose;
    f->loose_count = g->loose_count;
    f->dependent = g->dependent;
    f->dependent_count = g->dependent_count;
}

/* Structure alone: what it says holds for the degrees of freedom where the
 * system Jacobian is regular, and bounds the index. */
static void take_structure(analysis *a, dae_certificate blocks)
{
    dae_analysis *f = &a->found;
    const dae_structure *s = best_structure(a);
    const bool is_singular = blocks == DAE_SINGULAR;
    f->index = is_singular ? -1 : best_index(a);
    f->degrees_of_freedom = is_singular ? -1 : s->degrees_of_freedom;
    f->certificate = blocks == DAE_CERTIFIED ? DAE_NOT_CERTIFIED : blocks;
}

dae_status index_decide(analysis *a)
{
    dae_analysis *f = &a->found;
    const dae_structure *s = best_structure(a);
    const dae_certificate *certificates = a->repair.structure
        ? a->repair.certificates
        : a->certificates;
    const dae_certificate blocks = worst(certificates, s->fine_count);
    f->verdict = DAE_INDEX_FOUND;
    f->certificate = blocks;
    f->structural_index = structural_index(a, a->structure);
    f->structural_freedom = a->structure->degrees_of_freedom;
    f->index = best_index(a);
    f->degrees_of_freedom = s->degrees_of_freedom;
    f->blocks = certificates;
    if (f->index <= 1 && is_regular_on_solutions(a, blocks)) return DAE_OK;
    dae_status st = examine_array(a, blocks);
    if (st) return st;
    bool has_slight = false;
    const bool is_lower = blocks == DAE_CERTIFIED
        && a->array.outcome == ARRAY_FOUND && a->array.index < f->index;
    if (is_lower && (st = slight_find(a, &has_slight))) return st;
    if (has_slight || !is_credible(a, blocks)) take_structure(a, blocks);
    else if (a->array.outcome == ARRAY_FOUND) take_array(a);
    else if (a->array.outcome == ARRAY_NO_INDEX) take_nothing(a);
    else take_structure(a, blocks);
    return DAE_OK;
}

void index_doubt(analysis *a)
{
    dae_analysis *f = &a->found;
    const dae_certificate blocks = worst(
        f->blocks, best_structure(a)->fine_count);
    if (f->verdict != DAE_INDEX_FOUND || blocks == DAE_SINGULAR) return;
    if (f->index <= 1 && blocks == DAE_CERTIFIED && is_constant(a->problem))
        return;
    f->index = best_index(a);
    f->degrees_of_freedom = best_structure(a)->degrees_of_freedom;
    if (f->certificate == DAE_CERTIFIED) f->certificate = DAE_NOT_CERTIFIED;
}
