/* Discrete variables: numbers that only events change. Each has a value at the
 * start, which params may give. */
#include "sema/lowering.h"

/* What the declaration lacks, or has too much. */
static bool is_declared_well(lowering *l, const symbol *s)
{
    const ast_decl *d = s->decl;
    const char *name = word_text(l, s->name);
    if (d->primes) {
        fail_value(l, DIAG_E0218, d->span,
            "`%s` is discrete and has no derivative", name);
        report_help(
            l->ds, "what moves between events is declared with `var %s`", name);
        return false;
    }
    if (!d->value) {
        fail_value(l, DIAG_E0209, d->name_span,
            "the discrete variable `%s` has no value at the start", name);
        report_help(l->ds, "write `discrete %s = 0`", name);
        return false;
    }
    if (d->value_kind != AST_GUESS) return true;
    fail_value(l, DIAG_E0218, d->span,
        "`%s` is discrete: nothing is solved for it, so it has no guess", name);
    report_help(l->ds, "its value at the start is given with `=`");
    return false;
}

static value constant_start(lowering *l, const symbol *s, value v)
{
    if (v.kind == VALUE_ERROR || value_is_constant(v)) return v;
    value error = fail_value(l, DIAG_E0206, s->decl->value->span,
        "the value of the discrete variable `%s` at the start must be known "
        "before the run",
        word_text(l, s->name));
    report_help(
        l->ds, "give it by numbers and params; a `when` can assign it at once");
    return error;
}

/* A number known before the run as a node of the params; NODE_NONE: no
 * memory. */
static node_id start_node(lowering *l, value v)
{
    node_id id = v.node;
    if (v.kind == VALUE_NUMBER) {
        id = system_param_number(l->s, v.number);
        if (id != NODE_NONE) (void)value_note_rounding(l, v, id);
    }
    if (id == NODE_NONE) l->failed_memory = true;
    return id;
}

static bool start_visit(lowering *l, symbol *s, size_t flat, void *context)
{
    (void)context;
    builder b, *outer = l->builder;
    builder_init(&b);
    l->builder = &b;
    value v = constant_start(l, s, symbol_declared(l, s, flat));
    l->builder = outer;
    builder_clear(l, &b);
    if (v.kind == VALUE_ERROR) return false;
    node_id id = start_node(l, v);
    if (id != NODE_NONE
        && !ARRAY_PUSH(l->s->allocator, &l->s->discrete_starts, id)) {
        l->failed_memory = true;
    }
    return !l->failed_memory;
}

dae_status lower_discretes(lowering *l)
{
    for (size_t k = 0; k < l->symbols.count && !l->failed_memory; k++) {
        symbol *s = l->symbols.items[k];
        if (s->kind != SYMBOL_DISCRETE || !is_declared_well(l, s)) continue;
        l->at = s->span;
        symbol_each(l, s, start_visit, NULL);
    }
    return l->failed_memory ? DAE_MEMORY : DAE_OK;
}

void discrete_set_start(lowering *l, uint32_t discrete, value v)
{
    node_id id = start_node(l, v);
    if (id == NODE_NONE || discrete >= l->s->discrete_starts.count) return;
    l->s->discrete_starts.items[discrete] = id;
}
