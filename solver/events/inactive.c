#include "events/inactive.h"
#include "base/region.h"
#include "events/event_report.h"
#include "events/reinit.h"
#include "events/search.h"
#include "events/sides.h"
#include "events/threshold.h"
#include "reduce/thresholds.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* ---- who looks at a switch ------------------------------------------------------ */

static dae_status is_needed(run *r, size_t k, bool *is)
{
    event_loop *e = r->events;
    dae_status st = DAE_OK;
    memcpy(e->room.needed, e->always, e->held_count);
    if (!e->room.needed[e->of->discrete_count + k])
        st = event_loop_needed(e, r->problem->self, e->room.needed);
    *is = e->room.needed[e->of->discrete_count + k] != 0;
    return st;
}

static dae_status residual_at(
    const run *r, double t, const double *x, const double *xp, double *res)
{
    const dae_problem *p = r->problem;
    return p->residual(p->self, t, x, xp, res);
}

/* Residuals with both sides of switch k, and with one where all states are off by their
 * tolerances. */
static dae_status see_both(
    run *r, size_t k, double t, const double *x, const double *xp, double *room)
{
    event_loop *e = r->events;
    const size_t n = e->unknowns;
    const double kept = e->sides[k];
    double *moved = room + 3 * n;
    unsigned seed = 1;
    for (size_t i = 0; i < e->states; i++)
        moved[i] = x[i]
            + threshold_share(&seed)
                * (r->options.rtol * fabs(x[i]) + r->options.atol);
    e->sides[k] = 1;
    dae_status st = residual_at(r, t, x, xp, room);
    e->sides[k] = e->of->switches[k].kind == DAE_SWITCH_SIGN ? -1 : 0;
    if (!st) st = residual_at(r, t, x, xp, room + n);
    if (!st) st = residual_at(r, t, moved, xp, room + 2 * n);
    e->sides[k] = kept;
    return st;
}

/* Whether the two branches agree to tolerance: one in place of the other changes
 * residuals by no more than the values do that change by their tolerances, and no when
 * looks at the switch. */
static dae_status do_agree(
    run *r, size_t k, double t, const double *x, const double *xp, bool *agree)
{
    const event_loop *e = r->events;
    const size_t n = e->unknowns, all = 3 * n + e->states;
    *agree = false;
    if (e->room.needed[e->of->discrete_count + k] & DAE_NEEDED_EVENTS)
        return DAE_OK;
    double *room = alloc_zeroed(r->allocator, all, sizeof *room);
    if (!room) return DAE_MEMORY;
    const dae_status st = see_both(r, k, t, x, xp, room);
    *agree = !st;
    for (size_t i = 0; i < n && *agree; i++)
        *agree = fabs(room[i] - room[n + i])
            <= fabs(room[2 * n + i] - room[n + i]);
    alloc_free(r->allocator, room, all, sizeof *room);
    return st == DAE_RETRY ? DAE_OK : st;
}

/* ---- inactive ------------------------------------------------------------------- */

static void inactive_put(event_loop *e, size_t k, uint8_t how)
{
    e->sides[k] = (double)NAN;
    e->inactive.how[k] = how;
}

/* It becomes active, on the side where g is. */
static void inactive_end(event_loop *e, size_t k, double g)
{
    e->sides[k] = region_value(e->of->switches[k].kind, g);
    e->inactive.how[k] = ACTIVE;
}

/* At a pole it jumps, and is beyond all thresholds. */
static bool has_value(const event_loop *e, size_t k, double g)
{
    return isfinite(g) || (isinf(g) && e->stop.jumps[k]);
}

bool inactive_any(const event_loop *e)
{
    for (size_t k = 0; k < e->of->switch_count; k++)
        if (e->inactive.how[k]) return true;
    return false;
}

/* ---- at equilibrium on a threshold ------------------------------------------------ */

/* Whether the equations lead a switch beyond its threshold is seen on both sides of it, a
 * thousandth of a tolerance away: at the place itself, which is known to rounding
 * alone, sqrt(h) says nothing. */

static bool is_at_equilibrium(const event_loop *e, size_t k)
{
    return e->inactive.how[k] == EQUILIBRIUM || e->inactive.how[k] == AGREEING;
}

