/* The certificate of a start: missing and redundant conditions. None if the solution
 * is regular; else they are counted by the null directions of the Jacobian at the
 * point or, in a run or if that takes too much work, by its ranks alone. A null
 * direction may be determined at nearby points, or by terms of second order: then no
 * condition is missing, but the start is singular. */
#include "base/splitmix.h"
#include "linalg/naming.h"
#include "linalg/rank_revealing_qr.h"
#include "linalg/thresholds.h"
#include "linalg/wide_matrix.h"
#include "start/block_order.h"
#include "start/record_findings.h"
#include "start/snapshot.h"
#include "start/stages.h"
#include "start/tolerance.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- the tangent ------------------------------------------------------------------ */

/* Entries count in units in which the largest of each row and column is 1:
 * slot j moves by 1 / column_size[j]. */
typedef struct tangent {
    size_t rows, columns, freedom;
    const int32_t *slot_at; /* columns: slots that exist, borrowed */
    double *column_size;
    double *unit; /* columns: the same without balance, to measure steps by */
    double *free; /* columns x freedom: orthonormal, by columns */
    /* freedom x conditions, by columns: the change of condition c along the
     * columns of `free`. Given values by slot, then general conditions. */
    double *taken;
    size_t conditions;
    uint8_t *is_exact; /* conditions: their rows are known to rounding, */
    double exact_zero; /* of which this is 0; NULL: none */
} tangent;

