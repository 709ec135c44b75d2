/* A start where rank is lost says nothing of other points, and points at random,
 * which satisfy nothing, say nothing of those that do: with a multiplier that
 * every solution makes 0, equations are regular anywhere but where they hold. So
 * points are drawn near the start and moved onto the solutions. Not all
 * derivatives at once: at a standstill the nearest solution is the one that does
 * not move. Low orders first, and what they have found is held. */
#include "analysis/beside.h"
#include "extend/extend.h"
#include "index/points.h"
#include "index/ranks.h"
#include <math.h>
#include <string.h>

/* Rows of a component, and cubes of them over all points drawn. */
enum { ROWS_MOST = 300, ENTRIES_MOST = 1 << 20, ITERATIONS = 60, HALVINGS = 8 };
static const double WORK_MOST = 3e8;
/* A point is near where what the last stage does not determine is no farther
 * from the start than this part of what is typical of it. */
static const double NEAR = 0.5;
/* Residuals as parts of the terms of their rows: rounding, and what is accepted
 * where no step makes them smaller. */
static const double EXACT = 1e-14, ACCEPTED = 1e-9;

/* Near ones first: what they say counts for the start. */
static const double DISTANCES[] = {
    0.1, 0.1, 0.1, 0.1, 0.01, 0.01, 1e-3, 0.3, 0.3, 0.3, 1, 1, 3, 3};
enum { DRAWN = sizeof DISTANCES / sizeof *DISTANCES, STREAM = 4099 };

typedef struct beside {
    analysis *a;
    const component *k;
    extended *e;
    size_t rows, columns; /* of the component's, at one stage: at most */
    int32_t *row, *column;
    double *z, *from, *trial; /* e->columns */
    double *res, *values;     /* e's */
    double *size;             /* e->columns: what is typical */
    int32_t *row_at;          /* e->rows: 1 + where in `row` */
    double *matrix, *step, *terms;
    dae_certificate *certificates;
    double t, *x, *xp;
} beside;

/* ---- what is asked for ------------------------------------------------------------ */

static double row_count(const analysis *a, const component *k)
{
    double rows = 0;
    for (size_t p = 0; p < k->count; p++)
        rows += 1 + (double)a->structure->c[k->equations[p]];
    return rows;
}

static bool is_sought(const analysis *a, const component *k)
{
    const double rows = row_count(a, k);
    const double all = (double)a->problem->unknown_count;
    return !a->repair.structure && all <= ROWS_MOST && rows <= ROWS_MOST
        && DRAWN * rows * rows * rows <= WORK_MOST;
}

static bool take_vectors(beside *b)
{
    arena *m = &b->a->memory;
    const extended *e = b->e;
    const size_t entries = (size_t)e->problem.pattern->column_start[e->columns];
    const size_t most = e->rows > e->columns ? e->rows : e->columns;
    b->row = ARENA_ARRAY(m, int32_t, e->rows);
    b->row_at = ARENA_ARRAY(m, int32_t, e->rows);
    b->column = ARENA_ARRAY(m, int32_t, e->columns);
    b->z = ARENA_ARRAY(m, double, e->columns);
    b->from = ARENA_ARRAY(m, double, e->columns);
    b->trial = ARENA_ARRAY(m, double, e->columns);
    b->size = ARENA_ARRAY(m, double, e->columns);
    b->res = ARENA_ARRAY(m, double, e->rows);
    b->terms = ARENA_ARRAY(m, double, e->rows);
    b->values = ARENA_ARRAY(m, double, entries);
    b->step = ARENA_ARRAY(m, double, most);
    b->matrix = ARENA_ARRAY(m, double, e->rows * e->columns);
    b->certificates = ARENA_ARRAY(
        m, dae_certificate, b->a->structure->fine_count);
    return b->row && b->row_at && b->column && b->z && b->from && b->trial
        && b->size && b->res && b->terms && b->values && b->step && b->matrix
        && b->certificates;
}

