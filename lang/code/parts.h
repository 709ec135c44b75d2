/* Parting the rows of a shape by keys. */
#ifndef CODE_PARTS_H
#define CODE_PARTS_H

#include "base/arena.h"
#include <dae/status.h>

#define PART_NONE UINT32_MAX

typedef struct parts {
    arena *memory;
    size_t row_count;
    uint32_t *of; /* part of each row; PART_NONE: in none; NULL: all in
                          part 0 */
    uint32_t count;
    /* after parts_close: rows of part p are rows[start[p]..start[p+1]), or all
     * where `of` is NULL */
    uint32_t *rows, *start;
} parts;

void parts_init(parts *p, arena *memory, size_t row_count);
/* Parts every part by a key below PARTS_KEYS per row; a new part is numbered
 * when its first row comes. */
#define PARTS_KEYS 4
dae_status parts_refine(parts *p, const uint8_t *keys) DAE_MUST_CHECK;
/* Begins with given parts: `of` (in the arena) numbers them in the order of
 * their first rows. */
void parts_start(parts *p, uint32_t *of, uint32_t count);
dae_status parts_close(parts *p) DAE_MUST_CHECK;

static inline size_t parts_size(const parts *p, uint32_t part)
{
    return p->of ? p->start[part + 1] - p->start[part] : p->row_count;
}
/* The rows of a part, or NULL where it is all rows. */
static inline const uint32_t *parts_rows(const parts *p, uint32_t part)
{
    return p->of ? p->rows + p->start[part] : NULL;
}
static inline size_t parts_row(const uint32_t *rows, size_t k)
{
    return rows ? rows[k] : k;
}

#endif
