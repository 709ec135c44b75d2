#include "run/atol_check.h"

#include "base/report.h"
#include "run/global.h"

#include <math.h>
#include <string.h>

/* An unknown is low where its absolute tolerance is so many times what the relative one
 * allows: an error there that is kept by what it grows to is as many tolerances then, and
 * that of ten steps is what is told. */
static const double LOW = 100;
/* Passages through 0 and starts from it are shorter, as a part of the interval. Of 52 wrong
 * runs 51 have 0.057 of it and more, of 228 models with tight tolerances 27. */
static const double LEAST_SHARE = 0.05;
/* It grows back where it is so many times as large later. */
static const double BACK = 10;
/* What is told, in tolerances: half of what nobody shall meet unwarned, of which a sample
 * of times sees a part. */
static const double TOLD = 500;
/* The absolute tolerances of the second run; what lies below them is no better known by
 * it. With a thousandth 50 of the 52 runs differ from it, with this all do. */
static const double PART = 1e-6;
/* Its steps: so many times those of the first, and some; 1.4 times is usual, 2.8 seldom. */
enum { MOST_STEPS = 2, MORE_STEPS = 1000 };
/* Its work, in values of integrated states that its steps compute, 500 to 3000 instructions
 * each; equations with long sums cost more. */
enum { MOST_WORK = 5 << 16 };
/* So many steps are enough for it, wherever the first took more: these are what small
 * errors cost. */
enum { ENOUGH_STEPS = 1 << 16 };
/* Times at which the two are compared, about: a narrow peak between them is not seen. */
enum { ROWS = 256 };

static double steps_for(const solution *r)
{
    return MOST_WORK / (double)dae_solver_stats(r->solver)->unknowns;
}

dae_status atol_check_begin(tape *k, solution *r)
{
    const run_request *q = r->request;
    const bool is_wanted = settings_choice(
                               &q->settings, r->model, SETTING_CHECK_ATOL)
        == 0;
    const bool has_tolerances = r->options.rtol > 0 && !(r->options.step > 0);
    if (!is_wanted || !has_tolerances || global_is_asked(q)) return DAE_OK;
    return steps_for(r) >= MORE_STEPS ? tape_follow(k, r, ROWS) : DAE_OK;
}

/* ---- is there a reason? ---- */

/* How long, as a part of the interval, a state was low before it grew back; 1: always. */
static double low_share(const tape *k, size_t s)
{
    const double low = k->atol[s] / (LOW * k->rtol);
    const double least = PART * k->atol[s];
    double largest = 0, time = 0;
    for (size_t p = k->count; p-- > 0;) {
        const double size = fabs(tape_row(k, p)[s]);
        if (size < low && size > least && largest > BACK * size)
            time += fabs(k->times[p + 1] - k->times[p]);
        largest = fmax(largest, size);
    }
    if (largest < low) return largest > least ? 1 : 0;
    return time / fabs(k->times[k->count - 1] - k->times[0]);
}

/* The state that was low for longest; SIZE_MAX: none was for long. */
static size_t find_low(const tape *k)
{
    double most = LEAST_SHARE;
    size_t found = SIZE_MAX;
    for (size_t s = 0; s < k->state_count; s++) {
        const double share = isfinite(k->atol[s]) ? low_share(k, s) : 0;
        if (share > most) {
            most = share;
            found = s;
        }
    }
    return found;
}

/* ---- the second run ---- */

