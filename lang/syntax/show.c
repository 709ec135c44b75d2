/* Listings of tokens and of the tree. The tree is shown as one line for each
 * statement and each expression's node, indented by depth. */
#include "syntax/layout.h"
#include "syntax/parse.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct writer {
    dae_write_fn *write;
    void *context;
    const ast_file *file;
    dae_status status;
} writer;

static void put(writer *w, const char *text, size_t length)
{
    if (!w->status && length && w->write(w->context, text, length))
        w->status = DAE_IO;
}

/* Words, numbers and places; what the user wrote is put as it is. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
print(writer *w, const char *format, ...)
{
    char text[256];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    assert(length >= 0 && (size_t)length < sizeof text);
    put(w, text, (size_t)length);
}

/* ---- tokens -------------------------------------------------------------- */

static void show_token(writer *w, const dae_source *source, token t)
{
    uint32_t line, column;
    char place[32];
    source_position(source, t.span.begin, &line, &column);
    (void)snprintf(place, sizeof place, "%u:%u", line, column);
    print(w, "%-8s %-9s", place, token_name(t.kind));
    if (t.span.end > t.span.begin) {
        put(w, " ", 1);
        put(w, source->text + t.span.begin, t.span.end - t.span.begin);
    }
    put(w, "\n", 1);
}

dae_status show_tokens(const dae_source *source, dae_diagnostics *ds,
    dae_write_fn *write, void *context)
{
    writer w = {write, context, NULL, DAE_OK};
    layout lines;
    layout_start(&lines, source, ds);
    for (token t = {.kind = TOKEN_NL}; t.kind != TOKEN_END_OF_TEXT;) {
        t = layout_next(&lines);
        show_token(&w, source, t);
    }
    if (w.status) return w.status;
    return lines.scan.faults ? DAE_MODEL : DAE_OK;
}

/* ---- names --------------------------------------------------------------- */

static const char *const expr_names[] = {[AST_NUMBER] = "number",
    [AST_BOOL] = "bool",
    [AST_STRING] = "text",
    [AST_NAME] = "name",
    [AST_FIELD] = "field",
    [AST_NEG] = "neg",
    [AST_PLUS] = "plus",
    [AST_NOT] = "not",
    [AST_CHAIN] = "chain",
    [AST_BINARY] = "binary",
    [AST_IF] = "if",
    [AST_PRIME] = "prime",
    [AST_CALL] = "call",
    [AST_INDEX] = "index",
    [AST_COLON] = "all",
    [AST_RANGE] = "range",
    [AST_VECTOR] = "vector",
    [AST_COMPREHENSION] = "each",
    [AST_ERROR] = "error"};
static const char *const stmt_names[] = {[AST_TITLE] = "title",
    [AST_EQUATION] = "equation",
    [AST_FOR] = "for",
    [AST_WHEN_IF] = "if",
    [AST_PARAM] = "param",
    [AST_VAR] = "var",
    [AST_LET] = "let",
    [AST_INPUT] = "input",
    [AST_OUTPUT] = "output",
    [AST_INIT] = "init",
    [AST_FUN] = "fun",
    [AST_SOLVE] = "solve",
    [AST_PLOT] = "plot",
    [AST_EXPECT] = "expect",
    [AST_SPECIES] = "species",
    [AST_DISCRETE] = "discrete",
    [AST_EVENT] = "when",
    [AST_ASSIGN] = "assign",
    [AST_STOP] = "stop",
    [AST_PRINT] = "print",
    [AST_REACTIONS] = "reactions",
    [AST_MODEL] = "model",
    [AST_PORT] = "port",
    [AST_USE] = "use",
    [AST_CONNECT] = "connect",
    [AST_IMPORT] = "import"};
static const char *const op_names[] = {[AST_ADD] = "+",
    [AST_SUB] = "-",
    [AST_MUL] = "*",
    [AST_DIV] = "/",
    [AST_POW] = "^",
    [AST_LT] = "<",
    [AST_LE] = "<=",
    [AST_GT] = ">",
    [AST_GE] = ">=",
    [AST_EQ] = "==",
    [AST_NE] = "!=",
    [AST_AND] = "and",
    [AST_OR] = "or",
    [AST_TILDE] = "~"};

