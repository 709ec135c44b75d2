/* Fixed steps by the methods that a run with `step` takes, in double: with the
 * index reduced and, where there is one to reduce, the equations as they stand. */
#ifndef ORDERS_MACHINE_H
#define ORDERS_MACHINE_H

#include "orders/fixed_study.h"
#include "orders/reference.h"

enum { MACHINE_FORMULAS = 2 * PLAN_METHODS * PLAN_ORDERS };

/* The formulas of the plan's methods that fit the model, into `formulas`
 * (MACHINE_FORMULAS). A method of which nothing is left says why in the run's messages:
 * DAE_ARGUMENT or DAE_UNSUPPORTED. */
dae_status orders_machine_formulas(
    dae_orders *o, dae_orders_formula *formulas, size_t *count);

/* One of them at one step. A run that fails leaves its status in the row; what
 * stops the study is the answer. `tell`: hears of a failure; NULL: the row
 * alone does. */
dae_status orders_machine_row(
    dae_orders *o, fixed_row *row, const track *k, dae_diagnostics *tell);

#endif
