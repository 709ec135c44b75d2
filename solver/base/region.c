#include "base/region.h"
#include <math.h>

static region sign_region(double held)
{
    region r = {held > 0 ? 0 : -HUGE_VAL, held < 0 ? 0 : HUGE_VAL};
    if (!(held > 0) && !(held < 0)) r.lower = r.upper = 0;
    return r;
}

region region_of(uint8_t kind, double held)
{
    const region none = {-HUGE_VAL, HUGE_VAL};
    if (isnan(held)) return none;
    switch ((dae_switch_kind)kind) {
    case DAE_SWITCH_BELOW:
    case DAE_SWITCH_NOT_ABOVE: return sign_region(held > 0 ? -1 : 1);
    case DAE_SWITCH_SIGN: return sign_region(held);
    case DAE_SWITCH_FLOOR: return (region){held, held + 1};
    case DAE_SWITCH_CEIL: return (region){held - 1, held};
    }
    return none;
}

double region_value(uint8_t kind, double g)
{
    if (isnan(g)) return g;
    switch ((dae_switch_kind)kind) {
    case DAE_SWITCH_BELOW: return g < 0;
    case DAE_SWITCH_NOT_ABOVE: return g <= 0;
    case DAE_SWITCH_SIGN: return (g > 0) - (g < 0);
    case DAE_SWITCH_FLOOR: return floor(g);
    case DAE_SWITCH_CEIL: return ceil(g);
    }
    return (double)NAN;
}

double region_beside(uint8_t kind, double g, int direction)
{
    const double edge = round(g);
    switch ((dae_switch_kind)kind) {
    case DAE_SWITCH_BELOW:
    case DAE_SWITCH_NOT_ABOVE: return direction < 0;
    case DAE_SWITCH_SIGN: return direction;
    case DAE_SWITCH_FLOOR: return direction < 0 ? edge - 1 : edge;
    case DAE_SWITCH_CEIL: return direction < 0 ? edge : edge + 1;
    }
    return (double)NAN;
}

double region_beyond(region r, double g)
{
    const double above = g - r.upper, below = r.lower - g;
    return isnan(g) ? g : above > below ? above : below;
}
