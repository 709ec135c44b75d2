/* homotopy.c: roots behind hills, systems whose curve turns back, two variables
 * with a valley for the search; what has no root, what bounds forbid; when it
 * is tried, what it costs, memory that fails. */
#include "memory_sweep.h"
#include "start_start_support.h"

/* Values from guesses. */
typedef struct trip {
    size_t n;
    dae_residual_fn *residual;
    double guess[2], low;
    bool is_first, has_findings;
} trip;

typedef struct arrival {
    dae_status status;
    double x[2];
    size_t count; /* found by homotopy */
    int64_t residuals;
} arrival;

static arrival travel(
    const trip *t, const dae_allocator *allocator, dae_diagnostics *ds)
{
    static const uint8_t order[2] = {0, 0}, fixed[2] = {0, 0};
    const double high[2] = {HUGE_VAL, HUGE_VAL};
    const double low[2] = {t->low, t->low}, atol[2] = {1e-10, 1e-10};
    const dae_scales scales = {.minimum = low, .maximum = high};
    const dae_problem p = {.unknown_count = t->n,
        .order = order,
        .residual = t->residual,
        .scales = &scales};
    layout l;
    init_findings f = {.z = NULL};
    dae_stats stats = {0};
    double xp[2] = {0, 0};
    arrival a = {.status = layout_init(&l, &p, allocator)};
    if (a.status) return a;
    const init_request q = {.problem = &p,
        .layout = &l,
        .rtol = 1e-8,
        .atol = atol,
        .x_fixed = fixed,
        .xp_fixed = fixed,
        .is_homotopy_first = t->is_first,
        .is_thorough = t->has_findings,
        .allocator = allocator};
    memcpy(a.x, t->guess, sizeof a.x);
    a.status = start_reported(q, &f, a.x, xp, NULL, &stats, ds);
    a.count = f.homotopy.count;
    a.residuals = stats.residual_evals;
    init_findings_clear(&f);
    layout_clear(&l);
    return a;
}

static arrival travel_plainly(const trip *t)
{
    dae_diagnostics *ds;
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    const arrival a = travel(t, NULL, ds);
    size_t notes = 0;
    for (size_t k = 0; k < dae_diagnostics_count(ds); k++)
        notes += strcmp(dae_diagnostics_at(ds, k)->code, "N0410") == 0;
    assert_int_equal(notes, a.status == DAE_OK && a.count > 0);
    dae_diagnostics_free(ds);
    return a;
}

static dae_status square(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t, (void)xp;
    res[0] = x[0] * x[0] - 4;
    return DAE_OK;
}

/* Its only root is beyond the hill at -0.8, the valley is at 0.8. */
static dae_status cubic(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t, (void)xp;
    res[0] = x[0] * x[0] * x[0] - 2 * x[0] + 2;
    return DAE_OK;
}

static dae_status nowhere(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t, (void)xp;
    res[0] = x[0] * x[0] + x[1] * x[1] + 1;
    res[1] = x[0] - x[1];
    return DAE_OK;
}

/* (Freudenstein and Roth, J. ACM 10 (1963)): the sum of squares has a valley at (11.41, -0.897), the only root is
 * (5, 4), since the difference is 2 (y - 4) (y^2 + 2 y + 2). */
static dae_status valley(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const double y = x[1];
    (void)self, (void)t, (void)xp;
    res[0] = x[0] - 13 + ((5 - y) * y - 2) * y;
    res[1] = x[0] - 29 + ((y + 1) * y - 14) * y;
    return DAE_OK;
}

static void the_curve_begins_at_the_guess(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        const trip t = {1, square, {sign, 0}, -HUGE_VAL, true, true};
        const arrival a = travel_plainly(&t);
        CHECK_STATUS(a.status, DAE_OK);
        assert_int_equal(a.count, 1);
        CHECK_NEAR(a.x[0], 2 * sign, 1e-14);
    }
}

static void a_root_beyond_a_hill(void **state)
{
    (void)state;
    const trip t = {1, cubic, {0, 0}, -HUGE_VAL, true, true};
    const arrival a = travel_plainly(&t);
    CHECK_STATUS(a.status, DAE_OK);
    assert_int_equal(a.count, 1);
    CHECK_NEAR(a.x[0], -1.7692923542386314, 1e-14);
}

/* The descent finds it, too. */
static void a_system_whose_search_ends_in_a_valley(void **state)
{
    (void)state;
    trip t = {2, valley, {15, -2}, -HUGE_VAL, false, false};
    for (int k = 0; k < 2; k++) {
        t.is_first = k == 1;
        t.has_findings = true;
        const arrival a = travel_plainly(&t);
        CHECK_STATUS(a.status, DAE_OK);
        if (t.is_first) assert_int_equal(a.count, 2);
        CHECK_NEAR(a.x[0], 5, 1e-12);
        CHECK_NEAR(a.x[1], 4, 1e-12);
    }
}

static void guesses_that_fit_are_kept(void **state)
{
    (void)state;
    const trip t = {2, valley, {5, 4}, -HUGE_VAL, true, true};
    const arrival a = travel_plainly(&t);
    CHECK_STATUS(a.status, DAE_OK);
    assert_true(a.count == 0 && a.x[0] == 5 && a.x[1] == 4);
}

static void what_has_no_root_is_not_found(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const trip t = {2, nowhere, {3, 1}, -HUGE_VAL, k == 1, true};
        const arrival a = travel_plainly(&t);
        assert_true(a.status == DAE_NUMERIC || a.status == DAE_INCONSISTENT);
        assert_true(a.count == 0 && a.x[0] == 3 && a.x[1] == 1);
        assert_true(a.residuals < 100000);
    }
}

/* The root of the cubic is below what is allowed. */
static void bounds_are_kept(void **state)
{
    (void)state;
    const trip t = {1, cubic, {0, 0}, -1.5, true, true};
    const arrival a = travel_plainly(&t);
    assert_int_not_equal(a.status, DAE_OK);
    assert_true(a.count == 0 && a.x[0] == 0);
}

static dae_status go(const trip *t, trial *own, arrival *a)
{
    *a = travel(t, &own->memory.allocator, own->ds);
    return a->status;
}

static void work(trial *t, const void *what)
{
    arrival a;
    dae_status st;
    trial_open(t);
    trial_arm(t);
    TRIAL_SILENT(t, st, go(what, t, &a));
    trial_note(t, "status", st);
    trial_values(t, a.x, 2);
}

static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    const trip t = {2, valley, {15, -2}, -HUGE_VAL, true, true};
    assert_true(memory_sweep("homotopy", work, &t) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_curve_begins_at_the_guess),
        cmocka_unit_test(a_root_beyond_a_hill),
        cmocka_unit_test(a_system_whose_search_ends_in_a_valley),
        cmocka_unit_test(guesses_that_fit_are_kept),
        cmocka_unit_test(what_has_no_root_is_not_found),
        cmocka_unit_test(bounds_are_kept),
        cmocka_unit_test(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
