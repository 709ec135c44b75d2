/* The pool: equal expressions are one node, makers simplify as they promise
 * and change no value, passes visit what they need. */
#include "ir_support.h"

typedef struct pool_fixture {
    shape_pool p;
    node_id x, y, t, k, zero, one, two, half;
} pool_fixture;

static void fixture_init(pool_fixture *f)
{
    shape_pool_init(&f->p, NULL);
    f->x = shape_hole(&f->p, LEAF_UNKNOWN, 0, 0);
    f->y = shape_hole(&f->p, LEAF_DEFINITION, 1, 0);
    f->t = shape_hole(&f->p, LEAF_TIME, 2, 0);
    f->k = shape_hole(&f->p, LEAF_PARAM, 3, 0);
    f->zero = shape_const(&f->p, 0);
    f->one = shape_const(&f->p, 1);
    f->two = shape_const(&f->p, 2);
    f->half = shape_const(&f->p, 0.5);
}

static void equal_expressions_are_one_node(void **state)
{
    (void)state;
    pool_fixture f;
    fixture_init(&f);
    shape_pool *p = &f.p;
    assert_int_equal(f.x, shape_hole(p, LEAF_UNKNOWN, 0, 0));
    assert_int_not_equal(f.x, shape_hole(p, LEAF_UNKNOWN, 0, 1));
    assert_int_not_equal(f.x, shape_hole(p, LEAF_UNKNOWN, 1, 0));
    assert_int_not_equal(f.x, shape_hole(p, LEAF_PARAM, 0, 0));
    assert_int_equal(f.half, shape_const(p, 0.5));
    assert_int_not_equal(f.zero, shape_const(p, -0.0));
    node_id sum = shape_binary(p, NODE_ADD, f.x, f.y);
    assert_int_equal(sum, shape_binary(p, NODE_ADD, f.y, f.x));
    assert_int_equal(shape_binary(p, NODE_MUL, f.x, f.y),
        shape_binary(p, NODE_MUL, f.y, f.x));
    assert_int_not_equal(shape_binary(p, NODE_SUB, f.x, f.y),
        shape_binary(p, NODE_SUB, f.y, f.x));
    static const node_op ordered[] = {NODE_DIV, NODE_POW, NODE_ATAN2, NODE_MOD,
        NODE_MIN, NODE_MAX, NODE_LT, NODE_LE};
    for (size_t k = 0; k < sizeof ordered / sizeof *ordered; k++)
        assert_int_not_equal(shape_binary(p, ordered[k], f.x, f.y),
            shape_binary(p, ordered[k], f.y, f.x));
    assert_int_not_equal(shape_powi(p, f.x, 3), shape_powi(p, f.x, -3));
    assert_int_not_equal(
        shape_family(p, NODE_SINC, 0, f.x), shape_family(p, NODE_SINC, 1, f.x));
    assert_int_equal(
        shape_family(p, NODE_SINC, 0, f.x), shape_unary(p, NODE_SINC, f.x));
    assert_int_equal(
        shape_select(p, f.x, f.y, f.t), shape_select(p, f.x, f.y, f.t));
    shape_pool_clear(p);
}

/* Ids must not change while the pool grows through many sizes. */
static void many_nodes_are_found_again(void **state)
{
    (void)state;
    enum { many = 20000 };
    shape_pool p;
    shape_pool_init(&p, NULL);
    node_id *ids = calloc(many, sizeof *ids);
    assert_non_null(ids);
    for (uint32_t i = 0; i < many; i++)
        ids[i] = i % 2 ? shape_const(&p, i * 0.25)
                       : shape_hole(&p, LEAF_UNKNOWN, i, 0);
    size_t count = p.nodes.count;
    assert_int_equal(count, many);
    for (uint32_t i = 0; i < many; i++)
        assert_int_equal(ids[i],
            i % 2 ? shape_const(&p, i * 0.25)
                  : shape_hole(&p, LEAF_UNKNOWN, i, 0));
    assert_int_equal(p.nodes.count, count);
    free(ids);
    shape_pool_clear(&p);
}

