/* Where rank is lost in blocks of many unknowns, in systems that are reduced by
 * numbers, and in models with switches: the run stops near the place, which is
 * known in closed form, and does not creep there first. Large blocks are copies
 * of small ones that a regular matrix, 1 and 0.1 in a ring, mixes. */
#include "support/text_run.h"

typedef struct lost_case {
    const char *text;
    const char *equation, *unknown; /* "": any */
    double t;
    double within[3]; /* at 1e-4, 1e-6, 1e-8 the message's t */
    int64_t steps;    /* at most */
    dae_reduce reduce;
} lost_case;

#define NEXT "[if k < n then k+1 else 1]"

static double place_in(const dae_diagnostic *d)
{
    double t = (double)NAN;
    if (sscanf(d->message, "near t = %lf", &t) != 1)
        assert_int_equal(sscanf(d->message, "at t = %lf", &t), 1);
    return t;
}

static void check_case(const lost_case *c)
{
    static const double tolerances[] = {1e-4, 1e-6, 1e-8};
    for (size_t k = 0; k < 3; k++) {
        text_run r;
        dae_options o = dae_options_default();
        o.rtol = o.atol = tolerances[k];
        o.reduce = c->reduce;
        text_run_make(&r, c->text, &o);
        const size_t count = dae_diagnostics_count(r.ds);
        assert_true(count > 0);
        const dae_diagnostic *d = dae_diagnostics_at(r.ds, count - 1);
        CHECK_STATUS(r.status, DAE_NUMERIC);
        assert_string_equal(d->code, "E0502");
        assert_non_null(strstr(d->message, "lose rank"));
        assert_non_null(strstr(d->message, c->equation));
        assert_non_null(strstr(d->message, c->unknown));
        CHECK_NEAR(place_in(d), c->t, c->within[k]);
        assert_true(r.stats.steps <= c->steps);
        text_run_clear(&r);
    }
}

/* w = sqrt(h(0)) - t/2: the first of 30 tanks is dry at t = 2, the others at 4;
 * sqrt(x(0)^2 - 2 t) ends at 1/2 first, and the folds of 3 u - u^3 at t = 2 k. */
static void large_blocks_are_watched(void **state)
{
    static const lost_case cases[] = {
        {"param n = 30\nvar h[n], w[k in 1..n] ~ (if k == 1 then 1 else 2)\n"
         "init h[k] = (if k == 1 then 1 else 4) for k in 1..n\n"
         "h[k]' = -w[k] for k in 1..n\n"
         "flow: w[k]^2 - h[k] + 0.1*(w" NEXT "^2 - h" NEXT ") = 0 for k in "
         "1..n\nsolve t in 0..3\n",
            "`flow[1]`", "`w[1]`", 2, {1e-3, 1e-3, 1e-3}, 100, 0},
        {"param n = 30\nvar x[n]\n"
         "init x[k] = (if k == 1 then 1 else 3) for k in 1..n\n"
         "fall: x[k]*x[k]' + 1 + 0.1*(x" NEXT "*x" NEXT "' + 1) = 0 for k in "
         "1..n\nsolve t in 0..1\n",
            "`fall[1]`", "`x[1]'`", 0.5, {1e-2, 1e-4, 1e-6}, 1000, 0},
        {"param n = 30\nvar y[n], u[n] ~ 0, w[n]\nu[k]' = w[k] for k in 1..n\n"
         "y[k] = t/k for k in 1..n\n"
         "top: y[k] - 3*u[k] + u[k]^3 + 0.1*(y" NEXT " - 3*u" NEXT " + u" NEXT
         "^3) = 0 for k in 1..n\nsolve t in 0..3\n",
            "`top[1]'`", "`u[1]'`", 2, {1e-2, 1e-4, 1e-6}, 1000, 0},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        check_case(&cases[k]);
}

/* All 30 tanks at once: the determinant keeps its sign. */
static void many_ranks_at_once_are_seen(void **state)
{
    static const lost_case c = {
        "param n = 30\nvar h[n] = 1, w[n] ~ 1\nh[k]' = -w[k] for k in 1..n\n"
        "flow: w[k]^2 - h[k] + 0.1*(w" NEXT "^2 - h" NEXT ") = 0 for k in "
        "1..n\nsolve t in 0..3\n",
        "`flow[", "`w[", 2, {1e-2, 1e-3, 1e-3}, 100, 0};
    (void)state;
    check_case(&c);
}

/* A ring of 30 whose w = sqrt((t - 1)^2 + e^2) turns back. */
static void what_nearly_loses_rank_goes_on(void **state)
{
    static const double shares[] = {0.1, 0.01, 1e-3};
    char text[400];
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        const double e = shares[k];
        text_run r;
        dae_options o = dae_options_default();
        o.rtol = o.atol = 1e-8;
        snprintf(text, sizeof text,
            "param n = 30\nvar s = -1, w[n] ~ 1\ns' = 1\n"
            "w[k]^2 - s^2 - (k*%g)^2 + 0.1*(w" NEXT
            "^2 - s^2 - ((if k < n then k + 1 else 1)*%g)^2) = 0 for k in "
            "1..n\nsolve t in 0..2\n",
            e, e);
        text_run_make(&r, text, &o);
        CHECK_STATUS(r.status, DAE_OK);
        CHECK_NEAR(r.x[1], sqrt(1 + e * e), 1e-6);
        text_run_clear(&r);
    }
}

