/* Numbers against structure: is the system Jacobian dF_i^(c_i)/dx_j^(d_j)
 * regular, fine block by fine block? Where d_j - c_i is the order of unknown j
 * in equation i this is the Jacobian's entry there, else 0, so that no equation
 * has to be differentiated for it [Pry01, Lemma 3.7]. */
#ifndef INDEX_BLOCKS_H
#define INDEX_BLOCKS_H

#include "index/signature.h"
#include <dae/analysis.h>

/* Above so many unknowns in one block a doubtful rank stays doubtful. */
enum { BLOCKS_RANK_LARGEST = 2000 };
/* Up to here the pivots of a block are looked at first, above its condition. */
enum { BLOCKS_RANK_SMALL = 32 };

typedef struct blocks_request {
    const dae_problem *problem;
    const layout *layout;
    const signature *signature;
    const dae_structure *structure; /* of that signature; regular */
    const dae_allocator *allocator;
    dae_interrupt_fn *interrupt;
    void *interrupt_context;
} blocks_request;

/* Fills certificates[structure->fine_count] from three points of
 * index/points.h: CERTIFIED, SINGULAR or NOT_CERTIFIED; rank[] (may be NULL)
 * gets the largest rank met, the block's size where it is not known. A block is
 * regular where LU of the equilibrated block has no pivot near rounding and its
 * condition estimate says so; doubtful ones are decided by a rank-revealing
 * factorization. One point where it is regular certifies a block; SINGULAR is
 * one that has the same rank at all of them with a clear gap to what is
 * rounding. A block whose factorization would take more than BUNDLE_WORK
 * operations (index/bundle.h) stays NOT_CERTIFIED. DAE_INTERRUPTED: `interrupt` said so. */
dae_status blocks_certify(const blocks_request *q,
    dae_certificate *certificates, int64_t *rank) DAE_MUST_CHECK;
/* The same at one point, such as the start: CERTIFIED becomes SINGULAR_HERE
 * where the rank is less there than beside the point, or would be within what a
 * computed point is uncertain by; NOT_CERTIFIED becomes CERTIFIED where it
 * is regular. A SINGULAR one stays. Without values at the point nothing is
 * changed. */
dae_status blocks_certify_at(const blocks_request *q, double t, const double *x,
    const double *xp, dae_certificate *certificates,
    int64_t *rank) DAE_MUST_CHECK;

#endif
