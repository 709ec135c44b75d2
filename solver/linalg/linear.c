/* Chooses a back end and hands calls on, the rows renumbered for the sparse
 * ones. */
#include "linalg/linear.h"
#include "base/splitmix.h"
#include "graph/match.h"
#include "graph/parity.h"
#include "graph/transpose.h"
#include "linalg/backend.h"
#include "linalg/operation_list.h"
#include "linalg/row_matching.h"
#include "linalg/scale.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* A system whose row j is row row_of[j] of the caller's. */
typedef struct aligned {
    linear_system s;
    int32_t *row_of; /* n */
    int32_t *row;    /* entries: the pattern of s, with column_start as is */
    int32_t *from;   /* entries: places in the caller's */
    double *column;  /* as long as the longest one: room */
    size_t longest;
    double *b;     /* n */
    uint8_t *seen; /* n: room */
} aligned;

/* Factors for a second factorization if pivots look like rounding: in a badly scaled
 * matrix, as with a mass of 1e-9 and a force of 1e8, they may be accurate. */
typedef struct equilibrated {
    double *row, *column; /* n: factors */
    double *work;         /* n */
    double *values;       /* entries; NULL: no room taken yet */
} equilibrated;

struct linear {
    linear_system s;
    aligned aligned; /* without arrays if rows are not moved */
    bool is_aligned; /* the back end has the rows in that order */
    const linear_backend *backend;
    void *state;
    int64_t singular_row, singular_column;
    double work;     /* operations of a factorization; NaN: not known */
    double expected; /* entries of L + U; NaN: not known */
    bool is_factored;
    bool is_distrusted; /* iterations: the next factorization is a direct one */
    bool
        is_chosen; /* the back end was, by counts, and KLU may be better after all */
    equilibrated units; /* allocated when needed */
    bool is_scaled;     /* the last factorization is scaled by them */
    int64_t iterations, fallbacks; /* not yet asked for */
};

/* ---- where a matrix is singular ------------------------------------------------ */

/* A pattern of the entries that are not zero, nor so small that they have no
 * reciprocal. */
typedef struct nonzeros {
    int64_t *start;
    int32_t *row;
    int32_t *row_of, *column_of;
} nonzeros;

static void nonzeros_clear(nonzeros *z, const linear_system *s)
{
    const size_t entries = (size_t)s->column_start[s->n];
    alloc_free(s->allocator, z->start, s->n + 1, sizeof *z->start);
    alloc_free(s->allocator, z->row, entries, sizeof *z->row);
    alloc_free(s->allocator, z->row_of, s->n, sizeof *z->row_of);
    alloc_free(s->allocator, z->column_of, s->n, sizeof *z->column_of);
}

static bool nonzeros_init(
    nonzeros *z, const linear_system *s, const double *values)
{
    const dae_allocator *a = s->allocator;
    int64_t count = 0;
    z->start = alloc_zeroed(a, s->n + 1, sizeof *z->start);
    z->row = alloc_zeroed(a, (size_t)s->column_start[s->n], sizeof *z->row);
    z->row_of = alloc_zeroed(a, s->n, sizeof *z->row_of);
    z->column_of = alloc_zeroed(a, s->n, sizeof *z->column_of);
    if (!z->start || !z->row || !z->row_of || !z->column_of) return false;
    for (size_t j = 0; j < s->n; j++) {
        const int64_t end = s->column_start[j + 1];
        for (int64_t p = s->column_start[j]; p < end; p++)
            if (fabs(values[p]) >= DBL_MIN) z->row[count++] = s->row[p];
        z->start[j + 1] = count;
        z->row_of[j] = z->column_of[j] = MATCH_NONE;
    }
    return true;
}

/* true where the entries' places alone make the matrix singular */
static bool find_structural(
    const linear_system *s, const double *values, int64_t *row, int64_t *column)
{
    nonzeros z = {0};
    size_t rank = s->n;
    if (nonzeros_init(&z, s, values)
        && !match_maximum(s->n, s->n, z.start, z.row, s->allocator, z.row_of,
            z.column_of, &rank)
        && rank < s->n) {
        for (size_t k = s->n; k-- > 0;) {
            if (z.row_of[k] == MATCH_NONE) *column = (int64_t)k;
            if (z.column_of[k] == MATCH_NONE) *row = (int64_t)k;
        }
    }
    nonzeros_clear(&z, s);
    return *column >= 0;
}

