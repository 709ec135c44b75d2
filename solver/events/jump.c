#include "events/jump.h"
#include "events/impulse.h"
#include "linalg/jacobian.h"
#include "linalg/kkt.h"
#include "reduce/thresholds.h"
#include <math.h>
#include <string.h>

/* Newton's method for one level: until an equation is off by this part of what
 * tolerances of its unknowns make of it, or by no more than rounding leaves. */
enum { ITERATIONS_MOST = 30 };

typedef struct placing {
    const reduction *r;
    const extended *e;
    const dae_pattern *pattern;
    double t;
    int level;
    const uint8_t *is_held;
    double *z;
    size_t rows, slots;
    int32_t *number;     /* extended rows: in this level; -1 */
    int32_t *row, *slot; /* back */
    int *row_level;
    int64_t *start;
    int32_t *entry_row;
    double *values, *all, *jacobian, *residual, *unit, *scale, *change,
        *z_before;
    jump_task *task;
    kkt *kkt;
    dae_stats *stats;
    arena arena;
} placing;

static int column_level(const reduction *r, size_t column)
{
    const size_t j = (size_t)r->extended->column_unknown[column];
    return (int)(column - r->extended->column_first[j]) - r->highest[j];
}

int jump_lowest(const reduction *r)
{
    int lowest = 0;
    for (size_t c = 0; c < r->extended->columns; c++)
        lowest = column_level(r, c) < lowest ? column_level(r, c) : lowest;
    return lowest;
}

static bool take(placing *p)
{
    arena *a = &p->arena;
    const size_t rows = p->e->rows, columns = p->e->columns;
    const size_t entries = (size_t)p->pattern->column_start[columns];
    p->number = ARENA_ARRAY(a, int32_t, rows + 1);
    p->row = ARENA_ARRAY(a, int32_t, rows + 1);
    p->slot = ARENA_ARRAY(a, int32_t, columns + 1);
    p->row_level = ARENA_ARRAY(a, int, rows + 1);
    p->start = ARENA_ARRAY(a, int64_t, columns + 1);
    p->entry_row = ARENA_ARRAY(a, int32_t, entries + 1);
    p->values = ARENA_ARRAY(a, double, entries + 1);
    p->jacobian = ARENA_ARRAY(a, double, entries + 1);
    p->all = ARENA_ARRAY(a, double, rows + 1);
    p->residual = ARENA_ARRAY(a, double, rows + 1);
    p->unit = ARENA_ARRAY(a, double, rows + 1);
    p->scale = ARENA_ARRAY(a, double, columns + 1);
    p->change = ARENA_ARRAY(a, double, columns + 1);
    p->z_before = ARENA_ARRAY(a, double, columns + 1);
    return p->number && p->row && p->slot && p->row_level && p->start
        && p->entry_row && p->values && p->jacobian && p->all && p->residual
        && p->unit && p->scale && p->change && p->z_before;
}

/* By the offsets of equations, which know what counts in this mode; where numbers
 * tell them only, by what occurs. */
static void level_rows(placing *p)
{
    const extended *e = p->e;
    const int lowest = jump_lowest(p->r);
    for (size_t i = 0; i < e->unknowns && !p->r->is_by_numbers; i++)
        for (size_t k = e->row_first[i]; k < e->row_first[i + 1]; k++)
            p->row_level[k] = (int)k + 1 - (int)e->row_first[i + 1];
    if (!p->r->is_by_numbers) return;
    for (size_t i = 0; i < p->e->rows; i++) p->row_level[i] = lowest;
    for (size_t c = 0; c < p->e->columns; c++) {
        const int level = column_level(p->r, c);
        int64_t k = p->pattern->column_start[c];
        for (; k < p->pattern->column_start[c + 1]; k++)
            if (level > p->row_level[p->pattern->row[k]])
                p->row_level[p->pattern->row[k]] = level;
    }
}

/* The rows of a level and what is not held of its columns. */
static void list(placing *p)
{
    int64_t end = 0;
    p->rows = p->slots = 0;
    for (size_t i = 0; i < p->e->rows; i++) {
        const bool is_in = p->row_level[i] == p->level;
        p->number[i] = is_in ? (int32_t)p->rows : -1;
        if (is_in) p->row[p->rows++] = (int32_t)i;
    }
    for (size_t c = 0; c < p->e->columns; c++) {
        if (column_level(p->r, c) != p->level || p->is_held[c]) continue;
        p->start[p->slots] = end;
        p->slot[p->slots++] = (int32_t)c;
        int64_t k = p->pattern->column_start[c];
        for (; k < p->pattern->column_start[c + 1]; k++)
            if (p->number[p->pattern->row[k]] >= 0)
                p->entry_row[end++] = p->number[p->pattern->row[k]];
    }
    p->start[p->slots] = end;
}

static double tolerance_of(const placing *p, size_t column)
{
    const size_t j = (size_t)p->e->column_unknown[column];
    return p->r->rtol * fabs(p->z[column]) + p->r->atol * p->r->size[j];
}

static dae_status evaluate(placing *p)
{
    const dae_problem *e = &p->e->problem;
    p->stats->residual_evals++;
    const dae_status st = e->residual(e->self, p->t, p->z, NULL, p->all);
    if (st) return st;
    for (size_t i = 0; i < p->rows; i++) p->residual[i] = p->all[p->row[i]];
    return any_overflow(p->residual, p->rows) ? DAE_RETRY : DAE_OK;
}

