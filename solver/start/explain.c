/* Where a solve has failed: what is recorded of the outcome and of the block
 * where it began. A thorough search looks for a set that
 * does not hold together first (start/conflict.h). */
#include "start/explain.h"
#include "linalg/thresholds.h"
#include "start/conflict.h"
#include "start/names.h"
#include "start/record.h"
#include "start/tolerance.h"
#include <assert.h>
#include <math.h>

/* ---- no value ---------------------------------------------------------------- */

/* The first row of the part with an entry that is none in a slot of it. */
static size_t row_without_slope(const init_system *s, const subset *part)
{
    size_t first = s->rows;
    for (size_t j = 0; j < part->slot_count; j++) {
        entry_range e[2];
        const int count = unknowns_column(s, (size_t)part->slots[j], e);
        for (int q = 0; q < count; q++)
            for (int64_t p = e[q].begin; p < e[q].end; p++) {
                const size_t row = (size_t)e[q].row[p] + e[q].offset;
                if (!is_overflow(e[q].value[p]) || row >= first) continue;
                for (size_t i = 0; i < part->row_count; i++)
                    if ((size_t)part->rows[i] == row) first = row;
            }
    }
    return first;
}

/* First row, of the part if there is one, without a residual, or else Jacobian;
 * rows: none. */
static size_t row_without_value(const init_system *s, const subset *part)
{
    for (size_t i = 0; part && i < part->row_count; i++)
        if (is_overflow(s->res[part->rows[i]])) return (size_t)part->rows[i];
    if (part) return row_without_slope(s, part);
    for (size_t i = 0; i < s->rows; i++)
        if (is_overflow(s->res[i])) return i;
    int64_t i = jacobian_overflow_row(s->f);
    if (i >= 0) return (size_t)i;
    if (s->c && (i = jacobian_overflow_row(s->c)) >= 0)
        return s->equations + (size_t)i;
    return s->rows;
}

/* The entry that has overflowed in a row whose value has not. */
static double overflowed_entry(const init_system *s, size_t row)
{
    const jacobian *j = row < s->equations ? s->f : s->c;
    const int64_t i = (int64_t)(row < s->equations ? row : row - s->equations);
    return overflow_in_row(
        jacobian_pattern(j), s->slots, jacobian_values(j), i);
}

/* Where a callback refuses the whole: the first of some rows that the problem
 * has something to say of; rows: none. */
static size_t row_explained(const init_system *s)
{
    enum { ROWS_ASKED = 1000 };
    char why[256];
    const init_request *r = s->request;
    const dae_problem *p = r->problem;
    for (size_t i = 0; p->explain && i < s->equations && i < ROWS_ASKED; i++) {
        const size_t length = p->explain(
            p->self, i, r->t0, s->z, unknowns_xp(s, s->z), why, sizeof why);
        if (length != SIZE_MAX && length > 0) return i;
    }
    return s->rows;
}

/* Free slots of other parts, which are solved before. */
static bool reads_other_parts(
    const init_system *s, size_t row, const subset *part)
{
    for (size_t k = 0; k < s->slots; k++) {
        bool is_own = !s->is_free[k] || !unknowns_reads(s, k, row);
        for (size_t j = 0; j < part->slot_count && !is_own; j++)
            is_own = (size_t)part->slots[j] == k;
        if (!is_own) return true;
    }
    return false;
}

dae_status explain_no_value(init_system *s, const subset *part)
{
    init_failure f = {.kind = INIT_NO_ROW_VALUE, .value = (double)NAN};
    dae_status st = DAE_OK;
    size_t row = row_without_value(s, part);
    const bool is_own = row < s->rows;
    f.is_reached = part && is_own && reads_other_parts(s, row, part);
    if (!is_own) row = row_explained(s);
    if (row < s->rows) {
        f.is_slope = !is_overflow(s->res[row]);
        if (is_own)
            f.value = f.is_slope ? overflowed_entry(s, row) : s->res[row];
        st = record_rows(s, &row, 1, &f);
    }
    if (!st) st = record_failure(s, &f);
    return st ? st : DAE_NUMERIC;
}

