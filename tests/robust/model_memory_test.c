/* The language with an allocation that fails: layout, listings, compiling,
 * with overrides too, and everything that can be wrong with a model. Never a
 * crash or a leak, never a wrong model that passes, and the same answer
 * afterwards. Every prefix of a model's text ends in a status. */
#include "support/memory_sweep.h"

#include <dae/model.h>
#include <dae/solver.h>
#include <stdbool.h>

static size_t swept;

/* ---- models ---- */

static const char everything[] =
    "\"a model with a little of everything\"\n"
    "param n = 3, k = 2 {1/s}, w[i in 1..30] = i\n"
    "let   h = 1/(n + 1), total = sum(x)\n"
    "input u = sin(t)\n"
    "fun   flow(a, b)\n  d = a - b\n  return k*d*abs(d)\nend\n"
    "var   x[i in 1..n] = i*h {min = -10}, y = 1, z ~ 0\n"
    "init  y' = 0\n"
    "ring: x[i]' = flow(x[mod(i, n) + 1], x[i]) + u*(k*total)'/20  for i in "
    "1..n\n"
    "y'' = -y + z\n"
    "mass: z + sum(w[j]*x[1] for j in 1..30) = if y > 0 then 1 else exp(y)\n"
    "output big = max(x), energy = y^2 + y'^2\n"
    "solve t in 0..1, rtol = 1e-5, atol = 1e-7, points = 5\n"
    "plot x, y over z\n"
    "expect energy ~ initial(energy) within 1e6 always\n";

static const char arrays[] =
    "param n = 3, A[3, 3] = [[-2, 1, 0], [1, -2, 1], [0, 1, -2]]\n"
    "var   x[n] = 1 {m, nominal = 2, atol = 1e-8} \"a vector\"\n"
    "var   X[i in 1..n, 3] = i, r, q[3] ~ 0, p[0..n, 2] ~ 0\n"
    "x' = A*x + 0.1*cross(q, [1, 0, 0])\n"
    "X[i]' = -X[i]/norm(X[i]) for i in 1..n\n"
    "r = dot(x, x) + prod(x) + min(X[:,1]) + max(abs(X[i,2]) for i in 1..n)\n"
    "q[1..2] = x[2..3]*r; q[3] = 0\n"
    "p[i,:] = [i, 1]*r for i in 0..n\n"
    "output B = outer(x, q), T = transpose(A), first = x[1..2]\n"
    "solve t in 0..1\n"
    "plot x[:]\n";

static const char blocks[] =
    "param stiff = 2, n = 4\n"
    "var x[n] ~ 0.5 {min = 0, max = 4}, s, e = 1\n"
    "for i in 1..n\n"
    "  if i == 1\n    x[i]' = -x[i]\n"
    "  else\n    for j in i..i\n      x[j]' = x[j-1] - stiff*x[j]\n    end\n"
    "  end\n"
    "end\n"
    "s + s^3 = sum(x[i] for i in 1..n where i != 2)\n"
    "if stiff == 1\n  e' = -e\nelseif stiff == 2\n  e' = -sinc(e)\n"
    "else\n  e' = 0\nend\n"
    "init x[i] = 1/i for i in 1..n where i < n\n"
    "init x[1] + x[n] = 1.5\n"
    "init s ~ 0.4\n"
    "solve tau in 0..2, order = 4, points = 3, grid = \"log\"\n"
    "expect s > 0 and not (e > 2) always\n"
    "expect e ~ 0.5 within 1 at 1\n";

static const char events[] =
    "param e = 0.8, n = 3\n"
    "var h = 1 {m}, v = 0, q[n] = 1\n"
    "discrete c = 0 {1} \"bounces\", d[k in 1..n] = k*e\n"
    "let low = h < 0, gap = floor(h - e)\n"
    "h' = v\n"
    "v' = -9.81 + 0*c\n"
    "for k in 1..n\n  q[k]' = -d[k]*q[k]\n"
    "  small: when k > 1 and q[k] < 0.1*d[k]\n"
    "    q[k] := 1; d := [1, 2, c]\n  end\n"
    "end\n"
    "bounce: when low and v < 0\n  v := -e*v; c := c + 1\n"
    "  print \"one\"; print \"two\"\nend\n"
    "when gap == 0 or c == 4; stop \"rest\"; end\n"
    "solve t in 0..1\n"
    "plot c, d\n";

#define TABLE(name) "table(\"" TEST_ROOT "/tests/wrong/tables/" name "\""
#define COLUMNS ", x = \"time\", y = \"level\""

