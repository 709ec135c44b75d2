/* Builds programs: kernels in order of level, neighbours with few rows into
 * one fused section, the others into a block section each; then trims and
 * verifies. */
#include "code/program.h"
#include "code/emit.h"
#include <stdlib.h>

typedef struct ordered {
    uint32_t level;
    size_t kernel;
} ordered;

typedef struct builder {
    program *program;
    const kernel *kernels;
    size_t count;
    ordered *order;
    flattener flat;
    fuser fuser;
    section open;   /* the fused section being made; kernels 0: none */
    uint32_t level; /* of its last kernel */
} builder;

static int compare_order(const void *a, const void *b)
{
    const ordered *x = a, *y = b;
    if (x->level != y->level) return x->level < y->level ? -1 : 1;
    return x->kernel < y->kernel ? -1 : 1;
}

static dae_status close_fused(builder *b)
{
    dae_status st;
    if (b->open.kernels == 0) return DAE_OK;
    if ((st = fuse_finish(&b->fuser, &b->open.scalar, &b->open.slots)))
        return st;
    b->program->counts.fused_instructions += b->open.scalar.count;
    if (!ARRAY_PUSH(b->program->allocator, &b->program->sections, b->open))
        return DAE_MEMORY;
    b->open = (section){0};
    return DAE_OK;
}

static dae_status add_fused(builder *b, const kernel *k)
{
    if (b->open.kernels == 0) b->open.level = k->level;
    else if (b->level != k->level) fuse_level(&b->fuser);
    b->level = k->level;
    b->open.kernels++;
    b->program->counts.fused_kernels++;
    return emit_fused(k, &b->flat, &b->fuser);
}

static dae_status add_block(builder *b, const kernel *k)
{
    dae_status st;
    program *p = b->program;
    if ((st = close_fused(b))) return st;
    if ((st = emit_block(p, k, &b->flat, &b->fuser))) return st;
    const section *s = &p->sections.items[p->sections.count - 1];
    p->counts.instructions += s->code.count + s->scalar.count;
    return DAE_OK;
}

static dae_status add_kernel(builder *b, const kernel *k)
{
    dae_status st;
    program_counts *counts = &b->program->counts;
    if (k->row_count > UINT32_MAX) return DAE_LIMIT;
    for (size_t i = 0; i < k->output_count; i++)
        if ((unsigned)k->outputs[i].out >= OUT_COUNT) return DAE_ARGUMENT;
    for (size_t i = 0; i < k->column_count; i++)
        if ((unsigned)k->columns[i].space >= SPACE_COUNT) return DAE_ARGUMENT;
    if ((st = flatten_kernel(&b->flat, k))) return st;
    counts->kernels++;
    counts->rows += k->row_count;
    if (k->row_count == 0 || k->output_count == 0) return DAE_OK;
    return k->row_count <= PROGRAM_FUSE_ROWS ? add_fused(b, k)
                                             : add_block(b, k);
}

static dae_status add_kernels(builder *b)
{
    dae_status st;
    for (size_t i = 0; i < b->count; i++)
        b->order[i] = (ordered){b->kernels[i].level, i};
    if (b->count > 0)
        qsort(b->order, b->count, sizeof *b->order, compare_order);
    for (size_t i = 0; i < b->count; i++)
        if ((st = add_kernel(b, &b->kernels[b->order[i].kernel]))) return st;
    return close_fused(b);
}

/* Gives back what the arrays do not use. */
#define TRIM(a, array)                                                         \
    trim_array((a), (void **)&(array)->items, (array)->count,                  \
        &(array)->capacity, sizeof *(array)->items)

static void trim_array(const dae_allocator *a, void **items, size_t count,
    size_t *capacity, size_t size)
{
    if (count == 0 || count == *capacity) return;
    void *smaller = alloc_resize(a, *items, *capacity, count, size);
    if (!smaller) return;
    *items = smaller;
    *capacity = count;
}

static void trim(program *p)
{
    const dae_allocator *a = p->allocator;
    TRIM(a, &p->sections);
    TRIM(a, &p->scalar);
    TRIM(a, &p->block);
    TRIM(a, &p->constants);
    TRIM(a, &p->ports);
    TRIM(a, &p->segment_rows);
    TRIM(a, &p->runs);
    TRIM(a, &p->indices);
}

static void measure(program *p)
{
    size_t block = 0;
    for (size_t i = 0; i < p->sections.count; i++) {
        const section *s = &p->sections.items[i];
        size_t bytes = s->is_block ? vm_block_scratch(s) : 0;
        if (s->slots > p->slots) p->slots = s->slots;
        if (bytes > block) block = bytes;
    }
    p->slots = (p->slots + CELL_WIDTH - 1) / CELL_WIDTH * CELL_WIDTH;
    /* 63 bytes to align what malloc gives */
    p->scratch = p->slots * sizeof(double) + block + 63;
}

static dae_status build(builder *b, const shape_pool *pool)
{
    dae_status st;
    const dae_allocator *a = b->program->allocator;
    b->order = alloc_zeroed(a, b->count, sizeof *b->order);
    if (!b->order) return DAE_MEMORY;
    if ((st = flatten_init(&b->flat, pool, a))) return st;
    if ((st = add_kernels(b))) return st;
    trim(b->program);
    measure(b->program);
    return program_verify(b->program);
}

dae_status program_build(const shape_pool *pool, const kernel *kernels,
    size_t count, const program_sizes *sizes, const dae_allocator *allocator,
    program **out)
{
    const dae_allocator *a = alloc_or_default(allocator);
    builder b = {.kernels = kernels, .count = count};
    dae_status st;
    *out = NULL;
    b.program = alloc_zeroed(a, 1, sizeof *b.program);
    if (!b.program) return DAE_MEMORY;
    b.program->allocator = a;
    b.program->sizes = *sizes;
    b.program->lanes = vm_block_lanes();
    if (pool->signals) {
        b.program->tables = pool->signals->numbers;
        b.program->table_count = pool->signals->count;
    }
    fuse_init(&b.fuser, b.program, a);
    st = build(&b, pool);
    flatten_clear(&b.flat);
    fuse_clear(&b.fuser);
    alloc_free(a, b.order, count, sizeof *b.order);
    if (st) program_free(b.program);
    else *out = b.program;
    return st;
}
