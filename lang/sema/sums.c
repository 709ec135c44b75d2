/* sum, prod, min and max of many items. A few items become one expression.
 * Many items of a sum become the rows of one definition, so that a sum over a
 * million items is a shape and a million rows; many items of a product or an
 * extremum become a tree of definitions of at most INLINE_ITEMS items each. */
#include "sema/lowering.h"

#include <string.h>

typedef struct folding {
    node_op op;
    text_span span;
    bool is_inline; /* everything in the current builder */
    size_t taken;   /* items so far */
    value result;   /* inline: all; else the constant items of a sum */
    /* long sums of scalars or of arrays: rows of each component */
    builder *outer, item;
    uint32_t rank;
    int64_t extent[SYSTEM_MAX_RANK];
    size_t components;
    ARRAY(uint32_t) rows; /* component, root, hole count, holes ... */
    value *constants;     /* per component */
    bool moves;
    /* long products and extrema: exported items of the next level */
    ARRAY(value) parts;
} folding;

static value identity_of(node_op op)
{
    return value_number(op == NODE_MUL ? 1 : 0);
}

/* Arguments of functions in force belong to the outer builder; items are
 * lowered in builders of their own. */
static void export_locals(lowering *l)
{
    for (size_t k = 0; k < l->locals.count; k++) {
        local *it = &l->locals.items[k];
        if (l->innermost[it->name] != k + 1) continue;
        it->value = value_export(l, DEFINITION_PART, it->value);
        if (it->value.kind != VALUE_ARRAY || !it->value.array->items) continue;
        value_array *a = it->value.array;
        for (size_t i = 0; i < a->count; i++) {
            a->items[i] = value_export(l, DEFINITION_PART, a->items[i]);
        }
    }
}

static void folding_begin(
    lowering *l, folding *f, node_op op, size_t count, text_span span)
{
    memset(f, 0, sizeof *f);
    f->op = op;
    f->span = span;
    f->is_inline = count <= INLINE_ITEMS;
    f->result = identity_of(op);
    f->outer = l->builder;
    l->part_span = span;
    if (!f->is_inline) export_locals(l);
}

static void item_begin(lowering *l, folding *f)
{
    if (f->is_inline) return;
    builder_init(&f->item);
    l->builder = &f->item;
}

static bool sum_shape(lowering *l, folding *f, value v)
{
    if (f->taken > 0) {
        bool same = is_array(v) ? f->rank == v.array->rank : f->rank == 0;
        for (uint32_t d = 0; same && d < f->rank; d++) {
            same = f->extent[d] == v.array->extent[d];
        }
        if (!same) {
            fail_value(l, DIAG_E0204, f->span,
                "the items of this sum have different shapes");
        }
        return same;
    }
    f->components = 1;
    if (is_array(v)) {
        f->rank = v.array->rank;
        f->components = v.array->count;
        memcpy(f->extent, v.array->extent, sizeof f->extent);
    }
    f->constants = ARENA_ARRAY(&l->scratch, value, f->components + 1);
    if (!f->constants) l->failed_memory = true;
    for (size_t c = 0; f->constants && c < f->components; c++) {
        f->constants[c] = value_number(0);
    }
    return f->constants != NULL;
}

static bool sum_row(lowering *l, folding *f, size_t component, value v)
{
    if (v.kind == VALUE_ERROR) return false;
    if (value_is_constant(v)) {
        value *sum = &f->constants[component];
        *sum = scalar_binary(l, NODE_ADD, *sum, v, f->span);
        return sum->kind != VALUE_ERROR;
    }
    f->moves = f->moves || value_moves(l, v);
    term t;
    bool ok = !term_finish(l, v.node, &t)
        && ARRAY_RESERVE(l->allocator, &f->rows, t.count + 3);
    if (!ok) {
        l->failed_memory = true;
        return false;
    }
    uint32_t *to = f->rows.items + f->rows.count;
    to[0] = (uint32_t)component;
    to[1] = t.root;
    to[2] = t.count;
    if (t.count) memcpy(to + 3, t.holes, t.count * sizeof *to);
    f->rows.count += (size_t)t.count + 3;
    return true;
}

