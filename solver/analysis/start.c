/* The start, on the whole set of equations and hidden constraints: F and the
 * conditions alone where no equation has to be differentiated, else the
 * extended system (extend/extend.h). */
#include "analysis/analysis.h"
#include "linalg/thresholds.h"
#include "newton/weights.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum { ENTRIES_MOST = 40000000, LAST_CHOICE = UINT8_MAX - 1 };

static dae_slot slot_at(const examination *x, size_t slot)
{
    int order;
    assert(slot < x->slots);
    if (!x->e) {
        const size_t j = naming_unknown(&x->layout, slot, &order);
        return (dae_slot){(int32_t)j, order};
    }
    const int32_t j = x->e->column_unknown[slot];
    return (dae_slot){j, (int32_t)(slot - x->e->column_first[j])};
}

/* Does a slot exist at all? The derivative of an algebraic unknown does not. */
static bool has_slot(const examination *x, size_t slot)
{
    if (slot < x->layout.states) return true;
    return !x->e && x->layout.order[slot - x->layout.states] > 0;
}

/* ---- the request -------------------------------------------------------------- */

static bool take_vectors(examination *x)
{
    arena *m = &x->a->memory;
    const size_t states = x->layout.states, n = x->layout.slots - states;
    x->slots = x->layout.slots;
    x->x = ARENA_ARRAY(m, double, states);
    x->xp = ARENA_ARRAY(m, double, n);
    x->atol = ARENA_ARRAY(m, double, states);
    x->x_fixed = ARENA_ARRAY(m, uint8_t, states);
    x->xp_fixed = ARENA_ARRAY(m, uint8_t, n);
    x->may_be_given = ARENA_ARRAY(m, uint8_t, x->slots);
    x->is_inner = ARENA_ARRAY(m, uint8_t, x->slots);
    x->stands_for = ARENA_ARRAY(m, uint8_t, states);
    return x->x && x->xp && x->atol && x->x_fixed && x->xp_fixed
        && x->may_be_given && x->is_inner && x->stands_for;
}

static bool is_given(const examination *x, size_t slot)
{
    const size_t states = x->layout.states;
    return slot < states ? x->x_fixed[slot] : x->xp_fixed[slot - states];
}

/* The values and given slots of the problem's own start. */
static void load_start(examination *x)
{
    const dae_start *s = x->problem->start;
    const size_t states = x->layout.states, n = x->layout.slots - states;
    if (!s) return;
    if (s->x) memcpy(x->x, s->x, states * sizeof *x->x);
    if (s->xp) memcpy(x->xp, s->xp, n * sizeof *x->xp);
    if (s->x_fixed) memcpy(x->x_fixed, s->x_fixed, states);
    if (s->xp_fixed) memcpy(x->xp_fixed, s->xp_fixed, n);
}

/* Whether the slot is a derivative that follows from lower ones: its order is at least
 * the highest in the structure, or in the equations as written (or 1 if that is 0). Only
 * the other slots have guesses; if a follower stays open, no condition is missing. */
static bool is_follower(const examination *x, dae_slot s)
{
    const int32_t own = x->a->layout.order[s.unknown];
    return s.order >= x->a->plan.highest[s.unknown]
        || s.order >= (own > 0 ? own : 1);
}

/* Conditions are proposed for slots that the structure leaves free, low orders first.
 * Last choice: the value of an algebraic unknown, in place of one that determines it. */
static void fill_masks(examination *x)
{
    const analysis *a = x->a;
    for (size_t k = 0; k < x->slots; k++) {
        if (!has_slot(x, k)) continue;
        const dae_slot s = slot_at(x, k);
        const bool is_shown = is_visible(a->problem, (size_t)s.unknown);
        x->is_inner[k] = is_follower(x, s);
        if (is_shown && !x->is_inner[k])
            x->may_be_given[k] = (uint8_t)(1 + s.order % LAST_CHOICE);
        else if (is_shown && s.order == 0) x->may_be_given[k] = LAST_CHOICE;
        if (k < x->layout.states)
            x->stands_for[k] = (uint8_t)(s.order % UINT8_MAX);
    }
}

static void fill_tolerances(examination *x)
{
    const double option = x->a->options.atol;
    for (size_t k = 0; k < x->layout.states; k++) {
        const size_t j = (size_t)slot_at(x, k).unknown;
        const double own = weights_tolerance(x->a->problem->scales, j, option);
        x->atol[k] = own > 0 ? own : option;
    }
}

/* The problem, or its extended system by a->plan. DAE_LIMIT, DAE_UNSUPPORTED: too
 * much to differentiate. To be closed whatever the status. */
