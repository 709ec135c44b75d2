/* A run is asked twice, with less accuracy the second time: what the two differ
 * by is how far the reference can be trusted. Closed forms are compared with a
 * run before they are believed: `expect x ~ 1 within 0.1 always` is no solution.
 * Those that hold replace what runs say, for some unknowns or for all. */
#include "orders_reference.h"
#include "memory.h"
#include "orders_run.h"
#include <dae/study.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Relative tolerances of tight runs, the first that comes to an end, and how much
 * looser the second run is. */
static const double TIGHT[] = {1e-12, 1e-11, 1e-10, 1e-9};
enum { TIGHT_COUNT = sizeof TIGHT / sizeof *TIGHT };
static const double LOOSER = 10;
/* How much closed forms may differ from runs: so many times what is known of
 * these, and units of rounding, which long runs gather. */
static const double HELD = 10, HELD_ROUNDINGS = 1000;
enum { CHECKS = 9, RADAU_ORDER = 9, SUBSTEPS = 4, FEWER_SUBSTEPS = 2 };
/* The same of index 2 and above, reduced. */
enum { STEPS_ORDER = 13 };
/* Parts of each step that a run took, of Radau for errors of runs. What it then
 * differs by from a coarser one is to be no more, of the largest value. */
enum { RUN_SUBSTEPS = 2, FEWER_RUN_SUBSTEPS = 1 };
static const double GOOD = 1e-11;
/* Points times states that more digits are not too slow for. */
enum { MOST_LONG = 100000 };
/* Relative; more than what one is dropped from a grid for. */
static const double SAME_TIME = 256 * DBL_EPSILON;
/* In the order in which they are taken for the reference. */
static const char *const METHODS[] = {"ndf", "bdf-flc", "bdf"};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

/* ---- a track ---- */

static bool make_room(track *k)
{
    k->x = memory_take(k->count * k->state_count + 1, sizeof *k->x);
    k->uncertain = memory_take(k->state_count + 1, sizeof *k->uncertain);
    k->scale = memory_take(k->state_count + 1, sizeof *k->scale);
    return k->x && k->uncertain && k->scale;
}

static void note_scales(track *k)
{
    for (size_t p = 0; p < k->count; p++)
        for (size_t j = 0; j < k->state_count; j++)
            k->scale[j] = fmax(
                k->scale[j], (double)dae_long_abs(track_at(k, p)[j]));
}

/* Values are doubles, found by a few operations. */
static void note_rounding(track *k)
{
    for (size_t j = 0; j < k->state_count; j++)
        k->uncertain[j] = 4 * DBL_EPSILON * k->scale[j];
}

/* What two references for the same times differ by. */
static void note_difference(track *k, const dae_long *other)
{
    for (size_t p = 0; p < k->count; p++)
        for (size_t j = 0; j < k->state_count; j++)
            k->uncertain[j] = fmax(k->uncertain[j],
                (double)dae_long_abs(
                    track_at(k, p)[j] - other[p * k->state_count + j]));
}

/* ---- a run at tight tolerance ---- */

static dae_status walk_run(track *k, dae_run *r)
{
    double *x = memory_take(k->state_count + 1, sizeof *x);
    dae_status st = x ? DAE_OK : DAE_MEMORY;
    if (!st) st = dae_run_start(r);
    for (size_t p = 0; !st && p < k->count; p++) {
        const double *at = dae_run_x(r);
        if (p > 0) {
            st = dae_solver_advance(
                dae_run_solver(r), (double)k->times[p], x, NULL);
            at = x;
        }
        for (size_t j = 0; !st && j < k->state_count; j++)
            k->x[p * k->state_count + j] = (dae_long)at[j];
    }
    return st;
}

/* How a track is filled: by a run, or by Radau on a grid that has its times. */
typedef struct way {
    const char *method;
    double rtol;
    const dae_long *grid;
    size_t grid_count;
    int substeps;
    bool is_long;
} way;
typedef dae_status fill_fn(track *k, const reference *ref, const way *how);

