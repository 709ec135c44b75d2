/* What the compiler says of switches and denominators: what their root functions are computed of, who looks at
 * what is held in the branches that are in force, and their power series. Expected bits and
 * coefficients are those of the texts by hand. */
#include "lang/sema_support.h"
#include <string.h>

enum { MOST = 8, TERMS = 5 };

static const dae_events *events_of(fixture *f, const char *text, size_t count)
{
    open_model(f, text);
    assert_non_null(f->p->events);
    assert_int_equal(f->p->events->switch_count, count);
    assert_true(count <= MOST);
    return f->p->events;
}

static void what_they_read(void **state)
{
    static const struct {
        const char *condition;
        uint8_t reads;
    } cases[] = {
        {"x > 0.5", DAE_READS_STATES},
        {"x' > 0.5", DAE_READS_REST},
        {"y > 0.5", DAE_READS_REST},
        {"x > t", DAE_READS_STATES | DAE_READS_TIME},
        {"sin(t) > 0.5", DAE_READS_TIME},
        {"x > d", DAE_READS_STATES | DAE_READS_HELD},
        /* by way of definitions: a = x sin(t) + y */
        {"a > 0.5", DAE_READS_STATES | DAE_READS_TIME | DAE_READS_REST},
        {"b > 0.5", DAE_READS_STATES | DAE_READS_TIME},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        fixture f;
        char text[300];
        (void)snprintf(text, sizeof text,
            "var x = 1, y\ndiscrete d = 0.25\nlet b = x*sin(t), a = b + y\n"
            "x' = if %s then 1 else 2\ny + a = 3\n",
            cases[k].condition);
        const dae_events *e = events_of(&f, text, 1);
        assert_int_equal(e->switches[0].reads, cases[k].reads);
        close_model(&f);
    }
    fixture f;
    const dae_events *e = events_of(
        &f, "var x = 1\nx' = if abs(x - 2) < 1 then 1 else 2\n", 2);
    const uint8_t through = DAE_READS_STATES | DAE_READS_SWITCHES;
    assert_int_equal(e->switches[0].reads | e->switches[1].reads, through);
    close_model(&f);
}

/* Those that may change their sign are watched. */
static void what_is_divided_by(void **state)
{
    static const struct {
        const char *denominator;
        size_t count;
    } cases[] = {
        {"x", 1},
        {"x^2", 1}, /* by its base */
        {"(x^2 + y^2)", 0},
        {"hypot(x, y)", 0},
        {"hypot(x, log(y))", 0},
        {"(hypot(x, y) - 1)", 1},
        {"(x^3 + y^2)", 1},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        fixture f;
        char text[200];
        (void)snprintf(text, sizeof text,
            "var x = 1, y = 2\nx' = 1/%s\ny' = -y\n", cases[k].denominator);
        open_model(&f, text);
        const dae_denominators *d = f.p->denominators;
        assert_int_equal(d ? d->count : 0, cases[k].count);
        close_model(&f);
    }
}

/* Bits of held numbers with these sides. */
static void check_needed(const fixture *f, const double *sides, int is_always,
    const uint8_t *expected)
{
    const dae_events *e = f->p->events;
    uint8_t needed[2 * MOST] = {0};
    memcpy(e->held + e->discrete_count, sides, e->switch_count * sizeof *sides);
    CHECK_STATUS(e->needed(f->p->self, is_always, needed), DAE_OK);
    for (size_t k = 0; k < e->switch_count; k++)
        assert_int_equal(needed[e->discrete_count + k], expected[k]);
}

