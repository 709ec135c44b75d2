#include "control/side.h"
#include <math.h>

static bool is_whole(const dae_switch *s)
{
    return s->kind == DAE_SWITCH_FLOOR || s->kind == DAE_SWITCH_CEIL;
}

double side_at(const dae_switch *s, double g)
{
    switch ((dae_switch_kind)s->kind) {
    case DAE_SWITCH_BELOW: return g < 0;
    case DAE_SWITCH_NOT_ABOVE: return g <= 0;
    case DAE_SWITCH_SIGN: return (g > 0) - (g < 0);
    case DAE_SWITCH_FLOOR: return floor(g);
    case DAE_SWITCH_CEIL: return ceil(g);
    }
    return (double)NAN;
}

double side_edge(const dae_switch *s, double g)
{
    return is_whole(s) ? round(g) : 0;
}

double side_beside(const dae_switch *s, double g, bool is_above)
{
    const double edge = side_edge(s, g);
    switch ((dae_switch_kind)s->kind) {
    case DAE_SWITCH_BELOW:
    case DAE_SWITCH_NOT_ABOVE: return !is_above;
    case DAE_SWITCH_SIGN: return is_above ? 1 : -1;
    case DAE_SWITCH_FLOOR: return is_above ? edge : edge - 1;
    case DAE_SWITCH_CEIL: return is_above ? edge + 1 : edge;
    }
    return (double)NAN;
}

double side_beyond(const dae_switch *s, double held, double g)
{
    switch ((dae_switch_kind)s->kind) {
    case DAE_SWITCH_BELOW:
    case DAE_SWITCH_NOT_ABOVE: return held != 0 ? g : -g;
    case DAE_SWITCH_SIGN: return held < 0 ? g : held > 0 ? -g : fabs(g);
    case DAE_SWITCH_FLOOR: return fmax(held - g, g - (held + 1));
    case DAE_SWITCH_CEIL: return fmax(held - 1 - g, g - held);
    }
    return 0;
}
