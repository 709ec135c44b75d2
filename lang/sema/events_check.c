/* What can be said of events only when all equations are known: which
 * derivatives an event may assign, and whether a condition can be found. */
#include "ir/collect.h"
#include "sema/lowering.h"

enum { CALM_PASSES = 64, LOGIC_DEPTH = 200 };

typedef struct events_look {
    const system_tables *s;
    dae_diagnostics *ds;
    uint8_t *highest; /* per unknown: derivative order that occurs */
    uint8_t *moves;   /* per definition: changes between events; NULL: not
                         looked at yet */
    size_t errors;
} events_look;

/* ---- what is assigned ------------------------------------------------------ */

/* Takes the orders of the unknowns in all rows of a list into account. */
static dae_status note_list(events_look *k, const row_list *list)
{
    const system_tables *s = k->s;
    node_id *ids;
    size_t count;
    dae_status st = shape_needed(&s->shapes, &list->root, 1, &ids, &count);
    if (st) return st;
    const size_t stride = 1 + (size_t)list->hole_count;
    for (size_t i = 0; i < count; i++) {
        const node *n = shape_node(&s->shapes, ids[i]);
        bool is_rate = n->op == NODE_HOLE && n->kind == LEAF_UNKNOWN
            && n->order > 0;
        for (size_t r = 0; is_rate && r < row_count(list); r++) {
            uint8_t *highest =
                &k->highest[list->data.items[r * stride + 1 + n->a]];
            if (*highest < n->order) *highest = n->order;
        }
    }
    alloc_free(s->shapes.allocator, ids, count, sizeof *ids);
    return DAE_OK;
}

static dae_status note_orders(events_look *k)
{
    static const row_group_kind kinds[] = {GROUP_EQUATION, GROUP_DEFINITION};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const row_group *g = &k->s->groups[kinds[i]];
        for (size_t n = 0; n < g->lists.count; n++) {
            dae_status st = note_list(k, &g->lists.items[n]);
            if (st) return st;
        }
    }
    return DAE_OK;
}

static void refuse_order(
    events_look *k, const assignment *a, const char *name, unsigned highest)
{
    const char *text = k->s->source->text + a->span.begin;
    const int length = (int)(a->span.end - a->span.begin);
    k->errors++;
    if (highest == 0 && a->order == 0) {
        report(k->ds, DIAG_E0217, k->s->source, a->span,
            "`%s` is algebraic: the equations give its value at every instant",
            name);
        report_help(k->ds,
            "assign an unknown whose derivative occurs in the equations, or "
            "declare `%s` with `discrete`",
            name);
        return;
    }
    report(k->ds, DIAG_E0217, k->s->source, a->span,
        a->order > highest
            ? "`%.*s` does not occur in the equations"
            : "`%.*s` is the highest derivative there is: the equations give "
              "its value",
        length, text);
    if (highest > 0)
        report_help(k->ds, "an event may assign `%s`%s%s%s", name,
            highest > 1 ? " and `" : "", highest > 1 ? name : "",
            highest > 2       ? "'`, and so on below the highest derivative"
                : highest > 1 ? "'`"
                              : "");
}

static void check_orders(events_look *k)
{
    text_span told = {0, 0};
    for (size_t i = 0; i < k->s->assignments.count; i++) {
        const assignment *a = &k->s->assignments.items[i];
        if (a->is_discrete || a->order < k->highest[a->index]) continue;
        if (a->span.end == told.end && told.end) continue; /* its array */
        char name[128];
        name_block_text(&k->s->unknowns, a->index, name, sizeof name);
        refuse_order(k, a, name, k->highest[a->index]);
        told = a->span;
    }
}

static bool assigns_unknowns(const system_tables *s)
{
    for (size_t i = 0; i < s->assignments.count; i++) {
        if (!s->assignments.items[i].is_discrete) return true;
    }
    return false;
}

