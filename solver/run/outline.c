/* Of a reduction the equations are put into groups by their incidence with the slots
 * that are determined at one time: the highest of each chain, and what is no state.
 *
 * Of condensation both matrices are factorized, of the step that comes next, so that
 * the sizes of their factors are those that a run has. */
#include "run/outline.h"
#include "linalg/naming.h"
#include <assert.h>
#include <dae/structure.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- index and states ------------------------------------------------------------- */

static size_t count_states(const reduced *now)
{
    size_t count = 0;
    for (size_t s = 0; s < now->layout.states; s++)
        count += now->state_name[s] >= 0;
    return count;
}

static const char *name_of(dae_reduce mode)
{
    switch (mode) {
    case DAE_REDUCE_AUTO: return "dummy derivatives";
    case DAE_REDUCE_PROJECT: return "projection";
    case DAE_REDUCE_STABILIZE: return "stabilization";
    case DAE_REDUCE_NEVER: break;
    }
    return "none";
}

dae_reduction_report outline_reduction(const run *r)
{
    const reduction *d = r->reduction;
    if (r->unreduced)
        return (dae_reduction_report){
            .index = r->unreduced->index, .method = "none"};
    if (!d)
        return (dae_reduction_report){.index = r->index_left,
            .method = r->index_left > 0 ? "none" : NULL};
    return (dae_reduction_report){.index = d->analysis->index,
        .method = name_of(d->mode),
        .state_count = count_states(d->now),
        .constraints = (int64_t)reduction_constraints(d)};
}

size_t outline_state_name(const run *r, size_t state, char *text, size_t size)
{
    const reduction *d = r->reduction;
    if (size > 0) text[0] = '\0';
    for (size_t s = 0; d && s < d->now->layout.states; s++) {
        const int32_t column = d->now->state_name[s];
        if (column < 0 || state-- > 0) continue;
        const dae_problem *e = &d->extended->problem;
        return e->name(e->self, DAE_NAME_UNKNOWN, (size_t)column, text, size);
    }
    return 0;
}

/* ---- what sets the steps ---------------------------------------------------------- */

/* What the error test of the last step measured of each state: the formula's own
 * estimate, or the distance from the prediction with its constant. */
static const double *tested(const stepper *s, double *constant)
{
    const method_parts *own = s->formula->parts;
    *constant = 1;
    if (own && own->error_order > 0 && s->memory.is_made)
        return s->memory.error;
    if (!s->formula->one_step)
        *constant = s->formula->error_constant(
            s->grid.psi, s->grid.sums, s->last_order);
    return s->point.d;
}

enum { KEY_ORDERS = 64 }; /* more than an unknown has derivatives */

/* By the caller's unknown and the order of derivative, so that a state has one key
 * whatever the states, the mode and the index at hand. -1: a multiplier. */
static int64_t key_of(const run *r, size_t state)
{
    const reduction *d = r->reduction;
    int order;
    size_t j = naming_unknown(&r->engine->layout, state, &order);
    if (d) {
        const int32_t named = d->now->state_name[state];
        const int32_t column = named < 0 && order == 0 ? d->now->name_of[j]
                                                       : named;
        if (column < 0) return -1;
        const dae_slot s = extended_slot(d->extended, (size_t)column);
        j = (size_t)s.unknown;
        order = s.order;
    }
    assert(order < KEY_ORDERS);
    return (int64_t)j * KEY_ORDERS + order;
}

int64_t outline_largest_error(const run *r, double *error)
{
    const engine *e = r->engine;
    const stepper *s = &e->stepper;
    double constant = 0, most = 0;
    const double *off = s->last_h != 0 ? tested(s, &constant) : NULL;
    size_t worst = SIZE_MAX;
    for (size_t i = 0; off && i < e->layout.states; i++) {
        const double size = constant * fabs(s->weights->test[i] * off[i]);
        if (size > most) most = size, worst = i;
    }
    if (error) *error = most;
    return worst == SIZE_MAX ? -1 : key_of(r, worst);
}

size_t outline_error_name(const run *r, int64_t key, char *text, size_t size)
{
    char name[NAMING_SIZE] = "";
    if (size > 0) text[0] = '\0';
    if (key < 0 || (uint64_t)key / KEY_ORDERS >= r->problem->unknown_count)
        return 0;
    naming_derived(r->problem, DAE_NAME_UNKNOWN, (size_t)key / KEY_ORDERS,
        (int)(key % KEY_ORDERS), name, sizeof name);
    return (size_t)snprintf(text, size, "%s", name);
}

