#include "code/start.h"
#include "code/levels.h"
#include "code/names.h"
#include "code/run.h"
#include "code/slots.h"
#include "code/switches.h"
#include "ir/collect.h"
#include <math.h>
#include <string.h>

static dae_status take_arrays(compiled *c)
{
    size_t n = c->slots.total, states = c->slots.total_states;
    arena *a = &c->memory;
    c->x = ARENA_ARRAY(a, double, states);
    c->xp = ARENA_ARRAY(a, double, n);
    c->x_fixed = ARENA_ARRAY(a, uint8_t, states);
    c->xp_fixed = ARENA_ARRAY(a, uint8_t, n);
    c->x_guessed = ARENA_ARRAY(a, uint8_t, states);
    c->xp_guessed = ARENA_ARRAY(a, uint8_t, n);
    c->index_group = ARENA_ARRAY(a, uint8_t, n);
    c->prefer_state = ARENA_ARRAY(a, uint8_t, n);
    if (!c->x || !c->xp || !c->x_fixed || !c->xp_fixed || !c->x_guessed
        || !c->xp_guessed || !c->index_group || !c->prefer_state)
        return DAE_MEMORY;
    return DAE_OK;
}

/* values[j] of the unknowns of block b; the vector is taken with the first value
 * that says something, and then says `none` of the others. */
static dae_status set_scale(
    compiled *c, size_t b, double value, double none, double **values)
{
    const name_block *block = &c->s->unknowns.items[b];
    const size_t n = c->slots.total;
    if (isnan(value)) return DAE_OK;
    if (!*values) {
        if (!(*values = ARENA_ARRAY(&c->memory, double, n))) return DAE_MEMORY;
        for (size_t j = 0; j < n; j++) (*values)[j] = none;
    }
    for (size_t j = block->first; j < block->first + block->count; j++)
        (*values)[j] = value;
    return DAE_OK;
}

static void mark_unknown(compiled *c, uint32_t u)
{
    enum { BY_STEP = 2 };
    if (c->slots.order[u] == 0) c->index_group[u] = BY_STEP;
}

/* The unknown of q*abs(q), if it has no derivative. */
static void mark_rows(compiled *c, const row_set *set, node_id at)
{
    for (uint32_t k = 0; k < set->leaf_count; k++) {
        const leaf *l = &set->leaves[k];
        if (l->node != at || l->kind != LEAF_UNKNOWN || l->order > 0) continue;
        for (size_t r = 0; r < set->count; r++) {
            const uint32_t u = set_row(set, r)[1 + l->hole];
            if (u < c->slots.unknowns) mark_unknown(c, u);
        }
    }
}

/* Whether a row has a signed root as a term of its own or in a definition. */
static bool has_root(
    const compiled *c, const uint8_t *has, const row_set *set, size_t r)
{
    for (uint32_t k = 0; k < set->leaf_count; k++) {
        const leaf *l = &set->leaves[k];
        if (l->kind != LEAF_DEFINITION) continue;
        const uint32_t id = leaf_definition(c->s, l, set_row(set, r));
        if (id != NODE_NONE && has[id]) return true;
    }
    return false;
}

/* Marks the definitions that have a signed root in them. */
static dae_status find_roots(compiled *c, uint8_t *has)
{
    uint32_t *order;
    size_t count;
    dae_status st = levels_order(c, NEED_MODEL, &order, &count);
    for (size_t k = 0; k < count && !st; k++) {
        const definition *d = &c->s->definitions.items[order[k]];
        has[order[k]] = d->own == OWN_ROOT;
        for (uint32_t r = 0; r < d->row_count; r++) {
            const row_ref ref = c->s->row_refs.items[d->first_row + r];
            has[order[k]] |= has_root(c, has, ref_set(c, ref), ref.row);
        }
    }
    return st;
}

/* The unknowns without derivatives beside a signed root: q of q = c*root. */
static void mark_beside(compiled *c, const row_set *set, size_t r)
{
    for (uint32_t k = 0; k < set->leaf_count; k++) {
        const leaf *l = &set->leaves[k];
        if (l->kind == LEAF_UNKNOWN && l->order == 0)
            mark_unknown(c, set_row(set, r)[1 + l->hole]);
    }
}

