/* Values out of all proportion: where unknowns have grown without bound an
 * equation is within its tolerance whatever it says, and a search that ends
 * there has found nothing. */
#ifndef START_PROPORTION_H
#define START_PROPORTION_H

#include "start/system.h"

typedef struct proportion {
    double *allowed; /* rows: tolerances where the search began */
    double *most;    /* rows: what may be left of one that holds */
} proportion;

/* At the point where a search begins, with residuals and measured Jacobian;
 * memory from the system's arena. */
dae_status proportion_init(proportion *p, init_system *s) DAE_MUST_CHECK;
/* Is what is left of the row small for where the search began? */
bool proportion_is_kept(const proportion *p, const init_system *s, size_t row);
/* At a point with residuals and measured Jacobian that solves `rows` for
 * `slots`. *row: the first of the rows that is only met because values have
 * grown, s->rows: none. Such a row either is not kept, or loses its values
 * when tolerances are made smaller: they go on growing, or has one that is what
 * rounding makes it (start/uncertain.h). The point stays;
 * DAE_RETRY is not returned. */
dae_status proportion_judge(const proportion *p, init_system *s,
    const submatrix *m, size_t *row) DAE_MUST_CHECK;
/* Of the slots of such a row the one that has grown most. */
size_t proportion_grown(const init_system *s, size_t row);

/* Has any slot left all that it was taken for? */
bool proportion_is_any_grown(const init_system *s);

#endif
