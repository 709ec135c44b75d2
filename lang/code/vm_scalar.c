/* The interpreter of straight-line scalar code. An operand is an index into
 * one of the arrays, so leaves need no loads of their own and results go
 * straight to their targets. Where the compiler can jump to a computed label,
 * every instruction ends in its own jump, which processors predict better
 * than one jump for all; elsewhere the same bodies stand in a switch. */
#include "code/bytecode.h"
#include "code/vm_bodies.h"
#include <math.h>

#if defined(__GNUC__)
#define THREADED 1
#else
#define THREADED 0
#endif

/* Operations without a body below: rare ones, by their definition. */
double vm_scalar_rare(
    const scalar_ins *i, const double *tables, double a, double b)
{
    const opcode op = (opcode)scalar_op(i);
    const uint32_t number = opcode_number(op, i->b, i->c);
    const node n = opcode_operation(opcode_node(op), number, tables);
    return node_apply(&n, a, b, 0);
}

#define A (at[head >> 12 & 0xfu][i->a])
#define B (at[head >> 16 & 0xfu][i->b])
#define C (at[head >> 20 & 0xfu][i->c])
#define D (at[head >> 8 & 0xfu][i->d])

#define RARE1 vm_scalar_rare(i, at[AT_TABLE], A, 0)
#define RARE2 vm_scalar_rare(i, at[AT_TABLE], A, B)

#if THREADED
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic" /* addresses of labels */

void vm_scalar_run(
    const scalar_ins *code, size_t count, double *const at[AT_COUNT])
{
#define X(name, operands, effect) [OP_##name] = &&DO_##name,
#define CALL CASE
#define CASE(name, value)                                                      \
    DO_##name : D = (double)(value);                                           \
    if (++i == end) return;                                                    \
    head = i->head;                                                            \
    goto *labels[head & 0xffu];
    static const void *const labels[OP_COUNT] = {
#include "code/opcodes.def"
    };
    const scalar_ins *i = code, *end = code + count;
    if (count == 0) return;
    uint32_t head = i->head;
    goto *labels[head & 0xffu];
    BODIES
DO_GATHER: /* block code only: the verifier lets none of these come here */
DO_SCATTER_SET:
DO_SCATTER_NEG:
DO_SCATTER_ADD:
DO_SCATTER_SUB:
    return;
#undef CASE
#undef CALL
#undef X
}

#pragma GCC diagnostic pop
#else

void vm_scalar_run(
    const scalar_ins *code, size_t count, double *const at[AT_COUNT])
{
    for (const scalar_ins *i = code, *end = code + count; i < end; i++) {
#define CALL CASE
#define CASE(name, value)                                                      \
    case OP_##name:                                                            \
        D = (double)(value);                                                   \
        break;
        const uint32_t head = i->head;
        switch ((opcode)(head & 0xffu)) {
            BODIES
        default: return; /* block code: the verifier lets none come here */
        }
#undef CASE
#undef CALL
    }
}

#endif
