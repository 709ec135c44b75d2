#include "events/jump.h"
#include "events/search.h"
#include "linalg/linear.h"
#include "linalg/scale.h"
#include "reduce/least_change.h"
#include "reduce/thresholds.h"
#include <math.h>
#include <string.h>

/* Newton's method for one level: until an equation is off by this part of what
 * tolerances of its unknowns make of it, or by no more than rounding leaves. */
enum { ITERATIONS_MOST = 30 };

/* ---- how a jump is shared ---------------------------------------------------------------- */

/* How a jump is shared. Where constraints, or what is assigned, ask at one instant
 * for other speeds, something without bound acts for a moment: the reaction of a
 * rod, the moment of a clutch. What it does is written in the equations: over the
 * moment they are those of the highest derivatives alone, with changes in the place
 * of slopes and the integral over the moment (the blow) in that of what has no
 * derivative, and whatever stays bounded counts for nothing. With c_i and d_j the
 * offsets of equations and unknowns that is
 *
 *     J y = r,    J_ij = dF_i / dx_j^(d_j - c_i),
 *
 * y_j the change of the derivative of order d_j - 1 (a blow where there is none),
 * r_i what F_i^(c_i - 1) is off by, 0 where c_i = 0. Momentum, charge and whatever
 * else the equations keep is kept, and no unit counts. One level lower, of places,
 * the same holds.
 *
 * What is assigned has been put in its place by a blow of its own, on the one equation in
 * which its slope stands, which tells nothing then. Where no constraint is hurt nothing
 * else moves. */

/* J and parts of it. */
typedef struct blow {
    const reduction *r;
    const extended *e;
    const double *entries;
    int level;
    size_t n;
    uint8_t *is_given;    /* unknowns: assigned at this level */
    uint8_t *is_left_out; /* equations: a blow of its own acts on it */
    double *row_scale, *column_scale; /* of the part at hand */
    int64_t *start;
    int32_t *row, *number; /* equation: its row in the part; -1 */
    double *values, *side;
    linear *linear;
    arena arena;
} blow;

/* The column of level 0 of an unknown, and what stands in it. */
static size_t top_column(const blow *b, size_t j)
{
    return b->e->column_first[j] + (size_t)b->r->orders.highest[j];
}

static bool is_top_row(const blow *b, size_t row, size_t *i)
{
    *i = (size_t)b->e->row_equation[row];
    return row + 1 == b->e->row_first[*i + 1];
}

static const dae_pattern *pattern_of(const blow *b)
{
    return b->e->problem.pattern;
}

static bool take_blow(blow *b)
{
    arena *a = &b->arena;
    const dae_pattern *p = pattern_of(b);
    const size_t entries = (size_t)p->column_start[b->e->columns], n = b->n;
    return TAKE(a, b->is_given, n) && TAKE(a, b->is_left_out, n)
        && TAKE(a, b->row_scale, n) && TAKE(a, b->column_scale, n)
        && TAKE(a, b->start, n) && TAKE(a, b->row, entries)
        && TAKE(a, b->number, n) && TAKE(a, b->values, entries)
        && TAKE(a, b->side, n);
}

/* A constraint at this level: its derivative of the order c + level is one. */
static bool is_constraint(const blow *b, size_t i)
{
    return b->r->orders.differentiated[i] + b->level >= 0;
}

static void mark_given(blow *b, const uint8_t *is_held)
{
    for (size_t j = 0; j < b->n; j++) {
        const int order = b->r->orders.highest[j] + b->level;
        b->is_given[j] = order >= 0
            && is_held[b->e->column_first[j] + (size_t)order];
    }
}

/* The part without what is given and left out. */
static dae_status factor_blow(blow *b, size_t *size)
{
    const dae_pattern *p = pattern_of(b);
    size_t rows = 0, columns = 0, i;
    int64_t end = 0;
    for (i = 0; i < b->n; i++)
        b->number[i] = b->is_left_out[i] ? -1 : (int32_t)rows++;
    for (size_t j = 0; j < b->n; j++) {
        if (b->is_given[j]) continue;
        const size_t c = top_column(b, j);
        int64_t k = p->column_start[c];
        for (; k < p->column_start[c + 1]; k++) {
            if (!is_top_row(b, (size_t)p->row[k], &i) || b->number[i] < 0)
                continue;
            b->row[end] = b->number[i];
            b->values[end++] = b->entries[k];
        }
        b->start[++columns] = end;
    }
    *size = columns;
    if (rows != columns) return DAE_RETRY;
    if (rows == 0) return DAE_OK;
    const matrix_view m = {rows, columns, b->start, b->row, b->values};
    scale_rows(&m, NULL, b->row_scale);
    scale_columns(&m, b->row_scale, b->column_scale);
    scale_by(&m, b->row_scale, b->column_scale, b->values);
    linear_free(b->linear);
    b->linear = NULL;
    dae_status st = linear_create(rows, b->start, b->row, DAE_LINEAR_AUTO,
        b->arena.allocator, &b->linear);
    if (!st) st = linear_factor(b->linear, b->values);
    return st == DAE_NUMERIC ? DAE_RETRY : st;
}

