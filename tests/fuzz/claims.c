#include "claims.h"
#include <math.h>
#include <stdlib.h>

/* ---- structure ------------------------------------------------------------- */

/* Rows and columns of the well-determined are paired both ways. */
static void check_pairs(const dae_structure *s)
{
    for (size_t i = 0; i < s->rows; i++) {
        const int32_t j = s->matching.column_of[i];
        harness_require(
            j >= 0 && (size_t)j < s->columns && s->matching.row_of[j] == (int)i,
            "a regular structure pairs every equation with an unknown");
    }
}

/* d - c >= order, equal on the transversal; sums give the freedom. */
static void check_offsets(const dae_structure *s, const dae_signature *g)
{
    int64_t sum = 0;
    for (size_t i = 0; i < s->n; i++) {
        harness_require(
            s->c[i] >= 0 && s->d[i] >= 0, "offsets are not below 0");
        sum += s->d[i] - s->c[i];
    }
    harness_require(sum == s->degrees_of_freedom && sum >= 0,
        "offsets add up to the degrees of freedom");
    for (size_t j = 0; g && j < g->columns; j++) {
        int64_t own = -1; /* the largest order in its partner */
        for (int64_t p = g->column_start[j]; p < g->column_start[j + 1]; p++) {
            const int32_t i = g->row[p];
            const bool is_partner = s->matching.row_of[j] == i;
            harness_require(s->d[j] - s->c[i] >= g->order[p],
                "offsets allow for every derivative");
            if (is_partner && g->order[p] > own) own = g->order[p];
        }
        harness_require(own == s->d[j] - s->c[s->matching.row_of[j]],
            "offsets are tight on the transversal");
    }
}

/* Blocks follow each other; the fine ones add up to the whole. */
static void check_blocks(const dae_structure *s)
{
    int32_t at = 0;
    int64_t most = 0;
    for (size_t b = 0; b < s->fine_count; b++) {
        const dae_block *block = &s->fine[b];
        harness_require(block->begin == at && block->end > at,
            "fine blocks follow each other");
        at = block->end;
        if (block->max_c > most) most = block->max_c;
        for (int32_t k = block->begin; k < block->end; k++)
            harness_require(
                s->matching.column_of[s->row_at[k]] == s->column_at[k],
                "the order of evaluation goes by partners");
    }
    harness_require((size_t)at == s->n, "every equation is in a block");
    harness_require(s->n == 0 || s->index == most || s->index == most + 1,
        "the index is that of the offsets");
}

static void check_structure(const dae_structure *s, const dae_signature *g)
{
    if (!s->is_regular) return;
    check_pairs(s);
    check_offsets(s, g);
    check_blocks(s);
}

/* ---- index ------------------------------------------------------------------- */

static bool are_all_regular(const dae_analysis *a)
{
    for (size_t b = 0; b < a->repaired->fine_count; b++)
        if (!a->blocks || a->blocks[b] != DAE_CERTIFIED) return false;
    return true;
}

static void check_index(const dae_analysis *a)
{
    const bool is_known = a->index >= 0;
    harness_require(is_known == (a->degrees_of_freedom >= 0),
        "index and degrees of freedom are known together");
    if (a->verdict != DAE_INDEX_FOUND) {
        harness_require(!is_known, "no index has no number");
        return;
    }
    harness_require(is_known || a->certificate == DAE_SINGULAR,
        "an index that is found has a number");
    if (a->certificate == DAE_CERTIFIED && !a->repair_count
        && are_all_regular(a))
        harness_require(a->structural_index >= a->index,
            "a regular structure bounds the index");
}

/* ---- lists ------------------------------------------------------------------- */

static void check_slots(const dae_slot *slots, size_t count, size_t n)
{
    for (size_t k = 0; k < count; k++)
        harness_require(slots[k].unknown >= 0 && (size_t)slots[k].unknown < n
                && slots[k].order >= 0,
            "a slot is one of an unknown");
}

static void check_parties(
    const dae_party *parties, size_t count, const dae_problem *p)
{
    for (size_t k = 0; k < count; k++) {
        const size_t room = parties[k].kind == DAE_PARTY_CONDITION
            ? p->start->condition_count
            : p->unknown_count;
        harness_require(parties[k].index >= 0 && (size_t)parties[k].index < room
                && parties[k].order >= 0,
            "a party is an equation, a condition or a value");
    }
}

