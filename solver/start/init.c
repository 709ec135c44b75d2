/* A start: bounds, values, the search (start/solve.c), derivatives left open,
 * then the count of given, missing and redundant conditions. If it fails, the
 * inconsistent set. */
#include "start/init.h"
#include "base/real.h"
#include "linalg/iteration_matrix.h"
#include "linalg/thresholds.h"
#include "start/record_findings.h"
#include "start/report_names.h"
#include "start/stages.h"
#include "start/system.h"
#include "start/tolerance.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* ---- where a search has failed ------------------------------------------------- */

/* The outcome and the block where it began. A thorough search looks for a set that
 * does not hold together first (start/conflict.c). */

/* ---- no value ---------------------------------------------------------------- */

/* The first row of the part with an overflowed or NaN entry in a slot of it. */
static size_t row_without_slope(const init_system *s, const subset *part)
{
    size_t first = s->rows;
    for (size_t j = 0; j < part->slot_count; j++) {
        entry_range e[2];
        const int count = unknowns_column(s, (size_t)part->slots[j], e);
        for (int q = 0; q < count; q++)
            for (int64_t p = e[q].begin; p < e[q].end; p++) {
                const size_t row = (size_t)e[q].row[p] + e[q].offset;
                if (!is_overflow(e[q].value[p]) || row >= first) continue;
                for (size_t i = 0; i < part->row_count; i++)
                    if ((size_t)part->rows[i] == row) first = row;
            }
    }
    return first;
}

/* The first row (of the part, if given) without a residual, else without a
 * Jacobian row; rows: none. */
static size_t row_without_value(const init_system *s, const subset *part)
{
    for (size_t i = 0; part && i < part->row_count; i++)
        if (is_overflow(s->res[part->rows[i]])) return (size_t)part->rows[i];
    if (part) return row_without_slope(s, part);
    for (size_t i = 0; i < s->rows; i++)
        if (is_overflow(s->res[i])) return i;
    int64_t i = jacobian_overflow_row(s->f);
    if (i >= 0) return (size_t)i;
    if (s->c && (i = jacobian_overflow_row(s->c)) >= 0)
        return s->equations + (size_t)i;
    return s->rows;
}

/* The overflowed entry of a row whose residual is finite. */
static double overflowed_entry(const init_system *s, size_t row)
{
    const jacobian *j = row < s->equations ? s->f : s->c;
    const int64_t i = (int64_t)(row < s->equations ? row : row - s->equations);
    return overflow_in_row(
        jacobian_pattern(j), s->slots, jacobian_values(j), i);
}

/* If a callback refuses the point: the first of some rows that the problem
 * explains; rows: none. */
static size_t row_explained(const init_system *s)
{
    enum { ROWS_ASKED = 1000 };
    char why[256];
    const init_request *r = s->request;
    const dae_problem *p = r->problem;
    for (size_t i = 0; p->explain && i < s->equations && i < ROWS_ASKED; i++) {
        const size_t length = p->explain(p->self, DAE_NAME_EQUATION, i, r->t0,
            s->z, unknowns_xp(s, s->z), why, sizeof why);
        if (length != SIZE_MAX && length > 0) return i;
    }
    return s->rows;
}

/* The row reads free slots of other parts, which are solved before. */
static bool reads_other_parts(
    const init_system *s, size_t row, const subset *part)
{
    for (size_t k = 0; k < s->slots; k++) {
        bool is_own = !s->is_free[k] || !unknowns_reads(s, k, row);
        for (size_t j = 0; j < part->slot_count && !is_own; j++)
            is_own = (size_t)part->slots[j] == k;
        if (!is_own) return true;
    }
    return false;
}

static dae_status explain_no_value(init_system *s, const subset *part)
{
    init_failure f = {.kind = INIT_NO_ROW_VALUE, .value = (double)NAN};
    dae_status st = DAE_OK;
    size_t row = row_without_value(s, part);
    const bool is_own = row < s->rows;
    f.is_reached = part && is_own && reads_other_parts(s, row, part);
    if (!is_own) row = row_explained(s);
    if (row < s->rows) {
        f.is_slope = !is_overflow(s->res[row]);
        if (is_own)
            f.value = f.is_slope ? overflowed_entry(s, row) : s->res[row];
        st = record_rows(s, &row, 1, &f);
    }
    if (!st) st = record_failure(s, &f);
    return st ? st : DAE_NUMERIC;
}

