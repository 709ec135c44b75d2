/* Where blame.c looks for what contradicts what: of rows and residuals at the
 * place where a search has ended. The basis says what depends; what it is made
 * of says of which rows. */
#include "start/circuit.h"
#include "linalg/basis.h"
#include <math.h>
#include <string.h>

/* A contradiction below this part of its terms is the next order's: the rows
 * are the tangents of the equations. */
static const double LEFT_LEAST = 1e-3;
/* Coefficients below this part of the largest are rounding. */
static const double PART_ZERO = 1e-7;

/* The rows kept: an orthonormal basis, and what it is in terms of them. */
typedef struct kept {
    const circuit_rows *r;
    row_basis basis;
    double *of; /* most x count: basis vector b is the sum of of[b * most + k]
                     times row at[k] */
    size_t *at; /* count: rows */
    size_t most;
    double *x;    /* columns: the row at hand */
    double *part; /* count: what it has of each basis vector */
    double *c;    /* count: the same of each row kept */
} kept;

static bool kept_init(kept *k, const circuit_rows *r, arena *a)
{
    const size_t most = r->rows < r->columns ? r->rows : r->columns;
    *k = (kept){.r = r,
        .most = most,
        .of = ARENA_ARRAY(a, double, most *most),
        .at = ARENA_ARRAY(a, size_t, most),
        .x = ARENA_ARRAY(a, double, r->columns),
        .part = ARENA_ARRAY(a, double, most),
        .c = ARENA_ARRAY(a, double, most)};
    return row_basis_init(&k->basis, a, r->columns, most) && k->of && k->at
        && k->x && k->part && k->c;
}

/* x := row i without what it has of the basis; its length. */
static double reduce(kept *k, size_t i)
{
    const circuit_rows *r = k->r;
    for (size_t j = 0; j < r->columns; j++)
        k->x[j] = r->matrix[j * r->rows + i];
    return row_basis_rest(&k->basis, k->x, k->part);
}

/* c := the combination of the rows kept. */
static void express(kept *k)
{
    memset(k->c, 0, k->most * sizeof *k->c);
    for (size_t b = 0; b < k->basis.count; b++)
        for (size_t p = 0; p <= b; p++)
            k->c[p] += k->part[b] * k->of[b * k->most + p];
}

static void keep(kept *k, size_t i, double length)
{
    const size_t b = k->basis.count;
    express(k);
    for (size_t p = 0; p < b; p++) k->of[b * k->most + p] = -k->c[p] / length;
    k->of[b * k->most + b] = 1 / length;
    k->at[b] = i;
    row_basis_take(&k->basis, k->x, length);
}

/* Does what is left of row i differ from what the combination leaves? */
static bool contradicts(kept *k, size_t i)
{
    const circuit_rows *r = k->r;
    double left = r->left[i], terms = fabs(left), allowed = r->allowed[i];
    double most = 1;
    express(k);
    for (size_t p = 0; p < k->basis.count; p++)
        most = fmax(most, fabs(k->c[p]));
    for (size_t p = 0; p < k->basis.count; p++) {
        if (fabs(k->c[p]) <= PART_ZERO * most) k->c[p] = 0;
        const double term = k->c[p] * r->left[k->at[p]];
        left -= term;
        terms += fabs(term);
        allowed += fabs(k->c[p]) * r->allowed[k->at[p]];
    }
    return fabs(left) > allowed && fabs(left) > LEFT_LEAST * terms;
}

dae_status circuits_smallest(const circuit_rows *r, arena *a, size_t most,
    double **coefficients, size_t *count)
{
    kept k;
    *count = 0;
    *coefficients = ARENA_ARRAY(a, double, r->rows *most);
    if (!*coefficients || !kept_init(&k, r, a)) return DAE_MEMORY;
    for (size_t i = 0; i < r->rows && *count < most; i++) {
        const double length = reduce(&k, i);
        if (length > r->zero && k.basis.count < k.most) {
            keep(&k, i, length);
            continue;
        }
        if (!contradicts(&k, i)) continue;
        double *to = *coefficients + (*count)++ * r->rows;
        to[i] = 1;
        for (size_t p = 0; p < k.basis.count; p++) to[k.at[p]] = -k.c[p];
    }
    return DAE_OK;
}
