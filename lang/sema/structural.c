/* Which params must be known before the run: those that occur in a size, a
 * range, an index or the condition of a compile-time if, and those that these
 * are made of. Marked before anything is lowered, so that they are plain
 * numbers everywhere. A param that turns out later to be needed is marked then
 * (value_force). */
#include "sema/lowering.h"

static void mark_expr(lowering *l, const ast_expr *e, bool is_needed);

static void mark_iters(lowering *l, const ast_iters *iters)
{
    if (!iters) return;
    for (uint32_t k = 0; k < iters->count; k++) {
        mark_expr(l, iters->items[k].first, true);
        mark_expr(l, iters->items[k].last, true);
        mark_expr(l, iters->items[k].step, true);
    }
    mark_expr(l, iters->where, true);
}

/* Lets between a size and its params pass the mark on. */
static void mark_symbol(lowering *l, uint32_t name)
{
    symbol *s = symbol_find(l, name);
    if (!s || s->is_structural || s->kind >= SYMBOL_FUN) return;
    if (symbol_has_no_values(s)) return;
    s->is_structural = true;
    mark_expr(l, s->decl->value, true);
}

static void mark_expr(lowering *l, const ast_expr *e, bool is_needed)
{
    if (!e) return;
    if (e->kind == AST_NAME) {
        if (is_needed) mark_symbol(l, e->name);
        return;
    }
    bool is_index = e->kind == AST_INDEX;
    if (e->kind != AST_CALL) mark_expr(l, e->a, is_needed);
    mark_expr(l, e->b, is_needed);
    for (uint32_t k = 0; k < e->count; k++) {
        mark_expr(l, e->items[k], is_needed || is_index);
    }
    if (e->kind == AST_COMPREHENSION) mark_iters(l, e->iters);
}

static void mark_decls(lowering *l, const ast_stmt *s)
{
    for (uint32_t k = 0; k < s->decl_count; k++) {
        const ast_decl *d = &s->decls[k];
        for (uint32_t i = 0; i < d->dim_count; i++) {
            mark_expr(l, d->dims[i].first, true);
            mark_expr(l, d->dims[i].last, true);
            mark_expr(l, d->dims[i].step, true);
        }
        mark_expr(l, d->value, false);
    }
}

static void mark_stmt(lowering *l, const ast_stmt *s)
{
    mark_decls(l, s);
    mark_expr(l, s->left, false);
    mark_expr(l, s->right, false);
    mark_expr(l, s->result, false);
    mark_iters(l, s->iters);
    for (uint32_t k = 0; k < s->init_count; k++) {
        mark_expr(l, s->inits[k].left, false);
        mark_expr(l, s->inits[k].right, false);
    }
    for (uint32_t k = 0; k < s->expr_count; k++) {
        mark_expr(l, s->exprs[k], false);
    }
    for (uint32_t k = 0; k < s->body_count; k++) mark_stmt(l, s->body[k]);
    for (uint32_t k = 0; k < s->branch_count; k++) {
        mark_expr(l, s->branches[k].condition, true);
        for (uint32_t i = 0; i < s->branches[k].count; i++) {
            mark_stmt(l, s->branches[k].body[i]);
        }
    }
}

void structural_mark(lowering *l)
{
    const ast_file *file = l->request->file;
    for (uint32_t k = 0; k < file->count; k++) mark_stmt(l, file->stmts[k]);
}
