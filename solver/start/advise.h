/* What is said about conditions: beyond bounds, too few, too many. */
#ifndef START_ADVISE_H
#define START_ADVISE_H

#include "start/split.h"

/* E0405, for a slot with a condition. Returns DAE_INCONSISTENT. */
dae_status advise_bound(const init_system *s, size_t slot);
/* N0406: the guess was moved. */
void advise_moved(const init_system *s, size_t slot, double from);
/* W0404: `missing` conditions; the states that stand in for them: those in
 * `sp`, or where structure knows none, `open` by the numbers. */
void advise_missing(const init_system *s, const split *sp,
    const split_part *open, size_t missing);
/* N0407, at the first of the equations whose values are all given, if any. */
void advise_redundant(
    const init_system *s, const split_part *checks, int64_t count);
/* The same from findings that are known by rank, in the order to tell them: W0404 with what could be
 * given, W0409 for slots that are singular where the start stands, N0407 for
 * the conditions that follow from the others. */
void advise_findings(const init_system *s, const init_findings *f);

#endif
