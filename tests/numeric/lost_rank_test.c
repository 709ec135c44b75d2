/* Runs that come to a place where the equations stop determining a derivative:
 * they stop there and say which, instead of going on with some solution. The
 * places are known in closed form. */
#include "support/text_run.h"

static void run_text(text_run *r, const char *text, double tolerance)
{
    dae_options o = dae_options_default();
    o.rtol = o.atol = tolerance;
    text_run_make(r, text, &o);
}

typedef struct lost_case {
    const char *text;
    const char *equation, *unknown;
    double t; /* where rank is lost, by hand */
} lost_case;

/* The last diagnostic is E0502 and speaks of both. */
static void check_lost(
    const text_run *r, const char *equation, const char *unknown)
{
    const size_t count = dae_diagnostics_count(r->ds);
    assert_true(count > 0);
    const dae_diagnostic *d = dae_diagnostics_at(r->ds, count - 1);
    CHECK_STATUS(r->status, DAE_NUMERIC);
    assert_string_equal(d->code, "E0502");
    assert_non_null(strstr(d->message, "lose rank"));
    assert_non_null(strstr(d->message, equation));
    assert_non_null(strstr(d->message, unknown));
}

/* x = sqrt(1 - 2 t) ends at t = 1/2. */
static void an_impasse_is_named(void **state)
{
    const double tolerances[] = {1e-4, 1e-6, 1e-8, 1e-10};
    (void)state;
    for (size_t k = 0; k < 4; k++) {
        text_run r;
        run_text(&r,
            "var x = 1, y = 1\nfall: x*x' = -y\ny' = 0\nsolve t in 0..1\n",
            tolerances[k]);
        check_lost(&r, "`fall`", "`x'`");
        assert_true(r.t > 0.49 && r.t < 0.5 + 100 * tolerances[k]);
        text_run_clear(&r);
    }
}

/* x = sin(2 t) stands still at t = pi/4, where x' = 0 may go on as 0. */
static void a_turning_point_is_not_crossed_in_silence(void **state)
{
    const double turns = 0.78539816339744831;
    const double tolerances[] = {1e-3, 1e-6, 1e-9};
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        text_run r;
        run_text(&r,
            "var x = 0\ninit x' ~ 2\nenergy: x'^2/2 + 2*x^2 = 2\n"
            "solve t in 0..3\n",
            tolerances[k]);
        check_lost(&r, "`energy`", "`x'`");
        /* a change of sign is believed where x' is a quarter of what it was:
         * sin(2 (t - pi/4)) = 1/4 at 0.127 after the place; and a few steps */
        assert_true(r.t > turns - 0.05 && r.t < turns + 0.35);
        text_run_clear(&r);
    }
}

/* The same at steps of one length, with which backward Euler's method ends at x = 1,
 * x' = 0 and stays there, and the other formulas go on with the oscillation; the
 * first point is their own or comes from another integration. */
static void steps_of_one_length_do_not_cross_it_either(void **state)
{
    const double turns = 0.78539816339744831;
    (void)state;
    for (int k = 0; k < 15; k++) {
        text_run r;
        dae_options o = dae_options_default();
        o.step = (double[]){0.1, 0.01, 1e-3}[k / 5];
        o.max_order = k % 5 + 1;
        text_run_make(&r,
            "var x = 0\ninit x' ~ 2\nenergy: x'^2/2 + 2*x^2 = 2\n"
            "solve t in 0..3\n",
            &o);
        check_lost(&r, "`energy`", "`x'`");
        /* Euler's slope halves in a step where it is as large as two steps, and
         * is squared from there on */
        assert_true(r.t > turns - o.step
            && r.t < turns + (o.max_order == 1 ? 10 : 3) * o.step);
        text_run_clear(&r);
    }
}

/* q = sqrt(h1 - h2) comes to 0 at t = 1, and backward Euler's method stays there: from
 * any two levels, as they differ by 1. */
static void a_flow_that_ends_is_named_at_steps_of_one_length(void **state)
{
    (void)state;
    for (int k = 0; k < 12; k++) {
        char text[200];
        text_run r;
        dae_options o = dae_options_default();
        o.step = (double[]){0.05, 0.01, 1e-4}[k % 3];
        o.max_order = k / 3 % 2 + 1;
        const double low = k < 6 ? 0.5 : 50;
        snprintf(text, sizeof text,
            "var h1 = %g, h2 = %g, q ~ 1\nh1' = -q\nh2' = q\n"
            "level: q^2 = h1 - h2\nsolve t in 0..3\n",
            low + 1, low);
        text_run_make(&r, text, &o);
        check_lost(&r, "`level`", "`q`");
        assert_true(r.t > 1 - o.step && r.t < 1 + 10 * o.step);
        text_run_clear(&r);
    }
}

