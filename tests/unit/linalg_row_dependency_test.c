/* Dependencies of the rows of small matrices. */
#include "check.h"
#include "linalg/row_dependency.h"
#include "random.h"

static const int32_t straight[] = {0, 1, 2, 3, 4, 5, 6, 7};

/* The weight of a row in a circuit, 0 where it is no member. */
static double weight_of(const circuit *c, int32_t row)
{
    for (size_t k = 0; k < c->count; k++)
        if (c->member[k] == row) return c->weight[k];
    return 0;
}

/* Row 2 is the sum of 0 and 1, row 4 three times row 1 only. */
static void test_fundamental(void **state)
{
    (void)state;
    const double m[] = {1, 2, 0, 4, /**/ 0, 1, 1, -1, /**/ 1, 3, 1, 3, /**/ 5,
        0, 0, 1, /**/ 0, 3, 3, -3};
    arena a;
    circuit_list list;
    arena_init(&a, NULL, 0);
    CHECK_STATUS(circuits_find(5, 4, m, straight, &a, &list), DAE_OK);
    assert_int_equal(list.count, 2);
    assert_int_equal(list.items[0].count, 3);
    CHECK_NEAR(weight_of(&list.items[0], 0), -1, 1e-14);
    CHECK_NEAR(weight_of(&list.items[0], 1), -1, 1e-14);
    assert_true(weight_of(&list.items[0], 2) == 1);
    assert_int_equal(list.items[1].count, 2);
    CHECK_NEAR(weight_of(&list.items[1], 1), -3, 1e-14);
    assert_int_equal(list.items[1].member[1], 4);
    /* in another order other rows are the dependent ones */
    const int32_t back[] = {4, 3, 2, 1, 0};
    CHECK_STATUS(circuits_find(5, 4, m, back, &a, &list), DAE_OK);
    assert_int_equal(list.items[0].member[1], 1);
    assert_int_equal(list.items[1].member[2], 0);
    CHECK_NEAR(weight_of(&list.items[1], 4), 1.0 / 3, 1e-14);
    arena_clear(&a);
}

/* Rows and columns of all sizes: the same dependency. */
static void test_scaling(void **state)
{
    (void)state;
    const double row[] = {1e-9, 3e7, 1e-3, 1}, column[] = {1e12, 1e-10, 1};
    const double plain[] = {
        1, -1, 0, /**/ 0, 1, -1, /**/ -1, 0, 1, /**/ 1, 1, 1};
    double m[12];
    arena a;
    circuit_list list;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++)
            m[3 * i + j] = row[i] * column[j] * plain[3 * i + j];
    arena_init(&a, NULL, 0);
    CHECK_STATUS(circuits_find(4, 3, m, straight, &a, &list), DAE_OK);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.items[0].count, 3);
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(weight_of(&list.items[0], i) * row[i] / row[2], 1, 1e-13);
    assert_true(circuit_holds(&list.items[0], 3, m));
    m[1] *= 1 + 1e-8;
    assert_false(circuit_holds(&list.items[0], 3, m));
    arena_clear(&a);
}

/* Products of random factors: as many circuits as rows beyond the rank, and
 * each holds. */
static void test_random(void **state)
{
    (void)state;
    random_state r = {11};
    for (int trial = 0; trial < 200; trial++) {
        const size_t rows = 2 + random_below(&r, 7),
                     rank = 1 + random_below(&r, rows);
        double left[8][8], right[8][8], m[64];
        arena a;
        circuit_list list;
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) {
                left[i][j] = random_unit(&r);
                right[i][j] = random_unit(&r);
            }
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < 8; j++) {
                m[8 * i + j] = 0;
                for (size_t k = 0; k < rank; k++)
                    m[8 * i + j] += left[i][k] * right[k][j];
            }
        arena_init(&a, NULL, 0);
        CHECK_STATUS(circuits_find(rows, 8, m, straight, &a, &list), DAE_OK);
        assert_int_equal(list.count, rows - rank);
        for (size_t k = 0; k < list.count; k++)
            assert_true(circuit_holds(&list.items[k], 8, m));
        arena_clear(&a);
    }
}

static void test_simplify(void **state)
{
    (void)state;
    double thirds[] = {-2.0 / 3, 1, 1.0 / 6};
    circuit_simplify(thirds, 3, false);
    assert_true(thirds[0] == 4 && thirds[1] == -6 && thirds[2] == -1);
    double common[] = {6, -4, 2};
    circuit_simplify(common, 3, false);
    assert_true(common[0] == 3 && common[1] == -2 && common[2] == 1);
    double near[] = {0.1 * 3, -0.3, 0.3 * (1 + 1e-13)};
    circuit_simplify(near, 3, false);
    assert_true(near[0] == 1 && near[1] == -1 && near[2] == 1);
    /* what is no simple fraction stays, beside what is */
    double mixed[] = {-2, 0.99e-3, 1};
    circuit_simplify(mixed, 3, false);
    assert_true(mixed[0] == 1 && mixed[2] == -0.5);
    CHECK_NEAR(mixed[1], -0.495e-3, 1e-18);
    double different[] = {1, 1.0000001};
    circuit_simplify(different, 2, false);
    assert_true(different[1] == 1.0000001);
}

static void test_fractions_of_whole_numbers(void **state)
{
    (void)state;
    double large[] = {114.0 / 13, -582.0 / 13, -214.0 / 39, 354.0 / 13};
    circuit_simplify(large, 4, true);
    assert_true(large[0] == 171 && large[1] == -873);
    assert_true(large[2] == -107 && large[3] == 531);
    /* one that is none stays, and so do those beside it */
    double root[] = {1, 1.4142135623730951, 3.0 / 39};
    circuit_simplify(root, 3, true);
    assert_true(root[0] == 1 && root[1] == 1.4142135623730951);
    assert_true(root[2] == 1.0 / 13);
    const double whole[] = {3, -1e9, 0}, other[] = {3, 0.5};
    assert_true(circuit_is_whole(whole, 3) && !circuit_is_whole(other, 2));
}

/* Pascal's matrix of 9 rows has whole numbers and a condition of 3e8: rows that
 * nearly depend without the last, which is the sum of the others with weights that
 * are known. */
static void test_weights_are_right_to_the_last_digit(void **state)
{
    enum { N = 9 };
    static const double known[N] = {-2, 3, 5, -7, 11, 13, -17, 19, 23};
    double m[(N + 1) * N], want = 0;
    int32_t order[N + 1];
    circuit_list list;
    arena a;
    (void)state;
    arena_init(&a, NULL, 0);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            m[i * N + j] = i == 0 || j == 0
                ? 1
                : m[(i - 1) * N + j] + m[i * N + j - 1];
    for (int j = 0; j < N; j++) {
        want = 0;
        for (int i = 0; i < N; i++) want += known[i] * m[i * N + j];
        m[N * N + j] = want;
    }
    for (int i = 0; i <= N; i++) order[i] = i;
    CHECK_STATUS(circuits_find(N + 1, N, m, order, &a, &list), DAE_OK);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.items[0].count, N + 1);
    for (int i = 0; i < N; i++)
        assert_true(list.items[0].weight[list.items[0].member[i]]
            == -known[list.items[0].member[i]]);
    arena_clear(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fundamental),
        cmocka_unit_test(test_scaling),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_simplify),
        cmocka_unit_test(test_fractions_of_whole_numbers),
        cmocka_unit_test(test_weights_are_right_to_the_last_digit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
