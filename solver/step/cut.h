/* A step that ends earlier than it did: at an event inside it. */
#ifndef STEP_CUT_H
#define STEP_CUT_H

#include "step/step.h"

/* The step just accepted, over [t - h, t], ends at te instead, strictly inside it
 * (te = t: nothing changes). Time, point, history and last_h are those of a step
 * that ended there; values between t - h and te are what they were. The run may go
 * on from there as it stands, with the same order and the step that was chosen,
 * or by step/resume.h. May be done again, with an earlier te. */
void stepper_cut(stepper *s, double te);

/* Told before the next attempt: the curve of a step that was cut is not asked for
 * any more. Not for callers outside of the step machine. */
void cut_close(stepper *s);
/* Before an attempt of length h: a starter's step has two points at its end, and one
 * of them is still ahead of where it was cut, also behind further steps that are cut
 * before it. A step that would not get well beyond it has it where it begins; the
 * polynomial of the last step stays what it is.
 * Gives the order that the points allow, `order` at most. */
int cut_gather(history *hi, int last_order, int order, double h);
/* Likewise: the newer end of a one-step method's cubic gets the values and slopes of
 * s->point; where it is cut at its very beginning it is a start, of order 1. */
void cut_meet(stepper *s);

#endif
