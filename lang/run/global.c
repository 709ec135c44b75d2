#include "run/global.h"

#include "base/report.h"
#include "run/tape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A run's error is proportional to its tolerance, or, by formulas of order k that
 * are tested for the error of a step, to its power k/(k + 1): this one for k = 4.
 * Runs that show less are believed; more than the least would be no rule at all. */
static const double POWER = 0.8, LEAST_POWER = 0.1;
/* No run is believed to be more accurate than this beside the one before. */
static const double MOST_TRUST = 0.1;
/* What is aimed at; what is enough. */
static const double AIM = 0.3, ENOUGH = 1;
/* From one run to the next: the first, the least and the most. */
static const double FIRST = 0.1, LEAST = 0.3, MOST = 1e-3;
/* Rounding is in the way of smaller tolerances, and of those that take so many
 * times the steps that the order of the formula tells. */
static const double FINEST = 1e-14, MOST_STEPS = 4;
enum { LEAST_STEPS = 1000, MOST_RUNS = 9 };
static const char IN_ROUNDING[] = "smaller tolerances are lost in rounding";

/* A run, and what the next one differs by from it. */
typedef struct pilot {
    double factor, gap;
} pilot;

typedef struct pilots {
    const run_request *request;
    dae_diagnostics *quiet; /* of the run that was made last */
    tape tapes[2];
    double factor; /* of the last */
    int64_t steps; /* that the last one took that came to its end */
    /* those that have been compared with a next one; the last is the first of the
     * two tapes */
    pilot made[MOST_RUNS];
    size_t count;
    bool is_looked_back; /* a third run has told of the last */
    tape_gap gap;        /* of the last two */
    char where[80];      /* it lies */
    char why[300];       /* no run is finer */
    bool is_lost;        /* memory ran out for what was to be said of that */
} pilots;

bool global_is_asked(const run_request *q)
{
    const settings *s = &q->settings;
    if (settings_number(s, q->model, SETTING_STEP) > 0) return false;
    return settings_choice(s, q->model, SETTING_ERROR) == 1;
}

/* ---- runs ---- */

/* How many steps it may take. */
static void limit_steps(const pilots *p, solution *r, double factor)
{
    const int order = r->options.max_order > 0 ? r->options.max_order : 5;
    const double growth = pow(p->factor / factor, 1.0 / (order + 1));
    solution_limit_steps(
        r, MOST_STEPS * growth * (double)p->steps + LEAST_STEPS);
}

static bool was_limited(const solution *r, dae_status st)
{
    return st == DAE_LIMIT && r->options.max_steps != r->given_max_steps
        && dae_solver_stats(r->solver)->steps >= r->options.max_steps;
}

static void note_why(pilots *p, bool is_in_rounding)
{
    const char *why = is_in_rounding ? IN_ROUNDING
                                     : solution_last_error(p->quiet);
    p->is_lost = p->is_lost || dae_diagnostics_lost(p->quiet) > 0;
    (void)snprintf(p->why, sizeof p->why, "%s",
        why ? why : "a run at smaller tolerances failed");
}

/* The state whose gap it is, and when. */
static void note_where(pilots *p, const solution *r)
{
    char name[TAPE_NAME_SIZE];
    if (!tape_state_name(r, p->gap.state, name)) p->is_lost = true;
    (void)snprintf(
        p->where, sizeof p->where, "`%s` at t = %.10g", name, p->gap.t);
}

/* The run at `factor`, compared with the one before. What a run says is kept until
 * the next one. */
static dae_status make_pilot(pilots *p, double factor)
{
    solution r;
    const tape *before = p->steps ? &p->tapes[0] : NULL;
    dae_diagnostics_clear(p->quiet);
    tape_clear(&p->tapes[1]);
    dae_status st = solution_init(
        &r, p->request, (tolerance_factors){factor, factor}, true, p->quiet);
    if (!st && before) limit_steps(p, &r, factor);
    if (!st) st = tape_record(&p->tapes[1], &r, before);
    if (st && before) note_why(p, r.solver && was_limited(&r, st));
    if (!st && before) p->gap = tape_compare(before, &p->tapes[1]);
    if (p->gap.has_events) p->gap.size = (double)INFINITY;
    if (!st && before) note_where(p, &r);
    if (!st) p->steps = dae_solver_stats(r.solver)->steps;
    solution_clear(&r);
    return st;
}

/* The last run is what the next one is compared with. */
static void keep_pilot(pilots *p, double factor)
{
    tape_clear(&p->tapes[0]);
    p->tapes[0] = p->tapes[1];
    memset(&p->tapes[1], 0, sizeof p->tapes[1]);
    p->factor = factor;
}

/* ---- how accurate they are ---- */

/* What a run's error becomes at `factor` of the tolerances. */
static double reduced_by(double factor, double power)
{
    return fmax(pow(factor, power), MOST_TRUST);
}

static double error_of(const pilots *p, size_t k, double power)
{
    const double next = k + 1 < p->count ? p->made[k + 1].factor : p->factor;
    return p->made[k].gap / (1 - reduced_by(next / p->made[k].factor, power));
}

/* By how much the last two gaps, of three runs, show that tolerances count. */
static double power_of(const pilots *p)
{
    if (p->count < 2) return POWER;
    const size_t k = p->count - 1;
    const double before = error_of(p, k - 1, POWER);
    const double ratio = before / error_of(p, k, POWER);
    const double power = log(ratio)
        / log(p->made[k - 1].factor / p->made[k].factor);
    return isfinite(power) ? fmin(fmax(power, LEAST_POWER), POWER) : POWER;
}