static dae_status check_assignments(events_look *k)
{
    const system_tables *s = k->s;
    if (!assigns_unknowns(s)) return DAE_OK;
    k->highest = alloc_zeroed(s->allocator, s->unknown_count + 1, 1);
    dae_status st = k->highest ? note_orders(k) : DAE_MEMORY;
    if (!st) check_orders(k);
    alloc_free(s->allocator, k->highest, s->unknown_count + 1, 1);
    return st;
}

/* ---- conditions --------------------------------------------------------------- */

static bool is_comparison(unsigned op)
{
    return op == NODE_LT || op == NODE_LE || op == NODE_EQ || op == NODE_NE;
}

static bool is_logic(unsigned op)
{
    return op == NODE_AND || op == NODE_OR || op == NODE_NOT;
}

static bool leaf_moves(const events_look *k, const node *n, const uint32_t *row)
{
    switch ((leaf_kind)n->kind) {
    case LEAF_UNKNOWN:
    case LEAF_TIME: return true;
    case LEAF_DEFINITION: return n->order > 0 || k->moves[row[1 + n->a]];
    default: return false;
    }
}

/* Whether the value of node `root` changes between events, as what compares,
 * rounds down or is held does not. `moves` has room for the needed nodes. */
static bool value_of_moves(const events_look *k, const node_id *ids,
    size_t count, const uint32_t *row, uint8_t *moves)
{
    const shape_pool *p = &k->s->shapes;
    for (size_t i = 0; i < count; i++) {
        const node *n = shape_node(p, ids[i]);
        const int arity = node_arity((node_op)n->op);
        const bool is_step = is_comparison(n->op) || is_logic(n->op)
            || n->op == NODE_FLOOR || n->op == NODE_CEIL || n->op == NODE_SIGN;
        moves[i] = n->op == NODE_HOLE && leaf_moves(k, n, row);
        if (is_step || arity == 0) continue;
        const bool has_b = arity >= 2 && n->op != NODE_POWI;
        if (n->op != NODE_SELECT) moves[i] = moves[collect_place(ids, i, n->a)];
        if (has_b) moves[i] |= moves[collect_place(ids, i, n->b)];
        if (arity == 3) moves[i] |= moves[collect_place(ids, i, n->c)];
    }
    return moves[count - 1];
}

/* A root, the nodes that it needs, and room for what each of them is. */
typedef struct looked {
    node_id *ids;
    size_t count;
    uint8_t *moves;
} looked;

static void looked_clear(const events_look *k, looked *at)
{
    const dae_allocator *a = k->s->shapes.allocator;
    alloc_free(a, at->moves, at->count, 1);
    alloc_free(a, at->ids, at->count, sizeof *at->ids);
}

static dae_status looked_open(const events_look *k, node_id root, looked *at)
{
    const shape_pool *p = &k->s->shapes;
    *at = (looked){0};
    dae_status st = shape_needed(p, &root, 1, &at->ids, &at->count);
    if (st) return st;
    at->moves = alloc_zeroed(p->allocator, at->count, 1);
    if (at->moves) return DAE_OK;
    looked_clear(k, at);
    return DAE_MEMORY;
}

static dae_status row_moves(
    const events_look *k, node_id root, const uint32_t *row, bool *result)
{
    looked at;
    dae_status st = looked_open(k, root, &at);
    if (st) return st;
    *result = value_of_moves(k, at.ids, at.count, row, at.moves);
    looked_clear(k, &at);
    return DAE_OK;
}

/* One look at the definitions of a list; *changed where one more is known to
 * move. */
static dae_status list_pass(events_look *k, const row_list *list, bool *changed)
{
    looked at;
    dae_status st = looked_open(k, list->root, &at);
    if (st) return st;
    const size_t stride = 1 + (size_t)list->hole_count;
    for (size_t r = 0; r < row_count(list); r++) {
        const uint32_t *row = &list->data.items[r * stride];
        if (k->moves[row[0]]
            || !value_of_moves(k, at.ids, at.count, row, at.moves))
            continue;
        k->moves[row[0]] = 1;
        *changed = true;
    }
    looked_clear(k, &at);
    return DAE_OK;
}

