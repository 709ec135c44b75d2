/* Words for what limit.c finds before a run: too many equations for too few
 * unknowns, or an index that the step machine cannot take. */
#include "index/cause.h"
#include "base/report.h"
#include "graph/match.h"
#include "linalg/naming.h"
#include <stdio.h>

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

void cause_structure(
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

void cause_index(const limit_request *q, const uint8_t *row_part,
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
