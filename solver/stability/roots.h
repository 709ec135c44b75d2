/* Roots of the small polynomials that stability is a matter of. */
#ifndef STABILITY_ROOTS_H
#define STABILITY_ROOTS_H

#include <dae/stability.h>

enum { ROOTS_DEGREE = DAE_METHOD_STEPS };

/* The finite roots of sum c[i] x^(degree - i), degree <= ROOTS_DEGREE: the
 * eigenvalues of the companion matrix, then a step of Newton's method where
 * that makes the polynomial smaller. Leading zeros are roots at infinity, and
 * left out. How many; 0 where a coefficient is not finite,
 * or without LAPACK. */
size_t roots_find(const dae_complex *c, size_t degree, dae_complex *roots);

#endif
