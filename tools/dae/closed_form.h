/* The solution in closed form, where a model says one: lines such as
 *
 *   expect x ~ exp(-k*t) within 1e-9 always
 *
 * for every value that a state of the problem has. What stands on the right must
 * not depend on unknowns, and what is allowed must be small: `T ~ 300 within 20
 * always` is a bound and no solution. */
#ifndef CLOSED_FORM_H
#define CLOSED_FORM_H

#include "messages.h"
#include <dae/model.h>
#include <dae/solver.h>

typedef struct closed_form {
    dae_model *model;
    size_t states, unknowns; /* of the problem: N, n */
    /* The observation that gives each of x (N), then xp (n); SIZE_MAX: none. */
    size_t *source;
    double *nothing;  /* N + n: what no closed form depends on */
    double *observed; /* every observation of the model */
    double scale;     /* of time, for differences */
} closed_form;

/* Finds the lines. DAE_ARGUMENT with E0514 that names what has none; DAE_MEMORY.
 * Clear also after failure. */
dae_status closed_form_init(closed_form *c, dae_model *model,
    const dae_problem *problem, double t0, double t1, messages *m);
void closed_form_clear(closed_form *c);

/* A dae_exact_fn whose context is a closed_form: x (N) and xp (n) at t, the
 * latter by differences of x where no line gives it. Either may be NULL.
 * DAE_RETRY: not finite there. */
dae_status closed_form_at(void *self, double t, double *x, double *xp);

#endif
