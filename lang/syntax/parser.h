/* One parse: the machine that Lemon makes, the lines it is fed from, and what
 * is needed to say what is wrong. Private to syntax. */
#ifndef SYNTAX_PARSER_H
#define SYNTAX_PARSER_H

#include "syntax/build.h"
#include "syntax/layout.h"
#include "syntax/nesting.h"
#include "syntax/pushdown.h"

typedef struct parser {
    builder build;
    layout lines;
    nesting nest;
    token first;         /* of the statement being read */
    layout again;        /* the statement read once more, by complain */
    uint32_t last_error; /* where the last one was, to report it once */
    uint32_t orphans;    /* ends whose blocks' first lines were wrong */
    void *machine;
    pushdown_states start;       /* before that token */
    pushdown_states work, trial; /* of complain */
} parser;

#endif
