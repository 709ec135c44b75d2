/* report.c: what is kept, dropped, counted, and what survives failure. */
#include "base/report.h"
#include "support/check.h"

typedef struct fixture {
    arena a;
    dae_source s;
    dae_diagnostics *ds;
} fixture;

static const char *const text = "var x = 1\nλ = y + z\nx' = -x\n";

static void open_fixture(fixture *f)
{
    arena_init(&f->a, NULL, 0);
    CHECK_STATUS(
        source_init(&f->s, &f->a, "m.dae", text, strlen(text)), DAE_OK);
    CHECK_STATUS(dae_diagnostics_create(NULL, &f->ds), DAE_OK);
}

static void close_fixture(fixture *f)
{
    dae_diagnostics_free(f->ds);
    arena_clear(&f->a);
}

static void a_report_has_its_place(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f);
    report(f.ds, DIAG_E0201, &f.s, (text_span){15, 16}, "no name `%s`", "y");
    report_label(f.ds, "%s here", "used");
    report_also(f.ds, &f.s, (text_span){4, 5}, "near");
    report_help(f.ds, "did you mean `%s`", "x");
    report_numeric(f.ds, 0.5, 1e-3, 2, "L2", NULL);
    const dae_diagnostic *d = dae_diagnostics_at(f.ds, 0);
    assert_string_equal(d->code, "E0201");
    assert_int_equal(d->severity, DAE_ERROR);
    assert_string_equal(d->message, "no name `y`");
    assert_string_equal(d->help, "did you mean `x`");
    assert_int_equal(d->span_count, 2);
    const dae_span *s = &d->spans[0];
    assert_string_equal(s->file, "m.dae");
    assert_string_equal(s->text, "λ = y + z");
    assert_string_equal(s->label, "used here");
    assert_int_equal(s->line, 2);
    assert_int_equal(s->column, 5);
    assert_int_equal(s->end_line, 2);
    assert_int_equal(s->end_column, 6);
    assert_int_equal(d->spans[1].line, 1);
    assert_int_equal(d->has_time, 1);
    CHECK_NEAR(d->t, 0.5, 0);
    assert_string_equal(d->equation, "L2");
    assert_null(d->variable);
    close_fixture(&f);
}

static void repeats_are_dropped(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f);
    for (int i = 0; i < 3; i++) {
        report(f.ds, DIAG_E0201, &f.s, (text_span){15, 16}, "no `y`");
        report_help(f.ds, "help %d", i);
        report(f.ds, DIAG_E0003, NULL, (text_span){0, 0}, "no memory");
    }
    assert_int_equal(dae_diagnostics_count(f.ds), 2);
    assert_int_equal(dae_diagnostics_error_count(f.ds), 2);
    assert_string_equal(dae_diagnostics_at(f.ds, 0)->help, "help 0");
    report(f.ds, DIAG_E0201, &f.s, (text_span){19, 20}, "no `y`");
    report(f.ds, DIAG_E0201, &f.s, (text_span){15, 16}, "no `z`");
    report(f.ds, DIAG_E0202, &f.s, (text_span){15, 16}, "no `y`");
    assert_int_equal(dae_diagnostics_count(f.ds), 5);
    close_fixture(&f);
}

static void twenty_errors_are_kept(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f);
    for (int i = 0; i < 25; i++)
        report(f.ds, DIAG_E0201, &f.s, (text_span){0, 1}, "no `y%d`", i);
    report_label(f.ds, "belongs to one that was dropped");
    report(f.ds, DIAG_W0404, NULL, (text_span){0, 0}, "too few");
    assert_int_equal(dae_diagnostics_count(f.ds), 21);
    assert_int_equal(dae_diagnostics_error_count(f.ds), 25);
    assert_null(dae_diagnostics_at(f.ds, 19)->spans[0].label);
    assert_int_equal(dae_diagnostics_at(f.ds, 20)->severity, DAE_WARNING);
    assert_null(dae_diagnostics_at(f.ds, 21));
    dae_diagnostics_clear(f.ds);
    assert_int_equal(dae_diagnostics_count(f.ds), 0);
    assert_int_equal(dae_diagnostics_error_count(f.ds), 0);
    report(f.ds, DIAG_N0406, NULL, (text_span){0, 0}, "moved");
    assert_int_equal(dae_diagnostics_at(f.ds, 0)->severity, DAE_NOTE);
    close_fixture(&f);
}

static void long_texts_are_cut(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f);
    char wide[4001];
    for (int i = 0; i < 2000; i++) memcpy(wide + 2 * i, "λ", 2);
    wide[4000] = '\0';
    report(f.ds, DIAG_E0201, NULL, (text_span){0, 0}, "a%s", wide);
    const char *message = dae_diagnostics_at(f.ds, 0)->message;
    size_t n = strlen(message);
    assert_true(n > 900 && n < 1000);
    assert_string_equal(message + n - 3, "...");
    assert_int_equal((n - 4) % 2, 0); /* no half of a letter */
    close_fixture(&f);
}

