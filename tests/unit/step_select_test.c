/* select.c: one rule a test, without integrating anything. */
#include "check.h"
#include "step/select.h"

/* A selector past its start, at order k with settled differences. */
static selector settled(int k)
{
    selector s;
    selector_init(&s, 5);
    s.is_ramping = false;
    s.order = k;
    s.steps_at_order = k + 1;
    s.accepted = 100;
    return s;
}

/* Estimates that fall by `ratio` from order to order, SAME being `error`. */
static estimates falling(int k, double error, double ratio)
{
    estimates e = {.k = k};
    for (int i = 0; i < ESTIMATE_COUNT; i++) {
        int q = k + i - SAME;
        e.has[i] = q >= 1 && q <= 5;
        e.error[i] = error * pow(ratio, SAME - i);
        e.term[i] = (q + 1) * e.error[i];
    }
    return e;
}

static void an_error_on_its_aim_keeps_the_step(void **state)
{
    (void)state;
    selector s = settled(3);
    estimates e = falling(3, 0.25, 1.5);
    e.has[HIGHER] = 0;
    e.error[LOWER] = e.error[LOWER2] = 10;
    e.term[LOWER] = e.term[LOWER2] = 40;
    CHECK_NEAR(select_after_step(&s, &e), 1, 1e-12);
    assert_int_equal(s.order, 3);
}

static void small_errors_lengthen_within_limits(void **state)
{
    (void)state;
    selector s = settled(2);
    estimates e = falling(2, 0.25 / 8, 50);
    e.has[HIGHER] = 0;
    CHECK_NEAR(select_after_step(&s, &e), 2, 1e-12);
    s = settled(2);
    e = falling(2, 1e-9, 50);
    e.has[HIGHER] = 0;
    CHECK_NEAR(select_after_step(&s, &e), 4, 1e-12);
    /* a gain of less than a fifth is not worth new factors */
    s = settled(2);
    e = falling(2, 0.25 / pow(1.19, 3), 50);
    e.has[HIGHER] = 0;
    CHECK_NEAR(select_after_step(&s, &e), 1, 1e-12);
}

static void large_errors_shorten_within_limits(void **state)
{
    (void)state;
    selector s = settled(2);
    estimates e = falling(2, 0.26, 50);
    e.has[HIGHER] = 0;
    CHECK_NEAR(select_after_step(&s, &e), 0.9, 1e-12);
    s = settled(2);
    e = falling(2, 1, 50);
    e.has[HIGHER] = 0;
    CHECK_NEAR(select_after_step(&s, &e), pow(4, -1 / 3.0), 1e-12);
}

static void tight_tolerances_aim_lower(void **state)
{
    (void)state;
    selector a, b;
    selector_init(&a, 5);
    select_aim(&a, 1e-8);
    selector_init(&b, 5);
    select_aim(&b, 1e-10);
    CHECK_NEAR(a.bias, 4, 1e-12);
    CHECK_NEAR(b.bias, 4 * pow(100, 0.2), 1e-12);
}

static void the_order_rises_where_differences_fall(void **state)
{
    (void)state;
    selector s = settled(3);
    estimates e = falling(3, 0.2, 10);
    select_after_step(&s, &e);
    assert_int_equal(s.order, 4);
    assert_int_equal(s.steps_at_order, 0);
    /* not before enough equal-order steps */
    s = settled(3);
    s.steps_at_order = 2;
    select_after_step(&s, &e);
    assert_int_equal(s.order, 3);
    /* not where the next difference is larger */
    s = settled(3);
    e.term[HIGHER] = 2 * e.term[SAME];
    select_after_step(&s, &e);
    assert_int_equal(s.order, 3);
    /* never above the limit */
    s = settled(5);
    e = falling(5, 0.2, 10);
    select_after_step(&s, &e);
    assert_int_equal(s.order, 5);
}

/* Near the imaginary axis differences stop falling: the guard. */
static void the_order_falls_where_differences_do_not(void **state)
{
    (void)state;
    selector s = settled(5);
    estimates e = falling(5, 0.1, 0.7);
    select_after_step(&s, &e);
    assert_int_equal(s.order, 4);
    /* not right after a lengthened step, whose kink they hold */
    s = settled(5);
    s.grown = 2;
    select_after_step(&s, &e);
    assert_int_equal(s.order, 5);
}

