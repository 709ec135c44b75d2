#include "events/locate.h"
#include "base/region.h"
#include "base/report.h"
#include "events/event_report.h"
#include "events/reinit.h"
#include "events/sides.h"
#include "linalg/jacobian.h"
#include "reduce/thresholds.h"
#include "run/failure.h"
#include "step/cut.h"
#include "step/resume.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* ---- who looks at a switch ------------------------------------------------------ */

static double share_of_tolerance(const event_loop *e, double x, unsigned *seed)
{
    const dae_options *o = &e->run->options;
    return threshold_share(seed) * (o->rtol * fabs(x) + o->atol);
}

static dae_status is_needed(event_loop *e, size_t k, bool *is)
{
    dae_status st = DAE_OK;
    memcpy(e->room.needed, e->always, e->held_count);
    if (!e->room.needed[e->of->discrete_count + k])
        st = event_loop_needed(e, e->room.needed);
    *is = e->room.needed[e->of->discrete_count + k] != 0;
    return st;
}

/* Whether the two branches of switch k agree to tolerance: one in place of the other changes
 * residuals by no more than the values do where all states are off by their tolerances. */
static dae_status do_agree(
    event_loop *e, size_t k, const double *x, const double *xp, bool *agree)
{
    const dae_problem *p = e->run->problem;
    const size_t n = e->unknowns, all = 3 * n + e->states;
    const double t = e->stop.t, kept = e->sides[k];
    unsigned seed = 1;
    double *one = alloc_zeroed(e->run->allocator, all, sizeof *one);
    *agree = false;
    if (!one) return DAE_MEMORY;
    double *other = one + n, *off = one + 2 * n, *moved = one + 3 * n;
    for (size_t i = 0; i < e->states; i++)
        moved[i] = x[i] + share_of_tolerance(e, x[i], &seed);
    e->sides[k] = 1;
    dae_status st = p->residual(p->self, t, x, xp, one);
    e->sides[k] = e->at[k].of->kind == DAE_SWITCH_SIGN ? -1 : 0;
    if (!st) st = p->residual(p->self, t, x, xp, other);
    if (!st) st = p->residual(p->self, t, moved, xp, off);
    e->sides[k] = kept;
    *agree = !st;
    for (size_t i = 0; i < n && *agree; i++)
        *agree = fabs(one[i] - other[i]) <= fabs(off[i] - other[i]);
    alloc_free(e->run->allocator, one, all, sizeof *one);
    return st == DAE_RETRY ? DAE_OK : st;
}

/* Whether they do, and no when looks at the switch, or nothing does. */
static dae_status is_idle(
    event_loop *e, size_t k, const double *x, const double *xp, bool *is)
{
    const dae_status st = is_needed(e, k, is);
    *is = false;
    if (st || (e->room.needed[e->of->discrete_count + k] & DAE_NEEDED_EVENTS))
        return st;
    return do_agree(e, k, x, xp, is);
}

/* ---- inactive ------------------------------------------------------------------- */

static bool has_free(const event_loop *e)
{
    bool has_any = false;
    for (size_t k = 0; k < e->count; k++)
        has_any = has_any || e->at[k].inactive == FREE;
    return has_any;
}

static void activate(event_loop *e, size_t k, double side)
{
    e->sides[k] = side;
    e->at[k].inactive = ACTIVE;
    e->has_free = has_free(e);
}

/* On the side where g is. */
static void activate_by(event_loop *e, size_t k, double g)
{
    activate(e, k, region_value(e->at[k].of->kind, g));
}

/* At a pole it jumps, and is beyond all thresholds. */
static bool has_value(const event_loop *e, size_t k, double g)
{
    return isfinite(g) || (isinf(g) && e->at[k].jumps);
}

/* ---- at equilibrium on a threshold ------------------------------------------------ */

/* Whether the equations lead a switch beyond its threshold is seen on both sides of it, a
 * thousandth of a tolerance away: at the place itself, which is known to rounding
 * alone, sqrt(h) says nothing. */

static bool is_at_equilibrium(const event_loop *e, size_t k)
{
    return e->at[k].inactive >= EQUILIBRIUM;
}

/* Whether one that is inactive so is ten tolerances away. */
static bool equilibrium_has_left(const event_loop *e, size_t k, double g)
{
    return is_at_equilibrium(e, k)
        && fabs(g - threshold_near(e, k, g)) > e->at[k].rest_width;
}

/* Makes switch k inactive on its threshold, EQUILIBRIUM or AGREEING, by e->point.g and
 * e->point.noise. */
static void equilibrium_put(event_loop *e, size_t k, uint8_t how)
{
    const double threshold = threshold_nearest(e, k);
    e->at[k].rest_at = threshold;
    e->at[k].rest_width = e->at[k].noise / DIGIT;
    e->at[k].rest_side = region_value(e->at[k].of->kind, threshold);
    e->sides[k] = e->at[k].idle_side = (double)NAN;
    e->at[k].inactive = how;
}

