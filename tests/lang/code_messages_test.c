/* What a compiled system says: faults of its counts and derivatives, values
 * that are not finite, listings. */
#include "lang/system_support.h"

static const char text_of_model[] = "abcde\nfgh\nij\n";

static void world_with_text(world *w)
{
    world_init(w, NULL);
    CHECK_STATUS(source_init(&w->source, &w->arena, "m.dae", text_of_model,
                     sizeof text_of_model - 1),
        DAE_OK);
    w->s.source = &w->source;
    CHECK_STATUS(dae_diagnostics_create(NULL, &w->ds), DAE_OK);
}

static const dae_diagnostic *only_diagnostic(const world *w)
{
    assert_int_equal(dae_diagnostics_count(w->ds), 1);
    return dae_diagnostics_at(w->ds, 0);
}

static void test_too_few_equations(void **state)
{
    (void)state;
    world w;
    world_with_text(&w);
    CHECK_STATUS(build_oscillator(&w), DAE_OK);
    CHECK_STATUS(add_unknowns(&w, "lonely", 1), DAE_OK);
    w.s.unknowns.items[3].span = (text_span){6, 9};
    CHECK_STATUS(finish(&w), DAE_MODEL);
    assert_null(w.c);
    const dae_diagnostic *d = only_diagnostic(&w);
    assert_string_equal(d->code, "E0301");
    assert_string_equal(d->message,
        "the model has 3 equations for 4 unknowns, 1 equation is missing");
    assert_int_equal(d->span_count, 1);
    assert_int_equal(d->spans[0].line, 2);
    assert_string_equal(d->spans[0].label, "`lonely` occurs in no equation");
    world_clear(&w);
}

static void test_too_many_equations(void **state)
{
    (void)state;
    world w;
    uint32_t only_time;
    world_with_text(&w);
    CHECK_STATUS(build_oscillator(&w), DAE_OK);
    CHECK_STATUS(add_let(&w, "ramp", &only_time), DAE_OK);
    node_id time = shape_hole(&w.s.shapes, LEAF_TIME, 0, 0);
    CHECK_STATUS(ROW(&w, GROUP_DEFINITION, time, only_time, 0), DAE_OK);
    CHECK_STATUS(add_equations(&w, "idle", 2, 10, 12), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_EQUATION, de(&w, 0, 0), 3, only_time), DAE_OK);
    CHECK_STATUS(finish(&w), DAE_MODEL);
    const dae_diagnostic *d = only_diagnostic(&w);
    assert_string_equal(d->code, "E0301");
    assert_string_equal(d->message,
        "the model has 5 equations for 3 unknowns, 2 equations too many");
    assert_int_equal(d->span_count, 2);
    assert_int_equal(d->spans[0].line, 3);
    assert_string_equal(d->spans[0].label, "`idle[1]` contains no unknown");
    assert_string_equal(d->spans[1].label, "`idle[2]` contains no unknown");
    world_clear(&w);
}

static void test_singular(void **state)
{
    (void)state;
    world w;
    world_with_text(&w);
    CHECK_STATUS(build_oscillator(&w), DAE_OK);
    CHECK_STATUS(add_equations(&w, "idle", 1, 10, 12), DAE_OK);
    CHECK_STATUS(add_unknowns(&w, "lonely", 1), DAE_OK);
    w.s.unknowns.items[3].span = (text_span){6, 9};
    CHECK_STATUS(finish(&w), DAE_MODEL);
    CHECK_DIAG(w.ds, "E0302", 3, 1);
    const dae_diagnostic *d = only_diagnostic(&w);
    assert_string_equal(d->message,
        "equation `idle` contains no unknown, so it determines nothing");
    assert_string_equal(d->spans[1].label, "`lonely` occurs in no equation");
    world_clear(&w);
}

