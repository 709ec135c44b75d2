/* Rounds: what is singular is combined, in all blocks at once; the equations
 * that result are analysed and certified like a problem of their own
 * (repair/repaired_problem.h), and where the value of the transversal has fallen, the next
 * round begins from there. Otherwise it is undone and other kinds of steps are
 * tried. */
#include "repair/repair.h"
#include "index/block_regularity.h"
#include "index/generic_points.h"
#include "linalg/thresholds.h"
#include "repair/cancellation.h"
#include "repair/repair_report.h"
#include "repair/repair_step.h"
#include "repair/repaired_problem.h"
#include "repair/row_dependency.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- a problem on its way through repairs -------------------------------------- */

/* Its plan, the view that presents it, what structure and what numbers say of that.
 * Certificates of the last stage are those of the analysis. */

typedef struct stage {
    plan plan;
    view *view; /* of this plan; NULL: the problem itself, and all but `index`
                   is the caller's */
    signature *signature;
    dae_structure *structure;
    dae_certificate *certificates; /* structure->fine_count */
    int64_t index; /* bound by the structure, in derivatives of the problem's
                      own equations */
} stage;

static void stage_clear(stage *s, const dae_allocator *a)
{
    if (s->structure && s->certificates)
        alloc_free(a, s->certificates, s->structure->fine_count,
            sizeof *s->certificates);
    dae_structure_free(s->structure);
    signature_free(s->signature);
    view_free(s->view);
    *s = (stage){0};
}

static blocks_request stage_request(const stage *s, const blocks_request *given)
{
    blocks_request q = *given;
    if (!s->view) return q;
    q.problem = &s->view->problem;
    q.layout = &s->view->layout;
    q.signature = s->signature;
    q.structure = s->structure;
    return q;
}

/* ---- the index ------------------------------------------------------------------ */

/* An equation of the problem is needed as often as each that it is part of
 * asks for. */
static void stage_derivatives(const stage *s, int32_t *differentiate)
{
    const plan *p = &s->plan;
    for (size_t r = 0; r < p->unknowns; r++) {
        const plan_row *row = p->row[r];
        const int32_t c = s->structure->c[r] < INT32_MAX / 2
            ? (int32_t)s->structure->c[r]
            : INT32_MAX / 2;
        if (!row && differentiate[r] < c) differentiate[r] = c;
        for (size_t k = 0; row && k < row->count; k++) {
            const dae_term *t = &row->term[k];
            if (differentiate[t->equation] < c + t->order)
                differentiate[t->equation] = c + t->order;
        }
    }
}

static bool is_visible(const dae_problem *p, size_t j)
{
    return !p->index_group || p->index_group[j] != 255;
}

/* How often equations of the problem are differentiated to determine the
 * highest derivatives of its unknowns, once more where an algebraic one is
 * determined itself; where a repair has taken away the highest derivatives of
 * an unknown, more have to give them back. */
static int64_t bound_index(
    const stage *s, const blocks_request *given, const int32_t *differentiate)
{
    const dae_problem *p = given->problem;
    const dae_structure *structure = stage_request(s, given).structure;
    int64_t most = 0, back = 0;
    for (size_t j = 0; j < p->unknown_count; j++) {
        if (!is_visible(p, j)) continue;
        const int64_t c = s->view ? differentiate[j] : structure->c[j];
        const int64_t order = given->layout->order[j];
        const int64_t lost = (order > 0 ? order : 1) - structure->d[j];
        if (c > most) most = c;
        if (lost > back) back = lost;
    }
    return most + back;
}

static dae_status stage_find_index(
    stage *s, const blocks_request *given, arena *a)
{
    const size_t n = given->problem->unknown_count;
    int32_t *differentiate = ARENA_ARRAY(a, int32_t, n);
    if (!differentiate) return DAE_MEMORY;
    if (s->view) stage_derivatives(s, differentiate);
    s->index = bound_index(s, given, differentiate);
    return DAE_OK;
}

/* ---- certificates ---------------------------------------------------------------- */

static dae_status stage_certify(stage *s, const blocks_request *given)
{
    const blocks_request q = stage_request(s, given);
    s->certificates = alloc_zeroed(
        q.allocator, s->structure->fine_count, sizeof *s->certificates);
    if (!s->certificates) return DAE_MEMORY;
    return blocks_certify(&q, s->certificates, NULL);
}

