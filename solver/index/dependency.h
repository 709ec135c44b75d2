/* Why a derivative array never determines all: the equations that depend on
 * each other, and the unknowns that are free. */
#ifndef INDEX_DEPENDENCY_H
#define INDEX_DEPENDENCY_H

#include "index/level.h"

/* Evaluates the array at the `number`-th of points anywhere, consistent or
 * not; *has_values tells whether one was found. */
dae_status dependency_evaluate_anywhere(
    level *v, unsigned number, bool *has_values) DAE_MUST_CHECK;
/* Whether rows depend at points anywhere: then they do so identically, and no
 * further differentiation will determine all unknowns. */
dae_status dependency_is_everywhere(
    level *v, bool *is_everywhere) DAE_MUST_CHECK;

/* Fills out->loose from the level's last evaluation: unknowns whose next
 * derivative the array does not determine. */
dae_status dependency_loose(level *v, array_findings *out) DAE_MUST_CHECK;
/* Fills out->verdict, dependent and is_compatible from the same, from other
 * points and from out->loose. `is_consistent`: the level's point is, and the others
 * are to be. out->outcome: ARRAY_NO_INDEX, or ARRAY_UNSURE where
 * no point beside this one was found. */
dae_status dependency_report(
    level *v, bool is_consistent, array_findings *out) DAE_MUST_CHECK;

#endif
