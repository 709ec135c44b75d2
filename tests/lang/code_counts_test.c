/* What is said where equations and unknowns do not match, of models as text:
 * main message, place, labels and help. */
#include "lang/sema_support.h"

typedef struct refused {
    dae_diagnostics *ds;
    const dae_diagnostic *d;
} refused;

/* The only diagnostic of a text. */
static void open_refused(refused *r, const char *text)
{
    dae_model *model;
    CHECK_STATUS(dae_diagnostics_create(NULL, &r->ds), DAE_OK);
    CHECK_STATUS(
        dae_model_parse("m.dae", text, strlen(text), NULL, NULL, r->ds, &model),
        DAE_MODEL);
    assert_null(model);
    assert_int_equal(dae_diagnostics_count(r->ds), 1);
    r->d = dae_diagnostics_at(r->ds, 0);
}

static void check_said(
    const refused *r, const char *code, const char *message, uint32_t line)
{
    assert_string_equal(r->d->code, code);
    assert_string_equal(r->d->message, message);
    assert_true(r->d->span_count > 0);
    assert_int_equal(r->d->spans[0].line, line);
}

static void check_label(const refused *r, uint32_t k, const char *label)
{
    assert_true(k < r->d->span_count);
    assert_string_equal(r->d->spans[k].label, label);
}

static void as_many_but_one_unknown_is_not_used(void **state)
{
    (void)state;
    refused r;
    open_refused(&r, "var x, y\nx' = -x\nx = 1\n");
    check_said(
        &r, "E0302", "nothing determines `y`: it occurs in no equation", 1);
    assert_int_equal(r.d->spans[0].column, 8);
    assert_string_equal(
        r.d->help, "use `y` in an equation, or drop its declaration");
    dae_diagnostics_free(r.ds);
}

static void too_many_with_unknowns_left_over(void **state)
{
    (void)state;
    refused r;
    open_refused(&r,
        "var x, y, z\n"
        "a: x' = 1\n"
        "b: x = 2\n"
        "c: x = 3\n"
        "d: x = 4\n"
        "e: 2*x = 1\n");
    check_said(&r, "E0301",
        "the model has 5 equations for 3 unknowns, 2 equations too many", 2);
    check_label(&r, 0, "equations `a` and `b` both determine only `x`");
    check_label(&r, 1, "`b` is one of them");
    check_label(&r, r.d->span_count - 2, "`y` occurs in no equation");
    check_label(&r, r.d->span_count - 1, "`z` occurs in no equation");
    dae_diagnostics_free(r.ds);
}

/* The smallest set that cannot be determined, then more of its kind. */
static void too_few_for_many_unknowns(void **state)
{
    (void)state;
    refused r;
    open_refused(&r,
        "var a, b, c, d, e, f, g, h\n"
        "whole: a + b + c + d + e + f + g + h = 1\n");
    check_said(&r, "E0301",
        "the model has 1 equation for 8 unknowns, 7 equations are missing", 1);
    check_label(&r, 0, "`whole` alone has to determine `a` and `b`");
    check_label(&r, 1, "`b` is one of them");
    check_label(&r, 4, "`e` is one of them");
    assert_int_equal(r.d->span_count, 5);
    assert_string_equal(r.d->help,
        "add an equation that contains one of `a` and `b`, or make `a` a "
        "`param`");
    dae_diagnostics_free(r.ds);
}

/* Elements of one array have one place, which is given once. */
static void too_few_for_an_array(void **state)
{
    (void)state;
    refused r;
    open_refused(&r,
        "var v[6], w\n"
        "whole: sum(v) = 1\n"
        "other: sum(v) = w\n"
        "third: w^2 = v[1]\n");
    assert_string_equal(r.d->code, "E0301");
    assert_string_equal(r.d->message,
        "the model has 3 equations for 7 unknowns, 4 equations are missing");
    assert_int_equal(r.d->span_count, 2);
    check_label(&r, 1, "`w` is one of them");
    dae_diagnostics_free(r.ds);
}

static void too_few_and_one_says_nothing(void **state)
{
    (void)state;
    refused r;
    open_refused(&r,
        "param k = 2\n"
        "var x, y, z\n"
        "idle: k = 2\n"
        "x' = y + z\n");
    check_said(&r, "E0301",
        "the model has 2 equations for 3 unknowns, 1 equation is missing", 2);
    check_label(&r, r.d->span_count - 1, "`idle` contains no unknown");
    dae_diagnostics_free(r.ds);
}

static void singular_with_several_on_both_sides(void **state)
{
    (void)state;
    refused r;
    open_refused(&r,
        "var x, y, z, w\n"
        "a: x' = 1\n"
        "b: x = 2\n"
        "c: y + z + w = 1\n"
        "d: y - z + 2*w = 0\n");
    check_said(&r, "E0302",
        "equations `a` and `b` both determine only `x`, and `c` and `d` alone "
        "have to determine `y`, `z` and `w`",
        2);
    check_label(&r, 0, "one of 2 equations for only `x`");
    check_label(&r, 1, "`b` is another one");
    check_label(&r, 2, "`c` has too many unknowns to determine");
    check_label(&r, 3, "`d` has too many unknowns to determine");
    assert_string_equal(
        r.d->help, "one of `a` and `b` has to contain one of `y`, `z` and `w`");
    dae_diagnostics_free(r.ds);
}

static void singular_through_a_chain_of_lets(void **state)
{
    (void)state;
    refused r;
    open_refused(&r,
        "var x, y\n"
        "let s = x*y\n"
        "let r = 2*s + s^2\n"
        "a: r = 1\n"
        "b: r' = 0\n");
    check_said(&r, "E0302",
        "equations `a` and `b` both determine only `r`, and `s` alone has to "
        "determine `x` and `y`",
        4);
    dae_diagnostics_free(r.ds);
}

