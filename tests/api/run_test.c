/* <dae/run.h>: runs as other programs make them. */
#include "check.h"
#include <dae/names.h>
#include <dae/run.h>
#include <dae/table.h>

typedef struct trial {
    dae_diagnostics *ds;
    dae_run *run;
} trial;

static trial open_with(const char *text, const dae_model_options *options)
{
    trial w;
    CHECK_STATUS(dae_diagnostics_create(NULL, &w.ds), DAE_OK);
    CHECK_STATUS(
        dae_run_parse("m.dae", text, strlen(text), options, NULL, w.ds, &w.run),
        DAE_OK);
    return w;
}

static trial open_trial(const char *text)
{
    return open_with(text, NULL);
}

static void close_trial(trial *w)
{
    dae_run_free(w->run);
    dae_diagnostics_free(w->ds);
}

static double final_of(const trial *w, const char *name)
{
    double value = 0;
    CHECK_STATUS(dae_run_final(w->run, name, &value), DAE_OK);
    return value;
}

static double solved(const trial *w, const char *name)
{
    CHECK_STATUS(dae_run_solve(w->run), DAE_OK);
    return final_of(w, name);
}

static const char DECAY[] = "param k = 0.5, twice = 2*k\n"
                            "var x = 1 {m} \"a length\"\n"
                            "x' = -k*x\n"
                            "let y = twice*x\n"
                            "output z = x + y {m}\n"
                            "expect x > 0 always\n"
                            "solve t in 0..2, rtol = 1e-9\n";

static const char BALL[] =
    "var h = 1, v = 0\ndiscrete n = 0\n"
    "h' = v\nv' = -9.81\n"
    "bounce: when h < 0\n  v := -0.8*v\n  n := n + 1\nend\n"
    "when n > 2\n  stop \"enough\"\nend\n"
    "solve t in 0..3, rtol = 1e-9\n";

/* ---- params, settings ---- */

static void params_are_listed(void **state)
{
    (void)state;
    trial w = open_trial("param a = 2 {m} \"size\", b = 3*a, n = 2\n"
                         "var x[1..n] = 1\nfor i in 1..n\n  x[i]' = -a*b\nend\n"
                         "solve t in 0..1\n");
    const dae_model *m = dae_run_model(w.run);
    char name[20];
    assert_int_equal(dae_model_param_count(m), 3);
    const size_t a = dae_model_param_find(m, "a"),
                 b = dae_model_param_find(m, "b"),
                 n = dae_model_param_find(m, "n");
    dae_model_param_name(m, a, name, sizeof name);
    assert_string_equal(name, "a");
    assert_string_equal(dae_model_param_unit(m, a), "m");
    assert_string_equal(dae_model_param_doc(m, a), "size");
    CHECK_NEAR(dae_model_param_value(m, a), 2, 0);
    CHECK_NEAR(dae_model_param_value(m, b), 6, 0);
    CHECK_NEAR(dae_model_param_value(m, n), 2, 0);
    assert_true(dae_model_param_is_free(m, a));
    assert_false(dae_model_param_is_free(m, b));
    assert_false(dae_model_param_is_free(m, n));
    assert_true(dae_model_param_find(m, "q") == SIZE_MAX);
    close_trial(&w);
}

static void a_scan_gives_what_single_runs_give(void **state)
{
    (void)state;
    trial w = open_trial(DECAY);
    for (int i = 1; i < 5; i++) {
        CHECK_STATUS(dae_run_set(w.run, "k", 0.3 * i), DAE_OK);
        CHECK_NEAR(solved(&w, "x"), exp(-0.6 * i), 1e-8);
        CHECK_NEAR(final_of(&w, "y"), 0.6 * i * exp(-0.6 * i), 1e-7);
    }
    /* what is computed from others, initial values: compiled again */
    CHECK_STATUS(dae_run_set(w.run, "twice", 10), DAE_OK);
    CHECK_STATUS(dae_run_set(w.run, "x(0)", 3), DAE_OK);
    CHECK_NEAR(solved(&w, "y"), 30 * exp(-2.4), 1e-6);
    CHECK_STATUS(dae_run_set(w.run, "k", 1), DAE_OK);
    CHECK_NEAR(solved(&w, "y"), 30 * exp(-2.0), 1e-6);
    CHECK_STATUS(dae_run_set_text(w.run, "k", "1/4 + 1/4"), DAE_OK);
    CHECK_NEAR(solved(&w, "x"), 3 * exp(-1.0), 1e-7);
    close_trial(&w);
}

static void names_that_there_are_not_are_told(void **state)
{
    (void)state;
    trial w = open_trial(DECAY);
    CHECK_STATUS(dae_run_set(w.run, "q", 1), DAE_ARGUMENT);
    CHECK_STATUS(dae_run_set_text(w.run, "q", "1"), DAE_ARGUMENT);
    CHECK_DIAG(w.ds, "E0505", 0, 0);
    CHECK_STATUS(dae_run_set(w.run, "z(0)", 1), DAE_OK);
    CHECK_STATUS(dae_run_solve(w.run), DAE_MODEL);
    /* and are forgotten */
    CHECK_STATUS(dae_run_set(w.run, "k", 1), DAE_OK);
    CHECK_NEAR(solved(&w, "x"), exp(-2), 1e-8);
    CHECK_STATUS(dae_run_set_text(w.run, "k", "1 +"), DAE_OK);
    CHECK_STATUS(dae_run_solve(w.run), DAE_MODEL);
    CHECK_NEAR(solved(&w, "x"), exp(-2), 1e-8);
    close_trial(&w);
}

static int says(void *context)
{
    return *(const int *)context;
}

/* A value that was set is not lost, whatever compiling comes to. */
static void values_outlast_what_does_not_compile(void **state)
{
    (void)state;
    trial w = open_trial("param k = 1, n = 2\nvar x = 1, v[1..n] = 0\n"
                         "x' = -k*x\nfor i in 1..n\n  v[i]' = k\nend\n"
                         "solve t in 0..1, rtol = 1e-9\n");
    int is_interrupted = 1;
    CHECK_STATUS(dae_run_set(w.run, "x(0)", 5), DAE_OK);
    dae_run_on_interrupt(w.run, says, &is_interrupted);
    CHECK_STATUS(dae_run_solve(w.run), DAE_INTERRUPTED);
    is_interrupted = 0;
    CHECK_NEAR(solved(&w, "x"), 5 * exp(-1), 1e-7);
    /* one that wanted no compiling */
    CHECK_STATUS(dae_run_set(w.run, "k", 2), DAE_OK);
    CHECK_STATUS(dae_run_set_text(w.run, "n", "-5"), DAE_OK);
    CHECK_STATUS(dae_run_solve(w.run), DAE_MODEL);
    CHECK_NEAR(solved(&w, "x"), 5 * exp(-2), 1e-7);
    CHECK_STATUS(dae_run_set_text(w.run, "n", "4"), DAE_OK);
    CHECK_NEAR(solved(&w, "v[4]"), 2, 1e-7);
    CHECK_NEAR(final_of(&w, "x"), 5 * exp(-2), 1e-7);
    close_trial(&w);
}

/* At each allocation of compiling, from there on. */
static void values_outlast_want_of_memory(void **state)
{
    (void)state;
    static const char text[] = "var x = 1\nx' = 0\nsolve t in 0..1\n";
    failing_memory memory;
    failing_init(&memory, SIZE_MAX);
    trial w;
    CHECK_STATUS(dae_diagnostics_create(NULL, &w.ds), DAE_OK);
    CHECK_STATUS(dae_run_parse("m.dae", text, sizeof text - 1, NULL,
                     &memory.allocator, w.ds, &w.run),
        DAE_OK);
    CHECK_STATUS(dae_run_set(w.run, "x(0)", 5), DAE_OK);
    dae_status st = DAE_MEMORY;
    for (size_t k = 0; st == DAE_MEMORY; k += 1 + k / 8) {
        memory.fail_from = memory.allocations + k;
        st = dae_run_solve(w.run);
    }
    memory.fail_from = SIZE_MAX;
    CHECK_STATUS(st, DAE_OK);
    CHECK_NEAR(final_of(&w, "x"), 5, 0);
    close_trial(&w);
    assert_int_equal(memory.live, 0);
}

/* With a diagnostic that says so. */
static void check_told(const trial *w, dae_status st, dae_status wanted,
    const char *message, const char *help)
{
    const size_t count = dae_diagnostics_count(w->ds);
    CHECK_STATUS(st, wanted);
    assert_true(count > 0);
    const dae_diagnostic *d = dae_diagnostics_at(w->ds, count - 1);
    assert_string_equal(d->code, "E0505");
    assert_string_equal(d->message, message);
    assert_string_equal(d->help ? d->help : "", help);
    dae_diagnostics_clear(w->ds);
}

