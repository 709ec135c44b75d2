/* The methods by families. A method does not know its fellows; here they meet. */
#include "methods/bdf.h"
#include "methods/euler.h"
#include "methods/ndf.h"
#include "methods/rk4.h"
#include "methods/trapezoid.h"

const dae_method *dae_method_at(size_t index)
{
    if (index < BDF_METHODS) return bdf_methods() + index;
    index -= BDF_METHODS;
    if (index < NDF_METHODS) return ndf_methods() + index;
    index -= NDF_METHODS;
    switch (index) {
    case 0: return trapezoid_method();
    case 1: return euler_method();
    case 2: return rk4_method();
    default: return NULL;
    }
}
