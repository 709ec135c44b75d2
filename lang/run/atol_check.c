#include "run/atol_check.h"

#include "base/report.h"
#include "run/global.h"

#include <dae/names.h>
#include <math.h>
#include <stdio.h>
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

static double low_of(const tape *k, size_t s)
{
    return k->atol[s] / (LOW * k->rtol);
}

/* How long, as a part of the interval, a state was low before it grew back; 1: always. */
static double low_share(const tape *k, size_t s)
{
    const double low = low_of(k, s);
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

/* The state that was low for longest; SIZE_MAX: none was for long. And all that were. */
static size_t find_low(const tape *k, bool *is_low)
{
    double most = LEAST_SHARE;
    size_t found = SIZE_MAX;
    for (size_t s = 0; s < k->state_count; s++) {
        const double share = isfinite(k->atol[s]) ? low_share(k, s) : 0;
        is_low[s] = share > LEAST_SHARE;
        if (share > most) {
            most = share;
            found = s;
        }
    }
    return found;
}

/* ---- the second run ---- */

/* A let or an output is compared with what it would be if the low states alone had the
 * values of the first run: another difference is none of their doing. */
typedef struct finer_run {
    solution run;
    tape second;
    const tape *first;
    const bool *is_low; /* of each state */
    double *x, *mixed;  /* the states, and all observations with them */
    size_t output;      /* farthest from there, SIZE_MAX: none; */
    tape_gap gap;       /* state: that of which it is not */
} finer_run;

static bool is_output(const dae_model *model, size_t k)
{
    const dae_observed kind = dae_model_observation_kind(model, k);
    return kind == DAE_OBSERVED_LET || kind == DAE_OBSERVED_OUTPUT;
}

/* What the low states of the first run make of the second one's; false: none is. */
static bool mix(finer_run *f, const dae_point *p)
{
    const tape *first = f->first;
    const double *coarse = tape_row(first, f->second.count);
    bool is_any = false;
    if (first->events[f->second.count] != f->run.event_count) return false;
    for (size_t s = 0; s < first->state_count; s++) {
        const bool is_mixed = f->is_low[s] && fabs(p->x[s]) < low_of(first, s);
        f->x[s] = is_mixed ? coarse[s] : p->x[s];
        is_any |= is_mixed;
    }
    return is_any;
}

static void compare_outputs(finer_run *f, const dae_point *p)
{
    const solution *r = &f->run;
    const double atol = r->options.atol / r->factors.atol;
    for (size_t k = 0; k < r->observation_count; k++) {
        const double x = f->mixed[k], y = p->observed[k];
        const double size = fabs(x - y) / (f->first->rtol * fabs(y) + atol);
        if (!(size > f->gap.size) || !is_output(r->model, k)) continue;
        f->output = k;
        f->gap = (tape_gap){.size = size, .t = p->t, .values = {x, y}};
    }
}

static dae_status see_mark(void *context, const dae_point *p)
{
    finer_run *f = context;
    dae_status st = DAE_OK;
    if (mix(f, p)) {
        st = dae_model_observe(f->run.model, p->t, f->x, p->xp, f->mixed);
        if (!st) compare_outputs(f, p);
    }
    return st ? st : tape_mark(&f->second, p);
}

static dae_status begin_finer(
    finer_run *f, const solution *r, const tape *k, dae_diagnostics *quiet)
{
    const tolerance_factors part = {r->factors.rtol, PART * r->factors.atol};
    const double steps = (double)dae_solver_stats(r->solver)->steps;
    const double most = fmin(MOST_STEPS * steps + MORE_STEPS, steps_for(r));
    solution *finer = &f->run;
    dae_status st = solution_init(finer, r->request, part, true, quiet);
    finer->options = r->options; /* as the caller may have left them */
    finer->options.atol *= PART;
    finer->options.event_context = finer;
    if (st) return st;
    f->x = ARENA_ARRAY(&finer->memory, double, finer->state_count);
    f->mixed = ARENA_ARRAY(&finer->memory, double, finer->observation_count);
    if (!f->x || !f->mixed) return DAE_MEMORY;
    solution_limit_steps(finer, most);
    st = tape_attach(&f->second, finer, k);
    finer->context = f;
    finer->see = see_mark;
    return st;
}

static dae_status compare(dae_atol_check *c, const solution *r, const tape *k,
    const bool *is_low, dae_diagnostics *quiet, tape_gap *gap, size_t *output)
{
    finer_run f = {.first = k, .is_low = is_low, .output = SIZE_MAX};
    dae_status st = begin_finer(&f, r, k, quiet);
    if (!st) st = solution_start(&f.run);
    if (!st) st = solution_steps(&f.run);
    if (!st) tape_end(&f.second, &f.run);
    if (!st) *gap = tape_compare(k, &f.second);
    else if (st == DAE_NUMERIC) *gap = tape_compare_part(k, &f.second);
    const bool is_output = !(gap->size > TOLD) && f.gap.size > TOLD;
    *output = is_output ? f.output : SIZE_MAX;
    if (is_output) *gap = f.gap;
    gap->ended = st == DAE_NUMERIC ? f.run.t : (double)NAN;
    c->is_known = !st && (gap->size > TOLD || !gap->has_events);
    if (f.run.solver) c->steps = dae_solver_stats(f.run.solver)->steps;
    if (c->is_known) c->difference = gap->size;
    tape_clear(&f.second);
    solution_clear(&f.run);
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

static bool output_name(
    const solution *r, size_t output, char name[TAPE_NAME_SIZE])
{
    dae_name_buffer buffer = {0};
    (void)snprintf(name, TAPE_NAME_SIZE, "%.40s",
        dae_name_observation(r->model, output, &buffer));
    return dae_name_done(&buffer);
}

/* Of a let or an output (SIZE_MAX: of a state) the place is that of the low state. */
static void tell(
    const solution *r, const tape_gap *gap, size_t low, size_t output)
{
    const dae_problem *p = &r->problem;
    const struct dae_source *source = NULL;
    char differs[TAPE_NAME_SIZE], is_low[TAPE_NAME_SIZE];
    size_t derivative;
    uint32_t begin = 0, end = 0;
    const bool is_state = output == SIZE_MAX;
    const bool has_first = is_state ? tape_state_name(r, gap->state, differs)
                                    : output_name(r, output, differs);
    if (!tape_state_name(r, low, is_low) || !has_first) report_lost(r->ds);
    if (p->place)
        p->place(p->self, DAE_NAME_UNKNOWN,
            tape_unknown(r, is_state ? gap->state : low, &derivative), &source,
            &begin, &end);
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
static dae_status make(dae_atol_check *c, solution *r, const tape *k,
    const bool *are_low, size_t low)
{
    const dae_events *e = r->problem.events;
    const size_t count = e ? e->discrete_count + e->switch_count : 0;
    const dae_allocator *a = r->request->allocator;
    dae_diagnostics *quiet;
    tape_gap gap = {.size = 0};
    size_t output;
    if (dae_diagnostics_create(a, &quiet)) return DAE_MEMORY;
    double *held = alloc_zeroed(a, count, sizeof *held);
    dae_status st = held ? DAE_OK : DAE_MEMORY;
    if (!st && count) memcpy(held, e->held, count * sizeof *held);
    if (!st) st = compare(c, r, k, are_low, quiet, &gap, &output);
    if (held && count) memcpy(e->held, held, count * sizeof *held);
    if (!st && gap.size > TOLD) tell(r, &gap, low, output);
    alloc_free(a, held, count, sizeof *held);
    dae_diagnostics_free(quiet);
    return st;
}

dae_status atol_check_make(dae_atol_check *c, solution *r, tape *k)
{
    const double steps = (double)dae_solver_stats(r->solver)->steps;
    if (steps_for(r) < fmin(2 * steps, ENOUGH_STEPS)) return DAE_OK;
    tape_end(k, r);
    const dae_allocator *a = r->request->allocator;
    bool *are_low = alloc_zeroed(a, k->state_count, sizeof *are_low);
    if (!are_low) return DAE_MEMORY;
    const size_t low = find_low(k, are_low);
    dae_status st = DAE_OK;
    if (low != SIZE_MAX) {
        *c = (dae_atol_check){.is_made = 1, .difference = (double)NAN};
        dae_solver_rest(r->solver);
        st = make(c, r, k, are_low, low);
    }
    alloc_free(a, are_low, k->state_count, sizeof *are_low);
    return st;
}
