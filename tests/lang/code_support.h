/* What the tests of programs share. */
#ifndef CODE_SUPPORT_H
#define CODE_SUPPORT_H

#include "check.h"
#include "code/bytecode.h"
#include "random.h"

/* Values at which operations are apt to differ. */
static const double specials[] = {0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.5, 1e-3,
    3.14159, 1e9, -1e-9, 1e300, -1e300, 4.9e-324, -2e-310, 1e-200,
    (double)INFINITY, -(double)INFINITY, (double)NAN, 7.0, 0.999999};
#define SPECIALS (sizeof specials / sizeof *specials)

/* Equal in every bit; any NaN equals any other. */
static inline bool same_bits(double a, double b)
{
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
    return memcmp(&a, &b, sizeof a) == 0;
}

static inline void make_holes(shape_pool *pool, node_id *holes, uint32_t count)
{
    for (uint32_t j = 0; j < count; j++)
        holes[j] = shape_hole(pool, LEAF_UNKNOWN, j, 0);
}

/* A signal of three parabolas from -1 to 1e9, the second in a list whose first
 * one is 8 numbers of nothing. */
static inline const measured *known_signal(shape_pool *p)
{
    static const double numbers[32] = {[8] = 3,
        2,
        -1,
        1e9,
        [16] = -1,
        0.5,
        2,
        1,
        2,
        -3,
        0.1,
        -0.5,
        4,
        7,
        0,
        1e-3};
    static measured one = {
        .text = "m", .numbers = numbers + 8, .offset = 8, .size = 24};
    static signal_list list = {.numbers = numbers, .count = 32};
    list.items.items = &one;
    list.items.count = 1;
    p->signals = &list;
    return &one;
}

static inline node_id make_node(shape_pool *p, node_op op, const node_id h[3])
{
    if (op == NODE_PIECE) return shape_piece(p, known_signal(p), h[0]);
    if (op == NODE_TABLE) return shape_table(p, known_signal(p), 1, h[0], h[1]);
    if (op == NODE_SELECT) return shape_select(p, h[0], h[1], h[2]);
    if (node_is_family(op)) return shape_family(p, op, 2, h[0]);
    return node_arity(op) == 1 ? shape_unary(p, op, h[0])
                               : shape_binary(p, op, h[0], h[1]);
}

#endif
