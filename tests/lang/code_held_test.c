/* Discrete variables in programs: rows read what is held, whose values are the
 * solver's to write. */
#include "lang/system_support.h"

enum { COUNT = 12, TERMS = 3 }; /* more rows than are fused */

static dae_status add_discrete(world *w, const char *name, node_id start)
{
    name_block b = {.name = name, .first = w->s.discrete_count++, .count = 1};
    b.unit = b.doc = "";
    if (start == NODE_NONE || !ARRAY_PUSH(w->s.allocator, &w->s.discretes, b)
        || !ARRAY_PUSH(w->s.allocator, &w->s.discrete_starts, start))
        return DAE_MEMORY;
    return DAE_OK;
}

static node_id held(world *w, uint32_t hole)
{
    return shape_hole(&w->s.shapes, LEAF_HELD, hole, 0);
}

/* x[i]' = n*x[i] + m, fused for one row: y' = m*sin(n); two whens. */
static dae_status build(world *w)
{
    static const char *const prints[] = {"turned"};
    uint32_t let;
    dae_status st = add_unknowns(w, "x", COUNT);
    if (!st) st = add_unknowns(w, "y", 1);
    if (!st) st = add_params(w, "k", 3);
    if (!st) st = add_equations(w, "flow", COUNT, 0, 5);
    if (!st) st = add_equations(w, "L2", 1, 6, 9);
    if (!st) st = add_let(w, "shift", &let);
    if (!st) st = add_discrete(w, "n", system_param_element(&w->s, 0));
    if (!st) st = add_discrete(w, "m", system_param_number(&w->s, 0.5));
    node_id flow = two(w, NODE_SUB, un(w, 0, 1),
        two(w, NODE_ADD, two(w, NODE_MUL, held(w, 1), un(w, 0, 0)),
            de(w, 2, 0)));
    for (uint32_t i = 0; i < COUNT && !st; i++)
        st = ROW(w, GROUP_EQUATION, flow, i, i, 0, let);
    if (!st) st = ROW(w, GROUP_DEFINITION, held(w, 0), let, 1);
    node_id other = two(w, NODE_SUB, un(w, 0, 1),
        two(w, NODE_MUL, held(w, 1), one(w, NODE_SIN, held(w, 2))));
    if (!st) st = ROW(w, GROUP_EQUATION, other, COUNT, COUNT, 1, 0);
    const when_block whens[] = {{.name = "turn",
                                    .assignment = 0,
                                    .assignment_count = 2,
                                    .prints = prints,
                                    .print_count = 1},
        {.name = "L9", .assignment = 2, .stop = "done"}};
    const assignment assigned[] = {{.is_discrete = true, .index = 0},
        {.is_discrete = false, .order = 1, .index = COUNT}};
    for (int k = 0; k < 2 && !st; k++)
        if (!ARRAY_PUSH(w->s.allocator, &w->s.whens, whens[k])
            || !ARRAY_PUSH(w->s.allocator, &w->s.assignments, assigned[k]))
            st = DAE_MEMORY;
    node_id less = two(w, NODE_LT, un(w, 0, 0), held(w, 1));
    if (!st) st = ROW(w, GROUP_WHEN, less, 0, 2, 0);
    if (!st) st = ROW(w, GROUP_WHEN, less, 1, 3, 1);
    node_id next = two(w, NODE_ADD, held(w, 0), un(w, 1, 0));
    if (!st) st = ROW(w, GROUP_ASSIGN, next, 0, 0, 4);
    if (!st) st = ROW(w, GROUP_ASSIGN, un(w, 0, 1), 1, COUNT);
    return st ? st : finish(w);
}

static void start_world(world *w)
{
    world_init(w, NULL);
    CHECK_STATUS(dae_diagnostics_create(NULL, &w->ds), DAE_OK);
    CHECK_STATUS(build(w), DAE_OK);
    w->x = calloc(COUNT + 1, sizeof(double));
    w->xp = calloc(COUNT + 1, sizeof(double));
    assert_true(w->x && w->xp);
    for (int i = 0; i <= COUNT; i++) {
        w->x[i] = i;
        w->xp[i] = 10 * i;
    }
}

static void check_residual(world *w, double n, double m)
{
    double res[COUNT + 1];
    CHECK_STATUS(w->p->residual(w->p->self, 0, w->x, w->xp, res), DAE_OK);
    for (int i = 0; i < COUNT; i++)
        assert_true(res[i] == w->xp[i] - (n * w->x[i] + m));
    assert_true(res[COUNT] == w->xp[COUNT] - m * sin(n));
}

static void programs_read_what_is_held(void **state)
{
    world w;
    (void)state;
    start_world(&w);
    const dae_events *e = w.p->events;
    assert_non_null(e);
    assert_int_equal(e->discrete_count, 2);
    assert_int_equal(e->switch_count, 2); /* of the two conditions */
    assert_true(isnan(e->held[2]) && isnan(e->held[3]));
    assert_true(e->held[0] == 3 && e->held[1] == 0.5);
    assert_true(e->discrete_start[0] == 3 && e->discrete_start[1] == 0.5);
    check_residual(&w, 3, 0.5);
    e->held[0] = -2;
    e->held[1] = 7;
    check_residual(&w, -2, 7);
    world_clear(&w);
}