/* The coarsest run that is accurate enough, else the last one. A run is no more
 * accurate than what finer ones are found to be. */
static void choose(dae_global_error *g, const pilots *p)
{
    const double power = power_of(p);
    const size_t last = p->count - 1;
    double error = error_of(p, last, power)
        * reduced_by(p->factor / p->made[last].factor, power);
    g->factor = p->factor;
    g->estimate = error;
    for (size_t k = p->count; k-- > 0;) {
        error = fmax(error, error_of(p, k, power));
        if (error > ENOUGH) return;
        g->factor = p->made[k].factor;
        g->estimate = error;
    }
}

/* Two runs may be equally wrong: three are not, or two that are very near. */
static bool is_enough(const dae_global_error *g, const pilots *p)
{
    static const double very_near = 0.05;
    const bool are_two = p->count == 1 && !p->is_looked_back;
    if (are_two && p->made[0].gap > very_near) return false;
    return g->estimate <= ENOUGH;
}

/* Errors that events leave hardly fall with the tolerance: runs close to each
 * other tell little of them. */
static double least_step(const pilots *p)
{
    const tape *k = &p->tapes[0];
    return k->events[k->count - 1] > 0 ? FIRST : LEAST;
}

static double next_factor(const pilots *p)
{
    const pilot *k = &p->made[p->count - 1];
    const double error = error_of(p, p->count - 1, power_of(p));
    if (!isfinite(error)) return p->factor * FIRST;
    const double next = k->factor * pow(AIM / error, 1 / POWER);
    return fmin(fmax(next, p->factor * MOST), p->factor * least_step(p));
}

/* ---- what is told ---- */

static void tell_what_is_left(
    const dae_global_error *g, const pilots *p, dae_diagnostics *ds)
{
    const char *why = *p->why ? p->why : IN_ROUNDING;
    const text_span none = {0, 0};
    if (p->is_lost) report_lost(ds);
    if (p->gap.has_events)
        report(ds, DIAG_W0531, NULL, none,
            "the largest error of the solution is not known: its runs do not "
            "have the same events, however small their tolerances");
    else if (isfinite(g->estimate))
        report(ds, DIAG_W0531, NULL, none,
            "the largest error of the solution is %.3g times the tolerance by "
            "estimate, not 1, of %s, and no run is better: %s",
            g->estimate, p->where, why);
    else
        report(ds, DIAG_W0531, NULL, none,
            "the largest error of the solution is not known: %s", why);
}

/* ---- all of them ---- */

static bool ends_all(dae_status st)
{
    return st == DAE_MEMORY || st == DAE_INTERRUPTED;
}

/* Where no finer run is to be had, one between the last two tells more of the last
 * than what these differ by. */
static dae_status look_back(dae_global_error *g, pilots *p)
{
    const double last = p->factor, factor = last / LEAST;
    if (p->count == 0 || factor >= p->made[p->count - 1].factor) return DAE_OK;
    dae_status st = make_pilot(p, factor);
    if (st) return st;
    g->runs++;
    p->is_looked_back = true;
    const double gap = p->gap.size, ratio = reduced_by(LEAST, power_of(p));
    g->estimate = gap / (1 - ratio) * ratio;
    return DAE_OK;
}

/* From the second run on. One that fails is followed by one half way to it, until
 * these are as near to each other as two runs are at least. */
static dae_status refine(dae_global_error *g, pilots *p, double finest)
{
    double factor = fmax(FIRST, finest);
    while (g->runs < MOST_RUNS && factor <= p->factor * LEAST) {
        const dae_status st = make_pilot(p, factor);
        g->runs++;
        if (ends_all(st)) return st;
        if (st) {
            finest = factor / LEAST;
            factor = sqrt(factor * p->factor);
            continue;
        }
        p->made[p->count++] = (pilot){p->factor, p->gap.size};
        keep_pilot(p, factor);
        choose(g, p);
        if (is_enough(g, p)) return DAE_OK;
        factor = fmax(next_factor(p), finest);
    }
    if (g->runs >= MOST_RUNS && !*p->why)
        (void)snprintf(p->why, sizeof p->why,
            "so far the tolerances of %d runs lead", g->runs);
    return look_back(g, p);
}

/* Where the first run fails, so does the one that is shown, and says why. */
static dae_status search(dae_global_error *g, pilots *p, dae_diagnostics *ds)
{
    const run_request *q = p->request;
    const double rtol = settings_number(&q->settings, q->model, SETTING_RTOL);
    const double finest = fmin(FINEST / rtol, 1);
    dae_status st = make_pilot(p, 1);
    g->runs = 1;
    if (st) return st;
    keep_pilot(p, 1);
    st = refine(g, p, finest);
    if (!ends_all(st) && !(g->estimate <= ENOUGH && is_enough(g, p)))
        tell_what_is_left(g, p, ds);
    return st;
}

dae_status global_find(
    dae_global_error *g, const run_request *q, dae_diagnostics *ds)
{
    pilots p = {.request = q};
    *g = (dae_global_error){
        .is_asked = 1, .factor = 1, .estimate = (double)NAN};
    if (dae_diagnostics_create(q->allocator, &p.quiet)) return DAE_MEMORY;
    dae_status st = search(g, &p, ds);
    for (int i = 0; i < 2; i++) tape_clear(&p.tapes[i]);
    dae_diagnostics_free(p.quiet);
    return ends_all(st) ? st : DAE_OK;
}
