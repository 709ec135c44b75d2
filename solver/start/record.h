/* Puts what is found out about a start into the request's findings, where
 * these are asked for. */
#ifndef START_RECORD_H
#define START_RECORD_H

#include "start/blame.h"

/* Rows, given slots and bounds that cannot hold together; replaces those
 * before. */
dae_status record_conflict(const init_system *s, const blame *b) DAE_MUST_CHECK;
/* A given slot beyond a bound contradicts that. */
dae_status record_slot(const init_system *s, size_t slot) DAE_MUST_CHECK;
/* A block that was not solved, at the last point. */
dae_status record_stall(
    const init_system *s, const split_part *b) DAE_MUST_CHECK;
/* The end: outcome by `status`, the last point and its residual. */
dae_status record_end(
    const init_system *s, dae_status status, int64_t iterations) DAE_MUST_CHECK;

#endif
