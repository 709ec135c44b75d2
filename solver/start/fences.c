/* Searches keep to bounds, so a set may be one that does not hold for these alone:
 * first all of them are taken away, then one after the other (the deletion
 * filter, [Chi08 6]). */
#include "start/fences.h"
#include <math.h>

/* Each is asked about once. */
enum { MOST = 64 };

static double *side(const init_system *s, int32_t fence)
{
    double *of = fence_is_maximum(fence) ? s->high : s->low;
    return &of[fence_slot(fence)];
}

double fence_value(const init_system *s, int32_t fence)
{
    return *side(s, fence);
}

static void take_away(const init_system *s, int32_t fence)
{
    *side(s, fence) = fence_is_maximum(fence) ? (double)INFINITY
                                              : -(double)INFINITY;
}

/* The finite ones; more than MOST: their number alone. */
static size_t list_all(
    const init_system *s, const uint8_t *is_in, int32_t *list)
{
    size_t count = 0;
    for (size_t k = 0; k < s->slots; k++) {
        for (int is_high = 0; is_high < 2 && is_in[k]; is_high++) {
            const int32_t fence = fence_of(k, is_high);
            if (!isfinite(*side(s, fence))) continue;
            if (count < MOST) list[count] = fence;
            count++;
        }
    }
    return count;
}

/* Takes away those that are not needed; *count := 0: that is not known. */
static dae_status leave_out(init_system *s, const double *values,
    fences_ask *ask, void *self, int32_t *list, size_t *count)
{
    const size_t all = *count;
    bool holds, is_spent;
    *count = 0;
    for (size_t k = 0; k < all; k++) take_away(s, list[k]);
    dae_status st = ask(self, &holds, &is_spent);
    if (st || !holds || is_spent) return st;
    for (size_t k = 0; k < all; k++) *side(s, list[k]) = values[k];
    for (size_t k = 0; k < all; k++) {
        take_away(s, list[k]);
        if ((st = ask(self, &holds, &is_spent))) return st;
        if (is_spent) {
            *count = 0;
            return DAE_OK;
        }
        if (!holds) continue;
        *side(s, list[k]) = values[k];
        list[(*count)++] = list[k];
    }
    return DAE_OK;
}

dae_status fences_find(init_system *s, const uint8_t *is_in, fences_ask *ask,
    void *self, int32_t **list, size_t *count)
{
    double values[MOST];
    int32_t all[MOST];
    *list = ARENA_ARRAY(&s->arena, int32_t, MOST);
    if (!*list) return DAE_MEMORY;
    const size_t found = list_all(s, is_in, *list);
    *count = 0;
    if (found == 0 || found > MOST) return DAE_OK;
    for (size_t k = 0; k < found; k++) {
        all[k] = (*list)[k];
        values[k] = *side(s, all[k]);
    }
    *count = found;
    const dae_status st = leave_out(s, values, ask, self, *list, count);
    for (size_t k = 0; k < found; k++) *side(s, all[k]) = values[k];
    return st;
}
