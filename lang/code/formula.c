/* Rows become expressions of what stands in them: unknowns, params, lets and
 * inputs by name; what the compiler made of long sums and products is put back
 * in. Then derivatives, replacements and text. */
#include "code/formula.h"
#include "code/formula_tables.h"
#include "code/formula_words.h"
#include "code/names.h"
#include "ir/algebra.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    ROOM = 1 << 15,      /* terms and factors of all expressions */
    ROWS_MOST = 64,      /* of one sum; what comes after them is cut */
    TERMS_MOST = 64,     /* of a side, before its derivative is taken */
    EXPANDED_MOST = 256, /* definitions put back in */
    ORDER_MOST = 250,
    INNER_RANK = 1 << 24, /* what is put back in stands behind the rest */
};

typedef struct expansion {
    uint32_t definition;
    expr_id value;
} expansion;

typedef struct formula {
    compiled *c;
    const formula_request *q;
    algebra a;
    ARRAY(expansion) expanded;
    ARRAY(uint32_t) waiting; /* definitions to be put in */
    bool is_cut;             /* something was left out */
    uint32_t rank;           /* of the first hole of the row being read */
    uint32_t inner_rank;     /* the same in what is put back in */
    const uint32_t *row;
    words words; /* of the equation being read */
} formula;

/* Left = right; a right side of 0 is one that is not there. */
typedef struct sides {
    expr_id left, right;
} sides;

/* ---- expressions of rows --------------------------------------------------- */

static expr_id param_leaf(void *context, algebra *a, const node *hole)
{
    const formula *f = context;
    return algebra_leaf(a, LEAF_PARAM, hole->a, 0, f->rank);
}

static const expansion *find_expansion(const formula *f, uint32_t id)
{
    for (size_t k = 0; k < f->expanded.count; k++)
        if (f->expanded.items[k].definition == id) return &f->expanded.items[k];
    return NULL;
}

static expr_id definition_expr(
    formula *f, uint32_t id, unsigned order, uint32_t rank)
{
    const expansion *e = find_expansion(f, id);
    if (!e) return algebra_leaf(&f->a, LEAF_DEFINITION, id, order, rank);
    expr_id value = e->value;
    for (; order > 0; order--) value = algebra_rate(&f->a, value);
    return value;
}

/* ---- factors in the order of the text --------------------------------------- */

/* The name, without its index, of a leaf or of its power or negative; NULL:
 * it has none. */
static const char *leaf_word(const compiled *c, const algebra *a, expr_id id)
{
    const name_block *b = NULL;
    const expr *x = algebra_expr(a, id);
    if (x->op == EXPR_SUM && x->count == 1 && x->terms[0].count == 1)
        x = algebra_expr(a, x->terms[0].factors[0].base);
    if (x->op != NODE_HOLE) return NULL;
    if (x->kind == LEAF_TIME) return c->s->time_name ? c->s->time_name : "t";
    if (x->kind == LEAF_UNKNOWN)
        b = name_block_find(&c->s->unknowns, x->number);
    else if (x->kind == LEAF_PARAM)
        b = name_block_find(&c->s->param_names, x->number);
    else b = definition_let(c->s, x->number);
    return b ? b->name : NULL;
}

/* A product of params, which the compiler has made one. */
static bool is_param_product(const algebra *a, expr_id id)
{
    const expr *x = algebra_expr(a, id);
    if (x->op != EXPR_SUM || x->count != 1 || x->terms[0].count < 2)
        return false;
    for (uint32_t k = 0; k < x->terms[0].count; k++) {
        const expr *f = algebra_expr(a, x->terms[0].factors[k].base);
        if (f->op != NODE_HOLE || f->kind != LEAF_PARAM) return false;
    }
    return true;
}

/* Products of params come first, then it is as the text has it, if that can be
 * seen. */
static bool has_text_turned(
    void *context, const algebra *a, expr_id first, expr_id second)
{
    const formula *f = context;
    const char *one = leaf_word(f->c, a, first);
    const char *other = leaf_word(f->c, a, second);
    bool is_first = is_param_product(a, first);
    if (is_first != is_param_product(a, second)) return !is_first;
    if (!f->words.begin) return false;
    if (one && other)
        return !words_have_product(f->words, one, other)
            && words_have_product(f->words, other, one);
    if (one) return !words_have_product(f->words, one, NULL);
    return other && words_have_product(f->words, other, NULL);
}

/* ---- rows ------------------------------------------------------------------ */

