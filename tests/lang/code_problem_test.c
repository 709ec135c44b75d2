/* From rows to a dae_problem: residual against shape_eval, Jacobian against
 * differences of the residual, the pattern, kinds of entries, internal
 * unknowns, start values, conditions, observations, allocations that fail. */
#include "lang/compiled_support.h"

static uint8_t kind_of(const world *w, size_t equation, size_t column)
{
    const dae_pattern *p = w->p->pattern;
    for (int64_t e = p->column_start[column]; e < p->column_start[column + 1];
         e++)
        if ((size_t)p->row[e] == equation) return p->kind[e];
    return 99;
}

/* ---- systems ---------------------------------------------------------------- */

static void test_second_order(void **state)
{
    (void)state;
    world w;
    size_t index;
    bool in_xp;
    world_init(&w, NULL);
    CHECK_STATUS(build_oscillator(&w), DAE_OK);
    CHECK_STATUS(finish(&w), DAE_OK);
    assert_int_equal(w.p->unknown_count, 3);
    assert_int_equal(w.p->order[0], 2);
    assert_int_equal(w.p->order[1], 0);
    assert_int_equal(w.p->order[2], 1);
    assert_int_equal(w.c->slots.total_states, 4);
    assert_true(compiled_slot(w.c, 0, 1, &index, &in_xp));
    assert_true(index == 1 && !in_xp);
    assert_true(compiled_slot(w.c, 0, 2, &index, &in_xp));
    assert_true(index == 0 && in_xp);
    assert_true(compiled_slot(w.c, 1, 0, &index, &in_xp));
    assert_true(index == 2 && !in_xp);
    assert_false(compiled_slot(w.c, 1, 1, &index, &in_xp));
    check_all(&w);
    /* columns: y y' z w | y'' (z') w' */
    assert_int_equal(kind_of(&w, 0, 0), DAE_ENTRY_PARAMETER); /* k */
    assert_int_equal(kind_of(&w, 0, 1), DAE_ENTRY_CONSTANT);  /* 2 */
    assert_int_equal(kind_of(&w, 0, 4), DAE_ENTRY_PARAMETER); /* m */
    assert_int_equal(kind_of(&w, 1, 0), DAE_ENTRY_VARYING);   /* y' */
    assert_int_equal(kind_of(&w, 1, 2), DAE_ENTRY_CONSTANT);
    assert_int_equal(kind_of(&w, 2, 6), DAE_ENTRY_PARAMETER);
    assert_int_equal(kind_of(&w, 2, 5), 99);
    /* params */
    w.s.param_inputs.items[1] = 30;
    CHECK_STATUS(compiled_params_changed(w.c), DAE_OK);
    check_all(&w);
    assert_int_equal(w.skipped, 0);
    world_clear(&w);
}

static void test_definitions(void **state)
{
    (void)state;
    world w;
    char text[40];
    world_init(&w, NULL);
    CHECK_STATUS(build_levels(&w), DAE_OK);
    CHECK_STATUS(finish(&w), DAE_OK);
    /* c' needs b' and a', which need x', y', z' */
    assert_int_equal(w.p->order[0], 1);
    assert_int_equal(w.p->order[2], 1);
    assert_int_equal(w.c->defs.level[0], 2);
    assert_int_equal(w.c->defs.level[1], 0);
    assert_int_equal(w.c->defs.level[2], 1);
    assert_int_equal(w.p->unknown_count, 3);
    uint32_t prime = w.s.definitions.items[0].derivative;
    assert_int_equal(definition_text(&w.s, prime, text, sizeof text), 2);
    assert_string_equal(text, "c'");
    check_all(&w);
    assert_int_equal(w.skipped, 0);
    world_clear(&w);
}

