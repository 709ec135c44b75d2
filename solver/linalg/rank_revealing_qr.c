/* Columns are not moved; `order` is their permutation. Reflections of Q
 * are kept below the diagonal of the pivots' columns, those of Z in the rows
 * of the columns left out. */
#include "linalg/rank_revealing_qr.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

bool rrqr_init(rrqr *f, arena *memory, size_t rows, size_t columns)
{
    size_t cells;
    const size_t least = smaller(rows, columns);
    *f = (rrqr){.rows = rows, .columns = columns};
    if (!size_mul(rows, columns, &cells)) return false;
    f->a = ARENA_ARRAY(memory, double, cells);
    f->class = ARENA_ARRAY(memory, uint8_t, columns);
    f->order = ARENA_ARRAY(memory, int32_t, columns);
    f->pivot = ARENA_ARRAY(memory, int32_t, least);
    f->depth = ARENA_ARRAY(memory, size_t, columns);
    f->tau = ARENA_ARRAY(memory, double, least);
    f->tau_z = ARENA_ARRAY(memory, double, least);
    f->length = ARENA_ARRAY(memory, double, columns);
    f->rest = ARENA_ARRAY(memory, double, columns);
    f->work = ARENA_ARRAY(memory, double, larger(rows, columns));
    return f->a && f->class && f->order && f->pivot && f->depth && f->tau
        && f->tau_z && f->length && f->rest && f->work;
}

static double *column_of(const rrqr *f, size_t j)
{
    assert(j < f->columns);
    return f->a + j * f->rows;
}

/* Scaled, so that squares neither overflow nor vanish. */
static double length_of(const double *x, size_t n)
{
    double most = 0, sum = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    if (!(most > 0)) return 0;
    for (size_t i = 0; i < n; i++) sum += (x[i] / most) * (x[i] / most);
    return most * sqrt(sum);
}

/* ---- factorization -------------------------------------------------------------- */

static void begin(rrqr *f)
{
    size_t at = 0;
    for (size_t c = 0; c < RRQR_CLASSES; c++) {
        f->first[c] = at;
        for (size_t j = 0; j < f->columns; j++)
            if (f->class[j] == c) f->order[at++] = (int32_t)j;
    }
    assert(at == f->columns); /* every class is below RRQR_CLASSES */
    f->first[RRQR_CLASSES] = at;
    f->upto[0] = f->rank = 0;
    f->least = 1;
    f->dropped = 0;
    f->is_complete = false;
    for (size_t j = 0; j < f->columns; j++) {
        f->length[j] = f->rest[j] = length_of(column_of(f, j), f->rows);
        assert(isfinite(f->length[j]));
    }
}

/* The rest of column j below the pivots, relative to its length. */
static double part_left(const rrqr *f, size_t j)
{
    return f->length[j] > 0 ? f->rest[j] / f->length[j] : 0;
}

/* Puts column j, at place `place` of the order, at place `to`. */
static void exchange(rrqr *f, size_t place, size_t to)
{
    const int32_t other = f->order[to];
    f->order[to] = f->order[place];
    f->order[place] = other;
}

/* Makes column j the next pivot: its reflection H = I - tau v v^T, v[k] = 1. */
static void reflect(rrqr *f, size_t j)
{
    const size_t k = f->rank, n = f->rows;
    double *v = column_of(f, j);
    const double size = length_of(v + k, n - k);
    assert(k < smaller(f->rows, f->columns) && size > 0);
    const double alpha = v[k] > 0 ? -size : size, head = v[k] - alpha;
    f->tau[k] = -head / alpha;
    for (size_t i = k + 1; i < n; i++) v[i] /= head;
    v[k] = alpha;
    f->least = fmin(f->least, part_left(f, j));
    f->depth[j] = k;
    f->pivot[f->rank++] = (int32_t)j;
}

static void apply_reflection(const rrqr *f, size_t k, double *x)
{
    const double *v = column_of(f, (size_t)f->pivot[k]);
    double sum = x[k];
    for (size_t i = k + 1; i < f->rows; i++) sum += v[i] * x[i];
    sum *= f->tau[k];
    x[k] -= sum;
    for (size_t i = k + 1; i < f->rows; i++) x[i] -= sum * v[i];
}

/* The length of what is left after row k was taken off, by its square; computed
 * again where too little of that is left to be exact. */
