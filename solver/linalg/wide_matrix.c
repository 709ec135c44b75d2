/* Small matrices: the rows are kept as the pivots' rows in terms of all columns, so
 * an exchange is one elimination more. Large ones: right-looking elimination with rows
 * that grow; rows wait in a queue by what their pivot would fill. */
#include "linalg/wide_matrix.h"
#include "base/arena.h"
#include "graph/heap.h"
#include "graph/transpose.h"
#include "linalg/gauss_jordan.h"
#include "linalg/linear.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <string.h>

void wide_scale_rows(wide_entry *entry, size_t count, size_t rows, double *row)
{
    for (size_t i = 0; i < rows; i++) row[i] = 0;
    for (size_t k = 0; k < count; k++) {
        double *most = &row[entry[k].row];
        *most = fmax(*most, fabs(entry[k].value));
    }
    for (size_t k = 0; k < count; k++) {
        const double size = row[entry[k].row];
        if (size > 0 && isfinite(size)) entry[k].value /= size;
    }
}

/* ---- exchange ---------------------------------------------------------------------- */

/* Up to so many entries are on the stack. */
enum { FEW = 16 };

typedef struct dense {
    size_t rows, columns;
    double *g; /* by rows */
    double zero;
    const uint8_t *is_allowed;
    uint8_t *is_pivot; /* columns */
    uint8_t *is_done;  /* rows: have a pivot */
    int32_t *pivot;    /* rows; -1: none yet */
} dense;

/* Makes column j stand for row i. */
static void eliminate(dense *s, size_t i, size_t j)
{
    assert(i < s->rows && j < s->columns && !s->is_pivot[j]);
    jordan_eliminate(s->g, s->rows, s->columns, i, j, NULL);
    if (s->pivot[i] >= 0) s->is_pivot[s->pivot[i]] = 0;
    s->pivot[i] = (int32_t)j;
    s->is_pivot[j] = 1;
}

/* The largest entry outside the pivot columns, of rows without a pivot or of
 * those that have one. */
static double largest(const dense *s, bool of_done, size_t *i, size_t *j)
{
    double most = 0;
    for (size_t r = 0; r < s->rows; r++) {
        if ((s->pivot[r] >= 0) != of_done) continue;
        const double *row = s->g + r * s->columns;
        for (size_t k = 0; k < s->columns; k++) {
            if (s->is_pivot[k] || !(fabs(row[k]) > most)) continue;
            most = fabs(row[k]), *i = r, *j = k;
        }
    }
    return most;
}

/* If only some columns are allowed: takes these in their order, with a row for each. */
static size_t take_pivots(dense *s)
{
    const size_t n = s->columns;
    size_t found = 0;
    double first = 0;
    for (size_t j = 0; j < n; j++) {
        if (!s->is_allowed[j]) continue;
        const size_t i = jordan_row(s->g, s->rows, n, j, s->is_done);
        if (i == s->rows) continue;
        const double size = fabs(s->g[i * n + j]);
        first = fmax(first, size);
        if (!(size > s->zero * first)) continue;
        s->is_done[i] = 1;
        eliminate(s, i, j);
        found++;
    }
    return found;
}

static size_t find_pivots(dense *s)
{
    size_t i = 0, j = 0;
    double first = 0;
    for (size_t done = 0; done < s->rows; done++) {
        const double size = largest(s, false, &i, &j);
        if (done == 0) first = size;
        if (!(size > s->zero * first)) return done;
        eliminate(s, i, j);
    }
    return s->rows;
}

static void exchange(dense *s)
{
    size_t i = 0, j = 0;
    /* each exchange enlarges the determinant, so none comes again */
    for (size_t k = 0;
         k < 4 * s->columns && largest(s, true, &i, &j) > 1 + DIGIT / 2; k++)
        eliminate(s, i, j);
}

/* In the order of the pivots' columns, independent of their rows. */
static void give_entries(const dense *s, const wide_matrix *m)
{
    for (size_t j = 0; j < s->columns; j++)
        for (size_t r = 0; s->is_pivot[j] && r < s->rows; r++) {
            if (s->pivot[r] != (int32_t)j) continue;
            for (size_t k = 0; k < s->columns; k++)
                if (!s->is_pivot[k]) m->take(m->to, s->g[r * s->columns + k]);
        }
}

