#include "orders_view.h"

void orders_view_fill(orders_view *v)
{
    const dae_orders *o = v->orders;
    v->fixed = dae_orders_steps_of(o, DAE_ORDERS_PLAN);
    v->unequal = dae_orders_steps_of(o, DAE_ORDERS_UNEQUAL);
    v->wrong = dae_orders_steps_of(o, DAE_ORDERS_PERTURBED);
    v->is_by_method = dae_orders_formula_count(v->fixed)
        && dae_orders_formula_at(v->fixed, 0)->method;
    v->pattern = dae_orders_pattern(o, &v->pattern_count);
    v->variable_count = dae_orders_unknown_count(o);
    v->run_count = dae_orders_run_count(o);
    v->index = dae_orders_index(o);
}

snippet orders_role(const orders_view *v, size_t variable)
{
    const dae_orders_unknown *u = orders_variable(v, variable);
    if (u->index <= 1 && u->has_derivative) return snippet_of("differential");
    return snippet_of("index %lld", (long long)u->index);
}

bool orders_view_is_long(const orders_view *v)
{
    return v->fixed && !v->is_by_method
        && dae_orders_reference_of_steps(v->orders).is_long;
}

bool orders_view_has_ways(const orders_view *v)
{
    return v->index > 1 && v->index <= 3;
}

size_t orders_formulas_alike(const dae_orders_steps *f, size_t first)
{
    const dae_orders_formula *a = dae_orders_formula_at(f, first), *b;
    size_t count = 1;
    while ((b = dae_orders_formula_at(f, first + count))
        && b->method == a->method && b->is_unreduced == a->is_unreduced)
        count++;
    return count;
}

const char *orders_failure_code(
    const dae_orders_failure *f, const char *otherwise)
{
    return f->code[0] ? f->code : otherwise;
}

/* ---- the reference ---- */

const char *orders_reference_text(const orders_view *v)
{
    switch (dae_orders_reference_of_steps(v->orders).kind) {
    case DAE_REFERENCE_EXPECT: return "expect";
    case DAE_REFERENCE_POINTS: return "expression";
    default: return "tight run";
    }
}

const char *orders_reference_sentence(const orders_view *v)
{
    const dae_orders_reference r = dae_orders_reference_of_steps(v->orders);
    switch (r.kind) {
    case DAE_REFERENCE_EXPECT:
        return "the closed forms of the model's expect lines";
    case DAE_REFERENCE_POINTS:
        return "what the equations and their derivatives say at each time";
    case DAE_REFERENCE_RADAU:
        return r.was_too_long
            ? "Radau IIA of order 9 at a quarter of each step, and where that "
              "fails a run at tight tolerance"
            : "Radau IIA of order 9 at a quarter of each step";
    default:
        if (r.is_by_steps)
            return r.was_too_long
                ? "Radau IIA of order 13 at a quarter of each step with the "
                  "index reduced, and where that fails a run at tight tolerance"
                : "Radau IIA of order 13 at a quarter of each step, with the "
                  "index reduced";
        return v->index > 1 ? "runs at tight tolerance, with the index reduced"
                            : "runs at tight tolerance";
    }
}

void orders_runs_sentence(const orders_view *v, char *text, size_t size)
{
    const dae_orders_reference r = dae_orders_reference_of_runs(v->orders);
    if (r.kind == DAE_REFERENCE_RADAU)
        (void)snprintf(text, size,
            "Radau IIA of order 9 at half of each step of a run at "
            "rtol = %.0e%s",
            r.rtol, r.is_long ? ", in extended precision" : "");
    else if (r.kind == DAE_REFERENCE_TIGHT)
        (void)snprintf(text, size, "a run of %s at rtol = %.0e%s", r.method,
            r.rtol, v->index > 1 ? ", with the index reduced" : "");
    else (void)snprintf(text, size, "%s", orders_reference_sentence(v));
}
