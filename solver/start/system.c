/* The lowest layer of start/: evaluates F and conditions at one point z and keeps
 * the Jacobian. Residuals are measured by start/tolerance.c. */
#include "start/system.h"
#include "linalg/naming.h"
#include "linalg/thresholds.h"
#include "start/tolerance.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

static bool take_vectors(init_system *s)
{
    arena *a = &s->arena;
    s->z = ARENA_ARRAY(a, double, s->slots);
    s->guess = ARENA_ARRAY(a, double, s->slots);
    s->atol = ARENA_ARRAY(a, double, s->slots);
    s->scale = ARENA_ARRAY(a, double, s->slots);
    s->is_free = ARENA_ARRAY(a, uint8_t, s->slots);
    s->is_rate = ARENA_ARRAY(a, uint8_t, s->slots);
    s->is_stated = ARENA_ARRAY(a, uint8_t, s->slots);
    s->res = ARENA_ARRAY(a, double, s->rows);
    s->tolerance = ARENA_ARRAY(a, double, s->rows);
    s->noise = ARENA_ARRAY(a, double, s->rows);
    s->local = ARENA_ARRAY(a, int32_t, s->rows);
    if (!s->is_exact) s->weights = ARENA_ARRAY(a, double, s->states);
    return s->z && s->guess && s->atol && s->scale && s->is_free && s->is_rate
        && s->is_stated && s->res && s->tolerance && s->noise && s->local
        && (s->weights || s->is_exact);
}

static bool has_bounds(const dae_scales *scales, size_t n)
{
    for (size_t j = 0; scales && j < n; j++)
        if ((scales->minimum && scales->minimum[j] > -(double)INFINITY)
            || (scales->maximum && scales->maximum[j] < (double)INFINITY))
            return true;
    return false;
}

/* A bound is one of the unknown itself, not of its derivatives. */
static dae_status take_bounds(init_system *s)
{
    const dae_scales *scales = s->request->problem->scales;
    const size_t *first = s->request->layout->first;
    if (!has_bounds(scales, s->n)) return DAE_OK;
    s->low = ARENA_ARRAY(&s->arena, double, s->slots);
    s->high = ARENA_ARRAY(&s->arena, double, s->slots);
    if (!s->low || !s->high) return DAE_MEMORY;
    for (size_t k = 0; k < s->slots; k++) {
        s->low[k] = -(double)INFINITY;
        s->high[k] = (double)INFINITY;
    }
    for (size_t j = 0; j < s->n; j++) {
        if (scales->minimum && !isnan(scales->minimum[j]))
            s->low[first[j]] = scales->minimum[j];
        if (scales->maximum && !isnan(scales->maximum[j]))
            s->high[first[j]] = scales->maximum[j];
    }
    return DAE_OK;
}

/* False if the search begins at another value than the problem's guess. */
static bool is_at_guess(
    double z, const double *values, const uint8_t *mask, size_t k)
{
    if (!values || z != values[k]) return false;
    return mask ? mask[k] != 0 : z != 0;
}

static void fill_stated(init_system *s)
{
    const dae_start *from = s->request->problem->start;
    for (size_t k = 0; k < s->slots && from; k++) {
        if (!s->is_free[k]) continue;
        s->is_stated[k] = k < s->states
            ? is_at_guess(s->z[k], from->x, from->x_guessed, k)
            : is_at_guess(s->z[k], from->xp, from->xp_guessed, k - s->states);
    }
}

void unknowns_weigh(init_system *s, size_t k)
{
    /* for differences rounding is the larger error here */
    if (s->weights)
        s->weights[k] = 1
            / fmax(s->request->rtol * fabs(s->z[k]) + s->atol[k],
                THIRD_OF_DIGITS / TWO_DIGITS * s->scale[k]);
}

static void fill(init_system *s, const double *x, const double *xp)
{
    const init_request *r = s->request;
    const layout *l = r->layout;
    memcpy(s->z, x, s->states * sizeof *x);
    if (s->slots > s->states) memcpy(s->z + s->states, xp, s->n * sizeof *xp);
    for (size_t j = 0; j < s->n; j++) {
        tolerance_fill(s, j);
        if (s->slots == s->states) continue;
        assert(s->scale[s->states + j] > 0 && s->atol[s->states + j] >= 0);
        s->is_free[s->states + j] = l->order[j] > 0 && !r->xp_fixed[j];
        s->is_rate[s->states + j] = 1;
    }
    for (size_t k = 0; k < s->states; k++) {
        s->is_free[k] = !r->x_fixed[k];
        s->is_rate[k] = r->stands_for && r->is_inner && r->is_inner[k];
        unknowns_weigh(s, k);
    }
    for (size_t i = 0; i < s->rows; i++) s->local[i] = -1;
    fill_stated(s);
    memcpy(s->guess, s->z, s->slots * sizeof *s->z);
    tolerance_sharpen(s, tolerance_remnant(s));
}

