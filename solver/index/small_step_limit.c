/* Asked before a run without reduction, so that a higher index is reported by
 * name and not met as a singular matrix: first structure, then answers of the
 * factorized matrix at two steps, which grow with the index as the step
 * shrinks. */
#include "index/small_step_limit.h"

#include "base/arena.h"
#include "base/report.h"
#include "linalg/naming.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <dae/structure.h>
#include <math.h>
#include <stdio.h>

/* The two steps are so much shorter than what the entries ask for that terms of
 * lower order no longer count, and apart by as much again. An unknown of index 2
 * answers a residual FAR_BELOW times as strongly at the shorter step, one of index
 * 1 equally, a differential one less; RANK_GAP is between them. */
#define FAR_BELOW (RANK_GAP * RANK_GAP)

typedef struct check {
    const limit_request *q;
    const dae_pattern *pattern; /* over slots */
    size_t n, entries;
    arena memory;
    uint8_t *present;   /* entries: NULL: all */
    dae_matching match; /* of rows and highest derivatives */
    double rate;        /* see find_rate */
} check;

/* ---- the report ---------------------------------------------------------------- */

typedef enum cause { TOO_MANY, SINGULAR, HIGHER_INDEX } cause;

enum { NAMED_MAX = 4, LIST_SIZE = 512 }; /* equations and unknowns named */

/* Names of up to NAMED_MAX members of a part, as "`a`, `b` and 3 more". */
static const char *list_names(const check *w, dae_name_kind kind,
    const uint8_t *part, uint8_t wanted, char *text)
{
    size_t used = 0, named = 0, more = 0;
    text[0] = '\0';
    for (size_t i = 0; i < w->n && used < LIST_SIZE; i++) {
        if (part[i] != wanted) continue;
        if (named == NAMED_MAX) {
            more++;
            continue;
        }
        char name[NAMING_SIZE];
        naming_text(w->q->problem, kind, i, name, sizeof name);
        const int put = snprintf(
            text + used, LIST_SIZE - used, "%s`%s`", named++ ? ", " : "", name);
        used += put > 0 ? (size_t)put : 0;
    }
    if (more && used < LIST_SIZE)
        snprintf(text + used, LIST_SIZE - used, " and %zu more", more);
    return text;
}

/* The first equation of too many and unknown of too few, for programs. */
static void report_worst(const check *w, const dae_matching *m)
{
    const limit_request *q = w->q;
    char equation[NAMING_SIZE], unknown[NAMING_SIZE];
    size_t i = 0, j = 0;
    while (i < w->n && m->row_part[i] != DAE_PART_OVER) i++;
    while (j < w->n && m->column_part[j] != DAE_PART_UNDER) j++;
    if (i < w->n)
        naming_text(
            q->problem, DAE_NAME_EQUATION, i, equation, sizeof equation);
    if (j < w->n)
        naming_text(q->problem, DAE_NAME_UNKNOWN, j, unknown, sizeof unknown);
    report_numeric(q->ds, q->t0, 0, 0, i < w->n ? equation : NULL,
        j < w->n ? unknown : NULL);
}

/* E0502 at the first of the equations of too many, with the places of others. */
static void report_cause(const check *w, const dae_matching *m, cause why)
{
    static const char *const reason[] = {
        "is singular for every step and all values: too many equations, ",
        "is singular for every step. Equations involved: ",
        "becomes singular as the step goes to 0: the index is 2 or more. "
        "Equations involved: "};
    static const char *const help[][2] = {
        {"one of them has to contain one of: ", ""},
        {"the equations may have no unique solution, whatever their "
         "derivatives: look for one that follows from the others, also "
         "differentiated; ",
            " may stay undetermined"},
        {"the equations cannot be differentiated here; `dae check` says "
         "which derivatives would determine ",
            ", and what forbids them"}};
    dae_diagnostics *ds = w->q->ds;
    char rows[LIST_SIZE], columns[LIST_SIZE], open[LIST_SIZE];
    const dae_source *source;
    text_span span;
    list_names(w, DAE_NAME_EQUATION, m->row_part, DAE_PART_OVER, rows);
    list_names(w, DAE_NAME_UNKNOWN, m->column_part, DAE_PART_OVER, columns);
    list_names(w, DAE_NAME_UNKNOWN, m->column_part, DAE_PART_UNDER, open);
    size_t named = 0;
    for (size_t i = 0; i < w->n && named < NAMED_MAX; i++) {
        if (m->row_part[i] != DAE_PART_OVER) continue;
        naming_place(w->q->problem, DAE_NAME_EQUATION, i, &source, &span);
        if (named++) {
            if (source) report_also(ds, source, span, "nor does this");
            continue;
        }
        report(ds, DIAG_E0502, source, span, "the iteration matrix %s%s%s%s",
            reason[why], rows, why == TOO_MANY ? ", for " : "",
            why != TOO_MANY  ? ""
                : columns[0] ? columns
                             : "no unknown");
        report_label(ds, "%s",
            why == TOO_MANY ? "determines nothing of its own"
                            : "holds none of the highest derivatives that are "
                              "left to determine");
    }
    report_help(ds, "%s%s%s", help[why][0], open, help[why][1]);
    report_worst(w, m);
}