static dae_status mark_signed_roots(compiled *c)
{
    static const uint8_t group_of[] = {
        DAE_GROUP_INTERNAL, DAE_GROUP_ROOT, DAE_GROUP_WEIGHT};
    const arena_position mark = arena_mark(&c->scratch);
    uint8_t *has = ARENA_ARRAY(&c->scratch, uint8_t, c->defs.count + 1);
    if (!has) return DAE_MEMORY;
    memset(has, 0, c->defs.count);
    dae_status st = find_roots(c, has);
    for (size_t k = 0; k < c->chains.borders.count; k++)
        c->index_group[c->slots.unknowns + k] =
            group_of[c->s->definitions.items[c->chains.borders.items[k]].own];
    for (size_t k = 0; k < c->model_equations.count && !st; k++) {
        const row_set *set = &c->model_equations.items[k];
        for (size_t r = 0; r < set->count; r++)
            if (has_root(c, has, set, r)) mark_beside(c, set, r);
    }
    arena_release(&c->scratch, mark);
    return st;
}

/* Flows q of q*abs(q) = p: near 0 they are the root of a pressure, and have a slope without
 * bound there, which no step can follow; it is the pressure whose error counts. */
static dae_status mark_flows(compiled *c)
{
    const shape_pool *p = &c->s->shapes;
    dae_status st = DAE_OK;
    for (size_t k = 0; k < c->equations.count && !st; k++) {
        const row_set *set = &c->equations.items[k];
        node_id *nodes;
        size_t count;
        st = shape_needed(p, &set->root, 1, &nodes, &count);
        for (size_t i = 0; i < count && !st; i++) {
            const node *n = shape_node(p, nodes[i]);
            for (int o = 0; n->op == NODE_MUL && o < 2; o++)
                if (switch_is_square(p, n, o))
                    mark_rows(c, set, shape_node(p, node_operand(n, o))->a);
        }
        if (!st) alloc_free(p->allocator, nodes, count, sizeof *nodes);
    }
    return st;
}

static dae_status fill_scales(compiled *c)
{
    const system_tables *s = c->s;
    const double none = (double)NAN, inf = (double)INFINITY;
    dae_status st;
    for (size_t j = 0; j < c->slots.total; j++)
        c->index_group[j] = j < c->slots.unknowns ? 1 : DAE_GROUP_INTERNAL;
    for (size_t b = 0; b < s->unknowns.count && b < s->scales.count; b++) {
        const name_block *block = &s->unknowns.items[b];
        const unknown_scale *scale = &s->scales.items[b];
        memset(
            c->prefer_state + block->first, scale->prefer_state, block->count);
        if ((st = set_scale(c, b, scale->nominal, 0, &c->nominal))
            || (st = set_scale(c, b, scale->atol, none, &c->atol))
            || (st = set_scale(c, b, scale->minimum, -inf, &c->minimum))
            || (st = set_scale(c, b, scale->maximum, inf, &c->maximum)))
            return st;
    }
    if ((st = mark_flows(c))) return st;
    return c->chains.borders.count ? mark_signed_roots(c) : DAE_OK;
}

/* Where a start value belongs, or false where there is no such slot. */
static bool find_place(
    const compiled *c, const start_value *v, size_t *index, bool *in_xp)
{
    return compiled_slot(c, v->unknown, v->order, index, in_xp);
}

static dae_status report_missing(
    const compiled *c, const start_value *v, dae_diagnostics *ds)
{
    char name[120], derivative[140];
    (void)name_block_text(&c->s->unknowns, v->unknown, name, sizeof name);
    names_derivative(name, v->order, derivative, sizeof derivative);
    report(ds, DIAG_E0216, v->span.end ? c->s->source : NULL, v->span,
        "`%s` does not occur in the equations, so no condition can be put on "
        "it",
        derivative);
    report_help(ds,
        "the highest derivative of `%s` in the equations has order %u", name,
        (unsigned)c->slots.order[v->unknown]);
    return DAE_MODEL;
}

/* A guess for a derivative that no equation contains says nothing yet. */
static void note_unused(
    const compiled *c, const start_value *v, dae_diagnostics *ds)
{
    char name[120];
    (void)name_block_text(&c->s->unknowns, v->unknown, name, sizeof name);
    report(ds, DIAG_N0408, v->span.end ? c->s->source : NULL, v->span,
        "this guess is not used: derivative %u of `%s` does not occur in the "
        "equations",
        (unsigned)v->order, name);
    report_help(ds, "remove the guess, or one of its primes");
}

/* Marks what is held and what is guessed. A condition on a slot that is not
 * there would be dropped silently, which is never done. */
