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

/* The absolute tolerance of the unknown j: its own, else the general one. */
static double atol_of(const run *r, size_t j)
{
    const dae_problem *p = &r->problem;
    if (!p->scales || !p->scales->atol) return r->options.atol;
    size_t i = name_problem_unknown(r->model, p, j);
    double own = i == SIZE_MAX ? (double)NAN : p->scales->atol[i];
    return isnan(own) ? r->options.atol : own;
}

static dae_status compare(estimate *e, const run *r, const run *finer)
{
    double sum = 0;
    e->count = dae_model_unknown_count(r->model);
    e->differences = memory_take(e->count + 1, sizeof *e->differences);
    if (!e->differences) return DAE_MEMORY;
    for (size_t j = 0; j < e->count; j++) {
        double d = value_of(r, j) - value_of(finer, j);
        double weight = r->options.rtol * fabs(value_of(finer, j))
            + atol_of(r, j);
        e->differences[j] = d;
        if (fabs(d) > 0) sum += (d / weight) * (d / weight);
    }
    e->norm = e->count ? sqrt(sum / (double)e->count) : 0;
    e->is_known = true;
    return DAE_OK;
}

dae_status estimate_make(estimate *e, const run *r)
{
    run finer;
    memset(e, 0, sizeof *e);
    dae_status st = runner_init(
        &finer, r->args, r->limits, r->messages, r->model, 0.1);
    if (!st) st = runner_start(&finer);
    if (!st) st = runner_steps(&finer);
    if (!st) st = compare(e, r, &finer);
    runner_clear(&finer);
    return st;
}

void estimate_clear(estimate *e)
{
    memory_drop(e->differences);
    memset(e, 0, sizeof *e);
}

void estimate_print(const estimate *e, const run *r, FILE *file)
{
    if (!e->is_known) return;
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
    if (!e->is_known) return;
    name_buffer name = {0};
    json_key(j, "error_estimate");
    json_begin_object(j);
    json_key(j, "norm"), json_number(j, e->norm);
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