/* ---- structure ------------------------------------------------------------------- */

/* Rows against unknowns: each with its highest derivative, or with any order. */
static dae_status match_rows(check *w, bool any_order, dae_matching *m)
{
    const layout *l = w->q->layout;
    const dae_pattern *p = w->pattern;
    int64_t *start = ARENA_ARRAY(&w->memory, int64_t, w->n + 1);
    int32_t *row = ARENA_ARRAY(&w->memory, int32_t, w->entries);
    *m = (dae_matching){.row_of = ARENA_ARRAY(&w->memory, int32_t, w->n),
        .column_of = ARENA_ARRAY(&w->memory, int32_t, w->n),
        .row_part = ARENA_ARRAY(&w->memory, uint8_t, w->n),
        .column_part = ARENA_ARRAY(&w->memory, uint8_t, w->n)};
    if (!start || !row || !m->row_of || !m->column_of || !m->row_part
        || !m->column_part)
        return DAE_MEMORY;
    int64_t at = 0;
    for (size_t j = 0; j < w->n; j++) {
        m->row_of[j] = m->column_of[j] = DAE_UNMATCHED;
        for (size_t o = any_order ? 0 : l->order[j]; o <= l->order[j]; o++) {
            const size_t c = layout_column(l, j, o);
            for (int64_t k = p->column_start[c]; k < p->column_start[c + 1];
                 k++)
                if (!w->present || w->present[k]) row[at++] = p->row[k];
        }
        start[j + 1] = at;
    }
    const dae_incidence pattern = {w->n, w->n, start, row};
    return dae_structure_match(&pattern, w->q->allocator, m);
}

static bool may_be_zero(const check *w, size_t k)
{
    if (!w->q->problem->pattern || !w->q->problem->pattern->column_start)
        return true;
    return w->pattern->kind && w->pattern->kind[k] == DAE_ENTRY_PARAMETER;
}

static bool has_doubtful(const check *w)
{
    for (size_t k = 0; k < w->entries; k++)
        if (may_be_zero(w, k)) return true;
    return false;
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

/* Of another length for each slot: what is zero at the point by chance is not
 * zero there. */
static void step_aside(const double *from, size_t count, size_t by, double *to)
{
    for (size_t k = 0; k < count; k++)
        to[k] = from[k]
            + DIFFERENCE_STEP * (1 - 0.05 * (double)(k % by))
                * (1 + fabs(from[k]));
}

/* Entries that may be 0 (all of a problem without a pattern, those by parameters)
 * count where they are not at the point, or beside it; all of them where these have
 * no values, whatever the reason: the run will meet that again. */
static dae_status match_present(check *w)
{
    const limit_request *q = w->q;
    const size_t states = q->layout->states;
    double *x = ARENA_ARRAY(&w->memory, double, states);
    double *xp = ARENA_ARRAY(&w->memory, double, w->n);
    uint8_t *present = ARENA_ARRAY(&w->memory, uint8_t, w->entries);
    if (!x || !xp || !present) return DAE_MEMORY;
    step_aside(q->x, states, 13, x);
    step_aside(q->xp, w->n, 11, xp);
    for (int k = 0; k < 2; k++) {
        if (evaluate_at(q, k ? x : q->x, k ? xp : q->xp)) break;
        const double *v = iteration_values(q->matrix);
        for (size_t e = 0; e < w->entries; e++)
            if (!may_be_zero(w, e) || v[e] != 0) present[e] = 1;
        w->present = present;
        const dae_status st = match_rows(w, false, &w->match);
        if (st || w->match.rank == w->n || k) return st;
    }
    w->present = NULL;
    return match_rows(w, false, &w->match);
}

/* ---- numbers ---------------------------------------------------------------------- */

/* The leading coefficient beyond which terms of lower order do not count:
 * the largest ratio in a row between them and its highest slot's entries. */
static dae_status find_rate(check *w)
{
    const size_t states = w->q->layout->states;
    const double *v = iteration_values(w->q->matrix);
    const dae_pattern *p = w->pattern;
    double *high = ARENA_ARRAY(&w->memory, double, w->n);
    double *low = ARENA_ARRAY(&w->memory, double, w->n);
    if (!high || !low) return DAE_MEMORY;
    for (size_t c = 0; c < states + w->n; c++) {
        double *side = c >= states ? high : low;
        for (int64_t k = p->column_start[c]; k < p->column_start[c + 1]; k++)
            side[p->row[k]] = fmax(side[p->row[k]], fabs(v[k]));
    }
    w->rate = 1;
    for (size_t i = 0; i < w->n; i++)
        if (high[i] > 0) w->rate = fmax(w->rate, low[i] / high[i]);
    return DAE_OK;
}

/* The answer of every unknown to residuals of one size, but no pattern that
 * could cancel. */
static dae_status answer_at(const check *w, double alpha, double *y)
{
    for (size_t i = 0; i < w->n; i++)
        y[i] = (i % 2 ? -1 : 1) * (1 + (double)(i % 7) / 8);
    const dae_status st = iteration_factor(w->q->matrix, alpha);
    ++*w->q->factorizations;
    return st ? st : iteration_solve(w->q->matrix, y);
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
        const double before = fmax(
            fabs(near[i]), rounding_of(ROUNDING_OF_SUMS) * largest);
        if (!(fabs(nearer[i]) <= RANK_GAP * before)) return true;
    }
    return false;
}

