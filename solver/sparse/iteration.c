/* The condensed pattern has one column per unknown: the union of the columns
 * of its slots. Every slot entry knows its place there, so assembly is one
 * pass over the slot entries, column by column. */
#include "sparse/iteration.h"
#include "base/report.h"
#include "sparse/jacobian.h"
#include <math.h>
#include <string.h>

struct iteration {
    const dae_problem *problem;
    const layout *layout;
    jacobian *jacobian;
    linear *linear;
    int64_t *column_start; /* n + 1: the condensed pattern */
    int32_t *row;          /* entries */
    double *values;        /* entries: A */
    uint32_t *target;      /* [slot entry]: place in its condensed column */
    size_t entries, slot_entries;
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
            it->target[k] = at;
        }
    }
}

static dae_status condense(iteration *it)
{
    const size_t n = it->layout->unknowns;
    dae_status st = DAE_MEMORY;
    int32_t *seen = alloc_zeroed(it->a, n, sizeof *seen);
    it->column_start = alloc_zeroed(it->a, n + 1, sizeof *it->column_start);
    if (!seen || !it->column_start) goto done;
    for (size_t j = 0; j < n; j++)
        it->column_start[j + 1] = it->column_start[j]
            + (int64_t)merge_column(it, j, seen, NULL);
    it->entries = (size_t)it->column_start[n];
    it->row = alloc_zeroed(it->a, it->entries, sizeof *it->row);
    it->values = alloc_zeroed(it->a, it->entries, sizeof *it->values);
    it->target = alloc_zeroed(it->a, it->slot_entries, sizeof *it->target);
    if (!it->row || !it->values || !it->target) goto done;
    memset(seen, 0, n * sizeof *seen);
    for (size_t j = 0; j < n; j++) {
        int32_t *row = it->row + it->column_start[j];
        sort_rows(row, merge_column(it, j, seen, row));
        find_targets(it, j);
    }
    st = DAE_OK;
done:
    alloc_free(it->a, seen, n, sizeof *seen);
    return st;
}

/* The levels of sparse/align.h: alpha multiplies the entries of xp, so they
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
            level[begin + it->target[k]] = 2;
    }
}

static dae_status open_linear(iteration *it, dae_linear choice)
{
    uint8_t *level = alloc_zeroed(it->a, it->entries, sizeof *level);
    if (!level) return DAE_MEMORY;
    find_levels(it, level);
    const dae_status st = linear_create_aligned(it->layout->unknowns,
        it->column_start, it->row, level, choice, it->a, &it->linear);
    alloc_free(it->a, level, it->entries, sizeof *level);
    return st;
}

static dae_status iteration_init(
    iteration *it, dae_linear choice, dae_diagnostics *ds)
{
    const dae_problem *p = it->problem;
    const layout *l = it->layout;
    const jacobian_source source = {
        p->self, p->unknown_count, p->residual, p->jacobian, p->pattern};
    dae_status st = jacobian_create(&source, l, it->a, &it->jacobian);
    if (st) return st;
    it->slot_entries = (size_t)jacobian_pattern(it->jacobian)
                           ->column_start[l->states + l->unknowns];
    if ((st = condense(it))) return st;
    st = open_linear(it, choice);
    if (st == DAE_UNSUPPORTED)
        report(ds, DIAG_E0505, NULL, (text_span){0, 0},
            "this build has no UMFPACK");
    return st;
}

dae_status iteration_create(const dae_problem *problem, const layout *l,
    dae_linear choice, const dae_allocator *allocator, dae_diagnostics *ds,
    iteration **out)
{
    const dae_allocator *a = alloc_or_default(allocator);
    *out = NULL;
    iteration *it = alloc_zeroed(a, 1, sizeof *it);
    if (!it) return DAE_MEMORY;
    *it = (iteration){.problem = problem, .layout = l, .a = a};
    const dae_status st = iteration_init(it, choice, ds);
    if (st) {
        iteration_free(it);
        return st;
    }
    *out = it;
    return DAE_OK;
}

void iteration_free(iteration *it)
{
    if (!it) return;
    const size_t n = it->layout->unknowns;
    linear_free(it->linear);
    jacobian_free(it->jacobian);
    alloc_free(it->a, it->column_start, n + 1, sizeof *it->column_start);
    alloc_free(it->a, it->row, it->entries, sizeof *it->row);
    alloc_free(it->a, it->values, it->entries, sizeof *it->values);
    alloc_free(it->a, it->target, it->slot_entries, sizeof *it->target);
    alloc_free(it->a, it, 1, sizeof *it);
}

dae_status iteration_evaluate(iteration *it, double t, const double *x,
    const double *xp, const double *res, const double *weights, double step,
    int64_t *residuals)
{
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

static void add_slot(
    const iteration *it, double *column, size_t slot, double factor)
{
    const int64_t *start = jacobian_pattern(it->jacobian)->column_start;
    const double *values = jacobian_values(it->jacobian);
    for (int64_t k = start[slot]; k < start[slot + 1]; k++)
        column[it->target[k]] += factor * values[k];
}

static double power(double alpha, int exponent)
{
    double result = 1;
    const double base = exponent < 0 ? 1 / alpha : alpha;
    for (int e = exponent < 0 ? -exponent : exponent; e > 0; e--)
        result *= base;
    return result;
}

static void assemble(iteration *it, double alpha)
{
    const layout *l = it->layout;
    memset(it->values, 0, it->entries * sizeof *it->values);
    for (size_t j = 0; j < l->unknowns; j++) {
        double *column = it->values + it->column_start[j];
        const size_t first = l->first[j], top = l->first[j + 1] - 1;
        for (size_t s = first; s < top; s++)
            add_slot(it, column, s, power(alpha, -(int)(top - s)));
        add_slot(it, column, top, 1);
        if (is_read(l, l->states + j))
            add_slot(it, column, l->states + j, alpha);
    }
}

dae_status iteration_factor(iteration *it, double alpha)
{
    assemble(it, alpha);
    if (any_overflow(it->values, it->entries)) return DAE_RETRY;
    return linear_factor(it->linear, it->values);
}

dae_status iteration_solve(iteration *it, double *b)
{
    return linear_solve(it->linear, b);
}

const linear *iteration_linear(const iteration *it)
{
    return it->linear;
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
