/* Row by row (IKJ): a row is scattered over n places, the rows above are taken from it
 * where they have entries in its pattern, and it is gathered again. */
#include "linalg/incomplete.h"
#include "graph/transpose.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- the order ----------------------------------------------------------------- */

/* A row is one level below the last of those it is connected with, by its entries or
 * by its column's, so that no level holds two neighbours. Levels ascend, and rows in
 * a level. */
static void find_levels(
    const linear_system *s, const transposed *t, int32_t *level, int32_t *count)
{
    *count = 0;
    for (size_t i = 0; i < s->n; i++) {
        int32_t own = 0;
        for (int64_t p = t->start[i]; p < t->start[i + 1]; p++) {
            const size_t j = (size_t)t->index[p];
            if (j < i && level[j] >= own) own = level[j] + 1;
        }
        for (int64_t p = s->column_start[i]; p < s->column_start[i + 1]; p++) {
            const size_t j = (size_t)s->row[p];
            if (j < i && level[j] >= own) own = level[j] + 1;
        }
        level[i] = own;
        if (own >= *count) *count = own + 1;
    }
}

/* new[i] of each row; `start`: one more than there are levels. */
static void number_rows(const incomplete *f, const int32_t *level,
    int32_t levels, int32_t *start, int32_t *new)
{
    for (size_t i = 0; i < f->n; i++) start[level[i] + 1]++;
    for (int32_t l = 0; l < levels; l++) start[l + 1] += start[l];
    for (size_t i = 0; i < f->n; i++) {
        new[i] = start[level[i]]++;
        f->old[new[i]] = (int32_t)i;
    }
}

/* Rows come renumbered in turn, and their entries into columns' order by insertion:
 * they are few and nearly in order. */
static void copy_rows(incomplete *f, const transposed *t, const int32_t *new)
{
    sparse_rows *a = &f->matrix;
    int32_t end = 0;
    for (size_t r = 0; r < f->n; r++) {
        const int32_t i = f->old[r], begin = end;
        for (int64_t p = t->start[i]; p < t->start[i + 1]; p++) {
            const int32_t column = new[t->index[p]];
            int32_t at = end++;
            for (; at > begin && a->column[at - 1] > column; at--) {
                a->column[at] = a->column[at - 1];
                f->from[at] = f->from[at - 1];
            }
            a->column[at] = column;
            f->from[at] = (int32_t)t->entry[p];
        }
        a->start[r + 1] = end;
    }
}

static dae_status order_rows(
    incomplete *f, const linear_system *s, const transposed *t)
{
    arena *a = &f->memory;
    const arena_position before = arena_mark(a);
    int32_t *level = ARENA_ARRAY(a, int32_t, f->n);
    int32_t *new = ARENA_ARRAY(a, int32_t, f->n);
    int32_t *start = ARENA_ARRAY(a, int32_t, f->n + 1);
    int32_t levels;
    if (!level || !new || !start) return DAE_MEMORY;
    find_levels(s, t, level, &levels);
    number_rows(f, level, levels, start, new);
    copy_rows(f, t, new);
    arena_release(a, before);
    return DAE_OK;
}

/* ---- the pattern of the factors ------------------------------------------------ */

enum { NOWHERE = -1 };

/* The columns of one row as a list that ascends, each with its level of fill. */
typedef struct row_list {
    int32_t *next;  /* n + 1: after column c; at n: the first; n: the end */
    uint8_t *level; /* n */
    uint8_t *has;   /* n */
} row_list;

/* Entries so far, with their levels. */
typedef struct growing {
    ARRAY(int32_t) column;
    ARRAY(uint8_t) level;
} growing;

static void insert(row_list *w, int32_t behind, int32_t column, int level)
{
    while (w->next[behind] < column) behind = w->next[behind];
    w->next[column] = w->next[behind];
    w->next[behind] = column;
    w->has[column] = 1;
    w->level[column] = (uint8_t)level;
}