static void what_is_refused_is_told(void **state)
{
    (void)state;
    trial w = open_trial(
        "param kappa = 1, n = 1\nvar height = 1, v[1..n] = 1\n"
        "height' = -kappa*height\nfor i in 1..n\n  v[i]' = 1\nend\n"
        "solve t in 0..2\n");
    dae_run *r = w.run;
    double v;
    check_told(&w, dae_run_to(r, 1), DAE_ARGUMENT, "the run has no start yet",
        "dae_run_start makes one");
    check_told(&w, dae_run_to_event(r), DAE_ARGUMENT,
        "the run has no start yet", "dae_run_start makes one");
    check_told(&w, dae_run_input(r, "kappa", 1), DAE_ARGUMENT,
        "the run has no start yet", "dae_run_start makes one");
    check_told(&w, dae_run_final(r, "height", &v), DAE_ARGUMENT,
        "the run has no start yet", "dae_run_start makes one");
    check_told(&w, dae_run_set(r, "kapa", 1), DAE_ARGUMENT,
        "the model has no param `kapa`", "did you mean `kappa`?");
    check_told(&w, dae_run_set(r, "height", 1), DAE_ARGUMENT,
        "the model has no param `height`",
        "`height(0)` is the initial value of `height`");
    check_told(&w, dae_run_set(r, "v[1]", 1), DAE_ARGUMENT,
        "the model has no param `v[1]`",
        "`v[1](0)` is the initial value of `v[1]`");
    check_told(&w, dae_run_set(r, "kappa", (double)NAN), DAE_ARGUMENT,
        "the value of `kappa` is to be a finite number", "");
    check_told(&w, dae_run_set_number(r, "rtoll", 1), DAE_ARGUMENT,
        "there is no setting `rtoll`", "did you mean `rtol`?");
    check_told(&w, dae_run_set_number(r, "rtol", -1), DAE_ARGUMENT,
        "the setting rtol wants a finite number, 0 or above", "");
    check_told(&w, dae_run_set_number(r, "points", 1e30), DAE_ARGUMENT,
        "the setting points wants a whole number above 0 and below 2^63", "");
    check_told(&w, dae_run_set_atol(r, "height", -1), DAE_ARGUMENT,
        "the setting atol wants a finite number, 0 or above", "");
    check_told(&w, dae_run_set_word(r, "reduce", "perhaps"), DAE_ARGUMENT,
        "the setting reduce wants one of the words auto, project, stabilize, "
        "never",
        "");
    CHECK_STATUS(dae_run_start(r), DAE_OK);
    CHECK_STATUS(dae_run_to(r, 1), DAE_OK);
    check_told(&w, dae_run_to(r, 0.5), DAE_ARGUMENT,
        "t = 0.5 is not ahead of the run, which stands at 1 and ends at 2", "");
    check_told(&w, dae_run_final(r, "heigt", &v), DAE_ARGUMENT,
        "the model has no unknown, discrete variable, let or output `heigt`",
        "did you mean `height`?");
    assert_true(isnan(v));
    check_told(&w, dae_run_estimate_error(r), DAE_ARGUMENT,
        "the run has not come to its end", "");
    CHECK_STATUS(dae_run_set(r, "kappa", 2), DAE_OK);
    check_told(&w, dae_run_to(r, 2), DAE_ARGUMENT,
        "the run was forgotten when a param was set",
        "between parts of a run dae_run_input gives a param another value");
    CHECK_NEAR(solved(&w, "height"), exp(-4), 1e-4);
    close_trial(&w);
    dae_model *m;
    CHECK_STATUS(dae_diagnostics_create(NULL, &w.ds), DAE_OK);
    CHECK_STATUS(
        dae_model_parse("m.dae", DECAY, sizeof DECAY - 1, NULL, NULL, w.ds, &m),
        DAE_OK);
    CHECK_STATUS(dae_run_create(m, NULL, w.ds, &w.run), DAE_OK);
    check_told(&w, dae_run_set(w.run, "x(0)", 1), DAE_UNSUPPORTED,
        "`x(0)` wants the model compiled again, which a run does with one "
        "that it has loaded itself",
        "");
    close_trial(&w);
    dae_model_free(m);
}

static void a_set_counts_after_an_input(void **state)
{
    (void)state;
    trial w = open_trial("param k = 1\nvar x = 1\nx' = -k*x\n"
                         "solve t in 0..1, rtol = 1e-9\n");
    CHECK_STATUS(dae_run_start(w.run), DAE_OK);
    CHECK_STATUS(dae_run_input(w.run, "k", 5), DAE_OK);
    CHECK_STATUS(dae_run_to(w.run, 0.5), DAE_OK);
    CHECK_STATUS(dae_run_set(w.run, "k", 2), DAE_OK);
    CHECK_NEAR(solved(&w, "x"), exp(-2), 1e-8);
    close_trial(&w);
}

static void settings_say_where_they_come_from(void **state)
{
    (void)state;
    trial w = open_trial(DECAY);
    dae_setting s;
    CHECK_STATUS(dae_run_setting(w.run, "rtol", &s), DAE_OK);
    assert_int_equal(s.origin, DAE_FROM_MODEL);
    CHECK_NEAR(s.number, 1e-9, 0);
    CHECK_STATUS(dae_run_setting(w.run, "atol", &s), DAE_OK);
    assert_int_equal(s.origin, DAE_FROM_DEFAULT);
    CHECK_STATUS(dae_run_set_number(w.run, "rtol", 1e-4), DAE_OK);
    CHECK_STATUS(dae_run_setting(w.run, "rtol", &s), DAE_OK);
    assert_int_equal(s.origin, DAE_FROM_CALLER);
    CHECK_NEAR(s.number, 1e-4, 0);
    CHECK_STATUS(dae_run_set_number(w.run, "rtol", (double)NAN), DAE_OK);
    CHECK_STATUS(dae_run_setting(w.run, "rtol", &s), DAE_OK);
    assert_int_equal(s.origin, DAE_FROM_MODEL);
    CHECK_STATUS(dae_run_setting(w.run, "max_step", &s), DAE_OK);
    assert_string_equal(s.name, "max-step");
    CHECK_STATUS(dae_run_setting(w.run, "linear", &s), DAE_OK);
    assert_string_equal(s.word, "auto");
    CHECK_STATUS(dae_run_set_number(w.run, "rtol", -1), DAE_ARGUMENT);
    CHECK_STATUS(dae_run_set_number(w.run, "points", 2.5), DAE_ARGUMENT);
    CHECK_STATUS(dae_run_set_number(w.run, "colour", 1), DAE_ARGUMENT);
    CHECK_STATUS(dae_run_set_word(w.run, "reduce", "perhaps"), DAE_ARGUMENT);
    CHECK_STATUS(dae_run_set_word(w.run, "rtol", "small"), DAE_ARGUMENT);
    CHECK_STATUS(dae_run_set_number(w.run, "to", 4), DAE_OK);
    CHECK_NEAR(solved(&w, "x"), exp(-2), 1e-8);
    CHECK_NEAR(dae_run_end(w.run), 4, 0);
    close_trial(&w);
}

static void an_interval_is_given_back(void **state)
{
    (void)state;
    trial w = open_trial(DECAY);
    CHECK_STATUS(dae_run_set_number(w.run, "from", 1), DAE_OK);
    CHECK_STATUS(dae_run_set_number(w.run, "to", 5), DAE_OK);
    CHECK_NEAR(solved(&w, "x"), exp(-2), 1e-8);
    CHECK_STATUS(dae_run_set_number(w.run, "from", (double)NAN), DAE_OK);
    CHECK_STATUS(dae_run_set_number(w.run, "to", (double)NAN), DAE_OK);
    CHECK_NEAR(solved(&w, "x"), exp(-1), 1e-8);
    CHECK_NEAR(dae_run_begin(w.run), 0, 0);
    CHECK_NEAR(dae_run_row_time(w.run, 0), 0, 0);
    close_trial(&w);
    const dae_model_options o = {.has_start = 1, .start = 1};
    w = open_with(DECAY, &o);
    CHECK_STATUS(dae_run_set_number(w.run, "from", 0), DAE_OK);
    CHECK_NEAR(solved(&w, "x"), exp(-1), 1e-8);
    CHECK_STATUS(dae_run_set_number(w.run, "from", (double)NAN), DAE_OK);
    CHECK_NEAR(solved(&w, "x"), exp(-0.5), 1e-8);
    close_trial(&w);
}

