/* Sparse, one pattern for all steps, and regular whatever the rank of J is. A column
 * with few entries is eliminated beforehand: its pivot 1 is the largest of its entries,
 * and the products that it adds are those that elimination would add. */
#include "linalg/kkt.h"
#include "graph/transpose.h"
#include "linalg/jacobian.h"
#include "linalg/linear.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum { ELIMINATED_MOST = 8 /* entries of a column */ };

struct kkt {
    size_t rows, columns, kept;
    const int64_t *column_start;
    const int32_t *row;
    transposed t;   /* J by rows */
    int32_t *place; /* columns: among the kept ones; -1: eliminated */
    int64_t *start; /* kept + rows + 1: the symmetric matrix */
    int32_t *index; /* entries */
    double *values; /* entries */
    int64_t
        *product;   /* products, by pairs of a column's entries: where added */
    int64_t *first; /* columns: the first of its products */
    double *scaled; /* R J S */
    double *column_scale; /* columns */
    double *row_scale;    /* rows */
    double *b;            /* kept + rows */
    double *y;            /* columns */
    size_t entries, products;
    double eps;
    linear *linear;
    const dae_allocator *a;
};

static int64_t count_of(const kkt *k, int32_t j)
{
    return k->column_start[j + 1] - k->column_start[j];
}

/* ---- the pattern ------------------------------------------------------------------ */

static void choose_kept(kkt *k)
{
    for (size_t j = 0; j < k->columns; j++) {
        const bool is_kept = count_of(k, (int32_t)j) > ELIMINATED_MOST;
        k->place[j] = is_kept ? (int32_t)k->kept++ : -1;
    }
}

/* The rows that share eliminated columns with row i, itself included, into `list`;
 * seen[r] = i + 1 marks them. */
static size_t list_rows(const kkt *k, size_t i, int32_t *seen, int32_t *list)
{
    const int32_t mark = (int32_t)i + 1;
    size_t count = 0;
    seen[i] = mark;
    list[count++] = (int32_t)i;
    for (int64_t p = k->t.start[i]; p < k->t.start[i + 1]; p++) {
        const int32_t j = k->t.index[p];
        for (int64_t q = k->column_start[j];
             k->place[j] < 0 && q < k->column_start[j + 1]; q++) {
            const int32_t r = k->row[q];
            if (seen[r] == mark) continue;
            seen[r] = mark;
            list[count++] = r;
        }
    }
    return count;
}

/* Columns begin where those before them end; *entries: of all. */
static void count_entries(kkt *k, int32_t *seen, int32_t *list)
{
    int64_t *count = k->start + 1;
    for (size_t j = 0; j < k->columns; j++) {
        const int64_t own = count_of(k, (int32_t)j);
        k->first[j] = (int64_t)k->products;
        if (k->place[j] < 0) k->products += (size_t)(own * own);
        else count[k->place[j]] = own + 1;
    }
    for (size_t i = 0; i < k->rows; i++) {
        int64_t *of = &count[k->kept + i];
        *of = (int64_t)list_rows(k, i, seen, list);
        for (int64_t p = k->t.start[i]; p < k->t.start[i + 1]; p++)
            *of += k->place[k->t.index[p]] >= 0;
    }
    for (size_t c = 0; c < k->kept + k->rows; c++) count[c] += k->start[c];
    k->entries = (size_t)k->start[k->kept + k->rows];
    memset(seen, 0, k->rows * sizeof *seen);
}

/* Where the products of row i are added; at[r]: room for the entry of row r there. */
static void place_products(kkt *k, size_t i, int64_t *at)
{
    const int64_t *start = &k->start[k->kept + i];
    for (int64_t p = start[0]; p < start[1]; p++)
        if (k->index[p] >= (int32_t)k->kept)
            at[k->index[p] - (int32_t)k->kept] = p;
    for (int64_t p = k->t.start[i]; p < k->t.start[i + 1]; p++) {
        const int32_t j = k->t.index[p];
        const int64_t begin = k->column_start[j], count = count_of(k, j);
        if (k->place[j] >= 0) continue;
        int64_t *to =
            &k->product[k->first[j] + (k->t.entry[p] - begin) * count];
        for (int64_t q = 0; q < count; q++) to[q] = at[k->row[begin + q]];
    }
}

/* A kept column: 1, then J's column below. Then a column for each row: J's row in kept
 * columns, then the rows that share eliminated columns with it, in ascending order. */
