/* Hidden constraints as the text has them. */
#include "report/object.h"

size_t dae_report_constraint_count(const dae_report *r)
{
    return r ? r->analysis->hidden_count : 0;
}

dae_status dae_report_constraint_at(
    const dae_report *r, size_t k, dae_constraint *out)
{
    if (!out || k >= dae_report_constraint_count(r)) return DAE_ARGUMENT;
    const dae_hidden *h = &r->analysis->hidden[k];
    const size_t i = (size_t)h->equation;
    *out = (dae_constraint){.equation = i,
        .line = dae_model_equation_line(r->model, i),
        .differentiated = h->differentiated,
        .is_combination = h->repair >= 0,
        .restricts_start = h->restricts_start != 0,
        .follows = !h->restricts_start && h->repair < 0
            && h->differentiated != r->most[i],
        .is_alone = h->is_alone};
    return DAE_OK;
}

dae_status dae_report_constraint_determines(
    const dae_report *r, size_t k, dae_slot *out)
{
    if (!out || k >= dae_report_constraint_count(r)) return DAE_ARGUMENT;
    const dae_hidden *h = &r->analysis->hidden[k];
    const dae_slot slot = h->determines;
    *out = (dae_slot){-1, 0};
    if (h->restricts_start || slot.unknown < 0
        || !report_has_unknown(r, (size_t)slot.unknown))
        return DAE_OK;
    *out = slot;
    if (!h->is_alone || h->repair >= 0) return DAE_OK;
    dae_slot other = slot;
    const dae_status st = dae_model_formula_slot(
        r->model, h->equation, h->differentiated, &other);
    if (!st && report_has_unknown(r, (size_t)other.unknown)) *out = other;
    return st == DAE_MEMORY ? st : DAE_OK;
}

dae_status dae_report_constraint_formula(const dae_report *r, size_t k,
    size_t limit, dae_write_fn *write, void *context)
{
    if (!write || k >= dae_report_constraint_count(r)) return DAE_ARGUMENT;
    const dae_hidden *h = &r->analysis->hidden[k];
    const dae_term plain = {h->equation, 0, 1};
    const dae_repair itself = {.terms = &plain, .term_count = 1};
    const dae_repair *of = h->repair >= 0 ? &r->analysis->repairs[h->repair]
                                          : &itself;
    return dae_model_formula(r->model, of->terms, of->term_count,
        of->independent, of->independent_count, h->differentiated, 1, limit,
        write, context);
}
