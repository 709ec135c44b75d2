/* Symbols: what each name means, sizes of arrays, and the values behind params,
 * lets, inputs and outputs. Values are found when they are first asked for, so
 * the order of declarations does not matter; a name that needs itself is an
 * error. */
#include "sema/lowering.h"

#include <stdio.h>
#include <string.h>

const char *word_text(const lowering *l, uint32_t name)
{
    return intern_text(l->names, name);
}

symbol *symbol_find(const lowering *l, uint32_t name)
{
    return name < l->name_count ? l->global[name] : NULL;
}

void names_begin(lowering *l)
{
    l->list++;
}

bool names_seen(lowering *l, uint32_t name, uint32_t place, uint32_t *first)
{
    struct name_seen *seen =
        &l->seen[name < l->name_count ? name : l->name_count];
    if (seen->list == l->list) {
        *first = seen->place;
        return true;
    }
    *seen = (struct name_seen){l->list, place};
    return false;
}

size_t scope_enter(lowering *l)
{
    size_t scope = l->hidden.count;
    if (!ARRAY_RESERVE(l->allocator, &l->hidden, l->locals.count)
        || !ARRAY_PUSH(l->allocator, &l->elements, l->element)) {
        l->failed_memory = true;
        return SIZE_MAX;
    }
    l->element = NO_ELEMENT;
    for (size_t k = 0; k < l->locals.count; k++) {
        uint32_t name = l->locals.items[k].name;
        l->hidden.items[l->hidden.count++] = l->innermost[name];
    }
    for (size_t k = 0; k < l->locals.count; k++) {
        l->innermost[l->locals.items[k].name] = 0;
    }
    return scope;
}

void scope_leave(lowering *l, size_t scope)
{
    if (scope == SIZE_MAX) return;
    for (size_t k = 0; scope + k < l->hidden.count; k++) {
        l->innermost[l->locals.items[k].name] = l->hidden.items[scope + k];
    }
    l->hidden.count = scope;
    l->element = l->elements.items[--l->elements.count];
}

/* ---- sizes -------------------------------------------------------------- */

static bool dim_bound(
    lowering *l, const ast_expr *e, const char *what, int64_t *out)
{
    return value_force_integer(l, lower_scalar(l, e), e->span, what, out);
}

static bool one_dim(lowering *l, symbol *s, const ast_dim *dim, uint32_t d)
{
    int64_t last, lower = 1, step = 1;
    if (dim->first && !dim_bound(l, dim->first, "a first index", &lower)) {
        return false;
    }
    if (!dim_bound(l, dim->last, "the size of an array", &last)) return false;
    if (dim->step && !dim_bound(l, dim->step, "a step", &step)) return false;
    if (step != 1) {
        fail_value(l, DIAG_E0204, dim->span,
            "the indices of an array have no step other than 1");
        return false;
    }
    int64_t extent = last - lower + 1;
    if (extent < 0 && (!dim->first || extent < -1)) {
        fail_value(l, DIAG_E0204, dim->span, "the size of `%s` is %lld",
            word_text(l, s->name), (long long)extent);
        return false;
    }
    s->lower[d] = lower;
    s->extent[d] = extent < 0 ? 0 : extent;
    if (!size_mul(s->count, (size_t)s->extent[d], &s->count)
        || s->count > MAX_ELEMENTS) {
        fail_value(l, DIAG_E0004, dim->span, "`%s` has too many elements",
            word_text(l, s->name));
        return false;
    }
    return true;
}

static bool all_dims(lowering *l, symbol *s)
{
    s->count = 1;
    s->rank = s->decl->dim_count;
    if (s->rank > SYSTEM_MAX_RANK) {
        fail_value(l, DIAG_E0204, s->span, "`%s` has more than %d dimensions",
            word_text(l, s->name), SYSTEM_MAX_RANK);
        return false;
    }
    for (uint32_t d = 0; d < s->rank; d++) {
        if (!one_dim(l, s, &s->decl->dims[d], d)) return false;
    }
    return true;
}

static bool make_elements(lowering *l, symbol *s)
{
    if (symbol_has_no_values(s)) return true;
    size_t count = s->count ? s->count : 1;
    s->values = ARENA_ARRAY(l->arena, value, count);
    s->states = ARENA_ARRAY(l->arena, uint8_t, count);
    if (!s->values || !s->states) l->failed_memory = true;
    return s->values && s->states;
}

