#include "events/mode_search.h"
#include "base/region.h"
#include "events/event_report.h"
#include "events/mode.h"
#include "events/reinit.h"
#include "events/search.h"
#include "events/sides.h"
#include "events/threshold.h"
#include "reduce/thresholds.h"
#include <math.h>
#include <string.h>

typedef struct trials {
    run *r;
    arena memory;
    modes of;
    size_t count, *index; /* the switches that may change side */
    mode_search_way way;
    modes_outcome *out;
    double *sides, *x, *xp, *point_x, *point_xp;
    uint8_t *has_turned;
} trials;

double mode_other_side(const event_loop *e, size_t k)
{
    return modes_other_side(e->of->switches[k].kind, e->sides[k]);
}

static bool may_flip(const event_loop *e, size_t k)
{
    return e->of->switches[k].domain == DAE_DOMAIN_POINT && !e->inactive.how[k]
        && !isnan(mode_other_side(e, k));
}

static bool take_room(trials *s)
{
    const event_loop *e = s->r->events;
    const layout *l = &s->r->engine->layout;
    arena *a = &s->memory;
    return TAKE(a, s->sides, e->of->switch_count)
        && TAKE(a, s->has_turned, e->of->switch_count)
        && TAKE(a, s->x, e->states) && TAKE(a, s->xp, e->unknowns)
        && TAKE(a, s->point_x, l->states) && TAKE(a, s->point_xp, l->unknowns);
}

static dae_status take(trials *s)
{
    const event_loop *e = s->r->events;
    const layout *l = &s->r->engine->layout;
    const point *p = &s->r->engine->stepper.point;
    if (!TAKE(&s->memory, s->index, e->of->switch_count)) return DAE_MEMORY;
    for (size_t k = 0; k < e->of->switch_count; k++)
        if (may_flip(e, k)) s->index[s->count++] = k;
    const dae_status st = modes_init(&s->of, s->count, 0, &s->memory);
    if (st || !take_room(s)) return DAE_MEMORY;
    memcpy(s->sides, e->sides, e->of->switch_count * sizeof *e->sides);
    memcpy(s->has_turned, e->turn.has_turned, e->of->switch_count);
    memcpy(s->x, e->point.x, e->states * sizeof *e->point.x);
    memcpy(s->xp, e->point.xp, e->unknowns * sizeof *e->point.xp);
    memcpy(s->point_x, p->x, l->states * sizeof *p->x);
    memcpy(s->point_xp, p->xp, l->unknowns * sizeof *p->xp);
    return DAE_OK;
}

/* ---- one mode ------------------------------------------------------------------------ */

static void restore(trials *s)
{
    run *r = s->r;
    event_loop *e = r->events;
    point *p = &r->engine->stepper.point;
    memcpy(e->sides, s->sides, e->of->switch_count * sizeof *e->sides);
    memcpy(e->turn.has_turned, s->has_turned, e->of->switch_count);
    memset(e->turn.blow, 0, e->unknowns * sizeof *e->turn.blow);
    e->turn.is_struck = false;
    memset(e->turn.turns, 0, e->of->switch_count * sizeof *e->turn.turns);
    memset(e->turn.pushes, 0, e->of->switch_count * sizeof *e->turn.pushes);
    memcpy(e->point.x, s->x, e->states * sizeof *e->point.x);
    memcpy(e->point.xp, s->xp, e->unknowns * sizeof *e->point.xp);
    if (s->way != MODES_ALIKE) return; /* makes a point of its own */
    memcpy(p->x, s->point_x, r->engine->layout.states * sizeof *p->x);
    memcpy(p->xp, s->point_xp, r->engine->layout.unknowns * sizeof *p->xp);
}

static void flip(trials *s)
{
    event_loop *e = s->r->events;
    restore(s);
    for (size_t k = 0; k < s->count; k++)
        if (s->of.mode[k])
            e->sides[s->index[k]] = mode_other_side(e, s->index[k]);
}

/* A switch that has been flipped and is at its threshold with no rate proves nothing. */
static bool is_undetermined(const trials *s)
{
    const event_loop *e = s->r->events;
    for (size_t i = 0; i < s->count; i++) {
        const size_t k = s->index[i];
        if (s->of.mode[i] && e->turn.is_near[k] && e->turn.rate[k] == 0)
            return true;
    }
    return false;
}

/* What is on another side at the values of the mode is turned. */
static void propose(trials *s)
{
    const event_loop *e = s->r->events;
    s->of.has_proposal = true;
    for (size_t i = 0; i < s->count; i++)
        s->of.proposal[i] = e->sides[s->index[i]] != s->sides[s->index[i]];
}

