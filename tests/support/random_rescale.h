/* The systems of random_dae.h in other units. */
#ifndef SUPPORT_RANDOM_RESCALE_H
#define SUPPORT_RANDOM_RESCALE_H

#include "random_dae.h"

/* The same with every equation multiplied by a number of its own between 1e-6
 * and 1e6, and, if it has units, every unknown measured in one between these;
 * the solution and the numbers of `from` go along. False: memory is short.
 * random_dae_clear frees the text. */
bool random_dae_rescale(
    const random_dae *from, bool has_units, random_dae *out);

#endif
