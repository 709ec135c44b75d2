/* The condensed pattern has one column per unknown: the union of the columns
 * of its slots. Every slot entry knows its place there, and slots in a row that count
 * by the same power of alpha are one run, so assembly is one pass over the slot
 * entries with every power computed once. */
#include "linalg/iteration_matrix.h"
#include "base/real.h"
#include "base/report.h"
#include "linalg/complex.h"
#include "linalg/complex_linear.h"
#include "linalg/condense.h"
#include "linalg/jacobian.h"
#include "linalg/small.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* Slot entries from the end of the run before up to `end`, which all count by the same
 * power of alpha. */
typedef struct power_run {
    int64_t end;
    int exponent; /* UNREAD: they are no part of A */
} power_run;

enum { UNREAD = INT_MAX };

struct iteration {
    const dae_problem *problem;
    const layout *layout;
    jacobian *jacobian;
    linear *linear; /* of the whole matrix; NULL: not now */
    linear *rest;   /* of what is left of it; NULL: it is not condensed */
    condensed condensed;
    uint32_t *place; /* [slot entry]: its place in there */
    bool is_asked;   /* whether to condense */
    bool is_kept;    /* nothing is to be condensed */
    bool is_rest;    /* was factorized last */
    bool is_resting; /* condensed, but without what solves with the rest */
    bool is_judged;  /* disturbances do not outgrow it */
    int far_sign[2]; /* of det A for large alpha, whole and condensed; 0:
                               not known */
    int64_t fill;    /* expected of the whole */
    int64_t most;    /* products of a pivot with which it is condensed, */
    int64_t
        followed; /* and was the matrix that it follows; 0: it follows none */
    double alpha; /* of the last factorization */
    double chain; /* see iteration_chain */
    int64_t factorizations; /* of the rest */
    bool is_unproven;       /* the next solution is to be checked */
    bool is_weighed;        /* the room holds weights of the rest */
    double *room;           /* for that, and for weights in other solutions */
    size_t room_size;
    int64_t iterations, fallbacks; /* of what is gone */
    dae_linear choice;
    int64_t *column_start; /* n + 1: the pattern of the whole; NULL: not now */
    int32_t *row;          /* entries */
    double *values;        /* entries: A; NULL: not needed yet, or any more */
    uint32_t *target;      /* [slot entry]: its place in values */
    size_t entries, slot_entries;
    ARRAY(power_run) runs;
    int lowest;            /* exponent; the highest is 1 */
    dae_complex *factors;  /* of the exponents from `lowest` on: for assembly */
    complex_linear *pairs; /* NULL: none was requested */
    dae_complex *pair_values;                 /* entries */
    dae_complex pair_alpha[ITERATION_PAIRS];  /* 0: no factors */
    int64_t pair_evaluation[ITERATION_PAIRS]; /* whose they are */
    int64_t evaluations;
    small *small;             /* NULL: the matrix is not small and full */
    uint32_t *square;         /* [slot entry]: its place in a plane of it */
    int64_t small_evaluation; /* whose values it has */
    bool is_small;            /* was factorized last, */
    bool is_small_pair[ITERATION_PAIRS];
    dae_linear kind; /* of the whole matrix */
    const dae_allocator *a;
};

static bool is_read(const layout *l, size_t slot)
{
    return slot < l->states || l->order[slot - l->states] > 0;
}

/* The slots of unknown j in turn: first its states, then xp. */
static size_t slot_of(const layout *l, size_t j, size_t which)
{
    const size_t slot = l->first[j] + which;
    return slot < l->first[j + 1] ? slot : l->states + j;
}

static size_t slot_count(const layout *l, size_t j)
{
    return l->first[j + 1] - l->first[j] + (l->order[j] > 0 ? 1 : 0);
}

/* Merges the slot columns of unknown j into one, ascending; returns its
 * length. `row` may be NULL to count only. `seen` (rows, 0 at first) holds
 * j + 1 for rows met. */
static size_t merge_column(
    const iteration *it, size_t j, int32_t *seen, int32_t *row)
{
    const dae_pattern *p = jacobian_pattern(it->jacobian);
    size_t count = 0;
    for (size_t w = 0; w < slot_count(it->layout, j); w++) {
        const size_t s = slot_of(it->layout, j, w);
        for (int64_t k = p->column_start[s]; k < p->column_start[s + 1]; k++) {
            if (seen[p->row[k]] == (int32_t)j + 1) continue;
            seen[p->row[k]] = (int32_t)j + 1;
            if (row) row[count] = p->row[k];
            count++;
        }
    }
    return count;
}

/* Heap sort: no recursion, no worst case. Most columns come in sorted. */
static void sift(int32_t *v, size_t from, size_t count)
{
    for (size_t child; (child = 2 * from + 1) < count; from = child) {
        if (child + 1 < count && v[child + 1] > v[child]) child++;
        if (v[from] >= v[child]) return;
        const int32_t other = v[from];
        v[from] = v[child];
        v[child] = other;
    }
}

static void sort_rows(int32_t *v, size_t count)
{
    bool is_sorted = true;
    for (size_t k = 1; k < count && is_sorted; k++) is_sorted = v[k - 1] < v[k];
    if (is_sorted) return;
    for (size_t k = count / 2; k-- > 0;) sift(v, k, count);
    for (size_t k = count; k-- > 1;) {
        const int32_t largest = v[0];
        v[0] = v[k];
        v[k] = largest;
        sift(v, 0, k);
    }
}

