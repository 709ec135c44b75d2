/* Another set of states: divided differences of what has become one. */
#include "step/carry.h"
#include <string.h>

/* Differences of a state from its values at the points of the history. */
static void differences(const history *hi, const carry_source *s,
    int32_t column, double *difference)
{
    const int count = s->count < hi->count ? s->count : hi->count;
    for (int k = 0; k < HISTORY_ROWS; k++)
        difference[k] = k < count ? s->values[k][column] : 0;
    for (int i = 1; i < count; i++)
        for (int k = count - 1; k >= i; k--)
            difference[k] = (difference[k - 1] - difference[k])
                / (hi->back[k] - hi->back[k - i]);
    for (int k = 0; k < count; k++) difference[k] *= hi->scale[k];
}

static void carry_history(
    history *to, const history *from, const carry_source *source)
{
    double difference[HISTORY_ROWS];
    to->count = from->count;
    to->t = from->t;
    memcpy(to->scale, from->scale, sizeof to->scale);
    memcpy(to->back, from->back, sizeof to->back);
    for (size_t i = 0; i < to->states; i++) {
        const int32_t old = source->state[i];
        if (old < 0) differences(from, source, source->column[i], difference);
        for (int k = 0; k < from->count; k++)
            to->phi[k][i] = old < 0 ? difference[k] : from->phi[k][old];
    }
}

void stepper_carry(stepper *to, const stepper *from, const carry_source *source)
{
    const layout *l = to->layout;
    carry_history(&to->history, &from->history, source);
    to->selector = from->selector;
    to->grid = from->grid;
    to->estimates = from->estimates;
    to->h = from->h;
    to->h_max = from->h_max;
    to->t_end = from->t_end;
    to->last_h = from->last_h;
    to->t_start = from->t_start;
    to->interval = from->interval;
    to->last_order = from->last_order;
    to->is_first = from->is_first;
    to->shortened = from->shortened;
    to->progress = from->progress;
    to->point.t = from->history.t;
    to->point.alpha = from->point.alpha;
    memset(to->point.d, 0, l->states * sizeof *to->point.d);
    weights_add_noise(to->weights, to->point.d);
    weights_update(to->weights, to->history.phi[0], to->h);
}
