/* From analysis to pick, and what the points of a run are for the user. */
#include "reduce/reduction.h"
#include "analysis/analysis.h"
#include "analysis/raise_offsets.h"
#include "base/report.h"
#include "graph/transpose.h"
#include "reduce/least_change.h"
#include "reduce/states.h"
#include "reduce/thresholds.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- projection ------------------------------------------------------------------ */

/* The nearest point on all constraints, after each step of a system whose
 * derivatives are all states (reduce/pick.h): the least change of the states,
 * measured by the weights of the error test, that satisfies F_i^(k) = 0,
 * k < c_i [Eic93]. By Newton's method with a factorization
 * that is kept over steps; sparse (linalg/kkt.h).
 *
 * The point is projected before its error is tested, and the change belongs to
 * its distance from the prediction. So the test sees, and the history holds,
 * points on the constraints only: what is off them, which the projection takes
 * away, is not taken for an error, nor does it enter the next prediction. */
struct projection {
    least_change onto;
    reduced *now;        /* borrowed */
    double *columns;     /* of the extended problem */
    int64_t evaluations; /* of `now`, when the factors were made */
    bool is_factored, is_slow;
    arena arena;
};

enum { ITERATIONS_MOST = 8 };

static void projection_free(projection *p)
{
    if (!p) return;
    const dae_allocator *a = p->arena.allocator;
    least_change_clear(&p->onto);
    arena_clear(&p->arena);
    alloc_free(a, p, 1, sizeof *p);
}

/* The constraints are the rows that `k`, from which `now` was made, leaves out. */
static dae_status projection_create(reduced *now, const pick *k,
    dae_stats *stats, const dae_allocator *allocator, projection **out)
{
    assert(now->e && k->is_out);
    const dae_allocator *a = alloc_or_default(allocator);
    *out = NULL;
    projection *p = alloc_zeroed(a, 1, sizeof *p);
    if (!p) return DAE_MEMORY;
    p->now = now;
    arena_init(&p->arena, a, 0);
    dae_status st = least_change_init(&p->onto, now->e, k->is_out, now->slot_of,
        now->layout.states, stats, &p->arena);
    p->columns = ARENA_ARRAY(&p->arena, double, now->e->columns);
    if (!st && !p->columns) st = DAE_MEMORY;
    if (st) projection_free(p);
    else *out = p;
    return st;
}

/* ---- at a point ----------------------------------------------------------- */

/* With the least change measured by the weights as they are now; with the corrector's
 * Jacobian, if that is newer than the one before, or that of the point in `columns`. */
static dae_status factor(projection *p, double t)
{
    least_change *c = &p->onto;
    const bool is_new = p->evaluations != p->now->evaluations;
    p->is_factored = false;
    dae_status st = is_new ? DAE_OK
                           : least_change_differentiate(c, t, p->columns);
    if (st) return st;
    memcpy(c->scale, c->tolerance, c->slots * sizeof *c->scale);
    st = least_change_factor(c, is_new ? p->now->values : c->jacobian);
    least_change_measure(c);
    p->is_factored = st == DAE_OK;
    p->evaluations = p->now->evaluations;
    p->is_slow = false;
    return st;
}

/* Newton's method; what is needed for the next point stays with `p`. */
static dae_status approach(
    projection *p, double t, double *x, const double *xp, double *d)
{
    least_change *c = &p->onto;
    double before = HUGE_VAL;
    size_t worst;
    if (p->is_factored) least_change_measure(c);
    for (int k = 0; k < ITERATIONS_MOST; k++) {
        reduced_scatter(p->now, x, xp, p->columns);
        dae_status st = least_change_evaluate(c, t, p->columns);
        if (st) return st;
        if ((!p->is_factored || (k == 0 && p->is_slow)) && (st = factor(p, t)))
            return st;
        const double off = least_change_violation(c, &worst);
        const double rate = off / before;
        if (off <= NEGLIGIBLE) return DAE_OK;
        if (!isfinite(off)) return DAE_RETRY;
        /* the next point gets a new matrix */
        if (k > 0 && rate > DIGIT) p->is_slow = true;
        if (k > 0 && rate > HALVED) { /* this one does, or it is rounding */
            if (off <= 1) return DAE_OK;
            if ((st = factor(p, t))) return st;
        }
        before = off;
        if ((st = least_change_solve(c))) return st;
        for (size_t s = 0; s < c->slots; s++) {
            x[s] += c->change[s];
            d[s] += c->change[s];
        }
    }
    return DAE_RETRY;
}