static void too_many_points_are_refused(void **state)
{
    (void)state;
    trial w = open_trial(DECAY);
    CHECK_STATUS(dae_run_set_number(w.run, "points", 1e18), DAE_OK);
    CHECK_STATUS(dae_run_solve(w.run), DAE_ARGUMENT);
    CHECK_DIAG(w.ds, "E0505", 0, 0);
    CHECK_STATUS(dae_run_set_number(w.run, "points", 1e300), DAE_ARGUMENT);
    CHECK_STATUS(dae_run_set_number(w.run, "points", 3), DAE_OK);
    CHECK_NEAR(solved(&w, "x"), exp(-1), 1e-8);
    close_trial(&w);
}

/* What was compiled before is gone, and asked for nothing. */
static void columns_of_a_model_that_is_gone_are_empty(void **state)
{
    (void)state;
    trial w = open_trial(DECAY);
    dae_columns *c[3];
    CHECK_STATUS(dae_run_solve(w.run), DAE_OK);
    for (int k = 0; k < 3; k++)
        CHECK_STATUS(dae_columns_create(w.run, NULL, "mine", &c[k]), DAE_OK);
    assert_int_equal(dae_columns_count(c[0]), 3);
    dae_columns_free(c[1]);
    CHECK_STATUS(dae_run_set(w.run, "x(0)", 3), DAE_OK);
    CHECK_NEAR(solved(&w, "x"), 3 * exp(-1), 1e-8);
    assert_int_equal(dae_columns_count(c[0]), 0);
    assert_string_equal(dae_columns_name(c[0], 0), "");
    assert_string_equal(dae_columns_unit(c[0], 0), "");
    assert_true(dae_columns_find(c[2], "x") == SIZE_MAX);
    dae_columns_free(c[0]);
    close_trial(&w);
    assert_int_equal(dae_columns_count(c[2]), 0);
    dae_columns_free(c[2]);
}

static void a_run_without_an_end_is_refused(void **state)
{
    (void)state;
    trial w = open_trial("var x = 1\nx' = -x\n");
    CHECK_STATUS(dae_run_solve(w.run), DAE_ARGUMENT);
    CHECK_DIAG(w.ds, "E0505", 0, 0);
    CHECK_STATUS(dae_run_set_number(w.run, "to", 1), DAE_OK);
    CHECK_NEAR(solved(&w, "x"), exp(-1), 1e-5);
    close_trial(&w);
}

static void a_text_that_is_not_there_is_refused(void **state)
{
    (void)state;
    dae_diagnostics *ds;
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    trial w = {ds, (dae_run *)(void *)ds};
    CHECK_STATUS(
        dae_run_parse("a", NULL, 5, NULL, NULL, ds, &w.run), DAE_ARGUMENT);
    assert_null(w.run);
    close_trial(&w);
}

/* ---- results ---- */

static void columns_have_names_units_and_kinds(void **state)
{
    (void)state;
    trial w = open_trial(DECAY);
    CHECK_STATUS(dae_run_set_number(w.run, "points", 5), DAE_OK);
    CHECK_NEAR(solved(&w, "x"), exp(-1), 1e-8);
    dae_columns *c = dae_run_columns(w.run);
    assert_int_equal(dae_columns_count(c), 3);
    assert_string_equal(dae_columns_name(c, 0), "x");
    assert_string_equal(dae_columns_unit(c, 0), "m");
    dae_name_buffer name = {0};
    const dae_column time = {DAE_COLUMN_TIME, 0};
    const dae_model *model = dae_run_model(w.run);
    assert_string_equal(dae_column_name(model, time, &name), "t");
    assert_string_equal(dae_column_unit(model, time), "");
    assert_string_equal(
        dae_column_name(model, dae_columns_at(c, 0), &name), "x");
    assert_true(dae_name_done(&name));
    const char *const names[] = {"pressure", "volume"};
    assert_string_equal(dae_name_nearest("volmue", names, 2), "volume");
    assert_null(dae_name_nearest("height", names, 2));
    assert_int_equal(dae_columns_at(c, 0).kind, DAE_COLUMN_UNKNOWN);
    assert_int_equal(dae_columns_at(c, 1).kind, DAE_COLUMN_OBSERVED);
    assert_int_equal(dae_columns_find(c, "z"), 2);
    assert_int_equal(dae_run_row_count(w.run), 5);
    for (size_t row = 0; row < 5; row++) {
        CHECK_NEAR(dae_run_row_time(w.run, row), 0.5 * (double)row, 0);
        CHECK_NEAR(
            dae_run_value(w.run, row, 0), exp(-0.25 * (double)row), 1e-8);
    }
    assert_true(isnan(dae_run_value(w.run, 5, 0)));
    assert_true(isnan(dae_run_value(w.run, 0, 3)));
    CHECK_STATUS(dae_run_keep(w.run, "z"), DAE_OK);
    CHECK_STATUS(dae_run_solve(w.run), DAE_OK);
    assert_int_equal(dae_columns_count(dae_run_columns(w.run)), 1);
    CHECK_STATUS(dae_run_keep(w.run, "q"), DAE_OK);
    CHECK_STATUS(dae_run_solve(w.run), DAE_ARGUMENT);
    CHECK_DIAG(w.ds, "E0505", 0, 0);
    close_trial(&w);
}

/* Between parts it is of the next solutions. */
static void what_is_kept_stays_for_a_solution(void **state)
{
    (void)state;
    trial w = open_trial(BALL);
    CHECK_STATUS(dae_run_set_number(w.run, "points", 31), DAE_OK);
    CHECK_STATUS(dae_run_solve(w.run), DAE_OK);
    const size_t rows = dae_run_row_count(w.run);
    CHECK_STATUS(dae_run_start(w.run), DAE_OK);
    CHECK_STATUS(dae_run_keep(w.run, NULL), DAE_OK);
    dae_run_note_events(w.run, 1);
    CHECK_STATUS(dae_run_to(w.run, 3), DAE_OK);
    assert_int_equal(dae_run_row_count(w.run), rows);
    assert_int_equal(dae_columns_count(dae_run_columns(w.run)), 3);
    assert_int_equal(dae_run_event_count(w.run), 0);
    CHECK_STATUS(dae_run_start(w.run), DAE_OK);
    CHECK_STATUS(dae_run_keep(w.run, "h"), DAE_OK);
    dae_run_note_events(w.run, 0);
    CHECK_STATUS(dae_run_to(w.run, 3), DAE_OK);
    assert_int_equal(dae_run_row_count(w.run), 0);
    assert_null(dae_run_columns(w.run));
    assert_true(dae_run_event_count(w.run) > 2);
    close_trial(&w);
}

static void expectations_are_judged(void **state)
{
    (void)state;
    trial w = open_trial("var x = 1\nx' = -x\n"
                         "expect x ~ 0.5 within 0.01\n"
                         "expect x > 0 always\nexpect index == 0\n"
                         "solve t in 0..1\n");
    CHECK_STATUS(dae_run_solve(w.run), DAE_OK);
    const dae_verdicts v = dae_run_verdicts(w.run);
    assert_int_equal(v.held, 2);
    assert_int_equal(v.failed, 1);
    CHECK_DIAG(w.ds, "E0601", 3, 1);
    close_trial(&w);
}

static void events_are_records(void **state)
{
    (void)state;
    trial w = open_trial(BALL);
    const double first = sqrt(2 / 9.81);
    dae_run_note_events(w.run, 1);
    CHECK_NEAR(solved(&w, "n"), 3, 0);
    assert_true(dae_run_is_stopped(w.run));
    assert_true(dae_run_event_count(w.run) >= 3);
    const dae_occurrence *e = dae_run_event_at(w.run, 0);
    dae_name_buffer b = {0};
    CHECK_NEAR(e->t, first, 1e-7);
    assert_true(e->is_when);
    assert_string_equal(
        dae_name_of(dae_run_problem(w.run), DAE_NAME_WHEN, e->index, &b),
        "bounce");
    const dae_change *c = dae_run_change_at(w.run, 0, 0);
    CHECK_NEAR(c->after, -0.8 * c->before, 1e-12);
    assert_true(dae_name_done(&b));
    close_trial(&w);
}

