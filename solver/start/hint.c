/* Helps for the errors of explain.c: a row without a value is tried with other
 * values of its unknowns, and the one that gives it a value is named. */
#include "start/hint.h"
#include "start/scan.h"
#include "start/wording.h"
#include <math.h>

enum { SLOTS_TRIED = 100 };

static bool is_in_row(const init_system *s, size_t slot, size_t row)
{
    entry_range e[2];
    const int count = unknowns_column(s, slot, e);
    for (int q = 0; q < count; q++)
        for (int64_t p = e[q].begin; p < e[q].end; p++)
            if ((size_t)e[q].row[p] + e[q].offset == row) return true;
    return false;
}

/* Has the row a value with the slot's unit in place of its guess? */
static dae_status try_slot(init_system *s, size_t row, size_t slot, bool *does)
{
    double f, work = SCAN_WORK;
    scan c = {.s = s, .row = row, .slot = slot, .work = &work};
    if (!(c.res = ARENA_ARRAY(&s->arena, double, s->rows))) return DAE_MEMORY;
    const dae_status st = scan_evaluate(&c, scan_unit(s, slot), &f);
    *does = !st && !is_overflow(f);
    return st;
}

/* Of the row's slots, free or given, the first that another value of helps;
 * else the first; slots: it has none. */
static dae_status find_slot(
    init_system *s, size_t row, bool is_free, size_t *slot, bool *does_help)
{
    const bool has_value = !is_overflow(s->res[row]);
    /* in a run, which a fault has to end soon, nothing is tried */
    const bool has_time = s->request->findings != NULL;
    size_t tried = 0;
    *slot = s->slots;
    *does_help = false;
    for (size_t k = 0; k < s->slots && tried < SLOTS_TRIED; k++) {
        const double unit = scan_unit(s, k);
        bool does = has_value && s->z[k] == 0;
        if ((s->is_free[k] != 0) != is_free || !is_in_row(s, k, row)) continue;
        if (*slot == s->slots) *slot = k;
        if (s->z[k] == unit || unit < s->low[k] || unit > s->high[k]) continue;
        tried++;
        if (!has_value && !has_time) does = k < s->states;
        const dae_status st = has_value || !has_time
            ? DAE_OK
            : try_slot(s, row, k, &does);
        if (st) return st;
        if (!does) continue;
        *slot = k;
        *does_help = true;
        return DAE_OK;
    }
    return DAE_OK;
}

dae_status hint_value(init_system *s, size_t row)
{
    dae_diagnostics *ds = s->request->ds;
    char name[NAMING_SIZE];
    size_t slot, given;
    bool does_help, does_other;
    dae_status st = find_slot(s, row, true, &slot, &does_help);
    if (!st) st = find_slot(s, row, false, &given, &does_other);
    if (st) return st;
    if (does_help)
        report_help(ds, "give guesses where it has one, such as `%s ~ %g`",
            slot_name(s, slot, name), scan_unit(s, slot));
    else if (does_other)
        report_help(ds, "give values where it has one, such as `%s = %g`",
            slot_name(s, given, name), scan_unit(s, given));
    else if (given < s->slots)
        report_help(ds, "give other values than `%s = %g`, where it has one",
            slot_name(s, given, name), s->z[given]);
    else
        report_help(ds,
            "give guesses where it has one, or begin at another time than "
            "t = %g",
            s->request->t0);
    return DAE_OK;
}

/* At a bound, or nearly all the way from the guess to it: a search that stalls
 * there was on its way beyond. */
static bool is_held(const init_system *s, size_t slot, bool *is_low)
{
    static const double NEARLY = 0.99;
    const double z = s->z[slot], g = s->guess[slot];
    const double low = s->low[slot], high = s->high[slot];
    *is_low = z <= low || (g > low && g - z >= NEARLY * (g - low));
    return *is_low || z >= high || (g < high && z - g >= NEARLY * (high - g));
}

void hint_guess(
    const init_system *s, const split_part *block, const char *values)
{
    dae_diagnostics *ds = s->request->ds;
    char name[NAMING_SIZE];
    size_t slot = (size_t)block->slots[0];
    bool is_bound = false, is_low = false;
    for (size_t j = 0; j < block->slot_count && !is_bound; j++) {
        const size_t k = (size_t)block->slots[j];
        is_bound = is_held(s, k, &is_low);
        if (is_bound) slot = k;
    }
    const double unit = scan_unit(s, slot);
    slot_name(s, slot, name);
    if (is_bound)
        report_help(ds,
            "last values: %s; `%s` would have to be %s: drop the bound if that "
            "may be, or give other guesses",
            values, name, is_low ? "below its minimum" : "above its maximum");
    else if (s->guess[slot] == unit)
        report_help(ds,
            "last values: %s; give a guess nearer to the solution, or check "
            "that there is one",
            values);
    else
        report_help(ds,
            "last values: %s; give a guess nearer to the solution, such as "
            "`%s ~ %g`, or check that there is one",
            values, name, unit);
}
