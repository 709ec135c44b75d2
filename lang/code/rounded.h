/* Entries of the Jacobian that are nothing but rounding. */
#ifndef CODE_ROUNDED_H
#define CODE_ROUNDED_H

#include "code/compile.h"

/* dae_rounded_fn, with a `compiled` as self. */
dae_status rounded_entries(
    void *self, const uint8_t *asked, uint8_t *is_rounded) DAE_MUST_CHECK;

#endif
