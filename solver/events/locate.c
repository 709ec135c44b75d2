#include "events/locate.h"
#include "base/region.h"
#include "base/report.h"
#include "events/event_report.h"
#include "events/inactive.h"
#include "events/reinit.h"
#include "events/search.h"
#include "events/sides.h"
#include "events/threshold.h"
#include "linalg/jacobian.h"
#include "reduce/thresholds.h"
#include "run/failure.h"
#include "step/cut.h"
#include "step/resume.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* ---- breaks -------------------------------------------------------------------- */

static dae_status next_break(run *r, double t, double *next)
{
    const dae_events *of = r->events->of;
    *next = HUGE_VAL * r->direction;
    if (!of->next_break) return DAE_OK;
    return of->next_break(r->problem->self, t, (int)r->direction, next);
}

dae_status locate_plan(run *r)
{
    event_loop *e = r->events;
    stepper *s = &r->engine->stepper;
    if (!e) return DAE_OK;
    const bool is_known = (e->break_at - s->history.t) * r->direction > 0;
    if (!is_known) {
        const dae_status st = next_break(r, s->history.t, &e->break_at);
        if (st) return st;
    }
    s->t_stop = e->break_at;
    return DAE_OK;
}

/* Between t and the next break; where there is none, and no end, at any time. */
static dae_status time_behind(run *r, double t, double *at)
{
    double next = 0;
    const dae_status st = next_break(r, t, &next);
    const double far = t + r->direction * (1 + fabs(t));
    if (!isfinite(next)) next = far;
    *at = t + (next - t) / 2;
    return st;
}

/* Turns that look through each other settle in so many passes, or do not. */
enum { PASSES_MOST = 20 };

static dae_status pass(run *r, double at, bool *has_turned)
{
    event_loop *e = r->events;
    const dae_events *of = e->of;
    *has_turned = false;
    dae_status st = of->roots(
        r->problem->self, at, e->point.x, e->point.xp, e->room.g);
    if (st && st != DAE_RETRY) return st;
    for (size_t k = 0; k < of->switch_count; k++) {
        if (of->switches[k].domain != DAE_DOMAIN_BREAK) continue;
        if (!isfinite(e->room.g[k]))
            return event_report_undefined(
                r, DAE_NAME_SWITCH, k, at, e->point.x, e->point.xp);
        const double to = region_value(of->switches[k].kind, e->room.g[k]);
        if (to == e->sides[k]) continue;
        e->turn.has_turned[k] = 1;
        e->sides[k] = to;
        *has_turned = true;
    }
    return DAE_OK;
}

dae_status locate_breaks(run *r, double t)
{
    const dae_events *of = r->events->of;
    bool has_any = false, has_turned = true;
    double at = t;
    for (size_t k = 0; k < of->switch_count; k++)
        if (of->switches[k].domain == DAE_DOMAIN_BREAK) has_any = true;
    if (!has_any) return DAE_OK;
    dae_status st = DAE_OK;
    for (int m = 0; m < PASSES_MOST && has_turned && !st; m++) {
        st = time_behind(r, t, &at); /* which break is next may have changed */
        if (!st) st = pass(r, at, &has_turned);
    }
    return st;
}

/* ---- inside the step ----------------------------------------------------------- */

/* Root functions at a t of the last step. */
static dae_status roots_inside(void *self, double t, double *g)
{
    run *r = self;
    event_loop *e = r->events;
    const stepper *s = &r->engine->stepper;
    const point at = reinit_room(r);
    stepper_at(s, t, at.x, at.xp);
    if (e->stop.is_solved_inside) {
        const dae_status st = reinit_solve(r, t, at);
        if (st && !reinit_has_none(st)) return st;
        if (st) stepper_at(s, t, at.x, at.xp);
    }
    bounds_clip(&s->newton->bounds, at.x);
    reinit_show_room(r);
    return e->of->roots(r->problem->self, t, e->room.x, e->room.xp, g);
}

/* Where equations hold what is not integrated, dense output knows it less well than
 * they do, and a current that ends is such a one. */
static dae_status find_again(
    run *r, const search_step *step, search_found *found)
{
    event_loop *e = r->events;
    search_forget(e->search);
    e->stop.is_solved_inside = true;
    const dae_status st = search_run(e->search, step, found);
    e->stop.is_solved_inside = false;
    search_forget(e->search);
    return st;
}

