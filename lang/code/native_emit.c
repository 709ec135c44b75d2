#include "code/native_emit.h"

#if NATIVE_X86_64
#include "code/native_registers.h"
#include "code/native_rows.h"
#include <assert.h>
#include <math.h>

typedef double function1(double);
typedef double function2(double, double);

static function1 *const functions1[OP_COUNT] = {
    [OP_EXP] = exp,
    [OP_LOG] = log,
    [OP_SIN] = sin,
    [OP_COS] = cos,
    [OP_TANH] = tanh,
    [OP_CBRT] = cbrt,
    [OP_EXPM1] = expm1,
    [OP_LOG1P] = log1p,
    [OP_LOG10] = log10,
    [OP_TAN] = tan,
    [OP_ASIN] = asin,
    [OP_ACOS] = acos,
    [OP_ATAN] = atan,
    [OP_SINH] = sinh,
    [OP_COSH] = cosh,
    [OP_ASINH] = asinh,
    [OP_ACOSH] = acosh,
    [OP_ATANH] = atanh,
    [OP_ERF] = erf,
    [OP_FLOOR] = floor,
    [OP_CEIL] = ceil,
};
static function2 *const functions2[OP_COUNT] = {
    [OP_POW] = pow,
    [OP_ATAN2] = atan2,
    [OP_HYPOT] = hypot,
};

/* ---- what instructions are -------------------------------------------------------- */

static bool is_rare(const scalar_ins *i)
{
    return native_is_rare(scalar_op(i), i->b);
}

static bool is_call(const scalar_ins *i)
{
    return is_rare(i) || functions1[scalar_op(i)] || functions2[scalar_op(i)];
}

/* ---- operations ------------------------------------------------------------------- */

/* r = mask ? x : y; changes all three. */
static unsigned choose(emitter *e, unsigned mask, unsigned x, unsigned y)
{
    bits(e, AND, x, mask);
    bits(e, AND_NOT, mask, y);
    bits(e, OR, mask, x);
    return mask;
}

/* a op b */
static unsigned two(emitter *e, unsigned op, const operand o[4], int count)
{
    const bool may_swap = (op == ADD || op == MUL)
        && register_of(e, &o[0]) == NO_REGISTER
        && register_of(e, &o[1]) != NO_REGISTER && o[1].next == NO_INDEX;
    const unsigned r = take_operand(e, o, count, may_swap);
    apply(e, op, r, &o[!may_swap]);
    return r;
}

/* c - (a op b) */
static unsigned from(emitter *e, unsigned op, const operand o[4])
{
    const unsigned r = two(e, op, o, 3), s = take_operand(e, o, 3, 2);
    vector_vector(&e->to, DOUBLE, SUB, s, r);
    return s;
}

/* (a op b) second c */
static unsigned pair(
    emitter *e, unsigned op, unsigned second, const operand o[4])
{
    const unsigned r = two(e, op, o, 3);
    apply(e, second, r, &o[2]);
    return r;
}

/* 1 or 0 */
static unsigned truth(emitter *e, const operand o[4], unsigned what)
{
    const unsigned r = take_operand(e, o, 2, 0), s = take_operand(e, o, 2, 1);
    compare(e, r, s, what);
    bits_here(e, AND, r, HERE_ONE);
    return r;
}

/* All bits where an operand is not 0. */
static unsigned not_zero(emitter *e, const operand o[4], int count, int k)
{
    const unsigned r = take_operand(e, o, count, k), zero = take_zero(e);
    compare(e, r, zero, IS_DIFFERENT);
    e->busy &= ~(1u << zero);
    return r;
}

static unsigned both(emitter *e, unsigned op, const operand o[4])
{
    const unsigned r = not_zero(e, o, 2, 0);
    bits(e, op, r, not_zero(e, o, 2, 1));
    bits_here(e, AND, r, HERE_ONE);
    return r;
}

