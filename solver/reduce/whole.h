/* The pick in which every derivative below the highest is a state: the
 * underlying system of index 1, in which constraints are first integrals. What
 * an equation such as x' = v makes one slot is one state. */
#ifndef REDUCE_WHOLE_H
#define REDUCE_WHOLE_H

#include "reduce/pick.h"

/* `s`: the structure that `e` extends `original` by. With `keeps_constraints`
 * all F_i^(k), k <= c_i, stay equations, else only the last of each but for
 * equalities. DAE_MEMORY. */
dae_status whole_choose(const dae_problem *original, const extended *e,
    const dae_structure *s, bool keeps_constraints,
    const dae_allocator *allocator, pick *out) DAE_MUST_CHECK;

#endif