/* The start, with derivatives that it knows; of the others 0. */
static void take_start(beside *b)
{
    const analysis *a = b->a;
    const dae_scales *scales = a->problem->scales;
    const layout *l = &a->layout;
    for (size_t c = 0; c < b->e->columns; c++) {
        const size_t j = (size_t)b->e->column_unknown[c];
        const size_t order = c - b->e->column_first[j];
        const size_t width = l->first[j + 1] - l->first[j];
        const double nominal = scales && scales->nominal ? scales->nominal[j]
                                                         : 0;
        if (order < width) b->from[c] = a->x[l->first[j] + order];
        else if (order == l->order[j]) b->from[c] = a->xp[j];
        b->size[c] = nominal > 0     ? nominal
            : a->x[l->first[j]] != 0 ? fmin(1, fabs(a->x[l->first[j]]))
                                     : 1;
    }
}

static dae_status begin(beside *b)
{
    analysis *a = b->a;
    const size_t n = a->problem->unknown_count;
    int32_t *c = ARENA_ARRAY(&a->memory, int32_t, 2 * n);
    if (!c) return DAE_MEMORY;
    for (size_t i = 0; i < n; i++) {
        const bool is_own = a->component_of[i]
            == (int32_t)(b->k - a->components);
        c[i] = is_own ? (int32_t)a->structure->c[i] : 0;
    }
    for (size_t j = 0; j < n; j++) {
        const bool is_own = a->component_of[a->structure->matching.row_of[j]]
            == (int32_t)(b->k - a->components);
        c[n + j] = is_own ? (int32_t)a->structure->d[j] : 0;
    }
    const dae_status st = extended_create(
        a->problem, c, c + n, ENTRIES_MOST, a->allocator, &b->e);
    if (st) return st;
    if (!take_vectors(b)) return DAE_MEMORY;
    take_start(b);
    return DAE_OK;
}

/* ---- a stage -------------------------------------------------------------------------- */

/* The component's equations and unknowns of a stage: F_i^(c_i + stage) and
 * x_j^(d_j + stage). */
static void take_stage(beside *b, int64_t stage)
{
    const dae_structure *s = b->a->structure;
    const extended *e = b->e;
    b->rows = b->columns = 0;
    memset(b->row_at, 0, e->rows * sizeof *b->row_at);
    for (size_t p = 0; p < b->k->count; p++) {
        const size_t i = (size_t)b->k->equations[p];
        const size_t j = (size_t)b->k->unknowns[p];
        const int64_t m = s->c[i] + stage, o = s->d[j] + stage;
        if (m >= 0) {
            b->row[b->rows++] = (int32_t)(e->row_first[i] + (size_t)m);
            b->row_at[b->row[b->rows - 1]] = (int32_t)b->rows;
        }
        if (o >= 0)
            b->column[b->columns++] = (int32_t)(e->column_first[j] + (size_t)o);
    }
}

static dae_status residual_at(beside *b, const double *z)
{
    const dae_problem *p = &b->e->problem;
    const dae_status st = p->residual(p->self, b->t, z, NULL, b->res);
    for (size_t r = 0; r < b->rows && !st; r++)
        if (!(fabs(b->res[b->row[r]]) < 1e150)) return DAE_RETRY;
    return st;
}

/* The stage's matrix with unknowns in units of their size, rows in units of
 * their terms. */
static dae_status fill_matrix(beside *b)
{
    const dae_problem *p = &b->e->problem;
    const dae_pattern *s = p->pattern;
    const dae_status st = p->jacobian(
        p->self, DAE_ALL, b->t, b->z, NULL, b->values);
    if (st) return st;
    memset(b->matrix, 0, b->rows * b->columns * sizeof *b->matrix);
    for (size_t r = 0; r < b->rows; r++) b->terms[r] = 0;
    for (size_t k = 0; k < b->columns; k++) {
        const size_t c = (size_t)b->column[k];
        for (int64_t v = s->column_start[c]; v < s->column_start[c + 1]; v++) {
            const int32_t at = b->row_at[s->row[v]];
            const double size = fmax(b->size[c], fabs(b->z[c]));
            if (!isfinite(b->values[v])) return DAE_RETRY;
            if (!at) continue;
            b->matrix[k * b->rows + (size_t)at - 1] = b->values[v] * size;
            b->terms[at - 1] = fmax(
                b->terms[at - 1], fabs(b->values[v]) * size);
        }
    }
    for (size_t r = 0; r < b->rows; r++)
        b->terms[r] = fmax(b->terms[r], fabs(b->res[b->row[r]]));
    for (size_t k = 0; k < b->columns; k++)
        for (size_t r = 0; r < b->rows; r++)
            if (b->terms[r] > 0) b->matrix[k * b->rows + r] /= b->terms[r];
    return DAE_OK;
}

