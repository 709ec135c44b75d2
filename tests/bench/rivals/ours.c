/* Our engine through its C interface: on the problems of problems.c, and on
 * the same problems written in the language. */
#include "rivals.h"

#include <dae/dae.h>
#include <stdio.h>
#include <string.h>

/* --- a problem as the solver wants it --- */

typedef struct by_hand {
    const rival_problem *problem;
    int64_t start[2 * UNKNOWNS_MAX + 1];
    int32_t row[2 * UNKNOWNS_MAX * UNKNOWNS_MAX];
    uint8_t kind[2 * UNKNOWNS_MAX * UNKNOWNS_MAX];
    uint8_t order[UNKNOWNS_MAX];
    dae_pattern pattern;
    dae_problem handed;
} by_hand;

static dae_status residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const by_hand *b = self;
    return problem_residual(b->problem, t, x, xp, res) ? DAE_RETRY : DAE_OK;
}

static double mass_at(const rival_problem *p, int i, int j)
{
    if (!p->mass) return i == j;
    for (int k = 0; k < p->mass_count; k++)
        if (p->mass[k].row == i && p->mass[k].column == j)
            return p->mass[k].value;
    return 0;
}

static dae_status jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    (void)xp;
    const by_hand *b = self;
    int n = b->problem->n;
    double df[UNKNOWNS_MAX * UNKNOWNS_MAX];
    memset(df, 0, sizeof *df * (size_t)(n * n));
    b->problem->slope(t, x, df);
    for (int j = 0; j < n; j++)
        for (int64_t p = b->start[j]; p < b->start[j + 1]; p++)
            values[p] = -df[b->row[p] + n * j];
    if (scope == DAE_VARYING) return DAE_OK;
    for (int j = 0; j < n; j++)
        for (int64_t p = b->start[n + j]; p < b->start[n + j + 1]; p++)
            values[p] = mass_at(b->problem, b->row[p], j);
    return DAE_OK;
}

static void make_problem(const rival_problem *p, by_hand *b)
{
    bool has[UNKNOWNS_MAX * UNKNOWNS_MAX];
    int n = p->n;
    int64_t count = 0;
    memset(b, 0, sizeof *b);
    b->problem = p;
    problem_pattern(p, has);
    for (int c = 0; c < 2 * n; c++) {
        b->start[c] = count;
        for (int i = 0; i < n; i++) {
            bool is_slope = c >= n;
            if (is_slope ? mass_at(p, i, c - n) == 0 : !has[i + n * c])
                continue;
            b->kind[count] = is_slope ? DAE_ENTRY_CONSTANT : DAE_ENTRY_VARYING;
            b->row[count++] = i;
            if (is_slope) b->order[c - n] = 1;
        }
    }
    b->start[2 * n] = count;
    b->pattern = (dae_pattern){b->start, b->row, b->kind};
    b->handed = (dae_problem){.self = b,
        .unknown_count = (size_t)n,
        .order = b->order,
        .residual = residual,
        .jacobian = jacobian,
        .pattern = &b->pattern};
}

/* --- a run --- */

static dae_options options_for(
    const char *method, const rival_problem *p, double rtol, double atol)
{
    dae_options options = dae_options_default();
    options.method = method;
    options.rtol = rtol;
    options.atol = atol;
    options.t_end = p->t1;
    options.max_steps = STEPS_MAX;
    return options;
}

/* Work from `before`, the start's, on. */
static void counts(const dae_stats *s, const dae_stats *before, run_result *r)
{
    r->steps = (long)s->steps;
    r->residuals = (long)(s->residual_evals - before->residual_evals);
    r->jacobians = (long)(s->jacobian_evals - before->jacobian_evals);
    r->factorizations = (long)(s->factorizations - before->factorizations);
    r->iterations = (long)(s->newton_iterations - before->newton_iterations);
    r->error_failures = (long)s->error_test_failures;
    r->convergence_failures = (long)s->convergence_failures;
}

static void keep_message(const dae_diagnostics *ds, run_result *r)
{
    r->ok = false;
    if (dae_diagnostics_count(ds) > 0)
        snprintf(r->message, sizeof r->message, "%s",
            dae_diagnostics_at(ds, 0)->message);
}

static void run_by(const char *method, const rival_problem *p, double rtol,
    double atol, run_result *r)
{
    static by_hand b;
    if (b.problem != p) make_problem(p, &b);
    double x[UNKNOWNS_MAX], xp[UNKNOWNS_MAX], at[OUTPUTS];
    dae_options options = options_for(method, p, rtol, atol);
    dae_diagnostics *ds = NULL;
    dae_solver *solver = NULL;
    if (dae_diagnostics_create(NULL, &ds)) return;
    problem_outputs(p, at);
    p->start(x, xp);
    dae_status st = dae_solver_create(&b.handed, &options, NULL, ds, &solver);
    if (!st) st = dae_solver_start(solver, 0, x, xp, 0);
    for (int k = 0; !st && k < OUTPUTS; k++)
        st = dae_solver_advance(solver, at[k], r->x[k], NULL);
    r->ok = !st;
    if (st) keep_message(ds, r);
    if (solver) counts(dae_solver_stats(solver), &(dae_stats){0}, r);
    dae_solver_free(solver);
    dae_diagnostics_free(ds);
}

