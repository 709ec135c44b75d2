/* Tables of the instructions, and what a whole program does: run, measure,
 * free. */
#include "code/bytecode.h"
#include "base/real.h"
#include "code/native.h"
#include <stdint.h>
#include <string.h>

const char *const opcode_names[OP_COUNT] = {
#define X(name, operands, effect) #name,
#include "code/opcodes.def"
#undef X
};

const char *const opcode_operands[OP_COUNT] = {
#define X(name, operands, effect) operands,
#include "code/opcodes.def"
#undef X
};

const char *const opcode_effects[OP_COUNT] = {
#define X(name, operands, effect) effect,
#include "code/opcodes.def"
#undef X
};

opcode opcode_of_node(node_op op)
{
    switch (op) {
#define X(name, arity, text)                                                   \
    case NODE_##name:                                                          \
        return OP_##name;
#include "ir/ops.def"
#undef X
    case NODE_CONST:
    case NODE_HOLE:
    case NODE_OP_COUNT: break;
    }
    return OP_COUNT;
}

node_op opcode_node(opcode op)
{
    static const uint8_t nodes[OP_COUNT] = {
#define X(name, arity, text) [OP_##name] = NODE_##name,
#include "ir/ops.def"
#undef X
    };
    /* NODE_CONST is 0, and no instruction's */
    return nodes[op] != NODE_CONST ? (node_op)nodes[op] : NODE_OP_COUNT;
}

opcode opcode_pair(opcode outer, opcode inner, bool is_left)
{
    static const opcode pairs[3][4] = {
        {OP_ADD_ADD, OP_ADD_SUB, OP_ADD_FROM, OP_ADD_MUL},
        {OP_SUB_ADD, OP_SUB_SUB, OP_SUB_FROM, OP_SUB_MUL},
        {OP_MUL_ADD, OP_MUL_SUB, OP_MUL_FROM, OP_MUL_MUL},
    };
    int row = inner == OP_ADD ? 0 : inner == OP_SUB ? 1 : 2;
    if (inner != OP_ADD && inner != OP_SUB && inner != OP_MUL) return OP_COUNT;
    switch (outer) {
    case OP_ADD: return pairs[row][0];
    case OP_SUB: return pairs[row][is_left ? 1 : 2];
    case OP_MUL: return pairs[row][3];
    default: return OP_COUNT;
    }
}

void program_free(program *p)
{
    if (!p) return;
    const dae_allocator *a = p->allocator;
    native_free(p);
    ARRAY_FREE(a, &p->sections);
    ARRAY_FREE(a, &p->scalar);
    ARRAY_FREE(a, &p->block);
    ARRAY_FREE(a, &p->constants);
    ARRAY_FREE(a, &p->ports);
    ARRAY_FREE(a, &p->segment_rows);
    ARRAY_FREE(a, &p->runs);
    ARRAY_FREE(a, &p->indices);
    alloc_free(a, p, 1, sizeof *p);
}

size_t program_scratch(const program *p)
{
    return p->scratch;
}

program_counts program_count(const program *p)
{
    return p->counts;
}

void program_places(const program *p, void *scratch, double *at[AT_COUNT])
{
    const uintptr_t base = ((uintptr_t)scratch + 63) & ~(uintptr_t)63;
    at[AT_CONST] = p->constants.items;
    at[AT_SLOT] = (double *)base;
    at[AT_CELL] = at[AT_SLOT] + p->slots;
    at[AT_TABLE] = place_of_input(p->tables);
}

/* What of it is not machine code. */
void program_interpret_section(
    const program *p, const section *s, double *const at[AT_COUNT])
{
    if (!s->native && s->scalar.count > 0)
        vm_scalar_run(p->scalar.items + s->scalar.first, s->scalar.count, at);
    if (s->is_block && !s->has_native_rows) vm_block_run(p, s, at);
}

void program_native(program *p, bool is_allowed)
{
    if (p) native_allow(p, is_allowed);
}

bool program_is_native(const program *p)
{
    return p->native.memory != NULL;
}

void program_count_runs(program *p, uint32_t count)
{
    if (p->runs_left == 0) return;
    p->runs_left = p->runs_left > count ? p->runs_left - count : 0;
    if (p->runs_left == 0) native_make(p);
}