static unsigned negated(emitter *e, const operand o[4])
{
    const unsigned r = take_operand(e, o, 1, 0);
    compare(e, r, take_zero(e), IS_EQUAL);
    bits_here(e, AND, r, HERE_ONE);
    return r;
}

static unsigned selected(emitter *e, const operand o[4])
{
    const unsigned mask = not_zero(e, o, 3, 0), x = take_operand(e, o, 3, 1);
    return choose(e, mask, x, take_operand(e, o, 3, 2));
}

/* b where it is beyond a or NaN, else a */
static unsigned extreme(emitter *e, const operand o[4], bool is_max)
{
    const unsigned a = take_operand(e, o, 2, 0), b = take_operand(e, o, 2, 1);
    const unsigned mask = take_copy(e, is_max ? a : b), nan = take_copy(e, b);
    compare(e, mask, is_max ? b : a, IS_LESS);
    compare(e, nan, nan, IS_UNORDERED);
    bits(e, OR, mask, nan);
    return choose(e, mask, b, a);
}

static unsigned root(emitter *e, const operand o[4])
{
    const unsigned r = take(e);
    apply(e, SQRT, r, &o[0]);
    return r;
}

static unsigned with_bits(
    emitter *e, const operand o[4], unsigned op, int which)
{
    const unsigned r = take_operand(e, o, 1, 0);
    bits_here(e, op, r, which);
    return r;
}

/* By repeated squaring, product by product as node_apply does. */
static unsigned power(emitter *e, const operand o[4], int32_t exponent)
{
    uint32_t k = (uint32_t)(exponent < 0 ? -exponent : exponent);
    unsigned square = take_operand(e, o, 1, 0), r = NO_REGISTER;
    for (; k > 0; k >>= 1) {
        if (k == 1 && r == NO_REGISTER) r = square;
        else if (k & 1 && r == NO_REGISTER) r = take_copy(e, square);
        else if (k & 1) vector_vector(&e->to, DOUBLE, MUL, r, square);
        if (k > 1) vector_vector(&e->to, DOUBLE, MUL, square, square);
    }
    if (exponent > 0) return r;
    const unsigned inverse = take(e);
    bits_here(e, COPY, inverse, HERE_ONE);
    vector_vector(&e->to, DOUBLE, DIV, inverse, r);
    return inverse;
}

/* NO_REGISTER: not known. */
static unsigned operate(emitter *e, const scalar_ins *i, const operand o[4])
{
    switch ((opcode)scalar_op(i)) {
    case OP_MOVE: return take_operand(e, o, 1, 0);
    case OP_ADD: return two(e, ADD, o, 2);
    case OP_SUB: return two(e, SUB, o, 2);
    case OP_MUL: return two(e, MUL, o, 2);
    case OP_DIV: return two(e, DIV, o, 2);
    case OP_NEG: return with_bits(e, o, XOR, HERE_SIGN);
    case OP_ABS: return with_bits(e, o, AND, HERE_REST);
    case OP_SQRT: return root(e, o);
    case OP_POWI: return power(e, o, (int32_t)i->b);
    case OP_MIN: return extreme(e, o, false);
    case OP_MAX: return extreme(e, o, true);
    case OP_LT: return truth(e, o, IS_LESS);
    case OP_LE: return truth(e, o, IS_AT_MOST);
    case OP_EQ: return truth(e, o, IS_EQUAL);
    case OP_NE: return truth(e, o, IS_DIFFERENT);
    case OP_AND: return both(e, AND, o);
    case OP_OR: return both(e, OR, o);
    case OP_NOT: return negated(e, o);
    case OP_SELECT: return selected(e, o);
    case OP_ADD_ADD: return pair(e, ADD, ADD, o);
    case OP_ADD_SUB: return pair(e, ADD, SUB, o);
    case OP_ADD_FROM: return from(e, ADD, o);
    case OP_ADD_MUL: return pair(e, ADD, MUL, o);
    case OP_SUB_ADD: return pair(e, SUB, ADD, o);
    case OP_SUB_SUB: return pair(e, SUB, SUB, o);
    case OP_SUB_FROM: return from(e, SUB, o);
    case OP_SUB_MUL: return pair(e, SUB, MUL, o);
    case OP_MUL_ADD: return pair(e, MUL, ADD, o);
    case OP_MUL_SUB: return pair(e, MUL, SUB, o);
    case OP_MUL_FROM: return from(e, MUL, o);
    case OP_MUL_MUL: return pair(e, MUL, MUL, o);
    default: return NO_REGISTER;
    }
}