/* Whether one that is inactive so is ten tolerances away. */
static bool equilibrium_has_left(const event_loop *e, size_t k, double g)
{
    return is_at_equilibrium(e, k)
        && fabs(g - threshold_near(e, k, g)) > e->inactive.width[k];
}

/* Makes switch k inactive on its threshold, EQUILIBRIUM or AGREEING, by e->point.g and
 * e->point.noise. */
static void equilibrium_put(event_loop *e, size_t k, uint8_t how)
{
    const double threshold = threshold_nearest(e, k);
    e->inactive.width[k] = HAS_LEFT * e->point.noise[k];
    e->inactive.side[k] = region_value(e->of->switches[k].kind, threshold);
    inactive_put(e, k, how);
}

static void activate_at(event_loop *e, size_t k, double side)
{
    e->sides[k] = side;
    e->inactive.how[k] = ACTIVE;
}

dae_status equilibrium_conditions(
    run *r, double t, const double *x, const double *xp)
{
    event_loop *e = r->events;
    if (e->of->when_count == 0) return DAE_OK;
    for (size_t k = 0; k < e->of->switch_count; k++)
        if (is_at_equilibrium(e, k)) e->sides[k] = e->inactive.side[k];
    const dae_status st = e->of->conditions(
        r->problem->self, t, x, xp, e->whens.conditions);
    for (size_t k = 0; k < e->of->switch_count; k++)
        if (is_at_equilibrium(e, k)) e->sides[k] = (double)NAN;
    return st;
}

/* ---- on both sides of a threshold ---------------------------------------------------- */

/* One state by which g is moved, and how far it goes for 1 of g; 0: there is none. */
typedef struct mover {
    size_t state;
    double per_g;
} mover;

static double change_of(const run *r, size_t i, unsigned *seed)
{
    const double x = fabs(r->events->point.x[i]);
    return threshold_share(seed) * (r->options.rtol * x + r->options.atol);
}

/* What changes of the states from `first` to `last`, by parts of their tolerances, make
 * of g. */
static dae_status change_by(
    run *r, double t, size_t k, size_t first, size_t last, double *change)
{
    event_loop *e = r->events;
    unsigned seed = 1;
    memcpy(e->room.x, e->point.x, e->states * sizeof *e->point.x);
    for (size_t i = first; i < last; i++)
        e->room.x[i] += change_of(r, i, &seed);
    const dae_status st = e->of->roots(
        r->problem->self, t, e->room.x, e->point.xp, e->room.g);
    *change = st ? 0 : e->room.g[k] - e->point.g_unset[k];
    if (isnan(*change)) *change = 0;
    return st == DAE_RETRY ? DAE_OK : st;
}

/* By halves: the one that moves g more. */
static dae_status find_mover(run *r, double t, size_t k, mover *m)
{
    event_loop *e = r->events;
    size_t first = 0, last = e->states;
    double left = 0, right = 0;
    *m = (mover){0};
    dae_status st = e->of->roots(
        r->problem->self, t, e->point.x, e->point.xp, e->point.g_unset);
    /* a state of the caller's may be none of the equations that are stepped */
    if (st || r->reduction) return st;
    while (last - first > 1 && !st) {
        const size_t middle = first + (last - first) / 2;
        st = change_by(r, t, k, first, middle, &left);
        if (!st) st = change_by(r, t, k, middle, last, &right);
        if (fabs(left) >= fabs(right)) last = middle;
        else first = middle;
    }
    if (!st) st = change_by(r, t, k, first, last, &left);
    const double moved = e->room.x[first] - e->point.x[first];
    *m = (mover){first, left != 0 ? moved / left : 0};
    return st == DAE_RETRY ? DAE_OK : st;
}

/* dg/dt in the direction of the run, a time s later, from where that state is off.
 * DAE_RETRY: nothing is known. */
