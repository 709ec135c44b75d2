/* Messages about inconsistent sets of equations, conditions, given values and
 * bounds: the row named first with the values of its sides, the others at their
 * positions, and a remedy. */
#include "base/report.h"
#include "start/report.h"
#include "start/report_names.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* All members take part for certain, so more are named than in other lists. */
enum { ROWS_LISTED = 6, GIVEN_LISTED = 8 };

/* A set, sorted: equations, values, conditions, bounds. */
typedef struct shown {
    const init_request *q;
    const init_findings *f;
    const init_conflict *set;
    dae_diagnostics *ds;
    const init_party *equations, *values, *conditions, *bounds;
    size_t equation_count, value_count, condition_count, bound_count;
} shown;

static bool is_any_given(const shown *w)
{
    return w->value_count + w->condition_count > 0;
}

/* E0401 where the conditions are shown to be inconsistent; else no start was
 * found. */
static diag_code code_of(const shown *w)
{
    return is_any_given(w) && w->f->outcome == INIT_CONTRADICTORY ? DIAG_E0401
                                                                  : DIAG_E0402;
}

static dae_status shown_init(shown *w, arena *scratch)
{
    const init_conflict *set = w->set;
    assert(set->count > 0 && set->worst.kind <= INIT_CONDITION);
    init_party *list = ARENA_ARRAY(scratch, init_party, set->count + 1);
    if (!list) return DAE_MEMORY;
    memcpy(list, set->parties, set->count * sizeof *list);
    const dae_status st = sort_parties(w->q, list, set->count, scratch);
    for (size_t k = 0; k < set->count; k++) {
        w->equation_count += set->parties[k].kind == INIT_EQUATION;
        w->value_count += set->parties[k].kind == INIT_GIVEN;
        w->condition_count += set->parties[k].kind == INIT_CONDITION;
    }
    w->equations = list;
    w->values = w->equations + w->equation_count;
    w->conditions = w->values + w->value_count;
    w->bounds = w->conditions + w->condition_count;
    assert(set->count >= (size_t)(w->bounds - list));
    w->bound_count = set->count - (size_t)(w->bounds - list);
    return st;
}

/* ---- lists ------------------------------------------------------------------- */

/* "equations `a`, `b` and 2 more"; "`a`" for one. */
static void list_equations(const shown *w, text *out)
{
    char name[NAMING_SIZE];
    const size_t count = w->equation_count;
    if (count > 1) text_add(out, "equations ");
    for (size_t k = 0; k < count && k < ROWS_LISTED; k++) {
        const bool is_last = k > 0 && k + 1 == count;
        const char *before = is_last ? " and " : k ? ", " : "";
        text_add(
            out, "%s`%s`", before, party_name(w->q, &w->equations[k], name));
    }
    if (count > ROWS_LISTED)
        text_add(out, " and %zu more", count - ROWS_LISTED);
}

/* Given values and conditions, "`x = 1`, `L5`"; returns their number. */
static size_t list_given(const shown *w, text *out)
{
    char name[NAMING_SIZE];
    const size_t conditions = w->condition_count;
    const size_t all = w->value_count + conditions;
    size_t named = 0;
    for (size_t k = 0; k < w->value_count && named < GIVEN_LISTED; k++, named++)
        text_add(out, "%s`%s = %g`", named ? ", " : "",
            party_name(w->q, &w->values[k], name), w->values[k].residual);
    for (size_t k = 0; k < conditions && named < GIVEN_LISTED; k++, named++)
        text_add(out, "%s`%s`", named ? ", " : "",
            party_name(w->q, &w->conditions[k], name));
    if (all > named) text_add(out, " and %zu more", all - named);
    return all;
}

static void write_bound(const shown *w, const init_party *bound, text *out)
{
    char name[NAMING_SIZE];
    text_add(out, "`%s` is at %s %.6g", party_name(w->q, bound, name),
        bound->kind == INIT_MAXIMUM ? "most" : "least", bound->residual);
}

/* " where `q` is at least 0", "" where no bound takes part. */
static void list_bounds(const shown *w, text *out)
{
    for (size_t k = 0; k < w->bound_count && k < ROWS_LISTED; k++) {
        text_add(out, "%s", k ? ", " : " where ");
        write_bound(w, &w->bounds[k], out);
    }
    if (w->bound_count > ROWS_LISTED)
        text_add(out, " and %zu more bounds", w->bound_count - ROWS_LISTED);
}

/* ---- positions --------------------------------------------------------------- */

/* Derivatives of an equation have its position. */
static void place_rows(
    const shown *w, const init_party *rows, size_t count, places *used)
{
    for (size_t k = 0; k < count && used->count <= ROWS_LISTED; k++) {
        const place at = party_place(w->q, &rows[k]);
        if (places_add(used, at))
            report_also(w->ds, at.source, at.span, "%s",
                w->set->is_proved ? "part of the contradiction"
                                  : "part of the set");
    }
}

