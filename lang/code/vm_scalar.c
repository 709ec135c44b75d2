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
static double apply_rare(const scalar_ins *i, double a, double b)
{
    node n = {.op = (uint8_t)opcode_node((opcode)i->op)};
    if (opcode_operands[i->op][1] == 'k') {
        if (i->op == OP_POWI)
            n.exponent = (int32_t)i->b;
        else
            n.order = (uint8_t)i->b;
    }
    return node_apply(&n, a, b, 0);
}

#define A (at[i->a_at][i->a])
#define B (at[i->b_at][i->b])
#define C (at[i->c_at][i->c])
#define D (at[i->d_at][i->d])

/* The bodies: CASE(name, value). */
#define BODIES                                                                \
    CASE(MOVE, A)                                                             \
    CASE(ADD, A + B)                                                          \
    CASE(SUB, A - B)                                                          \
    CASE(MUL, A * B)                                                          \
    CASE(DIV, A / B)                                                          \
    CASE(NEG, -A)                                                             \
    CASE(POW, pow(A, B))                                                      \
    CASE(SQRT, sqrt(A))                                                       \
    CASE(EXP, exp(A))                                                         \
    CASE(LOG, log(A))                                                         \
    CASE(SIN, sin(A))                                                         \
    CASE(COS, cos(A))                                                         \
    CASE(TANH, tanh(A))                                                       \
    CASE(ABS, fabs(A))                                                        \
    CASE(LT, A < B)                                                           \
    CASE(LE, A <= B)                                                          \
    CASE(EQ, A == B)                                                          \
    CASE(NE, A != B)                                                          \
    CASE(NOT, A == 0)                                                         \
    CASE(SELECT, A != 0 ? B : C)                                              \
    CASE(ADD_ADD, (A + B) + C)                                                \
    CASE(ADD_SUB, (A + B) - C)                                                \
    CASE(ADD_FROM, C - (A + B))                                               \
    CASE(ADD_MUL, (A + B) * C)                                                \
    CASE(SUB_ADD, (A - B) + C)                                                \
    CASE(SUB_SUB, (A - B) - C)                                                \
    CASE(SUB_FROM, C - (A - B))                                               \
    CASE(SUB_MUL, (A - B) * C)                                                \
    CASE(MUL_ADD, (A * B) + C)                                                \
    CASE(MUL_SUB, (A * B) - C)                                                \
    CASE(MUL_FROM, C - (A * B))                                               \
    CASE(MUL_MUL, (A * B) * C)

/* Instructions that go to apply_rare. */
#define RARE_UNARY(X)                                                         \
    X(POWI) X(CBRT) X(EXPM1) X(LOG1P) X(LOG10) X(TAN) X(ASIN) X(ACOS)         \
    X(ATAN) X(SINH) X(COSH) X(ASINH) X(ACOSH) X(ATANH) X(ERF) X(SIGN)         \
    X(FLOOR) X(CEIL) X(SINC) X(COSC) X(SINCC)
#define RARE_BINARY(X)                                                        \
    X(ATAN2) X(HYPOT) X(MOD) X(MIN) X(MAX) X(AND) X(OR)
#define CASE_UNARY(name) CASE(name, apply_rare(i, A, 0))
#define CASE_BINARY(name) CASE(name, apply_rare(i, A, B))

#if THREADED
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic" /* addresses of labels */

void vm_scalar_run(
    const scalar_ins *code, size_t count, double *const at[AT_COUNT])
{
#define X(name, operands, effect) [OP_##name] = &&DO_##name,
#define CASE(name, value)                                                     \
    DO_##name : D = (double)(value);                                          \
    if (++i == end) return;                                                   \
    goto *labels[i->op];
    static const void *const labels[OP_COUNT] = {
#include "code/opcodes.def"
    };
    const scalar_ins *i = code, *end = code + count;
    if (count == 0) return;
    goto *labels[i->op];
    BODIES
    RARE_UNARY(CASE_UNARY)
    RARE_BINARY(CASE_BINARY)
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
#define CASE(name, value)                                                     \
    case OP_##name: D = (double)(value); break;
        switch ((opcode)i->op) {
            BODIES
            RARE_UNARY(CASE_UNARY)
            RARE_BINARY(CASE_BINARY)
        default: return; /* block code: the verifier lets none come here */
        }
#undef CASE
    }
}

#endif