static void what_stands_in_no_branch_in_force(void **state)
{
    enum {
        E = DAE_NEEDED_EQUATIONS | DAE_NEEDED_DIRECTLY,
        W = DAE_NEEDED_EVENTS
    };
    fixture f;
    (void)state;
    /* x > 1 decides; x > 2 is in its first branch, x > 3 in the other */
    (void)events_of(&f,
        "var x = 0\nx' = if x > 1 then (if x > 2 then 5 else 6) else "
        "(if x > 3 then 7 else 8)\n",
        3);
    check_needed(&f, (double[]){1, 0, 0}, 0, (uint8_t[]){E, E, 0});
    check_needed(&f, (double[]){0, 0, 0}, 0, (uint8_t[]){E, 0, E});
    check_needed(&f, (double[]){0, 0, 0}, 1, (uint8_t[]){E, 0, 0});
    check_needed(&f, (double[]){NAN, 0, 0}, 0, (uint8_t[]){E, E, E});
    close_model(&f);
    /* false and anything: the other is not needed */
    (void)events_of(&f,
        "var x = 0, n = 0\nx' = 1\nn' = if x > 1 and log(x) < 2 then 1 else "
        "0\n",
        2);
    check_needed(&f, (double[]){0, 1}, 0, (uint8_t[]){E, 0});
    check_needed(&f, (double[]){1, 1}, 0, (uint8_t[]){E, E});
    check_needed(&f, (double[]){1, 0}, 0, (uint8_t[]){0, E});
    close_model(&f);
    /* a when's, one that only a definition of a branch uses, one that is looked through */
    (void)events_of(&f,
        "var x = 0, y\ndiscrete on = 0\nlet a = max(x, 2)\n"
        "x' = if on == 1 then a else 1\ny = x\nwhen abs(x) > 3\n  on := "
        "1\nend\n",
        3);
    check_needed(&f, (double[]){0, 1, 0}, 0, (uint8_t[]){0, W, W});
    f.p->events->held[0] = 1;
    check_needed(&f, (double[]){0, 1, 0}, 0, (uint8_t[]){E, W, W});
    close_model(&f);
    /* the number of periods is looked at by the switch alone, while that is held */
    (void)events_of(&f,
        "var x = 0\ninput on = if mod(t, 1) < 0.5 then 1 else 0\nx' = on\n", 2);
    const uint8_t through = DAE_NEEDED_EQUATIONS;
    check_needed(&f, (double[]){3, 1}, 0, (uint8_t[]){through, E});
    check_needed(&f, (double[]){3, NAN}, 0, (uint8_t[]){E, E});
    close_model(&f);
}

static void series_of_root_functions(void **state)
{
    fixture f;
    /* x = 1 + 2 s + 3 s^2, y = -1 + s: x y = -1 - s - s^2 + 3 s^3, sin(t - 1) = s - s^3/6 at
     * t = 1; abs(x) is x or -x by its side */
    static const double curve[2][TERMS + 1] = {{1, 2, 3}, {-1, 1}};
    static const double product[TERMS] = {-1, -1, -1, 3, 0};
    static const double sine[TERMS] = {0, 1, 0, -1.0 / 6, 0};
    double g[3 * TERMS];
    (void)state;
    const dae_events *e = events_of(&f,
        "var x = 1, y = -1\nx' = if x*y > 0 then 1 else 2\n"
        "y' = if sin(t - 1) > x - x then 1 else 2\n",
        2);
    e->held[0] = e->held[1] = 1;
    CHECK_STATUS(
        e->root_series(f.p->self, TERMS, 1, &curve[0][0], TERMS + 1, g),
        DAE_OK);
    for (size_t k = 0; k < TERMS; k++) {
        assert_true(fabs(fabs(g[k]) - fabs(product[k])) <= 1e-15);
        assert_true(fabs(fabs(g[TERMS + k]) - fabs(sine[k])) <= 1e-15);
    }
    close_model(&f);
    e = events_of(
        &f, "var x = 1, y = 0\nx' = if abs(x) < y then 1 else 2\ny' = 1\n", 2);
    for (int side = -1; side <= 1; side += 2) {
        size_t outer = e->switches[0].reads & DAE_READS_SWITCHES ? 0 : 1;
        e->held[outer] = 0;
        e->held[1 - outer] = side;
        CHECK_STATUS(
            e->root_series(f.p->self, 2, 0, &curve[0][0], TERMS + 1, g),
            DAE_OK);
        /* side*x - y */
        assert_true(g[2 * outer] == side + 1);
        assert_true(g[2 * outer + 1] == 2 * side - 1);
    }
    close_model(&f);
}

/* sqrt(x) has no series at 0: NaN from the first coefficient that does not exist. */
static void series_that_do_not_exist(void **state)
{
    fixture f;
    static const double curve[TERMS + 1] = {0, 1};
    double g[TERMS];
    (void)state;
    const dae_events *e = events_of(
        &f, "var x = 1\nx' = if sqrt(x) > 1 then 1 else 2\n", 1);
    e->held[0] = 0;
    CHECK_STATUS(e->root_series(f.p->self, 3, 0, curve, TERMS + 1, g), DAE_OK);
    assert_true(fabs(g[0]) == 1);
    assert_true(isnan(g[1]) && isnan(g[2]));
    close_model(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_they_read),
        cmocka_unit_test(what_is_divided_by),
        cmocka_unit_test(what_stands_in_no_branch_in_force),
        cmocka_unit_test(series_of_root_functions),
        cmocka_unit_test(series_that_do_not_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
