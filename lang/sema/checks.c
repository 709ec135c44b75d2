/* What is looked at besides the unknowns: lets, inputs, outputs, the curves of
 * `plot` and the sides of `expect`, each an observation with a row. */
#include "sema/lowering.h"

#include <string.h>

static dae_status observe(
    lowering *l, lowered_observation o, value v, size_t *number)
{
    if (v.kind == VALUE_ERROR) {
        return l->failed_memory ? DAE_MEMORY : DAE_MODEL;
    }
    system_tables *s = l->s;
    dae_status st = add_value_row(
        l, GROUP_OBSERVATION, (uint32_t)s->observation_count, v);
    if (st) return st;
    if (!ARRAY_PUSH(l->allocator, &l->out->observations, o)
        || !ARRAY_PUSH(s->allocator, &s->observation_spans, o.span)) {
        return DAE_MEMORY;
    }
    if (number) *number = s->observation_count;
    s->observation_count++;
    return DAE_OK;
}

static const char *text_of(lowering *l, text_span span)
{
    const char *copy = arena_copy(
        l->arena, l->source->text + span.begin, span.end - span.begin);
    if (!copy) l->failed_memory = true;
    return copy ? copy : "";
}

/* ---- lets, inputs, outputs --------------------------------------------------- */

static dae_observed observed_kind(symbol_kind kind)
{
    if (kind == SYMBOL_LET) return DAE_OBSERVED_LET;
    return kind == SYMBOL_INPUT ? DAE_OBSERVED_INPUT : DAE_OBSERVED_OUTPUT;
}

/* The indices of element `flat` of an array, or NULL. */
static const int64_t *element_indices(lowering *l, uint32_t rank,
    const int64_t *lower, const int64_t *extent, size_t flat)
{
    int64_t *indices = ARENA_ARRAY(l->arena, int64_t, rank + 1);
    for (uint32_t d = rank; indices && d-- > 0;) {
        indices[d] = lower[d] + (int64_t)(flat % (size_t)extent[d]);
        flat /= (size_t)extent[d];
    }
    return indices;
}

static dae_status observe_element(lowering *l, symbol *s, size_t flat)
{
    builder b, *outer = l->builder;
    builder_init(&b);
    l->builder = &b;
    lowered_observation o = {.kind = observed_kind(s->kind),
        .name = word_text(l, s->name),
        .unit = symbol_unit(l, s),
        .rank = s->rank,
        .indices = element_indices(l, s->rank, s->lower, s->extent, flat),
        .span = s->span};
    value v = symbol_element(l, s, flat, 0, s->span);
    dae_status st = o.indices ? observe(l, o, v, NULL) : DAE_MEMORY;
    l->builder = outer;
    builder_clear(l, &b);
    return st;
}

static dae_status observe_symbols(lowering *l)
{
    for (size_t k = 0; k < l->symbols.count; k++) {
        symbol *s = l->symbols.items[k];
        bool is_observed = s->kind == SYMBOL_LET || s->kind == SYMBOL_INPUT
            || s->kind == SYMBOL_OUTPUT;
        if (!is_observed || !symbol_dims(l, s)) continue;
        for (size_t i = 0; i < s->count; i++) {
            dae_status st = observe_element(l, s, i);
            if (st == DAE_MODEL) break; /* reported with the value */
            if (st) return st;
        }
    }
    return DAE_OK;
}

/* ---- plot -------------------------------------------------------------------- */

static dae_status add_curve(
    lowering *l, size_t plot, value v, lowered_observation o, size_t over)
{
    size_t number;
    dae_status st = observe(l, o, v, &number);
    if (st) return st;
    dae_plot p = {plot, number, over};
    return ARRAY_PUSH(l->allocator, &l->out->plots, p) ? DAE_OK : DAE_MEMORY;
}

/* The unit of what is a name, an element of it, or the negative of either:
 * nothing is derived. */
