#include "code/series_planes.h"
#include "code/plane_arithmetic.h"
#include "code/series_apply.h"
#include "code/series_run.h"
#include <string.h>

typedef struct planes {
    const plane_space *space;
    const program *p;
    const section *s;
    size_t terms;
    series_room room;  /* with the section's terms */
    double *slots;     /* series one by one: terms + 1 doubles each */
    plane *table;      /* [cells][ports][registers] and one more */
    double *registers; /* the table's memory, PROGRAM_BLOCK * terms each */
    /* where a block is */
    const column_run *runs;
    size_t row, offset, rows;
    bool has_flaw;
} planes;

/* ---- one by one: fused code and prologues ----------------------------------- */

static double *slot_of(const planes *r, unsigned at, size_t index)
{
    const size_t width = r->terms + 1;
    if (at == AT_SLOT) return r->slots + index * width;
    return r->slots + (r->s->slots + index / CELL_WIDTH) * width;
}

static const double *load(
    const planes *r, unsigned at, size_t index, double *buffer)
{
    const plane_space *m = r->space;
    if (at == AT_SLOT || at == AT_CELL) return slot_of(r, at, index);
    if (place_is_number(at)) {
        series_set(&r->room, m->at[at][index], buffer);
        return buffer;
    }
    for (size_t k = 0; k < r->terms; k++)
        buffer[k] = m->at[at][k * m->size[at] + index];
    buffer[r->terms] = (double)r->terms;
    return buffer;
}

static void look_for_flaw(planes *r, const double *v)
{
    if (v[r->terms] < (double)r->terms) r->has_flaw = true;
}

static void store(planes *r, const double *v, unsigned at, size_t index)
{
    const plane_space *m = r->space;
    look_for_flaw(r, v);
    if (at == AT_SLOT || at == AT_CELL) {
        double *slot = slot_of(r, at, index);
        if (slot != v) series_copy(&r->room, v, slot);
        return;
    }
    for (size_t k = 0; k < r->terms; k++)
        m->at[at][k * m->size[at] + index] = v[k];
}

static void run_scalar(planes *r)
{
    const scalar_ins *code = r->p->scalar.items + r->s->scalar.first;
    for (size_t i = 0; i < r->s->scalar.count; i++) {
        const scalar_ins *ins = &code[i];
        const char *kinds = opcode_operands[scalar_op(ins)];
        const double *operand[3] = {NULL, NULL, NULL};
        for (int k = 0; kinds[k]; k++)
            if (kinds[k] != 'k')
                operand[k] = load(r, scalar_at(ins, k), scalar_index(ins, k),
                    r->room.temp[SERIES_OPERAND + k]);
        const unsigned op = scalar_op(ins);
        const double *v = series_execute(
            &r->room, r->p, op, opcode_number(op, ins->b, ins->c), operand);
        store(r, v, scalar_d_at(ins), ins->d);
    }
}

/* ---- blocks of rows ------------------------------------------------------------ */

static double *memory_of(const planes *r, size_t entry)
{
    return r->registers + entry * r->terms * PROGRAM_BLOCK;
}

static void fill_cells(planes *r)
{
    for (size_t c = 0; c < r->s->cells; c++) {
        const double *v = r->slots + (r->s->slots + c) * (r->terms + 1);
        double *to = memory_of(r, c);
        r->table[c] = (plane){
            to, PROGRAM_BLOCK, series_is_constant(&r->room, v)};
        for (size_t k = 0; k < r->terms; k++, to += PROGRAM_BLOCK)
            for (size_t i = 0; i < PROGRAM_BLOCK; i++) to[i] = v[k];
    }
}

/* Where the rows of this block are in an array. */
typedef struct rows_of {
    int64_t from, stride;
    const uint32_t *index; /* NULL: affine */
} rows_of;

static rows_of find_rows(const planes *r, const block_port *port)
{
    if (!port->is_affine)
        return (rows_of){0, 0, r->p->indices.items + port->first + r->row};
    const column_run run = r->runs[port->first];
    return (rows_of){
        run.base + (int64_t)r->offset * run.stride, run.stride, NULL};
}

