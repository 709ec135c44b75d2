/* Equations and their derivatives as text in the user's names. */
#ifndef CODE_FORMULA_H
#define CODE_FORMULA_H

#include "code/compile.h"
#include <dae/analysis.h>

/* Rows by equation of the model, and equations x' = u by unknown; made when
 * the first formula is requested. */
typedef struct formula_tables formula_tables;
void formula_tables_free(const dae_allocator *a, formula_tables *t);

/* See dae_model_formula. */
typedef struct formula_request {
    const dae_term *terms;
    size_t term_count;
    const dae_slot *independent;
    size_t independent_count;
    int order;
    bool substitute;
    size_t limit;
} formula_request;
dae_status formula_write(compiled *c, const formula_request *q,
    dae_write_fn *write, void *context) DAE_MUST_CHECK;
/* See dae_model_formula_slot. */
dae_status formula_slot(
    compiled *c, int32_t equation, int times, dae_slot *slot) DAE_MUST_CHECK;

#endif
