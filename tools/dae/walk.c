#include "walk.h"
#include "console.h"
#include "memory.h"
#include "names.h"
#include "progress.h"
#include "why.h"
#include <math.h>
#include <string.h>

/* ---- showing points ---- */

static dae_status observe(run *r)
{
    return dae_model_observe(r->model, r->t, r->x, r->xp, r->observed);
}

static dae_status tell(run *r, const point *p)
{
    r->last_row = p->why & POINT_ROW ? p->t : r->last_row;
    return p->why & r->wants ? r->see(r->context, p) : DAE_OK;
}

static const double *held(const run *r)
{
    return r->problem.events ? r->problem.events->held : r->discretes;
}

/* Whether a few observations are all that is asked of a point. */
static bool is_few(const run *r, unsigned why)
{
    return r->few && !(why & r->wants_all);
}

static dae_status observe_point(run *r, unsigned why, double t)
{
    const bool is_there = r->inside_few && fabs(t - r->inside) <= 0;
    if (is_there && is_few(r, why)) return DAE_OK;
    r->inside_few = false;
    return is_few(r, why)
        ? dae_observer_run(r->few, t, r->x, r->xp, r->observed)
        : dae_model_observe(r->model, t, r->x, r->xp, r->observed);
}

/* The point of run.x and run.xp. */
static dae_status show(run *r, unsigned why, double t)
{
    const dae_status st = why & r->wants ? observe_point(r, why, t) : DAE_OK;
    const point p = {why, t, r->x, r->xp, held(r), r->observed};
    return st ? st : tell(r, &p);
}

/* x, and xp where it is wanted, at a place of the last step, if they are not there
 * yet. */
static dae_status go_inside(run *r, unsigned why, double t)
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
static dae_status show_inside(run *r, unsigned why, double t)
{
    if (!(why & r->wants)) {
        r->last_row = why & POINT_ROW ? t : r->last_row;
        return DAE_OK;
    }
    dae_status st = go_inside(r, why, t);
    return st ? st : show(r, why, t);
}

/* Room for more of them is not worth a row of a large model. */
enum { MOST_PLACE_VALUES = 4096 };

static dae_status take_places(run *r)
{
    const size_t each = r->state_count + r->observation_count;
    if (r->places) return DAE_OK;
    if (each > MOST_PLACE_VALUES) return DAE_UNSUPPORTED;
    r->places = memory_take(WALK_PLACES * each + 1, sizeof *r->places);
    if (!r->places) return DAE_MEMORY;
    double *observed = r->places + WALK_PLACES * r->state_count;
    for (int k = 0; k < WALK_PLACES; k++, observed += r->observation_count)
        memcpy(observed, r->start_observed,
            r->observation_count * sizeof *observed);
    return DAE_OK;
}

dae_status walk_places(run *r, size_t count, const double *t, point *p)
{
    const bool is_known = is_few(r, POINT_INSIDE)
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
        p[k] = (point){POINT_INSIDE, t[k], x, r->xp, held(r), observed};
        x += r->state_count;
        observed += r->observation_count;
    }
    return st;
}

void walk_stand(run *r, const point *p)
{
    memcpy(r->x, p->x, r->state_count * sizeof *r->x);
    memcpy(
        r->observed, p->observed, r->observation_count * sizeof *r->observed);
    r->inside = p->t;
    r->inside_slopes = false;
    r->inside_few = true;
}

dae_status walk_inside(run *r, double t, point *p)
{
    dae_status st = go_inside(r, POINT_INSIDE, t);
    if (!st) st = observe_point(r, POINT_INSIDE, t);
    *p = (point){POINT_INSIDE, t, r->x, r->xp, held(r), r->observed};
    return st;
}

dae_status walk_show_start(run *r)
{
    return show(r, POINT_START | POINT_ROW, r->t0);
}

/* ---- what is due ---- */

/* An accepted step, cut at the end of the interval. */
typedef struct stretch {
    double before, end;
    int64_t parts; /* rows in it, where the grid is not listed */
    bool is_last;
    bool is_open; /* its end belongs to an event, or is shown later */
} stretch;

static bool is_passed(const schedule *s, double time, double by)
{
    return s->direction * (by - time) >= 0;
}

/* Whether a row is due at the end of a step; rows of a listed grid up to it need
 * no other one. */
static bool pass_rows(run *r, double t)
{
    schedule *s = &r->schedule;
    const int64_t first = s->next_row;
    if (!grid_is_listed(&r->grid)) return true;
    while (s->next_row < r->grid.count
        && is_passed(s, grid_time(&r->grid, s->next_row), t))
        s->next_row++;
    return s->next_row > first;
}