static bool report_cycle(lowering *l, symbol *s)
{
    pending_report(l, s, s->span);
    return false;
}

static definition_kind kind_of_definition(const symbol *s)
{
    switch (s->kind) {
    case SYMBOL_INPUT: return DEFINITION_INPUT;
    case SYMBOL_LET:
    case SYMBOL_OUTPUT: return DEFINITION_LET;
    default: return DEFINITION_PART;
    }
}

/* A copy in the model's arena whose items are meaningful in any builder. */
static value keep_array(lowering *l, const symbol *s, const value_array *a)
{
    value_array *kept = ARENA_NEW(l->arena, value_array);
    value *items = ARENA_ARRAY(l->arena, value, a->count ? a->count : 1);
    if (!kept || !items) {
        l->failed_memory = true;
        return value_error();
    }
    *kept = *a;
    kept->items = items;
    l->part_span = s->span;
    for (size_t k = 0; k < a->count; k++) {
        items[k] = value_export(l, kind_of_definition(s), array_item(l, a, k));
        if (items[k].kind == VALUE_ERROR) return value_error();
    }
    return (value){.kind = VALUE_ARRAY, .array = kept};
}

static bool has_binder(const symbol *s)
{
    for (uint32_t d = 0; d < s->decl->dim_count; d++) {
        if (s->decl->dims[d].name != INTERN_NONE) return true;
    }
    return false;
}

/* Elements that combine those of other arrays, each in a builder of its own. */
static value keep_elements(lowering *l, symbol *s, const symbol *shape)
{
    value r = array_make(l, shape->rank, shape->extent);
    if (!is_array(r)) return r;
    memcpy(r.array->lower, shape->lower, sizeof shape->lower);
    for (size_t k = 0; k < shape->count; k++) {
        builder b, *outer = l->builder;
        builder_init(&b);
        l->builder = &b;
        l->element = k;
        value v = lower_expr(l, s->decl->value);
        l->element = NO_ELEMENT;
        l->part_span = s->span;
        v = value_export(l, kind_of_definition(s), v);
        l->builder = outer;
        builder_clear(l, &b);
        if (v.kind == VALUE_ERROR || loop_tick(l, s->span)) {
            return value_error();
        }
        r.array->items[k] = v;
    }
    return keep_array(l, s, r.array);
}

static value any_value(lowering *l, symbol *s)
{
    const symbol *shape = elementwise_shape(l, s->decl->value, NULL);
    if (shape) return keep_elements(l, s, shape);
    value v = lower_expr(l, s->decl->value);
    if (is_array(v)) return keep_array(l, s, v.array);
    return s->rank ? value_export(l, kind_of_definition(s), v) : value_error();
}

/* The declared value of all elements at once; needs a scope of its own. */
static value whole_value(lowering *l, symbol *s)
{
    if (s->whole_state == STATE_DONE) return s->whole;
    builder b, *outer = l->builder;
    size_t element = l->element;
    builder_init(&b);
    l->builder = &b;
    l->element = NO_ELEMENT;
    arena_position mark = arena_mark(&l->scratch);
    s->whole = any_value(l, s);
    s->whole_state = STATE_DONE;
    arena_release(&l->scratch, mark);
    l->element = element;
    l->builder = outer;
    builder_clear(l, &b);
    return s->whole;
}

static bool may_be_array(lowering *l, const ast_expr *e);

static bool any_may_be_array(lowering *l, const ast_expr *e)
{
    for (uint32_t k = 0; k < e->count; k++) {
        if (may_be_array(l, e->items[k])) return true;
    }
    return false;
}

/* Functions of the user may return anything; those that make one number of an
 * array do so, but for sums of vectors; the others keep the shape. */
static bool call_may_be_array(lowering *l, const ast_expr *e)
{
    static const char *const makers[] = {"zeros", "ones", "identity"};
    static const char *const takers[] = {
        "sum", "prod", "min", "max", "dot", "norm"};
    if (e->a->kind != AST_NAME || symbol_find(l, e->a->name)) return true;
    const char *name = word_text(l, e->a->name);
    for (size_t k = 0; k < sizeof makers / sizeof makers[0]; k++) {
        if (strcmp(name, makers[k]) == 0) return true;
    }
    for (size_t k = 0; k < sizeof takers / sizeof takers[0]; k++) {
        if (strcmp(name, takers[k]) != 0) continue;
        bool is_loop = e->count == 1 && e->items[0]->kind == AST_COMPREHENSION;
        return (is_loop || e->count > 1) && any_may_be_array(l, e);
    }
    return any_may_be_array(l, e);
}

