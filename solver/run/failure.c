#include "run/failure.h"

#include "base/report.h"
#include "events/event_report.h"
#include "linalg/jacobian.h"
#include "linalg/naming.h"
#include "reduce/thresholds.h"
#include "run/algebraic.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LINE_SIZE = 400 }; /* two names and what is said of them */
enum { BOUND_SIZE = 40 };
static const size_t nowhere = SIZE_MAX;

/* What a report is about; indices are `nowhere` where not known. */
typedef struct blame {
    size_t equation, slot;
    named_place by_equation, by_slot;
} blame;

static blame blame_on(const engine *e, size_t equation, size_t slot)
{
    blame b = {.equation = equation, .slot = slot};
    assert(slot == nowhere || slot < e->layout.states + e->layout.unknowns);
    if (equation != nowhere)
        b.by_equation = naming_of(e->problem, DAE_NAME_EQUATION, equation);
    if (slot != nowhere)
        b.by_slot = naming_of_slot(e->problem, &e->layout, slot);
    return b;
}

/* Begins a diagnostic at the place of the equation, else of the unknown; `label`: of
 * the unknown, NULL: none. */
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
static void
begin_report(run *r, diag_code code, const blame *b, const char *label,
    const char *format, ...)
{
    char message[LINE_SIZE];
    const stepper *s = &r->engine->stepper;
    const bool has_equation = b->equation != nowhere;
    const bool has_slot = b->slot != nowhere;
    const named_place *slot = &b->by_slot;
    const named_place *at = has_equation ? &b->by_equation : slot;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    report(r->ds, code, at->source, at->span, "%s", message);
    report_numeric(r->ds, s->history.t, s->h, s->selector.order,
        has_equation ? at->text : NULL, has_slot ? slot->text : NULL);
    if (!label || !has_slot) return;
    if (!has_equation) report_label(r->ds, "%s", label);
    else if (slot->source)
        report_also(r->ds, slot->source, slot->span, "%s", label);
}

/* --- who is to blame --- */

/* The largest of what tolerances make of numbers; `nowhere`: all are 0. */
static size_t largest_of(const double *off, const double *unit, size_t count)
{
    size_t worst = nowhere;
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        const double size = fabs(off[i] * unit[i]);
        if (size > most) most = size, worst = i;
    }
    return worst;
}

/* The state furthest from its prediction, in tolerances. */
static size_t worst_state(const engine *e)
{
    return largest_of(e->stepper.point.d, e->weights.test, e->layout.states);
}

/* The state that the last correction moved most, in tolerances: where Newton's
 * method goes to and fro its iterate may happen to be the prediction. */
static size_t most_corrected(const engine *e)
{
    const layout *l = &e->layout;
    for (size_t j = 0; j < l->unknowns; j++)
        e->scratch[j] = e->weights.test[l->first[j + 1] - 1];
    const size_t j = largest_of(e->newton.delta, e->scratch, l->unknowns);
    return j == nowhere ? j : l->first[j + 1] - 1;
}

/* The largest entry of every row: dF_i/d(slot) times a tolerance of that slot. */
static void row_sizes(const engine *e, double *size)
{
    const dae_pattern *pattern = iteration_pattern(e->matrix);
    const double *value = iteration_values(e->matrix);
    const layout *l = &e->layout;
    memset(size, 0, l->unknowns * sizeof *size);
    for (size_t c = 0; c < l->states + l->unknowns; c++) {
        const bool is_slope = c >= l->states;
        const size_t s = is_slope ? l->first[c - l->states + 1] - 1 : c;
        double unit = 1 / e->weights.plain[s];
        if (is_slope) unit *= fabs(e->stepper.point.alpha);
        int64_t p = pattern->column_start[c];
        for (; p < pattern->column_start[c + 1]; p++)
            size[pattern->row[p]] = fmax(
                size[pattern->row[p]], fabs(value[p]) * unit);
    }
}

/* F at the point of the last attempt, in `scratch`. */
static dae_status evaluate(engine *e)
{
    const dae_problem *p = e->problem;
    const point *at = &e->stepper.point;
    e->stepper.stats->residual_evals++;
    return p->residual(p->self, at->t, at->x, at->xp, e->scratch);
}

