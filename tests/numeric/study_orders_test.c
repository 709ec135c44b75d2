/* What studies at given steps show: orders by variable, unequal steps,
 * inconsistent starts, other ways to start, either direction of time. */
#include "check.h"
#include "json.h"
#include "study_bench.h"

static const char reference[] = "tests/data/reference/bdf_orders.json";

static bench *make(plant p, bool is_cosine)
{
    bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    bench_make(b, p, is_cosine);
    return b;
}

static void drop(bench *b)
{
    bench_clear(b);
    free(b);
}

static double size(dae_long x)
{
    return (double)dae_long_abs(x);
}

static double order_of(dae_long at_h, dae_long at_half)
{
    return log2(size(at_h) / size(at_half));
}

/* Errors of unknown j with steps h and h/2: of one step, at the end, largest. */
typedef struct orders {
    double local, end, largest;
} orders;

static orders observe(bench *b, int order, int unknown)
{
    dae_long times[POINTS_MOST], error[3][2];
    dae_long h = (dae_long)1 / 640;
    for (int half = 0; half < 2; half++, h /= 2) {
        for (int i = 0; i <= order; i++)
            times[i] = 2 - (dae_long)(order - i) * h;
        bench_run(b, order, DAE_STUDY_LONG, times, (size_t)order + 1);
        error[0][half] = b->end[unknown];
        const size_t count = dae_study_grid(
            0, 2, h, NULL, 0, times, POINTS_MOST);
        assert_int_equal(count, half ? 2561 : 1281);
        bench_run(b, order, DAE_STUDY_LONG, times, count);
        error[1][half] = b->end[unknown];
        error[2][half] = b->largest[unknown];
    }
    return (orders){order_of(error[0][0], error[0][1]),
        order_of(error[1][0], error[1][1]), order_of(error[2][0], error[2][1])};
}

static void check_orders(
    plant p, bool is_cosine, int k, int unknown, int local, int largest)
{
    bench *b = make(p, is_cosine);
    const orders seen = observe(b, k, unknown);
    CHECK_NEAR(seen.local, local, 0.05);
    CHECK_NEAR(seen.end, k, 0.05);
    CHECK_NEAR(seen.largest, largest, 0.05);
    drop(b);
}

static void an_index_more_costs_an_order_of_one_step_and_none_later(
    void **state)
{
    (void)state;
    for (int k = 1; k <= 6; k++)
        for (int is_cosine = 0; is_cosine < 2; is_cosine++) {
            /* the defect of the first steps of c1 is gamma^(k+1)(0): 0 for one
             * of both signals, which hides it */
            const bool is_shown = is_cosine == k % 2;
            check_orders(TANK1, is_cosine, k, 1, k + 1, k);
            check_orders(TANK2, is_cosine, k, 0, k, k);
            check_orders(CHAIN, is_cosine, k, 1, k, k);
            check_orders(CHAIN, is_cosine, k, 0, k - 1, is_shown ? k - 1 : k);
        }
}

static void check_printed(dae_long value, const json_value *text)
{
    assert_non_null(text);
    const dae_long wanted = dae_long_read(text->text, NULL);
    const double off = size(value - wanted);
    if (off <= 1e-11 * size(wanted)) return;
    print_error("%.15Lg, expected %s\n", (long double)value, text->text);
    fail();
}

static const json_value *item(const json_value *array, size_t k)
{
    const json_value *v = array ? array->first : NULL;
    for (; v && k > 0; k--) v = v->next;
    return v;
}

/* Steps h, 2h, h, ...: c1 is off by (gamma''/2)(h_(n-1)/h_n - 1) for ever. */
static void unequal_steps_leave_an_error_of_order_0_in_index_3(void **state)
{
    (void)state;
    static const double pattern[] = {1, 2};
    json_value *root = json_read(reference);
    const json_value *all = json_member(root, "chain_be_variable_steps");
    bench *b = make(CHAIN, false);
    dae_long times[POINTS_MOST], right[UNKNOWNS];
    for (int n = 10; n <= 80; n *= 2) {
        char key[16];
        snprintf(key, sizeof key, "N=%d", n);
        const json_value *row = json_member(all, key);
        const size_t count = dae_study_grid(
            0, 2, (dae_long)2 / (3 * n), pattern, 2, times, POINTS_MOST);
        assert_int_equal(count, 2 * n + 1);
        bench_run(b, 1, DAE_STUDY_LONG, times, count);
        dae_long most[2] = {0, 0};
        for (size_t i = 3; i < count; i++)
            for (int j = 0; j < 2; j++)
                if (dae_long_abs(b->error[i][j]) > most[j])
                    most[j] = dae_long_abs(b->error[i][j]);
        check_printed(most[1], json_member(row, "max_err_c2_after_2_steps"));
        check_printed(most[0], json_member(row, "max_err_c1_after_2_steps"));
        for (size_t i = 0; i < 2; i++) {
            bench_exact(b, times[count - 2 + i], right);
            const dae_long share = b->error[count - 2 + i][0] / right[0];
            const dae_long before = times[count - 2 + i] - times[count - 3 + i];
            const dae_long earlier = times[count - 3 + i]
                - times[count - 4 + i];
            check_printed(share,
                item(json_member(row, "last_two_c1_err_over_gamma2"), i));
            CHECK_NEAR(
                (double)share, (double)(earlier / before - 1) / 2, 1.0 / n);
        }
    }
    drop(b);
    json_free(root);
}

