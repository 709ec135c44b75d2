/* What each unknown is in the equations as they stand: differential, or of an
 * index. The offsets of the signature method say it. */
#ifndef ORDERS_ROLES_H
#define ORDERS_ROLES_H

#include "check.h"

/* A state (an unknown, or a derivative of one below its highest) of index n
 * follows from equations of which one has been differentiated n - 1 times: a
 * multistep formula knows it as a derivative of so high an order of what it
 * computes directly. 0: nothing but its past determines it; 1: an equation as it
 * stands does, with the others of its block. 2 and 3 are the variables of index
 * 2 and 3 of [HW96 VII]. */
typedef struct orders_role {
    int64_t index;
    bool has_derivative; /* in the equations */
} orders_role;

/* One for each state of the problem; NULL: memory ran out. */
orders_role *orders_roles(const check *k, const dae_problem *p);
/* "differential", "index 1", "index 2", ... of at most 30 letters. */
void orders_role_text(const orders_role *role, char *text, size_t size);

#endif
