/* The command line, read into one struct. An option that this version knows
 * of but cannot serve is an error, never ignored. */
#ifndef ARGS_H
#define ARGS_H

#include <dae/model.h>
#include <dae/solver.h>
#include <stdbool.h>
#include <stdio.h>

typedef enum command {
    COMMAND_NONE = 0,
    COMMAND_RUN = 1,
    COMMAND_INIT = 2,
    COMMAND_TEST = 4,
    COMMAND_SHOW = 8,
    COMMAND_FMT = 16,
    COMMAND_EXPLAIN = 32,
    COMMAND_HELP = 64,
    COMMAND_VERSION = 128,
    COMMAND_CHECK = 256,
    COMMAND_STABILITY = 512,
    COMMAND_ORDERS = 1024,
} command;

/* Answers of --color and --progress. */
typedef enum tristate { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER } tristate;

typedef struct string_list {
    const char **items;
    size_t count;
} string_list;

typedef struct pair_list {
    dae_override *items;
    size_t count;
} pair_list;

typedef struct number_list {
    double *items;
    size_t count;
} number_list;

/* Numbers are NaN, counts and texts 0 or NULL where not given. */
typedef struct args {
    command command;
    bool wants_help;
    string_list paths, outputs, drifts, overlays;
    pair_list sets, atols; /* --set; --atol NAME=VALUE */
    pair_list perturbs;    /* --perturb NAME=VALUE */
    number_list times;     /* --at of `dae run` */
    double from, to, rtol, atol, first_step, max_step, every;
    double at, step;
    double time_limit; /* seconds */
    int64_t max_steps, points, repeat;
    size_t memory_limit; /* bytes */
    int order;
    const char *method;
    const char *methods; /* a list, with commas */
    const char *orders, *steps, *pattern, *tolerances, *study;
    const char *start, *linear, *reduce, *error, *check_atol, *condense,
        *native;
    const char *columns, *plot; /* lists of names, with commas */
    const char *profile;        /* the same, or "A,B over X" */
    bool all_values;
    bool all_steps, estimate_error, no_times, stats, why, quiet, json, strict;
    bool events;    /* --events */
    bool untrusted; /* and with it limits, where none below them is given */
    bool as_dae, check_only, verbose, homotopy;
    unsigned show; /* bit 1 << dae_show for each listing asked for */
    bool show_structure;
    bool show_reduced;   /* instead of the equations as they stand */
    bool show_condensed; /* instead of the Jacobian alone */
    tristate color, progress;
    bool is_out_of_memory; /* args_parse failed for this reason */
} args;

/* Reads the words after the program's name. On false a message about the
 * wrong use has been written to `errors`. */
bool args_parse(args *a, int argc, char **argv, FILE *errors);
/* A name of a file that has this ending, and something before it. */
bool args_ends_in(const char *path, const char *ending);
/* A choice that was made, and that is this one. */
bool args_choose(const char *given, const char *word);
/* One of the files of -o is `-`. */
bool args_write_to_stdout(const args *a);
/* A whole text as a finite number, a count. */
bool parse_number(const char *text, double *value);

#endif
