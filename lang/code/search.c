/* Follows what is wrong through the definitions of a model. */
#include "code/search.h"
#include "base/source.h"
#include "code/rows.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>

#define EXPRESSION_LONGEST 160 /* bytes shown */
#define LEAVES_SHOWN 4

static const node *node_at(const search *w, node_id id)
{
    return shape_node(&w->c->s->shapes, id);
}

static void put_leaf_value(search *w, const leaf *l, const uint32_t *row)
{
    row_names names = {w->c, row};
    (void)names_write_leaf(&names, (leaf_kind)l->kind, l->hole, l->order,
        text_buffer_write, &w->out);
    for (unsigned o = 0; o < l->order; o++) text_buffer_printf(&w->out, "'");
    w->row = row;
    text_buffer_printf(
        &w->out, " = %.6g", w->leaf(w, (leaf_kind)l->kind, l->hole, l->order));
}

/* Of an expression of params the part whose operands are all finite. */
static node_id param_birth(const system_tables *s, node_id id)
{
    const double *value = s->param_values.items;
    for (bool is_deeper = true; is_deeper;) {
        const node *n = shape_node(&s->params, id);
        const node_id operand[3] = {n->a, n->b, n->c};
        const int arity = node_arity((node_op)n->op);
        is_deeper = false;
        for (int k = 0; k < arity && !is_deeper; k++) {
            const bool is_skipped = n->op == NODE_SELECT && k > 0
                && (value[n->a] != 0) != (k == 1);
            if (is_skipped || isfinite(value[operand[k]])) continue;
            id = operand[k];
            is_deeper = true;
        }
    }
    return id;
}

/* "log(p) with p = -1" */
dae_status search_param(search *w, node_id id)
{
    leaf *leaves;
    uint32_t count;
    compiled *c = w->c;
    const shape_pool *params = &c->s->params;
    char name[200];
    id = param_birth(c->s, id);
    dae_status st = names_write_param(
        c, id, EXPRESSION_LONGEST, text_buffer_write, &w->out);
    if (!st) st = leaves_below(params, &id, 1, &c->scratch, &leaves, &count);
    if (st) return st;
    w->is_found = true;
    for (uint32_t k = 0; k < count && k < LEAVES_SHOWN; k++) {
        (void)name_block_text(
            &c->s->param_names, leaves[k].hole, name, sizeof name);
        text_buffer_printf(&w->out, "%s%s = %.6g", k ? ", " : " with ", name,
            c->s->param_inputs.items[leaves[k].hole]);
    }
    return DAE_OK;
}

/* "sqrt(y2) with y2 = -1e-12". Numbers are in the expression already. */
static dae_status describe(search *w, node_id id, const uint32_t *row)
{
    leaf *leaves;
    uint32_t count;
    compiled *c = w->c;
    const node *n = node_at(w, id);
    if (n->op == NODE_HOLE && n->kind == LEAF_PARAM)
        return search_param(w, row[1 + n->a]);
    dae_status st = names_write_shape(
        c, id, row, EXPRESSION_LONGEST, text_buffer_write, &w->out);
    if (!st)
        st = leaves_below(&c->s->shapes, &id, 1, &c->scratch, &leaves, &count);
    if (st) return st;
    if (w->reason) w->reason(w, id);
    if (node_at(w, id)->op == NODE_HOLE) {
        w->row = row;
        text_buffer_printf(&w->out, " = %.6g",
            w->leaf(
                w, (leaf_kind)leaves[0].kind, leaves[0].hole, leaves[0].order));
        return DAE_OK;
    }
    for (uint32_t k = 0, shown = 0; k < count && shown < LEAVES_SHOWN; k++) {
        if (leaves[k].kind == LEAF_PARAM
            && shape_node(&c->s->params, row[1 + leaves[k].hole])->op
                == NODE_CONST)
            continue;
        if (leaves[k].kind == LEAF_HELD
            && row[1 + leaves[k].hole] >= c->s->discrete_count)
            continue; /* no name of the text */
        text_buffer_printf(&w->out, shown++ ? ", " : " with ");
        put_leaf_value(w, &leaves[k], row);
    }
    return DAE_OK;
}

/* The line of the let or input a definition is of, or of which it is a
 * derivative; 0: a part, whose name has its line, or there is no text. */
static uint32_t let_line(const system_tables *s, uint32_t id)
{
    while (s->definitions.items[id].of != NODE_NONE)
        id = s->definitions.items[id].of;
    const name_block *let = definition_let(s, id);
    if (!let || !s->source || !let->span.end) return 0;
    assert(let->span.end <= s->source->length);
    return source_line_at(s->source, let->span.begin);
}

/* "(in `root` at line 3)" */
static void put_place(search *w, uint32_t inside)
{
    char name[120];
    if (inside == NONE) return;
    const uint32_t line = let_line(w->c->s, inside);
    (void)definition_text(w->c->s, inside, name, sizeof name);
    text_buffer_printf(&w->out, " (in `%s`", name);
    if (line) text_buffer_printf(&w->out, " at line %" PRIu32, line);
    text_buffer_printf(&w->out, ")");
}

/* The definition whose value a node is, where it is computed, else NONE. */
static uint32_t computed_definition(
    const search *w, node_id id, const uint32_t *row)
{
    const node *n = node_at(w, id);
    if (n->op != NODE_HOLE || n->kind != LEAF_DEFINITION) return NONE;
    const leaf l = {id, n->a, n->kind, n->order};
    uint32_t used = leaf_definition(w->c->s, &l, row);
    return w->c->defs.border[used] == NONE ? used : NONE;
}

