/* A step's reference serves all orders, so the steps are the outer loop. The
 * error of one step is that of the last one of the run, from exact values: at one
 * time for all steps, or its order would be that of a value that changes. */
#include "orders_fixed.h"
#include "memory.h"
#include "orders_machine.h"
#include "phrase.h"
#include <dae/names.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* What rounding grows by, beside 1/h, where a formula differentiates: the moduli
 * of its factors add up to so much, at order 4. */
static const double GROWTH = 8;
/* Errors are told from rounding by so many times the unit of precision, and from
 * errors of the reference by so many times what is known of these. */
static const double ROUNDINGS = 100, UNCERTAINTIES = 10, DOUBLES = 4;

/* ---- one run ---- */

typedef struct follower {
    const orders_view *view;
    const fixed_study *study;
    const fixed_options *options;
    const track *track;
    size_t offset; /* of the run's first point in the track */
    size_t last;   /* its last point */
    bool is_one_step;
    bool is_other;  /* against the other reference */
    double *errors; /* against the first: points by variables, and behind them
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
    const dae_problem *p = w->view->reference.problem;
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
    const int64_t index_of = w->view->variables[k].role.index;
    const int64_t depth = index_of > 2 ? index_of - 1 : 1;
    const size_t place = w->is_one_step ? w->track->count : index;
    double *first = &w->errors[place * w->view->variable_count + k];
    const double doubt = fabs(error - *first);
    if (!w->is_other) *first = error;
    if (w->is_one_step && w->is_other) {
        w->row->doubts[ERROR_FIRST][k] = doubt;
    } else if (w->is_one_step) {
        w->row->errors[ERROR_FIRST][k] = error;
    } else if (w->is_other) {
        fixed_study_doubt(w->row, k, index, depth, w->last, doubt);
    } else {
        fixed_study_note(w->study, w->row, k, index, depth, error);
        if (index == w->last) w->row->errors[ERROR_END][k] = error;
    }
}

static dae_status see(void *context, size_t index, dae_long t,
    const dae_long *x, const dae_long *xp)
{
    const follower *w = context;
    const dae_long *exact = exact_at(w, w->offset + index);
    (void)t, (void)xp;
    if (index < (size_t)w->row->formula->past) return DAE_OK;
    for (size_t k = 0; k < w->view->variable_count; k++) {
        const size_t at = w->view->variables[k].at;
        note_error(w, index, k, (double)(x[at] - exact[at]));
    }
    return DAE_OK;
}

static dae_status run_study(
    follower *w, size_t first, size_t count, messages *m)
{
    session *s = w->view->session;
    dae_study study = dae_study_default();
    w->offset = first;
    w->last = count - 1;
    study.order = w->row->formula->order;
    study.precision = w->view->reference.is_long ? DAE_STUDY_LONG
                                                 : DAE_STUDY_DOUBLE;
    study.times = w->track->times + first;
    study.time_count = count;
    study.given = give, study.given_context = w;
    study.point = see, study.point_context = w;
    study.linear = dae_run_options(s->run)->linear;
    study.interrupt = limits_stop, study.interrupt_context = &s->limits;
    return dae_study_run(w->view->reference.problem, &study,
        &s->limits.allocator, m->library,
        w->is_one_step || w->is_other ? NULL : &w->row->counts);
}

static bool is_formula(dae_status st)
{
    return st == DAE_NUMERIC || st == DAE_RETRY;
}

/* The run, then its last step alone, which may do where the run does not. */
static dae_status run_both(follower *w, messages *m)
{
    const size_t points = w->track->count;
    const size_t past = (size_t)w->row->formula->past;
    w->is_one_step = false;
    const dae_status st = run_study(w, 0, points, m);
    if (st && (!is_formula(st) || w->options->tell)) return st;
    if (st && !w->is_other) fixed_study_forget(w->study, w->row);
    w->is_one_step = true;
    const dae_status last = run_study(w, points - past - 1, past + 1, m);
    return st && (!last || is_formula(last)) ? st : last;
}

/* The same from and against the other reference: what is given, and is wrong by
 * what the reference is wrong by, goes through the formula, which may divide it by
 * powers of the step, so that what it does to the errors is measured. */
static dae_status doubt(follower *w)
{
    messages quiet;
    if (!messages_init(&quiet, &w->view->session->limits.allocator))
        return DAE_MEMORY;
    w->is_other = true;
    const dae_status st = run_both(w, &quiet);
    messages_clear(&quiet);
    if (!is_formula(st)) return st;
    for (size_t k = 0; !w->row->status && k < w->study->variable_count; k++)
        for (size_t l = 0; l < ERROR_LISTS; l++)
            w->row->doubts[l][k] = (double)INFINITY;
    return DAE_OK;
}

/* A formula that fails is no failure of the command. */
static dae_status fill_row(follower *w)
{
    const size_t points = w->track->count;
    const size_t past = (size_t)w->row->formula->past;
    messages quiet;
    w->row->is_short = points <= past;
    if (w->row->is_short) return DAE_OK;
    w->row->steps = (int64_t)(points - past);
    if (!messages_init(&quiet, &w->view->session->limits.allocator))
        return DAE_MEMORY;
    const dae_status st = run_both(
        w, w->options->tell ? w->options->tell : &quiet);
    if (st) orders_failure_take(&w->row->failure, &quiet);
    messages_clear(&quiet);
    w->row->status = st;
    if (st && !is_formula(st)) return st;
    return w->track->other && !w->options->disturbance_count ? doubt(w)
                                                             : DAE_OK;
}

/* ---- one step size ---- */

/* How wrong starting values are, by their size, as far as no other reference tells
 * it: what is differentiated divides that by the step. */
static double noise_of(const orders_view *v, const track *k)
{
    double noise = v->reference.is_long ? DAE_LONG_EPSILON : DBL_EPSILON;
    noise *= ROUNDINGS;
    for (size_t i = 0; i < v->variable_count; i++) {
        const size_t at = v->variables[i].at;
        if (k->scale[at] > 0 && !k->other)
            noise = fmax(
                noise, UNCERTAINTIES * k->uncertain[at] / k->scale[at]);
    }
    return noise;
}

/* Values that are doubles are no better than that, whatever two references agree
 * on by chance. */
static void note_floors(
    const fixed_study *f, const orders_view *v, fixed_row *row, const track *k)
{
    const double noise = noise_of(v, k);
    const double least = k->is_double ? DOUBLES * DBL_EPSILON : 0;
    for (size_t i = 0; i < f->variable_count; i++) {
        const orders_variable *of = &v->variables[i];
        const double depth = of->role.index > 1 ? (double)of->role.index - 1
                                                : 0;
        const double grown = noise * pow(GROWTH / row->step, depth);
        row->floors[i] = fmax(grown, least) * k->scale[of->at];
    }
}

static dae_status study_step(fixed_study *f, orders_view *v,
    const fixed_options *o, size_t step, const dae_long *times, size_t count)
{
    track k;
    dae_status st = track_init(&k, &v->reference, times, count);
    double *errors = memory_take(
        (count + 1) * v->variable_count + 1, sizeof *errors);
    if (!st && !errors) st = DAE_MEMORY;
    for (size_t i = 0; !st && i < f->formula_count; i++) {
        fixed_row *row = fixed_row_at(f, i, step);
        follower w = {.view = v,
            .study = f,
            .options = o,
            .track = &k,
            .errors = errors,
            .row = row};
        if (!row->formula->method) note_floors(f, v, row, &k);
        st = row->formula->method ? orders_machine_row(v, f, row, &k, o->tell)
                                  : fill_row(&w);
        if (st) fixed_study_abandon(f, row);
    }
    return st;
}

/* So many points, with all their values, are more than a study needs. */
enum { MOST_POINTS = 1000000 };

static double shortest(double step, const fixed_options *o)
{
    double factor = o->pattern_count ? o->pattern[0] : 1;
    for (size_t i = 0; i < o->pattern_count; i++)
        factor = fmin(factor, o->pattern[i]);
    return factor * step;
}

/* One that is longer than the interval, or far too short. */
static dae_status check_step(
    const orders_view *v, double h, const fixed_options *o)
{
    const dae_run *r = v->session->run;
    const double length = fabs(dae_run_end(r) - dae_run_begin(r));
    const bool is_long = h > length * (1 + 1e-9);
    if (!is_long && length / shortest(h, o) < MOST_POINTS) return DAE_OK;
    if (is_long)
        messages_add(&v->session->messages, "E0505",
            "--steps: %.10g is longer than the interval from %.10g to %.10g", h,
            dae_run_begin(r), dae_run_end(r));
    else
        messages_add(&v->session->messages, "E0505",
            "--steps: with %.10g there would be more than %d steps from %.10g "
            "to %.10g",
            h, MOST_POINTS, dae_run_begin(r), dae_run_end(r));
    return DAE_ARGUMENT;
}

static dae_status make_step(
    fixed_study *f, orders_view *v, const fixed_options *o, size_t step)
{
    const dae_run *r = v->session->run;
    const double h = fixed_row_at(f, 0, step)->step;
    dae_status st = check_step(v, h, o);
    if (st) return st;
    const dae_long t0 = (dae_long)dae_run_begin(r),
                   t1 = (dae_long)dae_run_end(r);
    const double *pattern = o->pattern_count ? o->pattern : NULL;
    const size_t mark = memory_mark();
    const size_t count = dae_study_grid(
        t0, t1, (dae_long)h, pattern, o->pattern_count, NULL, 0);
    dae_long *times = memory_take(count + 1, sizeof *times);
    if (!times) return DAE_MEMORY;
    (void)dae_study_grid(
        t0, t1, (dae_long)h, pattern, o->pattern_count, times, count);
    st = study_step(f, v, o, step, times, count);
    memory_release(mark);
    return st;
}

static size_t fit_steps(
    const orders_view *v, const fixed_options *o, double *steps)
{
    const dae_run *r = v->session->run;
    return orders_plan_fit(&v->plan, fabs(dae_run_end(r) - dae_run_begin(r)),
        o->pattern, o->pattern_count, steps);
}

/* BDF of the orders asked for. */
static size_t list_formulas(const orders_view *v, fixed_formula *formulas)
{
    const orders_plan *p = &v->plan;
    for (size_t i = 0; i < p->order_count; i++) {
        fixed_formula *f = &formulas[i];
        *f = (fixed_formula){.order = p->orders[i],
            .past = p->orders[i],
            .is_unreduced = v->index > 1};
        (void)snprintf(f->name, sizeof f->name, "bdf%d", f->order);
    }
    return p->order_count;
}

dae_status fixed_study_make(
    fixed_study *f, orders_view *v, const fixed_options *o)
{
    fixed_formula own[PLAN_ORDERS];
    double steps[PLAN_STEPS];
    const size_t step_count = fit_steps(v, o, steps);
    const size_t own_count = list_formulas(v, own);
    const fixed_formula *formulas = o->formulas ? o->formulas : own;
    const bool has_room = fixed_study_init(f, formulas,
        o->formulas ? o->formula_count : own_count, steps, step_count,
        v->variable_count);
    if (!has_room) *f = (fixed_study){.rows = NULL};
    if (!has_room) return DAE_MEMORY;
    f->is_by_method = o->formulas != NULL;
    dae_status st = DAE_OK;
    for (size_t s = 0; !st && s < f->step_count; s++)
        st = make_step(f, v, o, s);
    fixed_study_observe(f);
    return st;
}

dae_status orders_fixed_tell(orders_view *v)
{
    fixed_study f;
    size_t r = 0, count = v->fixed.formula_count * v->fixed.step_count;
    while (r < count && v->fixed.rows[r].status == DAE_OK) r++;
    if (r == count) return DAE_OK;
    const fixed_row *row = &v->fixed.rows[r];
    const size_t step = r % v->fixed.step_count;
    const fixed_options o = {.pattern = v->plan.pattern,
        .pattern_count = v->plan.pattern_count,
        .formulas = row->formula,
        .formula_count = 1,
        .tell = &v->session->messages};
    double steps[PLAN_STEPS];
    (void)fit_steps(v, &o, steps);
    const bool has_room = fixed_study_init(
        &f, o.formulas, 1, steps, step + 1, v->variable_count);
    const dae_status st = has_room ? make_step(&f, v, &o, step) : DAE_MEMORY;
    return st ? st : row->status;
}

/* ---- all studies ---- */

static dae_status find_disturbance(
    const orders_view *v, const dae_override *given, disturbance *d)
{
    messages *m = &v->session->messages;
    bool is_found = false;
    for (size_t k = 0; !is_found && k < v->variable_count; k++) {
        is_found = strcmp(orders_view_name(v, k), given->name) == 0;
        d->at = v->variables[k].at;
    }
    if (memory_was_lost()) return DAE_MEMORY;
    if (!is_found)
        messages_add(m, "E0505", "--perturb: the model has no unknown `%s`",
            given->name);
    else if (!parse_number(given->value, &d->by))
        messages_add(m, "E0505", "--perturb %s wants a number, not `%s`",
            given->name, given->value);
    else return DAE_OK;
    return DAE_ARGUMENT;
}

/* Names and numbers are looked at before anything takes time. */
static dae_status find_disturbances(const orders_view *v, disturbance *d)
{
    const pair_list *given = &v->args->perturbs;
    dae_status st = DAE_OK;
    for (size_t i = 0; !st && i < given->count; i++)
        st = find_disturbance(v, &given->items[i], &d[i]);
    return st;
}

static dae_status make_by_method(orders_view *v)
{
    fixed_options o = {.formulas = NULL};
    fixed_formula *formulas = NULL;
    dae_status st = orders_machine_formulas(v, &formulas, &o.formula_count);
    o.formulas = formulas;
    return st ? st : fixed_study_make(&v->fixed, v, &o);
}

/* Unequal steps are of interest where they change an order. */
static bool wants_unequal(const orders_view *v)
{
    return v->plan.pattern_count == 0 && orders_view_highest(v) > 2;
}

/* Steps that were requested and are others. */
static dae_status tell_fitted(orders_view *v)
{
    const dae_run *r = v->session->run;
    const orders_plan *p = &v->plan;
    phrase list = {.text = NULL};
    for (size_t i = 0; v->args->steps && i < p->step_count; i++) {
        const double h = orders_fit_step(p->steps[i],
            fabs(dae_run_end(r) - dae_run_begin(r)), p->pattern,
            p->pattern_count);
        if (h < p->steps[i])
            phrase_add(&list, "%s%.10g is %.10g", list.length ? ", " : "",
                p->steps[i], h);
    }
    if (list.length && !memory_was_lost())
        messages_add(&v->session->messages, "N0517",
            "--steps: whole %s of equal length fill the interval from %.10g "
            "to %.10g: %s",
            p->pattern_count ? "patterns" : "steps", dae_run_begin(r),
            dae_run_end(r), list.text);
    return memory_was_lost() ? DAE_MEMORY : DAE_OK;
}

dae_status orders_fixed(orders_view *v)
{
    static const double one_two[] = {1, 2};
    const size_t wrong = v->args->perturbs.count;
    disturbance *d = memory_take(wrong + 1, sizeof *d);
    fixed_options o = {
        .pattern = v->plan.pattern, .pattern_count = v->plan.pattern_count};
    dae_status st = d ? find_disturbances(v, d) : DAE_MEMORY;
    if (!st) st = tell_fitted(v);
    if (!st && v->plan.has_methods) return make_by_method(v);
    if (!st) st = fixed_study_make(&v->fixed, v, &o);
    if (!st && wrong) {
        o.disturbances = d, o.disturbance_count = wrong;
        st = fixed_study_make(&v->wrong, v, &o);
    }
    if (!st && !wrong && wants_unequal(v)) {
        o = (fixed_options){.pattern = one_two, .pattern_count = 2};
        st = fixed_study_make(&v->unequal, v, &o);
    }
    return st;
}
