/* Its region is the left half plane, to the edge: nothing that oscillates gains
 * or loses, and what decays fast is kept from doing so: the factor goes to -1
 * where z goes to -infinity [HW96 IV.3]. */
#include "methods/trapezoid.h"

const dae_method *trapezoid_method(void)
{
    static const dae_method method = {"trapezoid", "trapezoid",
        "x[n] - x[n-1] = h (f[n] + f[n-1])/2", 2, 1,
        {{1, -1.0 / 2}, {-1, -1.0 / 2}}, -1.0 / 12};
    return &method;
}
