/* The pattern of the derivative array, from that of the equations. */
#ifndef EXTEND_EXPAND_H
#define EXTEND_EXPAND_H

#include "extend/own.h"

/* A pattern of `rows` equations over the slots of the original with every
 * entry there can be: what no pattern means. */
dae_status expand_full(
    extension *x, size_t rows, dae_pattern *out) DAE_MUST_CHECK;
/* Raises d to what occurs. */
void expand_orders(extension *x);
/* Fills pattern, term and factors; DAE_LIMIT above `entry_limit` terms. */
dae_status expand_pattern(extension *x, size_t entry_limit) DAE_MUST_CHECK;

#endif
