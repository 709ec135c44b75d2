/* Which value a switch has on which side (dae/events.h), and between which edges
 * its root function keeps it there. Arithmetic alone. */
#ifndef BASE_REGION_H
#define BASE_REGION_H

#include <dae/events.h>
#include <stdbool.h>

/* The edges next to a held value: it turns where g is truly outside of
 * [lower, upper]. */
typedef struct region {
    double lower, upper; /* -HUGE_VAL, HUGE_VAL: none on that side */
} region;

/* Of a value that is held; without edges where it is NaN (free). */
region region_of(uint8_t kind, double held);
/* The value at g, for a switch that is free. */
double region_value(uint8_t kind, double g);
/* The value just behind the edge next to g, above (+1) or below (-1) it. */
double region_beside(uint8_t kind, double g, int direction);
/* How far g is outside of the region; 0 or less: it is not. NaN for a g that is. */
double region_beyond(region r, double g);

#endif