/* The first row of a definition whose value is not finite. */
static dae_status find_in_definition(
    search *w, uint32_t id, node_id *birth, const uint32_t **row)
{
    const definition *d = &w->c->s->definitions.items[id];
    dae_status st = DAE_OK;
    *birth = NODE_NONE;
    for (uint32_t r = 0; r < d->row_count && !st; r++) {
        row_ref ref = w->c->s->row_refs.items[d->first_row + r];
        const row_set *set = ref_set(w->c, ref);
        *row = set_row(set, ref.row);
        st = w->find(w, set->root, *row, birth);
        if (*birth != NODE_NONE) break;
    }
    return st;
}

/* Of a measured signal: how far its rows go. */
static void put_range(search *w, node_id birth)
{
    const node *n = node_at(w, birth);
    if (n->op != NODE_TABLE || !n->table) return;
    text_buffer_printf(
        &w->out, "; it has rows from %.9g to %.9g", n->table[2], n->table[3]);
}

/* Follows a value that is not finite to its origin and describes that. */
static dae_status trace(
    search *w, node_id birth, const uint32_t *row, uint32_t inside)
{
    for (;;) {
        uint32_t next = computed_definition(w, birth, row);
        if (next == NONE) break;
        dae_status st = find_in_definition(w, next, &birth, &row);
        if (st) return st;
        inside = next;
        if (birth == NODE_NONE) {
            text_buffer_printf(&w->out, "the sum of its terms is too large");
            put_place(w, inside);
            w->is_found = true;
            return DAE_OK;
        }
    }
    w->is_found = true;
    dae_status st = describe(w, birth, row);
    put_range(w, birth);
    put_place(w, inside);
    return st;
}

static dae_status search_value(
    search *w, const row_set *set, const uint32_t *row)
{
    node_id birth;
    dae_status st = w->find(w, set->root, row, &birth);
    if (!st && birth != NODE_NONE) st = trace(w, birth, row, NONE);
    return st;
}

/* Partial derivatives of one row, and the definitions to look at next. */
static dae_status search_partials(
    search *w, const row_set *set, const uint32_t *row, uint32_t inside)
{
    dae_status st = DAE_OK;
    const bool is_clear = w->is_clear && w->is_clear(w, set, row);
    for (uint32_t k = 0; k < set->partial_count && !st; k++) {
        const partial *d = &set->partials[k];
        node_id birth = NODE_NONE;
        if (!is_clear) st = w->find(w, d->value, row, &birth);
        if (st) return st;
        if (birth != NODE_NONE) {
            row_names names = {w->c, row};
            text_buffer_printf(&w->out, "derivative by ");
            (void)names_write_leaf(&names, (leaf_kind)d->by.kind, d->by.hole,
                d->by.order, text_buffer_write, &w->out);
            text_buffer_printf(&w->out, ": ");
            return trace(w, birth, row, inside);
        }
        uint32_t used = computed_definition(w, d->by.node, row);
        if (used == NONE || w->is_queued[used]) continue;
        w->is_queued[used] = 1;
        if (!ARRAY_PUSH(w->c->allocator, &w->queue, used)) st = DAE_MEMORY;
    }
    return st;
}

static dae_status search_definitions(search *w)
{
    dae_status st = DAE_OK;
    for (size_t k = 0; k < w->queue.count && !st && !w->is_found; k++) {
        uint32_t id = w->queue.items[k];
        const definition *d = &w->c->s->definitions.items[id];
        for (uint32_t r = 0; r < d->row_count && !st && !w->is_found; r++) {
            row_ref ref = w->c->s->row_refs.items[d->first_row + r];
            const row_set *set = ref_set(w->c, ref);
            st = search_partials(w, set, set_row(set, ref.row), id);
        }
    }
    return st;
}

typedef dae_status visit_fn(search *w, const row_set *set, const uint32_t *row);

static dae_status visit_partials(
    search *w, const row_set *set, const uint32_t *row)
{
    return search_partials(w, set, row, NONE);
}

/* All rows of a target until something is found. */
static dae_status visit_rows(
    search *w, const row_sets *sets, size_t target, visit_fn *visit)
{
    dae_status st = DAE_OK;
    for (size_t k = 0; k < sets->count && !st; k++) {
        const row_set *set = &sets->items[k];
        for (size_t r = 0; r < set->count && !st && !w->is_found; r++)
            if (set_row(set, r)[0] == target)
                st = visit(w, set, set_row(set, r));
    }
    return st;
}

dae_status search_rows(search *w, const row_sets *sets, size_t target)
{
    return visit_rows(w, sets, target, search_value);
}

dae_status search_equation(
    search *w, size_t equation, search_whole_fn *is_whole)
{
    w->is_queued = ARENA_ARRAY(&w->c->scratch, uint8_t, w->c->defs.count);
    if (!w->is_queued) return DAE_MEMORY;
    dae_status st = visit_rows(w, &w->c->equations, equation, search_value);
    if (st || w->is_found) return st;
    if (!is_whole(w, equation)) {
        text_buffer_printf(&w->out, "the sum of its terms is too large");
        return DAE_OK;
    }
    st = visit_rows(w, &w->c->equations, equation, visit_partials);
    return st || w->is_found ? st : search_definitions(w);
}

size_t search_close(search *w, dae_status st, char *text, size_t size)
{
    if (st) { /* something to say and no memory for it */
        w->out.length = SIZE_MAX;
        if (size) text[0] = '\0';
    }
    ARRAY_FREE(w->c->allocator, &w->queue);
    arena_clear(&w->c->scratch);
    return w->out.length;
}
