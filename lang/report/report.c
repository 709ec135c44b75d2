/* The analysis of a model, and what its text has to do with it. */
#include "report/object.h"

#include <dae/names.h>
#include <string.h>

/* ---- singular with the numbers that the params have ---------------------- */

/* One list: first the witness, then the others of the part. */
typedef struct listing {
    dae_report *report;
    bool is_equations;
    dae_named *to;
    size_t count, witness;
} listing;

static bool list_one(listing *l, size_t index)
{
    const dae_model *model = l->report->model;
    dae_name_buffer b = {0};
    dae_named *n = &l->to[l->count];
    n->line = l->is_equations ? dae_model_equation_line(model, index)
                              : dae_model_unknown_line(model, index);
    const char *name = l->is_equations ? dae_name_equation(model, index, &b)
                                       : dae_name_unknown(model, index, &b);
    n->name = arena_copy(&l->report->memory, name, strlen(name));
    l->count += n->name != NULL;
    return dae_name_done(&b) && n->name;
}

/* `set` ascends. */
static bool is_in(const int32_t *set, size_t count, int32_t wanted)
{
    size_t low = 0;
    for (size_t high = count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (set[middle] < wanted) low = middle + 1;
        else high = middle;
    }
    return low < count && set[low] == wanted;
}

static bool list_part(listing *l, const uint8_t *part, uint8_t which,
    const int32_t *set, size_t set_count)
{
    const dae_report *r = l->report;
    const int32_t *at = l->is_equations ? r->equation_at : r->unknown_at;
    const size_t count = l->is_equations ? dae_model_equation_count(r->model)
                                         : dae_model_unknown_count(r->model);
    for (size_t p = 0; p < count; p++)
        if (is_in(set, set_count, at[p]) && !list_one(l, (size_t)at[p]))
            return false;
    l->witness = l->count;
    for (size_t p = 0; p < count; p++)
        if (part[at[p]] == which && !is_in(set, set_count, at[p])
            && !list_one(l, (size_t)at[p]))
            return false;
    return true;
}

static dae_status note_part(
    dae_report *r, bool is_over, dae_witness *w, dae_singular_part *to)
{
    const dae_structure *s = r->analysis->structure;
    const dae_signature *g = r->analysis->signature;
    const dae_allocator *a = r->memory.allocator;
    const dae_incidence pattern = {
        g->rows, g->columns, g->column_start, g->row};
    const uint8_t part = is_over ? DAE_PART_OVER : DAE_PART_UNDER;
    dae_named *equations = ARENA_ARRAY(&r->memory, dae_named, g->rows);
    dae_named *unknowns = ARENA_ARRAY(&r->memory, dae_named, g->columns);
    to->equations = equations;
    to->unknowns = unknowns;
    if (!equations || !unknowns) return DAE_MEMORY;
    dae_status st = is_over
        ? dae_structure_excess(&pattern, &s->matching, a, w)
        : dae_structure_shortage(&pattern, &s->matching, a, w);
    if (st) return st;
    listing e = {r, true, equations, 0, 0};
    listing u = {r, false, unknowns, 0, 0};
    const bool is_fine = list_part(&e, s->matching.row_part, part, w->rows,
                             w->row_count)
        && list_part(
            &u, s->matching.column_part, part, w->columns, w->column_count);
    to->equation_count = e.count;
    to->equation_witness = e.witness;
    to->unknown_count = u.count;
    to->unknown_witness = u.witness;
    return is_fine ? DAE_OK : DAE_MEMORY;
}

static dae_status note_singular(dae_report *r)
{
    const dae_signature *g = r->analysis->signature;
    dae_witness w = {.rows = ARENA_ARRAY(&r->memory, int32_t, g->rows),
        .columns = ARENA_ARRAY(&r->memory, int32_t, g->columns)};
    dae_status st = w.rows && w.columns ? DAE_OK : DAE_MEMORY;
    r->is_singular = true;
    r->singular.equations = dae_model_equation_count(r->model);
    r->singular.unknowns = dae_model_unknown_count(r->model);
    if (!st) st = note_part(r, true, &w, &r->singular.over);
    if (!st) st = note_part(r, false, &w, &r->singular.under);
    return st;
}

/* ---- the order of the text -------------------------------------------------- */

typedef size_t position_of(const dae_model *model, size_t index);

/* The numbers of `count` things in the order of the text. */
static int32_t *in_text_order(
    dae_report *r, position_of *position, size_t count)
{
    int32_t *at = ARENA_ARRAY(&r->memory, int32_t, count);
    for (size_t i = 0; at && i < count; i++)
        at[position(r->model, i)] = (int32_t)i;
    return at;
}

static size_t condition_count(const dae_report *r)
{
    const dae_start *start = dae_model_problem(r->model)->start;
    return start ? start->condition_count : 0;
}

