/* Rows are found by (shape, number of holes) through a small hash per group;
 * only the order of first appearance is ever visible. Time derivatives of
 * definitions are taken once per shape and then copied row by row: the holes
 * of a row stay what they are, only the shape changes. */
#include "ir/system.h"
#include "base/report.h"
#include "ir/diff.h"
#include "ir/digits.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* New nodes that one time derivative may make: far above what the chain rule
 * gives for any shape a text can hold, below what fills a memory. */
#define DERIVATIVE_BUDGET ((size_t)1 << 22)

void system_init(system_tables *s, arena *a, const dae_allocator *allocator)
{
    memset(s, 0, sizeof *s);
    s->allocator = alloc_or_default(allocator);
    s->arena = a;
    shape_pool_init(&s->shapes, s->allocator);
    shape_pool_init(&s->params, s->allocator);
    s->shapes.signals = s->params.signals = &s->signals;
}

static void clear_group(const dae_allocator *a, row_group *g)
{
    for (size_t l = 0; l < g->lists.count; l++)
        ARRAY_FREE(a, &g->lists.items[l].data);
    ARRAY_FREE(a, &g->lists);
    alloc_free(a, g->slots, g->slot_count, sizeof *g->slots);
    g->slots = NULL;
    g->slot_count = 0;
}

void system_clear(system_tables *s)
{
    const dae_allocator *a = s->allocator;
    shape_pool_clear(&s->shapes);
    shape_pool_clear(&s->params);
    for (int g = 0; g < GROUP_COUNT; g++) clear_group(a, &s->groups[g]);
    ARRAY_FREE(a, &s->param_values);
    ARRAY_FREE(a, &s->roundings);
    ARRAY_FREE(a, &s->param_inputs);
    ARRAY_FREE(a, &s->param_is_structural);
    ARRAY_FREE(a, &s->param_nodes);
    ARRAY_FREE(a, &s->param_names);
    ARRAY_FREE(a, &s->unknowns);
    ARRAY_FREE(a, &s->scales);
    ARRAY_FREE(a, &s->equations);
    ARRAY_FREE(a, &s->definitions);
    ARRAY_FREE(a, &s->row_refs);
    ARRAY_FREE(a, &s->lets);
    ARRAY_FREE(a, &s->conditions);
    ARRAY_FREE(a, &s->observation_spans);
    ARRAY_FREE(a, &s->starts);
    ARRAY_FREE(a, &s->discretes);
    ARRAY_FREE(a, &s->discrete_starts);
    ARRAY_FREE(a, &s->whens);
    ARRAY_FREE(a, &s->assignments);
    ARRAY_FREE(a, &s->signals.items);
}

/* Signals. */

dae_status system_add_signal(system_tables *s, measured *added)
{
    signal_list *l = &s->signals;
    if (l->count > UINT32_MAX - added->size) return DAE_LIMIT;
    added->offset = (uint32_t)l->count;
    if (!ARRAY_PUSH(s->allocator, &l->items, *added)) return DAE_MEMORY;
    l->count += added->size;
    return DAE_OK;
}

/* Brings all numbers together; those of one alone stay where they are. */
static dae_status close_signals(system_tables *s)
{
    signal_list *l = &s->signals;
    if (l->items.count == 0) return DAE_OK;
    if (l->items.count == 1) {
        l->numbers = l->items.items[0].numbers;
        return DAE_OK;
    }
    double *numbers = ARENA_ARRAY(s->arena, double, l->count);
    if (!numbers) return DAE_MEMORY;
    for (size_t k = 0; k < l->items.count; k++) {
        const measured *one = &l->items.items[k];
        memcpy(
            numbers + one->offset, one->numbers, one->size * sizeof *numbers);
    }
    l->numbers = numbers;
    return DAE_OK;
}

/* Rows and their lists. */

static uint32_t hash_key(node_id root, uint32_t hole_count)
{
    uint32_t h = root * 2654435761u ^ hole_count * 2246822519u;
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    return h ^ (h >> 13);
}

