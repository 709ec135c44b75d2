/* Where the equations of a model switch: operations whose value jumps while a
 * run varies what they look at. */
#ifndef CODE_SWITCHES_H
#define CODE_SWITCHES_H

#include "code/compile.h"

/* Sets problem.is_smooth: no equation, and no definition that one needs, has a
 * jump or a kink. After levels are known. */
dae_status switches_look(compiled *c) DAE_MUST_CHECK;

#endif
