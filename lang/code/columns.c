/* A column is a sequence of affine runs. Where its runs are long they become
 * bases and strides, and where they end, all columns of the kernel are cut:
 * inside a segment no column needs its indices. Two linear passes. */
#include "code/columns.h"

/* A column with shorter runs on the average keeps its indices. What is read or
 * written in place saves a gather, which costs about what the instructions of
 * a segment of 16 rows cost in dispatch; a scatter by strides saves little
 * but memory. Measured on stencils on small grids. */
#define IN_PLACE_ROWS 16
#define SCATTER_ROWS 64

bool column_is_uniform(const uint32_t *index, size_t rows)
{
    for (size_t i = 1; i < rows; i++)
        if (index[i] != index[0]) return false;
    return true;
}

/* The first row behind the affine run that begins at `from`. */
static size_t run_end(const uint32_t *index, size_t from, size_t rows)
{
    if (from + 1 == rows) return rows;
    int64_t stride = (int64_t)index[from + 1] - index[from];
    if (stride > INT32_MAX || stride < INT32_MIN) return from + 1;
    size_t i = from + 2;
    while (i < rows && (int64_t)index[i] - index[i - 1] == stride) i++;
    return i;
}

static bool bit_get(const uint64_t *bits, size_t i)
{
    return bits[i / 64] >> (i % 64) & 1;
}

/* Cuts where the column's runs begin, unless they are too short or all
 * segments together become shorter than 3/4 of that. */
static bool cut_runs(const uint32_t *index, size_t rows, size_t least,
    uint64_t *cuts, size_t *segments)
{
    size_t runs = 0, fresh = 0;
    for (size_t i = 0; i < rows; i = run_end(index, i, rows)) {
        runs++;
        fresh += !bit_get(cuts, i);
        if (runs > 1 && runs > rows / least) return false;
        if (fresh > 0 && *segments + fresh > 1
            && *segments + fresh > rows / (least - least / 4))
            return false;
    }
    for (size_t i = 0; i < rows; i = run_end(index, i, rows))
        cuts[i / 64] |= (uint64_t)1 << (i % 64);
    *segments += fresh;
    return true;
}

/* Inputs, and outputs that seem to be written in place. */
static bool is_in_place(
    const block_port *port, const uint32_t *index, size_t rows)
{
    size_t middle = rows / 2;
    return !port->is_output || index[middle] == index[middle - 1] + 1;
}

static dae_status keep_indices(
    program *p, block_port *port, const uint32_t *index, size_t rows)
{
    if (!ARRAY_RESERVE(p->allocator, &p->indices, rows)) return DAE_MEMORY;
    port->first = p->indices.count;
    for (size_t i = 0; i < rows; i++)
        p->indices.items[p->indices.count++] = index[i];
    return DAE_OK;
}

/* The rows of a segment, given where it begins. */
static size_t segment_end(const uint64_t *cuts, size_t from, size_t rows)
{
    size_t i = from + 1;
    while (i < rows) {
        uint64_t rest = cuts[i / 64] >> (i % 64);
        if (rest & 1) return i;
        if (rest) i++;
        else i = (i / 64 + 1) * 64;
    }
    return rows;
}

static column_run run_of(const uint32_t *index, size_t from, size_t to)
{
    if (to - from == 1) return (column_run){index[from], 1};
    int64_t stride = (int64_t)index[from + 1] - index[from];
    return (column_run){index[from], (int32_t)stride};
}

static dae_status write_segments(program *p, section *s,
    const uint32_t *const *columns, const uint64_t *cuts)
{
    const dae_allocator *a = p->allocator;
    block_port *ports = p->ports.items + s->first_port;
    s->segments.first = p->segment_rows.count;
    s->first_run = p->runs.count;
    for (size_t from = 0, to; from < s->rows; from = to) {
        to = segment_end(cuts, from, s->rows);
        if (!ARRAY_PUSH(a, &p->segment_rows, (uint32_t)(to - from))
            || !ARRAY_RESERVE(a, &p->runs, s->run_columns))
            return DAE_MEMORY;
        for (size_t j = 0; j < s->port_count; j++) {
            if (!ports[j].is_affine) continue;
            column_run run = run_of(columns[j], from, to);
            p->runs.items[p->runs.count++] = run;
            if (run.stride != 1) ports[j].is_direct = false;
        }
        s->segments.count++;
    }
    return DAE_OK;
}

dae_status columns_pack(program *p, section *s, const uint32_t *const *columns,
    const dae_allocator *allocator)
{
    dae_status st = DAE_OK;
    size_t words = s->rows / 64 + 1, segments = 0;
    uint64_t *cuts = alloc_zeroed(allocator, words, sizeof *cuts);
    block_port *ports = p->ports.items + s->first_port;
    if (!cuts) return DAE_MEMORY;
    cuts[0] = segments = 1;
    for (size_t j = 0; j < s->port_count && !st; j++) {
        block_port *port = &ports[j];
        size_t least = is_in_place(port, columns[j], s->rows) ? IN_PLACE_ROWS
                                                              : SCATTER_ROWS;
        port->is_affine = port->is_direct = cut_runs(
            columns[j], s->rows, least, cuts, &segments);
        if (port->is_affine) port->first = s->run_columns++;
        else st = keep_indices(p, port, columns[j], s->rows);
    }
    if (!st) st = write_segments(p, s, columns, cuts);
    alloc_free(allocator, cuts, words, sizeof *cuts);
    return st;
}
