#include "linalg/operation_list.h"

#include "base/arena.h"
#include "graph/parity.h"
#include "linalg/complex.h"
#include "linalg/thresholds.h"

#include <assert.h>
#include <string.h>

/* The matrix as it is eliminated, spread out. Real values are complex ones here: pivots
 * are chosen seldom. */
typedef struct active {
    size_t n;
    bool has_values;   /* else all entries are as good */
    dae_complex *a;    /* n n, by rows */
    uint8_t *has;      /* n n: entries of A, then of L + U */
    uint16_t *list;    /* n n: of each column its rows that have no pivot yet */
    uint16_t *rows;    /* n: their number, */
    uint16_t *columns; /* n: and of each row that of such columns */
    double *scale;     /* n: 1 over the largest entry of each row */
    uint8_t *is_taken; /* n: columns with a pivot */
    uint16_t *slot_of; /* n n: of every entry */
    uint16_t *row, *column; /* n: of the pivots, in order */
    size_t slots, products;
    arena memory;
} active;

static dae_status active_take(active *m, const linear_system *s)
{
    const size_t n = s->n;
    if (n > LIST_COLUMNS_MOST) return DAE_LIMIT;
    *m = (active){.n = n};
    arena_init(&m->memory, s->allocator, 0);
    m->a = ARENA_ARRAY(&m->memory, dae_complex, n * n);
    m->has = ARENA_ARRAY(&m->memory, uint8_t, n * n);
    m->list = ARENA_ARRAY(&m->memory, uint16_t, n * n);
    m->slot_of = ARENA_ARRAY(&m->memory, uint16_t, n * n);
    m->rows = ARENA_ARRAY(&m->memory, uint16_t, n);
    m->columns = ARENA_ARRAY(&m->memory, uint16_t, n);
    m->scale = ARENA_ARRAY(&m->memory, double, n);
    m->is_taken = ARENA_ARRAY(&m->memory, uint8_t, n);
    m->row = ARENA_ARRAY(&m->memory, uint16_t, n);
    m->column = ARENA_ARRAY(&m->memory, uint16_t, n);
    if (m->a && m->has && m->list && m->slot_of && m->rows && m->columns
        && m->scale && m->is_taken && m->row && m->column)
        return DAE_OK;
    arena_clear(&m->memory);
    return DAE_MEMORY;
}

static void add_entry(active *m, size_t i, size_t j)
{
    m->has[i * m->n + j] = 1;
    m->list[j * m->n + m->rows[j]++] = (uint16_t)i;
    m->columns[i]++;
}

static void load_pattern(active *m, const linear_system *s)
{
    for (size_t j = 0; j < m->n; j++)
        for (int64_t p = s->column_start[j]; p < s->column_start[j + 1]; p++)
            add_entry(m, (size_t)s->row[p], j);
    m->slots = (size_t)s->column_start[m->n];
}

static double size_of(dae_complex a)
{
    return fabs(a.re) + fabs(a.im);
}

/* With the scales of rows, as in linalg/dense.c. */
static dae_status load_values(active *m, const linear_system *s,
    const double *re, const double *im, size_t stride)
{
    m->has_values = true;
    for (size_t j = 0; j < m->n; j++)
        for (int64_t p = s->column_start[j]; p < s->column_start[j + 1]; p++) {
            const size_t i = (size_t)s->row[p], at = (size_t)p * stride;
            const dae_complex v = {re[at], im ? im[at] : 0};
            if (!isfinite(size_of(v))) return DAE_NUMERIC;
            m->a[i * m->n + j] = v;
            m->scale[i] = fmax(m->scale[i], size_of(v));
        }
    for (size_t i = 0; i < m->n; i++) {
        m->scale[i] = 1 / m->scale[i];
        if (!(m->scale[i] > 0) || !isfinite(m->scale[i])) return DAE_NUMERIC;
    }
    return DAE_OK;
}

/* --- pivots --- */

typedef struct candidate {
    size_t row, column;
    size_t count; /* products that it makes: SIZE_MAX: there is none */
    double share; /* of the largest entry of its column */
} candidate;

static double scaled_size(const active *m, size_t i, size_t j)
{
    return m->has_values ? size_of(m->a[i * m->n + j]) * m->scale[i] : 1;
}

