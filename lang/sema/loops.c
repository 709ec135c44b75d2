/* Loops, and the compile-time ifs around statements. A statement inside nested
 * blocks is run for every combination of what encloses it, statement by
 * statement, so that its instances lie together. */
#include "sema/lowering.h"

#include <math.h>

void local_push(lowering *l, uint32_t name, value v)
{
    uint32_t hidden = name < l->name_count ? l->innermost[name] : 0;
    local item = {name, hidden, v};
    if (!ARRAY_PUSH(l->allocator, &l->locals, item)) {
        l->failed_memory = true;
        return;
    }
    l->innermost[name] = (uint32_t)l->locals.count;
}

void local_pop(lowering *l)
{
    const local *top = &l->locals.items[--l->locals.count];
    l->innermost[top->name] = top->hidden;
}

static bool range_bound(
    lowering *l, const ast_expr *e, const char *what, int64_t *out)
{
    return value_force_integer(l, lower_scalar(l, e), e->span, what, out);
}

static bool iter_range(lowering *l, const ast_iter *it, int64_t *first,
    int64_t *last, int64_t *step)
{
    *step = 1;
    if (!range_bound(l, it->first, "the start of a range", first)) {
        return false;
    }
    if (!range_bound(l, it->last, "the end of a range", last)) return false;
    if (!it->step) return true;
    if (!range_bound(l, it->step, "the step of a range", step)) return false;
    if (*step != 0) return true;
    fail_value(l, DIAG_E0206, it->step->span, "the step of a range is 0");
    return false;
}

static dae_status refuse_turns(lowering *l, text_span span)
{
    fail_value(l, DIAG_E0004, span,
        "the loops and products of this model have more than %d turns",
        MAX_ITERATIONS);
    return DAE_LIMIT;
}

dae_status loop_pause(lowering *l)
{
    const lower_request *r = l->request;
    bool asks = ++l->pauses % 1024 == 0 && r->interrupt;
    if (!asks || !r->interrupt(r->interrupt_context)) return DAE_OK;
    l->was_interrupted = true;
    return DAE_INTERRUPTED;
}

dae_status loop_tick(lowering *l, text_span span)
{
    if (++l->iterations > MAX_ITERATIONS) return refuse_turns(l, span);
    return loop_pause(l);
}

dae_status loop_reserve(lowering *l, double turns, text_span span)
{
    if ((double)l->iterations + turns <= MAX_ITERATIONS) return DAE_OK;
    return refuse_turns(l, span);
}

/* ---- turns that are certain -------------------------------------------------- */

bool expr_mentions(const ast_expr *e, uint32_t name)
{
    if (!e) return false;
    if (e->kind == AST_NAME) return e->name == name;
    if (expr_mentions(e->a, name) || expr_mentions(e->b, name)) return true;
    for (uint32_t k = 0; k < e->count; k++) {
        if (expr_mentions(e->items[k], name)) return true;
    }
    return false;
}

/* Indices of the loops so far, and how often these turn at least. */
typedef struct certain_turns {
    uint32_t names[2 * SYSTEM_MAX_RANK];
    uint32_t count;
    double turns;
    text_span span; /* of the outermost loop */
    bool is_closed; /* further loops may turn less than once each */
} certain_turns;

static bool is_free(const certain_turns *c, const ast_iter *it)
{
    for (uint32_t k = 0; k < c->count; k++) {
        uint32_t name = c->names[k];
        if (expr_mentions(it->first, name) || expr_mentions(it->last, name)
            || expr_mentions(it->step, name)) {
            return false;
        }
    }
    return true;
}

/* Multiplies in a loop whose range depends on none before. */
static bool count_turns(lowering *l, certain_turns *c, const ast_iter *it)
{
    int64_t first, last, step;
    bool has_room = c->count < sizeof c->names / sizeof c->names[0];
    if (c->is_closed || !has_room || !is_free(c, it)
        || !iter_range(l, it, &first, &last, &step)) {
        return false;
    }
    if (step > 0 ? first > last : first < last) return false;
    c->turns *= floor(((double)last - (double)first) / (double)step) + 1;
    c->names[c->count++] = it->name;
    return true;
}

static dae_status check_turns(
    lowering *l, certain_turns *c, const ast_iters *iters)
{
    size_t errors = error_count(l);
    if (c->count == 0) c->span = iters->span;
    for (uint32_t k = 0; k < iters->count && !c->is_closed; k++) {
        c->is_closed = !count_turns(l, c, &iters->items[k]);
    }
    if (l->failed_memory) return DAE_MEMORY;
    if (error_count(l) > errors) return DAE_MODEL;
    return loop_reserve(l, c->turns, c->span);
}

/* Its further operands may be left out. */
static bool is_choice(const ast_expr *e)
{
    uint8_t op = e->kind == AST_BINARY ? e->op : AST_ADD;
    if (e->kind == AST_CHAIN) op = e->ops[0];
    return op == AST_AND || op == AST_OR;
}

/* A sum and alike inside the items of another, outside of any choice. */
static const ast_expr *inner_comprehension(const ast_expr *e)
{
    if (!e || e->kind == AST_IF) return NULL;
    if (e->kind == AST_COMPREHENSION) return e;
    const ast_expr *found = inner_comprehension(e->a);
    if (!found && !is_choice(e)) found = inner_comprehension(e->b);
    uint32_t count = e->count > 1 && is_choice(e) ? 1 : e->count;
    for (uint32_t k = 0; k < count && !found; k++) {
        found = inner_comprehension(e->items[k]);
    }
    return found;
}

