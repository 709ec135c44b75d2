/* A text to parse in one line of a test. */
#ifndef SUPPORT_SYNTAX_H
#define SUPPORT_SYNTAX_H

#include "syntax/parse.h"

/* Everything that belongs to one text. */
typedef struct parsed {
    arena arena;
    intern_table names;
    dae_diagnostics *ds;
    dae_source source;
    ast_file *file; /* NULL before parse_text */
} parsed;

/* Sets up for a text of `length` bytes; DAE_OK or what failed. */
dae_status parsed_init(
    parsed *p, const dae_allocator *allocator, const char *text, size_t length);
void parsed_clear(parsed *p);
/* Sets up and parses; the status is the parser's. */
dae_status parse_text(parsed *p, const char *text);
/* Reads a whole file below the project's root; free() it. */
char *read_text(const char *path, size_t *length);

#endif
