/* The states of a run at some of its times, and how far two runs are apart. The
 * first tape chooses the times, the ends of steps and times between them where
 * these are long; others follow it. */
#ifndef RUN_TAPE_H
#define RUN_TAPE_H

#include "run/solution.h"

typedef struct tape {
    arena memory;
    const solution *run; /* while it is made */
    size_t state_count, count, room;
    size_t stride;                  /* every so many rows are kept */
    size_t passed;                  /* rows since the last that was kept */
    double apart;                   /* times are, of one that follows */
    double *times;                  /* `room` */
    double *x;                      /* `room` rows of the states */
    int64_t *events;                /* behind each time */
    double rtol;                    /* as the user has asked for */
    double *atol;                   /* likewise, of each state */
    bool is_stopped, ends_at_event; /* at its last time */
} tape;

static inline double *tape_row(const tape *k, size_t p)
{
    return k->x + p * k->state_count;
}

/* Such a tape takes what it needs of the last step. */
dae_status tape_step(tape *k, const solution *r);
/* All of these: from the start of a solution that has been set up to its end. */
dae_status tape_record(tape *k, solution *r, const tape *like);
void tape_clear(tape *k);

enum { TAPE_NAME_SIZE = 48 };

bool tape_state_name(
    const solution *r, size_t state, char name[TAPE_NAME_SIZE]);

/* Where two runs are farthest from each other. */
typedef struct tape_gap {
    double
        size; /* |a - b|/(rtol |x| + atol), where both have the same events */
    size_t state;     /* of the problem, */
    double t;         /* and the time */
    double values[2]; /* of the two there */
    double ended;     /* NaN, or the time at which the second run failed */
    bool has_events;  /* their events are not the same */
} tape_gap;

/* Of all states and times. |x| is the largest value nearby, so that a passage
 * through 0 asks for no more than what is around it. */
tape_gap tape_compare(const tape *a, const tape *b);

/* The error at the end: a second run at a tenth of the tolerances, and how far the first
 * one is from it. */

/* `r` has reached its end. What the second run says, failures too, is in `ds`; the
 * differences are in `memory`. */
dae_status estimate_make(
    dae_estimate *e, const solution *r, dae_diagnostics *ds, arena *memory);
/* The same of a run whose tolerances nobody has written: where a tenth of them is
 * too small, that is a warning among the run's messages, and DAE_OK. */
dae_status estimate_try(dae_estimate *e, const solution *r, arena *memory);

/* Whether a run's absolute tolerances decided its result: an unknown that was small beside
 * its own had large errors there that no test saw, and what is made of them later. Where
 * one was, a second run at a part of them, which is compared with the first. */

/* Of one that has a start: a tape follows it, if it may be checked. */
dae_status atol_check_begin(tape *k, solution *r);
/* After its end, which the tape has followed it to: W0533 where the two differ. What is no
 * longer needed for steps of the first is given back. */
dae_status atol_check_make(dae_atol_check *c, solution *r, tape *k);

#endif
