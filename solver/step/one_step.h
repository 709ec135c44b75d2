/* Methods whose new point follows from the values and slopes at the last one. The
 * machine gives them those, keeps what they make as a cubic between the two
 * points, and does all else as for multistep formulas. They have no estimate of
 * their error: steps are fixed. A new one is a file in solver/methods. */
#ifndef STEP_ONE_STEP_H
#define STEP_ONE_STEP_H

#include "newton/direct.h"
#include "step/predict.h"

enum { ONE_STEP_WORK = 4 };

/* One step. Of x, slope, d, work there are N, of xp n values. */
typedef struct transition {
    const layout *layout;
    newton *newton;
    newton_task
        task; /* vectors and t of the new point, h; alpha is the method's */
    double t; /* the last point */
    const double *x, *slope; /* its values and slopes, of all states */
    double *new_slope; /* room; the same as task.xp in a first-order layout */
    double *work[ONE_STEP_WORK];
    const uint8_t *is_velocity; /* N, with ONE_STEP_TURNING */
} transition;

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
    int order;
    unsigned needs;
    /* Sets task.x and task.xp to the new point; d counts for no one, lower states
     * have their slopes above them. */
    newton_outcome (*make)(transition *s);
} one_step;

/* task.xp from task.x at the time t; then all slopes into `slope` (N). For
 * methods that ask for an ODE. */
newton_outcome one_step_slopes(transition *s, double t, double *slope);

#endif
