#include "code/observer.h"
#include "code/kernels.h"
#include "code/levels.h"
#include "code/run.h"
#include <string.h>

struct dae_observer {
    compiled *c;
    bool is_whole; /* the model's program of all observations */
    bool reads_slopes;
    task task;
    size_t *slots; /* of x that it reads; room for all */
    size_t slot_count;
    void *work;
    size_t work_size;
};

/* ---- whether some may stand alone ---- */

/* What has several rows is added to, beginning with 0 and in an order that other
 * rows of their shapes decide with it. */
static bool has_sums(const row_sets *sets, uint8_t *has_row)
{
    for (size_t k = 0; k < sets->count; k++)
        for (size_t r = 0; r < sets->items[k].count; r++) {
            uint8_t *has = &has_row[set_row(&sets->items[k], r)[0]];
            if (*has) return true;
            *has = 1;
        }
    return false;
}

static dae_status find_plain(compiled *c, bool *is_plain)
{
    const size_t count = c->s->observation_count;
    uint8_t *values = ARENA_ARRAY(&c->scratch, uint8_t, count + 1);
    uint8_t *definitions = ARENA_ARRAY(&c->scratch, uint8_t, c->defs.count + 1);
    if (!values || !definitions) return DAE_MEMORY;
    *is_plain = !has_sums(&c->observations, values)
        && !has_sums(&c->definitions, definitions);
    for (size_t k = 0; k < count; k++) *is_plain = *is_plain && values[k];
    return DAE_OK;
}

/* ---- its program ---- */

static dae_status copy_rows(
    compiled *c, const uint8_t *is_asked, const row_set *from, row_set *to)
{
    uint32_t *data = ARENA_ARRAY(
        &c->scratch, uint32_t, from->count * from->width + 1);
    if (!data) return DAE_MEMORY;
    *to = *from;
    to->data = data;
    to->count = 0;
    for (size_t r = 0; r < from->count; r++) {
        const uint32_t *row = set_row(from, r);
        if (!is_asked[row[0]]) continue;
        memcpy(
            data + to->count++ * from->width, row, from->width * sizeof *data);
    }
    return DAE_OK;
}

/* What reads nothing but params is the same all along a run. */
static bool is_constant(const compiled *c, const row_set *set)
{
    const unsigned varying = NODE_HAS_UNKNOWN | NODE_HAS_DEFINITION
        | NODE_HAS_TIME | NODE_HAS_HELD;
    return !(shape_node(&c->s->shapes, set->root)->flags & varying);
}

static dae_status choose_rows(
    compiled *c, const size_t *observations, size_t count, row_sets *out)
{
    const row_sets *all = &c->observations;
    uint8_t *is_asked = ARENA_ARRAY(
        &c->scratch, uint8_t, c->s->observation_count + 1);
    out->count = 0;
    out->items = ARENA_ARRAY(&c->scratch, row_set, all->count + 1);
    if (!is_asked || !out->items) return DAE_MEMORY;
    for (size_t k = 0; k < count; k++) is_asked[observations[k]] = 1;
    dae_status st = DAE_OK;
    for (size_t k = 0; k < all->count && !st; k++)
        if (!is_constant(c, &all->items[k]))
            st = copy_rows(
                c, is_asked, &all->items[k], &out->items[out->count++]);
    return st;
}

static bool reads_slopes(const kernel_set *k)
{
    for (size_t i = 0; i < k->items.count; i++) {
        const kernel *one = &k->items.items[i].kernel;
        for (size_t l = 0; l < one->column_count; l++)
            if (one->columns[l].space == SPACE_XP) return true;
    }
    return false;
}

static void mark_read(const kernel_set *k, uint8_t *is_read)
{
    for (size_t i = 0; i < k->items.count; i++) {
        const kernel *one = &k->items.items[i].kernel;
        for (size_t l = 0; l < one->column_count; l++) {
            const kernel_column *column = &one->columns[l];
            if (column->space != SPACE_X) continue;
            for (size_t r = 0; r < one->row_count; r++)
                is_read[column->index[r]] = 1;
        }
    }
}

