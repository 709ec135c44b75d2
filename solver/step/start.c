#include "step/start.h"

#include "newton/norm.h"

#include <math.h>

/* The share is no round number, so that the first step is no multiple of a
 * period that divides the interval. */
static const double share_of_interval = 0.9271e-3, share_of_tolerance = 0.5;

double start_step(const weights *w, const double *xp, double interval)
{
    double speed = norm_weighted(w->plain, xp, w->layout->states);
    double longest = interval > 0 ? share_of_interval * interval : 1;
    if (!(speed * longest > share_of_tolerance)) return longest;
    return share_of_tolerance / speed;
}
