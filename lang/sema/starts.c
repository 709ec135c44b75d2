/* What holds at the start: values of declarations, `init` lines, --set. A
 * condition or guess for one derivative of one unknown is a start value; any
 * other `init` equation is a general condition with a row of its own. */
#include "sema/lowering.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* MAX_PRIMES of them */
static const char PRIMES[] = "''''''''''''''''''''''''''''''''"
                             "''''''''''''''''''''''''''''''''";

typedef struct start_slot {
    uint32_t unknown;
    unsigned order;
} start_slot;

/* Whether a value is nothing but an unknown or a derivative of one. */
static bool as_slot(const lowering *l, value v, start_slot *slot)
{
    if (v.kind != VALUE_EXPR) return false;
    const node *n = shape_node(&l->s->shapes, v.node);
    if (n->op != NODE_HOLE || n->kind != LEAF_UNKNOWN) return false;
    slot->unknown = l->builder->leaves.items[n->a].object;
    slot->order = n->order;
    return true;
}

static uint32_t *place_of(lowering *l, start_slot slot)
{
    if (slot.order > MAX_PRIMES) return NULL;
    uint32_t **table = &l->start_of[slot.order];
    if (!*table) {
        *table = ARENA_ARRAY(l->arena, uint32_t, l->s->unknown_count + 1);
        if (!*table) l->failed_memory = true;
    }
    return *table ? &(*table)[slot.unknown] : NULL;
}

static void given_twice(lowering *l, start_slot slot, bool are_guesses,
    text_span span, text_span first)
{
    char name[128];
    if (span.begin < first.begin) { /* lines do not come in their order here */
        const text_span later = first;
        first = span;
        span = later;
    }
    name_block_text(&l->s->unknowns, slot.unknown, name, sizeof name);
    int primes = (int)slot.order;
    report(l->ds, DIAG_E0212, l->source, span,
        "the start of `%s%.*s` is %s twice", name, primes, PRIMES,
        are_guesses ? "guessed" : "given");
    report_also(l->ds, l->source, first, "first here");
    report_help(l->ds,
        are_guesses ? "drop one of the two"
                    : "drop one of the two, or turn it into a guess with ~");
}

/* An entry for an element, where `old` is for the array that it belongs to. */
static bool is_own_of_element(
    const lowering *l, const start_value *old, const start_value *v)
{
    const name_block *b = name_block_find(&l->s->unknowns, v->unknown);
    return v->rank == START_OWN && old->rank < START_OWN && b->rank > 0;
}

/* Once for a line: it may be one for a million elements. */
static void tell_unused(
    lowering *l, start_slot slot, text_span span, text_span condition)
{
    char name[128];
    if (l->unused_guess.end == span.end && l->unused_guess.begin == span.begin)
        return;
    l->unused_guess = span;
    name_block_text(&l->s->unknowns, slot.unknown, name, sizeof name);
    report(l->ds, DIAG_N0408, l->source, span,
        "this guess is not used: `%s%.*s` has a condition", name,
        (int)slot.order, PRIMES);
    report_also(l->ds, l->source, condition, "the condition");
    report_help(l->ds, "drop one of the two");
}

/* Two that say the same thing of one slot: nothing but the order of the lines
 * would choose, and a guess may pick the solution. */
static bool is_twice(const start_value *old, const start_value *v)
{
    if (old->is_condition != v->is_condition) return false;
    return v->is_condition || v->rank == old->rank;
}

/* A condition wins over a guess, but an element's own guess over the condition
 * of its whole array; of two guesses the one of higher rank; two conditions, or
 * two guesses of one rank, are an error. Guesses of `init` come after all
 * conditions. */
