/* The polynomial P of the last step's order k stays what it is, and the newest of
 * the points that it is held by moves along it, from t to te. The points behind it
 * are those that were, so the next step sees true values and one of P, as far from
 * the solution as the error test allowed. With D_i the divided difference over the
 * newest point and i more, O_i that over the i + 1 points behind the newest,
 *
 *   O_i = D_i - D_(i+1) (t - t_(i+1)),   D'_i = O_i + D'_(i+1) (te - t_(i+1)),
 *
 * from D'_k = D_k downwards: nothing is divided by, and te may be as near to the
 * beginning of the step as it likes. */
#include "step/cut.h"

#include "step/attempt.h"
#include "step/fixed.h"
#include "step/interpolate.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* What one difference more than those of P may grow by: P does not meet its point. */
static const double growth_most = 2;

/* Rows 1..k for the point i steps back at `to` back, along the polynomial of order k;
 * `back` is the caller's. */
static void move_point(history *hi, int k, int i, double to)
{
    const double off = to - hi->back[i];
    const int low = i > 1 ? i : 1;
    double near[HISTORY_ROWS], far[HISTORY_ROWS];
    for (int r = low; r < k; r++) {
        const double ratio = hi->scale[r] / hi->scale[r + 1];
        near[r] = ratio * (hi->back[r + 1] - to);
        far[r] = ratio * off;
    }
    for (size_t s = 0; s < hi->states; s++) {
        double above = 0;
        for (int r = k - 1; r >= low; r--) {
            const double change = near[r] * above - far[r] * hi->phi[r + 1][s];
            hi->phi[r + 1][s] += above;
            above = change;
        }
        hi->phi[low][s] += above;
    }
}

/* The row above those of P: c (t - t_(k+1))/(te - t_(k+1)). At a start, where points
 * coincide, te comes as near to the last of them as to the first. */
static void keep_row_above(history *hi, int k, double off)
{
    const double from = hi->back[k + 1], to = from - off;
    if (hi->count <= k + 1) return;
    hi->count = k + 1;
    if (!(fabs(from) <= growth_most * fabs(to))) return;
    for (size_t s = 0; s < hi->states; s++) hi->phi[k + 1][s] *= from / to;
    hi->count = k + 2;
}

static void move_points(history *hi, double te, double off)
{
    for (int i = 1; i <= HISTORY_ROWS; i++) {
        hi->back[i] -= off;
        hi->past[i] -= off;
    }
    hi->has_ahead = true;
    hi->t = te;
}

/* Values (N) that are not those of P, where the step has another curve: the
 * polynomial that meets them and the points behind. */
static void meet_values(history *hi, const double *x)
{
    double share[HISTORY_ROWS], product = 1;
    for (int i = 1; i < hi->count; i++)
        share[i] = hi->scale[i] / (product *= hi->back[i]);
    for (size_t s = 0; s < hi->states; s++) {
        const double off = x[s] - hi->phi[0][s];
        for (int i = 1; i < hi->count; i++) hi->phi[i][s] += off * share[i];
        hi->phi[0][s] = x[s];
    }
}

static void cut_multistep(stepper *s, double te, double off, bool is_own)
{
    history *hi = &s->history;
    const int k = s->last_order;
    history_at(hi, k, -off, 0, hi->states, s->aside.x, NULL);
    move_point(hi, k, 0, off);
    keep_row_above(hi, k, off);
    move_points(hi, te, off);
    memcpy(hi->phi[0], s->aside.x, hi->states * sizeof(double));
    if (is_own) meet_values(hi, s->point.x);
    if (s->selector.order >= hi->count) s->selector.order = hi->count - 1;
}

/* Well beyond: so many times as far. */
static const double beyond_least = 1.25;

int cut_gather(history *hi, int last_order, int order, double h)
{
    bool has_ahead = false;
    for (int i = 1; hi->has_ahead && i <= last_order; i++) {
        const double ahead = -hi->back[i];
        if (!(ahead * h > 0)) continue;
        has_ahead = true;
        if (!(fabs(h) < beyond_least * fabs(ahead))) continue;
        if (hi->count > last_order + 1) hi->count = last_order + 1;
        move_point(hi, last_order, i, 0);
        hi->back[i] = hi->past[i] = 0;
    }
    hi->has_ahead = has_ahead;
    return order < hi->count ? order : hi->count - 1;
}