/* Lets that the equations have in common with their unknowns are not named. */
static void too_many_of_lets_and_unknowns(void **state)
{
    (void)state;
    refused r;
    open_refused(&r,
        "var x, y\n"
        "let s = x + y\n"
        "let d = x - y\n"
        "a: s*d = 1\n"
        "b: s + d = 2\n"
        "c: x*d = s + y\n");
    check_said(&r, "E0301",
        "the model has 3 equations for 2 unknowns, 1 equation too many", 4);
    check_label(&r, 0,
        "`a`, `b` and `c` together: one equation too many for `x` and `y`");
    dae_diagnostics_free(r.ds);
}

/* The energy of three particles: the only equation for their nine coordinates. */
static void energy_alone(void **state)
{
    (void)state;
    refused r;
    open_refused(&r,
        "var x[3], y[3], z[3]\n"
        "energy: sum(x[i]'^2 + y[i]'^2 + z[i]'^2 for i in 1..3)/2\n"
        "  + sum(x[i]^2 + y[i]^2 + z[i]^2 for i in 1..3)/2 = 1\n");
    check_said(&r, "E0301",
        "the model has 1 equation for 9 unknowns, 8 equations are missing", 1);
    check_label(&r, 0, "`energy` alone has to determine `x[1]` and `x[2]`");
    dae_diagnostics_free(r.ds);
}

/* Momentum balance and energy together, of three particles on a line. */
static void energy_beside_momentum(void **state)
{
    (void)state;
    refused r;
    open_refused(&r,
        "var x[3], u[3]\n"
        "kinematics: x[i]' = u[i] for i in 1..3\n"
        "momentum: u[i]' = -x[i] for i in 1..3\n"
        "energy: sum(u[i]^2 for i in 1..3) + sum(x[i]^2 for i in 1..3) = 2\n");
    check_said(&r, "E0301",
        "the model has 7 equations for 6 unknowns, 1 equation too many", 2);
    check_label(&r, 0,
        "`kinematics` (3 equations), `momentum` (3 equations) and `energy` "
        "together: one equation too many for `x` (3 unknowns) and `u` (3 "
        "unknowns)");
    dae_diagnostics_free(r.ds);
}

static dae_singular *singular_of(const char *text, dae_status expected)
{
    dae_singular *found = (dae_singular *)1;
    const dae_model_options options = {.singular = &found};
    dae_model *model;
    CHECK_STATUS(dae_model_parse(
                     "m.dae", text, strlen(text), &options, NULL, NULL, &model),
        expected);
    dae_model_free(model);
    return found;
}

static void check_names(
    const dae_named *list, size_t count, const char *expected)
{
    char text[200] = "";
    for (size_t k = 0; k < count; k++) {
        const size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, "%s:%u ", list[k].name,
            (unsigned)list[k].line);
    }
    assert_string_equal(text, expected);
}

/* The smallest set first, then the rest of the part. */
static void facts_of_both_parts(void **state)
{
    (void)state;
    dae_singular *s = singular_of("var x, y, z,\n"
                                  "  w\n"
                                  "a: x' = 1\n"
                                  "b: x = 2\n"
                                  "c: y + z + w = 1\n"
                                  "d: y - z + 2*w = 0\n",
        DAE_MODEL);
    assert_non_null(s);
    assert_int_equal(s->equations, 4);
    assert_int_equal(s->unknowns, 4);
    check_names(s->over.equations, s->over.equation_count, "a:3 b:4 ");
    check_names(s->over.unknowns, s->over.unknown_count, "x:1 ");
    check_names(s->under.equations, s->under.equation_count, "c:5 d:6 ");
    check_names(s->under.unknowns, s->under.unknown_count, "y:1 z:1 w:2 ");
    assert_int_equal(s->under.unknown_witness, 3);
    dae_singular_free(s);
}

static void facts_of_what_is_missing(void **state)
{
    (void)state;
    dae_singular *s = singular_of("var x[3], y\nx[1]' = x[2]\n", DAE_MODEL);
    assert_non_null(s);
    assert_int_equal(s->equations, 1);
    assert_int_equal(s->unknowns, 4);
    assert_int_equal(s->over.equation_count + s->over.unknown_count, 0);
    check_names(s->under.equations, s->under.equation_count, "L2:2 ");
    /* x[3] alone, which occurs nowhere, is the smallest set */
    assert_int_equal(s->under.unknown_witness, 1);
    assert_int_equal(s->under.equation_witness, 0);
    check_names(
        s->under.unknowns, s->under.unknown_count, "x[3]:1 x[1]:1 x[2]:1 y:1 ");
    dae_singular_free(s);
}

static void no_facts_for_other_reasons(void **state)
{
    (void)state;
    assert_null(singular_of("var x\nx' = z\n", DAE_MODEL));
    assert_null(singular_of("var x\nx' = -x\n", DAE_OK));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_but_one_unknown_is_not_used),
        cmocka_unit_test(too_many_with_unknowns_left_over),
        cmocka_unit_test(too_few_for_many_unknowns),
        cmocka_unit_test(too_few_for_an_array),
        cmocka_unit_test(too_few_and_one_says_nothing),
        cmocka_unit_test(singular_with_several_on_both_sides),
        cmocka_unit_test(singular_through_a_chain_of_lets),
        cmocka_unit_test(too_many_of_lets_and_unknowns),
        cmocka_unit_test(energy_alone),
        cmocka_unit_test(energy_beside_momentum),
        cmocka_unit_test(facts_of_both_parts),
        cmocka_unit_test(facts_of_what_is_missing),
        cmocka_unit_test(no_facts_for_other_reasons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