static bool sum_item(lowering *l, folding *f, value v)
{
    if (!sum_shape(l, f, v)) return false;
    if (!is_array(v)) return sum_row(l, f, 0, v);
    for (size_t c = 0; c < f->components; c++) {
        if (!sum_row(l, f, c, array_item(l, v.array, c))) return false;
    }
    return true;
}

/* Vectors are added; a product or an extremum is one of numbers. */
static bool is_fit(lowering *l, const folding *f, value v)
{
    if (v.kind == VALUE_ERROR) return false;
    if (f->op == NODE_ADD || !is_array(v)) return true;
    fail_value(l, DIAG_E0204, f->span, "the items here must be numbers");
    return false;
}

static bool inline_item(lowering *l, folding *f, value v)
{
    bool is_first = f->taken == 0;
    f->result = is_first ? v : array_binary(l, f->op, f->result, v, f->span);
    return f->result.kind != VALUE_ERROR;
}

static bool part_item(lowering *l, folding *f, value v)
{
    value part = value_export(l, DEFINITION_PART, v);
    if (part.kind == VALUE_ERROR) return false;
    if (ARRAY_PUSH(l->allocator, &f->parts, part)) return true;
    l->failed_memory = true;
    return false;
}

/* Takes the item lowered since item_begin. */
static bool item_end(lowering *l, folding *f, value v)
{
    bool ok = is_fit(l, f, v);
    if (ok && f->is_inline) ok = inline_item(l, f, v);
    else if (ok && f->op == NODE_ADD) ok = sum_item(l, f, v);
    else if (ok) ok = part_item(l, f, v);
    f->taken++;
    if (!f->is_inline) {
        builder_clear(l, &f->item);
        l->builder = f->outer;
    }
    return ok;
}

/* ---- ends ------------------------------------------------------------------ */

static bool add_component_rows(
    lowering *l, const folding *f, size_t component, uint32_t id)
{
    for (size_t at = 0; at < f->rows.count;) {
        const uint32_t *row = f->rows.items + at;
        at += (size_t)row[2] + 3;
        if (row[0] != component) continue;
        if (system_add_row(
                l->s, GROUP_DEFINITION, row[1], row[2], id, row + 3)) {
            return false;
        }
    }
    return true;
}

static value sum_component(lowering *l, const folding *f, size_t component)
{
    bool has_rows = false;
    for (size_t at = 0; at < f->rows.count && !has_rows;) {
        has_rows = f->rows.items[at] == component;
        at += (size_t)f->rows.items[at + 2] + 3;
    }
    if (!has_rows) return f->constants[component];
    uint32_t id;
    bool ok = !system_begin_definition(l->s, DEFINITION_PART, &id)
        && add_component_rows(l, f, component, id);
    if (ok) l->s->definitions.items[id].span = f->span;
    while (ok && l->definition_moves.count <= id) {
        ok = ARRAY_PUSH(l->allocator, &l->definition_moves, 0);
    }
    if (!ok) {
        l->failed_memory = true;
        return value_error();
    }
    l->definition_moves.items[id] = f->moves;
    value v = builder_leaf_value(l, LEAF_DEFINITION, id, 0);
    if (f->constants[component].kind == VALUE_NUMBER
        && f->constants[component].number == 0) {
        return v;
    }
    return scalar_binary(l, NODE_ADD, v, f->constants[component], f->span);
}

static value sum_end(lowering *l, folding *f)
{
    if (f->rank == 0) return sum_component(l, f, 0);
    value r = array_make(l, f->rank, f->extent);
    for (size_t c = 0; is_array(r) && c < f->components; c++) {
        value v = sum_component(l, f, c);
        if (v.kind == VALUE_ERROR) return v;
        r.array->items[c] = v;
    }
    return r;
}

/* Folds runs of INLINE_ITEMS items into definitions until few are left. */
static value tree_end(lowering *l, folding *f)
{
    value *items = f->parts.items;
    size_t count = f->parts.count;
    while (count > INLINE_ITEMS) {
        size_t made = 0;
        for (size_t k = 0; k < count; k += INLINE_ITEMS) {
            item_begin(l, f);
            value v = value_resolve(l, items[k]);
            for (size_t i = k + 1; i < count && i < k + INLINE_ITEMS; i++) {
                v = scalar_binary(
                    l, f->op, v, value_resolve(l, items[i]), f->span);
            }
            items[made++] = value_export(l, DEFINITION_PART, v);
            builder_clear(l, &f->item);
            l->builder = f->outer;
        }
        count = made;
    }
    value v = value_resolve(l, items[0]);
    for (size_t k = 1; k < count; k++) {
        v = scalar_binary(l, f->op, v, value_resolve(l, items[k]), f->span);
    }
    return v;
}

