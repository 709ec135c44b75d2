#include "events/mode.h"
#include "base/region.h"
#include "events/event_report.h"
#include "events/jump.h"
#include "events/reinit.h"
#include "events/search.h"
#include "events/sides.h"
#include "reduce/thresholds.h"
#include "run/algebraic.h"
#include "run/begin.h"
#include "run/points.h"
#include "run/requirements.h"
#include "step/damping.h"
#include <math.h>
#include <string.h>

/* The problem with a start at the instant; lives as long as its reduction. */
typedef struct mode {
    dae_problem problem;
    dae_start start;
    arena memory;
    double *x; /* all slots */
    uint8_t *x_fixed, *x_guessed;
    int64_t index;
} mode;

static void mode_free(mode *m)
{
    if (!m) return;
    const dae_allocator *a = m->memory.allocator;
    arena_clear(&m->memory);
    alloc_free(a, m, 1, sizeof *m);
}

static mode *create(run *r, double t)
{
    const event_loop *e = r->events;
    mode *m = alloc_zeroed(r->allocator, 1, sizeof *m);
    if (!m) return NULL;
    arena *a = &m->memory;
    arena_init(a, r->allocator, 0);
    if (!TAKE(a, m->x, e->slots) || !TAKE(a, m->x_fixed, e->slots)
        || !TAKE(a, m->x_guessed, e->slots)) {
        mode_free(m);
        return NULL;
    }
    memcpy(m->x, e->point.x, e->slots * sizeof *m->x);
    m->problem = *r->problem;
    m->problem.smoothness = r->problem->smoothness_held;
    m->start = (dae_start){.t0 = t,
        .is_of_run = 1,
        .x = m->x,
        .xp = m->x + e->states,
        .x_fixed = m->x_fixed,
        .xp_fixed = m->x_fixed + e->states,
        .x_guessed = m->x_guessed,
        .xp_guessed = m->x_guessed + e->states};
    m->problem.start = &m->start;
    return m;
}

/* What is assigned is given; what is integrated too, or it is a guess. */
static void give(
    const run *r, mode *m, const uint8_t *is_assigned, bool are_given)
{
    const event_loop *e = r->events;
    const layout *l = &e->layout;
    for (size_t j = 0; j < e->unknowns; j++) {
        const bool is_state = l->order[j] > 0;
        for (size_t s = l->first[j]; s < l->first[j + 1]; s++) {
            m->x_fixed[s] = is_assigned[s] || (are_given && is_state);
            m->x_guessed[s] = is_state ? DAE_GUESS_OWN : DAE_GUESS_NONE;
        }
        m->x_fixed[e->states + j] = is_assigned[e->states + j];
        m->x_guessed[e->states + j] = DAE_GUESS_NONE;
    }
}

/* ---- modes that are met again ---------------------------------------------------- */

/* So many unknowns at most in all modes that are kept. */
enum { UNKNOWNS_KEPT = 100000 };

/* What is held where equations read it makes them what they are. */
static bool is_held(const event_loop *e, const known_mode *m)
{
    for (size_t k = 0; k < e->held_count; k++) {
        const double one = e->held[k], other = m->held[k];
        const bool is_same = one == other || (isnan(one) && isnan(other));
        if ((m->needed[k] & DAE_NEEDED_DIRECTLY) && !is_same) return false;
    }
    return true;
}

/* *out: where the analysis of the mode that is held is, or is to be; NULL: nowhere. */
static dae_status find_known(run *r, dae_analysis ***out)
{
    event_loop *e = r->events;
    const size_t count = e->engine.known_count;
    *out = NULL;
    for (known_mode *m = e->engine.known; m < e->engine.known + count; m++)
        if (is_held(e, m)) *out = &m->analysis;
    if (*out || count >= MODES_KEPT || count >= UNKNOWNS_KEPT / e->unknowns)
        return DAE_OK;
    known_mode *m = &e->engine.known[count];
    if ((!m->held && !TAKE(&e->memory, m->held, e->held_count))
        || (!m->needed && !TAKE(&e->memory, m->needed, e->held_count)))
        return DAE_MEMORY;
    memcpy(m->held, e->held, e->held_count * sizeof *m->held);
    const dae_status st = event_loop_needed(e, r->problem->self, m->needed);
    if (st) return st;
    e->engine.known_count++;
    *out = &m->analysis;
    return DAE_OK;
}

static void forget(event_loop *e)
{
    for (size_t k = 0; k < e->engine.known_count; k++) {
        dae_analysis_free(e->engine.known[k].analysis);
        e->engine.known[k].analysis = NULL;
    }
    e->engine.known_count = 0;
}

