/* So that start/ and repair/ take the extended problem for any other: names
 * with primes, places of the originals, start values and scales spread over
 * derivatives. */
#include "extend/face.h"
#include "extend/expand.h"
#include "linalg/naming.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- names and places ------------------------------------------------------ */

static size_t append(char *text, size_t size, size_t length, const char *more)
{
    for (; *more; more++, length++)
        if (length + 1 < size) text[length] = *more;
    if (size > 0) text[length < size ? length : size - 1] = '\0';
    return length;
}

static size_t plain_name(const dae_problem *p, dae_name_kind kind, size_t index,
    char *text, size_t size)
{
    char name[NAMING_SIZE];
    if (p->name) return p->name(p->self, kind, index, text, size);
    return append(
        text, size, 0, naming_text(p, kind, index, name, sizeof name));
}

/* As naming_slot: up to three primes, "der(x, 4)" above. */
static size_t derived_name(const dae_problem *p, dae_name_kind kind,
    size_t index, size_t order, char *text, size_t size)
{
    char number[32];
    if (order <= 3) {
        const size_t length = plain_name(p, kind, index, text, size);
        return append(text, size, length, &"'''"[3 - order]);
    }
    size_t length = append(text, size, 0, "der(");
    const size_t at = length < size ? length : size;
    length += plain_name(p, kind, index, text + at, size - at);
    snprintf(number, sizeof number, ", %zu)", order);
    return append(text, size, length, number);
}

/* The original's number of what is requested; false: it has none. */
static bool find_original(const extension *x, dae_name_kind kind, size_t index,
    size_t *original, size_t *order)
{
    const extended *e = &x->e;
    size_t j;
    *original = index;
    *order = 0;
    switch (kind) {
    case DAE_NAME_SWITCH:
    case DAE_NAME_EDGE:
    case DAE_NAME_WHEN:
    case DAE_NAME_DISCRETE:
    case DAE_NAME_ASSIGNMENT:
    case DAE_NAME_DENOMINATOR:
    case DAE_NAME_CONDITION: return true;
    case DAE_NAME_KINK:
    case DAE_NAME_KINKED:
        if (index >= e->rows) return false;
        *original = (size_t)e->row_equation[index];
        return true;
    case DAE_NAME_EQUATION:
        if (index >= e->rows) return false;
        *original = (size_t)e->row_equation[index];
        *order = index - e->row_first[*original];
        return true;
    case DAE_NAME_UNKNOWN:
        if (index >= e->columns) return false;
        *original = (size_t)e->column_unknown[index];
        *order = index - e->column_first[*original];
        return true;
    case DAE_NAME_START:
        if (index >= e->columns) return false;
        j = (size_t)e->column_unknown[index];
        *order = index - e->column_first[j];
        *original = x->layout.first[j] + *order;
        if (*original < x->layout.first[j + 1]) return true;
        *original = x->layout.states + j;
        return *order == x->layout.order[j];
    }
    return false;
}

static size_t face_name(
    void *self, dae_name_kind kind, size_t index, char *text, size_t size)
{
    const extension *x = self;
    size_t original, order;
    if (kind == DAE_NAME_START) kind = DAE_NAME_UNKNOWN;
    if (!find_original(x, kind, index, &original, &order))
        return append(text, size, 0, "");
    return derived_name(x->problem, kind, original, order, text, size);
}

static int face_place(void *self, dae_name_kind kind, size_t index,
    const struct dae_source **source, uint32_t *begin, uint32_t *end)
{
    const extension *x = self;
    const dae_problem *p = x->problem;
    size_t original, order;
    if (!find_original(x, kind, index, &original, &order)) return 0;
    return p->place(p->self, kind, original, source, begin, end);
}

