#include "global.h"
#include "console.h"
#include "memory.h"
#include "number.h"
#include "tape.h"
#include <math.h>
#include <string.h>

/* A run's error is proportional to its tolerance, or, by formulas of order k that
 * are tested for the error of a step, to its power k/(k + 1): this one for k = 4. */
static const double POWER = 0.8;
/* No run is believed to be more accurate than this beside the one before. */
static const double MOST_TRUST = 0.1;
/* What is aimed at; what is enough. */
static const double AIM = 0.3, ENOUGH = 1;
/* From one run to the next: the first, the least and the most. */
static const double FIRST = 0.1, LEAST = 0.3, MOST = 1e-3;
/* Rounding is in the way of smaller tolerances, and of those that take so many
 * times the steps that the order of the formula tells. */
static const double FINEST = 1e-14, MOST_STEPS = 4;
enum { LEAST_STEPS = 1000 };
enum { MOST_RUNS = 8 };

/* A run, and what it is compared with. */
typedef struct pilots {
    const args *args;
    limits *limits;
    messages quiet; /* of the run that was made last */
    dae_model *model;
    tape tapes[2];
    double factors[2];
    int64_t steps; /* that the last one took that came to its end */
    char why[300]; /* no run is finer */
    bool is_lost;  /* memory ran out for what was to be said of that */
} pilots;

bool global_is_asked(const args *a, const dae_model *model)
{
    if (a->step > 0) return false;
    if (a->error) return a->error == ERROR_GLOBAL;
    return dae_model_settings(model)->global_error;
}

/* ---- runs ---- */

static dae_status walk_pilot(run *r, tape *k, const tape *before)
{
    dae_status st = tape_attach(k, r, before);
    if (!st) st = runner_start(r);
    if (!st) st = runner_steps(r);
    if (!st) tape_end(k, r);
    return st;
}

/* How many steps it may take. */
static void limit_steps(const pilots *p, run *r, double factor)
{
    const double growth = pow(
        p->factors[0] / factor, 1.0 / (r->options.max_order + 1));
    const double most = MOST_STEPS * growth * (double)p->steps + LEAST_STEPS;
    if (r->options.max_steps > 0 && (double)r->options.max_steps <= most)
        return;
    r->options.max_steps = (int64_t)most;
}

static bool was_limited(const run *r, dae_status st)
{
    return st == DAE_LIMIT && !r->limits->memory_refused
        && r->options.max_steps != r->args->max_steps
        && dae_solver_stats(r->solver)->steps >= r->options.max_steps;
}

static const char IN_ROUNDING[] = "smaller tolerances are lost in rounding";
static const char OTHER_EVENTS[] =
    "its runs do not have the same events, however small their tolerances";

static void note_why(pilots *p, bool is_in_rounding)
{
    const char *why = is_in_rounding ? IN_ROUNDING
                                     : messages_last_error(&p->quiet);
    p->is_lost = p->is_lost || messages_are_incomplete(&p->quiet);
    (void)snprintf(p->why, sizeof p->why, "%s",
        why ? why : "a run at smaller tolerances failed");
}

/* What a run says is kept until the next one. */
static dae_status make_pilot(pilots *p, double factor, const tape *before)
{
    run r;
    messages_clear(&p->quiet);
    if (!messages_init(&p->quiet, &p->limits->allocator)) return DAE_MEMORY;
    tape *k = &p->tapes[1];
    tape_clear(k);
    dae_status st = runner_init(
        &r, p->args, p->limits, &p->quiet, p->model, factor);
    if (!st && before) limit_steps(p, &r, factor);
    if (!st) st = walk_pilot(&r, k, before);
    if (st && before) note_why(p, r.solver && was_limited(&r, st));
    if (!st) p->steps = dae_solver_stats(r.solver)->steps;
    runner_clear(&r);
    p->factors[1] = factor;
    return st;
}

static void swap_pilots(pilots *p)
{
    const tape k = p->tapes[0];
    const double factor = p->factors[0];
    p->tapes[0] = p->tapes[1];
    p->factors[0] = p->factors[1];
    p->tapes[1] = k;
    p->factors[1] = factor;
}

/* The last run is what the next one is compared with. */
static void keep_pilot(pilots *p)
{
    swap_pilots(p);
    tape_clear(&p->tapes[1]);
}

/* ---- which is accurate enough ---- */

/* Of the two runs, by what they differ by. */
typedef struct errors {
    double before, last;
} errors;

static errors judge(const pilots *p, double difference)
{
    double ratio = pow(p->factors[1] / p->factors[0], POWER);
    if (ratio < MOST_TRUST) ratio = MOST_TRUST;
    const double before = difference / (1 - ratio);
    return (errors){before, before * ratio};
}