/* Of the entries of column j. */
static size_t least_count(const active *m, size_t j)
{
    const uint16_t *list = m->list + j * m->n;
    size_t columns = m->n;
    for (size_t q = 0; q < m->rows[j]; q++)
        if (m->columns[list[q]] < columns) columns = m->columns[list[q]];
    return (columns - 1) * (m->rows[j] - 1U);
}

/* The best of column j replaces *best where it is better; false: the column is 0. */
static bool look_in_column(const active *m, size_t j, candidate *best)
{
    const uint16_t *list = m->list + j * m->n;
    double largest = 0;
    if (m->rows[j] > 0 && least_count(m, j) > best->count) return true;
    for (size_t q = 0; q < m->rows[j]; q++) {
        const double size = scaled_size(m, list[q], j);
        if (!(size <= largest)) largest = size;
    }
    if (!(largest > 0) || !isfinite(largest)) return false;
    for (size_t q = 0; q < m->rows[j]; q++) {
        const size_t i = list[q];
        const double share = scaled_size(m, i, j) / largest;
        const size_t count = (size_t)(m->columns[i] - 1) * (m->rows[j] - 1U);
        if (!(share >= PIVOT_SHARE) || count > best->count) continue;
        if (count == best->count && !(share > best->share)) continue;
        *best = (candidate){i, j, count, share};
    }
    return true;
}

static bool choose(const active *m, candidate *best)
{
    *best = (candidate){.count = SIZE_MAX};
    for (size_t j = 0; j < m->n && best->count > 0; j++)
        if (!m->is_taken[j] && !look_in_column(m, j, best)) return false;
    return best->count < SIZE_MAX;
}

static void drop_row(active *m, size_t i, size_t j)
{
    uint16_t *list = m->list + j * m->n;
    size_t q = 0;
    while (list[q] != i) q++;
    m->rows[j]--;
    memmove(list + q, list + q + 1, (m->rows[j] - q) * sizeof *list);
}

/* Row i of the column of pivot b; beside[count]: the columns that its row has left. */
static void eliminate_row(active *m, const candidate *b, size_t i,
    const uint16_t *beside, size_t count)
{
    const size_t n = m->n;
    const dae_complex *from = m->a + b->row * n;
    dae_complex *to = m->a + i * n, l = {0, 0};
    if (m->has_values) l = complex_over(to[b->column], from[b->column]);
    m->columns[i]--;
    for (size_t q = 0; q < count; q++) {
        const size_t j = beside[q];
        if (m->has_values)
            to[j] = complex_less(to[j], complex_times(l, from[j]));
        if (m->has[i * n + j]) continue;
        add_entry(m, i, j);
        m->slots++;
    }
}

/* The pivot's row and column are left as they are for assign_slots. */
static void eliminate(active *m, const candidate *b)
{
    const size_t n = m->n;
    uint16_t beside[LIST_COLUMNS_MOST];
    size_t count = 0;
    m->is_taken[b->column] = 1;
    drop_row(m, b->row, b->column);
    for (size_t j = 0; j < n; j++) {
        if (m->is_taken[j] || !m->has[b->row * n + j]) continue;
        beside[count++] = (uint16_t)j;
        drop_row(m, b->row, j);
    }
    for (size_t q = 0; q < m->rows[b->column]; q++)
        eliminate_row(m, b, m->list[b->column * n + q], beside, count);
}

static dae_status find_pivots(active *m)
{
    for (size_t k = 0; k < m->n; k++) {
        candidate best;
        if (!choose(m, &best)) return DAE_NUMERIC;
        m->products += best.count;
        if (m->products > LIST_PRODUCTS_MOST) return DAE_LIMIT;
        m->row[k] = (uint16_t)best.row;
        m->column[k] = (uint16_t)best.column;
        eliminate(m, &best);
    }
    return DAE_OK;
}

dae_status operation_list_count(
    const linear_system *s, size_t *slots, size_t *products)
{
    active m;
    dae_status st = active_take(&m, s);
    if (st) return st;
    load_pattern(&m, s);
    st = find_pivots(&m);
    *slots = m.slots;
    *products = m.products;
    arena_clear(&m.memory);
    return st;
}

/* --- the list --- */

static size_t entry_count(const operation_list *o)
{
    return (size_t)o->s.column_start[o->s.n];
}