/* Both lists ascend: the places of a slot's rows in the condensed column. */
static void find_targets(iteration *it, size_t j)
{
    const dae_pattern *p = jacobian_pattern(it->jacobian);
    const int32_t *row = it->row + it->column_start[j];
    for (size_t w = 0; w < slot_count(it->layout, j); w++) {
        const size_t s = slot_of(it->layout, j, w);
        uint32_t at = 0;
        for (int64_t k = p->column_start[s]; k < p->column_start[s + 1]; k++) {
            while (row[at] != p->row[k]) at++;
            it->target[k] = (uint32_t)it->column_start[j] + at;
        }
    }
}

static void forget_pattern(iteration *it)
{
    const size_t n = it->layout->unknowns;
    alloc_free(it->a, it->column_start, n + 1, sizeof *it->column_start);
    alloc_free(it->a, it->row, it->entries, sizeof *it->row);
    alloc_free(it->a, it->target, it->slot_entries, sizeof *it->target);
    it->column_start = NULL;
    it->row = NULL;
    it->target = NULL;
}

static dae_status merge_columns(iteration *it)
{
    const size_t n = it->layout->unknowns;
    dae_status st = DAE_MEMORY;
    if (it->target) return DAE_OK;
    int32_t *seen = alloc_zeroed(it->a, n, sizeof *seen);
    it->column_start = alloc_zeroed(it->a, n + 1, sizeof *it->column_start);
    if (!seen || !it->column_start) goto done;
    for (size_t j = 0; j < n; j++)
        it->column_start[j + 1] = it->column_start[j]
            + (int64_t)merge_column(it, j, seen, NULL);
    it->entries = (size_t)it->column_start[n];
    if (it->entries > UINT32_MAX) {
        st = DAE_LIMIT;
        goto done;
    }
    it->row = alloc_zeroed(it->a, it->entries, sizeof *it->row);
    it->target = alloc_zeroed(it->a, it->slot_entries, sizeof *it->target);
    if (!it->row || !it->target) goto done;
    memset(seen, 0, n * sizeof *seen);
    for (size_t j = 0; j < n; j++) {
        int32_t *row = it->row + it->column_start[j];
        sort_rows(row, merge_column(it, j, seen, row));
        find_targets(it, j);
    }
    st = DAE_OK;
done:
    alloc_free(it->a, seen, n, sizeof *seen);
    if (st) forget_pattern(it);
    return st;
}

/* The power of alpha by which number `which` of the slots of unknown j counts. */
static int exponent_of(const layout *l, size_t j, size_t which)
{
    const size_t top = l->first[j + 1] - l->first[j] - 1;
    return (int)which - (int)top;
}

static bool add_run(iteration *it, size_t slot, int exponent)
{
    const int64_t end = jacobian_pattern(it->jacobian)->column_start[slot + 1];
    const size_t count = it->runs.count;
    if (exponent != UNREAD && exponent < it->lowest) it->lowest = exponent;
    if (count == 0 || it->runs.items[count - 1].exponent != exponent)
        return ARRAY_PUSH(it->a, &it->runs, (power_run){end, exponent});
    it->runs.items[count - 1].end = end;
    return true;
}

static dae_status find_runs(iteration *it)
{
    const layout *l = it->layout;
    bool is_fine = true;
    for (size_t j = 0; j < l->unknowns && is_fine; j++)
        for (size_t s = l->first[j]; s < l->first[j + 1] && is_fine; s++)
            is_fine = add_run(it, s, exponent_of(l, j, s - l->first[j]));
    for (size_t j = 0; j < l->unknowns && is_fine; j++)
        is_fine = add_run(it, l->states + j, l->order[j] > 0 ? 1 : UNREAD);
    if (!is_fine) return DAE_MEMORY;
    it->factors = alloc_zeroed(
        it->a, (size_t)(2 - it->lowest), sizeof *it->factors);
    return it->factors ? DAE_OK : DAE_MEMORY;
}

/* The levels of linalg/row_matching.h: alpha multiplies the entries of xp, so they
 * dominate as steps get short; an equation without any is there for an
 * unknown without derivatives. */
static void find_levels(const iteration *it, uint8_t *level)
{
    const layout *l = it->layout;
    const int64_t *start = jacobian_pattern(it->jacobian)->column_start;
    for (size_t j = 0; j < l->unknowns; j++) {
        const size_t s = l->states + j;
        const bool has_derivative = is_read(l, s) && start[s + 1] > start[s];
        const int64_t begin = it->column_start[j];
        for (int64_t p = begin; p < it->column_start[j + 1]; p++)
            level[p] = has_derivative ? 0 : 1;
        if (!has_derivative) continue;
        for (int64_t k = start[s]; k < start[s + 1]; k++)
            level[it->target[k]] = 2;
    }
}

static dae_status open_linear(iteration *it)
{
    const dae_status merged = merge_columns(it);
    if (merged) return merged;
    uint8_t *level = alloc_zeroed(it->a, it->entries, sizeof *level);
    if (!level) return DAE_MEMORY;
    find_levels(it, level);
    const dae_status st = linear_create_aligned(it->layout->unknowns,
        it->column_start, it->row, level, it->choice, it->a, &it->linear);
    alloc_free(it->a, level, it->entries, sizeof *level);
    if (!st) it->kind = linear_kind(it->linear);
    return st;
}

/* Beside what solves with any matrix. */
static dae_status open_small(iteration *it)
{
    const size_t n = it->layout->unknowns;
    if (it->kind != DAE_LINEAR_DENSE || n > SMALL_MOST) return DAE_OK;
    it->square = alloc_zeroed(it->a, it->slot_entries, sizeof *it->square);
    if (!it->square) return DAE_MEMORY;
    const dae_pattern *p = jacobian_pattern(it->jacobian);
    for (size_t j = 0; j < n; j++)
        for (size_t w = 0; w < slot_count(it->layout, j); w++) {
            const size_t s = slot_of(it->layout, j, w);
            int64_t k = p->column_start[s];
            for (; k < p->column_start[s + 1]; k++)
                it->square[k] = (uint32_t)(j * n) + (uint32_t)p->row[k];
        }
    return small_create(n, 2 - it->lowest, ITERATION_PAIRS, it->a, &it->small);
}

