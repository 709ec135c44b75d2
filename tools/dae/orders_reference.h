/* The solution that `dae orders` measures errors against: the model's closed
 * forms where its text has them and they hold, else runs that are much more
 * accurate than what is measured. */
#ifndef ORDERS_REFERENCE_H
#define ORDERS_REFERENCE_H

#include "closed_form.h"
#include "session.h"

typedef enum reference_kind {
    REFERENCE_EXPECT, /* closed forms of all states */
    REFERENCE_POINTS, /* no degree of freedom: the values at a time follow from
                         the equations and their derivatives there */
    REFERENCE_RADAU,  /* Radau IIA of order 9 at fixed steps: index 0 and 1 */
    REFERENCE_TIGHT,  /* a run at tight tolerance, with the index reduced */
} reference_kind;

typedef struct reference {
    session *session;
    const dae_problem *problem;
    closed_form closed;
    bool *is_held; /* states: their closed forms are what is measured against */
    size_t held_count;   /* of them */
    reference_kind kind; /* of the others; EXPECT: there are none */
    bool has_closed;     /* complete, also where they do not hold */
    bool is_long;        /* studies are in extended precision */
    bool was_too_long;   /* Radau came to no end: runs stood in for it */
} reference;

/* The reference at times of a grid. */
typedef struct track {
    const dae_long *times; /* borrowed */
    size_t count, state_count;
    dae_long *x;     /* count times states */
    dae_long *other; /* the same, less accurate, to measure by what it changes;
                          NULL: there is none */
    double *uncertain; /* states: how wrong x may be, as far as it is known */
    double *scale;     /* states: the largest modulus */
    bool is_double;    /* some of the values are from runs in double */
} track;

/* After session_start, for a session that has been analysed. Clear also after
 * failure. */
dae_status reference_init(reference *r, session *s);
void reference_clear(reference *r);
/* "expect", "expression" or "tight run", as documents have it; what it is, as
 * sentences have it. */
const char *reference_text(const reference *r);
const char *reference_sentence(const reference *r);
/* Some values have closed forms, others are from elsewhere. */
bool reference_is_mixed(const reference *r);

/* Fills a track for these times, the first of which is the start. `is_adaptive`:
 * for errors of runs, which may be anywhere on a stiff solution, not for those of
 * studies at fixed steps, which want more digits. */
dae_status track_init(track *k, reference *r, const dae_long *times,
    size_t count, bool is_adaptive);
void track_clear(track *k);
static inline const dae_long *track_other_at(const track *k, size_t index)
{
    return k->other + index * k->state_count;
}
static inline const dae_long *track_at(const track *k, size_t index)
{
    return k->x + index * k->state_count;
}

#endif