dae_status explain_not_finite(const init_system *s, size_t slot)
{
    init_failure f = {.kind = INIT_NO_SLOT_VALUE};
    const int32_t only = (int32_t)slot;
    dae_status st = record_slots(s, &only, 1, &f.slots);
    f.slot_count = 1;
    if (!st) st = record_failure(s, &f);
    return st ? st : DAE_NUMERIC;
}

/* ---- what does not hold ------------------------------------------------------ */

/* Slots of the row, but entries that are 0 whatever the values are. */
static size_t count_slots(const init_system *s, size_t row)
{
    size_t slots = 0;
    for (size_t k = 0; k < s->slots; k++) slots += unknowns_reads(s, k, row);
    return slots;
}

/* One row, whose slots are all given; `alike` rows of the same equation fail as
 * it does. It is proved where no slot of it is left out of the set. */
static dae_status contradiction(init_system *s, size_t row, size_t alike)
{
    int32_t only = (int32_t)row;
    members b = {.rows = &only, .row_count = 1};
    const dae_status st = record_take_given(s, row, &b);
    if (st) return st;
    const size_t slots = count_slots(s, row);
    const init_conflict about = {
        .alike = alike, .is_proved = b.slot_count == slots};
    return record_conflict(s, &b, row, &about);
}

static place row_place(const init_system *s, size_t row)
{
    const bool is_f = row < s->equations;
    const init_party p = {.kind = is_f ? INIT_EQUATION : INIT_CONDITION,
        .index = is_f ? row : row - s->equations};
    return party_place(s->request, &p);
}

/* Of rows at one place, elements of an equation, the first is recorded. */
static dae_status explain_checks(init_system *s, const subset *checks)
{
    size_t first[INIT_SETS_MOST], alike[INIT_SETS_MOST] = {0}, count = 0;
    dae_status st = DAE_OK;
    for (size_t k = 0; k < checks->row_count; k++) {
        const size_t row = (size_t)checks->rows[k];
        size_t i = 0;
        bool holds = tolerance_ratio(s, row) <= 1;
        if (holds && (st = tolerance_allows(s, row, &holds))) return st;
        if (holds) continue;
        while (i < count
            && !is_same_place(row_place(s, row), row_place(s, first[i])))
            i++;
        if (i < count) alike[i]++;
        else if (count < INIT_SETS_MOST) first[count++] = row;
    }
    if (s->request->is_brief) return DAE_INCONSISTENT;
    for (size_t i = 0; i < count && !st; i++) {
        bool is_found = false;
        if (s->request->is_thorough)
            st = conflict_of_row(s, first[i], alike[i], &is_found);
        if (st == DAE_INCONSISTENT || st == DAE_NUMERIC) st = DAE_OK;
        if (!st && !is_found) st = contradiction(s, first[i], alike[i]);
    }
    return st ? st : DAE_INCONSISTENT;
}

/* What is left of each row, by what slots of the usual sizes explain: near 0
 * the tolerance of a square is next to nothing, and all of it would count. */
static double *measure_left(init_system *s)
{
    const double rtol = s->request->rtol;
    double *left = ARENA_ARRAY(&s->arena, double, s->rows);
    for (size_t k = 0; left && k < s->slots; k++) {
        entry_range e[2];
        const double size = fmax(fabs(s->z[k]), s->scale[k]);
        const int count = unknowns_column(s, k, e);
        for (int q = 0; q < count; q++)
            for (int64_t p = e[q].begin; p < e[q].end; p++) {
                double *of = &left[(size_t)e[q].row[p] + e[q].offset];
                const double slope = fabs(entry_value(&e[q], p));
                *of = fmax(*of, slope * (rtol * size + s->atol[k]));
            }
    }
    for (size_t i = 0; left && i < s->rows; i++) {
        const double ratio = tolerance_ratio(s, i);
        const double usual = fmax(left[i], s->tolerance[i]);
        left[i] = ratio > 1 && usual > 0 ? fabs(s->res[i]) / usual : ratio;
    }
    return left;
}

