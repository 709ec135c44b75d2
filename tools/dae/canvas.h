/* What a drawing is put on: an SVG file, or a script that gnuplot makes a PNG or a
 * PDF of. Places and sizes are points of a screen, from the upper left corner. */
#ifndef CANVAS_H
#define CANVAS_H

#include "gnuplot_script.h"
#include "phrase.h"
#include <stdbool.h>

enum { CANVAS_FONT = 12 };

typedef struct canvas {
    picture_format format;
    phrase script; /* or the file itself, an SVG */
    size_t bars;   /* lists of them so far */
    phrase plots;  /* how gnuplot draws them */
    bool has_bars; /* the last list has some */
} canvas;

typedef enum canvas_place {
    CANVAS_LEFT,   /* the text begins there */
    CANVAS_MIDDLE, /* it is around it */
    CANVAS_RIGHT,  /* it ends there */
    CANVAS_UP      /* it begins there and runs upwards */
} canvas_place;

void canvas_begin(canvas *c, int width, int height);
/* `fill` NULL: its outline alone, before all else. Colours as
 * "#e8eef6". */
void canvas_box(canvas *c, double x, double y, double width, double height,
    const char *fill, const char *outline);
void canvas_ring(canvas *c, int x, int y, int radius, const char *colour);
void canvas_text(canvas *c, int x, int y, canvas_place place,
    const char *colour, const char *text);
/* Many boxes of one colour: begin, add, end. */
void canvas_begin_bars(canvas *c, const char *colour);
void canvas_add_bar(canvas *c, size_t x, size_t y, size_t width, size_t height);
void canvas_end_bars(canvas *c, const char *colour);
void canvas_end(canvas *c);

#endif
