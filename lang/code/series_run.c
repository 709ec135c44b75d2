/* One row after the other: an operation on series is long enough to hide what
 * it costs to find it. A gathered column is read where it stands. */
#include "code/series_run.h"
#include "code/series_apply.h"

typedef struct runner {
    const series_room *room;
    const program *p;
    const section *s;
    double *const *at;
    double *cells, *registers;
    size_t width;    /* doubles of a series */
    row_place place; /* in block code */
} runner;

const series_operation series_operations[OP_COUNT] = {
#define X(name, arity, text) [OP_##name] = {NODE_##name, NODE_CONST, false},
#include "ir/ops.def"
#undef X
#define PAIRS(name)                                                            \
    [OP_##name##_ADD] = {NODE_##name, NODE_ADD, false},                        \
    [OP_##name##_SUB] = {NODE_##name, NODE_SUB, false},                        \
    [OP_##name##_FROM] = {NODE_##name, NODE_SUB, true},                        \
    [OP_##name##_MUL] = {NODE_##name, NODE_MUL, false}
    PAIRS(ADD),
    PAIRS(SUB),
    PAIRS(MUL),
#undef PAIRS
};

const double *series_execute(const series_room *m, const program *p,
    unsigned op, uint32_t k, const double *const operand[3])
{
    const series_operation *what = &series_operations[op];
    double *result = m->temp[SERIES_RESULT], *inner = m->temp[SERIES_INNER];
    node n = opcode_operation((node_op)what->inner, k, p->tables);
    if (op == OP_MOVE) return operand[0];
    if (what->outer == NODE_CONST) {
        series_apply(m, &n, operand[0], operand[1], operand[2], result);
        return result;
    }
    series_apply(m, &n, operand[0], operand[1], NULL, inner);
    n.op = what->outer;
    if (what->is_from) series_apply(m, &n, operand[2], inner, NULL, result);
    else series_apply(m, &n, inner, operand[2], NULL, result);
    return result;
}

/* A series in one of the arrays; a plain number becomes one in `buffer`. */
static double *find(const runner *r, unsigned at, size_t index, double *buffer)
{
    switch (at) {
    case AT_PARAM:
    case AT_HELD: series_set(r->room, r->at[at][index], buffer); return buffer;
    case AT_CONST:
        series_set(r->room, r->p->constants.items[index], buffer);
        return buffer;
    case AT_CELL: return r->cells + index / CELL_WIDTH * r->width;
    default: return r->at[at] + index * r->width;
    }
}

static void run_scalar(const runner *r)
{
    const scalar_ins *code = r->p->scalar.items + r->s->scalar.first;
    for (size_t i = 0; i < r->s->scalar.count; i++) {
        const scalar_ins *ins = &code[i];
        const char *kinds = opcode_operands[scalar_op(ins)];
        const double *operand[3] = {NULL, NULL, NULL};
        for (int k = 0; kinds[k]; k++)
            if (kinds[k] != 'k')
                operand[k] = find(r, scalar_at(ins, k), scalar_index(ins, k),
                    r->room->temp[SERIES_OPERAND + k]);
        const unsigned op = scalar_op(ins);
        const double *result = series_execute(
            r->room, r->p, op, opcode_number(op, ins->b, ins->c), operand);
        double *d = find(r, scalar_d_at(ins), ins->d, NULL);
        if (d != result) series_copy(r->room, result, d);
    }
}

static double *find_port(const runner *r, size_t j, double *buffer)
{
    const block_port *port = &r->p->ports.items[r->s->first_port + j];
    return find(r, port->at,
        port_index(r->p, port, r->place.runs, r->place.row, r->place.offset),
        buffer);
}

/* An entry of the section's pointer table. */
static double *find_entry(const runner *r, uint32_t entry, double *buffer)
{
    const section *s = r->s;
    if (entry < section_ports(s)) return r->cells + entry * r->width;
    if (entry < section_registers(s))
        return find_port(r, entry - section_ports(s), buffer);
    return r->registers + (entry - section_registers(s)) * r->width;
}

static void scatter(const runner *r, const block_ins *ins)
{
    const series_room *m = r->room;
    const double *v = find_entry(r, ins->a, m->temp[SERIES_OPERAND]);
    double *target = find_port(r, ins->b, NULL);
    double *negative = m->temp[SERIES_RESULT];
    if (ins->op == OP_SCATTER_NEG || ins->op == OP_SCATTER_SUB) {
        series_scale(m, v, -1, negative);
        v = negative;
    }
    if (ins->op == OP_SCATTER_SET || ins->op == OP_SCATTER_NEG)
        series_copy(m, v, target);
    else series_add_to(m, v, target);
}

static void run_row(const runner *r)
{
    const block_ins *code = r->p->block.items + r->s->code.first;
    for (size_t i = 0; i < r->s->code.count; i++) {
        const block_ins *ins = &code[i];
        const uint32_t entries[3] = {ins->a, ins->b, ins->c};
        const char *kinds = opcode_operands[ins->op];
        const double *operand[3] = {NULL, NULL, NULL};
        if (ins->op == OP_GATHER) continue;
        if (ins->op >= OP_SCATTER_SET) {
            scatter(r, ins);
            continue;
        }
        for (int k = 0; kinds[k]; k++)
            if (kinds[k] != 'k')
                operand[k] = find_entry(
                    r, entries[k], r->room->temp[SERIES_OPERAND + k]);
        const double *result = series_execute(r->room, r->p, ins->op,
            opcode_number(ins->op, ins->b, ins->c), operand);
        double *d = find_entry(r, ins->d, NULL);
        if (d != result) series_copy(r->room, result, d);
    }
}

static void run_block(runner *r)
{
    bool is_row = row_first(r->p, r->s, &r->place);
    for (; is_row; is_row = row_next(r->p, r->s, &r->place)) run_row(r);
}

size_t series_run_scratch(const program *p)
{
    size_t most = 0;
    for (size_t i = 0; i < p->sections.count; i++) {
        const section *s = &p->sections.items[i];
        size_t count = s->slots;
        if (s->is_block) count += (size_t)s->cells + s->registers;
        if (count > most) most = count;
    }
    return most;
}

void series_run(
    const series_room *m, const program *p, double *const at[AT_COUNT])
{
    runner r = {.room = m, .p = p, .at = at, .width = m->terms + 1};
    for (size_t i = 0; i < p->sections.count; i++) {
        r.s = &p->sections.items[i];
        r.cells = at[AT_SLOT] + r.s->slots * r.width;
        r.registers = r.cells + r.s->cells * r.width;
        run_scalar(&r);
        if (r.s->is_block) run_block(&r);
    }
}
