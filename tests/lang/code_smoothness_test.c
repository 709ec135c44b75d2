/* How often equations may be differentiated, and what the answer names. */
#include "lang/sema_support.h"

typedef struct expected {
    const char *equation;
    int smoothness;
    const char *kink, *subject;
    uint32_t line; /* of the place */
} expected;

static size_t index_of(const fixture *f, const char *name)
{
    char text[64];
    for (size_t i = 0; i < f->p->unknown_count; i++) {
        (void)dae_model_equation_name(f->model, i, text, sizeof text);
        if (strcmp(text, name) == 0) return i;
    }
    fail_msg("no equation %s", name);
    return 0;
}

/* The line at which a place of the text begins. */
static uint32_t line_at(const char *text, uint32_t begin)
{
    uint32_t line = 1;
    for (uint32_t k = 0; k < begin; k++) line += text[k] == '\n';
    return line;
}

static bool is_as_said(const fixture *f, const char *text, const expected *e)
{
    char kink[200], subject[200];
    const struct dae_source *source;
    uint32_t begin = 0, end = 0;
    size_t i = index_of(f, e->equation);
    const dae_problem *p = f->p;
    int found = p->smoothness ? p->smoothness[i] : DAE_SMOOTH;
    size_t length = p->name(p->self, DAE_NAME_KINK, i, kink, sizeof kink);
    (void)p->name(p->self, DAE_NAME_KINKED, i, subject, sizeof subject);
    int has_place = p->place(p->self, DAE_NAME_KINK, i, &source, &begin, &end);
    bool ok = found == e->smoothness && strcmp(kink, e->kink) == 0
        && length == strlen(kink) && strcmp(subject, e->subject) == 0
        && has_place == (e->line > 0)
        && (!has_place || line_at(text, begin) == e->line);
    if (!ok)
        print_error("%s: %d, \"%s\", \"%s\", place %d (line %u)\n", e->equation,
            found, kink, subject, has_place,
            has_place ? (unsigned)line_at(text, begin) : 0);
    return ok;
}

static void check_smoothness(
    const char *text, const expected *list, size_t count)
{
    fixture f;
    size_t wrong = 0;
    open_model(&f, text);
    for (size_t k = 0; k < count; k++) wrong += !is_as_said(&f, text, &list[k]);
    close_model(&f);
    assert_int_equal(wrong, 0);
}
#define CHECK_SMOOTHNESS(text, list)                                           \
    check_smoothness((text), (list), sizeof(list) / sizeof *(list))

#define SMOOTH_ONE DAE_SMOOTH, "", "", 0

static void expressions(void **state)
{
    (void)state;
    static const expected list[] = {
        {"a", SMOOTH_ONE},
        {"b", 0, "`abs(x)` has a kink", "abs(x)", 4},
        {"c", 0, "`abs(x)` has a kink", "abs(x)", 5},
        {"d", 0, "`max(x, t)` has a kink", "max(x, t)", 6},
        {"e", 0, "`t < 1` switches", "t < 1", 7},
        {"f", 0, "`floor(t)` switches", "floor(t)", 8},
        {"g", 0, "`mod(t, p)` switches", "mod(t, p)", 9},
        {"h", SMOOTH_ONE}, /* of params alone */
        {"i", SMOOTH_ONE},
        {"j", SMOOTH_ONE}, /* what derivatives of these choose between */
        {"k", SMOOTH_ONE},
        {"l", 0, "`sign(x)` switches", "sign(x)", 14},
    };
    CHECK_SMOOTHNESS("param p = 2\n"
                     "var x, b, c, d, e, f, g, h, i, j, k, l\n"
                     "a: x' = -x\n"
                     "b: b = abs(x)\n"
                     "c: c = x*abs(x)\n"
                     "d: d = 1 + sin(max(x, t))\n"
                     "e: e = if t < 1 then x else t\n"
                     "f: f = floor(t)\n"
                     "g: g = mod(t, p)\n"
                     "h: h = abs(p - 3)*x + (if p > 1 then 1 else x)\n"
                     "i: i = hypot(x, t) + sqrt(x^2 + 1) + norm([x, b])\n"
                     "j: j = (hypot(x, t))'\n"
                     "k: k = (x^t)'\n"
                     "l: l = (abs(x))'\n",
        list);
}

/* Where the text has the expression as the message writes it, but for blanks,
 * it is the place; else what it is a part of. */
