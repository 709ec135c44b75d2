#include "newton/beside.h"
#include "linalg/jacobian.h"
#include <math.h>
#include <string.h>

void beside_init(beside_point *b, const layout *l, arena *a)
{
    *b = (beside_point){.layout = l, .memory = a};
}

dae_status beside_keep(beside_point *b, const double *x, const double *xp)
{
    const layout *l = b->layout;
    if (!b->xp) b->xp = ARENA_ARRAY(b->memory, double, l->unknowns);
    if (!b->x) b->x = ARENA_ARRAY(b->memory, double, l->states);
    if (!b->x || !b->xp) return DAE_MEMORY;
    memcpy(b->x, x, l->states * sizeof *x);
    memcpy(b->xp, xp, l->unknowns * sizeof *xp);
    return DAE_OK;
}

/* To which side, by what part of a tolerance: 0.5 to 1, so that differences of two
 * that are moved alike are moved, too. */
static double share(int attempt, unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    const double part = 0.5 + 0.5 * (*seed / 4294967296.0);
    const bool is_odd = (*seed >> 13 & 1u) != 0;
    const bool is_down = attempt < 2 ? attempt == 1 : is_odd == (attempt == 2);
    return is_down ? -part : part;
}

bool beside_move(const beside_point *b, const iteration *matrix,
    const double *w, int attempt, double *x, double *xp)
{
    const layout *l = b->layout;
    const int64_t *start = iteration_pattern(matrix)->column_start;
    const double *values = iteration_values(matrix);
    unsigned seed = 1;
    bool has_moved = false;
    beside_return(b, x, xp);
    for (size_t c = 0; c < l->states + l->unknowns; c++) {
        const double part = share(attempt, &seed);
        const size_t count = (size_t)(start[c + 1] - start[c]);
        if (!any_overflow(values + start[c], count)) continue;
        const bool is_state = c < l->states;
        const size_t s = is_state ? c : l->first[c - l->states + 1] - 1;
        double *value = is_state ? &x[c] : &xp[c - l->states];
        *value += part / w[s];
        has_moved = true;
    }
    return has_moved;
}

bool beside_flow(
    const beside_point *b, const dae_problem *p, const double *w, double *x)
{
    enum { BY_STEP = 2 };
    const layout *l = b->layout;
    bool has_moved = false;
    for (size_t j = 0; p->index_group && j < l->unknowns; j++) {
        const uint8_t group = p->index_group[j];
        const size_t s = l->first[j];
        const double least = 1 / sqrt(w[s]);
        const bool is_flow = group == BY_STEP || group == DAE_GROUP_ROOT;
        if (!is_flow || l->order[j] > 0 || fabs(x[s]) >= least) continue;
        x[s] = copysign(least, x[s]);
        has_moved = true;
    }
    return has_moved;
}

void beside_return(const beside_point *b, double *x, double *xp)
{
    memcpy(x, b->x, b->layout->states * sizeof *x);
    memcpy(xp, b->xp, b->layout->unknowns * sizeof *xp);
}
