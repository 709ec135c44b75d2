/* The pictures that -o asks a command for, where it writes nothing else. */
#ifndef PICTURE_FILES_H
#define PICTURE_FILES_H

#include "picture.h"
#include "session.h"

/* Whether all names are those of pictures; else a message is on `errors`. */
bool picture_files_are_named(const args *a, FILE *errors);
/* Before anything takes time: whether they can be drawn. The status, here and
 * below, is in the session; what has failed is not gone on with. */
void picture_files_expect(session *s);
void picture_files_draw(session *s, const picture *p);
/* "a.svg: 3 curves", a line for each, below an empty one. */
void picture_files_tell(const session *s, size_t count, const char *what);

#endif
