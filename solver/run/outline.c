/* Of a reduction the equations are put into groups by their incidence with the slots
 * that are determined at one time: the highest of each chain, and what is no state. Of
 * all matchings one along entries that are not zero at the point is preferred, since it
 * names an equation that does determine its slot there.
 *
 * Of condensation both matrices are factorized, of the step that comes next, so that
 * the sizes of their factors are those that a run has. */
#include "run/outline.h"
#include "graph/blocks.h"
#include "graph/match.h"
#include "linalg/naming.h"
#include <assert.h>
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

/* Columns of unknowns' highest slots, without entries that are zero where
 * `values` (all entries; NULL: all count) say so. */
typedef struct incidence {
    int64_t *start;
    int32_t *row;
} incidence;

static dae_status take_incidence(
    outline *o, const double *values, incidence *out)
{
    const layout *l = &o->now->layout;
    const dae_pattern *p = &o->now->pattern;
    const size_t n = l->unknowns;
    const size_t all = (size_t)p->column_start[l->states + n];
    int64_t at = 0;
    out->start = ARENA_ARRAY(&o->memory, int64_t, n + 1);
    out->row = ARENA_ARRAY(&o->memory, int32_t, all);
    if (!out->start || !out->row) return DAE_MEMORY;
    for (size_t j = 0; j < n; j++) {
        const size_t slot = layout_highest(l, j);
        out->start[j] = at;
        for (int64_t k = p->column_start[slot]; k < p->column_start[slot + 1];
             k++)
            if (!values || fabs(values[k]) > 0) out->row[at++] = p->row[k];
    }
    out->start[n] = at;
    return DAE_OK;
}

/* Partners of all columns; fewer than n where there are not so many. */
static dae_status match_slots(outline *o, const double *values,
    const incidence *all, int32_t *row_of, size_t *rank)
{
    const size_t n = o->now->layout.unknowns;
    incidence here;
    int32_t *column_of = ARENA_ARRAY(&o->memory, int32_t, n);
    dae_status st = column_of ? take_incidence(o, values, &here) : DAE_MEMORY;
    if (st) return st;
    for (size_t k = 0; k < n; k++) row_of[k] = column_of[k] = MATCH_NONE;
    st = match_maximum(
        n, n, here.start, here.row, o->allocator, row_of, column_of, rank);
    if (st || *rank == n) return st;
    return match_maximum(
        n, n, all->start, all->row, o->allocator, row_of, column_of, rank);
}

static dae_status order_groups(outline *o, const double *values)
{
    assert(o->group_of_row && o->group_of_unknown);
    const size_t n = o->now->layout.unknowns;
    incidence all;
    size_t rank;
    int32_t *row_of = ARENA_ARRAY(&o->memory, int32_t, n);
    int32_t *columns = ARENA_ARRAY(&o->memory, int32_t, n);
    int32_t *start = ARENA_ARRAY(&o->memory, int32_t, n + 1);
    if (!row_of || !columns || !start) return DAE_MEMORY;
    dae_status st = take_incidence(o, NULL, &all);
    if (!st) st = match_slots(o, values, &all, row_of, &rank);
    if (st) return st;
    o->found.group_count = n > 0;
    if (rank < n) return DAE_OK; /* all in one, which is no group for itself */
    st = blocks_order(n, all.start, all.row, row_of, o->allocator, columns,
        start, &o->found.group_count);
    if (st) return st;
    for (size_t b = 0; b < o->found.group_count; b++)
        for (int32_t k = start[b]; k < start[b + 1]; k++) {
            o->group_of_unknown[columns[k]] = (int32_t)b;
            o->group_of_row[row_of[columns[k]]] = (int32_t)b;
        }
    return DAE_OK;
}

/* The entries of the reduced problem's Jacobian, as far as they are those of
 * the equations; what stands beside those (stabilizing multipliers, least ones)
 * counts as not 0. Not asked of the reduced problem itself, which remembers
 * what it was asked last: the run would go on with that. */
