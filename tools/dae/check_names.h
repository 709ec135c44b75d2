/* How equations, values and hidden constraints are called in a check. */
#ifndef CHECK_NAMES_H
#define CHECK_NAMES_H

#include "check.h"
#include "names.h"
#include "phrase.h"

/* "rod", "rod''", "der(rod, 12)": appended to the phrase. */
void check_put_equation(const check *k, size_t i, int64_t order, phrase *p);
/* "x", "x'", "der(x, 12)". */
void check_put_slot(const check *k, size_t unknown, int64_t order, phrase *p);
/* What takes part in a contradiction; a value as "x". */
void check_put_party(const check *k, const dae_party *party, phrase *p);
/* " `x = y`" behind the name of a condition; nothing of others. */
void check_put_party_text(const check *k, const dae_party *party, phrase *p);
uint32_t check_party_line(const check *k, const dae_party *party);
bool check_is_bound(const dae_party *party);
/* "x, y and 12 more"; "rod (line 8), x `x = 2` (line 3)". */
void check_put_slots(
    const check *k, const dae_slot *slots, size_t count, phrase *p);
void check_put_parties(
    const check *k, const dae_party *parties, size_t count, phrase *p);
/* A hidden constraint: what it is called, its formula ("" where there is
 * none), the line of its equation. False: memory ran out. */
void check_put_hidden(const check *k, const dae_hidden *h, phrase *p);
/* What a hidden constraint determines, as its formula shows it; false: nothing
 * that has a name. */
bool check_determined(const check *k, const dae_hidden *h, dae_slot *slot);
bool check_put_formula(const check *k, const dae_hidden *h, phrase *p);

#endif
