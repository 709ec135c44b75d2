/* Who waits may stop an analysis at any time. Every pass that takes long calls
 * the problem or takes memory, and every pass knows the way out where one of
 * them fails: so both ask the interrupt, and none of the passes has to. */
#ifndef ANALYSIS_INTERRUPTION_H
#define ANALYSIS_INTERRUPTION_H

#include <dae/memory.h>
#include <dae/problem.h>
#include <stdbool.h>

typedef struct guard {
    const dae_problem *original;
    const dae_allocator *base;
    dae_interrupt_fn *interrupt;
    void *interrupt_context;
    bool is_stopped;         /* it has said so */
    dae_allocator allocator; /* `base`, which then gives nothing more */
    dae_problem problem;     /* the original, whose values are then
                                DAE_INTERRUPTED */
    dae_start start;
} guard;

/* `g` stays where it is as long as what was taken from its allocator. All else
 * is borrowed; `interrupt` may be NULL. */
void guard_init(guard *g, const dae_problem *problem, const dae_allocator *base,
    dae_interrupt_fn *interrupt, void *interrupt_context);
/* The interrupt for those who ask themselves: once it has said stop it is asked
 * no more, and the answer stays. */
int guard_stops(void *guard);

#endif