/* ---- condensation ------------------------------------------------------------------ */

/* -1 of a singular matrix. */
static dae_status take_fill(
    run *r, dae_status st, int64_t *fill, const char **name)
{
    const linear *l = iteration_linear(r->engine->matrix);
    r->stats.factorizations++;
    *fill = st ? -1 : linear_fill(l);
    *name = l ? linear_name(l) : "";
    return st == DAE_NUMERIC || st == DAE_RETRY ? DAE_OK : st;
}

static dae_status factor_both(run *r, dae_condensation *out)
{
    iteration *matrix = r->engine->matrix;
    const double h = r->engine->stepper.h, alpha = h != 0 ? 1 / h : 1;
    const dae_status st = take_fill(
        r, iteration_factor(matrix, alpha), &out->fill, &out->linear);
    if (st) return st;
    return take_fill(r, iteration_factor_condensed(matrix, alpha),
        &out->condensed_fill, &out->condensed_linear);
}

dae_status outline_condensation(run *r, dae_condensation *out)
{
    iteration *matrix = r->engine->matrix;
    const point *at = &r->engine->stepper.point;
    *out = (dae_condensation){.t = at->t,
        .step = r->engine->stepper.h,
        .fill = -1,
        .condensed_fill = -1,
        .linear = "",
        .condensed_linear = ""};
    weights_update(&r->engine->weights, at->x, out->step);
    dae_status st = engine_evaluate(r->engine, at->t, at->x, at->xp, out->step);
    if (!st) st = factor_both(r, out);
    newton_reset(&r->engine->newton);
    if (st && st != DAE_RETRY) return st;
    const iteration_size size = iteration_sizes(matrix);
    out->columns = size.columns;
    out->nonzeros = size.entries;
    out->condensed_columns = size.condensed_columns;
    out->condensed_nonzeros = size.condensed_entries;
    out->taken = (size_t)(size.columns - size.condensed_columns);
    return DAE_OK;
}

size_t outline_taken_name(
    const run *r, dae_name_kind kind, size_t taken, char *text, size_t size)
{
    const dae_problem *p = r->engine->problem;
    size_t row, column;
    if (size > 0) text[0] = '\0';
    if (!iteration_taken(r->engine->matrix, taken, &row, &column)) return 0;
    const size_t index = kind == DAE_NAME_EQUATION ? row : column;
    if (p->name) return p->name(p->self, kind, index, text, size);
    char own[NAMING_SIZE];
    return (size_t)snprintf(
        text, size, "%s", naming_text(p, kind, index, own, sizeof own));
}

/* ---- the reduced system ------------------------------------------------------------ */

typedef struct outline {
    dae_reduced_system found; /* first: what the caller sees */
    const dae_allocator *allocator;
    arena memory;
    dae_reduced_slot *slots;
    dae_reduced_equation *equations;
    const reduction *r;
    const reduced *now;
    int32_t *group_of_row, *group_of_unknown; /* of the reduced problem */
} outline;

/* The strong components of the incidence with unknowns' highest slots, in the order of
 * solving; without a full matching all are in one, which is no group for itself. */
static dae_status find_groups(outline *o)
{
    const layout *l = &o->now->layout;
    const dae_pattern *p = &o->now->pattern;
    const size_t n = l->unknowns;
    arena *a = &o->memory;
    int64_t *start;
    int32_t *row, *order;
    dae_structure *s;
    if (!TAKE(a, start, n)
        || !TAKE(a, row, (size_t)p->column_start[l->states + n])
        || !TAKE(a, order, (size_t)p->column_start[l->states + n])
        || !TAKE(a, o->group_of_row, n) || !TAKE(a, o->group_of_unknown, n))
        return DAE_MEMORY;
    for (size_t j = 0; j < n; j++) {
        const int64_t *from = p->column_start + layout_highest(l, j);
        start[j + 1] = start[j] + from[1] - from[0];
        memcpy(row + start[j], p->row + from[0],
            (size_t)(from[1] - from[0]) * sizeof *row);
    }
    const dae_signature g = {n, n, start, row, order};
    const dae_status st = dae_structure_analyse(&g, NULL, o->allocator, &s);
    if (st) return st;
    o->found.group_count = s->is_regular ? s->coarse_count : 1;
    for (size_t b = 0; b < s->coarse_count; b++)
        for (int32_t k = s->coarse[b].begin; k < s->coarse[b].end; k++) {
            o->group_of_unknown[s->column_at[k]] = (int32_t)b;
            o->group_of_row[s->row_at[k]] = (int32_t)b;
        }
    dae_structure_free(s);
    return DAE_OK;
}

