/* Listings of models too large to show in full, of internal unknowns, higher
 * orders and conditions; and writers that stop. */
#include "lang/sema_support.h"

typedef struct sink {
    char *text;
    size_t length, most; /* a writer that stops after `most` bytes */
} sink;

static int take(void *context, const char *text, size_t length)
{
    sink *s = context;
    if (s->length + length > s->most) return 1;
    s->text = realloc(s->text, s->length + length + 1);
    assert_non_null(s->text);
    memcpy(s->text + s->length, text, length);
    s->length += length;
    s->text[s->length] = '\0';
    return 0;
}

typedef struct shown {
    dae_diagnostics *ds;
    dae_model *model;
    sink listing[3]; /* equations, Jacobian, bytecode */
} shown;

static const dae_show kinds[3] = {
    DAE_SHOW_EQUATIONS, DAE_SHOW_JACOBIAN, DAE_SHOW_BYTECODE};

static void show_all(shown *s, const char *text)
{
    *s = (shown){.ds = NULL};
    CHECK_STATUS(dae_diagnostics_create(NULL, &s->ds), DAE_OK);
    CHECK_STATUS(dae_model_parse(
                     "m.dae", text, strlen(text), NULL, NULL, s->ds, &s->model),
        DAE_OK);
    for (int k = 0; k < 3; k++) {
        s->listing[k].most = SIZE_MAX;
        CHECK_STATUS(
            dae_model_show(s->model, kinds[k], take, &s->listing[k]), DAE_OK);
    }
}

static void close_shown(shown *s)
{
    for (int k = 0; k < 3; k++) free(s->listing[k].text);
    dae_model_free(s->model);
    dae_diagnostics_free(s->ds);
}

static void check_has(const sink *listing, const char *part)
{
    if (!strstr(listing->text, part))
        fail_msg("no \"%s\" in:\n%.2000s", part, listing->text);
}

static void check_lacks(const sink *listing, const char *part)
{
    if (strstr(listing->text, part)) fail_msg("\"%s\" is in it", part);
}

static void the_first_of_many_are_shown(void **state)
{
    (void)state;
    shown s;
    show_all(&s,
        "var x[300]\n"
        "x[i]' = -i*x[i] for i in 1..300\n"
        "solve t in 0..1\n");
    const sink *equations = &s.listing[0], *jacobian = &s.listing[1];
    check_has(equations, "300 equations, 300 unknowns, 300 state slots\n");
    check_has(equations, "\n  L2[200]: ");
    check_lacks(equations, "\n  L2[201]: ");
    check_has(equations, "\n  x[200]: order 1, x[199], xp[199]\n");
    check_lacks(equations, "\n  x[201]: ");
    check_has(equations, "  ... and 100 more\n");
    /* 600 entries: neither all of them nor their formulas */
    check_has(jacobian, "300 rows, 600 columns, 600 entries\n");
    check_has(jacobian, "  d(L2[200])/d(x[200])  [constant]\n");
    check_lacks(jacobian, "d(L2[201])");
    check_has(jacobian, "  ... and 400 more\n");
    close_shown(&s);
}

static void long_sums_are_cut(void **state)
{
    (void)state;
    shown s;
    show_all(&s,
        "var x[30], y\n"
        "let s = sum(x[i] for i in 1..30)\n"
        "x[i]' = -x[i] for i in 1..30\n"
        "y' = s\n"
        "solve t in 0..1\n");
    check_has(&s.listing[0], "x[20] + ... (30 terms)\n");
    check_lacks(&s.listing[0], "x[20] + x[21]");
    check_has(&s.listing[1], "d(L4)/d(x[30])");
    close_shown(&s);
}

static void internal_unknowns_are_marked(void **state)
{
    (void)state;
    shown s;
    show_all(&s,
        "var x[100] = 1\n"
        "let s = sum(x[j]^2 for j in 1..100)\n"
        "x[i]' = -s*x[i] for i in 1..100\n"
        "solve t in 0..1\n");
    const sink *equations = &s.listing[0];
    check_has(equations, "100 equations, 100 unknowns, 100 state slots, ");
    check_has(equations,
        "\n1 definition of many unknowns used by many equations is an "
        "internal unknown\n");
    check_has(equations, "  [internal unknown]\n");
    check_has(equations, "\n  s: order 0, x[100]  [internal]\n");
    /* the equation s = sum: more terms than are shown */
    check_has(equations, "\n  s: x[1]^2 + x[2]^2 + ");
    check_has(equations, " + ... = 0\n");
    check_has(&s.listing[2], "guesses of internal unknowns: ");
    close_shown(&s);
}

static void several_internal_unknowns_are_counted(void **state)
{
    (void)state;
    shown s;
    show_all(&s,
        "var x[100] = 1\n"
        "let s = sum(x[j]^2 for j in 1..100)\n"
        "let q = sum(x[j]^3 for j in 1..100)\n"
        "x[i]' = -s*x[i] + q for i in 1..100\n"
        "solve t in 0..1\n");
    check_has(&s.listing[0],
        "\n2 definitions of many unknowns used by many equations are each an "
        "internal unknown\n");
    close_shown(&s);
}

static void orders_and_conditions_are_shown(void **state)
{
    (void)state;
    shown s;
    show_all(&s,
        "param k = 3\n"
        "var y, z ~ 1\n"
        "let r = k*y*z\n"
        "y''' = -y' + r\n"
        "z^2 = y + 2\n"
        "init y + z = 1, y'*r = 2, y'' = 0\n"
        "solve t in 0..1\n");
    check_has(&s.listing[0], "2 equations, 2 unknowns, 4 state slots, 1 def");
    check_has(&s.listing[0], "\n  y: order 3, x[0..2], xp[0]\n");
    check_has(&s.listing[0], "\n  z: order 0, x[3]\n");
    check_has(&s.listing[0], "\nconditions at the start\n");
    check_has(&s.listing[1], "d(L4)/d(y''')");
    check_has(&s.listing[1], "\nJacobian of the conditions: 2 rows, ");
    check_has(&s.listing[1], ")*d(r)/d(y)");
    check_has(&s.listing[2], "conditions at the start: ");
    check_has(&s.listing[2], "Jacobian of the conditions: ");
    close_shown(&s);
}

/* A writer that stops ends each listing at once, wherever it stops. */
static void writers_may_stop_anywhere(void **state)
{
    (void)state;
    shown s;
    show_all(&s,
        "param k = -2.5\n"
        "var x[40] = 1, y = 2\n"
        "let s = sum(x[j]^2 for j in 1..40)\n"
        "let r = k*s + t\n"
        "x[i]' = -s*x[i] for i in 1..40\n"
        "y'' = r*y^3 - k/7*t\n"
        "init x[1]*y' = k\n"
        "output o = r + s\n"
        "solve t in 0..1\n");
    for (int k = 0; k < 3; k++) {
        size_t step = s.listing[k].length / 150 + 1;
        for (size_t most = 0; most < s.listing[k].length; most += step) {
            sink part = {.most = most};
            CHECK_STATUS(
                dae_model_show(s.model, kinds[k], take, &part), DAE_IO);
            assert_true(part.length <= most);
            if (part.length)
                assert_memory_equal(part.text, s.listing[k].text, part.length);
            free(part.text);
        }
    }
    close_shown(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_of_many_are_shown),
        cmocka_unit_test(long_sums_are_cut),
        cmocka_unit_test(internal_unknowns_are_marked),
        cmocka_unit_test(several_internal_unknowns_are_counted),
        cmocka_unit_test(orders_and_conditions_are_shown),
        cmocka_unit_test(writers_may_stop_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