static void check_wrong_start(const json_value *row, const char *name, plant p,
    int wrong, int unknown, const dae_long *times, size_t steps)
{
    bench *b = make(p, false);
    b->delta[wrong] = (dae_long)1 / 100;
    bench_run(b, 1, DAE_STUDY_LONG, times, steps + 1);
    for (size_t i = 1; i <= steps; i++)
        check_printed(
            b->error[i][unknown], item(json_member(row, name), i - 1));
    drop(b);
}

static void wrong_starts_do_what_the_table_says(void **state)
{
    (void)state;
    static const char *const steps[] = {"h=0.1", "h=0.01", "h=0.001"};
    json_value *root = json_read(reference);
    const json_value *all = json_member(
        root, "be_inconsistent_start_delta_0.01");
    for (int k = 0; k < 3; k++) {
        const json_value *row = json_member(all, steps[k]);
        const dae_long h = dae_long_read(steps[k] + 2, NULL);
        dae_long times[5];
        for (int i = 0; i < 5; i++) times[i] = (dae_long)i * h;
        check_wrong_start(row, "tank2_c1_err_steps123", TANK2, 1, 0, times, 3);
        check_wrong_start(
            row, "chain_delta_in_c3_err_c2_steps1234", CHAIN, 2, 1, times, 4);
        check_wrong_start(
            row, "chain_delta_in_c3_err_c1_steps1234", CHAIN, 2, 0, times, 4);
        check_wrong_start(
            row, "chain_delta_in_c2_err_c1_steps123", CHAIN, 1, 0, times, 3);
    }
    json_free(root);
}

static void a_wrong_algebraic_value_does_nothing(void **state)
{
    (void)state;
    dae_long times[5];
    for (int i = 0; i < 5; i++) times[i] = (dae_long)i / 10;
    for (int p = 0; p < PLANTS; p++) {
        bench *right = make((plant)p, false), *wrong = make((plant)p, false);
        wrong->delta[0] = (dae_long)1 / 100;
        bench_run(right, 1, DAE_STUDY_LONG, times, 5);
        bench_run(wrong, 1, DAE_STUDY_LONG, times, 5);
        for (size_t i = 1; i < 5; i++)
            for (size_t j = 0; j < bench_unknowns(right); j++)
                CHECK_NEAR(
                    size(right->error[i][j] - wrong->error[i][j]), 0, 1e-28);
        drop(right);
        drop(wrong);
    }
}

/* A wrong c3(0) is in c2 until it has left the formula, and in c1 until those c2
 * have. */
static void a_wrong_start_of_order_k_is_forgotten_after_2k_steps(void **state)
{
    (void)state;
    dae_long times[13];
    for (int i = 0; i < 13; i++) times[i] = (dae_long)i / 10;
    for (int k = 1; k <= 6; k++) {
        bench *right = make(CHAIN, true), *wrong = make(CHAIN, true);
        wrong->delta[2] = (dae_long)1 / 100;
        bench_run(right, k, DAE_STUDY_LONG, times, 13);
        bench_run(wrong, k, DAE_STUDY_LONG, times, 13);
        for (int i = k; i < 13; i++) {
            const double c1 = size(right->error[i][0] - wrong->error[i][0]);
            const double c2 = size(right->error[i][1] - wrong->error[i][1]);
            assert_int_equal(c2 > 1e-3, i == k);
            assert_int_equal(c1 > 1e-3, i <= 2 * k);
            assert_true(i <= 2 * k || c1 < 1e-27);
        }
        drop(right);
        drop(wrong);
    }
}