static void indent(writer *w, unsigned depth)
{
    static const char spaces[] = "                                ";
    size_t left = (size_t)depth * 2, most = sizeof spaces - 1;
    for (; left > most; left -= most) put(w, spaces, most);
    put(w, spaces, left);
}

static void put_name(writer *w, uint32_t name)
{
    const char *text = intern_text(w->file->names, name);
    put(w, text, strlen(text));
}

static void put_line(writer *w, unsigned depth, const char *text)
{
    indent(w, depth);
    print(w, "%s\n", text);
}

/* ---- expressions ----------------------------------------------------------- */

static void show_expr(
    writer *w, const ast_expr *e, unsigned depth, const char *before);

static void show_iter(
    writer *w, const ast_iter *it, unsigned depth, const char *word)
{
    indent(w, depth);
    print(w, "%s ", word);
    put_name(w, it->name);
    put(w, "\n", 1);
    show_expr(w, it->first, depth + 1, "");
    show_expr(w, it->last, depth + 1, "");
    if (it->step) show_expr(w, it->step, depth + 1, "step ");
}

static void show_iters(writer *w, const ast_iters *iters, unsigned depth)
{
    if (!iters) return;
    for (uint32_t i = 0; i < iters->count; i++)
        show_iter(w, &iters->items[i], depth, "for");
    if (iters->where) show_expr(w, iters->where, depth, "where ");
}

static void show_items(writer *w, const ast_expr *e, unsigned depth)
{
    for (uint32_t i = 0; i < e->count; i++) {
        if (e->kind == AST_CHAIN && i > 0) {
            char op[8];
            (void)snprintf(op, sizeof op, "%s ", op_names[e->ops[i]]);
            show_expr(w, e->items[i], depth, op);
        } else if (e->kind == AST_CALL && e->names
            && e->names[i] != INTERN_NONE) {
            indent(w, depth);
            put_name(w, e->names[i]);
            put(w, " =\n", 3);
            show_expr(w, e->items[i], depth + 1, "");
        } else {
            show_expr(w, e->items[i], depth, "");
        }
    }
}

/* Recursive as the tree is, whose depth is limited. */
static void show_expr(
    writer *w, const ast_expr *e, unsigned depth, const char *before)
{
    indent(w, depth);
    print(w, "%s%s", before, expr_names[e->kind]);
    if (e->kind == AST_NUMBER) print(w, " %.17g", e->number);
    if (e->kind == AST_BOOL) print(w, e->number != 0 ? " true" : " false");
    if (e->kind == AST_PRIME) print(w, " %.0f", e->number);
    if (e->kind == AST_BINARY) print(w, " %s", op_names[e->op]);
    if (e->name != INTERN_NONE) {
        put(w, " ", 1);
        put_name(w, e->name);
    }
    put(w, "\n", 1);
    if (e->a) show_expr(w, e->a, depth + 1, "");
    if (e->b) show_expr(w, e->b, depth + 1, "");
    show_items(w, e, depth + 1);
    if (e->kind == AST_COMPREHENSION) show_iters(w, e->iters, depth + 1);
}

/* ---- statements -------------------------------------------------------------- */

static void show_doc(writer *w, const char *doc, unsigned depth)
{
    if (!doc) return;
    indent(w, depth);
    put(w, "doc \"", 5);
    put(w, doc, strlen(doc));
    put(w, "\"\n", 2);
}

static void show_attrs(writer *w, const ast_decl *d, unsigned depth)
{
    for (uint32_t i = 0; i < d->attr_count; i++) {
        const ast_attr *a = &d->attrs[i];
        indent(w, depth);
        if (a->value) {
            put_name(w, a->name);
            put(w, " =\n", 3);
            show_expr(w, a->value, depth + 1, "");
        } else {
            put(w, "unit ", 5);
            put(w, w->file->source->text + a->span.begin,
                a->span.end - a->span.begin);
            put(w, "\n", 1);
        }
    }
}

static void show_dim(writer *w, const ast_dim *d, unsigned depth)
{
    indent(w, depth);
    put(w, "dim", 3);
    if (d->name != INTERN_NONE) {
        put(w, " ", 1);
        put_name(w, d->name);
    }
    put(w, "\n", 1);
    if (d->first) show_expr(w, d->first, depth + 1, "");
    show_expr(w, d->last, depth + 1, "");
    if (d->step) show_expr(w, d->step, depth + 1, "step ");
}