dae_status loop_check(lowering *l, const ast_expr *e)
{
    certain_turns c = {.turns = 1};
    dae_status st = DAE_OK;
    while (e && !st && !c.is_closed) {
        st = check_turns(l, &c, e->iters);
        c.is_closed = c.is_closed || e->iters->where;
        e = inner_comprehension(e->a);
    }
    return st;
}

static dae_status loop_level(lowering *l, const ast_iters *iters,
    uint32_t level, loop_body *body, void *context);

static dae_status loop_inner(
    lowering *l, const ast_iters *iters, loop_body *body, void *context)
{
    dae_status st = loop_tick(l, iters->span);
    if (st) return st;
    if (iters->where) {
        double holds;
        value v = lower_scalar(l, iters->where);
        if (!value_force(
                l, v, iters->where->span, "a `where` condition", &holds)) {
            return DAE_MODEL;
        }
        if (holds == 0) return DAE_OK;
    }
    return body(l, context);
}

static dae_status loop_once(lowering *l, const ast_iters *iters, uint32_t level,
    int64_t index, loop_body *body, void *context)
{
    size_t before = l->locals.count;
    local_push(l, iters->items[level].name, value_number((double)index));
    if (l->locals.count == before) return DAE_MEMORY;
    dae_status st = loop_level(l, iters, level + 1, body, context);
    local_pop(l);
    return st;
}

static dae_status loop_level(lowering *l, const ast_iters *iters,
    uint32_t level, loop_body *body, void *context)
{
    if (level == iters->count) return loop_inner(l, iters, body, context);
    int64_t first, last, step;
    if (!iter_range(l, &iters->items[level], &first, &last, &step)) {
        return l->failed_memory ? DAE_MEMORY : DAE_MODEL;
    }
    if (step > 0 ? first > last : first < last) {
        l->empty.it = &iters->items[level];
        l->empty.first = first;
        l->empty.last = last;
    }
    for (int64_t i = first; step > 0 ? i <= last : i >= last; i += step) {
        dae_status st = loop_tick(l, iters->span);
        if (!st) st = loop_once(l, iters, level, i, body, context);
        if (st) return st;
    }
    return DAE_OK;
}

dae_status loop_run(
    lowering *l, const ast_iters *iters, loop_body *body, void *context)
{
    certain_turns c = {.turns = 1};
    dae_status st = check_turns(l, &c, iters);
    return st ? st : loop_level(l, iters, 0, body, context);
}

/* ---- nests ------------------------------------------------------------------ */

typedef struct nest_walk {
    const nest **chain; /* outermost first */
    uint32_t depth, at;
    const ast_iters *suffix;
    loop_body *body;
    void *context;
} nest_walk;

static dae_status walk_nest(lowering *l, void *context);

/* Whether branch n->taken of a compile-time if is the one that holds here. */
static dae_status branch_holds(lowering *l, const nest *n, bool *holds)
{
    *holds = false;
    for (uint32_t k = 0; k <= n->taken; k++) {
        const ast_expr *condition = n->branches[k].condition;
        double x = 1;
        if (condition && !value_of_choice(l, condition, &x))
            return l->failed_memory ? DAE_MEMORY : DAE_MODEL;
        if ((x != 0) != (k == n->taken)) return DAE_OK;
    }
    *holds = true;
    return DAE_OK;
}

static dae_status enter_nest(lowering *l, nest_walk *w, const nest *n)
{
    if (n->iters) return loop_run(l, n->iters, walk_nest, w);
    bool holds;
    dae_status st = branch_holds(l, n, &holds);
    if (st || !holds) return st;
    return walk_nest(l, w);
}

static dae_status walk_nest(lowering *l, void *context)
{
    nest_walk *w = context;
    if (w->at < w->depth) {
        const nest *n = w->chain[w->at++];
        dae_status st = enter_nest(l, w, n);
        w->at--;
        return st;
    }
    if (!w->suffix) return w->body(l, w->context);
    return loop_run(l, w->suffix, w->body, w->context);
}

/* Loops around loops, down to the first block that may be left out. */
static dae_status check_nest(lowering *l, const nest_walk *w)
{
    certain_turns c = {.turns = 1};
    dae_status st = DAE_OK;
    uint32_t k = 0;
    for (; k < w->depth && w->chain[k]->iters && !st; k++) {
        st = check_turns(l, &c, w->chain[k]->iters);
    }
    if (k == w->depth && w->suffix && !st) st = check_turns(l, &c, w->suffix);
    return st;
}

dae_status nest_run(lowering *l, const nest *n, const ast_iters *suffix,
    loop_body *body, void *context)
{
    nest_walk w = {.suffix = suffix, .body = body, .context = context};
    for (const nest *k = n; k; k = k->outer) w.depth++;
    w.chain = ARENA_ARRAY(l->arena, const nest *, (size_t)w.depth + 1);
    if (!w.chain) return DAE_MEMORY;
    uint32_t at = w.depth;
    for (const nest *k = n; k; k = k->outer) w.chain[--at] = k;
    dae_status st = w.depth > 0 ? check_nest(l, &w) : DAE_OK;
    return st ? st : walk_nest(l, &w);
}

size_t nest_indices(const lowering *l, int64_t *indices, size_t room)
{
    size_t count = 0;
    for (size_t k = 0; k < l->locals.count && count < room; k++) {
        if (l->locals.items[k].value.kind != VALUE_NUMBER) continue;
        indices[count++] = (int64_t)l->locals.items[k].value.number;
    }
    return count;
}
