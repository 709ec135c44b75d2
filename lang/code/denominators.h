/* What the equations divide by: the factors of denominators and of negative powers, which
 * a continuous solution leads through 0 only where the numerator vanishes with them; and the
 * factors of a product that an equation sets equal to what is never 0, `H*OH = Kw`, which
 * it leads through 0 nowhere. Those that are never 0, or do not change, are left out. */
#ifndef CODE_DENOMINATORS_H
#define CODE_DENOMINATORS_H

#include "code/compile.h"

/* As the text has it. */
typedef struct denominator {
    node_id at;
    const uint32_t *row;
    text_span span;     /* of its equation or definition */
    bool is_definition; /* the span is that of its name */
} denominator;

/* Fills c->divisor_list, c->divisor_certain and the rows of GROUP_DIVISOR. After
 * modes_make. */
dae_status denominators_make(compiled *c) DAE_MUST_CHECK;
/* c->denominators, with the params as they are set. */
dae_status denominators_fill(compiled *c) DAE_MUST_CHECK;
dae_status denominators_values(
    void *self, double t, const double *x, const double *xp, double *values);

/* "Km + S", as snprintf, and where it is written; false: not known. */
size_t denominators_text(
    const compiled *c, size_t number, char *text, size_t size);
bool denominators_span(const compiled *c, size_t number, text_span *span);

#endif