static dae_status run_tightly(track *k, const reference *ref, const way *how)
{
    orders_run r;
    session *s = ref->session;
    dae_status st = orders_run_begin(
        &r, s, how->rtol / dae_run_rtol(s->run), how->method, 5);
    if (!st) st = walk_run(k, r.run);
    orders_run_end(&r);
    return st;
}

/* ---- fixed steps ---- */

/* Steps that the track's times are ends of. */
static dae_status walk_steps(track *k, dae_run *r, int substeps)
{
    dae_status st = dae_run_start(r);
    for (size_t p = 0; !st && p < k->count; p++) {
        for (int i = 0; !st && p > 0 && i < substeps; i++)
            st = dae_solver_step(dae_run_solver(r));
        const double *at = p > 0 && !st ? dae_solver_x(dae_run_solver(r))
                                        : dae_run_x(r);
        for (size_t j = 0; !st && j < k->state_count; j++)
            k->x[p * k->state_count + j] = (dae_long)at[j];
    }
    return st;
}

/* All steps of the grid are of one length. */
static dae_status run_fixed(track *k, const reference *ref, const way *how)
{
    orders_run r;
    const double first = (double)(k->times[1] - k->times[0]);
    dae_status st = orders_run_begin(
        &r, ref->session, 1, how->method, STEPS_ORDER);
    if (!st) dae_run_options(r.run)->step = fabs(first) / how->substeps;
    if (!st) st = walk_steps(k, r.run, how->substeps);
    orders_run_end(&r);
    return st;
}

/* ---- values at a time, from the equations there ---- */

typedef struct points {
    session *session; /* for its run's problem, whose start is replaced */
    dae_start start;
    size_t states, unknowns;
    double *x, *xp; /* guesses: what was found last */
    uint8_t *none;  /* nothing is given */
} points;

static bool points_init(points *q, session *s)
{
    const dae_problem *p = dae_run_problem(s->run);
    *q = (points){.session = s,
        .states = dae_problem_state_count(p),
        .unknowns = p->unknown_count};
    q->x = memory_take(q->states + 1, sizeof *q->x);
    q->xp = memory_take(q->unknowns + 1, sizeof *q->xp);
    q->none = memory_take(q->states + q->unknowns + 1, 1);
    if (!q->x || !q->xp || !q->none) return false;
    memcpy(q->x, dae_run_x(s->run), q->states * sizeof *q->x);
    memcpy(q->xp, dae_run_xp(s->run), q->unknowns * sizeof *q->xp);
    q->start = (dae_start){
        .x = q->x, .xp = q->xp, .x_fixed = q->none, .xp_fixed = q->none};
    return true;
}

static dae_status find_point(points *q, double t, messages *m)
{
    dae_run *r = q->session->run;
    dae_problem problem = *dae_run_problem(r);
    dae_options options = *dae_run_options(r);
    dae_solver *solver = NULL;
    problem.start = &q->start;
    q->start.t0 = t;
    /* beyond t, wherever it is */
    options.t_end = dae_run_end(r) + (dae_run_end(r) - dae_run_begin(r));
    if (options.reduce == DAE_REDUCE_NEVER) options.reduce = DAE_REDUCE_AUTO;
    dae_status st = dae_solver_create(
        &problem, &options, &q->session->limits.allocator, m->library, &solver);
    if (!st) st = dae_solver_initialize(solver);
    if (!st) {
        memcpy(q->x, dae_solver_x(solver), q->states * sizeof *q->x);
        memcpy(q->xp, dae_solver_xp(solver), q->unknowns * sizeof *q->xp);
    }
    dae_solver_free(solver);
    return st;
}

static dae_status fill_points(track *k, reference *ref)
{
    session *s = ref->session;
    messages quiet;
    points q;
    if (!messages_init(&quiet, &s->limits.allocator)) return DAE_MEMORY;
    dae_status st = points_init(&q, s) ? DAE_OK : DAE_MEMORY;
    for (size_t p = 0; !st && p < k->count; p++) {
        if (p > 0) st = find_point(&q, (double)k->times[p], &quiet);
        for (size_t j = 0; !st && j < k->state_count; j++)
            k->x[p * k->state_count + j] = (dae_long)q.x[j];
        if (!st && limits_stop(&s->limits)) st = DAE_INTERRUPTED;
    }
    messages_clear(&quiet);
    return st;
}

