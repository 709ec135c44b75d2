/* What is pending forms a chain from the innermost outwards; a circle is the
 * part of it between two meetings with the same symbol. */
#include "sema/lowering.h"

#define MEMBERS_SHOWN 4

static void show_member(lowering *l, const symbol *of, const symbol *needs)
{
    report_also(l->ds, l->source, of->span, "`%s` needs `%s`",
        word_text(l, of->name), word_text(l, needs->name));
}

void pending_report(lowering *l, const symbol *s, text_span span)
{
    bool is_fun = s->kind == SYMBOL_FUN;
    const symbol *needs = s;
    const pending *p = l->pending;
    fail_value(l, DIAG_E0208, span,
        is_fun ? "`%s` calls itself" : "the definition of `%s` needs itself",
        word_text(l, s->name));
    for (int k = 0; p && p->symbol != s && k < MEMBERS_SHOWN; p = p->outer) {
        if (p->symbol == needs) continue;
        show_member(l, p->symbol, needs);
        needs = p->symbol;
        k++;
    }
    if (!is_fun && needs != s) {
        report_label(l->ds, "`%s` needs `%s`", word_text(l, s->name),
            word_text(l, needs->name));
    }
    report_help(l->ds,
        is_fun ? "a function may not call itself, nor by way of others"
               : "an unknown quantity is declared with `var` and gets an "
                 "equation");
}

const pending *pending_call(const lowering *l, const symbol *fun)
{
    const pending *p = l->pending;
    while (p && p->symbol->kind == SYMBOL_FUN && p->symbol != fun) {
        p = p->outer;
    }
    return p && p->symbol == fun ? p : NULL;
}

const symbol *pending_param(const lowering *l)
{
    for (const pending *p = l->pending; p && !p->is_size; p = p->outer) {
        if (p->symbol->kind == SYMBOL_PARAM) return p->symbol;
    }
    return NULL;
}
