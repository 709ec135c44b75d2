/* Where an axis has its ticks, and what stands at them. */
#ifndef TICKS_H
#define TICKS_H

#include <stdbool.h>
#include <stddef.h>

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

/* "10⁻³", the exponent as raised characters. Returns `text`. */
char *ticks_power(int exponent, char text[TICK_TEXT]);

#endif
