/* Tokens: their kinds, and how a kind is written. */
#ifndef SYNTAX_TOKEN_H
#define SYNTAX_TOKEN_H

#include "base/source.h"
#include "syntax/grammar.h" /* TOKEN_..., made from grammar.y */
#include <stdbool.h>

/* Kinds that the grammar does not see, beside those made from it. */
enum {
    TOKEN_END_OF_TEXT = 0,
    TOKEN_NEWLINE = 240,
    TOKEN_COMMENT = 241 /* from `#` to before the newline */
};

typedef struct token {
    text_span span;
    uint8_t kind;
    bool is_first; /* of its line */
    bool begins;   /* a statement */
} token;

/* How a kind is written: `param`, `=`; a phrase for names, numbers, texts. */
const char *token_spelling(unsigned kind);
/* The name of a kind in listings: "PARAM". */
const char *token_name(unsigned kind);
/* A word of the language, reserved or not. */
bool token_is_word(unsigned kind);
/* A word that may also be a name where the grammar does not want it. */
bool token_is_contextual(unsigned kind);

/* The inside of a text token, without its quotes; borrowed from the source. */
const char *token_text(const dae_source *source, token t, uint32_t *length);

#endif
