/* The pool: nodes in an array, found again by open addressing over all their
 * bytes, and the makers that simplify before they look. Every simplification
 * gives the bits that the operation itself would give, but for the sign of a
 * zero and for 0*x, 0/x and x-x, which are 0 whatever x becomes, so that an
 * entry that is 0 by its form is absent from a Jacobian. */
#include "ir/shape.h"
#include "ir/collect.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    first_slot_count = 64,
    exponent_limit = 1024, /* beyond, repeated squaring loses to pow */
};

typedef struct operation {
    int arity;
    const char *text;
} operation;

static const operation operations[NODE_OP_COUNT] = {
    [NODE_CONST] = {0, "number"},
    [NODE_HOLE] = {0, "leaf"},
#define X(name, arity, text) [NODE_##name] = {arity, text},
#include "ir/ops.def"
#undef X
};

int node_arity(node_op op)
{
    assert(op < NODE_OP_COUNT);
    return operations[op].arity;
}

const char *node_text(node_op op)
{
    assert(op < NODE_OP_COUNT);
    return operations[op].text;
}

/* ---- the table ---------------------------------------------------------- */

/* A node as three words. New nodes are described by words that stay in
 * registers until they turn out to be new: reading back as words what was just
 * written as bytes would stall the processor for longer than the lookup. */
typedef struct node_words {
    uint64_t head; /* op, kind, order, flags, a */
    uint64_t tail; /* b or exponent, c */
    uint64_t bits; /* of the value */
} node_words;

static inline uint64_t head_word(
    unsigned op, unsigned kind, unsigned order, unsigned flags, uint32_t a)
{
    return op | kind << 8 | order << 16 | (uint64_t)flags << 24
        | (uint64_t)a << 32;
}

static inline uint64_t tail_word(uint32_t b, uint32_t c)
{
    return b | (uint64_t)c << 32;
}

static inline node_words words_of(const node *n)
{
    node_words w = {head_word(n->op, n->kind, n->order, n->flags, n->a),
        tail_word(n->b, n->c), 0};
    memcpy(&w.bits, &n->value, sizeof n->value);
    return w;
}

static node node_of(node_words w)
{
    node n = {.op = w.head & 0xff,
        .kind = w.head >> 8 & 0xff,
        .order = w.head >> 16 & 0xff,
        .flags = w.head >> 24 & 0xff,
        .a = (uint32_t)(w.head >> 32),
        .c = (uint32_t)(w.tail >> 32)};
    n.b = (uint32_t)w.tail;
    memcpy(&n.value, &w.bits, sizeof n.value);
    return n;
}

/* Odd multipliers spread ids, which are small and close together, to the high
 * bits; numbers such as 0.5 have only high bits, which are folded down. */
static inline uint64_t hash_words(node_words n)
{
    uint64_t h = n.head * 0x9e3779b97f4a7c15u;
    h ^= n.tail * 0xc2b2ae3d27d4eb4fu;
    h ^= (n.bits ^ n.bits >> 32) * 0x165667b19e3779f9u;
    h ^= h >> 32;
    return h * 0xd6e8feb86659fd93u;
}

/* The slot where the node is, or the free one where it belongs. */
static inline size_t find_slot(const shape_pool *p, node_words wanted)
{
    size_t mask = p->slot_count - 1;
    size_t slot = (size_t)(hash_words(wanted) >> 32) & mask;
    for (; p->slots[slot] != 0; slot = (slot + 1) & mask) {
        node_words have = words_of(&p->nodes.items[p->slots[slot] - 1]);
        if (have.head == wanted.head && have.tail == wanted.tail
            && have.bits == wanted.bits)
            break;
    }
    return slot;
}

/* Doubles the table; on failure the old one stays. */
static bool grow_slots(shape_pool *p)
{
    size_t count = first_slot_count;
    if (p->slot_count > 0 && !size_mul(p->slot_count, 2, &count)) return false;
    uint32_t *slots = alloc_zeroed(p->allocator, count, sizeof *slots);
    if (!slots) return false;
    alloc_free(p->allocator, p->slots, p->slot_count, sizeof *slots);
    p->slots = slots;
    p->slot_count = count;
    for (size_t i = 0; i < p->nodes.count; i++)
        slots[find_slot(p, words_of(&p->nodes.items[i]))] = (uint32_t)i + 1;
    return true;
}

