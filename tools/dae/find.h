/* The models under a path. */
#ifndef FIND_H
#define FIND_H

#include <stdbool.h>
#include <stddef.h>

typedef struct found {
    char **paths; /* ascending within each path asked for; owned */
    size_t count, capacity;
} found;

/* Adds the path itself, or every *.dae below it where it is a folder. False
 * with errno where it cannot be read. */
bool find_models(found *f, const char *path);
void find_clear(found *f);

#endif
