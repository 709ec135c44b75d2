/* diag_render.c: the text of a diagnostic, written by hand from docs/cli.md.
 * Columns of marks are counted by eye, not by the program. */
#include "base/report.h"
#include "support/check.h"

static arena texts;

static int set_up(void **state)
{
    (void)state;
    arena_init(&texts, NULL, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_clear(&texts);
    return 0;
}

static dae_source source_of(const char *text)
{
    dae_source s;
    CHECK_STATUS(
        source_init(&s, &texts, "rod.dae", text, strlen(text)), DAE_OK);
    return s;
}

static text_span span_of(const dae_source *s, const char *part)
{
    const char *at = strstr(s->text, part);
    assert_non_null(at);
    uint32_t begin = (uint32_t)(at - s->text);
    return (text_span){begin, begin + (uint32_t)strlen(part)};
}

static dae_diagnostics *collection(void)
{
    dae_diagnostics *ds;
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    return ds;
}

/* The first diagnostic reads as expected; `ds` is freed. */
static void check_text(dae_diagnostics *ds, const char *expected)
{
    text_sink sink = {NULL, 0};
    CHECK_STATUS(
        dae_diagnostic_render(dae_diagnostics_at(ds, 0), 0, sink_write, &sink),
        DAE_OK);
    assert_string_equal(sink.text, expected);
    free(sink.text);
    dae_diagnostics_free(ds);
}

static void several_places_in_line_order(void **state)
{
    (void)state;
    dae_source s = source_of("\n\nvar   x = 2, y = 0\n\n\n\n\n\n\n"
                             "rod: x^2 + y^2 = L^2\n");
    dae_diagnostics *ds = collection();
    report(ds, DIAG_E0401, &s, span_of(&s, "rod"), "conditions contradict");
    report_label(ds, "this reads 4 = 1");
    report_also(ds, &s, span_of(&s, "y = 0"), "and here");
    report_also(ds, &s, span_of(&s, "x = 2"), "given here");
    report_help(ds, "drop one");
    check_text(ds,
        "error[E0401]: conditions contradict\n"
        "  --> rod.dae:10:1\n"
        "   |\n"
        " 3 | var   x = 2, y = 0\n"
        "   |       ----- given here\n"
        "   |              ----- and here\n"
        "10 | rod: x^2 + y^2 = L^2\n"
        "   | ^^^ this reads 4 = 1\n"
        "   = help: drop one\n");
}

static void numbers_have_their_time(void **state)
{
    (void)state;
    dae_diagnostics *ds = collection();
    report(ds, DIAG_E0501, NULL, (text_span){0, 0}, "the step is too small");
    report_numeric(ds, 0.45, 1e-12, 3, "rod", "x");
    check_text(ds,
        "error[E0501]: the step is too small\n"
        "   = at t = 0.45, step 1e-12, order 3\n"
        "   = worst equation `rod`, worst unknown `x`\n");
    ds = collection();
    report(ds, DIAG_W0404, NULL, (text_span){0, 0}, "too few");
    report_numeric(ds, 0, 0, 0, NULL, NULL);
    check_text(ds,
        "warning[W0404]: too few\n"
        "   = at t = 0\n");
}

static void marks_stay_under_wide_text(void **state)
{
    (void)state;
    dae_source s = source_of("\tλ = 温度 + e\xCC\x81 + q\n");
    dae_diagnostics *ds = collection();
    report(ds, DIAG_E0201, &s, span_of(&s, "温度"), "unknown");
    report_also(ds, &s, span_of(&s, "q"), "too");
    check_text(ds,
        "error[E0201]: unknown\n"
        "  --> rod.dae:1:6\n"
        "   |\n"
        " 1 |     λ = 温度 + e\xCC\x81 + q\n"
        "   |         ^^^^\n"
        "   |                    - too\n");
}

static void a_span_over_lines_ends_with_the_first(void **state)
{
    (void)state;
    dae_source s = source_of("x = (1 +\n 2\n");
    dae_diagnostics *ds = collection();
    report(ds, DIAG_E0107, &s, (text_span){4, 11}, "no end");
    check_text(ds,
        "error[E0107]: no end\n"
        "  --> rod.dae:1:5\n"
        "   |\n"
        " 1 | x = (1 +\n"
        "   |     ^^^^\n");
}

static void the_end_of_a_line_has_a_mark(void **state)
{
    (void)state;
    dae_source s = source_of("x =\n\n");
    dae_diagnostics *ds = collection();
    report(ds, DIAG_E0102, &s, (text_span){3, 4}, "unexpected");
    check_text(ds,
        "error[E0102]: unexpected\n"
        "  --> rod.dae:1:4\n"
        "   |\n"
        " 1 | x =\n"
        "   |    ^\n");
    ds = collection();
    report(ds, DIAG_E0102, &s, (text_span){5, 5}, "the end");
    check_text(ds,
        "error[E0102]: the end\n"
        "  --> rod.dae:3:1\n"
        "   |\n"
        " 3 |\n"
        "   | ^\n");
}

static void a_long_line_is_cut_around_the_place(void **state)
{
    (void)state;
    char text[3001];
    memset(text, '(', 3000);
    text[1500] = 'x';
    text[3000] = '\0';
    dae_source s = source_of(text);
    dae_diagnostics *ds = collection();
    report(ds, DIAG_E0106, &s, (text_span){1500, 1501}, "too deep");
    char expected[400];
    int n = snprintf(expected, sizeof expected,
        "error[E0106]: too deep\n  --> rod.dae:1:1501\n   |\n 1 | ...");
    memset(expected + n, '(', 110);
    expected[n + 40] = 'x';
    (void)snprintf(expected + n + 110, 200, "...\n   | %43s^\n", "");
    check_text(ds, expected);
}

static void nothing_steers_the_terminal(void **state)
{
    (void)state;
    dae_source s = source_of("x\033[31m = \x01\xFF\n");
    dae_diagnostics *ds = collection();
    report(ds, DIAG_E0101, &s, (text_span){1, 2}, "bad `\033`");
    check_text(ds,
        "error[E0101]: bad `?`\n"
        "  --> rod.dae:1:2\n"
        "   |\n"
        " 1 | x?[31m = ??\n"
        "   |  ^\n");
}

static void other_files_come_after(void **state)
{
    (void)state;
    dae_source s = source_of("a\nb\n"), other = source_of("c\n");
    other.name = "other.dae";
    dae_diagnostics *ds = collection();
    report(ds, DIAG_E0202, &s, (text_span){2, 3}, "twice");
    report_also(ds, &other, (text_span){0, 1}, "first");
    check_text(ds,
        "error[E0202]: twice\n"
        "  --> rod.dae:2:1\n"
        "   |\n"
        " 2 | b\n"
        "   | ^\n"
        "  ::: other.dae:1:1\n"
        "   |\n"
        " 1 | c\n"
        "   | - first\n");
}

/* Any bytes and any span: no control character but line ends comes out, and
 * the line of marks has at least one. */
static void any_text_is_shown(void **state)
{
    (void)state;
    static const char *const parts[] = {"\t", "\n", "\r\n", "\x01", "\xFF",
        "\xC2", "\x80", "x", "   ", "λ", "温", "e\xCC\x81", "\xF0\x9F\x99\x82",
        "\033[2J", "\x7F", "\xC2\x85", "abcdefghijklmnopqrstuvwxyz"};
    uint32_t random = 12345;
    for (int round = 0; round < 3000; round++) {
        char text[800] = "";
        size_t length = 0;
        random = random * 1664525u + 1013904223u;
        for (uint32_t n = random >> 27; n > 0; n--) {
            random = random * 1664525u + 1013904223u;
            const char *part =
                parts[(random >> 16) % (sizeof parts / sizeof *parts)];
            memcpy(text + length, part, strlen(part) + 1);
            length += strlen(part);
        }
        arena_position before = arena_mark(&texts);
        dae_source s = source_of(text);
        uint32_t begin = (random >> 8) % (s.length + 1);
        uint32_t end = begin + (random >> 20) % (s.length + 2 - begin);
        dae_diagnostics *ds = collection();
        report(ds, DIAG_E0101, &s, (text_span){begin, end}, "%s", text);
        text_sink sink = {NULL, 0};
        CHECK_STATUS(dae_diagnostic_render(
                         dae_diagnostics_at(ds, 0), 0, sink_write, &sink),
            DAE_OK);
        for (size_t i = 0; i < sink.length; i++)
            assert_true(
                (unsigned char)sink.text[i] >= 0x20 || sink.text[i] == '\n');
        assert_non_null(strstr(sink.text, "^"));
        assert_null(strstr(sink.text, "\x7F"));
        assert_null(strstr(sink.text, "\xC2\x85"));
        free(sink.text);
        dae_diagnostics_free(ds);
        arena_release(&texts, before);
    }
}

static int refuse(void *context, const char *text, size_t length)
{
    (void)text;
    (void)length;
    return ++*(int *)context;
}

static void a_full_disk_is_reported(void **state)
{
    (void)state;
    int calls = 0;
    dae_diagnostics *ds = collection();
    report(ds, DIAG_E0003, NULL, (text_span){0, 0}, "no memory");
    const dae_diagnostic *d = dae_diagnostics_at(ds, 0);
    CHECK_STATUS(dae_diagnostic_render(d, 0, refuse, &calls), DAE_IO);
    assert_int_equal(calls, 1); /* asked no more after the refusal */
    dae_diagnostics_free(ds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_places_in_line_order),
        cmocka_unit_test(numbers_have_their_time),
        cmocka_unit_test(marks_stay_under_wide_text),
        cmocka_unit_test(a_span_over_lines_ends_with_the_first),
        cmocka_unit_test(the_end_of_a_line_has_a_mark),
        cmocka_unit_test(a_long_line_is_cut_around_the_place),
        cmocka_unit_test(nothing_steers_the_terminal),
        cmocka_unit_test(other_files_come_after),
        cmocka_unit_test(any_text_is_shown),
        cmocka_unit_test(a_full_disk_is_reported),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