static void load_row(const incomplete *f, size_t r, row_list *w)
{
    const sparse_rows *a = &f->matrix;
    const int32_t end = (int32_t)f->n;
    int32_t last = end;
    w->next[end] = end;
    for (int32_t p = a->start[r]; p < a->start[r + 1]; p++) {
        insert(w, last, a->column[p], 0);
        last = a->column[p];
    }
}

/* What the row above with the diagonal at `column` fills in. */
static void fill_row(const incomplete *f, const growing *g, int most,
    int32_t column, row_list *w)
{
    int32_t last = column;
    const int32_t end = f->factors.start[column + 1];
    for (int32_t q = f->upper[column] + 1; q < end; q++) {
        const int32_t at = g->column.items[q];
        const int level = w->level[column] + g->level.items[q] + 1;
        if (w->has[at]) {
            if (level < w->level[at]) w->level[at] = (uint8_t)level;
        } else if (level <= most) {
            insert(w, last, at, level);
            last = at;
        }
    }
}

static bool store_row(incomplete *f, size_t r, row_list *w, growing *g)
{
    const dae_allocator *a = f->memory.allocator;
    const int32_t end = (int32_t)f->n;
    for (int32_t c = w->next[end]; c != end; c = w->next[c]) {
        w->has[c] = 0;
        if (c == (int32_t)r) f->upper[r] = (int32_t)g->column.count;
        if (!ARRAY_PUSH(a, &g->column, c)
            || !ARRAY_PUSH(a, &g->level, w->level[c]))
            return false;
    }
    f->factors.start[r + 1] = (int32_t)g->column.count;
    return true;
}

static dae_status find_rows(incomplete *f, int most, row_list *w, growing *g)
{
    for (size_t r = 0; r < f->n; r++) {
        load_row(f, r, w);
        for (int32_t c = w->next[f->n]; c < (int32_t)r; c = w->next[c])
            if (w->level[c] < most) fill_row(f, g, most, c, w);
        if (!store_row(f, r, w, g)) return DAE_MEMORY;
        if (g->column.count >= INT32_MAX - f->n) return DAE_LIMIT;
    }
    return DAE_OK;
}

static dae_status find_pattern(incomplete *f, int level)
{
    const dae_allocator *a = f->memory.allocator;
    const size_t n = f->n;
    growing g = {{0}, {0}};
    row_list w = {.next = alloc_zeroed(a, n + 1, sizeof *w.next),
        .level = alloc_zeroed(a, n, sizeof *w.level),
        .has = alloc_zeroed(a, n, sizeof *w.has)};
    dae_status st = DAE_MEMORY;
    f->factors.start = ARENA_ARRAY(&f->memory, int32_t, n + 1);
    if (f->factors.start && w.next && w.level && w.has)
        st = find_rows(f, level, &w, &g);
    if (!st) {
        f->factors.column = ARENA_ARRAY(&f->memory, int32_t, g.column.count);
        if (!f->factors.column) st = DAE_MEMORY;
        else
            memcpy(f->factors.column, g.column.items,
                g.column.count * sizeof *f->factors.column);
    }
    ARRAY_FREE(a, &g.column);
    ARRAY_FREE(a, &g.level);
    alloc_free(a, w.next, n + 1, sizeof *w.next);
    alloc_free(a, w.level, n, sizeof *w.level);
    alloc_free(a, w.has, n, sizeof *w.has);
    return st;
}

/* That of A. */
static void share_pattern(incomplete *f)
{
    f->factors.start = f->matrix.start;
    f->factors.column = f->matrix.column;
    for (size_t r = 0; r < f->n; r++) {
        int32_t p = f->matrix.start[r];
        while (f->matrix.column[p] < (int32_t)r) p++;
        f->upper[r] = p;
    }
}

/* Whether what the row above with the diagonal at `column` takes from row r, the pattern of
 * which has its places, has any beside r's diagonal. */
