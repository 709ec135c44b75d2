#include "events/threshold.h"
#include "events/reinit.h"
#include "events/search.h"
#include "linalg/linear.h"
#include "newton/norm.h"
#include "reduce/thresholds.h"
#include "run/algebraic.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Where there are no series, the way g goes is looked for at the time in which states
 * move by a tolerance, and where nothing is seen further. */
enum { AHEAD_SOLVED_MOST = 3 };

dae_status threshold_roots(
    run *r, double t, const double *x, const double *xp, double *g)
{
    const dae_events *of = r->events->of;
    if (of->switch_count == 0) return DAE_OK;
    const dae_status st = of->roots(r->problem->self, t, x, xp, g);
    return st == DAE_RETRY ? DAE_OK : st;
}

/* x and xp moved by a relative and an absolute amount, each by another part of it and to a
 * side of its own: a - b is to change where a = b. */
static void disturb(const event_loop *e, double relative, double absolute,
    unsigned seed, double *to, double *top)
{
    const double *x = e->point.x, *xp = e->point.xp;
    unsigned side = seed;
    for (size_t i = 0; i < e->states + e->unknowns; i++) {
        side = side * 1664525u + 1013904223u;
        const double sign = side & 0x80000000u ? 1 : -1;
        const bool is_x = i < e->states;
        const double v = is_x ? x[i] : xp[i - e->states];
        const double part = 1 - (double)((i * 5 + seed) % 7) / 16;
        const double off = sign * part * (relative * fabs(v) + absolute);
        if (is_x) to[i] = v + off;
        else top[i - e->states] = v + off;
    }
}

/* What such changes of x and xp make of g. */
static dae_status measure_change(
    run *r, double t, double relative, double absolute, double *off)
{
    event_loop *e = r->events;
    const size_t count = e->of->switch_count;
    if (count == 0) return DAE_OK;
    memset(off, 0, count * sizeof *off);
    /* time has no tolerance, but is rounded */
    const double late = fmin(relative, UNITS_OFF * DBL_EPSILON);
    for (unsigned seed = 1; seed <= 2; seed++) {
        disturb(e, relative, absolute, seed, e->room.x, e->room.xp);
        const dae_status st = e->of->roots(r->problem->self,
            t * (1 + late * (seed == 1)), e->room.x, e->room.xp, e->room.g);
        if (st && st != DAE_RETRY) return st;
        for (size_t k = 0; k < count && !st; k++) {
            const double change = fabs(e->room.g[k] - e->point.g[k]);
            if (isfinite(change)) off[k] = fmax(off[k], change);
        }
    }
    return DAE_OK;
}

/* By tolerances, and by rounding. */
static dae_status measure(run *r, double t)
{
    event_loop *e = r->events;
    const dae_options *o = &r->options;
    const double rounded = UNITS_OFF * DBL_EPSILON;
    const dae_status st = measure_change(r, t, rounded, 0, e->point.rounding);
    return st ? st : measure_change(r, t, o->rtol, o->atol, e->point.noise);
}

dae_status threshold_measure(run *r, double t)
{
    event_loop *e = r->events;
    const dae_status st = measure(r, t);
    /* beside a jump rounding makes as much of g as tolerances do: neither is an error */
    if (DOUBTED * UNITS_OFF * DBL_EPSILON > r->options.rtol) return st;
    for (size_t k = 0; k < e->of->switch_count; k++)
        if (DOUBTED * e->point.rounding[k] > e->point.noise[k])
            e->point.rounding[k] = e->point.noise[k] = 0;
    return st;
}

dae_status threshold_see(run *r, double t)
{
    event_loop *e = r->events;
    reinit_show(r, e->point.x, e->point.xp);
    const dae_status st = e->of->roots(
        r->problem->self, t, e->point.x, e->point.xp, e->point.g);
    return st ? st : measure(r, t);
}

