/* The solution as the model's own text gives it: lines
 * `expect x ~ formula within ... always` whose left side is an unknown or a
 * derivative of one, and whose right side depends on time and params alone. */
#ifndef ORDERS_EXACT_H
#define ORDERS_EXACT_H

#include <dae/model.h>
#include <stdbool.h>

typedef struct orders_exact {
    dae_model *model;
    size_t state_count, unknown_count;
    size_t *right; /* states, then highest derivatives: the observation that
                      gives each; SIZE_MAX: none does */
    dae_long *x, *xp, *values; /* scratch */
} orders_exact;

/* Finds the lines. `t` is a time of the interval. DAE_MEMORY, or what the
 * observations answer; clear also after failure. */
dae_status orders_exact_init(
    orders_exact *c, dae_model *model, const dae_problem *p, double t);
void orders_exact_clear(orders_exact *c);
/* Whether every state has one. */
bool orders_exact_is_complete(const orders_exact *c);
/* The states and highest derivatives at t, NaN where the text has none. Either
 * may be NULL. */
dae_status orders_exact_at(
    orders_exact *c, dae_long t, dae_long *x, dae_long *xp);

#endif
