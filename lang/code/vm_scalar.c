/* The interpreter of straight-line scalar code. An operand is an index into
 * one of the arrays, so leaves need no loads of their own and results go
 * straight to their targets. Where the compiler can jump to a computed label,
 * every instruction ends in its own jump, which processors predict better
 * than one jump for all; elsewhere the same bodies stand in a switch. */
#include "code/bytecode.h"
#include <math.h>

#if defined(__GNUC__)
#define THREADED 1
#else
#define THREADED 0
#endif

/* Operations without a body below: rare ones, by their definition. */
static double apply_rare(
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

#define RARE1 apply_rare(i, at[AT_TABLE], A, 0)
#define RARE2 apply_rare(i, at[AT_TABLE], A, B)

/* The bodies: CASE(name, value). */
#define BODIES                                                                 \
    CASE(MOVE, A)                                                              \
    CASE(ADD, A + B)                                                           \
    CASE(SUB, A - B)                                                           \
    CASE(MUL, A *B)                                                            \
    CASE(DIV, A / B)                                                           \
    CASE(NEG, -A)                                                              \
    CASE(POW, pow(A, B))                                                       \
    CASE(SQRT, sqrt(A))                                                        \
    CASE(EXP, exp(A))                                                          \
    CASE(LOG, log(A))                                                          \
    CASE(SIN, sin(A))                                                          \
    CASE(COS, cos(A))                                                          \
    CASE(TANH, tanh(A))                                                        \
    CASE(ABS, fabs(A))                                                         \
    CASE(LT, A < B)                                                            \
    CASE(LE, A <= B)                                                           \
    CASE(EQ, A == B)                                                           \
    CASE(NE, A != B)                                                           \
    CASE(NOT, A == 0)                                                          \
    CASE(SELECT, A != 0 ? B : C)                                               \
    CASE(ADD_ADD, (A + B) + C)                                                 \
    CASE(ADD_SUB, (A + B) - C)                                                 \
    CASE(ADD_FROM, C - (A + B))                                                \
    CASE(ADD_MUL, (A + B) * C)                                                 \
    CASE(SUB_ADD, (A - B) + C)                                                 \
    CASE(SUB_SUB, (A - B) - C)                                                 \
    CASE(SUB_FROM, C - (A - B))                                                \
    CASE(SUB_MUL, (A - B) * C)                                                 \
    CASE(MUL_ADD, (A * B) + C)                                                 \
    CASE(MUL_SUB, (A * B) - C)                                                 \
    CASE(MUL_FROM, C - (A * B))                                                \
    CASE(MUL_MUL, (A * B) * C)                                                 \
    CASE(POWI, RARE1)                                                          \
    CASE(CBRT, cbrt(A))                                                        \
    CASE(EXPM1, expm1(A))                                                      \
    CASE(LOG1P, log1p(A))                                                      \
    CASE(LOG10, log10(A))                                                      \
    CASE(TAN, tan(A))                                                          \
    CASE(ASIN, asin(A))                                                        \
    CASE(ACOS, acos(A))                                                        \
    CASE(ATAN, atan(A))                                                        \
    CASE(SINH, sinh(A))                                                        \
    CASE(COSH, cosh(A))                                                        \
    CASE(ASINH, asinh(A))                                                      \
    CASE(ACOSH, acosh(A))                                                      \
    CASE(ATANH, atanh(A))                                                      \
    CASE(ERF, erf(A))                                                          \
    CASE(SIGN, RARE1)                                                          \
    CASE(FLOOR, floor(A))                                                      \
    CASE(CEIL, ceil(A))                                                        \
    CASE(SINC, RARE1)                                                          \
    CASE(COSC, RARE1)                                                          \
    CASE(SINCC, RARE1)                                                         \
    CASE(STUMPFF, RARE1)                                                       \
    CASE(PIECE, RARE1)                                                         \
    CASE(TABLE, RARE2)                                                         \
    CASE(ATAN2, atan2(A, B))                                                   \
    CASE(HYPOT, hypot(A, B))                                                   \
    CASE(MOD, RARE2)                                                           \
    CASE(MIN, B < A || isnan(B) ? B : A)                                       \
    CASE(MAX, B > A || isnan(B) ? B : A)                                       \
    CASE(AND, A != 0 && B != 0)                                                \
    CASE(OR, A != 0 || B != 0)

#if THREADED
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic" /* addresses of labels */

void vm_scalar_run(
    const scalar_ins *code, size_t count, double *const at[AT_COUNT])
{
#define X(name, operands, effect) [OP_##name] = &&DO_##name,
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
#undef X
}

#pragma GCC diagnostic pop
#else

void vm_scalar_run(
    const scalar_ins *code, size_t count, double *const at[AT_COUNT])
{
    for (const scalar_ins *i = code, *end = code + count; i < end; i++) {
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
    }
}

#endif
