/* A step's reference serves all orders, so the steps are the outer loop. The
 * error of one step is that of the last one of the run, from exact values: at one
 * time for all steps, or its order would be that of a value that changes. */
#include "orders_fixed.h"
#include "memory.h"
#include "names.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* What rounding grows by, beside 1/h, where a formula differentiates: the moduli
 * of its factors add up to so much, at order 4. */
static const double GROWTH = 8;
/* Errors are told from rounding by so many times the unit of precision, and from
 * errors of the reference by so many times what is known of these. */
static const double ROUNDINGS = 100, UNCERTAINTIES = 10;

/* ---- life ---- */

enum { LISTS = 4 }; /* of a row, and of an observed one */

static bool make_room(fixed_study *f)
{
    const size_t n = f->variable_count, rows = f->order_count * f->step_count;
    const size_t per_row = (LISTS + VIEW_EARLY) * n;
    const size_t numbers = rows * per_row + f->order_count * LISTS * n;
    f->rows = memory_take(rows + 1, sizeof *f->rows);
    f->observed = memory_take(f->order_count + 1, sizeof *f->observed);
    f->floors = memory_take(f->step_count * n + 1, sizeof *f->floors);
    f->numbers = memory_take(numbers + 1, sizeof *f->numbers);
    if (!f->rows || !f->observed || !f->floors || !f->numbers) return false;
    double *at = f->numbers;
    for (size_t i = 0; i < numbers; i++) at[i] = (double)NAN;
    for (size_t r = 0; r < rows; r++, at += per_row) {
        fixed_row *row = &f->rows[r];
        row->end = at, row->first = at + n, row->largest = at + 2 * n;
        row->settled = at + 3 * n, row->early = at + LISTS * n;
    }
    for (size_t o = 0; o < f->order_count; o++, at += LISTS * n) {
        observed_row *row = &f->observed[o];
        row->local = at, row->global = at + n;
        row->largest = at + 2 * n, row->settled = at + 3 * n;
    }
    return true;
}

void fixed_study_clear(fixed_study *f)
{
    memory_drop(f->rows);
    memory_drop(f->observed);
    memory_drop(f->floors);
    memory_drop(f->numbers);
    memset(f, 0, sizeof *f);
}

/* ---- one run ---- */

typedef struct follower {
    const orders_view *view;
    const fixed_options *options;
    const track *track;
    size_t offset; /* of the run's first point in the track */
    size_t last;   /* its last point */
    bool is_one_step;
    fixed_row *row;
} follower;

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
        xp[j] = (track_at(k, next)[at - 1] - track_at(k, next - 1)[at - 1]) / h;
    }
}

static dae_status give(
    void *context, size_t index, dae_long t, dae_long *x, dae_long *xp)
{
    const follower *w = context;
    const track *k = w->track;
    (void)t;
    memcpy(x, track_at(k, w->offset + index), k->state_count * sizeof *x);
    give_slopes(w, w->offset + index, xp);
    if (index > 0 || w->is_one_step) return DAE_OK;
    for (size_t i = 0; i < w->options->disturbance_count; i++)
        x[w->options->disturbances[i].at] +=
            (dae_long)w->options->disturbances[i].by;
    return DAE_OK;
}

static void keep_larger(double *into, double value)
{
    if (!(*into >= fabs(value))) *into = fabs(value);
}

static void note_error(const follower *w, size_t index, size_t k, double error)
{
    const fixed_row *row = w->row;
    const size_t order = (size_t)row->order, n = w->view->variable_count;
    const int64_t index_of = w->view->variables[k].role.index;
    const int64_t depth = index_of > 2 ? index_of - 1 : 1;
    keep_larger(&row->largest[k], error);
    if ((int64_t)index >= depth * row->order)
        keep_larger(&row->settled[k], error);
    if (index - order < VIEW_EARLY) row->early[(index - order) * n + k] = error;
    if (index == w->last) row->end[k] = error;
}

static dae_status see(void *context, size_t index, dae_long t,
    const dae_long *x, const dae_long *xp)
{
    const follower *w = context;
    const dae_long *exact = track_at(w->track, w->offset + index);
    (void)t, (void)xp;
    if (index < (size_t)w->row->order) return DAE_OK;
    for (size_t k = 0; k < w->view->variable_count; k++) {
        const size_t at = w->view->variables[k].at;
        const double error = (double)(x[at] - exact[at]);
        if (w->is_one_step) w->row->first[k] = error;
        else note_error(w, index, k, error);
    }
    return DAE_OK;
}

