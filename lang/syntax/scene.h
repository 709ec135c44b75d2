/* A wrong statement read once more up to the token that the grammar refused:
 * what the messages about it ask for. */
#ifndef SYNTAX_SCENE_H
#define SYNTAX_SCENE_H

#include "syntax/parser.h"

typedef struct scene {
    token found;        /* the refused one */
    token first;        /* of the statement, after a label */
    token last, before; /* the two tokens before it; kind 0: none */
    token equals;       /* first `=` outside brackets; kind 0: none */
    token compares;     /* first `==` outside brackets; kind 0: none */
    token dangling;     /* the operator that made the line before go on, where
                           the refused token stands on the next; kind 0 */
    bool has_then;
    uint32_t count;       /* tokens before the refused one */
    uint32_t depth;       /* open brackets there */
    uint32_t open;        /* offset of the innermost */
    bool is_strict_start; /* the refused one begins the statement */
} scene;

/* Fills `s`, and p->work with the states before the refused token. */
void scene_read(parser *p, token found, scene *s);
/* Could a token of this kind, as written, stand at the place? */
bool scene_accepts(parser *p, unsigned kind);
/* The kinds that could, as words: "`]`, `,` or an operator". */
void scene_expected(parser *p, char *text, size_t size);

#endif
