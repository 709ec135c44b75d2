/* Looks are taken from Newton's Jacobians while a determinant is far from 0, and
 * at every accepted point where it may come there within the next step. Names are
 * those of the problem that is watched: of one of higher index the last derivative of
 * an equation and the highest one of an unknown. */
#include "run/regularity.h"
#include "base/report.h"
#include "base/splitmix.h"
#include "events/kink.h"
#include "linalg/jacobian.h"
#include "linalg/naming.h"
#include "reduce/thresholds.h"
#include "run/run.h"
#include "step/interpolate.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* An accepted point, and the Jacobian that Newton's method has evaluated last. */
typedef struct regularity_point {
    const double *values; /* of the problem's pattern */
    double t;
    double from; /* from there to t `show` may be asked */
    /* x and xp of the problem that is watched. */
    void (*show)(const void *self, double t, double *x, double *xp);
    const void *self;
} regularity_point;

/* Unknowns of a block that is eliminated as a full matrix, and of a problem in
 * which looks cost little beside the steps. */
enum { FULL_MOST = 20, UNKNOWNS_LARGEST = 5000 };
/* Points between two looks at most. */
enum { POINTS_MOST = 100 };
/* Of the step in which a sign has changed, and of a valley: of a parabola's, and
 * of one like a V that has to be followed as far down. */
enum { BISECTIONS = 30, SECTIONS = 34, SECTIONS_EDGE = 58 };

void regularity_clear(regularity *w)
{
    if (w->allocator) {
        leading_clear(&w->leading);
        arena_clear(&w->arena);
    }
    *w = (regularity){.looks = 0};
}

void regularity_forget(regularity *w)
{
    w->looks = w->in_a_row = 0;
    w->is_broken = false;
    w->is_forgotten = true;
}

static dae_status settle(
    regularity *w, const dae_problem *problem, const leading_request *q)
{
    assert(problem->jacobian && q->n <= UNKNOWNS_LARGEST);
    arena *a = &w->arena;
    w->problem = problem;
    dae_status st = leading_init(&w->leading, q, a);
    const size_t entries = (size_t)
                               q->pattern->column_start[w->states + w->slopes];
    w->block = ARENA_ARRAY(a, regularity_block, w->leading.blocks + 1);
    w->x = ARENA_ARRAY(a, double, w->states + 1);
    w->xp = ARENA_ARRAY(a, double, w->slopes + 1);
    w->values = ARENA_ARRAY(a, double, entries + 1);
    if (!st && (!w->block || !w->x || !w->xp || !w->values)) st = DAE_MEMORY;
    if (st || w->leading.blocks == 0) regularity_clear(w);
    return st == DAE_LIMIT ? DAE_OK : st;
}

/* Lists of so many rows and columns to be filled; NULL: no memory. */
static leading_request open_watch(regularity *w, const dae_problem *p, size_t n,
    bool is_smooth, const dae_options *o, const dae_allocator *allocator)
{
    *w = (regularity){.allocator = allocator,
        .has_switches = !is_smooth,
        .has_given_steps = o->step > 0,
        .rtol = o->rtol,
        .atol = o->atol};
    arena_init(&w->arena, allocator, 0);
    w->row = ARENA_ARRAY(&w->arena, int32_t, n + 1);
    w->column = ARENA_ARRAY(&w->arena, int32_t, n + 1);
    if (!w->row || !w->column) {
        regularity_clear(w);
        return (leading_request){.pattern = NULL};
    }
    return (leading_request){
        p->pattern, 0, n, w->column, w->row, FULL_MOST, allocator};
}

/* For a problem that is stepped as it stands. */
static dae_status begin_stepped(regularity *w, const dae_problem *problem,
    const layout *l, const dae_options *o, const dae_allocator *allocator)
{
    const size_t n = l->unknowns;
    regularity_clear(w);
    if (n > UNKNOWNS_LARGEST || !problem->jacobian || !problem->pattern)
        return DAE_OK;
    leading_request q = open_watch(
        w, problem, n, problem->is_smooth, o, allocator);
    if (!q.pattern) return DAE_MEMORY;
    w->layout = l;
    w->states = l->states;
    w->slopes = n;
    q.rows = n;
    for (size_t j = 0; j < n; j++) {
        const size_t c = layout_highest(l, j);
        w->column[j] = (int32_t)c;
        w->row[j] = (int32_t)j;
    }
    return settle(w, problem, &q);
}