/* Moves x, and d with it, onto the constraints; xp is read only for slots that are held.
 * DAE_RETRY: Newton's method does not get there. */
static dae_status project(void *self, point *x, const weights *w)
{
    projection *p = self;
    least_change *c = &p->onto;
    const bool was_slow = p->is_slow;
    if (c->rows == 0) return DAE_OK;
    for (size_t s = 0; s < c->slots; s++)
        c->tolerance[s] = w->plain[s] > 0 ? 1 / w->plain[s] : 0;
    const dae_status st = approach(p, x->t, x->x, x->xp, x->d);
    /* a point that was stopped is evaluated again */
    if (st && st != DAE_RETRY) p->is_slow = was_slow;
    return st;
}

/* ---- from analysis to pick -------------------------------------------------------- */

enum { ENTRY_LIMIT = 200000000 };
/* Entries of a pick that are looked at one by one. */
enum { GAUGED_MOST = 1 << 16 };

void reduction_free(reduction *r)
{
    if (!r) return;
    const dae_allocator *a = r->allocator;
    projection_free(r->projection);
    reduced_free(r->now);
    extended_free(r->extended);
    if (!r->is_kept) dae_analysis_free(r->analysis);
    layout_clear(&r->layout);
    arena_clear(&r->memory);
    alloc_free(a, r, 1, sizeof *r);
}

/* Whether there is an index, or where equations follow from others at least
 * a solution, in which only what has no derivatives is not determined, and
 * nothing that moves depends on it: multipliers of redundant constraints. */
static bool is_solvable(const reduction *r)
{
    const dae_analysis *a = r->analysis;
    if (!a->structure->is_regular) return false;
    if (a->verdict == DAE_INDEX_FOUND) return true;
    if (a->verdict != DAE_INDEX_REDUNDANT || !a->loose_count) return false;
    for (size_t k = 0; k < a->loose_count; k++)
        if (r->layout.order[a->loose[k].unknown] > 0) return false;
    for (size_t k = 0; k < a->start.undetermined_count; k++)
        if (a->start.undetermined[k].order > 0) return false;
    return true;
}

static bool is_structural(const reduction *r)
{
    const dae_analysis *a = r->analysis;
    if (a->verdict != DAE_INDEX_FOUND || a->repaired != a->structure
        || a->index > a->structural_index)
        return false;
    return a->degrees_of_freedom == a->structure->degrees_of_freedom;
}

/* Where a derivative occurs in the text and does not count, the structure does
 * not speak of it; it is determined by more derivatives of what determines its
 * unknown. */
static dae_status take_raised_offsets(reduction *r)
{
    const dae_structure *s = r->analysis->structure;
    bool is_raised;
    int64_t *c = ARENA_ARRAY(&r->memory, int64_t, s->n);
    int64_t *d = ARENA_ARRAY(&r->memory, int64_t, s->n);
    if (!c || !d) return DAE_MEMORY;
    const dae_status st = raise_offsets(s, r->analysis->signature, &r->layout,
        r->analysis->problem->smoothness, r->allocator, c, d, &is_raised);
    if (st) return st;
    for (size_t k = 0; k < s->n; k++) {
        if (c[k] >= DAE_SERIES_TERMS_MAX || d[k] > UINT8_MAX
            || d[k] < r->layout.order[k])
            return DAE_UNSUPPORTED;
        r->orders.differentiated[k] = (int32_t)c[k];
        r->orders.highest[k] = (int32_t)d[k];
    }
    r->structure = *s;
    r->structure.c = c;
    r->structure.d = d;
    return DAE_OK;
}

