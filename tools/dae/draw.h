/* `dae show --structure`: the signature matrix with the transversal and the
 * blocks, rows and columns in the order of evaluation. */
#ifndef DRAW_H
#define DRAW_H

#include "canvas.h"
#include "check.h"

/* Above this many unknowns no text is drawn. */
enum { DRAW_TEXT_LARGEST = 40 };

/* A picture's rows and columns: those the user knows, ordered. */
typedef struct drawing {
    const check *check;
    size_t n;
    int32_t *row, *column;       /* what stands at each place */
    int32_t *row_at, *column_at; /* places; -1: not shown */
    int32_t *block;              /* fine block of the place's row */
} drawing;

/* The structure of the equations as they stand. */
dae_status draw_init(drawing *d, const check *k) DAE_MUST_CHECK;
void draw_text(const drawing *d, FILE *file);
/* Single entries with names up to some dozens of unknowns, a picture of fixed
 * size with the density of entries for more. */
void draw_picture(const drawing *d, canvas *to);

#endif