static value folding_end(lowering *l, folding *f, bool ok)
{
    l->builder = f->outer;
    value v = value_error();
    if (ok && f->taken == 0) v = f->result;
    else if (ok && f->is_inline) v = f->result;
    else if (ok) v = f->op == NODE_ADD ? sum_end(l, f) : tree_end(l, f);
    builder_clear(l, &f->item);
    ARRAY_FREE(l->allocator, &f->rows);
    ARRAY_FREE(l->allocator, &f->parts);
    return v;
}

/* ---- sources of items -------------------------------------------------------- */

static dae_status count_item(lowering *l, void *context)
{
    (void)l;
    ++*(size_t *)context;
    return DAE_OK;
}

typedef struct comprehension {
    folding *f;
    const ast_expr *item;
} comprehension;

static dae_status take_item(lowering *l, void *context)
{
    comprehension *c = context;
    item_begin(l, c->f);
    value v = lower_expr(l, c->item);
    if (item_end(l, c->f, v)) return DAE_OK;
    return l->failed_memory ? DAE_MEMORY : DAE_MODEL;
}

static bool needs_items(lowering *l, node_op op, size_t count, text_span span)
{
    if (count > 0 || (op != NODE_MIN && op != NODE_MAX)) return true;
    fail_value(l, DIAG_E0207, span, "`%s` of no items", node_text(op));
    return false;
}

value lower_comprehension(lowering *l, const ast_expr *e, node_op op)
{
    size_t count = 0;
    if (loop_check(l, e) || loop_run(l, e->iters, count_item, &count)
        || !needs_items(l, op, count, e->span)) {
        return value_error();
    }
    folding f;
    folding_begin(l, &f, op, count, e->span);
    comprehension c = {&f, e->a};
    dae_status st = loop_run(l, e->iters, take_item, &c);
    return folding_end(l, &f, !st);
}

value fold_array(lowering *l, node_op op, const value_array *a, text_span span)
{
    if (!needs_items(l, op, a->count, span)) return value_error();
    folding f;
    folding_begin(l, &f, op, a->count, span);
    value whole = {.kind = VALUE_ARRAY, .array = (value_array *)(uintptr_t)a};
    for (size_t k = 0; !f.is_inline && a->items && k < a->count; k++) {
        whole.array->items[k] = value_export(
            l, DEFINITION_PART, whole.array->items[k]);
    }
    bool ok = true;
    for (size_t k = 0; ok && k < a->count; k++) {
        item_begin(l, &f);
        ok = item_end(l, &f, array_item(l, a, k));
    }
    return folding_end(l, &f, ok);
}

value lower_long_chain(lowering *l, const ast_expr *e)
{
    folding f;
    folding_begin(l, &f, NODE_ADD, e->count, e->span);
    bool ok = true;
    for (uint32_t k = 0; ok && k < e->count; k++) {
        item_begin(l, &f);
        value v = lower_expr(l, e->items[k]);
        if (k && e->ops[k] == AST_SUB) {
            v = array_unary(l, NODE_NEG, v, e->items[k]->span);
        }
        ok = item_end(l, &f, v);
    }
    return folding_end(l, &f, ok);
}

typedef struct listing {
    const ast_expr *item;
    value array;
    size_t taken;
} listing;

static dae_status list_item(lowering *l, void *context)
{
    listing *c = context;
    value v = lower_scalar(l, c->item);
    if (v.kind == VALUE_ERROR) return DAE_MODEL;
    c->array.array->items[c->taken++] = v;
    return DAE_OK;
}

value lower_listing(lowering *l, const ast_expr *e)
{
    size_t count = 0;
    if (loop_run(l, e->iters, count_item, &count)) return value_error();
    int64_t extent = (int64_t)count;
    listing c = {e->a, array_make(l, 1, &extent), 0};
    if (!is_array(c.array)) return c.array;
    if (loop_run(l, e->iters, list_item, &c)) return value_error();
    return c.array;
}
