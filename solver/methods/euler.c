/* Stable within the circle of radius 1 about -1 alone. */
#include "methods/euler.h"

const dae_method *euler_method(void)
{
    static const dae_method method = {"euler", "euler",
        "x[n] - x[n-1] = h f[n-1]", 1, 1, {{1}, {-1, -1}}, 1.0 / 2};
    return &method;
}