/* Derivatives of one follow each other. */
static size_t face_position(void *self, dae_name_kind kind, size_t index)
{
    enum { ORDERS_MOST = DAE_SERIES_TERMS_MAX + UINT8_MAX + 1 };
    const extension *x = self;
    const dae_problem *p = x->problem;
    size_t original, order;
    if (!find_original(x, kind, index, &original, &order)) return SIZE_MAX;
    return p->position(p->self, kind, original) * ORDERS_MOST + order;
}

/* ---- start ----------------------------------------------------------------- */

static bool is_stated(const uint8_t *mask, const double *values, size_t k)
{
    return mask ? mask[k] != 0 : values && values[k] != 0;
}

static double known(const double *values, size_t k)
{
    return values ? values[k] : 0;
}

static dae_status make_values(extension *x)
{
    const dae_start *s = x->problem->start;
    const layout *l = &x->layout;
    const size_t columns = x->e.columns;
    double *value = ARENA_ARRAY(&x->arena, double, columns);
    uint8_t *is_fixed = ARENA_ARRAY(&x->arena, uint8_t, columns);
    uint8_t *unfixed = ARENA_ARRAY(&x->arena, uint8_t, columns);
    uint8_t *is_guessed = ARENA_ARRAY(&x->arena, uint8_t, columns);
    if (!value || !is_fixed || !unfixed || !is_guessed) return DAE_MEMORY;
    for (size_t j = 0; j < l->unknowns; j++) {
        const size_t at = x->e.column_first[j], q = l->order[j];
        for (size_t o = 0; l->first[j] + o < l->first[j + 1]; o++) {
            value[at + o] = known(s->x, l->first[j] + o);
            is_fixed[at + o] = s->x_fixed && s->x_fixed[l->first[j] + o];
            is_guessed[at + o] = is_stated(s->x_guessed, s->x, l->first[j] + o);
        }
        if (q == 0) continue;
        value[at + q] = known(s->xp, j);
        is_fixed[at + q] = s->xp_fixed && s->xp_fixed[j];
        is_guessed[at + q] = is_stated(s->xp_guessed, s->xp, j);
    }
    x->start.t0 = s->t0;
    x->start.is_of_run = s->is_of_run;
    x->start.x = value;
    x->start.xp = value; /* of unknowns without derivatives: unread */
    x->start.x_fixed = is_fixed;
    x->start.xp_fixed = unfixed;
    x->start.x_guessed = is_guessed;
    x->start.xp_guessed = unfixed;
    return DAE_OK;
}

/* The column of the original's pattern for extended column q; SIZE_MAX: there
 * is none. */
static size_t column_of(const extension *x, size_t q)
{
    size_t original, order;
    return find_original(x, DAE_NAME_START, q, &original, &order) ? original
                                                                  : SIZE_MAX;
}

static dae_status make_condition_pattern(
    extension *x, const dae_pattern *s, size_t entries)
{
    arena *a = &x->arena;
    const size_t columns = x->e.columns;
    int64_t *start = ARENA_ARRAY(a, int64_t, 2 * columns + 1);
    int32_t *row = ARENA_ARRAY(a, int32_t, entries);
    uint8_t *kind = ARENA_ARRAY(a, uint8_t, entries);
    size_t at = 0;
    x->condition_at = ARENA_ARRAY(a, int64_t, entries);
    x->condition_values = ARENA_ARRAY(a, double, entries);
    if (!start || !row || !kind || !x->condition_at || !x->condition_values)
        return DAE_MEMORY;
    for (size_t q = 0; q < columns; q++) {
        const size_t p = column_of(x, q);
        if (p != SIZE_MAX) {
            for (int64_t e = s->column_start[p]; e < s->column_start[p + 1];
                 e++, at++) {
                row[at] = s->row[e];
                kind[at] = s->kind ? s->kind[e] : DAE_ENTRY_VARYING;
                x->condition_at[at] = e;
            }
        }
        start[q + 1] = (int64_t)at;
    }
    for (size_t q = columns; q < 2 * columns; q++) start[q + 1] = start[q];
    x->start.condition_pattern = (dae_pattern){start, row, kind};
    return DAE_OK;
}

