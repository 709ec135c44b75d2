/* Which slot a side is nobody says, so it is asked for: every slot gets a value
 * that tells its number, and a side with just that value is the slot. A formula
 * of time alone has a value where all slots are NaN. Each is asked twice, with
 * other numbers. */
#include "orders_exact.h"
#include "memory.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

static const double HALF = 0.5;

static size_t slot_count(const orders_exact *c)
{
    return c->state_count + c->unknown_count;
}

static bool make_room(orders_exact *c)
{
    const size_t values = dae_model_observation_count(c->model);
    c->right = memory_take(slot_count(c) + 1, sizeof *c->right);
    c->x = memory_take(c->state_count + 1, sizeof *c->x);
    c->xp = memory_take(c->unknown_count + 1, sizeof *c->xp);
    c->values = memory_take(values + 1, sizeof *c->values);
    return c->right && c->x && c->xp && c->values;
}

/* ---- sides that are slots ---- */

/* Values that tell the number of a slot. */
static void fill(orders_exact *c, double sign)
{
    for (size_t k = 0; k < c->state_count; k++)
        c->x[k] = (dae_long)(sign * ((double)k + HALF));
    for (size_t k = 0; k < c->unknown_count; k++)
        c->xp[k] = (dae_long)(sign * ((double)(c->state_count + k) + HALF));
}

static size_t slot_of(const orders_exact *c, dae_long value)
{
    const double k = (double)value - HALF;
    if (!(k >= 0 && k < (double)slot_count(c))) return SIZE_MAX;
    return fabs(k - floor(k)) > 0 ? SIZE_MAX : (size_t)k;
}

/* The slot that the left side of each line is; SIZE_MAX: none. */
static dae_status find_slots(orders_exact *c, dae_long t, size_t *slots)
{
    const size_t count = dae_model_expect_count(c->model);
    for (int pass = 0; pass < 2; pass++) {
        const double sign = pass ? -1 : 1;
        fill(c, sign);
        const dae_status st = dae_model_observe_long(
            c->model, t, c->x, c->xp, c->values);
        if (st) return st;
        for (size_t k = 0; k < count; k++) {
            const dae_expect *e = dae_model_expect_at(c->model, k);
            const bool is_near = e->kind == DAE_EXPECT_NEAR
                && e->place == DAE_EXPECT_ALWAYS;
            const size_t slot = is_near
                ? slot_of(c, (dae_long)sign * c->values[e->left])
                : SIZE_MAX;
            slots[k] = pass && slots[k] != slot ? SIZE_MAX : slot;
        }
    }
    return DAE_OK;
}

/* ---- sides that are formulas of time ---- */

static dae_status observe_time(orders_exact *c, dae_long t)
{
    for (size_t k = 0; k < c->state_count; k++) c->x[k] = (dae_long)NAN;
    for (size_t k = 0; k < c->unknown_count; k++) c->xp[k] = (dae_long)NAN;
    return dae_model_observe_long(c->model, t, c->x, c->xp, c->values);
}

static dae_status note_formulas(
    orders_exact *c, dae_long t, const size_t *slots)
{
    const dae_status st = observe_time(c, t);
    for (size_t k = 0; !st && k < dae_model_expect_count(c->model); k++) {
        if (slots[k] == SIZE_MAX || c->right[slots[k]] != SIZE_MAX) continue;
        const size_t right = dae_model_expect_at(c->model, k)->right;
        if (isfinite((double)c->values[right])) c->right[slots[k]] = right;
    }
    return st;
}

dae_status orders_exact_init(
    orders_exact *c, dae_model *model, const dae_problem *p, double t)
{
    *c = (orders_exact){.model = model,
        .state_count = dae_problem_state_count(p),
        .unknown_count = p->unknown_count};
    const size_t count = dae_model_expect_count(model);
    size_t *slots = memory_take(count + 1, sizeof *slots);
    const bool has_room = make_room(c) && slots;
    dae_status st = has_room ? DAE_OK : DAE_MEMORY;
    for (size_t k = 0; has_room && k < slot_count(c); k++)
        c->right[k] = SIZE_MAX;
    if (!st) st = find_slots(c, (dae_long)t, slots);
    if (!st) st = note_formulas(c, (dae_long)t, slots);
    memory_drop(slots);
    return st;
}

void orders_exact_clear(orders_exact *c)
{
    memory_drop(c->right);
    memory_drop(c->x);
    memory_drop(c->xp);
    memory_drop(c->values);
    memset(c, 0, sizeof *c);
}

bool orders_exact_is_complete(const orders_exact *c)
{
    for (size_t k = 0; k < c->state_count; k++)
        if (c->right[k] == SIZE_MAX) return false;
    return true;
}

static dae_long value_of(const orders_exact *c, size_t slot)
{
    const size_t right = c->right[slot];
    return right == SIZE_MAX ? (dae_long)NAN : c->values[right];
}

dae_status orders_exact_at(
    orders_exact *c, dae_long t, dae_long *x, dae_long *xp)
{
    const dae_status st = observe_time(c, t);
    if (st) return st;
    for (size_t k = 0; x && k < c->state_count; k++) x[k] = value_of(c, k);
    for (size_t k = 0; xp && k < c->unknown_count; k++)
        xp[k] = value_of(c, c->state_count + k);
    return DAE_OK;
}
