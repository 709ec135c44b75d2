/* What changes while a problem runs (dae/events.h): the tables of discrete
 * variables, whens and assignments, and the programs of their conditions and
 * right sides. */
#ifndef CODE_EVENTS_H
#define CODE_EVENTS_H

#include "code/compile.h"

/* Rows of conditions and right sides. */
dae_status events_read(compiled *c) DAE_MUST_CHECK;
/* Room for what is held, which has the values of the start: switches are
 * free. */
dae_status events_room(compiled *c) DAE_MUST_CHECK;
/* Definitions that they need; E0216. After the slots are known. */
dae_status events_mark(compiled *c, dae_diagnostics *ds) DAE_MUST_CHECK;
/* What is held is as at the start again, by the params. */
void events_start(compiled *c);
/* Sets problem.events where there is anything that changes. */
dae_status events_fill(compiled *c) DAE_MUST_CHECK;

#endif
