#include "step/trough.h"

#include <math.h>
#include <string.h>

/* A Jacobian serves so many steps of a multistep method: a rate of growth changes by a part
 * of itself in one. Where each error falls to a third in a step at least, it serves more
 * of them. One-step methods take steps as long as all that: it serves one. */
enum { steps_per_rate = 4, steps_damped = 16 };
static const double damped = -1;
/* Below so many absolute tolerances: what is allowed is more than a part in 1e4. */
static const double low_most = 10000;
/* What is told: an error of so many tolerances, or one as large as half of the value. */
static const double told_tolerances = 1000, told_share = 0.5;
/* An error of fewer tolerances has died away. */
static const double alive_least = 1e-2;
/* What grows by more within a step is W0533's. */
static const double exponent_most = 2;

/* Where x' and x stand in the only equation with x', if that has no other slope. */
static dae_status find_entries(trough *w, arena *a)
{
    const dae_pattern *p = w->problem->pattern;
    const size_t n = w->layout->unknowns;
    uint32_t *own = ARENA_ARRAY(a, uint32_t, n);
    if (!own) return DAE_MEMORY;
    const arena_position mark = arena_mark(a);
    uint8_t *slopes = ARENA_ARRAY(a, uint8_t, n);
    if (!slopes) return DAE_MEMORY;
    for (int64_t k = p->column_start[n]; k < p->column_start[2 * n]; k++)
        if (slopes[p->row[k]] < 2) slopes[p->row[k]]++;
    for (size_t j = 0; j < n; j++) {
        const int64_t first = p->column_start[n + j];
        const bool is_one = p->column_start[n + j + 1] == first + 1;
        own[j] = TROUGH_NONE;
        if (!is_one || slopes[p->row[first]] != 1) continue;
        for (int64_t k = p->column_start[j]; k < p->column_start[j + 1]; k++)
            if (p->row[k] == p->row[first]) own[j] = (uint32_t)k;
    }
    w->own = own;
    arena_release(a, mark);
    return DAE_OK;
}

dae_status trough_init(
    trough *w, const dae_problem *p, const layout *l, arena *a)
{
    *w = (trough){.layout = l, .memory = a, .state = SIZE_MAX};
    if (!l->is_first_order || !p->pattern || !p->jacobian || !p->series)
        return DAE_OK;
    if (p->pattern->column_start[2 * l->unknowns] >= TROUGH_NONE) return DAE_OK;
    w->problem = p;
    return find_entries(w, a);
}

/* Once, where the first unknown is low. */
static dae_status take_rooms(trough *w)
{
    const size_t states = w->layout->states;
    const int64_t *start = w->problem->pattern->column_start;
    w->rate = ARENA_ARRAY(w->memory, double, states);
    w->since = ARENA_ARRAY(w->memory, double, states);
    w->values = ARENA_ARRAY(
        w->memory, double, (size_t)start[2 * w->layout->unknowns]);
    if (!w->rate || !w->since || !w->values) return DAE_MEMORY;
    w->error = ARENA_ARRAY(w->memory, double, states);
    return w->error ? DAE_OK : DAE_MEMORY;
}

static dae_status measure(trough *w, const trough_point *p)
{
    const dae_problem *of = w->problem;
    const int64_t *start = of->pattern->column_start;
    const dae_status st = of->jacobian(
        of->self, DAE_ALL, p->t, p->x, p->xp, w->values);
    double largest = damped;
    if (st && st != DAE_RETRY) return st;
    for (size_t i = 0; i < w->layout->states && !st; i++) {
        if (!(w->error[i] > 0)) continue;
        const int64_t slope = start[w->layout->unknowns + i];
        const double rate = -w->values[w->own[i]] / w->values[slope];
        w->rate[i] = isfinite(rate) ? rate : 0;
        largest = fmax(largest, w->rate[i] * fabs(p->h));
    }
    w->wait = p->is_long ? 1 : largest > damped ? steps_per_rate : steps_damped;
    return DAE_OK;
}

static void tell(trough *w, const weights *k, const trough_point *p, size_t i)
{
    const double size = w->error[i] * k->plain[i];
    const bool is_large = size > told_tolerances
        || (size > 1 && w->error[i] > told_share * fabs(p->x[i])
            && fabs(p->x[i]) > told_tolerances * k->atol[i]);
    if (!is_large || w->state != SIZE_MAX) return;
    w->state = i;
    w->t = p->t;
    w->made = w->since[i];
    w->size = size;
}

static bool is_low(
    const trough *w, const weights *k, const trough_point *p, size_t i)
{
    return w->own[i] != TROUGH_NONE && fabs(p->x[i]) <= low_most * k->atol[i];
}

/* Of one state; 0: it has none. */
static double carry(
    trough *w, const weights *k, const trough_point *p, size_t i)
{
    const double passed = fabs(p->d[i]) * p->error_constant;
    double e = w->error[i];
    if (e > 0) e *= exp(fmin(w->rate[i] * fabs(p->h), exponent_most));
    if (is_low(w, k, p, i) && passed >= e) {
        e = passed;
        w->since[i] = p->t;
    }
    return e * k->plain[i] > alive_least ? e : 0;
}

dae_status trough_follow(trough *w, const weights *k, const trough_point *p)
{
    if (w->alive > 0 && w->wait == 0) {
        const dae_status st = measure(w, p);
        if (st) return st;
    }
    if (w->wait > 0) w->wait--;
    w->alive = 0;
    for (size_t i = 0; i < w->layout->states; i++) {
        const bool is_new = !w->error || w->error[i] == 0;
        if (is_new && !is_low(w, k, p, i)) continue; /* the usual case */
        const dae_status st = w->error ? DAE_OK : take_rooms(w);
        if (st) return st;
        const double e = w->error[i] = carry(w, k, p, i);
        if (e == 0 || is_new) w->rate[i] = 0;
        if (e == 0) continue;
        w->alive++;
        if (is_new && w->wait > steps_per_rate) w->wait = steps_per_rate;
        if (p->is_long) w->wait = 0;
        tell(w, k, p, i);
    }
    return DAE_OK;
}
