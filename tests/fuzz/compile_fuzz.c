/* Any bytes as a model, compiled and looked at: tables that the solver relies
 * on, values at the start, listings. Nothing is solved. A first line
 * `#set name=value` gives a --set. */
#include "harness.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_ROOM 40

/* Columns that ascend within the rows there are. */
static void check_pattern(const dae_pattern *p, size_t columns, size_t rows)
{
    harness_require(p->column_start[0] == 0, "a pattern begins at 0");
    for (size_t j = 0; j < columns; j++) {
        int64_t from = p->column_start[j], to = p->column_start[j + 1];
        harness_require(from <= to, "a pattern's columns ascend");
        for (int64_t k = from; k < to; k++)
            harness_require(p->row[k] >= 0 && (size_t)p->row[k] < rows
                    && (k == from || p->row[k - 1] < p->row[k]),
                "a column's rows ascend");
    }
}

/* Equations and conditions at the start, in arrays of just their size. */
static void evaluate(const dae_problem *p)
{
    const dae_start *s = p->start;
    size_t n = p->unknown_count, states = dae_problem_state_count(p);
    size_t entries = (size_t)p->pattern->column_start[states + n];
    double *res = harness_numbers(n), *values = harness_numbers(entries);
    harness_require(!p->residual(p->self, s->t0, s->x, s->xp, res),
        "a residual has a value or a NaN");
    for (dae_scope scope = DAE_ALL; scope <= DAE_VARYING; scope++)
        harness_require(
            !p->jacobian(p->self, scope, s->t0, s->x, s->xp, values),
            "a Jacobian has values or NaNs");
    free(values);
    free(res);
    if (s->condition_count == 0) return;
    check_pattern(&s->condition_pattern, states + n, s->condition_count);
    entries = (size_t)s->condition_pattern.column_start[states + n];
    res = harness_numbers(s->condition_count);
    values = harness_numbers(entries);
    harness_require(!s->condition_residual(p->self, s->t0, s->x, s->xp, res)
            && !s->condition_jacobian(
                p->self, DAE_ALL, s->t0, s->x, s->xp, values),
        "conditions have values or NaNs");
    free(values);
    free(res);
}

static void name_all(const dae_problem *p)
{
    char text[NAME_ROOM];
    size_t n = p->unknown_count, known = p->start->condition_count;
    const dae_start *s = p->start;
    for (size_t i = 0; i < n; i++) {
        (void)p->name(p->self, DAE_NAME_EQUATION, i, text, sizeof text);
        (void)p->name(p->self, DAE_NAME_UNKNOWN, i, text, sizeof text);
        if (i < 8)
            (void)p->explain(p->self, DAE_NAME_EQUATION, i, s->t0, s->x, s->xp,
                text, sizeof text);
    }
    for (size_t i = 0; i < known; i++)
        (void)p->name(p->self, DAE_NAME_CONDITION, i, text, sizeof text);
}

static void observe(dae_model *m)
{
    const dae_start *s = dae_model_problem(m)->start;
    size_t count = dae_model_observation_count(m);
    char text[NAME_ROOM];
    double *values = harness_numbers(count);
    dae_status st = dae_model_set_start(m, s->t0, s->x, s->xp);
    if (!st) st = dae_model_observe(m, s->t0, s->x, s->xp, values);
    harness_require(!st || st == DAE_MEMORY, "observations have values");
    for (size_t k = 0; k < count; k++)
        (void)dae_model_observation_name(m, k, text, sizeof text);
    for (size_t k = 0; k < dae_model_plot_count(m); k++)
        harness_require(dae_model_plot(m, k).observation < count,
            "a plot shows an observation");
    free(values);
}

static void check_model(dae_model *m)
{
    const dae_problem *p = dae_model_problem(m);
    check_pattern(p->pattern, dae_problem_state_count(p) + p->unknown_count,
        p->unknown_count);
    evaluate(p);
    name_all(p);
    observe(m);
}

/* A dae_write_fn that counts every byte in: FNV-1a. */
static int digest(void *context, const char *text, size_t length)
{
    uint64_t *hash = context;
    for (size_t k = 0; k < length; k++)
        *hash = (*hash ^ (unsigned char)text[k]) * UINT64_C(1099511628211);
    return 0;
}

static bool show_all(const dae_model *m, uint64_t *hash)
{
    bool is_whole = true;
    *hash = UINT64_C(14695981039346656037);
    for (dae_show what = DAE_SHOW_EQUATIONS; what <= DAE_SHOW_BYTECODE;
         what++) {
        dae_status st = dae_model_show(m, what, digest, hash);
        harness_require(!st || st == DAE_MEMORY, "a model can be shown");
        is_whole = is_whole && !st;
    }
    return is_whole;
}

/* The --set of the first line: the bytes of its name and value in `line`. */
static size_t read_override(
    const char *text, size_t size, char line[64], dae_override *to)
{
    static const char mark[] = "#set ";
    const size_t skip = sizeof mark - 1;
    if (size < skip || memcmp(text, mark, skip) != 0) return 0;
    size_t length = 0;
    while (length < 63 && skip + length < size && text[skip + length] != '\n'
        && text[skip + length])
        length++;
    memcpy(line, text + skip, length);
    line[length] = 0;
    char *equals = strchr(line, '=');
    if (!equals) return 0;
    *equals = 0;
    *to = (dae_override){line, equals + 1};
    return 1;
}

static dae_model *compile(
    harness *h, const char *text, size_t size, const dae_model_options *options)
{
    dae_model *model = NULL;
    dae_status st = dae_model_parse(
        "f.dae", text, size, options, &h->allocator, h->ds, &model);
    harness_check_failure(h, st);
    harness_require(!st == (model != NULL), "a model or a failure");
    if (model) check_model(model);
    return model;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    char line[64];
    dae_override set;
    harness h;
    uint64_t shown, again;
    if (!harness_start(&h)) return 0;
    const dae_model_options options = {.overrides = &set,
        .override_count = read_override(text, size, line, &set),
        .memory_limit = HARNESS_MEMORY / 2,
        .interrupt = harness_stop,
        .interrupt_context = &h};
    dae_model *model = compile(&h, text, size, &options), *other = NULL;
    if (model && show_all(model, &shown) && !harness_stop(&h)) {
        /* at other addresses */
        other = compile(&h, text, size, &options);
        if (other && show_all(other, &again))
            harness_require(shown == again, "the same text is the same model");
    }
    dae_model_free(other);
    dae_model_free(model);
    harness_finish(&h);
    return 0;
}