bool threshold_is_whole(const event_loop *e, size_t k)
{
    const uint8_t kind = e->of->switches[k].kind;
    return kind == DAE_SWITCH_FLOOR || kind == DAE_SWITCH_CEIL;
}

double threshold_near(const event_loop *e, size_t k, double g)
{
    return threshold_is_whole(e, k) ? round(g) : 0;
}

double threshold_nearest(const event_loop *e, size_t k)
{
    return threshold_near(e, k, e->point.g[k]);
}

double threshold_distance(const event_loop *e, size_t k)
{
    return fabs(e->point.g[k] - threshold_nearest(e, k));
}

/* The equations that are stepped may have other unknowns than the caller's: his states
 * may follow from theirs. */
bool threshold_reads_rest(const run *r, size_t k)
{
    const dae_switch *s = &r->events->of->switches[k];
    const bool reads_states = s->reads & DAE_READS_STATES;
    return s->reads == 0 || (s->reads & DAE_READS_REST)
        || (r->reduction && reads_states);
}

double threshold_share(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (1 + *seed / 4294967296.0) / 2;
}

/* A time in which no state moves by more than half its tolerance. */
double threshold_short_time(const run *r)
{
    const stepper *s = &r->engine->stepper;
    const point *p = &s->point;
    const double speed = norm_weighted(
        r->engine->weights.plain, p->slope, r->engine->layout.states);
    const double t = fabs(p->t);
    double longest = SHORT_SHARE * (s->interval > 0 ? s->interval : 1);
    if (speed * longest > HALF_TOLERANCE) longest = HALF_TOLERANCE / speed;
    return fmax(longest, WHOLE * UNITS_OFF * DBL_EPSILON * t);
}

void threshold_move(run *r, double s, const double *x, const double *xp)
{
    event_loop *e = r->events;
    if (x != e->room.x) memcpy(e->room.x, x, e->states * sizeof *x);
    reinit_move(&e->layout, s, e->room.x, xp);
}

/* By g a time s later, in e->room.g, of those whose series is not known. */
static void take_rates(event_loop *e, double s, bool *has_all)
{
    *has_all = true;
    for (size_t k = 0; k < e->of->switch_count; k++) {
        if (!e->turn.is_near[k] || e->turn.along[k].order != 0) continue;
        const double off = e->room.g[k] - e->point.g[k];
        const bool is_seen = fabs(off)
            > DOUBTED * e->point.rounding[k] + DBL_MIN;
        if (is_seen && isfinite(off)) {
            e->turn.rate[k] = off / fabs(s);
            e->turn.along[k].order = 1;
        } else *has_all = false;
    }
}

/* g a time s later; the rates of those in which a change is seen. */
static dae_status see_rates(run *r, double t, double s, bool *has_all)
{
    event_loop *e = r->events;
    dae_status st = reinit_ahead(r, t, s);
    if (!st)
        st = e->of->roots(
            r->problem->self, t + s, e->room.x, e->room.xp, e->room.g);
    if (!st) take_rates(e, s, has_all);
    return st;
}

/* Where g jumps. */
dae_status threshold_look_ahead(run *r, double t, double *g)
{
    event_loop *e = r->events;
    const double units = WHOLE * UNITS_OFF * DBL_EPSILON;
    const double share = fmin(1, units / r->options.rtol);
    const double time = fmax(share * threshold_short_time(r), units * fabs(t));
    const double s = r->direction * time;
    threshold_move(r, s, e->point.x, e->point.xp);
    return e->of->roots(r->problem->self, t + s, e->room.x, e->point.xp, g);
}

/* dg/dt of the switches at a threshold by their series; of one whose first derivatives are
 * 0, what the first other one makes in a short time. Those whose series is not known go
 * where a short implicit step leads them. */
