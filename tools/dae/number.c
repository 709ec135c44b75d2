/* Any decimal of at most 15 digits is recovered by printing 15, and %g drops
 * the zeros after it; so only 15, 16 and 17 digits need a try, but for
 * subnormal numbers, which hold fewer. */
#include "number.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "1e-05" and "1e+20" say no more than "1e-5" and "1e20". */
static void shorten_exponent(char *text)
{
    char *to = strchr(text, 'e');
    if (!to) return;
    to++;
    const char *from = to;
    if (*from == '-') from++, to++;
    else if (*from == '+') from++;
    while (*from == '0' && from[1]) from++;
    memmove(to, from, strlen(from) + 1);
}

static char *set_text(char *text, const char *value)
{
    (void)snprintf(text, NUMBER_SIZE, "%s", value);
    return text;
}

char *number_exact(double value, char *text)
{
    if (isnan(value)) return set_text(text, "nan");
    if (isinf(value)) return set_text(text, value > 0 ? "inf" : "-inf");
    int digits = fabs(value) < DBL_MIN ? 1 : 15;
    for (; digits <= 17; digits++) {
        (void)snprintf(text, NUMBER_SIZE, "%.*g", digits, value);
        double back = strtod(text, NULL);
        if (back >= value && back <= value) break;
    }
    shorten_exponent(text);
    return text;
}

double number_plain(double value)
{
    return isnan(value) ? (double)NAN : value;
}

int number_digits_apart(double a, double b, int least, int most)
{
    char one[NUMBER_SIZE], other[NUMBER_SIZE];
    for (int digits = least; digits <= most; digits++) {
        (void)snprintf(one, sizeof one, "%.*g", digits, a);
        (void)snprintf(other, sizeof other, "%.*g", digits, b);
        if (strcmp(one, other) != 0) return digits;
    }
    return 0;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void number_sort(double *values, size_t count)
{
    if (count) qsort(values, count, sizeof *values, ascending);
}