static double worst(const beside *b)
{
    double most = 0;
    for (size_t r = 0; r < b->rows; r++)
        if (b->terms[r] > 0)
            most = fmax(most, fabs(b->res[b->row[r]]) / b->terms[r]);
    return most;
}

static double sum_of_squares(const beside *b)
{
    double sum = 0;
    for (size_t r = 0; r < b->rows; r++) {
        const double part = b->terms[r] > 0 ? b->res[b->row[r]] / b->terms[r]
                                            : b->res[b->row[r]];
        sum += part * part;
    }
    return sum;
}

/* The longest part of the least step that makes what is left smaller. */
static dae_status advance(beside *b, bool *has_moved)
{
    const size_t bytes = b->e->columns * sizeof *b->z;
    const double before = sum_of_squares(b);
    double part = 1;
    *has_moved = false;
    for (size_t r = 0; r < b->rows; r++)
        b->step[r] = b->terms[r] > 0 ? -b->res[b->row[r]] / b->terms[r] : 0;
    dae_status st = ranks_solve(
        b->matrix, b->rows, b->columns, b->step, b->a->allocator);
    for (int h = 0; h <= HALVINGS && !*has_moved && !st; h++, part /= 2) {
        memcpy(b->trial, b->z, bytes);
        for (size_t k = 0; k < b->columns; k++) {
            const size_t c = (size_t)b->column[k];
            b->trial[c] += part * b->step[k] * fmax(b->size[c], fabs(b->z[c]));
        }
        st = residual_at(b, b->trial);
        if (st == DAE_RETRY) st = DAE_OK;
        else *has_moved = sum_of_squares(b) < before * (1 - 0.1 * part);
    }
    if (*has_moved) memcpy(b->z, b->trial, bytes);
    return st ? st : residual_at(b, b->z);
}

/* Moves the stage's unknowns to where its equations hold. */
static dae_status solve_stage(beside *b, bool *is_solved)
{
    bool has_moved = true;
    *is_solved = b->rows == 0;
    dae_status st = b->rows ? residual_at(b, b->z) : DAE_OK;
    for (int k = 0; k < ITERATIONS && has_moved && b->rows && !st; k++) {
        const analysis *a = b->a;
        if (a->options.interrupt
            && a->options.interrupt(a->options.interrupt_context))
            return DAE_INTERRUPTED;
        if ((st = fill_matrix(b))) break;
        *is_solved = worst(b) <= ACCEPTED;
        if (worst(b) <= EXACT || b->columns == 0) break;
        st = advance(b, &has_moved);
    }
    if (st == DAE_RETRY || st == DAE_NUMERIC) {
        *is_solved = false;
        st = DAE_OK;
    }
    return st;
}

/* ---- a point ----------------------------------------------------------------------------- */

/* Blocks of the component count as regular ones that are to be looked at. */
static dae_status ask_blocks(beside *b, bool *is_regular)
{
    const analysis *a = b->a;
    const dae_structure *s = a->structure;
    const blocks_request q = {.problem = a->problem,
        .layout = &a->layout,
        .signature = a->signature,
        .structure = s,
        .allocator = a->allocator,
        .interrupt = a->options.interrupt,
        .interrupt_context = a->options.interrupt_context};
    for (size_t f = 0; f < s->fine_count; f++) {
        const int32_t of = a->component_of[s->row_at[s->fine[f].begin]];
        const bool is_own = of == (int32_t)(b->k - a->components);
        b->certificates[f] = is_own ? DAE_CERTIFIED : DAE_SINGULAR;
    }
    const dae_status st = blocks_certify_at(
        &q, b->t, b->x, b->xp, b->certificates, NULL);
    *is_regular = !st;
    for (size_t f = 0; f < s->fine_count; f++)
        if (b->certificates[f] == DAE_SINGULAR_HERE) *is_regular = false;
    return st;
}

static void take_point(beside *b)
{
    const analysis *a = b->a;
    const layout *l = &a->layout;
    memcpy(b->x, a->x, l->states * sizeof *b->x);
    memcpy(b->xp, a->xp, l->unknowns * sizeof *b->xp);
    for (size_t p = 0; p < b->k->count; p++) {
        const size_t j = (size_t)b->k->unknowns[p];
        const double *z = b->z + b->e->column_first[j];
        const size_t width = l->first[j + 1] - l->first[j];
        memcpy(b->x + l->first[j], z, width * sizeof *z);
        if (l->order[j] > 0) b->xp[j] = z[l->order[j]];
    }
}

