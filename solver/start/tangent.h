/* The directions that the equations of a start leave open at a point, and
 * what each condition takes of them. */
#ifndef START_TANGENT_H
#define START_TANGENT_H

#include "start/system.h"

/* Entries count in units in which the largest of each row and column is 1:
 * slot j moves by 1 / column_size[j]. */
typedef struct tangent {
    size_t rows, columns, freedom;
    const int32_t *slot_at; /* columns: slots that exist, borrowed */
    double *column_size;
    double *unit; /* columns: the same without balance, to measure steps by */
    double *free; /* columns x freedom: orthonormal, by columns */
    /* freedom x conditions, by columns: what condition c is of a movement
     * along `free`. Given values by slot, then general conditions. */
    double *taken;
    size_t conditions;
} tangent;

/* Slots that exist: not the derivatives of algebraic unknowns. */
dae_status slots_list(
    init_system *s, int32_t **slot_at, size_t *count) DAE_MUST_CHECK;

/* At the last Jacobian. Pivots below `zero` count as zero; `is_balanced`: after
 * weak entries have been brought up (linalg/scale.h); else conditions count as
 * nothing where they are as weak beside what they are nearby. */
dae_status tangent_init(tangent *t, init_system *s, const int32_t *slot_at,
    size_t columns, double zero, bool is_balanced) DAE_MUST_CHECK;

/* The directions that stay open when the conditions with mark[c] == 0 hold as
 * well: columns x *count, orthonormal, by columns. */
dae_status tangent_open(const tangent *t, init_system *s, const uint8_t *mark,
    double zero, double **open, size_t *count) DAE_MUST_CHECK;

/* mark[c] := 1 for conditions that those before them make superfluous. Those
 * with first[c] != 0 (NULL: none) come before all others. */
dae_status tangent_redundant(const tangent *t, init_system *s,
    const uint8_t *first, double zero, uint8_t *mark) DAE_MUST_CHECK;

#endif
