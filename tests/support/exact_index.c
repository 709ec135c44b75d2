#include "exact_index.h"
#include <stdlib.h>
#include <string.h>

static int highest(const terms *s, const int *roots, int rows)
{
    int most = 0;
    int *depth = calloc((size_t)s->count, sizeof *depth);
    if (!depth) return TERMS_LENGTH;
    /* a term above takes over what it adds to the depth of those below */
    for (int k = s->count - 1; k >= 0; k--) {
        for (int i = 0; i < rows; i++)
            if (roots[i] == k && !depth[k]) depth[k] = 1;
        term e = s->at[k];
        if (!depth[k] || e.kind <= TERM_UNKNOWN) {
            if (depth[k] > most) most = depth[k];
            continue;
        }
        int here = depth[k] + (e.kind == TERM_DERIVATIVE);
        if (depth[e.a] < here) depth[e.a] = here;
        if ((e.kind == TERM_ADD || e.kind == TERM_MUL) && depth[e.b] < here)
            depth[e.b] = here;
    }
    free(depth);
    return most > 0 ? most - 1 : 0;
}

bool exact_orders(const exact_system *q, int *order)
{
    term_series e;
    int length = highest(q->terms, q->roots, q->rows) + 1;
    if (length > TERMS_LENGTH) return false;
    scalar *any = calloc((size_t)(q->unknowns * length), sizeof *any);
    if (!any) return false;
    uint64_t z = 1;
    for (int k = 0; k < q->unknowns * length; k++) {
        z = z * 48271 % SCALAR_PRIME;
        any[k].exact = z;
    }
    bool is_made = term_series_create(
        &e, q->terms, true, length, (scalar){.exact = 123456789});
    if (is_made) {
        term_series_need(&e, q->roots, q->rows);
        term_series_evaluate(&e, any);
    }
    for (int j = 0; is_made && j < q->unknowns; j++) {
        order[j] = -1;
        for (int l = length - 1; l >= 0 && order[j] < 0; l--) {
            term_series_differentiate(&e, j, l);
            for (int i = 0; i < q->rows; i++)
                if (e.tangent[(size_t)q->roots[i] * (size_t)length].exact)
                    order[j] = l;
        }
    }
    term_series_free(&e);
    free(any);
    return is_made;
}

/* ---- ranks ------------------------------------------------------------------- */

typedef struct array {
    int rows, columns; /* of the array after `most` differentiations */
    int most;
    uint64_t *entry;   /* rows by columns; row i*(most + 1) + k */
    int *unknown, *of; /* columns: the l-th derivative of an unknown */
} array;

/* Pivots among the `count` rows `m` in these columns; rows that served are moved
 * to the front, *used of them. */
static int eliminate(
    uint64_t *m, int rows, int columns, int begin, int end, int *used)
{
    int before = *used;
    for (int c = begin; c < end && *used < rows; c++) {
        int p = *used;
        while (p < rows && !m[p * columns + c]) p++;
        if (p == rows) continue;
        uint64_t *top = m + *used * columns, *row = m + p * columns;
        for (int k = 0; k < columns && row != top; k++) {
            uint64_t swap = top[k];
            top[k] = row[k], row[k] = swap;
        }
        scalar inverse = scalar_inverse(true, (scalar){.exact = top[c]});
        for (int i = *used + 1; i < rows; i++) {
            uint64_t *to = m + i * columns;
            if (!to[c]) continue;
            uint64_t factor = SCALAR_PRIME
                - to[c] * inverse.exact % SCALAR_PRIME;
            for (int k = c; k < columns; k++)
                to[k] = (to[k] + factor * top[k]) % SCALAR_PRIME;
        }
        ++*used;
    }
    return *used - before;
}

static int target(const int *order, int j)
{
    return order[j] < 1 ? 1 : order[j];
}

/* After K differentiations. Columns in the order: above the highest
 * derivatives, these, below. */
