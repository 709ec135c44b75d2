/* An analysis that is stopped: at whatever question the interrupt says so, the
 * status tells, nothing is left behind, and nobody asks again. */
#include "support/check.h"
#include <dae/analysis.h>
#include <stdlib.h>

/* x' = -x, z = x + x': index 1, one degree of freedom */
static const uint8_t order[] = {1, 0};
static const int64_t column_start[] = {0, 2, 3, 5, 5};
static const int32_t row[] = {0, 1, 1, 0, 1};
static const dae_pattern pattern = {column_start, row, NULL};

static dae_status residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    res[0] = xp[0] + x[0];
    res[1] = x[1] - x[0] - xp[0];
    return DAE_OK;
}

static dae_status jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    const double v[] = {1, -1, 1, 1, -1};
    (void)self, (void)scope, (void)t, (void)x, (void)xp;
    memcpy(values, v, sizeof v);
    return DAE_OK;
}

static dae_status condition(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t, (void)xp;
    res[0] = x[0] - 3;
    return DAE_OK;
}

static dae_status condition_entries(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    (void)self, (void)scope, (void)t, (void)x, (void)xp;
    values[0] = 1;
    return DAE_OK;
}

static const double zeros[2];
static const int64_t condition_start[] = {0, 1, 1, 1, 1};
static const int32_t condition_row[] = {0};
static const dae_start start = {.x = zeros,
    .xp = zeros,
    .condition_count = 1,
    .condition_residual = condition,
    .condition_jacobian = condition_entries,
    .condition_pattern = {condition_start, condition_row, NULL}};
static const dae_problem problem = {.unknown_count = 2,
    .order = order,
    .residual = residual,
    .jacobian = jacobian,
    .pattern = &pattern,
    .start = &start};

typedef struct clerk {
    size_t asked, stop_at; /* 0: never */
    size_t live;           /* bytes */
} clerk;

static int ask(void *context)
{
    clerk *k = context;
    return ++k->asked == k->stop_at;
}

static void *resize_counted(
    void *context, void *block, size_t old_size, size_t size)
{
    clerk *k = context;
    void *to = NULL;
    if (size == 0) free(block);
    else if (!(to = realloc(block, size))) return NULL;
    k->live += size - (block ? old_size : 0);
    return to;
}

static dae_status analyse(clerk *k, dae_analysis **out)
{
    const dae_allocator counted = {resize_counted, k};
    const dae_analysis_options options = {
        .interrupt = ask, .interrupt_context = k};
    const dae_status st = dae_analyse(&problem, &options, &counted, NULL, out);
    if (!st) {
        assert_int_equal((*out)->verdict, DAE_INDEX_FOUND);
        assert_int_equal((*out)->index, 1);
        assert_int_equal((*out)->degrees_of_freedom, 1);
        assert_int_equal((*out)->start.verdict, DAE_START_CONSISTENT);
        CHECK_NEAR((*out)->start.values[0], 3, 1e-9);
        CHECK_NEAR((*out)->start.values[1], -3, 1e-9);
        CHECK_NEAR((*out)->start.values[2], 0, 1e-9);
    } else {
        assert_null(*out);
    }
    dae_analysis_free(*out);
    assert_int_equal(k->live, 0);
    return st;
}

static void stopped_at_each_question(void **state)
{
    clerk never = {.stop_at = 0};
    dae_analysis *found;
    (void)state;
    CHECK_STATUS(analyse(&never, &found), DAE_OK);
    assert_true(never.asked > 50);
    for (size_t k = 1; k <= never.asked; k++) {
        clerk once = {.stop_at = k};
        CHECK_STATUS(analyse(&once, &found), DAE_INTERRUPTED);
        assert_int_equal(once.asked, k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stopped_at_each_question)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
