/* Row by row where no two instructions write to the same target, so that a row's
 * values are used soon; else instruction by instruction as block code does, for sums are
 * made in that order. */
#include "code/native_rows.h"
#include <assert.h>

/* Block code costs the less a row the wider vectors are, and a part that is the same
 * for any number of rows: with the widest ones there are (8 doubles) machine code was
 * measured to take half the time at 16 rows, 0.8 of it at 64, and more at 100. */
enum { ROWS_MOST = 64 };
static_assert(ROWS_MOST <= PROGRAM_BLOCK, "a row has its place in a register");

bool native_is_rare(unsigned op, uint32_t b)
{
    const int32_t k = (int32_t)b;
    switch ((opcode)op) {
    /* short powers are written out: at most a dozen products */
    case OP_POWI: return k == 0 || k <= -64 || k >= 64;
    case OP_SIGN:
    case OP_SINC:
    case OP_COSC:
    case OP_SINCC:
    case OP_STUMPFF:
    case OP_PIECE:
    case OP_TABLE:
    case OP_MOD: return true;
    default: return false;
    }
}

size_t native_rows_count(const program *p, const section *s)
{
    if (!s->is_block || s->rows > ROWS_MOST) return 0;
    for (size_t i = 0; i < s->scalar.count; i++) {
        const scalar_ins *ins = &p->scalar.items[s->scalar.first + i];
        if (native_is_rare(scalar_op(ins), ins->b)) return 0;
    }
    for (size_t i = 0; i < s->code.count; i++) {
        const block_ins *ins = &p->block.items[s->code.first + i];
        if (native_is_rare(ins->op, ins->b)) return 0;
    }
    return s->rows * s->code.count;
}

typedef struct rows {
    const program *p;
    const section *s;
    row_place row;
    scalar_ins *to;
} rows;

typedef struct target {
    unsigned at;
    uint32_t index;
} target;

static target port_target(const rows *r, uint32_t j)
{
    const block_port *port = &r->p->ports.items[r->s->first_port + j];
    const size_t index = port_index(
        r->p, port, r->row.runs, r->row.row, r->row.offset);
    return (target){port->at, (uint32_t)index};
}

/* An entry of the pointer table in this row. */
static target entry_target(const rows *r, uint32_t entry)
{
    const uint32_t ports = section_ports(r->s),
                   registers = section_registers(r->s);
    if (entry < ports) return (target){AT_CELL, entry * CELL_WIDTH};
    if (entry < registers) return port_target(r, entry - ports);
    return (target){AT_CELL,
        r->s->cells * CELL_WIDTH + (entry - registers) * PROGRAM_BLOCK
            + (uint32_t)r->row.row};
}

static void write_scatter(rows *r, const block_ins *i)
{
    const target t = port_target(r, i->b), v = entry_target(r, i->a);
    const bool is_sum = i->op == OP_SCATTER_ADD || i->op == OP_SCATTER_SUB;
    const opcode op = i->op == OP_SCATTER_SET ? OP_MOVE
        : i->op == OP_SCATTER_NEG             ? OP_NEG
        : i->op == OP_SCATTER_ADD             ? OP_ADD
                                              : OP_SUB;
    const target a = is_sum ? t : v, b = is_sum ? v : (target){0, 0};
    *r->to++ = (scalar_ins){
        scalar_head(op, t.at, a.at, b.at, 0), t.index, a.index, b.index, 0};
}

static void write_instruction(rows *r, const block_ins *i)
{
    const char *kinds = opcode_operands[i->op];
    const uint32_t given[3] = {i->a, i->b, i->c};
    target o[3] = {{0, 0}, {0, 0}, {0, 0}}, d = entry_target(r, i->d);
    for (int k = 0; k < 3 && kinds[k]; k++)
        if (kinds[k] == 'k') o[k].index = given[k];
        else
            o[k] = kinds[k] == 'p' ? port_target(r, given[k])
                                   : entry_target(r, given[k]);
    const opcode op = i->op == OP_GATHER ? OP_MOVE : (opcode)i->op;
    *r->to++ = (scalar_ins){scalar_head(op, d.at, o[0].at, o[1].at, o[2].at),
        d.index, o[0].index, o[1].index, o[2].index};
}

static void write_row(rows *r, const block_ins *i)
{
    if (i->op >= OP_SCATTER_SET) write_scatter(r, i);
    else write_instruction(r, i);
}

/* The result of an instruction in this row: of the program, or of the section. */
static target result_of(const rows *r, const block_ins *i)
{
    return i->op >= OP_SCATTER_SET ? port_target(r, i->b)
                                   : entry_target(r, i->d);
}

static uint8_t *mark_of(const rows *r, uint8_t *marks, target t)
{
    if (t.at == AT_MAIN) return marks + t.index;
    if (t.at == AT_JAC) return marks + r->p->sizes.out[OUT_MAIN] + t.index;
    return NULL;
}

/* Whether no target is written by two instructions. OUT_DEF has no marks: one
 * instruction may write there. */
static bool is_apart(rows *r, uint8_t *marks)
{
    size_t definitions = 0;
    bool is_ok = r->s->code.count < UINT8_MAX;
    const block_ins *code = r->p->block.items + r->s->code.first;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < r->s->code.count; i++) {
            bool has_row = row_first(r->p, r->s, &r->row);
            const unsigned at = has_row ? result_of(r, &code[i]).at : AT_CELL;
            definitions += pass == 0 && at == AT_OUT_DEF;
            for (; has_row && at != AT_CELL;
                 has_row = row_next(r->p, r->s, &r->row)) {
                uint8_t *mark = mark_of(r, marks, result_of(r, &code[i]));
                if (!mark) break;
                if (pass == 0 && *mark && *mark != i + 1) is_ok = false;
                *mark = pass == 0 ? (uint8_t)(i + 1) : 0;
            }
        }
    return is_ok && definitions < 2;
}

static void write_by_rows(rows *r)
{
    const block_ins *code = r->p->block.items + r->s->code.first;
    for (bool has_row = row_first(r->p, r->s, &r->row); has_row;
         has_row = row_next(r->p, r->s, &r->row))
        for (size_t i = 0; i < r->s->code.count; i++) write_row(r, &code[i]);
}

/* Segment by segment. */
static void write_by_instructions(rows *r)
{
    const block_ins *code = r->p->block.items + r->s->code.first;
    row_place start;
    bool has_row = row_first(r->p, r->s, &start);
    while (has_row) {
        row_place after = start;
        for (size_t i = 0; i < r->s->code.count; i++) {
            r->row = start;
            for (has_row = true; has_row && r->row.segment == start.segment;
                 has_row = row_next(r->p, r->s, &r->row))
                write_row(r, &code[i]);
            after = r->row;
        }
        start = after;
    }
}

size_t native_rows_write(
    const program *p, const section *s, uint8_t *marks, scalar_ins *to)
{
    rows r = {.p = p, .s = s, .to = to};
    assert(native_rows_count(p, s) > 0);
    if (is_apart(&r, marks)) write_by_rows(&r);
    else write_by_instructions(&r);
    return (size_t)(r.to - to);
}