static dae_status run_study(follower *w, size_t first, size_t count)
{
    session *s = w->view->session;
    dae_study study = dae_study_default();
    w->offset = first;
    w->last = count - 1;
    study.order = w->row->order;
    study.precision = w->view->reference.is_long ? DAE_STUDY_LONG
                                                 : DAE_STUDY_DOUBLE;
    study.times = w->track->times + first;
    study.time_count = count;
    study.given = give, study.given_context = w;
    study.point = see, study.point_context = w;
    study.linear = s->run.options.linear;
    study.interrupt = limits_stop, study.interrupt_context = &s->limits;
    return dae_study_run(w->view->reference.problem, &study,
        &s->limits.allocator, NULL, w->is_one_step ? NULL : &w->row->counts);
}

/* The run, then its last step alone. A formula that fails is no failure of the
 * command. */
static dae_status fill_row(follower *w)
{
    const size_t points = w->track->count, order = (size_t)w->row->order;
    if (points <= order) {
        w->row->status = DAE_ARGUMENT;
        return DAE_OK;
    }
    w->row->steps = (int64_t)(points - order);
    dae_status st = run_study(w, 0, points);
    if (!st) {
        w->is_one_step = true;
        st = run_study(w, points - order - 1, order + 1);
    }
    w->row->status = st;
    const bool is_formula = st == DAE_NUMERIC || st == DAE_RETRY;
    return is_formula ? DAE_OK : st;
}

/* ---- one step size ---- */

/* How wrong starting values are, by their size: what is differentiated divides
 * that by the step. */
static double noise_of(const orders_view *v, const track *k)
{
    double noise = v->reference.is_long ? DAE_LONG_EPSILON : DBL_EPSILON;
    noise *= ROUNDINGS;
    for (size_t i = 0; i < v->variable_count; i++) {
        const size_t at = v->variables[i].at;
        if (k->scale[at] > 0)
            noise = fmax(
                noise, UNCERTAINTIES * k->uncertain[at] / k->scale[at]);
    }
    return noise;
}

static void note_floors(
    fixed_study *f, const orders_view *v, size_t step, const track *k)
{
    const double noise = noise_of(v, k);
    for (size_t i = 0; i < f->variable_count; i++) {
        const orders_variable *of = &v->variables[i];
        const double depth = of->role.index > 1 ? (double)of->role.index - 1
                                                : 0;
        f->floors[step * f->variable_count + i] = noise * k->scale[of->at]
            * pow(GROWTH / v->plan.steps[step], depth);
    }
}

static bool is_cut(
    const dae_long *times, size_t count, double step, const fixed_options *o)
{
    const double factor = o->pattern_count
        ? o->pattern[(count - 2) % o->pattern_count]
        : 1;
    const double last = (double)dae_long_abs(
        times[count - 1] - times[count - 2]);
    return fabs(last - factor * step) > 1e-6 * step;
}

static dae_status study_step(fixed_study *f, orders_view *v,
    const fixed_options *o, size_t step, const dae_long *times, size_t count)
{
    track k;
    dae_status st = track_init(&k, &v->reference, times, count, false);
    if (!st) note_floors(f, v, step, &k);
    for (size_t i = 0; !st && i < f->order_count; i++) {
        fixed_row *row = &f->rows[i * f->step_count + step];
        follower w = {.view = v, .options = o, .track = &k, .row = row};
        row->order = v->plan.orders[i];
        row->step = v->plan.steps[step];
        st = fill_row(&w);
    }
    track_clear(&k);
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
    const orders_view *v, size_t step, const fixed_options *o)
{
    const run *r = &v->session->run;
    const double h = v->plan.steps[step], length = fabs(r->t1 - r->t0);
    const bool is_long = h > length * (1 + 1e-9);
    if (!is_long && length / shortest(h, o) < MOST_POINTS) return DAE_OK;
    if (is_long)
        messages_add(&v->session->messages, "E0505", DAE_ERROR, NULL, NULL,
            "--steps: %.10g is longer than the interval from %.10g to %.10g", h,
            r->t0, r->t1);
    else
        messages_add(&v->session->messages, "E0505", DAE_ERROR, NULL, NULL,
            "--steps: with %.10g there would be more than %d steps from %.10g "
            "to %.10g",
            h, MOST_POINTS, r->t0, r->t1);
    return DAE_ARGUMENT;
}