static dae_role role_of(const outline *o, size_t column)
{
    const merge *m = &o->now->merge;
    const int32_t first = m->first[column];
    if (o->now->slot_of[column] < 0) return DAE_ROLE_HELD;
    if (m->next[first] >= 0) return DAE_ROLE_STATE;
    if (m->before[first] >= 0) return DAE_ROLE_DERIVATIVE;
    return extended_slot(o->r->extended, column).order > 0 ? DAE_ROLE_DUMMY
                                                           : DAE_ROLE_ALGEBRAIC;
}

static dae_status fill_slots(outline *o, const double *columns)
{
    const extended *e = o->r->extended;
    const layout *l = &o->now->layout;
    if (!TAKE(&o->memory, o->slots, e->columns)) return DAE_MEMORY;
    for (size_t c = 0; c < e->columns; c++) {
        const int32_t at = o->now->slot_of[c];
        int order;
        const size_t s = at < 0 ? 0 : (size_t)at;
        const size_t j = naming_unknown(l, s, &order);
        const bool is_highest = at >= 0 && s == layout_highest(l, j);
        o->slots[c] = (dae_reduced_slot){.slot = extended_slot(e, c),
            .role = role_of(o, c),
            .same_as = extended_slot(e, (size_t)o->now->merge.first[c]),
            .value = columns[c],
            .group = is_highest ? o->group_of_unknown[j] : -1};
        const bool is_first = o->now->merge.first[c] == (int32_t)c;
        o->found.state_count += is_first && o->slots[c].role == DAE_ROLE_STATE;
    }
    o->found.slots = o->slots;
    o->found.slot_count = e->columns;
    return DAE_OK;
}

static dae_status fill_equations(outline *o, const double *residuals)
{
    const extended *e = o->r->extended;
    if (!TAKE(&o->memory, o->equations, e->rows)) return DAE_MEMORY;
    for (size_t i = 0; i < e->rows; i++) {
        const int32_t own = e->row_equation[i];
        o->equations[i] = (dae_reduced_equation){.equation = own,
            .order = (int32_t)(i - e->row_first[own]),
            .use = o->r->pick.is_out[i] ? DAE_USE_REDUNDANT : DAE_USE_EQUALITY,
            .group = -1,
            .residual = residuals[i]};
    }
    for (size_t k = 0; k < o->now->row_count; k++) {
        dae_reduced_equation *to = &o->equations[o->now->row_of[k]];
        to->use = DAE_USE_SOLVED;
        to->group = o->group_of_row[k];
    }
    o->found.equations = o->equations;
    o->found.equation_count = e->rows;
    return DAE_OK;
}

static dae_status fill(outline *o, shown_point at)
{
    const extended *x = o->r->extended;
    const dae_problem *p = &x->problem;
    double *columns = ARENA_ARRAY(&o->memory, double, x->columns);
    double *residuals = ARENA_ARRAY(&o->memory, double, x->rows);
    if (!columns || !residuals) return DAE_MEMORY;
    o->found.t = at.t;
    reduced_scatter(o->now, at.x, at.xp, columns);
    dae_status st = p->residual(p->self, at.t, columns, NULL, residuals);
    if (st && st != DAE_RETRY) return st;
    if ((st = find_groups(o)) || (st = fill_slots(o, columns))) return st;
    return fill_equations(o, residuals);
}

dae_status outline_create(const reduction *r, shown_point at,
    const dae_allocator *allocator, dae_reduced_system **out)
{
    assert(r->now && at.x && at.xp);
    const dae_allocator *a = alloc_or_default(allocator);
    *out = NULL;
    outline *o = alloc_zeroed(a, 1, sizeof *o);
    if (!o) return DAE_MEMORY;
    o->allocator = a;
    o->r = r;
    o->now = r->now;
    arena_init(&o->memory, a, 0);
    const dae_status st = fill(o, at);
    if (st) outline_free(&o->found);
    else *out = &o->found;
    return st;
}

void outline_free(dae_reduced_system *system)
{
    outline *o = (outline *)(void *)system; /* its first member */
    if (!o) return;
    const dae_allocator *a = o->allocator;
    arena_clear(&o->memory);
    alloc_free(a, o, 1, sizeof *o);
}
