/* Raises the level from a consistent point until the array determines all its
 * targets. If none does, a left null vector of the array gives the dependent
 * equations, a right one the undetermined unknowns. For small systems it checks the
 * structural analysis; one point proves nothing, so other points and times must give
 * the same result. */
#include "index/derivative_array.h"

#include "extend/extend.h"
#include "index/free_levels.h"
#include "index/generic_points.h"
#include "index/sampler.h"
#include "index/signature.h"
#include "linalg/layout.h"
#include "linalg/ranks.h"
#include "linalg/scale.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <fenv.h>
#include <math.h>
#include <string.h>

enum {
    LARGEST = 600, /* rows */
    /* cubes of rows, over all levels: a few seconds for the ranks */
    WORK_MOST = 400000000,
    /* For constant coefficients, after a level that determines no more than the one
     * before no later level does [BIT12]. If rows are dependent as well (identically,
     * or at the point), the search ends after so many levels in succession. */
    SETTLED = 2,
    SETTLED_HERE = 3,
    POINTS = 3
};

/* ---- the array of one level K at one point --------------------------------------- */

/* Its columns are states, targets or the rest, the matrix is that of series_jacobian,
 * scaled by sizes for its ranks, which are taken at consistent points found by
 * Gauss-Newton. */

typedef enum level_role {
    LEVEL_STATE = 1,  /* x_j^(l) below the highest order that occurs; x_j
                         itself where that is 0 */
    LEVEL_TARGET = 2, /* the first derivative that is no state */
    LEVEL_REST = 4,   /* all above, and all of internal unknowns, which only
                         stand for an expression */
    LEVEL_ALL = 7
} level_role;

/* What stays the same from level to level. */
typedef struct array_work {
    const array_request *q;
    const dae_allocator *allocator;
    layout layout;
    signature *signature;
    int32_t *order;         /* n: highest derivative that counts */
    size_t states, targets; /* how many there are */
    double *x, *xp;         /* where to begin */
    double *size;           /* n: typical size of x_j */
    double t;
    arena memory;
} array_work;

typedef struct level {
    const array_work *w;
    int differentiated; /* K */
    extended *e;
    size_t rows, columns, entries;
    bool is_constant; /* no entry ever changes: ranks are those of any point */
    uint8_t *role;    /* columns */
    double t, *z;     /* the point: columns */
    double error;     /* of the point, relative to typical sizes */
    double doubt;     /* of the scaled entries */
    double left;      /* residuals there, as part of the terms of their rows */
    uint8_t *is_void; /* entries: above what the signature has, taken as 0 */
    double *values, *residual;
    double *beside;                   /* entries, at a point beside it */
    double *a;                        /* rows * columns, scaled */
    double *row_scale, *column_scale; /* a = row_scale * J * column_scale */
    double *size;                     /* columns: typical sizes at the point */
    double *spent, *step;             /* rows * columns; the larger of them */
    arena memory;
} level;

/* Points with numbers from here on confirm results. */
enum { LEVEL_CONFIRMS = 17 };

/* ---- what stays the same ----------------------------------------------------- */

static bool array_is_internal(const array_work *w, size_t j)
{
    return dae_group_is_expression(w->q->problem, j);
}

/* The highest derivative of each unknown that some equation depends on. */
static dae_status find_orders(array_work *w)
{
    const size_t n = w->layout.unknowns;
    const dae_status st = signature_create(
        w->q->problem, &w->layout, w->allocator, &w->signature);
    if (st) return st;
    const signature *s = w->signature;
    for (size_t j = 0; j < n; j++) {
        for (int64_t p = s->table.column_start[j];
             p < s->table.column_start[j + 1]; p++)
            if (w->order[j] < s->table.order[p])
                w->order[j] = s->table.order[p];
        if (array_is_internal(w, j)) continue;
        w->states += w->order[j] > 1 ? (size_t)w->order[j] : 1;
        w->targets++;
    }
    return DAE_OK;
}

/* The nominal value of an unknown, else its guess, which is none of anybody's where a run
 * stands; 0: there is none. */
static double array_given_size(const array_work *w, size_t j)
{
    const dae_scales *s = w->q->problem->scales;
    const dae_start *start = w->q->problem->start;
    const double nominal = s && s->nominal ? s->nominal[j] : 0;
    const bool is_stated = start && start->x && !start->is_of_run;
    const double guess = is_stated ? fabs(start->x[w->layout.first[j]]) : 0;
    /* a smaller guess is the rounding of a 0 in the output of an earlier search */
    const bool is_guess = guess > rounding_of(ROUNDING_OF_SUMS);
    return nominal > 0 ? nominal : is_guess ? guess : 0;
}

/* The given size; else the value, unless it may be the rounding of a 0; else 1. */
static void take_sizes(array_work *w)
{
    for (size_t j = 0; j < w->layout.unknowns; j++) {
        const double given = array_given_size(w, j);
        const double value = fabs(w->x[w->layout.first[j]]);
        w->size[j] = given > 0 ? given : value > HALF_DIGITS ? value : 1;
    }
}

static void take_point(array_work *w)
{
    const array_request *q = w->q;
    const dae_start *s = q->problem->start;
    const double *x = q->x ? q->x : s ? s->x : NULL;
    const double *xp = q->x ? q->xp : s ? s->xp : NULL;
    w->t = q->x ? q->t : s ? s->t0 : 0;
    for (size_t k = 0; k < w->layout.states; k++)
        w->x[k] = x && isfinite(x[k]) ? x[k] : 0;
    for (size_t j = 0; j < w->layout.unknowns; j++)
        w->xp[j] = xp && isfinite(xp[j]) ? xp[j] : 0;
}

/* ---- common to all levels --------------------------------------------------------- */

static dae_status array_work_init(array_work *w, const array_request *q)
{
    dae_status st;
    *w = (array_work){.q = q, .allocator = alloc_or_default(q->allocator)};
    arena_init(&w->memory, w->allocator, 0);
    if ((st = layout_init(&w->layout, q->problem, w->allocator))) return st;
    const size_t n = w->layout.unknowns;
    w->order = ARENA_ARRAY(&w->memory, int32_t, n);
    w->x = ARENA_ARRAY(&w->memory, double, w->layout.states);
    w->xp = ARENA_ARRAY(&w->memory, double, n);
    w->size = ARENA_ARRAY(&w->memory, double, n);
    if (!w->order || !w->x || !w->xp || !w->size) return DAE_MEMORY;
    take_point(w);
    take_sizes(w);
    return find_orders(w);
}

static void array_work_clear(array_work *w)
{
    signature_free(w->signature);
    arena_clear(&w->memory);
    layout_clear(&w->layout);
}

/* ---- a level ------------------------------------------------------------------ */

static uint8_t role_of(const array_work *w, size_t j, size_t derivative)
{
    const size_t q = (size_t)w->order[j], states = q > 1 ? q : 1;
    if (array_is_internal(w, j)) return LEVEL_REST;
    if (derivative < states) return LEVEL_STATE;
    return derivative == states ? LEVEL_TARGET : LEVEL_REST;
}

