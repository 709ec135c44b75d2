/* Values and entries of the extended problem: its unknowns become a curve, the
 * original's series give coefficients, and these times factorials are
 * derivatives. Where nothing is differentiated the original is called as it
 * is; who asks often gets a program for it. */
#include "extend/face.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static void drop_room(extension *x)
{
    alloc_free(x->allocator, x->room, x->room_size, sizeof *x->room);
    x->room = NULL;
    x->room_size = 0;
}

/* With so many `values`. */
static bool take_room(extension *x, size_t values)
{
    const layout *l = &x->layout;
    size_t curve, size;
    if (!size_mul(l->unknowns, x->stride, &curve)
        || !size_add(curve, l->states + l->unknowns, &size)
        || !size_add(size, values, &size))
        return false;
    if (x->room_size >= size) return true;
    drop_room(x);
    x->room = alloc_zeroed(x->allocator, size, sizeof *x->room);
    if (!x->room) return false;
    x->room_size = size;
    x->curve = x->room;
    x->x = x->curve + curve;
    x->xp = x->x + l->states;
    x->values = x->xp + l->unknowns;
    return true;
}

static bool take_coefficients(extension *x)
{
    return take_room(x, x->terms > 1 ? x->layout.unknowns * x->terms : 0);
}

static bool take_entries(extension *x)
{
    return take_room(x, x->source_entries * x->terms);
}

bool extended_take_room(extension *x)
{
    const size_t most = x->source_entries > x->layout.unknowns
        ? x->source_entries
        : x->layout.unknowns;
    return take_room(x, most * x->terms);
}

static void end_program(extend_program *program)
{
    if (program->derived.self) program->derived.release(program->derived.self);
    program->derived = (dae_derived){0};
}

void extended_ask_often(extended *e)
{
    extension *x = (extension *)e; /* `e` is its first field */
    x->is_often = true;
}

void extended_end_programs(extension *x)
{
    end_program(&x->rows);
    end_program(&x->entries);
}

void extended_release(void *self)
{
    extension *x = self;
    const dae_problem *p = x->problem;
    drop_room(x);
    if (p->release) p->release(p->self);
}

/* Unknowns are derivatives; curves have Taylor coefficients x^(l)/l!. What is
 * no unknown belongs to rows that are not asked for: 0. */
static void fill_curve(extension *x, const double *columns)
{
    double *curve = x->curve;
    for (size_t j = 0; j < x->layout.unknowns; j++, curve += x->stride) {
        const double *value = columns + x->e.column_first[j];
        const size_t known = (size_t)x->d[j] + 1;
        double factorial = 1;
        size_t l = 0;
        for (; l < known && l < 2; l++) curve[l] = value[l];
        if (l < known && l < x->stride) { /* most curves: no division */
            curve[l] = 0.5 * value[l];
            l++, factorial = 2;
        }
        for (; l < known && l < x->stride; l++) {
            factorial *= (double)l;
            curve[l] = value[l] / factorial;
        }
        for (; l < x->stride; l++) assert(curve[l] == 0);
    }
}

static void fill_slots(extension *x, const double *columns)
{
    const layout *l = &x->layout;
    for (size_t j = 0; j < l->unknowns; j++) {
        const double *value = columns + x->e.column_first[j];
        const size_t width = l->first[j + 1] - l->first[j];
        memcpy(x->x + l->first[j], value, width * sizeof *value);
        x->xp[j] = l->order[j] > 0 ? value[l->order[j]] : 0;
    }
}

static void forget(double *values, size_t count)
{
    for (size_t k = 0; k < count; k++) values[k] = (double)NAN;
}

/* Along the curve: those that are requested, where the problem can tell them
 * alone. */
static dae_status ask_coefficients(extension *x, double t)
{
    const dae_problem *p = x->problem;
    if (p->series_part)
        return p->series_part(
            p->self, x->need, x->terms, t, x->curve, x->stride, x->values);
    return p->series(p->self, x->terms, t, x->curve, x->stride, x->values);
}

/* Whatever a callback that refuses leaves unwritten is no value: it is asked again
 * with none in place. */
static dae_status find_coefficients(extension *x, double t)
{
    const dae_status st = ask_coefficients(x, t);
    if (st != DAE_RETRY) return st;
    forget(x->values, x->layout.unknowns * x->terms);
    return ask_coefficients(x, t);
}