/* The equation with the largest residual, measured by what a tolerance of its
 * unknowns changes in it. */
static size_t worst_residual(engine *e)
{
    double *size = e->newton.delta;
    const size_t n = e->layout.unknowns;
    if (evaluate(e)) return nowhere;
    row_sizes(e, size);
    for (size_t i = 0; i < n; i++) size[i] = size[i] > 0 ? 1 / size[i] : 0;
    return largest_of(e->scratch, size, n);
}

/* First value of F that overflows, moved onto the bounds as for the attempt;
 * `nowhere` where none does or where F gives none. */
static size_t overflow_equation(engine *e)
{
    const size_t n = e->layout.unknowns;
    bounds_clip(&e->newton.bounds, e->stepper.point.x);
    memset(e->scratch, 0, n * sizeof *e->scratch);
    const dae_status st = evaluate(e);
    if (st != DAE_OK && st != DAE_RETRY) return nowhere;
    for (size_t i = 0; i < n; i++)
        if (is_overflow(e->scratch[i])) return i;
    return nowhere;
}

/* The equation that determines the unknown of a state, or its highest derivative:
 * its own one, not any that reads it. */
static size_t equation_of(const engine *e, size_t state)
{
    int order;
    assert(e->row_of && (state == nowhere || state < e->layout.states));
    if (state == nowhere) return nowhere;
    const int32_t row = e->row_of[naming_unknown(&e->layout, state, &order)];
    return row == DAE_UNMATCHED ? nowhere : (size_t)row;
}

static blame blame_state(const engine *e, size_t state)
{
    return blame_on(e, equation_of(e, state), state);
}

/* An unknown of the last attempt at or beyond its bound; NULL: none. */
static const bound *bound_reached(const engine *e)
{
    const bounds *b = &e->newton.bounds;
    for (size_t i = 0; i < b->count; i++) {
        const bound *at = &b->at[i];
        const double x = e->stepper.point.x[at->state];
        const double near = 1 / e->weights.plain[at->state];
        if (x <= at->low + near || x >= at->high - near) return at;
    }
    return NULL;
}

/* How the bound nearer to its unknown reads in the user's text: "min = 0". */
static const char *write_bound(const engine *e, const bound *at, char *text)
{
    const double x = e->stepper.point.x[at->state];
    const bool is_low = fabs(x - at->low) < fabs(x - at->high);
    snprintf(text, BOUND_SIZE, "%s = %.10g", is_low ? "min" : "max",
        is_low ? at->low : at->high);
    return text;
}

/* ---- small steps ---- */

/* Whether a bound was reached, and then the advice. */
static bool add_bound_help(run *r, const char *what)
{
    const engine *e = r->engine;
    const bound *at = bound_reached(e);
    char text[BOUND_SIZE];
    if (!at) return false;
    report_help(r->ds, "`%s` is at its bound (%s) there: %s",
        blame_on(e, nowhere, at->state).by_slot.text, write_bound(e, at, text),
        what);
    return true;
}

static dae_status report_stop(const run *r, dae_status st)
{
    return failure_report_memory(
        r, "in a step", r->engine->stepper.history.t, st);
}

static const char shorter_steps[] =
    "take shorter steps, or let the error choose them";

/* `rcond`: the reciprocal condition of the last matrix. */
static void add_small_step_help(run *r, double rcond)
{
    const stepper *s = &r->engine->stepper;
    const double unit = DBL_EPSILON * fabs(s->history.t);
    if (add_bound_help(r, "the equations may have their solution beyond it"))
        return;
    if (s->fixed.length > 0) report_help(r->ds, "%s", shorter_steps);
    /* steps that are mostly rounding are the clock's fault where the interval is short
     * beside t; otherwise the solution's */
    else if (fabs(s->h) < UNITS_OFF * unit
        && s->interval < PART_GONE * fabs(s->history.t))
        report_help(r->ds,
            "t itself is known to %.1e here only: count time from a nearer "
            "origin",
            unit);
    else if (rcond < LU_PIVOT_ZERO)
        report_help(r->ds,
            "the iteration matrix is nearly singular (reciprocal condition "
            "%.1e): the index may be 2 or more, or the solution ends here",
            rcond);
    else if (!event_report_help_kink(r))
        report_help(r->ds,
            "the solution may jump, branch or grow without bound here, or "
            "the tolerances may be below what rounding allows");
}