static dae_status take_arrays(level *v)
{
    arena *m = &v->memory;
    const size_t most = v->rows > v->columns ? v->rows : v->columns;
    size_t room;
    if (!size_mul(v->rows, v->columns, &room)) return DAE_LIMIT;
    v->role = ARENA_ARRAY(m, uint8_t, v->columns);
    v->z = ARENA_ARRAY(m, double, v->columns);
    v->values = ARENA_ARRAY(m, double, v->entries);
    v->is_void = ARENA_ARRAY(m, uint8_t, v->entries);
    v->beside = ARENA_ARRAY(m, double, v->entries);
    v->residual = ARENA_ARRAY(m, double, v->rows);
    v->a = ARENA_ARRAY(m, double, room);
    v->spent = ARENA_ARRAY(m, double, room);
    v->row_scale = ARENA_ARRAY(m, double, v->rows);
    v->column_scale = ARENA_ARRAY(m, double, v->columns);
    v->size = ARENA_ARRAY(m, double, v->columns);
    v->step = ARENA_ARRAY(m, double, most);
    const bool has_all = v->role && v->z && v->values && v->is_void && v->beside
        && v->residual && v->a && v->spent && v->row_scale && v->column_scale
        && v->size && v->step;
    return has_all ? DAE_OK : DAE_MEMORY;
}

/* The highest derivative of unknown j in each equation by the signature; -1:
 * none. */
static void find_row_orders(const array_work *w, size_t j, int32_t *highest)
{
    const dae_signature *t = &w->signature->table;
    for (size_t i = 0; i < w->layout.unknowns; i++) highest[i] = -1;
    for (int64_t p = t->column_start[j]; p < t->column_start[j + 1]; p++)
        highest[t->row[p]] = t->order[p];
}

static void mark_entry(
    level *v, int64_t e, size_t order, const int32_t *highest)
{
    const size_t row = (size_t)v->e->problem.pattern->row[e];
    const int32_t i = v->e->row_equation[row];
    const int64_t times = (int64_t)(row - v->e->row_first[i]);
    v->is_void[e] = highest[i] < 0 || (int64_t)order > highest[i] + times;
}

/* Entries of derivatives that the equation does not depend on are zeros, if
 * not rounding errors, which scaling would make large. */
static dae_status mark_void(level *v)
{
    const array_work *w = v->w;
    const dae_pattern *s = v->e->problem.pattern;
    const size_t n = w->layout.unknowns;
    int32_t *rows = ARENA_ARRAY(&v->memory, int32_t, n);
    if (!rows) return DAE_MEMORY;
    for (size_t j = 0; j < n; j++) {
        const size_t first = v->e->column_first[j];
        find_row_orders(w, j, rows);
        for (size_t k = first; k < v->e->column_first[j + 1]; k++)
            for (int64_t e = s->column_start[k]; e < s->column_start[k + 1];
                 e++)
                mark_entry(v, e, k - first, rows);
    }
    return DAE_OK;
}

/* DAE_LIMIT: too large. */
static dae_status level_open(level *v, const array_work *w, int differentiated)
{
    const size_t n = w->layout.unknowns;
    const size_t entry_limit = (size_t)1 << 22;
    *v = (level){.w = w, .differentiated = differentiated};
    arena_init(&v->memory, w->allocator, 0);
    int32_t *c = ARENA_ARRAY(&v->memory, int32_t, n);
    if (!c) return DAE_MEMORY;
    for (size_t i = 0; i < n; i++) c[i] = differentiated;
    dae_status st = extended_create(
        w->q->problem, c, NULL, entry_limit, w->allocator, &v->e);
    if (st) return st;
    v->rows = v->e->rows;
    v->columns = v->e->columns;
    v->entries = (size_t)v->e->problem.pattern->column_start[v->columns];
    if ((st = take_arrays(v))) return st;
    for (size_t k = 0; k < v->columns; k++) {
        const size_t j = (size_t)v->e->column_unknown[k];
        v->role[k] = role_of(w, j, k - v->e->column_first[j]);
    }
    const uint8_t *kind = v->e->problem.pattern->kind;
    v->is_constant = kind && !memchr(kind, DAE_ENTRY_VARYING, v->entries);
    return mark_void(v);
}

static void level_close(level *v)
{
    if (!v->w) return;
    arena_clear(&v->memory);
    extended_free(v->e);
    *v = (level){0};
}

static size_t level_slot(const level *v, size_t unknown, size_t order)
{
    const size_t at = v->e->column_first[unknown] + order;
    return at < v->e->column_first[unknown + 1] ? at : SIZE_MAX;
}

/* z from the vectors of the original, from another level; unknowns
 * of neither are 0. */
static void level_take_vectors(
    level *v, double t, const double *x, const double *xp)
{
    const layout *l = &v->w->layout;
    v->t = t;
    memset(v->z, 0, v->columns * sizeof *v->z);
    for (size_t j = 0; j < l->unknowns; j++) {
        double *z = v->z + v->e->column_first[j];
        const size_t width = l->first[j + 1] - l->first[j];
        memcpy(z, x + l->first[j], width * sizeof *z);
        if (l->order[j] > 0) z[l->order[j]] = xp[j];
    }
}

static void level_take_level(level *v, const level *from)
{
    v->t = from->t;
    for (size_t k = 0; k < v->columns; k++) {
        const size_t j = (size_t)v->e->column_unknown[k];
        const size_t at = level_slot(from, j, k - v->e->column_first[j]);
        v->z[k] = at != SIZE_MAX ? from->z[at] : 0;
    }
}

/* ---- matrix and ranks ---------------------------------------------------------- */

/* The entries at z plus `part` of the size of every unknown, or of those marked. */
static dae_status entries_at(
    level *v, double part, const uint8_t *is_moved, double *values)
{
    const dae_problem *p = &v->e->problem;
    if (!p->jacobian) return DAE_UNSUPPORTED;
    for (size_t k = 0; k < v->columns; k++)
        v->step[k] = v->z[k]
            + (is_moved && !is_moved[k]
                    ? 0
                    : part * v->size[k] * points_number(5, k));
    const dae_status st = p->jacobian(
        p->self, DAE_ALL, v->t, v->step, NULL, values);
    for (size_t e = 0; e < v->entries && !st; e++) {
        if (v->is_void[e]) values[e] = 0;
        if (!isfinite(values[e])) return DAE_RETRY;
    }
    return st;
}

static matrix_view entries_of(const level *v)
{
    const dae_pattern *s = v->e->problem.pattern;
    return (matrix_view){
        v->rows, v->columns, s->column_start, s->row, v->values};
}

/* Equilibrates constant entries, whose small values are due to their units; a small
 * entry that varies may be the error of the point and must not be scaled up. */
static void scale_for_rank(level *v)
{
    const matrix_view m = entries_of(v);
    if (v->is_constant) {
        scale_equilibrate(&m, v->row_scale, v->column_scale, v->step);
    } else {
        scale_rows(&m, NULL, v->row_scale);
        scale_columns(&m, v->row_scale, v->column_scale);
    }
    scale_to_dense(&m, v->row_scale, v->column_scale, v->a);
}

/* For a step: rows and columns alternately until their largest entries are near 1,
 * columns by at most TWO_DIGITS beyond typical sizes. */
static void scale_for_step(level *v)
{
    enum { SWEEPS = 4 };
    const matrix_view m = entries_of(v);
    double *column = v->column_scale;
    for (size_t k = 0; k < v->columns; k++)
        column[k] = 1 / power_under(v->size[k]);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        scale_rows(&m, column, v->row_scale);
        scale_columns(&m, v->row_scale, column);
        for (size_t k = 0; k < v->columns; k++)
            column[k] = fmin(
                column[k], power_under(1 / (TWO_DIGITS * v->size[k])));
    }
    scale_to_dense(&m, v->row_scale, v->column_scale, v->a);
}

/* The scaled matrix at z; DAE_RETRY where there are no values. */
static dae_status level_evaluate(level *v)
{
    for (size_t k = 0; k < v->columns; k++) {
        const double size = v->w->size[v->e->column_unknown[k]];
        v->size[k] = fmax(size, fabs(v->z[k]));
        assert(v->size[k] > 0);
    }
    const dae_status st = entries_at(v, 0, NULL, v->values);
    if (st) return st;
    if (v->is_constant) scale_for_rank(v);
    else scale_for_step(v);
    return DAE_OK;
}