static void gather(
    const planes *r, const rows_of *at, const double *array, double *out)
{
    if (at->index) {
        for (size_t i = 0; i < r->rows; i++) out[i] = array[at->index[i]];
    } else {
        const double *from = array + at->from;
        for (size_t i = 0; i < r->rows; i++)
            out[i] = from[(int64_t)i * at->stride];
    }
}

/* Ports stand in their arrays or, gathered, in a register of their own; an
 * output that is not written in place is never an operand. */
static void open_port(planes *r, size_t j)
{
    const block_port *port = &r->p->ports.items[r->s->first_port + j];
    const plane_space *m = r->space;
    const size_t entry = section_ports(r->s) + j;
    const bool is_number = place_is_number(port->at);
    const rows_of at = find_rows(r, port);
    if (!at.index && at.stride == 1) {
        r->table[entry] = (plane){
            m->at[port->at] + at.from, m->size[port->at], is_number};
        return;
    }
    if (port->is_output) return;
    double *out = memory_of(r, entry);
    r->table[entry] = (plane){out, PROGRAM_BLOCK, is_number};
    const size_t terms = is_number ? 1 : r->terms;
    for (size_t k = 0; k < terms; k++)
        gather(r, &at, m->at[port->at] + k * m->size[port->at],
            out + k * PROGRAM_BLOCK);
}

static void scatter_plane(const planes *r, unsigned op, const rows_of *at,
    const double *v, double *array)
{
    for (size_t i = 0; i < r->rows; i++) {
        double *to = at->index ? array + at->index[i]
                               : array + at->from + (int64_t)i * at->stride;
        switch (op) {
        case OP_SCATTER_SET: *to = v[i]; break;
        case OP_SCATTER_NEG: *to = -v[i]; break;
        case OP_SCATTER_ADD: *to += v[i]; break;
        default: *to -= v[i]; break;
        }
    }
}

static void scatter(const planes *r, const block_ins *ins)
{
    static const double zeros[PROGRAM_BLOCK];
    const block_port *port = &r->p->ports.items[r->s->first_port + ins->b];
    const plane *v = &r->table[ins->a];
    const rows_of at = find_rows(r, port);
    double *array = r->space->at[port->at];
    for (size_t k = 0; k < r->terms; k++, array += r->space->size[port->at])
        scatter_plane(r, ins->op, &at,
            k > 0 && v->is_constant ? zeros : v->value + k * v->stride, array);
}

/* Any operation at all, row by row. */
static void apply_rows(
    planes *r, unsigned op, uint32_t number, const plane *const x[3], plane *d)
{
    const char *kinds = opcode_operands[op];
    for (size_t i = 0; i < r->rows; i++) {
        const double *operand[3] = {NULL, NULL, NULL};
        for (int o = 0; kinds[o]; o++) {
            if (kinds[o] == 'k') continue;
            double *buffer = r->room.temp[SERIES_OPERAND + o];
            operand[o] = buffer;
            buffer[r->terms] = x[o]->is_constant ? (double)INFINITY
                                                 : (double)r->terms;
            for (size_t k = 0; k < r->terms; k++) {
                const bool is_zero = k > 0 && x[o]->is_constant;
                buffer[k] = is_zero ? 0 : x[o]->value[k * x[o]->stride + i];
                if (!isfinite(buffer[k])) r->has_flaw = true;
            }
        }
        const double *v = series_execute(&r->room, r->p, op, number, operand);
        look_for_flaw(r, v);
        for (size_t k = 0; k < r->terms; k++)
            d->value[k * d->stride + i] = v[k];
    }
}

/* An output in place has all its planes written. */
static void finish(const planes *r, const block_ins *ins, plane *d)
{
    if (ins->d >= section_registers(r->s) || !d->is_constant) return;
    for (size_t k = 1; k < r->terms; k++)
        for (size_t i = 0; i < r->rows; i++) d->value[k * d->stride + i] = 0;
    d->is_constant = false;
}

