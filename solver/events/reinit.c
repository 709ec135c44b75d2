#include "events/reinit.h"
#include "base/region.h"
#include "events/event_report.h"
#include "events/jump.h"
#include "events/mode.h"
#include "events/threshold.h"
#include "newton/norm.h"
#include "newton/weights.h"
#include "reduce/thresholds.h"
#include "run/algebraic.h"
#include "run/begin.h"
#include <math.h>
#include <string.h>

void reinit_show(const run *r, double *x, double *xp)
{
    const engine *e = r->engine;
    const point *p = &e->stepper.point;
    if (r->reduction) {
        reduction_show(r->reduction, p->x, p->xp, x, xp);
        return;
    }
    memcpy(x, p->x, e->layout.states * sizeof *x);
    memcpy(xp, p->xp, e->layout.unknowns * sizeof *xp);
}

point reinit_room(run *r)
{
    const reduction *d = r->reduction;
    const point *p = &r->engine->stepper.point;
    const layout *l = &r->engine->layout;
    const event_room *own = &r->events->room;
    const point at = {
        .x = d ? d->stepped_x : own->x, .xp = d ? d->stepped_xp : own->xp};
    memcpy(at.x, p->x, l->states * sizeof *at.x);
    memcpy(at.xp, p->xp, l->unknowns * sizeof *at.xp);
    return at;
}

void reinit_show_room(run *r)
{
    const reduction *d = r->reduction;
    const event_room *to = &r->events->room;
    if (d) reduction_show(d, d->stepped_x, d->stepped_xp, to->x, to->xp);
}

dae_status reinit_solve(run *r, double t, point at)
{
    const reduction *d = r->reduction;
    return algebraic_solve(r->engine, d ? d->now : NULL, t, at.x, at.xp);
}

bool reinit_has_none(dae_status st)
{
    return st == DAE_RETRY || st == DAE_NUMERIC || st == DAE_INCONSISTENT
        || st == DAE_UNSUPPORTED;
}

/* ---- nothing is assigned ------------------------------------------------------ */

static bool has_changed(const event_loop *e, size_t k)
{
    return memcmp(&e->held[k], &e->point.held_last[k], sizeof *e->held) != 0;
}

static bool has_changed_always(const event_loop *e)
{
    for (size_t k = 0; k < e->held_count; k++)
        if ((e->always[k] & DAE_NEEDED_EQUATIONS) && has_changed(e, k))
            return true;
    return false;
}

/* Whether no equation looks at what has changed, in the branches of before and of now. */
static dae_status compare(run *r, bool *is_same)
{
    event_loop *e = r->events;
    uint8_t *now = e->room.needed, *before = e->room.needed + e->held_count;
    *is_same = !has_changed_always(e);
    if (!*is_same) return DAE_OK;
    event_loop_swap(e->held, e->point.held_last, e->held_count);
    dae_status st = event_loop_needed(e, r->problem->self, before);
    event_loop_swap(e->held, e->point.held_last, e->held_count);
    if (!st) st = event_loop_needed(e, r->problem->self, now);
    for (size_t k = 0; k < e->held_count && !st; k++)
        if (has_changed(e, k) && ((now[k] | before[k]) & DAE_NEEDED_EQUATIONS))
            *is_same = false;
    return st;
}