static size_t find_slot(const row_group *g, node_id root, uint32_t hole_count)
{
    size_t mask = g->slot_count - 1, k = hash_key(root, hole_count) & mask;
    for (;; k = (k + 1) & mask) {
        if (g->slots[k] == 0) return k;
        const row_list *l = &g->lists.items[g->slots[k] - 1];
        if (l->root == root && l->hole_count == hole_count) return k;
    }
}

static bool grow_slots(const dae_allocator *a, row_group *g)
{
    size_t count = g->slot_count ? g->slot_count * 2 : 64;
    uint32_t *slots = alloc_zeroed(a, count, sizeof *slots);
    if (!slots) return false;
    alloc_free(a, g->slots, g->slot_count, sizeof *g->slots);
    g->slots = slots;
    g->slot_count = count;
    for (size_t l = 0; l < g->lists.count; l++) {
        const row_list *list = &g->lists.items[l];
        slots[find_slot(g, list->root, list->hole_count)] = (uint32_t)l + 1;
    }
    return true;
}

/* The list for rows of this shape, made where it is new. */
static dae_status find_list(const dae_allocator *a, row_group *g, node_id root,
    uint32_t hole_count, uint32_t *list)
{
    if (g->lists.count >= g->slot_count / 2 && !grow_slots(a, g))
        return DAE_MEMORY;
    size_t k = find_slot(g, root, hole_count);
    if (!g->slots[k]) {
        row_list fresh = {.root = root, .hole_count = hole_count};
        if (g->lists.count >= UINT32_MAX - 1) return DAE_LIMIT;
        if (!ARRAY_PUSH(a, &g->lists, fresh)) return DAE_MEMORY;
        g->slots[k] = (uint32_t)g->lists.count;
    }
    *list = g->slots[k] - 1;
    return DAE_OK;
}

static dae_status push_row(
    const dae_allocator *a, row_list *l, uint32_t target, const uint32_t *holes)
{
    size_t width = 1 + (size_t)l->hole_count;
    if (row_count(l) >= UINT32_MAX - 1) return DAE_LIMIT;
    if (!ARRAY_RESERVE(a, &l->data, width)) return DAE_MEMORY;
    uint32_t *row = l->data.items + l->data.count;
    row[0] = target;
    if (l->hole_count) memcpy(row + 1, holes, (width - 1) * sizeof *row);
    l->data.count += width;
    return DAE_OK;
}

/* Notes a definition's new row; system_close brings the notes in order. */
static dae_status note_row(
    system_tables *s, uint32_t id, uint32_t list, size_t row)
{
    definition *d = &s->definitions.items[id];
    row_ref ref = {list, (uint32_t)row};
    if (s->row_refs.count >= UINT32_MAX - 1) return DAE_LIMIT;
    if (!ARRAY_PUSH(s->allocator, &s->row_refs, ref)) return DAE_MEMORY;
    if (d->row_count++ == 0) d->first_row = (uint32_t)s->row_refs.count - 1;
    return DAE_OK;
}

dae_status system_add_row(system_tables *s, row_group_kind group, node_id root,
    uint32_t hole_count, uint32_t target, const uint32_t *holes)
{
    row_group *g = &s->groups[group];
    uint32_t list;
    dae_status st;
    if (root == NODE_NONE) return DAE_MEMORY;
    st = find_list(s->allocator, g, root, hole_count, &list);
    if (st) return st;
    size_t row = row_count(&g->lists.items[list]);
    st = push_row(s->allocator, &g->lists.items[list], target, holes);
    if (st || group != GROUP_DEFINITION) return st;
    return note_row(s, target, list, row);
}

/* Definitions. */

dae_status system_begin_definition(
    system_tables *s, definition_kind kind, uint32_t *id)
{
    definition d = {.kind = (uint8_t)kind,
        .derivative = NODE_NONE,
        .of = NODE_NONE,
        .first_row = (uint32_t)s->row_refs.count};
    *id = NODE_NONE;
    if (s->definitions.count >= UINT32_MAX - 1) return DAE_LIMIT;
    if (!ARRAY_PUSH(s->allocator, &s->definitions, d)) return DAE_MEMORY;
    *id = (uint32_t)s->definitions.count - 1;
    return DAE_OK;
}