dae_status equilibrium_conditions(event_loop *e)
{
    if (e->of->when_count == 0) return DAE_OK;
    for (size_t k = 0; k < e->count; k++)
        if (is_at_equilibrium(e, k)) e->sides[k] = e->at[k].rest_side;
    const dae_status st = e->of->conditions(e->run->problem->self, e->stop.t,
        e->point.x, e->point.xp, e->whens.conditions);
    for (size_t k = 0; k < e->count; k++)
        if (is_at_equilibrium(e, k)) e->sides[k] = e->at[k].idle_side;
    return st;
}

/* ---- on both sides of a threshold ---------------------------------------------------- */

/* One state by which g is moved, and how far it goes for 1 of g; 0: there is none. */
typedef struct mover {
    size_t state;
    double per_g;
} mover;

/* What changes of the states from `first` to `last`, by parts of their tolerances, make
 * of g; 0: nothing is known. */
static double change_by(
    event_loop *e, size_t k, point at, double g, size_t first, size_t last)
{
    unsigned seed = 1;
    memcpy(e->room.x, at.x, e->states * sizeof *at.x);
    for (size_t i = first; i < last; i++)
        e->room.x[i] += share_of_tolerance(e, e->room.x[i], &seed);
    const dae_status st = threshold_room(e, e->stop.t, at.xp);
    const double change = e->room.g[k] - g;
    return st || isnan(change) ? 0 : change;
}

/* By halves: the one that moves g, of that value at the point, more. A state of the
 * caller's may be none of the equations that are stepped: of a reduced system there is
 * none. */
static mover find_mover(event_loop *e, size_t k, point at, double g)
{
    size_t first = 0, last = e->states;
    if (e->run->reduction) return (mover){0};
    while (last - first > 1) {
        const size_t middle = first + (last - first) / 2;
        const double left = change_by(e, k, at, g, first, middle);
        const double right = change_by(e, k, at, g, middle, last);
        if (fabs(left) >= fabs(right)) last = middle;
        else first = middle;
    }
    const double change = change_by(e, k, at, g, first, last);
    const double moved = e->room.x[first] - at.x[first];
    return (mover){first, change != 0 ? moved / change : 0};
}

/* Straight lines that follow each other, until g is exactly at its threshold. */
enum { LINES = 5 };

/* By the state that moves it, not too far. */
static dae_status project(event_loop *e, size_t k, point at)
{
    const double *weight = e->run->engine->weights.plain;
    memcpy(e->room.x, at.x, e->states * sizeof *at.x);
    dae_status st = threshold_room(e, e->stop.t, at.xp);
    const double g = e->room.g[k], threshold = threshold_near(e, k, g);
    double off = g - threshold;
    if (st || !isfinite(g) || isnan(e->sides[k])
        || region_value(e->at[k].of->kind, g) == e->sides[k])
        return st == DAE_RETRY ? DAE_OK : st;
    const mover m = find_mover(e, k, at, g);
    const double x = at.x[m.state];
    for (int l = 0; l < LINES && !st && fabs(off) > 0; l++) {
        at.x[m.state] -= off * m.per_g;
        memcpy(e->room.x, at.x, e->states * sizeof *at.x);
        st = threshold_room(e, e->stop.t, at.xp);
        off = e->room.g[k] - threshold;
    }
    /* a state at rest on the threshold has left it by less than is seen */
    const double most = 1 / DIGIT / weight[m.state];
    if (st || !(fabs(off) <= 0) || !(fabs(at.x[m.state] - x) <= most))
        at.x[m.state] = x;
    return st == DAE_RETRY ? DAE_OK : st;
}

dae_status thresholds_project(event_loop *e)
{
    dae_status st = DAE_OK;
    for (size_t k = 0; k < e->count && !st && !e->run->reduction; k++)
        if (e->at[k].of->domain == DAE_DOMAIN_POINT
            && !(e->at[k].of->reads & DAE_READS_REST))
            st = project(e, k, e->run->engine->stepper.point);
    return st;
}

/* What is asked of a switch k beside its threshold: its state, and over what time slopes are
 * seen. */
typedef struct beside_threshold {
    size_t k;
    mover m;
    double time;
} beside_threshold;

/* dg/dt in the direction of the run, a time s later, from where that state is off; time
 * moves what the switch itself reads of it, as in t > 2 + 10*x where x stands still.
 * DAE_RETRY: nothing is known. */
static dae_status rate_later(event_loop *e, double s, const beside_threshold *b,
    double off, double *rate)
{
    const bool has_time = e->at[b->k].of->reads & DAE_READS_TIME;
    const point at = {.t = e->stop.t + s, .x = e->room.x, .xp = e->room.xp};
    dae_status st = reinit_ahead(e, s, b->m.state, off);
    if (!st) st = threshold_rate(e, b->k, &at, b->time, has_time, rate);
    return st ? st : isnan(*rate) ? DAE_RETRY : DAE_OK;
}

/* dg/dt; NaN: it is not known. */
typedef struct rates {
    double at_once, later;
} rates;

/* From where g is `at`: at once, and a little later, as slopes may begin at 0; where that is
 * beyond what the equations can do, it is as at once. */
