/* The order of things: bounds, values, equations without free slots, then
 * the parts of init/split.h one after the other, then derivatives left open,
 * then the account of what was given, missing or redundant. */
#include "init/init.h"
#include "init/advise.h"
#include "init/blocks.h"
#include "init/count.h"
#include "init/damped.h"
#include "init/derive.h"
#include "init/explain.h"
#include "init/homotopy.h"
#include "init/keeping.h"
#include "init/moment.h"
#include "init/proportion.h"
#include "init/rank.h"
#include "init/record.h"
#include "init/rescue.h"
#include "init/sequence.h"
#include "init/sharpen.h"
#include "init/smallest.h"
#include "init/split.h"
#include "init/wake.h"
#include <math.h>
#include <string.h>

/* A derivative may change by so much more than a state for the same price:
 * guesses are about states. */
static const double RATE_SCALE = 1e4;
/* and no more than so many times its size answers a state's. */
static const double ANSWER_MOST = 1e8;

/* A start that does not hold when looked at again is sought once more. */
enum { CONFIRMATIONS = 3 };

typedef struct start {
    init_system s;
    split split;
    double *scale;     /* slots: sizes for least changes */
    bool is_open;      /* derivatives are left open */
    bool is_uncertain; /* counts by pattern may be wrong */
    double found_at;   /* largest residual where the search ended */
    proportion usual;  /* with findings */
    int64_t iterations;
} start;

static dae_status keep_bounds(init_system *s)
{
    dae_status st = DAE_OK;
    for (size_t k = 0; k < s->states; k++) {
        const double z = s->z[k];
        if (z >= s->low[k] && z <= s->high[k]) continue;
        if (isnan(z)) continue;
        if (!s->is_free[k]) {
            const dae_status kept = record_slot(s, k);
            if (kept) return kept;
            st = advise_bound(s, k);
            continue;
        }
        s->z[k] = s->guess[k] = fmin(fmax(z, s->low[k]), s->high[k]);
        advise_moved(s, k, z);
    }
    return st;
}

/* Values that no equation reads, or its residual would have none either. */
static dae_status check_finite(const init_system *s)
{
    for (size_t k = 0; k < s->slots; k++)
        if (!isfinite(s->z[k])) return explain_not_finite(s, k);
    return DAE_OK;
}

/* Values that no equation shows to be too large, cancelled in a sum. */
static dae_status check_sizes(const init_system *s)
{
    for (size_t k = 0; k < s->slots; k++)
        if (is_overflow(s->z[k])) return explain_not_finite(s, k);
    return DAE_OK;
}

static bool is_cheap(const init_system *s, size_t slot)
{
    const uint8_t *order = s->request->stands_for;
    return s->is_rate[slot] || (slot < s->states && order && order[slot] > 0);
}

/* The most that typical changes of the states make of each row. */
static void measure_rows(const init_system *s, double *most)
{
    for (size_t k = 0; k < s->slots; k++) {
        entry_range e[2];
        if (is_cheap(s, k)) continue;
        const int count = unknowns_column(s, k, e);
        for (int q = 0; q < count; q++) {
            for (int64_t p = e[q].begin; p < e[q].end; p++) {
                const size_t i = (size_t)e[q].row[p] + e[q].offset;
                const double change = fabs(entry_value(&e[q], p)) * s->scale[k];
                most[i] = fmax(most[i], change);
            }
        }
    }
}

/* The change of a slot that makes as much of some row. */
static double answering_change(
    const init_system *s, size_t k, const double *most)
{
    entry_range e[2];
    double change = s->scale[k];
    const int count = unknowns_column(s, k, e);
    for (int q = 0; q < count; q++) {
        for (int64_t p = e[q].begin; p < e[q].end; p++) {
            const size_t i = (size_t)e[q].row[p] + e[q].offset;
            const double slope = fabs(entry_value(&e[q], p));
            if (slope > 0) change = fmax(change, most[i] / slope);
        }
    }
    return fmin(change, ANSWER_MOST * s->scale[k]);
}

