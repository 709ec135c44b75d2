/* The tree of a model's text. Nodes live in the model arena, carry spans of
 * bytes in one dae_source, and hold interned names. The parser makes it,
 * `sema` reads it; nobody changes it. Depth is limited to AST_MAX_DEPTH (a
 * deeper text is an error of the parser), so readers may recurse over it;
 * left-leaning chains of operators of one precedence (a + b + c + ...) are
 * not deep: they are one AST_CHAIN node. Statements nest as deep at most, and
 * what a statement holds counts from there. */
#ifndef SYNTAX_AST_H
#define SYNTAX_AST_H

#include "base/arena.h"
#include "base/intern.h"
#include "base/source.h"
#include <stdbool.h>

#define AST_MAX_DEPTH 1000

typedef enum ast_expr_kind {
    AST_NUMBER, /* number */
    AST_BOOL,   /* number 0 or 1 */
    AST_STRING, /* name: interned text without quotes; only as argument */
    AST_NAME,   /* name */
    AST_FIELD,  /* a.name */
    AST_NEG,    /* -a */
    AST_PLUS,   /* +a */
    AST_NOT,    /* not a */
    AST_CHAIN,  /* items joined by ops: + - or * / , left to right; also
                    and-chains and or-chains */
    AST_BINARY, /* a op b: ^ and comparisons */
    AST_IF,     /* items: condition, value, condition, value, ..., else */
    AST_PRIME,  /* a with `number` primes */
    AST_CALL,   /* a(items); names[k] set where an argument is named */
    AST_INDEX,  /* a[items]; an item may be AST_COLON or AST_RANGE */
    AST_COLON,  /* : inside an index */
    AST_RANGE,  /* items[0] .. items[1], only inside an index */
    AST_VECTOR, /* [items] */
    AST_COMPREHENSION, /* a call's or vector's single argument
                          "e for i in ...": a is e, iters is set; it stands
                          as the only item of AST_CALL or AST_VECTOR */
    AST_ERROR          /* what could not be parsed; already reported */
} ast_expr_kind;

typedef enum ast_op {
    AST_ADD,
    AST_SUB,
    AST_MUL,
    AST_DIV,
    AST_POW,
    AST_LT,
    AST_LE,
    AST_GT,
    AST_GE,
    AST_EQ,
    AST_NE,
    AST_AND,
    AST_OR,
    AST_TILDE
} ast_op;

typedef struct ast_expr ast_expr;
typedef struct ast_iter { /* name in first..last step */
    uint32_t name;
    text_span span;
    ast_expr *first, *last, *step; /* step NULL: 1 */
} ast_iter;
typedef struct ast_iters {
    ast_iter *items;
    uint32_t count;
    ast_expr *where; /* NULL: none */
    text_span span;
} ast_iters;

/* One cache line each: a text of a million lines makes ten million of them.
 * Fields that a kind does not use are zero, but for the union. */
struct ast_expr {
    uint8_t kind;   /* ast_expr_kind */
    uint8_t op;     /* ast_op, BINARY */
    uint16_t depth; /* of the tree below, 1 for a leaf */
    uint32_t count; /* of items */
    text_span span; /* with its parentheses */
    uint32_t name;  /* interned; NAME, FIELD, STRING */
    /* Scratch for sema: what a NAME resolved to; the parser leaves 0. */
    uint32_t symbol;
    double number; /* NUMBER, BOOL; PRIME: how many */
    ast_expr *a, *b;
    ast_expr **items;
    union {
        uint8_t *ops;     /* CHAIN: ops[k] stands before items[k]; ops[0]
                             unused but equals AST_ADD or AST_MUL or AST_AND
                             or AST_OR */
        uint32_t *names;  /* CALL: name of item k or INTERN_NONE; NULL: none */
        ast_iters *iters; /* COMPREHENSION */
    };
};

