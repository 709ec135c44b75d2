/* Costs are compared at an error that was measured with each, never at a
 * tolerance: what one method makes of a tolerance another does not. */
#include "orders_view.h"
#include <math.h>

/* ---- at equal error ---- */

static size_t count_reaching(const orders_view *v, double error)
{
    size_t count = 0, length;
    for (size_t i = 0; i < v->run_count; i += length) {
        length = dae_orders_series(v->orders, i);
        if (!isnan(dae_orders_cost(v->orders, i, error))) count++;
    }
    return count;
}

/* The smallest power of ten that most series come to. */
static double choose_error(const orders_view *v, size_t *reaching)
{
    double best = (double)NAN;
    *reaching = 1;
    for (int power = -1; power >= -14; power--) {
        const double error = pow(10, power);
        const size_t count = count_reaching(v, error);
        if (count < *reaching || count < 2) continue;
        *reaching = count;
        best = error;
    }
    return best;
}

/* To three digits, since it lies between two runs. */
static double rounded(double cost)
{
    const double unit = pow(10, floor(log10(cost)) - 2);
    return round(cost / unit) * unit;
}

snippet orders_series_name(const dae_orders_run *row)
{
    if (!row->max_order) return snippet_of("%s", row->method);
    return snippet_of("%s %s order %d", row->method,
        row->is_held ? "of" : "up to", row->max_order);
}

/* With "as it stands" where that is one of two ways. */
static snippet series_of(const orders_view *v, size_t run)
{
    const dae_orders_run *row = orders_run(v, run);
    return snippet_of("%s%s", orders_series_name(row).s,
        row->is_unreduced  ? " as it stands"
            : v->index > 1 ? " with the index reduced"
                           : "");
}

static void tell_cheapest(const orders_view *v, phrase *p)
{
    size_t reaching, length, best = 0, worst = 0;
    double least = (double)INFINITY, most = 0;
    const double error = choose_error(v, &reaching);
    if (isnan(error)) return;
    for (size_t i = 0; i < v->run_count; i += length) {
        length = dae_orders_series(v->orders, i);
        const double cost = dae_orders_cost(v->orders, i, error);
        if (cost < least) best = i, least = cost;
        if (cost > most) worst = i, most = cost;
    }
    phrase_add(p,
        "For an error of %.0e %s takes the fewest residual evaluations, about "
        "%.0f",
        error, series_of(v, best).s, rounded(least));
    if (best != worst)
        phrase_add(
            p, "; %s takes about %.0f", series_of(v, worst).s, rounded(most));
    phrase_put(p, ". ");
}

/* ---- as it stands, and reduced ---- */

/* The row that differs from this one by the way alone. */
static const dae_orders_run *partner(
    const orders_view *v, const dae_orders_run *row)
{
    for (size_t i = 0; i < v->run_count; i++) {
        const dae_orders_run *other = orders_run(v, i);
        if (other->is_unreduced && other->method == row->method
            && other->max_order == row->max_order
            && !(fabs(other->rtol - row->rtol) > 0))
            return other;
    }
    return NULL;
}

/* One that a method chooses is the last of all. */
static int place_of(const dae_orders_run *row)
{
    return row->max_order ? row->max_order : INT32_MAX;
}

static void tell_ways(const orders_view *v, phrase *p)
{
    const dae_orders_run *last = NULL, *other;
    for (size_t i = 0; i < v->run_count; i++) {
        const dae_orders_run *row = orders_run(v, i);
        if (row->is_unreduced || row->status) continue;
        if (!last || place_of(row) > place_of(last)
            || (row->max_order == last->max_order && row->rtol < last->rtol))
            last = row;
    }
    if (!last || !(other = partner(v, last))) return;
    phrase_add(p,
        "At rtol = %.0e %s has with the index reduced an error of %.1e",
        last->rtol, last->method, last->error);
    if (other->status) phrase_put(p, "; as it stands the run fails. ");
    else
        phrase_add(p, ", as it stands one of %.1e with %.3g times the steps. ",
            other->error,
            (double)other->stats.steps / (double)last->stats.steps);
}