dae_status system_definition_derivative(
    system_tables *s, uint32_t id, unsigned order, uint32_t *derivative)
{
    *derivative = NODE_NONE;
    for (; order > 0; order--) {
        uint32_t next = s->definitions.items[id].derivative;
        if (next == NODE_NONE) {
            dae_status st = system_begin_definition(
                s, DEFINITION_DERIVATIVE, &next);
            if (st) return st;
            s->definitions.items[next].of = id;
            s->definitions.items[next].span = s->definitions.items[id].span;
            s->definitions.items[id].derivative = next;
        }
        id = next;
    }
    *derivative = id;
    return DAE_OK;
}

/* Brings row_refs into the order of definitions, each definition's rows in
 * the order they were added: a counting sort. */
static dae_status sort_row_refs(system_tables *s)
{
    size_t count = s->row_refs.count;
    row_ref *sorted = alloc_zeroed(s->allocator, count, sizeof *sorted);
    if (!sorted) return DAE_MEMORY;
    uint32_t next = 0;
    for (size_t d = 0; d < s->definitions.count; d++) {
        definition *def = &s->definitions.items[d];
        def->first_row = next;
        next += def->row_count;
        def->row_count = 0;
    }
    for (size_t r = 0; r < count; r++) {
        row_ref ref = s->row_refs.items[r];
        const row_list *l = &s->groups[GROUP_DEFINITION].lists.items[ref.list];
        uint32_t id = l->data.items[ref.row * (1 + (size_t)l->hole_count)];
        definition *d = &s->definitions.items[id];
        sorted[d->first_row + d->row_count++] = ref;
    }
    if (count) memcpy(s->row_refs.items, sorted, count * sizeof *sorted);
    alloc_free(s->allocator, sorted, count, sizeof *sorted);
    return DAE_OK;
}

/* The highest order of each DEFINITION hole of a shape, by hole number;
 * empty where no hole has one. */
typedef struct hole_orders {
    const dae_allocator *allocator;
    ARRAY(uint8_t) order;
} hole_orders;

static bool note_order(hole_orders *h, uint32_t hole, uint8_t order)
{
    while (h->order.count <= hole)
        if (!ARRAY_PUSH(h->allocator, &h->order, 0)) return false;
    if (h->order.items[hole] < order) h->order.items[hole] = order;
    return true;
}

static dae_status find_orders(
    const system_tables *s, node_id root, hole_orders *h)
{
    node_id *needed;
    size_t count;
    h->order.count = 0;
    if (!(shape_node(&s->shapes, root)->flags & NODE_HAS_DEFINITION))
        return DAE_OK;
    dae_status st = shape_needed(&s->shapes, &root, 1, &needed, &count);
    if (st) return st;
    for (size_t k = 0; k < count && !st; k++) {
        const node *n = shape_node(&s->shapes, needed[k]);
        if (n->op != NODE_HOLE || n->kind != LEAF_DEFINITION) continue;
        if (n->order && !note_order(h, n->a, n->order)) st = DAE_MEMORY;
    }
    alloc_free(s->allocator, needed, count, sizeof *needed);
    return st;
}

/* Makes the definitions exist that one row's holes ask for. */
static dae_status require_orders(
    system_tables *s, const hole_orders *h, const uint32_t *holes)
{
    uint32_t unused;
    dae_status st = DAE_OK;
    for (size_t k = 0; k < h->order.count && !st; k++)
        if (h->order.items[k])
            st = system_definition_derivative(
                s, holes[k], h->order.items[k], &unused);
    return st;
}

static dae_status require_list(
    system_tables *s, const row_list *l, hole_orders *h)
{
    dae_status st = find_orders(s, l->root, h);
    size_t rows = row_count(l), width = 1 + (size_t)l->hole_count;
    if (h->order.count == 0) return st;
    for (size_t r = 0; r < rows && !st; r++)
        st = require_orders(s, h, l->data.items + r * width + 1);
    return st;
}

/* Per list of GROUP_DEFINITION: the list of the time derivative's rows. */
typedef struct list_memo {
    uint32_t list; /* its number, or NODE_NONE: the derivative is 0 */
    bool is_known;
} list_memo;
typedef struct closing {
    system_tables *s;
    dae_diagnostics *ds;
    hole_orders orders;
    uint32_t orders_of; /* the list of GROUP_DEFINITION they belong to */
    ARRAY(list_memo) memo;
} closing;

