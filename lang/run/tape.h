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

/* Before the run starts: it is to be recorded at the times of `like`, whose tape
 * outlives the run, or (NULL) at times of its own. */
dae_status tape_attach(tape *k, solution *r, const tape *like);
/* The same of one that others watch, too: at so many times, evenly in the interval, which are
 * ends of steps where these are near enough. */
dae_status tape_follow(tape *k, solution *r, size_t rows);
/* Such a tape takes what it needs of the last step. */
dae_status tape_step(tape *k, const solution *r);
/* The run has come to its end, which is the last time. */
void tape_end(tape *k, const solution *r);
/* All of these: from the start of a solution that has been set up to its end. */
dae_status tape_record(tape *k, solution *r, const tape *like);
/* Of a tape that follows another: takes the point of its next time. */
dae_status tape_mark(void *tape, const dae_point *p);
void tape_clear(tape *k);

/* The unknown that a state is one of, and its name with a prime for each derivative;
 * false: memory ran out for it. */
size_t tape_unknown(const solution *r, size_t state, size_t *derivative);
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
/* Where the run of `b` has failed, and has no end. */
tape_gap tape_compare_part(const tape *a, const tape *b);

#endif
