/* A start: bounds, values, the search (start/solve.h), derivatives left open,
 * then the account of what was given, missing or redundant. Where it fails, what
 * does not hold together. */
#include "start/init.h"
#include "linalg/kkt.h"
#include "linalg/thresholds.h"
#include "start/certificate.h"
#include "start/conflict.h"
#include "start/record_findings.h"
#include "start/report_names.h"
#include "start/solve.h"
#include "start/system.h"
#include "start/tolerance.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* ---- where a search has failed ------------------------------------------------- */

/* The outcome and the block where it began. A thorough search looks for a set that
 * does not hold together first (start/conflict.h). */

/* ---- no value ---------------------------------------------------------------- */

/* The first row of the part with an entry that is none in a slot of it. */
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

/* First row, of the part if there is one, without a residual, or else Jacobian;
 * rows: none. */
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

/* The entry that has overflowed in a row whose value has not. */
static double overflowed_entry(const init_system *s, size_t row)
{
    const jacobian *j = row < s->equations ? s->f : s->c;
    const int64_t i = (int64_t)(row < s->equations ? row : row - s->equations);
    return overflow_in_row(
        jacobian_pattern(j), s->slots, jacobian_values(j), i);
}

/* Where a callback refuses the whole: the first of some rows that the problem
 * has something to say of; rows: none. */
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

/* Free slots of other parts, which are solved before. */
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

/* ---- what does not hold ------------------------------------------------------ */

/* Slots of the row, but entries that are 0 whatever the values are. */
static size_t count_slots(const init_system *s, size_t row)
{
    size_t slots = 0;
    for (size_t k = 0; k < s->slots; k++) slots += unknowns_reads(s, k, row);
    return slots;
}

/* A row whose slots are all given; `alike` further rows of its equation fail,
 * too. The contradiction is proved if the set contains all slots of the row. */
static dae_status contradiction(init_system *s, size_t row, size_t alike)
{
    int32_t only = (int32_t)row;
    members b = {.rows = &only, .row_count = 1};
    const dae_status st = record_take_given(s, row, &b);
    if (st) return st;
    const size_t slots = count_slots(s, row);
    const init_conflict about = {
        .alike = alike, .is_proved = b.slot_count == slots};
    return record_conflict(s, &b, row, &about);
}

static place row_place(const init_system *s, size_t row)
{
    const bool is_f = row < s->equations;
    const init_party p = {.kind = is_f ? INIT_EQUATION : INIT_CONDITION,
        .index = is_f ? row : row - s->equations};
    return party_place(s->request, &p);
}

