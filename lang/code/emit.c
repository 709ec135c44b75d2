/* Block code is made in two rounds through the fuser. The first makes the
 * prologue: items that are the same in every row, as far as rows or results
 * need them, stored to cells. The second makes the code of the other items,
 * over cells and ports, and its instructions are then renumbered from places
 * to entries of the pointer table. */
#include "code/emit.h"
#include "code/columns.h"

/* An item of the flattened kernel while a block section is made. */
typedef struct item_state {
    bool is_cell;
    uint32_t cell;
} item_state;

typedef struct block_maker {
    program *program;
    const kernel *kernel;
    const flattener *flat;
    fuser *fuser;
    item_state *items;
    uint32_t *values; /* by item, in the fuser */
    section section;
    uint32_t *column_ports;   /* by kernel column; NO_INDEX: uniform */
    uint32_t *output_ports;   /* by kernel output */
    const uint32_t **indices; /* by port */
} block_maker;

static place place_of_out(program_out out)
{
    return (place)((int)AT_MAIN + (int)out);
}

static store_mode mode_of(const kernel_output *out)
{
    if (out->add) return out->minus ? STORE_SUB : STORE_ADD;
    return out->minus ? STORE_NEG : STORE_SET;
}

/* The value of an operation, given the values of all items before it. */
static uint32_t make_op(fuser *f, const flat_item *item, const uint32_t *values)
{
    const char *kinds = opcode_operands[item->op];
    uint32_t b = 0, c = 0;
    if (kinds[1] == 'k') b = item->b;
    if (kinds[1] == 'b') b = values[item->b];
    if (kinds[1] && kinds[2]) c = kinds[2] == 'k' ? item->c : values[item->c];
    return fuse_op(f, (opcode)item->op, values[item->a], b, c);
}

dae_status emit_fused(const kernel *k, const flattener *flat, fuser *f)
{
    size_t count = flat->items.count;
    uint32_t *values = alloc_zeroed(f->allocator, count, sizeof *values);
    if (!values) return DAE_MEMORY;
    for (size_t row = 0; row < k->row_count && !f->failed; row++) {
        size_t output = 0;
        for (size_t i = 0; i < count; i++) {
            const flat_item *item = &flat->items.items[i];
            if (item->op == FLAT_CONST) {
                values[i] = fuse_const(f, item->value);
            } else if (item->op == FLAT_LEAF) {
                const kernel_column *c = &k->columns[item->a];
                values[i] = fuse_load(f, (place)c->space, c->index[row]);
            } else {
                values[i] = make_op(f, item, values);
            }
            for (; output < k->output_count && flat->roots.items[output] <= i;
                 output++) {
                const kernel_output *o = &k->outputs[output];
                fuse_store(f, values[flat->roots.items[output]],
                    place_of_out(o->out), o->target[row], mode_of(o), false);
            }
        }
    }
    alloc_free(f->allocator, values, count, sizeof *values);
    return f->failed ? DAE_MEMORY : DAE_OK;
}

/* Uniform items that a varying item or an output reads. */
static void find_cells(block_maker *m)
{
    uint32_t operands[3];
    for (size_t i = 0; i < m->flat->items.count; i++) {
        const flat_item *item = &m->flat->items.items[i];
        if (!item->varies) continue;
        for (int n = flat_operands(item, operands); n > 0; n--)
            m->items[operands[n - 1]].is_cell = true;
    }
    for (size_t o = 0; o < m->kernel->output_count; o++)
        m->items[m->flat->roots.items[o]].is_cell = true;
    for (size_t i = 0; i < m->flat->items.count; i++) {
        item_state *s = &m->items[i];
        s->is_cell = s->is_cell && !m->flat->items.items[i].varies;
        if (s->is_cell) s->cell = m->section.cells++;
    }
}

static uint32_t uniform_value(block_maker *m, const flat_item *item)
{
    if (item->op == FLAT_CONST) return fuse_const(m->fuser, item->value);
    if (item->op == FLAT_LEAF) {
        const kernel_column *c = &m->kernel->columns[item->a];
        return fuse_load(m->fuser, (place)c->space, c->index[0]);
    }
    return make_op(m->fuser, item, m->values);
}

static dae_status make_prologue(block_maker *m)
{
    for (size_t i = 0; i < m->flat->items.count; i++) {
        const item_state *s = &m->items[i];
        if (m->flat->items.items[i].varies) continue;
        m->values[i] = uniform_value(m, &m->flat->items.items[i]);
        if (s->is_cell)
            fuse_store(m->fuser, m->values[i], AT_CELL, s->cell * CELL_WIDTH,
                STORE_SET, false);
    }
    return fuse_finish(m->fuser, &m->section.scalar, &m->section.slots);
}

static dae_status add_port(block_maker *m, place at, bool is_output,
    const uint32_t *index, uint32_t *port)
{
    block_port new_port = {
        .at = (uint8_t)at, .is_output = is_output, .reg = NO_INDEX};
    *port = m->section.port_count;
    m->indices[m->section.port_count++] = index;
    return ARRAY_PUSH(m->program->allocator, &m->program->ports, new_port)
        ? DAE_OK
        : DAE_MEMORY;
}

