/* Evaluates a problem and its Jacobian at points for tests of rank: residual first,
 * then the entries; both have to be finite. */
#ifndef INDEX_SAMPLER_H
#define INDEX_SAMPLER_H

#include "base/arena.h"
#include "linalg/jacobian.h"

typedef struct sampler {
    const dae_problem *problem;
    const layout *layout;
    arena memory; /* of all this */
    jacobian *jacobian;
    bool varies;        /* some entry changes from point to point */
    double noise;       /* of an entry, relative to the terms of its row */
    bool has_underflow; /* at the point: an entry of 0 may be none */
    /* where it was evaluated last */
    double t, *x, *xp;
    double *res;     /* n */
    double *weights; /* N, for differences */
} sampler;

/* Everything is borrowed. */
dae_status sampler_create(const dae_problem *problem, const layout *l,
    const dae_allocator *allocator, sampler **out) DAE_MUST_CHECK;
void sampler_free(sampler *s);

/* Evaluates at s->t, s->x, s->xp, set by the caller. DAE_RETRY: no finite
 * values there: rows of s->res, or entries, are not finite. */
dae_status sampler_evaluate(sampler *s) DAE_MUST_CHECK;
/* The same at a point given. */
dae_status sampler_evaluate_at(
    sampler *s, double t, const double *x, const double *xp) DAE_MUST_CHECK;
/* The same beside a point: every slot is moved by up to `size` times its own size, in
 * the direction with this number. */
dae_status sampler_evaluate_beside(sampler *s, double t, const double *x,
    const double *xp, double size, unsigned number) DAE_MUST_CHECK;
/* At the start's guesses; DAE_RETRY also where the problem has no start. */
dae_status sampler_evaluate_start(sampler *s) DAE_MUST_CHECK;

const dae_pattern *sampler_pattern(const sampler *s);
const double *sampler_values(const sampler *s);
size_t sampler_entries(const sampler *s);

/* What the start guesses for derivative `order` of unknown j, 0 where it does
 * not; and what is typical for it: its nominal value, else the guess, else
 * that of the unknown, else 1. */
double sampler_guess(const sampler *s, size_t j, size_t order);
double sampler_size(const sampler *s, size_t j, size_t order);
/* The address of that derivative in s->x or s->xp. */
double *sampler_slot(sampler *s, size_t j, size_t order);

#endif
