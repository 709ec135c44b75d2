/* Pivots first, by counts; then the numbers: multiplications in an order and to places
 * that were found once, so that a matrix costs a pass over them. */
#include "linalg/condense.h"
#include "linalg/row_matching.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- pivots ------------------------------------------------------------------------ */

/* Greedy by Markowitz' count, in rounds of a growing bound: rows wait in a
 * queue, are looked at in turn and again when a pivot has changed them. The work
 * is proportional to the entries and the fill; a budget ends it where rows and
 * columns are long.
 *
 * A pivot is good where it is a constant that is not small beside the other
 * constants of its row: taking out y of y = f(x, z) is the chain rule, the
 * same numbers as if f stood in the place of y. So is any entry alone in its
 * row or column, which changes no other entry, and x of x' = v and its like,
 * rows of two constants and powers of alpha: as in linalg/layout.h the higher
 * state stays, since x computed from v and alpha is more exact than v from x.
 * Equations without derivatives come first: T of T = k*(x - y) is given by that
 * and not by the motion that it causes. Others with derivatives give unknowns
 * without: relative to alpha, the rate constant of another state is negligible. */

/* The bounds of the rounds: products of a pivot. Above 16 most pivots that leave no
 * more entries than they remove are forces between bodies, whose places they couple. */
static const int64_t BOUNDS[] = {0, 2, 4, 9, 16, 36, 64, 144};
enum { ROUNDS = sizeof BOUNDS / sizeof *BOUNDS };
/* Budget: visits of entries, per entry and unknown of the matrix. */
enum { BUDGET = 100 };
/* The rows of columns up to this length are queued again. */
enum { SHORT = 16 };

typedef struct finding {
    elimination *e;
    int32_t *queue; /* n + 1: rows, a ring */
    uint8_t *is_waiting;
    size_t head, tail;
    int32_t *noted; /* n: of each column an entry, see look_into */
    int64_t reach;  /* entries of the columns that are looked for */
    bool is_noted;
    int64_t bound, budget;
    int64_t refused;   /* the fewest products beyond the bound of a round */
    bool is_stale;     /* what was refused may be fine now */
    bool has_filled;   /* a pivot was refused for its fill */
    bool takes_slopes; /* also equations with derivatives */
} finding;

static elimination_entry *entry_at(const elimination *e, int32_t k)
{
    return &e->entries.items[k];
}

/* --- lists --- */

static void link_entry(elimination *e, int32_t k)
{
    elimination_entry *at = entry_at(e, k);
    const int32_t i = at->row, j = at->column;
    at->before_in_row = at->before_in_column = -1;
    at->next_in_row = e->row_first[i];
    at->next_in_column = e->column_first[j];
    if (at->next_in_row >= 0) entry_at(e, at->next_in_row)->before_in_row = k;
    if (at->next_in_column >= 0)
        entry_at(e, at->next_in_column)->before_in_column = k;
    e->row_first[i] = e->column_first[j] = k;
    e->row_count[i]++;
    e->column_count[j]++;
}

static void leave_row(elimination *e, const elimination_entry *at)
{
    if (at->next_in_row >= 0)
        entry_at(e, at->next_in_row)->before_in_row = at->before_in_row;
    if (at->before_in_row < 0) e->row_first[at->row] = at->next_in_row;
    else entry_at(e, at->before_in_row)->next_in_row = at->next_in_row;
    e->row_count[at->row]--;
}

static void leave_column(elimination *e, const elimination_entry *at)
{
    if (at->next_in_column >= 0)
        entry_at(e, at->next_in_column)->before_in_column =
            at->before_in_column;
    if (at->before_in_column < 0)
        e->column_first[at->column] = at->next_in_column;
    else entry_at(e, at->before_in_column)->next_in_column = at->next_in_column;
    e->column_count[at->column]--;
}