/* For one of higher index: rows F_i^(c_i), columns x_j^(d_j) of its extended
 * problem. */
static dae_status begin_extended(regularity *w, const extended *e,
    const dae_structure *s, bool is_smooth, const dae_options *o,
    const dae_allocator *allocator)
{
    regularity_clear(w);
    if (s->n > UNKNOWNS_LARGEST) return DAE_OK;
    leading_request q = open_watch(
        w, &e->problem, s->n, is_smooth, o, allocator);
    if (!q.pattern) return DAE_MEMORY;
    w->states = e->columns;
    q.rows = e->rows;
    for (size_t k = 0; k < s->n; k++) {
        w->column[k] = (int32_t)(e->column_first[k] + (size_t)s->d[k]);
        w->row[k] = (int32_t)(e->row_first[k] + (size_t)s->c[k]);
    }
    return settle(w, &e->problem, &q);
}

/* For one whose pick goes by numbers: the rows and columns that it leaves. Redundant
 * constraints leave unknowns that no rows of its own determine. */
static dae_status begin_picked(regularity *w, const extended *e, const pick *p,
    bool is_smooth, const dae_options *o, const dae_allocator *allocator)
{
    size_t rows = 0, columns = 0;
    regularity_clear(w);
    for (size_t i = 0; i < e->rows; i++) rows += !p->is_out[i];
    for (size_t c = 0; c < e->columns; c++)
        columns += !p->is_state[c] && !p->is_frozen[c];
    if (rows != columns || rows > UNKNOWNS_LARGEST) return DAE_OK;
    leading_request q = open_watch(
        w, &e->problem, rows, is_smooth, o, allocator);
    if (!q.pattern) return DAE_MEMORY;
    w->states = e->columns;
    q.rows = e->rows;
    rows = columns = 0;
    for (size_t i = 0; i < e->rows; i++)
        if (!p->is_out[i]) w->row[rows++] = (int32_t)i;
    for (size_t c = 0; c < e->columns; c++)
        if (!p->is_state[c] && !p->is_frozen[c])
            w->column[columns++] = (int32_t)c;
    return settle(w, &e->problem, &q);
}

/* ---- looks --------------------------------------------------------------------- */

/* False: a value is missing, and what comes of that is Newton's to say. */
static bool evaluate(regularity *w, double t, int64_t *jacobians)
{
    const dae_problem *p = w->problem;
    const dae_pattern *pattern = p->pattern;
    const size_t entries = (size_t)pattern->column_start[w->states + w->slopes];
    ++*jacobians;
    if (p->jacobian(p->self, DAE_ALL, t, w->x, w->xp, w->values)) return false;
    for (size_t k = 0; k < entries; k++)
        if (is_overflow(w->values[k])) return false;
    return true;
}

/* The determinant over that of the first look. */
static double relative_determinant(
    regularity *w, const double *values, size_t block, leading_view *v)
{
    *v = leading_look(&w->leading, values, block);
    if (v->sign == 0) return 0;
    return v->sign * exp(v->size - w->block[block].first);
}

/* The same on the solution's curve; NAN: there is none. */
static double determinant_at(regularity *w, const regularity_point *at,
    double t, size_t block, int64_t *jacobians)
{
    leading_view v;
    at->show(at->self, t, w->x, w->xp);
    if (!evaluate(w, t, jacobians)) return (double)NAN;
    const double d = relative_determinant(w, w->values, block, &v);
    w->lost = (regularity_place){.t = t,
        .row = (size_t)w->leading.row[v.row],
        .column = (size_t)w->leading.column[v.column]};
    return d;
}

/* The first matrix makes the units; a block that was never clear can lose
 * nothing. */
