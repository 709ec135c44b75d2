#include "run/walk.h"
#include "run/tape.h"
#include <dae/names.h>
#include <math.h>
#include <string.h>

/* Who has been told of an event: rows of both sides, then who hears it. */
enum { TOLD_NOBODY, TOLD_BEFORE, TOLD_AFTER, TOLD_ALL };

/* ---- showing points ---- */

static dae_status observe(solution *r)
{
    return dae_model_observe(r->model, r->t, r->x, r->xp, r->observed);
}

static dae_status tell(solution *r, const dae_point *p)
{
    r->last_row = p->why & DAE_POINT_ROW ? p->t : r->last_row;
    return p->why & r->wants ? r->see(r->context, p) : DAE_OK;
}

static const double *held(const solution *r)
{
    return r->problem.events ? r->problem.events->held : r->discretes;
}

/* Whether a few observations are all that is asked of a point. */
static bool is_few(const solution *r, unsigned why)
{
    return r->few && !(why & r->wants_all);
}

static dae_status observe_point(solution *r, unsigned why, double t)
{
    const bool is_there = r->inside_few && fabs(t - r->inside) <= 0;
    if (is_there && is_few(r, why)) return DAE_OK;
    r->inside_few = false;
    return is_few(r, why)
        ? dae_observer_run(r->few, t, r->x, r->xp, r->observed)
        : dae_model_observe(r->model, t, r->x, r->xp, r->observed);
}

/* The point of x and xp. */
static dae_status show(solution *r, unsigned why, double t)
{
    const dae_status st = why & r->wants ? observe_point(r, why, t) : DAE_OK;
    const dae_point p = {why, t, r->x, r->xp, held(r), r->observed};
    return st ? st : tell(r, &p);
}

/* x, and xp where it is wanted, at a place of the last step, if they are not there
 * yet. */
static dae_status go_inside(solution *r, unsigned why, double t)
{
    const bool slopes = !is_few(r, why) || dae_observer_reads_slopes(r->few);
    const bool is_there = fabs(t - r->inside) <= 0;
    if (is_there && (r->inside_slopes || !slopes)) return DAE_OK;
    r->inside = (double)NAN;
    const dae_status st = dae_solver_interpolate(
        r->solver, t, r->x, slopes ? r->xp : NULL);
    if (!st) r->inside = t;
    r->inside_slopes = slopes;
    r->inside_few = false;
    return st;
}

/* The point at `t`, which is inside the last step or its end. */
static dae_status show_inside(solution *r, unsigned why, double t)
{
    if (!(why & r->wants)) {
        r->last_row = why & DAE_POINT_ROW ? t : r->last_row;
        return DAE_OK;
    }
    dae_status st = go_inside(r, why, t);
    return st ? st : show(r, why, t);
}

/* Room for more of them is not worth a row of a large model. */
enum { MOST_PLACE_VALUES = 4096 };

static dae_status take_places(solution *r)
{
    const size_t each = r->state_count + r->observation_count;
    if (r->places) return DAE_OK;
    if (each > MOST_PLACE_VALUES) return DAE_UNSUPPORTED;
    r->places = ARENA_ARRAY(&r->memory, double, WALK_PLACES *each);
    if (!r->places) return DAE_MEMORY;
    double *observed = r->places + WALK_PLACES * r->state_count;
    for (int k = 0; k < WALK_PLACES; k++, observed += r->observation_count)
        memcpy(observed, r->start_observed,
            r->observation_count * sizeof *observed);
    return DAE_OK;
}

dae_status walk_places(solution *r, size_t count, const double *t, dae_point *p)
{
    const bool is_known = is_few(r, DAE_POINT_INSIDE)
        && !dae_observer_reads_slopes(r->few);
    if (!is_known) return DAE_UNSUPPORTED;
    dae_status st = take_places(r);
    if (!st)
        st = dae_solver_values(
            r->solver, r->slots, r->slot_count, count, t, r->places);
    const double *x = r->places;
    double *observed = r->places + WALK_PLACES * r->state_count;
    if (!st) st = dae_observer_run_values(r->few, count, t, x, observed);
    for (size_t k = 0; k < count && !st; k++) {
        p[k] = (dae_point){DAE_POINT_INSIDE, t[k], x, r->xp, held(r), observed};
        x += r->state_count;
        observed += r->observation_count;
    }
    return st;
}

void walk_stand(solution *r, const dae_point *p)
{
    memcpy(r->x, p->x, r->state_count * sizeof *r->x);
    memcpy(
        r->observed, p->observed, r->observation_count * sizeof *r->observed);
    r->inside = p->t;
    r->inside_slopes = false;
    r->inside_few = true;
}