static const char *unit_of(lowering *l, const ast_expr *e)
{
    while (e->kind == AST_NEG || e->kind == AST_INDEX) e = e->a;
    const symbol *s = e->kind == AST_NAME ? symbol_find(l, e->name) : NULL;
    return s ? symbol_unit(l, s) : "";
}

static dae_status add_curves(
    lowering *l, size_t plot, const ast_expr *e, value v, size_t over)
{
    lowered_observation o = {.kind = DAE_OBSERVED_PLOT,
        .name = text_of(l, e->span),
        .unit = unit_of(l, e),
        .span = e->span};
    if (!is_array(v)) return add_curve(l, plot, v, o, over);
    const value_array *a = v.array;
    o.rank = a->rank;
    for (size_t k = 0; k < a->count; k++) {
        o.indices = element_indices(l, a->rank, a->lower, a->extent, k);
        if (!o.indices) return DAE_MEMORY;
        dae_status st = add_curve(l, plot, array_item(l, a, k), o, over);
        if (st) return st;
    }
    return DAE_OK;
}

typedef struct check_job {
    const ast_stmt *stmt;
    size_t plot;
} check_job;

static dae_status plot_line(lowering *l, const check_job *job)
{
    size_t over = SIZE_MAX;
    if (job->stmt->over) {
        const ast_expr *e = job->stmt->over;
        lowered_observation o = {.kind = DAE_OBSERVED_PLOT,
            .name = text_of(l, e->span),
            .unit = unit_of(l, e),
            .span = e->span};
        dae_status st = observe(l, o, lower_scalar(l, e), &over);
        if (st) return st;
    }
    for (uint32_t k = 0; k < job->stmt->expr_count; k++) {
        const ast_expr *e = job->stmt->exprs[k];
        dae_status st = add_curves(l, job->plot, e, lower_expr(l, e), over);
        if (st) return st;
    }
    return DAE_OK;
}

/* ---- expect ---------------------------------------------------------------------- */

dae_span place_in_text(lowering *l, text_span span)
{
    dae_span s = {.file = l->source->name};
    uint32_t length;
    source_position(l->source, span.begin, &s.line, &s.column);
    source_position(l->source, span.end, &s.end_line, &s.end_column);
    const char *text = source_line(l->source, s.line, &length);
    s.text = arena_copy(l->arena, text, length);
    if (!s.text) l->failed_memory = true;
    return s;
}

/* `expect index == 3`: about the structure, unless the model has such a
 * name. */
static bool about_structure(lowering *l, const ast_stmt *stmt, dae_expect *out)
{
    const ast_expr *e = stmt->left;
    if (e->kind != AST_BINARY || e->op != AST_EQ) return false;
    if (e->a->kind != AST_NAME || symbol_find(l, e->a->name)) return false;
    const char *name = word_text(l, e->a->name);
    bool is_index = strcmp(name, "index") == 0;
    if (!is_index && strcmp(name, "dof") != 0) return false;
    out->kind = is_index ? DAE_EXPECT_INDEX : DAE_EXPECT_DOF;
    size_t errors = error_count(l);
    resolve_one(l, e->b);
    if (error_count(l) == errors) {
        value_force(l, lower_scalar(l, e->b), e->b->span, "the number expected",
            &out->number);
    }
    return true;
}

static bool place_of(lowering *l, const ast_stmt *stmt, dae_expect *out)
{
    out->place = stmt->place == AST_PLACE_ALWAYS ? DAE_EXPECT_ALWAYS
        : stmt->place == AST_PLACE_AT            ? DAE_EXPECT_AT
                                                 : DAE_EXPECT_FINAL;
    if (stmt->place != AST_PLACE_AT) return true;
    return value_force(l, lower_scalar(l, stmt->at), stmt->at->span,
        "the time of a check", &out->at);
}

