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
 * not determine it [BCP96 2.5], and the index is higher. */
#ifndef INDEX_INDEX_BOUND_H
#define INDEX_INDEX_BOUND_H

#include "index/block_regularity.h"

/* Uncoupled parts of a problem, by equation: group[i] < groups, or -1 for equations
 * that are not requested. At a point where all blocks of a requested group are
 * regular, consistent unless J is constant: is_attained[g] := 1 if the index of the
 * group is shown to be the structural one, which must be at least 2. 0: it may be
 * lower, or the numbers do not decide it, or the factorization would take more
 * than BUNDLE_WORK operations (linalg/thresholds.h). Internal unknowns (index_group
 * 255) count as the expressions they stand for. */
dae_status attained_find(const blocks_request *q, double t, const double *x,
    const double *xp, const int32_t *group, size_t groups,
    uint8_t *is_attained) DAE_MUST_CHECK;

#endif
