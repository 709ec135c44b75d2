/* What may stop a command from outside: Ctrl-C, a time, an amount of memory. */
#ifndef LIMITS_H
#define LIMITS_H

#include "args.h"
#include <dae/memory.h>

typedef struct limits {
    dae_allocator allocator;          /* counts, and refuses beyond the limit */
    size_t memory_limit, memory_used; /* bytes */
    bool memory_refused;
    double started, deadline; /* console_clock; infinite: none */
    bool time_over;
    bool was_stopped; /* memory was refused so that a long pass ends */
} limits;

/* Begins to count. Ctrl-C ends the command with exit status 130. */
void limits_start(limits *l, const args *a);
/* What asks nobody, a factorization, may run on behind the time limit. Soon
 * after it the command then ends where it stands, with the message and exit
 * status 6. limits_begin_report: the report says what ended the run; of one
 * that takes too long itself nothing but the message follows. */
void limits_arm(const limits *l, const args *a);
void limits_begin_report(const limits *l);
/* From now on Ctrl-C sets a flag that limits_stop and limits_interrupted ask
 * for; another one two seconds later ends the command. */
void limits_hold_interrupts(void);
bool limits_interrupted(void);
/* A dae_interrupt_fn whose context is the limits. */
int limits_stop(void *context);

#endif
