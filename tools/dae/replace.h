/* Files that are written as a whole or not at all. */
#ifndef REPLACE_H
#define REPLACE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes a new file beside the target and renames it, so that a full disk
 * costs nothing and nobody ever sees a part of it. A link is written through,
 * an old file's permissions are kept, and what is no regular file is written
 * to as it is. On false errno says why (0: nobody knows), and nothing is left
 * behind. */
bool replace_file(const char *path, const void *bytes, size_t length);
/* Whether that may succeed; on false errno says why. */
bool replace_is_possible(const char *path);

#endif
