#include "events/impulse.h"
#include "linalg/linear.h"
#include "linalg/scale.h"
#include <math.h>
#include <string.h>

/* J and parts of it. */
typedef struct blow_part {
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
} blow_part;

/* The column of level 0 of an unknown, and what stands in it. */
static size_t top_column(const blow_part *b, size_t j)
{
    return b->e->column_first[j] + (size_t)b->r->highest[j];
}

static bool is_top_row(const blow_part *b, size_t row, size_t *i)
{
    *i = (size_t)b->e->row_equation[row];
    return row + 1 == b->e->row_first[*i + 1];
}

static const dae_pattern *pattern_of(const blow_part *b)
{
    return b->e->problem.pattern;
}

static bool take(blow_part *b)
{
    arena *a = &b->arena;
    const dae_pattern *p = pattern_of(b);
    const size_t entries = (size_t)p->column_start[b->e->columns];
    b->is_given = ARENA_ARRAY(a, uint8_t, b->n + 1);
    b->is_left_out = ARENA_ARRAY(a, uint8_t, b->n + 1);
    b->row_scale = ARENA_ARRAY(a, double, b->n + 1);
    b->column_scale = ARENA_ARRAY(a, double, b->n + 1);
    b->start = ARENA_ARRAY(a, int64_t, b->n + 1);
    b->row = ARENA_ARRAY(a, int32_t, entries + 1);
    b->number = ARENA_ARRAY(a, int32_t, b->n + 1);
    b->values = ARENA_ARRAY(a, double, entries + 1);
    b->side = ARENA_ARRAY(a, double, b->n + 1);
    return b->is_given && b->is_left_out && b->row_scale && b->column_scale
        && b->start && b->row && b->number && b->values && b->side;
}

/* A constraint at this level: its derivative of the order c + level is one. */
static bool is_constraint(const blow_part *b, size_t i)
{
    return b->r->differentiated[i] + b->level >= 0;
}

static void mark_given(blow_part *b, const uint8_t *is_held)
{
    for (size_t j = 0; j < b->n; j++) {
        const int order = b->r->highest[j] + b->level;
        b->is_given[j] = order >= 0
            && is_held[b->e->column_first[j] + (size_t)order];
    }
}

/* The part without what is given and left out. */
static dae_status factor(blow_part *b, size_t *size)
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

static size_t count_candidates(const blow_part *b, size_t j, size_t *only)
{
    const dae_pattern *p = pattern_of(b);
    const size_t c = top_column(b, j);
    size_t count = 0, i;
    int64_t k = p->column_start[c];
    for (; k < p->column_start[c + 1]; k++) {
        if (!is_top_row(b, (size_t)p->row[k], &i)) continue;
        if (b->entries[k] == 0 || b->is_left_out[i] || is_constraint(b, i))
            continue;
        *only = i;
        count++;
    }
    return count;
}

/* The entry of J by that of its inverse: of no unit, and of a symmetric positive
 * matrix the greatest on the diagonal. J whole is factorized. */
static dae_status weigh(
    blow_part *b, size_t j, size_t i, double entry, double *gain)
{
    memset(b->side, 0, b->n * sizeof *b->side);
    b->side[i] = 1;
    const dae_status st = linear_solve(b->linear, b->side);
    *gain = b->side[j] * entry * b->row_scale[i] * b->column_scale[j];
    return st == DAE_NUMERIC ? DAE_RETRY : st;
}

static dae_status choose(blow_part *b, size_t j, size_t *chosen)
{
    const dae_pattern *p = pattern_of(b);
    const size_t c = top_column(b, j);
    double most = -HUGE_VAL, gain = 0;
    dae_status st = DAE_OK;
    size_t i;
    int64_t k = p->column_start[c];
    for (; k < p->column_start[c + 1] && !st; k++) {
        if (!is_top_row(b, (size_t)p->row[k], &i)) continue;
        if (b->entries[k] == 0 || b->is_left_out[i] || is_constraint(b, i))
            continue;
        st = weigh(b, j, i, b->entries[k], &gain);
        if (!st && gain > most) most = gain, *chosen = i;
    }
    return st;
}

/* An equation for each that is given. */
static dae_status leave_out(blow_part *b)
{
    uint8_t *given = b->is_given;
    uint8_t *none = ARENA_ARRAY(&b->arena, uint8_t, b->n + 1);
    size_t row = 0, size;
    bool is_factored = false;
    dae_status st = DAE_OK;
    if (!none) return DAE_MEMORY;
    for (size_t j = 0; j < b->n && !st; j++) {
        if (!given[j]) continue;
        const size_t count = count_candidates(b, j, &row);
        if (count == 0) return DAE_RETRY;
        if (count > 1 && !is_factored) {
            uint8_t *left_out = b->is_left_out;
            b->is_given = b->is_left_out = none;
            st = factor(b, &size);
            b->is_given = given;
            b->is_left_out = left_out;
            is_factored = true;
        }
        if (!st && count > 1) st = choose(b, j, &row);
        b->is_left_out[row] = 1;
    }
    return st;
}

/* ---- the jump ------------------------------------------------------------------ */

static void put_sides(blow_part *b, const double *residual)
{
    for (size_t i = 0; i < b->n; i++) {
        if (b->number[i] < 0) continue;
        const int order = b->r->differentiated[i] + b->level;
        const double off = order < 0
            ? 0
            : residual[b->e->row_first[i] + (size_t)order];
        b->side[b->number[i]] = -off * b->row_scale[b->number[i]];
    }
}

static void add(const blow_part *b, double *z, double *blow)
{
    size_t column = 0;
    for (size_t j = 0; j < b->n; j++) {
        if (b->is_given[j]) continue;
        const double change = b->side[column] * b->column_scale[column];
        column++;
        const int order = b->r->highest[j] + b->level;
        if (order >= 0) z[b->e->column_first[j] + (size_t)order] += change;
        else if (blow && b->level == -1) blow[j] += change;
    }
}

static dae_status solve(
    blow_part *b, const double *residual, double *z, double *blow)
{
    size_t size;
    dae_status st = leave_out(b);
    if (!st) st = factor(b, &size);
    if (st) return st;
    put_sides(b, residual);
    if (size > 0) st = linear_solve(b->linear, b->side);
    if (st) return st == DAE_NUMERIC ? DAE_RETRY : st;
    for (size_t k = 0; k < size; k++)
        if (!isfinite(b->side[k])) return DAE_RETRY;
    add(b, z, blow);
    return DAE_OK;
}

dae_status impulse_add(const reduction *r, const double *entries,
    const double *residual, int level, const uint8_t *is_held, double *z,
    double *blow)
{
    blow_part b = {.r = r,
        .e = r->extended,
        .entries = entries,
        .level = level,
        .n = r->layout.unknowns};
    arena_init(&b.arena, r->allocator, 0);
    dae_status st = take(&b) ? DAE_OK : DAE_MEMORY;
    if (!st) {
        mark_given(&b, is_held);
        st = solve(&b, residual, z, blow);
    }
    linear_free(b.linear);
    arena_clear(&b.arena);
    return st;
}
