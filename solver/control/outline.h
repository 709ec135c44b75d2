/* A reduction as it presents itself to callers. */
#ifndef CONTROL_OUTLINE_H
#define CONTROL_OUTLINE_H

#include "control/engine.h"
#include "control/reduction.h"
#include <dae/reduction.h>

/* At the point of `e`, which steps r->now. */
dae_status outline_create(const reduction *r, const engine *e, double t,
    const dae_allocator *allocator, dae_reduced_system **out) DAE_MUST_CHECK;
void outline_free(dae_reduced_system *system);

#endif