/* The entry at (i, j), looked for in the shorter of the two; -1: none. */
static int32_t search_entry(finding *f, int32_t i, int32_t j)
{
    const elimination *e = f->e;
    int32_t k;
    if (e->row_count[i] <= e->column_count[j]) {
        for (k = e->row_first[i]; k >= 0; k = entry_at(e, k)->next_in_row) {
            f->budget--;
            if (entry_at(e, k)->column == j) break;
        }
    } else {
        for (k = e->column_first[j]; k >= 0;
             k = entry_at(e, k)->next_in_column) {
            f->budget--;
            if (entry_at(e, k)->row == i) break;
        }
    }
    return k;
}

/* Entries of other rows will be looked for in the columns of this one. */
static void look_beside(finding *f, int32_t row)
{
    const elimination *e = f->e;
    f->reach = 0;
    for (int32_t k = e->row_first[row]; k >= 0; k = entry_at(e, k)->next_in_row)
        f->reach += e->column_count[entry_at(e, k)->column];
}

/* Those of row i are looked for next: its entries are noted at once where that is no
 * longer than to search for each. */
static void look_into(finding *f, int32_t i)
{
    const elimination *e = f->e;
    f->is_noted = e->row_count[i] <= f->reach;
    if (!f->is_noted) return;
    f->budget -= e->row_count[i];
    for (int32_t k = e->row_first[i]; k >= 0; k = entry_at(e, k)->next_in_row)
        f->noted[entry_at(e, k)->column] = k;
}

/* What is still noted of another row is no entry of this one. */
static int32_t find_entry(finding *f, int32_t i, int32_t j)
{
    if (!f->is_noted) return search_entry(f, i, j);
    const int32_t k = f->noted[j];
    const elimination_entry *at = entry_at(f->e, k);
    return at->row == i && at->column == j ? k : -1;
}

/* --- choosing --- */

static void wait_for(finding *f, int32_t row)
{
    if (f->is_waiting[row] || f->e->is_row_out[row]) return;
    f->is_waiting[row] = 1;
    f->queue[f->tail] = row;
    f->tail = f->tail == f->e->n ? 0 : f->tail + 1;
}

static int32_t next_row(finding *f)
{
    const int32_t row = f->queue[f->head];
    f->head = f->head == f->e->n ? 0 : f->head + 1;
    f->is_waiting[row] = 0;
    return row;
}

typedef struct row_facts {
    double largest; /* constant */
    bool is_pair;   /* at most two entries, none of which varies */
    bool has_slope; /* an entry that alpha multiplies */
} row_facts;

static row_facts look_at_row(finding *f, int32_t i)
{
    const elimination *e = f->e;
    row_facts facts = {.is_pair = e->row_count[i] <= 2};
    for (int32_t k = e->row_first[i]; k >= 0; k = entry_at(e, k)->next_in_row) {
        const elimination_entry *at = entry_at(e, k);
        f->budget--;
        if (at->class == ENTRY_KNOWN)
            facts.largest = fmax(facts.largest, fabs(at->value));
        if (at->class == ENTRY_VARIES) facts.is_pair = false;
        if (at->level == 2) facts.has_slope = true;
    }
    return facts;
}

static bool is_good(
    const elimination *e, const elimination_entry *at, const row_facts *facts)
{
    if (e->row_count[at->row] == 1 || e->column_count[at->column] == 1)
        return true;
    if (facts->has_slope && facts->is_pair) return at->level == 2;
    if (facts->has_slope && at->level != 1) return false;
    return at->class == ENTRY_KNOWN
        && fabs(at->value) >= PIVOT_SHARE * facts->largest;
}

/* The entry of row i whose column is shortest, of equal ones the first column;
 * -1: none that is good. */
static int32_t best_of_row(finding *f, int32_t i)
{
    const elimination *e = f->e;
    const row_facts facts = look_at_row(f, i);
    int32_t best = -1;
    if (facts.has_slope && !f->takes_slopes) return -1;
    for (int32_t k = e->row_first[i]; k >= 0; k = entry_at(e, k)->next_in_row) {
        const elimination_entry *at = entry_at(e, k);
        if (!is_good(e, at, &facts)) continue;
        if (best >= 0) {
            const int32_t other = entry_at(e, best)->column;
            const int32_t more = e->column_count[at->column]
                - e->column_count[other];
            if (more > 0 || (more == 0 && at->column > other)) continue;
        }
        best = k;
    }
    return best;
}

