/* A step's reference serves all orders, so the steps are the outer loop. The
 * error of one step is that of the last one of the run, from exact values: at one
 * time for all steps, or its order would be that of a value that changes. */
#include "orders/fixed.h"

#include "orders/machine.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A wrong start: so much is added to a state. */
typedef struct disturbance {
    size_t at;
    double by;
} disturbance;

/* What a study does beside the plan. */
typedef struct fixed_options {
    const double *pattern; /* factors of the step; 0 of them: equal */
    size_t pattern_count;
    const disturbance *disturbances;
    size_t disturbance_count;
    const dae_orders_formula *formulas; /* NULL: BDF of the orders asked for */
    size_t formula_count;
    dae_diagnostics *tell; /* hears of failures; NULL: the rows alone do */
} fixed_options;

/* What rounding grows by, beside 1/h, where a formula differentiates: the moduli
 * of its factors add up to so much, at order 4. */
static const double GROWTH = 8;
/* Errors are told from rounding by so many times the unit of precision, and from
 * errors of the reference by so many times what is known of these. */
static const double ROUNDINGS = 100, UNCERTAINTIES = 10, DOUBLES = 4;

/* ---- one run ---- */

typedef struct follower {
    const dae_orders *of;
    const fixed_options *options;
    const track *track;
    size_t offset; /* of the run's first point in the track */
    size_t last;   /* its last point */
    bool is_one_step;
    bool is_other;  /* against the other reference */
    double *errors; /* against the first: points by unknowns, and behind them
                       those of one step */
    fixed_row *row;
} follower;

static const dae_long *exact_at(const follower *w, size_t index)
{
    return w->is_other ? track_other_at(w->track, index)
                       : track_at(w->track, index);
}

/* Where Newton's method begins: slopes of the highest states as the reference has
 * them, to the next point of the grid or from the last. */
static void give_slopes(const follower *w, size_t index, dae_long *xp)
{
    const dae_problem *p = dae_run_problem(w->of->run);
    const track *k = w->track;
    const size_t next = index + 1 < k->count ? index + 1 : index;
    const dae_long h = k->times[next] - k->times[next - 1];
    size_t at = 0;
    for (size_t j = 0; j < p->unknown_count; j++) {
        const int order = p->order ? p->order[j] : 1;
        at += order > 1 ? (size_t)order : 1;
        xp[j] = (exact_at(w, next)[at - 1] - exact_at(w, next - 1)[at - 1]) / h;
    }
}

static dae_status give(
    void *context, size_t index, dae_long t, dae_long *x, dae_long *xp)
{
    const follower *w = context;
    const track *k = w->track;
    (void)t;
    memcpy(x, exact_at(w, w->offset + index), k->state_count * sizeof *x);
    give_slopes(w, w->offset + index, xp);
    if (index > 0 || w->is_one_step) return DAE_OK;
    for (size_t i = 0; i < w->options->disturbance_count; i++)
        x[w->options->disturbances[i].at] +=
            (dae_long)w->options->disturbances[i].by;
    return DAE_OK;
}

static void note_error(const follower *w, size_t index, size_t k, double error)
{
    const int64_t index_of = w->of->unknowns[k].index;
    const int64_t depth = index_of > 2 ? index_of - 1 : 1;
    const size_t place = w->is_one_step ? w->track->count : index;
    double *first = &w->errors[place * w->of->unknown_count + k];
    const double doubt = fabs(error - *first);
    if (!w->is_other) *first = error;
    if (w->is_one_step && w->is_other) {
        w->row->doubts[DAE_ORDERS_ONE_STEP][k] = doubt;
    } else if (w->is_one_step) {
        w->row->errors[DAE_ORDERS_ONE_STEP][k] = error;
    } else if (w->is_other) {
        fixed_study_doubt(w->row, k, index, depth, w->last, doubt);
    } else {
        fixed_study_note(w->row, k, index, depth, error);
        if (index == w->last) w->row->errors[DAE_ORDERS_END][k] = error;
    }
}

static dae_status see(void *context, size_t index, dae_long t,
    const dae_long *x, const dae_long *xp)
{
    const follower *w = context;
    const dae_long *exact = exact_at(w, w->offset + index);
    (void)t, (void)xp;
    if (index < (size_t)w->row->of.formula->past) return DAE_OK;
    for (size_t k = 0; k < w->of->unknown_count; k++) {
        const size_t at = w->of->unknowns[k].state;
        note_error(w, index, k, (double)(x[at] - exact[at]));
    }
    return DAE_OK;
}