dae_status threshold_find_rates(run *r, double t)
{
    event_loop *e = r->events;
    const double short_time = threshold_short_time(r);
    bool has_all = true;
    dae_status st = DAE_OK;
    for (size_t k = 0; k < e->of->switch_count; k++) {
        const flow_root *along = &e->turn.along[k];
        e->turn.rate[k] = e->turn.is_near[k] ? along->coefficient : 0;
        if (along->order > 1 && along->order <= FLOW_ORDER)
            e->turn.rate[k] *= pow(short_time, along->order - 1);
        if (along->order % 2 == 1) e->turn.rate[k] *= r->direction;
        has_all = has_all && (!e->turn.is_near[k] || along->order > 0);
    }
    double s = r->direction * short_time;
    for (int m = 0; m < AHEAD_SOLVED_MOST && !st && !has_all; m++) {
        st = see_rates(r, t, s, &has_all);
        s *= SIZES_APART;
    }
    return st == DAE_RETRY ? DAE_OK : st;
}

double threshold_rate_before(run *r, size_t k)
{
    event_loop *e = r->events;
    const double s = r->direction * threshold_short_time(r);
    threshold_move(r, s, e->point.x_before, e->point.xp_before);
    dae_status st = e->of->roots(r->problem->self, e->stop.t, e->point.x_before,
        e->point.xp_before, e->point.g_unset);
    if (!st)
        st = e->of->roots(r->problem->self, e->stop.t + s, e->room.x,
            e->point.xp_before, e->room.g);
    return st ? 0 : (e->room.g[k] - e->point.g_unset[k]) / fabs(s);
}

/* g at the middle of the last step: into e->room.g. */
static dae_status see_middle(run *r)
{
    const stepper *s = &r->engine->stepper;
    const double t = r->events->stop.t - s->last_h / 2;
    const point at = reinit_room(r);
    stepper_at(s, t, at.x, at.xp);
    reinit_show_room(r);
    return r->events->of->roots(r->problem->self, t, r->events->room.x,
        r->events->room.xp, r->events->room.g);
}

/* How far g goes on if it slows down as it did: by the parabola of its rate and its middle.
 * Of a touch a step knows the root, and not the side. */
static double distance_left(run *r, size_t k, double rate)
{
    const event_loop *e = r->events;
    const double half = fabs(r->engine->stepper.last_h) / 2;
    if (see_middle(r)) return HUGE_VAL;
    const double came = threshold_nearest(e, k) - e->room.g[k];
    const double less = 2 * (came / half - rate) / half;
    return rate * less > 0 ? rate * rate / (2 * fabs(less)) : HUGE_VAL;
}

bool threshold_may_touch(run *r, size_t k, double rate)
{
    const double most = r->events->point.noise[k];
    const double step = fabs(r->engine->stepper.last_h);
    return fabs(rate) * step <= most
        || distance_left(r, k, rate) <= HAS_LEFT * most;
}

/* ---- series along the flow ------------------------------------------------------- */

/* The point, and its neighbours. */
enum { SAMPLES = 3 };

typedef struct flow {
    run *r;
    const dae_problem *problem;     /* the caller's, or of the mode */
    const extended *extended;       /* NULL: problem as it stands, */
    const dae_structure *structure; /* else what its offsets are */
    arena memory;
    size_t n, stride, most; /* most: the largest c_i */
    size_t *c, *d;          /* n */
    int64_t *start;         /* the matrix, by columns */
    int32_t *row;
    int64_t *place; /* of its entries among those of the problem */
    double *values, *entries;
    linear *matrix;
    double t[SAMPLES];
    double *curve[SAMPLES]; /* n * stride */
    double *g[SAMPLES];     /* switches * (FLOW_ORDER + 1) */
    double *f, *side;       /* n * terms; n */
    double *rounding; /* n: by how much equations are rounded, of this order */
    double *seen;     /* sides for root functions; NULL: those at hand */
    double *x, *xp;   /* of the engine's problem */
    double *z;        /* columns of the extended problem */
} flow;

/* ---- the matrix of highest derivatives ------------------------------------------------ */

