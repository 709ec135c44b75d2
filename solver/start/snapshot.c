#include "start/snapshot.h"
#include "start/tolerance.h"
#include <assert.h>
#include <string.h>

static double *copy(init_system *s, const double *from, size_t count)
{
    double *to = ARENA_ARRAY(&s->arena, double, count);
    if (to) memcpy(to, from, count * sizeof *to);
    return to;
}

dae_status snapshot_take(snapshot *m, init_system *s)
{
    m->z = copy(s, s->z, s->slots);
    m->res = copy(s, s->res, s->rows);
    return m->z && m->res ? DAE_OK : DAE_MEMORY;
}

dae_status snapshot_return(const snapshot *m, init_system *s)
{
    assert(m->z && m->res && m->z != s->z);
    memcpy(s->z, m->z, s->slots * sizeof *s->z);
    memcpy(s->res, m->res, s->rows * sizeof *s->res);
    const dae_status st = unknowns_jacobian(s);
    if (!st || st == DAE_RETRY) tolerance_measure(s);
    return st;
}