static void make_pattern(kkt *k, int32_t *seen, int32_t *list, int64_t *next)
{
    const int32_t shift = (int32_t)k->kept;
    for (size_t j = 0; j < k->columns; j++) {
        if (k->place[j] < 0) continue;
        int64_t at = k->start[k->place[j]];
        k->index[at++] = k->place[j];
        for (int64_t p = k->column_start[j]; p < k->column_start[j + 1]; p++)
            k->index[at++] = k->row[p] + shift;
    }
    for (size_t i = 0; i < k->rows; i++) {
        next[i] = k->start[k->kept + i];
        for (int64_t p = k->t.start[i]; p < k->t.start[i + 1]; p++)
            if (k->place[k->t.index[p]] >= 0)
                k->index[next[i]++] = k->place[k->t.index[p]];
    }
    for (size_t r = 0; r < k->rows; r++) {
        const size_t count = list_rows(k, r, seen, list);
        for (size_t c = 0; c < count; c++)
            k->index[next[list[c]]++] = (int32_t)r + shift;
    }
    for (size_t i = 0; i < k->rows; i++)
        assert(next[i] == k->start[k->kept + i + 1]);
    for (size_t i = 0; i < k->rows; i++) place_products(k, i, next);
}

static dae_status take_entries(kkt *k)
{
    k->index = alloc_zeroed(k->a, k->entries, sizeof *k->index);
    k->values = alloc_zeroed(k->a, k->entries, sizeof *k->values);
    k->product = alloc_zeroed(k->a, k->products, sizeof *k->product);
    k->b = alloc_zeroed(k->a, k->kept + k->rows, sizeof *k->b);
    return k->index && k->values && k->product && k->b ? DAE_OK : DAE_MEMORY;
}

static dae_status take_pattern(kkt *k)
{
    int32_t *seen = alloc_zeroed(k->a, k->rows, sizeof *seen);
    int32_t *list = alloc_zeroed(k->a, k->rows, sizeof *list);
    int64_t *next = alloc_zeroed(k->a, k->rows, sizeof *next);
    dae_status st = DAE_MEMORY;
    k->start = alloc_zeroed(k->a, k->kept + k->rows + 1, sizeof *k->start);
    if (seen && list && next && k->start) {
        count_entries(k, seen, list);
        st = take_entries(k);
    }
    if (!st) make_pattern(k, seen, list, next);
    alloc_free(k->a, seen, k->rows, sizeof *seen);
    alloc_free(k->a, list, k->rows, sizeof *list);
    alloc_free(k->a, next, k->rows, sizeof *next);
    return st;
}

static dae_status kkt_init(kkt *k)
{
    dae_status st = transpose_pattern(
        k->rows, k->columns, k->column_start, k->row, k->a, &k->t);
    if (st) return st;
    k->place = alloc_zeroed(k->a, k->columns, sizeof *k->place);
    k->first = alloc_zeroed(k->a, k->columns, sizeof *k->first);
    k->scaled = alloc_zeroed(k->a, k->t.entries, sizeof *k->scaled);
    k->column_scale = alloc_zeroed(k->a, k->columns, sizeof *k->column_scale);
    k->row_scale = alloc_zeroed(k->a, k->rows, sizeof *k->row_scale);
    k->y = alloc_zeroed(k->a, k->columns, sizeof *k->y);
    if (!k->place || !k->first || !k->scaled || !k->column_scale
        || !k->row_scale || !k->y)
        return DAE_MEMORY;
    choose_kept(k);
    if ((st = take_pattern(k))) return st;
    return linear_create(k->kept + k->rows, k->start, k->index, DAE_LINEAR_AUTO,
        k->a, &k->linear);
}

dae_status kkt_create(size_t rows, size_t columns, const int64_t *column_start,
    const int32_t *row, double noise, const dae_allocator *allocator, kkt **out)
{
    const dae_allocator *a = alloc_or_default(allocator);
    *out = NULL;
    if (rows + columns >= INT32_MAX) return DAE_LIMIT;
    kkt *k = alloc_zeroed(a, 1, sizeof *k);
    if (!k) return DAE_MEMORY;
    *k = (kkt){.rows = rows,
        .columns = columns,
        .column_start = column_start,
        .row = row,
        .a = a,
        .eps = fmax(EXACT_SOLUTION, noise * noise)};
    const dae_status st = kkt_init(k);
    if (st) {
        kkt_free(k);
        return st;
    }
    assert(k->kept <= columns);
    *out = k;
    return DAE_OK;
}

void kkt_free(kkt *k)
{
    if (!k) return;
    const size_t size = k->kept + k->rows;
    linear_free(k->linear);
    alloc_free(k->a, k->place, k->columns, sizeof *k->place);
    alloc_free(k->a, k->first, k->columns, sizeof *k->first);
    alloc_free(k->a, k->start, size + 1, sizeof *k->start);
    alloc_free(k->a, k->index, k->entries, sizeof *k->index);
    alloc_free(k->a, k->values, k->entries, sizeof *k->values);
    alloc_free(k->a, k->product, k->products, sizeof *k->product);
    alloc_free(k->a, k->scaled, k->t.entries, sizeof *k->scaled);
    alloc_free(k->a, k->column_scale, k->columns, sizeof *k->column_scale);
    alloc_free(k->a, k->row_scale, k->rows, sizeof *k->row_scale);
    alloc_free(k->a, k->b, size, sizeof *k->b);
    alloc_free(k->a, k->y, k->columns, sizeof *k->y);
    transpose_clear(&k->t);
    alloc_free(k->a, k, 1, sizeof *k);
}

