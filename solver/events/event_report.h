/* Diagnostics of events, in the user's words. Those with a status end the run by it. */
#ifndef EVENTS_EVENT_REPORT_H
#define EVENTS_EVENT_REPORT_H

#include "base/modes.h"
#include "events/event.h"
#include "events/jump.h"
#include "events/recurrence.h"

/* E0524: root function, condition or right side `index` of this kind has no value
 * at t. DAE_NUMERIC. */
dae_status event_report_undefined(const event_loop *e, dae_name_kind kind,
    size_t index, double t, const double *x, const double *xp);
/* N0530, once: two that fire at one instant give one target the same value, made of its
 * value before; assignments that read what they change, of unknowns that an equation ties
 * together, if `tie` is one. */
void event_report_counted(
    event_loop *e, size_t first, size_t second, double value, size_t tie);
/* E0523: two assignments give one target different values. DAE_NUMERIC. */
dae_status event_report_clash(const event_loop *e, size_t first,
    double first_value, size_t second, double second_value);
/* E0522. DAE_NUMERIC. */
dae_status event_report_rounds(const event_loop *e);
/* E0521: a switch is pushed to its threshold from both sides (v->turns is 0), or turns to
 * and fro without getting on. E0520: events that come ever faster. DAE_NUMERIC. */
dae_status event_report_chattering(
    const event_loop *e, const recurrence_verdict *v);
dae_status event_report_zeno(const event_loop *e, const recurrence_verdict *v);
/* N0532 where the first sign of a run begins to slide, and where that ends. */
void event_report_sliding(event_loop *e);
/* E0525: nothing was assigned, and no values are found after it, in none of the modes that
 * were tried; what is assigned (e->whens.made) contradicts an equation, which is known, or
 * none is (SIZE_MAX). Give st. */
dae_status event_report_nothing(
    run *r, const modes_outcome *tried, dae_status st);
dae_status event_report_against(
    const event_loop *e, size_t equation, dae_status st);
/* Adds to what is said of a step that failed which event it was the first after;
 * nothing where it was not. */
void event_report_behind(run *r);
/* N0526: another index than `before`, once for each but that of the start. */
void event_report_index(event_loop *e, int64_t before);
/* Where a run cannot go on next to a kink, what depends on it as a root does has a slope
 * without bound there, as q in q*abs(q) = f. Adds that to what is being said, and the way
 * out, if a switch is about to turn where the run stands. Whether it has. */
bool event_report_help_kink(run *r);
/* W0528, once: a `when` has given states other values where switch k, which made it
 * fire, stands at its threshold, and no rate of it is seen. */
void event_report_staying(event_loop *e, size_t when, size_t k);

/* Of a jump those columns that are of what is integrated, open, and moved by more than
 * tolerances are noted. */
void jump_notes_add(event_loop *e, const jump_task *jump);
/* The same of the caller's x, all that are not `is_assigned` (NULL: all). */
void jump_notes_add_slots(event_loop *e, const double *before,
    const double *after, const uint8_t *is_assigned);
/* The most that a slot of what is integrated has moved by, in tolerances. */
double jump_notes_most(
    const event_loop *e, const double *before, const double *after);
/* W0527: what jumps though nobody has assigned to it (e->reports.jump), once in a run. */
void event_report_jumps(event_loop *e);

#endif
