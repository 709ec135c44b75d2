/* What set the steps of a run (--why): of each accepted step the state with the largest
 * part in the error test, and whether something else ended it. */
#ifndef WHY_H
#define WHY_H

#include "write_json.h"
#include <dae/run.h>

/* What a step's length comes from. */
typedef enum why_limit {
    WHY_ERROR,   /* the error test */
    WHY_LONGEST, /* --max-step, or a twentieth of the interval */
    WHY_EVENT,   /* it ends at one */
    WHY_NEWTON,  /* an attempt before it did not converge, or had no value */
    WHY_LIMITS
} why_limit;

/* A state and in how many steps its error was the largest. */
typedef struct why_state {
    int64_t key, steps; /* of dae_solver_error_name */
} why_state;

typedef struct why_log {
    int64_t steps, limited[WHY_LIMITS];
    int64_t unsolved;  /* attempts without a solution, up to the last step */
    why_state *states; /* after why_finish by steps, the most first */
    size_t state_count, capacity;
} why_log;

/* The step that the solver has just made. */
dae_status why_note(why_log *w, dae_run *r);
/* After the last step. */
void why_finish(why_log *w);
void why_print(const why_log *w, dae_run *r, FILE *file);
/* Member "why". */
void why_json(const why_log *w, const dae_run *r, json *j);

#endif
