/* Nodes of statements. Lists of declarations, conditions, options gather in
 * the statement that will hold them. */
#include "syntax/build.h"
#include "base/report.h"
#include <string.h>

void builder_mistake(builder *b, token t)
{
    b->mistake = t;
    b->has_mistake = true;
}

void builder_too_deep(builder *b, text_span at)
{
    if (b->status) return;
    b->status = DAE_LIMIT;
    b->errors++;
    report(b->ds, DIAG_E0106, b->source, at, "nested deeper than %d levels",
        AST_MAX_DEPTH);
    report_help(b->ds, "name parts of it with `let`");
}

void *builder_take(builder *b, size_t size)
{
    if (b->status) return NULL;
    void *block = arena_take(b->arena, 1, size);
    if (!block) b->status = DAE_MEMORY;
    return block;
}

bool builder_grow(builder *b, void **items, uint32_t count, size_t size)
{
    uint32_t least = size >= 16 ? 1 : (uint32_t)(16 / size);
    if (b->status) return false;
    if (count && (count < least || (count & (count - 1)))) return true;
    size_t room = count ? (size_t)count * 2 : least, bytes;
    if (!size_mul(room, size, &bytes) || room > UINT32_MAX) {
        b->status = DAE_MEMORY;
        return false;
    }
    void *grown = builder_take(b, bytes);
    if (!grown) return false;
    if (count) memcpy(grown, *items, count * size);
    *items = grown;
    return true;
}

uint32_t builder_name(builder *b, text_span span)
{
    if (b->status) return INTERN_NONE;
    uint32_t id = intern_add(
        b->names, b->source->text + span.begin, span.end - span.begin);
    if (id == INTERN_NONE) b->status = DAE_MEMORY;
    return id;
}

void builder_reuse(builder *b, expr_list *list)
{
    list->next = b->spare;
    b->spare = list;
}

token ast_no_token(void)
{
    return (token){{0, 0}, TOKEN_END_OF_TEXT, false, false};
}

text_span ast_span(text_span first, text_span last)
{
    return (text_span){first.begin, last.end};
}

/* A text without its quotes, or NULL. */
static const char *copy_text(builder *b, token t)
{
    if (t.kind != TOKEN_STRING || b->status) return NULL;
    uint32_t length;
    const char *text = token_text(b->source, t, &length);
    const char *copy = arena_copy(b->arena, text, length);
    if (!copy) b->status = DAE_MEMORY;
    return copy;
}

static ast_stmt *make(builder *b, ast_stmt_kind kind, token word)
{
    ast_stmt *s = builder_take(b, sizeof *s);
    if (!s) return NULL;
    s->kind = (uint8_t)kind;
    s->span = ast_span(word.span, b->last.span);
    s->keyword = word.span;
    s->name = INTERN_NONE;
    return s;
}

static void set_name(builder *b, ast_stmt *s, token name)
{
    if (!s || name.kind == 0) return;
    s->name = builder_name(b, name.span);
    s->name_span = name.span;
}

/* ---- lists of statements ------------------------------------------- */

stmt_list *ast_stmts(builder *b)
{
    stmt_list *list = builder_take(b, sizeof *list);
    if (!b->top) b->top = list;
    return list;
}

void ast_stmts_add(builder *b, stmt_list *list, ast_stmt *s)
{
    if (b->status || !s) return;
    if (!BUILDER_GROW(b, list->items, list->count)) return;
    list->items[list->count++] = s;
}

/* ---- equations -------------------------------------------------------- */

ast_stmt *ast_title(builder *b, token text)
{
    ast_stmt *s = make(b, AST_TITLE, text);
    if (s) s->doc = copy_text(b, text);
    return s;
}

ast_stmt *ast_label(builder *b, token name, ast_stmt *s)
{
    if (b->status) return NULL;
    set_name(b, s, name);
    s->span.begin = name.span.begin;
    s->keyword = name.span;
    return s;
}

ast_stmt *ast_equation(builder *b, ast_expr *left, token equals,
    ast_expr *right, ast_iters *suffix, token doc)
{
    if (b->status) return NULL;
    ast_stmt *s = make(b, AST_EQUATION, equals);
    if (!s) return NULL;
    s->span.begin = left->span.begin;
    s->keyword = left->span;
    s->left = left;
    s->right = right;
    s->iters = suffix;
    s->doc = copy_text(b, doc);
    return s;
}

ast_iters *ast_suffix(builder *b, token word, ast_iters *iters)
{
    if (b->status) return NULL;
    iters->span.begin = word.span.begin;
    return iters;
}

ast_iters *ast_where(builder *b, ast_iters *iters, ast_expr *condition)
{
    if (b->status) return NULL;
    iters->where = condition;
    iters->span.end = condition->span.end;
    return iters;
}

