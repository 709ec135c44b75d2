/* Gauss-Jordan elimination by levels: of each column the level is how far its
 * order lies above (derivatives that only some derived equation contains) or
 * below the highest derivative of its unknown that counts. */
#include "reduce/select.h"
#include "linalg/gauss_jordan.h"
#include "linalg/scale.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* A slot whose derivative is a state is determined only where there is no
 * other choice. */
static const double OUT_OF_CHAIN = 1e-3;

typedef struct table {
    size_t rows, columns;
    double *g;         /* by rows */
    int32_t *level;    /* columns */
    int32_t *pivot;    /* rows: -1 none */
    int32_t *pivot_of; /* columns: the row, -1 */
    int32_t top, bottom;
} table;

static dae_status table_take(arena *a, const select_request *q, table *t)
{
    const extended *e = q->e;
    const double work = (double)e->rows * (double)e->rows * (double)e->columns;
    if (work > SPARSE_RANK_WORK) return DAE_UNSUPPORTED;
    t->rows = e->rows;
    t->columns = e->columns;
    t->g = ARENA_ARRAY(a, double, e->rows * e->columns);
    t->level = ARENA_ARRAY(a, int32_t, e->columns);
    t->pivot = ARENA_ARRAY(a, int32_t, e->rows);
    t->pivot_of = ARENA_ARRAY(a, int32_t, e->columns);
    const bool has_all = t->g && t->level && t->pivot && t->pivot_of;
    return has_all ? DAE_OK : DAE_MEMORY;
}

/* Rows to a largest entry of 1. */
static void scale_to_rows(table *t)
{
    for (size_t i = 0; i < t->rows; i++) {
        double *row = t->g + i * t->columns;
        const matrix_view m = {1, t->columns, NULL, NULL, row};
        double size;
        row_sizes(&m, NULL, NULL, &size);
        for (size_t k = 0; k < t->columns; k++) row[k] /= size;
    }
}

/* Rows and columns in units that the equations show (linalg/scale.h): those of
 * the sizes given are not those of the equations then. */
static dae_status scale_all(arena *a, table *t)
{
    double *row = ARENA_ARRAY(a, double, t->rows);
    double *column = ARENA_ARRAY(a, double, t->columns);
    double *work = ARENA_ARRAY(a, double, t->columns);
    if (!row || !column || !work) return DAE_MEMORY;
    /* by rows: what is a column here is a row there */
    const matrix_view m = {t->columns, t->rows, NULL, NULL, t->g};
    scale_equilibrate(&m, column, row, work);
    scale_by(&m, column, row, t->g);
    return DAE_OK;
}

static dae_status table_load(
    const select_request *q, pick_scaling scaling, arena *a, table *t)
{
    const extended *e = q->e;
    const dae_pattern *p = e->problem.pattern;
    t->top = t->bottom = 0;
    for (size_t c = 0; c < t->columns; c++) {
        const int32_t j = e->column_unknown[c];
        t->level[c] = (int32_t)(c - e->column_first[j]) - q->highest[j];
        if (t->level[c] > t->top) t->top = t->level[c];
        if (t->level[c] < t->bottom) t->bottom = t->level[c];
        for (int64_t k = p->column_start[c]; k < p->column_start[c + 1]; k++)
            t->g[(size_t)p->row[k] * t->columns + c] = q->values[k]
                * q->size[j];
    }
    dae_status st = DAE_OK;
    if (scaling == PICK_BY_SIZES) scale_to_rows(t);
    else st = scale_all(a, t);
    memset(t->pivot, 0xff, t->rows * sizeof *t->pivot);
    memset(t->pivot_of, 0xff, t->columns * sizeof *t->pivot_of);
    return st;
}

static void eliminate(table *t, size_t i, size_t j)
{
    assert(t->pivot[i] < 0 && t->pivot_of[j] < 0);
    jordan_eliminate(t->g, t->rows, t->columns, i, j, NULL);
    t->pivot[i] = (int32_t)j;
    t->pivot_of[j] = (int32_t)i;
}

/* Whether the derivative of column c is not determined. */
static bool is_above_free(const select_request *q, const table *t, size_t c)
{
    const size_t j = (size_t)q->e->column_unknown[c];
    return c + 1 < q->e->column_first[j + 1] && t->pivot_of[c + 1] < 0;
}

/* The best pivot of a level among derivatives, or among what is none; not in
 * columns that are barred (NULL: none is). 0: there is none. */
static double find_pivot(const select_request *q, const table *t, int32_t level,
    bool of_derivatives, const uint8_t *barred, size_t *i, size_t *j)
{
    double best = 0;
    for (size_t c = 0; c < t->columns; c++) {
        if (t->level[c] != level || t->pivot_of[c] >= 0) continue;
        if (barred && barred[c]) continue;
        const size_t u = (size_t)q->e->column_unknown[c];
        if ((c > q->e->column_first[u]) != of_derivatives) continue;
        const bool is_dear = q->is_preferred
            && q->is_preferred[q->e->column_unknown[c]];
        const double taste = (is_above_free(q, t, c) ? OUT_OF_CHAIN : 1)
            * (is_dear ? PICK_PREFERENCE : 1);
        for (size_t r = 0; r < t->rows; r++) {
            const double size = fabs(t->g[r * t->columns + c]);
            if (t->pivot[r] >= 0 || !(size > VALUES_ERROR)
                || !(size * taste > best))
                continue;
            best = size * taste, *i = r, *j = c;
        }
    }
    return best;
}

