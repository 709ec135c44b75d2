/* response.c: motions of a linear system whose rates are known by hand. */
#include "check.h"
#include "methods/bdf.h"
#include "newton/response.h"
#include "run/engine.h"

/* q'' + 5 q' + 6 q = 0: rates -2 and -3; z = q + 2 q' + u, algebraic; u' = -7 u;
 * w''' + 7 w'' + 14 w' + 8 w = 0: rates -1, -2 and -4. */
enum { Q, QP, ZZ, U, W, WP, WPP, STATES, UNKNOWNS = 4 };
static const uint8_t orders[UNKNOWNS] = {2, 0, 1, 3};

static dae_status residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    res[0] = xp[0] + 5 * x[QP] + 6 * x[Q];
    res[1] = x[Q] + 2 * x[QP] + x[U] - x[ZZ];
    res[2] = xp[2] + 7 * x[U];
    res[3] = xp[3] + 7 * x[WPP] + 14 * x[WP] + 8 * x[W];
    return DAE_OK;
}

static const dae_problem problem = {
    .unknown_count = UNKNOWNS, .order = orders, .residual = residual};

static void check_mode(newton *nw, double rate, const double *v)
{
    double y[STATES], alpha;
    CHECK_STATUS(newton_response(nw, NULL, v, y, &alpha), DAE_OK);
    assert_true(alpha > 0);
    /* coefficients are differences, known to some 1e-8 */
    for (int i = 0; i < STATES; i++)
        CHECK_NEAR(y[i], v[i] / (alpha - rate), 1e-6 / alpha);
}

static void modes_come_back_divided(void **state)
{
    (void)state;
    const dae_options o = dae_options_default();
    dae_stats stats = {0};
    engine *e;
    CHECK_STATUS(engine_create(&problem, &o, bdf_formula(), NULL, &stats,
                     dae_allocator_default(), NULL, &e),
        DAE_OK);
    double y[STATES], alpha = 1;
    const double two[STATES] = {1, -2, -3, 0, 1, -2, 4};
    const double three[STATES] = {1, -3, -5}, seven[STATES] = {0, 0, 1, 1};
    const double four[STATES] = {[W] = 1, [WP] = -4, [WPP] = 16};
    /* before there are factors there is no answer */
    CHECK_STATUS(newton_response(&e->newton, NULL, two, y, &alpha), DAE_OK);
    assert_true(alpha <= 0);
    const double x[STATES] = {1, 0, 2, 1, 1}, xp[] = {-6, 0, -7, -8};
    stepper_start(&e->stepper, 0, x, xp, 1, 1e-3, 1);
    e->stepper.t_end = HUGE_VAL;
    for (int i = 0; i < 10; i++)
        assert_int_equal(stepper_step(&e->stepper), STEP_FINE);
    check_mode(&e->newton, -2, two);
    check_mode(&e->newton, -3, three);
    check_mode(&e->newton, -7, seven);
    check_mode(&e->newton, -4, four);
    engine_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_come_back_divided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
