#include "code/formula_tables.h"

void formula_tables_free(const dae_allocator *a, formula_tables *t)
{
    if (!t) return;
    alloc_free(a, t->first, t->equations + 1, sizeof *t->first);
    alloc_free(a, t->rows, t->count, sizeof *t->rows);
    alloc_free(a, t->rules, t->unknowns, sizeof *t->rules);
    alloc_free(a, t, 1, sizeof *t);
}

/* A counting sort of the rows by equation. */
static void sort_rows(const compiled *c, formula_tables *t)
{
    const row_sets *sets = &c->text_equations;
    for (size_t k = 0; k < sets->count; k++)
        for (size_t r = 0; r < sets->items[k].count; r++)
            t->first[set_row(&sets->items[k], r)[0] + 1]++;
    for (size_t i = 0; i < t->equations; i++) t->first[i + 1] += t->first[i];
    /* first[i] runs to the end of its rows, which is where the next begin */
    for (size_t k = 0; k < sets->count; k++)
        for (size_t r = 0; r < sets->items[k].count; r++)
            t->rows[t->first[set_row(&sets->items[k], r)[0]]++] = (row_ref){
                (uint32_t)k, (uint32_t)r};
    for (size_t i = t->equations; i > 0; i--) t->first[i] = t->first[i - 1];
    t->first[0] = 0;
}

/* The sign of u in x' = u that a root says (x' - u, x' + u, either way round,
 * with a minus before it or not), 0 where it says something else. */
static int read_rule(
    const shape_pool *p, node_id root, const node **rate, const node **object)
{
    const node *n = shape_node(p, root);
    if (n->op == NODE_NEG) n = shape_node(p, n->a);
    if (n->op != NODE_SUB && n->op != NODE_ADD) return 0;
    const node *a = shape_node(p, n->a), *b = shape_node(p, n->b);
    if (a->op != NODE_HOLE || b->op != NODE_HOLE) return 0;
    bool is_first = a->kind == LEAF_UNKNOWN && a->order == 1;
    *rate = is_first ? a : b;
    *object = is_first ? b : a;
    if ((*rate)->kind != LEAF_UNKNOWN || (*rate)->order != 1) return 0;
    if ((*object)->order != 0) return 0;
    if ((*object)->kind != LEAF_UNKNOWN && (*object)->kind != LEAF_DEFINITION)
        return 0;
    return n->op == NODE_SUB ? 1 : -1;
}

static void note_rule(const compiled *c, formula_tables *t, uint32_t equation)
{
    const node *rate, *object;
    if (t->first[equation + 1] - t->first[equation] != 1) return;
    row_ref ref = t->rows[t->first[equation]];
    const row_set *set = formula_set(c, ref);
    int sign = read_rule(&c->s->shapes, set->root, &rate, &object);
    if (sign == 0) return;
    const uint32_t *row = set_row(set, ref.row);
    uint32_t x = row[1 + rate->a], u = row[1 + object->a];
    if (t->rules[x].sign || (object->kind == LEAF_UNKNOWN && u == x)) return;
    if (object->kind == LEAF_DEFINITION && !definition_let(c->s, u)) return;
    t->rules[x] = (first_order){equation, u, object->kind, (int8_t)sign};
}

dae_status formula_tables_make(compiled *c)
{
    if (c->formulas) return DAE_OK;
    const dae_allocator *a = c->allocator;
    formula_tables *t = alloc_zeroed(a, 1, sizeof *t);
    if (!t) return DAE_MEMORY;
    t->equations = c->s->equation_count;
    t->unknowns = c->slots.unknowns;
    for (size_t k = 0; k < c->text_equations.count; k++)
        t->count += c->text_equations.items[k].count;
    t->first = alloc_zeroed(a, t->equations + 1, sizeof *t->first);
    t->rows = alloc_zeroed(a, t->count, sizeof *t->rows);
    t->rules = alloc_zeroed(a, t->unknowns, sizeof *t->rules);
    if (!t->first || !t->rows || !t->rules) {
        formula_tables_free(a, t);
        return DAE_MEMORY;
    }
    sort_rows(c, t);
    for (size_t i = 0; i < t->equations; i++) note_rule(c, t, (uint32_t)i);
    c->formulas = t;
    return DAE_OK;
}