static void test_internal_unknowns(void **state)
{
    (void)state;
    world w;
    char text[40];
    world_init(&w, NULL);
    CHECK_STATUS(build_full(&w, 100), DAE_OK);
    CHECK_STATUS(finish(&w), DAE_OK);
    /* s and s' are unknowns; s2 of two unknowns is not worth one */
    assert_int_equal(w.p->unknown_count, 102);
    assert_int_equal(w.c->slots.total_states, 102);
    assert_int_equal(w.p->order[100], 0);
    assert_int_equal(w.p->index_group[99], 1);
    assert_int_equal(w.p->index_group[100], 255);
    (void)w.p->name(w.p->self, DAE_NAME_UNKNOWN, 100, text, sizeof text);
    assert_string_equal(text, "s");
    (void)w.p->name(w.p->self, DAE_NAME_EQUATION, 101, text, sizeof text);
    assert_string_equal(text, "s'");
    (void)w.p->name(w.p->self, DAE_NAME_EQUATION, 99, text, sizeof text);
    assert_string_equal(text, "flow[100]");
    size_t nonzeros = (size_t)w.p->pattern->column_start[102 + 102];
    assert_true(nonzeros < 1000);
    check_all(&w);
    assert_int_equal(w.skipped, 0);
    world_clear(&w);
}

static void test_internal_start(void **state)
{
    (void)state;
    world w;
    world_init(&w, NULL);
    CHECK_STATUS(build_full(&w, 100), DAE_OK);
    for (uint32_t j = 0; j < 100; j++)
        assert_true(ARRAY_PUSH(w.s.allocator, &w.s.starts,
            (start_value){.unknown = j, .value = 2}));
    CHECK_STATUS(finish(&w), DAE_OK);
    CHECK_NEAR(w.p->start->x[100], 400, 1e-10);
    CHECK_NEAR(w.p->start->x[101], 0, 0);
    world_clear(&w);
}

/* One shape with three kinds of rows: in x[i]' + d*x[i]*q = 0 with q = 0, 1 or
 * a param, d is an internal unknown or chained. */
static dae_status build_mixed(world *w)
{
    enum { N = 200 };
    uint32_t s = 0, r = 0, zero, two_number, q;
    dae_status st = add_unknowns(w, "x", N);
    if (!st) st = add_equations(w, "flow", N, 0, 5);
    if (!st) st = add_let(w, "r", &r);
    if (!st) st = add_let(w, "s", &s);
    if (!st) st = add_params(w, "q", 3);
    if (st) return st;
    zero = system_param_number(&w->s, 0);
    two_number = system_param_number(&w->s, 2);
    q = system_param_element(&w->s, 0);
    const uint32_t factor[] = {zero, two_number, q};
    node_id cube = shape_powi(&w->s.shapes, un(w, 0, 0), 3);
    for (uint32_t i = 0; i < N && !st; i++)
        st = ROW(w, GROUP_DEFINITION, cube, s, i);
    for (uint32_t i = 0; i < 3 && !st; i++)
        st = ROW(w, GROUP_DEFINITION, cube, r, i);
    node_id flow = two(w, NODE_MUL, pa(w, 2), de(w, 1, 0));
    node_id other = two(w, NODE_MUL, pa(w, 1), un(w, 0, 0));
    for (uint32_t i = 0; i < N && !st; i++) {
        st = ROW(w, GROUP_EQUATION, un(w, 0, 1), i, i);
        if (!st)
            st = ROW(
                w, GROUP_EQUATION, flow, i, i, i % 2 ? r : s, factor[i % 3]);
        if (!st)
            st = ROW(w, GROUP_EQUATION, other, i, (i + 1) % N, factor[i % 3]);
    }
    return st;
}

static void test_mixed_rows(void **state)
{
    (void)state;
    world w;
    world_init(&w, NULL);
    CHECK_STATUS(build_mixed(&w), DAE_OK);
    CHECK_STATUS(finish(&w), DAE_OK);
    assert_int_equal(w.p->unknown_count, 201); /* s, not r */
    check_all(&w);
    assert_int_equal(w.skipped, 0);
    /* columns: x, s | x'; where q is 0 there is no entry */
    assert_int_equal(kind_of(&w, 0, 1), 99);
    assert_int_equal(kind_of(&w, 6, 200), 99);
    assert_int_equal(kind_of(&w, 4, 200), DAE_ENTRY_CONSTANT);
    assert_int_equal(kind_of(&w, 2, 200), DAE_ENTRY_PARAMETER);
    assert_int_equal(kind_of(&w, 3, 1), 99);
    assert_int_equal(kind_of(&w, 5, 1), DAE_ENTRY_VARYING);
    world_clear(&w);
}

/* A small one of the same kind stays chained. */
static void test_chained(void **state)
{
    (void)state;
    world w;
    world_init(&w, NULL);
    CHECK_STATUS(build_full(&w, 9), DAE_OK);
    CHECK_STATUS(finish(&w), DAE_OK);
    assert_int_equal(w.p->unknown_count, 9);
    check_all(&w);
    assert_int_equal(w.skipped, 0);
    world_clear(&w);
}

