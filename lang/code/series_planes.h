/* The arithmetic of power series for many rows at once: coefficient k of a
 * whole array lies together, a plane, so that sums and products run over rows
 * as fast as on numbers. Sections of which only values are asked run as they
 * do on numbers.
 *
 * All coefficients are taken to exist. Where one may not (code/series_core.h),
 * this arithmetic gives up, and the careful one has to tell. */
#ifndef CODE_SERIES_PLANES_H
#define CODE_SERIES_PLANES_H

#include "code/bytecode.h"
#include "code/series_core.h"
#include "code/series_plan.h"

/* Coefficient k of item i is at[place][k * size[place] + i]; params,
 * constants and what is held have one plane; slots and cells are those of program_places. */
typedef struct plane_space {
    double *at[AT_COUNT];
    size_t size[AT_COUNT];
    const series_room *room; /* for as many terms as any section runs with */
    double *scratch;         /* series_planes_scratch doubles */
} plane_space;

/* Doubles of scratch, 0: too many. */
size_t series_planes_scratch(const program *p, const series_plan *plan);
/* Runs the sections, each with the terms of the plan; false: it gave up. What
 * is not finite in the results is for the caller to see. */
bool series_planes_run(
    const program *p, const series_plan *plan, const plane_space *space);

#endif
