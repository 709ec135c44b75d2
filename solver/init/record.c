/* Called where conflicts are found, so that diagnostics and findings say the
 * same; the last point is kept in the end, whatever the outcome. */
#include "init/record.h"
#include "init/fences.h"
#include "init/sides.h"
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
