/* The solution that `dae orders` measures errors against: the model's closed
 * forms where its text has them and they hold, else runs that are much more
 * accurate than what is measured. */
#ifndef ORDERS_REFERENCE_H
#define ORDERS_REFERENCE_H

#include "orders_plan.h"
#include "orders_times.h"
#include "session.h"
#include <dae/closed_form.h>

typedef enum reference_kind {
    REFERENCE_EXPECT, /* closed forms of all states */
    REFERENCE_POINTS, /* no degree of freedom: the values at a time follow from
                         the equations and their derivatives there */
    REFERENCE_RADAU,  /* Radau IIA of order 9 at fixed steps: index 0 and 1 */
    REFERENCE_TIGHT,  /* a run at tight tolerance, with the index reduced */
} reference_kind;

/* What errors of a study are from. */
typedef struct reference_use {
    reference_kind kind;
    const char *method; /* of TIGHT */
    double rtol;
    bool is_long; /* of RADAU */
} reference_use;

typedef struct reference {
    session *session;
    const dae_problem *problem;
    dae_closed_form *closed;
    bool *is_held; /* states: their closed forms are what is measured against */
    size_t held_count;   /* of them */
    reference_kind kind; /* of the others; EXPECT: there are none */
    bool has_closed;     /* complete, also where they do not hold */
    bool is_long;        /* studies are in extended precision */
    bool is_by_steps;    /* TIGHT is tried by fixed steps of radau first */
    bool was_too_long;   /* Radau came to no end: runs stood in for it */
    /* of runs at tight tolerance: that of the reference, one that none of those
     * studied has where there is such a one, and another that checks it */
    const char *method, *other_method;
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
    reference_use use; /* where the values are from */
} track;

/* After session_start, for a session that has been analysed. The closed forms are to
 * be freed also after failure. */
dae_status reference_init(reference *r, session *s, const orders_plan *plan);
/* "expect", "expression" or "tight run", as documents have it; what it is, as
 * sentences have it. */
const char *reference_text(const reference *r);
const char *reference_sentence(const reference *r);
/* Of a study at tolerances, what it was. */
void reference_use_sentence(
    const reference *r, const reference_use *use, char *text, size_t size);
/* Some values have closed forms, others are from elsewhere. */
bool reference_is_mixed(const reference *r);

/* Fills a track for these times, the first of which is the start: for studies at
 * fixed steps, with as many digits as these ask for. */
dae_status track_init(
    track *k, reference *r, const dae_long *times, size_t count);
/* The same for errors of runs, which may be anywhere on a stiff solution: Radau
 * goes by the steps that a run took. */
dae_status track_init_runs(track *k, reference *r, const orders_times *times);
static inline const dae_long *track_other_at(const track *k, size_t index)
{
    return k->other + index * k->state_count;
}
static inline const dae_long *track_at(const track *k, size_t index)
{
    return k->x + index * k->state_count;
}

#endif
