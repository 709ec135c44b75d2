/* Which slot a side is nobody says, so it is requested: every slot gets a value
 * that tells its number, and a side with just that value is the slot. A formula
 * of time alone has a value where all slots are NaN. Each is asked twice, with
 * other numbers. */
#include "closed_form.h"
#include "memory.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Where lines are looked at: a part of the interval that no formula begins or
 * ends at. */
static const double PLACE = 0.3819;
/* Numbers of slots lie between those that models are full of. */
static const double HALF = 0.5;

/* ---- finding the lines ---- */

static size_t slot_count(const closed_form *c)
{
    return c->states + c->unknowns;
}

static dae_status observe(closed_form *c, dae_long t)
{
    return dae_model_observe_long(
        c->model, t, c->slots, c->slots + c->states, c->observed);
}

static dae_status observe_time(closed_form *c, dae_long t)
{
    for (size_t s = 0; s < slot_count(c); s++) c->slots[s] = (dae_long)NAN;
    return observe(c, t);
}

static size_t slot_of(const closed_form *c, dae_long value)
{
    const double k = (double)value - HALF;
    if (!(k >= 0 && k < (double)slot_count(c))) return SIZE_MAX;
    return fabs(k - floor(k)) > 0 ? SIZE_MAX : (size_t)k;
}

/* The slot that the left side of each line is; SIZE_MAX: none. */
static dae_status find_slots(closed_form *c, dae_long t, size_t *slots)
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
    closed_form *c, dae_long t, double widest, const size_t *slots)
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

dae_status closed_form_init(closed_form *c, dae_model *model,
    const dae_problem *problem, double t0, double t1, double widest)
{
    *c = (closed_form){
        .model = model, .problem = problem, .scale = fabs(t1 - t0)};
    c->unknowns = problem->unknown_count;
    c->states = dae_problem_state_count(problem);
    const size_t values = dae_model_observation_count(model);
    c->source = memory_take(slot_count(c) + 1, sizeof *c->source);
    c->slots = memory_take(slot_count(c) + 1, sizeof *c->slots);
    c->observed = memory_take(values + 1, sizeof *c->observed);
    size_t *slots = memory_take(
        dae_model_expect_count(model) + 1, sizeof *slots);
    const dae_long t = (dae_long)(t0 + PLACE * (t1 - t0));
    dae_status st = DAE_MEMORY;
    if (c->source && c->slots && c->observed && slots) {
        for (size_t s = 0; s < slot_count(c); s++) c->source[s] = SIZE_MAX;
        st = find_slots(c, t, slots);
        if (!st) st = note_formulas(c, t, widest, slots);
    }
    memory_drop(slots);
    return st;
}

void closed_form_clear(closed_form *c)
{
    memory_drop(c->source);
    memory_drop(c->slots);
    memory_drop(c->observed);
    memset(c, 0, sizeof *c);
}

/* ---- what is there ---- */

bool closed_form_has(const closed_form *c, size_t state)
{
    return c->source[state] != SIZE_MAX;
}

bool closed_form_is_complete(const closed_form *c)
{
    for (size_t s = 0; s < c->states; s++)
        if (!closed_form_has(c, s)) return false;
    return true;
}

static int order_of(const closed_form *c, size_t unknown)
{
    return c->problem->order ? c->problem->order[unknown] : 1;
}

/* ---- values ---- */

dae_status closed_form_states(closed_form *c, dae_long t, dae_long *x)
{
    const dae_status st = observe_time(c, t);
    for (size_t s = 0; !st && s < c->states; s++)
        x[s] = closed_form_has(c, s) ? c->observed[c->source[s]]
                                     : (dae_long)NAN;
    return st;
}

/* Of a difference in time, by the interval: what the formula's fourth order
 * leaves and rounding are alike. */
static const double PART = 1e-3;

/* Adds `factor` times the states at t to the slopes of the highest. */
static dae_status add_states(
    closed_form *c, double t, double factor, double *xp)
{
    const dae_status st = observe_time(c, (dae_long)t);
    size_t high = 0;
    for (size_t j = 0; !st && j < c->unknowns; j++) {
        const int order = order_of(c, j);
        high += order > 1 ? (size_t)order : 1;
        if (order > 0 && closed_form_has(c, high - 1))
            xp[j] += factor * (double)c->observed[c->source[high - 1]];
    }
    return st;
}

static dae_status fill_slopes(closed_form *c, double t, double *xp)
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

dae_status closed_form_at(void *self, double t, double *x, double *xp)
{
    closed_form *c = self;
    dae_status st = DAE_OK;
    if (xp) st = fill_slopes(c, t, xp);
    if (!st) st = observe_time(c, (dae_long)t);
    if (st) return st;
    for (size_t s = 0; x && s < c->states; s++) {
        x[s] = (double)NAN;
        if (!closed_form_has(c, s)) continue;
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
