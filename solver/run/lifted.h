/* What is told of tolerances that rounding made a run lift. */
#ifndef RUN_LIFTED_H
#define RUN_LIFTED_H

#include "run/run.h"

/* Keeps what that is about before the engine is replaced. */
void lifted_keep(run *r);
/* N0507 where rounding in the equations made the run keep a tolerance well
 * above the one asked for. */
void lifted_tell(run *r);

#endif
