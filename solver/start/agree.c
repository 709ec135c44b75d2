/* Beside values below atol (start/report.c): 0*u' = i and i = (1 - u)/1e12 say u = 1, but with u = 0
 * everything is within 1e-9 of what it should be. */
#include "start/agree.h"
#include "linalg/rrqr.h"
#include "linalg/scale.h"
#include "linalg/thresholds.h"
#include "start/record.h"
#include <math.h>
#include <string.h>

typedef struct comparison {
    init_system *s;
    submatrix m;
    int32_t *rows, *slots, *local;
    double *values, *r, *d, *left;
} comparison;

/* Half of the digits of the terms: what no step has brought below is no error of
 * the point. */
static bool is_rounding(const init_system *s, size_t i)
{
    return fabs(s->res[i]) <= HALF_DIGITS / DBL_EPSILON * s->noise[i];
}

static bool is_any_left(const init_system *s)
{
    for (size_t i = 0; i < s->rows; i++)
        if (!is_rounding(s, i)) return true;
    return false;
}

/* All rows, and the free slots; the given one comes last. */
static dae_status comparison_init(comparison *c, size_t slot)
{
    init_system *s = c->s;
    arena *a = &s->arena;
    const uint8_t *order = s->request->layout->order;
    size_t count = 0;
    c->rows = ARENA_ARRAY(a, int32_t, s->rows);
    c->slots = ARENA_ARRAY(a, int32_t, s->slots + 1);
    c->local = ARENA_ARRAY(a, int32_t, s->rows);
    if (!c->rows || !c->slots || !c->local) return DAE_MEMORY;
    for (size_t i = 0; i < s->rows; i++) c->rows[i] = (int32_t)i;
    for (size_t k = 0; k < s->slots; k++) {
        const bool is_there = k < s->states || order[k - s->states] > 0;
        if (is_there && s->is_free[k]) c->slots[count++] = (int32_t)k;
    }
    c->slots[count++] = (int32_t)slot;
    const dae_status st = submatrix_init(
        &c->m, s, c->rows, s->rows, c->slots, count);
    if (st) return st;
    c->values = ARENA_ARRAY(a, double, c->m.entries);
    c->d = ARENA_ARRAY(a, double, count);
    c->r = ARENA_ARRAY(a, double, s->rows);
    c->left = ARENA_ARRAY(a, double, s->rows);
    return c->values && c->d && c->r && c->left ? DAE_OK : DAE_MEMORY;
}

/* d of least length in units of the matrix, in which weak rows count as others,
 * with r + J d = 0 as well as can be. */
static dae_status solve(comparison *c)
{
    rrqr f;
    const submatrix *m = &c->m;
    arena *a = &c->s->arena;
    const size_t longer = m->rows > m->columns ? m->rows : m->columns;
    double *row = ARENA_ARRAY(a, double, m->rows);
    double *column = ARENA_ARRAY(a, double, m->columns);
    if (!row || !column || !rrqr_init(&f, a, m->rows, m->columns))
        return DAE_MEMORY;
    for (size_t j = 0; j < m->columns; j++)
        for (int64_t p = m->column_start[j]; p < m->column_start[j + 1]; p++)
            f.a[j * m->rows + (size_t)m->row[p]] = c->values[p];
    const matrix_view all = {m->rows, m->columns, NULL, NULL, f.a};
    scale_equilibrate(&all, row, column, c->left);
    scale_by(&all, row, column, f.a);
    for (size_t i = 0; i < m->rows; i++) c->left[i] = -c->r[i] * row[i];
    rrqr_factor(&f, rank_zero_of(longer, c->s->fuzz));
    rrqr_complete(&f);
    rrqr_solve(&f, c->left, c->d);
    for (size_t j = 0; j < m->columns; j++) c->d[j] *= column[j];
    return any_overflow(c->d, m->columns) ? DAE_NUMERIC : DAE_OK;
}

/* What the rows keep after the step, against what they had: each by itself. */
static bool is_solved(comparison *c)
{
    const submatrix *m = &c->m;
    memcpy(c->left, c->r, m->rows * sizeof *c->left);
    for (size_t j = 0; j < m->columns; j++)
        for (int64_t p = m->column_start[j]; p < m->column_start[j + 1]; p++)
            c->left[m->row[p]] += c->values[p] * c->d[j];
    for (size_t i = 0; i < m->rows; i++)
        if (!is_rounding(c->s, i)
            && fabs(c->left[i]) > RESIDUAL_GONE * fabs(c->r[i]))
            return false;
    return true;
}

/* *other: the value without the condition; NaN: it agrees, or nothing is
 * known. */
static dae_status ask_others(comparison *c, size_t slot, double *other)
{
    init_system *s = c->s;
    size_t cells;
    *other = (double)NAN;
    dae_status st = comparison_init(c, slot);
    if (st) return st;
    if (!size_mul(c->m.rows, c->m.columns, &cells) || cells > DENSE_CELLS_MOST)
        return DAE_OK;
    submatrix_values(&c->m, s, c->values);
    memcpy(c->r, s->res, s->rows * sizeof *c->r);
    st = solve(c);
    if (st) return st == DAE_NUMERIC ? DAE_OK : st;
    const double by = c->d[c->m.columns - 1];
    const double size = fmax(fabs(s->z[slot]), fabs(s->z[slot] + by));
    if (fabs(by) > s->request->rtol * size + s->atol[slot] && is_solved(c))
        *other = s->z[slot] + by;
    return DAE_OK;
}

/* The free slot whose tolerance lets most of a row pass. */
static size_t find_lenient(const init_system *s)
{
    size_t lenient = s->slots;
    double most = 0;
    for (size_t k = 0; k < s->states; k++) {
        entry_range e[2];
        const int count = s->is_free[k] ? unknowns_column(s, k, e) : 0;
        for (int q = 0; q < count; q++)
            for (int64_t p = e[q].begin; p < e[q].end; p++) {
                const size_t i = (size_t)e[q].row[p] + e[q].offset;
                const double passes = fabs(entry_value(&e[q], p)) * s->atol[k];
                if (is_rounding(s, i) || !(passes > most)) continue;
                most = passes;
                lenient = k;
            }
    }
    return lenient;
}

dae_status agree_judge(init_system *s)
{
    const init_findings *f = s->request->findings;
    dae_status st = DAE_OK;
    if (!f->redundant_count || f->singular_count || !is_any_left(s))
        return DAE_OK;
    for (size_t q = 0; q < f->redundant_count && !st; q++) {
        const init_party *party = &f->redundant[q];
        comparison c = {.s = s};
        double other = (double)NAN;
        const arena_position mark = arena_mark(&s->arena);
        if (party->kind == INIT_GIVEN) {
            if ((st = unknowns_interrupt(s))) return st;
            st = ask_others(&c, party->index, &other);
        }
        arena_release(&s->arena, mark);
        if (st || isnan(other)) continue;
        const size_t lenient = find_lenient(s);
        const init_change found = {.slot = party->index,
            .value = other,
            .lenient = lenient < s->slots ? lenient : SIZE_MAX};
        st = record_agreement(s, &found);
    }
    return st;
}
