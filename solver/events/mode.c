#include "events/mode.h"
#include "base/region.h"
#include "events/event_report.h"
#include "events/jump.h"
#include "events/reinit.h"
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
    uint8_t *x_fixed, *x_guessed, *is_assigned;
} mode;

static void mode_free(mode *m)
{
    if (!m) return;
    const dae_allocator *a = m->memory.allocator;
    arena_clear(&m->memory);
    alloc_free(a, m, 1, sizeof *m);
}

/* What is assigned is given; what is integrated too, or it is a guess. */
static void give(const event_loop *e, mode *m, bool are_given)
{
    const layout *l = &e->layout;
    memcpy(m->x_fixed, m->is_assigned, e->slots);
    memset(m->x_guessed, DAE_GUESS_NONE, e->slots);
    for (size_t j = 0; j < e->unknowns; j++)
        for (size_t s = l->first[j]; l->order[j] && s < l->first[j + 1]; s++) {
            if (are_given) m->x_fixed[s] = 1;
            m->x_guessed[s] = DAE_GUESS_OWN;
        }
}

static mode *create(const event_loop *e)
{
    run *r = e->run;
    const event_whens *w = &e->whens;
    mode *m = alloc_zeroed(r->allocator, 1, sizeof *m);
    if (!m) return NULL;
    arena *a = &m->memory;
    arena_init(a, r->allocator, 0);
    if (!TAKE(a, m->x, e->slots) || !TAKE(a, m->x_fixed, e->slots)
        || !TAKE(a, m->x_guessed, e->slots)
        || !TAKE(a, m->is_assigned, e->slots)) {
        mode_free(m);
        return NULL;
    }
    memcpy(m->x, e->point.x, e->slots * sizeof *m->x);
    for (size_t k = 0; k < w->made_count; k++)
        m->is_assigned[w->made[k].slot] = 1;
    m->problem = *r->problem;
    m->problem.smoothness = r->problem->smoothness_held;
    m->start = (dae_start){.t0 = e->stop.t,
        .is_of_run = 1,
        .x = m->x,
        .xp = m->x + e->states,
        .x_fixed = m->x_fixed,
        .xp_fixed = m->x_fixed + e->states,
        .x_guessed = m->x_guessed,
        .xp_guessed = m->x_guessed + e->states};
    m->problem.start = &m->start;
    give(e, m, true);
    return m;
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
static dae_status find_known(event_loop *e, dae_analysis ***out)
{
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
    const dae_status st = event_loop_needed(e, m->needed);
    if (st) return st;
    e->engine.known_count++;
    *out = &m->analysis;
    return DAE_OK;
}

/* DAE_OK with a start that holds, or why there is none. */
static dae_status analyse(
    event_loop *e, mode *m, const dae_options *options, reduction **out)
{
    dae_analysis **known;
    dae_status st = find_known(e, &known);
    if (st) return st;
    st = reduction_create(
        &m->problem, options, true, known, e->run->allocator, NULL, out);
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
static void begin_engine(const event_loop *e, const stepper *before, double t)
{
    stepper *s = &e->run->engine->stepper;
    s->t_end = before->t_end;
    s->h_max = before->h_max;
    if (before->fixed.length > 0) {
        s->fixed = before->fixed;
        newton_tighten(&e->run->engine->newton);
    }
    const fixed_steps fixed = s->fixed;
    stepper_start(s, t, s->point.x, s->point.xp, e->run->direction,
        fabs(before->h), before->interval);
    s->fixed = fixed;
    s->t_start = before->t_start;
    damping_carry(s, before);
    damping_pass(s, fabs(before->h));
}

static stepping stepping_of(const event_loop *e)
{
    const event_engine *own = &e->engine;
    return (stepping){e->run->engine, e->run->reduction, own->mode, own->index};
}

static void step_by(event_loop *e, stepping what)
{
    e->run->engine = what.engine;
    e->run->reduction = what.reduction;
    e->engine.mode = what.mode;
    e->engine.index = what.index;
}

static void stepping_free(stepping what)
{
    engine_free(what.engine);
    reduction_free(what.reduction);
    mode_free(what.mode);
}

static dae_status adopt(event_loop *e, mode *m, reduction *d, engine *next)
{
    const stepper *before = &e->run->engine->stepper;
    point *p = &next->stepper.point;
    const double t = e->stop.t;
    dae_status st = DAE_OK;
    /* whether nothing has to be done about it is all that counts below 2 */
    const int64_t index = d->analysis->index > 1 ? d->analysis->index : 1;
    step_by(e, (stepping){next, d->now ? d : NULL, m, index});
    if (d->now) {
        st = reduction_attach(d, &next->stepper);
        reduced_gather(d->now, d->past[0], p->x, p->xp);
    } else {
        memcpy(p->x, m->x, next->layout.states * sizeof *p->x);
        memcpy(p->xp, m->x + e->states, next->layout.unknowns * sizeof *p->xp);
        begin_take_found(&next->layout, &d->analysis->start, p->x, p->xp);
    }
    p->t = t;
    weights_update(&next->weights, p->x, 1);
    const bool has_slopes = d->now ? d->now->stabilizer != NULL
                                   : d->extended != NULL;
    if (!st && !has_slopes) st = algebraic_solve(next, d->now, t, p->x, p->xp);
    if (!st) st = requirements_check(e->run, t);
    if (!st) begin_engine(e, before, t);
    return st;
}

static dae_status change(event_loop *e, mode *m, reduction *d)
{
    run *r = e->run;
    event_engine *own = &e->engine;
    engine *next;
    const stepping before = stepping_of(e);
    const dae_problem *p = d->now ? &d->now->problem : r->problem;
    dae_status st = engine_create(
        p, &r->options, r->formula, NULL, &r->stats, r->allocator, NULL, &next);
    if (st) return st;
    st = adopt(e, m, d, next);
    if (st) {
        step_by(e, before);
        engine_free(next);
        return st;
    }
    if (own->has_kept) stepping_free(before);
    else own->kept = before;
    own->has_kept = true;
    if (!d->now) reduction_free(d);
    return DAE_OK;
}

/* ---- whether and how ------------------------------------------------------------- */

/* Columns of the mode from what is before it and assigned, and back. */
static void exchange(const reduction *d, mode *m, jump_task *task, bool is_back)
{
    const layout *l = &d->layout;
    for (size_t j = 0; j < l->unknowns; j++) {
        const size_t width = l->first[j + 1] - l->first[j];
        const size_t first = d->extended->column_first[j];
        for (size_t o = 0; o <= l->order[j]; o++) {
            const size_t slot = o < width ? l->first[j] + o : l->states + j;
            if (first + o >= d->extended->column_first[j + 1]) continue;
            if (is_back) {
                m->x[slot] = task->z[first + o];
            } else {
                task->z[first + o] = m->x[slot];
                task->is_held[first + o] = m->is_assigned[slot];
            }
        }
    }
}

/* How the equations of the mode share the jump, into m->x and m->xp. */
static dae_status share(event_loop *e, mode *m, const reduction *d)
{
    jump_task task;
    dae_status st = jump_begin(&task, d, m->start.t0);
    if (!st) {
        task.are_open = true;
        task.blow = e->instant.blow;
        memcpy(task.z, d->past[0], d->extended->columns * sizeof *task.z);
        exchange(d, m, &task, false);
        st = jump_solve(&task, &e->run->stats);
    }
    if (!st) jump_notes_add(e, &task);
    if (!st) exchange(d, m, &task, true);
    jump_end(&task);
    return st;
}

/* What is integrated has to jump. The structure of the mode is found with sizes
 * that no tolerance has a part in, then what its equations make of the jump. */
static dae_status analyse_jump(event_loop *e, mode *m, reduction **out)
{
    dae_options options = e->run->options;
    options.atol = options.rtol;
    give(e, m, false);
    dae_status st = analyse(e, m, &options, out);
    if (st) return st;
    const dae_analysis *a = (*out)->analysis;
    const bool is_shared = (*out)->extended != NULL;
    (*out)->atol =
        e->run->options.atol; /* what it leaves is given, and compared */
    if (is_shared) st = share(e, m, *out);
    const bool is_least = !is_shared || reinit_has_none(st);
    const bool is_open = a->start.verdict == DAE_START_UNDERDETERMINED;
    /* equations of index 1 say how a jump is shared, though it is not found */
    const bool is_told = is_shared && a->index <= 1;
    if (is_least && is_told && is_open) {
        st = DAE_NUMERIC; /* the least change would be another answer */
    } else if (is_least) {
        st = DAE_OK;
        begin_take_found(&(*out)->layout, &a->start, m->x, m->x + e->states);
        if (!is_told) jump_notes_add_slots(e, e->point.x, m->x, m->is_assigned);
    }
    reduction_free(*out);
    *out = NULL;
    if (!is_least) give(e, m, true); /* as the jump has left it */
    return st ? st : analyse(e, m, &e->run->options, out);
}

dae_status mode_enter(event_loop *e)
{
    reduction *d = NULL;
    const dae_problem *p = e->run->problem;
    if (!p->series || !p->series_jacobian || !p->jacobian || e->run->unreduced)
        return DAE_NUMERIC;
    mode *m = create(e);
    if (!m) return DAE_MEMORY;
    dae_status st = analyse(e, m, &e->run->options, &d);
    if (st == DAE_NUMERIC || st == DAE_INCONSISTENT)
        st = analyse_jump(e, m, &d);
    if (!st) st = change(e, m, d);
    if (!st) return DAE_OK;
    reduction_free(d);
    mode_free(m);
    return st == DAE_RETRY ? DAE_NUMERIC : st;
}

/* ---- afterwards ------------------------------------------------------------------ */

void mode_settle(event_loop *e)
{
    run *r = e->run;
    event_engine *own = &e->engine;
    if (!own->has_kept) return;
    regularity_clear(&r->regularity);
    points_clear(r); /* they may be of the engine before */
    r->is_unwatched = true;
    r->is_described = false;
    engine_describe(r->engine, &r->stats);
    stepping_free(own->kept);
    own->has_kept = false;
    event_report_index(e, own->kept.index);
}

void mode_undo(event_loop *e)
{
    event_engine *own = &e->engine;
    if (!own->has_kept) return;
    stepping_free(stepping_of(e));
    step_by(e, own->kept);
    own->has_kept = false;
}

void mode_clear(event_loop *e)
{
    if (!e) return;
    mode_free(e->engine.mode);
    e->engine.mode = NULL;
    for (size_t k = 0; k < e->engine.known_count; k++) {
        dae_analysis_free(e->engine.known[k].analysis);
        e->engine.known[k].analysis = NULL;
    }
    e->engine.known_count = 0;
}

/* ---- the search for a consistent mode --------------------------------------------- */

typedef struct trials {
    event_loop *e;
    arena memory;
    modes of;
    size_t count, *index; /* the switches that may change side */
    mode_search_way way;
    modes_outcome *out;
    double *sides, *held_last, *x, *point_x, *point_xp; /* x: all slots */
    uint8_t *has_turned;
} trials;

double mode_other_side(const event_loop *e, size_t k)
{
    return modes_other_side(e->at[k].of->kind, e->sides[k]);
}

static dae_status take(trials *s)
{
    const event_loop *e = s->e;
    const layout *l = &e->run->engine->layout;
    const point *p = &e->run->engine->stepper.point;
    arena *a = &s->memory;
    if (!TAKE(a, s->index, e->count) || !TAKE(a, s->sides, e->count)
        || !TAKE(a, s->held_last, e->held_count)
        || !TAKE(a, s->has_turned, e->count) || !TAKE(a, s->x, e->slots)
        || !TAKE(a, s->point_x, l->states)
        || !TAKE(a, s->point_xp, l->unknowns))
        return DAE_MEMORY;
    for (size_t k = 0; k < e->count; k++) {
        s->sides[k] = e->sides[k];
        s->has_turned[k] = e->at[k].has_turned;
        if (e->at[k].of->domain == DAE_DOMAIN_POINT && !e->at[k].inactive
            && !isnan(mode_other_side(e, k)))
            s->index[s->count++] = k;
    }
    memcpy(
        s->held_last, e->point.held_last, e->held_count * sizeof *s->held_last);
    memcpy(s->x, e->point.x, e->slots * sizeof *e->point.x);
    memcpy(s->point_x, p->x, l->states * sizeof *p->x);
    memcpy(s->point_xp, p->xp, l->unknowns * sizeof *p->xp);
    return modes_init(&s->of, s->count, 0, a);
}

/* ---- one mode ------------------------------------------------------------------------ */

static void restore(trials *s)
{
    event_loop *e = s->e;
    point *p = &e->run->engine->stepper.point;
    memcpy(e->sides, s->sides, e->count * sizeof *e->sides);
    memcpy(
        e->point.held_last, s->held_last, e->held_count * sizeof *s->held_last);
    memset(e->instant.blow, 0, e->unknowns * sizeof *e->instant.blow);
    e->instant.is_struck = false;
    for (size_t k = 0; k < e->count; k++) {
        e->at[k].has_turned = s->has_turned[k];
        e->at[k].turns = e->at[k].pushes = 0;
    }
    memcpy(e->point.x, s->x, e->slots * sizeof *e->point.x);
    if (s->way != MODES_ALIKE) return; /* makes a point of its own */
    memcpy(p->x, s->point_x, e->run->engine->layout.states * sizeof *p->x);
    memcpy(p->xp, s->point_xp, e->run->engine->layout.unknowns * sizeof *p->xp);
}

/* A switch that has been flipped and is at its threshold with no rate proves nothing, unless
 * the equations hold it there. */
static bool is_undetermined(const trials *s)
{
    const event_loop *e = s->e;
    for (size_t i = 0; i < s->count; i++) {
        const size_t k = s->index[i];
        if (s->of.mode[i] && e->at[k].is_near && e->at[k].rate == 0
            && !e->at[k].is_locked_next)
            return true;
    }
    return false;
}

/* What is on another side at the values of the mode is turned next. */
static void propose(trials *s)
{
    event_loop *e = s->e;
    size_t first;
    s->of.has_proposal = true;
    for (size_t i = 0; i < s->count; i++)
        s->of.proposal[i] = e->sides[s->index[i]] != s->sides[s->index[i]];
    if (e->instant.is_struck || !modes_is_nearer(&s->of, &first)) return;
    const size_t k = s->index[first];
    const bool is_on = fabs(e->point.g[k]) <= e->at[k].noise;
    /* on its threshold it is the way it goes that contradicts */
    s->out->nearest = is_on && e->at[k].rate == 0 ? SIZE_MAX : k;
    s->out->g = is_on ? 0 : e->point.g[k];
}

/* The sides of values that are found with all switches free: of equations that are
 * continuous, as those of circuits with pieces, Newton's method in one branch may end
 * beyond it. */
static dae_status find_sides(trials *s)
{
    event_loop *e = s->e;
    for (size_t i = 0; i < s->count; i++) e->sides[s->index[i]] = (double)NAN;
    dae_status st = reinit_try_free(e);
    if (!st) reinit_show(e, e->point.x, e->point.xp);
    if (!st) st = threshold_here(e);
    for (size_t i = 0; i < s->count && !st; i++) {
        const size_t k = s->index[i];
        e->sides[k] = region_value(e->at[k].of->kind, e->point.g[k]);
        if (isnan(e->sides[k])) st = DAE_RETRY;
    }
    return st;
}

/* The mode s->of.mode, or (`are_free`) the one that values are in which know of none. */
static dae_status try_mode(trials *s, bool are_free, bool *is_consistent)
{
    event_loop *e = s->e;
    bool has_turned = false;
    restore(s);
    for (size_t i = 0; i < s->count && !are_free; i++)
        if (s->of.mode[i])
            e->sides[s->index[i]] = mode_other_side(e, s->index[i]);
    dae_status st = are_free ? find_sides(s) : DAE_OK;
    if (!st) st = reinit_try(e, s->way != MODES_ALIKE);
    if (!st) reinit_show(e, e->point.x, e->point.xp);
    if (!st && s->way == MODES_ANALYSED
        && jump_notes_most(e, s->x, e->point.x) > HAS_JUMPED)
        st = DAE_NUMERIC;
    if (!st) {
        memcpy(e->point.held_last, e->held, e->held_count * sizeof *e->held);
        st = sides_turn(e, &has_turned);
    }
    *is_consistent = !st && !has_turned
        && (are_free || s->way != MODES_ALIKE || !is_undetermined(s));
    if (!st && has_turned && !are_free) propose(s);
    return reinit_has_none(st) ? DAE_OK : st;
}

dae_status mode_search(event_loop *e, mode_search_way way, modes_outcome *out)
{
    dae_diagnostics *ds = e->run->ds;
    const bool is_trial = e->instant.is_trial;
    modes_outcome own;
    trials s = {.e = e, .way = way, .out = out ? out : &own};
    bool is_found = false;
    *s.out = (modes_outcome){.nearest = SIZE_MAX};
    arena_init(&s.memory, e->run->allocator, 0);
    dae_status st = take(&s);
    e->run->ds = NULL;
    e->instant.is_trial = true;
    if (!st && s.count > 0) { /* all but the mode at hand, which has none */
        modes_begin(&s.of, true);
        while (!st && !is_found && modes_next(&s.of))
            st = try_mode(&s, false, &is_found);
        if (!st && !is_found && way == MODES_ALIKE)
            st = try_mode(&s, true, &is_found);
    }
    e->instant.is_trial = is_trial;
    e->run->ds = ds;
    if (!is_found) s.out->tried = s.of.tried_count;
    if (!st && !is_found) restore(&s);
    /* what is at hand has changed since the round, not since the last trial */
    if (!st)
        memcpy(e->point.held_last, s.held_last,
            e->held_count * sizeof *s.held_last);
    for (size_t k = 0; is_found && k < e->count; k++)
        e->at[k].has_turned = s.has_turned[k]
            | (e->sides[k] != s.sides[k] ? TURNED : 0);
    if (is_found) e->instant.has_changed = true;
    arena_clear(&s.memory);
    return st || is_found ? st : DAE_NUMERIC;
}