static dae_status report_limit(closing *c, uint32_t id)
{
    char name[200];
    const system_tables *s = c->s;
    text_span span = definition_span(s, id);
    (void)definition_text(s, s->definitions.items[id].of, name, sizeof name);
    report(c->ds, DIAG_E0216, span.end ? s->source : NULL, span,
        "the time derivative of `%s` cannot be taken: it grows beyond every "
        "limit",
        name);
    return DAE_MODEL;
}

static dae_status derive_list(closing *c, uint32_t list, uint32_t *derived)
{
    system_tables *s = c->s;
    row_group *g = &s->groups[GROUP_DEFINITION];
    dae_status st;
    while (c->memo.count <= list)
        if (!ARRAY_PUSH(s->allocator, &c->memo, (list_memo){NODE_NONE, false}))
            return DAE_MEMORY;
    if (!c->memo.items[list].is_known) {
        node_id root;
        double value;
        uint32_t made = NODE_NONE, holes = g->lists.items[list].hole_count;
        st = diff_time(
            &s->shapes, g->lists.items[list].root, DERIVATIVE_BUDGET, &root);
        if (st) return st;
        bool is_zero = shape_is_const(&s->shapes, root, &value) && value == 0.0;
        if (!is_zero) {
            st = find_list(s->allocator, g, root, holes, &made);
            if (st) return st;
        }
        c->memo.items[list] = (list_memo){made, true};
    }
    *derived = c->memo.items[list].list;
    return DAE_OK;
}

/* One row of a derivative: the same holes under the derived shape. */
static dae_status derive_row(closing *c, uint32_t id, row_ref from)
{
    system_tables *s = c->s;
    row_group *g = &s->groups[GROUP_DEFINITION];
    uint32_t list = NODE_NONE;
    dae_status st = derive_list(c, from.list, &list);
    if (st || list == NODE_NONE) return st;
    row_list *to = &g->lists.items[list];
    const row_list *l = &g->lists.items[from.list];
    size_t width = 1 + (size_t)l->hole_count, row = row_count(to);
    if (!ARRAY_RESERVE(s->allocator, &to->data, width)) return DAE_MEMORY;
    st = push_row(s->allocator, to, id, l->data.items + from.row * width + 1);
    if (!st) st = note_row(s, id, list, row);
    return st;
}

/* The rows of a derivative, which is not among row_refs yet. Those of what it
 * derives are complete and lie together. */
static dae_status derive_definition(closing *c, uint32_t id)
{
    system_tables *s = c->s;
    uint32_t of = s->definitions.items[id].of;
    uint32_t first = s->definitions.items[of].first_row;
    uint32_t count = s->definitions.items[of].row_count;
    s->definitions.items[id].first_row = (uint32_t)s->row_refs.count;
    for (uint32_t r = 0; r < count; r++) {
        dae_status st = derive_row(c, id, s->row_refs.items[first + r]);
        if (st == DAE_LIMIT) return report_limit(c, id);
        if (st) return st;
    }
    return DAE_OK;
}

/* Asks for the derivatives that a new definition's rows mention. */
static dae_status require_rows(closing *c, uint32_t id)
{
    system_tables *s = c->s;
    definition d = s->definitions.items[id];
    dae_status st = DAE_OK;
    for (uint32_t r = d.first_row; r < d.first_row + d.row_count && !st; r++) {
        row_ref ref = s->row_refs.items[r];
        const row_list *l = &s->groups[GROUP_DEFINITION].lists.items[ref.list];
        size_t width = 1 + (size_t)l->hole_count;
        if (ref.list != c->orders_of) st = find_orders(s, l->root, &c->orders);
        c->orders_of = ref.list;
        if (!st)
            st = require_orders(
                s, &c->orders, l->data.items + ref.row * width + 1);
    }
    return st;
}

/* Takes the derivatives in the order they were requested, those asked for
 * meanwhile too. A definition needs derivatives of lower levels only, so this
 * ends. */
