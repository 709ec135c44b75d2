/* As series_run.c, with nodes for series. */
#include "code/expressions.h"
#include "code/bytecode.h"
#include "code/series_run.h"

enum { ROWS_MOST = 48 }; /* of a block that is unrolled */

typedef struct unroller {
    expressions *e;
    const program *p;
    const section *s;
    node_id *at[AT_COUNT]; /* NULL: what each index means is a hole */
    node_id *cells, *registers;
    size_t most;
    row_place place; /* in block code */
} unroller;

/* ---- values ----------------------------------------------------------------- */

static node_id read_place(const unroller *u, unsigned at, size_t index)
{
    shape_pool *pool = &u->e->pool;
    const uint32_t number = (uint32_t)index;
    switch (at) {
    case AT_PARAM: return shape_hole(pool, LEAF_PARAM, number, 0);
    case AT_HELD: return shape_hole(pool, LEAF_HELD, number, 0);
    case AT_TIME: return shape_hole(pool, LEAF_TIME, 0, 0);
    case AT_CONST: return shape_const(pool, u->p->constants.items[index]);
    case AT_CELL: return u->cells[index / CELL_WIDTH];
    default: return u->at[at][index];
    }
}

static void write_place(
    const unroller *u, unsigned at, size_t index, node_id value)
{
    if (at == AT_CELL) u->cells[index / CELL_WIDTH] = value;
    else u->at[at][index] = value;
}

static node_id execute(
    const unroller *u, unsigned op, uint32_t number, const node_id x[3])
{
    shape_pool *pool = &u->e->pool;
    const series_operation *what = &series_operations[op];
    node n = opcode_operation((node_op)what->inner, number, u->p->tables);
    u->e->instructions++;
    if (op == OP_MOVE) return x[0];
    if (node_has_signal((node_op)what->inner)) n.c = signal_offset(number);
    if (what->outer == NODE_CONST)
        return shape_again(pool, &n, x[0], x[1], x[2]);
    const node_id inner = shape_again(pool, &n, x[0], x[1], NODE_NONE);
    const node_op outer = (node_op)what->outer;
    return what->is_from ? shape_binary(pool, outer, x[2], inner)
                         : shape_binary(pool, outer, inner, x[2]);
}

/* ---- code ------------------------------------------------------------------- */

static void run_scalar(const unroller *u)
{
    const scalar_ins *code = u->p->scalar.items + u->s->scalar.first;
    for (size_t i = 0; i < u->s->scalar.count; i++) {
        const scalar_ins *ins = &code[i];
        const unsigned op = scalar_op(ins);
        const char *kinds = opcode_operands[op];
        node_id operand[3] = {NODE_NONE, NODE_NONE, NODE_NONE};
        for (int k = 0; kinds[k]; k++)
            if (kinds[k] != 'k')
                operand[k] = read_place(
                    u, scalar_at(ins, k), scalar_index(ins, k));
        const node_id value = execute(
            u, op, opcode_number(op, ins->b, ins->c), operand);
        write_place(u, scalar_d_at(ins), ins->d, value);
    }
}

static const block_port *port_of(
    const unroller *u, uint32_t entry, size_t *index)
{
    const uint32_t j = entry - section_ports(u->s);
    const block_port *port = &u->p->ports.items[u->s->first_port + j];
    *index = port_index(
        u->p, port, u->place.runs, u->place.row, u->place.offset);
    return port;
}

/* An entry of the section's pointer table. */
static node_id read_entry(const unroller *u, uint32_t entry)
{
    size_t index;
    if (entry < section_ports(u->s)) return u->cells[entry];
    if (entry >= section_registers(u->s))
        return u->registers[entry - section_registers(u->s)];
    const block_port *port = port_of(u, entry, &index);
    return read_place(u, port->at, index);
}

static void write_entry(const unroller *u, uint32_t entry, node_id value)
{
    size_t index;
    if (entry >= section_registers(u->s)) {
        u->registers[entry - section_registers(u->s)] = value;
        return;
    }
    const block_port *port = port_of(u, entry, &index);
    write_place(u, port->at, index, value);
}

static void scatter(const unroller *u, const block_ins *ins)
{
    shape_pool *pool = &u->e->pool;
    const uint32_t port = section_ports(u->s) + ins->b;
    node_id value = read_entry(u, ins->a);
    if (ins->op == OP_SCATTER_NEG) value = shape_unary(pool, NODE_NEG, value);
    if (ins->op == OP_SCATTER_ADD)
        value = shape_binary(pool, NODE_ADD, read_entry(u, port), value);
    if (ins->op == OP_SCATTER_SUB)
        value = shape_binary(pool, NODE_SUB, read_entry(u, port), value);
    write_entry(u, port, value);
}