/* The coefficient of x' is positive for ever, but small in between. */
static void what_comes_close_is_no_loss(void **state)
{
    text_run r;
    (void)state;
    run_text(&r,
        "var x = 1\n(1e-3 + (t - 1)^2)*x' = -x*(1e-3 + (t - 1)^2)\n"
        "solve t in 0..2\n",
        1e-6);
    CHECK_STATUS(r.status, DAE_OK);
    assert_true(fabs(r.x[0] - exp(-2)) < 1e-5);
    text_run_clear(&r);
}

/* The determinant of [[0 m], [m 0]] is -m^2: rows in another order than their
 * unknowns. */
static void the_order_of_equations_is_no_sign(void **state)
{
    text_run r;
    (void)state;
    run_text(&r,
        "var x = 1, y = 0\n(2 + sin(x))*y' = (2 + sin(x))*x\n"
        "(2 + cos(y))*x' = -(2 + cos(y))*y\nsolve t in 0..6\n",
        1e-8);
    CHECK_STATUS(r.status, DAE_OK);
    assert_true(fabs(r.x[0] - cos(6)) < 1e-5 && fabs(r.x[1] - sin(6)) < 1e-5);
    text_run_clear(&r);
}

/* A coefficient that changes its sign by a switch was never 0. */
static void a_switch_is_no_loss(void **state)
{
    text_run r;
    (void)state;
    run_text(&r,
        "var x = 1\n(if t < 1 then 1 else -1)*x' = (if t < 1 then -x else x)\n"
        "solve t in 0..2\n",
        1e-6);
    CHECK_STATUS(r.status, DAE_OK);
    assert_true(fabs(r.x[0] - exp(-2)) < 1e-4);
    text_run_clear(&r);
}

/* x = 1 - t solves it, and so does x = t - 1 from t = 1 on, where the derivative
 * of the constraint has nothing to say of x'. */
static void a_branch_of_a_constraint_is_named(void **state)
{
    static const dae_reduce ways[] = {
        DAE_REDUCE_AUTO, DAE_REDUCE_PROJECT, DAE_REDUCE_STABILIZE};
    (void)state;
    for (size_t k = 0; k < 6; k++) {
        text_run r;
        double t = 0;
        dae_options o = dae_options_default();
        o.rtol = o.atol = k < 3 ? 1e-4 : 1e-8;
        o.reduce = ways[k % 3];
        text_run_make(&r,
            "var x ~ 1, y ~ -1\nx' = y\nsquare: x^2 = (1 - t)^2\n"
            "solve t in 0..2\n",
            &o);
        check_lost(&r, "`square'`", "`x'`");
        const dae_diagnostic *d = dae_diagnostics_at(
            r.ds, dae_diagnostics_count(r.ds) - 1);
        assert_int_equal(sscanf(d->message, "near t = %lf", &t), 1);
        CHECK_NEAR(t, 1, 0.02);
        text_run_clear(&r);
    }
}

/* x = cos t: where x = 0 it has nothing to do with y, and the pick has to be
 * another one; the rank stays. */
static void a_bad_pick_is_no_loss(void **state)
{
    static const dae_reduce ways[] = {
        DAE_REDUCE_AUTO, DAE_REDUCE_PROJECT, DAE_REDUCE_STABILIZE};
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        text_run r;
        dae_options o = dae_options_default();
        o.rtol = o.atol = 1e-6;
        o.reduce = ways[k];
        text_run_make(&r,
            "var x = 1, y ~ 0, s ~ 0\nx' = -y + s*x\ny' = x + s*y\n"
            "circle: x^2 + y^2 = 1\nsolve t in 0..20\n",
            &o);
        CHECK_STATUS(r.status, DAE_OK);
        assert_true(fabs(r.x[0] - cos(20)) < 1e-3);
        assert_true(fabs(r.x[1] - sin(20)) < 1e-3);
        text_run_clear(&r);
    }
}

