/* A start is looked for once for everybody: the analysis has the first word,
 * where it is asked, and the search from the guesses (start/init.h) goes on from
 * what it has found, or alone. */
#include "run/begin.h"
#include "analysis/report.h"
#include "base/arena.h"
#include "base/real.h"
#include "base/report.h"
#include "events/event.h"
#include "events/mode.h"
#include "linalg/iteration_matrix.h"
#include "linalg/naming.h"
#include "linalg/thresholds.h"
#include "reduce/thresholds.h"
#include "run/failure.h"
#include "run/points.h"
#include "run/requirements.h"
#include "start/findings.h"
#include "start/report.h"
#include "start/report_names.h"
#include <assert.h>
#include <dae/structure.h>
#include <float.h>
#include <math.h>
#include <string.h>

static void begin_stepping(run *r)
{
    const dae_options *o = &r->options;
    stepper *s = &r->engine->stepper;
    double t0 = r->t0;
    bool has_end = o->t_end != t0;
    r->end = has_end ? o->t_end : HUGE_VAL * r->direction;
    s->t_end = r->end;
    double longest = has_end ? fabs(o->t_end - t0) / STEPS_LEAST : HUGE_VAL;
    /* Where t is coarse beside the interval, the steps it can tell are few. */
    if (longest < WHOLE * UNITS_OFF * DBL_EPSILON * fabs(t0))
        longest = HUGE_VAL;
    s->h_max = o->max_step > 0 ? o->max_step : longest;
    if (o->step > 0) s->h_max = HUGE_VAL;
}

static void begin_stepper(run *r, double interval)
{
    stepper *s = &r->engine->stepper;
    const double step = r->options.step;
    stepper_start(s, r->t0, s->point.x, s->point.xp, r->direction,
        step > 0 ? step : r->options.first_step, interval);
}

void begin_towards(run *r, double towards)
{
    assert(isfinite(r->t0) && !isnan(towards));
    r->direction = towards < r->t0 ? -1 : 1;
    begin_stepping(r);
    points_prepare(r);
    begin_stepper(r, fabs(towards - r->t0));
}

void begin_from_point(run *r)
{
    assert(r->direction != 0);
    begin_stepper(r, r->engine->stepper.interval);
    if (r->reduction) reduction_restart(r->reduction, &r->engine->stepper);
}

/* A value of 0 without an absolute tolerance would have to be exact. Steps that are given
 * are made whatever their error. */
static dae_status check_tolerances(const run *r)
{
    const engine *e = r->engine;
    const double *x = e->stepper.point.x;
    for (size_t s = 0; s < e->layout.states && r->options.step == 0; s++) {
        if (e->weights.rtol * fabs(x[s]) + e->weights.atol[s] > 0) continue;
        const named_place at = naming_of_slot(e->problem, &e->layout, s);
        report(r->ds, DIAG_E0505, at.source, at.span,
            "`%s` is 0, and so is its absolute tolerance", at.text);
        report_help(r->ds,
            "no step is that exact: choose an atol above 0, 1e-12 for "
            "instance");
        return DAE_ARGUMENT;
    }
    return DAE_OK;
}

dae_status begin_here(run *r, double t0)
{
    dae_status st = requirements_check(r, t0);
    if (!st) st = check_tolerances(r);
    if (!st) st = regularity_begin(r);
    if (st) return st;
    r->is_unwatched = false;
    r->t0 = t0;
    r->direction = 0;
    r->phase = RUN_STARTED;
    r->is_unfinished = false;
    r->failed = STEP_FINE;
    r->steps_before = r->stats.steps;
    r->rescued_at = (double)NAN;
    r->kept.ratio = 0;
    r->is_described = false;
    newton_reset(&r->engine->newton);
    double end = r->options.t_end;
    begin_towards(r, end != t0 ? end : t0 + 1);
    if (end == t0) {
        r->direction = 0;
        return DAE_OK;
    }
    points_report(r);
    return event_start(r);
}

/* What is said of a search: everything; why there is no start; that, unless the analysis
 * looks further; nothing. */
typedef enum search_report {
    SAY_ALL,
    SAY_ERRORS,
    SAY_FOUND,
    SAY_NOTHING
} search_report;

/* From the values in stepper.point; `is_whole`: with all conditions, before there are
 * steps. `*is_found`: a start, or why there is none is said; where the analysis looks
 * further that is so of a value where there is none at the guesses alone. */