static dae_status rate_later(run *r, double t, double s, size_t k, size_t state,
    double off, double *rate)
{
    event_loop *e = r->events;
    const double by = r->direction * threshold_short_time(r);
    dae_status st = reinit_beside(r, t, s, state, off);
    if (!st)
        st = e->of->roots(
            r->problem->self, t + s, e->room.x, e->room.xp, e->room.g);
    if (st) return st;
    const double from = e->room.g[k];
    threshold_move(r, by, e->room.x, e->room.xp);
    st = e->of->roots(
        r->problem->self, t + s, e->room.x, e->room.xp, e->room.g);
    *rate = (e->room.g[k] - from) / fabs(by);
    return st ? st : isnan(*rate) ? DAE_RETRY : DAE_OK;
}

/* The same from where g is `at`, a little later, as slopes may begin at 0; where that is
 * beyond what the equations can do, at once. NaN: nothing is known. */
static dae_status rate_from(
    run *r, double t, size_t k, const mover *m, double at, double *rate)
{
    const double off = (at - r->events->point.g_unset[k]) * m->per_g;
    const double s = r->direction * threshold_short_time(r);
    dae_status st = rate_later(r, t, s, k, m->state, off, rate);
    if (st == DAE_RETRY) st = rate_later(r, t, 0, k, m->state, off, rate);
    if (st) *rate = (double)NAN;
    return st == DAE_RETRY ? DAE_OK : st;
}

/* Whether the equations at e->point.x lead g nowhere from its threshold, and come to it from one
 * side at most: else it slides, or goes through. Switches at hand are free. */
static dae_status is_led_nowhere(
    run *r, double t, size_t k, double noise, bool *is)
{
    const stepper *at = &r->engine->stepper;
    const double length = at->interval > 0 ? at->interval : fabs(at->h);
    const double beside = NEGLIGIBLE * noise, most = beside / length;
    double above = 0, below = 0;
    mover m;
    *is = false;
    /* what is less than rounding of g in the time of a rate is not seen */
    if (!(r->events->point.rounding[k] <= most * threshold_short_time(r)))
        return DAE_OK;
    dae_status st = find_mover(r, t, k, &m);
    const double threshold = threshold_near(
        r->events, k, r->events->point.g_unset[k]);
    if (!st) st = rate_from(r, t, k, &m, threshold + beside, &above);
    if (!st) st = rate_from(r, t, k, &m, threshold - beside, &below);
    const bool is_led = above > most || below < -most;
    const bool is_calm = !(fabs(above) > most) || !(fabs(below) > most);
    const double less = fmin(fabs(above), fabs(below));
    const bool is_through = m.per_g != 0 && above * below > 0
        && ALIKE * less > fmax(fabs(above), fabs(below));
    const bool is_known = !isnan(above) || !isnan(below);
    *is = !st && is_known && !is_led && is_calm && !is_through;
    return st;
}

static void free_crossings(event_loop *e)
{
    for (size_t c = 0; c < e->stop.crossing_count; c++) {
        const size_t k = e->stop.crossing[c];
        if (e->of->switches[k].domain == DAE_DOMAIN_POINT && !e->stop.jumps[k])
            e->sides[k] = (double)NAN;
    }
}

/* Where it may only touch, by states alone. */
static bool may_rest(run *r, size_t k)
{
    const event_loop *e = r->events;
    const uint8_t reads = e->of->switches[k].reads;
    if (e->of->switches[k].domain != DAE_DOMAIN_POINT || e->stop.jumps[k])
        return false;
    if (e->locked.is[k] || e->inactive.how[k]) return false;
    return reads != 0 && !(reads & DAE_READS_REST)
        && threshold_distance(e, k) <= e->point.noise[k]
        && threshold_may_touch(r, k, threshold_rate_before(r, k));
}

dae_status equilibrium_rest(run *r)
{
    event_loop *e = r->events;
    const size_t size = e->of->switch_count * sizeof *e->sides;
    dae_status st = DAE_OK;
    if (e->stop.crossing_count > 0) st = threshold_measure(r, e->stop.t);
    for (size_t c = e->stop.crossing_count; c-- > 0 && !st;) {
        const size_t k = e->stop.crossing[c];
        bool is = may_rest(r, k);
        if (is)
            st = reinit_is_determined_with(
                r, e->stop.t, k, e->stop.crossing_to[c], &is);
        if (st || !is) continue;
        memcpy(e->room.sides, e->sides, size);
        free_crossings(e);
        st = is_led_nowhere(r, e->stop.t, k, e->point.noise[k], &is);
        memcpy(e->sides, e->room.sides, size);
        if (!st && is) equilibrium_put(e, k, EQUILIBRIUM);
    }
    return st;
}