static void find_orders(flow *w)
{
    const dae_structure *s = w->structure;
    const uint8_t *order = w->problem->order;
    for (size_t i = 0; i < w->n; i++) {
        w->c[i] = s ? (size_t)s->c[i] : 0;
        w->d[i] = s ? (size_t)s->d[i] : order ? order[i] : 1;
        if (w->c[i] > w->most) w->most = w->c[i];
        if (w->d[i] + FLOW_ORDER + 1 > w->stride)
            w->stride = w->d[i] + FLOW_ORDER + 1;
    }
    for (size_t j = 0; j < w->n; j++) {
        const size_t q = order ? order[j] : 1;
        const size_t read = w->most + FLOW_ORDER + 1 + q;
        if (read > w->stride) w->stride = read;
    }
}

/* The column of the problem's pattern that has the highest derivative of j. */
static size_t column_of(const flow *w, size_t j)
{
    if (w->extended) return w->extended->column_first[j] + w->d[j];
    const layout *l = &w->r->engine->layout;
    return l->order[j] > 0 ? l->states + j : l->first[j];
}

/* The equation whose last derivative row p of the pattern is; -1: of none. */
static int32_t equation_of(const flow *w, int32_t p)
{
    const extended *e = w->extended;
    if (!e) return p;
    const int32_t i = e->row_equation[p];
    return (size_t)p == e->row_first[i] + w->c[i] ? i : -1;
}

static bool list_entries(flow *w, const dae_pattern *p)
{
    size_t count = 0, most = 0;
    for (size_t j = 0; j < w->n; j++) {
        const size_t s = column_of(w, j);
        most += (size_t)(p->column_start[s + 1] - p->column_start[s]);
    }
    if (!TAKE(&w->memory, w->row, most) || !TAKE(&w->memory, w->place, most)
        || !TAKE(&w->memory, w->values, most))
        return false;
    for (size_t j = 0; j < w->n; j++) {
        const size_t s = column_of(w, j);
        for (int64_t k = p->column_start[s]; k < p->column_start[s + 1]; k++) {
            const int32_t i = equation_of(w, p->row[k]);
            if (i < 0) continue;
            w->row[count] = i;
            w->place[count++] = k;
        }
        w->start[j + 1] = (int64_t)count;
    }
    return true;
}

static dae_status take(flow *w, const double *seen)
{
    arena *a = &w->memory;
    const layout *l = &w->r->engine->layout;
    const size_t switches = w->r->events->of->switch_count;
    if (!TAKE(a, w->c, w->n) || !TAKE(a, w->d, w->n)
        || !TAKE(a, w->start, w->n))
        return DAE_MEMORY;
    find_orders(w);
    for (int s = 0; s < SAMPLES; s++)
        if (!TAKE(a, w->curve[s], w->n * w->stride)
            || !TAKE(a, w->g[s], switches * (FLOW_ORDER + 1)))
            return DAE_MEMORY;
    const dae_problem *e = w->extended ? &w->extended->problem : w->problem;
    const size_t columns = w->extended ? w->extended->columns
                                       : l->states + l->unknowns;
    if (seen && !TAKE(a, w->seen, switches)) return DAE_MEMORY;
    if (seen) memcpy(w->seen, seen, switches * sizeof *seen);
    const bool has_all = TAKE(a, w->f, w->n * (w->most + FLOW_ORDER + 1))
        && TAKE(a, w->side, w->n) && TAKE(a, w->rounding, w->n)
        && TAKE(a, w->x, l->states) && TAKE(a, w->xp, l->unknowns)
        && TAKE(a, w->z, columns)
        && TAKE(a, w->entries, (size_t)e->pattern->column_start[columns]);
    return has_all && list_entries(w, e->pattern) ? DAE_OK : DAE_MEMORY;
}

