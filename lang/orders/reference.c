/* A run is asked twice, with less accuracy the second time: what the two differ
 * by is how far the reference can be trusted. Closed forms are compared with a
 * run before they are believed: `expect x ~ 1 within 0.1 always` is no solution.
 * Those that hold replace what runs say, for some unknowns or for all. */
#include "orders/reference.h"

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

static dae_long *values_of(const track *k, dae_orders *o)
{
    size_t size;
    if (!size_mul(k->state_count, sizeof *k->x, &size)) return NULL;
    return arena_take(&o->scratch, k->count, size);
}

static bool make_room(track *k, dae_orders *o)
{
    k->x = values_of(k, o);
    k->uncertain = ARENA_ARRAY(&o->scratch, double, k->state_count);
    k->scale = ARENA_ARRAY(&o->scratch, double, k->state_count);
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

static dae_status walk_run(track *k, dae_run *r, double *x)
{
    dae_status st = dae_run_start(r);
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
typedef dae_status fill_fn(track *k, dae_orders *o, const way *how);

/* A run whose messages are dropped with it. */
static dae_status side_run(const dae_orders *o, const way *how, double factor,
    int max_order, dae_diagnostics **quiet, dae_run **r)
{
    *r = NULL;
    dae_status st = dae_diagnostics_create(o->allocator, quiet);
    if (!st) st = orders_side_run(o, factor, how->method, max_order, *quiet, r);
    return st;
}

static dae_status run_tightly(track *k, dae_orders *o, const way *how)
{
    dae_run *r;
    dae_diagnostics *quiet;
    const arena_position mark = arena_mark(&o->scratch);
    double *x = ARENA_ARRAY(&o->scratch, double, k->state_count);
    dae_status st = side_run(
        o, how, how->rtol / dae_run_rtol(o->run), 5, &quiet, &r);
    if (!st) st = x ? walk_run(k, r, x) : DAE_MEMORY;
    dae_run_free(r);
    dae_diagnostics_free(quiet);
    arena_release(&o->scratch, mark);
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
static dae_status run_fixed(track *k, dae_orders *o, const way *how)
{
    dae_run *r;
    dae_diagnostics *quiet;
    const double first = (double)(k->times[1] - k->times[0]);
    dae_status st = side_run(o, how, 1, STEPS_ORDER, &quiet, &r);
    if (!st) dae_run_options(r)->step = fabs(first) / how->substeps;
    if (!st) st = walk_steps(k, r, how->substeps);
    dae_run_free(r);
    dae_diagnostics_free(quiet);
    return st;
}

/* ---- values at a time, from the equations there ---- */

typedef struct points {
    const dae_orders *of; /* for its run's problem, whose start is replaced */
    dae_start start;
    size_t states, unknowns;
    double *x, *xp; /* guesses: what was found last */
    uint8_t *none;  /* nothing is given */
} points;

static bool points_init(points *q, dae_orders *o)
{
    const dae_problem *p = dae_run_problem(o->run);
    *q = (points){.of = o,
        .states = dae_problem_state_count(p),
        .unknowns = p->unknown_count};
    q->x = ARENA_ARRAY(&o->scratch, double, q->states);
    q->xp = ARENA_ARRAY(&o->scratch, double, q->unknowns);
    q->none = ARENA_ARRAY(&o->scratch, uint8_t, q->states + q->unknowns);
    if (!q->x || !q->xp || !q->none) return false;
    memcpy(q->x, dae_run_x(o->run), q->states * sizeof *q->x);
    memcpy(q->xp, dae_run_xp(o->run), q->unknowns * sizeof *q->xp);
    q->start = (dae_start){
        .x = q->x, .xp = q->xp, .x_fixed = q->none, .xp_fixed = q->none};
    return true;
}

static dae_status find_point(points *q, double t, dae_diagnostics *quiet)
{
    dae_run *r = q->of->run;
    dae_problem problem = *dae_run_problem(r);
    dae_options options = *dae_run_options(r);
    dae_solver *solver = NULL;
    problem.start = &q->start;
    q->start.t0 = t;
    /* beyond t, wherever it is */
    options.t_end = dae_run_end(r) + (dae_run_end(r) - dae_run_begin(r));
    options.step = 0;
    if (options.reduce == DAE_REDUCE_NEVER) options.reduce = DAE_REDUCE_AUTO;
    dae_status st = dae_solver_create(
        &problem, &options, q->of->allocator, quiet, &solver);
    if (!st) st = dae_solver_initialize(solver);
    if (!st) {
        memcpy(q->x, dae_solver_x(solver), q->states * sizeof *q->x);
        memcpy(q->xp, dae_solver_xp(solver), q->unknowns * sizeof *q->xp);
    }
    dae_solver_free(solver);
    return st;
}

static dae_status fill_points(track *k, dae_orders *o)
{
    dae_diagnostics *quiet;
    points q;
    dae_status st = dae_diagnostics_create(o->allocator, &quiet);
    if (st) return st;
    if (!points_init(&q, o)) st = DAE_MEMORY;
    for (size_t p = 0; !st && p < k->count; p++) {
        if (p > 0) st = find_point(&q, (double)k->times[p], quiet);
        for (size_t j = 0; !st && j < k->state_count; j++)
            k->x[p * k->state_count + j] = (dae_long)q.x[j];
        if (!st && orders_is_interrupted(o)) st = DAE_INTERRUPTED;
    }
    dae_diagnostics_free(quiet);
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

static dae_status run_radau(track *k, dae_orders *o, const way *how)
{
    const dae_options *options = dae_run_options(o->run);
    radau q = {k, o->run, 0};
    dae_study study = dae_study_default();
    study.method = DAE_STUDY_RADAU;
    study.order = RADAU_ORDER;
    study.precision = how->is_long ? DAE_STUDY_LONG : DAE_STUDY_DOUBLE;
    study.times = how->grid;
    study.time_count = how->grid_count;
    study.substeps = how->substeps;
    study.given = give_start, study.given_context = &q;
    study.point = keep_point, study.point_context = &q;
    study.linear = options->linear;
    study.interrupt = options->interrupt;
    study.interrupt_context = options->interrupt_context;
    const dae_status st = dae_study_run(
        dae_run_problem(o->run), &study, o->allocator, NULL, NULL);
    return !st && q.next < k->count ? DAE_NUMERIC : st;
}

/* ---- filling ---- */

/* Two ways, of which the second is less accurate. */
static dae_status fill_twice(
    track *k, dae_orders *o, fill_fn *fill, const way *first, const way *second)
{
    track other = *k;
    if (!k->other) k->other = values_of(k, o);
    if (!k->other) return DAE_MEMORY;
    other.x = k->other;
    memset(k->uncertain, 0, k->state_count * sizeof *k->uncertain);
    dae_status st = fill(k, o, first);
    if (!st) st = fill(&other, o, second);
    if (!st) note_difference(k, k->other);
    return st;
}

static dae_status refuse_reference(const dae_orders *o)
{
    report(o->ds, DIAG_E0501, NULL, (text_span){0, 0},
        "there is nothing to measure errors against: runs at rtol = %.0e to "
        "%.0e fail (`dae run` says why)",
        TIGHT[0], TIGHT[TIGHT_COUNT - 1]);
    return DAE_NUMERIC;
}

static dae_status fill_tightly(track *k, dae_orders *o)
{
    const reference *ref = &o->reference;
    for (size_t i = 0; i < TIGHT_COUNT; i++) {
        const way first = {.method = ref->method, .rtol = TIGHT[i]};
        const way second = {
            .method = ref->other_method, .rtol = LOOSER * TIGHT[i]};
        const dae_status st = fill_twice(k, o, run_tightly, &first, &second);
        k->is_double = true;
        k->from.kind = DAE_REFERENCE_TIGHT;
        k->from.method = first.method;
        k->from.rtol = first.rtol;
        k->from.is_long = false;
        if (st != DAE_NUMERIC && st != DAE_RETRY) return st;
    }
    return DAE_NUMERIC;
}

/* At a quarter of each step of the study, and half of it. */
static dae_status fill_fixed(track *k, dae_orders *o)
{
    const way first = {.method = "radau", .substeps = SUBSTEPS};
    const way second = {.method = "radau", .substeps = FEWER_SUBSTEPS};
    k->is_double = true;
    return fill_twice(k, o, run_fixed, &first, &second);
}

/* What is exact is so for the other reference, too. */
static void put_value(track *k, size_t p, size_t state, dae_long value)
{
    k->x[p * k->state_count + state] = value;
    if (k->other) k->other[p * k->state_count + state] = value;
}

/* On the track's own times, or a grid that has them. */
static dae_status fill_radau(track *k, dae_orders *o, const way *how, int fewer)
{
    way second = *how;
    second.substeps = fewer;
    k->from.kind = DAE_REFERENCE_RADAU;
    k->from.rtol = orders_times_tolerance();
    k->from.is_long = how->is_long;
    return fill_twice(k, o, run_radau, how, &second);
}

/* Of the states whose formulas hold. */
static dae_status fill_closed(track *k, dae_orders *o)
{
    const reference *ref = &o->reference;
    dae_status st = DAE_OK;
    dae_long *x = ARENA_ARRAY(&o->scratch, dae_long, k->state_count);
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
    track *k, dae_orders *o, const dae_long *times, size_t count)
{
    *k = (track){.times = times,
        .count = count,
        .state_count = dae_problem_state_count(dae_run_problem(o->run)),
        .from = o->reference.of};
    return make_room(k, o) ? DAE_OK : DAE_MEMORY;
}

static dae_status finish_track(track *k, dae_orders *o)
{
    dae_status st = DAE_OK;
    if (o->reference.of.kind == DAE_REFERENCE_POINTS)
        note_scales(k), note_rounding(k);
    if (o->reference.held_count) st = fill_closed(k, o);
    if (!st) note_scales(k);
    return st;
}

/* What fails at these steps, runs at tight tolerance may do. */
static dae_status fill_steps(track *k, dae_orders *o)
{
    reference *ref = &o->reference;
    const way how = {.grid = k->times,
        .grid_count = k->count,
        .substeps = SUBSTEPS,
        .is_long = ref->is_long};
    const bool is_radau = ref->of.kind == DAE_REFERENCE_RADAU;
    dae_status st = DAE_NUMERIC;
    if (is_radau) st = fill_radau(k, o, &how, FEWER_SUBSTEPS);
    else if (ref->of.is_by_steps) st = fill_fixed(k, o);
    if (st != DAE_NUMERIC && (is_radau || st != DAE_RETRY)) return st;
    if (is_radau || ref->of.is_by_steps) ref->of.was_too_long = true;
    return fill_tightly(k, o);
}

dae_status track_init(
    track *k, dae_orders *o, const dae_long *times, size_t count)
{
    dae_status st = begin_track(k, o, times, count);
    if (st) return st;
    const dae_orders_reference_kind kind = o->reference.of.kind;
    if (kind == DAE_REFERENCE_POINTS) st = fill_points(k, o);
    else if (kind != DAE_REFERENCE_EXPECT) st = fill_steps(k, o);
    if (st == DAE_NUMERIC) st = refuse_reference(o);
    return st ? st : finish_track(k, o);
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
static dae_status fill_by_steps(track *k, dae_orders *o, const orders_times *at)
{
    way how = {.grid = at->grid,
        .grid_count = at->grid_count,
        .substeps = RUN_SUBSTEPS};
    if (!at->has_steps) return DAE_NUMERIC;
    const dae_status st = fill_radau(k, o, &how, FEWER_RUN_SUBSTEPS);
    const bool is_small = at->grid_count * k->state_count <= MOST_LONG;
    if (st || !o->reference.is_long || !is_small || worst_of(k) <= GOOD)
        return st;
    how.is_long = true;
    return fill_radau(k, o, &how, FEWER_RUN_SUBSTEPS);
}

/* Where Radau is not good enough, as on a kink, a run may be better. */
static dae_status fill_runs(track *k, dae_orders *o, const orders_times *at)
{
    track other;
    const bool is_radau = o->reference.of.kind == DAE_REFERENCE_RADAU;
    dae_status st = is_radau ? fill_by_steps(k, o, at) : DAE_NUMERIC;
    if (st == DAE_NUMERIC || st == DAE_RETRY) return fill_tightly(k, o);
    if (st || worst_of(k) <= GOOD) return st;
    st = begin_track(&other, o, k->times, k->count);
    if (!st) st = fill_tightly(&other, o);
    if (!st && worst_of(&other) < worst_of(k)) *k = other;
    return st;
}

dae_status track_init_runs(track *k, dae_orders *o, const orders_times *at)
{
    const dae_orders_reference_kind kind = o->reference.of.kind;
    dae_status st = begin_track(k, o, at->times, at->count);
    if (st) return st;
    if (kind == DAE_REFERENCE_POINTS) st = fill_points(k, o);
    else if (kind != DAE_REFERENCE_EXPECT) st = fill_runs(k, o, at);
    if (st == DAE_NUMERIC) st = refuse_reference(o);
    return st ? st : finish_track(k, o);
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
static dae_status check_closed(dae_orders *o, track *k, track *closed)
{
    reference *ref = &o->reference;
    dae_status st = make_room(k, o) && make_room(closed, o) ? DAE_OK
                                                            : DAE_MEMORY;
    if (!st) st = fill_tightly(k, o);
    const bool has_run = st != DAE_NUMERIC && st != DAE_RETRY;
    if (!has_run) st = DAE_OK;
    if (!st) st = fill_closed(closed, o);
    if (!st) note_scales(closed);
    for (size_t j = 0; !st && j < k->state_count; j++) {
        ref->is_held[j] = has_run && ref->is_held[j] && holds(k, closed, j);
        ref->held_count += ref->is_held[j];
    }
    return st;
}

/* All formulas are tried. */
static dae_status choose_held(dae_orders *o)
{
    dae_long times[CHECKS];
    reference *ref = &o->reference;
    const double t0 = dae_run_begin(o->run), t1 = dae_run_end(o->run);
    track k = {.times = times,
        .count = CHECKS,
        .state_count = dae_problem_state_count(dae_run_problem(o->run))};
    track closed = k;
    size_t tried = 0;
    ref->is_held = ARENA_ARRAY(&o->results, bool, k.state_count);
    if (!ref->is_held) return DAE_MEMORY;
    for (size_t j = 0; j < k.state_count; j++)
        tried += ref->is_held[j] = dae_closed_form_has(ref->closed, j);
    for (size_t p = 0; p < CHECKS; p++)
        times[p] = (dae_long)(t0 + (t1 - t0) * (double)p / (CHECKS - 1));
    if (!tried) return DAE_OK;
    const arena_position mark = arena_mark(&o->scratch);
    const dae_status st = check_closed(o, &k, &closed);
    arena_release(&o->scratch, mark);
    return st;
}

static bool has_switches(const dae_problem *p)
{
    return !p->is_smooth || (p->events && p->events->when_count > 0);
}

/* Steps of Radau's are those of the study, and go across a switch without knowing
 * of it; a run notices the error that this makes. */
static dae_orders_reference_kind choose_kind(const dae_orders *o)
{
    if (o->index > 1 && o->freedom == 0) return DAE_REFERENCE_POINTS;
    return o->index > 1 || has_switches(dae_run_problem(o->run))
        ? DAE_REFERENCE_TIGHT
        : DAE_REFERENCE_RADAU;
}

/* A method cannot tell of its own errors. */
static void choose_methods(reference *ref, const orders_plan *p)
{
    size_t first = 0;
    while (first < METHOD_COUNT && orders_plan_has(p, METHODS[first])) first++;
    if (first == METHOD_COUNT) first = 0;
    ref->method = METHODS[first];
    ref->other_method =
        METHODS[first == METHOD_COUNT - 1 ? 0 : METHOD_COUNT - 1];
}

dae_status reference_init(dae_orders *o)
{
    reference *ref = &o->reference;
    const dae_problem *p = dae_run_problem(o->run);
    *ref = (reference){
        .of.kind = choose_kind(o), .is_long = p->residual_long != NULL};
    choose_methods(ref, &o->plan);
    /* the errors of its orders are below those of runs at any tolerance */
    ref->of.is_by_steps = ref->of.kind == DAE_REFERENCE_TIGHT && o->index > 1
        && !has_switches(p) && orders_plan_has(&o->plan, "radau");
    dae_status st = dae_closed_form_create(dae_run_model(o->run), p,
        dae_run_begin(o->run), dae_run_end(o->run), (double)INFINITY,
        o->allocator, &ref->closed);
    if (!st) st = choose_held(o);
    if (st) return st;
    if (ref->held_count == dae_problem_state_count(p))
        ref->of.kind = DAE_REFERENCE_EXPECT;
    const bool is_expect = ref->of.kind == DAE_REFERENCE_EXPECT;
    ref->of.is_long = ref->is_long;
    ref->of.is_mixed = !is_expect && ref->held_count > 0;
    ref->of.is_refuted = !is_expect && dae_closed_form_is_complete(ref->closed);
    return DAE_OK;
}
