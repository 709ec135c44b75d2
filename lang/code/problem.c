/* The stages in their order, and the callbacks of the problem. */
#include "code/problem.h"
#include "code/chains.h"
#include "code/counts.h"
#include "code/denominators.h"
#include "code/derived.h"
#include "code/equalities.h"
#include "code/event_names.h"
#include "code/events.h"
#include "code/explain.h"
#include "code/formula.h"
#include "code/formula_sides.h"
#include "code/jacobian.h"
#include "code/jumps.h"
#include "code/kernels.h"
#include "code/kinks.h"
#include "code/levels.h"
#include "code/modes.h"
#include "code/precise.h"
#include "code/rounded.h"
#include "code/rows.h"
#include "code/run.h"
#include "code/series.h"
#include "code/series_explain.h"
#include "code/series_part.h"
#include "code/slots.h"
#include "code/start.h"
#include "code/switches.h"
#include "code/vm_lanes.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* Rows and their leaves, which definitions the equations need, slots. */
static dae_status read_system(compiled *c)
{
    system_tables *s = c->s;
    dae_status st = system_params_update(s);
    if (!st) st = rows_init(c, &s->groups[GROUP_EQUATION], &c->model_equations);
    if (!st) st = rows_init(c, &s->groups[GROUP_DEFINITION], &c->definitions);
    if (!st) st = rows_init(c, &s->groups[GROUP_OWN], &c->own);
    if (!st) st = rows_init(c, &s->groups[GROUP_CONDITION], &c->conditions);
    if (!st) st = rows_init(c, &s->groups[GROUP_OBSERVATION], &c->observations);
    if (!st) st = rows_init(c, &s->groups[GROUP_START], &c->starts);
    if (!st) st = events_read(c);
    if (!st) st = levels_init(c);
    if (!st) st = levels_mark(c, &c->model_equations, NEED_MODEL, false);
    if (!st) st = modes_make(c);
    if (!st) st = denominators_make(c);
    if (!st) st = events_room(c);
    return st ? st : slots_init(c);
}

static bool has_own(const compiled *c, uint32_t id)
{
    return c->s->definitions.items[id].own != OWN_NONE;
}

/* The rows of a shape that belong to internal unknowns, as equations: of those that
 * have an equation of their own, or of the others. */
static dae_status copy_border_rows(
    compiled *c, const row_set *from, bool are_own, row_set *to)
{
    size_t count = 0, size;
    const uint32_t *border = c->defs.border;
    for (size_t r = 0; r < from->count; r++) {
        const uint32_t id = set_row(from, r)[0];
        count += border[id] != NONE && has_own(c, id) == are_own;
    }
    *to = *from;
    to->codes = NULL;
    to->count = count;
    if (count == 0) return DAE_OK;
    if (!size_mul(count, from->width, &size)) return DAE_LIMIT;
    uint32_t *data = ARENA_ARRAY(&c->memory, uint32_t, size);
    if (!data) return DAE_MEMORY;
    to->data = data;
    for (size_t r = 0; r < from->count; r++) {
        const uint32_t *row = set_row(from, r);
        if (border[row[0]] == NONE || has_own(c, row[0]) != are_own) continue;
        memcpy(data, row, from->width * sizeof *row);
        data[0] = (uint32_t)c->slots.unknowns + border[row[0]];
        data += from->width;
    }
    return DAE_OK;
}

/* The rows -v of the equations g(...) - v = 0. */
static dae_status make_minus_rows(compiled *c, row_set *to)
{
    shape_pool *pool = &c->s->shapes;
    size_t count = c->chains.borders.count;
    node_id hole = shape_hole(pool, LEAF_UNKNOWN, 0, 0);
    uint32_t *data = ARENA_ARRAY(&c->memory, uint32_t, 2 * count);
    leaf *leaves = ARENA_NEW(&c->memory, leaf);
    *to = (row_set){.root = shape_unary(pool, NODE_NEG, hole), .width = 2};
    if (to->root == NODE_NONE || !data || !leaves) return DAE_MEMORY;
    *leaves = (leaf){hole, 0, LEAF_UNKNOWN, 0};
    to->leaves = leaves;
    to->leaf_count = 1;
    to->data = data;
    for (size_t k = 0; k < count; k++) {
        if (has_own(c, c->chains.borders.items[k])) continue;
        data[0] = data[1] = (uint32_t)(c->slots.unknowns + k);
        data += 2;
        to->count++;
    }
    return DAE_OK;
}

