/* What formulas look up about the equations of a model (private to
 * code/formula*.c). */
#ifndef CODE_FORMULA_TABLES_H
#define CODE_FORMULA_TABLES_H

#include "code/formula.h"

/* Equation `equation` says x' = sign * object, for the unknown it is kept
 * with; sign 0: none does. */
typedef struct first_order {
    uint32_t equation, object;
    uint8_t kind; /* LEAF_UNKNOWN, LEAF_DEFINITION */
    int8_t sign;
} first_order;

struct formula_tables {
    size_t equations, unknowns, count;
    uint32_t *first;    /* of an equation's rows; equations + 1 */
    row_ref *rows;      /* count; in model_equations */
    first_order *rules; /* by unknown */
};

/* c->formulas, made where it is not. */
dae_status formula_tables_make(compiled *c) DAE_MUST_CHECK;

static inline const row_set *formula_set(const compiled *c, row_ref ref)
{
    return &c->text_equations.items[ref.list];
}

#endif
