#include "certify/limit.h"

#include "base/report.h"
#include "graph/match.h"
#include "sparse/naming.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAMED_MAX = 4 }; /* equations and unknowns in a message */

/* The two steps are this much shorter than what the entries ask for, so that
 * terms of lower order no longer count, and apart by as much again. */
static const double far_below = 1e4;
/* An unknown of index 2 answers a residual 1e4 times as strongly at the shorter
 * step, one of index 1 equally, a differential one less. */
static const double grows = 100;
/* Answers below this part of the largest are rounding. */
static const double rounding = 1e-14;

typedef struct matching {
    size_t n;
    int64_t *start; /* n + 1 */
    int32_t *rows;
    size_t entries;
    int32_t *row_of, *column_of;
    uint8_t *row_part, *column_part;
    size_t rank;
} matching;

static void matching_clear(matching *m, const dae_allocator *a)
{
    alloc_free(a, m->start, m->n + 1, sizeof *m->start);
    alloc_free(a, m->rows, m->entries + 1, sizeof *m->rows);
    alloc_free(a, m->row_of, m->n, sizeof *m->row_of);
    alloc_free(a, m->column_of, m->n, sizeof *m->column_of);
    alloc_free(a, m->row_part, m->n, 1);
    alloc_free(a, m->column_part, m->n, 1);
}

static bool matching_make(matching *m, size_t n, size_t entries,
    const dae_allocator *a)
{
    *m = (matching){.n = n, .entries = entries};
    m->start = alloc_zeroed(a, n + 1, sizeof *m->start);
    m->rows = alloc_zeroed(a, entries + 1, sizeof *m->rows);
    m->row_of = alloc_zeroed(a, n, sizeof *m->row_of);
    m->column_of = alloc_zeroed(a, n, sizeof *m->column_of);
    m->row_part = alloc_zeroed(a, n, 1);
    m->column_part = alloc_zeroed(a, n, 1);
    return m->start && m->rows && m->row_of && m->column_of && m->row_part
        && m->column_part;
}

/* The column of unknown j's highest slot in the pattern over slots. */
static size_t highest_slot(const layout *l, size_t j)
{
    return l->order[j] > 0 ? l->states + j : l->first[j];
}

static dae_status match_highest(
    const limit_request *q, const dae_pattern *p, matching *m)
{
    const layout *l = q->layout;
    size_t n = l->unknowns, entries = 0;
    for (size_t j = 0; j < n; j++) {
        size_t c = highest_slot(l, j);
        entries += (size_t)(p->column_start[c + 1] - p->column_start[c]);
    }
    if (!matching_make(m, n, entries, q->allocator)) return DAE_MEMORY;
    size_t at = 0;
    for (size_t j = 0; j < n; j++) {
        size_t c = highest_slot(l, j);
        size_t count = (size_t)(p->column_start[c + 1] - p->column_start[c]);
        if (count) {
            memcpy(m->rows + at, p->row + p->column_start[c],
                count * sizeof *m->rows);
        }
        at += count;
        m->start[j + 1] = (int64_t)at;
        m->row_of[j] = m->column_of[j] = MATCH_NONE;
    }
    return match_maximum(n, n, m->start, m->rows, q->allocator, m->row_of,
        m->column_of, &m->rank);
}

/* The leading coefficient beyond which terms of lower order do not count:
 * the largest ratio in a row between them and its highest slot's entries. */
static dae_status largest_rate(
    const limit_request *q, const dae_pattern *p, double *rate)
{
    const layout *l = q->layout;
    const double *v = iteration_values(q->matrix);
    size_t n = l->unknowns;
    double *high = alloc_zeroed(q->allocator, n, sizeof *high);
    double *low = alloc_zeroed(q->allocator, n, sizeof *low);
    dae_status st = high && low ? DAE_OK : DAE_MEMORY;
    for (size_t c = 0; !st && c < l->states + n; c++) {
        double *side = c >= l->states ? high : low;
        for (int64_t k = p->column_start[c]; k < p->column_start[c + 1]; k++) {
            double *to = &side[p->row[k]];
            *to = fmax(*to, fabs(v[k]));
        }
    }
    *rate = 1;
    for (size_t i = 0; !st && i < n; i++) {
        if (high[i] > 0) *rate = fmax(*rate, low[i] / high[i]);
    }
    alloc_free(q->allocator, low, n, sizeof *low);
    alloc_free(q->allocator, high, n, sizeof *high);
    return st;
}

/* The answer of every unknown to residuals of one size, but no pattern that
 * could cancel. */