/* At its threshold, as exactly as a bound keeps it, and nothing is seen to move it. */
static bool has_stopped(const run *r, size_t k)
{
    const event_loop *e = r->events;
    const dae_switch *s = &e->of->switches[k];
    if (s->domain != DAE_DOMAIN_POINT || s->is_kink) return false;
    if (!e->turn.is_near[k] || e->inactive.how[k] || e->locked.is_next[k])
        return false;
    if (fpclassify(e->turn.rate[k]) != FP_ZERO || !(e->point.noise[k] > 0))
        return false;
    /* else whens are asked first: equilibrium_find_stopped */
    if (e->sides[k] != region_value(s->kind, threshold_nearest(e, k)))
        return false;
    const search_crossing *at = event_loop_crossing(e, k);
    if (at && fpclassify(at->slope) == FP_ZERO) return true;
    return r->engine->newton.bounds.count > 0
        && fpclassify(threshold_distance(e, k)) == FP_ZERO;
}

void equilibrium_stopped(run *r)
{
    event_loop *e = r->events;
    for (size_t k = 0; k < e->of->switch_count; k++)
        if (has_stopped(r, k)) equilibrium_put(e, k, EQUILIBRIUM);
}

dae_status equilibrium_free(run *r, size_t k, double t, bool *is_still)
{
    event_loop *e = r->events;
    *is_still = false;
    if (e->of->switches[k].domain != DAE_DOMAIN_POINT) return DAE_OK;
    reinit_show(r, e->point.x, e->point.xp);
    const dae_status st = is_led_nowhere(r, t, k, e->point.noise[k], is_still);
    if (!st && *is_still) equilibrium_put(e, k, EQUILIBRIUM);
    return st;
}

/* At an event, one that is inactive: it becomes active where it has been moved away, or is
 * led away now. */
static dae_status equilibrium_look(run *r, size_t k, double t, double g)
{
    event_loop *e = r->events;
    if (equilibrium_has_left(e, k, g)) {
        inactive_end(e, k, g);
        return DAE_OK;
    }
    bool is_still;
    const dae_status st = is_led_nowhere(
        r, t, k, e->inactive.width[k] / HAS_LEFT, &is_still);
    if (st || is_still) return st;
    activate_at(e, k, e->inactive.side[k]);
    e->turn.is_near[k] = true;
    return DAE_OK;
}

/* ---- in a step -------------------------------------------------------------------- */

static bool any_left(const event_loop *e, const double *g)
{
    for (size_t k = 0; k < e->of->switch_count; k++)
        if (equilibrium_has_left(e, k, g[k])) return true;
    return false;
}

/* Half of what is between two times, until nothing is. */
static bool halve(double from, double to, double *middle)
{
    *middle = from + (to - from) / 2;
    return *middle != from && *middle != to;
}

static double first_time(const search_step *step, double t)
{
    const double least = step->to > step->from ? step->from + step->least
                                               : step->from - step->least;
    const bool is_before = step->to > step->from ? t < least : t > least;
    return is_before ? least : t;
}

/* Makes those active that have left at e->point.g, and lists those of another side now. */
static size_t list_left(event_loop *e, double took)
{
    size_t count = 0;
    for (size_t k = 0; k < e->of->switch_count; k++) {
        if (!equilibrium_has_left(e, k, e->point.g[k])) continue;
        const double off = e->point.g[k] - threshold_near(e, k, e->point.g[k]);
        const region in = region_of(
            e->of->switches[k].kind, e->inactive.side[k]);
        activate_at(e, k, e->inactive.side[k]);
        if (region_beyond(in, e->point.g[k]) > 0)
            e->stop.crossed[count++] = (search_crossing){.index = k,
                .direction = off > 0 ? 1 : -1,
                .slope = off / took,
                .behind = (double)NAN};
    }
    return count;
}