/* What was said since a mark held for something that turned out otherwise: it
 * is gone, with its errors, and can be said again. */
static void what_was_said_can_be_taken_back(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f);
    report(f.ds, DIAG_E0201, &f.s, (text_span){15, 16}, "no `y`");
    report_label(f.ds, "kept");
    const report_position mark = report_mark(f.ds);
    report(f.ds, DIAG_E0201, &f.s, (text_span){15, 16}, "no `y`");
    report(f.ds, DIAG_E0201, &f.s, (text_span){19, 20}, "no `z`");
    report(f.ds, DIAG_W0404, NULL, (text_span){0, 0}, "too few");
    assert_int_equal(dae_diagnostics_count(f.ds), 3);
    assert_int_equal(report_error_count(f.ds), 3);
    report_rewind(f.ds, mark);
    assert_int_equal(dae_diagnostics_count(f.ds), 1);
    assert_int_equal(dae_diagnostics_error_count(f.ds), 1);
    assert_int_equal(report_error_count(f.ds), 1);
    /* what was begun last is not what stands last */
    report_label(f.ds, "of what is gone");
    report_also(f.ds, &f.s, (text_span){4, 5}, "of what is gone");
    report_help(f.ds, "of what is gone");
    const dae_diagnostic *d = dae_diagnostics_at(f.ds, 0);
    assert_string_equal(d->spans[0].label, "kept");
    assert_int_equal(d->span_count, 1);
    assert_null(d->help);
    report(f.ds, DIAG_E0201, &f.s, (text_span){19, 20}, "no `z`");
    assert_int_equal(dae_diagnostics_count(f.ds), 2);
    report(f.ds, DIAG_E0201, &f.s, (text_span){15, 16}, "no `y`");
    assert_int_equal(dae_diagnostics_count(f.ds), 2);
    report_rewind(NULL, report_mark(NULL));
    close_fixture(&f);
}

/* The room for twenty errors is there again. */
static void what_is_taken_back_leaves_room(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f);
    const report_position mark = report_mark(f.ds);
    for (int i = 0; i < 25; i++)
        report(f.ds, DIAG_E0201, &f.s, (text_span){0, 1}, "no `y%d`", i);
    report_rewind(f.ds, mark);
    assert_int_equal(dae_diagnostics_error_count(f.ds), 0);
    for (int i = 0; i < 20; i++)
        report(f.ds, DIAG_E0201, &f.s, (text_span){0, 1}, "no `z%d`", i);
    assert_int_equal(dae_diagnostics_count(f.ds), 20);
    assert_string_equal(dae_diagnostics_at(f.ds, 19)->message, "no `z19`");
    close_fixture(&f);
}

static void nowhere_to_report_is_fine(void **state)
{
    (void)state;
    report(NULL, DIAG_E0201, NULL, (text_span){0, 0}, "lost");
    report_label(NULL, "lost");
    report_also(NULL, NULL, (text_span){0, 0}, "lost");
    report_help(NULL, "lost");
    report_numeric(NULL, 0, 0, 0, NULL, NULL);
    assert_int_equal(dae_diagnostics_count(NULL), 0);
    dae_diagnostics_free(NULL);
}

/* Whatever allocation fails, every kept diagnostic has code and message, and
 * errors are counted. */
static void any_allocation_may_fail(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f);
    bool all_kept = false;
    for (size_t n = 0; n < 40 && !all_kept; n++) {
        failing_memory m;
        failing_init(&m, n);
        dae_diagnostics *ds;
        dae_status st = dae_diagnostics_create(&m.allocator, &ds);
        assert_true((st == DAE_OK) == (ds != NULL));
        if (st) continue;
        for (int i = 0; i < 15; i++) {
            report(ds, DIAG_E0201, &f.s, (text_span){15, 16}, "%0500d", i);
            for (int k = 0; k < 5; k++)
                report_also(ds, &f.s, (text_span){4, 5}, "also %0900d", k);
            report_help(ds, "%0900d", i);
        }
        assert_int_equal(dae_diagnostics_error_count(ds), 15);
        size_t kept = dae_diagnostics_count(ds);
        for (size_t i = 0; i < kept; i++) {
            const dae_diagnostic *d = dae_diagnostics_at(ds, i);
            assert_non_null(d->code);
            assert_int_equal(strlen(d->message), 500);
            assert_true(d->span_count >= 1);
        }
        if (kept == 15) all_kept = dae_diagnostics_at(ds, 14)->help != NULL;
        dae_diagnostics_free(ds);
        assert_int_equal(m.live, 0);
    }
    assert_true(all_kept);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_has_its_place),
        cmocka_unit_test(repeats_are_dropped),
        cmocka_unit_test(twenty_errors_are_kept),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(what_was_said_can_be_taken_back),
        cmocka_unit_test(what_is_taken_back_leaves_room),
        cmocka_unit_test(nowhere_to_report_is_fine),
        cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
