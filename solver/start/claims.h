/* A residual counts as 0 where the tolerances of the slots explain it, by the
 * slopes at the point. At the edge of a domain or in a cusp (sqrt, log, asin,
 * x^(1/3)) slopes are infinite, and would explain anything: what such a slope
 * claims is tried. */
#ifndef START_CLAIMS_H
#define START_CLAIMS_H

#include "start/system.h"

typedef enum claims_verdict {
    CLAIMS_HOLD,    /* as far as could be tried */
    CLAIMS_MOVED,   /* a slot, by less than its tolerance, to a zero of its row:
                       s->res is no longer that of s->z */
    CLAIMS_REFUTED, /* for some row, which admits less from now on
                       (`admitted` in start/system.h) */
} claims_verdict;

/* Tries `rows` of s->res at s->z, of which some may hold only by a slope that is
 * not one of the row around. Where it does something, the Jacobian and the
 * measures are those of s->z afterwards. DAE_RETRY: no value there. */
dae_status claims_judge(init_system *s, const int32_t *rows, size_t count,
    claims_verdict *verdict) DAE_MUST_CHECK;
/* The same where nothing is to move: rows that do not hold are seen not to,
 * before somebody is told which do. */
dae_status claims_refute(
    init_system *s, const int32_t *rows, size_t count) DAE_MUST_CHECK;

#endif