/* At the point itself. DAE_NUMERIC: it is singular. */
static dae_status factor(flow *w)
{
    const dae_problem *p = w->extended ? &w->extended->problem : w->problem;
    dae_status st = linear_create(w->n, w->start, w->row, w->r->options.linear,
        w->memory.allocator, &w->matrix);
    if (!st && w->extended)
        st = p->jacobian(p->self, DAE_ALL, w->t[0], w->z, NULL, w->entries);
    else if (!st)
        st = p->jacobian(p->self, DAE_ALL, w->t[0], w->x, w->xp, w->entries);
    if (st) return st;
    for (int64_t k = 0; k < w->start[w->n]; k++)
        w->values[k] = w->entries[w->place[k]];
    return linear_factor(w->matrix, w->values);
}

/* ---- the points ---------------------------------------------------------------------- */

/* How well the time of an instant is known, by rounding and by its search; what is
 * assigned there has its value whatever the time. */
static double time_doubt(const event_loop *e, double t)
{
    if (e->instant.has_jumped) return 0;
    double doubt = UNITS_OFF * DBL_EPSILON * fabs(t);
    for (size_t c = 0; c < e->stop.crossing_count; c++)
        doubt = fmax(doubt, e->stop.crossed[c].blur);
    return doubt;
}

/* States and time off by rounding, and by what the doubt about the time makes of them,
 * each to a side of its own; the rest is solved for, at the point itself once more: an
 * exact 0 is to be 0 but for the rounding of that. */
static dae_status find_point(flow *w, int sample, double t, bool is_solved)
{
    run *r = w->r;
    const point *p = &r->engine->stepper.point;
    const layout *l = &r->engine->layout;
    reduction *d = r->reduction;
    const double sign = sample == 0 ? 0 : sample == 1 ? 1 : -1;
    const double late = time_doubt(r->events, t);
    memcpy(w->x, p->x, l->states * sizeof *w->x);
    memcpy(w->xp, p->xp, l->unknowns * sizeof *w->xp);
    for (size_t k = 0; k < l->states; k++) {
        const double off = UNITS_OFF * DBL_EPSILON * fabs(w->x[k])
            + late * fabs(p->slope[k]);
        w->x[k] += sign * ((k * 7 + 3) % 5 < 2 ? -off : off);
    }
    w->t[sample] = t + sign * late;
    for (size_t j = 0; j < l->unknowns && !is_solved; j++)
        w->xp[j] *= 1 + sign * (j % 2 ? 1 : -1) * UNITS_OFF * DBL_EPSILON;
    if (!is_solved) return DAE_OK;
    const reduced *now = d ? d->now : NULL;
    return sample == 0
        ? algebraic_solve(r->engine, now, w->t[sample], w->x, w->xp)
        : algebraic_follow(r->engine, now, w->t[sample], w->x, w->xp);
}

/* Coefficients up to those that the point has. */
static void begin_curve(flow *w, int sample)
{
    const layout *l = &w->r->engine->layout;
    double *to = w->curve[sample];
    memset(to, 0, w->n * w->stride * sizeof *to);
    if (w->extended) reduced_scatter(w->r->reduction->now, w->x, w->xp, w->z);
    for (size_t j = 0; j < w->n; j++, to += w->stride) {
        double factorial = 1;
        for (size_t o = 0; o <= w->d[j]; o++) {
            factorial *= o > 1 ? (double)o : 1;
            to[o] = w->extended ? w->z[w->extended->column_first[j] + o]
                : o < l->first[j + 1] - l->first[j] ? w->x[l->first[j] + o]
                                                    : w->xp[j];
            to[o] /= factorial;
        }
    }
}

static dae_status begin(flow *w, double t)
{
    dae_status st = DAE_OK;
    for (int s = 0; s < SAMPLES && !st; s++) {
        st = find_point(w, s, t, true);
        if (!st) begin_curve(w, s);
        if (!st && s == 0) st = factor(w);
    }
    return st;
}

/* ---- order by order ------------------------------------------------------------------ */

/* (from + 1) (from + 2) .. to */
static double product(size_t from, size_t to)
{
    double p = 1;
    while (from < to) p *= (double)++from;
    return p;
}

