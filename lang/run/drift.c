#include "run/drift.h"

double drift_mean(const drift *d)
{
    const double length = fabs(d->t - d->begin);
    return length > 0 ? d->integral / length : fabs(d->last);
}
