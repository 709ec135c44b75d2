#include "start/snapshot.h"
#include "start/tolerance.h"
#include <assert.h>
#include <string.h>

dae_status snapshot_take(snapshot *m, init_system *s)
{
    m->z = ARENA_ARRAY(&s->arena, double, s->slots);
    if (!m->z) return DAE_MEMORY;
    memcpy(m->z, s->z, s->slots * sizeof *m->z);
    m->has_values = unknowns_have_values(s, s->res);
    return DAE_OK;
}

dae_status snapshot_return(const snapshot *m, init_system *s)
{
    assert(m->z && m->z != s->z);
    memcpy(s->z, m->z, s->slots * sizeof *s->z);
    const dae_status st = unknowns_begin(s);
    if (st == DAE_RETRY) tolerance_measure(s);
    if (st) return st;
    const bool is_lost = m->has_values && !unknowns_have_values(s, s->res);
    return is_lost || !unknowns_have_slopes(s) ? DAE_RETRY : DAE_OK;
}