/* Of one level derivatives come first: where an equation has one beside an
 * algebraic unknown, it is the equation of the derivative, however small its
 * coefficient. */
static void reduce(const select_request *q, table *t, const uint8_t *barred)
{
    size_t i, j;
    for (int32_t level = t->top; level >= t->bottom; level--) {
        while (find_pivot(q, t, level, true, barred, &i, &j) > 0)
            eliminate(t, i, j);
        while (find_pivot(q, t, level, false, barred, &i, &j) > 0)
            eliminate(t, i, j);
    }
}

/* What is determined by states of its own level, in units of sizes. */
static double leverage_of(const table *t, const uint8_t *is_state, gauge *g)
{
    double most = 0;
    for (size_t c = 0; c < t->columns; c++) {
        const int32_t r = t->pivot_of[c];
        if (r < 0 || t->level[c] > 0) continue;
        for (size_t k = 0; k < t->columns; k++) {
            if (!is_state[k] || t->level[k] != t->level[c]) continue;
            const double entry = t->g[(size_t)r * t->columns + k];
            if (g) gauge_take(g, entry);
            most = fmax(most, fabs(entry));
        }
    }
    return most;
}

/* Whether slot c is determined, by nothing that is frozen, or a state. */
static bool is_known(const table *t, const pick *p, size_t c)
{
    const int32_t r = t->pivot_of[c];
    if (r < 0) return p->is_state[c];
    for (size_t k = 0; k < t->columns; k++)
        if (p->is_frozen[k]
            && fabs(t->g[(size_t)r * t->columns + k]) > EFFECT_ERROR)
            return false;
    return true;
}

static bool may_be_loose(const select_request *q, size_t c)
{
    const size_t j = (size_t)q->e->column_unknown[c];
    return q->may_be_loose && q->may_be_loose[j] && c == q->e->column_first[j];
}

static dae_status check(const select_request *q, const table *t, const pick *p)
{
    const extended *e = q->e;
    int64_t states = 0;
    for (size_t c = 0; c < t->columns; c++) {
        const size_t j = (size_t)e->column_unknown[c];
        const int32_t order = (int32_t)(c - e->column_first[j]);
        const bool is_needed = order <= q->needed[j] && !p->is_loose[c];
        if (is_needed && !is_known(t, p, c)) return DAE_UNSUPPORTED;
        if (!p->is_state[c]) continue;
        states++;
        if (c + 1 == e->column_first[j + 1] || !is_known(t, p, c + 1))
            return DAE_UNSUPPORTED;
    }
    return q->freedom < 0 || states == q->freedom ? DAE_OK : DAE_UNSUPPORTED;
}

/* From a table that is eliminated. */
static dae_status take(const select_request *q, const table *t, pick *out)
{
    for (size_t c = 0; c < t->columns; c++) {
        const bool is_free = t->pivot_of[c] < 0;
        out->is_loose[c] = may_be_loose(q, c) && t->level[c] == 0;
        out->is_free[c] = is_free && out->is_loose[c];
        out->is_state[c] = is_free && !out->is_free[c] && t->level[c] <= 0;
        out->is_frozen[c] = is_free && t->level[c] > 0;
    }
    for (size_t r = 0; r < t->rows; r++) out->is_out[r] = t->pivot[r] < 0;
    out->leverage = leverage_of(t, out->is_state, NULL);
    return check(q, t, out);
}

static dae_status choose(
    const select_request *q, pick_scaling scaling, pick *out)
{
    arena memory;
    table t;
    arena_init(&memory, q->allocator, 0);
    dae_status st = table_take(&memory, q, &t);
    if (!st) st = table_load(q, scaling, &memory, &t);
    if (!st) {
        reduce(q, &t, NULL);
        out->scaling = scaling;
        st = take(q, &t, out);
    }
    arena_clear(&memory);
    return st;
}

/* Where the sizes do not tell what is independent, because units are further
 * apart than that, those do that the equations show. */
dae_status select_choose(const select_request *q, pick *out)
{
    assert(q->values && q->size && q->highest && q->needed);
    static const pick_scaling scalings[] = {PICK_BY_SIZES, PICK_BY_UNITS};
    dae_status st = DAE_UNSUPPORTED;
    out->lost = -1;
    for (size_t k = 0; k < 2 && st == DAE_UNSUPPORTED; k++)
        st = choose(q, scalings[k], out);
    return st;
}

dae_status select_measure(
    const select_request *q, const pick *p, double *leverage)
{
    assert(q->values && q->size && q->highest && p->is_state);
    arena memory;
    table t;
    arena_init(&memory, q->allocator, 0);
    dae_status st = table_take(&memory, q, &t);
    uint8_t *barred = ARENA_ARRAY(&memory, uint8_t, q->e->columns);
    if (!st && !barred) st = DAE_MEMORY;
    if (!st) st = table_load(q, p->scaling, &memory, &t);
    if (!st) {
        for (size_t c = 0; c < t.columns; c++)
            barred[c] = p->is_state[c] || p->is_frozen[c] || p->is_free[c];
        for (size_t r = 0; r < t.rows; r++)
            if (p->is_out[r])
                memset(t.g + r * t.columns, 0, t.columns * sizeof *t.g);
        reduce(q, &t, barred);
        *leverage = leverage_of(&t, p->is_state, q->gauge);
        for (size_t r = 0; r < t.rows; r++)
            if (!p->is_out[r] && t.pivot[r] < 0) *leverage = HUGE_VAL;
    }
    arena_clear(&memory);
    return st;
}