static dae_status take_offsets(reduction *r)
{
    const size_t n = r->layout.unknowns;
    const dae_analysis *a = r->analysis;
    const uint8_t *smooth = a->problem->smoothness;
    derivative_orders *o = &r->orders;
    arena *m = &r->memory;
    if (!TAKE(m, o->differentiated, n) || !TAKE(m, o->highest, n)
        || !TAKE(m, o->needed, n) || !TAKE(m, o->follows, n)
        || !TAKE(m, o->may_be_loose, n))
        return DAE_MEMORY;
    r->is_by_numbers = !is_structural(r);
    o->freedom = a->degrees_of_freedom;
    if (a->verdict == DAE_INDEX_REDUNDANT)
        for (size_t k = 0; k < a->loose_count; k++)
            o->may_be_loose[a->loose[k].unknown] = 1;
    /* what the start was looked for with is what the pick is chosen from */
    if (r->is_by_numbers) {
        if (!a->differentiated) return DAE_UNSUPPORTED;
        memcpy(o->differentiated, a->differentiated, n * sizeof *a->highest);
        memcpy(o->highest, a->highest, n * sizeof *a->highest);
    } else {
        const dae_status st = take_raised_offsets(r);
        if (st) return st;
    }
    for (size_t k = 0; k < n; k++) {
        if (o->differentiated[k] >= DAE_SERIES_TERMS_MAX
            || (smooth && smooth[k] < o->differentiated[k]))
            return DAE_UNSUPPORTED;
        o->needed[k] = r->layout.order[k];
        o->follows[k] = r->is_by_numbers && o->highest[k] == 0;
    }
    return DAE_OK;
}

static dae_status extend(reduction *r)
{
    const dae_status st = extended_create(r->analysis->problem,
        r->orders.differentiated, r->orders.highest, ENTRY_LIMIT, r->allocator,
        &r->extended);
    return st == DAE_LIMIT ? DAE_UNSUPPORTED : st;
}

/* The unknowns of stages that only last derivatives determine. */
static void find_following(reduction *r)
{
    const dae_structure *s = &r->structure;
    for (size_t f = 0; f < s->fine_count && !r->is_by_numbers; f++) {
        const dae_block b = s->fine[f];
        if (pick_stages(s, b) == 0) continue;
        for (int32_t k = b.begin; k < b.end; k++)
            r->orders.follows[s->column_at[k]] = s->d[s->column_at[k]] == 0;
    }
}

static dae_status take_vectors(reduction *r)
{
    arena *a = &r->memory;
    const size_t n = r->layout.unknowns, columns = r->extended->columns;
    const size_t all = r->extended->rows * columns;
    const size_t gauged = all < GAUGED_MOST ? all : GAUGED_MOST;
    for (int k = 0; k < HISTORY_ROWS; k++)
        if (!TAKE(a, r->past[k], columns)) return DAE_MEMORY;
    const bool has_all = TAKE(a, r->x, r->layout.states) && TAKE(a, r->xp, n)
        && TAKE(a, r->columns, columns) && TAKE(a, r->stepped_x, columns)
        && TAKE(a, r->stepped_xp, columns)
        && TAKE(a, r->values, extended_entries(r->extended))
        && TAKE(a, r->size, n) && TAKE(a, r->typical, n)
        && TAKE(a, r->reported, n) && gauge_init(&r->watch.gauge, a, gauged)
        && !pick_take(&r->pick, r->extended, a)
        && !pick_take(&r->other, r->extended, a);
    return has_all ? DAE_OK : DAE_MEMORY;
}

static void take_sizes(reduction *r)
{
    const dae_scales *s = r->problem->scales;
    for (size_t j = 0; j < r->layout.unknowns; j++) {
        const bool is_known = s && s->nominal && s->nominal[j] > 0;
        r->size[j] = weights_nominal(s, j);
        r->typical[j] = is_known ? s->nominal[j] : 0;
    }
}

/* The user's slots among the columns. */
static void to_user(
    const reduction *r, const double *columns, double *x, double *xp)
{
    const layout *l = &r->layout;
    for (size_t j = 0; j < l->unknowns; j++) {
        const double *value = columns + r->extended->column_first[j];
        const size_t begin = l->first[j], width = l->first[j + 1] - begin;
        if (x) memcpy(x + begin, value, width * sizeof *x);
        if (xp) xp[j] = l->order[j] > 0 ? value[l->order[j]] : 0;
    }
}

