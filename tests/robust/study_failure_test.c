/* Studies that cannot go on: what is said, where, and what stands. */
#include "check.h"
#include "faulty_memory.h"
#include "study_bench.h"
#include <dae/model.h>

typedef struct told {
    size_t points, stop_at; /* the point whose callback answers `answer` */
    dae_status answer;
    dae_long start;
    int asked, interrupt_at;
} told;

static dae_status give(
    void *context, size_t index, dae_long t, dae_long *x, dae_long *xp)
{
    const told *w = context;
    (void)t, (void)xp, (void)index;
    x[0] = w->start;
    return DAE_OK;
}

static dae_status refuse(
    void *context, size_t index, dae_long t, dae_long *x, dae_long *xp)
{
    (void)context, (void)t, (void)x, (void)xp;
    return index == 1 ? DAE_LIMIT : DAE_OK;
}

static dae_status count(void *context, size_t index, dae_long t,
    const dae_long *x, const dae_long *xp)
{
    told *w = context;
    (void)t, (void)x, (void)xp;
    assert_int_equal(index, w->points++);
    return index == w->stop_at ? w->answer : DAE_OK;
}

static int interrupt(void *context)
{
    told *w = context;
    return w->asked++ >= w->interrupt_at;
}

static const dae_long tenths[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};

static dae_study plain(told *w)
{
    dae_study s = dae_study_default();
    *w = (told){.start = 1, .stop_at = SIZE_MAX, .interrupt_at = 1000};
    s.times = tenths;
    s.time_count = 9;
    s.given = give;
    s.point = count;
    s.given_context = s.point_context = w;
    s.interrupt = interrupt;
    s.interrupt_context = w;
    return s;
}

static dae_model *compile(const char *text, dae_diagnostics *ds)
{
    dae_model *m;
    CHECK_STATUS(
        dae_model_parse("m", text, strlen(text), NULL, NULL, ds, &m), DAE_OK);
    return m;
}

static void check_fault(const char *text, const char *code, uint32_t line,
    const char *words, dae_long start, size_t points)
{
    for (int method = 0; method < 2; method++)
        for (int precision = 0; precision < 2; precision++) {
            told w;
            dae_diagnostics *ds;
            CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
            dae_model *m = compile(text, ds);
            dae_study s = plain(&w);
            w.start = start;
            s.method = (dae_study_method)method;
            s.order = method ? 5 : 1;
            s.precision = (dae_study_precision)precision;
            CHECK_STATUS(
                dae_study_run(dae_model_problem(m), &s, NULL, ds, NULL),
                DAE_NUMERIC);
            assert_int_equal(w.points, points);
            CHECK_DIAG(ds, code, line, 0);
            const dae_diagnostic *d = dae_diagnostics_at(
                ds, dae_diagnostics_count(ds) - 1);
            if (!strstr(d->message, words)) print_error("%s\n", d->message);
            assert_non_null(strstr(d->message, words));
            assert_true(d->has_time && d->order == s.order && d->h > 0);
            dae_model_free(m);
            dae_diagnostics_free(ds);
        }
}

static void what_stops_a_step_is_named(void **state)
{
    (void)state;
    /* no real solution */
    check_fault("var x\nnever: x^2 + 1 = 0\nsolve t in 0..8\n", "E0512", 2,
        "worst in `never`", 2, 1);
    check_fault("var x = 1\nfalls: x' = log(x - 2*t)\n"
                "solve t in 0..8\n",
        "E0503", 2, "`falls` is not finite", 1, 1);
    check_fault("var x, y\nsum: x + y = 1\ntwice: 2*x + 2*y = 2\n"
                "solve t in 0..8\n",
        "E0502", 3, "the iteration matrix is singular at t = 1", 1, 1);
}

static void what_is_wrong_with_the_question_is_an_argument(void **state)
{
    (void)state;
    told w;
    dae_model *m = compile("var x = 1\nx' = -x\nsolve t in 0..8\n", NULL);
    const dae_problem *p = dae_model_problem(m);
    static const dae_long back[] = {0, 1, 1, 2}, there[] = {0, 1, 0, 1};
    const dae_long close[] = {1, 1 + (dae_long)0x1p-60, 2};
    dae_study s;
#define WRONG(...)                                                             \
    s = plain(&w);                                                             \
    __VA_ARGS__;                                                               \
    CHECK_STATUS(dae_study_run(p, &s, NULL, NULL, NULL), DAE_ARGUMENT);        \
    assert_int_equal(w.points, 0)
    WRONG(s.order = 0);
    WRONG(s.order = 7);
    WRONG(s.method = DAE_STUDY_RADAU, s.order = 2);
    WRONG(s.method = DAE_STUDY_RADAU, s.order = 11);
    WRONG(s.given = NULL);
    WRONG(s.times = NULL);
    WRONG(s.time_count = 1);
    WRONG(s.order = 3, s.time_count = 3);
    WRONG(s.times = back, s.time_count = 4);
    WRONG(s.times = there, s.time_count = 4);
    WRONG(s.substeps = -1);
    WRONG(s.times = close, s.time_count = 3, s.precision = DAE_STUDY_DOUBLE);
#undef WRONG
    if (DAE_LONG_BITS > 64) {
        s = plain(&w);
        s.times = close;
        s.time_count = 3;
        CHECK_STATUS(dae_study_run(p, &s, NULL, NULL, NULL), DAE_OK);
    }
    dae_model_free(m);
}

