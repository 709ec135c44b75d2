/* The value of a number as it is written. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* Whether it is digits with a point and an exponent, without sign, and nothing else. */
bool number_is(const char *text, size_t length);
/* The nearest double to `length` bytes of digits with one point at most and
 * an exponent, whatever the locale; reads as far as that goes. Infinite where
 * it is too large, 0 where too small. */
double number_value(const char *text, size_t length);

#endif
