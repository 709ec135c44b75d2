/* Formulas of equations and their derivatives: their texts, combinations, and
 * what is refused. */
#include "lang/formula_support.h"

/* ---- texts ------------------------------------------------------------------ */

typedef struct expected {
    const char *equation;
    int order, substitute;
    const char *text;
} expected;

static void check_formulas(const char *text, const expected *list, size_t count)
{
    fixture f;
    size_t wrong = 0;
    open_model(&f, text);
    for (size_t k = 0; k < count; k++) {
        char *made = formula_of(
            f.model, list[k].equation, list[k].order, list[k].substitute, 0);
        if (strcmp(made, list[k].text) != 0) {
            print_error("%s, order %d: %s\n  expected %s\n", list[k].equation,
                list[k].order, made, list[k].text);
            wrong++;
        }
        free(made);
    }
    close_model(&f);
    assert_int_equal(wrong, 0);
}

#define CHECK_FORMULAS(text, list)                                             \
    check_formulas((text), (list), sizeof(list) / sizeof *(list))

/* The x that a derivative divides by is one that is there; the derivative of the
 * last factor comes first. */
static void what_cancels_in_a_product(void **state)
{
    (void)state;
    static const expected list[] = {
        {"a", 1, 0, "x' + x'*log(x) = 1"},
    };
    CHECK_FORMULAS("var x\na: x*log(x) = t\n", list);
}

/* x'' = -u' = w: the second minus takes away the first. */
static void signs_of_first_order(void **state)
{
    (void)state;
    static const expected list[] = {
        {"c", 1, 1, "-2*x*u = 1"},
        {"c", 2, 1, "2*x*w + 2*u^2 = 0"},
    };
    CHECK_FORMULAS("var x, u, w\na: x' = -u\nb: u' = -w\nc: x^2 = t\n", list);
}

static void pendulum_of_first_order(void **state)
{
    (void)state;
    static const expected list[] = {
        {"rod", 0, 0, "x^2 + y^2 = L^2"},
        {"rod", 1, 0, "2*x*x' + 2*y*y' = 0"},
        {"rod", 2, 0, "2*x*x'' + 2*x'^2 + 2*y*y'' + 2*y'^2 = 0"},
        {"rod", 3, 0, "2*x*x''' + 6*x'*x'' + 2*y*y''' + 6*y'*y'' = 0"},
        {"rod", 1, 1, "2*x*u + 2*y*v = 0"},
        {"rod", 2, 1, "2*x*u' + 2*u^2 + 2*y*v' + 2*v^2 = 0"},
        {"L3", 1, 0, "x'' = u'"},
        {"L3", 1, 1, "x'' = u'"},
        {"L5", 1, 0, "u'' = -lam*x' - lam'*x"},
        {"L5", 1, 1, "u'' = -lam*u - lam'*x"},
        {"L6", 1, 0, "v'' = -lam*y' - lam'*y"},
    };
    CHECK_FORMULAS("param L = 1, g = 9.81\n"
                   "var x = 1, y = 0, u, v, lam\n"
                   "x' = u\n"
                   "y' = v\n"
                   "u' = -lam*x\n"
                   "v' = -lam*y - g\n"
                   "rod: x^2 + y^2 = L^2\n",
        list);
}

static void pendulum_of_second_order(void **state)
{
    (void)state;
    static const expected list[] = {
        {"f1", 0, 0, "x'' + lam*x = 0"},
        {"f1", 1, 0, "x''' + lam*x' + lam'*x = 0"},
        {"f1", 2, 0, "der(x, 4) + lam*x'' + 2*lam'*x' + lam''*x = 0"},
        {"f2", 1, 0, "y''' + lam*y' + lam'*y = 0"},
        {"f3", 0, 0, "x^2 + y^2 - L^2 = 0"},
        {"f3", 1, 0, "2*x*x' + 2*y*y' = 0"},
        {"f3", 2, 1, "2*x*x'' + 2*x'^2 + 2*y*y'' + 2*y'^2 = 0"},
    };
    CHECK_FORMULAS("param L = 1, G = 9.81\n"
                   "var x = 1, y = 0, lam\n"
                   "f1: x'' + lam*x = 0\n"
                   "f2: y'' + lam*y - G = 0\n"
                   "f3: x^2 + y^2 - L^2 = 0\n",
        list);
}

