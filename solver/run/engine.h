/* The parts of an integrator that belong to one dae_problem: the user's, or
 * what a reduction has made of it, which another one follows when states
 * change. */
#ifndef RUN_ENGINE_H
#define RUN_ENGINE_H

#include "base/arena.h"
#include "step/step.h"
#include <dae/solver.h>
#include <dae/structure.h>

typedef struct engine {
    const dae_problem *problem; /* that is stepped */
    const dae_allocator *allocator;
    arena memory; /* every vector of the integrator */
    layout layout;
    weights weights;
    iteration *matrix;
    newton newton;
    stepper stepper;
    double *scratch; /* n: reports of failures */
    /* n: of each unknown's highest derivative its own equation, for these; NULL: none
     * has asked yet */
    const int32_t *row_of;
    dae_linear linear; /* of the options */
    /* run/algebraic.h: of the problem as it stands, of the reduced one that it is;
     * NULL: nobody has asked yet */
    struct algebraic *algebraic[2];
} engine;

/* The relative tolerance that the options ask for: 0 leaves the error to an atol above 0,
 * and to rounding. */
double engine_rtol(const dae_options *options);
/* DAE_ARGUMENT with E0505 where an option cannot be; `*f` the method's
 * formula, and of "auto" that of the method that suits the problem; `*reason` says why,
 * else it is NULL. DAE_UNSUPPORTED: no such method here. */
dae_status engine_check_options(const dae_problem *problem,
    const dae_options *options, dae_diagnostics *ds, const formula **f,
    const char **reason) DAE_MUST_CHECK;
/* Everything a step needs. `options`, whose method is f, have been checked;
 * `stats` is borrowed. `like`: that of other states of the same equations, see
 * iteration_create, or NULL. On failure *out is NULL. */
dae_status engine_create(const dae_problem *problem, const dae_options *options,
    const formula *f, const engine *like, dae_stats *stats,
    const dae_allocator *allocator, dae_diagnostics *ds,
    engine **out) DAE_MUST_CHECK;
void engine_free(engine *e);
/* Facts of the problem and its matrix, as far as they are known. */
void engine_describe(const engine *e, dae_stats *stats);
/* The Jacobian at a point, in the matrix, with differences (where it has any) for a
 * step h: of residuals that e->scratch receives. Counted. DAE_RETRY where there is
 * none; or a status of a callback. */
dae_status engine_evaluate(engine *e, double t, const double *x,
    const double *xp, double h) DAE_MUST_CHECK;
/* Of equations and the highest derivatives, or algebraic unknowns, in them; `present`
 * (of entries of the pattern) says which count, NULL: all. DAE_MEMORY. */
dae_status engine_match(const engine *e, const uint8_t *present, arena *a,
    dae_matching *m) DAE_MUST_CHECK;

#endif
