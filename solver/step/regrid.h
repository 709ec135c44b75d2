/* A history on equal distances, for formulas that are made for them [SR97]. */
#ifndef STEP_REGRID_H
#define STEP_REGRID_H

#include "step/history.h"

/* Moves the points behind the newest one to t - h, t - 2h, ...: the polynomial of
 * order k stays what it is, at other points; rows above k, which serve estimates,
 * are scaled to the new distance. Nothing where the points lie so already. A step
 * that fails leaves nothing behind: the polynomial is the same. */
void history_regrid(history *hi, int k, double h);

/* The same of one state's divided differences over `count` points at the
 * distances `from`: to those over the points at `to`. */
void regrid_differences(
    double *difference, int count, const double *from, const double *to);

#endif
