/* alloc.c and arena.c: sizes, growth, limits, failure. */
#include "base/alloc.h"
#include "base/arena.h"
#include "support/check.h"

static void sizes_do_not_wrap(void **state)
{
    (void)state;
    size_t r = 0;
    assert_true(size_mul(0, SIZE_MAX, &r));
    assert_int_equal(r, 0);
    assert_true(size_mul(SIZE_MAX, 1, &r));
    assert_true(r == SIZE_MAX);
    assert_false(size_mul(SIZE_MAX / 2 + 1, 2, &r));
    assert_true(size_add(SIZE_MAX - 1, 1, &r));
    assert_false(size_add(SIZE_MAX, 1, &r));
    const dae_allocator *a = dae_allocator_default();
    assert_null(alloc_zeroed(a, SIZE_MAX / 4, 8));
    assert_ptr_equal(alloc_or_default(NULL), a);
}

static void zero_items_are_a_block(void **state)
{
    (void)state;
    failing_memory m;
    failing_init(&m, SIZE_MAX);
    void *block = alloc_zeroed(&m.allocator, 0, 8);
    assert_non_null(block);
    block = alloc_resize(&m.allocator, block, 0, 3, 8);
    assert_non_null(block);
    assert_int_equal(m.live, 24);
    alloc_free(&m.allocator, block, 3, 8);
    assert_int_equal(m.live, 0);
}

static void arrays_grow(void **state)
{
    (void)state;
    failing_memory m;
    failing_init(&m, SIZE_MAX);
    ARRAY(int) list = {0};
    for (int i = 0; i < 1000; i++)
        assert_true(ARRAY_PUSH(&m.allocator, &list, i));
    for (int i = 0; i < 1000; i++) assert_int_equal(list.items[i], i);
    assert_true(m.allocations < 12);
    ARRAY_FREE(&m.allocator, &list);
    assert_int_equal(m.live, 0);
    assert_null(list.items);
}

typedef struct narrow {
    size_t limit, calls;
} narrow;

static void *resize_below(
    void *context, void *block, size_t old_size, size_t size)
{
    narrow *n = context;
    const dae_allocator *a = dae_allocator_default();
    n->calls++;
    return size > n->limit ? NULL
                           : a->resize(a->context, block, old_size, size);
}

/* Near the end of memory an array still grows by a share of its size: its
 * items are not copied once for each of them. */
static void a_limit_is_met_in_few_steps(void **state)
{
    (void)state;
    narrow n = {.limit = 1000000};
    const dae_allocator a = {resize_below, &n};
    ARRAY(uint32_t) array = {0};
    for (uint32_t k = 0; ARRAY_PUSH(&a, &array, k);) k++;
    assert_true(array.count > 3 * n.limit / 4 / sizeof *array.items);
    assert_true(n.calls < 60);
    ARRAY_FREE(&a, &array);
}

static void a_failed_push_keeps_the_array(void **state)
{
    (void)state;
    failing_memory m;
    failing_init(&m, 1);
    ARRAY(int) list = {0};
    int pushed = 0;
    while (pushed < 100 && ARRAY_PUSH(&m.allocator, &list, pushed)) pushed++;
    assert_int_equal(pushed, 8);
    assert_int_equal(list.count, 8);
    assert_int_equal(list.items[7], 7);
    ARRAY_FREE(&m.allocator, &list);
    assert_int_equal(m.live, 0);
}

static void arrays_are_trimmed(void **state)
{
    (void)state;
    failing_memory m;
    failing_init(&m, SIZE_MAX);
    ARRAY(int) list = {0};
    ARRAY_TRIM(&m.allocator, &list);
    assert_null(list.items);
    for (int i = 0; i < 9; i++) assert_true(ARRAY_PUSH(&m.allocator, &list, i));
    ARRAY_TRIM(&m.allocator, &list);
    assert_int_equal(list.capacity, 9);
    assert_int_equal(m.live, 9 * sizeof *list.items);
    for (int i = 0; i < 9; i++) assert_int_equal(list.items[i], i);
    assert_true(ARRAY_PUSH(&m.allocator, &list, 9));
    ARRAY_FREE(&m.allocator, &list);
    assert_int_equal(m.live, 0);
}

static bool is_zero(const unsigned char *block, size_t size)
{
    size_t k = 0;
    while (k < size && block[k] == 0) k++;
    return k == size;
}

/* Whatever stood where they are. */
static void large_blocks_are_zeroed(void **state)
{
    (void)state;
    const dae_allocator *a = dae_allocator_default();
    for (size_t k = 0; k < 5; k++) {
        const size_t size = ((size_t)3 << 20) * (k + 1) + 100 * k;
        unsigned char *block = alloc_zeroed(a, size, 1);
        assert_non_null(block);
        assert_true(is_zero(block, size));
        memset(block, 0xAB, size);
        alloc_free(a, block, size, 1);
    }
}