static dae_status make_start(extension *x)
{
    const dae_start *s = x->problem->start;
    const size_t columns = x->layout.states + x->layout.unknowns;
    dae_pattern full;
    dae_status st;
    if (!s) return DAE_OK;
    if ((st = make_values(x))) return st;
    x->e.problem.start = &x->start;
    if (s->condition_count == 0) return DAE_OK;
    x->start.condition_count = s->condition_count;
    x->start.condition_residual = extended_conditions;
    if (s->condition_jacobian)
        x->start.condition_jacobian = extended_condition_jacobian;
    const dae_pattern *source = &s->condition_pattern;
    if (!source->column_start) {
        if ((st = expand_full(x, s->condition_count, &full))) return st;
        source = &full;
    }
    return make_condition_pattern(
        x, source, (size_t)source->column_start[columns]);
}

/* ---- scales ---------------------------------------------------------------- */

/* `values` of the unknowns for all their derivatives, or (`is_bound`) for
 * the unknowns themselves, `other` for derivatives. */
static dae_status spread(extension *x, const double *values, bool is_bound,
    double other, const double **out)
{
    if (!values) return DAE_OK;
    double *spread = ARENA_ARRAY(&x->arena, double, x->e.columns);
    if (!spread) return DAE_MEMORY;
    for (size_t q = 0; q < x->e.columns; q++) {
        const size_t j = (size_t)x->e.column_unknown[q];
        const bool is_own = !is_bound || q == x->e.column_first[j];
        spread[q] = is_own ? values[j] : other;
    }
    *out = spread;
    return DAE_OK;
}

static dae_status make_scales(extension *x)
{
    const dae_scales *s = x->problem->scales;
    const double inf = (double)INFINITY;
    dae_status st;
    if (!s) return DAE_OK;
    x->e.problem.scales = &x->scales;
    if ((st = spread(x, s->nominal, false, 0, &x->scales.nominal))) return st;
    if ((st = spread(x, s->atol, false, 0, &x->scales.atol))) return st;
    if ((st = spread(x, s->minimum, true, -inf, &x->scales.minimum))) return st;
    return spread(x, s->maximum, true, inf, &x->scales.maximum);
}

static dae_status make_groups(extension *x)
{
    const uint8_t *group = x->problem->index_group;
    uint8_t *order = ARENA_ARRAY(&x->arena, uint8_t, x->e.columns);
    uint8_t *spread = ARENA_ARRAY(&x->arena, uint8_t, x->e.columns);
    if (!order || !spread) return DAE_MEMORY;
    for (size_t q = 0; group && q < x->e.columns; q++)
        spread[q] = group[x->e.column_unknown[q]];
    x->e.problem.order = order;
    x->e.problem.index_group = group ? spread : NULL;
    return DAE_OK;
}

dae_status face_make(extension *x)
{
    const dae_problem *p = x->problem;
    const bool has_jacobian = x->terms == 1 ? p->jacobian != NULL
                                            : p->series_jacobian != NULL;
    dae_status st;
    x->e.problem = (dae_problem){.self = x,
        .unknown_count = x->e.columns,
        .residual = extended_residual,
        .residuals = extended_residuals,
        .jacobian = has_jacobian ? extended_jacobian : NULL,
        .release = extended_release,
        .pattern = &x->pattern,
        .name = face_name,
        .place = p->place ? face_place : NULL,
        .position = p->position ? face_position : NULL,
        .explain = extended_explain,
        .denominators = p->denominators ? &x->denominators : NULL,
        .is_smooth = p->is_smooth,
        .sides = p->sides ? extended_sides : NULL};
    if (p->denominators) x->denominators = *p->denominators;
    x->denominators.evaluate = extended_denominators;
    x->denominators.positive_count = 0; /* its states are others */
    if ((st = make_groups(x))) return st;
    if ((st = make_scales(x))) return st;
    return make_start(x);
}
