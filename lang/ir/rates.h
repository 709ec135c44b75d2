/* Time derivatives of expressions over slots, the rate of every node from those
 * of its operands. Where a derivative does not exist it is NaN, at a kink, a
 * jump, a knot: so much is said as power series say, though these may know
 * more, where a kink is touched or both branches agree. */
#ifndef IR_RATES_H
#define IR_RATES_H

#include "ir/shape.h"

/* Whether derivative `order` of an unknown is a slot; it is 0 otherwise. */
typedef bool rates_slot_fn(void *context, uint32_t unknown, unsigned order);

/* Of a value as time goes on. */
enum {
    RATES_JUMPS = 1, /* it may jump, and */
    RATES_STEPS = 2  /* it does not change otherwise */
};

typedef struct rates {
    shape_pool *pool; /* holes: no definitions */
    rates_slot_fn *is_slot;
    void *context;
    size_t most;          /* nodes that the pool may have */
    ARRAY(node_id) rate;  /* by node; NODE_NONE: not asked for yet */
    ARRAY(uint8_t) jumps; /* by node: RATES_* */
} rates;

void rates_init(rates *r, shape_pool *p, size_t most, rates_slot_fn *is_slot,
    void *context);
void rates_clear(rates *r);
/* The rates of everything below the roots; then rates_of has them. DAE_LIMIT:
 * there are too many nodes. */
dae_status rates_take(
    rates *r, const node_id *roots, size_t count) DAE_MUST_CHECK;
static inline node_id rates_of(const rates *r, node_id id)
{
    return r->rate.items[id];
}

#endif
