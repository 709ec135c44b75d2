/* Values are those of the text, whose switches are not held: 1/max(x, w) divides by
 * max(x, w) wherever a step leads. */
#include "code/denominators.h"
#include "code/held.h"
#include "code/kinks.h"
#include "code/names.h"
#include "code/rows.h"
#include "code/run.h"
#include "ir/bounds.h"
#include "ir/collect.h"

typedef ARRAY(node_id) node_list;

typedef struct finding {
    compiled *c;
    ARRAY(denominator) found;
    ARRAY(uint8_t) certain;
    const row_set *set; /* whose nodes these are: */
    bool is_definition;
    node_list factors;
    node_list products; /* of the equation, equal to `other` */
    node_id other;
    uint8_t *summands; /* of each equation; 2: or more */
} finding;

static const node *node_at(const finding *w, node_id id)
{
    return shape_node(&w->c->s->shapes, id);
}

/* Rows of one equation are summands. */
static dae_status count_summands(finding *w)
{
    const compiled *c = w->c;
    w->summands = ARENA_ARRAY(&w->c->scratch, uint8_t, c->s->equation_count);
    if (!w->summands) return DAE_MEMORY;
    for (size_t k = 0; k < c->text_equations.count; k++) {
        const row_set *set = &c->text_equations.items[k];
        for (size_t r = 0; r < set->count; r++) {
            uint8_t *count = &w->summands[set_row(set, r)[0]];
            if (*count < 2) ++*count;
        }
    }
    return DAE_OK;
}

/* ---- the factors of a shape --------------------------------------------------------- */

static bool add_once(const finding *w, node_list *list, node_id id)
{
    for (size_t k = 0; k < list->count; k++)
        if (list->items[k] == id) return true;
    return ARRAY_PUSH(w->c->allocator, list, id);
}

/* What changes its sign where the product does, or vanishes where it does. */
static bool add_factors(finding *w, node_id id, bool is_product)
{
    const node n = *node_at(w, id);
    const unsigned changing = NODE_HAS_UNKNOWN | NODE_HAS_DEFINITION
        | NODE_HAS_TIME;
    if (!(n.flags & changing)) return true;
    switch ((node_op)n.op) {
    case NODE_MUL:
        return add_factors(w, n.a, is_product)
            && add_factors(w, n.b, is_product);
    case NODE_DIV:
    case NODE_NEG:
    case NODE_ABS: return add_factors(w, n.a, is_product);
    case NODE_POWI: return n.exponent < 0 || add_factors(w, n.a, is_product);
    default: break;
    }
    return add_once(w, is_product ? &w->products : &w->factors, id);
}

/* `a*b = c`, as a difference; the sides may be turned. */
static bool find_products(finding *w)
{
    const node n = *node_at(w, w->set->root);
    w->other = NODE_NONE;
    if (w->is_definition || n.op != NODE_SUB) return true;
    for (int k = 0; k < 2 && w->other == NODE_NONE; k++) {
        const node_id product = k ? n.b : n.a, other = k ? n.a : n.b;
        const bool is_one = node_at(w, product)->op == NODE_MUL
            || node_at(w, product)->op == NODE_DIV;
        if (!is_one || node_at(w, other)->flags & NODE_HAS_UNKNOWN) continue;
        w->other = other;
        if (!add_factors(w, product, true)) return false;
    }
    return true;
}

static dae_status find_factors(finding *w)
{
    node_id *nodes;
    size_t count;
    w->factors.count = w->products.count = 0;
    dae_status st = shape_needed(
        &w->c->s->shapes, &w->set->root, 1, &nodes, &count);
    for (size_t k = 0; k < count && !st; k++) {
        const node *n = node_at(w, nodes[k]);
        const bool is_power = n->op == NODE_POWI && n->exponent < 0;
        if (n->op != NODE_DIV && !is_power) continue;
        if (!add_factors(w, is_power ? n->a : n->b, false)) st = DAE_MEMORY;
    }
    alloc_free(w->c->allocator, nodes, count, sizeof *nodes);
    if (!st && !find_products(w)) st = DAE_MEMORY;
    return st;
}

/* ---- rows ---------------------------------------------------------------------------- */