static void a_failed_leap_teaches_shorter_ones(void **state)
{
    (void)state;
    selector s = settled(2);
    estimates small = falling(2, 1e-6, 1000), large = falling(2, 2, 50);
    small.has[HIGHER] = 0;
    CHECK_NEAR(select_after_step(&s, &small), 4, 1e-12);
    double f = select_after_failure(&s, &large, 1);
    CHECK_NEAR(f, 0.9 * pow(8, -1 / 3.0), 1e-12);
    /* held for some steps, then at most the root of what failed */
    int held = 0;
    while ((f = select_after_step(&s, &small)) <= 1 && held < 20) held++;
    assert_in_range(held, 2, 6);
    CHECK_NEAR(f, 2, 1e-12);
}

/* Where no differences are to become smooth the next step but one may be longer. */
static void a_failed_leap_of_one_step_holds_one_step(void **state)
{
    (void)state;
    selector s = settled(3);
    s.only = 3;
    s.safety = 0.85;
    s.grown = 3;
    estimates e = falling(3, 2, 1);
    assert_true(select_after_failure(&s, &e, 1) < 1);
    e = falling(3, 1e-3, 1);
    CHECK_NEAR(select_after_step(&s, &e), 1, 0);
    assert_true(select_after_step(&s, &e) > 1);
}

static void lower_orders_that_fail_are_trusted_less(void **state)
{
    (void)state;
    selector s = settled(2);
    estimates e = falling(2, 0.2, 1);
    e.has[HIGHER] = 0;
    e.error[LOWER] = 0.05, e.term[LOWER] = 1;
    select_after_step(&s, &e);
    assert_int_equal(s.order, 1);
    estimates failed = falling(1, 5, 10);
    select_after_failure(&s, &failed, 1);
    s.order = 2, s.steps_at_order = 3, s.hold = 0;
    select_after_step(&s, &e);
    assert_int_equal(s.order, 2);
}

static void repeated_failures_cut_hard(void **state)
{
    (void)state;
    selector s = settled(4);
    estimates e = falling(4, 1e6, 3);
    CHECK_NEAR(select_after_failure(&s, &e, 1), 0.2, 1e-12);
    assert_int_equal(s.order, 4);
    CHECK_NEAR(select_after_failure(&s, &e, 2), 0.25, 1e-12);
    assert_int_equal(s.order, 3);
    CHECK_NEAR(select_after_failure(&s, &e, 3), 0.25, 1e-12);
    assert_int_equal(s.order, 1);
    assert_false(s.is_ramping);
}

static void a_start_raises_the_order_every_step(void **state)
{
    (void)state;
    selector s;
    selector_init(&s, 5);
    for (int k = 1; k <= 4; k++) {
        estimates e = falling(k, 1e-3, 10);
        assert_int_equal(s.order, k);
        select_after_step(&s, &e);
    }
    assert_int_equal(s.order, 5);
    /* until the differences stop falling */
    selector_start(&s);
    estimates e = falling(1, 1e-3, 10);
    select_after_step(&s, &e);
    e = falling(2, 1e-3, 1.5);
    e.term[SAME] = e.term[LOWER];
    select_after_step(&s, &e);
    assert_false(s.is_ramping);
}

/* At order 3, steps of 1, lengths from 1.5 to 6 to be kept off. */
static selector banned(void)
{
    selector s = settled(3);
    s.length = 1;
    s.banned = 2;
    s.bands[3] = (band){1.5, 6};
    return s;
}

static void steps_keep_off_bands(void **state)
{
    (void)state;
    /* the error would allow 3, and the lower order no more than before */
    estimates e = falling(3, 0.25 / 81, 50);
    e.has[HIGHER] = 0;
    e.error[LOWER] = 0.25;
    selector s = banned();
    CHECK_NEAR(select_after_step(&s, &e), 1.5, 1e-12);
    assert_int_equal(s.order, 3);
    /* 20 is beyond the band, but the limit of 4 is not */
    e.error[SAME] = 0.25 / 160000;
    s = banned();
    CHECK_NEAR(select_after_step(&s, &e), 1.5, 1e-12);
    s = banned();
    s.bands[3].to = 3.9;
    CHECK_NEAR(select_after_step(&s, &e), 4, 1e-12);
    /* inside of it steps are shortened; just inside they may stay */
    s = banned();
    s.bands[3].to = 20;
    s.length = 2;
    CHECK_NEAR(select_after_step(&s, &e), 0.75, 1e-12);
    s = banned();
    s.bands[3].to = 20;
    s.length = 1.55;
    CHECK_NEAR(select_after_step(&s, &e), 1, 1e-12);
}