/* Of rows at one place, elements of an equation, the first is recorded. */
static dae_status explain_checks(init_system *s, const subset *checks)
{
    size_t first[INIT_SETS_MOST], alike[INIT_SETS_MOST] = {0}, count = 0;
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
        if (i < count) alike[i]++;
        else if (count < INIT_SETS_MOST) first[count++] = row;
    }
    if (s->request->is_brief) return DAE_INCONSISTENT;
    for (size_t i = 0; i < count && !st; i++) {
        bool is_found = false;
        if (s->request->is_thorough)
            st = conflict_of_row(s, first[i], alike[i], &is_found);
        if (st == DAE_INCONSISTENT || st == DAE_NUMERIC) st = DAE_OK;
        if (!st && !is_found) st = contradiction(s, first[i], alike[i]);
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
        const double size = fmax(fabs(s->z[k]), s->scale[k]);
        const int count = unknowns_column(s, k, e);
        for (int q = 0; q < count; q++)
            for (int64_t p = e[q].begin; p < e[q].end; p++) {
                double *of = &left[(size_t)e[q].row[p] + e[q].offset];
                const double slope = fabs(entry_value(&e[q], p));
                *of = fmax(*of, slope * (rtol * size + s->atol[k]));
            }
    }
    for (size_t i = 0; left && i < s->rows; i++) {
        const double ratio = tolerance_ratio(s, i);
        const double usual = fmax(left[i], s->tolerance[i]);
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

/* A search that ended, where it did. */
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

/* Where dF/dx' is singular, F(t, x, x') = 0 at one instant does not fix x'.
 * Along a solution dF/dt = 0 holds too:
 *
 *     F_t + sum of F_slot * (next slot) = 0,
 *
 * linear in the highest derivatives and in one derivative more, w, of each
 * unknown. Both together fix x' for index 1; w stays open and is not kept. F_t comes
 * from a difference in time, as a dae_problem tells no other; the rest is exact
 * entries and one factorization. */

enum { DERIVE_ITERATIONS = 20 };

/* Rows: all of the system, then dF/dt. Columns: free highest derivatives,
 * then w of every unknown. */
typedef struct derive {
    init_system *s;
    size_t rates, rows, columns;
    int32_t *slot_at; /* rates: slots of the free highest derivatives */
    int64_t *start;   /* columns + 1 */
    int32_t *row;
    double *values, *factored; /* entries: at hand, of the factors */
    bool is_factored;
    double *scale;    /* columns */
    double *ft;       /* n: partial derivative in time */
    double *g, *size; /* n: dF/dt without w; its largest term */
    double *r;        /* rows */
    double *d;        /* columns */
    double *before;   /* slots: to go back to */
    kkt *kkt;
} derive;

static size_t top_of(const derive *v, size_t j)
{
    return v->s->request->layout->first[j + 1] - 1;
}

/* Writes one slot's F entries (and with `all` the conditions'), shifted by
 * `offset` rows; `row` and `values` may be NULL. */
static size_t put_slot(const derive *v, size_t slot, bool all, size_t offset,
    size_t at, int32_t *row, double *values)
{
    entry_range e[2];
    const int count = unknowns_column(v->s, slot, e);
    for (int q = 0; q < count && (all || q == 0); q++) {
        for (int64_t p = e[q].begin; p < e[q].end; p++, at++) {
            const size_t i = (size_t)e[q].row[p] + e[q].offset + offset;
            if (row) row[at] = (int32_t)i;
            if (values) values[at] = entry_value(&e[q], p);
        }
    }
    return at;
}

/* The whole matrix in order; the same walk for pattern and values. */
static size_t put_all(
    const derive *v, int64_t *start, int32_t *row, double *values)
{
    const init_system *s = v->s;
    size_t at = 0, column = 0;
    for (size_t k = 0; k < v->rates; k++) {
        const size_t slot = (size_t)v->slot_at[k];
        if (start) start[column++] = (int64_t)at;
        at = put_slot(v, slot, true, 0, at, row, values);
        at = put_slot(
            v, top_of(v, slot - s->states), false, s->rows, at, row, values);
    }
    for (size_t j = 0; j < s->n; j++) {
        const bool has_rate = s->request->layout->order[j] > 0;
        if (start) start[column++] = (int64_t)at;
        at = put_slot(v, has_rate ? s->states + j : top_of(v, j), false,
            s->rows, at, row, values);
    }
    if (start) start[column] = (int64_t)at;
    return at;
}

static dae_status derive_init(derive *v)
{
    init_system *s = v->s;
    arena *a = &s->arena;
    v->slot_at = ARENA_ARRAY(a, int32_t, s->n);
    if (!v->slot_at) return DAE_MEMORY;
    for (size_t k = s->states; k < s->slots; k++)
        if (s->is_free[k]) v->slot_at[v->rates++] = (int32_t)k;
    v->rows = s->rows + s->n;
    v->columns = v->rates + s->n;
    if (v->rows >= INT32_MAX || v->columns >= INT32_MAX) return DAE_LIMIT;
    const size_t entries = put_all(v, NULL, NULL, NULL);
    v->start = ARENA_ARRAY(a, int64_t, v->columns + 1);
    v->row = ARENA_ARRAY(a, int32_t, entries);
    v->values = ARENA_ARRAY(a, double, entries);
    v->factored = ARENA_ARRAY(a, double, entries);
    v->scale = ARENA_ARRAY(a, double, v->columns);
    v->ft = ARENA_ARRAY(a, double, s->n);
    v->g = ARENA_ARRAY(a, double, s->n);
    v->size = ARENA_ARRAY(a, double, s->n);
    v->r = ARENA_ARRAY(a, double, v->rows);
    v->d = ARENA_ARRAY(a, double, v->columns);
    v->before = ARENA_ARRAY(a, double, s->slots);
    if (!v->start || !v->row || !v->values || !v->factored || !v->scale
        || !v->ft || !v->g || !v->size || !v->r || !v->d || !v->before)
        return DAE_MEMORY;
    const size_t written = put_all(v, v->start, v->row, NULL);
    assert(written == entries && v->rates <= s->n);
    (void)written;
    return kkt_create(v->rows, v->columns, v->start, v->row, s->fuzz,
        s->request->allocator, &v->kkt);
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
    /* the intervals as the machine has them */
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
    const double unit = fmax(fabs(s->request->t0), 1);
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
        v->size[e[0].row[p]] = fmax(v->size[e[0].row[p]], fabs(term));
    }
}

