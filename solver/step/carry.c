/* Another set of states: divided differences of what has become one. */
#include "step/carry.h"
#include "step/damping.h"
#include "step/regrid.h"
#include <math.h>
#include <string.h>

/* Points of the history at different times: after a start, and after a history
 * was begun anew, others coincide, and the values of before are not theirs. */
static int distinct_points(const history *hi, int count)
{
    int points = 1;
    while (points < count && points < hi->count
        && fabs(hi->past[points]) > fabs(hi->past[points - 1]))
        points++;
    return points;
}

/* Differences of a state from its values at those points, or where there is
 * only one, from its slope there (NaN: it has none); higher ones are not known. */
static void differences(const history *hi, const carry_source *s,
    int32_t column, double slope, bool is_moved, double *difference)
{
    const int count = distinct_points(hi, s->count);
    for (int k = 0; k < HISTORY_ROWS; k++)
        difference[k] = k < count ? s->values[k][column] : 0;
    for (int i = 1; i < count; i++)
        for (int k = count - 1; k >= i; k--)
            difference[k] = (difference[k - 1] - difference[k])
                / (hi->past[k] - hi->past[k - i]);
    if (is_moved) regrid_differences(difference, count, hi->past, hi->back);
    if (count == 1) difference[1] = isnan(slope) ? 0 : slope;
    /* a cubic by values and slopes: of the one before the slope is not known */
    if (count == 1 && s->count > 1 && hi->count > 2 && fabs(hi->back[2]) > 0) {
        const double h = hi->back[2];
        const double change = s->values[0][column] - s->values[1][column];
        if (isnan(slope)) difference[1] = slope = change / h;
        difference[2] = (slope - change / h) / h;
    }
    for (int k = 0; k < hi->count; k++) difference[k] *= hi->scale[k];
}

/* What had no derivative had a slope for show, and has its own now: the end of the
 * cubic by values and slopes turns, whose values at both ends stay. */
static void turn(history *hi, size_t i, double slope)
{
    const double change = slope * hi->scale[1] - hi->phi[1][i];
    for (int k = 1; k < 4; k++) hi->phi[k][i] += change;
}

static void carry_unknown(
    stepper *to, const history *from, const carry_source *source, size_t j)
{
    const layout *l = to->layout;
    const size_t last = l->first[j + 1] - 1;
    const bool is_cubic = to->formula->one_step && from->count == 4;
    double difference[HISTORY_ROWS];
    for (size_t i = l->first[j]; i <= last; i++) {
        const int32_t old = source->state[i];
        const double slope = i < last ? to->point.x[i + 1]
            : l->order[j] > 0         ? to->point.xp[j]
                                      : (double)NAN;
        if (old < 0)
            differences(from, source, source->column[i], slope,
                to->formula->needs_equal_steps, difference);
        for (int k = 0; k < from->count; k++)
            to->history.phi[k][i] = old < 0 ? difference[k] : from->phi[k][old];
        if (is_cubic && old >= 0 && !isnan(slope)) turn(&to->history, i, slope);
    }
}

static void carry_history(
    stepper *to, const history *from, const carry_source *source)
{
    history *hi = &to->history;
    hi->count = from->count;
    hi->t = from->t;
    hi->has_ahead = from->has_ahead;
    memcpy(hi->scale, from->scale, sizeof hi->scale);
    memcpy(hi->back, from->back, sizeof hi->back);
    memcpy(hi->past, from->past, sizeof hi->past);
    for (size_t j = 0; j < to->layout->unknowns; j++)
        carry_unknown(to, from, source, j);
}

void stepper_carry(stepper *to, const stepper *from, const carry_source *source)
{
    const layout *l = to->layout;
    carry_history(to, &from->history, source);
    to->selector = from->selector;
    damping_carry(to, from);
    if (from->starter.left > 0) {
        to->selector.only = 0;
        selector_start(&to->selector);
    }
    to->grid = from->grid;
    to->estimates = from->estimates;
    to->h = from->h;
    to->h_max = from->h_max;
    to->t_end = from->t_end;
    to->t_stop = from->t_stop;
    to->wish = from->wish;
    to->last_h = from->last_h;
    to->t_start = from->t_start;
    to->interval = from->interval;
    to->last_order = from->last_order;
    to->is_first = from->is_first;
    to->has_line = from->has_line;
    to->shortened = from->shortened;
    to->progress = from->progress;
    to->fixed = from->fixed;
    to->fixed.alike = 0;
    to->point.t = from->history.t;
    to->point.alpha = from->point.alpha;
    to->is_lifted = false;
    memset(to->point.d, 0, l->states * sizeof *to->point.d);
    weights_add_noise(to->weights, to->point.d);
    weights_update(to->weights, to->history.phi[0], to->h);
    method_carry(to, from, source);
    bounds_carry(&to->newton->bounds, &from->newton->bounds, source->state);
}
