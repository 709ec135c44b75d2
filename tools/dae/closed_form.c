#include "closed_form.h"
#include "memory.h"
#include <math.h>
#include <string.h>

/* ---- finding the lines ---- */

/* Two sets of values that nothing else has show which slot the left side is. */
static double tag(size_t slot, int set)
{
    return set ? 0.73 + 1e-3 * (double)slot : 3.1 + 7e-3 * (double)slot;
}

/* Values are called at most this uncertain, beside 1 and their size. */
static const double narrow = 1e-3;

/* The expectation's right side where it depends on nothing, NaN else; the
 * observations have been made of unknowns that are NaN. */
static bool is_closed(const closed_form *c, const dae_expect *e)
{
    if (e->kind != DAE_EXPECT_NEAR || e->place != DAE_EXPECT_ALWAYS)
        return false;
    const double value = c->observed[e->right], most = c->observed[e->within];
    return isfinite(value) && most <= narrow * (1 + fabs(value));
}

static dae_status observe(closed_form *c, double t, const double *slots)
{
    return dae_model_observe(
        c->model, t, slots, slots + c->states, c->observed);
}

/* Marks the lines that are closed forms, by their number. */
static dae_status mark_closed(closed_form *c, double t, bool *closed)
{
    const dae_status st = observe(c, t, c->nothing);
    for (size_t k = 0; !st && k < dae_model_expect_count(c->model); k++)
        closed[k] = is_closed(c, dae_model_expect_at(c->model, k));
    return st;
}

/* Keeps of each slot's candidates those that have its tag of this set. */
static dae_status match(
    closed_form *c, double t, const bool *closed, int set, size_t *line)
{
    const size_t slots = c->states + c->unknowns;
    double *tags = memory_take(slots + 1, sizeof *tags);
    if (!tags) return DAE_MEMORY;
    for (size_t s = 0; s < slots; s++) tags[s] = tag(s, set);
    const dae_status st = observe(c, t, tags);
    for (size_t k = 0; !st && k < dae_model_expect_count(c->model); k++) {
        if (!closed[k]) continue;
        const double left = c->observed[dae_model_expect_at(c->model, k)->left];
        const double place = (left - tag(0, set)) / (tag(1, set) - tag(0, set));
        const double near = round(place);
        const bool is_slot = near >= 0 && near < (double)slots
            && !(fabs(left - tags[(size_t)near]) > 0);
        const size_t slot = is_slot ? (size_t)near : SIZE_MAX;
        if (set == 0) line[k] = slot;
        else if (line[k] != slot) line[k] = SIZE_MAX;
    }
    memory_drop(tags);
    return st;
}

static dae_status find(closed_form *c, double t, bool *closed, size_t *line)
{
    dae_status st = mark_closed(c, t, closed);
    for (int set = 0; set < 2 && !st; set++)
        st = match(c, t, closed, set, line);
    for (size_t k = 0; !st && k < dae_model_expect_count(c->model); k++)
        if (closed[k] && line[k] != SIZE_MAX && c->source[line[k]] == SIZE_MAX)
            c->source[line[k]] = dae_model_expect_at(c->model, k)->right;
    return st;
}

/* ---- what is missing ---- */

static dae_status refuse(const dae_problem *p, size_t j, int order, messages *m)
{
    char name[256], slot[300];
    (void)p->name(p->self, DAE_NAME_UNKNOWN, j, name, sizeof name);
    (void)snprintf(slot, sizeof slot, "%s%.*s", name, order, "'''''''");
    messages_add(m, "E0514", DAE_ERROR, NULL, NULL,
        "the model says no closed form of `%s`: a line `expect %s ~ ... within "
        "... always` whose right side depends on time alone gives one; or "
        "begin with --start fine or --start ramp",
        slot, slot);
    return DAE_ARGUMENT;
}

/* Every state has a line. */
static dae_status check(const closed_form *c, const dae_problem *p, messages *m)
{
    size_t s = 0;
    for (size_t j = 0; j < c->unknowns; j++) {
        const int order = p->order ? p->order[j] : 1;
        for (int o = 0; o < (order > 1 ? order : 1); o++, s++)
            if (c->source[s] == SIZE_MAX) return refuse(p, j, o, m);
    }
    return DAE_OK;
}

dae_status closed_form_init(closed_form *c, dae_model *model,
    const dae_problem *problem, double t0, double t1, messages *m)
{
    *c = (closed_form){.model = model, .scale = fabs(t1 - t0)};
    c->unknowns = problem->unknown_count;
    c->states = dae_problem_state_count(problem);
    const size_t slots = c->states + c->unknowns;
    const size_t lines = dae_model_expect_count(model);
    c->source = memory_take(slots + 1, sizeof *c->source);
    c->nothing = memory_take(slots + 1, sizeof *c->nothing);
    c->observed = memory_take(
        dae_model_observation_count(model) + 1, sizeof *c->observed);
    bool *closed = memory_take(lines + 1, sizeof *closed);
    size_t *line = memory_take(lines + 1, sizeof *line);
    dae_status st = DAE_MEMORY;
    if (c->source && c->nothing && c->observed && closed && line) {
        for (size_t s = 0; s < slots; s++) {
            c->source[s] = SIZE_MAX;
            c->nothing[s] = (double)NAN;
        }
        st = find(c, t0 + 0.3819 * (t1 - t0), closed, line);
    }
    memory_drop(closed);
    memory_drop(line);
    return st ? st : check(c, problem, m);
}

void closed_form_clear(closed_form *c)
{
    memory_drop(c->source);
    memory_drop(c->nothing);
    memory_drop(c->observed);
    memset(c, 0, sizeof *c);
}

/* ---- values ---- */

/* Of a difference in time, by the interval: what the formula's fourth order
 * leaves and rounding are alike. */
static const double part = 1e-3;

/* Adds `factor` times the states at t to the slopes of the highest. */
static dae_status add_states(
    closed_form *c, const dae_problem *p, double t, double factor, double *xp)
{
    const dae_status st = observe(c, t, c->nothing);
    size_t high = 0;
    for (size_t j = 0; !st && j < c->unknowns; j++) {
        const int order = p->order ? p->order[j] : 1;
        high += order > 1 ? (size_t)order : 1;
        if (order > 0) xp[j] += factor * c->observed[c->source[high - 1]];
    }
    return st;
}

static dae_status fill_slopes(
    closed_form *c, const dae_problem *p, double t, double *xp)
{
    static const double factors[] = {1, -8, 0, 8, -1};
    const double step = part * c->scale;
    dae_status st = DAE_OK;
    memset(xp, 0, c->unknowns * sizeof *xp);
    for (int k = 0; k < 5 && !st; k++)
        if (k != 2)
            st = add_states(
                c, p, t + (k - 2) * step, factors[k] / (12 * step), xp);
    return st;
}

dae_status closed_form_at(void *self, double t, double *x, double *xp)
{
    closed_form *c = self;
    dae_status st = DAE_OK;
    if (xp) st = fill_slopes(c, dae_model_problem(c->model), t, xp);
    if (!st) st = observe(c, t, c->nothing);
    if (st) return st;
    for (size_t s = 0; x && s < c->states; s++) {
        x[s] = c->observed[c->source[s]];
        if (!isfinite(x[s])) return DAE_RETRY;
    }
    for (size_t j = 0; xp && j < c->unknowns; j++) {
        const size_t source = c->source[c->states + j];
        if (source != SIZE_MAX) xp[j] = c->observed[source];
        if (!isfinite(xp[j])) xp[j] = 0; /* only a first guess hangs on it */
    }
    return DAE_OK;
}
