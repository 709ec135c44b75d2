/* <dae/orders.h>: convergence studies as other programs make them. */
#include "check.h"
#include <dae/orders.h>

typedef struct trial {
    dae_diagnostics *ds, *said; /* of the run; of the study */
    dae_run *run;
    dae_orders *o;
} trial;

static trial open_trial(const char *text)
{
    trial w;
    CHECK_STATUS(dae_diagnostics_create(NULL, &w.ds), DAE_OK);
    CHECK_STATUS(dae_diagnostics_create(NULL, &w.said), DAE_OK);
    CHECK_STATUS(
        dae_run_parse("m.dae", text, strlen(text), NULL, NULL, w.ds, &w.run),
        DAE_OK);
    CHECK_STATUS(dae_orders_create(NULL, w.said, &w.o), DAE_OK);
    return w;
}

static void close_trial(trial *w)
{
    dae_orders_free(w->o);
    dae_run_free(w->run);
    dae_diagnostics_free(w->said);
    dae_diagnostics_free(w->ds);
}

static void set(const trial *w, const char *name, const char *text)
{
    CHECK_STATUS(dae_orders_set(w->o, name, text), DAE_OK);
}

static const char *said(const trial *w)
{
    const size_t count = dae_diagnostics_count(w->said);
    assert_true(count > 0);
    return dae_diagnostics_at(w->said, count - 1)->message;
}

static const char DECAY[] = "var x = 1\nx' = -x\n"
                            "expect x ~ exp(-t) within 1e-6 always\n"
                            "solve t in 0..1\n";
/* u is given, so y and z are its derivatives: index 1, 2 and 3 */
static const char CHAIN[] = "var u, y, z\nu = sin(t)\ny = u'\nz = y'\n"
                            "solve t in 0..1\n";
static const char SAWTOOTH[] = "var x = 0\nx' = 1\n"
                               "fold: when x > 0.5\n  x := 0\nend\n"
                               "solve t in 0..1\n";

/* ---- fixed steps ---- */

static void errors_are_those_of_the_formula(void **state)
{
    (void)state;
    trial w = open_trial(DECAY);
    set(&w, "study", "steps");
    set(&w, "orders", "1,2");
    set(&w, "steps", "0.1,0.05");
    CHECK_STATUS(dae_orders_solve(w.o, w.run), DAE_OK);
    const dae_orders_steps *f = dae_orders_steps_of(w.o, DAE_ORDERS_PLAN);
    assert_int_equal(dae_orders_formula_count(f), 2);
    assert_int_equal(dae_orders_step_count(f), 2);
    const dae_orders_row *row = dae_orders_row_at(f, 0, 1);
    assert_string_equal(row->formula->name, "bdf1");
    assert_int_equal(row->steps, 20);
    CHECK_NEAR(
        row->errors[DAE_ORDERS_END][0], pow(1 / 1.05, 20) - exp(-1), 1e-15);
    CHECK_NEAR(row->errors[DAE_ORDERS_ONE_STEP][0], exp(-0.95) / 1.05 - exp(-1),
        1e-15);
    CHECK_NEAR(row->early[0], 1 / 1.05 - exp(-0.05), 1e-15);
    assert_int_equal(
        dae_orders_worth_of(row, DAE_ORDERS_END, 0), DAE_WORTH_BELIEVED);
    CHECK_NEAR(dae_orders_observed(f, 0, DAE_ORDERS_LARGEST, 0), 1, 0.05);
    CHECK_NEAR(dae_orders_observed(f, 1, DAE_ORDERS_LARGEST, 0), 2, 0.1);
    assert_true(dae_orders_is_settled(f, 1, DAE_ORDERS_LARGEST, 0));
    const dae_orders_unknown *x = dae_orders_unknown_at(w.o, 0);
    assert_string_equal(x->name, "x");
    assert_true(x->has_derivative && x->has_closed_form && x->index == 0);
    assert_int_equal(
        dae_orders_reference_of_steps(w.o).kind, DAE_REFERENCE_EXPECT);
    assert_null(dae_orders_steps_of(w.o, DAE_ORDERS_UNEQUAL));
    assert_int_equal(dae_orders_run_count(w.o), 0);
    /* the run is there for others */
    CHECK_STATUS(dae_run_solve(w.run), DAE_OK);
    close_trial(&w);
}