static dae_status iteration_init(iteration *it, dae_diagnostics *ds)
{
    const dae_problem *p = it->problem;
    const layout *l = it->layout;
    const jacobian_source source = {
        p->self, p->unknown_count, p->residual, p->jacobian, p->pattern};
    dae_status st = jacobian_create(&source, l, it->a, &it->jacobian);
    if (st) return st;
    it->slot_entries = (size_t)jacobian_pattern(it->jacobian)
                           ->column_start[l->states + l->unknowns];
    if ((st = find_runs(it))) return st;
    if (it->followed) return merge_columns(it);
    st = open_linear(it);
    if (!st) st = open_small(it);
    if (st == DAE_UNSUPPORTED)
        report(ds, DIAG_E0505, NULL, (text_span){0, 0},
            "this build has no UMFPACK");
    return st;
}

/* What was decided by counts for `like` is not counted again. */
static void follow(iteration *it, const iteration *like)
{
    if (!like || like->choice != it->choice || like->is_resting) return;
    it->is_asked = like->is_asked && !like->rest;
    if (!like->rest || linear_kind(like->rest) == DAE_LINEAR_GMRES) return;
    it->followed = like->most;
    it->kind = like->kind;
    it->fill = like->fill;
}

dae_status iteration_create(const dae_problem *problem, const layout *l,
    dae_linear choice, const iteration *like, const dae_allocator *allocator,
    dae_diagnostics *ds, iteration **out)
{
    const dae_allocator *a = alloc_or_default(allocator);
    *out = NULL;
    iteration *it = alloc_zeroed(a, 1, sizeof *it);
    if (!it) return DAE_MEMORY;
    *it = (iteration){
        .problem = problem, .layout = l, .choice = choice, .chain = 1, .a = a};
    follow(it, like);
    const dae_status st = iteration_init(it, ds);
    if (st) {
        iteration_free(it);
        return st;
    }
    *out = it;
    return DAE_OK;
}

static void forget_solver(iteration *it)
{
    if (it->rest) linear_take_counts(it->rest, &it->iterations, &it->fallbacks);
    linear_free(it->rest);
    alloc_free(it->a, it->place, it->slot_entries, sizeof *it->place);
    alloc_free(it->a, it->room, it->room_size, sizeof *it->room);
    it->rest = NULL;
    it->place = NULL;
    it->room = NULL;
    it->room_size = 0;
    it->is_rest = false;
}

static void forget_rest(iteration *it)
{
    forget_solver(it);
    condensed_clear(&it->condensed);
    it->is_resting = false;
}

/* Until it is factorized again. */
static void forget_whole(iteration *it)
{
    linear_free(it->linear);
    alloc_free(it->a, it->values, it->entries, sizeof *it->values);
    it->linear = NULL;
    it->values = NULL;
    if (!it->pairs) forget_pattern(it);
}

static bool is_inexact(const iteration *it)
{
    return linear_kind(it->rest) == DAE_LINEAR_GMRES;
}

/* For good, which is told where it ends GMRES. */
static void give_rest_up(iteration *it)
{
    it->fallbacks += is_inexact(it);
    forget_rest(it);
}

void iteration_free(iteration *it)
{
    if (!it) return;
    forget_rest(it);
    complex_linear_free(it->pairs);
    it->pairs = NULL;
    alloc_free(it->a, it->pair_values, it->entries, sizeof *it->pair_values);
    forget_whole(it);
    small_free(it->small);
    alloc_free(it->a, it->square, it->slot_entries, sizeof *it->square);
    jacobian_free(it->jacobian);
    alloc_free(
        it->a, it->factors, (size_t)(2 - it->lowest), sizeof *it->factors);
    ARRAY_FREE(it->a, &it->runs);
    alloc_free(it->a, it, 1, sizeof *it);
}

dae_status iteration_evaluate(iteration *it, double t, const double *x,
    const double *xp, const double *res, const double *weights, double step,
    int64_t *residuals)
{
    it->evaluations++;
    return jacobian_evaluate(
        it->jacobian, t, x, xp, res, weights, step, residuals);
}

void iteration_reset(iteration *it)
{
    jacobian_reset(it->jacobian);
}

void iteration_expect(iteration *it, uint64_t digest)
{
    jacobian_expect(it->jacobian, digest);
}

/* By which a slot of that exponent counts. */
static double power(const iteration *it, double alpha, int exponent)
{
    double result = 1;
    const double base = exponent < 0 ? it->chain / alpha : alpha;
    for (int e = exponent < 0 ? -exponent : exponent; e > 0; e--)
        result *= base;
    return result;
}

/* The values of A(alpha), at the places that `target` has for the slot entries. */
static void add_slots(const iteration *it, double *restrict values,
    const uint32_t *restrict target, double alpha)
{
    const double *restrict v = jacobian_values(it->jacobian);
    for (int e = it->lowest; e <= 1; e++)
        it->factors[e - it->lowest].re = power(it, alpha, e);
    int64_t k = 0;
    for (size_t r = 0; r < it->runs.count; r++) {
        const power_run *run = &it->runs.items[r];
        if (run->exponent != UNREAD) {
            const double by = it->factors[run->exponent - it->lowest].re;
            for (; k < run->end; k++) values[target[k]] += by * v[k];
        }
        k = run->end;
    }
}

static void assemble(iteration *it, double alpha)
{
    memset(it->values, 0, it->entries * sizeof *it->values);
    add_slots(it, it->values, it->target, alpha);
}

