/* Sums, products and quotients of power series, for many rows at once. The
 * coefficients are, to the last bit, those of code/series_core.h where all of
 * them exist and are finite. */
#ifndef CODE_PLANE_ARITHMETIC_H
#define CODE_PLANE_ARITHMETIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Coefficient k of row i is value[k * stride + i]; of a constant only k = 0 is
 * there, the others are 0. */
typedef struct plane {
    double *value;
    size_t stride;
    bool is_constant;
} plane;

typedef struct plane_extent {
    size_t terms, rows;
} plane_extent;

/* d = op(x), an opcode with its number; d may be one of the operands, `inner`
 * is room. false: not one of the operations this file knows. *has_flaw is set
 * where a divisor may hide what is not finite. Constness of d is the
 * caller's. */
bool plane_apply(const plane_extent *e, unsigned op, uint32_t number,
    const plane *const x[3], plane *inner, plane *d, bool *has_flaw);

#endif
