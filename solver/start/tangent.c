/* Ranks of a solved start: a basis of what the equations leave open, then what
 * is left of each condition in it. count.c makes missing and redundant of
 * this. */
#include "start/tangent.h"
#include "linalg/basis.h"
#include "linalg/rrqr.h"
#include "linalg/scale.h"
#include "linalg/thresholds.h"
#include "start/moment.h"
#include <assert.h>
#include <math.h>
#include <string.h>

dae_status slots_list(init_system *s, int32_t **slot_at, size_t *count)
{
    const uint8_t *order = s->request->layout->order;
    int32_t *list = ARENA_ARRAY(&s->arena, int32_t, s->slots);
    *slot_at = list;
    *count = 0;
    if (!list) return DAE_MEMORY;
    for (size_t k = 0; k < s->slots; k++)
        if (k < s->states || order[k - s->states] > 0)
            list[(*count)++] = (int32_t)k;
    return DAE_OK;
}

/* An entry by which no change of its slot as large as the slot itself moves the row
 * beyond its rounding, such as the residual of another equation. */
static bool is_rounding(
    const init_system *s, const entry_range *e, int64_t p, size_t slot)
{
    const double size = fmax(fabs(s->z[slot]), s->scale[slot]);
    return e->kind && e->kind[p] == DAE_ENTRY_VARYING
        && fabs(e->value[p]) * size
        <= s->noise[(size_t)e->row[p] + e->offset];
}

/* Entries of range `which` (0: equations, 1: conditions), by columns. */
static void spread(const tangent *t, const init_system *s, int which,
    size_t rows, double *matrix)
{
    for (size_t j = 0; j < t->columns; j++) {
        entry_range e[2];
        const int count = unknowns_column(s, (size_t)t->slot_at[j], e);
        if (which >= count) continue;
        const entry_range *r = &e[which];
        for (int64_t p = r->begin; p < r->end; p++)
            if (!is_rounding(s, r, p, (size_t)t->slot_at[j]))
                matrix[j * rows + (size_t)r->row[p]] = entry_value(r, p);
    }
}

/* A weak entry that varies may be zero but for the error of the point; one that
 * does not is weak for its unit, unless it is rounding. */
static bool has_say(const entry_range *e, int64_t p, double scaled)
{
    const bool varies = !e->kind || e->kind[p] == DAE_ENTRY_VARYING;
    return fabs(scaled) > (varies ? WEAK_ENTRY : DBL_EPSILON);
}

/* The entries of the equations that have a say in a scaling, into `some`. */
static void take_firm(const tangent *t, const init_system *s,
    const double *matrix, const double *row, const double *column, double *some)
{
    for (size_t j = 0; j < t->columns; j++) {
        entry_range e[2];
        if (!unknowns_column(s, (size_t)t->slot_at[j], e)) continue;
        for (int64_t p = e[0].begin; p < e[0].end; p++) {
            const size_t i = (size_t)e[0].row[p], at = j * t->rows + i;
            const double scaled = matrix[at] * row[i] * column[j];
            if (has_say(&e[0], p, scaled)) some[at] = matrix[at];
        }
    }
}

/* Factors of rows and columns: with is_balanced weak entries come up to what
 * their rows and columns need. */
static dae_status find_scales(tangent *t, init_system *s, const double *matrix,
    bool is_balanced, double *row, double *column)
{
    arena *a = &s->arena;
    const size_t cells = t->rows * t->columns;
    double *firm = ARENA_ARRAY(a, double, cells);
    double *work = ARENA_ARRAY(a, double, t->rows);
    if (!firm || !work) return DAE_MEMORY;
    const matrix_view all = {t->rows, t->columns, NULL, NULL, matrix};
    scale_rows(&all, NULL, row);
    scale_columns(&all, row, column);
    for (size_t j = 0; j < t->columns; j++) t->unit[j] = 1 / column[j];
    if (!is_balanced) return DAE_OK;
    take_firm(t, s, matrix, row, column, firm);
    const matrix_view some = {t->rows, t->columns, NULL, NULL, firm};
    scale_equilibrate(&some, row, column, work);
    return DAE_OK;
}