static void begin_units(regularity *w, const double *values)
{
    leading_begin(&w->leading, values);
    for (size_t b = 0; b < w->leading.blocks; b++) {
        regularity_block *k = &w->block[b];
        const leading_view v = leading_look(&w->leading, values, b);
        *k = (regularity_block){
            .first = v.size, .clear = v.pivot, .pivot = v.pivot};
        const bool is_strict = leading_is_full(&w->leading, b) && !w->is_trial;
        /* regular matrices of a large block may be far from the unit matrix */
        const double least = is_strict ? PIVOT_LOW : VALUES_ERROR;
        if (v.pivot > least && isfinite(v.size)) k->sign = v.sign;
        k->now[0] = v.sign;
    }
}

/* In relative tolerances: below that share of what was, they do not tell whether
 * a solution comes to a place or passes beside it. */
static double share_of(const regularity *w)
{
    return fmin(fmax(HAS_JUMPED * w->rtol, PART_GONE), SIZE_NEAR);
}

/* Whether it has been running into 0 for as long as that can be told, with steps
 * that shrink with what is left: an impasse, which none of them reaches. */
static bool runs_out(const regularity *w, const regularity_block *k)
{
    return !w->has_switches && k->sign != 0 && fabs(k->now[0]) < SIZE_NEAR
        && k->decay > 0 && k->decay <= share_of(w) * k->decay_most;
}

static void plan_wait(regularity *w)
{
    const double gone = fabs(w->t[0] - w->t[1]);
    w->wait = w->looks > 1 ? WAIT_GROWTH * gone : 0;
    if (w->looks < 2 || !(gone > 0)) return;
    for (size_t b = 0; b < w->leading.blocks; b++) {
        regularity_block *k = &w->block[b];
        if (k->sign == 0) continue;
        if (runs_out(w, k)) w->wait = 0;
        const double speed = fabs(k->now[0] - k->now[1]) / gone;
        const double gain = w->looks > 2 ? fabs(speed - k->speed) / gone : 0;
        k->speed = speed;
        w->wait = fmin(
            w->wait, gauge_time_left(fabs(k->now[0]), speed, gain) / 2);
    }
}

/* Time by which D/D' would have D come to 0 at once; it shrinks with what is left
 * where D runs into 0 like a power of that. */
static void follow_fall(regularity_block *k, double gone)
{
    const double now = fabs(k->now[0]), before = fabs(k->now[1]);
    const double decay = (now + before) / 2 * gone / (before - now);
    if (!(now < before) || now > ON_ITS_WAY || !(gone > 0)) {
        k->decay = k->decay_most = 0;
        return;
    }
    /* looks at a fall that goes the faster the lower may find it slower, but not so */
    if (k->decay > 0 && decay > HALF_MORE * k->decay) k->decay_most = 0;
    k->decay_most = fmax(k->decay_most, decay);
    k->decay = decay;
}

/* Takes note of all blocks; whether one has another sign than before. */
static bool look(regularity *w, const double *values, double t)
{
    leading_view v;
    bool has_turned = false;
    for (size_t b = 0; b < w->leading.blocks; b++) {
        regularity_block *k = &w->block[b];
        if (k->sign == 0) continue;
        k->now[2] = k->now[1];
        k->now[1] = k->now[0];
        k->now[0] = relative_determinant(w, values, b, &v);
        k->pivot = v.pivot;
        if (w->looks > 0) follow_fall(k, fabs(t - w->t[0]));
        has_turned = has_turned || v.sign != k->sign;
    }
    w->t[2] = w->t[1];
    w->t[1] = w->t[0];
    w->t[0] = t;
    if (w->looks < 3) w->looks++;
    w->since = 0;
    return has_turned;
}

/* ---- what was passed ------------------------------------------------------------ */

/* Where between two times the sign of the second one begins; whether it jumps
 * there, as far as its values at both sides tell. */
