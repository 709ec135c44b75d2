/* Where the equations of a model switch: operations whose value jumps while a
 * run varies what they look at. */
#ifndef CODE_SWITCHES_H
#define CODE_SWITCHES_H

#include "code/compile.h"

/* Per node of the shapes, the node that switches at or below it, the outermost
 * first, with `with_kinks` also one that has a kink; NODE_NONE: none. In
 * `memory`; NULL where that ran out. */
node_id *switches_below(const compiled *c, arena *memory, bool with_kinks);
/* The same with kinks, but for what lies in the branches of an `if` over discrete
 * variables alone: these are modes that the model names, of which one is in
 * force, and what another one says limits nothing. */
node_id *switches_below_modes(const compiled *c, arena *memory);
/* Whether a node's value jumps where what it looks at passes an edge; truths of
 * truths are not among them. */
bool switch_has_edge(node_op op);
/* Whether such a node has a kink: it is continuous. */
bool switch_is_kink(node_op op);

/* Whether a node is a choice that derivatives make where there is nothing to
 * choose: of hypot at its tip, and of a^b by b at a = 0 (ir/diff.c). */
bool switch_is_tip(const shape_pool *p, const node *n);

/* Whether operand k of a product is abs(q), and q a factor of the other one. */
bool switch_is_square(const shape_pool *p, const node *n, int k);

/* Sets problem.is_smooth: no equation, and no definition that one needs, has a
 * jump or a kink. After levels are known. */
dae_status switches_look(compiled *c) DAE_MUST_CHECK;

#endif
