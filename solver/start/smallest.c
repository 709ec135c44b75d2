/* After blame.c has said which rows and values take part: one row is chosen to
 * be told, what is left is gathered there, and the set is told and recorded. */
#include "start/smallest.h"
#include "start/damped.h"
#include "start/fences.h"
#include "start/filter.h"
#include "start/nowhere.h"
#include "start/record.h"
#include "start/sequence.h"
#include "start/sides.h"
#include "start/wording.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* All of them are to blame, so more are named than where that is a guess. */
enum { ROWS_LISTED = 6, GIVEN_LISTED = 8 };
/* Rows that searches alone say something of, in a system of so many. */
enum { FEW = 8, SYSTEM_MOST = 100 };

/* A contradiction to be told. */
typedef struct conflict {
    init_system *s;
    blame who;
    size_t equations;       /* of who.rows, the first ones are of F */
    size_t worst;           /* row: the one that is told */
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
    arena *a = &s->arena;
    size_t *slots = ARENA_ARRAY(a, size_t, s->slots);
    *b = (blame){.rows = ARENA_ARRAY(a, int32_t, 1),
        .slots = ARENA_ARRAY(a, int32_t, s->slots)};
    if (!slots || !b->rows || !b->slots) return DAE_MEMORY;
    b->rows[b->row_count++] = (int32_t)row;
    b->slot_count = fixed_in_row(s, row, s->slots, slots);
    for (size_t k = 0; k < b->slot_count; k++) b->slots[k] = (int32_t)slots[k];
    return DAE_OK;
}

/* Fills in what is told of w->who. */
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

/* ---- in words -------------------------------------------------------------------- */

/* Derivatives of one equation stand where it stands. */
static bool is_placed(const conflict *w, size_t k)
{
    const dae_source *source[2];
    text_span span[2];
    row_place(w->s, (size_t)w->who.rows[k], &source[0], &span[0]);
    for (size_t j = 0; j <= k; j++) {
        const size_t row = j < k ? (size_t)w->who.rows[j] : w->worst;
        row_place(w->s, row, &source[1], &span[1]);
        if (source[0] == source[1] && span[0].begin == span[1].begin
            && span[0].end == span[1].end)
            return true;
    }
    return false;
}

static void place_others(const conflict *w)
{
    const init_system *s = w->s;
    const blame *b = &w->who;
    dae_diagnostics *ds = s->request->ds;
    const dae_source *source;
    text_span span;
    size_t told = 0;
    for (size_t k = 0; k < b->row_count && told < ROWS_LISTED; k++) {
        const size_t row = (size_t)b->rows[k];
        if (is_placed(w, k)) continue;
        row_place(s, row, &source, &span);
        if (source) report_also(ds, source, span, "together with this");
        told++;
    }
    place_given(s, b->slots,
        b->slot_count < GIVEN_LISTED ? b->slot_count : GIVEN_LISTED);
    for (size_t k = 0; k < b->fence_count && k < ROWS_LISTED; k++) {
        text bound = {.length = 0};
        fence_write(s, b->fences[k], &bound);
        fence_place(s, b->fences[k], &source, &span);
        if (source) report_also(ds, source, span, "%s", bound.s);
    }
}

/* " with `q` at least 0", "" where no bound takes part. */
static void list_fences(const conflict *w, text *out)
{
    const blame *b = &w->who;
    for (size_t k = 0; k < b->fence_count && k < ROWS_LISTED; k++) {
        text_add(out, "%s", k ? ", " : " where ");
        fence_write(w->s, b->fences[k], out);
    }
    if (b->fence_count > ROWS_LISTED)
        text_add(
            out, " and %zu more bounds hold", b->fence_count - ROWS_LISTED);
}

static void help(const conflict *w)
{
    const init_system *s = w->s;
    const blame *b = &w->who;
    dae_diagnostics *ds = s->request->ds;
    char name[NAMING_SIZE];
    if (w->account.outcome == FILTER_SET && !w->account.is_minimal)
        report_help(ds,
            "perhaps fewer of them contradict each other already: to look for "
            "these was too much work");
    else if (b->fence_count)
        report_help(ds,
            "`%s` would have to be %s: drop the bound if that may be%s",
            slot_name(s, fence_slot(b->fences[0]), name),
            fence_is_maximum(b->fences[0]) ? "above its maximum"
                                           : "below its minimum",
            is_any_given(w) ? ", or change what is given" : "");
    else if (b->slot_count)
        report_help(ds,
            "free one of them: make its value a guess with `%s ~ %g`",
            slot_name(s, (size_t)b->slots[b->slot_count - 1], name),
            s->z[b->slots[b->slot_count - 1]]);
    else if (is_any_given(w) && b->row_count == 1)
        report_help(ds, "drop the condition, or check it");
    else if (is_any_given(w)) report_help(ds, "drop one of the conditions");
    else if (w->is_flat || b->row_count == 1)
        report_help(ds, "no initial condition is to blame: check the equation");
    else
        report_help(ds,
            "no initial condition is to blame: the left sides depend on one "
            "another, the right sides do not agree");
}

