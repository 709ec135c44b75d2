/* A view's residual and Jacobian: rows of the extended problem's summed with their
 * weights; weights that vary are found anew at each point. */
#include "repair/repaired_values.h"
#include "linalg/naming.h"
#include "linalg/thresholds.h"
#include "repair/row_dependency.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- slots --------------------------------------------------------------------- */

static void fill_slots(view *v, const double *x, const double *xp)
{
    const layout *l = &v->layout;
    memcpy(v->slot, v->stray, v->slot_first[l->unknowns] * sizeof *v->slot);
    for (size_t j = 0; j < l->unknowns; j++) {
        double *slot = v->slot + v->slot_first[j];
        const size_t width = l->first[j + 1] - l->first[j];
        memcpy(slot, x + l->first[j], width * sizeof *x);
        if (l->order[j] > 0) slot[l->order[j]] = xp[j];
    }
}

/* ---- factors ------------------------------------------------------------------- */

double view_sum(
    const view *v, const view_part *parts, size_t count, double *magnitude)
{
    double sum = 0, all = 0;
    for (size_t k = 0; k < count; k++) {
        const view_part *q = &parts[k];
        double value = q->weight * v->extended_values[q->entry];
        if (q->factor >= 0) value *= v->factor[q->factor];
        sum += value;
        all += fabs(value);
    }
    *magnitude = all;
    return sum;
}

static bool find_factors(view *v, const view_varying *w)
{
    const plan_row *r = v->plan->row[w->row];
    double *factor = v->factor + w->first_factor;
    for (size_t cell = 0; cell < r->members * r->pivot_count; cell++) {
        double magnitude;
        double sum = 0;
        for (size_t k = w->pivot_begin[cell]; k < w->pivot_begin[cell + 1];
             k++) {
            view_part part = w->pivot_part[k];
            part.factor = -1;
            sum += view_sum(v, &part, 1, &magnitude);
        }
        v->work[cell] = sum;
    }
    assert(r->members > 1 && w->pivot_begin);
    const bool is_found = circuit_weights(
        r->members, r->pivot_count, v->work, factor);
    factor[r->members - 1] = 1;
    return is_found;
}

dae_status view_move(
    view *v, double t, const double *x, const double *xp, unsigned wanted)
{
    const extended *e = v->extended;
    const dae_problem *p = &e->problem;
    dae_status st;
    assert(e->column_first[v->plan->unknowns] == e->columns);
    v->lacks_factors = false;
    fill_slots(v, x, xp);
    for (size_t j = 0; j < v->plan->unknowns; j++) {
        const size_t begin = e->column_first[j];
        memcpy(v->extended_x + begin, v->slot + v->slot_first[j],
            (e->column_first[j + 1] - begin) * sizeof *v->slot);
    }
    if (wanted & VIEW_VALUES) {
        st = p->residual(p->self, t, v->extended_x, NULL, v->extended_res);
        if (st) return st;
    }
    if (!(wanted & VIEW_JACOBIAN)) return DAE_OK;
    st = p->jacobian(
        p->self, DAE_ALL, t, v->extended_x, NULL, v->extended_values);
    if (st) return st;
    for (size_t k = 0; k < v->varying_count && !v->lacks_factors; k++)
        v->lacks_factors = !find_factors(v, &v->varying[k]);
    return v->lacks_factors ? DAE_RETRY : DAE_OK;
}

/* ---- values -------------------------------------------------------------------- */

double view_value(
    const view *v, const dae_term *terms, size_t count, double *magnitude)
{
    const extended *e = v->extended;
    double sum = 0, all = 0;
    for (size_t k = 0; k < count; k++) {
        const dae_term *t = &terms[k];
        const double value = t->weight
            * v->extended_res[e->row_first[t->equation] + (size_t)t->order];
        sum += value;
        all += fabs(value);
    }
    *magnitude = all;
    return sum;
}

static double row_value(const view *v, size_t row)
{
    const plan_row *r = v->plan->row[row];
    double magnitude, sum = 0;
    const dae_term alone = {(int32_t)row, 0, 1};
    if (!r) return view_value(v, &alone, 1, &magnitude);
    if (r->members == 1) return view_value(v, r->term, r->count, &magnitude);
    for (size_t k = 0; k < v->varying_count; k++) {
        if (v->varying[k].row != (int32_t)row) continue;
        for (size_t g = 0; g < r->members; g++)
            sum += v->factor[v->varying[k].first_factor + g]
                * view_value(v, r->term + r->start[g],
                    r->start[g + 1] - r->start[g], &magnitude);
    }
    return sum;
}

dae_status view_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    view *v = self;
    const unsigned factors = v->varying_count > 0 ? VIEW_JACOBIAN : 0;
    const dae_status st = view_move(v, t, x, xp, VIEW_VALUES | factors);
    for (size_t r = 0; r < v->plan->unknowns && !st; r++)
        res[r] = row_value(v, r);
    return st;
}

