#include "code/kernels.h"
#include "code/parts.h"
#include "code/rows.h"
#include "code/slots.h"

void kernels_clear(kernel_set *k)
{
    ARRAY_FREE(k->c->allocator, &k->items);
}

/* One shape's rows while they become kernels. */
typedef struct shaping {
    kernel_set *k;
    const row_set *set;
    parts parts;
    uint8_t *keys;     /* one per row, scratch */
    bool by_level;     /* rows of definitions */
    const jacobian *j; /* of equations; NULL: of definitions */
    dae_scope scope;
} shaping;

/* Part number of each level in the order met, by stamps: one table for all
 * shapes would need clearing, a small one per shape grows with the levels. */
static dae_status part_by_level(shaping *w, uint16_t bit)
{
    const definition_tables *d = &w->k->c->defs;
    arena *memory = &w->k->c->scratch;
    const row_set *set = w->set;
    uint32_t count = 0, low = NONE, high = 0;
    uint32_t *of = ARENA_ARRAY(memory, uint32_t, set->count);
    if (!of) return DAE_MEMORY;
    for (size_t r = 0; r < set->count; r++) {
        uint32_t id = set_row(set, r)[0];
        bool is_in = (d->need[id] & bit)
            && !(w->k->use_border && d->border[id] != NONE);
        of[r] = is_in ? d->level[id] : NONE;
        if (is_in && of[r] < low) low = of[r];
        if (is_in && of[r] > high) high = of[r];
    }
    if (low == NONE) low = high;
    uint32_t *number = ARENA_ARRAY(memory, uint32_t, (size_t)(high - low) + 1);
    if (!number) return DAE_MEMORY;
    for (size_t r = 0; r < set->count; r++) {
        if (of[r] == NONE) continue;
        uint32_t *n = &number[of[r] - low];
        if (*n == 0) *n = ++count;
        of[r] = *n - 1;
    }
    parts_start(&w->parts, of, count);
    return DAE_OK;
}

static dae_status shaping_start(
    shaping *w, kernel_set *k, const row_set *set, uint16_t bit)
{
    arena *memory = &k->c->scratch;
    *w = (shaping){.k = k, .set = set, .by_level = bit != 0};
    w->keys = ARENA_ARRAY(memory, uint8_t, set->count);
    if (!w->keys) return DAE_MEMORY;
    parts_init(&w->parts, memory, set->count);
    return bit ? part_by_level(w, bit) : DAE_OK;
}

/* Parts rows by the spaces that their holes read. */
static dae_status part_by_spaces(shaping *w)
{
    const compiled *c = w->k->c;
    for (uint32_t l = 0; l < w->set->leaf_count; l++) {
        const leaf *hole = &w->set->leaves[l];
        bool may_differ = (hole->kind == LEAF_UNKNOWN && hole->order > 0)
            || (hole->kind == LEAF_DEFINITION && c->chains.borders.count);
        if (!may_differ) continue;
        for (size_t r = 0; r < w->set->count; r++) {
            program_space space;
            (void)slots_resolve(
                c, hole, set_row(w->set, r), w->k->use_border, &space);
            w->keys[r] = space == SPACE_X ? 0 : space == SPACE_XP ? 1 : 2;
        }
        dae_status st = parts_refine(&w->parts, w->keys);
        if (st) return st;
    }
    return DAE_OK;
}

/* Columns of the leaves for the rows of a part. */
static dae_status take_columns(
    shaping *w, uint32_t part, const leaf *leaves, uint32_t count, kernel *out)
{
    const compiled *c = w->k->c;
    arena *memory = &w->k->c->scratch;
    const uint32_t *rows = parts_rows(&w->parts, part);
    size_t size = out->row_count;
    kernel_column *columns = ARENA_ARRAY(memory, kernel_column, count);
    if (!columns) return DAE_MEMORY;
    for (uint32_t l = 0; l < count; l++) {
        uint32_t *index = ARENA_ARRAY(memory, uint32_t, size);
        if (!index) return DAE_MEMORY;
        columns[l].leaf = leaves[l].node;
        columns[l].index = index;
        for (size_t r = 0; r < size; r++)
            index[r] = slots_resolve(c, &leaves[l],
                set_row(w->set, parts_row(rows, r)), w->k->use_border,
                &columns[l].space);
    }
    out->columns = columns;
    out->column_count = count;
    return DAE_OK;
}

static kernel start_kernel(const shaping *w, uint32_t part)
{
    const definition_tables *d = &w->k->c->defs;
    const uint32_t *rows = parts_rows(&w->parts, part);
    const uint32_t *row = set_row(w->set, parts_row(rows, 0));
    return (kernel){
        .level = w->by_level ? d->level[row[0]] : d->level_count,
        .row_count = parts_size(&w->parts, part),
    };
}

static dae_status push_kernel(
    kernel_set *k, kernel *made, kernel_output *outputs, size_t count)
{
    made->outputs = outputs;
    made->output_count = count;
    return ARRAY_PUSH(k->c->allocator, &k->items, (kernel_item){*made, outputs})
        ? DAE_OK
        : DAE_MEMORY;
}

/* Values. */

static dae_status add_value_part(shaping *w, uint32_t part, program_out out)
{
    arena *memory = &w->k->c->scratch;
    const uint32_t *rows = parts_rows(&w->parts, part);
    kernel made = start_kernel(w, part);
    dae_status st = take_columns(
        w, part, w->set->leaves, w->set->leaf_count, &made);
    if (st) return st;
    kernel_output *output = ARENA_NEW(memory, kernel_output);
    uint32_t *target = ARENA_ARRAY(memory, uint32_t, made.row_count);
    if (!output || !target) return DAE_MEMORY;
    for (size_t r = 0; r < made.row_count; r++)
        target[r] = set_row(w->set, parts_row(rows, r))[0];
    *output = (kernel_output){
        .root = w->set->root, .out = out, .add = true, .target = target};
    return push_kernel(w->k, &made, output, 1);
}

