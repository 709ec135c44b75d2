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

static dae_status observe_element(lowering *l, symbol *s, size_t flat)
{
    builder b, *outer = l->builder;
    builder_init(&b);
    l->builder = &b;
    lowered_observation o = {.kind = observed_kind(s->kind),
        .name = word_text(l, s->name),
        .rank = s->rank,
        .span = s->span};
    int64_t *indices = ARENA_ARRAY(l->arena, int64_t, s->rank + 1);
    size_t rest = flat;
    for (uint32_t d = s->rank; indices && d-- > 0;) {
        size_t extent = (size_t)s->extent[d];
        indices[d] = s->lower[d] + (int64_t)(rest % extent);
        rest /= extent;
    }
    o.indices = indices;
    value v = symbol_element(l, s, flat, 0, s->span);
    dae_status st = indices ? observe(l, o, v, NULL) : DAE_MEMORY;
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

static dae_status add_curves(
    lowering *l, size_t plot, const ast_expr *e, value v, size_t over)
{
    lowered_observation o = {.kind = DAE_OBSERVED_PLOT,
        .name = text_of(l, e->span),
        .span = e->span};
    if (!is_array(v)) return add_curve(l, plot, v, o, over);
    for (size_t k = 0; k < v.array->count; k++) {
        int64_t *index = ARENA_NEW(l->arena, int64_t);
        if (!index) return DAE_MEMORY;
        *index = v.array->lower[0] + (int64_t)k;
        o.rank = 1;
        o.indices = index;
        dae_status st = add_curve(l, plot, array_item(l, v.array, k), o, over);
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

static dae_span expect_span(lowering *l, text_span span)
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
    if (!e || e->kind != AST_BINARY || e->op != AST_EQ) return false;
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
    size_t count = is_array(a) ? a.array->count
        : is_array(b)          ? b.array->count
                               : 1;
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
        if (!st) st = push_expect(l, e);
    }
    return st;
}

static dae_status observe_pair(
    lowering *l, const ast_expr *e, size_t k, dae_expect *out)
{
    const ast_expr *sides[2] = {e->a, e->b};
    for (int i = 0; i < 2; i++) {
        value v = lower_expr(l, sides[i]);
        dae_status st = observe_side(l, sides[i], item_or_all(l, v, k), NULL);
        if (st) return st;
        out->operand_count++;
    }
    return DAE_OK;
}

/* The sides of every comparison, as far as and, or and not lead to them. An
 * operand that decides at compile time hides those behind it. */
static dae_status observe_operands(
    lowering *l, const ast_expr *e, size_t k, dae_expect *out)
{
    if (is_comparison(e)) return observe_pair(l, e, k, out);
    if (e->kind == AST_NOT) return observe_operands(l, e->a, k, out);
    bool is_logic = e->kind == AST_CHAIN
        && (e->ops[0] == AST_AND || e->ops[0] == AST_OR);
    for (uint32_t i = 0; is_logic && i < e->count; i++) {
        value v = lower_scalar(l, e->items[i]);
        bool decides = v.kind == VALUE_NUMBER
            && (v.number != 0) == (e->ops[0] == AST_OR);
        if (decides || v.kind == VALUE_ERROR) break;
        dae_status st = observe_operands(l, e->items[i], k, out);
        if (st) return st;
    }
    return DAE_OK;
}

static dae_status expect_true(lowering *l, const ast_stmt *s, dae_expect e)
{
    e.kind = DAE_EXPECT_TRUE;
    e.compare_left = e.compare_right = SIZE_MAX;
    value v = lower_expr(l, s->left);
    value a = {0}, b = {0};
    if (is_comparison(s->left)) {
        a = lower_expr(l, s->left->a);
        b = lower_expr(l, s->left->b);
    }
    size_t count = is_array(v) ? v.array->count : 1;
    for (size_t k = 0; k < count; k++) {
        e.operands = l->s->observation_count;
        e.operand_count = 0;
        dae_status st = observe_operands(l, s->left, k, &e);
        if (!st) st = observe_side(l, s->left, item_or_all(l, v, k), &e.left);
        if (!st && is_comparison(s->left)) {
            st = observe_side(
                l, s->left->a, item_or_all(l, a, k), &e.compare_left);
            if (!st) {
                st = observe_side(
                    l, s->left->b, item_or_all(l, b, k), &e.compare_right);
            }
        }
        if (!st) st = push_expect(l, e);
        if (st) return st;
    }
    return DAE_OK;
}

static dae_status expect_line(lowering *l, const ast_stmt *s)
{
    dae_expect e = {.text = text_of(l, s->span),
        .span = expect_span(l, s->span),
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
            if (kind == AST_PLOT) plots++;
            st = nest_run(l, leaf->nest, NULL, check_instance, &job);
            if (st == DAE_MODEL) st = DAE_OK;
        }
    }
    return st;
}
