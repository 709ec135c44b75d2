/* Scaling: largest entries become 1, or units are found. */
#include "linalg/scale.h"
#include "support/check.h"

static void equilibrated_entries_are_at_most_one(void **state)
{
    (void)state;
    double m[] = {4, 0, 0, /**/ 2, 10, 0, /**/ 0, -5, 0};
    const double wanted[] = {1, 0, 0, /**/ 0.5, 1, 0, /**/ 0, -1, 0};
    double row[3], column[3];
    equilibrate(m, 3, 3, row, column);
    for (size_t k = 0; k < 9; k++) CHECK_NEAR(m[k], wanted[k], 0);
    const double rows[] = {4, 10, 1}, columns[] = {1, 1, 0.5};
    for (size_t k = 0; k < 3; k++) {
        CHECK_NEAR(row[k], rows[k], 0);
        CHECK_NEAR(column[k], columns[k], 0);
    }
    double other[] = {8, 2, 0, 0};
    equilibrate(other, 2, 2, NULL, NULL);
    CHECK_NEAR(other[0], 1, 0);
    CHECK_NEAR(other[1], 1, 0);
}

/* Units of rows and columns are found, whatever they are: what is left of a
 * matrix of ones is ones. */
static void balancing_finds_the_units(void **state)
{
    (void)state;
    const double units[] = {1e-9, 4e6, 30}, others[] = {1e5, 1, 2e-8};
    double m[9], row[3], column[3];
    arena a;
    arena_init(&a, NULL, 0);
    for (size_t j = 0; j < 3; j++)
        for (size_t i = 0; i < 3; i++) m[3 * j + i] = units[i] * others[j];
    assert_true(balance(&a, m, NULL, 3, 3, row, column));
    for (size_t j = 0; j < 3; j++)
        for (size_t i = 0; i < 3; i++) {
            CHECK_NEAR(m[3 * j + i], 1, 1e-12);
            CHECK_NEAR(row[i] * column[j] / (units[i] * others[j]), 1, 1e-12);
        }
    /* what is 1e-12 beside 1 may be a zero, and stays small */
    double rounding[] = {1, 1e-12, 1, 1};
    assert_true(balance(&a, rounding, NULL, 2, 2, row, column));
    CHECK_NEAR(rounding[1], 1e-12, 1e-26);
    /* unless it is known to be no such thing */
    const uint8_t is_firm[] = {0, 1, 0, 0};
    double weak[] = {1, 1e-12, 1, 0};
    assert_true(balance(&a, weak, is_firm, 2, 2, row, column));
    for (size_t k = 0; k < 3; k++) CHECK_NEAR(weak[k], 1, 0.5);
    double zeros[] = {0, 0, 0, 1};
    assert_true(balance(&a, zeros, NULL, 2, 2, row, column));
    assert_true(row[0] == 1 && column[0] == 1);
    arena_clear(&a);
}

/* Largest entries come to between 1/2 and 1;
 * the factors undo it to the last bit. */
static void powers_of_two_round_nothing(void **state)
{
    (void)state;
    const double m[] = {3, 0.1, 0, /**/ -1, 5e-3, 0};
    double a[6], row[] = {1, 1, 1}, column[] = {1, 1};
    memcpy(a, m, sizeof a);
    level_rows(a, 3, 2, row);
    assert_true(row[0] == 0.25 && row[1] == 8 && row[2] == 1);
    assert_true(a[0] == 0.75 && a[3] == -0.25 && a[1] == 0.8);
    level_columns(a, 3, 2, column);
    assert_true(column[0] == 1 && column[1] == 2);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 2; j++)
            assert_true(a[3 * j + i] / row[i] / column[j] == m[3 * j + i]);
    assert_true(power_under(0.75) == 1 && power_under(3) == 0.25);
    assert_true(power_under_root(16) == 0.25 && power_under_root(4) == 0.5);
    assert_true(power_under(0) == 1 && power_under((double)INFINITY) == 1);
    assert_true(isfinite(power_under(5e-324)) && power_under(5e-324) > 1e300);
    assert_true(row_most(m, 3, 2, 0) == 3 && column_most(m, 3, 1) == 1);
}

static void memory_may_fail(void **state)
{
    (void)state;
    dae_status st = DAE_MEMORY;
    for (size_t limit = 16; limit < 100000 && st; limit += 16) {
        double matrix[] = {1, 0, 1, 1, 0, 1}, row[2], column[3];
        arena a;
        arena_init(&a, NULL, limit);
        st = balance(&a, matrix, NULL, 2, 3, row, column) ? DAE_OK : DAE_MEMORY;
        arena_clear(&a);
        assert_true(limit > 16 || st == DAE_MEMORY);
        if (st) CHECK_STATUS(st, DAE_MEMORY);
    }
    CHECK_STATUS(st, DAE_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equilibrated_entries_are_at_most_one),
        cmocka_unit_test(balancing_finds_the_units),
        cmocka_unit_test(powers_of_two_round_nothing),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
