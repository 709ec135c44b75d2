/* Systems built by hand, as lowering would make them: a world of tables,
 * short makers of leaves and rows, and some small systems. */
#ifndef SYSTEM_SUPPORT_H
#define SYSTEM_SUPPORT_H

/* clang-format off */
#include "lang/ir_support.h" /* before compile.h: both know a leaf */
#include "check.h"
#include "code/compile.h"
/* clang-format on */

#define ORDERS 6 /* derivative orders a test may use */

typedef struct world {
    arena arena;
    system_tables s;
    dae_source source;
    dae_diagnostics *ds;
    compiled *c;
    const dae_problem *p;
    double t;
    double *u;       /* ORDERS values per unknown */
    double *v;       /* values of definitions */
    uint8_t *is_set; /* v is known */
    double *x, *xp;
    size_t compared, skipped; /* entries of Jacobians */
} world;

static inline void world_init(world *w, const dae_allocator *a)
{
    memset(w, 0, sizeof *w);
    arena_init(&w->arena, a, 0);
    system_init(&w->s, &w->arena, a);
}

static inline void world_clear(world *w)
{
    compiled_free(w->c);
    system_clear(&w->s);
    arena_clear(&w->arena);
    dae_diagnostics_free(w->ds);
    free(w->u);
    free(w->v);
    free(w->is_set);
    free(w->x);
    free(w->xp);
}

static inline dae_status add_unknowns(world *w, const char *name, size_t count)
{
    name_block b = {.name = name, .first = w->s.unknown_count, .count = count};
    unknown_scale none = {
        (double)NAN, (double)NAN, (double)NAN, (double)NAN, false};
    b.unit = b.doc = "";
    b.rank = count > 1;
    b.lower[0] = 1;
    b.extent[0] = (int64_t)count;
    w->s.unknown_count += count;
    if (!ARRAY_PUSH(w->s.allocator, &w->s.unknowns, b)) return DAE_MEMORY;
    return ARRAY_PUSH(w->s.allocator, &w->s.scales, none) ? DAE_OK : DAE_MEMORY;
}

static inline dae_status add_equations(
    world *w, const char *name, size_t count, uint32_t begin, uint32_t end)
{
    int64_t *indices = ARENA_ARRAY(&w->arena, int64_t, count);
    if (!indices) return DAE_MEMORY;
    for (size_t i = 0; i < count; i++) indices[i] = (int64_t)i + 1;
    equation_block b = {.name = name,
        .first = w->s.equation_count,
        .count = count,
        .rank = count > 1,
        .indices = indices,
        .span = {begin, end}};
    w->s.equation_count += count;
    return ARRAY_PUSH(w->s.allocator, &w->s.equations, b) ? DAE_OK : DAE_MEMORY;
}

static inline dae_status add_let(world *w, const char *name, uint32_t *id)
{
    dae_status st = system_begin_definition(&w->s, DEFINITION_LET, id);
    name_block b = {.name = name, .first = *id, .count = 1};
    b.unit = b.doc = "";
    if (st) return st;
    return ARRAY_PUSH(w->s.allocator, &w->s.lets, b) ? DAE_OK : DAE_MEMORY;
}

static inline dae_status add_params(world *w, const char *name, double value)
{
    name_block b = {.name = name, .first = w->s.param_inputs.count, .count = 1};
    b.unit = b.doc = "";
    if (!ARRAY_PUSH(w->s.allocator, &w->s.param_inputs, value)
        || !ARRAY_PUSH(w->s.allocator, &w->s.param_names, b))
        return DAE_MEMORY;
    return system_param_element(&w->s, b.first) == NODE_NONE ? DAE_MEMORY
                                                             : DAE_OK;
}

/* Leaves and operations, short. */
static inline node_id un(world *w, uint32_t hole, unsigned order)
{
    return shape_hole(&w->s.shapes, LEAF_UNKNOWN, hole, order);
}
static inline node_id pa(world *w, uint32_t hole)
{
    return shape_hole(&w->s.shapes, LEAF_PARAM, hole, 0);
}
static inline node_id de(world *w, uint32_t hole, unsigned order)
{
    return shape_hole(&w->s.shapes, LEAF_DEFINITION, hole, order);
}
static inline node_id two(world *w, node_op op, node_id a, node_id b)
{
    return shape_binary(&w->s.shapes, op, a, b);
}
static inline node_id one(world *w, node_op op, node_id a)
{
    return shape_unary(&w->s.shapes, op, a);
}
#define ROW(w, group, root, target, ...)                                       \
    system_add_row(&(w)->s, (group), (root),                                   \
        sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (target),        \
        (uint32_t[]){__VA_ARGS__})