static dae_status rates_from(
    event_loop *e, const beside_threshold *b, double at, rates *out)
{
    const double off = (at - e->point.g_unset[b->k]) * b->m.per_g;
    const double s = e->run->direction * threshold_short_time(e);
    dae_status st = rate_later(e, 0, b, off, &out->at_once);
    if (st) out->at_once = (double)NAN;
    if (!st || st == DAE_RETRY) st = rate_later(e, s, b, off, &out->later);
    if (st) out->later = out->at_once;
    return st == DAE_RETRY ? DAE_OK : st;
}

/* Those at hand: they are at equilibrium, or cross here without a jump and have not been
 * turned. */
static bool is_at_hand(const event_loop *e, size_t k, bool has_turned)
{
    return e->at[k].inactive == EQUILIBRIUM
        || (!has_turned && event_loop_crossing(e, k) && !e->at[k].jumps
            && e->at[k].of->domain == DAE_DOMAIN_POINT);
}

/* As the text has it beside thresholds, or on them. */
static void free_those_at_hand(event_loop *e, bool has_turned, bool are_on)
{
    for (size_t k = 0; k < e->count; k++)
        if (is_at_hand(e, k, has_turned))
            e->sides[k] = are_on
                ? region_value(e->at[k].of->kind, threshold_nearest(e, k))
                : (double)NAN;
}

/* What the equations do with a switch at its threshold: they lead it away, or through it;
 * they do not, and its branches agree; or they do not agree, and it has the side of the
 * threshold itself, or where that one leads it away the side beyond. */
typedef struct rest {
    enum { LED, AGREES, ON, BEYOND } how;
    int beyond; /* -1, 1: where it comes to rest */
} rest;

/* By the rates above, below and on the threshold, and what is none. Where it is led to the
 * threshold from both sides, it slides. */
static rest rest_by(const rates *above, const rates *below, const rates *on,
    const beside_threshold *b, double most)
{
    const double up = above->later, down = below->later;
    const bool is_led = up > most || down < -most;
    const bool is_calm = !(fabs(up) > most) || !(fabs(down) > most);
    const bool is_through = b->m.per_g != 0 && up * down > 0
        && ALIKE * fmin(fabs(up), fabs(down)) > fmax(fabs(up), fabs(down));
    if (is_led || !is_calm || is_through) return (rest){LED, 0};
    const bool falls = fabs(up) > most || above->at_once < -most;
    return fabs(on->later) <= most ? (rest){ON, 0}
                                   : (rest){BEYOND, falls ? -1 : 1};
}

/* Of switch k, by the equations at e->point.x. Those at hand are free. */
static dae_status find_rest(
    event_loop *e, size_t k, double noise, bool has_turned, rest *out)
{
    event_point *p = &e->point;
    const point here = {.x = p->x, .xp = p->xp};
    const stepper *at = &e->run->engine->stepper;
    const double length = at->interval > 0 ? at->interval : fabs(at->h);
    const double beside = NEGLIGIBLE * noise, most = beside / length;
    rates above, below, on;
    *out = (rest){LED, 0};
    /* what is less than rounding of g in the time of a rate is not seen: in a short time,
     * as slopes change, or else in all of the run */
    const bool is_short = e->at[k].rounding <= most * threshold_short_time(e);
    if (!(e->at[k].rounding <= beside)) return DAE_OK;
    memcpy(e->room.sides, e->sides, e->count * sizeof *e->sides);
    free_those_at_hand(e, has_turned, false);
    dae_status st = e->of->roots(
        e->run->problem->self, e->stop.t, p->x, p->xp, p->g_unset);
    const beside_threshold b = {k,
        st ? (mover){0} : find_mover(e, k, here, p->g_unset[k]),
        is_short ? threshold_short_time(e) : length};
    const double threshold = threshold_near(e, k, p->g_unset[k]);
    if (!st) st = rates_from(e, &b, threshold + beside, &above);
    if (!st) st = rates_from(e, &b, threshold - beside, &below);
    free_those_at_hand(e, has_turned, true);
    if (!st) st = rates_from(e, &b, threshold, &on);
    memcpy(e->sides, e->room.sides, e->count * sizeof *e->sides);
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    const bool is_known = is_short ? !isnan(above.later) || !isnan(below.later)
                                   : !isnan(above.later + below.later);
    if (is_known) *out = rest_by(&above, &below, &on, &b, most);
    bool agree = false;
    if (out->how != LED) st = do_agree(e, k, p->x, p->xp, &agree);
    if (agree) *out = (rest){AGREES, 0};
    return st;
}

/* Switch k comes to rest like that. */
static void rest_at(event_loop *e, size_t k, const rest *r)
{
    const uint8_t kind = e->at[k].of->kind;
    equilibrium_put(e, k, EQUILIBRIUM);
    if (r->how == AGREES) return;
    event_switch *s = &e->at[k];
    if (r->how == BEYOND)
        s->rest_side = region_beside(kind, s->rest_at, r->beyond);
    s->idle_side = e->sides[k] = s->rest_side;
}

/* Known by states alone, and at its threshold to tolerance. */
static bool may_rest(const event_loop *e, size_t k)
{
    const event_switch *s = &e->at[k];
    const uint8_t reads = s->of->reads;
    return s->of->domain == DAE_DOMAIN_POINT && !s->jumps && !s->is_locked
        && !s->inactive && reads != 0 && !(reads & DAE_READS_REST)
        && threshold_distance(e, k) <= s->noise;
}

