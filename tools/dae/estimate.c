#include "estimate.h"
#include "memory.h"
#include "names.h"
#include "number.h"
#include "report.h"
#include "table.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double value_of(const run *r, size_t j)
{
    return dae_model_unknown_value(r->model, j, 0, r->x, r->xp);
}

/* The absolute tolerance of the model's unknown j: its own, else the general
 * one. */
static double atol_of(const run *r, size_t j)
{
    const size_t i = name_problem_unknown(r->model, &r->problem, j);
    return i == SIZE_MAX ? r->options.atol / r->tolerance_factor
                         : runner_atol(r, i);
}

/* Both have the same events behind them, as far as can be told. */
static bool are_alike(const run *r, const run *finer)
{
    if (r->is_stopped != finer->is_stopped) return false;
    if (r->event_count == finer->event_count) return true;
    return !runner_ends_at_event(
        r->event_count > finer->event_count ? r : finer);
}

static dae_status compare(estimate *e, const run *r, const run *finer)
{
    double sum = 0;
    e->has_sides = !are_alike(r, finer);
    e->last_events[0] = r->event_count ? r->last_event : (double)NAN;
    e->last_events[1] = finer->event_count ? finer->last_event : (double)NAN;
    e->end = r->t - finer->t;
    if (e->has_sides) return DAE_OK;
    e->count = dae_model_unknown_count(r->model);
    e->differences = memory_take(e->count + 1, sizeof *e->differences);
    if (!e->differences) return DAE_MEMORY;
    for (size_t j = 0; j < e->count; j++) {
        double d = value_of(r, j) - value_of(finer, j);
        double weight = runner_rtol(r) * fabs(value_of(finer, j))
            + atol_of(r, j);
        e->differences[j] = d;
        if (fabs(d) > 0) sum += (d / weight) * (d / weight);
    }
    e->norm = e->count ? sqrt(sum / (double)e->count) : 0;
    e->is_known = true;
    return DAE_OK;
}

dae_status estimate_make(estimate *e, const run *r, messages *m)
{
    run finer;
    memset(e, 0, sizeof *e);
    dae_status st = runner_init(
        &finer, r->args, r->limits, m, r->model, 0.1 * r->tolerance_factor);
    if (!st) st = runner_start(&finer);
    if (!st) st = runner_steps(&finer);
    if (!st) st = compare(e, r, &finer);
    runner_clear(&finer);
    return st;
}

dae_status estimate_try(estimate *e, const run *r)
{
    messages quiet;
    if (!messages_init(&quiet, &r->limits->allocator)) return DAE_MEMORY;
    dae_status st = estimate_make(e, r, &quiet);
    if (st && st != DAE_MEMORY && st != DAE_INTERRUPTED) {
        const char *why = messages_last_error(&quiet);
        if (messages_are_incomplete(&quiet)) messages_lose(r->messages);
        messages_add(r->messages, "W0531", DAE_WARNING, NULL, NULL,
            "the error at the end is not estimated by a run at a tenth of the "
            "tolerances: %s",
            why ? why : "it failed");
        st = DAE_OK;
    }
    messages_clear(&quiet);
    return st;
}

void estimate_clear(estimate *e)
{
    memory_drop(e->differences);
    memset(e, 0, sizeof *e);
}

void estimate_print(const estimate *e, const run *r, FILE *file)
{
    if (e->has_sides)
        (void)fprintf(file,
            "\nestimated error at the end: not known, an event is so near that "
            "only one run has it behind it\n"
            "last event at t = %.10g, with a tenth of the tolerances at t = "
            "%.10g\n",
            number_plain(e->last_events[0]), number_plain(e->last_events[1]));
    if (!e->is_known) return;
    if (r->is_stopped)
        (void)fprintf(file, "\nestimated error of the time of the end: %.3g\n",
            number_plain(e->end));
    (void)fprintf(file,
        "\nestimated error at the end: %.3g times the tolerance\n",
        number_plain(e->norm));
    if (e->count > REPORT_MOST_VALUES) return;
    table t = table_of(2);
    name_buffer name = {0};
    char text[40];
    for (size_t p = 0; p < e->count; p++) {
        const size_t j = r->unknown_at[p];
        table_add(&t, name_unknown(r->model, j, &name));
        (void)snprintf(
            text, sizeof text, "%.3g", number_plain(e->differences[j]));
        table_add(&t, text);
    }
    bool is_shown = table_print(&t, file);
    if (!name_done(&name) || !is_shown) messages_lose(r->messages);
}

void estimate_json(const estimate *e, const run *r, json *j)
{
    if (!e->is_known && !e->has_sides) return;
    name_buffer name = {0};
    json_key(j, "error_estimate");
    json_begin_object(j);
    json_key(j, "norm");
    json_number(j, e->is_known ? e->norm : (double)NAN);
    if (e->has_sides) {
        json_key(j, "last_events");
        json_begin_array(j);
        json_number(j, e->last_events[0]);
        json_number(j, e->last_events[1]);
        json_end_array(j);
    }
    if (r->is_stopped) json_key(j, "end"), json_number(j, e->end);
    json_key(j, "differences");
    json_begin_object(j);
    for (size_t p = 0; p < e->count; p++) {
        const size_t i = r->unknown_at[p];
        json_key(j, name_unknown(r->model, i, &name));
        json_number(j, e->differences[i]);
    }
    json_end_object(j);
    json_end_object(j);
    if (!name_done(&name)) messages_lose(r->messages);
}