/* Sizes for least changes. */
static dae_status size_slots(start *a)
{
    init_system *s = &a->s;
    double *most = NULL;
    a->scale = ARENA_ARRAY(&s->arena, double, s->slots);
    if (!a->scale) return DAE_MEMORY;
    for (size_t k = 0; k < s->slots; k++)
        a->scale[k] = s->scale[k] * (is_cheap(s, k) ? RATE_SCALE : 1);
    if (!s->request->do_rates_answer) return DAE_OK;
    if (!(most = ARENA_ARRAY(&s->arena, double, s->rows))) return DAE_MEMORY;
    measure_rows(s, most);
    for (size_t k = 0; k < s->slots; k++)
        if (is_cheap(s, k))
            a->scale[k] = RATE_SCALE * answering_change(s, k, most);
    return DAE_OK;
}

static dae_status prepare(start *a)
{
    init_system *s = &a->s;
    dae_status st = keep_bounds(s);
    if (st) return st;
    st = unknowns_residual(s, s->z, s->res);
    if (!st) st = unknowns_jacobian(s);
    if (st == DAE_RETRY) st = wake_up(s);
    if (st == DAE_RETRY) return explain_no_value(s);
    if (st || (st = check_finite(s)) || (st = unknowns_probe(s))) return st;
    unknowns_measure(s);
    if ((st = size_slots(a))) return st;
    if (s->request->findings && (st = proportion_init(&a->usual, s))) return st;
    return split_init(&a->split, s);
}

static dae_status run_checks(start *a)
{
    const split_part *checks = &a->split.checks;
    for (size_t k = 0; k < checks->row_count; k++)
        if (!(unknowns_ratio(&a->s, (size_t)checks->rows[k]) <= 1))
            return explain_checks(&a->s, checks);
    return DAE_OK;
}

static dae_status solve_part(
    start *a, const split_part *p, damped_result *result)
{
    submatrix m;
    *result = (damped_result){.outcome = DAMPED_SOLVED};
    if (p->row_count == 0) return DAE_OK;
    dae_status st = submatrix_init(
        &m, &a->s, p->rows, p->row_count, p->slots, p->slot_count);
    if (!st) st = damped_solve(&a->s, &m, a->scale, result);
    a->iterations += result->iterations;
    return st;
}

/* All rows that have a free slot, and all free slots. */
static dae_status take_all(start *a, split_part *all)
{
    init_system *s = &a->s;
    uint8_t *is_check = ARENA_ARRAY(&s->arena, uint8_t, s->rows);
    *all = (split_part){.rows = ARENA_ARRAY(&s->arena, int32_t, s->rows),
        .slots = ARENA_ARRAY(&s->arena, int32_t, s->slots)};
    if (!is_check || !all->rows || !all->slots) return DAE_MEMORY;
    for (size_t k = 0; k < a->split.checks.row_count; k++)
        is_check[a->split.checks.rows[k]] = 1;
    for (size_t i = 0; i < s->rows; i++)
        if (!is_check[i]) all->rows[all->row_count++] = (int32_t)i;
    for (size_t k = 0; k < s->slots; k++)
        if (s->is_free[k]) all->slots[all->slot_count++] = (int32_t)k;
    return DAE_OK;
}

static bool has_free_state(const init_system *s)
{
    for (size_t k = 0; k < s->states; k++)
        if (s->is_free[k] && !s->is_rate[k]) return true;
    return false;
}

/* The derivatives alone cannot satisfy their rows, because dF/dx' is
 * singular for its values: states have to move after all. Not solved, all is as
 * before. */
static dae_status solve_together(start *a, bool *is_solved)
{
    init_system *s = &a->s;
    split_part all;
    damped_result result;
    dae_status st;
    double *z = ARENA_ARRAY(&s->arena, double, s->slots);
    double *res = ARENA_ARRAY(&s->arena, double, s->rows);
    if (!z || !res) return DAE_MEMORY;
    *is_solved = false;
    if (!has_free_state(s)) return DAE_OK;
    memcpy(z, s->z, s->slots * sizeof *z);
    memcpy(res, s->res, s->rows * sizeof *res);
    for (size_t k = 0; k < s->slots; k++)
        if (s->is_rate[k]) s->z[k] = s->guess[k];
    if ((st = take_all(a, &all))) return st;
    if ((st = unknowns_residual(s, s->z, s->res))) return st;
    if ((st = solve_part(a, &all, &result))) return st;
    a->is_open = a->is_uncertain = true;
    *is_solved = result.outcome == DAMPED_SOLVED;
    if (*is_solved) return DAE_OK;
    memcpy(s->z, z, s->slots * sizeof *z);
    memcpy(s->res, res, s->rows * sizeof *res);
    return DAE_OK;
}