/* `what` of `name`. The matrix is measured first, as memory may run out for it. */
static dae_status report_small_step(run *r, const blame *b, const char *what,
    const char *name, const char *label)
{
    engine *e = r->engine;
    const stepper *s = &e->stepper;
    char line[LINE_SIZE];
    double rcond = 1; /* where there is no matrix */
    dae_status st = DAE_OK;
    if (e->newton.has_jacobian && iteration_linear(e->matrix))
        st = report_stop(r, iteration_rcond(e->matrix, &rcond));
    if (st) return st;
    snprintf(line, sizeof line, what, name);
    begin_report(r, DIAG_E0501, b, label,
        "the step %s at t = %.10g (h = %.3g, order %d): %s",
        s->fixed.length > 0 ? "requested fails" : "became too small",
        s->history.t, s->h, s->selector.order, line);
    add_small_step_help(r, rcond);
    return DAE_NUMERIC;
}

static dae_status report_error(run *r)
{
    const blame b = blame_state(r->engine, worst_state(r->engine));
    return report_small_step(r, &b,
        b.slot == nowhere ? "its error stays above the tolerance%s"
                          : "the error of `%s` stays above its tolerance",
        b.by_slot.text, "the unknown with the largest error");
}

static dae_status report_convergence(run *r)
{
    engine *e = r->engine;
    const size_t slot = worst_state(e), worst = worst_residual(e);
    const blame b = blame_on(
        e, worst == nowhere ? equation_of(e, slot) : worst, slot);
    return report_small_step(r, &b,
        b.equation == nowhere
            ? "Newton's method does not converge%s"
            : "Newton's method does not converge, worst in `%s`",
        b.by_equation.text, "the unknown that moves most");
}

/* ---- a singular matrix ---- */

/* Of rows that depend on each other elimination leaves any over: `row` if it
 * holds the unknown, else the first that does. */
static size_t equation_with(const engine *e, size_t row, size_t unknown)
{
    const dae_pattern *pattern = iteration_pattern(e->matrix);
    const layout *l = &e->layout;
    size_t first = nowhere;
    const size_t end = l->first[unknown + 1];
    for (size_t c = l->first[unknown]; c <= end; c++) {
        const int64_t *at = pattern->column_start
            + (c < end ? c : l->states + unknown);
        for (int64_t p = at[0]; p < at[1]; p++) {
            const size_t i = (size_t)pattern->row[p];
            if (i == row) return row;
            if (i < first) first = i;
        }
    }
    return first == nowhere ? row : first;
}

/* The first equation whose derivatives by all unknowns are 0, as where a discrete
 * variable takes its terms away; `nowhere` where all have others. */
static size_t row_without_entries(const engine *e)
{
    const dae_pattern *pattern = iteration_pattern(e->matrix);
    const size_t n = e->layout.unknowns, slots = e->layout.states + n;
    const double *value = iteration_values(e->matrix);
    memset(e->scratch, 0, n * sizeof *e->scratch);
    for (int64_t p = 0; p < pattern->column_start[slots]; p++)
        e->scratch[pattern->row[p]] += fabs(value[p]);
    for (size_t i = 0; i < n; i++)
        if (e->scratch[i] == 0) return i;
    return nowhere;
}

/* What elimination has not determined, by what. */
static blame blame_pivot(const engine *e)
{
    const linear *lin = iteration_linear(e->matrix);
    int64_t row = -1, column = -1;
    if (lin) linear_singular_at(lin, &row, &column);
    const size_t i = row < 0 ? nowhere : (size_t)row;
    if (column < 0) return blame_on(e, i, nowhere);
    return blame_on(e, i == nowhere ? i : equation_with(e, i, (size_t)column),
        e->layout.first[column + 1] - 1);
}

