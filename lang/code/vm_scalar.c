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

/* The bodies: CASE(name, value), of a function CALL. */
#define BODIES                                                                 \
    CASE(MOVE, A)                                                              \
    CASE(ADD, A + B)                                                           \
    CASE(SUB, A - B)                                                           \
    CASE(MUL, A *B)                                                            \
    CASE(DIV, A / B)                                                           \
    CASE(NEG, -A)                                                              \
    CALL(POW, pow(A, B))                                                       \
    CASE(SQRT, sqrt(A))                                                        \
    CALL(EXP, exp(A))                                                          \
    CALL(LOG, log(A))                                                          \
    CALL(SIN, sin(A))                                                          \
    CALL(COS, cos(A))                                                          \
    CALL(TANH, tanh(A))                                                        \
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
    CALL(POWI, RARE1)                                                          \
    CALL(CBRT, cbrt(A))                                                        \
    CALL(EXPM1, expm1(A))                                                      \
    CALL(LOG1P, log1p(A))                                                      \
    CALL(LOG10, log10(A))                                                      \
    CALL(TAN, tan(A))                                                          \
    CALL(ASIN, asin(A))                                                        \
    CALL(ACOS, acos(A))                                                        \
    CALL(ATAN, atan(A))                                                        \
    CALL(SINH, sinh(A))                                                        \
    CALL(COSH, cosh(A))                                                        \
    CALL(ASINH, asinh(A))                                                      \
    CALL(ACOSH, acosh(A))                                                      \
    CALL(ATANH, atanh(A))                                                      \
    CALL(ERF, erf(A))                                                          \
    CALL(SIGN, RARE1)                                                          \
    CALL(FLOOR, floor(A))                                                      \
    CALL(CEIL, ceil(A))                                                        \
    CALL(SINC, RARE1)                                                          \
    CALL(COSC, RARE1)                                                          \
    CALL(SINCC, RARE1)                                                         \
    CALL(STUMPFF, RARE1)                                                       \
    CALL(PIECE, RARE1)                                                         \
    CALL(TABLE, RARE2)                                                         \
    CALL(ATAN2, atan2(A, B))                                                   \
    CALL(HYPOT, hypot(A, B))                                                   \
    CALL(MOD, RARE2)                                                           \
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

/* --- several points at once --- */

#undef A
#undef B
#undef C
#undef D
#define LANE(index) ((size_t)(index) * (size_t)lanes + (size_t)l)
#define A (at[head >> 12 & 0xfu][LANE(i->a)])
#define B (at[head >> 16 & 0xfu][LANE(i->b)])
#define C (at[head >> 20 & 0xfu][LANE(i->c)])

/* Each instruction once for all points: what it costs to get to its body is shared, and
 * the loop over points is one over vectors of a constant length. Bit for bit what
 * vm_scalar_run gives. */
#if defined(__GNUC__)
__attribute__((always_inline))
#endif
static inline void
run_lanes(const scalar_ins *code, size_t count, double *const at[AT_COUNT],
    const int lanes, int points)
{
    for (const scalar_ins *i = code, *end = code + count; i < end; i++) {
#define CASE(name, value)                                                      \
    case OP_##name:                                                            \
        for (int l = 0; l < lanes; l++) d[l] = (double)(value);                \
        break;
#define CALL(name, value)                                                      \
    case OP_##name:                                                            \
        for (int l = 0; l < points; l++) d[l] = (double)(value);               \
        break;
        const uint32_t head = i->head;
        double d[PROGRAM_LANES] = {0};
        switch ((opcode)(head & 0xffu)) {
            BODIES
        default: return; /* block code: the verifier lets none come here */
        }
#undef CASE
#undef CALL
        double *to = at[head >> 8 & 0xfu] + (size_t)i->d * (size_t)lanes;
        for (int l = 0; l < lanes; l++) to[l] = d[l];
    }
}

void vm_lanes_run(const scalar_ins *code, size_t count,
    double *const at[AT_COUNT], int lanes, int points)
{
    if (lanes == 4) run_lanes(code, count, at, 4, points);
    else run_lanes(code, count, at, PROGRAM_LANES, points);
}
