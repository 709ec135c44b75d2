/* UMFPACK [Dav04]: supernodes over BLAS, for matrices that fill in. Rows are
 * scaled to a largest entry of 1. No iterative refinement: the residuals of
 * Newton's method do that. The long-index version, so that the factors may
 * exceed 2^31 entries; its indices are a small part of what it moves. */
#include "linalg/backend.h"
#include "linalg/libraries.h"
#include "linalg/thresholds.h"

#ifdef DAE_HAVE_UMFPACK
#include <assert.h>
#include <math.h>
#include <umfpack.h>

typedef SuiteSparse_long index;

typedef struct umf {
    linear_system s;
    umfpack_library library;
    bool is_found;      /* the library */
    index *start, *row; /* the pattern as UMFPACK counts; NULL, as is all below:
                           nothing was factorized yet */
    index *integers;    /* n: work of solve; column order of the factors */
    double *work;       /* 5 n: work of solve, pivots */
    double *x;          /* n */
    double *scale;      /* n: rows of A */
    double *pivot;      /* n: columns of A */
    double control[UMFPACK_CONTROL], info[UMFPACK_INFO];
    void *symbolic, *numeric;
    double rcond;
} umf;

static size_t entry_count(const linear_system *s)
{
    return (size_t)s->column_start[s->n];
}

static void umf_release(void *state)
{
    umf *u = state;
    if (u->numeric) u->library.free_numeric(&u->numeric);
}

static void release_room(umf *u)
{
    const dae_allocator *a = u->s.allocator;
    const size_t n = u->s.n;
    alloc_free(a, u->start, n + 1, sizeof *u->start);
    alloc_free(a, u->row, entry_count(&u->s), sizeof *u->row);
    alloc_free(a, u->integers, n, sizeof *u->integers);
    alloc_free(a, u->work, 5 * n, sizeof *u->work);
    alloc_free(a, u->x, n, sizeof *u->x);
    alloc_free(a, u->scale, n, sizeof *u->scale);
    alloc_free(a, u->pivot, n, sizeof *u->pivot);
    u->start = u->row = u->integers = NULL;
    u->work = u->x = u->scale = u->pivot = NULL;
}

static void umf_free(void *state)
{
    umf *u = state;
    if (!u) return;
    umf_release(u);
    if (u->symbolic) u->library.free_symbolic(&u->symbolic);
    release_room(u);
    alloc_free(u->s.allocator, u, 1, sizeof *u);
}

static dae_status status_of(index status)
{
    switch (status) {
    case UMFPACK_OK: return DAE_OK;
    case UMFPACK_ERROR_out_of_memory: return DAE_MEMORY;
    default: return DAE_NUMERIC;
    }
}

static bool allocate(umf *u)
{
    const dae_allocator *a = u->s.allocator;
    const size_t n = u->s.n;
    size_t five;
    if (!size_mul(n, 5, &five)) return false;
    u->start = alloc_zeroed(a, n + 1, sizeof *u->start);
    u->row = alloc_zeroed(a, entry_count(&u->s), sizeof *u->row);
    u->integers = alloc_zeroed(a, n, sizeof *u->integers);
    u->work = alloc_zeroed(a, five, sizeof *u->work);
    u->x = alloc_zeroed(a, n, sizeof *u->x);
    u->scale = alloc_zeroed(a, n, sizeof *u->scale);
    u->pivot = alloc_zeroed(a, n, sizeof *u->pivot);
    return u->start && u->row && u->integers && u->work && u->x && u->scale
        && u->pivot;
}

/* Is (j, i) an entry wherever (i, j) is? Rows ascend, so one pointer per
 * column suffices: its entries are searched in ascending order. */
static bool is_symmetric(umf *u)
{
    index *at = u->integers;
    for (size_t j = 0; j < u->s.n; j++) at[j] = u->start[j];
    for (size_t j = 0; j < u->s.n; j++) {
        for (index p = u->start[j]; p < u->start[j + 1]; p++) {
            const index i = u->row[p];
            if (at[i] == u->start[i + 1] || u->row[at[i]] != (index)j)
                return false;
            at[i]++;
        }
    }
    return true;
}

static dae_status umf_create(const linear_system *s, void **out)
{
    *out = NULL;
    umf *u = alloc_zeroed(s->allocator, 1, sizeof *u);
    if (!u) return DAE_MEMORY;
    u->s = *s;
    *out = u;
    return DAE_OK;
}

dae_status umfpack_find(void *state)
{
    umf *u = state;
    const dae_status st = u->is_found ? DAE_OK : umfpack_load(&u->library);
    u->is_found = !st;
    return st;
}

