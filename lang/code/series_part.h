/* Some coefficients of the equations, or of the entries of their Jacobian,
 * along a curve: what problem.h calls series_part and series_jacobian_part. */
#ifndef CODE_SERIES_PART_H
#define CODE_SERIES_PART_H

#include "code/compile.h"

dae_series_part_fn series_part_values, series_part_entries;
/* Gives back the memory of evaluations. */
void series_part_release(compiled *c);
void series_part_free(const dae_allocator *a, struct series_part *part);

#endif
