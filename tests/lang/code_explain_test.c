/* Where a value that is not finite begins, in the words of the model: every
 * kind of leaf, sums that overflow, derivatives through definitions, internal
 * unknowns. */
#include "lang/sema_support.h"

static const double nan_value = (double)NAN;

static const char *explained(fixture *f, size_t equation, double t)
{
    static char text[400];
    size_t length = f->p->explain(f->p->self, DAE_NAME_EQUATION, equation, t,
        f->x, f->xp, text, sizeof text);
    assert_int_equal(length, strlen(text));
    return text;
}

static void check_explained(
    fixture *f, size_t equation, double t, const char *expected)
{
    assert_string_equal(explained(f, equation, t), expected);
}

static void check_part(fixture *f, size_t equation, double t, const char *part)
{
    const char *text = explained(f, equation, t);
    if (!strstr(text, part)) fail_msg("no \"%s\" in: %s", part, text);
}

static void values_of_every_leaf_are_told(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "param k = 2, m = k - 5\n"
        "var x, y, w\n"
        "x' = log(m*k*x)\n"
        "y' = -1/(y - k*t)\n"
        "w'' = sqrt(w')\n");
    /* slots: x, y, w, w' */
    f.x[0] = 0.5, f.x[1] = 0.75, f.x[2] = 1, f.x[3] = -1;
    check_part(&f, 0, 0, "log(x*(k*(k - 5))) with ");
    check_part(&f, 0, 0, "x = 0.5");
    check_part(&f, 0, 0, "(k*(k - 5)) = -6");
    check_part(&f, 1, 0.375, "-1/(y - t*k) with ");
    check_part(&f, 1, 0.375, "t = 0.375");
    check_part(&f, 1, 0.375, "k = 2");
    check_explained(&f, 2, 0, "sqrt(w') with w' = -1");
    f.x[3] = nan_value;
    check_explained(&f, 2, 0, "w' = nan");
    f.x[3] = 1;
    f.xp[2] = HUGE_VAL;
    check_explained(&f, 2, 0, "w'' = inf");
    /* nothing to say of an equation that is well, or that is not there */
    f.xp[2] = 1;
    check_explained(&f, 2, 0, "");
    check_explained(&f, 3, 0, "");
    assert_int_equal(
        f.p->explain(f.p->self, DAE_NAME_EQUATION, 0, 0, f.x, f.xp, NULL, 0),
        strlen(explained(&f, 0, 0)));
    close_model(&f);
}

/* A number is in the expression already. */
static void numbers_are_not_told_twice(void **state)
{
    (void)state;
    fixture f;
    open_model(&f, "var x\nx' = log(x - 2.5)\n");
    f.x[0] = 1;
    check_explained(&f, 0, 0, "log(x - 2.5) = log(-1.5) with x = 1");
    close_model(&f);
}

static void long_operands_are_cut(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "var a, b, c, d, e\n"
        "a' = 1 ; b' = 1 ; c' = 1 ; d' = 1\n"
        "e' = sqrt(a*b + c*d - 100*e)\n");
    const char *text = explained(&f, 4, 0);
    size_t shown = 0;
    for (const char *p = strstr(text, " with "); p && *p; p++)
        shown += *p == '=';
    assert_int_equal(shown, 4);
    close_model(&f);
}

static void the_time_has_its_own_name(void **state)
{
    (void)state;
    fixture f;
    open_model(&f, "var x\nx' = log(s)\nsolve s in 0..1\n");
    check_explained(&f, 0, -2, "log(s) with s = -2");
    close_model(&f);
}

/* Each term is finite, the sum is not. */
static void a_sum_that_overflows_is_named(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "var x[40], s\n"
        "x[i]' = 0 for i in 1..40\n"
        "s = sum(x[i] for i in 1..40)\n");
    for (size_t i = 0; i < 40; i++) f.x[i] = 1e307;
    check_explained(
        &f, 40, 0, "the sum of its terms is too large (in `sum at line 3`)");
    close_model(&f);
}

/* A branch that is not taken does no harm; one of which the condition itself
 * is no number does not hide it. */
