/* The files that a command writes, pictures and models included: whole or not there.
 *
 * What is written stands in a file beside the target until it is whole: then it is
 * synced and takes the target's place. Where something ends it before (a full disk, a
 * signal, a limit), the target stays as it was, and what was computed is kept beside
 * it as `result.partial.csv`, up to the last mark. A link is written through, the
 * permissions of an old file are kept, and what is no regular file (a pipe, a device,
 * the standard output) is written as it comes. */
#ifndef RESULT_FILE_H
#define RESULT_FILE_H

#include "messages.h"
#include <dae/model.h>

/* How a file is written. */
typedef enum result_kind {
    RESULT_ROWS,    /* piece by piece: worth something without its end */
    RESULT_PICTURE, /* at once: worth something where what it shows is not whole */
    RESULT_TEXT /* the user's own: nothing but the whole, and nothing beside it */
} result_kind;

enum { RESULT_MARKS = 512 };

typedef struct result_file {
    const char *name; /* as the user gave it; borrowed; NULL: nothing is open */
    result_kind kind;
    char *path;   /* the target, links resolved */
    char *beside; /* what is written; NULL: the target itself */
    char *
        older; /* what an earlier run has left as `beside`, until clear; NULL: none */
    const char *closing; /* makes a document of what is there at a mark */
    char *buffer;        /* what comes behind the first `buffered` bytes */
    size_t waiting;      /* bytes in it */
    int64_t buffered;
    int64_t
        written; /* bytes of the file, `buffered` or, while it is emptied, more */
    int64_t marks
        [RESULT_MARKS]; /* bytes up to each, from the last one of the file on */
    size_t mark_count;
    int64_t head;            /* of rows the first mark of all; else 0 */
    bool has_rows;           /* the last one is another */
    double flushed;          /* console_clock */
    int descriptor;          /* -1: closed */
    int error;               /* an errno of the first failure, 0: none */
    bool is_input, is_twice; /* why it was refused */
    bool is_kept; /* `beside` stays, since the target could not be made */
    struct result_file *next; /* of the open ones */
} result_file;

/* These files are read beside what the model reads, and not written; borrowed. */
void result_files_keep(const char *const *names, size_t count);
/* Whether the file may be written at all: DAE_IO, with E0002, where it cannot be, or
 * where it is read, by the model (NULL: none) or beside it. */
dae_status result_file_expect(
    const char *name, const dae_model *model, messages *m);
/* Opens what stands beside the target. It stays where it is in memory until it is
 * closed. `closing` is a literal. Here and below: false, with `error`, after the first
 * failure. */
bool result_file_open(result_file *f, const char *name, result_kind kind,
    const char *closing, const dae_model *model);
/* A dae_write_fn whose context is the file. */
int result_file_write(void *file, const char *bytes, size_t length);
/* What is written up to here is worth keeping: a row, a head. */
void result_file_mark(result_file *f);
/* The same of the last bytes: nothing closes it any more. */
void result_file_end(result_file *f);
/* Whether there is more than a head to be kept. */
bool result_file_has_rows(const result_file *f);
/* Closes. Whole, it takes the target's place; else what it has stays beside it, and
 * `beside` is the name of that. */
bool result_file_finish(result_file *f, bool is_whole);
/* Closes and leaves nothing behind, unless it is kept. Also after nothing was opened. */
void result_file_clear(result_file *f);
/* The failure as E0002: DAE_IO, DAE_MEMORY; DAE_INTERRUPTED without a message. */
dae_status result_file_refuse(const result_file *f, messages *m);
/* Where the rest is, as E0008. */
void result_file_tell_kept(const result_file *f, messages *m);

/* A text as a file, opened, written and finished; tells what failed and where a text
 * that is not whole is. */
dae_status result_file_put(const char *name, result_kind kind,
    const char *bytes, size_t length, bool is_whole, messages *m);

/* To be called before a signal handler ends the process: each open file is cut at its
 * last mark and closed; tells of each on standard error. */
void result_files_abandon(void);

#endif
