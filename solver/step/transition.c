#include "step/transition.h"

#include <string.h>

/* Newton's method forgets at every solve whether the Jacobian is new; of an attempt
 * it is where one of its stages had it made. */
newton_outcome transition_solve(transition *s)
{
    newton *nw = s->newton;
    const bool was_fresh = nw->is_fresh;
    const newton_outcome out = newton_solve(nw, &s->task);
    nw->is_fresh = nw->is_fresh || was_fresh;
    return out;
}

newton_outcome transition_stage(
    transition *s, double alpha, const double *base, double *slope)
{
    const layout *l = s->layout;
    newton_task *to = &s->task;
    to->alpha = alpha;
    for (size_t i = 0; i < l->states; i++) {
        to->x[i] = base[i] + slope[i] / alpha;
        s->new_slope[i] = slope[i];
        to->d[i] = 0;
    }
    point p = {.alpha = alpha, .x = to->x, .xp = to->xp, .d = to->d};
    p.slope = s->new_slope;
    predict_chains(l, &p);
    const newton_outcome out = transition_solve(s);
    for (size_t j = 0; j < l->unknowns; j++) {
        const size_t high = l->first[j + 1] - 1;
        for (size_t i = l->first[j]; i < high; i++) slope[i] = to->x[i + 1];
        slope[high] = to->xp[j];
    }
    return out;
}