static inline dae_status finish(world *w)
{
    dae_status st = system_close(&w->s, w->ds);
    if (!st) st = compiled_create(&w->s, 0.25, w->ds, &w->c);
    if (!st) w->p = compiled_problem(w->c);
    return st;
}
/* ---- small systems -------------------------------------------------------- */

/* m*y'' = -k*y - c*y' + sin(t) ; z = y*y' ; w' = 2*w - z, so that one shape has
 * y' in x and w' in xp. */
static inline dae_status build_oscillator(world *w)
{
    uint32_t m, k, two_number;
    dae_status st = add_unknowns(w, "y", 1);
    if (!st) st = add_unknowns(w, "z", 1);
    if (!st) st = add_unknowns(w, "w", 1);
    if (!st) st = add_params(w, "m", 2);
    if (!st) st = add_params(w, "k", 3);
    if (!st) st = add_equations(w, "motion", 1, 0, 5);
    if (!st) st = add_equations(w, "L2", 1, 6, 9);
    if (!st) st = add_equations(w, "L3", 1, 10, 12);
    if (st) return st;
    m = system_param_element(&w->s, 0);
    k = system_param_element(&w->s, 1);
    two_number = system_param_number(&w->s, 2);
    if (m == NODE_NONE || k == NODE_NONE || two_number == NODE_NONE)
        return DAE_MEMORY;
    node_id sine = one(w, NODE_SIN, shape_hole(&w->s.shapes, LEAF_TIME, 3, 0));
    node_id motion = two(w, NODE_SUB,
        two(w, NODE_ADD, two(w, NODE_MUL, pa(w, 1), un(w, 0, 2)),
            two(w, NODE_MUL, pa(w, 2), un(w, 0, 0))),
        sine);
    st = ROW(w, GROUP_EQUATION, motion, 0, 0, m, k, 0);
    /* p*u': for y a slot of x, for w one of xp */
    node_id damping = two(w, NODE_MUL, pa(w, 1), un(w, 0, 1));
    if (!st) st = ROW(w, GROUP_EQUATION, damping, 0, 0, two_number);
    if (!st) st = ROW(w, GROUP_EQUATION, damping, 2, 2, k);
    node_id product = two(
        w, NODE_SUB, un(w, 1, 0), two(w, NODE_MUL, un(w, 0, 0), un(w, 0, 1)));
    if (!st) st = ROW(w, GROUP_EQUATION, product, 1, 0, 1);
    node_id linear = two(
        w, NODE_SUB, two(w, NODE_MUL, pa(w, 1), un(w, 0, 0)), un(w, 2, 0));
    if (!st) st = ROW(w, GROUP_EQUATION, linear, 2, 2, two_number, 1);
    return st;
}

/* a = x^2 + y, b = a*z, c = sin(b) + a, and c' in an equation. */
static inline dae_status build_levels(world *w)
{
    uint32_t a = 0, b = 0, c = 0;
    dae_status st = add_unknowns(w, "x", 1);
    if (!st) st = add_unknowns(w, "y", 1);
    if (!st) st = add_unknowns(w, "z", 1);
    if (!st) st = add_equations(w, "first", 1, 0, 5);
    if (!st) st = add_equations(w, "second", 1, 6, 9);
    if (!st) st = add_equations(w, "third", 1, 10, 12);
    if (!st) st = add_let(w, "c", &c);
    if (!st) st = add_let(w, "a", &a);
    if (!st) st = add_let(w, "b", &b);
    node_id square = shape_powi(&w->s.shapes, un(w, 0, 0), 2);
    if (!st) st = ROW(w, GROUP_DEFINITION, square, a, 0);
    node_id sine = one(w, NODE_SIN, de(w, 0, 0));
    if (!st) st = ROW(w, GROUP_DEFINITION, sine, c, b);
    if (!st) st = ROW(w, GROUP_DEFINITION, un(w, 0, 0), a, 1);
    node_id product = two(w, NODE_MUL, de(w, 0, 0), un(w, 1, 0));
    if (!st) st = ROW(w, GROUP_DEFINITION, product, b, a, 2);
    if (!st) st = ROW(w, GROUP_DEFINITION, de(w, 0, 0), c, a);
    /* c' - x = 0, x*c - y' = 0, b + c*c' - z = 0 */
    node_id first = two(w, NODE_SUB, de(w, 0, 1), un(w, 1, 0));
    if (!st) st = ROW(w, GROUP_EQUATION, first, 0, c, 0);
    node_id second = two(
        w, NODE_SUB, two(w, NODE_MUL, un(w, 1, 0), de(w, 0, 0)), un(w, 2, 1));
    if (!st) st = ROW(w, GROUP_EQUATION, second, 1, c, 0, 1);
    node_id third = two(w, NODE_SUB,
        two(w, NODE_ADD, de(w, 1, 0),
            two(w, NODE_MUL, de(w, 0, 0), de(w, 0, 1))),
        un(w, 2, 0));
    if (!st) st = ROW(w, GROUP_EQUATION, third, 2, c, b, 2);
    return st;
}

