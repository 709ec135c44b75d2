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
} limits;

/* Begins to count. Ctrl-C ends the command with exit status 130. */
void limits_start(limits *l, const args *a);
/* From now on Ctrl-C sets a flag that limits_stop and limits_interrupted ask
 * for; another one two seconds later ends the command. */
void limits_hold_interrupts(void);
bool limits_interrupted(void);
/* A dae_interrupt_fn whose context is the limits. */
int limits_stop(void *context);

#endif
