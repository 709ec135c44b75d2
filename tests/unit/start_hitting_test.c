/* Smallest sets that meet others, and smallest contradictions of members of
 * which somebody knows what holds together, by hand. */
#include "check.h"
#include "start/fewest.h"

#define SET(a, b, c)                                                           \
    (UINT64_C(1) << (a) | UINT64_C(1) << (b) | UINT64_C(1) << (c))

static void test_order(void **state)
{
    (void)state;
    assert_int_equal(hitting_size(SET(0, 5, 63)), 3);
    assert_true(hitting_is_before(SET(4, 4, 4), SET(0, 1, 1)));
    assert_true(hitting_is_before(SET(0, 5, 5), SET(1, 2, 2)));
    assert_false(hitting_is_before(SET(1, 2, 2), SET(1, 2, 2)));
}

static void check_least(
    const uint64_t *sets, size_t count, uint64_t begin, uint64_t expected)
{
    uint64_t least = begin;
    assert_true(hitting_find(sets, count, &least));
    assert_true(least == expected);
}

static void test_least(void **state)
{
    (void)state;
    /* 7 alone meets all; without it {1, 4} and {2, 3} do, and of these the
     * first is wanted; sets apart take a member each */
    const uint64_t one[] = {SET(1, 2, 7), SET(3, 4, 7), SET(2, 4, 7)};
    const uint64_t two[] = {SET(1, 2, 2), SET(3, 4, 4), SET(2, 4, 4)};
    const uint64_t apart[] = {SET(9, 8, 7), SET(6, 5, 4), SET(3, 2, 1)};
    check_least(one, 3, SET(1, 2, 4), SET(7, 7, 7));
    check_least(two, 3, SET(1, 3, 4) | SET(2, 2, 2), SET(1, 4, 4));
    check_least(apart, 3, SET(7, 4, 1), SET(1, 4, 7));
    check_least(one, 0, SET(1, 2, 4), 0);
}

/* What contradicts itself, told by its smallest sets. */
typedef struct judge {
    const uint64_t *wrong;
    size_t count;
    int asked, limit;
} judge;

static dae_status ask(void *self, uint64_t set, bool *holds, uint64_t *all)
{
    judge *j = self;
    j->asked++;
    *holds = true;
    for (size_t k = 0; k < j->count; k++)
        if ((set & j->wrong[k]) == j->wrong[k]) *holds = false;
    *all = *holds ? set : 0;
    return DAE_OK;
}

static dae_status keep(void *self, uint64_t set)
{
    const judge *j = self;
    for (size_t k = 0; k < j->count; k++)
        assert_true((set & j->wrong[k]) != j->wrong[k]);
    return DAE_OK;
}

static bool is_spent(void *self)
{
    const judge *j = self;
    return j->asked > j->limit;
}

static fewest_outcome find(judge *j, size_t members, uint64_t *set)
{
    arena a;
    fewest_outcome out;
    const fewest_oracle o = {j, ask, ask, keep, is_spent};
    arena_init(&a, NULL, SIZE_MAX);
    CHECK_STATUS(fewest_find(&o, members, &a, set, &out), DAE_OK);
    arena_clear(&a);
    return out;
}

static void test_fewest(void **state)
{
    (void)state;
    const uint64_t wrong[] = {SET(0, 1, 2), SET(2, 5, 5), SET(1, 6, 6)};
    judge j = {wrong, 3, 0, 1000};
    uint64_t set = wrong[0];
    assert_int_equal(find(&j, 8, &set), FEWEST_FOUND);
    assert_true(set == wrong[2]); /* {1, 6} is before {2, 5} */
    judge alone = {wrong, 1, 0, 1000};
    set = wrong[0];
    assert_int_equal(find(&alone, 64, &set), FEWEST_FOUND);
    assert_true(set == wrong[0]);
}

/* Too little work leaves the set as it is; one that holds is told. */
static void test_unsure(void **state)
{
    (void)state;
    const uint64_t wrong[] = {SET(0, 1, 2), SET(2, 5, 5)};
    judge j = {wrong, 2, 0, 2};
    uint64_t set = wrong[0];
    assert_int_equal(find(&j, 8, &set), FEWEST_UNSURE);
    assert_true(set == wrong[0]);
    judge none = {wrong, 0, 0, 1000};
    assert_int_equal(find(&none, 8, &set), FEWEST_HOLDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_least),
        cmocka_unit_test(test_fewest),
        cmocka_unit_test(test_unsure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
