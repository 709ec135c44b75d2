/* One operation on power series. */
#ifndef CODE_SERIES_APPLY_H
#define CODE_SERIES_APPLY_H

#include "code/series_core.h"

/* out = n(a, b, c). The first coefficient is node_apply of the operands'
 * first ones, bit for bit. `out` is none of the operands; operands that the
 * operation has not are not read. Temporaries up to SERIES_RESULT. */
void series_apply(const series_room *m, const node *n, const double *a,
    const double *b, const double *c, double *out);

/* Whether the operation has a kink, a jump or an edge somewhere, so that
 * terms may be missing though all its operands have them; and how to say that
 * ("jumps here"); else NULL. */
const char *series_flaw(node_op op);

#endif
