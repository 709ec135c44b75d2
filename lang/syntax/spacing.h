/* How many spaces stand between two tokens of a line in canonical layout.
 * Where that is one, two or more that the user wrote are an alignment and
 * stay, but for those around the operators of an expression. */
#ifndef SYNTAX_SPACING_H
#define SYNTAX_SPACING_H

#include "syntax/token.h"
#include <stddef.h>

typedef struct spacing_item {
    token token;
    uint32_t newlines; /* before it */
    uint32_t spaces;   /* before it, where it is not first on its line */
    bool is_operand;   /* an operand can end with it */
    bool is_prefix;    /* a sign before its operand */
} spacing_item;

/* Sets `spaces` of all items. */
void spacing_set(const dae_source *source, spacing_item *items, size_t count);
/* Has the statement before the comment at `i` ended there? */
bool spacing_statement_ended(const spacing_item *items, size_t count, size_t i);

#endif