static dae_status run_study(
    follower *w, size_t first, size_t count, dae_diagnostics *ds)
{
    const dae_orders *o = w->of;
    const dae_options *options = dae_run_options(o->run);
    dae_study study = dae_study_default();
    w->offset = first;
    w->last = count - 1;
    study.order = w->row->of.formula->order;
    study.precision = o->reference.is_long ? DAE_STUDY_LONG : DAE_STUDY_DOUBLE;
    study.times = w->track->times + first;
    study.time_count = count;
    study.given = give, study.given_context = w;
    study.point = see, study.point_context = w;
    study.linear = options->linear;
    study.interrupt = options->interrupt;
    study.interrupt_context = options->interrupt_context;
    return dae_study_run(dae_run_problem(o->run), &study, o->allocator, ds,
        w->is_one_step || w->is_other ? NULL : &w->row->of.counts);
}

static bool is_formula(dae_status st)
{
    return st == DAE_NUMERIC || st == DAE_RETRY;
}

/* The run, then its last step alone, which may do where the run does not. */
static dae_status run_both(follower *w, dae_diagnostics *ds)
{
    const size_t points = w->track->count;
    const size_t past = (size_t)w->row->of.formula->past;
    w->is_one_step = false;
    const dae_status st = run_study(w, 0, points, ds);
    if (st && (!is_formula(st) || w->options->tell)) return st;
    if (st && !w->is_other) fixed_study_forget(w->row);
    w->is_one_step = true;
    const dae_status last = run_study(w, points - past - 1, past + 1, ds);
    return st && (!last || is_formula(last)) ? st : last;
}

/* The same from and against the other reference: what is given, and is wrong by
 * what the reference is wrong by, goes through the formula, which may divide it by
 * powers of the step, so that what it does to the errors is measured. */
static dae_status doubt(follower *w)
{
    dae_diagnostics *quiet;
    dae_status st = dae_diagnostics_create(w->of->allocator, &quiet);
    if (st) return st;
    w->is_other = true;
    st = run_both(w, quiet);
    dae_diagnostics_free(quiet);
    if (!is_formula(st)) return st;
    for (size_t k = 0; !w->row->of.status && k < w->of->unknown_count; k++)
        for (size_t l = 0; l < DAE_ORDERS_ERRORS; l++)
            w->row->doubts[l][k] = (double)INFINITY;
    return DAE_OK;
}

/* A formula that fails is no failure of the study. */
static dae_status fill_row(follower *w)
{
    const size_t points = w->track->count;
    dae_orders_row *row = &w->row->of;
    const size_t past = (size_t)row->formula->past;
    dae_diagnostics *quiet;
    row->is_short = points <= past;
    if (row->is_short) return DAE_OK;
    row->steps = (int64_t)(points - past);
    dae_status st = dae_diagnostics_create(w->of->allocator, &quiet);
    if (st) return st;
    st = run_both(w, w->options->tell ? w->options->tell : quiet);
    if (st) failure_take(&row->failure, quiet);
    dae_diagnostics_free(quiet);
    row->status = st;
    if (st && !is_formula(st)) return st;
    return w->track->other && !w->options->disturbance_count ? doubt(w)
                                                             : DAE_OK;
}

/* ---- one step size ---- */

/* How wrong starting values are, by their size, as far as no other reference tells
 * it: what is differentiated divides that by the step. */
static double noise_of(const dae_orders *o, const track *k)
{
    double noise = o->reference.is_long ? DAE_LONG_EPSILON : DBL_EPSILON;
    noise *= ROUNDINGS;
    for (size_t i = 0; i < o->unknown_count; i++) {
        const size_t at = o->unknowns[i].state;
        if (k->scale[at] > 0 && !k->other)
            noise = fmax(
                noise, UNCERTAINTIES * k->uncertain[at] / k->scale[at]);
    }
    return noise;
}

/* Values that are doubles are no better than that, whatever two references agree
 * on by chance. */
static void note_floors(const dae_orders *o, fixed_row *row, const track *k)
{
    const double noise = noise_of(o, k);
    const double least = k->is_double ? DOUBLES * DBL_EPSILON : 0;
    for (size_t i = 0; i < o->unknown_count; i++) {
        const dae_orders_unknown *of = &o->unknowns[i];
        const double depth = of->index > 1 ? (double)of->index - 1 : 0;
        const double grown = noise * pow(GROWTH / row->of.step, depth);
        row->floors[i] = fmax(grown, least) * k->scale[of->state];
    }
}

static dae_status study_row(dae_orders *o, const fixed_options *with,
    fixed_row *row, const track *k, double *errors)
{
    const dae_orders_formula *f = row->of.formula;
    follower w = {
        .of = o, .options = with, .track = k, .errors = errors, .row = row};
    const dae_status st = orders_tell_progress(
        o, f->name, row->of.step, (double)NAN);
    if (st) return st;
    if (f->method) return orders_machine_row(o, row, k, with->tell);
    note_floors(o, row, k);
    return fill_row(&w);
}

