/* Every name in the text means something: checked once over the whole tree,
 * also where a loop runs zero times, before anything is lowered. */
#include "sema/missing.h"
#include "sema/tables.h"

#include <string.h>

typedef struct scope {
    const struct scope *outer;
    uint32_t name;
    bool is_size; /* no name: within are the sizes of an array, which are
                     known before the elements that outer names number */
} scope;

static void resolve_expr(lowering *l, const ast_expr *e, const scope *s);

static bool in_scope(const scope *s, uint32_t name)
{
    for (; s; s = s->outer) {
        if (s->name == name) return true;
    }
    return false;
}

/* The index of an element in the size of its array. */
static bool is_element_index(const scope *s, uint32_t name)
{
    bool is_outside = false;
    for (; s; s = s->outer) {
        if (s->is_size) is_outside = true;
        else if (s->name == name) return is_outside;
    }
    return false;
}

static void resolve_name(lowering *l, const ast_expr *e, const scope *s)
{
    if (is_element_index(s, e->name)) {
        fail_value(l, DIAG_E0206, e->span,
            "the size of an array does not depend on the index `%s` of its "
            "elements",
            word_text(l, e->name));
        report_help(
            l->ds, "declare a rectangle and use the part of it that is meant");
        return;
    }
    if (in_scope(s, e->name)) return;
    const symbol *named = symbol_find(l, e->name);
    if (named && named->kind == SYMBOL_TABLE)
        table_refuse_name(l, named, e->span);
    if (named) return;
    if (builtin_find(word_text(l, e->name))) {
        fail_value(l, DIAG_E0203, e->span,
            "`%s` is a function and needs its arguments",
            word_text(l, e->name));
        return;
    }
    missing_note(l, e, false);
}

static void wrong_count(
    lowering *l, const ast_expr *e, uint32_t least, uint32_t most)
{
    const char *name = word_text(l, e->a->name);
    if (least == most) {
        fail_value(l, DIAG_E0207, e->span,
            "`%s` takes %u argument%s, but %u %s given", name, least,
            least == 1 ? "" : "s", e->count, e->count == 1 ? "is" : "are");
    } else if (e->count < least) {
        fail_value(l, DIAG_E0207, e->span, "`%s` takes at least %u argument%s",
            name, least, least == 1 ? "" : "s");
    } else {
        fail_value(l, DIAG_E0207, e->span, "`%s` takes at most %u arguments",
            name, most);
    }
}

static void resolve_arguments(lowering *l, const ast_expr *e, const builtin *b)
{
    if (b && b->special && b->most == 255 && b->least == 0) return;
    for (uint32_t k = 0; k < e->count; k++) {
        if (!e->names || e->names[k] == INTERN_NONE) continue;
        fail_value(l, DIAG_E0207, e->items[k]->span,
            "`%s` has no argument that is given by name",
            word_text(l, e->a->name));
    }
}

static bool is_time(const lowering *l, const ast_expr *e)
{
    const symbol *s = e->kind == AST_NAME ? symbol_find(l, e->name) : NULL;
    return s && s->kind == SYMBOL_TIME;
}

/* `x(0)`, `x(t)`, `k(x)` of what is no function. */
static void help_no_function(
    lowering *l, const ast_expr *e, const symbol *called)
{
    bool is_unknown = called && called->kind == SYMBOL_VAR;
    bool is_scalar = is_unknown && called->decl->dim_count == 0;
    const char *name = word_text(l, e->a->name);
    if (is_scalar && e->count == 1 && is_time(l, e->items[0])) {
        report_help(
            l->ds, "an unknown is written without its time: `%s`", name);
    } else if (is_scalar && e->count == 1 && e->items[0]->kind == AST_NUMBER
        && e->items[0]->number == 0) {
        report_help(
            l->ds, "a value at the start is given by `init %s = 1`", name);
    } else {
        report_help(l->ds, "a product needs `*`, an array element `[...]`");
    }
}

