#include "step/one_step.h"

newton_outcome one_step_slopes(transition *s, double t, double *slope)
{
    const layout *l = s->layout;
    newton_task at = s->task;
    at.t = t;
    const newton_outcome out = newton_slopes(s->newton, &at);
    for (size_t j = 0; j < l->unknowns; j++) {
        const size_t high = l->first[j + 1] - 1;
        for (size_t i = l->first[j]; i < high; i++) slope[i] = at.x[i + 1];
        slope[high] = at.xp[j];
    }
    return out;
}
