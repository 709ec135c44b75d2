/* The names are those of the problem that is watched: of one of higher index the
 * last derivative of an equation and the highest one of an unknown. */
#include "control/lost.h"
#include "base/report.h"
#include "sparse/naming.h"
#include <stdio.h>

static void name_unknown(const run *r, size_t column, char *name, size_t size)
{
    const rank_watch *w = &r->rank;
    const size_t c = (size_t)w->column[column];
    if (r->reduction) naming_text(w->problem, DAE_NAME_UNKNOWN, c, name, size);
    else naming_slot(w->problem, &r->engine->layout, c, name, size);
}

static void help(const run *r, const char *equation)
{
    static const char turns[] =
        "the solution turns, ends or branches here, and "
        "what would follow may be another one: end "
        "before it";
    if (r->reduction) report_help(r->ds, "%s", turns);
    else
        report_help(
            r->ds, "%s, or use the derivative of `%s`", turns, equation);
}

dae_status lost_report(run *r, bool is_passed)
{
    const rank_watch *w = &r->rank;
    const rank_place *at = is_passed ? &w->passed : &w->smallest;
    const stepper *s = &r->engine->stepper;
    const dae_source *source = NULL;
    text_span span = {0, 0};
    char equation[NAMING_SIZE], unknown[NAMING_SIZE];
    naming_text(w->problem, DAE_NAME_EQUATION, (size_t)w->row[at->row],
        equation, sizeof equation);
    name_unknown(r, at->column, unknown, sizeof unknown);
    naming_place(r->problem, DAE_NAME_EQUATION, at->row, &source, &span);
    report(r->ds, DIAG_E0502, source, span,
        "%s t = %.*g the equations lose rank: `%s` does not determine `%s` "
        "there (rank %zu of %zu)",
        is_passed ? "near" : "at", is_passed ? 5 : 10, at->t, equation, unknown,
        w->n - 1, w->n);
    report_numeric(
        r->ds, s->history.t, s->h, s->selector.order, equation, unknown);
    naming_place(r->problem, DAE_NAME_UNKNOWN, at->column, &source, &span);
    if (source) report_also(r->ds, source, span, "not determined");
    help(r, equation);
    return DAE_NUMERIC;
}