dae_status equilibrium_rest(event_loop *e)
{
    const size_t count = e->stop.crossing_count;
    dae_status st = count > 0 ? threshold_measure(e) : DAE_OK;
    if (count > 0 && !st) st = locate_breaks(e, e->stop.t);
    for (size_t c = count; c-- > 0 && !st;) {
        const size_t k = e->stop.crossed[c].index;
        rest r;
        if (!may_rest(e, k)) continue;
        st = find_rest(e, k, e->at[k].noise, false, &r);
        if (!st && r.how != LED) rest_at(e, k, &r);
    }
    return st;
}

/* At its threshold, as exactly as a bound keeps it, and nothing is seen to move it. */
static bool has_stopped(const event_loop *e, size_t k)
{
    const event_switch *s = &e->at[k];
    if (s->of->domain != DAE_DOMAIN_POINT || s->of->is_kink || !s->is_near
        || s->inactive || s->is_locked_next || fpclassify(s->rate) != FP_ZERO
        || !(s->noise > 0))
        return false;
    /* else whens are asked first: equilibrium_find_stopped */
    if (e->sides[k] != region_value(s->of->kind, threshold_nearest(e, k)))
        return false;
    const search_crossing *at = event_loop_crossing(e, k);
    return (at && fpclassify(at->slope) == FP_ZERO)
        || (e->run->engine->newton.bounds.count > 0
            && fpclassify(threshold_distance(e, k)) == FP_ZERO);
}

void equilibrium_stopped(event_loop *e)
{
    for (size_t k = 0; k < e->count; k++)
        if (has_stopped(e, k)) equilibrium_put(e, k, EQUILIBRIUM);
}

/* At an event, one that is inactive: it becomes active where it has been moved away, or is
 * led away now. */
static dae_status equilibrium_look(event_loop *e, size_t k, double g)
{
    rest r;
    if (equilibrium_has_left(e, k, g)) {
        activate_by(e, k, g);
        return DAE_OK;
    }
    const dae_status st = find_rest(
        e, k, DIGIT * e->at[k].rest_width, true, &r);
    if (st || r.how != LED) return st;
    activate(e, k, e->at[k].rest_side);
    e->at[k].is_near = true;
    return DAE_OK;
}

/* ---- in a step -------------------------------------------------------------------- */

/* Root functions at a t of the last step. */
static dae_status roots_inside(void *self, double t, double *g)
{
    event_loop *e = self;
    const stepper *s = &e->run->engine->stepper;
    const point at = reinit_room(e);
    stepper_at(s, t, at.x, at.xp);
    if (e->stop.is_solved_inside) {
        const dae_status st = reinit_solve(e, t, at);
        if (st && !reinit_has_none(st)) return st;
        if (st) stepper_at(s, t, at.x, at.xp);
    }
    bounds_clip(&s->newton->bounds, at.x);
    reinit_show_room(e);
    return e->of->roots(e->run->problem->self, t, e->room.x, e->room.xp, g);
}

/* On its threshold, where the text says something else than beside it. */
static bool is_on_threshold(const event_loop *e, size_t k, const double *g)
{
    const event_switch *s = &e->at[k];
    const uint8_t kind = s->of->kind;
    if (s->of->domain != DAE_DOMAIN_POINT || s->of->is_kink
        || isnan(e->sides[k]) || kind == DAE_SWITCH_SIGN || s->is_locked)
        return false;
    return fpclassify(region_beyond(region_of(kind, e->sides[k]), g[k]))
        == FP_ZERO
        && region_value(kind, g[k]) != e->sides[k];
}

/* By halves: *to is the first time of the step from which on it is there, as it is at
 * *to. */
static dae_status find_first(event_loop *e, size_t k, double *to)
{
    double from = e->stop.step.from;
    dae_status st = DAE_OK;
    while (!st) {
        const double middle = from + (*to - from) / 2;
        if (middle == from || middle == *to) break;
        st = roots_inside(e, middle, e->point.g_unset);
        if (!st && is_on_threshold(e, k, e->point.g_unset)) *to = middle;
        else from = middle;
    }
    return st;
}

/* The regions that switches are searched in. */
static void set_regions(event_loop *e)
{
    for (size_t k = 0; k < e->count; k++) {
        const event_switch *s = &e->at[k];
        const bool is_left = s->of->domain == DAE_DOMAIN_BREAK || s->is_locked;
        region in = region_of(s->of->kind, is_left ? (double)NAN : e->sides[k]);
        if (!is_left && is_at_equilibrium(e, k))
            in = (region){
                s->rest_at - s->rest_width, s->rest_at + s->rest_width};
        e->lower[k] = in.lower, e->upper[k] = in.upper;
    }
}

/* It is not looked for in the rest of the step. */
static void leave_alone(event_loop *e, size_t k)
{
    e->lower[k] = -HUGE_VAL, e->upper[k] = HUGE_VAL;
}

/* What leaves the threshold on which it has been inactive becomes active, and changes side
 * where the text has another one there. Whether anything changes side. */
