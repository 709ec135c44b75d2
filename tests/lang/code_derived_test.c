/* Programs of derivatives of equations against power series: the extended
 * problem asks for these, and for a program where it is told to. On
 * the models of this project and on every operation, with switches free and
 * held, away from kinks and on them. */
#include "extend/face.h"
#include "lang/sema_support.h"
#include "model_folder.h"
#include "random.h"

#include <math.h>

enum { LARGEST = 300, ENTRIES_MOST = 2000000 };

typedef struct tally {
    size_t models, programs, refused, asked, without_value;
} tally;

/* What one extended problem is requested. */
typedef struct question {
    const dae_problem *p; /* the extended one */
    bool is_jacobian;
    size_t count;
    double t;
    const double *columns;
} question;

static dae_status ask(const question *q, double *out)
{
    const dae_problem *p = q->p;
    return q->is_jacobian
        ? p->jacobian(p->self, DAE_ALL, q->t, q->columns, NULL, out)
        : p->residual(p->self, q->t, q->columns, NULL, out);
}

static bool is_near(double a, double b, double size)
{
    return isfinite(a) ? fabs(a - b) <= 1e-10 * size : !isfinite(b);
}

enum { POINTS = 10 };

/* The same bits at several points at once as one by one: of them `count`. */
static void compare_points(const question *q, size_t count)
{
    const dae_problem *p = q->p;
    const size_t n = p->unknown_count;
    double t[POINTS], *x[POINTS], *f[POINTS];
    double *g = calloc(q->count + 1, sizeof *g);
    bool has_values = true;
    assert_true(g && count <= POINTS);
    for (size_t k = 0; k < count; k++) {
        x[k] = calloc(n + 1, sizeof *x[k]);
        f[k] = calloc(q->count + 1, sizeof *f[k]);
        assert_true(x[k] && f[k]);
        t[k] = q->t + 0.01 * (double)k;
        for (size_t i = 0; i < n; i++)
            x[k][i] = q->columns[i] * (1 + (double)k / 32);
        has_values &= !p->residual(p->self, t[k], x[k], NULL, g);
    }
    const dae_status st = p->residuals(
        p->self, count, t, (const double *const *)x, NULL, f);
    CHECK_STATUS(st, has_values ? DAE_OK : DAE_RETRY);
    for (size_t k = 0; k < count && !st; k++) {
        CHECK_STATUS(p->residual(p->self, t[k], x[k], NULL, g), DAE_OK);
        assert_memory_equal(f[k], g, q->count * sizeof *g);
    }
    for (size_t k = 0; k < count; k++) free(x[k]), free(f[k]);
    free(g);
}

/* By series, then by the program. */
static void compare(extended *e, const question *q, const char *name, tally *t)
{
    extension *x = (extension *)e;
    const extend_program *program = q->is_jacobian ? &x->entries : &x->rows;
    double *f = calloc(q->count + 1, sizeof *f), size = 1;
    double *g = calloc(q->count + 1, sizeof *g);
    assert_true(f && g);
    x->is_often = false;
    extended_end_programs(x);
    const dae_status st = ask(q, f);
    assert_null(program->derived.self);
    extended_ask_often(e);
    CHECK_STATUS(ask(q, g), st);
    for (size_t i = 0; i < q->count; i++)
        if (isfinite(f[i])) size = fmax(size, fabs(f[i]));
    for (size_t i = 0; i < q->count; i++) {
        if (is_near(f[i], g[i], size)) continue;
        print_error("%s, %s %zu: %.17g for %.17g, t = %g\n", name,
            q->is_jacobian ? "entry" : "row", i, g[i], f[i], q->t);
        fail();
    }
    for (size_t k = 1; k <= POINTS && !q->is_jacobian; k += 3)
        compare_points(q, k);
    t->asked++;
    t->programs += program->derived.self != NULL;
    t->refused += program->is_refused;
    t->without_value += st == DAE_RETRY;
    free(f);
    free(g);
}

/* `grain`: values are multiples of it, so that many are equal; 0: none is. */
static void fill(
    double *columns, size_t count, double grain, random_state *random)
{
    for (size_t k = 0; k < count; k++) {
        const double value = 0.6 + random_unit(random) / 3;
        columns[k] = grain > 0 ? grain * rint(value / grain) : value;
    }
}

static void hold(const dae_problem *p, random_state *random)
{
    static const double sides[] = {(double)NAN, -1, 0, 1};
    const dae_events *e = p->events;
    if (!e) return;
    for (size_t k = 0; k < e->switch_count; k++)
        e->held[e->discrete_count + k] = sides[random_below(random, 4)];
}

