#include "newton/climb.h"

#include "base/splitmix.h"
#include "newton/own.h"

#include <math.h>
#include <string.h>

/* Where kinds are not known, all entries would count, and linear problems cost more. */
static bool is_varying(const dae_pattern *pattern, int64_t p)
{
    return pattern->kind && pattern->kind[p] == DAE_ENTRY_VARYING;
}

dae_status climb_init(
    climb *c, const iteration *matrix, const layout *l, arena *a)
{
    const dae_pattern *pattern = iteration_pattern(matrix);
    c->memory = a;
    c->is_bent = ARENA_ARRAY(a, uint8_t, l->states);
    c->is_far = ARENA_ARRAY(a, uint8_t, l->states);
    c->base = ARENA_ARRAY(a, double, l->states);
    c->row = ARENA_ARRAY(a, double, l->unknowns);
    c->last = ARENA_ARRAY(a, double, l->unknowns);
    if (!c->is_bent || !c->is_far || !c->base || !c->row || !c->last)
        return DAE_MEMORY;
    for (size_t s = 0; s < l->states; s++) {
        int64_t p = pattern->column_start[s];
        for (; p < pattern->column_start[s + 1]; p++)
            if (is_varying(pattern, p)) c->is_bent[s] = 1;
    }
    return DAE_OK;
}

/* Beyond a bound the Jacobian is that of the bound. */
void newton_own_base(newton *nw, const newton_task *task)
{
    if (nw->is_constant) return; /* it is looked at nowhere */
    bounds_enter(&nw->bounds, task->x);
    for (size_t s = 0; s < nw->layout->states; s++)
        nw->climb.base[s] = task->x[s];
    bounds_leave(&nw->bounds, task->x);
}

/* --- blind corrections --- */

/* What a second correction by the same factors is of a first that was right, at
 * most. */
static const double falls = 0.2;
/* A state of a larger part of its size away is far: Newton's method doubles the
 * x of 1/x = c with each Jacobian. */
static const double outgrown = 1.25;

/* Whether the Jacobian is of a place where state s was below its tolerance, and
 * has another sign here, or is larger. */
static inline bool is_away(const newton *nw, const newton_task *task, size_t s)
{
    const double side = nw->climb.base[s], x = task->x[s];
    const double base = fabs(side);
    return nw->climb.is_bent[s] && base * task->weights->plain[s] < 1
        && (fabs(x) > outgrown * base || x * side < 0);
}

/* And its last change v does not show that it is right in spite of that. */
static inline bool is_elsewhere(
    const newton *nw, const newton_task *task, size_t s, double v)
{
    return v != 0 && is_away(nw, task, s)
        && !(fabs(v) <= falls * fabs(task->d[s] + v));
}

/* State s is far and below its tolerance where the Jacobian was evaluated: how much
 * of its equations its last change, dx, made up for by entries that vary. */
static void note(newton *nw, size_t s, double dx)
{
    climb *c = &nw->climb;
    const dae_pattern *pattern = iteration_pattern(nw->matrix);
    const double *values = iteration_values(nw->matrix);
    c->is_far[s] = 1;
    int64_t p = pattern->column_start[s];
    for (; p < pattern->column_start[s + 1]; p++) {
        double *row = &c->row[pattern->row[p]];
        if (is_varying(pattern, p)) *row = fmax(*row, fabs(values[p] * dx));
    }
}

/* The same for all states and the last correction, in `delta`; whether there are
 * any. */
static bool note_all(newton *nw, const newton_task *task)
{
    climb *c = &nw->climb;
    const layout *l = nw->layout;
    const double down = nw->chain / task->alpha;
    bool is_any = false;
    for (size_t j = 0; j < l->unknowns; j++) {
        double v = nw->delta[j];
        for (size_t s = l->first[j + 1]; s-- > l->first[j]; v *= down) {
            if (!is_elsewhere(nw, task, s, v)) continue;
            if (!is_any) {
                memset(c->row, 0, l->unknowns * sizeof *c->row);
                memset(c->is_far, 0, l->states);
            }
            is_any = true;
            note(nw, s, v);
        }
    }
    return is_any;
}

/* Without derivatives an equation is left off by so many tolerances of its other
 * values. Measured: with one tolerance multipliers that are 0 but for rounding
 * (models/mechanics/fekete, pendulum_stabilized) cost a tenth more residuals. */
static const double few = 4;

/* Once, as most runs never ask. false: no memory. */
static bool take_rows(newton *nw)
{
    climb *c = &nw->climb;
    const dae_pattern *pattern = iteration_pattern(nw->matrix);
    const size_t n = nw->layout->unknowns, columns = nw->layout->states + n;
    const int64_t *begin = pattern->column_start;
    const size_t entries = (size_t)begin[columns];
    if (c->row_start) return true;
    int64_t *start = ARENA_ARRAY(c->memory, int64_t, n + 2);
    c->column = ARENA_ARRAY(c->memory, int32_t, entries);
    c->entry = ARENA_ARRAY(c->memory, int64_t, entries);
    if (!start || !c->column || !c->entry) return false;
    for (size_t p = 0; p < entries; p++) start[pattern->row[p] + 2]++;
    for (size_t i = 1; i <= n; i++) start[i + 1] += start[i];
    for (size_t k = 0; k < columns; k++)
        for (int64_t p = begin[k]; p < begin[k + 1]; p++) {
            const int64_t at = start[pattern->row[p] + 1]++;
            c->column[at] = (int32_t)k;
            c->entry[at] = p;
        }
    c->row_start = start;
    return true;
}

