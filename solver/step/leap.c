#include "step/leap.h"

#include "step/between.h"
#include "step/interpolate.h"
#include "step/starter.h"

static newton_outcome find_slopes(stepper *s)
{
    const dae_status st = starter_slopes(s);
    if (!st) return NEWTON_CONVERGED;
    if (st == DAE_RETRY || st == DAE_NUMERIC) return NEWTON_DIVERGED;
    s->newton->status = st;
    return NEWTON_STOPPED;
}

/* Newton's own guess that an error test will fail is none of a stage's. */
attempt leap_make(stepper *s, double t, double h)
{
    const newton before = *s->newton;
    /* beyond a bound the equations go on along their tangents: of stages on either side
     * Newton's method may go to and fro, as where a tank that runs dry has an infinite slope */
    if (s->tries.failures[FAILED_CONVERGENCE] > 0)
        bounds_clip_led_back(
            &s->newton->bounds, s->history.phi[1], s->history.phi[0]);
    s->newton->is_fresh = false; /* see transition_solve */
    s->point.t = t;
    s->point.alpha = 1 / h;
    transition change = method_transition(s);
    change.task.h = h;
    newton_outcome out = s->formula->one_step->make(&change);
    if (out == NEWTON_CONVERGED && starter_works(s)) out = find_slopes(s);
    if (out == NEWTON_HOPELESS) out = NEWTON_DIVERGED;
    s->point.alpha = change.task.alpha;
    s->memory.order = change.order;
    s->memory.error_order = change.error_order;
    s->memory.shorter = out == NEWTON_DIVERGED ? change.shorter : 0;
    s->selector.safety = change.safety;
    s->memory.is_made = out == NEWTON_CONVERGED;
    return attempt_outcome(s, out, &before);
}

void leap_keep(stepper *s)
{
    attempt_fill_slopes(s->layout, &s->point);
    if (starter_works(s)) {
        history_double(&s->history, s->h, s->point.x, s->point.slope);
        return;
    }
    between_slopes(s);
    history_hermite(&s->history, s->h, s->point.x, s->point.slope);
    /* the same bits as whenever the point is taken from there again */
    if (s->formula->parts && s->formula->parts->curve)
        interpolate(&s->history, s->layout, s->history.count - 1, s->history.t,
            NULL, s->point.xp);
}
