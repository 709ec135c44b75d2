/* The residuals less their projection on the columns of the free slots, by
 * Gram-Schmidt with pivots on rows scaled to 1: what is left is the
 * combination, as it is orthogonal to all of them. */
#include "start/blame.h"
#include "start/circuit.h"
#include "start/count.h"
#include "start/excess.h"
#include "start/rank.h"
#include <math.h>
#include <string.h>

/* Columns have length 1: shorter rests are rounding. */
static const double REST_ZERO = 1e-10;
/* Parts of a sum below this part of its terms are rounding or an error of
 * differences; members of a combination below it do not count. */
static const double PART_ZERO = 1e-5;
/* A rest below this part of the residuals: they are in the range, and the
 * iteration failed for another reason. */
static const double LEFT_LEAST = 1e-2;
/* Rows of a circuit are compared in sizes near 1. */
static const double CIRCUIT_ZERO = 1e-9;
/* Below, beside given slots, a free one does not change a row at all. */
static const double WEAK = 1e-8;
/* The smallest is chosen of so many. */
enum { CIRCUITS = 32 };

typedef struct projection {
    init_system *s;
    submatrix m;
    double *a;      /* rows x columns, by columns; becomes the basis */
    double *values; /* entries */
    double *scale;  /* rows: 1 / largest entry */
    double *u;      /* rows: the combination, of scaled rows */
    int32_t *local; /* system rows: own number or -1 */
    size_t rank;
    bool is_smallest;       /* a circuit is wanted */
    const uint8_t *is_held; /* slots; NULL: none */
} projection;

static bool fits(const projection *v, size_t rows, size_t columns)
{
    size_t cells;
    const double r = (double)rows, c = (double)columns;
    if (v->is_smallest) return r * c * fmin(r, c) <= COUNT_WORK;
    return size_mul(rows, columns, &cells) && cells <= RANK_LIMIT;
}

/* All rows or those of the part, against all free slots. */
static dae_status choose(projection *v, const split_part *part, bool *is_small)
{
    init_system *s = v->s;
    int32_t *slots = ARENA_ARRAY(&s->arena, int32_t, s->slots);
    int32_t *rows = ARENA_ARRAY(&s->arena, int32_t, s->rows);
    size_t columns = 0;
    if (!slots || !rows) return DAE_MEMORY;
    for (size_t k = 0; k < s->slots; k++)
        if (s->is_free[k] && !(v->is_held && v->is_held[k]))
            slots[columns++] = (int32_t)k;
    for (size_t i = 0; i < s->rows; i++) rows[i] = (int32_t)i;
    const bool is_all = fits(v, s->rows, columns);
    const size_t count = is_all ? s->rows : part->row_count;
    *is_small = fits(v, count, columns);
    if (!*is_small) return DAE_OK;
    return submatrix_init(
        &v->m, s, is_all ? rows : part->rows, count, slots, columns);
}

/* The largest entry of each row, over all slots. */
static void measure_rows(projection *v)
{
    const init_system *s = v->s;
    for (size_t k = 0; k < s->slots; k++) {
        entry_range e[2];
        const int count = unknowns_column(s, k, e);
        for (int q = 0; q < count; q++) {
            for (int64_t p = e[q].begin; p < e[q].end; p++) {
                const int32_t i = v->local[(size_t)e[q].row[p] + e[q].offset];
                if (i < 0) continue;
                v->scale[i] = fmax(v->scale[i], fabs(entry_value(&e[q], p)));
            }
        }
    }
    for (size_t i = 0; i < v->m.rows; i++)
        v->scale[i] = v->scale[i] > 0 ? 1 / v->scale[i] : 1;
}

/* Rows that free slots change weakly for what given ones do: to sizes in which
 * that counts, or they seem to depend on one another. */
static void strengthen(projection *v)
{
    const size_t n = v->m.rows;
    for (size_t i = 0; i < n; i++) {
        double most = 0;
        for (size_t j = 0; j < v->m.columns; j++)
            most = fmax(most, fabs(v->a[j * n + i]));
        if (!(most > WEAK)) continue;
        for (size_t j = 0; j < v->m.columns; j++) v->a[j * n + i] /= most;
        v->scale[i] /= most;
    }
}

