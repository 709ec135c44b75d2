/* One attempt at a step as a method sees it: the last point, the task of the new
 * one, room, and what the method keeps from step to step. */
#ifndef STEP_TRANSITION_H
#define STEP_TRANSITION_H

#include "newton/direct.h"
#include "step/predict.h"

/* Of x, slope, d, error and of each row of work, kept and made there are N, of xp n
 * values. An attempt writes the task's vectors, new_slope, work, made, made_numbers
 * and error and nothing else, so one that fails or is stopped leaves nothing
 * behind. */
typedef struct transition {
    const layout *layout;
    newton *newton;
    newton_task
        task; /* vectors and t of the new point, h; alpha is the method's */
    double t; /* the last point */
    const double *x, *slope; /* its values and slopes, of all states; algebraic
                                unknowns have those of step/between.h */
    double *new_slope; /* room; the same as task.xp in a first-order layout */
    double *const *work;
    const uint8_t *is_velocity; /* N, with ONE_STEP_TURNING */
    /* Of methods that ask for it (step/parts.h): */
    const double *const *kept; /* as the last accepted step left it */
    double *const *made;       /* takes its place when this one is accepted */
    const double *numbers;     /* the same of single numbers */
    double *made_numbers;
    double *error;   /* of x at the new point, 0 before */
    int asked_order; /* to be held; 0: the method's choice */
    int failures;    /* times that Newton's method has failed in this step */
    bool has_failed; /* an attempt at this step, for whatever reason */
    int order, error_order; /* of the method, and made where it has several */
    double safety; /* parts.safety, less where the step was hard to make */
    double
        shorter; /* after NEWTON_DIVERGED: the part of its length with which an attempt
                       is to do; 0: not known */
    /* Of correctors of multistep formulas, else NULL and 0: */
    const history *history;
    const grid *grid;
    int k;
} transition;

/* Newton's method from the task's point on, with the task's alpha and t: as often in
 * an attempt as the method has stages. The matrix and its factors are shared;
 * they are made anew where alpha is too far from that of the stage before. */
newton_outcome transition_solve(transition *s);

/* A stage x' = alpha (x - base) of all states at task.t, alpha = 1/time: `slope`
 * (N) is a guess and becomes the stage's slopes, x is left in task.x. */
newton_outcome transition_stage(
    transition *s, double alpha, const double *base, double *slope);

#endif
