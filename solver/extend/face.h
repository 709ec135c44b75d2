/* How an extended problem shows itself: values, names, places, start. */
#ifndef EXTEND_FACE_H
#define EXTEND_FACE_H

#include "extend/own.h"

/* Fills e.problem; its layout and pattern stand. */
dae_status face_make(extension *x) DAE_MUST_CHECK;

/* Memory for all callbacks of values (evaluate.c); false: there is none. */
bool extended_take_room(extension *x) DAE_MUST_CHECK;
void extended_end_programs(extension *x);
/* These callbacks. */
dae_release_fn extended_release;
dae_residual_fn extended_residual;
dae_residuals_fn extended_residuals;
dae_jacobian_fn extended_jacobian;
dae_residual_fn extended_conditions;
dae_jacobian_fn extended_condition_jacobian;
dae_explain_fn extended_explain;
dae_residual_fn extended_denominators;
dae_sides_fn extended_sides;

#endif