static dae_status make_step(
    fixed_study *f, orders_view *v, const fixed_options *o, size_t step)
{
    const run *r = &v->session->run;
    const double h = v->plan.steps[step];
    dae_status st = check_step(v, step, o);
    if (st) return st;
    const dae_long t0 = (dae_long)r->t0, t1 = (dae_long)r->t1;
    const double *pattern = o->pattern_count ? o->pattern : NULL;
    const size_t count = dae_study_grid(
        t0, t1, (dae_long)h, pattern, o->pattern_count, NULL, 0);
    dae_long *times = memory_take(count + 1, sizeof *times);
    if (!times) return DAE_MEMORY;
    (void)dae_study_grid(
        t0, t1, (dae_long)h, pattern, o->pattern_count, times, count);
    f->is_cut = f->is_cut || is_cut(times, count, h, o);
    st = study_step(f, v, o, step, times, count);
    memory_drop(times);
    return st;
}

/* ---- orders ---- */

double fixed_order_between(const fixed_study *f, size_t variable,
    const fixed_row *coarse, size_t coarse_step, double coarse_error,
    const fixed_row *fine, size_t fine_step, double fine_error)
{
    const size_t n = f->variable_count;
    const bool is_above = fabs(coarse_error)
            > f->floors[coarse_step * n + variable]
        && fabs(fine_error) > f->floors[fine_step * n + variable];
    if (!is_above) return (double)NAN;
    return log(fabs(coarse_error / fine_error))
        / log(coarse->step / fine->step);
}

/* Of the shortest pair of steps that shows one; `list`: which of the row's lists,
 * which follow each other. */
static double observe(
    const fixed_study *f, size_t order, size_t variable, size_t list)
{
    const size_t n = f->variable_count;
    for (size_t s = f->step_count; s-- > 1;) {
        const fixed_row *coarse = fixed_row_at(f, order, s - 1);
        const fixed_row *fine = fixed_row_at(f, order, s);
        const double p = fixed_order_between(f, variable, coarse, s - 1,
            coarse->end[list * n + variable], fine, s,
            fine->end[list * n + variable]);
        if (!isnan(p)) return p;
    }
    return (double)NAN;
}

static void observe_all(fixed_study *f, const orders_view *v)
{
    for (size_t o = 0; o < f->order_count; o++) {
        observed_row *row = &f->observed[o];
        row->order = v->plan.orders[o];
        for (size_t k = 0; k < f->variable_count; k++) {
            row->global[k] = observe(f, o, k, 0);
            row->local[k] = observe(f, o, k, 1);
            row->largest[k] = observe(f, o, k, 2);
            row->settled[k] = observe(f, o, k, 3);
        }
    }
}

dae_status fixed_study_make(
    fixed_study *f, orders_view *v, const fixed_options *o)
{
    *f = (fixed_study){.order_count = v->plan.order_count,
        .step_count = v->plan.step_count,
        .variable_count = v->variable_count};
    dae_status st = make_room(f) ? DAE_OK : DAE_MEMORY;
    for (size_t s = 0; !st && s < f->step_count; s++)
        st = make_step(f, v, o, s);
    if (!st) observe_all(f, v);
    return st;
}

/* ---- all studies ---- */

static dae_status find_disturbance(
    const orders_view *v, const dae_override *given, disturbance *d)
{
    messages *m = &v->session->messages;
    name_buffer b = {0};
    bool is_found = false;
    for (size_t k = 0; !is_found && k < v->variable_count; k++) {
        is_found = strcmp(orders_view_name(v, k, &b), given->name) == 0;
        d->at = v->variables[k].at;
    }
    if (!name_done(&b)) return DAE_MEMORY;
    if (!is_found)
        messages_add(m, "E0505", DAE_ERROR, NULL, NULL,
            "--perturb: the model has no unknown `%s`", given->name);
    else if (!parse_number(given->value, &d->by))
        messages_add(m, "E0505", DAE_ERROR, NULL, NULL,
            "--perturb %s wants a number, not `%s`", given->name, given->value);
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

/* Unequal steps are of interest where they change an order. */
static bool wants_unequal(const orders_view *v)
{
    return v->plan.pattern_count == 0 && orders_view_highest(v) > 2;
}

dae_status orders_fixed(orders_view *v)
{
    static const double one_two[] = {1, 2};
    const size_t wrong = v->args->perturbs.count;
    disturbance *d = memory_take(wrong + 1, sizeof *d);
    fixed_options o = {
        .pattern = v->plan.pattern, .pattern_count = v->plan.pattern_count};
    dae_status st = d ? find_disturbances(v, d) : DAE_MEMORY;
    if (!st) st = fixed_study_make(&v->fixed, v, &o);
    if (!st && wrong) {
        o.disturbances = d, o.disturbance_count = wrong;
        st = fixed_study_make(&v->wrong, v, &o);
    }
    if (!st && !wrong && wants_unequal(v)) {
        o = (fixed_options){.pattern = one_two, .pattern_count = 2};
        st = fixed_study_make(&v->unequal, v, &o);
    }
    memory_drop(d);
    return st;
}