static dae_status study_step(fixed_study *f, dae_orders *o,
    const fixed_options *with, size_t step, const dae_long *times, size_t count)
{
    track k;
    size_t room;
    dae_status st = track_init(&k, o, times, count);
    double *errors = size_mul(count + 1, o->unknown_count, &room)
        ? ARENA_ARRAY(&o->scratch, double, room)
        : NULL;
    if (!st && !errors) st = DAE_MEMORY;
    for (size_t i = 0; !st && i < f->formula_count; i++) {
        fixed_row *row = fixed_row_at(f, i, step);
        st = study_row(o, with, row, &k, errors);
        if (st) fixed_study_abandon(row);
    }
    return st;
}

/* So many points, with all their values, are more than a study needs. */
enum { MOST_POINTS = 1000000 };

static double shortest(double step, const fixed_options *with)
{
    double factor = with->pattern_count ? with->pattern[0] : 1;
    for (size_t i = 0; i < with->pattern_count; i++)
        factor = fmin(factor, with->pattern[i]);
    return factor * step;
}

/* One that is longer than the interval, or far too short. */
static dae_status check_step(
    const dae_orders *o, double h, const fixed_options *with)
{
    const double length = orders_length(o);
    const double t0 = dae_run_begin(o->run), t1 = dae_run_end(o->run);
    if (h > length * (1 + 1e-9))
        return ORDERS_REFUSE(o,
            "%ssteps: %.10g is longer than the interval from %.10g to %.10g",
            o->request.prefix, h, t0, t1);
    if (length / shortest(h, with) < MOST_POINTS) return DAE_OK;
    return ORDERS_REFUSE(o,
        "%ssteps: with %.10g there would be more than %d steps from %.10g to "
        "%.10g",
        o->request.prefix, h, MOST_POINTS, t0, t1);
}

static dae_status make_step(
    fixed_study *f, dae_orders *o, const fixed_options *with, size_t step)
{
    const double h = fixed_row_at(f, 0, step)->of.step;
    dae_status st = check_step(o, h, with);
    if (st) return st;
    const dae_long t0 = (dae_long)dae_run_begin(o->run),
                   t1 = (dae_long)dae_run_end(o->run);
    const double *pattern = with->pattern_count ? with->pattern : NULL;
    const arena_position mark = arena_mark(&o->scratch);
    const size_t count = dae_study_grid(
        t0, t1, (dae_long)h, pattern, with->pattern_count, NULL, 0);
    dae_long *times = ARENA_ARRAY(&o->scratch, dae_long, count);
    if (times)
        (void)dae_study_grid(
            t0, t1, (dae_long)h, pattern, with->pattern_count, times, count);
    st = times ? study_step(f, o, with, step, times, count) : DAE_MEMORY;
    arena_release(&o->scratch, mark);
    return st;
}

/* BDF of the orders asked for. */
static size_t list_formulas(const dae_orders *o, dae_orders_formula *formulas)
{
    const orders_plan *p = &o->plan;
    for (size_t i = 0; i < p->order_count; i++) {
        dae_orders_formula *f = &formulas[i];
        *f = (dae_orders_formula){.order = p->orders[i],
            .past = p->orders[i],
            .is_unreduced = o->index > 1};
        (void)snprintf(f->name, sizeof f->name, "bdf%d", f->order);
    }
    return p->order_count;
}

/* Fills `f` for the first `most` of the plan's steps. */
static dae_status make_study(fixed_study *f, dae_orders *o,
    const fixed_options *with, size_t first, size_t most)
{
    dae_orders_formula own[PLAN_ORDERS];
    double steps[PLAN_STEPS];
    size_t step_count = orders_plan_fit(
        &o->plan, orders_length(o), with->pattern, with->pattern_count, steps);
    const size_t own_count = with->formulas ? 0 : list_formulas(o, own);
    if (step_count > most) step_count = most;
    dae_status st = fixed_study_init(f, o,
        with->formulas ? with->formulas : own,
        with->formulas ? with->formula_count : own_count, steps, step_count);
    if (st) return st;
    f->is_by_method = with->formulas != NULL;
    for (size_t s = first; !st && s < f->step_count; s++)
        st = make_step(f, o, with, s);
    return st;
}

