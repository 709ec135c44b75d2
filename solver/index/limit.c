/* Asked before a run without reduction, so that a higher index is told by name
 * and not met as a singular matrix: first structure, then answers of the
 * factorized matrix at two steps, which grow with the index as the step
 * shrinks. */
#include "index/limit.h"

#include "base/report.h"
#include "graph/match.h"
#include "linalg/naming.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <dae/structure.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the report ---------------------------------------------------------------- */

enum { NAMED_MAX = 4, LIST_SIZE = 512 }; /* equations and unknowns named */

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
        int put = snprintf(
            text + used, size - used, "%s`%s`", named++ ? ", " : "", name);
        used += put > 0 ? (size_t)put : 0;
        if (used >= size) return;
    }
    if (more) snprintf(text + used, size - used, " and %zu more", more);
}

/* The first equation of too many; its place. */
static size_t first_over(const limit_request *q, const uint8_t *row_part,
    const dae_source **source, text_span *span)
{
    const size_t n = q->layout->unknowns;
    size_t first = 0;
    *source = NULL;
    *span = (text_span){0, 0};
    while (first < n && row_part[first] != MATCH_OVER) first++;
    if (first < n)
        naming_place(q->problem, DAE_NAME_EQUATION, first, source, span);
    return first;
}

/* The first equation of too many and unknown of too few, for programs. */
static void report_worst(
    const limit_request *q, const uint8_t *row_part, const uint8_t *column_part)
{
    const size_t n = q->layout->unknowns;
    char equation[NAMING_SIZE], unknown[NAMING_SIZE];
    size_t i = 0, j = 0;
    while (i < n && row_part[i] != MATCH_OVER) i++;
    while (j < n && column_part[j] != MATCH_UNDER) j++;
    if (i < n)
        naming_text(
            q->problem, DAE_NAME_EQUATION, i, equation, sizeof equation);
    if (j < n)
        naming_text(q->problem, DAE_NAME_UNKNOWN, j, unknown, sizeof unknown);
    report_numeric(
        q->ds, q->t0, 0, 0, i < n ? equation : NULL, j < n ? unknown : NULL);
}

/* The places of those after `first`. */
static void place_others(const limit_request *q, const uint8_t *row_part,
    size_t first, const char *label)
{
    const dae_source *source;
    text_span span;
    for (size_t i = first + 1, named = 1;
         i < q->layout->unknowns && named < NAMED_MAX; i++) {
        if (row_part[i] != MATCH_OVER) continue;
        naming_place(q->problem, DAE_NAME_EQUATION, i, &source, &span);
        if (source) report_also(q->ds, source, span, "%s", label);
        named++;
    }
}

static void report_structure(
    const limit_request *q, const uint8_t *row_part, const uint8_t *column_part)
{
    char rows[LIST_SIZE], columns[LIST_SIZE], open[LIST_SIZE];
    const size_t n = q->layout->unknowns;
    const dae_source *source;
    text_span span;
    list_names(
        q, DAE_NAME_EQUATION, row_part, MATCH_OVER, n, rows, sizeof rows);
    list_names(q, DAE_NAME_UNKNOWN, column_part, MATCH_OVER, n, columns,
        sizeof columns);
    list_names(
        q, DAE_NAME_UNKNOWN, column_part, MATCH_UNDER, n, open, sizeof open);
    const size_t first = first_over(q, row_part, &source, &span);
    report(q->ds, DIAG_E0502, source, span,
        "the iteration matrix is singular for every step and all values: "
        "too many equations, %s, for %s",
        rows, columns[0] ? columns : "no unknown");
    report_label(q->ds, "determines nothing of its own");
    place_others(q, row_part, first, "nor does this");
    report_help(q->ds, "one of them has to contain one of: %s", open);
    report_worst(q, row_part, column_part);
}

static void report_index(const limit_request *q, const uint8_t *row_part,
    const uint8_t *column_part, bool is_regular)
{
    char rows[LIST_SIZE], columns[LIST_SIZE];
    const size_t n = q->layout->unknowns;
    const dae_source *source;
    text_span span;
    list_names(
        q, DAE_NAME_EQUATION, row_part, MATCH_OVER, n, rows, sizeof rows);
    list_names(q, DAE_NAME_UNKNOWN, column_part, MATCH_UNDER, n, columns,
        sizeof columns);
    const size_t first = first_over(q, row_part, &source, &span);
    report(q->ds, DIAG_E0502, source, span, "the iteration matrix %s%s",
        is_regular ? "becomes singular as the step goes to 0: the index is 2 "
                     "or more. Equations involved: "
                   : "is singular for every step. Equations involved: ",
        rows);
    report_label(q->ds,
        "holds none of the highest derivatives that are left to determine");
    place_others(q, row_part, first, "nor does this");
    if (is_regular)
        report_help(q->ds,
            "the equations cannot be differentiated here; `dae check` says "
            "which derivatives would determine %s, and what forbids them",
            columns);
    else
        report_help(q->ds,
            "the equations may have no unique solution, whatever their "
            "derivatives: look for one that follows from the others, also "
            "differentiated; %s may stay undetermined",
            columns);
    report_worst(q, row_part, column_part);
}