/* ---- Radau ---- */

typedef struct radau {
    track *track;
    const dae_run *start;
    size_t next; /* among the track's times */
} radau;

static dae_status give_start(
    void *context, size_t index, dae_long t, dae_long *x, dae_long *xp)
{
    const radau *q = context;
    (void)index, (void)t;
    for (size_t j = 0; j < q->track->state_count; j++)
        x[j] = (dae_long)dae_run_x(q->start)[j];
    for (size_t j = 0; j < dae_run_problem(q->start)->unknown_count; j++)
        xp[j] = (dae_long)dae_run_xp(q->start)[j];
    return DAE_OK;
}

static dae_status keep_point(void *context, size_t index, dae_long t,
    const dae_long *x, const dae_long *xp)
{
    radau *q = context;
    track *k = q->track;
    (void)index, (void)xp;
    if (q->next == k->count) return DAE_OK;
    const double at = (double)k->times[q->next];
    /* what is nearer is one time on the grid */
    if (fabs((double)t - at) > SAME_TIME * fabs(at)) return DAE_OK;
    memcpy(k->x + q->next++ * k->state_count, x, k->state_count * sizeof *x);
    return DAE_OK;
}

static dae_status run_radau(track *k, const reference *ref, const way *how)
{
    session *s = ref->session;
    radau q = {k, s->run, 0};
    dae_study study = dae_study_default();
    study.method = DAE_STUDY_RADAU;
    study.order = RADAU_ORDER;
    study.precision = how->is_long ? DAE_STUDY_LONG : DAE_STUDY_DOUBLE;
    study.times = how->grid;
    study.time_count = how->grid_count;
    study.substeps = how->substeps;
    study.given = give_start, study.given_context = &q;
    study.point = keep_point, study.point_context = &q;
    study.linear = dae_run_options(s->run)->linear;
    study.interrupt = limits_stop, study.interrupt_context = &s->limits;
    const dae_status st = dae_study_run(
        ref->problem, &study, &s->limits.allocator, NULL, NULL);
    return !st && q.next < k->count ? DAE_NUMERIC : st;
}

/* ---- filling ---- */

/* Two ways, of which the second is less accurate. */
static dae_status fill_twice(track *k, const reference *ref, fill_fn *fill,
    const way *first, const way *second)
{
    track other = *k;
    if (!k->other)
        k->other = memory_take(k->count * k->state_count + 1, sizeof *k->other);
    if (!k->other) return DAE_MEMORY;
    other.x = k->other;
    memset(k->uncertain, 0, k->state_count * sizeof *k->uncertain);
    dae_status st = fill(k, ref, first);
    if (!st) st = fill(&other, ref, second);
    if (!st) note_difference(k, k->other);
    return st;
}

static dae_status refuse_reference(reference *ref)
{
    messages_add(&ref->session->messages, "E0501",
        "there is nothing to measure errors against: runs at rtol = %.0e to "
        "%.0e fail (`dae run` says why)",
        TIGHT[0], TIGHT[TIGHT_COUNT - 1]);
    return DAE_NUMERIC;
}

static dae_status fill_tightly(track *k, const reference *ref)
{
    for (size_t i = 0; i < TIGHT_COUNT; i++) {
        const way first = {.method = ref->method, .rtol = TIGHT[i]};
        const way second = {
            .method = ref->other_method, .rtol = LOOSER * TIGHT[i]};
        const dae_status st = fill_twice(k, ref, run_tightly, &first, &second);
        k->is_double = true;
        k->use = (reference_use){
            REFERENCE_TIGHT, first.method, first.rtol, false};
        if (st != DAE_NUMERIC && st != DAE_RETRY) return st;
    }
    return DAE_NUMERIC;
}