static void a_run_goes_to_its_events(void **state)
{
    (void)state;
    trial w = open_trial(BALL);
    const double first = sqrt(2 / 9.81);
    CHECK_STATUS(dae_run_start(w.run), DAE_OK);
    CHECK_STATUS(dae_run_to_event(w.run), DAE_OK);
    CHECK_NEAR(dae_run_time(w.run), first, 1e-7);
    CHECK_NEAR(final_of(&w, "v"), 0.8 * 9.81 * first, 1e-6);
    CHECK_STATUS(dae_run_to(w.run, 0.6), DAE_OK);
    CHECK_NEAR(dae_run_time(w.run), 0.6, 0);
    CHECK_STATUS(dae_run_to(w.run, 0.5), DAE_ARGUMENT);
    while (!dae_run_has_ended(w.run))
        CHECK_STATUS(dae_run_to_event(w.run), DAE_OK);
    assert_true(dae_run_is_stopped(w.run));
    CHECK_NEAR(final_of(&w, "n"), 3, 0);
    close_trial(&w);
}

/* Rows and end are the same, however often the way is broken off. */
static void parts_are_the_whole(void **state)
{
    (void)state;
    trial w = open_trial(DECAY);
    CHECK_STATUS(dae_run_set_number(w.run, "points", 11), DAE_OK);
    const double whole = solved(&w, "x");
    double rows[11];
    for (size_t k = 0; k < 11; k++) rows[k] = dae_run_value(w.run, k, 0);
    CHECK_STATUS(dae_run_start(w.run), DAE_OK);
    for (int k = 1; k <= 30; k++)
        CHECK_STATUS(dae_run_to(w.run, 2 * k / 30.0), DAE_OK);
    CHECK_STATUS(dae_run_finish(w.run), DAE_OK);
    CHECK_NEAR(final_of(&w, "x"), whole, 0);
    assert_int_equal(dae_run_verdicts(w.run).held, 1);
    assert_int_equal(dae_run_row_count(w.run), 11);
    for (size_t k = 0; k < 11; k++)
        CHECK_NEAR(dae_run_value(w.run, k, 0), rows[k], 1e-15);
    close_trial(&w);
}

/* How often somebody broke off, and where last. */
typedef struct breaks {
    size_t rows, events;
    double t;
} breaks;

static dae_status break_off(void *context, const dae_point *p)
{
    breaks *b = context;
    b->rows++;
    b->t = p->t;
    return DAE_INTERRUPTED;
}

static dae_status cancel(void *context, double t, double h, int64_t steps)
{
    int *left = context;
    (void)t, (void)h, (void)steps;
    return (*left)-- == 0 ? DAE_INTERRUPTED : DAE_OK;
}

static dae_status break_at_event(void *context, const dae_event *e)
{
    breaks *b = context;
    b->events++;
    b->t = e->t;
    return DAE_INTERRUPTED;
}

/* ---- inputs ---- */

static void inputs_are_held_between_calls(void **state)
{
    (void)state;
    trial w = open_trial("param u = 0\nvar x = 0, y ~ 0\n"
                         "x' = u - x\ny = u + x\n"
                         "solve t in 0..2, rtol = 1e-10, atol = 1e-12\n");
    double exact = 0;
    CHECK_STATUS(dae_run_start(w.run), DAE_OK);
    for (int k = 0; k < 20; k++) {
        const double u = sin(k);
        CHECK_STATUS(dae_run_input(w.run, "u", u), DAE_OK);
        CHECK_STATUS(dae_run_to(w.run, 0.1 * (k + 1)), DAE_OK);
        exact = u + (exact - u) * exp(-0.1);
        CHECK_NEAR(final_of(&w, "x"), exact, 1e-8);
        CHECK_NEAR(final_of(&w, "y"), u + exact, 1e-8);
    }
    CHECK_STATUS(dae_run_estimate_error(w.run), DAE_ARGUMENT);
    CHECK_DIAG(w.ds, "E0505", 0, 0);
    /* the next solution has the model's own value again */
    CHECK_NEAR(solved(&w, "x"), 0, 1e-12);
    close_trial(&w);
}

static void inputs_keep_discrete_variables(void **state)
{
    (void)state;
    trial w = open_trial("param u = 0\nvar x = 0\ndiscrete n = 0\n"
                         "x' = 1 + u\nwhen x > 0.5\n  n := n + 1\nend\n"
                         "solve t in 0..2\n");
    CHECK_STATUS(dae_run_start(w.run), DAE_OK);
    CHECK_STATUS(dae_run_to(w.run, 1), DAE_OK);
    CHECK_NEAR(final_of(&w, "n"), 1, 0);
    CHECK_STATUS(dae_run_input(w.run, "u", 2), DAE_OK);
    CHECK_STATUS(dae_run_to(w.run, 2), DAE_OK);
    CHECK_NEAR(final_of(&w, "n"), 1, 0);
    CHECK_NEAR(final_of(&w, "x"), 4, 1e-6);
    close_trial(&w);
}

/* A condition that an input makes true turns, as any other. */
static void inputs_fire_whens(void **state)
{
    (void)state;
    trial w = open_trial("param set = 25\nvar T = 15\ndiscrete on = 1\n"
                         "T' = -0.1*(T - 10) + 5*on\n"
                         "off: when T > set\n  on := 0\nend\n"
                         "back: when T < set - 2\n  on := 1\nend\n"
                         "solve t in 0..20, rtol = 1e-9, atol = 1e-9\n");
    const double warm = 60 - 45 * exp(-0.2);
    const double cold = 2 + 10 * log((warm - 10) / 6);
    const double period = 10 * log(44.0 / 42) + 10 * log(8.0 / 6);
    CHECK_STATUS(dae_run_start(w.run), DAE_OK);
    CHECK_STATUS(dae_run_to(w.run, 2), DAE_OK);
    CHECK_STATUS(dae_run_input(w.run, "set", 18), DAE_OK);
    CHECK_STATUS(dae_run_to(w.run, 9), DAE_OK);
    CHECK_NEAR(final_of(&w, "on"), 0, 0);
    CHECK_NEAR(final_of(&w, "T"), 10 + (warm - 10) * exp(-0.7), 1e-6);
    CHECK_STATUS(dae_run_to_event(w.run), DAE_OK);
    CHECK_NEAR(dae_run_time(w.run), cold, 1e-6);
    CHECK_STATUS(dae_run_to(w.run, 20), DAE_OK);
    CHECK_NEAR(final_of(&w, "T"),
        60 - 44 * exp(-0.1 * (20 - cold - 3 * period)), 1e-5);
    close_trial(&w);
}

/* What is computed from them, too, where no step has been made yet or can be. */
static void inputs_count_at_the_start(void **state)
{
    (void)state;
    trial w = open_trial("param k = 1, u = 0\nvar x = 1\nlet y = k*x\n"
                         "x' = -x + sqrt(-u*t)\n"
                         "solve t in 0..2, rtol = 1e-9\n");
    int left = 0;
    CHECK_STATUS(dae_run_start(w.run), DAE_OK);
    CHECK_STATUS(dae_run_to(w.run, 0), DAE_OK);
    CHECK_NEAR(final_of(&w, "y"), 1, 0);
    CHECK_STATUS(dae_run_input(w.run, "k", 10), DAE_OK);
    CHECK_STATUS(dae_run_to(w.run, 0), DAE_OK);
    CHECK_NEAR(final_of(&w, "y"), 10, 0);
    CHECK_NEAR(final_of(&w, "x"), 1, 0);
    CHECK_STATUS(dae_run_input(w.run, "k", 20), DAE_OK);
    dae_run_on_step(w.run, cancel, &left);
    CHECK_STATUS(dae_run_to(w.run, 2), DAE_INTERRUPTED);
    CHECK_NEAR(dae_run_time(w.run), 0, 0);
    CHECK_NEAR(final_of(&w, "y"), 20, 0);
    dae_run_on_step(w.run, NULL, NULL);
    CHECK_STATUS(dae_run_input(w.run, "k", 30), DAE_OK);
    CHECK_STATUS(dae_run_input(w.run, "u", 1), DAE_OK);
    assert_true(dae_run_to(w.run, 2) != DAE_OK);
    CHECK_NEAR(dae_run_time(w.run), 0, 0);
    CHECK_NEAR(final_of(&w, "y"), 30, 0);
    CHECK_STATUS(dae_run_input(w.run, "u", 0), DAE_OK);
    CHECK_STATUS(dae_run_to(w.run, 2), DAE_OK);
    CHECK_NEAR(final_of(&w, "y"), 30 * exp(-2), 1e-7);
    close_trial(&w);
}