/* Slots that exist: not the derivatives of algebraic unknowns. */
static dae_status slots_list(init_system *s, int32_t **slot_at, size_t *count)
{
    const uint8_t *orders = s->request->layout->order;
    int32_t *list = ARENA_ARRAY(&s->arena, int32_t, s->slots);
    *slot_at = list;
    *count = 0;
    if (!list) return DAE_MEMORY;
    for (size_t k = 0; k < s->slots; k++)
        if (k < s->states || orders[k - s->states] > 0)
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
        && fabs(e->value[p]) * size <= s->noise[(size_t)e->row[p] + e->offset];
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

/* Whether an entry takes part in the scaling. A small entry that varies may be
 * 0 but for the error of the point; a constant one is small because of its
 * unit, unless it is rounding error. */
static bool takes_part(const entry_range *e, int64_t p, double scaled)
{
    const bool varies = !e->kind || e->kind[p] == DAE_ENTRY_VARYING;
    return fabs(scaled) > (varies ? HALF_DIGITS : DBL_EPSILON);
}

/* Copies the equations' entries that take part in a scaling to `some`. */
static void take_scaled(const tangent *t, const init_system *s,
    const double *matrix, const double *row, const double *column, double *some)
{
    for (size_t j = 0; j < t->columns; j++) {
        entry_range e[2];
        if (!unknowns_column(s, (size_t)t->slot_at[j], e)) continue;
        for (int64_t p = e[0].begin; p < e[0].end; p++) {
            const size_t i = (size_t)e[0].row[p], at = j * t->rows + i;
            const double scaled = matrix[at] * row[i] * column[j];
            if (takes_part(&e[0], p, scaled)) some[at] = matrix[at];
        }
    }
}

/* Factors of rows and columns; with is_balanced they equilibrate the entries that
 * take part in the scaling, so that weak ones are raised. */
static dae_status find_scales(tangent *t, init_system *s, const double *matrix,
    bool is_balanced, double *row, double *column)
{
    arena *a = &s->arena;
    const size_t cells = t->rows * t->columns;
    double *kept = ARENA_ARRAY(a, double, cells);
    double *work = ARENA_ARRAY(a, double, t->rows);
    if (!kept || !work) return DAE_MEMORY;
    const matrix_view all = {t->rows, t->columns, NULL, NULL, matrix};
    scale_rows(&all, NULL, row);
    scale_columns(&all, row, column);
    for (size_t j = 0; j < t->columns; j++) t->unit[j] = 1 / column[j];
    if (!is_balanced) return DAE_OK;
    take_scaled(t, s, matrix, row, column, kept);
    const matrix_view some = {t->rows, t->columns, NULL, NULL, kept};
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

/* A given value is a unit row; its product with the basis of the free
 * directions is a row of that basis. */
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

/* The sizes of the rows of general conditions at nearby points: at y = 1e-10
 * the row of y^2 = 0 is not 0, but small against its size nearby. */
static dae_status sizes_aside(tangent *t, init_system *s, double *sizes)
{
    snapshot here;
    dae_status st = snapshot_take(&here, s);
    if (st) return st;
    for (size_t k = 0; k < s->slots; k++) {
        const double size = fmax(s->scale[k], fabs(s->z[k]));
        const double by = step_aside_of(size, k);
        if (!s->is_free[k]) continue;
        s->z[k] += s->z[k] + by <= unknowns_high(s, k) ? by : -by;
    }
    st = unknowns_evaluate(s);
    if (!st && !general_rows(t, s, sizes)) st = DAE_MEMORY;
    const dae_status back = snapshot_return(&here, s);
    return st && st != DAE_RETRY ? st : back;
}

/* The row of a general condition times the basis, scaled so that its largest
 * entry here (with `is_near`: here or nearby) is 1. Columns are not scaled, as
 * that would change the row's direction. */
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

/* At the last Jacobian. Pivots below `zero` count as zero; `is_balanced`: with
 * equilibrated scaling (linalg/scale.h); else a condition's row is measured
 * against its size at nearby points. */
static dae_status tangent_init(tangent *t, init_system *s,
    const int32_t *slot_at, size_t columns, double zero, bool is_balanced)
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

static double length_of(const double *row, size_t width)
{
    double sum = 0;
    for (size_t k = 0; k < width; k++) sum += row[k] * row[k];
    return sqrt(sum);
}

/* A smaller rest of condition c is 0. */
static double zero_of_condition(const tangent *t, size_t c, double zero)
{
    return t->is_exact && t->is_exact[c] ? fmin(zero, t->exact_zero) : zero;
}

/* Adds the conditions whose flag in `first` is `wanted`; marks the redundant ones.
 * *left: the largest rest of a redundant one that is independent of the others. */
static dae_status add_marked(const tangent *t, const init_system *s,
    row_basis *b, const uint8_t *first, uint8_t wanted, double zero,
    double *row, uint8_t *mark, double *left)
{
    dae_status st = DAE_OK;
    for (size_t c = 0; c < t->conditions && !st; c++) {
        if ((first && first[c]) != (wanted != 0)) continue;
        st = unknowns_interrupt(s);
        memcpy(row, t->taken + c * t->freedom, t->freedom * sizeof *row);
        mark[c] = !row_basis_add(b, row, zero_of_condition(t, c, zero));
        if (mark[c]) *left = fmax(*left, length_of(row, t->freedom));
    }
    return st;
}

/* mark[c] := 1 for conditions that depend on those before them, up to a rest of
 * *left. Those with first[c] != 0 (NULL: none) come before all others. */
static dae_status tangent_redundant(const tangent *t, init_system *s,
    const uint8_t *first, double zero, uint8_t *mark, double *left)
{
    row_basis b;
    double *row = ARENA_ARRAY(&s->arena, double, t->freedom);
    if (!row || !row_basis_init(&b, &s->arena, t->freedom, t->freedom))
        return DAE_MEMORY;
    dae_status st = DAE_OK;
    *left = 0;
    if (first) st = add_marked(t, s, &b, first, 1, zero, row, mark, left);
    return st ? st : add_marked(t, s, &b, first, 0, zero, row, mark, left);
}

/* Directions (columns x width) times `parts` (width x count), by columns. */
static double *combine(arena *a, const double *directions, size_t columns,
    size_t width, const double *parts, size_t count)
{
    double *out = ARENA_ARRAY(a, double, columns *count);
    for (size_t c = 0; out && c < count; c++)
        for (size_t d = 0; d < width; d++)
            for (size_t j = 0; j < columns; j++)
                out[c * columns + j] += parts[c * width + d]
                    * directions[d * columns + j];
    return out;
}

/* The combinations of the directions (columns x the basis' width) orthogonal to
 * the basis: columns x *count, orthonormal if the directions are. */
static dae_status leave_out(arena *a, const double *directions, size_t columns,
    const row_basis *b, double **out, size_t *count)
{
    double *parts, *rows = ARENA_ARRAY(a, double, b->count * b->width);
    if (!rows) return DAE_MEMORY;
    *count = 0;
    *out = rows;
    if (b->count == b->width) return DAE_OK; /* none is left */
    for (size_t i = 0; i < b->count; i++)
        for (size_t d = 0; d < b->width; d++)
            rows[d * b->count + i] = b->q[i * b->width + d];
    const dae_status st = rrqr_null_space(
        a, rows, b->count, b->width, rank_zero(b->width), &parts, count);
    if (st) return st;
    *out = combine(a, directions, columns, b->width, parts, *count);
    return *out ? DAE_OK : DAE_MEMORY;
}

/* The directions that stay open when the conditions with mark[c] == 0 hold as
 * well: columns x *count, orthonormal, by columns. */
static dae_status tangent_open(const tangent *t, init_system *s,
    const uint8_t *mark, double zero, double **open, size_t *count)
{
    arena *a = &s->arena;
    row_basis b;
    double *row = ARENA_ARRAY(a, double, t->freedom);
    if (!row || !row_basis_init(&b, a, t->freedom, t->freedom))
        return DAE_MEMORY;
    for (size_t c = 0; c < t->conditions; c++) {
        if (mark[c]) continue;
        const dae_status st = unknowns_interrupt(s);
        if (st) return st;
        memcpy(row, t->taken + c * t->freedom, t->freedom * sizeof *row);
        (void)row_basis_add(&b, row, zero_of_condition(t, c, zero));
    }
    return leave_out(a, t->free, t->columns, &b, open, count);
}

/* ---- another solution ------------------------------------------------------------- */

enum { SHORTER = 3 };

/* A number in [-1, 1) for each k, the same in every run. */
static double number_of(size_t k)
{
    return splitmix_unit(splitmix(k * UINT64_C(0x9E3779B97F4A7C15)));
}

/* The unit of a movement of each column's slot: its size, but at least ASIDE
 * times the size that balances the largest slot in the scaled rows. */
static void nearby_sizes(const init_system *s, const tangent *t, double *size)
{
    double most = 0;
    for (size_t j = 0; j < t->columns; j++)
        most = fmax(most, s->scale[t->slot_at[j]] * t->unit[j]);
    for (size_t j = 0; j < t->columns; j++)
        size[j] = fmax(s->scale[t->slot_at[j]], ASIDE * most / t->unit[j]);
}

/* Converts v (columns) from the tangent's units to those of the slots, the
 * largest element being 1 in units of `size`. */
static void stretch(const tangent *t, const double *size, double *v)
{
    double most = 0;
    for (size_t j = 0; j < t->columns; j++) {
        v[j] /= t->column_size[j];
        most = fmax(most, fabs(v[j]) / size[j]);
    }
    for (size_t j = 0; j < t->columns && most > 0; j++) v[j] /= most;
}

static void step_along(init_system *s, const tangent *t, const double *from,
    const double *v, double by)
{
    for (size_t j = 0; j < t->columns; j++) {
        const size_t k = (size_t)t->slot_at[j];
        s->z[k] = unknowns_inside(s, k, from[k] + by * v[j]);
    }
}

static dae_status solve_equations(
    init_system *s, const tangent *t, bool *is_moved)
{
    gauss_newton_result result;
    subset all = {.rows = ARENA_ARRAY(&s->arena, int32_t, s->equations),
        .slots = ARENA_ARRAY(&s->arena, int32_t, t->columns),
        .row_count = s->equations,
        .slot_count = t->columns};
    if (!all.rows || !all.slots) return DAE_MEMORY;
    memcpy(all.slots, t->slot_at, t->columns * sizeof *all.slots);
    for (size_t i = 0; i < s->equations; i++) all.rows[i] = (int32_t)i;
    memcpy(s->guess, s->z, s->slots * sizeof *s->guess);
    dae_status st = unknowns_residual(s, s->z, s->res);
    if (!st) st = gauss_newton_solve(s, &all, &result);
    if (st || result.end != GAUSS_NEWTON_SOLVED) return st;
    st = unknowns_evaluate(s);
    *is_moved = !st;
    return st;
}

/* Moves s->z to another solution of the equations (given values move, too), a
 * hundredth of the slots' sizes away, with s->res and Jacobian; *is_moved: one
 * was found. */
static dae_status go_aside(
    init_system *s, const tangent *t, const double *from, bool *is_moved)
{
    arena *a = &s->arena;
    dae_status st = DAE_OK;
    double *v = ARENA_ARRAY(a, double, t->columns);
    double *size = ARENA_ARRAY(a, double, t->columns);
    *is_moved = false;
    if (!v || !size) return DAE_MEMORY;
    assert(t->freedom > 0);
    for (size_t d = 0; d < t->freedom; d++)
        for (size_t j = 0; j < t->columns; j++)
            v[j] += number_of(d) * t->free[d * t->columns + j];
    nearby_sizes(s, t, size);
    stretch(t, size, v);
    double by = ASIDE;
    for (int k = 0; k < SHORTER && !*is_moved; k++, by /= 10) {
        step_along(s, t, from, v, by);
        st = solve_equations(s, t, is_moved);
        if (st && st != DAE_RETRY) return st;
    }
    return DAE_OK;
}

/* ---- one view ---------------------------------------------------------------------- */

/* Redundant conditions and open directions at a point, for given thresholds. */
typedef struct view {
    double rank_zero, part_zero;
    double row_zero; /* a condition with a smaller rest is redundant */
    bool is_balanced;
    tangent t;
    uint8_t *is_redundant; /* conditions */
    double left;           /* the largest rest of a redundant one, taken as 0 */
    double *open;          /* columns x directions */
    size_t directions;
    bool *is_open; /* columns: moved by `open` */
} view;

typedef struct tally {
    init_system *s;
    init_findings *out;
    int32_t *slot_at; /* columns: slots that exist */
    size_t columns;
    uint8_t *is_inner; /* columns */
    uint8_t *choice;   /* columns: may_be_given */
    uint8_t *varies;   /* columns: an entry varies in a row connected with it */
    view here;
    size_t missing;
} tally;

static bool is_feasible(size_t rows, size_t columns)
{
    const double r = (double)rows, c = (double)columns;
    return r * c * fmin(r, c) <= WORK_OF_SECOND
        && c * c * c <= 4 * WORK_OF_SECOND;
}

static int order_of(const init_system *s, size_t slot)
{
    int own_order;
    const uint8_t *own = s->request->stands_for;
    if (own && slot < s->states) return own[slot];
    (void)naming_unknown(s->request->layout, slot, &own_order);
    return own_order;
}

static dae_status fill_masks(tally *y)
{
    init_system *s = y->s;
    const init_request *r = s->request;
    y->is_inner = ARENA_ARRAY(&s->arena, uint8_t, y->columns);
    y->choice = ARENA_ARRAY(&s->arena, uint8_t, y->columns);
    if (!y->is_inner || !y->choice) return DAE_MEMORY;
    for (size_t j = 0; j < y->columns; j++) {
        const size_t k = (size_t)y->slot_at[j];
        y->is_inner[j] = r->is_inner ? r->is_inner[k] != 0 : k >= s->states;
        if (r->may_be_given) y->choice[j] = r->may_be_given[k];
        else if (!y->is_inner[j])
            y->choice[j] = (uint8_t)(1 + order_of(s, k) % UINT8_MAX);
        if (!s->is_free[k]) y->choice[j] = 0;
    }
    return DAE_OK;
}

/* How far column j's slot moves in the directions. */
static double movement(
    const double *open, size_t columns, size_t directions, size_t j)
{
    double sum = 0;
    for (size_t d = 0; d < directions; d++)
        sum += open[d * columns + j] * open[d * columns + j];
    return sqrt(sum);
}

static void mark_moved(const tally *y, const double *open, size_t directions,
    double zero, bool *is_moved)
{
    for (size_t j = 0; j < y->columns; j++)
        is_moved[j] = movement(open, y->columns, directions, j) > zero;
}

/* The combinations of directions that move inner slots only: columns x *count. */
static dae_status find_inner(const tally *y, const double *open,
    size_t directions, double zero, double **inner, size_t *count)
{
    arena *a = &y->s->arena;
    const size_t columns = y->columns;
    double *parts;
    double *outer = ARENA_ARRAY(a, double, columns *directions);
    if (!outer) return DAE_MEMORY;
    for (size_t j = 0; j < columns; j++) {
        if (y->is_inner[j]) continue;
        if (movement(open, columns, directions, j) <= zero) continue;
        for (size_t d = 0; d < directions; d++)
            outer[d * columns + j] = open[d * columns + j];
    }
    const dae_status st = rrqr_null_space(
        a, outer, columns, directions, zero, &parts, count);
    if (st) return st;
    *inner = combine(a, open, columns, directions, parts, *count);
    return *inner ? DAE_OK : DAE_MEMORY;
}

/* Marks a slot's column and rows if an entry or one of the rows varies; whether a row is
 * new. */
static bool spread_varying(
    const init_system *s, size_t slot, uint8_t *row, uint8_t *varies)
{
    entry_range e[2];
    bool is_more = false;
    const int count = unknowns_column(s, slot, e);
    for (int q = 0; q < count; q++)
        for (int64_t p = e[q].begin; p < e[q].end; p++)
            if (row[(size_t)e[q].row[p] + e[q].offset] || !e[q].kind
                || e[q].kind[p] == DAE_ENTRY_VARYING)
                *varies = 1;
    for (int q = 0; q < count && *varies; q++)
        for (int64_t p = e[q].begin; p < e[q].end; p++) {
            uint8_t *own = &row[(size_t)e[q].row[p] + e[q].offset];
            is_more = is_more || !*own;
            *own = 1;
        }
    return is_more;
}

/* Columns of the uncoupled parts in which an entry varies: what is independent in the
 * others does not depend on values. */
static dae_status find_varying(tally *y)
{
    uint8_t *row = ARENA_ARRAY(&y->s->arena, uint8_t, y->s->rows);
    y->varies = ARENA_ARRAY(&y->s->arena, uint8_t, y->columns);
    if (!row || !y->varies) return DAE_MEMORY;
    for (bool is_more = true; is_more;) {
        is_more = false;
        for (size_t j = 0; j < y->columns; j++)
            if (spread_varying(y->s, (size_t)y->slot_at[j], row, &y->varies[j]))
                is_more = true;
    }
    return DAE_OK;
}

/* Conditions whose rows are known to rounding, as all entries of their part are
 * constant. Given values are the first. */
static dae_status mark_exact(const tally *y, tangent *t)
{
    init_system *s = y->s;
    t->is_exact = ARENA_ARRAY(&s->arena, uint8_t, t->conditions);
    t->exact_zero = TWO_DIGITS * s->fuzz;
    if (!t->is_exact) return DAE_MEMORY;
    size_t given = 0;
    for (size_t j = 0; j < y->columns; j++)
        if (!s->is_free[y->slot_at[j]])
            t->is_exact[given++] = (uint8_t)!y->varies[j];
    memset(t->is_exact + given, 1, t->conditions - given);
    for (size_t j = 0; j < y->columns; j++) {
        entry_range e[2];
        const int count = unknowns_column(s, (size_t)y->slot_at[j], e);
        if (count < 2 || !y->varies[j]) continue;
        for (int64_t p = e[1].begin; p < e[1].end; p++)
            t->is_exact[given + (size_t)e[1].row[p]] = 0;
    }
    return DAE_OK;
}

/* At the last Jacobian. Conditions with first[c] != 0 (NULL: none) come before
 * the others. */
static dae_status view_init(view *v, tally *y, double rank_zero,
    double part_zero, double row_zero, bool is_balanced, const uint8_t *first)
{
    init_system *s = y->s;
    *v = (view){.rank_zero = fmax(rank_zero, s->fuzz),
        .part_zero = fmax(part_zero, TWO_DIGITS * s->fuzz),
        .row_zero = fmax(row_zero, TWO_DIGITS * s->fuzz),
        .is_balanced = is_balanced};
    dae_status st = tangent_init(
        &v->t, s, y->slot_at, y->columns, v->rank_zero, is_balanced);
    if (st) return st;
    v->is_redundant = ARENA_ARRAY(&s->arena, uint8_t, v->t.conditions);
    v->is_open = ARENA_ARRAY(&s->arena, bool, y->columns);
    if (!v->is_redundant || !v->is_open) return DAE_MEMORY;
    assert(v->t.columns == y->columns && v->t.freedom <= y->columns);
    if ((st = mark_exact(y, &v->t))) return st;
    if ((st = tangent_redundant(
             &v->t, s, first, v->row_zero, v->is_redundant, &v->left)))
        return st;
    if ((st = tangent_open(
             &v->t, s, v->is_redundant, v->row_zero, &v->open, &v->directions)))
        return st;
    assert(v->directions <= v->t.freedom);
    mark_moved(y, v->open, v->directions, v->part_zero, v->is_open);
    return DAE_OK;
}

/* ---- slots one after the other --------------------------------------------------- */

/* The slot of the next condition: among those of the best choice the first that
 * moves nearly as much as the largest. `rows`: the movements of the slots in the
 * remaining directions. `columns`: none moves. */
static size_t choose_next(
    const tally *y, const uint8_t *choices, const double *rows)
{
    const size_t width = y->here.directions;
    size_t best = y->columns;
    double most = 0;
    uint8_t choice = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t j = 0; j < y->columns; j++) {
            if (choices[j] == 0) continue;
            const double size = length_of(rows + j * width, width);
            if (!(size > y->here.part_zero)) continue;
            if (pass == 0) {
                const bool is_better = choice == 0 || choices[j] < choice;
                if (is_better || (choices[j] == choice && size > most))
                    most = size;
                if (is_better) choice = choices[j];
            } else if (choices[j] == choice && size >= DIGIT * most) {
                return j;
            }
        }
    }
    return best;
}