dae_status walk_inside(solution *r, double t, dae_point *p)
{
    dae_status st = go_inside(r, DAE_POINT_INSIDE, t);
    if (!st) st = observe_point(r, DAE_POINT_INSIDE, t);
    *p = (dae_point){DAE_POINT_INSIDE, t, r->x, r->xp, held(r), r->observed};
    return st;
}

dae_status walk_show_start(solution *r)
{
    return show(r, DAE_POINT_START | DAE_POINT_ROW, r->t0);
}

dae_status walk_show_restart(solution *r)
{
    r->step_end = r->inside = (double)NAN;
    r->stretch.is_begun = false;
    r->side = 0;
    return show(r, DAE_POINT_AFTER | DAE_POINT_ROW, r->t);
}

/* ---- what is due ---- */

static bool is_passed(const schedule *s, double time, double by)
{
    return s->direction * (by - time) >= 0;
}

/* Whether a row is due at the end of a step; rows of a listed grid up to it need
 * no other one. */
static bool pass_rows(solution *r, double t)
{
    schedule *s = &r->schedule;
    const int64_t first = s->next_row;
    if (!grid_is_listed(&r->grid)) return true;
    while (s->next_row < r->grid.count
        && is_passed(s, grid_time(&r->grid, s->next_row), t))
        s->next_row++;
    return s->next_row > first;
}

/* Marks at the point of x and xp. */
static dae_status show_marks(solution *r, double t)
{
    schedule *s = &r->schedule;
    dae_status st = DAE_OK;
    while (!st && s->next_mark < r->mark_count
        && is_passed(s, r->marks[s->next_mark], t)) {
        s->next_mark++;
        st = show(r, DAE_POINT_MARK, t);
    }
    return st;
}

/* The time of the next row before the step's end, NaN where there is none:
 * from the grid's list, or the step divided evenly. */
static double next_row(const solution *r, const stretch *step)
{
    const int64_t next = r->schedule.next_row;
    if (grid_is_listed(&r->grid))
        return next < r->grid.count ? grid_time(&r->grid, next) : (double)NAN;
    if (step->part >= step->parts) return (double)NAN;
    return step->before
        + (step->end - step->before)
        * ((double)step->part / (double)step->parts);
}

/* The earliest of row, mark and end, and why it is one; 0: it is beyond `limit`. */
static unsigned next_point(solution *r, double limit, double *time)
{
    schedule *s = &r->schedule;
    stretch *step = &r->stretch;
    double t = step->end, row = next_row(r, step);
    double mark = s->next_mark < r->mark_count ? r->marks[s->next_mark]
                                               : (double)NAN;
    unsigned why = 0;
    if (s->direction * (t - row) > 0) t = row;
    if (s->direction * (t - mark) > 0) t = mark;
    *time = t;
    if (s->direction * (t - limit) > 0) return 0;
    const bool is_end = s->direction * (step->end - t) <= 0;
    if (is_end && step->is_open) return DAE_POINT_STEP;
    if (s->direction * (row - t) <= 0) {
        why |= DAE_POINT_ROW;
        s->next_row++;
        step->part++;
    }
    if (s->direction * (mark - t) <= 0) {
        why |= DAE_POINT_MARK;
        s->next_mark++;
    }
    if (!is_end) return why;
    if (!grid_is_listed(&r->grid)) why |= DAE_POINT_ROW;
    if (step->is_last) why |= DAE_POINT_ROW | DAE_POINT_END;
    return why | DAE_POINT_STEP;
}

/* Whether nobody has a use for what lies before the end of the step, whose rows
 * divide it. */
static bool is_end_alone(const solution *r)
{
    const bool has_mark = r->schedule.next_mark < r->mark_count;
    return !has_mark && !r->stretch.is_open && !grid_is_listed(&r->grid)
        && !(r->wants & DAE_POINT_ROW);
}

/* Shows every point of the stretch up to `limit`, but the end of an open one. The run
 * stands at the point that is shown: there it is broken off, and goes on behind it. */
static dae_status show_stretch(solution *r, double limit)
{
    dae_status st = DAE_OK;
    while (!st && r->stretch.is_begun) {
        double t;
        const unsigned why = next_point(r, limit, &t);
        r->t = why ? t : limit;
        if (!why) break;
        const bool is_end = why & DAE_POINT_STEP;
        if (is_end) r->stretch.is_begun = false;
        if (!is_end || !r->stretch.is_open) st = show_inside(r, why, t);
    }
    return st;
}

/* ---- events ---- */