/* At a quarter of each step of the study, and half of it. */
static dae_status fill_fixed(track *k, const reference *ref)
{
    const way first = {.method = "radau", .substeps = SUBSTEPS};
    const way second = {.method = "radau", .substeps = FEWER_SUBSTEPS};
    k->is_double = true;
    return fill_twice(k, ref, run_fixed, &first, &second);
}

/* What is exact is so for the other reference, too. */
static void put_value(track *k, size_t p, size_t state, dae_long value)
{
    k->x[p * k->state_count + state] = value;
    if (k->other) k->other[p * k->state_count + state] = value;
}

/* On the track's own times, or a grid that has them. */
static dae_status fill_radau(
    track *k, const reference *ref, const way *how, int fewer)
{
    way second = *how;
    second.substeps = fewer;
    k->use = (reference_use){.kind = REFERENCE_RADAU, .is_long = how->is_long};
    return fill_twice(k, ref, run_radau, how, &second);
}

/* Of the states whose formulas hold. */
static dae_status fill_closed(track *k, reference *ref)
{
    dae_status st = DAE_OK;
    dae_long *x = memory_take(k->state_count + 1, sizeof *x);
    if (!x) return DAE_MEMORY;
    for (size_t p = 0; !st && p < k->count; p++) {
        st = dae_closed_form_states(ref->closed, k->times[p], x);
        for (size_t j = 0; !st && j < k->state_count; j++)
            if (ref->is_held[j]) put_value(k, p, j, x[j]);
    }
    for (size_t j = 0; j < k->state_count; j++)
        if (ref->is_held[j]) k->uncertain[j] = 0;
    return st;
}

static dae_status begin_track(
    track *k, const reference *ref, const dae_long *times, size_t count)
{
    *k = (track){.times = times,
        .count = count,
        .state_count = dae_problem_state_count(ref->problem)};
    k->use.kind = ref->kind;
    return make_room(k) ? DAE_OK : DAE_MEMORY;
}

static dae_status finish_track(track *k, reference *ref)
{
    dae_status st = DAE_OK;
    if (ref->kind == REFERENCE_POINTS) note_scales(k), note_rounding(k);
    if (ref->held_count) st = fill_closed(k, ref);
    if (!st) note_scales(k);
    return st;
}

dae_status track_init(
    track *k, reference *ref, const dae_long *times, size_t count)
{
    dae_status st = begin_track(k, ref, times, count);
    if (st) return st;
    if (ref->kind == REFERENCE_POINTS) {
        st = fill_points(k, ref);
    } else if (ref->kind == REFERENCE_TIGHT) {
        st = ref->is_by_steps ? fill_fixed(k, ref) : DAE_NUMERIC;
        if (st == DAE_NUMERIC || st == DAE_RETRY) {
            ref->was_too_long = ref->is_by_steps;
            st = fill_tightly(k, ref);
        }
    } else if (ref->kind == REFERENCE_RADAU) {
        const way how = {.grid = times,
            .grid_count = count,
            .substeps = SUBSTEPS,
            .is_long = ref->is_long};
        st = fill_radau(k, ref, &how, FEWER_SUBSTEPS);
        /* steps of the study are too long even for it */
        if (st == DAE_NUMERIC) {
            ref->was_too_long = true;
            st = fill_tightly(k, ref);
        }
    }
    if (st == DAE_NUMERIC) st = refuse_reference(ref);
    return st ? st : finish_track(k, ref);
}

/* By the largest values. */
static double worst_of(track *k)
{
    double worst = 0;
    note_scales(k);
    for (size_t j = 0; j < k->state_count; j++)
        if (k->uncertain[j] > worst * k->scale[j])
            worst = k->uncertain[j] / k->scale[j];
    return worst;
}

