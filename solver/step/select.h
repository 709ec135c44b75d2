/* Policy: which order and which step come next, from the estimates of
 * error_test.h alone. Pure arithmetic on a few numbers, so that every rule
 * can be tested without integrating anything. */
#ifndef STEP_SELECT_H
#define STEP_SELECT_H

#include "step/band.h"
#include "step/error_test.h"
#include <stdbool.h>

/* One-step methods have errors of orders up to this. */
enum { SELECT_ORDER_MAX = 7 };

typedef struct selector {
    int max_order;
    int only;    /* > 0: the error is of this order, and no other is taken */
    double bias; /* the next step aims at 1 / bias of the allowed error */
    double
        safety; /* > 0: in place of that, of a one-step method: step/parts.h */
    double before_error, before_length; /* of the step before; 0: none */
    int order;                          /* of the next attempt */
    int steps_at_order;                 /* accepted since the order changed */
    int64_t accepted;                   /* since the start */
    bool is_steady;     /* lengths are kept for order + 1 steps: see .c */
    bool moves_past;    /* a change of length moves the past points: a longer
                           step is kept for as many as the order says */
    bool is_ramping;    /* raising the order after a start, no failure yet */
    int hold;           /* steps that may not be lengthened, after failures */
    double grown;       /* factor by which the coming step was lengthened, 1 */
    double growth;      /* learned limit of such factors */
    bool has_lowered;   /* the coming step is the first of a lower order */
    double trust_lower; /* learned: what lower orders' estimates are worth */
    double length;      /* of the last step, > 0, time */
    int banned;         /* steps for which the bands count */
    double turning;     /* rate of an oscillation whose amplitude is to be kept,
                           1/time */
    int turns;          /* steps for which it counts */
    band bands[SELECT_ORDER_MAX + 1]; /* by order: lengths to keep off */
} selector;

/* A choice: selector.order is set; the factor of the step length is given. */

void selector_init(selector *s, int max_order);
/* For a tolerance relative to the values: tight ones need many steps, whose errors
 * add up, and so aim lower. */
void select_aim(selector *s, double tolerance);
/* Begin at order 1. */
void selector_start(selector *s);
/* Of the error that a step of length h > 0 may have, what it is to aim at. Less than
 * 1 where an oscillation is to keep its amplitude: nothing damps the errors of its
 * steps, so those of one radian together are to be what one step's may be. */
double select_part(const selector *s, double h);
/* Whether the estimate of order + 1 is of use now (it costs a pass). */
bool select_wants_higher(const selector *s);
/* After an accepted step. */
double select_after_step(selector *s, const estimates *e);
/* After the failure-th failed error test (1, 2, ...) of one step; the caller
 * rebuilds the history where `failure` is 3 or more. */
double select_after_failure(selector *s, const estimates *e, int failure);

#endif
