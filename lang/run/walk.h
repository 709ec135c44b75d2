/* The way of a run from its consistent start: every output time, mark and step
 * shown as it is passed, and both sides of every event.
 *
 * A step that ends at an event shows what lies before its end. The event itself
 * comes with the step after it, or with the end of the interval: BEFORE, as the
 * step left it, and AFTER. What is asked at that time is asked of AFTER, also
 * where several events share it: so marks wait for the step behind them. */
#ifndef RUN_WALK_H
#define RUN_WALK_H

#include "run/solution.h"

/* The consistent start, which x and xp hold. */
dae_status walk_show_start(solution *r);
/* Values that another start has found where the run stands. */
dae_status walk_show_restart(solution *r);
/* The rest of an event in the middle of which somebody has broken off; a `stop` ends the
 * run. */
dae_status walk_end_event(solution *r);
/* A place within the last step, or at its ends: x, xp and run.observed
 * hold its values. */
dae_status walk_inside(solution *r, double t, dae_point *p);
/* Several, at most WALK_PLACES, in the order of the run; the points are valid until
 * the next call. DAE_UNSUPPORTED: each has to be asked for alone. */
enum { WALK_PLACES = 8 };
dae_status walk_places(
    solution *r, size_t count, const double *t, dae_point *p);
/* Makes one of these the one that walk_inside would have asked for. */
void walk_stand(solution *r, const dae_point *p);
/* dae_options.on_event; the context is the run. */
dae_event_fn walk_event;

#endif
