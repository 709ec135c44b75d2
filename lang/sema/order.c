/* The order in which declarations are worked out: what a declaration needs
 * before itself, found on the names in its text without recursion. A chain of a
 * million lets, in any order, then never nests. Names that turn out not to be
 * needed (a branch that is dropped) do no harm; circles are left for lowering
 * to report. */
#include "sema/lowering.h"

#define ORDER_DONE SIZE_MAX

typedef struct visit {
    symbol *symbol;
    size_t first, next, end; /* of its needs, in `needs` */
    size_t back; /* lowest place on the stack that what it needs needs: below
                    its own, it belongs to a circle that begins there */
} visit;

typedef struct ordering {
    lowering *l;
    bool params;           /* params only, or everything else */
    ARRAY(symbol *) needs; /* a stack of lists */
    ARRAY(visit) stack;
} ordering;

static bool is_wanted(const ordering *o, const symbol *s)
{
    if (s->kind >= SYMBOL_FUN || symbol_has_no_values(s)) return false;
    return (s->kind == SYMBOL_PARAM) == o->params;
}

static bool collect_needs(ordering *o, const ast_expr *e)
{
    if (!e) return true;
    if (e->kind == AST_NAME) {
        symbol *s = symbol_find(o->l, e->name);
        return !s || !is_wanted(o, s)
            || ARRAY_PUSH(o->l->allocator, &o->needs, s);
    }
    if (!collect_needs(o, e->a) || !collect_needs(o, e->b)) return false;
    for (uint32_t k = 0; k < e->count; k++) {
        if (!collect_needs(o, e->items[k])) return false;
    }
    return true;
}

static bool push_symbol(ordering *o, symbol *s)
{
    size_t place = o->stack.count;
    s->order_place = place + 1;
    visit v = {.symbol = s, .first = o->needs.count, .back = place};
    if (!collect_needs(o, s->decl->value)) return false;
    v.next = v.first;
    v.end = o->needs.count;
    return ARRAY_PUSH(o->l->allocator, &o->stack, v);
}

/* One need of the symbol on top. */
static bool look_at(ordering *o, symbol *s)
{
    visit *top = &o->stack.items[o->stack.count - 1];
    if (s->order_place == 0) return push_symbol(o, s);
    bool is_on_stack = s->order_place != ORDER_DONE;
    if (is_on_stack && s->order_place - 1 < top->back) {
        top->back = s->order_place - 1;
    }
    return true;
}

/* All needs are met. A member of a circle is left to the circle's first one,
 * which lowering then names. */
static bool leave_top(ordering *o)
{
    size_t place = --o->stack.count;
    const visit *top = &o->stack.items[place];
    top->symbol->order_place = ORDER_DONE;
    o->needs.count = top->first;
    if (top->back < place) {
        visit *below = &o->stack.items[place - 1];
        if (top->back < below->back) below->back = top->back;
        return true;
    }
    symbol_force_all(o->l, top->symbol);
    return !o->l->failed_memory && !o->l->was_interrupted;
}

static bool work_out(ordering *o, symbol *start)
{
    if (!is_wanted(o, start) || start->order_place) return true;
    if (!push_symbol(o, start)) return false;
    while (o->stack.count) {
        visit *top = &o->stack.items[o->stack.count - 1];
        bool ok = top->next < top->end ? look_at(o, o->needs.items[top->next++])
                                       : leave_top(o);
        if (!ok) return false;
    }
    return true;
}

dae_status order_force(lowering *l, bool params)
{
    ordering o = {.l = l, .params = params};
    bool ok = true;
    for (size_t k = 0; ok && k < l->symbols.count; k++) {
        ok = work_out(&o, l->symbols.items[k]);
    }
    ARRAY_FREE(l->allocator, &o.needs);
    ARRAY_FREE(l->allocator, &o.stack);
    if (ok) return DAE_OK;
    return l->was_interrupted ? DAE_INTERRUPTED : DAE_MEMORY;
}