void program_run(const program *p, const double *const spaces[SPACE_COUNT],
    double *const outs[OUT_COUNT], void *scratch)
{
    double *at[AT_COUNT] = {
        [AT_X] = place_of_input(spaces[SPACE_X]),
        [AT_XP] = place_of_input(spaces[SPACE_XP]),
        [AT_PARAM] = place_of_input(spaces[SPACE_PARAM]),
        [AT_DEF] = place_of_input(spaces[SPACE_DEF]),
        [AT_TIME] = place_of_input(spaces[SPACE_TIME]),
        [AT_HELD] = place_of_input(spaces[SPACE_HELD]),
        [AT_MAIN] = outs[OUT_MAIN],
        [AT_OUT_DEF] = outs[OUT_DEF],
        [AT_JAC] = outs[OUT_JAC],
    };
    program_places(p, scratch, at);
    program_run_places(p, at);
}

/* --- several points at once --- */

/* Doubles that a first cache holds. */
enum { LANES_ROOM = 4096 };

/* Where each array begins in the room, in values of one lane each. */
static size_t lane_places(const program *p, size_t begin[AT_COUNT])
{
    size_t used = 1; /* the number of lanes of the last time */
    for (int k = 0; k < SPACE_COUNT; k++) {
        begin[AT_X + k] = used;
        used += p->sizes.space[k];
    }
    begin[AT_MAIN] = used, used += p->sizes.out[OUT_MAIN];
    begin[AT_OUT_DEF] = begin[AT_DEF]; /* the same array */
    begin[AT_JAC] = used, used += p->sizes.out[OUT_JAC];
    begin[AT_CONST] = used, used += p->constants.count;
    begin[AT_SLOT] = used, used += p->slots;
    return used;
}

size_t program_lanes_room(const program *p)
{
    size_t begin[AT_COUNT];
    for (size_t i = 0; i < p->sections.count; i++)
        if (p->sections.items[i].is_block) return 0;
    const size_t values = lane_places(p, begin);
    return values <= LANES_ROOM / PROGRAM_LANES ? values * PROGRAM_LANES : 0;
}

/* One value for all points, where the last time has not left it. */
static void spread_same(
    const double *from, size_t count, int lanes, bool is_new, double *to)
{
    for (size_t i = 0; i < count; i++, to += lanes) {
        if (!is_new && value_bits(*to) == value_bits(from[i])) continue;
        for (int l = 0; l < lanes; l++) to[l] = from[i];
    }
}

/* The values of each point; the lanes that are over keep what they have. */
static void spread_points(const double *const *from, size_t points,
    size_t count, size_t lanes, double *to)
{
    for (size_t l = 0; l < points; l++)
        for (size_t i = 0; i < count; i++) to[i * lanes + l] = from[l][i];
}

static void clear_lanes(const index_ranges *ranges, size_t lanes, double *to)
{
    for (size_t k = 0; k < ranges->count; k++) {
        const index_range r = ranges->items[k];
        memset(to + r.begin * lanes, 0,
            (size_t)(r.end - r.begin) * lanes * sizeof *to);
    }
}

void program_run_lanes(const program *p, const program_points *q,
    const index_ranges clear[OUT_COUNT], double *room)
{
    const size_t *sizes = p->sizes.space;
    const int lanes = q->count <= 4 ? 4 : PROGRAM_LANES;
    size_t begin[AT_COUNT] = {0};
    double *at[AT_COUNT] = {0};
    (void)lane_places(p, begin);
    const bool is_new = room[0] != lanes;
    room[0] = lanes;
    for (int k = 0; k <= AT_SLOT; k++) at[k] = room + begin[k] * (size_t)lanes;
    at[AT_TABLE] = place_of_input(p->tables);
    spread_points(q->x, q->count, sizes[SPACE_X], (size_t)lanes, at[AT_X]);
    spread_points(q->xp, q->count, sizes[SPACE_XP], (size_t)lanes, at[AT_XP]);
    for (size_t l = 0; l < q->count; l++) at[AT_TIME][l] = q->t[l];
    spread_same(q->param, sizes[SPACE_PARAM], lanes, is_new, at[AT_PARAM]);
    spread_same(q->held, sizes[SPACE_HELD], lanes, is_new, at[AT_HELD]);
    spread_same(
        p->constants.items, p->constants.count, lanes, is_new, at[AT_CONST]);
    clear_lanes(&clear[OUT_MAIN], (size_t)lanes, at[AT_MAIN]);
    clear_lanes(&clear[OUT_DEF], (size_t)lanes, at[AT_OUT_DEF]);
    clear_lanes(&clear[OUT_JAC], (size_t)lanes, at[AT_JAC]);
    for (size_t i = 0; i < p->sections.count; i++) {
        const code_range code = p->sections.items[i].scalar;
        vm_lanes_run(
            p->scalar.items + code.first, code.count, at, lanes, (int)q->count);
    }
    for (size_t l = 0; l < q->count; l++)
        for (size_t i = 0; i < p->sizes.out[OUT_MAIN]; i++)
            q->main[l][i] = at[AT_MAIN][i * (size_t)lanes + l];
}
