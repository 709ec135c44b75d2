/* A part of a problem as a problem of its own: u'' = p, u^2 = t beside
 * w' = log(w), each of which is to know nothing of the other. */
#include "analysis/components.h"
#include "support/check.h"
#include "support/faulty_memory.h"

/* Unknowns u (order 2), w (1), p (0): x = (u, u', w, p), xp = (u'', w', -).
 * Equations 0: u^2 - t, 1: w' - log(w), 2: u'' - p. */
static const uint8_t order[] = {2, 1, 0};
static const int64_t column_start[] = {0, 1, 1, 2, 3, 4, 5, 5};
static const int32_t row[] = {0, 1, 2, 2, 1};
static const uint8_t kind[] = {DAE_ENTRY_VARYING, DAE_ENTRY_VARYING,
    DAE_ENTRY_CONSTANT, DAE_ENTRY_CONSTANT, DAE_ENTRY_CONSTANT};
static const dae_pattern pattern = {column_start, row, kind};

static dae_status residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    res[0] = x[0] * x[0] - t;
    res[1] = xp[1] - log(x[2]);
    res[2] = xp[0] - x[3];
    return isfinite(res[1]) ? DAE_OK : DAE_RETRY;
}

static dae_status jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    const double v[] = {2 * x[0], x[2] > 0 ? -1 / x[2] : (double)NAN, -1, 1, 1};
    (void)self, (void)scope, (void)t, (void)xp;
    memcpy(values, v, sizeof v);
    return x[2] > 0 ? DAE_OK : DAE_RETRY;
}

/* w has values of order 0 alone; the others all. */
static dae_status series(void *self, size_t terms, double t0, const double *x,
    size_t stride, double *f)
{
    const double *u = x, *w = x + stride, *p = x + 2 * stride;
    (void)self;
    if (stride < terms + 2) return DAE_ARGUMENT;
    for (size_t k = 0; k < terms; k++) {
        double square = 0;
        for (size_t m = 0; m <= k; m++) square += u[m] * u[k - m];
        f[k] = square - (k == 0 ? t0 : k == 1);
        f[terms + k] = k == 0 && w[0] > 0 ? w[1] - log(w[0]) : (double)NAN;
        f[2 * terms + k] = (double)((k + 1) * (k + 2)) * u[k + 2] - p[k];
    }
    return w[0] > 0 ? DAE_OK : DAE_RETRY;
}

static dae_status series_jacobian(void *self, size_t terms, double t0,
    const double *x, size_t stride, double *values)
{
    const double *w = x + stride;
    (void)self, (void)t0;
    if (stride < terms + 2) return DAE_ARGUMENT;
    for (size_t k = 0; k < terms; k++) {
        values[k] = 2 * x[k];
        values[terms + k] = k == 0 && w[0] > 0 ? -1 / w[0] : (double)NAN;
        values[2 * terms + k] = k == 0 ? -1 : 0;
        values[3 * terms + k] = values[4 * terms + k] = k == 0;
    }
    return w[0] > 0 ? DAE_OK : DAE_RETRY;
}

static const double guess[] = {0.5, 0.25, 3, 7}, rates[] = {1, 2, 0};
static const double nominal[] = {10, 20, 30};
static const uint8_t group[] = {1, 1, 255};
static const dae_start start = {.t0 = 4, .x = guess, .xp = rates};
static const dae_scales scales = {.nominal = nominal};
static const dae_problem whole = {.unknown_count = 3,
    .order = order,
    .residual = residual,
    .jacobian = jacobian,
    .pattern = &pattern,
    .start = &start,
    .scales = &scales,
    .index_group = group,
    .series = series,
    .series_jacobian = series_jacobian};

/* where the logarithm has no value */
static const double base[] = {2, 1, -1, 5}, base_xp[] = {6, 8, 0};
static const int32_t of_u[] = {0, 2}, unknowns_of_u[] = {0, 2};
static const int32_t of_w[] = {1}, unknowns_of_w[] = {1};

typedef struct subject {
    layout l;
    subproblems all;
} subject;