/* The row's other unknowns that nobody has given: they are where the search
 * found them, and what holds there may not hold on another branch. */
static void add_branch(const conflict *w, text *out)
{
    const init_system *s = w->s;
    char name[NAMING_SIZE];
    size_t named = 0;
    for (size_t k = 0; k < s->slots; k++) {
        entry_range e[2];
        bool is_in = false;
        if (!s->is_free[k] || w->is_flat[k]) continue;
        const int count = unknowns_column(s, k, e);
        for (int q = 0; q < count; q++)
            for (int64_t p = e[q].begin; p < e[q].end; p++)
                is_in = is_in
                    || ((size_t)e[q].row[p] + e[q].offset == w->worst
                        && entry_is_present(&e[q], p));
        if (!is_in || named++ >= FIXED_NAMED) continue;
        text_add(out, "%s`%s` = %.6g", named > 1 ? ", " : " where ",
            slot_name(s, k, name), s->z[k]);
    }
    if (named > FIXED_NAMED)
        text_add(out, " and %zu more are as found", named - FIXED_NAMED);
}

/* The slots without a real value, and the message for them. */
static void tell_nowhere(const conflict *w, const dae_source *source,
    text_span span, const char *row, const text *given, size_t given_count)
{
    const init_system *s = w->s;
    dae_diagnostics *ds = s->request->ds;
    char name[NAMING_SIZE];
    text slots = {.length = 0}, branch = {.length = 0}, fences = {.length = 0};
    size_t named = 0;
    add_branch(w, &branch);
    list_fences(w, &fences);
    for (size_t k = 0; k < s->slots; k++) {
        if (!w->is_flat[k]) continue;
        if (named++ >= FIXED_NAMED) continue;
        text_add(
            &slots, "%s`%s`", named > 1 ? ", " : "", slot_name(s, k, name));
    }
    if (named > FIXED_NAMED)
        text_add(&slots, " and %zu more", named - FIXED_NAMED);
    const bool is_alone = w->who.row_count == 1 && w->who.slot_count == 0;
    report(ds, is_any_given(w) ? DIAG_E0401 : DIAG_E0402, source, span,
        "no %s value%s of %s satisf%s `%s`%s%s%s%s",
        w->who.fence_count ? "admitted" : "real", named == 1 ? "" : "s",
        slots.s, named == 1 ? "ies" : "y", row, branch.s,
        !is_any_given(w) || is_alone ? ""
            : given_count == 1       ? " with the initial condition "
                                     : " with the initial conditions ",
        is_any_given(w) && !is_alone ? given->s : "", fences.s);
    const double left = s->res[w->worst];
    report_label(ds, "left side less right side is at %s %.6g",
        left > 0 ? "least" : "most", left);
}

static void tell_rows(const conflict *w, const dae_source *source,
    text_span span, const text *given, size_t given_count)
{
    const init_system *s = w->s;
    dae_diagnostics *ds = s->request->ds;
    text rows = {.length = 0}, reading = {.length = 0}, allowed = {.length = 0};
    text fences = {.length = 0};
    char others[48] = "";
    list_equations(s, w->who.rows, w->equations, ROWS_LISTED, &rows);
    list_fences(w, &fences);
    if (!is_any_given(w) && w->equations == 1)
        report(ds, DIAG_E0402, source, span,
            "nothing satisfies %s, whatever is given%s", rows.s, fences.s);
    else if (!is_any_given(w))
        report(ds, DIAG_E0402, source, span,
            "%s contradict each other: the free unknowns cannot satisfy %s%s",
            rows.s, w->equations == 2 ? "both" : "all of them", fences.s);
    else if (w->equations)
        report(ds, DIAG_E0401, source, span,
            "%s %s the initial condition%s %s%s", rows.s,
            w->equations == 1 ? "contradicts" : "contradict",
            given_count == 1 ? "" : "s", given->s, fences.s);
    else if (given_count == 1)
        report(ds, DIAG_E0401, source, span,
            "nothing satisfies the initial condition %s%s", given->s, fences.s);
    else
        report(ds, DIAG_E0401, source, span,
            "the initial conditions %s contradict each other%s", given->s,
            fences.s);
    if (w->more)
        (void)snprintf(
            others, sizeof others, ", and %zu more of this kind", w->more);
    sides_write(s, w->worst, &reading);
    tolerance_write(s, w->worst, &allowed);
    report_label(
        ds, "%s at t = %g%s%s", reading.s, s->request->t0, allowed.s, others);
}

