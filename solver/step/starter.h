/* First steps after an event. A multistep formula would come to its order by steps
 * of order 1, 2, ..., whose points are off by as much as their differences say, so
 * that they are short and many. A one-step method of high order, the *starter*, needs
 * no past: of each of its steps the history gets value and slope, two points in one
 * place, and after two of them a polynomial of degree 5. */
#ifndef STEP_STARTER_H
#define STEP_STARTER_H

#include "step/step.h"

/* A one-step formula with an estimate of its error, no private state and no curve
 * (step/parts.h), for a stepper of a multistep formula without parts; others have
 * none. Room is taken from `a`. DAE_MEMORY. */
dae_status stepper_take_starter(
    stepper *s, const formula *f, arena *a) DAE_MUST_CHECK;

/* --- for the step machine --- */

/* After an event, at a history that has just begun: the steps to come are the
 * starter's, the first one `h` (> 0), if there is one and it is of use. Unknowns
 * without derivative need slopes for that, which starter.slopes finds. */
bool starter_begin(stepper *s, double h);
/* Memory ran out for that, and does once more: newton.status. */
bool starter_is_lost(stepper *s);
bool starter_works(const stepper *s);
/* Of a point that it has made: xp of unknowns without derivative. */
dae_status starter_slopes(stepper *s) DAE_MUST_CHECK;
/* After each of its steps that is accepted, the next one being chosen. */
void starter_follow(stepper *s);
/* It has failed too often: order 1 is next. */
void starter_fail(stepper *s);
/* The stepper is that of its own formula again, at whatever point. */
void starter_end(stepper *s);

#endif