static expr_id row_leaf(void *context, algebra *a, const node *hole)
{
    formula *f = context;
    uint32_t object = f->row[1 + hole->a], rank = f->rank + hole->a;
    if (hole->kind == LEAF_TIME) return algebra_leaf(a, LEAF_TIME, 0, 0, rank);
    if (hole->kind == LEAF_DEFINITION)
        return definition_expr(f, object, hole->order, rank);
    if (hole->kind == LEAF_UNKNOWN)
        return algebra_leaf(a, LEAF_UNKNOWN, object, hole->order, rank);
    uint32_t outer = f->rank;
    f->rank = rank;
    const algebra_reader reader = {param_leaf, has_text_turned, f};
    expr_id value = algebra_import(a, &f->c->s->params, object, &reader);
    f->rank = outer;
    return value;
}

static expr_id read_row(formula *f, const row_set *set, size_t r, node_id root)
{
    f->row = set_row(set, r);
    const algebra_reader reader = {row_leaf, has_text_turned, f};
    expr_id x = algebra_import(&f->a, &f->c->s->shapes, root, &reader);
    f->rank += set->width;
    return x;
}

/* ---- definitions put back in ----------------------------------------------- */

/* The first definition without a name that a row needs and that is not there
 * yet, or NONE. */
static uint32_t lacking(const formula *f, const row_set *set, size_t r)
{
    const uint32_t *row = set_row(set, r);
    for (uint32_t k = 0; k < set->leaf_count; k++) {
        const leaf *l = &set->leaves[k];
        uint32_t id = row[1 + l->hole];
        if (l->kind == LEAF_DEFINITION && !definition_let(f->c->s, id)
            && !find_expansion(f, id))
            return id;
    }
    return NONE;
}

static uint32_t rows_read(formula *f, uint32_t count)
{
    if (count <= ROWS_MOST) return count;
    f->is_cut = true;
    return ROWS_MOST;
}

static uint32_t lacking_below(formula *f, uint32_t id)
{
    const definition *d = &f->c->s->definitions.items[id];
    uint32_t found = NONE, count = rows_read(f, d->row_count);
    for (uint32_t r = 0; r < count && found == NONE; r++) {
        row_ref ref = f->c->s->row_refs.items[d->first_row + r];
        found = lacking(f, ref_set(f->c, ref), ref.row);
    }
    return found;
}

static expr_id sum_of_rows(formula *f, uint32_t id)
{
    const definition *d = &f->c->s->definitions.items[id];
    uint32_t count = rows_read(f, d->row_count);
    const uint32_t outer = f->rank;
    expr_list l;
    list_start(&l, &f->a);
    f->rank = f->inner_rank;
    for (uint32_t r = 0; r < count; r++) {
        row_ref ref = f->c->s->row_refs.items[d->first_row + r];
        const row_set *set = ref_set(f->c, ref);
        list_add(&l, 1, read_row(f, set, ref.row, set->root));
    }
    f->inner_rank = f->rank;
    f->rank = outer;
    return list_close(&l);
}

/* Puts in a definition and what it needs, innermost first. Beyond a number of
 * them they keep the names they have. */
static void expand(formula *f, uint32_t id)
{
    const dae_allocator *a = f->c->allocator;
    f->waiting.count = 0;
    while (id != NONE && !f->a.st) {
        if (f->expanded.count + f->waiting.count >= EXPANDED_MOST) {
            f->is_cut = true;
            return;
        }
        if (!ARRAY_PUSH(a, &f->waiting, id)) algebra_fail(&f->a, DAE_MEMORY);
        while (!f->a.st && f->waiting.count
            && (id = lacking_below(f, f->waiting.items[f->waiting.count - 1]))
                == NONE) {
            expansion e = {f->waiting.items[--f->waiting.count], 0};
            e.value = sum_of_rows(f, e.definition);
            if (!f->a.st && !ARRAY_PUSH(a, &f->expanded, e))
                algebra_fail(&f->a, DAE_MEMORY);
        }
        if (f->waiting.count == 0) return;
    }
}

static void expand_row(formula *f, const row_set *set, size_t r)
{
    uint32_t before = NONE;
    for (;;) {
        uint32_t id = lacking(f, set, r);
        if (id == NONE || id == before || f->a.st) return;
        expand(f, id);
        before = id;
    }
}

/* ---- the two sides --------------------------------------------------------- */

/* A sum that was x = -y: whether its operand k is a side of the text, as it is
 * (the left one) or with a minus (the right one). */
