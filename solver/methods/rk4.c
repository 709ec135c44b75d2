/* One step multiplies by 1 + z + z^2/2 + z^3/6 + z^4/24 [HNW93 II.1]. */
#include "methods/rk4.h"

const dae_method *rk4_method(void)
{
    static const dae_method method = {"rk4", "rk4",
        "x[n] = x[n-1] + h (k1 + 2 k2 + 2 k3 + k4)/6, slopes at the start, "
        "twice the middle, the end",
        4, 1, {{1}, {-1, -1, -1.0 / 2, -1.0 / 6, -1.0 / 24}}, 1.0 / 120};
    return &method;
}
