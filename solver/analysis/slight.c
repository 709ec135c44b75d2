/* Between ranks and the index: where array/ finds a smaller index than
 * structure, this decides whether the difference is one that doubles can show.
 * Rows and columns are scaled by their largest entries first, since units are
 * no size. */
#include "analysis/slight.h"

#include "base/arena.h"
#include "sparse/layout.h"
#include <math.h>

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

static dae_status look(const dae_problem *p, const layout *l, double t,
    const double *x, const double *xp, arena *memory, bool *is_found)
{
    entries e = {.pattern = p->pattern,
        .layout = l,
        .columns = l->states + p->unknown_count};
    const size_t count = (size_t)p->pattern->column_start[e.columns];
    e.value = ARENA_ARRAY(memory, double, count + 1);
    e.row = ARENA_ARRAY(memory, double, p->unknown_count);
    e.unknown = ARENA_ARRAY(memory, double, p->unknown_count);
    if (!e.value || !e.row || !e.unknown) return DAE_MEMORY;
    const dae_status st = p->jacobian(p->self, DAE_ALL, t, x, xp, e.value);
    if (st) return st;
    (void)pass(&e, false);
    *is_found = pass(&e, true);
    return DAE_OK;
}

dae_status slight_find(const dae_problem *problem, double t, const double *x,
    const double *xp, const dae_allocator *allocator, bool *is_found)
{
    const dae_pattern *s = problem->pattern;
    arena memory;
    layout l;
    *is_found = false;
    if (!problem->jacobian || !s || !s->column_start) return DAE_OK;
    dae_status st = layout_init(&l, problem, allocator);
    if (st) return st;
    arena_init(&memory, alloc_or_default(allocator), 0);
    st = look(problem, &l, t, x, xp, &memory, is_found);
    if (st == DAE_LIMIT) *is_found = true;
    arena_clear(&memory);
    layout_clear(&l);
    return st == DAE_RETRY || st == DAE_LIMIT ? DAE_OK : st;
}
