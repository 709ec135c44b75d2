/* Depth first with an explicit stack. A node's place is found through two
 * arrays over the pool that are stamped with the kernel's number instead of
 * being cleared, so that many small kernels cost what their nodes cost. */
#include "code/flatten.h"
#include "base/real.h"
#include "code/columns.h"
#include <string.h>

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
    alloc_free(f->allocator, f->table, f->table_size, sizeof *f->table);
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

int flat_operands(const flat_item *item, uint32_t operands[3])
{
    uint32_t all[3] = {item->a, item->b, item->c};
    int count = 0;
    if (item->op >= OP_COUNT) return 0;
    for (const char *k = opcode_operands[item->op]; *k; k++)
        if (*k != 'k') operands[count++] = all[k - opcode_operands[item->op]];
    return count;
}

/* Where the item is in the table, or the place that is free for it. */
static size_t item_slot(const flattener *f, const flat_item *item)
{
    uint64_t h = item->op ^ value_bits(item->value);
    h = (h ^ item->a) * 0x9E3779B97F4A7C15u;
    h = ((h ^ h >> 29) ^ item->b) * 0xBF58476D1CE4E5B9u;
    h = ((h ^ h >> 31) ^ item->c) * 0x94D049BB133111EBu;
    size_t mask = f->table_size - 1, s = (size_t)(h ^ h >> 32) & mask;
    for (; f->table[s]; s = (s + 1) & mask) {
        const flat_item *other = &f->items.items[f->table[s] - 1];
        if (other->op == item->op && other->a == item->a && other->b == item->b
            && other->c == item->c
            && value_bits(other->value) == value_bits(item->value))
            break;
    }
    return s;
}

/* The items so far into a table that has room for twice as many. */
static bool make_table(flattener *f)
{
    size_t size = f->table_size ? f->table_size : 64;
    while (size < 4 * (f->items.count + 1)) size *= 2;
    uint32_t *table = alloc_zeroed(f->allocator, size, sizeof *table);
    if (!table) return false;
    alloc_free(f->allocator, f->table, f->table_size, sizeof *table);
    f->table = table;
    f->table_size = size;
    for (size_t i = 0; i < f->items.count; i++)
        table[item_slot(f, &f->items.items[i])] = (uint32_t)i + 1;
    return true;
}

/* Sums and products are made in pairs, so one of them is half a pass. */
static void note_saved(flattener *f, const flat_item *item, uint32_t position)
{
    bool is_half = item->op == OP_ADD || item->op == OP_SUB
        || item->op == OP_MUL;
    if (item->op < OP_COUNT && item->varies && position < f->joined_from)
        f->saved += is_half ? 1 : 2;
}

/* Its position; NO_INDEX: no memory. */
static uint32_t push_item(flattener *f, flat_item item)
{
    uint32_t operands[3];
    size_t slot = 0;
    if (f->items.count >= ITEM_LIMIT) return NO_INDEX;
    for (int n = flat_operands(&item, operands); n > 0; n--)
        item.varies = item.varies || f->items.items[operands[n - 1]].varies;
    if (f->joined_from) {
        if (2 * (f->items.count + 1) > f->table_size && !make_table(f))
            return NO_INDEX;
        slot = item_slot(f, &item);
        if (f->table[slot]) {
            note_saved(f, &item, f->table[slot] - 1);
            return f->table[slot] - 1;
        }
    }
    if (!ARRAY_PUSH(f->allocator, &f->items, item)) return NO_INDEX;
    if (f->joined_from) f->table[slot] = (uint32_t)f->items.count;
    return (uint32_t)f->items.count - 1;
}

static uint32_t push_product(flattener *f, uint32_t a, uint32_t b)
{
    return push_item(f, (flat_item){.op = OP_MUL, .a = a, .b = b});
}

/* x^k by squaring, the same products in the same order as node_apply. */
static uint32_t push_power(flattener *f, uint32_t x, int32_t exponent)
{
    uint32_t square = x, power = NO_INDEX;
    uint32_t k = (uint32_t)(exponent < 0 ? -exponent : exponent);
    for (; k; k >>= 1) {
        if (k & 1) {
            power = power == NO_INDEX ? square : push_product(f, power, square);
            if (power == NO_INDEX) return NO_INDEX;
        }
        if (k > 1 && (square = push_product(f, square, square)) == NO_INDEX)
            return NO_INDEX;
    }
    if (exponent > 0) return power;
    uint32_t one = push_item(f, (flat_item){.op = FLAT_CONST, .value = 1});
    if (one == NO_INDEX) return NO_INDEX;
    return push_item(f, (flat_item){.op = OP_DIV, .a = one, .b = power});
}

static uint32_t push_node(flattener *f, const node *n)
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
    uint32_t j = f->places[id] & ~COLUMN_BIT;
    const kernel *k = f->kernel;
    uint32_t position = push_item(f,
        (flat_item){.op = FLAT_LEAF,
            .a = f->column_map ? f->column_map[j] : j,
            .varies = !column_is_uniform(k->columns[j].index, k->row_count)});
    if (position == NO_INDEX) return DAE_MEMORY;
    set_place(f, id, position);
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
        uint32_t position = push_node(f, n);
        if (position == NO_INDEX) return DAE_MEMORY;
        set_place(f, id, position);
    }
    return DAE_OK;
}

static dae_status put_kernel(
    flattener *f, const kernel *k, const uint32_t *column_map)
{
    dae_status st;
    f->stamp++;
    f->kernel = k;
    f->column_map = column_map;
    if ((st = mark_columns(f, k))) return st;
    for (size_t i = 0; i < k->output_count; i++) {
        node_id root = k->outputs[i].root;
        if ((st = flatten_root(f, root))) return st;
        if (!ARRAY_PUSH(f->allocator, &f->roots, f->places[root]))
            return DAE_MEMORY;
    }
    return DAE_OK;
}

dae_status flatten_kernel(flattener *f, const kernel *k)
{
    f->items.count = f->roots.count = 0;
    f->joined_from = 0;
    return put_kernel(f, k, NULL);
}

dae_status flatten_join(
    flattener *f, const kernel *k, const uint32_t *column_map, bool *is_worth)
{
    size_t roots = f->roots.count;
    f->joined_from = f->items.count;
    f->saved = 0;
    if (!make_table(f)) return DAE_MEMORY;
    dae_status st = put_kernel(f, k, column_map);
    *is_worth = !st && f->saved >= 2;
    if (*is_worth) return st;
    f->items.count = f->joined_from;
    f->roots.count = roots;
    return st;
}