/* Adds the sets of `from` that have rows of internal unknowns. */
static dae_status add_border_rows(
    compiled *c, const row_sets *from, bool are_own, size_t *used)
{
    for (size_t k = 0; k < from->count; k++) {
        row_set *to = &c->equations.items[*used];
        dae_status st = copy_border_rows(c, &from->items[k], are_own, to);
        if (st) return st;
        *used += to->count > 0;
    }
    return DAE_OK;
}

static dae_status add_border_equations(compiled *c)
{
    size_t model = c->model_equations.count, used = model;
    if (c->chains.borders.count == 0) {
        c->equations = c->model_equations;
        return DAE_OK;
    }
    size_t room = model + c->definitions.count + c->own.count + 1;
    c->equations.items = ARENA_ARRAY(&c->memory, row_set, room);
    if (!c->equations.items) return DAE_MEMORY;
    if (model)
        memcpy(c->equations.items, c->model_equations.items,
            model * sizeof *c->equations.items);
    dae_status st = add_border_rows(c, &c->definitions, false, &used);
    if (!st) st = add_border_rows(c, &c->own, true, &used);
    if (!st) st = make_minus_rows(c, &c->equations.items[used]);
    c->equations.count = used + (!st && c->equations.items[used].count > 0);
    return st;
}

/* Gradients of what the equations need; internal unknowns. */
static dae_status chain_definitions(compiled *c)
{
    dae_status st = rows_differentiate(c, &c->model_equations);
    if (!st) st = rows_differentiate(c, &c->definitions);
    if (!st) st = rows_take_codes(c, &c->definitions);
    if (!st) st = chains_build(c);
    if (!st) st = slots_close(c);
    if (!st) st = add_border_equations(c);
    if (!st) st = rows_differentiate(c, &c->equations);
    return st ? st : levels_mark(c, &c->equations, NEED_RESIDUAL, true);
}

static dae_status mark_others(compiled *c, dae_diagnostics *ds)
{
    dae_status st = levels_mark(c, &c->conditions, NEED_CONDITION, true);
    if (!st) st = levels_mark(c, &c->observations, NEED_OBSERVATION, true);
    if (!st) st = levels_mark(c, &c->starts, NEED_START, true);
    if (st) return st;
    dae_status conditions = slots_check(
        c, &c->conditions, NEED_CONDITION, &c->s->conditions, ds);
    dae_status observations = slots_check(
        c, &c->observations, NEED_OBSERVATION, NULL, ds);
    dae_status starts = slots_check(c, &c->starts, NEED_START, NULL, ds);
    if ((st = levels_mark(c, &c->divisors, NEED_DIVISOR, true))) return st;
    const dae_status events = events_mark(c, ds);
    return conditions  ? conditions
        : observations ? observations
        : starts       ? starts
                       : events;
}

static dae_status plan_jacobians(compiled *c)
{
    dae_status st = gradient_plan(
        c, &c->equations, c->slots.total, &c->jacobian);
    if (!st) st = rows_differentiate(c, &c->conditions);
    if (!st) st = chains_extend(c, NEED_CONDITION);
    if (!st && c->s->condition_count)
        st = gradient_plan(
            c, &c->conditions, c->s->condition_count, &c->condition_jacobian);
    if (st) return st;
    c->temp_count = c->chains.columns.count + c->chains.factor_count;
    c->temps = ARENA_ARRAY(&c->memory, double, c->temp_count);
    c->def_values = ARENA_ARRAY(&c->memory, double, c->defs.count);
    c->observed_free = ARENA_ARRAY(
        &c->memory, double, c->s->observation_count + 1);
    c->sides_aside = ARENA_ARRAY(&c->memory, double, c->switch_count + 1);
    if (!c->temps || !c->def_values || !c->observed_free || !c->sides_aside)
        return DAE_MEMORY;
    return c->temp_count < CODE_FACTOR ? DAE_OK : DAE_LIMIT;
}

