/* Differences perturb all slots of one colour at once (graph/colour.h), each
 * with an increment of its own, and divide what each row changed by. */
#include "linalg/jacobian.h"
#include "graph/colour.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Differences by colour. */
typedef struct differences {
    int32_t count;        /* colours */
    int32_t *start;       /* count + 1 */
    int32_t *column;      /* columns by colour */
    uint8_t *is_varying;  /* [colour] */
    double *x, *xp, *res; /* the perturbed point and its residual */
    double *increment;    /* [column] */
} differences;

struct jacobian {
    jacobian_source source;
    const layout *layout;
    size_t columns, entries;
    dae_pattern pattern;
    int64_t *dense_start; /* where the source has no pattern */
    int32_t *dense_row;
    double *values;   /* those of the source's room, or own ones */
    bool is_complete; /* every entry was made once */
    uint64_t digest;  /* of the entries that never change; 0: none yet */
    bool has_varying;
    differences d;
    const dae_allocator *a;
};

/* The bits of 2^512; those of an infinity and of a NaN are larger. */
#define OVERFLOW_BITS UINT64_C(0x5ff0000000000000)
#define SIZE_BITS UINT64_C(0x7fffffffffffffff)

static bool any_beyond(const double *values, size_t count)
{
    uint64_t bad = 0;
    for (size_t p = 0; p < count; p++) {
        uint64_t bits;
        memcpy(&bits, &values[p], sizeof bits);
        bad |= (uint64_t)((bits & SIZE_BITS) >= OVERFLOW_BITS);
    }
    return bad != 0;
}

/* At the speed of addition in four lanes. */
bool any_overflow_of_many(const double *values, size_t count)
{
    double sum[4] = {0, 0, 0, 0};
    size_t p = 0;
    for (; p + 4 <= count; p += 4)
        for (size_t lane = 0; lane < 4; lane++)
            sum[lane] += fabs(values[p + lane]);
    for (; p < count; p++) sum[0] += fabs(values[p]);
    const double all = sum[0] + sum[1] + sum[2] + sum[3];
    return !(all < 0x1p512) && any_beyond(values, count);
}

double overflow_in_row(const dae_pattern *pattern, size_t columns,
    const double *values, int64_t row)
{
    const int64_t end = pattern->column_start[columns];
    for (int64_t p = 0; p < end; p++)
        if (pattern->row[p] == row && is_overflow(values[p])) return values[p];
    return (double)NAN;
}

static dae_status check_pattern(
    const dae_pattern *pattern, size_t rows, size_t columns)
{
    const int64_t *start = pattern->column_start;
    if (start[0] != 0) return DAE_ARGUMENT;
    for (size_t j = 0; j < columns; j++) {
        int64_t last = -1;
        if (start[j + 1] < start[j]) return DAE_ARGUMENT;
        for (int64_t p = start[j]; p < start[j + 1]; p++) {
            const int64_t i = pattern->row[p];
            if (i <= last || i >= (int64_t)rows) return DAE_ARGUMENT;
            last = i;
        }
    }
    return DAE_OK;
}

static dae_status make_dense_pattern(jacobian *j)
{
    const size_t rows = j->source.rows;
    if (!size_mul(rows, j->columns, &j->entries)) return DAE_LIMIT;
    j->dense_start = alloc_zeroed(j->a, j->columns + 1, sizeof *j->dense_start);
    j->dense_row = alloc_zeroed(j->a, j->entries, sizeof *j->dense_row);
    if (!j->dense_start || !j->dense_row) return DAE_MEMORY;
    for (size_t c = 0; c < j->columns; c++) {
        j->dense_start[c + 1] = (int64_t)((c + 1) * rows);
        for (size_t i = 0; i < rows; i++)
            j->dense_row[c * rows + i] = (int32_t)i;
    }
    j->pattern = (dae_pattern){j->dense_start, j->dense_row, NULL};
    return DAE_OK;
}

static bool is_varying(const jacobian *j, int64_t p)
{
    return !j->pattern.kind || j->pattern.kind[p] == DAE_ENTRY_VARYING;
}

