/* The value of a number as it is written. */
#ifndef SYNTAX_NUMBER_H
#define SYNTAX_NUMBER_H

#include <stddef.h>

/* The nearest double to `length` bytes of digits with one point at most and
 * an exponent, whatever the locale; reads as far as that goes. Infinite where
 * it is too large, 0 where too small. */
double number_value(const char *text, size_t length);

#endif
