/* Which newline ends a statement, and which word at a statement's beginning
 * is a name. The parser pulls its tokens from here: no comments, no newlines
 * but those that end a statement (TOKEN_NL, also made of `;`), never two of
 * them in a row, one before the end of the text. */
#ifndef SYNTAX_LAYOUT_H
#define SYNTAX_LAYOUT_H

#include "syntax/ast.h"
#include "syntax/scan.h"

typedef struct layout {
    scanner scan;
    token last;  /* handed out last */
    token ahead; /* to be handed out next, if has_ahead */
    bool has_ahead;
    bool at_start;    /* the next token begins a statement */
    bool is_skipping; /* after an error: brackets do not count until the
                         statement ends */
    uint8_t first;    /* kind of the statement's first token */
    uint32_t depth;   /* open brackets, also those beyond the limit */
    uint32_t open[AST_MAX_DEPTH]; /* where they are */
} layout;

void layout_start(layout *l, const dae_source *source, dae_diagnostics *ds);
/* Reads again from the beginning of a statement; reports nothing. */
void layout_start_at(layout *l, const dae_source *source, uint32_t offset);
token layout_next(layout *l);
/* Does the line that follows `t` hold a token of this kind outside brackets? */
bool layout_line_has(const layout *l, token t, unsigned kind);
/* After an error: the statement ends at the end of its line. */
void layout_skip(layout *l);
/* Hands `t` out again as the first token of a statement; the caller has
 * seen to it that the one before has ended. */
void layout_restart(layout *l, token t);
/* A declaration keyword, which at the start of a line always begins a
 * statement, whatever is open. */
bool layout_begins_declaration(unsigned kind);
/* That, or another word that begins a statement where `t` stands. */
bool layout_begins_statement(const layout *l, token t);

#endif
