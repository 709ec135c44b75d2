/* Equations: left side minus right side becomes one row of a shape, for every
 * combination of the loops around it and every element of arrays. */
#include "sema/lowering.h"

#include <stdio.h>
#include <string.h>

enum { RANGE_LONGEST = 60 }; /* bytes of a range shown as written */

typedef struct equation_job {
    const ast_stmt *stmt;
    const char *name; /* NULL: by its line */
    bool is_open;
    equation_block block;
    ARRAY(int64_t) indices;
} equation_job;

dae_status add_value_row(
    lowering *l, row_group_kind group, uint32_t target, value v)
{
    term t;
    node_id root = builder_node(l, v);
    dae_status st = term_finish(l, root, &t);
    if (st) return st;
    return system_add_row(l->s, group, t.root, t.count, target, t.holes);
}

/* ---- blocks of names ------------------------------------------------------- */

/* Whether these are all places of a grid in turn; its lowest ones and extents then. */
static bool find_grid(
    const equation_block *b, const int64_t *indices, int64_t *grid)
{
    const uint32_t rank = b->rank;
    const int64_t *last = indices + (b->count - 1) * rank;
    size_t places = 1;
    for (uint32_t d = 0; d < rank; d++) {
        const uint64_t more = (uint64_t)last[d] - (uint64_t)indices[d];
        if (last[d] < indices[d] || more >= b->count) return false;
        grid[d] = indices[d];
        grid[rank + d] = (int64_t)more + 1;
        places *= (size_t)more + 1;
        if (places > b->count) return false;
    }
    if (places != b->count) return false;
    for (size_t e = 0; e < b->count; e++) {
        size_t at = e;
        for (uint32_t d = rank; d-- > 0; at /= (size_t)grid[rank + d])
            if (indices[e * rank + d]
                != grid[d] + (int64_t)(at % (size_t)grid[rank + d]))
                return false;
    }
    return true;
}

static dae_status block_close(lowering *l, equation_job *job)
{
    if (!job->is_open) return DAE_OK;
    job->is_open = false;
    equation_block *b = &job->block;
    b->count = l->s->equation_count - b->first;
    size_t count = job->indices.count;
    int64_t *copy = ARENA_ARRAY(l->arena, int64_t, 2 * (size_t)b->rank + 1);
    if (!copy) return DAE_MEMORY;
    b->is_grid = b->rank > 0 && b->count > 0 && count == b->count * b->rank
        && find_grid(b, job->indices.items, copy);
    if (!b->is_grid) copy = ARENA_ARRAY(l->arena, int64_t, count + 1);
    if (!copy) return DAE_MEMORY;
    if (!b->is_grid && count)
        memcpy(copy, job->indices.items, count * sizeof *copy);
    b->indices = copy;
    job->indices.count = 0;
    return ARRAY_PUSH(l->s->allocator, &l->s->equations, job->block)
        ? DAE_OK
        : DAE_MEMORY;
}

static dae_status block_name(
    lowering *l, equation_job *job, const int64_t *indices, uint32_t rank)
{
    if (job->is_open && job->block.rank != rank) {
        dae_status st = block_close(l, job);
        if (st) return st;
    }
    if (!job->is_open) {
        job->is_open = true;
        job->block = (equation_block){.name = job->name,
            .first = l->s->equation_count,
            .rank = rank,
            .span = job->stmt->span};
    }
    for (uint32_t k = 0; k < rank; k++) {
        if (!ARRAY_PUSH(l->allocator, &job->indices, indices[k])) {
            return DAE_MEMORY;
        }
    }
    return DAE_OK;
}

/* `n = 2` for a discrete n: only events give it a value. */
static bool is_about_discrete(lowering *l, const equation_job *job, value v)
{
    if (v.kind != VALUE_EXPR) return false;
    const uint8_t flags = shape_node(&l->s->shapes, v.node)->flags;
    if (!(flags & NODE_HAS_HELD) || value_moves(l, v)) return false;
    char name[128] = "";
    for (size_t k = 0; k < l->builder->leaves.count && !name[0]; k++) {
        const builder_leaf *leaf = &l->builder->leaves.items[k];
        if (leaf->kind != LEAF_HELD) continue;
        name_block_text(&l->s->discretes, leaf->object, name, sizeof name);
    }
    fail_value(l, DIAG_E0218, job->stmt->span,
        "no unknown occurs here, and `%s` is discrete", name);
    report_help(l->ds,
        "a `when` gives it a value by `%s := ...`; what an equation determines "
        "is declared with `var`",
        name);
    return true;
}

