/* Declarations into symbols, and statements into a flat list. Compile-time ifs
 * at the top level are decided here, so that a branch not taken declares
 * nothing; inside loops they stay with their statements. */
#include "sema/missing.h"
#include "sema/tables.h"

#include <math.h>
#include <string.h>

static const char *later_text(ast_stmt_kind kind)
{
    switch (kind) {
    case AST_SPECIES: return "`species`";
    case AST_REACTIONS: return "`reactions`";
    case AST_MODEL: return "`model`";
    case AST_PORT: return "`port`";
    case AST_USE: return "`use`";
    case AST_CONNECT: return "`connect`";
    case AST_IMPORT: return "`import`";
    default: return NULL;
    }
}

static bool is_declaration(ast_stmt_kind kind)
{
    return kind == AST_PARAM || kind == AST_VAR || kind == AST_LET
        || kind == AST_INPUT || kind == AST_OUTPUT || kind == AST_FUN
        || kind == AST_DISCRETE;
}

static symbol_kind kind_of(ast_stmt_kind kind)
{
    switch (kind) {
    case AST_PARAM: return SYMBOL_PARAM;
    case AST_VAR: return SYMBOL_VAR;
    case AST_DISCRETE: return SYMBOL_DISCRETE;
    case AST_LET: return SYMBOL_LET;
    case AST_INPUT: return SYMBOL_INPUT;
    case AST_OUTPUT: return SYMBOL_OUTPUT;
    default: return SYMBOL_FUN;
    }
}

static symbol *add_symbol(
    lowering *l, symbol_kind kind, uint32_t name, text_span span)
{
    symbol *s = ARENA_NEW(l->arena, symbol);
    if (!s || !ARRAY_PUSH(l->allocator, &l->symbols, s)) {
        l->failed_memory = true;
        return NULL;
    }
    *s = (symbol){.kind = kind, .name = name, .span = span};
    l->global[name] = s;
    return s;
}

static bool is_free(lowering *l, uint32_t name, text_span span)
{
    const symbol *other = symbol_find(l, name);
    if (!other) return true;
    const char *text = word_text(l, name);
    if (other->kind == SYMBOL_CONSTANT) {
        fail_value(
            l, DIAG_E0215, span, "`%s` is a constant of the language", text);
    } else if (other->kind == SYMBOL_TIME) {
        fail_value(
            l, DIAG_E0215, span, "`%s` is the independent variable", text);
        if (other->span.end > 0)
            report_also(l->ds, l->source, other->span, "named here");
        report_help(l->ds,
            "give the variable or the independent variable another name: "
            "solve tau in 0..1");
    } else {
        fail_value(l, DIAG_E0202, span, "`%s` is declared twice", text);
        report_also(l->ds, l->source, other->span, "first here");
        l->global[name]->is_contested = true;
    }
    return false;
}

/* fun f(a, a) */
static void check_arguments(lowering *l, const ast_stmt *fun)
{
    names_begin(l);
    for (uint32_t k = 0; k < fun->param_count; k++) {
        uint32_t first;
        if (!names_seen(l, fun->params[k], k, &first)) continue;
        fail_value(l, DIAG_E0202, fun->param_spans[k],
            "the argument `%s` is declared twice",
            word_text(l, fun->params[k]));
        report_also(l->ds, l->source, fun->param_spans[first], "first here");
    }
}

static void declare(lowering *l, const ast_stmt *stmt)
{
    if (stmt->kind == AST_FUN) {
        check_arguments(l, stmt);
        const char *text = word_text(l, stmt->name);
        if (builtin_find(text)) {
            fail_value(l, DIAG_E0215, stmt->name_span,
                "`%s` is a function of the language", text);
            return;
        }
        if (!is_free(l, stmt->name, stmt->name_span)) return;
        symbol *s = add_symbol(l, SYMBOL_FUN, stmt->name, stmt->name_span);
        if (s) s->stmt = stmt;
        return;
    }
    for (uint32_t k = 0; k < stmt->decl_count; k++) {
        const ast_decl *d = &stmt->decls[k];
        if (!is_free(l, d->name, d->name_span)) {
            if (d->primes) {
                report_help(l->ds, "the start of a derivative: init %s' = ...",
                    word_text(l, d->name));
            }
            continue;
        }
        const symbol_kind kind = table_is_declared(l, stmt, d)
            ? SYMBOL_TABLE
            : kind_of((ast_stmt_kind)stmt->kind);
        symbol *s = add_symbol(l, kind, d->name, d->name_span);
        if (!s) return;
        s->stmt = stmt;
        s->decl = d;
    }
}

static void add_constants(lowering *l)
{
    static const struct {
        const char *name;
        double value;
    } constants[] = {{"pi", 3.14159265358979323846}, {"inf", (double)INFINITY}};
    for (size_t k = 0; k < 2; k++) {
        uint32_t name = intern_find(
            l->names, constants[k].name, strlen(constants[k].name));
        if (name == INTERN_NONE) continue; /* never mentioned */
        symbol *s = add_symbol(l, SYMBOL_CONSTANT, name, (text_span){0, 0});
        if (s) s->constant = constants[k].value;
    }
}

