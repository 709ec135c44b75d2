/* Bounds hold all values that an expression takes, and are those that hand
 * calculation gives where they decide about 0. */
#include "lang/ir_support.h"

#include "check.h"
#include "ir/bounds.h"

typedef struct bench {
    arena arena;
    system_tables s;
    node_id x;
} bench;

static const uint32_t HOLES[] = {0};

static void bench_init(bench *b)
{
    arena_init(&b->arena, NULL, 0);
    system_init(&b->s, &b->arena, NULL);
    b->x = shape_hole(&b->s.shapes, LEAF_UNKNOWN, 0, 0);
}

static void bench_clear(bench *b)
{
    system_clear(&b->s);
    arena_clear(&b->arena);
}

static double leaf(void *at, leaf_kind kind, uint32_t number, unsigned order)
{
    (void)kind, (void)number, (void)order;
    return *(double *)at;
}

/* Of f at many points: inside, and not 0 where it is said to be never. */
static void check_inside(bench *b, node_id f, const char *name)
{
    const bounds r = bounds_of(&b->s, f, HOLES);
    for (int k = -400; k <= 400; k++) {
        double at = k / 64.0, value;
        CHECK_STATUS(
            shape_eval(&b->s.shapes, f, leaf, &at, NULL, &value), DAE_OK);
        if (r.is_total && isnan(value)) fail_msg("%s has no value", name);
        if (isnan(value)) continue;
        const double slack = 1e-15 * fabs(value);
        if (!(value >= r.low - slack && value <= r.high + slack))
            fail_msg("%s(%g) = %g is outside", name, at, value);
        if (r.is_never_zero && value == 0) fail_msg("%s(%g) is 0", name, at);
    }
}

/* Every operation of a quantity between -1 and 1, of one above 1, and of one that
 * can be anything. */
static void values_are_inside(void **state)
{
    bench b;
    (void)state;
    bench_init(&b);
    shape_pool *p = &b.s.shapes;
    const node_id square = shape_powi(p, b.x, 2);
    const node_id log = shape_unary(p, NODE_LOG, b.x);
    const node_id of[] = {b.x, shape_unary(p, NODE_SIN, b.x),
        shape_binary(p, NODE_ADD, square, shape_const(p, 1)),
        shape_binary(p, NODE_SUB, shape_const(p, -2), square),
        shape_powi(p, b.x, -1), shape_binary(p, NODE_HYPOT, log, b.x)};
    enum { COUNT = sizeof of / sizeof *of };
    for (int op = NODE_ADD; op < NODE_OP_COUNT; op++)
        for (size_t k = 0; k < COUNT * COUNT; k++) {
            const node_id a = of[k % COUNT], c = of[k / COUNT];
            const int arity = node_arity((node_op)op);
            node_id f = NODE_NONE;
            if (op == NODE_POWI) f = shape_powi(p, a, (int)(k / COUNT) - 2);
            else if (arity == 1) f = shape_unary(p, (node_op)op, a);
            else if (arity == 2) f = shape_binary(p, (node_op)op, a, c);
            else f = shape_select(p, shape_binary(p, NODE_LT, a, c), a, c);
            check_inside(&b, f, node_text((node_op)op));
        }
    bench_clear(&b);
}

static void powers_and_quotients(void **state)
{
    bench b;
    (void)state;
    bench_init(&b);
    shape_pool *p = &b.s.shapes;
    const node_id above = shape_binary(
        p, NODE_ADD, shape_powi(p, b.x, 2), shape_const(p, 2));
    bounds r = bounds_of(&b.s, shape_powi(p, above, -2), HOLES);
    assert_true(r.low == 0 && r.high == 0.25 && r.is_never_zero && r.is_total);
    r = bounds_of(&b.s, shape_powi(p, b.x, -2), HOLES);
    assert_false(r.is_total);
    r = bounds_of(
        &b.s, shape_unary(p, NODE_EXP, shape_powi(p, b.x, -1)), HOLES);
    assert_true(r.low == 0 && !r.is_total && !r.is_never_zero);
    r = bounds_of(
        &b.s, shape_binary(p, NODE_DIV, shape_const(p, -1), above), HOLES);
    assert_true(r.low == -0.5 && r.high == 0 && r.is_never_zero);
    r = bounds_of(&b.s, shape_binary(p, NODE_MUL, b.x, b.x), HOLES);
    assert_true(r.low == 0 && !r.is_never_zero);
    bench_clear(&b);
}

/* What takes too much to look at can be anything. */
static void what_is_deep_is_not_known(void **state)
{
    bench b;
    (void)state;
    bench_init(&b);
    shape_pool *p = &b.s.shapes;
    node_id f = shape_unary(p, NODE_EXP, b.x);
    for (int k = 0; k < 10; k++)
        f = shape_unary(p, NODE_SQRT, shape_unary(p, NODE_COSH, f));
    assert_true(bounds_of(&b.s, f, HOLES).is_never_zero);
    for (int k = 0; k < 10; k++)
        f = shape_unary(p, NODE_SQRT, shape_unary(p, NODE_COSH, f));
    assert_false(bounds_of(&b.s, f, HOLES).is_total);
    f = shape_unary(p, NODE_EXP, b.x);
    for (int k = 0; k < 20; k++) f = shape_binary(p, NODE_HYPOT, f, f);
    assert_false(bounds_of(&b.s, f, HOLES).is_total);
    bench_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_inside),
        cmocka_unit_test(powers_and_quotients),
        cmocka_unit_test(what_is_deep_is_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
