/* Full matrices of a few columns that are sums of planes, one for each power of alpha
 * (linalg/iteration_matrix.h): the planes are kept, so that the matrix of another alpha,
 * real or complex, is one sum, and its factors are made in place. What is singular, or
 * nearly, or has no values, is left to linalg/linear.h, whose numbers these are. */
#ifndef LINALG_SMALL_H
#define LINALG_SMALL_H

#include "base/alloc.h"
#include <dae/stability.h>

enum { SMALL_MOST = 8 }; /* columns */

typedef struct small small;

/* n columns, `count` planes, `pairs` places for complex factors. DAE_MEMORY. */
dae_status small_create(size_t n, int count, int pairs,
    const dae_allocator *allocator, small **out) DAE_MUST_CHECK;
void small_free(small *s);

/* The planes in turn, n n values each, by columns: the caller's to fill. */
double *small_planes(small *s);

/* Factors of the sum of power[e] times plane e, all real, power[count - 2] = 1. False:
 * there are none, the matrix is for others. */
bool small_factor(small *s, const dae_complex *power);
void small_solve(const small *s, double *b);
/* Of the determinant. */
int small_sign(const small *s);

/* The same in place k of the complex ones. */
bool small_factor_pair(small *s, int k, const dae_complex *power);
void small_solve_pair(const small *s, int k, double *re, double *im);
/* Both, as iteration_solve_all has them. */
void small_solve_all(const small *s, int pairs, double *b, size_t step);

#endif