static dae_status explain_not_finite(init_system *s, size_t slot)
{
    init_failure f = {.kind = INIT_NO_SLOT_VALUE};
    const int32_t only = (int32_t)slot;
    dae_status st = record_slots(s, &only, 1, &f.slots);
    f.slot_count = 1;
    if (!st) st = record_failure(s, &f);
    return st ? st : DAE_NUMERIC;
}

/* ---- inconsistency ----------------------------------------------------------- */

/* Slots of the row, without entries that are 0 for all values. */
static size_t count_slots(const init_system *s, size_t row)
{
    size_t slots = 0;
    for (size_t k = 0; k < s->slots; k++) slots += unknowns_reads(s, k, row);
    return slots;
}

/* A row whose slots are all given; `similar`: the number of further failing rows of
 * its equation. The contradiction is proved if the set has all slots of the row. */
static dae_status contradiction(init_system *s, size_t row, size_t similar)
{
    int32_t only = (int32_t)row;
    members b = {.rows = &only, .row_count = 1};
    const dae_status st = record_take_given(s, row, &b);
    if (st) return st;
    const size_t slots = count_slots(s, row);
    const init_conflict about = {
        .similar = similar, .is_proved = b.slot_count == slots};
    return record_conflict(s, &b, row, &about);
}

static place row_place(const init_system *s, size_t row)
{
    const bool is_f = row < s->equations;
    const init_party p = {.kind = is_f ? INIT_EQUATION : INIT_CONDITION,
        .index = is_f ? row : row - s->equations};
    return party_place(s->request, &p);
}

/* Of the rows of one equation (same position in the text) the first is recorded. */
static dae_status explain_checks(init_system *s, const subset *checks)
{
    size_t first[INIT_SETS_MOST], similar[INIT_SETS_MOST] = {0}, count = 0;
    dae_status st = DAE_OK;
    for (size_t k = 0; k < checks->row_count; k++) {
        const size_t row = (size_t)checks->rows[k];
        size_t i = 0;
        bool holds;
        if ((st = tolerance_holds(s, row, &holds))) return st;
        if (holds) continue;
        while (i < count
            && !is_same_place(row_place(s, row), row_place(s, first[i])))
            i++;
        if (i < count) similar[i]++;
        else if (count < INIT_SETS_MOST) first[count++] = row;
    }
    if (s->request->is_brief) return DAE_INCONSISTENT;
    for (size_t i = 0; i < count && !st; i++) {
        bool is_found = false;
        if (s->request->is_thorough)
            st = conflict_of_row(s, first[i], similar[i], &is_found);
        if (st == DAE_INCONSISTENT || st == DAE_NUMERIC) st = DAE_OK;
        if (!st && !is_found) st = contradiction(s, first[i], similar[i]);
    }
    return st ? st : DAE_INCONSISTENT;
}

/* The residual of each row over a tolerance computed with slots of at least
 * their typical sizes: near 0 the tolerance of a square is negligible, and any
 * residual of it would be the worst. */
static double *measure_left(init_system *s)
{
    const double rtol = s->request->rtol;
    double *left = ARENA_ARRAY(&s->arena, double, s->rows);
    for (size_t k = 0; left && k < s->slots; k++) {
        entry_range e[2];
        const double size = larger(fabs(s->z[k]), s->scale[k]);
        const int count = unknowns_column(s, k, e);
        for (int q = 0; q < count; q++)
            for (int64_t p = e[q].begin; p < e[q].end; p++) {
                double *of = &left[(size_t)e[q].row[p] + e[q].offset];
                const double slope = fabs(entry_value(&e[q], p));
                *of = larger(*of, slope * (rtol * size + s->atol[k]));
            }
    }
    for (size_t i = 0; left && i < s->rows; i++) {
        const double ratio = tolerance_ratio(s, i);
        const double usual = larger(left[i], s->tolerance[i]);
        left[i] = ratio > 1 && usual > 0 ? fabs(s->res[i]) / usual : ratio;
    }
    return left;
}

enum { ROWS_NAMED = 3 };

