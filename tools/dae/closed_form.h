/* The solution as the model's own text gives it: lines
 * `expect x ~ formula within ... always` whose left side is an unknown or a
 * derivative of one, and whose right side depends on time and params alone. */
#ifndef CLOSED_FORM_H
#define CLOSED_FORM_H

#include <dae/model.h>
#include <stdbool.h>

typedef struct closed_form {
    dae_model *model;
    size_t state_count, unknown_count;
    size_t *right; /* states, then highest derivatives: the observation that
                      gives each; SIZE_MAX: none does */
    dae_long *x, *xp, *values; /* scratch */
} closed_form;

/* Finds the lines. `t` is a time of the interval. DAE_MEMORY, or what the
 * observations answer; clear also after failure. */
dae_status closed_form_init(
    closed_form *c, dae_model *model, const dae_problem *p, double t);
void closed_form_clear(closed_form *c);
/* Whether every state has one. */
bool closed_form_is_complete(const closed_form *c);
/* The states and highest derivatives at t, NaN where the text has none. Either
 * may be NULL. */
dae_status closed_form_at(
    closed_form *c, dae_long t, dae_long *x, dae_long *xp);

#endif