static double solve(dense *s, const wide_matrix *m, size_t *found)
{
    size_t i = 0, j = 0;
    for (size_t k = 0; k < m->count; k++)
        s->g[(size_t)m->entry[k].row * m->columns
            + (size_t)m->entry[k].column] += m->entry[k].value;
    memset(s->pivot, 0xff, m->rows * sizeof *s->pivot);
    *found = s->is_allowed ? take_pivots(s) : find_pivots(s);
    if (*found < m->rows) return HUGE_VAL;
    if (!s->is_allowed) exchange(s);
    if (m->take) give_entries(s, m);
    return largest(s, true, &i, &j);
}

dae_status exchange_wide(const wide_matrix *m, const dae_allocator *allocator,
    int32_t *pivot, double *leverage, size_t *lost, size_t *rank)
{
    const dae_allocator *a = alloc_or_default(allocator);
    dense s = {.rows = m->rows,
        .columns = m->columns,
        .zero = m->zero,
        .is_allowed = m->is_allowed,
        .pivot = pivot};
    double few[FEW] = {0};
    uint8_t some[2 * FEW] = {0};
    size_t room, found;
    if (!size_mul(m->rows, m->columns, &room)) return DAE_LIMIT;
    const size_t flags = m->columns + m->rows;
    const bool is_few = room <= FEW && flags <= 2 * FEW;
    s.g = is_few ? few : alloc_zeroed(a, room, sizeof *s.g);
    s.is_pivot = is_few ? some : alloc_zeroed(a, flags, 1);
    const bool has_memory = s.g && s.is_pivot;
    if (has_memory) {
        s.is_done = s.is_pivot + m->columns;
        *leverage = fmax(*leverage, solve(&s, m, &found));
        if (lost) *lost = SIZE_MAX;
        if (rank) *rank = found;
        for (size_t r = 0; lost && found < m->rows && r < m->rows; r++)
            if (pivot[r] < 0 && *lost == SIZE_MAX) *lost = r;
    }
    if (!is_few) {
        alloc_free(a, s.g, room, sizeof *s.g);
        alloc_free(a, s.is_pivot, flags, 1);
    }
    return has_memory ? DAE_OK : DAE_MEMORY;
}

/* ---- Markowitz: lists -------------------------------------------------------------- */

typedef struct item {
    int32_t column;
    double value;
} item;
/* In the arena: what a list has outgrown stays there. */
typedef struct item_list {
    item *items;
    size_t count, capacity;
} item_list;
typedef struct row_list {
    int32_t *items;
    size_t count, capacity;
} row_list;

typedef struct work {
    const wide_matrix *m;
    arena *memory;
    item_list *row;
    row_list *column; /* rows that have, or had, an entry there */
    int32_t *count;   /* columns: rows at hand with an entry there */
    double *scale;    /* rows: largest entry at the beginning */
    double *leverage; /* rows: as found */
    int64_t *cost;    /* rows: what its pivot fills, or less */
    int32_t *place;   /* columns: index in the row being changed, or -1 */
    int32_t *pivot;
    heap waiting; /* rows, by cost */
    double done;  /* operations */
} work;

static bool push_item(arena *a, item_list *l, item x)
{
    if (l->count == l->capacity) {
        item *more = ARENA_ARRAY(a, item, 2 * l->capacity + 4);
        if (!more) return false;
        if (l->count > 0) memcpy(more, l->items, l->count * sizeof *more);
        l->items = more;
        l->capacity = 2 * l->capacity + 4;
    }
    l->items[l->count++] = x;
    return true;
}

static bool push_row(arena *a, row_list *l, int32_t row)
{
    if (l->count == l->capacity) {
        int32_t *more = ARENA_ARRAY(a, int32_t, 2 * l->capacity + 4);
        if (!more) return false;
        if (l->count > 0) memcpy(more, l->items, l->count * sizeof *more);
        l->items = more;
        l->capacity = 2 * l->capacity + 4;
    }
    l->items[l->count++] = row;
    return true;
}

/* ---- rows ---------------------------------------------------------------------- */

/* fmax, which is a call. */
static double larger(double most, double value)
{
    return value > most ? value : most;
}

static bool may_be_pivot(const work *w, int32_t column)
{
    return !w->m->is_allowed || w->m->is_allowed[column];
}