/* Values of definitions with `bit` and of rows. */
static dae_status build_values(compiled *c, uint16_t bit, const row_sets *sets,
    size_t count, bool use_border, task *out)
{
    kernel_set k = {.c = c, .use_border = use_border};
    task_request request = {.main_count = count, .clear_untouched = true};
    arena_position mark = arena_mark(&c->scratch);
    dae_status st = kernels_add_definitions(&k, bit);
    if (!st && sets) st = kernels_add_values(&k, sets);
    if (!st) st = kernels_build(&k, &request, out);
    kernels_clear(&k);
    arena_release(&c->scratch, mark);
    return st;
}

static dae_status build_programs(compiled *c)
{
    const system_tables *s = c->s;
    dae_status st = build_values(
        c, NEED_RESIDUAL, &c->equations, c->slots.total, true, &c->residual);
    if (!st)
        st = build_values(c, NEED_CONDITION, &c->conditions, s->condition_count,
            true, &c->condition);
    if (!st)
        st = build_values(c, NEED_OBSERVATION, &c->observations,
            s->observation_count, true, &c->observation);
    if (!st)
        st = build_values(
            c, NEED_START, &c->starts, s->start_count, true, &c->start);
    if (!st && s->whens.count)
        st = build_values(
            c, NEED_WHEN, &c->whens, s->whens.count, true, &c->when_task);
    if (!st && s->assignments.count)
        st = build_values(c, NEED_ASSIGN, &c->assigned, s->assignments.count,
            true, &c->assign_task);
    if (!st && c->switch_count)
        st = build_values(
            c, NEED_SWITCH, &c->roots, c->switch_count, true, &c->root_task);
    if (!st && c->break_count)
        st = build_values(
            c, NEED_BREAK, &c->breaks, c->break_count, true, &c->break_task);
    if (!st && c->divisor_count)
        st = build_values(c, NEED_DIVISOR, &c->divisors, c->divisor_count, true,
            &c->divisor_task);
    if (!st && c->chains.borders.count)
        st = build_values(c, NEED_MODEL, NULL, 0, false, &c->guess);
    if (!st)
        st = gradient_close(
            c, &c->equations, NEED_RESIDUAL, NEED_JACOBIAN, &c->jacobian);
    if (!st && s->condition_count)
        st = gradient_close(c, &c->conditions, NEED_CONDITION,
            NEED_CONDITION_JACOBIAN, &c->condition_jacobian);
    return st;
}

enum { TASKS = 14 };

static void list_tasks(const compiled *c, const task *tasks[TASKS])
{
    const task *const all[TASKS] = {&c->residual, &c->condition,
        &c->observation, &c->start, &c->guess, &c->when_task, &c->assign_task,
        &c->root_task, &c->break_task, &c->divisor_task, &c->jacobian.all,
        &c->jacobian.varying, &c->condition_jacobian.all,
        &c->condition_jacobian.varying};
    memcpy(tasks, all, sizeof all);
}

void compiled_native(compiled *c, bool is_allowed)
{
    const task *tasks[TASKS];
    list_tasks(c, tasks);
    c->is_native = is_allowed;
    for (size_t k = 0; k < TASKS; k++)
        program_native(tasks[k]->program, is_allowed);
}

