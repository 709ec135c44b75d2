/* What a program is made of (private to this folder).
 *
 * A program is a list of sections in the order they run. A *fused* section is
 * straight-line scalar code. A *block* section is one kernel: a scalar
 * prologue that computes what is the same in every row ("cells"), then block
 * code run over all rows, PROGRAM_BLOCK at a time.
 *
 * Block code names its operands by entries of a pointer table:
 *     [cells][ports][registers]
 * A cell is one value repeated over a vector; a port is a column of the kernel
 * (input) or of its targets (output), in place where its indices ascend by
 * one, else through a register; a register is a block of PROGRAM_BLOCK values.
 *
 * Columns are cut into *segments*: ranges of rows in which every affine column
 * is base + stride * row. Columns that are not worth it keep their indices. */
#ifndef CODE_BYTECODE_H
#define CODE_BYTECODE_H

#include "code/program.h"
#include <stdint.h>

typedef enum opcode {
#define X(name, operands, effect) OP_##name,
#include "code/opcodes.def"
#undef X
    OP_COUNT
} opcode;

/* Where a scalar operand lives. */
typedef enum place {
    AT_X,
    AT_XP,
    AT_PARAM,
    AT_DEF,
    AT_TIME,
    AT_HELD, /* up to here: program_space */
    AT_MAIN,
    AT_OUT_DEF,
    AT_JAC,   /* up to here: program_out */
    AT_CONST, /* the program's constants */
    AT_SLOT,  /* scratch */
    AT_CELL,  /* block section's cells; index counts doubles */
    AT_TABLE, /* numbers of signals, no operand's place: instructions name a
                 signal by their number k */
    AT_COUNT,
    AT_PORT = AT_COUNT /* while block code is made: its ports */
} place;

/* Places whose values are the same at every time between events. */
static inline bool place_is_number(unsigned at)
{
    return at == AT_PARAM || at == AT_HELD || at == AT_CONST;
}

#define CELL_WIDTH 8 /* doubles of a cell: the widest vector */
#define NO_INDEX UINT32_MAX

/* Inputs are only read: the verifier lets no instruction write to them. */
static inline double *place_of_input(const double *array)
{
    return (double *)(uintptr_t)array;
}

/* Operation and places are read as one word: loads are what bounds the
 * interpreter. */
typedef struct scalar_ins {
    uint32_t head;       /* opcode: 8 bits; places of d, a, b, c: 4 bits each */
    uint32_t d, a, b, c; /* index there; operand k is in b or c */
} scalar_ins;

static inline uint32_t scalar_head(
    opcode op, unsigned d, unsigned a, unsigned b, unsigned c)
{
    return (uint32_t)op | d << 8 | a << 12 | b << 16 | c << 20;
}
static inline unsigned scalar_op(const scalar_ins *i)
{
    return i->head & 0xffu;
}
static inline unsigned scalar_d_at(const scalar_ins *i)
{
    return i->head >> 8 & 0xfu;
}
/* Operand 0, 1, 2: a, b, c. */
static inline unsigned scalar_at(const scalar_ins *i, int operand)
{
    return i->head >> (12 + 4 * operand) & 0xfu;
}
static inline uint32_t scalar_index(const scalar_ins *i, int operand)
{
    return operand == 0 ? i->a : operand == 1 ? i->b : i->c;
}

typedef struct block_ins {
    uint16_t op;         /* opcode */
    uint16_t vectors;    /* bit 0, 1, 2: a, b, c advance by row (else cells) */
    uint32_t d, a, b, c; /* entries of the pointer table; k in b or c; GATHER:
                            a is the port; SCATTER: b is */
} block_ins;

/* One affine column within one segment. */
typedef struct column_run {
    uint32_t base;
    int32_t stride;
} column_run;

typedef struct block_port {
    uint8_t at; /* place: which array */
    bool is_output;
    bool is_affine; /* runs, else indices */
    bool is_direct; /* affine with stride 1 in every segment */
    uint32_t reg;   /* entry of the register used where it is not read or
                        written in place; NO_INDEX where it always is */
    size_t first;   /* affine: column of the run table; else: where its
                        row_count indices start in program.indices */
} block_port;

typedef struct code_range {
    size_t first, count;
} code_range;

/* Scalar code as machine code (native.h). */
typedef void native_run(double *const at[AT_COUNT]);
typedef struct native_code {
    void *memory; /* NULL: none */
    size_t size;
} native_code;

typedef struct section {
    bool is_block;
    uint32_t level;    /* of its first kernel */
    size_t kernels;    /* how many kernels are in it */
    code_range scalar; /* fused code, or the prologue */
    uint32_t slots;    /* of the scalar code */
    /* block sections only */
    code_range code;
    size_t rows;
    uint32_t cells, port_count, registers;
    uint32_t run_columns; /* affine ports */
    size_t first_port;
    code_range segments;  /* in program.segment_rows */
    size_t first_run;     /* segments.count * run_columns runs */
    native_run *native;   /* the scalar code; NULL: interpreted */
    bool has_native_rows; /* the block code too */
} section;

struct program {
    const dae_allocator *allocator;
    program_sizes sizes;
    program_counts counts;
    size_t scratch;       /* bytes */
    size_t slots;         /* doubles, the first part of the scratch */
    unsigned lanes;       /* width of the vectors it is run with */
    const double *tables; /* borrowed: numbers of signals */
    size_t table_count;
    native_code native;
    uint32_t runs_left; /* until there is native code; 0: is or will not be */
    ARRAY(section) sections;
    ARRAY(scalar_ins) scalar;
    ARRAY(block_ins) block;
    ARRAY(double) constants;
    ARRAY(block_port) ports;
    ARRAY(uint32_t) segment_rows; /* rows of each segment */
    ARRAY(column_run) runs;       /* segment by segment */
    ARRAY(uint32_t) indices;
};