static void starts_follow_parameters(void **state)
{
    world w;
    (void)state;
    start_world(&w);
    const dae_events *e = w.p->events;
    e->held[1] = 7;
    w.s.param_inputs.items[0] = 5;
    CHECK_STATUS(compiled_params_changed(w.c), DAE_OK);
    assert_true(e->discrete_start[0] == 5);
    assert_true(e->held[0] == 5 && e->held[1] == 0.5);
    check_residual(&w, 5, 0.5);
    world_clear(&w);
}

/* Entries -n vary: what is held may change while a run goes on. */
static void entries_vary_with_what_is_held(void **state)
{
    world w;
    (void)state;
    start_world(&w);
    double values[3 * (COUNT + 1)];
    for (int scope = 0; scope < 2; scope++) {
        w.p->events->held[0] = scope == 0 ? 3 : -4;
        CHECK_STATUS(w.p->jacobian(w.p->self, scope ? DAE_VARYING : DAE_ALL, 0,
                         w.x, w.xp, values),
            DAE_OK);
        for (int j = 0; j < COUNT; j++)
            assert_true(
                values[w.p->pattern->column_start[j]] == (scope ? 4 : -3));
    }
    world_clear(&w);
}

static void series_of_what_is_held_are_constant(void **state)
{
    world w;
    (void)state;
    start_world(&w);
    enum { WIDTH = TERMS + 1 };
    double x[(COUNT + 1) * WIDTH], f[(COUNT + 1) * TERMS];
    uint8_t need[COUNT + 1];
    memset(need, TERMS, sizeof need);
    for (int k = 0; k < (COUNT + 1) * WIDTH; k++) x[k] = 1 + k % 5;
    w.p->events->held[0] = 2;
    w.p->events->held[1] = -1;
    for (int part = 0; part < 2; part++) {
        if (part)
            CHECK_STATUS(
                w.p->series_part(w.p->self, need, TERMS, 0, x, WIDTH, f),
                DAE_OK);
        else
            CHECK_STATUS(w.p->series(w.p->self, TERMS, 0, x, WIDTH, f), DAE_OK);
        for (int i = 0; i < COUNT; i++)
            for (int k = 0; k < TERMS; k++)
                CHECK_NEAR(f[part ? k * (COUNT + 1) + i : i * TERMS + k],
                    (k + 1) * x[i * WIDTH + k + 1] - 2 * x[i * WIDTH + k]
                        + (k == 0),
                    1e-13);
        CHECK_NEAR(f[part ? COUNT : COUNT * TERMS],
            x[COUNT * WIDTH + 1] + sin(2.0), 1e-14);
        CHECK_NEAR(f[part ? 3 * COUNT + 2 : COUNT * TERMS + 2],
            3 * x[COUNT * WIDTH + 3], 1e-14);
    }
    world_clear(&w);
}

static void long_values_are_those_of_the_residual(void **state)
{
    world w;
    (void)state;
    start_world(&w);
    dae_long x[COUNT + 1], xp[COUNT + 1], res[COUNT + 1];
    double short_res[COUNT + 1];
    for (int i = 0; i <= COUNT; i++) {
        x[i] = w.x[i];
        xp[i] = w.xp[i];
    }
    for (int turn = 0; turn < 2; turn++) {
        w.p->events->held[0] = turn ? 9 : 1.5;
        CHECK_STATUS(w.p->residual_long(w.p->self, 0, x, xp, res), DAE_OK);
        CHECK_STATUS(w.p->residual(w.p->self, 0, w.x, w.xp, short_res), DAE_OK);
        for (int i = 0; i <= COUNT; i++)
            CHECK_NEAR((double)res[i], short_res[i], 1e-13);
    }
    world_clear(&w);
}

static void whens_and_assignments_are_told(void **state)
{
    world w;
    double truth[2], value[2];
    (void)state;
    start_world(&w);
    const dae_events *e = w.p->events;
    assert_int_equal(e->when_count, 2);
    assert_int_equal(e->assignment_count, 2);
    assert_int_equal(e->whens[0].assignment_count, 2);
    assert_string_equal(e->whens[0].prints[0], "turned");
    assert_null(e->whens[0].stop);
    assert_string_equal(e->whens[1].stop, "done");
    assert_true(
        e->assignments[0].is_discrete && !e->assignments[1].is_discrete);
    assert_int_equal(e->assignments[1].index, COUNT);
    assert_int_equal(e->assignments[1].order, 1);
    CHECK_STATUS(e->conditions(w.p->self, 0, w.x, w.xp, truth), DAE_OK);
    assert_true(truth[0] == 1 && truth[1] == 0); /* 2 < 3, 3 < 0.5 */
    CHECK_STATUS(e->assigned(w.p->self, 0, w.x, w.xp, value), DAE_OK);
    assert_true(value[0] == 3 + 4 && value[1] == 10 * COUNT);
    world_clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_read_what_is_held),
        cmocka_unit_test(starts_follow_parameters),
        cmocka_unit_test(entries_vary_with_what_is_held),
        cmocka_unit_test(series_of_what_is_held_are_constant),
        cmocka_unit_test(long_values_are_those_of_the_residual),
        cmocka_unit_test(whens_and_assignments_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
