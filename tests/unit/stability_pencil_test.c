/* Eigenvalues of pencils whose spectrum is known by hand: regular ones of every
 * index, defective ones, badly scaled ones, singular ones; of problems with
 * unknowns of second order, with Jacobians and without. */
#include "support/check.h"
#include "support/faulty_memory.h"
#include <dae/stability.h>

static const double PI = 3.14159265358979323846;

/* lambda M + B as a problem of first order: residual M x' + B x, by rows. */
typedef struct pair {
    size_t n;
    const double *m, *b;
} pair;

static dae_status pair_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const pair *p = self;
    (void)t;
    for (size_t i = 0; i < p->n; i++) {
        res[i] = 0;
        for (size_t j = 0; j < p->n; j++)
            res[i] += p->m[i * p->n + j] * xp[j] + p->b[i * p->n + j] * x[j];
    }
    return DAE_OK;
}

static dae_status pair_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    const pair *p = self;
    (void)scope, (void)t, (void)x, (void)xp;
    for (size_t j = 0; j < p->n; j++)
        for (size_t i = 0; i < p->n; i++) {
            values[j * p->n + i] = p->b[i * p->n + j];
            values[(p->n + j) * p->n + i] = p->m[i * p->n + j];
        }
    return DAE_OK;
}

static dae_problem problem_of(pair *p)
{
    return (dae_problem){.self = p,
        .unknown_count = p->n,
        .residual = pair_residual,
        .jacobian = pair_jacobian};
}

/* At the origin. */
static dae_eigenvalues *eigenvalues(size_t n, const double *m, const double *b)
{
    pair p = {n, m, b};
    const dae_problem problem = problem_of(&p);
    double *zero = calloc(2 * n, sizeof *zero);
    dae_eigenvalues *e;
    CHECK_STATUS(dae_eigenvalues_create(
                     &problem, 0, zero, zero + n, NULL, NULL, NULL, NULL, &e),
        DAE_OK);
    free(zero);
    return e;
}

static void check_counts(
    const dae_eigenvalues *e, size_t finite, size_t infinite, int index)
{
    assert_int_equal(e->finite_count, finite);
    assert_int_equal(e->infinite_count, infinite);
    assert_int_equal(e->index, index);
}

static void check_value(
    const dae_eigenvalues *e, size_t k, double re, double im, double error)
{
    assert_in_range(k, 0, e->finite_count - 1);
    CHECK_NEAR(e->finite[k].re, re, error);
    CHECK_NEAR(e->finite[k].im, im, error);
}

/* x' = v, v' = -4 x: +-2i, the upper one first. */
static void harmonic_oscillator(void **state)
{
    (void)state;
    const double m[] = {1, 0, 0, 1}, b[] = {0, -1, 4, 0};
    dae_eigenvalues *e = eigenvalues(2, m, b);
    check_counts(e, 2, 0, 0);
    check_value(e, 0, 0, 2, 1e-14);
    check_value(e, 1, 0, -2, 1e-14);
    dae_eigenvalues_free(e, NULL);
}

/* u_i' = (u_(i-1) - 2 u_i + u_(i+1))/h^2, u = 0 at both ends, h = 1/(n + 1):
 * -4 sin^2(k pi h/2)/h^2, k = 1..n. */
static void heat_equation(void **state)
{
    (void)state;
    enum { N = 40 };
    static double m[N * N], b[N * N];
    const double h = 1.0 / (N + 1);
    for (size_t i = 0; i < N; i++) {
        m[i * N + i] = 1;
        b[i * N + i] = 2 / (h * h);
        if (i > 0) b[i * N + i - 1] = -1 / (h * h);
        if (i + 1 < N) b[i * N + i + 1] = -1 / (h * h);
    }
    dae_eigenvalues *e = eigenvalues(N, m, b);
    check_counts(e, N, 0, 0);
    for (size_t k = 1; k <= N; k++)
        check_value(
            e, k - 1, -4 * pow(sin((double)k * PI * h / 2) / h, 2), 0, 1e-10);
    dae_eigenvalues_free(e, NULL);
}