ast_iters *ast_iterlist(builder *b, ast_iters *list, ast_iter *iter)
{
    if (b->status) return NULL;
    if (!list) list = builder_take(b, sizeof *list);
    if (!list || !BUILDER_GROW(b, list->items, list->count)) return NULL;
    if (list->count == 0) list->span = iter->span;
    list->span.end = iter->span.end;
    list->items[list->count++] = *iter;
    return list;
}

ast_iter *ast_iterator(builder *b, token name, ast_iter *range)
{
    if (b->status) return NULL;
    range->name = builder_name(b, name.span);
    range->span.begin = name.span.begin;
    return range;
}

ast_iter *ast_range(builder *b, ast_expr *first, ast_expr *last, ast_expr *step)
{
    ast_iter *it = builder_take(b, sizeof *it);
    if (!it) return NULL;
    it->first = first;
    it->last = last;
    it->step = step;
    it->span = ast_span(first->span, step ? step->span : last->span);
    return it;
}

/* ---- blocks ------------------------------------------------------------ */

ast_stmt *ast_head(builder *b, ast_stmt_kind kind, token word, token name)
{
    if (b->status) return NULL;
    if (b->block_count >= AST_MAX_DEPTH) {
        builder_too_deep(b, word.span);
        return NULL;
    }
    b->blocks[b->block_count++] = word;
    ast_stmt *s = make(b, kind, word);
    set_name(b, s, name);
    return s;
}

ast_stmt *ast_for(builder *b, token word, ast_iters *iters)
{
    ast_stmt *s = ast_head(b, AST_FOR, word, ast_no_token());
    if (s) s->iters = iters;
    return s;
}

ast_ifhead ast_if_head(builder *b, token word, ast_expr *condition)
{
    ast_stmt *s = ast_head(b, AST_WHEN_IF, word, ast_no_token());
    return (ast_ifhead){s, condition};
}

static bool is_start(const builder *b, const ast_expr *e)
{
    return e->kind == AST_NAME
        && strcmp(intern_text(b->names, e->name), "start") == 0;
}

/* Takes `start` out of a condition, where it stands alone or beside `or`: false then,
 * or an or-chain of the others. Whether it was there. */
static bool take_start(const builder *b, ast_expr *e)
{
    if (is_start(b, e)) {
        e->kind = AST_BOOL;
        e->number = 0;
        return true;
    }
    if (e->kind != AST_CHAIN || e->ops[0] != AST_OR) return false;
    uint32_t left = 0;
    for (uint32_t k = 0; k < e->count; k++)
        if (!is_start(b, e->items[k])) e->items[left++] = e->items[k];
    const bool had_start = left < e->count;
    e->count = left;
    return had_start;
}

ast_stmt *ast_when(builder *b, token word, ast_expr *condition)
{
    ast_stmt *s = ast_head(b, AST_EVENT, word, ast_no_token());
    if (!s) return NULL;
    s->left = condition;
    if (condition) s->at_start = take_start(b, condition);
    return s;
}

ast_stmt *ast_branch_add(
    builder *b, ast_stmt *s, ast_expr *condition, stmt_list *body)
{
    if (b->status) return NULL;
    if (!BUILDER_GROW(b, s->branches, s->branch_count)) return NULL;
    s->branches[s->branch_count++] = (ast_branch){
        condition, body->items, body->count};
    return s;
}

ast_stmt *ast_block_end(builder *b, ast_stmt *s, stmt_list *body, token end)
{
    if (b->status) return NULL;
    b->block_count--;
    s->span.end = end.span.end;
    if (body) {
        s->body = body->items;
        s->body_count = body->count;
    }
    return s;
}

/* ---- what a `when` does ---------------------------------------------- */

ast_stmt *ast_assign(builder *b, ast_expr *left, ast_expr *right)
{
    if (b->status) return NULL;
    ast_stmt *s = make(b, AST_ASSIGN, b->last);
    if (!s) return NULL;
    s->span.begin = left->span.begin;
    s->keyword = left->span;
    s->left = left;
    s->right = right;
    return s;
}

ast_stmt *ast_text_act(builder *b, ast_stmt_kind kind, token word, token text)
{
    ast_stmt *s = make(b, kind, word);
    if (s) s->doc = copy_text(b, text);
    return s;
}

/* ---- declarations ------------------------------------------------------- */

static ast_stmt_kind declaration_kind(unsigned word)
{
    switch (word) {
    case TOKEN_PARAM: return AST_PARAM;
    case TOKEN_VAR: return AST_VAR;
    case TOKEN_LET: return AST_LET;
    case TOKEN_INPUT: return AST_INPUT;
    case TOKEN_OUTPUT: return AST_OUTPUT;
    case TOKEN_SPECIES: return AST_SPECIES;
    default: return AST_DISCRETE;
    }
}

