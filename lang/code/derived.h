/* Derivatives of equations as programs: `derive` of problem.h. */
#ifndef CODE_DERIVED_H
#define CODE_DERIVED_H

#include "code/compile.h"

typedef struct derived derived;

dae_derive_fn derived_make;
/* What the model keeps, of which no problem is held any more; may be NULL. */
void derived_free(derived *d);

#endif