/* Does eliminating by this pivot leave no more entries than it removes? */
static bool is_worth_it(finding *f, const elimination_entry *pivot)
{
    const elimination *e = f->e;
    const int64_t across = e->row_count[pivot->row] - 1;
    const int64_t down = e->column_count[pivot->column] - 1;
    int64_t left = across + down + 1;
    if (across * down > f->bound) {
        if (across * down < f->refused) f->refused = across * down;
        return false;
    }
    look_beside(f, pivot->row);
    for (int32_t l = e->column_first[pivot->column]; l >= 0 && left >= 0;
         l = entry_at(e, l)->next_in_column) {
        const int32_t r = entry_at(e, l)->row;
        if (r == pivot->row) continue;
        look_into(f, r);
        for (int32_t u = e->row_first[pivot->row]; u >= 0;
             u = entry_at(e, u)->next_in_row) {
            const int32_t c = entry_at(e, u)->column;
            if (c != pivot->column && find_entry(f, r, c) < 0) left--;
        }
    }
    if (left < 0) f->has_filled = true;
    return left >= 0;
}

/* --- eliminating --- */

static bool add_entry(elimination *e, elimination_entry entry, int32_t *at)
{
    *at = (int32_t)e->entries.count;
    if (!ARRAY_PUSH(e->a, &e->entries, entry)) return false;
    link_entry(e, *at);
    return true;
}

/* Adds `product`, whose value is already negated, to an entry: its class, value, level. */
static void take_from(elimination_entry *at, const elimination_entry *product)
{
    assert(at->row == product->row && at->column == product->column);
    const bool is_known = at->class == ENTRY_KNOWN
        && product->class == ENTRY_KNOWN;
    const double before = fmax(fabs(at->value), fabs(product->value));
    at->value += product->value;
    if (!is_known || !(fabs(at->value) > HALF_DIGITS * before))
        at->class = ENTRY_VARIES;
    if (product->level > at->level) at->level = product->level;
}

/* The entry that an entry below the pivot and one beside it make. */
static elimination_entry product_of(const elimination_entry *pivot,
    const elimination_entry *below, const elimination_entry *beside)
{
    elimination_entry p = {.row = below->row, .column = beside->column};
    const bool is_known = pivot->class == ENTRY_KNOWN
        && below->class == ENTRY_KNOWN && beside->class == ENTRY_KNOWN;
    p.level = below->level == 2 ? 2 : beside->level == 1 ? 1 : 0;
    p.value = is_known ? -below->value * (beside->value / pivot->value) : 0;
    p.class = is_known && fabs(p.value) > 0 && isfinite(p.value) ? ENTRY_KNOWN
                                                                 : ENTRY_VARIES;
    return p;
}

static dae_status multiply(finding *f, int32_t pivot, int32_t below)
{
    elimination *e = f->e;
    look_into(f, entry_at(e, below)->row);
    for (int32_t u = e->row_first[entry_at(e, pivot)->row]; u >= 0;
         u = entry_at(e, u)->next_in_row) {
        const elimination_entry product = product_of(
            entry_at(e, pivot), entry_at(e, below), entry_at(e, u));
        int32_t at = find_entry(f, product.row, product.column);
        if (at >= 0) take_from(entry_at(e, at), &product);
        else if (e->entries.count >= INT32_MAX) return DAE_LIMIT;
        else if (!add_entry(e, product, &at)) return DAE_MEMORY;
        if (!ARRAY_PUSH(e->a, &e->targets, at)) return DAE_MEMORY;
    }
    return DAE_OK;
}

/* Queues the rows with an entry in the column again, if it is short. */
static void wake_column(finding *f, int32_t column)
{
    const elimination *e = f->e;
    if (e->column_count[column] > SHORT) {
        f->is_stale = true;
        return;
    }
    for (int32_t k = e->column_first[column]; k >= 0;
         k = entry_at(e, k)->next_in_column)
        wait_for(f, entry_at(e, k)->row);
}