static void tank_and_chain(void **state)
{
    (void)state;
    static const expected chain[] = {
        {"out", 0, 0, "c3 = gamma"},
        {"out", 1, 0, "c3' = gamma'"},
        {"out", 2, 0, "c3'' = gamma''"},
        {"out", 1, 1, "c2 = gamma'"},
        {"out", 2, 1, "c1 = gamma''"},
        {"L4", 1, 0, "c3'' = c2'"},
        {"L4", 1, 1, "c3'' = c1"},
    };
    CHECK_FORMULAS("input gamma = 1 + sin(t)/2\n"
                   "var c1, c2, c3\n"
                   "c2' = c1\n"
                   "c3' = c2\n"
                   "out: c3 = gamma\n",
        chain);
    static const expected tank[] = {
        {"measured", 1, 0, "c2' = gamma'"},
        {"measured", 1, 1, "c2' = gamma'"},
        {"balance", 0, 0, "c2' = a*(c1 - c2)"},
        {"balance", 1, 0, "c2'' = a*(c1' - c2')"},
    };
    CHECK_FORMULAS("param a = 0.5\n"
                   "input gamma = 1 + sin(t)/2\n"
                   "var c1, c2\n"
                   "balance: c2' = a*(c1 - c2)\n"
                   "measured: c2 = gamma\n",
        tank);
}

static void products_powers_and_functions(void **state)
{
    (void)state;
    static const expected list[] = {
        {"a", 1, 0, "2*(x - y)*(x' - y') + 2*(z - w)*(z' - w') = 0"},
        {"a", 2, 0,
            "2*(x - y)*(x'' - y'') + 2*(x' - y')^2 + 2*(z - w)*(z'' - w'') "
            "+ 2*(z' - w')^2 = 0"},
        {"b", 1, 0, "(x*x' + y*y')/sqrt(x^2 + y^2) = 0"},
        {"c", 1, 0, "b*cos(x)*x' + b*cos(y)*y' = 0"},
        {"c", 2, 0,
            "b*cos(x)*x'' - b*sin(x)*x'^2 + b*cos(y)*y'' - b*sin(y)*y'^2 = 0"},
        {"d", 1, 0, "z' = 2*t"},
        {"d", 2, 0, "z'' = 2"},
        {"d", 3, 0, "z''' = 0"},
    };
    CHECK_FORMULAS("param l = 1, b = 2\n"
                   "var x, y, z, w\n"
                   "a: (x - y)^2 + (z - w)^2 = l\n"
                   "b: sqrt(x^2 + y^2) = l\n"
                   "c: b*sin(x) + b*sin(y) = 0\n"
                   "d: z = t^2\n",
        list);
}

static void signs_sides_and_numbers(void **state)
{
    (void)state;
    static const expected list[] = {
        {"a", 1, 0, "x' - cos(t) = 0"}, /* 0 = x - sin(t) */
        {"b", 1, 0, "y' - cos(t) = 0"}, /* y - sin(t) = 0 */
        {"c", 1, 0, "x' + z' = 0"},     /* -x - z = 0 */
        {"d", 1, 0, "x' = p'"},         /* x = p */
        {"e", 1, 0, "w' = 0.5*cos(t)"}, {"f", 1, 0, "v' = cos(t)/3"},
        {"g", 1, 0, "v' + 2*u' = 0"}, /* 4 = v + 2*u */
        {"h", 1, 0, "u' = -s'"},      /* u = -s */
        {"i", 1, 0, "r' = -sin(t)"},  /* s' - (s' - r) = cos(t) */
        {"j", 1, 0, "q' = -q'/q^2"},  /* q = 1/q */
    };
    CHECK_FORMULAS("var x, y, z, w, v, u, s, r, q, p\n"
                   "a: 0 = x - sin(t)\n"
                   "b: y - sin(t) = 0\n"
                   "c: -x - z = 0\n"
                   "d: x = p\n"
                   "e: w = 1 + sin(t)/2\n"
                   "f: v = sin(t)/3\n"
                   "g: 4 = v + 2*u\n"
                   "h: u = -s\n"
                   "i: s' - (s' - r) = cos(t)\n"
                   "j: q = 1/q\n",
        list);
}

static void kinks_are_taken_branch_by_branch(void **state)
{
    (void)state;
    static const expected list[] = {
        {"a", 1, 0, "x' = sign(t - 1)"},
        {"b", 1, 0, "y' = if x < t then 1 else x'"},
        {"c", 1, 0, "z' = if t < 1 then 0 else 1"},
        {"d", 1, 0, "w' = (x*x' + y*y')/hypot(x, y)"},
    };
    CHECK_FORMULAS("var x, y, z, w\n"
                   "a: x = abs(t - 1)\n"
                   "b: y = max(x, t)\n"
                   "c: z = if t < 1 then 1 else t\n"
                   "d: w = hypot(x, y)\n",
        list);
}