/* x' = -3 x + y, 0 = x - 2 y: -5/2. */
static void index_1(void **state)
{
    (void)state;
    const double m[] = {1, 0, 0, 0}, b[] = {3, -1, 1, -2};
    dae_eigenvalues *e = eigenvalues(2, m, b);
    check_counts(e, 1, 1, 1);
    check_value(e, 0, -2.5, 0, 1e-14);
    dae_eigenvalues_free(e, NULL);
}

/* x' = v, v' = -x + l, v + w = 0, w' = -5 w + l: the difference of
 * the last two with w = -v is 2 v' = -x - 5 v, so 2 s^2 + 5 s + 1 = 0; two of four are left. */
static void index_2(void **state)
{
    (void)state;
    const double m[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0};
    const double b[] = {0, -1, 0, 0, 1, 0, 0, -1, 0, 0, 5, -1, 0, 1, 1, 0};
    dae_eigenvalues *e = eigenvalues(4, m, b);
    check_counts(e, 2, 2, 2);
    check_value(e, 0, (-5 + sqrt(17)) / 4, 0, 1e-13);
    check_value(e, 1, (-5 - sqrt(17)) / 4, 0, 1e-13);
    dae_eigenvalues_free(e, NULL);
}

/* The pendulum at rest below, linearised: x' = u, y' = v, u' = -9.81 x,
 * v' = -9.81 y + l, y = 0 (l the change of the multiplier): +-i sqrt(9.81) of
 * five, three infinite, index 3. */
static void index_3(void **state)
{
    (void)state;
    double m[25] = {0}, b[25] = {0};
    for (size_t k = 0; k < 4; k++) m[k * 5 + k] = 1;
    b[0 * 5 + 2] = b[1 * 5 + 3] = -1;
    b[2 * 5 + 0] = b[3 * 5 + 1] = 9.81;
    b[3 * 5 + 4] = -1;
    b[4 * 5 + 1] = 1;
    dae_eigenvalues *e = eigenvalues(5, m, b);
    check_counts(e, 2, 3, 3);
    check_value(e, 0, 0, sqrt(9.81), 1e-13);
    check_value(e, 1, 0, -sqrt(9.81), 1e-13);
    dae_eigenvalues_free(e, NULL);
}

/* One chain of length n at infinity beside a decay, disguised by mixing rows
 * and columns at random: the count does not drown in rounding, where QZ alone
 * would give n values of size eps^(-1/n). */
static void long_chains_in_disguise(void **state)
{
    (void)state;
    enum { N = 9, CHAIN = 6 };
    uint64_t seed = 7;
    double m[N * N] = {0}, b[N * N] = {0}, left[N * N], right[N * N];
    double mm[N * N] = {0}, bb[N * N] = {0};
    for (size_t k = 0; k < N; k++) {
        const int is_chain = k < CHAIN;
        if (!is_chain) m[k * N + k] = 1;
        if (is_chain && k + 1 < CHAIN) m[k * N + k + 1] = 1;
        b[k * N + k] = is_chain ? 1 : 0.5 * (double)(k - CHAIN + 1);
    }
    for (size_t k = 0; k < N * N; k++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        left[k] = (double)(seed >> 40) / (1 << 23) - 1;
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        right[k] = (double)(seed >> 40) / (1 << 23) - 1;
    }
    for (size_t i = 0; i < N; i++)
        for (size_t p = 0; p < N; p++)
            for (size_t q = 0; q < N; q++)
                for (size_t j = 0; j < N; j++) {
                    const double f = left[i * N + p] * right[q * N + j];
                    mm[i * N + j] += f * m[p * N + q];
                    bb[i * N + j] += f * b[p * N + q];
                }
    dae_eigenvalues *e = eigenvalues(N, mm, bb);
    check_counts(e, 3, CHAIN, CHAIN);
    for (size_t k = 0; k < 3; k++)
        check_value(e, k, -0.5 * (double)(k + 1), 0, 1e-8);
    dae_eigenvalues_free(e, NULL);
}