static dae_status put_start(
    lowering *l, start_slot slot, start_value v, bool replaces)
{
    uint32_t *place = place_of(l, slot);
    if (!place) return DAE_MEMORY;
    v.unknown = slot.unknown;
    v.order = (uint8_t)slot.order;
    if (*place == 0) {
        if (!ARRAY_PUSH(l->s->allocator, &l->s->starts, v)) return DAE_MEMORY;
        *place = (uint32_t)l->s->starts.count;
        return DAE_OK;
    }
    start_value *old = &l->s->starts.items[*place - 1];
    if (!replaces && is_twice(old, &v)) {
        given_twice(l, slot, !v.is_condition, v.span, old->span);
        return DAE_MODEL;
    }
    bool wins = replaces || v.is_condition;
    if (!wins && !old->is_condition) wins = v.rank > old->rank;
    else if (!wins) {
        wins = is_own_of_element(l, old, &v);
        if (!wins) tell_unused(l, slot, v.span, old->span);
    }
    if (wins) *old = v;
    return DAE_OK;
}

static start_value start_from(
    value v, bool is_condition, uint8_t rank, text_span span)
{
    start_value s = {
        .is_condition = is_condition, .rank = rank, .value = 0, .span = span};
    if (v.kind == VALUE_NUMBER) s.value = v.number;
    s.is_param = v.kind == VALUE_PARAM;
    if (s.is_param) s.param = v.node;
    return s;
}

/* left = right at t0 that is not the value of one slot. */
static dae_status add_condition(
    lowering *l, value left, value right, text_span span)
{
    value v = scalar_binary(l, NODE_SUB, left, right, span);
    if (v.kind == VALUE_ERROR) return DAE_MODEL;
    if (!value_moves(l, v)) {
        fail_value(l, DIAG_E0203, span,
            "an initial condition contains an unknown or its derivative");
        report_help(l->ds,
            "what is no `var` has its value where it is "
            "declared; the time begins where `solve` says");
        return DAE_MODEL;
    }
    system_tables *s = l->s;
    equation_block b = {.first = s->condition_count, .count = 1, .span = span};
    if (!ARRAY_PUSH(s->allocator, &s->conditions, b)) return DAE_MEMORY;
    dae_status st = add_value_row(
        l, GROUP_CONDITION, (uint32_t)s->condition_count, v);
    s->condition_count++;
    return st;
}

static dae_status add_pair(lowering *l, value left, value right, bool is_guess,
    uint8_t rank, text_span span)
{
    start_slot slot;
    if (right.kind == VALUE_ERROR || left.kind == VALUE_ERROR) {
        return DAE_MODEL;
    }
    if (as_slot(l, left, &slot) && value_is_constant(right)) {
        return put_start(
            l, slot, start_from(right, !is_guess, rank, span), false);
    }
    if (as_slot(l, right, &slot) && value_is_constant(left) && !is_guess) {
        return put_start(l, slot, start_from(left, true, rank, span), false);
    }
    if (!is_guess) return add_condition(l, left, right, span);
    fail_value(l, DIAG_E0203, span,
        "a guess has an unknown or its derivative on the left and a number "
        "on the right");
    report_help(l->ds, "for a condition write `=` instead of `~`");
    return DAE_MODEL;
}

/* ---- declarations ---------------------------------------------------------- */

static bool declared_start(lowering *l, symbol *s, size_t flat, void *context)
{
    (void)context;
    builder b, *outer = l->builder;
    builder_init(&b);
    l->builder = &b;
    const ast_decl *d = s->decl;
    value right = symbol_declared(l, s, flat);
    value left = builder_leaf_value(
        l, LEAF_UNKNOWN, (uint32_t)(s->first + flat), d->primes);
    text_span span = {d->span.begin, d->value->span.end};
    bool is_guess = d->value_kind == AST_GUESS;
    dae_status st = right.kind == VALUE_ERROR
        ? DAE_MODEL
        : add_pair(l, left, right, is_guess, 0, span);
    if (st == DAE_MEMORY) l->failed_memory = true;
    l->builder = outer;
    builder_clear(l, &b);
    return !st;
}

