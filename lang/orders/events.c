#include "orders/events.h"

#include <dae/names.h>
#include <math.h>

/* Of the interval, and of the time between two events, a part on either side in
 * which nothing is compared. */
static const double NEAR = 0.02, NEAR_OF_GAP = 0.4;

/* What an event moves by fewer tolerances is what steps have left of it. */
static const double JUMPED = 30;

static bool jumps(const dae_orders *o, const dae_event *event)
{
    const event_times *e = &o->events;
    const size_t count = dae_problem_state_count(dae_run_problem(o->run));
    for (size_t k = 0; k < count; k++) {
        const double now = event->x[k], before = event->x_before[k];
        const double size = fmax(fabs(now), fabs(before));
        if (fabs(now - before) > JUMPED * (e->rtol * size + e->atol))
            return true;
    }
    return false;
}

static void note_when(dae_orders *o, const dae_event *event)
{
    event_times *e = &o->events;
    e->last_at = event->t;
    if (e->first != SIZE_MAX) return;
    e->first = dae_text_next(dae_run_problem(o->run), DAE_NAME_WHEN,
        event->whens, event->when_count, SIZE_MAX);
    e->first_at = event->t;
}

static dae_status note(void *context, const dae_event *event)
{
    dae_orders *o = context;
    event_times *e = &o->events;
    if (event->phase != DAE_EVENT_AFTER) return DAE_OK;
    if (event->when_count == 0 && !jumps(o, event)) return DAE_OK;
    if (event->when_count > 0) note_when(o, event);
    return ARRAY_PUSH(o->allocator, &e->times, event->t) ? DAE_OK : DAE_MEMORY;
}

static dae_status run_once(dae_orders *o, dae_diagnostics *quiet)
{
    dae_run *r = NULL;
    dae_status st = orders_side_run(o, 1, NULL, 5, quiet, &r);
    if (!st) {
        o->events.rtol = dae_run_options(r)->rtol;
        o->events.atol = dae_run_options(r)->atol;
        dae_run_on_event(r, note, o);
    }
    if (!st) st = dae_run_start(r);
    if (!st) st = dae_run_to(r, dae_run_end(r));
    o->events.is_stopped = dae_run_is_stopped(r);
    dae_run_free(r);
    return st;
}

dae_status orders_events_find(dae_orders *o)
{
    const dae_events *events = dae_run_problem(o->run)->events;
    dae_diagnostics *quiet;
    if (!events) return DAE_OK;
    dae_status st = dae_diagnostics_create(o->allocator, &quiet);
    if (st) return st;
    st = run_once(o, quiet);
    dae_diagnostics_free(quiet);
    return st == DAE_MEMORY || st == DAE_INTERRUPTED ? st : DAE_OK;
}

static dae_status refuse_steps(dae_orders *o, const char *label)
{
    const char *pre = o->request.prefix;
    return ORDERS_REFUSE(o,
        "`%s` fires at t = %.10g: formulas at fixed steps are studied without "
        "events; %sto ends before it, %sstudy tolerances goes on behind it",
        label, o->events.first_at, pre, pre);
}

static dae_status plan_with(dae_orders *o, const char *label)
{
    const event_times *e = &o->events;
    const char *pre = o->request.prefix;
    if (e->is_stopped)
        return ORDERS_REFUSE(o,
            "a `stop` ends the run at t = %.10g: orders are measured up to the "
            "end of the interval, %sto makes it shorter",
            e->last_at, pre);
    if (!o->plan.has_steps) return DAE_OK;
    if (!o->plan.has_tolerances) return refuse_steps(o, label);
    o->plan.has_steps = false;
    report(o->ds, DIAG_N0508, NULL, (text_span){0, 0},
        "`%s` fires at t = %.10g: there is no study at fixed steps, whose "
        "formulas go across events without knowing of them (%sto ends "
        "before it)",
        label, e->first_at, pre);
    return DAE_OK;
}

dae_status orders_events_plan(dae_orders *o)
{
    dae_name_buffer name = {0};
    if (o->events.first == SIZE_MAX) return DAE_OK;
    const dae_status st = plan_with(o,
        dae_name_of(
            dae_run_problem(o->run), DAE_NAME_WHEN, o->events.first, &name));
    if (!dae_name_done(&name)) report_lost(o->ds);
    return st;
}

bool orders_events_allow(const dae_orders *o, double t)
{
    const event_times *e = &o->events;
    const double way = orders_way(o);
    const size_t count = e->times.count;
    size_t low = 0;
    for (size_t high = count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (way * (t - e->times.items[middle]) > 0) low = middle + 1;
        else high = middle;
    }
    const double before = low > 0 ? e->times.items[low - 1]
                                  : dae_run_begin(o->run);
    const double after = low < count ? e->times.items[low]
                                     : dae_run_end(o->run);
    const double near = fmin(
        NEAR * orders_length(o), NEAR_OF_GAP * fabs(after - before));
    return (low == 0 || fabs(t - before) >= near)
        && (low == count || fabs(after - t) >= near);
}