static bool bisect(regularity *w, const regularity_point *at, size_t block,
    double low, double high, int64_t *jacobians)
{
    assert(block < w->leading.blocks && w->block[block].sign != 0);
    const regularity_block *k = &w->block[block];
    regularity_place place = w->lost;
    const bool is_looked_at = low == w->t[1];
    double beside[2] = {is_looked_at ? fabs(k->now[1]) : HUGE_VAL,
        fabs(k->now[0])}; /* low, high */
    for (int i = 0; i < BISECTIONS; i++) {
        const double middle = (low + high) / 2;
        const double d = determinant_at(w, at, middle, block, jacobians);
        const bool is_before = d * k->sign > 0;
        if (is_before) low = middle;
        else high = middle;
        beside[is_before ? 0 : 1] = fabs(d);
        place = w->lost;
    }
    w->lost = place;
    w->lost.t = high;
    const double most = fmax(fabs(k->now[0]), fabs(k->now[1]));
    return !(fmax(beside[0], beside[1]) <= SHORT_SHARE * most);
}

/* Up or down by chance. */
static void move_value(double *x, double by, uint64_t *counter)
{
    *x += splitmix((*counter)++) & 1 ? by : -by;
}

static void move_by_tolerances(regularity *w, uint64_t *counter)
{
    for (size_t k = 0; k < w->states + w->slopes; k++) {
        double *x = k < w->states ? &w->x[k] : &w->xp[k - w->states];
        move_value(x, HAS_LEFT * (w->rtol * fabs(*x) + w->atol), counter);
    }
}

/* Roundings of all values, of states as steps of length h make slopes of them; an
 * unknown without a slope may follow from any of these. */
static void move_by_roundings(regularity *w, double h, uint64_t *counter)
{
    const layout *l = w->layout;
    const double some = WHOLE * DBL_EPSILON;
    double most = 0;
    for (size_t k = 0; k < w->states; k++) {
        most = fmax(most, fabs(w->x[k]));
        move_value(&w->x[k], some * fabs(w->x[k]), counter);
    }
    for (size_t j = 0; j < w->slopes; j++) {
        const size_t first = l->first[j], order = (size_t)l->order[j];
        if (order == 0) move_value(&w->x[first], some * most / h, counter);
        else {
            const double last = fabs(w->x[first + order - 1]);
            move_value(&w->xp[j], some * (fabs(w->xp[j]) + last / h), counter);
        }
    }
}

/* How many of the points that far away, with h > 0 by roundings, have the other
 * sign. */
static int count_turned(regularity *w, const regularity_point *at, size_t block,
    double h, int64_t *jacobians)
{
    leading_view v;
    uint64_t counter = 0;
    int turned = 0;
    for (int i = 0; i < TRIALS; i++) {
        at->show(at->self, at->t, w->x, w->xp);
        if (h > 0) move_by_roundings(w, h, &counter);
        else move_by_tolerances(w, &counter);
        if (!evaluate(w, at->t, jacobians)) return -1;
        const double d = relative_determinant(w, w->values, block, &v);
        turned += d * w->block[block].sign < 0;
    }
    return turned;
}

/* The lowest value of the parabola through three looks. */
static double lowest(const double *t, const double *d)
{
    const double a = (d[0] - d[1]) / (t[0] - t[1]);
    const double b = (d[1] - d[2]) / (t[1] - t[2]);
    const double curve = (a - b) / (t[0] - t[2]);
    const double slope = a + curve * (t[0] - t[1]);
    return d[0] - slope * slope / (4 * curve);
}

/* Whether the line through two looks comes to 0 between one of them and a
 * third one. */
static bool meets_zero(
    double t, double d, double t_low, double d_low, double t_beyond)
{
    const double zero = t_low + d_low * (t_low - t) / (d - d_low);
    return (zero - t_low) * (zero - t_beyond) <= 0;
}

/* Like a parabola; or like a V, as the distance of a large block has it where
 * two of its parts lose rank at once. */
