/* The equations and observations of a compiled model in extended precision:
 * what problem.h calls residual_long. */
#ifndef CODE_PRECISE_H
#define CODE_PRECISE_H

#include "code/compile.h"

/* DAE_MEMORY: the first call makes its arrays. */
dae_status precise_residual(void *self, dae_long t, const dae_long *x,
    const dae_long *xp, dae_long *res) DAE_MUST_CHECK;
dae_status precise_observe(compiled *c, dae_long t, const dae_long *x,
    const dae_long *xp, dae_long *values) DAE_MUST_CHECK;
/* After a change of params. */
void precise_forget_params(compiled *c);
void precise_free(compiled *c);

#endif