static dae_status report_singular(run *r)
{
    const stepper *s = &r->engine->stepper;
    const size_t vanished = row_without_entries(r->engine);
    const blame b = vanished == nowhere
        ? blame_pivot(r->engine)
        : blame_on(r->engine, vanished, nowhere);
    char who[LINE_SIZE] = "";
    if (b.equation != nowhere)
        snprintf(who, sizeof who,
            vanished != nowhere     ? ": `%s` determines nothing, as its "
                                      "derivatives by all unknowns are 0"
                : b.slot == nowhere ? ", worst in `%s`"
                                    : ": `%s` does not determine `%s`",
            b.by_equation.text, b.by_slot.text);
    begin_report(r, DIAG_E0502, &b, "not determined",
        "the iteration matrix is singular at t = %.10g (h = %.3g)%s",
        s->history.t, s->h, who);
    if (vanished == nowhere)
        report_help(r->ds,
            "equations may follow from each other here, or the index may be 2 "
            "or more");
    else
        report_help(r->ds,
            "where a switch or a discrete variable takes the terms of `%s` "
            "away, say what holds instead: `if ... then ... else ...`",
            b.by_equation.text);
    return DAE_NUMERIC;
}

/* ---- values that are missing ---- */

/* Of an equation so many states are tried: a message is no work. */
enum { LEAVING_MOST = 16 };

/* The state that alone, taken from its last value to that at hand, leaves an
 * equation without a value; `nowhere` where more of them do, or t, or none of the first
 * ones. */
static size_t state_that_leaves(engine *e, size_t equation)
{
    const dae_pattern *pattern = iteration_pattern(e->matrix);
    const stepper *s = &e->stepper;
    const double *last = s->history.phi[0];
    const size_t states = e->layout.states;
    double *x = s->point.x, *kept = s->point.slope; /* predicts nothing more */
    size_t found = nowhere;
    int tried = 0;
    memcpy(kept, x, states * sizeof *kept);
    memcpy(x, last, states * sizeof *x);
    for (size_t i = 0; i < states && found == nowhere && tried < LEAVING_MOST;
         i++)
        for (int64_t p = pattern->column_start[i];
             p < pattern->column_start[i + 1]; p++) {
            if ((size_t)pattern->row[p] != equation) continue;
            x[i] = kept[i];
            tried++;
            if (overflow_equation(e) == equation) found = i;
            x[i] = last[i];
        }
    memcpy(x, kept, states * sizeof *x);
    return found;
}

/* The slot of (x, xp) that is too large where F does not show it, as its terms cancel;
 * `nowhere` where none is. */
static size_t large_slot(engine *e, double *value)
{
    const point *at = &e->stepper.point;
    const size_t states = e->layout.states;
    for (size_t k = 0; k < states + e->layout.unknowns; k++) {
        *value = k < states ? at->x[k] : at->xp[k - states];
        if (!is_overflow(*value)) continue;
        bool is_alone = isfinite(*value) && overflow_equation(e) == nowhere;
        return is_alone ? k : nowhere;
    }
    return nowhere;
}

/* The equation that has no value in the last attempt, or whose derivatives
 * have none, and how that reads; NULL: no equation has. */
static const char *find_equation(engine *e, size_t *equation, double *value)
{
    stepper *s = &e->stepper;
    const layout *l = &e->layout;
    if (any_overflow(s->point.x, l->states) && !s->formula->one_step)
        predict(&s->history, &s->grid, s->selector.order, s->layout, &s->point);
    *equation = overflow_equation(e);
    if (*equation != nowhere) {
        *value = e->scratch[*equation];
        return isfinite(*value) ? "%s`%s` is too large to compute with"
                                : "%s`%s` has no finite value";
    }
    const int64_t row = iteration_overflow_row(e->matrix);
    if (row < 0) return NULL;
    *equation = (size_t)row;
    *value = overflow_in_row(iteration_pattern(e->matrix),
        l->states + l->unknowns, iteration_values(e->matrix), row);
    return isfinite(*value) ? "%sa derivative of `%s` is too large"
                            : "%sthe derivatives of `%s` are not finite";
}

/* Slopes at the last point, in `scratch`: of what has no derivative as the equations have
 * them over a time in which no other state moves by more than its tolerance. Steps as
 * short as the last ones say nothing of these but rounding. */
