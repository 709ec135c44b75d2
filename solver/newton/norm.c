/* Eight partial sums keep the additions independent of each other, which
 * lets the compiler use vector registers without changing any result. */
#include "newton/norm.h"

#include <math.h>

double norm_fold(const double lane[8])
{
    return ((lane[0] + lane[1]) + (lane[2] + lane[3]))
        + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

double norm_sum(const double *w, const double *v, size_t n)
{
    double lane[8] = {0}, rest = 0;
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        for (size_t l = 0; l < 8; l++) {
            double y = w[i + l] * v[i + l];
            lane[l] += y * y;
        }
    }
    for (size_t r = i; r < n; r++) {
        double y = w[r] * v[r];
        rest += y * y;
    }
    return i > 0 ? norm_fold(lane) + rest : rest;
}

double norm_weighted(const double *w, const double *v, size_t n)
{
    if (n == 0) return 0;
    size_t count = norm_block_count(n);
    double worst = 0;
    for (size_t b = 0; b < count; b++) {
        size_t begin = norm_block_begin(n, b);
        size_t size = norm_block_begin(n, b + 1) - begin;
        double mean = norm_sum(w + begin, v + begin, size) / (double)size;
        if (!(mean <= worst)) worst = mean; /* a NaN is taken, too */
        if (!isfinite(worst)) break;
    }
    return sqrt(worst);
}
