/* Checks a finished program once, so that running it needs no checks: every
 * place, index, slot, register, cell, port and target is inside its array,
 * inputs are never written, and nothing is read before it is written. */
#include "code/bytecode.h"

typedef struct checker {
    const program *p;
    const section *s;
    bool *slots;   /* written so far in this section */
    bool *entries; /* block: usable entries of the pointer table */
    size_t slot_count, entry_count;
} checker;

static bool is_input(unsigned at)
{
    return at <= AT_HELD;
}

static bool is_output(unsigned at)
{
    return at >= AT_MAIN && at <= AT_JAC;
}

/* Items of the array at a place that a port or an operand may name. */
static size_t place_size(const checker *c, unsigned at)
{
    if (is_input(at)) return c->p->sizes.space[at - AT_X];
    if (is_output(at)) return c->p->sizes.out[at - AT_MAIN];
    if (at == AT_CONST) return c->p->constants.count;
    return 0;
}

static bool scalar_operand_ok(
    const checker *c, const scalar_ins *ins, unsigned at, uint32_t index)
{
    if (at == AT_SLOT) return index < c->slot_count && c->slots[index];
    /* an output is read only by the instruction that adds to it */
    if (is_output(at) && (at != scalar_d_at(ins) || index != ins->d))
        return false;
    return index < place_size(c, at);
}

static bool scalar_result_ok(checker *c, const scalar_ins *ins)
{
    unsigned at = scalar_d_at(ins);
    if (at == AT_SLOT) {
        if (ins->d >= c->slot_count) return false;
        c->slots[ins->d] = true;
        return true;
    }
    if (c->s->is_block) {
        if (at != AT_CELL || ins->d % CELL_WIDTH != 0
            || ins->d / CELL_WIDTH >= c->s->cells)
            return false;
        c->entries[ins->d / CELL_WIDTH] = true;
        return true;
    }
    return is_output(at) && ins->d < place_size(c, at);
}

static bool range_ok(code_range range, size_t count)
{
    return range.first <= count && range.count <= count - range.first;
}

/* The signal that an instruction names is there, and sound. */
static bool number_ok(const checker *c, unsigned op, uint32_t b, uint32_t k)
{
    if (op != OP_PIECE && op != OP_TABLE) return true;
    const uint32_t number = opcode_number(op, b, k);
    const size_t offset = signal_offset(number), count = c->p->table_count;
    return offset < count && signal_order(number) <= SIGNAL_DEGREE_MOST
        && signal_is_sound(c->p->tables + offset, count - offset);
}

static bool scalar_code_ok(checker *c)
{
    for (size_t i = 0; i < c->s->scalar.count; i++) {
        const scalar_ins *ins = &c->p->scalar.items[c->s->scalar.first + i];
        if (scalar_op(ins) >= OP_GATHER) return false;
        const char *kinds = opcode_operands[scalar_op(ins)];
        for (int k = 0; kinds[k]; k++)
            if (kinds[k] != 'k'
                && !scalar_operand_ok(
                    c, ins, scalar_at(ins, k), scalar_index(ins, k)))
                return false;
        if (!number_ok(c, scalar_op(ins), ins->b, ins->c)) return false;
        if (!scalar_result_ok(c, ins)) return false;
    }
    return true;
}

static bool runs_ok(const checker *c, const block_port *port)
{
    const section *s = c->s;
    int64_t size = (int64_t)place_size(c, port->at);
    if (port->first >= s->run_columns) return false;
    for (size_t g = 0; g < s->segments.count; g++) {
        column_run run =
            c->p->runs.items[s->first_run + g * s->run_columns + port->first];
        int64_t rows = c->p->segment_rows.items[s->segments.first + g];
        int64_t last = run.base + (rows - 1) * run.stride;
        if (run.base >= size || last < 0 || last >= size) return false;
        if (port->is_direct && run.stride != 1) return false;
    }
    return true;
}

static bool indices_ok(const checker *c, const block_port *port)
{
    size_t size = place_size(c, port->at), rows = c->s->rows;
    if (!range_ok((code_range){port->first, rows}, c->p->indices.count))
        return false;
    for (size_t i = 0; i < rows; i++)
        if (c->p->indices.items[port->first + i] >= size) return false;
    return !port->is_direct;
}

static bool register_ok(const checker *c, uint32_t entry)
{
    return entry >= section_registers(c->s) && entry < section_entries(c->s);
}

static bool ports_ok(const checker *c)
{
    const section *s = c->s;
    for (size_t j = 0; j < s->port_count; j++) {
        const block_port *port = &c->p->ports.items[s->first_port + j];
        if (port->is_output ? !is_output(port->at) : !is_input(port->at))
            return false;
        if (!port->is_output && !port->is_direct && !register_ok(c, port->reg))
            return false;
        if (!(port->is_affine ? runs_ok(c, port) : indices_ok(c, port)))
            return false;
        c->entries[section_ports(s) + j] = port->is_direct;
    }
    return true;
}