static dae_status open_examination(examination *x, analysis *a)
{
    *x = (examination){.a = a};
    bool is_plain = true;
    for (size_t i = 0; i < a->problem->unknown_count; i++)
        if (a->plan.times[i] > 0) is_plain = false;
    dae_status st = DAE_OK;
    if (!is_plain)
        st = extended_create(a->problem, a->plan.times, a->plan.highest,
            ENTRIES_MOST, a->allocator, &x->e);
    if (st) return st;
    x->problem = x->e ? &x->e->problem : a->problem;
    if ((st = layout_init(&x->layout, x->problem, a->allocator))) return st;
    if (!take_vectors(x)) return DAE_MEMORY;
    load_start(x);
    fill_tolerances(x);
    fill_masks(x);
    return DAE_OK;
}

static void close_examination(examination *x)
{
    layout_clear(&x->layout);
    extended_free(x->e);
    *x = (examination){.a = x->a};
}

init_request examination_request(const examination *x)
{
    const analysis *a = x->a;
    return (init_request){.problem = x->problem,
        .layout = &x->layout,
        .t0 = a->t0,
        .rtol = a->options.rtol,
        .is_homotopy_first = a->options.homotopy != 0,
        .atol = x->atol,
        .x_fixed = x->x_fixed,
        .xp_fixed = x->xp_fixed,
        .use_conditions = true,
        .is_thorough = true,
        .is_brief = a->options.is_trial != 0,
        .is_trial = a->options.is_trial != 0,
        .equation_count = x->e ? x->e->rows : 0,
        .stands_for = x->e ? x->stands_for : NULL,
        .may_be_given = x->may_be_given,
        .is_inner = x->is_inner,
        .is_count_bound = a->is_count_bound,
        .freedom = a->found.degrees_of_freedom >= 0
            ? (size_t)a->found.degrees_of_freedom
            : SIZE_MAX,
        .allocator = a->allocator,
        .interrupt = a->options.interrupt,
        .interrupt_context = a->options.interrupt_context};
}

static dae_status ask(examination *x)
{
    init_request q = examination_request(x);
    q.findings = &x->a->last.findings;
    const dae_status st = init_consistent(&q, x->x, x->xp, NULL, NULL);
    return st == DAE_INCONSISTENT || st == DAE_NUMERIC ? DAE_OK : st;
}

/* ---- its results --------------------------------------------------------------- */

static dae_party party_of(const examination *x, const init_party *p)
{
    dae_party to = {.kind = DAE_PARTY_EQUATION,
        .index = (int32_t)p->index,
        .residual = p->residual,
        .wanted = (double)NAN,
        .left = p->sides[0],
        .right = p->sides[1]};
    if (p->kind == INIT_CONDITION) {
        to.kind = DAE_PARTY_CONDITION;
    } else if (p->kind != INIT_EQUATION) {
        const dae_slot s = slot_at(x, p->index);
        to.kind = p->kind == INIT_GIVEN ? DAE_PARTY_VALUE
            : p->kind == INIT_MINIMUM   ? DAE_PARTY_MINIMUM
                                        : DAE_PARTY_MAXIMUM;
        to.index = s.unknown;
        to.order = s.order;
    } else if (x->e) {
        to.index = x->e->row_equation[p->index];
        to.order = (int32_t)(p->index - x->e->row_first[to.index]);
    }
    return to;
}

static double tolerance_of(const examination *x, size_t slot)
{
    const layout *l = &x->layout;
    return x
        ->atol[slot < l->states ? slot : l->first[slot - l->states + 1] - 1];
}

/* The found value of a slot in place of the given one, 0 far below its tolerance; NaN
 * if both are within it. */
static double value_of(
    const examination *x, const init_findings *g, size_t slot, double given)
{
    const double atol = tolerance_of(x, slot);
    if (fabs(g->z[slot]) > atol) return g->z[slot];
    if (!(fabs(given) > atol)) return (double)NAN;
    return fabs(g->z[slot]) > DIGIT * NEGLIGIBLE * atol ? g->z[slot] : 0;
}

/* Solves with the masks as they are. *wanted: the value of the party's slot in place
 * of the given one, NaN if the start is singular or not unique: then the value may be
 * an extreme of the possible ones. *is_solved: a start was found. */
static dae_status solve_for(
    examination *x, const init_party *p, double *wanted, bool *is_solved)
{
    init_findings g = {.z = NULL};
    init_request q = examination_request(x);
    q.findings = &g;
    q.is_brief = true;
    *wanted = (double)NAN;
    dae_status st = init_consistent(&q, x->x, x->xp, NULL, NULL);
    if (st == DAE_INCONSISTENT || st == DAE_NUMERIC) st = DAE_OK;
    *is_solved = !st && g.outcome == INIT_CONSISTENT && g.z;
    if (*is_solved && g.is_by_rank
        && g.missing + g.open_count + g.singular_count == 0)
        *wanted = value_of(x, &g, p->index, p->residual);
    init_findings_clear(&g);
    return st;
}

