#include "edits.h"
#include <stdlib.h>
#include <string.h>

/* ---- arrays as bytes --------------------------------------------------------- */

/* One of a program's arrays, whatever its items are. */
typedef struct view {
    void **items;
    size_t *count, *capacity, size;
} view;

#define VIEW(array)                                                            \
    (view)                                                                     \
    {                                                                          \
        (void **)&(array).items, &(array).count, &(array).capacity,            \
            sizeof *(array).items                                              \
    }

typedef enum which {
    SECTIONS,
    SCALAR,
    BLOCK,
    CONSTANTS,
    PORTS,
    SEGMENTS,
    RUNS,
    INDICES,
    ARRAY_KINDS,
    WHOLE = ARRAY_KINDS /* the program's own fields */
} which;

static view view_of(program *p, which array)
{
    switch (array) {
    case SECTIONS: return VIEW(p->sections);
    case SCALAR: return VIEW(p->scalar);
    case BLOCK: return VIEW(p->block);
    case CONSTANTS: return VIEW(p->constants);
    case PORTS: return VIEW(p->ports);
    case SEGMENTS: return VIEW(p->segment_rows);
    case RUNS: return VIEW(p->runs);
    default: return VIEW(p->indices);
    }
}

/* `count` items in a block of just that size, so that one too far is seen. */
static bool cut(view v, size_t count)
{
    char *copy = malloc(count * v.size + !count);
    if (!copy) return false;
    if (count) memcpy(copy, *v.items, count * v.size);
    free(*v.items);
    *v.items = copy;
    *v.count = *v.capacity = count;
    return true;
}

program *program_copy(const program *from)
{
    program *p = malloc(sizeof *p);
    bool is_whole = true;
    if (!p) return NULL;
    *p = *from;
    p->allocator = dae_allocator_default();
    for (int k = 0; k < ARRAY_KINDS; k++) {
        view v = view_of(p, (which)k);
        char *copy = malloc(*v.count * v.size + !*v.count);
        if (copy && *v.count) memcpy(copy, *v.items, *v.count * v.size);
        is_whole = is_whole && copy;
        *v.items = copy;
        *v.capacity = *v.count;
    }
    if (is_whole) return p;
    program_drop(p);
    return NULL;
}

void program_drop(program *p)
{
    if (!p) return;
    for (int k = 0; k < ARRAY_KINDS; k++) free(*view_of(p, (which)k).items);
    free(p);
}

/* ---- fields ------------------------------------------------------------------- */

/* Some bits of an item. */
typedef struct field {
    which array;
    size_t offset, size; /* bytes, of the number that holds it */
    unsigned shift, bits;
} field;

#define WHOLE_FIELD(array, type, name)                                         \
    {                                                                          \
        array, offsetof(type, name), sizeof(((type *)0)->name), 0,             \
            8 * sizeof(((type *)0)->name)                                      \
    }
#define FLAG(array, type, name)                                                \
    {                                                                          \
        array, offsetof(type, name), sizeof(((type *)0)->name), 0, 1           \
    }
#define HEAD(shift, bits)                                                      \
    {                                                                          \
        SCALAR, offsetof(scalar_ins, head), sizeof(uint32_t), shift, bits      \
    }

static const field fields[] = {
    HEAD(0, 8),
    HEAD(8, 4),
    HEAD(12, 4),
    HEAD(16, 4),
    HEAD(20, 4),
    WHOLE_FIELD(SCALAR, scalar_ins, d),
    WHOLE_FIELD(SCALAR, scalar_ins, a),
    WHOLE_FIELD(SCALAR, scalar_ins, b),
    WHOLE_FIELD(SCALAR, scalar_ins, c),
    WHOLE_FIELD(BLOCK, block_ins, op),
    WHOLE_FIELD(BLOCK, block_ins, vectors),
    WHOLE_FIELD(BLOCK, block_ins, d),
    WHOLE_FIELD(BLOCK, block_ins, a),
    WHOLE_FIELD(BLOCK, block_ins, b),
    WHOLE_FIELD(BLOCK, block_ins, c),
    WHOLE_FIELD(PORTS, block_port, at),
    FLAG(PORTS, block_port, is_output),
    FLAG(PORTS, block_port, is_affine),
    FLAG(PORTS, block_port, is_direct),
    WHOLE_FIELD(PORTS, block_port, reg),
    WHOLE_FIELD(PORTS, block_port, first),
    {SEGMENTS, 0, sizeof(uint32_t), 0, 32},
    WHOLE_FIELD(RUNS, column_run, base),
    WHOLE_FIELD(RUNS, column_run, stride),
    {INDICES, 0, sizeof(uint32_t), 0, 32},
    FLAG(SECTIONS, section, is_block),
    WHOLE_FIELD(SECTIONS, section, scalar.first),
    WHOLE_FIELD(SECTIONS, section, scalar.count),
    WHOLE_FIELD(SECTIONS, section, slots),
    WHOLE_FIELD(SECTIONS, section, code.first),
    WHOLE_FIELD(SECTIONS, section, code.count),
    WHOLE_FIELD(SECTIONS, section, rows),
    WHOLE_FIELD(SECTIONS, section, cells),
    WHOLE_FIELD(SECTIONS, section, port_count),
    WHOLE_FIELD(SECTIONS, section, registers),
    WHOLE_FIELD(SECTIONS, section, run_columns),
    WHOLE_FIELD(SECTIONS, section, first_port),
    WHOLE_FIELD(SECTIONS, section, segments.first),
    WHOLE_FIELD(SECTIONS, section, segments.count),
    WHOLE_FIELD(SECTIONS, section, first_run),
    WHOLE_FIELD(WHOLE, program, slots),
    WHOLE_FIELD(WHOLE, program, scratch),
    WHOLE_FIELD(WHOLE, program, lanes),
};
#define FIELD_COUNT (sizeof fields / sizeof *fields)