static dae_status take_work(compiled *c)
{
    const task *tasks[TASKS];
    list_tasks(c, tasks);
    for (size_t k = 0; k < TASKS; k++) {
        size_t size = tasks[k]->program ? program_scratch(tasks[k]->program)
                                        : 0;
        if (size > c->work_size) c->work_size = size;
    }
    c->work = alloc_zeroed(c->allocator, c->work_size, 1);
    c->residual_at = ARENA_ARRAY(&c->memory, double *, AT_COUNT);
    if (!c->work || !c->residual_at) return DAE_MEMORY;
    run_places(c, NULL, NULL, NULL, NULL, c->residual_at);
    if (c->residual.program)
        program_places(c->residual.program, c->work, c->residual_at);
    return c->residual.program
        ? vm_lanes_create(c->residual.program, c->allocator, &c->lanes)
        : DAE_OK;
}

/* Callbacks. */

static dae_status residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    compiled *c = self;
    run_task(c, &c->residual, t, x, xp, res);
    return DAE_OK;
}

static void residuals_in_turn(compiled *c, size_t count, const double *t,
    const double *const *x, const double *const *xp, double *const *res)
{
    const task *what = &c->residual;
    double **at = c->residual_at;
    native_run *whole = what->program && !what->clears
        ? program_function(what->program)
        : NULL;
    assert(at[AT_HELD] == c->held && at[AT_JAC] == c->temps);
    for (size_t k = 0; k < count; k++) {
        at[AT_TIME] = place_of_input(&t[k]);
        at[AT_X] = place_of_input(x[k]);
        at[AT_XP] = place_of_input(xp[k]);
        at[AT_MAIN] = res[k];
        if (whole) whole(at);
        else task_repeat(what, at);
    }
}

/* Stages of one step: at once by the interpreter, which then looks at each
 * instruction once; as machine code one by one, which needs no lanes made. */
static dae_status residuals(void *self, size_t count, const double *t,
    const double *const *x, const double *const *xp, double *const *res)
{
    compiled *c = self;
    program *code = c->residual.program;
    assert(count > 0);
    if (code) program_count_runs(code, (uint32_t)count);
    if (!c->lanes || count > VM_LANES || code->native.memory) {
        residuals_in_turn(c, count, t, x, xp, res);
        return DAE_OK;
    }
    const vm_points points = {.count = count,
        .t = t,
        .param = c->s->param_values.items,
        .held = c->held,
        .x = x,
        .xp = xp,
        .main = res,
        .clear = c->residual.clears ? c->residual.clear : NULL};
    vm_lanes_run(c->lanes, &points);
    return DAE_OK;
}

static dae_status jacobian_values(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    compiled *c = self;
    gradient_run(c, &c->jacobian, scope, t, x, xp, values);
    return DAE_OK;
}

static dae_status condition_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    compiled *c = self;
    run_task(c, &c->condition, t, x, xp, res);
    return DAE_OK;
}

static dae_status condition_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    compiled *c = self;
    gradient_run(c, &c->condition_jacobian, scope, t, x, xp, values);
    return DAE_OK;
}

/* The definition of an internal unknown and its equation, or NONE. */
static uint32_t internal_definition(const compiled *c, size_t index)
{
    size_t n = c->slots.unknowns;
    return index < n || index - n >= c->chains.borders.count
        ? NONE
        : c->chains.borders.items[index - n];
}

static size_t name_of(
    void *self, dae_name_kind kind, size_t index, char *text, size_t size)
{
    const compiled *c = self;
    uint32_t id = internal_definition(c, index);
    if (kind == DAE_NAME_KINK || kind == DAE_NAME_KINKED)
        return kinks_text(c, index, kind == DAE_NAME_KINKED, text, size);
    if (kind == DAE_NAME_CONDITION)
        return equation_block_text(&c->s->conditions, index, text, size);
    if (event_names_have(kind))
        return event_names_text(c, kind, index, text, size);
    if (kind == DAE_NAME_DENOMINATOR)
        return denominators_text(c, index, text, size);
    if (id != NONE) return definition_text(c->s, id, text, size);
    if (kind == DAE_NAME_EQUATION)
        return equation_block_text(&c->s->equations, index, text, size);
    return name_block_text(&c->s->unknowns, index, text, size);
}

