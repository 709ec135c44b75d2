/* Running a task at a point. */
#ifndef CODE_RUN_H
#define CODE_RUN_H

#include "code/kernels.h"

static inline void run_task(compiled *c, const task *what, double t,
    const double *x, const double *xp, double *values)
{
    /* written once: copies would be read wider than written, which waits */
    double *at[AT_COUNT] = {
        [AT_X] = place_of_input(x),
        [AT_XP] = place_of_input(xp),
        [AT_PARAM] = c->s->param_values.items,
        [AT_DEF] = c->def_values,
        [AT_TIME] = &t,
        [AT_HELD] = c->held,
        [AT_MAIN] = values,
        [AT_OUT_DEF] = c->def_values,
        [AT_JAC] = c->temps,
    };
    task_run(what, at, c->work);
}

#endif