/* `t`, unless `solve` names another. */
static void add_time(lowering *l)
{
    const ast_file *file = l->request->file;
    uint32_t name = intern_find(l->names, "t", 1);
    text_span span = {0, 0};
    l->out->settings.independent = "t";
    for (uint32_t k = 0; k < file->count; k++) {
        if (file->stmts[k]->kind != AST_SOLVE) continue;
        name = file->stmts[k]->iter->name;
        span = file->stmts[k]->iter->span;
        l->out->settings.independent = word_text(l, name);
        break;
    }
    l->s->time_name = l->out->settings.independent;
    if (name != INTERN_NONE) add_symbol(l, SYMBOL_TIME, name, span);
}

dae_status collect_symbols(lowering *l)
{
    const ast_file *file = l->request->file;
    add_constants(l);
    add_time(l);
    for (uint32_t k = 0; k < file->count; k++) {
        const ast_stmt *stmt = file->stmts[k];
        if (is_declaration((ast_stmt_kind)stmt->kind)) declare(l, stmt);
    }
    return l->failed_memory ? DAE_MEMORY : DAE_OK;
}

/* ---- statements ----------------------------------------------------------- */

static void collect_list(
    lowering *l, ast_stmt **stmts, uint32_t count, const nest *n);

static const nest *nest_in(lowering *l, const nest *outer, nest item)
{
    nest *n = ARENA_NEW(l->arena, nest);
    if (!n) {
        l->failed_memory = true;
        return outer;
    }
    *n = item;
    n->outer = outer;
    return n;
}

/* Declarations of a branch that holds become the model's own. */
static void declare_branch(lowering *l, const ast_branch *branch)
{
    for (uint32_t k = 0; k < branch->count; k++) {
        const ast_stmt *stmt = branch->body[k];
        if (is_declaration((ast_stmt_kind)stmt->kind)) declare(l, stmt);
    }
}

static void decide_if(lowering *l, const ast_stmt *stmt)
{
    for (uint32_t k = 0; k < stmt->branch_count; k++) {
        const ast_branch *branch = &stmt->branches[k];
        double holds = 1;
        if (branch->condition) {
            size_t errors = error_count(l);
            resolve_one(l, branch->condition);
            if (error_count(l) > errors) return;
            if (!value_of_choice(l, branch->condition, &holds)) return;
        }
        if (holds == 0) continue;
        declare_branch(l, branch);
        collect_list(l, branch->body, branch->count, NULL);
        return;
    }
}

static void collect_if(lowering *l, const ast_stmt *stmt, const nest *n)
{
    if (!n) {
        decide_if(l, stmt);
        return;
    }
    for (uint32_t k = 0; k < stmt->branch_count; k++) {
        const nest *inner = nest_in(
            l, n, (nest){.branches = stmt->branches, .taken = k});
        collect_list(l, stmt->branches[k].body, stmt->branches[k].count, inner);
    }
}

static void collect_title(lowering *l, const ast_stmt *stmt)
{
    if (l->request->file->stmts[0] == stmt) {
        l->out->title = stmt->doc ? stmt->doc : "";
        return;
    }
    fail_value(l, DIAG_E0203, stmt->span,
        "a text alone is the model's title and stands first");
    report_help(l->ds, "a remark begins with #");
}

static void collect_stmt(lowering *l, const ast_stmt *stmt, const nest *n)
{
    const char *later = later_text((ast_stmt_kind)stmt->kind);
    if (later) {
        l->has_later = true;
        fail_value(
            l, DIAG_E0210, stmt->keyword, "%s is not available yet", later);
    } else if (stmt->kind == AST_FOR) {
        const nest *inner = nest_in(l, n, (nest){.iters = stmt->iters});
        collect_list(l, stmt->body, stmt->body_count, inner);
    } else if (stmt->kind == AST_WHEN_IF) {
        collect_if(l, stmt, n);
    } else if (stmt->kind == AST_TITLE) {
        collect_title(l, stmt);
    } else if (is_declaration((ast_stmt_kind)stmt->kind)) {
        if (!n) return;
        fail_value(l, DIAG_E0203, stmt->keyword,
            "a declaration cannot stand inside a loop");
        report_help(l->ds, "declare an array: %s x[i in 1..n] = ...",
            stmt->kind == AST_LET            ? "let"
                : stmt->kind == AST_DISCRETE ? "discrete"
                                             : "var");
        for (uint32_t k = 0; k < stmt->decl_count; k++)
            missing_silence(l, stmt->decls[k].name);
    } else {
        leaf_stmt leaf = {.stmt = stmt, .nest = n};
        if (!ARRAY_PUSH(l->allocator, &l->stmts, leaf)) {
            l->failed_memory = true;
        }
    }
}

static void collect_list(
    lowering *l, ast_stmt **stmts, uint32_t count, const nest *n)
{
    for (uint32_t k = 0; k < count && !l->failed_memory; k++) {
        collect_stmt(l, stmts[k], n);
    }
}

dae_status collect_statements(lowering *l)
{
    const ast_file *file = l->request->file;
    collect_list(l, file->stmts, file->count, NULL);
    return l->failed_memory ? DAE_MEMORY : DAE_OK;
}
