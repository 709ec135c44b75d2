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

static void set_attribute(lowering *l, const ast_attr *a, unknown_scale *scale)
{
    const char *name = word_text(l, a->name);
    double *field = field_of(scale, name), number;
    bool is_state = strcmp(name, "state") == 0;
    if (!field && !is_state) {
        fail_value(l, DIAG_E0214, a->span, "`%s` is not an attribute", name);
        const char *near = nearest_name(name, attribute_names, 5);
        if (near) report_help(l->ds, "did you mean `%s`?", near);
        else report_help(l->ds, "attributes: min, max, nominal, atol, state");
        return;
    }
    value v = lower_scalar(l, a->value);
    if (!value_force(l, v, a->value->span, "an attribute", &number)) return;
    bool must_be_positive = strcmp(name, "nominal") == 0
        || strcmp(name, "atol") == 0;
    if (must_be_positive && !(number > 0)) {
        fail_value(l, DIAG_E0214, a->value->span,
            "`%s` must be positive, but is %.17g", name, number);
        return;
    }
    if (is_state) scale->prefer_state = number != 0;
    else *field = number;
}

static void attributes_of(lowering *l, symbol *s, unknown_scale *scale)
{
    const ast_attr *minimum = NULL;
    for (uint32_t k = 0; k < s->decl->attr_count; k++) {
        const ast_attr *a = &s->decl->attrs[k];
        if (a->name == INTERN_NONE) continue;
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
