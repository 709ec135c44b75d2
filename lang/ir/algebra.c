/* Sums of products. Sums of texts are short, and what is long is cut before it
 * comes here, so like terms are found by looking at all. */
#include "ir/algebra.h"
#include "ir/collect.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_SLOTS = 64,
    EXPONENT_MOST = 1 << 20,
    ORDER_MOST = 250,
};

/* Numbers that cancel leave rounding of this size, relative to the larger. */
#define CANCELLED (8 * DBL_EPSILON)

void algebra_init(algebra *a, const dae_allocator *allocator, size_t room)
{
    *a = (algebra){.allocator = alloc_or_default(allocator), .room = room};
    arena_init(&a->memory, a->allocator, 0);
}

void algebra_clear(algebra *a)
{
    ARRAY_FREE(a->allocator, &a->exprs);
    ARRAY_FREE(a->allocator, &a->rates);
    alloc_free(a->allocator, a->slots, a->slot_count, sizeof *a->slots);
    arena_clear(&a->memory);
    a->slots = NULL;
    a->slot_count = 0;
}

expr_id algebra_fail(algebra *a, dae_status st)
{
    if (!a->st) a->st = st;
    return EXPR_NONE;
}

/* Whether so many terms and factors may still be made. */
static bool take_room(algebra *a, size_t count)
{
    if (a->st) return false;
    if (count > a->room) {
        algebra_fail(a, DAE_LIMIT);
        return false;
    }
    a->room -= count;
    return true;
}

/* ---- the table ------------------------------------------------------------- */

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t hash_expr(const expr *x)
{
    uint64_t h = mix(
        x->op | (uint64_t)x->kind << 8 | (uint64_t)x->order << 16, x->number);
    for (int k = 0; k < 3; k++) h = mix(h, x->operand[k]);
    for (uint32_t k = 0; k < x->count; k++) {
        h = mix(h, bits_of(x->terms[k].coefficient));
        h = mix(h, x->terms[k].likeness);
    }
    return h ^ h >> 32;
}

static bool same_terms(const expr_term *a, const expr_term *b)
{
    return a->coefficient == b->coefficient && a->count == b->count
        && (a->count == 0
            || memcmp(a->factors, b->factors, a->count * sizeof *a->factors)
                == 0);
}

static bool same_expr(const expr *a, const expr *b)
{
    if (a->op != b->op || a->kind != b->kind || a->order != b->order
        || a->number != b->number || a->count != b->count
        || memcmp(a->operand, b->operand, sizeof a->operand) != 0)
        return false;
    for (uint32_t k = 0; k < a->count; k++)
        if (!same_terms(&a->terms[k], &b->terms[k])) return false;
    return true;
}

static size_t find_slot(const algebra *a, const expr *x)
{
    size_t mask = a->slot_count - 1, k = (size_t)hash_expr(x) & mask;
    while (a->slots[k] && !same_expr(&a->exprs.items[a->slots[k] - 1], x))
        k = (k + 1) & mask;
    return k;
}

static bool grow_slots(algebra *a)
{
    size_t count = a->slot_count ? 2 * a->slot_count : FIRST_SLOTS;
    uint32_t *slots = alloc_zeroed(a->allocator, count, sizeof *slots);
    if (!slots) return false;
    alloc_free(a->allocator, a->slots, a->slot_count, sizeof *slots);
    a->slots = slots;
    a->slot_count = count;
    for (size_t k = 0; k < a->exprs.count; k++)
        slots[find_slot(a, &a->exprs.items[k])] = (uint32_t)k + 1;
    return true;
}

static expr_id intern(algebra *a, const expr *x)
{
    if (a->st) return EXPR_NONE;
    if (2 * a->exprs.count >= a->slot_count && !grow_slots(a))
        return algebra_fail(a, DAE_MEMORY);
    size_t slot = find_slot(a, x);
    if (a->slots[slot]) return a->slots[slot] - 1;
    if (!ARRAY_PUSH(a->allocator, &a->rates, EXPR_NONE)
        || !ARRAY_PUSH(a->allocator, &a->exprs, *x))
        return algebra_fail(a, DAE_MEMORY);
    a->slots[slot] = (uint32_t)a->exprs.count;
    return (expr_id)a->exprs.count - 1;
}