/* Derivatives of algebraic unknowns occur in nothing. */
static bool is_read(const jacobian *j, size_t column)
{
    const size_t states = j->layout->states;
    return column < states || j->layout->order[column - states] > 0;
}

/* Sorts columns by colour, in their natural order within one. */
static dae_status group_by_colour(jacobian *j, const int32_t *colour)
{
    differences *d = &j->d;
    const size_t count = (size_t)d->count;
    d->start = alloc_zeroed(j->a, count + 2, sizeof *d->start);
    d->column = alloc_zeroed(j->a, j->columns, sizeof *d->column);
    d->is_varying = alloc_zeroed(j->a, count, sizeof *d->is_varying);
    if (!d->start || !d->column || !d->is_varying) return DAE_MEMORY;
    for (size_t c = 0; c < j->columns; c++)
        if (colour[c] >= 0 && is_read(j, c)) d->start[colour[c] + 2]++;
    for (size_t k = 0; k < count; k++) d->start[k + 2] += d->start[k + 1];
    for (size_t c = 0; c < j->columns; c++) {
        if (colour[c] < 0 || !is_read(j, c)) continue;
        d->column[d->start[colour[c] + 1]++] = (int32_t)c;
        const int64_t end = j->pattern.column_start[c + 1];
        for (int64_t p = j->pattern.column_start[c]; p < end; p++)
            if (is_varying(j, p)) d->is_varying[colour[c]] = 1;
    }
    return DAE_OK;
}

static dae_status differences_init(jacobian *j)
{
    differences *d = &j->d;
    const layout *l = j->layout;
    dae_status st = DAE_MEMORY;
    int32_t *colour = alloc_zeroed(j->a, j->columns, sizeof *colour);
    d->x = alloc_zeroed(j->a, l->states, sizeof *d->x);
    d->xp = alloc_zeroed(j->a, l->unknowns, sizeof *d->xp);
    d->res = alloc_zeroed(j->a, j->source.rows, sizeof *d->res);
    d->increment = alloc_zeroed(j->a, j->columns, sizeof *d->increment);
    if (!colour || !d->x || !d->xp || !d->res || !d->increment) goto done;
    st = colour_columns(j->source.rows, j->columns, j->pattern.column_start,
        j->pattern.row, j->a, colour, &d->count);
    if (!st) st = group_by_colour(j, colour);
done:
    alloc_free(j->a, colour, j->columns, sizeof *colour);
    return st;
}

static void differences_clear(jacobian *j)
{
    differences *d = &j->d;
    const layout *l = j->layout;
    const size_t count = (size_t)d->count;
    alloc_free(j->a, d->start, count + 2, sizeof *d->start);
    alloc_free(j->a, d->column, j->columns, sizeof *d->column);
    alloc_free(j->a, d->is_varying, count, sizeof *d->is_varying);
    alloc_free(j->a, d->x, l->states, sizeof *d->x);
    alloc_free(j->a, d->xp, l->unknowns, sizeof *d->xp);
    alloc_free(j->a, d->res, j->source.rows, sizeof *d->res);
    alloc_free(j->a, d->increment, j->columns, sizeof *d->increment);
}

static dae_status jacobian_init(jacobian *j)
{
    dae_status st;
    const dae_pattern *given = j->source.pattern;
    if (given && given->column_start) {
        j->pattern = *given;
        st = check_pattern(given, j->source.rows, j->columns);
        j->entries = st ? 0 : (size_t)given->column_start[j->columns];
    } else {
        st = make_dense_pattern(j);
    }
    if (st) return st;
    j->values = alloc_zeroed(j->a, j->entries, sizeof *j->values);
    if (!j->values) return DAE_MEMORY;
    for (size_t p = 0; p < j->entries && !j->has_varying; p++)
        j->has_varying = is_varying(j, (int64_t)p);
    return j->source.function ? DAE_OK : differences_init(j);
}

dae_status jacobian_create(const jacobian_source *source, const layout *l,
    const dae_allocator *allocator, jacobian **out)
{
    const dae_allocator *a = alloc_or_default(allocator);
    *out = NULL;
    jacobian *j = alloc_zeroed(a, 1, sizeof *j);
    if (!j) return DAE_MEMORY;
    *j = (jacobian){.source = *source,
        .layout = l,
        .a = a,
        .columns = l->states + l->unknowns};
    const dae_status st = jacobian_init(j);
    if (st) {
        jacobian_free(j);
        return st;
    }
    *out = j;
    return DAE_OK;
}