static void shorten(rrqr *f, size_t j, size_t k)
{
    const double *x = column_of(f, j);
    const double rest = f->rest[j];
    if (!(rest > 0)) return;
    const double gone = fabs(x[k]) / rest;
    const double left = fmax(0, (1 - gone) * (1 + gone));
    const double beside = f->length[j] > 0 ? rest / f->length[j] : 0;
    if (left * beside * beside > HALF_DIGITS) f->rest[j] = rest * sqrt(left);
    else f->rest[j] = length_of(x + k + 1, f->rows - k - 1);
}

/* Applies the last reflection to the columns from `place` on. */
static void update(rrqr *f, size_t place)
{
    const size_t k = f->rank - 1;
    for (size_t p = place; p < f->columns; p++) {
        const size_t j = (size_t)f->order[p];
        if (!(f->rest[j] > 0)) continue;
        apply_reflection(f, k, column_of(f, j));
        shorten(f, j, k);
    }
}

/* Column j depends on the current pivots: its rest is rounding. */
static void leave_out(rrqr *f, size_t j)
{
    f->depth[j] = f->rank;
    f->dropped = fmax(f->dropped, part_left(f, j));
    f->rest[j] = 0;
    if (f->rows > f->rank)
        memset(
            column_of(f, j) + f->rank, 0, (f->rows - f->rank) * sizeof *f->a);
}

/* The independent column at places [from, end) with the longest rest; `end`: none.
 * Downdated lengths may be too large by their error, so that of the chosen one is
 * computed again. */
static size_t find_pivot(rrqr *f, size_t from, size_t end, double zero)
{
    for (;;) {
        size_t best = end;
        double most = 0;
        for (size_t p = from; p < end; p++) {
            const size_t j = (size_t)f->order[p];
            if (!(part_left(f, j) > zero) || !(f->rest[j] > most)) continue;
            most = f->rest[j];
            best = p;
        }
        if (best == end) return end;
        const size_t j = (size_t)f->order[best];
        f->rest[j] = length_of(column_of(f, j) + f->rank, f->rows - f->rank);
        if (part_left(f, j) > zero && f->rest[j] >= most / 2) return best;
    }
}

static void assert_factored(const rrqr *f)
{
    (void)f;
    assert(f->rank <= f->rows && f->rank <= f->columns);
    for (size_t k = 0; k < f->rank; k++)
        assert(
            isfinite(f->tau[k]) && column_of(f, (size_t)f->pivot[k])[k] != 0);
}

/* Every column is compared with the longest. */
static void level_lengths(rrqr *f)
{
    double most = 0;
    for (size_t j = 0; j < f->columns; j++) most = fmax(most, f->length[j]);
    for (size_t j = 0; j < f->columns; j++) f->length[j] = most;
}

static void factor(rrqr *f, double zero)
{
    for (size_t c = 0; c < RRQR_CLASSES; c++) {
        const size_t end = f->first[c + 1];
        size_t place = f->first[c];
        while (place < end && f->rank < f->rows) {
            const size_t best = find_pivot(f, place, end, zero);
            if (best == end) break;
            exchange(f, best, place);
            reflect(f, (size_t)f->order[place]);
            update(f, ++place);
        }
        for (size_t p = place; p < end; p++) leave_out(f, (size_t)f->order[p]);
        f->upto[c + 1] = f->rank;
        assert(f->rank - f->upto[c] == place - f->first[c]);
    }
    assert_factored(f);
}

void rrqr_factor(rrqr *f, double zero)
{
    begin(f);
    factor(f, zero);
}

void rrqr_factor_scaled(rrqr *f, double zero)
{
    begin(f);
    level_lengths(f);
    factor(f, zero);
}

void rrqr_factor_in_order(rrqr *f, double zero)
{
    memset(f->class, 0, f->columns);
    begin(f);
    size_t place = 0;
    for (size_t j = 0; j < f->columns; j++) {
        const size_t k = f->rank;
        if (k < f->rows)
            f->rest[j] = length_of(column_of(f, j) + k, f->rows - k);
        if (k == f->rows || !(part_left(f, j) > zero)) {
            leave_out(f, j);
            continue;
        }
        reflect(f, j);
        update(f, j + 1);
    }
    for (size_t k = 0; k < f->rank; k++) f->order[place++] = f->pivot[k];
    for (size_t j = 0; j < f->columns; j++)
        if (!rrqr_is_pivot(f, j)) f->order[place++] = (int32_t)j;
    for (size_t c = 1; c <= RRQR_CLASSES; c++) f->upto[c] = f->rank;
    assert(place == f->columns);
    assert_factored(f);
}

bool rrqr_is_pivot(const rrqr *f, size_t j)
{
    const size_t k = f->depth[j];
    return k < f->rank && (size_t)f->pivot[k] == j;
}

/* ---- from the right --------------------------------------------------------------- */

