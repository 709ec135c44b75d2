/* Which slot a side is nobody says, so it is requested: every slot gets a value
 * that tells its number, and a side with just that value is the slot. A formula
 * of time alone has a value where all slots are NaN. Each is asked twice, with
 * other numbers. */
#include <dae/closed_form.h>

#include "base/arena.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Where lines are looked at: a part of the interval that no formula begins or
 * ends at. */
static const double PLACE = 0.3819;
/* Numbers of slots lie between those that models are full of. */
static const double HALF = 0.5;

struct dae_closed_form {
    arena memory;
    dae_model *model;
    const dae_problem *problem;
    size_t states, unknowns; /* of the problem: N, n */
    /* The observation that gives each of x (N), then xp (n); SIZE_MAX: none. */
    size_t *source;
    dae_long *slots;    /* N + n: what is asked about */
    dae_long *observed; /* every observation of the model */
    double scale;       /* of time, for differences */
};

/* ---- finding the lines ---- */

static size_t slot_count(const dae_closed_form *c)
{
    return c->states + c->unknowns;
}

static dae_status observe(dae_closed_form *c, dae_long t)
{
    return dae_model_observe_long(
        c->model, t, c->slots, c->slots + c->states, c->observed);
}

static dae_status observe_time(dae_closed_form *c, dae_long t)
{
    for (size_t s = 0; s < slot_count(c); s++) c->slots[s] = (dae_long)NAN;
    return observe(c, t);
}

static size_t slot_of(const dae_closed_form *c, dae_long value)
{
    const double k = (double)value - HALF;
    if (!(k >= 0 && k < (double)slot_count(c))) return SIZE_MAX;
    return fabs(k - floor(k)) > 0 ? SIZE_MAX : (size_t)k;
}

/* The slot that the left side of each line is; SIZE_MAX: none. */
static dae_status find_slots(dae_closed_form *c, dae_long t, size_t *slots)
{
    for (int pass = 0; pass < 2; pass++) {
        const double sign = pass ? -1 : 1;
        for (size_t s = 0; s < slot_count(c); s++)
            c->slots[s] = (dae_long)(sign * ((double)s + HALF));
        const dae_status st = observe(c, t);
        if (st) return st;
        for (size_t k = 0; k < dae_model_expect_count(c->model); k++) {
            const dae_expect *e = dae_model_expect_at(c->model, k);
            const bool is_near = e->kind == DAE_EXPECT_NEAR
                && e->place == DAE_EXPECT_ALWAYS;
            const size_t slot = is_near
                ? slot_of(c, (dae_long)sign * c->observed[e->left])
                : SIZE_MAX;
            slots[k] = pass && slots[k] != slot ? SIZE_MAX : slot;
        }
    }
    return DAE_OK;
}

static dae_status note_formulas(
    dae_closed_form *c, dae_long t, double widest, const size_t *slots)
{
    const dae_status st = observe_time(c, t);
    for (size_t k = 0; !st && k < dae_model_expect_count(c->model); k++) {
        if (slots[k] == SIZE_MAX || c->source[slots[k]] != SIZE_MAX) continue;
        const dae_expect *e = dae_model_expect_at(c->model, k);
        const double value = (double)c->observed[e->right];
        const double most = (double)c->observed[e->within];
        if (isfinite(value) && most <= widest * (1 + fabs(value)))
            c->source[slots[k]] = e->right;
    }
    return st;
}

static dae_status find_lines(
    dae_closed_form *c, double t0, double t1, double widest)
{
    const size_t values = dae_model_observation_count(c->model);
    c->scale = fabs(t1 - t0);
    c->unknowns = c->problem->unknown_count;
    c->states = dae_problem_state_count(c->problem);
    c->source = ARENA_ARRAY(&c->memory, size_t, slot_count(c));
    c->slots = ARENA_ARRAY(&c->memory, dae_long, slot_count(c));
    c->observed = ARENA_ARRAY(&c->memory, dae_long, values);
    size_t *slots = ARENA_ARRAY(
        &c->memory, size_t, dae_model_expect_count(c->model));
    const dae_long t = (dae_long)(t0 + PLACE * (t1 - t0));
    if (!c->source || !c->slots || !c->observed || !slots) return DAE_MEMORY;
    for (size_t s = 0; s < slot_count(c); s++) c->source[s] = SIZE_MAX;
    const dae_status st = find_slots(c, t, slots);
    return st ? st : note_formulas(c, t, widest, slots);
}