/* The error of the entries of the scaled matrix: their change beside the point, but
 * not more than the error of the point. */
static double error_of_entries(const level *v, const double *change)
{
    const dae_pattern *s = v->e->problem.pattern;
    double most = 0;
    for (size_t k = 0; k < v->columns; k++)
        for (int64_t e = s->column_start[k]; e < s->column_start[k + 1]; e++)
            most = fmax(
                most, change[e] * v->row_scale[s->row[e]] * v->column_scale[k]);
    return fmax(rounding_of(9), fmin(v->error, most / TWO_DIGITS));
}

/* The same for ranks, of a point with the relative error `error`:
 * entries that could be 0 are 0, and scaling has no limits. */
static dae_status level_prepare(level *v, double error)
{
    v->error = fmax(error, rounding_of(9));
    dae_status st = level_evaluate(v);
    if (!st) st = entries_at(v, TWO_DIGITS * v->error, NULL, v->beside);
    if (st) return st;
    for (size_t e = 0; e < v->entries; e++) {
        v->beside[e] = fabs(v->beside[e] - v->values[e]);
        if (fabs(v->values[e]) <= v->beside[e]) v->values[e] = 0;
    }
    scale_for_rank(v);
    v->doubt = error_of_entries(v, v->beside);
    assert(v->doubt > 0);
    return DAE_OK;
}

/* The entries at z plus random parts, up to SHORT_SHARE, of the sizes of the
 * columns marked, into v->beside; DAE_RETRY where there are none. */
static dae_status level_look_beside(level *v, const uint8_t *is_moved)
{
    return entries_at(v, SHORT_SHARE, is_moved, v->beside);
}

/* A copy of the columns of these roles in `spent`; how many there are. */
static size_t level_part(level *v, unsigned roles)
{
    size_t count = 0;
    for (size_t k = 0; k < v->columns; k++) {
        if (!(v->role[k] & roles)) continue;
        memcpy(v->spent + count++ * v->rows, v->a + k * v->rows,
            v->rows * sizeof *v->a);
    }
    return count;
}

/* The rank of the columns of these roles at the last level_prepare. */
static dae_status level_rank(
    level *v, unsigned roles, size_t *rank, bool *is_sure)
{
    const size_t count = level_part(v, roles);
    return ranks_count(
        v->spent, v->rows, count, v->doubt, v->w->allocator, rank, is_sure);
}

/* ---- consistent points --------------------------------------------------------- */

/* A level's ranks are taken on F_i^(k) = 0, since at other points they are those of
 * another system: Gauss-Newton with least changes, first with the states held. */

/* A residual below this part of its terms is rounding; one that does not get smaller
 * is accepted below VALUES_ERROR. */
static double exact(void)
{
    return rounding_of(ROUNDING_OF_SUMS);
}

enum { ITERATIONS = 25, HALVINGS = 12 };

/* ---- leaving special points ---------------------------------------------------- */

static double within(const level *v, size_t k, double from, double to)
{
    const dae_scales *s = v->e->problem.scales;
    if (s && s->minimum && to < s->minimum[k]) return from;
    if (s && s->maximum && to > s->maximum[k]) return from;
    return to;
}

/* Moves every slot, or with `is_new_only` those that the level below does not have,
 * by up to `size` times its own size; without `is_new_only` also the time. */
static void level_shake(
    level *v, unsigned number, double size, bool is_new_only)
{
    const array_work *w = v->w;
    for (size_t k = 0; k < v->columns; k++) {
        const size_t j = (size_t)v->e->column_unknown[k];
        const size_t order = k - v->e->column_first[j];
        const size_t known = (size_t)v->differentiated
            + (size_t)w->layout.order[j];
        if (is_new_only && order < known) continue;
        /* a number per slot, the same at every level */
        const double part = points_number(
            2 * (uint64_t)number + 1, 64 * 256 * j + order);
        v->z[k] = within(v, k, v->z[k],
            v->z[k] + size * part * fmax(v->w->size[j], fabs(v->z[k])));
    }
    if (is_new_only) return;
    /* forward, as there may be no values before the start; farther for a point
     * that confirms: a coefficient t^2 is negligible near 0 */
    const double part = number >= LEVEL_CONFIRMS ? 1 : 1 / TWO_DIGITS;
    v->t += size * fabs(points_number(2 * (uint64_t)number, 0)) * part
        * fmax(1, fabs(v->t));
}

/* ---- Gauss-Newton --------------------------------------------------------------- */

static dae_status residual_at(level *v, const double *z)
{
    const dae_problem *p = &v->e->problem;
    const dae_status st = p->residual(p->self, v->t, z, NULL, v->residual);
    if (st) return st;
    for (size_t i = 0; i < v->rows; i++)
        if (is_overflow(v->residual[i])) return DAE_RETRY;
    return DAE_OK;
}

static double sum_of_squares(const level *v)
{
    double sum = 0;
    for (size_t i = 0; i < v->rows; i++) {
        const double r = v->residual[i] * v->row_scale[i];
        sum += r * r;
    }
    return sum;
}

/* The largest residual as part of the terms of its row, of equations differentiated
 * up to `most` times. */
static double worst(level *v, int most_times)
{
    const dae_pattern *s = v->e->problem.pattern;
    double *size = v->step, most = 0;
    for (size_t i = 0; i < v->rows; i++) size[i] = NEGLIGIBLE / v->row_scale[i];
    for (size_t k = 0; k < v->columns; k++)
        for (int64_t e = s->column_start[k]; e < s->column_start[k + 1]; e++)
            size[s->row[e]] += fabs(v->values[e] * v->z[k]);
    for (size_t i = 0; i < v->rows; i++) {
        const size_t first = v->e->row_first[v->e->row_equation[i]];
        if (i - first <= (size_t)most_times)
            most = fmax(most, fabs(v->residual[i]) / size[i]);
    }
    return most;
}

/* v->step: what to add to z, by columns. */
static dae_status find_step(level *v, unsigned roles)
{
    const size_t count = level_part(v, roles);
    assert(count <= v->columns);
    for (size_t i = 0; i < v->rows; i++)
        v->step[i] = -v->residual[i] * v->row_scale[i];
    const dae_status st = ranks_solve(
        v->spent, v->rows, count, 0, v->step, v->w->allocator);
    if (st) return st;
    size_t from = count;
    for (size_t k = v->columns; k-- > 0;) {
        const bool moves = (v->role[k] & roles) != 0;
        v->step[k] = moves ? v->step[--from] * v->column_scale[k] : 0;
    }
    return DAE_OK;
}

/* A sum of squares must fall below this part of its value before the step. At a double
 * root steps are half the distance to it [DKK83], so twice the step is tried, and
 * accepted if the sum falls as at a regular root. */
static double required(double part)
{
    return part > 1 ? pow(LINEAR_RATE, 4) : 1 - DIGIT * part;
}

/* The longest part of the step, or with `is_slow` twice the step, that makes the
 * residual smaller; false: none does. z moves; the residual is that at z. `trial`
 * has room for z. */
static dae_status advance(
    level *v, double *trial, bool *is_slow, bool *has_moved)
{
    const double before = sum_of_squares(v);
    double part = *is_slow ? 2 : 1;
    dae_status st = DAE_OK;
    *has_moved = false;
    for (int k = 0; k <= HALVINGS && !*has_moved; k++, part /= 2) {
        for (size_t q = 0; q < v->columns; q++)
            trial[q] = v->z[q] + part * v->step[q];
        st = residual_at(v, trial);
        if (st && st != DAE_RETRY) return st;
        if (st) continue;
        const double after = sum_of_squares(v);
        *has_moved = after < before * required(part);
        *is_slow = !(after < before * required(2));
    }
    if (*has_moved) memcpy(v->z, trial, v->columns * sizeof *trial);
    return *has_moved ? DAE_OK : residual_at(v, v->z);
}

