/* Pictures as files, drawn by gnuplot, which is needed for nothing else and
 * only when the command runs. */
#ifndef GNUPLOT_H
#define GNUPLOT_H

#include "phrase.h"
#include "picture.h"
#include "session.h"

/* Before a long run: whether there is a gnuplot, and the file can be written.
 * DAE_IO: it says why not, as E0006 and E0002. */
dae_status gnuplot_expect(
    const char *path, const dae_model *model, messages *m);
/* Draws to `path`, which ends in .svg, .png or .pdf: all of it or nothing; beside it
 * (result_file.h) where what it shows is not whole. The
 * same picture makes the same bytes. DAE_IO: gnuplot failed (E0006) or the
 * file cannot be written (E0002); DAE_MEMORY; DAE_INTERRUPTED: by a signal or
 * the time limit. */
dae_status gnuplot_draw(
    const picture *p, const char *path, bool is_whole, limits *l, messages *m);
/* The same of a script, which begins with gnuplot_put_terminal. */
dae_status gnuplot_draw_script(const phrase *script, const char *path,
    bool is_whole, limits *l, messages *m);

/* The pictures that -o asks a command for, where it writes nothing else. */

/* Whether all names are those of pictures, or `with_tables` also of tables; else a
 * message is on `errors`. */
bool picture_files_are_named(const args *a, bool with_tables, FILE *errors);
/* Before anything takes time: whether they can be drawn. The status, here and
 * below, is in the session; what has failed is not gone on with. */
void picture_files_expect(session *s);
void picture_files_draw(session *s, const picture *p);
/* "a.svg: 3 curves", a line for each, below an empty one. */
void picture_files_tell(const session *s, size_t count, const char *what);

#endif