/* Arguments as other languages have them. */
static void help_arguments(lowering *l, const ast_expr *e)
{
    const char *name = word_text(l, e->a->name);
    bool is_log = strcmp(name, "log") == 0 && e->count == 2;
    bool is_fold = (strcmp(name, "sum") == 0 || strcmp(name, "prod") == 0)
        && e->count > 1;
    if (is_log) report_help(l->ds, "write `log(x)/log(b)`, or `log10(x)`");
    if (is_fold) {
        report_help(l->ds, "write `%s(x[i] for i in 1..n)`, or `%s([a, b, c])`",
            name, name);
    }
}

static void resolve_callee(lowering *l, const ast_expr *e, const scope *s)
{
    if (e->a->kind != AST_NAME) {
        if (e->a->kind == AST_FIELD && missing_prefix(l, e->a)) return;
        const bool is_start = e->a->kind == AST_PRIME && e->count == 1
            && e->items[0]->kind == AST_NUMBER && e->items[0]->number == 0;
        fail_value(l, DIAG_E0203, e->a->span, "only a function can be called");
        report_help(l->ds,
            is_start ? "a slope at the start is given by `init x' = 1`"
                     : "a product is written with `*`");
        return;
    }
    const symbol *fun = symbol_find(l, e->a->name);
    bool is_local = in_scope(s, e->a->name);
    const builtin *b = builtin_find(word_text(l, e->a->name));
    if (!is_local && fun && fun->kind == SYMBOL_FUN) {
        uint32_t count = fun->stmt->param_count;
        resolve_arguments(l, e, NULL);
        if (e->count != count) wrong_count(l, e, count, count);
    } else if (b) {
        resolve_arguments(l, e, b);
        bool fits = e->count >= b->least
            && (b->most == 255 || e->count <= b->most);
        if (!fits) {
            wrong_count(l, e, b->least, b->most);
            help_arguments(l, e);
        }
    } else if (is_local || fun) {
        if (!is_local && fun->is_contested) return;
        fail_value(l, DIAG_E0203, e->span, "`%s` is not a function",
            word_text(l, e->a->name));
        help_no_function(l, e, is_local ? NULL : fun);
    } else {
        missing_note(l, e->a, true);
    }
}

static void resolve_range(lowering *l, const ast_expr *first,
    const ast_expr *last, const ast_expr *step, const scope *s)
{
    resolve_expr(l, first, s);
    resolve_expr(l, last, s);
    resolve_expr(l, step, s);
}

/* for i in 1..2, i in 1..3 */
static void check_index(lowering *l, const ast_iters *iters, uint32_t level)
{
    const ast_iter *it = &iters->items[level];
    const char *name = word_text(l, it->name);
    text_span span = {it->span.begin, it->span.begin + (uint32_t)strlen(name)};
    for (uint32_t k = 0; k < level; k++) {
        if (iters->items[k].name != it->name) continue;
        fail_value(l, DIAG_E0202, span, "the index `%s` is used twice", name);
        report_also(l->ds, l->source, iters->items[k].span, "first here");
        return;
    }
}

/* Resolves the ranges and, inside all indices, the expression or the rest. */
static void resolve_iters(lowering *l, const ast_iters *iters, uint32_t level,
    const ast_expr *inside, const scope *s)
{
    if (level == iters->count) {
        if (iters->where) resolve_expr(l, iters->where, s);
        if (inside) resolve_expr(l, inside, s);
        return;
    }
    const ast_iter *it = &iters->items[level];
    check_index(l, iters, level);
    resolve_range(l, it->first, it->last, it->step, s);
    scope inner = {.outer = s, .name = it->name};
    resolve_iters(l, iters, level + 1, inside, &inner);
}

/* `dx/dt` of which neither is an argument or an index. */
static bool is_quotient(lowering *l, const ast_expr *e, const scope *s)
{
    if (e->kind != AST_CHAIN) return false;
    for (uint32_t k = 0; k < e->count && k < 2; k++) {
        const ast_expr *item = e->items[k];
        if (k == 0 && item->kind == AST_CALL) item = item->a;
        if (item->kind != AST_NAME || in_scope(s, item->name)) return false;
    }
    return missing_quotient(l, e);
}

