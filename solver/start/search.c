/* A part is tried as a whole first: blocks cost a residual of everything each.
 * Whatever is tried begins again from where the part began. */
#include "start/search.h"
#include "start/blocks.h"
#include "start/damped.h"
#include "start/explain.h"
#include "start/homotopy.h"
#include "start/keeping.h"
#include "start/moment.h"
#include "start/rescue.h"
#include <string.h>

static dae_status solve_part(
    search *a, const split_part *p, damped_result *result)
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

dae_status search_all(search *a, split_part *all)
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

bool search_has_states(const init_system *s)
{
    for (size_t k = 0; k < s->states; k++)
        if (s->is_free[k] && !s->is_rate[k]) return true;
    return false;
}

/* The derivatives alone cannot satisfy their rows, because dF/dx' is
 * singular for its values: states have to move after all. Not solved, all is as
 * before. */
static dae_status solve_together(search *a, bool *is_solved)
{
    init_system *s = &a->s;
    split_part all;
    damped_result result;
    dae_status st;
    double *z = ARENA_ARRAY(&s->arena, double, s->slots);
    double *res = ARENA_ARRAY(&s->arena, double, s->rows);
    if (!z || !res) return DAE_MEMORY;
    *is_solved = false;
    if (!search_has_states(s)) return DAE_OK;
    memcpy(z, s->z, s->slots * sizeof *z);
    memcpy(res, s->res, s->rows * sizeof *res);
    for (size_t k = 0; k < s->slots; k++)
        if (s->is_rate[k]) s->z[k] = s->guess[k];
    if ((st = search_all(a, &all))) return st;
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
static dae_status solve_again(search *a, const double *begin,
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
    search *a, const split_part *part, damped_result *result)
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
    search *a, const split_part *part, damped_result *result)
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
static dae_status solve_somehow(search *a, const split_part *part,
    split_part *failed, damped_result *result)
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
    const bool is_by_blocks = failed->row_count < part->row_count;
    if (is_by_blocks) a->iterations += result->iterations;
    return st;
}

/* A part that failed: by other means, or an account of it. */
static dae_status solve_otherwise(search *a, const split_part *part,
    bool is_rate, split_part *failed, damped_result *result, bool *is_all)
{
    init_system *s = &a->s;
    *is_all = false;
    dae_status st = is_rate ? solve_together(a, is_all) : DAE_OK;
    if (st || *is_all) return st;
    /* a scan takes hundreds of residuals: a run with a fault that does not go
     * away has to end soon, whoever asks for findings has the time */
    if (s->request->is_thorough) {
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

dae_status search_parts(search *a)
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
