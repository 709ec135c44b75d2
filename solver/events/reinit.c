#include "events/reinit.h"
#include "base/real.h"
#include "base/region.h"
#include "events/event_report.h"
#include "events/jump.h"
#include "events/locate.h"
#include "events/mode.h"
#include "events/sides.h"
#include "linalg/linear.h"
#include "newton/norm.h"
#include "newton/weights.h"
#include "reduce/thresholds.h"
#include "run/algebraic.h"
#include "run/begin.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

void reinit_show(const event_loop *e, double *x, double *xp)
{
    const engine *own = e->run->engine;
    const point *p = &own->stepper.point;
    if (e->run->reduction) {
        reduction_show(e->run->reduction, p->x, p->xp, x, xp);
        return;
    }
    memcpy(x, p->x, own->layout.states * sizeof *x);
    memcpy(xp, p->xp, own->layout.unknowns * sizeof *xp);
}

double reinit_moved(event_loop *e)
{
    event_room *to = &e->room;
    reinit_show(e, to->x, to->xp);
    return jump_notes_most(e, e->point.x, to->x);
}

point reinit_room(event_loop *e)
{
    const reduction *d = e->run->reduction;
    const point *p = &e->run->engine->stepper.point;
    const layout *l = &e->run->engine->layout;
    const event_room *own = &e->room;
    const point at = {
        .x = d ? d->stepped_x : own->x, .xp = d ? d->stepped_xp : own->xp};
    memcpy(at.x, p->x, l->states * sizeof *at.x);
    memcpy(at.xp, p->xp, l->unknowns * sizeof *at.xp);
    return at;
}

void reinit_show_room(event_loop *e)
{
    const reduction *d = e->run->reduction;
    const event_room *to = &e->room;
    if (d) reduction_show(d, d->stepped_x, d->stepped_xp, to->x, to->xp);
}

dae_status reinit_solve(const event_loop *e, double t, point at)
{
    const reduction *d = e->run->reduction;
    return algebraic_solve(e->run->engine, d ? d->now : NULL, t, at.x, at.xp);
}

static dae_status solve_other(const event_loop *e, point at);

bool reinit_has_none(dae_status st)
{
    return st == DAE_RETRY || st == DAE_NUMERIC || st == DAE_INCONSISTENT
        || st == DAE_UNSUPPORTED;
}

/* ---- nothing is assigned ------------------------------------------------------ */

static bool has_changed(const event_loop *e, size_t k)
{
    return value_bits(e->held[k]) != value_bits(e->point.held_last[k]);
}

/* Whether no equation looks at what has changed, in the branches of before and of now. */
static dae_status compare(event_loop *e, bool *is_same)
{
    uint8_t *now = e->room.needed, *before = e->room.needed + e->held_count;
    *is_same = true;
    for (size_t k = 0; k < e->held_count && *is_same; k++)
        *is_same = !(e->always[k] & DAE_NEEDED_EQUATIONS) || !has_changed(e, k);
    if (!*is_same) return DAE_OK;
    event_loop_swap(e->held, e->point.held_last, e->held_count);
    dae_status st = event_loop_needed(e, before);
    event_loop_swap(e->held, e->point.held_last, e->held_count);
    if (!st) st = event_loop_needed(e, now);
    for (size_t k = 0; k < e->held_count && !st; k++)
        if (has_changed(e, k) && ((now[k] | before[k]) & DAE_NEEDED_EQUATIONS))
            *is_same = false;
    return st;
}

/* Into x and xp; whether all are of what is integrated. */
static bool put_made(const event_loop *e, double *x, double *xp)
{
    bool are_states = true;
    for (size_t m = 0; m < e->whens.made_count; m++) {
        const made_assignment *made = &e->whens.made[m];
        if (made->slot < e->states) x[made->slot] = made->value;
        else xp[made->slot - e->states] = made->value;
        are_states = are_states
            && made->of->order < e->layout.order[made->of->index];
    }
    return are_states;
}

/* The equations may determine something else now. The engine's values, and what is
 * assigned, are those that are begun from. */
