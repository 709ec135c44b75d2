/* Projecting points on constraints. */
#include "reduce/project.h"
#include "linalg/jacobian.h"
#include <math.h>
#include <string.h>

/* How far off the constraints a point may stay, in tolerances of the states: a
 * hundredth, less what gradients of a point before may be off themselves. */
static const double OFF_MOST = 0.0025;
/* Where rounding does not allow that. */
static const double OFF_ROUNDING = 1;
/* Rates: the next point gets a new matrix; this one does. */
static const double RATE_SLOW = 0.1, RATE_MOST = 0.5;
enum { ITERATIONS_MOST = 8 };

void projection_free(projection *p)
{
    if (!p) return;
    const dae_allocator *a = p->arena.allocator;
    kkt_free(p->kkt);
    arena_clear(&p->arena);
    alloc_free(a, p, 1, sizeof *p);
}

static dae_status list_rows(projection *p, const pick *k, int32_t *number)
{
    const extended *e = p->now->e;
    p->row = ARENA_ARRAY(&p->arena, int32_t, e->rows);
    if (!p->row) return DAE_MEMORY;
    for (size_t i = 0; i < e->rows; i++) {
        number[i] = k->is_out[i] ? (int32_t)p->rows : -1;
        if (k->is_out[i]) p->row[p->rows++] = (int32_t)i;
    }
    return DAE_OK;
}

/* Extended columns by the slot of x they live in: linked lists. */
typedef struct sharing {
    int32_t *head, *next; /* slots; columns */
} sharing;

static bool share_slots(projection *p, sharing *s)
{
    const size_t columns = p->now->e->columns;
    s->head = ARENA_ARRAY(&p->arena, int32_t, p->slots);
    s->next = ARENA_ARRAY(&p->arena, int32_t, columns);
    if (!s->head || !s->next) return false;
    memset(s->head, 0xff, p->slots * sizeof *s->head);
    for (size_t c = columns; c-- > 0;) {
        const int32_t slot = p->now->slot_of[c];
        if (slot < 0 || (size_t)slot >= p->slots) continue;
        s->next[c] = s->head[slot];
        s->head[slot] = (int32_t)c;
    }
    return true;
}

/* Puts a row into [begin, end), ascending; whether it was not there. */
static bool insert_row(int32_t *row, int64_t begin, int64_t end, int32_t i)
{
    int64_t at = end;
    while (at > begin && row[at - 1] > i) at--;
    if (at > begin && row[at - 1] == i) return false;
    for (int64_t k = end; k > at; k--) row[k] = row[k - 1];
    row[at] = i;
    return true;
}

static int64_t find_row(
    const int32_t *row, int64_t begin, int64_t end, int32_t i)
{
    while (begin < end) {
        const int64_t middle = begin + (end - begin) / 2;
        if (row[middle] < i) begin = middle + 1;
        else end = middle;
    }
    return begin;
}

static void fill_pattern(projection *p, const sharing *s, const int32_t *number,
    int64_t *start, int32_t *row)
{
    const dae_pattern *from = p->now->e->problem.pattern;
    int64_t end = 0;
    for (size_t slot = 0; slot < p->slots; slot++) {
        const int64_t begin = start[slot] = end;
        for (int32_t c = s->head[slot]; c >= 0; c = s->next[c])
            for (int64_t k = from->column_start[c];
                 k < from->column_start[c + 1]; k++)
                if (number[from->row[k]] >= 0)
                    end += insert_row(row, begin, end, number[from->row[k]]);
        for (int32_t c = s->head[slot]; c >= 0; c = s->next[c])
            for (int64_t k = from->column_start[c];
                 k < from->column_start[c + 1]; k++)
                if (number[from->row[k]] >= 0)
                    p->target[k] = find_row(
                        row, begin, end, number[from->row[k]]);
    }
    start[p->slots] = end;
    p->pattern = (dae_pattern){.column_start = start, .row = row};
}

static dae_status make_pattern(projection *p, const pick *k)
{
    arena *a = &p->arena;
    sharing s;
    const extended *e = p->now->e;
    const size_t most = (size_t)e->problem.pattern->column_start[e->columns];
    int32_t *number = ARENA_ARRAY(a, int32_t, e->rows);
    int64_t *start = ARENA_ARRAY(a, int64_t, p->slots + 1);
    int32_t *row = ARENA_ARRAY(a, int32_t, most);
    p->target = ARENA_ARRAY(a, int64_t, most);
    if (!number || !start || !row || !p->target || !share_slots(p, &s))
        return DAE_MEMORY;
    const dae_status st = list_rows(p, k, number);
    if (st) return st;
    memset(p->target, 0xff, most * sizeof *p->target);
    fill_pattern(p, &s, number, start, row);
    p->values = ARENA_ARRAY(a, double, (size_t)start[p->slots]);
    p->jacobian = ARENA_ARRAY(a, double, most);
    return p->values && p->jacobian ? DAE_OK : DAE_MEMORY;
}

static dae_status make(projection *p, const pick *k)
{
    arena *a = &p->arena;
    const extended *e = p->now->e;
    const dae_status st = make_pattern(p, k);
    if (st) return st;
    p->scale = ARENA_ARRAY(a, double, p->slots);
    p->change = ARENA_ARRAY(a, double, p->slots);
    p->unit = ARENA_ARRAY(a, double, p->rows);
    p->residual = ARENA_ARRAY(a, double, p->rows);
    p->columns = ARENA_ARRAY(a, double, e->columns);
    p->all = ARENA_ARRAY(a, double, e->rows);
    if (!p->scale || !p->change || !p->unit || !p->residual || !p->columns
        || !p->all)
        return DAE_MEMORY;
    return kkt_create(p->rows, p->slots, p->pattern.column_start,
        p->pattern.row, 0, a->allocator, &p->kkt);
}