/* Dense output knows slopes, and what has no derivative, less well than the equations do,
 * and would report one crossing of what looks at them as several. */
static bool reads_rest(const run *r, const search_found *found)
{
    for (size_t c = 0; c < found->count; c++) {
        const search_crossing *at = &found->crossings[c];
        if (isnan(at->behind) && threshold_reads_rest(r, at->index))
            return true;
    }
    return false;
}

/* Sizes of what is at its threshold at the end of the last step but for rounding, into
 * e->locked.leave_size; false: nothing is. */
static dae_status size_at_end(run *r, bool *has_any)
{
    event_loop *e = r->events;
    const double t = r->engine->stepper.history.t;
    *has_any = false;
    const dae_status st = threshold_see(r, t);
    for (size_t k = 0; k < e->of->switch_count && !st; k++) {
        const bool is_near = e->of->switches[k].domain != DAE_DOMAIN_BREAK
            && !e->locked.is[k]
            && threshold_distance(e, k) <= e->point.rounding[k]
            && e->point.rounding[k] < e->point.noise[k];
        e->locked.leave_size[k] = is_near
            ? e->point.rounding[k] / (G_UNITS * DBL_EPSILON)
            : 0;
        *has_any = *has_any || is_near;
    }
    return st == DAE_RETRY ? DAE_OK : st;
}

/* y' = 1 is T at T but for the last bits. A step that follows would tell, but
 * behind the end of the interval there is none: what goes to its threshold and is not
 * away from it by more than rounding of what it is made of has come to it. */
static dae_status find_at_end(
    run *r, const search_step *step, search_found *found)
{
    event_loop *e = r->events;
    bool has_any;
    if (r->engine->stepper.history.t != r->end || e->locked.leaving_count > 0)
        return DAE_OK;
    dae_status st = size_at_end(r, &has_any);
    if (st || !has_any) return st;
    search_step last = *step;
    last.size = e->locked.leave_size;
    for (size_t k = 0; k < e->of->switch_count; k++)
        e->room.g[k] = e->locked.leave_size[k] > 0 ? e->sides[k] : (double)NAN;
    search_forget(e->search);
    st = search_run(e->search, &last, found);
    search_forget(e->search);
    memset(e->locked.leave_size, 0,
        e->of->switch_count * sizeof *e->locked.leave_size);
    return st;
}

/* Where the step ends: whether they have values again. */
static dae_status look_at_inactive(run *r)
{
    event_loop *e = r->events;
    const double t = r->engine->stepper.history.t;
    if (!inactive_any(e)) return DAE_OK;
    dae_status st = roots_inside(r, t, e->point.g);
    if (st == DAE_RETRY) st = DAE_OK;
    return st ? st
              : inactive_look(r, t, e->room.x, e->room.xp, e->point.g, false);
}

static dae_status find(run *r, search_found *found)
{
    event_loop *e = r->events;
    const dae_events *of = e->of;
    const stepper *s = &r->engine->stepper;
    *found = (search_found){.kind = SEARCH_NONE};
    e->stop.is_solved_for = false;
    if (of->switch_count == 0) return DAE_OK;
    dae_status st = locked_check(r);
    if (st) return st;
    for (size_t k = 0; k < of->switch_count; k++) {
        const bool is_left = of->switches[k].domain == DAE_DOMAIN_BREAK
            || e->locked.is[k];
        e->room.g[k] = is_left ? (double)NAN : e->sides[k];
    }
    const double from = s->history.t - s->last_h;
    const search_step step = {.from = from,
        .to = s->history.t,
        .least = TIME_UNITS * DBL_EPSILON * fabs(from),
        .values = roots_inside,
        .self = r,
        .held = e->room.g,
        .has_turned = e->stop.has_from ? e->stop.from : NULL,
        .size = e->locked.leave_size};
    st = search_run(e->search, &step, found);
    if (!st && found->kind == SEARCH_LOST)
        st = inactive_search(r, &step, found);
    if (!st && found->kind == SEARCH_NONE) st = find_at_end(r, &step, found);
    if (!st && found->kind == SEARCH_TURNS) {
        e->stop.is_solved_for = e->locked.count > 0 || reads_rest(r, found);
        if (e->stop.is_solved_for) st = find_again(r, &step, found);
    }
    if (!st && found->kind != SEARCH_LOST)
        st = equilibrium_find_leaving(r, &step, found);
    if (!st && found->kind == SEARCH_NONE) st = locked_check_leaving(r);
    if (!st && found->kind == SEARCH_NONE) st = look_at_inactive(r);
    if (!st && found->kind == SEARCH_NONE)
        st = equilibrium_find_stopped(r, &step, found);
    if (st || found->kind != SEARCH_LOST) return st;
    (void)roots_inside(r, found->t, e->room.g); /* the values there */
    return event_report_undefined(
        r, DAE_NAME_SWITCH, found->lost, found->t, e->room.x, e->room.xp);
}