static expr blank(unsigned op)
{
    return (expr){.op = (uint8_t)op,
        .operand = {EXPR_NONE, EXPR_NONE, EXPR_NONE},
        .first = UINT32_MAX};
}

static void take_ranks(expr *x, const expr *part)
{
    if (part->first < x->first) x->first = part->first;
    if (part->last > x->last) x->last = part->last;
}

/* ---- products -------------------------------------------------------------- */

void product_start(expr_product *p, algebra *a, double coefficient)
{
    *p = (expr_product){.a = a, .coefficient = coefficient};
}

void product_clear(expr_product *p)
{
    ARRAY_FREE(p->a->allocator, &p->factors);
}

static void drop_factor(expr_product *p, size_t k)
{
    p->factors.count--;
    memmove(&p->factors.items[k], &p->factors.items[k + 1],
        (p->factors.count - k) * sizeof *p->factors.items);
}

static void push_factor(expr_product *p, expr_id base, int64_t exponent)
{
    for (size_t k = 0; k < p->factors.count; k++) {
        expr_factor *f = &p->factors.items[k];
        if (f->base != base) continue;
        exponent += f->exponent;
        if (exponent == 0) drop_factor(p, k);
        else if (llabs(exponent) > EXPONENT_MOST) algebra_fail(p->a, DAE_LIMIT);
        else f->exponent = (int32_t)exponent;
        return;
    }
    if (llabs(exponent) > EXPONENT_MOST) algebra_fail(p->a, DAE_LIMIT);
    else if (!ARRAY_PUSH(p->a->allocator, &p->factors,
                 (expr_factor){base, (int32_t)exponent}))
        algebra_fail(p->a, DAE_MEMORY);
}

void product_times(expr_product *p, expr_id id, int32_t exponent)
{
    if (id == EXPR_NONE || p->a->st || exponent == 0) return;
    const expr *x = algebra_expr(p->a, id);
    if (x->op != EXPR_SUM || x->count > 1) {
        push_factor(p, id, exponent);
        return;
    }
    if (x->count == 0) {
        if (exponent < 0) algebra_fail(p->a, DAE_UNSUPPORTED);
        p->coefficient = 0;
        return;
    }
    const expr_term *t = &x->terms[0];
    p->coefficient *= pow(t->coefficient, exponent);
    if (!isfinite(p->coefficient)) algebra_fail(p->a, DAE_LIMIT);
    for (uint32_t k = 0; k < t->count; k++)
        push_factor(
            p, t->factors[k].base, (int64_t)t->factors[k].exponent * exponent);
}

/* ---- sums ------------------------------------------------------------------ */

void list_start(expr_list *l, algebra *a)
{
    *l = (expr_list){.a = a};
}

static uint64_t likeness_of(const expr_factor *factors, size_t count)
{
    uint64_t sum = 0; /* the same in any order */
    for (size_t k = 0; k < count; k++)
        sum += mix(mix(1, factors[k].base), (uint32_t)factors[k].exponent);
    return sum;
}

static bool has_factor(
    const expr_factor *factors, size_t count, expr_factor wanted)
{
    for (size_t k = 0; k < count; k++)
        if (factors[k].base == wanted.base
            && factors[k].exponent == wanted.exponent)
            return true;
    return false;
}

/* The same powers of the same bases, in any order; a base stands once. */
static bool is_like(const expr_term *a, const expr_term *b)
{
    if (a->likeness != b->likeness || a->count != b->count) return false;
    for (uint32_t k = 0; k < a->count; k++)
        if (!has_factor(b->factors, b->count, a->factors[k])) return false;
    return true;
}

/* Adds a term; its factors are copied where `is_kept` does not say that they
 * last. */
static void add_term(expr_list *l, expr_term t, bool is_kept)
{
    algebra *a = l->a;
    if (a->st || t.coefficient == 0) return;
    for (size_t k = 0; k < l->terms.count; k++) {
        expr_term *have = &l->terms.items[k];
        if (!is_like(have, &t)) continue;
        double larger = fmax(fabs(have->coefficient), fabs(t.coefficient));
        have->coefficient += t.coefficient;
        if (fabs(have->coefficient) <= CANCELLED * larger)
            have->coefficient = 0;
        return;
    }
    if (!take_room(a, 1 + (size_t)t.count)) return;
    if (!is_kept && t.count) {
        expr_factor *copy = ARENA_ARRAY(&a->memory, expr_factor, t.count);
        if (copy) memcpy(copy, t.factors, t.count * sizeof *copy);
        else algebra_fail(a, DAE_MEMORY);
        t.factors = copy;
    }
    if (!ARRAY_PUSH(a->allocator, &l->terms, t)) algebra_fail(a, DAE_MEMORY);
}

