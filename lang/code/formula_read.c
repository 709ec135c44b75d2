/* Rows become expressions of what stands in them. The two sides are where the
 * text has them, as far as rows and words show it. */
#include "code/formula_read.h"
#include "code/names.h"
#include <string.h>

enum {
    ROOM = 1 << 15,       /* terms and factors of all expressions */
    ROWS_MOST = 64,       /* of one sum; what comes after them is cut */
    TERMS_MOST = 64,      /* of a side, before its derivative is taken */
    EXPANDED_MOST = 256,  /* definitions put back in */
    INNER_RANK = 1 << 24, /* what is put back in stands behind the rest */
};

dae_status formula_init(formula *f, compiled *c, const formula_request *q)
{
    *f = (formula){.c = c, .q = q, .inner_rank = INNER_RANK};
    algebra_init(&f->a, c->allocator, ROOM);
    return formula_tables_make(c);
}

dae_status formula_status(const formula *f)
{
    return f->a.st == DAE_LIMIT ? DAE_UNSUPPORTED : f->a.st;
}

void formula_clear(formula *f)
{
    ARRAY_FREE(f->c->allocator, &f->expanded);
    ARRAY_FREE(f->c->allocator, &f->waiting);
    algebra_clear(&f->a);
}

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
    else if (x->kind == LEAF_HELD)
        b = name_block_find(&c->s->discretes, x->number);
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
    if (hole->kind == LEAF_UNKNOWN || hole->kind == LEAF_HELD)
        return algebra_leaf(
            a, (leaf_kind)hole->kind, object, hole->order, rank);
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

static bool is_independent(const formula *f, uint32_t unknown)
{
    for (size_t k = 0; k < f->q->independent_count; k++)
        if ((uint32_t)f->q->independent[k].unknown == unknown) return true;
    return false;
}

/* Adds what a row of a definition needs that is not listed; true: an unknown
 * of which a derivative is to cancel stands in it. */
static bool look_at_row(
    const formula *f, row_ref ref, uint32_t *listed, uint32_t *count)
{
    const row_set *set = text_ref_set(f->c, ref);
    const uint32_t *row = set_row(set, ref.row);
    for (uint32_t k = 0; k < set->leaf_count; k++) {
        const leaf *l = &set->leaves[k];
        const uint32_t id = row[1 + l->hole];
        uint32_t at = 0;
        if (l->kind == LEAF_UNKNOWN && is_independent(f, id)) return true;
        if (l->kind != LEAF_DEFINITION || f->c->defs.border[id] != NONE)
            continue;
        while (at < *count && listed[at] != id) at++;
        if (at == *count && at == EXPANDED_MOST) return true;
        if (at == *count) listed[(*count)++] = id;
    }
    return false;
}

/* Whether what is to cancel stands in a definition, or in one that it needs. */
static bool hides_independent(const formula *f, uint32_t id)
{
    uint32_t listed[EXPANDED_MOST] = {id}, count = 1;
    if (f->q->independent_count == 0) return false;
    if (f->c->defs.border[id] != NONE) return false;
    for (uint32_t k = 0; k < count; k++) {
        const definition *d = &f->c->s->definitions.items[listed[k]];
        for (uint32_t r = 0; r < d->row_count; r++)
            if (look_at_row(f, f->c->s->row_refs.items[d->first_row + r],
                    listed, &count))
                return true;
    }
    return false;
}

/* The first definition that a row needs and that is not there yet, or NONE: one
 * without a name, and one in which something is to cancel. */