static void find_ways(run *r)
{
    engine *e = r->engine;
    const stepper *s = &e->stepper;
    const history *hi = &s->history;
    const reduction *d = r->reduction;
    double time = s->interval > 0 ? s->interval : 1;
    for (size_t j = 0; j < e->layout.unknowns; j++) {
        const size_t high = e->layout.first[j + 1] - 1;
        const double unit = 1 / s->weights->plain[high];
        const double slope = hi->phi[1][high] / hi->scale[1];
        e->scratch[j] = slope;
        if (e->layout.order[j] > 0 && fabs(slope) * time > unit)
            time = unit / fabs(slope);
    }
    if (!layout_has_algebraic(&e->layout)) return;
    const dae_status st = algebraic_slopes(e, d ? d->now : NULL, hi->t,
        -r->direction * time, hi->phi[0], e->scratch);
    if (st == DAE_MEMORY) report_lost(r->ds);
}

/* A tolerance further, each unknown the way of the last step: where an equation has
 * no value there, the run ends at the threshold of its domain, as at h = 0 of
 * sqrt(h) or of log(h), whose slope has no bound. The point is left there. */
static bool leaves_domain(run *r)
{
    stepper *s = &r->engine->stepper;
    const history *hi = &s->history;
    const layout *l = &r->engine->layout;
    double *kept = s->point.slope; /* predicts nothing any more */
    memcpy(kept, s->point.x, l->states * sizeof *kept);
    find_ways(r);
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t i = l->first[j]; i < l->first[j + 1]; i++) {
            const bool is_high = i + 1 == l->first[j + 1];
            const double unit = 1 / s->weights->plain[i];
            const double way = is_high ? r->engine->scratch[j] * s->h
                                       : hi->phi[1][i];
            const double move = way > 0 ? unit : way < 0 ? -unit : 0;
            s->point.x[i] = hi->phi[0][i] + move;
        }
    const bool is_out = overflow_equation(r->engine) != nowhere;
    if (is_out) s->point.t = hi->t;
    else memcpy(s->point.x, kept, l->states * sizeof *kept);
    return is_out;
}

/* Who has no value in the last attempt, and how that reads with two names, the
 * equation's last. A finite `value` is one that is too large. */
static const char *find_overflow(run *r, blame *b, double *value)
{
    engine *e = r->engine;
    const size_t lost = e->newton.lost;
    size_t equation = nowhere, slot = large_slot(e, value);
    const char *what = "`%s` is too large to compute with%s";
    if (slot == nowhere) {
        *value = (double)NAN;
        what = find_equation(e, &equation, value);
        if (!what && leaves_domain(r))
            what = find_equation(e, &equation, value);
    }
    if (!what) {
        slot = lost == nowhere ? most_corrected(e)
                               : e->layout.first[lost + 1] - 1;
        equation = equation_of(e, slot);
        what = equation == nowhere
            ? "%sthe equations have no value%s"
            : "the correction of `%s`, which `%s` determines, overflows";
    }
    *b = blame_on(e, equation, slot);
    return what;
}

/* Who leads what out of the domain of an equation, and what helps. */
static void add_domain_help(run *r, size_t equation)
{
    engine *e = r->engine;
    const blame by = blame_state(
        e, equation == nowhere ? nowhere : state_that_leaves(e, equation));
    if (by.equation != nowhere && by.equation != equation
        && by.by_equation.source)
        report_also(r->ds, by.by_equation.source, by.by_equation.span,
            "leads `%s` there", by.by_slot.text);
    if (event_report_help_kink(r)
        || add_bound_help(r,
            "where the solution itself ends, stop before, with --to; else "
            "choose a bound where the equations have a value"))
        return;
    report_help(r->ds,
        "where the solution itself ends, stop before, with --to; where only "
        "errors of steps leave the domain, a bound (`min`, `max`) inside it "
        "helps, or `max(a - b, 0)` for a difference");
}

