/* Shapes are evaluated node by node, as programs evaluate them; the first
 * operation whose operands have all terms, and itself has not, is named. */
#include "code/series_explain.h"
#include "code/search.h"
#include "code/series.h"
#include "code/series_apply.h"
#include "code/slots.h"
#include "ir/collect.h"

typedef struct curve {
    search search;
    series_space space;
    size_t birth_known; /* of the last birth: terms that exist ... */
    size_t birth_sound; /* ... and are finite */
} curve;

/* The nodes of one shape and their series. */
typedef struct evaluation {
    node_id *nodes;
    size_t count;
    double *values;
} evaluation;

static size_t width_of(const curve *v)
{
    return v->space.room.terms + 1;
}

/* Terms that exist and are finite. A jump has none, but where one is all that
 * is requested, its value will do. */
static size_t sound_terms(const curve *v, const double *a)
{
    if (v->space.room.terms == 1) return isfinite(a[0]) ? 1 : 0;
    size_t known = series_known(&v->space.room, a), k = 0;
    while (k < known && isfinite(a[k])) k++;
    return isfinite(a[0]) ? k : 0;
}

static const double *leaf_series(
    curve *v, const leaf *l, const uint32_t *row, double *buffer)
{
    const compiled *c = v->search.c;
    program_space space;
    size_t k = slots_resolve(c, l, row, true, &space);
    switch (space) {
    case SPACE_X: return v->space.x + k * width_of(v);
    case SPACE_XP: return v->space.xp + k * width_of(v);
    case SPACE_DEF: return v->space.definitions + k * width_of(v);
    case SPACE_PARAM:
        series_set(&v->space.room, c->s->param_values.items[k], buffer);
        return buffer;
    case SPACE_HELD:
        series_set(&v->space.room, c->held[k], buffer);
        return buffer;
    case SPACE_TIME:
    case SPACE_COUNT: break;
    }
    return v->space.time;
}

static double leaf_value(
    void *context, leaf_kind kind, uint32_t number, unsigned order)
{
    curve *v = context;
    const leaf l = {0, number, (uint8_t)kind, (uint8_t)order};
    return leaf_series(
        v, &l, v->search.row, v->space.room.temp[SERIES_OPERAND])[0];
}

static const double *value_at(const curve *v, const evaluation *e, node_id id)
{
    return e->values + collect_place(e->nodes, e->count, id) * width_of(v);
}

static void evaluate_node(
    curve *v, const evaluation *e, size_t i, const uint32_t *row)
{
    const series_room *m = &v->space.room;
    const node *n = shape_node(&v->search.c->s->shapes, e->nodes[i]);
    double *out = e->values + i * width_of(v);
    const double *operand[3] = {NULL, NULL, NULL};
    if (n->op == NODE_CONST) {
        series_set(m, n->value, out);
    } else if (n->op == NODE_HOLE) {
        const leaf l = {e->nodes[i], n->a, n->kind, n->order};
        series_copy(m, leaf_series(v, &l, row, m->temp[SERIES_OPERAND]), out);
    } else {
        for (int k = 0; k < node_arity((node_op)n->op); k++)
            operand[k] = value_at(v, e, node_operand(n, k));
        series_apply(m, n, operand[0], operand[1], operand[2], out);
    }
}

/* Whether operand k is the one of MIN, MAX or SELECT that is not taken. */
static bool is_left_out(
    const curve *v, const evaluation *e, const node *n, int k)
{
    if (n->op != NODE_SELECT && n->op != NODE_MIN && n->op != NODE_MAX)
        return false;
    const double *a = value_at(v, e, n->a), *b = value_at(v, e, n->b);
    if (n->op == NODE_SELECT)
        return k > 0 && sound_terms(v, a) > 0 && (a[0] != 0) != (k == 1);
    bool takes_first = n->op == NODE_MIN ? a[0] < b[0] : a[0] > b[0];
    bool takes_second = n->op == NODE_MIN ? b[0] < a[0] : b[0] > a[0];
    return k == 0 ? takes_second : takes_first;
}

static node_id lacking_operand(const curve *v, const evaluation *e, node_id id)
{
    const node *n = shape_node(&v->search.c->s->shapes, id);
    for (int k = 0; k < node_arity((node_op)n->op); k++) {
        node_id operand = node_operand(n, k);
        if (!is_left_out(v, e, n, k)
            && sound_terms(v, value_at(v, e, operand)) < v->space.room.terms)
            return operand;
    }
    return NODE_NONE;
}

static void descend(curve *v, const evaluation *e, node_id root, node_id *birth)
{
    *birth = NODE_NONE;
    if (sound_terms(v, value_at(v, e, root)) == v->space.room.terms) return;
    for (node_id next = root; next != NODE_NONE;) {
        *birth = next;
        next = lacking_operand(v, e, next);
    }
    v->birth_known = series_known(&v->space.room, value_at(v, e, *birth));
    v->birth_sound = sound_terms(v, value_at(v, e, *birth));
}

static dae_status find_birth(
    search *w, node_id root, const uint32_t *row, node_id *birth)
{
    curve *v = (curve *)w;
    const dae_allocator *a = w->c->s->shapes.allocator;
    evaluation e;
    w->row = row;
    *birth = NODE_NONE;
    dae_status st = collect_nodes(
        &w->c->s->shapes, &root, 1, NULL, &e.nodes, &e.count);
    if (st) return st;
    size_t size = 0;
    e.values = size_mul(e.count, width_of(v), &size)
        ? alloc_zeroed(a, size, sizeof *e.values)
        : NULL;
    if (e.values) {
        for (size_t i = 0; i < e.count; i++) evaluate_node(v, &e, i, row);
        descend(v, &e, root, birth);
    } else {
        st = DAE_MEMORY;
    }
    alloc_free(a, e.values, size, sizeof *e.values);
    alloc_free(a, e.nodes, e.count, sizeof *e.nodes);
    return st;
}

static void say_reason(search *w, node_id birth)
{
    const curve *v = (const curve *)w;
    const node *n = shape_node(&w->c->s->shapes, birth);
    const char *flaw = series_flaw((node_op)n->op);
    if (n->op != NODE_HOLE && v->birth_sound == 0 && v->birth_known > 0)
        return; /* it has no value */
    if (flaw && v->birth_sound == v->birth_known)
        text_buffer_printf(&w->out, " %s", flaw);
    else if (v->birth_sound > 0)
        text_buffer_printf(&w->out,
            " has a term of order %zu that is too large", v->birth_sound);
}

static bool is_whole(const search *w, size_t equation)
{
    const curve *v = (const curve *)w;
    return sound_terms(v, v->space.results + equation * width_of(v))
        == v->space.room.terms;
}

size_t series_explain(void *self, size_t equation, size_t terms, double t0,
    const double *x, size_t stride, char *text, size_t size)
{
    compiled *c = self;
    curve v = {.search = {.c = c,
                   .find = find_birth,
                   .leaf = leaf_value,
                   .reason = say_reason,
                   .out = {text, size, 0}}};
    dae_status st = DAE_OK;
    if (size) text[0] = '\0';
    if (equation < c->slots.total)
        st = series_evaluate(
            c, SERIES_EQUATIONS, terms, t0, x, stride, &v.space);
    if (st == DAE_ARGUMENT) return 0;
    if (!st && equation < c->slots.total)
        st = search_equation(&v.search, equation, is_whole);
    return search_close(&v.search, st, text, size);
}