static void unknowns_of_higher_index_come_last(void **state)
{
    (void)state;
    trial w = open_trial(CHAIN);
    set(&w, "study", "steps");
    set(&w, "orders", "1..3");
    CHECK_STATUS(dae_orders_prepare(w.o, w.run), DAE_OK);
    assert_int_equal(dae_orders_index(w.o), 3);
    assert_int_equal(dae_orders_unknown_count(w.o), 3);
    assert_string_equal(dae_orders_unknown_at(w.o, 2)->name, "z");
    assert_int_equal(dae_orders_unknown_at(w.o, 2)->index, 3);
    CHECK_STATUS(dae_orders_solve(w.o, w.run), DAE_OK);
    assert_int_equal(
        dae_orders_reference_of_steps(w.o).kind, DAE_REFERENCE_POINTS);
    const dae_orders_steps *f = dae_orders_steps_of(w.o, DAE_ORDERS_PLAN);
    const dae_orders_steps *u = dae_orders_steps_of(w.o, DAE_ORDERS_UNEQUAL);
    /* equal steps keep the order that unequal ones lose */
    CHECK_NEAR(dae_orders_observed(f, 0, DAE_ORDERS_SETTLED, 2), 1, 0.1);
    CHECK_NEAR(dae_orders_observed(u, 0, DAE_ORDERS_SETTLED, 2), 0, 0.1);
    close_trial(&w);
}

static void a_wrong_start_is_another_study(void **state)
{
    (void)state;
    trial w = open_trial(DECAY);
    set(&w, "study", "steps");
    set(&w, "orders", "1");
    set(&w, "steps", "0.1");
    CHECK_STATUS(dae_orders_perturb(w.o, "x", "0.5"), DAE_OK);
    CHECK_STATUS(dae_orders_solve(w.o, w.run), DAE_OK);
    const dae_orders_steps *f = dae_orders_steps_of(w.o, DAE_ORDERS_PERTURBED);
    CHECK_NEAR(
        dae_orders_row_at(f, 0, 0)->early[0], 1.5 / 1.1 - exp(-0.1), 1e-15);
    CHECK_STATUS(dae_orders_perturb(w.o, "y", "1"), DAE_OK);
    CHECK_STATUS(dae_orders_solve(w.o, w.run), DAE_ARGUMENT);
    assert_string_equal(said(&w), "perturb: the model has no unknown `y`");
    close_trial(&w);
}

/* x = 1 + h x^2 has no solution for h above 1/4. */
static void what_fails_is_a_row(void **state)
{
    (void)state;
    trial w = open_trial("var x = 1\nx' = x^2\nsolve t in 0..0.9\n");
    set(&w, "study", "steps");
    set(&w, "orders", "1..2");
    set(&w, "steps", "0.45,0.0005");
    CHECK_STATUS(dae_orders_solve(w.o, w.run), DAE_OK);
    const dae_orders_steps *f = dae_orders_steps_of(w.o, DAE_ORDERS_PLAN);
    const dae_orders_row *row = dae_orders_row_at(f, 0, 0);
    assert_true(row->status != DAE_OK && row->failure.code[0] == 'E');
    assert_true(isnan(row->errors[DAE_ORDERS_LARGEST][0]));
    assert_int_equal(dae_orders_row_at(f, 0, 1)->status, DAE_OK);
    assert_true(isnan(dae_orders_observed(f, 0, DAE_ORDERS_LARGEST, 0)));
    assert_true(dae_orders_is_complete(w.o) && dae_orders_has_any(w.o));
    close_trial(&w);
}

/* ---- tolerances ---- */

static double count_seconds(void *context)
{
    return ++*(double *)context;
}

static void runs_have_errors_and_costs(void **state)
{
    (void)state;
    double clock = 0;
    trial w = open_trial(DECAY);
    set(&w, "study", "tolerances");
    set(&w, "methods", "bdf,radau");
    set(&w, "orders", "5");
    set(&w, "tolerances", "1e-3..1e-5");
    dae_orders_on_clock(w.o, count_seconds, &clock);
    CHECK_STATUS(dae_orders_solve(w.o, w.run), DAE_OK);
    assert_int_equal(dae_orders_run_count(w.o), 6);
    for (size_t i = 0; i < 6; i++) {
        const dae_orders_run *row = dae_orders_run_at(w.o, i);
        assert_string_equal(row->method, i < 3 ? "bdf" : "radau");
        assert_int_equal(row->is_held, i >= 3);
        assert_int_equal(row->max_order, 5);
        CHECK_NEAR(log10(row->rtol), -3 - (double)(i % 3), 1e-12);
        assert_true(row->error > 0 && row->error < 100 * row->rtol);
        assert_true(row->stats.steps > 0 && row->seconds > 0);
        assert_int_equal(dae_orders_series(w.o, i), 3 - i % 3);
    }
    const dae_orders_run *a = dae_orders_run_at(w.o, 0), *b = a + 1;
    const double cost = dae_orders_cost(w.o, 0, sqrt(a->error * b->error));
    CHECK_NEAR(cost * cost,
        (double)a->stats.residual_evals * (double)b->stats.residual_evals,
        1e-6);
    assert_true(isnan(dae_orders_cost(w.o, 0, 1)));
    assert_true(isnan(dae_orders_cost(w.o, 6, a->error)));
    assert_int_equal(dae_orders_series(w.o, 6), 0);
    close_trial(&w);
}