static dae_status search_start(run *r, double t0, const uint8_t *x_fixed,
    const uint8_t *xp_fixed, bool is_whole, search_report wanted,
    bool *is_found)
{
    const dae_options *o = &r->options;
    point *p = &r->engine->stepper.point;
    init_findings found = {.residual = 0};
    const init_request q = {.problem = r->engine->problem,
        .layout = &r->engine->layout,
        .matrix = r->engine->matrix,
        .t0 = t0,
        .rtol = o->rtol,
        .atol = r->engine->weights.atol,
        .x_fixed = x_fixed,
        .xp_fixed = xp_fixed,
        .use_conditions = is_whole,
        .is_homotopy_first = o->homotopy && is_whole,
        .is_matrix_free = is_whole,
        .findings = wanted == SAY_NOTHING ? NULL : &found,
        .is_brief = wanted == SAY_NOTHING,
        .allocator = r->allocator,
        .interrupt = o->interrupt,
        .interrupt_context = o->interrupt_context};
    dae_status st = init_consistent(
        &q, p->x, p->xp, &r->start_report, &r->stats);
    const bool has_none = st == DAE_NUMERIC || st == DAE_INCONSISTENT;
    const init_failure_kind why = found.failure.kind;
    *is_found = wanted != SAY_FOUND || !has_none || why == INIT_NO_ROW_VALUE
        || why == INIT_NO_SLOT_VALUE;
    if (*is_found && wanted != SAY_NOTHING && (has_none || !st)
        && (st || wanted != SAY_ERRORS)) {
        const dae_status reported = start_report(&q, &found, false, r->ds);
        if (reported) st = reported;
    }
    init_findings_clear(&found);
    return *is_found ? st : DAE_OK;
}

/* Holds x of differential unknowns, frees the algebraic ones and xp. */
static dae_status free_algebraic(run *r, double t0, search_report wanted)
{
    const layout *l = &r->engine->layout;
    const size_t count = l->states + l->unknowns;
    uint8_t *fixed = alloc_zeroed(r->allocator, count, 1);
    bool is_found;
    if (!fixed) return DAE_MEMORY;
    for (size_t j = 0; j < l->unknowns; j++)
        memset(fixed + l->first[j], l->order[j] > 0,
            l->first[j + 1] - l->first[j]);
    const dae_status st = search_start(
        r, t0, fixed, fixed + l->states, false, wanted, &is_found);
    alloc_free(r->allocator, fixed, count, 1);
    return st;
}

/* ---- whether the matrix stays regular as the step goes to 0 ------------------------ */

/* What a solver without index reduction asks of a problem: before such a run, so that
 * a higher index is reported by name and not met as a singular matrix. */

/* The two steps are so much shorter than what the entries ask for that terms of
 * lower order no longer count, and apart by as much again. An unknown of index 2
 * answers a residual FAR_BELOW times as strongly at the shorter step, one of index
 * 1 equally, a differential one less; TWO_DIGITS is between them. */
#define FAR_BELOW (TWO_DIGITS * TWO_DIGITS)

typedef struct check {
    run *
        r; /* its engine's matrix is evaluated and factorized where it must be */
    double t0;
    const dae_pattern *pattern; /* over slots */
    size_t n, entries;
    arena memory;
    uint8_t *present;   /* entries: NULL: all */
    dae_matching match; /* of rows and highest derivatives */
    double rate;        /* see find_rate */
} check;

enum { NAMED_MAX = 4 }; /* equations and unknowns named */

/* The first members of a part, and how many more there are. */
static void list_part(const check *w, dae_name_kind kind, const uint8_t *part,
    uint8_t wanted, text *out)
{
    size_t count = 0;
    for (size_t i = 0; i < w->n; i++) {
        char name[NAMING_SIZE];
        if (part[i] != wanted || count++ >= NAMED_MAX) continue;
        naming_text(w->r->engine->problem, kind, i, name, sizeof name);
        text_add(out, "%s`%s`", count > 1 ? ", " : "", name);
    }
    if (count > NAMED_MAX) text_add(out, " and %zu more", count - NAMED_MAX);
}