static bool meets_row(const incomplete *f, int32_t r, int32_t column)
{
    const sparse_rows *a = &f->matrix;
    for (int32_t q = f->upper[column] + 1; q < a->start[column + 1]; q++)
        if (a->column[q] != r && f->place[a->column[q]] == r) return true;
    return false;
}

/* Of rows with A's pattern. */
static bool find_bare(const incomplete *f)
{
    const sparse_rows *a = &f->matrix;
    for (size_t r = 0; r < f->n; r++) f->place[r] = NOWHERE;
    for (int32_t r = 0; r < (int32_t)f->n; r++) {
        for (int32_t p = a->start[r]; p < a->start[r + 1]; p++)
            f->place[a->column[p]] = r;
        for (int32_t p = a->start[r]; p < f->upper[r]; p++)
            if (meets_row(f, r, a->column[p])) return false;
    }
    return true;
}

/* From the places of diagonals in the pattern to those of U's rows in the values. */
static void place_upper(incomplete *f)
{
    const int32_t *start = f->factors.start;
    int32_t at = 0;
    for (size_t r = 0; r < f->n; r++) at += f->upper[r] - start[r];
    for (size_t r = 0; r < f->n; r++) {
        const int32_t count = start[r + 1] - f->upper[r];
        f->upper[r] = at;
        at += count;
    }
    f->upper[f->n] = at;
    assert(at == start[f->n]);
}

/* The rows of L, then those of U: `each` has a number for each entry of A. `room`: for
 * as many. */
static void split_rows(const incomplete *f, int32_t *each, int32_t *room)
{
    const int32_t *start = f->matrix.start, *upper = f->upper;
    memcpy(room, each, (size_t)start[f->n] * sizeof *each);
    int32_t *lower = each;
    for (size_t r = 0; r < f->n; r++) {
        const size_t above = (size_t)(upper[r + 1] - upper[r]);
        const size_t below = (size_t)(start[r + 1] - start[r]) - above;
        memcpy(lower, room + start[r], below * sizeof *each);
        memcpy(each + upper[r], room + start[r] + below, above * sizeof *each);
        lower += below;
    }
}

/* ---- making it ------------------------------------------------------------------- */

static dae_status take_matrix(incomplete *f, const linear_system *s)
{
    arena *a = &f->memory;
    const size_t n = f->n, entries = (size_t)s->column_start[n];
    transposed t = {0};
    f->old = ARENA_ARRAY(a, int32_t, n);
    f->matrix.start = ARENA_ARRAY(a, int32_t, n + 1);
    f->matrix.column = ARENA_ARRAY(a, int32_t, entries);
    f->matrix.value = ARENA_ARRAY(a, double, entries);
    f->from = ARENA_ARRAY(a, int32_t, entries);
    if (!f->old || !f->matrix.start || !f->matrix.column || !f->matrix.value
        || !f->from)
        return DAE_MEMORY;
    dae_status st = transpose_pattern(
        n, n, s->column_start, s->row, s->allocator, &t);
    if (!st) st = order_rows(f, s, &t);
    transpose_clear(&t);
    return st;
}

static dae_status take_bare(incomplete *f)
{
    int32_t *room = (void *)f->matrix.value; /* not in use yet */
    split_rows(f, f->matrix.column, room);
    split_rows(f, f->from, room);
    f->factors.value = f->matrix.value;
    f->inverse = ARENA_ARRAY(&f->memory, double, f->n);
    return f->inverse ? DAE_OK : DAE_MEMORY;
}

/* Once the pattern of A is no longer held twice. */
static dae_status take_factors(incomplete *f, int level)
{
    arena *a = &f->memory;
    dae_status st = DAE_OK;
    f->upper = ARENA_ARRAY(a, int32_t, f->n + 1);
    f->place = ARENA_ARRAY(a, int32_t, f->n);
    if (!f->upper || !f->place) return DAE_MEMORY;
    if (level > 0) st = find_pattern(f, level);
    else share_pattern(f);
    if (st) return st;
    f->is_bare = level == 0 && find_bare(f);
    place_upper(f);
    if (f->is_bare) return take_bare(f);
    f->factors.value = ARENA_ARRAY(a, double, (size_t)f->factors.start[f->n]);
    return f->factors.value ? DAE_OK : DAE_MEMORY;
}

