#include "watch.h"
#include "gnuplot.h"
#include "memory.h"
#include "names.h"
#include "number.h"
#include "plot_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static dae_status find_drifts(watch *w, const args *a, messages *m)
{
    w->drifts = calloc(a->drifts.count + 1, sizeof *w->drifts);
    if (!w->drifts) return DAE_MEMORY;
    for (size_t i = 0; i < a->drifts.count; i++) {
        watched *d = &w->drifts[w->drift_count++];
        d->name = a->drifts.items[i];
        d->unknown = d->discrete = SIZE_MAX;
        dae_status st = name_find_output(w->model, d->name, &d->observation);
        if (!st && d->observation == SIZE_MAX)
            st = name_find_unknown(w->model, d->name, &d->unknown);
        if (!st && d->observation == SIZE_MAX && d->unknown == SIZE_MAX)
            st = name_find_discrete(w->problem, d->name, &d->discrete);
        if (st) return st;
        if (d->observation != SIZE_MAX || d->unknown != SIZE_MAX
            || d->discrete != SIZE_MAX)
            continue;
        messages_add(m, "E0505", DAE_ERROR, NULL, NULL,
            "--drift: the model has no output, let, unknown or discrete "
            "variable `%s`",
            d->name);
        return DAE_ARGUMENT;
    }
    return DAE_OK;
}

/* Times that are even in the logarithm are shown so; they may begin at 0. */
static bool is_logarithmic(const run *r)
{
    return r->grid.kind == GRID_LOG && r->t0 >= 0 && r->t1 > 0;
}

/* Where standard output has a document or a table they do not belong there. Of
 * the models that are tested only the verdicts are told. */
static FILE *place_of_prints(const args *a)
{
    if (a->command == COMMAND_TEST) return NULL;
    return a->json || args_write_to_stdout(a) ? stderr : stdout;
}

/* Whether somebody will ask what happened. */
static bool wants_log(const watch *w, const args *a)
{
    if (a->command == COMMAND_TEST) return false;
    for (size_t i = 0; i < w->outputs.file_count; i++)
        if (w->outputs.files[i].is_json) return true;
    return a->json || a->events;
}

/* ---- what is asked of the whole run ---- */

static double value_of(const watched *d, const dae_model *model, const point *p)
{
    if (d->discrete != SIZE_MAX) return p->discretes[d->discrete];
    return d->unknown == SIZE_MAX
        ? p->observed[d->observation]
        : dae_model_unknown_value(model, d->unknown, 0, p->x, p->xp);
}

static void follow(watch *w, const point *p)
{
    for (size_t i = 0; i < w->drift_count; i++) {
        watched *d = &w->drifts[i];
        const double value = value_of(d, w->model, p);
        if (!d->drift.has_any) d->first = value;
        drift_see(&d->drift, p->t, value - d->first);
    }
}

static void measure(void *context, const point *p, double *values)
{
    const watch *w = context;
    expect_measure(&w->expectations, p, values);
    values += w->expectations.curve_count;
    for (size_t i = 0; i < w->drift_count; i++) {
        const watched *d = &w->drifts[i];
        values[i] = fabs(value_of(d, w->model, p) - d->first);
    }
}

static void interest(void *context, double *least)
{
    const watch *w = context;
    expect_interest(&w->expectations, least);
    least += w->expectations.curve_count;
    for (size_t i = 0; i < w->drift_count; i++)
        least[i] = w->drifts[i].drift.largest;
}

static void see_inside(void *context, const point *p, size_t count)
{
    watch *w = context;
    expect_see_inside(&w->expectations, p, count);
    for (size_t k = 0; k < count && w->drift_count > 0; k++) follow(w, &p[k]);
}

static void see_peak(void *context, const point *p)
{
    watch *w = context;
    expect_see_peak(&w->expectations, p);
    for (size_t i = 0; i < w->drift_count; i++) {
        watched *d = &w->drifts[i];
        drift_see_peak(&d->drift, p->t, value_of(d, w->model, p) - d->first);
    }
}

static dae_status prepare_between(watch *w, const args *a)
{
    const between_asker asker = {w,
        w->expectations.curve_count + w->drift_count, measure, interest,
        see_inside, see_peak};
    const bool is_asked = w->expectations.always_count || w->drift_count;
    w->looks_within = is_asked && !(a->step > 0);
    return between_init(&w->between, &asker);
}

