/* Memory for machine code, and when a program gets it. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "code/native.h"
#include "code/native_emit.h"
#include "code/native_rows.h"
#include <string.h>

#if NATIVE_X86_64
#include <sys/mman.h>
#include <unistd.h>

enum { SURPLUS_MOST = 1 << 16 }; /* bytes not worth a call of the system */

/* Tables that are needed only while code is made: bytes up to each, and all. Small ones
 * are on the stack, which has its pages already. */
typedef struct tables {
    size_t next, ins, where, size;
} tables;
enum { TABLES_SMALL = 8192 };

/* Sizes of a program, with rows of block code that become scalar code. */
typedef struct extent {
    size_t instructions, longest; /* all; of one section */
    size_t cells;                 /* doubles, of sections with such rows */
    size_t largest;               /* array */
} extent;

static extent measure(const program *p)
{
    extent m = {.largest = p->slots};
    for (int k = 0; k < SPACE_COUNT; k++)
        if (p->sizes.space[k] > m.largest) m.largest = p->sizes.space[k];
    for (int k = 0; k < OUT_COUNT; k++)
        if (p->sizes.out[k] > m.largest) m.largest = p->sizes.out[k];
    if (p->constants.count > m.largest) m.largest = p->constants.count;
    for (size_t i = 0; i < p->sections.count; i++) {
        const section *s = &p->sections.items[i];
        const size_t rows = native_rows_count(p, s);
        const size_t count = s->scalar.count + rows;
        const size_t cells = (size_t)s->cells * CELL_WIDTH
            + (rows ? (size_t)s->registers * PROGRAM_BLOCK : 0);
        m.instructions += count;
        if (count > m.longest) m.longest = count;
        if (rows && cells > m.cells) m.cells = cells;
        if (cells > m.largest) m.largest = cells;
    }
    return m;
}

/* false: offsets or numbers of values would not fit. */
static bool number_values(emitter *e, const extent *m)
{
    const program *p = e->p;
    const size_t values = p->slots + p->sizes.out[OUT_MAIN]
        + p->sizes.out[OUT_JAC] + m->cells;
    if (m->largest > INT32_MAX / sizeof(double) - 1 || values > INT32_MAX
        || m->instructions > INT32_MAX / INS_USUAL / 2)
        return false;
    memset(e->first, 0xFF, sizeof e->first); /* NO_INDEX */
    e->first[AT_SLOT] = 0;
    e->first[AT_MAIN] = (uint32_t)p->slots;
    e->first[AT_JAC] = e->first[AT_MAIN] + (uint32_t)p->sizes.out[OUT_MAIN];
    e->cells = e->first[AT_JAC] + (uint32_t)p->sizes.out[OUT_JAC];
    e->values = (uint32_t)values;
    return true;
}

static tables lay_out(const emitter *e, const extent *m)
{
    tables t = {.next = m->longest * sizeof *e->uses};
    t.ins = t.next + e->values * sizeof *e->next;
    t.where = t.ins + m->longest * sizeof(scalar_ins);
    t.size = t.where + e->values;
    return t;
}

