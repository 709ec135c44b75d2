/* Numbers against structure: is the system Jacobian dF_i^(c_i)/dx_j^(d_j)
 * regular, fine block by fine block? Where d_j - c_i is the order of unknown j
 * in equation i this is the Jacobian's entry there, else 0, so that no equation
 * has to be differentiated for it [Pry01, Lemma 3.7]. */
#ifndef INDEX_BLOCK_REGULARITY_H
#define INDEX_BLOCK_REGULARITY_H

#include "index/signature.h"
#include <dae/analysis.h>

/* Largest block whose rank is counted if the condition estimate is doubtful. */
enum { BLOCKS_RANK_LARGEST = 2000 };
/* Up to so many unknowns a block is decided by the pivots of QR, above by a
 * condition estimate. */
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
 * index/generic_points.h, and for blocks singular there from three with larger
 * values, where a pivot has to be above START_RTOL: CERTIFIED, SINGULAR or
 * NOT_CERTIFIED; rank[] (may be NULL)
 * gets the largest rank found, or the block's size where the rank is not known.
 * Blocks of one unknown are regular if their entry is not 0. Blocks of up to
 * BLOCKS_RANK_SMALL are decided by the pivots of QR with column pivoting,
 * larger ones by a condition estimate from sparse LU, and by QR only if that is
 * doubtful. One point where it is regular certifies a block. It is SINGULAR if
 * its rank is the same at all points, with a clear gap between pivots and
 * rounding errors. A block whose factorization would take more than 50 * WORK_OF_SECOND
 * operations (linalg/thresholds.h) stays NOT_CERTIFIED. DAE_INTERRUPTED: by
 * `interrupt`. */
dae_status blocks_certify(const blocks_request *q,
    dae_certificate *certificates, int64_t *rank) DAE_MUST_CHECK;
/* The same at one point, such as the start: CERTIFIED becomes SINGULAR_HERE if the
 * rank is less there than beside the point, or would be so within the error of a
 * computed point, or if the block is singular beside the point, too; NOT_CERTIFIED
 * becomes CERTIFIED if it is regular. SINGULAR is kept. Without values at the point
 * nothing is changed. */
dae_status blocks_certify_at(const blocks_request *q, double t, const double *x,
    const double *xp, dae_certificate *certificates,
    int64_t *rank) DAE_MUST_CHECK;

/* ---- index_bound.c ---------------------------------------------------------------- */

/* Does the index attain the structural one? The structural index bounds it from
 * above where the system Jacobian J is regular [Pry01], and there are systems
 * whose index is lower [RMB00]. One solution with J shows that the index attains the
 * bound, in a system of any size:
 *
 * Let C be the largest c. The derivative array of one level less than the
 * structural index lacks the C-th derivatives of the equations with c = C, if
 * some d is 0 their (C+1)-th. At the first stage at which one is missing, k = 0,
 * with some d = 0 k = 1, it holds equations i differentiated c_i + k times for
 * the c_i < C alone, and its unknowns are the derivatives d_j + k. So with
 *
 *     J v = e,    e_i not 0 for equations with c_i = C only,
 *
 * v solves all of them, nothing below is moved, and all later stages have
 * full row rank and can follow. Where v moves the derivative of an unknown that
 * the index asks for, which is x_j^(q_j) (x_j' where q_j = 0), this array does
 * not determine it [BCP96 2.5], and the index is higher.
 *
 * Uncoupled parts of a problem, by equation: group[i] < groups, or -1 for equations
 * that are not requested. At a point where all blocks of a requested group are
 * regular, consistent unless J is constant: is_attained[g] := 1 if the index of the
 * group is shown to be the structural one, which must be at least 2. 0: it may be
 * lower, or the numbers do not decide it, or the factorization would take more
 * than 50 * WORK_OF_SECOND operations (linalg/thresholds.h). Internal unknowns (index_group
 * 255) count as the expressions they stand for. */
dae_status attained_find(const blocks_request *q, double t, const double *x,
    const double *xp, const int32_t *group, size_t groups,
    uint8_t *is_attained) DAE_MUST_CHECK;

#endif