/* What is asked of every point, where something is. */
static dae_status choose_observations(watch *w, run *r)
{
    const expectations *e = &w->expectations;
    if (e->always_count + w->drift_count == 0) return DAE_OK;
    size_t *few = memory_take(
        expect_observation_count(e) + w->drift_count, sizeof *few);
    if (!few) return DAE_MEMORY;
    size_t count = expect_observations(e, few);
    for (size_t i = 0; i < w->drift_count; i++)
        if (w->drifts[i].observation != SIZE_MAX)
            few[count++] = w->drifts[i].observation;
    const dae_status st = dae_observer_create(r->model, few, count, &w->few);
    memory_drop(few);
    return st;
}

static dae_status look(void *context, run *r, double before, double end)
{
    watch *w = context;
    return between_look(&w->between, r, before, end);
}

/* ---- life ---- */

dae_status watch_init(watch *w, const args *a, run *r, messages *m, bool draws)
{
    *w = (watch){.model = r->model, .draws = draws, .problem = &r->problem};
    w->prints = place_of_prints(a);
    dae_status st;
    if ((st = expect_init(&w->expectations, r->model, r->t0, r->t1))) return st;
    if ((st = find_drifts(w, a, m))) return st;
    if ((st = prepare_between(w, a))) return st;
    if ((st = choose_observations(w, r))) return st;
    if ((st = outputs_open(&w->outputs, a, r, m))) return st;
    w->logs = wants_log(w, a);
    if (w->logs && (st = event_log_init(&w->events, r))) return st;
    run_columns asked = {.run = NULL};
    if (a->plot) st = columns_init(&asked, r, a->plot, "--plot", m);
    const bool has_plots = a->plot || dae_model_plot_count(r->model) > 0;
    w->collects = w->outputs.picture_count || (draws && has_plots);
    if (!st && w->collects)
        st = run_picture_init(
            &w->picture, r->model, is_logarithmic(r), a->plot ? &asked : NULL);
    (void)columns_clear(&asked);
    return st;
}

void watch_clear(watch *w)
{
    expect_clear(&w->expectations);
    between_clear(&w->between);
    dae_observer_free(w->few);
    run_picture_clear(&w->picture);
    event_log_clear(&w->events);
    free(w->drifts);
    outputs_clear(&w->outputs);
    memset(w, 0, sizeof *w);
}

static dae_status see(void *context, const point *p)
{
    watch *w = context;
    expect_see(&w->expectations, p);
    if (p->why & (POINT_START | POINT_STEP)) {
        follow(w, p);
        if (w->looks_within) between_note(&w->between, p);
    }
    if (!(p->why & POINT_ROW)) return DAE_OK;
    dae_status st = w->collects ? run_picture_add(&w->picture, p) : DAE_OK;
    const dae_status written = outputs_row(&w->outputs, p);
    return st ? st : written;
}

static bool has_prints(const dae_events *events, const dae_event *e)
{
    for (size_t k = 0; k < e->when_count; k++)
        if (events->whens[e->whens[k]].print_count) return true;
    return false;
}

static void print_line(FILE *file, const char *text)
{
    limits_spend_output(strlen(text) + 1);
    (void)fprintf(file, "%s\n", text);
}

/* In the order of the text, and each text in a line. */
static void print_texts(const watch *w, const dae_event *e)
{
    const dae_events *events = w->problem->events;
    size_t last = SIZE_MAX;
    for (size_t k = 0; k < e->when_count; k++) {
        const size_t when = name_text_next(
            w->problem, DAE_NAME_WHEN, e->whens, e->when_count, last);
        const dae_when *fired = &events->whens[when];
        for (size_t i = 0; i < fired->print_count; i++)
            print_line(w->prints, fired->prints[i]);
        last = when;
    }
}

static dae_status hear(void *context, const dae_event *e)
{
    watch *w = context;
    if (w->prints && has_prints(w->problem->events, e)) print_texts(w, e);
    return w->logs ? event_log_add(&w->events, e) : DAE_OK;
}