/* The unsolved rows of the block, worst first, up to `most`. */
static dae_status worst_rows(
    init_system *s, const subset *b, size_t most, size_t *rows, size_t *count)
{
    const double *left = measure_left(s);
    if (!left) return DAE_MEMORY;
    for (*count = 0; *count < most; ++*count) {
        size_t best = s->rows;
        for (size_t i = 0; i < b->row_count; i++) {
            const size_t row = (size_t)b->rows[i];
            bool is_listed = false;
            for (size_t k = 0; k < *count; k++)
                is_listed = is_listed || rows[k] == row;
            if (is_listed || !(tolerance_ratio(s, row) > 1)) continue;
            if (best == s->rows || left[row] > left[best]) best = row;
        }
        if (best == s->rows) break;
        rows[*count] = best;
    }
    return DAE_OK;
}

/* Records a search that failed, at the point where it ended. */
static dae_status record_end_of_search(init_system *s, const solution *end)
{
    const subset *b = &end->failed;
    size_t rows[ROWS_NAMED], count;
    init_failure f = {.kind = INIT_STALLED,
        .block_rows = b->row_count,
        .block_slots = b->slot_count,
        .is_singular = end->is_singular,
        .iterations = end->iterations};
    dae_status st = worst_rows(s, b, ROWS_NAMED, rows, &count);
    if (st) return st;
    if (count == 0) { /* not converged although every row holds */
        rows[0] = (size_t)b->rows[0];
        count = 1;
    }
    st = record_rows(s, rows, count, &f);
    if (!st) st = record_block(s, b, &f);
    if (!st) st = record_failure(s, &f);
    return st ? st : DAE_NUMERIC;
}

/* The first row that reads the slot. */
static size_t row_of_slot(const init_system *s, size_t slot)
{
    for (size_t i = 0; i < s->rows; i++)
        if (unknowns_reads(s, slot, i)) return i;
    return s->rows;
}

/* All rows are satisfied, but the error bound of a slot exceeds 1e-4 of its size: the
 * search was moving towards infinity, or along a flat row. */
static dae_status record_uncertain(init_system *s, size_t slot)
{
    const size_t row = row_of_slot(s, slot);
    const int32_t only = (int32_t)slot;
    init_failure f = {.kind = INIT_UNCERTAIN, .slot_count = 1};
    assert(row < s->rows);
    dae_status st = record_rows(s, &row, 1, &f);
    if (!st) st = record_slots(s, &only, 1, &f.slots);
    if (!st) st = record_failure(s, &f);
    return st ? st : DAE_NUMERIC;
}

static dae_status explain_end(init_system *s, const solution *end)
{
    if (end->end == GAUSS_NEWTON_NO_VALUE)
        return explain_no_value(s, &end->failed);
    if (!end->failed.slot_count) return explain_checks(s, &end->failed);
    if (end->uncertain < s->slots) return record_uncertain(s, end->uncertain);
    return record_end_of_search(s, end);
}

/* A row without a value that no slot of another part would give one. */
static bool is_undefined_as_given(init_system *s, const solution *end)
{
    if (end->end != GAUSS_NEWTON_NO_VALUE) return false;
    const size_t row = row_without_value(s, &end->failed);
    return row < s->rows && !reads_other_parts(s, row, &end->failed);
}

static dae_status explain_failure(
    init_system *s, const solution *end, bool *is_solved)
{
    bool is_found = false;
    dae_status st = DAE_OK;
    *is_solved = false;
    if (s->request->is_brief) return DAE_NUMERIC;
    if (end->failed.slot_count && !is_undefined_as_given(s, end))
        st = conflict_find(s, end, is_solved, &is_found);
    return st || *is_solved || is_found ? st : explain_end(s, end);
}

/* ---- highest derivatives that are open ----------------------------------------- */

/* Where E = dF/dx' is singular, F(t, x, x') = 0 at one instant does not fix x'.
 * Along a solution dF/dt = 0 holds too. With A, the entries of the slots below x', and
 * the derivatives w after x' (z' of algebraic unknowns), a change d of x' has to meet
 *
 *     E d = -F,    A d + E w = -(F_t + sum of F_slot * (next slot)),
 *
 * which fix d for index 1, and w up to the null space of E. The step of Euler's
 * implicit method with an interval 1/alpha solves
 *
 *     (alpha E + A) s = alpha (rhs of the first) + (rhs of the second),
 *
 * where s = d + w/alpha but for terms in 1/alpha^2: the half sum of a step forward and
 * one backward is d, and their half difference w/alpha. Repeated with the residuals it
 * converges to d. F_t is a difference in time, as a dae_problem does not provide it;
 * the rest are exact entries and iteration matrices. */

