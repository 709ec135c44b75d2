#include "study/matrix.h"

#include "linalg/jacobian.h"
#include <math.h>
#include <string.h>

/* Increments of differences, where the problem has no Jacobian. */
static const double relative = 1e-6, absolute = 1e-9;

struct matrix {
    const dae_allocator *allocator;
    const layout *layout;
    jacobian *jacobian;
    linear *linear;
    size_t n, stages;
    size_t entries;        /* of the Jacobian's pattern */
    size_t highest;        /* of all q_j */
    int64_t *union_start;  /* n + 1: rows of an unknown's slots, merged */
    int32_t *union_row;    /* union_start[n] */
    int32_t *rank;         /* entries: which of these each entry is */
    int64_t *column_start; /* stages n + 1 */
    int32_t *row;          /* column_start[stages n] */
    double *values;        /* the same */
    double *slopes;        /* stages entries: the Jacobian at each */
    double *powers;        /* (highest + 1) stages^2: of C */
    double *weights;       /* N, for differences */
    size_t slots, merged, size;
};

/* Slot s of unknown j, the last one being its highest derivative in xp. */
static size_t slot_of(const layout *l, size_t j, size_t o)
{
    const size_t width = l->first[j + 1] - l->first[j];
    return o < width ? l->first[j] + o : l->states + j;
}

static size_t slot_count(const layout *l, size_t j)
{
    return l->order[j] == 0 ? 1 : (size_t)l->order[j] + 1;
}

/* Merges the rows of the slots of unknown j by a mark for every row; returns
 * how many there are. */
static size_t merge_rows(const matrix *m, size_t j, int32_t *mark)
{
    const dae_pattern *p = jacobian_pattern(m->jacobian);
    size_t count = 0;
    for (size_t o = 0; o < slot_count(m->layout, j); o++) {
        const size_t s = slot_of(m->layout, j, o);
        for (int64_t k = p->column_start[s]; k < p->column_start[s + 1]; k++)
            if (mark[p->row[k]] != (int32_t)j + 1) {
                mark[p->row[k]] = (int32_t)j + 1;
                count++;
            }
    }
    return count;
}

static int64_t find_row(
    const int32_t *row, int64_t begin, int64_t end, int32_t r)
{
    while (begin < end) {
        const int64_t middle = begin + (end - begin) / 2;
        if (row[middle] < r) begin = middle + 1;
        else end = middle;
    }
    return begin;
}

/* The merged rows of unknown j, ascending: each slot's rows ascend, so they are
 * put in one slot after the other. */
static void write_rows(matrix *m, size_t j)
{
    const dae_pattern *p = jacobian_pattern(m->jacobian);
    const int64_t begin = m->union_start[j];
    int64_t end = begin;
    for (size_t o = 0; o < slot_count(m->layout, j); o++) {
        const size_t s = slot_of(m->layout, j, o);
        for (int64_t k = p->column_start[s]; k < p->column_start[s + 1]; k++) {
            const int64_t at = find_row(m->union_row, begin, end, p->row[k]);
            if (at < end && m->union_row[at] == p->row[k]) continue;
            memmove(m->union_row + at + 1, m->union_row + at,
                (size_t)(end - at) * sizeof *m->union_row);
            m->union_row[at] = p->row[k];
            end++;
        }
    }
    for (size_t o = 0; o < slot_count(m->layout, j); o++) {
        const size_t s = slot_of(m->layout, j, o);
        for (int64_t k = p->column_start[s]; k < p->column_start[s + 1]; k++)
            m->rank[k] = (int32_t)(find_row(m->union_row, begin, end, p->row[k])
                - begin);
    }
}