static dae_status make_jacobian(
    init_system *s, const jacobian_source *source, size_t offset, jacobian **j)
{
    const init_request *r = s->request;
    const dae_status st = jacobian_create(source, r->layout, r->allocator, j);
    if (st) return st;
    const dae_pattern *p = jacobian_pattern(*j);
    s->entries[s->ranges++] = (entry_range){.row = p->row,
        .value = jacobian_values(*j),
        .kind = p->kind,
        .start = p->column_start,
        .offset = offset};
    return DAE_OK;
}

static dae_status make_jacobians(init_system *s)
{
    const init_request *r = s->request;
    const dae_problem *p = r->problem;
    const jacobian_source f = {
        p->self, s->equations, p->residual, p->jacobian, p->pattern};
    const dae_status st = make_jacobian(s, &f, 0, &s->f);
    if (st || s->rows == s->equations) return st;
    const jacobian_source c = {p->self, s->rows - s->equations,
        p->start->condition_residual, p->start->condition_jacobian,
        &p->start->condition_pattern};
    return make_jacobian(s, &c, s->equations, &s->c);
}

dae_status unknowns_init(init_system *s, const init_request *request,
    const double *x, const double *xp, dae_stats *stats)
{
    const dae_problem *p = request->problem;
    *s = (init_system){.request = request, .stats = stats};
    arena_init(&s->arena, alloc_or_default(request->allocator), 0);
    s->n = p->unknown_count;
    s->states = request->layout->states;
    s->slots = request->layout->slots;
    s->equations = request->equation_count ? request->equation_count : s->n;
    s->rows = s->equations;
    if (request->use_conditions && p->start
        && !size_add(s->equations, p->start->condition_count, &s->rows))
        return DAE_LIMIT;
    if (s->rows >= INT32_MAX) return DAE_LIMIT;
    s->is_exact = p->jacobian
        && (s->rows == s->equations || p->start->condition_jacobian);
    if (!take_vectors(s) || take_bounds(s)) return DAE_MEMORY;
    fill(s, x, xp);
    s->fuzz = s->is_exact ? rounding_of(1000) : THIRD_OF_DIGITS;
    assert(s->rows >= s->equations && s->slots >= s->states);
    return make_jacobians(s);
}

void unknowns_clear(init_system *s)
{
    jacobian_free(s->f);
    jacobian_free(s->c);
    arena_clear(&s->arena);
    s->f = s->c = NULL;
}

dae_status unknowns_interrupt(const init_system *s)
{
    const init_request *r = s->request;
    const bool stop = r->interrupt && r->interrupt(r->interrupt_context);
    return stop ? DAE_INTERRUPTED : DAE_OK;
}

static bool is_counted(const init_system *s, size_t row)
{
    return !s->is_counted || s->is_counted[row];
}

bool unknowns_have_values(const init_system *s, const double *res)
{
    if (!s->is_counted) return !any_overflow(res, s->rows);
    for (size_t i = 0; i < s->rows; i++)
        if (s->is_counted[i] && is_overflow(res[i])) return false;
    return true;
}

const double *unknowns_xp(const init_system *s, const double *z)
{
    return z + (s->slots - s->n);
}

dae_status unknowns_residual(init_system *s, const double *z, double *res)
{
    const init_request *r = s->request;
    const dae_problem *p = r->problem;
    s->stats->residual_evals++;
    /* a function that refuses a point need not write all rows */
    for (size_t i = 0; s->is_counted && i < s->rows; i++) res[i] = (double)NAN;
    dae_status st = p->residual(p->self, r->t0, z, unknowns_xp(s, z), res);
    if (st && st != DAE_RETRY) return st;
    const bool is_refused = st && !s->is_counted;
    if (s->c)
        st = p->start->condition_residual(
            p->self, r->t0, z, unknowns_xp(s, z), res + s->equations);
    if (st && st != DAE_RETRY) return st;
    return is_refused || !unknowns_have_values(s, res) ? DAE_RETRY : DAE_OK;
}

static size_t entry_count(const init_system *s, const jacobian *j)
{
    return (size_t)jacobian_pattern(j)->column_start[s->slots];
}