/* What is not known is taken anywhere: derivative `order` of an unknown. */
static double value_of(const view *v, const double *values, const size_t *first,
    size_t j, size_t order)
{
    const double known = order < first[j + 1] - first[j]
        ? values[first[j] + order]
        : (double)NAN;
    return isfinite(known) ? known : v->stray[v->slot_first[j] + order];
}

/* The view's point from the problem's slots. */
static void fill_point(const view *v, const double *values, const size_t *first,
    double *x, double *xp)
{
    const layout *l = &v->layout;
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t o = 0; o <= l->order[j]; o++) {
            const bool is_top = o > 0 && o == l->order[j];
            assert(o < v->slot_first[j + 1] - v->slot_first[j]);
            *(is_top ? &xp[j] : &x[l->first[j] + o]) = value_of(
                v, values, first, j, o);
        }
}

/* Weights that are not determined at the point: the block has less rank there
 * than it has in general. */
static void mark_varying(const stage *s, dae_certificate *certificates)
{
    const dae_structure *at = s->structure;
    for (size_t f = 0; f < at->fine_count; f++)
        for (int32_t k = at->fine[f].begin; k < at->fine[f].end; k++)
            if (plan_varies(&s->plan, at->row_at[k])
                && certificates[f] != DAE_SINGULAR)
                certificates[f] = DAE_SINGULAR_HERE;
}

static dae_status stage_certify_at(const stage *s, const blocks_request *given,
    double t, const double *values, const size_t *first,
    dae_certificate *certificates)
{
    const blocks_request q = stage_request(s, given);
    const view *v = s->view;
    const layout *l = &v->layout;
    dae_status st = DAE_MEMORY;
    double *x = alloc_zeroed(q.allocator, l->states, sizeof *x);
    double *xp = alloc_zeroed(q.allocator, l->unknowns, sizeof *xp);
    if (x && xp) {
        fill_point(v, values, first, x, xp);
        st = view_move(s->view, t, x, xp, VIEW_JACOBIAN);
        if (st == DAE_RETRY) {
            st = DAE_OK;
            if (v->lacks_factors) mark_varying(s, certificates);
        } else if (!st) {
            st = blocks_certify_at(&q, t, x, xp, certificates, NULL);
        }
    }
    alloc_free(q.allocator, x, l->states, sizeof *x);
    alloc_free(q.allocator, xp, l->unknowns, sizeof *xp);
    return st;
}

/* Every round lowers the degrees of freedom, so there is an end; equations
 * grow with each, and 50 are more than any model has needed. */
enum { ROUNDS = 50 };

typedef struct repair_work {
    blocks_request given;                /* with an allocator */
    const dae_certificate *certificates; /* given */
    stage now;
    arena arena; /* plans, steps, texts */
    ARRAY(dae_repair) repairs;
    dae_repair dead_end;
} repair_work;

/* What outlives the rounds. */
struct repair_kept {
    stage now; /* without structure and certificates, which the findings have */
    arena arena;
};

static bool is_fatal(dae_status st)
{
    return st == DAE_MEMORY || st == DAE_INTERRUPTED;
}

/* ---- results ------------------------------------------------------------------- */

/* Accepts a zeroed one. */
static void clear_repair(dae_repair *r, const dae_allocator *a)
{
    if (r->text)
        alloc_free(a, (void *)(uintptr_t)r->text, strlen(r->text) + 1, 1);
    alloc_free(a, (void *)(uintptr_t)r->terms, r->term_count, sizeof *r->terms);
    alloc_free(a, (void *)(uintptr_t)r->independent, r->independent_count,
        sizeof *r->independent);
    *r = (dae_repair){0};
}

static dae_status copy_terms(
    const repair_work *w, const plan_row *row, dae_repair *out)
{
    const dae_allocator *a = w->given.allocator;
    dae_term *terms = alloc_zeroed(a, row->count, sizeof *terms);
    if (!terms) return DAE_MEMORY;
    out->terms = terms;
    out->term_count = row->count;
    for (size_t k = 0; k < row->count; k++) {
        terms[k] = row->term[k];
        if (row->members > 1 && k < row->start[row->members - 1])
            terms[k].weight = (double)NAN;
    }
    return DAE_OK;
}

