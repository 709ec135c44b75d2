/* From analysis to pick, and from pick to pick. */
#include "control/reduction.h"
#include "base/report.h"
#include "sparse/naming.h"
#include <math.h>
#include <string.h>

/* A pick whose leverage grows beyond this is looked at again; where no other is
 * better, only when it has grown by as much once more. */
static const double LEVERAGE_MOST = 2, LEVERAGE_GROWTH = 1.5;
enum { ENTRY_LIMIT = 200000000 };

void reduction_free(reduction *r)
{
    if (!r) return;
    const dae_allocator *a = r->allocator;
    reduced_free(r->now);
    extended_free(r->extended);
    signature_free(r->signature);
    dae_analysis_free(r->analysis);
    layout_clear(&r->layout);
    arena_clear(&r->memory);
    alloc_free(a, r, 1, sizeof *r);
}

/* Whether structure says all there is to say of the problem. */
static bool is_reducible(const reduction *r)
{
    const dae_analysis *a = r->analysis;
    const dae_structure *s = a->structure;
    if (!s->is_regular || a->verdict != DAE_INDEX_FOUND) return false;
    if (a->repaired != s || a->index > a->structural_index) return false;
    for (size_t j = 0; j < s->n; j++)
        if (s->d[j] < r->layout.order[j] || s->d[j] > UINT8_MAX) return false;
    return true;
}

static dae_status extend(reduction *r)
{
    const dae_structure *s = r->analysis->structure;
    int32_t *c = ARENA_ARRAY(&r->memory, int32_t, s->n);
    int32_t *d = ARENA_ARRAY(&r->memory, int32_t, s->n);
    if (!c || !d) return DAE_MEMORY;
    for (size_t k = 0; k < s->n; k++) {
        if (s->c[k] >= DAE_SERIES_TERMS_MAX) return DAE_UNSUPPORTED;
        c[k] = (int32_t)s->c[k];
        d[k] = (int32_t)s->d[k];
    }
    const dae_status st = extended_create(
        r->problem, c, d, ENTRY_LIMIT, r->allocator, &r->extended);
    return st == DAE_LIMIT ? DAE_UNSUPPORTED : st;
}

static dae_status take_vectors(reduction *r)
{
    arena *a = &r->memory;
    const size_t n = r->layout.unknowns, columns = r->extended->columns;
    r->x = ARENA_ARRAY(a, double, r->layout.states);
    r->xp = ARENA_ARRAY(a, double, n);
    r->columns = ARENA_ARRAY(a, double, columns);
    r->stepped_x = ARENA_ARRAY(a, double, columns);
    r->stepped_xp = ARENA_ARRAY(a, double, columns);
    r->values = ARENA_ARRAY(
        a, double, (size_t)r->extended->problem.pattern->column_start[columns]);
    r->size = ARENA_ARRAY(a, double, n);
    r->order = ARENA_ARRAY(a, int32_t, n);
    r->pick.order = ARENA_ARRAY(a, int32_t, n);
    bool has_all = r->x && r->xp && r->columns && r->stepped_x && r->stepped_xp
        && r->values && r->size && r->order && r->pick.order;
    for (int k = 0; k < HISTORY_ROWS; k++) {
        r->past[k] = ARENA_ARRAY(a, double, columns);
        has_all = has_all && r->past[k];
    }
    return has_all ? DAE_OK : DAE_MEMORY;
}

