/* Running a task at a point. */
#ifndef CODE_RUN_H
#define CODE_RUN_H

#include "code/bytecode.h"
#include "code/kernels.h"

/* The arrays are named once, in the places where instructions look for them: short
 * programs are run often. */
static inline void run_places(compiled *c, const double *t, const double *x,
    const double *xp, double *values, double *at[AT_COUNT])
{
    at[AT_X] = place_of_input(x);
    at[AT_XP] = place_of_input(xp);
    at[AT_PARAM] = c->s->param_values.items;
    at[AT_DEF] = at[AT_OUT_DEF] = c->def_values;
    at[AT_TIME] = place_of_input(t);
    at[AT_HELD] = c->held;
    at[AT_MAIN] = values;
    at[AT_JAC] = c->temps;
}

static inline void run_task(compiled *c, const task *what, double t,
    const double *x, const double *xp, double *values)
{
    double *at[AT_COUNT];
    run_places(c, &t, x, xp, values, at);
    task_run(what, at, c->work);
}

#endif