static dae_status copy_slots(
    const repair_work *w, const leftover *left, dae_repair *out)
{
    const size_t count = left->cancel_count;
    dae_slot *slots = alloc_zeroed(w->given.allocator, count, sizeof *slots);
    if (!slots) return DAE_MEMORY;
    if (count > 0) memcpy(slots, left->cancels, count * sizeof *slots);
    out->independent = slots;
    out->independent_count = count;
    return DAE_OK;
}

/* A repair as the findings hold it, from a text in the arena. */
static dae_status make_repair(const repair_work *w, const text_request *t,
    const char *text, dae_repair *out)
{
    const repair_step *step = t->step;
    assert(step->count > 0 && !step->is_dropped);
    const int32_t last = step->member[step->count - 1];
    dae_status st = DAE_OK;
    *out = (dae_repair){.replaces = -1};
    if (!text) return DAE_MEMORY;
    const size_t size = strlen(text) + 1;
    char *copy = alloc_zeroed(w->given.allocator, size, 1);
    if (!copy) return DAE_MEMORY;
    memcpy(copy, text, size);
    out->text = copy;
    out->replaces = last;
    st = copy_terms(w, t->plan->row[last], out);
    if (!st) st = copy_slots(w, t->left, out);
    if (st) clear_repair(out, w->given.allocator);
    return st;
}

/* ---- a round: what the steps give ------------------------------------------- */

typedef struct round_state {
    repair_steps steps;
    leftover *left;  /* steps.count, of those that combine equations */
    int32_t *step;   /* rows of the new plan: the step that puts it in, or -1 */
    int64_t *filled; /* entries of that row */
    stage next;
    bool is_over; /* nothing lowers the value, or a dead end */
} round_state;

static dae_status map_steps(repair_work *w, round_state *r)
{
    const size_t rows = r->next.plan.unknowns;
    r->step = ARENA_ARRAY(&w->arena, int32_t, rows);
    r->filled = ARENA_ARRAY(&w->arena, int64_t, rows);
    if (!r->step || !r->filled) return DAE_MEMORY;
    for (size_t i = 0; i < rows; i++) r->step[i] = -1;
    for (size_t k = 0; k < r->steps.count; k++) {
        const repair_step *s = &r->steps.items[k];
        if (!s->is_dropped) r->step[s->member[s->count - 1]] = (int32_t)k;
    }
    return DAE_OK;
}

/* Whether an entry of an equation that is put in fits the offsets there were,
 * and is none of those that keep the value (repair/repair_step.h). */
static bool entry_fits(const repair_work *w, const round_state *r,
    const int32_t *block, int32_t row, int32_t column, int32_t order)
{
    const dae_structure *s = stage_request(&w->now, &w->given).structure;
    assert(r->step[row] >= 0 && (size_t)r->step[row] < r->steps.count);
    const repair_step *step = &r->steps.items[r->step[row]];
    assert((size_t)column < s->columns);
    const int64_t slack = s->d[column] - s->c[row] - order;
    return slack > 0 || (slack == 0 && (size_t)block[column] != step->block);
}

/* Weights that vary may depend on derivatives that are too high: steps whose
 * equations do not fit are dropped. */
static dae_status drop_misfits(repair_work *w, round_state *r, size_t *dropped)
{
    const dae_structure *s = stage_request(&w->now, &w->given).structure;
    const signature *g = r->next.signature;
    int32_t *block = ARENA_ARRAY(&w->arena, int32_t, s->columns);
    if (!block) return DAE_MEMORY;
    *dropped = 0;
    for (size_t f = 0; f < s->fine_count; f++)
        for (int32_t k = s->fine[f].begin; k < s->fine[f].end; k++)
            block[s->column_at[k]] = (int32_t)f;
    for (size_t j = 0; j < g->table.columns; j++) {
        for (int64_t e = g->column_start[j]; e < g->column_start[j + 1]; e++) {
            const int32_t i = g->row[e];
            if (r->step[i] < 0) continue;
            repair_step *step = &r->steps.items[r->step[i]];
            r->filled[i]++;
            if (step->is_dropped
                || entry_fits(w, r, block, i, (int32_t)j, g->order[e]))
                continue;
            step->is_dropped = true;
            ++*dropped;
        }
    }
    return DAE_OK;
}