/* Slots as rows of the directions. */
static double *make_rows(const tally *y)
{
    double *rows = ARENA_ARRAY(
        &y->s->arena, double, y->columns * y->here.directions);
    for (size_t j = 0; rows && j < y->columns; j++)
        for (size_t d = 0; d < y->here.directions; d++)
            rows[j * y->here.directions + d] = y->here.open[d * y->columns + j];
    return rows;
}

/* Projects all rows onto the complement of the direction in which slot j moves. */
static void hold(const tally *y, row_basis *b, double *rows, size_t j)
{
    const size_t width = y->here.directions;
    if (!row_basis_add(b, rows + j * width, 0)) return;
    const double *q = b->q + (b->count - 1) * width;
    for (size_t i = 0; i < y->columns; i++) {
        double *row = rows + i * width, by = 0;
        for (size_t k = 0; k < width; k++) by += q[k] * row[k];
        for (size_t k = 0; k < width; k++) row[k] -= by * q[k];
    }
}

/* ---- at a nearby point --------------------------------------------------------- */

/* The view of a nearby solution, where the equations may be regular. */
typedef struct aside {
    bool is_known;
    view v;
    size_t missing;
} aside;

static dae_status look_aside(tally *y, const view *here, aside *to)
{
    init_system *s = y->s;
    /* rests of conditions at rounding level at a double root grow with the distance */
    const double zero = fmax(HALF_DIGITS, 2 * here->left);
    snapshot began;
    double *inner;
    size_t inner_count;
    const size_t conditions = here->t.conditions;
    uint8_t *first = ARENA_ARRAY(&s->arena, uint8_t, conditions);
    double *guess = ARENA_ARRAY(&s->arena, double, s->slots);
    if (!first || !guess || snapshot_take(&began, s)) return DAE_MEMORY;
    memcpy(guess, s->guess, s->slots * sizeof *guess);
    for (size_t c = 0; c < conditions; c++) first[c] = !here->is_redundant[c];
    dae_status st = go_aside(s, &here->t, began.z, &to->is_known);
    if (st) return st;
    if (to->is_known) {
        st = view_init(&to->v, y, here->rank_zero, here->part_zero,
            fmin(here->row_zero, zero), here->is_balanced, first);
        if (!st)
            st = find_inner(y, to->v.open, to->v.directions, here->part_zero,
                &inner, &inner_count);
        if (!st) to->missing = to->v.directions - inner_count;
    }
    memcpy(s->guess, guess, s->slots * sizeof *guess);
    const dae_status back = snapshot_return(&began, s);
    return st ? st : back;
}