static dae_status take_entries(
    outline *o, double t, const double *columns, double *values)
{
    const extended *x = o->r->extended;
    const dae_problem *p = &x->problem;
    const int64_t *target = o->now->target;
    const size_t all = (size_t)p->pattern->column_start[x->columns];
    double *own = ARENA_ARRAY(&o->memory, double, all + 1);
    if (!own) return DAE_MEMORY;
    const dae_status st = p->jacobian(p->self, DAE_ALL, t, columns, NULL, own);
    for (size_t k = 0; k < all; k++)
        if (target[k] >= 0) values[target[k]] = 0;
    for (size_t k = 0; k < all; k++)
        if (target[k] >= 0) values[target[k]] += own[k];
    return st;
}

static dae_status find_groups(outline *o, double t, const double *columns)
{
    const layout *l = &o->now->layout;
    const size_t entries =
        (size_t)o->now->pattern.column_start[l->states + l->unknowns];
    double *values = ARENA_ARRAY(&o->memory, double, entries);
    o->group_of_row = ARENA_ARRAY(&o->memory, int32_t, l->unknowns);
    o->group_of_unknown = ARENA_ARRAY(&o->memory, int32_t, l->unknowns);
    if (!values || !o->group_of_row || !o->group_of_unknown) return DAE_MEMORY;
    for (size_t k = 0; k < entries; k++) values[k] = 1;
    const dae_status st = take_entries(o, t, columns, values);
    if (st && st != DAE_RETRY) return st;
    return order_groups(o, st ? NULL : values);
}

static dae_slot slot_of(const extended *e, size_t column)
{
    assert(column < e->columns);
    const int32_t j = e->column_unknown[column];
    return (dae_slot){j, (int32_t)(column - e->column_first[j])};
}

static dae_role role_of(const outline *o, size_t column)
{
    const merge *m = &o->now->merge;
    const int32_t first = m->first[column];
    if (o->now->slot_of[column] < 0) return DAE_ROLE_HELD;
    if (m->next[first] >= 0) return DAE_ROLE_STATE;
    if (m->before[first] >= 0) return DAE_ROLE_DERIVATIVE;
    return slot_of(o->r->extended, column).order > 0 ? DAE_ROLE_DUMMY
                                                     : DAE_ROLE_ALGEBRAIC;
}

/* The unknown of the reduced problem whose highest slot column p is; -1. */
static int32_t *find_unknowns(outline *o)
{
    const layout *l = &o->now->layout;
    const size_t slots = l->states + l->unknowns;
    int32_t *unknown = ARENA_ARRAY(&o->memory, int32_t, slots);
    if (!unknown) return NULL;
    memset(unknown, 0xff, slots * sizeof *unknown);
    for (size_t j = 0; j < l->unknowns; j++)
        unknown[layout_highest(l, j)] = (int32_t)j;
    return unknown;
}

static dae_status fill_slots(outline *o, const double *columns)
{
    const extended *e = o->r->extended;
    const int32_t *unknown = find_unknowns(o);
    o->slots = ARENA_ARRAY(&o->memory, dae_reduced_slot, e->columns);
    if (!unknown || !o->slots) return DAE_MEMORY;
    for (size_t c = 0; c < e->columns; c++) {
        const int32_t at = o->now->slot_of[c];
        const int32_t j = at >= 0 ? unknown[at] : -1;
        o->slots[c] = (dae_reduced_slot){.slot = slot_of(e, c),
            .role = role_of(o, c),
            .same_as = slot_of(e, (size_t)o->now->merge.first[c]),
            .value = columns[c],
            .group = j >= 0 ? o->group_of_unknown[j] : -1};
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
    o->equations = ARENA_ARRAY(&o->memory, dae_reduced_equation, e->rows);
    if (!o->equations) return DAE_MEMORY;
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
    if ((st = find_groups(o, at.t, columns)) || (st = fill_slots(o, columns)))
        return st;
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