static dae_status iterate(
    level *v, unsigned roles, double *trial, double *remaining)
{
    const array_request *q = v->w->q;
    dae_status st;
    bool has_moved = true, is_slow = false;
    double before = (double)INFINITY;
    *remaining = (double)INFINITY;
    if ((st = residual_at(v, v->z)) || (st = level_evaluate(v))) return st;
    for (int k = 0; k < ITERATIONS && has_moved; k++) {
        *remaining = worst(v, v->differentiated);
        if (*remaining <= exact()) break;
        /* at rounding: else it would fall faster at a root of any multiplicity */
        if (*remaining <= VALUES_ERROR && *remaining > before / 2) break;
        before = *remaining;
        if (q->interrupt && q->interrupt(q->interrupt_context))
            return DAE_INTERRUPTED;
        if ((st = find_step(v, roles))) return st;
        if ((st = advance(v, trial, &is_slow, &has_moved))) return st;
        if ((st = level_evaluate(v))) return st;
    }
    *remaining = worst(v, v->differentiated);
    return DAE_OK;
}

/* The change by one more step, relative to typical sizes: at a double root much
 * larger than the residual. */
static dae_status measure(level *v, double *error)
{
    const dae_status st = find_step(v, LEVEL_ALL);
    *error = 0;
    for (size_t k = 0; k < v->columns && !st; k++)
        *error = fmax(*error, fabs(v->step[k]) / v->size[k]);
    return st;
}

/* Whether a step is too large: if held states violate a constraint slightly, a
 * derivative whose coefficient is the residual of another equation may have been
 * used to satisfy it. */
static bool is_absurd(const level *v, const double *before)
{
    for (size_t k = 0; k < v->columns; k++) {
        const double size = fmax(
            v->w->size[v->e->column_unknown[k]], fabs(before[k]));
        if (!(START_RTOL * fabs(v->z[k] - before[k]) <= fmax(size, 1)))
            return true;
    }
    return false;
}

/* Moves all but the states, if that is enough. `before` has room for z. */
static dae_status move_others(level *v, double *trial, double *before)
{
    double remaining = 0;
    memcpy(before, v->z, v->columns * sizeof *before);
    const dae_status st = iterate(
        v, LEVEL_TARGET | LEVEL_REST, trial, &remaining);
    if (remaining > VALUES_ERROR || is_absurd(v, before))
        memcpy(v->z, before, v->columns * sizeof *before);
    return st == DAE_RETRY ? DAE_OK : st;
}

/* Whether equations that held to rounding at the level below are now violated.
 * A small violation, multiplied by a derivative that has grown too large, may
 * cancel the residuals of the derivatives. To be called right after
 * level_reach. */
static bool level_leaves(level *v, const level *below)
{
    if (v->is_constant) return false;
    const double before = fmax(below->left, exact());
    return worst(v, below->differentiated) > before / DIGIT;
}

/* Records the point reached, with its remaining residual. */
static dae_status settle(level *v, double remaining, bool *is_found)
{
    double error = 0;
    assert(remaining <= VALUES_ERROR);
    v->left = remaining;
    dae_status st = measure(v, &error);
    if (!st) st = level_prepare(v, error);
    *is_found = !st;
    return st;
}

/* Moves v->z to a zero of the array near it: Gauss-Newton with steps of
 * least length in scaled unknowns, shortened if they do not reduce the residual.
 * `hold_states`: first the other slots only, so that consistent states are
 * kept. *is_found: a zero was found, and the matrix is prepared for ranks. */
static dae_status level_reach(level *v, bool hold_states, bool *is_found)
{
    const dae_allocator *a = v->w->allocator;
    double remaining = 0;
    dae_status st = DAE_OK;
    *is_found = false;
    double *trial = alloc_zeroed(a, 2 * v->columns, sizeof *trial);
    if (!trial) return DAE_MEMORY;
    if (hold_states) st = move_others(v, trial, trial + v->columns);
    if (!st) st = iterate(v, LEVEL_ALL, trial, &remaining);
    if (!st && remaining <= VALUES_ERROR) {
        st = settle(v, remaining, is_found);
    } else if (v->is_constant && (!st || st == DAE_NUMERIC)) {
        st = level_prepare(v, 0);
        *is_found = !st;
    }
    alloc_free(a, trial, 2 * v->columns, sizeof *trial);
    return st == DAE_RETRY || st == DAE_NUMERIC ? DAE_OK : st;
}

/* ---- findings ------------------------------------------------------------------------ */

void array_findings_clear(array_findings *f, const dae_allocator *allocator)
{
    const dae_allocator *a = alloc_or_default(allocator);
    alloc_free(a, f->loose, f->loose_room, sizeof *f->loose);
    alloc_free(a, f->dependent, f->dependent_room, sizeof *f->dependent);
    *f = (array_findings){.outcome = ARRAY_TOO_LARGE};
}

/* ---- one dependency --------------------------------------------------------------- */

/* A dependency of rows at one point, of the lowest derivatives that have one;
 * no smaller set of its rows depends. */
typedef struct dependency {
    bool is_found;
    bool is_open;   /* whether the sum of the rows is 0 is not known */
    double *weight; /* rows: 0 for those that take no part; the last 1 */
    double unit;    /* what divides row_scale to give a row's weight */
} dependency;

/* Rows by how often they are differentiated, then by equation: the dependency found
 * first has the lowest derivatives. */
static size_t ordered_row(const level *v, size_t k)
{
    const size_t n = v->w->layout.unknowns;
    return v->e->row_first[k % n] + k / n;
}

/* All columns, rows in that order, into v->spent. */
static void order_rows(level *v)
{
    for (size_t j = 0; j < v->columns; j++)
        for (size_t k = 0; k < v->rows; k++)
            v->spent[j * v->rows + k] = v->a[j * v->rows + ordered_row(v, k)];
}

/* From factors of scaled rows in order to weights of the rows themselves. */
static void weigh(
    const level *v, size_t last, const double *factor, dependency *out)
{
    const double unit = v->row_scale[ordered_row(v, last)];
    assert(last < v->rows && unit > 0);
    out->unit = unit;
    for (size_t k = 0; k <= last; k++) {
        const size_t row = ordered_row(v, k);
        if (fabs(factor[k]) > START_RTOL)
            out->weight[row] = factor[k] * v->row_scale[row] / unit;
    }
}

/* At the last evaluation of the level. */
static dae_status find_dependency(level *v, arena *m, dependency *out)
{
    size_t last = 0;
    double *factor = ARENA_ARRAY(m, double, v->rows);
    *out = (dependency){.weight = ARENA_ARRAY(m, double, v->rows)};
    if (!out->weight || !factor) return DAE_MEMORY;
    order_rows(v);
    const dae_status st = ranks_dependency(
        v->spent, v->rows, v->columns, v->w->allocator, &last, factor);
    out->is_found = !st && last < v->rows;
    if (out->is_found) weigh(v, last, factor, out);
    return st;
}

/* The same rows with the same weights. */
static bool is_same(const level *v, const dependency *a, const dependency *b)
{
    for (size_t i = 0; i < v->rows; i++) {
        const double size = fabs(a->weight[i]) + fabs(b->weight[i]);
        if (fabs(a->weight[i] - b->weight[i]) > START_RTOL * size) return false;
    }
    return true;
}

/* Sum of the magnitudes of the terms of the weighted rows, each unknown taken at
 * least at its typical size. */
