/* What the grammar's actions call: they make the nodes of the tree. Every
 * ast_* function may be called after a failure (`status` is set) and does
 * nothing then; nodes live in the arena. Lists grow in place; a NULL list is
 * an empty one. A function that takes a list uses it up. */
#ifndef SYNTAX_BUILD_H
#define SYNTAX_BUILD_H

#include "syntax/ast.h"
#include "syntax/token.h"
#include <dae/diag.h>

typedef struct stmt_list {
    ast_stmt **items;
    uint32_t count;
} stmt_list;
typedef struct expr_list {
    ast_expr **items;
    uint32_t *names; /* NULL: none is named */
    uint32_t count;
    text_span name_span;    /* of the first named one */
    struct expr_list *next; /* of those to be used again */
} expr_list;
typedef struct ast_arg {
    token name; /* kind 0: none */
    ast_expr *value;
} ast_arg;
typedef struct ast_ifhead {
    ast_stmt *stmt;
    ast_expr *expr;
} ast_ifhead;

typedef struct builder {
    const dae_source *source;
    arena *arena;
    intern_table *names;
    dae_diagnostics *ds;
    dae_status status; /* the first failure; ends the parse */
    uint32_t errors;
    token last;    /* shifted last */
    token mistake; /* the token that the grammar refused */
    bool has_mistake;
    stmt_list *top; /* statements of the file */
    ast_expr *only; /* parse_expression: the expression */
    expr_list *spare;
    uint32_t block_count;
    token blocks[AST_MAX_DEPTH]; /* first words of the open blocks */
} builder;

void builder_mistake(builder *b, token t);
void builder_too_deep(builder *b, text_span at);
/* A zeroed block of the arena, or NULL with `status` set. */
void *builder_take(builder *b, size_t size);
/* Room for one item more behind `count` items of a list that grows by
 * doubling; false with `status` set. */
bool builder_grow(builder *b, void **items, uint32_t count, size_t size);
#define BUILDER_GROW(b, items, count)                                          \
    builder_grow((b), (void **)&(items), (count), sizeof *(items))
uint32_t builder_name(builder *b, text_span span);
/* A list that is used up gives its frame back. */
void builder_reuse(builder *b, expr_list *list);

token ast_no_token(void);
text_span ast_span(text_span first, text_span last);

stmt_list *ast_stmts(builder *b);
void ast_stmts_add(builder *b, stmt_list *list, ast_stmt *s);

ast_stmt *ast_title(builder *b, token text);
ast_stmt *ast_label(builder *b, token name, ast_stmt *s);
ast_stmt *ast_equation(builder *b, ast_expr *left, token equals,
    ast_expr *right, ast_iters *suffix, token doc);
ast_iters *ast_suffix(builder *b, token word, ast_iters *iters);
ast_iters *ast_where(builder *b, ast_iters *iters, ast_expr *condition);
ast_iters *ast_iterlist(builder *b, ast_iters *list, ast_iter *iter);
ast_iter *ast_iterator(builder *b, token name, ast_iter *range);
ast_iter *ast_range(
    builder *b, ast_expr *first, ast_expr *last, ast_expr *step);

/* Blocks: a head opens one, ast_block_end closes it. */
ast_stmt *ast_head(builder *b, ast_stmt_kind kind, token word, token name);
ast_stmt *ast_for(builder *b, token word, ast_iters *iters);
ast_ifhead ast_if_head(builder *b, token word, ast_expr *condition);
ast_stmt *ast_when(builder *b, token word, ast_expr *condition);
ast_stmt *ast_branch_add(
    builder *b, ast_stmt *s, ast_expr *condition, stmt_list *body);
ast_stmt *ast_block_end(builder *b, ast_stmt *s, stmt_list *body, token end);

/* What a `when` does. `stop` may have no text. */
ast_stmt *ast_assign(builder *b, ast_expr *left, ast_expr *right);
ast_stmt *ast_text_act(builder *b, ast_stmt_kind kind, token word, token text);

/* Declarations gather in a statement, the parts of one in an ast_decl. */
ast_stmt *ast_declaration(builder *b, token word, ast_stmt *decls);
ast_stmt *ast_decls(builder *b, ast_stmt *list, ast_decl *d);
ast_decl *ast_declare(builder *b, token name, ast_decl *dims, uint32_t primes,
    ast_init *value, ast_decl *attrs, token doc);