/* The current pivot of a row, and a bound of its fill; NULL: none. */
static const item *best_of(const work *w, size_t r, int64_t *cost)
{
    const item_list *row = &w->row[r];
    const item *best = NULL;
    double most = 0;
    for (size_t k = 0; k < row->count; k++)
        if (may_be_pivot(w, row->items[k].column))
            most = larger(most, fabs(row->items[k].value));
    if (!(most > w->m->zero * w->scale[r])) return NULL;
    for (size_t k = 0; k < row->count; k++) {
        const item *x = &row->items[k];
        if (!may_be_pivot(w, x->column) || fabs(x->value) < PIVOT_SHARE * most)
            continue;
        const bool is_better = !best
            || w->count[x->column] < w->count[best->column]
            || (w->count[x->column] == w->count[best->column]
                && fabs(x->value) > fabs(best->value));
        if (is_better) best = x;
    }
    *cost = (int64_t)(row->count - 1) * (w->count[best->column] - 1);
    return best;
}

/* Moves a row up if its cost has fallen; a higher cost is detected when the row comes
 * to the top. */
static void look_again(work *w, size_t r)
{
    int64_t cost = INT64_MAX; /* without a pivot: last */
    best_of(w, r, &cost);
    if (heap_has(&w->waiting, (int32_t)r) && cost >= w->cost[r]) return;
    w->cost[r] = cost;
    heap_push(&w->waiting, (int32_t)r);
}

/* row r -= factor * pivot row, whose pivot column vanishes from it. */
static bool subtract(work *w, size_t r, size_t by, int32_t pivot)
{
    item_list *row = &w->row[r];
    const item_list *from = &w->row[by];
    double own = 0, unit = 0;
    for (size_t k = 0; k < row->count; k++) {
        w->place[row->items[k].column] = (int32_t)k;
        if (row->items[k].column == pivot) own = row->items[k].value;
    }
    for (size_t k = 0; k < from->count; k++)
        if (from->items[k].column == pivot) unit = from->items[k].value;
    bool has_memory = true;
    w->done += (double)(row->count + from->count);
    for (size_t k = 0; k < from->count && has_memory; k++) {
        const item x = from->items[k];
        const double change = -own / unit * x.value;
        const int32_t at = w->place[x.column];
        if (at >= 0) {
            row->items[at].value += change;
            continue;
        }
        has_memory = push_item(w->memory, row, (item){x.column, change})
            && push_row(w->memory, &w->column[x.column], (int32_t)r);
        w->count[x.column]++;
    }
    size_t kept = 0;
    for (size_t k = 0; k < row->count; k++) {
        w->place[row->items[k].column] = -1;
        if (row->items[k].column != pivot) row->items[kept++] = row->items[k];
    }
    row->count = kept;
    return has_memory;
}

static bool has_entry(const work *w, size_t r, int32_t column)
{
    for (size_t k = 0; k < w->row[r].count; k++)
        if (w->row[r].items[k].column == column) return true;
    return false;
}

/* After row r is done: updates the rows with an entry at its pivot, and the costs of
 * rows that are now alone in a column. */
static bool spread(work *w, size_t r, int32_t pivot)
{
    const row_list *below = &w->column[pivot];
    for (size_t k = 0; k < w->row[r].count; k++)
        w->count[w->row[r].items[k].column]--;
    for (size_t k = 0; k < below->count; k++) {
        const size_t s = (size_t)below->items[k];
        if (!heap_has(&w->waiting, (int32_t)s) || !has_entry(w, s, pivot))
            continue;
        if (!subtract(w, s, r, pivot)) return false;
        look_again(w, s);
    }
    for (size_t k = 0; k < w->row[r].count; k++) {
        const int32_t column = w->row[r].items[k].column;
        const row_list *others = &w->column[column];
        for (size_t q = 0; w->count[column] == 1 && q < others->count; q++) {
            const size_t s = (size_t)others->items[q];
            if (heap_has(&w->waiting, (int32_t)s) && has_entry(w, s, column))
                look_again(w, s);
        }
    }
    return true;
}

static void raise(const work *w, size_t r, const item *pivot, double *leverage)
{
    double most = 0;
    for (size_t k = 0; k < w->row[r].count; k++)
        most = larger(most, fabs(w->row[r].items[k].value));
    w->leverage[r] = most / fabs(pivot->value);
    *leverage = larger(*leverage, w->leverage[r]);
}