bool unknowns_have_slopes(const init_system *s)
{
    if (!any_overflow(jacobian_values(s->f), entry_count(s, s->f))
        && (!s->c
            || !any_overflow(jacobian_values(s->c), entry_count(s, s->c))))
        return true;
    for (size_t k = 0; k < s->slots; k++) {
        entry_range e[2];
        if (!s->is_free[k]) continue;
        const int count = unknowns_column(s, k, e);
        for (int q = 0; q < count; q++)
            for (int64_t p = e[q].begin; p < e[q].end; p++)
                if (is_overflow(e[q].value[p])
                    && is_counted(s, (size_t)e[q].row[p] + e[q].offset))
                    return false;
    }
    return true;
}

static dae_status evaluate(init_system *s, jacobian *j, const double *res)
{
    const dae_status st = jacobian_evaluate(j, s->request->t0, s->z,
        unknowns_xp(s, s->z), res, s->weights, 0, &s->stats->residual_evals);
    if (st != DAE_RETRY) return st;
    /* DAE_OK if the function gave values, to be checked by the caller */
    return jacobian_overflow_row(j) < 0 ? st : DAE_OK;
}

dae_status unknowns_jacobian(init_system *s)
{
    dae_status st;
    s->stats->jacobian_evals++;
    if ((st = evaluate(s, s->f, s->res))) return st;
    if (s->c && (st = evaluate(s, s->c, s->res + s->equations))) return st;
    return unknowns_have_slopes(s) ? DAE_OK : DAE_RETRY;
}

static void add_present(
    const init_system *s, const jacobian *j, uint8_t *present)
{
    const double *values = jacobian_values(j);
    if (!present) return;
    for (size_t p = 0; p < entry_count(s, j); p++)
        if (values[p] != 0) present[p] = 1; /* a NaN too */
}

static void add_all_present(init_system *s)
{
    add_present(s, s->f, s->present.f);
    if (s->c) add_present(s, s->c, s->present.c);
}

static void step_aside(init_system *s)
{
    for (size_t k = 0; k < s->slots; k++) {
        const double by = step_aside_of(s->scale[k], k);
        const double up = s->guess[k] + by;
        s->z[k] = up <= unknowns_high(s, k)
            ? up
            : fmax(s->guess[k] - by, unknowns_low(s, k));
    }
}

dae_status unknowns_probe(init_system *s)
{
    const dae_problem *p = s->request->problem;
    const bool f_known = p->pattern && p->pattern->column_start;
    const bool c_known = !s->c || p->start->condition_pattern.column_start;
    arena *a = &s->arena;
    if (f_known && c_known) return DAE_OK;
    double *res = ARENA_ARRAY(a, double, s->rows);
    if (!f_known) s->present.f = ARENA_ARRAY(a, uint8_t, entry_count(s, s->f));
    if (!c_known) s->present.c = ARENA_ARRAY(a, uint8_t, entry_count(s, s->c));
    if (!res || (!f_known && !s->present.f) || (!c_known && !s->present.c))
        return DAE_MEMORY;
    add_all_present(s);
    memcpy(res, s->res, s->rows * sizeof *res);
    step_aside(s);
    dae_status st = unknowns_residual(s, s->z, s->res);
    if (!st) st = unknowns_jacobian(s);
    if (st && st != DAE_RETRY) return st;
    if (st) /* no second point: any entry may be present */
        s->present.f = s->present.c = NULL;
    else add_all_present(s);
    s->entries[0].present = s->present.f;
    s->entries[1].present = s->present.c;
    memcpy(s->z, s->guess, s->slots * sizeof *s->z);
    memcpy(s->res, res, s->rows * sizeof *res);
    return unknowns_jacobian(s);
}

dae_status unknowns_evaluate(init_system *s)
{
    dae_status st = unknowns_residual(s, s->z, s->res);
    if (!st) st = unknowns_jacobian(s);
    if (!st) tolerance_measure(s);
    return st;
}

dae_status unknowns_begin(init_system *s)
{
    for (size_t i = 0; i < s->rows; i++) s->res[i] = (double)NAN;
    dae_status st = unknowns_residual(s, s->z, s->res);
    if (st && st != DAE_RETRY) return st;
    s->stats->jacobian_evals++;
    st = evaluate(s, s->f, s->res);
    if (!st && s->c) st = evaluate(s, s->c, s->res + s->equations);
    if (!st) tolerance_measure(s);
    return st;
}

dae_status unknowns_evaluate_solution(init_system *s)
{
    const dae_status st = unknowns_begin(s);
    return !st && !unknowns_have_values(s, s->res) ? DAE_RETRY : st;
}

bool unknowns_are_constant(const init_system *s)
{
    for (size_t k = 0; k < s->slots; k++) {
        entry_range e[2];
        const int count = unknowns_column(s, k, e);
        for (int q = 0; q < count; q++)
            for (int64_t p = e[q].begin; p < e[q].end; p++)
                if (!e[q].kind || e[q].kind[p] == DAE_ENTRY_VARYING)
                    return false;
    }
    return true;
}