static dae_status merge_columns(matrix *m)
{
    const dae_pattern *p = jacobian_pattern(m->jacobian);
    const dae_allocator *a = m->allocator;
    m->slots = m->layout->states + m->n;
    m->entries = (size_t)p->column_start[m->slots];
    m->union_start = alloc_zeroed(a, m->n + 1, sizeof *m->union_start);
    m->rank = alloc_zeroed(a, m->entries, sizeof *m->rank);
    int32_t *mark = alloc_zeroed(a, m->n, sizeof *mark);
    if (!m->union_start || !m->rank || !mark) {
        alloc_free(a, mark, m->n, sizeof *mark);
        return DAE_MEMORY;
    }
    for (size_t j = 0; j < m->n; j++)
        m->union_start[j + 1] = m->union_start[j]
            + (int64_t)merge_rows(m, j, mark);
    alloc_free(a, mark, m->n, sizeof *mark);
    m->merged = (size_t)m->union_start[m->n];
    m->union_row = alloc_zeroed(a, m->merged, sizeof *m->union_row);
    if (!m->union_row) return DAE_MEMORY;
    for (size_t j = 0; j < m->n; j++) write_rows(m, j);
    return DAE_OK;
}

/* Column (stage, unknown) holds the unknown's rows of every stage. */
static dae_status make_pattern(matrix *m)
{
    const dae_allocator *a = m->allocator;
    size_t columns = 0, block;
    if (!size_mul(m->n, m->stages, &columns) || columns >= INT32_MAX
        || !size_mul(m->merged, m->stages * m->stages, &m->size)
        || !size_mul(m->entries, m->stages, &block))
        return DAE_LIMIT;
    m->column_start = alloc_zeroed(a, columns + 1, sizeof *m->column_start);
    m->row = alloc_zeroed(a, m->size, sizeof *m->row);
    m->values = alloc_zeroed(a, m->size, sizeof *m->values);
    m->slopes = alloc_zeroed(a, block, sizeof *m->slopes);
    if (!m->column_start || !m->row || !m->values || !m->slopes)
        return DAE_MEMORY;
    int64_t at = 0;
    for (size_t c = 0; c < columns; c++) {
        const size_t j = c % m->n;
        for (size_t i = 0; i < m->stages; i++)
            for (int64_t k = m->union_start[j]; k < m->union_start[j + 1]; k++)
                m->row[at++] = (int32_t)(i * m->n) + m->union_row[k];
        m->column_start[c + 1] = at;
    }
    return DAE_OK;
}

static dae_status make_rest(matrix *m, dae_linear choice)
{
    const dae_allocator *a = m->allocator;
    const size_t square = m->stages * m->stages;
    for (size_t j = 0; j < m->n; j++)
        if (m->layout->order[j] > m->highest) m->highest = m->layout->order[j];
    m->powers = alloc_zeroed(a, (m->highest + 1) * square, sizeof(double));
    m->weights = alloc_zeroed(a, m->layout->states, sizeof(double));
    if (!m->powers || !m->weights) return DAE_MEMORY;
    return linear_create(
        m->n * m->stages, m->column_start, m->row, choice, a, &m->linear);
}

dae_status matrix_create(const dae_problem *problem, const layout *l,
    int stages, dae_linear choice, const dae_allocator *allocator, matrix **out)
{
    const jacobian_source source = {.self = problem->self,
        .rows = problem->unknown_count,
        .residual = problem->residual,
        .function = problem->jacobian,
        .pattern = problem->pattern};
    *out = NULL;
    matrix *m = alloc_zeroed(allocator, 1, sizeof *m);
    if (!m) return DAE_MEMORY;
    m->allocator = allocator;
    m->layout = l;
    m->n = l->unknowns;
    m->stages = (size_t)stages;
    dae_status st = jacobian_create(&source, l, allocator, &m->jacobian);
    if (!st) st = merge_columns(m);
    if (!st) st = make_pattern(m);
    if (!st) st = make_rest(m, choice);
    if (st) matrix_free(m);
    else *out = m;
    return st;
}

void matrix_free(matrix *m)
{
    if (!m) return;
    const dae_allocator *a = m->allocator;
    const size_t square = m->stages * m->stages;
    linear_free(m->linear);
    alloc_free(a, m->weights, m->layout->states, sizeof(double));
    alloc_free(a, m->powers, (m->highest + 1) * square, sizeof(double));
    alloc_free(a, m->slopes, m->entries * m->stages, sizeof(double));
    alloc_free(a, m->values, m->size, sizeof *m->values);
    alloc_free(a, m->row, m->size, sizeof *m->row);
    alloc_free(
        a, m->column_start, m->n * m->stages + 1, sizeof *m->column_start);
    alloc_free(a, m->union_row, m->merged, sizeof *m->union_row);
    alloc_free(a, m->rank, m->entries, sizeof *m->rank);
    alloc_free(a, m->union_start, m->n + 1, sizeof *m->union_start);
    jacobian_free(m->jacobian);
    alloc_free(a, m, 1, sizeof *m);
}

