/* A node's operands have smaller ids than the node, so taking always the
 * largest id that waits meets every node after all its users: equal ids come
 * out one after the other, and neither marks over the pool nor recursion are
 * needed. The ids that wait are a binary heap. */
#include "ir/collect.h"

#include <assert.h>

typedef struct id_heap {
    ARRAY(node_id) ids; /* ids[i] >= ids[2*i + 1], ids[2*i + 2] */
} id_heap;

static bool heap_push(const dae_allocator *a, id_heap *h, node_id id)
{
    if (!ARRAY_PUSH(a, &h->ids, id)) return false;
    node_id *v = h->ids.items;
    size_t i = h->ids.count - 1;
    while (i > 0 && v[(i - 1) / 2] < id) {
        v[i] = v[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    v[i] = id;
    return true;
}

static node_id heap_pop(id_heap *h)
{
    node_id *v = h->ids.items;
    node_id top = v[0], last = v[--h->ids.count];
    size_t count = h->ids.count, i = 0;
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
    collect_follow_fn *follow, id_heap *waiting)
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
    id_heap waiting = {{NULL, 0, 0}};
    ARRAY(node_id) found = {NULL, 0, 0};
    *nodes = NULL;
    *count = 0;
    for (size_t i = 0; i < root_count; i++) {
        assert(roots[i] < p->nodes.count);
        if (!heap_push(a, &waiting, roots[i])) goto done;
    }
    while (waiting.ids.count > 0) {
        node_id id = heap_pop(&waiting);
        if (found.count > 0 && found.items[found.count - 1] == id) continue;
        if (!ARRAY_PUSH(a, &found, id)) goto done;
        if (!push_operands(p, id, follow, &waiting)) goto done;
    }
    if ((st = copy_reversed(a, found.items, found.count, nodes))) goto done;
    *count = found.count;
done:
    ARRAY_FREE(a, &found);
    ARRAY_FREE(a, &waiting.ids);
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