static double size_of_terms(const level *v, const dependency *d)
{
    const dae_pattern *s = v->e->problem.pattern;
    double size = 0;
    for (size_t i = 0; i < v->rows; i++)
        size += fabs(d->weight[i] * v->residual[i]);
    for (size_t k = 0; k < v->columns; k++)
        for (int64_t e = s->column_start[k]; e < s->column_start[k + 1]; e++)
            size += fabs(d->weight[s->row[e]] * v->values[e]) * v->size[k];
    return size;
}

/* Whether the weighted residuals add up to 0 at the level's point and a time: unknown
 * (d->is_open) if the dropped weights may account for the sum. */
static dae_status test_sum(level *v, dependency *d, double t, int *is_zero)
{
    const dae_problem *p = &v->e->problem;
    double sum = 0, dropped = 0; /* by weights below START_RTOL */
    const dae_status st = p->residual(p->self, t, v->z, NULL, v->residual);
    if (st) return st;
    for (size_t i = 0; i < v->rows; i++) {
        sum += d->weight[i] * v->residual[i];
        if (d->weight[i] == 0)
            dropped += fabs(v->residual[i]) * v->row_scale[i] / d->unit;
    }
    assert(d->unit > 0);
    *is_zero = fabs(sum)
        <= fmax(HALF_DIGITS, TWO_DIGITS * v->error) * size_of_terms(v, d);
    d->is_open = !*is_zero && fabs(sum) <= START_RTOL * dropped;
    if (d->is_open) *is_zero = 1;
    return DAE_OK;
}

/* The same at later times, for constant weights: an equation that repeats another one
 * now may contradict it later. */
static dae_status test_later(level *v, dependency *d, int *is_zero)
{
    static const double later[] = {1.0 / 16, 3.0 / 8, 7.0 / 4};
    const double unit = fmax(1, fabs(v->t));
    for (size_t k = 0; *is_zero && k < sizeof later / sizeof *later; k++) {
        const dae_status st = test_sum(v, d, v->t + unit * later[k], is_zero);
        if (st == DAE_RETRY) break;
        if (st) return st;
    }
    int ignored;
    dependency now = *d;
    return test_sum(v, &now, v->t, &ignored); /* residuals of now */
}

/* ---- other points ------------------------------------------------------------------- */

/* Evaluates the array at the `number`-th of points anywhere, consistent or
 * not; *has_values: one was found. */
static dae_status evaluate_anywhere(level *v, unsigned number, bool *has_values)
{
    const array_work *w = v->w;
    const dae_allocator *a = w->allocator;
    const layout *l = &w->layout;
    double t = w->t;
    *has_values = false;
    double *x = alloc_zeroed(a, l->states, sizeof *x);
    double *xp = alloc_zeroed(a, l->unknowns, sizeof *xp);
    dae_status st = x && xp ? DAE_OK : DAE_MEMORY;
    if (!st) st = points_draw(w->q->problem, l, number, a, &t, x, xp);
    if (!st) {
        level_take_vectors(v, t, x, xp);
        for (size_t k = 0; k < v->columns; k++)
            if (v->z[k] == 0) v->z[k] = points_number(1000 + number, k);
        st = level_prepare(v, 0);
        *has_values = !st;
    }
    alloc_free(a, x, l->states, sizeof *x);
    alloc_free(a, xp, l->unknowns, sizeof *xp);
    return st == DAE_RETRY ? DAE_OK : st;
}

/* Whether rows depend at points anywhere: then they do so identically, and no
 * further differentiation will determine all unknowns. */
static dae_status depend_everywhere(level *v, bool *is_everywhere)
{
    *is_everywhere = false;
    for (unsigned number = 0; number < 2; number++) {
        bool has_values, is_sure = true;
        size_t rank = 0;
        dae_status st = evaluate_anywhere(v, number, &has_values);
        if (st) return st;
        if (!has_values) return DAE_OK;
        if ((st = level_rank(v, LEVEL_ALL, &rank, &is_sure))) return st;
        if (!is_sure || rank == v->rows) return DAE_OK;
    }
    *is_everywhere = true;
    return DAE_OK;
}

/* The dependencies at other points, compared with the given one. */
typedef struct comparison {
    bool is_made;        /* another point was found */
    bool is_alone;       /* one of them has no dependency */
    bool has_weights;    /* the weights are the same at all of them */
    uint8_t *takes_part; /* rows in the dependency of some point */
    uint8_t *follows;    /* equations that are undifferentiated members of all
                            dependencies */
} comparison;

static void comparison_add(comparison *c, const level *v, const dependency *d)
{
    for (size_t i = 0; i < v->rows && d->is_found; i++)
        if (d->weight[i] != 0) c->takes_part[i] = 1;
    for (size_t i = 0; i < v->w->layout.unknowns; i++)
        if (!d->is_found || d->weight[v->e->row_first[i]] == 0)
            c->follows[i] = 0;
}

/* One step of `there` toward the equations by their derivatives at `v`; its
 * length is relative to typical sizes. */
static dae_status step_back(level *there, level *v, double *length)
{
    const dae_problem *p = &there->e->problem;
    dae_status st = p->residual(p->self, there->t, there->z, NULL, v->step);
    *length = 0;
    if (st) return st;
    for (size_t i = 0; i < v->rows; i++) {
        if (!isfinite(v->step[i])) return DAE_RETRY;
        v->step[i] *= -v->row_scale[i];
    }
    level_part(v, LEVEL_ALL);
    st = ranks_solve(
        v->spent, v->rows, v->columns, v->doubt, v->step, v->w->allocator);
    for (size_t k = 0; k < v->columns && !st; k++) {
        const double part = v->step[k] * v->column_scale[k];
        *length = fmax(*length, fabs(part) / v->size[k]);
        there->z[k] += part;
    }
    return st;
}

/* Near a set on which rows are dependent they are nearly so, and full Newton steps
 * would move far along the set; steps with the matrix and the rank at `v` do not. */
static dae_status approach(level *there, level *v)
{
    enum { STEPS = 40 };
    double before = (double)INFINITY, length = 0;
    for (int k = 0; k < STEPS; k++) {
        const dae_status st = step_back(there, v, &length);
        if (st) return st;
        if (!(length < SLOW_RATE * before)) break;
        before = length;
    }
    return DAE_OK;
}

/* Compares with a nearby point and time, `is_consistent`: projected onto the
 * constraints. */
static dae_status compare_beside(level *other, level *v, unsigned number,
    bool is_consistent, arena *m, const dependency *d, comparison *out)
{
    dependency found;
    bool has_values = true;
    dae_status st;
    level_take_level(other, v);
    level_shake(other, number, ASIDE, false);
    if (!is_consistent) st = level_prepare(other, 0);
    else if (!(st = approach(other, v)))
        st = level_reach(other, false, &has_values);
    if (st == DAE_RETRY) return DAE_OK;
    if (st || !has_values || other->error > VALUES_ERROR) return st;
    out->is_made = true;
    if ((st = find_dependency(other, m, &found))) return st;
    if (!found.is_found) out->is_alone = true;
    if (found.is_found && !is_same(v, &found, d)) out->has_weights = false;
    comparison_add(out, v, &found);
    return DAE_OK;
}

/* Weights count as constant unless they differ at another point. */
static dae_status compare(level *v, bool is_consistent, arena *m,
    const dependency *d, comparison *out)
{
    const size_t n = v->w->layout.unknowns;
    level other;
    *out = (comparison){.has_weights = true,
        .takes_part = ARENA_ARRAY(m, uint8_t, v->rows),
        .follows = ARENA_ARRAY(m, uint8_t, n)};
    if (!out->takes_part || !out->follows) return DAE_MEMORY;
    memset(out->follows, 1, n);
    comparison_add(out, v, d);
    dae_status st = level_open(&other, v->w, v->differentiated);
    for (unsigned k = 1; k < POINTS && !st; k++)
        st = compare_beside(&other, v, 70 + k, is_consistent, m, d, out);
    level_close(&other);
    return st;
}