static bool activate_leaving(event_loop *e)
{
    search_found *found = &e->stop.found;
    size_t count = 0;
    for (size_t c = 0; c < found->count; c++) {
        const search_crossing at = found->crossings[c];
        const event_switch *s = &e->at[at.index];
        const double g = s->rest_at + at.direction * s->rest_width;
        if (is_at_equilibrium(e, at.index)) {
            activate(e, at.index, s->rest_side);
            leave_alone(e, at.index);
            if (!(region_beyond(region_of(s->of->kind, s->rest_side), g) > 0))
                continue;
        }
        e->stop.crossed[count++] = at;
    }
    found->crossings = e->stop.crossed;
    found->count = count;
    return count > 0;
}

/* Where it has found nothing: those whose bound stops them at their threshold, exactly, so
 * that they are never beyond. */
static dae_status equilibrium_find_stopped(event_loop *e)
{
    const search_step *step = &e->stop.step;
    if (e->run->engine->stepper.newton->bounds.count == 0) return DAE_OK;
    const double near = step->to - SHORT_SHARE * (step->to - step->from);
    double *at_end = e->room.sides, first = near;
    size_t count = 0;
    dae_status st = roots_inside(e, step->to, at_end);
    if (!st) st = roots_inside(e, near, e->point.g);
    for (size_t k = 0; k < e->count && !st; k++) {
        double at = near;
        if (!is_on_threshold(e, k, at_end)
            || !is_on_threshold(e, k, e->point.g))
            continue;
        st = find_first(e, k, &at);
        if (count > 0 && (at - first) * (step->to - step->from) > 0) continue;
        if (at != first) count = 0;
        first = at;
        const region in = region_of(e->at[k].of->kind, e->sides[k]);
        e->stop.crossed[count++] = (search_crossing){.index = k,
            .direction = at_end[k] >= in.upper ? 1 : -1,
            .behind = (double)NAN};
    }
    const double way = step->to > step->from ? 1 : -1;
    const double least = step->from + way * step->least;
    if ((least - first) * way > 0) first = least;
    if (count > 0 && !st)
        e->stop.found = (search_found){
            SEARCH_TURNS, first, 0, e->stop.crossed, count};
    return st == DAE_RETRY ? DAE_OK : st;
}

/* ---- without a value, or not needed ------------------------------------------------ */

/* One without a value: where it is needed, that is said. */
static dae_status look_at(
    event_loop *e, size_t k, double t, const double *x, const double *xp)
{
    bool matters;
    const dae_status st = is_needed(e, k, &matters);
    if (st) return st;
    if (matters) return event_report_undefined(e, DAE_NAME_SWITCH, k, t, x, xp);
    e->sides[k] = e->at[k].idle_side = (double)NAN;
    e->at[k].inactive = VALUELESS;
    return DAE_OK;
}

dae_status inactive_try(event_loop *e, size_t k, bool *is_inactive)
{
    event_stop *stop = &e->stop;
    size_t left = 0;
    dae_status st = is_idle(
        e, k, e->point.x_before, e->point.xp_before, is_inactive);
    if (st || !*is_inactive) return st;
    for (size_t c = 0; c < stop->crossing_count; c++)
        if (stop->crossed[c].index != k)
            stop->crossed[left++] = stop->crossed[c];
    stop->crossing_count = left;
    /* at the values before, by what tolerances make of its root function there */
    event_loop_go_back(e);
    st = threshold_here(e);
    if (!st) st = threshold_measure(e);
    if (!st) equilibrium_put(e, k, AGREEING);
    return st;
}

dae_status inactive_look(event_loop *e, bool is_event)
{
    const double t = is_event ? e->stop.t : e->run->engine->stepper.history.t;
    const double *x = is_event ? e->point.x : e->room.x, *xp = x + e->states;
    const double *g = e->point.g;
    dae_status st = DAE_OK;
    for (size_t k = 0; k < e->count && !st; k++) {
        const uint8_t how = e->at[k].inactive;
        bool agree;
        if (e->at[k].of->domain == DAE_DOMAIN_BREAK) continue;
        if (!has_value(e, k, g[k])) {
            st = look_at(e, k, t, x, xp);
        } else if (how == VALUELESS) {
            activate_by(e, k, g[k]);
        } else if (how == EQUILIBRIUM && is_event) {
            st = equilibrium_look(e, k, g[k]);
        } else if (how == AGREEING && is_event) {
            st = is_idle(e, k, x, xp, &agree);
            if (!st && (!agree || equilibrium_has_left(e, k, g[k])))
                activate_by(e, k, g[k]);
        }
    }
    return st;
}

/* ---- in a step -------------------------------------------------------------------- */

static dae_status search_anew(event_loop *e)
{
    search_forget(e->search);
    return search_run(e->search, &e->stop.step, &e->stop.found);
}

/* Those that lose their values in the step are looked at where they do, and others searched
 * for what comes first. */
