/* The stages of dummy derivatives, from the structure: made once, before any
 * numbers are looked at. */
#include "reduce/stages.h"
#include "graph/transpose.h"
#include <assert.h>

/* Of each unknown: the block with stages that it is in, -1: none; and its place there. */
typedef struct membership {
    int32_t *block, *place;
} membership;

static bool copy_offsets(const dae_structure *s, stage_block *b, arena *a)
{
    int64_t *c = ARENA_ARRAY(a, int64_t, b->size);
    int64_t *d = ARENA_ARRAY(a, int64_t, b->size);
    if (!c || !d) return false;
    for (size_t k = 0; k < b->size; k++) {
        c[k] = s->c[b->equation[k]];
        d[k] = s->d[b->unknown[k]];
    }
    b->c = c;
    b->d = d;
    return true;
}

static dae_status list_blocks(
    const dae_structure *s, arena *a, stages *out, membership *m)
{
    if (!TAKE(a, out->block, s->fine_count) || !TAKE(a, m->block, s->n)
        || !TAKE(a, m->place, s->n))
        return DAE_MEMORY;
    for (size_t f = 0; f < s->fine_count; f++) {
        const size_t begin = (size_t)s->fine[f].begin;
        stage_block b = {.size = (size_t)s->fine[f].end - begin,
            .equation = s->row_at + begin,
            .unknown = s->column_at + begin};
        for (size_t k = 0; k < b.size; k++)
            if (s->c[b.equation[k]] > b.most) b.most = s->c[b.equation[k]];
        for (size_t k = 0; k < b.size; k++) {
            m->place[b.unknown[k]] = (int32_t)k;
            m->block[b.unknown[k]] = b.most > 0 ? (int32_t)out->block_count
                                                : -1;
        }
        if (b.most == 0) continue;
        if (!copy_offsets(s, &b, a)) return DAE_MEMORY;
        out->block[out->block_count++] = b;
    }
    return DAE_OK;
}

/* The entry of equation i by derivative `order` of unknown j. Rows of a column
 * ascend. */
static int64_t entry_of(const extended *e, int32_t i, size_t j, int32_t order)
{
    const dae_pattern *p = e->problem.pattern;
    const size_t column = e->column_first[j] + (size_t)order;
    assert(order >= 0 && column < e->column_first[j + 1]);
    const int32_t row = (int32_t)e->row_first[i];
    int64_t low = p->column_start[column], high = p->column_start[column + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (p->row[middle] < row) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Those of equation k of block b, added to `to`. */
static void list_row(const signature *g, const dae_structure *s,
    const extended *e, const transposed *rows, const membership *m,
    stage_block *to, int32_t b, size_t k, stage_entry *entry)
{
    const int32_t i = to->equation[k];
    for (int64_t q = rows->start[i]; q < rows->start[i + 1]; q++) {
        const size_t j = (size_t)rows->index[q];
        const int32_t order = g->order[rows->entry[q]];
        if (m->block[j] != b || s->d[j] - s->c[i] != order) continue;
        entry[to->entry_count++] = (stage_entry){
            (int32_t)k, m->place[j], entry_of(e, i, j, order)};
    }
}

static dae_status list_entries(const signature *g, const dae_structure *s,
    const extended *e, const membership *m, arena *a, stages *out)
{
    transposed rows;
    const dae_status st = transpose_pattern(
        s->n, s->n, g->column_start, g->row, a->allocator, &rows);
    if (st) return st;
    stage_entry *entry = ARENA_ARRAY(
        a, stage_entry, (size_t)g->column_start[s->n] + 1);
    for (size_t b = 0; b < out->block_count && entry; b++) {
        stage_block *to = &out->block[b];
        for (size_t k = 0; k < to->size; k++)
            list_row(g, s, e, &rows, m, to, (int32_t)b, k, entry);
        to->entry = entry;
        entry += to->entry_count;
    }
    transpose_clear(&rows);
    return entry ? DAE_OK : DAE_MEMORY;
}

dae_status stages_create(const signature *g, const dae_structure *s,
    const extended *e, arena *a, stages *out)
{
    assert(s->n == e->unknowns);
    membership m;
    *out = (stages){.block = NULL};
    const dae_status st = list_blocks(s, a, out, &m);
    return st ? st : list_entries(g, s, e, &m, a, out);
}
