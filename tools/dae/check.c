#include "check.h"
#include "console.h"
#include "memory.h"
#include <dae/names.h>
#include <string.h>

bool check_shows_equation(const check *k, size_t i)
{
    return i < dae_model_equation_count(k->model);
}

bool check_shows_unknown(const check *k, size_t j)
{
    return j < dae_model_unknown_count(k->model);
}

bool check_shows_slot(const check *k, dae_slot slot)
{
    const size_t j = (size_t)slot.unknown;
    return check_shows_unknown(k, j)
        && slot.order <= dae_model_unknown_order(k->model, j);
}

bool check_shows_block(
    const check *k, const dae_structure *s, const dae_block *b)
{
    for (int32_t p = b->begin; p < b->end; p++)
        if (check_shows_equation(k, (size_t)s->row_at[p])
            || check_shows_unknown(k, (size_t)s->column_at[p]))
            return true;
    return false;
}

bool check_is_certified(const check *k)
{
    return dae_analysis_report(k->analysis).is_certified;
}

int64_t check_index(const check *k)
{
    return dae_analysis_report(k->analysis).index;
}

int64_t check_freedom(const check *k)
{
    return dae_analysis_report(k->analysis).degrees_of_freedom;
}

/* ---- singular with the numbers that the params have ---------------------- */

/* One list: first the witness, then the others of the part. */
typedef struct listing {
    const check *check;
    bool is_equations;
    dae_named *to;
    size_t count, witness;
} listing;

