/* Which value a switch has (dae/events.h), by its root function and, where that
 * is at an edge, by the way it goes. Arithmetic alone. */
#ifndef CONTROL_SIDE_H
#define CONTROL_SIDE_H

#include <dae/events.h>
#include <stdbool.h>

/* The value at g, at an edge too. */
double side_at(const dae_switch *s, double g);
/* The edge nearest to g: 0, or a whole number. */
double side_edge(const dae_switch *s, double g);
/* The value beside the edge nearest to g, above it or below. */
double side_beside(const dae_switch *s, double g, bool is_above);
/* How far g is outside of the values at which the switch is `held`; 0 or less:
 * it is not. */
double side_beyond(const dae_switch *s, double held, double g);

#endif
