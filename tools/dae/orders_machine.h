/* Fixed steps by the methods that `dae run --step` takes, in double: with the
 * index reduced and, where there is one to reduce, the equations as they stand. */
#ifndef ORDERS_MACHINE_H
#define ORDERS_MACHINE_H

#include "orders_view.h"

/* The formulas of the plan's methods that fit the model. A method
 * of which nothing is left says why in the session's messages: DAE_ARGUMENT or
 * DAE_UNSUPPORTED. */
dae_status orders_machine_formulas(
    orders_view *v, fixed_formula **formulas, size_t *count);

/* One of them at one step. A run that fails leaves its status in the row; what
 * stops the command is the answer. `tell`: hears of a failure; NULL: the row
 * alone does. */
dae_status orders_machine_row(orders_view *v, const fixed_study *f,
    fixed_row *row, const track *k, messages *tell);

/* Whether a command goes on after this status of a run, and whether it means that
 * method and model do not fit. */
static inline bool orders_goes_on(dae_status st)
{
    return st == DAE_OK || st == DAE_NUMERIC || st == DAE_RETRY
        || st == DAE_LIMIT;
}
static inline bool orders_cannot_be(dae_status st)
{
    return st == DAE_ARGUMENT || st == DAE_UNSUPPORTED;
}

/* The equations as they stand are integrated up to index 3. */
static inline bool orders_has_unreduced(const orders_view *v)
{
    return v->index > 1 && v->index <= 3;
}

#endif
