/* Guesses that somebody stated against those that nobody did: where a part of
 * a start leaves a choice, the latter move first. */
#ifndef START_KEEPING_H
#define START_KEEPING_H

#include "start/split.h"

/* The slots of `part` that are left when as many stated guesses as the pattern
 * allows stay where they are: all of those that no set of rows with too few
 * other slots needs. *is_any: some stay. */
dae_status keeping_rest(init_system *s, const subset *part,
    subset *rest, bool *is_any) DAE_MUST_CHECK;

#endif
