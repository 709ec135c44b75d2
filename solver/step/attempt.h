/* One attempt at a step by any method, for step.c, which chooses its length by the error, and
 * fixed.c. It reads the history and writes `point`. */
#ifndef STEP_ATTEMPT_H
#define STEP_ATTEMPT_H

#include "step/step.h"

typedef enum attempt {
    ACCEPTED,
    FAILED_ERROR,
    FAILED_CONVERGENCE,
    FAILED_NONFINITE,
    FAILED_SINGULAR,
    FAILED_BOUND,
    FAILED_GROWTH, /* disturbances grow within the step */
    STOPPED,
} attempt;

/* A corrected point may lie beyond a bound by this share of a tolerance. */
static const double bound_slack = 0.5;

/* Slopes of all states at a point: a lower state's is the state above. */
void attempt_fill_slopes(const layout *l, point *p);
/* The slope of an algebraic unknown is not known at a start. */
void attempt_clear_algebraic(const layout *l, point *p);

/* Whether t_stop is ahead, before t_end; what no attempt goes beyond. */
bool attempt_has_stop(const stepper *s);
double attempt_end(const stepper *s);

/* Grid, leading coefficient and time of the step s->h at hand. */
void attempt_prepare(stepper *s);
newton_task attempt_task(stepper *s);
/* From a prediction to the corrected point. */
attempt attempt_correct(stepper *s);
/* The same of what the equations were asked with `before` as Newton's state. */
attempt attempt_outcome(stepper *s, newton_outcome out, const newton *before);
/* The estimates of the errors at the point. */
void attempt_measure(stepper *s);
/* Whether values that are continuous have not jumped since the point before,
 * for first steps and negligible ones. */
bool attempt_keeps(const stepper *s);
/* Whether the point is within bounds. */
attempt attempt_bounds(stepper *s);
/* Whether no pole lies between the last point and this one: step/pole.h. */
attempt attempt_poles(stepper *s);
/* All of it, with the tests of error, bounds and poles. */
attempt attempt_step(stepper *s);

/* An accepted step among the counters. */
void attempt_count(stepper *s);
/* The same, and the point in the history; `further` as in history_push. */
void attempt_enter(stepper *s, bool further);
/* What is given out is within bounds; the history keeps what was computed. */
void attempt_keep_bounds(stepper *s);

#endif
