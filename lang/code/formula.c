/* Derivatives, combinations and replacements of what equations say, and their
 * text. */
#include "code/formula.h"
#include "code/formula_read.h"
#include "code/names.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ORDER_MOST = 250 };

/* ---- replacements ---------------------------------------------------------- */

static expr_id without_independent(void *context, algebra *a, expr_id id)
{
    const formula *f = context;
    const expr *x = algebra_expr(a, id);
    uint32_t unknown = formula_unknown(f->c, x);
    for (size_t k = 0; unknown != NONE && k < f->q->independent_count; k++) {
        const dae_slot *s = &f->q->independent[k];
        if ((uint32_t)s->unknown == unknown && s->order == x->order)
            return algebra_number(a, 0);
    }
    return id;
}

static bool is_among_terms(const formula *f, uint32_t equation)
{
    for (size_t k = 0; k < f->q->term_count; k++)
        if ((uint32_t)f->q->terms[k].equation == equation) return true;
    return false;
}

/* x'' by u' by w, as long as there are primes to be taken. */
static expr_id with_first_order(void *context, algebra *a, expr_id id)
{
    const formula *f = context;
    expr x = *algebra_expr(a, id);
    double sign = 1;
    while (x.kind == LEAF_UNKNOWN && x.order > 0) {
        const first_order *r = &f->c->formulas->rules[x.number];
        if (r->sign == 0 || is_among_terms(f, r->equation)) break;
        sign *= r->sign;
        x.kind = r->kind;
        x.number = r->object;
        x.order--;
    }
    id = algebra_leaf(a, (leaf_kind)x.kind, x.number, x.order, x.first);
    return algebra_add(a, sign, id, 0, id);
}

/* ---- the formula ----------------------------------------------------------- */

static expr_id leave_out(formula *f, expr_id x)
{
    if (f->q->independent_count == 0) return x;
    return algebra_replace(&f->a, x, without_independent, f);
}

static sides single(formula *f)
{
    const dae_term *t = &f->q->terms[0];
    sides s = formula_read(f, t->equation);
    s.left = leave_out(f, formula_rate(f, s.left, t->order));
    s.right = leave_out(f, formula_rate(f, s.right, t->order));
    s.left = formula_rate(f, s.left, f->q->order);
    s.right = formula_rate(f, s.right, f->q->order);
    return s;
}

/* Left sides, then right ones, so that numbers rather come at the end. */
static sides combination(formula *f)
{
    expr_id left = algebra_number(&f->a, 0), right = left;
    for (size_t k = 0; k < f->q->term_count && !f->a.st; k++) {
        const dae_term *t = &f->q->terms[k];
        sides s = formula_read(f, t->equation);
        s.left = formula_rate(f, s.left, t->order);
        s.right = formula_rate(f, s.right, t->order);
        left = algebra_add(&f->a, 1, left, t->weight, s.left);
        right = algebra_add(&f->a, 1, right, t->weight, s.right);
    }
    expr_id sum = algebra_add(&f->a, 1, left, -1, right);
    sum = formula_rate(f, leave_out(f, sum), f->q->order);
    return (sides){sum, algebra_number(&f->a, 0)};
}

sides formula_substituted(formula *f, sides s)
{
    if (!f->q->substitute) return s;
    return (sides){algebra_replace(&f->a, s.left, with_first_order, f),
        algebra_replace(&f->a, s.right, with_first_order, f)};
}

/* ---- text ------------------------------------------------------------------ */

static dae_status write_leaf(void *context, leaf_kind kind, uint32_t number,
    unsigned order, dae_write_fn *write, void *write_context)
{
    const compiled *c = ((const formula *)context)->c;
    char text[240] = "(";
    char *name = text + 1;
    size_t room = sizeof text - 3;
    (void)order;
    if (kind == LEAF_UNKNOWN) (void)names_unknown(c, number, name, room);
    else if (kind == LEAF_DEFINITION)
        (void)definition_text(c->s, number, name, room);
    else if (kind == LEAF_PARAM)
        (void)name_block_text(&c->s->param_names, number, name, room);
    else if (kind == LEAF_HELD)
        (void)name_block_text(&c->s->discretes, number, name, room);
    else
        (void)snprintf(
            name, room, "%s", c->s->time_name ? c->s->time_name : "t");
    if (strchr(name, ' ')) { /* "sum at line 7" */
        memcpy(name + strlen(name), ")", 2);
        name = text;
    }
    return write(write_context, name, strlen(name)) ? DAE_IO : DAE_OK;
}

/* Passes text on term by term, so that where the printer cuts it no half of a
 * term is left, but for the first. */
typedef struct pen {
    dae_write_fn *write;
    void *context;
    const dae_allocator *allocator;
    ARRAY(char) term; /* not passed on yet */
    size_t used;      /* bytes so far, with these */
    int depth;        /* of parentheses */
    bool has_term;    /* one was passed on */
    bool is_cut;
    dae_status st;
} pen;

static void pen_pass(pen *p, const char *text, size_t length)
{
    if (!p->st && length && p->write(p->context, text, length)) p->st = DAE_IO;
}

