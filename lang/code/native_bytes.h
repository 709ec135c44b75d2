/* Bytes of x86-64 instructions, as far as native.c needs them (private to it). A
 * register is its number; operands are register and register, or register and
 * [base + offset]. Who writes has made sure of the room. */
#ifndef CODE_NATIVE_BYTES_H
#define CODE_NATIVE_BYTES_H

#include <stdint.h>
#include <string.h>

enum {
    RAX,
    RCX,
    RDX,
    RBX,
    RSP,
    RBP,
    RSI,
    RDI,
    R8,
    R9,
    R10,
    R11,
    R12,
    R13,
    R14
};
enum { R15 = 15 };

/* Prefixes: of doubles, of bits. */
enum { DOUBLE = 0xF2, BITS = 0 };

/* Second bytes, behind 0F. */
enum {
    LOAD = 0x10,
    STORE = 0x11,
    COPY = 0x28, /* of all bits */
    SQRT = 0x51,
    AND = 0x54,
    AND_NOT = 0x55, /* d = ~d & s */
    OR = 0x56,
    XOR = 0x57,
    ADD = 0x58,
    MUL = 0x59,
    SUB = 0x5C,
    DIV = 0x5E,
    COMPARE = 0xC2
};
/* What COMPARE asks: its last byte. */
enum { IS_EQUAL, IS_LESS, IS_AT_MOST, IS_UNORDERED, IS_DIFFERENT };

typedef struct writer {
    uint8_t *at;
} writer;

static inline void put(writer *b, unsigned byte)
{
    *b->at++ = (uint8_t)byte;
}
static inline void put32(writer *b, int32_t value)
{
    memcpy(b->at, &value, sizeof value);
    b->at += sizeof value;
}

/* The second and third part of an instruction: register `r` and [base + offset]. */
static inline void put_memory(
    writer *b, unsigned r, unsigned base, int32_t offset)
{
    const unsigned low = (r & 7) << 3 | (base & 7);
    const int is_short = offset >= -128 && offset < 128;
    /* base 5 has no form without an offset, base 4 a byte more */
    const unsigned form = offset == 0 && (base & 7) != RBP ? 0u
        : is_short                                         ? 0x40u
                                                           : 0x80u;
    put(b, form | low);
    if ((base & 7) == RSP) put(b, 0x24);
    if (form == 0x40u) put(b, (unsigned)offset & 0xFFu);
    if (form == 0x80u) put32(b, offset);
}

static inline void put_start(
    writer *b, unsigned prefix, unsigned d, unsigned s, unsigned op)
{
    if (prefix) put(b, prefix);
    if ((d | s) & 8) put(b, 0x40 | (d >> 3) << 2 | s >> 3);
    put(b, 0x0F);
    put(b, op);
}
static inline void vector_vector(
    writer *b, unsigned prefix, unsigned op, unsigned d, unsigned s)
{
    put_start(b, prefix, d, s, op);
    put(b, 0xC0 | (d & 7) << 3 | (s & 7));
}
static inline void vector_memory(
    writer *b, unsigned op, unsigned d, unsigned base, int32_t offset)
{
    put_start(b, DOUBLE, d, base, op);
    put_memory(b, d, base, offset);
}
/* With bits of the same piece of memory. */
static inline void vector_here(
    writer *b, unsigned op, unsigned d, const uint8_t *from)
{
    put_start(b, BITS, d, 0, op);
    put(b, (d & 7) << 3 | 5);
    put32(b, (int32_t)(from - (b->at + 4)));
}

static inline void load_pointer(
    writer *b, unsigned d, unsigned base, int32_t offset)
{
    put(b, 0x48 | (d >> 3) << 2 | base >> 3);
    put(b, 0x8B);
    put_memory(b, d, base, offset);
}
static inline void load_number(writer *b, unsigned d, uint64_t value)
{
    put(b, 0x48 | d >> 3);
    put(b, 0xB8 | (d & 7));
    memcpy(b->at, &value, sizeof value);
    b->at += sizeof value;
}
static inline void copy_pointer(writer *b, unsigned d, unsigned s)
{
    put(b, 0x48 | (s >> 3) << 2 | d >> 3);
    put(b, 0x89);
    put(b, 0xC0 | (s & 7) << 3 | (d & 7));
}
static inline void push_pointer(writer *b, unsigned r)
{
    if (r & 8) put(b, 0x41);
    put(b, 0x50 | (r & 7));
}
static inline void pop_pointer(writer *b, unsigned r)
{
    if (r & 8) put(b, 0x41);
    put(b, 0x58 | (r & 7));
}
/* rsp -= size, size < 128; add: the inverse. */
static inline void move_stack(writer *b, unsigned size, int is_add)
{
    put(b, 0x48);
    put(b, 0x83);
    put(b, is_add ? 0xC4 : 0xEC);
    put(b, size);
}
static inline void call_rax(writer *b)
{
    put(b, 0xFF);
    put(b, 0xD0);
}

#endif