static bool has_room(shape_pool *p)
{
    if (p->nodes.count >= NODE_NONE - 1) return false;
    if (p->slot_count <= 2 * p->nodes.count && !grow_slots(p)) return false;
    return ARRAY_RESERVE(p->allocator, &p->nodes, 1);
}

/* Adds a node that is not in the table. */
static node_id append_node(shape_pool *p, node_words words)
{
    if (!has_room(p)) {
        p->failed = true;
        return NODE_NONE;
    }
    node_id id = (node_id)p->nodes.count;
    p->nodes.items[p->nodes.count++] = node_of(words);
    p->slots[find_slot(p, words)] = id + 1;
    return id;
}

/* Words by value, so that they come in registers. */
static node_id intern_node(
    shape_pool *p, uint64_t head, uint64_t tail, uint64_t bits)
{
    node_words words = {head, tail, bits};
    if (p->failed) return NODE_NONE;
    if (p->slot_count > 0) {
        uint32_t found = p->slots[find_slot(p, words)];
        if (found != 0) return found - 1;
    }
    return append_node(p, words);
}

void shape_pool_init(shape_pool *p, const dae_allocator *allocator)
{
    *p = (shape_pool){.allocator = alloc_or_default(allocator)};
}

void shape_pool_clear(shape_pool *p)
{
    ARRAY_FREE(p->allocator, &p->nodes);
    alloc_free(p->allocator, p->slots, p->slot_count, sizeof *p->slots);
    p->slots = NULL;
    p->slot_count = 0;
    p->failed = false;
}

/* ---- leaves and plain nodes --------------------------------------------- */

node_id shape_const(shape_pool *p, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return intern_node(p, head_word(NODE_CONST, 0, 0, 0, NODE_NONE),
        tail_word(NODE_NONE, NODE_NONE), bits);
}

node_id shape_hole(
    shape_pool *p, leaf_kind kind, uint32_t number, unsigned order)
{
    static const uint8_t flags[] = {
        [LEAF_UNKNOWN] = NODE_HAS_UNKNOWN,
        [LEAF_PARAM] = NODE_HAS_PARAM,
        [LEAF_DEFINITION] = NODE_HAS_DEFINITION,
        [LEAF_TIME] = NODE_HAS_TIME,
        [LEAF_HELD] = NODE_HAS_HELD,
    };
    assert(order == 0 || kind == LEAF_UNKNOWN || kind == LEAF_DEFINITION);
    if (order > UINT8_MAX) return NODE_NONE;
    return intern_node(p,
        head_word(NODE_HOLE, kind, order, flags[kind], number),
        tail_word(NODE_NONE, NODE_NONE), 0);
}

bool shape_is_const(const shape_pool *p, node_id id, double *value)
{
    if (id == NODE_NONE) return false;
    const node *n = shape_node(p, id);
    if (n->op != NODE_CONST) return false;
    if (value) *value = n->value;
    return true;
}

static bool is_number(const shape_pool *p, node_id id, double number)
{
    const node *n = shape_node(p, id);
    return n->op == NODE_CONST && n->value == number;
}

static bool is_op(const shape_pool *p, node_id id, node_op op)
{
    return shape_node(p, id)->op == op;
}

/* Whether the value is 1 or 0. */
static bool is_truth(const shape_pool *p, node_id id)
{
    int op = shape_node(p, id)->op;
    return op >= NODE_LT && op <= NODE_NOT;
}

static inline bool all_constant(
    const shape_pool *p, node_id a, node_id b, node_id c)
{
    return is_op(p, a, NODE_CONST)
        && (b == NODE_NONE || is_op(p, b, NODE_CONST))
        && (c == NODE_NONE || is_op(p, c, NODE_CONST));
}

static unsigned flags_of(const shape_pool *p, node_id id)
{
    return id == NODE_NONE ? 0 : shape_node(p, id)->flags;
}

static double value_of(const shape_pool *p, node_id id)
{
    return id == NODE_NONE ? 0 : shape_node(p, id)->value;
}

/* An operation, or its value where the operands are constants and the value
 * is finite. Operands it does not have are NODE_NONE; `order` is the index in
 * a family. */