static void take_side(solution *r, const dae_event *e)
{
    const bool is_after = e->phase == DAE_EVENT_AFTER;
    r->inside = (double)NAN;
    memcpy(r->x, e->x, r->state_count * sizeof *r->x);
    memcpy(r->xp, e->xp, r->unknown_count * sizeof *r->xp);
    if (r->discrete_count)
        memcpy(r->discretes, e->held, r->discrete_count * sizeof *r->discretes);
    r->side = is_after ? DAE_POINT_AFTER : DAE_POINT_BEFORE;
    r->t = e->t;
}

/* Of several that stop at once the one that the text has first. */
static void note_stop(solution *r, const dae_event *e)
{
    const dae_events *events = r->problem.events;
    for (size_t k = 0; k < e->when_count; k++) {
        const size_t w = e->whens[k];
        if (!events->whens[w].stop) continue;
        if (r->stop == SIZE_MAX
            || dae_text_place(&r->problem, DAE_NAME_WHEN, w)
                < dae_text_place(&r->problem, DAE_NAME_WHEN, r->stop))
            r->stop = w;
    }
}

/* A kink at a time that was known before, as that of measured data: steps end
 * there, and that is all. */
static bool is_plain(const dae_switch *s)
{
    return s->domain == DAE_DOMAIN_BREAK && s->is_kink;
}

/* Else data alone asked for the end of a step. */
static bool is_told(const solution *r, const dae_event *e)
{
    for (size_t k = 0; k < e->switch_count; k++)
        if (!is_plain(&r->problem.events->switches[e->switches[k]]))
            return true;
    return e->when_count > 0;
}

/* As it was observed when nothing had changed. */
static dae_status tell_before(solution *r, const dae_event *e, bool is_due)
{
    const bool has_row = fabs(e->t - r->last_row) <= 0;
    const bool told = is_told(r, e);
    unsigned why = DAE_POINT_STEP | (told ? DAE_POINT_BEFORE : 0);
    if ((is_due || told) && !has_row) why |= DAE_POINT_ROW;
    const dae_point p = {why, e->t, e->x_before, e->xp_before, e->held_before,
        r->observed_before};
    return tell(r, &p);
}

static dae_status tell_after(solution *r, const dae_event *e)
{
    const dae_point p = {DAE_POINT_AFTER | DAE_POINT_STEP | DAE_POINT_ROW, e->t,
        r->x, r->xp, e->held, r->observed};
    const dae_status st = tell(r, &p);
    if (st == DAE_MEMORY) return st;
    note_stop(r, e);
    r->event_count++;
    r->last_event = e->t;
    return st;
}

/* One of those who are told, in their order; who breaks off has been. */
static dae_status tell_next(solution *r, const dae_event *e)
{
    switch (r->told) {
    case TOLD_NOBODY: return tell_before(r, e, pass_rows(r, e->t));
    case TOLD_BEFORE: return is_told(r, e) ? tell_after(r, e) : DAE_OK;
    default: return is_told(r, e) && r->hear ? r->hear(r->context, e) : DAE_OK;
    }
}

dae_status walk_event(void *context, const dae_event *e)
{
    solution *r = context;
    take_side(r, e);
    dae_status st = observe(r);
    if (st) return st;
    if (e->phase == DAE_EVENT_BEFORE) {
        r->told = TOLD_NOBODY;
        memcpy(r->observed_before, r->observed,
            r->observation_count * sizeof *r->observed);
        return DAE_OK;
    }
    while (!st && r->told < TOLD_ALL) {
        st = tell_next(r, e);
        if (st != DAE_MEMORY) r->told++;
    }
    return st;
}

/* ---- the steps ---- */

/* An event at the end of the interval belongs to it. */
static dae_status end_at_event(solution *r)
{
    dae_status st = dae_solver_advance(r->solver, r->t1, NULL, NULL);
    if (!st) st = show_marks(r, r->t1);
    return st ? st : show(r, DAE_POINT_END, r->t1);
}

/* The next step, unless a part of the last one is still to be shown. */
static dae_status take_step(solution *r)
{
    const run_request *q = r->request;
    if (!isnan(r->step_end) || r->stretch.is_begun) return DAE_OK;
    dae_status st = dae_solver_step(r->solver);
    if (st) return st;
    r->step_end = dae_solver_time(r->solver);
    if (r->tape && (st = tape_step(r->tape, r))) return st;
    if (!q->on_step) return DAE_OK;
    return q->on_step(q->step_context, r->step_end,
        dae_solver_last_step(r->solver), dae_solver_stats(r->solver)->steps);
}

