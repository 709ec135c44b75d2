/* PIECE and TABLE in one precision. Included twice by signal.c, which defines
 * REAL, OWN(name) and UNIT, half of what 1 may be moved by. Knots and coefficients are doubles in both. */

/* The number of begins, but for the first, at or below a. */
static size_t OWN(find_piece)(const double *begin, size_t count, REAL a)
{
    size_t low = 0, high = count; /* begin[low] <= a, or low is 0 */
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if ((REAL)begin[middle] <= a) low = middle;
        else high = middle;
    }
    return low;
}

/* The part of a piece that has gone by at a, in [0, 1): of the first piece all
 * that lies below its end counts, of the last all above its begin. */
static REAL OWN(part_of)(const double *begin, size_t count, size_t i, REAL a)
{
    if (count == 1) return (REAL)0.5;
    if (i == 0) {
        const REAL width = (REAL)begin[1] - (REAL)begin[0];
        return width / (width + ((REAL)begin[1] - a));
    }
    if (i == count - 1) {
        const REAL width = (REAL)begin[i] - (REAL)begin[i - 1];
        const REAL beyond = a - (REAL)begin[i];
        return 1 - width / (width + beyond);
    }
    return (a - (REAL)begin[i]) / ((REAL)begin[i + 1] - (REAL)begin[i]);
}

REAL OWN(signal_piece)(const double *numbers, REAL a)
{
    if (a != a) return a;
    const double *begin = numbers + SIGNAL_HEADER;
    const size_t count = signal_pieces(numbers);
    const size_t i = OWN(find_piece)(begin, count, a);
    const REAL part = OWN(part_of)(begin, count, i, a);
    const REAL sum = (REAL)i + part;
    if (sum < (REAL)(i + 1)) return sum;
    return (REAL)(i + 1)
        * (1 - (REAL)UNIT); /* rounding has come to the next one */
}

/* The piece that k means. */
static size_t OWN(piece_at)(const double *numbers, REAL k)
{
    const size_t count = signal_pieces(numbers);
    if (!(k > 0)) return 0;
    return k < (REAL)count ? (size_t)k : count - 1;
}

static bool OWN(is_inside)(const double *numbers, REAL a)
{
    const double low = numbers[2], high = numbers[3];
    const double size = fmax(fabs(low), fabs(high));
    const double slack = isfinite(size)
        ? SLACK * (high - low) + 4 * DBL_EPSILON * size
        : 0;
    return a >= (REAL)low - (REAL)slack && a <= (REAL)high + (REAL)slack;
}

REAL OWN(signal_value)(const double *numbers, unsigned order, REAL a, REAL k)
{
    if (k != k || !OWN(is_inside)(numbers, a)) return (REAL)NAN;
    const unsigned degree = signal_degree(numbers);
    const size_t count = signal_pieces(numbers);
    const size_t i = OWN(piece_at)(numbers, k);
    const double *c = numbers + SIGNAL_HEADER + count + i * (degree + 1);
    const REAL u = a - (REAL)numbers[SIGNAL_HEADER + i];
    REAL sum = 0;
    for (unsigned j = degree + 1; j-- > order;) {
        REAL factor = 1;
        for (unsigned m = 0; m < order; m++) factor *= (REAL)(j - m);
        /* a constant has no argument, which may be infinite */
        sum = j == degree ? factor * (REAL)c[j] : sum * u + factor * (REAL)c[j];
    }
    return sum;
}

#undef REAL
#undef OWN
#undef UNIT
