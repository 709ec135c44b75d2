#include "events/jump.h"
#include "events/sides.h"
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

/* A jump, level by level. */
typedef struct placing {
    least_change of; /* of the level */
    const reduction *r;
    const extended *e;
    const dae_pattern *pattern; /* of e */
    int level;
    int *row_level; /* extended rows */
    uint8_t *is_in; /* the same: of the level */
    jump_task *task;
    dae_stats *stats;
} placing;

/* J and parts of it. */
typedef struct blow {
    const placing *p;
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

/* The column of the derivative of unknown j that the level has; SIZE_MAX: none. */
static size_t level_column(const placing *p, size_t j)
{
    const int order = p->r->orders.highest[j] + p->level;
    return order < 0 ? SIZE_MAX : p->e->column_first[j] + (size_t)order;
}

/* The column of level 0 of an unknown, and what stands in it. */
static size_t top_column(const blow *b, size_t j)
{
    return b->p->e->column_first[j] + (size_t)b->p->r->orders.highest[j];
}

static bool is_top_row(const blow *b, size_t row, size_t *i)
{
    *i = (size_t)b->p->e->row_equation[row];
    return row + 1 == b->p->e->row_first[*i + 1];
}

/* The part without what is given and left out. */
static dae_status factor_blow(blow *b, size_t *size)
{
    const dae_pattern *p = b->p->pattern;
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
            b->values[end++] = b->p->of.jacobian[k];
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
    dae_status st = linear_create(rows, b->start, b->row, DAE_LINEAR_AUTO,
        b->arena.allocator, &b->linear);
    return st ? st : linear_factor(b->linear, b->values);
}

/* An equation for each unknown that is given: the one in which its slope stands, and no
 * constraint of the level. DAE_RETRY: it stands in none, or in several. */
static dae_status leave_out(blow *b)
{
    const dae_pattern *p = b->p->pattern;
    for (size_t j = 0; j < b->n; j++) {
        size_t count = 0, row = 0, i;
        if (!b->is_given[j]) continue;
        const size_t c = top_column(b, j);
        int64_t k = p->column_start[c];
        for (; k < p->column_start[c + 1]; k++) {
            if (!is_top_row(b, (size_t)p->row[k], &i)) continue;
            if (b->p->of.jacobian[k] == 0 || b->is_left_out[i]
                || b->p->r->orders.differentiated[i] + b->p->level >= 0)
                continue;
            count++;
            row = i;
        }
        if (count != 1) return DAE_RETRY;
        b->is_left_out[row] = 1;
    }
    return DAE_OK;
}

static dae_status solve_blow(blow *b)
{
    const placing *p = b->p;
    size_t size = 0, column = 0;
    dae_status st = leave_out(b);
    if (!st) st = factor_blow(b, &size);
    for (size_t i = 0; i < b->n && !st; i++) {
        const int order = p->r->orders.differentiated[i] + p->level;
        const int32_t row = b->number[i];
        if (row < 0) continue;
        b->side[row] = 0;
        if (order >= 0)
            b->side[row] = -p->of.all[p->e->row_first[i] + (size_t)order]
                * b->row_scale[row];
    }
    if (!st && size > 0) st = linear_solve(b->linear, b->side);
    for (size_t k = 0; k < size && !st; k++)
        if (!isfinite(b->side[k])) st = DAE_RETRY;
    for (size_t j = 0; j < b->n && !st; j++) {
        if (b->is_given[j]) continue;
        const double change = b->side[column] * b->column_scale[column];
        const size_t c = level_column(p, j);
        column++;
        if (c != SIZE_MAX) p->task->z[c] += change;
        else if (p->task->blow && p->level == -1) p->task->blow[j] += change;
    }
    return st == DAE_NUMERIC ? DAE_RETRY : st;
}

/* Adds to the columns of a level < 0 what equations that are off ask for, to blows those of
 * what has no derivatives. DAE_RETRY: they do not tell. DAE_MEMORY. */
static dae_status add_blow(const placing *p)
{
    blow b = {.p = p, .n = p->r->layout.unknowns};
    const size_t entries = (size_t)p->pattern->column_start[p->e->columns];
    arena *a = &b.arena;
    arena_init(a, p->r->allocator, 0);
    const bool has_all = TAKE(a, b.is_given, b.n) && TAKE(a, b.is_left_out, b.n)
        && TAKE(a, b.row_scale, b.n) && TAKE(a, b.column_scale, b.n)
        && TAKE(a, b.start, b.n) && TAKE(a, b.row, entries)
        && TAKE(a, b.number, b.n) && TAKE(a, b.values, entries)
        && TAKE(a, b.side, b.n);
    for (size_t j = 0; j < b.n && has_all; j++) {
        const size_t c = level_column(p, j);
        b.is_given[j] = c != SIZE_MAX && p->task->is_held[c];
    }
    const dae_status st = has_all ? solve_blow(&b) : DAE_MEMORY;
    linear_free(b.linear);
    arena_clear(a);
    return st;
}

/* ---- level by level ---------------------------------------------------------------- */

static int column_level(const reduction *r, size_t column)
{
    const size_t j = (size_t)r->extended->column_unknown[column];
    return (int)(column - r->extended->column_first[j]) - r->orders.highest[j];
}

/* The lowest level there is. */
static int lowest_level(const reduction *r)
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
    const int64_t *start = p->pattern->column_start;
    const int lowest = lowest_level(p->r);
    for (size_t k = 0; k < e->rows; k++)
        p->row_level[k] = p->r->is_by_numbers
            ? lowest
            : (int)k + 1 - (int)e->row_first[e->row_equation[k] + 1];
    for (size_t c = 0; c < e->columns && p->r->is_by_numbers; c++)
        for (int64_t k = start[c]; k < start[c + 1]; k++) {
            int *level = &p->row_level[p->pattern->row[k]];
            if (column_level(p->r, c) > *level) *level = column_level(p->r, c);
        }
}