dae_status matrix_evaluate(matrix *m, int stage, double t, const double *x,
    const double *xp, const double *res, dae_study_counts *counts)
{
    for (size_t s = 0; s < m->layout->states; s++)
        m->weights[s] = 1 / (relative * fabs(x[s]) + absolute);
    counts->jacobian_evals++;
    const dae_status st = jacobian_evaluate(
        m->jacobian, t, x, xp, res, m->weights, 0, &counts->residual_evals);
    if (st) return st;
    memcpy(m->slopes + (size_t)stage * m->entries, jacobian_values(m->jacobian),
        m->entries * sizeof(double));
    return DAE_OK;
}

static void raise_powers(matrix *m, const double *c)
{
    const size_t s = m->stages, square = s * s;
    memset(m->powers, 0, (m->highest + 1) * square * sizeof(double));
    for (size_t i = 0; i < s; i++) m->powers[i * s + i] = 1;
    for (size_t e = 1; e <= m->highest; e++) {
        const double *last = m->powers + (e - 1) * square;
        double *power = m->powers + e * square;
        for (size_t i = 0; i < s; i++)
            for (size_t k = 0; k < s; k++)
                for (size_t j = 0; j < s; j++)
                    power[i * s + j] += c[i * s + k] * last[k * s + j];
    }
}

/* Slot o of unknown j at stage i into the columns of all stages. */
static void add_slot(matrix *m, size_t j, size_t o, size_t i)
{
    const dae_pattern *p = jacobian_pattern(m->jacobian);
    const size_t s = slot_of(m->layout, j, o), stages = m->stages;
    const size_t rows = (size_t)(m->union_start[j + 1] - m->union_start[j]);
    const size_t exponent = m->layout->order[j] - o;
    const double *power = m->powers + (exponent * stages + i) * stages;
    for (size_t to = 0; to < stages; to++) {
        double *column = m->values + m->column_start[to * m->n + j] + i * rows;
        if (power[to] == 0) continue;
        for (int64_t k = p->column_start[s]; k < p->column_start[s + 1]; k++)
            column[m->rank[k]] += power[to]
                * m->slopes[i * m->entries + (size_t)k];
    }
}

dae_status matrix_factor(matrix *m, const double *c, dae_study_counts *counts)
{
    raise_powers(m, c);
    memset(m->values, 0, m->size * sizeof *m->values);
    for (size_t i = 0; i < m->stages; i++)
        for (size_t j = 0; j < m->n; j++)
            for (size_t o = 0; o < slot_count(m->layout, j); o++)
                add_slot(m, j, o, i);
    for (size_t k = 0; k < m->size; k++)
        if (!isfinite(m->values[k])) return DAE_RETRY;
    counts->factorizations++;
    return linear_factor(m->linear, m->values);
}

dae_status matrix_solve(matrix *m, double *b)
{
    return linear_solve(m->linear, b);
}

void matrix_singular_at(const matrix *m, int64_t *equation, int64_t *unknown)
{
    linear_singular_at(m->linear, equation, unknown);
    if (*equation >= 0) *equation %= (int64_t)m->n;
    if (*unknown >= 0) *unknown %= (int64_t)m->n;
}

void matrix_weigh(
    const matrix *m, int stage, const double *x, const double *xp, double *size)
{
    const dae_pattern *p = jacobian_pattern(m->jacobian);
    const double *slope = m->slopes + (size_t)stage * m->entries;
    const size_t states = m->layout->states;
    memset(size, 0, m->n * sizeof *size);
    for (size_t s = 0; s < m->slots; s++) {
        const double value = fabs(s < states ? x[s] : xp[s - states]);
        for (int64_t k = p->column_start[s]; k < p->column_start[s + 1]; k++)
            size[p->row[k]] += fabs(slope[k]) * value;
    }
}
