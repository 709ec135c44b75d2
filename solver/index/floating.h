/* Unknowns with a level that nothing fixes, found without a derivative array
 * and so for problems of any size: the potentials of an ungrounded circuit,
 * pressures that occur as differences only. */
#ifndef INDEX_FLOATING_H
#define INDEX_FLOATING_H

#include "index/array.h"

/* Whether the same function of time, added to some of the unknowns, changes no
 * equation. Tried are all of them, those that `candidates` (unknown_count; NULL:
 * none) marks, and of up to FLOATING_DENSE unknowns those that the null space of
 * the partial derivatives names. Where it is so `out`, a findings in use, is cleared
 * and becomes ARRAY_NO_INDEX with DAE_INDEX_FLOATING and these unknowns as `loose`;
 * `dependent` stays empty. Else it is left as it is. */
enum { FLOATING_DENSE = 300 };
dae_status floating_find(const array_request *q, const uint8_t *candidates,
    array_findings *out) DAE_MUST_CHECK;

#endif
