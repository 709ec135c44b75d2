/* Starts from flat pieces and from where there is no value: a diode's current
 * far below its knee, a root of an unknown at 0; and no statement that nothing
 * satisfies an equation where that is not shown. */
#include "check.h"
#include "faulty_memory.h"
#include "start_reported.h"

enum { MOST = 4 };

typedef struct fixture {
    dae_problem problem;
    dae_start start;
    dae_scales scales;
    dae_pattern pattern;
    int64_t column_start[2 * MOST + 1];
    int32_t row[MOST * MOST];
    uint8_t order[MOST], x_fixed[MOST], xp_fixed[MOST];
    double x[MOST], xp[MOST], atol[MOST], low[MOST], high[MOST];
    bool has_findings;
    dae_diagnostics *ds;
    const dae_allocator *allocator;
} fixture;

/* `n` algebraic unknowns; `pattern`: of each column the rows, -1 after each. A
 * problem without one (NULL) shows what it depends on near the guesses alone. */
static void fixture_init(
    fixture *f, size_t n, dae_residual_fn *residual, const int *pattern)
{
    memset(f, 0, sizeof *f);
    f->problem.unknown_count = n;
    f->problem.order = f->order;
    f->problem.residual = residual;
    f->problem.start = &f->start;
    f->problem.scales = &f->scales;
    f->scales.minimum = f->low;
    f->scales.maximum = f->high;
    f->has_findings = true;
    int64_t at = 0;
    for (size_t j = 0; pattern && j < n; j++) {
        for (; *pattern >= 0; pattern++) f->row[at++] = *pattern;
        pattern++;
        f->column_start[j + 1] = at;
    }
    for (size_t j = n; j < 2 * n; j++) f->column_start[j + 1] = at;
    f->pattern = (dae_pattern){.column_start = f->column_start, .row = f->row};
    if (pattern) f->problem.pattern = &f->pattern;
    for (size_t k = 0; k < MOST; k++) {
        f->atol[k] = 1e-9;
        f->low[k] = f->high[k] = (double)NAN;
    }
    CHECK_STATUS(dae_diagnostics_create(NULL, &f->ds), DAE_OK);
}

static void fixture_clear(fixture *f)
{
    dae_diagnostics_free(f->ds);
}

static dae_status fixture_run(fixture *f)
{
    layout l;
    init_findings found = {.z = NULL};
    dae_start_report report;
    dae_stats stats = {0};
    dae_status st = layout_init(&l, &f->problem, f->allocator);
    if (st) return st;
    const init_request r = {.problem = &f->problem,
        .layout = &l,
        .rtol = 1e-6,
        .atol = f->atol,
        .x_fixed = f->x_fixed,
        .xp_fixed = f->xp_fixed,
        .is_thorough = f->has_findings,
        .allocator = f->allocator};
    st = start_reported(r, &found, f->x, f->xp, &report, &stats, f->ds);
    init_findings_clear(&found);
    layout_clear(&l);
    return st;
}

static bool says(const fixture *f, const char *code, const char *words)
{
    for (size_t i = 0; i < dae_diagnostics_count(f->ds); i++) {
        const dae_diagnostic *d = dae_diagnostics_at(f->ds, i);
        if (strcmp(d->code, code) == 0 && strstr(d->message, words))
            return true;
    }
    return false;
}

#define RESIDUAL(name, ...)                                                    \
    static dae_status name(                                                    \
        void *self, double t, const double *x, const double *xp, double *res)  \
    {                                                                          \
        (void)self;                                                            \
        (void)t;                                                               \
        (void)xp;                                                              \
        __VA_ARGS__;                                                           \
        return DAE_OK;                                                         \
    }

RESIDUAL(diode, res[0] = 1e-12 * expm1(x[0] / 0.025) - x[1];
         res[1] = x[1] - 1e-3)
RESIDUAL(hump, res[0] = x[0] * exp(-x[0]) - 0.2)
RESIDUAL(plateau, res[0] = tanh(2 * x[0]) - 0.3)
RESIDUAL(beyond, res[0] = tanh(2 * x[0]) - 3)
RESIDUAL(pole, res[0] = 1 / (x[0] - 3))
RESIDUAL(jump, res[0] = x[0] < 20 ? -1 : 1)
RESIDUAL(touching, res[0] = 1 - 1 / cosh(x[0] - 2) + 1e-3)
RESIDUAL(angle, res[0] = cos(x[0]) - 0.5)
RESIDUAL(valve, res[0] = x[0] - 2 * sqrt(x[1]); res[1] = x[1] - 9.81 * x[2];
         res[2] = x[2] - 1)
RESIDUAL(deep, res[0] = x[0] - sqrt(x[1] - 5); res[1] = x[1] - 9)
RESIDUAL(nested, res[0] = x[0] - log(x[1]); res[1] = x[1] * x[1] - 16)
RESIDUAL(outside, res[0] = x[0] - sqrt(x[1] - 0.5); res[1] = x[1] + 1)

static const int single[] = {0, -1};

