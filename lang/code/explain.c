/* From the value of a row down the operands that are not finite, through
 * definitions, to the operation whose operands all are. */
#include "code/explain.h"
#include "code/rows.h"
#include "code/run.h"
#include "code/search.h"
#include "code/slots.h"
#include <math.h>

/* What the search of a value that is not finite looks at. */
typedef struct point {
    search search;
    double t;
    const double *x, *xp;
    double *values;        /* per node of the shapes */
    const double *results; /* of the equations */
    /* The nodes of all partial derivatives of the row set looked at last. */
    const row_set *known;
    node_id *needed;
    size_t needed_count;
} point;

static double leaf_value(
    void *context, leaf_kind kind, uint32_t number, unsigned order)
{
    const search *w = context;
    const point *p = context;
    const leaf l = {0, number, (uint8_t)kind, (uint8_t)order};
    program_space space;
    uint32_t k = slots_resolve(w->c, &l, w->row, true, &space);
    switch (space) {
    case SPACE_X: return p->x[k];
    case SPACE_XP: return p->xp[k];
    case SPACE_PARAM: return w->c->s->param_values.items[k];
    case SPACE_DEF: return w->c->def_values[k];
    case SPACE_HELD: return w->c->held[k];
    case SPACE_TIME:
    case SPACE_COUNT: break;
    }
    return p->t;
}

static const node *node_at(const search *w, node_id id)
{
    return shape_node(&w->c->s->shapes, id);
}

/* Whether operand k matters: of a SELECT, the branch not taken does not. */
static bool is_taken(const point *p, const node *n, int k)
{
    return n->op != NODE_SELECT || k == 0 || !isfinite(p->values[n->a])
        || (p->values[n->a] != 0) == (k == 1);
}

/* The first operand that is not finite and matters, or NODE_NONE. */
static node_id bad_operand(const point *p, node_id id)
{
    const node *n = node_at(&p->search, id);
    const node_id operand[3] = {n->a, n->b, n->c};
    const int arity = node_arity((node_op)n->op);
    for (int k = 0; k < arity; k++)
        if (is_taken(p, n, k) && !isfinite(p->values[operand[k]]))
            return operand[k];
    return NODE_NONE;
}

/* The operation below *birth, whose operands are finite, that is infinite first:
 * 1/(a/b) hides that a/b is. */
static dae_status find_hidden(const point *p, node_id *birth)
{
    compiled *c = p->search.c;
    const arena_position mark = arena_mark(&c->scratch);
    const size_t count = (size_t)*birth + 1; /* operands come first */
    uint8_t *is_below = ARENA_ARRAY(&c->scratch, uint8_t, count);
    if (!is_below) return DAE_MEMORY;
    is_below[*birth] = 1;
    for (node_id id = *birth + 1; id-- > 0;) {
        if (!is_below[id]) continue;
        const node *n = node_at(&p->search, id);
        const node_id operand[3] = {n->a, n->b, n->c};
        const int arity = node_arity((node_op)n->op);
        for (int k = 0; k < arity; k++)
            if (is_taken(p, n, k)) is_below[operand[k]] = 1;
        if (!isfinite(p->values[id])) *birth = id;
    }
    arena_release(&c->scratch, mark);
    return DAE_OK;
}

/* Where a value that is not finite begins. */
static dae_status find_birth(
    search *w, node_id root, const uint32_t *row, node_id *birth)
{
    point *p = (point *)w;
    double value;
    *birth = NODE_NONE;
    w->row = row;
    dae_status st = shape_eval(
        &w->c->s->shapes, root, leaf_value, w, p->values, &value);
    if (st || isfinite(value)) return st;
    for (node_id next = root; next != NODE_NONE;) {
        *birth = next;
        next = bad_operand(p, next);
    }
    return find_hidden(p, birth);
}

/* "sqrt(p1 - p2) = sqrt(-2e-11)": rounded operands do not show their difference, nor
 * what exp is too large of. */
static void say_argument(search *w, node_id birth)
{
    const point *p = (const point *)w;
    const node *n = node_at(w, birth);
    if (node_arity((node_op)n->op) != 1) return;
    const node_op inner = (node_op)node_at(w, n->a)->op;
    const bool is_large = n->op == NODE_EXP;
    if (inner != NODE_ADD && inner != NODE_SUB
        && !(is_large && node_arity(inner) > 0))
        return;
    text_buffer_printf(&w->out, " = %s(%.6g)%s", node_text((node_op)n->op),
        p->values[n->a], is_large ? ", too large," : "");
}