static void places(void **state)
{
    (void)state;
    static const char *const list[][2] = {
        {"a", "abs(t-1)"},
        {"b", "x < 10"},
        {"c", "h"}, /* its `abs(t)` stands in the function */
        {"d", "max( x, t )"},
    };
    const char *text = "fun f(a) = abs(a)\n"
                       "input gamma = abs(t-1)/2, other = abs(t)\n"
                       "let h = f(t), g = abs(t)\n"
                       "var a, b, c, d, x = 1\n"
                       "a: a = gamma\n"
                       "b: b = if x < 10 then 1 else t\n"
                       "c: c = h\n"
                       "d: d = 1 + max( x, t )*2\n"
                       "e: x' = -x\n";
    fixture f;
    open_model(&f, text);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const struct dae_source *source;
        uint32_t begin = 0, end = 0;
        char found[80];
        assert_true(f.p->place(f.p->self, DAE_NAME_KINK,
            index_of(&f, list[k][0]), &source, &begin, &end));
        (void)snprintf(
            found, sizeof found, "%.*s", (int)(end - begin), text + begin);
        assert_string_equal(found, list[k][1]);
    }
    close_model(&f);
}

static void definitions(void **state)
{
    (void)state;
    static const expected list[] = {
        {"a", 0, "`gamma` has a kink at `abs(t - 1)`", "gamma", 1},
        {"b", SMOOTH_ONE},
        {"c", 0, "`gamma'` switches at `sign(t - 1)`", "gamma'", 1},
        {"d", 0, "`inner` has a kink at `max(t, x)`", "inner", 3},
        {"e", SMOOTH_ONE}, /* cos(t): the derivative of what is smooth */
        {"f[1]", SMOOTH_ONE},
        {"f[2]", 0, "`w[2]` switches at `t < 1`", "w[2]", 5},
        {"f[3]", SMOOTH_ONE},
        {"g", 0, "`sum at line 13` has a kink at `abs(y[1])`", "sum at line 13",
            13},
    };
    CHECK_SMOOTHNESS("input gamma = 1 + abs(t - 1)/2\n"
                     "input plain = sin(t)\n"
                     "let inner = 2*max(t, x)\n"
                     "let outer = inner + x\n"
                     "let w[i in 1..3] = if i == 2 and t < 1 then 1 else t\n"
                     "var x, b, c, d, e, f[3], g, y[30]\n"
                     "a: x' = gamma\n"
                     "b: b = plain + x\n"
                     "c: c = gamma'\n"
                     "d: d = outer\n"
                     "e: e = plain'\n"
                     "f: f[i] = w[i] for i in 1..3\n"
                     "g: g = sum(abs(y[i]) for i in 1..30)\n"
                     "h: y[i]' = -y[i] for i in 1..30\n",
        list);
}

static void what_is_vouched_for(void **state)
{
    (void)state;
    fixture f;
    const char *text = "let soft = smooth(abs(t - 1))\n"
                       "let sharp = abs(t - 2)\n"
                       "var x, b, c, d, v[2]\n"
                       "a: x' = soft\n"
                       "b: b = 2*smooth(max(x, t)) + x\n"
                       "c: c = (smooth(abs(x)))' + soft'\n"
                       "d: d = smooth(sharp)\n"
                       "e: v = smooth([abs(x), min(x, t)])\n";
    open_model(&f, text);
    assert_null(f.p->smoothness);
    assert_int_equal(f.p->is_smooth, 0); /* a run may meet them */
    f.x[0] = -3;                         /* x; then b, c, d, v */
    for (int k = 1; k <= 5; k++) f.x[k] = 0;
    f.xp[0] = 0;
    evaluate(&f, 0.25);
    CHECK_NEAR(f.res[0], -0.75, 1e-15);
    CHECK_NEAR(f.res[1], -(0.5 - 3), 1e-15);
    CHECK_NEAR(f.res[2], 1, 1e-15); /* -(-x' - 1) */
    CHECK_NEAR(f.res[3], -1.75, 1e-15);
    CHECK_NEAR(f.res[4], -3, 1e-15);
    CHECK_NEAR(f.res[5], 3, 1e-15);
    close_model(&f);
    static const expected mixed[] = {{"a", SMOOTH_ONE},
        {"b", 0, "`sharp` has a kink at `abs(t - 2)`", "sharp", 1}};
    CHECK_SMOOTHNESS("let sharp = abs(t - 2)\n"
                     "var x, y\n"
                     "a: x' = smooth(sharp)\n"
                     "b: y = smooth(sharp) + sharp\n",
        mixed);
}

static void no_word_of_vouched_switches(void **state)
{
    (void)state;
    fixture f;
    open_model(&f, "var x\nx' = smooth(if t < 1 then 1 else 0)\n");
    CHECK_STATUS(dae_model_note_switches(f.model, f.ds), DAE_OK);
    assert_int_equal(dae_diagnostics_count(f.ds), 0);
    close_model(&f);
    open_model(&f,
        "var x[3]\n"
        "let s = smooth(sum(if x[j] < t then 1 else 0 for j in 1..3))\n"
        "x[i]' = s for i in 1..3\n");
    CHECK_STATUS(dae_model_note_switches(f.model, f.ds), DAE_OK);
    assert_int_equal(dae_diagnostics_count(f.ds), 0);
    close_model(&f);
    open_model(&f, "var x\nx' = if t < 1 then 1 else 0\n");
    CHECK_STATUS(dae_model_note_switches(f.model, f.ds), DAE_OK);
    CHECK_DIAG(f.ds, "N0508", 2, 1);
    close_model(&f);
}