static dae_status inactive_search(event_loop *e)
{
    const search_found *found = &e->stop.found;
    search_crossing *lost = e->stop.crossed; /* `to`: when */
    size_t count = 0;
    dae_status st = DAE_OK;
    while (found->kind == SEARCH_LOST && count < e->count && !st) {
        lost[count++] = (search_crossing){.index = found->lost, .to = found->t};
        leave_alone(e, found->lost);
        st = search_anew(e);
    }
    for (; count-- > 0 && !st; lost++) {
        st = roots_inside(e, lost->to, e->point.g);
        if (st == DAE_RETRY) st = DAE_OK;
        if (!st) st = look_at(e, lost->index, lost->to, e->room.x, e->room.xp);
    }
    return st;
}

/* ---- breaks -------------------------------------------------------------------- */

static dae_status next_break(const event_loop *e, double t, double *next)
{
    const dae_events *of = e->of;
    *next = HUGE_VAL * e->run->direction;
    if (!of->next_break) return DAE_OK;
    return of->next_break(
        e->run->problem->self, t, (int)e->run->direction, next);
}

dae_status locate_plan(run *r)
{
    event_loop *e = r->events;
    stepper *s = &r->engine->stepper;
    if (!e) return DAE_OK;
    const bool is_known = (e->break_at - s->history.t) * r->direction > 0;
    if (!is_known) {
        const dae_status st = next_break(e, s->history.t, &e->break_at);
        if (st) return st;
    }
    s->t_stop = e->break_at;
    return DAE_OK;
}

/* Turns that look through each other settle in so many passes, or do not. */
enum { PASSES_MOST = 20 };

static dae_status pass(event_loop *e, double at, bool *has_turned)
{
    *has_turned = false;
    dae_status st = threshold_roots(e, at, e->point.x, e->point.xp, e->room.g);
    if (st) return st;
    for (size_t k = 0; k < e->count; k++) {
        if (e->at[k].of->domain != DAE_DOMAIN_BREAK) continue;
        if (!isfinite(e->room.g[k]))
            return event_report_undefined(
                e, DAE_NAME_SWITCH, k, at, e->point.x, e->point.xp);
        const double to = region_value(e->at[k].of->kind, e->room.g[k]);
        if (to == e->sides[k]) continue;
        e->at[k].has_turned = 1;
        e->sides[k] = to;
        *has_turned = true;
    }
    return DAE_OK;
}

dae_status locate_breaks(event_loop *e, double t)
{
    bool has_turned = false;
    dae_status st = DAE_OK;
    for (size_t k = 0; k < e->count; k++)
        if (e->at[k].of->domain == DAE_DOMAIN_BREAK) has_turned = true;
    for (int m = 0; m < PASSES_MOST && has_turned && !st; m++) {
        double next = 0;
        /* which break is next may have changed */
        st = next_break(e, t, &next);
        /* where there is none, and no end, at any time */
        if (!isfinite(next)) next = t + e->run->direction * (1 + fabs(t));
        if (!st) st = pass(e, t + (next - t) / 2, &has_turned);
    }
    return st;
}

/* ---- inside the step ----------------------------------------------------------- */

/* y' = 1 is T at T but for the last bits. A step that follows would tell, but
 * behind the end of the interval there is none: what goes to its threshold and is not
 * away from it by more than rounding of what it is made of (e->leave_size) has come to it. */
static dae_status measure_at_end(event_loop *e)
{
    const double t = e->run->engine->stepper.history.t;
    if (t != e->run->end || e->leaving_count > 0) return DAE_OK;
    const dae_status st = threshold_see(e, t);
    for (size_t k = 0; k < e->count && !st; k++) {
        const event_switch *s = &e->at[k];
        const bool is_there = s->of->domain != DAE_DOMAIN_BREAK && !s->is_locked
            && threshold_distance(e, k) <= s->rounding
            && s->rounding < s->noise;
        e->leave_size[k] = is_there ? s->rounding / threshold_rounding() : 0;
    }
    return st == DAE_RETRY ? DAE_OK : st;
}

/* Where the step ends: whether they have values again. */
static dae_status look_at_inactive(event_loop *e)
{
    const double t = e->run->engine->stepper.history.t;
    bool has_any = false;
    for (size_t k = 0; k < e->count; k++)
        has_any = has_any || e->at[k].inactive;
    if (!has_any) return DAE_OK;
    const dae_status st = roots_inside(e, t, e->point.g);
    if (st && st != DAE_RETRY) return st;
    return inactive_look(e, false);
}

/* What comes first in the step, located by what the equations solve for where that
 * crosses: dense output knows slopes, and what has no derivative, less well than they do,
 * and would report one crossing of what looks at them as several. */
static dae_status find_crossing(event_loop *e)
{
    event_stop *stop = &e->stop;
    const search_found *found = &stop->found;
    dae_status st = search_run(e->search, &stop->step, &stop->found);
    if (!st && found->kind == SEARCH_LOST) st = inactive_search(e);
    if (st || found->kind != SEARCH_TURNS) return st;
    stop->is_solved_for = e->locked_count > 0;
    for (size_t c = 0; c < found->count && !stop->is_solved_for; c++)
        stop->is_solved_for = isnan(found->crossings[c].behind)
            && threshold_reads_rest(e, found->crossings[c].index);
    if (!stop->is_solved_for) return DAE_OK;
    stop->is_solved_inside = true;
    st = search_anew(e);
    stop->is_solved_inside = false;
    search_forget(e->search);
    return st;
}

