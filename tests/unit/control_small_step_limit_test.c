/* Problems of known index, through the public integrator: those of index 2 and
 * more are refused before the first step with the equations named, those of
 * index 1 run, also where structure alone would call them higher. */
#include "support/check.h"
#include "support/pendulum.h"

#include <dae/solver.h>

/* c2' = c1 - c2, 0 = c2 - 1: index 2 */
static dae_status tank(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = xp[1] - (x[0] - x[1]);
    res[1] = x[1] - 1;
    return DAE_OK;
}

static dae_status tank_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *v)
{
    (void)self;
    (void)scope;
    (void)t;
    (void)x;
    (void)xp;
    v[0] = -1; /* equation 0 by x0 */
    v[1] = 1;  /* 0 by x1 */
    v[2] = 1;  /* 1 by x1 */
    v[3] = 1;  /* 0 by x1' */
    return DAE_OK;
}

static const int64_t tank_start[] = {0, 1, 3, 3, 4};
static const int32_t tank_row[] = {0, 0, 1, 0};
static const dae_pattern tank_pattern = {tank_start, tank_row, NULL};
static const uint8_t tank_order[] = {0, 1};

/* c (u' - v') = -u, 0 = u + v - 2: index 1, although the second equation
 * holds no derivative and both unknowns are differentiated */
static dae_status bridge(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)t;
    res[0] = *(const double *)self * (xp[0] - xp[1]) + x[0];
    res[1] = x[0] + x[1] - 2;
    return DAE_OK;
}

static dae_status bridge_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *v)
{
    (void)scope;
    (void)t;
    (void)x;
    (void)xp;
    v[0] = 1;
    v[1] = 1;
    v[2] = 1;
    v[3] = *(const double *)self;
    v[4] = -*(const double *)self;
    return DAE_OK;
}

static const int64_t bridge_start[] = {0, 2, 3, 4, 5};
static const int32_t bridge_row[] = {0, 1, 1, 0, 0};
static const dae_pattern bridge_pattern = {bridge_start, bridge_row, NULL};

static dae_status run(const dae_problem *p, const double *x, const double *xp,
    double t_end, double *end, dae_diagnostics *ds)
{
    dae_options o = dae_options_default();
    o.t_end = t_end;
    dae_solver *s;
    CHECK_STATUS(dae_solver_create(p, &o, NULL, ds, &s), DAE_OK);
    dae_status st = dae_solver_start(s, 0, x, xp, 1);
    if (!st) st = dae_solver_advance(s, t_end, end, NULL);
    dae_solver_free(s);
    return st;
}

static void check_refused(const dae_problem *p, const double *x,
    const double *xp, const char *equation)
{
    dae_diagnostics *ds;
    double end[8];
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    CHECK_STATUS(run(p, x, xp, 1, end, ds), DAE_NUMERIC);
    assert_int_equal(dae_diagnostics_count(ds), 1);
    const dae_diagnostic *d = dae_diagnostics_at(ds, 0);
    assert_string_equal(d->code, "E0502");
    assert_non_null(strstr(d->message, equation));
    dae_diagnostics_free(ds);
}

static void index_two_is_refused(void **state)
{
    (void)state;
    dae_problem p = {.unknown_count = 2,
        .order = tank_order,
        .residual = tank,
        .jacobian = tank_jacobian,
        .pattern = &tank_pattern};
    check_refused(&p, (double[]){1, 1}, (double[]){0, 0}, "`equation 2`");
}

static void index_three_is_refused(void **state)
{
    (void)state;
    dae_problem p = {.unknown_count = 3,
        .order = pendulum_order,
        .residual = pendulum,
        .jacobian = pendulum_jacobian,
        .pattern = &pendulum_pattern};
    double x[] = {0.6, 0, -0.8, 0, 0.8}, xp[] = {-0.48, -0.36, 0};
    check_refused(&p, x, xp, "`equation 3`");
}

/* u = exp(-t/(2c)) for every size of c, that is every unit of time */
static void index_one_runs_in_every_unit(void **state)
{
    (void)state;
    for (double c = 1e-9; c < 1e10; c *= 1e3) {
        dae_problem p = {.self = &c,
            .unknown_count = 2,
            .residual = bridge,
            .jacobian = bridge_jacobian,
            .pattern = &bridge_pattern};
        double x[] = {1, 1}, xp[] = {-0.5 / c, 0.5 / c}, end[2];
        dae_diagnostics *ds;
        CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
        CHECK_STATUS(run(&p, x, xp, 4 * c, end, ds), DAE_OK);
        CHECK_NEAR(end[0], exp(-2), 1e-5);
        dae_diagnostics_free(ds);
    }
}

/* Without a pattern, by a Jacobian over all slots or by differences. */
static dae_status tank_dense(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *v)
{
    double entry[4];
    memset(v, 0, 8 * sizeof *v);
    const dae_status st = tank_jacobian(self, scope, t, x, xp, entry);
    for (size_t c = 0, k = 0; c < 4; c++)
        for (; k < (size_t)tank_start[c + 1]; k++)
            v[2 * c + (size_t)tank_row[k]] = entry[k];
    return st;
}