static dae_status definitions_pass(events_look *k, bool *changed)
{
    const row_group *g = &k->s->groups[GROUP_DEFINITION];
    dae_status st = DAE_OK;
    *changed = false;
    for (size_t i = 0; i < g->lists.count && !st; i++)
        st = list_pass(k, &g->lists.items[i], changed);
    return st;
}

/* Rows come mostly behind what they need. Where that takes very many passes
 * the rest is taken to be still, which refuses nothing. */
static dae_status look_at_definitions(events_look *k)
{
    bool changed = true;
    if (k->moves) return DAE_OK;
    k->moves = alloc_zeroed(k->s->allocator, k->s->definitions.count + 1, 1);
    if (!k->moves) return DAE_MEMORY;
    dae_status st = DAE_OK;
    for (int pass = 0; pass < CALM_PASSES && changed && !st; pass++)
        st = definitions_pass(k, &changed);
    return st;
}

static void refuse_equality(events_look *k, const when_block *w)
{
    k->errors++;
    report(k->ds, DIAG_E0219, k->s->source, w->span,
        "what moves passes a value without staying there: `==` is never found "
        "true");
    report_help(k->ds, "write `<=` or `>=`, for the side that it comes to");
}

static void refuse_number(events_look *k, const when_block *w)
{
    k->errors++;
    report(k->ds, DIAG_E0219, k->s->source, w->span,
        "this condition is a number that moves, not a comparison");
    report_help(k->ds, "write when it is true, such as `x < 0`");
}

static dae_status check_node(events_look *k, const when_block *w, node_id id,
    const uint32_t *row, unsigned depth);

/* A condition that is a `let`. */
static dae_status check_definition(
    events_look *k, const when_block *w, uint32_t number, unsigned depth)
{
    const definition *d = &k->s->definitions.items[number];
    if (d->is_smooth) {
        k->errors++;
        report(k->ds, DIAG_E0219, k->s->source, w->span,
            "`smooth` says that no switch is looked for, so this never turns");
        report_help(k->ds, "compare outside of it: `smooth(x) < 0`");
        return DAE_OK;
    }
    if (d->row_count != 1) return DAE_OK;
    const row_ref at = k->s->row_refs.items[d->first_row];
    const row_list *list = &k->s->groups[GROUP_DEFINITION].lists.items[at.list];
    const size_t stride = 1 + (size_t)list->hole_count;
    return check_node(
        k, w, list->root, &list->data.items[at.row * stride], depth + 1);
}

static dae_status check_equality(
    events_look *k, const when_block *w, const node *n, const uint32_t *row)
{
    bool left = false, right = false;
    dae_status st = look_at_definitions(k);
    if (!st) st = row_moves(k, n->a, row, &left);
    if (!st) st = row_moves(k, n->b, row, &right);
    if (!st && (left || right)) refuse_equality(k, w);
    return st;
}

/* A truth value turns where one of its comparisons does. */
static dae_status check_node(events_look *k, const when_block *w, node_id id,
    const uint32_t *row, unsigned depth)
{
    const node n = *shape_node(&k->s->shapes, id);
    const size_t errors = k->errors;
    if (depth > LOGIC_DEPTH) return DAE_OK;
    if (n.op == NODE_EQ) return check_equality(k, w, &n, row);
    if (is_comparison(n.op)) return DAE_OK;
    if (is_logic(n.op)) {
        dae_status st = check_node(k, w, n.a, row, depth + 1);
        if (st || k->errors > errors || n.op == NODE_NOT) return st;
        return check_node(k, w, n.b, row, depth + 1);
    }
    if (n.op == NODE_HOLE && n.kind == LEAF_DEFINITION && n.order == 0)
        return check_definition(k, w, row[1 + n.a], depth);
    bool moves = false;
    dae_status st = look_at_definitions(k);
    if (!st) st = row_moves(k, id, row, &moves);
    if (!st && moves) refuse_number(k, w);
    return st;
}

