/* A picture in gnuplot's language, data included: what gnuplot reads on its
 * standard input to write one file to its standard output. */
#ifndef GNUPLOT_SCRIPT_H
#define GNUPLOT_SCRIPT_H

#include "phrase.h"
#include "picture.h"

typedef enum picture_format {
    PICTURE_SVG,
    PICTURE_PNG,
    PICTURE_PDF,
    PICTURE_NONE
} picture_format;

/* By the ending of the file's name; PICTURE_NONE: it names no picture. */
picture_format picture_format_of(const char *path);

/* What a script begins with: the kind of file, its size in points of a screen, and
 * that of its letters. */
void gnuplot_put_terminal(
    phrase *s, picture_format format, double width, double height, int font);

/* A text in quotes: of a long one the beginning, up to so many characters; one of several
 * lines is one line. */
void gnuplot_put_text(phrase *s, const char *text, size_t most);

void gnuplot_script(const picture *p, picture_format format, phrase *script);

#endif