void list_add(expr_list *l, double factor, expr_id id)
{
    if (id == EXPR_NONE || l->a->st) return;
    const expr x = *algebra_expr(l->a, id);
    if (x.op != EXPR_SUM) {
        const expr_factor own = {id, 1};
        add_term(l, (expr_term){factor, likeness_of(&own, 1), &own, 1}, false);
        return;
    }
    for (uint32_t k = 0; k < x.count; k++) {
        expr_term t = x.terms[k];
        t.coefficient *= factor;
        add_term(l, t, true);
    }
}

void list_add_product(expr_list *l, expr_product *p)
{
    const expr_factor *f = p->factors.items;
    size_t count = p->factors.count;
    if (count == 1 && f[0].exponent == 1) { /* 2*(x + y) is 2*x + 2*y */
        list_add(l, p->coefficient, f[0].base);
    } else {
        add_term(l,
            (expr_term){
                p->coefficient, likeness_of(f, count), f, (uint32_t)count},
            false);
    }
    p->factors.count = 0;
    p->coefficient = 1;
}

static bool is_plain(const expr_term *t)
{
    return t->coefficient == 1 && t->count == 1 && t->factors[0].exponent == 1;
}

static expr_id make_sum(algebra *a, const expr_term *terms, size_t count)
{
    if (a->st) return EXPR_NONE;
    if (count == 1 && is_plain(terms)) return terms->factors[0].base;
    expr x = blank(EXPR_SUM);
    expr_term *copy = ARENA_ARRAY(&a->memory, expr_term, count + 1);
    if (!copy) return algebra_fail(a, DAE_MEMORY);
    if (count) memcpy(copy, terms, count * sizeof *copy);
    x.terms = copy;
    x.count = (uint32_t)count;
    for (size_t k = 0; k < count; k++)
        for (uint32_t f = 0; f < terms[k].count; f++)
            take_ranks(&x, algebra_expr(a, terms[k].factors[f].base));
    return intern(a, &x);
}

expr_id list_close(expr_list *l)
{
    size_t kept = 0;
    for (size_t k = 0; k < l->terms.count; k++)
        if (l->terms.items[k].coefficient != 0)
            l->terms.items[kept++] = l->terms.items[k];
    expr_id id = make_sum(l->a, l->terms.items, kept);
    ARRAY_FREE(l->a->allocator, &l->terms);
    return id;
}

/* ---- makers ---------------------------------------------------------------- */

bool algebra_is_number(const algebra *a, expr_id id, double *value)
{
    if (id == EXPR_NONE) return false;
    const expr *x = algebra_expr(a, id);
    if (x->op != EXPR_SUM || x->count > 1) return false;
    if (x->count == 1 && x->terms[0].count > 0) return false;
    if (value) *value = x->count ? x->terms[0].coefficient : 0;
    return true;
}

bool algebra_is_zero(const algebra *a, expr_id id)
{
    if (id == EXPR_NONE) return false;
    const expr *x = algebra_expr(a, id);
    return x->op == EXPR_SUM && x->count == 0;
}

expr_id algebra_number(algebra *a, double value)
{
    const expr_term t = {value, likeness_of(NULL, 0), NULL, 0};
    return make_sum(a, &t, value != 0);
}

expr_id algebra_leaf(
    algebra *a, leaf_kind kind, uint32_t number, unsigned order, uint32_t rank)
{
    if (order > ORDER_MOST) return algebra_fail(a, DAE_UNSUPPORTED);
    expr x = blank(NODE_HOLE);
    x.kind = (uint8_t)kind;
    x.order = (uint8_t)order;
    x.number = number;
    x.first = x.last = rank;
    return intern(a, &x);
}