/* A part that failed, again from where it began if the Jacobian was to blame:
 * it has values now, or what never changes in it has changed. */
static dae_status solve_again(start *a, const double *begin,
    const split_part *part, damped_result *result)
{
    init_system *s = &a->s;
    bool is_changed, had_value = result->outcome != DAMPED_NO_VALUE;
    dae_status st = unknowns_renew(s, &is_changed);
    if (st == DAE_RETRY) return DAE_OK;
    if (st || (had_value && !is_changed)) return st;
    memcpy(s->z, begin, s->slots * sizeof *begin);
    if ((st = unknowns_residual(s, s->z, s->res))) return st;
    return solve_part(a, part, result);
}

/* By homotopy, where that comes first. */
static dae_status solve_first(
    start *a, const split_part *part, damped_result *result)
{
    init_system *s = &a->s;
    *result = (damped_result){.outcome = DAMPED_STALLED};
    if (!s->request->is_homotopy_first) return DAE_OK;
    const dae_status st = homotopy_first(s, a->scale, part, result);
    a->iterations += result->iterations;
    return st;
}

/* Where there is a choice, with stated guesses where they are; not solved, all
 * is as before. */
static dae_status solve_keeping(
    start *a, const split_part *part, damped_result *result)
{
    init_system *s = &a->s;
    split_part rest;
    moment before;
    bool is_any;
    if (part->slot_count <= part->row_count) return DAE_OK;
    dae_status st = keeping_rest(s, part, &rest, &is_any);
    if (st || !is_any) return st;
    if ((st = moment_take(&before, s))) return st;
    st = solve_part(a, &rest, result);
    if (st == DAE_RETRY) result->outcome = DAMPED_NO_VALUE;
    if (st && st != DAE_RETRY) return st;
    if (result->outcome != DAMPED_SOLVED) moment_return(&before, s);
    return DAE_OK;
}

/* A part at once, or else in blocks; these too where stated guesses have moved. */
static dae_status solve_somehow(
    start *a, const split_part *part, split_part *failed, damped_result *result)
{
    init_system *s = &a->s;
    const arena_position mark = arena_mark(&s->arena);
    *failed = *part;
    dae_status st = solve_first(a, part, result);
    if (!st && result->outcome != DAMPED_SOLVED)
        st = solve_keeping(a, part, result);
    if (st || result->outcome == DAMPED_SOLVED) return st;
    double *begin = ARENA_ARRAY(&s->arena, double, s->slots);
    if (!begin) return DAE_MEMORY;
    memcpy(begin, s->z, s->slots * sizeof *begin);
    st = solve_part(a, part, result);
    if (!st && result->outcome != DAMPED_SOLVED)
        st = solve_again(a, begin, part, result);
    if (!st && result->outcome == DAMPED_SOLVED) {
        st = blocks_nearer(s, a->scale, begin, part, result);
        arena_release(&s->arena, mark);
        return st;
    }
    if (st) return st;
    st = blocks_solve(s, a->scale, begin, part, failed, result);
    a->iterations += result->iterations;
    return st;
}

/* A part that failed: by other means, or an account of it. */
static dae_status solve_otherwise(start *a, const split_part *part,
    bool is_rate, split_part *failed, damped_result *result, bool *is_all)
{
    init_system *s = &a->s;
    *is_all = false;
    dae_status st = is_rate ? solve_together(a, is_all) : DAE_OK;
    if (st || *is_all) return st;
    /* a scan takes hundreds of residuals: a run with a fault that does not go
     * away has to end soon, whoever asks for findings has the time */
    if (s->request->findings) {
        st = rescue_part(s, a->scale, part, failed, result);
        if (st || result->outcome == DAMPED_SOLVED) return st;
        if (!s->request->is_brief)
            st = homotopy_part(s, a->scale, part, failed, result);
        if (st || result->outcome == DAMPED_SOLVED) return st;
    }
    if ((st = explain_failure(s, failed, result, is_all))) return st;
    a->is_open = a->is_uncertain = true;
    return DAE_OK;
}