/* Whether that entry of row i shows that as much of it is a matter of tolerances of others,
 * or of the slope: whatever the bent entry is elsewhere, these make up for it. */
static bool is_shown(
    const newton *nw, const newton_task *task, size_t i, int64_t at)
{
    const climb *c = &nw->climb;
    const layout *l = nw->layout;
    const size_t k = (size_t)c->column[at];
    const int64_t p = c->entry[at];
    const bool is_slope = k >= l->states;
    const size_t s = is_slope ? l->first[k - l->states + 1] - 1 : k;
    const double size = (is_slope ? fabs(task->alpha) : few)
        / task->weights->plain[s];
    if (!is_slope && c->is_far[k]
        && is_varying(iteration_pattern(nw->matrix), p))
        return false;
    return !(fabs(iteration_values(nw->matrix)[p]) * size < c->row[i]);
}

/* Whether any does: the last one is asked first, a slope or what has shown it before. */
static bool is_known(newton *nw, const newton_task *task, size_t i)
{
    climb *c = &nw->climb;
    const int64_t first = c->row_start[i], last = c->row_start[i + 1] - 1;
    int64_t at = last;
    while (at >= first && !is_shown(nw, task, i, at)) at--;
    if (at < first) return false;
    const int32_t column = c->column[at];
    const int64_t entry = c->entry[at];
    c->column[at] = c->column[last];
    c->entry[at] = c->entry[last];
    c->column[last] = column;
    c->entry[last] = entry;
    return true;
}

/* Nearly always there is none. */
static bool is_any_away(const newton *nw, const newton_task *task)
{
    for (size_t s = 0; s < nw->layout->states; s++)
        if (is_away(nw, task, s)) return true;
    return false;
}

/* Beyond a bound equations are continued along their tangent: nothing is bent. */
newton_outcome newton_own_look(
    newton *nw, const newton_task *task, bool *is_blind)
{
    *is_blind = false;
    if (nw->is_constant) return NEWTON_CONVERGED;
    bounds_enter(&nw->bounds, task->x);
    const bool is_any = is_any_away(nw, task) && note_all(nw, task);
    bounds_leave(&nw->bounds, task->x);
    if (!is_any) return NEWTON_CONVERGED;
    if (!take_rows(nw)) return newton_own_stop(nw, DAE_MEMORY);
    for (size_t i = 0; i < nw->layout->unknowns && !*is_blind; i++)
        *is_blind = nw->climb.row[i] > 0 && !is_known(nw, task, i);
    return NEWTON_CONVERGED;
}

/* --- the way on --- */

/* Iterations, each with a Jacobian of its own: from 1e-50, x of 1/x = 1 takes 166. */
enum { climbs_max = 200 };
/* The Jacobian is good for sizes up to so many times that. */
static const double wider = 4;
/* Corrections that do not grow, and are as good as nothing, are rounding. */
static const double grows = 1.25, negligible = 1e-3;
enum { still_most = 2 };
/* Rate that counts as none, and how often there may be none. What is near 0
 * doubles as often as it must, but a blind correction is not above its tolerance so often. */
static const double rate_max = 0.9;
enum { wide_most = 5 };

/* The factors were found to be good for where the task's point is. */
static void widen(newton *nw, const newton_task *task)
{
    double *base = nw->climb.base;
    for (size_t s = 0; s < nw->layout->states; s++)
        base[s] = copysign(
            fmax(fabs(base[s]), wider * fabs(task->x[s])), task->x[s]);
}

/* The correction of unknowns that are far, as a part of that before. */
static double growth(const newton *nw, const newton_task *task)
{
    const climb *c = &nw->climb;
    const layout *l = nw->layout;
    double now = 0, last = 0;
    for (size_t j = 0; j < l->unknowns; j++) {
        const double unit = task->weights->plain[l->first[j + 1] - 1];
        bool is_far = false;
        for (size_t s = l->first[j]; s < l->first[j + 1]; s++)
            is_far = is_far || c->is_far[s];
        if (!is_far) continue;
        now += fabs(nw->delta[j]) * unit;
        last += fabs(c->last[j]) * unit;
    }
    return now / last;
}

/* F at the point, with a Jacobian of there or by the factors at hand, and a
 * correction. A point without values is too far, not one to look at. */
static newton_outcome go(
    newton *nw, newton_task *task, bool is_renewed, double *norm)
{
    const size_t size = nw->layout->unknowns * sizeof *nw->delta;
    memcpy(nw->climb.last, nw->delta, size);
    newton_outcome out = newton_own_residual(nw, task);
    if (out == NEWTON_CONVERGED && is_renewed) out = newton_own_renew(nw, task);
    if (out == NEWTON_CONVERGED) out = newton_own_correct(nw, task, norm);
    return out == NEWTON_NONFINITE ? NEWTON_DIVERGED : out;
}