/* Marks at the point of run.x and run.xp. */
static dae_status show_marks(run *r, double t)
{
    schedule *s = &r->schedule;
    dae_status st = DAE_OK;
    while (!st && s->next_mark < r->mark_count
        && is_passed(s, r->marks[s->next_mark], t)) {
        s->next_mark++;
        st = show(r, POINT_MARK, t);
    }
    return st;
}

/* The time of the next row before the step's end, NaN where there is none:
 * from the grid's list, or the step divided evenly. */
static double next_row(const run *r, const stretch *step, int64_t part)
{
    const int64_t next = r->schedule.next_row;
    if (grid_is_listed(&r->grid))
        return next < r->grid.count ? grid_time(&r->grid, next) : (double)NAN;
    if (part >= step->parts) return (double)NAN;
    return step->before
        + (step->end - step->before) * ((double)part / (double)step->parts);
}

/* The earliest of row, mark and end, and why it is one. */
static unsigned next_point(
    run *r, const stretch *step, int64_t *part, double *time)
{
    schedule *s = &r->schedule;
    double t = step->end, row = next_row(r, step, *part);
    double mark = s->next_mark < r->mark_count ? r->marks[s->next_mark]
                                               : (double)NAN;
    unsigned why = 0;
    if (s->direction * (t - row) > 0) t = row;
    if (s->direction * (t - mark) > 0) t = mark;
    *time = t;
    const bool is_end = s->direction * (step->end - t) <= 0;
    if (is_end && step->is_open) return POINT_STEP;
    if (s->direction * (row - t) <= 0) {
        why |= POINT_ROW;
        s->next_row++;
        ++*part;
    }
    if (s->direction * (mark - t) <= 0) {
        why |= POINT_MARK;
        s->next_mark++;
    }
    if (!is_end) return why;
    if (!grid_is_listed(&r->grid)) why |= POINT_ROW;
    if (step->is_last) why |= POINT_ROW | POINT_END;
    return why | POINT_STEP;
}

/* Whether nobody has a use for what lies before the end of the step, whose rows
 * divide it. */
static bool is_end_alone(const run *r, const stretch *step)
{
    const bool has_mark = r->schedule.next_mark < r->mark_count;
    return !has_mark && !step->is_open && !grid_is_listed(&r->grid)
        && !(r->wants & POINT_ROW);
}

/* Shows every point in (before, end], in (before, end) of an open one. */
static dae_status show_step(run *r, const stretch *step)
{
    int64_t part = is_end_alone(r, step) ? step->parts : 1;
    for (;;) {
        double t;
        unsigned why = next_point(r, step, &part, &t);
        if (why & POINT_STEP && step->is_open) return DAE_OK;
        dae_status st = show_inside(r, why, t);
        if (st || why & POINT_STEP) return st;
    }
}

/* ---- events ---- */

static void take_side(run *r, const dae_event *e)
{
    const bool is_after = e->phase == DAE_EVENT_AFTER;
    r->inside = (double)NAN;
    memcpy(r->x, e->x, r->state_count * sizeof *r->x);
    memcpy(r->xp, e->xp, r->unknown_count * sizeof *r->xp);
    if (r->discrete_count)
        memcpy(r->discretes, e->held, r->discrete_count * sizeof *r->discretes);
    r->side = is_after ? POINT_AFTER : POINT_BEFORE;
    r->t = e->t;
}