/* Facts about instructions, from opcodes.def. */
extern const char *const opcode_names[OP_COUNT];
extern const char *const opcode_operands[OP_COUNT];
extern const char *const opcode_effects[OP_COUNT];

/* The instruction of a node's operation (not CONST or HOLE), and back; nodes
 * have one each, pairs and moves have no node (NODE_OP_COUNT). */
opcode opcode_of_node(node_op op);
node_op opcode_node(opcode op);
/* The instruction that does `inner` and then `outer`, both ADD, SUB or MUL;
 * `is_left`: inner's result is outer's first operand. OP_COUNT: none. */
opcode opcode_pair(opcode outer, opcode inner, bool is_left);

/* The number k of an instruction from its fields b and c. */
static inline uint32_t opcode_number(unsigned op, uint32_t b, uint32_t c)
{
    return opcode_operands[op][1] == 'k' ? b : c;
}
/* A node's operation with what an instruction's number says of it. */
static inline node opcode_operation(
    node_op op, uint32_t number, const double *tables)
{
    node n = {.op = (uint8_t)op};
    if (op == NODE_POWI) {
        n.exponent = (int32_t)number;
    } else if (node_is_family(op)) {
        n.order = (uint8_t)number;
    } else if (node_has_signal(op)) {
        n.order = (uint8_t)signal_order(number);
        n.table = tables + signal_offset(number);
    }
    return n;
}

/* The pointer table of a block section. */
static inline uint32_t section_ports(const section *s)
{
    return s->cells;
}
static inline uint32_t section_registers(const section *s)
{
    return s->cells + s->port_count;
}
static inline size_t section_entries(const section *s)
{
    return (size_t)s->cells + s->port_count + s->registers;
}

/* Where a port reads or writes in a row of a section: `runs` are those of the
 * segment, `offset` counts from its first row. */
static inline size_t port_index(const program *p, const block_port *port,
    const column_run *runs, size_t row, size_t offset)
{
    if (!port->is_affine) return p->indices.items[port->first + row];
    const column_run *run = &runs[port->first];
    return (size_t)(run->base + (int64_t)offset * run->stride);
}

/* A row of a block section, for who takes one after the other. */
typedef struct row_place {
    const column_run *runs; /* of its segment; NULL: there are none */
    size_t segment, row, offset;
} row_place;

/* Past segments without rows; false: none is left. */
static inline bool row_settle(const program *p, const section *s, row_place *at)
{
    for (; at->segment < s->segments.count; at->segment++, at->offset = 0) {
        const size_t segment = s->segments.first + at->segment;
        if (at->offset < p->segment_rows.items[segment]) return true;
        if (at->runs) at->runs += s->run_columns;
    }
    return false;
}
static inline bool row_first(const program *p, const section *s, row_place *at)
{
    const column_run *runs = p->runs.items;
    *at = (row_place){.runs = s->run_columns ? runs + s->first_run : NULL};
    return row_settle(p, s, at);
}
static inline bool row_next(const program *p, const section *s, row_place *at)
{
    at->offset++, at->row++;
    return row_settle(p, s, at);
}

/* vm_scalar.c. `at` holds the arrays by place; inputs are only read. */
void vm_scalar_run(
    const scalar_ins *code, size_t count, double *const at[AT_COUNT]);
/* An instruction of one or two operands, by its definition. */
double vm_scalar_rare(
    const scalar_ins *i, const double *tables, double a, double b);

/* vm_block.c: runs a block section's code over its rows, when the prologue
 * has been run. at[AT_CELL] is 64-byte aligned scratch of vm_block_scratch
 * bytes: cells, registers, pointer table. */
void vm_block_run(
    const program *p, const section *s, double *const at[AT_COUNT]);
size_t vm_block_scratch(const section *s);
/* Doubles in the widest vector of this processor: 8, 4, 2 or 1. */
unsigned vm_block_lanes(void);

/* bytecode.c. Of program_scratch bytes and the constants: AT_CONST, AT_SLOT and
 * AT_CELL; the other places are the caller's. */
void program_places(const program *p, void *scratch, double *at[AT_COUNT]);
void program_interpret_section(
    const program *p, const section *s, double *const at[AT_COUNT]);
static inline void program_run_section(
    const program *p, const section *s, double *const at[AT_COUNT])
{
    if (s->native) s->native(at);
    if (!s->native || (s->is_block && !s->has_native_rows))
        program_interpret_section(p, s, at);
}
static inline void program_run_places(
    const program *p, double *const at[AT_COUNT])
{
    const section *s = p->sections.items, *end = s + p->sections.count;
    for (; s < end; s++) program_run_section(p, s, at);
}
/* The function that all of it is, where it is one piece of machine code; else NULL. */
static inline native_run *program_function(const program *p)
{
    const section *s = p->sections.items;
    const bool is_one = p->sections.count == 1
        && (!s->is_block || s->has_native_rows);
    return is_one ? s->native : NULL;
}
/* verify.c: DAE_ARGUMENT where anything is out of bounds. */
dae_status program_verify(const program *p) DAE_MUST_CHECK;

#endif
