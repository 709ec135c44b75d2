/* What a problem says beyond its equations: start values and guesses, scales,
 * general conditions, observations. */
#include "lang/compiled_support.h"

static void test_start(void **state)
{
    (void)state;
    world w;
    world_init(&w, NULL);
    CHECK_STATUS(build_oscillator(&w), DAE_OK);
    w.s.scales.items[1].nominal = 50;
    w.s.scales.items[2].minimum = -3;
    w.s.scales.items[2].atol = 1e-4;
    uint32_t k = system_param_element(&w.s, 1);
    start_value given[] = {
        {.unknown = 0,
            .order = 0,
            .is_condition = true,
            .is_param = true,
            .param = k},
        {.unknown = 0, .order = 1, .value = 7},
        {.unknown = 0, .order = 2, .is_condition = true, .value = 9},
        {.unknown = 1, .order = 1, .value = 5},
    };
    for (size_t g = 0; g < 4; g++)
        assert_true(ARRAY_PUSH(w.s.allocator, &w.s.starts, given[g]));
    CHECK_STATUS(finish(&w), DAE_OK);
    const dae_start *s = w.p->start;
    CHECK_NEAR(s->t0, 0.25, 0);
    CHECK_NEAR(s->x[0], 3, 0);
    CHECK_NEAR(s->x[1], 7, 0);
    CHECK_NEAR(s->x[2], 50, 0);
    CHECK_NEAR(s->x[3], 0, 0);
    CHECK_NEAR(s->xp[0], 9, 0);
    assert_true(s->x_fixed[0] && !s->x_fixed[1] && !s->x_fixed[2]);
    assert_true(s->xp_fixed[0] && !s->xp_fixed[1]);
    CHECK_NEAR(w.p->scales->minimum[2], -3, 0);
    CHECK_NEAR(w.p->scales->atol[2], 1e-4, 0);
    assert_null(w.p->scales->maximum);
    w.s.param_inputs.items[1] = 4.5;
    CHECK_STATUS(compiled_params_changed(w.c), DAE_OK);
    CHECK_NEAR(s->x[0], 4.5, 0);
    world_clear(&w);
}

/* y = 1/x + z, so 0 is not in the domain of x; 1 is. */
static void test_start_leaves_zero(void **state)
{
    (void)state;
    world w;
    world_init(&w, NULL);
    CHECK_STATUS(add_unknowns(&w, "x", 1), DAE_OK);
    CHECK_STATUS(add_unknowns(&w, "y", 1), DAE_OK);
    CHECK_STATUS(add_equations(&w, "e", 2, 0, 5), DAE_OK);
    node_id quotient = two(&w, NODE_SUB, un(&w, 1, 1),
        two(&w, NODE_DIV, shape_const(&w.s.shapes, 1), un(&w, 0, 0)));
    CHECK_STATUS(ROW(&w, GROUP_EQUATION, quotient, 0, 0, 1), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_EQUATION, un(&w, 0, 0), 1, 1), DAE_OK);
    CHECK_STATUS(finish(&w), DAE_OK);
    CHECK_NEAR(w.p->start->x[0], 1, 0);
    CHECK_NEAR(w.p->start->x[1], 0, 0);
    world_clear(&w);
}

/* 1/x + 1/(x-1): 1 is no better than 0, so 0 stays. */
static void test_start_stays_where_one_is_no_better(void **state)
{
    (void)state;
    world w;
    world_init(&w, NULL);
    CHECK_STATUS(add_unknowns(&w, "x", 1), DAE_OK);
    CHECK_STATUS(add_unknowns(&w, "y", 1), DAE_OK);
    CHECK_STATUS(add_equations(&w, "e", 2, 0, 5), DAE_OK);
    node_id number = shape_const(&w.s.shapes, 1);
    node_id first = two(
        &w, NODE_SUB, un(&w, 1, 1), two(&w, NODE_DIV, number, un(&w, 0, 0)));
    node_id second = two(&w, NODE_ADD, un(&w, 1, 0),
        two(&w, NODE_DIV, number, two(&w, NODE_SUB, un(&w, 0, 0), number)));
    CHECK_STATUS(ROW(&w, GROUP_EQUATION, first, 0, 0, 1), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_EQUATION, second, 1, 0, 1), DAE_OK);
    CHECK_STATUS(finish(&w), DAE_OK);
    CHECK_NEAR(w.p->start->x[0], 0, 0);
    world_clear(&w);
}