ast_decl *ast_dims(builder *b, ast_decl *list, ast_dim *dim);
ast_decl *ast_dims_end(builder *b, ast_decl *list, token closer);
ast_dim *ast_dimension(builder *b, ast_expr *first, ast_expr *last);
ast_dim *ast_dimension_named(builder *b, token name, ast_iter *range);
uint32_t ast_prime_count(builder *b, uint32_t count, token prime);
ast_decl *ast_attrs(builder *b, ast_decl *list, ast_attr *attr);
ast_attr *ast_attribute(builder *b, token name, ast_expr *value);
ast_attr *ast_unit(builder *b, text_span span);

/* left may be NULL: the value of a declaration. */
ast_init *ast_condition(
    builder *b, ast_expr *left, ast_expr *right, bool is_guess);
ast_stmt *ast_inits(builder *b, ast_stmt *list, ast_init *init);
ast_stmt *ast_init_stmt(
    builder *b, token word, ast_stmt *list, ast_iters *suffix);

ast_stmt *ast_names(builder *b, ast_stmt *list, token name);
ast_stmt *ast_fun(builder *b, token word, token name, ast_stmt *params,
    ast_expr *result, token doc);
ast_stmt *ast_fun_head(builder *b, token word, token name, ast_stmt *params);
ast_stmt *ast_fun_end(
    builder *b, ast_stmt *s, stmt_list *body, ast_expr *result, token end);

/* Statements of which only the place and a name are kept. */
ast_stmt *ast_later(builder *b, ast_stmt_kind kind, token word, token name);
ast_stmt *ast_connect(builder *b, token word, expr_list *ends);
ast_stmt *ast_import(builder *b, token word, token file, token name);
void ast_drop(builder *b, expr_list *list);

ast_stmt *ast_solve(builder *b, token word, ast_iter *iter, ast_stmt *opts);
ast_stmt *ast_options(builder *b);
ast_stmt *ast_option_add(
    builder *b, ast_stmt *list, token name, ast_expr *value);
ast_stmt *ast_plot(builder *b, token word, expr_list *list, ast_expr *over);
ast_stmt *ast_check(
    builder *b, ast_expr *left, ast_expr *right, ast_expr *within);
ast_stmt *ast_at(builder *b, ast_place place, ast_expr *at);
ast_stmt *ast_expect(builder *b, token word, ast_stmt *check, ast_stmt *place);
ast_stmt *ast_expect_code(builder *b, token word, token code);

ast_expr *ast_number(builder *b, token t);
ast_expr *ast_bool(builder *b, token t, bool value);
ast_expr *ast_string(builder *b, token t);
ast_expr *ast_name(builder *b, token t);
ast_expr *ast_parens(builder *b, token open, ast_expr *e, token close);
ast_expr *ast_unary(
    builder *b, ast_expr_kind kind, token op, ast_expr *operand);
ast_expr *ast_binary(builder *b, ast_op op, ast_expr *left, ast_expr *right);
/* Joins `right` to the chain `left`, or begins one. */
ast_expr *ast_chain(builder *b, ast_op op, ast_expr *left, ast_expr *right);
ast_expr *ast_if(builder *b, token word, ast_expr *condition, ast_expr *value,
    expr_list *elifs, ast_expr *otherwise);
ast_expr *ast_prime(builder *b, ast_expr *e, token prime);
ast_expr *ast_field(builder *b, ast_expr *e, token name);
ast_expr *ast_vector(builder *b, token open, expr_list *items, token close);
ast_expr *ast_call(builder *b, ast_expr *callee, expr_list *args, token close);
ast_expr *ast_index(builder *b, ast_expr *array, expr_list *items, token close);
ast_expr *ast_colon(builder *b, token t);
ast_expr *ast_index_range(builder *b, ast_expr *first, ast_expr *last);
expr_list *ast_comprehension(
    builder *b, ast_expr *e, token word, ast_iters *iters);
ast_arg ast_argument(token name, ast_expr *value);
expr_list *ast_args(builder *b, expr_list *list, ast_arg arg);
expr_list *ast_list(builder *b, expr_list *list, ast_expr *e);

#endif
