/* After blame.c has said which rows and values take part: one row is chosen to
 * be named first, what is left is gathered there, and the set is recorded. */
#include "start/smallest.h"
#include "start/damped.h"
#include "start/fences.h"
#include "start/filter.h"
#include "start/nowhere.h"
#include "start/record.h"
#include <math.h>
#include <string.h>

/* Rows that searches alone say something of, in a system of so many. */
enum { FEW = 8, SYSTEM_MOST = 100 };

/* A contradiction to be recorded. */
typedef struct conflict {
    init_system *s;
    blame who;
    size_t equations;       /* of who.rows, the first ones are of F */
    size_t worst;           /* row: the one that is named first */
    size_t more;            /* rows of its equation that fail alike */
    const uint8_t *is_flat; /* slots that would have to be imaginary; NULL */
    bool is_within;         /* of no others than who is blamed */
    filter_account account;
} conflict;

static bool has_row(const blame *b, size_t row)
{
    for (size_t k = 0; k < b->row_count; k++)
        if ((size_t)b->rows[k] == row) return true;
    return false;
}

/* One row and the given values that change it. */
static dae_status take_row(init_system *s, size_t row, blame *b)
{
    *b = (blame){.rows = ARENA_ARRAY(&s->arena, int32_t, 1)};
    if (!b->rows) return DAE_MEMORY;
    b->rows[b->row_count++] = (int32_t)row;
    return record_take_given(s, row, b);
}

/* Fills in what is recorded of w->who. */
static void survey(conflict *w)
{
    const init_system *s = w->s;
    double most = -1;
    w->equations = 0;
    for (size_t k = 0; k < w->who.row_count; k++) {
        const size_t row = (size_t)w->who.rows[k];
        const double ratio = unknowns_ratio(s, row);
        if (row < s->equations) w->equations++;
        if (ratio <= most) continue;
        most = ratio;
        w->worst = row;
    }
}

static bool is_any_given(const conflict *w)
{
    return w->who.slot_count > 0 || w->equations < w->who.row_count;
}

/* Does somebody's choice take part, a condition or a bound? */
static bool is_any_chosen(const conflict *w)
{
    return is_any_given(w) || w->who.fence_count > 0;
}

/* ---- what is recorded ------------------------------------------------------------ */

static bool is_in_row(const init_system *s, size_t slot, size_t row)
{
    entry_range e[2];
    const int count = unknowns_column(s, slot, e);
    for (int q = 0; q < count; q++)
        for (int64_t at = e[q].begin; at < e[q].end; at++)
            if ((size_t)e[q].row[at] + e[q].offset == row
                && entry_is_present(&e[q], at))
                return true;
    return false;
}

/* The slots that are flat, and the row's other free ones: what holds where
 * the search found these may not hold on another branch. */
static dae_status list_flat(const conflict *w, init_conflict *to)
{
    init_system *s = w->s;
    int32_t *flat = ARENA_ARRAY(&s->arena, int32_t, s->slots);
    int32_t *branch = ARENA_ARRAY(&s->arena, int32_t, s->slots);
    if (!flat || !branch) return DAE_MEMORY;
    for (size_t k = 0; k < s->slots; k++) {
        if (w->is_flat[k]) flat[to->flat_count++] = (int32_t)k;
        else if (s->is_free[k] && is_in_row(s, k, w->worst))
            branch[to->branch_count++] = (int32_t)k;
    }
    to->flat = flat;
    to->branch = branch;
    return DAE_OK;
}

/* What `w` says: DAE_INCONSISTENT where something given takes part, DAE_NUMERIC
 * where only equations do. */
static dae_status record(const conflict *w)
{
    init_conflict about = {.alike = w->more,
        .is_searched = w->account.outcome == FILTER_SET,
        .is_minimal = w->account.is_minimal,
        .is_proved = w->who.is_lasting};
    dae_status st = w->is_flat ? list_flat(w, &about) : DAE_OK;
    if (!st) st = record_conflict(w->s, &w->who, w->worst, &about);
    if (st) return st;
    return is_any_given(w) ? DAE_INCONSISTENT : DAE_NUMERIC;
}