/* ---- calls ------------------------------------------------------------------------ */

/* What is needed later in memory; in no register, but for the operands. */
static void leave_registers(emitter *e, const operand o[4], int count)
{
    for (unsigned left = e->held; left; left &= left - 1) {
        const unsigned r = first_of(left);
        const operand *v = &e->in[r];
        bool is_needed = true;
        for (int k = 0; k < count; k++)
            if (v->value == o[k].value && o[k].next == NO_INDEX)
                is_needed = false;
        if (is_needed) clean(e, r);
        forget(e, r);
    }
}

/* From register `from`, NO_REGISTER: from memory. */
static void set_argument(
    emitter *e, unsigned to, unsigned from, const operand *o)
{
    if (from == NO_REGISTER) load(e, to, o);
    else if (from != to) vector_vector(&e->to, BITS, COPY, to, from);
}

/* Operands into registers 0 and 1, the second one first. */
static void set_arguments(emitter *e, const operand o[4], int count)
{
    unsigned a = register_of(e, &o[0]), b = NO_REGISTER;
    if (count > 1) b = register_of(e, &o[1]);
    leave_registers(e, o, count);
    if (count > 1 && a == 1 && b != 1) {
        const unsigned aside = b == 2 ? 3 : 2;
        set_argument(e, aside, a, &o[0]);
        a = aside;
    }
    if (count > 1) set_argument(e, 1, b, &o[1]);
    set_argument(e, 0, a, &o[0]);
}

static uint64_t address1(function1 *f)
{
    return (uint64_t)(uintptr_t)f;
}

static uint64_t address2(function2 *f)
{
    return (uint64_t)(uintptr_t)f;
}

static unsigned call(
    emitter *e, const scalar_ins *i, const operand o[4], int count)
{
    const unsigned op = scalar_op(i);
    set_arguments(e, o, count);
    if (is_rare(i)) {
        load_number(&e->to, RDI, (uint64_t)(uintptr_t)i);
        load_pointer(&e->to, RSI, RBX, (int32_t)(AT_TABLE * sizeof(double *)));
        load_number(&e->to, RAX, (uint64_t)(uintptr_t)vm_scalar_rare);
    } else {
        load_number(&e->to, RAX,
            functions1[op] ? address1(functions1[op])
                           : address2(functions2[op]));
    }
    call_rax(&e->to);
    for (unsigned at = 0; at < AT_COUNT; at++)
        if (e->base[at] < RBX || (e->base[at] >= RSI && e->base[at] < R12))
            e->is_loaded[at] = false;
    return 0;
}

/* ---- sections --------------------------------------------------------------------- */

/* Backwards: who uses each value next. */
static void find_uses(emitter *e, const scalar_ins *code, size_t count)
{
    for (size_t i = count; i-- > 0;) {
        const scalar_ins *ins = &code[i];
        const int operands = e->operands[scalar_op(ins)];
        const uint32_t d = value_of(e, scalar_d_at(ins), ins->d);
        uint32_t *uses = e->uses[i], v[3];
        uses[3] = NO_INDEX;
        if (d != NO_INDEX) {
            uses[3] = e->next[d];
            e->next[d] = NO_INDEX;
        }
        for (int k = 0; k < operands; k++) {
            v[k] = value_of(e, scalar_at(ins, k), scalar_index(ins, k));
            uses[k] = v[k] != NO_INDEX ? e->next[v[k]] : NO_INDEX;
        }
        for (int k = 0; k < operands; k++)
            if (v[k] != NO_INDEX) e->next[v[k]] = (uint32_t)i;
    }
}

