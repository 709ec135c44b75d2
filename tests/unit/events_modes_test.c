/* The order in which modes are tried: what is proposed first, then all others by the
 * number of switches that differ, none twice, within the budget. */
#include "base/modes.h"
#include "support/check.h"
#include <math.h>
#include <string.h>

static size_t flips(const modes *m)
{
    size_t count = 0;
    for (size_t k = 0; k < m->count; k++) count += m->mode[k];
    return count;
}

static void all_modes_come_once_by_their_distance(void **state)
{
    (void)state;
    arena a;
    modes m;
    uint8_t seen[16] = {0};
    size_t last = 0, count = 0;
    arena_init(&a, NULL, 0);
    CHECK_STATUS(modes_init(&m, 4, 0, &a), DAE_OK);
    modes_begin(&m, false);
    while (modes_next(&m)) {
        const int at = m.mode[0] + 2 * m.mode[1] + 4 * m.mode[2]
            + 8 * m.mode[3];
        assert_true(!seen[at]);
        seen[at] = 1;
        assert_true(flips(&m) >= last);
        last = flips(&m);
        count++;
    }
    assert_int_equal(count, 16);
    arena_clear(&a);
}

static void the_mode_at_hand_may_count_as_tried(void **state)
{
    (void)state;
    arena a;
    modes m;
    arena_init(&a, NULL, 0);
    CHECK_STATUS(modes_init(&m, 3, 0, &a), DAE_OK);
    modes_begin(&m, true);
    assert_true(modes_next(&m));
    assert_int_equal(flips(&m), 1);
    assert_true(m.mode[0] == 1);
    arena_clear(&a);
}

static void what_is_proposed_comes_next_and_once(void **state)
{
    (void)state;
    arena a;
    modes m;
    const uint8_t wanted[] = {1, 0, 1};
    arena_init(&a, NULL, 0);
    CHECK_STATUS(modes_init(&m, 3, 0, &a), DAE_OK);
    modes_begin(&m, true);
    for (int k = 0; k < 2; k++) {
        memcpy(m.proposal, wanted, sizeof wanted);
        m.has_proposal = true;
        assert_true(modes_next(&m));
        assert_true((memcmp(m.mode, wanted, sizeof wanted) == 0) == (k == 0));
    }
    arena_clear(&a);
}

static void fewer_contradictions_are_nearer(void **state)
{
    (void)state;
    arena a;
    modes m;
    size_t first = 0;
    arena_init(&a, NULL, 0);
    CHECK_STATUS(modes_init(&m, 3, 0, &a), DAE_OK);
    modes_begin(&m, false);
    assert_true(modes_next(&m)); /* 0 0 0 */
    assert_false(modes_is_nearer(&m, &first));
    m.proposal[1] = m.proposal[2] = 1;
    assert_true(modes_is_nearer(&m, &first) && first == 1);
    assert_false(modes_is_nearer(&m, &first));
    m.mode[1] = 1;
    assert_true(modes_is_nearer(&m, &first) && first == 2);
    arena_clear(&a);
}

static void no_more_than_the_budget_are_tried(void **state)
{
    (void)state;
    arena a;
    modes m;
    size_t count = 0;
    arena_init(&a, NULL, 0);
    CHECK_STATUS(modes_init(&m, 20, 7, &a), DAE_OK);
    modes_begin(&m, true);
    while (modes_next(&m)) count++;
    assert_int_equal(count, 6);
    arena_clear(&a);
}

static void the_other_side(void **state)
{
    (void)state;
    assert_true(modes_other_side(DAE_SWITCH_BELOW, 0) == 1);
    assert_true(modes_other_side(DAE_SWITCH_NOT_ABOVE, 1) == 0);
    assert_true(modes_other_side(DAE_SWITCH_SIGN, -1) == 1);
    assert_true(isnan(modes_other_side(DAE_SWITCH_SIGN, 0)));
    assert_true(isnan(modes_other_side(DAE_SWITCH_FLOOR, 3)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_modes_come_once_by_their_distance),
        cmocka_unit_test(the_mode_at_hand_may_count_as_tried),
        cmocka_unit_test(what_is_proposed_comes_next_and_once),
        cmocka_unit_test(fewer_contradictions_are_nearer),
        cmocka_unit_test(no_more_than_the_budget_are_tried),
        cmocka_unit_test(the_other_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
