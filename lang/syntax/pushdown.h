/* The automaton that Lemon makes of grammar.y, seen from outside. Its states
 * can be copied and fed without actions: so a message says what could have
 * stood at a place, computed from the tables. Defined in grammar.y. */
#ifndef SYNTAX_PUSHDOWN_H
#define SYNTAX_PUSHDOWN_H

#include "syntax/build.h"
#include <stddef.h>

/* Entries of the stack. The parser lets nest AST_MAX_DEPTH brackets, prefix
 * operators and ifs, and as many blocks (5 entries each); one level of nesting
 * holds at most a dozen entries where it uses every precedence, so only a text
 * made for it gets here, and is told that it nests too deep. */
#define PUSHDOWN_DEPTH 16000

typedef struct pushdown_states {
    uint32_t count;
    uint16_t items[PUSHDOWN_DEPTH];
} pushdown_states;

/* Bytes of a machine. */
size_t pushdown_size(void);
void pushdown_start(void *machine, builder *b);
/* One token; the kind 0 ends the text. */
void pushdown_feed(void *machine, token t);
/* The next mistake is reported, however soon it comes. */
void pushdown_recovered(void *machine);

void pushdown_states_take(pushdown_states *to, const void *machine);
/* Feeds a kind to states alone; false where it cannot stand there. `strict`:
 * a contextual word does not become a name. Where it is false, the states
 * are no longer meaningful. */
bool pushdown_states_feed(pushdown_states *s, unsigned kind, bool strict);

#endif