/* The two steps are so much shorter than what the entries ask for that terms of
 * lower order no longer count, and apart by as much again. An unknown of index 2
 * answers a residual FAR_BELOW times as strongly at the shorter step, one of index
 * 1 equally, a differential one less; RANK_GAP is between them. */
#define FAR_BELOW (RANK_GAP * RANK_GAP)

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
    *m = (matching){.n = m->n};
}

static bool matching_make(
    matching *m, size_t n, size_t entries, const dae_allocator *a)
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

/* Appends the rows of a column to `rows`, only those `present` where that is
 * known; the new length. */
static int64_t put_column(const dae_pattern *p, const uint8_t *present,
    size_t column, int32_t *rows, int64_t at)
{
    const int64_t end = p->column_start[column + 1];
    for (int64_t k = p->column_start[column]; k < end; k++)
        if (!present || present[k]) rows[at++] = p->row[k];
    return at;
}

static dae_status match_highest(const limit_request *q, const dae_pattern *p,
    const uint8_t *present, matching *m)
{
    const layout *l = q->layout;
    size_t n = l->unknowns, entries = 0;
    for (size_t j = 0; j < n; j++) {
        size_t c = highest_slot(l, j);
        entries += (size_t)(p->column_start[c + 1] - p->column_start[c]);
    }
    if (!matching_make(m, n, entries, q->allocator)) return DAE_MEMORY;
    int64_t at = 0;
    assert(p->column_start[l->states + n] >= (int64_t)entries);
    for (size_t j = 0; j < n; j++) {
        at = put_column(p, present, highest_slot(l, j), m->rows, at);
        m->start[j + 1] = at;
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
    for (size_t i = 0; i < n; i++)
        y[i] = (i % 2 ? -1 : 1) * (1 + (double)(i % 7) / 8);
    dae_status st = iteration_factor(q->matrix, alpha);
    ++*q->factorizations;
    return st ? st : iteration_solve(q->matrix, y);
}

/* Not where numbers failed: the run will meet that again and name it. */
static bool answer_grows(const double *near, const double *nearer, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(near[i]) || !isfinite(nearer[i])) return false;
        largest = fmax(largest, fabs(near[i]));
    }
    for (size_t i = 0; i < n; i++) {
        double before = fmax(
            fabs(near[i]), rounding_of(ROUNDING_OF_SUMS) * largest);
        if (!(fabs(nearer[i]) <= RANK_GAP * before)) return true;
    }
    return false;
}

static dae_status compare_answers(
    const limit_request *q, double rate, bool *regular)
{
    size_t n = q->layout->unknowns;
    double *near = alloc_zeroed(q->allocator, n, sizeof *near);
    dae_status st = near ? answer_at(q, rate * FAR_BELOW, near) : DAE_MEMORY;
    if (!st) st = answer_at(q, rate * FAR_BELOW * FAR_BELOW, q->scratch);
    if (st == DAE_NUMERIC) *regular = false;
    else if (!st) *regular = !answer_grows(near, q->scratch, n);
    alloc_free(q->allocator, near, n, sizeof *near);
    return st == DAE_NUMERIC || st == DAE_RETRY ? DAE_OK : st;
}

/* The Jacobian at a point; DAE_RETRY where there is none. */
static dae_status evaluate_at(
    const limit_request *q, const double *x, const double *xp)
{
    const dae_problem *p = q->problem;
    dae_status st = p->residual(p->self, q->t0, x, xp, q->scratch);
    ++*q->residuals;
    if (st) return st;
    ++*q->jacobians;
    return iteration_evaluate(
        q->matrix, q->t0, x, xp, q->scratch, q->weights, 1, q->residuals);
}

/* Whether numbers say that the matrix stays regular; also where they cannot
 * be had. */
static dae_status stays_regular(
    const limit_request *q, double *rate, bool *regular)
{
    *regular = true;
    dae_status st = evaluate_at(q, q->x, q->xp);
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    st = largest_rate(q, iteration_pattern(q->matrix), rate);
    return st ? st : compare_answers(q, *rate, regular);
}

