/* A combination of equations whose factors vary, as an expression. */
#ifndef CODE_FORMULA_VARYING_H
#define CODE_FORMULA_VARYING_H

#include "code/formula_read.h"

/* Some terms have factors that are not known (NaN). */
bool formula_varies(const formula_request *q);
/* What is left of the combination, = 0, where its factors are found as
 * expressions; else the algebra's fault is DAE_UNSUPPORTED. */
sides formula_varying(formula *f);

#endif