static dae_status solve_parts(start *a)
{
    for (int k = 0; k < SPLIT_PARTS; k++) {
        const split_part *p = &a->split.part[k];
        const bool is_rate = k >= SPLIT_RATES_WELL;
        split_part failed;
        damped_result result;
        bool is_all = false;
        dae_status st = solve_somehow(a, p, &failed, &result);
        if (!st && result.outcome != DAMPED_SOLVED)
            st = solve_otherwise(a, p, is_rate, &failed, &result, &is_all);
        if (st || is_all) return st;
        if (result.is_singular) a->is_uncertain = true;
        if (result.is_singular || (k == SPLIT_RATES_UNDER && p->row_count))
            a->is_open = true;
        if (k == SPLIT_STATES_OVER && p->row_count) a->is_uncertain = true;
    }
    return DAE_OK;
}

static bool all_solved(const init_system *s)
{
    for (size_t i = 0; i < s->rows; i++)
        if (!(unknowns_ratio(s, i) <= 1)) return false;
    return true;
}

/* Everything that follows rests on the start, and nothing in a run would show
 * that it is the start of another solution: what the last residuals said of
 * it has to be said twice. Derivatives alone show in the first step. */
static dae_status confirm(start *a)
{
    init_system *s = &a->s;
    split_part all;
    const damped_result stalled = {.outcome = DAMPED_STALLED};
    dae_status st;
    if (!has_free_state(s) && !s->request->findings) return DAE_OK;
    for (int k = 0;; k++) {
        if ((st = unknowns_residual(s, s->z, s->res))) return st;
        if (all_solved(s)) return DAE_OK;
        if (k == CONFIRMATIONS) break;
        if ((st = solve_parts(a))) return st;
    }
    bool is_solved;
    st = take_all(a, &all);
    return st ? st : explain_failure(s, &all, &stalled, &is_solved);
}

/* A derivative this many sizes large has run away: beside a factor that is to
 * become 0 it makes up for anything, whatever else its equation says. */
static const double AWAY = 1e8;

static bool is_any_away(const init_system *s)
{
    for (size_t k = 0; k < s->slots; k++) {
        const double size = fmax(s->scale[k], fabs(s->guess[k]));
        if (s->is_free[k] && fabs(s->z[k]) > AWAY * size) return true;
    }
    return false;
}

/* Where some has, the start is sought again with derivatives as dear as states;
 * a solution without such values is the better one. */
static dae_status calm_down(start *a)
{
    init_system *s = &a->s;
    split_part all;
    submatrix m;
    moment before;
    damped_result result;
    const init_request *r = s->request;
    if (!r->findings || r->has_high_derivatives || !is_any_away(s))
        return DAE_OK;
    dae_status st = moment_take(&before, s);
    if (!st) st = take_all(a, &all);
    if (st) return st;
    for (size_t k = 0; k < s->slots; k++)
        if (s->is_free[k]) s->z[k] = s->guess[k];
    st = submatrix_init(
        &m, s, all.rows, all.row_count, all.slots, all.slot_count);
    if (!st) st = unknowns_residual(s, s->z, s->res);
    if (!st) st = damped_solve(s, &m, s->scale, &result);
    if (st && st != DAE_RETRY) return st;
    if (!st && result.outcome == DAMPED_SOLVED && !is_any_away(s))
        return DAE_OK;
    moment_return(&before, s);
    return DAE_OK;
}

/* Findings rest on ranks at the point, and these on its last digits. How near
 * the search itself came tells whether it ended at a solution or crept to a
 * place that looks like one, so that is what is told. */
static dae_status sharpen_all(start *a)
{
    split_part all;
    if (!a->s.request->findings) return DAE_OK;
    for (size_t i = 0; i < a->s.rows; i++)
        a->found_at = fmax(a->found_at, unknowns_ratio(&a->s, i));
    const dae_status st = take_all(a, &all);
    return st
        ? st
        : sharpen(&a->s, all.rows, all.row_count, all.slots, all.slot_count);
}

static dae_status go_to(init_system *s, const double *z)
{
    memcpy(s->z, z, s->slots * sizeof *z);
    dae_status st = unknowns_residual(s, s->z, s->res);
    if (!st) st = unknowns_jacobian(s);
    if (!st) unknowns_measure(s);
    return st;
}

/* A start where `row` is met because values have grown beyond bounds is none.
 * What contradicts is looked for where the search began. */
static dae_status tell_growth(start *a, size_t row)
{
    init_system *s = &a->s;
    failure_account account = FAILURE_UNKNOWN;
    dae_status st = DAE_OK;
    double *z = ARENA_ARRAY(&s->arena, double, s->slots);
    if (!z) return DAE_MEMORY;
    memcpy(z, s->z, s->slots * sizeof *z);
    if (s->request->is_brief) return DAE_NUMERIC;
    if (!(st = go_to(s, s->guess))) st = smallest_of_all(s, &account);
    if (account != FAILURE_UNKNOWN || (st && st != DAE_RETRY)) return st;
    st = go_to(s, z);
    return st ? st : explain_growth(s, row);
}

