/* The order of things: bounds, values, equations without free slots, then
 * the parts of start/split.h one after the other, then derivatives left open,
 * then the account of what was given, missing or redundant. */
#include "start/init.h"
#include "start/account.h"
#include "start/claims.h"
#include "start/damped.h"
#include "start/derive.h"
#include "start/explain.h"
#include "start/moment.h"
#include "start/record.h"
#include "start/search.h"
#include "start/sharpen.h"
#include "start/smallest.h"
#include "start/wake.h"
#include <math.h>
#include <string.h>

/* A derivative may change by so much more than a state for the same price:
 * guesses are about states. */
static const double RATE_SCALE = 1e4;
/* and no more than so many times its size answers a state's. */
static const double ANSWER_MOST = 1e8;

/* A start that does not hold when looked at again is sought once more. */
enum { CONFIRMATIONS = 3 };

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
        const dae_status kept = record_moved(s, k, z);
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

static bool is_cheap(const init_system *s, size_t slot)
{
    const uint8_t *order = s->request->stands_for;
    return s->is_rate[slot] || (slot < s->states && order && order[slot] > 0);
}

/* The most that typical changes of the states make of each row. */
static void measure_rows(const init_system *s, double *most)
{
    for (size_t k = 0; k < s->slots; k++) {
        entry_range e[2];
        if (is_cheap(s, k)) continue;
        const int count = unknowns_column(s, k, e);
        for (int q = 0; q < count; q++) {
            for (int64_t p = e[q].begin; p < e[q].end; p++) {
                const size_t i = (size_t)e[q].row[p] + e[q].offset;
                const double change = fabs(entry_value(&e[q], p)) * s->scale[k];
                most[i] = fmax(most[i], change);
            }
        }
    }
}

/* The change of a slot that makes as much of some row. */
static double answering_change(
    const init_system *s, size_t k, const double *most)
{
    entry_range e[2];
    double change = s->scale[k];
    const int count = unknowns_column(s, k, e);
    for (int q = 0; q < count; q++) {
        for (int64_t p = e[q].begin; p < e[q].end; p++) {
            const size_t i = (size_t)e[q].row[p] + e[q].offset;
            const double slope = fabs(entry_value(&e[q], p));
            if (slope > 0) change = fmax(change, most[i] / slope);
        }
    }
    return fmin(change, ANSWER_MOST * s->scale[k]);
}

/* Sizes for least changes. */
static dae_status size_slots(search *a)
{
    init_system *s = &a->s;
    double *most = NULL;
    a->scale = ARENA_ARRAY(&s->arena, double, s->slots);
    if (!a->scale) return DAE_MEMORY;
    for (size_t k = 0; k < s->slots; k++)
        a->scale[k] = s->scale[k] * (is_cheap(s, k) ? RATE_SCALE : 1);
    if (!s->request->do_rates_answer) return DAE_OK;
    if (!(most = ARENA_ARRAY(&s->arena, double, s->rows))) return DAE_MEMORY;
    measure_rows(s, most);
    for (size_t k = 0; k < s->slots; k++)
        if (is_cheap(s, k))
            a->scale[k] = RATE_SCALE * answering_change(s, k, most);
    return DAE_OK;
}

static dae_status prepare(search *a)
{
    init_system *s = &a->s;
    dae_status st = keep_bounds(s);
    if (st) return st;
    st = unknowns_residual(s, s->z, s->res);
    if (!st) st = unknowns_jacobian(s);
    if (st == DAE_RETRY) st = wake_up(s);
    if (st == DAE_RETRY) return explain_no_value(s);
    if (st || (st = check_finite(s)) || (st = unknowns_probe(s))) return st;
    unknowns_measure(s);
    if ((st = size_slots(a))) return st;
    if (s->request->is_thorough && (st = proportion_init(&a->usual, s)))
        return st;
    return split_init(&a->split, s);
}

