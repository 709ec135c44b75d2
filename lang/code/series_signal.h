/* Measured signals on series. */
#ifndef CODE_SERIES_SIGNAL_H
#define CODE_SERIES_SIGNAL_H

#include "code/series_core.h"

/* PIECE and TABLE. At a knot that the argument may pass, PIECE has its value
 * alone, and of TABLE(a, PIECE(a)) there is what both pieces have in common.
 * Temporaries 0 and 1. */
void series_signal(const series_room *m, const node *n, const double *a,
    const double *b, double *out);

#endif