/* A step aside, of another length for each slot: what is zero at the point by
 * chance is not zero there. */
static dae_status evaluate_aside(const limit_request *q, bool *has_value)
{
    const size_t states = q->layout->states, n = q->layout->unknowns;
    const dae_allocator *a = q->allocator;
    double *x = alloc_zeroed(a, states, sizeof *x);
    double *xp = alloc_zeroed(a, n, sizeof *xp);
    const dae_status st = x && xp ? DAE_OK : DAE_MEMORY;
    for (size_t k = 0; !st && k < states; k++)
        x[k] = q->x[k]
            + DIFFERENCE_STEP * (1 - 0.05 * (double)(k % 13))
                * (1 + fabs(q->x[k]));
    for (size_t k = 0; !st && k < n; k++)
        xp[k] = q->xp[k]
            + DIFFERENCE_STEP * (1 - 0.05 * (double)(k % 11))
                * (1 + fabs(q->xp[k]));
    *has_value = !st && evaluate_at(q, x, xp) == DAE_OK;
    alloc_free(a, x, states, sizeof *x);
    alloc_free(a, xp, n, sizeof *xp);
    return st;
}

static void add_present(const limit_request *q, uint8_t *present, size_t count)
{
    const double *v = iteration_values(q->matrix);
    for (size_t k = 0; k < count; k++)
        if (v[k] != 0) present[k] = 1;
}

/* A problem without a pattern depends on what has an entry at the point or
 * near it. Where that cannot be evaluated, whatever the reason, it may be
 * everything: the run will meet the reason again. */
static dae_status match_probed(
    const limit_request *q, uint8_t *present, size_t count, matching *m)
{
    const dae_pattern *p = iteration_pattern(q->matrix);
    bool has_value = evaluate_at(q, q->x, q->xp) == DAE_OK;
    dae_status st = DAE_OK;
    for (int k = 0; !st && has_value && k < 2; k++) {
        add_present(q, present, count);
        matching_clear(m, q->allocator);
        st = match_highest(q, p, present, m);
        if (st || m->rank == m->n) return st;
        if (k == 0) st = evaluate_aside(q, &has_value);
    }
    if (st || has_value) return st;
    matching_clear(m, q->allocator);
    return match_highest(q, p, NULL, m);
}

static bool has_pattern(const dae_problem *p)
{
    return p->pattern && p->pattern->column_start;
}

static bool may_be_zero(const dae_pattern *p, int64_t k)
{
    return p->kind && p->kind[k] == DAE_ENTRY_PARAMETER;
}

static bool has_parameters(const limit_request *q, const dae_pattern *p)
{
    for (size_t j = 0; p->kind && j < q->layout->unknowns; j++) {
        const size_t c = highest_slot(q->layout, j);
        for (int64_t k = p->column_start[c]; k < p->column_start[c + 1]; k++)
            if (may_be_zero(p, k)) return true;
    }
    return false;
}

/* Entries that a parameter makes 0 are none: M*c' with zeros in M. */
static dae_status match_nonzero(
    const limit_request *q, uint8_t *present, size_t count, matching *m)
{
    const dae_problem *p = q->problem;
    double *values = alloc_zeroed(q->allocator, count, sizeof *values);
    if (!values) return DAE_MEMORY;
    ++*q->jacobians;
    dae_status st = p->jacobian(p->self, DAE_ALL, q->t0, q->x, q->xp, values);
    if (!st) {
        for (size_t k = 0; k < count; k++)
            present[k] = !may_be_zero(p->pattern, (int64_t)k) || values[k] != 0;
        matching_clear(m, q->allocator);
        st = match_highest(q, p->pattern, present, m);
    } else if (st == DAE_RETRY) st = DAE_OK; /* the run will meet it again */
    alloc_free(q->allocator, values, count, sizeof *values);
    return st;
}

/* Whether the matrix is regular for any step, which that of a linear system
 * is where its solutions are unique, of whatever index [BCP96 2.3]. Other
 * than the step's limit, its condition tells. */
static dae_status is_regular_somewhere(
    const limit_request *q, double rate, bool *regular)
{
    const double alpha[] = {1.3 * rate, 0.7, 1.3 * rate / 1000};
    const double zero = q->problem->jacobian ? 0 : DIFFERENCE_NOISE;
    *regular = false;
    for (size_t k = 0; k < sizeof alpha / sizeof *alpha && !*regular; k++) {
        const dae_status st = iteration_factor(q->matrix, alpha[k]);
        ++*q->factorizations;
        if (st && st != DAE_NUMERIC) return st == DAE_RETRY ? DAE_OK : st;
        *regular = !st && linear_rcond(iteration_linear(q->matrix)) > zero;
    }
    return DAE_OK;
}

