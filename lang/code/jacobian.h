/* Jacobians: planned (pattern, places), closed (programs, products), run. */
#ifndef CODE_JACOBIAN_H
#define CODE_JACOBIAN_H

#include "code/compile.h"

/* Finds the pattern of `rows` equations and gives the rows their codes. The
 * definitions these need have their gradients. */
dae_status gradient_plan(
    compiled *c, row_sets *sets, size_t rows, jacobian *j) DAE_MUST_CHECK;
/* Makes the programs; after every jacobian_plan and when temp_count is known.
 * `gradients`: the bit of the definitions the rows need; `values`: the bit to
 * use for those whose values the gradients need. */
dae_status gradient_close(compiled *c, const row_sets *sets, uint16_t gradients,
    uint16_t values, jacobian *j) DAE_MUST_CHECK;
void gradient_free(const dae_allocator *a, jacobian *j);

/* Writes the entries of `scope`. */
void gradient_run(compiled *c, const jacobian *j, dae_scope scope, double t,
    const double *x, const double *xp, double *values);

#endif
