/* <dae/report.h>: what a model is, as other programs ask it. */
#include "check.h"
#include <dae/names.h>
#include <dae/report.h>

typedef struct trial {
    dae_diagnostics *ds;
    dae_run *run;
    dae_report *r;
} trial;

static trial open_trial(const char *text)
{
    trial w;
    CHECK_STATUS(dae_diagnostics_create(NULL, &w.ds), DAE_OK);
    CHECK_STATUS(
        dae_run_parse("m.dae", text, strlen(text), NULL, NULL, w.ds, &w.run),
        DAE_OK);
    CHECK_STATUS(dae_run_prepare(w.run, DAE_RUN_START_ALONE), DAE_OK);
    CHECK_STATUS(dae_report_create(w.run, 0, NULL, w.ds, &w.r), DAE_OK);
    return w;
}

static void close_trial(trial *w)
{
    dae_report_free(w->r);
    dae_run_free(w->run);
    dae_diagnostics_free(w->ds);
}

typedef struct buffer {
    char text[200];
    size_t length;
} buffer;

static int put(void *context, const char *text, size_t length)
{
    buffer *b = context;
    assert_true(b->length + length < sizeof b->text);
    memcpy(b->text + b->length, text, length);
    b->text[b->length += length] = '\0';
    return 0;
}

static const char PENDULUM[] =
    "var x = 1, y = 0, vx, vy, F\n"
    "x' = vx\ny' = vy\nvx' = -F*x\nvy' = -F*y - 9.81\n"
    "rod: x^2 + y^2 = 1\n"
    "init vx = 0\ninit vy = 0\nsolve t in 0..1\n";

/* The constraint of this order, by its place; SIZE_MAX: there is none. */
static size_t find(const trial *w, const char *equation, int differentiated)
{
    dae_name_buffer b = {0};
    dae_constraint c;
    size_t found = SIZE_MAX;
    for (size_t k = 0; k < dae_report_constraint_count(w->r); k++) {
        CHECK_STATUS(dae_report_constraint_at(w->r, k, &c), DAE_OK);
        const char *name = dae_name_equation(
            dae_run_model(w->run), c.equation, &b);
        if (strcmp(name, equation) == 0 && c.differentiated == differentiated)
            found = k;
    }
    assert_true(dae_name_done(&b));
    return found;
}

static void hidden_constraints_are_formulas(void **state)
{
    (void)state;
    trial w = open_trial(PENDULUM);
    buffer b = {.length = 0};
    dae_constraint c;
    assert_int_equal(dae_report_analysis(w.r)->index, 3);
    const size_t once = find(&w, "rod", 1), twice = find(&w, "rod", 2);
    CHECK_STATUS(dae_report_constraint_at(w.r, once, &c), DAE_OK);
    assert_true(c.restricts_start && c.line == 6 && !c.is_combination);
    CHECK_STATUS(dae_report_constraint_formula(w.r, once, 0, put, &b), DAE_OK);
    assert_string_equal(b.text, "2*x*vx + 2*y*vy = 0");
    dae_slot slot;
    CHECK_STATUS(dae_report_constraint_determines(w.r, once, &slot), DAE_OK);
    assert_int_equal(slot.unknown, -1);
    CHECK_STATUS(dae_report_constraint_at(w.r, twice, &c), DAE_OK);
    assert_true(!c.restricts_start && !c.follows);
    /* x' = vx comes along */
    CHECK_STATUS(dae_report_constraint_at(w.r, find(&w, "L2", 1), &c), DAE_OK);
    assert_true(c.follows);
    close_trial(&w);
}

static void the_index_has_a_reason(void **state)
{
    (void)state;
    dae_reason reason;
    dae_name_buffer b = {0};
    trial w = open_trial(PENDULUM);
    const dae_model *m = dae_run_model(w.run);
    CHECK_STATUS(dae_report_reason(w.r, &reason), DAE_OK);
    assert_int_equal(reason.kind, DAE_REASON_DIFFERENTIATED);
    assert_int_equal(reason.times, 2);
    assert_int_equal(reason.equation_count, 1);
    assert_string_equal(dae_name_equation(m, reason.equations[0], &b), "rod");
    assert_int_equal(reason.unknown_count, 1);
    assert_string_equal(dae_name_unknown(m, reason.unknowns[0], &b), "F");
    assert_string_equal(
        dae_name_equation_derivative(m, reason.equations[0], 2, &b), "rod''");
    assert_string_equal(
        dae_name_equation_derivative(m, reason.equations[0], 12, &b),
        "der(rod, 12)");
    assert_true(dae_name_done(&b));
    close_trial(&w);
    w = open_trial("var x = 1, y\nx' = -y\ny = 2*x\nsolve t in 0..1\n");
    CHECK_STATUS(dae_report_reason(w.r, &reason), DAE_OK);
    assert_int_equal(reason.kind, DAE_REASON_ALGEBRAIC);
    assert_int_equal(reason.unknown_count, 1);
    assert_int_equal(reason.unknowns[0], dae_report_unknown_at(w.r, 1));
    close_trial(&w);
    w = open_trial("var x = 1\nx' = -x\nsolve t in 0..1\n");
    CHECK_STATUS(dae_report_reason(w.r, &reason), DAE_OK);
    assert_int_equal(reason.kind, DAE_REASON_AS_IT_IS);
    close_trial(&w);
}