/* A number for the entries of states that are far: the same where they are. */
static uint64_t sum_entries(const newton *nw)
{
    const climb *c = &nw->climb;
    const dae_pattern *pattern = iteration_pattern(nw->matrix);
    const double *values = iteration_values(nw->matrix);
    uint64_t sum = 0, bits;
    for (size_t s = 0; s < nw->layout->states; s++) {
        if (!c->is_bent[s] || !c->is_far[s]) continue;
        int64_t p = pattern->column_start[s];
        for (; p < pattern->column_start[s + 1]; p++) {
            memcpy(&bits, &values[p], sizeof bits);
            sum = splitmix(sum ^ bits);
        }
    }
    return sum;
}

/* Where entries vary by switches alone, as those of an ideal diode, they are not bent:
 * the correction is what it says. */
static newton_outcome climb_on(
    newton *nw, newton_task *task, double enough, double before)
{
    double norm = 0;
    uint64_t last = sum_entries(nw);
    for (int m = 0, still = 0, wide = 0; m < climbs_max; m++) {
        bool is_blind;
        newton_outcome out = go(nw, task, true, &norm);
        if (out != NEWTON_CONVERGED) return out;
        const uint64_t now = sum_entries(nw);
        if (now == last && norm <= enough) return NEWTON_CONVERGED;
        last = now;
        const double rate = norm / before;
        before = norm;
        still = growth(nw, task) < grows ? still + 1 : 0;
        if (still >= still_most && norm <= negligible * enough)
            return NEWTON_CONVERGED;
        out = newton_own_look(nw, task, &is_blind);
        if (out != NEWTON_CONVERGED) return out;
        const bool has_rate = rate <= rate_max;
        if (!is_blind && has_rate && rate / (1 - rate) * norm <= enough)
            return NEWTON_CONVERGED;
        const bool is_wide = is_blind ? norm > 1 : !has_rate;
        if (is_wide && ++wide > wide_most) return NEWTON_DIVERGED;
    }
    return NEWTON_DIVERGED;
}

newton_outcome newton_own_climb(newton *nw, newton_task *task, double enough)
{
    double norm = 0;
    newton_outcome out = go(nw, task, false, &norm);
    if (out != NEWTON_CONVERGED) return out;
    if (norm <= enough && growth(nw, task) <= falls) {
        widen(nw, task);
        return NEWTON_CONVERGED;
    }
    out = climb_on(nw, task, enough, norm);
    if (out != NEWTON_CONVERGED)
        nw->wants_jacobian = true; /* it is of elsewhere */
    if (out == NEWTON_STOPPED) nw->has_jacobian = false;
    return out;
}

/* --- flows --- */

/* A flow that its last correction has changed by less of itself is the root that it is at:
 * what is left of it is less still. */
static const double flow_moved = 0.25;

/* Whether some flow, which is tested the less the shorter the step is, may be no root of its
 * equation: a correction that hardly counts has changed all of it. */
bool newton_own_is_adrift(const newton *nw, const newton_task *task)
{
    const layout *l = nw->layout;
    const weights *w = task->weights;
    if (!w->group) return false;
    for (size_t j = 0; j < l->unknowns; j++) {
        const size_t s = l->first[j];
        if (l->order[j] > 0 || !weights_fall(w, s)) continue;
        if (fabs(nw->delta[j]) > flow_moved * fabs(task->x[s])) return true;
    }
    return false;
}

/* Whether equations without slopes, F in `delta`, lack no more than their values'
 * tolerances make of them. */
static bool do_hold(newton *nw, const newton_task *task)
{
    const dae_pattern *pattern = iteration_pattern(nw->matrix);
    const double *values = iteration_values(nw->matrix);
    const layout *l = nw->layout;
    double *row = nw->climb.row;
    memset(row, 0, l->unknowns * sizeof *row);
    for (size_t s = 0; s < l->states; s++) {
        int64_t p = pattern->column_start[s];
        for (; p < pattern->column_start[s + 1]; p++)
            row[pattern->row[p]] += fabs(values[p]) / task->weights->plain[s];
    }
    for (size_t i = 0; i < l->unknowns; i++)
        if (!nw->is_slope_row[i] && !(fabs(nw->delta[i]) <= row[i]))
            return false;
    return true;
}

/* From far to a root near 0 each Jacobian halves the way: 30 to the root of rounding. */
enum { settles_most = 40 };

newton_outcome newton_own_settle(newton *nw, newton_task *task)
{
    for (int m = 0; m < settles_most; m++) {
        double norm = 0;
        newton_outcome out = newton_own_residual(nw, task);
        if (out == NEWTON_CONVERGED && do_hold(nw, task)) return out;
        if (out == NEWTON_CONVERGED) out = newton_own_renew(nw, task);
        if (out == NEWTON_CONVERGED) out = newton_own_correct(nw, task, &norm);
        if (out != NEWTON_CONVERGED) return out;
    }
    return NEWTON_DIVERGED;
}