static const char tables[] = "param edge = " TABLE(
    "edges.csv") ")\n"
                 "input a = " TABLE("long.csv") COLUMNS
    ", interp = \"spline3\", "
    "extrapolate = \"linear\")\n"
    "input b = " TABLE("long.csv") COLUMNS
    ", interp = \"hold\")\n"
    "var x[edge.count] = edge.S, y = sum(edge.S)\n"
    "x[edge.i[e]]' = -edge.S[e]*x[edge.j[e]] + a for e in 1..edge.count\n"
    "y' = b - y + " TABLE("long.csv") COLUMNS ", at = t/2)\n"
                                              "solve t in 0..6\n";

static const char wrong_tables[] = "param edge = " TABLE(
    "edges.csv") ")\n"
                 "input a = " TABLE("text.csv") COLUMNS
    ")\n"
    "input b = " TABLE("level.csv") ", x = \"time\", y = \"levle\")\n"
                                    "input c = " TABLE("ragged.csv") COLUMNS
    ")\n"
    "input d = " TABLE("level.csv") COLUMNS
    ", interp = \"cubic\")\n"
    "var x[2] = edge, y = 1\n"
    "x[i]' = edge.Q[i]*x[edge.i[i]] for i in 1..edge.count\n"
    "y' = a + b + c + d\n"
    "solve t in 0..6\n";

static const char plain[] = "param k = 1, n = 2\nvar x[n] = 1, y = 1\n"
                            "x[i]' = -k*x[i] for i in 1..n\ny' = -y\n";

/* Seven mistakes of names and types. */
static const char wrong_names[] =
    "let a = b\nlet b = a\nfun f(x) = g(x)\nfun g(x) = f(x)\n"
    "var x = 1\nx' = f(1) - k*x + ln(j) + k\ndx/dt = a + np.pi\n";

static const char wrong_shapes[] =
    "param n = 3, m\nvar x[n] = [1, 2], y = x, z[n, n]\n"
    "x[i]' = -x[i+1] for i in 1..n\ny' = x*z + stumpff(0.5, y)\n"
    "z = transpose(x)\ny = norm(y, y)\nsolve t in 0..n, speed = 3\n"
    "plot w\nexpect y > z\ninit y' = 0, y = 2, q = 1\n";

static const char wrong_text[] =
    "\"a title\nparam k = 0,5\nvar x = (1 + ] 2)\nx' = -2*x $ 3 1x\n"
    "for i in 1..3\n  x = 2\nwhen x < 1\n  x := 2\nend\n";

static const char wrong_events[] =
    "param k = 1\nvar x[3] = 1, y, z\ndiscrete n, m ~ 2, j = x\n"
    "x' = -x\ny' = n'\nz = y\nm = 3\n"
    "when k > 2\n  y := 1\nend\n"
    "low: when x[1] < 0\n  x := 1\n  x[2] := 2\n  k := 2\n  x := [1, 2]\n"
    "end\nlow: when y < 0\n  (y + k) := 3\n  stop; stop\nend\n";

/* What is told once all equations are known. */
static const char wrong_targets[] =
    "var x = 1, y\ndiscrete n = 0\nlet g = 2*x\nx'' = -1\ny = x\n"
    "when g == 1\n  y := 1\n  x'' := 1\nend\n"
    "when g\n  x''' := 1\nend\nwhen n > 3\n  x := 1\nend\n";

static const char wrong_blocks[] =
    "x' = -x\nwhen x < 0\n  x = 1\n  when x < 1\n    x := 3\n  end\n"
    "  print x\n  var y = 1\n  for k in 1..2\n  end\nelse\nend\n"
    "x := 1\nwhen x < 0: x := 2\nstop\n";

static const char wrong_count[] =
    "param n = 3\nvar x[n] = 1, y ~ 1, z ~ 2, unused\n"
    "x[i]' = -x[i] for i in 1..n\na: x[1]*2 = x[2]^2 + 1\n"
    "b: y + z = x[1]\nc: x[3] = 2\n";

/* ---- trials ---- */

/* A text, with overrides or without. */
typedef struct subject {
    const char *text;
    const dae_override *overrides;
    size_t override_count;
    int canonical;
} subject;

static dae_status parse(trial *t, const subject *s, dae_model **m)
{
    const dae_model_options options = {.overrides = s->overrides,
        .override_count = s->override_count,
        .canonical = s->canonical};
    dae_status st;
    TRIAL(t, st,
        dae_model_parse("memory.dae", s->text, strlen(s->text), &options,
            &t->memory.allocator, t->ds, m));
    trial_note(t, "compile", st);
    return st;
}

