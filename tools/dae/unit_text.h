/* Units as they are printed: raised digits and a dot, kg·m²/s² for kg*m^2/s^2. */
#ifndef UNIT_TEXT_H
#define UNIT_TEXT_H

#include "phrase.h"

void unit_put(phrase *p, const char *unit);

#endif
