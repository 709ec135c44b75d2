/* Times are computed from their number, not added up, so that no rounding
 * gathers and two runs agree. */
#include "run/grid.h"
#include <math.h>

/* More output times than this are a mistake, not a wish. */
static const double MOST_TIMES = 1e10;
static const char too_many[] = "that gives more than 10^10 output times";

static bool refuse(const char **why, const char *text)
{
    *why = text;
    return false;
}

static bool prepare_log(grid *g, const char **why)
{
    double length = fabs(g->t1 - g->t0);
    bool from_zero = !(fabs(g->t0) > 0);
    if (!from_zero && !(g->t1 / g->t0 > 0))
        return refuse(why,
            "a logarithmic grid wants an interval that begins "
            "at 0 or stays on one side of it");
    if (from_zero) {
        if (!(g->first > 0)) g->first = 1e-9 * length;
        if (g->first >= length)
            return refuse(why,
                "the first point of the logarithmic grid lies "
                "beyond the interval");
        if (g->count < 3)
            return refuse(
                why, "a logarithmic grid from 0 wants at least 3 points");
    }
    return true;
}

bool grid_prepare(grid *g, const char **why)
{
    if (g->kind == GRID_POINTS || g->kind == GRID_LOG) {
        if (g->count < 2) return refuse(why, "at least 2 points are wanted");
        if ((double)g->count > MOST_TIMES) return refuse(why, too_many);
    }
    if (g->kind == GRID_LOG) return prepare_log(g, why);
    if (g->kind != GRID_EVERY) return true;
    double parts = fabs(g->t1 - g->t0) / g->every;
    if (!(parts < MOST_TIMES)) return refuse(why, too_many);
    /* a last part shorter than a rounding error is none */
    double whole = ceil(parts - 1e-9 * (parts > 1 ? parts : 1));
    g->count = (int64_t)(whole < 1 ? 1 : whole) + 1;
    return true;
}

bool grid_is_listed(const grid *g)
{
    return g->kind != GRID_DENSE && g->kind != GRID_STEPS;
}

static double log_time(const grid *g, int64_t i)
{
    double n = (double)(g->count - 1);
    if (fabs(g->t0) > 0) return g->t0 * pow(g->t1 / g->t0, (double)i / n);
    double first = g->t1 > 0 ? g->first : -g->first;
    return first * pow(g->t1 / first, (double)(i - 1) / (n - 1));
}

double grid_time(const grid *g, int64_t i)
{
    if (i <= 0) return g->t0;
    if (i >= g->count - 1) return g->t1;
    if (g->kind == GRID_LOG) return log_time(g, i);
    if (g->kind == GRID_EVERY)
        return g->t1 > g->t0 ? g->t0 + g->every * (double)i
                             : g->t0 - g->every * (double)i;
    return g->t0 + (g->t1 - g->t0) * ((double)i / (double)(g->count - 1));
}

int64_t grid_parts(const grid *g, double before, double end)
{
    if (g->kind != GRID_DENSE) return 1;
    double gap = fabs(g->t1 - g->t0) / (GRID_LEAST_POINTS - 1);
    double parts = ceil(fabs(end - before) / gap - 1e-9);
    return parts > 1 ? (int64_t)parts : 1;
}
