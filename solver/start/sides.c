/* The problem tells sides along a curve, so the point becomes one: its slots
 * are derivatives, a curve has Taylor coefficients. */
#include "start/sides.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static double *make_curve(const init_system *s, size_t *stride)
{
    const layout *l = s->request->layout;
    size_t most = 0;
    for (size_t j = 0; j < l->unknowns; j++)
        if (l->order[j] > most) most = l->order[j];
    *stride = most + 1;
    double *curve = alloc_zeroed(
        s->request->allocator, l->unknowns * *stride, sizeof *curve);
    for (size_t j = 0; curve && j < l->unknowns; j++) {
        double *of = curve + j * *stride, factorial = 1;
        const size_t states = l->first[j + 1] - l->first[j];
        for (size_t o = 0; o <= l->order[j]; o++) {
            if (o > 1) factorial *= (double)o;
            const size_t slot = o < states ? l->first[j] + o : l->states + j;
            of[o] = s->z[slot] / factorial;
        }
    }
    return curve;
}

/* The larger of two sides whose difference should be the residual: rounding
 * differs by so little of it. */
static const double ROUNDING = 1e-9;

static bool is_told_right(
    const init_system *s, size_t row, const double sides[2])
{
    const double left = fabs(sides[0] - sides[1]);
    const double size = fmax(fabs(sides[0]), fabs(sides[1]));
    return isfinite(left)
        && fabs(left - fabs(s->res[row])) <= ROUNDING * size + s->noise[row];
}

/* The formula of a derivative has first-order equations put in. Where one of these
 * does not hold it says something else than the row, and that is what is
 * read. */
static bool is_of_derivative(const init_system *s, size_t row)
{
    return s->request->equation_count > 0 && row < s->equations;
}

static bool is_equal(const init_system *s, size_t row, const double sides[2])
{
    return fabs(sides[0] - sides[1]) <= fmax(s->tolerance[row], s->noise[row]);
}

/* A row that does not hold: of a side that is as small beside what is left,
 * nobody needs the digits, which are rounding where it is a square. */
static const double BESIDE = 1e-12;

/* What rounding leaves of a side is 0; the sides of a row that holds are the
 * same number. */
static void smooth(const init_system *s, size_t row, double sides[2])
{
    const bool holds = is_of_derivative(s, row) ? is_equal(s, row, sides)
                                                : unknowns_ratio(s, row) <= 1;
    const double least = holds
        ? fmax(s->tolerance[row], s->noise[row])
        : fmax(s->noise[row], BESIDE * fabs(sides[0] - sides[1]));
    for (int k = 0; k < 2; k++)
        if (fabs(sides[k]) <= least) sides[k] = 0;
    if (!holds) return;
    const int smaller = fabs(sides[1]) <= fabs(sides[0]);
    sides[1 - smaller] = sides[smaller];
}

dae_status sides_of_row(const init_system *s, size_t row, double sides[2])
{
    const dae_problem *p = s->request->problem;
    const bool is_f = row < s->equations;
    size_t stride;
    sides[0] = sides[1] = (double)NAN;
    if (!p->sides) return DAE_OK;
    double *curve = make_curve(s, &stride);
    if (!curve) return DAE_MEMORY;
    dae_status st = p->sides(p->self,
        is_f ? DAE_NAME_EQUATION : DAE_NAME_CONDITION,
        is_f ? row : row - s->equations, 0, s->request->t0, curve, stride,
        sides);
    alloc_free(s->request->allocator, curve,
        s->request->layout->unknowns * stride, sizeof *curve);
    if (st == DAE_MEMORY) return st;
    if (!st
        && (is_told_right(s, row, sides)
            || (is_of_derivative(s, row) && isfinite(sides[0] - sides[1]))))
        smooth(s, row, sides);
    else sides[0] = sides[1] = (double)NAN;
    return DAE_OK;
}

void sides_write(const init_system *s, size_t row, text *out)
{
    enum { DIGITS = 6, DIGITS_MOST = 17 };
    char name[NAMING_SIZE], left[32], right[32];
    double sides[2];
    if (sides_of_row(s, row, sides)) report_lost(s->request->ds);
    if (isnan(sides[0])) {
        text_add(out, "leaves %.6g", s->res[row]);
        return;
    }
    const bool holds = !(fabs(sides[0] - sides[1]) > 0);
    for (int digits = DIGITS; digits <= DIGITS_MOST; digits++) {
        (void)snprintf(left, sizeof left, "%.*g", digits, sides[0]);
        (void)snprintf(right, sizeof right, "%.*g", digits, sides[1]);
        if (holds || strcmp(left, right) != 0) break;
    }
    text_add(out, "`%s` reads %s = %s", row_name(s, row, name), left, right);
}

void tolerance_write(const init_system *s, size_t row, text *out)
{
    const double allowed = fmax(s->tolerance[row], s->noise[row]);
    /* what is admitted where slopes say nothing is no tolerance */
    if (allowed > 0 && allowed < s->admitted[row])
        text_add(out, " (tolerance %.3g)", allowed);
}
