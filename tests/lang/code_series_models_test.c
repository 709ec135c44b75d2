/* Series of models as text: against what the language makes of primes, at
 * kinks of inputs and equations, in the words of the model; what is refused;
 * memory that fails. */
#include "lang/sema_support.h"
#include "random.h"
#include "support/faulty_memory.h"

enum { TERMS = 5, RATES = 4, WIDE = 12, MOST = 16, ENTRIES = 200 };

static void random_curves(double *x, uint64_t seed)
{
    random_state random = {seed};
    for (int i = 0; i < MOST * WIDE; i++)
        x[i] = (i % WIDE == 0 ? 0.7 : 0) + 0.3 * random_unit(&random);
}

/* ---- primes ---------------------------------------------------------------- */

/* u0 = e, u1 = (e)', ...: with u = 0 equation k is the k-th derivative of
 * equation 0 from what the language differentiates. */
static void open_primes(fixture *f, const char *expression)
{
    char text[4000];
    int length = snprintf(text, sizeof text,
        "param p = 0.8, q[3] = [0.3, 1.7, -0.4]\n"
        "input wave = sin(3*t)/2 + if t > 1 then t^2 else 0\n"
        "var x, y, u0, u1, u2, u3, u4\n"
        "let a = x*y + p\n"
        "let b = exp(-a)*wave + sum(q[i]*x^i for i in 1..3)\n"
        "u0 = %s\nu1 = (%s)'\nu2 = (%s)''\nu3 = (%s)'''\nu4 = (%s)''''\n"
        "x' = -x\ny'' = x\n",
        expression, expression, expression, expression, expression);
    assert_true(length > 0 && (size_t)length < sizeof text);
    open_model(f, text);
}

static double factorial(int k)
{
    return k < 2 ? 1 : k * factorial(k - 1);
}

/* Column of (x, xp) for a slot. */
static size_t column_of(const dae_problem *p, size_t unknown, unsigned order)
{
    size_t first = 0;
    for (size_t j = 0; j < unknown; j++) first += p->order[j] ? p->order[j] : 1;
    return order > 0 && order == p->order[unknown]
        ? dae_problem_state_count(p) + unknown
        : first + order;
}

/* The entry of a row in a column, or NULL. */
static const double *entry(const dae_problem *p, size_t row, size_t column,
    const double *values, size_t terms)
{
    for (int64_t e = p->pattern->column_start[column];
         e < p->pattern->column_start[column + 1]; e++)
        if ((size_t)p->pattern->row[e] == row)
            return values + (size_t)e * terms;
    return NULL;
}

/* The partial derivative by x of the k-th derivative is the k-th derivative of
 * the partial derivative by x. */
static void check_entries(const dae_problem *p, const double *values, size_t j)
{
    const size_t column = column_of(p, j, 0);
    const double *first = entry(p, 0, column, values, TERMS);
    for (int k = 1; k <= RATES; k++) {
        const double *rate = entry(p, (size_t)k, column, values, TERMS);
        double expected = first ? first[k] * factorial(k) : 0;
        double got = rate ? rate[0] : 0;
        CHECK_NEAR(got, expected, 1e-11 * (1 + fabs(expected)));
    }
}

static void check_primes(const char *expression, uint64_t seed)
{
    fixture f;
    static double x[MOST * WIDE], r[MOST * TERMS], values[ENTRIES * TERMS];
    open_primes(&f, expression);
    const dae_problem *p = f.p;
    assert_int_equal(p->unknown_count, 7);
    random_curves(x, seed);
    memset(x + 2 * WIDE, 0, 5 * WIDE * sizeof *x);
    CHECK_STATUS(p->series(p->self, TERMS, 0.4, x, WIDE, r), DAE_OK);
    for (int k = 1; k <= RATES; k++)
        for (int l = 0; k + l < TERMS; l++) {
            double expected = r[k + l] * factorial(k + l) / factorial(l);
            CHECK_NEAR(
                r[k * TERMS + l], expected, 1e-11 * (1 + fabs(expected)));
        }
    size_t columns = dae_problem_state_count(p) + p->unknown_count;
    assert_true(p->pattern->column_start[columns] <= ENTRIES);
    CHECK_STATUS(
        p->series_jacobian(p->self, TERMS, 0.4, x, WIDE, values), DAE_OK);
    check_entries(p, values, 0);
    check_entries(p, values, 1);
    close_model(&f);
}