static dae_status observe_side(
    lowering *l, const ast_expr *e, value v, size_t *number)
{
    lowered_observation o = {.kind = DAE_OBSERVED_EXPECT,
        .name = text_of(l, e->span),
        .span = e->span};
    return observe(l, o, v, number);
}

static dae_status push_expect(lowering *l, dae_expect e)
{
    return ARRAY_PUSH(l->allocator, &l->out->expects, e) ? DAE_OK : DAE_MEMORY;
}

/* `shape` is the array whose element k it is about, or a number. */
static dae_status push_element(lowering *l, dae_expect e, value shape, size_t k)
{
    if (!is_array(shape)) return push_expect(l, e);
    const value_array *a = shape.array;
    e.rank = a->rank;
    e.indices = element_indices(l, a->rank, a->lower, a->extent, k);
    return e.indices ? push_expect(l, e) : DAE_MEMORY;
}

static value item_or_all(lowering *l, value v, size_t k)
{
    return is_array(v) ? array_item(l, v.array, k) : v;
}

static bool is_comparison(const ast_expr *e)
{
    return e->kind == AST_BINARY && e->op >= AST_LT && e->op <= AST_NE;
}

/* a ~ b within c, element by element. */
static dae_status expect_near(lowering *l, const ast_stmt *s, dae_expect e)
{
    value a = lower_expr(l, s->left), b = lower_expr(l, s->right);
    value c = lower_scalar(l, s->within);
    value shape = is_array(a) ? a : b;
    size_t count = is_array(shape) ? shape.array->count : 1;
    if (is_array(a) && is_array(b) && !array_same_shape(a.array, b.array)) {
        fail_value(l, DIAG_E0204, s->span, "`~` between %s and %s",
            array_shape_text(l, a), array_shape_text(l, b));
        return DAE_MODEL;
    }
    dae_status st = observe_side(l, s->within, c, &e.within);
    for (size_t k = 0; !st && k < count; k++) {
        st = observe_side(l, s->left, item_or_all(l, a, k), &e.left);
        if (!st) {
            st = observe_side(l, s->right, item_or_all(l, b, k), &e.right);
        }
        if (!st) st = push_element(l, e, shape, k);
    }
    return st;
}

/* Element k of both sides of a comparison. */
static dae_status observe_sides(
    lowering *l, const ast_expr *e, value a, value b, size_t k, dae_expect *out)
{
    dae_status st = observe_side(l, e->a, item_or_all(l, a, k), NULL);
    if (!st) st = observe_side(l, e->b, item_or_all(l, b, k), NULL);
    if (!st) out->operand_count += 2;
    return st;
}

static dae_status observe_pair(
    lowering *l, const ast_expr *e, size_t k, dae_expect *out)
{
    value a = lower_expr(l, e->a), b = lower_expr(l, e->b);
    return observe_sides(l, e, a, b, k, out);
}

/* Whether an operand is known now to settle an `or` (true) or an `and`. */
static bool settles(lowering *l, const ast_expr *e, value v, bool is_or)
{
    double truth;
    return value_is_constant(v)
        && value_force(l, v, e->span, "a condition", &truth)
        && (truth != 0) == is_or;
}

/* The sides of every comparison, as far as and, or and not lead to them. An
 * operand that decides at compile time hides those behind it. */
static dae_status observe_operands(
    lowering *l, const ast_expr *e, size_t k, dae_expect *out)
{
    if (is_comparison(e)) return observe_pair(l, e, k, out);
    if (e->kind == AST_NOT) return observe_operands(l, e->a, k, out);
    bool is_or = e->kind == AST_CHAIN && e->ops[0] == AST_OR;
    bool is_and = e->kind == AST_CHAIN && e->ops[0] == AST_AND;
    for (uint32_t i = 0; (is_or || is_and) && i < e->count; i++) {
        value v = lower_scalar(l, e->items[i]);
        if (v.kind == VALUE_ERROR) break;
        if (settles(l, e->items[i], v, is_or)) break;
        dae_status st = observe_operands(l, e->items[i], k, out);
        if (st) return st;
    }
    return DAE_OK;
}

