/* A reduction as it presents itself to callers. */
#ifndef RUN_OUTLINE_H
#define RUN_OUTLINE_H

#include "reduce/reduction.h"
#include "run/run.h"
#include <dae/reduction.h>

/* `at` is a point of r->now. */
dae_status outline_create(const reduction *r, shown_point at,
    const dae_allocator *allocator, dae_reduced_system **out) DAE_MUST_CHECK;
void outline_free(dae_reduced_system *system);

#endif