/* A reported value of column p; NaN: there is none. */
static double reported_value(const reduction *r, size_t p)
{
    const dae_start_findings *f = &r->analysis->start;
    const dae_slot s = extended_slot(r->extended, p);
    const size_t at = f->value_first[s.unknown] + (size_t)s.order;
    return at < f->value_first[s.unknown + 1] ? f->values[at] : (double)NAN;
}

/* Values of all columns that agree with the reported ones; NULL: there are none. */
static const double *find_columns(const reduction *r)
{
    const size_t count = r->extended->columns;
    const double *z = r->is_by_numbers ? analysis_columns(r->analysis, count)
                                       : NULL;
    for (size_t p = 0; z && p < count; p++) {
        const double reported = reported_value(r, p);
        if (!isnan(reported) && reported != z[p]) return NULL;
    }
    return z;
}

/* The consistent values that the analysis has found. */
static void take_start(reduction *r)
{
    const double *z = find_columns(r);
    for (size_t p = 0; p < r->extended->columns; p++) {
        const double v = z ? z[p] : reported_value(r, p);
        r->past[0][p] = isfinite(v) ? v : 0;
    }
    r->past_count = 1;
    to_user(r, r->past[0], r->x, r->xp);
}

/* The other ways begin with equations that are constraints one by one, and those
 * are told by the offsets of a structure that numbers confirm. */
static dae_status refuse_mode(const reduction *r, dae_diagnostics *ds)
{
    report(ds, DIAG_E0505, NULL, (text_span){0, 0},
        "`reduce` can only be `auto` here: the structure does not tell which "
        "constraints are hidden in the equations");
    report_help(ds,
        r->analysis->repair_count > 0
            ? "write the equations as `dae check` shows them under "
              "`repaired`, or keep `auto`, which solves all constraints at "
              "every step"
            : "keep `auto`, which solves all constraints at every step, also "
              "those that only numbers show");
    return DAE_ARGUMENT;
}

/* Whether the equations determine all highest derivatives as they stand. */
static bool is_plain(const reduction *r)
{
    const dae_analysis *a = r->analysis;
    const dae_structure *s = a->structure;
    if (!s->is_regular || !is_structural(r)) return false;
    for (size_t i = 0; i < s->n; i++)
        if (s->c[i] > 0 || s->d[i] < r->layout.order[i]) return false;
    for (size_t b = 0; b < s->fine_count; b++)
        if (a->blocks[b] == DAE_SINGULAR) return false;
    return true;
}

/* A state below the highest that no equation counts with, as x' where m in m*x''
 * is 0: it would have to follow from differences of x alone. */
static bool has_empty_chain(const reduction *r)
{
    const dae_structure *s = r->analysis->repaired;
    /* unknowns that repairs have added come after the model's */
    for (size_t j = 0; j < r->layout.unknowns; j++)
        if (s->d[j] + 1 < r->layout.order[j]) return true;
    return false;
}

/* What the engine's formulas converge for as it stands [BCP96 3.1]: an index of
 * 1, also where an equation has to be differentiated for it, and of 2 where
 * repairs speak of it and ranks do not confirm it: badly scaled units (a ring
 * modulator's diodes) leave open what is independent of what. */
static bool is_low(const reduction *r)
{
    const dae_analysis *a = r->analysis;
    if (a->verdict != DAE_INDEX_FOUND || has_empty_chain(r)) return false;
    const bool is_unsure = a->repair_count > 0
        && a->certificate != DAE_CERTIFIED;
    return a->index <= 1 || (is_unsure && a->index <= 2);
}

bool reduction_is_left(const reduction *r)
{
    return !r->is_plain && !r->extended && is_solvable(r) && is_low(r)
        && r->analysis->index > 1;
}

static dae_status check_start(const reduction *r)
{
    if (r->analysis->is_wrong) return DAE_MODEL;
    switch (r->analysis->start.verdict) {
    case DAE_START_INCONSISTENT: return DAE_INCONSISTENT;
    case DAE_START_UNSOLVED: return DAE_NUMERIC;
    case DAE_START_CONSISTENT:
    case DAE_START_UNDERDETERMINED: break;
    case DAE_START_UNKNOWN: return DAE_UNSUPPORTED;
    }
    return r->analysis->start.values ? DAE_OK : DAE_UNSUPPORTED;
}

