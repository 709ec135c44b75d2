/* `when c ... end`: the condition is one row, each element that is assigned
 * another; texts of `stop` and `print` are kept. A `when` inside loops is one
 * event for every turn of them. */
#include "sema/lowering.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct target {
    uint64_t key; /* what is assigned */
    text_span span;
} target;

typedef struct event_job {
    const ast_stmt *stmt;
    const char *name; /* without indices */
    const char *stop;
    const char *const *prints;
    uint32_t print_count;
    ARRAY(target) targets; /* of the instance at hand */
} event_job;

/* ---- the condition --------------------------------------------------------- */

static bool mentions_change(lowering *l, const ast_expr *e, uint32_t calls);

/* Whether anything that a symbol stands for changes in a run. */
static bool symbol_changes(lowering *l, const symbol *s, uint32_t calls)
{
    switch (s->kind) {
    case SYMBOL_VAR:
    case SYMBOL_DISCRETE:
    case SYMBOL_TIME: return true;
    case SYMBOL_FUN:
        for (uint32_t k = 0; k < s->stmt->body_count; k++) {
            if (mentions_change(l, s->stmt->body[k]->right, calls + 1))
                return true;
        }
        return mentions_change(l, s->stmt->result, calls + 1);
    case SYMBOL_LET:
    case SYMBOL_INPUT:
    case SYMBOL_OUTPUT:
        for (size_t k = 0; s->values && k < s->count; k++) {
            if (!value_is_constant(s->values[k])) return true;
        }
        return false;
    default: return false;
    }
}

static bool mentions_change(lowering *l, const ast_expr *e, uint32_t calls)
{
    if (!e) return false;
    if (e->kind == AST_NAME) {
        const symbol *s = symbol_find(l, e->name);
        bool is_local = e->name < l->name_count && l->innermost[e->name];
        return !is_local && s && calls < MAX_CALL_DEPTH
            && symbol_changes(l, s, calls);
    }
    if (mentions_change(l, e->a, calls) || mentions_change(l, e->b, calls))
        return true;
    for (uint32_t k = 0; k < e->count; k++) {
        if (mentions_change(l, e->items[k], calls)) return true;
    }
    return false;
}

/* No leaf of it changes in a run. */
static bool is_settled(const lowering *l, value v)
{
    const uint8_t changing = NODE_HAS_UNKNOWN | NODE_HAS_DEFINITION
        | NODE_HAS_TIME | NODE_HAS_HELD;
    return value_is_constant(v)
        || !(shape_node(&l->s->shapes, v.node)->flags & changing);
}

static void refuse_constant(lowering *l, const ast_expr *e, value v)
{
    double truth;
    const bool is_known = value_is_constant(v)
        && value_force(l, v, e->span, "a condition", &truth);
    if (!is_known || l->failed_memory) return;
    fail_value(l, DIAG_E0219, e->span,
        "this condition is %s all the time, so it never turns true",
        truth != 0 ? "true" : "false");
    report_help(l->ds,
        "compare what changes in a run: an unknown, a discrete variable or "
        "the time");
}

/* What params or indices settle fires never, or at the start alone: the others of the
 * loop do. */
static dae_status add_condition(
    lowering *l, const event_job *job, bool *is_open)
{
    const ast_expr *e = job->stmt->left;
    builder b, *outer = l->builder;
    builder_init(&b);
    l->builder = &b;
    value v = lower_scalar(l, e);
    dae_status st = v.kind == VALUE_ERROR ? DAE_MODEL : DAE_OK;
    *is_open = !st && (job->stmt->at_start || !is_settled(l, v));
    if (!st && !*is_open && !mentions_change(l, e, 0)) {
        refuse_constant(l, e, v);
        st = DAE_MODEL;
    }
    if (*is_open) {
        st = add_value_row(l, GROUP_WHEN, (uint32_t)l->s->whens.count, v);
    }
    l->builder = outer;
    builder_clear(l, &b);
    return st;
}

/* ---- what may be assigned --------------------------------------------------- */

/* The name under primes, indices and der(...), or NULL. */
static const ast_expr *name_under(const lowering *l, const ast_expr *e)
{
    for (;;) {
        if (e->kind == AST_PRIME || e->kind == AST_INDEX) {
            e = e->a;
        } else if (e->kind == AST_CALL && e->a->kind == AST_NAME
            && strcmp(word_text(l, e->a->name), "der") == 0 && e->count > 0) {
            e = e->items[0];
        } else {
            return e->kind == AST_NAME ? e : NULL;
        }
    }
}

static void refuse_expression(lowering *l, const ast_expr *e)
{
    fail_value(l, DIAG_E0217, e->span, "an event assigns variables, not this");
    report_help(l->ds,
        "on the left of `:=` stands an unknown, a discrete variable, an "
        "element of one, or a derivative such as x'");
}

