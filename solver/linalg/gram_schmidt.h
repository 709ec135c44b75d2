/* An orthonormal basis that grows by one vector after the other, by the
 * method of Gram and Schmidt, taken twice against cancellation [GVL13 5.2]:
 * which of some rows are independent of those before them, and what they have
 * of these. */
#ifndef LINALG_GRAM_SCHMIDT_H
#define LINALG_GRAM_SCHMIDT_H

#include "base/arena.h"

typedef struct row_basis {
    double *q; /* width x count: orthonormal */
    size_t width, count, room;
} row_basis;

/* Room for `room` vectors, at most `width`; false: no memory. */
bool row_basis_init(row_basis *b, arena *a, size_t width, size_t room);
/* `row` (width) becomes what is independent of those taken; its length. What it
 * has of each of them goes to `part` (count), where that is not NULL. */
double row_basis_rest(const row_basis *b, double *row, double *part);
/* Takes such a rest, of the length given: there has to be room. */
void row_basis_take(row_basis *b, const double *rest, double length);
/* Both, where the rest is longer than `zero` and there is room; else false. */
bool row_basis_add(row_basis *b, double *row, double zero);

#endif