static void test_conditions(void **state)
{
    (void)state;
    world w;
    world_init(&w, NULL);
    CHECK_STATUS(build_levels(&w), DAE_OK);
    uint32_t only;
    CHECK_STATUS(add_let(&w, "only", &only), DAE_OK);
    node_id product = two(&w, NODE_MUL, de(&w, 0, 0), un(&w, 1, 1));
    CHECK_STATUS(ROW(&w, GROUP_DEFINITION, product, only, 1, 0), DAE_OK);
    /* two conditions: only*z - y' , c*x */
    node_id first = two(&w, NODE_SUB,
        two(&w, NODE_MUL, de(&w, 0, 0), un(&w, 1, 0)), un(&w, 2, 1));
    node_id second = two(&w, NODE_MUL, de(&w, 0, 0), un(&w, 1, 0));
    CHECK_STATUS(ROW(&w, GROUP_CONDITION, first, 0, only, 2, 1), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_CONDITION, second, 1, 0, 0), DAE_OK);
    w.s.condition_count = 2;
    CHECK_STATUS(finish(&w), DAE_OK);
    assert_int_equal(w.p->start->condition_count, 2);
    take_point(&w, 4);
    read_point(&w);
    reference_definitions(&w);
    double res[2], ref[2] = {0, 0};
    CHECK_STATUS(
        w.p->start->condition_residual(w.p->self, w.t, w.x, w.xp, res), DAE_OK);
    reference_rows(&w, GROUP_CONDITION, ref);
    CHECK_NEAR(res[0], ref[0], 1e-14);
    CHECK_NEAR(res[1], ref[1], 1e-14);
    system_view v = {w.p->start->condition_residual,
        w.p->start->condition_jacobian, &w.p->start->condition_pattern, 2};
    check_jacobian(&w, &v);
    check_all(&w);
    assert_int_equal(w.skipped, 0);
    world_clear(&w);
}

static void test_observations(void **state)
{
    (void)state;
    world w;
    world_init(&w, NULL);
    CHECK_STATUS(build_full(&w, 100), DAE_OK);
    CHECK_STATUS(add_params(&w, "initial(s)", 0), DAE_OK);
    uint32_t kept = system_param_element(&w.s, 0);
    /* s*x[3], and s - initial(s) */
    node_id first = two(&w, NODE_MUL, de(&w, 0, 0), un(&w, 1, 0));
    node_id second = two(&w, NODE_SUB, de(&w, 0, 0), pa(&w, 1));
    CHECK_STATUS(ROW(&w, GROUP_OBSERVATION, first, 0, 0, 2), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_OBSERVATION, second, 1, 0, kept), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_START, de(&w, 0, 0), 0, 0), DAE_OK);
    w.s.observation_count = 3; /* the third has no row: 0 */
    w.s.start_count = 1;
    CHECK_STATUS(finish(&w), DAE_OK);
    take_point(&w, 8);
    double values[3] = {9, 9, 9}, s = w.x[100];
    CHECK_STATUS(compiled_observe(w.c, w.t, w.x, w.xp, values), DAE_OK);
    CHECK_NEAR(values[0], s * w.x[2], 1e-14);
    CHECK_NEAR(values[1], s, 0);
    CHECK_NEAR(values[2], 0, 0);
    CHECK_STATUS(compiled_set_start(w.c, w.t, w.x, w.xp), DAE_OK);
    w.x[100] = s + 2;
    CHECK_STATUS(compiled_observe(w.c, w.t, w.x, w.xp, values), DAE_OK);
    CHECK_NEAR(values[1], 2, 1e-14);
    world_clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_start_leaves_zero),
        cmocka_unit_test(test_start_stays_where_one_is_no_better),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_observations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