static const char *kind_text(symbol_kind kind)
{
    switch (kind) {
    case SYMBOL_PARAM: return "is a param, which is fixed during a run";
    case SYMBOL_LET: return "is a `let`: its expression gives its value";
    case SYMBOL_INPUT: return "is an input: a known function of time";
    case SYMBOL_OUTPUT: return "is an output: its expression gives its value";
    case SYMBOL_TIME: return "is the time, which events do not change";
    case SYMBOL_CONSTANT: return "is a constant of the language";
    case SYMBOL_TABLE: return "is a table, which is known before the run";
    default: return "is a function";
    }
}

static void help_kind(lowering *l, const symbol *s)
{
    const char *name = word_text(l, s->name);
    switch (s->kind) {
    case SYMBOL_PARAM:
        report_help(
            l->ds, "what events change is declared with `discrete %s`", name);
        break;
    case SYMBOL_LET:
    case SYMBOL_OUTPUT:
        report_help(l->ds, "assign the variables that it is made of");
        break;
    case SYMBOL_INPUT:
        report_help(l->ds,
            "let its expression contain a discrete variable, and assign that");
        break;
    case SYMBOL_TIME:
        report_help(l->ds,
            "keep the time of the event: `discrete last = 0`, `last := %s`",
            name);
        break;
    default: break;
    }
}

static void refuse_symbol(lowering *l, const ast_expr *e, const symbol *s)
{
    fail_value(l, DIAG_E0217, e->span, "`%s` %s and cannot be assigned",
        word_text(l, s->name), kind_text(s->kind));
    if (s->span.end) report_also(l->ds, l->source, s->span, "declared here");
    help_kind(l, s);
}

/* E0217 for what is no variable; a name without a meaning is told already. */
static bool may_be_assigned(lowering *l, const ast_expr *e)
{
    const ast_expr *name = name_under(l, e);
    if (!name) {
        if (e->kind != AST_FIELD && e->kind != AST_CALL)
            refuse_expression(l, e);
        else if (e->kind == AST_CALL && e->a->kind == AST_NAME) {
            const symbol *called = symbol_find(l, e->a->name);
            bool is_function = called ? called->kind == SYMBOL_FUN
                                      : l->builtin_of[e->a->name] != NULL;
            if (is_function) refuse_expression(l, e);
        }
        return false;
    }
    if (l->innermost[name->name]) {
        fail_value(l, DIAG_E0217, e->span,
            "`%s` is the index of a loop and cannot be assigned",
            word_text(l, name->name));
        return false;
    }
    const symbol *s = symbol_find(l, name->name);
    if (!s || s->kind == SYMBOL_VAR || s->kind == SYMBOL_DISCRETE)
        return s != NULL;
    refuse_symbol(l, e, s);
    return false;
}

/* ---- assignments ------------------------------------------------------------- */

/* Which variable an element of the left side is. */
static bool as_target(const lowering *l, value v, assignment *a)
{
    if (v.kind != VALUE_EXPR) return false;
    const node *n = shape_node(&l->s->shapes, v.node);
    bool is_leaf = n->op == NODE_HOLE
        && (n->kind == LEAF_UNKNOWN || n->kind == LEAF_HELD);
    if (!is_leaf) return false;
    a->is_discrete = n->kind == LEAF_HELD;
    a->order = n->order;
    a->index = l->builder->leaves.items[n->a].object;
    return true;
}

/* `n := n + 1`. */
static dae_status note_reading(
    lowering *l, value left, value right, assignment *a)
{
    const shape_pool *p = &l->s->shapes;
    if (right.kind != VALUE_EXPR) return DAE_OK;
    node_id *ids;
    size_t count;
    dae_status st = shape_needed(p, &right.node, 1, &ids, &count);
    if (st) return st;
    for (size_t i = 0; i < count; i++)
        if (ids[i] == left.node) a->reads_itself = true;
    alloc_free(p->allocator, ids, count, sizeof *ids);
    return DAE_OK;
}

static dae_status assign_one(
    lowering *l, event_job *job, const ast_stmt *act, value left, value right)
{
    system_tables *s = l->s;
    assignment a = {.span = act->left->span};
    dae_status st = loop_tick(l, act->span);
    if (st) return st;
    if (left.kind == VALUE_ERROR || right.kind == VALUE_ERROR) return DAE_MODEL;
    if (!as_target(l, left, &a)) {
        refuse_expression(l, act->left);
        return DAE_MODEL;
    }
    if ((st = note_reading(l, left, right, &a))) return st;
    target t = {(uint64_t)a.index << 16 | (uint64_t)a.order << 1
            | (uint64_t)a.is_discrete,
        act->left->span};
    st = add_value_row(l, GROUP_ASSIGN, (uint32_t)s->assignments.count, right);
    if (st) return st;
    return ARRAY_PUSH(s->allocator, &s->assignments, a)
            && ARRAY_PUSH(l->allocator, &job->targets, t)
        ? DAE_OK
        : DAE_MEMORY;
}