static dae_status find_free(
    tangent *t, init_system *s, double zero, bool is_balanced)
{
    arena *a = &s->arena;
    dae_status st;
    double *matrix = ARENA_ARRAY(a, double, t->rows * t->columns);
    double *row = ARENA_ARRAY(a, double, t->rows);
    t->column_size = ARENA_ARRAY(a, double, t->columns);
    t->unit = ARENA_ARRAY(a, double, t->columns);
    double *column = ARENA_ARRAY(a, double, t->columns);
    if (!matrix || !row || !column || !t->column_size || !t->unit)
        return DAE_MEMORY;
    spread(t, s, 0, t->rows, matrix);
    if ((st = find_scales(t, s, matrix, is_balanced, row, column))) return st;
    const matrix_view all = {t->rows, t->columns, NULL, NULL, matrix};
    scale_by(&all, row, column, matrix);
    for (size_t j = 0; j < t->columns; j++) {
        assert(column[j] > 0);
        t->column_size[j] = 1 / column[j];
    }
    return rrqr_null_space(
        a, matrix, t->rows, t->columns, zero, &t->free, &t->freedom);
}

static size_t count_given(const tangent *t, const init_system *s)
{
    size_t count = 0;
    for (size_t j = 0; j < t->columns; j++) count += !s->is_free[t->slot_at[j]];
    return count;
}

/* A given value is a row with a 1; what is left of it in the free directions
 * is a row of their basis. */
static size_t take_given(tangent *t, const init_system *s)
{
    size_t at = 0;
    for (size_t j = 0; j < t->columns; j++) {
        if (s->is_free[t->slot_at[j]]) continue;
        for (size_t d = 0; d < t->freedom; d++)
            t->taken[at * t->freedom + d] = t->free[d * t->columns + j];
        at++;
    }
    return at;
}

/* The general conditions in units of the columns, by columns; sizes[i] becomes
 * at least the largest entry of row i. */
static double *general_rows(tangent *t, init_system *s, double *sizes)
{
    const size_t rows = s->rows - s->equations;
    double *matrix = ARENA_ARRAY(&s->arena, double, rows * t->columns);
    if (!matrix) return NULL;
    spread(t, s, 1, rows, matrix);
    for (size_t j = 0; j < t->columns; j++)
        for (size_t c = 0; c < rows; c++) {
            double *entry = &matrix[j * rows + c];
            *entry /= t->column_size[j];
            sizes[c] = fmax(sizes[c], fabs(*entry));
        }
    return matrix;
}

/* So far, as part of the sizes, slots move to see what a row is usually like. */

/* How large the rows of general conditions are a little aside: y^2 = 0 has a row
 * at y = 1e-10, but one of that size. */
static dae_status sizes_aside(tangent *t, init_system *s, double *sizes)
{
    moment here;
    dae_status st = moment_take(&here, s);
    if (st) return st;
    for (size_t k = 0; k < s->slots; k++) {
        const double size = fmax(s->scale[k], fabs(s->z[k]));
        const double by = size * ASIDE * (1 - 0.05 * (double)(k % 11));
        if (!s->is_free[k]) continue;
        s->z[k] += s->z[k] + by <= s->high[k] ? by : -by;
    }
    st = unknowns_residual(s, s->z, s->res);
    if (!st) st = unknowns_jacobian(s);
    if (!st && !general_rows(t, s, sizes)) st = DAE_MEMORY;
    moment_return(&here, s);
    if (st && st != DAE_RETRY) return st;
    return unknowns_jacobian(s);
}

/* The row of a general condition, its largest entry here (or, where what is
 * nearly 0 is to count as that, aside) 1, times the basis. (Columns stay: a row
 * scaled by columns is another one.) */
static dae_status take_general(
    tangent *t, init_system *s, size_t at, bool is_near)
{
    const size_t rows = s->rows - s->equations;
    double *sizes = ARENA_ARRAY(&s->arena, double, rows);
    if (!sizes) return DAE_MEMORY;
    const dae_status st = is_near ? sizes_aside(t, s, sizes) : DAE_OK;
    if (st) return st;
    double *matrix = general_rows(t, s, sizes);
    if (!matrix) return DAE_MEMORY;
    for (size_t j = 0; j < t->columns; j++)
        for (size_t c = 0; c < rows; c++)
            if (sizes[c] > 0) matrix[j * rows + c] /= sizes[c];
    for (size_t c = 0; c < rows; c++) {
        double *taken = t->taken + (at + c) * t->freedom;
        for (size_t d = 0; d < t->freedom; d++)
            for (size_t j = 0; j < t->columns; j++)
                taken[d] += matrix[j * rows + c] * t->free[d * t->columns + j];
    }
    return DAE_OK;
}

