/* The levels of the derivative array: at each one the columns are states, targets or the
 * rest, the matrix is that of series_jacobian, scaled by sizes for its ranks, and
 * Gauss-Newton leads to the consistent points where these are taken. */
#include "index/derivative_array_level.h"

#include "index/derivative_array_rank.h"
#include "index/generic_points.h"
#include "index/sampler.h"
#include "linalg/scale.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- what stays the same ----------------------------------------------------- */

bool array_is_internal(const array_work *w, size_t j)
{
    const uint8_t *group = w->q->problem->index_group;
    return group && group[j] == 255;
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

double array_given_size(const array_work *w, size_t j)
{
    const dae_scales *s = w->q->problem->scales;
    const dae_start *start = w->q->problem->start;
    const double nominal = s && s->nominal ? s->nominal[j] : 0;
    const double guess = start && start->x ? fabs(start->x[w->layout.first[j]])
                                           : 0;
    /* less is what rounding has left of a zero: printed by one search, read by the
     * next */
    const bool is_guess = guess > rounding_of(ROUNDING_OF_SUMS);
    return nominal > 0 ? nominal : is_guess ? guess : 0;
}

/* The given size; else the value, unless it may be the rounding of a 0; else 1. */
static void take_sizes(array_work *w)
{
    for (size_t j = 0; j < w->layout.unknowns; j++) {
        const double given = array_given_size(w, j);
        const double value = fabs(w->x[w->layout.first[j]]);
        w->size[j] = given > 0 ? given : value > WEAK_ENTRY ? value : 1;
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

/* ---- what is the same at all levels ---------------------------------------------- */

dae_status array_work_init(array_work *w, const array_request *q)
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

void array_work_clear(array_work *w)
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

dae_status level_open(level *v, const array_work *w, int differentiated)
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

void level_close(level *v)
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

void level_take_vectors(level *v, double t, const double *x, const double *xp)
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

void level_take_level(level *v, const level *from)
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

/* What is small among entries that never change is so for its unit; elsewhere it may
 * be the error of the point, which is not to be made large. */
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
 * columns by at most COLUMN_STRETCH beyond what is typical. */
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
                column[k], power_under(1 / (COLUMN_STRETCH * v->size[k])));
    }
    scale_to_dense(&m, v->row_scale, v->column_scale, v->a);
}

dae_status level_evaluate(level *v)
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

/* How far entries of the scaled matrix may be wrong where the point is: as much
 * as they change beside it, but never more than the point itself. */
static double error_of_entries(const level *v, const double *change)
{
    const dae_pattern *s = v->e->problem.pattern;
    double most = 0;
    for (size_t k = 0; k < v->columns; k++)
        for (int64_t e = s->column_start[k]; e < s->column_start[k + 1]; e++)
            most = fmax(
                most, change[e] * v->row_scale[s->row[e]] * v->column_scale[k]);
    return fmax(EXACT_ERROR, fmin(v->error, most / RANK_GAP));
}

dae_status level_prepare(level *v, double error)
{
    v->error = fmax(error, EXACT_ERROR);
    dae_status st = level_evaluate(v);
    if (!st) st = entries_at(v, RANK_GAP * v->error, NULL, v->beside);
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

dae_status level_look_beside(level *v, const uint8_t *is_moved)
{
    return entries_at(v, DIFFERENCE_STEP, is_moved, v->beside);
}

size_t level_part(level *v, unsigned roles)
{
    size_t count = 0;
    for (size_t k = 0; k < v->columns; k++) {
        if (!(v->role[k] & roles)) continue;
        memcpy(v->spent + count++ * v->rows, v->a + k * v->rows,
            v->rows * sizeof *v->a);
    }
    return count;
}

dae_status level_rank(level *v, unsigned roles, size_t *rank, bool *is_sure)
{
    const size_t count = level_part(v, roles);
    return ranks_count(
        v->spent, v->rows, count, v->doubt, v->w->allocator, rank, is_sure);
}

/* ---- consistent points --------------------------------------------------------- */

/* Where a level's ranks are to be taken: Gauss-Newton with least changes onto
 * F_i^(k) = 0, states held as long as that works. Ranks beside that set are
 * ranks of another system. */

/* A residual below this part of its terms is rounding; one that does not get smaller
 * is accepted below VALUES_ERROR. */
static double exact(void)
{
    return rounding_of(ROUNDING_OF_SUMS);
}

enum { ITERATIONS = 25, HALVINGS = 12 };

/* ---- leaving special places ---------------------------------------------------- */

static double within(const level *v, size_t k, double from, double to)
{
    const dae_scales *s = v->e->problem.scales;
    if (s && s->minimum && to < s->minimum[k]) return from;
    if (s && s->maximum && to > s->maximum[k]) return from;
    return to;
}

void level_shake(level *v, unsigned number, double size, bool is_new_only)
{
    const array_work *w = v->w;
    for (size_t k = 0; k < v->columns; k++) {
        const size_t j = (size_t)v->e->column_unknown[k];
        const size_t order = k - v->e->column_first[j];
        const size_t known = (size_t)(v->differentiated + w->layout.order[j]);
        if (is_new_only && order < known) continue;
        /* a number of its own for each slot, the same at every level */
        const double part = points_number(
            2 * (uint64_t)number + 1, 64 * 256 * j + order);
        v->z[k] = within(v, k, v->z[k],
            v->z[k] + size * part * fmax(v->w->size[j], fabs(v->z[k])));
    }
    if (is_new_only) return;
    /* forward, as the past of a start may have no values; farther where it is
     * to confirm: a coefficient t^2 is next to nothing near 0 */
    const double part = number >= LEVEL_CONFIRMS ? 1 : 1 / RANK_GAP;
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
    for (size_t i = 0; i < v->rows; i++)
        size[i] = RESIDUAL_GONE / v->row_scale[i];
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

/* The part of `before` that a sum of squares has to fall below. At a double root
 * steps are half as long as they should be, and a regular one is approached faster
 * [DKK83]: so twice the step is taken where it does what a regular root allows. */
static double required(double part)
{
    return part > 1 ? pow(LINEAR_RATE, 4) : 1 - part / 10;
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
        /* at rounding: roots of any multiplicity are approached faster */
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

/* What one more step would change, as part of what is typical: at a root that
 * is double far more than the residual shows. */
static dae_status measure(level *v, double *error)
{
    const dae_status st = find_step(v, LEVEL_ALL);
    *error = 0;
    for (size_t k = 0; k < v->columns && !st; k++)
        *error = fmax(*error, fabs(v->step[k]) / v->size[k]);
    return st;
}

/* Whether a step is too large to be real: if held states violate a constraint a
 * little, a derivative whose coefficient is the residual of another equation
 * may be used to satisfy it. */
static bool is_absurd(const level *v, const double *before)
{
    for (size_t k = 0; k < v->columns; k++) {
        const double size = fmax(
            v->w->size[v->e->column_unknown[k]], fabs(before[k]));
        if (!(EFFECT_ERROR * fabs(v->z[k] - before[k]) <= fmax(size, 1)))
            return true;
    }
    return false;
}

/* States where they are, if that does. `before` has room for z. */
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

bool level_leaves(level *v, const level *below)
{
    if (v->is_constant) return false;
    const double before = fmax(below->left, exact());
    return worst(v, below->differentiated) > ERROR_MARGIN * before;
}

/* The point that was reached, with what is left of its residuals. */
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

dae_status level_reach(level *v, bool hold_states, bool *is_found)
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
