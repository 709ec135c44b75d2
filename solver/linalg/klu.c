/* KLU [DN10]: block triangular form, AMD within blocks, and refactorization on
 * the old pivots, which are kept as long as entries do not grow. Where factors serve
 * more than one solution they are packed for the next ones. KLU
 * allocates through SuiteSparse's process-wide hooks, which have no context argument
 * and so cannot use a dae_allocator; its failures are still reported.
 *
 * Where all blocks are single entries, as slopes of a start and formulas of unknowns often
 * are, nothing is left for KLU to do: the rows are solved in order, with its scales. It
 * would take a hundred bytes for each of them. */
#include "graph/parity.h"
#include "linalg/backend.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <klu.h>
#include <math.h>
#include <string.h>

/* Pivots in an order in which the matrix is triangular: every row has entries in columns
 * of earlier pivots and in its own. */
typedef struct triangle {
    int32_t *row, *column; /* n: of each pivot; NULL: there is no such order */
    double *scale;         /* [row of A]: its largest entry; NULL: no factors */
    double *pivot;         /* n: in their order, scaled */
    double *work;          /* n */
    double *scaled;        /* entries */
} triangle;

/* Columns of L or U that follow each other, of the same rows beyond them. */
typedef struct group {
    int32_t block;
    int32_t column, width; /* the first in the order of use, of all blocks */
    int32_t rows;          /* beyond them */
} group;

/* L or U for solutions, U over its pivots: rows of it are multiplied by their inverses. Of
 * wide groups, in the order of use, the entries stand row by row, so that an unknown is
 * read and written once for all of its columns; without them whole rows do, so that it is
 * written once at all. Each unknown meets the same operations in the same order as column
 * by column: the bits are the same. */
typedef struct packed {
    ARRAY(group) groups;
    int32_t *start; /* n + 1: of each row's values; NULL: there are groups */
    int32_t *row;  /* rows: beyond each group in turn; else columns of values */
    double *value; /* values: of each, its triangle, then the rows beyond */
    int32_t *source; /* values: their places in those of the block */
    size_t rows, values;
} packed;

typedef struct klu {
    linear_system s;
    triangle triangle; /* where it is one, there is nothing of KLU's */
    int *start;        /* the columns' starts as KLU counts them */
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    double growth; /* reciprocal growth at the last full factorization */
    double rcond;
    int64_t failed_column;
    packed lower, upper;
    int64_t solves; /* since the last factorization */
    bool is_packed; /* its factors are */
    bool is_loose;  /* there was no memory for that */
    int parity;     /* of the order of rows and columns: 1, -1 */
} klu;

/* ---- triangles ---------------------------------------------------------------- */

static size_t entry_count(const linear_system *s)
{
    return (size_t)s->column_start[s->n];
}

static void triangle_release(triangle *t, const linear_system *s)
{
    const dae_allocator *a = s->allocator;
    alloc_free(a, t->scale, s->n, sizeof *t->scale);
    alloc_free(a, t->pivot, s->n, sizeof *t->pivot);
    alloc_free(a, t->work, s->n, sizeof *t->work);
    alloc_free(a, t->scaled, entry_count(s), sizeof *t->scaled);
    t->scale = t->pivot = t->work = t->scaled = NULL;
}

static void triangle_clear(triangle *t, const linear_system *s)
{
    triangle_release(t, s);
    alloc_free(s->allocator, t->row, s->n, sizeof *t->row);
    alloc_free(s->allocator, t->column, s->n, sizeof *t->column);
    t->row = t->column = NULL;
}

/* A row of which one column is left gives that column's unknown. `left`: columns of each
 * row that are left, `mix`: the exclusive or of their numbers. */
static bool find_order(
    triangle *t, const linear_system *s, int32_t *left, int32_t *mix)
{
    size_t found = 0;
    for (size_t j = 0; j < s->n; j++)
        for (int64_t p = s->column_start[j]; p < s->column_start[j + 1]; p++) {
            left[s->row[p]]++;
            mix[s->row[p]] ^= (int32_t)j;
        }
    for (size_t i = 0; i < s->n; i++)
        if (left[i] == 1) t->row[found++] = (int32_t)i;
    for (size_t k = 0; k < found; k++) {
        const int32_t j = t->column[k] = mix[t->row[k]];
        if (left[t->row[k]] != 1) return false; /* two rows for one column */
        for (int64_t p = s->column_start[j]; p < s->column_start[j + 1]; p++) {
            const int32_t i = s->row[p];
            mix[i] ^= j;
            if (--left[i] == 1) t->row[found++] = i;
        }
    }
    return found == s->n;
}

