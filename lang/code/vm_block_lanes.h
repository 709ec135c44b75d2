/* The interpreter of block code for one vector width; included by vm_block.c
 * once per width with
 *     LANES   doubles in a vector, 1 for none
 *     RUN     the function's name
 *     TARGET  the function's attributes
 *     VECTOR_SQRT(x), where there is one.
 * Every width gives the same bits: sums, products, quotients, roots and
 * comparisons are IEEE operations lane by lane, and everything else is the
 * scalar function, lane by lane. No include guard on purpose. */

#if LANES > 1
#define JOIN(a, b) a##b
#define NAME(a, b) JOIN(a, b)
#define VEC NAME(vec, LANES)
#define IVEC NAME(ivec, LANES)
typedef double VEC
    __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef int64_t IVEC __attribute__((vector_size(8 * LANES)));
#define LOAD(p) (*(const VEC *)(p))
#define VECTOR_LOOP(loads, value, steps)                                       \
    for (; k + LANES <= n; k += LANES) {                                       \
        loads *(VEC *)(d + k) = (value);                                       \
        steps                                                                  \
    }
#else
#define VECTOR_LOOP(loads, value, steps)
#endif

/* Operands: pointer, step (0 for a cell). */
#define OPERAND(x, bit)                                                        \
    const double *p##x = r->table[i->x];                                       \
    const size_t s##x = (i->vectors >> bit) & 1u, v##x = s##x * LANES;         \
    (void)v##x;

/* d = value for a, b, c in vectors, then what is left one by one. */
#define LOOP1(vector_value, value)                                             \
    {                                                                          \
        OPERAND(a, 0)                                                          \
        VECTOR_LOOP(const VEC a = LOAD(pa);, vector_value, pa += va;)          \
        for (; k < n; k++, pa += sa) {                                         \
            const double a = *pa;                                              \
            d[k] = (value);                                                    \
        }                                                                      \
    }                                                                          \
    break;
#define LOOP2(vector_value, value)                                             \
    {                                                                          \
        OPERAND(a, 0)                                                          \
        OPERAND(b, 1)                                                          \
        VECTOR_LOOP(const VEC a = LOAD(pa); const VEC b = LOAD(pb);            \
                    , vector_value, pa += va; pb += vb;)                       \
        for (; k < n; k++, pa += sa, pb += sb) {                               \
            const double a = *pa, b = *pb;                                     \
            d[k] = (value);                                                    \
        }                                                                      \
    }                                                                          \
    break;
#define LOOP3(vector_value, value)                                             \
    {                                                                          \
        OPERAND(a, 0)                                                          \
        OPERAND(b, 1)                                                          \
        OPERAND(c, 2)                                                          \
        VECTOR_LOOP(const VEC a = LOAD(pa); const VEC b = LOAD(pb);            \
                    const VEC c = LOAD(pc);, vector_value, pa += va; pb += vb; \
                    pc += vc;)                                                 \
        for (; k < n; k++, pa += sa, pb += sb, pc += sc) {                     \
            const double a = *pa, b = *pb, c = *pc;                            \
            d[k] = (value);                                                    \
        }                                                                      \
    }                                                                          \
    break;
/* The same expression for vectors and numbers. */
#define SAME1(value) LOOP1(value, value)
#define SAME2(value) LOOP2(value, value)
#define SAME3(value) LOOP3(value, value)
/* One by one. */
#define CALL1(value)                                                           \
    {                                                                          \
        OPERAND(a, 0)                                                          \
        for (; k < n; k++, pa += sa) {                                         \
            const double a = *pa;                                              \
            d[k] = (value);                                                    \
        }                                                                      \
    }                                                                          \
    break;
#define CALL2(value)                                                           \
    {                                                                          \
        OPERAND(a, 0)                                                          \
        OPERAND(b, 1)                                                          \
        for (; k < n; k++, pa += sa, pb += sb) {                               \
            const double a = *pa, b = *pb;                                     \
            d[k] = (value);                                                    \
        }                                                                      \
    }                                                                          \
    break;
/* Truth values, and choice by a truth value, in vectors. */
#if LANES > 1
#define ONES (IVEC)((VEC){0} + 1.0)
#define TRUTH(mask) (VEC)((IVEC)(mask)&ONES)
#define CHOOSE(mask, x, y)                                                     \
    (VEC)(((IVEC)(mask) & (IVEC)(x)) | (~(IVEC)(mask) & (IVEC)(y)))