static void names_of_arrays_and_lets(void **state)
{
    (void)state;
    static const expected list[] = {
        {"m[2]", 1, 0, "x[2]'' = v[2]'"},
        {"s", 1, 0, "e' = 4*v[1]'"},
        {"q", 1, 1, "v[1] - v[3] = 0"},
    };
    CHECK_FORMULAS("var x[3], v[3]\n"
                   "let e = x[1]^2\n"
                   "m: x[i]' = v[i] for i in 1..3\n"
                   "s: e = 4*v[1]\n"
                   "q: x[1] - x[3] = 0\n"
                   "L: x[2] = 1\n",
        list);
}

/* ---- long ones ---------------------------------------------------------------- */

static void long_texts_are_cut(void **state)
{
    (void)state;
    fixture f;
    open_model(&f, "var x, y\na: x^2 + y^2 = 1\nb: x = y\n");
    static const struct {
        size_t limit;
        const char *text;
    } cuts[] = {{19, "2*x*x' + 2*y*y' = 0"}, {18, "2*x*x' + 2*y*y' ..."},
        {8, "2*x*x' ..."}, {1, "2 ..."}};
    for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++) {
        char *made = formula_of(f.model, "a", 1, 0, cuts[k].limit);
        assert_string_equal(made, cuts[k].text);
        free(made);
    }
    close_model(&f);
}

static void what_the_compiler_made_is_shown_in_full(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "var x[30], y\n"
        "a: y = sum(x[i]^2 for i in 1..30)\n"
        "b: x[i] = i*t for i in 1..30\n");
    char *made = formula_of(f.model, "a", 1, 0, 0);
    char want[2000] = "y' = ";
    for (int i = 1; i <= 30; i++)
        (void)snprintf(want + strlen(want), sizeof want - strlen(want),
            "%s2*x[%d]*x[%d]'", i > 1 ? " + " : "", i, i);
    assert_string_equal(made, want);
    free(made);
    close_model(&f);
}

static void sums_of_very_many_are_cut(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "var x[50], y\n"
        "a: y = sum(x[i]*t^j for i in 1..50, j in 1..40)\n"
        "b: x[i] = i*t for i in 1..50\n");
    char *made = formula_of(f.model, "a", 1, 0, 0);
    size_t length = strlen(made);
    assert_true(length > 100 && length < 4000);
    assert_string_equal(made + length - 4, " ...");
    free(made);
    close_model(&f);
}

/* One row with a sum of a thousand terms, and one with a product of many. */
static void long_rows(void **state)
{
    (void)state;
    fixture f;
    text_sink text = {0};
    char piece[64];
    assert_int_equal(sink_write(&text, "fun g(x) = x\nvar x, y\na: ", 25), 0);
    for (int k = 1; k <= 40; k++) {
        (void)snprintf(piece, sizeof piece, "%s(", k > 1 ? " + " : "");
        assert_int_equal(sink_write(&text, piece, strlen(piece)), 0);
        for (int j = 1; j <= 20; j++) {
            (void)snprintf(piece, sizeof piece, "%ssin(%d*x)",
                j > 1 ? " + " : "", 20 * k + j);
            assert_int_equal(sink_write(&text, piece, strlen(piece)), 0);
        }
        assert_int_equal(sink_write(&text, ")", 1), 0);
    }
    assert_int_equal(sink_write(&text, " = y\nb: y = ", 12), 0);
    for (int k = 1; k <= 24; k++) {
        (void)snprintf(piece, sizeof piece, "%ssin(%d*x)", k > 1 ? "*" : "", k);
        assert_int_equal(sink_write(&text, piece, strlen(piece)), 0);
    }
    assert_int_equal(sink_write(&text, "\n", 1), 0);
    open_model(&f, text.text);
    char *made = formula_of(f.model, "a", 1, 0, 60);
    assert_string_equal(
        made, "21*cos(21*x)*x' + 22*cos(22*x)*x' + 23*cos(23*x)*x' ...");
    free(made);
    made = formula_of(f.model, "b", 2, 0, 100);
    assert_int_equal(strncmp(made, "y'' = ", 6), 0);
    free(made);
    close_model(&f);
    free(text.text);
}