static dae_status triangle_init(triangle *t, const linear_system *s)
{
    const dae_allocator *a = s->allocator;
    int32_t *left = alloc_zeroed(a, s->n, sizeof *left);
    int32_t *mix = alloc_zeroed(a, s->n, sizeof *mix);
    t->row = alloc_zeroed(a, s->n, sizeof *t->row);
    t->column = alloc_zeroed(a, s->n, sizeof *t->column);
    const bool has_room = left && mix && t->row && t->column;
    if (!has_room || !find_order(t, s, left, mix)) triangle_clear(t, s);
    alloc_free(a, left, s->n, sizeof *left);
    alloc_free(a, mix, s->n, sizeof *mix);
    return has_room ? DAE_OK : DAE_MEMORY;
}

static dae_status triangle_take(triangle *t, const linear_system *s)
{
    const dae_allocator *a = s->allocator;
    if (t->scale) return DAE_OK;
    t->scale = alloc_zeroed(a, s->n, sizeof *t->scale);
    t->pivot = alloc_zeroed(a, s->n, sizeof *t->pivot);
    t->work = alloc_zeroed(a, s->n, sizeof *t->work);
    t->scaled = alloc_zeroed(a, entry_count(s), sizeof *t->scaled);
    if (t->scale && t->pivot && t->work && t->scaled) return DAE_OK;
    triangle_release(t, s);
    return DAE_MEMORY;
}

static void triangle_scale(
    triangle *t, const linear_system *s, const double *values)
{
    for (size_t i = 0; i < s->n; i++) t->scale[i] = 0;
    for (size_t p = 0; p < entry_count(s); p++) {
        double *most = &t->scale[s->row[p]];
        if (fabs(values[p]) > *most) *most = fabs(values[p]);
    }
    for (size_t i = 0; i < s->n; i++)
        if (!(t->scale[i] > 0)) t->scale[i] = 1; /* as KLU has a row of zeros */
    for (size_t k = 0; k < s->n; k++) {
        const int32_t j = t->column[k];
        for (int64_t p = s->column_start[j]; p < s->column_start[j + 1]; p++) {
            t->scaled[p] = values[p] / t->scale[s->row[p]];
            if (s->row[p] == t->row[k]) t->pivot[k] = t->scaled[p];
        }
    }
}

/* As least_pivot_ratio has it. */
static double triangle_ratio(
    const triangle *t, const linear_system *s, size_t *column)
{
    double least = 1;
    for (size_t k = 0; k < s->n; k++) {
        const int32_t j = t->column[k];
        double ratio = fabs(t->pivot[k]), largest = 0;
        if (ratio >= least) continue;
        for (int64_t p = s->column_start[j]; p < s->column_start[j + 1]; p++)
            largest = fmax(largest, fabs(t->scaled[p]));
        ratio = largest > 0 ? ratio / largest : 0;
        if (ratio >= least) continue;
        least = isnan(ratio) ? 0 : ratio;
        *column = (size_t)j;
    }
    return least;
}

static int triangle_sign(const triangle *t, size_t n)
{
    uint8_t *seen = (uint8_t *)t->work;
    int sign = permutation_sign(n, t->row, seen)
        * permutation_sign(n, t->column, seen);
    for (size_t k = 0; k < n; k++)
        if (t->pivot[k] < 0) sign = -sign;
    return sign;
}

static void triangle_solve(triangle *t, const linear_system *s, double *b)
{
    for (size_t i = 0; i < s->n; i++) b[i] /= t->scale[i];
    for (size_t k = 0; k < s->n; k++) {
        const int32_t j = t->column[k];
        const double x = t->work[j] = b[t->row[k]] / t->pivot[k];
        for (int64_t p = s->column_start[j]; p < s->column_start[j + 1]; p++)
            if (s->row[p] != t->row[k]) b[s->row[p]] -= t->scaled[p] * x;
    }
    memcpy(b, t->work, s->n * sizeof *b);
}