expr_id algebra_add(algebra *a, double p, expr_id x, double q, expr_id y)
{
    expr_list l;
    if (x == EXPR_NONE || y == EXPR_NONE) return EXPR_NONE;
    list_start(&l, a);
    list_add(&l, p, x);
    list_add(&l, q, y);
    return list_close(&l);
}

static expr_id close_product(expr_product *p)
{
    expr_list l;
    list_start(&l, p->a);
    list_add_product(&l, p);
    product_clear(p);
    return list_close(&l);
}

expr_id algebra_multiply(algebra *a, expr_id x, expr_id y)
{
    expr_product p;
    if (x == EXPR_NONE || y == EXPR_NONE) return EXPR_NONE;
    product_start(&p, a, 1);
    product_times(&p, x, 1);
    product_times(&p, y, 1);
    return close_product(&p);
}

/* Term `k` of a sum; what is no sum is one. */
static void times_term(expr_product *p, expr_id id, uint32_t k)
{
    const expr *x = algebra_expr(p->a, id);
    if (x->op != EXPR_SUM) {
        product_times(p, id, 1);
        return;
    }
    const expr_term *t = &x->terms[k];
    p->coefficient *= t->coefficient;
    for (uint32_t f = 0; f < t->count; f++)
        push_factor(p, t->factors[f].base, t->factors[f].exponent);
}

static uint32_t terms_of(const algebra *a, expr_id id)
{
    const expr *x = algebra_expr(a, id);
    return x->op == EXPR_SUM ? x->count : 1;
}

expr_id algebra_expand(algebra *a, expr_id x, expr_id y)
{
    enum { TERMS_MOST = 256 };
    expr_list l;
    if (x == EXPR_NONE || y == EXPR_NONE) return EXPR_NONE;
    const uint32_t rows = terms_of(a, x), columns = terms_of(a, y);
    if ((uint64_t)rows * columns > TERMS_MOST) return algebra_multiply(a, x, y);
    list_start(&l, a);
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t k = 0; k < columns; k++) {
            expr_product p;
            product_start(&p, a, 1);
            times_term(&p, x, i);
            times_term(&p, y, k);
            list_add_product(&l, &p);
            product_clear(&p);
        }
    return list_close(&l);
}

/* x times a factor. */
static expr_id times_factor(algebra *a, expr_id x, const expr_factor *f)
{
    enum { POWER_MOST = 4 };
    const bool is_sum = algebra_expr(a, f->base)->op == EXPR_SUM;
    if (!is_sum || f->exponent < 0 || f->exponent > POWER_MOST)
        return algebra_expand(a, x, algebra_power(a, f->base, f->exponent));
    for (int32_t k = 0; k < f->exponent; k++) x = algebra_expand(a, x, f->base);
    return x;
}

expr_id algebra_flatten(algebra *a, expr_id id)
{
    expr_list l;
    if (id == EXPR_NONE || algebra_expr(a, id)->op != EXPR_SUM) return id;
    const expr x = *algebra_expr(a, id);
    list_start(&l, a);
    for (uint32_t k = 0; k < x.count && !a->st; k++) {
        expr_id term = algebra_number(a, x.terms[k].coefficient);
        for (uint32_t f = 0; f < x.terms[k].count && !a->st; f++)
            term = times_factor(a, term, &x.terms[k].factors[f]);
        list_add(&l, 1, term);
    }
    return list_close(&l);
}

expr_id algebra_power(algebra *a, expr_id x, int32_t exponent)
{
    expr_product p;
    if (x == EXPR_NONE) return EXPR_NONE;
    product_start(&p, a, 1);
    product_times(&p, x, exponent);
    return close_product(&p);
}

expr_id algebra_truncate(algebra *a, expr_id id, uint32_t count)
{
    if (id == EXPR_NONE) return EXPR_NONE;
    const expr *x = algebra_expr(a, id);
    if (x->op != EXPR_SUM || x->count <= count) return id;
    return make_sum(a, x->terms, count);
}

/* ---- operations ------------------------------------------------------------ */

static bool is_whole(double value)
{
    return value == floor(value) && fabs(value) <= EXPONENT_MOST;
}

/* A function of numbers is a number, where it has a value. */
static bool fold(
    const algebra *a, const node *n, const expr_id operand[3], double *value)
{
    double v[3] = {0, 0, 0};
    for (int k = 0; k < node_arity((node_op)n->op); k++)
        if (!algebra_is_number(a, operand[k], &v[k])) return false;
    *value = node_apply(n, v[0], v[1], v[2]);
    return isfinite(*value);
}

