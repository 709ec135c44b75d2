/* The solution in closed form, where a model's text has one: lines such as
 *
 *   expect x ~ exp(-k*t) within 1e-9 always
 *
 * whose left side is an unknown or a derivative of one, and whose right side
 * depends on time and params alone. What such a line allows may be much: `T ~ 300
 * within 20 always` is a bound and no solution. Some values may have one and
 * others not. */
#ifndef CLOSED_FORM_H
#define CLOSED_FORM_H

#include <dae/model.h>
#include <stdbool.h>

typedef struct closed_form {
    dae_model *model;
    const dae_problem *problem;
    size_t states, unknowns; /* of the problem: N, n */
    /* The observation that gives each of x (N), then xp (n); SIZE_MAX: none. */
    size_t *source;
    dae_long *slots;    /* N + n: what is asked about */
    dae_long *observed; /* every observation of the model */
    double scale;       /* of time, for differences */
} closed_form;

/* Finds the lines for a run from t0 to t1; those that allow more than `widest`,
 * beside 1 and the size of the value, count for nothing. DAE_MEMORY, or what
 * observations answer. `problem` is borrowed. Clear also after failure. */
dae_status closed_form_init(closed_form *c, dae_model *model,
    const dae_problem *problem, double t0, double t1, double widest);
void closed_form_clear(closed_form *c);

/* Whether a state has one; whether every state does. */
bool closed_form_has(const closed_form *c, size_t state);
bool closed_form_is_complete(const closed_form *c);

/* The states (N) at t, NaN where there is no line. */
dae_status closed_form_states(closed_form *c, dae_long t, dae_long *x);
/* A dae_exact_fn whose context is a closed_form: x (N) and xp (n) at t, the latter
 * by differences of x where no line gives it; NaN in x where there is no line.
 * Either may be NULL. DAE_RETRY: not finite there. */
dae_status closed_form_at(void *self, double t, double *x, double *xp);

#endif
