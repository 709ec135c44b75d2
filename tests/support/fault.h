/* A problem whose n-th residual, Jacobian or linear solve goes wrong in one
 * value, once or from then on. Solves are met below linalg/linear.h, those of
 * the start too: tests/CMakeLists.txt has the programs that use this linked so
 * that the functions of fault.c stand in between. One at a time. */
#ifndef SUPPORT_FAULT_H
#define SUPPORT_FAULT_H

#include <dae/problem.h>
#include <stdbool.h>

typedef enum fault_place {
    FAULT_RESIDUAL,
    FAULT_JACOBIAN,
    FAULT_SOLVE,
    FAULT_PLACES
} fault_place;

typedef struct fault {
    fault_place place;
    size_t call;  /* the first to go wrong, from 0; SIZE_MAX: none */
    size_t entry; /* of what the call wrote, modulo their number; residuals
                     are followed by those of general initial conditions */
    double value; /* takes its place */
    bool is_lasting;
} fault;

/* Forwards to `inner` and counts. */
typedef struct faulty {
    dae_problem problem; /* give this to the solver */
    dae_start start;
    const dae_problem *inner;
    fault fault;
    size_t calls[FAULT_PLACES];
    bool is_hit;            /* something was damaged */
    size_t residuals_after; /* calls since, without the damaged one */
    size_t condition;       /* to be damaged next; SIZE_MAX: none */
} faulty;

void faulty_open(faulty *f, const dae_problem *inner, const fault *meant);
void faulty_close(faulty *f);

#endif