static dae_status fix_slots(compiled *c, dae_diagnostics *ds)
{
    dae_status st = DAE_OK;
    for (size_t k = 0; k < c->s->starts.count; k++) {
        const start_value *v = &c->s->starts.items[k];
        size_t index;
        bool in_xp;
        bool is_there = find_place(c, v, &index, &in_xp);
        if (!v->is_condition) {
            if (!is_there) note_unused(c, v, ds);
            else
                *(in_xp ? &c->xp_guessed[index]
                        : &c->x_guessed[index]) = v->rank == START_OWN
                    ? DAE_GUESS_OWN
                    : DAE_GUESS_STATED;
        } else if (!is_there) st = report_missing(c, v, ds);
        else if (in_xp) c->xp_fixed[index] = 1;
        else c->x_fixed[index] = 1;
    }
    return st;
}

dae_status start_init(compiled *c, dae_diagnostics *ds)
{
    dae_status st = take_arrays(c);
    if (!st) st = fill_scales(c);
    return st ? st : fix_slots(c, ds);
}

/* Nominal values, then what is given; `given` marks slots of x. */
static void fill_given(compiled *c, uint8_t *given)
{
    const system_tables *s = c->s;
    memset(c->x, 0, c->slots.total_states * sizeof *c->x);
    memset(c->xp, 0, c->slots.total * sizeof *c->xp);
    for (size_t j = 0; j < c->slots.unknowns; j++)
        if (c->nominal && c->nominal[j] > 0) {
            c->x[c->slots.first[j]] = c->nominal[j];
            given[c->slots.first[j]] = 1;
        }
    for (size_t k = 0; k < s->starts.count; k++) {
        const start_value *v = &s->starts.items[k];
        const double value = v->is_param ? s->param_values.items[v->param]
                                         : v->value;
        size_t index;
        bool in_xp;
        if (!find_place(c, v, &index, &in_xp)) continue;
        if (in_xp) c->xp[index] = value;
        else {
            c->x[index] = value;
            given[index] = 1;
        }
    }
}

/* Internal unknowns start with the values of what they stand for. */
static void fill_internal(compiled *c)
{
    if (c->chains.borders.count == 0) return;
    run_task(c, &c->guess, c->t0, c->x, c->xp, NULL);
    for (size_t k = 0; k < c->chains.borders.count; k++)
        c->x[c->slots.states + k] = c->def_values[c->chains.borders.items[k]];
}

static size_t count_bad(compiled *c, double *res, uint8_t *is_bad)
{
    size_t count = 0;
    run_task(c, &c->residual, c->t0, c->x, c->xp, res);
    for (size_t i = 0; i < c->slots.total; i++) {
        is_bad[i] = 0;
        if (isfinite(res[i])) continue;
        is_bad[i] = 1;
        count++;
    }
    return count;
}

/* Puts `value` in every slot of x that nothing is known of and that occurs in
 * an equation without a value. An internal unknown's rows carry over to the
 * equations that use it because its own value is then not finite either. */
static void set_unknowns(
    compiled *c, const uint8_t *given, const uint8_t *is_bad, double value)
{
    const jacobian *j = &c->jacobian;
    for (size_t u = 0; u < c->slots.unknowns; u++) {
        size_t slot = c->slots.first[u];
        if (given[slot]) continue;
        int64_t p = j->column_start[slot], end = j->column_start[slot + 1];
        while (p < end && !is_bad[j->row[p]]) p++;
        if (p < end) c->x[slot] = value;
    }
}

/* 1 instead of 0 where 0 is not in the domain and 1 is. */
static void leave_zero(
    compiled *c, const uint8_t *given, double *res, uint8_t *is_bad)
{
    size_t bad = count_bad(c, res, is_bad);
    if (bad == 0) return;
    set_unknowns(c, given, is_bad, 1);
    fill_internal(c);
    uint8_t *still_bad = is_bad + c->slots.total;
    if (count_bad(c, res, still_bad) < bad) return;
    set_unknowns(c, given, is_bad, 0);
    fill_internal(c);
}

dae_status start_values(compiled *c)
{
    size_t n = c->slots.total;
    arena_position mark = arena_mark(&c->scratch);
    uint8_t *given = ARENA_ARRAY(&c->scratch, uint8_t, c->slots.total_states);
    double *res = ARENA_ARRAY(&c->scratch, double, n);
    uint8_t *is_bad = ARENA_ARRAY(&c->scratch, uint8_t, 2 * n);
    dae_status st = given && res && is_bad ? DAE_OK : DAE_MEMORY;
    if (!st) {
        fill_given(c, given);
        fill_internal(c);
        leave_zero(c, given, res, is_bad);
    }
    arena_release(&c->scratch, mark);
    return st;
}