typedef struct ast_dim { /* [size], [first..last], [name in first..last] */
    uint32_t name;       /* INTERN_NONE: no binder */
    ast_expr *first, *last, *step; /* a plain size: first NULL, last = size */
    text_span span;
} ast_dim;
typedef struct ast_attr {
    uint32_t name;   /* min, max, nominal, atol, state, ...; INTERN_NONE:
                        this is the unit */
    ast_expr *value; /* NULL for the unit */
    text_span span;  /* the unit's text is the source at this span */
} ast_attr;
typedef enum ast_value_kind {
    AST_NO_VALUE,
    AST_CONDITION,
    AST_GUESS
} ast_value_kind;
typedef struct ast_decl {
    uint32_t name;
    text_span span, name_span;
    ast_dim *dims;
    uint32_t dim_count;
    uint32_t primes;           /* var x' = 1 in a declaration; 0 usually */
    ast_value_kind value_kind; /* = or ~ */
    ast_expr *value;
    ast_attr *attrs;
    uint32_t attr_count;
    const char *doc; /* without quotes, NULL: none */
} ast_decl;

typedef enum ast_stmt_kind {
    AST_TITLE,    /* doc */
    AST_EQUATION, /* label, left, right, iters, doc */
    AST_FOR,      /* iters, body */
    AST_WHEN_IF,  /* compile-time if: conditions and branches */
    AST_PARAM,
    AST_VAR,
    AST_LET,
    AST_INPUT,
    AST_OUTPUT,   /* decls */
    AST_INIT,     /* inits, iters */
    AST_FUN,      /* name, params, body (equations name = expr, read as local
                     definitions), result */
    AST_SOLVE,    /* iter, options */
    AST_PLOT,     /* exprs, over */
    AST_EXPECT,   /* left ~ right within ..., or left alone (a relation),
                     place; or code */
    AST_DISCRETE, /* decls */
    AST_EVENT,    /* when: left is the condition, the body what is done */
    AST_ASSIGN,   /* left := right; in the body of a `when` only, as */
    AST_STOP,     /* doc, NULL: none */
    AST_PRINT,    /* doc */
    /* parsed, kept and reported as "not available yet" by sema */
    AST_SPECIES,
    AST_REACTIONS,
    AST_MODEL,
    AST_PORT,
    AST_USE,
    AST_CONNECT,
    AST_IMPORT
} ast_stmt_kind;

typedef struct ast_init { /* left = right, or left ~ right */
    ast_expr *left, *right;
    bool is_guess;
    text_span span;
} ast_init;
typedef struct ast_option { /* solve's name = value */
    uint32_t name;
    ast_expr *value; /* AST_STRING for texts */
    text_span span;
} ast_option;
typedef struct ast_branch { /* condition NULL: else */
    ast_expr *condition;
    struct ast_stmt **body;
    uint32_t count;
} ast_branch;
typedef enum ast_place {
    AST_PLACE_NONE,
    AST_PLACE_AT,
    AST_PLACE_ALWAYS,
    AST_PLACE_FINAL
} ast_place;

typedef struct ast_stmt {
    uint8_t kind; /* ast_stmt_kind */
    text_span span;
    text_span keyword; /* the statement's first word */
    uint32_t name;     /* label of an equation or event, name of a
                                function or component; INTERN_NONE: none */
    text_span name_span;
    ast_expr *left, *right; /* EQUATION, ASSIGN; EXPECT: left ~ right */
    ast_expr *within, *at;  /* EXPECT */
    ast_place place;
    const char *code; /* EXPECT "E0301" */
    ast_iters *iters; /* suffix or for-header; NULL: none */
    ast_decl *decls;
    uint32_t decl_count;
    ast_init *inits;
    uint32_t init_count;
    uint32_t *params; /* FUN: names */
    text_span *param_spans;
    uint32_t param_count;
    ast_expr *result;       /* FUN: = expr, or return expr */
    bool at_start;          /* EVENT: its condition had `start` */
    struct ast_stmt **body; /* FOR, FUN, EVENT */
    uint32_t body_count;
    ast_branch *branches; /* WHEN_IF */
    uint32_t branch_count;
    ast_iter *iter; /* SOLVE */
    ast_option *options;
    uint32_t option_count;
    ast_expr **exprs; /* PLOT */
    uint32_t expr_count;
    ast_expr *over; /* PLOT */
    const char *doc;
} ast_stmt;

typedef struct ast_file {
    const dae_source *source;
    intern_table *names;
    ast_stmt **stmts;
    uint32_t count;
} ast_file;

#endif
