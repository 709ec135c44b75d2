/* What jumps behind an event though nobody has assigned to it, and the equations
 * leave it open by how much (W0527). */
#ifndef EVENTS_JUMP_NOTES_H
#define EVENTS_JUMP_NOTES_H

#include "events/event_loop.h"

/* Columns of d->extended: from `before` to `after`. Those that are of what is
 * integrated, `is_open`, and moved by more than tolerances are noted. `is_least`:
 * the least change has been taken. */
void jump_notes_add(run *r, const reduction *d, const double *before,
    const double *after, const uint8_t *is_open, bool is_least);
/* The same of slots of the caller's x, whose names `l` tells, all that are not `is_assigned` (NULL: all). */
void jump_notes_add_slots(run *r, const layout *l, const double *before,
    const double *after, const uint8_t *is_assigned);
/* The most that a slot of what is integrated has moved by, in tolerances. */
double jump_notes_most(const run *r, const double *before, const double *after);
/* The instant is undone, or begins. */
void jump_notes_clear(event_loop *e);
/* It is over: says what was noted, once in a run. */
void jump_notes_report(run *r);

#endif