static bool may_touch(
    const regularity *w, const regularity_block *k, bool is_full)
{
    const double *t = w->t;
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = fabs(k->now[i]);
    if (!(d[1] < d[2] && d[1] <= d[0])) return false;
    if (!is_full
        && (meets_zero(t[2], d[2], t[1], d[1], t[0])
            || meets_zero(t[0], d[0], t[1], d[1], t[2])))
        return true;
    return lowest(t, d) < ONE_DIGIT * fmin(d[0], d[2]);
}

/* The bottom of a valley; beyond 0 the sign has changed twice. */
static double descend(
    regularity *w, const regularity_point *at, size_t block, int64_t *jacobians)
{
    const int sign = w->block[block].sign;
    double low = fabs(w->t[0] - w->t[2]) < fabs(w->t[0] - at->from) ? w->t[2]
                                                                    : at->from;
    double high = w->t[0];
    double t[2] = {
        high - (1 - GOLDEN) * (high - low), low + (1 - GOLDEN) * (high - low)};
    double d[2];
    regularity_place place = w->lost;
    for (int i = 0; i < 2; i++) {
        d[i] = sign * determinant_at(w, at, t[i], block, jacobians);
        if (i == 0 || d[1] < d[0]) place = w->lost;
    }
    const int most = leading_is_full(&w->leading, block) ? SECTIONS
                                                         : SECTIONS_EDGE;
    for (int i = 0; i < most && d[0] > 0 && d[1] > 0; i++) {
        const int better = d[0] < d[1] ? 0 : 1;
        if (better == 0) high = t[1], t[1] = t[0], d[1] = d[0];
        else low = t[0], t[0] = t[1], d[0] = d[1];
        t[better] = better == 0 ? high - (1 - GOLDEN) * (high - low)
                                : low + (1 - GOLDEN) * (high - low);
        d[better] = sign * determinant_at(w, at, t[better], block, jacobians);
        place = w->lost;
    }
    w->lost = place;
    return fmin(d[0], d[1]);
}

/* Whether the bottom of a valley is 0 beside its ends, as far as tolerances let
 * that be told: one of which the steps have seen nothing. */
static bool touches(
    regularity *w, const regularity_point *at, size_t block, int64_t *jacobians)
{
    const regularity_block *k = &w->block[block];
    const bool is_full = leading_is_full(&w->leading, block);
    if (w->in_a_row < 3 || !may_touch(w, k, is_full)) return false;
    const double edge = fmin(fabs(k->now[0]), fabs(k->now[2]));
    const double share = share_of(w);
    const double bottom = descend(w, at, block, jacobians);
    return bottom <= share * share * edge;
}

/* The place is that of the first point with another sign, whenever it is
 * believed. */
static bool has_turned(
    regularity *w, const regularity_point *at, size_t block, int64_t *jacobians)
{
    regularity_block *k = &w->block[block];
    const bool is_first = !k->is_turned;
    k->is_turned = true;
    const bool is_believed = count_turned(w, at, block, 0, jacobians) == TRIALS;
    if (is_first) {
        const double low = w->in_a_row > 1 ? w->t[1] : at->from;
        const bool jumps = bisect(w, at, block, low, at->t, jacobians);
        k->turned = w->lost;
        if (jumps && w->has_switches) {
            k->sign = -k->sign;
            k->is_turned = false;
            return false;
        }
    }
    w->lost = k->turned;
    return is_believed;
}

/* Steps of given length do not shrink with what is left: one of them ends where
 * nothing is. */
static bool is_at_nothing(
    regularity *w, const regularity_point *at, size_t block, int64_t *jacobians)
{
    const regularity_block *k = &w->block[block];
    const double h = fabs(at->t - at->from);
    if (!w->has_given_steps || fabs(k->now[0]) > PART_GONE || !(k->decay > 0)
        || HALF_MORE * k->decay > k->decay_most)
        return false;
    return k->now[0] == 0 || count_turned(w, at, block, h, jacobians) > 0;
}

/* The same at the point itself. */
static bool has_run_out(
    regularity *w, const regularity_point *at, size_t block, int64_t *jacobians)
{
    if (!runs_out(w, &w->block[block])
        && !is_at_nothing(w, at, block, jacobians))
        return false;
    (void)determinant_at(w, at, at->t, block, jacobians); /* where */
    return true;
}