static dae_status add_equation(lowering *l, equation_job *job, value v,
    const int64_t *indices, uint32_t rank)
{
    if (is_about_discrete(l, job, v)) return DAE_MODEL;
    if (v.kind != VALUE_ERROR) v = factors_dropped(l, v);
    if (v.kind == VALUE_ERROR) return DAE_MODEL;
    dae_status st = block_name(l, job, indices, rank);
    if (st) return st;
    st = add_value_row(l, GROUP_EQUATION, (uint32_t)l->s->equation_count, v);
    if (!st) l->s->equation_count++;
    return st;
}

/* ---- one instance ------------------------------------------------------------ */

static bool sides_agree(lowering *l, const ast_stmt *stmt, value a, value b)
{
    if (!is_array(a) || !is_array(b)) return true;
    if (array_same_shape(a.array, b.array)) return true;
    fail_value(l, DIAG_E0204, stmt->span,
        "the left side is %s, the right side %s", array_shape_text(l, a),
        array_shape_text(l, b));
    return false;
}

static dae_status add_sides(
    lowering *l, equation_job *job, value left, value right)
{
    int64_t indices[2 * SYSTEM_MAX_RANK + 16];
    size_t loops = nest_indices(l, indices, 16 + SYSTEM_MAX_RANK);
    if (!is_array(left) && !is_array(right)) {
        value v = scalar_binary(l, NODE_SUB, left, right, job->stmt->span);
        return add_equation(l, job, v, indices, (uint32_t)loops);
    }
    const value_array *shape = is_array(left) ? left.array : right.array;
    for (size_t k = 0; k < shape->count; k++) {
        size_t rest = k;
        for (uint32_t d = shape->rank; d-- > 0;) {
            size_t extent = (size_t)shape->extent[d];
            indices[loops + d] = shape->lower[d] + (int64_t)(rest % extent);
            rest /= extent;
        }
        value a = is_array(left) ? array_item(l, left.array, k) : left;
        value b = is_array(right) ? array_item(l, right.array, k) : right;
        value v = scalar_binary(l, NODE_SUB, a, b, job->stmt->span);
        dae_status st = loop_tick(l, job->stmt->span);
        if (!st) {
            st = add_equation(
                l, job, v, indices, (uint32_t)loops + shape->rank);
        }
        if (st) return st;
    }
    return DAE_OK;
}

/* One element of an equation between large arrays. */
static dae_status add_element(lowering *l, equation_job *job,
    const symbol *shape, size_t flat, int64_t *indices, size_t loops)
{
    size_t rest = flat;
    for (uint32_t d = shape->rank; d-- > 0;) {
        size_t extent = (size_t)shape->extent[d];
        indices[loops + d] = shape->lower[d] + (int64_t)(rest % extent);
        rest /= extent;
    }
    builder b, *outer = l->builder;
    builder_init(&b);
    l->builder = &b;
    l->element = flat;
    value left = lower_expr(l, job->stmt->left);
    value right = lower_expr(l, job->stmt->right);
    l->element = NO_ELEMENT;
    value v = scalar_binary(l, NODE_SUB, left, right, job->stmt->span);
    dae_status st = loop_tick(l, job->stmt->span);
    if (!st) {
        st = add_equation(l, job, v, indices, (uint32_t)loops + shape->rank);
    }
    l->builder = outer;
    builder_clear(l, &b);
    return l->failed_memory ? DAE_MEMORY : st;
}

static dae_status add_elements(
    lowering *l, equation_job *job, const symbol *shape)
{
    int64_t indices[2 * SYSTEM_MAX_RANK + 16];
    size_t loops = nest_indices(l, indices, 16 + SYSTEM_MAX_RANK);
    dae_status st = DAE_OK;
    for (size_t k = 0; !st && k < shape->count; k++) {
        arena_position mark = arena_mark(&l->scratch);
        st = add_element(l, job, shape, k, indices, loops);
        arena_release(&l->scratch, mark);
    }
    return st;
}

