/* Runs a model given as text and keeps what a test may ask of the run. */
#ifndef SUPPORT_TEXT_RUN_H
#define SUPPORT_TEXT_RUN_H

#include "check.h"
#include <dae/model.h>
#include <dae/solver.h>

enum { TEXT_STATES = 120 };

typedef struct text_run {
    dae_status status;
    double t; /* where the run came to */
    double x[TEXT_STATES];
    double low[TEXT_STATES], high[TEXT_STATES]; /* over all steps */
    double sum_low, sum_high;                   /* of the sum of x */
    dae_stats stats;
    dae_diagnostics *ds;
} text_run;

static inline void text_run_look(text_run *r, const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        r->x[i] = x[i];
        r->low[i] = fmin(r->low[i], x[i]);
        r->high[i] = fmax(r->high[i], x[i]);
        sum += x[i];
    }
    r->sum_low = fmin(r->sum_low, sum);
    r->sum_high = fmax(r->sum_high, sum);
}

/* Options but for t_end as in `o`; also looks at the middle of every step. */
static inline void text_run_make(
    text_run *r, const char *text, const dae_options *o)
{
    dae_model *model = NULL;
    dae_solver *solver = NULL;
    double middle[TEXT_STATES];
    memset(r, 0, sizeof *r);
    CHECK_STATUS(dae_diagnostics_create(NULL, &r->ds), DAE_OK);
    CHECK_STATUS(dae_model_parse("example.dae", text, strlen(text), NULL, NULL,
                     r->ds, &model),
        DAE_OK);
    const dae_problem *p = dae_model_problem(model);
    size_t n = dae_problem_state_count(p);
    assert_true(n <= TEXT_STATES);
    dae_options options = *o;
    options.t_end = dae_model_settings(model)->t1;
    options.max_steps = 20000;
    CHECK_STATUS(dae_solver_create(p, &options, NULL, r->ds, &solver), DAE_OK);
    CHECK_STATUS(dae_solver_initialize(solver), DAE_OK);
    for (size_t i = 0; i < n; i++) r->low[i] = HUGE_VAL, r->high[i] = -HUGE_VAL;
    r->sum_low = HUGE_VAL, r->sum_high = -HUGE_VAL;
    text_run_look(r, dae_solver_x(solver), n);
    while (!r->status && dae_solver_time(solver) != options.t_end) {
        r->status = dae_solver_step(solver);
        double t = dae_solver_time(solver);
        double before = t - dae_solver_last_step(solver);
        if (!r->status) {
            CHECK_STATUS(dae_solver_interpolate(
                             solver, before + 0.5 * (t - before), middle, NULL),
                DAE_OK);
            text_run_look(r, middle, n);
        }
        text_run_look(r, dae_solver_x(solver), n);
    }
    r->t = dae_solver_time(solver);
    r->stats = *dae_solver_stats(solver);
    dae_solver_free(solver);
    dae_model_free(model);
    for (size_t i = 0; i < dae_diagnostics_count(r->ds); i++)
        assert_null(strchr(dae_diagnostics_at(r->ds, i)->message, '?'));
}

static inline void text_run_clear(text_run *r)
{
    dae_diagnostics_free(r->ds);
}

/* The only diagnostic, with this code. */
static inline const dae_diagnostic *text_run_only(
    const text_run *r, const char *code)
{
    assert_int_equal(dae_diagnostics_count(r->ds), 1);
    const dae_diagnostic *d = dae_diagnostics_at(r->ds, 0);
    assert_string_equal(d->code, code);
    return d;
}

#endif
