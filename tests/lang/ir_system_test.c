/* The tables of a system: rows by shape, rows of definitions in order, time
 * derivatives made on demand, params, names, allocations that fail. */
#include "lang/system_support.h"

static void test_rows_share_shapes(void **state)
{
    (void)state;
    world w;
    world_init(&w, NULL);
    node_id a = one(&w, NODE_SIN, un(&w, 0, 0));
    node_id b = two(&w, NODE_MUL, un(&w, 0, 0), un(&w, 1, 0));
    for (uint32_t i = 0; i < 1000; i++) {
        CHECK_STATUS(ROW(&w, GROUP_EQUATION, a, i, i + 1), DAE_OK);
        CHECK_STATUS(ROW(&w, GROUP_EQUATION, b, i, i, 2 * i), DAE_OK);
    }
    /* the same shape with an unused hole is a list of its own */
    CHECK_STATUS(ROW(&w, GROUP_EQUATION, a, 7, 8, 9), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_OBSERVATION, a, 7, 8), DAE_OK);
    const row_group *g = &w.s.groups[GROUP_EQUATION];
    assert_int_equal(g->lists.count, 3);
    assert_int_equal(g->lists.items[0].root, a);
    assert_int_equal(row_count(&g->lists.items[0]), 1000);
    assert_int_equal(row_count(&g->lists.items[1]), 1000);
    assert_int_equal(row_count(&g->lists.items[2]), 1);
    assert_int_equal(g->lists.items[1].data.items[3 * 500], 500);
    assert_int_equal(g->lists.items[1].data.items[3 * 500 + 2], 1000);
    assert_int_equal(w.s.groups[GROUP_OBSERVATION].lists.count, 1);
    world_clear(&w);
}

/* Thousands of shapes, so that the hash grows. */
static void test_many_shapes(void **state)
{
    (void)state;
    enum { N = 5000 };
    world w;
    world_init(&w, NULL);
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < N; i++) {
            node_id number = shape_const(&w.s.shapes, i + 0.5);
            node_id root = two(&w, NODE_ADD, un(&w, 0, 0), number);
            CHECK_STATUS(ROW(&w, GROUP_EQUATION, root, i, i), DAE_OK);
        }
    const row_group *g = &w.s.groups[GROUP_EQUATION];
    assert_int_equal(g->lists.count, N);
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(row_count(&g->lists.items[i]), 2);
        assert_int_equal(g->lists.items[i].data.items[0], i);
    }
    world_clear(&w);
}

/* The targets' numbers of a definition's rows, in order. */
static void check_refs(
    const world *w, uint32_t id, const uint32_t *first_holes, uint32_t count)
{
    const definition *d = &w->s.definitions.items[id];
    assert_int_equal(d->row_count, count);
    for (uint32_t r = 0; r < count; r++) {
        row_ref ref = w->s.row_refs.items[d->first_row + r];
        const row_list *l =
            &w->s.groups[GROUP_DEFINITION].lists.items[ref.list];
        const uint32_t *row = l->data.items
            + ref.row * (1 + (size_t)l->hole_count);
        assert_int_equal(row[0], id);
        assert_int_equal(row[1], first_holes[r]);
    }
}

static void test_interleaved_rows(void **state)
{
    (void)state;
    world w;
    uint32_t a, b, c;
    world_init(&w, NULL);
    CHECK_STATUS(add_let(&w, "a", &a), DAE_OK);
    CHECK_STATUS(add_let(&w, "b", &b), DAE_OK);
    CHECK_STATUS(add_let(&w, "c", &c), DAE_OK);
    node_id x = un(&w, 0, 0), s = one(&w, NODE_SIN, x);
    CHECK_STATUS(ROW(&w, GROUP_DEFINITION, x, c, 5), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_DEFINITION, s, a, 1), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_DEFINITION, s, c, 4), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_DEFINITION, x, a, 2), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_DEFINITION, s, a, 3), DAE_OK);
    CHECK_STATUS(system_close(&w.s, NULL), DAE_OK);
    check_refs(&w, a, (uint32_t[]){1, 2, 3}, 3);
    check_refs(&w, b, NULL, 0);
    check_refs(&w, c, (uint32_t[]){5, 4}, 2);
    world_clear(&w);
}

/* Sum of the rows of a definition at u[j] = unknown(j, order). */
static double leaf_number(
    void *context, leaf_kind kind, uint32_t number, unsigned order)
{
    const uint32_t *row = context;
    if (kind == LEAF_UNKNOWN) return row[1 + number] + 10.0 * order;
    return kind == LEAF_DEFINITION ? 100.0 * (row[1 + number] + 1) + order : 3;
}

static double definition_value(const world *w, uint32_t id)
{
    const definition *d = &w->s.definitions.items[id];
    double sum = 0;
    for (uint32_t r = 0; r < d->row_count; r++) {
        row_ref ref = w->s.row_refs.items[d->first_row + r];
        const row_list *l =
            &w->s.groups[GROUP_DEFINITION].lists.items[ref.list];
        uint32_t *row = l->data.items + ref.row * (1 + (size_t)l->hole_count);
        double value;
        CHECK_STATUS(
            shape_eval(&w->s.shapes, l->root, leaf_number, row, NULL, &value),
            DAE_OK);
        sum += value;
    }
    return sum;
}

