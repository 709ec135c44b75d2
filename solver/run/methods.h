/* Every method that the step machine knows. A method does not know its fellows;
 * here they meet. */
#ifndef RUN_METHODS_H
#define RUN_METHODS_H

#include "step/formula.h"
#include <stddef.h>

/* NULL behind the last one. */
const formula *methods_at(size_t index);
/* NULL: there is none of this name. */
const formula *methods_find(const char *name);

#endif
