/* Findings own one arena, so that making and dropping them cannot fail
 * halfway. */
#include "start/findings.h"
#include <math.h>

void init_findings_clear(init_findings *f)
{
    if (f->arena.allocator) arena_clear(&f->arena);
    *f = (init_findings){0};
}

void init_findings_init(init_findings *f, const dae_allocator *allocator)
{
    *f = (init_findings){.outcome = INIT_UNSOLVED, .residual = (double)NAN};
    arena_init(&f->arena, allocator, 0);
}