dae_status incomplete_check(const linear_system *s)
{
    if (s->n >= INT32_MAX || s->column_start[s->n] >= INT32_MAX)
        return DAE_LIMIT;
    for (size_t j = 0; j < s->n; j++) {
        int64_t p = s->column_start[j];
        while (p < s->column_start[j + 1] && s->row[p] != (int32_t)j) p++;
        if (p == s->column_start[j + 1]) return DAE_UNSUPPORTED;
    }
    return DAE_OK;
}

dae_status incomplete_init(incomplete *f, const linear_system *s, int level)
{
    *f = (incomplete){.n = s->n};
    assert(level >= 0 && level < UINT8_MAX / 2);
    assert(!incomplete_check(s));
    arena_init(&f->memory, alloc_or_default(s->allocator), 0);
    dae_status st = take_matrix(f, s);
    if (!st) st = take_factors(f, level);
    if (st) incomplete_clear(f);
    return st;
}

void incomplete_clear(incomplete *f)
{
    if (!f->memory.allocator) return;
    arena_clear(&f->memory);
    *f = (incomplete){.n = 0};
}

/* A row of L or of U, U's with its pivot first. */
typedef struct part {
    const int32_t *column;
    double *value;
    int32_t count;
} part;

static part upper_of(const incomplete *f, size_t r)
{
    const sparse_rows *u = &f->factors;
    const int32_t count = f->upper[r + 1] - f->upper[r];
    const int32_t at = f->is_bare ? f->upper[r] : u->start[r + 1] - count;
    return (part){u->column + at, u->value + f->upper[r], count};
}

static part lower_of(const incomplete *f, size_t r)
{
    const sparse_rows *l = &f->factors;
    const int32_t all = l->start[r + 1] - l->start[r];
    const int32_t before = l->start[r] - (f->upper[r] - f->upper[0]);
    const int32_t at = f->is_bare ? before : l->start[r];
    return (part){l->column + at, l->value + before,
        all - (f->upper[r + 1] - f->upper[r])};
}

/* ---- numbers --------------------------------------------------------------------- */

/* A row that is an M-matrix's but for so small a part of its diagonal keeps its sum: what
 * is dropped from it then has one sign, but for as much. Measured: reactions with diffusion stay
 * below; with 3 parts springs, which are above, take twice the iterations. */
enum { SAME_PARTS = 10 };
/* The part of a pivot that is left at least: the sum of a row of a Laplacian is 0 and its
 * pivot falls to a part of about h, no further. */
enum { PIVOT_PARTS = 100 };

/* Entries beside the diagonal, over it, beyond which they are of unknowns of other kinds:
 * of one kind they are 1 at most, and reactions take no more from the diagonal than half.
 * A sum over kinds has no meaning: without it a food web of 10^4 unknowns takes 150 steps
 * for 387 (exact solutions: 35). */
enum { OTHER_PARTS = 2 };

/* What stands beside the diagonal in a part of a row, by its sign. */
static void add_sizes(part p, int32_t r, double diagonal, double *sizes)
{
    for (int32_t k = 0; k < p.count; k++)
        if (p.column[k] != r)
            sizes[(p.value[k] > 0) == (diagonal > 0)] += fabs(p.value[k]);
}

/* Row r of A in two parts, in order; a row that is not split is the first. */
static void parts_of_row(const incomplete *f, int32_t r, part *p)
{
    const sparse_rows *a = &f->matrix;
    const int32_t at = a->start[r];
    p[0] = (part){a->column + at, a->value + at, a->start[r + 1] - at};
    p[1] = (part){NULL, NULL, 0};
    if (!f->is_bare) return;
    p[0] = lower_of(f, (size_t)r);
    p[1] = upper_of(f, (size_t)r);
}