/* Neither does one that was true turn, wherever the run stands. */
static void inputs_keep_what_was_true(void **state)
{
    (void)state;
    trial w = open_trial(
        "param s = 3, u = 0\nvar x = 0\ndiscrete n = 0, m = 0\n"
        "x' = 1 + u\nwhen x > s\n  n := n + 1\nend\n"
        "when start or x > 9\n  m := m + 1\nend\n"
        "solve t in 0..5\n");
    CHECK_STATUS(dae_run_start(w.run), DAE_OK);
    CHECK_STATUS(dae_run_input(w.run, "s", 4), DAE_OK);
    CHECK_STATUS(dae_run_to(w.run, 1), DAE_OK);
    CHECK_NEAR(final_of(&w, "m"), 1, 0);
    CHECK_STATUS(dae_run_input(w.run, "s", 0.5), DAE_OK);
    CHECK_STATUS(dae_run_to(w.run, 2), DAE_OK);
    CHECK_NEAR(final_of(&w, "n"), 1, 0);
    CHECK_STATUS(dae_run_input(w.run, "u", 0), DAE_OK);
    CHECK_STATUS(dae_run_to(w.run, 2.5), DAE_OK);
    CHECK_NEAR(final_of(&w, "n"), 1, 0);
    CHECK_STATUS(dae_run_input(w.run, "s", 3), DAE_OK);
    CHECK_STATUS(dae_run_to_event(w.run), DAE_OK);
    CHECK_NEAR(dae_run_time(w.run), 3, 1e-6);
    CHECK_NEAR(final_of(&w, "n"), 2, 0);
    CHECK_STATUS(dae_run_input(w.run, "u", 1), DAE_OK);
    CHECK_STATUS(dae_run_to(w.run, 5), DAE_OK);
    CHECK_NEAR(final_of(&w, "n"), 2, 0);
    CHECK_NEAR(final_of(&w, "m"), 1, 0);
    CHECK_NEAR(final_of(&w, "x"), 7, 1e-5);
    assert_int_equal(dae_diagnostics_count(w.ds), 0);
    close_trial(&w);
}

#define PENDULUM                                                               \
    "var x = 1, y ~ 0, u ~ 0, v = 0, F ~ 0\n"                                  \
    "x' = u\ny' = v\nu' = -F*x\nv' = -F*y - g\nx^2 + y^2 = 1\n"                \
    "solve t in 0..1.5, rtol = 1e-9, atol = 1e-11\n"

/* Index 3: the same as an event that changes g. */
static void inputs_change_reduced_systems(void **state)
{
    (void)state;
    trial w = open_trial("param g = 9.81\n" PENDULUM);
    trial other = open_trial(
        "discrete g = 9.81\nwhen t >= 0.7\n  g := 5\nend\n" PENDULUM);
    const double x = solved(&other, "x"), f = final_of(&other, "F");
    CHECK_STATUS(dae_run_start(w.run), DAE_OK);
    CHECK_STATUS(dae_run_to(w.run, 0.7), DAE_OK);
    CHECK_STATUS(dae_run_input(w.run, "g", 5), DAE_OK);
    CHECK_STATUS(dae_run_to(w.run, 1.5), DAE_OK);
    CHECK_NEAR(final_of(&w, "x"), x, 1e-6);
    CHECK_NEAR(final_of(&w, "F"), f, 1e-5);
    close_trial(&w);
    close_trial(&other);
}

static void inputs_that_cannot_be_are_mended(void **state)
{
    (void)state;
    trial w = open_trial(
        "param r = 1\nvar x = 1, y ~ 1\nx' = -0.1*x\ny^2 = r*x\n"
        "solve t in 0..10, rtol = 1e-9\n");
    breaks b = {0, 0, 0};
    CHECK_STATUS(dae_run_start(w.run), DAE_OK);
    CHECK_STATUS(dae_run_to(w.run, 3), DAE_OK);
    CHECK_STATUS(dae_run_input(w.run, "r", -1), DAE_OK);
    assert_true(dae_run_to(w.run, 4) != DAE_OK);
    CHECK_NEAR(dae_run_time(w.run), 3, 0);
    assert_true(dae_run_to(w.run, 4) != DAE_OK);
    CHECK_STATUS(dae_run_input(w.run, "r", 1), DAE_OK);
    CHECK_STATUS(dae_run_to(w.run, 4), DAE_OK);
    CHECK_NEAR(final_of(&w, "y"), exp(-0.2), 1e-8);
    /* one that is broken off is no second start */
    CHECK_STATUS(dae_run_input(w.run, "r", 4), DAE_OK);
    dae_run_on_row(w.run, break_off, &b);
    CHECK_STATUS(dae_run_to(w.run, 6), DAE_INTERRUPTED);
    const size_t rows = dae_run_row_count(w.run);
    CHECK_NEAR(dae_run_row_time(w.run, rows - 1), 4, 0);
    CHECK_STATUS(dae_run_to(w.run, 6), DAE_INTERRUPTED);
    assert_true(dae_run_time(w.run) > 4);
    assert_int_equal(dae_run_row_count(w.run), rows + 1);
    CHECK_STATUS(dae_run_input(w.run, "r", 9), DAE_OK);
    dae_run_on_row(w.run, NULL, NULL);
    CHECK_STATUS(dae_run_to(w.run, 6), DAE_OK);
    CHECK_NEAR(final_of(&w, "y"), 3 * exp(-0.3), 1e-8);
    close_trial(&w);
}

/* What happens where the run stands has happened before an input counts. */
static void inputs_come_after_events(void **state)
{
    (void)state;
    trial w = open_trial("param u = 0, most = 0\nvar x = 0\ndiscrete n = 0\n"
                         "x' = 1 + u\nwhen x > 0.5\n  n := n + 1\nend\n"
                         "when x > 0.5 and most > 0\n  stop \"enough\"\nend\n"
                         "solve t in 0..2\n");
    for (int most = 0; most < 2; most++) {
        breaks b = {0, 0, 0};
        dae_run_note_events(w.run, 1);
        CHECK_STATUS(dae_run_set_number(w.run, "points", 3), DAE_OK);
        CHECK_STATUS(dae_run_set(w.run, "most", most), DAE_OK);
        CHECK_STATUS(dae_run_start(w.run), DAE_OK);
        dae_run_on_row(w.run, break_off, &b);
        dae_run_on_event(w.run, break_at_event, &b);
        CHECK_STATUS(dae_run_to(w.run, 2), DAE_INTERRUPTED);
        CHECK_NEAR(dae_run_time(w.run), 0.5, 1e-9);
        CHECK_STATUS(dae_run_input(w.run, "u", -0.5), DAE_OK);
        while (dae_run_to(w.run, 2) == DAE_INTERRUPTED) continue;
        assert_true(dae_run_has_ended(w.run));
        CHECK_NEAR(dae_run_time(w.run), most ? 0.5 : 2, 1e-9);
        CHECK_NEAR(final_of(&w, "x"), most ? 0.5 : 1.25, 1e-6);
        CHECK_NEAR(final_of(&w, "n"), 1, 0);
        assert_int_equal(b.events, 1);
        dae_run_on_row(w.run, NULL, NULL);
        dae_run_on_event(w.run, NULL, NULL);
    }
    close_trial(&w);
}

static void what_is_no_input_is_refused(void **state)
{
    (void)state;
    trial w = open_trial(DECAY);
    CHECK_STATUS(dae_run_input(w.run, "k", 1), DAE_ARGUMENT);
    CHECK_STATUS(dae_run_start(w.run), DAE_OK);
    CHECK_STATUS(dae_run_input(w.run, "twice", 1), DAE_UNSUPPORTED);
    CHECK_DIAG(w.ds, "E0505", 0, 0);
    CHECK_STATUS(dae_run_input(w.run, "q", 1), DAE_ARGUMENT);
    close_trial(&w);
}

/* ---- runs of one model, calls from callbacks ---- */

