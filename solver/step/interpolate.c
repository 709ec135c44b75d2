#include "step/interpolate.h"

void interpolate(
    const history *hi, const layout *l, int k, double t, double *x, double *xp)
{
    double s = t - hi->t;
    if (l->is_first_order) {
        history_at(hi, k, s, 0, hi->states, x, xp);
        return;
    }
    if (x) history_at(hi, k, s, 0, hi->states, x, NULL);
    if (!xp) return;
    for (size_t j = 0; j < l->unknowns; j++) {
        size_t high = l->first[j + 1] - 1;
        history_at(hi, k, s, high, high + 1, NULL, xp + j);
    }
}