/* Whether an expression may be an array: names one, or builds one. */
static bool may_be_array(lowering *l, const ast_expr *e)
{
    if (!e) return false;
    if (e->kind == AST_VECTOR) return true;
    if (e->kind == AST_CALL) return call_may_be_array(l, e);
    if (e->kind == AST_NAME) {
        symbol *s = symbol_find(l, e->name);
        bool is_declared = s && s->kind < SYMBOL_FUN;
        return is_declared && symbol_dims(l, s) && s->rank > 0;
    }
    if (e->kind == AST_FIELD)
        return strcmp(word_text(l, e->name), "count") != 0;
    if (e->kind == AST_INDEX) return may_be_array(l, e->a);
    return may_be_array(l, e->a) || may_be_array(l, e->b)
        || any_may_be_array(l, e);
}

/* A value that is an array gives a let, input or output without dimensions
 * its shape: let u = p - q of vectors. */
static bool shape_from_value(lowering *l, symbol *s)
{
    bool can = !symbol_has_no_values(s) && s->decl->dim_count == 0
        && s->decl->value;
    if (!can || !may_be_array(l, s->decl->value)) return true;
    size_t errors = error_count(l);
    value v = whole_value(l, s);
    if (is_array(v)) {
        s->rank = v.array->rank;
        s->count = v.array->count;
        memcpy(s->lower, v.array->lower, sizeof s->lower);
        memcpy(s->extent, v.array->extent, sizeof s->extent);
    } else {
        s->whole_state = STATE_NEW; /* a number after all */
    }
    return error_count(l) == errors && !l->failed_memory;
}

bool symbol_dims(lowering *l, symbol *s)
{
    if (s->dims_state == STATE_DONE) return s->count != SIZE_MAX;
    if (s->dims_state == STATE_BUSY) return report_cycle(l, s);
    s->dims_state = STATE_BUSY;
    const pending now = {l->pending, s, true};
    const text_span outer = l->at;
    l->pending = &now;
    l->at = s->span;
    size_t scope = scope_enter(l);
    bool ok = all_dims(l, s) && shape_from_value(l, s) && make_elements(l, s);
    scope_leave(l, scope);
    l->pending = now.outer;
    if (!l->failed_memory) l->at = outer;
    s->dims_state = STATE_DONE;
    if (!ok) s->count = SIZE_MAX;
    return ok;
}

/* ---- elements of declarations ------------------------------------------------ */

static void element_indices(const symbol *s, size_t flat, int64_t *index)
{
    for (uint32_t d = s->rank; d-- > 0;) {
        index[d] = s->lower[d] + (int64_t)(flat % (size_t)s->extent[d]);
        flat /= (size_t)s->extent[d];
    }
}

bool symbol_at(
    lowering *l, symbol *s, size_t flat, element_visit *visit, void *context)
{
    int64_t index[SYSTEM_MAX_RANK];
    element_indices(s, flat, index);
    size_t before = l->locals.count;
    for (uint32_t d = 0; d < s->decl->dim_count; d++) {
        uint32_t name = s->decl->dims[d].name;
        if (name == INTERN_NONE) continue;
        local_push(l, name, value_number((double)index[d]));
    }
    arena_position mark = arena_mark(&l->scratch);
    bool ok = !l->failed_memory && visit(l, s, flat, context);
    arena_release(&l->scratch, mark);
    while (l->locals.count > before) local_pop(l);
    return ok && !l->failed_memory;
}

bool symbol_each(lowering *l, symbol *s, element_visit *visit, void *context)
{
    if (!symbol_dims(l, s)) return false;
    size_t scope = scope_enter(l);
    bool ok = true;
    for (size_t k = 0; ok && k < s->count; k++) {
        ok = !loop_tick(l, s->span) && symbol_at(l, s, k, visit, context);
    }
    scope_leave(l, scope);
    return ok;
}

/* Which element of the value array fills element `flat`: its indices in the
 * dimensions without a binder, or in all where the shapes agree. */
