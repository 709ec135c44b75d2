/* The callbacks of a reduced problem: those of the extended one, with columns
 * and rows in another order, and the relations of a stabilized one. */
#include "reduce/face.h"
#include <stdio.h>

void reduced_gather(
    const reduced *r, const double *columns, double *x, double *xp)
{
    const size_t states = r->layout.states;
    for (size_t s = 0; s < states; s++) {
        const int32_t from = r->column_of[s];
        x[s] = from >= 0 ? columns[from] : 0;
    }
    for (size_t j = 0; j < r->layout.unknowns; j++) {
        const int32_t from = r->column_of[states + j];
        xp[j] = from >= 0 ? columns[from] : 0;
    }
}

void reduced_scatter(
    const reduced *r, const double *x, const double *xp, double *columns)
{
    const size_t states = r->layout.states;
    for (size_t p = 0; p < r->e->columns; p++) {
        const int32_t s = r->slot_of[p];
        columns[p] = s < 0       ? 0
            : (size_t)s < states ? x[s]
                                 : xp[(size_t)s - states];
    }
}

static dae_status residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    reduced *r = self;
    const dae_problem *e = &r->e->problem;
    reduced_scatter(r, x, xp, r->columns);
    const dae_status st = e->residual(e->self, t, r->columns, NULL, r->rows);
    if (st && st != DAE_RETRY) return st;
    const stabilizer *z = r->stabilizer;
    const size_t own = r->row_count;
    for (size_t i = 0; i < own; i++) res[i] = r->rows[r->row_of[i]];
    if (z)
        stabilizer_residual(
            z, x, xp, x + r->layout.states - z->count, res + own);
    if (st || !r->loose) return st;
    return loose_residual(r->loose, t, r->columns, res + own);
}

static void put_loose(reduced *r, double *values)
{
    loose *l = r->loose;
    loose_update(l, r->values);
    for (size_t k = 0; k < l->count; k++)
        for (size_t i = 0; i < l->rows; i++)
            values[r->loose_entry[k] + (int64_t)i] = l->n[i * l->count + k];
}

static dae_status jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    reduced *r = self;
    const dae_problem *e = &r->e->problem;
    const size_t slots = r->layout.states + r->layout.unknowns;
    const size_t entries = (size_t)r->pattern.column_start[slots];
    const size_t all = (size_t)e->pattern->column_start[r->e->columns];
    (void)scope; /* entries that do not vary get the value they have */
    reduced_scatter(r, x, xp, r->columns);
    const dae_status st = e->jacobian(
        e->self, DAE_ALL, t, r->columns, NULL, r->values);
    if (st && st != DAE_RETRY) return st;
    r->evaluations += !st;
    for (size_t k = 0; k < entries; k++) values[k] = 0;
    for (size_t k = 0; k < all; k++)
        if (r->target[k] >= 0) values[r->target[k]] += r->values[k];
    if (r->stabilizer) stabilizer_jacobian(r->stabilizer, r->values, values);
    if (r->loose) put_loose(r, values);
    return st;
}

static size_t explain(void *self, dae_name_kind kind, size_t index, double t,
    const double *x, const double *xp, char *text, size_t size)
{
    reduced *r = self;
    const dae_problem *e = &r->e->problem;
    if (size > 0) text[0] = '\0';
    if (kind != DAE_NAME_EQUATION || index >= r->row_count) return 0;
    reduced_scatter(r, x, xp, r->columns);
    return e->explain(e->self, kind, (size_t)r->row_of[index], t, r->columns,
        NULL, text, size);
}

/* The extended problem's number of equation or unknown `index`; SIZE_MAX: it
 * has none. */
static size_t number_of(const reduced *r, dae_name_kind kind, size_t index)
{
    int32_t number = (int32_t)index;
    if (kind == DAE_NAME_UNKNOWN) number = r->name_of[index];
    if (kind == DAE_NAME_EQUATION) number = r->row_of[index];
    return number < 0 ? SIZE_MAX : (size_t)number;
}

/* A multiplier by its constraint, a relation by what it is the slope of. */
static size_t name_added(
    const reduced *r, dae_name_kind kind, size_t index, char *text, size_t size)
{
    char of[160];
    const stabilizer *z = r->stabilizer;
    const dae_problem *e = &r->e->problem;
    if (kind == DAE_NAME_UNKNOWN) {
        const size_t k = index - (r->problem.unknown_count - z->count);
        (void)e->name(e->self, DAE_NAME_EQUATION, (size_t)z->constraint[k], of,
            sizeof of);
        return (size_t)snprintf(text, size, "multiplier of %s", of);
    }
    const size_t q = index - r->row_count;
    (void)e->name(
        e->self, DAE_NAME_UNKNOWN, (size_t)z->column[q], of, sizeof of);
    return (size_t)snprintf(text, size, "slope of %s", of);
}

/* "least lam[1], ..." */
static size_t loose_name(const reduced *r, char *text, size_t size)
{
    static const char least[] = "least ";
    const dae_problem *e = &r->e->problem;
    size_t length = 0;
    for (; least[length]; length++)
        if (length + 1 < size) text[length] = least[length];
    const size_t at = length < size ? length : size;
    return length
        + e->name(e->self, DAE_NAME_UNKNOWN, (size_t)r->loose->column[0],
            text + at, size - at);
}

static size_t name(
    void *self, dae_name_kind kind, size_t index, char *text, size_t size)
{
    const reduced *r = self;
    const dae_problem *e = &r->e->problem;
    const size_t number = number_of(r, kind, index);
    if (number != SIZE_MAX) return e->name(e->self, kind, number, text, size);
    return r->loose ? loose_name(r, text, size)
                    : name_added(r, kind, index, text, size);
}

static int place(void *self, dae_name_kind kind, size_t index,
    const struct dae_source **source, uint32_t *begin, uint32_t *end)
{
    const reduced *r = self;
    const dae_problem *e = &r->e->problem;
    const size_t number = number_of(r, kind, index);
    if (number == SIZE_MAX) return 0;
    return e->place(e->self, kind, number, source, begin, end);
}

void reduced_face(reduced *r)
{
    const dae_problem *e = &r->e->problem;
    dae_problem *p = &r->problem;
    p->self = r;
    p->residual = residual;
    p->jacobian = jacobian;
    p->pattern = &r->pattern;
    p->name = name;
    if (e->place) p->place = place;
    if (e->explain) p->explain = explain;
    p->is_smooth = r->original->is_smooth;
    p->events = r->original->events;
}