dae_status operation_list_init(operation_list *o, const linear_system *s)
{
    const dae_allocator *a = s->allocator;
    const size_t n = s->n;
    _Static_assert(LIST_COLUMNS_MOST * LIST_COLUMNS_MOST < UINT16_MAX,
        "slots are numbered with 16 bits");
    *o = (operation_list){.s = *s};
    if (n > LIST_COLUMNS_MOST) return DAE_LIMIT;
    o->pivot = alloc_zeroed(a, n + 1, sizeof *o->pivot);
    o->place = alloc_zeroed(a, entry_count(o), sizeof *o->place);
    if (o->pivot && o->place) return DAE_OK;
    operation_list_clear(o);
    return DAE_MEMORY;
}

void operation_list_clear(operation_list *o)
{
    const dae_allocator *a = o->s.allocator;
    if (!a) return;
    alloc_free(a, o->pivot, o->s.n + 1, sizeof *o->pivot);
    alloc_free(a, o->place, entry_count(o), sizeof *o->place);
    ARRAY_FREE(a, &o->other);
    ARRAY_FREE(a, &o->target);
    *o = (operation_list){.slots = 0};
}

/* The entries of L + U get their slots; `other` is filled. */
static void assign_slots(operation_list *o, active *m)
{
    const size_t n = m->n;
    uint16_t *other = o->other.items;
    size_t at = 0;
    for (size_t k = 0; k < n; k++) {
        const size_t i = m->row[k], j = m->column[k];
        list_pivot *p = &o->pivot[k];
        *p = (list_pivot){
            .begin = (uint16_t)at, .row = m->row[k], .column = m->column[k]};
        m->slot_of[i * n + j] = (uint16_t)at++;
        for (size_t c = k + 1; c < n; c++) {
            if (!m->has[i * n + m->column[c]]) continue;
            m->slot_of[i * n + m->column[c]] = (uint16_t)at;
            other[at++] = m->column[c];
        }
        p->below = (uint16_t)at;
        for (size_t r = k + 1; r < n; r++) {
            if (!m->has[m->row[r] * n + j]) continue;
            m->slot_of[m->row[r] * n + j] = (uint16_t)at;
            other[at++] = m->row[r];
        }
    }
    o->pivot[n] = (list_pivot){.begin = (uint16_t)at, .below = (uint16_t)at};
    assert(at == m->slots);
}

static void list_products(operation_list *o, const active *m)
{
    const uint16_t *other = o->other.items;
    uint16_t *target = o->target.items;
    for (const list_pivot *p = o->pivot; p < o->pivot + m->n; p++)
        for (size_t l = p->below; l < p[1].begin; l++)
            for (size_t u = p->begin + 1U; u < p->below; u++)
                *target++ = m->slot_of[other[l] * m->n + other[u]];
    assert(target == o->target.items + m->products);
}

static void list_places(operation_list *o, const active *m)
{
    const linear_system *s = &o->s;
    for (size_t j = 0; j < m->n; j++)
        for (int64_t p = s->column_start[j]; p < s->column_start[j + 1]; p++)
            o->place[p] = m->slot_of[(size_t)s->row[p] * m->n + j];
}

static int parity_of(const active *m)
{
    int32_t column[LIST_COLUMNS_MOST];
    uint8_t seen[LIST_COLUMNS_MOST];
    assert(m->n <= LIST_COLUMNS_MOST);
    for (size_t k = 0; k < m->n; k++) column[m->row[k]] = m->column[k];
    return permutation_sign(m->n, column, seen);
}

static dae_status compile(operation_list *o, active *m)
{
    o->other.count = o->target.count = 0;
    if (!ARRAY_RESERVE(o->s.allocator, &o->other, m->slots)
        || !ARRAY_RESERVE(o->s.allocator, &o->target, m->products))
        return DAE_MEMORY;
    assign_slots(o, m);
    list_products(o, m);
    list_places(o, m);
    o->parity = parity_of(m);
    o->other.count = o->slots = m->slots;
    o->target.count = o->products = m->products;
    o->is_found = true;
    return DAE_OK;
}

dae_status operation_list_find(
    operation_list *o, const double *re, const double *im, size_t stride)
{
    active m;
    o->is_found = false;
    dae_status st = active_take(&m, &o->s);
    if (st) return st;
    load_pattern(&m, &o->s);
    st = load_values(&m, &o->s, re, im, stride);
    if (!st) st = find_pivots(&m);
    if (!st) st = compile(o, &m);
    arena_clear(&m.memory);
    return st;
}