#define ABSOLUTE(x) (VEC)((IVEC)(x) & ~(IVEC)(-(VEC){0}))
#else
#define TRUTH(mask) (mask)
#define CHOOSE(mask, x, y) ((mask) ? (x) : (y))
#define ABSOLUTE(x) fabs(x)
#endif

TARGET static void RUN(const block_run *r)
{
    const size_t n = r->rows;
    for (const block_ins *i = r->code, *end = i + r->code_count; i < end; i++) {
        double *d = r->table[i->d];
        size_t k = 0;
        switch ((opcode)i->op) {
        case OP_MOVE: SAME1(a)
        case OP_ADD: SAME2(a + b)
        case OP_SUB: SAME2(a - b)
        case OP_MUL: SAME2(a * b)
        case OP_DIV: SAME2(a / b)
        case OP_NEG: SAME1(-a)
#if LANES > 1 && defined(VECTOR_SQRT)
        case OP_SQRT: LOOP1((VEC)VECTOR_SQRT(a), sqrt(a))
#else
        case OP_SQRT: CALL1(sqrt(a))
#endif
        case OP_ABS: LOOP1(ABSOLUTE(a), fabs(a))
        case OP_MIN:
            LOOP2(CHOOSE((b < a) | (b != b), b, a), b < a || b != b ? b : a)
        case OP_MAX:
            LOOP2(CHOOSE((b > a) | (b != b), b, a), b > a || b != b ? b : a)
        case OP_LT: LOOP2(TRUTH(a < b), a < b)
        case OP_LE: LOOP2(TRUTH(a <= b), a <= b)
        case OP_EQ: LOOP2(TRUTH(a == b), a == b)
        case OP_NE: LOOP2(TRUTH(a != b), a != b)
        case OP_AND: LOOP2(TRUTH((a != 0) & (b != 0)), a != 0 && b != 0)
        case OP_OR: LOOP2(TRUTH((a != 0) | (b != 0)), a != 0 || b != 0)
        case OP_NOT: LOOP1(TRUTH(a == 0), a == 0)
        case OP_SELECT: LOOP3(CHOOSE(a != 0, b, c), a != 0 ? b : c)
        case OP_ADD_ADD: SAME3((a + b) + c)
        case OP_ADD_SUB: SAME3((a + b) - c)
        case OP_ADD_FROM: SAME3(c - (a + b))
        case OP_ADD_MUL: SAME3((a + b) * c)
        case OP_SUB_ADD: SAME3((a - b) + c)
        case OP_SUB_SUB: SAME3((a - b) - c)
        case OP_SUB_FROM: SAME3(c - (a - b))
        case OP_SUB_MUL: SAME3((a - b) * c)
        case OP_MUL_ADD: SAME3((a * b) + c)
        case OP_MUL_SUB: SAME3((a * b) - c)
        case OP_MUL_FROM: SAME3(c - (a * b))
        case OP_MUL_MUL: SAME3((a * b) * c)
        case OP_EXP: CALL1(exp(a))
        case OP_LOG: CALL1(log(a))
        case OP_SIN: CALL1(sin(a))
        case OP_COS: CALL1(cos(a))
        case OP_TANH: CALL1(tanh(a))
        case OP_POW: CALL2(pow(a, b))
        case OP_GATHER: gather(r, i); break;
        case OP_SCATTER_SET:
        case OP_SCATTER_NEG:
        case OP_SCATTER_ADD:
        case OP_SCATTER_SUB: scatter(r, i); break;
        default: apply_rare(r, i); break;
        }
    }
}

#undef LANES
#undef RUN
#undef TARGET
#undef VECTOR_SQRT
#undef JOIN
#undef NAME
#undef VEC
#undef IVEC
#undef LOAD
#undef VECTOR_LOOP
#undef OPERAND
#undef LOOP1
#undef LOOP2
#undef LOOP3
#undef SAME1
#undef SAME2
#undef SAME3
#undef CALL1
#undef CALL2
#undef ONES
#undef TRUTH
#undef CHOOSE
#undef ABSOLUTE
