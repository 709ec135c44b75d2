/* Expressions as sums of products, for formulas that people read: like terms
 * are collected, numbers multiplied out, powers and quotients gathered. Shapes
 * keep what the text says to the bit; here only the meaning stays, and rounding
 * may differ.
 *
 * An expression is a leaf, an operation on expressions, or a *sum*: terms of a
 * number and powers of *bases*, which are leaves, operations and sums of two
 * terms or more. A number is a sum too (of one term without a base, or of
 * none: 0). Equal expressions have equal ids, and what an expression is made
 * of has smaller ids. The order of terms and factors is the reader's: it
 * begins as the text has it and is kept by derivatives. */
#ifndef IR_ALGEBRA_H
#define IR_ALGEBRA_H

#include "ir/print.h"
#include "ir/shape.h"

typedef uint32_t expr_id;
#define EXPR_NONE UINT32_MAX
#define EXPR_SUM NODE_OP_COUNT

typedef struct expr_factor {
    expr_id base;
    int32_t exponent; /* not 0 */
} expr_factor;
typedef struct expr_term {
    double coefficient; /* not 0 */
    uint64_t likeness;  /* equal for like terms */
    const expr_factor *factors;
    uint32_t count;
} expr_term;

typedef struct expr {
    uint8_t op;          /* NODE_HOLE: a leaf; an operation; EXPR_SUM */
    uint8_t kind;        /* HOLE: leaf_kind */
    uint8_t order;       /* HOLE: of the derivative; else family index */
    uint32_t number;     /* HOLE: the object; PIECE, TABLE: the offset and */
    const double *table; /* the numbers of the signal */
    expr_id operand[3];  /* of an operation; EXPR_NONE: none */
    uint32_t first;      /* the lowest rank of its leaves and */
    uint32_t last;       /* the highest; first > last: no leaves */
    uint32_t count;      /* SUM: terms */
    const expr_term *terms;
} expr;

typedef struct algebra {
    const dae_allocator *allocator;
    arena memory; /* terms and factors */
    ARRAY(expr) exprs;
    ARRAY(expr_id) rates; /* per expression; EXPR_NONE: not asked for yet */
    uint32_t *slots;      /* open addressing over ids + 1 */
    size_t slot_count;
    size_t room;   /* terms and factors that may still be made */
    bool is_cut;   /* terms were left out of a sum that was read */
    dae_status st; /* the first fault; makers then give EXPR_NONE */
} algebra;

/* DAE_LIMIT is the fault where `room` runs out or a number grows too large,
 * DAE_UNSUPPORTED where something is divided by 0 or an order is above 250. */
void algebra_init(algebra *a, const dae_allocator *allocator, size_t room);
void algebra_clear(algebra *a);

static inline const expr *algebra_expr(const algebra *a, expr_id id)
{
    return &a->exprs.items[id];
}
/* The node of an operation, without operands. */
static inline node algebra_operation(const expr *x)
{
    node n = {.op = x->op, .order = x->order};
    if (!node_has_signal((node_op)x->op)) return n;
    n.c = x->number;
    n.table = x->table;
    return n;
}
bool algebra_is_number(const algebra *a, expr_id id, double *value);
bool algebra_is_zero(const algebra *a, expr_id id);

/* Makers. An operand of EXPR_NONE gives EXPR_NONE. */
expr_id algebra_number(algebra *a, double value);
/* `rank`: which leaf comes first in the text, for the order of terms. The rank
 * of a leaf is that of its first making. */
expr_id algebra_leaf(
    algebra *a, leaf_kind kind, uint32_t number, unsigned order, uint32_t rank);
/* p*x + q*y. */
expr_id algebra_add(algebra *a, double p, expr_id x, double q, expr_id y);
expr_id algebra_multiply(algebra *a, expr_id x, expr_id y);
/* The same, term by term where both have several, if these are not too many. */
expr_id algebra_expand(algebra *a, expr_id x, expr_id y);
/* Sums that are factors of terms multiplied out, where that is not too much. */
expr_id algebra_flatten(algebra *a, expr_id x);
expr_id algebra_power(algebra *a, expr_id x, int32_t exponent);
/* The operation of a node (op, exponent, family index) on expressions. */
expr_id algebra_apply(algebra *a, const node *n, const expr_id operand[3]);
/* The first `count` terms of a sum, or all there are. */
expr_id algebra_truncate(algebra *a, expr_id x, uint32_t count);

/* Terms of one sum of a shape that are read. */
#define ALGEBRA_LONGEST 256

/* How a shape is read: what its holes are, and whether the text has y before x
 * in a product of the two, which shapes do not tell (NULL: as they have it). */
typedef struct algebra_reader {
    expr_id (*leaf)(void *context, algebra *a, const node *hole);
    bool (*is_turned)(void *context, const algebra *a, expr_id x, expr_id y);
    void *context;
} algebra_reader;
expr_id algebra_import(algebra *a, const shape_pool *p, node_id root,
    const algebra_reader *reader);

/* The time derivative, as diff_time takes it. */
expr_id algebra_rate(algebra *a, expr_id x);

/* Replaces leaves: `leaf` gives what stands for one (itself: it stays). */
typedef expr_id algebra_replace_fn(void *context, algebra *a, expr_id leaf);
expr_id algebra_replace(
    algebra *a, expr_id x, algebra_replace_fn *leaf, void *context);

/* As shape_print. */
dae_status algebra_print(const algebra *a, expr_id x, size_t limit,
    print_leaf_fn *leaf, void *leaf_context, dae_write_fn *write,
    void *context) DAE_MUST_CHECK;

/* ---- for the files of this module ------------------------------------------ */

/* A term, and a sum, while they are made. */
typedef struct expr_product {
    algebra *a;
    double coefficient;
    ARRAY(expr_factor) factors;
} expr_product;
typedef struct expr_list {
    algebra *a;
    ARRAY(expr_term) terms;
} expr_list;

void product_start(expr_product *p, algebra *a, double coefficient);
void product_times(expr_product *p, expr_id x, int32_t exponent);
void product_clear(expr_product *p);
void list_start(expr_list *l, algebra *a);
/* Adds factor * x, or a product, which is started anew. */
void list_add(expr_list *l, double factor, expr_id x);
void list_add_product(expr_list *l, expr_product *p);
/* The sum; clears the list. */
expr_id list_close(expr_list *l);
expr_id algebra_fail(algebra *a, dae_status st);

#endif