static value filling_item(
    lowering *l, symbol *s, const value_array *a, size_t flat)
{
    int64_t index[SYSTEM_MAX_RANK];
    element_indices(s, flat, index);
    size_t at = 0;
    uint32_t d = 0;
    bool fits = true, is_whole = a->rank == s->rank;
    for (uint32_t k = 0; k < s->rank; k++) {
        bool has_binder = k < s->decl->dim_count
            && s->decl->dims[k].name != INTERN_NONE;
        if (has_binder && !is_whole) continue;
        if (d >= a->rank || a->extent[d] != s->extent[k]) {
            fits = false;
            break;
        }
        at = at * (size_t)a->extent[d] + (size_t)(index[k] - s->lower[k]);
        d++;
    }
    if (fits && d == a->rank) return array_item(l, a, at);
    value v = {.kind = VALUE_ARRAY, .array = (value_array *)(uintptr_t)a};
    if (s->rank == 0 && a->rank == 1) {
        value error = fail_value(l, DIAG_E0204, s->decl->value->span,
            "`%s` is a single number, its value is %s", word_text(l, s->name),
            array_shape_text(l, v));
        report_help(l->ds, "declare an array: `%s[%lld]`",
            word_text(l, s->name), (long long)a->extent[0]);
        return error;
    }
    return fail_value(l, DIAG_E0204, s->decl->value->span,
        "the value of `%s` is %s, which does not fill its dimensions",
        word_text(l, s->name), array_shape_text(l, v));
}

value symbol_declared(lowering *l, symbol *s, size_t flat)
{
    bool is_whole = s->rank > 0 && !has_binder(s);
    value v = is_whole ? whole_value(l, s) : lower_expr(l, s->decl->value);
    return is_array(v) ? filling_item(l, s, v.array, flat)
                       : value_resolve(l, v);
}

/* ---- params ------------------------------------------------------------------- */

/* Numbers for all elements of a param are taken together, so that its name
 * block is one run. */
static bool param_setup(lowering *l, symbol *s)
{
    if (s->value_state != STATE_NEW) return true;
    s->value_state = STATE_BUSY;
    system_tables *t = l->s;
    s->first = t->param_inputs.count;
    name_block b = {.name = word_text(l, s->name),
        .first = s->first,
        .count = s->count,
        .rank = s->rank,
        .span = s->span,
        .unit = symbol_unit(l, s),
        .doc = s->decl->doc ? s->decl->doc : ""};
    memcpy(b.lower, s->lower, sizeof b.lower);
    memcpy(b.extent, s->extent, sizeof b.extent);
    bool ok = ARRAY_PUSH(t->allocator, &t->param_names, b);
    for (size_t k = 0; ok && k < s->count; k++) {
        ok = ARRAY_PUSH(t->allocator, &t->param_inputs, 0.0)
            && ARRAY_PUSH(t->allocator, &t->param_is_structural,
                (uint8_t)s->is_structural)
            && ARRAY_PUSH(t->allocator, &t->param_nodes, NODE_NONE);
    }
    if (!ok) l->failed_memory = true;
    return ok;
}

/* A param given by a number can be set during a run, unless it is structural:
 * then it is that number. */
static value param_number(lowering *l, symbol *s, size_t flat, value number)
{
    size_t element = s->first + flat;
    l->s->param_inputs.items[element] = number.number;
    if (s->is_structural) return number;
    node_id id = system_param_element(l->s, element);
    if (id == NODE_NONE) l->failed_memory = true;
    else (void)value_note_rounding(l, number, id);
    return (value){.kind = VALUE_PARAM, .node = id};
}

static value param_without_value(lowering *l, symbol *s)
{
    value error = fail_value(l, DIAG_E0209, s->span,
        "the param `%s` has no value", word_text(l, s->name));
    report_help(l->ds, "write `param %s = ...` or give --set %s=...",
        word_text(l, s->name), word_text(l, s->name));
    return error;
}

static bool param_visit(lowering *l, symbol *s, size_t flat, void *context)
{
    (void)context;
    int64_t index[SYSTEM_MAX_RANK];
    element_indices(s, flat, index);
    lower_override *o = override_of_param(l, s->name, index, s->rank);
    value v;
    if (o) v = override_value(l, o);
    else if (s->decl->value) v = symbol_declared(l, s, flat);
    else v = param_without_value(l, s);
    text_span span = s->decl->value ? s->decl->value->span : s->span;
    if (v.kind == VALUE_NUMBER) {
        v = param_number(l, s, flat, v);
    } else if (v.kind == VALUE_PARAM && s->is_structural) {
        double number;
        v = value_force(l, v, span, "a structural param", &number)
            ? param_number(l, s, flat, value_number(number))
            : value_error();
    } else if (v.kind == VALUE_EXPR) {
        v = fail_value(l, DIAG_E0206, span,
            "the value of the param `%s` changes during the run",
            word_text(l, s->name));
        report_help(l->ds, "a quantity that changes is a `let` or an `input`");
    }
    if (v.kind == VALUE_PARAM)
        l->s->param_nodes.items[s->first + flat] = v.node;
    s->values[flat] = v;
    return v.kind != VALUE_ERROR;
}