static bool examine(
    const array *a, const int *order, int unknowns, int K, exact_findings *out)
{
    int rows = 0, columns = 0, used = 0, count[3] = {0}, rank[3];
    uint64_t *m = calloc((size_t)(a->rows * a->columns) + 1, sizeof *m);
    if (!m) return false;
    for (int group = 0; group < 3; group++)
        for (int c = 0; c < a->columns; c++) {
            int above = a->of[c] - target(order, a->unknown[c]);
            if (group != (above > 0 ? 0 : above == 0 ? 1 : 2)) continue;
            rows = 0;
            for (int r = 0; r < a->rows; r++)
                if (r % (a->most + 1) <= K)
                    m[rows++ * a->columns + columns] =
                        a->entry[r * a->columns + c];
            columns++;
            count[group]++;
        }
    for (int group = 0, begin = 0; group < 3; group++) {
        rank[group] = eliminate(
            m, rows, a->columns, begin, begin + count[group], &used);
        begin += count[group];
    }
    free(m);
    out->index = rank[1] == unknowns ? K : -1;
    out->degrees_of_freedom = count[2] - rank[2];
    return true;
}

static bool array_make(const exact_system *q, const int *order, int most,
    array *a, bool *is_solution)
{
    term_series e;
    int length = highest(q->terms, q->roots, q->rows) + most + 2;
    if (length > TERMS_LENGTH) length = TERMS_LENGTH;
    a->most = most;
    a->rows = q->rows * (most + 1);
    for (int j = 0; j < q->unknowns; j++)
        a->columns += target(order, j) + most + 1;
    a->entry = calloc((size_t)(a->rows * a->columns) + 1, sizeof *a->entry);
    a->unknown = calloc((size_t)a->columns + 1, sizeof *a->unknown);
    a->of = calloc((size_t)a->columns + 1, sizeof *a->of);
    scalar *curve = calloc((size_t)(q->unknowns * length) + 1, sizeof *curve);
    bool is_made = term_series_create(&e, q->terms, true, length, q->t0)
        && curve && a->entry && a->unknown && a->of;
    if (is_made) {
        for (int j = 0; j < q->unknowns; j++)
            memcpy(curve + j * length, q->curve + j * TERMS_LENGTH,
                (size_t)length * sizeof *curve);
        term_series_need(&e, q->roots, q->rows);
        term_series_evaluate(&e, curve);
        for (int r = 0; r < a->rows; r++)
            if (e.value[q->roots[r / (most + 1)] * length + r % (most + 1)]
                    .exact)
                *is_solution = false;
    }
    for (int j = 0, c = 0; is_made && j < q->unknowns; j++)
        for (int l = 0; l <= target(order, j) + most; l++, c++) {
            a->unknown[c] = j, a->of[c] = l;
            if (l >= length) continue;
            term_series_differentiate(&e, j, l);
            for (int r = 0; r < a->rows; r++)
                a->entry[r * a->columns + c] =
                    e.tangent[q->roots[r / (most + 1)] * length
                         + r % (most + 1)]
                        .exact;
        }
    term_series_free(&e);
    free(curve);
    return is_made;
}

static void array_clear(array *a)
{
    free(a->entry);
    free(a->unknown);
    free(a->of);
}

bool exact_index(
    const exact_system *q, const int *order, int most, exact_findings *out)
{
    bool is_made = true;
    *out = (exact_findings){true, -1, -1};
    /* most indices are small: a large array only where a small one does not do */
    for (int K = 0, top = most < 3 ? most : 3; is_made && out->index < 0;
         top = most) {
        array a = {0};
        is_made = array_make(q, order, top, &a, &out->is_solution);
        for (; is_made && K <= top && out->index < 0; K++)
            is_made = examine(&a, order, q->unknowns, K, out);
        array_clear(&a);
        if (top == most) break;
    }
    return is_made;
}