static bool is_passed(
    regularity *w, const regularity_point *at, size_t block, int64_t *jacobians)
{
    regularity_block *k = &w->block[block];
    if (k->sign == 0) return false;
    const bool has_other = k->now[0] * k->sign < 0;
    if (has_other && has_turned(w, at, block, jacobians)) return true;
    if (!has_other) k->is_turned = false;
    if (w->has_switches) return false;
    if (has_other) return has_run_out(w, at, block, jacobians);
    return has_run_out(w, at, block, jacobians)
        || touches(w, at, block, jacobians);
}

/* At the accepted point itself. */
static bool look_here(
    regularity *w, const regularity_point *at, int64_t *jacobians)
{
    at->show(at->self, at->t, w->x, w->xp);
    const bool is_next = w->since == 1;
    w->is_broken = !evaluate(w, at->t, jacobians);
    if (w->is_broken) return false;
    (void)look(w, w->values, at->t);
    w->in_a_row = is_next ? w->in_a_row + 1 : 1;
    for (size_t b = 0; b < w->leading.blocks; b++)
        if (is_passed(w, at, b, jacobians)) return true;
    plan_wait(w);
    return false;
}

/* Counts the accepted point at t; whether it is to be looked at. `next` is the
 * length of the next step, any sign, `is_end` that of the run; `jacobians`
 * (counted) tells when there is something new to see. */
static bool is_due(
    regularity *w, double t, double next, bool is_end, int64_t jacobians)
{
    w->is_broken = false;
    if (w->leading.blocks == 0) return false;
    const bool is_new = w->seen != jacobians;
    const double gone = fabs(t - w->t[0]);
    w->since++;
    w->seen = jacobians;
    w->is_here = gone + fabs(next) > w->wait || w->since > POINTS_MOST
        || is_end;
    if (w->is_forgotten && !is_new) return false;
    w->is_forgotten = false;
    return w->looks == 0 || w->is_here || (is_new && gone > w->wait / 2);
}

/* Whether all blocks that vary are watched. */
static bool sees_all(const regularity *w)
{
    for (size_t b = 0; b < w->leading.blocks; b++)
        if (w->block[b].sign == 0) return false;
    return true;
}

/* At such a point. True: a determinant has changed its sign by more than
 * tolerances allow, or has touched 0; w->lost tells which. */
static bool is_lost(
    regularity *w, const regularity_point *at, int64_t *jacobians)
{
    if (w->looks == 0) {
        begin_units(w, at->values);
        /* a start by other means has left Newton's method none */
        at->show(at->self, at->t, w->x, w->xp);
        if (!sees_all(w) && evaluate(w, at->t, jacobians))
            begin_units(w, w->values);
        w->t[0] = at->t;
        w->looks = 1;
        w->since = 0;
        return false;
    }
    bool has_lost = false;
    if (w->is_here) has_lost = look_here(w, at, jacobians);
    else {
        /* Newton's is that of a prediction, which may be far away */
        if (look(w, at->values, at->t)) w->wait = 0;
        else plan_wait(w);
        w->in_a_row = 0;
    }
    w->seen = *jacobians;
    return has_lost;
}

/* What is left at `to` of the determinants at `from`, of the one of which least
 * is: a share, below 0 where the sign is another one; NAN where they do not
 * tell. A watch that has not looked yet begins at `from`. */
static double share_left(regularity *w, const regularity_point *at, double from,
    double to, int64_t *jacobians)
{
    double least = 1;
    const regularity_place lost = w->lost;
    if (w->leading.blocks == 0) return least;
    at->show(at->self, from, w->x, w->xp);
    if (!evaluate(w, from, jacobians)) return (double)NAN;
    if (w->looks == 0) begin_units(w, w->values);
    w->looks = w->looks > 0 ? w->looks : 1;
    for (size_t b = 0; b < w->leading.blocks; b++) {
        if (w->block[b].sign == 0) continue;
        const double first = determinant_at(w, at, from, b, jacobians);
        const double then = determinant_at(w, at, to, b, jacobians);
        if (!(then / first >= least)) least = then / first;
    }
    w->lost = lost;
    return least;
}

