/* Sets that contradict themselves where the search stops short, by hand: a rope
 * whose search stalls where it hangs sideways, one that holds although a
 * search stalls, and what is needless in a set. */
#include "check.h"
#include "faulty_memory.h"
#include "start_reported.h"

enum { MOST = 5 };

typedef struct fixture {
    dae_problem problem;
    dae_start start;
    size_t rows;
    uint8_t order[MOST], x_fixed[MOST], xp_fixed[MOST];
    double x[MOST], xp[MOST], atol[MOST];
    bool is_brief;
    dae_diagnostics *ds;
    const dae_allocator *allocator;
    init_findings found;
} fixture;

/* `rows` equations for `n` algebraic unknowns. */
static void fixture_init(
    fixture *f, size_t rows, size_t n, dae_residual_fn *residual)
{
    memset(f, 0, sizeof *f);
    f->rows = rows;
    f->problem.unknown_count = n;
    f->problem.order = f->order;
    f->problem.residual = residual;
    f->problem.start = &f->start;
    for (size_t k = 0; k < MOST; k++) f->atol[k] = 1e-9;
    CHECK_STATUS(dae_diagnostics_create(NULL, &f->ds), DAE_OK);
}

static void fixture_clear(fixture *f)
{
    init_findings_clear(&f->found);
    dae_diagnostics_free(f->ds);
}

static void give(fixture *f, size_t k, double value)
{
    f->x[k] = value;
    f->x_fixed[k] = 1;
}

static dae_status fixture_run(fixture *f)
{
    layout l;
    dae_stats stats = {0};
    dae_status st = layout_init(&l, &f->problem, f->allocator);
    if (st) return st;
    const init_request r = {.problem = &f->problem,
        .layout = &l,
        .rtol = 1e-6,
        .atol = f->atol,
        .x_fixed = f->x_fixed,
        .xp_fixed = f->xp_fixed,
        .equation_count = f->rows,
        .is_brief = f->is_brief,
        .is_thorough = true,
        .allocator = f->allocator};
    st = start_reported(r, &f->found, f->x, f->xp, NULL, &stats, f->ds);
    layout_clear(&l);
    return st;
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

/* z, x, x', z', and w, which has nothing to do with them */
RESIDUAL(rope, res[0] = x[1] * x[1] + x[0] * x[0] - 9;
         res[1] = x[1] * x[2] + x[0] * x[3]; res[2] = x[4] - x[2])
/* x y = 6 and x^2 + y = 7: (1, 6), (2, 3) and (-3, -2) */
RESIDUAL(curves, res[0] = x[0] * x[1] - 6; res[1] = x[0] * x[0] + x[1] - 7)
/* x y = 1 and x^2 = z */
RESIDUAL(reciprocal, res[0] = x[0] * x[1] - 1; res[1] = x[0] * x[0] - x[2])
RESIDUAL(small, res[0] = x[0] * x[1] - 1; res[1] = 3 * x[0] - x[2])
/* x^2 + y^2 = 4 and z^2 = x + 4 */
RESIDUAL(fold, res[0] = x[0] * x[0] + x[1] * x[1] - 4;
         res[1] = x[2] * x[2] - x[0] - 4)
RESIDUAL(product, res[0] = x[0] * x[1] * x[2] - 1)

/* "e0 e1 x2": in the order of the findings. */
static void check_conflict(const fixture *f, const char *expected)
{
    char told[80] = "";
    for (size_t k = 0; k < f->found.conflict_count; k++) {
        const init_party *p = &f->found.conflicts[k];
        snprintf(told + strlen(told), sizeof told - strlen(told), "%s%c%zu",
            k ? " " : "", p->kind == INIT_EQUATION ? 'e' : 'x', p->index);
    }
    assert_string_equal(told, expected);
}

static void hang(fixture *f, double from)
{
    fixture_init(f, 3, 5, rope);
    f->x[0] = from;
    give(f, 1, 0.3);
    give(f, 2, 0);
    give(f, 3, 1);
}

/* x x' + z z' = z: 0 asks for z = 0, where the rope has another length. From
 * z = 0 the rope alone seems to be wrong. */
static void test_rope(void **state)
{
    (void)state;
    static const double from[] = {3, 0, -2, 50};
    for (size_t k = 0; k < 4; k++) {
        fixture f;
        hang(&f, from[k]);
        CHECK_STATUS(fixture_run(&f), DAE_INCONSISTENT);
        assert_int_equal(f.found.outcome, INIT_CONTRADICTORY);
        check_conflict(&f, "e0 e1 x1 x2 x3");
        fixture_clear(&f);
    }
}

static void test_holds(void **state)
{
    (void)state;
    static const double from[][2] = {{1.4, 1}, {0, 0}, {-0.3, 20}, {-40, 0}};
    for (size_t k = 0; k < 4; k++) {
        fixture f;
        fixture_init(&f, 2, 2, curves);
        f.x[0] = from[k][0];
        f.x[1] = from[k][1];
        CHECK_STATUS(fixture_run(&f), DAE_OK);
        const double x = f.x[0];
        CHECK_NEAR((x - 1) * (x - 2) * (x + 3), 0, 1e-5);
        CHECK_NEAR(x * f.x[1], 6, 1e-5);
        fixture_clear(&f);
    }
}

/* 0 times anything is not 1. */
static void test_needless(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 1, 3, product);
    give(&f, 0, 2);
    give(&f, 1, 0);
    give(&f, 2, 3);
    CHECK_STATUS(fixture_run(&f), DAE_INCONSISTENT);
    check_conflict(&f, "e0 x1");
    fixture_clear(&f);
}

