/* Derivatives of equations as programs: `derive` of problem.h. */
#ifndef CODE_DERIVED_H
#define CODE_DERIVED_H

#include "code/compile.h"

dae_derive_fn derived_make;

#endif
