#include "ir/signal.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* Beyond the lowest and highest argument, as a part of what lies between: sums
 * of steps end beside the last row by their rounding. */
static const double SLACK = 1e-12;

#define REAL double
#define OWN(name) name
#define UNIT (DBL_EPSILON / 2)
#include "ir/signal_real.h"

#define REAL dae_long
#define OWN(name) name##_long
#define UNIT (DAE_LONG_EPSILON / 2)
#include "ir/signal_real.h"

uint32_t signal_size(size_t pieces, unsigned degree)
{
    const size_t most = (UINT32_MAX - 2 * SIGNAL_HEADER) / (degree + 2);
    if (pieces > most) return 0;
    const size_t size = SIGNAL_HEADER + pieces * (degree + 2);
    return (uint32_t)((size + SIGNAL_ALIGN - 1) & ~(size_t)(SIGNAL_ALIGN - 1));
}

bool signal_is_sound(const double *numbers, size_t room)
{
    if (room < SIGNAL_HEADER) return false;
    const double count = numbers[0], degree = numbers[1];
    if (!(count >= 1 && count <= (double)UINT32_MAX) || count != floor(count))
        return false;
    if (!(degree >= 0 && degree <= SIGNAL_DEGREE_MOST)
        || degree != floor(degree))
        return false;
    const uint32_t size = signal_size((size_t)count, (unsigned)degree);
    return size > 0 && size <= room;
}

void signal_taylor(const double *numbers, unsigned order, double a, double k,
    double coefficients[SIGNAL_DEGREE_MOST + 1])
{
    double factorial = 1;
    for (unsigned m = 0; m <= SIGNAL_DEGREE_MOST; m++) {
        if (m > 0) factorial *= m;
        coefficients[m] = signal_value(numbers, order + m, a, k) / factorial;
    }
}

double signal_next_knot(const double *numbers, double a, int direction)
{
    const double *begin = numbers + SIGNAL_HEADER;
    const size_t count = signal_pieces(numbers);
    size_t i = find_piece(begin, count, a);
    if (direction > 0) {
        if (count > 1 && i == 0 && a < begin[1]) return begin[1];
        return i + 1 < count ? begin[i + 1] : HUGE_VAL;
    }
    while (i > 0 && begin[i] >= a) i--;
    return i > 0 ? begin[i] : -HUGE_VAL;
}
