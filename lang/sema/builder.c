/* The leaves of the term being built. A leaf that occurs twice is one hole, so
 * x*x looks the same in every row. Few leaves are searched in a line, many in
 * a hash table. */
#include "sema/lowering.h"

#include <stdlib.h>
#include <string.h>

#define LINEAR_LEAVES 12

void builder_init(builder *b)
{
    memset(b, 0, sizeof *b);
}

void builder_clear(lowering *l, builder *b)
{
    if (!l->spare_leaves.items) {
        l->spare_leaves = b->leaves;
        l->spare_leaves.count = 0;
    } else ARRAY_FREE(l->allocator, &b->leaves);
    alloc_free(l->allocator, b->slots, b->slot_count, sizeof *b->slots);
    builder_init(b);
}

static size_t leaf_hash(unsigned kind, uint32_t object)
{
    uint64_t x = ((uint64_t)kind << 32 | object) * 0x9E3779B97F4A7C15u;
    return (size_t)(x >> 29);
}

static uint32_t *leaf_slot(builder *b, unsigned kind, uint32_t object)
{
    size_t mask = b->slot_count - 1, i = leaf_hash(kind, object) & mask;
    while (b->slots[i]) {
        const builder_leaf *leaf = &b->leaves.items[b->slots[i] - 1];
        if (leaf->kind == kind && leaf->object == object) break;
        i = (i + 1) & mask;
    }
    return &b->slots[i];
}

static bool grow_slots(lowering *l, builder *b)
{
    size_t count = b->slot_count ? 2 * b->slot_count : 64;
    uint32_t *slots = alloc_zeroed(l->allocator, count, sizeof *slots);
    if (!slots) return false;
    alloc_free(l->allocator, b->slots, b->slot_count, sizeof *slots);
    b->slots = slots;
    b->slot_count = count;
    for (size_t k = 0; k < b->leaves.count; k++) {
        const builder_leaf *leaf = &b->leaves.items[k];
        *leaf_slot(b, leaf->kind, leaf->object) = (uint32_t)k + 1;
    }
    return true;
}

/* The leaf's number, or UINT32_MAX. */
static uint32_t find_leaf(builder *b, unsigned kind, uint32_t object)
{
    if (b->slots) return *leaf_slot(b, kind, object) - 1;
    for (uint32_t k = 0; k < b->leaves.count; k++) {
        const builder_leaf *leaf = &b->leaves.items[k];
        if (leaf->object == object && leaf->kind == kind) return k;
    }
    return UINT32_MAX;
}

static uint32_t add_leaf(
    lowering *l, builder *b, unsigned kind, uint32_t object)
{
    builder_leaf leaf = {(uint8_t)kind, object};
    if (!b->leaves.items) {
        b->leaves = l->spare_leaves;
        l->spare_leaves = (builder_leaves){NULL, 0, 0};
    }
    if (!ARRAY_PUSH(l->allocator, &b->leaves, leaf)) return UINT32_MAX;
    size_t count = b->leaves.count;
    if (count > LINEAR_LEAVES && 2 * count > b->slot_count) {
        if (!grow_slots(l, b)) return UINT32_MAX;
    } else if (b->slots) {
        *leaf_slot(b, kind, object) = (uint32_t)count;
    }
    return (uint32_t)count - 1;
}

value builder_leaf_value(
    lowering *l, leaf_kind kind, uint32_t object, unsigned order)
{
    builder *b = l->builder;
    uint32_t number = find_leaf(b, kind, object);
    if (number == UINT32_MAX) number = add_leaf(l, b, kind, object);
    node_id id = number == UINT32_MAX
        ? NODE_NONE
        : shape_hole(&l->s->shapes, kind, number, order);
    if (id == NODE_NONE) {
        l->failed_memory = true;
        return value_error();
    }
    return (value){.kind = VALUE_EXPR, .node = id};
}

/* 0, 1 and -1 belong to the shape; other numbers are leaves, so that rows
 * which differ in them alone share a shape. */
node_id builder_node(lowering *l, value v)
{
    if (v.kind == VALUE_EXPR) return v.node;
    if (v.kind == VALUE_NUMBER) {
        if (v.number == 0 || v.number == 1 || v.number == -1) {
            return shape_const(&l->s->shapes, v.number);
        }
        const node_id id = system_param_number(l->s, v.number);
        if (id == NODE_NONE) l->failed_memory = true;
        if (!value_note_rounding(l, v, id)) return NODE_NONE;
        v = (value){.kind = VALUE_PARAM, .node = id};
    }
    if (v.kind != VALUE_PARAM || v.node == NODE_NONE) return NODE_NONE;
    value leaf = builder_leaf_value(l, LEAF_PARAM, v.node, 0);
    return leaf.kind == VALUE_EXPR ? leaf.node : NODE_NONE;
}

/* ---- finishing a term ---------------------------------------------------- */