/* Digits of a double do, or else more of them. */
static dae_status fill_by_steps(
    track *k, const reference *ref, const orders_times *o)
{
    way how = {
        .grid = o->grid, .grid_count = o->grid_count, .substeps = RUN_SUBSTEPS};
    if (!o->has_steps) return DAE_NUMERIC;
    const dae_status st = fill_radau(k, ref, &how, FEWER_RUN_SUBSTEPS);
    const bool is_small = o->grid_count * k->state_count <= MOST_LONG;
    if (st || !ref->is_long || !is_small || worst_of(k) <= GOOD) return st;
    how.is_long = true;
    return fill_radau(k, ref, &how, FEWER_RUN_SUBSTEPS);
}

/* Where Radau is not good enough, as on a kink, a run may be better. */
static dae_status fill_runs(track *k, reference *ref, const orders_times *o)
{
    track other;
    dae_status st = ref->kind == REFERENCE_RADAU ? fill_by_steps(k, ref, o)
                                                 : DAE_NUMERIC;
    if (st == DAE_NUMERIC || st == DAE_RETRY) return fill_tightly(k, ref);
    if (st || worst_of(k) <= GOOD) return st;
    st = begin_track(&other, ref, k->times, k->count);
    if (!st) st = fill_tightly(&other, ref);
    if (!st && worst_of(&other) < worst_of(k)) *k = other;
    return st;
}

dae_status track_init_runs(track *k, reference *ref, const orders_times *o)
{
    dae_status st = begin_track(k, ref, o->times, o->count);
    if (st) return st;
    if (ref->kind == REFERENCE_POINTS) st = fill_points(k, ref);
    else if (ref->kind != REFERENCE_EXPECT) st = fill_runs(k, ref, o);
    if (st == DAE_NUMERIC) st = refuse_reference(ref);
    return st ? st : finish_track(k, ref);
}

/* ---- choosing ---- */

/* A closed form differs from two runs by no more than these from each other, and
 * rounding. Both are by its own size: a bound that does for 1 proves nothing of
 * 1e-9. */
static bool holds(const track *k, const track *closed, size_t j)
{
    double off = 0;
    for (size_t p = 0; p < k->count; p++) {
        const double e = (double)dae_long_abs(
            track_at(k, p)[j] - track_at(closed, p)[j]);
        if (!(e <= off)) off = e;
    }
    return off <= HELD * k->uncertain[j]
        + HELD_ROUNDINGS * DBL_EPSILON * closed->scale[j];
}

/* Which of the closed forms are what runs find, at some times; none where there
 * are no such runs. */
static dae_status check_closed(reference *ref, track *k, track *closed)
{
    dae_status st = make_room(k) && make_room(closed) ? DAE_OK : DAE_MEMORY;
    if (!st) st = fill_tightly(k, ref);
    const bool has_run = st != DAE_NUMERIC && st != DAE_RETRY;
    if (!has_run) st = DAE_OK;
    if (!st) st = fill_closed(closed, ref);
    if (!st) note_scales(closed);
    for (size_t j = 0; !st && j < k->state_count; j++) {
        ref->is_held[j] = has_run && ref->is_held[j] && holds(k, closed, j);
        ref->held_count += ref->is_held[j];
    }
    return st;
}

/* All formulas are tried. */
static dae_status choose_held(reference *ref)
{
    dae_long times[CHECKS];
    const dae_run *r = ref->session->run;
    const double t0 = dae_run_begin(r), t1 = dae_run_end(r);
    track k = {.times = times,
        .count = CHECKS,
        .state_count = dae_problem_state_count(ref->problem)};
    track closed = k;
    size_t tried = 0;
    ref->is_held = memory_take(k.state_count + 1, sizeof *ref->is_held);
    if (!ref->is_held) return DAE_MEMORY;
    for (size_t j = 0; j < k.state_count; j++)
        tried += ref->is_held[j] = dae_closed_form_has(ref->closed, j);
    for (size_t p = 0; p < CHECKS; p++)
        times[p] = (dae_long)(t0 + (t1 - t0) * (double)p / (CHECKS - 1));
    return tried ? check_closed(ref, &k, &closed) : DAE_OK;
}

static bool has_switches(const dae_problem *p)
{
    return !p->is_smooth || (p->events && p->events->when_count > 0);
}

/* Steps of Radau's are those of the study, and go across a switch without knowing
 * of it; a run notices the error that this makes. */
