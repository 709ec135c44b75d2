/* Sentences about repairs, in the names of the problem. */
#ifndef REPAIR_REPAIR_REPORT_H
#define REPAIR_REPAIR_REPORT_H

#include "linalg/layout.h"
#include "repair/cancellation.h"
#include "repair/replacements.h"

/* What all steps of one round came to. */
typedef struct text_outcome {
    const dae_structure *before, *after;
    int64_t index_before, index_after; /* in derivatives of the problem's own
                                          equations */
    size_t steps;
    size_t mass_rank; /* of dF/dx'; 0: not known, or of no interest */
} text_outcome;

typedef struct text_request {
    const dae_problem *problem;
    const layout *layout;
    const plan *plan; /* after the step */
    const repair_step *step;
    const leftover *left;        /* of a combination of equations */
    const text_outcome *outcome; /* NULL: not told with this step */
} text_request;

/* A step that was made, and one that shows that there is no solution or no
 * single one. The text is in the arena; NULL: no memory. */
char *text_of_step(const text_request *q, arena *a);
char *text_of_end(const text_request *q, arena *a);
/* After this step the structure has no transversal any more. */
char *text_of_singular(const text_request *q, arena *a);

#endif