/* An internal unknown keeps the name it has, and its equation says what it
 * is. */
static void internal_unknowns(void **state)
{
    (void)state;
    dae_diagnostics *ds;
    dae_model *m;
    const char *text = "var x[100] = 1\n"
                       "let s = sum(x[j]^2 for j in 1..100)\n"
                       "x[i]' = -s*x[i] for i in 1..100\n";
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    CHECK_STATUS(
        dae_model_parse("m.dae", text, strlen(text), NULL, NULL, ds, &m),
        DAE_OK);
    assert_int_equal(dae_model_problem(m)->unknown_count, 101);
    char *made = formula_of(m, "L3[7]", 1, 0, 0);
    assert_string_equal(made, "x[7]'' = -s*x[7]' - s'*x[7]");
    free(made);
    made = formula_of(m, "s", 1, 0, 60);
    assert_string_equal(
        made, "s' = 2*x[1]*x[1]' + 2*x[2]*x[2]' + 2*x[3]*x[3]' ...");
    free(made);
    dae_model_free(m);
    dae_diagnostics_free(ds);
}

/* ---- combinations -------------------------------------------------------------- */

static void combinations_leave_out_what_cancels(void **state)
{
    (void)state;
    fixture f;
    text_sink sink = {0};
    open_model(&f,
        "param p = 2\n"
        "var x, y, z\n"
        "a: x' + y' + x = 1\n"
        "b: x' + y' - y = t\n"
        "c: p*z' + x' = z\n");
    const dae_term difference[] = {{0, 0, 1}, {1, 0, -1}};
    CHECK_STATUS(dae_model_formula(f.model, difference, 2, NO_SLOTS, 0, 0, 0,
                     sink_write, &sink),
        DAE_OK);
    assert_string_equal(sink.text, "x + y - 1 + t = 0");
    sink.length = 0;
    CHECK_STATUS(dae_model_formula(f.model, difference, 2, NO_SLOTS, 2, 0, 0,
                     sink_write, &sink),
        DAE_OK);
    assert_string_equal(sink.text, "x'' + y'' = 0");
    sink.length = 0;
    /* a' - c, in which x'' and y'' are told to cancel */
    const dae_term mixed[] = {{0, 1, 1}, {2, 0, -1}};
    const dae_slot slots[] = {{0, 2}, {1, 2}};
    CHECK_STATUS(dae_model_formula(
                     f.model, mixed, 2, slots, 2, 0, 0, 0, sink_write, &sink),
        DAE_OK);
    assert_string_equal(sink.text, "p*z' - z = 0");
    free(sink.text);
    close_model(&f);
}

static int refuse(void *context, const char *text, size_t length)
{
    (void)context;
    (void)text;
    (void)length;
    return 1;
}

static void what_is_refused(void **state)
{
    (void)state;
    fixture f;
    text_sink sink = {0};
    open_model(&f, "var x, y\na: x^2 + y^2 = 1\nb: x = y\n");
    const dae_term good = {0, 0, 1}, no_equation = {2, 0, 1},
                   negative = {0, -1, 1}, unknown_weight = {0, 0, (double)NAN},
                   infinite = {0, 0, (double)INFINITY}, high = {0, 251, 1};
    const dae_slot no_slot = {2, 0};
    static const dae_status wrong = DAE_ARGUMENT;
    dae_model *m = f.model;
#define ASK(term, slots, count, order, write)                                  \
    dae_model_formula(                                                         \
        m, (term), 1, (slots), (count), (order), 0, 0, (write), &sink)
    CHECK_STATUS(ASK(&no_equation, NULL, 0, 0, sink_write), wrong);
    CHECK_STATUS(ASK(&negative, NULL, 0, 0, sink_write), wrong);
    CHECK_STATUS(ASK(&infinite, NULL, 0, 0, sink_write), wrong);
    CHECK_STATUS(ASK(&good, &no_slot, 1, 0, sink_write), wrong);
    CHECK_STATUS(ASK(&good, NULL, 0, -1, sink_write), wrong);
    CHECK_STATUS(ASK(&unknown_weight, NULL, 0, 0, sink_write), wrong);
    CHECK_STATUS(ASK(&high, NULL, 0, 0, sink_write), DAE_UNSUPPORTED);
    CHECK_STATUS(ASK(&good, NULL, 0, 0, refuse), DAE_IO);
    CHECK_STATUS(
        dae_model_formula(m, NULL, 0, NO_SLOTS, 0, 0, 0, sink_write, &sink),
        wrong);
#undef ASK
    assert_null(sink.text);
    /* the tangents of tangents grow without end: refused, not waited for */
    close_model(&f);
    open_model(&f, "var x\na: tan(tan(tan(tan(x)))) = t\n");
    CHECK_STATUS(dae_model_formula(
                     f.model, &good, 1, NO_SLOTS, 40, 0, 0, sink_write, &sink),
        DAE_UNSUPPORTED);
    close_model(&f);
}