/* Room for the values of the whole, and what solves with it. */
static dae_status take_whole(iteration *it)
{
    const dae_status st = it->linear ? DAE_OK : open_linear(it);
    if (st || it->values) return st;
    it->values = alloc_zeroed(it->a, it->entries, sizeof *it->values);
    return it->values ? DAE_OK : DAE_MEMORY;
}

static dae_status factor_values(iteration *it)
{
    if (any_overflow(it->values, it->entries)) return DAE_RETRY;
    return linear_factor(it->linear, it->values);
}

/* With the matrix whatever it is. */
static dae_status factor_any(iteration *it, double alpha)
{
    const dae_status st = take_whole(it);
    if (st) return st;
    assert(it->linear && !isnan(alpha));
    it->is_rest = it->is_judged = it->is_small = false;
    it->alpha = alpha;
    assemble(it, alpha);
    return factor_values(it);
}

/* The planes have the values of the last Jacobian. */
static void load_small(iteration *it)
{
    const double *restrict v = jacobian_values(it->jacobian);
    const uint32_t *restrict place = it->square;
    const size_t square = it->layout->unknowns * it->layout->unknowns;
    double *values = small_planes(it->small);
    int64_t k = 0;
    if (it->small_evaluation == it->evaluations) return;
    it->small_evaluation = it->evaluations;
    for (size_t r = 0; r < it->runs.count; r++) {
        const power_run *run = &it->runs.items[r];
        if (run->exponent != UNREAD) {
            double *restrict plane = values
                + (size_t)(run->exponent - it->lowest) * square;
            for (; k < run->end; k++) plane[place[k]] = v[k];
        }
        k = run->end;
    }
}

static bool factor_small(iteration *it, double alpha)
{
    if (!it->small) return false;
    load_small(it);
    for (int e = it->lowest; e <= 1; e++)
        it->factors[e - it->lowest] = complex_of(power(it, alpha, e), 0);
    return small_factor(it->small, it->factors);
}

dae_status iteration_factor(iteration *it, double alpha)
{
    if (!factor_small(it, alpha)) return factor_any(it, alpha);
    it->is_rest = it->is_judged = false;
    it->is_small = true;
    it->alpha = alpha;
    return DAE_OK;
}

dae_status iteration_factor_slopes(iteration *it)
{
    const double *v = jacobian_values(it->jacobian);
    const dae_status st = take_whole(it);
    if (st) return st;
    it->is_rest = it->is_small = false;
    memset(it->values, 0, it->entries * sizeof *it->values);
    for (size_t r = 1; r < it->runs.count; r++) {
        const power_run *run = &it->runs.items[r];
        for (int64_t k = run[-1].end; k < run->end && run->exponent == 1; k++)
            it->values[it->target[k]] = v[k];
    }
    return factor_values(it);
}

/* --- complex alpha --- */

static dae_complex complex_power(dae_complex alpha, int exponent)
{
    dae_complex result = {1, 0};
    if (exponent == 1) return alpha;
    const dae_complex base = exponent < 0 ? complex_over(result, alpha) : alpha;
    for (int e = exponent < 0 ? -exponent : exponent; e > 0; e--)
        result = complex_times(result, base);
    return result;
}

static dae_status open_pairs(iteration *it)
{
    if (!it->pair_values)
        it->pair_values = alloc_zeroed(
            it->a, it->entries, sizeof *it->pair_values);
    if (!it->pair_values) return DAE_MEMORY;
    const dae_status st = merge_columns(it);
    if (st) return st;
    return complex_linear_create(it->layout->unknowns, it->column_start,
        it->row, it->kind, ITERATION_PAIRS, it->a, &it->pairs);
}

/* With it->factors. */
static void assemble_pair(iteration *it)
{
    const double *restrict v = jacobian_values(it->jacobian);
    const uint32_t *restrict target = it->target;
    dae_complex *restrict values = it->pair_values;
    memset(values, 0, it->entries * sizeof *values);
    int64_t k = 0;
    for (size_t r = 0; r < it->runs.count; r++) {
        const power_run *run = &it->runs.items[r];
        if (run->exponent != UNREAD) {
            const dae_complex by = it->factors[run->exponent - it->lowest];
            for (; k < run->end; k++) {
                values[target[k]].re += by.re * v[k];
                values[target[k]].im += by.im * v[k];
            }
        }
        k = run->end;
    }
}

static dae_status factor_any_pair(iteration *it, int k)
{
    const dae_status st = it->pairs ? DAE_OK : open_pairs(it);
    if (st) return st;
    assemble_pair(it);
    if (any_overflow(&it->pair_values->re, 2 * it->entries)) return DAE_RETRY;
    return complex_linear_factor(it->pairs, k, it->pair_values);
}

static bool factor_small_pair(iteration *it, int k)
{
    if (!it->small) return false;
    load_small(it);
    return small_factor_pair(it->small, k, it->factors);
}

dae_status iteration_factor_pair(
    iteration *it, int k, dae_complex alpha, bool *is_new)
{
    assert(k >= 0 && k < ITERATION_PAIRS && alpha.im != 0);
    const bool is_kept = it->pair_evaluation[k] == it->evaluations
        && it->pair_alpha[k].re == alpha.re && it->pair_alpha[k].im == alpha.im;
    if (is_new) *is_new = !is_kept;
    if (is_kept) return DAE_OK;
    it->pair_alpha[k] = complex_of(0, 0);
    for (int e = it->lowest; e <= 1; e++)
        it->factors[e - it->lowest] = complex_power(alpha, e);
    it->is_small_pair[k] = factor_small_pair(it, k);
    const dae_status st = it->is_small_pair[k] ? DAE_OK
                                               : factor_any_pair(it, k);
    if (st) return st;
    it->pair_alpha[k] = alpha;
    it->pair_evaluation[k] = it->evaluations;
    return DAE_OK;
}

