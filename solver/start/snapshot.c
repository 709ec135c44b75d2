#include "start/snapshot.h"
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
    m->tolerance = copy(s, s->tolerance, s->rows);
    m->noise = copy(s, s->noise, s->rows);
    return m->z && m->res && m->tolerance && m->noise ? DAE_OK : DAE_MEMORY;
}

void snapshot_return(const snapshot *m, init_system *s)
{
    assert(m->z && m->res && m->z != s->z);
    memcpy(s->z, m->z, s->slots * sizeof *s->z);
    memcpy(s->res, m->res, s->rows * sizeof *s->res);
    memcpy(s->tolerance, m->tolerance, s->rows * sizeof *s->tolerance);
    memcpy(s->noise, m->noise, s->rows * sizeof *s->noise);
}
