#include "run/tape.h"
#include <math.h>
#include <string.h>

/* Points: hundreds see every turn of what steps resolve; fewer of large models. */
enum { MOST_ROWS = 2000, LEAST_ROWS = 16, MOST_VALUES = 1 << 24 };
/* Rows to either side whose values count as nearby. */
enum { NEARBY = 8, NEARBY_PART = 50 };
/* Part of the times that may lie between an event of one run and the same event
 * of the other. */
static const double MOST_BETWEEN = 0.1;

/* ---- recording ---- */

static double *row_of(const tape *k, size_t p)
{
    return k->x + p * k->state_count;
}

static void copy_row(tape *k, size_t to, size_t from)
{
    k->times[to] = k->times[from];
    k->events[to] = k->events[from];
    memcpy(row_of(k, to), row_of(k, from), k->state_count * sizeof *k->x);
}

/* Every other row. */
static void thin_out(tape *k)
{
    size_t kept = 0;
    for (size_t p = 1; p < k->count; p += 2) copy_row(k, kept++, p);
    k->count = kept;
    k->stride *= 2;
}

static void put_row(tape *k, double t, const double *x)
{
    k->times[k->count] = t;
    k->events[k->count] = k->run->event_count;
    memcpy(row_of(k, k->count), x, k->state_count * sizeof *k->x);
    k->count++;
}

/* The last row is left for the end. */
static dae_status see_row(void *context, const dae_point *p)
{
    tape *k = context;
    if (p->why
        & (DAE_POINT_START | DAE_POINT_BEFORE | DAE_POINT_AFTER
            | DAE_POINT_END))
        return DAE_OK;
    if (++k->passed < k->stride) return DAE_OK;
    k->passed = 0;
    if (k->count + 1 == k->room) thin_out(k);
    put_row(k, p->t, p->x);
    return DAE_OK;
}

static dae_status see_mark(void *context, const dae_point *p)
{
    tape *k = context;
    if (k->count + 1 < k->room) put_row(k, p->t, p->x);
    return DAE_OK;
}

static bool make_room(tape *k, size_t rows)
{
    k->room = rows;
    k->times = ARENA_ARRAY(&k->memory, double, rows);
    k->events = ARENA_ARRAY(&k->memory, int64_t, rows);
    k->x = ARENA_ARRAY(&k->memory, double, rows * k->state_count);
    k->atol = ARENA_ARRAY(&k->memory, double, k->state_count);
    return k->times && k->events && k->x && k->atol;
}

static size_t rows_for(size_t state_count)
{
    const size_t rows = MOST_VALUES / (state_count + 1);
    if (rows > MOST_ROWS) return MOST_ROWS;
    return rows < LEAST_ROWS ? LEAST_ROWS : rows;
}

static void note_tolerances(tape *k, const solution *r)
{
    const uint8_t *order = r->problem.order;
    size_t s = 0;
    k->rtol = solution_rtol(r);
    for (size_t j = 0; j < r->unknown_count; j++) {
        const int states = order && order[j] > 1 ? order[j] : 1;
        const bool is_internal = dae_group_is_internal(&r->problem, j);
        const double atol = is_internal ? (double)INFINITY
                                        : solution_atol(r, j);
        for (int q = 0; q < states; q++) k->atol[s++] = atol;
    }
}

dae_status tape_attach(tape *k, solution *r, const tape *like)
{
    *k = (tape){.run = r, .state_count = r->state_count, .stride = 1};
    arena_init(&k->memory, r->request->allocator, 0);
    r->grid = (grid){.kind = GRID_DENSE, .t0 = r->t0, .t1 = r->t1};
    if (!make_room(k, like ? like->count : rows_for(k->state_count)))
        return DAE_MEMORY;
    note_tolerances(k, r);
    r->context = k;
    r->see = like ? see_mark : see_row;
    r->wants = like ? DAE_POINT_MARK : DAE_POINT_STEP | DAE_POINT_ROW;
    r->marks = like ? like->times : NULL;
    r->mark_count = like ? like->count - 1 : 0;
    return DAE_OK;
}

void tape_end(tape *k, const solution *r)
{
    put_row(k, r->t, r->x);
    k->is_stopped = r->is_stopped;
    k->ends_at_event = solution_ends_at_event(r);
    k->run = NULL;
}

void tape_clear(tape *k)
{
    arena_clear(&k->memory);
    memset(k, 0, sizeof *k);
}

/* ---- two of them ---- */

/* Of the rows of a large model, which are few, the same part, but one. */
static size_t rows_nearby(const tape *k)
{
    const size_t part = k->count / NEARBY_PART;
    return part < 1 ? 1 : part < NEARBY ? part : NEARBY;
}

static double size_nearby(const tape *k, size_t p, size_t s)
{
    const size_t rows = rows_nearby(k), first = p < rows ? 0 : p - rows;
    double size = 0;
    for (size_t q = first; q < k->count && q <= p + rows; q++)
        size = fmax(size, fabs(row_of(k, q)[s]));
    return size;
}

static void compare_rows(
    const tape *a, size_t p, const tape *b, size_t q, tape_gap *gap)
{
    const double *x = row_of(a, p), *y = row_of(b, q);
    for (size_t s = 0; s < a->state_count; s++) {
        const double off = fabs(x[s] - y[s]);
        if (!(off > gap->size * b->atol[s])) continue;
        const double size = off / (b->rtol * size_nearby(b, q, s) + b->atol[s]);
        if (size > gap->size)
            *gap = (tape_gap){.size = size, .state = s, .t = b->times[q]};
    }
}

/* One more is no other one where it is so near to the end of the interval that
 * the other run may have it still ahead. */
static bool have_same_events(const tape *a, const tape *b)
{
    const int64_t of_a = a->events[a->count - 1],
                  of_b = b->events[b->count - 1];
    if (a->is_stopped != b->is_stopped) return false;
    if (of_a == of_b || a->is_stopped) return of_a == of_b;
    return of_a > of_b ? a->ends_at_event : b->ends_at_event;
}

tape_gap tape_compare(const tape *a, const tape *b)
{
    const size_t inner = (a->count < b->count ? a->count : b->count) - 1;
    size_t between = 0;
    tape_gap gap = {.t = b->times[b->count - 1]};
    for (size_t p = 0; p < inner; p++)
        if (a->events[p] != b->events[p]) between++;
        else compare_rows(a, p, b, p, &gap);
    if (!have_same_events(a, b)
        || (double)between > MOST_BETWEEN * (double)inner)
        return (tape_gap){.size = (double)INFINITY, .has_events = true};
    if (a->events[a->count - 1] == b->events[b->count - 1])
        compare_rows(a, a->count - 1, b, b->count - 1, &gap);
    return gap;
}