static dae_status change_mode(event_loop *e)
{
    put_made(e, e->point.x, e->point.xp);
    return mode_enter(e);
}

/* ---- a little later ----------------------------------------------------------- */

static dae_status go_to(const event_loop *e, double t, double s, point at)
{
    if (s != 0) layout_move(&e->run->engine->layout, s, at.x, at.xp);
    bounds_clip(&e->run->engine->newton.bounds, at.x);
    return reinit_solve(e, t + s, at);
}

dae_status reinit_ahead(event_loop *e, double s, size_t state, double off)
{
    const double t = e->stop.t;
    const point at = reinit_room(e);
    dae_status st = DAE_OK;
    if (state < e->states && !e->run->reduction) {
        memcpy(at.x, e->point.x, e->states * sizeof *at.x);
        memcpy(at.xp, e->point.xp, e->unknowns * sizeof *at.xp);
        at.x[state] += off;
        st = go_to(e, t, 0, at);
    } else if (s == 0) {
        st = go_to(e, t, 0, at);
    }
    if (!st && s != 0) st = go_to(e, t, s / 2, at);
    if (!st && s != 0) st = go_to(e, t + s / 2, s / 2, at);
    if (!st) reinit_show_room(e);
    return st == DAE_NUMERIC ? DAE_RETRY : st;
}

/* ---- of a reduced system -------------------------------------------------------- */

/* The column of the extended problem that is assigned; SIZE_MAX: there is none, it is
 * contradicted by nothing, and determined by nothing. */
static size_t column_of(const event_loop *e, const made_assignment *made)
{
    const size_t *first = e->run->reduction->extended->column_first;
    const size_t c = first[made->of->index] + made->of->order;
    return c < first[made->of->index + 1] ? c : SIZE_MAX;
}

/* What is integrated as it was before this round (`are_open`), and what is assigned. */
static void put_columns(const event_loop *e, bool are_open, jump_task *task)
{
    const layout *l = &e->run->reduction->layout;
    const size_t *first = e->run->reduction->extended->column_first;
    for (size_t j = 0; j < l->unknowns && are_open; j++)
        for (size_t o = 0; o < l->order[j] && first[j] + o < first[j + 1]; o++)
            task->z[first[j] + o] = e->point.x[l->first[j] + o];
    for (size_t m = 0; m < e->whens.made_count; m++) {
        const size_t c = column_of(e, &e->whens.made[m]);
        if (c == SIZE_MAX) continue;
        task->is_held[c] = 1;
        task->z[c] = e->whens.made[m].value;
    }
}

/* The engine's point from all columns; slopes and the rest to rounding, but where
 * multipliers stabilize, which are 0. */
static dae_status take_columns(const event_loop *e, const double *z)
{
    const reduction *d = e->run->reduction;
    const double t = e->stop.t;
    point *p = &e->run->engine->stepper.point;
    reduced_gather(d->now, z, p->x, p->xp);
    if (d->now->stabilizer) return DAE_OK;
    const dae_status st = reinit_solve(e, t, *p);
    return st == DAE_RETRY ? begin_again(e->run, t) : st;
}

/* The first equation that has nothing but what is assigned, more than one, and in which
 * both columns stand; SIZE_MAX: there is none. */
static size_t find_tie(
    const extended *x, const uint8_t *is_held, size_t one, size_t other)
{
    const dae_pattern *p = x->problem.pattern;
    const int64_t *start = p->column_start;
    for (int64_t k = start[one]; k < start[one + 1]; k++) {
        bool has_other = false, has_open = false;
        for (size_t c = 0; c < x->columns && !has_open; c++)
            for (int64_t m = start[c]; m < start[c + 1]; m++) {
                if (p->row[m] != p->row[k]) continue;
                has_other = has_other || c == other;
                has_open = has_open || !is_held[c];
            }
        if (has_other && !has_open) return (size_t)x->row_equation[p->row[k]];
    }
    return SIZE_MAX;
}