static dae_status ask_entries(extension *x, double t)
{
    const dae_problem *p = x->problem;
    if (x->terms == 1)
        return p->jacobian(p->self, DAE_ALL, t, x->x, x->xp, x->values);
    if (p->series_jacobian_part)
        return p->series_jacobian_part(p->self, x->entry_need, x->terms, t,
            x->curve, x->stride, x->values);
    return p->series_jacobian(
        p->self, x->terms, t, x->curve, x->stride, x->values);
}

static dae_status find_entries(extension *x, double t)
{
    const dae_status st = ask_entries(x, t);
    if (st != DAE_RETRY) return st;
    forget(x->values, x->source_entries * x->terms);
    return ask_entries(x, t);
}

/* Coefficients times factorials; DAE_RETRY where one is not finite. */
static dae_status spread_coefficients(
    const extension *x, const double *coefficients, double *res)
{
    const size_t n = x->layout.unknowns, *first = x->e.row_first;
    const bool is_part = x->problem->series_part != NULL;
    double lost = 0; /* NaN: a value is not finite */
    for (size_t i = 0; i < n; i++) {
        double *row = res + first[i], factorial = 1;
        for (size_t k = 0; k < first[i + 1] - first[i]; k++) {
            if (k > 1) factorial *= (double)k;
            row[k] = factorial
                * coefficients[extend_place(is_part, n, x->terms, i, k)];
            lost += 0 * row[k];
        }
    }
    return lost == 0 ? DAE_OK : DAE_RETRY;
}

/* Makes a program where it is worth it. When it is made follows from the problem
 * alone, never from how many values were requested: the last digits of values
 * change with it. DAE_MEMORY. */
static dae_status prepare(extension *x, extend_program *program)
{
    const dae_problem *p = x->problem;
    const bool are_entries = program == &x->entries;
    const dae_derivation wanted = {
        x->e.row_first, x->e.column_first, are_entries ? &x->pattern : NULL};
    if (program->derived.self || program->is_refused) return DAE_OK;
    if (!x->is_often || !p->derive || x->terms == 1) return DAE_OK;
    const dae_status st = p->derive(p->self, &wanted, &program->derived);
    program->is_refused = st && st != DAE_MEMORY;
    return st == DAE_MEMORY ? st : DAE_OK;
}

/* All values by a program; DAE_RETRY: series are to be asked. */
static dae_status ask_program(extension *x, extend_program *program,
    size_t count, const double *t, const double *const *columns,
    double *const *values)
{
    const dae_derived *d = &program->derived;
    if (prepare(x, program)) return DAE_MEMORY;
    return d->self ? d->evaluate(d->self, count, t, columns, values)
                   : DAE_RETRY;
}

dae_status extended_residuals(void *self, size_t count, const double *t,
    const double *const *columns, const double *const *unused,
    double *const *res)
{
    extension *x = self;
    dae_status st = ask_program(x, &x->rows, count, t, columns, res);
    (void)unused;
    if (st != DAE_RETRY) return st;
    st = DAE_OK;
    for (size_t k = 0; k < count && !st; k++)
        st = extended_residual(self, t[k], columns[k], NULL, res[k]);
    return st;
}

dae_status extended_residual(void *self, double t, const double *columns,
    const double *unused, double *res)
{
    extension *x = self;
    const dae_problem *p = x->problem;
    (void)unused;
    const dae_status asked = ask_program(x, &x->rows, 1, &t, &columns, &res);
    if (asked != DAE_RETRY) return asked;
    if (!take_coefficients(x)) return DAE_MEMORY;
    if (x->terms == 1) {
        fill_slots(x, columns);
        return p->residual(p->self, t, x->x, x->xp, res);
    }
    fill_curve(x, columns);
    const dae_status st = find_coefficients(x, t);
    if (st && st != DAE_RETRY) return st;
    const dae_status spread = spread_coefficients(x, x->values, res);
    return spread ? spread : st;
}

/* Sums of terms, by entries; DAE_RETRY where one is not finite. */
static dae_status sum_terms(
    const extension *x, const double *source, double *values)
{
    const size_t entries = (size_t)x->pattern.column_start[x->e.columns];
    const uint32_t *at = x->term.source;
    const uint16_t *factor = x->term.factor;
    const double *by = x->factors;
    double lost = 0; /* NaN: a value is not finite */
    for (size_t e = 0; e < entries; e++) {
        double sum = 0;
        do sum += by[*factor & ~EXTEND_LAST] * source[*at++];
        while (!(*factor++ & EXTEND_LAST));
        values[e] = sum;
        lost += 0 * sum;
    }
    return lost == 0 ? DAE_OK : DAE_RETRY;
}

