/* Another program, run with a text on its standard input; what it writes is
 * collected in memory. No shell, no files. */
#ifndef CHILD_H
#define CHILD_H

#include "limits.h"

typedef enum child_end {
    CHILD_DONE,    /* with exit status 0 */
    CHILD_MISSING, /* there is no such program on the PATH */
    CHILD_FAILED,  /* another exit status, or a signal */
    CHILD_LATE,    /* it took too long and was ended */
    CHILD_STOPPED, /* the command was told to end: the program was, too */
    CHILD_MEMORY,  /* no memory for what it writes */
    CHILD_BROKEN   /* it could not be begun: errno says why */
} child_end;

typedef struct child {
    char *out; /* what it wrote */
    size_t length, room;
    char complaint[512]; /* the last line on its standard error, "": none */
    int status;          /* of the exit, or -signal */
    int error;           /* CHILD_BROKEN: an errno */
} child;

/* Whether `name` is found on the PATH. */
bool child_exists(const char *name);
/* `words` ends in NULL; words[0] is looked up on the PATH. Ends the program
 * after `seconds`, or when `l` says so and did not at the beginning; a time
 * limit or a second signal that ends the command at once ends the program as
 * well. */
child_end child_run(child *c, const char *const *words, const char *input,
    size_t input_length, double seconds, limits *l);

#endif
