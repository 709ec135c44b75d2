/* Where unknowns and their derivatives stand in x and xp. */
#ifndef CODE_SLOTS_H
#define CODE_SLOTS_H

#include "code/compile.h"

/* Orders from the equations and the definitions they need (NEED_MODEL). */
dae_status slots_init(compiled *c) DAE_MUST_CHECK;
/* Adds the internal unknowns of chains.borders. */
dae_status slots_close(compiled *c) DAE_MUST_CHECK;
/* E0216 where rows, or definitions with `bit` that the equations do not need,
 * ask for a derivative of an unknown that has no slot. `blocks` name the
 * targets; NULL: they have no names. */
dae_status slots_check(compiled *c, const row_sets *sets, uint16_t bit,
    const equation_blocks *blocks, dae_diagnostics *ds) DAE_MUST_CHECK;

/* What a hole reads in one row: the space and the index in it. */
uint32_t slots_resolve(const compiled *c, const leaf *l, const uint32_t *row,
    bool use_border, program_space *space);

/* Provisional columns and the final ones of the pattern. */
static inline uint32_t slots_border_column(
    const slot_tables *s, uint32_t internal)
{
    return (uint32_t)(s->states + s->unknowns + internal);
}
static inline uint32_t slots_unknown_column(
    const slot_tables *s, uint32_t unknown, unsigned order)
{
    if (unknown >= s->unknowns)
        return slots_border_column(s, unknown - (uint32_t)s->unknowns);
    if (order >= 1 && order == s->order[unknown])
        return (uint32_t)(s->states + unknown);
    return (uint32_t)(s->first[unknown] + order);
}
static inline uint32_t slots_column(const slot_tables *s, uint32_t provisional)
{
    size_t xp_end = s->states + s->unknowns;
    if (provisional < s->states) return provisional;
    if (provisional < xp_end)
        return (uint32_t)(provisional - s->states + s->total_states);
    return (uint32_t)(provisional - xp_end + s->states);
}

#endif