/* *row: met because values have grown; s->rows: none. */
static dae_status judge(start *a, size_t *row)
{
    init_system *s = &a->s;
    split_part all;
    submatrix m;
    *row = s->rows;
    dae_status st = take_all(a, &all);
    if (!st)
        st = submatrix_init(
            &m, s, all.rows, all.row_count, all.slots, all.slot_count);
    if (st || (st = unknowns_jacobian(s))) return st == DAE_RETRY ? DAE_OK : st;
    unknowns_measure(s);
    return proportion_judge(&a->usual, s, &m, row);
}

static dae_status check_proportion(start *a)
{
    init_system *s = &a->s;
    size_t row;
    if (!s->request->findings) return DAE_OK;
    dae_status st = judge(a, &row);
    if (st || row == s->rows) return st;
    a->is_open = a->is_uncertain = true;
    if ((st = tell_growth(a, row))) return st;
    /* another point holds, which may be on the way to the same */
    if ((st = sharpen_all(a)) || (st = judge(a, &row))) return st;
    return row == s->rows ? DAE_OK : explain_growth(s, row);
}

/* Brings the Jacobian and its measures to the solution. */
static dae_status settle(start *a)
{
    init_system *s = &a->s;
    dae_status st = unknowns_jacobian(s);
    if (st) return st;
    unknowns_measure(s);
    if (!a->is_open || s->equations != s->n || s->request->stands_for)
        return DAE_OK;
    return derive_rates(s);
}

/* By the numbers: directions of the states that stay free are the null space
 * of the whole Jacobian without what lies in derivatives alone. `open` gets the
 * states that they move. */
static dae_status count_by_rank(
    start *a, size_t *missing, int64_t *redundant, split_part *open)
{
    init_system *s = &a->s;
    split_part all;
    submatrix m;
    size_t rank, rate_rank, rates = 0;
    dae_status st = take_all(a, &all);
    if (st) return st;
    size_t cells;
    if (!size_mul(all.row_count, all.slot_count, &cells) || cells > RANK_LIMIT)
        return DAE_OK;
    while (rates < all.slot_count
        && (size_t)all.slots[all.slot_count - 1 - rates] >= s->states)
        rates++;
    uint8_t *is_open = ARENA_ARRAY(&s->arena, uint8_t, all.slot_count);
    open->slots = ARENA_ARRAY(&s->arena, int32_t, all.slot_count);
    if (!is_open || !open->slots) return DAE_MEMORY;
    if ((st = submatrix_init(
             &m, s, all.rows, all.row_count, all.slots, all.slot_count))
        || (st = rank_numeric(s, &m, &rank, is_open)))
        return st;
    const size_t states = all.slot_count - rates;
    if ((st = submatrix_init(
             &m, s, all.rows, all.row_count, all.slots + states, rates))
        || (st = rank_numeric(s, &m, &rate_rank, NULL)))
        return st;
    for (size_t j = 0; j < states; j++)
        if (is_open[j]) open->slots[open->slot_count++] = all.slots[j];
    *missing = (all.slot_count - rank) - (rates - rate_rank);
    *redundant = (int64_t)(all.row_count - rank);
    return DAE_OK;
}

static int64_t count_given(const init_system *s)
{
    const init_request *r = s->request;
    int64_t count = (int64_t)(s->rows - s->equations);
    for (size_t k = 0; k < s->states; k++) count += r->x_fixed[k] != 0;
    for (size_t j = 0; j < s->n; j++)
        count += r->layout->order[j] > 0 && r->xp_fixed[j];
    return count;
}

/* By rank where that is possible. */
static dae_status account_findings(start *a, bool *is_done)
{
    init_system *s = &a->s;
    init_findings *f = s->request->findings;
    *is_done = false;
    if (!f) return DAE_OK;
    dae_status st = count_conditions(s, a->scale, f);
    *is_done = f->is_by_rank;
    if (st || !*is_done) return st;
    init_findings told;
    const arena_position mark = arena_mark(&s->arena);
    if (!(st = sequence_findings(s, &told))) advise_findings(s, &told);
    arena_release(&s->arena, mark);
    return st;
}