/* E0502 at the first of the equations of too many, with the places of others. */
static void report_limit(const check *w, dae_diagnostics *ds)
{
    const dae_matching *m = &w->match;
    const dae_problem *p = w->r->engine->problem;
    text rows = {.length = 0}, open = {.length = 0};
    named_place first = {.text = ""}, unknown = {.text = ""};
    size_t found = 0, j = 0;
    list_part(w, DAE_NAME_EQUATION, m->row_part, DAE_PART_OVER, &rows);
    list_part(w, DAE_NAME_UNKNOWN, m->column_part, DAE_PART_UNDER, &open);
    for (size_t i = 0; i < w->n && found < NAMED_MAX; i++) {
        if (m->row_part[i] != DAE_PART_OVER) continue;
        const named_place at = naming_of(p, DAE_NAME_EQUATION, i);
        if (found++ > 0) {
            if (at.source) report_also(ds, at.source, at.span, "nor does this");
            continue;
        }
        first = at;
        report(ds, DIAG_E0502, at.source, at.span,
            "the iteration matrix becomes singular as the step goes to 0: the "
            "index is 2 or more, or the solution is not unique. Equations "
            "involved: %s",
            rows.s);
        report_label(ds,
            "holds none of the highest derivatives that are left to determine");
    }
    report_help(ds,
        "nothing determines %s without derivatives of these equations, which "
        "cannot be had here, or at all, where one of them follows from the "
        "others",
        open.s);
    while (j < w->n && m->column_part[j] != DAE_PART_UNDER) j++;
    if (j < w->n) unknown = naming_of(p, DAE_NAME_UNKNOWN, j);
    report_numeric(ds, w->t0, 0, 0, found ? first.text : NULL,
        j < w->n ? unknown.text : NULL);
}

/* Of another length for each slot: an entry that is 0 at the point by chance is
 * not 0 there. */
static void step_aside(const double *from, size_t count, double *to)
{
    for (size_t k = 0; k < count; k++)
        to[k] = from[k] + step_aside_of(1 + fabs(from[k]), k);
}

/* Entries that are 0 at the point and beside it do not count; all of them do where
 * there are no values, whatever the reason: the run will meet that again. */
static dae_status find_present(check *w)
{
    engine *e = w->r->engine;
    const point *p = &e->stepper.point;
    const size_t states = e->layout.states;
    double *x = ARENA_ARRAY(&w->memory, double, states);
    double *xp = ARENA_ARRAY(&w->memory, double, w->n);
    uint8_t *present = ARENA_ARRAY(&w->memory, uint8_t, w->entries);
    if (!x || !xp || !present) return DAE_MEMORY;
    step_aside(p->x, states, x);
    step_aside(p->xp, w->n, xp);
    for (int k = 0; k < 2; k++) {
        if (engine_evaluate(e, w->t0, k ? x : p->x, k ? xp : p->xp, 1))
            return DAE_OK;
        const double *v = iteration_values(e->matrix);
        for (size_t i = 0; i < w->entries; i++)
            if (v[i] != 0) present[i] = 1;
    }
    w->present = present;
    return DAE_OK;
}

/* The leading coefficient beyond which terms of lower order do not count:
 * the largest ratio in a row between them and its highest slot's entries. */
static dae_status find_rate(check *w)
{
    assert(w->n > 0);
    const size_t states = w->r->engine->layout.states;
    const double *v = iteration_values(w->r->engine->matrix);
    const dae_pattern *p = w->pattern;
    const arena_position before = arena_mark(&w->memory);
    double *high = ARENA_ARRAY(&w->memory, double, w->n);
    double *low = ARENA_ARRAY(&w->memory, double, w->n);
    if (!high || !low) return DAE_MEMORY;
    for (size_t c = 0; c < states + w->n; c++) {
        double *side = c >= states ? high : low;
        for (int64_t k = p->column_start[c]; k < p->column_start[c + 1]; k++)
            side[p->row[k]] = larger(side[p->row[k]], fabs(v[k]));
    }
    w->rate = 1;
    for (size_t i = 0; i < w->n; i++)
        if (high[i] > 0) w->rate = larger(w->rate, low[i] / high[i]);
    arena_release(&w->memory, before);
    return DAE_OK;
}

/* The answer of every unknown to residuals of one size, but no pattern that
 * could cancel. */
static dae_status answer_at(const check *w, double alpha, double *y)
{
    iteration *m = w->r->engine->matrix;
    for (size_t i = 0; i < w->n; i++)
        y[i] = (i % 2 ? -1 : 1) * (1 + (double)(i % 7) / 8);
    const dae_status st = iteration_factor_condensed(m, alpha);
    w->r->stats.factorizations++;
    return st ? st : iteration_solve(m, y);
}