static void a_tolerance_of_the_run_is_studied(void **state)
{
    (void)state;
    trial w = open_trial(DECAY);
    set(&w, "study", "tolerances");
    set(&w, "orders", "5");
    CHECK_STATUS(dae_run_set_number(w.run, "rtol", 1e-4), DAE_OK);
    CHECK_STATUS(dae_orders_solve(w.o, w.run), DAE_OK);
    assert_int_equal(dae_orders_run_count(w.o), 1);
    CHECK_NEAR(dae_orders_run_at(w.o, 0)->rtol, 1e-4, 0);
    set(&w, "tolerances", "1e-3");
    CHECK_STATUS(dae_orders_solve(w.o, w.run), DAE_ARGUMENT);
    assert_string_equal(said(&w), "rtol and tolerances exclude each other");
    close_trial(&w);
}

/* A step of the run's own is none of the study. */
static void given_steps_are_the_study_s(void **state)
{
    (void)state;
    double errors[2];
    for (int i = 0; i < 2; i++) {
        trial w = open_trial(DECAY);
        set(&w, "study", "tolerances");
        set(&w, "orders", "2");
        set(&w, "tolerances", "1e-4");
        if (i) CHECK_STATUS(dae_run_set_number(w.run, "step", 0.1), DAE_OK);
        CHECK_STATUS(dae_orders_solve(w.o, w.run), DAE_OK);
        errors[i] = dae_orders_run_at(w.o, 0)->error;
        close_trial(&w);
    }
    CHECK_NEAR(errors[1], errors[0], 0);
}

/* ---- what cannot be ---- */

static void settings_that_cannot_be_are_told(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"orders", "7",
            "order 7: a BDF of an order above 6 is not zero-stable, its errors "
            "grow from step to step however short the steps are"},
        {"steps", "0.1,x", "steps wants numbers, not `x`"},
        {"steps", "0.1..0.2", "steps 0.1..0.2: the larger one comes first"},
        {"study", "all", "study wants steps, tolerances or both, not `all`"},
        {"methods", "auto",
            "methods compares methods, and `auto` is a choice of them"}};
    trial w = open_trial(DECAY);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dae_diagnostics_clear(w.said);
        set(&w, cases[i][0], cases[i][1]);
        CHECK_STATUS(dae_orders_check(w.o), DAE_ARGUMENT);
        CHECK_STATUS(dae_orders_solve(w.o, w.run), DAE_ARGUMENT);
        assert_string_equal(said(&w), cases[i][2]);
        set(&w, cases[i][0], NULL);
        CHECK_STATUS(dae_orders_check(w.o), DAE_OK);
    }
    CHECK_STATUS(dae_orders_set(w.o, "step", "1"), DAE_ARGUMENT);
    set(&w, "study", "steps");
    set(&w, "steps", "2");
    CHECK_STATUS(dae_orders_solve(w.o, w.run), DAE_ARGUMENT);
    assert_string_equal(
        said(&w), "steps: 2 is longer than the interval from 0 to 1");
    close_trial(&w);
}

static void events_leave_tolerances_alone(void **state)
{
    (void)state;
    trial w = open_trial(SAWTOOTH);
    set(&w, "orders", "1");
    set(&w, "tolerances", "1e-3");
    CHECK_STATUS(dae_orders_solve(w.o, w.run), DAE_OK);
    assert_null(dae_orders_steps_of(w.o, DAE_ORDERS_PLAN));
    assert_int_equal(dae_orders_run_count(w.o), 1);
    assert_string_equal(dae_diagnostics_at(w.said, 0)->code, "N0508");
    set(&w, "study", "steps");
    CHECK_STATUS(dae_orders_solve(w.o, w.run), DAE_ARGUMENT);
    set(&w, "study", NULL);
    CHECK_STATUS(dae_orders_solve(w.o, w.run), DAE_OK);
    close_trial(&w);
}