/* V1 := V1 + 1 and V2 := V2 + 1 where V1 = V2: neither says that the other is meant. */
static void report_ties(event_loop *e, const uint8_t *is_held)
{
    const made_assignment *made = e->whens.made;
    for (size_t m = 1; m < e->whens.made_count; m++)
        for (size_t o = 0; o < m; o++) {
            const size_t one = column_of(e, &made[o]);
            const size_t other = column_of(e, &made[m]);
            if (one == SIZE_MAX || other == SIZE_MAX
                || !made[o].of->reads_itself || !made[m].of->reads_itself)
                continue;
            const size_t i = find_tie(
                e->run->reduction->extended, is_held, one, other);
            if (i != SIZE_MAX)
                event_report_counted(
                    e, made[o].assignment, made[m].assignment, 0, i);
        }
}

/* `are_open`: what is integrated may jump. */
static dae_status place(event_loop *e, bool are_open, jump_task *task)
{
    const reduction *d = e->run->reduction;
    const point *p = &e->run->engine->stepper.point;
    reduced_scatter(d->now, p->x, p->xp, task->z);
    put_columns(e, are_open, task);
    task->are_open = are_open;
    if (are_open) task->blow = e->instant.blow;
    dae_status st = jump_solve(task, &e->run->stats);
    if (!st) jump_notes_add(e, task);
    if (!st && are_open) report_ties(e, task->is_held);
    if (!st) st = take_columns(e, task->z);
    if (st == DAE_INCONSISTENT || st == DAE_NUMERIC) st = change_mode(e);
    if (!reinit_has_none(st)) return st;
    if (e->whens.made_count == 0) return DAE_NUMERIC;
    return event_report_against(
        e, (size_t)d->extended->row_equation[task->row], st);
}

static dae_status follow_columns(event_loop *e, bool are_open)
{
    jump_task task;
    dae_status st = jump_begin(&task, e->run->reduction, e->stop.t);
    if (!st) st = place(e, are_open, &task);
    jump_end(&task);
    return st;
}

/* ---- both ------------------------------------------------------------------------ */

/* Ways that hold constraints on top of all derivatives have matrices that do not tell
 * whether the equations have become others: these are analysed whenever what is held
 * stands in them. DAE_NUMERIC: they are not bound so, or nothing comes of it. */
static bool is_bound(const event_loop *e)
{
    return e->run->reduction && e->run->reduction->mode != DAE_REDUCE_AUTO;
}

static dae_status change_bound(event_loop *e, bool is_same)
{
    if (is_same || !is_bound(e)) return DAE_NUMERIC;
    const dae_status st = change_mode(e);
    return st == DAE_RETRY || st == DAE_INCONSISTENT ? DAE_NUMERIC : st;
}

/* States at hand are solved for as if they stayed. Where others then jump that are
 * integrated, nothing says that it is they: the mode is analysed as if it were new,
 * and shares the jump; a small one is shared by the equations as they are reduced. */
static dae_status share_jump(event_loop *e)
{
    const double most = e->run->reduction ? reinit_moved(e) : 0;
    /* what is no state moves as Newton's method has left it */
    if (most <= NEGLIGIBLE) return DAE_OK;
    e->instant.has_jumped = true;
    if (most <= HAS_JUMPED) return follow_columns(e, true);
    const dae_status st = change_mode(e);
    if (!reinit_has_none(st)) return st;
    reinit_show(e, e->room.x, e->room.xp);
    jump_notes_add_slots(e, e->point.x, e->room.x, NULL);
    return DAE_OK;
}

dae_status reinit_follow(event_loop *e, bool *is_same)
{
    engine *own = e->run->engine;
    /* inside a step of order 1 what has no derivative is on a line between its ends, which
     * is not where the equations have it */
    const bool is_rough = own->stepper.last_order <= 1
        && layout_has_algebraic(&own->layout);
    dae_status st = compare(e, is_same);
    if (st || (*is_same && !is_rough)) return st;
    st = change_bound(e, *is_same);
    if (st != DAE_NUMERIC) return st;
    if (e->run->reduction && e->run->reduction->now->stabilizer)
        return follow_columns(e, false);
    if (*is_same) return reinit_solve(e, e->stop.t, own->stepper.point);
    st = solve_other(e, own->stepper.point);
    return st ? st : share_jump(e);
}

