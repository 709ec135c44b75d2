/* Where the parts of a picture stand, in points of the screen (1/96 inch) from
 * its lower left corner: sizes, ranges of the axes, ticks, and whether curves
 * are named at their ends or in a key. */
#ifndef PICTURE_LAYOUT_H
#define PICTURE_LAYOUT_H

#include "picture.h"
#include <stdbool.h>
#include <stddef.h>

/* Where an axis has its ticks, and what stands at them. */

enum { TICKS_MOST = 96, TICK_TEXT = 32 };

typedef struct tick {
    double at;
    char text[TICK_TEXT]; /* "": a short tick without a text */
} tick;

typedef struct ticks {
    tick items[TICKS_MOST];
    size_t count;
    /* what the texts leave out, to stand at the end of the axis: "×10⁶",
     * "1.5 + …×10⁻⁹"; "": nothing */
    char note[64];
} ticks;

/* About `wanted` ticks with texts between `low` and `high`, low < high; on a
 * logarithmic axis 0 < low. */
void ticks_linear(ticks *t, double low, double high, int wanted);
void ticks_log(ticks *t, double low, double high, int wanted);

enum {
    LAYOUT_FONT = 15,     /* size of all texts */
    LAYOUT_LINE = 20,     /* from one line of text to the next */
    LAYOUT_ENDS_MOST = 4, /* curves that are named at their ends */
    LAYOUT_KEY_MOST = 20, /* more than these take turns in the key */
    LAYOUT_NAME = 40      /* characters of a name before it is cut */
};

/* A name at the end of a curve, and where the curve ends. */
typedef struct end_label {
    size_t curve;
    double x, at, y; /* the end, in points; the label's height `y` */
} end_label;

typedef struct panel_layout {
    double edge; /* where its share of the picture begins: its y label */
    double left, right, bottom, top; /* of the box */
    double x_low, x_high, y_low, y_high;
    ticks x, y;
    end_label ends[LAYOUT_ENDS_MOST];
    size_t end_count;
    size_t key_every; /* each so-manieth named curve is in the key; 0: none */
} panel_layout;

typedef struct picture_layout {
    double width, height;
    double
        key_width; /* of one key for all panels, at the right; 0: there is none */
    size_t key_every;     /* each so-manieth of its names */
    panel_layout *panels; /* one for each of the picture's */
} picture_layout;

/* False without memory. */
bool picture_layout_make(picture_layout *l, const picture *p);

#endif