static void nothing_and_what_is_out_of_range_is_answered(void **state)
{
    (void)state;
    size_t count = 1;
    trial w = open_trial(DECAY);
    set(&w, "study", "steps");
    set(&w, "orders", "1");
    set(&w, "steps", "0.1");
    assert_null(dae_orders_steps_of(w.o, DAE_ORDERS_PLAN));
    assert_int_equal(dae_orders_unknown_count(w.o), 0);
    CHECK_STATUS(dae_orders_solve(w.o, w.run), DAE_OK);
    const dae_orders_steps *f = dae_orders_steps_of(w.o, DAE_ORDERS_PLAN);
    const dae_orders_row *row = dae_orders_row_at(f, 0, 0);
    assert_null(dae_orders_row_at(f, 1, 0));
    assert_null(dae_orders_row_at(f, 0, 1));
    assert_null(dae_orders_formula_at(f, 1));
    assert_null(dae_orders_unknown_at(w.o, 1));
    assert_null(dae_orders_run_at(w.o, 0));
    assert_null(dae_orders_steps_of(w.o, DAE_ORDERS_STEPS_COUNT));
    assert_null(dae_orders_pattern(w.o, &count));
    assert_int_equal(count, 0);
    assert_int_equal(
        dae_orders_worth_of(row, DAE_ORDERS_ERRORS, 0), DAE_WORTH_NOTHING);
    assert_int_equal(
        dae_orders_worth_of(row, DAE_ORDERS_END, 1), DAE_WORTH_NOTHING);
    assert_true(isnan(dae_orders_observed(f, 1, DAE_ORDERS_END, 0)));
    assert_true(isnan(dae_orders_observed(f, 0, DAE_ORDERS_END, 0)));
    close_trial(&w);
}

/* ---- who watches ---- */

typedef struct listener {
    size_t heard, most;
} listener;

static dae_status hear(
    void *context, const char *formula, double step, double rtol)
{
    listener *l = context;
    assert_true(formula[0] && isnan(step) != isnan(rtol));
    return ++l->heard > l->most ? DAE_INTERRUPTED : DAE_OK;
}

static void what_was_cancelled_keeps_its_rows(void **state)
{
    (void)state;
    listener l = {0, 3};
    trial w = open_trial(DECAY);
    set(&w, "orders", "1..2");
    set(&w, "steps", "0.1,0.05");
    set(&w, "tolerances", "1e-3");
    dae_orders_on_progress(w.o, hear, &l);
    CHECK_STATUS(dae_orders_solve(w.o, w.run), DAE_INTERRUPTED);
    assert_true(!dae_orders_is_complete(w.o) && dae_orders_has_any(w.o));
    const dae_orders_steps *f = dae_orders_steps_of(w.o, DAE_ORDERS_PLAN);
    assert_int_equal(dae_orders_row_at(f, 0, 1)->steps, 20);
    assert_int_equal(dae_orders_row_at(f, 1, 1)->steps, 0);
    l = (listener){0, 100};
    CHECK_STATUS(dae_orders_solve(w.o, w.run), DAE_OK);
    assert_int_equal(l.heard, 4 + 2);
    close_trial(&w);
}

typedef struct budget {
    size_t left;
} budget;

static void *resize(void *context, void *block, size_t old_size, size_t size)
{
    budget *b = context;
    const dae_allocator *libc = dae_allocator_default();
    if (size && b->left == 0) return NULL;
    if (size) b->left--;
    return libc->resize(libc->context, block, old_size, size);
}

static dae_status study_within(budget *b)
{
    const dae_allocator a = {resize, b};
    dae_run *run = NULL;
    dae_orders *o = NULL;
    dae_status st = dae_run_parse(
        "m.dae", DECAY, strlen(DECAY), NULL, &a, NULL, &run);
    if (!st) st = dae_orders_create(&a, NULL, &o);
    if (!st) st = dae_orders_set(o, "orders", "1");
    if (!st) st = dae_orders_set(o, "steps", "0.5,0.1");
    if (!st) st = dae_orders_set(o, "tolerances", "1e-2");
    if (!st) st = dae_orders_solve(o, run);
    dae_orders_free(o);
    dae_run_free(run);
    return st;
}