static dae_status know_set(point *p, const row_set *set)
{
    compiled *c = p->search.c;
    const arena_position mark = arena_mark(&c->scratch);
    node_id *roots = ARENA_ARRAY(&c->scratch, node_id, set->partial_count);
    if (!roots) return DAE_MEMORY;
    for (uint32_t k = 0; k < set->partial_count; k++)
        roots[k] = set->partials[k].value;
    alloc_free(c->allocator, p->needed, p->needed_count, sizeof *p->needed);
    p->needed = NULL;
    p->needed_count = 0;
    const dae_status st = shape_needed(
        &c->s->shapes, roots, set->partial_count, &p->needed, &p->needed_count);
    p->known = st ? NULL : set;
    arena_release(&c->scratch, mark);
    return st;
}

/* One pass over what the partial derivatives share, where one for each would
 * take as many as there are. */
static bool are_partials_finite(
    search *w, const row_set *set, const uint32_t *row)
{
    point *p = (point *)w;
    if (p->known != set && know_set(p, set)) return false;
    w->row = row;
    shape_eval_needed(
        &w->c->s->shapes, p->needed, p->needed_count, leaf_value, w, p->values);
    for (uint32_t k = 0; k < set->partial_count; k++)
        if (!isfinite(p->values[set->partials[k].value])) return false;
    return true;
}

static bool is_finite(const search *w, size_t equation)
{
    return isfinite(((const point *)w)->results[equation]);
}

static dae_status search_point(point *p, size_t equation)
{
    compiled *c = p->search.c;
    double *results = ARENA_ARRAY(&c->scratch, double, c->slots.total);
    p->values = ARENA_ARRAY(&c->scratch, double, c->s->shapes.nodes.count);
    if (!results || !p->values) return DAE_MEMORY;
    run_task(c, &c->residual, p->t, p->x, p->xp, results);
    p->results = results;
    return search_equation(&p->search, equation, is_finite);
}

/* Values are those of the program that computes the rows. */
static dae_status search_task(point *p, const task *what, size_t count,
    const row_sets *sets, size_t index)
{
    compiled *c = p->search.c;
    double *results = ARENA_ARRAY(&c->scratch, double, count);
    p->values = ARENA_ARRAY(&c->scratch, double, c->s->shapes.nodes.count);
    if (!results || !p->values) return DAE_MEMORY;
    if (index >= count) return DAE_OK;
    run_task(c, what, p->t, p->x, p->xp, results);
    return search_rows(&p->search, sets, index);
}

/* What is given of an unknown at the start, by parameters. */
static dae_status search_start(search *w, size_t unknown)
{
    const system_tables *s = w->c->s;
    for (size_t k = 0; k < s->starts.count; k++) {
        const start_value *v = &s->starts.items[k];
        if (v->unknown == unknown && v->is_param
            && !isfinite(s->param_values.items[v->param]))
            return search_param(w, v->param);
    }
    return DAE_OK;
}

static dae_status search_kind(point *p, dae_name_kind kind, size_t index)
{
    compiled *c = p->search.c;
    const system_tables *s = c->s;
    switch (kind) {
    case DAE_NAME_EQUATION:
        p->search.is_clear = are_partials_finite;
        return index < c->slots.total ? search_point(p, index) : DAE_OK;
    case DAE_NAME_CONDITION:
        return search_task(
            p, &c->condition, s->condition_count, &c->conditions, index);
    case DAE_NAME_SWITCH:
        return search_task(p, &c->root_task, c->switch_count, &c->roots, index);
    case DAE_NAME_WHEN:
        return search_task(p, &c->when_task, s->whens.count, &c->whens, index);
    case DAE_NAME_ASSIGNMENT:
        return search_task(
            p, &c->assign_task, s->assignments.count, &c->assigned, index);
    case DAE_NAME_UNKNOWN: return search_start(&p->search, index);
    default: return DAE_OK;
    }
}

size_t explain_nonfinite(void *self, dae_name_kind kind, size_t index, double t,
    const double *x, const double *xp, char *text, size_t size)
{
    compiled *c = self;
    point p = {.search = {.c = c,
                   .find = find_birth,
                   .leaf = leaf_value,
                   .reason = say_argument,
                   .out = {text, size, 0}},
        .t = t,
        .x = x,
        .xp = xp};
    if (size) text[0] = '\0';
    const dae_status st = search_kind(&p, kind, index);
    alloc_free(c->allocator, p.needed, p.needed_count, sizeof *p.needed);
    return search_close(&p.search, st, text, size);
}
