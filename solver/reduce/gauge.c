/* Angles by their tangents: tan(a - b) = (tan a - tan b)/(1 + tan a tan b). An
 * angle left of more than 45 degrees counts as 45, where its tangent still tells
 * its size. */
#include "reduce/gauge.h"
#include <assert.h>
#include <math.h>

bool gauge_init(gauge *g, arena *a, size_t room)
{
    *g = (gauge){.room = room};
    return TAKE(a, g->before, room) && TAKE(a, g->now, room);
}

void gauge_clear(gauge *g)
{
    g->has_before = false;
}

void gauge_begin(gauge *g, double limit)
{
    assert(limit > 0);
    g->count = 0;
    g->limit = limit;
    g->left = 1;
    g->turned = 0;
}

static double left_of(const gauge *g, double size)
{
    return size < g->limit ? (g->limit - size) / (1 + g->limit * size) : 0;
}

void gauge_take(gauge *g, double entry)
{
    assert(g->count <= g->room);
    if (g->count == g->room) return;
    const double before = g->before[g->count];
    g->now[g->count++] = entry;
    if (g->has_before && entry == before) return;
    const double left = left_of(g, fabs(entry));
    if (left < g->left) g->left = left;
    if (!g->has_before) return;
    const double along = 1 + entry * before;
    const double turned = along > 0 ? fabs(entry - before) / along : HUGE_VAL;
    if (turned > g->turned) g->turned = turned;
}

void gauge_end(gauge *g)
{
    double *const other = g->before;
    g->before = g->now;
    g->now = other;
    g->has_before = true;
}

double gauge_time_left(double left, double speed, double acceleration)
{
    assert(!(speed < 0) && !(acceleration < 0));
    const double down = speed + sqrt(speed * speed + 2 * acceleration * left);
    return 2 * left < HUGE_VAL * down ? 2 * left / down : HUGE_VAL;
}
