#include "newton/bounds.h"

#include <math.h>

static double low_of(const dae_scales *s, size_t j)
{
    return s->minimum && s->minimum[j] > -HUGE_VAL ? s->minimum[j] : -HUGE_VAL;
}

static double high_of(const dae_scales *s, size_t j)
{
    return s->maximum && s->maximum[j] < HUGE_VAL ? s->maximum[j] : HUGE_VAL;
}

dae_status bounds_init(
    bounds *b, const dae_problem *problem, const layout *l, arena *a)
{
    const dae_scales *scales = problem->scales;
    *b = (bounds){0};
    for (size_t j = 0; scales && j < l->unknowns; j++)
        b->count += low_of(scales, j) > -HUGE_VAL
            || high_of(scales, j) < HUGE_VAL;
    if (b->count == 0) return DAE_OK;
    b->at = ARENA_ARRAY(a, bound, b->count);
    if (!b->at) return DAE_MEMORY;
    bound *next = b->at;
    for (size_t j = 0; j < l->unknowns; j++) {
        double low = low_of(scales, j), high = high_of(scales, j);
        if (!(low > -HUGE_VAL || high < HUGE_VAL)) continue;
        *next++ = (bound){.unknown = j,
            .state = l->first[j],
            .low = low,
            .high = high,
            .held = (double)NAN};
    }
    return DAE_OK;
}

static double into(const bound *at, double x)
{
    if (x < at->low) return at->low;
    return x > at->high ? at->high : x;
}

void bounds_clip(const bounds *b, double *x)
{
    for (size_t i = 0; i < b->count; i++) {
        const bound *at = &b->at[i];
        x[at->state] = into(at, x[at->state]);
    }
}

void bounds_clip_led_back(const bounds *b, const double *change, double *x)
{
    for (size_t i = 0; i < b->count; i++) {
        const size_t k = b->at[i].state;
        const double off = into(&b->at[i], x[k]) - x[k];
        if (off * change[k] > 0) x[k] += off;
    }
}

bool bounds_enter(bounds *b, double *x)
{
    bool is_beyond = false;
    for (size_t i = 0; i < b->count; i++) {
        bound *at = &b->at[i];
        double *value = &x[at->state];
        at->kept = *value;
        *value = into(at, at->kept);
        is_beyond |= *value != at->kept;
    }
    return is_beyond;
}

void bounds_leave(const bounds *b, double *x)
{
    for (size_t i = 0; i < b->count; i++) x[b->at[i].state] = b->at[i].kept;
}

bool bounds_inside(const bounds *b, const double *w, double *x)
{
    bool has_moved = false;
    for (size_t i = 0; i < b->count; i++) {
        const bound *at = &b->at[i];
        double *value = &x[at->state];
        double room = 0.5 * (at->high - at->low);
        double shift = fmin(1 / w[at->state], room);
        if (*value < at->low + shift) *value = at->low + shift;
        else if (*value > at->high - shift) *value = at->high - shift;
        else continue;
        has_moved = true;
    }
    return has_moved;
}

void bounds_extend(
    const bounds *b, const iteration *matrix, const double *x, double *res)
{
    if (b->count == 0) return;
    const dae_pattern *pattern = iteration_pattern(matrix);
    const double *values = iteration_values(matrix);
    for (size_t i = 0; i < b->count; i++) {
        const bound *at = &b->at[i];
        double beyond = x[at->state] - into(at, x[at->state]);
        if (beyond == 0) continue;
        int64_t p = pattern->column_start[at->state];
        for (; p < pattern->column_start[at->state + 1]; p++)
            res[pattern->row[p]] += values[p] * beyond;
    }
}

double bounds_excess(
    const bounds *b, const double *x, const double *w, size_t *which)
{
    double most = 0;
    for (size_t i = 0; i < b->count; i++) {
        const bound *at = &b->at[i];
        double value = x[at->state];
        double off = fabs(value - into(at, value)) * w[at->state];
        if (!(off > most)) continue;
        most = off;
        if (which) *which = i;
    }
    return most;
}

/* Less than this share of a tolerance is nobody's concern. */
static const double noted = 0.01;

void bounds_note(bounds *b, double t, const double *x, const double *w)
{
    for (size_t i = 0; i < b->count; i++) {
        bound *at = &b->at[i];
        double value = x[at->state];
        if (!isnan(at->held)) continue;
        double off = fabs(value - into(at, value)) * w[at->state];
        if (!(off > noted)) continue;
        at->held = t;
        at->held_low = value < at->low;
    }
}

void bounds_carry(bounds *b, const bounds *other, const int32_t *state)
{
    for (size_t k = 0; k < other->count; k++) {
        const bound *from = &other->at[k];
        if (isnan(from->held)) continue;
        for (size_t i = 0; i < b->count; i++) {
            bound *at = &b->at[i];
            if (state[at->state] != (int32_t)from->state) continue;
            at->held = from->held;
            at->held_low = from->held_low;
        }
    }
}