static void run_instruction(planes *r, const block_ins *ins)
{
    const char *kinds = opcode_operands[ins->op];
    const uint32_t entries[3] = {ins->a, ins->b, ins->c};
    const plane *x[3] = {NULL, NULL, NULL};
    plane *d = &r->table[ins->d];
    bool is_constant = true;
    for (int k = 0; kinds[k]; k++) {
        if (kinds[k] == 'k') continue;
        x[k] = &r->table[entries[k]];
        is_constant = is_constant && x[k]->is_constant;
    }
    const plane_extent extent = {is_constant ? 1 : r->terms, r->rows};
    plane *inner = &r->table[section_entries(r->s)];
    const uint32_t number = opcode_number(ins->op, ins->b, ins->c);
    if (!plane_apply(&extent, ins->op, number, x, inner, d, &r->has_flaw))
        apply_rows(r, ins->op, number, x, d);
    d->is_constant = is_constant;
    finish(r, ins, d);
}

static void run_rows(planes *r)
{
    const block_ins *code = r->p->block.items + r->s->code.first;
    for (size_t j = 0; j < r->s->port_count; j++) open_port(r, j);
    for (size_t i = 0; i < r->s->code.count && !r->has_flaw; i++) {
        if (code[i].op == OP_GATHER) continue;
        if (code[i].op >= OP_SCATTER_SET) scatter(r, &code[i]);
        else run_instruction(r, &code[i]);
    }
}

static void run_block(planes *r)
{
    const section *s = r->s;
    const size_t entries = section_entries(s);
    r->runs = s->run_columns ? r->p->runs.items + s->first_run : NULL;
    r->row = 0;
    for (size_t e = section_ports(s); e <= entries; e++)
        r->table[e] = (plane){memory_of(r, e), PROGRAM_BLOCK, false};
    fill_cells(r);
    for (size_t g = 0; g < s->segments.count; g++) {
        const size_t rows = r->p->segment_rows.items[s->segments.first + g];
        for (r->offset = 0; r->offset < rows; r->offset += r->rows) {
            r->rows = rows - r->offset;
            if (r->rows > PROGRAM_BLOCK) r->rows = PROGRAM_BLOCK;
            run_rows(r);
            r->row += r->rows;
        }
        if (r->runs) r->runs += s->run_columns;
    }
}

/* ---- sections ------------------------------------------------------------------- */

/* Doubles that hold the table of a section. */
static size_t table_size(const section *s)
{
    const size_t bytes = (section_entries(s) + 1) * sizeof(plane);
    return (bytes + sizeof(double) - 1) / sizeof(double);
}

size_t series_planes_scratch(const program *p, const series_plan *plan)
{
    size_t most = 1;
    for (size_t i = 0; i < p->sections.count; i++) {
        const section *s = &p->sections.items[i];
        const size_t terms = plan->terms[i];
        size_t singles, blocks = 0, size;
        if (!size_mul((size_t)s->slots + s->cells, terms + 1, &singles))
            return 0;
        if (s->is_block
            && !size_mul(
                section_entries(s) + 1, terms * PROGRAM_BLOCK, &blocks))
            return 0;
        if (!size_add(singles, blocks, &size)
            || !size_add(size, table_size(s), &size))
            return 0;
        if (size > most) most = size;
    }
    return most;
}

static void run_series(planes *r, size_t terms)
{
    const section *s = r->s;
    r->terms = terms;
    r->room = *r->space->room;
    r->room.terms = terms;
    r->table = (plane *)(void *)r->space->scratch;
    r->slots = r->space->scratch + table_size(s);
    r->registers = r->slots + ((size_t)s->slots + s->cells) * (terms + 1);
    run_scalar(r);
    if (s->is_block && !r->has_flaw) run_block(r);
}

bool series_planes_run(
    const program *p, const series_plan *plan, const plane_space *space)
{
    planes r = {.space = space, .p = p};
    for (size_t i = 0; i < p->sections.count && !r.has_flaw; i++) {
        r.s = &p->sections.items[i];
        if (plan->terms[i] == 1) program_run_section(p, r.s, space->at);
        else if (plan->terms[i] > 1) run_series(&r, plan->terms[i]);
    }
    return !r.has_flaw;
}