/* g := F_t + F_slot * next, at the present highest derivatives, w = 0. */
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
        if (l->order[j] > 0) add_term(v, top, s->z[s->states + j]);
    }
}

/* Columns so that, with rows scaled, their largest entries are 1. */
static void choose_scales(derive *v)
{
    double *row_size = v->r;
    memset(row_size, 0, v->rows * sizeof *row_size);
    for (size_t j = 0; j < v->columns; j++)
        for (int64_t p = v->start[j]; p < v->start[j + 1]; p++)
            row_size[v->row[p]] = fmax(row_size[v->row[p]], fabs(v->values[p]));
    for (size_t j = 0; j < v->columns; j++) {
        double most = 0;
        for (int64_t p = v->start[j]; p < v->start[j + 1]; p++)
            if (row_size[v->row[p]] > 0)
                most = fmax(most, fabs(v->values[p]) / row_size[v->row[p]]);
        v->scale[j] = most > 0 ? 1 / most : 1;
    }
}

/* d := change of the highest derivatives, and w. The factors serve as long as
 * the matrix does not change. */
static dae_status solve(derive *v)
{
    init_system *s = v->s;
    const size_t size = (size_t)v->start[v->columns] * sizeof *v->values;
    dae_status st = DAE_OK;
    put_all(v, NULL, NULL, v->values);
    assert(v->columns == v->rates + s->n);
    if (!v->is_factored || memcmp(v->values, v->factored, size) != 0) {
        choose_scales(v);
        s->stats->factorizations++;
        st = kkt_factor(v->kkt, v->values, v->scale);
        if (st) return st;
        memcpy(v->factored, v->values, size);
        v->is_factored = true;
    }
    differentiate(v);
    memcpy(v->r, s->res, s->rows * sizeof *v->r);
    memcpy(v->r + s->rows, v->g, s->n * sizeof *v->r);
    return kkt_solve(v->kkt, v->r, NULL, v->d);
}

/* Does F differentiated hold with the w found? Adds F_w w to g. */
static bool holds(derive *v)
{
    const init_system *s = v->s;
    for (size_t j = 0; j < s->n; j++) {
        const bool has_rate = s->request->layout->order[j] > 0;
        add_term(
            v, has_rate ? s->states + j : top_of(v, j), v->d[v->rates + j]);
    }
    for (size_t i = 0; i < s->n; i++)
        if (!(fabs(v->g[i]) <= STEP_SOLVED * v->size[i])) return false;
    for (size_t i = 0; i < s->rows; i++)
        if (!(tolerance_ratio(s, i) <= 1)) return false;
    return true;
}