static dae_status equation_instance(lowering *l, void *context)
{
    equation_job *job = context;
    const symbol *shape = elementwise_shape(
        l, job->stmt->left, job->stmt->right);
    if (shape) return add_elements(l, job, shape);
    builder b, *outer = l->builder;
    builder_init(&b);
    l->builder = &b;
    arena_position mark = arena_mark(&l->scratch);
    value left = lower_expr(l, job->stmt->left);
    value right = lower_expr(l, job->stmt->right);
    dae_status st = DAE_MODEL;
    if (left.kind != VALUE_ERROR && right.kind != VALUE_ERROR
        && sides_agree(l, job->stmt, left, right)) {
        st = add_sides(l, job, left, right);
    }
    arena_release(&l->scratch, mark);
    l->builder = outer;
    builder_clear(l, &b);
    return l->failed_memory ? DAE_MEMORY : st;
}

/* ---- statements ----------------------------------------------------------------- */

static bool looks_like_line(const char *text)
{
    if (text[0] != 'L' || text[1] < '0' || text[1] > '9') return false;
    return text[1 + strspn(text + 1, "0123456789")] == '\0';
}

void label_note(lowering *l, const ast_stmt *stmt)
{
    if (stmt->name == INTERN_NONE) return;
    const char *text = word_text(l, stmt->name);
    if (looks_like_line(text)) {
        fail_value(l, DIAG_E0215, stmt->name_span,
            "labels like `%s` are the names of equations without a label",
            text);
    }
    const ast_stmt *first = l->label_of[stmt->name], *second = stmt;
    l->label_of[stmt->name] = stmt;
    if (!first) return;
    if (first->kind != second->kind
        && first->name_span.begin > second->name_span.begin) {
        second = first; /* all whens come behind all equations */
        first = stmt;
    }
    fail_value(l, DIAG_E0202, second->name_span,
        "the label `%s` is given twice", text);
    report_also(l->ds, l->source, first->name_span, "first here");
}

/* "the range n..2 = 5..2 is empty", for messages about equations that are
 * missing. */
static dae_status keep_empty_range(lowering *l)
{
    const ast_iter *it = l->empty.it;
    const ast_expr *end = it->step ? it->step : it->last;
    const char *text = l->source->text + it->first->span.begin;
    const int length = (int)(end->span.end - it->first->span.begin);
    const char *values = arena_printf(l->arena, "%lld..%lld",
        (long long)l->empty.first, (long long)l->empty.last);
    if (!values) return DAE_MEMORY;
    const bool is_plain = strlen(values) == (size_t)length
        && memcmp(values, text, (size_t)length) == 0;
    l->s->empty_span = (text_span){it->first->span.begin, end->span.end};
    l->s->empty_range = is_plain || length > RANGE_LONGEST
        ? arena_printf(l->arena, "the range %s is empty", values)
        : arena_printf(
            l->arena, "the range %.*s = %s is empty", length, text, values);
    return l->s->empty_range ? DAE_OK : DAE_MEMORY;
}

static dae_status lower_one(lowering *l, size_t at)
{
    const leaf_stmt *leaf = &l->stmts.items[at];
    const ast_stmt *stmt = leaf->stmt;
    equation_job job = {.stmt = stmt};
    l->at = stmt->span;
    label_note(l, stmt);
    if (stmt->name != INTERN_NONE) job.name = word_text(l, stmt->name);
    const size_t before = l->s->equation_count;
    l->empty.it = NULL;
    dae_status st = nest_run(
        l, leaf->nest, stmt->iters, equation_instance, &job);
    bool is_empty = l->s->equation_count == before && l->empty.it;
    if (!st && is_empty && !l->s->empty_range) st = keep_empty_range(l);
    dae_status closed = block_close(l, &job);
    ARRAY_FREE(l->allocator, &job.indices);
    if (closed) return closed;
    return st == DAE_MODEL ? DAE_OK : st; /* reported; go on with the next */
}

dae_status lower_equations(lowering *l)
{
    l->label_of = ARENA_ARRAY(l->arena, const ast_stmt *, l->name_count + 1);
    if (!l->label_of) return DAE_MEMORY;
    for (size_t k = 0; k < l->stmts.count; k++) {
        if (l->stmts.items[k].stmt->kind != AST_EQUATION) continue;
        dae_status st = lower_one(l, k);
        if (st) return st;
    }
    return DAE_OK;
}
