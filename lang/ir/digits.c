/* The tables of a model keep numbers as doubles. In extended precision 0.1 has
 * to be 0.1 and not the double nearest to it, or a study would be about
 * other equations than the text's. */
#include "ir/digits.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;
static const char pi_in_full[] = "3.14159265358979323846264338327950288";

enum { DIGITS_CERTAIN = 15, DIGITS_MOST = 17, TEXT_SIZE = 40 };

/* Written and read in the same locale, whichever it is. */
dae_long digits_in_full(double value)
{
    char text[TEXT_SIZE];
    if (!isfinite(value) || value == floor(value)) return (dae_long)value;
    if (value == pi) return dae_long_read(pi_in_full, NULL);
    for (int digits = DIGITS_CERTAIN; digits <= DIGITS_MOST; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    return dae_long_read(text, NULL);
}
