/* What each unknown is in the equations as they stand: differential, or of an
 * index. The offsets of the signature method say it. */
#ifndef ORDERS_ROLES_H
#define ORDERS_ROLES_H

#include "base/arena.h"
#include <dae/analysis.h>
#include <dae/orders.h>

/* A state of index n follows from equations of which one has been differentiated n - 1
 * times: a multistep formula knows it as a derivative of so high an order of what it
 * computes directly. 0: nothing but its past determines it; 1: an equation as it
 * stands does, with the others of its block. 2 and 3 are the variables of index
 * 2 and 3 of [HW96 VII]. Fills the states of the problem, without their names. */
dae_status orders_roles(const dae_analysis *a, const dae_problem *p,
    arena *scratch, dae_orders_unknown *states);

#endif