static inline node_id make_operation(
    shape_pool *p, node_op op, unsigned order, node_id a, node_id b, node_id c)
{
    if (all_constant(p, a, b, c)) {
        node n = {.op = (uint8_t)op, .order = (uint8_t)order};
        double value = node_apply(
            &n, value_of(p, a), value_of(p, b), value_of(p, c));
        if (isfinite(value)) return shape_const(p, value);
    }
    unsigned flags = flags_of(p, a) | flags_of(p, b) | flags_of(p, c);
    return intern_node(
        p, head_word(op, 0, order, flags, a), tail_word(b, c), 0);
}

/* ---- simplifying makers ------------------------------------------------- */

node_id shape_unary(shape_pool *p, node_op op, node_id a)
{
    assert(node_arity(op) == 1 && op != NODE_POWI);
    if (a == NODE_NONE) return NODE_NONE;
    const node *of = shape_node(p, a);
    switch (op) {
    case NODE_NEG:
        if (of->op == NODE_NEG) return of->a;
        break;
    case NODE_ABS:
        if (of->op == NODE_ABS) return a;
        if (of->op == NODE_NEG) return shape_unary(p, NODE_ABS, of->a);
        break;
    case NODE_NOT:
        if (of->op == NODE_NOT && is_truth(p, of->a)) return of->a;
        break;
    case NODE_SINC:
    case NODE_COSC:
    case NODE_SINCC:
    case NODE_STUMPFF: return shape_family(p, op, 0, a);
    default: break;
    }
    return make_operation(p, op, 0, a, NODE_NONE, NODE_NONE);
}

/* Each simplifier returns what the operation comes down to; NODE_NONE means
 * that it stands as it is. */
static node_id simpler_sum(shape_pool *p, node_id a, node_id b)
{
    if (is_number(p, a, 0)) return b;
    if (is_number(p, b, 0)) return a;
    if (is_op(p, b, NODE_NEG))
        return shape_binary(p, NODE_SUB, a, shape_node(p, b)->a);
    if (is_op(p, a, NODE_NEG))
        return shape_binary(p, NODE_SUB, b, shape_node(p, a)->a);
    return NODE_NONE;
}

static node_id simpler_difference(shape_pool *p, node_id a, node_id b)
{
    if (is_number(p, b, 0)) return a;
    if (is_op(p, b, NODE_NEG))
        return shape_binary(p, NODE_ADD, a, shape_node(p, b)->a);
    if (is_number(p, a, 0)) return shape_unary(p, NODE_NEG, b);
    if (a == b && !is_op(p, a, NODE_CONST)) return shape_const(p, 0);
    return NODE_NONE;
}

static node_id simpler_product(shape_pool *p, node_id a, node_id b)
{
    if (is_op(p, b, NODE_CONST)) { /* the constant, if any, is a */
        node_id other = a;
        a = b;
        b = other;
    }
    if (!is_op(p, a, NODE_CONST) || is_op(p, b, NODE_CONST)) return NODE_NONE;
    if (is_number(p, a, 0)) return shape_const(p, 0);
    if (is_number(p, a, 1)) return b;
    if (is_number(p, a, -1)) return shape_unary(p, NODE_NEG, b);
    return NODE_NONE;
}

static node_id simpler_quotient(shape_pool *p, node_id a, node_id b)
{
    if (is_number(p, b, 1)) return a;
    if (is_number(p, b, -1)) return shape_unary(p, NODE_NEG, a);
    if (is_number(p, a, 0) && !is_op(p, b, NODE_CONST))
        return shape_const(p, 0);
    return NODE_NONE;
}

static node_id simpler_power(shape_pool *p, node_id a, node_id b)
{
    double exponent;
    if (is_number(p, a, 1)) return a;
    if (!shape_is_const(p, b, &exponent)) return NODE_NONE;
    if (fabs(exponent) <= exponent_limit && exponent == floor(exponent))
        return shape_powi(p, a, (int32_t)exponent);
    if (exponent == 0.5) return shape_unary(p, NODE_SQRT, a);
    return NODE_NONE;
}

/* `and` is settled by a false operand, `or` by a true one. */
static node_id simpler_truth(shape_pool *p, node_op op, node_id a, node_id b)
{
    bool settles = op == NODE_OR;
    double value;
    for (int k = 0; k < 2; k++) {
        node_id known = k == 0 ? a : b, other = k == 0 ? b : a;
        if (!shape_is_const(p, known, &value)) continue;
        if ((value != 0) == settles) return shape_const(p, settles);
        if (is_truth(p, other)) return other;
    }
    return a == b && is_truth(p, a) ? a : NODE_NONE;
}