/* Are the residuals at rounding, or at most twice those in `res`? */
static bool holds_as(const init_system *s, const double *res)
{
    for (size_t i = 0; i < s->rows; i++)
        if (!(fabs(s->res[i])
                <= fmax(2 * fabs(res[i]), ROUNDING_OF_SUMS * s->noise[i])))
            return false;
    return true;
}

/* Moves to a solution with another value of the slot, given values kept, if
 * there is one. `res`: the residuals of the start. */
static dae_status try_move(
    init_system *s, size_t slot, double by, const double *res, bool *is_moved)
{
    snapshot here;
    solution found;
    const arena_position mark = arena_mark(&s->arena);
    dae_status st = snapshot_take(&here, s);
    if (st) return st;
    s->z[slot] += by;
    s->is_free[slot] = 0;
    st = unknowns_evaluate(s);
    if (!st) st = solve_rows(s, NULL, true, &found);
    *is_moved = !st && found.end == GAUSS_NEWTON_SOLVED && holds_as(s, res);
    const dae_status back = *is_moved ? DAE_OK : snapshot_return(&here, s);
    arena_release(&s->arena, mark);
    return st && st != DAE_RETRY ? st : back;
}

/* Finds the directions along which there is no other solution, as at a double
 * root: each slot in turn is moved and held, and the rows are solved again. */
