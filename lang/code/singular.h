/* What of a model's equations and unknowns does not go together, as facts for
 * programs: names and lines, beside the text of E0301 and E0302. */
#ifndef CODE_SINGULAR_H
#define CODE_SINGULAR_H

#include "code/structural.h"
#include <dae/model.h>

/* Where they are wanted: `allocator` outlives the model. */
typedef struct singular_request {
    dae_singular **out; /* NULL: not wanted */
    const dae_allocator *allocator;
} singular_request;

/* Sets *q->out from what structural_find found. */
dae_status singular_note(const compiled *c, const structural *found,
    const singular_request *q) DAE_MUST_CHECK;

#endif