/* Looks at the step as far as `limit`, which is the end or before it. */
static dae_status begin_stretch(solution *r, double limit)
{
    const double before = r->t, direction = r->schedule.direction;
    const double beyond = direction * (r->step_end - limit);
    const bool stands = beyond <= 0 && dae_solver_stands_at_event(r->solver);
    const bool is_last = direction * (r->step_end - r->t1) >= 0
        && !(fabs(limit - r->t1) > 0);
    const double end = beyond >= 0 ? limit : r->step_end;
    dae_status st = show_marks(r, before);
    r->inside = (double)NAN;
    if (!st && r->look) st = r->look(r->context, r, before, end);
    if (st) return st;
    if (beyond <= 0) r->step_end = (double)NAN;
    r->side = 0;
    r->stretch = (stretch){before, end, grid_parts(&r->grid, before, end), 1,
        is_last, stands, true};
    if (is_end_alone(r)) r->stretch.part = r->stretch.parts;
    return DAE_OK;
}

/* The same as far as `limit`, also of one that was broken off. */
static dae_status follow_step(solution *r, double limit)
{
    dae_status st = r->stretch.is_begun ? DAE_OK : begin_stretch(r, limit);
    if (!st) st = show_stretch(r, limit);
    if (r->stretch.is_begun || !r->stretch.is_last) return st;
    if (!st && r->stretch.is_open) {
        st = end_at_event(r);
        r->stretch.is_begun = st != DAE_OK;
    }
    r->has_ended = !r->stretch.is_begun && (!st || st == DAE_INTERRUPTED);
    return st;
}

static dae_status walk(solution *r, double limit, bool to_event)
{
    const int64_t events = r->event_count;
    const bool is_whole = !(fabs(limit - r->t1) > 0);
    dae_status st = DAE_OK;
    while (!st && !r->has_ended
        && (is_whole || r->schedule.direction * (limit - r->t) > 0)) {
        st = take_step(r);
        if (st || (to_event && r->event_count > events)) break;
        st = follow_step(r, limit);
    }
    /* what happens just there belongs to the way up to it */
    const bool is_due = !r->has_ended && isnan(r->step_end)
        && dae_solver_stands_at_event(r->solver);
    return !st && is_due ? take_step(r) : st;
}

/* The point after the event that has stopped the run is its end. */
static dae_status end_by_stop(solution *r)
{
    r->is_stopped = r->has_ended = true;
    dae_status st = show_marks(r, r->t);
    return st ? st : show(r, DAE_POINT_END, r->t);
}

dae_status walk_end_event(solution *r)
{
    const bool is_open = r->side == DAE_POINT_AFTER && isnan(r->step_end)
        && !r->stretch.is_begun && dae_solver_stands_at_event(r->solver);
    const dae_status st = is_open ? dae_solver_step(r->solver) : DAE_OK;
    return st == DAE_STOPPED ? end_by_stop(r) : st;
}

/* Values at the time reached, of run.side where there is one. */
static dae_status find_values(solution *r)
{
    dae_status st = DAE_OK;
    if (r->side == DAE_POINT_BEFORE)
        return DAE_OK; /* they have been observed */
    if (r->side == 0) {
        st = dae_solver_interpolate(r->solver, r->t, r->x, r->xp);
        if (r->discrete_count)
            memcpy(r->discretes, held(r),
                r->discrete_count * sizeof *r->discretes);
    }
    return st ? st : observe(r);
}

/* Leaves x, xp and observed at the time reached; behind inputs the start is another. */
static dae_status settle(solution *r, dae_status st)
{
    const bool at_start = !(fabs(r->t - r->t0) > 0) && r->side == 0
        && !r->again.x;
    if (at_start) {
        memcpy(r->observed, r->start_observed,
            r->observation_count * sizeof *r->observed);
        return st ? st : DAE_OK;
    }
    dae_status got = find_values(r);
    if (got) return st ? st : got;
    const bool is_shown = !(fabs(r->t - r->last_row) > 0);
    const dae_point p = {
        DAE_POINT_ROW, r->t, r->x, r->xp, r->discretes, r->observed};
    if (st && st != DAE_IO && !is_shown) got = tell(r, &p);
    return st ? st : got;
}

dae_status solution_advance(solution *r, double t, bool to_event)
{
    if (!r->has_begun) {
        r->schedule = (schedule){r->t1 >= r->t0 ? 1 : -1, 1, 0};
        r->has_begun = true;
    }
    if (r->has_ended) return DAE_OK;
    if (r->schedule.direction * (t - r->t1) > 0) t = r->t1;
    r->inside = (double)NAN;
    dae_status st = walk(r, t, to_event);
    if (st == DAE_STOPPED) st = end_by_stop(r);
    return settle(r, st);
}

dae_status solution_steps(solution *r)
{
    return solution_advance(r, r->t1, false);
}