/* x = 0 lets y grow without end; within tolerance all the equations hold. */
static void test_beyond_bounds(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 2, 3, reciprocal);
    f.x[0] = f.x[1] = 1;
    give(&f, 2, 0);
    CHECK_STATUS(fixture_run(&f), DAE_INCONSISTENT);
    check_conflict(&f, "e0 e1 x2");
    fixture_clear(&f);
}

/* As large, but there. */
static void test_large(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 2, 3, small);
    f.x[0] = f.x[1] = 1;
    give(&f, 2, 3e-10);
    CHECK_STATUS(fixture_run(&f), DAE_OK);
    CHECK_NEAR(f.x[1] / 1e10, 1, 1e-6);
    fixture_clear(&f);
}

/* At z = 0 no row feels z, which is to blame all the same. */
static void test_fold(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 2, 3, fold);
    f.x[0] = f.x[1] = 1;
    give(&f, 2, 0);
    CHECK_STATUS(fixture_run(&f), DAE_INCONSISTENT);
    check_conflict(&f, "e0 e1 x2");
    fixture_clear(&f);
}

static void test_brief(void **state)
{
    (void)state;
    fixture f;
    hang(&f, 3);
    f.is_brief = true;
    assert_true(fixture_run(&f) != DAE_OK);
    assert_int_equal(f.found.conflict_count, 0);
    assert_int_equal(dae_diagnostics_count(f.ds), 0);
    fixture_clear(&f);
}

static void test_memory(void **state)
{
    (void)state;
    faulty_memory m;
    memory_init(&m);
    size_t failures = 1;
    for (size_t fail = 0; failures > 0; fail++) {
        fixture f;
        hang(&f, 0);
        f.allocator = &m.allocator;
        memory_arm(&m, MEMORY_FAILS_ONCE, fail);
        const dae_status st = fixture_run(&f);
        failures = m.failures;
        memory_heal(&m);
        if (failures == 0) CHECK_STATUS(st, DAE_INCONSISTENT);
        if (failures == 0) check_conflict(&f, "e0 e1 x1 x2 x3");
        init_findings_clear(&f.found);
        assert_int_equal(m.blocks, 0);
        assert_int_equal(m.mistold, 0);
        fixture_clear(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rope),
        cmocka_unit_test(test_holds),
        cmocka_unit_test(test_needless),
        cmocka_unit_test(test_beyond_bounds),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_fold),
        cmocka_unit_test(test_brief),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
