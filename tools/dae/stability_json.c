#include "stability_view.h"
#include <math.h>

static void put_method(
    const dae_method *m, const dae_stability_traits *of, json *j)
{
    json_begin_object(j, NULL);
    json_string(j, "name", m->name);
    json_string(j, "family", m->family);
    json_string(j, "formula", m->formula);
    json_integer(j, "order", m->order);
    json_number(j, "error_constant", m->error_constant);
    json_number(j, "alpha", of->alpha);
    json_number(j, "leftmost", of->leftmost);
    json_number(j, "real_limit", of->real_limit);
    json_number(j, "imaginary_limit", of->imaginary_limit);
    json_number(j, "at_infinity", of->at_infinity);
    json_end_object(j);
}

static void put_verdicts(const stability_view *v, size_t k, json *j)
{
    static const char *const sides[] = {"inside", "edge", "outside"};
    const dae_complex z = stability_view_scaled(v, k);
    json_begin_object(j, "methods");
    for (size_t i = 0; i < v->method_count; i++) {
        const dae_method *m = v->methods[i];
        json_begin_object(j, m->name);
        json_number(j, "amplification", dae_stability_root_modulus(m, z));
        json_string(j, "side", sides[dae_stability_side_of(m, z)]);
        json_end_object(j);
    }
    json_end_object(j);
}

static void put_eigenvalues(const stability_view *v, json *j)
{
    json_integer(j, "index", v->e->index);
    json_integer(j, "infinite", (int64_t)v->e->infinite_count);
    json_begin_array(j, "eigenvalues");
    for (size_t k = 0; k < v->e->finite_count; k++) {
        json_begin_object(j, NULL);
        json_number(j, "re", v->e->finite[k].re);
        json_number(j, "im", v->e->finite[k].im);
        if (stability_view_has_step(v)) put_verdicts(v, k, j);
        json_end_object(j);
    }
    json_end_array(j);
}

void stability_json(const stability_view *v, json *j)
{
    phrase p = {.text = NULL};
    json_begin_array(j, "methods");
    for (size_t i = 0; i < v->method_count; i++)
        put_method(v->methods[i], &v->traits[i], j);
    json_end_array(j);
    if (v->e) json_number(j, "step", v->step), put_eigenvalues(v, j);
    stability_view_tell(v, &p);
    json_string(j, "summary", phrase_text(&p));
}