/* Nothing of these is seen by Newton's method: its predictions are good on both
 * sides. A tank with w = 1 - t/2 that fills again; a slider crank with r = l, of
 * index 1 and of 3 with masses; a parallelogram that goes through its flat
 * position a = b = 0; two lines that cross; two tanks that come level. */
static const lost_case silent[] = {
    {"var h = 1, w ~ 1\nh' = -w\nflow: w^2 = h\nsolve t in 0..3\n", "`flow`",
        "`w`", 2},
    {"var phi, x ~ 2, psi ~ 0\nphi = t\nx = cos(phi) + cos(psi)\n"
     "rod: 0 = sin(phi) - sin(psi)\nsolve t in 0..3\n",
        "`rod`", "`psi`", 1.5707963267948966},
    {"var a = -1, b ~ -1, wa = 2, l\na' = wa\n"
     "wa' = -l*2*((2 + cos(b) - cos(a))*sin(a) - (sin(b) - sin(a))*cos(a))\n"
     "turn: b'' = -l*2*(-(2 + cos(b) - cos(a))*sin(b)"
     " + (sin(b) - sin(a))*cos(b))\n"
     "(2 + cos(b) - cos(a))^2 + (sin(b) - sin(a))^2 = 4\n"
     "solve t in 0..1\n",
        "", "`l`", 0.5},
    {"var x = -1, z ~ -1\nx' = 1\ncross: z^2 = x^2\nsolve t in 0..2\n",
        "`cross`", "`z`", 1},
    {"var x = -1, z ~ -1\nx' = 1\ncube: z^3 = x^3\nsolve t in 0..2\n", "`cube`",
        "`z`", 1},
    {"var h1 = 1.5, h2 = 0.5, q ~ 1\nh1' = -q\nh2' = q\n"
     "level: q^2 = h1 - h2\nsolve t in 0..3\n",
        "`level`", "`q`", 1},
};

/* It stops within a step or two of the place, and says where it is. */
static void what_steps_do_not_see_is_named(void **state)
{
    static const double tolerances[] = {1e-4, 1e-6, 1e-8, 1e-10};
    (void)state;
    for (size_t k = 0; k < sizeof silent / sizeof *silent; k++)
        for (size_t i = 0; i < 4; i++) {
            const lost_case *c = &silent[k];
            text_run r;
            double t = 0;
            run_text(&r, c->text, tolerances[i]);
            check_lost(&r, c->equation, c->unknown);
            const dae_diagnostic *d = dae_diagnostics_at(
                r.ds, dae_diagnostics_count(r.ds) - 1);
            assert_int_equal(sscanf(d->message, "near t = %lf", &t), 1);
            CHECK_NEAR(t, c->t, 1e-3);
            assert_true(r.t < c->t + 0.3);
            text_run_clear(&r);
        }
}

/* With the masses 1 the crank goes round as it does alone until the rods lie in
 * one line with the slider's way across: a determinant that touches 0. The sum of
 * energies 1/2 (w^2 + x'^2) = 1/2, x' = -2 w sin(phi), gives
 * t = integral of sqrt(1 + 4 sin(phi)^2), phi = 0..pi/2: 2.6351836. */
static void a_singular_position_is_named(void **state)
{
    static const double tolerances[] = {1e-4, 1e-6, 1e-8, 1e-10};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        text_run r;
        double t = 0;
        run_text(&r,
            "var phi = 0, w = 1, x ~ 2, psi ~ 0, l1, l2\nphi' = w\n"
            "w' = -l1*sin(phi) + l2*cos(phi)\nx = cos(phi) + cos(psi)\n"
            "0 = sin(phi) - sin(psi)\nx'' = -l1\n"
            "0 = -l1*sin(psi) - l2*cos(psi)\nsolve t in 0..5\n",
            tolerances[i]);
        check_lost(&r, "", "");
        const dae_diagnostic *d = dae_diagnostics_at(
            r.ds, dae_diagnostics_count(r.ds) - 1);
        assert_int_equal(sscanf(d->message, "near t = %lf", &t), 1);
        CHECK_NEAR(t, 2.6351836, 2e-3);
        text_run_clear(&r);
    }
}

/* At index 2 and 3: y = 3 u - u^3 has its top 2 at u = 1; x = 1.2 sin(t) leaves
 * the circle at sin(t) = 1/1.2. */