static void check_lists(const dae_analysis *a, const dae_problem *p)
{
    const dae_start_findings *s = &a->start;
    const size_t n = p->unknown_count;
    check_slots(a->loose, a->loose_count, n);
    check_slots(s->given, s->given_count, n);
    check_slots(s->could_fix, s->could_fix_count, n);
    check_slots(s->undetermined, s->undetermined_count, n);
    check_parties(a->dependent, a->dependent_count, p);
    check_parties(s->redundant, s->redundant_count, p);
    check_parties(s->conflicts, s->conflict_count, p);
    for (size_t k = 0; k < a->hidden_count; k++) {
        const dae_hidden *h = &a->hidden[k];
        harness_require(h->equation >= 0 && (size_t)h->equation < n
                && h->repair < (int32_t)a->repair_count
                && h->differentiated >= 0 && h->determines.unknown < (int32_t)n,
            "a hidden constraint is one of an equation");
    }
}

static void check_verdict(const dae_start_findings *s)
{
    harness_require(s->verdict != DAE_START_CONSISTENT
            || (!s->missing && !s->conflict_count),
        "nothing is missing where a start is consistent");
    harness_require(s->verdict != DAE_START_UNDERDETERMINED || s->missing,
        "what is underdetermined lacks something");
    const bool is_solved = s->verdict == DAE_START_CONSISTENT
        || s->verdict == DAE_START_UNDERDETERMINED;
    harness_require(!is_solved || (s->values && s->residual <= 1),
        "a start that is solved has values");
}

void claims_check(const dae_model *model, const dae_analysis *a)
{
    check_structure(a->structure, a->signature);
    if (a->repaired != a->structure) check_structure(a->repaired, NULL);
    harness_require(
        a->structure->is_regular == (a->verdict != DAE_INDEX_UNDEFINED),
        "an index is undefined where there is no transversal");
    check_index(a);
    check_lists(a, dae_model_problem(model));
    check_verdict(&a->start);
}

void claims_check_told(const dae_analysis *a, const dae_diagnostics *ds)
{
    const dae_start_verdict start = a->start.verdict;
    const bool is_wrong = a->verdict == DAE_INDEX_UNDEFINED
        || a->verdict == DAE_INDEX_FLOATING
        || a->verdict == DAE_INDEX_NOT_UNIQUE || start == DAE_START_INCONSISTENT
        || start == DAE_START_UNSOLVED;
    const bool is_doubtful = is_wrong || a->verdict == DAE_INDEX_REDUNDANT
        || start == DAE_START_UNDERDETERMINED;
    if (dae_diagnostics_lost(ds)) return;
    harness_require(!is_wrong || dae_diagnostics_error_count(ds) > 0,
        "a verdict against the model comes with an error");
    harness_require(!is_doubtful || dae_diagnostics_count(ds) > 0,
        "a verdict that asks for a change comes with a word");
}

/* ---- the start --------------------------------------------------------------- */

enum { TERMS_MOST = 8, UNKNOWNS_MOST = 100 };

/* Derivatives of the equations at the values that were found: f[i*terms + k]
 * is the k-th of equation i over k!, to be compared with `allowed`, NaN where
 * values that it needs are not known. */
typedef struct trial {
    const dae_problem *p;
    const dae_analysis *a;
    const dae_analysis_options *options;
    size_t terms, stride;
    double *curve, *f, *slopes, *allowed;
} trial;

static size_t order_of(const dae_problem *p, size_t j)
{
    return p->order ? p->order[j] : 1;
}

/* NaN: not known, or not determined. */
static double value_of(const dae_start_findings *s, size_t j, size_t order)
{
    const size_t first = s->value_first[j], end = s->value_first[j + 1];
    return order < end - first ? s->values[first + order] : (double)NAN;
}

static void lay_out(trial *t)
{
    const size_t n = t->p->unknown_count;
    const size_t entries =
        (size_t)t->p->pattern->column_start[dae_problem_state_count(t->p) + n];
    size_t highest = 0;
    for (size_t j = 0; j < n; j++)
        if (order_of(t->p, j) > highest) highest = order_of(t->p, j);
    t->stride = t->terms + highest;
    t->curve = harness_numbers(n * t->stride);
    t->f = harness_numbers(n * t->terms);
    t->slopes = harness_numbers(entries * t->terms);
    t->allowed = harness_numbers(n * t->terms);
    for (size_t j = 0; j < n; j++) {
        double factorial = 1;
        for (size_t k = 0; k < t->stride; k++) {
            const double value = value_of(&t->a->start, j, k);
            if (k > 1) factorial *= (double)k;
            t->curve[j * t->stride + k] = isfinite(value) ? value / factorial
                                                          : 0;
        }
    }
    for (size_t i = 0; i < n * t->terms; i++) t->allowed[i] = 0;
}