static void begin_section(emitter *e, const scalar_ins *code, size_t count)
{
    uint32_t counts[AT_COUNT] = {0};
    e->calls = false;
    for (size_t i = 0; i < count; i++) {
        const int operands = e->operands[scalar_op(&code[i])];
        for (int k = 0; k < operands; k++) counts[scalar_at(&code[i], k)]++;
        counts[scalar_d_at(&code[i])]++;
        if (is_call(&code[i])) e->calls = true;
    }
    memset(e->base, RSP, sizeof e->base);
    memset(e->is_loaded, 0, sizeof e->is_loaded);
    choose_bases(e, counts);
    e->held = e->dirty = e->busy = 0;
    for (unsigned k = 0; k < e->pushed_count; k++)
        push_pointer(&e->to, e->pushed[k]);
    if (e->calls) copy_pointer(&e->to, RBX, RDI);
    if (frame_of(e)) move_stack(&e->to, frame_of(e), 0);
}

static void end_section(emitter *e)
{
    assert(e->held == 0); /* each value until its last use, results in memory */
    if (frame_of(e)) move_stack(&e->to, frame_of(e), 1);
    for (unsigned k = e->pushed_count; k-- > 0;)
        pop_pointer(&e->to, e->pushed[k]);
    put(&e->to, 0xC3);
}

static void release_operands(emitter *e, const operand o[4], int count)
{
    for (int k = 0; k < count; k++) {
        const unsigned s = register_of(e, &o[k]);
        if (s == NO_REGISTER) continue;
        e->in[s].next = o[k].next;
        if (o[k].next == NO_INDEX) forget(e, s);
    }
    e->busy = 0;
}

/* The result is in register r. */
static void finish(emitter *e, const operand o[4], unsigned r)
{
    const unsigned before = register_of(e, &o[3]);
    if (before != NO_REGISTER) forget(e, before);
    if (o[3].next == NO_INDEX) {
        if (!is_temporary(&o[3])) store(e, r, &o[3]);
        return;
    }
    e->in[r] = o[3];
    e->held |= 1u << r;
    e->dirty |= 1u << r;
    e->where[o[3].value] = (uint8_t)(r + 1);
}

static bool emit_instruction(
    emitter *e, const scalar_ins *i, const uint32_t *uses)
{
    operand o[4];
    const int count = operands_of(e, i, uses, o);
    if (e->end - e->to.at < INS_ROOM) return false;
    for (int k = 0; k < count; k++) {
        const unsigned r = register_of(e, &o[k]);
        if (r != NO_REGISTER) e->busy |= 1u << r;
        if (o[k].value != NO_INDEX) e->next[o[k].value] = NO_INDEX;
    }
    const bool is_needed = o[3].next != NO_INDEX || !is_temporary(&o[3]);
    const unsigned r = !is_needed ? 0
        : is_call(i)              ? call(e, i, o, count)
                                  : operate(e, i, o);
    if (r == NO_REGISTER) return false;
    release_operands(e, o, count);
    if (is_needed) finish(e, o, r);
    return true;
}

bool native_emit_section(emitter *e, const scalar_ins *code, size_t count)
{
    find_uses(e, code, count);
    if (e->end - e->to.at < SECTION_ROOM) return false;
    begin_section(e, code, count);
    for (size_t i = 0; i < count; i++)
        if (!emit_instruction(e, &code[i], e->uses[i])) return false;
    if (e->end - e->to.at < SECTION_ROOM) return false;
    end_section(e);
    return true;
}

#endif