static bool segments_ok(const checker *c)
{
    const section *s = c->s;
    size_t rows = 0;
    code_range runs = {s->first_run, s->segments.count * s->run_columns};
    if (!range_ok(s->segments, c->p->segment_rows.count)
        || !range_ok(runs, c->p->runs.count))
        return false;
    for (size_t g = 0; g < s->segments.count; g++) {
        uint32_t count = c->p->segment_rows.items[s->segments.first + g];
        if (count == 0) return false;
        rows += count;
    }
    return rows == s->rows;
}

/* Whether an instruction may write there: a register or a target in place. */
static bool block_result_ok(checker *c, uint32_t entry)
{
    if (entry >= section_entries(c->s)) return false;
    if (entry < section_registers(c->s)) {
        if (entry < section_ports(c->s)) return false;
        const block_port *port =
            &c->p->ports.items[c->s->first_port + entry - section_ports(c->s)];
        return port->is_output && port->is_direct;
    }
    c->entries[entry] = true;
    return true;
}

static bool block_operand_ok(
    const checker *c, const block_ins *ins, int k, uint32_t entry)
{
    bool is_vector = ins->vectors >> k & 1;
    if (entry >= c->entry_count || !c->entries[entry]) return false;
    return is_vector == (entry >= c->s->cells);
}

static bool port_operand_ok(checker *c, const block_ins *ins, uint32_t j)
{
    if (j >= c->s->port_count) return false;
    const block_port *port = &c->p->ports.items[c->s->first_port + j];
    if (port->is_output) return ins->op >= OP_SCATTER_SET;
    c->entries[section_ports(c->s) + j] = true; /* gathered from here on */
    return ins->op == OP_GATHER && port->reg == ins->d;
}

static bool block_code_ok(checker *c)
{
    for (size_t i = 0; i < c->s->code.count; i++) {
        const block_ins *ins = &c->p->block.items[c->s->code.first + i];
        const uint32_t operands[3] = {ins->a, ins->b, ins->c};
        if (ins->op >= OP_COUNT) return false;
        const char *kinds = opcode_operands[ins->op];
        for (int k = 0; kinds[k]; k++) {
            if (kinds[k] == 'p' && !port_operand_ok(c, ins, operands[k]))
                return false;
            if (kinds[k] != 'p' && kinds[k] != 'k'
                && !block_operand_ok(c, ins, k, operands[k]))
                return false;
        }
        if (!number_ok(c, ins->op, ins->b, ins->c)) return false;
        if (ins->op < OP_SCATTER_SET && !block_result_ok(c, ins->d))
            return false;
    }
    return true;
}

static bool cells_ok(const checker *c)
{
    for (size_t i = 0; i < c->s->cells; i++)
        if (!c->entries[i]) return false;
    return true;
}

static bool section_ok(checker *c)
{
    if (!scalar_code_ok(c)) return false;
    if (!c->s->is_block) return true;
    return cells_ok(c) && segments_ok(c) && ports_ok(c) && block_code_ok(c);
}

/* Whether the section's parts lie in the program's arrays. Every slot, cell and
 * register is the result of an instruction, so there are no more of them; what
 * is allocated here and for a run is then no larger than the program. */
static bool sizes_ok(const program *p, const section *s)
{
    if (!range_ok(s->scalar, p->scalar.count) || s->slots > s->scalar.count
        || s->slots > p->slots)
        return false;
    if (!s->is_block) return true;
    code_range ports = {s->first_port, s->port_count};
    if (!range_ok(s->code, p->block.count) || !range_ok(ports, p->ports.count)
        || s->run_columns > s->port_count || s->cells > s->scalar.count
        || s->registers > s->code.count || section_entries(s) > UINT32_MAX)
        return false;
    size_t slots = p->slots * sizeof(double) + 63;
    return vm_block_scratch(s) <= p->scratch - slots;
}

static dae_status verify_section(const program *p, const section *s)
{
    if (!sizes_ok(p, s)) return DAE_ARGUMENT;
    checker c = {.p = p,
        .s = s,
        .slot_count = s->slots,
        .entry_count = s->is_block ? section_entries(s) : 0};
    dae_status st = DAE_MEMORY;
    c.slots = alloc_zeroed(p->allocator, c.slot_count, sizeof(bool));
    c.entries = alloc_zeroed(p->allocator, c.entry_count, sizeof(bool));
    if (c.slots && c.entries) st = section_ok(&c) ? DAE_OK : DAE_ARGUMENT;
    alloc_free(p->allocator, c.slots, c.slot_count, sizeof(bool));
    alloc_free(p->allocator, c.entries, c.entry_count, sizeof(bool));
    return st;
}

/* Cells lie behind the slots and are aligned as those are; 63 bytes align
 * both (program_run). */
static bool scratch_ok(const program *p)
{
    return p->scratch >= 63 && p->slots <= (p->scratch - 63) / sizeof(double)
        && p->slots % CELL_WIDTH == 0;
}

dae_status program_verify(const program *p)
{
    dae_status st;
    if (!scratch_ok(p) || p->lanes > vm_block_lanes()) return DAE_ARGUMENT;
    for (size_t i = 0; i < p->sections.count; i++)
        if ((st = verify_section(p, &p->sections.items[i]))) return st;
    return DAE_OK;
}