/* The first of the component's blocks that is singular at the start. */
static size_t first_singular(const beside *b)
{
    const analysis *a = b->a;
    const dae_structure *s = a->structure;
    size_t f = 0;
    while (f < s->fine_count
        && (a->certificates[f] != DAE_SINGULAR_HERE
            || a->component_of[s->row_at[s->fine[f].begin]]
                != (int32_t)(b->k - a->components)))
        f++;
    return f;
}

/* What blocks before it determine is on a branch: x2 in x2*(1 - x2) = 0. */
static bool is_on_branch(const beside *b)
{
    const dae_structure *s = b->a->structure;
    const size_t end = first_singular(b);
    for (size_t f = 0; f < end; f++)
        for (int32_t p = s->fine[f].begin; p < s->fine[f].end; p++) {
            const size_t j = (size_t)s->column_at[p];
            const size_t c = b->e->column_first[j];
            if (b->a->component_of[s->row_at[p]]
                    == (int32_t)(b->k - b->a->components)
                && s->d[j] == 0
                && !(fabs(b->z[c] - b->from[c]) <= NEAR * b->size[c]))
                return false;
        }
    return true;
}

static bool is_near(const beside *b)
{
    const extended *e = b->e;
    if (!is_on_branch(b)) return false;
    for (size_t c = 0; c < e->columns; c++) {
        const size_t j = (size_t)e->column_unknown[c];
        const size_t order = c - e->column_first[j];
        if ((int64_t)order < b->a->structure->d[j]
            && !(fabs(b->z[c] - b->from[c]) <= NEAR * b->size[c]))
            return false;
    }
    return true;
}

/* One point: BESIDE_UNKNOWN where none was found, BESIDE_NONE a singular one. */
static dae_status draw(beside *b, size_t number, beside_outcome *outcome)
{
    const double distance = DISTANCES[number];
    bool is_solved = true, is_regular = false;
    dae_status st = DAE_OK;
    int64_t first = 0;
    *outcome = BESIDE_UNKNOWN;
    /* every other one later, too: (y - x)^2 = t^2 */
    b->t = b->a->t0;
    if (number % 2)
        b->t += distance * fabs(points_number(STREAM + number, UINT32_MAX))
            * fmax(1, fabs(b->t));
    for (size_t c = 0; c < b->e->columns; c++)
        b->z[c] = b->from[c]
            + distance * b->size[c] * points_number(STREAM + number, c);
    for (size_t p = 0; p < b->k->count; p++)
        if (b->a->structure->d[b->k->unknowns[p]] > first)
            first = b->a->structure->d[b->k->unknowns[p]];
    for (int64_t stage = -first; stage <= 0 && is_solved && !st; stage++) {
        take_stage(b, stage);
        st = solve_stage(b, &is_solved);
    }
    if (st || !is_solved) return st;
    take_point(b);
    if ((st = ask_blocks(b, &is_regular))) return st;
    *outcome = !is_regular ? BESIDE_NONE
        : is_near(b)       ? BESIDE_NEAR
                           : BESIDE_FAR;
    return DAE_OK;
}

dae_status beside_find(analysis *a, const component *k, beside_point *out)
{
    beside b = {.a = a, .k = k, .x = out->x, .xp = out->xp};
    dae_status st;
    out->outcome = BESIDE_UNKNOWN;
    if (!is_sought(a, k)) return DAE_OK;
    const arena_position mark = arena_mark(&a->memory);
    st = begin(&b);
    for (size_t number = 0; number < DRAWN && !st; number++) {
        beside_outcome outcome;
        st = draw(&b, number, &outcome);
        if (!st && outcome > out->outcome) out->outcome = outcome;
        if (out->outcome == BESIDE_NEAR) break;
    }
    out->t = b.t;
    extended_free(b.e);
    arena_release(&a->memory, mark);
    if (st != DAE_LIMIT && st != DAE_UNSUPPORTED) return st;
    out->outcome = BESIDE_UNKNOWN;
    return DAE_OK;
}