static void compile(trial *t, const void *what)
{
    dae_model *m = NULL;
    trial_arm(t);
    trial_open(t);
    if (parse(t, what, &m)) assert_null(m);
    dae_model_free(m);
}

/* Mistakes of names take memory to tell of; without it they are not told, but
 * the model never passes. */
static void compile_wrong(trial *t, const void *what)
{
    dae_model *m = NULL;
    trial_arm(t);
    trial_open(t);
    CHECK_STATUS(parse(t, what, &m), DAE_MODEL);
    assert_null(m);
    assert_true(dae_diagnostics_error_count(t->ds) > 0);
}

/* A listing that failed half-way is begun again. */
static int write_answer(void *context, const char *text, size_t length)
{
    return sink_write(context, text, length);
}

static void cut(text_sink *s, size_t length)
{
    s->length = length;
    if (s->text) s->text[length] = '\0';
}

static void show_listings(trial *t, const void *what)
{
    static const dae_show listings[] = {
        DAE_SHOW_EQUATIONS, DAE_SHOW_JACOBIAN, DAE_SHOW_BYTECODE};
    dae_model *m = NULL;
    trial_open(t);
    CHECK_STATUS(parse(t, what, &m), DAE_OK);
    trial_arm(t);
    for (size_t k = 0; k < 3; k++) {
        const size_t before = t->answer.length;
        dae_status st;
        TRIAL_SILENT(t, st,
            (cut(&t->answer, before),
                dae_model_show(m, listings[k], write_answer, &t->answer)));
        CHECK_STATUS(st, DAE_OK);
    }
    dae_model_free(m);
}

static void show_text(trial *t, const void *what)
{
    const char *text = ((const subject *)what)->text;
    static const dae_show listings[] = {DAE_SHOW_TOKENS, DAE_SHOW_AST};
    trial_arm(t);
    trial_open(t);
    for (size_t k = 0; k < 2; k++) {
        const size_t before = t->answer.length;
        dae_status st;
        TRIAL(t, st,
            (cut(&t->answer, before),
                dae_show_text("memory.dae", text, strlen(text), listings[k],
                    &t->memory.allocator, t->ds, write_answer, &t->answer)));
        trial_note(t, "show", st);
    }
}

static void format(trial *t, const void *what)
{
    const char *text = ((const subject *)what)->text;
    dae_status st;
    trial_arm(t);
    trial_open(t);
    TRIAL(t, st,
        (cut(&t->answer, 0),
            dae_format_text("memory.dae", text, strlen(text),
                &t->memory.allocator, t->ds, write_answer, &t->answer)));
    trial_note(t, "format", st);
}

/* What a compiled model is asked and told during a run. */
static void use(trial *t, const void *what)
{
    static const double x[16] = {0.25, 0.5, 0.75, 1, 0, 0.5},
                        xp[16] = {1, 2, 3, 0.5, 0};
    double values[64] = {0};
    dae_model *m = NULL;
    dae_status st;
    trial_open(t);
    CHECK_STATUS(parse(t, what, &m), DAE_OK);
    const size_t count = dae_model_observation_count(m);
    assert_in_range(count, 1, 64);
    trial_arm(t);
    TRIAL_SILENT(t, st, dae_model_set_start(m, 0, x, xp));
    trial_note(t, "start", st);
    TRIAL_SILENT(t, st, dae_model_set_param(m, "k", 3));
    trial_note(t, "param", st);
    TRIAL_SILENT(t, st, dae_model_set_param(m, "n", 2));
    trial_note(t, "structural param", st);
    TRIAL_SILENT(t, st, dae_model_observe(m, 0.5, x, xp, values));
    trial_note(t, "observe", st);
    trial_values(t, values, count);
    const size_t few[] = {0, count - 1};
    dae_observer *o = NULL;
    TRIAL_SILENT(t, st, dae_observer_create(m, few, 2, &o));
    trial_note(t, "observe a few", st);
    TRIAL_SILENT(t, st, dae_observer_run(o, 0.5, x, xp, values));
    trial_values(t, values, count);
    dae_observer_free(o);
    dae_model_free(m);
}

/* ---- tests ---- */

static void sweep_texts(
    const char *name, trial_fn *work, const char *const *texts, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const subject s = {.text = texts[k]};
        swept += memory_sweep(name, work, &s);
    }
}

