/* A model from a path or from standard input. */
#ifndef LOAD_H
#define LOAD_H

#include "args.h"
#include "limits.h"
#include "messages.h"

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

#endif