dae_status reinit_is_determined(event_loop *e, bool *is)
{
    const reduction *d = e->run->reduction;
    *is = true;
    if (is_bound(e) || (d && d->now->stabilizer)) return DAE_OK;
    const dae_status st = solve_other(e, reinit_room(e));
    *is = st != DAE_NUMERIC;
    return st == DAE_NUMERIC || st == DAE_RETRY ? DAE_OK : st;
}

dae_status reinit_change(event_loop *e, dae_status why, bool has_to_determine)
{
    dae_status st = why;
    if (st == DAE_NUMERIC) st = change_mode(e);
    if (st != DAE_RETRY && st != DAE_NUMERIC) return st;
    if (e->instant.has_assigned) return st; /* it would be lost */
    stepper_restore(&e->run->engine->stepper);
    bool is_determined = true;
    st = thresholds_project(e);
    if (!st) st = begin_again(e->run, e->stop.t);
    if (!st && has_to_determine && e->run->options.reduce == DAE_REDUCE_AUTO)
        st = reinit_is_determined(e, &is_determined);
    return st || is_determined ? st : DAE_NUMERIC;
}

/* DAE_NUMERIC: what is integrated does not stay what it is in e->point.x, of a reduced
 * system. */
static dae_status has_stayed(event_loop *e, dae_status st)
{
    if (st || !e->run->reduction || reinit_moved(e) <= NEGLIGIBLE) return st;
    return DAE_NUMERIC;
}

dae_status reinit_try(event_loop *e, bool is_by_analysis)
{
    point *p = &e->run->engine->stepper.point;
    if (is_bound(e)) return DAE_NUMERIC;
    if (is_by_analysis) return change_mode(e);
    if (e->whens.made_count > 0
        && (e->run->reduction || !put_made(e, p->x, p->xp)))
        return DAE_NUMERIC;
    return has_stayed(e, solve_other(e, *p));
}

dae_status reinit_try_free(event_loop *e)
{
    if (is_bound(e) || e->instant.has_assigned) return DAE_NUMERIC;
    stepper_restore(&e->run->engine->stepper);
    return has_stayed(e, begin_again(e->run, e->stop.t));
}

dae_status reinit_assign(event_loop *e)
{
    point *p = &e->run->engine->stepper.point;
    bool is_same = true;
    dae_status st = is_bound(e) ? compare(e, &is_same) : DAE_OK;
    if (!st) st = change_bound(e, is_same);
    if (st != DAE_NUMERIC) return st;
    if (e->run->reduction) return follow_columns(e, e->whens.made_count > 0);
    /* what is no state follows from the states, and contradicts what follows */
    if (put_made(e, p->x, p->xp)) {
        st = reinit_solve(e, e->stop.t, *p);
        if (st == DAE_NUMERIC) st = change_mode(e);
    }
    return reinit_has_none(st) ? event_report_against(e, SIZE_MAX, st) : st;
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
    double *f, *side;       /* n * terms */
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
    size_t deepest = 0, read = 0;
    for (size_t i = 0; i < w->n; i++) {
        const size_t q = order ? order[i] : 1;
        w->c[i] = s ? (size_t)s->c[i] : 0;
        w->d[i] = s ? (size_t)s->d[i] : q;
        if (w->c[i] > w->most) w->most = w->c[i];
        if (w->d[i] > deepest) deepest = w->d[i];
        if (q > read) read = q;
    }
    if (w->most + read > deepest) deepest = w->most + read;
    w->stride = deepest + FLOW_ORDER + 1;
}