static void want_of_memory_is_told(void **state)
{
    (void)state;
    budget whole = {SIZE_MAX};
    CHECK_STATUS(study_within(&whole), DAE_OK);
    const size_t all = SIZE_MAX - whole.left;
    for (size_t some = 0; some < all; some += 1 + all / 100) {
        budget b = {some};
        CHECK_STATUS(study_within(&b), DAE_MEMORY);
    }
}

/* ---- copies of runs ---- */

static void a_copy_has_the_settings(void **state)
{
    (void)state;
    trial w = open_trial(DECAY);
    dae_run *copy = NULL;
    dae_setting rtol;
    CHECK_STATUS(dae_run_set_number(w.run, "rtol", 1e-4), DAE_OK);
    CHECK_STATUS(dae_run_set_word(w.run, "method", "radau"), DAE_OK);
    CHECK_STATUS(dae_run_set_atol(w.run, "x", 1e-5), DAE_OK);
    CHECK_STATUS(dae_run_copy(w.run, w.said, &copy), DAE_OK);
    assert_ptr_equal(dae_run_model(copy), dae_run_model(w.run));
    assert_ptr_equal(dae_run_diagnostics(copy), w.said);
    CHECK_STATUS(dae_run_setting(copy, "rtol", &rtol), DAE_OK);
    assert_int_equal(rtol.origin, DAE_FROM_CALLER);
    CHECK_STATUS(dae_run_solve(copy), DAE_OK);
    const double x = dae_run_x(copy)[0];
    CHECK_NEAR(dae_run_atol(copy, 0), 1e-5, 0);
    dae_run_free(copy);
    CHECK_STATUS(dae_run_solve(w.run), DAE_OK);
    CHECK_NEAR(dae_run_x(w.run)[0], x, 0);
    /* the model of a copy would go with the next solution */
    CHECK_STATUS(dae_run_set(w.run, "x(0)", 2), DAE_OK);
    CHECK_STATUS(dae_run_copy(w.run, w.said, &copy), DAE_ARGUMENT);
    assert_null(copy);
    close_trial(&w);
}

/* Its param is the model's, which the runs of the study take over. */
static void a_run_with_a_param_set_or_solved_is_studied(void **state)
{
    (void)state;
    trial w = open_trial("param k = 1\nvar x = 1\nx' = -k*x\n"
                         "solve t in 0..1, rtol = 1e-5, atol = 1e-7\n");
    set(&w, "study", "tolerances");
    set(&w, "tolerances", "1e-3,1e-5");
    double errors[2] = {0};
    for (int i = 0; i < 3; i++) {
        if (i == 1) CHECK_STATUS(dae_run_set(w.run, "k", 2), DAE_OK);
        if (i == 2) {
            CHECK_STATUS(dae_run_solve(w.run), DAE_OK);
            CHECK_NEAR(dae_run_x(w.run)[0], exp(-2), 1e-4);
            /* tolerances of the study are its own */
            CHECK_STATUS(dae_run_scale_tolerances(w.run, 100), DAE_OK);
        }
        CHECK_STATUS(dae_orders_solve(w.o, w.run), DAE_OK);
        assert_true(dae_orders_run_count(w.o) >= 2);
        const double error = dae_orders_run_at(w.o, 0)->error;
        assert_true(error > 0 && error < 0.05);
        if (i > 0) errors[i - 1] = error;
    }
    CHECK_NEAR(errors[0], errors[1], 0);
    /* it starts again before it goes on */
    CHECK_STATUS(dae_run_to(w.run, 0.5), DAE_ARGUMENT);
    CHECK_STATUS(dae_run_solve(w.run), DAE_OK);
    close_trial(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_those_of_the_formula),
        cmocka_unit_test(unknowns_of_higher_index_come_last),
        cmocka_unit_test(a_wrong_start_is_another_study),
        cmocka_unit_test(what_fails_is_a_row),
        cmocka_unit_test(runs_have_errors_and_costs),
        cmocka_unit_test(a_run_with_a_param_set_or_solved_is_studied),
        cmocka_unit_test(a_tolerance_of_the_run_is_studied),
        cmocka_unit_test(given_steps_are_the_study_s),
        cmocka_unit_test(settings_that_cannot_be_are_told),
        cmocka_unit_test(events_leave_tolerances_alone),
        cmocka_unit_test(nothing_and_what_is_out_of_range_is_answered),
        cmocka_unit_test(what_was_cancelled_keeps_its_rows),
        cmocka_unit_test(want_of_memory_is_told),
        cmocka_unit_test(a_copy_has_the_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