static dae_status report_nonfinite(run *r)
{
    engine *e = r->engine;
    const point *at = &e->stepper.point;
    const dae_problem *p = e->problem;
    blame b;
    double value;
    const char *what = find_overflow(r, &b, &value);
    char line[LINE_SIZE], size[LINE_SIZE] = "", why[LINE_SIZE] = "";
    snprintf(line, sizeof line, what, b.by_slot.text, b.by_equation.text);
    if (isfinite(value))
        snprintf(size, sizeof size, ": %.6g, %s", value, OVERFLOW_RULE);
    if (b.equation != nowhere && p->explain
        && p->explain(p->self, DAE_NAME_EQUATION, b.equation, at->t, at->x,
               at->xp, why, sizeof why)
            == SIZE_MAX)
        report_lost(r->ds);
    begin_report(r, DIAG_E0503, &b, NULL, "%s at t = %.10g (h = %.3g)%s", line,
        at->t, e->stepper.h, size);
    if (why[0]) report_label(r->ds, "%s", why);
    if (!isfinite(value)) add_domain_help(r, b.equation);
    else if (e->stepper.fixed.length > 0)
        report_help(r->ds,
            "where the solution stays small, the formula is unstable at this "
            "step: take shorter steps (`dae stability` with --step shows which "
            "are stable), or let the error choose them, without --step");
    else
        report_help(r->ds,
            "stop before, with --to, or scale the unknown that grows: measure "
            "it in a larger unit, or its logarithm");
    return DAE_NUMERIC;
}

/* ---- other ends ---- */

/* Newton's method or the predictor has led across a pole, however short the step. */
static dae_status report_pole(run *r)
{
    const stepper *s = &r->engine->stepper;
    const named_place who = naming_of(
        r->problem, DAE_NAME_DENOMINATOR, s->poles.at);
    report(r->ds, DIAG_E0503, who.source, who.span,
        "`%s` changes its sign at t = %.10g (h = %.3g), and the equations have "
        "no value on the way: no solution leads there",
        who.text, s->history.t, s->h);
    report_numeric(r->ds, s->history.t, s->h, s->selector.order, NULL, NULL);
    if (s->fixed.length > 0) report_help(r->ds, "%s", shorter_steps);
    else
        report_help(r->ds,
            "where the solution stays on one side, errors within a tolerance "
            "lead across: give what comes close to 0 in `%s` a smaller `atol`, "
            "or a bound, `min = 0`; where the solution itself ends, stop "
            "before, with --to",
            who.text);
    return DAE_NUMERIC;
}

static dae_status report_bound(run *r)
{
    engine *e = r->engine;
    assert(e->stepper.bound < e->newton.bounds.count);
    const bound *at = &e->newton.bounds.at[e->stepper.bound];
    char text[BOUND_SIZE], out[LINE_SIZE] = " and is pushed out of it";
    const blame b = blame_state(e, at->state);
    const char *quote = b.equation == nowhere ? "" : "`";
    if (*quote)
        snprintf(
            out, sizeof out, ", and `%s` pushes it out", b.by_equation.text);
    begin_report(r, DIAG_E0501, &b, "the unknown at its bound",
        "`%s` has come to its bound (%s) at t = %.10g%s", b.by_slot.text,
        write_bound(e, at, text), e->stepper.history.t, out);
    report_help(r->ds,
        "a bound only keeps values out, it does not hold the solution there: "
        "change %s%s%s so that `%s` stays inside, end before, or drop the "
        "bound where the equations hold beyond it",
        quote, *quote ? b.by_equation.text : "the equations", quote,
        b.by_slot.text);
    return DAE_NUMERIC;
}

static dae_status report_chatter(run *r)
{
    engine *e = r->engine;
    const stepper *s = &e->stepper;
    if (e->problem->is_smooth) return report_convergence(r);
    const blame b = blame_state(
        e, s->is_converged ? worst_state(e) : most_corrected(e));
    begin_report(r, DIAG_E0501, &b, "the unknown that chatters",
        "`%s` switches to and fro (chatters) at t = %.10g (h = %.3g), and the "
        "run does not get on",
        b.slot == nowhere ? "the solution" : b.by_slot.text, s->history.t,
        s->h);
    report_help(r->ds,
        "what switches there is none of the problem's events: tell it as one, "
        "or replace it by something smooth such as tanh(x/width)");
    return DAE_NUMERIC;
}

static dae_status report_no_room(run *r)
{
    const stepper *s = &r->engine->stepper;
    const blame b = {.equation = nowhere, .slot = nowhere};
    begin_report(r, DIAG_E0501, &b, NULL,
        "a step of h = %.3g cannot be told from none at t = %.10g", s->h,
        s->history.t);
    report_help(r->ds,
        "allow longer steps (`max_step`), or count time from a nearer origin");
    return DAE_NUMERIC;
}