/* Each of n equations x[i]' = -s*x[i] + s2 with s = sum of x[j]^2, and
 * s2 = s' * s: internal unknowns. */
static inline dae_status build_full(world *w, uint32_t n)
{
    uint32_t s = 0, s2 = 0;
    dae_status st = add_unknowns(w, "x", n);
    if (!st) st = add_equations(w, "flow", n, 0, 5);
    if (!st) st = add_let(w, "s", &s);
    if (!st) st = add_let(w, "s2", &s2);
    node_id square = shape_powi(&w->s.shapes, un(w, 0, 0), 2);
    for (uint32_t i = 0; i < n && !st; i++)
        st = ROW(w, GROUP_DEFINITION, square, s, i);
    node_id product = two(w, NODE_MUL, de(w, 0, 1), de(w, 0, 0));
    if (!st) st = ROW(w, GROUP_DEFINITION, product, s2, s);
    node_id flow = two(w, NODE_ADD, un(w, 0, 1),
        two(w, NODE_SUB, two(w, NODE_MUL, de(w, 1, 0), un(w, 0, 0)),
            de(w, 2, 0)));
    for (uint32_t i = 0; i < n && !st; i++)
        st = ROW(w, GROUP_EQUATION, flow, i, i, s, s2);
    return st;
}

/* ---- random systems ----------------------------------------------------- */

/* What stands in the holes of random_shape: unknowns at 0..3, time at 9,
 * params at 10 and 11, definitions below `below` at 20 and 21. */
static inline void random_holes(
    world *w, uint64_t *r, uint32_t definitions, uint32_t *holes)
{
    memset(holes, 0, 22 * sizeof *holes);
    for (int k = 0; k < 4; k++)
        holes[k] = random_below(r, (unsigned)w->s.unknown_count);
    for (int k = 10; k < 12; k++)
        holes[k] = random_below(r, (unsigned)w->s.params.nodes.count);
    for (int k = 20; k < 22; k++) holes[k] = random_below(r, definitions);
}

/* Several roots over several rows each, so that lists have many rows. */
static inline dae_status build_random(world *w, uint64_t seed)
{
    uint64_t *r = &seed;
    uint32_t n = 3 + random_below(r, 6), m = 1 + random_below(r, 6), id;
    uint32_t holes[22];
    dae_status st = add_unknowns(w, "x", n);
    if (!st) st = add_equations(w, "e", n, 0, 5);
    if (!st) st = add_params(w, "p", 0.7);
    if (system_param_number(&w->s, 1.5) == NODE_NONE) st = DAE_MEMORY;
    for (uint32_t d = 0; d < m && !st; d++) {
        st = system_begin_definition(&w->s, DEFINITION_PART, &id);
        unsigned rows = random_below(r, 3);
        for (unsigned k = 0; k < rows && !st && d > 0; k++) {
            node_id root = random_shape(&w->s.shapes, r, smooth_kind, 3);
            random_holes(w, r, d, holes);
            st = system_add_row(&w->s, GROUP_DEFINITION, root, 22, d, holes);
        }
    }
    for (uint32_t k = 0; k < 4 && !st; k++) {
        node_id root = random_shape(&w->s.shapes, r, smooth_kind, 4);
        for (uint32_t i = 0; i < n && !st; i++) {
            random_holes(w, r, m, holes);
            if (random_below(r, 3))
                st = system_add_row(&w->s, GROUP_EQUATION, root, 22, i, holes);
        }
    }
    for (uint32_t i = 0; i < n && !st; i++)
        st = ROW(w, GROUP_EQUATION, un(w, 0, 0), i, i);
    return st;
}

#endif