static text_span span_of(const finding *w, uint32_t target)
{
    if (w->is_definition) return definition_span(w->c->s, target);
    const equation_block *b = equation_block_find(&w->c->s->equations, target);
    return b ? b->span : (text_span){0, 0};
}

static bool depends(const finding *w, node_id id, const uint32_t *row)
{
    const unsigned flags = node_at(w, id)->flags;
    if (flags & (NODE_HAS_UNKNOWN | NODE_HAS_TIME)) return true;
    for (uint32_t k = 0; k < w->set->leaf_count; k++)
        if (w->set->leaves[k].kind == LEAF_DEFINITION
            && w->c->defs
                   .depends[leaf_definition(w->c->s, &w->set->leaves[k], row)])
            return true;
    return false;
}

/* Whether what a product is equal to is never 0. A parameter that is 0 makes 0 of the factors
 * as they are watched, which then do not change their sign. */
static bool is_of_product(const finding *w, const uint32_t *row)
{
    if (w->summands[row[0]] != 1) return false;
    return !depends(w, w->other, row)
        || bounds_of(w->c->s, w->other, row + 1).is_never_zero;
}

/* Whether it may take 0 on its way to the other sign: a sum of squares does not. */
static bool may_cross(const finding *w, node_id at, const uint32_t *row)
{
    const bounds b = bounds_of(w->c->s, at, row + 1);
    return !b.is_never_zero && b.low < 0 && b.high > 0;
}

static dae_status add_row(finding *w, node_id at, node_id compact,
    const uint32_t *holes, uint32_t count, const uint32_t *row)
{
    compiled *c = w->c;
    const denominator d = {at, row, span_of(w, row[0]), w->is_definition};
    const uint32_t number = (uint32_t)w->found.count;
    const arena_position mark = arena_mark(&c->scratch);
    uint32_t *of = ARENA_ARRAY(&c->scratch, uint32_t, count + 1);
    if (!of || number >= INT32_MAX) return of ? DAE_LIMIT : DAE_MEMORY;
    for (uint32_t h = 0; h < count; h++) of[h] = row[1 + holes[h]];
    dae_status st = system_add_row(
        c->s, GROUP_DIVISOR, compact, count, number, of);
    if (!st && !ARRAY_PUSH(c->allocator, &w->found, d)) st = DAE_MEMORY;
    arena_release(&c->scratch, mark);
    return st;
}

/* One factor in all rows of the shape. */
static dae_status add_rows(finding *w, node_id at, bool is_product)
{
    compiled *c = w->c;
    const row_set *set = w->set;
    shape_pool *pool = &c->s->shapes;
    node_id compact, watched = at;
    uint32_t *holes, count;
    if (is_product)
        watched = shape_binary(
            pool, NODE_MUL, at, shape_unary(pool, NODE_ABS, w->other));
    if (watched == NODE_NONE) return DAE_MEMORY;
    dae_status st = held_compact(
        pool, watched, &c->scratch, &compact, &holes, &count);
    for (size_t r = 0; r < set->count && !st; r++) {
        const uint32_t *row = set_row(set, r);
        if (w->is_definition && !(c->defs.need[row[0]] & NEED_MODEL)) continue;
        if (!depends(w, at, row)) continue;
        if (!may_cross(w, at, row)) continue;
        if (is_product && !is_of_product(w, row)) continue;
        st = add_row(w, at, compact, holes, count, row);
        if (!st && !ARRAY_PUSH(c->allocator, &w->certain, is_product))
            st = DAE_MEMORY;
    }
    return st;
}

static dae_status find_in(finding *w, const row_sets *sets, bool is_definition)
{
    dae_status st = DAE_OK;
    w->is_definition = is_definition;
    for (size_t k = 0; k < sets->count && !st; k++) {
        w->set = &sets->items[k];
        if (w->set->count) st = find_factors(w);
        for (size_t f = 0; f < w->factors.count && !st; f++)
            st = add_rows(w, w->factors.items[f], false);
        for (size_t f = 0; f < w->products.count && !st; f++)
            st = add_rows(w, w->products.items[f], true);
    }
    return st;
}

