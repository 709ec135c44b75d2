/* The expressions that formulas are made of, evaluated one after the other:
 * what an expression is made of has smaller ids. Lets and inputs, whose
 * derivatives have no expressions, come from power series. */
#include "code/formula_sides.h"
#include "code/formula_read.h"
#include "code/run.h"
#include "code/series.h"
#include <math.h>

typedef struct reading {
    formula f;
    bool is_condition;
    size_t order; /* of the derivative */
    double t0;
    const double *x; /* the curve */
    size_t stride;
    const double *definitions; /* their values, or their series */
    size_t width;              /* of a series */
} reading;

static double factorial(size_t n)
{
    double product = 1;
    for (size_t k = 2; k <= n; k++) product *= (double)k;
    return product;
}

/* ---- definitions ----------------------------------------------------------- */

/* Conditions have definitions of their own, and no derivatives. */
static dae_status evaluate_condition(reading *r)
{
    compiled *c = r->f.c;
    arena *m = &c->scratch;
    double *x = ARENA_ARRAY(m, double, c->slots.total_states);
    double *xp = ARENA_ARRAY(m, double, c->slots.total);
    double *values = ARENA_ARRAY(m, double, c->s->condition_count);
    if (!x || !xp || !values) return DAE_MEMORY;
    for (size_t j = 0; j < c->slots.total; j++) {
        const double *curve = r->x + j * r->stride;
        const size_t highest = c->slots.order[j];
        for (size_t o = 0; o < highest || o == 0; o++)
            x[c->slots.first[j] + o] = factorial(o) * curve[o];
        if (highest > 0) xp[j] = factorial(highest) * curve[highest];
    }
    run_task(c, &c->condition, r->t0, x, xp, values);
    r->definitions = c->def_values;
    r->width = 1;
    return DAE_OK;
}

static bool has_definition(const reading *r)
{
    const algebra *a = &r->f.a;
    for (size_t k = 0; k < a->exprs.count; k++) {
        const expr *x = &a->exprs.items[k];
        if (x->op == NODE_HOLE && x->kind == LEAF_DEFINITION) return true;
    }
    return false;
}

static dae_status evaluate_definitions(reading *r)
{
    series_space space;
    if (!has_definition(r)) return DAE_OK;
    if (r->is_condition) return evaluate_condition(r);
    const dae_status st = series_evaluate(
        r->f.c, SERIES_EQUATIONS, r->order + 1, r->t0, r->x, r->stride, &space);
    r->definitions = space.definitions;
    r->width = r->order + 2;
    return st;
}

/* Derivatives of a definition that equations contain are definitions too. */
static double definition_value(const reading *r, uint32_t id, size_t order)
{
    const compiled *c = r->f.c;
    const size_t most = r->is_condition ? 0 : r->order;
    for (; order > most && id != NODE_NONE; order--)
        id = c->s->definitions.items[id].derivative;
    if (id == NODE_NONE) return (double)NAN;
    const double *series = r->definitions + id * r->width;
    if (order > 0 && series[r->width - 1] <= (double)order)
        return (double)NAN; /* it does not exist */
    return factorial(order) * series[order];
}

/* ---- expressions ----------------------------------------------------------- */

static double leaf_value(const reading *r, const expr *x)
{
    const compiled *c = r->f.c;
    const uint32_t unknown = formula_unknown(c, x);
    if (unknown != NONE)
        return x->order < r->stride
            ? factorial(x->order) * r->x[unknown * r->stride + x->order]
            : (double)NAN;
    if (x->kind == LEAF_DEFINITION)
        return definition_value(r, x->number, x->order);
    if (x->kind == LEAF_PARAM)
        return x->order || x->number >= c->s->param_inputs.count
            ? 0
            : c->s->param_inputs.items[x->number];
    if (x->kind == LEAF_HELD)
        return x->order || x->number >= c->held_count ? 0 : c->held[x->number];
    return x->order == 0 ? r->t0 : x->order == 1;
}

static double sum_value(const expr *x, const double *values)
{
    double sum = 0;
    for (uint32_t k = 0; k < x->count; k++) {
        const expr_term *t = &x->terms[k];
        double product = t->coefficient;
        for (uint32_t q = 0; q < t->count; q++)
            product *= pow(values[t->factors[q].base], t->factors[q].exponent);
        sum += product;
    }
    return sum;
}

static double expr_value(const reading *r, const expr *x, const double *values)
{
    double operand[3] = {0, 0, 0};
    const node n = {.op = x->op, .order = x->order};
    if (x->op == NODE_HOLE) return leaf_value(r, x);
    if (x->op == EXPR_SUM) return sum_value(x, values);
    for (int k = 0; k < node_arity((node_op)x->op); k++)
        operand[k] = values[x->operand[k]];
    return node_apply(&n, operand[0], operand[1], operand[2]);
}

static dae_status evaluate(reading *r, const sides *s, double out[2])
{
    const algebra *a = &r->f.a;
    const size_t count = 1 + (s->left > s->right ? s->left : s->right);
    double *values = ARENA_ARRAY(&r->f.c->scratch, double, count);
    if (!values) return DAE_MEMORY;
    const dae_status st = evaluate_definitions(r);
    if (st) return st;
    for (size_t k = 0; k < count; k++)
        values[k] = expr_value(r, &a->exprs.items[k], values);
    out[0] = values[s->left];
    out[1] = values[s->right];
    return DAE_OK;
}

/* ---- the request ----------------------------------------------------------- */

/* An equation stands as its text has it, a derivative as its formula does. */
static dae_status read_sides(reading *r, size_t index, double out[2])
{
    formula *f = &r->f;
    sides s;
    if (!formula_read_sides(f, r->is_condition, (uint32_t)index, &s))
        return f->a.st ? formula_status(f) : DAE_UNSUPPORTED;
    if (r->order > 0) {
        s.left = formula_rate(f, s.left, (int)r->order);
        s.right = formula_rate(f, s.right, (int)r->order);
        s = formula_tidied(f, formula_substituted(f, s));
    }
    if (f->a.st) return formula_status(f);
    if (f->is_cut) return DAE_UNSUPPORTED;
    return evaluate(r, &s, out);
}

dae_status formula_sides(void *self, dae_name_kind kind, size_t index,
    size_t order, double t0, const double *x, size_t stride, double out[2])
{
    compiled *c = self;
    const dae_term term = {.equation = (int32_t)index, .weight = 1};
    const formula_request q = {
        .terms = &term, .term_count = 1, .substitute = true};
    reading r = {.is_condition = kind == DAE_NAME_CONDITION,
        .order = order,
        .t0 = t0,
        .x = x,
        .stride = stride};
    const size_t count = r.is_condition ? c->s->condition_count
                                        : c->slots.total;
    if (index >= count || (r.is_condition && order > 0)) return DAE_ARGUMENT;
    if (order >= DAE_SERIES_TERMS_MAX) return DAE_UNSUPPORTED;
    dae_status st = formula_init(&r.f, c, &q);
    if (st) return st;
    st = read_sides(&r, index, out);
    formula_clear(&r.f);
    arena_clear(&c->scratch);
    return st;
}
