/* A pick of states: which derivatives stay derivatives and which become
 * unknowns of their own, dummy derivatives [MS93]. Of unknown j with highest
 * derivative d_j the equations x_j^(l)' = x_j^(l+1) are kept for l below
 * order[j]; what is above is determined by the constraints and their
 * derivatives. So x_j .. x_j^(order[j]-1) are states. */
#ifndef REDUCE_PICK_H
#define REDUCE_PICK_H

#include "reduce/stages.h"

typedef struct pick {
    int32_t *order; /* unknowns */
    /* How far the constraints carry an error of the states into what they
     * determine: the largest entry of (what is determined) by (what could be
     * determined in its place), in units of the unknowns' sizes. About 1
     * where the choice is good, without bound where it becomes impossible. */
    double leverage;
    /* An equation that has nothing to determine where there is no choice;
     * -1: none. */
    int32_t lost;
    int32_t lost_rank, lost_rows; /* of its stage */
} pick;

typedef struct pick_request {
    const stages *stages;
    const dae_structure *structure;
    const double *values; /* the extended problem's Jacobian at the point */
    const double *size;   /* unknowns: > 0, typical sizes */
    const uint8_t
        *is_preferred; /* unknowns that are to stay states; NULL: none */
    const dae_allocator *allocator;
} pick_request;

/* Fills out->order (room for all unknowns is the caller's), leverage, lost:
 * stage after stage by QR with column pivoting [GVL13 5.4], sparse elimination
 * with column pivoting for large blocks. DAE_NUMERIC: the constraints of a
 * stage have not full rank at the point; `lost` says where. */
dae_status pick_choose(const pick_request *q, pick *out) DAE_MUST_CHECK;
/* The leverage of a pick at another point: HUGE_VAL where it is impossible
 * there. */
dae_status pick_measure(
    const pick_request *q, const pick *p, double *leverage) DAE_MUST_CHECK;

#endif
