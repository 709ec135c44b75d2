/* 0.1 + 0.2 - 0.3 is not 0, and a derivative that it multiplies counts as one.
 * Beside zeros.c, which tells what is 0: here, what was to be. Few entries are
 * asked for, since bounds take a while: those that never change and are tiny,
 * by themselves or beside the others of their row. Small numbers that nothing
 * has cancelled to are as good as any. */
#include "analysis/rounded.h"

#include <math.h>

static const double TINY = 1e-12;
enum { LISTED = 5 };

typedef struct suspicion {
    analysis *a;
    double *value;       /* entries */
    uint8_t *is_rounded; /* entries */
    dae_signature table; /* without these */
} suspicion;

static size_t count_entries(const analysis *a)
{
    const dae_problem *p = a->problem;
    return (
        size_t)p->pattern->column_start[a->layout.states + p->unknown_count];
}

/* Marks constants that may be rounding. */
static dae_status ask(suspicion *w, bool *is_any)
{
    analysis *a = w->a;
    const dae_problem *p = a->problem;
    const signature *g = a->signature;
    const size_t entries = count_entries(a);
    uint8_t *asked = ARENA_ARRAY(&a->memory, uint8_t, entries);
    double *most = ARENA_ARRAY(&a->memory, double, p->unknown_count);
    w->is_rounded = ARENA_ARRAY(&a->memory, uint8_t, entries);
    if (!asked || !most || !w->is_rounded) return DAE_MEMORY;
    for (size_t e = 0; e < entries; e++)
        most[p->pattern->row[e]] = fmax(
            most[p->pattern->row[e]], fabs(w->value[e]));
    *is_any = false;
    for (size_t k = 0; k < g->entries; k++) {
        const int64_t e = g->entry[k];
        const double size = fabs(w->value[e]);
        asked[e] = p->pattern->kind[e] != DAE_ENTRY_VARYING && size > 0
            && size <= TINY * fmax(1, most[g->row[k]]);
        *is_any = *is_any || asked[e];
    }
    if (!*is_any) return DAE_OK;
    const dae_status st = p->rounded(p->self, asked, w->is_rounded);
    *is_any = false;
    for (size_t k = 0; k < g->entries && !st; k++)
        *is_any = *is_any || w->is_rounded[g->entry[k]];
    return st;
}

/* The signature without them. */
static dae_status leave_out(suspicion *w)
{
    analysis *a = w->a;
    const signature *g = a->signature;
    const size_t n = g->table.columns;
    int64_t *start = ARENA_ARRAY(&a->memory, int64_t, n + 1);
    int32_t *row = ARENA_ARRAY(&a->memory, int32_t, g->entries);
    int32_t *order = ARENA_ARRAY(&a->memory, int32_t, g->entries);
    int64_t at = 0;
    if (!start || !row || !order) return DAE_MEMORY;
    for (size_t j = 0; j < n; j++) {
        for (int64_t k = g->column_start[j]; k < g->column_start[j + 1]; k++) {
            if (w->is_rounded[g->entry[k]]) continue;
            row[at] = g->row[k];
            order[at++] = g->order[k];
        }
        start[j + 1] = at;
    }
    w->table = (dae_signature){n, n, start, row, order};
    return DAE_OK;
}

/* Whether the structure without them is another one. */
static dae_status compare(suspicion *w, bool *is_other)
{
    analysis *a = w->a;
    const dae_structure_options options = {
        a->options.interrupt, a->options.interrupt_context};
    const dae_structure *s = a->structure;
    dae_structure *without;
    dae_status st = leave_out(w);
    if (!st)
        st = dae_structure_analyse(&w->table, &options, a->allocator, &without);
    if (st) return st;
    *is_other = without->is_regular != s->is_regular;
    for (size_t i = 0; i < s->n && s->is_regular && !*is_other; i++)
        *is_other = without->c[i] != s->c[i] || without->d[i] != s->d[i];
    dae_structure_free(without);
    return DAE_OK;
}

static dae_status list_all(suspicion *w)
{
    analysis *a = w->a;
    const signature *g = a->signature;
    a->rounded = ARENA_ARRAY(&a->memory, rounded_entry, LISTED);
    if (!a->rounded) return DAE_MEMORY;
    for (size_t j = 0; j < g->table.columns; j++)
        for (int64_t k = g->column_start[j]; k < g->column_start[j + 1]; k++)
            if (w->is_rounded[g->entry[k]] && a->rounded_count < LISTED)
                a->rounded[a->rounded_count++] = (rounded_entry){
                    .equation = g->row[k],
                    .slot = {(int32_t)j, g->order[k]},
                    .value = w->value[g->entry[k]]};
    return DAE_OK;
}

dae_status rounded_find(analysis *a)
{
    const dae_problem *p = a->problem;
    suspicion w = {.a = a};
    bool is_any = false, is_other = false;
    if (!p->rounded || !p->jacobian || !p->pattern || !p->pattern->kind)
        return DAE_OK;
    const arena_position mark = arena_mark(&a->memory);
    w.value = ARENA_ARRAY(&a->memory, double, count_entries(a));
    if (!w.value) return DAE_MEMORY;
    dae_status st = p->jacobian(p->self, DAE_ALL, a->t0, a->x, a->xp, w.value);
    if (!st) st = ask(&w, &is_any);
    if (!st && is_any) st = compare(&w, &is_other);
    if (!st && is_other) st = list_all(&w);
    else arena_release(&a->memory, mark);
    return st == DAE_RETRY ? DAE_OK : st;
}
