/* Lists by kind, position and order, with the items they belong to. */
#include "linalg/listing.h"
#include "support/check.h"

static void items_follow_their_keys(void **state)
{
    static const listed keys[] = {
        {1, 0, 0, 0}, {0, 7, 1, 0}, {0, 7, 0, 0}, {0, 2, 5, 0}, {0, 7, 0, 0}};
    int list[] = {10, 11, 12, 13, 14};
    static const int wanted[] = {13, 12, 14, 11, 10};
    arena a;
    listing l;
    (void)state;
    arena_init(&a, NULL, 0);
    CHECK_STATUS(listing_init(&l, &a, 5, sizeof *list), DAE_OK);
    memcpy(l.items, keys, sizeof keys);
    listing_arrange(&l, list, 5, sizeof *list);
    assert_memory_equal(list, wanted, sizeof list);
    listing_arrange(&l, list, 0, sizeof *list);
    assert_memory_equal(list, wanted, sizeof list);
    arena_clear(&a);
}

/* What is in order already stays, however long it is. */
static void what_is_sorted_stays(void **state)
{
    enum { MANY = 1000 };
    size_t list[MANY];
    arena a;
    listing l;
    (void)state;
    arena_init(&a, NULL, 0);
    CHECK_STATUS(listing_init(&l, &a, MANY, sizeof *list), DAE_OK);
    for (size_t k = 0; k < MANY; k++) {
        list[k] = 3 * k;
        l.items[k] = (listed){.position = k / 2};
    }
    listing_arrange(&l, list, MANY, sizeof *list);
    for (size_t k = 0; k < MANY; k++) assert_int_equal(list[k], 3 * k);
    arena_clear(&a);
}

static void memory_may_fail(void **state)
{
    (void)state;
    for (size_t n = 0; n < 2; n++) {
        failing_memory memory;
        arena a;
        listing l;
        failing_init(&memory, n);
        arena_init(&a, &memory.allocator, 0);
        CHECK_STATUS(listing_init(&l, &a, 100000, 8), DAE_MEMORY);
        arena_clear(&a);
        assert_int_equal(memory.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_follow_their_keys),
        cmocka_unit_test(what_is_sorted_stays),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