static void an_impasse_of_higher_index_is_named(void **state)
{
    static const lost_case cases[] = {
        {"var y, u ~ 0, w\nu' = w\ny = t\ntop: y = 3*u - u^3\n"
         "solve t in 0..3\n",
            "`top'`", "`u'`", 2},
        {"var x, y ~ -1, f, l\nx'' = -l*x + f\ny'' = -l*y - 9.81\n"
         "circle: x^2 + y^2 = 1\nx = 1.2*sin(t)\nsolve t in 0..2\n",
            "`circle''`", "`y''`", 0.98511078333774575},
    };
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        text_run r;
        run_text(&r, cases[k].text, 1e-6);
        check_lost(&r, cases[k].equation, cases[k].unknown);
        CHECK_NEAR(r.t, cases[k].t, 1e-4);
        text_run_clear(&r);
    }
}

/* Equations whose constraints only numbers tell: with p = x + v^2 and a function q
 * of v their sum is 2 p + 3 q = 0, so that q = t has its top 2 at v = 1, and
 * q = v^2 = (1 - t)^2 its branches at v = 0. The coefficient of v' in each of
 * the two is 0 at other places as well, and so is that of x2' below, where the
 * other one stands in. */
static void a_hidden_loss_is_named(void **state)
{
    static const struct {
        const char *q, *sum, *guess;
        double t;
    } cases[] = {
        {"(3*v - v^3)", "t", "0", 2},
        {"(v^2)", "(1 - t)^2", "1", 1},
    };
    static const double tolerances[] = {1e-4, 1e-6, 1e-8};
    char text[400];
    (void)state;
    for (size_t k = 0; k < 6; k++) {
        const char *q = cases[k % 2].q, *sum = cases[k % 2].sum;
        text_run r;
        double t = 0;
        snprintf(text, sizeof text,
            "var x, v ~ %s\n"
            "2*(x + v^2)' - (x + v^2) + 3*%s' - %s = %s/2\n"
            "-2*(x + v^2)' - (x + v^2) - 3*%s' - 2*%s = -%s/2\n"
            "solve t in 0..3\n",
            cases[k % 2].guess, q, q, sum, q, q, sum);
        run_text(&r, text, tolerances[k / 2]);
        check_lost(&r, "", "");
        const dae_diagnostic *d = dae_diagnostics_at(
            r.ds, dae_diagnostics_count(r.ds) - 1);
        assert_int_equal(sscanf(strstr(d->message, "t = "), "t = %lf", &t), 1);
        CHECK_NEAR(t, cases[k % 2].t, 0.02);
        text_run_clear(&r);
    }
}

/* 2 p + 3 x2 = 0 with p = x1 + x2^2 and x2 = 2 cos 2t; and p - x4, x2 + 2 x4 from
 * (p - x4)' + p - x4 = e^-t, (x2 + 2 x4)' + x2 + 2 x4 = 1 + t, x4 = cos 2t. */
static void one_coefficient_is_no_rank(void **state)
{
    static const double tolerances[] = {1e-5, 1e-7, 1e-9};
    static const double ends[] = {1, 2, 5};
    char text[600];
    (void)state;
    for (size_t k = 0; k < 9; k++) {
        const double e = tolerances[k / 3], t = ends[k % 3], c = cos(2 * t);
        text_run r;
        snprintf(text, sizeof text,
            "var x1, x2\n"
            "2*(x1+x2^2)' - (x1+x2^2) + 3*x2' - x2 = cos(2*t)\n"
            "-2*(x1+x2^2)' - (x1+x2^2) - 3*x2' - 2*x2 = -cos(2*t)\n"
            "solve t in 0..%g\n",
            t);
        run_text(&r, text, e);
        CHECK_STATUS(r.status, DAE_OK);
        CHECK_NEAR(r.x[0], -3 * c - 4 * c * c, 1000 * e);
        CHECK_NEAR(r.x[1], 2 * c, 1000 * e);
        text_run_clear(&r);
        snprintf(text, sizeof text,
            "var x1, x2, x3, x4\n-x2' - x2 - 2*x4' - 2*x4 = -1 - t\n"
            "x3 + x4' = 1 + t\n"
            "3*(x1+x2^2)' + 3*(x1+x2^2) + 2*x3 - x4' - x4 = 3*exp(-t) + 2 "
            "+ 2*t + 2*cos(2*t)\n"
            "(x1+x2^2)' + x1 + x2^2 + 2*x2' + 2*x2 + x3 + 4*x4' + 4*x4 = "
            "exp(-t) + 3 + 3*t + cos(2*t)\n"
            "init x1 + x2^2 - x4 = 0.5\ninit x2 + 2*x4 = 0.5\n"
            "solve t in 0..%g\n",
            t);
        run_text(&r, text, e);
        const double x2 = t + 0.5 * exp(-t) - 2 * c;
        CHECK_STATUS(r.status, DAE_OK);
        CHECK_NEAR(r.x[0], (t + 0.5) * exp(-t) + c - x2 * x2, 2000 * e);
        CHECK_NEAR(r.x[1], x2, 1000 * e);
        CHECK_NEAR(r.x[3], c, 1000 * e);
        text_run_clear(&r);
    }
}