dae_status projection_create(reduced *now, const pick *k, dae_stats *stats,
    const dae_allocator *allocator, projection **out)
{
    const dae_allocator *a = alloc_or_default(allocator);
    *out = NULL;
    projection *p = alloc_zeroed(a, 1, sizeof *p);
    if (!p) return DAE_MEMORY;
    p->now = now;
    p->stats = stats;
    p->slots = now->layout.states;
    arena_init(&p->arena, a, 0);
    const dae_status st = make(p, k);
    if (st) projection_free(p);
    else *out = p;
    return st;
}

/* ---- at a point ----------------------------------------------------------- */

static dae_status evaluate(
    projection *p, double t, const double *x, const double *xp)
{
    const dae_problem *e = &p->now->e->problem;
    reduced_scatter(p->now, x, xp, p->columns);
    p->stats->residual_evals++;
    const dae_status st = e->residual(e->self, t, p->columns, NULL, p->all);
    if (st) return st;
    for (size_t i = 0; i < p->rows; i++) p->residual[i] = p->all[p->row[i]];
    return any_overflow(p->residual, p->rows) ? DAE_RETRY : DAE_OK;
}

/* The Jacobian at the point in `columns`, or a newer one than before of the
 * corrector's. */
static dae_status take_jacobian(projection *p, double t)
{
    const dae_problem *e = &p->now->e->problem;
    const double *from = p->now->values;
    if (p->evaluations == p->now->evaluations) {
        p->stats->jacobian_evals++;
        const dae_status st = e->jacobian(
            e->self, DAE_ALL, t, p->columns, NULL, p->jacobian);
        if (st) return st;
        from = p->jacobian;
    }
    const size_t most = (size_t)e->pattern->column_start[p->now->e->columns];
    memset(p->values, 0,
        (size_t)p->pattern.column_start[p->slots] * sizeof *p->values);
    for (size_t k = 0; k < most; k++)
        if (p->target[k] >= 0) p->values[p->target[k]] += from[k];
    return DAE_OK;
}

/* What a tolerance of the states makes of each constraint. */
static void measure(projection *p, const double *w)
{
    memset(p->unit, 0, p->rows * sizeof *p->unit);
    for (size_t s = 0; s < p->slots; s++) {
        const double tolerance = w[s] > 0 ? 1 / w[s] : 0;
        int64_t k = p->pattern.column_start[s];
        for (; k < p->pattern.column_start[s + 1]; k++)
            p->unit[p->pattern.row[k]] += fabs(p->values[k]) * tolerance;
    }
}

/* With the least change measured by the weights as they are now. */
static dae_status factor(projection *p, double t, const double *w)
{
    p->is_factored = false;
    dae_status st = take_jacobian(p, t);
    if (st) return st;
    for (size_t s = 0; s < p->slots; s++) p->scale[s] = w[s] > 0 ? 1 / w[s] : 0;
    measure(p, w);
    p->stats->factorizations++;
    st = kkt_factor(p->kkt, p->values, p->scale);
    p->is_factored = st == DAE_OK;
    if (st != DAE_MEMORY) {
        p->evaluations = p->now->evaluations;
        p->is_slow = false;
    }
    return st == DAE_NUMERIC ? DAE_RETRY : st;
}

/* The largest violation in tolerances of what is in the constraint. */
static double violation(const projection *p)
{
    double most = 0;
    for (size_t i = 0; i < p->rows; i++)
        if (fabs(p->residual[i]) > most * p->unit[i])
            most = p->unit[i] > 0 ? fabs(p->residual[i]) / p->unit[i]
                                  : HUGE_VAL;
    return most;
}

static dae_status move(projection *p, double *x, double *d)
{
    const dae_status st = kkt_solve(p->kkt, p->residual, NULL, p->change);
    if (st) return st == DAE_NUMERIC ? DAE_RETRY : st;
    for (size_t s = 0; s < p->slots; s++) {
        x[s] += p->change[s];
        d[s] += p->change[s];
    }
    return DAE_OK;
}

/* Newton's method; what is needed for the next point stays with `p`. */
static dae_status approach(projection *p, double t, double *x, const double *xp,
    double *d, const double *w)
{
    double before = HUGE_VAL;
    if (p->is_factored) measure(p, w);
    for (int k = 0; k < ITERATIONS_MOST; k++) {
        dae_status st = evaluate(p, t, x, xp);
        if (st) return st;
        if ((!p->is_factored || (k == 0 && p->is_slow))
            && (st = factor(p, t, w)))
            return st;
        const double off = violation(p);
        const double rate = off / before;
        if (off <= OFF_MOST) return DAE_OK;
        if (!isfinite(off)) return DAE_RETRY;
        if (k > 0 && rate > RATE_SLOW) p->is_slow = true;
        if (k > 0 && rate > RATE_MOST) {
            if (off <= OFF_ROUNDING) return DAE_OK;
            if ((st = factor(p, t, w))) return st;
        }
        before = off;
        if ((st = move(p, x, d))) return st;
    }
    return DAE_RETRY;
}

dae_status projection_apply(projection *p, double t, double *x,
    const double *xp, double *d, const double *w)
{
    const bool was_slow = p->is_slow;
    const dae_status st = p->rows > 0 ? approach(p, t, x, xp, d, w) : DAE_OK;
    /* a point that was stopped is asked for again */
    if (st && st != DAE_RETRY) p->is_slow = was_slow;
    return st;
}