static uint32_t lacking(const formula *f, const row_set *set, size_t r)
{
    const uint32_t *row = set_row(set, r);
    for (uint32_t k = 0; k < set->leaf_count; k++) {
        const leaf *l = &set->leaves[k];
        uint32_t id = row[1 + l->hole];
        if (l->kind == LEAF_DEFINITION && !find_expansion(f, id)
            && (!definition_let(f->c->s, id) || hides_independent(f, id)))
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
        found = lacking(f, text_ref_set(f->c, ref), ref.row);
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
        const row_set *set = text_ref_set(f->c, ref);
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

/* Which operand of a sum x + y is which side; false: that is not seen. */
static bool split_sum(
    formula *f, const row_set *set, size_t r, const node *n, sides *out)
{
    const uint32_t rank = f->rank;
    expr_id x = read_row(f, set, r, n->a);
    f->rank = rank; /* the same holes */
    expr_id y = read_row(f, set, r, n->b);
    if (is_left_side(f, x) || (!is_left_side(f, y) && is_right_side(f, y)))
        *out = (sides){x, algebra_add(&f->a, -1, y, 0, y)};
    else if (is_left_side(f, y) || is_right_side(f, x))
        *out = (sides){y, algebra_add(&f->a, -1, x, 0, x)};
    else return false;
    return true;
}

/* False: the sides are not seen, and all stands on the left. */
static bool split_row(formula *f, const row_set *set, size_t r, sides *out)
{
    const node *n = shape_node(&f->c->s->shapes, set->root);
    const bool has_right = !words_end_in_zero(f->words);
    const uint32_t rank = f->rank;
    const expr_id zero = algebra_number(&f->a, 0);
    if (has_right && n->op == NODE_SUB) {
        out->left = read_row(f, set, r, n->a);
        f->rank = rank;
        out->right = read_row(f, set, r, n->b);
        return true;
    }
    if (has_right && n->op == NODE_NEG) {
        *out = (sides){zero, read_row(f, set, r, n->a)};
        return true;
    }
    if (has_right && n->op == NODE_ADD && split_sum(f, set, r, n, out))
        return true;
    f->rank = rank;
    *out = (sides){read_row(f, set, r, set->root), zero};
    return !has_right;
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
    if (count == 1) {
        sides s;
        row_ref ref = t->rows[first];
        (void)split_row(f, formula_set(f->c, ref), ref.row, &s);
        return s;
    }
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

sides formula_read(formula *f, int32_t equation)
{
    size_t own = f->c->s->equation_count;
    uint32_t i = (uint32_t)equation;
    f->words = words_of_equation(f->c, i);
    return i < own ? read_rows(f, i)
                   : read_internal(f, f->c->chains.borders.items[i - own]);
}

/* ---- the sides as the text has them --------------------------------------------- */

static const row_set *next_row(
    const row_sets *sets, uint32_t index, size_t *k, size_t *r)
{
    for (; *k < sets->count; ++*k, *r = 0)
        for (; *r < sets->items[*k].count; ++*r)
            if (set_row(&sets->items[*k], *r)[0] == index)
                return &sets->items[*k];
    return NULL;
}

/* A row and what it needs; false: it has not all been read. */
static bool read_own_row(
    formula *f, const row_set *set, size_t r, bool *is_split, sides *out)
{
    expand_row(f, set, r);
    *is_split = split_row(f, set, r, out);
    return !f->is_cut && !f->a.is_cut && !f->a.st;
}

bool formula_read_sides(
    formula *f, bool is_condition, uint32_t index, sides *out)
{
    const row_sets *sets = is_condition ? &f->c->conditions
                                        : &f->c->text_equations;
    size_t k = 0, r = 0, count = 0;
    bool is_split = false;
    f->words = is_condition ? words_of_condition(f->c, index)
                            : words_of_equation(f->c, index);
    if (!f->words.begin) return false;
    *out = (sides){algebra_number(&f->a, 0), algebra_number(&f->a, 0)};
    for (const row_set *set; (set = next_row(sets, index, &k, &r)); r++) {
        sides s;
        if (count++ >= ROWS_MOST || !read_own_row(f, set, r, &is_split, &s))
            return false;
        out->left = algebra_add(&f->a, 1, out->left, 1, s.left);
        out->right = algebra_add(&f->a, 1, out->right, 1, s.right);
    }
    if (count == 0 || f->a.st) return false;
    return count == 1 ? is_split : words_end_in_zero(f->words);
}

/* ---- derivatives ----------------------------------------------------------- */

uint32_t formula_unknown(const compiled *c, const expr *x)
{
    if (x->kind == LEAF_UNKNOWN) return x->number;
    if (x->kind != LEAF_DEFINITION) return NONE;
    uint32_t border = c->defs.border[x->number];
    return border == NONE ? NONE : (uint32_t)c->slots.unknowns + border;
}

expr_id formula_rate(formula *f, expr_id x, int order)
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

static bool begins_with_minus(const algebra *a, expr_id id)
{
    const expr *x = algebra_expr(a, id);
    return x->op == EXPR_SUM && x->count && x->terms[0].coefficient < 0;
}

sides formula_tidied(formula *f, sides s)
{
    algebra *a = &f->a;
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
