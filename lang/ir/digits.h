/* Numbers of a text in extended precision. */
#ifndef IR_DIGITS_H
#define IR_DIGITS_H

#include <dae/long.h>

/* What a number that is kept as a double stands for: the shortest decimal that
 * reads back as it, which is what the text says for up to 15 digits, rounded
 * to dae_long; pi is pi. Of a number that is none of these it is a decimal
 * within half a unit in the last place of the double, so no worse than that. */
dae_long digits_in_full(double value);

#endif