/* `sin^2(x)`, `exp^x`: a power of a function's bare name. */
static bool is_bare_power(lowering *l, const ast_expr *e, const scope *s)
{
    if (e->kind != AST_BINARY || e->op != AST_POW || e->a->kind != AST_NAME) {
        return false;
    }
    if (in_scope(s, e->a->name) || symbol_find(l, e->a->name)) return false;
    const char *name = word_text(l, e->a->name);
    if (!builtin_find(name)) return false;
    fail_value(l, DIAG_E0203, e->a->span,
        "`%s` is a function and needs its arguments", name);
    report_help(l->ds,
        e->b->kind == AST_CALL ? "write `%s(x)^2`" : "write `%s(x)`", name);
    return true;
}

/* edge.i, edge.count */
static void resolve_field(lowering *l, const ast_expr *e, const scope *s)
{
    if (missing_prefix(l, e)) return;
    const bool is_name = e->a->kind == AST_NAME && !in_scope(s, e->a->name);
    const symbol *named = is_name ? symbol_find(l, e->a->name) : NULL;
    if (named && named->kind == SYMBOL_TABLE) {
        (void)table_field_exists(l, e);
    } else if (named && !named->is_contested) {
        fail_value(l, DIAG_E0232, e->span,
            "`%s` has no columns: it is not a table", word_text(l, e->a->name));
        report_also(l->ds, l->source, named->span, "declared here");
        report_help(l->ds, "a table is declared by `param %s = table(...)`",
            word_text(l, e->a->name));
    } else if (!named) {
        fail_value(l, DIAG_E0210, e->span,
            "names with a dot (components) are not available yet");
    }
}

static void resolve_expr(lowering *l, const ast_expr *e, const scope *s)
{
    if (!e) return;
    if (is_bare_power(l, e, s)) return;
    switch ((ast_expr_kind)e->kind) {
    case AST_NAME: resolve_name(l, e, s); return;
    case AST_FIELD: resolve_field(l, e, s); return;
    case AST_COMPREHENSION: resolve_iters(l, e->iters, 0, e->a, s); return;
    case AST_CALL: resolve_callee(l, e, s); break;
    default:
        resolve_expr(l, e->a, s);
        resolve_expr(l, e->b, s);
        break;
    }
    uint32_t first = is_quotient(l, e, s) ? 2 : 0;
    for (uint32_t k = first; k < e->count; k++) {
        const ast_expr *item = e->items[k];
        if (table_takes_text(l, e, k)) continue;
        resolve_expr(l, item, s);
        bool is_index = e->kind == AST_INDEX && item && item->kind == AST_NAME;
        if (is_index && !in_scope(s, item->name)) missing_index(l, item);
    }
}

/* ---- statements ----------------------------------------------------------- */

static void resolve_value(
    lowering *l, const ast_decl *d, uint32_t level, const scope *s)
{
    if (level == d->dim_count) {
        resolve_expr(l, d->value, s);
        return;
    }
    const ast_dim *dim = &d->dims[level];
    const scope size = {.outer = s, .name = INTERN_NONE, .is_size = true};
    resolve_range(l, dim->first, dim->last, dim->step, &size);
    scope inner = {.outer = s, .name = dim->name};
    resolve_value(l, d, level + 1, dim->name == INTERN_NONE ? s : &inner);
}

static void wrong_line(lowering *l, const ast_stmt *stmt)
{
    if (stmt->kind == AST_EVENT) {
        fail_value(l, DIAG_E0222, stmt->keyword,
            "a `when` cannot stand inside a function");
        report_help(l->ds, "write it beside the function, which it may call");
        return;
    }
    fail_value(l, DIAG_E0203, stmt->span,
        "the body of a function holds lines `name = expression`");
    if (stmt->decl_count == 0 || stmt->kind == AST_INIT) return;
    text_span word = stmt->keyword;
    const char *name = word_text(l, stmt->decls[0].name);
    report_help(l->ds, "write `%s = ...`, without `%.*s`", name,
        (int)(word.end - word.begin), l->source->text + word.begin);
}