/* Value k and the following ones at its position: elements of an array, which
 * get one label. */
static void write_values_there(const shown *w, size_t k, size_t count, text *t)
{
    char name[NAMING_SIZE];
    const init_party *first = &w->values[k];
    const place at = party_place(w->q, first);
    size_t more = 0;
    party_name(w->q, first, name);
    text_add(t, "`%s` given as %g", name, first->residual);
    for (size_t i = k + 1; i < count; i++) {
        const init_party *other = &w->values[i];
        if (!is_same_place(at, party_place(w->q, other))) continue;
        text_add(
            t, ", `%s` as %g", party_name(w->q, other, name), other->residual);
        more++;
    }
    party_name(w->q, first, name);
    if (more || strchr(name, '[')) return;
    *t = (text){.length = 0};
    text_add(t, "given as %g", first->residual);
}

static void place_values(const shown *w, places *used)
{
    const size_t count = w->value_count < GIVEN_LISTED ? w->value_count
                                                       : GIVEN_LISTED;
    for (size_t k = 0; k < count; k++) {
        const place at = party_place(w->q, &w->values[k]);
        text label = {.length = 0};
        if (!places_add(used, at)) continue;
        write_values_there(w, k, count, &label);
        report_also(w->ds, at.source, at.span, "%s", label.s);
    }
}

static void place_bounds(const shown *w)
{
    for (size_t k = 0; k < w->bound_count && k < ROWS_LISTED; k++) {
        const place at = party_place(w->q, &w->bounds[k]);
        text bound = {.length = 0};
        write_bound(w, &w->bounds[k], &bound);
        if (at.source) report_also(w->ds, at.source, at.span, "%s", bound.s);
    }
}

static void place_all(const shown *w)
{
    places used = {.count = 0};
    (void)places_add(&used, party_place(w->q, &w->set->worst));
    place_rows(w, w->equations, w->equation_count, &used);
    place_rows(w, w->conditions, w->condition_count, &used);
    place_values(w, &used);
    place_bounds(w);
}

/* ---- the row in numbers ------------------------------------------------------ */

/* "`rod` reads 4 = 1 at t = 0 (tolerance 1e-6)", or "residual 3" where the sides
 * are not known; "`flow` has no value there: sqrt(p) with p = -1". */
static void label_reading(const shown *w)
{
    enum { DIGITS = 6, DIGITS_MOST = 17 };
    const init_party *row = &w->set->worst;
    char name[NAMING_SIZE], left[32], right[32];
    text reading = {.length = 0};
    char why[256];
    if (!isfinite(row->residual)) {
        explain_row(w->q, w->f, row, why, sizeof why, w->ds);
        report_label(w->ds, "`%s` has no value there: %s",
            party_name(w->q, row, name), why[0] ? why : "it is not finite");
        return;
    }
    if (row->holds) {
        const bool is_alone = w->equation_count + w->condition_count == 1;
        report_label(w->ds, "`%s` holds at the last values (tolerance %.3g)%s",
            party_name(w->q, row, name), row->tolerance,
            is_alone ? ", but does not determine them to a digit" : "");
        return;
    }
    for (int digits = DIGITS; digits <= DIGITS_MOST; digits++) {
        (void)snprintf(left, sizeof left, "%.*g", digits, row->sides[0]);
        (void)snprintf(right, sizeof right, "%.*g", digits, row->sides[1]);
        if (strcmp(left, right) != 0) break;
    }
    if (isnan(row->sides[0]))
        text_add(&reading, "residual %.6g", row->residual);
    else
        text_add(&reading, "`%s` reads %s = %s", party_name(w->q, row, name),
            left, right);
    text_add(&reading, " at t = %g", w->q->t0);
    if (row->tolerance > 0)
        text_add(&reading, " (tolerance %.3g)", row->tolerance);
    if (w->set->similar)
        text_add(
            &reading, "; %zu more of its rows fail likewise", w->set->similar);
    report_label(w->ds, "%s", reading.s);
}

/* ---- messages ---------------------------------------------------------------- */

/* A set proved to have no solution. */
static void report_proved(const shown *w, place at, const char *rows,
    const text *given, size_t given_count)
{
    dae_diagnostics *ds = w->ds;
    const bool is_one = w->equation_count == 1;
    const diag_code code = code_of(w);
    if (!is_any_given(w) && is_one)
        report(ds, code, at.source, at.span,
            "%s holds for no values of the unknowns", rows);
    else if (!is_any_given(w))
        report(ds, code, at.source, at.span,
            "%s contradict each other: no values of the unknowns satisfy %s",
            rows, w->equation_count == 2 ? "both" : "all of them");
    else if (w->equation_count)
        report(ds, code, at.source, at.span, "%s %s the initial condition%s %s",
            rows, is_one ? "contradicts" : "contradict",
            given_count == 1 ? "" : "s", given->s);
    else if (given_count == 1)
        report(ds, code, at.source, at.span,
            "the initial condition %s holds for no values of the unknowns",
            given->s);
    else
        report(ds, code, at.source, at.span,
            "the initial conditions %s contradict each other", given->s);
}

