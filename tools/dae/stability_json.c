#include "stability_json.h"
#include <math.h>

static void put_number(json *j, const char *key, double value)
{
    json_key(j, key);
    json_number(j, value);
}

static void put_method(
    const dae_method *m, const dae_stability_traits *of, json *j)
{
    json_begin_object(j);
    json_key(j, "name"), json_string(j, m->name);
    json_key(j, "family"), json_string(j, m->family);
    json_key(j, "formula"), json_string(j, m->formula);
    json_key(j, "order"), json_integer(j, m->order);
    put_number(j, "error_constant", m->error_constant);
    put_number(j, "alpha", of->alpha);
    put_number(j, "leftmost", of->leftmost);
    put_number(j, "real_limit", of->real_limit);
    put_number(j, "imaginary_limit", of->imaginary_limit);
    put_number(j, "at_infinity", of->at_infinity);
    json_end_object(j);
}

static void put_verdicts(const stability_view *v, size_t k, json *j)
{
    static const char *const sides[] = {"inside", "edge", "outside"};
    const dae_complex z = stability_view_scaled(v, k);
    json_key(j, "methods");
    json_begin_object(j);
    for (size_t i = 0; i < v->method_count; i++) {
        const dae_method *m = v->methods[i];
        json_key(j, m->name);
        json_begin_object(j);
        put_number(j, "amplification", dae_stability_root_modulus(m, z));
        json_key(j, "side");
        json_string(j, sides[dae_stability_side_of(m, z)]);
        json_end_object(j);
    }
    json_end_object(j);
}

static void put_eigenvalues(const stability_view *v, json *j)
{
    json_key(j, "index"), json_integer(j, v->e->index);
    json_key(j, "infinite"), json_integer(j, (int64_t)v->e->infinite_count);
    json_key(j, "eigenvalues");
    json_begin_array(j);
    for (size_t k = 0; k < v->e->finite_count; k++) {
        json_begin_object(j);
        put_number(j, "re", v->e->finite[k].re);
        put_number(j, "im", v->e->finite[k].im);
        if (stability_view_has_step(v)) put_verdicts(v, k, j);
        json_end_object(j);
    }
    json_end_array(j);
}

bool stability_json(const stability_view *v, json *j)
{
    phrase p = {.text = NULL};
    json_key(j, "methods");
    json_begin_array(j);
    for (size_t i = 0; i < v->method_count; i++)
        put_method(v->methods[i], &v->traits[i], j);
    json_end_array(j);
    if (v->e) put_number(j, "step", v->step), put_eigenvalues(v, j);
    stability_view_tell(v, &p);
    json_key(j, "summary"), json_string(j, phrase_text(&p));
    return phrase_done(&p);
}