/* Rows against unknowns at any order. */
static dae_status fill_all_orders(
    const limit_request *q, const uint8_t *present, matching *m)
{
    const layout *l = q->layout;
    const dae_pattern *p = iteration_pattern(q->matrix);
    const size_t n = l->unknowns;
    if (!matching_make(
            m, n, (size_t)p->column_start[l->states + n], q->allocator))
        return DAE_MEMORY;
    int64_t at = 0;
    for (size_t j = 0; j < n; j++) {
        for (size_t c = l->first[j]; c < l->first[j + 1]; c++)
            at = put_column(p, present, c, m->rows, at);
        if (l->order[j] > 0)
            at = put_column(p, present, l->states + j, m->rows, at);
        m->start[j + 1] = at;
        m->row_of[j] = m->column_of[j] = MATCH_NONE;
    }
    return DAE_OK;
}

/* What is wrong, and so what helps. */
static dae_status report_cause(const limit_request *q, const uint8_t *present,
    double rate, const matching *highest)
{
    matching m;
    bool regular = false;
    dae_status st = fill_all_orders(q, present, &m);
    dae_matching all = {m.row_of, m.column_of, m.row_part, m.column_part, 0};
    const dae_incidence pattern = {m.n, m.n, m.start, m.rows};
    if (!st) st = dae_structure_match(&pattern, q->allocator, &all);
    if (!st && all.rank < m.n) {
        report_structure(q, m.row_part, m.column_part);
    } else if (!st && !(st = is_regular_somewhere(q, rate, &regular))) {
        report_index(q, highest->row_part, highest->column_part, regular);
    }
    matching_clear(&m, q->allocator);
    return st ? st : DAE_NUMERIC;
}

/* Whether the matrix, which structure does not vouch for, is regular in
 * numbers. */
static dae_status check_numbers(
    const limit_request *q, const uint8_t *present, matching *m)
{
    bool regular = true;
    double rate = 1;
    dae_status st = stays_regular(q, &rate, &regular);
    if (st || regular) return st;
    st = match_parts(m->n, m->n, m->start, m->rows, m->row_of, m->column_of,
        q->allocator, m->row_part, m->column_part);
    return st ? st : report_cause(q, present, rate, m);
}

/* Up to so many unknowns numbers are asked, too, where several highest
 * derivatives stand in one equation and may cancel: C*(u1' - u2'). Algebraic
 * unknowns may, too; there an index of 2 is integrated as it stands. */
enum { NUMBERS_MOST = 500 };

static bool may_cancel(const limit_request *q, const dae_pattern *p)
{
    const layout *l = q->layout;
    const size_t n = l->unknowns;
    bool is_shared = false;
    uint8_t *seen = n <= NUMBERS_MOST ? alloc_zeroed(q->allocator, n, 1) : NULL;
    if (!seen) return false;
    for (size_t j = 0; j < n; j++) {
        const size_t c = l->states + j;
        if (l->order[j] == 0) continue;
        for (int64_t k = p->column_start[c]; k < p->column_start[c + 1]; k++)
            is_shared = is_shared || seen[p->row[k]]++ > 0;
    }
    alloc_free(q->allocator, seen, n, 1);
    return is_shared;
}

dae_status limit_check(const limit_request *q)
{
    const dae_pattern *p = iteration_pattern(q->matrix);
    const size_t n = q->layout->unknowns;
    const size_t count = (size_t)p->column_start[q->layout->states + n];
    const bool is_given = has_pattern(q->problem);
    const bool is_doubtful = is_given && q->problem->jacobian
        && has_parameters(q, p);
    matching m = {.n = n};
    uint8_t *present = NULL;
    dae_status st = DAE_OK;
    if (!is_given || is_doubtful) {
        present = alloc_zeroed(q->allocator, count, 1);
        if (!present) return DAE_MEMORY;
    }
    if (is_given) st = match_highest(q, p, NULL, &m);
    else st = match_probed(q, present, count, &m);
    if (!st && is_doubtful && m.rank == n)
        st = match_nonzero(q, present, count, &m);
    /* a quick look only: there is no equation to name */
    const bool is_open = m.rank < n || (!q->ds && is_given && may_cancel(q, p));
    if (!st && is_open) st = check_numbers(q, present, &m);
    matching_clear(&m, q->allocator);
    alloc_free(q->allocator, present, count, 1);
    return st;
}