static void makers_simplify(void **state)
{
    (void)state;
    pool_fixture f;
    fixture_init(&f);
    shape_pool *p = &f.p;
    node_id x = f.x, y = f.y, minus_x = shape_unary(p, NODE_NEG, x);
    node_id less = shape_binary(p, NODE_LT, x, y);
    node_id not_less = shape_unary(p, NODE_NOT, less);
    node_id minus_one = shape_const(p, -1);
    const struct {
        node_id got, expected;
    } table[] = {
        {shape_binary(p, NODE_ADD, x, f.zero), x},
        {shape_binary(p, NODE_ADD, f.zero, x), x},
        {shape_binary(p, NODE_ADD, y, minus_x),
            shape_binary(p, NODE_SUB, y, x)},
        {shape_binary(p, NODE_ADD, minus_x, y),
            shape_binary(p, NODE_SUB, y, x)},
        {shape_binary(p, NODE_SUB, x, f.zero), x},
        {shape_binary(p, NODE_SUB, f.zero, x), minus_x},
        {shape_binary(p, NODE_SUB, x, x), f.zero},
        {shape_binary(p, NODE_SUB, y, minus_x),
            shape_binary(p, NODE_ADD, x, y)},
        {shape_binary(p, NODE_MUL, x, f.zero), f.zero},
        {shape_binary(p, NODE_MUL, f.zero, x), f.zero},
        {shape_binary(p, NODE_MUL, f.one, x), x},
        {shape_binary(p, NODE_MUL, x, minus_one), minus_x},
        {shape_binary(p, NODE_DIV, x, f.one), x},
        {shape_binary(p, NODE_DIV, x, minus_one), minus_x},
        {shape_binary(p, NODE_DIV, f.zero, x), f.zero},
        {shape_unary(p, NODE_NEG, minus_x), x},
        {shape_unary(p, NODE_ABS, minus_x), shape_unary(p, NODE_ABS, x)},
        {shape_binary(p, NODE_POW, x, f.zero), f.one},
        {shape_binary(p, NODE_POW, x, f.one), x},
        {shape_binary(p, NODE_POW, f.one, x), f.one},
        {shape_binary(p, NODE_POW, x, f.two), shape_powi(p, x, 2)},
        {shape_binary(p, NODE_POW, x, minus_one), shape_powi(p, x, -1)},
        {shape_binary(p, NODE_POW, x, f.half), shape_unary(p, NODE_SQRT, x)},
        {shape_powi(p, x, 0), f.one},
        {shape_powi(p, x, 1), x},
        {shape_powi(p, x, 2000),
            shape_binary(p, NODE_POW, x, shape_const(p, 2000))},
        {shape_powi(p, f.two, 10), shape_const(p, 1024)},
        {shape_binary(p, NODE_MIN, x, x), x},
        {shape_binary(p, NODE_LT, x, x), f.zero},
        {shape_binary(p, NODE_AND, less, f.zero), f.zero},
        {shape_binary(p, NODE_AND, f.two, less), less},
        {shape_binary(p, NODE_AND, less, less), less},
        {shape_binary(p, NODE_OR, f.half, less), f.one},
        {shape_binary(p, NODE_OR, less, f.zero), less},
        {shape_unary(p, NODE_NOT, not_less), less},
        {shape_select(p, f.two, x, y), x},
        {shape_select(p, f.zero, x, y), y},
        {shape_select(p, less, x, x), x},
        {shape_select(p, not_less, x, y), shape_select(p, less, y, x)},
        {shape_unary(p, NODE_SIN, f.zero), f.zero},
        {shape_unary(p, NODE_SINC, f.zero), f.one},
        {shape_binary(p, NODE_LE, f.one, f.two), f.one},
    };
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (table[i].got != table[i].expected)
            fail_msg("simplification %zu gave node %u, not %u", i,
                (unsigned)table[i].got, (unsigned)table[i].expected);
    shape_pool_clear(p);
}

/* A fold that is not finite must stay: the place of a NaN is told at run
 * time, with the operation that made it. */
static void what_is_not_finite_is_not_folded(void **state)
{
    (void)state;
    pool_fixture f;
    fixture_init(&f);
    shape_pool *p = &f.p;
    node_id inf = shape_const(p, (double)INFINITY);
    const struct {
        node_id id;
        node_op op;
    } table[] = {
        {shape_binary(p, NODE_DIV, f.one, f.zero), NODE_DIV},
        {shape_binary(p, NODE_DIV, f.zero, f.zero), NODE_DIV},
        {shape_unary(p, NODE_LOG, f.zero), NODE_LOG},
        {shape_unary(p, NODE_SQRT, shape_const(p, -1)), NODE_SQRT},
        {shape_unary(p, NODE_EXP, shape_const(p, 1000)), NODE_EXP},
        {shape_powi(p, f.zero, -1), NODE_POWI},
        {shape_binary(p, NODE_SUB, inf, inf), NODE_SUB},
        {shape_binary(p, NODE_MUL, inf, f.zero), NODE_MUL},
        {shape_binary(p, NODE_DIV, f.x, f.x), NODE_DIV},
        {shape_binary(p, NODE_LE, f.x, f.x), NODE_LE},     /* false for NaN */
        {shape_binary(p, NODE_AND, f.one, f.x), NODE_AND}, /* x may be 5 */
        {shape_binary(p, NODE_MUL, f.x, f.x), NODE_MUL},
    };
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (shape_node(p, table[i].id)->op != table[i].op)
            fail_msg("case %zu became %s", i,
                node_text((node_op)shape_node(p, table[i].id)->op));
    double value;
    assert_true(shape_is_const(p, shape_binary(p, NODE_LT, f.one, inf), &value)
        && value == 1);
    assert_false(shape_is_const(p, f.x, &value));
    assert_false(shape_is_const(p, NODE_NONE, &value));
    shape_pool_clear(p);
}