/* Which holes occur below root, ascending by node; true if exactly all. */
static bool holes_are_all_used(
    const shape_pool *p, const node_id *ids, size_t count, size_t leaves)
{
    size_t seen = 0;
    uint64_t bits = 0;
    for (size_t k = 0; k < count; k++) {
        const node *n = shape_node(p, ids[k]);
        if (n->op != NODE_HOLE) continue;
        if (n->a >= 64) return false;
        seen += !(bits >> n->a & 1);
        bits |= (uint64_t)1 << n->a;
    }
    return seen == leaves;
}

typedef struct renaming {
    const node_id *ids;
    size_t count;
    node_id *image; /* of ids[k] */
} renaming;

static node_id image_of(const renaming *r, node_id id)
{
    size_t low = 0, high = r->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->ids[middle] < id) low = middle + 1;
        else high = middle;
    }
    return r->image[low];
}

static node_id rename_node(
    shape_pool *p, const renaming *r, node n, uint32_t number)
{
    if (n.op == NODE_CONST) return shape_const(p, n.value);
    if (n.op == NODE_HOLE) {
        return shape_hole(p, (leaf_kind)n.kind, number, n.order);
    }
    const int arity = node_arity((node_op)n.op);
    node_id a = image_of(r, n.a);
    node_id b = arity > 1 ? image_of(r, n.b) : NODE_NONE;
    return shape_again(p, &n, a, b, arity > 2 ? image_of(r, n.c) : NODE_NONE);
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The holes that occur, ascending and once each. */
static size_t used_holes(
    const shape_pool *p, const node_id *ids, size_t count, uint32_t *used)
{
    size_t found = 0, kept = 0;
    for (size_t k = 0; k < count; k++) {
        const node *n = shape_node(p, ids[k]);
        if (n->op == NODE_HOLE) used[found++] = n->a;
    }
    if (found) qsort(used, found, sizeof *used, compare_numbers);
    for (size_t k = 0; k < found; k++) {
        if (k && used[k] == used[kept - 1]) continue;
        used[kept++] = used[k];
    }
    return kept;
}

static uint32_t position_of(const uint32_t *used, size_t count, uint32_t hole)
{
    const uint32_t *at = bsearch(
        &hole, used, count, sizeof *used, compare_numbers);
    return (uint32_t)(at - used);
}

/* Numbers the holes that occur in the order in which they were taken, and
 * rebuilds the nodes over them. The cost follows the term, not the builder,
 * which holds the leaves of a million elements where whole arrays meet. */
static dae_status renumber(
    lowering *l, const node_id *ids, size_t count, node_id *root)
{
    shape_pool *p = &l->s->shapes;
    arena_position mark = arena_mark(&l->scratch);
    uint32_t *used = ARENA_ARRAY(&l->scratch, uint32_t, count);
    renaming r = {ids, count, ARENA_ARRAY(&l->scratch, node_id, count)};
    if (!used || !r.image) return DAE_MEMORY;
    size_t holes = used_holes(p, ids, count, used);
    l->term_holes.count = 0;
    if (!ARRAY_RESERVE(l->allocator, &l->term_holes, holes)) return DAE_MEMORY;
    for (size_t k = 0; k < holes; k++) {
        l->term_holes.items[k] = l->builder->leaves.items[used[k]].object;
    }
    l->term_holes.count = holes;
    for (size_t k = 0; k < count; k++) {
        node n = *shape_node(p, ids[k]);
        uint32_t hole = n.op == NODE_HOLE ? position_of(used, holes, n.a) : 0;
        r.image[k] = rename_node(p, &r, n, hole);
        if (r.image[k] == NODE_NONE) return DAE_MEMORY;
    }
    *root = r.image[count - 1];
    arena_release(&l->scratch, mark);
    return DAE_OK;
}

static dae_status take_all_leaves(lowering *l)
{
    size_t count = l->builder->leaves.count;
    l->term_holes.count = 0;
    if (!ARRAY_RESERVE(l->allocator, &l->term_holes, count)) return DAE_MEMORY;
    for (size_t k = 0; k < count; k++) {
        l->term_holes.items[k] = l->builder->leaves.items[k].object;
    }
    l->term_holes.count = count;
    return DAE_OK;
}

/* A root seen before with the same number of leaves needs no second look:
 * whether all holes are used depends on the root alone. */
static bool is_known_root(lowering *l, node_id root, size_t leaves)
{
    return l->known_root == root && l->known_leaves == leaves;
}

dae_status term_finish(lowering *l, node_id root, term *out)
{
    if (root == NODE_NONE) return DAE_MEMORY;
    size_t leaves = l->builder->leaves.count;
    dae_status st = DAE_OK;
    if (is_known_root(l, root, leaves)) {
        st = take_all_leaves(l);
    } else {
        node_id *ids;
        size_t count;
        st = shape_needed(&l->s->shapes, &root, 1, &ids, &count);
        if (st) return st;
        if (holes_are_all_used(&l->s->shapes, ids, count, leaves)) {
            st = take_all_leaves(l);
            l->known_root = root;
            l->known_leaves = leaves;
        } else {
            st = renumber(l, ids, count, &root);
        }
        alloc_free(l->s->shapes.allocator, ids, count, sizeof *ids);
    }
    if (st) return st;
    *out = (term){root, (uint32_t)l->term_holes.count, l->term_holes.items};
    return DAE_OK;
}
