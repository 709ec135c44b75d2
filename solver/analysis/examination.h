/* What start/ is asked about a start, and how its slots read: the problem's own,
 * or where equations have to be differentiated those of the extended system
 * (extend/extend.h). */
#ifndef ANALYSIS_EXAMINATION_H
#define ANALYSIS_EXAMINATION_H

#include "analysis/analysis.h"
#include "extend/extend.h"

typedef struct examination {
    analysis *a;
    extended *e; /* NULL: the problem itself */
    const dae_problem *problem;
    layout layout;
    bool has_layout;
    size_t slots; /* states + unknowns of `problem` */
    double *x, *xp, *atol;
    uint8_t *x_fixed, *xp_fixed;
    uint8_t *may_be_given, *is_inner; /* slots */
    uint8_t *stands_for;              /* states: orders of derivatives */
} examination;

/* By a->differentiate and a->highest; values are those of the start, or
 * where a seed is known of a slot that is free, the seed's. DAE_LIMIT,
 * DAE_UNSUPPORTED: too much to differentiate. To be cleared whatever comes. */
dae_status examination_init(examination *x, analysis *a) DAE_MUST_CHECK;
void examination_clear(examination *x);
/* The values and what is given again, as after examination_init. */
void examination_load(examination *x);

dae_slot examination_slot(const examination *x, size_t slot);
/* Does a slot exist at all? The derivative of an algebraic unknown does not. */
bool examination_has(const examination *x, size_t slot);
bool examination_is_given(const examination *x, size_t slot);

/* Without findings and diagnostics. */
init_request examination_request(const examination *x);

#endif