static int64_t dependent_column(const linear_system *s, const double *values)
{
    void *klu = NULL;
    int64_t column = -1;
    if (klu_backend.create(s, &klu)) return -1;
    if (klu_backend.factor(klu, values)) column = klu_failed_column(klu);
    klu_backend.free(klu);
    assert(column >= -1);
    return column < (int64_t)s->n ? column : -1;
}

static int64_t dependent_row(const linear_system *s, const double *values)
{
    transposed t;
    int64_t row = -1;
    if (transpose_pattern(
            s->n, s->n, s->column_start, s->row, s->allocator, &t))
        return -1;
    double *by_rows = alloc_zeroed(s->allocator, t.entries, sizeof *by_rows);
    if (by_rows) {
        const linear_system other = {s->n, t.start, t.index, s->allocator};
        for (size_t k = 0; k < t.entries; k++) by_rows[k] = values[t.entry[k]];
        row = dependent_column(&other, by_rows);
    }
    alloc_free(s->allocator, by_rows, t.entries, sizeof *by_rows);
    transpose_clear(&t);
    return row;
}

/* Where a singular matrix is singular, for the message about it: a row and a column
 * taking part, those that a matching of the entries leaves out; where it leaves none,
 * the column that depends on those eliminated before it, and the row found so in the
 * transposed matrix. -1 where unknown (also where memory runs out). Costs two
 * factorizations. */
static void find_singular(
    const linear_system *s, const double *values, int64_t *row, int64_t *column)
{
    *row = *column = -1;
    if (find_structural(s, values, row, column)) return;
    *column = dependent_column(s, values);
    *row = dependent_row(s, values);
}

/* ---- the choice --------------------------------------------------------------- */

