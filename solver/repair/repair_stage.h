/* A problem on the way through repairs: its plan, the view that presents it,
 * what structure says of that and what numbers say of that. */
#ifndef REPAIR_REPAIR_STAGE_H
#define REPAIR_REPAIR_STAGE_H

#include "index/block_regularity.h"
#include "repair/repaired_problem.h"

typedef struct stage {
    plan plan;
    view *view; /* of this plan; NULL: the problem itself, and all but `index`
                   is the caller's */
    signature *signature;
    dae_structure *structure;
    dae_certificate *certificates; /* structure->fine_count */
    int64_t index; /* bound by the structure, in derivatives of the problem's
                      own equations */
} stage;

/* Fine on a zeroed one. */
void stage_clear(stage *s, const dae_allocator *a);
/* `given` is the request for the problem itself, here and below. */
blocks_request stage_request(const stage *s, const blocks_request *given);
/* How often each equation of the problem is differentiated; zeros on entry. */
void stage_derivatives(const stage *s, int32_t *differentiate);
/* Sets s->index; scratch from the arena. */
dae_status stage_find_index(
    stage *s, const blocks_request *given, arena *a) DAE_MUST_CHECK;
/* Sets s->certificates, of a view. */
dae_status stage_certify(stage *s, const blocks_request *given) DAE_MUST_CHECK;
/* Changes `certificates` (structure->fine_count) by what they are at a point:
 * see repair_certify_at. */
dae_status stage_certify_at(const stage *s, const blocks_request *given,
    double t, const double *values, const size_t *first,
    dae_certificate *certificates) DAE_MUST_CHECK;

#endif
