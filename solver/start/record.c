/* Called where conflicts are found, so that diagnostics and findings say the
 * same; the last point is kept in the end, whatever the outcome. */
#include "start/record.h"
#include "start/fences.h"
#include "start/sides.h"
#include <math.h>
#include <string.h>

static dae_status record_row(const init_system *s, size_t i, init_party *to)
{
    const bool is_f = i < s->equations;
    *to = (init_party){.kind = is_f ? INIT_EQUATION : INIT_CONDITION,
        .index = is_f ? i : i - s->equations,
        .residual = s->res[i]};
    return sides_of_row(s, i, to->sides);
}

dae_status record_conflict(const init_system *s, const blame *b)
{
    init_findings *f = s->request->findings;
    const double none = (double)NAN;
    if (!f) return DAE_OK;
    const size_t count = b->row_count + b->slot_count + b->fence_count;
    init_party *list = ARENA_ARRAY(&f->arena, init_party, count);
    if (!list) return DAE_MEMORY;
    f->conflicts = list;
    f->conflict_count = count;
    for (size_t k = 0; k < b->row_count; k++) {
        const dae_status st = record_row(s, (size_t)b->rows[k], list++);
        if (st) return st;
    }
    for (size_t k = 0; k < b->slot_count; k++)
        *list++ = (init_party){.kind = INIT_GIVEN,
            .index = (size_t)b->slots[k],
            .residual = s->z[b->slots[k]],
            .sides = {none, none}};
    for (size_t k = 0; k < b->fence_count; k++)
        *list++ = (init_party){.kind = fence_is_maximum(b->fences[k])
                ? INIT_MAXIMUM
                : INIT_MINIMUM,
            .index = fence_slot(b->fences[k]),
            .residual = fence_value(s, b->fences[k]),
            .sides = {none, none}};
    return DAE_OK;
}

dae_status record_slot(const init_system *s, size_t slot)
{
    int32_t only = (int32_t)slot;
    const int32_t fence = fence_of(slot, s->z[slot] > s->high[slot]);
    const blame b = {
        .slots = &only, .slot_count = 1, .fences = &fence, .fence_count = 1};
    return record_conflict(s, &b);
}

static size_t at_most(size_t count)
{
    return count < INIT_STALLED_MOST ? count : INIT_STALLED_MOST;
}

static dae_status record_left(
    const init_system *s, const split_part *b, init_findings *f)
{
    init_party *list = ARENA_ARRAY(
        &f->arena, init_party, at_most(b->row_count));
    if (!list) return DAE_MEMORY;
    f->left = list;
    f->left_count = 0;
    for (size_t i = 0; i < b->row_count; i++) {
        const size_t row = (size_t)b->rows[i];
        if (unknowns_ratio(s, row) <= 1) continue;
        if (f->left_count == INIT_STALLED_MOST) break;
        const dae_status st = record_row(s, row, &list[f->left_count++]);
        if (st) return st;
    }
    return DAE_OK;
}

dae_status record_stall(const init_system *s, const split_part *b)
{
    init_findings *f = s->request->findings;
    if (!f) return DAE_OK;
    const size_t count = at_most(b->slot_count);
    int32_t *slots = ARENA_ARRAY(&f->arena, int32_t, count);
    double *guess = ARENA_ARRAY(&f->arena, double, count);
    double *low = ARENA_ARRAY(&f->arena, double, count);
    double *high = ARENA_ARRAY(&f->arena, double, count);
    if (!slots || !guess || !low || !high) return DAE_MEMORY;
    for (size_t j = 0; j < count; j++) {
        const size_t k = (size_t)b->slots[j];
        slots[j] = b->slots[j];
        guess[j] = s->guess[k];
        low[j] = s->z[k] <= s->low[k] ? s->low[k] : (double)NAN;
        high[j] = s->z[k] >= s->high[k] ? s->high[k] : (double)NAN;
    }
    f->stalled = slots;
    f->stalled_guess = guess;
    f->stalled_low = low;
    f->stalled_high = high;
    f->stalled_count = count;
    return record_left(s, b, f);
}

static init_outcome outcome_of(dae_status status)
{
    if (status == DAE_OK) return INIT_CONSISTENT;
    return status == DAE_INCONSISTENT ? INIT_CONTRADICTORY : INIT_UNSOLVED;
}

dae_status record_end(
    const init_system *s, dae_status status, int64_t iterations)
{
    init_findings *f = s->request->findings;
    if (!f) return DAE_OK;
    f->outcome = outcome_of(status);
    f->iterations = iterations;
    f->slot_count = s->slots;
    f->homotopy_count = s->homotopy_count;
    f->homotopy_slot = s->homotopy_slot;
    f->homotopy_guess = s->guess[s->homotopy_slot];
    f->z = ARENA_ARRAY(&f->arena, double, s->slots);
    if (!f->z) return DAE_MEMORY;
    memcpy(f->z, s->z, s->slots * sizeof *f->z);
    f->residual = 0;
    for (size_t i = 0; i < s->rows; i++) {
        if (!isfinite(s->res[i])) f->residual = (double)NAN;
        else f->residual = fmax(f->residual, unknowns_ratio(s, i));
        if (isnan(f->residual)) break;
    }
    return DAE_OK;
}