void orders_tell_runs(const orders_view *v, phrase *p)
{
    if (v->run_count == 0) return;
    tell_cheapest(v, p);
    tell_ways(v, p);
    orders_tell_end(p);
}

/* ---- wrong starts ---- */

/* An effect below this part of the largest is none any more. */
static const double GONE = 1e-9;

typedef struct effect {
    double first, largest, end; /* by what the wrong start changes values */
    size_t last;                /* the last computed point it changes, from 1 */
    bool stays;
} effect;

static effect effect_of(
    const orders_view *v, size_t order, size_t step, size_t variable)
{
    const size_t n = v->variable_count;
    const dae_orders_row *right = dae_orders_row_at(v->fixed, order, step);
    const dae_orders_row *wrong = dae_orders_row_at(v->wrong, order, step);
    effect e = {.end = wrong->errors[DAE_ORDERS_END][variable]
            - right->errors[DAE_ORDERS_END][variable]};
    double by[DAE_ORDERS_EARLY] = {0};
    for (size_t i = 0; i < DAE_ORDERS_EARLY && (int64_t)i < wrong->steps; i++) {
        by[i] = wrong->early[i * n + variable] - right->early[i * n + variable];
        e.largest = fmax(e.largest, fabs(by[i]));
    }
    e.first = by[0];
    for (size_t i = 0; i < DAE_ORDERS_EARLY; i++)
        if (fabs(by[i]) > GONE * e.largest) e.last = i + 1;
    e.stays = e.last == DAE_ORDERS_EARLY || (int64_t)e.last == wrong->steps;
    return e;
}

static double power_of_step(const orders_view *v, size_t variable, double fine)
{
    const size_t s = dae_orders_step_count(v->wrong) - 1;
    if (s == 0) return (double)NAN;
    const effect coarse = effect_of(v, 0, s - 1, variable);
    return log(coarse.largest / fine)
        / log(dae_orders_row_at(v->wrong, 0, s - 1)->step
            / dae_orders_row_at(v->wrong, 0, s)->step);
}

static void tell_effect(const orders_view *v, size_t variable, phrase *p)
{
    const size_t s = dae_orders_step_count(v->wrong) - 1;
    const effect e = effect_of(v, 0, s, variable);
    const double floor = dae_orders_row_at(v->fixed, 0, s)->floors[variable];
    phrase_put(p, orders_view_name(v, variable));
    if (!(e.largest > floor)) {
        phrase_put(p, " is not affected. ");
        return;
    }
    phrase_add(p, " is wrong by %.3g in the first step at h = %.6g", e.first,
        dae_orders_row_at(v->wrong, 0, s)->step);
    const double power = power_of_step(v, variable, e.largest);
    if (power < -0.5)
        phrase_add(p, ", and by more the shorter it is (as h^%.0f)", power);
    if (e.stays) phrase_add(p, ", and by %.3g at the end. ", e.end);
    else phrase_add(p, "; right again from step %zu on. ", e.last + 1);
}

void orders_tell_wrong(const orders_view *v, phrase *p)
{
    const pair_list *given = &v->args->perturbs;
    if (v->is_part) return;
    if (!v->wrong
        || dae_orders_row_at(v->fixed, 0, dae_orders_step_count(v->wrong) - 1)
               ->status)
        return;
    phrase_put(p, "With ");
    for (size_t i = 0; i < given->count; i++)
        if (phrase_next(p, i, given->count, SIZE_MAX))
            phrase_add(p, "%s wrong by %s", given->items[i].name,
                given->items[i].value);
    phrase_add(p, " at the start, and %s: ",
        orders_method_name(dae_orders_formula_at(v->wrong, 0)->order).s);
    for (size_t k = 0; k < v->variable_count && k < 8; k++)
        tell_effect(v, k, p);
    phrase_put(p,
        "That is what the wrong start adds; the tables have whole "
        "errors, with those of the formula. ");
    orders_tell_end(p);
}

/* Orders of methods at fixed steps: of each, whether the errors of the run fall as
 * its order says, and which unknowns do otherwise. */

/* How near a measured order is to a method's, or by what part of it: a high one is that
 * of shorter steps than rounding leaves. And unknowns that are named. */
static const double NEAR = 0.25, PART = 0.05;