static reference_kind choose_kind(const check *k, const dae_problem *p)
{
    const int64_t index = check_index(k);
    if (index > 1 && check_freedom(k) == 0) return REFERENCE_POINTS;
    return index > 1 || has_switches(p) ? REFERENCE_TIGHT : REFERENCE_RADAU;
}

static bool is_studied(const orders_plan *p, const char *method)
{
    for (size_t i = 0; i < p->method_count; i++)
        if (strcmp(p->methods[i], method) == 0) return true;
    return false;
}

/* A method cannot tell of its own errors. */
static void choose_methods(reference *ref, const orders_plan *p)
{
    size_t first = 0;
    while (first < METHOD_COUNT && is_studied(p, METHODS[first])) first++;
    if (first == METHOD_COUNT) first = 0;
    ref->method = METHODS[first];
    ref->other_method =
        METHODS[first == METHOD_COUNT - 1 ? 0 : METHOD_COUNT - 1];
}

dae_status reference_init(reference *ref, session *s, const orders_plan *plan)
{
    *ref = (reference){.session = s,
        .problem = dae_run_problem(s->run),
        .kind = choose_kind(&s->check, dae_run_problem(s->run)),
        .is_long = dae_run_problem(s->run)->residual_long != NULL};
    choose_methods(ref, plan);
    /* the errors of its orders are below those of runs at any tolerance */
    ref->is_by_steps = ref->kind == REFERENCE_TIGHT
        && check_index(&s->check) > 1 && !has_switches(ref->problem)
        && is_studied(plan, "radau");
    dae_status st = dae_closed_form_create(s->model, ref->problem,
        dae_run_begin(s->run), dae_run_end(s->run), (double)INFINITY,
        &s->limits.allocator, &ref->closed);
    if (st) return st;
    ref->has_closed = dae_closed_form_is_complete(ref->closed);
    st = choose_held(ref);
    if (ref->held_count == dae_problem_state_count(ref->problem))
        ref->kind = REFERENCE_EXPECT;
    return st;
}

bool reference_is_mixed(const reference *ref)
{
    return ref->kind != REFERENCE_EXPECT && ref->held_count > 0;
}

const char *reference_text(const reference *ref)
{
    switch (ref->kind) {
    case REFERENCE_EXPECT: return "expect";
    case REFERENCE_POINTS: return "expression";
    default: return "tight run";
    }
}

const char *reference_sentence(const reference *ref)
{
    switch (ref->kind) {
    case REFERENCE_EXPECT:
        return "the closed forms of the model's expect lines";
    case REFERENCE_POINTS:
        return "what the equations and their derivatives say at each time";
    case REFERENCE_RADAU:
        return ref->was_too_long
            ? "Radau IIA of order 9 at a quarter of each step, and where that "
              "fails a run at tight tolerance"
            : "Radau IIA of order 9 at a quarter of each step";
    default:
        if (ref->is_by_steps)
            return ref->was_too_long
                ? "Radau IIA of order 13 at a quarter of each step with the "
                  "index reduced, and where that fails a run at tight tolerance"
                : "Radau IIA of order 13 at a quarter of each step, with the "
                  "index reduced";
        return check_index(&ref->session->check) > 1
            ? "runs at tight tolerance, with the index reduced"
            : "runs at tight tolerance";
    }
}

void reference_use_sentence(
    const reference *ref, const reference_use *use, char *text, size_t size)
{
    if (use->kind == REFERENCE_RADAU)
        (void)snprintf(text, size,
            "Radau IIA of order 9 at half of each step of a run at "
            "rtol = %.0e%s",
            orders_times_tolerance(),
            use->is_long ? ", in extended precision" : "");
    else if (use->kind == REFERENCE_TIGHT)
        (void)snprintf(text, size, "a run of %s at rtol = %.0e%s", use->method,
            use->rtol,
            check_index(&ref->session->check) > 1 ? ", with the index reduced"
                                                  : "");
    else (void)snprintf(text, size, "%s", reference_sentence(ref));
}