dae_status iteration_solve_pair(iteration *it, int k, double *re, double *im)
{
    if (!it->is_small_pair[k])
        return complex_linear_solve(it->pairs, k, re, im);
    small_solve_pair(it->small, k, re, im);
    return DAE_OK;
}

/* --- condensed --- */

/* The classes of linalg/condense.h. An entry of several slots is a sum, which may
 * vanish. */
static void find_classes(const iteration *it, uint8_t *class, double *value)
{
    const layout *l = it->layout;
    const dae_pattern *p = jacobian_pattern(it->jacobian);
    const double *v = jacobian_values(it->jacobian);
    enum { NONE = 255 };
    memset(class, NONE, it->entries);
    for (size_t j = 0; j < l->unknowns; j++) {
        for (size_t w = 0; w < slot_count(l, j); w++) {
            const size_t s = slot_of(l, j, w);
            const uint8_t own = exponent_of(l, j, w) == 0 ? ENTRY_KNOWN
                                                          : ENTRY_POWER;
            for (int64_t k = p->column_start[s]; k < p->column_start[s + 1];
                 k++) {
                const uint32_t at = it->target[k];
                const bool is_known = class[at] == NONE && p->kind
                    && p->kind[k] != DAE_ENTRY_VARYING && v[k] != 0
                    && isfinite(v[k]);
                class[at] = is_known ? own : ENTRY_VARIES;
                value[at] = v[k];
            }
        }
    }
}

/* Where the slots' entries go. */
static dae_status find_places(iteration *it)
{
    condensed *c = &it->condensed;
    it->place = alloc_zeroed(it->a, it->slot_entries, sizeof *it->place);
    if (!it->place) return DAE_MEMORY;
    for (size_t k = 0; k < it->slot_entries; k++)
        it->place[k] = c->place[it->target[k]];
    condensed_forget_places(c);
    return DAE_OK;
}

/* The counts for sparse matrices are upper bounds, so a comparison with a full matrix
 * is unreliable: the rest of a sparse matrix stays sparse unless it is small. */
static dae_linear choose_for_rest(const iteration *it, size_t count)
{
    enum { SMALL = 32 };
    if (count == 0) return DAE_LINEAR_DENSE;
    const bool is_named = it->choice != DAE_LINEAR_AUTO
        && it->choice != DAE_LINEAR_DIRECT && it->choice != DAE_LINEAR_GMRES;
    if (is_named || count <= SMALL) return it->choice;
    if (it->kind != DAE_LINEAR_KLU) return DAE_LINEAR_AUTO;
    return count <= LIST_COLUMNS_MOST ? DAE_LINEAR_LIST : DAE_LINEAR_KLU;
}

/* Whether the whole is to be solved by GMRES, too. */
static bool is_whole_iterated(const iteration *it)
{
    return it->choice == DAE_LINEAR_GMRES
        || (it->choice == DAE_LINEAR_AUTO && !it->followed
            && linear_prefers_gmres(it->linear));
}

/* What the matrix may be condensed to. */
typedef struct candidate {
    condensed condensed;
    linear *rest;  /* NULL: it is not to be condensed */
    int64_t most;  /* products of a pivot */
    bool has_more; /* see elimination */
} candidate;

static void candidate_clear(candidate *c)
{
    linear_free(c->rest);
    condensed_clear(&c->condensed);
    c->rest = NULL;
}

/* Direct factors are not counted again where few unknowns are taken out of a matrix whose
 * counts are known. */
static dae_status open_rest(iteration *it, candidate *out)
{
    const condensed *c = &out->condensed;
    const bool is_asked = it->choice == DAE_LINEAR_GMRES;
    const bool are_few = (double)c->pivots < DIGIT * (double)c->n;
    dae_status st = DAE_UNSUPPORTED;
    if (c->count > 0 && (is_asked || (are_few && is_whole_iterated(it))))
        st = linear_create_gmres(
            c->count, c->column_start, c->row, it->a, &out->rest);
    if (st == DAE_UNSUPPORTED && c->pivots == 0) return DAE_OK;
    if (st != DAE_UNSUPPORTED) return st;
    st = linear_create(c->count, c->column_start, c->row,
        choose_for_rest(it, c->count), it->a, &out->rest);
    if (st || it->choice != DAE_LINEAR_AUTO) return st;
    return linear_iterate(out->rest);
}

/* What is known of the entries is not needed longer. */
static dae_status find_pivots(
    const iteration *it, elimination_source *s, elimination *out)
{
    uint8_t *class = alloc_zeroed(it->a, it->entries, sizeof *class);
    uint8_t *level = alloc_zeroed(it->a, it->entries, sizeof *level);
    double *value = alloc_zeroed(it->a, it->entries, sizeof *value);
    dae_status st = DAE_MEMORY;
    if (class && level && value) {
        find_classes(it, class, value);
        find_levels(it, level);
        s->class = class;
        s->level = level;
        s->value = value;
        st = elimination_find(s, it->a, out);
        s->class = s->level = NULL;
        s->value = NULL;
    }
    alloc_free(it->a, class, it->entries, sizeof *class);
    alloc_free(it->a, level, it->entries, sizeof *level);
    alloc_free(it->a, value, it->entries, sizeof *value);
    return st;
}

