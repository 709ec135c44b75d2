/* A look at a large problem before a run, for what it costs to read it. */
#ifndef CONTROL_GLANCE_H
#define CONTROL_GLANCE_H

#include <dae/memory.h>
#include <dae/problem.h>
#include <dae/solver.h>
#include <stdbool.h>

/* *is_plain: no equation has to be differentiated, by structure, and no block of
 * equations is singular wherever they have values; so an analysis would find an
 * index of 1 at most and nothing hidden. True also where there are no partial
 * derivatives to ask. DAE_MEMORY, DAE_INTERRUPTED, or a callback's. */
dae_status glance(const dae_problem *problem, const dae_options *options,
    const dae_allocator *allocator, bool *is_plain) DAE_MUST_CHECK;

#endif
