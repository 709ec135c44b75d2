/* Branches that end where they turn: of q = sign(p)*sqrt(abs(p)), held, there is no value
 * beyond p = 0, and no step gets there to see that it turns. Where steps fail
 * beside such a place, switches next to it are free, each equation is what the text
 * says, and a step crosses as one that knows of no switches. Once it has, they are
 * held again, and those that stand on the other side have turned there. */
#ifndef EVENTS_FREEING_H
#define EVENTS_FREEING_H

#include "events/event_loop.h"

/* After a step that failed: `*is_saved` if another attempt is to be made. */
dae_status freeing_try(run *r, step_failure why, bool *is_saved) DAE_MUST_CHECK;
/* After an accepted step in which nothing turned. Fine without events. */
dae_status freeing_end(run *r) DAE_MUST_CHECK;

#endif