static void show_decl(writer *w, const ast_decl *d, unsigned depth)
{
    indent(w, depth);
    put_name(w, d->name);
    for (uint32_t i = 0; i < d->primes; i++) put(w, "'", 1);
    put(w, "\n", 1);
    for (uint32_t i = 0; i < d->dim_count; i++)
        show_dim(w, &d->dims[i], depth + 1);
    if (d->value)
        show_expr(
            w, d->value, depth + 1, d->value_kind == AST_GUESS ? "~ " : "= ");
    show_attrs(w, d, depth + 1);
    show_doc(w, d->doc, depth + 1);
}

static void show_expect(writer *w, const ast_stmt *s, unsigned depth)
{
    if (s->left) show_expr(w, s->left, depth, "");
    if (s->right) show_expr(w, s->right, depth, "~ ");
    if (s->within) show_expr(w, s->within, depth, "within ");
    if (s->at) show_expr(w, s->at, depth, "at ");
    if (s->place == AST_PLACE_ALWAYS) put_line(w, depth, "always");
    if (s->place == AST_PLACE_FINAL) put_line(w, depth, "final");
}

static void show_head(writer *w, const ast_stmt *s)
{
    uint32_t line, column;
    source_position(w->file->source, s->span.begin, &line, &column);
    print(w, "%s", stmt_names[s->kind]);
    if (s->name != INTERN_NONE) {
        put(w, " ", 1);
        put_name(w, s->name);
    }
    for (uint32_t i = 0; i < s->param_count; i++) {
        put(w, i ? ", " : "(", i ? 2 : 1);
        put_name(w, s->params[i]);
    }
    if (s->param_count) put(w, ")", 1);
    if (s->code) {
        put(w, " \"", 2);
        put(w, s->code, strlen(s->code));
        put(w, "\"", 1);
    }
    print(w, "  # %u:%u\n", line, column);
}

/* What a statement holds beside other statements. */
static void show_parts(writer *w, const ast_stmt *s, unsigned depth)
{
    for (uint32_t i = 0; i < s->decl_count; i++)
        show_decl(w, &s->decls[i], depth);
    for (uint32_t i = 0; i < s->init_count; i++) {
        show_expr(w, s->inits[i].left, depth, "");
        show_expr(
            w, s->inits[i].right, depth, s->inits[i].is_guess ? "~ " : "= ");
    }
    if (s->kind == AST_EXPECT) {
        show_expect(w, s, depth);
    } else if (s->left) {
        show_expr(w, s->left, depth, "");
        if (s->right)
            show_expr(w, s->right, depth, s->kind == AST_ASSIGN ? ":= " : "= ");
    }
    if (s->iter) show_iter(w, s->iter, depth, "in");
    for (uint32_t i = 0; i < s->option_count; i++) {
        indent(w, depth);
        put_name(w, s->options[i].name);
        put(w, " =\n", 3);
        show_expr(w, s->options[i].value, depth + 1, "");
    }
    for (uint32_t i = 0; i < s->expr_count; i++)
        show_expr(w, s->exprs[i], depth, "");
    if (s->over) show_expr(w, s->over, depth, "over ");
    show_iters(w, s->iters, depth);
    show_doc(w, s->doc, depth);
}

static void show_stmt(writer *w, const ast_stmt *s, unsigned depth)
{
    indent(w, depth);
    show_head(w, s);
    show_parts(w, s, depth + 1);
    for (uint32_t i = 0; i < s->branch_count; i++) {
        const ast_branch *branch = &s->branches[i];
        if (branch->condition)
            show_expr(w, branch->condition, depth + 1, "case ");
        else put_line(w, depth + 1, "else");
        for (uint32_t k = 0; k < branch->count; k++)
            show_stmt(w, branch->body[k], depth + 2);
    }
    for (uint32_t i = 0; i < s->body_count; i++)
        show_stmt(w, s->body[i], depth + 1);
    if (s->result) show_expr(w, s->result, depth + 1, "return ");
}

dae_status show_ast(const ast_file *file, dae_write_fn *write, void *context)
{
    writer w = {write, context, file, DAE_OK};
    for (uint32_t i = 0; i < file->count && !w.status; i++)
        show_stmt(&w, file->stmts[i], 0);
    return w.status;
}