static dae_status slope(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    res[0] = xp[0] + x[0];
    return DAE_OK;
}

static void a_problem_in_double_alone_is_studied_in_double(void **state)
{
    (void)state;
    told w;
    dae_diagnostics *ds;
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    const dae_problem p = {.unknown_count = 1, .residual = slope};
    dae_study s = plain(&w);
    dae_study_counts counts = {0};
    CHECK_STATUS(dae_study_run(&p, &s, NULL, ds, NULL), DAE_UNSUPPORTED);
    CHECK_DIAG(ds, "E0505", 0, 0);
    s.precision = DAE_STUDY_DOUBLE;
    CHECK_STATUS(dae_study_run(&p, &s, NULL, ds, &counts), DAE_OK);
    assert_int_equal(w.points, 9);
    assert_int_equal(counts.steps, 8);
    assert_int_equal(counts.jacobian_evals, 1);
    assert_int_equal(counts.factorizations, 1);
    assert_true(counts.newton_iterations >= 8);
    assert_true(counts.residual_evals >= counts.newton_iterations);
    dae_diagnostics_free(ds);
}

static void callbacks_stop_a_study(void **state)
{
    (void)state;
    told w;
    dae_diagnostics *ds;
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    dae_model *m = compile("var x = 1\nx' = -x\nsolve t in 0..8\n", ds);
    const dae_problem *p = dae_model_problem(m);
    for (size_t k = 0; k < 9; k++) {
        dae_study s = plain(&w);
        w.stop_at = k;
        w.answer = DAE_IO;
        CHECK_STATUS(dae_study_run(p, &s, NULL, ds, NULL), DAE_IO);
        assert_int_equal(w.points, k + 1);
    }
    for (int k = 0; k < 8; k++) {
        dae_study s = plain(&w);
        w.interrupt_at = k;
        CHECK_STATUS(dae_study_run(p, &s, NULL, ds, NULL), DAE_INTERRUPTED);
        assert_int_equal(w.points, k + 1);
    }
    CHECK_DIAG(ds, "E0005", 0, 0);
    dae_study s = plain(&w);
    s.order = 2;
    s.given = refuse;
    CHECK_STATUS(dae_study_run(p, &s, NULL, ds, NULL), DAE_LIMIT);
    assert_int_equal(w.points, 1);
    dae_model_free(m);
    dae_diagnostics_free(ds);
}

/* Allocation after allocation fails; nothing is lost. */
static void sweep(dae_study_method method, dae_study_start start)
{
    bench *b = calloc(1, sizeof *b);
    faulty_memory memory;
    dae_status st = DAE_MEMORY;
    size_t n = 0;
    memory_init(&memory);
    bench_make(b, CHAIN, false);
    for (; st == DAE_MEMORY; n++) {
        dae_study s = bench_study(b, 3, DAE_STUDY_LONG, tenths, 9);
        s.method = method;
        s.start = start;
        memory_arm(&memory, MEMORY_FAILS_ONCE, n);
        st = dae_study_run(b->problem, &s, &memory.allocator, NULL, NULL);
        assert_int_equal(memory.blocks, 0);
        assert_int_equal(memory.mistold, 0);
    }
    CHECK_STATUS(st, DAE_OK);
    assert_true(n > 15);
    memory_heal(&memory);
    bench_clear(b);
    free(b);
}

static void no_failing_allocation_loses_anything(void **state)
{
    (void)state;
    sweep(DAE_STUDY_BDF, DAE_STUDY_GIVEN);
    sweep(DAE_STUDY_BDF, DAE_STUDY_FINE);
    sweep(DAE_STUDY_RADAU, DAE_STUDY_GIVEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stops_a_step_is_named),
        cmocka_unit_test(what_is_wrong_with_the_question_is_an_argument),
        cmocka_unit_test(a_problem_in_double_alone_is_studied_in_double),
        cmocka_unit_test(callbacks_stop_a_study),
        cmocka_unit_test(no_failing_allocation_loses_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