ast_stmt *ast_declaration(builder *b, token word, ast_stmt *decls)
{
    if (b->status) return NULL;
    decls->kind = (uint8_t)declaration_kind(word.kind);
    decls->span = ast_span(word.span, b->last.span);
    decls->keyword = word.span;
    return decls;
}

ast_stmt *ast_decls(builder *b, ast_stmt *list, ast_decl *d)
{
    if (b->status) return NULL;
    if (!list) list = make(b, AST_PARAM, b->last);
    if (!list || !BUILDER_GROW(b, list->decls, list->decl_count)) return NULL;
    list->decls[list->decl_count++] = *d;
    return list;
}

ast_decl *ast_declare(builder *b, token name, ast_decl *dims, uint32_t primes,
    ast_init *value, ast_decl *attrs, token doc)
{
    ast_decl *d = builder_take(b, sizeof *d);
    if (!d) return NULL;
    d->name = builder_name(b, name.span);
    d->span = ast_span(name.span, b->last.span);
    d->name_span = name.span;
    d->primes = primes;
    if (dims) {
        d->dims = dims->dims;
        d->dim_count = dims->dim_count;
    }
    if (value) {
        d->value_kind = value->is_guess ? AST_GUESS : AST_CONDITION;
        d->value = value->right;
    }
    if (attrs) {
        d->attrs = attrs->attrs;
        d->attr_count = attrs->attr_count;
    }
    d->doc = copy_text(b, doc);
    return d;
}

ast_decl *ast_dims(builder *b, ast_decl *list, ast_dim *dim)
{
    if (b->status) return NULL;
    if (!list) list = builder_take(b, sizeof *list);
    if (!list || !BUILDER_GROW(b, list->dims, list->dim_count)) return NULL;
    list->dims[list->dim_count++] = *dim;
    return list;
}

ast_decl *ast_dims_end(builder *b, ast_decl *list, token closer)
{
    if (b->status) return NULL;
    list->span.end = closer.span.end;
    return list;
}

ast_dim *ast_dimension(builder *b, ast_expr *first, ast_expr *last)
{
    ast_dim *d = builder_take(b, sizeof *d);
    if (!d) return NULL;
    d->name = INTERN_NONE;
    d->first = first;
    d->last = last;
    d->span = ast_span(first ? first->span : last->span, last->span);
    return d;
}

ast_dim *ast_dimension_named(builder *b, token name, ast_iter *range)
{
    if (b->status) return NULL;
    ast_dim *d = ast_dimension(b, range->first, range->last);
    if (!d) return NULL;
    d->name = builder_name(b, name.span);
    d->step = range->step;
    d->span = ast_span(name.span, range->span);
    return d;
}

uint32_t ast_prime_count(builder *b, uint32_t count, token prime)
{
    (void)b;
    (void)prime;
    return count + 1;
}

ast_decl *ast_attrs(builder *b, ast_decl *list, ast_attr *attr)
{
    if (b->status) return NULL;
    if (!list) list = builder_take(b, sizeof *list);
    if (!list || !BUILDER_GROW(b, list->attrs, list->attr_count)) return NULL;
    list->attrs[list->attr_count++] = *attr;
    return list;
}

ast_attr *ast_attribute(builder *b, token name, ast_expr *value)
{
    ast_attr *a = builder_take(b, sizeof *a);
    if (!a) return NULL;
    a->name = builder_name(b, name.span);
    a->value = value;
    a->span = ast_span(name.span, value->span);
    return a;
}

ast_attr *ast_unit(builder *b, text_span span)
{
    ast_attr *a = builder_take(b, sizeof *a);
    if (!a) return NULL;
    a->name = INTERN_NONE;
    a->span = span;
    return a;
}

/* ---- initial conditions -------------------------------------------------- */

ast_init *ast_condition(
    builder *b, ast_expr *left, ast_expr *right, bool is_guess)
{
    ast_init *i = builder_take(b, sizeof *i);
    if (!i) return NULL;
    i->left = left;
    i->right = right;
    i->is_guess = is_guess;
    i->span = left ? ast_span(left->span, right->span) : right->span;
    return i;
}

ast_stmt *ast_inits(builder *b, ast_stmt *list, ast_init *init)
{
    if (b->status) return NULL;
    if (!list) list = make(b, AST_INIT, b->last);
    if (!list || !BUILDER_GROW(b, list->inits, list->init_count)) return NULL;
    list->inits[list->init_count++] = *init;
    return list;
}

ast_stmt *ast_init_stmt(
    builder *b, token word, ast_stmt *list, ast_iters *suffix)
{
    if (b->status) return NULL;
    list->span = ast_span(word.span, b->last.span);
    list->keyword = word.span;
    list->iters = suffix;
    return list;
}

