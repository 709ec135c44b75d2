/* Between ranks and the index: where index/ finds a smaller index than
 * structure, this decides whether the difference is one that doubles can show.
 * Rows and unknowns are scaled by their largest entries first, since units are
 * no size, and what rounding has left of terms that cancel is no entry. */
#include "analysis/slight.h"

#include "base/arena.h"
#include "linalg/layout.h"
#include <math.h>
#include <string.h>

static const double SLIGHT = 1e-10;
enum { SWEEPS = 3 };

typedef struct entries {
    const dae_pattern *pattern;
    const layout *layout;
    size_t columns;
    double *value;         /* per entry: sizes */
    double *row, *unknown; /* units */
    double *most;          /* the largest of each, of rows or of unknowns */
} entries;

static size_t unknown_of(const entries *e, size_t column, size_t from)
{
    if (column >= e->layout->states) return column - e->layout->states;
    while (e->layout->first[from + 1] <= column) from++;
    return from;
}

typedef enum pass_kind { OF_ROWS, OF_UNKNOWNS, SEARCH } pass_kind;

/* Largest entries in the units so far, which become units; or whether one is
 * slight in them. */
static bool pass(entries *e, pass_kind kind)
{
    const size_t n = e->layout->unknowns;
    double *unit = kind == OF_ROWS ? e->row : e->unknown;
    size_t j = 0;
    memset(e->most, 0, n * sizeof *e->most);
    for (size_t c = 0; c < e->columns; c++) {
        j = unknown_of(e, c, c < e->layout->states ? j : 0);
        const int64_t end = e->pattern->column_start[c + 1];
        for (int64_t p = e->pattern->column_start[c]; p < end; p++) {
            const size_t i = (size_t)e->pattern->row[p];
            const double size = e->value[p] / (e->row[i] * e->unknown[j]);
            double *most = &e->most[kind == OF_ROWS ? i : j];
            if (kind == SEARCH && size > 0 && size < SLIGHT) return true;
            *most = fmax(*most, size);
        }
    }
    for (size_t k = 0; k < n && kind != SEARCH; k++)
        if (e->most[k] > 0 && isfinite(unit[k] * e->most[k]))
            unit[k] *= e->most[k];
    return false;
}

/* Sizes of entries; errors count as 0. */
static dae_status load(const dae_problem *p, const uint8_t *is_error, double t,
    const double *x, const double *xp, entries *e)
{
    const dae_status st = p->jacobian(p->self, DAE_ALL, t, x, xp, e->value);
    const int64_t count = e->pattern->column_start[e->columns];
    for (int64_t k = 0; k < count && !st; k++)
        e->value[k] = is_error && is_error[k] ? 0 : fabs(e->value[k]);
    return st;
}

static dae_status look(const dae_problem *p, const layout *l, double t,
    const double *x, const double *xp, const uint8_t *is_error, arena *memory,
    bool *is_found)
{
    const size_t n = p->unknown_count;
    entries e = {.pattern = p->pattern, .layout = l, .columns = l->states + n};
    const size_t count = (size_t)p->pattern->column_start[e.columns];
    e.value = ARENA_ARRAY(memory, double, count + 1);
    e.row = ARENA_ARRAY(memory, double, n);
    e.unknown = ARENA_ARRAY(memory, double, n);
    e.most = ARENA_ARRAY(memory, double, n);
    if (!e.value || !e.row || !e.unknown || !e.most) return DAE_MEMORY;
    const dae_status st = load(p, is_error, t, x, xp, &e);
    if (st) return st;
    for (size_t k = 0; k < n; k++) e.row[k] = e.unknown[k] = 1;
    for (int k = 0; k < SWEEPS; k++) {
        (void)pass(&e, OF_ROWS);
        (void)pass(&e, OF_UNKNOWNS);
    }
    *is_found = pass(&e, SEARCH);
    return DAE_OK;
}

dae_status slight_find(const dae_problem *problem, double t, const double *x,
    const double *xp, const uint8_t *is_error, const dae_allocator *allocator,
    bool *is_found)
{
    const dae_pattern *s = problem->pattern;
    arena memory;
    layout l;
    *is_found = false;
    if (!problem->jacobian || !s || !s->column_start) return DAE_OK;
    dae_status st = layout_init(&l, problem, allocator);
    if (st) return st;
    arena_init(&memory, alloc_or_default(allocator), 0);
    st = look(problem, &l, t, x, xp, is_error, &memory, is_found);
    if (st == DAE_LIMIT) *is_found = true;
    arena_clear(&memory);
    layout_clear(&l);
    return st == DAE_RETRY || st == DAE_LIMIT ? DAE_OK : st;
}