/* Offsets, and room for so many curves. DAE_MEMORY. */
static dae_status flow_begin(flow *w, run *r, int samples)
{
    const reduction *d = r->reduction;
    const layout *l = &r->engine->layout;
    arena *a = &w->memory;
    *w = (flow){.r = r,
        .structure = d ? d->analysis->repaired : NULL,
        .problem = d ? d->problem : r->problem,
        .extended = d ? d->extended : NULL,
        .n = r->problem->unknown_count};
    arena_init(a, r->allocator, 0);
    if (!TAKE(a, w->c, w->n) || !TAKE(a, w->d, w->n)) return DAE_MEMORY;
    find_orders(w);
    const size_t room = w->n * (w->most + FLOW_ORDER + 1);
    bool has_all = TAKE(a, w->f, room) && TAKE(a, w->side, room)
        && TAKE(a, w->x, l->states) && TAKE(a, w->xp, l->unknowns)
        && TAKE(a, w->z, w->extended ? w->extended->columns : 0);
    for (int s = 0; s < samples; s++)
        has_all = has_all && TAKE(a, w->curve[s], w->n * w->stride);
    return has_all ? DAE_OK : DAE_MEMORY;
}

/* The matrix: columns of the problem's pattern that have the highest derivatives, and
 * rows that are last derivatives of equations. */
static void list_entries(flow *w, const dae_pattern *p)
{
    const extended *e = w->extended;
    size_t count = 0;
    for (size_t j = 0; j < w->n; j++) {
        const size_t s = e ? e->column_first[j] + w->d[j]
                           : layout_highest(&w->r->engine->layout, j);
        for (int64_t k = p->column_start[s]; k < p->column_start[s + 1]; k++) {
            const int32_t row = p->row[k], i = e ? e->row_equation[row] : row;
            if (e && (size_t)row != e->row_first[i] + w->c[i]) continue;
            w->row[count] = i;
            w->place[count++] = k;
        }
        w->start[j + 1] = (int64_t)count;
    }
}

static dae_status take(flow *w, const double *seen)
{
    arena *a = &w->memory;
    const layout *l = &w->r->engine->layout;
    const size_t switches = w->r->events->count;
    const dae_pattern *p = w->extended ? w->extended->problem.pattern
                                       : w->problem->pattern;
    const size_t columns = w->extended ? w->extended->columns
                                       : l->states + l->unknowns;
    const size_t most = (size_t)p->column_start[columns];
    bool has_all = TAKE(a, w->start, w->n) && TAKE(a, w->rounding, w->n)
        && TAKE(a, w->row, most) && TAKE(a, w->place, most)
        && TAKE(a, w->values, most) && TAKE(a, w->entries, most);
    for (int s = 0; s < SAMPLES; s++)
        has_all = has_all && TAKE(a, w->g[s], switches * (FLOW_ORDER + 1));
    if (seen && has_all) has_all = TAKE(a, w->seen, switches);
    if (!has_all) return DAE_MEMORY;
    if (seen) memcpy(w->seen, seen, switches * sizeof *seen);
    list_entries(w, p);
    return linear_create(
        w->n, w->start, w->row, w->r->options.linear, a->allocator, &w->matrix);
}

/* At the point itself. DAE_NUMERIC: it is singular. */
static dae_status factor_highest(flow *w)
{
    const dae_problem *p = w->extended ? &w->extended->problem : w->problem;
    const dae_status st = p->jacobian(p->self, DAE_ALL, w->t[0],
        w->extended ? w->z : w->x, w->extended ? NULL : w->xp, w->entries);
    if (st) return st;
    for (int64_t k = 0; k < w->start[w->n]; k++)
        w->values[k] = w->entries[w->place[k]];
    return linear_factor(w->matrix, w->values);
}

/* ---- the points ---------------------------------------------------------------------- */

/* (from + 1) (from + 2) .. to */
static double product(size_t from, size_t to)
{
    double p = 1;
    while (from < to) p *= (double)++from;
    return p;
}

/* How well the time of an instant is known, by rounding and by its search: no worse than
 * the states are. What is assigned there has its value whatever the time. */
static double time_doubt(const event_loop *e)
{
    if (e->instant.has_jumped) return 0;
    double doubt = UNITS_OFF * DBL_EPSILON * fabs(e->stop.t);
    for (size_t c = 0; c < e->stop.crossing_count; c++)
        doubt = fmax(doubt, e->stop.crossed[c].blur);
    return fmin(doubt, threshold_short_time(e));
}

static void copy_point(flow *w)
{
    const engine *e = w->r->engine;
    const point *p = &e->stepper.point;
    memcpy(w->x, p->x, e->layout.states * sizeof *w->x);
    memcpy(w->xp, p->xp, e->layout.unknowns * sizeof *w->xp);
}

