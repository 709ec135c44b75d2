/* Called where conflicts are found, so that diagnostics and findings say the
 * same; the last point is kept in the end, whatever the outcome. */
#include "init/record.h"
#include "init/sides.h"
#include <math.h>
#include <string.h>

dae_status record_conflict(const init_system *s, const int32_t *rows,
    size_t row_count, const int32_t *slots, size_t slot_count)
{
    init_findings *f = s->request->findings;
    if (!f) return DAE_OK;
    init_party *list = ARENA_ARRAY(
        &f->arena, init_party, row_count + slot_count);
    if (!list) return DAE_MEMORY;
    f->conflicts = list;
    f->conflict_count = row_count + slot_count;
    for (size_t k = 0; k < row_count; k++) {
        const size_t i = (size_t)rows[k];
        const bool is_f = i < s->equations;
        *list = (init_party){.kind = is_f ? INIT_EQUATION : INIT_CONDITION,
            .index = is_f ? i : i - s->equations,
            .residual = s->res[i]};
        const dae_status st = sides_of_row(s, i, list++->sides);
        if (st) return st;
    }
    for (size_t k = 0; k < slot_count; k++)
        *list++ = (init_party){.kind = INIT_GIVEN,
            .index = (size_t)slots[k],
            .residual = s->z[slots[k]],
            .sides = {(double)NAN, (double)NAN}};
    return DAE_OK;
}

dae_status record_slot(const init_system *s, size_t slot)
{
    const int32_t only = (int32_t)slot;
    return record_conflict(s, NULL, 0, &only, 1);
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