dae_status tangent_init(tangent *t, init_system *s, const int32_t *slot_at,
    size_t columns, double zero, bool is_balanced)
{
    size_t cells;
    *t = (tangent){
        .rows = s->equations, .columns = columns, .slot_at = slot_at};
    const dae_status st = find_free(t, s, zero, is_balanced);
    if (st) return st;
    t->conditions = count_given(t, s) + s->rows - s->equations;
    if (!size_mul(t->conditions, t->freedom, &cells)) return DAE_LIMIT;
    t->taken = ARENA_ARRAY(&s->arena, double, cells);
    if (!t->taken) return DAE_MEMORY;
    const size_t given = take_given(t, s);
    assert(t->freedom <= columns && given <= t->conditions);
    return s->c ? take_general(t, s, given, !is_balanced) : DAE_OK;
}

/* Adds those conditions whose mark is `wanted`; marks what is superfluous. */
static dae_status add_marked(const tangent *t, const init_system *s,
    row_basis *b, const uint8_t *first, uint8_t wanted, double zero,
    double *row, uint8_t *mark)
{
    dae_status st = DAE_OK;
    for (size_t c = 0; c < t->conditions && !st; c++) {
        if ((first && first[c]) != (wanted != 0)) continue;
        st = unknowns_interrupt(s);
        memcpy(row, t->taken + c * t->freedom, t->freedom * sizeof *row);
        mark[c] = !row_basis_add(b, row, zero);
    }
    return st;
}

dae_status tangent_redundant(const tangent *t, init_system *s,
    const uint8_t *first, double zero, uint8_t *mark)
{
    row_basis b;
    double *row = ARENA_ARRAY(&s->arena, double, t->freedom);
    if (!row || !row_basis_init(&b, &s->arena, t->freedom, t->freedom))
        return DAE_MEMORY;
    dae_status st = DAE_OK;
    if (first) st = add_marked(t, s, &b, first, 1, zero, row, mark);
    return st ? st : add_marked(t, s, &b, first, 0, zero, row, mark);
}

/* `free` times `inner` (freedom x count). */
static double *combine(
    const tangent *t, arena *a, const double *inner, size_t count)
{
    double *out = ARENA_ARRAY(a, double, t->columns *count);
    for (size_t c = 0; out && c < count; c++)
        for (size_t d = 0; d < t->freedom; d++)
            for (size_t j = 0; j < t->columns; j++)
                out[c * t->columns + j] += inner[c * t->freedom + d]
                    * t->free[d * t->columns + j];
    return out;
}

/* Conditions that are not superfluous are independent: as many as there are
 * directions leave none open. */
static bool is_held(const tangent *t, const uint8_t *mark)
{
    size_t held = 0;
    for (size_t c = 0; c < t->conditions; c++) held += !mark[c];
    return held == t->freedom;
}

dae_status tangent_open(const tangent *t, init_system *s, const uint8_t *mark,
    double zero, double **open, size_t *count)
{
    arena *a = &s->arena;
    if (is_held(t, mark)) {
        *count = 0;
        *open = ARENA_ARRAY(a, double, 0);
        return *open ? DAE_OK : DAE_MEMORY;
    }
    row_basis b;
    double *inner;
    dae_status st = DAE_OK;
    double *row = ARENA_ARRAY(a, double, t->freedom);
    double *held = ARENA_ARRAY(a, double, t->freedom * t->freedom);
    if (!row || !held || !row_basis_init(&b, a, t->freedom, t->freedom))
        return DAE_MEMORY;
    for (size_t c = 0; c < t->conditions; c++) {
        if (mark[c]) continue;
        if ((st = unknowns_interrupt(s))) return st;
        memcpy(row, t->taken + c * t->freedom, t->freedom * sizeof *row);
        (void)row_basis_add(&b, row, zero);
    }
    for (size_t i = 0; i < b.count; i++)
        for (size_t d = 0; d < t->freedom; d++)
            held[d * b.count + i] = b.q[i * t->freedom + d];
    st = rrqr_null_space(
        a, held, b.count, t->freedom, rank_zero(t->freedom), &inner, count);
    if (st) return st;
    *open = combine(t, a, inner, *count);
    return *open ? DAE_OK : DAE_MEMORY;
}
