/* Coefficients beside others of their equation and of their unknown: what is
 * slight, and what is only measured in other units. */
#include "analysis/slight.h"
#include "support/check.h"
#include "support/faulty_memory.h"

/* Two equations in u of order 2 and v of order 1: x = (u, u', v), xp = (u'', v').
 * Columns: u, u', v, u'', v'. */
enum { COLUMNS = 5, ENTRIES = 10 };
static const int64_t full_start[] = {0, 2, 4, 6, 8, 10};
static const int32_t full_row[] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
static const dae_pattern full = {full_start, full_row, NULL};
static const uint8_t order[] = {2, 1};

typedef struct table {
    double entry[ENTRIES]; /* by columns */
    dae_status status;
} table;

static dae_status jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    const table *m = self;
    (void)scope, (void)t, (void)x, (void)xp;
    memcpy(values, m->entry, sizeof m->entry);
    return m->status;
}

static dae_problem problem_of(table *m)
{
    return (dae_problem){.self = m,
        .unknown_count = 2,
        .order = order,
        .jacobian = jacobian,
        .pattern = &full};
}

static bool ask(table *m)
{
    const double x[3] = {0}, xp[2] = {0};
    const dae_problem p = problem_of(m);
    bool is_found = true;
    CHECK_STATUS(slight_find(&p, 0, x, xp, NULL, NULL, &is_found), DAE_OK);
    return is_found;
}

static void beside_row_and_unknown(void **state)
{
    (void)state;
    /* 1e-12 u'' + u = v, u' = v: beside u of both */
    table mass = {{1, 0, 0, 1, -1, -1, 1e-12, 0, 0, 0}, DAE_OK};
    assert_true(ask(&mass));
    mass.entry[6] = 1e-9;
    assert_false(ask(&mass));
    mass.entry[6] = 0; /* none at all */
    assert_false(ask(&mass));
}

static void units_are_no_size(void **state)
{
    (void)state;
    /* all of the row as small */
    table row = {{1e-12, 1, 0, 0, 2e-12, 1, 3e-12, 0, 0, 1}, DAE_OK};
    assert_false(ask(&row));
    /* all of the unknown, in derivatives of any order */
    table unknown = {{1e-12, 0, 0, 2e-12, 1, 1, 1e-12, 0, 0, 1}, DAE_OK};
    assert_false(ask(&unknown));
    /* the largest of the unknown stands in a later column than the entry */
    table later = {{1e-12, 0, 0, 0, 1, 0, 0, 1, 0, 1}, DAE_OK};
    assert_true(ask(&later));
}

/* Rows and unknowns in units that are far apart: all are 1 in others. Expected by
 * hand: with rows times 1e-9 and 1, unknowns times 1e-9 and 1e9 nothing is
 * slight, though 1e-18 stands beside 1 and 1e-9. */
static void units_of_both(void **state)
{
    (void)state;
    table all = {{1e-18, 1e-9, 0, 0, 1, 1e9, 1e-18, 0, 0, 1e9}, DAE_OK};
    assert_false(ask(&all));
    all.entry[5] = 1e-6; /* 1e-15 of the others */
    assert_true(ask(&all));
}

/* What is known to be what rounding has left is no entry. */
static void errors_are_none(void **state)
{
    (void)state;
    table mass = {{1, 0, 0, 1, -1, -1, 1e-12, 0, 0, 0}, DAE_OK};
    const uint8_t is_error[ENTRIES] = {[6] = 1};
    const double x[3] = {0}, xp[2] = {0};
    const dae_problem p = problem_of(&mass);
    bool is_found = true;
    CHECK_STATUS(slight_find(&p, 0, x, xp, is_error, NULL, &is_found), DAE_OK);
    assert_false(is_found);
}

static void where_nothing_can_be_asked(void **state)
{
    (void)state;
    table mass = {{1, 0, 0, 1, -1, -1, 1e-12, 0, 0, 0}, DAE_RETRY};
    assert_false(ask(&mass)); /* no values */
    mass.status = DAE_LIMIT;
    assert_true(ask(&mass)); /* too much: nothing is known to be sound */
    mass.status = DAE_INTERRUPTED;
    const double x[3] = {0}, xp[2] = {0};
    dae_problem p = problem_of(&mass);
    bool is_found = true;
    CHECK_STATUS(
        slight_find(&p, 0, x, xp, NULL, NULL, &is_found), DAE_INTERRUPTED);
    p.jacobian = NULL;
    is_found = true;
    CHECK_STATUS(slight_find(&p, 0, x, xp, NULL, NULL, &is_found), DAE_OK);
    assert_false(is_found);
    p = problem_of(&mass);
    p.pattern = NULL;
    CHECK_STATUS(slight_find(&p, 0, x, xp, NULL, NULL, &is_found), DAE_OK);
    assert_false(is_found);
}

static void memory_may_fail(void **state)
{
    (void)state;
    table mass = {{1, 0, 0, 1, -1, -1, 1e-12, 0, 0, 0}, DAE_OK};
    const dae_problem p = problem_of(&mass);
    const double x[3] = {0}, xp[2] = {0};
    faulty_memory m;
    memory_init(&m);
    dae_status st = DAE_MEMORY;
    size_t n = 0;
    for (; st == DAE_MEMORY; n++) {
        bool is_found = false;
        memory_arm(&m, MEMORY_FAILS_ON, n);
        st = slight_find(&p, 0, x, xp, NULL, &m.allocator, &is_found);
        assert_int_equal(is_found, st == DAE_OK);
        assert_int_equal(m.blocks, 0);
        assert_int_equal(m.mistold, 0);
    }
    CHECK_STATUS(st, DAE_OK);
    assert_true(n > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beside_row_and_unknown),
        cmocka_unit_test(units_are_no_size),
        cmocka_unit_test(units_of_both),
        cmocka_unit_test(errors_are_none),
        cmocka_unit_test(where_nothing_can_be_asked),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
