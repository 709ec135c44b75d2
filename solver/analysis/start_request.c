/* Prepares a request to start/init.h: the problem itself if no equation is
 * differentiated, else its extended system, with the given values, the
 * tolerances, and which slots may be proposed for conditions. */
#include "analysis/start_request.h"
#include "newton/weights.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum { ENTRIES_MOST = 40000000, LAST_CHOICE = UINT8_MAX - 1 };

dae_slot examination_slot(const examination *x, size_t slot)
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

bool examination_has(const examination *x, size_t slot)
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

bool examination_is_given(const examination *x, size_t slot)
{
    const size_t states = x->layout.states;
    return slot < states ? x->x_fixed[slot] : x->xp_fixed[slot - states];
}

void examination_load(examination *x)
{
    const dae_start *s = x->problem->start;
    const size_t states = x->layout.states, n = x->layout.slots - states;
    if (!s) return;
    if (s->x) memcpy(x->x, s->x, states * sizeof *x->x);
    if (s->xp) memcpy(x->xp, s->xp, n * sizeof *x->xp);
    if (s->x_fixed) memcpy(x->x_fixed, s->x_fixed, states);
    if (s->xp_fixed) memcpy(x->xp_fixed, s->xp_fixed, n);
}

/* Derivatives that follow from what is below them: the highest of the
 * structure, and those that the equations as written hold no lower ones
 * beside (y' where y'' occurs differentiated alone). Guesses are for the others;
 * and where one of these stays open, no condition is missing. */
static bool is_follower(const examination *x, dae_slot s)
{
    const int32_t own = x->a->layout.order[s.unknown];
    return s.order >= x->a->plan.highest[s.unknown]
        || s.order >= (own > 0 ? own : 1);
}

/* A condition is worth proposing for what the structure leaves free to choose,
 * low orders first. The value of an algebraic unknown may be given as well, in
 * place of one that it follows from. */
static void fill_masks(examination *x)
{
    const analysis *a = x->a;
    for (size_t k = 0; k < x->slots; k++) {
        if (!examination_has(x, k)) continue;
        const dae_slot s = examination_slot(x, k);
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
        const size_t j = (size_t)examination_slot(x, k).unknown;
        const double own = weights_tolerance(x->a->problem->scales, j, option);
        x->atol[k] = own > 0 ? own : option;
    }
}

dae_status examination_init(examination *x, analysis *a)
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
    x->has_layout = true;
    if (!take_vectors(x)) return DAE_MEMORY;
    examination_load(x);
    fill_tolerances(x);
    fill_masks(x);
    return DAE_OK;
}

void examination_clear(examination *x)
{
    if (x->has_layout) layout_clear(&x->layout);
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