static bool is_enough(global_error *g, const pilots *p, const errors *e)
{
    /* never larger tolerances than those asked for */
    const bool is_before = e->before <= ENOUGH && p->factors[0] <= 1;
    const double estimate = is_before ? e->before : e->last;
    if (!isnan(g->estimate) && estimate >= g->estimate) return false;
    g->factor = p->factors[!is_before];
    g->estimate = estimate;
    return estimate <= ENOUGH;
}

static double next_factor(const pilots *p, const errors *e)
{
    const double last = p->factors[1];
    if (!isfinite(e->before)) return last * FIRST;
    const double next = p->factors[0] * pow(AIM / e->before, 1 / POWER);
    return fmin(fmax(next, last * MOST), last * LEAST);
}

/* ---- what is told ---- */

static void tell_what_is_left(
    const global_error *g, const pilots *p, messages *m)
{
    const char *why = *p->why ? p->why : IN_ROUNDING;
    if (p->is_lost) messages_lose(m);
    if (isfinite(g->estimate))
        messages_add(m, "W0531", DAE_WARNING, NULL, NULL,
            "the largest error of the solution is estimated at %.3g times the "
            "tolerance, not 1, and no run is better: %s",
            g->estimate, why);
    else
        messages_add(m, "W0531", DAE_WARNING, NULL, NULL,
            "the largest error of the solution is not known: %s",
            isnan(g->estimate) ? why : OTHER_EVENTS);
}

/* ---- all of them ---- */

static double tolerance_of(const args *a, const dae_model *model)
{
    const double own = dae_model_settings(model)->rtol;
    if (!isnan(a->rtol)) return a->rtol;
    return own > 0 ? own : dae_options_default().rtol;
}

static bool ends_the_command(dae_status st)
{
    return st == DAE_MEMORY || st == DAE_INTERRUPTED;
}

static errors compare(const pilots *p)
{
    return judge(p, tape_difference(&p->tapes[0], &p->tapes[1]));
}

/* Where no finer run is to be had, a coarser one tells of the last. */
static dae_status look_back(global_error *g, pilots *p)
{
    const double factor = p->factors[0];
    dae_status st = make_pilot(p, factor / LEAST, &p->tapes[0]);
    g->runs++;
    if (st) return st;
    swap_pilots(p);
    g->estimate = (double)NAN;
    const errors e = compare(p);
    (void)is_enough(g, p, &e);
    return DAE_OK;
}

/* From the second run on. One that fails is followed by one half way to it, until
 * these are as near to each other as two runs are at least. */
static dae_status refine(global_error *g, pilots *p, double finest)
{
    double factor = fmax(FIRST, finest);
    dae_status st = DAE_OK;
    while (g->runs < MOST_RUNS && factor <= p->factors[0] * LEAST) {
        st = make_pilot(p, factor, &p->tapes[0]);
        g->runs++;
        if (ends_the_command(st)) return st;
        if (st) {
            finest = factor / LEAST;
            factor = sqrt(factor * p->factors[0]);
            continue;
        }
        const errors e = compare(p);
        if (is_enough(g, p, &e)) return DAE_OK;
        factor = fmax(next_factor(p, &e), finest);
        keep_pilot(p);
    }
    if (g->runs >= MOST_RUNS && !*p->why)
        (void)snprintf(p->why, sizeof p->why,
            "so far the tolerances of %d runs lead", g->runs);
    return look_back(g, p);
}

/* Where the first run fails, so does the one that is shown, and says why. */
static dae_status search(global_error *g, pilots *p, messages *m)
{
    const double finest = fmin(FINEST / tolerance_of(p->args, p->model), 1);
    dae_status st = make_pilot(p, 1, NULL);
    if (st) return st;
    g->runs = 1;
    keep_pilot(p);
    st = refine(g, p, finest);
    if (!ends_the_command(st) && !(g->estimate <= ENOUGH))
        tell_what_is_left(g, p, m);
    return st;
}

dae_status global_find(
    global_error *g, const args *a, limits *l, messages *m, dae_model *model)
{
    pilots p = {.args = a, .limits = l, .model = model};
    const double before = console_clock();
    *g = (global_error){.factor = 1, .estimate = (double)NAN};
    dae_status st = search(g, &p, m);
    for (int i = 0; i < 2; i++) tape_clear(&p.tapes[i]);
    messages_clear(&p.quiet);
    g->seconds = console_clock() - before;
    return ends_the_command(st) ? st : DAE_OK;
}

void global_print(const global_error *g, FILE *file)
{
    if (!(g->estimate <= ENOUGH)) return; /* the messages say what is known */
    (void)fprintf(file,
        "largest error of the solution: %.3g times the tolerance by estimate; "
        "steps made at %.3g of it, found by %d runs\n",
        number_plain(g->estimate), g->factor, g->runs);
}

void global_json(const global_error *g, json *j)
{
    json_key(j, "global_error");
    json_begin_object(j);
    json_key(j, "estimate"), json_number(j, g->estimate);
    json_key(j, "factor"), json_number(j, g->factor);
    json_key(j, "runs"), json_integer(j, g->runs);
    json_end_object(j);
}