static void a_ramp_takes_the_lower_orders_one_after_the_other(void **state)
{
    (void)state;
    dae_long times[9];
    for (int i = 0; i < 9; i++) times[i] = (dae_long)i / 10;
    for (int k = 2; k <= 6; k++) {
        bench *low = make(TANK1, false), *high = make(TANK1, false);
        dae_study s = bench_study(low, k - 1, DAE_STUDY_LONG, times, 9);
        s.start = DAE_STUDY_RAMP;
        CHECK_STATUS(dae_study_run(low->problem, &s, NULL, NULL, NULL), DAE_OK);
        s = bench_study(high, k, DAE_STUDY_LONG, times, 9);
        s.start = DAE_STUDY_RAMP;
        CHECK_STATUS(
            dae_study_run(high->problem, &s, NULL, NULL, NULL), DAE_OK);
        for (int i = 0; i < 9; i++) {
            const double off = size(low->error[i][1] - high->error[i][1]);
            if (i < k) assert_true(off == 0);
            else assert_true(off > 1e-12);
        }
        drop(low);
        drop(high);
    }
}

static void a_fine_start_is_as_good_as_an_exact_one(void **state)
{
    (void)state;
    dae_long times[41];
    for (int i = 0; i < 41; i++) times[i] = (dae_long)i / 20;
    for (int k = 2; k <= 6; k++) {
        bench *given = make(TANK1, true), *fine = make(TANK1, true);
        bench_run(given, k, DAE_STUDY_LONG, times, 41);
        dae_study s = bench_study(fine, k, DAE_STUDY_LONG, times, 41);
        dae_study_counts counts = {0};
        s.start = DAE_STUDY_FINE;
        CHECK_STATUS(
            dae_study_run(fine->problem, &s, NULL, NULL, &counts), DAE_OK);
        assert_int_equal(fine->points, 41);
        assert_int_equal(counts.steps, 41 - k);
        for (int i = 0; i < k; i++)
            assert_true(size(fine->error[i][1]) < 1e-20);
        const double off = size(given->end[1] - fine->end[1]);
        assert_true(off < 1e-6 * size(given->end[1]));
        drop(given);
        drop(fine);
    }
}

static void time_may_go_backwards(void **state)
{
    (void)state;
    dae_long times[POINTS_MOST];
    for (int k = 1; k <= 6; k++) {
        bench *b = make(CHAIN, true);
        dae_long error[2];
        for (int half = 0; half < 2; half++) {
            const size_t count = dae_study_grid(2, 0,
                (dae_long)1 / (half ? 320 : 160), NULL, 0, times, POINTS_MOST);
            bench_run(b, k, DAE_STUDY_LONG, times, count);
            error[half] = b->error[count / 2][1];
        }
        CHECK_NEAR(order_of(error[0], error[1]), k, 0.05);
        drop(b);
    }
}

static void a_grid_ends_at_its_end(void **state)
{
    (void)state;
    dae_long times[16];
    const dae_long tenth = dae_long_read("0.1", NULL);
    static const double pattern[] = {1, 2};
    static const double none[] = {0};
    assert_int_equal(dae_study_grid(0, 1, tenth, NULL, 0, times, 16), 11);
    assert_true(times[10] == 1 && times[3] == 3 * tenth);
    assert_int_equal(dae_study_grid(0, 1, 3 * tenth, NULL, 0, times, 16), 5);
    assert_true(times[4] == 1 && times[3] == 3 * (3 * tenth));
    assert_int_equal(dae_study_grid(1, 0, tenth, pattern, 2, times, 16), 8);
    assert_true(times[7] == 0 && times[2] == 1 - 3 * tenth);
    /* as 0.1 of a double, which is a little more than that */
    assert_int_equal(dae_study_grid(0, 1, 0.1, NULL, 0, NULL, 0), 11);
    assert_int_equal(dae_study_grid(0, 1, 2, NULL, 0, times, 16), 2);
    assert_true(times[0] == 0 && times[1] == 1);
    assert_int_equal(dae_study_grid(0, 1, 0, NULL, 0, times, 16), 0);
    assert_int_equal(dae_study_grid(0, 0, 1, NULL, 0, times, 16), 0);
    assert_int_equal(dae_study_grid(0, 1, 1, none, 1, times, 16), 0);
    assert_int_equal(dae_study_grid(0, 1, (dae_long)NAN, NULL, 0, times, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            an_index_more_costs_an_order_of_one_step_and_none_later),
        cmocka_unit_test(unequal_steps_leave_an_error_of_order_0_in_index_3),
        cmocka_unit_test(wrong_starts_do_what_the_table_says),
        cmocka_unit_test(a_wrong_algebraic_value_does_nothing),
        cmocka_unit_test(a_wrong_start_of_order_k_is_forgotten_after_2k_steps),
        cmocka_unit_test(a_ramp_takes_the_lower_orders_one_after_the_other),
        cmocka_unit_test(a_fine_start_is_as_good_as_an_exact_one),
        cmocka_unit_test(time_may_go_backwards),
        cmocka_unit_test(a_grid_ends_at_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
