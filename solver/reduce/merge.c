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

/* An unknown itself, no derivative of one, would have the accuracy of a slope
 * as the last derivative of a chain. */
static bool can_join(merge *m, int32_t a, int32_t b)
{
    const bool is_value = m->has_value[a] || m->has_value[b];
    const bool has_next = m->next[a] >= 0 || m->next[b] >= 0;
    const bool has_before = m->before[a] >= 0 || m->before[b] >= 0;
    if (a == b) return false;
    if (m->next[a] >= 0 && m->next[b] >= 0) return false;
    if (m->before[a] >= 0 && m->before[b] >= 0) return false;
    if (is_value && has_before && !has_next) return false;
    return end_of(m, a) != end_of(m, b);
}

static void join(merge *m, int32_t a, int32_t b)
{
    const int32_t root = a < b ? a : b, other = a < b ? b : a;
    m->first[other] = root;
    if (m->next[root] < 0) m->next[root] = m->next[other];
    if (m->before[root] < 0) m->before[root] = m->before[other];
    m->has_value[root] |= m->has_value[other];
}

static bool has_bounds(const dae_scales *s, size_t j)
{
    return s
        && ((s->minimum && s->minimum[j] > -HUGE_VAL)
            || (s->maximum && s->maximum[j] < HUGE_VAL));
}

static void take_out(merge *m, const dae_problem *p, const extended *e,
    const pick *k, const dae_equality *q)
{
    const size_t u = (size_t)q->first.unknown, v = (size_t)q->second.unknown;
    size_t a = e->column_first[u] + (size_t)q->first.order;
    size_t b = e->column_first[v] + (size_t)q->second.order;
    if (has_bounds(p->scales, u) || has_bounds(p->scales, v)) return;
    const size_t first = e->row_first[q->equation];
    for (size_t row = first; row < e->row_first[q->equation + 1];
         row++, a++, b++) {
        if (a >= e->column_first[u + 1] || b >= e->column_first[v + 1]) return;
        if (k->is_frozen[a] || k->is_frozen[b] || k->is_out[row]) continue;
        const int32_t x = first_of(m, (int32_t)a), y = first_of(m, (int32_t)b);
        if (!can_join(m, x, y)) continue;
        join(m, x, y);
        m->is_dropped[row] = 1;
    }
}

dae_status merge_slots(const dae_problem *original, const extended *e,
    const pick *p, arena *a, merge *out)
{
    out->first = ARENA_ARRAY(a, int32_t, e->columns);
    out->next = ARENA_ARRAY(a, int32_t, e->columns);
    out->before = ARENA_ARRAY(a, int32_t, e->columns);
    out->has_value = ARENA_ARRAY(a, uint8_t, e->columns);
    out->is_dropped = ARENA_ARRAY(a, uint8_t, e->rows);
    if (!out->first || !out->next || !out->before || !out->has_value
        || !out->is_dropped)
        return DAE_MEMORY;
    memcpy(out->is_dropped, p->is_out, e->rows);
    for (size_t k = 0; k < e->columns; k++) {
        out->first[k] = (int32_t)k;
        out->next[k] = out->before[k] = -1;
        out->has_value[k] = k == e->column_first[e->column_unknown[k]];
    }
    for (size_t k = 0; k + 1 < e->columns; k++) {
        if (!p->is_state[k]) continue;
        out->next[k] = (int32_t)k + 1;
        out->before[k + 1] = (int32_t)k;
    }
    for (size_t k = 0; k < original->equality_count; k++)
        take_out(out, original, e, p, &original->equalities[k]);
    for (size_t k = 0; k < e->columns; k++) {
        out->first[k] = first_of(out, (int32_t)k);
        if (out->next[k] >= 0) out->next[k] = first_of(out, out->next[k]);
        if (out->before[k] >= 0) out->before[k] = first_of(out, out->before[k]);
    }
    return DAE_OK;
}
