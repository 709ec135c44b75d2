/* What is said where the iteration matrix does not stay regular. */
#ifndef INDEX_CAUSE_H
#define INDEX_CAUSE_H

#include "index/limit.h"

/* E0502 from the parts of a matching of equations with unknowns at any order:
 * no derivative of the equations determines more. */
void cause_structure(const limit_request *q, const uint8_t *row_part,
    const uint8_t *column_part);
/* E0502 from the parts of a matching with the highest derivatives alone.
 * `is_regular`: the matrix is regular at some step, so derivatives of the
 * equations do determine the rest. */
void cause_index(const limit_request *q, const uint8_t *row_part,
    const uint8_t *column_part, bool is_regular);

#endif
