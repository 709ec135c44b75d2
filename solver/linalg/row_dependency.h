/* Linear dependencies with few members, found by elimination: the fundamental
 * circuits of the rows of a small dense matrix. */
#ifndef LINALG_ROW_DEPENDENCY_H
#define LINALG_ROW_DEPENDENCY_H

#include "base/arena.h"

/* Sum of weight[k] * row member[k] = 0. No smaller set of its members depends
 * on each other. */
typedef struct circuit {
    size_t count;
    int32_t *member; /* in the order given; the last is the dependent one */
    double *weight;  /* 1 for the last */
} circuit;

typedef struct circuit_list {
    circuit *items;
    size_t count;
} circuit_list;

/* `value` is by rows. Rows are taken in the order `order` (a permutation): one
 * that depends on those before it gives a circuit of itself and of rows before
 * it that do not. What is below CIRCUIT_ZERO times the magnitudes it is the sum of
 * is rounding. All in the arena. */
dae_status circuits_find(size_t rows, size_t columns, const double *value,
    const int32_t *order, arena *a, circuit_list *out) DAE_MUST_CHECK;

/* Whether the sum of weight[k] * row member[k] is rounding in all columns. */
bool circuit_holds(const circuit *c, size_t columns, const double *value);

/* Weights that are simple fractions of the first to the last digits, such as
 * -1 or 1/2, become exactly that, and where all are, whole numbers without a
 * common divisor; the first is positive. `is_rational`: weights of whole numbers
 * are fractions, and larger ones are looked for. */
void circuit_simplify(double *weight, size_t count, bool is_rational);
/* Whether all of these are whole numbers that doubles represent exactly. */
bool circuit_is_whole(const double *value, size_t count);

#endif