static void flags_say_what_occurs_below(void **state)
{
    (void)state;
    pool_fixture f;
    fixture_init(&f);
    shape_pool *p = &f.p;
    node_id kt = shape_binary(p, NODE_MUL, f.k, f.t);
    node_id all = shape_select(p, f.x, shape_powi(p, f.y, 3), kt);
    assert_int_equal(shape_node(p, kt)->flags, NODE_HAS_PARAM | NODE_HAS_TIME);
    assert_int_equal(shape_node(p, all)->flags,
        NODE_HAS_UNKNOWN | NODE_HAS_DEFINITION | NODE_HAS_PARAM
            | NODE_HAS_TIME);
    assert_int_equal(shape_node(p, f.two)->flags, 0);
    assert_int_equal(
        shape_node(p, shape_unary(p, NODE_SIN, f.k))->flags, NODE_HAS_PARAM);
    assert_int_equal(shape_node(p, shape_powi(p, f.y, 3))->exponent, 3);
    shape_pool_clear(p);
}

static void tables_name_every_operation(void **state)
{
    (void)state;
    assert_int_equal(node_arity(NODE_CONST), 0);
    assert_int_equal(node_arity(NODE_HOLE), 0);
    assert_int_equal(node_arity(NODE_POWI), 1);
    assert_int_equal(node_arity(NODE_SELECT), 3);
    assert_string_equal(node_text(NODE_ATAN2), "atan2");
    assert_string_equal(node_text(NODE_LE), "<=");
    for (size_t i = 0; i < COUNT_OF(every_op); i++)
        assert_true(node_arity(every_op[i]) >= 1);
}

/* ---- evaluation --------------------------------------------------------- */

typedef struct leaf_log {
    double x, y, t, k;
    int asked;
} leaf_log;

static double logged_leaf(
    void *context, leaf_kind kind, uint32_t number, unsigned order)
{
    leaf_log *log = context;
    log->asked++;
    assert_int_equal(order, 0);
    switch (kind) {
    case LEAF_UNKNOWN: assert_int_equal(number, 0); return log->x;
    case LEAF_DEFINITION: assert_int_equal(number, 1); return log->y;
    case LEAF_TIME: assert_int_equal(number, 2); return log->t;
    default: assert_int_equal(number, 3); return log->k;
    }
}

static void a_shape_is_evaluated_over_what_it_needs(void **state)
{
    (void)state;
    pool_fixture f;
    fixture_init(&f);
    shape_pool *p = &f.p;
    (void)shape_unary(p, NODE_EXP, f.t); /* in the pool, not in the shape */
    node_id square = shape_powi(p, f.x, 2);
    node_id root = shape_binary(p, NODE_SUB,
        shape_binary(p, NODE_MUL, f.k, square),
        shape_binary(p, NODE_DIV, square, f.y));
    leaf_log log = {3, 4, 5, 2, 0};
    double got = 0;
    assert_int_equal(
        shape_eval(p, root, logged_leaf, &log, NULL, &got), DAE_OK);
    assert_true(got == 2 * 9 - 9.0 / 4);
    assert_int_equal(log.asked, 3); /* x, y, k once each, not t */
    double *values = calloc(p->nodes.count, sizeof *values);
    assert_non_null(values);
    got = 0;
    assert_int_equal(
        shape_eval(p, root, logged_leaf, &log, values, &got), DAE_OK);
    assert_true(got == 2 * 9 - 9.0 / 4);
    assert_true(values[square] == 9);
    assert_true(values[root] == got);
    free(values);
    shape_pool_clear(p);
}

/* The makers' simplifications against the same tree without them. */
static double plain_value(
    uint64_t *random, int depth, shape_pool *p, node_id *made)
{
    static const node_op ops[] = {NODE_ADD, NODE_SUB, NODE_MUL, NODE_MIN,
        NODE_MAX, NODE_LT, NODE_LE, NODE_AND, NODE_OR, NODE_NEG, NODE_NOT,
        NODE_ABS, NODE_SIGN, NODE_SELECT};
    static const double numbers[] = {0, 1, -1, 2, -3};
    if (depth == 0) {
        double v = numbers[random_below(random, 5)];
        *made = random_below(random, 2)
            ? shape_const(p, v)
            : shape_hole(p, LEAF_UNKNOWN, (uint32_t)(v + 3), 0);
        return v;
    }
    node n = {.op = (uint8_t)ops[random_below(random, COUNT_OF(ops))]};
    int arity = node_arity((node_op)n.op);
    double v[3] = {0, 0, 0};
    node_id id[3] = {NODE_NONE, NODE_NONE, NODE_NONE};
    for (int i = 0; i < arity; i++)
        v[i] = plain_value(random, depth - 1, p, &id[i]);
    *made = arity == 1 ? shape_unary(p, (node_op)n.op, id[0])
        : arity == 2   ? shape_binary(p, (node_op)n.op, id[0], id[1])
                       : shape_select(p, id[0], id[1], id[2]);
    return node_apply(&n, v[0], v[1], v[2]);
}