/* ---- lets, inputs, outputs ------------------------------------------------------- */

static bool let_visit(lowering *l, symbol *s, size_t flat, void *context)
{
    (void)context;
    if (s->states[flat] == STATE_DONE) {
        return s->values[flat].kind != VALUE_ERROR;
    }
    if (s->states[flat] == STATE_BUSY) return report_cycle(l, s);
    s->states[flat] = STATE_BUSY;
    const pending now = {l->pending, s, false};
    builder b, *outer = l->builder;
    builder_init(&b);
    l->builder = &b;
    l->pending = &now;
    value v = s->decl->value ? symbol_declared(l, s, flat)
                             : fail_value(l, DIAG_E0209, s->span,
                                 "`%s` has no value", word_text(l, s->name));
    if (s->kind == SYMBOL_INPUT && v.kind == VALUE_EXPR && value_moves(l, v)) {
        v = fail_value(l, DIAG_E0203, s->decl->value->span,
            "the input `%s` depends on unknowns", word_text(l, s->name));
        report_help(l->ds, "an input is a function of time; use `let`");
    }
    l->part_span = s->span;
    s->values[flat] = value_export(l, kind_of_definition(s), v);
    s->states[flat] = STATE_DONE;
    l->pending = now.outer;
    l->builder = outer;
    builder_clear(l, &b);
    return s->values[flat].kind != VALUE_ERROR;
}

/* All elements in order, so that s[i] built on s[i-1] does not nest deeply. */
static void let_setup(lowering *l, symbol *s)
{
    if (s->value_state != STATE_NEW) return;
    s->value_state = STATE_BUSY;
    symbol_each(l, s, let_visit, NULL);
    s->value_state = STATE_DONE;
}

static value let_element(lowering *l, symbol *s, size_t flat)
{
    let_setup(l, s);
    if (s->states[flat] != STATE_DONE) {
        size_t scope = scope_enter(l);
        symbol_at(l, s, flat, let_visit, NULL);
        scope_leave(l, scope);
    }
    return s->states[flat] == STATE_DONE ? s->values[flat] : value_error();
}

static value param_element(lowering *l, symbol *s, size_t flat)
{
    if (!param_setup(l, s)) return value_error();
    if (s->states[flat] == STATE_BUSY) {
        report_cycle(l, s);
        return value_error();
    }
    if (s->states[flat] == STATE_NEW) {
        const pending now = {l->pending, s, false};
        s->states[flat] = STATE_BUSY;
        l->pending = &now;
        size_t scope = scope_enter(l);
        symbol_at(l, s, flat, param_visit, NULL);
        scope_leave(l, scope);
        l->pending = now.outer;
        s->states[flat] = STATE_DONE;
    }
    return s->values[flat];
}

/* An unknown in what must be known now. */
static value refuse_unknown(lowering *l, const symbol *s, text_span span)
{
    const symbol *param = pending_param(l);
    if (!param && s->kind == SYMBOL_DISCRETE) {
        value error = fail_value(l, DIAG_E0206, span,
            "`%s` changes at events, but a size or a condition that is needed "
            "now depends on it",
            word_text(l, s->name));
        report_help(l->ds, "%s",
            choice_help(l, "what is needed before the run is a `param`"));
        return error;
    }
    if (!param) {
        value error = fail_value(l, DIAG_E0206, span,
            "`%s` is unknown before the run, but a size or a condition that "
            "is needed now depends on it",
            word_text(l, s->name));
        const char *help = choice_help(l, NULL);
        if (help) report_help(l->ds, "%s", help);
        return error;
    }
    value error = fail_value(l, DIAG_E0206, span,
        "the value of the param `%s` cannot depend on the %s `%s`",
        word_text(l, param->name),
        s->kind == SYMBOL_VAR ? "unknown" : "discrete variable",
        word_text(l, s->name));
    report_help(l->ds, "a quantity that changes is a `let`");
    return error;
}

