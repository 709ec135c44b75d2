/* Models from their text: a fixture for what a right one means, and tables of
 * wrong ones with the diagnostics they must give. */
#ifndef LANG_SEMA_SUPPORT_H
#define LANG_SEMA_SUPPORT_H

#include "support/check.h"

#include <dae/model.h>
#include <stdbool.h>

typedef struct fixture {
    dae_diagnostics *ds;
    dae_model *model;
    const dae_problem *p;
    double x[64], xp[64], res[64], obs[64];
} fixture;

static inline void open_with(
    fixture *f, const char *text, const dae_override *set, size_t set_count)
{
    memset(f, 0, sizeof *f);
    dae_model_options options = {.overrides = set, .override_count = set_count};
    CHECK_STATUS(dae_diagnostics_create(NULL, &f->ds), DAE_OK);
    dae_status st = dae_model_parse(
        "values.dae", text, strlen(text), &options, NULL, f->ds, &f->model);
    for (size_t i = 0; i < dae_diagnostics_count(f->ds); i++) {
        const dae_diagnostic *d = dae_diagnostics_at(f->ds, i);
        print_message("%s %s\n", d->code, d->message);
    }
    CHECK_STATUS(st, DAE_OK);
    f->p = dae_model_problem(f->model);
    assert_true(dae_problem_state_count(f->p) <= 64);
    for (int k = 0; k < 64; k++) {
        f->x[k] = 0.5 + 0.25 * k; /* 0.5 0.75 1 1.25 1.5 ... */
        f->xp[k] = 10 + k;
    }
}

static inline void open_model(fixture *f, const char *text)
{
    open_with(f, text, NULL, 0);
}

static inline void close_model(fixture *f)
{
    dae_model_free(f->model);
    dae_diagnostics_free(f->ds);
}

static inline void evaluate(fixture *f, double t)
{
    CHECK_STATUS(f->p->residual(f->p->self, t, f->x, f->xp, f->res), DAE_OK);
}

static inline void check_unknown(const fixture *f, size_t j, const char *name)
{
    char text[64];
    dae_model_unknown_name(f->model, j, text, sizeof text);
    assert_string_equal(text, name);
}

static inline void check_equation(const fixture *f, size_t i, const char *name)
{
    char text[64];
    f->p->name(f->p->self, DAE_NAME_EQUATION, i, text, sizeof text);
    assert_string_equal(text, name);
}

/* ---- wrong models --------------------------------------------------------- */

/* A text and exactly the diagnostics it gives. */
typedef struct wrong_model {
    const char *text;
    struct {
        const char *code;
        uint32_t line, column;
    } expected[4];
} wrong_model;

static inline void describe(const dae_diagnostics *ds)
{
    for (size_t i = 0; i < dae_diagnostics_count(ds); i++) {
        const dae_diagnostic *d = dae_diagnostics_at(ds, i);
        print_error("  %s %u:%u %s\n", d->code,
            d->span_count ? d->spans[0].line : 0,
            d->span_count ? d->spans[0].column : 0, d->message);
    }
}

static inline bool has(
    const dae_diagnostics *ds, const char *code, uint32_t line, uint32_t column)
{
    for (size_t i = 0; i < dae_diagnostics_count(ds); i++) {
        const dae_diagnostic *d = dae_diagnostics_at(ds, i);
        if (strcmp(d->code, code) == 0 && d->span_count
            && d->spans[0].line == line && d->spans[0].column == column) {
            return true;
        }
    }
    return false;
}

static inline bool is_as_expected(const wrong_model *m)
{
    dae_diagnostics *ds;
    dae_model *model;
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    dae_status st = dae_model_parse(
        "wrong.dae", m->text, strlen(m->text), NULL, NULL, ds, &model);
    size_t wanted = 0;
    bool ok = st == DAE_MODEL && !model;
    for (; wanted < 4 && m->expected[wanted].code; wanted++) {
        ok = ok
            && has(ds, m->expected[wanted].code, m->expected[wanted].line,
                m->expected[wanted].column);
    }
    ok = ok && dae_diagnostics_count(ds) == wanted;
    if (!ok) {
        print_error("%s\nstatus %s, first wanted %s %u:%u\n", m->text,
            dae_status_text(st), m->expected[0].code, m->expected[0].line,
            m->expected[0].column);
        describe(ds);
    }
    dae_model_free(model);
    dae_diagnostics_free(ds);
    return ok;
}

static inline void check_wrong_models(const wrong_model *models, size_t count)
{
    size_t failures = 0;
    for (size_t k = 0; k < count; k++) failures += !is_as_expected(&models[k]);
    assert_int_equal(failures, 0);
}

#endif