/* ---- conditions of what nothing changes ----------------------------------------- */

/* Whether a condition asks for nothing but discrete variables, none of which is
 * assigned; `name` is one of them. */
static dae_status is_still(const events_look *k, node_id root,
    const uint32_t *row, const uint8_t *assigned, bool *result, uint32_t *name)
{
    looked at;
    dae_status st = looked_open(k, root, &at);
    if (st) return st;
    *result = true;
    for (size_t i = 0; i < at.count && *result; i++) {
        const node *n = shape_node(&k->s->shapes, at.ids[i]);
        if (n->op != NODE_HOLE || n->kind == LEAF_PARAM) continue;
        if (n->kind == LEAF_HELD) *name = row[1 + n->a];
        *result = n->kind == LEAF_HELD && !assigned[*name];
    }
    looked_clear(k, &at);
    return DAE_OK;
}

static void refuse_still(events_look *k, const when_block *w, uint32_t discrete)
{
    char name[128];
    name_block_text(&k->s->discretes, discrete, name, sizeof name);
    k->errors++;
    report(k->ds, DIAG_E0219, k->s->source, w->span,
        "nothing changes what this asks for: `%s` is never assigned", name);
    report_help(k->ds, "assign it in another `when`: `%s := ...`", name);
}

static dae_status check_still(events_look *k, const when_block *w, node_id root,
    const uint32_t *row, const uint8_t *assigned)
{
    bool still = false;
    uint32_t discrete = 0;
    if (w->at_start) return DAE_OK; /* then it has happened */
    dae_status st = is_still(k, root, row, assigned, &still, &discrete);
    if (!st && still) refuse_still(k, w, discrete);
    return st;
}

/* Marks the discrete variables that some event assigns; NULL: no memory. */
static uint8_t *assigned_discretes(const system_tables *s)
{
    uint8_t *assigned = alloc_zeroed(s->allocator, s->discrete_count + 1, 1);
    for (size_t i = 0; assigned && i < s->assignments.count; i++) {
        const assignment *a = &s->assignments.items[i];
        if (a->is_discrete) assigned[a->index] = 1;
    }
    return assigned;
}

/* Copies of a loop are told of once. */
static dae_status check_conditions(events_look *k, const uint8_t *assigned)
{
    const row_group *g = &k->s->groups[GROUP_WHEN];
    text_span told = {0, 0};
    dae_status st = DAE_OK;
    for (size_t i = 0; i < g->lists.count; i++) {
        const row_list *list = &g->lists.items[i];
        const size_t stride = 1 + (size_t)list->hole_count;
        for (size_t r = 0; r < row_count(list) && !st; r++) {
            const uint32_t *row = &list->data.items[r * stride];
            const when_block *w = &k->s->whens.items[row[0]];
            const size_t errors = k->errors;
            if (told.end && w->span.end == told.end) continue;
            st = check_node(k, w, list->root, row, 0);
            if (!st && k->errors == errors)
                st = check_still(k, w, list->root, row, assigned);
            if (k->errors > errors) told = w->span;
        }
    }
    return st;
}

dae_status events_check(const system_tables *s, dae_diagnostics *ds)
{
    events_look k = {.s = s, .ds = ds};
    if (s->whens.count == 0) return DAE_OK;
    uint8_t *assigned = assigned_discretes(s);
    dae_status st = assigned ? check_conditions(&k, assigned) : DAE_MEMORY;
    alloc_free(s->allocator, assigned, s->discrete_count + 1, 1);
    alloc_free(s->allocator, k.moves, s->definitions.count + 1, 1);
    if (!st) st = check_assignments(&k);
    return st ? st : k.errors ? DAE_MODEL : DAE_OK;
}
