/* A start: bounds, values, the search (start/solve.h), derivatives left open,
 * then the account of what was given, missing or redundant. Where it fails, what
 * does not hold together. */
#include "start/init.h"
#include "linalg/thresholds.h"
#include "start/certificate.h"
#include "start/conflict.h"
#include "start/derive.h"
#include "start/explain.h"
#include "start/record.h"
#include "start/tolerance.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- where the guesses have no value -------------------------------------------------- */

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

static dae_status peel_and_move(peeling *p)
{
    init_system *s = p->s;
    uint8_t *is_marked = ARENA_ARRAY(&s->arena, uint8_t, s->rows);
    if (!is_marked) return DAE_MEMORY;
    const bool has_time = s->request->is_thorough;
    const int rounds = has_time ? ROUNDS : RUN_ROUNDS;
    dae_status st = DAE_RETRY; /* as it is on entry */
    if (has_time) {
        if ((st = peel(p))) return st;
        st = unknowns_evaluate(s);
    }
    for (int k = 0; k < rounds && st == DAE_RETRY; k++) {
        memset(is_marked, 0, s->rows);
        const bool is_any = mark_rows(s, is_marked) == 0;
        if (!move_from_zero(p, is_marked, is_any)) break;
        st = unknowns_evaluate(s);
    }
    return st;
}

/* The new values are the guesses, and sizes go with them. */
static void take_guesses(init_system *s)
{
    for (size_t k = 0; k < s->slots; k++) {
        s->guess[k] = s->z[k];
        s->scale[k] = fmax(s->scale[k], fabs(s->z[k]));
        if (k < s->states) unknowns_weigh(s, k);
    }
}

/* A start where the equations have no value, such as sqrt(h) at h = 0: equations
 * that give an unknown outright are solved, one after the other; then unknowns of
 * equations without a value, free and with the guess 0, begin at their nominal value
 * or 1. Residuals and Jacobian at s->z, which is the guess now; DAE_RETRY: they have
 * no value all the same, and nothing is changed. */
static dae_status find_values(init_system *s)
{
    peeling p;
    const arena_position mark = arena_mark(&s->arena);
    dae_status st = peeling_init(&p, s);
    if (!st) st = peel_and_move(&p);
    arena_release(&s->arena, mark);
    if (!st) take_guesses(s);
    const size_t size = s->slots * sizeof *s->z;
    if (st != DAE_RETRY || memcmp(s->z, s->guess, size) == 0) return st;
    memcpy(s->z, s->guess, size);
    st = unknowns_evaluate(s);
    return st ? st : DAE_RETRY;
}

/* ---- the way --------------------------------------------------------------------------- */

static dae_status keep_bounds(init_system *s)
{
    dae_status st = DAE_OK;
    for (size_t k = 0; k < s->states; k++) {
        const double z = s->z[k];
        if (z >= s->low[k] && z <= s->high[k]) continue;
        if (isnan(z)) continue;
        if (!s->is_free[k]) {
            const dae_status kept = record_beyond(s, k);
            if (kept) return kept;
            st = DAE_INCONSISTENT;
            continue;
        }
        s->z[k] = s->guess[k] = fmin(fmax(z, s->low[k]), s->high[k]);
        /* a 0 that is not stated is the default, and says nothing */
        const bool is_own = s->is_stated[k] || z != 0;
        const dae_status kept = is_own ? record_moved(s, k, z) : DAE_OK;
        if (kept) return kept;
    }
    return st;
}

/* Values that no equation reads, or its residual would have none either. */
static dae_status check_finite(const init_system *s)
{
    for (size_t k = 0; k < s->slots; k++)
        if (!isfinite(s->z[k])) return explain_not_finite(s, k);
    return DAE_OK;
}

/* Values that no equation shows to be too large, cancelled in a sum. */
static dae_status check_sizes(const init_system *s)
{
    for (size_t k = 0; k < s->slots; k++)
        if (is_overflow(s->z[k])) return explain_not_finite(s, k);
    return DAE_OK;
}

/* Residuals and Jacobian where the search begins. */
static dae_status prepare(init_system *s)
{
    dae_status st = keep_bounds(s);
    if (st) return st;
    st = unknowns_residual(s, s->z, s->res);
    if (!st) st = unknowns_jacobian(s);
    if (st == DAE_RETRY) st = find_values(s);
    if (st == DAE_RETRY) return explain_no_value(s);
    if (st || (st = check_finite(s)) || (st = unknowns_probe(s))) return st;
    tolerance_measure(s);
    return DAE_OK;
}