/* Row r depends on those that are done, but for rounding. */
static void leave_out(work *w, size_t r, double *leverage, size_t *lost)
{
    for (size_t k = 0; k < w->row[r].count; k++)
        w->count[w->row[r].items[k].column]--;
    w->pivot[r] = -1;
    *leverage = HUGE_VAL;
    if (*lost == SIZE_MAX) *lost = r;
}

static dae_status run(work *w, double *leverage, size_t *lost, size_t *rank)
{
    while (w->waiting.count > 0) {
        const size_t r = (size_t)heap_pop(&w->waiting);
        int64_t cost;
        const item *pivot = best_of(w, r, &cost);
        if (!pivot) {
            leave_out(w, r, leverage, lost);
            continue;
        }
        if (cost > w->cost[r]) { /* its cost has risen: queue it again */
            w->cost[r] = cost;
            heap_push(&w->waiting, (int32_t)r);
            continue;
        }
        const int32_t column = pivot->column;
        raise(w, r, pivot, leverage);
        w->pivot[r] = column;
        ++*rank;
        if (!spread(w, r, column)) return DAE_MEMORY;
        if (w->m->work > 0 && w->done > w->m->work) return DAE_LIMIT;
    }
    assert(*rank <= w->m->rows && *rank <= w->m->columns);
    assert((*rank == w->m->rows) == (*lost == SIZE_MAX));
    return DAE_OK;
}

/* ---- from and to the caller ------------------------------------------------------ */

/* Room for the entries there are, of all rows and all columns in one. */
static bool take_room(work *w)
{
    const wide_matrix *m = w->m;
    for (size_t k = 0; k < m->count; k++) {
        if (m->entry[k].value == 0) continue;
        w->row[m->entry[k].row].capacity++;
        w->column[m->entry[k].column].capacity++;
    }
    item *items = ARENA_ARRAY(w->memory, item, m->count);
    int32_t *rows = ARENA_ARRAY(w->memory, int32_t, m->count);
    if (!items || !rows) return false;
    for (size_t r = 0; r < m->rows; items += w->row[r++].capacity)
        w->row[r].items = items;
    for (size_t j = 0; j < m->columns; rows += w->column[j++].capacity)
        w->column[j].items = rows;
    return true;
}

static bool load(work *w)
{
    const wide_matrix *m = w->m;
    if (!take_room(w)) return false;
    for (size_t k = 0; k < m->count; k++) {
        const wide_entry *e = &m->entry[k];
        if (e->value == 0) continue;
        if (!push_item(w->memory, &w->row[e->row], (item){e->column, e->value})
            || !push_row(w->memory, &w->column[e->column], e->row))
            return false;
        w->count[e->column]++;
        w->scale[e->row] = larger(w->scale[e->row], fabs(e->value));
    }
    memset(w->place, 0xff, m->columns * sizeof *w->place);
    for (size_t r = 0; r < m->rows; r++) look_again(w, r);
    return true;
}

static bool take(work *w)
{
    arena *a = w->memory;
    const size_t rows = w->m->rows, columns = w->m->columns;
    w->row = ARENA_ARRAY(a, item_list, rows);
    w->column = ARENA_ARRAY(a, row_list, columns);
    w->count = ARENA_ARRAY(a, int32_t, columns);
    w->scale = ARENA_ARRAY(a, double, rows);
    w->cost = ARENA_ARRAY(a, int64_t, rows);
    w->place = ARENA_ARRAY(a, int32_t, columns);
    w->leverage = ARENA_ARRAY(a, double, rows);
    if (w->leverage) memset(w->leverage, 0, rows * sizeof *w->leverage);
    return w->leverage && w->row && w->column && w->count && w->scale && w->cost
        && w->place;
}

dae_status markowitz_eliminate(const wide_matrix *m,
    const dae_allocator *allocator, int32_t *pivot, double *leverage,
    size_t *lost, size_t *rank)
{
    arena memory;
    size_t without = SIZE_MAX, found = 0;
    work w = {.m = m, .memory = &memory, .pivot = pivot};
    arena_init(&memory, allocator, 0);
    dae_status st = DAE_MEMORY;
    if (take(&w)
        && heap_init(&w.waiting, m->rows, w.cost, memory.allocator) == DAE_OK) {
        if (load(&w)) st = run(&w, leverage, &without, &found);
        heap_clear(&w.waiting);
    }
    for (size_t r = 0; m->take && !st && r < m->rows; r++)
        m->take(m->to, w.leverage[r]);
    arena_clear(&memory);
    if (lost) *lost = without;
    if (rank) *rank = found;
    return st;
}