/* ---- KLU ---------------------------------------------------------------------- */
static void packed_clear(packed *h, size_t n, const dae_allocator *a)
{
    ARRAY_FREE(a, &h->groups);
    alloc_free(a, h->start, n + 1, sizeof *h->start);
    alloc_free(a, h->row, h->rows, sizeof *h->row);
    alloc_free(a, h->value, h->values, sizeof *h->value);
    alloc_free(a, h->source, h->values, sizeof *h->source);
    *h = (packed){.value = NULL};
}

static void forget_packed(klu *k)
{
    packed_clear(&k->lower, k->s.n, k->s.allocator);
    packed_clear(&k->upper, k->s.n, k->s.allocator);
    k->is_packed = k->is_loose = false;
}

static void klu_release(void *state)
{
    klu *k = state;
    triangle_release(&k->triangle, &k->s);
    forget_packed(k);
    if (k->numeric) klu_free_numeric(&k->numeric, &k->common);
}

static void klu_state_free(void *state)
{
    klu *k = state;
    if (!k) return;
    const dae_allocator *a = k->s.allocator;
    klu_release(k);
    triangle_clear(&k->triangle, &k->s);
    if (k->symbolic) klu_free_symbolic(&k->symbolic, &k->common);
    alloc_free(a, k->start, k->s.n + 1, sizeof *k->start);
    alloc_free(a, k, 1, sizeof *k);
}

static dae_status status_of(const klu_common *c)
{
    switch (c->status) {
    case KLU_OK: return DAE_OK;
    case KLU_OUT_OF_MEMORY: return DAE_MEMORY;
    case KLU_TOO_LARGE: return DAE_LIMIT;
    default: return DAE_NUMERIC;
    }
}

/* KLU takes its arguments as writable and leaves them alone. */
static int *pattern_rows(const klu *k)
{
    return (int *)(uintptr_t)k->s.row;
}

static double *entries(const double *values)
{
    return (double *)(uintptr_t)values;
}

static dae_status analyse(klu *k)
{
    const size_t n = k->s.n;
    k->start = alloc_zeroed(k->s.allocator, n + 1, sizeof *k->start);
    if (!k->start) return DAE_MEMORY;
    for (size_t j = 0; j <= n; j++) k->start[j] = (int)k->s.column_start[j];
    klu_defaults(&k->common);
    k->common.scale = 2; /* rows by their largest entry */
    k->symbolic = klu_analyze((int)n, k->start, pattern_rows(k), &k->common);
    if (k->symbolic) return DAE_OK;
    const dae_status st = status_of(&k->common);
    return st ? st : DAE_MEMORY;
}

static dae_status klu_create(const linear_system *s, void **out)
{
    *out = NULL;
    if (s->n >= INT32_MAX || s->column_start[s->n] >= INT32_MAX)
        return DAE_LIMIT;
    klu *k = alloc_zeroed(s->allocator, 1, sizeof *k);
    if (!k) return DAE_MEMORY;
    k->s = *s;
    k->failed_column = -1;
    dae_status st = triangle_init(&k->triangle, s);
    if (!st && !k->triangle.row) st = analyse(k);
    if (st) {
        klu_state_free(k);
        return st;
    }
    *out = k;
    return DAE_OK;
}

static dae_status factor_fresh(klu *k, const double *values)
{
    klu_release(k);
    k->numeric = klu_factor(
        k->start, pattern_rows(k), entries(values), k->symbolic, &k->common);
    if (!k->numeric) {
        const dae_status st = status_of(&k->common);
        k->failed_column = k->common.singular_col;
        return st ? st : DAE_MEMORY;
    }
    klu_rgrowth(k->start, pattern_rows(k), entries(values), k->symbolic,
        k->numeric, &k->common);
    k->growth = k->common.rgrowth;
    uint8_t *seen = k->numeric->Work; /* as in pivot_ratio */
    k->parity = permutation_sign(k->s.n, k->numeric->Pnum, seen)
        * permutation_sign(k->s.n, k->symbolic->Q, seen);
    return DAE_OK;
}

/* On the old pivots; false if they are no longer suitable. */
static bool refactor(klu *k, const double *values)
{
    const int ok = klu_refactor(k->start, pattern_rows(k), entries(values),
        k->symbolic, k->numeric, &k->common);
    if (!ok || k->common.status != KLU_OK) return false;
    klu_rgrowth(k->start, pattern_rows(k), entries(values), k->symbolic,
        k->numeric, &k->common);
    return k->common.rgrowth > THIRD_OF_DIGITS * k->growth;
}