static dae_status compare(dae_atol_check *c, const solution *r, const tape *k,
    dae_diagnostics *quiet, tape_gap *gap)
{
    solution finer;
    tape second = {.run = NULL};
    const tolerance_factors part = {r->factors.rtol, PART * r->factors.atol};
    const double steps = (double)dae_solver_stats(r->solver)->steps;
    const double most = fmin(MOST_STEPS * steps + MORE_STEPS, steps_for(r));
    dae_status st = solution_init(&finer, r->request, part, true, quiet);
    finer.options = r->options; /* as the caller may have left them */
    finer.options.atol *= PART;
    finer.options.event_context = &finer;
    if (!st) solution_limit_steps(&finer, most);
    if (!st) st = tape_record(&second, &finer, k);
    if (!st) *gap = tape_compare(k, &second);
    else if (st == DAE_NUMERIC) *gap = tape_compare_part(k, &second);
    gap->ended = st == DAE_NUMERIC ? finer.t : (double)NAN;
    c->is_known = !st && (gap->size > TOLD || !gap->has_events);
    if (finer.solver) c->steps = dae_solver_stats(finer.solver)->steps;
    if (c->is_known) c->difference = gap->size;
    tape_clear(&second);
    solution_clear(&finer);
    /* the first run is whole, so what the second one fails by is none of its own */
    return st == DAE_NUMERIC || st == DAE_LIMIT || st == DAE_INCONSISTENT
        ? DAE_OK
        : st;
}

/* ---- what is told ---- */

static bool has_own_tolerances(const solution *r)
{
    const dae_scales *s = r->problem.scales;
    return s && (s->atol || s->nominal);
}

static void tell(const solution *r, const tape_gap *gap, size_t low)
{
    const dae_problem *p = &r->problem;
    const struct dae_source *source = NULL;
    char differs[TAPE_NAME_SIZE], is_low[TAPE_NAME_SIZE];
    size_t derivative;
    uint32_t begin = 0, end = 0;
    const bool has_first = tape_state_name(r, gap->state, differs);
    if (!tape_state_name(r, low, is_low) || !has_first) report_lost(r->ds);
    if (p->place)
        p->place(p->self, DAE_NAME_UNKNOWN,
            tape_unknown(r, gap->state, &derivative), &source, &begin, &end);
    report(r->ds, DIAG_W0533, source, (text_span){begin, end},
        "the absolute tolerance decides about `%s`: %.6g at t = %.6g, and %.6g "
        "with a millionth of it, %.2g tolerances apart",
        differs, gap->values[0], gap->t, gap->values[1], gap->size);
    if (!isnan(gap->ended))
        report_help(r->ds,
            "`%s` is small beside it, and the run with a millionth of it fails "
            "at t = %.6g: try still smaller ones, or the logarithm of `%s` as "
            "the unknown",
            is_low, gap->ended, is_low);
    else if (has_own_tolerances(r))
        report_help(r->ds,
            "`%s` is small beside its own: try smaller ones of all, down to a "
            "millionth",
            is_low);
    else
        report_help(r->ds, "`%s` is small beside it: try `%satol %.3g`", is_low,
            r->request->prefix, PART * solution_atol(r, 0));
}

/* The model's discrete variables and switches are afterwards what the first left. */
static dae_status make(
    dae_atol_check *c, solution *r, const tape *k, size_t low)
{
    const dae_events *e = r->problem.events;
    const size_t count = e ? e->discrete_count + e->switch_count : 0;
    const dae_allocator *a = r->request->allocator;
    dae_diagnostics *quiet;
    tape_gap gap = {.size = 0};
    if (dae_diagnostics_create(a, &quiet)) return DAE_MEMORY;
    double *held = alloc_zeroed(a, count, sizeof *held);
    dae_status st = held ? DAE_OK : DAE_MEMORY;
    if (!st && count) memcpy(held, e->held, count * sizeof *held);
    if (!st) st = compare(c, r, k, quiet, &gap);
    if (held && count) memcpy(e->held, held, count * sizeof *held);
    if (!st && gap.size > TOLD) tell(r, &gap, low);
    alloc_free(a, held, count, sizeof *held);
    dae_diagnostics_free(quiet);
    return st;
}

dae_status atol_check_make(dae_atol_check *c, solution *r, tape *k)
{
    const double steps = (double)dae_solver_stats(r->solver)->steps;
    if (steps_for(r) < fmin(2 * steps, ENOUGH_STEPS)) return DAE_OK;
    tape_end(k, r);
    const size_t low = find_low(k);
    if (low == SIZE_MAX) return DAE_OK;
    *c = (dae_atol_check){.is_made = 1, .difference = (double)NAN};
    dae_solver_rest(r->solver);
    return make(c, r, k, low);
}
