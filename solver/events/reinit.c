#include "events/reinit.h"
#include "base/region.h"
#include "events/event_report.h"
#include "events/jump.h"
#include "events/jump_notes.h"
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

/* ---- nothing is assigned ------------------------------------------------------ */

static void swap_held(event_loop *e)
{
    for (size_t k = 0; k < e->held_count; k++) {
        const double now = e->held[k];
        e->held[k] = e->point.held_last[k];
        e->point.held_last[k] = now;
    }
}

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
    swap_held(e);
    dae_status st = event_loop_needed(e, r->problem->self, before);
    swap_held(e);
    if (!st) st = event_loop_needed(e, r->problem->self, now);
    for (size_t k = 0; k < e->held_count && !st; k++)
        if (has_changed(e, k) && ((now[k] | before[k]) & DAE_NEEDED_EQUATIONS))
            *is_same = false;
    return st;
}

static dae_status solve(run *r, double t, double *x, double *xp)
{
    reduction *d = r->reduction;
    return algebraic_solve(r->engine, d ? d->now : NULL, t, x, xp);
}

/* The equations may determine something else now. The engine's values, and what is
 * assigned, are those that are begun from. */
static dae_status change_mode(run *r, double t)
{
    event_loop *e = r->events;
    const dae_allocator *a = r->allocator;
    const size_t slots = e->states + e->unknowns;
    const uint8_t *order = r->problem->order;
    uint8_t *is_assigned = alloc_zeroed(a, slots, 1);
    size_t *first = alloc_zeroed(a, e->unknowns + 1, sizeof *first);
    dae_status st = DAE_MEMORY;
    for (size_t j = 0; first && j < e->unknowns; j++)
        first[j + 1] = first[j]
            + (order && order[j] != 1 && order[j] > 0 ? order[j] : 1);
    for (size_t m = 0; first && is_assigned && m < e->whens.made_count; m++) {
        const dae_assignment *made =
            &e->of->assignments[e->whens.made[m].assignment];
        const size_t j = (size_t)made->index;
        const bool is_low = made->order < first[j + 1] - first[j];
        const size_t slot = is_low ? first[j] + made->order : e->states + j;
        is_assigned[slot] = 1;
        *(is_low ? &e->point.x[slot]
                 : &e->point.xp[j]) = e->whens.made[m].value;
    }
    if (first && is_assigned) st = mode_enter(r, t, is_assigned);
    alloc_free(a, first, e->unknowns + 1, sizeof *first);
    alloc_free(a, is_assigned, slots, 1);
    return st;
}

/* ---- a little later ----------------------------------------------------------- */

/* Chains of derivatives as power series; what has none stays. */
static void move(const layout *l, double s, double *x, const double *xp)
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

dae_status reinit_ahead(run *r, double t, double s, double *x, double *xp)
{
    const point *p = &r->engine->stepper.point;
    const layout *l = &r->engine->layout;
    reduction *d = r->reduction;
    double *own_x = d ? d->stepped_x : x, *own_xp = d ? d->stepped_xp : xp;
    memcpy(own_x, p->x, l->states * sizeof *x);
    memcpy(own_xp, p->xp, l->unknowns * sizeof *xp);
    move(l, s, own_x, own_xp);
    bounds_clip(&r->engine->newton.bounds, own_x);
    const dae_status st = solve(r, t + s, own_x, own_xp);
    if (!st && d) reduction_show(d, own_x, own_xp, x, xp);
    return st == DAE_NUMERIC ? DAE_RETRY : st;
}

dae_status reinit_beside(
    run *r, double t, double s, size_t state, double off, double *x, double *xp)
{
    const event_loop *e = r->events;
    if (r->reduction) return reinit_ahead(r, t, s, x, xp);
    memcpy(x, e->point.x, e->states * sizeof *x);
    memcpy(xp, e->point.xp, e->unknowns * sizeof *xp);
    x[state] += off;
    bounds_clip(&r->engine->newton.bounds, x);
    dae_status st = solve(r, t, x, xp);
    if (!st && s != 0) {
        move(&r->engine->layout, s, x, xp);
        bounds_clip(&r->engine->newton.bounds, x);
        st = solve(r, t + s, x, xp);
    }
    return st == DAE_NUMERIC ? DAE_RETRY : st;
}

/* ---- onto a threshold --------------------------------------------------------------- */

/* Behind an event a state may lie beside the threshold of a switch whose branch has no value
 * there, as sqrt(h) at h = -1e-22: it is put onto the threshold. */

/* g of one switch at room_x, with the caller's xp of the point. */
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
    const double threshold = threshold_is_whole(e, k) ? round(g) : 0;
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

/* Where an assigned value lives: below N in x, from there on in xp. */
static size_t slot_of(const layout *l, const dae_assignment *a)
{
    const size_t j = (size_t)a->index;
    const size_t width = l->first[j + 1] - l->first[j];
    if (a->order < width) return l->first[j] + a->order;
    return l->states + j;
}

static bool is_integrated(const layout *l, const dae_assignment *a)
{
    return a->order < l->order[a->index];
}