static dae_status find_closed(tally *y, row_basis *closed)
{
    init_system *s = y->s;
    const size_t width = y->here.directions;
    arena *a = &s->arena;
    row_basis all;
    snapshot here;
    dae_status st = snapshot_take(&here, s);
    double *rows = make_rows(y);
    double *size = ARENA_ARRAY(a, double, y->columns);
    double *row = ARENA_ARRAY(a, double, width);
    uint8_t *was_free = ARENA_ARRAY(a, uint8_t, s->slots);
    uint8_t *choices = ARENA_ARRAY(a, uint8_t, y->columns);
    double *res = ARENA_ARRAY(a, double, s->rows);
    if (st || !rows || !size || !row || !was_free || !choices || !res
        || !row_basis_init(&all, a, width, width))
        return DAE_MEMORY;
    memcpy(was_free, s->is_free, s->slots);
    memcpy(res, s->res, s->rows * sizeof *res);
    for (size_t j = 0; j < y->columns; j++)
        if (s->is_free[y->slot_at[j]]) choices[j] = y->is_inner[j] ? 2 : 1;
    nearby_sizes(s, &y->here.t, size);
    while (!st && all.count < width) {
        bool is_moved = false;
        const size_t j = choose_next(y, choices, rows);
        if (j == y->columns) break;
        memcpy(row, rows + j * width, width * sizeof *row);
        hold(y, &all, rows, j);
        const size_t slot = (size_t)y->slot_at[j];
        const double by[] = {fmax(size[j], unknowns_unit(s, slot)), size[j]};
        for (int k = 0; k < 4 && !is_moved && !st; k++)
            st = try_move(
                s, slot, (k % 2 ? -ASIDE : ASIDE) * by[k / 2], res, &is_moved);
        if (!is_moved) (void)row_basis_add(closed, row, 0);
    }
    memcpy(s->is_free, was_free, s->slots);
    const dae_status back = snapshot_return(&here, s);
    return st ? st : back;
}

/* For each direction closed by second order, one condition that is redundant to
 * first order is not redundant. */
static dae_status close_singular(tally *y, const aside *to)
{
    view *here = &y->here;
    row_basis closed;
    if (!row_basis_init(
            &closed, &y->s->arena, here->directions, here->directions))
        return DAE_MEMORY;
    const dae_status st = find_closed(y, &closed);
    if (st) return st;
    size_t left = closed.count;
    for (size_t c = 0; c < here->t.conditions && left; c++) {
        if (!here->is_redundant[c] || to->v.is_redundant[c]) continue;
        here->is_redundant[c] = 0;
        left--;
    }
    return leave_out(&y->s->arena, here->open, y->columns, &closed, &here->open,
        &here->directions);
}