static expr_id make_operation(
    algebra *a, const node *n, const expr_id operand[3])
{
    double value;
    if (fold(a, n, operand, &value)) return algebra_number(a, value);
    expr x = blank(n->op);
    if (node_is_family((node_op)n->op)) x.order = n->order;
    if (node_has_signal((node_op)n->op)) {
        x.order = n->order;
        x.number = n->c;
        x.table = n->table;
    }
    for (int k = 0; k < node_arity((node_op)n->op); k++) {
        x.operand[k] = operand[k];
        take_ranks(&x, algebra_expr(a, operand[k]));
    }
    return intern(a, &x);
}

static expr_id choose(algebra *a, const node *n, const expr_id operand[3])
{
    double condition;
    if (operand[1] == operand[2]) return operand[1];
    if (algebra_is_number(a, operand[0], &condition))
        return condition != 0 ? operand[1] : operand[2];
    return make_operation(a, n, operand);
}

expr_id algebra_apply(algebra *a, const node *n, const expr_id operand[3])
{
    const expr_id x = operand[0], y = operand[1];
    double exponent;
    for (int k = 0; k < node_arity((node_op)n->op); k++)
        if (operand[k] == EXPR_NONE) return EXPR_NONE;
    if (a->st) return EXPR_NONE;
    switch ((node_op)n->op) {
    case NODE_ADD: return algebra_add(a, 1, x, 1, y);
    case NODE_SUB: return algebra_add(a, 1, x, -1, y);
    case NODE_NEG: return algebra_add(a, -1, x, 0, x);
    case NODE_MUL: return algebra_multiply(a, x, y);
    case NODE_DIV: return algebra_multiply(a, x, algebra_power(a, y, -1));
    case NODE_POWI: return algebra_power(a, x, n->exponent);
    case NODE_POW:
        if (algebra_is_number(a, y, &exponent) && is_whole(exponent))
            return algebra_power(a, x, (int32_t)exponent);
        return make_operation(a, n, operand);
    case NODE_SELECT: return choose(a, n, operand);
    case NODE_MIN:
    case NODE_MAX: return x == y ? x : make_operation(a, n, operand);
    default: return make_operation(a, n, operand);
    }
}

/* ---- import ---------------------------------------------------------------- */

static bool binds_sum(const node *n)
{
    return n->op == NODE_ADD || n->op == NODE_SUB;
}

static bool binds_product(const node *n)
{
    return n->op == NODE_MUL || n->op == NODE_DIV;
}

/* Shapes keep the operands of + and * in the order of their ids. Which one
 * stood first in the text is guessed: a sum in a sum and a product in a
 * product, as both associate to the left; else in a sum what brings the leaf
 * that the text has first. */
static bool is_turned(const algebra *a, const shape_pool *p, const node *n,
    const expr_id operand[3], const algebra_reader *reader)
{
    const node *l = shape_node(p, n->a), *r = shape_node(p, n->b);
    if (n->op == NODE_ADD && binds_sum(l) != binds_sum(r)) return binds_sum(r);
    if (operand[0] == EXPR_NONE || operand[1] == EXPR_NONE) return false;
    if (n->op == NODE_MUL) {
        if (binds_product(l) != binds_product(r)) return binds_product(r);
        return reader->is_turned
            && reader->is_turned(reader->context, a, operand[0], operand[1]);
    }
    if (n->op != NODE_ADD) return false;
    const expr *x = algebra_expr(a, operand[0]);
    const expr *y = algebra_expr(a, operand[1]);
    if (x->first > x->last || y->first > y->last) return x->first > x->last;
    return y->last != x->last ? y->last < x->last : y->first < x->first;
}

/* A shape while it is read. */
typedef struct reading {
    algebra *a;
    const shape_pool *pool;
    const algebra_reader *reader;
    node_id *nodes; /* what the root needs, ascending */
    size_t count;
    expr_id *images;
    uint8_t *is_inner; /* a sum in sums alone: read with the outermost */
    ARRAY(node_id) stack;
} reading;

static size_t place_of(const reading *r, node_id id)
{
    return collect_place(r->nodes, r->count, id);
}

