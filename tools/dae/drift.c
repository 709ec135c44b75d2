#include "drift.h"
#include <math.h>

void drift_see_peak(drift *d, double t, double distance)
{
    const double away = fabs(distance);
    if (!(away > d->largest) && !isnan(away)) return;
    d->largest = away;
    d->at = t;
}

void drift_see(drift *d, double t, double distance)
{
    const double away = fabs(distance);
    if (!d->has_any) d->begin = t;
    else d->integral += fabs(t - d->t) * (fabs(d->last) + away) / 2;
    if (!d->has_any) d->largest = -1;
    drift_see_peak(d, t, distance);
    d->t = t;
    d->last = distance;
    d->has_any = true;
}

double drift_mean(const drift *d)
{
    const double length = fabs(d->t - d->begin);
    return length > 0 ? d->integral / length : fabs(d->last);
}