static dae_status find_candidate(
    iteration *it, elimination_source *s, candidate *out)
{
    elimination e;
    *out = (candidate){.rest = NULL, .most = s->most};
    dae_status st = find_pivots(it, s, &e);
    if (st) return st;
    const bool is_worth_it = e.pivots.count > 0 || is_whole_iterated(it);
    out->has_more = e.has_more;
    if (is_worth_it) st = condensed_init(&out->condensed, s, &e, it->a);
    elimination_clear(&e);
    if (!st && is_worth_it) st = open_rest(it, out);
    if (st) candidate_clear(out);
    return st;
}

/* Products of a pivot: of the usual one, which formulas of some unknowns are, and of
 * those that are compared with it in large matrices. */
enum { PRODUCTS_USUAL = 16, PRODUCTS_MOST = 144 };

/* Pivots with many products beside few of them: the cheaper of both in a run. */
static dae_status try_more(
    iteration *it, elimination_source *s, candidate *best)
{
    const dae_linear kind = linear_kind(it->linear);
    candidate more;
    if (kind != DAE_LINEAR_KLU && kind != DAE_LINEAR_UMFPACK) return DAE_OK;
    if (!best->has_more) return DAE_OK;
    s->most = PRODUCTS_MOST;
    const dae_status st = find_candidate(it, s, &more);
    if (st) return st == DAE_LIMIT ? DAE_OK : st;
    const bool is_more = more.rest
        && (!best->rest || more.condensed.pivots > best->condensed.pivots);
    const double before = best->rest
        ? condensed_cost(&best->condensed, best->rest, RUN_SOLVES)
        : linear_cost(it->linear, RUN_SOLVES);
    if (is_more
        && condensed_cost(&more.condensed, more.rest, RUN_SOLVES)
            <= (1 - DIGIT) * before) {
        candidate_clear(best);
        *best = more;
    } else candidate_clear(&more);
    return DAE_OK;
}

static dae_status find_candidates(
    iteration *it, elimination_source *s, candidate *best)
{
    s->most = it->followed ? it->followed : it->is_kept ? -1 : PRODUCTS_USUAL;
    dae_status st = find_candidate(it, s, best);
    if (!st && !it->is_kept && !it->followed) st = try_more(it, s, best);
    if (st) candidate_clear(best);
    return st;
}

/* Numbers for an unknown that a checked solution takes, and the side that is given, which
 * comes first; one with weights keeps two of them and takes a third; no solution is both. */
enum { OF_LOOK = 4, OF_WEIGHTS = 2 };

/* The values of the rest, which are not read once it is factorized, have room for what is
 * needed while no solution is under way. */
static bool has_spare(const iteration *it)
{
    return it->condensed.kept >= OF_LOOK * it->layout->unknowns;
}

/* Behind so many numbers for an unknown in the room, where there is none. */
static double *spare(const iteration *it, size_t behind)
{
    return has_spare(it) ? it->condensed.values
                         : it->room + behind * it->layout->unknowns;
}

/* In place of the whole: room for what solving with the rest takes. */
static dae_status take_candidate(iteration *it, const candidate *c)
{
    const size_t n = it->layout->unknowns;
    it->condensed = c->condensed;
    it->rest = c->rest;
    it->most = c->most;
    if (!it->rest) return DAE_OK;
    if (it->condensed.pivots == 0) return find_places(it);
    it->room_size = has_spare(it) ? OF_WEIGHTS * n : (1 + OF_LOOK) * n;
    it->room = alloc_zeroed(it->a, it->room_size, sizeof *it->room);
    return it->room ? find_places(it) : DAE_MEMORY;
}

static dae_status find_rest(iteration *it)
{
    candidate best;
    elimination_source s = {.n = it->layout->unknowns,
        .column_start = it->column_start,
        .row = it->row};
    const dae_status st = find_candidates(it, &s, &best);
    return st ? st : take_candidate(it, &best);
}

/* Decides once. The whole is not needed any more where it is condensed. */
static dae_status ask(iteration *it)
{
    const bool is_asked = it->choice == DAE_LINEAR_GMRES;
    const bool is_hopeless = is_asked ? it->layout->unknowns == 0
                                      : !it->followed
            && (linear_cost(it->linear, LINEAR_SOLVES) <= CONDENSED_LEAST
                || (it->is_kept && !is_whole_iterated(it)));
    dae_status st = is_hopeless ? DAE_OK : find_rest(it);
    if (!st && it->rest && !condensed_take_room(&it->condensed))
        st = DAE_MEMORY;
    if (st == DAE_LIMIT) st = DAE_OK; /* too many entries to be counted */
    else if (st) {
        forget_rest(it);
        return st;
    }
    it->is_asked = true;
    const bool is_taken = it->rest
        && (it->followed || (is_asked && is_inexact(it))
            || condensed_saves(&it->condensed, it->linear, it->rest));
    const bool is_iterated = is_taken && is_inexact(it);
    const bool is_empty = is_taken && it->condensed.count == 0;
    /* it is requested and cannot be */
    it->fallbacks += is_asked && !is_hopeless && !is_iterated && !is_empty;
    if (!is_taken) {
        forget_rest(it);
        return DAE_OK;
    }
    if (it->linear) it->fill = linear_expected_fill(it->linear);
    forget_whole(it);
    return DAE_OK;
}

static void assemble_condensed(iteration *it, double alpha)
{
    double *values = it->condensed.values;
    memset(values, 0, it->condensed.value_count * sizeof *values);
    add_slots(it, values, it->place, alpha);
}

static dae_status factor_rest(iteration *it, double alpha)
{
    condensed *c = &it->condensed;
    it->is_weighed = false;
    assemble_condensed(it, alpha);
    if (any_overflow(c->values, c->value_count)) return DAE_RETRY;
    if (!condensed_eliminate(c)) return DAE_NUMERIC;
    const dae_status st = linear_factor(it->rest, c->values);
    if (!st) linear_lend(it->rest, c->values);
    return st;
}