static void a_band_counts_for_a_while(void **state)
{
    (void)state;
    estimates e = falling(3, 0.25 / 81, 50);
    e.has[HIGHER] = 0;
    e.error[LOWER] = 0.25;
    selector s = banned();
    CHECK_NEAR(select_after_step(&s, &e), 1.5, 1e-12);
    CHECK_NEAR(select_after_step(&s, &e), 1.5, 1e-12);
    s.grown = 1;
    CHECK_NEAR(select_after_step(&s, &e), 3, 1e-12);
    selector_start(&s);
    assert_int_equal(s.banned, 0);
}

/* Where order 2 gets further than a band lets order 3, and 4 by way of 3. */
static void a_held_order_is_left_for_a_freer_one(void **state)
{
    (void)state;
    estimates e = falling(3, 0.25 / 81, 50); /* steps of 3, and of 2: */
    e.has[HIGHER] = 0;
    e.error[LOWER] = 0.25 / 8;
    selector s = settled(3);
    select_after_step(&s, &e);
    assert_int_equal(s.order, 3);
    s = banned();
    select_after_step(&s, &e);
    assert_int_equal(s.order, 2);
    s = banned();
    s.order = 4;
    s.steps_at_order = 5;
    s.bands[3].from = 0.9;
    s.bands[4] = (band){1.5, 6};
    e = falling(4, 0.25 / 243, 50);
    e.has[HIGHER] = 0;
    e.error[LOWER] = 0.25 / 16;
    e.error[LOWER2] = 0.25 / 8;
    select_after_step(&s, &e);
    assert_int_equal(s.order, 3);
    /* without bands order 4 would have stayed */
    s = settled(4);
    select_after_step(&s, &e);
    assert_int_equal(s.order, 4);
}

static void the_order_does_not_rise_into_a_band(void **state)
{
    (void)state;
    selector s = banned();
    s.bands[3] = (band){0};
    s.bands[4] = (band){0.5, 6};
    estimates e = falling(3, 0.2, 10);
    select_after_step(&s, &e);
    assert_int_equal(s.order, 3);
    s.banned = 0;
    select_after_step(&s, &e);
    assert_int_equal(s.order, 4);
}

/* 0.1 radians a step: the errors of ten together are to be what one's may be. */
static void an_oscillation_that_keeps_its_amplitude_takes_shorter_steps(
    void **state)
{
    (void)state;
    selector s = settled(5);
    CHECK_NEAR(select_part(&s, 1), 1, 0);
    s.length = 1;
    s.turning = 0.1;
    s.turns = 2;
    CHECK_NEAR(select_part(&s, 1), 0.1, 1e-15);
    CHECK_NEAR(select_part(&s, 20), 1, 0);
    estimates e = falling(5, 0.1 / s.bias, 10);
    CHECK_NEAR(select_after_step(&s, &e), 1, 1e-12);
    /* ten times above the aim, which falls with the step */
    e = falling(5, 1 / s.bias, 10);
    CHECK_NEAR(pow(select_after_step(&s, &e), 5), 0.1, 1e-12);
    CHECK_NEAR(select_part(&s, 1), 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_on_its_aim_keeps_the_step),
        cmocka_unit_test(small_errors_lengthen_within_limits),
        cmocka_unit_test(large_errors_shorten_within_limits),
        cmocka_unit_test(tight_tolerances_aim_lower),
        cmocka_unit_test(the_order_rises_where_differences_fall),
        cmocka_unit_test(the_order_falls_where_differences_do_not),
        cmocka_unit_test(a_failed_leap_teaches_shorter_ones),
        cmocka_unit_test(a_failed_leap_of_one_step_holds_one_step),
        cmocka_unit_test(lower_orders_that_fail_are_trusted_less),
        cmocka_unit_test(repeated_failures_cut_hard),
        cmocka_unit_test(a_start_raises_the_order_every_step),
        cmocka_unit_test(steps_keep_off_bands),
        cmocka_unit_test(a_band_counts_for_a_while),
        cmocka_unit_test(a_held_order_is_left_for_a_freer_one),
        cmocka_unit_test(the_order_does_not_rise_into_a_band),
        cmocka_unit_test(
            an_oscillation_that_keeps_its_amplitude_takes_shorter_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
