/* Who stores and who adds, what is cleared, and the program of a set. */
#include "code/kernels.h"
#include "code/parts.h"
#include <string.h>

/* What is known of each target of one out array while kernels are taken in
 * the order they run: 0: nothing wrote it; 2*k + 2: kernel k alone, once;
 * 2*k + 3: kernel k, more than once. */
typedef struct touched {
    size_t count;
    uint32_t *by;
    uint8_t *clear;
} touched;

static dae_status take_touched(arena *memory, touched *t, size_t count)
{
    t->count = count;
    t->by = ARENA_ARRAY(memory, uint32_t, count);
    t->clear = ARENA_ARRAY(memory, uint8_t, count);
    return t->by && t->clear ? DAE_OK : DAE_MEMORY;
}

/* Notes the targets of one output; true where another kernel was first. */
static bool note_targets(
    touched *t, const kernel_output *o, size_t rows, uint32_t once)
{
    bool is_late = false;
    for (size_t r = 0; r < rows; r++) {
        uint32_t *by = &t->by[o->target[r]];
        if (*by == 0) *by = once;
        else if (*by == once) *by = once + 1;
        else if (*by != once + 1) is_late = true;
    }
    return is_late;
}

static bool is_shared(
    const touched *t, const kernel_output *o, size_t rows, uint32_t once)
{
    for (size_t r = 0; r < rows; r++)
        if (t->by[o->target[r]] != once) return true;
    return false;
}

static void decide_kernel(touched *tables, kernel_item *item, uint32_t k)
{
    uint32_t once = 2 * k + 2;
    size_t rows = item->kernel.row_count;
    for (size_t o = 0; o < item->kernel.output_count; o++) {
        kernel_output *out = &item->outputs[o];
        out->add = note_targets(&tables[out->out], out, rows, once);
    }
    for (size_t o = 0; o < item->kernel.output_count; o++) {
        kernel_output *out = &item->outputs[o];
        touched *t = &tables[out->out];
        if (!out->add) out->add = is_shared(t, out, rows, once);
        for (size_t r = 0; r < rows && out->add; r++)
            if (t->by[out->target[r]] >= once) t->clear[out->target[r]] = 1;
    }
}

static void note_links(touched *t, const chain_link *links, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (t->by[links[k].target] == 0) t->clear[links[k].target] = 1;
}

static dae_status take_ranges(
    const dae_allocator *a, task *out, int which, const touched *t)
{
    for (size_t i = 0; i < t->count;) {
        if (!t->clear[i]) {
            i++;
            continue;
        }
        index_range range = {(uint32_t)i, (uint32_t)i};
        while (i < t->count && t->clear[i]) i++;
        range.end = (uint32_t)i;
        if (!ARRAY_PUSH(a, &out->clear[which], range)) return DAE_MEMORY;
        out->clears = true;
    }
    return DAE_OK;
}

static program_sizes sizes_of(const compiled *c, const task_request *request)
{
    program_sizes sizes = {0};
    sizes.space[SPACE_X] = c->slots.total_states;
    sizes.space[SPACE_XP] = c->slots.total;
    sizes.space[SPACE_PARAM] = c->s->param_values.count;
    sizes.space[SPACE_DEF] = c->defs.count;
    sizes.space[SPACE_TIME] = 1;
    sizes.space[SPACE_HELD] = c->held_count + 1;
    sizes.out[OUT_MAIN] = request->main_count;
    sizes.out[OUT_DEF] = c->defs.count;
    sizes.out[OUT_JAC] = c->temp_count;
    return sizes;
}

static dae_status decide(kernel_set *k, const task_request *request,
    const program_sizes *sizes, task *out)
{
    touched tables[OUT_COUNT];
    dae_status st = DAE_OK;
    if (k->items.count > UINT32_MAX / 2 - 2) return DAE_LIMIT;
    for (int o = 0; o < OUT_COUNT && !st; o++)
        st = take_touched(&k->c->scratch, &tables[o], sizes->out[o]);
    if (st) return st;
    for (size_t i = 0; i < k->items.count; i++)
        decide_kernel(tables, &k->items.items[i], (uint32_t)i);
    note_links(&tables[OUT_MAIN], request->outer, request->outer_count);
    note_links(&tables[OUT_JAC], request->inner, request->inner_count);
    touched *primary = &tables[OUT_MAIN];
    for (size_t i = 0; i < primary->count && request->clear_untouched; i++)
        if (primary->by[i] == 0) primary->clear[i] = 1;
    for (int o = 0; o < OUT_COUNT && !st; o++)
        st = take_ranges(k->c->allocator, out, o, &tables[o]);
    return st;
}

dae_status kernels_build(kernel_set *k, const task_request *request, task *out)
{
    program_sizes sizes = sizes_of(k->c, request);
    dae_status st = decide(k, request, &sizes, out);
    if (st) return st;
    size_t count = k->items.count;
    kernel *kernels = ARENA_ARRAY(&k->c->scratch, kernel, count);
    if (!kernels) return DAE_MEMORY;
    for (size_t i = 0; i < count; i++) kernels[i] = k->items.items[i].kernel;
    return program_build(&k->c->s->shapes, kernels, count, &sizes,
        k->c->allocator, &out->program);
}

void task_free(const dae_allocator *a, task *t)
{
    program_free(t->program);
    t->program = NULL;
    for (int o = 0; o < OUT_COUNT; o++) ARRAY_FREE(a, &t->clear[o]);
}

static void clear_targets(const task *t, double *const at[AT_COUNT])
{
    for (int o = 0; o < OUT_COUNT; o++)
        for (size_t k = 0; k < t->clear[o].count; k++) {
            const index_range r = t->clear[o].items[k];
            memset(at[AT_MAIN + o] + r.begin, 0,
                (size_t)(r.end - r.begin) * sizeof(double));
        }
}

void task_open(
    const task *t, uint32_t runs, double *at[AT_COUNT], void *scratch)
{
    if (!t->program) return;
    program_count_runs(t->program, runs);
    program_places(t->program, scratch, at);
}

void task_repeat(const task *t, double *const at[AT_COUNT])
{
    if (!t->program) return;
    if (t->clears) clear_targets(t, at);
    program_run_places(t->program, at);
}

void task_run(const task *t, double *at[AT_COUNT], void *scratch)
{
    task_open(t, 1, at, scratch);
    task_repeat(t, at);
}
