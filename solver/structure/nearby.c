/* Some columns, evenly spaced, are seeds. One breadth-first search from all of
 * them at once, from columns to their rows and from rows to their columns,
 * divides the rest among them: each seed ends up with what is near it. Then
 * rows and columns are sorted by seed. */
#include "structure/nearby.h"

/* Memory that will be wanted soon. */
#if defined(__GNUC__)
#define ASK_FOR(address) __builtin_prefetch(address)
#else
#define ASK_FOR(address) ((void)(address))
#endif

enum {
    NONE = -1,
    /* columns to a seed: a few kilobytes of each array, and many seeds
     * where the arrays are larger than a cache */
    SPACING = 256,
    BATCH = 64,
};

/* Rows or columns, with their entries: members of the other side. */
typedef struct side {
    size_t count;
    const int64_t *start; /* count + 1 */
    const int32_t *entry;
    int32_t *seed_of; /* NONE: not yet met */
    int32_t *queue; /* members in the order in which they were met; one more */
    size_t head, tail;
    int32_t *number_at; /* the result: sorted by seed */
} side;

typedef struct clusters {
    side rows, columns;
    size_t entries;
    int64_t *row_start; /* the signature by rows */
    int32_t *column;
    int32_t *next; /* seeds: where their members go on */
    size_t seed_count;
    const dae_allocator *a;
} clusters;

static dae_status side_init(side *s, const dae_allocator *a)
{
    s->seed_of = alloc_zeroed(a, s->count, sizeof *s->seed_of);
    s->queue = alloc_zeroed(a, s->count + 1, sizeof *s->queue);
    if (!s->seed_of || !s->queue) return DAE_MEMORY;
    for (size_t k = 0; k < s->count; k++) s->seed_of[k] = NONE;
    return DAE_OK;
}

static void side_clear(side *s, const dae_allocator *a)
{
    alloc_free(a, s->seed_of, s->count, sizeof *s->seed_of);
    alloc_free(a, s->queue, s->count + 1, sizeof *s->queue);
}

/* As graph/transpose does, without the way back. */
static dae_status sort_by_rows(clusters *k, const dae_signature *s)
{
    int64_t sum = 0;
    k->row_start = alloc_zeroed(k->a, s->rows + 1, sizeof *k->row_start);
    k->column = alloc_zeroed(k->a, k->entries, sizeof *k->column);
    if (!k->row_start || !k->column) return DAE_MEMORY;
    int64_t *start = k->row_start;
    for (size_t p = 0; p < k->entries; p++) start[s->row[p]]++;
    for (size_t i = 0; i <= s->rows; i++) start[i] = sum += start[i];
    /* now the ends; filling from the last column down makes them starts */
    for (size_t j = s->columns; j-- > 0;)
        for (int64_t p = s->column_start[j]; p < s->column_start[j + 1]; p++)
            k->column[--start[s->row[p]]] = (int32_t)j;
    return DAE_OK;
}

/* ---- the search ------------------------------------------------------------------ */

/* A batch of what was met on one side leads on to the other. Memory answers
 * slowly, but many questions at once: so a batch first asks for where entries
 * stand, then for the entries, with nothing to decide in between. */
static void go_on(side *from, side *to)
{
    int64_t begin[BATCH], end[BATCH];
    int32_t seed[BATCH];
    size_t count = from->tail - from->head;
    if (count > BATCH) count = BATCH;
    for (size_t b = 0; b < count; b++) {
        const int32_t member = from->queue[from->head + b];
        begin[b] = from->start[member];
        end[b] = from->start[member + 1];
        seed[b] = from->seed_of[member];
        ASK_FOR(from->entry + begin[b]);
    }
    int32_t *queue = to->queue, *seed_of = to->seed_of;
    size_t tail = to->tail;
    for (size_t b = 0; b < count; b++)
        for (int64_t p = begin[b]; p < end[b]; p++)
            ASK_FOR(seed_of + from->entry[p]);
    for (size_t b = 0; b < count; b++) {
        for (int64_t p = begin[b]; p < end[b]; p++) {
            const int32_t other = from->entry[p], old = seed_of[other];
            queue[tail] = other;
            tail += old == NONE;
            seed_of[other] = old == NONE ? seed[b] : old;
        }
    }
    to->tail = tail;
    from->head += count;
}

/* Each member leads on once, so all together look at each entry twice. */
static void search(clusters *k)
{
    while (k->columns.head < k->columns.tail || k->rows.head < k->rows.tail) {
        while (k->columns.head < k->columns.tail) go_on(&k->columns, &k->rows);
        while (k->rows.head < k->rows.tail) go_on(&k->rows, &k->columns);
    }
}

static void sow(clusters *k, side *s, size_t member)
{
    s->seed_of[member] = (int32_t)k->seed_count++;
    s->queue[s->tail++] = (int32_t)member;
}