enum { DERIVE_ITERATIONS = 20 };

typedef struct derive {
    init_system *s;
    iteration *matrix; /* the run's, or a separate one: it keeps its factors */
    double alpha;
    double *ft;       /* n: partial derivative in time */
    double *g, *size; /* n: dF/dt; its largest term */
    double *w;        /* n: the derivative after the highest, as far as found */
    double *ahead, *behind; /* n: the two steps */
    double *before;         /* slots: to go back to */
} derive;

static size_t top_of(const derive *v, size_t j)
{
    return v->s->request->layout->first[j + 1] - 1;
}

static bool has_rate(const derive *v, size_t j)
{
    return v->s->request->layout->order[j] > 0;
}

/* Far beyond the largest ratio in a row between entries of states and those of the
 * highest derivatives. */
static void choose_alpha(derive *v)
{
    const init_system *s = v->s;
    double *high = v->ahead, *low = v->behind, rate = 1;
    for (size_t k = 0; k < s->slots; k++) {
        entry_range e[2];
        double *side = k < s->states ? low : high;
        if (unknowns_column(s, k, e) == 0) continue;
        for (int64_t p = e[0].begin; p < e[0].end; p++)
            side[e[0].row[p]] = larger(
                side[e[0].row[p]], fabs(entry_value(&e[0], p)));
    }
    for (size_t i = 0; i < s->n; i++)
        if (high[i] > 0) rate = larger(rate, low[i] / high[i]);
    v->alpha = TWO_DIGITS * TWO_DIGITS * rate;
}

static dae_status derive_init(derive *v)
{
    init_system *s = v->s;
    arena *a = &s->arena;
    v->ft = ARENA_ARRAY(a, double, s->n);
    v->g = ARENA_ARRAY(a, double, s->n);
    v->size = ARENA_ARRAY(a, double, s->n);
    v->w = ARENA_ARRAY(a, double, s->n);
    v->ahead = ARENA_ARRAY(a, double, s->n);
    v->behind = ARENA_ARRAY(a, double, s->n);
    v->before = ARENA_ARRAY(a, double, s->slots);
    if (!v->ft || !v->g || !v->size || !v->w || !v->ahead || !v->behind
        || !v->before)
        return DAE_MEMORY;
    choose_alpha(v);
    if (s->request->is_matrix_free) {
        v->matrix = s->request->matrix;
        return DAE_OK;
    }
    return iteration_create(s->request->problem, s->request->layout,
        DAE_LINEAR_AUTO, NULL, s->request->allocator, NULL, &v->matrix);
}

/* F at t0 + shift into `res` (rows of F). */
static dae_status residual_at(derive *v, double shift, double *res)
{
    init_system *s = v->s;
    const dae_problem *p = s->request->problem;
    s->stats->residual_evals++;
    const dae_status st = p->residual(
        p->self, s->request->t0 + shift, s->z, unknowns_xp(s, s->z), res);
    if (!st && any_overflow(res, s->n)) return DAE_RETRY;
    return st;
}

/* One-sided difference of second order over two intervals of length h. */
static dae_status difference(derive *v, double h, double *one, double *two)
{
    const init_system *s = v->s;
    /* the intervals as rounded */
    const double t = s->request->t0, a = (t + h) - t, b = (t + 2 * h) - t;
    dae_status st;
    if ((st = residual_at(v, a, one))) return st;
    if ((st = residual_at(v, b, two))) return st;
    for (size_t i = 0; i < s->n; i++) {
        const double f1 = (one[i] - s->res[i]) / a;
        const double f2 = (two[i] - s->res[i]) / b;
        one[i] = (f1 * b - f2 * a) / (b - a);
    }
    return DAE_OK;
}

/* F_t by differences of falling length, for each row the one that changed
 * least against its neighbour: the scale of time is not known. `side` is 1 or
 * -1: forward or backward. */