/* Whether the smallest pivot has come close to nothing at the accepted point
 * from which steps fail; w->lost tells which. */
static bool is_low(
    regularity *w, const regularity_point *at, int64_t *jacobians)
{
    double least = w->has_switches ? PIVOT_LOW : SIZE_NEAR;
    bool has_low = false;
    if (w->leading.blocks == 0 || w->looks == 0) return false;
    at->show(at->self, at->t, w->x, w->xp);
    if (!evaluate(w, at->t, jacobians)) return false;
    for (size_t b = 0; b < w->leading.blocks; b++) {
        const leading_view v = leading_look(&w->leading, w->values, b);
        const double ratio = v.pivot / w->block[b].clear;
        if (w->block[b].sign == 0 || !(ratio < least)) continue;
        least = ratio;
        has_low = true;
        w->lost = (regularity_place){.t = at->t,
            .row = (size_t)w->leading.row[v.row],
            .column = (size_t)w->leading.column[v.column]};
    }
    return has_low;
}

/* ---- what it sees of a run ------------------------------------------------------- */

static void show_stepped(const void *self, double t, double *x, double *xp)
{
    const stepper *s = &((const run *)self)->engine->stepper;
    interpolate(&s->history, s->layout, s->last_order, t, x, xp);
    bounds_clip(&s->newton->bounds, x);
}

static void show_extended(const void *self, double t, double *x, double *xp)
{
    const run *r = self;
    const reduction *d = r->reduction;
    const stepper *s = &r->engine->stepper;
    (void)xp; /* of the extended problem there are none */
    interpolate(
        &s->history, s->layout, s->last_order, t, d->stepped_x, d->stepped_xp);
    reduced_scatter(d->now, d->stepped_x, d->stepped_xp, x);
}

/* Where the polynomial meets two points before the newest it covers two
 * steps. */
static regularity_point point_of(const run *r)
{
    const stepper *s = &r->engine->stepper;
    const double t = s->history.t;
    const double two = s->history.past[2];
    const bool has_two = s->last_order >= 2 && fabs(two) > fabs(s->last_h);
    return (regularity_point){.values = r->reduction
            ? r->reduction->now->values
            : iteration_values(r->engine->matrix),
        .t = t,
        .from = t - (has_two ? two : s->last_h),
        .show = r->reduction ? show_extended : show_stepped,
        .self = r};
}

dae_status regularity_begin(run *r)
{
    const dae_options *o = &r->options;
    const reduction *d = r->reduction;
    if (!d)
        return begin_stepped(&r->regularity, r->engine->problem,
            &r->engine->layout, o, r->allocator);
    if (d->is_by_numbers)
        return begin_picked(&r->regularity, d->extended, &d->pick,
            r->problem->is_smooth, o, r->allocator);
    return begin_extended(&r->regularity, d->extended, &d->structure,
        r->problem->is_smooth, o, r->allocator);
}

bool regularity_is_passed(run *r)
{
    const stepper *s = &r->engine->stepper;
    const double t = s->history.t;
    if (!is_due(
            &r->regularity, t, s->h, t == s->t_end, r->stats.jacobian_evals))
        return false;
    const regularity_point here = point_of(r);
    const bool has_lost = is_lost(
        &r->regularity, &here, &r->stats.jacobian_evals);
    if (r->regularity.is_broken) newton_renew(&r->engine->newton);
    return has_lost;
}

bool regularity_is_near(run *r)
{
    const regularity_point here = point_of(r);
    return is_low(&r->regularity, &here, &r->stats.jacobian_evals);
}

/* ---- whose rank it is -------------------------------------------------------------- */

/* Unknowns that only least sizes determine have rows of their own. */
static bool has_free(const pick *p, const extended *e)
{
    for (size_t c = 0; c < e->columns; c++)
        if (p->is_free[c]) return true;
    return false;
}

