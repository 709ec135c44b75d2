#include "reduce/least_change.h"
#include "linalg/jacobian.h"
#include <math.h>
#include <string.h>

static dae_status make_pattern(least_change *c, const uint8_t *is_in,
    const int32_t *slot_of, size_t entries, arena *a)
{
    gathering g;
    int32_t *number = ARENA_ARRAY(a, int32_t, c->e->rows);
    if (!number || !TAKE(a, c->row, c->e->rows)) return DAE_MEMORY;
    for (size_t i = 0; i < c->e->rows; i++) {
        number[i] = is_in[i] ? (int32_t)c->rows : -1;
        if (is_in[i]) c->row[c->rows++] = (int32_t)i;
    }
    if (!gathering_init(&g, c->e, slot_of, number, entries, a)
        || !gathering_finish(&g, c->rows, c->slots, a, &c->pattern))
        return DAE_MEMORY;
    c->target = g.target;
    return DAE_OK;
}

dae_status least_change_init(least_change *c, const extended *e,
    const uint8_t *is_in, const int32_t *slot_of, size_t slots,
    dae_stats *stats, arena *a)
{
    const size_t entries = extended_entries(e);
    *c = (least_change){.e = e, .stats = stats, .slots = slots};
    const dae_status st = make_pattern(c, is_in, slot_of, entries, a);
    if (st || !TAKE(a, c->values, entries) || !TAKE(a, c->jacobian, entries)
        || !TAKE(a, c->all, e->rows) || !TAKE(a, c->residual, c->rows)
        || !TAKE(a, c->unit, c->rows) || !TAKE(a, c->tolerance, slots)
        || !TAKE(a, c->scale, slots) || !TAKE(a, c->change, slots))
        return DAE_MEMORY;
    return kkt_create(c->rows, slots, c->pattern.column_start, c->pattern.row,
        0, a->allocator, &c->kkt);
}

void least_change_clear(least_change *c)
{
    kkt_free(c->kkt);
    c->kkt = NULL;
}

dae_status least_change_evaluate(
    least_change *c, double t, const double *columns)
{
    const dae_problem *p = &c->e->problem;
    c->stats->residual_evals++;
    const dae_status st = p->residual(p->self, t, columns, NULL, c->all);
    if (st) return st;
    for (size_t i = 0; i < c->rows; i++) c->residual[i] = c->all[c->row[i]];
    return any_overflow(c->residual, c->rows) ? DAE_RETRY : DAE_OK;
}

dae_status least_change_differentiate(
    least_change *c, double t, const double *columns)
{
    const dae_problem *p = &c->e->problem;
    c->stats->jacobian_evals++;
    return p->jacobian(p->self, DAE_ALL, t, columns, NULL, c->jacobian);
}

dae_status least_change_factor(least_change *c, const double *entries)
{
    const size_t most = extended_entries(c->e);
    memset(c->values, 0,
        (size_t)c->pattern.column_start[c->slots] * sizeof *c->values);
    for (size_t k = 0; k < most; k++)
        if (c->target[k] >= 0) c->values[c->target[k]] += entries[k];
    c->stats->factorizations++;
    const dae_status st = kkt_factor(c->kkt, c->values, c->scale);
    return st == DAE_NUMERIC ? DAE_RETRY : st;
}

void least_change_measure(least_change *c)
{
    const int64_t *start = c->pattern.column_start;
    memset(c->unit, 0, c->rows * sizeof *c->unit);
    for (size_t s = 0; s < c->slots; s++)
        for (int64_t k = start[s]; k < start[s + 1]; k++)
            c->unit[c->pattern.row[k]] += fabs(c->values[k]) * c->tolerance[s];
}

double least_change_violation(const least_change *c, size_t *row)
{
    double most = -1;
    for (size_t i = 0; i < c->rows; i++) {
        const double off = fabs(c->residual[i]);
        const double size = off == 0 ? 0
            : c->unit[i] > 0         ? off / c->unit[i]
                                     : HUGE_VAL;
        if (size > most) most = size, *row = (size_t)c->row[i];
    }
    return most;
}

dae_status least_change_solve(least_change *c)
{
    const dae_status st = kkt_solve(c->kkt, c->residual, NULL, c->change);
    return st == DAE_NUMERIC ? DAE_RETRY : st;
}