/* States and time off by rounding, and by what the doubt about the time makes of them,
 * each to a side of its own; the rest is solved for, at the point itself once more: an
 * exact 0 is to be 0 but for the rounding of that. */
static dae_status find_point(flow *w, int sample)
{
    engine *e = w->r->engine;
    const reduced *now = w->r->reduction ? w->r->reduction->now : NULL;
    const double sign = sample == 0 ? 0 : sample == 1 ? 1 : -1;
    const double late = time_doubt(w->r->events);
    copy_point(w);
    for (size_t k = 0; k < e->layout.states; k++) {
        const double off = UNITS_OFF * DBL_EPSILON * fabs(w->x[k])
            + late * fabs(e->stepper.point.slope[k]);
        w->x[k] += sign * ((k * 7 + 3) % 5 < 2 ? -off : off);
    }
    w->t[sample] = w->r->events->stop.t + sign * late;
    return algebraic_solve(e, now, w->t[sample], w->x, w->xp);
}

/* Coefficients up to those that the point has. */
static void begin_curve(flow *w, int sample)
{
    const layout *l = &w->r->engine->layout;
    double *to = w->curve[sample];
    if (w->extended) reduced_scatter(w->r->reduction->now, w->x, w->xp, w->z);
    for (size_t j = 0; j < w->n; j++, to += w->stride)
        for (size_t o = 0; o <= w->d[j]; o++) {
            to[o] = w->extended ? w->z[w->extended->column_first[j] + o]
                : o < l->first[j + 1] - l->first[j] ? w->x[l->first[j] + o]
                                                    : w->xp[j];
            to[o] /= product(0, o);
        }
}

static dae_status begin(flow *w)
{
    dae_status st = DAE_OK;
    for (int s = 0; s < SAMPLES && !st; s++) {
        st = find_point(w, s);
        if (!st) begin_curve(w, s);
        if (!st && s == 0) st = factor_highest(w);
    }
    return st;
}

/* ---- order by order ------------------------------------------------------------------ */

/* What solving for `side` leaves in equations: units of each term of them, which cancel. */
static void find_rounding(flow *w)
{
    memset(w->rounding, 0, w->n * sizeof *w->rounding);
    for (size_t j = 0; j < w->n; j++)
        for (int64_t p = w->start[j]; p < w->start[j + 1]; p++)
            w->rounding[w->row[p]] += UNITS_OFF * DBL_EPSILON
                * fabs(w->values[p] * w->side[j]);
}

/* The coefficients of order k of the highest derivatives, of the point first. Equations of a
 * neighbour are off by from half as much as rounding to that, each to a side of its own:
 * where all values are 0 nothing else tells it from the point. DAE_RETRY: there are none. */
