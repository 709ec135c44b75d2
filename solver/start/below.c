/* A tolerance is a choice, and the usual one is made for values near 1: with
 * currents of 1e-12 everything within 1e-9 of 0 counts as right. */
#include "start/below.h"
#include "base/report.h"
#include "linalg/naming.h"
#include "newton/weights.h"
#include "start/wording.h"
#include <float.h>
#include <math.h>

enum { NAMED = 3 };
/* What rounding leaves of a 0, as part of the largest value. */
static const double ROUNDING = 64 * DBL_EPSILON;

/* The largest stated value of an unknown; 0: none is stated, or only 0. */
static double stated(const dae_problem *p, size_t state)
{
    const dae_start *s = p->start;
    if (!s || !s->x) return 0;
    const bool is_given = s->x_fixed && s->x_fixed[state];
    const bool is_guess = s->x_guessed ? s->x_guessed[state] != 0
                                       : s->x[state] != 0;
    return is_given || is_guess ? fabs(s->x[state]) : 0;
}

static double largest_stated(const dae_problem *p, const layout *l)
{
    double most = 0;
    for (size_t j = 0; j < l->unknowns; j++)
        most = fmax(most, stated(p, l->first[j]));
    return most;
}

static bool is_below(const dae_problem *p, const layout *l, size_t j,
    double atol, const double *found)
{
    const dae_scales *scales = p->scales;
    const size_t state = l->first[j];
    const double value = stated(p, state);
    if (scales && scales->nominal && scales->nominal[j] > 0) return false;
    const double least = weights_tolerance(scales, j, atol);
    return value > 0 && value < least
        && (!found || !(fabs(found[state]) >= least));
}

void below_tell(const dae_problem *problem, const layout *l, double atol,
    const double *found, dae_diagnostics *ds)
{
    const dae_source *source = NULL;
    text_span span = {0, 0};
    char name[NAMING_SIZE], first[NAMING_SIZE];
    text names = {.length = 0};
    size_t count = 0, at = 0;
    const double zero = ds ? ROUNDING * largest_stated(problem, l) : 0;
    for (size_t j = 0; ds && j < l->unknowns; j++) {
        if (stated(problem, l->first[j]) <= zero
            || !is_below(problem, l, j, atol, found))
            continue;
        if (count == 0) at = j;
        if (count++ >= NAMED) continue;
        text_add(&names, "%s`%s` = %.6g", count > 1 ? ", " : "",
            naming_text(problem, DAE_NAME_UNKNOWN, j, name, sizeof name),
            problem->start->x[l->first[j]]);
    }
    if (count == 0) return;
    if (count > NAMED) text_add(&names, " and %zu more", count - NAMED);
    const double least = weights_tolerance(problem->scales, at, atol);
    naming_place(problem, DAE_NAME_UNKNOWN, at, &source, &span);
    naming_text(problem, DAE_NAME_UNKNOWN, at, first, sizeof first);
    report(ds, DIAG_W0411, source, span,
        "%s %s below the absolute tolerance of %.3g: no digit of %s counts",
        names.s, count == 1 ? "lies" : "lie", least,
        count == 1 ? "it" : "them");
    report_label(ds, "any value within %.3g of 0 passes for it", least);
    report_help(ds,
        "say how large it is, `%s {nominal = %.1g}`, or give a smaller "
        "tolerance, `atol = %.1g`",
        first, stated(problem, l->first[at]),
        1e-6 * stated(problem, l->first[at]));
}