/* DAE_OK with a start that holds, or why there is none. */
static dae_status analyse(
    run *r, mode *m, const dae_options *options, reduction **out)
{
    dae_analysis **known;
    dae_status st = find_known(r, &known);
    if (st) return st;
    st = reduction_create(
        &m->problem, options, true, known, r->allocator, NULL, out);
    if (st == DAE_UNSUPPORTED || st == DAE_MODEL) return DAE_NUMERIC;
    if (st) return st;
    const dae_start_verdict v = (*out)->analysis->start.verdict;
    const bool has_start = v == DAE_START_CONSISTENT
        || v == DAE_START_UNDERDETERMINED;
    const bool is_left = !(*out)->now && (*out)->extended
        && (*out)->analysis->index > 1;
    if (has_start && !is_left) return DAE_OK;
    reduction_free(*out);
    *out = NULL;
    return DAE_NUMERIC;
}

/* ---- the engine ------------------------------------------------------------------ */

/* At the instant, with end, longest step and grid of the one before. */
static void begin_engine(run *r, const stepper *before, double t)
{
    stepper *s = &r->engine->stepper;
    s->t_end = before->t_end;
    s->h_max = before->h_max;
    if (before->fixed.length > 0) {
        s->fixed = before->fixed;
        newton_tighten(&r->engine->newton);
    }
    const fixed_steps fixed = s->fixed;
    stepper_start(s, t, s->point.x, s->point.xp, r->direction, fabs(before->h),
        before->interval);
    s->fixed = fixed;
    s->t_start = before->t_start;
    damping_carry(s, before);
    damping_pass(s, fabs(before->h));
}

static dae_status adopt(run *r, mode *m, reduction *d, engine *e, double t)
{
    const stepper *before = &r->engine->stepper;
    point *p = &e->stepper.point;
    event_loop *l = r->events;
    dae_status st = DAE_OK;
    r->engine = e;
    r->reduction = d->now ? d : NULL;
    l->engine.mode = m;
    if (d->now) {
        st = reduction_attach(d, &e->stepper);
        reduced_gather(d->now, d->past[0], p->x, p->xp);
    } else {
        memcpy(p->x, m->x, e->layout.states * sizeof *p->x);
        memcpy(p->xp, m->x + l->states, e->layout.unknowns * sizeof *p->xp);
        begin_take_found(&e->layout, &d->analysis->start, p->x, p->xp);
    }
    p->t = t;
    weights_update(&e->weights, p->x, 1);
    const bool has_slopes = d->now ? d->now->stabilizer != NULL
                                   : d->extended != NULL;
    if (!st && !has_slopes) st = algebraic_solve(e, d->now, t, p->x, p->xp);
    if (!st) st = requirements_check(r, t);
    if (!st) begin_engine(r, before, t);
    return st;
}

static void free_parts(engine *e, reduction *d, mode *m)
{
    engine_free(e);
    reduction_free(d);
    mode_free(m);
}

/* Whether nothing has to be done about it is all that counts below 2. */
static int64_t index_of(const reduction *d)
{
    return d->analysis->index > 1 ? d->analysis->index : 1;
}

static dae_status change(run *r, mode *m, reduction *d, double t)
{
    event_loop *l = r->events;
    engine *e;
    engine *old_engine = r->engine;
    reduction *old_reduction = r->reduction;
    mode *old_mode = l->engine.mode;
    const dae_problem *p = d->now ? &d->now->problem : r->problem;
    dae_status st = engine_create(
        p, &r->options, r->formula, NULL, &r->stats, r->allocator, NULL, &e);
    if (st) return st;
    st = adopt(r, m, d, e, t);
    if (st) {
        r->engine = old_engine;
        r->reduction = old_reduction;
        l->engine.mode = old_mode;
        engine_free(e);
        return st;
    }
    if (l->engine.has_kept) {
        free_parts(old_engine, old_reduction, old_mode);
    } else {
        l->engine.has_kept = true;
        l->engine.kept.engine = old_engine;
        l->engine.kept.reduction = old_reduction;
        l->engine.kept.mode = old_mode;
        l->engine.kept.index = l->engine.index;
    }
    l->engine.index = index_of(d);
    if (!d->now) reduction_free(d);
    return DAE_OK;
}

/* ---- whether and how ------------------------------------------------------------- */

