/* Gauss-Jordan elimination, against matrices worked out by hand. */
#include "linalg/gauss_jordan.h"
#include "support/check.h"

/* [2 4 6; 1 3 8]: the first column becomes (1, 0) and the second row (0, 1, 5),
 * then the second one (0, 1), and the first row (1, 0, -7). */
static void columns_become_unit_vectors(void **state)
{
    (void)state;
    double m[] = {2, 4, 6, /**/ 1, 3, 8};
    jordan_eliminate(m, 2, 3, 0, 0, NULL);
    static const double once[] = {1, 2, 3, /**/ 0, 1, 5};
    assert_memory_equal(m, once, sizeof m);
    jordan_eliminate(m, 2, 3, 1, 1, NULL);
    static const double twice[] = {1, 0, -7, /**/ 0, 1, 5};
    assert_memory_equal(m, twice, sizeof m);
}

static void rows_that_are_done_stay_as_they_are(void **state)
{
    (void)state;
    static const uint8_t done[] = {0, 1, 0};
    double m[] = {2, 2, /**/ 3, 3, /**/ 4, 5};
    jordan_eliminate(m, 3, 2, 0, 0, done);
    static const double after[] = {1, 1, /**/ 3, 3, /**/ 0, 1};
    assert_memory_equal(m, after, sizeof m);
}

static void the_largest_open_row_is_found(void **state)
{
    (void)state;
    static const uint8_t done[] = {0, 1, 0, 0};
    const double m[] = {1, 0, /**/ -9, 0, /**/ -4, 0, /**/ 4, (double)NAN};
    assert_int_equal(jordan_row(m, 4, 2, 0, NULL), 1);
    assert_int_equal(jordan_row(m, 4, 2, 0, done), 2); /* the first of equals */
    assert_int_equal(jordan_row(m, 4, 2, 1, NULL), 4); /* zeros and NaN */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_become_unit_vectors),
        cmocka_unit_test(rows_that_are_done_stay_as_they_are),
        cmocka_unit_test(the_largest_open_row_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