static bool is_left_side(const formula *f, expr_id x)
{
    const char *word = x == EXPR_NONE ? NULL : leaf_word(f->c, &f->a, x);
    return word && words_begin_with(f->words, word);
}

static bool is_right_side(const formula *f, expr_id x)
{
    const char *word = x == EXPR_NONE ? NULL : leaf_word(f->c, &f->a, x);
    return word && words_end_in_minus(f->words, word);
}

static sides split_sum(formula *f, row_ref ref, const node *n)
{
    const row_set *set = formula_set(f->c, ref);
    const uint32_t rank = f->rank;
    expr_id x = read_row(f, set, ref.row, n->a);
    f->rank = rank; /* the same holes */
    expr_id y = read_row(f, set, ref.row, n->b);
    if (is_left_side(f, x) || (!is_left_side(f, y) && is_right_side(f, y)))
        return (sides){x, algebra_add(&f->a, -1, y, 0, y)};
    if (is_left_side(f, y) || is_right_side(f, x))
        return (sides){y, algebra_add(&f->a, -1, x, 0, x)};
    f->rank = rank;
    return (sides){
        read_row(f, set, ref.row, set->root), algebra_number(&f->a, 0)};
}

static sides split_row(formula *f, row_ref ref)
{
    const row_set *set = formula_set(f->c, ref);
    const node *n = shape_node(&f->c->s->shapes, set->root);
    const bool has_right = !words_end_in_zero(f->words);
    const uint32_t rank = f->rank;
    sides s;
    if (has_right && n->op == NODE_ADD) return split_sum(f, ref, n);
    s.right = algebra_number(&f->a, 0);
    if (n->op == NODE_NEG) { /* 0 = ... */
        s.left = read_row(f, set, ref.row, n->a);
    } else if (has_right && n->op == NODE_SUB) {
        s.left = read_row(f, set, ref.row, n->a);
        f->rank = rank;
        s.right = read_row(f, set, ref.row, n->b);
    } else {
        s.left = read_row(f, set, ref.row, set->root);
    }
    return s;
}

static sides read_rows(formula *f, uint32_t equation)
{
    const formula_tables *t = f->c->formulas;
    uint32_t first = t->first[equation];
    uint32_t count = rows_read(f, t->first[equation + 1] - first);
    for (uint32_t r = 0; r < count; r++) {
        row_ref ref = t->rows[first + r];
        expand_row(f, formula_set(f->c, ref), ref.row);
    }
    if (count == 1) return split_row(f, t->rows[first]);
    expr_list l;
    list_start(&l, &f->a);
    for (uint32_t r = 0; r < count; r++) {
        row_ref ref = t->rows[first + r];
        const row_set *set = formula_set(f->c, ref);
        list_add(&l, 1, read_row(f, set, ref.row, set->root));
    }
    return (sides){list_close(&l), algebra_number(&f->a, 0)};
}

/* The equation of an internal unknown: its name, and what it stands for. */
static sides read_internal(formula *f, uint32_t id)
{
    for (uint32_t k = NONE, next; (next = lacking_below(f, id)) != NONE;) {
        if (next == k || f->a.st) break;
        expand(f, k = next);
    }
    expr_id name = algebra_leaf(&f->a, LEAF_DEFINITION, id, 0, f->rank++);
    return (sides){name, sum_of_rows(f, id)};
}

static sides read_equation(formula *f, int32_t equation)
{
    size_t own = f->c->s->equation_count;
    uint32_t i = (uint32_t)equation;
    f->words = words_of_equation(f->c, i);
    return i < own ? read_rows(f, i)
                   : read_internal(f, f->c->chains.borders.items[i - own]);
}

/* ---- replacements ---------------------------------------------------------- */

/* The unknown that a leaf is, as slots count them; NONE: it is none. */
static uint32_t leaf_unknown(const compiled *c, const expr *x)
{
    if (x->kind == LEAF_UNKNOWN) return x->number;
    if (x->kind != LEAF_DEFINITION) return NONE;
    uint32_t border = c->defs.border[x->number];
    return border == NONE ? NONE : (uint32_t)c->slots.unknowns + border;
}