/* The places of the columns of class c that are not pivots: [*from, result). */
static size_t left_out(const rrqr *f, size_t c, size_t *from)
{
    *from = f->first[c] + f->upto[c + 1] - f->upto[c];
    return f->first[c + 1];
}

/* Entries of row k in the columns left out of class c become 0 by a reflection of
 * these columns and of the pivot's, which is kept in their place. */
static void reflect_right(rrqr *f, size_t c, size_t k)
{
    size_t from;
    const size_t end = left_out(f, c, &from);
    double *pivot = column_of(f, (size_t)f->pivot[k]), *sum = f->work;
    double size = 0;
    f->tau_z[k] = 0;
    for (size_t p = from; p < end; p++)
        size = hypot(size, column_of(f, (size_t)f->order[p])[k]);
    if (!(size > 0)) return;
    const double alpha = pivot[k];
    const double beta = alpha > 0 ? -hypot(alpha, size) : hypot(alpha, size);
    f->tau_z[k] = (beta - alpha) / beta;
    pivot[k] = beta;
    memcpy(sum, pivot, k * sizeof *sum);
    for (size_t p = from; p < end; p++) {
        double *x = column_of(f, (size_t)f->order[p]);
        x[k] /= alpha - beta;
        for (size_t i = 0; i < k; i++) sum[i] += x[k] * x[i];
    }
    for (size_t i = 0; i < k; i++) sum[i] *= f->tau_z[k];
    for (size_t i = 0; i < k; i++) pivot[i] -= sum[i];
    for (size_t p = from; p < end; p++) {
        double *x = column_of(f, (size_t)f->order[p]);
        for (size_t i = 0; i < k; i++) x[i] -= x[k] * sum[i];
    }
}

void rrqr_complete(rrqr *f)
{
    if (f->is_complete) return;
    f->is_complete = true;
    for (size_t c = 0; c < RRQR_CLASSES; c++)
        for (size_t k = f->upto[c + 1]; k-- > f->upto[c];)
            reflect_right(f, c, k);
}

/* x := Z^T x. */
static void apply_right(const rrqr *f, double *x)
{
    for (size_t c = 0; c < RRQR_CLASSES; c++) {
        size_t from;
        const size_t end = left_out(f, c, &from);
        for (size_t k = f->upto[c]; k < f->upto[c + 1]; k++) {
            if (f->tau_z[k] == 0) continue;
            double sum = x[f->pivot[k]];
            for (size_t p = from; p < end; p++)
                sum += column_of(f, (size_t)f->order[p])[k] * x[f->order[p]];
            sum *= f->tau_z[k];
            x[f->pivot[k]] -= sum;
            for (size_t p = from; p < end; p++)
                x[f->order[p]] -= sum * column_of(f, (size_t)f->order[p])[k];
        }
    }
}

/* ---- its uses ----------------------------------------------------------------------- */

void rrqr_apply_transposed(const rrqr *f, double *b)
{
    for (size_t k = 0; k < f->rank; k++) apply_reflection(f, k, b);
}

/* Solves R w = b of the first `rank` pivots in place. */
static void solve_triangular(const rrqr *f, size_t rank, double *b)
{
    for (size_t k = rank; k-- > 0;) {
        const double *r = column_of(f, (size_t)f->pivot[k]);
        b[k] /= r[k];
        if (b[k] == 0) continue;
        for (size_t i = 0; i < k; i++) b[i] -= b[k] * r[i];
    }
}

void rrqr_solve(const rrqr *f, double *b, double *x)
{
    double *w = f->work;
    assert(f->is_complete || f->rank == f->columns);
    rrqr_apply_transposed(f, b);
    memcpy(w, b, f->rank * sizeof *w);
    solve_triangular(f, f->rank, w);
    memset(x, 0, f->columns * sizeof *x);
    for (size_t k = 0; k < f->rank; k++) x[f->pivot[k]] = w[k];
    if (f->rank < f->columns) apply_right(f, x);
}

/* The column that is left out as number k. */
static size_t free_column(const rrqr *f, size_t k)
{
    for (size_t c = 0; c < RRQR_CLASSES; c++) {
        size_t from;
        const size_t count = left_out(f, c, &from) - from;
        if (k < count) return (size_t)f->order[from + k];
        k -= count;
    }
    assert(false);
    return 0;
}