bool unknowns_are_guessed(const init_system *s, const subset *p)
{
    for (size_t j = 0; j < p->slot_count; j++)
        if (s->z[p->slots[j]] != s->guess[p->slots[j]]) return false;
    return true;
}

double unknowns_slope(const init_system *s, size_t slot, size_t row)
{
    entry_range e[2];
    const int count = unknowns_column(s, slot, e);
    assert(row < s->rows);
    for (int q = 0; q < count; q++)
        for (int64_t p = e[q].begin; p < e[q].end; p++)
            if ((size_t)e[q].row[p] + e[q].offset == row)
                return entry_value(&e[q], p);
    return 0;
}

bool unknowns_reads(const init_system *s, size_t slot, size_t row)
{
    entry_range e[2];
    const int count = unknowns_column(s, slot, e);
    assert(row < s->rows);
    for (int q = 0; q < count; q++)
        for (int64_t p = e[q].begin; p < e[q].end; p++)
            if ((size_t)e[q].row[p] + e[q].offset == row
                && entry_is_present(&e[q], p))
                return true;
    return false;
}

bool unknowns_is_in(const init_system *s, size_t slot, const uint8_t *mark)
{
    entry_range e[2];
    const int count = unknowns_column(s, slot, e);
    for (int q = 0; q < count; q++)
        for (int64_t p = e[q].begin; p < e[q].end; p++)
            if (mark[(size_t)e[q].row[p] + e[q].offset]
                && entry_is_present(&e[q], p))
                return true;
    return false;
}

/* Writes every present entry of `m` in order, and counts. Rows of `m` are numbered in
 * s->local meanwhile, all others have -1 there. */
static size_t walk(
    const submatrix *m, const init_system *s, int32_t *row, double *values)
{
    size_t at = 0;
    for (size_t i = 0; i < m->rows; i++) s->local[m->row_at[i]] = (int32_t)i;
    for (size_t j = 0; j < m->columns; j++) {
        entry_range e[2];
        const int count = unknowns_column(s, (size_t)m->slot_at[j], e);
        if (row) m->column_start[j] = (int64_t)at;
        for (int q = 0; q < count; q++) {
            for (int64_t p = e[q].begin; p < e[q].end; p++) {
                const int32_t i = s->local[(size_t)e[q].row[p] + e[q].offset];
                if (i < 0 || !entry_is_present(&e[q], p)) continue;
                if (row) row[at] = i;
                if (values) values[at] = entry_value(&e[q], p);
                at++;
            }
        }
    }
    if (row) m->column_start[m->columns] = (int64_t)at;
    for (size_t i = 0; i < m->rows; i++) s->local[m->row_at[i]] = -1;
    return at;
}

/* Those of its slots in all rows. */
static size_t entries_at_most(const submatrix *m, const init_system *s)
{
    size_t count = 0;
    for (size_t j = 0; j < m->columns; j++)
        for (int q = 0; q < s->ranges; q++) {
            const int64_t *start = s->entries[q].start + m->slot_at[j];
            count += (size_t)(start[1] - start[0]);
        }
    return count;
}

dae_status submatrix_init(submatrix *m, init_system *s, const int32_t *row_at,
    size_t rows, const int32_t *slot_at, size_t columns)
{
    *m = (submatrix){
        .rows = rows, .columns = columns, .row_at = row_at, .slot_at = slot_at};
    m->column_start = ARENA_ARRAY(&s->arena, int64_t, columns + 1);
    if (!m->column_start) return DAE_MEMORY;
    m->row = ARENA_ARRAY(&s->arena, int32_t, entries_at_most(m, s));
    if (!m->row) return DAE_MEMORY;
    m->entries = walk(m, s, m->row, NULL);
    return DAE_OK;
}

matrix_view submatrix_view(const submatrix *m, const double *values)
{
    return (matrix_view){m->rows, m->columns, m->column_start, m->row, values};
}

void submatrix_values(const submatrix *m, const init_system *s, double *values)
{
    walk(m, s, NULL, values);
}

double unknowns_unit(const init_system *s, size_t slot)
{
    int order = 0;
    const dae_scales *scales = s->request->problem->scales;
    const size_t j = naming_unknown(s->request->layout, slot, &order);
    const double nominal = scales && scales->nominal
            && j < s->request->problem->unknown_count
        ? scales->nominal[j]
        : 0;
    return nominal > 0 && isfinite(nominal) ? nominal : 1;
}
