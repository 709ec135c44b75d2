/* Which entries count: honest zeros, parameters however small. */
#include "index/signature.h"

#include "check.h"
#include "faulty_memory.h"
#include "pendulum.h"

enum { NONE = -1 };

/* The order of unknown j in equation i. */
static int order_in(const signature *g, int32_t i, size_t j)
{
    int found = NONE;
    for (int64_t p = g->column_start[j]; p < g->column_start[j + 1]; p++) {
        if (g->row[p] != i) continue;
        assert_int_equal(found, NONE); /* once */
        found = g->order[p];
    }
    return found;
}

static signature *make(const dae_problem *p)
{
    layout l;
    signature *g;
    CHECK_STATUS(layout_init(&l, p, NULL), DAE_OK);
    CHECK_STATUS(signature_create(p, &l, NULL, &g), DAE_OK);
    layout_clear(&l);
    assert_int_equal(g->table.columns, p->unknown_count);
    assert_int_equal(g->table.rows, p->unknown_count);
    assert_ptr_equal(g->table.order, g->order);
    return g;
}

/* ---- the pendulum, with a pattern ---------------------------------------------------- */

/* At rest in the middle: half of the entries are 0 there. */
static const double rest_x[] = {0, 0, -1, 0, 0}, rest_xp[] = {0, 0, 0};
static const dae_start rest = {.x = rest_x, .xp = rest_xp};

static dae_problem pendulum_of(double *mass)
{
    return (dae_problem){.self = mass,
        .unknown_count = 3,
        .order = pendulum_order,
        .residual = pendulum,
        .jacobian = pendulum_jacobian,
        .pattern = &pendulum_pattern,
        .start = &rest};
}

static void test_pendulum(void **state)
{
    (void)state;
    static const int known[3][3] = {{2, NONE, 0}, {NONE, 2, 0}, {0, 0, NONE}};
    double mass = 1;
    dae_problem p = pendulum_of(&mass);
    for (int k = 0; k < 3; k++) {
        if (k == 1) p.jacobian = NULL;
        if (k == 2) p.pattern = NULL;
        signature *g = make(&p);
        assert_true(g->is_sampled);
        for (int32_t i = 0; i < 3; i++)
            for (size_t j = 0; j < 3; j++)
                assert_int_equal(order_in(g, i, j), known[i][j]);
        assert_int_equal(g->zero_count, 0);
        signature_free(g);
    }
}

/* Where an entry of the table stands in the pattern. */
static void test_entries(void **state)
{
    (void)state;
    double mass = 1;
    const dae_problem p = pendulum_of(&mass);
    signature *g = make(&p);
    assert_int_equal(g->entries, 6);
    for (size_t j = 0; j < 3; j++) {
        for (int64_t q = g->column_start[j]; q < g->column_start[j + 1]; q++) {
            static const size_t first[] = {0, 2, 4};
            const size_t column = g->order[q] == 2 ? 5 + j : first[j];
            assert_int_equal(g->row[q], pendulum_row[g->entry[q]]);
            assert_true(g->entry[q] >= pendulum_start[column]
                && g->entry[q] < pendulum_start[column + 1]);
        }
    }
    signature_free(g);
}

static void test_zero_by_parameter(void **state)
{
    (void)state;
    double mass = 0;
    const dae_problem p = pendulum_of(&mass);
    signature *g = make(&p);
    assert_int_equal(order_in(g, 0, 0), 0);
    assert_int_equal(order_in(g, 1, 1), 0);
    assert_int_equal(g->zero_count, 2);
    for (int32_t k = 0; k < 2; k++) {
        assert_int_equal(g->zero_row[k], k);
        assert_int_equal(g->zero_column[k], k);
        assert_int_equal(g->zero_order[k], 2);
    }
    signature_free(g);
}

/* ---- small and smaller ----------------------------------------------------------------- */

/* C v' = i, v = sin(t): first order, full patterns by columns v i v' i' */
static dae_status capacitor(
    void *self, double t, const double *x, const double *xp, double *res)
{
    res[0] = *(const double *)self * xp[0] - x[1];
    res[1] = x[0] - sin(t);
    return DAE_OK;
}

static dae_status capacitor_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *v)
{
    const double all[] = {0, 1, -1, 0, *(const double *)self, 0, 0, 0};
    (void)scope;
    (void)t;
    (void)x;
    (void)xp;
    memcpy(v, all, sizeof all);
    return DAE_OK;
}

static void test_small_parameters(void **state)
{
    (void)state;
    static const double sizes[] = {
        1, 1e-6, 1e-12, 1e-15, -2.7e-17, 1e-25, 1e-150};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        double c = sizes[k];
        const dae_problem p = {.self = &c,
            .unknown_count = 2,
            .residual = capacitor,
            .jacobian = capacitor_jacobian};
        signature *g = make(&p);
        assert_int_equal(order_in(g, 0, 0), 1);
        assert_int_equal(order_in(g, 0, 1), 0);
        assert_int_equal(order_in(g, 1, 0), 0);
        assert_int_equal(order_in(g, 1, 1), NONE);
        signature_free(g);
    }
}

/* (a + b)*x' - a*x' - b*x' + y = cos(t), y' + x = 0, with a = 0.2 and b = 0.1,
 * whose sum is not that of the decimals; or one of them far larger */
static dae_status cancelling(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const double *a = self;
    res[0] = (a[0] + a[1]) * xp[0] - a[0] * xp[0] - a[1] * xp[0] + x[1]
        - cos(t);
    res[1] = xp[1] + x[0];
    return DAE_OK;
}