static double number_leaf(
    void *context, leaf_kind kind, uint32_t number, unsigned order)
{
    (void)context;
    (void)kind;
    (void)order;
    return (double)number - 3;
}

static void simplification_changes_no_value(void **state)
{
    (void)state;
    uint64_t random = 4;
    for (int i = 0; i < 3000; i++) {
        shape_pool p;
        shape_pool_init(&p, NULL);
        node_id root;
        double expected = plain_value(&random, 1 + i % 6, &p, &root);
        double got = 0;
        assert_int_equal(
            shape_eval(&p, root, number_leaf, NULL, NULL, &got), DAE_OK);
        assert_true(got == expected);
        shape_pool_clear(&p);
    }
}

static void needed_nodes_are_each_listed_once_ascending(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (int trial = 0; trial < 200; trial++) {
        shape_pool p;
        shape_pool_init(&p, NULL);
        node_id roots[2];
        for (int i = 0; i < 2; i++)
            roots[i] = random_shape(&p, &random, every_kind, 6);
        bool *needed = calloc(p.nodes.count, sizeof *needed);
        assert_non_null(needed);
        size_t expected = 0;
        needed[roots[0]] = needed[roots[1]] = true;
        for (size_t i = p.nodes.count; i-- > 0;) {
            if (!needed[i]) continue;
            expected++;
            const node *n = &p.nodes.items[i];
            int arity = node_arity((node_op)n->op);
            if (arity > 0) needed[n->a] = true;
            if (arity > 1) needed[n->b] = true;
            if (arity > 2) needed[n->c] = true;
        }
        node_id *list;
        size_t count;
        assert_int_equal(shape_needed(&p, roots, 2, &list, &count), DAE_OK);
        assert_int_equal(count, expected);
        for (size_t i = 0; i < count; i++) {
            assert_true(needed[list[i]]);
            assert_true(i == 0 || list[i - 1] < list[i]);
        }
        alloc_free(p.allocator, list, count, sizeof *list);
        free(needed);
        shape_pool_clear(&p);
    }
}

/* ---- memory ------------------------------------------------------------- */

static dae_status make_and_evaluate(const dae_allocator *a)
{
    shape_pool p;
    shape_pool_init(&p, a);
    node_id sum = shape_const(&p, 0);
    for (uint32_t i = 0; i < 200; i++)
        sum = shape_binary(&p, NODE_ADD, shape_hole(&p, LEAF_UNKNOWN, i, 0),
            shape_unary(&p, NODE_SIN, sum));
    double value = 0;
    dae_status st = DAE_MEMORY;
    if (!p.failed) st = shape_eval(&p, sum, number_leaf, NULL, NULL, &value);
    else assert_int_equal(sum, NODE_NONE);
    assert_int_equal(
        shape_binary(&p, NODE_ADD, NODE_NONE, NODE_NONE), NODE_NONE);
    assert_int_equal(shape_unary(&p, NODE_SIN, NODE_NONE), NODE_NONE);
    assert_int_equal(shape_select(&p, NODE_NONE, 0, 0), NODE_NONE);
    shape_pool_clear(&p);
    return st;
}

static void a_failing_allocator_gives_memory_and_no_leak(void **state)
{
    (void)state;
    bool done = false;
    for (long n = 0; !done; n++) {
        test_heap heap = {0, n, 0};
        dae_allocator a = {test_heap_resize, &heap};
        dae_status st = make_and_evaluate(&a);
        done = heap.calls <= n;
        assert_true(st == DAE_OK || (st == DAE_MEMORY && !done));
        if (done) assert_true(n > 10);
        assert_int_equal(heap.bytes, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_expressions_are_one_node),
        cmocka_unit_test(many_nodes_are_found_again),
        cmocka_unit_test(makers_simplify),
        cmocka_unit_test(what_is_not_finite_is_not_folded),
        cmocka_unit_test(flags_say_what_occurs_below),
        cmocka_unit_test(tables_name_every_operation),
        cmocka_unit_test(a_shape_is_evaluated_over_what_it_needs),
        cmocka_unit_test(simplification_changes_no_value),
        cmocka_unit_test(needed_nodes_are_each_listed_once_ascending),
        cmocka_unit_test(a_failing_allocator_gives_memory_and_no_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