/* ---- loose unknowns ------------------------------------------------------------------ */

/* Fills out->loose from the last evaluation of the level: unknowns whose next
 * derivative the array does not determine. */
static dae_status find_loose(level *v, array_findings *out)
{
    const array_work *w = v->w;
    const size_t n = w->layout.unknowns;
    const size_t count = level_part(v, LEVEL_TARGET | LEVEL_REST);
    double *share = alloc_zeroed(w->allocator, count, sizeof *share);
    alloc_free(w->allocator, out->loose, out->loose_room, sizeof *out->loose);
    out->loose_count = 0;
    out->loose = alloc_zeroed(w->allocator, n, sizeof *out->loose);
    out->loose_room = out->loose ? n : 0;
    dae_status st = share && out->loose ? DAE_OK : DAE_MEMORY;
    if (!st)
        st = ranks_null(
            v->spent, v->rows, count, v->doubt, w->allocator, share);
    size_t at = 0;
    for (size_t k = 0; k < v->columns && !st; k++) {
        if (v->role[k] == LEVEL_STATE) continue;
        if (v->role[k] == LEVEL_TARGET && share[at] > START_RTOL)
            out->loose[out->loose_count++] = (dae_slot){
                v->e->column_unknown[k], 0};
        at++;
    }
    alloc_free(w->allocator, share, count, sizeof *share);
    return st;
}

/* With constant weights the sum is the same at all points: it is taken at the usual
 * values of the unknowns, since rounding conceals it at the very large values to which
 * a contradiction drives the search. */
static dae_status test_usual(level *v, arena *m, dependency *d, int *is_zero)
{
    const array_work *w = v->w;
    level other = {0};
    dependency found = {0};
    dae_status st = level_open(&other, w, v->differentiated);
    if (!st) {
        level_take_vectors(&other, v->t, w->x, w->xp);
        st = level_prepare(&other, 0);
    }
    if (!st) st = find_dependency(&other, m, &found);
    if (!st && found.is_found && is_same(v, &found, d))
        st = test_sum(&other, d, v->t, is_zero);
    level_close(&other);
    return st == DAE_RETRY ? DAE_OK : st;
}

/* If a = b, the equation d^2 = a - b holds only where its entry of d is 0: its row
 * depends on those of a and b, although the equation determines d. So a dependency is
 * ignored if entries of loose unknowns in its rows are 0 at the point and not 0 after
 * a move of these unknowns alone. */
static dae_status find_vanished(level *v, const dependency *d,
    const array_findings *f, arena *m, bool *has_vanished)
{
    const dae_pattern *s = v->e->problem.pattern;
    uint8_t *is_loose = ARENA_ARRAY(m, uint8_t, v->columns);
    *has_vanished = false;
    if (!is_loose) return DAE_MEMORY;
    for (size_t k = 0; k < v->columns; k++) {
        const int32_t j = v->e->column_unknown[k];
        is_loose[k] = array_is_internal(v->w, (size_t)j);
        for (size_t q = 0; q < f->loose_count; q++)
            if (f->loose[q].unknown == j) is_loose[k] = 1;
    }
    const dae_status st = level_look_beside(v, is_loose);
    for (size_t k = 0; k < v->columns && !st; k++)
        for (int64_t e = s->column_start[k]; e < s->column_start[k + 1]; e++)
            if (is_loose[k] && d->weight[s->row[e]] != 0 && v->values[e] == 0
                && v->beside[e] != 0)
                *has_vanished = true;
    return st == DAE_RETRY ? DAE_OK : st;
}

/* Whether the same function of time added to all loose unknowns changes no
 * equation. */
static dae_status test_shift(
    const array_work *w, const array_findings *f, arena *m, bool *is_free)
{
    uint8_t *is_in = ARENA_ARRAY(m, uint8_t, w->layout.unknowns);
    *is_free = false;
    if (!is_in) return DAE_MEMORY;
    for (size_t k = 0; k < f->loose_count; k++) is_in[f->loose[k].unknown] = 1;
    return floating_test(w->q->problem, is_in, w->allocator, is_free);
}

/* ---- report ---------------------------------------------------------------------------- */

static dae_status list_parties(
    const level *v, const comparison *c, array_findings *out)
{
    out->dependent = alloc_zeroed(
        v->w->allocator, v->rows, sizeof *out->dependent);
    if (!out->dependent) return DAE_MEMORY;
    out->dependent_room = v->rows;
    for (size_t i = 0; i < v->rows; i++) {
        if (!c->takes_part[i]) continue;
        const int32_t equation = v->e->row_equation[i];
        const size_t first = v->e->row_first[equation];
        out->dependent[out->dependent_count++] = (dae_party){
            .kind = DAE_PARTY_EQUATION,
            .index = equation,
            .order = (int32_t)(i - first),
            .residual = v->residual[i],
            .left = (double)NAN,
            .right = (double)NAN};
    }
    return DAE_OK;
}

/* Whether all loose unknowns occur without derivatives. */
static bool is_loose_still(const level *v, const array_findings *f)
{
    for (size_t k = 0; k < f->loose_count; k++)
        if (v->w->order[f->loose[k].unknown] > 0) return false;
    return true;
}

/* If the others hold, the residual of an equation that takes part undifferentiated
 * satisfies a homogeneous linear differential equation, so the equation holds if it
 * holds at the start. If all are differentiated, varying weights only show that
 * integrals of the equations depend on each other. */
static bool has_follower(const comparison *c, size_t n)
{
    return memchr(c->follows, 1, n) != NULL;
}

/* Weights vary if an equation follows from the others where these hold, as
 * (x + 2)*(x^2 + y^2) = x + 2 from x^2 + y^2 = 1: then other points on the
 * constraints have a dependency, too. */
static bool is_redundant(
    const level *v, const comparison *c, const array_findings *f)
{
    return c->has_weights || is_loose_still(v, f)
        || has_follower(c, v->w->layout.unknowns);
}

/* Whether a value exceeds its given size, and 1, by so much that the half of the digits
 * of a product of three such values is above 1: a contradiction of usual size would be
 * lost in it. */
static bool has_grown(const level *v)
{
    for (size_t j = 0; j < v->w->layout.unknowns; j++) {
        const double usual = fmax(1, array_given_size(v->w, j));
        const double value = fabs(v->z[v->e->column_first[j]]);
        if (HALF_DIGITS * pow(value / usual, 3) > 1) return true;
    }
    return false;
}

/* Rank-deficient rows none of which was found to depend on those before it: near
 * a point with more dependencies, so neither result is used. */
static dae_status test_unfound(level *v, array_findings *out)
{
    size_t rank;
    bool is_sure = true;
    const dae_status st = level_rank(v, LEVEL_ALL, &rank, &is_sure);
    if (!st && rank < v->rows) out->outcome = ARRAY_UNSURE;
    return st;
}