/* ---- the numbers ------------------------------------------------------------------ */

/* After the columns' scaling rows get length 1: a row that depends on others then keeps
 * a pivot of eps beside entries of at most 1, however many it has. */
static void scale_rows(kkt *k, const double *values)
{
    for (size_t i = 0; i < k->rows; i++) {
        double largest = 0, squares = 0;
        const int64_t begin = k->t.start[i], end = k->t.start[i + 1];
        for (int64_t p = begin; p < end; p++) {
            const double size = fabs(values[k->t.entry[p]])
                * k->column_scale[k->t.index[p]];
            if (size > largest) largest = size;
        }
        for (int64_t p = begin; p < end && largest > 0; p++) {
            const double part = values[k->t.entry[p]] / largest
                * k->column_scale[k->t.index[p]];
            squares += part * part;
        }
        k->row_scale[i] = largest > 0 ? 1 / largest / sqrt(squares) : 1;
        if (!isfinite(k->row_scale[i])) k->row_scale[i] = 1;
    }
    for (size_t j = 0; j < k->columns; j++)
        for (int64_t p = k->column_start[j]; p < k->column_start[j + 1]; p++)
            k->scaled[p] = values[p] * k->column_scale[j]
                * k->row_scale[k->row[p]];
}

/* The entries of kept columns and rows, and -eps; the others 0. */
static void load(kkt *k)
{
    size_t at = 0;
    for (size_t j = 0; j < k->columns; j++) {
        if (k->place[j] < 0) continue;
        k->values[at++] = 1;
        for (int64_t p = k->column_start[j]; p < k->column_start[j + 1]; p++)
            k->values[at++] = k->scaled[p];
    }
    for (size_t i = 0; i < k->rows; i++) {
        const int32_t own = (int32_t)(k->kept + i);
        const size_t end = (size_t)k->start[k->kept + i + 1];
        for (int64_t p = k->t.start[i]; p < k->t.start[i + 1]; p++)
            if (k->place[k->t.index[p]] >= 0)
                k->values[at++] = k->scaled[k->t.entry[p]];
        for (; at < end; at++)
            k->values[at] = k->index[at] == own ? -k->eps : 0;
    }
    assert(at == k->entries);
}

static void subtract_products(kkt *k)
{
    const int64_t *to = k->product;
    for (size_t j = 0; j < k->columns; j++) {
        const int64_t begin = k->column_start[j], end = k->column_start[j + 1];
        for (int64_t p = begin; k->place[j] < 0 && p < end; p++)
            for (int64_t q = begin; q < end; q++)
                k->values[*to++] -= k->scaled[p] * k->scaled[q];
    }
    assert(to == k->product + k->products);
}

dae_status kkt_factor(kkt *k, const double *values, const double *scale)
{
    for (size_t j = 0; j < k->columns; j++) {
        assert(scale[j] >= 0);
        k->column_scale[j] = scale[j];
    }
    scale_rows(k, values);
    load(k);
    subtract_products(k);
    return linear_factor(k->linear, k->values);
}

double kkt_work(const kkt *k)
{
    const double size = (double)(k->kept + k->rows);
    const double work = linear_work(k->linear);
    return isnan(work) ? (double)k->entries * size : work;
}

/* y, of the eliminated columns once more, when y holds the right side of columns. */
static void substitute(kkt *k)
{
    for (size_t j = 0; j < k->columns; j++) {
        if (k->place[j] >= 0) {
            k->y[j] = k->b[k->place[j]];
            continue;
        }
        for (int64_t p = k->column_start[j]; p < k->column_start[j + 1]; p++)
            k->y[j] -= k->scaled[p] * k->b[k->kept + (size_t)k->row[p]];
    }
}

dae_status kkt_solve(
    kkt *k, const double *r, const double *deviation, double *d)
{
    for (size_t i = 0; i < k->rows; i++)
        k->b[k->kept + i] = -r[i] * k->row_scale[i];
    for (size_t j = 0; j < k->columns; j++) {
        const double s = k->column_scale[j];
        k->y[j] = deviation && s > 0 ? -deviation[j] / s : 0;
        if (k->place[j] >= 0) k->b[k->place[j]] = k->y[j];
        else if (k->y[j] != 0)
            for (int64_t p = k->column_start[j]; p < k->column_start[j + 1];
                 p++)
                k->b[k->kept + (size_t)k->row[p]] -= k->scaled[p] * k->y[j];
    }
    const dae_status st = linear_solve(k->linear, k->b);
    if (st) return st;
    if (any_overflow(k->b, k->kept + k->rows)) return DAE_NUMERIC;
    substitute(k);
    if (any_overflow(k->y, k->columns)) return DAE_NUMERIC;
    for (size_t j = 0; j < k->columns; j++) d[j] = k->y[j] * k->column_scale[j];
    return DAE_OK;
}

void kkt_multipliers(const kkt *k, double *u)
{
    for (size_t i = 0; i < k->rows; i++)
        u[i] = k->b[k->kept + i] * k->row_scale[i];
}
