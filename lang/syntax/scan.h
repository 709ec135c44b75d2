/* Tokens and the scanner that finds them one by one. The scanner knows no
 * lines: it gives newlines and comments as tokens, and `layout` decides which
 * newline ends a statement. Faults are reported once each, and the token that
 * was most likely meant is given instead, so that the parser can go on. */
#ifndef SYNTAX_SCAN_H
#define SYNTAX_SCAN_H

#include "syntax/token.h"
#include <dae/diag.h>

typedef struct scanner {
    const dae_source *source;
    dae_diagnostics *ds; /* NULL: faults are not reported */
    uint32_t at;         /* offset of the next byte */
    uint32_t faults;     /* found so far */
    uint32_t sign;       /* where the last strange sign was, plus 1 */
    uint32_t fault;      /* where the last fault of any kind was, plus 1 */
    uint32_t unclosed;   /* no strange quote is closed before here */
} scanner;

/* Starts at the first byte, past a byte order mark. What is wrong with the
 * encoding (E0104) is reported here for the whole text. */
void scan_start(scanner *s, const dae_source *source, dae_diagnostics *ds);
/* The next token; TOKEN_END_OF_TEXT at the end, again and again. */
token scan_token(scanner *s);

#endif