/* Arguments and the lines of the body, each of which sees those before. There
 * may be any number of them: no call for each. */
static void resolve_fun(lowering *l, const ast_stmt *f)
{
    size_t count = (size_t)f->param_count + f->body_count;
    scope *scopes = ARENA_ARRAY(&l->scratch, scope, count + 1);
    const scope *s = NULL;
    if (!scopes) {
        l->failed_memory = true;
        return;
    }
    for (size_t k = 0; k < count; k++) {
        if (k < f->param_count) {
            scopes[k] = (scope){.outer = s, .name = f->params[k]};
        } else {
            const ast_stmt *stmt = f->body[k - f->param_count];
            bool is_line = stmt->kind == AST_EQUATION && stmt->left
                && stmt->left->kind == AST_NAME;
            if (!is_line) {
                wrong_line(l, stmt);
                return;
            }
            resolve_expr(l, stmt->right, s);
            scopes[k] = (scope){.outer = s, .name = stmt->left->name};
        }
        s = &scopes[k];
    }
    resolve_expr(l, f->result, s);
}

static void resolve_event(lowering *l, const ast_stmt *stmt, const scope *s)
{
    missing_in_event(l, stmt->left);
    for (uint32_t k = 0; k < stmt->body_count; k++) {
        const ast_stmt *act = stmt->body[k];
        resolve_expr(l, act->left, s);
        if (act->left) missing_in_event(l, act->left);
        if (act->left) missing_target(l, act->left);
        resolve_expr(l, act->right, s);
        if (act->right) missing_in_event(l, act->right);
    }
}

static void resolve_inside(lowering *l, const ast_stmt *stmt, const scope *s)
{
    resolve_expr(l, stmt->left, s);
    resolve_expr(l, stmt->right, s);
    resolve_expr(l, stmt->within, s);
    resolve_expr(l, stmt->at, s);
    resolve_expr(l, stmt->over, s);
    for (uint32_t k = 0; k < stmt->init_count; k++) {
        resolve_expr(l, stmt->inits[k].left, s);
        resolve_expr(l, stmt->inits[k].right, s);
    }
    for (uint32_t k = 0; k < stmt->expr_count; k++) {
        resolve_expr(l, stmt->exprs[k], s);
    }
    if (stmt->kind == AST_EVENT) resolve_event(l, stmt, s);
}

static void resolve_looped(
    lowering *l, const ast_stmt *stmt, uint32_t level, const scope *s)
{
    const ast_iters *iters = stmt->iters;
    if (!iters || level == iters->count) {
        if (iters) resolve_expr(l, iters->where, s);
        resolve_inside(l, stmt, s);
        return;
    }
    const ast_iter *it = &iters->items[level];
    check_index(l, iters, level);
    resolve_range(l, it->first, it->last, it->step, s);
    scope inner = {.outer = s, .name = it->name};
    resolve_looped(l, stmt, level + 1, &inner);
}

static bool is_about_structure(const lowering *l, const ast_stmt *stmt)
{
    const ast_expr *e = stmt->left;
    bool is_comparison = stmt->kind == AST_EXPECT && e && e->kind == AST_BINARY
        && e->a->kind == AST_NAME;
    if (!is_comparison || symbol_find(l, e->a->name)) return false;
    const char *name = word_text(l, e->a->name);
    return strcmp(name, "index") == 0 || strcmp(name, "dof") == 0;
}

/* `k' = ...`: a param where an unknown was meant. */
static bool is_rate_of_param(lowering *l, const ast_stmt *stmt)
{
    const ast_expr *e = stmt->left;
    if (stmt->kind != AST_EQUATION || !e || e->kind != AST_PRIME) return false;
    if (e->a->kind == AST_INDEX) e = e->a;
    if (e->a->kind != AST_NAME) return false;
    const symbol *named = symbol_find(l, e->a->name);
    if (!named || named->kind != SYMBOL_PARAM || named->is_contested)
        return false;
    const char *name = word_text(l, e->a->name);
    fail_value(l, DIAG_E0203, stmt->left->span,
        "`%s` is a param, so its derivative is 0", name);
    report_also(l->ds, l->source, named->span, "declared here");
    report_help(l->ds, "declare what changes with `var`: `var %s = ...`", name);
    return true;
}