static void primes_are_the_terms(void **state)
{
    static const char *const expressions[] = {
        "a*b",
        "b^2/(1 + a^2) - wave",
        "sin(x)*cos(y) + tan(x/3)",
        "exp(-x)*log(2 + y) + log10(1.5 + x^2) + log1p(a^2) + expm1(x)",
        "sqrt(1 + a^2) + cbrt(2 + x) + (1.3 + x)^2.5 + (2 + x)^y",
        "asin(x/3) + acos(y/4) + atan(a) + atan2(x, 1 + y^2)",
        "sinh(x) + cosh(y) + tanh(a) + asinh(b) + acosh(2 + x^2)",
        "atanh(x/4) + hypot(x, 1 + y) + erf(a)",
        "sinc(x) + cosc(y) + sincc(a) + stumpff(0, x) + stumpff(3, y - x)",
        "stumpff(1, x^2 + y^2) + stumpff(2, -a)",
        "abs(x - 3) + min(x, 2 + y) + max(x, 2 + y)*sign(y + 3)",
        "if x < 3 then x^3 else sqrt(-1 - x^2)",
        "mod(x + 10.2, 3)*floor(2.5) + ceil(y/100)*x",
        "x^(-3) + (y + 2)^7 + 1/(a + x')",
        "x'*y'' + (x*y')^2",
        "t^3 - sin(t*x) + der(y, 2)",
    };
    (void)state;
    for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++)
        check_primes(expressions[i], i + 1);
}

/* So many rows that programs run over blocks: columns that ascend, descend
 * and jump, numbers that differ by row, sums into a row. */
static void rows_of_arrays_are_the_terms(void **state)
{
    enum { N = 20 };
    static double x[3 * N * WIDE], r[3 * N * TERMS];
    random_state random = {99};
    fixture f;
    (void)state;
    open_model(&f,
        "param n = 20, c[n] = [0.1*i^2 for i in 1..n], k = 3\n"
        "var x[n], u[n], w[n]\n"
        "fun e(a, b, c) = sin(a)*b^2 + c*k*t/(2 + a*b)\n"
        "u[i] = e(x[i], x[n + 1 - i], c[i]) + x[1 + floor((i - 1)^2/20)]"
        " for i in 1..n\n"
        "w[i] = (e(x[i], x[n + 1 - i], c[i]) + x[1 + floor((i - 1)^2/20)])'"
        " for i in 1..n\n"
        "x[i]' = -x[i]*k for i in 1..n\n");
    for (int i = 0; i < 3 * N * WIDE; i++)
        x[i] = i < N * WIDE ? random_unit(&random) : 0;
    CHECK_STATUS(f.p->series(f.p->self, TERMS, 0.4, x, WIDE, r), DAE_OK);
    for (int i = 0; i < N; i++)
        for (int k = 0; k + 1 < TERMS; k++) {
            double expected = (k + 1) * r[i * TERMS + k + 1];
            CHECK_NEAR(
                r[(N + i) * TERMS + k], expected, 1e-12 * (1 + fabs(expected)));
        }
    close_model(&f);
}

/* ---- kinks in the words of the model --------------------------------------- */

typedef struct kink {
    const char *text; /* the model */
    double t0;
    double x[4][4];  /* the unknowns' series */
    size_t terms[4]; /* that equation i has, of 4 */
    const char *why[4];
} kink;

