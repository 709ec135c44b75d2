/* How far rounding may have moved the value of an expression in numbers and
 * params: a running error analysis, to first order and step by step. A value no
 * larger than that is what is left of terms that cancel: 0.1 + 0.2 - 0.3. */
#ifndef IR_ROUNDING_H
#define IR_ROUNDING_H

#include "ir/system.h"
#include <float.h>
#include <math.h>

/* Below 2^53, so that sums and products of such numbers are exact. */
static inline bool number_is_whole(double x)
{
    return fabs(x) < 2 / DBL_EPSILON && x == (double)(int64_t)x;
}
/* Of a number as it is written: none for whole numbers, else that of the next
 * double. */
double rounding_of_number(double value);
/* Of `result`, node_apply(n, v...), with operands that are known to `error`. */
double rounding_of_node(
    const node *n, const double v[3], const double error[3], double value);
/* Of every node of s->params, by id; into `error`, as long as param_values. */
void rounding_of_params(const system_tables *s, double *error);

#endif
