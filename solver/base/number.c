/* Few digits and a small power of ten are exact in double arithmetic, and
 * one rounding of exact operands is the nearest double (W. D. Clinger, How to
 * read floating point numbers accurately, 1990). All else goes to strtod as
 * an integer with an exponent: without a point, no locale matters. */
#include "base/number.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Digits beyond these cannot change the nearest double but for one that says
 * whether any of the rest is not zero: 767 digits are the most that the point
 * half way between two doubles needs. */
enum { DIGITS_KEPT = 800, EXPONENT_LARGEST = 100000000 };

typedef struct decimal {
    char digits[DIGITS_KEPT + 40]; /* and room for an exponent */
    int count;
    int64_t exponent; /* of ten, after the last digit */
    uint64_t value;   /* where count is at most 19 */
} decimal;

static void add_digit(decimal *d, char c, int after_point)
{
    if (d->count == 0 && c == '0') {
        d->exponent -= after_point;
        return;
    }
    if (d->count > DIGITS_KEPT) {
        d->exponent += 1 - after_point;
        if (c != '0') d->digits[DIGITS_KEPT] = '1';
        return;
    }
    if (d->count < 19) d->value = d->value * 10 + (uint64_t)(c - '0');
    d->digits[d->count++] = c;
    d->exponent -= after_point;
}

static void read_decimal(decimal *d, const char *p, const char *end)
{
    int after_point = 0;
    for (; p < end; p++) {
        if (*p >= '0' && *p <= '9') add_digit(d, *p, after_point);
        else if (*p == '.' && !after_point) after_point = 1;
        else break;
    }
    if (p == end || (*p != 'e' && *p != 'E')) return;
    int sign = 1;
    int64_t power = 0;
    if (++p < end && (*p == '+' || *p == '-')) sign = *p++ == '-' ? -1 : 1;
    for (; p < end && *p >= '0' && *p <= '9'; p++)
        if (power < EXPONENT_LARGEST) power = power * 10 + (*p - '0');
    d->exponent += sign * power;
}

static size_t digits(const char *p, size_t at, size_t end)
{
    while (at < end && p[at] >= '0' && p[at] <= '9') at++;
    return at;
}

bool number_is(const char *p, size_t length)
{
    const size_t whole = digits(p, 0, length);
    size_t at = whole, part = 0;
    if (at < length && p[at] == '.') {
        at = digits(p, at + 1, length);
        part = at - whole - 1;
    }
    if (whole + part == 0) return false;
    if (at < length && (p[at] == 'e' || p[at] == 'E')) {
        at++;
        if (at < length && (p[at] == '+' || p[at] == '-')) at++;
        const size_t power = at;
        at = digits(p, at, length);
        if (at == power) return false;
    }
    return at == length;
}

double number_value(const char *text, size_t length)
{
    static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8,
        1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
        1e21, 1e22};
    decimal d;
    d.count = 0;
    d.exponent = 0;
    d.value = 0;
    read_decimal(&d, text, text + length);
    if (d.count == 0) return 0;
    if (d.count <= 19 && d.value < (uint64_t)1 << 53) {
        if (d.exponent >= 0 && d.exponent <= 22)
            return (double)d.value * powers[d.exponent];
        if (d.exponent < 0 && d.exponent >= -22)
            return (double)d.value / powers[-d.exponent];
    }
    int64_t e = d.exponent;
    if (e > EXPONENT_LARGEST) e = EXPONENT_LARGEST;
    if (e < -EXPONENT_LARGEST) e = -EXPONENT_LARGEST;
    (void)snprintf(d.digits + d.count, 40, "e%lld", (long long)e);
    return strtod(d.digits, NULL);
}
