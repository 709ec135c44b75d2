/* Records results of a search for a start in the request's findings, if these are
 * wanted. */
#ifndef START_RECORD_FINDINGS_H
#define START_RECORD_FINDINGS_H

#include "start/system.h"

/* Of an inconsistent set. */
typedef struct members {
    int32_t *rows, *slots; /* rows; given slots: ascending */
    int32_t *low, *high;   /* slots of whose bounds that one takes part */
    size_t row_count, slot_count, low_count, high_count;
} members;

/* The given slots with an entry in `row` that is not 0, as members, in memory
 * from the arena. */
dae_status record_take_given(
    init_system *s, size_t row, members *to) DAE_MUST_CHECK;

/* Lists of a failure. */
dae_status record_rows(init_system *s, const size_t *rows, size_t count,
    init_failure *to) DAE_MUST_CHECK;
dae_status record_slots(init_system *s, const int32_t *slots, size_t count,
    const int32_t **to) DAE_MUST_CHECK;
dae_status record_block(
    init_system *s, const subset *b, init_failure *to) DAE_MUST_CHECK;
/* Replaces a failure recorded before. */
dae_status record_failure(init_system *s, const init_failure *f) DAE_MUST_CHECK;

/* Adds an inconsistent set of rows, given slots and bounds; its other data are those
 * of `about`, whose lists are ignored. The set with the fewest members (of equal ones
 * the first) becomes findings.conflicts. */
dae_status record_conflict(init_system *s, const members *b, size_t worst,
    const init_conflict *about) DAE_MUST_CHECK;
/* A given slot beyond a bound contradicts that. */
dae_status record_beyond(init_system *s, size_t slot) DAE_MUST_CHECK;
/* A guess that was moved into its bounds. */
dae_status record_moved(
    init_system *s, size_t slot, double guess) DAE_MUST_CHECK;
/* The end: outcome by `status`, the last point and its residual. */
dae_status record_end(
    init_system *s, dae_status status, int64_t iterations) DAE_MUST_CHECK;

#endif