static dae_status keep(const finding *w)
{
    compiled *c = w->c;
    c->divisor_count = w->found.count;
    denominator *list = ARENA_ARRAY(
        &c->memory, denominator, w->found.count + 1);
    uint8_t *certain = ARENA_ARRAY(&c->memory, uint8_t, w->found.count + 1);
    if (!list || !certain) return DAE_MEMORY;
    for (size_t k = 0; k < w->found.count; k++) {
        list[k] = w->found.items[k];
        certain[k] = w->certain.items[k];
    }
    c->divisor_list = list;
    c->divisor_certain = certain;
    return rows_init(c, &c->s->groups[GROUP_DIVISOR], &c->divisors);
}

dae_status denominators_make(compiled *c)
{
    finding w = {.c = c};
    row_group *rows = &c->s->groups[GROUP_DIVISOR];
    for (size_t l = 0; l < rows->lists.count; l++)
        rows->lists.items[l].data.count = 0; /* of a compilation before */
    const arena_position mark = arena_mark(&c->scratch);
    dae_status st = count_summands(&w);
    if (!st) st = find_in(&w, &c->text_equations, false);
    if (!st) st = find_in(&w, &c->text_definitions, true);
    if (!st) st = keep(&w);
    arena_release(&c->scratch, mark);
    ARRAY_FREE(c->allocator, &w.found);
    ARRAY_FREE(c->allocator, &w.certain);
    ARRAY_FREE(c->allocator, &w.factors);
    ARRAY_FREE(c->allocator, &w.products);
    return st;
}

/* The states above 0 of which follows that no denominator is 0. */
static dae_status find_positive(compiled *c)
{
    dae_denominators *d = &c->denominators;
    const size_t unknowns = c->slots.unknowns;
    uint8_t *is_used = ARENA_ARRAY(&c->scratch, uint8_t, unknowns);
    if (!c->divisor_positive)
        c->divisor_positive = ARENA_ARRAY(&c->memory, uint32_t, unknowns);
    if (!is_used || !c->divisor_positive) return DAE_MEMORY;
    d->positive = c->divisor_positive;
    d->positive_count = 0;
    for (size_t k = 0; k < c->divisor_count; k++) {
        const denominator *at = &c->divisor_list[k];
        if (!bounds_above_zero(c->s, at->at, at->row + 1, is_used)
                 .is_never_zero)
            return DAE_OK;
    }
    for (size_t j = 0; j < unknowns; j++)
        if (is_used[j])
            c->divisor_positive[d->positive_count++] = (uint32_t)
                                                           c->slots.first[j];
    return DAE_OK;
}

dae_status denominators_fill(compiled *c)
{
    c->denominators = (dae_denominators){.count = c->divisor_count,
        .is_certain = c->divisor_certain,
        .evaluate = denominators_values};
    const arena_position mark = arena_mark(&c->scratch);
    const dae_status st = find_positive(c);
    arena_release(&c->scratch, mark);
    return st;
}

/* ---- what is asked -------------------------------------------------------------------- */

dae_status denominators_values(
    void *self, double t, const double *x, const double *xp, double *values)
{
    compiled *c = self;
    run_task(c, &c->divisor_task, t, x, xp, values);
    return DAE_OK;
}

enum { LONGEST = 80, TEXT_SIZE = 120 };

static void print(const compiled *c, const denominator *d, char text[TEXT_SIZE])
{
    text_buffer out = {text, TEXT_SIZE, 0};
    text[0] = '\0';
    if (names_write_shape(c, d->at, d->row, LONGEST, text_buffer_write, &out))
        text[0] = '\0';
}

size_t denominators_text(
    const compiled *c, size_t number, char *text, size_t size)
{
    char found[TEXT_SIZE];
    text_buffer out = {text, size, 0};
    if (size) text[0] = '\0';
    if (number >= c->divisor_count) return 0;
    print(c, &c->divisor_list[number], found);
    text_buffer_printf(&out, "%s", found);
    return out.length;
}

bool denominators_span(const compiled *c, size_t number, text_span *span)
{
    char text[TEXT_SIZE];
    *span = (text_span){0, 0};
    if (number >= c->divisor_count) return false;
    const denominator *d = &c->divisor_list[number];
    *span = d->span;
    print(c, d, text);
    if (span->end) (void)kinks_narrow(c, text, d->is_definition, span);
    return span->end > 0;
}
