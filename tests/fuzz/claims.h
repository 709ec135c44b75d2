/* What an analysis claims about itself, whatever the model is. */
#ifndef FUZZ_CLAIMS_H
#define FUZZ_CLAIMS_H

#include "harness.h"

/* Ranges, offsets, blocks, index and degrees of freedom, lists. */
void claims_check(const dae_model *model, const dae_analysis *a);

/* A start called consistent is: what is given stands as it was given, and the
 * equations hold with their hidden constraints, within the tolerances of the
 * unknowns. Where values are not determined nothing is asked of the equations
 * that need them. */
void claims_check_start(const dae_model *model, const dae_analysis *a,
    const dae_analysis_options *options);

/* Every verdict that stands in the way of a run is told. */
void claims_check_told(const dae_analysis *a, const dae_diagnostics *ds);

#endif
