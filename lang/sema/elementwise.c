/* Large arrays element by element: where an expression only combines arrays of
 * one shape and numbers element by element, each element is lowered on its
 * own, exactly as the copy of a loop would be. The general way would first
 * build the whole array in one builder with a leaf for every element. */
#include "sema/lowering.h"

typedef enum extent_kind {
    EXTENT_OTHER,
    EXTENT_NUMBER,
    EXTENT_ARRAY
} extent_kind;

static bool same_extents(const symbol *a, const symbol *b)
{
    if (a->rank != b->rank) return false;
    for (uint32_t d = 0; d < a->rank; d++) {
        if (a->extent[d] != b->extent[d]) return false;
    }
    return true;
}

static extent_kind kind_of_name(
    lowering *l, const ast_expr *e, const symbol **shape)
{
    uint32_t inner = l->innermost[e->name];
    if (inner) {
        bool is_number = !is_array(l->locals.items[inner - 1].value);
        return is_number ? EXTENT_NUMBER : EXTENT_OTHER;
    }
    symbol *s = symbol_find(l, e->name);
    if (!s || s->kind == SYMBOL_FUN) return EXTENT_OTHER;
    if (s->kind > SYMBOL_FUN) return EXTENT_NUMBER;
    if (!symbol_dims(l, s)) return EXTENT_OTHER;
    if (s->rank == 0) return EXTENT_NUMBER;
    if (!*shape) *shape = s;
    return same_extents(*shape, s) ? EXTENT_ARRAY : EXTENT_OTHER;
}

static extent_kind kind_of(
    lowering *l, const ast_expr *e, const symbol **shape);

/* Products of two matrices are no work of elements. */
static extent_kind kind_of_items(
    lowering *l, const ast_expr *e, const symbol **shape)
{
    uint32_t arrays = 0;
    for (uint32_t k = 0; k < e->count; k++) {
        extent_kind kind = kind_of(l, e->items[k], shape);
        if (kind == EXTENT_OTHER) return EXTENT_OTHER;
        arrays += kind == EXTENT_ARRAY;
    }
    bool is_product = e->kind == AST_CHAIN && e->ops[0] == AST_MUL;
    if (is_product && arrays > 1 && (*shape)->rank > 1) return EXTENT_OTHER;
    return arrays ? EXTENT_ARRAY : EXTENT_NUMBER;
}

static extent_kind kind_of(lowering *l, const ast_expr *e, const symbol **shape)
{
    switch ((ast_expr_kind)e->kind) {
    case AST_NUMBER: return EXTENT_NUMBER;
    case AST_NAME: return kind_of_name(l, e, shape);
    case AST_NEG:
    case AST_PLUS:
    case AST_PRIME: return kind_of(l, e->a, shape);
    case AST_CHAIN:
        if (e->ops[0] == AST_AND || e->ops[0] == AST_OR) return EXTENT_OTHER;
        return kind_of_items(l, e, shape);
    case AST_BINARY: {
        extent_kind a = kind_of(l, e->a, shape), b = kind_of(l, e->b, shape);
        if (a == EXTENT_OTHER || b == EXTENT_OTHER) return EXTENT_OTHER;
        return a == EXTENT_ARRAY ? a : b;
    }
    case AST_CALL: {
        if (e->a->kind != AST_NAME || symbol_find(l, e->a->name)) {
            return EXTENT_OTHER;
        }
        const builtin *b = l->builtin_of[e->a->name];
        bool is_plain = b && b->special == 0 && e->count == b->most;
        return is_plain ? kind_of_items(l, e, shape) : EXTENT_OTHER;
    }
    default: return EXTENT_OTHER;
    }
}

const symbol *elementwise_shape(
    lowering *l, const ast_expr *a, const ast_expr *b)
{
    const symbol *shape = NULL;
    if (l->element != NO_ELEMENT) return NULL;
    if (kind_of(l, a, &shape) == EXTENT_OTHER) return NULL;
    if (b && kind_of(l, b, &shape) == EXTENT_OTHER) return NULL;
    return shape && shape->count > INLINE_ITEMS ? shape : NULL;
}