/* Equations are differentiated at most `most` times. */
static void compare_problem(const dae_problem *p, const char *name, size_t most,
    double grain, random_state *random, tally *t)
{
    const size_t n = p->unknown_count;
    int32_t *c = calloc(n + 1, sizeof *c);
    extended *e;
    assert_non_null(c);
    for (size_t i = 0; i < n; i++)
        c[i] = (int32_t)random_below(random, most + 1);
    CHECK_STATUS(extended_create(p, c, NULL, ENTRIES_MOST, NULL, &e), DAE_OK);
    double *columns = calloc(e->columns + 1, sizeof *columns);
    assert_non_null(columns);
    fill(columns, e->columns, grain, random);
    hold(p, random);
    const size_t entries = (size_t)e->problem.pattern->column_start[e->columns];
    const double at = grain > 0 ? 1 : 0.31;
    compare(e, &(question){&e->problem, false, e->rows, at, columns}, name, t);
    compare(e, &(question){&e->problem, true, entries, at, columns}, name, t);
    extended_free(e);
    free(columns);
    free(c);
}

/* ---- models ----------------------------------------------------------------- */

typedef struct visit {
    random_state random;
    tally *t;
} visit;

static void visit_model(const dae_problem *p, const char *file, void *context)
{
    visit *v = context;
    if (p->unknown_count > LARGEST) return;
    v->t->models++;
    for (int round = 0; round < 4; round++)
        compare_problem(p, file, 3, round % 2 ? 0.25 : 0, &v->random, v->t);
}

static void models_of_this_project(void **state)
{
    (void)state;
    static const char *const folders[] = {"tests/check/forms",
        "tests/check/systems", "tests/check/kinks", "models/mechanics",
        "models/contact", "models/control", "models/circuits",
        "models/process"};
    tally t = {0};
    visit v = {.random = {5}, .t = &t};
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++)
        (void)visit_models(folders[k], visit_model, &v);
    print_message("%zu models, %zu of %zu with programs, %zu without values\n",
        t.models, t.programs, t.asked, t.without_value);
    assert_true(t.models > 120);
    assert_true(4 * t.programs > 3 * t.asked);
    assert_true(4 * t.without_value < 3 * t.asked);
}

/* ---- operations --------------------------------------------------------------- */

static const char *const operations[] = {"x + y - 3*z", "x*y*z", "x/y/z",
    "-(x - y)/(z + t)", "x^2 + y^3 - z^(-2) + x^5", "x^p + y^z + 2^x",
    "sqrt(x*y) + cbrt(z)", "exp(x) - expm1(y*z) + t", "log(x) + log1p(y*z)",
    "log10(x + y)", "sin(x) + cos(y*z) + tan(x*t)", "asin(x/2) - acos(y/2)",
    "atan(x*y) + atan2(x, y)", "atan2(x - y, -z)", "atan2(x - z, y - z)",
    "sinh(x) + cosh(y)*tanh(z)", "asinh(x) + acosh(1.5 + y) + atanh(z/2)",
    "hypot(x, y) + hypot(x - y, z - x)", "erf(x*y)", "abs(x - y)*z",
    "sign(x - y)*z^2", "floor(4*x)*y", "ceil(4*x) + ceil(y - z)",
    "mod(x, y) + mod(z, 0.25)", "min(x, y)*max(y, z)", "min(x, 5)",
    "sinc(x) + cosc(y) + sincc(z)", "stumpff(1, x) + stumpff(2, y*z)",
    "if x < y then x^2 else z^2", "if x <= y and not z > 1 then x*t else y",
    "if x == y or z != x then x else y*z", "if t < 2 then x*y else 1/x",
    "max(x - y, 0)^2 + (if p > 1 then abs(x) else y)", "sqrt(x - y)",
    "1/(x - y)", "(x - y)^2.5", "sqrt((x - y)^2 + 1)", "w' + w*x",
    "table(\"" TEST_ROOT "/tests/data/signals/cubic.csv\", x = \"t\", "
    "y = \"p\", interp = \"spline3\")"};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static dae_model *take_model(const char *text)
{
    dae_model *m;
    CHECK_STATUS(
        dae_model_parse("m.dae", text, strlen(text), NULL, NULL, NULL, &m),
        DAE_OK);
    return m;
}

static void ask_operations(
    size_t most, int rounds, random_state *random, tally *t)
{
    char text[600];
    for (size_t k = 0; k < OPERATIONS; k++) {
        const bool is_table = strncmp(operations[k], "table", 5) == 0;
        (void)snprintf(text, sizeof text,
            "param p = 1.7\nlet w = sin(x*t)*y\n%s u = %s\n"
            "var x = 1, y = 1, z = 1, v[i in 1..11] = 1\n"
            "x' + u = t\ny'*u = 1 + z\nz^2 + u*x = 2\n"
            "v[i]' = u*v[i] + v[12 - i]*x for i in 1..11\n",
            is_table ? "input" : "let", operations[k]);
        dae_model *m = take_model(text);
        for (int round = 0; round < rounds; round++)
            compare_problem(dae_model_problem(m), operations[k], most,
                round % 3 ? 0 : 0.25, random, t);
        dae_model_free(m);
    }
}