/* least_pivot_ratio of the last factorization. Pivots in the order of A's columns
 * and scales in that of its rows stand in KLU's work space, of at least 4 n
 * numbers, which holds nothing between its calls. */
static double pivot_ratio(const klu *k, const double *values, size_t *column)
{
    const double *diagonal = k->numeric->Udiag;
    double *pivot = k->numeric->Work, *scale = pivot + k->s.n;
    assert(k->numeric->worksize >= 2 * k->s.n * sizeof *pivot);
    for (size_t p = 0; p < k->s.n; p++) {
        assert(k->numeric->Rs[p] > 0);
        pivot[k->symbolic->Q[p]] = fabs(diagonal[p]);
        scale[k->numeric->Pnum[p]] = 1 / k->numeric->Rs[p];
    }
    return least_pivot_ratio(&k->s, values, scale, pivot, column);
}

static dae_status factor_triangle(klu *k, const double *values)
{
    size_t column = 0;
    triangle *t = &k->triangle;
    const dae_status st = triangle_take(t, &k->s);
    if (st) return st;
    triangle_scale(t, &k->s, values);
    k->rcond = triangle_ratio(t, &k->s, &column);
    if (k->rcond > LU_PIVOT_ZERO) return DAE_OK;
    klu_release(k);
    k->failed_column = (int64_t)column;
    return DAE_NUMERIC;
}

static dae_status klu_factor_values(void *state, const double *values)
{
    klu *k = state;
    dae_status st;
    size_t column = 0;
    k->rcond = 0;
    k->failed_column = -1;
    k->solves = 0;
    k->is_packed = false;
    if (k->s.n == 0) return DAE_OK;
    if (k->triangle.row) return factor_triangle(k, values);
    if (k->numeric && refactor(k, values)) {
        k->rcond = pivot_ratio(k, values, &column);
        if (k->rcond > VALUES_ERROR) return DAE_OK;
    }
    if ((st = factor_fresh(k, values))) return st;
    k->rcond = pivot_ratio(k, values, &column);
    if (k->rcond > LU_PIVOT_ZERO) return DAE_OK;
    k->failed_column = (int64_t)column;
    return DAE_NUMERIC;
}

/* ---- packed factors --------------------------------------------------------------- */

/* Columns of a group. Grids of three unknowns a node have three alike, or more. */
enum { WIDEST = 6 };
/* Columns of a group on the average, with which groups are worth their triangles. */
enum { WIDE = 2 };
/* The solution of one factorization before which its factors are packed for the first
 * time; then at once, which takes as long as half a solution by KLU and saves that. */
enum { PACKED_AT = 2 };

/* Of a block's factor, without the diagonal; rows are those of the block. */
typedef struct column {
    const int *row;
    const double *value;
    int count;
} column;

/* As KLU keeps it: the rows, and behind them, in places of a double, the values. */
static column column_of(const klu *k, bool is_upper, int32_t block, int32_t j)
{
    const klu_numeric *f = k->numeric;
    const int count = (is_upper ? f->Ulen : f->Llen)[j];
    const double *at = f->LUbx[block];
    at += (is_upper ? f->Uip : f->Lip)[j];
    const size_t head = ((size_t)count * sizeof(int) + sizeof *at - 1)
        / sizeof *at;
    return (column){(const int *)at, at + head, count};
}

/* Of the pivots, and behind them of the rows' scales: in KLU's work space behind what a
 * solution takes, from the first one of a factorization on. */
static double *inverses(const klu *k)
{
    assert(k->numeric->worksize >= 3 * k->s.n * sizeof(double));
    return (double *)k->numeric->Work + k->s.n;
}

static void find_inverses(const klu *k)
{
    const klu_numeric *f = k->numeric;
    const double *diagonal = f->Udiag;
    double *of_pivot = inverses(k), *of_row = of_pivot + k->s.n;
    for (size_t i = 0; i < k->s.n; i++) of_pivot[i] = 1 / diagonal[i];
    for (size_t i = 0; i < k->s.n; i++) of_row[i] = 1 / f->Rs[i];
}

/* How many of `most` columns from j on make a group. `mark` (n) holds other numbers than
 * j + 1. */