static expr_id image_of(const reading *r, node_id id)
{
    return r->images[place_of(r, id)];
}

static void find_inner(reading *r)
{
    for (size_t k = 0; k < r->count; k++)
        r->is_inner[k] = k + 1 < r->count
            && binds_sum(shape_node(r->pool, r->nodes[k]));
    for (size_t k = 0; k < r->count; k++) {
        const node *n = shape_node(r->pool, r->nodes[k]);
        for (int o = 0; o < node_arity((node_op)n->op) && !binds_sum(n); o++)
            r->is_inner[place_of(r, node_operand(n, o))] = 0;
    }
}

/* Puts the operands of a sum on the stack, the first one last; the lowest bit
 * is their sign. */
static void push_addends(reading *r, node_id id, unsigned sign)
{
    const node *n = shape_node(r->pool, id);
    bool is_minus = n->op == NODE_SUB;
    expr_id operand[3] = {image_of(r, n->a), image_of(r, n->b), EXPR_NONE};
    bool turn = !is_minus && is_turned(r->a, r->pool, n, operand, r->reader);
    node_id first = turn ? n->b : n->a, second = turn ? n->a : n->b;
    bool ok = ARRAY_PUSH(r->a->allocator, &r->stack,
                  second << 1 | (sign ^ (unsigned)is_minus))
        && ARRAY_PUSH(r->a->allocator, &r->stack, first << 1 | sign);
    if (!ok) algebra_fail(r->a, DAE_MEMORY);
}

/* All terms of a sum at once: one by one they would take a square of their
 * number. */
static expr_id read_sum(reading *r, node_id id)
{
    expr_list l;
    list_start(&l, r->a);
    r->stack.count = 0;
    push_addends(r, id, 0);
    while (r->stack.count && !r->a->st) {
        uint32_t top = r->stack.items[--r->stack.count];
        if (r->is_inner[place_of(r, top >> 1)]) {
            push_addends(r, top >> 1, top & 1);
        } else if (l.terms.count < ALGEBRA_LONGEST) {
            list_add(&l, top & 1 ? -1 : 1, image_of(r, top >> 1));
        } else {
            r->a->is_cut = true;
            break;
        }
    }
    return list_close(&l);
}

static expr_id read_node(reading *r, const node *n, node_id id)
{
    expr_id operand[3] = {EXPR_NONE, EXPR_NONE, EXPR_NONE};
    if (n->op == NODE_CONST) return algebra_number(r->a, n->value);
    if (n->op == NODE_HOLE) return r->reader->leaf(r->reader->context, r->a, n);
    if (binds_sum(n)) return read_sum(r, id);
    for (int k = 0; k < node_arity((node_op)n->op); k++)
        operand[k] = image_of(r, node_operand(n, k));
    if (is_turned(r->a, r->pool, n, operand, r->reader)) {
        expr_id first = operand[1];
        operand[1] = operand[0];
        operand[0] = first;
    }
    return algebra_apply(r->a, n, operand);
}

expr_id algebra_import(
    algebra *a, const shape_pool *p, node_id root, const algebra_reader *reader)
{
    reading r = {.a = a, .pool = p, .reader = reader};
    expr_id result = EXPR_NONE;
    if (a->st) return EXPR_NONE;
    dae_status st = shape_needed(p, &root, 1, &r.nodes, &r.count);
    if (st) return algebra_fail(a, st);
    r.images = alloc_zeroed(a->allocator, r.count, sizeof *r.images);
    r.is_inner = alloc_zeroed(a->allocator, r.count, 1);
    if (!r.images || !r.is_inner) algebra_fail(a, DAE_MEMORY);
    else find_inner(&r);
    for (size_t k = 0; k < r.count && !a->st; k++) {
        const node n = *shape_node(p, r.nodes[k]);
        result = r.is_inner[k] ? EXPR_NONE : read_node(&r, &n, r.nodes[k]);
        r.images[k] = result;
    }
    ARRAY_FREE(a->allocator, &r.stack);
    alloc_free(a->allocator, r.is_inner, r.count, 1);
    alloc_free(a->allocator, r.images, r.count, sizeof *r.images);
    alloc_free(p->allocator, r.nodes, r.count, sizeof *r.nodes);
    return a->st ? EXPR_NONE : result;
}
