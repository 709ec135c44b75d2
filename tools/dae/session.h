/* One model through a solving command: compiled, set up, watched, solved.
 * `dae run` and `dae test` differ in what they say about it. */
#ifndef SESSION_H
#define SESSION_H

#include "args.h"
#include "check.h"
#include "command.h"
#include "limits.h"
#include "messages.h"
#include "watch.h"
#include "why.h"
#include <dae/run.h>

/* A model from a path or from standard input. */

/* A whole file, "-" for standard input. The text ends in a NUL and is
 * the session's. A failure is in `m`. */
dae_status load_text(
    const char *path, messages *m, char **text, size_t *length);
/* The name that diagnostics give the path. */
const char *load_display_name(const char *path);
/* Compiles with the overrides of the command line. *singular gets the reason
 * where the structure is singular (dae_singular_free); NULL: not wanted. */
dae_status load_model(const args *a, const char *path, limits *l, messages *m,
    dae_model **model, dae_singular **singular);

/* One line on a terminal for runs that take more than two seconds. */

typedef struct progress {
    const dae_run *run;
    bool enabled, shown;
    double began, next; /* clock at the start, and when to write again */
} progress;

typedef struct run_seconds {
    double compile, analyse, initialize, solve;
    bool has_solve;
} run_seconds;

typedef struct session {
    const args *args;
    limits limits;
    messages messages;
    dae_model *model;       /* NULL: it did not compile */
    dae_singular *singular; /* why, where that is its structure */
    check check;            /* made by session_check */
    dae_run *run;           /* set up where `has_run` */
    watch watch;
    progress progress;
    why_log why; /* with --why */
    dae_verdicts counts;
    run_seconds seconds;
    bool has_run, has_watch, completed;
    bool is_shown; /* the run at hand is the one that is watched */
    size_t mark;   /* where its memory begins */
    dae_status status;
} session;

/* Begins to count and to listen, without a model. False: no memory. */
bool session_begin(session *s, const args *a);
/* Compiles the model at `path`. The status is in the session. */
bool session_open(session *s, const args *a, const char *path);
/* The same of a session that has begun. */
bool session_load(session *s, const char *path);
/* Sets the run up and computes the consistent start; the same in parts. */
void session_start(session *s);
void session_set_up(session *s);
void session_begin_run(session *s);
/* Analyses the model, `skip_start`: its structure alone. */
void session_analyse(session *s, bool skip_start);
/* Analyses without solving, and checks what the model expects of its structure;
 * the status says what was found. */
void session_check(session *s);
/* Solves to the end with everything that watches, checks the expectations. */
void session_solve(session *s, bool draws);
void session_close(session *s);
/* A listing of what a run has at its start: everything from opening to closing,
 * with the messages. */
exit_status session_show(const args *a, dae_status (*show)(session *));
/* What ends a listing: with --json the messages as a document, then for reading;
 * closes the session. */
exit_status session_end_show(session *s, const args *a);
/* The model's name, also where it did not compile. */
void session_name(const session *s, const char *path, char *text, size_t size);
const char *session_status_text(const session *s);
/* What a `stop` has said: a line; the member "stop". */
void session_print_stop(session *s, FILE *file);
void session_json_stop(session *s, json *j);
/* The members "model" and "status", which documents of models begin with. */
void session_json_head(const session *s, json *j);
int session_exit(const session *s);
/* What ends a command: what was written goes out, the messages after it; closes the
 * session. */
exit_status session_end(session *s);
/* Adds what the library's diagnostics do not say of limits. */
void session_explain_stop(session *s);
/* The run ended by its own verdict: no limit, no signal and no file that could not be
 * written ended it. */
bool session_is_whole(const session *s);
/* No time is left, and all values would take long to write. */
bool session_is_late(const session *s);

#endif
