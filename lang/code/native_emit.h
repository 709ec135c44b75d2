/* Machine code of one section (private to native.c).
 *
 * The code is straight, so one pass backwards knows of every value at which
 * instruction it is next used, and one pass forwards gives registers: results stay in
 * them until they are not needed any more, and are stored only where all sixteen
 * are taken (the one that is used last goes), before calls, and where they are results
 * of the program. Inputs are operands in memory. Slots that never leave a register
 * are never written. */
#ifndef CODE_NATIVE_EMIT_H
#define CODE_NATIVE_EMIT_H

#include "code/bytecode.h"

#if defined(__x86_64__) && defined(__LP64__) && defined(__unix__)              \
    && defined(__GNUC__)
#define NATIVE_X86_64 1
#else
#define NATIVE_X86_64 0
#endif

#if NATIVE_X86_64
#include "code/native_bytes.h"

enum { REGISTERS = 16, NO_REGISTER = REGISTERS, ALL_REGISTERS = 0xFFFF };

/* What the code may take: an instruction is at most INS_ROOM bytes (a call that stores 15
 * registers before); INS_USUAL is more than any takes on average, as a value is
 * stored once. */
enum { INS_ROOM = 512, INS_USUAL = 192, SECTION_ROOM = 512 };

/* Numbers before the code, 16 bytes each. */
enum { HERE_ONE, HERE_SIGN, HERE_REST, HERE_COUNT };

/* A value that may stay in a register: of a slot, or of a result that is added to.
 * NO_INDEX: of neither. */
typedef struct operand {
    unsigned at;
    uint32_t index, value;
    uint32_t next; /* instruction that uses it next; NO_INDEX: none */
} operand;

typedef struct emitter {
    const program *p;
    writer to;
    uint8_t *end;
    const uint8_t *here;
    /* The first value of each place, NO_INDEX: it has none. Slots, then main, then jac,
     * then cells and registers of block code that has become scalar code. */
    uint32_t first[AT_COUNT];
    uint32_t cells, values; /* the first of those; how many there are */
    scalar_ins *ins;        /* room for a section's code */
    uint32_t *next;         /* of each value: as seen by the pass backwards */
    uint8_t *where;         /* of each value: its register + 1, or 0 */
    uint32_t (*uses)[4];    /* of each instruction: next of a, b, c, d */
    uint8_t operands[OP_COUNT]; /* how many are values */
    bool calls;                 /* some function */
    uint8_t base[AT_COUNT];     /* general register of each place */
    bool is_loaded[AT_COUNT];
    uint8_t pushed[R15 + 1], pushed_count;
    /* vector registers: what is in each, and sets of them, a bit each */
    operand in[REGISTERS];
    unsigned held;  /* have a value */
    unsigned dirty; /* one that is not in memory */
    unsigned busy;  /* are not to be taken in this instruction */
} emitter;

/* Appends code; there are `uses` for it, all values' `next` are NO_INDEX and `where` 0
 * before and after. Rare instructions stay where they are as long as the code. false: no
 * room, or an instruction that is not known. */
bool native_emit_section(
    emitter *e, const scalar_ins *code, size_t count) DAE_MUST_CHECK;

#endif
#endif