/* An index of 1 needs no more than that. But where equations tie what is differentiated, the
 * values after an event, `is_trial`, are not those of their slopes: that asks for states. */
static bool may_stand(const reduction *r, bool is_trial)
{
    if (!is_low(r)) return false;
    if (!is_trial || r->analysis->index > 1) return true;
    return r->mode != DAE_REDUCE_AUTO && !is_structural(r);
}

static void drop_extended(reduction *r)
{
    extended_free(r->extended);
    r->extended = NULL;
}

static dae_status find_states(reduction *r, dae_diagnostics *ds)
{
    dae_status st;
    if ((st = take_offsets(r)) || (st = extend(r)) || (st = take_vectors(r)))
        return st;
    find_following(r);
    if (r->is_by_numbers && r->mode != DAE_REDUCE_AUTO)
        return refuse_mode(r, ds);
    take_sizes(r);
    take_start(r);
    if (r->mode == DAE_REDUCE_NEVER) return DAE_OK;
    st = states_choose(r, r->problem->start->t0, ds);
    if (st != DAE_UNSUPPORTED) return st;
    /* a start that holds what is hidden is better than one that does not, whatever
     * can be made of the equations after it */
    drop_extended(r);
    return DAE_OK;
}

/* All but what has to be said where it comes to nothing. */
static dae_status make_parts(reduction *r, const dae_options *options,
    bool is_trial, const dae_analysis *known, dae_diagnostics *ds)
{
    const dae_problem *p = r->problem;
    const dae_analysis_options asked = {.rtol = options->rtol,
        .atol = options->atol,
        .homotopy = options->homotopy,
        .start_only = options->reduce == DAE_REDUCE_AUTO,
        .is_trial = is_trial,
        .interrupt = options->interrupt,
        .interrupt_context = options->interrupt_context};
    dae_status st;
    if (!p->series || !p->series_jacobian || !p->jacobian || !p->start)
        return DAE_UNSUPPORTED;
    if ((st = layout_init(&r->layout, p, r->allocator))) return st;
    st = analysis_create(p, &asked, known, r->allocator, ds, &r->analysis);
    if (st) return st;
    r->is_plain = is_plain(r);
    if ((st = check_start(r))) return st;
    if (r->is_plain) return DAE_OK;
    if (!is_solvable(r)) return DAE_UNSUPPORTED;
    if (may_stand(r, is_trial)) {
        const bool is_other = r->mode == DAE_REDUCE_PROJECT
            || r->mode == DAE_REDUCE_STABILIZE;
        return is_other && r->analysis->index > 1 ? refuse_mode(r, ds) : DAE_OK;
    }
    st = find_states(r, ds);
    if (st != DAE_UNSUPPORTED || !is_low(r)) return st;
    drop_extended(r);
    return DAE_OK;
}

/* Where structure is no help, what the analysis has found wrong is what there
 * is to say; if there is nothing, nothing is said. */
static dae_status make(reduction *r, const dae_options *options, bool is_trial,
    const dae_analysis *known, dae_diagnostics *ds)
{
    const report_position before = report_mark(ds);
    const size_t errors = report_error_count(ds);
    const dae_status st = make_parts(r, options, is_trial, known, ds);
    if (st && st != DAE_UNSUPPORTED) return st;
    /* no run goes on after an error, whatever could be stepped */
    if (report_error_count(ds) > errors) return DAE_NUMERIC;
    if (st) report_rewind(ds, before);
    return st;
}

dae_status reduction_create(const dae_problem *problem,
    const dae_options *options, bool is_trial, dae_analysis **kept,
    const dae_allocator *allocator, dae_diagnostics *ds, reduction **out)
{
    assert(problem && options && out);
    *out = NULL;
    reduction *r = alloc_zeroed(allocator, 1, sizeof *r);
    if (!r) return DAE_MEMORY;
    r->problem = problem;
    r->allocator = allocator;
    r->rtol = options->rtol;
    r->atol = options->atol;
    r->mode = options->reduce;
    arena_init(&r->memory, allocator, 0);
    const dae_status st = make(r, options, is_trial, kept ? *kept : NULL, ds);
    if (!st && kept && !*kept && analysis_is_lasting(r->analysis)) {
        *kept = r->analysis;
        r->is_kept = true;
    }
    if (st) reduction_free(r);
    else *out = r;
    return st;
}