void rrqr_null_vector(const rrqr *f, size_t k, double *x)
{
    double *w = f->work;
    assert(f->is_complete && k < f->columns - f->rank);
    const size_t j = free_column(f, k), rank = f->upto[f->class[j]];
    const double *own = column_of(f, j);
    /* rows of its own class are 0; those of earlier ones are made so */
    for (size_t i = 0; i < rank; i++) w[i] = -own[i];
    solve_triangular(f, rank, w);
    memset(x, 0, f->columns * sizeof *x);
    for (size_t i = 0; i < rank; i++) x[f->pivot[i]] = w[i];
    x[j] = 1;
    apply_right(f, x);
}

void rrqr_dependency(const rrqr *f, size_t j, double *c)
{
    const size_t rank = f->depth[j];
    double *w = f->work;
    assert(!f->is_complete && !rrqr_is_pivot(f, j));
    memcpy(w, column_of(f, j), rank * sizeof *w);
    solve_triangular(f, rank, w);
    memset(c, 0, f->columns * sizeof *c);
    for (size_t k = 0; k < rank; k++) c[f->pivot[k]] = w[k];
}

dae_status rrqr_null_shares(rrqr *f, arena *memory, double *moved)
{
    const arena_position mark = arena_mark(memory);
    double *x = ARENA_ARRAY(memory, double, f->columns);
    if (!x) return DAE_MEMORY;
    rrqr_complete(f);
    memset(moved, 0, f->columns * sizeof *moved);
    for (size_t k = 0; k < f->columns - f->rank; k++) {
        rrqr_null_vector(f, k, x);
        for (size_t j = 0; j < f->columns; j++)
            moved[j] = hypot(moved[j], x[j]);
    }
    arena_release(memory, mark);
    return DAE_OK;
}

dae_status rrqr_forward_error(
    const rrqr *f, arena *memory, const double *bound, double *error)
{
    const arena_position mark = arena_mark(memory);
    double *b = ARENA_ARRAY(memory, double, f->rows);
    double *x = ARENA_ARRAY(memory, double, f->columns);
    if (!b || !x) return DAE_MEMORY;
    memset(error, 0, f->columns * sizeof *error);
    for (size_t i = 0; i < f->rows; i++) {
        assert(bound[i] >= 0);
        if (bound[i] == 0) continue;
        memset(b, 0, f->rows * sizeof *b);
        b[i] = bound[i];
        rrqr_solve(f, b, x);
        for (size_t j = 0; j < f->columns; j++) error[j] += fabs(x[j]);
    }
    arena_release(memory, mark);
    return DAE_OK;
}

dae_status rrqr_null_space(arena *memory, const double *matrix, size_t rows,
    size_t columns, double zero, double **basis, size_t *dimension)
{
    rrqr f;
    size_t cells;
    *basis = NULL;
    *dimension = 0;
    if (columns > INT32_MAX) return DAE_LIMIT;
    if (!rrqr_init(&f, memory, rows, columns)) return DAE_MEMORY;
    if (rows > 0 && columns > 0)
        memcpy(f.a, matrix, rows * columns * sizeof *matrix);
    rrqr_factor_scaled(&f, zero);
    rrqr_complete(&f);
    *dimension = columns - f.rank;
    if (!size_mul(columns, *dimension, &cells)) return DAE_LIMIT;
    *basis = ARENA_ARRAY(memory, double, cells);
    if (!*basis) return DAE_MEMORY;
    for (size_t k = 0; k < *dimension; k++)
        rrqr_null_vector(&f, k, *basis + k * columns);
    return DAE_OK;
}

/* ---- a basis that grows ------------------------------------------------------------- */

bool row_basis_init(row_basis *b, arena *a, size_t width, size_t room)
{
    size_t cells;
    *b = (row_basis){.width = width, .room = room < width ? room : width};
    if (!size_mul(width, b->room, &cells)) return false;
    b->q = ARENA_ARRAY(a, double, cells);
    return b->q != NULL;
}

/* Subtracts from the row its projection on the basis. */
static void subtract_basis(const row_basis *b, double *row)
{
    const size_t n = b->width;
    for (int pass = 0; pass < 2; pass++) { /* again, against cancellation */
        for (size_t j = 0; j < b->count; j++) {
            const double *q = b->q + j * n;
            double by = 0;
            for (size_t k = 0; k < n; k++) by += q[k] * row[k];
            for (size_t k = 0; k < n; k++) row[k] -= by * q[k];
        }
    }
}

bool row_basis_add(row_basis *b, double *row, double zero)
{
    subtract_basis(b, row);
    const double length = length_of(row, b->width);
    if (b->count == b->room || !(length > zero)) return false;
    double *q = b->q + b->count++ * b->width;
    for (size_t k = 0; k < b->width; k++) q[k] = row[k] / length;
    return true;
}
