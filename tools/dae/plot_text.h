/* A small picture of some curves in characters, for terminals. */
#ifndef PLOT_TEXT_H
#define PLOT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct plot_samples {
    size_t curve_count;
    double *values; /* samples of (abscissa, curve 1, curve 2, ...) */
    size_t count, capacity, stride, skipped;
} plot_samples;

/* Keeps a sample; where there are many, every second one is dropped and from
 * then on fewer are kept. False without memory. */
bool plot_add(plot_samples *p, const double *values);
/* Draws; `names` holds the abscissa's and each curve's. */
void plot_draw(const plot_samples *p, const char *const *names, FILE *file);
void plot_clear(plot_samples *p);

#endif
