/* Before the first residual counts: where the guess has no value, rows with
 * one unknown are followed to a place with values, then others out of 0. */
#include "start/wake.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    ROUNDS = 20,
    /* in a run: a fault that does not go away has to be told soon */
    RUN_ROUNDS = 1
};

/* Rows by the free slots in them whose values are not known. */
typedef struct peeling {
    init_system *s;
    int32_t *open;     /* rows: how many */
    int64_t *sum;      /* rows: of their numbers: with one, which */
    int32_t *queue;    /* rows with one */
    uint8_t *is_known; /* slots */
    size_t queued;
    double work;
} peeling;

static dae_status peeling_init(peeling *p, init_system *s)
{
    arena *a = &s->arena;
    *p = (peeling){.s = s,
        .open = ARENA_ARRAY(a, int32_t, s->rows),
        .sum = ARENA_ARRAY(a, int64_t, s->rows),
        .queue = ARENA_ARRAY(a, int32_t, s->rows),
        .is_known = ARENA_ARRAY(a, uint8_t, s->slots),
        .work = SCAN_WORK};
    return p->open && p->sum && p->queue && p->is_known ? DAE_OK : DAE_MEMORY;
}

/* Slot k in its rows, or out of them: values of entries are not known here,
 * so that all of the pattern count. */
static void count_slot(peeling *p, size_t k, int32_t by)
{
    entry_range e[2];
    const int count = unknowns_column(p->s, k, e);
    for (int q = 0; q < count; q++) {
        for (int64_t at = e[q].begin; at < e[q].end; at++) {
            const size_t i = (size_t)e[q].row[at] + e[q].offset;
            if (e[q].present && !e[q].present[at]) continue;
            p->open[i] += by;
            assert(p->open[i] >= 0);
            p->sum[i] += by * (int64_t)k;
            if (by < 0 && p->open[i] == 1) p->queue[p->queued++] = (int32_t)i;
        }
    }
}

static double keep_inside(const init_system *s, size_t k, double value)
{
    return fmin(fmax(value, s->low[k]), s->high[k]);
}

/* A row with one unknown, along a straight line. A guess where the row has no value
 * was given by somebody, unless it is 0. */
static dae_status solve_row(
    peeling *p, size_t row, size_t slot, double *root, bool *is_found)
{
    init_system *s = p->s;
    const double z = s->z[slot], unit = unknowns_unit(s, slot);
    double res[3];
    *is_found = false;
    dae_status st = unknowns_row_at(s, row, slot, z, &res[0]);
    if (!st && is_overflow(res[0]) && z != 0) return DAE_OK;
    if (!st) st = unknowns_row_at(s, row, slot, z + unit, &res[1]);
    if (st) return st;
    p->work -= 2 * (double)s->rows;
    *root = z - res[0] * (unit / (res[1] - res[0]));
    if (!isfinite(*root) || keep_inside(s, slot, *root) != *root) return DAE_OK;
    st = unknowns_row_at(s, row, slot, *root, &res[2]);
    *is_found = fabs(res[2]) <= HALF_DIGITS * (fabs(res[0]) + fabs(res[1]));
    return st;
}

/* Rows with one unknown, until there are none. */
static dae_status peel(peeling *p)
{
    init_system *s = p->s;
    for (size_t k = 0; k < s->slots; k++)
        if (s->is_free[k]) count_slot(p, k, 1);
    for (size_t i = 0; i < s->rows; i++)
        if (p->open[i] == 1) p->queue[p->queued++] = (int32_t)i;
    for (size_t at = 0; at < p->queued && p->work > 0; at++) {
        const arena_position mark = arena_mark(&s->arena);
        const size_t row = (size_t)p->queue[at];
        const size_t slot = (size_t)p->sum[row];
        bool is_found;
        double root;
        if (p->open[row] != 1) continue;
        assert(slot < s->slots);
        const dae_status st = solve_row(p, row, slot, &root, &is_found);
        arena_release(&s->arena, mark);
        if (st) return st;
        if (!is_found) continue;
        s->z[slot] = root;
        p->is_known[slot] = 1;
        count_slot(p, slot, -1);
    }
    return DAE_OK;
}

/* Rows without a residual or with a derivative that has none; 0: not known. */
static size_t mark_rows(const init_system *s, uint8_t *is_marked)
{
    size_t count = 0;
    for (size_t i = 0; i < s->rows; i++) {
        is_marked[i] = is_overflow(s->res[i]);
        count += is_marked[i];
    }
    if (count) return count;
    for (size_t k = 0; k < s->slots; k++) {
        entry_range e[2];
        const int ranges = s->is_free[k] ? unknowns_column(s, k, e) : 0;
        for (int q = 0; q < ranges; q++) {
            for (int64_t p = e[q].begin; p < e[q].end; p++) {
                if (!is_overflow(e[q].value[p])) continue;
                is_marked[(size_t)e[q].row[p] + e[q].offset] = 1;
                count++;
            }
        }
    }
    return count;
}

/* Unknowns of which nothing is known, out of 0; false where none is left. */
static bool move_from_zero(peeling *p, const uint8_t *is_marked, bool is_any)
{
    init_system *s = p->s;
    bool is_moved = false;
    for (size_t k = 0; k < s->slots; k++) {
        if (!s->is_free[k] || p->is_known[k] || s->z[k] != 0) continue;
        if (!is_any && !unknowns_is_in(s, k, is_marked)) continue;
        s->z[k] = keep_inside(s, k, unknowns_unit(s, k));
        is_moved = is_moved || s->z[k] != 0;
    }
    return is_moved;
}

static dae_status evaluate(init_system *s)
{
    const dae_status st = unknowns_residual(s, s->z, s->res);
    return st ? st : unknowns_jacobian(s);
}

static dae_status wake(peeling *p)
{
    init_system *s = p->s;
    uint8_t *is_marked = ARENA_ARRAY(&s->arena, uint8_t, s->rows);
    if (!is_marked) return DAE_MEMORY;
    const bool has_time = s->request->is_thorough;
    const int rounds = has_time ? ROUNDS : RUN_ROUNDS;
    dae_status st = DAE_RETRY; /* as it is on entry */
    if (has_time) {
        if ((st = peel(p))) return st;
        st = evaluate(s);
    }
    for (int k = 0; k < rounds && st == DAE_RETRY; k++) {
        memset(is_marked, 0, s->rows);
        const bool is_any = mark_rows(s, is_marked) == 0;
        if (!move_from_zero(p, is_marked, is_any)) break;
        st = evaluate(s);
    }
    return st;
}

/* The new values are the guesses, and sizes go with them. */
static void settle(init_system *s)
{
    const double rtol = s->request->rtol;
    for (size_t k = 0; k < s->slots; k++) {
        s->guess[k] = s->z[k];
        s->scale[k] = fmax(s->scale[k], fabs(s->z[k]));
        if (k < s->states)
            s->weights[k] = 1
                / fmax(rtol * fabs(s->z[k]) + s->atol[k],
                    DIFFERENCE_NOISE * s->scale[k]);
    }
}

dae_status wake_up(init_system *s)
{
    peeling p;
    const arena_position mark = arena_mark(&s->arena);
    dae_status st = peeling_init(&p, s);
    if (!st) st = wake(&p);
    arena_release(&s->arena, mark);
    if (!st) settle(s);
    const size_t size = s->slots * sizeof *s->z;
    if (st != DAE_RETRY || memcmp(s->z, s->guess, size) == 0) return st;
    memcpy(s->z, s->guess, size);
    st = evaluate(s);
    return st ? st : DAE_RETRY;
}