static dae_status answer_at(const limit_request *q, double alpha, double *y)
{
    size_t n = q->layout->unknowns;
    for (size_t i = 0; i < n; i++) y[i] = (i % 2 ? -1 : 1) * (1 + (double)(i % 7) / 8);
    dae_status st = iteration_factor(q->matrix, alpha);
    ++*q->factorizations;
    return st ? st : iteration_solve(q->matrix, y);
}

static bool answer_grows(const double *near, const double *nearer, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(near[i]));
    for (size_t i = 0; i < n; i++) {
        double before = fmax(fabs(near[i]), rounding * largest);
        if (!(fabs(nearer[i]) <= grows * before)) return true;
    }
    return false;
}

static dae_status compare_answers(
    const limit_request *q, double rate, bool *regular)
{
    size_t n = q->layout->unknowns;
    double *near = alloc_zeroed(q->allocator, n, sizeof *near);
    dae_status st = near ? answer_at(q, rate * far_below, near) : DAE_MEMORY;
    if (!st) st = answer_at(q, rate * far_below * far_below, q->scratch);
    if (st == DAE_NUMERIC) *regular = false;
    else if (!st) *regular = !answer_grows(near, q->scratch, n);
    alloc_free(q->allocator, near, n, sizeof *near);
    return st == DAE_NUMERIC || st == DAE_RETRY ? DAE_OK : st;
}

/* Whether numbers say that the matrix stays regular; also where they cannot
 * be had. */
static dae_status stays_regular(
    const limit_request *q, const dae_pattern *p, bool *regular)
{
    *regular = true;
    dae_status st =
        q->problem->residual(q->problem->self, q->t0, q->x, q->xp, q->scratch);
    ++*q->residuals;
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    st = iteration_evaluate(q->matrix, q->t0, q->x, q->xp, q->scratch,
        q->weights, 1, q->residuals);
    ++*q->jacobians;
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    double rate;
    st = largest_rate(q, p, &rate);
    return st ? st : compare_answers(q, rate, regular);
}

/* Names of up to NAMED_MAX members of a part, as "`a`, `b` and 3 more". */
static void list_names(const limit_request *q, dae_name_kind kind,
    const uint8_t *part, uint8_t wanted, size_t n, char *text, size_t size)
{
    size_t used = 0, named = 0, more = 0;
    text[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        if (part[i] != wanted) continue;
        if (named == NAMED_MAX) {
            more++;
            continue;
        }
        char name[NAMING_SIZE];
        naming_text(q->problem, kind, i, name, sizeof name);
        int put = snprintf(text + used, size - used, "%s`%s`",
            named++ ? ", " : "", name);
        used += put > 0 ? (size_t)put : 0;
        if (used >= size) return;
    }
    if (more) snprintf(text + used, size - used, " and %zu more", more);
}

static dae_status report_index(const limit_request *q, const matching *m)
{
    char rows[512], columns[512];
    size_t n = m->n, first = 0;
    list_names(q, DAE_NAME_EQUATION, m->row_part, MATCH_OVER, n, rows,
        sizeof rows);
    list_names(q, DAE_NAME_UNKNOWN, m->column_part, MATCH_UNDER, n, columns,
        sizeof columns);
    while (first < n && m->row_part[first] != MATCH_OVER) first++;
    const dae_source *source = NULL;
    text_span span = {0, 0};
    if (first < n) {
        naming_place(q->problem, DAE_NAME_EQUATION, first, &source, &span);
    }
    report(q->ds, DIAG_E0502, source, span,
        "the iteration matrix becomes singular as the step goes to 0: the "
        "index is 2 or more. Equations involved: %s",
        rows);
    report_label(q->ds,
        "holds none of the highest derivatives that are left to determine");
    for (size_t i = first + 1, named = 1; i < n && named < NAMED_MAX; i++) {
        if (m->row_part[i] != MATCH_OVER) continue;
        naming_place(q->problem, DAE_NAME_EQUATION, i, &source, &span);
        if (source) report_also(q->ds, source, span, "nor does this");
        named++;
    }
    report_help(q->ds,
        "index reduction is not available yet; differentiate these equations "
        "by hand until they determine %s",
        columns);
    report_numeric(q->ds, q->t0, 0, 0, NULL, NULL);
    return DAE_NUMERIC;
}

dae_status limit_check(const limit_request *q)
{
    const dae_pattern *p = q->problem->pattern;
    if (!p) return DAE_OK; /* dense: matched */
    matching m;
    bool regular = true;
    dae_status st = match_highest(q, p, &m);
    if (!st && m.rank < m.n) st = stays_regular(q, p, &regular);
    if (!st && !regular) {
        st = match_parts(m.n, m.n, m.start, m.rows, m.row_of, m.column_of,
            q->allocator, m.row_part, m.column_part);
        if (!st) st = report_index(q, &m);
    }
    matching_clear(&m, q->allocator);
    return st;
}