static dae_status list_columns(
    tally *y, const bool *which, const int32_t **list, size_t *count)
{
    int32_t *to = ARENA_ARRAY(&y->out->arena, int32_t, y->columns);
    *count = 0;
    *list = to;
    if (!to) return DAE_MEMORY;
    for (size_t j = 0; j < y->columns; j++)
        if (which[j]) to[(*count)++] = y->slot_at[j];
    return DAE_OK;
}

/* Singular slots: those undetermined here but not nearby, inner ones only if
 * there are no others; else those determined by second order; else, where two
 * families of solutions cross, all undetermined ones. */
static dae_status list_singular(tally *y, const view *here, const view *there)
{
    bool is_any = false, is_outer = false;
    bool is_closed = false;
    bool *is_singular = ARENA_ARRAY(&y->s->arena, bool, y->columns);
    bool *is_moved = ARENA_ARRAY(&y->s->arena, bool, y->columns);
    if (!is_singular || !is_moved) return DAE_MEMORY;
    mark_moved(y, here->open, here->directions, here->part_zero, is_moved);
    for (size_t j = 0; j < y->columns; j++) {
        is_any = is_any || (here->is_open[j] && !there->is_open[j]);
        is_closed = is_closed || (here->is_open[j] && !is_moved[j]);
    }
    for (size_t j = 0; j < y->columns; j++) {
        is_singular[j] = here->is_open[j] && !(is_any && there->is_open[j])
            && (is_any || !is_closed || !is_moved[j]);
        is_outer = is_outer || (is_singular[j] && !y->is_inner[j]);
    }
    for (size_t j = 0; j < y->columns; j++)
        if (is_outer && y->is_inner[j]) is_singular[j] = false;
    return list_columns(
        y, is_singular, &y->out->singular, &y->out->singular_count);
}

/* Are more directions undetermined here than nearby? */
static dae_status find_singular(tally *y)
{
    aside to = {.is_known = false};
    dae_status st = look_aside(y, &y->here, &to);
    if (st || !to.is_known || to.v.directions >= y->here.directions) return st;
    if ((st = close_singular(y, &to))) return st;
    return list_singular(y, &y->here, &to.v);
}

/* Slots nearly undetermined here but not nearby are reported and not counted. */
static dae_status find_nearly_singular(tally *y)
{
    view nearly;
    aside to = {.is_known = false};
    dae_status st = view_init(
        &nearly, y, START_RTOL, START_RTOL, START_RTOL, false, NULL);
    if (st || nearly.directions <= y->here.directions) return st;
    st = look_aside(y, &nearly, &to);
    if (st || !to.is_known || to.v.directions >= nearly.directions) return st;
    return list_singular(y, &nearly, &to.v);
}

/* ---- proposed conditions ------------------------------------------------------- */

static dae_status propose(tally *y)
{
    init_findings *out = y->out;
    arena *a = &y->s->arena;
    row_basis b;
    dae_status st;
    double *rows = make_rows(y);
    bool *is_listed = ARENA_ARRAY(a, bool, y->columns);
    int32_t *list = ARENA_ARRAY(&out->arena, int32_t, y->columns);
    if (!rows || !is_listed || !list
        || !row_basis_init(&b, a, y->here.directions, y->here.directions))
        return DAE_MEMORY;
    out->could_fix = list;
    while (out->could_fix_count < y->missing) {
        const size_t j = choose_next(y, y->choice, rows);
        if (j == y->columns) break;
        if ((st = unknowns_interrupt(y->s))) return st;
        hold(y, &b, rows, j);
        is_listed[j] = true;
        list[out->could_fix_count++] = y->slot_at[j];
    }
    if (y->missing == 0) return DAE_OK;
    for (size_t j = 0; j < y->columns; j++) {
        const double size = movement(
            y->here.open, y->columns, y->here.directions, j);
        if (y->choice[j] && !is_listed[j] && size > y->here.part_zero)
            list[out->could_fix_count++] = y->slot_at[j];
    }
    return DAE_OK;
}

/* ---- all of it ------------------------------------------------------------------ */

static dae_status list_redundant(tally *y)
{
    init_system *s = y->s;
    init_findings *out = y->out;
    init_party *list = ARENA_ARRAY(
        &out->arena, init_party, y->here.t.conditions);
    size_t c = 0;
    if (!list) return DAE_MEMORY;
    out->redundant = list;
    out->redundant_count = 0;
    for (size_t j = 0; j < y->columns; j++) {
        const size_t k = (size_t)y->slot_at[j];
        if (s->is_free[k]) continue;
        if (y->here.is_redundant[c++])
            list[out->redundant_count++] = (init_party){.kind = INIT_GIVEN,
                .index = k,
                .residual = s->z[k],
                .sides = {(double)NAN, (double)NAN}};
    }
    for (size_t i = s->equations; i < s->rows; i++)
        if (y->here.is_redundant[c++])
            list[out->redundant_count++] = (init_party){.kind = INIT_CONDITION,
                .index = i - s->equations,
                .residual = s->res[i],
                .sides = {(double)NAN, (double)NAN}};
    assert(c == y->here.t.conditions);
    return DAE_OK;
}

static dae_status list_open(tally *y)
{
    init_findings *out = y->out;
    const view *here = &y->here;
    bool *is_moved = ARENA_ARRAY(&y->s->arena, bool, y->columns);
    double *inner;
    size_t inner_count;
    dae_status st;
    if (!is_moved) return DAE_MEMORY;
    mark_moved(y, here->open, here->directions, here->part_zero, is_moved);
    if ((st = list_columns(y, is_moved, &out->open, &out->open_count)))
        return st;
    if ((st = find_inner(y, here->open, here->directions, here->part_zero,
             &inner, &inner_count)))
        return st;
    if (y->missing > here->directions - inner_count)
        y->missing = here->directions - inner_count;
    mark_moved(y, inner, inner_count, here->part_zero, is_moved);
    /* a condition on one of them would not replace a missing one */
    for (size_t j = 0; j < y->columns; j++)
        if (is_moved[j]) y->choice[j] = 0;
    return list_columns(
        y, is_moved, &out->undetermined, &out->undetermined_count);
}