/* Whether one of those that are searched is on another side than the mode has. Others, as
 * of what a when has set for itself, follow behind. */
static bool has_left_mode(const trials *s)
{
    const event_loop *e = s->r->events;
    const double *mode = e->point.held_last + e->of->discrete_count;
    for (size_t i = 0; i < s->count; i++)
        if (e->sides[s->index[i]] != mode[s->index[i]]) return true;
    return false;
}

static void note_nearest(trials *s)
{
    event_loop *e = s->r->events;
    size_t first;
    if (e->turn.is_struck || !modes_is_nearer(&s->of, &first)) return;
    const size_t k = s->index[first];
    const double g = e->point.g[k];
    /* on its threshold: it is the way it goes that contradicts */
    s->out->nearest = fabs(g) > e->point.noise[k] ? k : SIZE_MAX;
    s->out->g = g;
}

static dae_status try_mode(trials *s, bool *is_consistent)
{
    run *r = s->r;
    event_loop *e = r->events;
    bool has_turned;
    *is_consistent = false;
    flip(s);
    dae_status st = reinit_try(r, e->stop.t, s->way != MODES_ALIKE);
    if (st) return reinit_has_none(st) ? DAE_OK : st;
    reinit_show(r, e->point.x, e->point.xp);
    if (s->way == MODES_ANALYSED
        && jump_notes_most(r, s->x, e->point.x) > HAS_JUMPED)
        return DAE_OK;
    memcpy(e->point.held_last, e->held, e->held_count * sizeof *e->held);
    st = sides_turn(r, &has_turned);
    if (st) return reinit_has_none(st) ? DAE_OK : st;
    if (has_turned && has_left_mode(s)) {
        propose(s);
        note_nearest(s);
    } else *is_consistent = s->way != MODES_ALIKE || !is_undetermined(s);
    return DAE_OK;
}

/* With all switches free, whose sides are then those of the values found: of equations
 * that are continuous, as those of circuits with pieces, Newton's method in one branch
 * may end beyond it. */
static dae_status try_free(trials *s, bool *is_consistent)
{
    run *r = s->r;
    event_loop *e = r->events;
    bool has_turned;
    *is_consistent = false;
    restore(s);
    for (size_t i = 0; i < s->count; i++) e->sides[s->index[i]] = (double)NAN;
    dae_status st = reinit_try_free(r, e->stop.t);
    if (!st) reinit_show(r, e->point.x, e->point.xp);
    if (!st)
        st = threshold_roots(r, e->stop.t, e->point.x, e->point.xp, e->point.g);
    for (size_t i = 0; i < s->count && !st; i++) {
        const size_t k = s->index[i];
        e->sides[k] = region_value(e->of->switches[k].kind, e->point.g[k]);
        if (isnan(e->sides[k])) st = DAE_RETRY;
    }
    if (!st) st = reinit_try(r, e->stop.t, false);
    if (!st) reinit_show(r, e->point.x, e->point.xp);
    memcpy(e->point.held_last, e->held, e->held_count * sizeof *e->held);
    if (!st) st = sides_turn(r, &has_turned);
    *is_consistent = !st && !has_turned;
    return reinit_has_none(st) ? DAE_OK : st;
}

/* All but the mode at hand, which has none. */
static dae_status try_all(trials *s, bool *is_found)
{
    dae_status st = DAE_OK;
    *is_found = false;
    modes_begin(&s->of, true);
    while (!st && !*is_found && modes_next(&s->of)) st = try_mode(s, is_found);
    if (!st && !*is_found && s->way == MODES_ALIKE) st = try_free(s, is_found);
    return st;
}

dae_status mode_search(
    run *r, mode_search_way way, bool *is_found, modes_outcome *out)
{
    event_loop *e = r->events;
    dae_diagnostics *ds = r->ds;
    trials s = {.r = r, .way = way, .out = out};
    *is_found = false;
    *out = (modes_outcome){.nearest = SIZE_MAX};
    arena_init(&s.memory, r->allocator, 0);
    dae_status st = take(&s);
    r->ds = NULL;
    if (!st && s.count > 0) {
        const bool is_trial = e->instant.is_trial;
        e->instant.is_trial = true;
        st = try_all(&s, is_found);
        e->instant.is_trial = is_trial;
        out->tried = s.of.tried_count;
    }
    r->ds = ds;
    if (!st && !*is_found) restore(&s);
    for (size_t k = 0; *is_found && k < e->of->switch_count; k++)
        e->turn.has_turned[k] = s.has_turned[k]
            | (e->sides[k] != s.sides[k] ? TURNED : 0);
    if (*is_found) e->instant.has_changed = true;
    arena_clear(&s.memory);
    return st;
}
