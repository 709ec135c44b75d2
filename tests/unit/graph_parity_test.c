/* The sign of permutations against the number of inversions. */
#include "check.h"
#include "graph/parity.h"
#include "random.h"

static int sign_by_inversions(size_t n, const int32_t *order)
{
    int sign = 1;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            if (order[i] > order[j]) sign = -sign;
    return sign;
}

static void test_known_permutations(void **state)
{
    uint8_t seen[4];
    const int32_t same[] = {0, 1, 2, 3}, swapped[] = {1, 0, 2, 3};
    const int32_t three[] = {1, 2, 0, 3}, four[] = {1, 2, 3, 0};
    (void)state;
    assert_int_equal(permutation_sign(0, NULL, NULL), 1);
    assert_int_equal(permutation_sign(4, same, seen), 1);
    assert_int_equal(permutation_sign(4, swapped, seen), -1);
    assert_int_equal(permutation_sign(4, three, seen), 1);
    assert_int_equal(permutation_sign(4, four, seen), -1);
}

static void test_random_permutations(void **state)
{
    enum { N = 30 };
    int32_t order[N];
    uint8_t seen[N];
    random_state r = {3};
    (void)state;
    for (int k = 0; k < 200; k++) {
        const size_t n = 1 + random_below(&r, N);
        for (size_t i = 0; i < n; i++) order[i] = (int32_t)i;
        for (size_t i = n; i-- > 1;) {
            const size_t j = random_below(&r, i + 1);
            const int32_t kept = order[i];
            order[i] = order[j];
            order[j] = kept;
        }
        assert_int_equal(
            permutation_sign(n, order, seen), sign_by_inversions(n, order));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_permutations),
        cmocka_unit_test(test_random_permutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
