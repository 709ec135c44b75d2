/* Equations that say no more than that one slot is another: x' = v. */
#ifndef CODE_EQUALITIES_H
#define CODE_EQUALITIES_H

#include "code/compile.h"

/* Fills c->problem.equalities, by equation. After add_border_equations. */
dae_status equalities_find(compiled *c) DAE_MUST_CHECK;

#endif