/* Into the point; whether all are of what is integrated. */
static bool put(run *r)
{
    const event_loop *e = r->events;
    const layout *l = &r->engine->layout;
    point *p = &r->engine->stepper.point;
    bool are_states = true;
    for (size_t m = 0; m < e->whens.made_count; m++) {
        const dae_assignment *a =
            &e->of->assignments[e->whens.made[m].assignment];
        const size_t slot = slot_of(l, a);
        if (slot < l->states) p->x[slot] = e->whens.made[m].value;
        else p->xp[slot - l->states] = e->whens.made[m].value;
        are_states = are_states && is_integrated(l, a);
    }
    return are_states;
}

static void mark_fixed(const run *r, uint8_t *x_fixed, uint8_t *xp_fixed)
{
    const event_loop *e = r->events;
    const layout *l = &r->engine->layout;
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t s = l->first[j]; s < l->first[j + 1]; s++)
            x_fixed[s] = l->order[j] > 0;
    for (size_t m = 0; m < e->whens.made_count; m++) {
        const size_t slot = slot_of(
            l, &e->of->assignments[e->whens.made[m].assignment]);
        if (slot < l->states) x_fixed[slot] = 1;
        else xp_fixed[slot - l->states] = 1;
    }
}

/* By the search for a start, all that is assigned or integrated given. */
static dae_status search_given(run *r, double t)
{
    const layout *l = &r->engine->layout;
    const dae_allocator *a = r->allocator;
    uint8_t *fixed = alloc_zeroed(a, l->states, 1);
    uint8_t *slopes = alloc_zeroed(a, l->unknowns, 1);
    init_findings found = {.outcome = INIT_UNSOLVED};
    dae_status st = DAE_MEMORY;
    if (fixed && slopes) {
        mark_fixed(r, fixed, slopes);
        st = begin_held(r, t, fixed, slopes, &found);
        if (st == DAE_INCONSISTENT || st == DAE_NUMERIC)
            st = event_report_contradiction(r, &found, st);
        init_findings_clear(&found);
    }
    alloc_free(a, slopes, l->unknowns, 1);
    alloc_free(a, fixed, l->states, 1);
    return st;
}

/* ---- of a reduced system -------------------------------------------------------- */

/* Columns of the extended problem that are assigned, their values in z. A derivative
 * that is no column is contradicted by nothing, and determined by nothing. */
static void put_columns(const run *r, uint8_t *is_held, double *z)
{
    const event_loop *e = r->events;
    const extended *x = r->reduction->extended;
    for (size_t m = 0; m < e->whens.made_count; m++) {
        const dae_assignment *a =
            &e->of->assignments[e->whens.made[m].assignment];
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
    const dae_status st = solve(r, t, p->x, p->xp);
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
    const dae_assignment *a = &r->events->of->assignments[made->assignment];
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
    const bool has_none = st == DAE_INCONSISTENT || st == DAE_RETRY
        || st == DAE_NUMERIC;
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
    if (st != DAE_RETRY && st != DAE_NUMERIC && st != DAE_INCONSISTENT)
        return st;
    reinit_show(r, e->room.x, e->room.xp);
    jump_notes_add_slots(r, &r->reduction->layout, e->point.x, e->room.x, NULL);
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
    st = solve(r, t, p->x, p->xp);
    return st || *is_same ? st : share_jump(r, t);
}

dae_status reinit_is_determined(run *r, double t, bool *is)
{
    const reduction *d = r->reduction;
    const layout *l = &r->engine->layout;
    const point *p = &r->engine->stepper.point;
    *is = true;
    if (is_bound(r) || (d && d->now->stabilizer)) return DAE_OK;
    double *x = d ? d->stepped_x : r->events->room.x;
    double *xp = d ? d->stepped_xp : r->events->room.xp;
    memcpy(x, p->x, l->states * sizeof *x);
    memcpy(xp, p->xp, l->unknowns * sizeof *xp);
    const dae_status st = solve(r, t, x, xp);
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

dae_status reinit_change(run *r, double t, dae_status why)
{
    dae_status st = why;
    if (st == DAE_NUMERIC) st = change_mode(r, t);
    if (st != DAE_RETRY && st != DAE_NUMERIC) return st;
    stepper_restore(&r->engine->stepper);
    bool is_determined = true;
    st = put_onto_thresholds(r, t);
    if (!st) st = begin_again(r, t);
    if (!st && r->options.reduce == DAE_REDUCE_AUTO)
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
    const dae_status st = solve(r, t, p->x, p->xp);
    return st || has_stayed(r) ? st : DAE_NUMERIC;
}

dae_status reinit_try_free(run *r, double t)
{
    if (is_bound(r) || r->events->whens.made_count > 0) return DAE_NUMERIC;
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
    if (put(r)) {
        st = solve(r, t, p->x, p->xp);
        if (st == DAE_NUMERIC) st = change_mode(r, t);
        if (st != DAE_RETRY && st != DAE_NUMERIC && st != DAE_INCONSISTENT)
            return st;
        stepper_restore(&r->engine->stepper);
        (void)put(r);
        st = put_onto_thresholds(r, t);
        if (st) return st;
    }
    return search_given(r, t);
}
