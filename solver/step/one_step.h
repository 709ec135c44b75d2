/* Methods whose new point follows from the values and slopes at the last one, by
 * as many stages as they like. The machine gives them those, keeps what they make
 * as a cubic between the two points, and does all else as for multistep
 * formulas. Their steps are fixed unless they bring an estimate of their error
 * (step/parts.h). A new one is a file in solver/methods. */
#ifndef STEP_ONE_STEP_H
#define STEP_ONE_STEP_H

#include "step/transition.h"

/* Rows of work of a method that does not say (step/parts.h). */
enum { ONE_STEP_WORK = 4 };

/* What a method asks of a problem. */
enum {
    ONE_STEP_ODE = 1,          /* every unknown has a derivative and every
                                  equation one in it */
    ONE_STEP_SECOND_ORDER = 2, /* every unknown occurs as x'' */
    ONE_STEP_AT_REST = 4,      /* no equation has x' beside x'' */
    ONE_STEP_TURNING = 8,      /* states are places q and velocities w with
                                  w' = a(t, q), q' = Z(t, q) w */
};

typedef struct one_step {
    int order; /* of what it makes, unless it says another one (transition) */
    unsigned needs;
    /* Sets task.x and task.xp to the new point; d counts for no one, lower states
     * have their slopes above them. */
    newton_outcome (*make)(transition *s);
    const int
        *orders; /* that may be asked for, ascending, 0 at the end; NULL: it has
                          one */
} one_step;

/* task.xp from task.x at the time t; then all slopes into `slope` (N). For
 * methods that ask for an ODE. */
newton_outcome one_step_slopes(transition *s, double t, double *slope);

#endif
