/* Threads of the BLAS used by LAPACK and UMFPACK. */
#ifndef LINALG_BLAS_H
#define LINALG_BLAS_H

/* Limits OpenBLAS, if that is the BLAS linked, to one thread; other
 * libraries are left as they are. A product split over threads adds up in
 * another order, so results would have other last digits with every number of
 * threads; and at the sizes solved here threads cost time, up to 18 times as
 * much as they save. The setting holds for the whole process, as OpenBLAS has
 * no other: a program that wants threads for its own products sets them again
 * after it created its solvers. */
void blas_use_one_thread(void);

#endif