static dae_status eliminate(finding *f, int32_t pivot)
{
    elimination *e = f->e;
    const int32_t i = entry_at(e, pivot)->row, j = entry_at(e, pivot)->column;
    if (!ARRAY_PUSH(e->a, &e->pivots, pivot)) return DAE_MEMORY;
    e->is_row_out[i] = e->is_column_out[j] = 1;
    leave_row(e, entry_at(e, pivot));
    leave_column(e, entry_at(e, pivot));
    for (int32_t k = e->row_first[i]; k >= 0; k = entry_at(e, k)->next_in_row)
        leave_column(e, entry_at(e, k));
    look_beside(f, i);
    for (int32_t k = e->column_first[j]; k >= 0;
         k = entry_at(e, k)->next_in_column) {
        leave_row(e, entry_at(e, k));
        const dae_status st = multiply(f, pivot, k);
        if (st) return st;
        wait_for(f, entry_at(e, k)->row);
    }
    for (int32_t k = e->row_first[i]; k >= 0; k = entry_at(e, k)->next_in_row)
        wake_column(f, entry_at(e, k)->column);
    return DAE_OK;
}

/* --- all of it --- */

static dae_status run_round(finding *f)
{
    elimination *e = f->e;
    const size_t before = e->pivots.count;
    f->refused = INT64_MAX;
    f->is_stale = f->has_filled = false;
    for (size_t i = 0; i < e->n; i++) wait_for(f, (int32_t)i);
    while (f->head != f->tail && f->budget > 0) {
        const int32_t i = next_row(f);
        if (e->is_row_out[i]) continue;
        const int32_t best = best_of_row(f, i);
        if (best < 0 || !is_worth_it(f, entry_at(e, best))) continue;
        const dae_status st = eliminate(f, best);
        if (st) return st;
    }
    if (f->budget <= 0 || (f->has_filled && e->pivots.count > before))
        f->is_stale = true;
    return DAE_OK;
}

/* It would find nothing else than the round before. */
static bool is_idle(const finding *f)
{
    return f->refused > f->bound && !f->is_stale;
}

/* The rounds up to the bound `most`. */
static dae_status run_rounds(finding *f, int64_t most)
{
    dae_status st = DAE_OK;
    f->is_stale = true; /* before the first one */
    for (int k = 0; !st && k < ROUNDS && BOUNDS[k] <= most; k++) {
        f->bound = BOUNDS[k];
        if (!is_idle(f)) st = run_round(f);
    }
    if (f->is_stale || f->refused < INT64_MAX) f->e->has_more = true;
    return st;
}

/* end[i]: the number behind the last entry of row i. Row by row, as they are mostly read:
 * of a large matrix each step of a list would else be one to another line of memory. */
static void number_rows(const elimination_source *s, int32_t *end)
{
    const int64_t count = s->column_start[s->n];
    memset(end, 0, s->n * sizeof *end);
    for (int64_t p = 0; p < count; p++) end[s->row[p]]++;
    for (size_t i = 1; i < s->n; i++) end[i] += end[i - 1];
}

static elimination_entry entry_of_source(
    const elimination_source *s, int64_t p, size_t column)
{
    enum { MASK = (1 << ELIMINATION_BITS) - 1 };
    return (elimination_entry){.row = (uint32_t)s->row[p] & MASK,
        .column = (uint32_t)column & MASK,
        .class = s->class[p] & 3u,
        .level = s->level[p] & 3u,
        .value = s->class[p] == ENTRY_KNOWN ? s->value[p] : 0};
}

/* From the last entry of each column to the first, so that lists ascend. The queue is not
 * in use yet. */
static bool load(finding *f, const elimination_source *s)
{
    elimination *e = f->e;
    const size_t count = (size_t)s->column_start[s->n];
    /* not more, as most matrices of this size fill in little */
    e->entries.items = alloc_resize(
        e->a, NULL, 0, count, sizeof *e->entries.items);
    if (!e->entries.items) return false;
    e->entries.count = e->entries.capacity = count;
    number_rows(s, f->queue);
    for (size_t j = s->n; j-- > 0;)
        for (int64_t p = s->column_start[j + 1]; p-- > s->column_start[j];) {
            const int32_t k = --f->queue[s->row[p]];
            *entry_at(e, k) = entry_of_source(s, p, j);
            link_entry(e, k);
        }
    return true;
}