dae_status equilibrium_find_leaving(
    run *r, const search_step *step, search_found *found)
{
    event_loop *e = r->events;
    double from = step->from, middle;
    double to = found->kind == SEARCH_TURNS ? found->t : step->to;
    if (!inactive_any(e)) return DAE_OK;
    dae_status st = step->values(step->self, to, e->point.g);
    if (st || !any_left(e, e->point.g)) return st == DAE_RETRY ? DAE_OK : st;
    while (halve(from, to, &middle) && !st) {
        st = step->values(step->self, middle, e->point.g);
        if (!st && any_left(e, e->point.g)) to = middle;
        else from = middle;
    }
    to = first_time(step, to);
    if (!st) st = step->values(step->self, to, e->point.g);
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    const double took = fabs(to - step->from);
    const size_t count = list_left(e, took > 0 ? took : 1);
    if (count > 0)
        *found = (search_found){SEARCH_TURNS, to, 0, e->stop.crossed, count};
    return DAE_OK;
}

/* On its threshold, where the text says something else than beside it. */
static bool is_on_threshold(const event_loop *e, size_t k, double g)
{
    const dae_switch *s = &e->of->switches[k];
    if (s->domain != DAE_DOMAIN_POINT || s->is_kink || isnan(e->sides[k])
        || s->kind == DAE_SWITCH_SIGN || e->locked.is[k])
        return false;
    return fpclassify(region_beyond(region_of(s->kind, e->sides[k]), g))
        == FP_ZERO
        && region_value(s->kind, g) != e->sides[k];
}

/* The first time of the step from which on it is there. */
static dae_status stopped_at(
    const event_loop *e, const search_step *step, size_t k, double *to)
{
    double from = step->from, middle;
    dae_status st = DAE_OK;
    while (halve(from, *to, &middle) && !st) {
        st = step->values(step->self, middle, e->point.g_unset);
        if (!st && is_on_threshold(e, k, e->point.g_unset[k])) *to = middle;
        else from = middle;
    }
    return st;
}

dae_status equilibrium_find_stopped(
    run *r, const search_step *step, search_found *found)
{
    event_loop *e = r->events;
    if (r->engine->stepper.newton->bounds.count == 0) return DAE_OK;
    const double near = step->to - SHORT_SHARE * (step->to - step->from);
    double *at_end = e->room.sides, first = step->to;
    size_t count = 0;
    dae_status st = step->values(step->self, step->to, at_end);
    if (!st) st = step->values(step->self, near, e->point.g);
    for (size_t k = 0; k < e->of->switch_count && !st; k++) {
        if (!is_on_threshold(e, k, at_end[k])
            || !is_on_threshold(e, k, e->point.g[k]))
            continue;
        const region in = region_of(e->of->switches[k].kind, e->sides[k]);
        double at = near;
        st = stopped_at(e, step, k, &at);
        const bool is_first = count == 0
            || (at < first) == (step->to > step->from);
        if (at != first && !is_first) continue;
        if (at != first) count = 0;
        first = at;
        e->stop.crossed[count++] = (search_crossing){.index = k,
            .direction = at_end[k] >= in.upper ? 1 : -1,
            .behind = (double)NAN};
    }
    if (count > 0 && !st)
        *found = (search_found){
            SEARCH_TURNS, first_time(step, first), 0, e->stop.crossed, count};
    return st == DAE_RETRY ? DAE_OK : st;
}

/* ---- without a value, or not needed ------------------------------------------------ */

/* One without a value: where it is needed, that is said. */
static dae_status look_at(
    run *r, size_t k, double t, const double *x, const double *xp)
{
    bool matters;
    const dae_status st = is_needed(r, k, &matters);
    if (st) return st;
    if (matters) return event_report_undefined(r, DAE_NAME_SWITCH, k, t, x, xp);
    inactive_put(r->events, k, VALUELESS);
    return DAE_OK;
}

static dae_status activate_needed(
    run *r, size_t k, double t, const double *x, const double *xp, double g)
{
    event_loop *e = r->events;
    const bool is_continuous = e->inactive.how[k] == AGREEING;
    bool matters, agree = false;
    dae_status st = is_needed(r, k, &matters);
    if (!st && is_continuous) st = do_agree(r, k, t, x, xp, &agree);
    const bool is_inactive = is_continuous
        ? agree && !equilibrium_has_left(e, k, g)
        : !matters;
    if (!st && !is_inactive) inactive_end(e, k, g);
    return st;
}