static dae_status run_checks(search *a)
{
    const split_part *checks = &a->split.checks;
    const dae_status st = claims_refute(&a->s, checks->rows, checks->row_count);
    if (st) return st;
    for (size_t k = 0; k < checks->row_count; k++)
        if (!(unknowns_ratio(&a->s, (size_t)checks->rows[k]) <= 1))
            return explain_checks(&a->s, checks);
    return DAE_OK;
}

static bool all_solved(const init_system *s)
{
    for (size_t i = 0; i < s->rows; i++)
        if (!(unknowns_ratio(s, i) <= 1)) return false;
    return true;
}

/* Everything that follows rests on the start, and nothing in a run would show
 * that it is the start of another solution: what the last residuals said of
 * it has to be said twice. Derivatives alone show in the first step. */
static dae_status confirm(search *a)
{
    init_system *s = &a->s;
    split_part all;
    const damped_result stalled = {.outcome = DAMPED_STALLED};
    dae_status st;
    if (!search_has_states(s) && !s->request->is_thorough) return DAE_OK;
    for (int k = 0;; k++) {
        if ((st = unknowns_residual(s, s->z, s->res))) return st;
        if (all_solved(s)) return DAE_OK;
        if (k == CONFIRMATIONS) break;
        if ((st = search_parts(a))) return st;
    }
    bool is_solved;
    st = search_all(a, &all);
    return st ? st : explain_failure(s, &all, &stalled, &is_solved);
}

/* A derivative this many sizes large has run away: beside a factor that is to
 * become 0 it makes up for anything, whatever else its equation says. */
static const double AWAY = 1e8;

static bool is_any_away(const init_system *s)
{
    for (size_t k = 0; k < s->slots; k++) {
        const double size = fmax(s->scale[k], fabs(s->guess[k]));
        if (s->is_free[k] && fabs(s->z[k]) > AWAY * size) return true;
    }
    return false;
}

/* Where some has, the start is sought again with derivatives as dear as states;
 * a solution without such values is the better one. */
static dae_status calm_down(search *a)
{
    init_system *s = &a->s;
    split_part all;
    submatrix m;
    moment before;
    damped_result result;
    const init_request *r = s->request;
    if (!r->is_thorough || r->has_high_derivatives || !is_any_away(s))
        return DAE_OK;
    dae_status st = moment_take(&before, s);
    if (!st) st = search_all(a, &all);
    if (st) return st;
    for (size_t k = 0; k < s->slots; k++)
        if (s->is_free[k]) s->z[k] = s->guess[k];
    st = submatrix_init(
        &m, s, all.rows, all.row_count, all.slots, all.slot_count);
    if (!st) st = unknowns_residual(s, s->z, s->res);
    if (!st) st = damped_solve(s, &m, s->scale, &result);
    if (st && st != DAE_RETRY) return st;
    if (!st && result.outcome == DAMPED_SOLVED && !is_any_away(s))
        return DAE_OK;
    moment_return(&before, s);
    return DAE_OK;
}

/* Findings rest on ranks at the point, and these on its last digits. How near
 * the search itself came tells whether it ended at a solution or crept to a
 * place that looks like one, so that is what is told. */
static dae_status sharpen_all(search *a)
{
    split_part all;
    if (!a->s.request->is_thorough) return DAE_OK;
    for (size_t i = 0; i < a->s.rows; i++)
        a->found_at = fmax(a->found_at, unknowns_ratio(&a->s, i));
    const dae_status st = search_all(a, &all);
    return st ? st : sharpen(&a->s, &all);
}

static dae_status go_to(init_system *s, const double *z)
{
    memcpy(s->z, z, s->slots * sizeof *z);
    dae_status st = unknowns_residual(s, s->z, s->res);
    if (!st) st = unknowns_jacobian(s);
    if (!st) unknowns_measure(s);
    return st;
}

/* A start where `row` is met because values have grown beyond bounds is none.
 * What contradicts is looked for where the search began. */