/* a = x*y + 4, b = a*x; an equation asks for b''. */
static void test_derivatives(void **state)
{
    (void)state;
    world w;
    uint32_t a, b, again;
    char text[20];
    world_init(&w, NULL);
    CHECK_STATUS(add_let(&w, "b", &b), DAE_OK);
    CHECK_STATUS(add_let(&w, "a", &a), DAE_OK);
    node_id xy = two(&w, NODE_MUL, un(&w, 0, 0), un(&w, 1, 0));
    node_id dx = two(&w, NODE_MUL, de(&w, 0, 0), un(&w, 1, 0));
    node_id four = shape_const(&w.s.shapes, 4);
    CHECK_STATUS(ROW(&w, GROUP_DEFINITION, xy, a, 2, 3), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_DEFINITION, four, a, 0), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_DEFINITION, dx, b, a, 2), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_EQUATION, de(&w, 0, 2), 0, b), DAE_OK);
    CHECK_STATUS(system_close(&w.s, NULL), DAE_OK);
    /* b', b'', a', a'' and nothing else */
    assert_int_equal(w.s.definitions.count, 6);
    uint32_t b1 = w.s.definitions.items[b].derivative;
    uint32_t b2 = w.s.definitions.items[b1].derivative;
    uint32_t a1 = w.s.definitions.items[a].derivative;
    uint32_t a2 = w.s.definitions.items[a1].derivative;
    assert_int_equal(w.s.definitions.items[a2].derivative, NODE_NONE);
    assert_int_equal(w.s.definitions.items[b2].of, b1);
    /* x = 2, x' = 12, x'' = 22; y = 3, 13, 23; of a (number 1): 200, 201, 202 */
    CHECK_NEAR(definition_value(&w, a), 2 * 3 + 4, 0);
    CHECK_NEAR(definition_value(&w, a1), 12 * 3 + 2 * 13, 0);
    CHECK_NEAR(definition_value(&w, a2), 22 * 3 + 2 * 12 * 13 + 2 * 23, 0);
    CHECK_NEAR(definition_value(&w, b1), 201 * 2 + 200 * 12, 0);
    CHECK_NEAR(definition_value(&w, b2), 202 * 2 + 2 * 201 * 12 + 200 * 22, 0);
    /* a' has no row for the constant */
    assert_int_equal(w.s.definitions.items[a1].row_count, 1);
    CHECK_STATUS(system_definition_derivative(&w.s, b, 2, &again), DAE_OK);
    assert_int_equal(again, b2);
    assert_int_equal(definition_text(&w.s, b2, text, sizeof text), 3);
    assert_string_equal(text, "b''");
    world_clear(&w);
}

/* A chain of definitions without end is a limit, not a loop. */
static void test_endless_derivatives(void **state)
{
    (void)state;
    world w;
    uint32_t a;
    world_init(&w, NULL);
    CHECK_STATUS(dae_diagnostics_create(NULL, &w.ds), DAE_OK);
    CHECK_STATUS(add_let(&w, "a", &a), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_DEFINITION, de(&w, 0, 1), a, a), DAE_OK);
    CHECK_STATUS(system_close(&w.s, w.ds), DAE_MODEL);
    CHECK_DIAG(w.ds, "E0216", 0, 0);
    world_clear(&w);
}

static void test_params(void **state)
{
    (void)state;
    world w;
    world_init(&w, NULL);
    CHECK_STATUS(add_params(&w, "D", 6), DAE_OK);
    CHECK_STATUS(add_params(&w, "h", 2), DAE_OK);
    CHECK_STATUS(add_params(&w, "k", 5), DAE_OK);
    node_id d = system_param_element(&w.s, 0);
    node_id h = system_param_element(&w.s, 1);
    node_id ratio = shape_binary(
        &w.s.params, NODE_DIV, d, shape_powi(&w.s.params, h, 2));
    CHECK_STATUS(system_params_update(&w.s), DAE_OK);
    CHECK_NEAR(w.s.param_values.items[ratio], 1.5, 0);
    w.s.param_inputs.items[0] = 8;
    system_params_evaluate(&w.s);
    CHECK_NEAR(w.s.param_values.items[ratio], 2, 0);
    node_id number = system_param_number(&w.s, 0.25);
    assert_int_equal(system_param_number(&w.s, 0.25), number);
    CHECK_NEAR(w.s.param_values.items[number], 0.25, 0);
    CHECK_STATUS(system_param_mark(&w.s, number), DAE_OK);
    CHECK_STATUS(system_param_mark(&w.s, ratio), DAE_OK);
    assert_int_equal(w.s.param_is_structural.count, 2);
    assert_true(w.s.param_is_structural.items[0]);
    assert_true(w.s.param_is_structural.items[1]);
    world_clear(&w);
}