dae_status dae_closed_form_create(dae_model *model, const dae_problem *problem,
    double t0, double t1, double widest, const dae_allocator *allocator,
    dae_closed_form **out)
{
    if (out) *out = NULL;
    if (!out || !model || !problem) return DAE_ARGUMENT;
    const dae_allocator *a = alloc_or_default(allocator);
    dae_closed_form *c = alloc_zeroed(a, 1, sizeof *c);
    if (!c) return DAE_MEMORY;
    arena_init(&c->memory, a, 0);
    c->model = model;
    c->problem = problem;
    const dae_status st = find_lines(c, t0, t1, widest);
    if (st) dae_closed_form_free(c);
    else *out = c;
    return st;
}

void dae_closed_form_free(dae_closed_form *c)
{
    if (!c) return;
    const dae_allocator *a = c->memory.allocator;
    arena_clear(&c->memory);
    alloc_free(a, c, 1, sizeof *c);
}

/* ---- what is there ---- */

int dae_closed_form_has(const dae_closed_form *c, size_t state)
{
    return c && state < c->states && c->source[state] != SIZE_MAX;
}

int dae_closed_form_is_complete(const dae_closed_form *c)
{
    for (size_t s = 0; c && s < c->states; s++)
        if (!dae_closed_form_has(c, s)) return 0;
    return c != NULL;
}

static int order_of(const dae_closed_form *c, size_t unknown)
{
    return c->problem->order ? c->problem->order[unknown] : 1;
}

/* ---- values ---- */

dae_status dae_closed_form_states(dae_closed_form *c, dae_long t, dae_long *x)
{
    if (!c || !x) return DAE_ARGUMENT;
    const dae_status st = observe_time(c, t);
    for (size_t s = 0; !st && s < c->states; s++)
        x[s] = dae_closed_form_has(c, s) ? c->observed[c->source[s]]
                                         : (dae_long)NAN;
    return st;
}

/* Of a difference in time, by the interval: what the formula's fourth order
 * leaves and rounding are alike. */
static const double PART = 1e-3;

/* Adds `factor` times the states at t to the slopes of the highest. */
static dae_status add_states(
    dae_closed_form *c, double t, double factor, double *xp)
{
    const dae_status st = observe_time(c, (dae_long)t);
    size_t high = 0;
    for (size_t j = 0; !st && j < c->unknowns; j++) {
        const int order = order_of(c, j);
        high += order > 1 ? (size_t)order : 1;
        if (order > 0 && dae_closed_form_has(c, high - 1))
            xp[j] += factor * (double)c->observed[c->source[high - 1]];
    }
    return st;
}

static dae_status fill_slopes(dae_closed_form *c, double t, double *xp)
{
    static const double factors[] = {1, -8, 0, 8, -1};
    const double step = PART * c->scale;
    dae_status st = DAE_OK;
    memset(xp, 0, c->unknowns * sizeof *xp);
    for (int k = 0; k < 5 && !st; k++)
        if (k != 2)
            st = add_states(
                c, t + (k - 2) * step, factors[k] / (12 * step), xp);
    return st;
}

dae_status dae_closed_form_at(void *self, double t, double *x, double *xp)
{
    dae_closed_form *c = self;
    if (!c) return DAE_ARGUMENT;
    dae_status st = DAE_OK;
    if (xp) st = fill_slopes(c, t, xp);
    if (!st) st = observe_time(c, (dae_long)t);
    if (st) return st;
    for (size_t s = 0; x && s < c->states; s++) {
        x[s] = (double)NAN;
        if (!dae_closed_form_has(c, s)) continue;
        x[s] = (double)c->observed[c->source[s]];
        if (!isfinite(x[s])) return DAE_RETRY;
    }
    for (size_t j = 0; xp && j < c->unknowns; j++) {
        const size_t source = c->source[c->states + j];
        if (source != SIZE_MAX) xp[j] = (double)c->observed[source];
        if (!isfinite(xp[j])) xp[j] = 0; /* only a first guess hangs on it */
    }
    return DAE_OK;
}
