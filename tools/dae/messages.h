/* Diagnostics the command itself has to give (a file that cannot be written,
 * an expectation that fails), and the printing of these and the library's. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include "args.h"
#include "write_json.h"
#include <dae/diag.h>

typedef struct messages {
    dae_diagnostics *library, *own; /* owned */
    const char *hidden;   /* codes of the library's that say too little now */
    const char *replaced; /* likewise; messages of its own have this code */
    bool is_strict;       /* warnings about the start are errors */
    bool lost;            /* memory ran out for one of them */
} messages;

bool messages_init(messages *m, const dae_allocator *allocator);
void messages_clear(messages *m);
/* Adds one, which has no place in a text: an error, or by its code (N0508) a note. */
void messages_add(messages *m, const char *code, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
/* Memory ran out for a part of what is told or shown: that becomes an error. */
bool messages_are_incomplete(const messages *m);
/* The library has written this code. */
bool messages_have(const messages *m, const char *code);
/* Errors, with those that are raised to one and those of too many. */
size_t messages_errors(const messages *m);
/* The library's first error is about a text of this name. */
bool messages_blame(const messages *m, const char *file);
size_t messages_count(const messages *m);
/* On standard error, unless they go into a document (--json). */
void messages_print(const messages *m, const args *a);
/* The member "diagnostics", where there are any. */
void messages_json(const messages *m, json *j);

#endif