static node_id simpler_binary(shape_pool *p, node_op op, node_id a, node_id b)
{
    switch (op) {
    case NODE_ADD: return simpler_sum(p, a, b);
    case NODE_SUB: return simpler_difference(p, a, b);
    case NODE_MUL: return simpler_product(p, a, b);
    case NODE_DIV: return simpler_quotient(p, a, b);
    case NODE_POW: return simpler_power(p, a, b);
    case NODE_AND:
    case NODE_OR: return simpler_truth(p, op, a, b);
    case NODE_MIN:
    case NODE_MAX: return a == b ? a : NODE_NONE;
    case NODE_LT: /* false for NaN too */
        return a == b ? shape_const(p, 0) : NODE_NONE;
    default: return NODE_NONE;
    }
}

node_id shape_binary(shape_pool *p, node_op op, node_id a, node_id b)
{
    assert(node_arity(op) == 2);
    if (a == NODE_NONE || b == NODE_NONE) return NODE_NONE;
    node_id simpler = simpler_binary(p, op, a, b);
    if (simpler != NODE_NONE || p->failed) return simpler;
    if ((op == NODE_ADD || op == NODE_MUL) && a > b)
        return make_operation(p, op, 0, b, a, NODE_NONE);
    return make_operation(p, op, 0, a, b, NODE_NONE);
}

node_id shape_select(shape_pool *p, node_id a, node_id b, node_id c)
{
    if (a == NODE_NONE || b == NODE_NONE || c == NODE_NONE) return NODE_NONE;
    double condition;
    if (shape_is_const(p, a, &condition)) return condition != 0 ? b : c;
    if (b == c) return b;
    if (is_op(p, a, NODE_NOT))
        return shape_select(p, shape_node(p, a)->a, c, b);
    return make_operation(p, NODE_SELECT, 0, a, b, c);
}

node_id shape_powi(shape_pool *p, node_id a, int32_t exponent)
{
    if (a == NODE_NONE) return NODE_NONE;
    if (exponent == 0) return shape_const(p, 1);
    if (exponent == 1) return a;
    if (exponent > exponent_limit || exponent < -exponent_limit)
        return shape_binary(p, NODE_POW, a, shape_const(p, exponent));
    const node *of = shape_node(p, a);
    if (of->op == NODE_CONST) {
        node n = {.op = NODE_POWI};
        n.exponent = exponent;
        double value = node_apply(&n, of->value, 0, 0);
        if (isfinite(value)) return shape_const(p, value);
    }
    return intern_node(p, head_word(NODE_POWI, 0, 0, of->flags, a),
        tail_word((uint32_t)exponent, NODE_NONE), 0);
}

/* A node of a signal, or its value where the operands are constants. */
static node_id signal_node(
    shape_pool *p, const node *like, unsigned order, node_id a, node_id b)
{
    node n = {.op = like->op, .order = (uint8_t)order, .c = like->c};
    uint64_t bits = 0;
    if (a == NODE_NONE) return NODE_NONE;
    n.table = like->table;
    if (all_constant(p, a, b, NODE_NONE)) {
        double value = node_apply(&n, value_of(p, a), value_of(p, b), 0);
        if (isfinite(value)) return shape_const(p, value);
    }
    memcpy(&bits, &n.table, sizeof n.table);
    return intern_node(p,
        head_word(n.op, 0, order, flags_of(p, a) | flags_of(p, b), a),
        tail_word(b, n.c), bits);
}

node_id shape_piece(shape_pool *p, const measured *s, node_id a)
{
    node like = {.op = NODE_PIECE, .c = s->offset};
    like.table = s->numbers;
    return signal_node(p, &like, 0, a, NODE_NONE);
}

static node_id table_again(
    shape_pool *p, const node *like, unsigned order, node_id a, node_id piece)
{
    if (a == NODE_NONE || piece == NODE_NONE) return NODE_NONE;
    if (!like->table || order > signal_degree(like->table))
        return shape_const(p, 0);
    return signal_node(p, like, order, a, piece);
}

node_id shape_table(
    shape_pool *p, const measured *s, unsigned order, node_id a, node_id piece)
{
    node like = {.op = NODE_TABLE, .c = s->offset};
    like.table = s->numbers;
    return table_again(p, &like, order, a, piece);
}