/* Of several that stop at once the one that the text has first. */
static void note_stop(run *r, const dae_event *e)
{
    const dae_events *events = r->problem.events;
    for (size_t k = 0; k < e->when_count; k++) {
        const size_t w = e->whens[k];
        if (!events->whens[w].stop) continue;
        if (r->stop == SIZE_MAX
            || name_text_place(&r->problem, DAE_NAME_WHEN, w)
                < name_text_place(&r->problem, DAE_NAME_WHEN, r->stop))
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
static bool is_told(const run *r, const dae_event *e)
{
    for (size_t k = 0; k < e->switch_count; k++)
        if (!is_plain(&r->problem.events->switches[e->switches[k]]))
            return true;
    return e->when_count > 0;
}

/* As it was observed when nothing had changed. */
static dae_status tell_before(run *r, const dae_event *e, bool is_due)
{
    const bool has_row = fabs(e->t - r->last_row) <= 0;
    const bool told = is_told(r, e);
    unsigned why = POINT_STEP | (told ? POINT_BEFORE : 0);
    if ((is_due || told) && !has_row) why |= POINT_ROW;
    const point p = {why, e->t, e->x_before, e->xp_before, e->held_before,
        r->observed_before};
    return tell(r, &p);
}

static dae_status tell_after(run *r, const dae_event *e)
{
    const point p = {POINT_AFTER | POINT_STEP | POINT_ROW, e->t, r->x, r->xp,
        e->held, r->observed};
    dae_status st = tell(r, &p);
    note_stop(r, e);
    r->event_count++;
    r->last_event = e->t;
    return !st && r->hear ? r->hear(r->context, e) : st;
}

dae_status walk_event(void *context, const dae_event *e)
{
    run *r = context;
    take_side(r, e);
    dae_status st = observe(r);
    if (st) return st;
    if (e->phase == DAE_EVENT_BEFORE) {
        memcpy(r->observed_before, r->observed,
            r->observation_count * sizeof *r->observed);
        return DAE_OK;
    }
    st = tell_before(r, e, pass_rows(r, e->t));
    return st || !is_told(r, e) ? st : tell_after(r, e);
}

/* ---- the steps ---- */

/* An event at the end of the interval belongs to it. */
static dae_status end_at_event(run *r)
{
    dae_status st = dae_solver_advance(r->solver, r->t1, NULL, NULL);
    if (!st) st = show_marks(r, r->t1);
    return st ? st : show(r, POINT_END, r->t1);
}

static dae_status follow_step(run *r, bool *is_last)
{
    const double before = r->t, direction = r->schedule.direction;
    double end = dae_solver_time(r->solver);
    const double beyond = direction * (end - r->t1);
    const bool stands = beyond <= 0 && dae_solver_stands_at_event(r->solver);
    *is_last = beyond >= 0;
    if (*is_last) end = r->t1;
    dae_status st = show_marks(r, before);
    r->inside = (double)NAN;
    if (!st && r->look) st = r->look(r->context, r, before, end);
    if (st) return st;
    r->t = end;
    r->side = 0;
    const stretch step = {
        before, end, grid_parts(&r->grid, before, end), *is_last, stands};
    st = show_step(r, &step);
    return !st && *is_last && stands ? end_at_event(r) : st;
}

static dae_status walk(run *r, progress *p)
{
    bool is_last = false;
    dae_status st = DAE_OK;
    if (!(fabs(r->t1 - r->t0) > 0)) {
        st = show_marks(r, r->t0);
        return st ? st : show(r, POINT_END, r->t0);
    }
    while (!st && !is_last) {
        st = dae_solver_step(r->solver);
        if (!st && r->why) st = why_note(r->why, r);
        if (!st) st = follow_step(r, &is_last);
        if (st || is_last) break;
        progress_update(p, r->t, dae_solver_last_step(r->solver),
            dae_solver_stats(r->solver)->steps);
    }
    return st;
}

/* The point after the event that has stopped the run is its end. */
static dae_status end_by_stop(run *r)
{
    r->is_stopped = true;
    dae_status st = show_marks(r, r->t);
    return st ? st : show(r, POINT_END, r->t);
}

/* Values at the time reached, of run.side where there is one. */
static dae_status find_values(run *r)
{
    dae_status st = DAE_OK;
    if (r->side == POINT_BEFORE) return DAE_OK; /* they have been observed */
    if (r->side == 0) {
        st = dae_solver_interpolate(r->solver, r->t, r->x, r->xp);
        if (r->discrete_count)
            memcpy(r->discretes, held(r),
                r->discrete_count * sizeof *r->discretes);
    }
    return st ? st : observe(r);
}

/* Leaves x, xp and observed at the time reached. */
static dae_status settle(run *r, dae_status st)
{
    const bool at_start = !(fabs(r->t - r->t0) > 0) && r->side == 0;
    if (at_start) {
        memcpy(r->observed, r->start_observed,
            r->observation_count * sizeof *r->observed);
        return st ? st : DAE_OK;
    }
    dae_status got = find_values(r);
    if (got) return st ? st : got;
    const bool is_shown = !(fabs(r->t - r->last_row) > 0);
    const point p = {POINT_ROW, r->t, r->x, r->xp, r->discretes, r->observed};
    if (st && st != DAE_IO && !is_shown) got = tell(r, &p);
    return st ? st : got;
}

dae_status runner_steps(run *r)
{
    progress p;
    double before = console_clock();
    r->inside = (double)NAN;
    r->schedule = (schedule){r->t1 >= r->t0 ? 1 : -1, 1, 0};
    progress_start(&p, r->args, r->t0, r->t1);
    dae_status st = walk(r, &p);
    if (st == DAE_STOPPED) st = end_by_stop(r);
    st = settle(r, st);
    progress_finish(&p);
    r->times.solve = console_clock() - before;
    return st;
}