/* (s + 1)^3 as a companion form: one vector only, three values within the cube
 * root of rounding. */
static void defective(void **state)
{
    (void)state;
    const double m[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double b[] = {0, -1, 0, 0, 0, -1, 1, 3, 3};
    dae_eigenvalues *e = eigenvalues(3, m, b);
    check_counts(e, 3, 0, 0);
    for (size_t k = 0; k < 3; k++) check_value(e, k, -1, 0, 5e-5);
    dae_eigenvalues_free(e, NULL);
}

/* Units: a slow tank beside a fast circuit, C v' = -v/R with 1e-12 and 1e3, and
 * a potential without inertia; rows multiplied by 1e9 and 1e-7. */
static void units_do_not_matter(void **state)
{
    (void)state;
    const double m[] = {1e-12 * 1e-7, 0, 0, 0, 3600 * 1e9, 0, 0, 0, 0};
    const double b[] = {1e-3 * 1e-7, 0, 0, 0, 1e9, 0, 1e-4, 0, 1e-9};
    dae_eigenvalues *e = eigenvalues(3, m, b);
    check_counts(e, 2, 1, 1);
    check_value(e, 0, -1.0 / 3600, 0, 1e-17);
    check_value(e, 1, -1e9, 0, 1e-4);
    dae_eigenvalues_free(e, NULL);
}

/* A value 0 is finite: a total that stays what it is. */
static void zero_is_finite(void **state)
{
    (void)state;
    const double m[] = {1, 0, 0, 1}, b[] = {1, -2, -1, 2};
    dae_eigenvalues *e = eigenvalues(2, m, b);
    check_counts(e, 2, 0, 0);
    check_value(e, 0, 0, 0, 1e-15);
    check_value(e, 1, -3, 0, 1e-14);
    dae_eigenvalues_free(e, NULL);
}

static void nothing_but_equations(void **state)
{
    (void)state;
    const double m[] = {0, 0, 0, 0}, b[] = {1, 2, 3, 4};
    dae_eigenvalues *e = eigenvalues(2, m, b);
    check_counts(e, 0, 2, 1);
    dae_eigenvalues_free(e, NULL);
}

/* x' + z = 0, y = 0, x' + z + y = 0: the third follows from the others, and x or z
 * is open. */
static void singular_ones_are_named(void **state)
{
    (void)state;
    const double m[] = {1, 0, 0, 0, 0, 0, 1, 0, 0};
    const double b[] = {0, 0, 1, 0, 1, 0, 0, 1, 1};
    pair p = {3, m, b};
    const dae_problem problem = problem_of(&p);
    const double zero[3] = {0};
    dae_eigenvalues *e;
    dae_diagnostics *ds = NULL;
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    CHECK_STATUS(dae_eigenvalues_create(
                     &problem, 2.5, zero, zero, NULL, NULL, NULL, ds, &e),
        DAE_NUMERIC);
    assert_null(e);
    CHECK_DIAG(ds, "E0511", 0, 0);
    assert_string_equal(dae_diagnostics_at(ds, 0)->message,
        "the linearised equations are singular at t = 2.5; dependent: "
        "`equation 1`, `equation 2`, `equation 3`; left open: `x[1]`, `x[3]`");
    dae_diagnostics_free(ds);
}

/* y'' = -9 y - 0.2 y' as one unknown of second order, without a Jacobian:
 * s^2 + 0.2 s + 9 = 0. The pattern is dense: y, y'; y''. */
static dae_status swing(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    res[0] = xp[0] + 9 * x[0] + 0.2 * x[1];
    return DAE_OK;
}

static void second_order_by_differences(void **state)
{
    (void)state;
    const uint8_t order[] = {2};
    const dae_problem problem = {
        .unknown_count = 1, .order = order, .residual = swing};
    const double x[] = {1, 0.5}, xp[] = {-9.1};
    dae_eigenvalues *e;
    CHECK_STATUS(
        dae_eigenvalues_create(&problem, 0, x, xp, NULL, NULL, NULL, NULL, &e),
        DAE_OK);
    check_counts(e, 2, 0, 0);
    check_value(e, 0, -0.1, sqrt(8.99), 1e-6);
    dae_eigenvalues_free(e, NULL);
}

static void too_many_are_refused(void **state)
{
    (void)state;
    pair p = {DAE_EIGENVALUES_LIMIT + 1, NULL, NULL};
    const dae_problem problem = problem_of(&p);
    const double none = 0;
    dae_eigenvalues *e;
    dae_diagnostics *ds = NULL;
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    CHECK_STATUS(dae_eigenvalues_create(
                     &problem, 0, &none, &none, NULL, NULL, NULL, ds, &e),
        DAE_LIMIT);
    CHECK_DIAG(ds, "E0004", 0, 0);
    assert_non_null(
        strstr(dae_diagnostics_at(ds, 0)->message, "2001 unknowns"));
    dae_diagnostics_free(ds);
}

static dae_status no_value(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t, (void)x, (void)xp;
    res[0] = (double)NAN;
    return DAE_RETRY;
}

static int always(void *context)
{
    (void)context;
    return 1;
}

static void values_that_are_none_and_interrupts(void **state)
{
    (void)state;
    const dae_problem problem = {.unknown_count = 1, .residual = no_value};
    const double zero = 0, one = 1;
    dae_eigenvalues *e;
    dae_diagnostics *ds = NULL;
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    CHECK_STATUS(dae_eigenvalues_create(
                     &problem, 0, &zero, &zero, NULL, NULL, NULL, ds, &e),
        DAE_NUMERIC);
    CHECK_DIAG(ds, "E0503", 0, 0);
    dae_diagnostics_free(ds);
    pair p = {1, &one, &one};
    const dae_problem decay = problem_of(&p);
    CHECK_STATUS(dae_eigenvalues_create(
                     &decay, 0, &zero, &zero, always, NULL, NULL, NULL, &e),
        DAE_INTERRUPTED);
    CHECK_STATUS(dae_eigenvalues_create(
                     NULL, 0, &zero, &zero, NULL, NULL, NULL, NULL, &e),
        DAE_ARGUMENT);
}

static void memory_that_fails(void **state)
{
    (void)state;
    const double m[] = {1, 0, 0, 0}, b[] = {3, -1, 1, -2}, zero[2] = {0};
    pair p = {2, m, b};
    const dae_problem problem = problem_of(&p);
    faulty_memory memory;
    memory_init(&memory);
    for (size_t n = 0;; n++) {
        dae_eigenvalues *e;
        memory_arm(&memory, MEMORY_FAILS_ON, n);
        const dae_status st = dae_eigenvalues_create(
            &problem, 0, zero, zero, NULL, NULL, &memory.allocator, NULL, &e);
        const int is_met = memory.failures > 0;
        memory_heal(&memory);
        CHECK_STATUS(st, is_met ? DAE_MEMORY : DAE_OK);
        dae_eigenvalues_free(e, &memory.allocator);
        assert_int_equal(memory.blocks, 0);
        assert_int_equal(memory.mistold, 0);
        if (!is_met) break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(harmonic_oscillator),
        cmocka_unit_test(heat_equation),
        cmocka_unit_test(index_1),
        cmocka_unit_test(index_2),
        cmocka_unit_test(index_3),
        cmocka_unit_test(long_chains_in_disguise),
        cmocka_unit_test(defective),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(zero_is_finite),
        cmocka_unit_test(nothing_but_equations),
        cmocka_unit_test(singular_ones_are_named),
        cmocka_unit_test(second_order_by_differences),
        cmocka_unit_test(too_many_are_refused),
        cmocka_unit_test(values_that_are_none_and_interrupts),
        cmocka_unit_test(memory_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
