/* The models under a path. */
#ifndef FIND_H
#define FIND_H

#include <dae/status.h>
#include <stddef.h>

typedef struct found {
    char **paths; /* ascending within each path asked for */
    size_t count, capacity;
} found;

/* Adds the path itself, or every *.dae below it where it is a folder. DAE_IO
 * with errno where it cannot be read, or DAE_MEMORY. */
dae_status find_models(found *f, const char *path) DAE_MUST_CHECK;

#endif
