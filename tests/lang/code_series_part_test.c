/* Parts of series against whole ones, which other tests compare with
 * polynomials: on the models of this project, with random needs, and on small
 * models where the arithmetic over planes has to give up. */
#include "lang/sema_support.h"
#include "model_folder.h"
#include "random.h"

#include <math.h>

enum { TERMS = 5, STRIDE = 12, LARGEST = 500 };

typedef struct tally {
    size_t models, equations, entries, refused;
} tally;

static size_t entries_of(const dae_problem *p)
{
    return (size_t)
        p->pattern->column_start[dae_problem_state_count(p) + p->unknown_count];
}

static double *take_curve(const dae_problem *p, random_state *random)
{
    double *x = calloc(p->unknown_count * STRIDE + 1, sizeof *x);
    assert_non_null(x);
    for (size_t k = 0; k < p->unknown_count * STRIDE; k++)
        x[k] = (k % STRIDE == 0 ? 0.6 : 0) + random_unit(random) / 4;
    return x;
}

typedef struct question {
    dae_series_fn *whole;
    dae_series_part_fn *part;
    size_t count;
} question;

static question question_of(const dae_problem *p, bool is_jacobian)
{
    return is_jacobian
        ? (question){p->series_jacobian, p->series_jacobian_part, entries_of(p)}
        : (question){p->series, p->series_part, p->unknown_count};
}

/* The coefficients asked for, to rounding: sums may be in another order. */
static void compare(const dae_problem *p, const question *q, const double *x,
    const uint8_t *need, const char *name, tally *t)
{
    double *f = calloc(q->count * TERMS + 1, sizeof *f);
    double *g = calloc(q->count * TERMS + 1, sizeof *g);
    bool has_all = true;
    assert_true(f && g);
    const dae_status st = q->whole(p->self, TERMS, 0.25, x, STRIDE, f);
    const dae_status got = q->part(p->self, need, TERMS, 0.25, x, STRIDE, g);
    for (size_t i = 0; i < q->count; i++)
        has_all = has_all && (need[i] == 0 || isfinite(f[i * TERMS]));
    t->refused += st == DAE_RETRY;
    if (st != DAE_RETRY || !has_all) CHECK_STATUS(got, st);
    for (size_t i = 0; i < q->count; i++) {
        double size = 1e-3;
        for (size_t k = 0; k < TERMS; k++)
            if (isfinite(f[i * TERMS + k]))
                size = fmax(size, fabs(f[i * TERMS + k]));
        for (size_t k = 0; k < need[i]; k++) {
            const double a = f[i * TERMS + k], b = g[k * q->count + i];
            if (isnan(a) ? isnan(b) : fabs(a - b) <= 1e-11 * size) continue;
            print_error("%s: %zu of %zu, term %zu of %u: %.17g for %.17g\n",
                name, i, q->count, k, (unsigned)need[i], b, a);
            fail();
        }
    }
    free(g);
    free(f);
}

/* `has_twin`: the last unknown's curve is that of unknown 2. */
static void ask_about(const dae_problem *p, bool is_jacobian, bool has_twin,
    const char *name, random_state *random, tally *t)
{
    const question q = question_of(p, is_jacobian);
    uint8_t *need = calloc(q.count + 1, 1);
    double *x = take_curve(p, random);
    assert_non_null(need);
    if (has_twin)
        memcpy(x + (p->unknown_count - 1) * STRIDE, x + 2 * STRIDE,
            STRIDE * sizeof *x);
    for (int round = 0; round < 6; round++) {
        /* all alike, then of every kind, then few of them */
        for (size_t i = 0; i < q.count; i++) {
            const double at = (random_unit(random) + 1) / 2;
            need[i] = (uint8_t)(round < 2 ? round * (TERMS - 1) + 1
                    : round < 4           ? at * (TERMS + 0.99)
                    : at < 0.9            ? 0
                                          : TERMS);
        }
        compare(p, &q, x, need, name, t);
    }
    *(is_jacobian ? &t->entries : &t->equations) += q.count;
    free(x);
    free(need);
}

static void ask(
    const dae_problem *p, const char *name, random_state *random, tally *t)
{
    ask_about(p, false, false, name, random, t);
    ask_about(p, true, false, name, random, t);
}

static dae_model *take_model(const char *text)
{
    dae_model *m;
    CHECK_STATUS(
        dae_model_parse("m.dae", text, strlen(text), NULL, NULL, NULL, &m),
        DAE_OK);
    return m;
}

typedef struct visit {
    random_state random;
    tally *t;
} visit;

static void visit_model(const dae_problem *p, const char *file, void *context)
{
    visit *v = context;
    if (p->unknown_count > LARGEST) return;
    v->t->models++;
    ask(p, file, &v->random, v->t);
}

static void compare_folder(const char *folder, tally *t)
{
    visit v = {.random = {41}, .t = t};
    (void)visit_models(folder, visit_model, &v);
}

static void models_of_this_project(void **state)
{
    (void)state;
    static const char *const folders[] = {"tests/check/forms",
        "tests/check/systems", "models/mechanics", "models/circuits",
        "models/process"};
    tally t = {0, 0, 0, 0};
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++)
        compare_folder(folders[k], &t);
    print_message("%zu models, %zu equations, %zu entries; %zu refused\n",
        t.models, t.equations, t.entries, t.refused);
    assert_true(t.models > 120);
    assert_true(t.refused < t.models);
}

/* Blocks, fused code and everything that has a row of its own in opcodes.def;
 * rows enough for full vectors and a rest. */