static dae_status load(projection *v)
{
    init_system *s = v->s;
    arena *a = &s->arena;
    const submatrix *m = &v->m;
    v->a = ARENA_ARRAY(a, double, m->rows * m->columns);
    v->values = ARENA_ARRAY(a, double, m->entries);
    v->scale = ARENA_ARRAY(a, double, m->rows);
    v->u = ARENA_ARRAY(a, double, m->rows);
    v->local = ARENA_ARRAY(a, int32_t, s->rows);
    if (!v->a || !v->values || !v->scale || !v->u || !v->local)
        return DAE_MEMORY;
    submatrix_values(m, s, v->local, v->values);
    measure_rows(v);
    for (size_t j = 0; j < m->columns; j++)
        for (int64_t p = m->column_start[j]; p < m->column_start[j + 1]; p++)
            v->a[j * m->rows + (size_t)m->row[p]] = v->values[p]
                * v->scale[m->row[p]];
    if (v->is_smallest) strengthen(v);
    for (size_t i = 0; i < m->rows; i++) {
        const size_t row = (size_t)m->row_at[i];
        if (unknowns_ratio(s, row) > 1) v->u[i] = s->res[row] * v->scale[i];
    }
    return DAE_OK;
}

static double dot(const double *x, const double *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static void take_out(double *x, const double *q, size_t n)
{
    const double by = dot(x, q, n);
    for (size_t i = 0; i < n; i++) x[i] -= by * q[i];
}

static void stretch(double *x, size_t n, double by)
{
    for (size_t i = 0; i < n; i++) x[i] *= by;
}

static size_t longest(const projection *v, size_t from, double *length)
{
    size_t best = from;
    *length = 0;
    for (size_t j = from; j < v->m.columns; j++) {
        const double *x = v->a + j * v->m.rows;
        const double size = sqrt(dot(x, x, v->m.rows));
        if (size <= *length) continue;
        *length = size;
        best = j;
    }
    return best;
}

/* An orthonormal basis of the columns into the first `rank` of them. */
static void make_basis(projection *v)
{
    const size_t n = v->m.rows, columns = v->m.columns;
    const double zero = fmax(REST_ZERO, v->s->fuzz);
    double length;
    for (size_t j = 0; j < columns; j++) {
        double *x = v->a + j * n;
        const double size = sqrt(dot(x, x, n));
        if (size > 0) stretch(x, n, 1 / size);
    }
    for (v->rank = 0; v->rank < columns && v->rank < n; v->rank++) {
        const size_t best = longest(v, v->rank, &length);
        double *q = v->a + v->rank * n, *x = v->a + best * n;
        if (length <= zero) break;
        for (size_t i = 0; i < n; i++) {
            const double other = q[i];
            q[i] = x[i];
            x[i] = other;
        }
        for (size_t j = 0; j < v->rank; j++) take_out(q, v->a + j * n, n);
        stretch(q, n, 1 / sqrt(dot(q, q, n)));
        for (size_t j = v->rank + 1; j < columns; j++)
            take_out(v->a + j * n, q, n);
    }
}

static double largest(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* u := what of it is outside the range; false where that is nothing. */
static bool project(projection *v)
{
    const size_t n = v->m.rows;
    const double before = largest(v->u, n);
    make_basis(v);
    for (int pass = 0; pass < 2; pass++) /* again, against cancellation */
        for (size_t j = 0; j < v->rank; j++) take_out(v->u, v->a + j * n, n);
    const double most = largest(v->u, n);
    if (!(most > LEFT_LEAST * before)) return false;
    for (size_t i = 0; i < n; i++)
        if (fabs(v->u[i]) <= PART_ZERO * most) v->u[i] = 0;
    return true;
}

/* Two contradictions that share no free slot are two: keeps that of the
 * largest member. `mark` (rows) holds 1 for those in it. */
static void keep_one(projection *v, uint8_t *mark)
{
    const submatrix *m = &v->m;
    size_t first = 0;
    bool is_larger = true;
    for (size_t i = 1; i < m->rows; i++)
        if (fabs(v->u[i]) > fabs(v->u[first])) first = i;
    mark[first] = 1;
    while (is_larger) {
        is_larger = false;
        for (size_t j = 0; j < m->columns; j++) {
            bool meets = false, lacks = false;
            const int64_t end = m->column_start[j + 1];
            for (int64_t p = m->column_start[j]; p < end; p++) {
                const int32_t i = m->row[p];
                if (v->values[p] == 0 || v->u[i] == 0) continue;
                if (mark[i]) meets = true;
                else lacks = true;
            }
            if (!meets || !lacks) continue;
            is_larger = true;
            for (int64_t p = m->column_start[j]; p < end; p++)
                if (v->values[p] != 0 && v->u[m->row[p]] != 0)
                    mark[m->row[p]] = 1;
        }
    }
    for (size_t i = 0; i < m->rows; i++)
        if (!mark[i]) v->u[i] = 0;
}

/* Whether a slot changes the combination. */
static bool changes(const projection *v, size_t slot)
{
    entry_range e[2];
    double sum = 0, terms = 0;
    const int count = unknowns_column(v->s, slot, e);
    for (int q = 0; q < count; q++) {
        for (int64_t p = e[q].begin; p < e[q].end; p++) {
            const int32_t i = v->local[(size_t)e[q].row[p] + e[q].offset];
            if (i < 0) continue;
            const double term = v->u[i] * v->scale[i] * entry_value(&e[q], p);
            sum += term;
            terms += fabs(term);
        }
    }
    return fabs(sum) > fmax(PART_ZERO, 10 * v->s->fuzz) * terms;
}

/* The free slots a little aside, the others as they are. */
static dae_status look_aside(projection *v, bool *is_lasting)
{
    init_system *s = v->s;
    double *z = ARENA_ARRAY(&s->arena, double, s->slots);
    double *res = ARENA_ARRAY(&s->arena, double, s->rows);
    *is_lasting = false;
    if (!z || !res) return DAE_MEMORY;
    memcpy(z, s->z, s->slots * sizeof *z);
    memcpy(res, s->res, s->rows * sizeof *res);
    for (size_t k = 0; k < s->slots; k++) {
        if (!s->is_free[k]) continue;
        const double by = s->scale[k] * (0.01 - 0.0005 * (double)(k % 13));
        const double up = z[k] + by;
        s->z[k] = up <= s->high[k] ? up : fmax(z[k] - by, s->low[k]);
    }
    dae_status st = unknowns_residual(s, s->z, s->res);
    if (!st) st = unknowns_jacobian(s);
    *is_lasting = !st;
    for (size_t k = 0; !st && k < s->slots; k++)
        if (s->is_free[k] && changes(v, k)) *is_lasting = false;
    memcpy(s->z, z, s->slots * sizeof *z);
    memcpy(s->res, res, s->rows * sizeof *res);
    return st == DAE_RETRY ? DAE_OK : st;
}

static dae_status list_members(projection *v, blame *out)
{
    init_system *s = v->s;
    uint8_t *mark = ARENA_ARRAY(&s->arena, uint8_t, v->m.rows);
    out->rows = ARENA_ARRAY(&s->arena, int32_t, v->m.rows);
    out->slots = ARENA_ARRAY(&s->arena, int32_t, s->slots);
    if (!mark || !out->rows || !out->slots) return DAE_MEMORY;
    keep_one(v, mark);
    for (size_t i = 0; i < v->m.rows; i++)
        if (mark[i]) out->rows[out->row_count++] = v->m.row_at[i];
    for (size_t k = 0; k < s->slots; k++)
        if (!s->is_free[k] && changes(v, k))
            out->slots[out->slot_count++] = (int32_t)k;
    return look_aside(v, &out->is_lasting);
}

static size_t count_parties(const projection *v)
{
    size_t count = 0;
    for (size_t i = 0; i < v->m.rows; i++) count += v->u[i] != 0;
    for (size_t k = 0; k < v->s->slots; k++)
        count += !v->s->is_free[k] && changes(v, k);
    return count;
}

/* u := the circuit with the fewest rows and given values; false: none. */
static dae_status choose_circuit(projection *v, bool *is_found)
{
    arena *a = &v->s->arena;
    const size_t n = v->m.rows;
    double *found, *left = ARENA_ARRAY(a, double, n);
    double *allowed = ARENA_ARRAY(a, double, n);
    size_t count, best = 0, fewest = SIZE_MAX;
    *is_found = false;
    if (!left || !allowed) return DAE_MEMORY;
    for (size_t i = 0; i < n; i++) {
        const size_t row = (size_t)v->m.row_at[i];
        left[i] = v->s->res[row] * v->scale[i];
        allowed[i] = v->scale[i] * fmax(v->s->tolerance[row], v->s->noise[row]);
    }
    const circuit_rows rows = {n, v->m.columns, v->a, left, allowed,
        fmax(CIRCUIT_ZERO, 10 * v->s->fuzz)};
    const dae_status st = circuits_smallest(&rows, a, CIRCUITS, &found, &count);
    if (st) return st;
    for (size_t c = 0; c < count; c++) {
        v->u = found + c * n;
        const size_t parties = count_parties(v);
        if (parties >= fewest) continue;
        fewest = parties;
        best = c;
    }
    if (count) v->u = found + best * n;
    *is_found = count > 0;
    return DAE_OK;
}

/* Whether a free slot changes the combination after all: one outside the part. */
static bool is_open(const projection *v)
{
    for (size_t k = 0; k < v->s->slots; k++)
        if (v->s->is_free[k] && !(v->is_held && v->is_held[k]) && changes(v, k))
            return true;
    return false;
}

/* Of a part with too many rows, too large for full matrices. */
static dae_status find_sparse(projection *v, const split_part *part, blame *out)
{
    init_system *s = v->s;
    arena *a = &s->arena;
    const size_t n = part->row_count;
    bool is_found = false;
    if (n <= part->slot_count || part->slot_count == 0) return DAE_OK;
    dae_status st = submatrix_init(
        &v->m, s, part->rows, n, part->slots, part->slot_count);
    if (st) return st;
    v->values = ARENA_ARRAY(a, double, v->m.entries);
    v->scale = ARENA_ARRAY(a, double, n);
    v->u = ARENA_ARRAY(a, double, n);
    v->local = ARENA_ARRAY(a, int32_t, s->rows);
    double *left = ARENA_ARRAY(a, double, n);
    double *allowed = ARENA_ARRAY(a, double, n);
    if (!v->values || !v->scale || !v->u || !v->local || !left || !allowed)
        return DAE_MEMORY;
    submatrix_values(&v->m, s, v->local, v->values);
    measure_rows(v);
    for (size_t i = 0; i < n; i++) {
        const size_t row = (size_t)v->m.row_at[i];
        left[i] = s->res[row] * v->scale[i];
        allowed[i] = v->scale[i] * fmax(s->tolerance[row], s->noise[row]);
    }
    const excess_rows rows = {&v->m, v->values, v->scale, left, allowed};
    st = excess_find(&rows, a, s->request->allocator, v->u, &is_found);
    if (st || !is_found || is_open(v)) return st;
    out->is_sought = true;
    return list_members(v, out);
}

static dae_status find(projection *v, const split_part *part, blame *out)
{
    init_system *s = v->s;
    bool is_small, is_found;
    *out = (blame){0};
    dae_status st = unknowns_jacobian(s);
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    unknowns_measure(s);
    st = choose(v, part, &is_small);
    if (!st && !is_small && v->is_smallest) return find_sparse(v, part, out);
    if (st || !is_small) return st;
    out->is_sought = true;
    if ((st = load(v))) return st;
    if (!v->is_smallest) return project(v) ? list_members(v, out) : DAE_OK;
    st = choose_circuit(v, &is_found);
    return st || !is_found ? st : list_members(v, out);
}

dae_status blame_find(init_system *s, const split_part *part, blame *out)
{
    projection v = {.s = s};
    return find(&v, part, out);
}

dae_status blame_find_smallest(
    init_system *s, const split_part *part, const uint8_t *is_held, blame *out)
{
    projection v = {.s = s, .is_smallest = true, .is_held = is_held};
    return find(&v, part, out);
}
