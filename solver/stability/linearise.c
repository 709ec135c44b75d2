/* The pencil of a problem at a point, over the slots below the highest: rows of
 * F first, then x_o' = x_(o+1) for unknowns of higher order. Where it is
 * singular, the equations that depend on each other are those of a combination
 * that vanishes for a lambda taken at will, for then it does for all. */
#include "linalg/complex.h"
#include "linalg/jacobian.h"
#include "linalg/libraries.h"
#include "linalg/naming.h"
#include "linalg/pencil.h"
#include "linalg/rank_revealing_qr.h"
#include "linalg/scale.h"
#include "linalg/thresholds.h"
#include <stdio.h>
#include <string.h>

/* Increments of differences, where the problem has no Jacobian. */
static const double RELATIVE = 1e-6, ABSOLUTE = 1e-9;
/* A lambda that is no eigenvalue but by chance. */
static const double ANY = 0.7390851332151607;
/* Shares of a combination that count; what counts as zero in its search. */
static const double SHARE = 1e-6;
enum { SHOWN = 4 };

typedef struct linear {
    const dae_problem *problem;
    const layout *layout;
    const jacobian *jacobian;
    double t;
} linear;

static double tame(double value)
{
    return isfinite(value) ? value : 0;
}

static dae_status evaluate(jacobian *j, const dae_problem *p, const layout *l,
    double t, const double *x, const double *xp, arena *a)
{
    int64_t count = 0;
    double *res = ARENA_ARRAY(a, double, l->unknowns + 1);
    double *weights = ARENA_ARRAY(a, double, l->states + 1);
    if (!res || !weights) return DAE_MEMORY;
    for (size_t s = 0; s < l->states; s++)
        weights[s] = 1 / (RELATIVE * fabs(tame(x[s])) + ABSOLUTE);
    const dae_status st = p->residual(p->self, t, x, xp, res);
    if (st) return st;
    return jacobian_evaluate(j, t, x, xp, res, weights, 0, &count);
}

/* M and B, N x N by columns. */
static void fill(const linear *f, double *m, double *b)
{
    const layout *l = f->layout;
    const dae_pattern *pattern = jacobian_pattern(f->jacobian);
    const double *values = jacobian_values(f->jacobian);
    const size_t n = l->states;
    memset(m, 0, n * n * sizeof *m);
    memset(b, 0, n * n * sizeof *b);
    size_t row = l->unknowns;
    for (size_t j = 0; j < l->unknowns; j++) {
        const size_t last = l->first[j + 1] - 1;
        for (size_t s = l->first[j]; s <= last; s++)
            for (int64_t p = pattern->column_start[s];
                 p < pattern->column_start[s + 1]; p++)
                b[s * n + (size_t)pattern->row[p]] = values[p];
        for (int64_t p = pattern->column_start[n + j];
             p < pattern->column_start[n + j + 1]; p++)
            m[last * n + (size_t)pattern->row[p]] = values[p];
        for (size_t s = l->first[j]; s < last; s++, row++) {
            m[s * n + row] = 1;
            b[(s + 1) * n + row] = -1;
        }
    }
}

/* ---- where it is singular ---- */

/* A vector with A v = 0, NULL where there is none; A is spent. */
static dae_status find_null(double *matrix, size_t n, arena *a, double **v)
{
    size_t dimension = 0;
    *v = NULL;
    const matrix_view m = {n, n, NULL, NULL, matrix};
    double *row = ARENA_ARRAY(a, double, n), *basis;
    double *column = ARENA_ARRAY(a, double, n);
    if (!row || !column) return DAE_MEMORY;
    for (size_t j = 0; j < n; j++) column[j] = 1;
    scale_rows(&m, NULL, row);
    scale_by(&m, row, column, matrix);
    const dae_status st = rrqr_null_space(
        a, matrix, n, n, rank_zero(n), &basis, &dimension);
    if (!st && dimension > 0) *v = basis;
    return st;
}

/* "`a`, `b` and 3 more", of what has a share; SIZE_MAX: the row of an unknown
 * of higher order. */
static void list_names(const linear *f, dae_name_kind kind, const double *v,
    char *text, size_t size)
{
    const size_t n = f->layout->states;
    double most = 0;
    size_t count = 0, used = 0;
    char name[NAMING_SIZE];
    text[0] = '\0';
    for (size_t s = 0; s < n; s++) most = fmax(most, fabs(v[s]));
    for (size_t k = 0; k < f->layout->unknowns; k++) {
        const bool is_slot = kind == DAE_NAME_UNKNOWN;
        const size_t at = is_slot ? f->layout->first[k] : k;
        if (!(fabs(v[at]) > SHARE * most) || ++count > SHOWN) continue;
        (void)naming_text(f->problem, kind, k, name, sizeof name);
        used += (size_t)snprintf(
            text + used, size - used, "%s`%s`", count > 1 ? ", " : "", name);
    }
    if (count > SHOWN)
        (void)snprintf(
            text + used, size - used, " and %zu more", count - SHOWN);
}

/* The matrix at a lambda taken at will; with `turned` its transpose. */
static void combine(
    const double *m, const double *b, size_t n, bool turned, double *into)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            into[turned ? i * n + j : j * n + i] = ANY * m[j * n + i]
                + b[j * n + i];
}

