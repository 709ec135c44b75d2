/* Chooses a back end and hands calls on. */
#include "sparse/linear.h"
#include "sparse/backend.h"
#include "sparse/singular.h"
#include <math.h>

struct linear {
    linear_system s;
    const linear_backend *backend;
    void *state;
    int64_t singular_row, singular_column;
    bool is_factored;
};

double least_pivot_ratio(const linear_system *s, const double *values,
    const double *row_scale, const double *pivot, size_t *column)
{
    double least = 1;
    *column = 0;
    for (size_t j = 0; j < s->n; j++) {
        double ratio = pivot[j];
        if (ratio < 0.01) {
            double largest = 0;
            const int64_t end = s->column_start[j + 1];
            for (int64_t p = s->column_start[j]; p < end; p++)
                largest = fmax(largest, fabs(values[p]) * row_scale[s->row[p]]);
            ratio = largest > 0 ? ratio / largest : 0;
        }
        if (ratio >= least) continue;
        if (isnan(ratio)) ratio = 0;
        least = ratio;
        *column = j;
    }
    return least;
}

/* Elimination on a full matrix costs less per operation than on a sparse
 * one by about this factor, for small sizes and for LAPACK's; and KLU spends
 * about so many operations' worth of time on every entry and column besides.
 * From bench runs of both on random and banded matrices. */
static const double SPARSE_COST = 4, SPARSE_ENTRY = 40;
#ifdef DAE_HAVE_UMFPACK
/* Above this many operations per entry of L + U supernodes pay [DN10]. */
static const double SUPERNODE_FLOPS = 90;
#endif
/* A full matrix above this is not tried unless it is nearly full. */
enum { DENSE_SMALL = 8, DENSE_LARGE = 2000 };

static bool is_dense_cheaper(size_t n, double flops, double entries)
{
    const double full = 2.0 / 3.0 * (double)n * (double)n * (double)n;
    if (n > DENSE_LARGE) return false;
    return full <= SPARSE_COST * flops + SPARSE_ENTRY * entries;
}

static dae_status open_backend(linear *l, const linear_backend *backend)
{
    l->backend = backend;
    return backend->create(&l->s, &l->state);
}

static dae_status exchange_backend(linear *l, const linear_backend *backend)
{
    l->backend->free(l->state);
    l->state = NULL;
    return open_backend(l, backend);
}

static dae_status open_best(linear *l)
{
    double flops, entries;
    dae_status st;
    if (l->s.n <= DENSE_SMALL) return open_backend(l, &dense_backend);
    if ((st = open_backend(l, &klu_backend))) return st;
    klu_estimate(l->state, &flops, &entries);
    /* KLU gives no counts (-1) for some orderings and singular patterns */
    if (!(flops >= 0) || !(entries > 0)) return DAE_OK;
    if (is_dense_cheaper(l->s.n, flops, entries))
        return exchange_backend(l, &dense_backend);
#ifdef DAE_HAVE_UMFPACK
    if (flops > SUPERNODE_FLOPS * entries)
        return exchange_backend(l, &umfpack_backend);
#endif
    return DAE_OK;
}

static dae_status open_chosen(linear *l, dae_linear choice)
{
    switch (choice) {
    case DAE_LINEAR_AUTO: return open_best(l);
    case DAE_LINEAR_DENSE: return open_backend(l, &dense_backend);
    case DAE_LINEAR_KLU: return open_backend(l, &klu_backend);
    case DAE_LINEAR_UMFPACK:
#ifdef DAE_HAVE_UMFPACK
        return open_backend(l, &umfpack_backend);
#else
        return DAE_UNSUPPORTED;
#endif
    }
    return DAE_ARGUMENT;
}

dae_status linear_create(size_t n, const int64_t *column_start,
    const int32_t *row, dae_linear choice, const dae_allocator *allocator,
    linear **out)
{
    const dae_allocator *a = alloc_or_default(allocator);
    *out = NULL;
    if (n >= INT32_MAX) return DAE_LIMIT;
    linear *l = alloc_zeroed(a, 1, sizeof *l);
    if (!l) return DAE_MEMORY;
    l->s = (linear_system){n, column_start, row, a};
    l->singular_row = l->singular_column = -1;
    const dae_status st = open_chosen(l, choice);
    if (st) {
        linear_free(l);
        return st;
    }
    *out = l;
    return DAE_OK;
}

void linear_free(linear *l)
{
    if (!l) return;
    if (l->state) l->backend->free(l->state);
    alloc_free(l->s.allocator, l, 1, sizeof *l);
}

dae_status linear_factor(linear *l, const double *values)
{
    l->singular_row = l->singular_column = -1;
    const dae_status st = l->backend->factor(l->state, values);
    l->is_factored = !st;
    if (st == DAE_NUMERIC)
        singular_find(&l->s, values, &l->singular_row, &l->singular_column);
    return st;
}

dae_status linear_solve(linear *l, double *b)
{
    if (!l->is_factored) return DAE_NUMERIC;
    return l->backend->solve(l->state, b);
}

void linear_singular_at(const linear *l, int64_t *row, int64_t *column)
{
    *row = l->singular_row;
    *column = l->singular_column;
}

const char *linear_name(const linear *l)
{
    return l->backend->name;
}

int64_t linear_fill(const linear *l)
{
    return l->backend->fill(l->state);
}

double linear_rcond(const linear *l)
{
    return l->backend->rcond(l->state);
}