/* T[1] = 0, T[n] = 0 and T[i]' = T[i+1] - T[i] for i in 1..n-1 */
static dae_status build_chain(world *w, uint32_t n)
{
    dae_status st = add_unknowns(w, "T", n);
    if (!st) st = add_equations(w, "left", 1, 0, 5);
    if (!st) st = add_equations(w, "right", 1, 6, 9);
    if (!st) st = add_equations(w, "flow", n - 1, 10, 12);
    if (!st) st = ROW(w, GROUP_EQUATION, un(w, 0, 0), 0, 0);
    if (!st) st = ROW(w, GROUP_EQUATION, un(w, 0, 0), 1, n - 1);
    node_id flow = two(
        w, NODE_SUB, un(w, 0, 1), two(w, NODE_SUB, un(w, 1, 0), un(w, 2, 0)));
    for (uint32_t i = 0; i + 1 < n && !st; i++)
        st = ROW(w, GROUP_EQUATION, flow, 2 + i, i, i + 1, i);
    return st;
}

static void test_too_many_by_structure(void **state)
{
    (void)state;
    world w;
    world_with_text(&w);
    CHECK_STATUS(build_chain(&w, 5), DAE_OK);
    CHECK_STATUS(finish(&w), DAE_MODEL);
    CHECK_DIAG(w.ds, "E0301", 1, 1);
    const dae_diagnostic *d = only_diagnostic(&w);
    assert_string_equal(d->message,
        "the model has 6 equations for 5 unknowns, 1 equation too many");
    assert_int_equal(d->span_count, 3);
    assert_string_equal(d->spans[0].label,
        "`left`, `right` and `flow` (4 equations) together: one equation too "
        "many for `T[1]`, `T[2]`, `T[3]`, `T[4]` and `T[5]`");
    assert_int_equal(d->spans[1].line, 2);
    assert_string_equal(d->spans[1].label, "`right` is one of them");
    assert_int_equal(d->spans[2].line, 3);
    assert_string_equal(d->spans[2].label, "`flow[1]` is one of them");
    world_clear(&w);
}

/* The two equations of one unknown are named, not the long chain that is one
 * too many as well. */
static void test_smallest_surplus_first(void **state)
{
    (void)state;
    world w;
    world_with_text(&w);
    CHECK_STATUS(build_chain(&w, 5), DAE_OK);
    CHECK_STATUS(add_unknowns(&w, "z", 1), DAE_OK);
    CHECK_STATUS(add_equations(&w, "a", 1, 10, 11), DAE_OK);
    CHECK_STATUS(add_equations(&w, "b", 1, 11, 12), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_EQUATION, un(&w, 0, 0), 6, 5), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_EQUATION, un(&w, 0, 1), 7, 5), DAE_OK);
    CHECK_STATUS(finish(&w), DAE_MODEL);
    CHECK_DIAG(w.ds, "E0301", 3, 1);
    const dae_diagnostic *d = only_diagnostic(&w);
    assert_string_equal(d->message,
        "the model has 8 equations for 6 unknowns, 2 equations too many");
    assert_string_equal(
        d->spans[0].label, "equations `a` and `b` both determine only `z`");
    assert_string_equal(d->spans[1].label, "`b` is one of them");
    world_clear(&w);
}

static void test_too_few_by_structure(void **state)
{
    (void)state;
    world w;
    world_with_text(&w);
    CHECK_STATUS(build_oscillator(&w), DAE_OK);
    CHECK_STATUS(add_unknowns(&w, "u", 1), DAE_OK);
    CHECK_STATUS(add_unknowns(&w, "v", 1), DAE_OK);
    w.s.unknowns.items[3].span = (text_span){6, 7};
    w.s.unknowns.items[4].span = (text_span){8, 9};
    CHECK_STATUS(add_equations(&w, "both", 1, 10, 12), DAE_OK);
    node_id sum = two(&w, NODE_ADD, un(&w, 0, 0), un(&w, 1, 0));
    sum = two(&w, NODE_ADD, sum, un(&w, 2, 0));
    CHECK_STATUS(ROW(&w, GROUP_EQUATION, sum, 3, 0, 3, 4), DAE_OK);
    CHECK_STATUS(finish(&w), DAE_MODEL);
    CHECK_DIAG(w.ds, "E0301", 2, 1);
    const dae_diagnostic *d = only_diagnostic(&w);
    assert_string_equal(d->message,
        "the model has 4 equations for 5 unknowns, 1 equation is missing");
    assert_int_equal(d->span_count, 2);
    assert_string_equal(
        d->spans[0].label, "`both` alone has to determine `u` and `v`");
    assert_string_equal(d->spans[1].label, "`v` is one of them");
    world_clear(&w);
}

