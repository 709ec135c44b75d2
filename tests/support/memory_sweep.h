/* Runs the same work again and again, each time with another allocation that
 * fails, until one goes by without meeting the failure: first with that one
 * call failing, then with all from there on. What was refused for want of
 * memory is asked once more of the same objects with healthy memory, and then
 * all that the work finds has to be as without a failure, to the last bit.
 * A share (share.h) tries some of the calls, chosen by memory_choose. */
#ifndef SUPPORT_MEMORY_SWEEP_H
#define SUPPORT_MEMORY_SWEEP_H

#include "check.h"
#include "faulty_memory.h"

/* One run of the work. */
typedef struct trial {
    const char *name;
    faulty_memory memory;
    memory_fault fault;
    size_t fail_at;
    dae_diagnostics *ds; /* the work's; may be NULL */
    text_sink answer;    /* all that it finds */
    text_sink told;      /* what it was told: code, place and message, a line
                            each, without what tells of memory */
    text_sink details;   /* labels and helps of these */
    size_t refusals;     /* calls that ended with DAE_MEMORY */
    size_t lost;         /* diagnostics, or parts of them */
} trial;

/* Does the work, from making everything to freeing it, `ds` excepted. */
typedef void trial_fn(trial *t, const void *what);

/* The first failure from here on; before it memory is healthy. */
void trial_arm(trial *t);
/* Makes the trial's diagnostics. */
void trial_open(trial *t);
/* Whether `st` tells of the failure; memory is healthy from then on. It must
 * have been explained, unless the call has no diagnostics (`is_silent`). */
bool trial_refused(trial *t, dae_status st, bool is_silent);
/* Makes a call; where memory fails it, once more. */
#define TRIAL(t, st, call)                                                     \
    do {                                                                       \
        (st) = (call);                                                         \
        if (trial_refused((t), (st), false)) (st) = (call);                    \
    } while (0)
/* The same for a call without diagnostics. */
#define TRIAL_SILENT(t, st, call)                                              \
    do {                                                                       \
        (st) = (call);                                                         \
        if (trial_refused((t), (st), true)) (st) = (call);                     \
    } while (0)

/* Adds to the answer: a status, a text, values to the last bit. */
void trial_note(trial *t, const char *what, dae_status st);
void trial_text(trial *t, const char *text);
void trial_values(trial *t, const double *values, size_t count);

/* Sweeps both ways and gives the number of runs in which a call failed. */
size_t memory_sweep(const char *name, trial_fn *work, const void *what);
/* The same with a share of the calls, about `most` each way (memory_choose). */
size_t memory_sweep_some(
    const char *name, trial_fn *work, const void *what, size_t most);

#endif
