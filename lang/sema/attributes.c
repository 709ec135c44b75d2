/* What stands in braces behind a declaration: units and attributes. */
#include "sema/lowering.h"

#include <math.h>
#include <string.h>

static const char *const attribute_names[] = {
    "min", "max", "nominal", "atol", "state"};

static double *field_of(unknown_scale *scale, const char *name)
{
    if (strcmp(name, "min") == 0) return &scale->minimum;
    if (strcmp(name, "max") == 0) return &scale->maximum;
    if (strcmp(name, "nominal") == 0) return &scale->nominal;
    if (strcmp(name, "atol") == 0) return &scale->atol;
    return NULL;
}

/* How other programs call them. */
static const char *attribute_meant(const char *name)
{
    static const char *const others[][2] = {{"minimum", "min"},
        {"lower", "min"}, {"lb", "min"}, {"maximum", "max"}, {"upper", "max"},
        {"ub", "max"}, {"stateSelect", "state"}, {"scale", "nominal"}};
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        if (strcmp(name, others[k][0]) == 0) return others[k][1];
    }
    return nearest_name(name, attribute_names, 5);
}

/* `{min = 0, min = 1}`: the last would silently win. */
static bool is_given_before(lowering *l, const ast_decl *d, uint32_t k)
{
    const ast_attr *a = &d->attrs[k];
    bool is_unit = a->name == INTERN_NONE;
    const char *name = is_unit ? "unit" : word_text(l, a->name);
    uint32_t first;
    if (!names_seen(l, a->name, k, &first)) return false;
    fail_value(l, DIAG_E0202, a->span,
        is_unit ? "the %s is given twice" : "`%s` is given twice", name);
    report_also(l->ds, l->source, d->attrs[first].span, "first here");
    return true;
}

/* `{unit = kg}` */
static void refuse_unit(lowering *l, const ast_attr *a)
{
    const text_span at = a->value->span;
    fail_value(l, DIAG_E0214, a->span, "a unit has no name before it");
    report_help(l->ds, "write the unit alone, `{%.*s}`, or in quotes",
        (int)(at.end - at.begin), l->source->text + at.begin);
}

/* Bounds and tolerances are for what is solved for. */
static void refuse_attribute(lowering *l, const symbol *s, const ast_attr *a)
{
    fail_value(l, DIAG_E0214, a->span,
        "`%s` is no unknown and takes a unit only, not `%s`",
        word_text(l, s->name), word_text(l, a->name));
    report_help(l->ds, "attributes belong to what `var` declares");
}

static void set_attribute(lowering *l, const ast_attr *a, unknown_scale *scale)
{
    const char *name = word_text(l, a->name);
    double *field = field_of(scale, name), number;
    bool is_state = strcmp(name, "state") == 0;
    if (!field && !is_state) {
        fail_value(l, DIAG_E0214, a->span, "`%s` is not an attribute", name);
        const char *near = attribute_meant(name);
        bool is_start = strcmp(name, "start") == 0
            || strcmp(name, "fixed") == 0;
        if (is_start) report_help(l->ds, "a start is given by `var x = 1`");
        else if (near) report_help(l->ds, "did you mean `%s`?", near);
        else report_help(l->ds, "attributes: min, max, nominal, atol, state");
        return;
    }
    value v = lower_scalar(l, a->value);
    if (!value_force(l, v, a->value->span, "an attribute", &number)) return;
    if (isnan(number)) {
        fail_value(l, DIAG_E0214, a->value->span,
            "the value of `%s` is not a number", name);
        return;
    }
    bool must_be_positive = strcmp(name, "nominal") == 0
        || strcmp(name, "atol") == 0;
    if (must_be_positive && !(number > 0)) {
        fail_value(l, DIAG_E0214, a->value->span,
            "`%s` must be positive, but is %.17g", name, number);
        return;
    }
    if (is_state && number != 0 && number != 1) {
        fail_value(l, DIAG_E0214, a->value->span, "`state` is 1 or 0, not %.9g",
            number);
        return;
    }
    if (is_state) scale->prefer_state = number != 0;
    else *field = number;
}

static void attributes_of(lowering *l, symbol *s, unknown_scale *scale)
{
    const ast_attr *minimum = NULL;
    names_begin(l);
    for (uint32_t k = 0; k < s->decl->attr_count; k++) {
        const ast_attr *a = &s->decl->attrs[k];
        if (is_given_before(l, s->decl, k) || a->name == INTERN_NONE) continue;
        if (strcmp(word_text(l, a->name), "unit") == 0) {
            refuse_unit(l, a);
            continue;
        }
        if (s->kind != SYMBOL_VAR) {
            refuse_attribute(l, s, a);
            continue;
        }
        set_attribute(l, a, scale);
        minimum = a;
    }
    if (scale->minimum > scale->maximum) {
        fail_value(l, DIAG_E0214, minimum ? minimum->span : s->span,
            "the minimum of `%s` is above its maximum", word_text(l, s->name));
    }
}

dae_status lower_attributes(lowering *l)
{
    for (size_t k = 0; k < l->symbols.count; k++) {
        symbol *s = l->symbols.items[k];
        if (s->kind >= SYMBOL_FUN) continue;
        const double none = (double)NAN;
        unknown_scale scale = {none, none, none, none, false};
        attributes_of(l, s, &scale);
        if (s->kind != SYMBOL_VAR) continue;
        if (!ARRAY_PUSH(l->s->allocator, &l->s->scales, scale)) {
            return DAE_MEMORY;
        }
    }
    return l->failed_memory ? DAE_MEMORY : DAE_OK;
}