/* ---- slopes of factors --------------------------------------------------------- */

static dae_status factors_at(view *v, double t, double *slot, double to)
{
    const double keep = *slot;
    *slot = to;
    const dae_status st = view_move(v, t, v->x, v->xp, VIEW_JACOBIAN);
    *slot = keep;
    return st;
}

static double size_of(const view *v, size_t column, double value)
{
    const dae_scales *s = v->problem.scales;
    int order;
    const size_t j = naming_unknown(&v->layout, column, &order);
    if (value != 0) return fabs(value);
    return s && s->nominal && s->nominal[j] > 0 ? s->nominal[j] : 1;
}

/* The sum of the members' values times the derivatives of their factors by one
 * slot; nothing where the factors do not change at all. */
static dae_status find_slope(view *v, const view_varying *w, double t,
    size_t column, double *slope, double *magnitude)
{
    static const double sixth[] = {0.75, -0.15, 1.0 / 60};
    static const double fourth[] = {2.0 / 3, -1.0 / 12, 0};
    const size_t members = v->plan->row[w->row]->members;
    const size_t states = v->layout.states;
    double *slot = column < states ? &v->x[column] : &v->xp[column - states];
    const double h = DIFFERENCE_STEP * size_of(v, column, *slot), from = *slot;
    double fine = 0, coarse = 0;
    dae_status st;
    *slope = *magnitude = 0;
    for (int k = 1; k <= 3; k++) {
        for (int sign = 1; sign >= -1; sign -= 2) {
            if ((st = factors_at(v, t, slot, from + sign * k * h))) return st;
            const double *now = v->factor + w->first_factor;
            if (k == 1 && sign == 1
                && memcmp(now, w->base, members * sizeof *now) == 0)
                return DAE_OK;
            for (size_t g = 0; g < members; g++) {
                const double change = sign * (now[g] - w->base[g]) / h;
                fine += sixth[k - 1] * change * w->value[g];
                coarse += fourth[k - 1] * change * w->value[g];
                *magnitude += fabs(w->base[g] * w->value[g]) * DIFFERENCE_STEP
                    / h;
            }
        }
    }
    *slope = fine;
    *magnitude += fabs(fine);
    return fabs(fine - coarse) <= DIFFERENCE_TRUST * *magnitude ? DAE_OK
                                                                : DAE_RETRY;
}

static void keep_base(view *v, view_varying *w)
{
    const plan_row *r = v->plan->row[w->row];
    for (size_t g = 0; g < r->members; g++) {
        double magnitude;
        w->base[g] = v->factor[w->first_factor + g];
        w->value[g] = view_value(v, r->term + r->start[g],
            r->start[g + 1] - r->start[g], &magnitude);
    }
    for (size_t k = 0; k < w->entry_count; k++) {
        const size_t e = w->entry[k];
        w->sum[k] = view_sum(v, v->parts.items + v->begin[e],
            v->end[e] - v->begin[e], &w->magnitude[k]);
    }
}

static dae_status add_slopes(
    view *v, const view_varying *w, double t, double *values)
{
    for (size_t k = 0; k < w->entry_count; k++) {
        double slope, magnitude;
        const dae_status st = find_slope(
            v, w, t, w->column[k], &slope, &magnitude);
        if (st) return st;
        const double zero = magnitude > 0 ? HALF_DIGITS : CIRCUIT_ZERO;
        const double sum = w->sum[k] + slope;
        const bool is_zero = fabs(sum) <= zero * (w->magnitude[k] + magnitude);
        values[w->entry[k]] = is_zero ? 0 : sum;
    }
    return DAE_OK;
}

dae_status view_jacobian(void *self, dae_scope scope, double t, const double *x,
    const double *xp, double *values)
{
    view *v = self;
    const layout *l = &v->layout;
    const unsigned values_too = v->varying_count > 0 ? VIEW_VALUES : 0;
    dae_status st = view_move(v, t, x, xp, VIEW_JACOBIAN | values_too);
    (void)scope; /* entries that do not vary get the value they have */
    if (st) return st;
    for (size_t e = 0; e < v->entries; e++) {
        double magnitude;
        const double sum = view_sum(v, v->parts.items + v->begin[e],
            v->end[e] - v->begin[e], &magnitude);
        values[e] = fabs(sum) <= CIRCUIT_ZERO * magnitude ? 0 : sum;
    }
    for (size_t k = 0; k < v->varying_count; k++) keep_base(v, &v->varying[k]);
    memcpy(v->x, x, l->states * sizeof *x);
    memcpy(v->xp, xp, l->unknowns * sizeof *xp);
    for (size_t k = 0; k < v->varying_count && !st; k++)
        st = add_slopes(v, &v->varying[k], t, values);
    return st;
}