static void large_blocks_of_arenas_are_zeroed(void **state)
{
    (void)state;
    const size_t size = (size_t)5 << 20;
    arena a;
    arena_init(&a, NULL, 0);
    unsigned char *first = arena_take(&a, size, 1);
    assert_non_null(first);
    const arena_position mark = arena_mark(&a);
    for (size_t k = 0; k < 3; k++) {
        unsigned char *block = arena_take(&a, size + k, 1);
        assert_non_null(block);
        assert_true(is_zero(block, size + k));
        memset(block, 0xAB, size + k);
        arena_release(&a, mark);
    }
    assert_true(is_zero(first, size));
    arena_clear(&a);
}

/* One byte is enough for a page to be cleared. */
static void pages_are_cleared(void **state)
{
    (void)state;
    const size_t size = ((size_t)2 << 20) + 12345;
    unsigned char *block = alloc_zeroed(dae_allocator_default(), size, 1);
    assert_non_null(block);
    for (size_t k = 0; k < size; k += 4095) block[k] = 1;
    block[size - 1] = 1;
    alloc_clear(block, size);
    assert_true(is_zero(block, size));
    alloc_free(dae_allocator_default(), block, size, 1);
}

static void arena_blocks_are_zeroed_and_aligned(void **state)
{
    (void)state;
    arena a;
    arena_init(&a, NULL, 0);
    for (size_t n = 1; n < 3000; n += 7) {
        unsigned char *block = arena_take(&a, n, 3);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 16, 0);
        for (size_t i = 0; i < 3 * n; i++) assert_int_equal(block[i], 0);
        memset(block, 0xAB, 3 * n);
    }
    assert_null(arena_take(&a, SIZE_MAX / 2, 4));
    assert_non_null(arena_take(&a, 0, 4));
    arena_clear(&a);
    assert_int_equal(a.taken, 0);
}

static void arena_returns_to_a_mark(void **state)
{
    (void)state;
    failing_memory m;
    failing_init(&m, SIZE_MAX);
    arena a;
    arena_init(&a, &m.allocator, 0);
    arena_position empty = arena_mark(&a);
    char *kept = arena_copy(&a, "kept", 4);
    arena_position mark = arena_mark(&a);
    for (int i = 0; i < 100; i++) assert_non_null(arena_take(&a, 1000, 1));
    const size_t all = a.taken;
    arena_release(&a, mark);
    assert_true(a.taken < all && a.taken == m.live);
    assert_string_equal(kept, "kept");
    char *again = arena_take(&a, 16, 1);
    for (int i = 0; i < 16; i++) assert_int_equal(again[i], 0);
    arena_release(&a, empty);
    assert_int_equal(m.live, 0);
    assert_int_equal(a.taken, 0);
}

/* Blocks that do not fit into the first chunk, taken and released in a loop. */
static void arena_keeps_a_chunk_for_loops(void **state)
{
    (void)state;
    failing_memory m;
    failing_init(&m, SIZE_MAX);
    arena a;
    arena_init(&a, &m.allocator, 0);
    assert_non_null(arena_take(&a, 4000, 1));
    const arena_position mark = arena_mark(&a);
    for (size_t i = 0; i < 100; i++) {
        unsigned char *block = arena_take(&a, 500 + i, 1);
        assert_non_null(block);
        assert_int_equal(block[0], 0);
        block[0] = 1;
        arena_release(&a, mark);
    }
    assert_true(m.allocations <= 3);
    arena_clear(&a);
    assert_int_equal(m.live, 0);
}

static void arena_keeps_its_limit(void **state)
{
    (void)state;
    failing_memory m;
    failing_init(&m, SIZE_MAX);
    arena a;
    arena_init(&a, &m.allocator, 100000);
    int count = 0;
    while (arena_take(&a, 1000, 1)) count++;
    assert_true(m.live <= 100000);
    assert_true(a.taken == m.live);
    assert_in_range(count, 80, 100);
    arena_clear(&a);
    assert_int_equal(m.live, 0);
}

static void arena_texts(void **state)
{
    (void)state;
    arena a;
    arena_init(&a, NULL, 0);
    assert_string_equal(arena_copy(&a, "abcdef", 3), "abc");
    assert_string_equal(arena_copy(&a, "", 0), "");
    assert_string_equal(arena_printf(&a, "%d%s", 7, "up"), "7up");
    char *longer = arena_printf(&a, "%09000d", 1);
    assert_int_equal(strlen(longer), 9000);
    arena_clear(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_do_not_wrap),
        cmocka_unit_test(zero_items_are_a_block),
        cmocka_unit_test(arrays_grow),
        cmocka_unit_test(a_limit_is_met_in_few_steps),
        cmocka_unit_test(a_failed_push_keeps_the_array),
        cmocka_unit_test(arrays_are_trimmed),
        cmocka_unit_test(large_blocks_are_zeroed),
        cmocka_unit_test(large_blocks_of_arenas_are_zeroed),
        cmocka_unit_test(pages_are_cleared),
        cmocka_unit_test(arena_blocks_are_zeroed_and_aligned),
        cmocka_unit_test(arena_returns_to_a_mark),
        cmocka_unit_test(arena_keeps_a_chunk_for_loops),
        cmocka_unit_test(arena_keeps_its_limit),
        cmocka_unit_test(arena_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
