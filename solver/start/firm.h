/* Small entries of the Jacobian that are small because of the units, and not
 * because a value that should be zero is known to half its digits alone. */
#ifndef START_FIRM_H
#define START_FIRM_H

#include "start/system.h"

/* At the last Jacobian: is_firm (equations x columns, by columns, zeroed) := 1
 * for entries of the equations that never change, and for those that stay as
 * they are, about, where all free slots move by a thousandth of their sizes.
 * Point, residuals and Jacobian stay. */
dae_status firm_find(init_system *s, const int32_t *slot_at, size_t columns,
    uint8_t *is_firm) DAE_MUST_CHECK;

#endif
