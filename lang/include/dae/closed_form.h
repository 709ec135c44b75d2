/* The solution in closed form, where a model's text has one: lines such as
 *
 *   expect x ~ exp(-k*t) within 1e-9 always
 *
 * whose left side is an unknown or a derivative of one, and whose right side depends on
 * time and params alone. What such a line allows may be much: `T ~ 300 within 20 always`
 * is a bound and no solution. Some values may have one and others not. */
#ifndef DAE_CLOSED_FORM_H
#define DAE_CLOSED_FORM_H

#include <dae/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dae_closed_form dae_closed_form;

/* Finds the lines for a run from t0 to t1; those that allow more than `widest`, beside 1
 * and the size of the value, count for nothing. Model and problem are borrowed.
 * DAE_ARGUMENT: one of them is NULL; DAE_MEMORY, or what observations answer. */
DAE_API dae_status dae_closed_form_create(dae_model *model,
    const dae_problem *problem, double t0, double t1, double widest,
    const dae_allocator *allocator, dae_closed_form **out) DAE_MUST_CHECK;
DAE_API void dae_closed_form_free(dae_closed_form *c);
/* Whether a state has one; whether every state does. */
DAE_API int dae_closed_form_has(const dae_closed_form *c, size_t state);
DAE_API int dae_closed_form_is_complete(const dae_closed_form *c);
/* The states (N) at t, NaN where there is no line. */
DAE_API dae_status dae_closed_form_states(
    dae_closed_form *c, dae_long t, dae_long *x) DAE_MUST_CHECK;
/* A dae_exact_fn whose context is a dae_closed_form: x (N) and xp (n) at t, the latter by
 * differences of x where no line gives it; NaN in x where there is no line. Either may be
 * NULL. DAE_RETRY: not finite there. */
DAE_API dae_status dae_closed_form_at(
    void *closed_form, double t, double *x, double *xp);

#ifdef __cplusplus
}
#endif
#endif