/* ---- along the run ----------------------------------------------------------- */

void reduction_show(const reduction *r, const double *stepped_x,
    const double *stepped_xp, double *x, double *xp)
{
    reduced_scatter(r->now, stepped_x, stepped_xp, r->columns);
    to_user(r, r->columns, x, xp);
}

dae_status reduction_attach(reduction *r, stepper *s)
{
    assert(r->now && s->layout->states == r->now->layout.states);
    if (r->mode == DAE_REDUCE_STABILIZE) newton_stay_fresh(s->newton);
    else newton_watch_age(s->newton);
    s->slope_slot = r->now->slope_slot;
    if (r->mode != DAE_REDUCE_PROJECT) return DAE_OK;
    const dae_status st = projection_create(
        r->now, &r->pick, s->stats, r->allocator, &r->projection);
    if (st) return st;
    s->adjust = project;
    s->adjuster = r->projection;
    return DAE_OK;
}

void reduction_restart(reduction *r, const stepper *s)
{
    const point *p = &s->point;
    reduced_scatter(r->now, p->x, p->xp, r->past[0]);
    to_user(r, r->past[0], r->x, r->xp);
    r->past_count = 1;
    r->watch.wait = 0;
    r->watch.measured = p->t;
    r->watch.left = HUGE_VAL;
}

void reduction_remember(reduction *r, const stepper *s)
{
    assert(r->now && r->past_count > 0);
    double *oldest = r->past[HISTORY_ROWS - 1];
    memmove(r->past + 1, r->past, (HISTORY_ROWS - 1) * sizeof *r->past);
    r->past[0] = oldest;
    if (r->past_count < HISTORY_ROWS) r->past_count++;
    r->watch.since++;
    const double *shown = oldest;
    reduced_scatter(r->now, s->history.phi[0], s->point.xp, oldest);
    if (s->newton->bounds.count > 0) { /* the history is not kept within them */
        reduced_scatter(r->now, s->point.x, s->point.xp, r->columns);
        shown = r->columns;
    }
    to_user(r, shown, r->x, r->xp);
}

carry_source reduction_source(
    const reduction *r, const reduced *next, int32_t *state, int32_t *slope)
{
    assert(r->past_count > 0 && next->e == r->extended && state);
    const layout *l = &r->now->layout;
    for (size_t s = 0; s < next->layout.states; s++) {
        const int32_t old = r->now->slot_of[next->column_of[s]];
        const bool was_state = old >= 0 && (size_t)old < l->states;
        state[s] = was_state ? old : -1;
        slope[s] = was_state || old < 0
            ? -1
            : (int32_t)l->first[(size_t)old - l->states + 1] - 1;
    }
    return (carry_source){.state = state,
        .slope = slope,
        .column = next->column_of,
        .values = (const double *const *)r->past,
        .count = r->past_count};
}

size_t reduction_constraints(const reduction *r)
{
    const stabilizer *z = r->now->stabilizer;
    return z ? z->count : r->projection ? r->projection->onto.rows : 0;
}

/* ---- as it stands -------------------------------------------------------------------- */

/* Multistep formulas applied to the equations themselves [HLR89], [BCP96 3.2]. */

enum { INDEX_MOST = 3 };

/* What a stage of a fine block determines: by its equations of that stage, and by what
 * they contain of stages and blocks before; the rest has no depth yet. */
static void find_depths(const extended *e, const dae_structure *s,
    const transposed *rows, dae_block block, int64_t stage, int32_t *depth)
{
    int64_t most = 0;
    for (int64_t k = block.begin; k < block.end; k++) {
        const size_t i = (size_t)s->row_at[k];
        const int64_t own = s->c[i] - stage;
        if (own < 0) continue;
        const size_t row = e->row_first[i] + (size_t)own;
        if (own > most) most = own;
        for (int64_t p = rows->start[row]; p < rows->start[row + 1]; p++)
            if (depth[rows->index[p]] > most) most = depth[rows->index[p]];
    }
    for (int64_t k = block.begin; k < block.end; k++) {
        const size_t j = (size_t)s->column_at[k];
        if (s->d[j] < stage) continue;
        depth[e->column_first[j] + (size_t)(s->d[j] - stage)] = (int32_t)most;
    }
}