static bool list_one(listing *l, size_t index)
{
    const dae_model *model = l->check->model;
    const bool is_shown = l->is_equations
        ? check_shows_equation(l->check, index)
        : check_shows_unknown(l->check, index);
    if (!is_shown) return true;
    dae_named *n = &l->to[l->count];
    n->line = l->is_equations ? dae_model_equation_line(model, index)
                              : dae_model_unknown_line(model, index);
    const char *name = l->is_equations
        ? dae_name_equation(model, index, memory_name())
        : dae_name_unknown(model, index, memory_name());
    n->name = memory_copy(name, strlen(name));
    l->count += n->name != NULL;
    return n->name != NULL;
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
    const check *k = l->check;
    const int32_t *at = l->is_equations ? k->equation_at : k->unknown_at;
    const size_t count = l->is_equations ? dae_model_equation_count(k->model)
                                         : dae_model_unknown_count(k->model);
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

static dae_status note_part(check *k, bool is_over, const dae_allocator *a,
    dae_witness *w, dae_singular_part *to)
{
    const dae_structure *s = k->analysis->structure;
    const dae_signature *g = k->analysis->signature;
    const dae_incidence pattern = {
        g->rows, g->columns, g->column_start, g->row};
    const uint8_t part = is_over ? DAE_PART_OVER : DAE_PART_UNDER;
    dae_named *equations = memory_take(g->rows + 1, sizeof *equations);
    dae_named *unknowns = memory_take(g->columns + 1, sizeof *unknowns);
    to->equations = equations;
    to->unknowns = unknowns;
    if (!equations || !unknowns) return DAE_MEMORY;
    dae_status st = is_over
        ? dae_structure_excess(&pattern, &s->matching, a, w)
        : dae_structure_shortage(&pattern, &s->matching, a, w);
    if (st) return st;
    listing e = {k, true, equations, 0, 0};
    listing u = {k, false, unknowns, 0, 0};
    bool is_fine = list_part(
                       &e, s->matching.row_part, part, w->rows, w->row_count)
        && list_part(
            &u, s->matching.column_part, part, w->columns, w->column_count);
    to->equation_count = e.count;
    to->equation_witness = e.witness;
    to->unknown_count = u.count;
    to->unknown_witness = u.witness;
    return is_fine ? DAE_OK : DAE_MEMORY;
}

static dae_status note_singular(check *k, const dae_allocator *a)
{
    const dae_signature *g = k->analysis->signature;
    dae_witness w = {.rows = memory_take(g->rows + 1, sizeof(int32_t)),
        .columns = memory_take(g->columns + 1, sizeof(int32_t))};
    dae_status st = w.rows && w.columns ? DAE_OK : DAE_MEMORY;
    k->singular = &k->own;
    k->own.equations = dae_model_equation_count(k->model);
    k->own.unknowns = dae_model_unknown_count(k->model);
    if (!st) st = note_part(k, true, a, &w, &k->own.over);
    if (!st) st = note_part(k, false, a, &w, &k->own.under);
    return st;
}

/* ---- the order of the text -------------------------------------------------- */

typedef size_t position_of(const dae_model *model, size_t index);

/* The numbers of `count` things in the order of the text. */
static int32_t *in_text_order(
    const dae_model *model, position_of *position, size_t count)
{
    int32_t *at = memory_take(count + 1, sizeof *at);
    for (size_t i = 0; at && i < count; i++)
        at[position(model, i)] = (int32_t)i;
    return at;
}

static bool note_order(check *k)
{
    k->equation_at = in_text_order(k->model, dae_model_equation_position,
        dae_model_equation_count(k->model));
    k->unknown_at = in_text_order(k->model, dae_model_unknown_position,
        dae_model_unknown_count(k->model));
    const dae_start *start = dae_model_problem(k->model)->start;
    k->condition_at = in_text_order(k->model, dae_model_condition_position,
        start ? start->condition_count : 0);
    return k->equation_at && k->unknown_at && k->condition_at;
}

/* What the text does not have comes behind what it has. */
static bool note_evaluation(check *k)
{
    const dae_structure *s = k->analysis->repaired;
    const size_t known = dae_model_unknown_count(k->model);
    if (!s->is_regular) return true;
    int32_t *place_of = memory_take(s->n + 1, sizeof *place_of);
    int32_t *block_of = memory_take(s->n + 1, sizeof *block_of);
    int32_t *free_at = memory_take(s->fine_count + 1, sizeof *free_at);
    k->evaluated = memory_take(s->n + 1, sizeof *k->evaluated);
    const bool has_room = place_of && block_of && free_at && k->evaluated;
    for (size_t b = 0; has_room && b < s->fine_count; b++) {
        free_at[b] = s->fine[b].begin;
        for (int32_t p = s->fine[b].begin; p < s->fine[b].end; p++) {
            place_of[s->column_at[p]] = p;
            block_of[s->column_at[p]] = (int32_t)b;
        }
    }
    for (size_t i = 0; has_room && i < s->n; i++) {
        const int32_t j = i < known ? k->unknown_at[i] : (int32_t)i;
        k->evaluated[free_at[block_of[j]]++] = place_of[j];
    }
    return has_room;
}

/* ---- the analysis ----------------------------------------------------------- */

dae_status check_make(
    check *k, dae_run *r, bool skip_start, const limits *l, dae_diagnostics *ds)
{
    double before = console_clock();
    *k = (check){.model = dae_run_model(r), .atol = dae_run_options(r)->atol};
    if (!note_order(k)) return DAE_MEMORY;
    dae_status st = dae_run_analyse(r, skip_start, ds, &k->analysis);
    if (!st && !k->analysis->structure->is_regular)
        st = note_singular(k, &l->allocator);
    if (!st && !note_evaluation(k)) {
        dae_analysis_free(k->analysis); /* it could not be shown */
        k->analysis = NULL;
        st = DAE_MEMORY;
    }
    k->seconds = console_clock() - before;
    k->t0 = dae_run_begin(r);
    return st;
}

dae_status check_status(const check *k)
{
    const dae_analysis *a = k->analysis;
    if (a->is_wrong) return DAE_MODEL;
    switch (a->start.verdict) {
    case DAE_START_INCONSISTENT:
    case DAE_START_UNDERDETERMINED: return DAE_INCONSISTENT;
    case DAE_START_UNSOLVED: return DAE_NUMERIC;
    default: return DAE_OK;
    }
}
