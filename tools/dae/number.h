/* Numbers as text. */
#ifndef NUMBER_H
#define NUMBER_H

#include <stddef.h>
#include <stdint.h>

enum { NUMBER_SIZE = 32 };

/* The shortest decimal, at most 17 digits, that reads back as the same
 * double; "nan", "inf", "-inf". Returns `text` (NUMBER_SIZE bytes). */
char *number_exact(double value, char *text);
/* The value, without the sign that printf would show of a NaN. */
double number_plain(double value);
/* As few digits as tell two numbers apart, of so many at least and at most; 0: none do. */
int number_digits_apart(double a, double b, int least, int most);
/* Ascending. */
void number_sort(double *values, size_t count);
/* What the noun behind a count, of any type, ends in: "s", or nothing behind 1. */
#define NUMBER_PLURAL(count) ((count) == 1 ? "" : "s")

#endif