/* A set that no search has solved. */
static void report_not_found(const shown *w, place at, const char *rows,
    const text *given, size_t given_count)
{
    const size_t count = w->equation_count + given_count;
    const bool is_given = is_any_given(w);
    text bounds = {.length = 0};
    list_bounds(w, &bounds);
    report(w->ds, code_of(w), at.source, at.span,
        "no values were found that satisfy %s%s%s%s%s%s", rows,
        w->equation_count && is_given ? " with " : "",
        !is_given              ? ""
            : given_count == 1 ? "the initial condition "
                               : "the initial conditions ",
        given->s,
        count > 1 && !(w->equation_count && is_given) ? " together" : "",
        bounds.s);
}

static void report_rows(const shown *w)
{
    const place at = party_place(w->q, &w->set->worst);
    text rows = {.length = 0}, given = {.length = 0};
    const size_t count = list_given(w, &given);
    list_equations(w, &rows);
    if (w->set->is_proved && !w->bound_count)
        report_proved(w, at, rows.s, &given, count);
    else report_not_found(w, at, rows.s, &given, count);
    label_reading(w);
}

/* ---- the remedy -------------------------------------------------------------- */

/* Given values of which each, freed alone, has led to a start. */
static size_t list_freed(const shown *w, text *out)
{
    char name[NAMING_SIZE];
    size_t count = 0;
    for (size_t k = 0; k < w->value_count; k++) {
        const init_party *p = &w->values[k];
        if (!p->is_freed) continue;
        /* an element and a derivative have their guess in `init` alone */
        const char *of = party_name(w->q, p, name);
        text_add(out, "%s`%s%s ~ %g`", count++ ? " or " : "",
            strpbrk(of, "['") ? "init " : "", of, p->residual);
    }
    return count;
}

/* Conditions that are formulas are not freed on trial, only given values are. */
static void help_given(const shown *w)
{
    text freed = {.length = 0}, formulas = {.length = 0};
    char name[NAMING_SIZE];
    const size_t count = list_freed(w, &freed);
    const char *others = w->f->failure.set_count > 1
        ? "; each of the sets reported needs a change"
        : "";
    for (size_t k = 0; k < w->condition_count && k < ROWS_LISTED; k++)
        text_add(&formulas, "%s`%s`", k ? " or " : "; or correct or remove ",
            party_name(w->q, &w->conditions[k], name));
    if (count)
        report_help(w->ds,
            "free %s: with the guess %s in place of the condition a start was "
            "found%s",
            count == 1 ? "this value" : "one of these values", freed.s,
            formulas.s);
    else if (w->value_count + w->condition_count == 1)
        report_help(w->ds, "correct or remove the condition%s", others);
    else
        report_help(w->ds, "correct or remove one of the conditions%s", others);
}

static void help(const shown *w)
{
    if (w->set->is_searched && !w->set->is_minimal)
        report_help(w->ds,
            "this set may not be minimal: the search for a smaller one "
            "exceeded its budget");
    else if (w->bound_count)
        report_help(w->ds, "without %s values satisfy all others: relax it%s",
            w->bound_count == 1 ? "this bound" : "one of these bounds",
            is_any_given(w) ? ", or change a given value" : "");
    else if (is_any_given(w)) help_given(w);
    else if (w->equation_count == 1)
        report_help(
            w->ds, "no initial condition is involved: check the equation");
    else
        report_help(
            w->ds, "no initial condition is involved: check these equations");
}

static void report_set(const shown *w)
{
    char name[NAMING_SIZE], other[NAMING_SIZE];
    report_rows(w);
    place_all(w);
    help(w);
    report_numeric(w->ds, w->q->t0, 0, 0,
        party_name(w->q, &w->set->worst, name),
        w->value_count ? party_name(w->q, w->values, other) : NULL);
}

dae_status start_report_conflicts(const init_request *q, const init_findings *f,
    arena *scratch, dae_diagnostics *ds)
{
    for (size_t k = 0; k < f->failure.set_count; k++) {
        shown w = {.q = q, .f = f, .set = &f->failure.sets[k], .ds = ds};
        const dae_status st = shown_init(&w, scratch);
        if (st) return st;
        report_set(&w);
    }
    return DAE_OK;
}
