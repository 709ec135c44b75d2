/* A problem with its start, to be made consistent. */
#ifndef INIT_START_SUPPORT_H
#define INIT_START_SUPPORT_H

#include "base/source.h"
#include "check.h"
#include "start_reported.h"

enum { MOST = 32 };

/* A problem with its start, filled by each test. */
typedef struct fixture {
    dae_problem problem;
    dae_scales scales;
    dae_start start;
    uint8_t order[MOST];
    double minimum[MOST], maximum[MOST];
    double x[MOST], xp[MOST], atol[MOST];
    uint8_t x_fixed[MOST], xp_fixed[MOST];
    double rtol;
    bool use_conditions;
    dae_start_report report;
    dae_stats stats;
    dae_diagnostics *ds;
    const dae_allocator *allocator;
    dae_interrupt_fn *interrupt;
    bool is_thorough;
} fixture;

static inline void fixture_init(fixture *f, size_t n, dae_residual_fn *residual)
{
    memset(f, 0, sizeof *f);
    f->problem.unknown_count = n;
    f->problem.residual = residual;
    f->problem.order = f->order;
    f->problem.scales = &f->scales;
    f->problem.start = &f->start;
    f->scales.minimum = f->minimum;
    f->scales.maximum = f->maximum;
    f->rtol = 1e-8;
    for (size_t k = 0; k < MOST; k++) {
        f->order[k] = 1;
        f->minimum[k] = -(double)INFINITY;
        f->maximum[k] = (double)INFINITY;
        f->atol[k] = 1e-10;
    }
    CHECK_STATUS(dae_diagnostics_create(NULL, &f->ds), DAE_OK);
}

static inline dae_status fixture_run(fixture *f)
{
    layout l;
    dae_status st = layout_init(&l, &f->problem, f->allocator);
    if (st) return st;
    const init_request r = {.problem = &f->problem,
        .is_thorough = f->is_thorough,
        .layout = &l,
        .t0 = 0,
        .rtol = f->rtol,
        .atol = f->atol,
        .x_fixed = f->x_fixed,
        .xp_fixed = f->xp_fixed,
        .use_conditions = f->use_conditions,
        .allocator = f->allocator,
        .interrupt = f->interrupt};
    init_findings found = {.z = NULL};
    st = start_reported(r, &found, f->x, f->xp, &f->report, &f->stats, f->ds);
    init_findings_clear(&found);
    layout_clear(&l);
    return st;
}

static inline void fix(fixture *f, size_t k, double value)
{
    f->x[k] = value;
    f->x_fixed[k] = 1;
}

static inline bool says(const fixture *f, const char *code, const char *text)
{
    for (size_t i = 0; i < dae_diagnostics_count(f->ds); i++) {
        const dae_diagnostic *d = dae_diagnostics_at(f->ds, i);
        if (strcmp(d->code, code) != 0) continue;
        if (strstr(d->message, text) || (d->help && strstr(d->help, text)))
            return true;
    }
    for (size_t i = 0; i < dae_diagnostics_count(f->ds); i++)
        print_error("%s: %s [%s]\n", dae_diagnostics_at(f->ds, i)->code,
            dae_diagnostics_at(f->ds, i)->message,
            dae_diagnostics_at(f->ds, i)->help);
    return false;
}

static inline void fixture_clear(fixture *f)
{
    dae_diagnostics_free(f->ds);
}

/* Transistor amplifier [MI03]: M x' = f(t, x), M of rank 5 of 8. */
static inline dae_status transistor(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const double ub = 6, uf = 0.026, al = 0.99, be = 1e-6, r0 = 1000, r = 9000;
    const double ue = 0.1 * sin(200 * 3.14159265358979323846 * t);
    const double g1 = be * expm1((x[1] - x[2]) / uf);
    const double g2 = be * expm1((x[4] - x[5]) / uf);
    (void)self;
    const double d1 = 1e-6 * (xp[1] - xp[0]), d3 = 3e-6 * (xp[4] - xp[3]),
                 d5 = 5e-6 * (xp[7] - xp[6]);
    res[0] = d1 - (x[0] - ue) / r0;
    res[1] = -d1 - (x[1] / r + (x[1] - ub) / r + (1 - al) * g1);
    res[2] = -2e-6 * xp[2] - (x[2] / r - g1);
    res[3] = d3 - ((x[3] - ub) / r + al * g1);
    res[4] = -d3 - (x[4] / r + (x[4] - ub) / r + (1 - al) * g2);
    res[5] = -4e-6 * xp[5] - (x[5] / r - g2);
    res[6] = d5 - ((x[6] - ub) / r + al * g2);
    res[7] = -d5 - x[7] / r;
    return DAE_OK;
}

static inline void transistor_start(fixture *f, bool is_given)
{
    const double x[8] = {0, 3, 3, 6, 3, 3, 6, 0};
    fixture_init(f, 8, transistor);
    for (size_t j = 0; j < 8; j++) {
        f->x[j] = x[j];
        f->x_fixed[j] = is_given;
        f->atol[j] = 1e-8;
    }
}

/* Underdetermined: the nearest point of a line to the guesses, each change
 * measured by the size of its guess. */
static inline dae_status line(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    (void)xp;
    res[0] = x[0] + x[1] - 6;
    res[1] = 0 * x[0] + x[2] - 1;
    res[2] = xp[0] - x[1];
    return DAE_OK;
}

/* An equilibrium with one positive root. */
static inline dae_status dimer(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = 2 * 30 * x[1] * x[1] + 0.5 * x[1] - x[0];
    res[1] = xp[0] + x[1];
    return DAE_OK;
}

static inline dae_status square_is(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const double *value = self;
    (void)t;
    (void)xp;
    res[0] = x[0] * x[0] - *value;
    return DAE_OK;
}

/* General conditions: x + 2 y = 5 and x' = 1 for x' = y - x, y' = x. */
static inline dae_status oscillator(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = xp[0] - x[1] + x[0];
    res[1] = xp[1] - x[0];
    return DAE_OK;
}

static inline dae_status two_conditions(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const double *third = self;
    (void)t;
    res[0] = x[0] + 2 * x[1] - 5;
    res[1] = xp[0] - 1;
    if (third) res[2] = x[1] - *third;
    return DAE_OK;
}

#endif