static void leave_crossing(event_loop *e, size_t k)
{
    size_t left = 0;
    for (size_t c = 0; c < e->stop.crossing_count; c++) {
        if (e->stop.crossing[c] == k) continue;
        e->stop.crossing[left] = e->stop.crossing[c];
        e->stop.crossing_to[left] = e->stop.crossing_to[c];
        e->stop.crossed[left++] = e->stop.crossed[c];
    }
    e->stop.crossing_count = left;
}

/* At the values before, by what tolerances make of its root function there. */
static dae_status rest_at(run *r, size_t k)
{
    event_loop *e = r->events;
    event_loop_go_back(e);
    dae_status st = threshold_roots(
        r, e->stop.t, e->point.x, e->point.xp, e->point.g);
    if (!st) st = threshold_measure(r, e->stop.t);
    if (!st) equilibrium_put(e, k, AGREEING);
    return st;
}

dae_status inactive_try(run *r, size_t k, bool *is_inactive)
{
    event_loop *e = r->events;
    bool matters, agree = false, is_determined = true;
    dae_status st = is_needed(r, k, &matters);
    if (!st && matters)
        st = do_agree(
            r, k, e->stop.t, e->point.x_before, e->point.xp_before, &agree);
    for (size_t c = 0; c < e->stop.crossing_count && !st; c++)
        if (e->stop.crossing[c] == k)
            st = reinit_is_determined_with(
                r, e->stop.t, k, e->stop.crossing_to[c], &is_determined);
    *is_inactive = !st && (!matters || (agree && is_determined));
    if (!*is_inactive) return st;
    leave_crossing(e, k);
    if (matters) return rest_at(r, k);
    inactive_put(e, k, UNNEEDED);
    return DAE_OK;
}

dae_status inactive_look(run *r, double t, const double *x, const double *xp,
    const double *g, bool is_event)
{
    event_loop *e = r->events;
    dae_status st = DAE_OK;
    for (size_t k = 0; k < e->of->switch_count && !st; k++) {
        if (e->of->switches[k].domain == DAE_DOMAIN_BREAK) continue;
        const uint8_t how = e->inactive.how[k];
        if (!has_value(e, k, g[k])) st = look_at(r, k, t, x, xp);
        else if (how == VALUELESS) inactive_end(e, k, g[k]);
        else if ((how == UNNEEDED || how == AGREEING) && is_event)
            st = activate_needed(r, k, t, x, xp, g[k]);
        else if (how == EQUILIBRIUM && is_event)
            st = equilibrium_look(r, k, t, g[k]);
    }
    return st;
}

/* ---- in a step -------------------------------------------------------------------- */

/* Whether what turns, turns before or where this one was lost, but for rounding. */
static bool is_excused(
    const search_step *step, const search_found *found, double lost_at)
{
    if (found->kind != SEARCH_TURNS) return false;
    const double slack = ROUNDING_LEAVES * fabs(step->to - step->from)
        + UNITS_OFF * DBL_EPSILON * fabs(lost_at);
    const double late = step->to > step->from ? found->t - lost_at
                                              : lost_at - found->t;
    return late <= slack;
}

dae_status inactive_search(run *r, const search_step *step, search_found *found)
{
    event_loop *e = r->events;
    size_t count = 0;
    dae_status st = DAE_OK;
    while (found->kind == SEARCH_LOST && count < e->of->switch_count && !st) {
        e->stop.crossing[count] = found->lost;
        e->stop.crossing_to[count++] = found->t;
        e->room.g[found->lost] = (double)NAN;
        search_forget(e->search);
        st = search_run(e->search, step, found);
    }
    for (size_t c = 0; c < count && !st; c++) {
        const double at = e->stop.crossing_to[c];
        if (is_excused(step, found, at)) continue;
        st = step->values(step->self, at, e->point.g);
        if (st == DAE_RETRY) st = DAE_OK;
        if (!st)
            st = look_at(r, e->stop.crossing[c], at, e->room.x, e->room.xp);
    }
    return st;
}