void jacobian_free(jacobian *j)
{
    if (!j) return;
    differences_clear(j);
    alloc_free(j->a, j->dense_start, j->columns + 1, sizeof *j->dense_start);
    alloc_free(j->a, j->dense_row, j->entries, sizeof *j->dense_row);
    alloc_free(j->a, j->values, j->entries, sizeof *j->values);
    alloc_free(j->a, j, 1, sizeof *j);
}

/* The increment of a slot with value v, tolerance 1/w and change `move` in
 * the current step: as small as rounding allows [DS83 5.4], but no smaller
 * than the tolerance, as values below that may be error. If the tolerance is a small
 * part of the value, THIRD_OF_DIGITS times the value is enough in its place. */
static double choose_increment(double v, double w, double move)
{
    const double root = sqrt(DBL_EPSILON);
    const double size = fmax(fabs(v), fabs(move));
    double floor = w > 0 ? 1 / w : 0;
    if (floor < ASIDE * fabs(v)) floor = fmin(floor, THIRD_OF_DIGITS * fabs(v));
    double by = fmax(root * size, floor);
    if (!(by > 0) || !isfinite(by)) by = root;
    return move < 0 ? -by : by;
}

/* Increments of every slot: those of xp are the highest state's, divided by
 * the step. */
static void choose_increments(jacobian *j, const double *x, const double *xp,
    const double *weights, double step)
{
    const layout *l = j->layout;
    const double h = step != 0 ? fabs(step) : 1;
    for (size_t k = 0; k < l->unknowns; k++) {
        const size_t top = l->first[k + 1] - 1;
        for (size_t s = l->first[k]; s <= top; s++) {
            const double rate = s < top ? x[s + 1]
                : l->order[k] > 0       ? xp[k]
                                        : 0;
            j->d.increment[s] = choose_increment(x[s], weights[s], step * rate);
        }
        j->d.increment[l->states + k] = choose_increment(
            xp[k], weights[top] * h, 0);
    }
}

static double *perturbed_slot(jacobian *j, int32_t column)
{
    const size_t c = (size_t)column, states = j->layout->states;
    return c < states ? &j->d.x[c] : &j->d.xp[c - states];
}

/* Rows that have a value at the point, `res`, have one here. */
static bool is_column_finite(
    const jacobian *j, int32_t column, const double *res)
{
    const int64_t end = j->pattern.column_start[column + 1];
    for (int64_t p = j->pattern.column_start[column]; p < end; p++)
        if (!isfinite(j->d.res[j->pattern.row[p]])
            && isfinite(res[j->pattern.row[p]]))
            return false;
    return true;
}

/* One residual with the slots of colour k moved by `sign` increments. The
 * increments become what was really added. */
static dae_status call_moved(jacobian *j, int32_t k, double sign, double t,
    const double *x, const double *xp, const double *res)
{
    differences *d = &j->d;
    const size_t states = j->layout->states;
    for (int32_t s = d->start[k]; s < d->start[k + 1]; s++) {
        const int32_t c = d->column[s];
        double *slot = perturbed_slot(j, c);
        const double from = *slot;
        *slot = from + sign * d->increment[c];
        d->increment[c] = *slot - from;
    }
    dae_status st = j->source.residual(j->source.self, t, d->x, d->xp, d->res);
    for (int32_t s = d->start[k]; s < d->start[k + 1]; s++) {
        const int32_t c = d->column[s];
        const size_t slot = (size_t)c;
        *perturbed_slot(j, c) = slot < states ? x[slot] : xp[slot - states];
        if (!st && !is_column_finite(j, c, res)) st = DAE_RETRY;
    }
    return st;
}