static void every_operation(void **state)
{
    (void)state;
    tally t = {0};
    random_state random = {3};
    ask_operations(3, 12, &random, &t);
    print_message("%zu of %zu with programs, %zu without values\n", t.programs,
        t.asked, t.without_value);
    assert_true(t.without_value > 20);
    assert_true(5 * t.programs > 4 * t.asked);
    ask_operations(6, 3, &random, &t);
    print_message("%zu of %zu with programs, %zu without values\n", t.programs,
        t.asked, t.without_value);
}

/* ---- refusals ------------------------------------------------------------------ */

static void what_series_do_better(void **state)
{
    (void)state;
    dae_derived d;
    dae_model *m = take_model("var x[i in 1..100] = 1\n"
                              "x[i]' = sin(x[i])*t for i in 1..100\n");
    const dae_problem *p = dae_model_problem(m);
    size_t row[101], column[101];
    for (size_t k = 0; k <= 100; k++) {
        row[k] = 2 * k;
        column[k] = 3 * k;
    }
    const dae_derivation wanted = {row, column, NULL};
    CHECK_STATUS(p->derive(p->self, &wanted, &d), DAE_UNSUPPORTED);
    assert_null(d.self);
    dae_model_free(m);
    m = take_model("var x = 1\nx' = sin(x)\n");
    p = dae_model_problem(m);
    column[1] = (row[1] = 40) + 1;
    CHECK_STATUS(p->derive(p->self, &wanted, &d), DAE_UNSUPPORTED);
    column[1] = (row[1] = 3) + 1;
    CHECK_STATUS(p->derive(p->self, &wanted, &d), DAE_OK);
    d.release(d.self);
    dae_model_free(m);
}

/* A second request gives the same program, also while others are compiled. */
static void what_is_kept(void **state)
{
    (void)state;
    dae_model *m = take_model("var x = 1\nx' = sin(x)\n");
    const dae_problem *p = dae_model_problem(m);
    size_t row[] = {0, 2}, column[] = {0, 3};
    const dae_derivation wanted = {row, column, NULL};
    dae_derived first, again, other, back;
    CHECK_STATUS(p->derive(p->self, &wanted, &first), DAE_OK);
    CHECK_STATUS(p->derive(p->self, &wanted, &again), DAE_OK);
    assert_ptr_equal(again.self, first.self);
    again.release(again.self);
    row[1] = 3, column[1] = 4;
    CHECK_STATUS(p->derive(p->self, &wanted, &other), DAE_OK);
    assert_ptr_not_equal(other.self, first.self);
    const double t = 0, values[] = {0.5, 0.25, -0.125, 0};
    const double *point = values;
    double now[2], later[3], *const results[] = {now, later};
    CHECK_STATUS(
        first.evaluate(first.self, 1, &t, &point, &results[0]), DAE_OK);
    CHECK_STATUS(
        other.evaluate(other.self, 1, &t, &point, &results[1]), DAE_OK);
    assert_true(now[0] == later[0] && now[1] == later[1]);
    first.release(first.self);
    other.release(other.self);
    CHECK_STATUS(p->derive(p->self, &wanted, &back), DAE_OK);
    assert_ptr_equal(back.self, other.self);
    back.release(back.self);
    dae_model_free(m);
}

static void without_memory(void **state)
{
    (void)state;
    const char *text = "let w[i in 1..12] = sin(x[i])*x[i]\n"
                       "var x[i in 1..12] = 1\n"
                       "x[i]' = w[i]^2 for i in 1..12\n";
    static const int32_t c[12] = {0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 0, 1};
    failing_memory memory;
    dae_model *m;
    extended *e;
    failing_init(&memory, SIZE_MAX);
    CHECK_STATUS(dae_model_parse("m.dae", text, strlen(text), NULL,
                     &memory.allocator, NULL, &m),
        DAE_OK);
    const dae_problem *p = dae_model_problem(m);
    CHECK_STATUS(extended_create(p, c, NULL, ENTRIES_MOST, NULL, &e), DAE_OK);
    size_t refused = 0;
    for (int what = 0; what < 2; what++) {
        const dae_derivation wanted = {
            e->row_first, e->column_first, what ? e->problem.pattern : NULL};
        dae_status st = DAE_MEMORY;
        for (size_t n = 0; st; n++, refused += st != 0) {
            dae_derived d;
            memory.fail_from = memory.allocations + n;
            st = p->derive(p->self, &wanted, &d);
            memory.fail_from = SIZE_MAX;
            if (st) CHECK_STATUS(st, DAE_MEMORY);
            else d.release(d.self);
        }
    }
    assert_true(refused > 20);
    extended_free(e);
    dae_model_free(m);
    assert_int_equal(memory.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_of_this_project),
        cmocka_unit_test(every_operation),
        cmocka_unit_test(what_series_do_better),
        cmocka_unit_test(what_is_kept),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