/* Each allocation of a formula fails once; afterwards the formula is whole. */
static void without_memory(void **state)
{
    (void)state;
    const char *text = "input gamma = abs(t)\n"
                       "var x, u, y, z[30]\n"
                       "a: x' = -u\n"
                       "b: sqrt(x^2 + y^2)/3 = gamma + sum(z)\n"
                       "c: u = y\n"
                       "d: z[i] = i*t for i in 1..30\n";
    failing_memory memory;
    dae_model *m;
    failing_init(&memory, SIZE_MAX);
    CHECK_STATUS(dae_model_parse("m.dae", text, strlen(text), NULL,
                     &memory.allocator, NULL, &m),
        DAE_OK);
    const dae_term terms[] = {{1, 1, 1}, {2, 0, 2}};
    const dae_slot slot = {2, 0};
    size_t refused = 0;
    char *whole = NULL;
    for (size_t n = 0;; n++) {
        text_sink sink = {0};
        memory.fail_from = memory.allocations + n;
        dae_status st = dae_model_formula(
            m, terms, 2, &slot, 1, 1, 1, 300, sink_write, &sink);
        memory.fail_from = SIZE_MAX;
        if (!st) {
            whole = sink.text;
            break;
        }
        CHECK_STATUS(st, DAE_MEMORY);
        free(sink.text);
        refused++;
    }
    assert_true(refused > 50);
    assert_non_null(strstr(whole, "gamma''"));
    text_sink again = {0};
    CHECK_STATUS(
        dae_model_formula(m, terms, 2, &slot, 1, 1, 1, 300, sink_write, &again),
        DAE_OK);
    assert_string_equal(again.text, whole);
    free(whole);
    free(again.text);
    dae_model_free(m);
    assert_int_equal(memory.live, 0);
}

static void lines_of_the_text(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "var x[2],\n    y\n\n"
        "m: x[i]' = y for i in 1..2\n"
        "y = 1\n"
        "init x[1] +   x[2] =\n  3\n");
    char text[32];
    assert_int_equal(
        dae_model_condition_text(f.model, 0, text, sizeof text), 15);
    assert_string_equal(text, "x[1] + x[2] = 3");
    assert_int_equal(dae_model_condition_text(f.model, 0, text, 5), 15);
    assert_string_equal(text, "x[1]");
    assert_int_equal(dae_model_condition_text(f.model, 1, text, 5), 0);
    assert_string_equal(text, "");
    assert_int_equal(dae_model_equation_line(f.model, 1), 4);
    assert_int_equal(dae_model_equation_line(f.model, 2), 5);
    assert_int_equal(dae_model_unknown_line(f.model, 1), 1);
    assert_int_equal(dae_model_unknown_line(f.model, 2), 2);
    assert_int_equal(dae_model_condition_line(f.model, 0), 6);
    assert_int_equal(dae_model_equation_line(f.model, 3), 0);
    assert_int_equal(dae_model_unknown_line(f.model, 3), 0);
    assert_int_equal(dae_model_condition_line(f.model, 1), 0);
    close_model(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cancels_in_a_product),
        cmocka_unit_test(signs_of_first_order),
        cmocka_unit_test(pendulum_of_first_order),
        cmocka_unit_test(pendulum_of_second_order),
        cmocka_unit_test(tank_and_chain),
        cmocka_unit_test(products_powers_and_functions),
        cmocka_unit_test(signs_sides_and_numbers),
        cmocka_unit_test(kinks_are_taken_branch_by_branch),
        cmocka_unit_test(names_of_arrays_and_lets),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(what_the_compiler_made_is_shown_in_full),
        cmocka_unit_test(sums_of_very_many_are_cut),
        cmocka_unit_test(long_rows),
        cmocka_unit_test(internal_unknowns),
        cmocka_unit_test(combinations_leave_out_what_cancels),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(lines_of_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