/* The library, the pattern and room: at the first factorization, as iterations may take
 * its place before that. */
static dae_status open(umf *u)
{
    const linear_system *s = &u->s;
    if (u->start) return DAE_OK;
    const dae_status st = umfpack_find(u);
    if (st) return st;
    if (!allocate(u)) {
        release_room(u);
        return DAE_MEMORY;
    }
    for (size_t j = 0; j <= s->n; j++) u->start[j] = (index)s->column_start[j];
    for (size_t p = 0; p < entry_count(s); p++) u->row[p] = s->row[p];
    u->library.defaults(u->control);
    u->control[UMFPACK_SCALE] = UMFPACK_SCALE_MAX;
    u->control[UMFPACK_IRSTEP] = 0;
    if (is_symmetric(u))
        u->control[UMFPACK_STRATEGY] = UMFPACK_STRATEGY_SYMMETRIC;
    return DAE_OK;
}

/* The ordering also depends on the values of the first matrix (zeros on the diagonal),
 * so it is computed with them. */
static dae_status analyse(umf *u, const double *values)
{
    const index n = (index)u->s.n;
    if (u->symbolic) return DAE_OK;
    return status_of(u->library.symbolic(
        n, n, u->start, u->row, values, &u->symbolic, u->control, u->info));
}

/* Pivots in the order of A's columns, scales in that of its rows. */
static dae_status collect_pivots(umf *u)
{
    index reciprocal = 0;
    index *q = u->integers;
    double *diagonal = u->work;
    const index st = u->library.get_numeric(NULL, NULL, NULL, NULL, NULL, NULL,
        NULL, q, diagonal, &reciprocal, u->scale, u->numeric);
    if (st != UMFPACK_OK) return status_of(st);
    for (size_t k = 0; k < u->s.n; k++) {
        assert(q[k] >= 0 && (size_t)q[k] < u->s.n);
        u->pivot[q[k]] = fabs(diagonal[k]);
    }
    for (size_t i = 0; i < u->s.n && !reciprocal; i++)
        u->scale[i] = 1 / u->scale[i];
    return DAE_OK;
}

static dae_status umf_factor(void *state, const double *values)
{
    umf *u = state;
    dae_status st;
    size_t column;
    u->rcond = 0;
    umf_release(u);
    if (u->s.n == 0) return DAE_OK;
    if ((st = open(u)) || (st = analyse(u, values))) return st;
    if ((st = status_of(u->library.numeric(u->start, u->row, values,
             u->symbolic, &u->numeric, u->control, u->info))))
        return st;
    if ((st = collect_pivots(u))) return st;
    u->rcond = least_pivot_ratio(&u->s, values, u->scale, u->pivot, &column);
    return u->rcond > LU_PIVOT_ZERO ? DAE_OK : DAE_NUMERIC;
}

static dae_status umf_solve(void *state, double *b)
{
    umf *u = state;
    if (u->s.n == 0) return DAE_OK;
    if (!u->numeric) return DAE_NUMERIC;
    /* without refinement the matrix is not read again */
    const index status = u->library.wsolve(UMFPACK_A, u->start, u->row, NULL,
        u->x, b, u->numeric, u->control, u->info, u->integers, u->work);
    if (status != UMFPACK_OK) return status_of(status);
    for (size_t i = 0; i < u->s.n; i++) b[i] = u->x[i];
    return DAE_OK;
}

static int64_t umf_fill(const void *state)
{
    const umf *u = state;
    if (!u->numeric) return 0;
    return (int64_t)(u->info[UMFPACK_LNZ] + u->info[UMFPACK_UNZ])
        - (int64_t)u->s.n;
}

static double umf_rcond(const void *state)
{
    const umf *u = state;
    return u->rcond;
}

static int umf_sign(const void *state)
{
    const umf *u = state;
    double mantissa = 0, exponent = 0, info[UMFPACK_INFO];
    if (u->s.n == 0) return 1;
    if (!u->numeric
        || u->library.get_determinant(&mantissa, &exponent, u->numeric, info)
            != UMFPACK_OK)
        return 0;
    return (mantissa > 0) - (mantissa < 0);
}

double umfpack_work(const void *state)
{
    const umf *u = state;
    return u->info[UMFPACK_FLOPS];
}

const linear_backend umfpack_backend = {"umfpack", DAE_LINEAR_UMFPACK,
    umf_create, umf_free, umf_factor, umf_release, umf_solve, umf_fill,
    umf_rcond, umf_sign, NULL};

#else
/* a translation unit needs a declaration */
typedef int umfpack_is_absent;
#endif