/* Not where numbers failed: the run will meet that again and name it. */
static bool answer_grows(const double *near, const double *nearer, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(near[i]) || !isfinite(nearer[i])) return false;
        largest = larger(largest, fabs(near[i]));
    }
    for (size_t i = 0; i < n; i++) {
        const double before = larger(
            fabs(near[i]), rounding_of(ROUNDING_OF_SUMS) * largest);
        if (!(fabs(nearer[i]) <= TWO_DIGITS * before)) return true;
    }
    return false;
}

/* Whether numbers say that the matrix stays regular; also where they cannot
 * be had. */
static dae_status stays_regular(check *w, bool *is_regular)
{
    const point *p = &w->r->engine->stepper.point;
    double *near = ARENA_ARRAY(&w->memory, double, w->n);
    double *nearer = ARENA_ARRAY(&w->memory, double, w->n);
    *is_regular = true;
    if (!near || !nearer) return DAE_MEMORY;
    dae_status st = engine_evaluate(w->r->engine, w->t0, p->x, p->xp, 1);
    if (!st) st = find_rate(w);
    if (!st) st = answer_at(w, w->rate * FAR_BELOW, near);
    if (!st) st = answer_at(w, w->rate * FAR_BELOW * FAR_BELOW, nearer);
    *is_regular = st != DAE_NUMERIC
        && (st || !answer_grows(near, nearer, w->n));
    return st == DAE_NUMERIC || st == DAE_RETRY ? DAE_OK : st;
}

/* Structure first: where every equation can be matched to a highest
 * derivative or algebraic unknown of its own, the answer is yes and costs one
 * matching. Otherwise the matrix is factorized for two steps far below every
 * time scale at the point: where an unknown answers a residual the more
 * strongly the shorter the step, the index is 2 or more [BCP96 5.4]. (The
 * condition does not tell: scaled by rows and columns the matrix of an index-2
 * system stays regular.) Then DAE_NUMERIC with E0502, naming the
 * equations that have nothing of their own to determine and the unknowns that
 * nothing determines. DAE_OK also where the matrix cannot be evaluated at the point.
 * Said in `ds`, which may be NULL. `is_by_numbers`: also where structure says
 * yes, which entries that cancel may belie. */
static dae_status check_limit(
    run *r, double t0, bool is_by_numbers, dae_diagnostics *ds)
{
    const layout *l = &r->engine->layout;
    const dae_pattern *p = iteration_pattern(r->engine->matrix);
    const dae_pattern *own = r->engine->problem->pattern;
    check w = {.r = r, .t0 = t0, .pattern = p, .n = l->unknowns};
    bool is_regular = true;
    w.entries = (size_t)p->column_start[l->states + w.n];
    weights_update(&r->engine->weights, r->engine->stepper.point.x, 1);
    arena_init(&w.memory, r->allocator, 0);
    dae_status st = own && own->column_start ? DAE_OK : find_present(&w);
    if (!st) st = engine_match(r->engine, w.present, &w.memory, &w.match);
    if (!st && (is_by_numbers || w.match.rank < w.n))
        st = stays_regular(&w, &is_regular);
    if (!st && !is_regular) {
        report_limit(&w, ds);
        st = DAE_NUMERIC;
    }
    arena_clear(&w.memory);
    return st;
}

/* From here on `problem` is stepped: the caller's, or a reduced one. */
static dae_status step_problem(run *r, const dae_problem *problem)
{
    engine *e;
    const dae_status st = engine_create(problem, &r->options, r->formula, NULL,
        &r->stats, r->allocator, r->ds, &e);
    if (st) return st;
    engine_free(r->engine);
    r->engine = e;
    return DAE_OK;
}

/* What an earlier start has left. */
static dae_status unreduce(run *r)
{
    r->index_left = 0;
    const bool is_other = r->reduction || r->unreduced;
    const dae_status st = is_other ? step_problem(r, r->problem) : DAE_OK;
    if (st) return st;
    reduction_free(r->reduction);
    unreduced_free(r->unreduced);
    r->reduction = NULL;
    r->unreduced = NULL;
    mode_clear(r->events);
    return DAE_OK;
}

bool begin_take_found(
    const layout *l, const dae_start_findings *f, double *x, double *xp)
{
    assert(f->values && f->value_first);
    bool has_all = true;
    for (size_t j = 0; j < l->unknowns; j++) {
        const double *v = f->values + f->value_first[j];
        const size_t known = f->value_first[j + 1] - f->value_first[j];
        const size_t width = l->first[j + 1] - l->first[j];
        for (size_t o = 0; o <= l->order[j]; o++) {
            const bool is_known = o < known && isfinite(v[o]);
            has_all = has_all && is_known;
            if (!is_known) continue;
            if (o < width) x[l->first[j] + o] = v[o];
            else xp[j] = v[o];
        }
    }
    return has_all;
}

