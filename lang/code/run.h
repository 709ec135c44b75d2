/* Running a task at a point. */
#ifndef CODE_RUN_H
#define CODE_RUN_H

#include "code/kernels.h"

static inline void run_task(compiled *c, const task *what, double t,
    const double *x, const double *xp, double *values)
{
    const double *const spaces[SPACE_COUNT] = {
        [SPACE_X] = x,
        [SPACE_XP] = xp,
        [SPACE_PARAM] = c->s->param_values.items,
        [SPACE_DEF] = c->def_values,
        [SPACE_TIME] = &t,
        [SPACE_HELD] = c->held,
    };
    double *const outs[OUT_COUNT] = {
        [OUT_MAIN] = values,
        [OUT_DEF] = c->def_values,
        [OUT_JAC] = c->temps,
    };
    task_run(what, spaces, outs, c->work);
}

#endif