/* x' = -x ; a: x*2 = x^2 ; b: y + z = x */
static void test_singular_parts(void **state)
{
    (void)state;
    world w;
    world_with_text(&w);
    CHECK_STATUS(add_unknowns(&w, "x", 1), DAE_OK);
    CHECK_STATUS(add_unknowns(&w, "y", 1), DAE_OK);
    CHECK_STATUS(add_unknowns(&w, "z", 1), DAE_OK);
    CHECK_STATUS(add_equations(&w, "L2", 1, 0, 5), DAE_OK);
    CHECK_STATUS(add_equations(&w, "a", 1, 6, 9), DAE_OK);
    CHECK_STATUS(add_equations(&w, "b", 1, 10, 12), DAE_OK);
    node_id x = un(&w, 0, 0), y = un(&w, 1, 0), z = un(&w, 2, 0);
    node_id decay = two(&w, NODE_ADD, un(&w, 0, 1), x);
    CHECK_STATUS(ROW(&w, GROUP_EQUATION, decay, 0, 0), DAE_OK);
    node_id square = shape_powi(&w.s.shapes, x, 2);
    node_id wall = two(&w, NODE_SUB, two(&w, NODE_ADD, x, x), square);
    CHECK_STATUS(ROW(&w, GROUP_EQUATION, wall, 1, 0), DAE_OK);
    node_id sum = two(&w, NODE_SUB, two(&w, NODE_ADD, y, z), x);
    CHECK_STATUS(ROW(&w, GROUP_EQUATION, sum, 2, 0, 1, 2), DAE_OK);
    CHECK_STATUS(finish(&w), DAE_MODEL);
    CHECK_DIAG(w.ds, "E0302", 1, 1);
    const dae_diagnostic *d = only_diagnostic(&w);
    assert_string_equal(d->message,
        "equations `L2` and `a` both determine only `x`, and `b` alone has to "
        "determine `y` and `z`");
    assert_int_equal(d->span_count, 3);
    assert_int_equal(d->spans[1].line, 2);
    assert_int_equal(d->spans[2].line, 3);
    assert_string_equal(
        d->help, "one of `L2` and `a` has to contain one of `y` and `z`");
    world_clear(&w);
}

/* s = x + y ; s = 1 ; s' = 0: both equations know x and y by their sum. */
static void test_singular_through_a_definition(void **state)
{
    (void)state;
    world w;
    uint32_t s = 0;
    world_with_text(&w);
    CHECK_STATUS(add_unknowns(&w, "x", 1), DAE_OK);
    CHECK_STATUS(add_unknowns(&w, "y", 1), DAE_OK);
    CHECK_STATUS(add_equations(&w, "a", 1, 0, 5), DAE_OK);
    CHECK_STATUS(add_equations(&w, "b", 1, 6, 9), DAE_OK);
    CHECK_STATUS(add_let(&w, "s", &s), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_DEFINITION, un(&w, 0, 0), s, 0), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_DEFINITION, un(&w, 0, 0), s, 1), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_EQUATION, de(&w, 0, 0), 0, s), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_EQUATION, de(&w, 0, 1), 1, s), DAE_OK);
    CHECK_STATUS(finish(&w), DAE_MODEL);
    CHECK_DIAG(w.ds, "E0302", 1, 1);
    assert_string_equal(only_diagnostic(&w)->message,
        "equations `a` and `b` both determine only `s`, and `s` alone has to "
        "determine `x` and `y`");
    world_clear(&w);
}

static void test_no_slot(void **state)
{
    (void)state;
    world w;
    world_with_text(&w);
    CHECK_STATUS(build_oscillator(&w), DAE_OK);
    equation_block block = {.name = "L3", .count = 1, .span = {10, 12}};
    assert_true(ARRAY_PUSH(w.s.allocator, &w.s.conditions, block));
    w.s.condition_count = 1;
    CHECK_STATUS(ROW(&w, GROUP_CONDITION, un(&w, 0, 2), 0, 2), DAE_OK);
    CHECK_STATUS(finish(&w), DAE_MODEL);
    CHECK_DIAG(w.ds, "E0216", 3, 1);
    assert_string_equal(only_diagnostic(&w)->message,
        "`w''` does not occur in the equations, so it has no value here");
    world_clear(&w);
}