/* ---- where what is assigned acts ------------------------------------------------ */

/* An equation for each unknown that is given: the one in which its slope stands. DAE_RETRY:
 * it stands in none, or in several. */
static dae_status leave_out(blow *b)
{
    const dae_pattern *p = pattern_of(b);
    for (size_t j = 0; j < b->n; j++) {
        size_t count = 0, row = 0, i;
        if (!b->is_given[j]) continue;
        const size_t c = top_column(b, j);
        int64_t k = p->column_start[c];
        for (; k < p->column_start[c + 1]; k++) {
            if (!is_top_row(b, (size_t)p->row[k], &i)) continue;
            if (b->entries[k] == 0 || b->is_left_out[i] || is_constraint(b, i))
                continue;
            count++;
            row = i;
        }
        if (count != 1) return DAE_RETRY;
        b->is_left_out[row] = 1;
    }
    return DAE_OK;
}

/* ---- the jump ------------------------------------------------------------------ */

static void put_sides(blow *b, const double *residual)
{
    for (size_t i = 0; i < b->n; i++) {
        if (b->number[i] < 0) continue;
        const int order = b->r->orders.differentiated[i] + b->level;
        const double off = order < 0
            ? 0
            : residual[b->e->row_first[i] + (size_t)order];
        b->side[b->number[i]] = -off * b->row_scale[b->number[i]];
    }
}

static void add_blow(const blow *b, double *z, double *of_algebraic)
{
    size_t column = 0;
    for (size_t j = 0; j < b->n; j++) {
        if (b->is_given[j]) continue;
        const double change = b->side[column] * b->column_scale[column];
        column++;
        const int order = b->r->orders.highest[j] + b->level;
        if (order >= 0) z[b->e->column_first[j] + (size_t)order] += change;
        else if (of_algebraic && b->level == -1) of_algebraic[j] += change;
    }
}

static dae_status solve_blow(
    blow *b, const double *residual, double *z, double *of_algebraic)
{
    size_t size;
    dae_status st = leave_out(b);
    if (!st) st = factor_blow(b, &size);
    if (st) return st;
    put_sides(b, residual);
    if (size > 0) st = linear_solve(b->linear, b->side);
    if (st) return st == DAE_NUMERIC ? DAE_RETRY : st;
    for (size_t k = 0; k < size; k++)
        if (!isfinite(b->side[k])) return DAE_RETRY;
    add_blow(b, z, of_algebraic);
    return DAE_OK;
}

/* Adds to z (columns of r->extended, of the given level < 0) what equations that are off by
 * `residual` (extended rows) ask for; `entries`: the Jacobian of the extended pattern. At
 * level -1 `of_algebraic` (unknowns; NULL: nobody asks) gets the blows of those without
 * derivatives added. DAE_RETRY: they do not tell. DAE_MEMORY. */
static dae_status impulse_add(const reduction *r, const double *entries,
    const double *residual, int level, const uint8_t *is_held, double *z,
    double *of_algebraic)
{
    blow b = {.r = r,
        .e = r->extended,
        .entries = entries,
        .level = level,
        .n = r->layout.unknowns};
    arena_init(&b.arena, r->allocator, 0);
    dae_status st = take_blow(&b) ? DAE_OK : DAE_MEMORY;
    if (!st) {
        mark_given(&b, is_held);
        st = solve_blow(&b, residual, z, of_algebraic);
    }
    linear_free(b.linear);
    arena_clear(&b.arena);
    return st;
}

/* ---- level by level ---------------------------------------------------------------- */

typedef struct placing {
    least_change of; /* of the level */
    const reduction *r;
    const extended *e;
    int level;
    int *row_level; /* extended rows */
    uint8_t *is_in; /* the same: of the level */
    double *z, *z_before;
    jump_task *task;
    dae_stats *stats;
    arena arena;
} placing;

static int column_level(const reduction *r, size_t column)
{
    const size_t j = (size_t)r->extended->column_unknown[column];
    return (int)(column - r->extended->column_first[j]) - r->orders.highest[j];
}

int jump_lowest(const reduction *r)
{
    int lowest = 0;
    for (size_t c = 0; c < r->extended->columns; c++)
        lowest = column_level(r, c) < lowest ? column_level(r, c) : lowest;
    return lowest;
}

/* By the offsets of equations, which know what counts in this mode; where numbers
 * tell them only, by what occurs. */
static void level_rows(placing *p)
{
    const extended *e = p->e;
    const dae_pattern *of = e->problem.pattern;
    const int lowest = jump_lowest(p->r);
    for (size_t i = 0; i < e->unknowns && !p->r->is_by_numbers; i++)
        for (size_t k = e->row_first[i]; k < e->row_first[i + 1]; k++)
            p->row_level[k] = (int)k + 1 - (int)e->row_first[i + 1];
    if (!p->r->is_by_numbers) return;
    for (size_t i = 0; i < p->e->rows; i++) p->row_level[i] = lowest;
    for (size_t c = 0; c < p->e->columns; c++) {
        const int level = column_level(p->r, c);
        int64_t k = of->column_start[c];
        for (; k < of->column_start[c + 1]; k++)
            if (level > p->row_level[of->row[k]])
                p->row_level[of->row[k]] = level;
    }
}

