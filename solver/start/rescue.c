/* Between a search that has failed and the telling of it: a block of one
 * equation is searched for a change of sign over many sizes, and the blocks
 * after it are solved again from the root. */
#include "start/rescue.h"
#include "start/moment.h"
#include "start/order.h"
#include "start/scan.h"

static dae_status solve_block(init_system *s, const double *scale,
    const subset *b, damped_result *result)
{
    submatrix m;
    const int64_t before = result->iterations;
    dae_status st = submatrix_init(
        &m, s, b->rows, b->row_count, b->slots, b->slot_count);
    if (!st) st = damped_solve(s, &m, scale, result);
    result->iterations += before;
    return st;
}

/* One equation for one unknown, from the root that a scan finds. */
static dae_status rescue_block(init_system *s, const double *scale,
    const subset *b, double *work, damped_result *result)
{
    const size_t slot = (size_t)b->slots[0];
    moment before;
    scan c;
    double root;
    bool is_found;
    damped_result found = {.iterations = result->iterations};
    dae_status st = moment_take(&before, s);
    if (st) return st;
    s->z[slot] = s->guess[slot];
    st = scan_init(&c, s, (size_t)b->rows[0], slot, work);
    if (!st) st = scan_root(&c, &root, &is_found);
    if (!st && is_found) {
        s->z[slot] = root;
        st = unknowns_residual(s, s->z, s->res);
        if (!st) st = solve_block(s, scale, b, &found);
        if (!st && found.outcome == DAMPED_SOLVED) {
            *result = found;
            return DAE_OK;
        }
    }
    moment_return(&before, s);
    return st == DAE_RETRY ? DAE_OK : st;
}

/* The block that `failed` is; count: none. */
static size_t find_block(const block_order *o, const subset *failed)
{
    size_t k = 0;
    for (; k < o->count; k++) {
        const subset b = order_block(o, k);
        if (b.row_count == 1 && b.rows[0] == failed->rows[0]
            && b.slots[0] == failed->slots[0])
            break;
    }
    return k;
}

dae_status rescue_part(init_system *s, const double *scale,
    const subset *part, subset *failed, damped_result *result)
{
    block_order o;
    double work = SCAN_WORK;
    if (failed->row_count != 1 || failed->slot_count != 1) return DAE_OK;
    dae_status st = order_init(&o, s, part);
    for (size_t k = find_block(&o, failed); !st && k < o.count; k++) {
        const subset b = order_block(&o, k);
        if (b.rows[0] != failed->rows[0]) {
            result->iterations = 0;
            if ((st = solve_block(s, scale, &b, result))) break;
        }
        if (result->outcome == DAMPED_SOLVED) continue;
        *failed = b;
        if (b.row_count > 1) break;
        if ((st = rescue_block(s, scale, &b, &work, result))) break;
        if (result->outcome != DAMPED_SOLVED) break;
    }
    return st;
}