static dae_status list_slots(observer *o, const kernel_set *k)
{
    compiled *c = o->c;
    const size_t states = c->slots.total_states;
    uint8_t *is_read = ARENA_ARRAY(&c->scratch, uint8_t, states + 1);
    o->slots = alloc_zeroed(c->allocator, states, sizeof *o->slots);
    if (!is_read || !o->slots) return DAE_MEMORY;
    mark_read(k, is_read);
    for (size_t s = 0; s < states; s++)
        if (is_read[s]) o->slots[o->slot_count++] = s;
    return DAE_OK;
}

static dae_status build(observer *o, const size_t *observations, size_t count)
{
    compiled *c = o->c;
    const task_request request = {.main_count = c->s->observation_count};
    kernel_set k = {.c = c, .use_border = true};
    row_sets rows;
    for (size_t d = 0; d < c->defs.count; d++)
        c->defs.need[d] &= (uint16_t)~NEED_FEW;
    dae_status st = choose_rows(c, observations, count, &rows);
    if (!st) st = levels_mark(c, &rows, NEED_FEW, true);
    if (!st) st = kernels_add_definitions(&k, NEED_FEW);
    if (!st) st = kernels_add_values(&k, &rows);
    if (!st) st = kernels_build(&k, &request, &o->task);
    if (!st) o->reads_slopes = reads_slopes(&k);
    if (!st) st = list_slots(o, &k);
    kernels_clear(&k);
    return st;
}

static dae_status make(observer *o, const size_t *observations, size_t count)
{
    compiled *c = o->c;
    bool is_plain = false;
    dae_status st = DAE_OK;
    /* what has sides is freed of them together (compiled_observe) */
    if (c->switch_count == 0) st = find_plain(c, &is_plain);
    o->is_whole = !is_plain;
    if (st || o->is_whole) return st;
    if ((st = build(o, observations, count)) || !o->task.program) return st;
    o->work_size = program_scratch(o->task.program);
    o->work = alloc_zeroed(c->allocator, o->work_size, 1);
    return o->work ? DAE_OK : DAE_MEMORY;
}

dae_status observer_create(
    compiled *c, const size_t *observations, size_t count, observer **out)
{
    *out = NULL;
    observer *o = alloc_zeroed(c->allocator, 1, sizeof *o);
    if (!o) return DAE_MEMORY;
    o->c = c;
    const dae_status st = make(o, observations, count);
    arena_clear(&c->scratch);
    if (st) observer_free(o);
    else *out = o;
    return st;
}

void observer_free(observer *o)
{
    if (!o) return;
    const dae_allocator *a = o->c->allocator;
    task_free(a, &o->task);
    alloc_free(a, o->work, o->work_size, 1);
    alloc_free(a, o->slots, o->c->slots.total_states, sizeof *o->slots);
    alloc_free(a, o, 1, sizeof *o);
}

bool observer_reads_slopes(const observer *o)
{
    return o->is_whole || o->reads_slopes;
}

const size_t *observer_slots(const observer *o, size_t *count)
{
    const size_t states = o->c->slots.total_states;
    *count = o->is_whole ? states : o->slot_count;
    return *count == states ? NULL : o->slots;
}

/* Nothing is added to, so nothing has to be 0 before. */
dae_status observer_run(
    observer *o, double t, const double *x, const double *xp, double *values)
{
    if (o->is_whole) return compiled_observe(o->c, t, x, xp, values);
    if (!o->task.program) return DAE_OK;
    double *at[AT_COUNT];
    run_places(o->c, &t, x, xp, values, at);
    program_places(o->task.program, o->work, at);
    program_run_places(o->task.program, at);
    return DAE_OK;
}

dae_status observer_run_values(
    observer *o, size_t count, const double *t, const double *x, double *values)
{
    const compiled *c = o->c;
    const program *p = o->task.program;
    if (observer_reads_slopes(o)) return DAE_UNSUPPORTED;
    if (!p) return DAE_OK;
    double *at[AT_COUNT];
    run_places(o->c, t, x, NULL, values, at);
    program_places(p, o->work, at);
    for (size_t k = 0; k < count; k++) {
        program_run_places(p, at);
        at[AT_TIME]++;
        at[AT_X] += c->slots.total_states;
        at[AT_MAIN] += c->s->observation_count;
    }
    return DAE_OK;
}