static void open_tables(emitter *e, void *memory, const tables *t)
{
    uint8_t *bytes = memory;
    e->uses = memory;
    e->next = (void *)(bytes + t->next);
    e->ins = (void *)(bytes + t->ins);
    e->where = bytes + t->where;
    memset(e->next, 0xFF, e->values * sizeof *e->next); /* NO_INDEX */
    memset(e->where, 0, e->values);
    for (unsigned op = 0; op < OP_COUNT; op++)
        e->operands[op] = (uint8_t)strcspn(opcode_operands[op], "k");
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

static bool emit_section(emitter *e, const section *s)
{
    const scalar_ins *code = e->p->scalar.items + s->scalar.first;
    size_t count = s->scalar.count;
    e->first[AT_CELL] = s->has_native_rows ? e->cells : NO_INDEX;
    if (s->has_native_rows) {
        uint8_t *marks = e->where + e->first[AT_MAIN];
        memcpy(e->ins, code, count * sizeof *code);
        count += native_rows_write(e->p, s, marks, e->ins + count);
        code = e->ins;
    }
    return native_emit_section(e, code, count);
}

/* Sections know where their code begins before it may be run. */
static bool emit_sections(emitter *e, program *p)
{
    for (size_t i = 0; i < p->sections.count; i++) {
        section *s = &p->sections.items[i];
        const uint8_t *start = e->to.at;
        s->has_native_rows = native_rows_count(p, s) > 0;
        if (s->scalar.count == 0 && !s->has_native_rows) continue;
        if (!emit_section(e, s)) return false;
        memcpy(&s->native, &start, sizeof start);
    }
    return true;
}

static void forget_sections(program *p)
{
    for (size_t i = 0; i < p->sections.count; i++) {
        p->sections.items[i].native = NULL;
        p->sections.items[i].has_native_rows = false;
    }
}

static size_t round_up(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

/* The code may be run and not written any more; what it does not take is given back. */
static bool close_memory(program *p, uint8_t *memory, size_t used, size_t size)
{
    const size_t kept = round_up(used, (size_t)sysconf(_SC_PAGESIZE));
    if (mprotect(memory, kept, PROT_READ | PROT_EXEC)) return false;
    p->native = (native_code){memory, size};
    if (size - kept > SURPLUS_MOST && munmap(memory + kept, size - kept) == 0)
        p->native.size = kept;
    return true;
}

static bool emit(emitter *e, program *p, uint8_t *memory, size_t room)
{
    write_numbers(memory);
    e->here = memory;
    e->to.at = memory + HERE_COUNT * 16;
    e->end = memory + room;
    return emit_sections(e, p);
}

/* Numbers and code, and behind them tables that are not small. */
static void make(program *p)
{
    emitter e = {.p = p};
    uint64_t small[TABLES_SMALL / sizeof(uint64_t)];
    const extent m = measure(p);
    if (!number_values(&e, &m)) return;
    const tables t = lay_out(&e, &m);
    const bool is_small = t.size <= sizeof small;
    const size_t room = round_up(HERE_COUNT * 16 + m.instructions * INS_USUAL
            + p->sections.count * SECTION_ROOM * 2 + INS_ROOM,
        64);
    const size_t size = room + (is_small ? 0 : t.size);
    uint8_t *memory = mmap(
        NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    open_tables(&e, is_small ? (void *)small : memory + room, &t);
    if (emit(&e, p, memory, room)
        && close_memory(p, memory, (size_t)(e.to.at - memory), size))
        return;
    forget_sections(p);
    (void)munmap(memory, size);
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
 * machine code, three times what translating costs: it then costs at most a third of what
 * it could have saved so far, some 5 % of a run, whether many follow or none. An
 * instruction saves 1.7 ns (measured, 1.5 to 2.1), three times that in a program that is
 * so long that the processor does not know its jumps by heart (4 to 7 ns from 760
 * instructions on), and one of block code four times that for all its rows (3.5 to 6 ns,
 * more for few rows). In this unit a program costs 16 us (the first one in a process 20,
 * others 13, of which most are calls of the system and first uses of pages), an
 * instruction 0.2 us, a value's tables 2 ns. */
enum { COST_PROGRAM = 10000, COST_INSTRUCTION = 120, COST_VALUE = 1 };
enum { LONG = 700, SAVED_IN_LONG = 3, SAVED_BY_BLOCK = 4, SAVED_BEFORE = 3 };

/* Runs until then; 0: never. */
static uint32_t runs_of(const program *p)
{
    const size_t values = p->slots + p->sizes.out[OUT_MAIN]
        + p->sizes.out[OUT_JAC];
    size_t count = p->scalar.count, saved = count;
    if (count > LONG) saved *= SAVED_IN_LONG;
    for (size_t i = 0; i < p->sections.count; i++) {
        const section *s = &p->sections.items[i];
        const size_t rows = native_rows_count(p, s);
        count += rows;
        if (rows) saved += SAVED_BY_BLOCK * s->code.count;
    }
    if (saved == 0) return 0;
    const size_t runs = 1
        + SAVED_BEFORE
            * (COST_PROGRAM + COST_VALUE * values + COST_INSTRUCTION * count)
            / saved;
    return runs < UINT32_MAX ? (uint32_t)runs : 0;
}

void native_allow(program *p, bool is_allowed)
{
    p->runs_left = is_allowed ? runs_of(p) : 0;
}

void native_make(program *p)
{
    if (!p->native.memory) make(p);
}
