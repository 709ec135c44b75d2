/* Time derivatives and replacements. Both go from the leaves up: an expression
 * waits on a stack until what it is made of is done. */
#include "ir/algebra.h"
#include "ir/diff.h"

#include <math.h>

/* ---- the parts of an expression -------------------------------------------- */

/* Calls see for every expression that x is made of until one answers true. */
typedef bool part_fn(void *context, expr_id part);

static bool any_part(const algebra *a, expr_id id, part_fn *see, void *context)
{
    const expr *x = algebra_expr(a, id);
    if (x->op == NODE_HOLE) return false;
    for (uint32_t k = 0; k < x->count; k++)
        for (uint32_t f = 0; f < x->terms[k].count; f++)
            if (see(context, x->terms[k].factors[f].base)) return true;
    for (int k = 0; k < 3 && x->op != EXPR_SUM; k++)
        if (x->operand[k] != EXPR_NONE && see(context, x->operand[k]))
            return true;
    return false;
}

/* A walk from below: `done` has what became of each expression so far. */
typedef struct walk {
    algebra *a;
    const expr_id *done; /* EXPR_NONE: not yet */
    ARRAY(expr_id) stack;
} walk;

static bool push_open(void *context, expr_id part)
{
    walk *w = context;
    if (w->done[part] != EXPR_NONE) return false;
    if (!ARRAY_PUSH(w->a->allocator, &w->stack, part))
        algebra_fail(w->a, DAE_MEMORY);
    return true;
}

/* ---- rates ----------------------------------------------------------------- */

static expr_id leaf_rate(algebra *a, const expr *x)
{
    if (x->kind == LEAF_TIME) return algebra_number(a, 1);
    if (x->kind == LEAF_PARAM || x->kind == LEAF_HELD)
        return algebra_number(a, 0);
    return algebra_leaf(
        a, (leaf_kind)x->kind, x->number, x->order + 1u, x->first);
}

/* The largest number of which all coefficients are multiples, negative where
 * all are; 1 where there is none. */
static double content_of(const expr *x)
{
    double least = HUGE_VAL;
    bool all_negative = true;
    for (uint32_t k = 0; k < x->count; k++) {
        least = fmin(least, fabs(x->terms[k].coefficient));
        all_negative = all_negative && x->terms[k].coefficient < 0;
    }
    for (uint32_t k = 0; k < x->count; k++) {
        double ratio = x->terms[k].coefficient / least;
        if (ratio != floor(ratio)) least = 1;
    }
    return all_negative ? -least : least;
}

/* Multiplies by a rate: of a sum, what its terms have in common comes out. */
static void times_rate(expr_product *p, expr_id id)
{
    algebra *a = p->a;
    if (id == EXPR_NONE) return;
    const expr *x = algebra_expr(a, id);
    if (x->op == EXPR_SUM && x->count > 1) {
        double content = content_of(x);
        p->coefficient *= content;
        id = algebra_add(a, 1 / content, id, 0, id);
    }
    product_times(p, id, 1);
}

/* The derivative of one power in a term: the others stay where they are. */
static void add_power_rate(
    expr_list *l, expr_product *p, const expr_term *t, uint32_t at)
{
    algebra *a = l->a;
    expr_factor of = t->factors[at];
    expr_id rate = a->rates.items[of.base];
    if (algebra_is_zero(a, rate)) return;
    p->coefficient = t->coefficient * of.exponent;
    for (uint32_t k = 0; k < t->count; k++) {
        if (k != at) {
            product_times(p, t->factors[k].base, t->factors[k].exponent);
            continue;
        }
        product_times(p, of.base, of.exponent - 1);
        times_rate(p, rate);
    }
    list_add_product(l, p);
}

/* The last factor first: (x*x')' reads x*x'' + x'^2. */
static expr_id sum_rate(algebra *a, const expr *x)
{
    expr_list l;
    expr_product p;
    list_start(&l, a);
    product_start(&p, a, 1);
    for (uint32_t k = 0; k < x->count; k++)
        for (uint32_t f = x->terms[k].count; f-- > 0;)
            add_power_rate(&l, &p, &x->terms[k], f);
    product_clear(&p);
    return list_close(&l);
}

static expr_id operand_rate(const algebra *a, const expr *x, int k)
{
    return a->rates.items[x->operand[k]];
}

/* A branch of SELECT, MIN or MAX has its rate where it is taken. */
static expr_id choice_rate(algebra *a, const expr *x)
{
    const node select = {.op = NODE_SELECT}, less = {.op = NODE_LT};
    expr_id chosen[3] = {x->operand[0], operand_rate(a, x, 1), EXPR_NONE};
    if (x->op == NODE_SELECT) {
        chosen[2] = operand_rate(a, x, 2);
    } else {
        bool is_min = x->op == NODE_MIN;
        expr_id sides[3] = {x->operand[is_min], x->operand[!is_min], EXPR_NONE};
        chosen[0] = algebra_apply(a, &less, sides);
        chosen[2] = operand_rate(a, x, 0);
    }
    return algebra_apply(a, &select, chosen);
}

/* Holes of a shape that stand for an operation's operands. */
static expr_id operand_of(void *operands, algebra *a, const node *hole)
{
    (void)a;
    return ((const expr_id *)operands)[hole->a];
}

