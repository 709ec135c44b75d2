/* The listing of a program: section by section, columns, then instructions
 * with their effect spelled out. Slots are s0, s1, ...; cells (the same in
 * every row) u0, ...; registers r0, ...; ports in0, ... and out0, ... */
#include "code/bytecode.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct lister {
    const program *p;
    const section *s;
    dae_write_fn *write;
    void *context;
    bool stopped;
} lister;

typedef struct operand_text {
    char text[48];
} operand_text;

static void put(lister *l, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

static void put(lister *l, const char *format, ...)
{
    char line[256];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (n < 0 || l->stopped) return;
    size_t length = (size_t)n < sizeof line ? (size_t)n : sizeof line - 1;
    if (l->write(l->context, line, length)) l->stopped = true;
}

static const char *place_name(unsigned at)
{
    static const char *const names[AT_COUNT] = {"x", "xp", "param", "def",
        "time", "held", "main", "def", "jac", "const", "s", "u", "table"};
    return at < AT_COUNT ? names[at] : "?";
}

/* The shortest decimal form that reads back as the same number. */
static void put_number(operand_text *t, double value)
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(t->text, sizeof t->text, "%.*g", digits, value);
        if (strtod(t->text, NULL) == value) return;
    }
}

static operand_text scalar_operand(const lister *l, unsigned at, uint32_t index)
{
    operand_text t;
    if (at == AT_SLOT) snprintf(t.text, sizeof t.text, "s%u", (unsigned)index);
    else if (at == AT_CELL)
        snprintf(t.text, sizeof t.text, "u%u", (unsigned)index / CELL_WIDTH);
    else if (at == AT_CONST) put_number(&t, l->p->constants.items[index]);
    else if (at == AT_TIME) snprintf(t.text, sizeof t.text, "time");
    else
        snprintf(
            t.text, sizeof t.text, "%s[%u]", place_name(at), (unsigned)index);
    return t;
}

static operand_text port_name(const lister *l, uint32_t j)
{
    operand_text t;
    bool is_output = l->p->ports.items[l->s->first_port + j].is_output;
    snprintf(
        t.text, sizeof t.text, "%s%u", is_output ? "out" : "in", (unsigned)j);
    return t;
}

static operand_text block_operand(const lister *l, uint32_t entry)
{
    operand_text t;
    if (entry < section_ports(l->s))
        snprintf(t.text, sizeof t.text, "u%u", (unsigned)entry);
    else if (entry < section_registers(l->s))
        return port_name(l, entry - section_ports(l->s));
    else
        snprintf(t.text, sizeof t.text, "r%u",
            (unsigned)(entry - section_registers(l->s)));
    return t;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The effect with d, a, b, c, k and p filled in where they stand alone. */
static void put_effect(lister *l, unsigned op, const operand_text *d,
    const operand_text operands[3])
{
    const char *effect = opcode_effects[op], *kinds = opcode_operands[op];
    put(l, "    %-12s", opcode_names[op]);
    for (const char *e = effect; *e; e++) {
        bool alone = is_letter(*e) && !is_letter(e[1])
            && (e == effect || !is_letter(e[-1]));
        const char *kind = alone ? strchr(kinds, *e) : NULL;
        if (kind) put(l, "%s", operands[kind - kinds].text);
        else if (alone && *e == 'd') put(l, "%s", d->text);
        else put(l, "%c", *e);
    }
    put(l, "\n");
}

static void put_scalar(lister *l, const scalar_ins *ins)
{
    unsigned op = scalar_op(ins);
    const char *kinds = opcode_operands[op];
    operand_text operands[3];
    operand_text d = scalar_operand(l, scalar_d_at(ins), ins->d);
    for (int k = 0; kinds[k]; k++) {
        if (kinds[k] == 'k')
            snprintf(operands[k].text, sizeof operands[k].text, "%d",
                (int)(int32_t)scalar_index(ins, k));
        else
            operands[k] = scalar_operand(
                l, scalar_at(ins, k), scalar_index(ins, k));
    }
    put_effect(l, op, &d, operands);
}

static void put_block(lister *l, const block_ins *ins)
{
    const char *kinds = opcode_operands[ins->op];
    const uint32_t index[3] = {ins->a, ins->b, ins->c};
    operand_text operands[3], d = block_operand(l, ins->d);
    for (int k = 0; kinds[k]; k++) {
        if (kinds[k] == 'k')
            snprintf(operands[k].text, sizeof operands[k].text, "%d",
                (int)(int32_t)index[k]);
        else if (kinds[k] == 'p') operands[k] = port_name(l, index[k]);
        else operands[k] = block_operand(l, index[k]);
    }
    put_effect(l, ins->op, &d, operands);
}

static void put_ports(lister *l)
{
    for (uint32_t j = 0; j < l->s->port_count; j++) {
        const block_port *port = &l->p->ports.items[l->s->first_port + j];
        put(l, "  %s: %s", port_name(l, j).text, place_name(port->at));
        if (port->is_affine) {
            column_run run = l->p->runs.items[l->s->first_run + port->first];
            put(l, " from %lu by %ld%s", (unsigned long)run.base,
                (long)run.stride, port->is_direct ? ", in place" : "");
        } else {
            put(l, " at %lu indices", (unsigned long)l->s->rows);
        }
        put(l, "\n");
    }
}

static void put_section(lister *l, size_t number)
{
    const section *s = l->s;
    put(l, "section %lu, level %lu: ", (unsigned long)number,
        (unsigned long)s->level);
    if (s->is_block)
        put(l, "block code, %lu rows in %lu segments, %lu registers\n",
            (unsigned long)s->rows, (unsigned long)s->segments.count,
            (unsigned long)s->registers);
    else
        put(l, "fused code of %lu kernels, %lu slots\n",
            (unsigned long)s->kernels, (unsigned long)s->slots);
    if (s->is_block && s->scalar.count > 0) put(l, "  once:\n");
    for (size_t i = 0; i < s->scalar.count && !l->stopped; i++)
        put_scalar(l, &l->p->scalar.items[s->scalar.first + i]);
    if (!s->is_block) return;
    put_ports(l);
    put(l, "  each row:\n");
    for (size_t i = 0; i < s->code.count && !l->stopped; i++)
        put_block(l, &l->p->block.items[s->code.first + i]);
}

dae_status program_show(const program *p, dae_write_fn *write, void *context)
{
    lister l = {.p = p, .write = write, .context = context};
    put(&l, "program: %lu kernels, %lu rows, %lu sections\n",
        (unsigned long)p->counts.kernels, (unsigned long)p->counts.rows,
        (unsigned long)p->sections.count);
    for (size_t i = 0; i < p->sections.count && !l.stopped; i++) {
        l.s = &p->sections.items[i];
        put_section(&l, i);
    }
    return l.stopped ? DAE_IO : DAE_OK;
}