static dae_status evaluate_differences(jacobian *j, double t, const double *x,
    const double *xp, const double *res, int64_t *residuals)
{
    differences *d = &j->d;
    memcpy(d->x, x, j->layout->states * sizeof *x);
    memcpy(d->xp, xp, j->layout->unknowns * sizeof *xp);
    for (int32_t k = 0; k < d->count; k++) {
        if (d->start[k] == d->start[k + 1]) continue;
        if (j->is_complete && !d->is_varying[k]) continue;
        dae_status st = call_moved(j, k, 1, t, x, xp, res);
        ++*residuals;
        if (st == DAE_RETRY) { /* boundary of the domain: the other way */
            st = call_moved(j, k, -1, t, x, xp, res);
            ++*residuals;
        }
        if (st) return st;
        for (int32_t s = d->start[k]; s < d->start[k + 1]; s++) {
            const int32_t c = d->column[s];
            const int64_t end = j->pattern.column_start[c + 1];
            for (int64_t p = j->pattern.column_start[c]; p < end; p++) {
                const int32_t i = j->pattern.row[p];
                j->values[p] = (d->res[i] - res[i]) / d->increment[c];
            }
        }
    }
    return DAE_OK;
}

/* FNV-1a over the bits of the entries that never change. */
static uint64_t digest_fixed(const jacobian *j)
{
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    const uint8_t *kind = j->pattern.kind;
    for (size_t p = 0; kind && p < j->entries; p++) {
        uint64_t bits;
        if (kind[p] == DAE_ENTRY_VARYING) continue;
        memcpy(&bits, &j->values[p], sizeof bits);
        digest = (digest ^ bits) * UINT64_C(0x100000001b3);
    }
    return digest | 1;
}

/* A wrong value of a constant entry would persist and make corrections small but
 * wrong. So when all entries are evaluated again, the constant ones are compared with
 * those before; if they differ (a wrong value, or a changed parameter), a third
 * evaluation must agree with one of the two. */
static dae_status evaluate_all(
    jacobian *j, double t, const double *x, const double *xp)
{
    const jacobian_source *f = &j->source;
    const uint64_t before = j->digest;
    dae_status st = f->function(f->self, DAE_ALL, t, x, xp, j->values);
    if (st) return st;
    const uint64_t now = j->digest = digest_fixed(j);
    if (before == 0 || now == before) return DAE_OK;
    if ((st = f->function(f->self, DAE_ALL, t, x, xp, j->values))) return st;
    j->digest = digest_fixed(j);
    return j->digest == now || j->digest == before ? DAE_OK : DAE_RETRY;
}

static dae_status evaluate_function(
    jacobian *j, double t, const double *x, const double *xp)
{
    const jacobian_source *f = &j->source;
    return j->is_complete
        ? f->function(f->self, DAE_VARYING, t, x, xp, j->values)
        : evaluate_all(j, t, x, xp);
}

dae_status jacobian_evaluate(jacobian *j, double t, const double *x,
    const double *xp, const double *res, const double *weights, double step,
    int64_t *residuals)
{
    dae_status st;
    assert(x && xp && (j->source.function || (res && weights)));
    if (j->is_complete && !j->has_varying) return DAE_OK;
    if (j->source.function) {
        st = evaluate_function(j, t, x, xp);
    } else {
        choose_increments(j, x, xp, weights, step);
        st = evaluate_differences(j, t, x, xp, res, residuals);
    }
    if (!st && any_overflow(j->values, j->entries)) st = DAE_RETRY;
    /* after a failure constant entries are undefined */
    j->is_complete = !st || (j->is_complete && st == DAE_RETRY);
    return st;
}

void jacobian_reset(jacobian *j)
{
    j->is_complete = false;
}

uint64_t jacobian_digest(const jacobian *j)
{
    return j->digest;
}

void jacobian_expect(jacobian *j, uint64_t digest)
{
    if (digest != 0) j->digest = digest;
}

const dae_pattern *jacobian_pattern(const jacobian *j)
{
    return &j->pattern;
}

const double *jacobian_values(const jacobian *j)
{
    return j->values;
}

int64_t jacobian_overflow_row(const jacobian *j)
{
    int64_t first = -1;
    for (size_t p = 0; p < j->entries; p++) {
        if (!is_overflow(j->values[p])) continue;
        const int64_t i = j->pattern.row[p];
        if (first < 0 || i < first) first = i;
    }
    return first;
}
