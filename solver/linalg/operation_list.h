/* Elimination of a small sparse matrix as a list of its operations [GLW70, DER17]: pivots
 * are chosen once, by Markowitz' count among entries that are large enough; every entry
 * of L + U has a slot, and what is left is a list of slots to multiply and to subtract
 * from. It is run for any values of the pattern (linalg/list_run.h), real or complex, as
 * long as the pivots suit them. */
#ifndef LINALG_OPERATION_LIST_H
#define LINALG_OPERATION_LIST_H

#include "base/alloc.h"
#include "linalg/backend.h"

/* Its slots: its own, then what is beside it in its row, then what is below it in its
 * column. */
typedef struct list_pivot {
    uint16_t begin, below; /* slots */
    uint16_t row, column;
} list_pivot;

typedef struct operation_list {
    linear_system s;
    bool is_found;
    int parity;        /* 1, -1: of the exchanges of rows and columns */
    size_t slots;      /* entries of L + U */
    size_t products;   /* multiplications to be subtracted */
    list_pivot *pivot; /* n + 1, in order; the last one is where slots end */
    uint16_t *place;   /* slot of each entry of A */
    ARRAY(uint16_t)
    other; /* of each slot: the column of what is beside a pivot, the
                               row of what is below one */
    ARRAY(uint16_t)
    target; /* slots: for every entry below a pivot, for every one
                               beside it, what their product is subtracted from */
} operation_list;

/* The counts for a pattern whose entries all make good pivots: of other values the list is
 * longer, as a rule. DAE_LIMIT: too long; DAE_NUMERIC: no values make it regular. */
dae_status operation_list_count(
    const linear_system *s, size_t *slots, size_t *products) DAE_MUST_CHECK;

/* Room for the lists of a pattern, which is borrowed. On failure *o is cleared. DAE_LIMIT:
 * too large. */
dae_status operation_list_init(
    operation_list *o, const linear_system *s) DAE_MUST_CHECK;
/* Fine on a zeroed one. */
void operation_list_clear(operation_list *o);
/* Finds pivots and the list for values, whose real and imaginary parts are `stride`
 * numbers apart (im NULL: they are real). Without success there is no list. DAE_NUMERIC:
 * a pivot is 0; DAE_LIMIT: too long; DAE_MEMORY. */
dae_status operation_list_find(operation_list *o, const double *re,
    const double *im, size_t stride) DAE_MUST_CHECK;

#endif