static dae_status tally_run(tally *y)
{
    dae_status st;
    if ((st = fill_masks(y)) || (st = find_varying(y))) return st;
    const bool is_constant = unknowns_are_constant(y->s);
    const double least = is_constant ? 0 : 1;
    if ((st = view_init(&y->here, y, least * CIRCUIT_ZERO, least * HALF_DIGITS,
             least * START_RTOL, true, NULL)))
        return st;
    y->missing = y->here.directions;
    if (y->here.directions && (st = find_singular(y))) return st;
    if (!y->out->singular && !is_constant && (st = find_nearly_singular(y)))
        return st;
    if ((st = list_open(y)) || (st = propose(y))) return st;
    assert(y->missing <= y->here.directions);
    assert(y->out->could_fix_count <= y->columns);
    y->out->missing = y->missing;
    y->out->is_by_rank = true;
    return list_redundant(y);
}

/* At a solution, s->z with s->res and the Jacobian there, which are restored.
 * Fills missing, redundant, could_fix, undetermined, open, singular and
 * is_by_rank; does nothing if the system is too large. */
static dae_status count_conditions(init_system *s, init_findings *out)
{
    tally y = {.s = s, .out = out};
    const arena_position mark = arena_mark(&s->arena);
    dae_status st = slots_list(s, &y.slot_at, &y.columns);
    if (!st && is_feasible(s->rows, y.columns)) st = tally_run(&y);
    arena_release(&s->arena, mark);
    return st;
}

/* ---- by rank ------------------------------------------------------------------------ */

static double zero_of(const init_system *s, const submatrix *m)
{
    const size_t longer = m->rows > m->columns ? m->rows : m->columns;
    return rank_zero_of(longer, s->fuzz);
}

/* The factors that scale a matrix; false: no memory. */
static bool find_rank_scales(
    arena *a, const matrix_view *m, double **row, double **column)
{
    *row = ARENA_ARRAY(a, double, m->rows);
    *column = ARENA_ARRAY(a, double, m->columns);
    if (!*row || !*column) return false;
    scale_rows(m, NULL, *row);
    scale_columns(m, *row, *column);
    return true;
}

static dae_status rank_dense(
    init_system *s, const submatrix *m, const double *values, size_t *rank)
{
    rrqr f;
    arena *a = &s->arena;
    const matrix_view all = submatrix_view(m, values);
    double *row, *column;
    if (!rrqr_init(&f, a, m->rows, m->columns)
        || !find_rank_scales(a, &all, &row, &column))
        return DAE_MEMORY;
    scale_to_dense(&all, row, column, f.a);
    rrqr_factor(&f, zero_of(s, m));
    *rank = f.rank;
    return DAE_OK;
}

static dae_status rank_sparse(
    init_system *s, const submatrix *m, double *values, size_t *rank)
{
    const matrix_view all = submatrix_view(m, values);
    double *row, *column;
    if (!find_rank_scales(&s->arena, &all, &row, &column)) return DAE_MEMORY;
    scale_by(&all, row, column, values);
    return sparse_rank(&all, zero_of(s, m), s->request->allocator, rank);
}

/* Rank of `m` at the last Jacobian, rows and columns scaled: by linalg/rank_revealing_qr.h
 * up to DENSE_CELLS_MOST, by linalg/wide_matrix.h above. DAE_LIMIT, DAE_NUMERIC: not
 * known. */
static dae_status rank_numeric(init_system *s, const submatrix *m, size_t *rank)
{
    const arena_position mark = arena_mark(&s->arena);
    dae_status st = DAE_MEMORY;
    size_t cells;
    *rank = 0;
    double *values = ARENA_ARRAY(&s->arena, double, m->entries);
    if (values) {
        submatrix_values(m, s, values);
        const bool is_small = size_mul(m->rows, m->columns, &cells)
            && cells <= DENSE_CELLS_MOST;
        st = is_small ? rank_dense(s, m, values, rank)
                      : rank_sparse(s, m, values, rank);
    }
    arena_release(&s->arena, mark);
    return st;
}

/* ---- the count ------------------------------------------------------------- */

/* The start whose conditions are counted. */
typedef struct account {
    init_system *s;
    const solution *found;
    subset all;    /* rows with a free slot, and free slots */
    subset checks; /* rows without one */
    bool is_known; /* ranks are numerical, not those of the pattern */
    size_t missing, redundant;
} account;

/* A derivative that follows from lower ones: if it stays open, no condition is
 * missing. */
static bool is_inner(const init_system *s, size_t slot)
{
    const uint8_t *inner = s->request->is_inner;
    return inner ? inner[slot] != 0 : slot >= s->states;
}

static dae_status take_all(account *a)
{
    init_system *s = a->s;
    uint8_t *is_met = ARENA_ARRAY(&s->arena, uint8_t, s->rows);
    if (!is_met || subset_init(&a->all, s, s->rows, s->slots)
        || subset_init(&a->checks, s, s->rows, 0))
        return DAE_MEMORY;
    for (size_t k = 0; k < s->slots; k++) {
        if (!s->is_free[k]) continue;
        (void)rows_mark(s, k, NULL, is_met);
        a->all.slots[a->all.slot_count++] = (int32_t)k;
    }
    for (size_t i = 0; i < s->rows; i++) {
        subset *to = is_met[i] ? &a->all : &a->checks;
        to->rows[to->row_count++] = (int32_t)i;
    }
    return DAE_OK;
}

