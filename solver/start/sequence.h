/* What is found out about a start in the order in which the user has what it
 * names (dae_problem.position), as copies for the diagnostics: what is computed
 * further goes on with the lists in the order of numbers. Without positions the
 * copies are in that order too. */
#ifndef START_SEQUENCE_H
#define START_SEQUENCE_H

#include "start/blame.h"

/* The first of some rows; s->rows: there are none. */
size_t sequence_first_row(
    const init_system *s, const int32_t *rows, size_t count);
/* Replaces the lists: equations before conditions. */
dae_status sequence_blame(init_system *s, blame *b) DAE_MUST_CHECK;
/* The request's findings with lists of their own, in the system's arena; but
 * for conflicts, which have been told. */
dae_status sequence_findings(
    init_system *s, init_findings *told) DAE_MUST_CHECK;

#endif