/* Whether each of the caller's x and xp is assigned. */
static void mark_made(const event_loop *e, uint8_t *is_assigned)
{
    for (size_t m = 0; m < e->whens.made_count; m++)
        is_assigned[e->whens.made[m].slot] = 1;
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
static dae_status change_mode(run *r, double t)
{
    event_loop *e = r->events;
    const size_t slots = e->states + e->unknowns;
    uint8_t *is_assigned = alloc_zeroed(r->allocator, slots, 1);
    if (!is_assigned) return DAE_MEMORY;
    mark_made(e, is_assigned);
    put_made(e, e->point.x, e->point.xp);
    const dae_status st = mode_enter(r, t, is_assigned);
    alloc_free(r->allocator, is_assigned, slots, 1);
    return st;
}

/* ---- a little later ----------------------------------------------------------- */

void reinit_move(const layout *l, double s, double *x, const double *xp)
{
    for (size_t j = 0; j < l->unknowns; j++) {
        if (l->order[j] == 0) continue;
        for (size_t o = l->first[j]; o < l->first[j + 1]; o++) {
            double factor = s;
            size_t k = o + 1;
            for (; k < l->first[j + 1]; k++) {
                x[o] += factor * x[k];
                factor *= s / (double)(k - o + 1);
            }
            x[o] += factor * xp[j];
        }
    }
}

static dae_status go_to(run *r, double t, double s, point at)
{
    if (s != 0) reinit_move(&r->engine->layout, s, at.x, at.xp);
    bounds_clip(&r->engine->newton.bounds, at.x);
    return reinit_solve(r, t + s, at);
}

dae_status reinit_ahead(run *r, double t, double s)
{
    const dae_status st = go_to(r, t, s, reinit_room(r));
    if (!st) reinit_show_room(r);
    return st == DAE_NUMERIC ? DAE_RETRY : st;
}

dae_status reinit_beside(run *r, double t, double s, size_t state, double off)
{
    const event_loop *e = r->events;
    if (r->reduction) return reinit_ahead(r, t, s);
    const point at = reinit_room(r);
    memcpy(at.x, e->point.x, e->states * sizeof *at.x);
    memcpy(at.xp, e->point.xp, e->unknowns * sizeof *at.xp);
    at.x[state] += off;
    dae_status st = go_to(r, t, 0, at);
    if (!st && s != 0) st = go_to(r, t, s, at);
    return st == DAE_NUMERIC ? DAE_RETRY : st;
}

/* ---- onto a threshold --------------------------------------------------------------- */

/* After an event a state may lie beside the threshold of a switch whose branch has no value
 * there, as sqrt(h) at h = -1e-22: it is projected onto the threshold. */

/* g of one switch at e->room.x, with the caller's xp of the point. */
static dae_status ask(run *r, double t, size_t k, double *g)
{
    event_loop *e = r->events;
    const dae_status st = e->of->roots(
        r->problem->self, t, e->room.x, r->engine->stepper.point.xp, e->room.g);
    *g = st ? (double)NAN : e->room.g[k];
    return st == DAE_RETRY ? DAE_OK : st;
}

/* Straight lines that follow each other, until g is exactly at its threshold. */
enum { LINES = 5 };

/* The place of a state at which g is at its threshold, as that of g = h - 1 and the like is
 * found at once but for rounding. NaN: it is not there, or too far. */
static dae_status find_place(
    run *r, double t, size_t k, size_t state, double g, double *place)
{
    event_loop *e = r->events;
    const double x = e->room.x[state];
    /* from where what has lain still at its threshold has gone unseen */
    const double most = HAS_LEFT / r->engine->weights.plain[state];
    const double threshold = threshold_near(e, k, g);
    double beside;
    e->room.x[state] = x + most;
    const double width = e->room.x[state] - x;
    dae_status st = ask(r, t, k, &beside);
    const double per_g = width / (beside - g);
    double by = 0, off = g - threshold;
    for (int m = 0; m < LINES && !st && fabs(off) > 0; m++) {
        by -= off * per_g;
        if (!(fabs(by) <= most)) off = (double)NAN;
        if (isnan(off)) break;
        e->room.x[state] = x + by;
        st = ask(r, t, k, &off);
        off -= threshold;
    }
    *place = fabs(off) <= 0 ? x + by : (double)NAN;
    e->room.x[state] = x;
    return st;
}

/* The first state that can be put there. */
static dae_status put_onto(run *r, double t, size_t k)
{
    event_loop *e = r->events;
    const layout *l = &r->engine->layout;
    double g;
    dae_status st = ask(r, t, k, &g);
    if (st || !isfinite(g) || isnan(e->sides[k])) return st;
    if (region_value(e->of->switches[k].kind, g) == e->sides[k]) return st;
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t s = l->first[j]; l->order[j] && s < l->first[j + 1]; s++) {
            double place;
            if ((st = find_place(r, t, k, s, g, &place))) return st;
            if (!isfinite(place) || !(fabs(place - e->room.x[s]) > 0)) continue;
            r->engine->stepper.point.x[s] = e->room.x[s] = place;
            return DAE_OK;
        }
    return DAE_OK;
}