/* Like a row of an M-matrix, whose diagonal is given: but for little, entries beside it
 * have the other sign, and are together not much larger. */
static bool is_m_row(const incomplete *f, int32_t r, double diagonal)
{
    part p[2];
    double sizes[2] = {0, 0};
    parts_of_row(f, r, p);
    for (int k = 0; k < 2; k++) add_sizes(p[k], r, diagonal, sizes);
    return sizes[1] * SAME_PARTS <= fabs(diagonal)
        && sizes[0] <= OTHER_PARTS * fabs(diagonal);
}

/* The pattern of row r at 0, and A's values there. */
static void scatter(incomplete *f, int32_t r, double *row)
{
    const sparse_rows *a = &f->matrix, *u = &f->factors;
    for (int32_t p = u->start[r]; p < u->start[r + 1]; p++) {
        f->place[u->column[p]] = r;
        row[u->column[p]] = 0;
    }
    for (int32_t p = a->start[r]; p < a->start[r + 1]; p++)
        row[a->column[p]] = a->value[p];
}

/* Takes the rows above from row r; returns the sum of what has no place. */
static double take_rows_above(incomplete *f, int32_t r, double *restrict row)
{
    const part l = lower_of(f, (size_t)r);
    double dropped = 0;
    for (int32_t p = 0; p < l.count; p++) {
        const part u = upper_of(f, (size_t)l.column[p]);
        const double factor = row[l.column[p]] * u.value[0];
        l.value[p] = factor;
        for (int32_t q = 1; q < u.count; q++) {
            const double product = factor * u.value[q];
            if (f->place[u.column[q]] == r) row[u.column[q]] -= product;
            else dropped += product;
        }
    }
    return dropped;
}

/* The pivot, from which what has no place is taken where the row is to keep its sum. */
static double keep_sum(const incomplete *f, int32_t r, double diagonal,
    double pivot, double dropped)
{
    const bool is_less = (dropped > 0) == (pivot > 0);
    const bool is_left = PIVOT_PARTS * fabs(pivot - dropped) >= fabs(pivot);
    if (is_less && fabs(dropped) < fabs(pivot) && is_left
        && is_m_row(f, r, diagonal))
        return pivot - dropped;
    return pivot;
}

static bool factor_row(incomplete *f, int32_t r, double *row)
{
    const part u = upper_of(f, (size_t)r);
    scatter(f, r, row);
    const double diagonal = row[r];
    const double dropped = take_rows_above(f, r, row);
    const double pivot = keep_sum(f, r, diagonal, row[r], dropped);
    const double inverse = u.value[0] = 1 / pivot;
    for (int32_t p = 1; p < u.count; p++) u.value[p] = row[u.column[p]];
    return isfinite(inverse) && isfinite(pivot);
}

static bool factor_bare_row(incomplete *f, int32_t r)
{
    const part l = lower_of(f, (size_t)r);
    const double diagonal = upper_of(f, (size_t)r).value[0];
    double left = diagonal, dropped = 0;
    for (int32_t p = 0; p < l.count; p++) {
        const part u = upper_of(f, (size_t)l.column[p]);
        const double factor = l.value[p] * f->inverse[l.column[p]];
        for (int32_t q = 1; q < u.count; q++) {
            const double product = factor * u.value[q];
            if (u.column[q] == r) left -= product;
            else dropped += product;
        }
    }
    const double pivot = keep_sum(f, r, diagonal, left, dropped);
    f->inverse[r] = 1 / pivot;
    return isfinite(f->inverse[r]) && isfinite(pivot);
}

bool incomplete_factor(incomplete *f, const double *values, double *room)
{
    const size_t n = f->n;
    for (int32_t p = 0; p < f->matrix.start[n]; p++)
        f->matrix.value[p] = values[f->from[p]];
    for (size_t r = 0; r < n; r++) f->place[r] = NOWHERE;
    for (int32_t r = 0; r < (int32_t)n; r++)
        if (!(f->is_bare ? factor_bare_row(f, r) : factor_row(f, r, room)))
            return false;
    return true;
}

