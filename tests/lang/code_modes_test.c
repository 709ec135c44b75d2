/* Branches that are held: every place that switches has the value of the number
 * that is held for it, in residual, Jacobian, series and extended precision; where
 * it is NaN, that of the point. */
#include "lang/sema_support.h"

static const double nan_value = (double)NAN;

static void set_all(const fixture *f, double value)
{
    const dae_events *e = f->p->events;
    for (size_t k = 0; k < e->switch_count; k++)
        e->held[e->discrete_count + k] = value;
}

static size_t switch_named(const fixture *f, const char *name)
{
    char text[100];
    for (size_t k = 0; k < f->p->events->switch_count; k++) {
        (void)f->p->name(f->p->self, DAE_NAME_SWITCH, k, text, sizeof text);
        if (strcmp(text, name) == 0) return k;
    }
    fail_msg("no switch %s", name);
    return 0;
}

/* ---- every operation -------------------------------------------------------- */

/* One equation x' = ..., at x = 0.5, y = 0.75 and t = 2: its right side free, and
 * with the number that is held. */
typedef struct operation_case {
    const char *right, *name;
    int kind, is_kink;
    double root, is_free, held, value;
} operation_case;

static const operation_case operations[] = {
    {"abs(x - y)", "abs(x - y)", DAE_SWITCH_SIGN, 1, -0.25, 0.25, 1, -0.25},
    {"sign(x)", "sign(x)", DAE_SWITCH_SIGN, 0, 0.5, 1, -1, -1},
    {"min(x, y)", "min(x, y)", DAE_SWITCH_BELOW, 1, 0.25, 0.5, 1, 0.75},
    {"max(x, y)", "max(x, y)", DAE_SWITCH_BELOW, 1, -0.25, 0.75, 0, 0.5},
    {"floor(4*x)", "floor(x*4)", DAE_SWITCH_FLOOR, 0, 2, 2, 1, 1},
    {"ceil(y)", "ceil(y)", DAE_SWITCH_CEIL, 0, 0.75, 1, 0, 0},
    {"mod(y, x)", "mod(y, x)", DAE_SWITCH_FLOOR, 0, 1.5, 0.25, 3, -0.75},
    {"if x < y then 3 else 4*y", "x < y", DAE_SWITCH_BELOW, 0, -0.25, 3, 0, 3},
    {"if x <= y then 4 else y", "x <= y", DAE_SWITCH_NOT_ABOVE, 0, -0.25, 4, 0,
        0.75},
    {"if x > y then 4 else y", "x > y", DAE_SWITCH_BELOW, 0, 0.25, 0.75, 1, 4},
    {"if x >= 0.2 then 4 else y", "x >= 0.2", DAE_SWITCH_NOT_ABOVE, 0, -0.3, 4,
        0, 0.75},
    {"if x == y then 5 else 6", "x == y", DAE_SWITCH_SIGN, 0, -0.25, 6, 0, 5},
    {"if x != y then 5 else 6", "x != y", DAE_SWITCH_SIGN, 0, -0.25, 5, 0, 6},
    {"if not x < y then 5 else 6", "x < y", DAE_SWITCH_BELOW, 0, -0.25, 6, 0,
        5},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static void check_roots(const fixture *f, double root)
{
    double g[4];
    CHECK_STATUS(f->p->events->roots(f->p->self, 2, f->x, f->xp, g), DAE_OK);
    CHECK_NEAR(g[0], root, 1e-15);
}

static void every_operation_is_held(void **state)
{
    (void)state;
    for (size_t k = 0; k < OPERATIONS; k++) {
        const operation_case *o = &operations[k];
        fixture f;
        char text[200];
        (void)snprintf(
            text, sizeof text, "var x = 0, y = 0\nx' = %s\ny' = t\n", o->right);
        open_model(&f, text);
        const dae_events *e = f.p->events;
        assert_int_equal(e->switch_count, 1);
        assert_int_equal(e->switches[0].kind, o->kind);
        assert_int_equal(e->switches[0].is_kink, o->is_kink);
        assert_int_equal(e->switches[0].domain, DAE_DOMAIN_POINT);
        assert_int_equal(switch_named(&f, o->name), 0);
        assert_true(isnan(e->held[0]));
        check_roots(&f, o->root);
        evaluate(&f, 2);
        CHECK_NEAR(f.res[0], 10 - o->is_free, 1e-14);
        e->held[0] = o->held;
        evaluate(&f, 2);
        CHECK_NEAR(f.res[0], 10 - o->value, 1e-14);
        check_roots(&f, o->root); /* whatever is held */
        close_model(&f);
    }
}

/* The same, more than are fused, and in the other arithmetics. */
static void blocks_series_and_long_values_are_held(void **state)
{
    enum { COUNT = 20, TERMS = 3, WIDTH = TERMS + 1 };
    fixture f;
    (void)state;
    open_model(&f,
        "param n = 20\nvar x[i in 1..n] = 0\nfor i in 1..n\n"
        "  x[i]' = abs(x[i]) + (if x[i] < 3 then x[i]^2 else t)\nend\n");
    const dae_events *e = f.p->events;
    assert_int_equal(e->switch_count, 2 * COUNT);
    for (int i = 0; i < COUNT; i++) { /* -x[i] + x[i]^2, or 0 + t */
        e->held[2 * i] = i % 2 ? -1 : 0;
        e->held[2 * i + 1] = i % 2;
    }
    evaluate(&f, 2);
    for (int i = 0; i < COUNT; i++)
        CHECK_NEAR(
            f.res[i], f.xp[i] - (i % 2 ? -f.x[i] + f.x[i] * f.x[i] : 2), 1e-12);

    double c[COUNT * WIDTH], s[COUNT * TERMS];
    uint8_t need[COUNT];
    memset(need, TERMS, sizeof need);
    for (int k = 0; k < COUNT * WIDTH; k++) c[k] = 0.5 + k % 7;
    for (int part = 0; part < 2; part++) {
        memset(s, 0, sizeof s);
        const dae_status st = part
            ? f.p->series_part(f.p->self, need, TERMS, 2, c, WIDTH, s)
            : f.p->series(f.p->self, TERMS, 2, c, WIDTH, s);
        CHECK_STATUS(st, DAE_OK);
        for (int i = 0; i < COUNT; i++) {
            const double *x = c + i * WIDTH;
            const double square[TERMS] = {
                x[0] * x[0], 2 * x[0] * x[1], 2 * x[0] * x[2] + x[1] * x[1]};
            const double time[TERMS] = {2, 1, 0};
            for (int k = 0; k < TERMS; k++)
                CHECK_NEAR(s[part ? k * COUNT + i : i * TERMS + k],
                    (k + 1) * x[k + 1] - (i % 2 ? -x[k] + square[k] : time[k]),
                    1e-12);
        }
    }

    dae_long x[COUNT], xp[COUNT], res[COUNT];
    for (int i = 0; i < COUNT; i++) {
        x[i] = f.x[i];
        xp[i] = f.xp[i];
    }
    CHECK_STATUS(f.p->residual_long(f.p->self, 2, x, xp, res), DAE_OK);
    for (int i = 0; i < COUNT; i++) CHECK_NEAR((double)res[i], f.res[i], 1e-12);
    close_model(&f);
}

/* ---- Jacobians ----------------------------------------------------------------- */

static double residual_at(fixture *f, size_t slot, double step, size_t i)
{
    const size_t states = dae_problem_state_count(f->p);
    double *at = slot < states ? &f->x[slot] : &f->xp[slot - states];
    const double before = *at;
    *at = before + step;
    evaluate(f, 0.3);
    *at = before;
    return f->res[i];
}

static void check_jacobian(fixture *f)
{
    enum { MOST = 400 };
    const dae_pattern *j = f->p->pattern;
    const size_t columns = dae_problem_state_count(f->p) + f->p->unknown_count;
    double values[MOST];
    assert_true(j->column_start[columns] <= MOST);
    CHECK_STATUS(
        f->p->jacobian(f->p->self, DAE_ALL, 0.3, f->x, f->xp, values), DAE_OK);
    for (size_t c = 0; c < columns; c++)
        for (int64_t p = j->column_start[c]; p < j->column_start[c + 1]; p++) {
            const size_t i = (size_t)j->row[p];
            const double difference = (residual_at(f, c, 1e-5, i)
                                          - residual_at(f, c, -1e-5, i))
                / 2e-5;
            CHECK_NEAR(values[p], difference, 1e-7 * (1 + fabs(difference)));
        }
}

/* Residual and Jacobian are of the same frozen branch, whichever it is. */
static void jacobians_are_of_the_branch(void **state)
{
    static const double tried[] = {-1, 0, 1, 2};
    fixture f;
    (void)state;
    open_model(&f,
        "var x = 0, y = 0, z = 0, w[i in 1..12] = 0\n"
        "let a = abs(x*y) + min(x, y*z), b = max(a, z^2)*sign(y)\n"
        "x' = a*b + mod(x*y, z) + floor(z)*x\n"
        "y' = b' + (if x < y and (y > z or t < 0.2) then sin(x) else y*z)\n"
        "z' = if x == z then a else abs(b)*ceil(x)\n"
        "for i in 1..12\n"
        "  w[i]' = min(w[i]^2, max(x, w[i]*y)) + abs(w[i] - z)\nend\n");
    const dae_events *e = f.p->events;
    f.x[2] = 1.1; /* z: nothing turns at this point */
    for (size_t k = 0; k < 4; k++) {
        set_all(&f, tried[k]);
        check_jacobian(&f);
    }
    for (size_t k = 0; k < e->switch_count; k++)
        e->held[k] = (double)(k * 7 % 3) - 1;
    check_jacobian(&f);
    set_all(&f, nan_value);
    check_jacobian(&f);
    close_model(&f);
}

/* ---- which switches there are ----------------------------------------------------- */

static void check_names(
    const fixture *f, const char *const *names, size_t count)
{
    char text[100];
    assert_int_equal(f->p->events->switch_count, count);
    for (size_t k = 0; k < count; k++) {
        (void)f->p->name(f->p->self, DAE_NAME_SWITCH, k, text, sizeof text);
        assert_string_equal(text, names[k]);
    }
}
#define CHECK_NAMES(f, ...)                                                    \
    check_names((f), (const char *const[]){__VA_ARGS__},                       \
        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void check_place(
    const fixture *f, const char *text, size_t number, const char *expected)
{
    const struct dae_source *source;
    uint32_t begin, end;
    char found[100];
    assert_true(f->p->place(
        f->p->self, DAE_NAME_SWITCH, number, &source, &begin, &end));
    (void)snprintf(
        found, sizeof found, "%.*s", (int)(end - begin), text + begin);
    assert_string_equal(found, expected);
}

static void one_condition_is_one_switch(void **state)
{
    const char *text = "discrete n = 1\nvar x = 0, y = 0\n"
                       "let far = if x  > 2 then 1 else 0\n"
                       "x' = abs(y - x) + (if y - x == 0 then 1 else far)\n"
                       "y' = sign(y - x) + (if x > 2 then y else 0)\n"
                       "late: when x > 2\n  n := n + 1\nend\n"
                       "when abs(x) < n and x > 2\n  n := 0\nend\n";
    fixture f;
    (void)state;
    open_model(&f, text);
    CHECK_NAMES(&f, "x > 2", "abs(y - x)", "abs(x)", "abs(x) < n");
    check_place(&f, text, 0, "x  > 2");
    check_place(&f, text, 1, "abs(y - x)");
    check_place(&f, text, 3, "abs(x) < n");
    assert_int_equal(f.p->events->switches[1].is_kink, 0); /* sign too */
    assert_int_equal(f.p->events->switches[2].is_kink, 1);
    double truth[2];
    f.p->events->held[1] = 1;
    CHECK_STATUS(
        f.p->events->conditions(f.p->self, 0, f.x, f.xp, truth), DAE_OK);
    assert_true(truth[0] == 1 && truth[1] == 1); /* x is 0.5, n is 1 */
    f.p->events->held[1 + 3] = 0;                /* behind n */
    CHECK_STATUS(
        f.p->events->conditions(f.p->self, 0, f.x, f.xp, truth), DAE_OK);
    assert_true(truth[0] == 1 && truth[1] == 0);
    close_model(&f);
}

static void other_conditions_are_other_switches(void **state)
{
    fixture f;
    (void)state;
    open_model(&f,
        "var x = 0, y = 0\nx' = sign(x - y) + sign(y - x)\n"
        "y' = (if x < y then 1 else 0) + (if y < x then 1 else 0)\n"
        "   + (if x <= y then 1 else 0)\n");
    CHECK_NAMES(&f, "sign(x - y)", "sign(y - x)", "x < y", "y < x", "x <= y");
    close_model(&f);
}

/* Rows of one loop that ask the same, and rows of another shape. */
static void rows_share_switches(void **state)
{
    fixture f;
    (void)state;
    open_model(&f,
        "param n = 15\nvar x[i in 1..n] = 0, y[i in 1..n] = 0, s = 0\n"
        "for i in 1..n\n"
        "  x[i]' = if s > 0 then x[i] else 0\n"
        "  y[i]' = max(x[i] + y[i], 0) + (if x[i] + y[i] < 0 then s else 1)\n"
        "end\ns' = (if 0 < s then 1 else s) + max(y[3] + x[3], 0)\n");
    const dae_events *e = f.p->events;
    assert_int_equal(e->switch_count, 1 + 15);
    assert_int_equal(switch_named(&f, "s > 0"), 0);
    set_all(&f, 0);
    double g[16];
    CHECK_STATUS(e->roots(f.p->self, 0, f.x, f.xp, g), DAE_OK);
    assert_true(g[0] == -f.x[30]);
    for (int i = 0; i < 15; i++)
        CHECK_NEAR(g[1 + i], f.x[i] + f.x[15 + i], 1e-14);
    close_model(&f);
}

static double observed(const fixture *f, const char *name)
{
    char text[100];
    for (size_t k = 0; k < dae_model_observation_count(f->model); k++) {
        (void)dae_model_observation_name(f->model, k, text, sizeof text);
        if (strcmp(text, name) == 0) return f->obs[k];
    }
    fail_msg("no observation %s", name);
    return 0;
}

/* What smooth(...) says, and what is only put out, makes no switch; what is put
 * out is held where the equations hold the same. */
static void smooth_and_observed_places(void **state)
{
    fixture f;
    (void)state;
    open_model(&f,
        "var x = 0, y = 0\nlet soft = smooth(max(x, y))\n"
        "let seen = if y < 3 then 1 else 2\n"
        "x' = soft + smooth(abs(x))\ny' = if x < 2 then 0 else y\n"
        "output a = if x < 2 then 5 else 6\noutput b = seen\n"
        "output c = abs(x)\n");
    CHECK_NAMES(&f, "x < 2");
    f.p->events->held[0] = 0;
    CHECK_STATUS(dae_model_observe(f.model, 0, f.x, f.xp, f.obs), DAE_OK);
    assert_true(observed(&f, "a") == 6 && observed(&f, "b") == 1);
    assert_true(observed(&f, "c") == 0.5);
    close_model(&f);
}

/* Choices that derivatives make at the tip of a cone are none of the text's. */
static void tips_are_no_switches(void **state)
{
    fixture f;
    (void)state;
    open_model(&f,
        "var x = 1, y = 1\nlet r = hypot(x, y), p = x^y\n"
        "x' = r' + p'\ny' = abs(hypot(x, y) - 2)\n");
    CHECK_NAMES(&f, "abs(hypot(x, y) - 2)");
    close_model(&f);
}

static void check_reason(
    const fixture *f, dae_name_kind kind, const char *expected)
{
    char text[200];
    const size_t length = f->p->explain(
        f->p->self, kind, 0, 1, f->x, f->xp, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

/* What has no value is named, through definitions too. */
static void what_has_no_value_is_explained(void **state)
{
    fixture f;
    (void)state;
    open_model(&f,
        "discrete n = 0\nvar x = 1, y = 1\nlet depth = log(y - 2) + abs(x)\n"
        "x' = if depth < -2 then x else t\ny' = -y\n"
        "when x > 2\n  n := sqrt(n - x)\nend\n");
    assert_int_equal(switch_named(&f, "depth < -2"), 1);
    assert_int_equal(switch_named(&f, "abs(x)"), 0);
    char text[100];
    f.p->events->held[1] = 1;
    (void)f.p->explain(
        f.p->self, DAE_NAME_SWITCH, 1, 1, f.x, f.xp, text, sizeof text);
    assert_string_equal(
        text, "log(y - 2) = log(-1.25) with y = 0.75 (in `depth` at line 3)");
    check_reason(&f, DAE_NAME_ASSIGNMENT,
        "sqrt(n - x) = sqrt(-0.5) with n = 0, x = 0.5");
    check_reason(&f, DAE_NAME_SWITCH, ""); /* abs(x) has one */
    check_reason(&f, DAE_NAME_WHEN, "");
    close_model(&f);
}

static void nothing_switches_without_unknowns(void **state)
{
    fixture f;
    (void)state;
    open_model(&f,
        "param p = 2, q = 3\nvar x = 1\n"
        "x' = -x*abs(p - q) + (if p < q then 1 else max(x, 0))\n");
    assert_null(f.p->events);
    close_model(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_is_held),
        cmocka_unit_test(blocks_series_and_long_values_are_held),
        cmocka_unit_test(jacobians_are_of_the_branch),
        cmocka_unit_test(one_condition_is_one_switch),
        cmocka_unit_test(other_conditions_are_other_switches),
        cmocka_unit_test(rows_share_switches),
        cmocka_unit_test(smooth_and_observed_places),
        cmocka_unit_test(tips_are_no_switches),
        cmocka_unit_test(what_has_no_value_is_explained),
        cmocka_unit_test(nothing_switches_without_unknowns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