static const kink kinks[] = {
    {"input gamma = max(0, t - 2)\nvar x, y\nx' = gamma\ny = gamma^2\n", 2,
        {{0}}, {1, 2},
        {"max(0, t - 2) has a kink here with t = 2 (in `gamma` at line 1)",
            "max(0, t - 2) has a kink here with t = 2 (in `gamma` at line 1)"}},
    {"input gamma = max(0, t - 2)\nvar x, y\nx' = gamma\ny = gamma^2\n", 3,
        {{0}}, {4, 4}, {"", ""}},
    {"var x, y\nlet c = if t < 1 then 1 else 0\nx' = c*y\ny = abs(x)\n", 1,
        {{1, -1}, {3}}, {0, 4},
        {"t < 1 switches here with t = 1 (in `c` at line 2)", ""}},
    {"var x, y\nlet c = if t < 1 then 1 else 0\nx' = c*y\ny = abs(x)\n", 0.5,
        {{0, 1}, {3}}, {4, 1}, {"", "abs(x) has a kink here with x = 0"}},
    {"param k = 2\nvar x\nx' = sqrt(x)*floor(k) + min(k, 2)\n", 0, {{0, 1}},
        {1},
        {"sqrt(x) has no derivative of that order here with "
         "x = 0"}},
    {"param k = 2\nvar x\nx' = sqrt(x)*floor(k) + min(k, 2)\n", 0, {{4, 1}},
        {4}, {""}},
    {"var x\nx' = exp(x)\n", 0, {{1, 1e200, 1}}, {2},
        {"exp(x) has a term of order 2 that is too large with x = 1"}},
    /* what is not taken is not to blame */
    {"var x, y\nx' = if x > 1 then sqrt(x) else abs(x)\n"
     "y = max(sqrt(x) - 1, abs(x))\n",
        0, {{0, 1}}, {1, 1},
        {"abs(x) has a kink here with x = 0",
            "abs(x) has a kink here with x = 0"}},
    /* of third order: 0, 0, 0 */
    {"var x\nx' = x*abs(x)^2\n", 0, {{0, 1}}, {3},
        {"abs(x) has a kink here with x = 0"}},
};

static size_t terms_of(const double *a)
{
    size_t k = 0;
    while (k < 4 && !isnan(a[k])) k++;
    for (size_t l = k; l < 4; l++) assert_true(isnan(a[l]));
    return k;
}

static void check_kink(const kink *k)
{
    fixture f;
    double x[4 * 8] = {0}, r[16], first[16];
    char text[400];
    open_model(&f, k->text);
    for (size_t j = 0; j < f.p->unknown_count; j++)
        memcpy(x + j * 8, k->x[j], sizeof k->x[j]);
    CHECK_STATUS(f.p->series(f.p->self, 4, k->t0, x, 8, r), DAE_OK);
    for (size_t i = 0; i < f.p->unknown_count; i++) {
        size_t length = f.p->series_explain(
            f.p->self, i, 4, k->t0, x, 8, text, sizeof text);
        assert_int_equal(length, strlen(text));
        assert_string_equal(text, k->why[i]);
        /* a jump leaves the value */
        size_t terms = k->terms[i] ? k->terms[i] : 1;
        if (terms_of(r + 4 * i) != terms)
            fail_msg("%sequation %zu has %zu terms, not %zu", k->text, i,
                terms_of(r + 4 * i), terms);
        /* one term, the value, is there, of entries too but for sqrt */
        if (f.p->series_jacobian(f.p->self, 1, k->t0, x, 8, first) == DAE_OK)
            assert_int_equal(f.p->series_explain(f.p->self, i, 1, k->t0, x, 8,
                                 text, sizeof text),
                0);
    }
    close_model(&f);
}

static void kinks_are_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinks / sizeof *kinks; i++)
        check_kink(&kinks[i]);
}

/* abs(x)*x has a first derivative at 0, and its partial derivative |x| + x
 * sign(x) only a value. */
static void kinks_of_entries_are_named(void **state)
{
    (void)state;
    fixture f;
    double x[8] = {0, 1}, r[4], values[8];
    char text[400];
    open_model(&f, "var x\nx' = x*abs(x)\n");
    CHECK_STATUS(f.p->series(f.p->self, 2, 0, x, 8, r), DAE_OK);
    assert_true(!isnan(r[1]));
    CHECK_STATUS(f.p->series_jacobian(f.p->self, 2, 0, x, 8, values), DAE_OK);
    assert_true(values[0] == 0 && isnan(values[1]));
    (void)f.p->series_explain(f.p->self, 0, 2, 0, x, 8, text, sizeof text);
    assert_string_equal(text, "derivative by x: sign(x) jumps here with x = 0");
    close_model(&f);
}

static void no_value_is_told(void **state)
{
    (void)state;
    fixture f;
    double x[8] = {-1, 1}, r[4];
    char text[400];
    open_model(&f, "var x\nx' = log(x)\n");
    CHECK_STATUS(f.p->series(f.p->self, 3, 0, x, 8, r), DAE_RETRY);
    for (int k = 0; k < 3; k++) assert_true(isnan(r[k]));
    (void)f.p->series_explain(f.p->self, 0, 3, 0, x, 8, text, sizeof text);
    assert_string_equal(text, "log(x) with x = -1");
    close_model(&f);
}

