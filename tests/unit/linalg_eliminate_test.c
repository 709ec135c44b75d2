/* Elimination with complete pivoting, against matrices worked out by hand. */
#include "linalg/eliminate.h"
#include "support/check.h"

/* [1 2; 3 4] has the pivot 4, then 1 - 2*3/4 = -1/2, and both exchanged. */
static void the_largest_entry_is_the_pivot(void **state)
{
    (void)state;
    double m[] = {1, 3, 2, 4};
    int32_t order[] = {0, 1};
    assert_int_equal(eliminate_fully(m, 2, 2, 0, order), 2);
    assert_true(m[0] == 4 && m[2] == 3 && m[3] == -0.5);
    assert_true(order[0] == 1 && order[1] == 0);
}

/* The third row is the sum of the first two, the third column twice the
 * first. */
static void dependent_rows_have_no_pivot(void **state)
{
    (void)state;
    double m[] = {1, 0, 1, /**/ 4, 2, 6, /**/ 2, 0, 2, /**/ 0, 1, 1};
    assert_int_equal(eliminate_fully(m, 3, 4, 1e-12, NULL), 2);
    double zeros[] = {0, 0, 0, 0};
    assert_int_equal(eliminate_fully(zeros, 2, 2, 0, NULL), 0);
    assert_int_equal(eliminate_fully(NULL, 0, 3, 0, NULL), 0);
}

static void what_is_at_most_zero_does_not_count(void **state)
{
    (void)state;
    double m[] = {8, 0, 0, 1e-3}, same[] = {8, 0, 0, 1e-3};
    assert_int_equal(eliminate_fully(m, 2, 2, 1e-3, NULL), 1);
    assert_int_equal(eliminate_fully(same, 2, 2, 0.9e-3, NULL), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_entry_is_the_pivot),
        cmocka_unit_test(dependent_rows_have_no_pivot),
        cmocka_unit_test(what_is_at_most_zero_does_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