void iteration_release(iteration *it)
{
    if (it->rest && is_inexact(it)) linear_release(it->rest);
}

void iteration_rest(iteration *it)
{
    it->is_resting = it->rest || it->is_resting;
    if (it->rest) forget_solver(it);
}

/* It is decided again, by counts of the whole. */
static dae_status wake(iteration *it)
{
    const dae_status st = it->linear ? DAE_OK : open_linear(it);
    if (st) return st;
    forget_rest(it);
    it->is_asked = false;
    return DAE_OK;
}

/* The first solution after every so many factorizations is checked: matrices change
 * slowly in a run, and a check costs a pass over the entries. */
enum { LOOKED_AT = 16 };

dae_status iteration_factor_condensed(iteration *it, double alpha)
{
    dae_status st;
    if (it->is_resting && (st = wake(it))) return st;
    if (!it->is_asked && (st = ask(it))) return st;
    if (!it->rest) return iteration_factor(it, alpha);
    it->is_rest = true;
    it->is_judged = it->is_small = false;
    it->alpha = alpha;
    st = factor_rest(it, alpha);
    if (!st && it->factorizations++ % LOOKED_AT == 0)
        it->is_unproven = it->condensed.pivots > 0;
    if (st != DAE_NUMERIC) return st;
    if ((st = iteration_factor(it, alpha)) != DAE_MEMORY) give_rest_up(it);
    return st;
}

void iteration_distrust(iteration *it)
{
    if (it->linear) linear_distrust(it->linear);
    if (it->rest) linear_distrust(it->rest);
}

/* Up to one that stays, of the whole matrix and of the condensed one. */
static int sign_of(const iteration *it)
{
    if (it->is_small) return small_sign(it->small);
    return it->is_rest ? condensed_sign(&it->condensed) * linear_sign(it->rest)
                       : linear_sign(it->linear);
}

/* The sign for a much larger alpha; 0: such a matrix is singular to rounding. */
static dae_status find_far(iteration *it, double alpha, int *sign)
{
    const dae_status st = it->is_rest ? factor_rest(it, alpha)
                                      : iteration_factor(it, alpha);
    *sign = st ? 0 : sign_of(it);
    return st == DAE_MEMORY ? st : DAE_OK;
}

/* Entries without alpha may be rounding beside the others at alpha/eps: half as many digits
 * away the sign that is kept is confirmed, and only one that is not asked for there. */
dae_status iteration_is_outgrown(
    iteration *it, bool *is_outgrown, bool *is_other)
{
    const int sign = it->is_judged ? 0 : sign_of(it);
    int *far = &it->far_sign[it->is_rest], near = 0, last = 0;
    *is_outgrown = *is_other = false;
    if (*far == 0) *far = sign; /* steps begin short: alpha is large */
    if (sign == 0 || sign == *far) {
        it->is_judged = true;
        return DAE_OK;
    }
    const double alpha = it->alpha;
    *is_other = true;
    dae_status st = find_far(it, alpha / HALF_DIGITS, &near);
    if (!st && near == sign) st = find_far(it, alpha / DBL_EPSILON, &last);
    if (st) return st;
    if (near != 0) *far = last != 0 ? last : near;
    *is_outgrown = near != 0 && *far == -sign;
    return DAE_OK;
}

void iteration_chain(iteration *it, double chain)
{
    it->chain = chain;
}

void iteration_keep_whole(iteration *it)
{
    it->is_kept = true;
}

/* Data for the check of a solution: n numbers each. */
typedef struct look {
    double *off;     /* A x - b */
    double *size;    /* |A| y + |b| */
    double *largest; /* of each row of A */
    double *y, *given;
} look;

static look look_at(const iteration *it)
{
    const size_t n = it->layout->unknowns;
    double *v = spare(it, 1);
    return (look){v, v + n, v + 2 * n, v + 3 * n, it->room};
}

static void multiply(const iteration *it, const double *x, const look *k)
{
    const layout *l = it->layout;
    const dae_pattern *p = jacobian_pattern(it->jacobian);
    const double *v = jacobian_values(it->jacobian);
    for (size_t i = 0; i < l->unknowns; i++) {
        k->off[i] = -k->given[i];
        k->size[i] = fabs(k->given[i]);
        k->largest[i] = 0;
    }
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t w = 0; w < slot_count(l, j); w++) {
            const size_t s = slot_of(l, j, w);
            const double factor = power(it, it->alpha, exponent_of(l, j, w));
            int64_t at = p->column_start[s];
            for (; at < p->column_start[s + 1]; at++) {
                const int32_t i = p->row[at];
                const double entry = factor * v[at], entry_size = fabs(entry);
                k->off[i] += entry * x[j];
                k->size[i] += entry_size * k->y[j];
                k->largest[i] = larger(k->largest[i], entry_size);
            }
        }
}

/* Does x solve each equation of A x = b but for this part of its terms [OP64],
 * or to rounding beside the largest unknown, as any elimination does? Newton's
 * method supplies the other digits; with fewer it would be slow. The size of an
 * eliminated unknown is that of the terms that give it, as their cancellation loses
 * digits. */
static bool is_solution(const iteration *it, const look *k, const double *x)
{
    const size_t n = it->layout->unknowns;
    double most = 0;
    for (size_t j = 0; j < n; j++) {
        k->y[j] = fabs(x[j]);
        most = larger(most, k->y[j]);
    }
    multiply(it, x, k);
    condensed_sizes(&it->condensed, k->size, k->y);
    multiply(it, x, k);
    for (size_t i = 0; i < n; i++) {
        const double fine = larger(HALF_DIGITS * k->size[i],
            rounding_of(ROUNDINGS_OF_MANY) * most * k->largest[i]);
        if (!(fabs(k->off[i]) <= fine)) return false;
    }
    return true;
}

