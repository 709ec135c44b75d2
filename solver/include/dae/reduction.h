/* What the integrator has made of a system whose index is above 1: which slots
 * are states, which derivatives are dummies [MS93], which equations and
 * derivatives of equations are solved for what. */
#ifndef DAE_REDUCTION_H
#define DAE_REDUCTION_H

#include <dae/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dae_role {
    DAE_ROLE_STATE,      /* integrated */
    DAE_ROLE_DERIVATIVE, /* the derivative of a state */
    DAE_ROLE_DUMMY,      /* a derivative that is an unknown of its own: it is
                            not asked to be the derivative of the slot below */
    DAE_ROLE_ALGEBRAIC,  /* an unknown that is neither */
    DAE_ROLE_HELD,       /* a derivative that nothing depends on */
} dae_role;

typedef struct dae_reduced_slot {
    dae_slot slot;
    dae_role role;
    dae_slot same_as; /* the first of the slots that are one with it: itself,
                         where equalities join it to no other */
    double value;
    int32_t group; /* whose equations determine it; -1: none, a state or held */
} dae_reduced_slot;

typedef enum dae_reduced_use {
    DAE_USE_SOLVED,
    DAE_USE_EQUALITY, /* x' = u: taken out, two slots have become one */
    DAE_USE_REDUNDANT /* left out, since it follows from the others */
} dae_reduced_use;

/* Derivative `order` of equation `equation`. */
typedef struct dae_reduced_equation {
    int32_t equation, order;
    dae_reduced_use use;
    int32_t group;   /* -1: not solved */
    double residual; /* at the point */
} dae_reduced_equation;

/* Read only. Slots are in the order of unknowns and of derivatives, equations
 * likewise. Groups are numbered in the order in which they can be solved one
 * after the other where the states are known; each has as many equations as
 * slots that are different. */
typedef struct dae_reduced_system {
    double t; /* the end of the last step */
    const dae_reduced_slot *slots;
    size_t slot_count;
    const dae_reduced_equation *equations;
    size_t equation_count;
    size_t group_count, state_count;
} dae_reduced_system;

/* As it is now; after initialize or start. Values are those that
 * dae_solver_interpolate would give: slopes, and what only last derivatives of
 * constraints determine, are solved for at the point. *out is NULL where the
 * problem is solved as it stands. DAE_ARGUMENT: there is no start yet; DAE_MEMORY; what
 * callbacks say. */
DAE_API dae_status dae_solver_reduced(
    const dae_solver *solver, dae_reduced_system **out) DAE_MUST_CHECK;
DAE_API void dae_reduced_system_free(dae_reduced_system *system);

#ifdef __cplusplus
}
#endif
#endif