static int32_t find_width(const klu *k, bool is_upper, int32_t block, int32_t j,
    int32_t most, int32_t *mark)
{
    const int32_t begin = k->symbolic->R[block], step = is_upper ? -1 : 1;
    const column first = column_of(k, is_upper, block, j);
    int32_t width = 1;
    for (int p = 0; p < first.count; p++) mark[begin + first.row[p]] = j + 1;
    for (; width < most && width < WIDEST; width++) {
        const int32_t next = j + width * step;
        const column c = column_of(k, is_upper, block, next);
        bool is_same = mark[next] == j + 1 && c.count == first.count - width;
        for (int p = 0; is_same && p < c.count; p++)
            is_same = mark[begin + c.row[p]] == j + 1;
        if (!is_same) break;
    }
    return width;
}

static size_t entries_of(const group *g)
{
    const size_t width = (size_t)g->width;
    return width * (width - 1) / 2 + width * (size_t)g->rows;
}

/* Where the group's values are; `row`: of those beyond it; `place`: n. */
static void find_sources(const klu *k, bool is_upper, const group *g,
    const int32_t *row, int32_t *place, int32_t *source)
{
    const int32_t begin = k->symbolic->R[g->block], step = is_upper ? -1 : 1;
    int32_t *beyond = source + g->width * (g->width - 1) / 2;
    for (int32_t r = 0; r < g->width; r++) {
        const column c = column_of(k, is_upper, g->block, g->column + r * step);
        const ptrdiff_t first = c.value - (double *)k->numeric->LUbx[g->block];
        for (int p = 0; p < c.count; p++)
            place[begin + c.row[p]] = (int32_t)first + p;
        for (int32_t q = r + 1; q < g->width; q++)
            source[q * (q - 1) / 2 + r] = place[g->column + q * step];
        for (int32_t i = 0; i < g->rows; i++)
            beyond[(ptrdiff_t)i * g->width + r] = place[row[i]];
    }
}

/* false: no memory. */
static bool add_groups(
    const klu *k, bool is_upper, int32_t block, int32_t *mark, packed *h)
{
    const int32_t begin = k->symbolic->R[block], step = is_upper ? -1 : 1;
    int32_t left = k->symbolic->R[block + 1] - begin;
    int32_t j = is_upper ? begin + left - 1 : begin;
    while (left > 0) {
        group g = {.block = block, .column = j};
        g.width = find_width(k, is_upper, block, j, left, mark);
        left -= g.width;
        j += g.width * step;
        g.rows = column_of(k, is_upper, block, j - step).count;
        h->rows += (size_t)g.rows;
        h->values += entries_of(&g);
        if (!ARRAY_PUSH(k->s.allocator, &h->groups, g)) return false;
    }
    return true;
}

static bool find_groups(const klu *k, bool is_upper, int32_t *mark, packed *h)
{
    const int32_t *begin = k->symbolic->R;
    memset(mark, 0, k->s.n * sizeof *mark);
    for (int32_t b = k->symbolic->nblocks; b-- > 0;)
        if (begin[b + 1] - begin[b] > 1 && !add_groups(k, is_upper, b, mark, h))
            return false;
    return WIDE * h->rows <= h->values;
}

/* false: no memory. */
static bool take_values(packed *h, const dae_allocator *a)
{
    h->row = alloc_zeroed(a, h->rows, sizeof *h->row);
    h->source = alloc_zeroed(a, h->values, sizeof *h->source);
    h->value = alloc_zeroed(a, h->values, sizeof *h->value);
    return h->row && h->source && h->value;
}

static void find_rows(const klu *k, bool is_upper, int32_t *place, packed *h)
{
    int32_t *row = h->row, *source = h->source;
    for (size_t i = 0; i < h->groups.count; i++) {
        const group *g = &h->groups.items[i];
        const int32_t beyond = is_upper ? 1 - g->width : g->width - 1;
        const column last = column_of(
            k, is_upper, g->block, g->column + beyond);
        for (int32_t r = 0; r < g->rows; r++)
            row[r] = k->symbolic->R[g->block] + last.row[r];
        find_sources(k, is_upper, g, row, place, source);
        row += g->rows;
        source += entries_of(g);
    }
}