static dae_status assign_sides(
    lowering *l, event_job *job, const ast_stmt *act, value left, value right)
{
    if (left.kind == VALUE_ERROR || right.kind == VALUE_ERROR) return DAE_MODEL;
    if (is_array(right)
        && (!is_array(left) || !array_same_shape(left.array, right.array))) {
        fail_value(l, DIAG_E0204, act->span, "%s cannot be assigned to %s",
            array_shape_text(l, right), array_shape_text(l, left));
        return DAE_MODEL;
    }
    if (!is_array(left)) return assign_one(l, job, act, left, right);
    dae_status st = DAE_OK;
    for (size_t k = 0; !st && k < left.array->count; k++) {
        value to = array_item(l, left.array, k);
        value from = is_array(right) ? array_item(l, right.array, k) : right;
        st = assign_one(l, job, act, to, from);
    }
    return st;
}

static dae_status assign(lowering *l, event_job *job, const ast_stmt *act)
{
    if (!may_be_assigned(l, act->left)) return DAE_MODEL;
    builder b, *outer = l->builder;
    builder_init(&b);
    l->builder = &b;
    arena_position mark = arena_mark(&l->scratch);
    value left = lower_expr(l, act->left);
    value right = left.kind == VALUE_ERROR ? left : lower_expr(l, act->right);
    dae_status st = assign_sides(l, job, act, left, right);
    arena_release(&l->scratch, mark);
    l->builder = outer;
    builder_clear(l, &b);
    return l->failed_memory ? DAE_MEMORY : st;
}

static int compare_targets(const void *left, const void *right)
{
    const target *a = left, *b = right;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return (a->span.begin > b->span.begin) - (a->span.begin < b->span.begin);
}

/* Two values for one variable at one instant. */
static dae_status check_targets(lowering *l, const event_job *job)
{
    const target *items = job->targets.items;
    const size_t count = job->targets.count;
    if (count > 1) {
        qsort(job->targets.items, count, sizeof *items, compare_targets);
    }
    for (size_t k = 1; k < count; k++) {
        if (items[k].key != items[k - 1].key) continue;
        const text_span at = items[k].span;
        fail_value(l, DIAG_E0221, at, "`%.*s` is assigned twice in one `when`",
            (int)(at.end - at.begin), l->source->text + at.begin);
        report_also(l->ds, l->source, items[k - 1].span, "first here");
        report_help(l->ds,
            "all assignments of an event happen at once: keep one of them");
        return DAE_MODEL;
    }
    return DAE_OK;
}

/* ---- one instance -------------------------------------------------------------- */

/* The name with the indices of the loops around it: bounce[3]. */
static const char *instance_name(lowering *l, const char *name)
{
    int64_t indices[SYSTEM_MAX_RANK + 16];
    const size_t count = nest_indices(l, indices, SYSTEM_MAX_RANK + 16);
    if (count == 0) return name;
    char text[24 * (SYSTEM_MAX_RANK + 16)];
    size_t used = 0;
    for (size_t k = 0; k < count; k++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%lld",
            k ? "," : "", (long long)indices[k]);
    }
    return arena_printf(l->arena, "%s[%s]", name, text);
}

static dae_status add_when(lowering *l, event_job *job, size_t first)
{
    system_tables *s = l->s;
    const when_block w = {.name = instance_name(l, job->name),
        .assignment = (uint32_t)first,
        .assignment_count = (uint32_t)(s->assignments.count - first),
        .stop = job->stop,
        .prints = job->prints,
        .print_count = job->print_count,
        .at_start = job->stmt->at_start,
        .span = job->stmt->left->span};
    if (!w.name || s->whens.count >= UINT32_MAX / 4) return DAE_MEMORY;
    return ARRAY_PUSH(s->allocator, &s->whens, w) ? DAE_OK : DAE_MEMORY;
}

static dae_status event_instance(lowering *l, void *context)
{
    event_job *job = context;
    const ast_stmt *stmt = job->stmt;
    const size_t first = l->s->assignments.count;
    bool is_open, is_wrong = false;
    dae_status st = add_condition(l, job, &is_open);
    if (l->failed_memory) return DAE_MEMORY;
    if (st || !is_open) return st;
    job->targets.count = 0;
    for (uint32_t k = 0; k < stmt->body_count; k++) {
        if (stmt->body[k]->kind != AST_ASSIGN) continue;
        st = assign(l, job, stmt->body[k]);
        if (st && st != DAE_MODEL) return st;
        is_wrong |= st == DAE_MODEL;
    }
    if (is_wrong) return DAE_MODEL;
    st = check_targets(l, job);
    return st ? st : add_when(l, job, first);
}