/* Beside the cases above, rank kept: w = sqrt((t - 1)^2 + e^2), and a crank with
 * a rod longer by a share e, whose psi turns back at phi = pi/2. */
static void what_nearly_loses_rank_goes_on(void **state)
{
    static const double shares[] = {0.1, 0.01, 1e-3};
    char text[400];
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        const double e = shares[k];
        text_run r;
        snprintf(text, sizeof text,
            "var s = -1, w ~ 1\ns' = 1\nw^2 = s^2 + %g^2\n"
            "solve t in 0..2\n",
            e);
        run_text(&r, text, 1e-8);
        CHECK_STATUS(r.status, DAE_OK);
        CHECK_NEAR(r.x[1], sqrt(1 + e * e), 1e-6);
        text_run_clear(&r);
        snprintf(text, sizeof text,
            "var phi, x ~ 2, psi ~ 0\nphi = t\n"
            "x = cos(phi) + (1 + %g)*cos(psi)\n"
            "0 = sin(phi) - (1 + %g)*sin(psi)\nsolve t in 0..3\n",
            e, e);
        run_text(&r, text, 1e-8);
        CHECK_STATUS(r.status, DAE_OK);
        CHECK_NEAR(r.x[2], asin(sin(3) / (1 + e)), 1e-6);
        text_run_clear(&r);
    }
}

/* What decays to 0 gets there for t to infinity only; and one that comes down
 * to a hundredth again and again. */
static void what_becomes_small_is_no_loss(void **state)
{
    static const char *const texts[] = {
        "var x = 1, z ~ 1\nx' = -x\nx*z = x\nsolve t in 0..40\n",
        "var x = 1, z ~ 1\nx' = -x\nz^2 = x^2 + 1e-30\nsolve t in 0..10\n",
        ("var z ~ 1, y = 0\n(1.01 + sin(3*t))*z = (1.01 + sin(3*t))*(1 + y)\n"
         "y' = 0\nsolve t in 0..30\n"),
    };
    (void)state;
    for (size_t k = 0; k < 15; k++) {
        text_run r;
        dae_options o = dae_options_default();
        o.rtol = o.atol = 1e-6;
        if (k >= 3) { /* at steps of one length too */
            o.step = 0.05;
            o.max_order = (int)(k / 3);
        }
        text_run_make(&r, texts[k % 3], &o);
        CHECK_STATUS(r.status, DAE_OK);
        text_run_clear(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_impasse_is_named),
        cmocka_unit_test(a_turning_point_is_not_crossed_in_silence),
        cmocka_unit_test(steps_of_one_length_do_not_cross_it_either),
        cmocka_unit_test(a_flow_that_ends_is_named_at_steps_of_one_length),
        cmocka_unit_test(what_comes_close_is_no_loss),
        cmocka_unit_test(the_order_of_equations_is_no_sign),
        cmocka_unit_test(a_switch_is_no_loss),
        cmocka_unit_test(a_branch_of_a_constraint_is_named),
        cmocka_unit_test(a_bad_pick_is_no_loss),
        cmocka_unit_test(what_steps_do_not_see_is_named),
        cmocka_unit_test(a_singular_position_is_named),
        cmocka_unit_test(an_impasse_of_higher_index_is_named),
        cmocka_unit_test(a_hidden_loss_is_named),
        cmocka_unit_test(one_coefficient_is_no_rank),
        cmocka_unit_test(what_nearly_loses_rank_goes_on),
        cmocka_unit_test(what_becomes_small_is_no_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
