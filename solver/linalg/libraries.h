/* Libraries that few models need, loaded when first asked for: to relocate
 * LAPACK, UMFPACK and what they stand on takes longer than a small model's
 * run. Once loaded they stay for the life of the process. */
#ifndef LINALG_LIBRARIES_H
#define LINALG_LIBRARIES_H

#include <SuiteSparse_config.h>
#include <dae/diag.h>
#include <dae/stability.h>
#include <dae/status.h>
#include <stddef.h>

/* Of LAPACK, named as there. The last arguments are lengths of texts. */
typedef struct lapack_library {
    void (*dgetrf)(const int *m, const int *n, double *a, const int *lda,
        int *ipiv, int *info);
    void (*dgetrs)(const char *trans, const int *n, const int *nrhs,
        const double *a, const int *lda, const int *ipiv, double *b,
        const int *ldb, int *info, size_t trans_length);
    void (*dgeqp3)(const int *m, const int *n, double *a, const int *lda,
        int *jpvt, double *tau, double *work, const int *lwork, int *info);
    void (*dormqr)(const char *side, const char *trans, const int *m,
        const int *n, const int *k, const double *a, const int *lda,
        const double *tau, double *c, const int *ldc, double *work,
        const int *lwork, int *info, size_t side_length, size_t trans_length);
    void (*dggev)(const char *jobvl, const char *jobvr, const int *n, double *a,
        const int *lda, double *b, const int *ldb, double *alphar,
        double *alphai, double *beta, double *vl, const int *ldvl, double *vr,
        const int *ldvr, double *work, const int *lwork, int *info,
        size_t jobvl_length, size_t jobvr_length);
    void (*zhseqr)(const char *job, const char *compz, const int *n,
        const int *ilo, const int *ihi, dae_complex *h, const int *ldh,
        dae_complex *w, dae_complex *z, const int *ldz, dae_complex *work,
        const int *lwork, int *info, size_t job_length, size_t compz_length);
} lapack_library;

/* Of UMFPACK, with long indices. */
typedef struct umfpack_library {
    void (*defaults)(double control[]);
    SuiteSparse_long (*symbolic)(SuiteSparse_long rows,
        SuiteSparse_long columns, const SuiteSparse_long start[],
        const SuiteSparse_long row[], const double values[], void **symbolic,
        const double control[], double info[]);
    SuiteSparse_long (*numeric)(const SuiteSparse_long start[],
        const SuiteSparse_long row[], const double values[], void *symbolic,
        void **numeric, const double control[], double info[]);
    SuiteSparse_long (*wsolve)(SuiteSparse_long system,
        const SuiteSparse_long start[], const SuiteSparse_long row[],
        const double values[], double x[], const double b[], void *numeric,
        const double control[], double info[], SuiteSparse_long integers[],
        double work[]);
    SuiteSparse_long (*get_numeric)(SuiteSparse_long lower_start[],
        SuiteSparse_long lower_column[], double lower[],
        SuiteSparse_long upper_start[], SuiteSparse_long upper_row[],
        double upper[], SuiteSparse_long rows[], SuiteSparse_long columns[],
        double diagonal[], SuiteSparse_long *reciprocal, double scale[],
        void *numeric);
    SuiteSparse_long (*get_determinant)(
        double *mantissa, double *exponent, void *numeric, double info[]);
    void (*free_symbolic)(void **symbolic);
    void (*free_numeric)(void **numeric);
} umfpack_library;

/* DAE_IO: the library, or a function of it, is not there.
 *
 * lapack_load limits OpenBLAS, where that is the BLAS, to one thread; others
 * are left as they are. A product split over threads adds up in another
 * order, so results would have other last digits with every number of
 * threads; and at the sizes solved here threads cost time, up to 18 times as
 * much as they save. The setting holds for the whole process, as OpenBLAS has
 * no other: a program that wants threads for its own products sets them again
 * after it created its solvers. */
dae_status lapack_load(lapack_library *l) DAE_MUST_CHECK;
/* DAE_UNSUPPORTED: this build has none. */
dae_status umfpack_load(umfpack_library *u) DAE_MUST_CHECK;

/* Says of DAE_IO which library is missing (E0007); returns st. */
dae_status libraries_report(dae_diagnostics *ds, dae_status st);

#endif
