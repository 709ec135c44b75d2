#include "code/parts.h"
#include <string.h>

void parts_init(parts *p, arena *memory, size_t row_count)
{
    *p = (parts){.memory = memory, .row_count = row_count};
    p->count = row_count > 0;
}

void parts_start(parts *p, uint32_t *of, uint32_t count)
{
    p->of = of;
    p->count = count;
    for (size_t r = 0; r < p->row_count; r++)
        if (of[r] != 0) return;
    p->of = NULL; /* all rows, one part */
}

static bool is_uniform(const parts *p, const uint8_t *keys)
{
    size_t r = 0;
    while (r < p->row_count && p->of && p->of[r] == PART_NONE) r++;
    for (size_t first = r; r < p->row_count; r++)
        if (keys[r] != keys[first] && (!p->of || p->of[r] != PART_NONE))
            return false;
    return true;
}

dae_status parts_refine(parts *p, const uint8_t *keys)
{
    if (is_uniform(p, keys)) return DAE_OK;
    size_t places = (size_t)p->count * PARTS_KEYS;
    uint32_t *number = ARENA_ARRAY(p->memory, uint32_t, places);
    if (!number) return DAE_MEMORY;
    if (!p->of) p->of = ARENA_ARRAY(p->memory, uint32_t, p->row_count);
    if (!p->of) return DAE_MEMORY;
    p->count = 0;
    for (size_t r = 0; r < p->row_count; r++) {
        if (p->of[r] == PART_NONE) continue;
        uint32_t *n = &number[(size_t)p->of[r] * PARTS_KEYS + keys[r]];
        if (*n == 0) *n = ++p->count;
        p->of[r] = *n - 1;
    }
    return DAE_OK;
}

dae_status parts_close(parts *p)
{
    if (!p->of) return DAE_OK;
    p->start = ARENA_ARRAY(p->memory, uint32_t, (size_t)p->count + 2);
    p->rows = ARENA_ARRAY(p->memory, uint32_t, p->row_count);
    if (!p->start || !p->rows) return DAE_MEMORY;
    uint32_t *next = p->start + 1; /* moves up to the next part's start */
    for (size_t r = 0; r < p->row_count; r++)
        if (p->of[r] != PART_NONE) next[p->of[r] + 1]++;
    for (uint32_t k = 0; k < p->count; k++) next[k + 1] += next[k];
    for (size_t r = 0; r < p->row_count; r++)
        if (p->of[r] != PART_NONE) p->rows[next[p->of[r]]++] = (uint32_t)r;
    return DAE_OK;
}
