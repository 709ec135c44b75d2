/* Builds programs: kernels in order of level, neighbours with few rows into
 * one fused section, the others into block sections; then trims and verifies.
 *
 * Kernels of a level over as many rows that read the same columns often compute
 * the same: the equations of one loop, the components of a vector. One that only
 * stores may run earlier, so it joins the one before if that saves operations. */
#include "code/program.h"
#include "code/emit.h"
#include <stdlib.h>
#include <string.h>

typedef struct ordered {
    uint32_t level;
    size_t rows, kernel;
} ordered;

/* Kernels that become one block section. */
typedef struct joint {
    ARRAY(kernel_column) columns;
    ARRAY(kernel_output) outputs;
    ARRAY(uint32_t) map; /* columns of the next one in those */
    size_t count;
} joint;

typedef struct builder {
    program *program;
    const kernel *kernels;
    size_t count;
    ordered *order;
    size_t *
        next; /* by kernel: the next one of the level over as many rows, or SIZE_MAX */
    bool *is_taken; /* by kernel */
    joint joint;
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

static int compare_rows(const void *a, const void *b)
{
    const ordered *x = a, *y = b;
    if (x->level == y->level && x->rows != y->rows)
        return x->rows < y->rows ? -1 : 1;
    return compare_order(a, b);
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

static bool only_stores(const kernel *k)
{
    for (size_t i = 0; i < k->output_count; i++)
        if (k->outputs[i].add) return false;
    return k->output_count > 0;
}

static dae_status take_joint(builder *b, const kernel *k)
{
    const dae_allocator *a = b->program->allocator;
    joint *j = &b->joint;
    j->columns.count = j->outputs.count = 0;
    j->count = 1;
    for (size_t i = 0; i < k->column_count; i++)
        if (!ARRAY_PUSH(a, &j->columns, k->columns[i])) return DAE_MEMORY;
    for (size_t i = 0; i < k->output_count; i++)
        if (!ARRAY_PUSH(a, &j->outputs, k->outputs[i])) return DAE_MEMORY;
    return DAE_OK;
}

/* Column `c` among the first `count` of the joint, or `count`. */
static size_t find_column(
    const joint *j, size_t count, const kernel_column *c, size_t rows)
{
    for (size_t i = 0; i < count; i++) {
        const kernel_column *other = &j->columns.items[i];
        if (other->space == c->space
            && memcmp(other->index, c->index, rows * sizeof *c->index) == 0)
            return i;
    }
    return count;
}

static dae_status map_columns(builder *b, const kernel *k)
{
    const dae_allocator *a = b->program->allocator;
    joint *j = &b->joint;
    size_t before = j->columns.count;
    j->map.count = 0;
    for (size_t i = 0; i < k->column_count; i++) {
        const kernel_column *c = &k->columns[i];
        size_t at = find_column(j, before, c, k->row_count);
        if (at == before) at = j->columns.count;
        if (at == j->columns.count && !ARRAY_PUSH(a, &j->columns, *c))
            return DAE_MEMORY;
        if (!ARRAY_PUSH(a, &j->map, (uint32_t)at)) return DAE_MEMORY;
    }
    return DAE_OK;
}

static dae_status join(builder *b, const kernel *k, bool *is_joined)
{
    dae_status st;
    const dae_allocator *a = b->program->allocator;
    joint *j = &b->joint;
    size_t columns = j->columns.count;
    if ((st = map_columns(b, k))) return st;
    if ((st = flatten_join(&b->flat, k, j->map.items, is_joined))) return st;
    if (!*is_joined) j->columns.count = columns;
    if (!*is_joined) return DAE_OK;
    j->count++;
    for (size_t i = 0; i < k->output_count; i++)
        if (!ARRAY_PUSH(a, &j->outputs, k->outputs[i])) return DAE_MEMORY;
    return DAE_OK;
}

/* Those that follow and share operations with it, up to the first that does not. */
static dae_status join_followers(builder *b, kernel *k, size_t number)
{
    dae_status st = take_joint(b, k);
    joint *j = &b->joint;
    bool is_joined = true;
    for (size_t n = b->next[number]; n != SIZE_MAX && is_joined && !st;
         n = b->next[n]) {
        is_joined = only_stores(&b->kernels[n]);
        if (is_joined) st = join(b, &b->kernels[n], &is_joined);
        b->is_taken[n] = is_joined;
    }
    k->columns = j->columns.items;
    k->column_count = j->columns.count;
    k->outputs = j->outputs.items;
    k->output_count = j->outputs.count;
    return st;
}

static dae_status add_block(builder *b, size_t number)
{
    dae_status st;
    program *p = b->program;
    kernel k = b->kernels[number];
    if ((st = close_fused(b))) return st;
    if ((st = join_followers(b, &k, number))) return st;
    if ((st = emit_block(p, &k, &b->flat, &b->fuser))) return st;
    section *s = &p->sections.items[p->sections.count - 1];
    s->kernels = b->joint.count;
    p->counts.instructions += s->code.count + s->scalar.count;
    return DAE_OK;
}

static dae_status check_kernel(const kernel *k)
{
    if (k->row_count > UINT32_MAX) return DAE_LIMIT;
    for (size_t i = 0; i < k->output_count; i++)
        if ((unsigned)k->outputs[i].out >= OUT_COUNT) return DAE_ARGUMENT;
    for (size_t i = 0; i < k->column_count; i++)
        if ((unsigned)k->columns[i].space >= SPACE_COUNT) return DAE_ARGUMENT;
    return DAE_OK;
}

static dae_status add_kernel(builder *b, size_t number)
{
    dae_status st;
    program_counts *counts = &b->program->counts;
    const kernel *k = &b->kernels[number];
    counts->kernels++;
    counts->rows += k->row_count;
    if (b->is_taken[number]) return DAE_OK;
    if ((st = flatten_kernel(&b->flat, k))) return st;
    if (k->row_count == 0 || k->output_count == 0) return DAE_OK;
    return k->row_count <= PROGRAM_FUSE_ROWS ? add_fused(b, k)
                                             : add_block(b, number);
}

/* In the order of levels, with what may join whom. */
static void order_kernels(builder *b)
{
    size_t count = b->count;
    for (size_t i = 0; i < count; i++)
        b->order[i] = (ordered){
            b->kernels[i].level, b->kernels[i].row_count, i};
    qsort(b->order, count, sizeof *b->order, compare_rows);
    for (size_t i = 0; i < count; i++) {
        const ordered *o = &b->order[i];
        bool is_last = i + 1 == count || o[1].level != o->level
            || o[1].rows != o->rows;
        b->next[o->kernel] = is_last ? SIZE_MAX : o[1].kernel;
    }
    qsort(b->order, count, sizeof *b->order, compare_order);
}

static dae_status add_kernels(builder *b)
{
    dae_status st;
    for (size_t i = 0; i < b->count; i++)
        if ((st = check_kernel(&b->kernels[i]))) return st;
    if (b->count > 0) order_kernels(b);
    for (size_t i = 0; i < b->count; i++)
        if ((st = add_kernel(b, b->order[i].kernel))) return st;
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
    b->next = alloc_zeroed(a, b->count, sizeof *b->next);
    b->is_taken = alloc_zeroed(a, b->count, sizeof *b->is_taken);
    if (!b->order || !b->next || !b->is_taken) return DAE_MEMORY;
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
    alloc_free(a, b.next, count, sizeof *b.next);
    alloc_free(a, b.is_taken, count, sizeof *b.is_taken);
    ARRAY_FREE(a, &b.joint.columns);
    ARRAY_FREE(a, &b.joint.outputs);
    ARRAY_FREE(a, &b.joint.map);
    if (st) program_free(b.program);
    else *out = b.program;
    return st;
}