static dae_status close_definitions(closing *c)
{
    system_tables *s = c->s;
    dae_status st = DAE_OK;
    c->orders_of = NODE_NONE;
    for (uint32_t id = 0; id < s->definitions.count && !st; id++) {
        if (s->definitions.items[id].kind != DEFINITION_DERIVATIVE) continue;
        st = derive_definition(c, id);
        if (!st) st = require_rows(c, id);
    }
    return st;
}

/* Of what there is one or more for each equation. */
static void trim(system_tables *s)
{
    const dae_allocator *a = s->allocator;
    ARRAY_TRIM(a, &s->definitions);
    ARRAY_TRIM(a, &s->row_refs);
    ARRAY_TRIM(a, &s->starts);
    for (int g = 0; g < GROUP_COUNT; g++)
        for (size_t l = 0; l < s->groups[g].lists.count; l++)
            ARRAY_TRIM(a, &s->groups[g].lists.items[l].data);
}

dae_status system_close(system_tables *s, dae_diagnostics *ds)
{
    closing c = {.s = s, .ds = ds, .orders = {.allocator = s->allocator}};
    dae_status st = sort_row_refs(s);
    for (int g = 0; g < GROUP_COUNT && !st; g++)
        for (size_t l = 0; l < s->groups[g].lists.count && !st; l++)
            st = require_list(s, &s->groups[g].lists.items[l], &c.orders);
    if (!st) st = close_definitions(&c);
    if (!st) st = close_signals(s);
    if (!st) trim(s);
    ARRAY_FREE(s->allocator, &c.orders.order);
    ARRAY_FREE(s->allocator, &c.memo);
    return st;
}

/* Params. */

/* A hole that has no element yet counts as 0 until it has. */
static double param_value(const system_tables *s, size_t id)
{
    const node *n = &s->params.nodes.items[id];
    const double *v = s->param_values.items;
    if (n->op == NODE_CONST) return n->value;
    if (n->op == NODE_HOLE)
        return n->a < s->param_inputs.count ? s->param_inputs.items[n->a] : 0;
    int arity = node_arity((node_op)n->op);
    return node_apply(
        n, v[n->a], arity > 1 ? v[n->b] : 0, arity > 2 ? v[n->c] : 0);
}

dae_status system_params_update(system_tables *s)
{
    size_t have = s->param_values.count, want = s->params.nodes.count;
    if (s->params.failed) return DAE_MEMORY;
    if (have >= want) return DAE_OK;
    if (!ARRAY_RESERVE(s->allocator, &s->param_values, want - have))
        return DAE_MEMORY;
    for (size_t id = have; id < want; id++)
        s->param_values.items[s->param_values.count++] = param_value(s, id);
    return DAE_OK;
}

void system_params_evaluate(system_tables *s)
{
    for (size_t id = 0; id < s->param_values.count; id++)
        s->param_values.items[id] = param_value(s, id);
}

static dae_long param_value_long(
    const system_tables *s, size_t id, const dae_long *v)
{
    const node *n = &s->params.nodes.items[id];
    const int arity = node_arity((node_op)n->op);
    if (arity == 0) return digits_in_full(param_value(s, id));
    return node_apply_long(
        n, v[n->a], arity > 1 ? v[n->b] : 0, arity > 2 ? v[n->c] : 0);
}

void system_params_long(const system_tables *s, dae_long *values)
{
    for (size_t id = 0; id < s->param_values.count; id++)
        values[id] = param_value_long(s, id, values);
}

node_id system_param_number(system_tables *s, double value)
{
    node_id id = shape_const(&s->params, value);
    if (id != NODE_NONE && system_params_update(s)) return NODE_NONE;
    return id;
}

node_id system_param_element(system_tables *s, size_t element)
{
    if (element >= UINT32_MAX) return NODE_NONE;
    node_id id = shape_hole(&s->params, LEAF_PARAM, (uint32_t)element, 0);
    if (id != NODE_NONE && system_params_update(s)) return NODE_NONE;
    return id;
}

dae_status system_note_rounding(
    system_tables *s, node_id id, double value, double error)
{
    const noted_rounding r = {id, value, error};
    return ARRAY_PUSH(s->allocator, &s->roundings, r) ? DAE_OK : DAE_MEMORY;
}

size_t system_param_count(const system_tables *s)
{
    return s->start_count ? s->start_first : s->param_inputs.count;
}

