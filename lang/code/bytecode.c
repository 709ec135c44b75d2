/* Tables of the instructions, and what a whole program does: run, measure,
 * free. */
#include "code/bytecode.h"
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