static dae_status put_onto_thresholds(run *r, double t)
{
    event_loop *e = r->events;
    if (r->reduction) return DAE_OK;
    memcpy(e->room.x, r->engine->stepper.point.x,
        r->engine->layout.states * sizeof *e->room.x);
    dae_status st = DAE_OK;
    for (size_t k = 0; k < e->of->switch_count && !st; k++)
        if (e->of->switches[k].domain == DAE_DOMAIN_POINT)
            st = put_onto(r, t, k);
    return st;
}

/* ---- values are assigned --------------------------------------------------------- */

/* Into the point of a system that is not reduced. */
static bool put(run *r)
{
    const point *p = &r->engine->stepper.point;
    return put_made(r->events, p->x, p->xp);
}

/* ---- of a reduced system -------------------------------------------------------- */

/* Columns of the extended problem that are assigned, their values in z. A derivative
 * that is no column is contradicted by nothing, and determined by nothing. */
static void put_columns(const run *r, uint8_t *is_held, double *z)
{
    const event_loop *e = r->events;
    const extended *x = r->reduction->extended;
    for (size_t m = 0; m < e->whens.made_count; m++) {
        const dae_assignment *a = e->whens.made[m].of;
        const size_t c = x->column_first[a->index] + a->order;
        if (c >= x->column_first[a->index + 1]) continue;
        is_held[c] = 1;
        z[c] = e->whens.made[m].value;
    }
}

/* The engine's point from all columns; slopes and the rest to rounding, but where
 * multipliers stabilize, which are 0. */
static dae_status take_columns(run *r, double t, const double *z)
{
    const reduction *d = r->reduction;
    point *p = &r->engine->stepper.point;
    reduced_gather(d->now, z, p->x, p->xp);
    if (d->now->stabilizer) return DAE_OK;
    const dae_status st = reinit_solve(r, t, *p);
    return st == DAE_RETRY ? begin_again(r, t) : st;
}

/* Columns of what is integrated as they were before this round. */
static void put_before(const run *r, double *z)
{
    const layout *l = &r->reduction->layout;
    const extended *x = r->reduction->extended;
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t o = 0; o < l->order[j]; o++)
            if (x->column_first[j] + o < x->column_first[j + 1])
                z[x->column_first[j] + o] = r->events->point.x[l->first[j] + o];
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

static size_t column_of(const run *r, const made_assignment *made)
{
    const dae_assignment *a = made->of;
    const extended *x = r->reduction->extended;
    const size_t c = x->column_first[a->index] + a->order;
    return a->reads_itself && c < x->column_first[a->index + 1] ? c : SIZE_MAX;
}

/* V1 := V1 + 1 and V2 := V2 + 1 where V1 = V2: neither says that the other is meant. */
static void report_ties(run *r, const uint8_t *is_held)
{
    const event_loop *e = r->events;
    const made_assignment *made = e->whens.made;
    for (size_t m = 1; m < e->whens.made_count; m++)
        for (size_t o = 0; o < m; o++) {
            const size_t one = column_of(r, &made[o]);
            const size_t other = column_of(r, &made[m]);
            if (one == SIZE_MAX || other == SIZE_MAX) continue;
            const size_t i = find_tie(
                r->reduction->extended, is_held, one, other);
            if (i != SIZE_MAX)
                event_report_tied(r, made[o].assignment, made[m].assignment, i);
        }
}

/* `is_held` and `z` have room for two numbers of each column. `are_open`: what is
 * integrated may jump. */