static const node *node_of_param(const system_tables *s, size_t element)
{
    const node_id id = s->param_nodes.items[element];
    return id == NODE_NONE ? NULL : shape_node(&s->params, id);
}

bool system_param_is_free(const system_tables *s, size_t element)
{
    const node *n = node_of_param(s, element);
    return n && n->op == NODE_HOLE && n->a == element
        && !s->param_is_structural.items[element];
}

double system_param_value(const system_tables *s, size_t element)
{
    const node_id id = s->param_nodes.items[element];
    return id == NODE_NONE ? s->param_inputs.items[element]
                           : s->param_values.items[id];
}

static dae_status mark_element(system_tables *s, size_t element)
{
    while (s->param_is_structural.count <= element)
        if (!ARRAY_PUSH(s->allocator, &s->param_is_structural, 0))
            return DAE_MEMORY;
    s->param_is_structural.items[element] = 1;
    return DAE_OK;
}

dae_status system_param_mark(system_tables *s, node_id id)
{
    node_id *needed;
    size_t count;
    if (id == NODE_NONE) return DAE_MEMORY;
    const node *n = shape_node(&s->params, id);
    if (n->op == NODE_CONST) return DAE_OK;
    if (n->op == NODE_HOLE) return mark_element(s, n->a);
    dae_status st = shape_needed(&s->params, &id, 1, &needed, &count);
    if (st) return st;
    for (size_t k = 0; k < count && !st; k++) {
        n = shape_node(&s->params, needed[k]);
        if (n->op == NODE_HOLE) st = mark_element(s, n->a);
    }
    alloc_free(s->allocator, needed, count, sizeof *needed);
    return st;
}

/* Names. */

/* A text that grows as snprintf's result does: `length` counts on where the
 * room ends. */
typedef struct text_out {
    char *text;
    size_t size, length;
} text_out;

static void put(text_out *o, const char *text)
{
    for (; *text; text++, o->length++)
        if (o->length + 1 < o->size) o->text[o->length] = *text;
    if (o->size) o->text[o->length < o->size ? o->length : o->size - 1] = '\0';
}

static void put_index(text_out *o, uint32_t which, int64_t index)
{
    char number[24];
    (void)snprintf(number, sizeof number, "%" PRId64, index);
    put(o, which ? "," : "[");
    put(o, number);
}

static void put_indices(text_out *o, const int64_t *indices, uint32_t rank)
{
    for (uint32_t k = 0; k < rank; k++) put_index(o, k, indices[k]);
    if (rank) put(o, "]");
}

/* The last block that begins at or before `index`; empty blocks never win
 * against the one that holds it. */
#define FIND_BLOCK(blocks, index, low)                                         \
    do {                                                                       \
        size_t high_ = (blocks)->count;                                        \
        (low) = 0;                                                             \
        while ((low) < high_) {                                                \
            size_t middle_ = (low) + (high_ - (low)) / 2;                      \
            if ((blocks)->items[middle_].first <= (index))                     \
                (low) = middle_ + 1;                                           \
            else high_ = middle_;                                              \
        }                                                                      \
        while ((low) > 0 && (blocks)->items[(low)-1].count == 0) (low)--;      \
    } while (0)

const name_block *name_block_find(const name_blocks *b, size_t index)
{
    size_t low;
    FIND_BLOCK(b, index, low);
    if (low == 0) return NULL;
    const name_block *found = &b->items[low - 1];
    return index - found->first < found->count ? found : NULL;
}

const equation_block *equation_block_find(
    const equation_blocks *b, size_t index)
{
    size_t low;
    FIND_BLOCK(b, index, low);
    if (low == 0) return NULL;
    const equation_block *found = &b->items[low - 1];
    return index - found->first < found->count ? found : NULL;
}

size_t name_block_position(const name_blocks *b, size_t index)
{
    const name_block *found = name_block_find(b, index);
    return found ? found->position + (index - found->first) : index;
}

size_t equation_block_position(const equation_blocks *b, size_t index)
{
    const equation_block *found = equation_block_find(b, index);
    return found ? found->position + (index - found->first) : index;
}