static void subject_open(subject *s, double work_most)
{
    CHECK_STATUS(layout_init(&s->l, &whole, NULL), DAE_OK);
    CHECK_STATUS(subproblems_init(
                     &s->all, &whole, &s->l, base, base_xp, work_most, NULL),
        DAE_OK);
}

static void subject_close(subject *s)
{
    subproblems_clear(&s->all);
    layout_clear(&s->l);
}

static void it_is_a_problem_of_its_own(void **state)
{
    (void)state;
    subject s;
    subproblem p;
    subject_open(&s, 1e9);
    CHECK_STATUS(subproblem_open(&p, &s.all, of_u, unknowns_of_u, 2), DAE_OK);
    const dae_problem *q = &p.problem;
    assert_int_equal(q->unknown_count, 2);
    assert_int_equal(dae_problem_state_count(q), 3);
    assert_int_equal(q->order[0], 2);
    assert_int_equal(q->order[1], 0);
    assert_int_equal(q->index_group[1], 255);
    CHECK_NEAR(q->scales->nominal[1], 30, 0);
    assert_null(q->scales->minimum);
    /* u, u', p; u'', -: row 0, none, row 1, row 1, none */
    static const int64_t own_start[] = {0, 1, 1, 2, 3, 3};
    static const int32_t own_row[] = {0, 1, 1};
    for (int k = 0; k < 6; k++)
        assert_int_equal(q->pattern->column_start[k], own_start[k]);
    for (int k = 0; k < 3; k++)
        assert_int_equal(q->pattern->row[k], own_row[k]);
    assert_int_equal(q->pattern->kind[0], DAE_ENTRY_VARYING);
    assert_int_equal(q->pattern->kind[2], DAE_ENTRY_CONSTANT);
    CHECK_NEAR(q->start->t0, 4, 0);
    CHECK_NEAR(q->start->x[2], 7, 0);
    CHECK_NEAR(q->start->xp[0], 1, 0);
    CHECK_NEAR(p.x[2], 5, 0); /* where the whole is */
    CHECK_NEAR(p.xp[0], 6, 0);
    subproblem_close(&p);
    subject_close(&s);
}

static void its_functions_are_those_of_its_rows(void **state)
{
    (void)state;
    subject s;
    subproblem p;
    double res[2], values[3], f[2 * 3], entries[3 * 3];
    const double x[] = {3, 1, 4}, xp[] = {9, 0};
    subject_open(&s, 1e9);
    CHECK_STATUS(subproblem_open(&p, &s.all, of_u, unknowns_of_u, 2), DAE_OK);
    const dae_problem *q = &p.problem;
    CHECK_STATUS(q->residual(q->self, 2, x, xp, res), DAE_OK);
    CHECK_NEAR(res[0], 7, 0); /* 9 - 2 */
    CHECK_NEAR(res[1], 5, 0); /* 9 - 4 */
    CHECK_STATUS(q->jacobian(q->self, DAE_ALL, 2, x, xp, values), DAE_OK);
    CHECK_NEAR(values[0], 6, 0);
    CHECK_NEAR(values[1], -1, 0);
    CHECK_NEAR(values[2], 1, 0);
    /* u = 3 + s + 2 s^2, p = 4 + s: u^2 = 9 + 6 s + 13 s^2, u'' = 4. A curve as
     * long as this part needs */
    const double curve[] = {3, 1, 2, 0, 0, 4, 1, 0, 0, 0};
    CHECK_STATUS(q->series(q->self, 3, 2, curve, 5, f), DAE_OK);
    static const double expected[] = {7, 5, 13, 0, -1, 0};
    for (int k = 0; k < 6; k++) CHECK_NEAR(f[k], expected[k], 0);
    CHECK_STATUS(q->series_jacobian(q->self, 3, 2, curve, 5, entries), DAE_OK);
    static const double by[] = {6, 2, 4, -1, 0, 0, 1, 0, 0};
    for (int k = 0; k < 9; k++) CHECK_NEAR(entries[k], by[k], 0);
    subproblem_close(&p);
    for (int k = 0; k < 4; k++) CHECK_NEAR(s.all.all_x[k], base[k], 0);
    for (int k = 0; k < 3; k++) CHECK_NEAR(s.all.all_xp[k], base_xp[k], 0);
    for (int k = 0; k < 3; k++) assert_int_equal(s.all.row_at[k], 0);
    subject_close(&s);
}