node_id shape_again(
    shape_pool *p, const node *n, node_id a, node_id b, node_id c)
{
    const node like = *n; /* makers move the nodes */
    const node_op op = (node_op)like.op;
    assert(op != NODE_CONST && op != NODE_HOLE);
    if (op == NODE_POWI) return shape_powi(p, a, like.exponent);
    if (op == NODE_PIECE) return signal_node(p, &like, 0, a, NODE_NONE);
    if (op == NODE_TABLE) return table_again(p, &like, like.order, a, b);
    if (node_is_family(op)) return shape_family(p, op, like.order, a);
    switch (node_arity(op)) {
    case 1: return shape_unary(p, op, a);
    case 2: return shape_binary(p, op, a, b);
    default: return shape_select(p, a, b, c);
    }
}

node_id shape_family(shape_pool *p, node_op op, unsigned index, node_id a)
{
    assert(node_is_family(op));
    if (a == NODE_NONE || index > UINT8_MAX) return NODE_NONE;
    return make_operation(p, op, index, a, NODE_NONE, NODE_NONE);
}

node_id shape_remake(shape_pool *p, const node *n, const node_id operand[3])
{
    const node_op op = (node_op)n->op;
    const int32_t exponent = n->exponent;
    const unsigned order = n->order;
    for (int k = 0; k < node_arity(op); k++)
        if (operand[k] == NODE_NONE) return NODE_NONE;
    if (op == NODE_POWI) return shape_powi(p, operand[0], exponent);
    if (node_has_signal(op))
        return shape_again(p, n, operand[0], operand[1], operand[2]);
    return make_operation(p, op, order, operand[0], operand[1], operand[2]);
}

node_id shape_as_written(const shape_pool *p, node_id id)
{
    for (;;) {
        const node *n = shape_node(p, id);
        if (n->op != NODE_SELECT) return id;
        const node *condition = shape_node(p, n->a);
        if (condition->op != NODE_NE || condition->a != condition->b) return id;
        const node *held = shape_node(p, condition->a);
        if (held->op != NODE_HOLE || held->kind != LEAF_HELD) return id;
        id = n->b;
    }
}

/* ---- passes ------------------------------------------------------------- */

dae_status shape_needed(const shape_pool *p, const node_id *roots,
    size_t root_count, node_id **needed, size_t *count)
{
    return collect_nodes(p, roots, root_count, NULL, needed, count);
}

/* Where values lie: at their ids in the caller's scratch, or at their places
 * in the list of needed nodes. */
typedef struct value_store {
    double *values;
    const node_id *needed;
    size_t count;
    bool by_id;
} value_store;

static double *value_place(const value_store *s, node_id id)
{
    return s->by_id ? &s->values[id]
                    : &s->values[collect_place(s->needed, s->count, id)];
}

static double node_value(
    const value_store *s, const node *n, shape_leaf_fn *leaf, void *context)
{
    if (n->op == NODE_HOLE)
        return leaf(context, (leaf_kind)n->kind, n->a, n->order);
    double v[3] = {0, 0, 0};
    int arity = node_arity((node_op)n->op);
    for (int k = 0; k < arity; k++) v[k] = *value_place(s, node_operand(n, k));
    return node_apply(n, v[0], v[1], v[2]);
}

void shape_eval_needed(const shape_pool *p, const node_id *needed, size_t count,
    shape_leaf_fn *leaf, void *context, double *values)
{
    value_store store = {values, needed, count, true};
    for (size_t i = 0; i < count; i++)
        values[needed[i]] = node_value(
            &store, shape_node(p, needed[i]), leaf, context);
}

dae_status shape_eval(const shape_pool *p, node_id root, shape_leaf_fn *leaf,
    void *context, double *values, double *result)
{
    assert(root < p->nodes.count);
    node_id *needed;
    size_t count;
    dae_status st = shape_needed(p, &root, 1, &needed, &count);
    if (st) return st;
    double *own = NULL;
    if (!values && !(own = alloc_zeroed(p->allocator, count, sizeof *own))) {
        st = DAE_MEMORY;
        goto done;
    }
    value_store store = {own ? own : values, needed, count, own == NULL};
    for (size_t i = 0; i < count; i++) {
        double *place = own ? &own[i] : &values[needed[i]];
        *place = node_value(&store, shape_node(p, needed[i]), leaf, context);
    }
    *result = *value_place(&store, root);
done:
    alloc_free(p->allocator, own, count, sizeof *own);
    alloc_free(p->allocator, needed, count, sizeof *needed);
    return st;
}
