/* What may stop a command from outside: a signal, a time, an amount of memory. */
#ifndef LIMITS_H
#define LIMITS_H

#include "args.h"
#include <dae/memory.h>

typedef struct limits {
    dae_allocator allocator;          /* counts, and refuses beyond the limit */
    size_t memory_limit, memory_used; /* bytes */
    size_t memory_seen; /* of these, until the heap is looked at again */
    bool memory_refused;
    double started, deadline; /* console_clock; infinite: none */
    bool time_over;
    bool was_stopped;  /* memory was refused so that a long pass ends */
    bool is_reporting; /* limits_begin_report */
} limits;

/* First of all: from now on Ctrl-C (SIGINT), SIGTERM and SIGHUP end the command
 * with exit status 128 and their number. */
void limits_catch_signals(void);
/* Begins to count. */
void limits_start(limits *l, const args *a);
/* What asks nobody, a factorization, may run on behind the time limit or a signal.
 * Soon after it the command then ends where it stands, with the message and exit
 * status. limits_begin_report: the report says what ended the run; of one
 * that takes too long itself nothing but the message follows. */
void limits_arm(const limits *l, const args *a);
void limits_begin_report(limits *l);
/* So many bytes are going out, to files or to standard output: beyond the limit of
 * --untrusted the command ends where it stands, as after limits_arm. */
void limits_spend_output(size_t bytes);
/* From now on a signal sets a flag that limits_stop and limits_signal ask for; where
 * none does in time, as after limits_arm, and after another one two seconds later the
 * command ends. */
void limits_hold_interrupts(void);
/* A program that is ended where a signal or the time limit ends the command at
 * once; 0: there is none any more. */
void limits_guard_child(int process);
/* The signal that came, and what to say of it; 0: none. */
int limits_signal(void);
const char *limits_signal_text(void);
/* A dae_interrupt_fn whose context is the limits. */
int limits_stop(void *context);

#endif