/* ---- what is refused ------------------------------------------------------- */

static void bad_requests_are_refused(void **state)
{
    (void)state;
    fixture f;
    double x[80] = {0}, r[80];
    char text[8];
    open_model(&f, "var x\nx'' = -x\n");
    const dae_problem *p = f.p;
    CHECK_STATUS(p->series(p->self, 0, 0, x, 8, r), DAE_ARGUMENT);
    CHECK_STATUS(p->series(p->self, 7, 0, x, 8, r), DAE_ARGUMENT);
    CHECK_STATUS(p->series(p->self, DAE_SERIES_TERMS_MAX + 1, 0, x, 80, r),
        DAE_ARGUMENT);
    CHECK_STATUS(p->series(p->self, DAE_SERIES_TERMS_MAX, 0, x, 66, r), DAE_OK);
    CHECK_STATUS(p->series_jacobian(p->self, 0, 0, x, 8, r), DAE_ARGUMENT);
    assert_int_equal(
        p->series_explain(p->self, 0, 0, 0, x, 8, text, sizeof text), 0);
    assert_int_equal(
        p->series_explain(p->self, 9, 2, 0, x, 8, text, sizeof text), 0);
    close_model(&f);
}

/* ---- memory ---------------------------------------------------------------- */

/* Series, entries and an explanation; the statuses, then what they gave. */
typedef struct answer {
    dae_status st[2];
    size_t length;
    double r[2 * 4], values[ENTRIES];
    char text[200];
} answer;

static void ask(const dae_problem *p, answer *a)
{
    double x[2 * 8] = {0, 1, 0, 0, 0, 0, 0, 0, 3};
    memset(a, 0, sizeof *a);
    a->st[0] = p->series(p->self, 4, 0, x, 8, a->r);
    a->st[1] = p->series_jacobian(p->self, 4, 0, x, 8, a->values);
    a->length = p->series_explain(
        p->self, 0, 4, 0, x, 8, a->text, sizeof a->text);
}

static void fail_call(
    memory_fault fault, size_t fail_at, const answer *good, size_t *failures)
{
    static const char text[] = "var x, y\nlet a = abs(x)*y\nx' = a\ny' = -a\n";
    faulty_memory m;
    dae_diagnostics *ds;
    dae_model *model;
    answer a;
    memory_init(&m);
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    CHECK_STATUS(dae_model_parse("m.dae", text, strlen(text), NULL,
                     &m.allocator, ds, &model),
        DAE_OK);
    memory_arm(&m, fault, fail_at);
    ask(dae_model_problem(model), &a);
    *failures = m.failures;
    for (int k = 0; k < 2; k++)
        assert_true(a.st[k] == DAE_OK || (m.failures && a.st[k] == DAE_MEMORY));
    assert_true(a.length == good->length
        || (m.failures && a.length == SIZE_MAX && a.text[0] == '\0'));
    memory_heal(&m);
    ask(dae_model_problem(model), &a);
    assert_memory_equal(&a, good, sizeof a);
    dae_model_free(model);
    dae_diagnostics_free(ds);
    assert_int_equal(m.blocks, 0);
    assert_int_equal(m.mistold, 0);
}

static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    fixture f;
    answer good;
    open_model(&f, "var x, y\nlet a = abs(x)*y\nx' = a\ny' = -a\n");
    ask(f.p, &good);
    assert_string_equal(
        good.text, "abs(x) has a kink here with x = 0 (in `a` at line 2)");
    close_model(&f);
    for (int fault = 0; fault < 2; fault++) {
        size_t failures = 1, n = 0;
        for (; failures > 0; n++)
            fail_call(fault ? MEMORY_FAILS_ON : MEMORY_FAILS_ONCE, n, &good,
                &failures);
        assert_true(n > 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primes_are_the_terms),
        cmocka_unit_test(rows_of_arrays_are_the_terms),
        cmocka_unit_test(kinks_are_named),
        cmocka_unit_test(kinks_of_entries_are_named),
        cmocka_unit_test(no_value_is_told),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
