/* Values and entries of the extended problem: its unknowns become a curve, the
 * original's series give coefficients, and these times factorials are
 * derivatives. Where nothing is differentiated the original is called as it
 * is. */
#include "extend/face.h"
#include <math.h>
#include <string.h>

/* Unknowns are derivatives; curves have Taylor coefficients x^(l)/l!. What is
 * no unknown belongs to rows that are not asked for: 0. */
static void fill_curve(extension *x, const double *columns)
{
    for (size_t j = 0; j < x->layout.unknowns; j++) {
        const double *value = columns + x->e.column_first[j];
        const size_t known = (size_t)x->d[j] + 1;
        double *curve = x->curve + j * x->stride, factorial = 1;
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
        for (; l < x->stride; l++) curve[l] = 0;
    }
}

void extended_to_slots(extension *x, const double *columns)
{
    const layout *l = &x->layout;
    for (size_t j = 0; j < l->unknowns; j++) {
        const double *value = columns + x->e.column_first[j];
        const size_t width = l->first[j + 1] - l->first[j];
        memcpy(x->x + l->first[j], value, width * sizeof *value);
        x->xp[j] = l->order[j] > 0 ? value[l->order[j]] : 0;
    }
}

/* Whatever a callback that refuses leaves unwritten is no value. */
static void forget(double *values, size_t count)
{
    for (size_t k = 0; k < count; k++) values[k] = (double)NAN;
}

/* Along the curve: those that are asked for, where the problem can tell them
 * alone. */
static dae_status find_coefficients(extension *x, double t)
{
    const dae_problem *p = x->problem;
    if (p->series_part)
        return p->series_part(p->self, x->need, x->terms, t, x->curve,
            x->stride, x->coefficients);
    return p->series(
        p->self, x->terms, t, x->curve, x->stride, x->coefficients);
}

static dae_status find_entries(extension *x, double t)
{
    const dae_problem *p = x->problem;
    if (p->series_jacobian_part)
        return p->series_jacobian_part(p->self, x->entry_need, x->terms, t,
            x->curve, x->stride, x->entries);
    return p->series_jacobian(
        p->self, x->terms, t, x->curve, x->stride, x->entries);
}

dae_status extended_residual(void *self, double t, const double *columns,
    const double *unused, double *res)
{
    extension *x = self;
    const dae_problem *p = x->problem;
    dae_status st;
    (void)unused;
    if (x->terms == 1) {
        extended_to_slots(x, columns);
        return p->residual(p->self, t, x->x, x->xp, res);
    }
    fill_curve(x, columns);
    const size_t n = x->layout.unknowns;
    forget(x->coefficients, n * x->terms);
    st = find_coefficients(x, t);
    if (st && st != DAE_RETRY) return st;
    for (size_t i = 0; i < n; i++) {
        double factorial = 1;
        for (size_t k = 0; k <= (size_t)x->c[i]; k++) {
            if (k > 1) factorial *= (double)k;
            const double f = x->coefficients[extend_place(
                p->series_part != NULL, n, x->terms, i, k)];
            const double value = factorial * f;
            res[x->e.row_first[i] + k] = value;
            if (!isfinite(value)) st = DAE_RETRY;
        }
    }
    return st;
}

dae_status extended_jacobian(void *self, dae_scope scope, double t,
    const double *columns, const double *unused, double *values)
{
    extension *x = self;
    const dae_problem *p = x->problem;
    const size_t entries = (size_t)x->pattern.column_start[x->e.columns];
    dae_status st;
    (void)unused;
    (void)scope; /* entries that do not vary get the value they have */
    forget(x->entries, x->source_entries * x->terms);
    if (x->terms == 1) {
        extended_to_slots(x, columns);
        st = p->jacobian(p->self, DAE_ALL, t, x->x, x->xp, x->entries);
    } else {
        fill_curve(x, columns);
        st = find_entries(x, t);
    }
    if (st && st != DAE_RETRY) return st;
    const extend_term *term = x->term;
    for (size_t e = 0; e < entries; e++) {
        double sum = 0;
        do sum += x->factors[term->factor] * x->entries[term->source];
        while (!term++->is_last);
        values[e] = sum;
        if (!isfinite(sum)) st = DAE_RETRY;
    }
    return st;
}

dae_status extended_conditions(void *self, double t, const double *columns,
    const double *unused, double *res)
{
    extension *x = self;
    const dae_problem *p = x->problem;
    (void)unused;
    extended_to_slots(x, columns);
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
    extended_to_slots(x, columns);
    const dae_status st = p->start->condition_jacobian(
        p->self, DAE_ALL, t, x->x, x->xp, x->condition_values);
    for (size_t e = 0; e < entries && !st; e++)
        values[e] = x->condition_values[x->condition_at[e]];
    return st;
}

static size_t explain_row(extension *x, size_t row, double t,
    const double *columns, char *text, size_t size)
{
    const dae_problem *p = x->problem;
    const size_t i = (size_t)x->e.row_equation[row];
    const size_t terms = row - x->e.row_first[i] + 1;
    size_t length = 0;
    if (x->terms > 1 && p->series_explain) {
        fill_curve(x, columns);
        length = p->series_explain(
            p->self, i, terms, t, x->curve, x->stride, text, size);
    }
    if (length == 0 && p->explain) {
        extended_to_slots(x, columns);
        length = p->explain(
            p->self, DAE_NAME_EQUATION, i, t, x->x, x->xp, text, size);
    }
    return length;
}

size_t extended_explain(void *self, dae_name_kind kind, size_t index, double t,
    const double *columns, const double *unused, char *text, size_t size)
{
    extension *x = self;
    const dae_problem *p = x->problem;
    (void)unused;
    if (size > 0) text[0] = '\0';
    if (kind == DAE_NAME_EQUATION)
        return explain_row(x, index, t, columns, text, size);
    if (!p->explain) return 0;
    if (kind == DAE_NAME_UNKNOWN) index = (size_t)x->e.column_unknown[index];
    extended_to_slots(x, columns);
    return p->explain(p->self, kind, index, t, x->x, x->xp, text, size);
}

/* Derivatives of rows that are asked for are rows themselves, so `order` is
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
    fill_curve(x, columns);
    return p->sides(p->self, kind, original, k, t, x->curve, x->stride, sides);
}