/* What the entry by derivative `order` of unknown j adds to what the
 * derivatives of its equation may be: the change that the tolerance of each
 * value makes there, and rounding. */
static void allow(
    trial *t, size_t j, size_t order, size_t i, const double *slope)
{
    const double *own = t->p->scales ? t->p->scales->atol : NULL;
    const double atol = own && own[j] > 0 ? own[j] : t->options->atol;
    for (size_t k = 0; k < t->terms; k++) {
        double factorial = 1;
        for (size_t m = 0; m <= k; m++) {
            const double value = value_of(&t->a->start, j, order + m);
            const double change = (t->options->rtol + 1e-14) * fabs(value)
                + atol;
            if (m > 1) factorial *= (double)m;
            t->allowed[i * t->terms + k] += fabs(slope[k - m]) / factorial
                * change;
        }
    }
}

static void allow_all(trial *t)
{
    const dae_pattern *g = t->p->pattern;
    const size_t states = dae_problem_state_count(t->p);
    size_t slot = 0;
    for (size_t j = 0; j < t->p->unknown_count; j++) {
        const size_t q = order_of(t->p, j);
        for (size_t o = 0; o < (q ? q : 1) + (q > 0); o++) {
            const size_t column = o < (q ? q : 1) ? slot + o : states + j;
            for (int64_t e = g->column_start[column];
                 e < g->column_start[column + 1]; e++)
                allow(t, j, o, (size_t)g->row[e],
                    t->slopes + (size_t)e * t->terms);
        }
        slot += q ? q : 1;
    }
}

static void check_equations(const trial *t)
{
    const dae_structure *s = t->a->structure;
    const bool has_offsets = t->a->repaired == s;
    for (size_t i = 0; i < t->p->unknown_count; i++) {
        const size_t last = has_offsets ? (size_t)s->c[i] : 0;
        for (size_t k = 0; k <= last && k < t->terms; k++) {
            const double size = fabs(t->f[i * t->terms + k]);
            const double allowed = t->allowed[i * t->terms + k];
            if (!isfinite(allowed)) continue;
            harness_require(size <= allowed,
                "equations hold at a consistent start, differentiated too");
        }
    }
}

/* Given values stay as they are. */
static void check_given(const trial *t)
{
    const dae_start_findings *s = &t->a->start;
    const dae_start *given = t->p->start;
    size_t slot = 0, k = 0;
    for (size_t j = 0; j < t->p->unknown_count; j++) {
        const size_t q = order_of(t->p, j), states = q ? q : 1;
        for (; k < s->given_count && s->given[k].unknown == (int32_t)j; k++) {
            const size_t o = (size_t)s->given[k].order;
            const double asked = o < states ? given->x[slot + o] : given->xp[j];
            harness_require(value_of(s, j, o) == asked,
                "a given value stands as it was given");
        }
        slot += states;
    }
}

/* A start may be one of a mode: switches are held at its sides, or free again. */
static void hold_sides(const trial *t, bool is_held)
{
    const dae_events *e = t->p->events;
    if (!t->a->sides) return;
    for (size_t k = 0; k < e->switch_count; k++)
        e->held[e->discrete_count + k] = is_held ? t->a->sides[k] : (double)NAN;
}

void claims_check_start(const dae_model *model, const dae_analysis *a,
    const dae_analysis_options *options)
{
    trial t = {.p = dae_model_problem(model), .a = a, .options = options};
    const bool is_solved = a->start.verdict == DAE_START_CONSISTENT
        || a->start.verdict == DAE_START_UNDERDETERMINED;
    if (!is_solved || !t.p->series || t.p->unknown_count > UNKNOWNS_MOST)
        return;
    int64_t most = 0;
    for (size_t i = 0; i < a->structure->n; i++)
        if (a->structure->c[i] > most) most = a->structure->c[i];
    t.terms = most < TERMS_MOST ? (size_t)most + 1 : TERMS_MOST;
    lay_out(&t);
    hold_sides(&t, true);
    const double t0 = t.p->start->t0;
    dae_status st = t.p->series(t.p->self, t.terms, t0, t.curve, t.stride, t.f);
    if (!st)
        st = t.p->series_jacobian(
            t.p->self, t.terms, t0, t.curve, t.stride, t.slopes);
    if (!st) {
        allow_all(&t);
        check_equations(&t);
        check_given(&t);
    }
    hold_sides(&t, false);
    free(t.curve);
    free(t.f);
    free(t.slopes);
    free(t.allowed);
}