static dae_status add_value_sets(
    kernel_set *k, const row_sets *sets, uint16_t bit, program_out out)
{
    dae_status st = DAE_OK;
    for (size_t s = 0; s < sets->count && !st; s++) {
        shaping w;
        if (sets->items[s].count == 0) continue;
        st = shaping_start(&w, k, &sets->items[s], bit);
        if (!st) st = part_by_spaces(&w);
        if (!st) st = parts_close(&w.parts);
        for (uint32_t p = 0; p < w.parts.count && !st; p++)
            st = add_value_part(&w, p, out);
    }
    return st;
}

dae_status kernels_add_definitions(kernel_set *k, uint16_t bit)
{
    return add_value_sets(k, &k->c->definitions, bit, OUT_DEF);
}

dae_status kernels_add_values(kernel_set *k, const row_sets *sets)
{
    return add_value_sets(k, sets, 0, OUT_MAIN);
}

/* Gradients. */

/* What one partial of one row writes. */
enum { WRITES_NOTHING, WRITES_VALUE, WRITES_FACTOR };

static uint8_t code_class(const shaping *w, uint32_t code)
{
    if (code == NONE) return WRITES_NOTHING;
    bool only_varying = w->j && w->scope == DAE_VARYING;
    if (code & CODE_FACTOR)
        return only_varying && w->j->outer_varying.count == 0 ? WRITES_NOTHING
                                                              : WRITES_FACTOR;
    if (only_varying && w->j->kind[code] != DAE_ENTRY_VARYING)
        return WRITES_NOTHING;
    return WRITES_VALUE;
}

static dae_status part_by_codes(shaping *w)
{
    for (uint32_t k = 0; k < w->set->partial_count; k++) {
        const uint32_t *codes = w->set->codes + k * w->set->count;
        for (size_t r = 0; r < w->set->count; r++)
            w->keys[r] = code_class(w, codes[r]);
        dae_status st = parts_refine(&w->parts, w->keys);
        if (st) return st;
    }
    return DAE_OK;
}

/* Targets of partial `k`; where they are the codes as they stand, these. */
static const uint32_t *take_targets(
    shaping *w, const uint32_t *rows, size_t size, uint32_t k, uint8_t writes)
{
    const compiled *c = w->k->c;
    const uint32_t *codes = w->set->codes + k * w->set->count;
    uint32_t base = (uint32_t)c->chains.columns.count;
    if (!rows && writes == WRITES_VALUE) return codes;
    uint32_t *target = ARENA_ARRAY(&w->k->c->scratch, uint32_t, size);
    for (size_t r = 0; r < size && target; r++) {
        uint32_t code = codes[parts_row(rows, r)];
        target[r] = writes == WRITES_VALUE ? code
                                           : base + (code & ~CODE_FACTOR);
    }
    return target;
}

static dae_status add_gradient_part(shaping *w, uint32_t part)
{
    compiled *c = w->k->c;
    const row_set *set = w->set;
    const uint32_t *rows = parts_rows(&w->parts, part);
    kernel made = start_kernel(w, part);
    size_t count = 0;
    kernel_output *outputs = ARENA_ARRAY(
        &c->scratch, kernel_output, set->partial_count);
    node_id *roots = ARENA_ARRAY(&c->scratch, node_id, set->partial_count);
    if (!outputs || !roots) return DAE_MEMORY;
    for (uint32_t k = 0; k < set->partial_count; k++) {
        uint32_t code = set->codes[k * set->count + parts_row(rows, 0)];
        uint8_t writes = code_class(w, code);
        if (writes == WRITES_NOTHING) continue;
        kernel_output *o = &outputs[count];
        roots[count++] = o->root = set->partials[k].value;
        o->out = w->j && writes == WRITES_VALUE ? OUT_MAIN : OUT_JAC;
        o->add = true;
        o->target = take_targets(w, rows, made.row_count, k, writes);
        if (!o->target) return DAE_MEMORY;
    }
    if (count == 0) return DAE_OK;
    leaf *leaves;
    uint32_t leaf_count;
    dae_status st = leaves_below(
        &c->s->shapes, roots, count, &c->scratch, &leaves, &leaf_count);
    if (!st) st = take_columns(w, part, leaves, leaf_count, &made);
    return st ? st : push_kernel(w->k, &made, outputs, count);
}

static dae_status add_gradient_sets(kernel_set *k, const row_sets *sets,
    uint16_t bit, const jacobian *j, dae_scope scope)
{
    dae_status st = DAE_OK;
    for (size_t s = 0; s < sets->count && !st; s++) {
        shaping w;
        if (sets->items[s].count == 0 || !sets->items[s].partial_count)
            continue;
        st = shaping_start(&w, k, &sets->items[s], bit);
        if (st) return st;
        w.j = j;
        w.scope = scope;
        st = part_by_spaces(&w);
        if (!st) st = part_by_codes(&w);
        if (!st) st = parts_close(&w.parts);
        for (uint32_t p = 0; p < w.parts.count && !st; p++)
            st = add_gradient_part(&w, p);
    }
    return st;
}

dae_status kernels_add_definition_gradients(kernel_set *k, uint16_t bit)
{
    return add_gradient_sets(k, &k->c->definitions, bit, NULL, DAE_ALL);
}

dae_status kernels_add_gradients(
    kernel_set *k, const row_sets *sets, const jacobian *j, dae_scope scope)
{
    return add_gradient_sets(k, sets, 0, j, scope);
}