dae_status extended_jacobian(void *self, dae_scope scope, double t,
    const double *columns, const double *unused, double *values)
{
    extension *x = self;
    (void)unused;
    (void)scope; /* entries that do not vary get the value they have */
    const dae_status asked = ask_program(
        x, &x->entries, 1, &t, &columns, &values);
    if (asked != DAE_RETRY) return asked;
    if (!take_entries(x)) return DAE_MEMORY;
    if (x->terms == 1) fill_slots(x, columns);
    else fill_curve(x, columns);
    const dae_status st = find_entries(x, t);
    if (st && st != DAE_RETRY) return st;
    const dae_status sum = sum_terms(x, x->values, values);
    return sum ? sum : st;
}

dae_status extended_conditions(void *self, double t, const double *columns,
    const double *unused, double *res)
{
    extension *x = self;
    const dae_problem *p = x->problem;
    (void)unused;
    if (!take_room(x, 0)) return DAE_MEMORY;
    fill_slots(x, columns);
    return p->start->condition_residual(p->self, t, x->x, x->xp, res);
}

dae_status extended_condition_jacobian(void *self, dae_scope scope, double t,
    const double *columns, const double *unused, double *values)
{
    extension *x = self;
    const dae_problem *p = x->problem;
    const size_t entries =
        (size_t)x->start.condition_pattern.column_start[x->e.columns];
    (void)unused;
    (void)scope;
    if (!take_room(x, 0)) return DAE_MEMORY;
    fill_slots(x, columns);
    const dae_status st = p->start->condition_jacobian(
        p->self, DAE_ALL, t, x->x, x->xp, x->condition_values);
    for (size_t e = 0; e < entries && !st; e++)
        values[e] = x->condition_values[x->condition_at[e]];
    return st;
}

dae_status extended_denominators(void *self, double t, const double *columns,
    const double *unused, double *values)
{
    extension *x = self;
    const dae_problem *p = x->problem;
    (void)unused;
    if (!take_room(x, 0)) return DAE_MEMORY;
    fill_slots(x, columns);
    return p->denominators->evaluate(p->self, t, x->x, x->xp, values);
}

static size_t explain_row(extension *x, size_t row, double t,
    const double *columns, char *text, size_t size)
{
    const dae_problem *p = x->problem;
    const size_t i = (size_t)x->e.row_equation[row];
    const size_t terms = row - x->e.row_first[i] + 1;
    if (!p->series_explain || x->terms == 1 || !take_room(x, 0)) return 0;
    fill_curve(x, columns);
    return p->series_explain(
        p->self, i, terms, t, x->curve, x->stride, text, size);
}

static size_t explain_plain(extension *x, dae_name_kind kind, size_t index,
    double t, const double *columns, char *text, size_t size)
{
    const dae_problem *p = x->problem;
    if (!p->explain || !take_room(x, 0)) return 0;
    fill_slots(x, columns);
    return p->explain(p->self, kind, index, t, x->x, x->xp, text, size);
}

size_t extended_explain(void *self, dae_name_kind kind, size_t index, double t,
    const double *columns, const double *unused, char *text, size_t size)
{
    extension *x = self;
    size_t length = 0;
    (void)unused;
    if (size > 0) text[0] = '\0';
    if (kind == DAE_NAME_UNKNOWN) index = (size_t)x->e.column_unknown[index];
    if (kind == DAE_NAME_EQUATION) {
        length = explain_row(x, index, t, columns, text, size);
        index = (size_t)x->e.row_equation[index];
    }
    return length ? length
                  : explain_plain(x, kind, index, t, columns, text, size);
}

/* Derivatives of rows that are requested are rows themselves, so `order` is
 * 0. */
dae_status extended_sides(void *self, dae_name_kind kind, size_t index,
    size_t order, double t, const double *columns, size_t stride,
    double sides[2])
{
    extension *x = self;
    const dae_problem *p = x->problem;
    size_t original = index, k = 0;
    (void)stride; /* unknowns without derivatives: 1 */
    if (order > 0) return DAE_UNSUPPORTED;
    if (kind == DAE_NAME_EQUATION) {
        if (index >= x->e.rows) return DAE_ARGUMENT;
        original = (size_t)x->e.row_equation[index];
        k = index - x->e.row_first[original];
    }
    if (!take_room(x, 0)) return DAE_MEMORY;
    fill_curve(x, columns);
    return p->sides(p->self, kind, original, k, t, x->curve, x->stride, sides);
}