/* ---- rank -------------------------------------------------------------------------- */

/* The rows and columns of the pivots, as many as there are of each. */
typedef struct chosen {
    const matrix_view *m;
    int32_t *row_number, *column_at; /* rows; rank */
    size_t rank;
} chosen;

static bool number_pivots(chosen *c, arena *memory, const int32_t *pivot)
{
    size_t k = 0;
    c->row_number = ARENA_ARRAY(memory, int32_t, c->m->rows);
    c->column_at = ARENA_ARRAY(memory, int32_t, c->rank);
    if (!c->row_number || !c->column_at) return false;
    for (size_t i = 0; i < c->m->rows; i++) {
        c->row_number[i] = pivot[i] < 0 ? -1 : (int32_t)k;
        if (pivot[i] >= 0) c->column_at[k++] = pivot[i];
    }
    assert(k == c->rank);
    return true;
}

/* DAE_NUMERIC: they are singular, so that the rank is less. */
static dae_status factor_chosen(
    const chosen *c, size_t entries, arena *memory, const dae_allocator *a)
{
    const matrix_view *m = c->m;
    linear *factors = NULL;
    int64_t *start = ARENA_ARRAY(memory, int64_t, c->rank + 1);
    int32_t *row = ARENA_ARRAY(memory, int32_t, entries);
    double *values = ARENA_ARRAY(memory, double, entries);
    int64_t at = 0;
    if (!start || !row || !values) return DAE_MEMORY;
    for (size_t k = 0; k < c->rank; k++) {
        const int32_t j = c->column_at[k];
        for (int64_t p = m->start[j]; p < m->start[j + 1]; p++) {
            if (c->row_number[m->row[p]] < 0) continue;
            row[at] = c->row_number[m->row[p]];
            values[at++] = m->values[p];
        }
        start[k + 1] = at;
    }
    dae_status st = linear_create(
        c->rank, start, row, DAE_LINEAR_AUTO, a, &factors);
    if (!st) st = linear_factor(factors, values);
    linear_free(factors);
    return st;
}

static wide_entry *list_entries(
    const matrix_view *m, const transposed *t, arena *memory)
{
    wide_entry *entry = ARENA_ARRAY(memory, wide_entry, t->entries);
    for (size_t i = 0; entry && i < m->rows; i++)
        for (int64_t p = t->start[i]; p < t->start[i + 1]; p++)
            entry[p] = (wide_entry){
                (int32_t)i, t->index[p], m->values[t->entry[p]]};
    return entry;
}

static dae_status find_rank(const matrix_view *m, double zero,
    const transposed *t, arena *memory, const dae_allocator *a, size_t *rank)
{
    double leverage = 0;
    chosen c = {.m = m};
    int32_t *pivot = ARENA_ARRAY(memory, int32_t, m->rows);
    const wide_matrix w = {.rows = m->rows,
        .columns = m->columns,
        .entry = list_entries(m, t, memory),
        .count = t->entries,
        .zero = zero,
        .work = WORK_OF_SECOND / 10};
    if (!w.entry || !pivot) return DAE_MEMORY;
    dae_status st = markowitz_eliminate(&w, a, pivot, &leverage, NULL, &c.rank);
    if (st) return st;
    if (!number_pivots(&c, memory, pivot)) return DAE_MEMORY;
    st = factor_chosen(&c, t->entries, memory, a);
    if (!st) *rank = c.rank;
    return st;
}

dae_status sparse_rank(const matrix_view *m, double zero,
    const dae_allocator *allocator, size_t *rank)
{
    const dae_allocator *a = alloc_or_default(allocator);
    arena memory;
    transposed t;
    assert(m->start && zero >= 0);
    if (m->rows >= INT32_MAX || m->columns >= INT32_MAX) return DAE_LIMIT;
    dae_status st = transpose_pattern(
        m->rows, m->columns, m->start, m->row, a, &t);
    if (st) return st;
    arena_init(&memory, a, 0);
    st = find_rank(m, zero, &t, &memory, a, rank);
    arena_clear(&memory);
    transpose_clear(&t);
    return st;
}
