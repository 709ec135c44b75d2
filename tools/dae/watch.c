#include "watch.h"
#include "names.h"
#include "number.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static dae_status find_drifts(watch *w, const args *a, messages *m)
{
    w->drifts = calloc(a->drifts.count + 1, sizeof *w->drifts);
    if (!w->drifts) return DAE_MEMORY;
    for (size_t i = 0; i < a->drifts.count; i++) {
        drift *d = &w->drifts[w->drift_count++];
        d->name = a->drifts.items[i];
        d->unknown = SIZE_MAX;
        dae_status st = name_find_output(w->model, d->name, &d->observation);
        if (!st && d->observation == SIZE_MAX)
            st = name_find_unknown(w->model, d->name, &d->unknown);
        if (st) return st;
        if (d->observation != SIZE_MAX || d->unknown != SIZE_MAX) continue;
        messages_add(m, "E0505", DAE_ERROR, NULL, NULL,
            "--drift: the model has no output, let or unknown `%s`", d->name);
        return DAE_ARGUMENT;
    }
    return DAE_OK;
}

/* Curves of one `plot` line follow each other. */
static dae_status find_pictures(watch *w)
{
    size_t count = dae_model_plot_count(w->model);
    w->pictures = calloc(count + 1, sizeof *w->pictures);
    if (!w->pictures) return DAE_MEMORY;
    for (size_t k = 0; k < count; k++) {
        size_t plot = dae_model_plot(w->model, k).plot;
        picture *p = w->picture_count ? &w->pictures[w->picture_count - 1]
                                      : NULL;
        if (!p || dae_model_plot(w->model, p->first).plot != plot) {
            p = &w->pictures[w->picture_count++];
            p->first = k;
        }
        p->count++;
        p->samples.curve_count = p->count;
    }
    return DAE_OK;
}

dae_status watch_init(watch *w, const args *a, run *r, messages *m, bool draws)
{
    *w = (watch){.model = r->model, .draws = draws};
    dae_status st;
    if ((st = expect_init(&w->expectations, r->model, r->t0, r->t1))) return st;
    if ((st = find_drifts(w, a, m))) return st;
    if ((st = find_pictures(w))) return st;
    return outputs_open(&w->outputs, a, r->model, m);
}

void watch_clear(watch *w)
{
    expect_clear(&w->expectations);
    for (size_t i = 0; i < w->picture_count; i++)
        plot_clear(&w->pictures[i].samples);
    free(w->pictures);
    free(w->drifts);
    outputs_clear(&w->outputs);
    memset(w, 0, sizeof *w);
}

static void follow(drift *d, const dae_model *model, const point *p)
{
    double value = d->unknown == SIZE_MAX
        ? p->observed[d->observation]
        : dae_model_unknown_value(model, d->unknown, 0, p->x, p->xp);
    if (!d->has_first) {
        d->first = value;
        d->has_first = true;
    }
    double away = fabs(value - d->first);
    /* once not a number, always not a number */
    if (away > d->largest || isnan(away)) {
        d->largest = away;
        d->at = p->t;
    }
}

static bool sample(const watch *w, picture *q, const point *p)
{
    double values[64];
    size_t n = 0;
    dae_plot first = dae_model_plot(w->model, q->first);
    values[n++] = first.over == SIZE_MAX ? p->t : p->observed[first.over];
    if (q->count > 63) q->count = q->samples.curve_count = 63;
    for (size_t k = 0; k < q->count; k++)
        values[n++] =
            p->observed[dae_model_plot(w->model, q->first + k).observation];
    return plot_add(&q->samples, values);
}

static dae_status see(void *context, const point *p)
{
    watch *w = context;
    expect_see(&w->expectations, p);
    if (p->why & (POINT_START | POINT_ROW | POINT_STEP))
        for (size_t i = 0; i < w->drift_count; i++)
            follow(&w->drifts[i], w->model, p);
    if (!(p->why & POINT_ROW)) return DAE_OK;
    for (size_t i = 0; w->draws && i < w->picture_count; i++)
        if (!sample(w, &w->pictures[i], p)) return DAE_MEMORY;
    return outputs_row(&w->outputs, p);
}

void watch_attach(watch *w, run *r)
{
    r->see = see;
    r->context = w;
    r->wants = expect_wants(&w->expectations);
    if (w->outputs.file_count) r->wants |= POINT_START | POINT_ROW;
    if (w->draws && w->picture_count) r->wants |= POINT_START | POINT_ROW;
    if (w->drift_count) r->wants |= POINT_START | POINT_ROW | POINT_STEP;
    r->marks = w->expectations.marks;
    r->mark_count = w->expectations.mark_count;
}

void watch_draw(const watch *w, FILE *file)
{
    for (size_t i = 0; i < w->picture_count; i++) {
        const picture *q = &w->pictures[i];
        const char *names[64];
        name_buffer buffers[64] = {{0}};
        size_t over = dae_model_plot(w->model, q->first).over;
        names[0] = over == SIZE_MAX
            ? dae_model_settings(w->model)->independent
            : name_observation(w->model, over, &buffers[0]);
        for (size_t k = 0; k < q->count && k < 63; k++) {
            size_t of = dae_model_plot(w->model, q->first + k).observation;
            names[k + 1] = name_observation(w->model, of, &buffers[k + 1]);
        }
        (void)fputc('\n', file);
        plot_draw(&q->samples, names, file);
        for (size_t k = 0; k < 64; k++)
            if (!name_done(&buffers[k])) messages_lose(w->outputs.messages);
    }
}

void watch_print_drifts(const watch *w, FILE *file)
{
    for (size_t i = 0; i < w->drift_count; i++)
        (void)fprintf(file, "drift of %s: %.3g, at t = %.6g\n",
            w->drifts[i].name, number_plain(w->drifts[i].largest),
            w->drifts[i].at);
}

void watch_json_drifts(const watch *w, json *j)
{
    if (w->drift_count == 0) return;
    json_key(j, "drift");
    json_begin_object(j);
    for (size_t i = 0; i < w->drift_count; i++) {
        json_key(j, w->drifts[i].name);
        json_number(j, w->drifts[i].largest);
    }
    json_end_object(j);
}