/* Columns of the mode from what is before it and assigned, and back. */
static void exchange(const reduction *d, mode *m, const uint8_t *is_assigned,
    double *z, uint8_t *is_held, bool is_back)
{
    const layout *l = &d->layout;
    for (size_t j = 0; j < l->unknowns; j++) {
        const size_t width = l->first[j + 1] - l->first[j];
        const size_t first = d->extended->column_first[j];
        for (size_t o = 0; o <= l->order[j]; o++) {
            const size_t slot = o < width ? l->first[j] + o : l->states + j;
            double *value = &m->x[slot];
            if (first + o >= d->extended->column_first[j + 1]) continue;
            if (is_back) *value = z[first + o];
            else z[first + o] = *value;
            if (!is_back) is_held[first + o] = is_assigned[slot];
        }
    }
}

/* How the equations of the mode share the jump, into m->x and m->xp. */
static dae_status share(
    run *r, mode *m, const reduction *d, double t, const uint8_t *is_assigned)
{
    const dae_allocator *a = r->allocator;
    const size_t count = d->extended->columns;
    uint8_t *is_held = alloc_zeroed(a, 2 * count, 1);
    double *z = alloc_zeroed(a, 2 * count, sizeof *z);
    dae_status st = DAE_MEMORY;
    if (is_held && z) {
        jump_task task = {.t = t,
            .first = jump_lowest(d),
            .is_held = is_held,
            .z = z,
            .is_open = is_held + count,
            .blow = r->events->instant.blow};
        memcpy(z, d->past[0], count * sizeof *z);
        exchange(d, m, is_assigned, z, is_held, false);
        memcpy(z + count, z, count * sizeof *z);
        st = jump_solve(d, &task, &r->stats);
        if (!st)
            jump_notes_add(r, d, z + count, z, task.is_open, task.is_least);
        if (!st) exchange(d, m, is_assigned, z, is_held, true);
    }
    alloc_free(a, z, 2 * count, sizeof *z);
    alloc_free(a, is_held, 2 * count, 1);
    return st;
}

/* What is integrated has to jump. The structure of the mode is found with sizes
 * that no tolerance has a part in, then what its equations make of the jump. */
static dae_status analyse_jump(
    run *r, mode *m, double t, const uint8_t *is_assigned, reduction **out)
{
    dae_options options = r->options;
    options.atol = options.rtol;
    give(r, m, is_assigned, false);
    dae_status st = analyse(r, m, &options, out);
    if (st) return st;
    const bool is_shared = (*out)->extended != NULL;
    if (is_shared) st = share(r, m, *out, t, is_assigned);
    const bool is_least = !is_shared || reinit_has_none(st);
    const bool is_open = (*out)->analysis->start.verdict
        == DAE_START_UNDERDETERMINED;
    /* equations of index 1 say how a jump is shared, though it is not found */
    const bool is_told = is_shared && (*out)->analysis->index <= 1;
    if (is_least && is_told && is_open) {
        st = DAE_NUMERIC; /* the least change would be another answer */
    } else if (is_least) {
        st = DAE_OK;
        begin_take_found(&(*out)->layout, &(*out)->analysis->start, m->x,
            m->x + r->events->states);
        if (!is_told)
            jump_notes_add_slots(r, r->events->point.x, m->x, is_assigned);
    }
    reduction_free(*out);
    *out = NULL;
    if (!is_least) give(r, m, is_assigned, true); /* as the jump has left it */
    return st ? st : analyse(r, m, &r->options, out);
}

dae_status mode_enter(run *r, double t, const uint8_t *is_assigned)
{
    reduction *d = NULL;
    const dae_problem *p = r->problem;
    if (!p->series || !p->series_jacobian || !p->jacobian || r->unreduced)
        return DAE_NUMERIC;
    mode *m = create(r, t);
    if (!m) return DAE_MEMORY;
    give(r, m, is_assigned, true);
    dae_status st = analyse(r, m, &r->options, &d);
    if (st == DAE_NUMERIC || st == DAE_INCONSISTENT)
        st = analyse_jump(r, m, t, is_assigned, &d);
    if (!st) st = change(r, m, d, t);
    if (!st) return DAE_OK;
    reduction_free(d);
    mode_free(m);
    return st == DAE_RETRY ? DAE_NUMERIC : st;
}

/* ---- afterwards ------------------------------------------------------------------ */

void mode_settle(run *r)
{
    event_loop *e = r->events;
    if (!e->engine.has_kept) return;
    regularity_clear(&r->regularity);
    points_clear(r); /* they may be of the engine before */
    r->is_unwatched = true;
    r->is_described = false;
    engine_describe(r->engine, &r->stats);
    free_parts(
        e->engine.kept.engine, e->engine.kept.reduction, e->engine.kept.mode);
    e->engine.has_kept = false;
    event_report_index(r, e->engine.kept.index);
}