/* Whether numbers say that the matrix stays regular; also where they cannot
 * be had. */
static dae_status stays_regular(check *w, bool *is_regular)
{
    double *near = ARENA_ARRAY(&w->memory, double, w->n);
    double *nearer = ARENA_ARRAY(&w->memory, double, w->n);
    *is_regular = true;
    if (!near || !nearer) return DAE_MEMORY;
    dae_status st = evaluate_at(w->q, w->q->x, w->q->xp);
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    if ((st = find_rate(w))) return st;
    st = answer_at(w, w->rate * FAR_BELOW, near);
    if (!st) st = answer_at(w, w->rate * FAR_BELOW * FAR_BELOW, nearer);
    if (st == DAE_NUMERIC) *is_regular = false;
    else if (!st) *is_regular = !answer_grows(near, nearer, w->n);
    return st == DAE_NUMERIC || st == DAE_RETRY ? DAE_OK : st;
}

/* Whether the matrix is regular for any step, which that of a linear system
 * is where its solutions are unique, of whatever index [BCP96 2.3]. Other
 * than the step's limit, its condition tells. */
static dae_status is_regular_somewhere(const check *w, bool *is_regular)
{
    iteration *m = w->q->matrix;
    const double alpha[] = {1.3 * w->rate, 0.7, 1.3 * w->rate / 1000};
    const double zero = w->q->problem->jacobian ? 0 : DIFFERENCE_NOISE;
    *is_regular = false;
    for (size_t k = 0; k < sizeof alpha / sizeof *alpha && !*is_regular; k++) {
        const dae_status st = iteration_factor(m, alpha[k]);
        ++*w->q->factorizations;
        if (st && st != DAE_NUMERIC) return st == DAE_RETRY ? DAE_OK : st;
        *is_regular = !st && linear_rcond(iteration_linear(m)) > zero;
    }
    return DAE_OK;
}

/* Structure does not say that the matrix is regular: do numbers? Where not, what
 * is wrong, and so what helps. */
static dae_status check_numbers(check *w)
{
    dae_matching all;
    bool is_regular;
    dae_status st = stays_regular(w, &is_regular);
    if (st || is_regular) return st;
    if ((st = match_rows(w, true, &all))) return st;
    if (all.rank < w->n) {
        report_cause(w, &all, TOO_MANY);
        return DAE_NUMERIC;
    }
    if ((st = is_regular_somewhere(w, &is_regular))) return st;
    report_cause(w, &w->match, is_regular ? HIGHER_INDEX : SINGULAR);
    return DAE_NUMERIC;
}

dae_status limit_check(const limit_request *q)
{
    const layout *l = q->layout;
    const dae_pattern *p = iteration_pattern(q->matrix);
    check w = {.q = q, .pattern = p, .n = l->unknowns};
    w.entries = (size_t)p->column_start[l->states + w.n];
    arena_init(&w.memory, alloc_or_default(q->allocator), 0);
    dae_status st = match_rows(&w, false, &w.match);
    if (!st && w.match.rank == w.n && has_doubtful(&w)) st = match_present(&w);
    if (!st && (q->is_by_numbers || w.match.rank < w.n)) st = check_numbers(&w);
    arena_clear(&w.memory);
    return st;
}