static void keep_report(run *r, const dae_start_findings *f)
{
    r->start_report.conditions = (int64_t)(f->given_count + f->condition_count);
    r->start_report.degrees_missing = (int64_t)f->missing;
    r->start_report.redundant = (int64_t)f->redundant_count;
    r->start_report.residual = f->residual;
}

/* Whether the analysis has found all values. */
static bool take_start(run *r, const dae_start_findings *f)
{
    point *p = &r->engine->stepper.point;
    keep_report(r, f);
    return begin_take_found(&r->engine->layout, f, p->x, p->xp);
}

/* What is missing or redundant has been said by the analysis, of all equations
 * and in the user's terms: of these an error alone is news. */
dae_status begin_sharpen(run *r, double t0)
{
    return free_algebraic(r, t0, SAY_ERRORS);
}

dae_status begin_again(run *r, double t)
{
    const dae_start_report report = r->start_report;
    const dae_status st = free_algebraic(r, t, SAY_NOTHING);
    r->start_report = report;
    return st;
}

/* The start of a higher index: analysis, pick, and what is determined by the
 * states as sharp as the tolerances ask. */
static dae_status step_reduced(run *r, reduction *d, double t0)
{
    assert(d->now && !r->reduction && !r->unreduced);
    dae_status st = step_problem(r, &d->now->problem);
    if (st) {
        reduction_free(d);
        return st;
    }
    r->reduction = d;
    if ((st = reduction_attach(d, &r->engine->stepper))) return st;
    engine_describe(r->engine, &r->stats);
    point *p = &r->engine->stepper.point;
    reduced_gather(d->now, d->past[0], p->x, p->xp);
    /* the multipliers that stabilize have index 2 by intention, and are 0 */
    if (!d->now->stabilizer) {
        if ((st = check_limit(r, t0, false, r->ds))) return st;
        if ((st = begin_sharpen(r, t0))) return st;
    }
    keep_report(r, &d->analysis->start);
    return points_begin_reduced(r);
}

/* A higher index as it stands, because nothing else is wanted. */
static dae_status step_unreduced(run *r, const reduction *d)
{
    unreduced *as_is;
    dae_status st = unreduced_create(d, r->allocator, r->ds, &as_is);
    if (st) return st;
    st = step_problem(r, &as_is->problem);
    if (st) {
        unreduced_free(as_is);
        return st;
    }
    r->unreduced = as_is;
    unreduced_attach(as_is, &r->engine->stepper);
    engine_describe(r->engine, &r->stats);
    (void)take_start(r, &d->analysis->start);
    return DAE_OK;
}

/* Of an index that repairs speak of and ranks do not confirm. */
static void note_low_index(run *r, int64_t index)
{
    r->index_left = index;
    unreduced_note(index,
        "badly scaled units leave open what depends on what, so nothing is "
        "reduced: hidden constraints hold to the order of the formula only; "
        "`dae check` lists the equations whose combination hides them",
        r->ds);
}

/* Sides of switches are those of the moment: with these nothing is told. */
static void note_index(run *r, const dae_analysis *a)
{
    const bool is_found = a->verdict == DAE_INDEX_FOUND;
    r->index_report = (dae_index_report){
        .is_known = !r->problem->events && !a->is_index_bound,
        .is_certified = is_found && a->certificate == DAE_CERTIFIED,
        .index = is_found ? a->index : -1,
        .degrees_of_freedom = a->degrees_of_freedom};
}

/* `*is_started`: a start is found; else it is to be looked for from the
 * guesses, or DAE_UNSUPPORTED: no reduction is known. */
static dae_status reduce(run *r, double t0, bool *is_started)
{
    reduction *d;
    dae_status st = reduction_create(
        r->problem, &r->options, false, NULL, r->allocator, r->ds, &d);
    if (st) return st;
    const dae_start_findings *f = &d->analysis->start;
    note_index(r, d->analysis);
    event_loop_take(r->events, d->analysis->sides);
    *is_started = f->verdict != DAE_START_UNKNOWN;
    if (d->now) return step_reduced(r, d, t0);
    if (d->extended) {
        st = step_unreduced(r, d);
    } else if (*is_started) {
        *is_started = take_start(r, f);
        if (reduction_is_left(d)) note_low_index(r, d->analysis->index);
        if (!d->is_plain) st = check_limit(r, t0, false, r->ds);
    }
    reduction_free(d);
    return st;
}