/* Where the start value of a slot of (x, xp) is given. */
static bool find_start_span(const compiled *c, size_t slot, text_span *span)
{
    for (size_t k = 0; k < c->s->starts.count; k++) {
        const start_value *v = &c->s->starts.items[k];
        size_t index;
        bool in_xp;
        if (!compiled_slot(c, v->unknown, v->order, &index, &in_xp)) continue;
        if (index + (in_xp ? c->slots.total_states : 0) != slot) continue;
        *span = v->span;
        return span->end > 0;
    }
    return false;
}

static bool find_span(
    const compiled *c, dae_name_kind kind, size_t index, text_span *span)
{
    if (kind == DAE_NAME_START) return find_start_span(c, index, span);
    if (kind == DAE_NAME_KINK || kind == DAE_NAME_KINKED)
        return kinks_span(c, index, span);
    if (event_names_have(kind)) return event_names_span(c, kind, index, span);
    if (kind == DAE_NAME_DENOMINATOR) return denominators_span(c, index, span);
    uint32_t id = internal_definition(c, index);
    const equation_block *e = NULL;
    const name_block *n = NULL;
    if (kind == DAE_NAME_CONDITION) {
        e = equation_block_find(&c->s->conditions, index);
    } else if (id != NONE) {
        *span = definition_span(c->s, id);
        return span->end > 0;
    } else if (kind == DAE_NAME_EQUATION) {
        e = equation_block_find(&c->s->equations, index);
    } else {
        n = name_block_find(&c->s->unknowns, index);
    }
    if (e) *span = e->span;
    if (n) *span = n->span;
    return e || n;
}

static int place_of(void *self, dae_name_kind kind, size_t index,
    const struct dae_source **source, uint32_t *begin, uint32_t *end)
{
    const compiled *c = self;
    text_span span;
    if (!c->s->source || !find_span(c, kind, index, &span)) return 0;
    *source = c->s->source;
    *begin = span.begin;
    *end = span.end;
    return 1;
}

/* Internal ones come behind the text's. */
static size_t position_of(void *self, dae_name_kind kind, size_t index)
{
    const system_tables *s = ((const compiled *)self)->s;
    if (kind == DAE_NAME_CONDITION)
        return equation_block_position(&s->conditions, index);
    if (kind == DAE_NAME_EQUATION)
        return equation_block_position(&s->equations, index);
    return name_block_position(&s->unknowns, index);
}

static void release(void *self)
{
    series_part_release(self);
}

static void fill_problem(compiled *c)
{
    size_t conditions = c->s->condition_count;
    c->start_tables = (dae_start){
        .t0 = c->t0,
        .x = c->x,
        .xp = c->xp,
        .x_fixed = c->x_fixed,
        .xp_fixed = c->xp_fixed,
        .x_guessed = c->x_guessed,
        .xp_guessed = c->xp_guessed,
        .condition_count = conditions,
        .condition_residual = conditions ? condition_residual : NULL,
        .condition_jacobian = conditions ? condition_jacobian : NULL,
        .condition_pattern = c->condition_jacobian.pattern,
    };
    c->scales = (dae_scales){.nominal = c->nominal,
        .atol = c->atol,
        .minimum = c->minimum,
        .maximum = c->maximum,
        .prefer_state = c->prefer_state};
    c->problem = (dae_problem){
        .self = c,
        .unknown_count = c->slots.total,
        .order = c->slots.order,
        .residual = residual,
        .residuals = residuals,
        .jacobian = jacobian_values,
        .pattern = &c->jacobian.pattern,
        .start = &c->start_tables,
        .scales = &c->scales,
        .index_group = c->index_group,
        .name = name_of,
        .place = place_of,
        .position = position_of,
        .explain = explain_nonfinite,
        .series = series_values,
        .series_jacobian = series_entries,
        .series_explain = series_explain,
        .series_part = series_part_values,
        .series_jacobian_part = series_part_entries,
        .derive = derived_make,
        .sides = formula_sides,
        .rounded = rounded_entries,
        .residual_long = precise_residual,
        .release = release,
        .denominators = c->divisor_count ? &c->denominators : NULL,
    };
}