static void branches_are_followed_as_they_are_taken(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "var x, y\n"
        "x' = if y > 0 then sqrt(-y) else log(y)\n"
        "y' = if log(x) > 0 then sqrt(x) else 1/y\n");
    f.x[1] = 4;
    check_explained(&f, 0, 0, "sqrt(-y) with y = 4");
    f.x[1] = -4;
    check_explained(&f, 0, 0, "log(y) with y = -4");
    f.x[0] = -1, f.x[1] = 0;
    check_part(&f, 1, 0, "y = 0");
    f.x[0] = 4, f.x[1] = 0;
    check_explained(&f, 1, 0, "");
    f.x[0] = 0.5, f.x[1] = 2;
    check_explained(&f, 1, 0, "");
    f.x[1] = 0;
    check_explained(&f, 1, 0, "1/y with y = 0");
    close_model(&f);
}

/* All values are finite, a derivative is not: found through lets, however far
 * down, and each let is looked at once. */
static void derivatives_are_followed_through_lets(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "var x, y\n"
        "let a = y*sqrt(x)\n"
        "let b = 2*a + x\n"
        "let c = b*a\n"
        "x' = c + b\n"
        "y' = -y\n");
    f.x[0] = 0, f.x[1] = 1;
    check_part(&f, 0, 0, "derivative by x: ");
    check_part(&f, 0, 0, "(in `a` at line 2)");
    f.x[0] = 1;
    check_explained(&f, 0, 0, "");
    close_model(&f);
}

/* A sum of all unknowns that stands in every equation is an unknown itself. */
static void internal_unknowns_are_named(void **state)
{
    (void)state;
    enum { n = 100 };
    static const char text[] = "var x[100] = 1\n"
                               "let s = sum(x[j]^2 for j in 1..100)\n"
                               "x[i]' = -s*x[i] for i in 1..100\n"
                               "solve t in 0..1\n";
    dae_diagnostics *ds;
    dae_model *model;
    double x[n + 1], xp[n + 1] = {0};
    char said[200], name[40];
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    CHECK_STATUS(
        dae_model_parse("m.dae", text, strlen(text), NULL, NULL, ds, &model),
        DAE_OK);
    const dae_problem *p = dae_model_problem(model);
    assert_int_equal(p->unknown_count, n + 1);
    for (int i = 0; i < n; i++) x[i] = 1;
    x[n] = nan_value;
    (void)p->name(p->self, DAE_NAME_UNKNOWN, n, name, sizeof name);
    assert_string_equal(name, "s");
    (void)p->explain(
        p->self, DAE_NAME_EQUATION, 7, 0, x, xp, said, sizeof said);
    assert_string_equal(said, "s = nan");
    (void)p->explain(
        p->self, DAE_NAME_EQUATION, n, 0, x, xp, said, sizeof said);
    assert_string_equal(said, "s = nan");
    x[n] = 100, x[3] = nan_value;
    (void)p->explain(
        p->self, DAE_NAME_EQUATION, n, 0, x, xp, said, sizeof said);
    assert_string_equal(said, "x[4] = nan");
    for (int i = 0; i < n; i++) x[i] = 1e153;
    x[n] = 1;
    (void)p->explain(
        p->self, DAE_NAME_EQUATION, n, 0, x, xp, said, sizeof said);
    assert_string_equal(said, "");
    for (int i = 0; i < n; i++) x[i] = 1e154;
    (void)p->explain(
        p->self, DAE_NAME_EQUATION, n, 0, x, xp, said, sizeof said);
    assert_string_equal(said, "the sum of its terms is too large");
    dae_model_free(model);
    dae_diagnostics_free(ds);
}

/* A let and its derivative have the line of the let, also as elements. */
static void lets_are_named_with_their_line(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "var x, y\n"
        "let r = x/7\n"
        "let lm = (7*r - 7)/log(r)\n"
        "let s[i in 1..2] = sqrt(y - i)\n"
        "x' = lm\n"
        "y' = s[1] + s[2]\n");
    f.x[0] = -7, f.x[1] = 1.5;
    check_explained(&f, 0, 0, "log(r) with r = -1 (in `lm` at line 3)");
    check_part(&f, 1, 0, "(in `s[2]` at line 4)");
    close_model(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_every_leaf_are_told),
        cmocka_unit_test(numbers_are_not_told_twice),
        cmocka_unit_test(long_operands_are_cut),
        cmocka_unit_test(the_time_has_its_own_name),
        cmocka_unit_test(a_sum_that_overflows_is_named),
        cmocka_unit_test(branches_are_followed_as_they_are_taken),
        cmocka_unit_test(derivatives_are_followed_through_lets),
        cmocka_unit_test(internal_unknowns_are_named),
        cmocka_unit_test(lets_are_named_with_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