static void test_names(void **state)
{
    (void)state;
    world w;
    char text[40], small[4];
    int64_t indices[] = {3, -1, 4, 0};
    world_init(&w, NULL);
    name_block blocks[] = {
        {.name = "a", .first = 0, .count = 1},
        {.name = "none", .first = 1, .count = 0, .rank = 1},
        {.name = "T",
            .first = 1,
            .count = 6,
            .rank = 2,
            .lower = {0, 1},
            .extent = {2, 3}},
        {.name = "z", .first = 9, .count = 1},
    };
    for (int k = 0; k < 4; k++)
        assert_true(ARRAY_PUSH(w.s.allocator, &w.s.unknowns, blocks[k]));
    const name_blocks *b = &w.s.unknowns;
    assert_int_equal(name_block_text(b, 0, text, sizeof text), 1);
    assert_string_equal(text, "a");
    (void)name_block_text(b, 1, text, sizeof text);
    assert_string_equal(text, "T[0,1]");
    (void)name_block_text(b, 6, text, sizeof text);
    assert_string_equal(text, "T[1,3]");
    assert_ptr_equal(name_block_find(b, 9), &b->items[3]);
    assert_null(name_block_find(b, 7));
    assert_null(name_block_find(b, 10));
    assert_int_equal(name_block_text(b, 6, small, sizeof small), 6);
    assert_string_equal(small, "T[1");
    assert_int_equal(name_block_text(b, 6, NULL, 0), 6);
    equation_block e = {.name = "inside",
        .first = 5,
        .count = 2,
        .rank = 2,
        .indices = indices};
    assert_true(ARRAY_PUSH(w.s.allocator, &w.s.equations, e));
    (void)equation_block_text(&w.s.equations, 6, text, sizeof text);
    assert_string_equal(text, "inside[4,0]");
    assert_null(equation_block_find(&w.s.equations, 7));
    const int64_t grid[] = {-1, 5, 2, 3};
    equation_block of_grid = {.name = "grid",
        .first = 7,
        .count = 6,
        .rank = 2,
        .is_grid = true,
        .indices = grid};
    assert_true(ARRAY_PUSH(w.s.allocator, &w.s.equations, of_grid));
    (void)equation_block_text(&w.s.equations, 7, text, sizeof text);
    assert_string_equal(text, "grid[-1,5]");
    (void)equation_block_text(&w.s.equations, 11, text, sizeof text);
    assert_string_equal(text, "grid[0,6]");
    assert_null(equation_block_find(&w.s.equations, 4));
    world_clear(&w);
}

/* Lets in another order than their definitions; parts by their line. */
static void test_definition_names(void **state)
{
    (void)state;
    static const char source[] = "one\ntwo\nthree\n";
    world w;
    char text[40];
    uint32_t part, let, prime;
    world_init(&w, NULL);
    CHECK_STATUS(
        source_init(&w.source, &w.arena, "m.dae", source, sizeof source - 1),
        DAE_OK);
    w.s.source = &w.source;
    CHECK_STATUS(system_begin_definition(&w.s, DEFINITION_PART, &part), DAE_OK);
    w.s.definitions.items[part].span = (text_span){9, 12};
    CHECK_STATUS(add_let(&w, "r", &let), DAE_OK);
    CHECK_STATUS(system_definition_derivative(&w.s, part, 1, &prime), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_DEFINITION, un(&w, 0, 0), part, 1), DAE_OK);
    (void)definition_text(&w.s, part, text, sizeof text);
    assert_string_equal(text, "part at line 3");
    CHECK_STATUS(ROW(&w, GROUP_DEFINITION, un(&w, 0, 0), part, 2), DAE_OK);
    (void)definition_text(&w.s, part, text, sizeof text);
    assert_string_equal(text, "sum at line 3");
    (void)definition_text(&w.s, prime, text, sizeof text);
    assert_string_equal(text, "(sum at line 3)'");
    (void)definition_text(&w.s, let, text, sizeof text);
    assert_string_equal(text, "r");
    world_clear(&w);
}

static dae_status build_and_close(world *w)
{
    dae_status st = build_levels(w);
    if (!st) st = build_full(w, 40);
    for (size_t k = 0; k < 100 && !st; k++)
        if (system_param_number(&w->s, (double)k + 0.5) == NODE_NONE)
            st = DAE_MEMORY;
    return st ? st : system_close(&w->s, NULL);
}

static void test_memory(void **state)
{
    (void)state;
    bool is_done = false;
    for (size_t n = 0; !is_done; n++) {
        world w;
        failing_memory memory;
        failing_init(&memory, n);
        world_init(&w, &memory.allocator);
        dae_status st = build_and_close(&w);
        is_done = st == DAE_OK;
        if (!is_done) CHECK_STATUS(st, DAE_MEMORY);
        world_clear(&w);
        assert_int_equal(memory.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_share_shapes),
        cmocka_unit_test(test_many_shapes),
        cmocka_unit_test(test_interleaved_rows),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_endless_derivatives),
        cmocka_unit_test(test_params),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_definition_names),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