static dae_status tell(const conflict *found)
{
    init_system *s = found->s;
    conflict told = *found;
    const dae_status st = sequence_blame(s, &told.who);
    if (st) return st;
    const conflict *w = &told;
    const blame *b = &w->who;
    const dae_source *source;
    text_span span;
    char name[NAMING_SIZE], other[NAMING_SIZE];
    text given = {.length = 0};
    row_place(s, w->worst, &source, &span);
    row_name(s, w->worst, name);
    /* of a condition that is told for itself the others are named beside it */
    const bool is_alone = w->is_flat && b->row_count == 1;
    const size_t count = list_given(s, b->rows + w->equations,
        is_alone ? 0 : b->row_count - w->equations, b->slots, b->slot_count,
        GIVEN_LISTED, &given);
    if (w->is_flat) tell_nowhere(w, source, span, name, &given, count);
    else tell_rows(w, source, span, &given, count);
    place_others(w);
    help(w);
    report_numeric(s->request->ds, s->request->t0, 0, 0, name,
        b->slot_count ? slot_name(s, (size_t)b->slots[0], other) : NULL);
    return is_any_given(w) ? DAE_INCONSISTENT : DAE_NUMERIC;
}

/* What it takes, and no more; no rows: no contradiction. */
static dae_status settle(conflict *w)
{
    const dae_status st = filter_settle(
        w->s, &w->who, w->is_within, &w->account);
    survey(w);
    return st;
}

/* ---- which ------------------------------------------------------------------------ */

dae_status smallest_of_checks(
    init_system *s, const size_t *rows, const size_t *more, size_t count)
{
    const blame *best = NULL;
    size_t fewest = SIZE_MAX;
    dae_status told = DAE_NUMERIC; /* of equations alone */
    blame *all = ARENA_ARRAY(&s->arena, blame, count);
    if (!all) return DAE_MEMORY;
    for (size_t i = 0; i < count; i++) {
        conflict w = {.s = s, .more = more[i], .is_within = true};
        dae_status st = take_row(s, rows[i], &w.who);
        if (!st) st = settle(&w);
        if (!st && w.who.row_count == 0) st = take_row(s, rows[i], &w.who);
        if (st) return st;
        survey(&w);
        if ((st = tell(&w)) == DAE_MEMORY) return st;
        if (st == DAE_INCONSISTENT) told = st;
        all[i] = w.who;
        const size_t parties = w.who.row_count + w.who.slot_count
            + w.who.fence_count;
        if (parties >= fewest) continue;
        fewest = parties;
        best = &all[i];
    }
    if (!best) return DAE_INCONSISTENT;
    const dae_status st = record_conflict(s, best);
    return st ? st : told;
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

/* The row to tell: that with the most of the given values in it, which does
 * not hang on where the search ended; of equal ones the first. */
static dae_status choose_told(conflict *w)
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

/* To where leaving out the one told made the others hold. */
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
 * one told the others hold together: then it shows all of it. */
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

static dae_status tell_row(conflict *w, size_t row, failure_account *account)
{
    w->worst = row;
    const dae_status st = record_conflict(w->s, &w->who);
    if (st) return st;
    *account = FAILURE_TOLD;
    return tell(w);
}

static dae_status tell_set(conflict *w, failure_account *account)
{
    dae_status st = choose_told(w);
    if (!st) st = gather(w);
    return st ? st : tell_row(w, w->worst, account);
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
    return is_set && w->who.row_count > 1 ? tell_set(w, account) : DAE_OK;
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
        return tell_row(&w, no.row, account);
    return tell_set(&w, account);
}

dae_status smallest_of_all(init_system *s, failure_account *account)
{
    conflict w = {.s = s};
    *account = FAILURE_UNKNOWN;
    const dae_status st = settle(&w);
    if (st) return st;
    if (w.account.outcome == FILTER_HOLDS) *account = FAILURE_NONE;
    const bool is_set = w.account.outcome == FILTER_SET && is_any_chosen(&w);
    return is_set ? tell_set(&w, account) : DAE_OK;
}

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
static dae_status tell_alone(conflict *w, failure_account *account)
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
    return tell_row(w, row, account);
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
    return w.who.row_count == 1 ? tell_alone(&w, account)
                                : tell_set(&w, account);
}

/* One more party, in its place. */
static dae_status add_slot(init_system *s, blame *b, size_t slot)
{
    int32_t *list = ARENA_ARRAY(&s->arena, int32_t, b->slot_count + 1);
    size_t at = 0;
    if (!list) return DAE_MEMORY;
    while (at < b->slot_count && (size_t)b->slots[at] < slot) at++;
    memcpy(list, b->slots, at * sizeof *list);
    list[at] = (int32_t)slot;
    memcpy(list + at + 1, b->slots + at, (b->slot_count - at) * sizeof *list);
    b->slots = list;
    b->slot_count++;
    return DAE_OK;
}

dae_status smallest_of_value(init_system *s, size_t slot, double given)
{
    conflict w = {.s = s};
    dae_status st = blame_determine(s, slot, &w.who);
    if (st || w.who.row_count == 0) return st;
    if ((st = add_slot(s, &w.who, slot))) return st;
    s->is_free[slot] = 0;
    s->z[slot] = given;
    st = unknowns_residual(s, s->z, s->res);
    if (!st) st = unknowns_jacobian(s);
    if (st) return st;
    unknowns_measure(s);
    s->guess[slot] = given;
    if ((st = settle(&w))) return st;
    if (w.account.outcome == FILTER_HOLDS || w.who.row_count == 0)
        return DAE_OK;
    failure_account account;
    return tell_set(&w, &account);
}