/* What it takes, and no more; no rows: no contradiction. */
static dae_status settle(conflict *w)
{
    const size_t rows = w->who.row_count;
    const dae_status st = filter_settle(
        w->s, &w->who, w->is_within, &w->account);
    if (w->who.row_count != rows) w->who.is_lasting = false; /* another set */
    survey(w);
    return st;
}

/* ---- which ------------------------------------------------------------------------ */

dae_status smallest_of_checks(
    init_system *s, const size_t *rows, const size_t *more, size_t count)
{
    dae_status outcome = count ? DAE_NUMERIC : DAE_INCONSISTENT;
    for (size_t i = 0; i < count; i++) {
        conflict w = {.s = s, .more = more[i], .is_within = true};
        dae_status st = take_row(s, rows[i], &w.who);
        if (!st) st = settle(&w);
        if (!st && w.who.row_count == 0) st = take_row(s, rows[i], &w.who);
        if (st) return st;
        survey(&w);
        if ((st = record(&w)) == DAE_MEMORY) return st;
        if (st == DAE_INCONSISTENT) outcome = st;
    }
    return outcome;
}

/* The row of the block that is worst. */
static size_t worst_of(const init_system *s, const split_part *block)
{
    size_t worst = (size_t)block->rows[0];
    for (size_t i = 1; i < block->row_count; i++)
        if (unknowns_ratio(s, (size_t)block->rows[i])
            > unknowns_ratio(s, worst))
            worst = (size_t)block->rows[i];
    return worst;
}

/* The row to name first: that with the most of the given values in it, which does
 * not hang on where the search ended; of equal ones the first. */
static dae_status choose_worst(conflict *w)
{
    const init_system *s = w->s;
    const blame *b = &w->who;
    size_t most = 0;
    size_t *in_row = ARENA_ARRAY(&w->s->arena, size_t, s->rows);
    if (!in_row) return DAE_MEMORY;
    for (size_t k = 0; k < b->slot_count; k++) {
        entry_range e[2];
        const int count = unknowns_column(s, (size_t)b->slots[k], e);
        for (int q = 0; q < count; q++)
            for (int64_t p = e[q].begin; p < e[q].end; p++)
                if (entry_is_present(&e[q], p))
                    in_row[(size_t)e[q].row[p] + e[q].offset]++;
    }
    for (size_t k = 0; k < b->row_count; k++) {
        const size_t row = (size_t)b->rows[k];
        if (in_row[row] <= most) continue;
        most = in_row[row];
        w->worst = row;
    }
    return DAE_OK;
}

/* The free slots of the rows other than the worst one. */
static dae_status others_init(const conflict *w, submatrix *m)
{
    init_system *s = w->s;
    arena *a = &s->arena;
    const blame *b = &w->who;
    size_t rows = 0, columns = 0;
    uint8_t *is_row = ARENA_ARRAY(a, uint8_t, s->rows);
    int32_t *row_at = ARENA_ARRAY(a, int32_t, b->row_count);
    int32_t *slot_at = ARENA_ARRAY(a, int32_t, s->slots);
    if (!is_row || !row_at || !slot_at) return DAE_MEMORY;
    for (size_t k = 0; k < b->row_count; k++) {
        if ((size_t)b->rows[k] == w->worst) continue;
        row_at[rows++] = b->rows[k];
        is_row[b->rows[k]] = 1;
    }
    for (size_t k = 0; k < s->slots; k++) {
        entry_range e[2];
        bool occurs = false;
        const int count = s->is_free[k] ? unknowns_column(s, k, e) : 0;
        for (int q = 0; q < count; q++)
            for (int64_t p = e[q].begin; p < e[q].end; p++)
                occurs = occurs
                    || (is_row[(size_t)e[q].row[p] + e[q].offset]
                        && entry_is_present(&e[q], p));
        if (occurs) slot_at[columns++] = (int32_t)k;
    }
    return submatrix_init(m, s, row_at, rows, slot_at, columns);
}