static dae_status place(
    run *r, double t, bool are_open, uint8_t *is_held, double *z)
{
    const reduction *d = r->reduction;
    const point *p = &r->engine->stepper.point;
    const event_loop *e = r->events;
    const size_t size = d->extended->columns;
    double *before = z + size;
    uint8_t *is_open = is_held + size;
    jump_task task = {.t = t, .is_held = is_held, .z = z};
    if (are_open) task.blow = e->turn.blow;
    reduced_scatter(d->now, p->x, p->xp, z);
    if (are_open) put_before(r, z);
    memcpy(before, z, size * sizeof *z);
    put_columns(r, is_held, z);
    if (are_open) task.first = jump_lowest(d);
    if (are_open) task.is_open = is_open;
    dae_status st = jump_solve(d, &task, &r->stats);
    if (!st) jump_notes_add(r, d, before, z, is_open, task.is_least);
    if (!st && are_open) report_ties(r, is_held);
    if (!st) st = take_columns(r, t, z);
    const bool is_other = st == DAE_INCONSISTENT || st == DAE_NUMERIC;
    if (is_other) st = change_mode(r, t);
    const bool has_none = reinit_has_none(st);
    if (has_none && e->whens.made_count > 0)
        return event_report_against(
            r, (size_t)d->extended->row_equation[task.row], st);
    return has_none ? DAE_NUMERIC : st;
}

static dae_status follow_columns(run *r, double t, bool are_open)
{
    const dae_allocator *a = r->allocator;
    const size_t count = r->reduction->extended->columns;
    uint8_t *is_held = alloc_zeroed(a, 2 * count, 1);
    double *z = alloc_zeroed(a, 2 * count, sizeof *z);
    dae_status st = DAE_MEMORY;
    if (is_held && z) st = place(r, t, are_open, is_held, z);
    alloc_free(a, z, 2 * count, sizeof *z);
    alloc_free(a, is_held, 2 * count, 1);
    return st;
}

/* ---- both ------------------------------------------------------------------------ */

/* Inside a step of order 1 what has no derivative is on a line between its ends,
 * which is not where the equations have it. */
static bool is_rough(const run *r)
{
    const layout *l = &r->engine->layout;
    if (r->engine->stepper.last_order > 1) return false;
    for (size_t j = 0; j < l->unknowns; j++)
        if (l->order[j] == 0) return true;
    return false;
}

/* Ways that hold constraints on top of all derivatives have matrices that do not tell
 * whether the equations have become others: these are analysed whenever what is held
 * stands in them. DAE_NUMERIC: they are not bound so, or nothing comes of it. */
static bool is_bound(const run *r)
{
    return r->reduction && r->reduction->mode != DAE_REDUCE_AUTO;
}

static dae_status change_bound(run *r, double t, bool is_same)
{
    if (is_same || !is_bound(r)) return DAE_NUMERIC;
    const dae_status st = change_mode(r, t);
    return st == DAE_RETRY || st == DAE_INCONSISTENT ? DAE_NUMERIC : st;
}

/* States at hand are solved for as if they stayed. Where others then jump that are
 * integrated, nothing says that it is they: the mode is analysed as if it were new,
 * and shares the jump; a small one is shared by the equations as they are reduced. */
static dae_status share_jump(run *r, double t)
{
    event_loop *e = r->events;
    if (!r->reduction) return DAE_OK;
    reinit_show(r, e->room.x, e->room.xp);
    const double most = jump_notes_most(r, e->point.x, e->room.x);
    /* what is no state moves as Newton's method has left it */
    if (most <= NEGLIGIBLE) return DAE_OK;
    e->instant.has_jumped = true;
    if (most <= HAS_JUMPED) return follow_columns(r, t, true);
    const dae_status st = change_mode(r, t);
    if (!reinit_has_none(st)) return st;
    reinit_show(r, e->room.x, e->room.xp);
    jump_notes_add_slots(r, e->point.x, e->room.x, NULL);
    return DAE_OK;
}

dae_status reinit_follow(run *r, double t, bool *is_same)
{
    point *p = &r->engine->stepper.point;
    dae_status st = compare(r, is_same);
    if (st || (*is_same && !is_rough(r))) return st;
    st = change_bound(r, t, *is_same);
    if (st != DAE_NUMERIC) return st;
    if (r->reduction && r->reduction->now->stabilizer)
        return follow_columns(r, t, false);
    st = reinit_solve(r, t, *p);
    return st || *is_same ? st : share_jump(r, t);
}

