/* What is said about a token that cannot stand where it stands. */
#ifndef SYNTAX_COMPLAIN_H
#define SYNTAX_COMPLAIN_H

#include "syntax/parser.h"

/* What the first line of a wrong statement would have opened. */
typedef enum opened {
    OPENED_NOTHING,
    OPENED_STATEMENTS, /* a block of statements: its `end` will come */
    OPENED_OTHER,      /* `when`, `reactions`: lines of another kind */
    OPENED_ROWS,       /* `;` inside brackets: the line holds the rest */
    OPENED_ROWS_AND_STATEMENTS /* `for (i = 0; ...)` */
} opened;

/* Reports the token that the grammar refused (E0102, E0108): what was found,
 * what could have stood there, and what was most likely meant. */
opened complain(parser *p, token t);
/* An `end` that closes a function before its `return`. */
bool complain_is_fun_end(const parser *p, token t);
/* Reports a block that is still open where the text ends, or where `t`
 * begins what cannot stand in it (E0107). */
void complain_open_block(parser *p, token t);
/* Reports a statement between the `return` of a function and its `end`. */
void complain_after_return(parser *p, token t);
/* Reports what follows `end` on its line. */
void complain_after_end(parser *p, token t);

#endif
