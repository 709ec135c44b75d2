/* The numbers of radau_rules.h against what defines them: nodes, collocation, the
 * inverse, its eigenvalues, and the order of the estimate. */
#include "check.h"
#include "step/stages.h"

#include "methods/radau_rules.h"

enum { RULES = sizeof rules / sizeof *rules };
/* Numbers have 20 digits and are read as doubles. The entries of T^-1 are up to 300, those
 * of A^-1 up to 35. */
static const double few = 1e-14, some = 1e-12;

/* P_n at x of [-1, 1]. */
static long double legendre(int n, long double x)
{
    long double before = 1, now = x;
    if (n == 0) return before;
    for (int k = 1; k < n; k++) {
        const long double next = ((2 * k + 1) * x * now - k * before) / (k + 1);
        before = now, now = next;
    }
    return now;
}

static long double power(long double x, int k)
{
    long double p = 1;
    while (k-- > 0) p *= x;
    return p;
}

static void rules_have_3_5_and_7_stages(void **state)
{
    (void)state;
    assert_int_equal(RULES, 3);
    for (int k = 0; k < RULES; k++) {
        assert_int_equal(rules[k].stages, 3 + 2 * k);
        assert_true(rules[k].stages <= STAGES_MOST);
    }
}

/* By their slopes: a root that is off by d makes a value of the slope times d. */
static void nodes_are_zeros_of_legendre_polynomials(void **state)
{
    (void)state;
    for (int k = 0; k < RULES; k++) {
        const stage_rule *r = &rules[k];
        const int s = r->stages;
        for (int i = 0; i < s; i++) {
            const long double x = 2 * (long double)r->node[i] - 1, d = 1e-6L;
            const long double value = legendre(s, x) - legendre(s - 1, x);
            const long double slope = (legendre(s, x + d)
                                          - legendre(s - 1, x + d)
                                          - legendre(s, x - d)
                                          + legendre(s - 1, x - d))
                / (2 * d);
            CHECK_NEAR((double)(value / slope), 0, few);
            assert_true(i == 0 ? r->node[i] > 0 : r->node[i] > r->node[i - 1]);
        }
        assert_true(r->node[s - 1] >= 1 && r->node[s - 1] <= 1);
    }
}

/* Stages are exact for powers up to s - 1, the last one, which is the new point, for
 * those up to 2s - 2 and no further: the order is 2s - 1. */
static void stages_integrate_polynomials(void **state)
{
    (void)state;
    for (int k = 0; k < RULES; k++) {
        const stage_rule *r = &rules[k];
        const int s = r->stages;
        for (int i = 0; i < s; i++)
            for (int p = 0; p < (i == s - 1 ? 2 * s : s); p++) {
                long double sum = 0;
                for (int j = 0; j < s; j++)
                    sum += r->matrix[i * s + j] * power(r->node[j], p);
                const double off = (double)(sum
                    - power(r->node[i], p + 1) / (p + 1));
                if (p < 2 * s - 1) CHECK_NEAR(off, 0, few);
                else assert_true(fabs(off) > 1e-9);
            }
    }
}

/* out = a b, s rows and columns. */
static void multiply(int s, const double *a, const double *b, double *out)
{
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            long double sum = 0;
            for (int m = 0; m < s; m++)
                sum += (long double)a[i * s + m] * b[m * s + j];
            out[i * s + j] = (double)sum;
        }
}

static void check_identity(int s, const double *a, const double *b)
{
    double product[STAGES_MOST * STAGES_MOST];
    multiply(s, a, b, product);
    for (int i = 0; i < s * s; i++)
        CHECK_NEAR(product[i], i % (s + 1) == 0 ? 1 : 0, some);
}

static void inverses_are_inverses(void **state)
{
    (void)state;
    for (int k = 0; k < RULES; k++) {
        const stage_rule *r = &rules[k];
        check_identity(r->stages, r->matrix, r->inverse);
        check_identity(r->stages, r->from, r->to);
    }
}

/* Of the Lagrange polynomial of node k over 0 and the nodes. */
static void lagrange_factors_make_polynomials_of_one(void **state)
{
    (void)state;
    for (int k = 0; k < RULES; k++) {
        const stage_rule *r = &rules[k];
        for (int i = 0; i < r->stages; i++) {
            long double value = r->lagrange[i] * (long double)r->node[i];
            for (int m = 0; m < r->stages; m++)
                if (m != i) value *= (long double)r->node[i] - r->node[m];
            CHECK_NEAR((double)value, 1, few);
        }
    }
}

/* D: the real eigenvalue, then [re, -im; im, re] of each pair. */
static void blocks_of(const stage_rule *r, double *d)
{
    const int s = r->stages;
    memset(d, 0, (size_t)(s * s) * sizeof *d);
    d[0] = r->real;
    for (int q = 0; 2 * q + 1 < s; q++) {
        const int at = 2 * q + 1;
        d[at * s + at] = d[(at + 1) * s + at + 1] = r->re[q];
        d[at * s + at + 1] = -r->im[q];
        d[(at + 1) * s + at] = r->im[q];
    }
}

static void eigenvalues_make_the_inverse(void **state)
{
    (void)state;
    for (int k = 0; k < RULES; k++) {
        const stage_rule *r = &rules[k];
        const int s = r->stages;
        double d[STAGES_MOST * STAGES_MOST], a[STAGES_MOST * STAGES_MOST];
        double b[STAGES_MOST * STAGES_MOST];
        blocks_of(r, d);
        multiply(s, r->from, d, a);
        multiply(s, a, r->to, b);
        for (int i = 0; i < s * s; i++) CHECK_NEAR(b[i], r->inverse[i], some);
        for (int q = 0; 2 * q + 1 < s; q++)
            assert_true(r->re[q] > 0 && r->im[q] > 0);
        /* the last stage is the new point: columns have 1 there, or 1 and 0 */
        for (int j = 0; j < s; j++)
            CHECK_NEAR(r->from[(s - 1) * s + j], j == 0 || j % 2 == 1, few);
    }
}

/* slope + sum of error_k z_k/h: x = t^p from 0 with h = 1, whose stages are exact up to
 * p = s. */
static void the_estimate_is_of_order_s(void **state)
{
    (void)state;
    for (int k = 0; k < RULES; k++) {
        const stage_rule *r = &rules[k];
        for (int p = 1; p <= r->stages + 1; p++) {
            long double sum = p == 1;
            for (int j = 0; j < r->stages; j++)
                sum += r->error[j] * power(r->node[j], p);
            if (p <= r->stages) CHECK_NEAR((double)sum, 0, some);
            else assert_true(fabsl(sum) > 1e-4L);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_have_3_5_and_7_stages),
        cmocka_unit_test(nodes_are_zeros_of_legendre_polynomials),
        cmocka_unit_test(stages_integrate_polynomials),
        cmocka_unit_test(inverses_are_inverses),
        cmocka_unit_test(lagrange_factors_make_polynomials_of_one),
        cmocka_unit_test(eigenvalues_make_the_inverse),
        cmocka_unit_test(the_estimate_is_of_order_s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
