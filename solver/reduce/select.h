/* A pick from numbers alone, for systems whose structure does not tell which
 * constraints are hidden in them: of all equations and derivatives of the
 * extended problem as many as are independent at a point, and of all slots as
 * many as they determine, the highest derivatives first. Slots that are not
 * determined are states; derivatives above what the user's equations speak of
 * may stay undetermined, too, where nothing else depends on them [KM06 ch. 6].
 * Dense. */
#ifndef REDUCE_SELECT_H
#define REDUCE_SELECT_H

#include "reduce/pick.h"

typedef struct select_request {
    const extended *e;
    const double *values;   /* its Jacobian at the point */
    const double *size;     /* unknowns: > 0, typical sizes */
    const int32_t *highest; /* unknowns: up to this derivative slots count */
    const int32_t *needed;  /* unknowns: up to this one they must not be free */
    const uint8_t *may_be_loose; /* unknowns without derivatives that need not
                                    be determined; NULL: none */
    int64_t freedom;             /* states there are to be; -1: not known */
    const uint8_t
        *is_preferred; /* unknowns that are to stay states; NULL: none */
    gauge *gauge;      /* select_measure's; NULL: none */
    const dae_allocator *allocator;
} select_request;

/* Fills all of `out`. DAE_UNSUPPORTED: the states
 * that are left are not `freedom`, or something has no derivative among the
 * slots, or the system is too large for it. */
dae_status select_choose(const select_request *q, pick *out) DAE_MUST_CHECK;
/* As pick_measure. */
dae_status select_measure(
    const select_request *q, const pick *p, double *leverage) DAE_MUST_CHECK;

#endif
