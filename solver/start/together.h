/* Whether some of the rows hold together with some of the given values: a
 * search for a point at which they do, all other slots free. */
#ifndef START_TOGETHER_H
#define START_TOGETHER_H

#include "start/proportion.h"

typedef struct party_set {
    uint8_t *is_row;   /* rows */
    uint8_t *is_value; /* slots: its given value */
} party_set;

/* Whether a slot is in one of the set's rows. */
bool party_set_meets(const init_system *s, const party_set *p, size_t slot);

typedef struct together {
    init_system *s;
    double *z, *res; /* slots, rows: as they were on entry */
    uint8_t *is_free;
    proportion usual;
    int32_t *rows, *slots; /* scratch */
    double work;           /* multiplications that searches may still take */
    bool is_touching;      /* what held last does so within tolerances alone */
    bool is_brief;         /* only where the squares of what is left lead */
} together;

/* At a point with residuals and measured Jacobian, at which every given slot
 * has its value. `work`: multiplications that all searches together may take,
 * as they would with dense matrices. Memory from the system's arena. */
dae_status together_init(
    together *w, init_system *s, double work) DAE_MUST_CHECK;
/* No more work: what is asked from now on is not found. */
bool together_is_spent(const together *w);
double together_left(const together *w);
/* Work that was done beside the searches. */
void together_charge(together *w, double work);
/* So much from now on. */
void together_allow(together *w, double work);
/* Whether a row holds at the point, residuals and Jacobian being of it. */
bool together_does_hold(const together *w, size_t row);
/* Whether a search could move anything. */
bool together_is_any_free(const together *w, const party_set *p);
/* Searches from `start` (slots; the set's values replace those there). *holds:
 * s->z is such a point. */
dae_status together_search(together *w, const party_set *p, const double *start,
    bool *holds) DAE_MUST_CHECK;
/* Back to where it was on entry. */
dae_status together_return(together *w) DAE_MUST_CHECK;

#endif