static void run_row(const unroller *u)
{
    const block_ins *code = u->p->block.items + u->s->code.first;
    for (size_t i = 0; i < u->s->code.count; i++) {
        const block_ins *ins = &code[i];
        const uint32_t entries[3] = {ins->a, ins->b, ins->c};
        const char *kinds = opcode_operands[ins->op];
        node_id operand[3] = {NODE_NONE, NODE_NONE, NODE_NONE};
        if (ins->op >= OP_SCATTER_SET) {
            scatter(u, ins);
            continue;
        }
        if (ins->op == OP_GATHER) continue; /* read where it stands */
        for (int k = 0; kinds[k]; k++)
            if (kinds[k] != 'k') operand[k] = read_entry(u, entries[k]);
        write_entry(u, ins->d,
            execute(
                u, ins->op, opcode_number(ins->op, ins->b, ins->c), operand));
    }
}

static dae_status verdict(const unroller *u)
{
    const shape_pool *pool = &u->e->pool;
    if (pool->failed) return DAE_MEMORY;
    return pool->nodes.count > u->most ? DAE_LIMIT : DAE_OK;
}

static dae_status run_section(unroller *u)
{
    u->cells = u->at[AT_SLOT] + u->s->slots;
    u->registers = u->cells + u->s->cells;
    run_scalar(u);
    if (!u->s->is_block) return verdict(u);
    bool is_row = row_first(u->p, u->s, &u->place);
    for (; is_row; is_row = row_next(u->p, u->s, &u->place)) run_row(u);
    return verdict(u);
}

/* ---- arrays ----------------------------------------------------------------- */

static bool take_zeros(unroller *u, unsigned at, size_t count)
{
    const node_id zero = shape_const(&u->e->pool, 0);
    u->at[at] = ARENA_ARRAY(&u->e->memory, node_id, count);
    for (size_t k = 0; k < count && u->at[at]; k++) u->at[at][k] = zero;
    return u->at[at] != NULL;
}

static void fill_slots(const compiled *c, const unroller *u)
{
    const slot_tables *l = &c->slots;
    shape_pool *pool = &u->e->pool;
    for (size_t j = 0; j < l->total; j++) {
        const unsigned highest = l->order[j];
        for (unsigned o = 0; o < highest || o == 0; o++)
            u->at[AT_X][l->first[j] + o] = shape_hole(
                pool, LEAF_UNKNOWN, (uint32_t)j, o);
        if (highest > 0)
            u->at[AT_XP][j] = shape_hole(
                pool, LEAF_UNKNOWN, (uint32_t)j, highest);
    }
}

static dae_status take_arrays(const compiled *c, unroller *u)
{
    const slot_tables *l = &c->slots;
    const bool has_room = take_zeros(u, AT_X, l->total_states)
        && take_zeros(u, AT_XP, l->total)
        && take_zeros(u, AT_DEF, c->defs.count)
        && take_zeros(u, AT_MAIN, u->e->count)
        && take_zeros(u, AT_JAC, c->temp_count)
        && take_zeros(u, AT_SLOT, series_run_scratch(u->p));
    if (!has_room) return DAE_MEMORY;
    u->at[AT_OUT_DEF] = u->at[AT_DEF];
    fill_slots(c, u);
    return u->e->pool.failed ? DAE_MEMORY : DAE_OK;
}

static void add_products(
    const unroller *u, const chain_link *links, size_t count, node_id *out)
{
    shape_pool *pool = &u->e->pool;
    const node_id *temps = u->at[AT_JAC];
    for (size_t k = 0; k < count; k++) {
        const node_id product = shape_binary(
            pool, NODE_MUL, temps[links[k].factor], temps[links[k].gradient]);
        node_id *target = &out[links[k].target];
        *target = shape_binary(pool, NODE_ADD, *target, product);
    }
}

/* ---- all together ------------------------------------------------------------ */

static bool is_short(const program *p)
{
    for (size_t i = 0; i < p->sections.count; i++)
        if (p->sections.items[i].is_block
            && p->sections.items[i].rows > ROWS_MOST)
            return false;
    return true;
}

dae_status expressions_make(
    const compiled *c, bool is_jacobian, size_t most, expressions *out)
{
    const jacobian *j = &c->jacobian;
    const task *what = is_jacobian ? &j->all : &c->residual;
    unroller u = {.e = out, .p = what->program, .most = most};
    *out = (expressions){.count = is_jacobian ? j->nonzeros : c->slots.total};
    shape_pool_init(&out->pool, c->allocator);
    out->pool.signals = &c->s->signals;
    arena_init(&out->memory, c->allocator, 0);
    if (!u.p || !is_short(u.p)) return DAE_LIMIT;
    dae_status st = take_arrays(c, &u);
    for (size_t i = 0; i < u.p->sections.count && !st; i++) {
        u.s = &u.p->sections.items[i];
        st = run_section(&u);
    }
    if (st) return st;
    out->results = u.at[AT_MAIN];
    if (!is_jacobian) return DAE_OK;
    add_products(&u, j->inner.items, j->inner.count, u.at[AT_JAC]);
    add_products(&u, j->outer.items, j->outer.count, u.at[AT_MAIN]);
    return verdict(&u);
}

void expressions_clear(expressions *e)
{
    shape_pool_clear(&e->pool);
    arena_clear(&e->memory);
}
