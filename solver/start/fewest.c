/* Each round asks one set; if it holds, as much as does with it is looked for
 * at a glance, so that what is left out is little and says much. */
#include "start/fewest.h"

/* Sets that hold, before it is too much. */
enum { ROUNDS = 300 };

static uint64_t all_of(size_t members)
{
    return members >= HITTING_MEMBERS ? ~UINT64_C(0)
                                      : (UINT64_C(1) << members) - 1;
}

/* Members that hold together with those that do, one after the other. */
static dae_status widen(const fewest_oracle *o, size_t members, uint64_t *held)
{
    for (size_t m = 0; m < members; m++) {
        const uint64_t one = UINT64_C(1) << m;
        uint64_t all;
        bool holds;
        if (*held & one) continue;
        const dae_status st = o->glance(o->self, *held | one, &holds, &all);
        if (st) return st;
        if (holds) *held |= one | all;
    }
    return o->keep(o->self, *held);
}

dae_status fewest_find(const fewest_oracle *o, size_t members, arena *a,
    uint64_t *set, fewest_outcome *out)
{
    uint64_t held, *lacking = ARENA_ARRAY(a, uint64_t, ROUNDS);
    bool holds;
    *out = FEWEST_UNSURE;
    if (!lacking) return DAE_MEMORY;
    for (size_t count = 0; count < ROUNDS; count++) {
        uint64_t next = *set;
        if (!hitting_find(lacking, count, &next)) return DAE_OK;
        if (next == *set) {
            *out = FEWEST_FOUND;
            return DAE_OK;
        }
        dae_status st = o->ask(o->self, next, &holds, &held);
        if (st || o->is_spent(o->self)) return st;
        if (!holds) {
            *set = next;
            *out = FEWEST_FOUND;
            return DAE_OK;
        }
        if ((st = widen(o, members, &held))) return st;
        lacking[count] = all_of(members) & ~held;
        if ((held & *set) != *set) continue;
        *out = FEWEST_HOLDS;
        return DAE_OK;
    }
    return DAE_OK;
}