/* From the guesses, all conditions held; where that is open the analysis looks further. */
static dae_status find_start(run *r, bool is_open, bool *is_started)
{
    const dae_start *start = r->problem->start;
    const engine *e = r->engine;
    memcpy(e->stepper.point.x, start->x, e->layout.states * sizeof *start->x);
    memcpy(
        e->stepper.point.xp, start->xp, e->layout.unknowns * sizeof *start->xp);
    return search_start(r, start->t0, start->x_fixed, start->xp_fixed, true,
        is_open && r->problem->series ? SAY_FOUND : SAY_ALL, is_started);
}

/* Up to so many unknowns the analysis decides what is to be done; above, only where
 * the matrix of short steps shows an index of 2 or more, or none. */
enum { ANALYSED_MOST = 5000 };

static dae_status is_low_by_limit(run *r, double t0, bool *is_low)
{
    dae_status st = DAE_NUMERIC;
    if (r->problem->unknown_count > ANALYSED_MOST)
        st = check_limit(r, t0, r->problem->is_smooth, NULL);
    *is_low = !st;
    iteration_release(r->engine->matrix); /* the search takes as much */
    return st == DAE_NUMERIC ? DAE_OK : st;
}

/* What was said up to where memory ran out may not have been the last word: it
 * is said by the call that comes to its end. */
static dae_status end_start(
    run *r, report_position before, double t0, dae_status st)
{
    if (st == DAE_MEMORY) report_rewind(r->ds, before);
    return failure_report_memory(r, "for the start", t0, st);
}

/* W0411, where a start was found or not. */
static void report_below_tolerance(const run *r, bool is_started)
{
    const reduction *d = r->reduction;
    const double *found = d ? d->x : r->engine->stepper.point.x;
    start_report_below_atol(r->problem, d ? &d->layout : &r->engine->layout,
        r->options.atol, is_started ? found : NULL, r->ds);
}

dae_status begin_initialized(run *r)
{
    const dae_start *start = r->problem->start;
    const report_position before = report_mark(r->ds);
    if (!start || !start->x || !start->xp) return DAE_ARGUMENT;
    event_loop_begin(r->events);
    dae_status st = unreduce(r);
    if (st) return end_start(r, before, start->t0, st);
    point *p = &r->engine->stepper.point;
    memcpy(p->x, start->x, r->engine->layout.states * sizeof *p->x);
    memcpy(p->xp, start->xp, r->engine->layout.unknowns * sizeof *p->xp);
    r->phase = RUN_CREATED;
    bool is_started = false, is_low;
    st = is_low_by_limit(r, start->t0, &is_low);
    if (!st && is_low) st = find_start(r, true, &is_started);
    if (!st && !is_started) st = reduce(r, start->t0, &is_started);
    if (st == DAE_UNSUPPORTED) st = check_limit(r, start->t0, false, r->ds);
    if (!st && !is_started) st = find_start(r, false, &is_started);
    report_below_tolerance(r, !st);
    r->t0 = start->t0;
    if (!st) st = points_begin(r);
    if (!st) st = begin_here(r, start->t0);
    return end_start(r, before, start->t0, st);
}

static bool all_finite(const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(v[i])) return false;
    return true;
}

dae_status begin_at(
    run *r, double t0, const double *x, const double *xp, bool make_consistent)
{
    const report_position before = report_mark(r->ds);
    if (!x || !xp || !isfinite(t0)) return DAE_ARGUMENT;
    event_loop_begin(r->events);
    dae_status st = unreduce(r);
    if (st) return end_start(r, before, t0, st);
    const layout *l = &r->engine->layout;
    point *p = &r->engine->stepper.point;
    if (!all_finite(x, l->states)) return DAE_ARGUMENT;
    r->phase = RUN_CREATED;
    memcpy(p->x, x, l->states * sizeof *x);
    for (size_t j = 0; j < l->unknowns; j++)
        p->xp[j] = l->order[j] > 0 ? xp[j] : 0;
    if (!all_finite(p->xp, l->unknowns)) return DAE_ARGUMENT;
    st = check_limit(r, t0, false, r->ds);
    if (!st && make_consistent) st = free_algebraic(r, t0, SAY_ALL);
    if (!st) st = begin_here(r, t0);
    return end_start(r, before, t0, st);
}
