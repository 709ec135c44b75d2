/* One row after the other, as in series_run.c, and by the same table of what
 * instructions do; values are those of node_apply_long. Sums into one target
 * may be made in another order than in double, which is of the size of their
 * rounding. */
#include "code/long_run.h"
#include "code/series_run.h"
#include "ir/digits.h"

typedef struct runner {
    const program *p;
    const section *s;
    const long_places *at;
    dae_long *slots, *cells, *registers;
    row_place place; /* in block code */
} runner;

static dae_long execute(
    const program *p, unsigned op, uint32_t k, const dae_long v[3])
{
    const series_operation *what = &series_operations[op];
    node n = opcode_operation((node_op)what->inner, k, p->tables);
    if (op == OP_MOVE) return v[0];
    if (what->outer == NODE_CONST) return node_apply_long(&n, v[0], v[1], v[2]);
    const dae_long inner = node_apply_long(&n, v[0], v[1], 0);
    n.op = what->outer;
    return what->is_from ? node_apply_long(&n, v[2], inner, 0)
                         : node_apply_long(&n, inner, v[2], 0);
}

static dae_long read(const runner *r, unsigned at, size_t index)
{
    switch (at) {
    case AT_CONST: return r->at->constants[index];
    case AT_SLOT: return r->slots[index];
    case AT_CELL: return r->cells[index / CELL_WIDTH];
    default:
        return at <= AT_HELD ? r->at->in[at][index]
                             : r->at->out[at - AT_MAIN][index];
    }
}

static dae_long *target(const runner *r, unsigned at, size_t index)
{
    switch (at) {
    case AT_SLOT: return &r->slots[index];
    case AT_CELL: return &r->cells[index / CELL_WIDTH];
    default: return &r->at->out[at - AT_MAIN][index];
    }
}

static void run_scalar(const runner *r)
{
    const scalar_ins *code = r->p->scalar.items + r->s->scalar.first;
    for (size_t i = 0; i < r->s->scalar.count; i++) {
        const scalar_ins *ins = &code[i];
        const char *kinds = opcode_operands[scalar_op(ins)];
        dae_long v[3] = {0, 0, 0};
        for (int k = 0; kinds[k]; k++)
            if (kinds[k] != 'k')
                v[k] = read(r, scalar_at(ins, k), scalar_index(ins, k));
        const unsigned op = scalar_op(ins);
        *target(r, scalar_d_at(ins), ins->d) = execute(
            r->p, op, opcode_number(op, ins->b, ins->c), v);
    }
}

static size_t index_of_port(const runner *r, size_t j, unsigned *at)
{
    const block_port *port = &r->p->ports.items[r->s->first_port + j];
    *at = port->at;
    return port_index(r->p, port, r->place.runs, r->place.row, r->place.offset);
}

/* An entry of the section's pointer table. */
static dae_long read_entry(const runner *r, uint32_t entry)
{
    const section *s = r->s;
    unsigned at;
    if (entry < section_ports(s)) return r->cells[entry];
    if (entry >= section_registers(s))
        return r->registers[entry - section_registers(s)];
    const size_t index = index_of_port(r, entry - section_ports(s), &at);
    return read(r, at, index);
}

static dae_long *target_entry(const runner *r, uint32_t entry)
{
    const section *s = r->s;
    unsigned at;
    if (entry >= section_registers(s))
        return &r->registers[entry - section_registers(s)];
    const size_t index = index_of_port(r, entry - section_ports(s), &at);
    return target(r, at, index);
}

static void scatter(const runner *r, const block_ins *ins)
{
    unsigned at;
    const size_t index = index_of_port(r, ins->b, &at);
    dae_long *d = target(r, at, index), v = read_entry(r, ins->a);
    if (ins->op == OP_SCATTER_NEG || ins->op == OP_SCATTER_SUB) v = -v;
    if (ins->op == OP_SCATTER_SET || ins->op == OP_SCATTER_NEG) *d = v;
    else *d += v;
}

static void run_row(const runner *r)
{
    const block_ins *code = r->p->block.items + r->s->code.first;
    for (size_t i = 0; i < r->s->code.count; i++) {
        const block_ins *ins = &code[i];
        const uint32_t entries[3] = {ins->a, ins->b, ins->c};
        const char *kinds = opcode_operands[ins->op];
        dae_long v[3] = {0, 0, 0};
        if (ins->op == OP_GATHER) continue;
        if (ins->op >= OP_SCATTER_SET) {
            scatter(r, ins);
            continue;
        }
        for (int k = 0; kinds[k]; k++)
            if (kinds[k] != 'k') v[k] = read_entry(r, entries[k]);
        *target_entry(r, ins->d) = execute(
            r->p, ins->op, opcode_number(ins->op, ins->b, ins->c), v);
    }
}

static void run_block(runner *r)
{
    bool is_row = row_first(r->p, r->s, &r->place);
    for (; is_row; is_row = row_next(r->p, r->s, &r->place)) run_row(r);
}

size_t long_run_scratch(const program *p)
{
    return series_run_scratch(p);
}

size_t long_run_constant_count(const program *p)
{
    return p->constants.count;
}

void long_run_constants(const program *p, dae_long *constants)
{
    for (size_t i = 0; i < p->constants.count; i++)
        constants[i] = digits_in_full(p->constants.items[i]);
}

void long_run(const program *p, const long_places *at)
{
    runner r = {.p = p, .at = at};
    for (size_t i = 0; i < p->sections.count; i++) {
        r.s = &p->sections.items[i];
        r.slots = at->scratch;
        r.cells = r.slots + r.s->slots;
        r.registers = r.cells + r.s->cells;
        run_scalar(&r);
        if (r.s->is_block) run_block(&r);
    }
}