static expr_id without_independent(void *context, algebra *a, expr_id id)
{
    const formula *f = context;
    const expr *x = algebra_expr(a, id);
    uint32_t unknown = leaf_unknown(f->c, x);
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

static expr_id differentiate(formula *f, expr_id x, int order)
{
    if (order > 0 && !f->a.st) {
        expr_id kept = algebra_truncate(&f->a, x, TERMS_MOST);
        if (kept != x) f->is_cut = true;
        x = kept;
    }
    for (; order > 0 && !f->a.st && !algebra_is_zero(&f->a, x); order--)
        x = algebra_rate(&f->a, x);
    return x;
}

static expr_id leave_out(formula *f, expr_id x)
{
    if (f->q->independent_count == 0) return x;
    return algebra_replace(&f->a, x, without_independent, f);
}

static sides single(formula *f)
{
    const dae_term *t = &f->q->terms[0];
    sides s = read_equation(f, t->equation);
    s.left = leave_out(f, differentiate(f, s.left, t->order));
    s.right = leave_out(f, differentiate(f, s.right, t->order));
    s.left = differentiate(f, s.left, f->q->order);
    s.right = differentiate(f, s.right, f->q->order);
    return s;
}

/* Left sides, then right ones, so that numbers rather come at the end. */
static sides combination(formula *f)
{
    expr_id left = algebra_number(&f->a, 0), right = left;
    for (size_t k = 0; k < f->q->term_count && !f->a.st; k++) {
        const dae_term *t = &f->q->terms[k];
        sides s = read_equation(f, t->equation);
        s.left = differentiate(f, s.left, t->order);
        s.right = differentiate(f, s.right, t->order);
        left = algebra_add(&f->a, 1, left, t->weight, s.left);
        right = algebra_add(&f->a, 1, right, t->weight, s.right);
    }
    expr_id sum = algebra_add(&f->a, 1, left, -1, right);
    sum = differentiate(f, leave_out(f, sum), f->q->order);
    return (sides){sum, algebra_number(&f->a, 0)};
}

static bool begins_with_minus(const algebra *a, expr_id id)
{
    const expr *x = algebra_expr(a, id);
    return x->op == EXPR_SUM && x->count && x->terms[0].coefficient < 0;
}

/* What is left of a formula stands on the left, and not with a minus. */
static sides tidied(formula *f, sides s)
{
    algebra *a = &f->a;
    if (f->q->substitute) {
        s.left = algebra_replace(a, s.left, with_first_order, f);
        s.right = algebra_replace(a, s.right, with_first_order, f);
    }
    if (a->st) return s;
    if (s.left == s.right) s.left = s.right = algebra_number(a, 0);
    if (algebra_is_zero(a, s.left)) {
        s.left = s.right;
        s.right = algebra_number(a, 0);
    }
    bool is_alone = algebra_is_zero(a, s.right);
    if (a->st || !begins_with_minus(a, s.left)) return s;
    if (!is_alone && !begins_with_minus(a, s.right)) return s;
    s.left = algebra_add(a, -1, s.left, 0, s.left);
    s.right = algebra_add(a, -1, s.right, 0, s.right);
    return s;
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
    else
        (void)snprintf(
            name, room, "%s", c->s->time_name ? c->s->time_name : "t");
    if (strchr(name, ' ')) { /* "sum at line 7" */
        strcat(name, ")");
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
            || t->order < 0 || isinf(t->weight))
            return DAE_ARGUMENT;
        is_known = is_known && !isnan(t->weight) && t->order <= ORDER_MOST;
    }
    for (size_t k = 0; k < q->independent_count; k++)
        if (!is_slot(c, &q->independent[k])) return DAE_ARGUMENT;
    return is_known && q->order <= ORDER_MOST ? DAE_OK : DAE_UNSUPPORTED;
}

dae_status formula_write(
    compiled *c, const formula_request *q, dae_write_fn *write, void *context)
{
    formula f = {.c = c, .q = q, .inner_rank = INNER_RANK};
    pen p = {.write = write, .context = context, .allocator = c->allocator};
    dae_status st = check_request(c, q);
    if (!st) st = formula_tables_make(c);
    if (st) return st;
    algebra_init(&f.a, c->allocator, ROOM);
    sides s = q->term_count == 1 ? single(&f) : combination(&f);
    s = tidied(&f, s);
    st = f.a.st == DAE_LIMIT ? DAE_UNSUPPORTED : f.a.st;
    f.is_cut = f.is_cut || f.a.is_cut;
    if (!st) st = write_formula(&f, s, &p);
    pen_flush(&p);
    if (p.st) st = p.st;
    ARRAY_FREE(c->allocator, &p.term);
    ARRAY_FREE(c->allocator, &f.expanded);
    ARRAY_FREE(c->allocator, &f.waiting);
    algebra_clear(&f.a);
    return st;
}
