/* Starts of large systems: the work grows with the size. The heat equation
 * on a square grid whose boundary values are algebraic unknowns. */
#include "check.h"
#include "start_reported.h"

typedef struct grid {
    size_t side;
    int64_t *column_start;
    int32_t *row;
} grid;

static bool is_wall(const grid *g, size_t k)
{
    const size_t i = k / g->side, j = k % g->side;
    return i == 0 || j == 0 || i + 1 == g->side || j + 1 == g->side;
}

/* A parabola, whose Laplacian is 2 everywhere. */
static double profile(const grid *g, size_t k)
{
    const double i = (double)(k / g->side) / (double)(g->side - 1);
    return 1 + i * i;
}

/* Inside: T' = (sum of neighbours - 4 T) / h^2; walls: T is the profile. */
static dae_status residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const grid *g = self;
    const size_t n = g->side;
    const double f = (double)(n - 1) * (double)(n - 1);
    (void)t;
    for (size_t k = 0; k < n * n; k++) {
        if (is_wall(g, k)) res[k] = x[k] - profile(g, k);
        else
            res[k] = xp[k]
                - f * (x[k - n] + x[k - 1] + x[k + 1] + x[k + n] - 4 * x[k]);
    }
    return DAE_OK;
}

static dae_status jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    const grid *g = self;
    const size_t n = g->side;
    const double f = (double)(n - 1) * (double)(n - 1);
    (void)scope;
    (void)t;
    (void)x;
    (void)xp;
    for (size_t k = 0; k < n * n; k++)
        for (int64_t p = g->column_start[k]; p < g->column_start[k + 1]; p++) {
            const size_t i = (size_t)g->row[p];
            values[p] = is_wall(g, i) ? 1 : i == k ? 4 * f : -f;
        }
    for (int64_t p = g->column_start[n * n]; p < g->column_start[2 * n * n];
         p++)
        values[p] = 1;
    return DAE_OK;
}

static void make_pattern(grid *g)
{
    const size_t n = g->side, size = n * n;
    int64_t at = 0;
    g->column_start = calloc(2 * size + 1, sizeof *g->column_start);
    g->row = calloc(6 * size, sizeof *g->row);
    for (size_t k = 0; k < size; k++) {
        /* rows that read T[k]: itself and neighbours inside */
        const size_t near[] = {k - n, k - 1, k, k + 1, k + n};
        for (int q = 0; q < 5; q++) {
            if (near[q] >= size) continue;
            if (q != 2 && is_wall(g, near[q])) continue;
            g->row[at++] = (int32_t)near[q];
        }
        g->column_start[k + 1] = at;
    }
    for (size_t k = 0; k < size; k++) {
        if (!is_wall(g, k)) g->row[at++] = (int32_t)k;
        g->column_start[size + k + 1] = at;
    }
}

static void check_size(size_t side, bool has_jacobian)
{
    grid g = {.side = side};
    const size_t size = side * side;
    dae_diagnostics *ds;
    layout l;
    dae_start_report report;
    dae_stats stats = {0};
    make_pattern(&g);
    uint8_t *order = calloc(size, 1), *x_fixed = calloc(size, 1);
    uint8_t *xp_fixed = calloc(size, 1);
    double *x = calloc(size, sizeof *x), *xp = calloc(size, sizeof *xp);
    double *atol = calloc(size, sizeof *atol);
    for (size_t k = 0; k < size; k++) {
        order[k] = x_fixed[k] = !is_wall(&g, k);
        x[k] = x_fixed[k] ? profile(&g, k) : 0;
        atol[k] = 1e-6;
    }
    const dae_pattern pattern = {g.column_start, g.row, NULL};
    const dae_problem problem = {.self = &g,
        .unknown_count = size,
        .order = order,
        .residual = residual,
        .jacobian = has_jacobian ? jacobian : NULL,
        .pattern = &pattern};
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    CHECK_STATUS(layout_init(&l, &problem, NULL), DAE_OK);
    const init_request r = {.problem = &problem,
        .layout = &l,
        .rtol = 1e-8,
        .atol = atol,
        .x_fixed = x_fixed,
        .xp_fixed = xp_fixed};
    init_findings found = {.z = NULL};
    CHECK_STATUS(start_reported(r, &found, x, xp, &report, &stats, ds), DAE_OK);
    init_findings_clear(&found);
    for (size_t k = 0; k < size; k++) {
        CHECK_NEAR(x[k], profile(&g, k), 1e-12);
        CHECK_NEAR(xp[k], x_fixed[k] ? 2 : 0, 1e-14 * (double)size + 1e-8);
    }
    assert_int_equal(report.degrees_missing, 0);
    assert_int_equal(report.redundant, 0);
    assert_true(report.iterations <= 4);
    assert_true(stats.factorizations <= 4);
    dae_diagnostics_free(ds);
    layout_clear(&l);
    free(g.column_start);
    free(g.row);
    free(order);
    free(x_fixed);
    free(xp_fixed);
    free(x);
    free(xp);
    free(atol);
}

static void test_small(void **state)
{
    (void)state;
    check_size(5, true);
    check_size(12, false);
}

/* Linear in the size, so a million unknowns are no adventure; the time is
 * printed by the runner and not judged. */
static void test_million(void **state)
{
    (void)state;
    check_size(1000, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_million),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
