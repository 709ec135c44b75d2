/* What a Jacobian's age does to the rate of Newton's method. Numbers by hand
 * from the rules in newton/ageing.h: first guesses 0.02 and 0.03 a step. */
#include "check.h"
#include "newton/ageing.h"

static ageing started(void)
{
    ageing a = {.is_watched = true};
    ageing_start(&a);
    return a;
}

static void rate_grows_with_age_and_distance(void **state)
{
    (void)state;
    ageing a = started();
    CHECK_NEAR(ageing_rate(&a, 0, 0), 0.02, 1e-12);
    CHECK_NEAR(ageing_rate(&a, 5, 0), 0.17, 1e-12);
    CHECK_NEAR(ageing_rate(&a, 5, 100), 0.17, 1e-12); /* none was measured */
    double leverage = 1;
    ageing_learn(
        &a, &(measured_rate){.rate = 0.17, .first = 2, .age = 5}, &leverage);
    CHECK_NEAR(ageing_rate(&a, 5, 1), 0.17, 1e-12);
    CHECK_NEAR(ageing_rate(&a, 5, 6), 3 * 0.17, 1e-12);
    CHECK_NEAR(ageing_expected(&a, 5, 6, 0.1), 1.75 * 0.61, 1e-12);
}

static void bad_news_count_at_once_good_news_in_part(void **state)
{
    (void)state;
    ageing a = started();
    double leverage = 1;
    measured_rate m = {.rate = 0.34, .first = 1, .age = 5};
    ageing_learn(&a, &m, &leverage); /* twice what was expected */
    CHECK_NEAR(ageing_rate(&a, 5, 1), 0.02 + 5 * 0.06, 1e-12);
    CHECK_NEAR(ageing_rate(&a, 0, 1), 0.02, 1e-12);
    m.rate = 0;
    ageing_learn(&a, &m, &leverage);
    CHECK_NEAR(ageing_rate(&a, 5, 1), 0.02 + 5 * 0.06 * 0.85, 1e-12);
    CHECK_NEAR(leverage, 1, 1e-12);
}

static void new_jacobian_tells_nothing_of_growth(void **state)
{
    (void)state;
    ageing a = started();
    double leverage = 1;
    ageing_learn(
        &a, &(measured_rate){.rate = 0.06, .first = 1, .age = 0}, &leverage);
    CHECK_NEAR(ageing_rate(&a, 0, 1), 0.06, 1e-12);
    CHECK_NEAR(ageing_rate(&a, 2, 1), 0.06 + 2 * 0.03, 1e-12);
}

static void staleness_has_its_share(void **state)
{
    (void)state;
    ageing a = started();
    double leverage = 1;
    measured_rate m = {.rate = 0.54, .first = 1, .stale = 0.1, .age = 5};
    ageing_learn(&a, &m, &leverage); /* 0.17 + 0.1 were expected */
    CHECK_NEAR(leverage, 2, 1e-12);
    CHECK_NEAR(ageing_rate(&a, 5, 1), 0.02 + 5 * 0.06, 1e-12);
    m.rate = 0;
    for (int i = 0; i < 100; i++) ageing_learn(&a, &m, &leverage);
    CHECK_NEAR(leverage, 1, 1e-12); /* a stale alpha contracts no better */
}

/* A rate of 0.08 a step, with and without another alpha (leverage 1). */
static void both_causes_are_told_apart(void **state)
{
    (void)state;
    ageing a = started();
    double leverage = 1;
    for (int i = 0; i < 400; i++) {
        int age = 1 + i % 6;
        double stale = i / 6 % 2 ? 0.3 : 0;
        ageing_learn(&a,
            &(measured_rate){.rate = 0.08 * age + stale,
                .first = 1,
                .stale = stale,
                .age = age},
            &leverage);
    }
    assert_true(leverage < 1.5);
    for (int age = 1; age <= 6; age++) {
        double ratio = ageing_rate(&a, age, 1) / (0.08 * age);
        assert_true(ratio > 0.8 && ratio < 1.5);
    }
}

static void is_due_at_first_and_after_25_steps_on_trust(void **state)
{
    (void)state;
    ageing a = started();
    double leverage = 1;
    measured_rate m = {.rate = 0.05, .first = 1, .age = 0};
    assert_true(ageing_is_due(&a, 0));
    ageing_learn(&a, &m, &leverage);
    assert_false(ageing_is_due(&a, 0));
    assert_true(ageing_is_due(&a, 1)); /* of growth nothing is known */
    m.age = 1;
    ageing_learn(&a, &m, &leverage);
    for (int i = 0; i < 100; i++) assert_false(ageing_is_due(&a, 0));
    for (int i = 0; i < 25; i++) assert_false(ageing_is_due(&a, 1));
    assert_true(ageing_is_due(&a, 1));
    m.age = 0;
    ageing_learn(&a, &m, &leverage);
    assert_true(ageing_is_due(&a, 1));
    m.age = 1;
    ageing_learn(&a, &m, &leverage);
    assert_false(ageing_is_due(&a, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rate_grows_with_age_and_distance),
        cmocka_unit_test(bad_news_count_at_once_good_news_in_part),
        cmocka_unit_test(new_jacobian_tells_nothing_of_growth),
        cmocka_unit_test(staleness_has_its_share),
        cmocka_unit_test(both_causes_are_told_apart),
        cmocka_unit_test(is_due_at_first_and_after_25_steps_on_trust),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