static void resolve_stmt(lowering *l, const ast_stmt *stmt, const scope *s)
{
    if (missing_definition(l, stmt)) return;
    if (is_rate_of_param(l, stmt)) return;
    if (is_about_structure(l, stmt)) {
        if (stmt->left->op != AST_EQ) {
            fail_value(l, DIAG_E0203, stmt->left->a->span,
                "`%s` is compared with `==` only",
                word_text(l, stmt->left->a->name));
        }
        return;
    }
    if (stmt->kind == AST_SOLVE) { /* its options have names of their own */
        resolve_expr(l, stmt->iter->first, s);
        resolve_expr(l, stmt->iter->last, s);
        return;
    }
    resolve_looped(l, stmt, 0, s);
}

/* A leaf statement inside what encloses it, outermost first. */
typedef struct enclosed {
    const ast_stmt *stmt;
    const nest **chain;
    size_t depth;
} enclosed;

static void resolve_enclosed(
    lowering *l, const enclosed *e, size_t level, uint32_t iter, const scope *s)
{
    if (level == e->depth) {
        resolve_stmt(l, e->stmt, s);
        return;
    }
    const nest *n = e->chain[level];
    if (!n->iters) {
        for (uint32_t k = 0; k <= n->taken; k++) {
            resolve_expr(l, n->branches[k].condition, s);
        }
        resolve_enclosed(l, e, level + 1, 0, s);
    } else if (iter == n->iters->count) {
        resolve_expr(l, n->iters->where, s);
        resolve_enclosed(l, e, level + 1, 0, s);
    } else {
        const ast_iter *it = &n->iters->items[iter];
        check_index(l, n->iters, iter);
        resolve_range(l, it->first, it->last, it->step, s);
        scope inner = {.outer = s, .name = it->name};
        resolve_enclosed(l, e, level, iter + 1, &inner);
    }
}

static void resolve_leaf(lowering *l, const leaf_stmt *leaf)
{
    arena_position mark = arena_mark(&l->scratch);
    enclosed e = {.stmt = leaf->stmt};
    for (const nest *n = leaf->nest; n; n = n->outer) e.depth++;
    e.chain = ARENA_ARRAY(&l->scratch, const nest *, e.depth + 1);
    if (!e.chain) {
        l->failed_memory = true;
        return;
    }
    size_t at = e.depth;
    for (const nest *n = leaf->nest; n; n = n->outer) e.chain[--at] = n;
    resolve_enclosed(l, &e, 0, 0, NULL);
    arena_release(&l->scratch, mark);
}

static void resolve_symbol(lowering *l, const symbol *s)
{
    if (s->kind == SYMBOL_FUN) resolve_fun(l, s->stmt);
    if (s->kind >= SYMBOL_FUN) return;
    resolve_value(l, s->decl, 0, NULL);
    for (uint32_t i = 0; i < s->decl->attr_count; i++) {
        const ast_attr *a = &s->decl->attrs[i];
        const bool is_unit = a->name != INTERN_NONE
            && strcmp(word_text(l, a->name), "unit") == 0; /* refused later */
        if (!is_unit) resolve_expr(l, a->value, NULL);
    }
}

void resolve_names(lowering *l)
{
    for (size_t k = 0; k < l->symbols.count; k++) {
        resolve_symbol(l, l->symbols.items[k]);
    }
    for (size_t k = 0; k < l->stmts.count; k++) {
        resolve_leaf(l, &l->stmts.items[k]);
    }
    missing_tell(l);
}

void resolve_one(lowering *l, const ast_expr *e)
{
    resolve_expr(l, e, NULL);
    missing_tell(l);
}
