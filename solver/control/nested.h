/* Switches that cross at one instant, where some look through others of them:
 * abs(x) comes to 0 where x does, and is not below it behind that. */
#ifndef CONTROL_NESTED_H
#define CONTROL_NESTED_H

#include "control/event_loop.h"

/* All that cross have turned, and those of before are in e->held_before. Those turn
 * back whose g, with the others where they are now, does not pass the edge; no when
 * has been asked yet. */
dae_status nested_settle(run *r) DAE_MUST_CHECK;

#endif