/* v = 0.025 ln(1e9 + 1), from currents that are far too small or too large. */
static void test_diode(void **state)
{
    (void)state;
    static const int pattern[] = {0, -1, 0, 1, -1};
    static const double guess[] = {0, 0.3, 0.6};
    for (size_t k = 0; k < 3; k++) {
        fixture f;
        fixture_init(&f, 2, diode, pattern);
        f.x[0] = guess[k];
        CHECK_STATUS(fixture_run(&f), DAE_OK);
        CHECK_NEAR(f.x[0], 0.51808164594866, 1e-9);
        fixture_clear(&f);
    }
}

/* Of 0.2592 and 2.5426 that which is nearer. */
static void test_hump(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 1, hump, single);
    f.x[0] = 50;
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    CHECK_NEAR(f.x[0], 2.54264135777353, 1e-9);
    fixture_clear(&f);
    fixture_init(&f, 1, hump, single);
    f.x[0] = 50;
    f.high[0] = 60;
    f.low[0] = 3; /* and none at all above 3 */
    CHECK_STATUS(fixture_run(&f), DAE_NUMERIC);
    assert_true(says(&f, "E0402", "is at least 3"));
    fixture_clear(&f);
}

static void test_plateau(void **state)
{
    (void)state;
    static const double guess[] = {10, -10, 1000};
    for (size_t k = 0; k < 3; k++) {
        fixture f;
        fixture_init(&f, 1, plateau, single);
        f.x[0] = guess[k];
        CHECK_STATUS(fixture_run(&f), DAE_OK);
        CHECK_NEAR(f.x[0], 0.15475980210155588, 1e-9);
        fixture_clear(&f);
    }
}

/* A change of sign is no root at a pole and a jump; what is smaller and
 * smaller without end proves nothing, and a minimum of one bump does not. */
static void test_no_root(void **state)
{
    (void)state;
    dae_residual_fn *const residual[] = {beyond, pole, jump, touching};
    for (size_t k = 0; k < 8; k++) {
        fixture f;
        fixture_init(&f, 1, residual[k / 2], single);
        f.has_findings = k % 2;
        CHECK_STATUS(fixture_run(&f), DAE_NUMERIC);
        assert_true(dae_diagnostics_count(f.ds) > 0);
        assert_false(says(&f, "E0401", ""));
        fixture_clear(&f);
    }
}

static void test_nearest_angle(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        fixture f;
        fixture_init(&f, 1, angle, NULL);
        f.has_findings = k;
        CHECK_STATUS(fixture_run(&f), DAE_OK);
        CHECK_NEAR(f.x[0], 1.0471975511965976, 1e-9);
        fixture_clear(&f);
    }
}

static void test_no_value_at_zero(void **state)
{
    (void)state;
    static const int chain[] = {0, -1, 0, 1, -1, 1, 2, -1},
                     pair[] = {0, -1, 0, 1, -1};
    fixture f;
    for (int k = 0; k < 2; k++) { /* without a pattern: 1 in place of 0 */
        fixture_init(&f, 3, valve, k ? chain : NULL);
        CHECK_STATUS(fixture_run(&f), DAE_OK);
        CHECK_NEAR(f.x[1], 9.81, 1e-9);
        CHECK_NEAR(f.x[0], 6.264183905346329, 1e-9);
        fixture_clear(&f);
    }
    fixture_init(&f, 2, deep, pair); /* 1 has none, 9 has */
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    CHECK_NEAR(f.x[0], 2, 1e-9);
    fixture_clear(&f);
    fixture_init(&f, 2, nested, pair); /* 4 and -4: 4 */
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    CHECK_NEAR(f.x[0], 1.3862943611198906, 1e-9);
    fixture_clear(&f);
    fixture_init(&f, 2, outside, pair); /* sqrt(-1.5) */
    CHECK_STATUS(fixture_run(&f), DAE_NUMERIC);
    assert_true(says(&f, "E0403", "`equation 1` has no value"));
    CHECK_NEAR(f.x[0], 0, 0);
    CHECK_NEAR(f.x[1], 0, 0);
    fixture_clear(&f);
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    static const int pair[] = {0, -1, 0, 1, -1};
    dae_residual_fn *const residual[] = {diode, deep, outside};
    for (size_t k = 0; k < 3; k++) {
        const dae_status expected = k < 2 ? DAE_OK : DAE_NUMERIC;
        for (size_t fail = 0, failures = 1; failures > 0; fail++) {
            faulty_memory m;
            fixture f;
            memory_init(&m);
            fixture_init(&f, 2, residual[k], pair);
            f.x[0] = k ? 0 : -3;
            f.allocator = &m.allocator;
            memory_arm(&m, MEMORY_FAILS_ONCE, fail);
            const dae_status st = fixture_run(&f);
            failures = m.failures;
            memory_heal(&m);
            assert_int_equal(m.blocks, 0);
            assert_int_equal(m.mistold, 0);
            if (failures == 0 || st != DAE_MEMORY) CHECK_STATUS(st, expected);
            fixture_clear(&f);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diode),
        cmocka_unit_test(test_hump),
        cmocka_unit_test(test_plateau),
        cmocka_unit_test(test_no_root),
        cmocka_unit_test(test_nearest_angle),
        cmocka_unit_test(test_no_value_at_zero),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