static dae_status add_order(flow *w, int sample, size_t k)
{
    const dae_problem *p = w->problem;
    const size_t terms = w->most + k + 1;
    double *curve = w->curve[sample];
    unsigned seed = (unsigned)sample;
    dae_status st = p->series(
        p->self, terms, w->t[sample], curve, w->stride, w->f);
    for (size_t i = 0; i < w->n && !st; i++) {
        const double *own = w->f + i * terms;
        w->side[i] = own[w->c[i] + k] * product(k, w->c[i] + k);
        if (!isfinite(w->side[i])) st = DAE_RETRY;
        if (sample == 0) continue;
        const double part = threshold_share(&seed) * w->rounding[i];
        w->side[i] += (i * 7 + 3 * (size_t)sample) % 5 < 2 ? -part : part;
    }
    if (st) return st;
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
    if (w->seen) event_loop_swap(e->sides, w->seen, e->count);
    const dae_status st = e->of->root_series(w->problem->self, terms,
        w->t[sample], w->curve[sample], w->stride, w->g[sample]);
    if (w->seen) event_loop_swap(e->sides, w->seen, e->count);
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

/* Those that are not decided yet, with all orders below `terms`; whether any is left. */
static bool decide(
    const flow *w, const uint8_t *wanted, size_t terms, flow_root *out)
{
    bool has_any = false;
    for (size_t k = 0; k < w->r->events->count; k++) {
        flow_root *to = &out[k];
        if (!wanted[k] || to->coefficient != 0) continue;
        *to = (flow_root){.doubt = doubt_of(w, k, terms, 0), .order = 1};
        if (!isfinite(to->doubt)) to->doubt = 0;
        for (size_t o = 1; o < terms && (size_t)to->order == o; o++) {
            const double own = w->g[0][k * terms + o];
            const double doubt = doubt_of(w, k, terms, o);
            if (!isfinite(own) || !isfinite(doubt)) to->order = 0;
            else if (fabs(own) > doubt + DBL_MIN) to->coefficient = own;
            else to->order++;
            if (to->coefficient != 0) break;
        }
        has_any = has_any || to->coefficient == 0;
    }
    return has_any;
}

static dae_status find(
    flow *w, const uint8_t *wanted, const double *seen, flow_root *out)
{
    bool is_open = true;
    dae_status st = take(w, seen);
    if (!st) st = begin(w);
    for (size_t k = 1; k <= FLOW_ORDER && is_open && !st; k++) {
        for (int s = 0; s < SAMPLES && !st; s++) st = add_order(w, s, k);
        for (int s = 0; s < SAMPLES && !st; s++) st = see(w, s, k + 1);
        if (!st) is_open = decide(w, wanted, k + 1, out);
    }
    /* those of lower order that were 0 prove nothing */
    for (size_t k = 0; st && k < w->r->events->count; k++)
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

/* Differentiates equations of a mode as often as the reduction does, with 0 and with 1 for
 * all derivatives beyond those that it has. */
static dae_status read_beyond(flow *w, bool *does)
{
    const dae_problem *p = w->problem;
    const size_t terms = w->most + 1;
    const double t = w->r->events->stop.t;
    double *curve = w->curve[0];
    copy_point(w);
    begin_curve(w, 0);
    dae_status st = p->series(p->self, terms, t, curve, w->stride, w->f);
    for (size_t j = 0; j < w->n; j++)
        for (size_t o = w->d[j] + 1; o < w->stride; o++)
            curve[j * w->stride + o] = 1;
    if (!st) st = p->series(p->self, terms, t, curve, w->stride, w->side);
    for (size_t i = 0; i < w->n && !st; i++) {
        const size_t at = i * terms + w->c[i];
        if (fabs(w->side[at] - w->f[at]) > 0) *does = true;
    }
    return st == DAE_RETRY || st == DAE_ARGUMENT ? DAE_OK : st;
}

/* With other sides than the engine has been made for. Offsets are those of the branches
 * that were held: in another one an equation that is differentiated may read derivatives
 * that the reduced equations do not have, which then are not those of this mode:
 * DAE_NUMERIC. */
static dae_status solve_other(const event_loop *e, point at)
{
    const reduction *d = e->run->reduction;
    flow w;
    bool does = false;
    if (d && has_offsets(d) && d->problem->series) {
        dae_status st = flow_begin(&w, e->run, 1);
        if (!st) st = read_beyond(&w, &does);
        arena_clear(&w.memory);
        if (st) return st;
    }
    return does ? DAE_NUMERIC : reinit_solve(e, e->stop.t, at);
}

dae_status flow_roots(const event_loop *e, const uint8_t *wanted,
    const double *seen, flow_root *out)
{
    run *r = e->run;
    const reduction *d = r->reduction;
    const dae_problem *p = d ? d->problem : r->problem;
    flow w;
    memset(out, 0, e->count * sizeof *out);
    const bool is_known = e->of->root_series && p->series && p->jacobian
        && p->pattern && !r->unreduced;
    if (!is_known || (d && !has_offsets(d))) return DAE_OK;
    dae_status st = flow_begin(&w, r, SAMPLES);
    if (!st) st = find(&w, wanted, seen, out);
    linear_free(w.matrix);
    arena_clear(&w.memory);
    return reinit_has_none(st) || st == DAE_ARGUMENT ? DAE_OK : st;
}