/* Their values are in x. */
static bool watches_unknowns(const watch *w)
{
    for (size_t i = 0; i < w->drift_count; i++)
        if (w->drifts[i].unknown != SIZE_MAX) return true;
    return false;
}

void watch_attach(watch *w, run *r)
{
    r->see = see;
    r->hear = hear;
    r->look = w->looks_within ? look : NULL;
    r->context = w;
    r->wants = expect_wants(&w->expectations);
    if (w->outputs.file_count) r->wants |= POINT_START | POINT_ROW;
    if (w->collects) r->wants |= POINT_START | POINT_ROW;
    if (w->drift_count) r->wants |= POINT_START | POINT_STEP;
    r->wants_all = POINT_START | POINT_MARK | POINT_END;
    if (w->outputs.file_count || w->collects) r->wants_all |= POINT_ROW;
    r->few = w->few;
    r->slots = NULL;
    if (w->few && !watches_unknowns(w))
        r->slots = dae_observer_slots(w->few, &r->slot_count);
    r->marks = w->expectations.marks;
    r->mark_count = w->expectations.mark_count;
}

/* What has been told to end is refused more memory, but what it computed up to
 * there is drawn: the limits count again behind end_picture. */
static void begin_picture(const watch *w, limits *l, picture *p)
{
    if (limits_stop(l)) memory_use_none();
    picture_init(p);
    run_picture_make(&w->picture, p);
}

static void end_picture(limits *l, picture *p)
{
    picture_clear(p);
    memory_use(l);
}

void watch_draw(const watch *w, limits *l, FILE *file)
{
    picture p;
    begin_picture(w, l, &p);
    for (size_t k = 0; k < p.panel_count; k++) {
        (void)fputc('\n', file);
        plot_text(p.panels[k], file);
    }
    if (p.is_incomplete) messages_lose(w->outputs.messages);
    end_picture(l, &p);
}

static dae_status draw_files(
    const watch *w, const picture *p, limits *l, bool is_whole)
{
    const outputs *o = &w->outputs;
    dae_status st = DAE_OK;
    for (size_t i = 0; i < o->picture_count && st != DAE_INTERRUPTED; i++) {
        output_picture *q = &o->pictures[i];
        const dae_status got = gnuplot_draw(
            p, q->path, is_whole, l, o->messages);
        q->is_drawn = got == DAE_OK && is_whole;
        if (!st || got == DAE_INTERRUPTED) st = got;
    }
    return st;
}

dae_status watch_draw_files(const watch *w, limits *l, bool is_whole)
{
    if (w->outputs.picture_count == 0) return DAE_OK;
    picture p;
    begin_picture(w, l, &p);
    const dae_status st = draw_files(w, &p, l, is_whole);
    end_picture(l, &p);
    return st;
}

void watch_print_events(const watch *w, FILE *file)
{
    if (w->logs) event_report_print(&w->events, file);
}

void watch_json_events(const watch *w, json *j)
{
    event_report_json(w->logs ? &w->events : NULL, j);
}

void watch_print_drifts(const watch *w, FILE *file)
{
    for (size_t i = 0; i < w->drift_count; i++) {
        const watched *o = &w->drifts[i];
        const drift *d = &o->drift;
        if (!d->has_any) continue;
        (void)fprintf(file,
            "drift of %s from %.10g: largest %.3g, at t = %.6g; mean %.3g; at "
            "the end %.3g\n",
            o->name, number_plain(o->first), number_plain(d->largest), d->at,
            number_plain(drift_mean(d)), number_plain(d->last));
    }
}

static void put_number(json *j, const char *key, double value)
{
    json_key(j, key);
    json_number(j, value);
}

void watch_json_drifts(const watch *w, json *j)
{
    if (w->drift_count == 0) return;
    json_key(j, "drift");
    json_begin_object(j);
    for (size_t i = 0; i < w->drift_count; i++) {
        const watched *o = &w->drifts[i];
        if (!o->drift.has_any) continue;
        json_key(j, o->name);
        json_begin_object(j);
        put_number(j, "start", o->first);
        put_number(j, "largest", o->drift.largest);
        put_number(j, "at", o->drift.at);
        put_number(j, "mean", drift_mean(&o->drift));
        put_number(j, "final", o->drift.last);
        json_end_object(j);
    }
    json_end_object(j);
}
