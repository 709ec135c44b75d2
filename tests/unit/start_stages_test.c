/* homotopy.c, certificate.c and conflict.c, each on its own: a root behind a
 * hill, what is missing and redundant at a solution, the members of
 * a set that has none. */
#include "check.h"
#include "start/stages.h"
#include "start/tolerance.h"
#include <math.h>
#include <string.h>

enum { UNKNOWNS = 4 };

/* What a stage is given: a problem, its start, and the system of both. */
typedef struct stage {
    dae_problem problem;
    layout layout;
    init_request request;
    init_findings findings;
    init_system s;
    dae_stats stats;
    uint8_t order[UNKNOWNS], x_fixed[UNKNOWNS], xp_fixed[UNKNOWNS];
    double atol[UNKNOWNS], x[UNKNOWNS], xp[UNKNOWNS];
} stage;

static void stage_give(stage *g, size_t k, double value)
{
    g->x[k] = value;
    g->x_fixed[k] = 1;
}

static void stage_init(stage *g, size_t n, dae_residual_fn *residual)
{
    assert_true(n <= UNKNOWNS);
    *g = (stage){.problem = {.unknown_count = n, .residual = residual}};
    for (size_t k = 0; k < UNKNOWNS; k++) g->atol[k] = 1e-10;
}

/* As init_consistent does before its search. */
static void stage_open(stage *g)
{
    g->problem.order = g->order;
    CHECK_STATUS(layout_init(&g->layout, &g->problem, NULL), DAE_OK);
    g->request = (init_request){.problem = &g->problem,
        .layout = &g->layout,
        .rtol = 1e-8,
        .atol = g->atol,
        .x_fixed = g->x_fixed,
        .xp_fixed = g->xp_fixed,
        .findings = &g->findings,
        .is_thorough = true,
        .freedom = SIZE_MAX};
    init_findings_init(&g->findings, NULL);
    CHECK_STATUS(
        unknowns_init(&g->s, &g->request, g->x, g->xp, &g->stats), DAE_OK);
    CHECK_STATUS(unknowns_begin(&g->s), DAE_OK);
    CHECK_STATUS(unknowns_probe(&g->s), DAE_OK);
    tolerance_measure(&g->s);
}

static void stage_close(stage *g)
{
    unknowns_clear(&g->s);
    init_findings_clear(&g->findings);
    layout_clear(&g->layout);
}

/* ---- homotopy ---------------------------------------------------------------- */

/* Its only root is beyond the hill at -0.8, the valley is at 0.8. */
static dae_status cubic(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t, (void)xp;
    res[0] = x[0] * x[0] * x[0] - 2 * x[0] + 2;
    return DAE_OK;
}

static void homotopy_passes_a_hill(void **state)
{
    (void)state;
    int32_t zero = 0;
    const subset all = {&zero, &zero, 1, 1};
    bool is_done = false;
    stage g;
    stage_init(&g, 1, cubic);
    g.x[0] = 1;
    stage_open(&g);
    CHECK_STATUS(homotopy_solve(&g.s, &all, &is_done), DAE_OK);
    assert_true(is_done);
    /* by Cardano's formula */
    const double w = sqrt(1 - 8.0 / 27);
    CHECK_NEAR(g.s.z[0], -cbrt(1 + w) - cbrt(1 - w), 1e-14);
    assert_int_equal(g.s.homotopy.count, 1);
    stage_close(&g);
}

/* x^2 + 1 has no root: all is as before. */
static dae_status positive(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t, (void)xp;
    res[0] = x[0] * x[0] + 1;
    return DAE_OK;
}

static void homotopy_leaves_what_it_cannot_solve(void **state)
{
    (void)state;
    int32_t zero = 0;
    const subset all = {&zero, &zero, 1, 1};
    bool is_done = true;
    stage g;
    stage_init(&g, 1, positive);
    g.x[0] = 3;
    stage_open(&g);
    CHECK_STATUS(homotopy_solve(&g.s, &all, &is_done), DAE_OK);
    assert_false(is_done);
    assert_true(g.s.z[0] == 3);
    assert_int_equal(g.s.homotopy.count, 0);
    stage_close(&g);
}

/* ---- certificate ------------------------------------------------------------- */

/* x' = -x, y = 2 x, z^2 = y - 2: z is a double root where x = 1. */
static dae_status decay(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t;
    res[0] = xp[0] + x[0];
    res[1] = x[1] - 2 * x[0];
    res[2] = x[2] * x[2] - x[1] + 2;
    return DAE_OK;
}

static void stage_certify(stage *g)
{
    solution found = {.iterations = 0};
    g->order[0] = 1;
    stage_open(g);
    CHECK_STATUS(solve_rows(&g->s, NULL, false, &found), DAE_OK);
    assert_int_equal(found.end, GAUSS_NEWTON_SOLVED);
    CHECK_STATUS(unknowns_evaluate_solution(&g->s), DAE_OK);
    CHECK_STATUS(certificate_make(&g->s, &found, NULL), DAE_OK);
    assert_true(g->findings.is_by_rank);
}