static void index_two_is_refused_without_a_pattern(void **state)
{
    (void)state;
    dae_problem p = {.unknown_count = 2, .order = tank_order, .residual = tank};
    check_refused(&p, (double[]){1, 1}, (double[]){0, 0}, "`equation 2`");
    p.jacobian = tank_dense;
    check_refused(&p, (double[]){1, 1}, (double[]){0, 0}, "`equation 2`");
    dae_problem q = {
        .unknown_count = 3, .order = pendulum_order, .residual = pendulum};
    double x[] = {0.6, 0, -0.8, 0, 0.8}, xp[] = {-0.48, -0.36, 0};
    check_refused(&q, x, xp, "`equation 3`");
}

/* x' = 1 - x, z^3 + max(z, 0) z = x: at 0 the entry by z is zero, near it is
 * not. */
static dae_status root(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = xp[0] + x[0] - 1;
    res[1] = x[1] * x[1] * x[1] - x[0] + x[1] * (x[1] > 0);
    return DAE_OK;
}

static void an_entry_zero_by_chance_counts(void **state)
{
    (void)state;
    const uint8_t order[] = {1, 0};
    dae_problem p = {.unknown_count = 2, .order = order, .residual = root};
    double end[2];
    dae_diagnostics *ds;
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    (void)run(&p, (double[]){0, 0}, (double[]){1, 0}, 1, end, ds);
    for (size_t k = 0; k < dae_diagnostics_count(ds); k++)
        assert_null(strstr(dae_diagnostics_at(ds, k)->message, "index"));
    dae_diagnostics_free(ds);
}

/* x' + y' = 1, x + y = t: the sum twice, the difference never */
static dae_status sum_twice(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    res[0] = xp[0] + xp[1] - 1;
    res[1] = x[0] + x[1] - t;
    return DAE_OK;
}

static dae_status sum_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *v)
{
    (void)self;
    (void)scope;
    (void)t;
    (void)x;
    (void)xp;
    v[0] = v[1] = v[2] = v[3] = 1;
    return DAE_OK;
}

static const int64_t sum_start[] = {0, 1, 2, 3, 4};
static const int32_t sum_row[] = {1, 1, 0, 0};
static const dae_pattern sum_pattern = {sum_start, sum_row, NULL};

static const dae_diagnostic *refuse(const dae_problem *p, const double *x,
    const double *xp, dae_diagnostics **ds)
{
    double end[8];
    CHECK_STATUS(dae_diagnostics_create(NULL, ds), DAE_OK);
    CHECK_STATUS(run(p, x, xp, 1, end, *ds), DAE_NUMERIC);
    assert_int_equal(dae_diagnostics_count(*ds), 1);
    assert_string_equal(dae_diagnostics_at(*ds, 0)->code, "E0502");
    return dae_diagnostics_at(*ds, 0);
}

static void what_nothing_determines_is_named(void **state)
{
    (void)state;
    dae_diagnostics *ds;
    dae_problem p = {.unknown_count = 2,
        .residual = sum_twice,
        .jacobian = sum_jacobian,
        .pattern = &sum_pattern};
    const dae_diagnostic *d = refuse(
        &p, (double[]){0, 0}, (double[]){1, 0}, &ds);
    assert_non_null(strstr(d->message, "or the solution is not unique"));
    assert_non_null(strstr(d->message, "Equations involved: `equation 2`"));
    assert_non_null(strstr(d->help, "`x[1]`, `x[2]`"));
    dae_diagnostics_free(ds);
    /* the tank has a unique solution, of index 2 */
    dae_problem q = {.unknown_count = 2,
        .order = tank_order,
        .residual = tank,
        .jacobian = tank_jacobian,
        .pattern = &tank_pattern};
    d = refuse(&q, (double[]){1, 1}, (double[]){0, 0}, &ds);
    assert_non_null(strstr(d->message, "the index is 2 or more"));
    assert_non_null(strstr(d->help, "`x[1]`"));
    dae_diagnostics_free(ds);
}

/* x' = -x, x = exp(-t), y + z = 1: x twice, y and z half */
static dae_status twice(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    res[0] = xp[0] + x[0];
    res[1] = x[0] - exp(-t);
    res[2] = x[1] + x[2] - 1;
    return DAE_OK;
}

static void a_singular_structure_is_refused(void **state)
{
    (void)state;
    const uint8_t order[] = {1, 0, 0};
    dae_diagnostics *ds;
    dae_problem p = {.unknown_count = 3, .order = order, .residual = twice};
    const dae_diagnostic *d = refuse(
        &p, (double[]){1, 0.5, 0.5}, (double[]){-1, 0, 0}, &ds);
    assert_non_null(strstr(d->message, "Equations involved: `equation 2`"));
    assert_non_null(strstr(d->help, "`x[2]`, `x[3]`"));
    dae_diagnostics_free(ds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(index_two_is_refused),
        cmocka_unit_test(index_three_is_refused),
        cmocka_unit_test(index_one_runs_in_every_unit),
        cmocka_unit_test(index_two_is_refused_without_a_pattern),
        cmocka_unit_test(an_entry_zero_by_chance_counts),
        cmocka_unit_test(what_nothing_determines_is_named),
        cmocka_unit_test(a_singular_structure_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