/* What solving for `side` leaves in equations: units of each term of them, which cancel. */
static void find_rounding(flow *w)
{
    memset(w->rounding, 0, w->n * sizeof *w->rounding);
    for (size_t j = 0; j < w->n; j++)
        for (int64_t p = w->start[j]; p < w->start[j + 1]; p++)
            w->rounding[w->row[p]] += UNITS_OFF * DBL_EPSILON
                * fabs(w->values[p] * w->side[j]);
}

/* Equations of a neighbour are off by from half as much to that, each to a side of its own:
 * where all values are 0 nothing else tells it from the point. */
static void add_rounding(flow *w, int sample)
{
    unsigned seed = (unsigned)sample;
    for (size_t i = 0; i < w->n; i++) {
        const double part = threshold_share(&seed) * w->rounding[i];
        w->side[i] += (i * 7 + 3 * (size_t)sample) % 5 < 2 ? -part : part;
    }
}

/* The coefficients of order k of the highest derivatives, of the point first. DAE_RETRY:
 * there are none. */
static dae_status add_order(flow *w, int sample, size_t k)
{
    const dae_problem *p = w->problem;
    const size_t terms = w->most + k + 1;
    double *curve = w->curve[sample];
    dae_status st = p->series(
        p->self, terms, w->t[sample], curve, w->stride, w->f);
    if (st) return st;
    for (size_t i = 0; i < w->n; i++) {
        const double *own = w->f + i * terms;
        w->side[i] = own[w->c[i] + k] * product(k, w->c[i] + k);
        if (!isfinite(w->side[i])) return DAE_RETRY;
    }
    if (sample > 0) add_rounding(w, sample);
    st = linear_solve(w->matrix, w->side);
    if (sample == 0) find_rounding(w);
    for (size_t j = 0; j < w->n && !st; j++)
        curve[j * w->stride + w->d[j] + k] = -w->side[j]
            / product(k, w->d[j] + k);
    return st;
}

static dae_status see(flow *w, int sample, size_t terms)
{
    const event_loop *e = w->r->events;
    if (w->seen) event_loop_swap(e->sides, w->seen, e->of->switch_count);
    const dae_status st = e->of->root_series(w->problem->self, terms,
        w->t[sample], w->curve[sample], w->stride, w->g[sample]);
    if (w->seen) event_loop_swap(e->sides, w->seen, e->of->switch_count);
    return st;
}

/* What the neighbours make of coefficient o of switch k. */
static double doubt_of(const flow *w, size_t k, size_t terms, size_t o)
{
    const double own = w->g[0][k * terms + o];
    double doubt = 0;
    for (int s = 1; s < SAMPLES; s++) {
        const double off = fabs(w->g[s][k * terms + o] - own);
        if (!(off <= doubt)) doubt = off;
    }
    return DOUBTED * doubt;
}

/* With all orders below `terms`. */
static void decide(const flow *w, size_t k, size_t terms, flow_root *to)
{
    *to = (flow_root){.doubt = doubt_of(w, k, terms, 0)};
    if (!isfinite(to->doubt)) to->doubt = 0;
    for (size_t o = 1; o < terms; o++) {
        const double own = w->g[0][k * terms + o];
        const double doubt = doubt_of(w, k, terms, o);
        to->order = 0;
        if (!isfinite(own) || !isfinite(doubt)) return;
        to->order = (int)o + 1;
        if (!(fabs(own) > doubt + DBL_MIN)) continue;
        to->coefficient = own;
        to->order = (int)o;
        return;
    }
}

/* Those that are not decided yet; whether any is left. */
static bool decide_all(
    const flow *w, const uint8_t *wanted, size_t terms, flow_root *out)
{
    bool has_any = false;
    for (size_t k = 0; k < w->r->events->of->switch_count; k++) {
        const bool is_decided = out[k].coefficient != 0;
        if (!wanted[k] || is_decided) continue;
        decide(w, k, terms, &out[k]);
        has_any = has_any || out[k].coefficient == 0;
    }
    return has_any;
}