static void list(event_loop *e, const search_found *found)
{
    memset(e->stop.jumps, 0, e->of->switch_count * sizeof *e->stop.jumps);
    for (size_t c = 0; c < found->count; c++) {
        const search_crossing *at = &found->crossings[c];
        const uint8_t kind = e->of->switches[at->index].kind;
        const region inside = region_of(kind, e->sides[at->index]);
        e->stop.crossing[c] = at->index;
        e->stop.crossed[c] = *at;
        e->stop.jumps[at->index] = (uint8_t)!isnan(at->behind);
        e->stop.crossing_to[c] = isfinite(at->behind)
            ? region_value(kind, at->behind)
            : region_beside(kind,
                at->direction > 0 ? inside.upper : inside.lower, at->direction);
    }
    e->stop.crossing_count = found->count;
}

/* Whether the residual has a value at a t of the last step, with what turns on its new
 * side or (`before`) on the old one. */
static dae_status has_value(run *r, double t, bool is_before, bool *has)
{
    event_loop *e = r->events;
    const dae_problem *p = r->problem;
    memcpy(e->room.sides, e->sides, e->of->switch_count * sizeof *e->sides);
    dae_status st = roots_inside(r, t, e->room.g); /* e->room.x, xp */
    for (size_t c = 0; c < e->stop.crossing_count && !is_before; c++)
        e->sides[e->stop.crossing[c]] = e->stop.crossing_to[c];
    double *res = e->point.xp; /* room until the instant is opened */
    if (!st) st = p->residual(p->self, t, e->room.x, e->room.xp, res);
    memcpy(e->sides, e->room.sides, e->of->switch_count * sizeof *e->sides);
    *has = !st && !any_overflow(res, p->unknown_count);
    return st == DAE_RETRY ? DAE_OK : st;
}

/* A branch that is entered may have no value at its threshold, or where rounding leaves what
 * it looks at on the other side: `if c > 0 then exp(-1/c) else 0`. The time of what turns is
 * that at which it has one, no later than states move by a tolerance. */
static dae_status enter_branch(run *r, double end, double *t)
{
    bool has, had;
    dae_status st = has_value(r, *t, false, &has);
    if (!st && !has) st = has_value(r, *t, true, &had);
    if (st || has || !had) return st;
    double by = TIME_UNITS * DBL_EPSILON * fmax(fabs(*t), DBL_MIN);
    const double most = fmin(threshold_short_time(r), fabs(end - *t));
    for (; by <= most; by *= 4) {
        const double later = *t + r->direction * by;
        if ((st = has_value(r, later, false, &has))) return st;
        if (!has) continue;
        *t = later;
        return DAE_OK;
    }
    return DAE_OK;
}

dae_status locate_next(run *r)
{
    event_loop *e = r->events;
    stepper *s = &r->engine->stepper;
    search_found found;
    if (!e) return DAE_OK;
    dae_status st = find(r, &found);
    if (st) return st;
    const bool is_found = found.kind == SEARCH_TURNS;
    e->stop.t = is_found ? found.t : s->history.t;
    e->stop.is_break = e->stop.t == e->break_at;
    list(e, &found);
    if (is_found && !e->stop.is_break)
        st = enter_branch(r, s->history.t, &e->stop.t);
    if (st) return st;
    if (e->stop.t != s->history.t) stepper_cut(s, e->stop.t);
    e->stop.has_event = is_found || e->stop.is_break;
    e->stop.is_passed = e->stop.has_from = false;
    return DAE_OK;
}

/* ---- where a branch ends ----------------------------------------------------------- */