/* The operation's derivative by its operand k, by the rules for shapes. */
static expr_id partial(algebra *a, expr_id id, int k)
{
    const expr x = *algebra_expr(a, id);
    shape_pool pool;
    shape_pool_init(&pool, a->allocator);
    node_id hole[2] = {shape_hole(&pool, LEAF_UNKNOWN, 0, 0),
        shape_hole(&pool, LEAF_UNKNOWN, 1, 0)};
    const node n = algebra_operation(&x);
    node_id whole = shape_again(&pool, &n, hole[0], hole[1], NODE_NONE);
    node_id by = diff_partial(&pool, whole, k);
    expr_id operands[3] = {x.operand[0], x.operand[1], x.operand[2]};
    const algebra_reader reader = {operand_of, NULL, operands};
    expr_id result = by == NODE_NONE
        ? algebra_fail(a, pool.failed ? DAE_MEMORY : DAE_UNSUPPORTED)
        : algebra_import(a, &pool, by, &reader);
    shape_pool_clear(&pool);
    return result;
}

/* (x*x' + y*y')/hypot(x, y), off its tip. */
static expr_id hypot_rate(algebra *a, expr_id id)
{
    const expr x = *algebra_expr(a, id);
    expr_list l;
    expr_product p;
    list_start(&l, a);
    product_start(&p, a, 1);
    for (int k = 0; k < 2; k++) {
        product_times(&p, x.operand[k], 1);
        product_times(&p, operand_rate(a, &x, k), 1);
        list_add_product(&l, &p);
    }
    times_rate(&p, list_close(&l));
    product_times(&p, id, -1);
    list_start(&l, a);
    list_add_product(&l, &p);
    product_clear(&p);
    return list_close(&l);
}

static expr_id operation_rate(algebra *a, expr_id id)
{
    const expr x = *algebra_expr(a, id);
    expr_list l;
    expr_product p;
    if (x.op == NODE_SELECT || x.op == NODE_MIN || x.op == NODE_MAX)
        return choice_rate(a, &x);
    if (x.op == NODE_HYPOT) return hypot_rate(a, id);
    list_start(&l, a);
    product_start(&p, a, 1);
    for (int k = 0; k < node_arity((node_op)x.op); k++) {
        expr_id rate = operand_rate(a, &x, k);
        if (algebra_is_zero(a, rate)) continue;
        times_rate(&p, partial(a, id, k));
        times_rate(&p, rate);
        list_add_product(&l, &p);
    }
    product_clear(&p);
    return list_close(&l);
}

static expr_id rate_of(algebra *a, expr_id id)
{
    const expr x = *algebra_expr(a, id);
    if (x.op == NODE_HOLE) return leaf_rate(a, &x);
    return x.op == EXPR_SUM ? sum_rate(a, &x) : operation_rate(a, id);
}

expr_id algebra_rate(algebra *a, expr_id id)
{
    if (id == EXPR_NONE || a->st) return EXPR_NONE;
    walk w = {.a = a, .done = a->rates.items};
    (void)push_open(&w, id);
    while (!a->st && w.stack.count) {
        expr_id top = w.stack.items[w.stack.count - 1];
        w.done = a->rates.items; /* it grows */
        if (w.done[top] == EXPR_NONE && any_part(a, top, push_open, &w))
            continue;
        w.stack.count--;
        if (w.done[top] != EXPR_NONE) continue;
        expr_id rate = rate_of(a, top);
        if (!a->st) a->rates.items[top] = rate;
    }
    ARRAY_FREE(a->allocator, &w.stack);
    return a->st ? EXPR_NONE : a->rates.items[id];
}

/* ---- replacing ------------------------------------------------------------- */

static expr_id replaced_sum(algebra *a, const expr *x, const expr_id *images)
{
    expr_list l;
    expr_product p;
    list_start(&l, a);
    for (uint32_t k = 0; k < x->count; k++) {
        const expr_term *t = &x->terms[k];
        product_start(&p, a, t->coefficient);
        for (uint32_t f = 0; f < t->count; f++)
            product_times(
                &p, images[t->factors[f].base], t->factors[f].exponent);
        list_add_product(&l, &p);
        product_clear(&p);
    }
    return list_close(&l);
}

static expr_id replaced_operation(
    algebra *a, const expr *x, const expr_id *images)
{
    const node n = algebra_operation(x);
    expr_id operand[3] = {EXPR_NONE, EXPR_NONE, EXPR_NONE};
    for (int k = 0; k < 3; k++)
        if (x->operand[k] != EXPR_NONE) operand[k] = images[x->operand[k]];
    return algebra_apply(a, &n, operand);
}

static expr_id replaced(algebra *a, expr_id id, const expr_id *images,
    algebra_replace_fn *leaf, void *context)
{
    const expr x = *algebra_expr(a, id);
    if (x.op == NODE_HOLE) return leaf(context, a, id);
    return x.op == EXPR_SUM ? replaced_sum(a, &x, images)
                            : replaced_operation(a, &x, images);
}

expr_id algebra_replace(
    algebra *a, expr_id id, algebra_replace_fn *leaf, void *context)
{
    if (id == EXPR_NONE || a->st) return EXPR_NONE;
    size_t count = a->exprs.count;
    expr_id *images = alloc_zeroed(a->allocator, count, sizeof *images);
    if (!images) return algebra_fail(a, DAE_MEMORY);
    for (size_t k = 0; k < count; k++) images[k] = EXPR_NONE;
    walk w = {.a = a, .done = images};
    (void)push_open(&w, id);
    while (!a->st && w.stack.count) {
        expr_id top = w.stack.items[w.stack.count - 1];
        if (images[top] == EXPR_NONE && any_part(a, top, push_open, &w))
            continue;
        w.stack.count--;
        if (images[top] == EXPR_NONE)
            images[top] = replaced(a, top, images, leaf, context);
    }
    expr_id result = a->st ? EXPR_NONE : images[id];
    ARRAY_FREE(a->allocator, &w.stack);
    alloc_free(a->allocator, images, count, sizeof *images);
    return result;
}
