/* --set NAME=VALUE: values that replace those of the text. */
#include "base/intern.h"
#include "sema/lowering.h"

static bool index_matches(
    lowering *l, const ast_expr *e, const int64_t *indices, uint32_t rank)
{
    if (e->count != rank) return false;
    for (uint32_t k = 0; k < rank; k++) {
        value v = lower_scalar(l, e->items[k]);
        if (v.kind != VALUE_NUMBER || v.number != (double)indices[k]) {
            return false;
        }
    }
    return true;
}

lower_override *override_of_param(
    lowering *l, uint32_t name, const int64_t *indices, uint32_t rank)
{
    lower_override *found = NULL;
    for (size_t k = 0; k < l->request->override_count; k++) {
        lower_override *o = &l->request->overrides[k];
        const ast_expr *e = o->target;
        bool is_whole = e->kind == AST_NAME && e->name == name;
        bool is_item = e->kind == AST_INDEX && e->a->kind == AST_NAME
            && e->a->name == name && index_matches(l, e, indices, rank);
        if (!is_whole && !is_item) continue;
        o->is_used = true;
        found = o; /* the last one wins */
    }
    return found;
}

/* Its names are looked up in the model, its places are in its own text. */
value override_value(lowering *l, lower_override *o)
{
    const dae_source *model = l->source;
    l->source = o->source;
    size_t errors = error_count(l);
    resolve_one(l, o->value);
    value v = error_count(l) > errors ? value_error()
                                      : lower_scalar(l, o->value);
    if (v.kind == VALUE_EXPR) {
        v = fail_value(l, DIAG_E0206, o->value->span,
            "a value given by --set must be a constant");
    }
    l->source = model;
    return v;
}

/* What is neither NAME, NAME[INDEX] nor a value at a time. */
static void report_no_name(lowering *l, const lower_override *o)
{
    const ast_expr *e = o->target, *call = e->a;
    const char *text = o->target_source->text;
    if (e->kind == AST_INDEX && call->kind == AST_CALL) {
        const uint32_t name = call->a->span.begin, time = call->a->span.end,
                       index = call->span.end;
        report(l->ds, DIAG_E0203, o->target_source, e->span,
            "--set: an element at the start is written `%.*s%.*s%.*s=...`",
            (int)(time - name), text + name, (int)(e->span.end - index),
            text + index, (int)(index - time), text + time);
        return;
    }
    report(l->ds, DIAG_E0203, o->target_source, e->span,
        "--set: a name is wanted before `=`");
    if (e->kind == AST_PRIME)
        report_help(l->ds, "its value at the start is set by `%.*s(0)=...`",
            (int)(e->span.end - e->span.begin), text + e->span.begin);
    else
        report_help(l->ds,
            "such as `k=2` for a param, `x(0)=2` for a value at the start");
}

/* The param that a name is near to, or NULL. */
static const char *near_param(lowering *l, const char *text)
{
    const char **names = ARENA_ARRAY(
        &l->scratch, const char *, l->symbols.count + 1);
    size_t count = 0;
    if (!names) report_lost(l->ds);
    for (size_t k = 0; names && k < l->symbols.count; k++) {
        const symbol *s = l->symbols.items[k];
        if (s->kind == SYMBOL_PARAM) names[count++] = word_text(l, s->name);
    }
    return nearest_name(text, names, count);
}

static void report_unused(lowering *l, const lower_override *o)
{
    const ast_expr *e = o->target;
    if (e->kind == AST_INDEX) e = e->a;
    if (e->kind != AST_NAME) {
        report_no_name(l, o);
        return;
    }
    symbol *s = symbol_find(l, e->name);
    if (!s) {
        report(l->ds, DIAG_E0201, o->target_source, o->target->span,
            "--set: the model has no param `%s`", word_text(l, e->name));
        const char *near = near_param(l, word_text(l, e->name));
        if (near) report_help(l->ds, "did you mean `%s`?", near);
        else
            report_help(
                l->ds, "the start of an unknown is set by 'x(0)=value'");
    } else if (s->kind != SYMBOL_PARAM) {
        report(l->ds, DIAG_E0203, o->target_source, o->target->span,
            "--set: `%s` is not a param", word_text(l, s->name));
        if (symbol_has_no_values(s)) {
            report_help(l->ds, "its value at the start is set by '%s(0)=...'",
                word_text(l, s->name));
        }
    } else {
        report(l->ds, DIAG_E0205, o->target_source, o->target->span,
            "--set: `%s` has no such element", word_text(l, s->name));
    }
}

dae_status overrides_check(lowering *l)
{
    for (size_t k = 0; k < l->request->override_count; k++) {
        const lower_override *o = &l->request->overrides[k];
        if (o->is_used || o->target->kind == AST_CALL) continue;
        report_unused(l, o);
    }
    return DAE_OK;
}
