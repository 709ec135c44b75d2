/* `error = global`: the tolerances are for the solution, at any time, not for a
 * step. Steps are then made at tolerances a factor smaller, which is found by
 * runs before the one that is shown, each compared with the one before it
 * ([Sha89] and [Ske86] in docs/numerics.md). */
#ifndef GLOBAL_H
#define GLOBAL_H

#include "run.h"
#include "write_json.h"

typedef struct global_error {
    int runs;        /* made to find the factor */
    double factor;   /* of the tolerances of the run that is shown */
    double estimate; /* of its largest error, in tolerances; NaN: not known */
    double seconds;  /* that these runs took */
} global_error;

/* The command line asks for it, or else the model, of a run that chooses its
 * steps. */
bool global_is_asked(const args *a, const dae_model *model);
/* Finds the factor. Of the messages one is new: what cannot be reached. What the
 * runs have said, the run that is shown says again. DAE_OK also where one of them
 * failed; DAE_MEMORY and DAE_INTERRUPTED end the command. */
dae_status global_find(
    global_error *g, const args *a, limits *l, messages *m, dae_model *model);
/* A line for reading; the member "global_error". */
void global_print(const global_error *g, FILE *file);
void global_json(const global_error *g, json *j);

#endif