static dae_status cancelling_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *v)
{
    const double *a = self;
    const double rest_of_it = (a[0] + a[1]) - a[0] - a[1];
    const double all[] = {0, 1, 1, 0, rest_of_it, 0, 0, 1};
    (void)scope;
    (void)t;
    (void)x;
    (void)xp;
    assert_true(rest_of_it != 0);
    memcpy(v, all, sizeof all);
    return DAE_OK;
}

/* (sin(x)^2 + cos(x)^2 - 1)*y' + y + z*x' = 0, x' = y, and z of 1e-13 times
 * another unknown is there */
static double one_less_one(double x)
{
    return sin(x) * sin(x) + cos(x) * cos(x) - 1;
}

static dae_status squares(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = one_less_one(x[0]) * xp[1] + x[1] + 1e-16 * x[0] * xp[0];
    res[1] = xp[0] - x[1];
    return DAE_OK;
}

static dae_status squares_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *v)
{
    (void)self;
    (void)scope;
    (void)t;
    v[0] = (2 * sin(x[0]) * cos(x[0]) - 2 * cos(x[0]) * sin(x[0])) * xp[1]
        + 1e-16 * xp[0];
    v[1] = 0;
    v[2] = 1;
    v[3] = -1;
    v[4] = 1e-16 * x[0];
    v[5] = 1;
    v[6] = one_less_one(x[0]);
    v[7] = 0;
    return DAE_OK;
}

static void test_functions_that_cancel(void **state)
{
    (void)state;
    const dae_problem p = {
        .unknown_count = 2, .residual = squares, .jacobian = squares_jacobian};
    signature *g = make(&p);
    assert_int_equal(order_in(g, 0, 0), 1); /* small, but as it says */
    assert_int_equal(order_in(g, 0, 1), 0); /* y, not y' */
    assert_int_equal(order_in(g, 1, 0), 1);
    assert_int_equal(order_in(g, 1, 1), 0);
    signature_free(g);
}

/* ---- the start ---------------------------------------------------------------------------- */

/* x' = y only where x is exactly 3, as at the start; y' + x*y' = 0, and x is
 * -1 there for another start */
static dae_status special(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    (void)t;
    res[0] = xp[0] - (x[0] == 3 ? x[1] : 0);
    res[1] = xp[1] * (1 + x[0]);
    return DAE_OK;
}

static dae_status special_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *v)
{
    (void)self;
    (void)scope;
    (void)t;
    v[0] = 0;
    v[1] = xp[1];
    v[2] = x[0] == 3 ? -1 : 0;
    v[3] = 0;
    v[4] = 1;
    v[5] = v[6] = 0;
    v[7] = 1 + x[0];
    return DAE_OK;
}

static void test_start_counts(void **state)
{
    (void)state;
    double x[] = {3, 0};
    const double xp[] = {0, 0};
    const dae_start start = {.x = x, .xp = xp};
    const dae_problem p = {.unknown_count = 2,
        .residual = special,
        .jacobian = special_jacobian,
        .start = &start};
    signature *g = make(&p);
    assert_int_equal(order_in(g, 0, 1), 0);
    assert_int_equal(order_in(g, 1, 1), 1);
    signature_free(g);
    x[0] = -1; /* where y' drops out */
    g = make(&p);
    assert_int_equal(order_in(g, 0, 1), NONE);
    assert_int_equal(order_in(g, 1, 1), 1);
    signature_free(g);
}

static dae_status refuse(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)t;
    (void)x;
    (void)xp;
    res[0] = res[1] = res[2] = (double)NAN;
    return *(const dae_status *)self;
}

static void test_no_values(void **state)
{
    (void)state;
    static const int known[3][3] = {{2, NONE, 0}, {NONE, 2, 0}, {0, 0, NONE}};
    dae_status answer = DAE_OK;
    double mass = 0;
    dae_problem p = pendulum_of(&mass);
    p.self = &answer;
    p.residual = refuse;
    signature *g = make(&p);
    assert_false(g->is_sampled);
    for (int32_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            assert_int_equal(order_in(g, i, j), known[i][j]);
    signature_free(g);
    answer = DAE_IO;
    layout l;
    CHECK_STATUS(layout_init(&l, &p, NULL), DAE_OK);
    CHECK_STATUS(signature_create(&p, &l, NULL, &g), DAE_IO);
    assert_null(g);
    layout_clear(&l);
}

/* ---- memory --------------------------------------------------------------------------------- */

static void test_memory(void **state)
{
    (void)state;
    double a[] = {0.1, 0.2};
    const dae_problem p = {.self = a,
        .unknown_count = 2,
        .residual = cancelling,
        .jacobian = cancelling_jacobian};
    for (int fault = 0; fault < 2; fault++) {
        faulty_memory m;
        layout l;
        dae_status st = DAE_MEMORY;
        memory_init(&m);
        CHECK_STATUS(layout_init(&l, &p, &m.allocator), DAE_OK);
        const size_t before = m.blocks;
        size_t k = 0;
        for (; st == DAE_MEMORY || m.failures > 0; k++) {
            signature *g;
            memory_arm(&m, (memory_fault)fault, k);
            st = signature_create(&p, &l, &m.allocator, &g);
            /* an arena that is refused a large chunk asks for a smaller one */
            assert_true(st == DAE_OK || m.failures > 0);
            signature_free(g);
            assert_int_equal(m.blocks, before);
        }
        CHECK_STATUS(st, DAE_OK);
        assert_int_equal(m.mistold, 0);
        assert_true(k > 2);
        layout_clear(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum),
        cmocka_unit_test(test_entries),
        cmocka_unit_test(test_zero_by_parameter),
        cmocka_unit_test(test_small_parameters),
        cmocka_unit_test(test_functions_that_cancel),
        cmocka_unit_test(test_start_counts),
        cmocka_unit_test(test_no_values),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