void mode_undo(run *r)
{
    event_loop *e = r->events;
    if (!e->engine.has_kept) return;
    free_parts(r->engine, r->reduction, e->engine.mode);
    r->engine = e->engine.kept.engine;
    r->reduction = e->engine.kept.reduction;
    e->engine.mode = e->engine.kept.mode;
    e->engine.index = e->engine.kept.index;
    e->engine.has_kept = false;
}

void mode_clear(event_loop *e)
{
    if (!e) return;
    mode_free(e->engine.mode);
    e->engine.mode = NULL;
    forget(e);
}

/* ---- the search for a consistent mode --------------------------------------------- */

typedef struct trials {
    run *r;
    arena memory;
    modes of;
    size_t count, *index; /* the switches that may change side */
    mode_search_way way;
    modes_outcome *out;
    double *sides, *x, *point_x, *point_xp; /* x: all slots */
    uint8_t *has_turned;
} trials;

double mode_other_side(const event_loop *e, size_t k)
{
    return modes_other_side(e->at[k].of->kind, e->sides[k]);
}

static bool may_flip(const event_loop *e, size_t k)
{
    return e->at[k].of->domain == DAE_DOMAIN_POINT && !e->at[k].inactive
        && !isnan(mode_other_side(e, k));
}

static bool take_room(trials *s)
{
    const event_loop *e = s->r->events;
    const layout *l = &s->r->engine->layout;
    arena *a = &s->memory;
    return TAKE(a, s->sides, e->count) && TAKE(a, s->has_turned, e->count)
        && TAKE(a, s->x, e->slots) && TAKE(a, s->point_x, l->states)
        && TAKE(a, s->point_xp, l->unknowns);
}

static dae_status take(trials *s)
{
    const event_loop *e = s->r->events;
    const layout *l = &s->r->engine->layout;
    const point *p = &s->r->engine->stepper.point;
    if (!TAKE(&s->memory, s->index, e->count)) return DAE_MEMORY;
    for (size_t k = 0; k < e->count; k++)
        if (may_flip(e, k)) s->index[s->count++] = k;
    const dae_status st = modes_init(&s->of, s->count, 0, &s->memory);
    if (st || !take_room(s)) return DAE_MEMORY;
    memcpy(s->sides, e->sides, e->count * sizeof *e->sides);
    for (size_t k = 0; k < e->count; k++)
        s->has_turned[k] = e->at[k].has_turned;
    memcpy(s->x, e->point.x, e->slots * sizeof *e->point.x);
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
    memcpy(e->sides, s->sides, e->count * sizeof *e->sides);
    memset(e->instant.blow, 0, e->unknowns * sizeof *e->instant.blow);
    e->instant.is_struck = false;
    for (size_t k = 0; k < e->count; k++) {
        e->at[k].has_turned = s->has_turned[k];
        e->at[k].turns = e->at[k].pushes = 0;
    }
    memcpy(e->point.x, s->x, e->slots * sizeof *e->point.x);
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

/* A switch that has been flipped and is at its threshold with no rate proves nothing, unless
 * the equations hold it there. */
static bool is_undetermined(const trials *s)
{
    const event_loop *e = s->r->events;
    for (size_t i = 0; i < s->count; i++) {
        const size_t k = s->index[i];
        if (s->of.mode[i] && e->at[k].is_near && e->at[k].rate == 0
            && !e->at[k].is_locked_next)
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

static void note_nearest(trials *s)
{
    event_loop *e = s->r->events;
    size_t first;
    if (e->instant.is_struck || !modes_is_nearer(&s->of, &first)) return;
    const size_t k = s->index[first];
    const double g = e->point.g[k];
    const bool is_on = fabs(g) <= e->at[k].noise;
    /* on its threshold it is the way it goes that contradicts */
    s->out->nearest = is_on && e->at[k].rate == 0 ? SIZE_MAX : k;
    s->out->g = is_on ? 0 : g;
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
    if (has_turned) {
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
    if (!st) st = threshold_here(r);
    for (size_t i = 0; i < s->count && !st; i++) {
        const size_t k = s->index[i];
        e->sides[k] = region_value(e->at[k].of->kind, e->point.g[k]);
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
    for (size_t k = 0; *is_found && k < e->count; k++)
        e->at[k].has_turned = s.has_turned[k]
            | (e->sides[k] != s.sides[k] ? TURNED : 0);
    if (*is_found) e->instant.has_changed = true;
    arena_clear(&s.memory);
    return st;
}