enum { NAMED = 3, MOST_ORDERS = 16 };

/* The order of a variable is what the formula's says; *seen: there is one. */
static bool is_as_said(
    const dae_orders_steps *f, size_t formula, size_t variable, bool *seen)
{
    const double order = dae_orders_observed(
        f, formula, DAE_ORDERS_LARGEST, variable);
    const double said = dae_orders_formula_at(f, formula)->order;
    *seen = *seen || !isnan(order);
    return isnan(order) || fabs(order - said) <= fmax(NEAR, PART * said);
}

static bool is_other(
    const dae_orders_steps *f, size_t from, size_t count, size_t variable)
{
    bool seen = false;
    for (size_t i = 0; i < count; i++)
        if (!is_as_said(f, from + i, variable, &seen)) return true;
    return false;
}

static bool has_orders(const orders_view *v, size_t from, size_t count)
{
    bool seen = false;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < v->variable_count; k++)
            (void)is_as_said(v->fixed, from + i, k, &seen);
    return seen;
}

/* "2", or "1, 2, 2" of formulas of several orders. */
static void put_orders(const dae_orders_steps *f, size_t from, size_t count,
    size_t variable, phrase *p)
{
    for (size_t i = 0; i < count; i++) {
        const double order = dae_orders_observed(
            f, from + i, DAE_ORDERS_LARGEST, variable);
        phrase_add(p, "%s%s", i ? ", " : "",
            isnan(order) ? "-" : snippet_of("%.1f", order + 0.0).s);
    }
}

/* Of the formulas that show an order: "5", "1 to 5", "5, 9 and 13". */
static void put_said(const orders_view *v, size_t from, size_t count, phrase *p)
{
    int orders[MOST_ORDERS] = {0};
    size_t seen = 0;
    for (size_t i = 0; i < count; i++)
        if (has_orders(v, from + i, 1) && seen < MOST_ORDERS)
            orders[seen++] = dae_orders_formula_at(v->fixed, from + i)->order;
    const bool is_run = orders[seen - 1] - orders[0] == (int)seen - 1;
    for (size_t i = 0; i < seen && !is_run && phrase_next(p, i, seen, seen);
         i++)
        phrase_add(p, "%d", orders[i]);
    if (is_run) phrase_add(p, "%d", orders[0]);
    if (is_run && seen > 1) phrase_add(p, " to %d", orders[seen - 1]);
}

static void put_others(
    const orders_view *v, size_t from, size_t count, size_t others, phrase *p)
{
    const dae_orders_steps *f = v->fixed;
    size_t told = 0;
    for (size_t k = 0; k < v->variable_count; k++) {
        if (!is_other(f, from, count, k)) continue;
        if (!phrase_next(p, told++, others, NAMED)) return;
        phrase_add(p, "%s of ", orders_view_name(v, k));
        put_orders(f, from, count, k, p);
    }
}

static void tell_method(
    const orders_view *v, size_t from, size_t count, phrase *p)
{
    const dae_orders_steps *f = v->fixed;
    const dae_orders_formula *first = dae_orders_formula_at(f, from);
    size_t others = 0;
    for (size_t k = 0; k < v->variable_count; k++)
        others += is_other(f, from, count, k);
    phrase_add(p, "%s%s: ", first->method,
        v->index <= 1             ? ""
            : first->is_unreduced ? ", as it stands"
                                  : ", index reduced");
    if (!has_orders(v, from, count)) {
        phrase_put(p, "these steps show no order. ");
        return;
    }
    if (others < v->variable_count) {
        phrase_put(p, "errors of the run are of order ");
        put_said(v, from, count, p);
        phrase_put(p, others ? ", but for " : "");
    }
    put_others(v, from, count, others, p);
    phrase_put(p, ". ");
}

void orders_tell_methods(const orders_view *v, phrase *p)
{
    const dae_orders_steps *f = v->fixed;
    size_t count;
    if (!v->is_by_method) return;
    for (size_t o = 0; o < dae_orders_formula_count(f); o += count) {
        count = orders_formulas_alike(f, o);
        tell_method(v, o, count, p);
    }
    orders_tell_end(p);
}