static void fill_report(
    start *a, int64_t missing, int64_t redundant, dae_start_report *report)
{
    const init_system *s = &a->s;
    init_findings *f = s->request->findings;
    if (f && !f->is_by_rank) {
        f->missing = (size_t)missing;
        f->redundant_count = (size_t)(redundant > 0 ? redundant : 0);
    }
    if (!report) return;
    *report = (dae_start_report){.conditions = count_given(s),
        .degrees_missing = missing,
        .redundant = redundant,
        .iterations = a->iterations};
    for (size_t i = 0; i < s->rows; i++)
        report->residual = fmax(report->residual, unknowns_ratio(s, i));
}

static dae_status account(start *a, dae_start_report *report)
{
    init_system *s = &a->s;
    const split_part *over = &a->split.part[SPLIT_STATES_OVER];
    bool is_done;
    const dae_status by_rank = account_findings(a, &is_done);
    if (by_rank) return by_rank;
    if (is_done) {
        const init_findings *f = s->request->findings;
        fill_report(
            a, (int64_t)f->missing, (int64_t)f->redundant_count, report);
        return DAE_OK;
    }
    size_t missing = a->split.missing;
    split_part open = {0};
    int64_t redundant = (int64_t)(over->row_count - over->slot_count);
    if (missing || a->is_uncertain) {
        const dae_status st = count_by_rank(a, &missing, &redundant, &open);
        if (st) return st;
    }
    redundant += (int64_t)a->split.checks.row_count;
    if (missing) advise_missing(s, &a->split, &open, missing);
    if (redundant) advise_redundant(s, &a->split.checks, redundant);
    fill_report(a, (int64_t)missing, redundant, report);
    return DAE_OK;
}

static dae_status run(start *a, dae_start_report *report)
{
    dae_status st;
    if ((st = prepare(a))) return st;
    if ((st = run_checks(a))) return st;
    if ((st = solve_parts(a))) return st;
    if ((st = confirm(a))) return st;
    if ((st = calm_down(a))) return st;
    if ((st = sharpen_all(a))) return st;
    if ((st = check_proportion(a))) return st;
    if ((st = settle(a))) return st;
    if (a->s.request->findings && (st = check_sizes(&a->s))) return st;
    homotopy_tell(&a->s);
    return account(a, report);
}

dae_status init_consistent(const init_request *request, double *x, double *xp,
    dae_start_report *report, dae_stats *stats)
{
    start a = {.iterations = 0};
    dae_stats own = {0};
    if (request->findings)
        init_findings_init(request->findings, request->allocator);
    dae_status st = unknowns_init(&a.s, request, x, xp, stats ? stats : &own);
    if (!st) st = run(&a, report);
    if (st == DAE_RETRY) st = explain_no_value(&a.s);
    if (!st) st = check_sizes(&a.s);
    if (!st) {
        memcpy(x, a.s.z, a.s.states * sizeof *x);
        memcpy(xp, a.s.z + a.s.states, a.s.n * sizeof *xp);
        if (request->matrix)
            iteration_expect(request->matrix, jacobian_digest(a.s.f));
    }
    if (st != DAE_MEMORY && a.s.z) {
        const dae_status kept = record_end(&a.s, st, a.iterations);
        if (kept) st = kept;
        else if (!st && request->findings)
            request->findings->residual = fmax(
                request->findings->residual, a.found_at);
    }
    unknowns_clear(&a.s);
    return st;
}

static dae_status refute(init_system *s, size_t slot, double given)
{
    dae_status st = unknowns_residual(s, s->z, s->res);
    if (!st) st = unknowns_jacobian(s);
    if (st) return st;
    unknowns_measure(s);
    return smallest_of_value(s, slot, given);
}

dae_status init_refute(const init_request *request, const double *x,
    const double *xp, size_t slot, double given)
{
    init_system s;
    dae_stats own = {0};
    if (request->findings)
        init_findings_init(request->findings, request->allocator);
    dae_status st = unknowns_init(&s, request, x, xp, &own);
    if (!st) st = refute(&s, slot, given);
    if (!st || st == DAE_RETRY) st = DAE_NUMERIC; /* not shown */
    if (st != DAE_MEMORY && s.z) {
        const dae_status kept = record_end(&s, st, 0);
        if (kept) st = kept;
    }
    unknowns_clear(&s);
    return st;
}
