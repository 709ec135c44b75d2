/* Given points: a formula of order k would show its first steps by polynomials of
 * orders 1 to k - 1, through the few points that there are. The solution they are
 * of is known inside of them as well, so it is asked at k - 1 places in each, and
 * shown by the polynomial of degree k through all of them: values alone, since
 * what has no derivative has no slope.
 *
 * One-step methods keep a cubic with values and slopes. What has no derivative has
 * the slopes of the polynomial through the last four points; that is read off the
 * cubic of the step before, which meets the points that it was made of. */
#include "step/between.h"

#include "step/interpolate.h"

#include <string.h>

/* --- given points --- */

dae_status between_take(stepper *s, int k, arena *a)
{
    s->between_degree = k;
    return history_init(&s->between, s->layout->states, k - 1, a);
}

void between_show(const stepper *s, double t, double *x, double *xp)
{
    const bool is_given = s->is_between;
    interpolate(is_given ? &s->between : &s->history, s->layout,
        is_given ? s->between_degree : s->last_order, t, x, xp);
}

void between_values(const stepper *s, const history_places *at, double *x)
{
    if (s->is_between) history_values(&s->between, s->between_degree, at, x);
    else history_values(&s->history, s->last_order, at, x);
}

/* Row i of `between` has the value i places before the end. */
dae_status between_ask(stepper *s)
{
    point *p = &s->point;
    history *b = &s->between;
    const int k = s->between_degree;
    const double from = s->history.t, end = p->t;
    if (k < 2) return DAE_OK;
    memcpy(b->phi[k], s->history.phi[0], b->states * sizeof(double));
    for (int i = k - 1; i > 0; i--) {
        const double t = from + (end - from) * (k - i) / k;
        const dae_status st = s->fixed.given(s->fixed.giver, t, p->x, p->xp);
        if (st) return st;
        memcpy(b->phi[i], p->x, b->states * sizeof(double));
    }
    return DAE_OK;
}

/* At equal distances the scaled differences are those of the values. */
void between_close(stepper *s)
{
    history *b = &s->between;
    const int k = s->between_degree;
    if (k < 2) return;
    memcpy(b->phi[0], s->point.x, b->states * sizeof(double));
    for (int order = 1; order <= k; order++)
        for (int i = k; i >= order; i--)
            for (size_t j = 0; j < b->states; j++)
                b->phi[i][j] = b->phi[i - 1][j] - b->phi[i][j];
    b->t = s->point.t;
    b->count = k + 1;
    b->scale[0] = 1;
    for (int i = 0; i <= k; i++) b->back[i] = i * (s->h / k);
    for (int i = 1; i <= k; i++) b->scale[i] = b->scale[i - 1] * b->back[i];
    s->is_between = true;
}

/* --- slopes of what has none --- */

enum { POINTS = 4 };

/* Times beside the new point, the newest first, and of the slope at either of the
 * first two the factors of the values. */
typedef struct nodes {
    double at[POINTS];
    double factor[2][POINTS];
    int count;
} nodes;

static void slope_factors(nodes *n, int here)
{
    double *factor = n->factor[here];
    for (int m = 0; m < n->count; m++) {
        factor[m] = 0;
        if (m == here) continue;
        double product = 1 / (n->at[m] - n->at[here]);
        for (int l = 0; l < n->count; l++)
            if (l != m && l != here)
                product *= (n->at[here] - n->at[l]) / (n->at[m] - n->at[l]);
        factor[m] = product;
    }
}

/* Of differences, so that what does not change has no slope. */
static double slope_at(const nodes *n, int here, const double *value)
{
    double sum = 0;
    for (int m = 0; m < n->count; m++)
        sum += n->factor[here][m] * (value[m] - value[here]);
    return sum;
}

/* The points that the last step's cubic meets; after the first step its middle is
 * one of them, and after a change of states both its ends alone are. */
static nodes find_nodes(const stepper *s)
{
    const fixed_steps *f = &s->fixed;
    nodes n = {.at = {0, -s->h}, .count = 2};
    const double before = -s->h - s->last_h;
    /* a step that was cut at its beginning, too, is none */
    if (s->is_first || before == -s->h) return n;
    n.at[n.count++] = before;
    if (f->since == 1 && f->has_middle) n.at[n.count++] = -s->h - s->last_h / 2;
    else if (f->alike > 1) n.at[n.count++] = -s->h - 2 * s->last_h;
    return n;
}

static void slope_one(stepper *s, const nodes *n, size_t i)
{
    history *hi = &s->history;
    double value[POINTS] = {s->point.x[i], hi->phi[0][i]};
    for (int m = 2; m < n->count; m++)
        history_at(
            hi, s->last_order, n->at[m] + s->h, i, i + 1, &value[m], NULL);
    s->point.slope[i] = slope_at(n, 0, value);
    hi->phi[1][i] = slope_at(n, 1, value) * hi->scale[1];
}

/* `first` has the slope of the first half: the parabola's follow from it and from
 * that of the whole. */
static void slope_by_half(stepper *s, size_t i)
{
    history *hi = &s->history;
    const double half = hi->phi[1][i] / hi->scale[1];
    const double whole = (s->point.x[i] - hi->phi[0][i]) / s->h;
    s->point.slope[i] = 3 * whole - 2 * half;
    hi->phi[1][i] = (2 * half - whole) * hi->scale[1];
}

void between_slopes(stepper *s)
{
    const layout *l = s->layout;
    nodes n = {.count = 0};
    for (size_t j = 0; j < l->unknowns; j++) {
        if (l->order[j] > 0) continue;
        if (n.count == 0) {
            n = find_nodes(s);
            slope_factors(&n, 0);
            slope_factors(&n, 1);
        }
        if (s->is_first && s->fixed.has_middle) slope_by_half(s, l->first[j]);
        else slope_one(s, &n, l->first[j]);
    }
}

bool between_wants_middle(const stepper *s)
{
    const layout *l = s->layout;
    if (!s->is_first || s->fixed.has_middle) return false;
    if (s->formula->one_step->order < 2) return false;
    for (size_t j = 0; j < l->unknowns; j++)
        if (l->order[j] == 0) return true;
    return false;
}

/* Kept as the slope at the start, which is not known. */
void between_middle(stepper *s)
{
    const layout *l = s->layout;
    history *hi = &s->history;
    for (size_t j = 0; j < l->unknowns; j++) {
        const size_t i = l->first[j];
        if (l->order[j] > 0) continue;
        const double slope = (s->point.x[i] - hi->phi[0][i]) / (s->h / 2);
        hi->phi[1][i] = slope * hi->scale[1];
    }
    s->fixed.has_middle = true;
}