static void certificate_counts_what_is_missing(void **state)
{
    (void)state;
    stage g;
    stage_init(&g, 3, decay);
    g.x[0] = 3; /* guesses */
    g.x[1] = 5;
    g.x[2] = 2;
    stage_certify(&g);
    const init_findings *f = &g.findings;
    assert_int_equal(f->missing, 1);
    assert_int_equal(f->redundant_count, 0);
    assert_true(f->could_fix_count >= 1);
    assert_int_equal(f->could_fix[0], 0);
    assert_int_equal(f->singular_count, 0);
    stage_close(&g);
}

static void certificate_names_what_is_redundant(void **state)
{
    (void)state;
    stage g;
    stage_init(&g, 3, decay);
    stage_give(&g, 0, 3);
    stage_give(&g, 1, 6);
    g.x[2] = 2;
    stage_certify(&g);
    const init_findings *f = &g.findings;
    assert_int_equal(f->missing, 0);
    assert_int_equal(f->redundant_count, 1);
    assert_int_equal(f->redundant[0].kind, INIT_GIVEN);
    assert_int_equal(f->redundant[0].index, 1);
    assert_int_equal(f->singular_count, 0);
    stage_close(&g);
}

static void certificate_sees_a_double_root(void **state)
{
    (void)state;
    stage g;
    stage_init(&g, 3, decay);
    stage_give(&g, 0, 1);
    stage_certify(&g);
    const init_findings *f = &g.findings;
    assert_int_equal(f->missing, 0);
    assert_int_equal(f->redundant_count, 0);
    assert_int_equal(f->singular_count, 1);
    assert_int_equal(f->singular[0], 2);
    stage_close(&g);
}

/* ---- conflict ---------------------------------------------------------------- */

/* x = 1 and y = 0 by two rows, z = x and w = 3 beside them. */
static dae_status linear_rows(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t, (void)xp;
    res[0] = x[0] + x[1] - 1;
    res[1] = x[0] - x[1] - 1;
    res[2] = x[2] - x[0];
    res[3] = x[3] - 3;
    return DAE_OK;
}

static bool is_party(const init_conflict *set, init_party_kind kind, size_t k)
{
    for (size_t p = 0; p < set->count; p++)
        if (set->parties[p].kind == kind && set->parties[p].index == k)
            return true;
    return false;
}

static void conflict_has_its_members_alone(void **state)
{
    (void)state;
    solution failed = {.iterations = 0};
    bool is_solved = true, is_found = false;
    stage g;
    stage_init(&g, 4, linear_rows);
    stage_give(&g, 2, 0); /* the others imply 1 */
    stage_give(&g, 3, 3);
    stage_open(&g);
    CHECK_STATUS(solve_rows(&g.s, NULL, false, &failed), DAE_OK);
    assert_true(failed.end != GAUSS_NEWTON_SOLVED);
    CHECK_STATUS(unknowns_evaluate(&g.s), DAE_OK);
    CHECK_STATUS(
        conflict_find(&g.s, &failed, &is_solved, &is_found), DAE_INCONSISTENT);
    assert_true(is_found && !is_solved);
    assert_int_equal(g.findings.failure.set_count, 1);
    const init_conflict *set = &g.findings.failure.sets[0];
    assert_true(set->is_proved && set->is_minimal);
    assert_int_equal(set->count, 4);
    for (size_t row = 0; row < 3; row++)
        assert_true(is_party(set, INIT_EQUATION, row));
    assert_true(is_party(set, INIT_GIVEN, 2));
    stage_close(&g);
}

static void conflict_of_one_row_has_its_values(void **state)
{
    (void)state;
    bool is_found = false;
    stage g;
    stage_init(&g, 4, linear_rows);
    stage_give(&g, 0, 1);
    stage_give(&g, 2, 0);
    stage_open(&g);
    CHECK_STATUS(conflict_of_row(&g.s, 2, 0, &is_found), DAE_INCONSISTENT);
    assert_true(is_found);
    const init_conflict *set = &g.findings.failure.sets[0];
    assert_int_equal(set->count, 3);
    assert_true(set->is_proved);
    assert_true(is_party(set, INIT_EQUATION, 2));
    assert_true(is_party(set, INIT_GIVEN, 0));
    assert_true(is_party(set, INIT_GIVEN, 2));
    stage_close(&g);
}

/* Nothing is in conflict where a better point was all that lacked. */
static void conflict_is_none_where_all_holds(void **state)
{
    (void)state;
    int32_t zero = 0;
    solution failed = {
        .end = GAUSS_NEWTON_STALLED, .failed = {&zero, &zero, 1, 1}};
    bool is_solved = false, is_found = true;
    stage g;
    stage_init(&g, 4, linear_rows);
    g.x[0] = 7;
    stage_open(&g);
    CHECK_STATUS(conflict_find(&g.s, &failed, &is_solved, &is_found), DAE_OK);
    assert_true(is_solved && !is_found);
    stage_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(homotopy_passes_a_hill),
        cmocka_unit_test(homotopy_leaves_what_it_cannot_solve),
        cmocka_unit_test(certificate_counts_what_is_missing),
        cmocka_unit_test(certificate_names_what_is_redundant),
        cmocka_unit_test(certificate_sees_a_double_root),
        cmocka_unit_test(conflict_has_its_members_alone),
        cmocka_unit_test(conflict_of_one_row_has_its_values),
        cmocka_unit_test(conflict_is_none_where_all_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