static bool take_lists(elimination *e, finding *f)
{
    const size_t n = e->n;
    e->row_first = alloc_zeroed(e->a, n, sizeof *e->row_first);
    e->column_first = alloc_zeroed(e->a, n, sizeof *e->column_first);
    e->row_count = alloc_zeroed(e->a, n, sizeof *e->row_count);
    e->column_count = alloc_zeroed(e->a, n, sizeof *e->column_count);
    e->is_row_out = alloc_zeroed(e->a, n, sizeof *e->is_row_out);
    e->is_column_out = alloc_zeroed(e->a, n, sizeof *e->is_column_out);
    f->queue = alloc_zeroed(e->a, n + 1, sizeof *f->queue);
    f->is_waiting = alloc_zeroed(e->a, n, sizeof *f->is_waiting);
    f->noted = alloc_zeroed(e->a, n, sizeof *f->noted);
    if (!e->row_first || !e->column_first || !e->row_count || !e->column_count
        || !e->is_row_out || !e->is_column_out || !f->queue || !f->is_waiting
        || !f->noted)
        return false;
    memset(e->row_first, 0xff, n * sizeof *e->row_first);
    memset(e->column_first, 0xff, n * sizeof *e->column_first);
    return true;
}

dae_status elimination_find(const elimination_source *s,
    const dae_allocator *allocator, elimination *out)
{
    const int64_t count = s->column_start[s->n];
    dae_status st = DAE_MEMORY;
    finding f = {.e = out, .budget = BUDGET * (count + (int64_t)s->n)};
    *out = (elimination){
        .n = s->n, .given = (size_t)count, .a = alloc_or_default(allocator)};
    if (count >= INT32_MAX || s->n >> ELIMINATION_BITS > 0) return DAE_LIMIT;
    if (take_lists(out, &f) && load(&f, s)) st = DAE_OK;
    if (!st) st = run_rounds(&f, s->most);
    f.takes_slopes = true;
    if (!st) st = run_rounds(&f, s->most);
    alloc_free(out->a, f.queue, s->n + 1, sizeof *f.queue);
    alloc_free(out->a, f.is_waiting, s->n, sizeof *f.is_waiting);
    alloc_free(out->a, f.noted, s->n, sizeof *f.noted);
    if (st) elimination_clear(out);
    return st;
}

void elimination_clear(elimination *e)
{
    const size_t n = e->n;
    if (!e->a) return;
    ARRAY_FREE(e->a, &e->entries);
    ARRAY_FREE(e->a, &e->pivots);
    ARRAY_FREE(e->a, &e->targets);
    alloc_free(e->a, e->row_first, n, sizeof *e->row_first);
    alloc_free(e->a, e->column_first, n, sizeof *e->column_first);
    alloc_free(e->a, e->row_count, n, sizeof *e->row_count);
    alloc_free(e->a, e->column_count, n, sizeof *e->column_count);
    alloc_free(e->a, e->is_row_out, n, sizeof *e->is_row_out);
    alloc_free(e->a, e->is_column_out, n, sizeof *e->is_column_out);
    *e = (elimination){0};
}

/* ---- numbers: making it ------------------------------------------------------------- */

typedef struct numbering {
    elimination *e;
    int32_t *of_column; /* n: in S */
    uint8_t *level;     /* of the entries of S, see linalg/row_matching.h */
} numbering;

static elimination_entry *entry_of(const numbering *z, int32_t k)
{
    return entry_at(z->e, k);
}

/* Entries in columns that stay. */
static size_t count_kept(const elimination *e)
{
    size_t count = 0;
    for (size_t j = 0; j < e->n; j++)
        if (!e->is_column_out[j]) count += (size_t)e->column_count[j];
    return count;
}

