/* Runs block sections: cells once, then segment by segment, block by block.
 * The loop over instructions is made for several vector widths; the widest
 * one the processor has is chosen when the program is built. */
#include "code/bytecode.h"
#include <math.h>
#include <string.h>

/* What one block needs. */
typedef struct block_run {
    double **table;
    const block_port *ports;
    double *const *at;
    const uint32_t *indices;
    const column_run *runs; /* of the segment */
    uint32_t first_port;    /* entry of the first port */
    size_t row;             /* of the kernel */
    size_t offset;          /* of the block in its segment */
    size_t rows;
    const block_ins *code;
    size_t code_count;
} block_run;

/* Four at a time: their loads do not wait for a store that might change what they read. */
static void pick_indexed(const double *restrict from,
    const uint32_t *restrict index, double *restrict to, size_t count)
{
    size_t k = 0;
    for (; k + 4 <= count; k += 4)
        for (size_t l = k; l < k + 4; l++) to[l] = from[index[l]];
    for (; k < count; k++) to[k] = from[index[k]];
}

static void pick_strided(const double *restrict from, int64_t at,
    int64_t stride, double *restrict to, size_t count)
{
    size_t k = 0;
    for (; k + 4 <= count; k += 4, at += 4 * stride)
        for (int l = 0; l < 4; l++) to[k + (size_t)l] = from[at + l * stride];
    for (; k < count; k++, at += stride) to[k] = from[at];
}

/* A column into its register, unless the block reads it in place. */
static void gather(const block_run *r, const block_ins *ins)
{
    const block_port *port = &r->ports[ins->a];
    const double *array = r->at[port->at];
    double *d = r->table[port->reg];
    if (port->is_affine) {
        column_run run = r->runs[port->first];
        int64_t from = run.base + (int64_t)r->offset * run.stride;
        if (run.stride == 1) return;
        pick_strided(array, from, run.stride, d, r->rows);
    } else {
        pick_indexed(array, r->indices + port->first + r->row, d, r->rows);
    }
    r->table[r->first_port + ins->a] = d;
}

/* Runs `body` for each row; t is the target, v the value. */
#define SCATTER(body)                                                          \
    if (port->is_affine) {                                                     \
        for (size_t k = 0; k < n; k++, at += run.stride, v += step) {          \
            double *t = array + at;                                            \
            body;                                                              \
        }                                                                      \
    } else {                                                                   \
        for (size_t k = 0; k < n; k++, v += step) {                            \
            double *t = array + index[k];                                      \
            body;                                                              \
        }                                                                      \
    }

static void scatter(const block_run *r, const block_ins *ins)
{
    const block_port *port = &r->ports[ins->b];
    const double *v = r->table[ins->a];
    const size_t n = r->rows, step = ins->vectors & 1u;
    double *array = r->at[port->at];
    column_run run = {0, 0};
    const uint32_t *index = NULL;
    int64_t at = 0;
    if (port->is_affine) {
        run = r->runs[port->first];
        at = run.base + (int64_t)r->offset * run.stride;
    } else {
        index = r->indices + port->first + r->row;
    }
    if (ins->op == OP_SCATTER_SET) {
        SCATTER(*t = *v)
    } else if (ins->op == OP_SCATTER_NEG) {
        SCATTER(*t = -*v)
    } else if (ins->op == OP_SCATTER_ADD) {
        SCATTER(*t += *v)
    } else {
        SCATTER(*t -= *v)
    }
}

/* Operations without a loop of their own, by their definition. */
static void apply_rare(const block_run *r, const block_ins *ins)
{
    const uint32_t number = opcode_number(ins->op, ins->b, ins->c);
    const node n = opcode_operation(
        opcode_node((opcode)ins->op), number, r->at[AT_TABLE]);
    const double *a = r->table[ins->a], *b = a;
    size_t step_a = ins->vectors & 1u, step_b = 0;
    double *d = r->table[ins->d];
    if (opcode_operands[ins->op][1] == 'b') {
        b = r->table[ins->b];
        step_b = (ins->vectors >> 1) & 1u;
    }
    for (size_t k = 0; k < r->rows; k++, a += step_a, b += step_b)
        d[k] = node_apply(&n, *a, *b, 0);
}