static void a_shorter_curve_is_enough_for_what_is_of_lower_order(void **state)
{
    (void)state;
    subject s;
    subproblem p;
    double res, value[2], f[2];
    const double bad = -2, good = 1, rate = 3, curve[] = {1, 3, 0};
    subject_open(&s, 1e9);
    CHECK_STATUS(subproblem_open(&p, &s.all, of_w, unknowns_of_w, 1), DAE_OK);
    const dae_problem *q = &p.problem;
    CHECK_STATUS(q->residual(q->self, 0, &bad, &rate, &res), DAE_RETRY);
    CHECK_STATUS(q->residual(q->self, 0, &good, &rate, &res), DAE_OK);
    CHECK_NEAR(res, 3, 0);
    CHECK_STATUS(
        q->jacobian(q->self, DAE_ALL, 0, &bad, &rate, value), DAE_RETRY);
    CHECK_STATUS(q->jacobian(q->self, DAE_ALL, 0, &good, &rate, value), DAE_OK);
    CHECK_NEAR(value[0], -1, 0);
    CHECK_NEAR(value[1], 1, 0);
    /* the whole asks for one more, as u has order 2 */
    CHECK_STATUS(q->series(q->self, 2, 0, curve, 3, f), DAE_OK);
    CHECK_NEAR(f[0], 3, 0);
    assert_true(isnan(f[1])); /* as the whole says */
    subproblem_close(&p);
    subject_close(&s);
}

static void work_is_counted(void **state)
{
    (void)state;
    subject s;
    subproblem p;
    double res[2], f[4];
    const double x[] = {3, 1, 4}, xp[] = {9, 0}, curve[10] = {1};
    /* 5 entries and 3 equations: 8 for values, 32 for two terms */
    subject_open(&s, 41);
    CHECK_STATUS(subproblem_open(&p, &s.all, of_u, unknowns_of_u, 2), DAE_OK);
    const dae_problem *q = &p.problem;
    CHECK_STATUS(q->residual(q->self, 2, x, xp, res), DAE_OK);
    CHECK_STATUS(q->series(q->self, 2, 2, curve, 5, f), DAE_OK);
    CHECK_STATUS(q->residual(q->self, 2, x, xp, res), DAE_LIMIT);
    CHECK_STATUS(q->series(q->self, 2, 2, curve, 5, f), DAE_LIMIT);
    subproblem_close(&p);
    subject_close(&s);
}

static dae_status use(const dae_allocator *allocator)
{
    subject s = {.all = {.whole = NULL}};
    subproblem p = {.all = NULL};
    double f[4];
    const double curve[10] = {1};
    dae_status st = layout_init(&s.l, &whole, allocator);
    if (st) return st;
    st = subproblems_init(&s.all, &whole, &s.l, base, base_xp, 1e9, allocator);
    if (!st) st = subproblem_open(&p, &s.all, of_u, unknowns_of_u, 2);
    if (!st) st = p.problem.series(&p, 2, 2, curve, 5, f);
    subproblem_close(&p);
    subproblems_clear(&s.all);
    layout_clear(&s.l);
    return st;
}

static void memory_may_fail(void **state)
{
    (void)state;
    faulty_memory m;
    memory_init(&m);
    dae_status st = DAE_MEMORY;
    size_t n = 0;
    for (; st == DAE_MEMORY; n++) {
        memory_arm(&m, MEMORY_FAILS_ON, n);
        st = use(&m.allocator);
        assert_int_equal(m.blocks, 0);
        assert_int_equal(m.mistold, 0);
    }
    CHECK_STATUS(st, DAE_OK);
    assert_true(n > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_a_problem_of_its_own),
        cmocka_unit_test(its_functions_are_those_of_its_rows),
        cmocka_unit_test(a_shorter_curve_is_enough_for_what_is_of_lower_order),
        cmocka_unit_test(work_is_counted),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