static void declared_starts(lowering *l)
{
    for (size_t k = 0; k < l->symbols.count && !l->failed_memory; k++) {
        symbol *s = l->symbols.items[k];
        if (s->kind == SYMBOL_VAR && s->decl->value) {
            symbol_each(l, s, declared_start, NULL);
        } else if (s->kind == SYMBOL_VAR && s->decl->primes) {
            fail_value(l, DIAG_E0203, s->decl->span,
                "a prime in a declaration needs a value");
        }
    }
}

/* ---- init ------------------------------------------------------------------- */

/* What a condition is called by: the indices of the loops around it, then those of
 * its element of an array. `before`: conditions there were. */
static dae_status note_indices(
    lowering *l, size_t before, const value_array *shape, size_t k)
{
    system_tables *s = l->s;
    int64_t indices[2 * SYSTEM_MAX_RANK + 16];
    if (s->conditions.count == before) return DAE_OK; /* it was a value */
    size_t count = nest_indices(l, indices, 16 + SYSTEM_MAX_RANK);
    const uint32_t rank = shape ? shape->rank : 0;
    for (uint32_t d = rank; d-- > 0;) {
        const size_t extent = (size_t)shape->extent[d];
        indices[count + d] = shape->lower[d] + (int64_t)(k % extent);
        k /= extent;
    }
    count += rank;
    if (count == 0) return DAE_OK;
    int64_t *kept = ARENA_ARRAY(l->arena, int64_t, count);
    if (!kept) return DAE_MEMORY;
    memcpy(kept, indices, count * sizeof *kept);
    s->conditions.items[before].rank = (uint32_t)count;
    s->conditions.items[before].indices = kept;
    return DAE_OK;
}

static dae_status init_pairs(
    lowering *l, const ast_init *init, value left, value right)
{
    bool is_guess = init->is_guess;
    if (!is_array(left) && !is_array(right)) {
        const size_t before = l->s->conditions.count;
        const dae_status st = add_pair(
            l, left, right, is_guess, START_OWN, init->span);
        return st ? st : note_indices(l, before, NULL, 0);
    }
    if (is_array(left) && is_array(right)
        && !array_same_shape(left.array, right.array)) {
        fail_value(l, DIAG_E0204, init->span,
            "the left side is %s, the right side %s", array_shape_text(l, left),
            array_shape_text(l, right));
        return DAE_MODEL;
    }
    const value_array *shape = is_array(left) ? left.array : right.array;
    for (size_t k = 0; k < shape->count; k++) {
        const size_t before = l->s->conditions.count;
        value a = is_array(left) ? array_item(l, left.array, k) : left;
        value b = is_array(right) ? array_item(l, right.array, k) : right;
        dae_status st = add_pair(l, a, b, is_guess, 1, init->span);
        if (!st) st = note_indices(l, before, shape, k);
        if (st) return st;
    }
    return DAE_OK;
}

static dae_status init_instance(lowering *l, void *context)
{
    const ast_init *init = context;
    builder b, *outer = l->builder;
    builder_init(&b);
    l->builder = &b;
    arena_position mark = arena_mark(&l->scratch);
    value left = lower_expr(l, init->left);
    value right = lower_expr(l, init->right);
    dae_status st = DAE_MODEL;
    if (left.kind != VALUE_ERROR && right.kind != VALUE_ERROR) {
        st = init_pairs(l, init, left, right);
    }
    arena_release(&l->scratch, mark);
    l->builder = outer;
    builder_clear(l, &b);
    return l->failed_memory ? DAE_MEMORY : st;
}

/* ---- --set 'x(0)=2' ------------------------------------------------------------ */

static bool at_start_time(lowering *l, lower_override *o)
{
    const ast_expr *e = o->target;
    if (e->count != 1) {
        fail_value(l, DIAG_E0203, e->span,
            "--set gives a value at one time: 'x(0)=value'");
        return false;
    }
    double t;
    size_t errors = error_count(l);
    resolve_one(l, e->items[0]);
    if (error_count(l) > errors) return false;
    value v = lower_scalar(l, e->items[0]);
    if (!value_force(l, v, e->items[0]->span, "the time of a start", &t)) {
        return false;
    }
    if (t == l->out->settings.t0) return true;
    fail_value(l, DIAG_E0203, e->span,
        "--set gives values at the start, t = %.17g, not at %.17g",
        l->out->settings.t0, t);
    return false;
}