static void operations_on_many_rows(void **state)
{
    (void)state;
    static const char *const rows[] = {"x[i]*x[i] - x[i]/(2 + i*y[i])",
        "x[i]^2 + y[i]^3 - x[i]^(-2) + y[i]^5", "sin(x[i])*exp(y[i]) + t",
        "(x[i] + y[i])*(x[i] - 2)*(3 - y[i]) - 4*(x[i] - y[i])",
        "x[i]^1.5 + sqrt(1 + y[i]^2) + i^y[i] + p^2.5*x[i]",
        "max(x[i], -5) + abs(y[i] - 7) + (if x[i] > 9 then 1 else y[i])",
        "x[i]'*y[i] - (p - x[i]')/(p + t)", "-(x[i] + p*t)/p",
        "a[i]*x[i] + a[i]^2/p - sin(a[i])*y[i]"};
    char text[400];
    tally t = {0, 0, 0, 0};
    random_state random = {7};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        (void)snprintf(text, sizeof text,
            "param p = 0.7, a[i in 1..301] = 1 + i/7\nvar x[i in 1..301] = 1, "
            "y[1..301] = 1\n"
            "x[i]' = %s for i in 1..301\n"
            "y[i]*(1 + x[i]^2) = y[302 - i] + i for i in 1..301\n",
            rows[k]);
        dae_model *m = take_model(text);
        ask(dae_model_problem(m), rows[k], &random, &t);
        dae_model_free(m);
    }
    assert_int_equal(t.refused, 0);
}

/* A kink, an edge, a jump and a value too large, in one row of many and in the
 * value or in a later term: as the whole series says. */
static void where_terms_are_missing(void **state)
{
    (void)state;
    static const char *const rows[] = {"abs(x[i] - z)", "sqrt(x[i] - z)",
        "1/(x[i] - z)", "exp(1000*x[i] + 400*i)/(1 + exp(900*i*x[i]))",
        "max(x[i], z)*z", "1/exp(800*i*x[i])", "(1e200*x[i])^2/1e300",
        "floor(x[i] - z)", "(x[i] - z)^2.5"};
    char text[400];
    tally t = {0, 0, 0, 0};
    random_state random = {11};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (int n = 4; n <= 140; n += 136) {
            (void)snprintf(text, sizeof text,
                "var x[i in 1..%d] = 1, z = 1\nz' = 1\n"
                "x[i]' = %s for i in 1..%d\n",
                n, rows[k], n);
            dae_model *m = take_model(text);
            const dae_problem *p = dae_model_problem(m);
            ask_about(p, false, true, rows[k], &random, &t);
            ask_about(p, true, true, rows[k], &random, &t);
            dae_model_free(m);
        }
    assert_true(t.refused > 0);
}

static void what_cannot_be_asked(void **state)
{
    (void)state;
    static const double x[2 * 4] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint8_t need[2] = {3, 1};
    double f[2 * 3] = {-1, -1, -1, -1, -1, -1};
    fixture m;
    open_model(&m, "var x = 1, y = 2\nx' = x*y\nx + y = 3\n");
    const dae_problem *p = m.p;
    CHECK_STATUS(p->series_part(p->self, need, 2, 0, x, 4, f), DAE_ARGUMENT);
    CHECK_STATUS(p->series_part(p->self, need, 3, 0, x, 3, f), DAE_ARGUMENT);
    need[0] = need[1] = 0;
    CHECK_STATUS(p->series_part(p->self, need, 3, 0, x, 4, f), DAE_OK);
    need[1] = 2;
    CHECK_STATUS(p->series_part(p->self, need, 3, 0, x, 4, f), DAE_OK);
    CHECK_NEAR(fabs(f[1]), 3, 0); /* 1 + 5 - 3 */
    CHECK_NEAR(fabs(f[3]), 8, 0);
    close_model(&m);
}

static void without_memory(void **state)
{
    (void)state;
    const char *text = "let w[i in 1..20] = sin(x[i])*x[i]\n"
                       "var x[i in 1..20] = 1\n"
                       "x[i]' = w[i]^2 for i in 1..20\n";
    failing_memory memory;
    dae_model *m;
    uint8_t need[400];
    double x[20 * 4], f[400 * 3];
    for (size_t k = 0; k < 20 * 4; k++) x[k] = 1 / (1 + (double)k);
    memset(need, 2, sizeof need);
    failing_init(&memory, SIZE_MAX);
    CHECK_STATUS(dae_model_parse("m.dae", text, strlen(text), NULL,
                     &memory.allocator, NULL, &m),
        DAE_OK);
    const dae_problem *p = dae_model_problem(m);
    size_t refused = 0;
    for (int what = 0; what < 2; what++) {
        dae_series_part_fn *part = what ? p->series_jacobian_part
                                        : p->series_part;
        dae_status st = DAE_MEMORY;
        for (size_t n = 0; st; n++, refused += st != 0) {
            memory.fail_from = memory.allocations + n;
            st = part(p->self, need, 3, 0, x, 4, f);
            memory.fail_from = SIZE_MAX;
            if (st) CHECK_STATUS(st, DAE_MEMORY);
        }
    }
    assert_true(refused > 8);
    dae_model_free(m);
    assert_int_equal(memory.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_of_this_project),
        cmocka_unit_test(operations_on_many_rows),
        cmocka_unit_test(where_terms_are_missing),
        cmocka_unit_test(what_cannot_be_asked),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