static dae_status difference_in_time(derive *v, double side)
{
    init_system *s = v->s;
    arena *a = &s->arena;
    double *one = ARENA_ARRAY(a, double, s->n);
    double *two = ARENA_ARRAY(a, double, s->n);
    double *last = ARENA_ARRAY(a, double, s->n);
    double *least = ARENA_ARRAY(a, double, s->n);
    const double unit = larger(fabs(s->request->t0), 1);
    bool has_last = false;
    if (!one || !two || !last || !least) return DAE_MEMORY;
    for (size_t i = 0; i < s->n; i++) least[i] = DBL_MAX;
    for (int k = 2; k <= 11; k++) {
        const dae_status st = difference(
            v, side * unit * pow(10, -k), one, two);
        if (st == DAE_RETRY) continue;
        if (st) return st;
        for (size_t i = 0; i < s->n; i++) {
            const double change = fabs(one[i] - last[i]);
            if (has_last && change < least[i]) {
                least[i] = change;
                v->ft[i] = one[i];
            }
            last[i] = one[i];
        }
        has_last = true;
    }
    return has_last ? DAE_OK : DAE_RETRY;
}

static void add_term(derive *v, size_t slot, double factor)
{
    entry_range e[2];
    if (unknowns_column(v->s, slot, e) == 0) return;
    for (int64_t p = e[0].begin; p < e[0].end; p++) {
        const double term = entry_value(&e[0], p) * factor;
        v->g[e[0].row[p]] += term;
        v->size[e[0].row[p]] = larger(v->size[e[0].row[p]], fabs(term));
    }
}

/* g := dF/dt at the present derivatives and w. */
static void differentiate(derive *v)
{
    const init_system *s = v->s;
    const layout *l = s->request->layout;
    for (size_t i = 0; i < s->n; i++) {
        v->g[i] = v->ft[i];
        v->size[i] = fabs(v->ft[i]);
    }
    for (size_t j = 0; j < s->n; j++) {
        const size_t top = top_of(v, j);
        for (size_t k = l->first[j]; k < top; k++) add_term(v, k, s->z[k + 1]);
        if (has_rate(v, j)) add_term(v, top, s->z[s->states + j]);
        add_term(v, has_rate(v, j) ? s->states + j : top, v->w[j]);
    }
}

/* The step with the interval 1/alpha. */
static dae_status step_by(derive *v, double alpha, double *step)
{
    init_system *s = v->s;
    for (size_t i = 0; i < s->n; i++) step[i] = -(alpha * s->res[i] + v->g[i]);
    s->stats->factorizations++;
    const dae_status st = iteration_factor_condensed(v->matrix, alpha);
    return st ? st : iteration_solve(v->matrix, step);
}

/* One correction of derivatives and w; its size in tolerances. */
static dae_status correct(derive *v, double *change)
{
    init_system *s = v->s;
    const double *xp = unknowns_xp(s, s->z);
    differentiate(v);
    dae_status st = iteration_evaluate(v->matrix, s->request->t0, s->z, xp,
        s->res, s->weights, 1, &s->stats->residual_evals);
    if (!st) st = step_by(v, v->alpha, v->ahead);
    if (!st) st = step_by(v, -v->alpha, v->behind);
    *change = 0;
    for (size_t j = 0; j < s->n && !st; j++) {
        const size_t slot = s->states + j;
        const double d = (v->ahead[j] + v->behind[j]) / 2;
        if (!has_rate(v, j)) v->w[j] += d;
        else v->w[j] += v->alpha * (v->ahead[j] - v->behind[j]) / 2;
        if (!has_rate(v, j) || !s->is_free[slot]) continue;
        s->z[slot] += d;
        const double unit = s->request->rtol * fabs(s->z[slot]) + s->atol[slot];
        *change = larger(*change, fabs(d) / larger(unit, DBL_MIN));
        if (!isfinite(d)) st = DAE_NUMERIC;
    }
    return st;
}

/* Do F = 0 and dF/dt = 0 hold? */
static bool holds(derive *v)
{
    const init_system *s = v->s;
    differentiate(v);
    for (size_t i = 0; i < s->n; i++)
        if (!(fabs(v->g[i]) <= DIGIT * NEGLIGIBLE * v->size[i])) return false;
    for (size_t i = 0; i < s->rows; i++)
        if (!(tolerance_ratio(s, i) <= 1)) return false;
    return true;
}