static value unknown_element(
    lowering *l, symbol *s, size_t flat, unsigned order, text_span span)
{
    if (!l->is_placed) return refuse_unknown(l, s, span);
    return builder_leaf_value(
        l, LEAF_UNKNOWN, (uint32_t)(s->first + flat), order);
}

/* Between events it does not change: its derivative would say nothing. */
static value refuse_rate(lowering *l, const symbol *s, text_span span)
{
    const char *name = word_text(l, s->name);
    if (s->is_contested) return value_error();
    value error = fail_value(
        l, DIAG_E0218, span, "`%s` is discrete and has no derivative", name);
    report_also(l->ds, l->request->file->source, s->span, "declared here");
    report_help(l->ds,
        "it changes at events alone, by `:=`; what moves between them is "
        "declared with `var %s`",
        name);
    return error;
}

static value discrete_element(
    lowering *l, symbol *s, size_t flat, unsigned order, text_span span)
{
    if (order) return refuse_rate(l, s, span);
    if (!l->is_placed) return refuse_unknown(l, s, span);
    return builder_leaf_value(l, LEAF_HELD, (uint32_t)(s->first + flat), 0);
}

value symbol_element(
    lowering *l, symbol *s, size_t flat, unsigned order, text_span span)
{
    if (s->kind == SYMBOL_DISCRETE)
        return discrete_element(l, s, flat, order, span);
    if (s->kind == SYMBOL_VAR) return unknown_element(l, s, flat, order, span);
    value v = s->kind == SYMBOL_PARAM ? param_element(l, s, flat)
                                      : let_element(l, s, flat);
    v = value_resolve(l, v);
    return order ? scalar_prime(l, v, order, span) : v;
}

void symbol_force_all(lowering *l, symbol *s)
{
    if (!symbol_dims(l, s)) return;
    l->at = s->span;
    if (s->kind != SYMBOL_PARAM) {
        let_setup(l, s);
        return;
    }
    for (size_t k = 0; k < s->count; k++) {
        if (param_element(l, s, k).kind == VALUE_ERROR || loop_pause(l)) return;
    }
}

/* ---- unknowns --------------------------------------------------------------------- */

const char *symbol_unit(lowering *l, const symbol *s)
{
    const ast_decl *d = s->decl;
    for (uint32_t k = 0; d && k < d->attr_count; k++) {
        if (d->attrs[k].name != INTERN_NONE) continue;
        text_span span = d->attrs[k].span;
        const char *copy = arena_copy(
            l->arena, l->source->text + span.begin, span.end - span.begin);
        return copy ? copy : "";
    }
    return "";
}

static dae_status place_one(lowering *l, symbol *s, uint32_t number)
{
    system_tables *t = l->s;
    const bool is_unknown = s->kind == SYMBOL_VAR;
    size_t *count = is_unknown ? &t->unknown_count : &t->discrete_count;
    l->at = s->span;
    s->first = *count;
    name_block b = {.name = word_text(l, s->name),
        .first = s->first,
        .count = s->count,
        .rank = s->rank,
        .span = s->span,
        .unit = symbol_unit(l, s),
        .doc = s->decl->doc ? s->decl->doc : "",
        .symbol = number};
    memcpy(b.lower, s->lower, sizeof b.lower);
    memcpy(b.extent, s->extent, sizeof b.extent);
    name_blocks *blocks = is_unknown ? &t->unknowns : &t->discretes;
    if (!ARRAY_PUSH(t->allocator, blocks, b)) return DAE_MEMORY;
    if (!size_add(*count, s->count, count) || *count > INT32_MAX / 4) {
        fail_value(l, DIAG_E0004, s->span, "the model has too many %s",
            is_unknown ? "unknowns" : "discrete variables");
        return DAE_LIMIT;
    }
    return DAE_OK;
}

dae_status symbols_place_unknowns(lowering *l)
{
    bool ok = true;
    for (size_t k = 0; k < l->symbols.count; k++) {
        symbol *s = l->symbols.items[k];
        if (!symbol_has_no_values(s)) continue;
        if (!symbol_dims(l, s)) {
            ok = false;
            continue;
        }
        dae_status st = place_one(l, s, (uint32_t)k);
        if (st) return st;
    }
    l->is_placed = ok;
    return l->failed_memory ? DAE_MEMORY : ok ? DAE_OK : DAE_MODEL;
}
