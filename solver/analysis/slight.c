#include "analysis/slight.h"
#include <math.h>
#include <string.h>

static const double SLIGHT = 1e-10;

typedef struct entries {
    const dae_pattern *pattern;
    const layout *layout;
    double *value;         /* per entry */
    double *row, *unknown; /* the largest of each */
    size_t columns;
} entries;

static size_t unknown_of(const entries *e, size_t column, size_t from)
{
    if (column >= e->layout->states) return column - e->layout->states;
    while (e->layout->first[from + 1] <= column) from++;
    return from;
}

/* Largest entries; then, once they are known, whether one is slight. */
static bool pass(entries *e, bool is_search)
{
    size_t j = 0;
    for (size_t c = 0; c < e->columns; c++) {
        j = unknown_of(e, c, c < e->layout->states ? j : 0);
        const int64_t end = e->pattern->column_start[c + 1];
        for (int64_t p = e->pattern->column_start[c]; p < end; p++) {
            const double size = fabs(e->value[p]);
            double *row = &e->row[e->pattern->row[p]], *own = &e->unknown[j];
            if (is_search && size > 0 && size < SLIGHT * *row
                && size < SLIGHT * *own)
                return true;
            *row = fmax(*row, size);
            *own = fmax(*own, size);
        }
    }
    return false;
}

dae_status slight_find(analysis *a, bool *is_found)
{
    const dae_problem *p = a->problem;
    const arena_position mark = arena_mark(&a->memory);
    *is_found = false;
    if (!p->jacobian || !p->pattern || !p->pattern->column_start) return DAE_OK;
    entries e = {.pattern = p->pattern,
        .layout = &a->layout,
        .columns = a->layout.states + p->unknown_count};
    const size_t count = (size_t)p->pattern->column_start[e.columns];
    e.value = ARENA_ARRAY(&a->memory, double, count + 1);
    e.row = ARENA_ARRAY(&a->memory, double, p->unknown_count);
    e.unknown = ARENA_ARRAY(&a->memory, double, p->unknown_count);
    if (!e.value || !e.row || !e.unknown) return DAE_MEMORY;
    const dae_status st = p->jacobian(
        p->self, DAE_ALL, a->t0, a->x, a->xp, e.value);
    if (!st) {
        (void)pass(&e, false);
        *is_found = pass(&e, true);
    }
    arena_release(&a->memory, mark);
    return st == DAE_RETRY ? DAE_OK : st;
}