static dae_status iterate(derive *v, bool *is_found)
{
    init_system *s = v->s;
    double change = DBL_MAX;
    dae_status st = DAE_OK;
    *is_found = false;
    /* the second correction also removes the rounding of the first */
    for (int k = 0; k < DERIVE_ITERATIONS && !st; k++) {
        if (k > 1 && change <= NEGLIGIBLE) break;
        st = correct(v, &change);
        if (!st) st = unknowns_evaluate(s);
    }
    *is_found = !st && change <= NEGLIGIBLE && holds(v);
    return st;
}

static dae_status find_rates(derive *v, bool *is_found)
{
    dae_status st = difference_in_time(v, 1);
    if (st == DAE_RETRY) st = difference_in_time(v, -1);
    return st ? st : iterate(v, is_found);
}

static bool is_usable(const init_system *s)
{
    const dae_pattern *p = jacobian_pattern(s->f);
    return !any_overflow(
        jacobian_values(s->f), (size_t)p->column_start[s->slots]);
}

static dae_status derive_rates(init_system *s)
{
    derive v = {.s = s};
    const arena_position mark = arena_mark(&s->arena);
    bool is_found = false;
    dae_status st = DAE_OK;
    if (!is_usable(s) || (st = derive_init(&v))) goto done;
    memcpy(v.before, s->z, s->slots * sizeof *s->z);
    st = find_rates(&v, &is_found);
    if (st == DAE_NUMERIC) st = DAE_RETRY;
    if ((st && st != DAE_RETRY) || is_found) goto done;
    memcpy(s->z, v.before, s->slots * sizeof *s->z);
    st = unknowns_evaluate(s);
done:
    if (v.matrix != s->request->matrix) iteration_free(v.matrix);
    arena_release(&s->arena, mark);
    return st;
}

/* ---- the stages ------------------------------------------------------------------------ */

static dae_status keep_bounds(init_system *s)
{
    dae_status st = DAE_OK;
    for (size_t k = 0; k < s->states; k++) {
        const double z = s->z[k];
        if (isnan(z) || unknowns_is_inside(s, k, z)) continue;
        if (!s->is_free[k]) {
            const dae_status kept = record_beyond(s, k);
            if (kept) return kept;
            st = DAE_INCONSISTENT;
            continue;
        }
        s->z[k] = s->guess[k] = unknowns_inside(s, k, z);
        /* a 0 that is not stated is the default: its move is not reported */
        const bool is_own = s->is_stated[k] || z != 0;
        const dae_status kept = is_own ? record_moved(s, k, z) : DAE_OK;
        if (kept) return kept;
    }
    return st;
}

/* Values that are not finite in slots that no equation reads (others would make
 * the residual not finite). */
static dae_status check_finite(init_system *s)
{
    for (size_t k = 0; k < s->slots; k++)
        if (!isfinite(s->z[k])) return explain_not_finite(s, k);
    return DAE_OK;
}

/* Values that are too large, undetected by residuals since they cancel in a sum. */
static dae_status check_sizes(init_system *s)
{
    for (size_t k = 0; k < s->slots; k++)
        if (is_overflow(s->z[k])) return explain_not_finite(s, k);
    return DAE_OK;
}

/* If a function refuses the guesses, free slots at 0 are set to their units. */
static dae_status leave_refused(init_system *s)
{
    for (size_t k = 0; k < s->slots; k++) {
        if (!s->is_free[k] || s->z[k] != 0) continue;
        s->z[k] = unknowns_inside(s, k, unknowns_unit(s, k));
        s->guess[k] = s->z[k];
        s->scale[k] = larger(s->scale[k], fabs(s->z[k]));
        if (k < s->states) unknowns_weigh(s, k);
    }
    return unknowns_begin(s);
}

/* Residuals and Jacobian where the search begins. Rows without a value are evaluated
 * again after the parts before them are solved. */
static dae_status prepare(init_system *s)
{
    dae_status st = keep_bounds(s);
    if (st) return st;
    st = unknowns_begin(s);
    if (st == DAE_RETRY) st = leave_refused(s);
    if (st == DAE_RETRY) return explain_no_value(s, NULL);
    if (st || (st = check_finite(s)) || (st = unknowns_probe(s))) return st;
    tolerance_measure(s);
    return DAE_OK;
}

