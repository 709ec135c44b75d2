/* intern.c: ids in order of appearance, nearest names. */
#include "base/intern.h"
#include "support/check.h"

static void ids_count_in_order(void **state)
{
    (void)state;
    failing_memory m;
    failing_init(&m, SIZE_MAX);
    arena a;
    intern_table t;
    arena_init(&a, &m.allocator, 0);
    intern_init(&t, &a);
    assert_int_equal(intern_find(&t, "x", 1), INTERN_NONE);
    char text[16];
    for (uint32_t i = 0; i < 5000; i++) {
        int n = snprintf(text, sizeof text, "name%u", (unsigned)i);
        assert_int_equal(intern_add(&t, text, (size_t)n), i);
    }
    for (uint32_t i = 0; i < 5000; i += 17) {
        int n = snprintf(text, sizeof text, "name%u", (unsigned)i);
        assert_int_equal(intern_add(&t, text, (size_t)n), i);
        assert_int_equal(intern_find(&t, text, (size_t)n), i);
        assert_string_equal(intern_text(&t, i), text);
    }
    assert_int_equal(intern_find(&t, "name", 4), INTERN_NONE);
    assert_int_equal(intern_add(&t, "", 0), 5000);
    intern_clear(&t);
    arena_clear(&a);
    assert_int_equal(m.live, 0);
}

static void without_memory_nothing_changes(void **state)
{
    (void)state;
    for (size_t n = 0; n < 12; n++) {
        failing_memory m;
        failing_init(&m, n);
        arena a;
        intern_table t;
        arena_init(&a, &m.allocator, 0);
        intern_init(&t, &a);
        char text[16];
        uint32_t made = 0;
        for (uint32_t i = 0; i < 300; i++) {
            int length = snprintf(text, sizeof text, "n%u", (unsigned)i);
            uint32_t id = intern_add(&t, text, (size_t)length);
            if (id == INTERN_NONE) break;
            assert_int_equal(id, i);
            made++;
        }
        assert_int_equal(t.names.count, made);
        for (uint32_t i = 0; i < made; i++) {
            int length = snprintf(text, sizeof text, "n%u", (unsigned)i);
            assert_int_equal(intern_find(&t, text, (size_t)length), i);
        }
        intern_clear(&t);
        arena_clear(&a);
        assert_int_equal(m.live, 0);
    }
}

static const char *near_of(const char *text, const char *a, const char *b)
{
    const char *names[] = {a, b};
    return nearest_name(text, names, 2);
}

static void nearest_by_edits(void **state)
{
    (void)state;
    assert_string_equal(
        near_of("tempreature", "pressure", "temperature"), "temperature");
    assert_string_equal(near_of("rodd", "rod", "rode"), "rod"); /* first */
    assert_string_equal(near_of("vx", "vy", "lambda"), "vy");
    assert_string_equal(near_of("lamda", "vy", "lambda"), "lambda");
    assert_null(near_of("pressure", "temperature", "velocity"));
    assert_null(near_of("abcdef", "abcxyz", "")); /* 3 edits, 2 allowed */
    assert_null(near_of("x", "y", "z"));          /* nothing in common */
    assert_string_equal(near_of("x", "y", "x1"), "x1");
    assert_null(nearest_name("", NULL, 0));
}

/* One changed letter is one edit, however many bytes it has. */
static void nearest_counts_code_points(void **state)
{
    (void)state;
    assert_string_equal(near_of("θ1", "φ1", "zeta"), "φ1");
    assert_string_equal(near_of("größe", "grosse", "grüße"), "grüße");
    assert_null(near_of("λ", "Φ", "μ"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_count_in_order),
        cmocka_unit_test(without_memory_nothing_changes),
        cmocka_unit_test(nearest_by_edits),
        cmocka_unit_test(nearest_counts_code_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
