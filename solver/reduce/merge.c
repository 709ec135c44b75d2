/* Taking out equalities: two chains are joined where one goes on as the other,
 * never where a state would have two derivatives, a derivative two states, or
 * a chain would end in itself. */
#include "reduce/merge.h"
#include <math.h>
#include <string.h>

static int32_t first_of(merge *m, int32_t column)
{
    int32_t root = column;
    while (m->first[root] != root) root = m->first[root];
    while (m->first[column] != root) {
        const int32_t up = m->first[column];
        m->first[column] = root;
        column = up;
    }
    return root;
}

/* The end of the chain a column stands in. */
static int32_t end_of(merge *m, int32_t column)
{
    while (m->next[column] >= 0) column = first_of(m, m->next[column]);
    return column;
}

static bool can_join(merge *m, int32_t a, int32_t b)
{
    if (a == b) return false;
    if (m->next[a] >= 0 && m->next[b] >= 0) return false;
    if (m->before[a] >= 0 && m->before[b] >= 0) return false;
    return end_of(m, a) != end_of(m, b);
}

static void join(merge *m, int32_t a, int32_t b)
{
    const int32_t root = a < b ? a : b, other = a < b ? b : a;
    m->first[other] = root;
    if (m->next[root] < 0) m->next[root] = m->next[other];
    if (m->before[root] < 0) m->before[root] = m->before[other];
}

static bool has_bounds(const dae_scales *s, size_t j)
{
    return s
        && ((s->minimum && s->minimum[j] > -HUGE_VAL)
            || (s->maximum && s->maximum[j] < HUGE_VAL));
}

static void take_out(merge *m, const dae_problem *p, const extended *e,
    const dae_structure *s, const dae_equality *q)
{
    const size_t u = (size_t)q->first.unknown, v = (size_t)q->second.unknown;
    if (has_bounds(p->scales, u) || has_bounds(p->scales, v)) return;
    for (int64_t k = 0; k <= s->c[q->equation]; k++) {
        const int64_t ou = q->first.order + k, ov = q->second.order + k;
        if (ou > s->d[u] || ov > s->d[v]) return;
        const int32_t a = first_of(
            m, (int32_t)e->column_first[u] + (int32_t)ou);
        const int32_t b = first_of(
            m, (int32_t)e->column_first[v] + (int32_t)ov);
        if (!can_join(m, a, b)) continue;
        join(m, a, b);
        m->is_dropped[e->row_first[q->equation] + (size_t)k] = 1;
    }
}

dae_status merge_slots(const dae_problem *original, const extended *e,
    const dae_structure *structure, const pick *p, arena *a, merge *out)
{
    out->first = ARENA_ARRAY(a, int32_t, e->columns);
    out->next = ARENA_ARRAY(a, int32_t, e->columns);
    out->before = ARENA_ARRAY(a, int32_t, e->columns);
    out->is_dropped = ARENA_ARRAY(a, uint8_t, e->rows);
    if (!out->first || !out->next || !out->before || !out->is_dropped)
        return DAE_MEMORY;
    for (size_t k = 0; k < e->columns; k++) {
        out->first[k] = (int32_t)k;
        out->next[k] = out->before[k] = -1;
    }
    for (size_t j = 0; j < e->unknowns; j++) {
        const int32_t column = (int32_t)e->column_first[j];
        for (int32_t o = 0; o < p->order[j]; o++) {
            out->next[column + o] = column + o + 1;
            out->before[column + o + 1] = column + o;
        }
    }
    for (size_t k = 0; k < original->equality_count; k++)
        take_out(out, original, e, structure, &original->equalities[k]);
    for (size_t k = 0; k < e->columns; k++) {
        out->first[k] = first_of(out, (int32_t)k);
        if (out->next[k] >= 0) out->next[k] = first_of(out, out->next[k]);
        if (out->before[k] >= 0) out->before[k] = first_of(out, out->before[k]);
    }
    return DAE_OK;
}
