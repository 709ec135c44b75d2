#include "run/tape.h"
#include <dae/names.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Points: hundreds see every turn of what steps resolve; fewer of large models. */
enum { MOST_ROWS = 2000, LEAST_ROWS = 16, MOST_VALUES = 1 << 24 };
/* Rows to either side whose values count as nearby. */
enum { NEARBY = 8, NEARBY_PART = 50 };
/* Part of the times that may lie between an event of one run and the same event
 * of the other. */
static const double MOST_BETWEEN = 0.1;

/* ---- recording ---- */

static void copy_row(tape *k, size_t to, size_t from)
{
    k->times[to] = k->times[from];
    k->events[to] = k->events[from];
    memcpy(tape_row(k, to), tape_row(k, from), k->state_count * sizeof *k->x);
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
    if (x != tape_row(k, k->count))
        memcpy(tape_row(k, k->count), x, k->state_count * sizeof *k->x);
    k->count++;
}

/* The last row is left for the end. */
static void note(tape *k, double t, const double *x)
{
    if (++k->passed < k->stride) return;
    k->passed = 0;
    if (k->count + 1 == k->room) thin_out(k);
    put_row(k, t, x);
}

static dae_status see_row(void *context, const dae_point *p)
{
    static const unsigned others = DAE_POINT_START | DAE_POINT_BEFORE
        | DAE_POINT_AFTER | DAE_POINT_END;
    if (!(p->why & others)) note(context, p->t, p->x);
    return DAE_OK;
}

dae_status tape_mark(void *context, const dae_point *p)
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

static dae_status begin(tape *k, const solution *r, size_t rows)
{
    *k = (tape){.run = r, .state_count = r->state_count, .stride = 1};
    arena_init(&k->memory, r->request->allocator, 0);
    if (!make_room(k, rows)) return DAE_MEMORY;
    note_tolerances(k, r);
    return DAE_OK;
}

dae_status tape_follow(tape *k, solution *r, size_t rows)
{
    const dae_status st = begin(k, r, rows + 2);
    k->apart = fabs(r->t1 - r->t0) / (double)rows;
    if (!st) r->tape = k;
    return st;
}

dae_status tape_attach(tape *k, solution *r, const tape *like)
{
    const dae_status st = begin(
        k, r, like ? like->count : rows_for(r->state_count));
    if (st) return st;
    r->grid = (grid){.kind = GRID_DENSE, .t0 = r->t0, .t1 = r->t1};
    r->context = k;
    r->see = like ? tape_mark : see_row;
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

dae_status tape_record(tape *k, solution *r, const tape *like)
{
    dae_status st = tape_attach(k, r, like);
    if (!st) st = solution_start(r);
    if (!st) st = solution_steps(r);
    if (!st) tape_end(k, r);
    return st;
}

void tape_clear(tape *k)
{
    arena_clear(&k->memory);
    memset(k, 0, sizeof *k);
}

/* The last time, or where the step began, which is far from it after an event. */
static double last_time(const tape *k, const solution *r)
{
    const double last = k->count > 0 ? k->times[k->count - 1] : r->t0;
    return fabs(r->t - last) < k->apart ? last : r->t;
}

/* What lies in the step up to `end`; the next is the end of a step, if it can be. */
static dae_status take_inside(tape *k, const solution *r, double end)
{
    const double apart = r->t1 < r->t0 ? -k->apart : k->apart;
    double last = last_time(k, r);
    dae_status st = DAE_OK;
    while (!st && fabs(end - last) >= 2 * k->apart && k->count + 1 < k->room) {
        double *x = tape_row(k, k->count);
        last += apart;
        st = dae_solver_interpolate(r->solver, last, x, NULL);
        if (!st) put_row(k, last, x);
    }
    return st;
}

dae_status tape_step(tape *k, const solution *r)
{
    const double end = r->step_end;
    const dae_status st = take_inside(k, r, end);
    const double last = last_time(k, r);
    const bool is_inner = fabs(end - r->t1) > 0
        && !dae_solver_stands_at_event(r->solver);
    if (!st && is_inner && fabs(end - last) >= k->apart
        && k->count + 1 < k->room)
        put_row(k, end, dae_solver_x(r->solver));
    return st;
}

/* ---- names ---- */

size_t tape_unknown(const solution *r, size_t state, size_t *derivative)
{
    const uint8_t *order = r->problem.order;
    size_t j = 0;
    for (; j < r->unknown_count; j++) {
        const size_t states = order && order[j] > 1 ? order[j] : 1;
        if (state < states) break;
        state -= states;
    }
    *derivative = state;
    return j;
}

bool tape_state_name(const solution *r, size_t state, char name[TAPE_NAME_SIZE])
{
    static const char *const primes[] = {"", "'", "''"};
    dae_name_buffer buffer = {0};
    size_t derivative;
    const size_t j = tape_unknown(r, state, &derivative);
    const char *text = j < r->unknown_count
        ? dae_name_of(&r->problem, DAE_NAME_UNKNOWN, j, &buffer)
        : "?";
    (void)snprintf(name, TAPE_NAME_SIZE, "%.40s%s", text,
        primes[derivative < 2 ? derivative : 2]);
    return dae_name_done(&buffer);
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
        size = fmax(size, fabs(tape_row(k, q)[s]));
    return size;
}

static void compare_rows(
    const tape *a, size_t p, const tape *b, size_t q, tape_gap *gap)
{
    const double *x = tape_row(a, p), *y = tape_row(b, q);
    for (size_t s = 0; s < a->state_count; s++) {
        const double off = fabs(x[s] - y[s]);
        if (!(off > gap->size * b->atol[s])) continue;
        const double size = off / (b->rtol * size_nearby(b, q, s) + b->atol[s]);
        if (size > gap->size)
            *gap = (tape_gap){.size = size,
                .state = s,
                .t = b->times[q],
                .values = {x[s], y[s]}};
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

/* The first rows of both. */
static tape_gap compare_first(const tape *a, const tape *b, size_t count)
{
    size_t between = 0;
    tape_gap gap = {.size = 0};
    for (size_t p = 0; p < count; p++)
        if (a->events[p] != b->events[p]) between++;
        else compare_rows(a, p, b, p, &gap);
    gap.has_events = (double)between > MOST_BETWEEN * (double)count;
    return gap;
}

tape_gap tape_compare_part(const tape *a, const tape *b)
{
    const size_t inner = a->count > 0 ? a->count - 1 : 0;
    return compare_first(a, b, inner < b->count ? inner : b->count);
}

tape_gap tape_compare(const tape *a, const tape *b)
{
    tape_gap gap = compare_first(
        a, b, (a->count < b->count ? a->count : b->count) - 1);
    if (!(gap.size > 0)) gap.t = b->times[b->count - 1];
    gap.has_events = gap.has_events || !have_same_events(a, b);
    if (gap.has_events) return gap;
    if (a->events[a->count - 1] == b->events[b->count - 1])
        compare_rows(a, a->count - 1, b, b->count - 1, &gap);
    return gap;
}