/* Branches that end where they turn: of q = sign(p)*sqrt(abs(p)), held, there is no value
 * beyond p = 0, and no step gets there to see that it turns. Where steps fail
 * beside such a place, switches next to it are free, each equation is what the text
 * says, and a step crosses as one that knows of no switches. Once it has, they are
 * held again, and those that stand on the other side have turned there. */

/* How often a step with free switches is tried again, each time longer: up to 2e-4
 * of t. */
enum { LENGTHENED_MOST = 4 };

/* Beside its threshold, by what tolerances make of g (e->point.noise). */
static bool is_beside(const event_loop *e, size_t k)
{
    return threshold_distance(e, k) <= HAS_LEFT * e->point.noise[k];
}

/* A step that fails with switches free, too, is as short as those before it that ended
 * beside the threshold, and ends there: one of a thousand times the length is tried. */
static dae_status lengthen(run *r, bool *is_saved)
{
    event_loop *e = r->events;
    stepper *s = &r->engine->stepper;
    if (e->free.attempts == LENGTHENED_MOST) return DAE_OK;
    const double least = DBL_EPSILON * fmax(fabs(s->history.t), DBL_MIN);
    const double h = least * pow(SIZES_APART, ++e->free.attempts);
    stepper_restart(s, s->history.t, s->point.x, s->point.xp, h);
    *is_saved = true;
    return DAE_OK;
}

dae_status locate_free(run *r, step_failure why, bool *is_saved)
{
    event_loop *e = r->events;
    stepper *s = &r->engine->stepper;
    const double tried = fmax(fabs(s->last_h), fabs(s->h));
    if (!e || e->of->switch_count == 0 || !failure_is_of_place(why))
        return DAE_OK;
    if (e->free.is_on) return lengthen(r, is_saved);
    stepper_set_aside(s);
    const dae_status st = threshold_see(r, s->history.t);
    for (size_t k = 0; k < e->of->switch_count && !st; k++) {
        if (e->of->switches[k].domain == DAE_DOMAIN_BREAK) continue;
        if (e->locked.is[k]) continue;
        if (isnan(e->sides[k]) || !is_beside(e, k)) continue;
        e->free.sides[k] = e->sides[k];
        e->sides[k] = (double)NAN;
        e->free.is_on = *is_saved = true;
        e->free.attempts = 0;
    }
    if (*is_saved)
        stepper_restart(s, s->history.t, s->point.x, s->point.xp, tried);
    else stepper_take_up(s);
    return st == DAE_RETRY ? DAE_OK : st;
}

/* It is at rest there: whens that it changes are asked. */
static dae_status end_at_rest(run *r, size_t k)
{
    event_loop *e = r->events;
    bool is_still;
    const double t = r->engine->stepper.history.t;
    const dae_status st = equilibrium_free(r, k, t, &is_still);
    if (st || !is_still || e->inactive.side[k] == e->free.sides[k]) return st;
    e->stop.t = t;
    e->stop.has_event = true;
    return DAE_OK;
}

/* One that is free: whether it is held again, or turns, or rests. */
static dae_status end_one(run *r, size_t k)
{
    event_loop *e = r->events;
    const double to = region_value(e->of->switches[k].kind, e->point.g[k]);
    if (isnan(to)) return DAE_OK;
    if (is_beside(e, k)) return end_at_rest(r, k);
    e->sides[k] = e->free.sides[k];
    if (to == e->sides[k]) return DAE_OK;
    e->stop.t = r->engine->stepper.history.t;
    e->stop.has_event = true;
    e->stop.crossing_to[e->stop.crossing_count] = to;
    e->stop.crossing[e->stop.crossing_count++] = k;
    return DAE_OK;
}

dae_status locate_hold(run *r)
{
    event_loop *e = r->events;
    if (!e || !e->free.is_on || e->stop.has_event) return DAE_OK;
    dae_status st = threshold_see(r, r->engine->stepper.history.t);
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    e->free.is_on = false;
    for (size_t k = 0; k < e->of->switch_count && !st; k++) {
        if (!isnan(e->sides[k]) || e->inactive.how[k]) continue;
        st = end_one(r, k);
        if (isnan(e->sides[k]) && !e->inactive.how[k]) e->free.is_on = true;
    }
    if (st) e->free.is_on = true;
    return st;
}