/* The view and its signature, without the steps that do not fit. */
static dae_status make_next(repair_work *w, round_state *r)
{
    size_t dropped;
    dae_status st;
    do {
        stage_clear(&r->next, w->given.allocator);
        st = plan_extend(&w->now.plan, r->steps.items, r->steps.count,
            &w->arena, &r->next.plan);
        if (st) return st;
        st = view_create(w->given.problem, w->given.layout, &r->next.plan,
            w->given.allocator, &r->next.view);
        if (st) return st;
        st = signature_create(&r->next.view->problem, &r->next.view->layout,
            w->given.allocator, &r->next.signature);
        if (st) return st;
        if (!r->next.signature->is_sampled) return DAE_RETRY;
        if ((st = map_steps(w, r))) return st;
        if ((st = drop_misfits(w, r, &dropped))) return st;
    } while (dropped > 0);
    return DAE_OK;
}

static dae_status find_left(repair_work *w, round_state *r)
{
    size_t count = 0;
    leftover *list = ARENA_ARRAY(&w->arena, leftover, r->steps.count);
    r->left = ARENA_ARRAY(&w->arena, leftover, r->steps.count);
    if (!list || !r->left) return DAE_MEMORY;
    for (size_t i = 0; i < r->next.plan.unknowns; i++)
        if (r->step[i] >= 0) list[count++].row = (int32_t)i;
    const dae_status st = count > 0
        ? leftover_find(r->next.view, list, count, &w->arena)
        : DAE_OK;
    for (size_t k = 0; k < count && !st; k++)
        r->left[r->step[list[k].row]] = list[k];
    return st;
}

/* The first equation in which nothing is left. */
static const repair_step *find_empty(const round_state *r)
{
    for (size_t i = 0; i < r->next.plan.unknowns; i++)
        if (r->step[i] >= 0 && r->filled[i] == 0)
            return &r->steps.items[r->step[i]];
    return NULL;
}

static text_request text_for(
    const repair_work *w, const round_state *r, const repair_step *s)
{
    return (text_request){.problem = w->given.problem,
        .layout = w->given.layout,
        .plan = &r->next.plan,
        .step = s,
        .left = &r->left[s - r->steps.items]};
}

static dae_status meet_end(repair_work *w, round_state *r, const repair_step *s,
    char *text_of(const text_request *q, arena *a))
{
    const text_request t = text_for(w, r, s);
    r->is_over = true;
    return make_repair(w, &t, text_of(&t, &w->arena), &w->dead_end);
}

/* ---- a round: what it came to ----------------------------------------------- */

static const repair_step *last_step(const round_state *r)
{
    for (size_t k = r->steps.count; k-- > 0;)
        if (!r->steps.items[k].is_dropped) return &r->steps.items[k];
    return NULL;
}

/* The rank of dF/dx' where that is the system Jacobian: every offset c is 0
 * and every d 1. 0: it is not, or too large. */
static dae_status find_mass_rank(repair_work *w, size_t *rank)
{
    const blocks_request q = stage_request(&w->now, &w->given);
    const dae_structure *s = q.structure;
    const signature *g = q.signature;
    const size_t n = s->n;
    sampler *at;
    circuit_list list;
    *rank = 0;
    if (n > REPAIR_LARGEST || w->repairs.count > 0) return DAE_OK;
    for (size_t k = 0; k < n; k++)
        if (s->c[k] != 0 || s->d[k] != 1) return DAE_OK;
    double *m = ARENA_ARRAY(&w->arena, double, n *n);
    int32_t *order = ARENA_ARRAY(&w->arena, int32_t, n);
    if (!m || !order) return DAE_MEMORY;
    dae_status st = sampler_create(
        q.problem, q.layout, w->given.allocator, &at);
    if (!st) st = points_sample(at, 0);
    for (size_t j = 0; j < n && !st; j++) {
        order[j] = (int32_t)j;
        for (int64_t e = g->column_start[j]; e < g->column_start[j + 1]; e++)
            if (g->order[e] == 1)
                m[(size_t)g->row[e] * n + j] = sampler_values(at)[g->entry[e]];
    }
    sampler_free(at);
    if (!st) st = circuits_find(n, n, m, order, CIRCUIT_ZERO, &w->arena, &list);
    if (!st && list.rank < n) *rank = list.rank;
    return is_fatal(st) ? st : DAE_OK;
}