/* ---- statements ------------------------------------------------------------------ */

/* Where the text has those that have no label. */
typedef struct unlabelled {
    uint32_t begin, on_line;
    size_t stmt;
} unlabelled;

static int compare_places(const void *left, const void *right)
{
    const unlabelled *a = left, *b = right;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

/* Which one of its line each of them is, from 1; for all statements. */
static uint32_t *count_on_lines(lowering *l)
{
    const size_t count = l->stmts.count;
    uint32_t *on_line = ARENA_ARRAY(l->arena, uint32_t, count + 1);
    unlabelled *at = alloc_zeroed(l->allocator, count + 1, sizeof *at);
    size_t found = 0;
    uint32_t last = 0;
    for (size_t k = 0; on_line && at && k < count; k++) {
        const ast_stmt *stmt = l->stmts.items[k].stmt;
        if (stmt->kind != AST_EVENT || stmt->name != INTERN_NONE) continue;
        at[found++] = (unlabelled){.begin = stmt->span.begin, .stmt = k};
    }
    if (found) qsort(at, found, sizeof *at, compare_places);
    for (size_t k = 0; k < found; k++) {
        const uint32_t line = source_line_at(l->source, at[k].begin);
        at[k].on_line = k && line == last ? at[k - 1].on_line + 1 : 1;
        on_line[at[k].stmt] = at[k].on_line;
        last = line;
    }
    const bool ok = at != NULL;
    alloc_free(l->allocator, at, count + 1, sizeof *at);
    return ok ? on_line : NULL;
}

/* "L12"; the second one on a line is "L12:2". */
static const char *name_by_line(
    lowering *l, const ast_stmt *stmt, uint32_t on_line)
{
    const uint32_t line = source_line_at(l->source, stmt->span.begin);
    return on_line > 1 ? arena_printf(l->arena, "L%u:%u", line, on_line)
                       : arena_printf(l->arena, "L%u", line);
}

/* Texts of `stop` and `print`, once for all instances. */
static dae_status take_texts(lowering *l, event_job *job)
{
    const ast_stmt *stmt = job->stmt, *stop = NULL;
    const char **prints = ARENA_ARRAY(
        l->arena, const char *, (size_t)stmt->body_count + 1);
    if (!prints) return DAE_MEMORY;
    for (uint32_t k = 0; k < stmt->body_count; k++) {
        const ast_stmt *act = stmt->body[k];
        if (act->kind == AST_PRINT) prints[job->print_count++] = act->doc;
        if (act->kind != AST_STOP) continue;
        if (stop) {
            fail_value(l, DIAG_E0222, act->span, "a `when` stops the run once");
            report_also(l->ds, l->source, stop->span, "first here");
            report_help(l->ds, "keep one of them");
            return DAE_MODEL;
        }
        stop = act;
        job->stop = act->doc ? act->doc : "";
    }
    job->prints = prints;
    return DAE_OK;
}

/* W0223: an event where nothing happens. */
static void warn_idle(lowering *l, const ast_stmt *stmt)
{
    if (stmt->body_count > 0) return;
    report(l->ds, DIAG_W0223, l->source, stmt->left->span,
        "nothing happens where this turns true");
    report_help(l->ds,
        "write `x := ...`, `stop` or `print \"text\"` before its `end`; the "
        "event is found and listed as it is");
}

static dae_status lower_event(
    lowering *l, const leaf_stmt *leaf, uint32_t on_line)
{
    event_job job = {.stmt = leaf->stmt};
    l->at = leaf->stmt->span;
    label_note(l, leaf->stmt);
    job.name = leaf->stmt->name != INTERN_NONE
        ? word_text(l, leaf->stmt->name)
        : name_by_line(l, leaf->stmt, on_line);
    if (!job.name) return DAE_MEMORY;
    dae_status st = take_texts(l, &job);
    if (!st) warn_idle(l, leaf->stmt);
    if (!st) st = nest_run(l, leaf->nest, NULL, event_instance, &job);
    ARRAY_FREE(l->allocator, &job.targets);
    return st == DAE_MODEL ? DAE_OK : st; /* reported; go on with the next */
}

dae_status lower_events(lowering *l)
{
    const uint32_t *on_line = count_on_lines(l);
    if (!on_line) return DAE_MEMORY;
    for (size_t k = 0; k < l->stmts.count; k++) {
        if (l->stmts.items[k].stmt->kind != AST_EVENT) continue;
        dae_status st = lower_event(l, &l->stmts.items[k], on_line[k]);
        if (st) return st;
    }
    return DAE_OK;
}
