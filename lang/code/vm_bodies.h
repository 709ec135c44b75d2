/* What each scalar instruction does: CASE(name, value) of arithmetic, CALL(name, value) of
 * what calls a function, in terms of the operands A, B and C and of RARE1 and RARE2, an
 * instruction of one or two operands by its definition. Whoever includes this defines these
 * where BODIES stands. */
#ifndef CODE_VM_BODIES_H
#define CODE_VM_BODIES_H

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

#endif