/* Adds the change; its size in tolerances. */
static double apply(derive *v)
{
    init_system *s = v->s;
    double most = 0;
    for (size_t k = 0; k < v->rates; k++) {
        const size_t slot = (size_t)v->slot_at[k];
        s->z[slot] += v->d[k];
        const double unit = s->request->rtol * fabs(s->z[slot]) + s->atol[slot];
        most = fmax(most, fabs(v->d[k]) / fmax(unit, DBL_MIN));
    }
    return most;
}

static dae_status iterate(derive *v, bool *is_found)
{
    init_system *s = v->s;
    dae_status st;
    *is_found = false;
    for (int k = 0; k < DERIVE_ITERATIONS; k++) {
        if ((st = solve(v))) return st;
        const double change = apply(v);
        if (!isfinite(change)) return DAE_OK;
        if ((st = unknowns_evaluate(s))) return st;
        /* the second solve also takes the rounding of the first away */
        if (change > RESIDUAL_GONE || k == 0) continue;
        differentiate(v);
        *is_found = holds(v);
        return DAE_OK;
    }
    return DAE_OK;
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
    kkt_free(v.kkt);
    arena_release(&s->arena, mark);
    return st;
}

/* ---- the way --------------------------------------------------------------------------- */

static dae_status keep_bounds(init_system *s)
{
    dae_status st = DAE_OK;
    for (size_t k = 0; k < s->states; k++) {
        const double z = s->z[k];
        if (z >= s->low[k] && z <= s->high[k]) continue;
        if (isnan(z)) continue;
        if (!s->is_free[k]) {
            const dae_status kept = record_beyond(s, k);
            if (kept) return kept;
            st = DAE_INCONSISTENT;
            continue;
        }
        s->z[k] = s->guess[k] = fmin(fmax(z, s->low[k]), s->high[k]);
        /* a 0 that is not stated is the default, and says nothing */
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

/* Values that no equation shows to be too large, cancelled in a sum. */
static dae_status check_sizes(init_system *s)
{
    for (size_t k = 0; k < s->slots; k++)
        if (is_overflow(s->z[k])) return explain_not_finite(s, k);
    return DAE_OK;
}

/* Where a function refuses the guesses, free ones that are 0 become their units. */
static dae_status leave_refused(init_system *s)
{
    for (size_t k = 0; k < s->slots; k++) {
        if (!s->is_free[k] || s->z[k] != 0) continue;
        s->z[k] = fmin(fmax(unknowns_unit(s, k), s->low[k]), s->high[k]);
        s->guess[k] = s->z[k];
        s->scale[k] = fmax(s->scale[k], fabs(s->z[k]));
        if (k < s->states) unknowns_weigh(s, k);
    }
    return unknowns_begin(s);
}

/* Residuals and Jacobian where the search begins. Rows without a value get one where
 * the parts before them are solved. */
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
        most = fmax(most, tolerance_ratio(s, i));
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
    if (st == DAE_RETRY) { /* a value that is none may be one the next time */
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
    /* what the failure reaches holds: the others are solved from there */
    out->end = GAUSS_NEWTON_SOLVED;
    st = confirm(s, out);
    return st || out->end == GAUSS_NEWTON_SOLVED ? st : explain_end(s, out);
}

/* Brings the Jacobian and its measures to the solution; for a run derivatives
 * that it leaves open are found from the differentiated constraints. */
static dae_status settle(init_system *s)
{
    dae_status st = unknowns_evaluate_solution(s);
    if (st == DAE_RETRY) /* not again, perhaps */
        st = unknowns_evaluate_solution(s);
    if (st) return st;
    if (s->request->is_thorough || s->equations != s->n
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
    assert(!s->request->is_thorough || *found_at <= 1);
    const bool is_judged = out->is_regular && !out->checks;
    if (!is_judged && (st = settle(s))) return st;
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
        else if (!st && f) f->residual = fmax(f->residual, found_at);
    }
    unknowns_clear(&s);
    return st;
}