static void what_does_not_go_together_is_named(void **state)
{
    (void)state;
    trial w = open_trial("param k = 0\nvar x, y, z\nx + y = 1\nx - y = 0\n"
                         "x + k*z = 2\nsolve t in 0..1\n");
    const dae_singular *s = dae_report_singular(w.r);
    assert_non_null(s);
    CHECK_STATUS(dae_report_status(w.r), DAE_MODEL);
    assert_int_equal(s->over.equation_count, 3);
    assert_int_equal(s->over.equations[0].line, 3);
    assert_int_equal(s->under.unknown_count, 1);
    assert_string_equal(s->under.unknowns[0].name, "z");
    dae_reason reason;
    CHECK_STATUS(dae_report_reason(w.r, &reason), DAE_OK);
    assert_int_equal(reason.kind, DAE_REASON_NONE);
    assert_true(dae_report_place_at(w.r, 0) == SIZE_MAX);
    close_trial(&w);
}

static void a_start_that_cannot_be_is_told(void **state)
{
    (void)state;
    trial w = open_trial("var x = 1, y = 5\nx' = -y\ny = 2*x\n"
                         "init x + y = 3\nsolve t in 0..1\n");
    CHECK_STATUS(dae_report_status(w.r), DAE_INCONSISTENT);
    const dae_start_findings *s = &dae_report_analysis(w.r)->start;
    const dae_model *m = dae_run_model(w.run);
    dae_name_buffer b = {0};
    size_t seen = 0;
    for (size_t i = 0; i < s->conflict_count; i++) {
        const dae_party *party = &s->conflicts[i];
        const char *name = dae_name_party(m, party, &b);
        if (party->kind == DAE_PARTY_VALUE && strcmp(name, "y") == 0)
            seen += dae_party_line(m, party) == 1;
        if (party->kind == DAE_PARTY_EQUATION)
            seen += dae_party_line(m, party) == 3;
    }
    assert_true(seen > 0);
    assert_true(dae_name_done(&b));
    assert_int_equal(dae_report_condition_at(w.r, 0), 0);
    close_trial(&w);
}

static void the_order_is_that_of_the_text(void **state)
{
    (void)state;
    trial w = open_trial(PENDULUM);
    const dae_model *m = dae_run_model(w.run);
    uint32_t last = 0;
    for (size_t k = 0; k < dae_model_equation_count(m); k++) {
        const uint32_t line = dae_model_equation_line(
            m, dae_report_equation_at(w.r, k));
        assert_true(line > last);
        last = line;
    }
    const size_t n = dae_report_analysis(w.r)->repaired->n;
    uint8_t seen[16] = {0};
    for (size_t k = 0; k < n; k++) {
        const size_t p = dae_report_place_at(w.r, k);
        assert_true(p < n && !seen[p]++);
    }
    assert_true(dae_report_place_at(w.r, n) == SIZE_MAX);
    assert_true(dae_report_equation_at(w.r, 99) == SIZE_MAX);
    assert_true(dae_report_unknown_at(w.r, 99) == SIZE_MAX);
    assert_true(dae_report_condition_at(w.r, 99) == SIZE_MAX);
    dae_constraint c;
    CHECK_STATUS(dae_report_constraint_at(w.r, 99, &c), DAE_ARGUMENT);
    /* the run goes on as if nobody had asked */
    CHECK_STATUS(dae_run_solve(w.run), DAE_OK);
    close_trial(&w);
}

static void the_start_has_values_and_sides(void **state)
{
    (void)state;
    trial w = open_trial("var x = 2, y\nx' = if x > 1 then -1 else 1\n"
                         "y = floor(x + 0.5) + sign(x - 2)\nsolve t in 0..1\n");
    const dae_problem *p = dae_run_problem(w.run);
    double x[2], xp[2], sides[3];
    assert_int_equal(p->events->switch_count, 3);
    CHECK_STATUS(dae_report_start(w.r, x, xp), DAE_OK);
    const size_t j = dae_report_unknown_at(w.r, 0);
    CHECK_NEAR(
        dae_model_unknown_value(dae_run_model(w.run), j, 0, x, xp), 2, 0);
    CHECK_NEAR(
        dae_model_unknown_value(dae_run_model(w.run), j, 1, x, xp), -1, 0);
    CHECK_STATUS(dae_switch_sides(p, 0, x, xp, sides), DAE_OK);
    for (size_t k = 0; k < 3; k++) switch (p->events->switches[k].kind) {
        case DAE_SWITCH_SIGN: assert_true(isnan(sides[k])); break;
        case DAE_SWITCH_FLOOR: CHECK_NEAR(sides[k], 2, 0); break;
        default: CHECK_NEAR(sides[k], 1, 0);
        }
    dae_report_free(w.r);
    CHECK_STATUS(dae_report_create(w.run, 1, NULL, w.ds, &w.r), DAE_OK);
    CHECK_STATUS(dae_report_start(w.r, x, xp), DAE_INCONSISTENT);
    close_trial(&w);
}

