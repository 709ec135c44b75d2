/* The search is the one that looks for the start. What it leaves must be small
 * for the point where the search began, too: where exponentials have grown
 * beyond all bounds, sums of them are within tolerance of anything. */
#include "start/together.h"
#include "start/damped.h"
#include "start/descent.h"
#include <math.h>
#include <string.h>

/* Multiplications for a row's residual, about. */
static const double RESIDUAL = 20;
/* Of rows that measure about 1. */
static const double NEXT_TO_NOTHING = 1e-8;

dae_status together_init(together *w, init_system *s, double work)
{
    arena *a = &s->arena;
    *w = (together){.s = s,
        .z = ARENA_ARRAY(a, double, s->slots),
        .res = ARENA_ARRAY(a, double, s->rows),
        .is_free = ARENA_ARRAY(a, uint8_t, s->slots),
        .rows = ARENA_ARRAY(a, int32_t, s->rows),
        .slots = ARENA_ARRAY(a, int32_t, s->slots),
        .work = work};
    if (!w->z || !w->res || !w->is_free || !w->rows || !w->slots)
        return DAE_MEMORY;
    memcpy(w->z, s->z, s->slots * sizeof *w->z);
    memcpy(w->res, s->res, s->rows * sizeof *w->res);
    memcpy(w->is_free, s->is_free, s->slots);
    return proportion_init(&w->usual, s);
}

bool together_is_spent(const together *w)
{
    return w->work <= 0;
}

double together_left(const together *w)
{
    return w->work;
}

void together_charge(together *w, double work)
{
    w->work -= work;
}

void together_allow(together *w, double work)
{
    w->work = work;
}

bool together_does_hold(const together *w, size_t row)
{
    return unknowns_ratio(w->s, row) <= 1
        && proportion_is_kept(&w->usual, w->s, row);
}

bool party_set_meets(const init_system *s, const party_set *p, size_t slot)
{
    entry_range e[2];
    const int count = unknowns_column(s, slot, e);
    for (int q = 0; q < count; q++)
        for (int64_t at = e[q].begin; at < e[q].end; at++)
            if (p->is_row[(size_t)e[q].row[at] + e[q].offset]
                && entry_is_present(&e[q], at))
                return true;
    return false;
}

bool together_is_any_free(const together *w, const party_set *p)
{
    for (size_t k = 0; k < w->s->slots; k++)
        if (!p->is_value[k] && party_set_meets(w->s, p, k)) return true;
    return false;
}

/* Their rows, and the slots that they may be solved for, which alone count as
 * free: values of the others may have no derivatives. */
static void list(together *w, const party_set *p, size_t *rows, size_t *slots)
{
    init_system *s = w->s;
    *rows = *slots = 0;
    for (size_t i = 0; i < s->rows; i++)
        if (p->is_row[i]) w->rows[(*rows)++] = (int32_t)i;
    for (size_t k = 0; k < s->slots; k++) {
        s->is_free[k] = !p->is_value[k] && party_set_meets(s, p, k);
        if (s->is_free[k]) w->slots[(*slots)++] = (int32_t)k;
    }
}

static bool are_meant(const together *w, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        if (!together_does_hold(w, (size_t)w->rows[i])) return false;
    return true;
}

/* Newton's method once more from where the squares of what is left are least,
 * if that is next to nothing; where it loses its way the rows touch each other,
 * as a line does a circle, and that place has to do. From `start` (slots). */
static dae_status descend(
    together *w, const submatrix *m, const double *start, damped_result *result)
{
    init_system *s = w->s;
    const subset part = {
        w->rows, w->slots, .row_count = m->rows, .slot_count = m->columns};
    descent v;
    bool is_minimum;
    double *best = ARENA_ARRAY(&s->arena, double, s->slots);
    if (!best) return DAE_MEMORY;
    memcpy(s->z, start, s->slots * sizeof *start);
    dae_status st = unknowns_residual(s, s->z, s->res);
    if (!st) st = descent_init(&v, s, &part);
    if (!st) st = descent_run(&v, &is_minimum);
    if (st || !(descent_sum(&v, s->res) < NEXT_TO_NOTHING)) return st;
    memcpy(best, s->z, s->slots * sizeof *best);
    st = damped_reach(s, m, s->scale, result);
    if (st || result->outcome == DAMPED_SOLVED) return st;
    memcpy(s->z, best, s->slots * sizeof *best);
    result->outcome = DAMPED_SOLVED; /* if all rows hold there */
    w->is_touching = true;
    return unknowns_residual(s, s->z, s->res);
}

static dae_status search(together *w, const submatrix *m, damped_result *result)
{
    init_system *s = w->s;
    const bool is_small = m->rows <= DESCENT_MOST && m->columns <= DESCENT_MOST;
    dae_status st = DAE_OK;
    double *start = ARENA_ARRAY(&s->arena, double, s->slots);
    if (!start) return DAE_MEMORY;
    memcpy(start, s->z, s->slots * sizeof *start);
    result->outcome = DAMPED_STALLED;
    w->is_touching = false;
    if (!(w->is_brief && is_small)) st = damped_reach(s, m, s->scale, result);
    if (st && st != DAE_RETRY) return st;
    if (!st && result->outcome == DAMPED_SOLVED) return DAE_OK;
    return is_small ? descend(w, m, start, result) : st;
}

static dae_status solve(together *w, size_t rows, size_t slots, bool *holds)
{
    init_system *s = w->s;
    submatrix m;
    size_t lost;
    damped_result result = {.outcome = DAMPED_SOLVED};
    dae_status st = unknowns_residual(s, s->z, s->res);
    if (!st && slots > 0) {
        st = submatrix_init(&m, s, w->rows, rows, w->slots, slots);
        if (!st) st = search(w, &m, &result);
    }
    if (!st) st = unknowns_jacobian(s);
    if (st) return st;
    unknowns_measure(s);
    *holds = result.outcome == DAMPED_SOLVED && are_meant(w, rows);
    if (!*holds || slots == 0) return DAE_OK;
    st = proportion_judge(&w->usual, s, &m, &lost);
    *holds = !st && lost == s->rows;
    return st;
}

/* Of one residual: of everything, and a linear system for most of them. */
static double cost_of(const init_system *s, double rows, double slots)
{
    return RESIDUAL * (double)s->rows + rows * slots * fmin(rows, slots) / 4;
}

dae_status together_search(
    together *w, const party_set *p, const double *start, bool *holds)
{
    init_system *s = w->s;
    size_t rows, slots;
    *holds = false;
    if (together_is_spent(w)) return DAE_OK;
    list(w, p, &rows, &slots);
    for (size_t k = 0; k < s->slots; k++) {
        const double inside = fmin(fmax(start[k], s->low[k]), s->high[k]);
        s->z[k] = s->is_free[k] ? inside : w->z[k];
    }
    const arena_position mark = arena_mark(&s->arena);
    const int64_t before = s->stats->residual_evals;
    const dae_status st = solve(w, rows, slots, holds);
    arena_release(&s->arena, mark);
    const double count = (double)(s->stats->residual_evals - before);
    w->work -= count * cost_of(s, (double)rows, (double)slots);
    memcpy(s->is_free, w->is_free, s->slots);
    return st == DAE_RETRY ? DAE_OK : st;
}

dae_status together_return(together *w)
{
    init_system *s = w->s;
    memcpy(s->z, w->z, s->slots * sizeof *s->z);
    memcpy(s->res, w->res, s->rows * sizeof *s->res);
    const dae_status st = unknowns_jacobian(s);
    if (!st) unknowns_measure(s);
    return st == DAE_RETRY ? DAE_OK : st;
}