static bool allocate(condensed *c, numbering *z)
{
    arena *a = &c->memory;
    const size_t n = c->n, p = c->pivots, all = c->value_count;
    const size_t kept = c->kept;
    c->column_start = ARENA_ARRAY(a, int64_t, c->count + 1);
    c->row = ARENA_ARRAY(a, int32_t, kept);
    c->kept_row = ARENA_ARRAY(a, int32_t, c->count);
    c->kept_column = ARENA_ARRAY(a, int32_t, c->count);
    c->pivot_row = ARENA_ARRAY(a, int32_t, p);
    c->pivot_column = ARENA_ARRAY(a, int32_t, p);
    c->pivot_at = ARENA_ARRAY(a, uint32_t, p + 1);
    c->below_at = ARENA_ARRAY(a, uint32_t, p);
    c->other = ARENA_ARRAY(a, int32_t, all - kept);
    c->target = ARENA_ARRAY(a, uint32_t, c->target_count);
    z->of_column = alloc_zeroed(a->allocator, n, sizeof *z->of_column);
    z->level = alloc_zeroed(a->allocator, kept, sizeof *z->level);
    return c->column_start && c->row && z->level && c->kept_row
        && c->kept_column && c->pivot_row && c->pivot_column && c->pivot_at
        && c->below_at && c->other && c->target && z->of_column;
}

static void number_kept(condensed *c, numbering *z)
{
    const elimination *e = z->e;
    int32_t rows = 0, columns = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (e->is_row_out[i]) continue;
        c->kept_row[rows++] = (int32_t)i;
    }
    for (size_t j = 0; j < c->n; j++) {
        if (e->is_column_out[j]) continue;
        c->kept_column[columns] = (int32_t)j;
        c->column_start[columns + 1] = c->column_start[columns]
            + e->column_count[j];
        z->of_column[j] = columns++;
    }
}

/* Row by row, in the order of kept_row, so that rows ascend in the columns. */
static void place_kept(condensed *c, numbering *z)
{
    const elimination *e = z->e;
    for (size_t r = 0; r < c->count; r++) {
        int32_t k = e->row_first[c->kept_row[r]];
        for (; k >= 0; k = entry_of(z, k)->next_in_row) {
            const int32_t j = z->of_column[entry_of(z, k)->column];
            const int64_t at = c->column_start[j]++;
            c->row[at] = (int32_t)r;
            z->level[at] = entry_of(z, k)->level;
            entry_of(z, k)->place = (uint32_t)at;
        }
    }
    for (size_t j = c->count; j > 0; j--)
        c->column_start[j] = c->column_start[j - 1];
    c->column_start[0] = 0;
}

/* Rows in the order in which pivots are expected, so that the factorization of S need
 * not reorder them. */
static dae_status align_kept(condensed *c, numbering *z)
{
    arena *a = &c->memory;
    bool is_moved = false;
    const arena_position before = arena_mark(a);
    int32_t *row_of = ARENA_ARRAY(a, int32_t, c->count);
    if (!row_of) return DAE_MEMORY;
    const dae_status st = align_rows(c->count, c->column_start, c->row,
        z->level, a->allocator, row_of, &is_moved);
    if (!st && is_moved) {
        for (size_t r = 0; r < c->count; r++)
            row_of[r] = c->kept_row[row_of[r]];
        memcpy(c->kept_row, row_of, c->count * sizeof *row_of);
        place_kept(c, z);
    }
    arena_release(a, before);
    return st;
}

static void place_pivots(condensed *c, numbering *z)
{
    const elimination *e = z->e;
    uint32_t at = c->kept;
    for (size_t p = 0; p < c->pivots; p++) {
        const int32_t pivot = e->pivots.items[p];
        const int32_t i = entry_of(z, pivot)->row;
        const int32_t j = entry_of(z, pivot)->column;
        c->pivot_row[p] = i;
        c->pivot_column[p] = j;
        c->pivot_at[p] = at;
        entry_of(z, pivot)->place = at++;
        for (int32_t k = e->row_first[i]; k >= 0;
             k = entry_of(z, k)->next_in_row) {
            c->other[at - c->kept] = entry_of(z, k)->column;
            entry_of(z, k)->place = at++;
        }
        c->below_at[p] = at;
        for (int32_t k = e->column_first[j]; k >= 0;
             k = entry_of(z, k)->next_in_column) {
            c->other[at - c->kept] = entry_of(z, k)->row;
            entry_of(z, k)->place = at++;
        }
    }
    c->pivot_at[c->pivots] = at;
    assert(at == c->value_count);
}