/* --- the cubic of one-step methods --- */

/* Scales are powers of the length again, if they can be. */
static void scale_cubic(history *hi, double h)
{
    const double cube = h * h * h;
    if (!(fabs(cube) > DBL_MIN)) return;
    for (int i = 1; i < 4; i++) {
        const double scale = hi->scale[i - 1] * h, ratio = scale / hi->scale[i];
        for (size_t s = 0; s < hi->states; s++) hi->phi[i][s] *= ratio;
        hi->scale[i] = scale;
    }
}

void cut_meet(stepper *s)
{
    history *hi = &s->history;
    const double *x = s->point.x, *slope = s->point.slope;
    const double h = hi->back[2];
    /* cut at its very beginning, as far as the cube of its length can tell: a start */
    if (!(fabs(h * h * h) > DBL_MIN)) {
        history_start(hi, hi->t, x, slope, hi->scale[1]);
        s->last_order = 1;
        return;
    }
    for (size_t i = 0; i < hi->states; i++) {
        const double off = x[i] - hi->phi[0][i];
        const double turn = h * slope[i] - h * hi->phi[1][i] / hi->scale[1];
        hi->phi[1][i] += hi->scale[1] / h * turn;
        hi->phi[2][i] += hi->scale[2] / (h * h) * (turn - off);
        hi->phi[3][i] += hi->scale[3] / (h * h * h) * (turn - 2 * off);
        hi->phi[0][i] = x[i];
    }
}

/* Its points are both ends, twice: the newer one is moved once and then again. */
static void cut_cubic(stepper *s, double te, double off, bool is_own)
{
    history *hi = &s->history;
    const int k = s->last_order;
    assert(hi->count == k + 1);
    history_at(hi, k, -off, 0, hi->states, s->aside.x, NULL);
    move_point(hi, k, 0, off);
    hi->back[1] = off;
    move_point(hi, k, 0, off);
    move_points(hi, te, off);
    hi->back[1] = hi->past[1] = 0;
    memcpy(hi->phi[0], s->aside.x, hi->states * sizeof(double));
    if (k == 3) scale_cubic(hi, hi->back[2]);
    if (is_own) cut_meet(s);
}

/* --- all of it --- */

/* Of a step that is cut the whole curve is kept: the part is the same one. */
static void keep_curve(stepper *s)
{
    method_memory *m = &s->memory;
    if (m->is_cut || !s->formula->parts) return;
    m->is_cut = true;
    if (!m->end) return;
    m->end_t = s->history.t;
    m->end_h = s->last_h;
    memcpy(m->end, s->history.phi[0], s->layout->states * sizeof *m->end);
}

void cut_close(stepper *s)
{
    if (!s->memory.is_cut) return;
    s->memory.is_cut = false;
    stepper_restore(s);
    attempt_fill_slopes(s->layout, &s->point);
    method_begin(s);
}

/* What is left of the last step: at least what t can tell. */
static double length_left(const stepper *s, double off)
{
    const double left = s->last_h - off;
    const double least = DBL_EPSILON * fabs(s->history.t);
    return left * s->last_h > 0 ? left
                                : copysign(fmax(least, DBL_MIN), s->last_h);
}

void stepper_cut(stepper *s, double te)
{
    const double t = s->history.t, off = t - te;
    point *p = &s->point;
    if (te == t) return;
    assert(s->last_h != 0 && off * s->last_h > 0);
    assert(fabs(off)
        <= fabs(s->last_h) * (1 + DBL_EPSILON) + DBL_EPSILON * fabs(t));
    const bool has_curve = stepper_has_curve(s, te);
    const bool is_own = has_curve || s->is_between;
    const double left = length_left(s, off);
    if (has_curve) stepper_slopes(s, te, p->slope);
    stepper_at(s, te, p->x, p->xp);
    keep_curve(s);
    if (s->formula->one_step) cut_cubic(s, te, off, is_own);
    else cut_multistep(s, te, off, is_own);
    /* the same bits as whenever the point is taken from there again */
    interpolate(&s->history, s->layout, s->last_order, te, p->x, p->xp);
    p->t = te;
    s->last_h = left;
    s->is_cut = true;
    s->stats->last_step = left;
    if (s->fixed.length > 0) fixed_cut(s);
    weights_update(s->weights, p->x, s->h);
    attempt_keep_bounds(s);
}