double least_pivot_ratio(const linear_system *s, const double *values,
    const double *row_scale, const double *pivot, size_t *column)
{
    double least = 1;
    *column = 0;
    for (size_t j = 0; j < s->n; j++) {
        double ratio = pivot[j];
        if (ratio < least) {
            double largest = 0;
            const int64_t end = s->column_start[j + 1];
            for (int64_t p = s->column_start[j]; p < end; p++) {
                const double size = fabs(values[p]) * row_scale[s->row[p]];
                if (size > largest) largest = size;
            }
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
enum { SPARSE_COST = 4, SPARSE_ENTRY = 40 };
/* The same of a solution, for each entry of L + U. */
enum { SPARSE_SOLVE = 13 };
#ifdef DAE_HAVE_UMFPACK
/* Above this many operations per entry of L + U supernodes pay [DN10]. */
enum { SUPERNODE_FLOPS = 90 };
/* Then an operation costs this, where a sparse one costs SPARSE_COST: 2.3e9 a second for
 * 1.2e9 at 120 operations per entry, 2.75e9 at 215. A solution costs the same. */
enum { SUPERNODE_COST = 2 };
#endif
/* A full matrix above this is not tried unless it is nearly full. */
enum { DENSE_SMALL = 8, DENSE_LARGE = 2000 };

/* The same of an operation list, in tenths: for every product, for every entry of L + U,
 * and for that in a solution; and what own elimination on a full matrix takes for every
 * place beside its operations, so that a list is cheaper up to 8 full columns. From
 * instructions of one factorization and one solution: 8 full columns 3300 and 750 (full
 * matrix 3900 and 710, KLU 8300 and 1300); 20 columns, 100 entries in L + U: 3500 and 1280
 * (14000 and 2640, 10000 and 2350); 90 columns, 1360 entries: 100000 and 13300 (KLU
 * 215000 and 23100). */
enum { LIST_PRODUCT = 47, LIST_ENTRY = 86, LIST_SOLVE = 36, DENSE_PLACE = 200 };
/* With fewer columns what a choice of pivots costs is not saved again, beside a matrix that
 * is a sum of planes (linalg/small.h): five unknowns took 4 % more instructions of a run,
 * six 8 %. */
enum { LIST_COLUMNS_LEAST = 7 };

static double full_work(size_t n)
{
    return 2.0 / 3.0 * (double)n * (double)n * (double)n;
}

static dae_status factor(
    linear *l, const linear_system *s, const double *values);

static bool is_dense_cheaper(size_t n, double flops, double entries)
{
    if (n > DENSE_LARGE) return false;
    return full_work(n) <= SPARSE_COST * flops + SPARSE_ENTRY * entries;
}

static double full_cost(size_t n, double solves)
{
    return full_work(n) + solves * 2 * (double)n * (double)n;
}

static double list_cost(double work, double entries, double solves)
{
    return (LIST_PRODUCT * (work / 2)
               + (LIST_ENTRY + solves * LIST_SOLVE) * entries)
        / 10;
}

static bool is_list_cheaper(size_t n, double work, double entries)
{
    const double places = (double)n * (double)n;
    if (n < LIST_COLUMNS_LEAST) return false;
    return list_cost(work, entries, LINEAR_SOLVES)
        <= full_cost(n, LINEAR_SOLVES) + DENSE_PLACE * places / 10;
}

static size_t entry_count(const linear_system *s)
{
    return (size_t)s->column_start[s->n];
}

static void equilibrated_clear(equilibrated *u, const linear_system *s)
{
    const dae_allocator *a = s->allocator;
    alloc_free(a, u->row, s->n, sizeof *u->row);
    alloc_free(a, u->column, s->n, sizeof *u->column);
    alloc_free(a, u->work, s->n, sizeof *u->work);
    alloc_free(a, u->values, entry_count(s), sizeof *u->values);
    *u = (equilibrated){.row = NULL};
}

static dae_status equilibrated_take(equilibrated *u, const linear_system *s)
{
    const dae_allocator *a = s->allocator;
    if (u->values) return DAE_OK;
    u->row = alloc_zeroed(a, s->n, sizeof *u->row);
    u->column = alloc_zeroed(a, s->n, sizeof *u->column);
    u->work = alloc_zeroed(a, s->n, sizeof *u->work);
    u->values = alloc_zeroed(a, entry_count(s), sizeof *u->values);
    if (u->row && u->column && u->work && u->values) return DAE_OK;
    equilibrated_clear(u, s);
    return DAE_MEMORY;
}

static void aligned_clear(aligned *g, const linear_system *s)
{
    const size_t n = s->n, entries = entry_count(s);
    alloc_free(s->allocator, g->row_of, n, sizeof *g->row_of);
    alloc_free(s->allocator, g->row, entries, sizeof *g->row);
    alloc_free(s->allocator, g->from, entries, sizeof *g->from);
    alloc_free(s->allocator, g->column, g->longest, sizeof *g->column);
    alloc_free(s->allocator, g->b, n, sizeof *g->b);
    alloc_free(s->allocator, g->seen, n, sizeof *g->seen);
    *g = (aligned){0};
}

/* Row by row in the new order, so that rows ascend in the columns again. */
static dae_status renumber(aligned *g, const linear_system *s)
{
    transposed t;
    int64_t *next = alloc_zeroed(s->allocator, s->n, sizeof *next);
    if (!next) return DAE_MEMORY;
    const dae_status st = transpose_pattern(
        s->n, s->n, s->column_start, s->row, s->allocator, &t);
    if (st) goto done;
    memcpy(next, s->column_start, s->n * sizeof *next);
    for (size_t r = 0; r < s->n; r++) {
        const int32_t i = g->row_of[r];
        for (int64_t p = t.start[i]; p < t.start[i + 1]; p++) {
            const int64_t at = next[t.index[p]]++;
            g->row[at] = (int32_t)r;
            g->from[at] = (int32_t)t.entry[p];
        }
    }
    transpose_clear(&t);
done:
    alloc_free(s->allocator, next, s->n, sizeof *next);
    return st;
}

static size_t longest_column(const linear_system *s)
{
    int64_t longest = 0;
    for (size_t j = 0; j < s->n; j++)
        if (s->column_start[j + 1] - s->column_start[j] > longest)
            longest = s->column_start[j + 1] - s->column_start[j];
    return (size_t)longest;
}

/* The caller's values in the new order of rows, or (`is_back`) in the caller's
 * again: a column's entries stay in their column. */
static void move_values(const aligned *g, double *values, bool is_back)
{
    const int64_t *start = g->s.column_start;
    for (size_t j = 0; j < g->s.n; j++) {
        const int64_t begin = start[j], count = start[j + 1] - begin;
        const int32_t *from = g->from + begin;
        memcpy(g->column, values + begin, (size_t)count * sizeof *values);
        for (int64_t q = 0; q < count && is_back; q++)
            values[from[q]] = g->column[q];
        for (int64_t q = 0; q < count && !is_back; q++)
            values[begin + q] = g->column[from[q] - begin];
    }
}

static dae_status aligned_init(
    aligned *g, const linear_system *s, const uint8_t *level)
{
    const dae_allocator *a = s->allocator;
    const size_t entries = entry_count(s);
    bool is_moved = false;
    if (entries >= INT32_MAX) return DAE_LIMIT;
    g->row_of = alloc_zeroed(a, s->n, sizeof *g->row_of);
    if (!g->row_of) return DAE_MEMORY;
    dae_status st = align_rows(
        s->n, s->column_start, s->row, level, a, g->row_of, &is_moved);
    if (st) return st;
    if (!is_moved) {
        aligned_clear(g, s);
        return DAE_OK;
    }
    g->row = alloc_zeroed(a, entries, sizeof *g->row);
    g->from = alloc_zeroed(a, entries, sizeof *g->from);
    g->longest = longest_column(s);
    g->column = alloc_zeroed(a, g->longest, sizeof *g->column);
    g->b = alloc_zeroed(a, s->n, sizeof *g->b);
    g->seen = alloc_zeroed(a, s->n, sizeof *g->seen);
    if (!g->row || !g->from || !g->column || !g->b || !g->seen)
        return DAE_MEMORY;
    g->s = *s;
    g->s.row = g->row;
    return renumber(g, s);
}

/* Elimination on a full matrix exchanges rows as it likes, an operation list numbers them
 * itself: they get them in the caller's order. */
static dae_status open_backend(linear *l, const linear_backend *backend)
{
    l->backend = backend;
    l->is_aligned = l->aligned.row_of && backend != &dense_backend
        && backend != &list_backend;
    return backend->create(l->is_aligned ? &l->aligned.s : &l->s, &l->state);
}

static dae_status exchange_backend(linear *l, const linear_backend *backend)
{
    l->backend->free(l->state);
    l->state = NULL;
    return open_backend(l, backend);
}

static dae_status open_klu(linear *l)
{
    double flops, entries;
    const dae_status st = open_backend(l, &klu_backend);
    if (st) return st;
    klu_estimate(l->state, &flops, &entries);
    /* KLU gives no counts (-1) for some orderings and singular patterns */
    if (!(flops >= 0) || !(entries > 0)) return DAE_OK;
    l->work = flops;
    l->expected = entries;
    return DAE_OK;
}

/* Who asks for it by its name is told at once if it is missing. */
static dae_status open_supernodes(linear *l)
{
#ifdef DAE_HAVE_UMFPACK
    const dae_status st = open_backend(l, &umfpack_backend);
    return st ? st : umfpack_find(l->state);
#else
    (void)l;
    return DAE_UNSUPPORTED;
#endif
}

/* UMFPACK in place of KLU, where counts say so. */
static dae_status prefer_supernodes(linear *l)
{
#ifdef DAE_HAVE_UMFPACK
    if (l->work > SUPERNODE_FLOPS * l->expected) {
        l->is_chosen = true;
        return exchange_backend(l, &umfpack_backend);
    }
#else
    (void)l;
#endif
    return DAE_OK;
}

/* UMFPACK's own order may fill in more than KLU's: of springs with tensions three times as
 * much, which their many solutions have to pay. Known after a factorization. */
static bool is_klu_better(const linear *l)
{
#ifdef DAE_HAVE_UMFPACK
    if (!l->is_chosen || l->backend != &umfpack_backend) return false;
    const double fill = (double)umfpack_backend.fill(l->state);
    return linear_cost(l, RUN_SOLVES) < SUPERNODE_COST * umfpack_work(l->state)
        + (SPARSE_ENTRY + RUN_SOLVES * SPARSE_SOLVE) * fill;
#else
    (void)l;
    return false;
#endif
}

/* On failure all is as before. */
static dae_status return_to_klu(
    linear *l, const linear_system *s, const double *values)
{
    const linear before = *l;
    l->state = NULL;
    dae_status st = open_backend(l, &klu_backend);
    if (!st) st = factor(l, s, values);
    if (!st) {
        before.backend->free(before.state);
        return DAE_OK;
    }
    if (l->state) l->backend->free(l->state);
    l->backend = before.backend;
    l->state = before.state;
    l->is_aligned = before.is_aligned;
    l->is_scaled = before.is_scaled;
    l->is_chosen = st == DAE_MEMORY;
    return st == DAE_MEMORY ? st : DAE_OK;
}

static dae_status open_sparse(linear *l)
{
    const dae_status st = open_klu(l);
    return st || isnan(l->work) ? st : prefer_supernodes(l);
}

static dae_status open_best(linear *l)
{
    dae_status st = open_klu(l);
    if (st || isnan(l->work)) return st;
    if (is_dense_cheaper(l->s.n, l->work, l->expected))
        return exchange_backend(l, &dense_backend);
    return prefer_supernodes(l);
}

/* A list where that is wanted, or cheaper than elimination on a full matrix; a full matrix
 * where it is as small as can be; else nothing is opened. A list is always cheaper than
 * KLU. */
static dae_status open_small(linear *l, dae_linear choice)
{
    size_t entries, products;
    const bool may_list = choice == DAE_LINEAR_LIST
        || l->s.n >= LIST_COLUMNS_LEAST;
    const dae_status st = may_list
        ? operation_list_count(&l->s, &entries, &products)
        : DAE_LIMIT;
    if (st && st != DAE_LIMIT && st != DAE_NUMERIC) return st;
    if (!st
        && (choice == DAE_LINEAR_LIST
            || is_list_cheaper(
                l->s.n, 2 * (double)products, (double)entries))) {
        l->work = 2 * (double)products;
        l->expected = (double)entries;
        return open_backend(l, &list_backend);
    }
    return l->s.n <= DENSE_SMALL ? open_backend(l, &dense_backend) : DAE_OK;
}

/* In place of a list that pivots have made too long. On failure all is as before. */
static dae_status leave_list(linear *l)
{
    void *before = l->state;
    assert(l->backend == &list_backend && l->s.n > DENSE_SMALL);
    l->state = NULL;
    const dae_status st = open_best(l);
    if (!st) {
        list_backend.free(before);
        return DAE_OK;
    }
    if (l->state) l->backend->free(l->state);
    l->backend = &list_backend;
    l->state = before;
    l->is_aligned = false;
    return st;
}

static dae_status open_chosen(
    linear *l, dae_linear choice, const uint8_t *level)
{
    const bool is_named = choice == DAE_LINEAR_KLU
        || choice == DAE_LINEAR_UMFPACK;
    const bool is_small = !is_named && l->s.n <= DENSE_SMALL;
    if (choice != DAE_LINEAR_DENSE && !is_small) {
        const dae_status st = aligned_init(&l->aligned, &l->s, level);
        if (st) return st;
    }
    switch (choice) {
    case DAE_LINEAR_AUTO:
    case DAE_LINEAR_DIRECT:
    case DAE_LINEAR_GMRES:
    case DAE_LINEAR_LIST: {
        const dae_status st = open_small(l, choice);
        return st || l->state ? st : open_best(l);
    }
    case DAE_LINEAR_DENSE: return open_backend(l, &dense_backend);
    case DAE_LINEAR_KLU: return open_klu(l);
    case DAE_LINEAR_UMFPACK: return open_supernodes(l);
    }
    return DAE_ARGUMENT;
}

static linear *new_linear(size_t n, const int64_t *column_start,
    const int32_t *row, const dae_allocator *allocator)
{
    const dae_allocator *a = alloc_or_default(allocator);
    linear *l = alloc_zeroed(a, 1, sizeof *l);
    if (!l) return NULL;
    l->s = (linear_system){n, column_start, row, a};
    l->singular_row = l->singular_column = -1;
    l->work = l->expected = (double)NAN;
    return l;
}

dae_status linear_create(size_t n, const int64_t *column_start,
    const int32_t *row, dae_linear choice, const dae_allocator *allocator,
    linear **out)
{
    return linear_create_aligned(
        n, column_start, row, NULL, choice, allocator, out);
}

dae_status linear_create_aligned(size_t n, const int64_t *column_start,
    const int32_t *row, const uint8_t *level, dae_linear choice,
    const dae_allocator *allocator, linear **out)
{
    *out = NULL;
    if (n >= INT32_MAX) return DAE_LIMIT;
    linear *l = new_linear(n, column_start, row, allocator);
    if (!l) return DAE_MEMORY;
    const dae_status st = open_chosen(l, choice, level);
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
    equilibrated_clear(&l->units, &l->s);
    aligned_clear(&l->aligned, &l->s);
    alloc_free(l->s.allocator, l, 1, sizeof *l);
}

static dae_status factor_scaled(
    linear *l, const linear_system *s, const double *values)
{
    equilibrated *u = &l->units;
    dae_status st = equilibrated_take(u, s);
    if (st) return st;
    const matrix_view m = {s->n, s->n, s->column_start, s->row, values};
    for (size_t p = 0; p < entry_count(s); p++)
        if (!isfinite(values[p])) return DAE_NUMERIC;
    scale_equilibrate(&m, u->row, u->column, u->work);
    scale_by(&m, u->row, u->column, u->values);
    st = l->backend->factor(l->state, u->values);
    if (!st && !(l->backend->rcond(l->state) > HALF_DIGITS)) st = DAE_NUMERIC;
    return st;
}

/* A matrix may be singular only because it is badly scaled; such a matrix is factorized
 * with its own scales from then on, as long as these give clear pivots. */
static dae_status factor(
    linear *l, const linear_system *s, const double *values)
{
    dae_status st = DAE_NUMERIC;
    const bool was_scaled = l->is_scaled;
    l->is_scaled = false;
    if (was_scaled) st = factor_scaled(l, s, values);
    if (!st) l->is_scaled = true;
    if (st != DAE_NUMERIC) return st;
    st = l->backend->factor(l->state, values);
    if (st != DAE_NUMERIC || was_scaled) return st;
    st = factor_scaled(l, s, values);
    l->is_scaled = !st;
    return st;
}

static bool is_sparse(const linear *l)
{
    const dae_linear kind = linear_kind(l);
    return kind == DAE_LINEAR_KLU || kind == DAE_LINEAR_UMFPACK;
}

/* ---- GMRES, and back ---------------------------------------------------------------- */

/* Iterations that a solution is expected to take, and the time of one for every entry of
 * A and of the incomplete factors and for every unknown, in operations on a full matrix:
 * an entry costs what one of L + U does in a solution by KLU; of an unknown two vectors
 * are read for each of some four of the basis, and some more. */
enum { GMRES_ITERATIONS = 6, GMRES_ENTRY = SPARSE_SOLVE, GMRES_UNKNOWN = 30 };
/* The same of the incomplete factorization, for each entry of the pattern. */
enum { INCOMPLETE_ENTRY = 60 };
/* GMRES is chosen where by counts it takes at most this part of the time of elimination,
 * as its iterations are known less well. */
enum { GMRES_PERCENT = 70 };

static double iterated_cost(const linear *l, double solves)
{
    const double entries = (double)entry_count(&l->s);
    return INCOMPLETE_ENTRY * entries
        + solves * GMRES_ITERATIONS
        * (2 * GMRES_ENTRY * entries + GMRES_UNKNOWN * (double)l->s.n);
}

bool linear_prefers_gmres(const linear *l)
{
    const double iterated = iterated_cost(l, RUN_SOLVES);
    return is_sparse(l)
        && 100 * iterated <= GMRES_PERCENT * linear_cost(l, RUN_SOLVES);
}

dae_status linear_create_gmres(size_t n, const int64_t *column_start,
    const int32_t *row, const dae_allocator *allocator, linear **out)
{
    *out = NULL;
    if (n >= INT32_MAX) return DAE_LIMIT;
    linear *l = new_linear(n, column_start, row, allocator);
    if (!l) return DAE_MEMORY;
    const dae_status st = open_backend(l, &gmres_backend);
    if (st) linear_free(l);
    else *out = l;
    return st;
}

dae_status linear_iterate(linear *l)
{
    assert(!l->is_factored);
    if (!linear_prefers_gmres(l)) return DAE_OK;
    void *state = NULL;
    const bool is_aligned = l->aligned.row_of != NULL;
    const dae_status st = gmres_backend.create(
        is_aligned ? &l->aligned.s : &l->s, &state);
    if (st) return st == DAE_UNSUPPORTED || st == DAE_LIMIT ? DAE_OK : st;
    l->backend->free(l->state);
    l->backend = &gmres_backend;
    l->state = state;
    l->is_aligned = is_aligned;
    return DAE_OK;
}

/* Direct factors of the matrix as last factorized, in place of GMRES. On failure
 * all is as before, but where the matrix is singular. */
static dae_status leave_gmres(linear *l)
{
    const linear_system *s = l->is_aligned ? &l->aligned.s : &l->s;
    void *before = l->state;
    double *values = alloc_zeroed(s->allocator, entry_count(s), sizeof *values);
    if (!values) return DAE_MEMORY;
    gmres_values(before, values);
    l->state = NULL;
    dae_status st = open_sparse(l);
    if (!st) st = factor(l, s, values);
    alloc_free(s->allocator, values, entry_count(s), sizeof *values);
    if (st && st != DAE_NUMERIC) {
        if (l->state) l->backend->free(l->state);
        l->backend = &gmres_backend;
        l->state = before;
        return st;
    }
    l->iterations += gmres_take_iterations(before);
    l->fallbacks++;
    l->is_factored = !st;
    gmres_backend.free(before);
    return st;
}

void linear_distrust(linear *l)
{
    l->is_distrusted = true;
}

void linear_take_counts(linear *l, int64_t *iterations, int64_t *fallbacks)
{
    if (l->backend == &gmres_backend)
        l->iterations += gmres_take_iterations(l->state);
    *iterations += l->iterations;
    *fallbacks += l->fallbacks;
    l->iterations = l->fallbacks = 0;
}

dae_status linear_factor(linear *l, double *values)
{
    const aligned *g = &l->aligned;
    const linear_system *s = l->is_aligned ? &g->s : &l->s;
    assert(l->backend && l->state);
    l->singular_row = l->singular_column = -1;
    if (l->is_aligned) move_values(g, values, false);
    const bool is_iterated = l->backend == &gmres_backend;
    dae_status st = is_iterated ? gmres_backend.factor(l->state, values)
                                : factor(l, s, values);
    if (is_iterated && (st == DAE_NUMERIC || (!st && l->is_distrusted)))
        st = leave_gmres(l);
    if (!st && is_klu_better(l)) st = return_to_klu(l, s, values);
    else l->is_chosen = l->is_chosen && st;
    l->is_factored = !st;
    if (st == DAE_LIMIT && l->backend == &list_backend) {
        st = leave_list(l);
        return st ? st : linear_factor(l, values);
    }
    if (st == DAE_NUMERIC) {
        find_singular(s, values, &l->singular_row, &l->singular_column);
        if (l->is_aligned && l->singular_row >= 0)
            l->singular_row = g->row_of[l->singular_row];
    }
    if (l->is_aligned) move_values(g, values, true);
    return st;
}

void linear_lend(linear *l, double *values)
{
    if (l->backend == &gmres_backend) gmres_lend(l->state, values);
}

void linear_release(linear *l)
{
    l->is_factored = false;
    if (l->backend->release) l->backend->release(l->state);
}

/* NULL as `goal`: to rounding. */
static dae_status solve(linear *l, double *b, const linear_goal *goal)
{
    if (l->backend == &gmres_backend) {
        dae_status st = gmres_backend.solve_within(l->state, b, goal);
        if (st != DAE_NUMERIC) return st;
        /* of a matrix that was not known to be singular */
        st = leave_gmres(l);
        if (st) return st == DAE_NUMERIC ? DAE_RETRY : st;
    }
    if (!l->is_scaled) return l->backend->solve(l->state, b);
    const equilibrated *u = &l->units;
    for (size_t i = 0; i < l->s.n; i++) b[i] *= u->row[i];
    const dae_status st = l->backend->solve(l->state, b);
    for (size_t j = 0; j < l->s.n; j++) b[j] *= u->column[j];
    return st;
}

dae_status linear_solve(linear *l, double *b)
{
    return linear_solve_within(l, b, NULL);
}

dae_status linear_solve_within(linear *l, double *b, const linear_goal *goal)
{
    if (!l->is_factored) return DAE_NUMERIC;
    if (!l->is_aligned) return solve(l, b, goal);
    const aligned *g = &l->aligned;
    for (size_t j = 0; j < l->s.n; j++) g->b[j] = b[g->row_of[j]];
    const dae_status st = solve(l, g->b, goal);
    if (!st) memcpy(b, g->b, l->s.n * sizeof *b);
    return st;
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

dae_linear linear_kind(const linear *l)
{
    return l->backend->choice;
}

int64_t linear_fill(const linear *l)
{
    return l->backend->fill(l->state);
}

double linear_work(const linear *l)
{
    return l->backend == &dense_backend ? full_work(l->s.n) : l->work;
}

double linear_cost(const linear *l, double solves)
{
    if (l->backend == &dense_backend) return full_cost(l->s.n, solves);
    if (l->backend == &list_backend)
        return list_cost(l->work, l->expected, solves);
    if (l->backend == &gmres_backend) return iterated_cost(l, solves);
    return SPARSE_COST * l->work
        + (SPARSE_ENTRY + solves * SPARSE_SOLVE) * l->expected;
}

int64_t linear_expected_fill(const linear *l)
{
    if (l->backend == &dense_backend) return linear_fill(l);
    return isnan(l->expected) ? -1 : (int64_t)l->expected;
}

double linear_rcond(const linear *l)
{
    return l->backend->rcond(l->state);
}

/* Right sides: each misses the largest answer by more than a factor 10 with a
 * probability below a tenth [KL94]. */
enum { CONDITION_SIDES = 3 };

dae_status linear_condition(linear *l, double *work, double *rcond)
{
    double growth = 1;
    dae_status st = DAE_OK;
    *rcond = 0;
    for (uint64_t side = 0; !st && side < CONDITION_SIDES; side++) {
        double size = 0, most = 0;
        for (size_t k = 0; k < l->s.n; k++) {
            work[k] = splitmix_unit(splitmix(splitmix(side) ^ splitmix(~k)));
            size = fmax(size, fabs(work[k]));
        }
        st = linear_solve(l, work);
        for (size_t k = 0; k < l->s.n; k++)
            if (!(fabs(work[k]) <= most)) most = fabs(work[k]);
        growth = isfinite(most) ? fmax(growth, most / size) : HUGE_VAL;
    }
    if (!st) *rcond = 1 / growth;
    return st;
}

int linear_sign(const linear *l)
{
    const aligned *g = &l->aligned;
    if (!l->is_factored || !l->backend->sign) return 0;
    const int sign = l->backend->sign(l->state);
    return l->is_aligned ? sign * permutation_sign(l->s.n, g->row_of, g->seen)
                         : sign;
}