/* Of entries row by row those of each column ascend, as in the source. */
static void place_given(
    condensed *c, const elimination_source *s, const numbering *z)
{
    int32_t *next = z->of_column; /* of no other use any more */
    for (size_t j = 0; j < c->n; j++) next[j] = (int32_t)s->column_start[j];
    for (int32_t k = 0; k < (int32_t)c->given; k++) {
        const elimination_entry *at = entry_of(z, k);
        c->place[next[at->column]++] = at->place;
    }
}

dae_status condensed_init(condensed *c, const elimination_source *s,
    elimination *e, const dae_allocator *allocator)
{
    const dae_allocator *a = alloc_or_default(allocator);
    numbering z = {.e = e};
    dae_status st = DAE_MEMORY;
    *c = (condensed){.n = s->n,
        .given = e->given,
        .count = s->n - e->pivots.count,
        .pivots = e->pivots.count,
        .kept = (uint32_t)count_kept(e),
        .value_count = e->entries.count,
        .target_count = e->targets.count};
    assert(e->pivots.count <= s->n);
    arena_init(&c->memory, a, 0);
    if (!allocate(c, &z)) goto done;
    number_kept(c, &z);
    place_kept(c, &z);
    if ((st = align_kept(c, &z))) goto done;
    place_pivots(c, &z);
    for (size_t t = 0; t < c->target_count; t++)
        c->target[t] = entry_of(&z, e->targets.items[t])->place;
    c->place = alloc_zeroed(a, c->given, sizeof *c->place);
    st = c->place ? DAE_OK : DAE_MEMORY;
    if (!st) place_given(c, s, &z);
done:
    alloc_free(a, z.of_column, s->n, sizeof *z.of_column);
    alloc_free(a, z.level, c->kept, sizeof *z.level);
    if (st) condensed_clear(c);
    return st;
}

bool condensed_take_room(condensed *c)
{
    arena *a = &c->memory;
    const arena_position before = arena_mark(a);
    if (c->values) return true;
    double *values = ARENA_ARRAY(a, double, c->value_count);
    c->right = ARENA_ARRAY(a, double, c->pivots);
    c->left = ARENA_ARRAY(a, double, c->count);
    if (values && c->right && c->left) c->values = values;
    else arena_release(a, before);
    return c->values != NULL;
}

void condensed_forget_places(condensed *c)
{
    if (!c->memory.allocator) return;
    alloc_free(c->memory.allocator, c->place, c->given, sizeof *c->place);
    c->place = NULL;
}

void condensed_clear(condensed *c)
{
    if (!c->memory.allocator) return;
    condensed_forget_places(c);
    arena_clear(&c->memory);
    *c = (condensed){0};
}

/* --- its cost --- */

/* In operations on a full matrix (linear_cost), from perf counts of runs:
 * multiplications of an elimination, an entry beside or below a pivot, there and
 * in each solution, and a row of a solution. */
enum { PRODUCT = 6, BESIDE = 6, ROW = 10 };

double condensed_cost(const condensed *c, const linear *rest, double solves)
{
    const double beside = (double)c->value_count
        - (double)c->column_start[c->count] - (double)c->pivots;
    return linear_cost(rest, solves) + PRODUCT * (double)c->target_count
        + (solves + 1) * (BESIDE * beside + ROW * (double)c->n);
}

bool condensed_saves(
    const condensed *c, const linear *whole, const linear *rest)
{
    const double before = linear_cost(whole, LINEAR_SOLVES);
    const double after = condensed_cost(c, rest, LINEAR_SOLVES);
    if (isnan(before) || isnan(after))
        return (double)c->pivots >= DIGIT * (double)c->n;
    return before - after >= fmax(DIGIT * before, CONDENSED_LEAST);
}