static uint64_t number_get(const void *at, size_t size)
{
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (size) {
    case 1: memcpy(&one, at, 1); return one;
    case 2: memcpy(&two, at, 2); return two;
    case 4: memcpy(&four, at, 4); return four;
    default: memcpy(&eight, at, 8); return eight;
    }
}

static void number_set(void *at, size_t size, uint64_t value)
{
    uint8_t one = (uint8_t)value;
    uint16_t two = (uint16_t)value;
    uint32_t four = (uint32_t)value;
    switch (size) {
    case 1: memcpy(at, &one, 1); return;
    case 2: memcpy(at, &two, 2); return;
    case 4: memcpy(at, &four, 4); return;
    default: memcpy(at, &value, 8); return;
    }
}

static uint64_t field_mask(const field *f)
{
    return f->bits == 64 ? UINT64_MAX : ((uint64_t)1 << f->bits) - 1;
}

static uint64_t field_get(const field *f, const char *item)
{
    uint64_t all = number_get(item + f->offset, f->size);
    return all >> f->shift & field_mask(f);
}

static void field_set(const field *f, char *item, uint64_t value)
{
    uint64_t all = number_get(item + f->offset, f->size);
    uint64_t mask = field_mask(f) << f->shift;
    all = (all & ~mask) | (value << f->shift & mask);
    number_set(item + f->offset, f->size, all);
}

/* ---- records ------------------------------------------------------------------ */

typedef enum manner { SET, PLUS, FLIP, COPY, SWAP, FAR, MANNERS } manner;

/* The other item that COPY and SWAP mean. */
static char *other_item(view v, uint32_t value)
{
    return (char *)*v.items + value % *v.count * v.size;
}

static void swap_items(char *a, char *b, size_t size)
{
    for (size_t k = 0; k < size; k++) {
        char kept = a[k];
        a[k] = b[k];
        b[k] = kept;
    }
}

static void change(const field *f, manner how, char *item, uint32_t value)
{
    int64_t by = (int32_t)value;
    if (how == SET) field_set(f, item, value);
    else if (how == PLUS) field_set(f, item, field_get(f, item) + (uint64_t)by);
    else if (how == FLIP) field_set(f, item, field_get(f, item) ^ value);
    else field_set(f, item, (uint64_t)by << 32); /* FAR: where it wraps */
}

void program_edit(program *p, const uint8_t record[EDIT_SIZE])
{
    size_t what = record[0] % (FIELD_COUNT + ARRAY_KINDS);
    manner how = (manner)(record[1] % MANNERS);
    size_t at = record[2] | (size_t)record[3] << 8;
    uint32_t value = (uint32_t)record[4] | (uint32_t)record[5] << 8
        | (uint32_t)record[6] << 16 | (uint32_t)record[7] << 24;
    if (what >= FIELD_COUNT) {
        view v = view_of(p, (which)(what - FIELD_COUNT));
        if (*v.count) (void)cut(v, at % *v.count);
        return;
    }
    const field *f = &fields[what];
    if (f->array == WHOLE) {
        change(f, how, (char *)p, value);
        return;
    }
    view v = view_of(p, f->array);
    if (*v.count == 0) return;
    char *item = (char *)*v.items + at % *v.count * v.size;
    if (how == COPY) field_set(f, item, field_get(f, other_item(v, value)));
    else if (how == SWAP) swap_items(item, other_item(v, value), v.size);
    else change(f, how, item, value);
}
