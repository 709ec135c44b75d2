/* Residuals at several points in one call: bit for bit those of one call each, on every
 * model, for every number of points and behind changes of parameters. */
#include "check.h"
#include "model_folder.h"
#include <dae/model.h>

enum { POINTS = 9 };

/* Numbers near the start, others for each point and slot. */
static double somewhere(double x, size_t point, size_t slot)
{
    const double nudge = sin((double)(7 * slot + 3 * point + 1));
    return isfinite(x) ? x + 0.01 * nudge * (1 + fabs(x)) : nudge;
}

typedef struct rows {
    double t[POINTS];
    double *x[POINTS], *xp[POINTS], *res[POINTS], *alone;
} rows;

static void take(const dae_problem *p, rows *r)
{
    const size_t n = p->unknown_count, states = dae_problem_state_count(p);
    r->alone = calloc(n, sizeof(double));
    for (size_t k = 0; k < POINTS; k++) {
        r->t[k] = p->start->t0 + 0.3701 * (double)k;
        r->x[k] = calloc(states, sizeof(double));
        r->xp[k] = calloc(n, sizeof(double));
        r->res[k] = calloc(n, sizeof(double));
        for (size_t s = 0; s < states; s++)
            r->x[k][s] = somewhere(p->start->x[s], k, s);
        for (size_t j = 0; j < n; j++)
            r->xp[k][j] = somewhere(p->start->xp[j], k, states + j);
    }
}

static void give(rows *r)
{
    free(r->alone);
    for (size_t k = 0; k < POINTS; k++) {
        free(r->x[k]);
        free(r->xp[k]);
        free(r->res[k]);
    }
}

static void compare(const dae_problem *p, const char *path, void *context)
{
    (void)context;
    static const size_t counts[] = {3, 7, 1, 5, 4, 9, 8, 2};
    const size_t n = p->unknown_count;
    rows r;
    take(p, &r);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        CHECK_STATUS(
            p->residuals(p->self, counts[c], r.t, (const double *const *)r.x,
                (const double *const *)r.xp, r.res),
            DAE_OK);
        for (size_t k = 0; k < counts[c]; k++) {
            CHECK_STATUS(
                p->residual(p->self, r.t[k], r.x[k], r.xp[k], r.alone), DAE_OK);
            if (memcmp(r.alone, r.res[k], n * sizeof(double)) == 0) continue;
            print_error("%s: point %zu of %zu differs\n", path, k, counts[c]);
            fail();
        }
    }
    give(&r);
}

static void every_model_is_as_point_by_point(void **state)
{
    (void)state;
    static const char *const folders[] = {"biology", "chemistry", "circuits",
        "contact", "control", "limits", "mechanics", "medicine", "molecules",
        "networks", "oscillators", "pde", "process", "quadrature"};
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
        char path[100];
        snprintf(path, sizeof path, "models/%s", folders[k]);
        assert_true(visit_models(path, compare, NULL) > 0);
    }
}

static void parameters_that_change_are_seen(void **state)
{
    (void)state;
    static const char text[] = "param a = 0.1, b = 3\nvar x = 1\n"
                               "x' = a*x^3 - b\nsolve t in 0..1\n";
    dae_model *m;
    CHECK_STATUS(
        dae_model_parse("m", text, strlen(text), NULL, NULL, NULL, &m), DAE_OK);
    const dae_problem *p = dae_model_problem(m);
    compare(p, "a = 0.1", NULL);
    CHECK_STATUS(dae_model_set_param(m, "a", 0.3), DAE_OK);
    compare(p, "a = 0.3", NULL);
    CHECK_STATUS(dae_model_set_param(m, "a", -0.0), DAE_OK);
    compare(p, "a = -0", NULL);
    dae_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_is_as_point_by_point),
        cmocka_unit_test(parameters_that_change_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