/* Element k of the relation v, which may be a comparison of a and b. */
static dae_status expect_element(lowering *l, const ast_stmt *s, value v,
    value a, value b, size_t k, dae_expect *e)
{
    e->operands = l->s->observation_count;
    e->operand_count = 0;
    bool compares = is_comparison(s->left);
    dae_status st = compares ? observe_sides(l, s->left, a, b, k, e)
                             : observe_operands(l, s->left, k, e);
    if (!st) st = observe_side(l, s->left, item_or_all(l, v, k), &e->left);
    if (compares) {
        e->compare_left = e->operands;
        e->compare_right = e->operands + 1;
    }
    return st;
}

static dae_status expect_true(lowering *l, const ast_stmt *s, dae_expect e)
{
    e.kind = DAE_EXPECT_TRUE;
    e.compare_left = e.compare_right = SIZE_MAX;
    value v = lower_expr(l, s->left), a = {0}, b = {0};
    if (v.kind == VALUE_ERROR) return l->failed_memory ? DAE_MEMORY : DAE_MODEL;
    if (is_comparison(s->left)) {
        a = lower_expr(l, s->left->a);
        b = lower_expr(l, s->left->b);
    }
    value shape = is_array(a) ? a : is_array(b) ? b : v;
    size_t count = is_array(v) ? v.array->count : 1;
    for (size_t k = 0; k < count; k++) {
        dae_status st = expect_element(l, s, v, a, b, k, &e);
        if (!st) st = push_element(l, e, shape, k);
        if (st) return st;
    }
    return DAE_OK;
}

static dae_status expect_line(lowering *l, const ast_stmt *s)
{
    dae_expect e = {.text = text_of(l, s->span),
        .span = place_in_text(l, s->span),
        .left = SIZE_MAX,
        .right = SIZE_MAX,
        .within = SIZE_MAX,
        .compare_left = SIZE_MAX,
        .compare_right = SIZE_MAX};
    if (s->code) {
        e.kind = DAE_EXPECT_CODE;
        e.code = s->code;
        return push_expect(l, e);
    }
    if (about_structure(l, s, &e)) return push_expect(l, e);
    if (!place_of(l, s, &e)) return DAE_MODEL;
    if (!s->within) return expect_true(l, s, e);
    e.kind = DAE_EXPECT_NEAR;
    return expect_near(l, s, e);
}

/* ---- statements --------------------------------------------------------------------- */

static dae_status check_instance(lowering *l, void *context)
{
    const check_job *job = context;
    builder b, *outer = l->builder;
    builder_init(&b);
    l->builder = &b;
    l->allow_initial = true;
    arena_position mark = arena_mark(&l->scratch);
    dae_status st = job->stmt->kind == AST_PLOT ? plot_line(l, job)
                                                : expect_line(l, job->stmt);
    arena_release(&l->scratch, mark);
    l->allow_initial = false;
    l->builder = outer;
    builder_clear(l, &b);
    return l->failed_memory ? DAE_MEMORY : st;
}

dae_status lower_checks(lowering *l)
{
    dae_status st = observe_symbols(l);
    size_t plots = 0;
    for (size_t pass = 0; pass < 2 && !st; pass++) {
        uint8_t kind = pass == 0 ? AST_PLOT : AST_EXPECT;
        for (size_t k = 0; k < l->stmts.count && !st; k++) {
            const leaf_stmt *leaf = &l->stmts.items[k];
            if (leaf->stmt->kind != kind) continue;
            check_job job = {leaf->stmt, plots};
            l->at = leaf->stmt->span;
            if (kind == AST_PLOT) plots++;
            st = nest_run(l, leaf->nest, NULL, check_instance, &job);
            if (st == DAE_MODEL) st = DAE_OK;
        }
    }
    return st;
}