/* `of_row`: by which the values of each row are multiplied; NULL: L's, by nothing. */
static void fill_groups(const klu *k, const packed *h, const double *of_row)
{
    const int32_t *source = h->source, *row = h->row;
    double *v = h->value;
    for (size_t i = 0; i < h->groups.count; i++) {
        const group *g = &h->groups.items[i];
        const double *base = k->numeric->LUbx[g->block];
        for (int32_t q = 1; q < g->width; q++) {
            const double by = of_row ? of_row[g->column - q] : 1;
            for (int32_t r = 0; r < q; r++) *v++ = base[*source++] * by;
        }
        for (int32_t q = 0; q < g->rows; q++) {
            const double by = of_row ? of_row[*row++] : 1;
            for (int32_t r = 0; r < g->width; r++) *v++ = base[*source++] * by;
        }
    }
    assert(v == h->value + h->values);
}

static void count_rows(const klu *k, bool is_upper, int32_t *count)
{
    for (int32_t b = 0; b < k->symbolic->nblocks; b++) {
        const int32_t begin = k->symbolic->R[b], end = k->symbolic->R[b + 1];
        for (int32_t j = begin; end - begin > 1 && j < end; j++) {
            const column c = column_of(k, is_upper, b, j);
            for (int p = 0; p < c.count; p++) count[begin + c.row[p]]++;
        }
    }
}

/* Columns ascend in each row, as L uses them; U does from the last one on. `next`: n,
 * 0. */
static void place_rows(
    const klu *k, bool is_upper, int32_t block, int32_t *next, packed *h)
{
    const int32_t begin = k->symbolic->R[block],
                  end = k->symbolic->R[block + 1];
    const double *base = k->numeric->LUbx[block];
    for (int32_t j = begin; j < end; j++) {
        const column c = column_of(k, is_upper, block, j);
        for (int p = 0; p < c.count; p++) {
            const int32_t row = begin + c.row[p];
            const int32_t at = h->start[row] + next[row]++;
            h->row[at] = j;
            h->source[at] = (int32_t)(c.value - base) + p;
        }
    }
}

/* false: no memory. `room`: n. */
static bool make_rows(const klu *k, bool is_upper, int32_t *room, packed *h)
{
    const dae_allocator *a = k->s.allocator;
    const int32_t blocks = k->symbolic->nblocks, *begin = k->symbolic->R;
    packed_clear(h, k->s.n, a);
    h->start = alloc_zeroed(a, k->s.n + 1, sizeof *h->start);
    if (!h->start) return false;
    count_rows(k, is_upper, h->start + 1);
    for (size_t i = 0; i < k->s.n; i++) h->start[i + 1] += h->start[i];
    h->rows = h->values = (size_t)h->start[k->s.n];
    if (!take_values(h, a)) return false;
    memset(room, 0, k->s.n * sizeof *room);
    for (int32_t b = 0; b < blocks; b++)
        if (begin[b + 1] - begin[b] > 1) place_rows(k, is_upper, b, room, h);
    return true;
}

static void fill(const klu *k, const packed *h, const double *of_row)
{
    const int32_t *begin = k->symbolic->R;
    if (!h->start) {
        fill_groups(k, h, of_row);
        return;
    }
    for (int32_t b = 0; b < k->symbolic->nblocks; b++) {
        const double *base = k->numeric->LUbx[b];
        for (int32_t i = begin[b]; i < begin[b + 1]; i++) {
            const double by = of_row ? of_row[i] : 1;
            for (int32_t p = h->start[i]; p < h->start[i + 1]; p++)
                h->value[p] = base[h->source[p]] * by;
        }
    }
}

/* false: it does not pay, or there is no memory. `room`: n. */
static bool make_groups(klu *k, int32_t *room)
{
    const dae_allocator *a = k->s.allocator;
    const bool is_made = find_groups(k, false, room, &k->lower)
        && find_groups(k, true, room, &k->upper) && take_values(&k->lower, a)
        && take_values(&k->upper, a);
    if (!is_made) return false;
    find_rows(k, false, room, &k->lower);
    find_rows(k, true, room, &k->upper);
    return true;
}

/* false: no memory. */
static bool make_packed(klu *k)
{
    const dae_allocator *a = k->s.allocator;
    int32_t *room = alloc_zeroed(a, k->s.n, sizeof *room);
    const bool is_made = room
        && (make_groups(k, room)
            || (make_rows(k, false, room, &k->lower)
                && make_rows(k, true, room, &k->upper)));
    alloc_free(a, room, k->s.n, sizeof *room);
    return is_made;
}

