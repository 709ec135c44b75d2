#include "orders_events.h"
#include "memory.h"
#include "orders_run.h"
#include <dae/names.h>
#include <math.h>

/* Of the interval, and of the time between two events, a part on either side in
 * which nothing is compared. */
static const double NEAR = 0.02, NEAR_OF_GAP = 0.4;

static dae_status note(void *context, const dae_event *event)
{
    orders_events *e = context;
    if (event->when_count == 0) return DAE_OK;
    if (e->count == 0)
        e->first = dae_text_next(e->problem, DAE_NAME_WHEN, event->whens,
            event->when_count, SIZE_MAX);
    double *times = memory_grow(e->times, e->count, &e->room, sizeof *times);
    if (!times) return DAE_MEMORY;
    e->times = times;
    e->times[e->count++] = event->t;
    return DAE_OK;
}

static dae_status run_once(orders_events *e, session *s)
{
    orders_run r;
    dae_status st = orders_run_begin(&r, s, 1, NULL, 5);
    if (!st) dae_run_on_event(r.run, note, e);
    if (!st) st = dae_run_start(r.run);
    if (!st) st = dae_run_to(r.run, dae_run_end(r.run));
    e->is_stopped = dae_run_is_stopped(r.run);
    orders_run_end(&r);
    return st;
}

dae_status orders_events_find(orders_events *e, session *s)
{
    const dae_events *events = dae_run_problem(s->run)->events;
    *e = (orders_events){.problem = dae_run_problem(s->run)};
    if (!events || events->when_count == 0) return DAE_OK;
    const dae_status st = run_once(e, s);
    return st == DAE_MEMORY || st == DAE_INTERRUPTED ? st : DAE_OK;
}

static void refuse_stop(const orders_events *e, session *s)
{
    messages_add(&s->messages, "E0505",
        "a `stop` ends the run at t = %.10g: orders are measured up to the end "
        "of the interval, --to makes it shorter",
        e->times[e->count - 1]);
}

static void refuse_steps(const orders_events *e, session *s, const char *label)
{
    messages_add(&s->messages, "E0505",
        "`%s` fires at t = %.10g: formulas at fixed steps are studied without "
        "events; --to ends before it, --study tolerances goes on behind it",
        label, e->times[0]);
}

dae_status orders_events_plan(
    const orders_events *e, session *s, orders_plan *plan)
{
    if (e->count == 0) return DAE_OK;
    const char *label = dae_name_of(
        e->problem, DAE_NAME_WHEN, e->first, memory_name());
    if (e->is_stopped) {
        refuse_stop(e, s);
        return DAE_ARGUMENT;
    } else if (plan->has_steps && !plan->has_tolerances) {
        refuse_steps(e, s, label);
        return DAE_ARGUMENT;
    } else if (plan->has_steps) {
        plan->has_steps = false;
        messages_add(&s->messages, "N0508",
            "`%s` fires at t = %.10g: there is no study at fixed steps, whose "
            "formulas go across events without knowing of them (--to ends "
            "before it)",
            label, e->times[0]);
    }
    return DAE_OK;
}

bool orders_events_allow(const orders_events *e, const dae_run *r, double t)
{
    const double way = dae_run_end(r) > dae_run_begin(r) ? 1 : -1;
    size_t low = 0;
    for (size_t high = e->count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (way * (t - e->times[middle]) > 0) low = middle + 1;
        else high = middle;
    }
    const double before = low > 0 ? e->times[low - 1] : dae_run_begin(r);
    const double after = low < e->count ? e->times[low] : dae_run_end(r);
    const double near = fmin(NEAR * fabs(dae_run_end(r) - dae_run_begin(r)),
        NEAR_OF_GAP * fabs(after - before));
    return (low == 0 || fabs(t - before) >= near)
        && (low == e->count || fabs(after - t) >= near);
}