static dae_status tell_growth(search *a, size_t row)
{
    init_system *s = &a->s;
    failure_account account = FAILURE_UNKNOWN;
    dae_status st = DAE_OK;
    double *z = ARENA_ARRAY(&s->arena, double, s->slots);
    if (!z) return DAE_MEMORY;
    memcpy(z, s->z, s->slots * sizeof *z);
    if (s->request->is_brief) return DAE_NUMERIC;
    if (!(st = go_to(s, s->guess))) st = smallest_of_all(s, &account);
    if (account != FAILURE_UNKNOWN || (st && st != DAE_RETRY)) return st;
    st = go_to(s, z);
    return st ? st : explain_growth(s, row);
}

/* *row: met because values have grown; s->rows: none. */
static dae_status judge(search *a, size_t *row)
{
    init_system *s = &a->s;
    split_part all;
    submatrix m;
    *row = s->rows;
    dae_status st = search_all(a, &all);
    if (!st)
        st = submatrix_init(
            &m, s, all.rows, all.row_count, all.slots, all.slot_count);
    if (st || (st = unknowns_jacobian(s))) return st == DAE_RETRY ? DAE_OK : st;
    unknowns_measure(s);
    return proportion_judge(&a->usual, s, &m, row);
}

static dae_status check_proportion(search *a)
{
    init_system *s = &a->s;
    size_t row;
    if (!s->request->is_thorough) return DAE_OK;
    dae_status st = judge(a, &row);
    if (st || row == s->rows) return st;
    a->is_open = a->is_uncertain = true;
    if ((st = tell_growth(a, row))) return st;
    /* another point holds, which may be on the way to the same */
    if ((st = sharpen_all(a)) || (st = judge(a, &row))) return st;
    return row == s->rows ? DAE_OK : explain_growth(s, row);
}

/* Brings the Jacobian and its measures to the solution. */
static dae_status settle(search *a)
{
    init_system *s = &a->s;
    dae_status st = unknowns_jacobian(s);
    if (st) return st;
    unknowns_measure(s);
    if (!a->is_open || s->equations != s->n || s->request->stands_for)
        return DAE_OK;
    return derive_rates(s);
}

static dae_status run(search *a, dae_start_report *report)
{
    dae_status st;
    if ((st = prepare(a))) return st;
    if ((st = run_checks(a))) return st;
    if ((st = search_parts(a))) return st;
    if ((st = confirm(a))) return st;
    if ((st = calm_down(a))) return st;
    if ((st = sharpen_all(a))) return st;
    if ((st = check_proportion(a))) return st;
    if ((st = settle(a))) return st;
    if (a->s.request->is_thorough && (st = check_sizes(&a->s))) return st;
    return account_start(a, report);
}

dae_status init_consistent(const init_request *request, double *x, double *xp,
    dae_start_report *report, dae_stats *stats)
{
    search a = {.iterations = 0};
    dae_stats own = {0};
    if (request->findings)
        init_findings_init(request->findings, request->allocator);
    dae_status st = unknowns_init(&a.s, request, x, xp, stats ? stats : &own);
    if (!st) st = run(&a, report);
    if (st == DAE_RETRY) st = explain_no_value(&a.s);
    if (!st) st = check_sizes(&a.s);
    if (!st) {
        memcpy(x, a.s.z, a.s.states * sizeof *x);
        memcpy(xp, a.s.z + a.s.states, a.s.n * sizeof *xp);
        if (request->matrix)
            iteration_expect(request->matrix, jacobian_digest(a.s.f));
    }
    if (st != DAE_MEMORY && a.s.z) {
        const dae_status kept = record_end(&a.s, st, a.iterations);
        if (kept) st = kept;
        else if (!st && request->findings && request->is_thorough)
            request->findings->residual = fmax(
                request->findings->residual, a.found_at);
    }
    unknowns_clear(&a.s);
    return st;
}