void run_ours(const rival_problem *p, double rtol, double atol, run_result *r)
{
    run_by("bdf", p, rtol, atol, r);
}

void run_ours_radau(
    const rival_problem *p, double rtol, double atol, run_result *r)
{
    run_by("radau", p, rtol, atol, r);
}

/* --- a model --- */

static dae_model *model;

void ours_unload(void)
{
    dae_model_free(model);
    model = NULL;
}

bool ours_load(const char *root, const rival_problem *p)
{
    char path[1024];
    dae_diagnostics *ds = NULL;
    ours_unload();
    snprintf(path, sizeof path, "%s/%s", root, p->model);
    if (dae_diagnostics_create(NULL, &ds)) return false;
    dae_status st = dae_model_load(path, NULL, NULL, ds, &model);
    if (st)
        fprintf(stderr, "%s: %s\n", path,
            dae_diagnostics_count(ds) ? dae_diagnostics_at(ds, 0)->message
                                      : dae_status_text(st));
    dae_diagnostics_free(ds);
    if (!st && !p->slots && dae_model_unknown_count(model) != (size_t)p->n) {
        fprintf(stderr, "%s: %zu unknowns instead of %d\n", path,
            dae_model_unknown_count(model), p->n);
        ours_unload();
    }
    return model != NULL;
}

static dae_status model_outputs(
    dae_solver *solver, const rival_problem *p, run_result *r)
{
    double x[4 * UNKNOWNS_MAX], xp[4 * UNKNOWNS_MAX], at[OUTPUTS];
    problem_outputs(p, at);
    for (int k = 0; k < OUTPUTS; k++) {
        dae_status st = dae_solver_advance(solver, at[k], x, xp);
        if (st) return st;
        for (int j = 0; j < problem_shown(p); j++) {
            const model_slot at_j = p->slots ? p->slots[j] : (model_slot){j, 0};
            r->x[k][j] = dae_model_unknown_value(
                model, (size_t)at_j.unknown, (unsigned)at_j.order, x, xp);
        }
    }
    return DAE_OK;
}

/* From a consistent start on, which the solver finds first. */
static dae_status find_start(
    dae_solver *solver, bool is_warm, dae_stats *before, run_result *r)
{
    const double begin = now();
    const dae_status st = dae_solver_initialize(solver);
    if (!st) *before = *dae_solver_stats(solver);
    if (is_warm) r->given = now() - begin;
    return st;
}

static void run_model_by(const char *method, bool is_warm,
    const rival_problem *p, double rtol, double atol, run_result *r)
{
    dae_options options = options_for(method, p, rtol, atol);
    if (is_warm) options.max_step = p->t1;
    const dae_problem *problem = dae_model_problem(model);
    dae_diagnostics *ds = NULL;
    dae_solver *solver = NULL;
    dae_stats before = {0};
    r->ok = dae_problem_state_count(problem) <= 4 * UNKNOWNS_MAX;
    if (!r->ok || dae_diagnostics_create(NULL, &ds)) return;
    dae_status st = dae_solver_create(problem, &options, NULL, ds, &solver);
    if (!st) st = find_start(solver, is_warm, &before, r);
    if (!st) st = model_outputs(solver, p, r);
    r->ok = !st;
    if (st) keep_message(ds, r);
    if (solver) counts(dae_solver_stats(solver), &before, r);
    dae_solver_free(solver);
    dae_diagnostics_free(ds);
}

void run_ours_model(
    const rival_problem *p, double rtol, double atol, run_result *r)
{
    run_model_by("bdf", false, p, rtol, atol, r);
}

void run_ours_auto(
    const rival_problem *p, double rtol, double atol, run_result *r)
{
    run_model_by("auto", false, p, rtol, atol, r);
}

void run_ours_model_radau(
    const rival_problem *p, double rtol, double atol, run_result *r)
{
    run_model_by("radau", false, p, rtol, atol, r);
}

void run_warm_bdf(
    const rival_problem *p, double rtol, double atol, run_result *r)
{
    run_model_by("bdf", true, p, rtol, atol, r);
}

void run_warm_auto(
    const rival_problem *p, double rtol, double atol, run_result *r)
{
    run_model_by("auto", true, p, rtol, atol, r);
}