/* A derivative asked for through a definition that only an observation uses,
 * and a condition on a derivative that does not occur. */
static void test_no_slot_elsewhere(void **state)
{
    (void)state;
    world w;
    uint32_t let;
    world_with_text(&w);
    CHECK_STATUS(build_oscillator(&w), DAE_OK);
    CHECK_STATUS(add_let(&w, "speed", &let), DAE_OK);
    w.s.definitions.items[let].span = (text_span){6, 9};
    CHECK_STATUS(ROW(&w, GROUP_DEFINITION, un(&w, 0, 1), let, 1), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_OBSERVATION, de(&w, 0, 0), 0, let), DAE_OK);
    w.s.observation_count = 1;
    CHECK_STATUS(finish(&w), DAE_MODEL);
    CHECK_DIAG(w.ds, "E0216", 2, 1);
    world_clear(&w);

    world_with_text(&w);
    CHECK_STATUS(build_oscillator(&w), DAE_OK);
    start_value v = {
        .unknown = 1, .order = 1, .is_condition = true, .span = {10, 12}};
    assert_true(ARRAY_PUSH(w.s.allocator, &w.s.starts, v));
    CHECK_STATUS(finish(&w), DAE_MODEL);
    CHECK_DIAG(w.ds, "E0216", 3, 1);
    world_clear(&w);
}

/* a = sin(b), b = a: whoever made these rows is told. */
static void test_cycle(void **state)
{
    (void)state;
    world w;
    uint32_t a, b;
    world_with_text(&w);
    CHECK_STATUS(add_unknowns(&w, "x", 1), DAE_OK);
    CHECK_STATUS(add_equations(&w, "e", 1, 0, 5), DAE_OK);
    CHECK_STATUS(add_let(&w, "a", &a), DAE_OK);
    CHECK_STATUS(add_let(&w, "b", &b), DAE_OK);
    node_id sine = one(&w, NODE_SIN, de(&w, 0, 0));
    node_id sum = two(&w, NODE_ADD, un(&w, 0, 0), de(&w, 1, 0));
    CHECK_STATUS(ROW(&w, GROUP_DEFINITION, sine, a, b), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_DEFINITION, de(&w, 0, 0), b, a), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_EQUATION, sum, 0, 0, b), DAE_OK);
    CHECK_STATUS(finish(&w), DAE_MODEL);
    CHECK_DIAG(w.ds, "E0208", 0, 0);
    world_clear(&w);
}