/* One that has come back from its threshold is not looked at closer than noise makes g,
 * unless it is beyond where the step ends and the equations, which ask for it, do not lead it
 * back in a short time: voltages of small resistances are never larger. Whether any is. */
static dae_status look_at_leaving(event_loop *e, bool *has_any)
{
    const double t = e->run->engine->stepper.history.t;
    const double brief = threshold_short_time(e);
    dae_status st = DAE_OK;
    *has_any = false;
    if (e->leaving_count == 0) return DAE_OK;
    st = event_loop_needed(e, e->room.needed);
    if (!st) st = roots_inside(e, t, e->point.g);
    memcpy(e->room.kept, e->room.x, e->slots * sizeof *e->room.x);
    const point here = {
        .t = t, .x = e->room.kept, .xp = e->room.kept + e->states};
    for (size_t k = 0; k < e->count && !st; k++) {
        event_switch *s = &e->at[k];
        const region in = region_of(s->of->kind, e->sides[k]);
        const double beyond = region_beyond(in, e->point.g[k]);
        const double way = e->point.g[k] > in.upper ? 1 : -1;
        double rate;
        const uint8_t asks = e->room.needed[e->of->discrete_count + k];
        if (!s->leaves || !(beyond > s->rounding)
            || !(s->of->reads & DAE_READS_STATES)
            || !(asks & DAE_NEEDED_EQUATIONS))
            continue;
        st = threshold_rate(e, k, &here, brief, true, &rate);
        if (st || beyond + way * rate * brief <= 0) continue;
        s->leaves = false;
        e->leave_size[k] = 0;
        e->leaving_count--;
        *has_any = true;
    }
    return st == DAE_RETRY ? DAE_OK : st;
}

static dae_status find(event_loop *e)
{
    const stepper *s = &e->run->engine->stepper;
    const double from = s->history.t - s->last_h;
    search_found *found = &e->stop.found;
    *found = (search_found){.kind = SEARCH_NONE};
    e->stop.is_solved_for = false;
    if (e->count == 0) return DAE_OK;
    dae_status st = locked_check(e, false);
    e->stop.step = (search_step){.from = from,
        .to = s->history.t,
        .least = DOUBTED * DBL_EPSILON * fabs(from),
        .values = roots_inside,
        .self = e,
        .lower = e->lower,
        .upper = e->upper,
        .has_turned = e->stop.from,
        .size = e->leave_size};
    set_regions(e);
    if (!st) st = measure_at_end(e);
    do {
        if (!st) st = find_crossing(e);
    } while (!st && found->kind == SEARCH_TURNS && !activate_leaving(e));
    bool has_left = false;
    if (!st && found->kind == SEARCH_NONE) st = look_at_leaving(e, &has_left);
    if (!st && has_left) st = find_crossing(e);
    if (!st && found->kind == SEARCH_NONE) st = locked_check(e, true);
    if (!st && found->kind == SEARCH_NONE) st = look_at_inactive(e);
    if (!st && found->kind == SEARCH_NONE) st = equilibrium_find_stopped(e);
    if (st || found->kind != SEARCH_LOST) return st;
    (void)roots_inside(e, found->t, e->room.g); /* the values there */
    return event_report_undefined(
        e, DAE_NAME_SWITCH, found->lost, found->t, e->room.x, e->room.xp);
}

static void list(event_loop *e)
{
    const search_found *found = &e->stop.found;
    for (size_t k = 0; k < e->count; k++) e->at[k].jumps = false;
    for (size_t c = 0; c < found->count; c++) {
        search_crossing *at = &e->stop.crossed[c];
        *at = found->crossings[c];
        const uint8_t kind = e->at[at->index].of->kind;
        const region in = region_of(kind, e->sides[at->index]);
        const double threshold = at->direction > 0 ? in.upper : in.lower;
        e->at[at->index].jumps = !isnan(at->behind);
        at->to = isfinite(at->behind)
            ? region_value(kind, at->behind)
            : region_beside(kind, threshold, at->direction);
    }
    e->stop.crossing_count = found->count;
}

/* Whether equations and conditions that are needed have values at a t of the last step, with
 * what turns on its new side or (`before`) on the old one. */
static dae_status have_values(
    event_loop *e, double t, bool is_before, bool *have)
{
    const dae_problem *p = e->run->problem;
    memcpy(e->room.sides, e->sides, e->count * sizeof *e->sides);
    for (size_t c = 0; c < e->stop.crossing_count && !is_before; c++)
        e->sides[e->stop.crossed[c].index] = e->stop.crossed[c].to;
    dae_status st = roots_inside(e, t, e->room.g); /* e->room.x, xp */
    double *res = e->point.xp; /* room until the instant is opened */
    if (!st) st = p->residual(p->self, t, e->room.x, e->room.xp, res);
    *have = !st && !any_overflow(res, p->unknown_count);
    for (size_t k = 0; k < e->count && *have && !st; k++) {
        bool matters = false;
        if (!has_value(e, k, e->room.g[k])) st = is_needed(e, k, &matters);
        *have = !matters;
    }
    memcpy(e->sides, e->room.sides, e->count * sizeof *e->sides);
    return st == DAE_RETRY ? DAE_OK : st;
}