/* Numerical rank of the rows in some slots, else that of the pattern, an upper bound. */
static dae_status find_rank(account *a, const subset *of, size_t *rank)
{
    submatrix m;
    coarse c;
    dae_status st;
    if (!a->is_known) {
        st = coarse_init(&c, a->s, of);
        *rank = c.rank;
        return st;
    }
    st = submatrix_init(
        &m, a->s, of->rows, of->row_count, of->slots, of->slot_count);
    if (!st) st = rank_numeric(a->s, &m, rank);
    if (st != DAE_LIMIT && st != DAE_NUMERIC) return st;
    a->is_known = false;
    return DAE_OK;
}

static dae_status find_ranks(
    account *a, const subset *inner, size_t *rank, size_t *inner_rank)
{
    const dae_status st = find_rank(a, &a->all, rank);
    *inner_rank = *rank;
    const bool is_all = inner->slot_count == a->all.slot_count;
    return st || is_all ? st : find_rank(a, inner, inner_rank);
}

/* The number of missing conditions is the dimension of the null space of the
 * Jacobian, less that of its part in inner slots. */
static dae_status count_by_rank(account *a)
{
    init_system *s = a->s;
    subset inner = a->all;
    size_t rank, inner_rank;
    dae_status st;
    inner.slot_count = 0;
    inner.slots = ARENA_ARRAY(&s->arena, int32_t, a->all.slot_count);
    if (!inner.slots) return DAE_MEMORY;
    for (size_t k = 0; k < a->all.slot_count; k++)
        if (is_inner(s, (size_t)a->all.slots[k]))
            inner.slots[inner.slot_count++] = a->all.slots[k];
    a->is_known = true;
    if ((st = find_ranks(a, &inner, &rank, &inner_rank))) return st;
    /* ranks that contradict each other are not used */
    if (rank > inner_rank + (a->all.slot_count - inner.slot_count))
        a->is_known = false;
    if (!a->is_known && (st = find_ranks(a, &inner, &rank, &inner_rank)))
        return st;
    assert(inner_rank <= inner.slot_count && rank <= a->all.slot_count);
    const size_t open = a->all.slot_count - rank;
    const size_t open_inner = inner.slot_count - inner_rank;
    assert(open >= open_inner);
    a->missing = open - open_inner;
    a->redundant = a->all.row_count - rank;
    return DAE_OK;
}

static int64_t count_conditions_given(const init_system *s)
{
    const init_request *r = s->request;
    int64_t count = (int64_t)(s->rows - s->equations);
    for (size_t k = 0; k < s->states; k++) count += r->x_fixed[k] != 0;
    for (size_t j = 0; j < s->n; j++)
        count += r->layout->order[j] > 0 && r->xp_fixed[j];
    return count;
}

/* If constraints may have been missed: at most as many as degrees of freedom. */
static size_t bounded(const init_system *s, size_t missing)
{
    const init_request *r = s->request;
    return r->is_count_bound && missing > r->freedom ? r->freedom : missing;
}

/* By rank where that is possible. */
static dae_status account_findings(init_system *s, bool *is_done)
{
    init_findings *f = s->request->findings;
    *is_done = false;
    if (!f || !s->request->is_thorough) return DAE_OK;
    dae_status st = count_conditions(s, f);
    *is_done = f->is_by_rank;
    if (!st && *is_done) f->missing = bounded(s, f->missing);
    return st;
}

static void fill_report(const account *a, size_t missing, size_t redundant,
    dae_start_report *report)
{
    const init_system *s = a->s;
    if (!report) return;
    *report = (dae_start_report){.conditions = count_conditions_given(s),
        .degrees_missing = (int64_t)missing,
        .redundant = (int64_t)redundant,
        .iterations = a->found->iterations};
    for (size_t i = 0; i < s->rows; i++)
        report->residual = fmax(report->residual, tolerance_ratio(s, i));
}

/* Rows whose values are all given, and states that the pattern leaves open. */
static dae_status list_findings(const account *a, init_findings *f)
{
    coarse c;
    init_system *s = a->s;
    const dae_status st = coarse_init(&c, s, &a->all);
    if (st) return st;
    int32_t *list = ARENA_ARRAY(&f->arena, int32_t, c.under.slot_count + 1);
    if (!list) return DAE_MEMORY;
    f->open = list;
    f->open_count = 0;
    for (size_t k = 0; k < c.under.slot_count; k++)
        if ((size_t)c.under.slots[k] < s->states)
            list[f->open_count++] = c.under.slots[k];
    f->check_count = a->checks.row_count;
    return record_slots(s, a->checks.rows, f->check_count, &f->checks);
}

static dae_status fill_findings(account *a, init_findings *f)
{
    /* a pattern does not show which of the open slots are inner ones */
    if (!a->is_known && a->missing > 0 && a->s->request->is_inner) {
        f->is_uncounted = true;
        a->missing = 0;
    }
    f->missing = a->missing;
    f->redundant_count = a->redundant;
    return list_findings(a, f);
}

/* By ranks, if the solution is not regular. */
static dae_status count_all(account *a, dae_start_report *report)
{
    init_findings *f = a->s->request->findings;
    dae_status st = take_all(a);
    if (!st && !a->found->is_regular) st = count_by_rank(a);
    if (st) return st;
    a->missing = bounded(a->s, a->missing);
    a->redundant += a->checks.row_count;
    if (f && (st = fill_findings(a, f))) return st;
    fill_report(a, a->missing, a->redundant, report);
    return DAE_OK;
}

dae_status certificate_make(
    init_system *s, const solution *found, dae_start_report *report)
{
    account a = {.s = s, .found = found, .is_known = true};
    init_findings *f = s->request->findings;
    bool is_done = found->is_regular && !found->checks;
    if (is_done && f) f->is_by_rank = true;
    const dae_status st = is_done ? DAE_OK : account_findings(s, &is_done);
    if (st) return st;
    if (!is_done) return count_all(&a, report);
    fill_report(&a, f ? f->missing : 0, f ? f->redundant_count : 0, report);
    return DAE_OK;
}