/* x'' = -x as index 2 over a constraint: values that differentiation adds are listed. */
static void a_found_start_is_listed(void **state)
{
    (void)state;
    trial w = open_trial(
        "var x = 1, v, y ~ 3\nx' = v\nv' = y\nfix: x = cos(t)\n"
        "solve t in 0..1\n");
    const dae_model *m = dae_run_model(w.run);
    dae_found_start *f = NULL;
    CHECK_STATUS(dae_found_start_create(w.run, 1, NULL, &f), DAE_ARGUMENT);
    CHECK_STATUS(dae_run_start(w.run), DAE_OK);
    CHECK_STATUS(dae_found_start_create(w.run, 1, NULL, &f), DAE_OK);
    const size_t x = dae_report_unknown_at(w.r, 0),
                 y = dae_report_unknown_at(w.r, 2);
    assert_true(dae_found_order(f, x) >= 1);
    CHECK_NEAR(dae_found_value(f, x, 0), 1, 1e-12);
    CHECK_NEAR(dae_found_value(f, x, 1), 0, 1e-12);
    CHECK_NEAR(dae_found_value(f, y, 0), -1, 1e-9);
    CHECK_NEAR(dae_found_guess(f, y, 0), 3, 0);
    assert_true(dae_found_kind(f, x, 0) & DAE_FOUND_CONDITION);
    assert_true(isnan(dae_found_guess(f, x, 0)));
    assert_true(isnan(dae_found_value(f, x, 99)));
    assert_int_equal(dae_found_order(f, 99), -1);
    assert_int_equal(dae_found_kind(f, 99, 0), 0);
    dae_found_row row;
    dae_name_buffer b = {0};
    size_t twice = 0;
    for (size_t k = 0; k < dae_found_row_count(f); k++) {
        CHECK_STATUS(dae_found_row_at(f, k, &row), DAE_OK);
        CHECK_NEAR(row.residual, 0, 1e-9);
        twice += strcmp(dae_name_party(m, &row.party, &b), "fix''") == 0;
    }
    assert_int_equal(twice, 1);
    assert_true(dae_name_done(&b));
    CHECK_STATUS(
        dae_found_row_at(f, dae_found_row_count(f), &row), DAE_ARGUMENT);
    dae_found_start_free(f);
    CHECK_STATUS(dae_run_solve(w.run), DAE_OK);
    CHECK_STATUS(dae_found_start_create(w.run, 1, NULL, &f), DAE_ARGUMENT);
    close_trial(&w);
    w = open_trial("var x, y\nx' = -y\ny' = x\ninit y = 1\nsolve t in 0..1\n");
    CHECK_STATUS(dae_run_start(w.run), DAE_OK);
    CHECK_STATUS(dae_found_start_create(w.run, 1, NULL, &f), DAE_OK);
    assert_int_equal(
        dae_found_kind(f, dae_report_unknown_at(w.r, 0), 0), DAE_FOUND_MISSING);
    dae_found_start_free(f);
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

static dae_status report_within(dae_run *run, budget *b)
{
    const dae_allocator a = {resize, b};
    dae_report *r;
    dae_found_start *f = NULL;
    dae_reason reason;
    dae_status st = dae_report_create(run, 0, &a, NULL, &r);
    if (!st) st = dae_report_reason(r, &reason);
    if (!st && dae_run_has_start(run))
        st = dae_found_start_create(run, 1, &a, &f);
    dae_found_start_free(f);
    dae_report_free(r);
    return st;
}

static void want_of_memory_is_told(void **state)
{
    (void)state;
    static const char *const texts[] = {PENDULUM,
        "param k = 0\nvar x, y, z\nx + y = 1\nx - y = 0\nx + k*z = 2\n"
        "solve t in 0..1\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        trial w = open_trial(texts[i]);
        budget whole = {SIZE_MAX};
        if (i == 0) CHECK_STATUS(dae_run_start(w.run), DAE_OK);
        CHECK_STATUS(report_within(w.run, &whole), DAE_OK);
        for (size_t some = 0; some < SIZE_MAX - whole.left; some++) {
            budget b = {some};
            CHECK_STATUS(report_within(w.run, &b), DAE_MEMORY);
        }
        close_trial(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hidden_constraints_are_formulas),
        cmocka_unit_test(the_index_has_a_reason),
        cmocka_unit_test(what_does_not_go_together_is_named),
        cmocka_unit_test(a_start_that_cannot_be_is_told),
        cmocka_unit_test(the_order_is_that_of_the_text),
        cmocka_unit_test(the_start_has_values_and_sides),
        cmocka_unit_test(a_found_start_is_listed),
        cmocka_unit_test(want_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