static void a_model_has_one_run_at_a_time(void **state)
{
    (void)state;
    static const char text[] =
        "param F = 0\nvar x = 0\ndiscrete n = 0\nx' = F\n"
        "when x > 0.25\n  n := 1\nend\n"
        "solve t in 0..1\n";
    trial a, b;
    dae_model *m;
    CHECK_STATUS(dae_diagnostics_create(NULL, &a.ds), DAE_OK);
    CHECK_STATUS(
        dae_model_parse("m.dae", text, sizeof text - 1, NULL, NULL, a.ds, &m),
        DAE_OK);
    b.ds = a.ds;
    CHECK_STATUS(dae_run_create(m, NULL, a.ds, &a.run), DAE_OK);
    CHECK_STATUS(dae_run_create(m, NULL, a.ds, &b.run), DAE_OK);
    CHECK_STATUS(dae_run_start(b.run), DAE_OK);
    CHECK_STATUS(dae_run_start(a.run), DAE_OK);
    CHECK_STATUS(dae_run_to(b.run, 1), DAE_ARGUMENT);
    CHECK_DIAG(a.ds, "E0505", 0, 0);
    CHECK_STATUS(dae_run_input(a.run, "F", 1), DAE_OK);
    CHECK_STATUS(dae_run_to(a.run, 0.5), DAE_OK);
    CHECK_STATUS(dae_run_set(b.run, "F", 100), DAE_ARGUMENT);
    CHECK_STATUS(dae_run_solve(b.run), DAE_ARGUMENT);
    CHECK_STATUS(dae_run_start(b.run), DAE_ARGUMENT);
    dae_run_free(b.run);
    CHECK_NEAR(final_of(&a, "n"), 1, 0);
    CHECK_STATUS(dae_run_to(a.run, 1), DAE_OK);
    CHECK_NEAR(final_of(&a, "x"), 1, 1e-9);
    CHECK_NEAR(final_of(&a, "n"), 1, 0);
    dae_run_free(a.run);
    CHECK_STATUS(dae_run_create(m, NULL, b.ds, &b.run), DAE_OK);
    CHECK_NEAR(solved(&b, "x"), 0, 1e-12);
    close_trial(&b);
    dae_model_free(m);
}

/* What was prepared before another run of the model is not what that one leaves. */
static void another_run_begins_between_two_calls(void **state)
{
    (void)state;
    static const char text[] = "param F = 0\nvar x = 0\ndiscrete n = 0\n"
                               "x' = 1 + n\nwhen x > 0.25\n  n := 1\nend\n"
                               "solve t in 0..2\n";
    dae_diagnostics *ds;
    dae_model *m;
    dae_analysis *found;
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    CHECK_STATUS(
        dae_model_parse("m.dae", text, sizeof text - 1, NULL, NULL, ds, &m),
        DAE_OK);
    trial a = {ds, NULL}, b = {ds, NULL};
    CHECK_STATUS(dae_run_create(m, NULL, ds, &a.run), DAE_OK);
    CHECK_STATUS(dae_run_create(m, NULL, ds, &b.run), DAE_OK);
    CHECK_STATUS(dae_run_prepare(b.run, 0), DAE_OK);
    CHECK_STATUS(dae_run_prepare(a.run, 0), DAE_OK);
    CHECK_STATUS(dae_run_make_solver(b.run), DAE_ARGUMENT);
    CHECK_STATUS(dae_run_analyse(b.run, 0, NULL, &found), DAE_ARGUMENT);
    CHECK_STATUS(dae_run_start(b.run), DAE_OK);
    CHECK_STATUS(dae_run_start(a.run), DAE_OK);
    CHECK_STATUS(dae_run_to(a.run, 1.5), DAE_OK);
    CHECK_STATUS(dae_run_start(b.run), DAE_ARGUMENT);
    CHECK_STATUS(dae_run_make_solver(b.run), DAE_ARGUMENT);
    CHECK_STATUS(dae_run_analyse(b.run, 0, NULL, &found), DAE_ARGUMENT);
    CHECK_DIAG(ds, "E0505", 0, 0);
    CHECK_STATUS(dae_run_to(a.run, 2), DAE_OK);
    CHECK_NEAR(final_of(&a, "x"), 3.75, 1e-6);
    CHECK_NEAR(final_of(&a, "n"), 1, 0);
    dae_run_free(a.run);
    CHECK_NEAR(solved(&b, "x"), 3.75, 1e-6);
    close_trial(&b);
    dae_model_free(m);
}

/* Neither is its solution forgotten nor the model taken. */
static void what_wants_compiling_is_refused_before(void **state)
{
    (void)state;
    static const char *const names[] = {"x(0)", "twice", "n"};
    static const char text[] = "param k = 1, twice = 2*k, n = 1\n"
                               "var x = 1, v[1..n] = 0\nx' = -k*x\n"
                               "for i in 1..n\n  v[i]' = 1\nend\n"
                               "solve t in 0..2, rtol = 1e-9\n";
    trial w = {NULL, NULL}, other = {NULL, NULL};
    dae_model *m;
    CHECK_STATUS(dae_diagnostics_create(NULL, &w.ds), DAE_OK);
    CHECK_STATUS(
        dae_model_parse("m.dae", text, sizeof text - 1, NULL, NULL, w.ds, &m),
        DAE_OK);
    CHECK_STATUS(dae_run_create(m, NULL, w.ds, &w.run), DAE_OK);
    CHECK_STATUS(dae_run_create(m, NULL, w.ds, &other.run), DAE_OK);
    for (size_t k = 0; k < 3; k++)
        CHECK_STATUS(dae_run_set(other.run, names[k], 2), DAE_UNSUPPORTED);
    CHECK_DIAG(w.ds, "E0505", 0, 0);
    CHECK_STATUS(dae_run_start(w.run), DAE_OK);
    CHECK_STATUS(dae_run_to(w.run, 1), DAE_OK);
    for (size_t k = 0; k < 3; k++) {
        CHECK_STATUS(dae_run_set(w.run, names[k], 2), DAE_UNSUPPORTED);
        CHECK_STATUS(dae_run_set_text(w.run, names[k], "2"), DAE_UNSUPPORTED);
        CHECK_STATUS(dae_run_set(other.run, names[k], 2), DAE_UNSUPPORTED);
    }
    CHECK_STATUS(dae_run_to(w.run, 2), DAE_OK);
    CHECK_NEAR(final_of(&w, "x"), exp(-2), 1e-8);
    dae_run_free(other.run);
    close_trial(&w);
    dae_model_free(m);
}

/* What it is told to call, and how often that was refused. */
typedef struct caller {
    dae_run *run;
    int calls, refused;
} caller;

static dae_status call_back(void *context, double t, double h, int64_t steps)
{
    caller *c = context;
    dae_run *r = c->run;
    const dae_status all[] = {dae_run_solve(r), dae_run_start(r),
        dae_run_to(r, 2), dae_run_to_event(r), dae_run_prepare(r, 0),
        dae_run_set(r, "k", 3), dae_run_set_text(r, "x(0)", "3"),
        dae_run_input(r, "k", 3), dae_run_set_number(r, "to", 3),
        dae_run_keep(r, NULL), dae_run_finish(r), dae_run_estimate_error(r),
        dae_run_find_global_error(r), dae_run_make_solver(r)};
    (void)t, (void)h, (void)steps;
    dae_run_free(r);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++, c->calls++)
        c->refused += all[k] == DAE_ARGUMENT;
    return DAE_OK;
}

static void callbacks_ask_alone(void **state)
{
    (void)state;
    trial w = open_trial(DECAY);
    const double whole = solved(&w, "x");
    caller c = {w.run, 0, 0};
    dae_run_on_step(w.run, call_back, &c);
    CHECK_NEAR(solved(&w, "x"), whole, 0);
    assert_true(c.calls > 0);
    assert_int_equal(c.refused, c.calls);
    CHECK_DIAG(w.ds, "E0505", 0, 0);
    dae_run_on_step(w.run, NULL, NULL);
    CHECK_STATUS(dae_run_set(w.run, "k", 1), DAE_OK);
    CHECK_NEAR(solved(&w, "x"), exp(-2), 1e-8);
    close_trial(&w);
}

/* ---- from outside ---- */

static void what_was_cancelled_goes_on(void **state)
{
    (void)state;
    trial w = open_trial(DECAY);
    const double whole = solved(&w, "x");
    int left = 10;
    dae_run_on_step(w.run, cancel, &left);
    CHECK_STATUS(dae_run_solve(w.run), DAE_INTERRUPTED);
    assert_true(dae_run_time(w.run) < 2);
    assert_true(dae_run_row_count(w.run) > 0);
    CHECK_STATUS(dae_run_to(w.run, 2), DAE_OK);
    CHECK_NEAR(final_of(&w, "x"), whole, 0);
    close_trial(&w);
}

enum { ROWS = 1000 };

static size_t take_rows(const trial *w, double *rows)
{
    const size_t count = dae_run_row_count(w->run);
    assert_in_range(count, 1, ROWS);
    for (size_t k = 0; k < count; k++) {
        rows[2 * k] = dae_run_row_time(w->run, k);
        rows[2 * k + 1] = dae_run_value(w->run, k, 0);
    }
    return count;
}

