/* Whether the equations can determine the unknowns whatever the numbers are,
 * and which ones cannot where they cannot. */
#ifndef CODE_STRUCTURAL_H
#define CODE_STRUCTURAL_H

#include "code/compile.h"

/* Equations and unknowns that do not go together, as the text has them; the
 * witness before the rest of its part. `definitions` are of the witness: what its
 * equations know the unknowns by, where that is fewer, such as a sum that two
 * of them contain. */
typedef struct structural_side {
    uint32_t *equations, *unknowns, *definitions;
    size_t equation_count, unknown_count, definition_count; /* witness */
    size_t equation_all, unknown_all; /* witness and rest */
} structural_side;

typedef struct structural {
    bool is_regular;          /* every equation and every unknown matched */
    structural_side excess;   /* too many equations; definitions in them */
    structural_side shortage; /* too few; definitions in place of equations */
} structural;

/* Unknowns count at any order of derivative. Definitions are rows and columns
 * of their own, so the time is linear in the model for any definitions;
 * what is found singular so is singular with them substituted. `out` lies in
 * the scratch arena. */
dae_status structural_find(compiled *c, structural *out) DAE_MUST_CHECK;

#endif