/* Where there is no memory, solutions go on as before. */
static void pack(klu *k)
{
    if (k->is_loose) return;
    if (!k->lower.value && !make_packed(k)) {
        forget_packed(k);
        k->is_loose = true;
        return;
    }
    fill(k, &k->lower, NULL);
    fill(k, &k->upper, inverses(k));
    k->is_packed = true;
}

/* How far a packed factor has been used. */
typedef struct cursor {
    const group *g;
    const int32_t *row;
    const double *v;
} cursor;

static inline void solve_group(
    const int width, cursor *c, int32_t step, double *restrict x)
{
    const int32_t rows = c->g->rows;
    const int32_t *restrict row = c->row;
    const double *restrict v = c->v;
    double y[WIDEST];
    for (int q = 0; q < width; q++) {
        const int32_t at = c->g->column + q * step;
        y[q] = x[at];
        for (int r = 0; r < q; r++) y[q] -= *v++ * y[r];
        x[at] = y[q];
    }
    for (int32_t i = 0; i < rows; i++, v += width) {
        double rest = x[row[i]];
        for (int q = 0; q < width; q++) rest -= v[q] * y[q];
        x[row[i]] = rest;
    }
    *c = (cursor){c->g + 1, row + rows, v};
}

/* `step`: 1 for L, -1 for U. */
static void solve_groups(int32_t columns, cursor *c, int32_t step, double *x)
{
    while (columns > 0) {
        const int32_t width = c->g->width;
        switch (width) {
        case 1: solve_group(1, c, step, x); break;
        case 2: solve_group(2, c, step, x); break;
        case 3: solve_group(3, c, step, x); break;
        case 4: solve_group(4, c, step, x); break;
        case 5: solve_group(5, c, step, x); break;
        default: solve_group(WIDEST, c, step, x); break;
        }
        columns -= width;
    }
}

/* rest - v x, of `count` entries from p on, one after the other in the direction of `step`,
 * 1 or -1. */
static inline double less_products(double rest, const packed *h, ptrdiff_t p,
    int32_t count, const int step, const double *restrict x)
{
    const double *v = h->value;
    const int32_t *of = h->row;
    for (; count >= 4; count -= 4, p += 4 * step) {
        rest -= v[p] * x[of[p]];
        rest -= v[p + step] * x[of[p + step]];
        rest -= v[p + 2 * step] * x[of[p + 2 * step]];
        rest -= v[p + 3 * step] * x[of[p + 3 * step]];
    }
    for (; count > 0; count--, p += step) rest -= v[p] * x[of[p]];
    return rest;
}

/* The unknown just found is the last of its row, if it is there: it is taken from its
 * register, as in a chain each waits for the one before, and would wait for memory as
 * well. */
static void solve_lower(
    const packed *h, int32_t begin, int32_t end, double *restrict x)
{
    const int32_t *of = h->row;
    double last = 0;
    for (int32_t i = begin; i < end; i++) {
        const int32_t from = h->start[i], to = h->start[i + 1] - 1;
        double rest = less_products(x[i], h, from, to - from, 1, x);
        if (from <= to)
            rest -= h->value[to] * (of[to] < i - 1 ? x[of[to]] : last);
        x[i] = last = rest;
    }
}

/* `by`: of the pivots, their inverses. */
static void solve_upper(const packed *h, int32_t begin, int32_t end,
    const double *restrict by, double *restrict x)
{
    const int32_t *of = h->row;
    double last = 0;
    for (int32_t i = end; i-- > begin;) {
        const int32_t from = h->start[i + 1] - 1, to = h->start[i];
        double rest = less_products(x[i] * by[i], h, from, from - to, -1, x);
        if (from >= to)
            rest -= h->value[to] * (of[to] > i + 1 ? x[of[to]] : last);
        x[i] = last = rest;
    }
}

/* What stands above a block of columns. */
static void take_above(
    const klu_numeric *f, int32_t begin, int32_t end, double *x)
{
    const double *value = f->Offx;
    for (int32_t j = begin; j < end; j++)
        for (int p = f->Offp[j]; p < f->Offp[j + 1]; p++)
            x[f->Offi[p]] -= value[p] * x[j];
}