/* At every row and event, and the run is the same to the last bit. */
static void break_at_all(const char *text, double points)
{
    static double whole[2 * ROWS], rows[2 * ROWS];
    trial w = open_trial(text);
    CHECK_STATUS(dae_run_set_number(w.run, "points", points), DAE_OK);
    dae_run_note_events(w.run, 1);
    CHECK_STATUS(dae_run_solve(w.run), DAE_OK);
    const size_t count = take_rows(&w, whole);
    const size_t events = dae_run_event_count(w.run);
    breaks b = {0, 0, 0};
    dae_run_on_row(w.run, break_off, &b);
    dae_run_on_event(w.run, break_at_event, &b);
    CHECK_STATUS(dae_run_start(w.run), DAE_INTERRUPTED);
    while (!dae_run_has_ended(w.run)) {
        const dae_status st = dae_run_to(w.run, 1e9);
        assert_true(st == DAE_INTERRUPTED || dae_run_has_ended(w.run));
        CHECK_NEAR(dae_run_time(w.run), b.t, 0);
    }
    CHECK_STATUS(dae_run_to(w.run, 1e9), DAE_OK);
    CHECK_STATUS(dae_run_finish(w.run), DAE_OK);
    assert_int_equal(take_rows(&w, rows), count);
    assert_memory_equal(rows, whole, 2 * count * sizeof *rows);
    assert_int_equal(b.rows, count);
    assert_int_equal(dae_run_event_count(w.run), events);
    assert_int_equal(dae_run_verdicts(w.run).failed, 0);
    assert_int_equal(dae_diagnostics_count(w.ds), 0);
    close_trial(&w);
}

/* Every second call finds no memory. */
static dae_status want_memory(void *context, const dae_point *p)
{
    size_t *seen = context;
    const bool is_after = p->why & DAE_POINT_AFTER;
    return seen[is_after]++ % 2 ? DAE_OK : DAE_MEMORY;
}

static dae_status want_memory_at_event(void *context, const dae_event *e)
{
    size_t *heard = context;
    (void)e;
    return (*heard)++ % 2 ? DAE_OK : DAE_MEMORY;
}

/* What the instant of an event has changed is shown again, rows before it are not. */
static void what_finds_no_memory_goes_on(void **state)
{
    (void)state;
    trial w = open_trial("var x = 0\ndiscrete n = 0\nx' = 1\n"
                         "when x > 0.5\n  n := 1\nend\nsolve t in 0..1\n");
    size_t rows[2] = {1, 0}, events = 0, calls = 0;
    CHECK_STATUS(dae_run_set_number(w.run, "points", 5), DAE_OK);
    dae_run_on_row(w.run, want_memory, rows);
    dae_run_on_event(w.run, want_memory_at_event, &events);
    CHECK_STATUS(dae_run_start(w.run), DAE_OK);
    while (dae_run_to(w.run, 1) == DAE_MEMORY && calls++ < 20) continue;
    assert_true(dae_run_has_ended(w.run));
    CHECK_NEAR(final_of(&w, "x"), 1, 1e-9);
    CHECK_NEAR(final_of(&w, "n"), 1, 0);
    /* 0, 0.25, 0.5, 0.75, 1 */
    assert_int_equal(rows[0], 1 + 5);
    assert_int_equal(rows[1], 2);
    assert_int_equal(events, 2);
    close_trial(&w);
}

static void what_a_row_breaks_off_goes_on(void **state)
{
    (void)state;
    break_at_all(DECAY, 101);
    break_at_all(DECAY, (double)NAN);
    break_at_all(BALL, 101);
    break_at_all(BALL, (double)NAN);
    static const char last[] = "var x = 0\ndiscrete n = 0\nx' = 1\n"
                               "when t >= 1\n  n := 1\nend\n"
                               "expect n ~ 1 within 0.1\nsolve t in 0..1\n";
    break_at_all(last, 101);
    break_at_all(last, (double)NAN);
}

/* Broken off within a step, it goes to a time before the end of this step. */
static void what_a_row_breaks_off_goes_on_in_parts(void **state)
{
    (void)state;
    trial w = open_trial(DECAY);
    breaks b = {0, 0, 0};
    CHECK_STATUS(dae_run_set_number(w.run, "points", 2001), DAE_OK);
    CHECK_STATUS(dae_run_start(w.run), DAE_OK);
    CHECK_STATUS(dae_run_to(w.run, 1), DAE_OK);
    for (int k = 1; k < 1000; k++) {
        const double t = 1 + 0.001 * k, behind = t + 0.0004;
        dae_run_on_row(w.run, break_off, &b);
        CHECK_STATUS(dae_run_to(w.run, 2), DAE_INTERRUPTED);
        dae_run_on_row(w.run, NULL, NULL);
        CHECK_NEAR(dae_run_time(w.run), t, 1e-12);
        CHECK_NEAR(final_of(&w, "x"), exp(-0.5 * t), 1e-8);
        CHECK_STATUS(dae_run_to(w.run, behind), DAE_OK);
        CHECK_NEAR(dae_run_time(w.run), behind, 0);
        CHECK_NEAR(final_of(&w, "x"), exp(-0.5 * behind), 1e-8);
        CHECK_STATUS(dae_run_to(w.run, behind), DAE_OK);
        CHECK_STATUS(dae_run_to(w.run, t), DAE_ARGUMENT);
    }
    assert_int_equal(b.rows, 999);
    close_trial(&w);
}

static int give(
    void *context, const char *path, const char **text, size_t *length)
{
    static const char table[] = "t,u\n0,0\n1,2\n2,0\n";
    *(int *)context += 1;
    if (strcmp(path, "u.csv") != 0) return 1;
    *text = table;
    *length = sizeof table - 1;
    return 0;
}

static void tables_come_from_memory(void **state)
{
    (void)state;
    int count = 0;
    const char text[] = "input u = table(\"u.csv\", x = \"t\", y = \"u\")\n"
                        "var x = 0\nx' = u\nsolve t in 0..2\n";
    const dae_model_options o = {.read = give, .read_context = &count};
    trial w = open_with(text, &o);
    const double area = solved(&w, "x");
    assert_int_equal(count, 1);
    assert_true(area > 1.9 && area < 3);
    close_trial(&w);
    dae_run *run;
    const char absent[] = "input u = table(\"v.csv\", x = \"t\", y = \"u\")\n"
                          "var x = 0\nx' = u\n";
    dae_diagnostics *ds;
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    CHECK_STATUS(
        dae_run_parse("m.dae", absent, sizeof absent - 1, &o, NULL, ds, &run),
        DAE_IO);
    CHECK_DIAG(ds, "E0001", 1, 0);
    dae_diagnostics_free(ds);
}

static void the_error_of_the_solution_is_found(void **state)
{
    (void)state;
    trial w = open_trial("var x = 1, v = 0\nx' = v\nv' = -x\n"
                         "solve t in 0..60, rtol = 1e-5, atol = 1e-5\n");
    const double local = fabs(solved(&w, "x") - cos(60));
    assert_false(dae_run_global_error(w.run).is_asked);
    CHECK_STATUS(dae_run_set_word(w.run, "error", "global"), DAE_OK);
    const double global = fabs(solved(&w, "x") - cos(60));
    const dae_global_error g = dae_run_global_error(w.run);
    assert_true(g.is_asked && g.runs >= 2 && g.factor < 1);
    assert_true(global < 2e-5 && global < local);
    CHECK_STATUS(dae_run_estimate_error(w.run), DAE_OK);
    assert_true(dae_run_estimate(w.run).is_known);
    close_trial(&w);
}

/* p falls to 1e-3 of itself and grows back; a run with inputs is not made again. */
static void what_an_absolute_tolerance_hides_is_told(void **state)
{
    (void)state;
    trial w = open_trial("param k = 1\nvar p = 10, f = 5\np' = p*(1 - f)\n"
                         "f' = f*(p - k)\n"
                         "solve t in 0..20, rtol = 1e-4, atol = 1e-4\n");
    const double first = solved(&w, "p");
    CHECK_DIAG(w.ds, "W0533", 2, 5);
    const dae_atol_check c = dae_run_atol_check(w.run);
    assert_true(c.is_made && c.is_known && c.steps > 0 && c.difference > 1000);
    CHECK_STATUS(dae_run_set_word(w.run, "check-atol", "never"), DAE_OK);
    CHECK_NEAR(solved(&w, "p"), first, 0);
    assert_false(dae_run_atol_check(w.run).is_made);
    CHECK_STATUS(dae_run_set_word(w.run, "check-atol", "auto"), DAE_OK);
    CHECK_STATUS(dae_run_start(w.run), DAE_OK);
    CHECK_STATUS(dae_run_input(w.run, "k", 1), DAE_OK);
    CHECK_STATUS(dae_run_to(w.run, 20), DAE_OK);
    CHECK_STATUS(dae_run_finish(w.run), DAE_OK);
    assert_false(dae_run_atol_check(w.run).is_made);
    assert_false(dae_run_atol_check(NULL).is_made);
    close_trial(&w);
}