static dae_status compile(
    compiled *c, const singular_request *singular, dae_diagnostics *ds)
{
    dae_status st = read_system(c);
    if (!st) st = counts_check(c, singular, ds);
    if (!st) st = chain_definitions(c);
    if (!st) st = mark_others(c, ds);
    if (!st) st = plan_jacobians(c);
    if (!st) st = build_programs(c);
    if (!st) st = take_work(c);
    if (!st) st = start_init(c, ds);
    if (!st) st = start_values(c);
    if (!st) st = denominators_fill(c);
    if (!st) fill_problem(c);
    if (!st) st = events_fill(c);
    if (!st) st = switches_look(c);
    if (!st) st = kinks_find(c);
    if (!st) st = jumps_tell(c, ds);
    if (!st) c->problem.smoothness = c->smoothness;
    if (!st) c->problem.smoothness_held = c->smoothness_held;
    if (!st) c->problem.smoothness_timed = c->smoothness_timed;
    if (!st) st = equalities_find(c);
    arena_clear(&c->scratch);
    return st;
}

dae_status compiled_create(
    system_tables *s, double t0, dae_diagnostics *ds, compiled **out)
{
    return compiled_create_or_explain(s, t0, ds, NULL, NULL, out);
}

dae_status compiled_create_or_explain(system_tables *s, double t0,
    dae_diagnostics *ds, dae_singular **singular,
    const dae_allocator *allocator, compiled **out)
{
    const singular_request wanted = {singular, allocator};
    *out = NULL;
    compiled *c = alloc_zeroed(s->allocator, 1, sizeof *c);
    if (!c) return DAE_MEMORY;
    c->allocator = s->allocator;
    c->s = s;
    c->t0 = t0;
    c->ds = ds;
    arena_init(&c->memory, s->allocator, 0);
    arena_init(&c->scratch, s->allocator, 0);
    dae_status st = compile(c, &wanted, ds);
    c->ds = NULL;
    if (st == DAE_LIMIT)
        report(ds, DIAG_E0004, NULL, (text_span){0, 0},
            "the model has more unknowns, derivatives or entries of its "
            "Jacobian than 31 bits count");
    if (st) compiled_free(c);
    else *out = c;
    return st;
}

void compiled_free(compiled *c)
{
    if (!c) return;
    const dae_allocator *a = c->allocator;
    task *tasks[] = {&c->residual, &c->condition, &c->observation, &c->start,
        &c->guess, &c->when_task, &c->assign_task, &c->root_task,
        &c->break_task, &c->divisor_task};
    for (size_t k = 0; k < sizeof tasks / sizeof *tasks; k++)
        task_free(a, tasks[k]);
    gradient_free(a, &c->jacobian);
    gradient_free(a, &c->condition_jacobian);
    for (int k = 0; k < SERIES_KINDS; k++) series_free(a, &c->series[k]);
    for (int k = 0; k < 2; k++) series_part_free(a, c->parts[k]);
    for (int k = 0; k < 2; k++) derived_free(c->derived[k]);
    series_part_release(c);
    formula_tables_free(a, c->formulas);
    precise_free(c);
    ARRAY_FREE(a, &c->chains.columns);
    ARRAY_FREE(a, &c->chains.kinds);
    ARRAY_FREE(a, &c->chains.links);
    ARRAY_FREE(a, &c->chains.owners);
    ARRAY_FREE(a, &c->chains.borders);
    alloc_free(a, c->work, c->work_size, 1);
    vm_lanes_free(c->lanes);
    arena_clear(&c->scratch);
    arena_clear(&c->memory);
    alloc_free(a, c, 1, sizeof *c);
}