static void smooth_models_have_no_table(void **state)
{
    (void)state;
    fixture f;
    char text[40] = "left";
    open_model(&f, "var x, y\nx' = y\ny' = -sin(x)\n");
    assert_null(f.p->smoothness);
    assert_int_equal(f.p->is_smooth, 1);
    assert_int_equal(
        f.p->name(f.p->self, DAE_NAME_KINK, 1, text, sizeof text), 0);
    assert_string_equal(text, "");
    close_model(&f);
}

/* To those who use it an internal unknown is an unknown; the kink is that of
 * its own equation. */
static void internal_unknowns(void **state)
{
    (void)state;
    const char *text = "var x[100] = 1\n"
                       "let s = sum(abs(x[j]) for j in 1..100)\n"
                       "x[i]' = -s*x[i] for i in 1..100\n";
    fixture f = {0};
    CHECK_STATUS(dae_diagnostics_create(NULL, &f.ds), DAE_OK);
    CHECK_STATUS(dae_model_parse(
                     "m.dae", text, strlen(text), NULL, NULL, f.ds, &f.model),
        DAE_OK);
    f.p = dae_model_problem(f.model);
    assert_int_equal(f.p->unknown_count, 101);
    static const expected list[] = {{"L3[1]", SMOOTH_ONE},
        {"L3[100]", SMOOTH_ONE},
        {"s", 0, "`abs(x[1])` has a kink", "abs(x[1])", 2}};
    for (size_t k = 0; k < 3; k++) assert_true(is_as_said(&f, text, &list[k]));
    close_model(&f);
}

static dae_model *parse(const char *text, dae_diagnostics *ds)
{
    dae_model *m = NULL;
    CHECK_STATUS(
        dae_model_parse("m.dae", text, strlen(text), NULL, NULL, ds, &m),
        DAE_OK);
    return m;
}

/* A sum that becomes an internal unknown is smooth where it is used in what is
 * vouched for alone, and not where something else uses it. */
static void parts_of_what_is_vouched_for(void **state)
{
    (void)state;
    fixture f = {0};
    CHECK_STATUS(dae_diagnostics_create(NULL, &f.ds), DAE_OK);
    f.model = parse("var x[100] = 1\n"
                    "let s = smooth(sum(abs(x[j]) for j in 1..100))\n"
                    "x[i]' = -s*x[i] for i in 1..100\n",
        f.ds);
    assert_int_equal(dae_model_problem(f.model)->unknown_count, 101);
    assert_null(dae_model_problem(f.model)->smoothness);
    close_model(&f);
    const char *text = "var x[100] = 1\n"
                       "let raw = sum(abs(x[j]) for j in 1..100)\n"
                       "let s = smooth(raw)\n"
                       "x[i]' = -s*x[i] + raw for i in 1..100\n";
    CHECK_STATUS(dae_diagnostics_create(NULL, &f.ds), DAE_OK);
    f.model = parse(text, f.ds);
    f.p = dae_model_problem(f.model);
    assert_int_equal(f.p->unknown_count, 101);
    static const expected list[] = {{"L4[1]", SMOOTH_ONE},
        {"raw", 0, "`abs(x[1])` has a kink", "abs(x[1])", 2}};
    for (size_t k = 0; k < 2; k++) assert_true(is_as_said(&f, text, &list[k]));
    close_model(&f);
}

/* Every allocation of a model with kinks fails once. */
static void without_memory(void **state)
{
    (void)state;
    const char *text = "input gamma = abs(t - 1)\n"
                       "let s = smooth(abs(t))\n"
                       "var x, y\n"
                       "x = gamma + s\n"
                       "y' = abs(x)\n";
    size_t refused = 0;
    dae_status st = DAE_MEMORY;
    for (size_t n = 0; st == DAE_MEMORY; n++) {
        failing_memory memory;
        dae_model *m;
        failing_init(&memory, n);
        st = dae_model_parse(
            "m.dae", text, strlen(text), NULL, &memory.allocator, NULL, &m);
        if (st == DAE_MEMORY) refused++;
        else
            assert_int_equal(dae_model_problem(m)->smoothness[0]
                    + dae_model_problem(m)->smoothness[1],
                0);
        dae_model_free(m);
        assert_int_equal(memory.live, 0);
    }
    CHECK_STATUS(st, DAE_OK);
    assert_true(refused > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions),
        cmocka_unit_test(definitions),
        cmocka_unit_test(places),
        cmocka_unit_test(what_is_vouched_for),
        cmocka_unit_test(no_word_of_vouched_switches),
        cmocka_unit_test(smooth_models_have_no_table),
        cmocka_unit_test(internal_unknowns),
        cmocka_unit_test(parts_of_what_is_vouched_for),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
