/* Shapes: expressions with numbered holes, hash-consed in one pool, shared by
 * every row that looks alike. A node's operands have smaller ids than the
 * node, so passes walk ids upwards (values) or downwards (adjoints) and need
 * no recursion. Equal expressions have equal ids.
 *
 * The makers simplify: constants are folded (only where the result is
 * finite), x+0, x*1, x*0 (= 0), x/1, x-x for equal ids, --x, x^1, x^0, x^2...
 * as POWI, operands of ADD and MUL in ascending order of id (both are
 * commutative in IEEE arithmetic), SELECT with a known condition. They never
 * reassociate, so a value is what the text says. */
#ifndef IR_SHAPE_H
#define IR_SHAPE_H

#include "base/arena.h"
#include "ir/signal.h"
#include <dae/long.h>
#include <dae/status.h>

typedef uint32_t node_id;
#define NODE_NONE UINT32_MAX

typedef enum node_op {
    NODE_CONST, /* a number */
    NODE_HOLE,  /* a leaf whose object stands in the row */
#define X(name, arity, text) NODE_##name,
#include "ir/ops.def"
#undef X
    NODE_OP_COUNT
} node_op;

/* What a hole is filled with. The derivative order of UNKNOWN and DEFINITION
 * belongs to the node (x and x' of one unknown are one hole). */
typedef enum leaf_kind {
    LEAF_UNKNOWN,    /* row: unknown; order: of its derivative */
    LEAF_PARAM,      /* row: index into the param table */
    LEAF_DEFINITION, /* row: definition; order: of its time derivative */
    LEAF_TIME,       /* the independent variable; row: 0 */
    LEAF_HELD        /* row: a discrete variable, or behind those a switch: a
                        number that changes at events alone (dae/events.h) */
} leaf_kind;

typedef struct node {
    uint8_t op;    /* node_op */
    uint8_t kind;  /* HOLE: leaf_kind */
    uint8_t order; /* HOLE: derivative order; SINC, COSC, SINCC, STUMPFF:
                      family index; TABLE: order of the derivative */
    uint8_t flags; /* NODE_HAS_* */
    uint32_t a;    /* first operand; HOLE: the hole's number */
    union {
        uint32_t b;       /* second operand */
        int32_t exponent; /* POWI */
    };
    uint32_t c; /* third operand; PIECE, TABLE: the signal's offset */
    union {
        double value;        /* CONST */
        const double *table; /* PIECE, TABLE: the signal's numbers */
    };
} node;

/* What occurs below a node. */
enum {
    NODE_HAS_UNKNOWN = 1,
    NODE_HAS_DEFINITION = 2,
    NODE_HAS_TIME = 4,
    NODE_HAS_PARAM = 8,
    NODE_HAS_HELD = 16
};

/* The signals of a system, and their numbers one behind the other, each at its
 * offset: what programs read. */
typedef struct signal_list {
    ARRAY(measured) items;
    const double *numbers; /* count; NULL before system_close */
    size_t count;
} signal_list;

typedef struct shape_pool {
    const dae_allocator *allocator;
    const signal_list *signals; /* borrowed; NULL: there are none */
    ARRAY(node) nodes;
    uint32_t *slots; /* open addressing over ids + 1 */
    size_t slot_count;
    bool failed; /* an allocation failed; makers then give NODE_NONE */
} shape_pool;

void shape_pool_init(shape_pool *p, const dae_allocator *allocator);
void shape_pool_clear(shape_pool *p);

static inline const node *shape_node(const shape_pool *p, node_id id)
{
    return &p->nodes.items[id];
}
/* Operations with a family index in the node. */
static inline bool node_is_family(node_op op)
{
    return op == NODE_SINC || op == NODE_COSC || op == NODE_SINCC
        || op == NODE_STUMPFF;
}

/* Operations with a measured signal in the node. */
static inline bool node_has_signal(node_op op)
{
    return op == NODE_PIECE || op == NODE_TABLE;
}
/* The value of a place that may be held, `if h != h then free else ...`, is
 * written as `free`: that; any other node itself. */
node_id shape_as_written(const shape_pool *p, node_id id);

int node_arity(node_op op);        /* CONST and HOLE: 0 */
const char *node_text(node_op op); /* "+", "sin", ... */

/* Makers. An operand of NODE_NONE gives NODE_NONE. */
node_id shape_const(shape_pool *p, double value);
node_id shape_hole(
    shape_pool *p, leaf_kind kind, uint32_t number, unsigned order);
node_id shape_unary(shape_pool *p, node_op op, node_id a);
node_id shape_binary(shape_pool *p, node_op op, node_id a, node_id b);
node_id shape_select(shape_pool *p, node_id a, node_id b, node_id c);
node_id shape_powi(shape_pool *p, node_id a, int32_t exponent);
node_id shape_family(
    shape_pool *p, node_op op, unsigned index, node_id a); /* SINC... */
node_id shape_piece(shape_pool *p, const measured *s, node_id a);
/* A derivative of an order above the degree is 0. */
node_id shape_table(
    shape_pool *p, const measured *s, unsigned order, node_id a, node_id piece);
/* The operation of a node (not CONST or HOLE) on other operands; those that it
 * does not have are not looked at. The node may be of another pool. */
node_id shape_again(
    shape_pool *p, const node *n, node_id a, node_id b, node_id c);
/* An operation over other operands, in the same order, without simplifying. */
node_id shape_remake(shape_pool *p, const node *n, const node_id operand[3]);
/* POW with a constant integer exponent within +-1024 becomes POWI; 0.5 SQRT. */
bool shape_is_const(const shape_pool *p, node_id id, double *value);

/* The value of one operation: the one definition of what an operation means;
 * the folder and the interpreter use it or equal it bit for bit. `n` gives op,
 * exponent and family index. */
double node_apply(const node *n, double a, double b, double c);
/* The same in extended precision. */
dae_long node_apply_long(const node *n, dae_long a, dae_long b, dae_long c);

/* Evaluates a shape for one row by one pass over the nodes it needs.
 * `leaf(context, kind, number, order)` gives hole values. `values` is scratch
 * of nodes.count doubles, or NULL to allocate. Where `values` is given, all
 * needed nodes' values are left in it (for naming a NaN's birthplace). */
typedef double shape_leaf_fn(
    void *context, leaf_kind kind, uint32_t number, unsigned order);
dae_status shape_eval(const shape_pool *p, node_id root, shape_leaf_fn *leaf,
    void *context, double *values, double *result) DAE_MUST_CHECK;

/* The same for a list of shape_needed: all values are left in `values`. */
void shape_eval_needed(const shape_pool *p, const node_id *needed, size_t count,
    shape_leaf_fn *leaf, void *context, double *values);

/* The nodes below `root` (with it), ascending; *count is their number; from
 * the allocator, to be freed with alloc_free(items, capacity *count). */
dae_status shape_needed(const shape_pool *p, const node_id *roots,
    size_t root_count, node_id **needed, size_t *count) DAE_MUST_CHECK;

#endif