/* A branch that is entered, or the rest of a condition, may have no value at its threshold, or
 * where rounding leaves what it looks at on the other side: `if c > 0 then exp(-1/c) else 0`,
 * `c > 0 and log(c) < -1`. The time of what turns is
 * that at which it has one, no later than states move by a tolerance. */
static dae_status enter_branch(event_loop *e, double end, double *t)
{
    bool has, had;
    dae_status st = have_values(e, *t, false, &has);
    if (!st && !has) st = have_values(e, *t, true, &had);
    if (st || has || !had) return st;
    double by = DOUBTED * DBL_EPSILON * fmax(fabs(*t), DBL_MIN);
    const double most = fmin(threshold_short_time(e), fabs(end - *t));
    for (; by <= most && !has && !st; by *= 4) {
        const double later = *t + e->run->direction * by;
        st = have_values(e, later, false, &has);
        if (!st && has) *t = later;
    }
    return st;
}

dae_status locate_next(run *r)
{
    event_loop *e = r->events;
    stepper *s = &r->engine->stepper;
    if (!e) return DAE_OK;
    dae_status st = find(e);
    if (st) return st;
    const bool is_found = e->stop.found.kind == SEARCH_TURNS;
    e->stop.t = is_found ? e->stop.found.t : s->history.t;
    e->stop.is_break = e->stop.t == e->break_at;
    list(e);
    if (is_found && !e->stop.is_break)
        st = enter_branch(e, s->history.t, &e->stop.t);
    if (st) return st;
    if (e->stop.t != s->history.t) stepper_cut(s, e->stop.t);
    e->stop.has_event = is_found || e->stop.is_break;
    e->stop.is_passed = false;
    memset(e->stop.from, 0, e->count);
    return DAE_OK;
}

/* ---- where a branch ends ----------------------------------------------------------- */

/* Branches that end where they turn: of q = sign(p)*sqrt(abs(p)), held, there is no value
 * beyond p = 0, and no step gets there to see that it turns. Where steps fail
 * beside such a place, switches next to it are free, each equation is what the text
 * says, and a step crosses as one that knows of no switches. They become active where they
 * leave their threshold as those at equilibrium do; those that come to rest there are. */

/* How often a step with free switches is tried again, each time longer: up to 2e-4
 * of t. */
enum { LENGTHENED_MOST = 4 };

/* A step that fails with switches free, too, is as short as those before it that ended
 * beside the threshold, and ends there: one of a thousand times the length is tried. */
static dae_status lengthen(event_loop *e, bool *is_saved)
{
    stepper *s = &e->run->engine->stepper;
    if (e->free_attempts == LENGTHENED_MOST) return DAE_OK;
    const double least = DBL_EPSILON * fmax(fabs(s->history.t), DBL_MIN);
    const double h = least * pow(THREE_DIGITS, ++e->free_attempts);
    stepper_restart(s, s->history.t, s->point.x, s->point.xp, h);
    *is_saved = true;
    return DAE_OK;
}

dae_status locate_free(run *r, step_failure why, bool *is_saved)
{
    event_loop *e = r->events;
    stepper *s = &r->engine->stepper;
    const double tried = fmax(fabs(s->last_h), fabs(s->h));
    if (!e || e->count == 0 || !failure_is_of_place(why)) return DAE_OK;
    if (e->has_free) return lengthen(e, is_saved);
    stepper_set_aside(s);
    const dae_status st = threshold_see(e, s->history.t);
    for (size_t k = 0; k < e->count && !st; k++) {
        if (e->at[k].of->domain == DAE_DOMAIN_BREAK) continue;
        if (e->at[k].is_locked) continue;
        const double side = e->sides[k];
        if (isnan(side) || threshold_distance(e, k) > e->at[k].noise / DIGIT)
            continue;
        equilibrium_put(e, k, FREE);
        e->at[k].rest_side = side;
        e->has_free = *is_saved = true;
        e->free_attempts = 0;
    }
    if (*is_saved)
        stepper_restart(s, s->history.t, s->point.x, s->point.xp, tried);
    else stepper_take_up(s);
    return st == DAE_RETRY ? DAE_OK : st;
}

dae_status locate_hold(run *r)
{
    event_loop *e = r->events;
    if (!e || !e->has_free || e->stop.has_event) return DAE_OK;
    assert(e->stop.t == r->engine->stepper.history.t);
    dae_status st = threshold_see(e, e->stop.t);
    for (size_t k = 0; k < e->count && !st; k++) {
        event_switch *s = &e->at[k];
        const double side = s->rest_side;
        rest found;
        if (s->inactive != FREE || s->of->domain != DAE_DOMAIN_POINT) continue;
        st = find_rest(e, k, s->noise, true, &found);
        if (found.how == LED) continue;
        rest_at(e, k, &found);
        if (s->rest_side != side) e->stop.has_event = true;
    }
    e->has_free = has_free(e);
    return st == DAE_RETRY ? DAE_OK : st;
}
