#include "random_dae.h"
#include "random_maker.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* splitmix64 */
static uint64_t seed_of(uint64_t which, uint64_t attempt)
{
    uint64_t z = which * 64 + attempt + UINT64_C(0x9e3779b97f4a7c15);
    z *= UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return z ? z : 1;
}

static random_kind kind_of(uint64_t which)
{
    uint64_t k = seed_of(which, 63) % 100;
    return k < 8 ? RANDOM_REDUNDANT
        : k < 10 ? RANDOM_CONTRADICTORY
        : k < 14 ? RANDOM_TOO_MANY
        : k < 17 ? RANDOM_TOO_FEW
                 : RANDOM_REGULAR;
}

/* False where the attempt is of no use: a text too long, values too large. */
static bool attempt(maker *m, random_dae *out, uint64_t which, uint64_t count)
{
    *out = (random_dae){.number = which, .kind = kind_of(which)};
    memset(m, 0, sizeof *m);
    m->out = out;
    for (int j = 0; j < RANDOM_UNKNOWNS; j++) {
        out->unit[j] = 1;
        for (int k = 0; k < RANDOM_ORDERS; k++)
            out->solution[j][k] = (double)NAN;
    }
    m->r.s = seed_of(which, count);
    if (!terms_create(&m->s)) return false;
    bool is_made = out->kind == RANDOM_REGULAR && seed_of(which, 62) % 12 == 0
        ? mechanics_write(m)
        : maker_system(m) && maker_write(m);
    terms_free(&m->s);
    if (!is_made) random_dae_clear(out);
    return is_made;
}

bool random_dae_make(uint64_t which, random_dae *out)
{
    maker *m = malloc(sizeof *m);
    bool is_made = false;
    for (uint64_t count = 0; m && !is_made && count < 60; count++)
        is_made = attempt(m, out, which, count);
    free(m);
    return is_made;
}

void random_dae_clear(random_dae *d)
{
    free(d->text);
    d->text = NULL;
}
