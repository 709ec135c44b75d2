/* One block section from one kernel. */
#ifndef CODE_EMIT_H
#define CODE_EMIT_H

#include "code/flatten.h"
#include "code/fuse.h"

/* What is the same in every row becomes the prologue, the other columns become
 * ports, the rest block code. Takes the flattened kernel and an empty fuser;
 * appends a section to the program. */
dae_status emit_block(program *p, const kernel *k, const flattener *flat,
    fuser *f) DAE_MUST_CHECK;
/* The kernel's rows one after the other into the fuser. */
dae_status emit_fused(
    const kernel *k, const flattener *flat, fuser *f) DAE_MUST_CHECK;

#endif