bool failure_is_of_place(step_failure why)
{
    return why == STEP_TOO_SMALL_ERROR || why == STEP_TOO_SMALL_CONVERGENCE
        || why == STEP_SINGULAR || why == STEP_NONFINITE || why == STEP_NO_ROOM;
}

static dae_status report_step(run *r, step_failure why)
{
    const bool is_pole = r->engine->stepper.poles.at != SIZE_MAX;
    const bool is_small = failure_is_of_place(why) && why != STEP_NONFINITE;
    if (is_pole && failure_is_of_place(why)) return report_pole(r);
    if (is_small && leaves_domain(r)) return report_nonfinite(r);
    if (!r->failed && is_small && regularity_is_near(r))
        return regularity_report(r, false);
    switch (why) {
    case STEP_TOO_SMALL_ERROR: return report_error(r);
    case STEP_TOO_SMALL_CONVERGENCE: return report_convergence(r);
    case STEP_SINGULAR: return report_singular(r);
    case STEP_NONFINITE: return report_nonfinite(r);
    case STEP_AT_BOUND: return report_bound(r);
    case STEP_CHATTERS: return report_chatter(r);
    case STEP_NO_ROOM: return report_no_room(r);
    case STEP_STOPPED: return report_stop(r, r->engine->newton.status);
    case STEP_UNSOLVED:
    case STEP_FINE: break;
    }
    return DAE_OK;
}

static dae_status find_own_equations(run *r)
{
    engine *e = r->engine;
    dae_matching m;
    if (e->row_of) return DAE_OK;
    const dae_status st = engine_match(e, NULL, &e->memory, &m);
    if (!st) e->row_of = m.row_of;
    return report_stop(r, st);
}

dae_status failure_report(run *r, step_failure why)
{
    assert(why != STEP_FINE && why != STEP_UNSOLVED);
    dae_status st = find_own_equations(r);
    if (!st) st = report_step(r, why);
    if (st == DAE_NUMERIC) event_report_behind(r);
    return st;
}

/* More would say nothing new. */
enum { bounds_noted = 4 };

void failure_note_bounds(run *r)
{
    const bounds *b = &r->engine->newton.bounds;
    int noted = 0;
    for (size_t i = 0; i < b->count && noted < bounds_noted; i++) {
        bound *at = &b->at[i];
        if (isnan(at->held)) continue;
        const named_place who = naming_of_slot(
            r->engine->problem, &r->engine->layout, at->state);
        report(r->ds, DIAG_N0506, who.source, who.span,
            "`%s` was held at its %s %.10g at t = %.10g", who.text,
            at->held_low ? "minimum" : "maximum",
            at->held_low ? at->low : at->high, at->held);
        at->held = (double)NAN;
        noted++;
    }
}

/* Whether no tolerance would halve the number of steps, as they are longer than half
 * of `max_step` on average. */
static bool is_held_short(const run *r)
{
    const double gone = fabs(r->engine->stepper.history.t - r->t0);
    return gone > (double)r->stats.steps * r->options.max_step / 2
        && r->options.max_step > 0;
}

dae_status failure_too_many_steps(run *r)
{
    const stepper *s = &r->engine->stepper;
    report(r->ds, DIAG_E0504, NULL, (text_span){0, 0},
        "too many steps: %" PRId64 " taken, at t = %.10g with h = %.3g",
        r->stats.steps, s->history.t, s->last_h);
    report_numeric(
        r->ds, s->history.t, s->last_h, s->selector.order, NULL, NULL);
    report_help(r->ds, "allow more with --max-steps, or %s",
        r->options.step > 0 ? "take longer steps"
            : is_held_short(r)
            ? "raise `max_step`: steps are as long as it allows"
            : "loosen the tolerances");
    return DAE_LIMIT;
}

dae_status failure_interrupted(run *r)
{
    report(r->ds, DIAG_E0005, NULL, (text_span){0, 0},
        "interrupted at t = %.10g", r->engine->stepper.history.t);
    return DAE_INTERRUPTED;
}

dae_status failure_report_memory(
    const run *r, const char *what, double t, dae_status st)
{
    if (st == DAE_MEMORY)
        report(r->ds, DIAG_E0003, NULL, (text_span){0, 0},
            "out of memory %s at t = %.10g", what, t);
    return st;
}