/* The level's part of the Jacobian, and what tolerances make of its rows. */
static dae_status factor(placing *p)
{
    const dae_problem *e = &p->e->problem;
    p->stats->jacobian_evals++;
    dae_status st = e->jacobian(
        e->self, DAE_ALL, p->t, p->z, NULL, p->jacobian);
    if (st) return st;
    memset(p->unit, 0, p->rows * sizeof *p->unit);
    for (size_t c = 0; c < p->e->columns; c++) {
        int64_t k = p->pattern->column_start[c];
        for (; k < p->pattern->column_start[c + 1]; k++) {
            const int32_t i = p->number[p->pattern->row[k]];
            if (i >= 0) p->unit[i] += fabs(p->jacobian[k]) * tolerance_of(p, c);
        }
    }
    int64_t end = 0;
    for (size_t s = 0; s < p->slots; s++) {
        const size_t c = (size_t)p->slot[s];
        p->scale[s] = p->r->size[p->e->column_unknown[c]];
        int64_t k = p->pattern->column_start[c];
        for (; k < p->pattern->column_start[c + 1]; k++)
            if (p->number[p->pattern->row[k]] >= 0)
                p->values[end++] = p->jacobian[k];
    }
    p->stats->factorizations++;
    st = kkt_factor(p->kkt, p->values, p->scale);
    return st == DAE_NUMERIC ? DAE_RETRY : st;
}

static double violation(const placing *p, size_t *row)
{
    double most = -1;
    for (size_t i = 0; i < p->rows; i++) {
        const double off = fabs(p->residual[i]);
        const double size = off == 0 ? 0
            : p->unit[i] > 0         ? off / p->unit[i]
                                     : HUGE_VAL;
        if (size > most) most = size, *row = (size_t)p->row[i];
    }
    return most;
}

/* The least change for what the level's equations are off by. */
static dae_status add_least(placing *p)
{
    const dae_status st = kkt_solve(p->kkt, p->residual, NULL, p->change);
    if (st) return st == DAE_NUMERIC ? DAE_RETRY : st;
    for (size_t s = 0; s < p->slots; s++) p->z[p->slot[s]] += p->change[s];
    return DAE_OK;
}

static dae_status approach(placing *p, bool is_shared)
{
    double before = HUGE_VAL;
    for (int m = 0; m < ITERATIONS_MOST; m++) {
        dae_status st = evaluate(p);
        if (!st) st = factor(p);
        if (st) return st;
        const double off = violation(p, &p->task->row);
        const bool is_slow = off > HALVED * before;
        if (off <= SOLVED || (off <= SOLVED_TO_ROUNDING && is_slow))
            return DAE_OK;
        if (m > 3 && is_slow) return DAE_INCONSISTENT;
        before = off;
        st = is_shared ? impulse_add(p->r, p->jacobian, p->all, p->level,
                 p->is_held, p->z, p->task->blow)
                       : add_least(p);
        if (st) return st;
    }
    return DAE_INCONSISTENT;
}

/* Which of the level's columns its equations leave open: those of which something
 * is left of numbers by chance less the least that has the same rows. */
static dae_status find_open(placing *p)
{
    unsigned seed = 1;
    memset(p->residual, 0, p->rows * sizeof *p->residual);
    for (size_t s = 0; s < p->slots; s++) {
        seed = seed * 1664525u + 1013904223u;
        p->scale[s] *= 1 + seed / 4294967296.0;
        for (int64_t k = p->start[s]; k < p->start[s + 1]; k++)
            p->residual[p->entry_row[k]] += p->values[k] * p->scale[s];
    }
    const dae_status st = kkt_solve(p->kkt, p->residual, NULL, p->change);
    if (st) return st == DAE_NUMERIC ? DAE_OK : st;
    for (size_t s = 0; s < p->slots; s++)
        if (fabs(p->scale[s] + p->change[s]) > PART_GONE * p->scale[s])
            p->task->is_open[p->slot[s]] = 1;
    return DAE_OK;
}

/* By what the equations say of a blow, else by the least change. */
static dae_status share(placing *p)
{
    dae_status st = DAE_RETRY;
    const size_t size = p->e->columns * sizeof *p->z;
    if (p->level == 0) return approach(p, false);
    memcpy(p->z_before, p->z, size);
    st = approach(p, true);
    if (st != DAE_RETRY && st != DAE_INCONSISTENT) return st;
    memcpy(p->z, p->z_before, size);
    if (p->task->blow)
        memset(p->task->blow, 0, p->e->unknowns * sizeof *p->task->blow);
    p->task->is_least = true;
    return approach(p, false);
}

static dae_status solve_level(placing *p)
{
    list(p);
    if (p->rows == 0) return DAE_OK;
    dae_status st = kkt_create(p->rows, p->slots, p->start, p->entry_row, 0,
        p->arena.allocator, &p->kkt);
    if (!st) st = share(p);
    if (!st && p->level < 0 && p->task->is_open) st = find_open(p);
    kkt_free(p->kkt);
    p->kkt = NULL;
    return st;
}

dae_status jump_solve(const reduction *r, jump_task *task, dae_stats *stats)
{
    placing p = {.r = r,
        .e = r->extended,
        .pattern = r->extended->problem.pattern,
        .t = task->t,
        .is_held = task->is_held,
        .z = task->z,
        .task = task,
        .stats = stats};
    task->is_least = false;
    arena_init(&p.arena, r->allocator, 0);
    dae_status st = take(&p) ? DAE_OK : DAE_MEMORY;
    if (!st) level_rows(&p);
    for (p.level = task->first; p.level <= 0 && !st; p.level++)
        st = solve_level(&p);
    arena_clear(&p.arena);
    return st;
}