static double largest_residual(const init_system *s)
{
    double most = 0;
    for (size_t i = 0; i < s->rows; i++)
        most = larger(most, tolerance_ratio(s, i));
    return most;
}

/* Evaluates the residuals of the solution once more: a single wrong value of a
 * callback would not be detected later. */
static dae_status confirm(init_system *s, solution *out)
{
    dae_status st = DAE_OK;
    for (int k = 0; k < 2 && !st && out->end == GAUSS_NEWTON_SOLVED; k++) {
        if ((st = unknowns_residual(s, s->z, s->res))) break;
        if (largest_residual(s) <= 1) return DAE_OK;
        st = unknowns_evaluate(s);
        if (!st) st = solve_rows(s, NULL, false, out);
    }
    return st;
}

static dae_status search(init_system *s, solution *out)
{
    bool is_solved;
    dae_status st = solve_rows(s, NULL, false, out);
    if (st == DAE_RETRY) { /* a failure of a callback may be transient */
        memcpy(s->z, s->guess, s->slots * sizeof *s->z);
        st = unknowns_evaluate(s);
        if (!st) st = solve_rows(s, NULL, false, out);
    }
    if (!st && out->end == GAUSS_NEWTON_SOLVED)
        st = tolerance_judge_remnants(s);
    if (!st) st = confirm(s, out);
    if (st || out->end == GAUSS_NEWTON_SOLVED) return st;
    st = explain_failure(s, out, &is_solved);
    assert(st || is_solved || !s->request->findings);
    if (st || !is_solved) return st;
    /* the rows connected with the failure hold now: solve the others from here */
    out->end = GAUSS_NEWTON_SOLVED;
    st = confirm(s, out);
    return st || out->end == GAUSS_NEWTON_SOLVED ? st : explain_end(s, out);
}

/* Brings the Jacobian and its measures to the solution; for a run derivatives
 * that it leaves open are found from the differentiated constraints. */
static dae_status settle(init_system *s, bool is_all_determined)
{
    dae_status st = unknowns_evaluate_solution(s);
    if (st == DAE_RETRY) /* it may be transient */
        st = unknowns_evaluate_solution(s);
    if (st) return st;
    if (is_all_determined || s->request->is_thorough || s->equations != s->n
        || s->request->stands_for)
        return DAE_OK;
    /* where that fails the rates keep their guesses */
    st = derive_rates(s);
    return st == DAE_NUMERIC ? DAE_OK : st;
}

static dae_status run(
    init_system *s, solution *out, double *found_at, dae_start_report *report)
{
    dae_status st = prepare(s);
    if (!st) st = search(s, out);
    if (st) return st;
    *found_at = largest_residual(s);
    assert(isfinite(*found_at)); /* above 1 where rounding alone is more */
    const bool is_judged = out->is_regular && !out->checks;
    if (!is_judged && (st = settle(s, out->is_regular))) return st;
    if ((st = check_sizes(s))) return st;
    return certificate_make(s, out, report);
}

dae_status init_consistent(const init_request *request, double *x, double *xp,
    dae_start_report *report, dae_stats *stats)
{
    init_system s;
    dae_stats own = {0};
    solution out = {.iterations = 0};
    double found_at = 0;
    init_findings *f = request->findings;
    if (f) init_findings_init(f, request->allocator);
    dae_status st = unknowns_init(&s, request, x, xp, stats ? stats : &own);
    if (!st) st = run(&s, &out, &found_at, report);
    if (st == DAE_RETRY) st = explain_no_value(&s, NULL);
    if (!st) {
        memcpy(x, s.z, s.states * sizeof *x);
        if (s.slots > s.states) memcpy(xp, s.z + s.states, s.n * sizeof *xp);
        if (request->matrix)
            iteration_expect(request->matrix, jacobian_digest(s.f));
    }
    if (st != DAE_MEMORY && s.z) {
        const dae_status kept = record_end(&s, st, out.iterations);
        if (kept) st = kept;
        else if (!st && f) f->residual = larger(f->residual, found_at);
    }
    unknowns_clear(&s);
    return st;
}