static dae_status record(repair_work *w, round_state *r)
{
    text_outcome outcome = {
        .before = stage_request(&w->now, &w->given).structure,
        .after = r->next.structure};
    const repair_step *last = last_step(r);
    dae_status st = find_mass_rank(w, &outcome.mass_rank);
    if (st || (st = stage_find_index(&r->next, &w->given, &w->arena)))
        return st;
    outcome.index_before = w->now.index;
    outcome.index_after = r->next.index;
    for (size_t k = 0; k < r->steps.count; k++)
        outcome.steps += !r->steps.items[k].is_dropped;
    for (size_t k = 0; k < r->steps.count; k++) {
        const repair_step *s = &r->steps.items[k];
        dae_repair one;
        if (s->is_dropped) continue;
        text_request t = text_for(w, r, s);
        t.outcome = s == last ? &outcome : NULL;
        const arena_position mark = arena_mark(&w->arena);
        st = make_repair(w, &t, text_of_step(&t, &w->arena), &one);
        arena_release(&w->arena, mark);
        if (st) return st;
        if (!ARRAY_PUSH(w->given.allocator, &w->repairs, one)) {
            clear_repair(&one, w->given.allocator);
            return DAE_MEMORY;
        }
    }
    return DAE_OK;
}

/* Analyses what the steps give; `is_better`: the value has fallen. */
static dae_status judge(repair_work *w, round_state *r, bool *is_better)
{
    const dae_structure_options options = {
        w->given.interrupt, w->given.interrupt_context};
    dae_status st = find_left(w, r);
    *is_better = false;
    if (st) return st;
    const repair_step *empty = find_empty(r);
    if (empty) return meet_end(w, r, empty, text_of_end);
    st = dae_structure_analyse(&r->next.signature->table, &options,
        w->given.allocator, &r->next.structure);
    if (st) return st;
    if (!r->next.structure->is_regular)
        return r->steps.count == 1
            ? meet_end(w, r, last_step(r), text_of_singular)
            : DAE_OK;
    const int64_t before =
        stage_request(&w->now, &w->given).structure->degrees_of_freedom;
    *is_better = r->next.structure->degrees_of_freedom < before;
    return *is_better ? stage_certify(&r->next, &w->given) : DAE_OK;
}

static void accept(repair_work *w, round_state *r)
{
    assert(r->next.view && r->next.structure && r->next.certificates);
    assert(r->next.structure->is_regular);
    stage_clear(&w->now, w->given.allocator);
    w->now = r->next;
    w->now.view->plan = &w->now.plan;
    r->next = (stage){0};
}

/* Looks for steps of these kinds (step_request.kinds) in w->now, and makes
 * them where the value of the transversal falls: then `now` and `repairs` move
 * on. *is_over: a dead end was met. A step that fails for other reasons than
 * memory or an interrupt is not made. */
static dae_status round_try(
    repair_work *w, unsigned kinds, bool *is_better, bool *is_over)
{
    const blocks_request at = stage_request(&w->now, &w->given);
    const step_request q = {.at = &at,
        .certificates = w->now.view ? w->now.certificates : w->certificates,
        .plan = &w->now.plan,
        .kinds = kinds};
    round_state r = {0};
    dae_status st = steps_find(&q, &w->arena, &r.steps);
    *is_better = false;
    if (!st && r.steps.count > 0) {
        st = make_next(w, &r);
        if (!st && last_step(&r)) st = judge(w, &r, is_better);
        if (!st && *is_better) st = record(w, &r);
        if (!st && *is_better) accept(w, &r);
    }
    *is_better = *is_better && !st;
    *is_over = r.is_over;
    stage_clear(&r.next, w->given.allocator);
    return is_fatal(st) ? st : DAE_OK;
}

/* ---- all rounds --------------------------------------------------------------- */

static dae_status run_rounds(repair_work *w)
{
    static const unsigned kinds[] = {1U << REPAIR_ROWS | 1U << REPAIR_VARYING,
        1U << REPAIR_ROWS, 1U << REPAIR_VARYING};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    dae_status st = DAE_OK;
    for (int round = 0; round < ROUNDS; round++) {
        bool is_better = false, is_over = false;
        for (int k = 0; k < KINDS && !st && !is_better && !is_over; k++)
            st = round_try(w, kinds[k], &is_better, &is_over);
        if (st || !is_better) return st;
    }
    return DAE_OK;
}

/* ---- findings ------------------------------------------------------------------ */