/* ---- functions -------------------------------------------------------------- */

ast_stmt *ast_names(builder *b, ast_stmt *list, token name)
{
    if (b->status) return NULL;
    if (!list) list = make(b, AST_FUN, name);
    if (!list || !BUILDER_GROW(b, list->params, list->param_count)
        || !BUILDER_GROW(b, list->param_spans, list->param_count))
        return NULL;
    list->params[list->param_count] = builder_name(b, name.span);
    list->param_spans[list->param_count++] = name.span;
    return list;
}

static ast_stmt *make_fun(builder *b, token word, token name, ast_stmt *params)
{
    ast_stmt *s = make(b, AST_FUN, word);
    if (!s) return NULL;
    set_name(b, s, name);
    if (params) {
        s->params = params->params;
        s->param_spans = params->param_spans;
        s->param_count = params->param_count;
    }
    return s;
}

ast_stmt *ast_fun(builder *b, token word, token name, ast_stmt *params,
    ast_expr *result, token doc)
{
    ast_stmt *s = make_fun(b, word, name, params);
    if (!s) return NULL;
    s->result = result;
    s->doc = copy_text(b, doc);
    return s;
}

ast_stmt *ast_fun_head(builder *b, token word, token name, ast_stmt *params)
{
    ast_stmt *s = make_fun(b, word, name, params);
    if (!s || b->block_count >= AST_MAX_DEPTH) {
        builder_too_deep(b, word.span);
        return NULL;
    }
    b->blocks[b->block_count++] = word;
    return s;
}

ast_stmt *ast_fun_end(
    builder *b, ast_stmt *s, stmt_list *body, ast_expr *result, token end)
{
    if (b->status) return NULL;
    s->result = result;
    return ast_block_end(b, s, body, end);
}

/* ---- what comes later ----------------------------------------------------- */

ast_stmt *ast_later(builder *b, ast_stmt_kind kind, token word, token name)
{
    ast_stmt *s = make(b, kind, word);
    set_name(b, s, name);
    return s;
}

void ast_drop(builder *b, expr_list *list)
{
    if (list) builder_reuse(b, list);
}

ast_stmt *ast_connect(builder *b, token word, expr_list *ends)
{
    ast_drop(b, ends);
    return make(b, AST_CONNECT, word);
}

ast_stmt *ast_import(builder *b, token word, token file, token name)
{
    ast_stmt *s = ast_later(b, AST_IMPORT, word, name);
    if (s) s->doc = copy_text(b, file);
    return s;
}

/* ---- run control and checks ------------------------------------------------- */

ast_stmt *ast_solve(builder *b, token word, ast_iter *iter, ast_stmt *opts)
{
    if (b->status) return NULL;
    opts->span = ast_span(word.span, b->last.span);
    opts->keyword = word.span;
    opts->iter = iter;
    return opts;
}

ast_stmt *ast_options(builder *b)
{
    return make(b, AST_SOLVE, b->last);
}

ast_stmt *ast_option_add(
    builder *b, ast_stmt *list, token name, ast_expr *value)
{
    if (b->status) return NULL;
    if (!BUILDER_GROW(b, list->options, list->option_count)) return NULL;
    list->options[list->option_count++] = (ast_option){
        builder_name(b, name.span), value, ast_span(name.span, value->span)};
    return list;
}

ast_stmt *ast_plot(builder *b, token word, expr_list *list, ast_expr *over)
{
    ast_stmt *s = make(b, AST_PLOT, word);
    if (!s) return NULL;
    s->exprs = list->items;
    s->expr_count = list->count;
    s->over = over;
    builder_reuse(b, list);
    return s;
}

ast_stmt *ast_check(
    builder *b, ast_expr *left, ast_expr *right, ast_expr *within)
{
    ast_stmt *s = make(b, AST_EXPECT, b->last);
    if (!s) return NULL;
    s->left = left;
    s->right = right;
    s->within = within;
    return s;
}

ast_stmt *ast_at(builder *b, ast_place place, ast_expr *at)
{
    ast_stmt *s = make(b, AST_EXPECT, b->last);
    if (!s) return NULL;
    s->place = place;
    s->at = at;
    return s;
}

ast_stmt *ast_expect(builder *b, token word, ast_stmt *check, ast_stmt *place)
{
    if (b->status) return NULL;
    check->span = ast_span(word.span, b->last.span);
    check->keyword = word.span;
    if (place) {
        check->place = place->place;
        check->at = place->at;
    }
    return check;
}

ast_stmt *ast_expect_code(builder *b, token word, token code)
{
    ast_stmt *s = make(b, AST_EXPECT, word);
    if (s) s->code = copy_text(b, code);
    return s;
}