static dae_status tell_singular(
    const linear *f, double *m, double *b, arena *a, dae_diagnostics *ds)
{
    const size_t n = f->layout->states;
    char equations[SHOWN * (NAMING_SIZE + 8)] = "";
    char unknowns[sizeof equations] = "";
    double *matrix = ARENA_ARRAY(a, double, n *n), *v = NULL;
    if (!matrix) return DAE_MEMORY;
    fill(f, m, b);
    combine(m, b, n, true, matrix);
    dae_status st = find_null(matrix, n, a, &v);
    if (!st && v)
        list_names(f, DAE_NAME_EQUATION, v, equations, sizeof equations);
    if (!st) combine(m, b, n, false, matrix);
    if (!st) st = find_null(matrix, n, a, &v);
    if (!st && v) list_names(f, DAE_NAME_UNKNOWN, v, unknowns, sizeof unknowns);
    if (st) return st;
    report(ds, DIAG_E0511, NULL, (text_span){0, 0},
        "the linearised equations are singular at t = %.10g%s%s%s%s", f->t,
        *equations ? "; dependent: " : "", equations,
        *unknowns ? "; left open: " : "", unknowns);
    report_help(ds,
        "there are no eigenvalues here: try another time with --at, or see "
        "`dae check`");
    return DAE_NUMERIC;
}

/* ---- */

static dae_status tell(dae_diagnostics *ds, dae_status st, double t)
{
    if (st == DAE_RETRY) {
        report(ds, DIAG_E0503, NULL, (text_span){0, 0},
            "the equations or their derivatives have no finite value at "
            "t = %.10g",
            t);
        return DAE_NUMERIC;
    }
    if (st == DAE_MEMORY)
        report(ds, DIAG_E0003, NULL, (text_span){0, 0},
            "out of memory for eigenvalues");
    return libraries_report(ds, st);
}

/* Every internal unknown has an equation that gives its value at once: neither
 * is the user's. */
static void leave_internal_out(const dae_problem *p, dae_eigenvalues *e)
{
    for (size_t j = 0; j < p->unknown_count; j++)
        if (dae_group_is_internal(p, j) && e->infinite_count > 0)
            e->infinite_count--;
}

static dae_status compute(const linear *f, const pencil_stop *stop, arena *a,
    dae_diagnostics *ds, dae_eigenvalues *e)
{
    const size_t n = f->layout->states;
    double *m = ARENA_ARRAY(a, double, n *n), *b = ARENA_ARRAY(a, double, n *n);
    if (!m || !b) return DAE_MEMORY;
    fill(f, m, b);
    dae_status st = pencil_eigenvalues(n, m, b, a, stop, e);
    if (!st) leave_internal_out(f->problem, e);
    return st == DAE_NUMERIC ? tell_singular(f, m, b, a, ds) : st;
}

static dae_status check_size(size_t n, dae_diagnostics *ds)
{
    if (n <= DAE_EIGENVALUES_LIMIT) return DAE_OK;
    report(ds, DIAG_E0004, NULL, (text_span){0, 0},
        "%zu unknowns are too many for eigenvalues: %d at most", n,
        (int)DAE_EIGENVALUES_LIMIT);
    report_help(ds,
        "take a model with fewer points or parts, such as with --set: the "
        "slow motions are mostly the same, the fastest scale with the number");
    return DAE_LIMIT;
}

dae_status dae_eigenvalues_create(const dae_problem *problem, double t,
    const double *x, const double *xp, dae_interrupt_fn *interrupt,
    void *interrupt_context, const dae_allocator *allocator,
    dae_diagnostics *ds, dae_eigenvalues **out)
{
    const dae_allocator *al = alloc_or_default(allocator);
    if (!out) return DAE_ARGUMENT;
    *out = NULL;
    if (!problem || !x || !xp) return DAE_ARGUMENT;
    layout l = {0};
    jacobian *j = NULL;
    arena a;
    const pencil_stop stop = {interrupt, interrupt_context};
    const jacobian_source source = {problem->self, problem->unknown_count,
        problem->residual, problem->jacobian, problem->pattern};
    arena_init(&a, al, 0);
    dae_eigenvalues *e = alloc_zeroed(al, 1, sizeof *e);
    dae_status st = e ? layout_init(&l, problem, al) : DAE_MEMORY;
    if (!st) st = check_size(l.states, ds);
    if (!st) e->room = l.states;
    if (!st) e->finite = alloc_zeroed(al, e->room, sizeof *e->finite);
    if (!st && !e->finite) st = DAE_MEMORY;
    if (!st) st = jacobian_create(&source, &l, al, &j);
    if (!st) st = evaluate(j, problem, &l, t, x, xp, &a);
    const linear f = {problem, &l, j, t};
    if (!st) st = compute(&f, &stop, &a, ds, e);
    jacobian_free(j);
    layout_clear(&l);
    arena_clear(&a);
    if (st) dae_eigenvalues_free(e, al);
    else *out = e;
    return tell(ds, st, t);
}

void dae_eigenvalues_free(
    dae_eigenvalues *eigenvalues, const dae_allocator *allocator)
{
    const dae_allocator *a = alloc_or_default(allocator);
    if (!eigenvalues) return;
    alloc_free(a, eigenvalues->finite, eigenvalues->room, sizeof(dae_complex));
    alloc_free(a, eigenvalues, 1, sizeof *eigenvalues);
}