static double largest_residual(const init_system *s)
{
    double most = 0;
    for (size_t i = 0; i < s->rows; i++)
        most = fmax(most, tolerance_ratio(s, i));
    return most;
}

/* A point is accepted by what its residuals said once, of which one may have been
 * wrong: nothing later would show that it starts another solution. */
static dae_status confirm(init_system *s, solution *out)
{
    dae_status st = DAE_OK;
    for (int k = 0; k < 2 && !st && out->end == GAUSS_NEWTON_SOLVED; k++) {
        if ((st = unknowns_residual(s, s->z, s->res))) break;
        if (largest_residual(s) <= 1) return DAE_OK;
        st = unknowns_evaluate(s);
        if (!st) st = solve_rows(s, NULL, false, out);
    }
    return st;
}

static dae_status search(init_system *s, solution *out)
{
    bool is_solved;
    dae_status st = solve_rows(s, NULL, false, out);
    if (st == DAE_RETRY) { /* a value that is none may be one the next time */
        memcpy(s->z, s->guess, s->slots * sizeof *s->z);
        st = unknowns_evaluate(s);
        if (!st) st = solve_rows(s, NULL, false, out);
    }
    if (!st && out->end == GAUSS_NEWTON_SOLVED)
        st = tolerance_judge_remnants(s);
    if (!st) st = confirm(s, out);
    if (st || out->end == GAUSS_NEWTON_SOLVED) return st;
    st = explain_failure(s, out, &is_solved);
    assert(st || is_solved || !s->request->findings);
    if (st || !is_solved) return st;
    /* what the failure reaches holds: the others are solved from there */
    out->end = GAUSS_NEWTON_SOLVED;
    st = confirm(s, out);
    return st || out->end == GAUSS_NEWTON_SOLVED ? st : explain_end(s, out);
}

/* Brings the Jacobian and its measures to the solution; for a run derivatives
 * that it leaves open are found from the differentiated constraints. */
static dae_status settle(init_system *s)
{
    dae_status st = unknowns_residual(s, s->z, s->res);
    if (!st) st = unknowns_jacobian(s);
    if (st == DAE_RETRY) st = unknowns_jacobian(s); /* not again, perhaps */
    if (st) return st;
    tolerance_measure(s);
    if (s->request->is_thorough || s->equations != s->n
        || s->request->stands_for)
        return DAE_OK;
    /* where that fails the rates keep their guesses */
    st = derive_rates(s);
    return st == DAE_NUMERIC ? DAE_OK : st;
}

static dae_status run(
    init_system *s, solution *out, double *found_at, dae_start_report *report)
{
    dae_status st = prepare(s);
    if (!st) st = search(s, out);
    if (st) return st;
    *found_at = largest_residual(s);
    assert(!s->request->is_thorough || *found_at <= 1);
    const bool is_judged = out->is_regular && !out->checks;
    if (!is_judged && (st = settle(s))) return st;
    if ((st = check_sizes(s))) return st;
    return certificate_make(s, out, report);
}

dae_status init_consistent(const init_request *request, double *x, double *xp,
    dae_start_report *report, dae_stats *stats)
{
    init_system s;
    dae_stats own = {0};
    solution out = {.iterations = 0};
    double found_at = 0;
    init_findings *f = request->findings;
    if (f) init_findings_init(f, request->allocator);
    dae_status st = unknowns_init(&s, request, x, xp, stats ? stats : &own);
    if (!st) st = run(&s, &out, &found_at, report);
    if (st == DAE_RETRY) st = explain_no_value(&s);
    if (!st) {
        memcpy(x, s.z, s.states * sizeof *x);
        if (s.slots > s.states) memcpy(xp, s.z + s.states, s.n * sizeof *xp);
        if (request->matrix)
            iteration_expect(request->matrix, jacobian_digest(s.f));
    }
    if (st != DAE_MEMORY && s.z) {
        const dae_status kept = record_end(&s, st, out.iterations);
        if (kept) st = kept;
        else if (!st && f) f->residual = fmax(f->residual, found_at);
    }
    unknowns_clear(&s);
    return st;
}
