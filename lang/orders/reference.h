/* The solution that a study measures errors against: the model's closed
 * forms where its text has them and they hold, else runs that are much more
 * accurate than what is measured. */
#ifndef ORDERS_REFERENCE_H
#define ORDERS_REFERENCE_H

#include "orders/times.h"

/* The reference at times of a grid, in the study's scratch. */
typedef struct track {
    const dae_long *times; /* borrowed */
    size_t count, state_count;
    dae_long *x;     /* count times states */
    dae_long *other; /* the same, less accurate, to measure by what it changes;
                          NULL: there is none */
    double *uncertain; /* states: how wrong x may be, as far as it is known */
    double *scale;     /* states: the largest modulus */
    bool is_double;    /* some of the values are from runs in double */
    dae_orders_reference from; /* where the values are from */
} track;

/* Chooses it, of a run that has been started. */
dae_status reference_init(dae_orders *o);

/* Fills a track for these times, the first of which is the start: for studies at
 * fixed steps, with as many digits as these ask for. */
dae_status track_init(
    track *k, dae_orders *o, const dae_long *times, size_t count);
/* The same for errors of runs, which may be anywhere on a stiff solution: Radau
 * goes by the steps that a run took. */
dae_status track_init_runs(track *k, dae_orders *o, const orders_times *times);
static inline const dae_long *track_other_at(const track *k, size_t index)
{
    return k->other + index * k->state_count;
}
static inline const dae_long *track_at(const track *k, size_t index)
{
    return k->x + index * k->state_count;
}

#endif