static bool all_certified(const dae_certificate *c, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (c[k] != DAE_CERTIFIED) return false;
    return true;
}

/* The stage goes to the findings, and what it stands on with it. */
static void hand_over_stage(repair_work *w, repair_findings *out)
{
    struct repair_kept *kept = out->kept;
    assert(kept && w->now.structure && w->now.certificates);
    kept->now = w->now;
    kept->arena = w->arena;
    kept->now.view->plan = &kept->now.plan;
    out->structure = w->now.structure;
    out->certificates = w->now.certificates;
    kept->now.structure = NULL;
    kept->now.certificates = NULL;
    w->now = (stage){0};
    arena_init(&w->arena, w->given.allocator, 0);
}

static dae_status hand_over(repair_work *w, repair_findings *out)
{
    const dae_allocator *a = w->given.allocator;
    const size_t n = w->given.problem->unknown_count;
    const size_t count = w->repairs.count;
    const dae_structure *s = stage_request(&w->now, &w->given).structure;
    out->is_complete = all_certified(
        w->now.view ? w->now.certificates : w->certificates, s->fine_count);
    out->unknowns = n;
    out->dead_end = w->dead_end;
    w->dead_end = (dae_repair){0};
    if (!w->now.view) return DAE_OK;
    out->differentiate = alloc_zeroed(a, n, sizeof *out->differentiate);
    dae_repair *repairs = alloc_zeroed(a, count, sizeof *repairs);
    struct repair_kept *kept = alloc_zeroed(a, 1, sizeof *kept);
    if (!out->differentiate || !repairs || !kept) {
        alloc_free(a, repairs, count, sizeof *repairs);
        alloc_free(a, kept, 1, sizeof *kept);
        return DAE_MEMORY;
    }
    memcpy(repairs, w->repairs.items, count * sizeof *repairs);
    out->repairs = repairs;
    out->count = count;
    w->repairs.count = 0; /* they are the findings' now */
    stage_derivatives(&w->now, out->differentiate);
    out->kept = kept;
    hand_over_stage(w, out);
    return DAE_OK;
}

dae_status repair_all(const blocks_request *q,
    const dae_certificate *certificates, repair_findings *out)
{
    repair_work w = {.given = *q, .certificates = certificates};
    const dae_allocator *a = alloc_or_default(q->allocator);
    w.given.allocator = a;
    *out = (repair_findings){0};
    arena_init(&w.arena, a, 0);
    dae_status st = plan_begin(
        q->problem->unknown_count, &w.arena, &w.now.plan);
    if (!st) st = stage_find_index(&w.now, &w.given, &w.arena);
    if (!st) st = run_rounds(&w);
    if (!st) st = hand_over(&w, out);
    stage_clear(&w.now, a);
    clear_repair(&w.dead_end, a);
    for (size_t k = 0; k < w.repairs.count; k++)
        clear_repair(&w.repairs.items[k], a);
    ARRAY_FREE(a, &w.repairs);
    arena_clear(&w.arena);
    if (st) repair_findings_clear(out, a);
    return st;
}

dae_status repair_certify_at(const blocks_request *q, double t,
    const double *values, const size_t *first, repair_findings *f)
{
    blocks_request given = *q;
    if (!f->kept) return DAE_OK;
    given.allocator = alloc_or_default(q->allocator);
    stage at = f->kept->now;
    at.structure = f->structure;
    const dae_status st = stage_certify_at(
        &at, &given, t, values, first, f->certificates);
    f->is_complete = all_certified(f->certificates, f->structure->fine_count);
    return st;
}

void repair_findings_clear(repair_findings *f, const dae_allocator *allocator)
{
    const dae_allocator *a = alloc_or_default(allocator);
    for (size_t k = 0; k < f->count; k++) clear_repair(&f->repairs[k], a);
    alloc_free(a, f->repairs, f->count, sizeof *f->repairs);
    clear_repair(&f->dead_end, a);
    if (f->structure)
        alloc_free(a, f->certificates, f->structure->fine_count,
            sizeof *f->certificates);
    dae_structure_free(f->structure);
    alloc_free(a, f->differentiate, f->unknowns, sizeof *f->differentiate);
    if (f->kept) {
        stage_clear(&f->kept->now, a);
        arena_clear(&f->kept->arena);
        alloc_free(a, f->kept, 1, sizeof *f->kept);
    }
    *f = (repair_findings){0};
}
