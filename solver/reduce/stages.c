/* The stages of dummy derivatives, from the structure: made once, before any
 * numbers are looked at. */
#include "reduce/stages.h"
#include <assert.h>
#include <string.h>

/* Fine blocks that have stages, and which one each equation and unknown is in. */
typedef struct membership {
    int32_t *row, *column;             /* place in the block */
    int32_t *row_block, *column_block; /* -1: in one without stages */
} membership;

static bool take_membership(arena *a, size_t n, membership *m)
{
    m->row = ARENA_ARRAY(a, int32_t, n);
    m->column = ARENA_ARRAY(a, int32_t, n);
    m->row_block = ARENA_ARRAY(a, int32_t, n);
    m->column_block = ARENA_ARRAY(a, int32_t, n);
    return m->row && m->column && m->row_block && m->column_block;
}

static bool copy_offsets(const dae_structure *s, stage_block *b, arena *a)
{
    int64_t *c = ARENA_ARRAY(a, int64_t, b->size);
    int64_t *d = ARENA_ARRAY(a, int64_t, b->size);
    if (!c || !d) return false;
    for (size_t k = 0; k < b->size; k++) {
        c[k] = s->c[b->equation[k]];
        d[k] = s->d[b->unknown[k]];
        if (c[k] > b->most) b->most = c[k];
    }
    b->c = c;
    b->d = d;
    return true;
}

static dae_status list_blocks(
    const dae_structure *s, arena *a, stages *out, membership *m)
{
    out->block = ARENA_ARRAY(a, stage_block, s->fine_count);
    if (!out->block) return DAE_MEMORY;
    for (size_t f = 0; f < s->fine_count; f++) {
        const size_t begin = (size_t)s->fine[f].begin;
        stage_block b = {.size = (size_t)s->fine[f].end - begin,
            .equation = s->row_at + begin,
            .unknown = s->column_at + begin};
        int64_t most = 0;
        for (size_t k = 0; k < b.size; k++)
            if (s->c[b.equation[k]] > most) most = s->c[b.equation[k]];
        for (size_t k = 0; k < b.size; k++) {
            m->row[b.equation[k]] = m->column[b.unknown[k]] = (int32_t)k;
            m->row_block[b.equation[k]] = m->column_block[b.unknown[k]] = most
                    > 0
                ? (int32_t)out->block_count
                : -1;
        }
        if (most == 0) continue;
        if (!copy_offsets(s, &b, a)) return DAE_MEMORY;
        if (b.size > out->largest) out->largest = b.size;
        out->block[out->block_count++] = b;
    }
    return DAE_OK;
}

/* Whether entry p of column j belongs to a stage, and the block's number. */
static bool belongs(const signature *g, const dae_structure *s,
    const membership *m, size_t j, int64_t p, int32_t *block)
{
    const int32_t i = g->row[p];
    *block = m->row_block[i];
    return *block >= 0 && *block == m->column_block[j]
        && s->d[j] - s->c[i] == g->order[p];
}

static void order_by_rows(
    const stage_block *b, stage_entry *sorted, int64_t *start)
{
    memset(start, 0, (b->size + 1) * sizeof *start);
    for (size_t e = 0; e < b->entry_count; e++) start[b->entry[e].row + 1]++;
    for (size_t r = 0; r < b->size; r++) start[r + 1] += start[r];
    for (size_t e = 0; e < b->entry_count; e++)
        sorted[start[b->entry[e].row]++] = b->entry[e];
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

static dae_status list_entries(const signature *g, const dae_structure *s,
    const extended *e, const membership *m, arena *a, stages *out)
{
    int32_t block;
    size_t total = 0;
    for (size_t j = 0; j < s->n; j++)
        for (int64_t p = g->column_start[j]; p < g->column_start[j + 1]; p++)
            if (belongs(g, s, m, j, p, &block))
                out->block[block].entry_count++, total++;
    stage_entry *entry = ARENA_ARRAY(a, stage_entry, total);
    stage_entry *sorted = ARENA_ARRAY(a, stage_entry, total);
    int64_t *start = ARENA_ARRAY(a, int64_t, out->largest + 1);
    if (!entry || !sorted || !start) return DAE_MEMORY;
    for (size_t b = 0, at = 0; b < out->block_count; b++) {
        out->block[b].entry = entry + at;
        at += out->block[b].entry_count;
        out->block[b].entry_count = 0;
    }
    for (size_t j = 0; j < s->n; j++)
        for (int64_t p = g->column_start[j]; p < g->column_start[j + 1]; p++) {
            if (!belongs(g, s, m, j, p, &block)) continue;
            stage_block *b = &out->block[block];
            stage_entry *list = entry + (b->entry - entry);
            list[b->entry_count++] = (stage_entry){m->row[g->row[p]],
                m->column[j], entry_of(e, g->row[p], j, g->order[p])};
        }
    for (size_t b = 0; b < out->block_count; b++) {
        stage_block *k = &out->block[b];
        stage_entry *to = sorted + (k->entry - entry);
        order_by_rows(k, to, start);
        k->entry = to;
    }
    return DAE_OK;
}

dae_status stages_create(const signature *g, const dae_structure *s,
    const extended *e, arena *a, stages *out)
{
    assert(s->n == e->unknowns);
    membership m;
    *out = (stages){.block = NULL};
    if (!take_membership(a, s->n, &m)) return DAE_MEMORY;
    const dae_status st = list_blocks(s, a, out, &m);
    return st ? st : list_entries(g, s, e, &m, a, out);
}