/* ---- solutions ------------------------------------------------------------------- */

/* sum - the part's product with x. */
static inline double less(double sum, part p, int32_t from, const double *x)
{
    for (int32_t k = from; k < p.count; k++) sum -= p.value[k] * x[p.column[k]];
    return sum;
}

static void solve_upper(const incomplete *f, double *restrict b)
{
    for (size_t r = f->n; r-- > 0;) {
        const part u = upper_of(f, r);
        b[r] = less(b[r], u, 1, b) * u.value[0];
    }
}

/* Bare, where rows follow each other: the end of what is below the diagonal in row r. */
static inline size_t lower_end(const incomplete *f, size_t r)
{
    return (size_t)(f->matrix.start[r + 1] - f->upper[r + 1] + f->upper[0]);
}

/* b becomes D^-1 L^-1 b, with U = D + what is above. */
static void solve_bare_lower(const incomplete *f, double *restrict b)
{
    const double *value = f->matrix.value;
    const int32_t *column = f->matrix.column;
    size_t lower = 0;
    for (size_t r = 0; r < f->n; r++) {
        double sum = b[r];
        for (const size_t end = lower_end(f, r); lower < end; lower++)
            sum -= value[lower] * b[column[lower]];
        b[r] = sum * f->inverse[r];
    }
}

/* b, which has D^-1 of it, becomes U^-1 b. */
static void solve_bare_upper(const incomplete *f, double *restrict b)
{
    const double *value = f->matrix.value;
    const int32_t *column = f->matrix.column, *upper = f->upper;
    for (size_t r = f->n; r-- > 0;) {
        double sum = 0;
        for (size_t p = (size_t)upper[r] + 1; p < (size_t)upper[r + 1]; p++)
            sum += value[p] * b[column[p]];
        b[r] -= sum * f->inverse[r];
    }
}

void incomplete_solve(const incomplete *f, double *b)
{
    if (f->is_bare) {
        solve_bare_lower(f, b);
        solve_bare_upper(f, b);
        return;
    }
    for (size_t r = 0; r < f->n; r++) b[r] = less(b[r], lower_of(f, r), 0, b);
    solve_upper(f, b);
}

/* Row r of A x less what L takes off it, the same entries times what is above in y
 * [Eis81]: y becomes D^-1 L^-1 A x. */
static void apply_bare(
    const incomplete *f, const double *restrict x, double *restrict y)
{
    const double *value = f->matrix.value;
    const int32_t *column = f->matrix.column;
    size_t lower = 0, upper = (size_t)f->upper[0];
    for (size_t r = 0; r < f->n; r++) {
        const size_t below = lower_end(f, r), end = (size_t)f->upper[r + 1];
        double sum = 0;
        for (; lower < below; lower++)
            sum += value[lower] * (x[column[lower]] - y[column[lower]]);
        for (; upper < end; upper++) sum += value[upper] * x[column[upper]];
        y[r] = sum * f->inverse[r];
    }
    solve_bare_upper(f, y);
}

/* In one pass over the rows of A and of L: large ones are read from memory. */
void incomplete_apply(
    const incomplete *f, const double *restrict x, double *restrict y)
{
    const sparse_rows *a = &f->matrix;
    if (f->is_bare) {
        apply_bare(f, x, y);
        return;
    }
    for (size_t r = 0; r < f->n; r++) {
        double sum = 0;
        for (int32_t p = a->start[r]; p < a->start[r + 1]; p++)
            sum += a->value[p] * x[a->column[p]];
        y[r] = less(sum, lower_of(f, r), 0, y);
    }
    solve_upper(f, y);
}

int64_t incomplete_fill(const incomplete *f)
{
    return f->factors.start[f->n];
}