static void put_element(text_out *o, const name_block *block, size_t index)
{
    int64_t indices[SYSTEM_MAX_RANK];
    uint64_t rest = index - block->first;
    for (uint32_t k = block->rank; k-- > 0;) {
        uint64_t extent = (uint64_t)block->extent[k];
        indices[k] = block->lower[k] + (int64_t)(extent ? rest % extent : 0);
        if (extent) rest /= extent;
    }
    put(o, block->name);
    put_indices(o, indices, block->rank);
}

static void put_number(text_out *o, const char *word, size_t number)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%zu", number);
    put(o, word);
    put(o, text);
}

size_t name_block_text(
    const name_blocks *b, size_t index, char *text, size_t size)
{
    text_out o = {text, size, 0};
    const name_block *block = name_block_find(b, index);
    if (block) put_element(&o, block, index);
    else put_number(&o, "#", index + 1);
    return o.length;
}

static void put_grid_indices(text_out *o, const equation_block *b, size_t at)
{
    const int64_t *lower = b->indices, *extent = lower + b->rank;
    size_t below = b->count;
    for (uint32_t d = 0; d < b->rank; d++) {
        below /= (size_t)extent[d];
        put_index(o, d, lower[d] + (int64_t)(at / below));
        at %= below;
    }
    put(o, "]");
}

size_t equation_block_text(
    const equation_blocks *b, size_t index, char *text, size_t size)
{
    text_out o = {text, size, 0};
    const equation_block *block = equation_block_find(b, index);
    if (!block) {
        put_number(&o, "equation ", index + 1);
        return o.length;
    }
    put(&o, block->name);
    if (block->is_grid) put_grid_indices(&o, block, index - block->first);
    else if (block->rank) /* else there are no indices to point at */
        put_indices(&o,
            block->indices + (index - block->first) * (size_t)block->rank,
            block->rank);
    return o.length;
}

/* Blocks of lets follow the text, their definitions the order of need, so
 * they are not ascending. */
const name_block *definition_let(const system_tables *s, uint32_t id)
{
    for (size_t k = 0; k < s->lets.count; k++) {
        const name_block *b = &s->lets.items[k];
        if (id >= b->first && id - b->first < b->count) return b;
    }
    return NULL;
}

/* An internal unknown of its own that stands in a few words of one line. */
static bool is_shown_as_written(const system_tables *s, const definition *d)
{
    enum { LONGEST = 40 };
    if (!d->own || !s->source || d->span.end - d->span.begin > LONGEST)
        return false;
    return d->span.end
        && !memchr(
            s->source->text + d->span.begin, '\n', d->span.end - d->span.begin);
}

size_t definition_text(
    const system_tables *s, uint32_t id, char *text, size_t size)
{
    text_out o = {text, size, 0};
    unsigned primes = 0;
    while (s->definitions.items[id].of != NODE_NONE) {
        id = s->definitions.items[id].of;
        primes++;
    }
    const definition *d = &s->definitions.items[id];
    const name_block *let = definition_let(s, id);
    if (let) {
        put_element(&o, let, id);
    } else if (is_shown_as_written(s, d)) {
        if (primes) put(&o, "(");
        for (uint32_t k = d->span.begin; k < d->span.end; k++)
            put(&o, (char[]){s->source->text[k], '\0'});
        if (primes) put(&o, ")");
    } else if (s->source && d->span.end) {
        uint32_t line, column;
        if (primes) put(&o, "(");
        source_position(s->source, d->span.begin, &line, &column);
        put_number(
            &o, d->row_count > 1 ? "sum at line " : "part at line ", line);
        if (primes) put(&o, ")");
    } else {
        put_number(&o, "part ", (size_t)id + 1);
    }
    while (primes-- > 0) put(&o, "'");
    return o.length;
}

bool definition_is_vouched(const system_tables *s, uint32_t id)
{
    while (s->definitions.items[id].of != NODE_NONE)
        id = s->definitions.items[id].of;
    return s->definitions.items[id].is_smooth;
}

text_span definition_span(const system_tables *s, uint32_t id)
{
    text_span own = s->definitions.items[id].span;
    while (s->definitions.items[id].of != NODE_NONE)
        id = s->definitions.items[id].of;
    const name_block *let = own.end ? NULL : definition_let(s, id);
    return let ? let->span : own;
}