static dae_status report(
    level *v, bool is_consistent, arena *m, array_findings *out)
{
    dependency d;
    comparison c;
    bool is_free = false, has_vanished = false;
    dae_status st;
    out->outcome = ARRAY_NO_INDEX;
    out->verdict = DAE_INDEX_NOT_UNIQUE;
    out->is_compatible = 1;
    if ((st = find_dependency(v, m, &d))) return st;
    if (!d.is_found) return test_unfound(v, out);
    if ((st = test_sum(v, &d, v->t, &out->is_compatible))) return st;
    is_consistent = is_consistent && out->is_compatible;
    if ((st = compare(v, is_consistent, m, &d, &c))) return st;
    if ((st = find_vanished(v, &d, out, m, &has_vanished))) return st;
    if (!c.is_made || c.is_alone || has_vanished) {
        out->outcome = ARRAY_UNSURE;
        return DAE_OK;
    }
    if (c.has_weights && (st = test_usual(v, m, &d, &out->is_compatible)))
        return st;
    if (c.has_weights && (st = test_later(v, &d, &out->is_compatible)))
        return st;
    if (!c.has_weights && out->is_compatible && has_grown(v)) d.is_open = true;
    if (d.is_open) out->outcome = ARRAY_UNSURE;
    if (d.is_open || (st = list_parties(v, &c, out))) return st;
    if (!out->is_compatible) {
        out->verdict = DAE_INDEX_CONTRADICTORY;
        /* a sum other than 0 holds for all points only if weights are constant */
        if (!c.has_weights) out->outcome = ARRAY_UNSURE;
        return DAE_OK;
    }
    if (!is_redundant(v, &c, out)) return DAE_OK;
    st = test_shift(v->w, out, m, &is_free);
    out->verdict = is_free ? DAE_INDEX_FLOATING : DAE_INDEX_REDUNDANT;
    return st;
}

/* Fills out->verdict, dependent and is_compatible from the level's point, other
 * points and out->loose. `is_consistent`: the level's point satisfies the array, and
 * the others must, too. out->outcome: ARRAY_NO_INDEX, or ARRAY_UNSURE if other points
 * do not confirm it. */
static dae_status report_dependency(
    level *v, bool is_consistent, array_findings *out)
{
    arena memory;
    arena_init(&memory, v->w->allocator, 0);
    const dae_status st = report(v, is_consistent, &memory, out);
    arena_clear(&memory);
    return st == DAE_RETRY ? DAE_OK : st;
}

/* ---- one level --------------------------------------------------------------------- */

/* The initial point. */
typedef enum attempt_kind { AT_POINT, NEAR_POINT, ANYWHERE } attempt_kind;
typedef struct attempt {
    attempt_kind kind;
    unsigned number; /* of the point */
    double size;     /* its distance */
} attempt;

/* One pass through the levels. */
typedef struct climb {
    const array_work *w;
    attempt from;
    int most;
    level level; /* the last one that was reached */
    int failed;  /* no point of this level was found; -1 */
    bool has_kink;
    bool has_dependency, is_dependent; /* of rows: here; everywhere */
    size_t open;                       /* targets not determined */
    int64_t freedom;                   /* and values below them */
    int settled;
} climb;

static dae_status begin(const climb *c, level *first)
{
    bool has_values;
    const array_work *w = c->w;
    if (c->from.kind == ANYWHERE)
        return evaluate_anywhere(first, c->from.number, &has_values);
    level_take_vectors(first, w->t, w->x, w->xp);
    return DAE_OK;
}

static dae_status reach(climb *c, int differentiated, bool *is_found)
{
    level next = {0};
    const array_work *w = c->w;
    dae_status st = level_open(&next, w, differentiated);
    *is_found = false;
    if (st) goto done;
    if (differentiated > 0) level_take_level(&next, &c->level);
    else if ((st = begin(c, &next))) goto done;
    if (c->from.kind != AT_POINT)
        level_shake(&next, c->from.number, c->from.size, differentiated > 0);
    /* Slots that satisfy the levels below are held if possible: moved together with
     * the new derivatives, they drift to points where none of these are needed, such
     * as the double root at the end of a circle. */
    const bool hold_states = differentiated > 0
        || (c->from.kind == AT_POINT && w->q->is_consistent);
    if ((st = level_reach(&next, hold_states, is_found))) goto done;
    if (*is_found && differentiated > 0 && level_leaves(&next, &c->level))
        *is_found = false;
    else if (*is_found) {
        level_close(&c->level);
        c->level = next;
        next = (level){0};
    } else if (differentiated > 0) {
        st = level_evaluate(&next);
        c->has_kink = st == DAE_RETRY;
        if (c->has_kink) st = DAE_OK;
    }
done:
    level_close(&next);
    return st;
}

/* Whether the gradient of an equation is 0 at its zero, as of y^2 = 0 (a double
 * root): it determines unknowns, but does not add to the rank. */
static bool has_flat_row(const level *v)
{
    for (size_t i = 0; i < v->rows; i++) {
        size_t k = 0;
        while (k < v->columns && v->a[k * v->rows + i] == 0) k++;
        if (k == v->columns) return true;
    }
    return false;
}

/* For an index the pivots of the targets must exceed the bound of doubt by TWO_DIGITS once
 * more. */
static dae_status test_targets(level *v, array_findings *out)
{
    const double doubt = v->doubt;
    size_t rank;
    bool is_sure = true;
    v->doubt = TWO_DIGITS * doubt;
    const dae_status st = level_rank(
        v, LEVEL_TARGET | LEVEL_REST, &rank, &is_sure);
    v->doubt = doubt;
    if (!is_sure) out->outcome = ARRAY_UNSURE;
    return st;
}

/* Ranks at the level reached: its number is the index if all targets are present and
 * no null vector moves one of them. */
static dae_status look(climb *c, array_findings *out, bool *is_index)
{
    const array_work *w = c->w;
    level *v = &c->level;
    size_t all, derivatives, others, present = 0;
    bool is_sure = !has_flat_row(v);
    dae_status st;
    if ((st = level_rank(v, LEVEL_ALL, &all, &is_sure))
        || (st = level_rank(
                v, LEVEL_TARGET | LEVEL_REST, &derivatives, &is_sure))
        || (st = level_rank(v, LEVEL_REST, &others, &is_sure)))
        return st;
    for (size_t k = 0; k < v->columns; k++)
        present += v->role[k] == LEVEL_TARGET;
    out->outcome = is_sure ? ARRAY_FOUND : ARRAY_UNSURE;
    out->index = v->differentiated;
    out->degrees_of_freedom = (int64_t)w->states - (int64_t)(all - derivatives);
    *is_index = present == w->targets && derivatives == w->targets + others;
    if (*is_index && (st = test_targets(v, out))) return st;
    const size_t open = w->targets + others - derivatives;
    /* the unknowns of a chain are determined one after the other: many levels add
     * constraints before the last derivative is determined */
    const bool is_same = open == c->open
        && out->degrees_of_freedom == c->freedom;
    c->settled = is_same ? c->settled + 1 : 0;
    c->open = open;
    c->freedom = out->degrees_of_freedom;
    c->has_dependency = all < v->rows;
    if (*is_index || !c->has_dependency || c->is_dependent) return DAE_OK;
    level anywhere = {0};
    st = level_open(&anywhere, w, v->differentiated);
    if (!st) st = depend_everywhere(&anywhere, &c->is_dependent);
    level_close(&anywhere);
    return st;
}

/* ---- up the levels --------------------------------------------------------------- */

static bool is_too_large(const climb *c, int differentiated)
{
    const array_request *q = c->w->q;
    const size_t largest = q->largest > 0 ? (size_t)q->largest : LARGEST;
    const size_t n = c->w->layout.unknowns;
    return n > largest || ((size_t)differentiated + 1) * n > largest
        || differentiated >= DAE_SERIES_TERMS_MAX
        || (differentiated > 0 && !q->problem->series);
}

/* Whether the levels up to the expected index take too much work. */
static bool is_out_of_reach(const array_request *q)
{
    const double n = (double)q->problem->unknown_count;
    const double largest = q->largest > 0 ? q->largest : LARGEST;
    double work = 0;
    if ((double)(q->expected + 1) * n > largest) return true;
    for (int64_t k = 0; k <= q->expected; k++) {
        const double rows = (double)(k + 1) * n;
        work += rows * rows * rows;
    }
    return work > WORK_MOST;
}