/* Whether it does not merely touch, beyond all doubt. */
static bool passes(const flow *w, size_t k, const flow_root *along)
{
    const double rate = w->r->direction * along->coefficient;
    return fabs(rate) > CLEARLY * doubt_of(w, k, 2, 1)
        && !threshold_may_touch(w->r, k, rate);
}

/* A root function of states and time alone has its slope by theirs: most pass their
 * threshold, which needs no more. Whether all do. */
static dae_status find_passing(
    flow *w, double t, const uint8_t *wanted, flow_root *out, bool *do_all)
{
    dae_status st = DAE_OK;
    *do_all = true;
    for (size_t k = 0; k < w->r->events->of->switch_count; k++)
        if (wanted[k] && threshold_reads_rest(w->r, k)) *do_all = false;
    for (int s = SAMPLES - 1; s >= 0 && !st && *do_all; s--) {
        st = find_point(w, s, t, false);
        if (!st) begin_curve(w, s);
        if (!st) st = see(w, s, 2);
    }
    if (st || !*do_all) return st;
    (void)decide_all(w, wanted, 2, out);
    for (size_t k = 0; k < w->r->events->of->switch_count; k++)
        if (wanted[k] && !passes(w, k, &out[k])) *do_all = false;
    return DAE_OK;
}

static dae_status find(flow *w, double t, const uint8_t *wanted,
    const double *seen, flow_root *out)
{
    bool is_open = true, do_all = false;
    dae_status st = take(w, seen);
    if (!st) st = find_passing(w, t, wanted, out, &do_all);
    if (st || do_all) return st;
    memset(out, 0, w->r->events->of->switch_count * sizeof *out);
    st = begin(w, t);
    for (size_t k = 1; k <= FLOW_ORDER && is_open && !st; k++) {
        for (int s = 0; s < SAMPLES && !st; s++) st = add_order(w, s, k);
        for (int s = 0; s < SAMPLES && !st; s++) st = see(w, s, k + 1);
        if (!st) is_open = decide_all(w, wanted, k + 1, out);
    }
    if (st) /* those of lower order that were 0 prove nothing */
        for (size_t k = 0; k < w->r->events->of->switch_count; k++)
            if (out[k].coefficient == 0) out[k].order = 0;
    return st;
}

/* Whether the structure alone says what is differentiated, and the extended problem has
 * it. */
static bool has_offsets(const reduction *d)
{
    const dae_structure *s = d->analysis->repaired;
    const extended *e = d->extended;
    if (d->is_by_numbers || d->analysis->repair_count > 0 || !s->is_regular)
        return false;
    assert(e->unknowns == s->n);
    for (size_t i = 0; i < s->n; i++) {
        const size_t rows = e->row_first[i + 1] - e->row_first[i];
        const size_t columns = e->column_first[i + 1] - e->column_first[i];
        if ((size_t)s->c[i] >= rows || (size_t)s->d[i] >= columns) return false;
    }
    return true;
}

dae_status flow_roots(
    run *r, double t, const uint8_t *wanted, const double *seen, flow_root *out)
{
    const reduction *d = r->reduction;
    const dae_events *of = r->events->of;
    const dae_structure *s = d ? d->analysis->repaired : NULL;
    flow w = {.r = r,
        .structure = s,
        .problem = d ? d->problem : r->problem,
        .extended = d ? d->extended : NULL,
        .n = r->problem->unknown_count};
    memset(out, 0, of->switch_count * sizeof *out);
    const dae_problem *p = w.problem;
    const bool is_known = of->root_series && p->series && p->jacobian
        && p->pattern && !r->unreduced;
    if (!is_known || (d && !has_offsets(d))) return DAE_OK;
    arena_init(&w.memory, r->allocator, 0);
    const dae_status st = find(&w, t, wanted, seen, out);
    linear_free(w.matrix);
    arena_clear(&w.memory);
    return reinit_has_none(st) || st == DAE_ARGUMENT ? DAE_OK : st;
}
