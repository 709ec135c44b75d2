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

/* Where a function refuses the guesses, free ones that are 0 become their units. */
static dae_status leave_refused(init_system *s)
{
    for (size_t k = 0; k < s->slots; k++) {
        if (!s->is_free[k] || s->z[k] != 0) continue;
        s->z[k] = fmin(fmax(unknowns_unit(s, k), s->low[k]), s->high[k]);
        s->guess[k] = s->z[k];
        s->scale[k] = fmax(s->scale[k], fabs(s->z[k]));
        if (k < s->states) unknowns_weigh(s, k);
    }
    return unknowns_begin(s);
}

/* Residuals and Jacobian where the search begins. Rows without a value get one where
 * the parts before them are solved. */
static dae_status prepare(init_system *s)
{
    dae_status st = keep_bounds(s);
    if (st) return st;
    st = unknowns_begin(s);
    if (st == DAE_RETRY) st = leave_refused(s);
    if (st == DAE_RETRY) return explain_no_value(s, NULL);
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
    if (st == DAE_RETRY) st = explain_no_value(&s, NULL);
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
