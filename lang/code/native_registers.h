/* Registers of machine code: which value is where (private to native_emit.c). */
#ifndef CODE_NATIVE_REGISTERS_H
#define CODE_NATIVE_REGISTERS_H

#include "code/native_emit.h"

static inline uint32_t value_of(const emitter *e, unsigned at, uint32_t index)
{
    const uint32_t first = e->first[at];
    return first != NO_INDEX ? first + index : NO_INDEX;
}

/* Nothing reads it behind this code. */
static inline bool is_temporary(const operand *o)
{
    return o->at == AT_SLOT || (o->at == AT_CELL && o->value != NO_INDEX);
}

static inline operand operand_of(
    const emitter *e, unsigned at, uint32_t index, uint32_t next)
{
    return (operand){at, index, value_of(e, at, index), next};
}

/* Operands 0, 1, 2, and 3: the result. How many operands there are. */
static inline int operands_of(
    const emitter *e, const scalar_ins *i, const uint32_t *uses, operand o[4])
{
    const int count = e->operands[scalar_op(i)];
    o[0] = operand_of(e, scalar_at(i, 0), i->a, uses[0]);
    if (count > 1) o[1] = operand_of(e, scalar_at(i, 1), i->b, uses[1]);
    if (count > 2) o[2] = operand_of(e, scalar_at(i, 2), i->c, uses[2]);
    o[3] = operand_of(e, scalar_d_at(i), i->d, uses[3]);
    return count;
}

/* ---- general registers ------------------------------------------------------------ */

static inline int32_t offset_of(uint32_t index)
{
    return (int32_t)(index * sizeof(double));
}

static inline unsigned base_of(emitter *e, unsigned at)
{
    if (!e->is_loaded[at])
        load_pointer(&e->to, e->base[at], e->calls ? RBX : RDI,
            (int32_t)(at * sizeof(double *)));
    e->is_loaded[at] = true;
    return e->base[at];
}

static inline void memory(emitter *e, unsigned op, unsigned r, const operand *o)
{
    const unsigned base = base_of(e, o->at);
    vector_memory(&e->to, op, r, base, offset_of(o->index));
}

/* The places that are used most get the registers that are there. */
static inline void choose_bases(emitter *e, const uint32_t counts[AT_COUNT])
{
    /* without calls those that need not be kept come first, else last */
    static const uint8_t leaf[] = {RAX, RCX, RDX, RSI, R8, R9, R10, R11, RBP,
        R12, R13, R14},
                         calling[] = {RBP, R12, R13, R14, R15, RCX, RDX, RSI,
                             R8, R9, R10, R11};
    const uint8_t *from = e->calls ? calling : leaf;
    uint32_t left[AT_COUNT];
    memcpy(left, counts, sizeof left);
    e->pushed_count = 0;
    if (e->calls) e->pushed[e->pushed_count++] = RBX;
    for (unsigned k = 0; k < AT_TABLE; k++) {
        unsigned most = 0;
        for (unsigned at = 1; at < AT_TABLE; at++)
            if (left[at] > left[most]) most = at;
        if (left[most] == 0) break;
        left[most] = 0;
        e->base[most] = from[k];
        if (from[k] == RBP || from[k] >= R12)
            e->pushed[e->pushed_count++] = from[k];
    }
}

/* What aligns the stack for calls. */
static inline unsigned frame_of(const emitter *e)
{
    return e->calls && e->pushed_count % 2 == 0 ? 8 : 0;
}

/* ---- vector registers ------------------------------------------------------------- */

static inline unsigned register_of(const emitter *e, const operand *o)
{
    return o->value != NO_INDEX && e->where[o->value] ? e->where[o->value] - 1u
                                                      : NO_REGISTER;
}

static inline void forget(emitter *e, unsigned r)
{
    if (e->held >> r & 1) e->where[e->in[r].value] = 0;
    e->held &= ~(1u << r);
    e->dirty &= ~(1u << r);
}

static inline void store(emitter *e, unsigned r, const operand *o)
{
    memory(e, STORE, r, o);
}

static inline void load(emitter *e, unsigned r, const operand *o)
{
    memory(e, LOAD, r, o);
}

static inline void clean(emitter *e, unsigned r)
{
    if (e->dirty >> r & 1) store(e, r, &e->in[r]);
    e->dirty &= ~(1u << r);
}

static inline unsigned first_of(unsigned set)
{
    return (unsigned)__builtin_ctz(set);
}

/* The register of the value that is used last. */
static inline unsigned free_one(emitter *e)
{
    unsigned best = NO_REGISTER;
    for (unsigned left = e->held & ~e->busy; left; left &= left - 1) {
        const unsigned r = first_of(left);
        if (best == NO_REGISTER || e->in[r].next > e->in[best].next) best = r;
    }
    clean(e, best);
    forget(e, best);
    return best;
}

static inline unsigned take(emitter *e)
{
    const unsigned left = ALL_REGISTERS & ~e->held & ~e->busy;
    const unsigned r = left ? first_of(left) : free_one(e);
    e->busy |= 1u << r;
    return r;
}

static inline unsigned take_copy(emitter *e, unsigned from)
{
    const unsigned r = take(e);
    vector_vector(&e->to, BITS, COPY, r, from);
    return r;
}

/* Operand k in a register that may be changed: its own, if nothing needs it later. */
static inline unsigned take_operand(
    emitter *e, const operand o[4], int count, int k)
{
    const unsigned r = register_of(e, &o[k]);
    bool is_last = r != NO_REGISTER && o[k].next == NO_INDEX;
    for (int j = 0; j < count && is_last; j++)
        is_last = j == k || o[j].value != o[k].value;
    if (is_last) {
        forget(e, r);
        return r;
    }
    if (r != NO_REGISTER) return take_copy(e, r);
    const unsigned fresh = take(e);
    load(e, fresh, &o[k]);
    return fresh;
}

static inline void apply(emitter *e, unsigned op, unsigned r, const operand *o)
{
    const unsigned s = register_of(e, o);
    if (s != NO_REGISTER) vector_vector(&e->to, DOUBLE, op, r, s);
    else memory(e, op, r, o);
}

static inline void bits(emitter *e, unsigned op, unsigned r, unsigned s)
{
    vector_vector(&e->to, BITS, op, r, s);
}

static inline void bits_here(emitter *e, unsigned op, unsigned r, int which)
{
    vector_here(&e->to, op, r, e->here + 16 * which);
}

static inline void compare(emitter *e, unsigned r, unsigned s, unsigned what)
{
    vector_vector(&e->to, DOUBLE, COMPARE, r, s);
    put(&e->to, what);
}

static inline unsigned take_zero(emitter *e)
{
    const unsigned r = take(e);
    bits(e, XOR, r, r);
    return r;
}

#endif
