/* Orders of methods at fixed steps: of each, whether the errors of the run fall as
 * its order says, and which unknowns do otherwise. */
#include "orders_tell.h"
#include <math.h>

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
        if (i) phrase_put(p, ", ");
        if (isnan(order)) phrase_put(p, "-");
        else phrase_add(p, "%.1f", order + 0.0);
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
    phrase_put(p, first->method);
    if (v->index > 1)
        phrase_put(
            p, first->is_unreduced ? ", as it stands" : ", index reduced");
    if (!has_orders(v, from, count)) {
        phrase_put(p, ": these steps show no order. ");
        return;
    }
    phrase_put(p, ": ");
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
