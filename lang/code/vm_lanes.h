/* A program of scalar code at several points at once: what it costs to get to an
 * instruction is shared by the points, and where its operands are is found once and for
 * all. Bit for bit what vm_scalar_run gives. */
#ifndef CODE_VM_LANES_H
#define CODE_VM_LANES_H

#include "code/bytecode.h"

/* Points at once, at most. */
enum { VM_LANES = 8 };

typedef struct vm_points {
    size_t count;
    const double *t, *param, *held; /* t: by point; the others for all */
    const double *const *x, *const *xp;
    double *const *main; /* OUT_MAIN, by point */
    const index_ranges
        *clear; /* by program_out: what instructions add to; or NULL */
} vm_points;

typedef struct vm_lanes vm_lanes;

/* NULL: the program has block code, or more values than a first cache holds. The program is
 * borrowed. */
dae_status vm_lanes_create(const program *p, const dae_allocator *allocator,
    vm_lanes **out) DAE_MUST_CHECK;
void vm_lanes_free(vm_lanes *v); /* v may be NULL */
void vm_lanes_run(vm_lanes *v, const vm_points *points);

#endif
