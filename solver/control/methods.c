#include "control/methods.h"

#include "methods/bdf.h"
#include "methods/bdf_flc.h"

#include <dae/solver.h>
#include <string.h>

const formula *methods_at(size_t index)
{
    switch (index) {
    case 0: return bdf_formula();
    case 1: return bdf_flc_formula();
    default: return NULL;
    }
}

const formula *methods_find(const char *name)
{
    const formula *f;
    for (size_t i = 0; (f = methods_at(i)); i++)
        if (strcmp(f->name, name) == 0) return f;
    return NULL;
}

dae_integrator dae_integrator_at(size_t index)
{
    const formula *f = methods_at(index);
    if (!f) return (dae_integrator){.name = NULL};
    return (dae_integrator){.name = f->name,
        .formula = f->text,
        .max_order = f->max_order,
        .max_order_fixed = f->max_order_fixed};
}