static void take_sizes(reduction *r)
{
    const dae_scales *s = r->problem->scales;
    for (size_t j = 0; j < r->layout.unknowns; j++) {
        const bool is_known = s && s->nominal && s->nominal[j] > 0;
        r->size[j] = is_known ? s->nominal[j] : 1;
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

/* The consistent values that the analysis has found. */
static void take_start(reduction *r)
{
    const dae_start_findings *f = &r->analysis->start;
    const extended *e = r->extended;
    for (size_t p = 0; p < e->columns; p++) {
        const size_t j = (size_t)e->column_unknown[p];
        const size_t order = p - e->column_first[j];
        const size_t known = f->value_first[j + 1] - f->value_first[j];
        const double v = order < known ? f->values[f->value_first[j] + order]
                                       : 0;
        r->past[0][p] = isfinite(v) ? v : 0;
    }
    r->past_count = 1;
    to_user(r, r->past[0], r->x, r->xp);
}

static pick_request request(const reduction *r)
{
    return (pick_request){.stages = &r->stages,
        .structure = r->analysis->structure,
        .values = r->values,
        .size = r->size,
        .allocator = r->allocator};
}

/* The Jacobian of the extended problem at the newest point. */
static dae_status evaluate(reduction *r, double t)
{
    const dae_problem *e = &r->extended->problem;
    return e->jacobian(e->self, DAE_ALL, t, r->past[0], NULL, r->values);
}

static dae_status tell_lost(
    const reduction *r, const pick *p, double t, dae_diagnostics *ds)
{
    char name[NAMING_SIZE];
    const dae_source *source = NULL;
    text_span span = {0, 0};
    const size_t i = (size_t)p->lost;
    naming_place(r->problem, DAE_NAME_EQUATION, i, &source, &span);
    naming_text(r->problem, DAE_NAME_EQUATION, i, name, sizeof name);
    report(ds, DIAG_E0502, source, span,
        "at t = %.10g the constraint `%s` has nothing left to determine: of "
        "%d constraints only %d are independent there",
        t, name, (int)p->lost_rows, (int)p->lost_rank);
    return DAE_NUMERIC;
}

static dae_status make_reduced(const reduction *r, const pick *p, reduced **out)
{
    return reduced_create(r->problem, r->extended, r->analysis->structure,
        &r->stages, p, r->atol, r->allocator, out);
}

static dae_status first_pick(reduction *r, double t0, dae_diagnostics *ds)
{
    dae_status st = evaluate(r, t0);
    if (st) return st == DAE_RETRY ? DAE_UNSUPPORTED : st;
    const pick_request q = request(r);
    st = pick_choose(&q, &r->pick);
    if (st == DAE_NUMERIC) return tell_lost(r, &r->pick, t0, ds);
    if (st) return st == DAE_LIMIT ? DAE_UNSUPPORTED : st;
    r->limit = fmax(LEVERAGE_MOST, LEVERAGE_GROWTH * r->pick.leverage);
    return make_reduced(r, &r->pick, &r->now);
}

static dae_status check_start(const reduction *r)
{
    switch (r->analysis->start.verdict) {
    case DAE_START_INCONSISTENT: return DAE_INCONSISTENT;
    case DAE_START_UNSOLVED: return DAE_NUMERIC;
    case DAE_START_CONSISTENT:
    case DAE_START_UNDERDETERMINED: break;
    case DAE_START_UNKNOWN: return DAE_UNSUPPORTED;
    }
    return r->analysis->start.values ? DAE_OK : DAE_UNSUPPORTED;
}

/* All but what has to be said where it comes to nothing. */
static dae_status make_parts(
    reduction *r, const dae_options *options, dae_diagnostics *ds)
{
    const dae_problem *p = r->problem;
    const dae_analysis_options asked = {.rtol = options->rtol,
        .atol = options->atol,
        .interrupt = options->interrupt,
        .interrupt_context = options->interrupt_context};
    dae_status st;
    if (!p->series || !p->series_jacobian || !p->jacobian || !p->start)
        return DAE_UNSUPPORTED;
    if ((st = layout_init(&r->layout, p, r->allocator))) return st;
    if ((st = dae_analyse(p, &asked, r->allocator, ds, &r->analysis)))
        return st;
    if ((st = check_start(r))) return st;
    if (!is_reducible(r)) return DAE_UNSUPPORTED;
    if ((st = signature_create(p, &r->layout, r->allocator, &r->signature)))
        return st;
    if ((st = extend(r)) || (st = take_vectors(r))) return st;
    st = stages_create(r->signature, r->analysis->structure, r->extended,
        &r->memory, &r->stages);
    if (st) return st;
    take_sizes(r);
    take_start(r);
    return first_pick(r, p->start->t0, ds);
}

/* Where structure is no help, what the analysis has found wrong is what there
 * is to say; if there is nothing, nothing is said. */
static dae_status make(
    reduction *r, const dae_options *options, dae_diagnostics *ds)
{
    const report_position before = report_mark(ds);
    const size_t errors = report_error_count(ds);
    const dae_status st = make_parts(r, options, ds);
    if (st != DAE_UNSUPPORTED) return st;
    if (report_error_count(ds) > errors) return DAE_NUMERIC;
    report_rewind(ds, before);
    return st;
}

dae_status reduction_create(const dae_problem *problem,
    const dae_options *options, const dae_allocator *allocator,
    dae_diagnostics *ds, reduction **out)
{
    *out = NULL;
    reduction *r = alloc_zeroed(allocator, 1, sizeof *r);
    if (!r) return DAE_MEMORY;
    r->problem = problem;
    r->allocator = allocator;
    r->atol = options->atol;
    arena_init(&r->memory, allocator, 0);
    const dae_status st = make(r, options, ds);
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

void reduction_begin(reduction *r, const engine *e)
{
    const point *p = &e->stepper.point;
    reduced_scatter(r->now, p->x, p->xp, r->past[0]);
    to_user(r, r->past[0], r->x, r->xp);
    r->past_count = 1;
}

void reduction_remember(reduction *r, const engine *e)
{
    double *oldest = r->past[HISTORY_ROWS - 1];
    memmove(r->past + 1, r->past, (HISTORY_ROWS - 1) * sizeof *r->past);
    r->past[0] = oldest;
    if (r->past_count < HISTORY_ROWS) r->past_count++;
    const stepper *s = &e->stepper;
    reduced_scatter(r->now, s->history.phi[0], s->point.xp, oldest);
    reduced_scatter(r->now, s->point.x, s->point.xp, r->columns);
    to_user(r, r->columns, r->x, r->xp);
}

static bool is_same(const reduction *r)
{
    return memcmp(
               r->order, r->pick.order, r->layout.unknowns * sizeof *r->order)
        == 0;
}

static dae_status look_for_better(
    reduction *r, double t, dae_diagnostics *ds, reduced **next)
{
    pick other = {.order = r->order};
    dae_status st = evaluate(r, t);
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    const pick_request q = request(r);
    st = pick_choose(&q, &other);
    if (st == DAE_NUMERIC) return tell_lost(r, &other, t, ds);
    if (st) return st;
    r->limit_next = fmax(LEVERAGE_MOST, LEVERAGE_GROWTH * other.leverage);
    if (!is_same(r)) return make_reduced(r, &other, next);
    r->limit = r->limit_next;
    return DAE_OK;
}

/* What Newton's method last saw of the Jacobian tells how the pick fares: where
 * nothing made it look again, the constraints have not turned by much. */
dae_status reduction_follow(
    reduction *r, const engine *e, dae_diagnostics *ds, reduced **next)
{
    double leverage = 0;
    *next = NULL;
    if (r->measured == r->now->evaluations) return DAE_OK;
    pick_request q = request(r);
    q.values = r->now->values;
    dae_status st = pick_measure(&q, &r->pick, &leverage);
    if (!st && leverage > r->limit)
        st = look_for_better(r, e->stepper.history.t, ds, next);
    /* what fails is asked again; what is adopted begins anew */
    if (!st && !*next) r->measured = r->now->evaluations;
    return st;
}

carry_source reduction_source(
    const reduction *r, const reduced *next, int32_t *state)
{
    const size_t states = r->now->layout.states;
    for (size_t s = 0; s < next->layout.states; s++) {
        const int32_t old = r->now->slot_of[next->column_of[s]];
        state[s] = old >= 0 && (size_t)old < states ? old : -1;
    }
    return (carry_source){.state = state,
        .column = next->column_of,
        .values = (const double *const *)r->past,
        .count = r->past_count};
}

void reduction_adopt(reduction *r, reduced *next)
{
    reduced_free(r->now);
    r->now = next;
    r->measured = 0;
    r->limit = r->limit_next;
    memcpy(r->pick.order, r->order, r->layout.unknowns * sizeof *r->order);
}