/* The corrections of a step have the same weights and mostly the same factors. */
static const double *weights_of_rest(iteration *it, const double *weights)
{
    const size_t n = it->layout->unknowns;
    double *kept = it->room, *last = kept + n;
    if (it->condensed.pivots == 0) return weights;
    if (!it->is_weighed || memcmp(last, weights, n * sizeof *last) != 0)
        condensed_weights(&it->condensed, weights, spare(it, OF_WEIGHTS), kept);
    memcpy(last, weights, n * sizeof *last);
    it->is_weighed = true;
    return kept;
}

/* NULL as `goal`: to rounding. */
static dae_status solve_rest(iteration *it, double *b, const linear_goal *goal)
{
    linear_goal own = {0};
    if (goal && is_inexact(it)) {
        own = *goal;
        own.weights = weights_of_rest(it, goal->weights);
    }
    condensed_reduce(&it->condensed, b);
    const dae_status st = linear_solve_within(
        it->rest, it->condensed.left, own.weights ? &own : NULL);
    if (!st) condensed_expand(&it->condensed, b);
    return st;
}

/* Gives condensation up and solves with the whole matrix. */
static dae_status solve_whole(iteration *it, double *b)
{
    const dae_status st = iteration_factor(it, it->alpha);
    if (st == DAE_MEMORY) {
        it->is_rest = true; /* to be repeated */
        return st;
    }
    give_rest_up(it);
    if (st) return st == DAE_NUMERIC ? DAE_RETRY : st;
    if (!it->is_small) return linear_solve(it->linear, b);
    small_solve(it->small, b);
    return DAE_OK;
}

/* Solves and checks the solution. */
static dae_status solve_and_look(iteration *it, double *b)
{
    const size_t n = it->layout->unknowns;
    const look k = look_at(it);
    it->is_weighed = false;
    memcpy(k.given, b, n * sizeof *b);
    dae_status st = solve_rest(it, b, NULL);
    if (st) return st;
    if (any_overflow(b, n) || !is_solution(it, &k, b)) {
        memcpy(b, k.given, n * sizeof *b);
        st = solve_whole(it, b);
    }
    it->is_unproven = st == DAE_MEMORY;
    return st;
}

dae_status iteration_solve_within(
    iteration *it, double *b, const linear_goal *goal)
{
    if (it->is_small) {
        small_solve(it->small, b);
        return DAE_OK;
    }
    if (!it->is_rest)
        return it->linear ? linear_solve(it->linear, b) : DAE_NUMERIC;
    return it->is_unproven ? solve_and_look(it, b) : solve_rest(it, b, goal);
}

dae_status iteration_solve(iteration *it, double *b)
{
    if (!it->is_small) return iteration_solve_within(it, b, NULL);
    small_solve(it->small, b);
    return DAE_OK;
}

dae_status iteration_solve_all(iteration *it, int pairs, double *b, size_t step)
{
    bool are_small = it->is_small;
    for (int k = 0; k < pairs; k++) are_small &= it->is_small_pair[k];
    if (are_small) {
        small_solve_all(it->small, pairs, b, step);
        return DAE_OK;
    }
    dae_status st = iteration_solve(it, b);
    for (int k = 0; k < pairs && !st; k++) {
        double *re = b + (size_t)(2 * k + 1) * step;
        st = iteration_solve_pair(it, k, re, re + step);
    }
    return st;
}

bool iteration_is_inexact(const iteration *it)
{
    return it->is_rest && is_inexact(it);
}

void iteration_take_counts(
    iteration *it, int64_t *iterations, int64_t *fallbacks)
{
    if (it->rest) linear_take_counts(it->rest, &it->iterations, &it->fallbacks);
    *iterations += it->iterations;
    *fallbacks += it->fallbacks;
    it->iterations = it->fallbacks = 0;
}

dae_status iteration_rcond(iteration *it, double *rcond)
{
    const bool was_rest = it->is_rest, was_small = it->is_small;
    const dae_status st = was_rest || was_small ? factor_any(it, it->alpha)
                                                : DAE_OK;
    *rcond = !st && it->linear ? linear_rcond(it->linear) : 0;
    if (st != DAE_MEMORY) return DAE_OK;
    it->is_rest = was_rest; /* to be repeated */
    it->is_small = was_small;
    return st;
}

const linear *iteration_linear(const iteration *it)
{
    return it->is_rest ? it->rest : it->linear;
}

iteration_size iteration_sizes(const iteration *it)
{
    const condensed *c = &it->condensed;
    const bool is_condensed = it->rest || it->is_resting;
    iteration_size z = {.columns = (int64_t)it->layout->unknowns,
        .entries = (int64_t)it->entries,
        .fill = it->linear ? linear_expected_fill(it->linear) : it->fill,
        .is_condensed = is_condensed};
    z.condensed_columns = is_condensed ? (int64_t)c->count : z.columns;
    z.condensed_entries = is_condensed ? (int64_t)c->kept : z.entries;
    return z;
}

bool iteration_taken(const iteration *it, size_t k, size_t *row, size_t *column)
{
    if (k >= it->condensed.pivots) return false;
    *row = (size_t)it->condensed.pivot_row[k];
    *column = (size_t)it->condensed.pivot_column[k];
    return true;
}

int64_t iteration_nonzeros(const iteration *it)
{
    return (int64_t)it->entries;
}

int64_t iteration_overflow_row(const iteration *it)
{
    return jacobian_overflow_row(it->jacobian);
}

const dae_pattern *iteration_pattern(const iteration *it)
{
    return jacobian_pattern(it->jacobian);
}

const double *iteration_values(const iteration *it)
{
    return jacobian_values(it->jacobian);
}