/* Stage by stage, from the lowest derivatives up, and block by block. */
dae_status unreduced_depths(const extended *e, const dae_structure *s,
    const dae_allocator *allocator, int32_t *depth)
{
    transposed rows;
    int64_t highest = 0;
    const dae_pattern *p = e->problem.pattern;
    const dae_status st = transpose_pattern(
        e->rows, e->columns, p->column_start, p->row, allocator, &rows);
    if (st) return st;
    for (size_t j = 0; j < s->n; j++)
        if (s->d[j] > highest) highest = s->d[j];
    memset(depth, 0, e->columns * sizeof *depth);
    for (int64_t stage = highest; stage >= 0; stage--)
        for (size_t b = 0; b < s->fine_count; b++)
            find_depths(e, s, &rows, s->fine[b], stage, depth);
    transpose_clear(&rows);
    return DAE_OK;
}

void unreduced_free(unreduced *s)
{
    if (!s) return;
    const dae_allocator *a = s->memory.allocator;
    arena_clear(&s->memory);
    alloc_free(a, s, 1, sizeof *s);
}

/* Of every state, and of every unknown that of its states that is deepest. */
static dae_status find_groups(unreduced *s, const reduction *r)
{
    const extended *e = r->extended;
    const layout *l = &r->layout;
    int32_t *depth = ARENA_ARRAY(&s->memory, int32_t, e->columns);
    uint8_t *of_unknown = ARENA_ARRAY(&s->memory, uint8_t, l->unknowns);
    if (!depth || !of_unknown || !TAKE(&s->memory, s->group, l->states))
        return DAE_MEMORY;
    const dae_status st = unreduced_depths(
        e, &r->structure, s->memory.allocator, depth);
    for (size_t j = 0; j < l->unknowns && !st; j++) {
        const bool is_internal = dae_group_is_internal(r->problem, j);
        for (size_t k = l->first[j]; k < l->first[j + 1]; k++) {
            const int32_t d = depth[e->column_first[j] + k - l->first[j]];
            const int32_t group = d + 1 < INDEX_MOST ? d + 1 : INDEX_MOST;
            s->group[k] = is_internal ? DAE_GROUP_INTERNAL : (uint8_t)group;
            if (s->group[k] > of_unknown[j]) of_unknown[j] = s->group[k];
        }
    }
    s->problem.index_group = of_unknown;
    return st;
}

static dae_status refuse(int64_t index, dae_diagnostics *ds)
{
    report(ds, DIAG_E0505, NULL, (text_span){0, 0},
        "`reduce` cannot be `never`: the index is %lld", (long long)index);
    report_help(ds,
        "equations of index %d at most can be integrated as they stand; the "
        "default, `auto`, reduces any index",
        INDEX_MOST);
    return DAE_ARGUMENT;
}

void unreduced_note(int64_t index, const char *help, dae_diagnostics *ds)
{
    report(ds, DIAG_N0510, NULL, (text_span){0, 0},
        "the equations are integrated as they stand, with index %lld",
        (long long)index);
    report_help(ds, "%s", help);
}

dae_status unreduced_create(const reduction *r, const dae_allocator *allocator,
    dae_diagnostics *ds, unreduced **out)
{
    assert(r->extended && !r->now);
    *out = NULL;
    if (r->analysis->index > INDEX_MOST) return refuse(r->analysis->index, ds);
    unreduced *s = alloc_zeroed(allocator, 1, sizeof *s);
    if (!s) return DAE_MEMORY;
    s->problem = *r->problem;
    s->index = r->analysis->index;
    arena_init(&s->memory, allocator, 0);
    const dae_status st = find_groups(s, r);
    if (st) {
        unreduced_free(s);
        return st;
    }
    unreduced_note(s->index,
        "hidden constraints hold to the order of the formula only; what "
        "follows from them is not tested for error, and is off in the first "
        "steps and after each change of the step",
        ds);
    *out = s;
    return DAE_OK;
}

void unreduced_attach(const unreduced *s, stepper *to)
{
    memcpy(to->weights->group, s->group, to->layout->states);
    newton_follow_alpha(to->newton);
    to->selector.is_steady = true;
}
