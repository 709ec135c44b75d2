/* A node's operands have smaller ids than the node, so taking always the
 * largest id that waits meets every node after all its users: equal ids come
 * out one after the other, and neither marks over the pool nor recursion are
 * needed. The ids that wait are a binary heap. */
#include "ir/collect.h"

#include <assert.h>
#include <string.h>

/* Most shapes have so few nodes that no memory is requested. */
enum { FEW = 32 };

typedef struct id_list {
    node_id *ids;
    size_t count, capacity;
    node_id few[FEW];
} id_list;

static void list_init(id_list *l)
{
    l->ids = l->few;
    l->count = 0;
    l->capacity = FEW;
}

static void list_clear(const dae_allocator *a, id_list *l)
{
    if (l->ids != l->few) alloc_free(a, l->ids, l->capacity, sizeof *l->ids);
}

static bool list_grow(const dae_allocator *a, id_list *l)
{
    ARRAY(node_id) more = {NULL, 0, 0};
    if (!ARRAY_RESERVE(a, &more, l->count + 1)) return false;
    memcpy(more.items, l->ids, l->count * sizeof *l->ids);
    list_clear(a, l);
    l->ids = more.items;
    l->capacity = more.capacity;
    return true;
}

static bool list_push(const dae_allocator *a, id_list *l, node_id id)
{
    if (l->count == l->capacity && !list_grow(a, l)) return false;
    l->ids[l->count++] = id;
    return true;
}

/* As a heap: ids[i] >= ids[2*i + 1], ids[2*i + 2]. */
static bool heap_push(const dae_allocator *a, id_list *h, node_id id)
{
    if (!list_push(a, h, id)) return false;
    node_id *v = h->ids;
    size_t i = h->count - 1;
    while (i > 0 && v[(i - 1) / 2] < id) {
        v[i] = v[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    v[i] = id;
    return true;
}

static node_id heap_pop(id_list *h)
{
    node_id *v = h->ids;
    node_id top = v[0], last = v[--h->count];
    size_t count = h->count, i = 0;
    for (size_t child = 1; child < count; child = 2 * i + 1) {
        if (child + 1 < count && v[child + 1] > v[child]) child++;
        if (v[child] <= last) break;
        v[i] = v[child];
        i = child;
    }
    if (count > 0) v[i] = last;
    return top;
}

static bool push_operands(const shape_pool *p, node_id id,
    collect_follow_fn *follow, id_list *waiting)
{
    const node *n = shape_node(p, id);
    int arity = node_arity((node_op)n->op);
    for (int k = 0; k < arity; k++) {
        node_id operand = node_operand(n, k);
        assert(operand < id);
        if (follow && !follow(p, id, k)) continue;
        if (!heap_push(p->allocator, waiting, operand)) return false;
    }
    return true;
}

static dae_status copy_reversed(
    const dae_allocator *a, const node_id *from, size_t count, node_id **to)
{
    node_id *copy = alloc_zeroed(a, count, sizeof *copy);
    if (!copy) return DAE_MEMORY;
    for (size_t i = 0; i < count; i++) copy[i] = from[count - 1 - i];
    *to = copy;
    return DAE_OK;
}

dae_status collect_nodes(const shape_pool *p, const node_id *roots,
    size_t root_count, collect_follow_fn *follow, node_id **nodes,
    size_t *count)
{
    const dae_allocator *a = p->allocator;
    dae_status st = DAE_MEMORY;
    id_list waiting, found;
    list_init(&waiting);
    list_init(&found);
    *nodes = NULL;
    *count = 0;
    for (size_t i = 0; i < root_count; i++) {
        assert(roots[i] < p->nodes.count);
        if (!heap_push(a, &waiting, roots[i])) goto done;
    }
    while (waiting.count > 0) {
        node_id id = heap_pop(&waiting);
        if (found.count > 0 && found.ids[found.count - 1] == id) continue;
        if (!list_push(a, &found, id)) goto done;
        if (!push_operands(p, id, follow, &waiting)) goto done;
    }
    if ((st = copy_reversed(a, found.ids, found.count, nodes))) goto done;
    *count = found.count;
done:
    list_clear(a, &found);
    list_clear(a, &waiting);
    return st;
}

size_t collect_place(const node_id *nodes, size_t count, node_id id)
{
    size_t low = 0, high = count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (nodes[middle] <= id) {
            low = middle;
        } else {
            high = middle;
        }
    }
    assert(count > 0 && nodes[low] == id);
    return low;
}