dae_status orders_fixed_tell(dae_orders *o)
{
    fixed_study *all = &o->fixed[DAE_ORDERS_PLAN], f;
    size_t r = 0;
    const size_t count = all->formula_count * all->step_count;
    while (r < count && all->rows[r].of.status == DAE_OK) r++;
    if (r == count) return DAE_OK;
    const size_t step = r % all->step_count;
    const fixed_options with = {.pattern = o->plan.pattern,
        .pattern_count = o->plan.pattern_count,
        .formulas = all->rows[r].of.formula,
        .formula_count = 1,
        .tell = dae_run_diagnostics(o->run)};
    const dae_status st = make_study(&f, o, &with, step, step + 1);
    return st ? st : all->rows[r].of.status;
}

/* ---- all studies ---- */

static dae_status find_disturbance(
    dae_orders *o, const perturbation *given, disturbance *d)
{
    const char *pre = o->request.prefix;
    size_t k = 0;
    while (k < o->unknown_count
        && strcmp(o->unknowns[k].name, given->unknown) != 0)
        k++;
    if (k == o->unknown_count)
        return ORDERS_REFUSE(
            o, "%sperturb: the model has no unknown `%s`", pre, given->unknown);
    d->at = o->unknowns[k].state;
    if (plan_read_number(given->by, &d->by)) return DAE_OK;
    return ORDERS_REFUSE(o, "%sperturb %s wants a number, not `%s`", pre,
        given->unknown, given->by);
}

/* Names and numbers are looked at before anything takes time. */
static dae_status find_disturbances(dae_orders *o, disturbance *d)
{
    dae_status st = d ? DAE_OK : DAE_MEMORY;
    for (size_t i = 0; !st && i < o->perturbs.count; i++)
        st = find_disturbance(o, &o->perturbs.items[i], &d[i]);
    return st;
}

static dae_status make_by_method(dae_orders *o)
{
    fixed_options with = {.formulas = NULL};
    const arena_position mark = arena_mark(&o->scratch);
    dae_orders_formula *formulas = ARENA_ARRAY(
        &o->scratch, dae_orders_formula, MACHINE_FORMULAS);
    dae_status st = formulas
        ? orders_machine_formulas(o, formulas, &with.formula_count)
        : DAE_MEMORY;
    with.formulas = formulas;
    if (!st)
        st = make_study(&o->fixed[DAE_ORDERS_PLAN], o, &with, 0, PLAN_STEPS);
    arena_release(&o->scratch, mark);
    return st;
}

/* Unequal steps are of interest where they change an order. */
static bool wants_unequal(const dae_orders *o)
{
    int64_t highest = 0;
    for (size_t k = 0; k < o->unknown_count; k++)
        if (o->unknowns[k].index > highest) highest = o->unknowns[k].index;
    return o->plan.pattern_count == 0 && highest > 2;
}

/* Steps that were requested and are others. */
static dae_status tell_fitted(dae_orders *o)
{
    const orders_plan *p = &o->plan;
    const bool is_asked = o->request.text[PLAN_OF_STEPS] != NULL;
    char *list = NULL;
    for (size_t i = 0; is_asked && i < p->step_count; i++) {
        const double h = orders_fit_step(
            p->steps[i], orders_length(o), p->pattern, p->pattern_count);
        if (!(h < p->steps[i])) continue;
        list = arena_printf(&o->scratch, "%s%s%.10g is %.10g", list ? list : "",
            list ? ", " : "", p->steps[i], h);
        if (!list) return DAE_MEMORY;
    }
    if (list)
        report(o->ds, DIAG_N0517, NULL, (text_span){0, 0},
            "%ssteps: whole %s of equal length fill the interval from %.10g "
            "to %.10g: %s",
            o->request.prefix, p->pattern_count ? "patterns" : "steps",
            dae_run_begin(o->run), dae_run_end(o->run), list);
    return DAE_OK;
}

dae_status orders_fixed(dae_orders *o)
{
    static const double one_two[] = {1, 2};
    const size_t wrong = o->perturbs.count;
    disturbance *d = ARENA_ARRAY(&o->results, disturbance, wrong);
    fixed_options with = {
        .pattern = o->plan.pattern, .pattern_count = o->plan.pattern_count};
    dae_status st = find_disturbances(o, d);
    if (!st) st = tell_fitted(o);
    if (!st && o->plan.has_methods) return make_by_method(o);
    if (!st)
        st = make_study(&o->fixed[DAE_ORDERS_PLAN], o, &with, 0, PLAN_STEPS);
    if (!st && wrong) {
        with.disturbances = d, with.disturbance_count = wrong;
        st = make_study(
            &o->fixed[DAE_ORDERS_PERTURBED], o, &with, 0, PLAN_STEPS);
    }
    if (!st && !wrong && wants_unequal(o)) {
        with = (fixed_options){.pattern = one_two, .pattern_count = 2};
        st = make_study(&o->fixed[DAE_ORDERS_UNEQUAL], o, &with, 0, PLAN_STEPS);
    }
    return st;
}