/* Whether it is a discrete variable, which then starts with `v`. */
static bool set_discrete(lowering *l, value item, value v)
{
    if (item.kind != VALUE_EXPR) return false;
    const node *n = shape_node(&l->s->shapes, item.node);
    if (n->op != NODE_HOLE || n->kind != LEAF_HELD) return false;
    discrete_set_start(l, l->builder->leaves.items[n->a].object, v);
    return true;
}

static dae_status set_slots(lowering *l, lower_override *o, value target)
{
    value v = override_value(l, o);
    if (!value_is_constant(v)) return DAE_MODEL;
    size_t count = is_array(target) ? target.array->count : 1;
    for (size_t k = 0; k < count; k++) {
        start_slot slot;
        value item = is_array(target) ? array_item(l, target.array, k) : target;
        if (set_discrete(l, item, v)) continue;
        if (!as_slot(l, item, &slot)) {
            fail_value(l, DIAG_E0203, o->target->span,
                "--set gives values to params, unknowns and derivatives "
                "of unknowns");
            return DAE_MODEL;
        }
        start_value start = start_from(v, true, 3, (text_span){0, 0});
        dae_status st = put_start(l, slot, start, true);
        if (st) return st;
    }
    o->is_used = true;
    return DAE_OK;
}

static dae_status set_start_values(lowering *l, lower_override *o)
{
    if (o->target->kind != AST_CALL) return DAE_OK;
    builder b, *outer = l->builder;
    builder_init(&b);
    l->builder = &b;
    const dae_source *model = l->source;
    l->source = o->target_source;
    size_t errors = error_count(l);
    resolve_one(l, o->target->a);
    dae_status st = DAE_MODEL;
    if (error_count(l) == errors && at_start_time(l, o)) {
        value target = lower_expr(l, o->target->a);
        if (target.kind != VALUE_ERROR) st = set_slots(l, o, target);
    }
    l->source = model;
    l->builder = outer;
    builder_clear(l, &b);
    return l->failed_memory ? DAE_MEMORY : st;
}

/* What `dae_model_unknown_given` answers. */
static dae_status note_given(lowering *l)
{
    l->out->given = ARENA_ARRAY(l->arena, uint8_t, l->s->unknown_count + 1);
    if (!l->out->given) return DAE_MEMORY;
    for (size_t k = 0; k < l->s->starts.count; k++) {
        const start_value *v = &l->s->starts.items[k];
        if (v->order) continue;
        l->out->given[v->unknown] = v->is_condition ? DAE_GIVEN_CONDITION
                                                    : DAE_GIVEN_GUESS;
    }
    return DAE_OK;
}

/* The conditions or the guesses of all `init` lines. */
static dae_status init_lines(lowering *l, bool are_guesses)
{
    for (size_t k = 0; k < l->stmts.count && !l->failed_memory; k++) {
        const leaf_stmt *leaf = &l->stmts.items[k];
        if (leaf->stmt->kind != AST_INIT) continue;
        l->at = leaf->stmt->span;
        for (uint32_t i = 0; i < leaf->stmt->init_count; i++) {
            if (leaf->stmt->inits[i].is_guess != are_guesses) continue;
            dae_status st = nest_run(l, leaf->nest, leaf->stmt->iters,
                init_instance, &leaf->stmt->inits[i]);
            if (st && st != DAE_MODEL) return st;
        }
    }
    return DAE_OK;
}

dae_status lower_starts(lowering *l)
{
    dae_status status;
    declared_starts(l);
    if ((status = init_lines(l, false))) return status;
    if ((status = init_lines(l, true))) return status;
    for (size_t k = 0; k < l->request->override_count; k++) {
        dae_status st = set_start_values(l, &l->request->overrides[k]);
        if (st && st != DAE_MODEL) return st;
    }
    return l->failed_memory ? DAE_MEMORY : note_given(l);
}
