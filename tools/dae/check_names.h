/* How equations, values and hidden constraints are called in a check. */
#ifndef CHECK_NAMES_H
#define CHECK_NAMES_H

#include "check.h"
#include "phrase.h"
#include <dae/names.h>

/* "rod", "rod''", "der(rod, 12)": appended to the phrase. */
void check_put_equation(const check *k, size_t i, int64_t order, phrase *p);
/* "x", "x'", "der(x, 12)". */
void check_put_slot(const check *k, size_t unknown, int64_t order, phrase *p);
/* The phrase is emptied, gets that name alone, and gives its text. */
const char *check_equation_name(const check *k, size_t i, phrase *p);
const char *check_slot_name(
    const check *k, size_t unknown, int64_t order, phrase *p);
/* What takes part in a contradiction; a value as "x". */
void check_put_party(const check *k, const dae_party *party, phrase *p);
const char *check_party_name(const check *k, const dae_party *party, phrase *p);
/* " `x = y`" behind the name of a condition; nothing of others. */
void check_put_party_text(const check *k, const dae_party *party, phrase *p);
bool check_is_bound(const dae_party *party);
/* "x, y and 12 more"; "rod (line 8), x `x = 2` (line 3)". */
void check_put_slots(
    const check *k, const dae_slot *slots, size_t count, phrase *p);
void check_put_parties(
    const check *k, const dae_party *parties, size_t count, phrase *p);
#endif