#if defined(__GNUC__)
#if defined(__x86_64__)
#include <immintrin.h>
/* Where the C library knows the processor it is not asked again: under a virtual
 * machine that takes as long as a short run's steps. */
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif
#ifdef CPU_FEATURE_ACTIVE
#define HAS_AVX2 CPU_FEATURE_ACTIVE(AVX2)
#define HAS_AVX512F CPU_FEATURE_ACTIVE(AVX512F)
#else
#define HAS_AVX2 __builtin_cpu_supports("avx2")
#define HAS_AVX512F __builtin_cpu_supports("avx512f")
#endif

#define LANES 8
#define RUN run_code_8
#define TARGET __attribute__((target("avx512f")))
#define VECTOR_SQRT(x) _mm512_sqrt_pd((__m512d)(x))
#include "code/vm_block_lanes.h"

#define LANES 4
#define RUN run_code_4
#define TARGET __attribute__((target("avx2")))
#define VECTOR_SQRT(x) _mm256_sqrt_pd((__m256d)(x))
#include "code/vm_block_lanes.h"

#define VECTOR_SQRT(x) _mm_sqrt_pd((__m128d)(x))
#endif

#define LANES 2
#define RUN run_code_2
#define TARGET
#include "code/vm_block_lanes.h"
#endif

#define LANES 1
#define RUN run_code_1
#define TARGET
#include "code/vm_block_lanes.h"

unsigned vm_block_lanes(void)
{
#if defined(__GNUC__) && defined(__x86_64__)
    if (HAS_AVX512F) return 8;
    if (HAS_AVX2) return 4;
#endif
#if defined(__GNUC__)
    return 2;
#else
    return 1;
#endif
}

static void run_code(const block_run *r, unsigned lanes)
{
    switch (lanes) {
#if defined(__GNUC__)
#if defined(__x86_64__)
    case 8: run_code_8(r); return;
    case 4: run_code_4(r); return;
#endif
    case 2: run_code_2(r); return;
#endif
    default: run_code_1(r); return;
    }
}

/* Ports that this block reads or writes in place. */
static void place_ports(block_run *r, size_t count)
{
    for (size_t j = 0; j < count; j++) {
        const block_port *port = &r->ports[j];
        if (!port->is_affine || r->runs[port->first].stride != 1) continue;
        r->table[r->first_port + j] = r->at[port->at]
            + r->runs[port->first].base + r->offset;
    }
}

static void fill_cells(double *cells, size_t count)
{
    for (size_t c = 0; c < count; c++)
        for (size_t k = 1; k < CELL_WIDTH; k++)
            cells[c * CELL_WIDTH + k] = cells[c * CELL_WIDTH];
}

size_t vm_block_scratch(const section *s)
{
    return ((size_t)s->cells * CELL_WIDTH
               + (size_t)s->registers * PROGRAM_BLOCK)
        * sizeof(double)
        + section_entries(s) * sizeof(double *);
}

static double **make_table(const section *s, double *memory)
{
    double *registers = memory + (size_t)s->cells * CELL_WIDTH;
    double **table = (double **)(registers
        + (size_t)s->registers * PROGRAM_BLOCK);
    for (size_t c = 0; c < s->cells; c++) table[c] = memory + c * CELL_WIDTH;
    for (size_t j = 0; j < s->port_count; j++)
        table[section_ports(s) + j] = NULL;
    for (size_t g = 0; g < s->registers; g++)
        table[section_registers(s) + g] = registers + g * PROGRAM_BLOCK;
    return table;
}

void vm_block_run(
    const program *p, const section *s, double *const at[AT_COUNT])
{
    block_run r = {.table = make_table(s, at[AT_CELL]),
        .ports = p->ports.items + s->first_port,
        .at = at,
        .indices = p->indices.items,
        .runs = s->run_columns ? p->runs.items + s->first_run : NULL,
        .first_port = section_ports(s),
        .code = p->block.items + s->code.first,
        .code_count = s->code.count};
    fill_cells(at[AT_CELL], s->cells);
    for (size_t g = 0; g < s->segments.count; g++) {
        size_t rows = p->segment_rows.items[s->segments.first + g];
        for (r.offset = 0; r.offset < rows; r.offset += r.rows) {
            r.rows = rows - r.offset;
            if (r.rows > PROGRAM_BLOCK) r.rows = PROGRAM_BLOCK;
            place_ports(&r, s->port_count);
            run_code(&r, p->lanes);
            r.row += r.rows;
        }
        if (r.runs) r.runs += s->run_columns;
    }
}
