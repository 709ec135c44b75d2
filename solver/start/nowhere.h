/* Equations without a real solution, such as y^2 + 1 = 0: at the end of the
 * search the size of one residual has a minimum there that is not zero. */
#ifndef START_NOWHERE_H
#define START_NOWHERE_H

#include "start/split.h"

typedef struct nowhere {
    bool
        is_minimum; /* not all rows hold; the block's residuals have a minimum at s->z */
    bool is_solved;   /* all rows hold at s->z after all */
    bool is_found;    /* one row alone is left, which is nowhere smaller and
                         larger on both sides, wherever it was looked at */
    bool is_doubtful; /* one row alone is left and flat here, which says
                         nothing: it may change far away */
    bool is_spread;   /* several rows are left, and it may be that no values of
                         all of them are nowhere smaller */
    size_t row;       /* that one: its residual is the least */
    uint8_t *is_flat; /* slots: those that do not change it there, or none of
                         several */
} nowhere;

/* From the failing block's last point, which moves to the minimum of the
 * squares of its residuals where there is one near; s->res, the Jacobian and
 * its measures move along. Blocks too large for that are left alone. */
dae_status nowhere_find(
    init_system *s, const subset *block, nowhere *out) DAE_MUST_CHECK;

#endif
