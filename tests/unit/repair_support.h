/* A problem repaired, and linear problems with constant coefficients. */
#ifndef REPAIR_SUPPORT_H
#define REPAIR_SUPPORT_H

#include "analysis/report.h"
#include "certified.h"
#include "memory_sweep.h"
#include "random.h"
#include "repair/repair.h"
#include <time.h>

typedef struct subject {
    certified c;
    repair_findings f;
    arena texts;
} subject;

static inline void subject_open(subject *w, const dae_problem *p)
{
    *w = (subject){.c = {.s = NULL}};
    certify(&w->c, p);
    arena_init(&w->texts, NULL, 0);
}

static inline void subject_repair(subject *w)
{
    CHECK_STATUS(repair_all(&w->c.q, w->c.certificates, &w->f), DAE_OK);
    CHECK_STATUS(
        report_repairs(w->c.q.problem, w->f.repairs, w->f.count, &w->texts),
        DAE_OK);
}

static inline void subject_clear(subject *w)
{
    arena_clear(&w->texts);
    repair_findings_clear(&w->f);
    certified_clear(&w->c);
}

/* Degrees of freedom before and after; all blocks certified. */
static inline void check_complete(
    const subject *w, int64_t before, int64_t after)
{
    assert_int_equal(w->c.s->degrees_of_freedom, before);
    assert_non_null(w->f.structure);
    assert_true(w->f.is_complete);
    assert_int_equal(w->f.structure->degrees_of_freedom, after);
    for (size_t k = 0; k < w->f.structure->fine_count; k++)
        assert_int_equal(w->f.certificates[k], DAE_CERTIFIED);
}

/* F_i = sum of value * (derivative `order` of unknown) + shift_i + slope_i t;
 * orders up to 1. */
typedef struct linear_entry {
    int32_t row, unknown, order;
    double value;
} linear_entry;

typedef struct linear_problem {
    dae_problem problem;
    dae_pattern pattern;
    size_t n, count;
    const linear_entry *entry;   /* by columns: x, then xp; rows ascend */
    const double *shift, *slope; /* NULL: 0 */
    int64_t *column_start;
    int32_t *row;
    uint8_t *kind;
    size_t calls;
} linear_problem;

static inline dae_status linear_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    linear_problem *p = self;
    p->calls++;
    for (size_t i = 0; i < p->n; i++)
        res[i] = (p->shift ? p->shift[i] : 0)
            + (p->slope ? p->slope[i] * t : 0);
    for (size_t k = 0; k < p->count; k++) {
        const linear_entry *e = &p->entry[k];
        res[e->row] += e->value * (e->order ? xp : x)[e->unknown];
    }
    return DAE_OK;
}

static inline dae_status linear_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    linear_problem *p = self;
    (void)scope, (void)t, (void)x, (void)xp;
    p->calls++;
    for (size_t k = 0; k < p->count; k++) values[k] = p->entry[k].value;
    return DAE_OK;
}

static inline dae_status linear_series(void *self, size_t terms, double t0,
    const double *x, size_t stride, double *f)
{
    linear_problem *p = self;
    p->calls++;
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = 0; k < terms; k++) {
            f[i * terms + k] = 0;
            if (k == 0 && p->shift) f[i * terms] += p->shift[i];
            if (k == 0 && p->slope) f[i * terms] += p->slope[i] * t0;
            if (k == 1 && p->slope) f[i * terms + 1] += p->slope[i];
        }
    for (size_t q = 0; q < p->count; q++) {
        const linear_entry *e = &p->entry[q];
        const double *c = x + (size_t)e->unknown * stride;
        for (size_t k = 0; k < terms; k++)
            f[(size_t)e->row * terms + k] += e->value
                * (e->order ? (double)(k + 1) * c[k + 1] : c[k]);
    }
    return DAE_OK;
}

static inline dae_status linear_series_jacobian(void *self, size_t terms,
    double t0, const double *x, size_t stride, double *values)
{
    linear_problem *p = self;
    (void)t0, (void)x, (void)stride;
    p->calls++;
    memset(values, 0, p->count * terms * sizeof *values);
    for (size_t k = 0; k < p->count; k++) values[k * terms] = p->entry[k].value;
    return DAE_OK;
}

static inline int compare_entries(const void *a, const void *b)
{
    const linear_entry *x = a, *y = b;
    if (x->order != y->order) return x->order < y->order ? -1 : 1;
    if (x->unknown != y->unknown) return x->unknown < y->unknown ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Sorts the entries. */
static inline void linear_init(
    linear_problem *p, size_t n, linear_entry *entry, size_t count)
{
    *p = (linear_problem){.n = n, .count = count, .entry = entry};
    p->column_start = calloc(2 * n + 1, sizeof *p->column_start);
    p->row = calloc(count + 1, sizeof *p->row);
    p->kind = calloc(count + 1, sizeof *p->kind);
    assert_true(p->column_start && p->row && p->kind);
    qsort(entry, count, sizeof *entry, compare_entries);
    for (size_t k = 0; k < count; k++) {
        const size_t column = (size_t)entry[k].unknown
            + (entry[k].order ? n : 0);
        p->row[k] = entry[k].row;
        p->kind[k] = DAE_ENTRY_CONSTANT;
        p->column_start[column + 1]++;
    }
    for (size_t q = 0; q < 2 * n; q++)
        p->column_start[q + 1] += p->column_start[q];
    p->pattern = (dae_pattern){p->column_start, p->row, p->kind};
    p->problem = (dae_problem){.self = p,
        .unknown_count = n,
        .residual = linear_residual,
        .jacobian = linear_jacobian,
        .pattern = &p->pattern,
        .series = linear_series,
        .series_jacobian = linear_series_jacobian};
}

static inline void linear_clear(linear_problem *p)
{
    free(p->column_start);
    free(p->row);
    free(p->kind);
}

/* Residuals and rows of partial derivatives by x, then xp, of functions of both.
 * The problem has no pattern. */
typedef struct dense_problem {
    dae_problem problem;
    size_t n;
    void (*rows)(double t, const double *x, const double *xp, double *res,
        double (*d)[8]);
} dense_problem;

static inline dae_status dense_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const dense_problem *p = self;
    double d[8][8] = {{0}};
    p->rows(t, x, xp, res, d);
    return DAE_OK;
}

static inline dae_status dense_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    const dense_problem *p = self;
    double d[8][8] = {{0}}, res[8];
    (void)scope;
    p->rows(t, x, xp, res, d);
    for (size_t q = 0; q < 2 * p->n; q++)
        for (size_t i = 0; i < p->n; i++) values[q * p->n + i] = d[i][q];
    return DAE_OK;
}

static inline void dense_init(dense_problem *p, size_t n,
    void (*rows)(double t, const double *x, const double *xp, double *res,
        double (*d)[8]))
{
    *p = (dense_problem){.n = n, .rows = rows};
    p->problem = (dae_problem){.self = p,
        .unknown_count = n,
        .residual = dense_residual,
        .jacobian = dense_jacobian};
}

/* x' + y' in both: their difference is x y - sin x = 0. */
static inline void sum_of_rates(
    double t, const double *x, const double *xp, double *res, double (*d)[8])
{
    (void)t;
    res[0] = xp[0] + xp[1] - x[1];
    res[1] = res[0] + x[0] * x[1] - sin(x[0]);
    d[0][1] = -1, d[0][2] = d[0][3] = d[1][2] = d[1][3] = 1;
    d[1][0] = x[1] - cos(x[0]), d[1][1] = x[0] - 1;
}

#endif
