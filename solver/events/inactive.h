/* Switches whose root function has no value, and that nothing asks for while other
 * branches are held as they are: `log(x) < 1` in `x > 0 and log(x) < 1`, or in a
 * branch that is not taken. They sleep: their place in `held` is free, and no
 * crossing is looked for. Where their value is asked for and there is none, that is
 * E0524. And those that turn without end while nothing asks for them, as `source > u`
 * while a diode makes both the same: these sleep until an event makes something ask.
 * How those sleep that lie still at their edge is told in events/equilibrium.h. */
#ifndef EVENTS_INACTIVE_H
#define EVENTS_INACTIVE_H

#include "events/event_loop.h"

struct search_step;
struct search_found;

/* How a switch is_inactive (e->asleep): without a value, turning without end where nothing
 * asks for it, still at its edge, turning without end where its branches agree to
 * tolerance: CONTINUOUS. */
enum { ACTIVE, VALUELESS, TIRED, STILL, CONTINUOUS };

void inactive_put(event_loop *e, size_t k, uint8_t how);
/* At the side where g is. */
void inactive_wake(event_loop *e, size_t k, double g);

/* With root functions g at a point, once all that turns there has turned: what has no
 * value is put to sleep, what has one again is woken, at the side where it is; behind
 * an event, too, what something asks for. DAE_NUMERIC: E0524 is said. DAE_MEMORY. */
dae_status inactive_look(run *r, double t, const double *x, const double *xp,
    const double *g, bool is_event) DAE_MUST_CHECK;
/* Puts a switch to sleep that has been found to cross at e->t and that nothing asks for
 * at the values before, or whose branches agree to tolerance there; it crosses no more.
 * DAE_MEMORY. */
dae_status inactive_tire(run *r, size_t k, bool *is_inactive) DAE_MUST_CHECK;
/* After a search that ended where a root function is lost: what turns without it,
 * before or there. Otherwise the step goes on with those asleep that nothing asks for;
 * DAE_NUMERIC: E0524 is said. `step->held` is e->room_g, `values` writes the point it
 * looks at to e->room_x and e->room_xp. */
dae_status inactive_search(run *r, const struct search_step *step,
    struct search_found *found) DAE_MUST_CHECK;
/* Whether any is. */
bool inactive_any(const event_loop *e);

#endif