dae_status reinit_is_determined(run *r, double t, bool *is)
{
    const reduction *d = r->reduction;
    *is = true;
    if (is_bound(r) || (d && d->now->stabilizer)) return DAE_OK;
    const dae_status st = reinit_solve(r, t, reinit_room(r));
    *is = st != DAE_NUMERIC;
    return st == DAE_NUMERIC || st == DAE_RETRY ? DAE_OK : st;
}

dae_status reinit_is_determined_with(
    run *r, double t, size_t k, double side, bool *is)
{
    double *at = &r->events->sides[k];
    const double before = *at;
    *at = side;
    const dae_status st = reinit_is_determined(r, t, is);
    *at = before;
    return st;
}

/* Whether what is integrated has been assigned to at this instant. */
static bool has_assigned(const event_loop *e)
{
    const dae_events *of = e->of;
    for (size_t w = 0; w < of->when_count; w++)
        for (size_t k = 0;
             e->whens.has_fired[w] && k < of->whens[w].assignment_count; k++)
            if (!of->assignments[of->whens[w].assignment + k].is_discrete)
                return true;
    return false;
}

dae_status reinit_change(
    run *r, double t, dae_status why, bool has_to_determine)
{
    dae_status st = why;
    if (st == DAE_NUMERIC) st = change_mode(r, t);
    if (st != DAE_RETRY && st != DAE_NUMERIC) return st;
    if (has_assigned(r->events)) return st; /* it would be lost */
    stepper_restore(&r->engine->stepper);
    bool is_determined = true;
    st = put_onto_thresholds(r, t);
    if (!st) st = begin_again(r, t);
    if (!st && has_to_determine && r->options.reduce == DAE_REDUCE_AUTO)
        st = reinit_is_determined(r, t, &is_determined);
    return st || is_determined ? st : DAE_NUMERIC;
}

/* Whether what is integrated stays what it is in e->point.x, of a reduced system too. */
static bool has_stayed(run *r)
{
    event_loop *e = r->events;
    if (!r->reduction) return true;
    reinit_show(r, e->room.x, e->room.xp);
    return jump_notes_most(r, e->point.x, e->room.x) <= NEGLIGIBLE;
}

dae_status reinit_try(run *r, double t, bool is_by_analysis)
{
    point *p = &r->engine->stepper.point;
    if (is_bound(r)) return DAE_NUMERIC;
    if (is_by_analysis) return change_mode(r, t);
    if (r->events->whens.made_count > 0 && (r->reduction || !put(r)))
        return DAE_NUMERIC;
    const dae_status st = reinit_solve(r, t, *p);
    return st || has_stayed(r) ? st : DAE_NUMERIC;
}

dae_status reinit_try_free(run *r, double t)
{
    if (is_bound(r) || has_assigned(r->events)) return DAE_NUMERIC;
    stepper_restore(&r->engine->stepper);
    const dae_status st = begin_again(r, t);
    return st || has_stayed(r) ? st : DAE_NUMERIC;
}

dae_status reinit_assign(run *r, double t)
{
    point *p = &r->engine->stepper.point;
    bool is_same = true;
    dae_status st = is_bound(r) ? compare(r, &is_same) : DAE_OK;
    if (!st) st = change_bound(r, t, is_same);
    if (st != DAE_NUMERIC) return st;
    if (r->reduction)
        return follow_columns(r, t, r->events->whens.made_count > 0);
    /* what is no state follows from the states, and contradicts what follows */
    if (!put(r)) return event_report_against(r, SIZE_MAX, DAE_NUMERIC);
    st = reinit_solve(r, t, *p);
    if (st == DAE_NUMERIC) st = change_mode(r, t);
    if (!reinit_has_none(st)) return st;
    stepper_restore(&r->engine->stepper);
    (void)put(r);
    st = put_onto_thresholds(r, t);
    if (!st) st = begin_again(r, t);
    return reinit_has_none(st) ? event_report_against(r, SIZE_MAX, st) : st;
}
