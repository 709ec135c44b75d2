/* From rows to expressions (private to code/formula*.c): what an equation says,
 * in unknowns, params, lets and inputs by name; what the compiler made of long
 * sums and products is put back in. */
#ifndef CODE_FORMULA_READ_H
#define CODE_FORMULA_READ_H

#include "code/formula_tables.h"
#include "code/formula_words.h"
#include "ir/algebra.h"

typedef struct expansion {
    uint32_t definition;
    expr_id value;
} expansion;

typedef struct formula {
    compiled *c;
    const formula_request *q;
    algebra a;
    ARRAY(expansion) expanded;
    ARRAY(uint32_t) waiting; /* definitions to be put in */
    bool is_cut;             /* something was left out */
    uint32_t rank;           /* of the first hole of the row being read */
    uint32_t inner_rank;     /* the same in what is put back in */
    const uint32_t *row;
    words words; /* of the equation being read */
} formula;

/* Left = right; a right side of 0 is one that is not there. */
typedef struct sides {
    expr_id left, right;
} sides;

dae_status formula_init(
    formula *f, compiled *c, const formula_request *q) DAE_MUST_CHECK;
/* The fault of the algebra as dae_model_formula tells it. */
dae_status formula_status(const formula *f);
void formula_clear(formula *f);

/* Equation `equation`, those of internal unknowns too. */
sides formula_read(formula *f, int32_t equation);
/* The sides of general condition `index`, or (`is_condition` false) of an
 * equation, where the text and the rows show which they are; false: what they
 * are is not seen. Left less right is the residual. */
bool formula_read_sides(
    formula *f, bool is_condition, uint32_t index, sides *out);
/* The `order`-th time derivative. */
expr_id formula_rate(formula *f, expr_id x, int order);
/* With equations x' = u put in, but for those among the request's terms, where
 * it asks for that. */
sides formula_substituted(formula *f, sides s);
/* What is left of a derivative stands on the left, and not with a minus. */
sides formula_tidied(formula *f, sides s);
/* The unknown that a leaf is, as slots count them; NONE: it is none. */
uint32_t formula_unknown(const compiled *c, const expr *x);

#endif
