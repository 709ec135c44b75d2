/* What a run shows of itself to callers: how it deals with a higher index, what
 * condensing the iteration matrix comes to, and the reduced system at a point. */
#ifndef RUN_OUTLINE_H
#define RUN_OUTLINE_H

#include "run/run.h"
#include <dae/reduction.h>

/* See dae_solver_reduction, dae_solver_state_name. */
dae_reduction_report outline_reduction(const run *r);
/* dae_solver_largest_error and _error_name. */
int64_t outline_largest_error(const run *r, double *error);
size_t outline_error_name(const run *r, int64_t key, char *text, size_t size);
size_t outline_state_name(const run *r, size_t state, char *text, size_t size);

/* See dae_solver_condensation and dae_solver_taken_name. */
dae_status outline_condensation(run *r, dae_condensation *out) DAE_MUST_CHECK;
size_t outline_taken_name(
    const run *r, dae_name_kind kind, size_t taken, char *text, size_t size);

/* See dae_solver_reduced; `at` is a point of r->now. DAE_MEMORY, or a status of a
 * callback. */
dae_status outline_create(const reduction *r, shown_point at,
    const dae_allocator *allocator, dae_reduced_system **out) DAE_MUST_CHECK;
void outline_free(dae_reduced_system *system);

#endif