static void find_clusters(clusters *k)
{
    for (size_t j = 0; j < k->columns.count; j += SPACING)
        sow(k, &k->columns, j);
    search(k);
    /* what no seed reached, a batch at a time: small components */
    for (size_t j = 0; j < k->columns.count; j++) {
        if (k->columns.seed_of[j] == NONE) sow(k, &k->columns, j);
        if (k->columns.tail - k->columns.head == BATCH) search(k);
    }
    search(k);
    /* rows without entries */
    for (size_t i = 0; i < k->rows.count; i++)
        if (k->rows.seed_of[i] == NONE) sow(k, &k->rows, i);
}

/* By seed, and among the members of a seed as they were met. */
static void sort_by_seed(const clusters *k, const side *s)
{
    int32_t sum = 0;
    for (size_t b = 0; b < k->seed_count; b++) k->next[b] = 0;
    for (size_t m = 0; m < s->count; m++) k->next[s->seed_of[m]]++;
    for (size_t b = 0; b < k->seed_count; b++) {
        const int32_t size = k->next[b];
        k->next[b] = sum;
        sum += size;
    }
    for (size_t m = 0; m < s->count; m++)
        s->number_at[k->next[s->seed_of[s->queue[m]]]++] = s->queue[m];
}

static dae_status cluster(clusters *k, const dae_signature *s)
{
    dae_status st = sort_by_rows(k, s);
    if (!st) st = side_init(&k->columns, k->a);
    if (!st) st = side_init(&k->rows, k->a);
    if (st) return st;
    k->rows.start = k->row_start;
    k->rows.entry = k->column;
    find_clusters(k);
    k->next = alloc_zeroed(k->a, k->seed_count, sizeof *k->next);
    if (!k->next) return DAE_MEMORY;
    sort_by_seed(k, &k->rows);
    sort_by_seed(k, &k->columns);
    return DAE_OK;
}

static void clusters_clear(clusters *k)
{
    alloc_free(k->a, k->row_start, k->rows.count + 1, sizeof *k->row_start);
    alloc_free(k->a, k->column, k->entries, sizeof *k->column);
    alloc_free(k->a, k->next, k->seed_count, sizeof *k->next);
    side_clear(&k->rows, k->a);
    side_clear(&k->columns, k->a);
}

/* ---- the renumbered signature ------------------------------------------------------ */

/* `new_row`: what each row's number becomes. */
static void renumber(nearby *q, const dae_signature *s, int32_t *new_row)
{
    int64_t to = 0;
    for (size_t i = 0; i < s->rows; i++) new_row[q->row_at[i]] = (int32_t)i;
    for (size_t j = 0; j < s->columns; j++) {
        const int32_t old = q->column_at[j];
        const int64_t end = s->column_start[old + 1];
        for (int64_t p = s->column_start[old]; p < end; p++, to++) {
            q->row[to] = new_row[s->row[p]];
            q->order[to] = s->order[p];
        }
        q->column_start[j + 1] = to;
    }
    q->s.column_start = q->column_start;
    q->s.row = q->row;
    q->s.order = q->order;
}

static dae_status nearby_allocate(nearby *q)
{
    const dae_allocator *a = q->allocator;
    const dae_signature *s = &q->s;
    q->row_at = alloc_zeroed(a, s->rows, sizeof *q->row_at);
    q->column_at = alloc_zeroed(a, s->columns, sizeof *q->column_at);
    q->column_start = alloc_zeroed(a, s->columns + 1, sizeof *q->column_start);
    q->row = alloc_zeroed(a, q->entries, sizeof *q->row);
    q->order = alloc_zeroed(a, q->entries, sizeof *q->order);
    const bool ok = q->row_at && q->column_at && q->column_start && q->row
        && q->order;
    return ok ? DAE_OK : DAE_MEMORY;
}

void nearby_clear(nearby *q)
{
    const dae_allocator *a = q->allocator;
    const dae_signature *s = &q->s;
    if (!a) return;
    alloc_free(a, q->row_at, s->rows, sizeof *q->row_at);
    alloc_free(a, q->column_at, s->columns, sizeof *q->column_at);
    alloc_free(a, q->column_start, s->columns + 1, sizeof *q->column_start);
    alloc_free(a, q->row, q->entries, sizeof *q->row);
    alloc_free(a, q->order, q->entries, sizeof *q->order);
    *q = (nearby){0};
}

dae_status nearby_init(
    nearby *q, const dae_signature *s, const dae_allocator *allocator)
{
    const dae_allocator *a = alloc_or_default(allocator);
    *q = (nearby){.s = *s,
        .entries = (size_t)s->column_start[s->columns],
        .allocator = a};
    dae_status st = nearby_allocate(q);
    clusters k = {
        .rows = {.count = s->rows, .number_at = q->row_at},
        .columns = {.count = s->columns,
            .start = s->column_start,
            .entry = s->row,
            .number_at = q->column_at},
        .entries = q->entries,
        .a = a,
    };
    if (!st) st = cluster(&k, s);
    if (!st) renumber(q, s, k.rows.queue); /* used up */
    clusters_clear(&k);
    if (st) nearby_clear(q);
    return st;
}