/* To where leaving out the one named first made the others hold. */
static dae_status go_where_others_hold(const conflict *w, bool *is_there)
{
    init_system *s = w->s;
    const double *z = w->account.held_at ? w->account.held_at[w->worst] : NULL;
    if (!z) return DAE_OK;
    memcpy(s->z, z, s->slots * sizeof *z);
    dae_status st = unknowns_residual(s, s->z, s->res);
    if (!st) st = unknowns_jacobian(s);
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    unknowns_measure(s);
    *is_there = true;
    return DAE_OK;
}

/* The search ends where what is left is spread over the rows. Without the
 * one named first the others hold together: then it shows all of it. */
static dae_status gather(conflict *w)
{
    init_system *s = w->s;
    submatrix m;
    damped_result result;
    if (w->who.row_count < 2) return DAE_OK;
    double *z = ARENA_ARRAY(&s->arena, double, s->slots);
    double *res = ARENA_ARRAY(&s->arena, double, s->rows);
    if (!z || !res) return DAE_MEMORY;
    memcpy(z, s->z, s->slots * sizeof *z);
    memcpy(res, s->res, s->rows * sizeof *res);
    dae_status st = others_init(w, &m);
    if (!st) st = damped_solve(s, &m, s->scale, &result);
    if (st && st != DAE_RETRY) return st;
    bool is_shown = !st && result.outcome == DAMPED_SOLVED;
    if (!is_shown && (st = go_where_others_hold(w, &is_shown))) return st;
    if (!is_shown || !(unknowns_ratio(s, w->worst) > 1)) {
        memcpy(s->z, z, s->slots * sizeof *z);
        memcpy(s->res, res, s->rows * sizeof *res);
        survey(w);
    }
    if ((st = unknowns_jacobian(s))) return st == DAE_RETRY ? DAE_OK : st;
    unknowns_measure(s);
    return DAE_OK;
}

static dae_status record_at(conflict *w, size_t row, failure_account *account)
{
    w->worst = row;
    *account = FAILURE_RECORDED;
    return record(w);
}

static dae_status record_set(conflict *w, failure_account *account)
{
    dae_status st = choose_worst(w);
    if (!st) st = gather(w);
    return st ? st : record_at(w, w->worst, account);
}

/* A row that is least here, which says nothing: it may be less elsewhere, where
 * others are wrong. That none is found where it holds alone says nothing. */
static dae_status suspect_neighbours(
    conflict *w, size_t row, failure_account *account)
{
    init_system *s = w->s;
    dae_status st = take_row(s, row, &w->who);
    if (!st) st = settle(w);
    if (st) return st;
    if (w->account.outcome == FILTER_HOLDS) *account = FAILURE_NONE;
    const bool is_set = w->account.outcome == FILTER_SET && is_any_given(w);
    return is_set && w->who.row_count > 1 ? record_set(w, account) : DAE_OK;
}

