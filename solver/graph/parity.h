/* Whether a permutation is even: a determinant's sign under exchanges. */
#ifndef GRAPH_PARITY_H
#define GRAPH_PARITY_H

#include <stddef.h>
#include <stdint.h>

/* 1 or -1 for a permutation of 0..n-1; `seen` is room for n. */
int permutation_sign(size_t n, const int32_t *order, uint8_t *seen);

#endif