/* The least that is left at `to` of what there is at both ends of the last steps. */
static double share_at(
    run *r, regularity *w, const regularity_point *here, double to)
{
    int64_t *count = &r->stats.jacobian_evals;
    const double from = share_left(w, here, here->from, to, count);
    const double now = share_left(w, here, here->t, to, count);
    return from < now ? from : now;
}

/* Where the equations lose rank, no pick has more left of its determinants than
 * a share like that of the pick at hand; one that stays regular keeps much. */
static bool keeps_rank(run *r, regularity *other)
{
    const regularity_point here = point_of(r);
    const double at = r->regularity.lost.t;
    const double own = share_at(r, &r->regularity, &here, at);
    const double there = share_at(r, other, &here, at);
    const double ends = share_at(r, other, &here, here.t);
    const double least = fmax(SHORT_SHARE, sqrt(fmax(own, 0)));
    return sees_all(other) && there > least && ends > least;
}

dae_status regularity_is_of_pick(run *r, bool *is_of_pick)
{
    regularity other = {.looks = 0};
    const reduction *d = r->reduction;
    assert(d && d->extended);
    const extended *e = d->extended;
    *is_of_pick = false;
    if (!d->is_by_numbers || has_free(&d->other, e)) return DAE_OK;
    const dae_status st = begin_picked(
        &other, e, &d->other, r->problem->is_smooth, &r->options, r->allocator);
    other.is_trial = true;
    if (!st) *is_of_pick = keeps_rank(r, &other);
    regularity_clear(&other);
    return st;
}

/* ---- what is said ------------------------------------------------------------------- */

static void name_unknown(const run *r, size_t column, char *name, size_t size)
{
    const dae_problem *p = r->regularity.problem;
    if (r->reduction) naming_text(p, DAE_NAME_UNKNOWN, column, name, size);
    else naming_slot(p, &r->engine->layout, column, name, size);
}

/* Of an equation or an unknown of the problem that is watched. */
static void place(const run *r, bool is_equation, size_t index,
    const dae_source **source, text_span *span)
{
    const reduction *d = r->reduction;
    int order;
    size_t own = index;
    if (is_equation && d) own = (size_t)d->extended->row_equation[index];
    else if (d) own = (size_t)d->extended->column_unknown[index];
    else if (!is_equation)
        own = naming_unknown(&r->engine->layout, index, &order);
    naming_place(r->problem, is_equation ? DAE_NAME_EQUATION : DAE_NAME_UNKNOWN,
        own, source, span);
}

static void add_help(run *r, const char *equation)
{
    static const char turns[] =
        "the solution turns, ends or branches here, and "
        "what would follow may be another one: end "
        "before it";
    if (kink_help(r)) return;
    if (r->reduction) report_help(r->ds, "%s", turns);
    else
        report_help(
            r->ds, "%s, or use the derivative of `%s`", turns, equation);
}

dae_status regularity_report(run *r, bool is_passed)
{
    const regularity *w = &r->regularity;
    const regularity_place *at = &w->lost;
    const size_t n = w->leading.total;
    assert(n > 0 && at->t == at->t);
    const stepper *s = &r->engine->stepper;
    const dae_source *source = NULL;
    text_span span = {0, 0};
    char equation[NAMING_SIZE], unknown[NAMING_SIZE];
    naming_text(
        w->problem, DAE_NAME_EQUATION, at->row, equation, sizeof equation);
    name_unknown(r, at->column, unknown, sizeof unknown);
    place(r, true, at->row, &source, &span);
    report(r->ds, DIAG_E0502, source, span,
        "%s t = %.*g the equations lose rank: `%s` does not determine `%s` "
        "there (rank %zu of %zu)",
        is_passed ? "near" : "at", is_passed ? 5 : 10, at->t, equation, unknown,
        n - 1, n);
    report_numeric(
        r->ds, s->history.t, s->h, s->selector.order, equation, unknown);
    place(r, false, at->column, &source, &span);
    if (source) report_also(r->ds, source, span, "not determined");
    add_help(r, equation);
    return DAE_NUMERIC;
}