/* What is not held of the level's columns may change. */
static dae_status factor(placing *p)
{
    least_change *of = &p->of;
    const double *z = p->task->z;
    dae_status st = least_change_differentiate(of, p->task->t, z);
    if (st) return st;
    for (size_t c = 0; c < p->e->columns; c++) {
        const bool is_open = column_level(p->r, c) == p->level
            && !p->task->is_held[c];
        const double size = p->r->size[p->e->column_unknown[c]];
        of->scale[c] = is_open ? size : 0;
        /* at a tight tolerance that part of it is below rounding */
        of->tolerance[c] = fmax(p->r->rtol * fabs(z[c]) + p->r->atol * size,
            UNITS_OFF * DBL_EPSILON / PART_GONE * fabs(z[c]));
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
        dae_status st = least_change_evaluate(of, p->task->t, p->task->z);
        if (!st) st = factor(p);
        if (st) return st;
        const double off = least_change_violation(of, &p->task->row);
        if (off <= PART_GONE) return DAE_OK;
        if (m > 3 && off > HALVED * before) return DAE_INCONSISTENT;
        before = off;
        st = is_shared ? add_blow(p) : least_change_solve(of);
        if (st) return st;
        for (size_t c = 0; c < of->slots && !is_shared; c++)
            p->task->z[c] += of->change[c];
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
        of->scale[c] *= 2 * threshold_share(&seed);
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
    jump_task *task = p->task;
    dae_status st = DAE_RETRY;
    const size_t size = p->e->columns * sizeof *task->z;
    if (p->level == 0) return approach(p, false);
    memcpy(task->z_level, task->z, size);
    if (!p->r->is_by_numbers) st = approach(p, true);
    if (st != DAE_RETRY && st != DAE_INCONSISTENT) return st;
    memcpy(task->z, task->z_level, size);
    if (task->blow) memset(task->blow, 0, p->e->unknowns * sizeof *task->blow);
    task->is_least = true;
    return approach(p, false);
}

/* The rows of a level in all columns. */
static dae_status solve_level(placing *p)
{
    for (size_t i = 0; i < p->e->rows; i++)
        p->is_in[i] = p->row_level[i] == p->level;
    dae_status st = least_change_init(&p->of, p->e, p->is_in, NULL,
        p->e->columns, p->stats, &p->task->memory);
    if (!st && p->of.rows > 0) st = share(p);
    if (!st && p->of.rows > 0 && p->level < 0) st = find_open(p);
    least_change_clear(&p->of);
    return st;
}

dae_status jump_begin(jump_task *task, const reduction *r, double t)
{
    const size_t columns = r->extended->columns;
    arena *a = &task->memory;
    *task = (jump_task){.of = r, .t = t};
    arena_init(a, r->allocator, 0);
    return TAKE(a, task->is_held, columns) && TAKE(a, task->z, columns)
            && TAKE(a, task->before, columns) && TAKE(a, task->z_level, columns)
            && TAKE(a, task->is_open, columns)
        ? DAE_OK
        : DAE_MEMORY;
}

void jump_end(jump_task *task)
{
    arena_clear(&task->memory);
}

dae_status jump_solve(jump_task *task, dae_stats *stats)
{
    const extended *e = task->of->extended;
    placing p = {.r = task->of,
        .e = e,
        .pattern = e->problem.pattern,
        .task = task,
        .stats = stats};
    memcpy(task->before, task->z, e->columns * sizeof *task->z);
    if (!TAKE(&task->memory, p.row_level, e->rows)
        || !TAKE(&task->memory, p.is_in, e->rows))
        return DAE_MEMORY;
    dae_status st = DAE_OK;
    level_rows(&p);
    p.level = task->are_open ? lowest_level(p.r) : 0;
    for (; p.level <= 0 && !st; p.level++) st = solve_level(&p);
    return st;
}
