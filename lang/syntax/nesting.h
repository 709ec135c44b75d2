/* How deep the text nests at a token: open brackets, `if`s inside an
 * expression, and runs of prefix operators, `^` and postfix operators. Seen
 * token by token, so that a text that nests too deep is told of at the place
 * where it does, before the parser's stack is full. */
#ifndef SYNTAX_NESTING_H
#define SYNTAX_NESTING_H

#include "syntax/ast.h"
#include "syntax/token.h"

typedef struct nesting_level {
    uint32_t base, ifs, prefixes, postfixes;
} nesting_level;

typedef struct nesting {
    nesting_level now; /* inside the innermost bracket */
    nesting_level outer[AST_MAX_DEPTH];
    uint32_t depth; /* open brackets */
    uint8_t last;   /* kind of the last token */
} nesting;

void nesting_start(nesting *n);
/* The depth with this token, at least 1; beyond AST_MAX_DEPTH the caller
 * stops. */
uint32_t nesting_count(nesting *n, token t);

#endif
