/* source.c: lines and columns of code points, reading files. */
#include "base/source.h"
#include "support/check.h"

static void check_position(const dae_source *s, uint32_t offset,
    uint32_t want_line, uint32_t want_column)
{
    uint32_t line, column;
    source_position(s, offset, &line, &column);
    assert_int_equal(line, want_line);
    assert_int_equal(column, want_column);
}

static void check_line(const dae_source *s, uint32_t line, const char *text)
{
    uint32_t length;
    const char *at = source_line(s, line, &length);
    assert_int_equal(length, strlen(text));
    assert_memory_equal(at, text, length);
}

static void lines_and_columns(void **state)
{
    (void)state;
    arena a;
    dae_source s;
    arena_init(&a, NULL, 0);
    const char *text = "ab\r\n\nλx = 1\nend";
    CHECK_STATUS(source_init(&s, &a, "m.dae", text, strlen(text)), DAE_OK);
    assert_int_equal(s.line_count, 4);
    check_position(&s, 0, 1, 1);
    check_position(&s, 3, 1, 4); /* the line's end belongs to it */
    check_position(&s, 4, 2, 1);
    check_position(&s, 5, 3, 1);
    check_position(&s, 7, 3, 2); /* x, after the two bytes of λ */
    check_position(&s, 13, 4, 1);
    check_position(&s, 16, 4, 4);
    check_position(&s, 999, 4, 4);
    check_line(&s, 1, "ab");
    check_line(&s, 2, "");
    check_line(&s, 3, "λx = 1");
    check_line(&s, 4, "end");
    check_line(&s, 5, "");
    arena_clear(&a);
}

static void an_empty_text_has_one_line(void **state)
{
    (void)state;
    arena a;
    dae_source s;
    arena_init(&a, NULL, 0);
    CHECK_STATUS(source_init(&s, &a, "m.dae", "", 0), DAE_OK);
    assert_int_equal(s.line_count, 1);
    check_position(&s, 0, 1, 1);
    check_line(&s, 1, "");
    arena_clear(&a);
}

static void a_file_is_read_whole(void **state)
{
    (void)state;
    char path[] = "base_source_test.tmp";
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    for (int i = 0; i < 30000; i++) (void)fputs("x = 1\n", f);
    assert_int_equal(fclose(f), 0);
    arena a;
    dae_source s;
    arena_init(&a, NULL, 0);
    CHECK_STATUS(source_read(&s, &a, path, NULL), DAE_OK);
    (void)remove(path);
    assert_int_equal(s.length, 180000);
    assert_int_equal(s.line_count, 30001);
    assert_int_equal(s.text[s.length], 0);
    assert_string_equal(s.name, path);
    arena_clear(&a);
}

static void a_missing_file_is_reported(void **state)
{
    (void)state;
    arena a;
    dae_source s;
    dae_diagnostics *ds;
    arena_init(&a, NULL, 0);
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    CHECK_STATUS(source_read(&s, &a, "no/such.dae", ds), DAE_IO);
    CHECK_DIAG(ds, "E0001", 0, 0);
    assert_non_null(strstr(dae_diagnostics_at(ds, 0)->message, "no/such.dae"));
    CHECK_STATUS(source_read(&s, &a, "/", ds), DAE_IO); /* a folder */
    assert_int_equal(dae_diagnostics_count(ds), 2);
    dae_diagnostics_free(ds);
    arena_clear(&a);
}

static void without_memory_nothing_leaks(void **state)
{
    (void)state;
    for (size_t n = 0; n < 4; n++) {
        failing_memory m;
        failing_init(&m, n);
        arena a;
        dae_source s;
        arena_init(&a, &m.allocator, 0);
        dae_status st = source_init(&s, &a, "m", "a\nb", 3);
        if (n == 0) CHECK_STATUS(st, DAE_MEMORY);
        if (st) assert_null(s.text);
        arena_clear(&a);
        assert_int_equal(m.live, 0);
    }
}

static void a_byte_order_mark_is_no_column(void **state)
{
    (void)state;
    arena a;
    dae_source s;
    uint32_t line, column;
    arena_init(&a, dae_allocator_default(), 0);
    CHECK_STATUS(source_init(&s, &a, "m",
                     "\xEF\xBB\xBF"
                     "ab\nc",
                     7),
        DAE_OK);
    source_position(&s, 3, &line, &column);
    assert_int_equal(line, 1);
    assert_int_equal(column, 1);
    source_position(&s, 4, &line, &column);
    assert_int_equal(column, 2);
    source_position(&s, 0, &line, &column);
    assert_int_equal(column, 1);
    source_position(&s, 6, &line, &column);
    assert_int_equal(line, 2);
    assert_int_equal(column, 1);
    arena_clear(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_byte_order_mark_is_no_column),
        cmocka_unit_test(lines_and_columns),
        cmocka_unit_test(an_empty_text_has_one_line),
        cmocka_unit_test(a_file_is_read_whole),
        cmocka_unit_test(a_missing_file_is_reported),
        cmocka_unit_test(without_memory_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