enum { ROWS_NAMED = 3 };

/* The unsolved rows of the block, worst first, up to `most`. */
static dae_status worst_rows(
    init_system *s, const subset *b, size_t most, size_t *rows, size_t *count)
{
    const double *left = measure_left(s);
    if (!left) return DAE_MEMORY;
    for (*count = 0; *count < most; ++*count) {
        size_t best = s->rows;
        for (size_t i = 0; i < b->row_count; i++) {
            const size_t row = (size_t)b->rows[i];
            bool is_listed = false;
            for (size_t k = 0; k < *count; k++)
                is_listed = is_listed || rows[k] == row;
            if (is_listed || !(tolerance_ratio(s, row) > 1)) continue;
            if (best == s->rows || left[row] > left[best]) best = row;
        }
        if (best == s->rows) break;
        rows[*count] = best;
    }
    return DAE_OK;
}

/* A search that ended, where it did. */
static dae_status record_end_of_search(init_system *s, const solution *end)
{
    const subset *b = &end->failed;
    size_t rows[ROWS_NAMED], count;
    init_failure f = {.kind = INIT_STALLED,
        .block_rows = b->row_count,
        .block_slots = b->slot_count,
        .is_singular = end->is_singular,
        .iterations = end->iterations};
    dae_status st = worst_rows(s, b, ROWS_NAMED, rows, &count);
    if (st) return st;
    if (count == 0) { /* not converged although every row holds */
        rows[0] = (size_t)b->rows[0];
        count = 1;
    }
    st = record_rows(s, rows, count, &f);
    if (!st) st = record_block(s, b, &f);
    if (!st) st = record_failure(s, &f);
    return st ? st : DAE_NUMERIC;
}

/* The first row that reads the slot. */
static size_t row_of_slot(const init_system *s, size_t slot)
{
    for (size_t i = 0; i < s->rows; i++)
        if (unknowns_reads(s, slot, i)) return i;
    return s->rows;
}

/* All rows are met, but errors of the size of rounding change a slot by its
 * own size: the search was on its way to infinity, or along a flat row. */
static dae_status record_uncertain(const init_system *s, size_t slot)
{
    const size_t row = row_of_slot(s, slot);
    const double size = fmax(unknowns_unit(s, slot), fabs(s->guess[slot]));
    const bool is_large = fabs(s->z[slot]) > 10 * size;
    const int32_t only = (int32_t)slot;
    init_failure f = {
        .kind = is_large ? INIT_UNBOUNDED : INIT_INHERITED, .slot_count = 1};
    assert(row < s->rows);
    dae_status st = record_rows(s, &row, 1, &f);
    if (!st) st = record_slots(s, &only, 1, &f.slots);
    if (!st) st = record_failure(s, &f);
    return st ? st : DAE_NUMERIC;
}

dae_status explain_end(init_system *s, const solution *end)
{
    if (end->end == GAUSS_NEWTON_NO_VALUE)
        return explain_no_value(s, &end->failed);
    if (!end->failed.slot_count) return explain_checks(s, &end->failed);
    if (end->uncertain < s->slots) return record_uncertain(s, end->uncertain);
    return record_end_of_search(s, end);
}

/* A row without a value that no slot of another part would give one. */
static bool is_undefined_as_given(init_system *s, const solution *end)
{
    if (end->end != GAUSS_NEWTON_NO_VALUE) return false;
    const size_t row = row_without_value(s, &end->failed);
    return row < s->rows && !reads_other_parts(s, row, &end->failed);
}

dae_status explain_failure(init_system *s, const solution *end, bool *is_solved)
{
    bool is_found = false;
    dae_status st = DAE_OK;
    *is_solved = false;
    if (s->request->is_brief) return DAE_NUMERIC;
    if (end->failed.slot_count && !is_undefined_as_given(s, end))
        st = conflict_find(s, end, is_solved, &is_found);
    return st || *is_solved || is_found ? st : explain_end(s, end);
}
