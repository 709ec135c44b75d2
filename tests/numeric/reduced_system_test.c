/* What dae_solver_reduced says: roles of slots, groups of equations, what is
 * one, values and residuals, before a start and where nothing is reduced; after
 * a change of states; memory that fails. */
#include "memory_sweep.h"
#include <dae/model.h>
#include <dae/reduction.h>

static const char pendulum[] = "var x = 0.6, y ~ 0.8, u = 0, v ~ 0, lam ~ 1\n"
                               "x' = u\ny' = v\n"
                               "u' = -2*lam*x\nv' = 10 - 2*lam*y\n"
                               "rod: x^2 + y^2 = 1\n";

typedef struct bench {
    dae_diagnostics *ds;
    dae_model *model;
    const dae_problem *p;
    dae_solver *solver;
} bench;

static void bench_open(bench *b, const char *text, const dae_allocator *a)
{
    dae_options o = dae_options_default();
    o.t_end = 3;
    CHECK_STATUS(dae_diagnostics_create(NULL, &b->ds), DAE_OK);
    CHECK_STATUS(dae_model_parse("example.dae", text, strlen(text), NULL, NULL,
                     b->ds, &b->model),
        DAE_OK);
    b->p = dae_model_problem(b->model);
    CHECK_STATUS(dae_solver_create(b->p, &o, a, b->ds, &b->solver), DAE_OK);
}

static void bench_close(bench *b)
{
    dae_solver_free(b->solver);
    dae_model_free(b->model);
    dae_diagnostics_free(b->ds);
}

/* "x''" */
static const dae_reduced_slot *slot_of(
    const bench *b, const dae_reduced_system *y, const char *name)
{
    char text[64];
    for (size_t k = 0; k < y->slot_count; k++) {
        const dae_slot s = y->slots[k].slot;
        b->p->name(b->p->self, DAE_NAME_UNKNOWN, (size_t)s.unknown, text, 48);
        strncat(text, "''''", (size_t)s.order);
        if (strcmp(text, name) == 0) return &y->slots[k];
    }
    fail_msg("there is no slot %s", name);
    return NULL;
}

static size_t count_group(const dae_reduced_system *y, int32_t group)
{
    size_t slots = 0, equations = 0;
    for (size_t k = 0; k < y->slot_count; k++) {
        const dae_reduced_slot *s = &y->slots[k];
        slots += s->group == group && s->slot.unknown == s->same_as.unknown
            && s->slot.order == s->same_as.order;
    }
    for (size_t i = 0; i < y->equation_count; i++)
        equations += y->equations[i].group == group;
    assert_int_equal(slots, equations);
    return slots;
}

static void nothing_before_a_start(void **state)
{
    (void)state;
    bench b;
    dae_reduced_system *y;
    bench_open(&b, pendulum, NULL);
    CHECK_STATUS(dae_solver_reduced(b.solver, &y), DAE_ARGUMENT);
    assert_null(y);
    CHECK_STATUS(dae_solver_reduced(b.solver, NULL), DAE_ARGUMENT);
    CHECK_STATUS(dae_solver_reduced(NULL, &y), DAE_ARGUMENT);
    dae_reduced_system_free(NULL);
    bench_close(&b);
}

static void nothing_of_an_ordinary_equation(void **state)
{
    (void)state;
    bench b;
    dae_reduced_system *y;
    bench_open(&b, "var x = 1\nx' = -x\n", NULL);
    CHECK_STATUS(dae_solver_initialize(b.solver), DAE_OK);
    CHECK_STATUS(dae_solver_reduced(b.solver, &y), DAE_OK);
    assert_null(y);
    bench_close(&b);
}

/* x is smaller than y, so it is the state: rod gives y, rod' gives v, and the
 * accelerations and the force come together. */
static void the_roles_in_a_pendulum(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        dae_role role;
        double value;
    } expected[] = {{"x", DAE_ROLE_STATE, 0.6}, {"x'", DAE_ROLE_STATE, 0},
        {"u", DAE_ROLE_STATE, 0}, {"x''", DAE_ROLE_DERIVATIVE, -4.8},
        {"u'", DAE_ROLE_DERIVATIVE, -4.8}, {"y", DAE_ROLE_ALGEBRAIC, 0.8},
        {"y'", DAE_ROLE_DUMMY, 0}, {"y''", DAE_ROLE_DUMMY, 3.6},
        {"lam", DAE_ROLE_ALGEBRAIC, 4}};
    bench b;
    dae_reduced_system *y;
    bench_open(&b, pendulum, NULL);
    CHECK_STATUS(dae_solver_initialize(b.solver), DAE_OK);
    CHECK_STATUS(dae_solver_reduced(b.solver, &y), DAE_OK);
    assert_non_null(y);
    assert_true(y->state_count == 2 && y->group_count == 3 && y->t == 0);
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        const dae_reduced_slot *s = slot_of(&b, y, expected[k].name);
        assert_int_equal(s->role, expected[k].role);
        CHECK_NEAR(s->value, expected[k].value, 1e-12);
        assert_true((s->group < 0) == (s->role == DAE_ROLE_STATE));
    }
    assert_int_equal(slot_of(&b, y, "u'")->same_as.order, 2);
    assert_int_equal(count_group(y, slot_of(&b, y, "y")->group), 1);
    assert_int_equal(count_group(y, slot_of(&b, y, "y'")->group), 1);
    assert_int_equal(count_group(y, slot_of(&b, y, "lam")->group), 3);
    assert_true(slot_of(&b, y, "y")->group < slot_of(&b, y, "y'")->group);
    size_t equalities = 0;
    assert_int_equal(y->equation_count, 9);
    for (size_t i = 0; i < y->equation_count; i++) {
        equalities += y->equations[i].use == DAE_USE_EQUALITY;
        CHECK_NEAR(y->equations[i].residual, 0, 1e-13);
    }
    assert_int_equal(equalities, 4);
    dae_reduced_system_free(y);
    bench_close(&b);
}