/* Whether a start exists with a given value freed, and the value that the others then
 * determine. */
static dae_status free_value(examination *x, init_party *p, double *wanted)
{
    const size_t states = x->layout.states, slot = p->index;
    assert(p->kind == INIT_GIVEN);
    uint8_t *own = slot < states ? &x->x_fixed[slot]
                                 : &x->xp_fixed[slot - states];
    bool is_solved;
    *own = 0;
    const dae_status st = solve_for(x, p, wanted, &is_solved);
    p->is_freed = is_solved;
    load_start(x);
    return st;
}

/* The smallest set, whose members the findings list; their count: none. */
static size_t set_shown(const init_findings *g)
{
    size_t q = 0;
    while (
        q < g->failure.set_count && g->failure.sets[q].parties != g->conflicts)
        q++;
    return q;
}

/* Its given values, one after the other. */
static dae_status free_all(examination *x, dae_party *to)
{
    enum { MOST = 8 };
    const init_findings *g = &x->a->last.findings;
    const init_failure *f = &g->failure;
    dae_status st = DAE_OK;
    const size_t q = set_shown(g);
    if (q == f->set_count) return DAE_OK;
    for (size_t k = 0, asked = 0; k < g->conflict_count && asked < MOST && !st;
         k++) {
        init_party *p = &f->sets[q].parties[k];
        if (p->kind != INIT_GIVEN) continue;
        asked++;
        st = free_value(x, p, &to[k].wanted);
    }
    return st;
}

static dae_status take_parties(examination *x, const init_party *from,
    size_t count, const dae_party **to, size_t *to_count)
{
    if (!count) return DAE_OK;
    dae_party *list = ARENA_ARRAY(&x->a->memory, dae_party, count);
    if (!list) return DAE_MEMORY;
    for (size_t k = 0; k < count; k++) list[k] = party_of(x, &from[k]);
    *to = list;
    *to_count = count;
    return from == x->a->last.findings.conflicts ? free_all(x, list) : DAE_OK;
}

/* False for derivatives above the structure's orders, which occur only in equations
 * differentiated for a repair: their values are not reported. */
static bool is_told(const examination *x, dae_slot s)
{
    return s.order <= x->a->plan.highest[s.unknown];
}

static dae_status take_slots(examination *x, const int32_t *from, size_t count,
    const dae_slot **to, size_t *to_count)
{
    if (!count) return DAE_OK;
    dae_slot *list = ARENA_ARRAY(&x->a->memory, dae_slot, count);
    if (!list) return DAE_MEMORY;
    for (size_t k = 0; k < count; k++) {
        const dae_slot s = slot_at(x, (size_t)from[k]);
        if (is_told(x, s)) list[(*to_count)++] = s;
    }
    *to = list;
    return DAE_OK;
}

/* The block in which the search ended. */
static dae_status take_stall(examination *x)
{
    const init_findings *g = &x->a->last.findings;
    dae_start_findings *f = &x->a->found.start;
    const init_failure *from = &g->failure;
    if (!from->stalled_count || !g->z || g->outcome == INIT_CONSISTENT)
        return DAE_OK;
    dae_stalled *list = ARENA_ARRAY(
        &x->a->memory, dae_stalled, from->stalled_count);
    if (!list) return DAE_MEMORY;
    for (size_t k = 0; k < from->stalled_count; k++) {
        const init_stalled *u = &from->stalled[k];
        const dae_slot slot = slot_at(x, u->slot);
        if (!is_told(x, slot)) continue;
        list[f->stalled_count++] = (dae_stalled){.slot = slot,
            .guess = u->guess,
            .value = g->z[u->slot],
            .minimum = u->low,
            .maximum = u->high};
    }
    f->stalled = list;
    return take_parties(
        x, from->left, from->left_count, &f->left, &f->left_count);
}

static dae_status take_given(examination *x)
{
    dae_start_findings *f = &x->a->found.start;
    dae_slot *list = ARENA_ARRAY(&x->a->memory, dae_slot, x->slots);
    if (!list) return DAE_MEMORY;
    for (size_t k = 0; k < x->slots; k++) {
        if (is_given(x, k) && has_slot(x, k))
            list[f->given_count++] = slot_at(x, k);
    }
    f->given = list;
    const dae_start *s = x->a->problem->start;
    f->condition_count = s ? s->condition_count : 0;
    return DAE_OK;
}