/* One sum of 10^5 items in one equation: a full row, no unknown of its own. */
static void test_long_sum(void **state)
{
    (void)state;
    enum { N = 100000 };
    world w;
    uint32_t s;
    world_init(&w, NULL);
    CHECK_STATUS(add_unknowns(&w, "x", N), DAE_OK);
    CHECK_STATUS(add_equations(&w, "flow", N, 0, 5), DAE_OK);
    CHECK_STATUS(add_let(&w, "s", &s), DAE_OK);
    node_id square = shape_powi(&w.s.shapes, un(&w, 0, 0), 2);
    node_id flow = two(&w, NODE_ADD, un(&w, 0, 1), un(&w, 0, 0));
    node_id last = two(
        &w, NODE_SUB, un(&w, 0, 0), one(&w, NODE_SQRT, de(&w, 1, 0)));
    for (uint32_t i = 0; i < N; i++)
        CHECK_STATUS(ROW(&w, GROUP_DEFINITION, square, s, i), DAE_OK);
    for (uint32_t i = 0; i + 1 < N; i++)
        CHECK_STATUS(ROW(&w, GROUP_EQUATION, flow, i, i), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_EQUATION, last, N - 1, N - 1, s), DAE_OK);
    CHECK_STATUS(finish(&w), DAE_OK);
    assert_int_equal(w.p->unknown_count, N);
    take_point(&w, 5);
    check_residual(&w);
    const dae_pattern *p = w.p->pattern;
    size_t nonzeros = (size_t)p->column_start[2 * N];
    assert_int_equal(nonzeros, 3 * N - 2);
    double *values = calloc(nonzeros, sizeof *values);
    double norm = 0;
    CHECK_STATUS(
        w.p->jacobian(w.p->self, DAE_ALL, w.t, w.x, w.xp, values), DAE_OK);
    for (int i = 0; i < N; i++) norm += w.x[i] * w.x[i];
    norm = sqrt(norm);
    for (int i = 0; i < N - 1; i++) { /* column i: rows i and N - 1 */
        int64_t e = p->column_start[i];
        assert_int_equal(p->row[e + 1], N - 1);
        CHECK_NEAR(values[e], 1, 0);
        CHECK_NEAR(values[e + 1], -w.x[i] / norm, 1e-12);
    }
    free(values);
    world_clear(&w);
}

/* x[i]' = d*(x[i-1] - 2*x[i] + x[i+1]) - x[i]^3, with walls x = t. */
static void test_grid(void **state)
{
    (void)state;
    enum { N = 100000 };
    world w;
    world_init(&w, NULL);
    CHECK_STATUS(add_unknowns(&w, "x", N), DAE_OK);
    CHECK_STATUS(add_equations(&w, "wall", 2, 0, 5), DAE_OK);
    CHECK_STATUS(add_equations(&w, "inner", N - 2, 6, 9), DAE_OK);
    CHECK_STATUS(add_params(&w, "d", 4), DAE_OK);
    uint32_t d = system_param_element(&w.s, 0);
    uint32_t number = system_param_number(&w.s, 2);
    node_id wall = two(
        &w, NODE_SUB, un(&w, 0, 0), shape_hole(&w.s.shapes, LEAF_TIME, 1, 0));
    node_id flux = two(&w, NODE_ADD,
        two(&w, NODE_SUB, un(&w, 1, 0),
            two(&w, NODE_MUL, pa(&w, 4), un(&w, 2, 0))),
        un(&w, 3, 0));
    node_id inner = two(&w, NODE_SUB, un(&w, 2, 1),
        two(&w, NODE_SUB, two(&w, NODE_MUL, pa(&w, 0), flux),
            shape_powi(&w.s.shapes, un(&w, 2, 0), 3)));
    CHECK_STATUS(ROW(&w, GROUP_EQUATION, wall, 0, 0, 0), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_EQUATION, wall, 1, N - 1, 0), DAE_OK);
    for (uint32_t i = 1; i + 1 < N; i++)
        CHECK_STATUS(
            ROW(&w, GROUP_EQUATION, inner, i + 1, d, i - 1, i, i + 1, number),
            DAE_OK);
    CHECK_STATUS(finish(&w), DAE_OK);
    take_point(&w, 3);
    check_residual(&w);
    const dae_pattern *p = w.p->pattern;
    check_pattern(p, 2 * N, N);
    size_t nonzeros = (size_t)p->column_start[2 * N];
    assert_int_equal(nonzeros, 2 + 4 * (N - 2));
    double *values = calloc(nonzeros, sizeof *values);
    CHECK_STATUS(
        w.p->jacobian(w.p->self, DAE_ALL, w.t, w.x, w.xp, values), DAE_OK);
    for (int64_t j = 2; j < N - 2; j++) { /* rows j, j + 1, j + 2 */
        int64_t e = p->column_start[j];
        assert_int_equal(p->row[e], j);
        assert_int_equal(p->kind[e], DAE_ENTRY_PARAMETER);
        assert_int_equal(p->kind[e + 1], DAE_ENTRY_VARYING);
        CHECK_NEAR(values[e], -4, 0);
        CHECK_NEAR(values[e + 1], 8 + 3 * w.x[j] * w.x[j], 1e-13);
        CHECK_NEAR(values[e + 2], -4, 0);
        CHECK_NEAR(values[p->column_start[N + j]], 1, 0);
    }
    free(values);
    system_view v = equations_of(&w);
    check_kinds(&w, &v, 9);
    world_clear(&w);
}