static void pen_flush(pen *p)
{
    if (p->term.count > 0) p->has_term = true;
    pen_pass(p, p->term.items, p->term.count);
    p->term.count = 0;
}

static bool is_text(const char *text, size_t length, const char *wanted)
{
    return length == strlen(wanted) && memcmp(text, wanted, length) == 0;
}

static int pen_write(void *context, const char *text, size_t length)
{
    pen *p = context;
    p->used += length;
    p->is_cut = is_text(text, length, " ...");
    if (p->is_cut && p->has_term) p->term.count = 0;
    bool ends_term = p->depth == 0
        && (is_text(text, length, " + ") || is_text(text, length, " - ")
            || is_text(text, length, " = "));
    if (p->is_cut || ends_term) pen_flush(p);
    for (size_t k = 0; k < length; k++)
        p->depth += (text[k] == '(') - (text[k] == ')');
    if (!p->st && !ARRAY_RESERVE(p->allocator, &p->term, length))
        p->st = DAE_MEMORY;
    if (p->st) return 1;
    memcpy(p->term.items + p->term.count, text, length);
    p->term.count += length;
    return 0;
}

static dae_status pen_text(pen *p, const char *text)
{
    return pen_write(p, text, strlen(text)) ? p->st : DAE_OK;
}

/* What begins with `before`, within the limit. */
static dae_status write_side(formula *f, pen *p, const char *before, expr_id x)
{
    size_t limit = f->q->limit, start = p->used + strlen(before);
    if (limit > 0 && start >= limit) return pen_text(p, " ...");
    dae_status st = *before ? pen_text(p, before) : DAE_OK;
    if (st) return st;
    p->has_term = false;
    st = algebra_print(
        &f->a, x, limit > 0 ? limit - start : 0, write_leaf, f, pen_write, p);
    if (!p->is_cut) pen_flush(p); /* the side is whole */
    return st;
}

static dae_status write_formula(formula *f, sides s, pen *p)
{
    dae_status st = write_side(f, p, "", s.left);
    if (st || p->is_cut) return st;
    if (!f->is_cut || !algebra_is_zero(&f->a, s.right))
        st = write_side(f, p, " = ", s.right);
    if (!st && f->is_cut && !p->is_cut) st = pen_text(p, " ...");
    return st;
}

/* ---- the request ----------------------------------------------------------- */

static bool is_slot(const compiled *c, const dae_slot *s)
{
    return s->unknown >= 0 && (size_t)s->unknown < c->slots.total
        && s->order >= 0 && s->order <= ORDER_MOST;
}

static dae_status check_request(const compiled *c, const formula_request *q)
{
    bool is_known = true;
    if (q->term_count == 0 || q->order < 0) return DAE_ARGUMENT;
    for (size_t k = 0; k < q->term_count; k++) {
        const dae_term *t = &q->terms[k];
        if (t->equation < 0 || (size_t)t->equation >= c->slots.total
            || t->order < 0 || !isfinite(t->weight))
            return DAE_ARGUMENT;
        is_known = is_known && t->order <= ORDER_MOST;
    }
    for (size_t k = 0; k < q->independent_count; k++)
        if (!is_slot(c, &q->independent[k])) return DAE_ARGUMENT;
    return is_known && q->order <= ORDER_MOST ? DAE_OK : DAE_UNSUPPORTED;
}

dae_status formula_write(
    compiled *c, const formula_request *q, dae_write_fn *write, void *context)
{
    formula f;
    pen p = {.write = write, .context = context, .allocator = c->allocator};
    dae_status st = check_request(c, q);
    if (!st) st = formula_init(&f, c, q);
    if (st) return st;
    sides s = q->term_count == 1 ? single(&f) : combination(&f);
    s = formula_tidied(&f, formula_substituted(&f, s));
    st = formula_status(&f);
    f.is_cut = f.is_cut || f.a.is_cut;
    if (!st) st = write_formula(&f, s, &p);
    pen_flush(&p);
    if (p.st) st = p.st;
    ARRAY_FREE(c->allocator, &p.term);
    formula_clear(&f);
    return st;
}

dae_status formula_slot(
    compiled *c, int32_t equation, int times, dae_slot *slot)
{
    const dae_status st = formula_tables_make(c);
    if (st || !is_slot(c, slot)) return st ? st : DAE_ARGUMENT;
    const first_order *rules = c->formulas->rules;
    dae_slot at = *slot;
    while (at.order > 0) {
        const first_order *r = &rules[at.unknown];
        if (r->sign == 0 || r->equation == (uint32_t)equation) break;
        if (r->kind != LEAF_UNKNOWN) return DAE_OK;
        at = (dae_slot){(int32_t)r->object, at.order - 1};
    }
    if (at.unknown == slot->unknown) return DAE_OK;
    /* what x' = u determines when differentiated, where u' is written as
     * something else, is x'' */
    for (size_t j = 0; j < c->formulas->unknowns; j++)
        if (rules[j].sign && rules[j].equation == (uint32_t)equation)
            at = (dae_slot){(int32_t)j, times + 1};
    *slot = at;
    return DAE_OK;
}
