/* Whether the solutions of a derivative array go on where its tangent space says
 * that they do. */
#ifndef INDEX_TANGENT_H
#define INDEX_TANGENT_H

#include "index/level.h"

/* At a level's point, after level_prepare: *is_false where rows that depend on
 * each other there do not where the null space leads, so that the solutions are
 * fewer than it says, as where a line touches a circle. *is_walked: another
 * solution was found there. Leaves v->a and v->z as they are. */
dae_status tangent_is_false(
    level *v, bool *is_false, bool *is_walked) DAE_MUST_CHECK;

#endif
