/* The heap against a plain search for the smallest key. */
#include "check.h"
#include "graph/heap.h"
#include "random.h"

enum { MOST = 50 };

static int32_t plain_top(const int64_t *key, const bool *is_in)
{
    int32_t top = -1;
    for (int32_t k = 0; k < MOST; k++)
        if (is_in[k] && (top < 0 || key[k] < key[top])) top = k;
    return top;
}

/* Pushed, moved up and taken out at random; many keys are equal, and then the
 * smallest item comes first. */
static void test_random_work(void **state)
{
    (void)state;
    random_state r = {31};
    int64_t key[MOST] = {0};
    bool is_in[MOST] = {false};
    size_t count = 0;
    heap h;
    CHECK_STATUS(heap_init(&h, MOST, key, NULL), DAE_OK);
    for (int n = 0; n < 20000; n++) {
        const int32_t item = (int32_t)random_below(&r, MOST);
        assert_int_equal(heap_has(&h, item), is_in[item]);
        if (is_in[item]) {
            key[item] -= (int64_t)random_below(&r, 5);
            heap_push(&h, item);
        } else if (random_below(&r, 2)) {
            key[item] = (int64_t)random_below(&r, 30);
            is_in[item] = true;
            count++;
            heap_push(&h, item);
        }
        assert_int_equal(h.count, count);
        if (count == 0 || random_below(&r, 4)) continue;
        const int32_t top = plain_top(key, is_in);
        assert_int_equal(heap_pop(&h), top);
        is_in[top] = false;
        count--;
    }
    heap_empty(&h);
    assert_int_equal(h.count, 0);
    for (int32_t k = 0; k < MOST; k++) assert_false(heap_has(&h, k));
    heap_clear(&h);
    heap_clear(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
