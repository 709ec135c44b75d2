/* Depth first with an explicit stack. A node's place is found through two
 * arrays over the pool that are stamped with the kernel's number instead of
 * being cleared, so that many small kernels cost what their nodes cost. */
#include "code/flatten.h"

/* So that indices of cells, ports and values keep within 32 bits. */
#define ITEM_LIMIT 0x10000000u
/* A place with this bit is a column whose item is not made yet. */
#define COLUMN_BIT 0x80000000u
/* Powers up to this exponent are multiplications. */
#define POWER_LIMIT 16

dae_status flatten_init(
    flattener *f, const shape_pool *pool, const dae_allocator *allocator)
{
    *f = (flattener){.allocator = allocator, .pool = pool};
    f->stamps = alloc_zeroed(allocator, pool->nodes.count, sizeof(uint32_t));
    f->places = alloc_zeroed(allocator, pool->nodes.count, sizeof(uint32_t));
    return f->stamps && f->places ? DAE_OK : DAE_MEMORY;
}

void flatten_clear(flattener *f)
{
    size_t nodes = f->pool ? f->pool->nodes.count : 0;
    alloc_free(f->allocator, f->stamps, nodes, sizeof(uint32_t));
    alloc_free(f->allocator, f->places, nodes, sizeof(uint32_t));
    ARRAY_FREE(f->allocator, &f->stack);
    ARRAY_FREE(f->allocator, &f->items);
    ARRAY_FREE(f->allocator, &f->roots);
}

static bool has_place(const flattener *f, node_id id)
{
    return f->stamps[id] == f->stamp && !(f->places[id] & COLUMN_BIT);
}

static void set_place(flattener *f, node_id id, uint32_t position)
{
    f->stamps[id] = f->stamp;
    f->places[id] = position;
}

static dae_status mark_columns(flattener *f, const kernel *k)
{
    for (size_t j = 0; j < k->column_count; j++) {
        node_id leaf = k->columns[j].leaf;
        if (leaf >= f->pool->nodes.count || j >= ITEM_LIMIT
            || shape_node(f->pool, leaf)->op != NODE_HOLE
            || f->stamps[leaf] == f->stamp)
            return DAE_ARGUMENT;
        set_place(f, leaf, (uint32_t)j | COLUMN_BIT);
    }
    return DAE_OK;
}

static bool push_item(flattener *f, flat_item item)
{
    if (f->items.count >= ITEM_LIMIT) return false;
    return ARRAY_PUSH(f->allocator, &f->items, item);
}

/* x^k by squaring, the same products in the same order as node_apply. */
static bool push_power(flattener *f, uint32_t x, int32_t exponent)
{
    uint32_t square = x, power = NO_INDEX;
    uint32_t k = (uint32_t)(exponent < 0 ? -exponent : exponent);
    for (; k; k >>= 1) {
        if ((k & 1) && power == NO_INDEX) {
            power = square;
        } else if (k & 1) {
            if (!push_item(f, (flat_item){OP_MUL, power, square, 0, 0}))
                return false;
            power = (uint32_t)f->items.count - 1;
        }
        if (k > 1) {
            if (!push_item(f, (flat_item){OP_MUL, square, square, 0, 0}))
                return false;
            square = (uint32_t)f->items.count - 1;
        }
    }
    if (exponent > 0) return true;
    uint32_t one = (uint32_t)f->items.count;
    return push_item(f, (flat_item){.op = FLAT_CONST, .value = 1})
        && push_item(f, (flat_item){OP_DIV, one, power, 0, 0});
}

static bool push_node(flattener *f, const node *n)
{
    flat_item item = {0};
    int arity = node_arity((node_op)n->op);
    if (n->op == NODE_CONST) {
        item.op = FLAT_CONST;
        item.value = n->value;
        return push_item(f, item);
    }
    item.op = opcode_of_node((node_op)n->op);
    item.a = f->places[n->a];
    if (arity > 1) item.b = f->places[n->b];
    if (arity > 2) item.c = f->places[n->c];
    if (n->op == NODE_POWI) {
        if (n->exponent != 0 && n->exponent != 1 && n->exponent >= -POWER_LIMIT
            && n->exponent <= POWER_LIMIT)
            return push_power(f, item.a, n->exponent);
        item.b = (uint32_t)n->exponent;
    } else if (n->op == NODE_PIECE) {
        item.b = signal_number(n->c, 0);
    } else if (n->op == NODE_TABLE) {
        item.c = signal_number(n->c, n->order);
    } else if (opcode_operands[item.op][1] == 'k') {
        item.b = n->order;
    }
    return push_item(f, item);
}

/* A leaf takes its column's place. */
static dae_status place_leaf(flattener *f, node_id id)
{
    if (f->stamps[id] != f->stamp) return DAE_ARGUMENT; /* no column */
    flat_item item = {FLAT_LEAF, f->places[id] & ~COLUMN_BIT, 0, 0, 0};
    if (!push_item(f, item)) return DAE_MEMORY;
    set_place(f, id, (uint32_t)f->items.count - 1);
    return DAE_OK;
}

/* Pushes the operands that have no place yet, the first on top. */
static dae_status push_operands(flattener *f, const node *n, bool *ready)
{
    int arity = node_arity((node_op)n->op);
    uint32_t operands[3] = {n->a, 0, 0};
    if (arity > 1) operands[1] = n->b;
    if (arity > 2) operands[2] = n->c;
    *ready = true;
    for (int i = arity - 1; i >= 0; i--) {
        if (operands[i] >= f->pool->nodes.count) return DAE_ARGUMENT;
        if (has_place(f, operands[i])) continue;
        *ready = false;
        if (!ARRAY_PUSH(f->allocator, &f->stack, operands[i]))
            return DAE_MEMORY;
    }
    return DAE_OK;
}

static dae_status flatten_root(flattener *f, node_id root)
{
    dae_status st;
    if (root >= f->pool->nodes.count) return DAE_ARGUMENT;
    f->stack.count = 0;
    if (!ARRAY_PUSH(f->allocator, &f->stack, root)) return DAE_MEMORY;
    while (f->stack.count > 0) {
        node_id id = f->stack.items[f->stack.count - 1];
        const node *n = shape_node(f->pool, id);
        bool ready = true;
        if (has_place(f, id)) {
            f->stack.count--;
            continue;
        }
        if (n->op == NODE_HOLE) {
            if ((st = place_leaf(f, id))) return st;
            continue;
        }
        if ((st = push_operands(f, n, &ready))) return st;
        if (!ready) continue;
        if (!push_node(f, n)) return DAE_MEMORY;
        set_place(f, id, (uint32_t)f->items.count - 1);
    }
    return DAE_OK;
}

dae_status flatten_kernel(flattener *f, const kernel *k)
{
    dae_status st;
    f->stamp++;
    f->items.count = f->roots.count = 0;
    if ((st = mark_columns(f, k))) return st;
    for (size_t i = 0; i < k->output_count; i++) {
        node_id root = k->outputs[i].root;
        if ((st = flatten_root(f, root))) return st;
        if (!ARRAY_PUSH(f->allocator, &f->roots, f->places[root]))
            return DAE_MEMORY;
    }
    return DAE_OK;
}