/* ---- random systems ----------------------------------------------------------- */

static void test_random(void **state)
{
    (void)state;
    size_t compared = 0, skipped = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        world w;
        world_init(&w, NULL);
        CHECK_STATUS(build_random(&w, seed), DAE_OK);
        CHECK_STATUS(finish(&w), DAE_OK);
        check_all(&w);
        compared += w.compared;
        skipped += w.skipped;
        world_clear(&w);
    }
    assert_true(compared > 5000 && skipped < compared / 10);
}

/* ---- memory ---------------------------------------------------------------------- */

typedef dae_status build_fn(world *w);

static dae_status build_small_full(world *w)
{
    return build_full(w, 70);
}

static void fail_every(build_fn *build)
{
    bool is_done = false;
    for (size_t n = 0; !is_done; n++) {
        world w;
        failing_memory memory;
        failing_init(&memory, n);
        world_init(&w, &memory.allocator);
        dae_status st = build(&w);
        if (!st) st = finish(&w);
        is_done = st == DAE_OK;
        if (!is_done) CHECK_STATUS(st, DAE_MEMORY);
        assert_true(is_done || !w.c);
        world_clear(&w);
        assert_int_equal(memory.live, 0);
    }
}

static void test_memory(void **state)
{
    (void)state;
    fail_every(build_oscillator);
    fail_every(build_levels);
    fail_every(build_small_full);
}

/* A compiled system without any memory left: what needs some says so or says
 * nothing, and changes nothing. */
static void test_no_memory_later(void **state)
{
    (void)state;
    world w;
    failing_memory memory;
    char text[40] = "old";
    failing_init(&memory, SIZE_MAX);
    world_init(&w, &memory.allocator);
    CHECK_STATUS(build_oscillator(&w), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_START, un(&w, 0, 0), 0, 0), DAE_OK);
    w.s.start_count = 1;
    CHECK_STATUS(finish(&w), DAE_OK);
    take_point(&w, 1);
    memory.fail_from = memory.allocations;
    CHECK_STATUS(compiled_set_start(w.c, 0, w.x, w.xp), DAE_MEMORY);
    CHECK_NEAR(w.s.param_inputs.items[0], 2, 0);
    CHECK_STATUS(compiled_params_changed(w.c), DAE_MEMORY);
    w.x[0] = (double)NAN;
    assert_true(
        w.p->explain(w.p->self, DAE_NAME_EQUATION, 0, 0, w.x, w.xp, text, 40)
        == SIZE_MAX);
    assert_string_equal(text, "");
    world_clear(&w);
    assert_int_equal(memory.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_second_order),
        cmocka_unit_test(test_definitions),
        cmocka_unit_test(test_internal_unknowns),
        cmocka_unit_test(test_internal_start),
        cmocka_unit_test(test_mixed_rows),
        cmocka_unit_test(test_chained),
        cmocka_unit_test(test_long_sum),
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_no_memory_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