/* Past the lowest point to where y is smaller than x by half: states change,
 * and the roles with them. */
static void roles_change_with_the_states(void **state)
{
    (void)state;
    bench b;
    dae_reduced_system *y = NULL;
    bench_open(&b,
        "var x ~ 1, y = 0, lam ~ 0\nx'' = -lam*x\ny'' = -lam*y + 10\n"
        "rod: x^2 + y^2 = 1\ninit y' = 0\n",
        NULL);
    CHECK_STATUS(dae_solver_initialize(b.solver), DAE_OK);
    CHECK_STATUS(dae_solver_reduced(b.solver, &y), DAE_OK);
    assert_int_equal(slot_of(&b, y, "y")->role, DAE_ROLE_STATE);
    dae_reduced_system_free(y);
    while (dae_solver_stats(b.solver)->state_changes == 0)
        CHECK_STATUS(dae_solver_step(b.solver), DAE_OK);
    CHECK_STATUS(dae_solver_reduced(b.solver, &y), DAE_OK);
    assert_true(y->t == dae_solver_time(b.solver) && y->t > 0);
    assert_int_equal(slot_of(&b, y, "y")->role, DAE_ROLE_ALGEBRAIC);
    assert_int_equal(slot_of(&b, y, "x")->role, DAE_ROLE_STATE);
    dae_reduced_system_free(y);
    bench_close(&b);
}

static double largest_residual(const bench *b)
{
    double most = 0;
    dae_reduced_system *y;
    CHECK_STATUS(dae_solver_reduced(b->solver, &y), DAE_OK);
    for (size_t i = 0; i < y->equation_count; i++)
        most = fmax(most, fabs(y->equations[i].residual));
    dae_reduced_system_free(y);
    return most;
}

/* Two shafts and a gear. All equations are linear with constant factors, so a
 * point that is looked at holds them almost to rounding, slopes and the torque
 * included, where a step leaves 5e-6. And the run goes on as if nobody had
 * looked. */
static void looking_changes_nothing(void **state)
{
    (void)state;
    static const char gear[] = "var a = 0, b ~ 0, wa = 0, wb ~ 0, T ~ 0\n"
                               "a' = wa\nb' = wb\n"
                               "2*wa' = sin(3*t) - T\n3*wb' = 2*T - wb\n"
                               "mesh: a = 2*b\n";
    bench seen, unseen;
    bench_open(&seen, gear, NULL);
    bench_open(&unseen, gear, NULL);
    CHECK_STATUS(dae_solver_initialize(seen.solver), DAE_OK);
    CHECK_STATUS(dae_solver_initialize(unseen.solver), DAE_OK);
    while (dae_solver_time(unseen.solver) < 3) {
        CHECK_STATUS(dae_solver_step(unseen.solver), DAE_OK);
        CHECK_STATUS(dae_solver_step(seen.solver), DAE_OK);
        assert_true(largest_residual(&seen) < 1e-8);
        assert_true(
            dae_solver_time(seen.solver) == dae_solver_time(unseen.solver));
    }
    assert_memory_equal(dae_solver_x(seen.solver), dae_solver_x(unseen.solver),
        5 * sizeof(double));
    bench_close(&seen);
    bench_close(&unseen);
}

static void look(trial *t, const void *what)
{
    bench b;
    dae_reduced_system *y;
    dae_status st;
    (void)what;
    bench_open(&b, pendulum, &t->memory.allocator);
    CHECK_STATUS(dae_solver_initialize(b.solver), DAE_OK);
    trial_arm(t);
    TRIAL_SILENT(t, st, dae_solver_reduced(b.solver, &y));
    trial_note(t, "status", st);
    for (size_t k = 0; !st && k < y->slot_count; k++)
        trial_values(t, &y->slots[k].value, 1);
    dae_reduced_system_free(y);
    bench_close(&b);
}

static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    assert_true(memory_sweep("reduced", look, NULL) > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_before_a_start),
        cmocka_unit_test(nothing_of_an_ordinary_equation),
        cmocka_unit_test(the_roles_in_a_pendulum),
        cmocka_unit_test(roles_change_with_the_states),
        cmocka_unit_test(looking_changes_nothing),
        cmocka_unit_test(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
