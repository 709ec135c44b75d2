/* Texts grown at random from productions of the grammar, in which the names
 * of another text occur. */
#ifndef FUZZ_GROW_H
#define FUZZ_GROW_H

#include "support/random.h"
#include <stdbool.h>
#include <stddef.h>

/* What can be grown. */
#define GROW_EXPRESSION 'e'
#define GROW_CONDITION 'c'
#define GROW_NUMBER 'k'
#define GROW_NAME 'n'
#define GROW_RANGE 'r'
#define GROW_SUFFIX 'x'
#define GROW_STATEMENT 's' /* lines, with their newlines */
#define GROW_MODEL 'm'     /* a small model that means something */
/* What mostly leaves a model that compiles: only declared names occur. */
#define GROW_TERM 'h'   /* an expression that has a value nearly everywhere */
#define GROW_MODEST 'j' /* a number of modest size */
#define GROW_MORE 'l'   /* lines that add as many equations as unknowns */
#define GROW_OPTION 'o' /* of a solve line, with its comma */

#define GROW_NAMES 64
typedef struct grower {
    random_state *random;
    const char *names[GROW_NAMES]; /* not ending in NUL */
    size_t lengths[GROW_NAMES], name_count;
    const char *declared[GROW_NAMES];
    size_t declared_lengths[GROW_NAMES], declared_count;
    bool is_array[GROW_NAMES]; /* of one dimension: used as name[1] */
    unsigned fresh;            /* number of a name that is new */
    char *text;
    size_t length, room; /* what does not fit is left out */
    unsigned depth;
} grower;

/* Appends one of the symbol's texts. */
void grow(grower *g, char symbol);

#endif