static void test_explain(void **state)
{
    (void)state;
    world w;
    uint32_t root = 0, twice = 0;
    char text[200];
    world_init(&w, NULL);
    CHECK_STATUS(add_unknowns(&w, "y", 2), DAE_OK);
    CHECK_STATUS(add_equations(&w, "e", 2, 0, 5), DAE_OK);
    CHECK_STATUS(add_let(&w, "root", &root), DAE_OK);
    CHECK_STATUS(add_let(&w, "twice", &twice), DAE_OK);
    uint32_t number = system_param_number(&w.s, 2);
    node_id sqrt_of = one(&w, NODE_SQRT, un(&w, 0, 0));
    node_id doubled = two(&w, NODE_MUL, pa(&w, 1), de(&w, 0, 0));
    CHECK_STATUS(ROW(&w, GROUP_DEFINITION, sqrt_of, root, 1), DAE_OK);
    CHECK_STATUS(
        ROW(&w, GROUP_DEFINITION, doubled, twice, root, number), DAE_OK);
    node_id first = two(&w, NODE_SUB, un(&w, 0, 1), de(&w, 1, 0));
    node_id guard = shape_select(&w.s.shapes,
        two(&w, NODE_LT, un(&w, 0, 0), shape_const(&w.s.shapes, 1)),
        un(&w, 1, 1), one(&w, NODE_LOG, un(&w, 1, 0)));
    CHECK_STATUS(ROW(&w, GROUP_EQUATION, first, 0, 0, twice), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_EQUATION, guard, 1, 0, 1), DAE_OK);
    CHECK_STATUS(finish(&w), DAE_OK);
    double x[2] = {0, -1e-12}, xp[2] = {0, 0};
    size_t length = w.p->explain(
        w.p->self, DAE_NAME_EQUATION, 0, 0, x, xp, text, sizeof text);
    assert_string_equal(text, "sqrt(y[2]) with y[2] = -1e-12 (in `root`)");
    assert_int_equal(length, strlen(text));
    x[0] = 2; /* the branch with the logarithm */
    (void)w.p->explain(
        w.p->self, DAE_NAME_EQUATION, 1, 0, x, xp, text, sizeof text);
    assert_string_equal(text, "log(y[2]) with y[2] = -1e-12");
    xp[1] = (double)NAN; /* a branch not taken does no harm */
    x[1] = 0;
    (void)w.p->explain(
        w.p->self, DAE_NAME_EQUATION, 1, 0, x, xp, text, sizeof text);
    assert_string_equal(text, "log(y[2]) with y[2] = 0");
    /* the value is finite, its derivative is not */
    xp[1] = 0;
    (void)w.p->explain(
        w.p->self, DAE_NAME_EQUATION, 0, 0, x, xp, text, sizeof text);
    assert_non_null(strstr(text, "derivative by y[2]: "));
    assert_non_null(strstr(text, "(in `root`)"));
    /* short buffers are cut, the length is the full one */
    char small[8];
    assert_true(w.p->explain(w.p->self, DAE_NAME_EQUATION, 0, 0, x, xp, small,
                    sizeof small)
        > 20);
    assert_int_equal(strlen(small), 7);
    world_clear(&w);
}

static void test_listings(void **state)
{
    (void)state;
    world w;
    text_sink equations = {0}, entries = {0}, bytecode = {0};
    world_init(&w, NULL);
    CHECK_STATUS(build_levels(&w), DAE_OK);
    CHECK_STATUS(finish(&w), DAE_OK);
    CHECK_STATUS(compiled_show_equations(w.c, sink_write, &equations), DAE_OK);
    CHECK_STATUS(compiled_show_jacobian(w.c, sink_write, &entries), DAE_OK);
    CHECK_STATUS(compiled_show_bytecode(w.c, sink_write, &bytecode), DAE_OK);
    assert_non_null(strstr(equations.text, "first: c' - x = 0"));
    assert_non_null(strstr(equations.text, "b = a*z"));
    assert_non_null(strstr(entries.text, "d(first)/d(x)"));
    assert_non_null(strstr(bytecode.text, "residual"));
    free(equations.text), free(entries.text), free(bytecode.text);
    world_clear(&w);
}

static int stop_writing(void *context, const char *text, size_t length)
{
    size_t *left = context;
    (void)text;
    if (length > *left) return 1;
    *left -= length;
    return 0;
}

/* A writer that stops ends every listing, wherever it is. */
static void test_listings_stop(void **state)
{
    (void)state;
    world w;
    world_init(&w, NULL);
    CHECK_STATUS(build_levels(&w), DAE_OK);
    CHECK_STATUS(finish(&w), DAE_OK);
    for (size_t k = 0; k < 300; k += 7) {
        size_t left = k;
        CHECK_STATUS(compiled_show_equations(w.c, stop_writing, &left), DAE_IO);
        left = k;
        CHECK_STATUS(compiled_show_jacobian(w.c, stop_writing, &left), DAE_IO);
    }
    world_clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_too_few_equations),
        cmocka_unit_test(test_too_many_equations),
        cmocka_unit_test(test_singular),
        cmocka_unit_test(test_too_many_by_structure),
        cmocka_unit_test(test_smallest_surplus_first),
        cmocka_unit_test(test_too_few_by_structure),
        cmocka_unit_test(test_singular_parts),
        cmocka_unit_test(test_singular_through_a_definition),
        cmocka_unit_test(test_no_slot),
        cmocka_unit_test(test_no_slot_elsewhere),
        cmocka_unit_test(test_cycle),
        cmocka_unit_test(test_explain),
        cmocka_unit_test(test_listings),
        cmocka_unit_test(test_listings_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