static const char *const right[] = {everything, arrays, blocks, events, tables};
static const char *const wrong[] = {wrong_names, wrong_shapes, wrong_text,
    wrong_count, wrong_events, wrong_targets, wrong_blocks, wrong_tables};
enum { RIGHT = 5, WRONG = 8 };

static void compiling_survives(void **state)
{
    (void)state;
    sweep_texts("compile", compile, right, RIGHT);
    for (size_t k = 0; k < RIGHT; k++) {
        const subject s = {.text = right[k], .canonical = 1};
        swept += memory_sweep("compile in canonical order", compile, &s);
    }
}

static void mistakes_are_never_accepted(void **state)
{
    (void)state;
    sweep_texts("compile a wrong model", compile_wrong, wrong, WRONG);
    const subject s = {.text = wrong_names, .canonical = 1};
    swept += memory_sweep("a wrong model, canonical", compile_wrong, &s);
}

static void overrides_survive(void **state)
{
    (void)state;
    static const dae_override fine[] = {
        {"k", "2*pi"}, {"n", "4"}, {"y(0)", "0.5"}, {"x[2](0)", "-1"}};
    static const dae_override bad[] = {
        {"k", "2*"}, {"q", "1"}, {"x[9](0)", "y"}, {"y", "2"}};
    const subject right_ones = {everything, fine, 4, 1};
    swept += memory_sweep("overrides", compile, &right_ones);
    for (size_t k = 0; k < 4; k++) {
        const subject one = {plain, &bad[k], 1, 0};
        swept += memory_sweep("a wrong override", compile_wrong, &one);
    }
}

static void listings_survive(void **state)
{
    (void)state;
    sweep_texts("listings", show_listings, right, RIGHT);
    sweep_texts("tokens and tree", show_text, right, RIGHT);
    sweep_texts("tokens and tree of a wrong text", show_text, wrong, WRONG);
}

static void evaluating_survives(void **state)
{
    (void)state;
    sweep_texts("evaluate", use, right, 1);
}

static void layout_survives(void **state)
{
    (void)state;
    sweep_texts("layout", format, right, RIGHT);
    sweep_texts("layout of a wrong text", format, wrong, WRONG);
}

static dae_status verdict(const char *text, dae_diagnostics *ds)
{
    dae_model *m;
    dae_status st = dae_model_parse(
        "memory.dae", text, strlen(text), NULL, NULL, ds, &m);
    assert_true((st == DAE_OK) == (m != NULL));
    dae_model_free(m);
    return st;
}

/* What was wrong with one model is nothing against the next, and what is wrong
 * with this one counts although it was said before, or is not to be said. */
static void verdicts_do_not_rest_on_what_was_told_before(void **state)
{
    (void)state;
    dae_diagnostics *ds;
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    for (size_t k = 0; k < 4; k++) {
        CHECK_STATUS(verdict(wrong[k], ds), DAE_MODEL);
        const size_t errors = dae_diagnostics_error_count(ds);
        CHECK_STATUS(verdict(wrong[k], ds), DAE_MODEL);
        assert_int_equal(dae_diagnostics_error_count(ds), errors);
        CHECK_STATUS(verdict(wrong[k], NULL), DAE_MODEL);
        CHECK_STATUS(verdict(everything, ds), DAE_OK);
        dae_diagnostics_clear(ds);
    }
    dae_diagnostics_free(ds);
    CHECK_STATUS(
        verdict("var x = 1\nx' = -x\nsolve t in 0..1, speed = 3\n", NULL),
        DAE_MODEL);
}

static void every_prefix_ends_in_a_status(void **state)
{
    (void)state;
    for (size_t length = 0; length < strlen(everything); length++) {
        dae_diagnostics *ds;
        dae_model *m;
        CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
        dae_status st = dae_model_parse(
            "prefix.dae", everything, length, NULL, NULL, ds, &m);
        if (st) assert_true(dae_diagnostics_error_count(ds) > 0);
        dae_model_free(m);
        dae_diagnostics_free(ds);
    }
}

static int count_swept(void **state)
{
    (void)state;
    print_message("%zu runs with a failing allocation\n", swept);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiling_survives),
        cmocka_unit_test(mistakes_are_never_accepted),
        cmocka_unit_test(overrides_survive),
        cmocka_unit_test(listings_survive),
        cmocka_unit_test(evaluating_survives),
        cmocka_unit_test(layout_survives),
        cmocka_unit_test(verdicts_do_not_rest_on_what_was_told_before),
        cmocka_unit_test(every_prefix_ends_in_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, count_swept);
}
