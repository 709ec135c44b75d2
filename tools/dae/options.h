/* The commands and options of `dae`, a table of each: the reader of the command line
 * walks them, and --help, the man pages and what shells complete are printed from them
 * (tools/pages). */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "args.h"
#include <stddef.h>

typedef enum option_kind {
    OPTION_FLAG,         /* bool */
    OPTION_NUMBER,       /* double, any finite one */
    OPTION_POSITIVE,     /* double > 0 */
    OPTION_NOT_NEGATIVE, /* double >= 0 */
    OPTION_COUNT,        /* int64_t >= 1 */
    OPTION_TEXTS,        /* string_list */
    OPTION_NUMBERS,      /* number_list, with commas */
    OPTION_PAIRS,        /* pair_list, NAME=VALUE */
    OPTION_SHOW,         /* a bit of args.show, number in `where` */
    OPTION_WHEN,         /* tristate: the number of the word */
    OPTION_CHOICE,       /* const char *, one of the words of `value` */
    OPTION_TEXT,         /* const char * */
    OPTION_ATOL,
    OPTION_METHOD,
    OPTION_ORDER,
    OPTION_MEMORY,
    OPTION_MISSING,       /* known, not available yet */
    OPTION_MISSING_VALUE, /* the same, with a value */
} option_kind;

/* Under which heading help has it, in this order. */
typedef enum option_group {
    GROUP_OWN,
    GROUP_OUTPUT,
    GROUP_MODEL,
    GROUP_INTEGRATOR,
    GROUP_LIMITS,
    GROUP_REPORTS,
    GROUP_COUNT
} option_group;

/* Several of one name are of different commands. */
typedef struct option {
    const char *name; /* "--output" */
    const char
        *value; /* what stands for it; words to choose from have a | between
                        * them; NULL: it has none */
    option_kind kind;
    size_t where;      /* offset into args */
    const char *brief; /* "-o"; NULL: none */
    unsigned commands; /* that take it */
    option_group group;
    const char *help; /* NULL: not shown */
} option;

/* A command or topic of help. */
typedef struct topic {
    const char *name;
    command command;      /* NONE: a topic alone */
    const char *operands; /* "MODEL" */
    const char
        *summary;     /* NULL: another name, which nobody needs to be told of */
    const char *text; /* paragraphs, one a line; NULL: the overview */
    const char *exits; /* exit statuses, where they mean less than in general */
    const char *examples; /* one a line */
} topic;

extern const option options[];
extern const size_t option_count;
extern const topic topics[];
extern const size_t topic_count;
extern const char *const group_titles[GROUP_COUNT]; /* NULL: none */
extern const char overview_text[], exit_text[];

bool option_wants_value(const option *o);

#endif