/* Column by column, as KLU has them. */
static void solve_columns(const klu *k, int32_t block, double *x)
{
    const int32_t begin = k->symbolic->R[block];
    const int32_t columns = k->symbolic->R[block + 1] - begin;
    const double *by = inverses(k) + begin;
    x += begin;
    for (int32_t j = 0; j < columns; j++) {
        const column c = column_of(k, false, block, begin + j);
        for (int p = 0; p < c.count; p++) x[c.row[p]] -= c.value[p] * x[j];
    }
    for (int32_t i = 0; i < columns; i++) x[i] *= by[i];
    for (int32_t j = columns; j-- > 0;) {
        const column c = column_of(k, true, block, begin + j);
        for (int p = 0; p < c.count; p++)
            x[c.row[p]] -= c.value[p] * by[c.row[p]] * x[j];
    }
}

/* L, the pivots and U over its pivots: an unknown of U waits for no division. */
static void solve_factors(klu *k, double *b)
{
    const klu_numeric *f = k->numeric;
    const klu_symbolic *s = k->symbolic;
    const double *by = inverses(k), *scale = by + k->s.n;
    double *x = f->Work;
    cursor lower = {k->lower.groups.items, k->lower.row, k->lower.value};
    cursor upper = {k->upper.groups.items, k->upper.row, k->upper.value};
    for (size_t i = 0; i < k->s.n; i++) x[i] = b[f->Pnum[i]] * scale[i];
    for (int32_t block = s->nblocks; block-- > 0;) {
        const int32_t begin = s->R[block], end = s->R[block + 1];
        if (end - begin == 1) x[begin] *= by[begin];
        else if (!k->is_packed) solve_columns(k, block, x);
        else if (k->lower.start) {
            solve_lower(&k->lower, begin, end, x);
            solve_upper(&k->upper, begin, end, by, x);
        } else {
            solve_groups(end - begin, &lower, 1, x);
            for (int32_t i = begin; i < end; i++) x[i] *= by[i];
            solve_groups(end - begin, &upper, -1, x);
        }
        if (block > 0) take_above(f, begin, end, x);
    }
    for (size_t i = 0; i < k->s.n; i++) b[s->Q[i]] = x[i];
}

static dae_status klu_solve_vector(void *state, double *b)
{
    klu *k = state;
    if (k->s.n == 0) return DAE_OK;
    if (k->triangle.scale) triangle_solve(&k->triangle, &k->s, b);
    if (k->triangle.scale) return DAE_OK;
    if (!k->numeric) return DAE_NUMERIC;
    if (k->solves++ == 0) find_inverses(k);
    if (!k->is_packed && (k->lower.value || k->solves >= PACKED_AT)) pack(k);
    solve_factors(k, b);
    return DAE_OK;
}

static int64_t klu_fill(const void *state)
{
    const klu *k = state;
    if (k->triangle.scale) return k->s.column_start[k->s.n];
    if (!k->numeric) return 0;
    return (int64_t)k->numeric->lnz + k->numeric->unz + k->numeric->nzoff
        - k->numeric->n;
}

static double klu_state_rcond(const void *state)
{
    const klu *k = state;
    return k->rcond;
}

static int klu_sign(const void *state)
{
    const klu *k = state;
    if (k->s.n == 0) return 1;
    if (k->triangle.scale) return triangle_sign(&k->triangle, k->s.n);
    if (!k->numeric) return 0;
    const double *diagonal = k->numeric->Udiag;
    int sign = k->parity;
    for (size_t p = 0; p < k->s.n; p++)
        if (diagonal[p] < 0) sign = -sign;
    return sign;
}

void klu_estimate(const void *state, double *flops, double *lu)
{
    const klu *k = state;
    *flops = 0;
    *lu = (double)(k->s.n + entry_count(&k->s));
    if (k->triangle.row) return;
    *flops = k->symbolic->est_flops;
    *lu = k->symbolic->lnz + k->symbolic->unz + (double)k->symbolic->nzoff;
}

int64_t klu_failed_column(const void *state)
{
    const klu *k = state;
    return k->failed_column;
}

const linear_backend klu_backend = {"klu", DAE_LINEAR_KLU, klu_create,
    klu_state_free, klu_factor_values, klu_release, klu_solve_vector, klu_fill,
    klu_state_rcond, klu_sign, NULL};