/* The rows of a level in all columns. */
static dae_status list(placing *p)
{
    for (size_t i = 0; i < p->e->rows; i++)
        p->is_in[i] = p->row_level[i] == p->level;
    return least_change_init(
        &p->of, p->e, p->is_in, NULL, p->e->columns, p->stats, &p->arena);
}

/* What is not held of the level's columns may change. */
static dae_status factor(placing *p)
{
    least_change *of = &p->of;
    dae_status st = least_change_differentiate(of, p->task->t, p->z);
    if (st) return st;
    for (size_t c = 0; c < p->e->columns; c++) {
        const bool is_open = column_level(p->r, c) == p->level
            && !p->task->is_held[c];
        const double size = p->r->size[p->e->column_unknown[c]];
        of->scale[c] = is_open ? size : 0;
        /* at a tight tolerance that part of it is below rounding */
        of->tolerance[c] = fmax(p->r->rtol * fabs(p->z[c]) + p->r->atol * size,
            UNITS_OFF * DBL_EPSILON / PART_GONE * fabs(p->z[c]));
    }
    st = least_change_factor(of, of->jacobian);
    least_change_measure(of);
    return st;
}

static dae_status approach(placing *p, bool is_shared)
{
    least_change *of = &p->of;
    double before = HUGE_VAL;
    for (int m = 0; m < ITERATIONS_MOST; m++) {
        dae_status st = least_change_evaluate(of, p->task->t, p->z);
        if (!st) st = factor(p);
        if (st) return st;
        const double off = least_change_violation(of, &p->task->row);
        const bool is_slow = off > HALVED * before;
        if (off <= PART_GONE) return DAE_OK;
        if (m > 3 && is_slow) return DAE_INCONSISTENT;
        before = off;
        st = is_shared ? impulse_add(p->r, of->jacobian, of->all, p->level,
                 p->task->is_held, p->z, p->task->blow)
                       : least_change_solve(of);
        if (st) return st;
        for (size_t c = 0; c < of->slots && !is_shared; c++)
            p->z[c] += of->change[c];
    }
    return DAE_INCONSISTENT;
}

/* Which of the level's columns its equations leave open: those of which something
 * is left of numbers by chance less the least that has the same rows. */
static dae_status find_open(placing *p)
{
    least_change *of = &p->of;
    const int64_t *start = of->pattern.column_start;
    unsigned seed = 1;
    memset(of->residual, 0, of->rows * sizeof *of->residual);
    for (size_t c = 0; c < of->slots; c++) {
        if (of->scale[c] == 0) continue;
        seed = seed * 1664525u + 1013904223u;
        of->scale[c] *= 1 + seed / 4294967296.0;
        for (int64_t k = start[c]; k < start[c + 1]; k++)
            of->residual[of->pattern.row[k]] += of->values[k] * of->scale[c];
    }
    const dae_status st = least_change_solve(of);
    for (size_t c = 0; c < of->slots && !st; c++)
        if (fabs(of->scale[c] + of->change[c]) > PART_GONE * of->scale[c])
            p->task->is_open[c] = 1;
    return st == DAE_RETRY ? DAE_OK : st;
}

/* By what the equations say of a blow, else by the least change. Where numbers alone show
 * what is tied the rows are not those of the blow. */
static dae_status share(placing *p)
{
    dae_status st = DAE_RETRY;
    const size_t size = p->e->columns * sizeof *p->z;
    if (p->level == 0) return approach(p, false);
    memcpy(p->z_before, p->z, size);
    if (!p->r->is_by_numbers) st = approach(p, true);
    if (st != DAE_RETRY && st != DAE_INCONSISTENT) return st;
    memcpy(p->z, p->z_before, size);
    if (p->task->blow)
        memset(p->task->blow, 0, p->e->unknowns * sizeof *p->task->blow);
    p->task->is_least = true;
    return approach(p, false);
}

static dae_status solve_level(placing *p)
{
    dae_status st = list(p);
    if (!st && p->of.rows > 0) st = share(p);
    if (!st && p->of.rows > 0 && p->level < 0 && p->task->is_open)
        st = find_open(p);
    least_change_clear(&p->of);
    return st;
}

dae_status jump_solve(const reduction *r, jump_task *task, dae_stats *stats)
{
    placing p = {
        .r = r, .e = r->extended, .z = task->z, .task = task, .stats = stats};
    task->is_least = false;
    arena_init(&p.arena, r->allocator, 0);
    const bool has_all = TAKE(&p.arena, p.row_level, p.e->rows)
        && TAKE(&p.arena, p.is_in, p.e->rows)
        && TAKE(&p.arena, p.z_before, p.e->columns);
    dae_status st = has_all ? DAE_OK : DAE_MEMORY;
    if (!st) level_rows(&p);
    for (p.level = task->first; p.level <= 0 && !st; p.level++)
        st = solve_level(&p);
    arena_clear(&p.arena);
    return st;
}