dae_status smallest_of_failure(init_system *s, const split_part *part,
    const split_part *block, bool has_no_solution, failure_account *account)
{
    nowhere no;
    conflict w = {.s = s};
    *account = FAILURE_UNKNOWN;
    dae_status st = nowhere_find(s, block, &no);
    if (!st && no.is_solved) *account = FAILURE_NONE;
    if (st || no.is_solved || !(has_no_solution || no.is_minimum)) return st;
    if (no.is_doubtful) return suspect_neighbours(&w, no.row, account);
    if (no.is_found) w.is_flat = no.is_flat;
    if ((st = blame_find_smallest(s, part, w.is_flat, &w.who))) return st;
    if (no.is_spread && w.who.row_count == 0
        && (st = blame_find_smallest(s, part, no.is_flat, &w.who)))
        return st;
    survey(&w);
    const size_t worst = no.is_found ? no.row : worst_of(s, block);
    const bool is_known = no.is_found ? has_row(&w.who, no.row)
                                      : w.who.row_count > 0;
    /* nothing contradicts anything: the search failed for another reason */
    if (!is_known && !no.is_found && w.who.is_sought) return DAE_OK;
    if (!is_known) {
        if ((st = take_row(s, worst, &w.who))) return st;
        survey(&w);
    }
    /* only equations: unless they contradict each other everywhere, or one of
     * them itself, that is no proof */
    if (!no.is_found && !is_any_given(&w)
        && (w.equations < 2 || !w.who.is_lasting))
        return DAE_OK;
    if ((st = settle(&w))) return st;
    if (w.account.outcome == FILTER_HOLDS) *account = FAILURE_NONE;
    if (w.account.outcome == FILTER_HOLDS || w.who.row_count == 0)
        return DAE_OK;
    /* the worst row of too many, which no search was asked about */
    if (!is_known && !no.is_found && w.account.outcome != FILTER_SET)
        return DAE_OK;
    if (no.is_found && has_row(&w.who, no.row))
        return record_at(&w, no.row, account);
    return record_set(&w, account);
}

dae_status smallest_of_all(init_system *s, failure_account *account)
{
    conflict w = {.s = s};
    *account = FAILURE_UNKNOWN;
    const dae_status st = settle(&w);
    if (st) return st;
    if (w.account.outcome == FILTER_HOLDS) *account = FAILURE_NONE;
    const bool is_set = w.account.outcome == FILTER_SET && is_any_chosen(&w);
    return is_set ? record_set(&w, account) : DAE_OK;
}

/* Or has a bound. */
static bool is_anything_given(const init_system *s)
{
    for (size_t k = 0; k < s->slots; k++)
        if (isfinite(s->low[k]) || isfinite(s->high[k])) return true;
    for (size_t k = 0; k < s->slots; k++) {
        entry_range e[2];
        const int count = s->is_free[k] ? 0 : unknowns_column(s, k, e);
        for (int q = 0; q < count; q++)
            if (e[q].begin < e[q].end) return true;
    }
    return s->rows > s->equations;
}

/* One row, which may be met far away: is it nowhere 0? */
static dae_status record_alone(conflict *w, failure_account *account)
{
    init_system *s = w->s;
    const size_t row = (size_t)w->who.rows[0];
    nowhere no;
    split_part block = {.rows = w->who.rows, .row_count = 1};
    block.slots = ARENA_ARRAY(&s->arena, int32_t, s->slots);
    if (!block.slots) return DAE_MEMORY;
    for (size_t k = 0; k < s->slots; k++)
        if (s->is_free[k] && is_in_row(s, k, row))
            block.slots[block.slot_count++] = (int32_t)k;
    const dae_status st = nowhere_find(s, &block, &no);
    if (st || !no.is_found || no.row != row) return st;
    w->is_flat = no.is_flat;
    return record_at(w, row, account);
}

dae_status smallest_of_few(init_system *s, failure_account *account)
{
    conflict w = {.s = s};
    *account = FAILURE_UNKNOWN;
    if (s->rows > SYSTEM_MOST || s->slots > SYSTEM_MOST) return DAE_OK;
    if (!is_anything_given(s)) return DAE_OK;
    const dae_status st = settle(&w);
    if (st) return st;
    if (w.account.outcome == FILTER_HOLDS) *account = FAILURE_NONE;
    const bool is_set = w.account.outcome == FILTER_SET && is_any_chosen(&w)
        && w.account.is_minimal && w.who.row_count <= FEW;
    if (!is_set) return DAE_OK;
    return w.who.row_count == 1 ? record_alone(&w, account)
                                : record_set(&w, account);
}
