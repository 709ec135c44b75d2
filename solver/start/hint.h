/* What may help where no start was found. */
#ifndef START_HINT_H
#define START_HINT_H

#include "start/split.h"

/* For E0403 on a row: which unknown of it to give another guess. */
dae_status hint_value(init_system *s, size_t row) DAE_MUST_CHECK;
/* For E0402 on a block, whose last values are told in `values`. */
void hint_guess(
    const init_system *s, const split_part *block, const char *values);

#endif