/* Ports of the columns that vary and of the outputs. */
static dae_status make_ports(block_maker *m)
{
    dae_status st;
    const kernel *k = m->kernel;
    m->section.first_port = m->program->ports.count;
    for (size_t i = 0; i < m->flat->items.count; i++) {
        const flat_item *item = &m->flat->items.items[i];
        if (item->op != FLAT_LEAF || !item->varies) continue;
        const kernel_column *c = &k->columns[item->a];
        st = add_port(
            m, (place)c->space, false, c->index, &m->column_ports[item->a]);
        if (st) return st;
    }
    for (size_t o = 0; o < k->output_count; o++) {
        const kernel_output *out = &k->outputs[o];
        st = add_port(
            m, place_of_out(out->out), true, out->target, &m->output_ports[o]);
        if (st) return st;
    }
    return columns_pack(
        m->program, &m->section, m->indices, m->fuser->allocator);
}

static uint32_t varying_value(block_maker *m, const flat_item *item)
{
    if (item->op == FLAT_LEAF) {
        uint32_t j = m->column_ports[item->a];
        const block_port *ports = m->program->ports.items
            + m->section.first_port;
        return ports[j].is_direct ? fuse_load(m->fuser, (place)AT_PORT, j)
                                  : fuse_gather(m->fuser, j);
    }
    return make_op(m->fuser, item, m->values);
}

static void store_output(block_maker *m, size_t output)
{
    const block_port *ports = m->program->ports.items + m->section.first_port;
    uint32_t j = m->output_ports[output];
    fuse_store(m->fuser, m->values[m->flat->roots.items[output]],
        (place)AT_PORT, j, mode_of(&m->kernel->outputs[output]),
        !ports[j].is_direct);
}

static void make_body(block_maker *m)
{
    size_t output = 0;
    for (size_t i = 0; i < m->flat->items.count; i++) {
        const item_state *s = &m->items[i];
        if (s->is_cell)
            m->values[i] = fuse_load(m->fuser, AT_CELL, s->cell * CELL_WIDTH);
        else if (m->flat->items.items[i].varies)
            m->values[i] = varying_value(m, &m->flat->items.items[i]);
        while (output < m->kernel->output_count
            && m->flat->roots.items[output] <= i)
            store_output(m, output++);
    }
}

/* An operand's entry of the pointer table. */
static uint32_t entry_of(const section *s, unsigned at, uint32_t index)
{
    if (at == AT_CELL) return index / CELL_WIDTH;
    if (at == (unsigned)AT_PORT) return section_ports(s) + index;
    return section_registers(s) + index;
}

static block_ins translate(const section *s, const scalar_ins *from)
{
    unsigned op = scalar_op(from);
    block_ins to = {.op = (uint16_t)op};
    const char *kinds = opcode_operands[op];
    uint32_t entries[3] = {0};
    for (int i = 0; kinds[i]; i++) {
        unsigned at = scalar_at(from, i);
        entries[i] = scalar_index(from, i);
        if (kinds[i] == 'k' || kinds[i] == 'p') continue;
        entries[i] = entry_of(s, at, entries[i]);
        if (at != AT_CELL) to.vectors |= (uint16_t)(1u << i);
    }
    to.a = entries[0], to.b = entries[1], to.c = entries[2];
    if (op < OP_SCATTER_SET) to.d = entry_of(s, scalar_d_at(from), from->d);
    return to;
}

/* The fuser's instructions leave the scalar code for the block code. */
static dae_status make_code(block_maker *m)
{
    program *p = m->program;
    section *s = &m->section;
    code_range made;
    dae_status st = fuse_finish(m->fuser, &made, &s->registers);
    if (st) return st;
    s->code = (code_range){p->block.count, made.count};
    if (!ARRAY_RESERVE(p->allocator, &p->block, made.count)) return DAE_MEMORY;
    for (size_t i = 0; i < made.count; i++) {
        const scalar_ins *from = &p->scalar.items[made.first + i];
        block_ins to = translate(s, from);
        if (to.op == OP_GATHER) p->ports.items[s->first_port + to.a].reg = to.d;
        p->block.items[p->block.count++] = to;
    }
    p->scalar.count = made.first;
    return ARRAY_PUSH(p->allocator, &p->sections, *s) ? DAE_OK : DAE_MEMORY;
}

static dae_status make_block(block_maker *m)
{
    dae_status st;
    find_cells(m);
    if ((st = make_prologue(m))) return st;
    if ((st = make_ports(m))) return st;
    make_body(m);
    return make_code(m);
}

dae_status emit_block(
    program *p, const kernel *k, const flattener *flat, fuser *f)
{
    const dae_allocator *a = f->allocator;
    size_t items = flat->items.count;
    size_t ports = k->column_count + k->output_count;
    dae_status st = DAE_MEMORY;
    block_maker m = {.program = p, .kernel = k, .flat = flat, .fuser = f};
    m.section = (section){.is_block = true,
        .level = k->level,
        .kernels = 1,
        .rows = k->row_count};
    m.items = alloc_zeroed(a, items, sizeof *m.items);
    m.values = alloc_zeroed(a, items, sizeof *m.values);
    m.column_ports = alloc_zeroed(a, k->column_count, sizeof(uint32_t));
    m.output_ports = alloc_zeroed(a, k->output_count, sizeof(uint32_t));
    m.indices = alloc_zeroed(a, ports, sizeof *m.indices);
    if (m.items && m.values && m.column_ports && m.output_ports && m.indices)
        st = make_block(&m);
    alloc_free(a, m.indices, ports, sizeof *m.indices);
    alloc_free(a, m.output_ports, k->output_count, sizeof(uint32_t));
    alloc_free(a, m.column_ports, k->column_count, sizeof(uint32_t));
    alloc_free(a, m.values, items, sizeof *m.values);
    alloc_free(a, m.items, items, sizeof *m.items);
    return st;
}