/* Values by unknown and order. */
static dae_status take_values(examination *x)
{
    analysis *a = x->a;
    const size_t n = a->problem->unknown_count;
    const double *z = a->last.findings.z;
    size_t *first = ARENA_ARRAY(&a->memory, size_t, n + 1);
    if (!first) return DAE_MEMORY;
    for (size_t k = 0; k < x->slots; k++)
        if (has_slot(x, k) && is_told(x, slot_at(x, k)))
            first[slot_at(x, k).unknown + 1]++;
    for (size_t j = 0; j < n; j++) first[j + 1] += first[j];
    double *values = ARENA_ARRAY(&a->memory, double, first[n]);
    if (!values) return DAE_MEMORY;
    for (size_t k = 0; k < x->slots; k++) {
        if (!has_slot(x, k) || !is_told(x, slot_at(x, k))) continue;
        const dae_slot s = slot_at(x, k);
        values[first[s.unknown] + (size_t)s.order] = z[k];
    }
    a->found.start.values = values;
    a->found.start.value_first = first;
    return DAE_OK;
}

/* The problem's own x and xp of the values. */
static void keep_point(analysis *a)
{
    const dae_start_findings *f = &a->found.start;
    for (size_t j = 0; j < a->problem->unknown_count; j++) {
        const double *v = f->values + f->value_first[j];
        const size_t known = f->value_first[j + 1] - f->value_first[j];
        const size_t begin = a->layout.first[j];
        const size_t count = a->layout.first[j + 1] - begin;
        memcpy(a->x + begin, v, (known < count ? known : count) * sizeof *v);
        if (a->layout.order[j] > 0 && known > a->layout.order[j])
            a->xp[j] = v[a->layout.order[j]];
    }
}

static dae_start_verdict verdict_of(const examination *x)
{
    const init_findings *g = &x->a->last.findings;
    /* without an inconsistent set only the search has failed */
    const bool is_shown = g->conflict_count > 0;
    if (g->outcome == INIT_CONTRADICTORY && is_shown)
        return DAE_START_INCONSISTENT;
    if (g->outcome != INIT_CONSISTENT) return DAE_START_UNSOLVED;
    return g->missing ? DAE_START_UNDERDETERMINED : DAE_START_CONSISTENT;
}

static dae_status take_findings(examination *x)
{
    analysis *a = x->a;
    const init_findings *g = &a->last.findings;
    dae_start_findings *f = &a->found.start;
    dae_status st;
    f->verdict = verdict_of(x);
    f->missing = g->missing;
    f->is_too_large = g->is_uncounted;
    f->residual = g->residual;
    f->iterations = g->iterations;
    f->homotopy_count = g->homotopy.count;
    f->homotopy_slot = slot_at(x, g->homotopy.slot);
    f->homotopy_guess = g->homotopy.guess;
    if (g->homotopy.count && g->z) f->homotopy_value = g->z[g->homotopy.slot];
    if ((st = take_given(x)) || (st = take_stall(x))
        || (st = take_parties(x, g->redundant,
                g->redundant ? g->redundant_count : 0, &f->redundant,
                &f->redundant_count))
        || (st = take_parties(x, g->conflicts, g->conflict_count, &f->conflicts,
                &f->conflict_count))
        || (st = take_slots(x, g->could_fix, g->could_fix_count, &f->could_fix,
                &f->could_fix_count))
        || (st = take_slots(x, g->undetermined, g->undetermined_count,
                &f->undetermined, &f->undetermined_count)))
        return st;
    const size_t q = set_shown(g);
    f->conflict_is_proved = g->conflict_count > 0 && q < g->failure.set_count
        && g->failure.sets[q].is_proved;
    if (!g->z) return DAE_OK;
    if ((st = take_values(x))) return st;
    a->is_consistent = g->outcome == INIT_CONSISTENT;
    if (a->is_consistent) keep_point(a);
    return DAE_OK;
}

dae_status start_examine(analysis *a)
{
    examination *x = &a->last.x;
    examined_clear(&a->last);
    a->is_consistent = false;
    a->found.start = (dae_start_findings){.verdict = DAE_START_UNKNOWN};
    dae_status st = open_examination(x, a);
    if (st == DAE_LIMIT || st == DAE_UNSUPPORTED) {
        examined_clear(&a->last);
        a->found.start.is_too_large = st == DAE_LIMIT;
        return DAE_OK; /* too much to differentiate: not examined */
    }
    if (!st) st = ask(x);
    if (!st) st = take_findings(x);
    return st;
}

void examined_clear(examined_start *e)
{
    close_examination(&e->x);
    init_findings_clear(&e->findings);
}
