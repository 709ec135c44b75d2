#include "run/methods.h"

#include "methods/bdf.h"
#include "methods/bdf_flc.h"
#include "methods/euler.h"
#include "methods/leapfrog.h"
#include "methods/leapfrog_turning.h"
#include "methods/ndf.h"
#include "methods/rk4.h"
#include "methods/trapezoid.h"

#include <dae/solver.h>
#include <string.h>

const formula *methods_at(size_t index)
{
    switch (index) {
    case 0: return bdf_formula();
    case 1: return bdf_flc_formula();
    case 2: return ndf_formula();
    case 3: return trapezoid_formula();
    case 4: return euler_linear_formula();
    case 5: return euler_formula();
    case 6: return symplectic_euler_formula();
    case 7: return verlet_formula();
    case 8: return leapfrog_1_formula();
    case 9: return leapfrog_2_formula();
    case 10: return leapfrog_3_formula();
    case 11: return rk4_formula();
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