/* --- numbers --- */

/* Eliminates pivot p from the rows below it; returns the remaining targets. */
static const uint32_t *take_out(
    condensed *c, size_t p, double inverse, const uint32_t *target)
{
    double *v = c->values;
    const uint32_t below = c->below_at[p];
    for (uint32_t l = below; l < c->pivot_at[p + 1]; l++) {
        const double factor = v[l] *= inverse;
        for (uint32_t u = c->pivot_at[p] + 1; u < below; u++)
            v[*target++] -= factor * v[u];
    }
    return target;
}

bool condensed_eliminate(condensed *c)
{
    const uint32_t *target = c->target;
    for (size_t p = 0; p < c->pivots; p++) {
        double *pivot = &c->values[c->pivot_at[p]];
        *pivot = 1 / *pivot;
        if (!isfinite(*pivot)) return false;
        target = take_out(c, p, *pivot, target);
    }
    return true;
}

int condensed_sign(const condensed *c)
{
    int sign = 1;
    for (size_t p = 0; p < c->pivots; p++)
        if (c->values[c->pivot_at[p]] < 0) sign = -sign;
    return sign;
}

/* b -= v right at the places `row`, which differ: four of them do not wait for each
 * other. */
static void take_right(double *restrict b, const double *restrict v,
    const int32_t *restrict row, size_t count, double right)
{
    size_t l = 0;
    for (; l + 4 <= count; l += 4) {
        const double b0 = b[row[l]] - v[l] * right;
        const double b1 = b[row[l + 1]] - v[l + 1] * right;
        const double b2 = b[row[l + 2]] - v[l + 2] * right;
        const double b3 = b[row[l + 3]] - v[l + 3] * right;
        b[row[l]] = b0;
        b[row[l + 1]] = b1;
        b[row[l + 2]] = b2;
        b[row[l + 3]] = b3;
    }
    for (; l < count; l++) b[row[l]] -= v[l] * right;
}

void condensed_reduce(condensed *c, double *b)
{
    for (size_t p = 0; p < c->pivots; p++) {
        const uint32_t below = c->below_at[p];
        const double right = c->right[p] = b[c->pivot_row[p]];
        take_right(b, c->values + below, c->other + (below - c->kept),
            c->pivot_at[p + 1] - below, right);
    }
    for (size_t r = 0; r < c->count; r++) c->left[r] = b[c->kept_row[r]];
}

void condensed_expand(const condensed *c, double *x)
{
    for (size_t j = 0; j < c->count; j++) x[c->kept_column[j]] = c->left[j];
    for (size_t p = c->pivots; p-- > 0;) {
        const uint32_t at = c->pivot_at[p], count = c->below_at[p] - at;
        const double *v = c->values + at;
        const int32_t *column = c->other + (at - c->kept);
        double sum = c->right[p];
        for (uint32_t u = 1; u < count; u++) sum -= v[u] * x[column[u]];
        x[c->pivot_column[p]] = sum * v[0];
    }
}

void condensed_sizes(const condensed *c, const double *of_row, double *size)
{
    for (size_t p = 0; p < c->pivots; p++)
        size[c->pivot_column[p]] = of_row[c->pivot_row[p]]
            * fabs(c->values[c->pivot_at[p]]);
}

void condensed_weights(
    const condensed *c, const double *weights, double *room, double *kept)
{
    for (size_t j = 0; j < c->n; j++) room[j] = weights[j] * weights[j];
    for (size_t p = 0; p < c->pivots; p++) {
        const uint32_t at = c->pivot_at[p], count = c->below_at[p] - at;
        const double *v = c->values + at;
        const int32_t *column = c->other + (at - c->kept);
        const double square = room[c->pivot_column[p]] * v[0] * v[0];
        for (uint32_t u = 1; u < count; u++)
            room[column[u]] += square * v[u] * v[u];
    }
    for (size_t j = 0; j < c->count; j++)
        kept[j] = sqrt(room[c->kept_column[j]]);
}
