/* Memory for machine code, and when a program gets it. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "code/native.h"
#include "code/native_emit.h"
#include <string.h>

#if NATIVE_X86_64
#include <sys/mman.h>
#include <unistd.h>

enum { SURPLUS_MOST = 1 << 16 }; /* bytes not worth a call of the system */

/* Where things are in the memory: numbers, code, then tables that are given back. */
typedef struct layout {
    size_t code, uses, next, where, size;
} layout;

static size_t add_aligned(size_t *size, size_t bytes, size_t unit)
{
    const size_t at = *size;
    *size += (bytes + unit - 1) / unit * unit;
    return at;
}

/* false: offsets or numbers of values would not fit. */
static bool lay_out(emitter *e, size_t page, layout *l)
{
    const program *p = e->p;
    size_t most = 0, longest = 0, sections = 0;
    for (int k = 0; k < SPACE_COUNT; k++)
        if (p->sizes.space[k] > most) most = p->sizes.space[k];
    for (int k = 0; k < OUT_COUNT; k++)
        if (p->sizes.out[k] > most) most = p->sizes.out[k];
    if (p->constants.count > most) most = p->constants.count;
    for (size_t i = 0; i < p->sections.count; i++) {
        const section *s = &p->sections.items[i];
        const size_t cells = (size_t)s->cells * CELL_WIDTH;
        if (s->scalar.count > longest) longest = s->scalar.count;
        if (cells > most) most = cells;
        sections += s->scalar.count > 0;
    }
    if (p->slots > most) most = p->slots;
    if (most > INT32_MAX / sizeof(double) - 1
        || p->scalar.count > INT32_MAX / INS_USUAL / 2)
        return false;
    e->main = p->slots;
    e->jac = e->main + p->sizes.out[OUT_MAIN];
    e->values = e->jac + p->sizes.out[OUT_JAC];
    *l = (layout){0};
    add_aligned(&l->size, HERE_COUNT * 16, 64);
    l->code = add_aligned(&l->size,
        p->scalar.count * INS_USUAL + sections * SECTION_ROOM * 2 + INS_ROOM,
        page);
    l->size = (l->size + page - 1) / page * page;
    l->uses = add_aligned(&l->size, longest * sizeof *e->uses, 64);
    l->next = add_aligned(&l->size, e->values * sizeof *e->next, 64);
    l->where = add_aligned(&l->size, e->values, page);
    l->size = (l->size + page - 1) / page * page;
    return true;
}

static void write_numbers(uint8_t *memory)
{
    const double one = 1;
    const uint64_t sign = UINT64_C(1) << 63, rest = ~sign;
    for (int k = 0; k < 2; k++) {
        memcpy(memory + 16 * HERE_ONE + 8 * k, &one, 8);
        memcpy(memory + 16 * HERE_SIGN + 8 * k, &sign, 8);
        memcpy(memory + 16 * HERE_REST + 8 * k, &rest, 8);
    }
}

/* Sections know where their code begins before it may be run. */
static bool emit_program(
    emitter *e, program *p, uint8_t *memory, const layout *l)
{
    e->here = memory;
    e->to.at = memory + l->code;
    e->end = memory + l->uses;
    e->uses = (void *)(memory + l->uses);
    e->next = (void *)(memory + l->next);
    e->where = memory + l->where;
    write_numbers(memory);
    for (unsigned op = 0; op < OP_COUNT; op++)
        e->operands[op] = (uint8_t)strcspn(opcode_operands[op], "k");
    memset(e->next, 0xFF, e->values * sizeof *e->next); /* NO_INDEX */
    for (size_t i = 0; i < p->sections.count; i++) {
        section *s = &p->sections.items[i];
        const uint8_t *start = e->to.at;
        if (s->scalar.count == 0) continue;
        if (!native_emit_section(e, s)) return false;
        memcpy(&s->native, &start, sizeof start);
    }
    return true;
}

/* The code may be run and not written any more; the tables are given back. */
static bool close_memory(
    program *p, uint8_t *memory, size_t used, const layout *l)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t kept = (used + page - 1) / page * page;
    if (mprotect(memory, kept, PROT_READ | PROT_EXEC)) return false;
    p->native = (native_code){memory, l->size};
    if (l->size - kept > SURPLUS_MOST
        && munmap(memory + kept, l->size - kept) == 0)
        p->native.size = kept;
    return true;
}

static void make(program *p)
{
    emitter e = {.p = p};
    layout l;
    if (!lay_out(&e, (size_t)sysconf(_SC_PAGESIZE), &l)) return;
    uint8_t *memory = mmap(NULL, l.size, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    if (emit_program(&e, p, memory, &l)
        && close_memory(p, memory, (size_t)(e.to.at - memory), &l))
        return;
    for (size_t i = 0; i < p->sections.count; i++)
        p->sections.items[i].native = NULL;
    (void)munmap(memory, l.size);
}

void native_free(program *p)
{
    if (p->native.memory) (void)munmap(p->native.memory, p->native.size);
    p->native.memory = NULL;
}

#else

static void make(program *p)
{
    (void)p;
}

void native_free(program *p)
{
    (void)p;
}

#endif

/* When to translate: once the instructions that were interpreted would have saved, as
 * machine code, what translating costs; so what it costs is never more than what it
 * could have saved so far, whether many runs follow or none. An instruction saves 1.7 ns
 * (measured, 1.5 to 2.1); in this unit a program costs 10 us for calls of the system
 * and first uses of pages, an instruction 0.2 us, a value's tables 2 ns. */
enum { COST_PROGRAM = 6000, COST_INSTRUCTION = 120, COST_VALUE = 1 };

void native_allow(program *p, bool is_allowed)
{
    const size_t count = p->scalar.count;
    const size_t values = p->slots + p->sizes.out[OUT_MAIN]
        + p->sizes.out[OUT_JAC];
    p->runs_left = 0;
    if (!is_allowed || count == 0) return;
    const size_t runs = COST_INSTRUCTION
        + (COST_PROGRAM + COST_VALUE * values) / count;
    if (runs < UINT32_MAX) p->runs_left = (uint32_t)runs;
}

void native_make(program *p)
{
    if (!p->native.memory) make(p);
}
