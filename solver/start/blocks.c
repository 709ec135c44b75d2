/* Newton's steps for all at once go on from guesses that others have left behind:
 * with y = x^3 - 3 x beside x = t - 1, those of y's block begin at a wrong x, and
 * end on another branch. */
#include "start/blocks.h"
#include "start/moment.h"
#include "start/order.h"
#include <math.h>
#include <string.h>

/* Blocks one after the other cost a residual of everything each: not for more
 * than so many values in all. */
static const double WORTH = 1e7;
/* Stated guesses that have moved by so much of their sizes, and how much nearer
 * is nearer. */
static const double FAR = 0.1, NEARER = 0.99;

static dae_status solve_one(init_system *s, const double *scale,
    const split_part *block, damped_result *result)
{
    submatrix m;
    damped_result own = {.outcome = DAMPED_SOLVED};
    dae_status st = submatrix_init(
        &m, s, block->rows, block->row_count, block->slots, block->slot_count);
    if (!st) st = damped_solve(s, &m, scale, &own);
    result->outcome = own.outcome;
    result->is_singular = result->is_singular || own.is_singular;
    result->iterations += own.iterations;
    return st;
}

dae_status blocks_solve(init_system *s, const double *scale,
    const double *begin, const split_part *part, split_part *failed,
    damped_result *result)
{
    block_order o;
    dae_status st = order_init(&o, s, part);
    if (st || o.count < 2) return st;
    if ((double)o.count * (double)s->n > WORTH) return DAE_OK;
    result->iterations = 0; /* those of the whole have been counted */
    memcpy(s->z, begin, s->slots * sizeof *begin);
    if ((st = unknowns_residual(s, s->z, s->res))) return st;
    result->is_singular = false;
    for (size_t b = 0; b < o.count; b++) {
        *failed = order_block(&o, b);
        if ((st = solve_one(s, scale, failed, result))) return st;
        if (result->outcome != DAMPED_SOLVED) return DAE_OK;
    }
    return DAE_OK;
}

/* How far the stated guesses of the part are from where they were. */
static double distance(
    const init_system *s, const double *scale, const split_part *part)
{
    double most = 0;
    for (size_t k = 0; k < part->slot_count; k++) {
        const size_t slot = (size_t)part->slots[k];
        if (!s->is_stated[slot]) continue;
        const double size = fmax(scale[slot], fabs(s->guess[slot]));
        most = fmax(most, fabs(s->z[slot] - s->guess[slot]) / size);
    }
    return most;
}

dae_status blocks_nearer(init_system *s, const double *scale,
    const double *begin, const split_part *part, damped_result *result)
{
    moment whole;
    split_part failed;
    damped_result blocks = *result;
    /* a run begins where findings say, and a fault in it has to end soon */
    if (!s->request->is_thorough || part->row_count != part->slot_count)
        return DAE_OK;
    const double far = distance(s, scale, part);
    if (!(far > FAR)) return DAE_OK;
    dae_status st = moment_take(&whole, s);
    if (!st) st = blocks_solve(s, scale, begin, part, &failed, &blocks);
    if (st && st != DAE_RETRY) return st;
    const bool is_nearer = !st && blocks.outcome == DAMPED_SOLVED
        && distance(s, scale, part) < NEARER * far;
    if (is_nearer) *result = blocks;
    else moment_return(&whole, s);
    return DAE_OK;
}