static dae_status climb_up(climb *c, array_findings *out)
{
    dae_status st;
    assert(c->most >= 0 && c->w->states > 0);
    out->outcome = ARRAY_TOO_LARGE;
    for (int k = 0; k <= c->most; k++) {
        bool is_found, is_index;
        if (is_too_large(c, k)) {
            out->outcome = ARRAY_TOO_LARGE;
            return c->is_dependent ? report_dependency(&c->level, true, out)
                                   : DAE_OK;
        }
        if ((st = reach(c, k, &is_found))) return st;
        if (!is_found) {
            c->failed = k;
            out->outcome = c->has_kink ? ARRAY_TOO_LARGE : ARRAY_NO_POINT;
            return DAE_OK;
        }
        if ((st = look(c, out, &is_index))) return st;
        if (is_index || out->outcome == ARRAY_UNSURE) return DAE_OK;
        if (c->settled >= (c->is_dependent ? SETTLED : SETTLED_HERE)
            && c->has_dependency)
            break;
    }
    if ((st = find_loose(&c->level, out))) return st;
    return report_dependency(&c->level, true, out);
}

static dae_status try_from(
    const array_work *w, attempt from, array_findings *out, int *failed)
{
    const array_request *q = w->q;
    climb c = {.w = w, .from = from, .failed = -1, .open = SIZE_MAX};
    /* variables of the first-order form, and one more */
    size_t most = 1;
    for (size_t j = 0; j < w->layout.unknowns; j++)
        most += w->layout.order[j] > 1 ? w->layout.order[j] : 1;
    if (q->most > 0) most = (size_t)q->most;
    c.most = most < DAE_SERIES_TERMS_MAX ? (int)most : DAE_SERIES_TERMS_MAX;
    array_findings_clear(out, w->allocator);
    dae_status st = climb_up(&c, out);
    if (st == DAE_LIMIT || st == DAE_UNSUPPORTED) {
        out->outcome = ARRAY_TOO_LARGE;
        st = DAE_OK;
    }
    if (st) array_findings_clear(out, w->allocator);
    *failed = c.failed;
    level_close(&c.level);
    return st;
}

/* No consistent point was found, perhaps because dependent equations contradict each
 * other. The unknowns that they leave open are found some levels higher. */
static dae_status blame_dependency(
    const array_work *w, int failed, array_findings *out)
{
    const climb c = {.w = w};
    bool has_values = false;
    dae_status st = DAE_OK;
    for (int k = failed + SETTLED; k >= failed && !has_values && !st; k--) {
        level v = {0};
        bool is_everywhere = false;
        if (is_too_large(&c, k)) continue;
        st = level_open(&v, w, k);
        if (!st) st = depend_everywhere(&v, &is_everywhere);
        if (!st && is_everywhere) st = evaluate_anywhere(&v, 0, &has_values);
        if (!st && has_values) st = find_loose(&v, out);
        if (!st && has_values) st = report_dependency(&v, false, out);
        level_close(&v);
    }
    return st == DAE_LIMIT ? DAE_OK : st;
}

static bool is_settled(array_outcome outcome)
{
    return outcome == ARRAY_FOUND || outcome == ARRAY_NO_INDEX;
}

static bool has_guess(const array_work *w)
{
    for (size_t k = 0; k < w->layout.states; k++)
        if (w->x[k] != 0) return true;
    return false;
}

/* The result must be the same at another point: a near one, or any if the start has
 * no guesses. */
static dae_status confirm(
    const array_work *w, attempt from, array_findings *out)
{
    array_findings other = {0};
    int failed;
    if (w->q->is_consistent || has_guess(w)) from.number += LEVEL_CONFIRMS;
    else
        from = (attempt){
            ANYWHERE, from.kind == ANYWHERE ? LEVEL_CONFIRMS : 0, 1.0 / 8};
    const dae_status st = try_from(w, from, &other, &failed);
    const bool is_other = out->outcome == ARRAY_FOUND
        && (other.index != out->index
            || other.degrees_of_freedom != out->degrees_of_freedom);
    const bool is_settled_there = is_settled(other.outcome)
        && (other.outcome != out->outcome || is_other);
    /* a doubtful rank there makes a certain, smaller one here doubtful */
    const bool differs = !st
        && (is_settled_there || other.outcome == ARRAY_UNSURE);
    array_findings_clear(&other, w->allocator);
    if (differs) out->outcome = ARRAY_UNSURE;
    return st;
}

/* Points near the given one, then others, until one gives a result. */
static dae_status try_others(
    const array_work *w, array_findings *out, int *failed)
{
    static const attempt list[] = {
        {NEAR_POINT, 1, DIGIT}, {ANYWHERE, 0, DIGIT}, {ANYWHERE, 1, DIGIT}};
    const size_t count = sizeof list / sizeof *list;
    for (size_t k = 0; k < count; k++) {
        const dae_status st = try_from(w, list[k], out, failed);
        if (st) return st;
        if (is_settled(out->outcome)) return confirm(w, list[k], out);
        if (out->outcome == ARRAY_TOO_LARGE && *failed < 0) return DAE_OK;
    }
    return DAE_OK;
}

static dae_status examine(const array_work *w, array_findings *out)
{
    const array_request *q = w->q;
    int failed = -1;
    dae_status st = DAE_OK;
    if (!q->is_generic) {
        st = try_from(w, (attempt){AT_POINT, 0, 0}, out, &failed);
        if (st || q->is_consistent || is_settled(out->outcome)) return st;
    }
    if ((st = try_others(w, out, &failed))) return st;
    if (out->outcome == ARRAY_NO_POINT && failed >= 0)
        st = blame_dependency(w, failed, out);
    return st;
}

/* Whether all dependent equations have constant entries alone, which no underflow makes
 * 0; false if none is known. */
static bool is_constant_dependency(const array_work *w, const array_findings *f)
{
    const dae_pattern *a = w->q->problem->pattern;
    if (!a || !a->kind || !a->column_start || f->dependent_count == 0)
        return false;
    const size_t columns = w->layout.states + w->layout.unknowns;
    for (int64_t k = 0; k < a->column_start[columns]; k++)
        for (size_t q = 0; q < f->dependent_count; q++)
            if (a->row[k] == f->dependent[q].index
                && a->kind[k] == DAE_ENTRY_VARYING)
                return false;
    return true;
}

dae_status array_examine(const array_request *q, array_findings *out)
{
    array_work w;
    *out = (array_findings){.outcome = ARRAY_TOO_LARGE};
    const size_t largest = q->largest > 0 ? (size_t)q->largest : LARGEST;
    if (q->problem->unknown_count > largest || is_out_of_reach(q))
        return DAE_OK;
    dae_status st = array_work_init(&w, q);
    (void)feclearexcept(FE_UNDERFLOW);
    if (!st) st = examine(&w, out);
    /* entries that are 0 by underflow make rows dependent that are not */
    if (!st && out->outcome == ARRAY_NO_INDEX && fetestexcept(FE_UNDERFLOW)
        && !is_constant_dependency(&w, out))
        out->outcome = ARRAY_UNSURE;
    if (st) array_findings_clear(out, alloc_or_default(q->allocator));
    assert(out->loose_count <= out->loose_room);
    assert(out->dependent_count <= out->dependent_room);
    assert(out->outcome != ARRAY_FOUND || out->index >= 0);
    if (out->outcome != ARRAY_FOUND) out->index = out->degrees_of_freedom = -1;
    array_work_clear(&w);
    return st;
}