const dae_problem *compiled_problem(const compiled *c)
{
    return &c->problem;
}

unsigned compiled_order(const compiled *c, size_t unknown)
{
    return c->slots.order[unknown];
}

bool compiled_slot(const compiled *c, size_t unknown, unsigned order,
    size_t *index, bool *in_xp)
{
    unsigned highest = c->slots.order[unknown];
    if (order > highest) return false;
    *in_xp = order > 0 && order == highest;
    *index = *in_xp ? unknown : c->slots.first[unknown] + order;
    return true;
}

/* ---- observations -------------------------------------------------------------- */

static size_t count_lost(const compiled *c, const double *values)
{
    size_t count = 0;
    for (size_t k = 0; k < c->s->observation_count; k++)
        if (!isfinite(values[k])) count++;
    return count;
}

/* Run once more with held values that have changed. */
static size_t observe_again(
    compiled *c, double t, const double *x, const double *xp)
{
    run_task(c, &c->observation, t, x, xp, c->observed_free);
    return count_lost(c, c->observed_free);
}

/* Frees each switch without which more has a value, and gives what all
 * observations are then; `lost` of them had none before. */
static void observe_freed(compiled *c, double t, const double *x,
    const double *xp, size_t lost, double *values)
{
    const size_t size = c->s->observation_count * sizeof *values;
    double *held = c->held + c->s->discrete_count;
    for (size_t k = 0; k < c->switch_count && lost > 0; k++) {
        if (isnan(held[k])) continue;
        held[k] = (double)NAN;
        const size_t now = observe_again(c, t, x, xp);
        if (now < lost) memcpy(values, c->observed_free, size);
        else held[k] = c->sides_aside[k];
        if (now < lost) lost = now;
    }
    for (size_t k = 0; k < c->switch_count; k++) held[k] = c->sides_aside[k];
}

/* At an event what is held may lie beyond its edge by rounding, where powers,
 * roots and logarithms have no value: sqrt(max(h, 0)) is the root of h there,
 * and h is -1e-17. What has a value with its own sides takes that. */
dae_status compiled_observe(
    compiled *c, double t, const double *x, const double *xp, double *values)
{
    double *held = c->held + c->s->discrete_count;
    run_task(c, &c->observation, t, x, xp, values);
    const size_t lost = c->switch_count ? count_lost(c, values) : 0;
    if (lost == 0) return DAE_OK;
    for (size_t k = 0; k < c->switch_count; k++) {
        c->sides_aside[k] = held[k];
        held[k] = (double)NAN;
    }
    const bool is_better = observe_again(c, t, x, xp) < lost;
    for (size_t k = 0; k < c->switch_count; k++) held[k] = c->sides_aside[k];
    if (is_better) observe_freed(c, t, x, xp, lost, values);
    return DAE_OK;
}

dae_status compiled_observe_long(compiled *c, dae_long t, const dae_long *x,
    const dae_long *xp, dae_long *values)
{
    return precise_observe(c, t, x, xp, values);
}

dae_status compiled_set_start(
    compiled *c, double t, const double *x, const double *xp)
{
    system_tables *s = c->s;
    if (s->start_count == 0) return DAE_OK;
    double *values = alloc_zeroed(c->allocator, s->start_count, sizeof(double));
    if (!values) return DAE_MEMORY;
    run_task(c, &c->start, t, x, xp, values);
    memcpy(s->param_inputs.items + s->start_first, values,
        s->start_count * sizeof(double));
    alloc_free(c->allocator, values, s->start_count, sizeof(double));
    system_params_evaluate(s);
    precise_forget_params(c);
    return DAE_OK;
}

dae_status compiled_params_changed(compiled *c)
{
    system_params_evaluate(c->s);
    precise_forget_params(c);
    events_start(c);
    dae_status st = start_values(c);
    if (!st) st = denominators_fill(c);
    arena_clear(&c->scratch);
    return st;
}