/* y = t hides in the sum of two equations of which each has u' and w: the
 * structure does not tell. Fold at t = 2 as above. */
static void what_is_reduced_by_numbers_is_watched(void **state)
{
    static const lost_case c = {
        "var y, u ~ 0, w\na: y + u' - w = t\nb: u' = w\ntop: y = 3*u - u^3\n"
        "solve t in 0..3\n",
        "`top", "`", 2, {1e-2, 1e-4, 1e-6}, 1000, 0};
    (void)state;
    check_case(&c);
}

/* A tank that would fill again, and an end, beside a switch and a kink that have
 * nothing to do with either. How many shortest steps an end takes is a matter of
 * rounding: some hundred to some thousand. */
static void models_with_switches_are_watched(void **state)
{
    static const lost_case cases[] = {
        {"var h = 1, w ~ 1, s = 0\nh' = -w\nflow: w^2 = h\n"
         "s' = if t < 1 then 1 else 2\nsolve t in 0..3\n",
            "`flow`", "`w`", 2, {1e-3, 1e-3, 1e-3}, 200, 0},
        {"var x = 1, y = 1, s = 0\nfall: x*x' = -y\ny' = 0\n"
         "s' = abs(t - 0.25)\nsolve t in 0..1\n",
            "`fall`", "`x'`", 0.5, {1e-2, 1e-4, 1e-6}, 5000, 0},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        check_case(&cases[k]);
}

/* The tank of above at steps of one length, whose grid holds the place: w is left at a
 * rounding of 0 by one step and has the other sign after the next. */
static void a_place_on_the_grid_is_no_jump(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        text_run r;
        dae_options o = dae_options_default();
        o.step = k % 2 ? 2e-3 : 0.01;
        o.max_order = k / 2 + 2;
        text_run_make(&r,
            "var h = 1, w ~ 1, s = 0\nh' = -w\nflow: w^2 = h\n"
            "s' = if t < 1 then 1 else 2\nsolve t in 0..3\n",
            &o);
        CHECK_STATUS(r.status, DAE_NUMERIC);
        const dae_diagnostic *d = dae_diagnostics_at(
            r.ds, dae_diagnostics_count(r.ds) - 1);
        assert_string_equal(d->code, "E0502");
        assert_non_null(strstr(d->message, "`flow`"));
        assert_true(fabs(r.t - 2) < 3 * o.step);
        text_run_clear(&r);
    }
}

/* q|q| = cos(t) has q = 0 at pi/2 and goes on; a coefficient that jumps from 1 to
 * -1, in a ring of 30 as well, was never 0. */
static void switches_are_no_loss(void **state)
{
    static const char *const texts[] = {
        "var x = 0, q ~ 1\nx' = 1 + 0*q\nq*abs(q) = cos(x)\nsolve t in 0..3\n",
        "var x = 1\n(if t < 1 then 1 else -1)*x' = (if t < 1 then -x else x)\n"
        "solve t in 0..2\n",
        "param n = 31\nvar x[n] = 1, c\nc = if t < 1 then 1 else -1\n"
        "c*(x[k]' + x[k]) + 0.1*c*(x" NEXT "' + x" NEXT ") = 0 for k in 1..n\n"
        "solve t in 0..2\n",
    };
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        text_run r;
        dae_options o = dae_options_default();
        o.rtol = o.atol = 1e-6;
        text_run_make(&r, texts[k], &o);
        CHECK_STATUS(r.status, DAE_OK);
        CHECK_NEAR(r.x[0], k == 0 ? 3 : exp(-2), 1e-4);
        text_run_clear(&r);
    }
}

/* Steps that shrink with what is left up to an end are not taken up to the last
 * bit of t: at index 3, where x = 1.2 sin(t) leaves the circle. */
static void an_end_is_not_crept_up_to(void **state)
{
    static const lost_case cases[] = {
        {"var x, y ~ -1, f, l\nx'' = -l*x + f\ny'' = -l*y - 9.81\n"
         "circle: x^2 + y^2 = 1\nx = 1.2*sin(t)\nsolve t in 0..2\n",
            "`circle''`", "`y''`", 0.98511078333774575, {1e-3, 1e-5, 1e-5},
            1700, 0},
        {"var y, u ~ 0, w\nu' = w\ny = t\ntop: y = 3*u - u^3\n"
         "solve t in 0..3\n",
            "`top'`", "`u'`", 2, {1e-3, 1e-5, 1e-6}, 800, 0},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        check_case(&cases[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_blocks_are_watched),
        cmocka_unit_test(many_ranks_at_once_are_seen),
        cmocka_unit_test(what_nearly_loses_rank_goes_on),
        cmocka_unit_test(what_is_reduced_by_numbers_is_watched),
        cmocka_unit_test(models_with_switches_are_watched),
        cmocka_unit_test(a_place_on_the_grid_is_no_jump),
        cmocka_unit_test(switches_are_no_loss),
        cmocka_unit_test(an_end_is_not_crept_up_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