/* The runs that look for it leave nothing of one that was going on. */
static void the_error_is_found_before_a_run(void **state)
{
    (void)state;
    trial w = open_trial("param u = 0\nvar x = 0\ndiscrete n = 0\n"
                         "x' = 1 + u + n\nwhen x > 0.5\n  n := 1\nend\n"
                         "solve t in 0..2\n");
    CHECK_STATUS(dae_run_set_word(w.run, "error", "global"), DAE_OK);
    CHECK_STATUS(dae_run_start(w.run), DAE_OK);
    CHECK_STATUS(dae_run_to(w.run, 1), DAE_OK);
    CHECK_STATUS(dae_run_input(w.run, "u", 3), DAE_OK);
    CHECK_STATUS(dae_run_find_global_error(w.run), DAE_OK);
    check_told(&w, dae_run_to(w.run, 2), DAE_ARGUMENT,
        "the run has no start yet", "dae_run_start makes one");
    CHECK_STATUS(dae_run_start(w.run), DAE_OK);
    CHECK_STATUS(dae_run_to(w.run, 2), DAE_OK);
    CHECK_NEAR(final_of(&w, "x"), 3.5, 1e-5);
    close_trial(&w);
}

/* An input for which memory runs out is none. */
static void inputs_that_fail_are_none(void **state)
{
    (void)state;
    static const char text[] =
        "param u = 1\nvar x = 0\ndiscrete n = 0\nx' = u + n\n"
        "when x > 0.5\n  n := 1\nend\nsolve t in 0..2, rtol = 1e-6\n";
    failing_memory memory;
    failing_init(&memory, SIZE_MAX);
    dae_model *m;
    trial w;
    CHECK_STATUS(dae_diagnostics_create(NULL, &w.ds), DAE_OK);
    CHECK_STATUS(
        dae_model_parse("m.dae", text, sizeof text - 1, NULL, NULL, w.ds, &m),
        DAE_OK);
    dae_status st = DAE_MEMORY;
    for (size_t k = 0; st == DAE_MEMORY; k++) {
        CHECK_STATUS(
            dae_run_create(m, &memory.allocator, w.ds, &w.run), DAE_OK);
        CHECK_STATUS(dae_run_start(w.run), DAE_OK);
        CHECK_STATUS(dae_run_to(w.run, 1), DAE_OK);
        memory.fail_from = memory.allocations + k;
        st = dae_run_input(w.run, "u", 5);
        memory.fail_from = SIZE_MAX;
        CHECK_STATUS(dae_run_to(w.run, 2), DAE_OK);
        CHECK_NEAR(final_of(&w, "x"), st ? 3.5 : 7.5, 1e-5);
        CHECK_STATUS(dae_run_estimate_error(w.run), st ? DAE_OK : DAE_ARGUMENT);
        dae_run_free(w.run);
    }
    CHECK_STATUS(st, DAE_OK);
    assert_int_equal(memory.live, 0);
    dae_model_free(m);
    dae_diagnostics_free(w.ds);
}

static void drifts_are_watched(void **state)
{
    (void)state;
    trial w = open_trial("var x = 1, v = 0\nx' = v\nv' = -x\n"
                         "let e = x^2 + v^2\nsolve t in 0..10\n");
    dae_drift d;
    CHECK_STATUS(dae_run_watch_drift(w.run, "e"), DAE_OK);
    CHECK_STATUS(dae_run_watch_drift(w.run, "x"), DAE_OK);
    CHECK_STATUS(dae_run_solve(w.run), DAE_OK);
    assert_int_equal(dae_run_drift_count(w.run), 2);
    CHECK_STATUS(dae_run_drift_at(w.run, 0, &d), DAE_OK);
    assert_true(d.has_any && d.largest < 1e-3);
    CHECK_STATUS(dae_run_drift_at(w.run, 1, &d), DAE_OK);
    CHECK_NEAR(d.largest, 2, 1e-4);
    close_trial(&w);
}

static void tables_are_read(void **state)
{
    (void)state;
    dae_table *t;
    dae_diagnostics *ds;
    FILE *file = fopen("run_test.csv", "wb");
    assert_non_null(file);
    assert_true(fputs("t,\"x[1,2]\",kind\n0,1.5,a\n1,2.5,b\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    CHECK_STATUS(dae_table_load("run_test.csv", NULL, ds, &t), DAE_OK);
    assert_int_equal(remove("run_test.csv"), 0);
    assert_int_equal(dae_table_row_count(t), 2);
    assert_int_equal(dae_table_column_count(t), 3);
    assert_string_equal(dae_table_name(t, 1), "x[1,2]");
    assert_int_equal(dae_table_find(t, "x[1,2]"), 1);
    CHECK_NEAR(dae_table_values(t, 1, ds)[1], 2.5, 0);
    assert_int_equal(dae_diagnostics_count(ds), 0);
    assert_null(dae_table_values(t, 2, ds));
    assert_string_equal(dae_diagnostics_at(ds, 0)->code, "E0227");
    assert_true(dae_table_find(t, "y") == SIZE_MAX);
    assert_null(dae_table_values(t, 3, ds));
    dae_table_free(t);
    CHECK_STATUS(dae_table_load("run_test.csv", NULL, ds, &t), DAE_IO);
    assert_null(t);
    dae_diagnostics_free(ds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(params_are_listed),
        cmocka_unit_test(a_scan_gives_what_single_runs_give),
        cmocka_unit_test(names_that_there_are_not_are_told),
        cmocka_unit_test(values_outlast_what_does_not_compile),
        cmocka_unit_test(values_outlast_want_of_memory),
        cmocka_unit_test(what_is_refused_is_told),
        cmocka_unit_test(a_set_counts_after_an_input),
        cmocka_unit_test(settings_say_where_they_come_from),
        cmocka_unit_test(an_interval_is_given_back),
        cmocka_unit_test(too_many_points_are_refused),
        cmocka_unit_test(columns_of_a_model_that_is_gone_are_empty),
        cmocka_unit_test(a_run_without_an_end_is_refused),
        cmocka_unit_test(a_text_that_is_not_there_is_refused),
        cmocka_unit_test(columns_have_names_units_and_kinds),
        cmocka_unit_test(what_is_kept_stays_for_a_solution),
        cmocka_unit_test(expectations_are_judged),
        cmocka_unit_test(events_are_records),
        cmocka_unit_test(a_run_goes_to_its_events),
        cmocka_unit_test(parts_are_the_whole),
        cmocka_unit_test(inputs_are_held_between_calls),
        cmocka_unit_test(inputs_keep_discrete_variables),
        cmocka_unit_test(inputs_fire_whens),
        cmocka_unit_test(inputs_count_at_the_start),
        cmocka_unit_test(inputs_keep_what_was_true),
        cmocka_unit_test(inputs_change_reduced_systems),
        cmocka_unit_test(inputs_that_cannot_be_are_mended),
        cmocka_unit_test(inputs_come_after_events),
        cmocka_unit_test(what_is_no_input_is_refused),
        cmocka_unit_test(a_model_has_one_run_at_a_time),
        cmocka_unit_test(another_run_begins_between_two_calls),
        cmocka_unit_test(what_wants_compiling_is_refused_before),
        cmocka_unit_test(callbacks_ask_alone),
        cmocka_unit_test(what_was_cancelled_goes_on),
        cmocka_unit_test(what_finds_no_memory_goes_on),
        cmocka_unit_test(what_a_row_breaks_off_goes_on),
        cmocka_unit_test(what_a_row_breaks_off_goes_on_in_parts),
        cmocka_unit_test(tables_come_from_memory),
        cmocka_unit_test(the_error_of_the_solution_is_found),
        cmocka_unit_test(what_an_absolute_tolerance_hides_is_told),
        cmocka_unit_test(the_error_is_found_before_a_run),
        cmocka_unit_test(inputs_that_fail_are_none),
        cmocka_unit_test(drifts_are_watched),
        cmocka_unit_test(tables_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