static dae_status note_order(dae_report *r)
{
    r->equation_at = in_text_order(
        r, dae_model_equation_position, dae_model_equation_count(r->model));
    r->unknown_at = in_text_order(
        r, dae_model_unknown_position, dae_model_unknown_count(r->model));
    r->condition_at = in_text_order(
        r, dae_model_condition_position, condition_count(r));
    return r->equation_at && r->unknown_at && r->condition_at ? DAE_OK
                                                              : DAE_MEMORY;
}

/* What the text does not have comes behind what it has. */
static dae_status note_evaluation(dae_report *r)
{
    const dae_structure *s = r->analysis->repaired;
    const size_t known = dae_model_unknown_count(r->model);
    r->most = ARENA_ARRAY(&r->memory, int64_t, s->n);
    if (!r->most) return DAE_MEMORY;
    for (size_t b = 0; b < s->fine_count; b++)
        for (int32_t p = s->fine[b].begin; p < s->fine[b].end; p++)
            r->most[s->row_at[p]] = s->fine[b].max_c;
    if (!s->is_regular) return DAE_OK;
    r->evaluated = ARENA_ARRAY(&r->memory, int32_t, s->n);
    int32_t *place_of = ARENA_ARRAY(&r->memory, int32_t, s->n);
    int32_t *block_of = ARENA_ARRAY(&r->memory, int32_t, s->n);
    int32_t *free_at = ARENA_ARRAY(&r->memory, int32_t, s->fine_count);
    if (!r->evaluated || !place_of || !block_of || !free_at) return DAE_MEMORY;
    for (size_t b = 0; b < s->fine_count; b++) {
        free_at[b] = s->fine[b].begin;
        for (int32_t p = s->fine[b].begin; p < s->fine[b].end; p++) {
            place_of[s->column_at[p]] = p;
            block_of[s->column_at[p]] = (int32_t)b;
        }
    }
    for (size_t i = 0; i < s->n; i++) {
        const int32_t j = i < known ? r->unknown_at[i] : (int32_t)i;
        r->evaluated[free_at[block_of[j]]++] = place_of[j];
    }
    return DAE_OK;
}

/* ---- life ------------------------------------------------------------------ */

dae_status dae_report_create(dae_run *run, int skip_start,
    const dae_allocator *allocator, dae_diagnostics *ds, dae_report **out)
{
    if (out) *out = NULL;
    if (!out || !run) return DAE_ARGUMENT;
    const dae_allocator *a = alloc_or_default(allocator);
    dae_report *r = alloc_zeroed(a, 1, sizeof *r);
    if (!r) return DAE_MEMORY;
    r->model = dae_run_model(run);
    arena_init(&r->memory, a, 0);
    dae_status st = note_order(r);
    if (!st) st = dae_run_analyse(run, skip_start, ds, &r->analysis);
    if (!st && !r->analysis->structure->is_regular) st = note_singular(r);
    if (!st) st = note_evaluation(r);
    if (st) dae_report_free(r);
    else *out = r;
    return st;
}

void dae_report_free(dae_report *r)
{
    if (!r) return;
    const dae_allocator *a = r->memory.allocator;
    dae_analysis_free(r->analysis);
    arena_clear(&r->memory);
    alloc_free(a, r, 1, sizeof *r);
}

/* ---- what can be asked ------------------------------------------------------- */

const dae_analysis *dae_report_analysis(const dae_report *r)
{
    return r ? r->analysis : NULL;
}

dae_status dae_report_status(const dae_report *r)
{
    if (!r) return DAE_ARGUMENT;
    if (r->analysis->is_wrong) return DAE_MODEL;
    switch (r->analysis->start.verdict) {
    case DAE_START_INCONSISTENT:
    case DAE_START_UNDERDETERMINED: return DAE_INCONSISTENT;
    case DAE_START_UNSOLVED: return DAE_NUMERIC;
    default: return DAE_OK;
    }
}

const dae_singular *dae_report_singular(const dae_report *r)
{
    return r && r->is_singular ? &r->singular : NULL;
}

size_t dae_report_equation_at(const dae_report *r, size_t k)
{
    return r && report_has_equation(r, k) ? (size_t)r->equation_at[k]
                                          : SIZE_MAX;
}

size_t dae_report_unknown_at(const dae_report *r, size_t k)
{
    return r && report_has_unknown(r, k) ? (size_t)r->unknown_at[k] : SIZE_MAX;
}

size_t dae_report_condition_at(const dae_report *r, size_t k)
{
    return r && k < condition_count(r) ? (size_t)r->condition_at[k] : SIZE_MAX;
}

size_t dae_report_place_at(const dae_report *r, size_t k)
{
    const bool is_there = r && r->evaluated && k < r->analysis->repaired->n;
    return is_there ? (size_t)r->evaluated[k] : SIZE_MAX;
}
