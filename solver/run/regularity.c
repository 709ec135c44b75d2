/* The watch looks at accepted points alone, at every one where a determinant may come
 * to 0 within the next step. Names are those of the problem that is watched: of one of
 * higher index the last derivative of an equation and the highest one of an unknown. */
#include "run/regularity.h"
#include "base/report.h"
#include "base/splitmix.h"
#include "events/event_report.h"
#include "linalg/jacobian.h"
#include "linalg/naming.h"
#include "reduce/thresholds.h"
#include "run/run.h"
#include "step/interpolate.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>

/* Unknowns of a block that is eliminated as a full matrix, and of a problem in
 * which looks cost little beside the steps. */
enum { FULL_MOST = 20, UNKNOWNS_LARGEST = 5000 };
/* Points between two looks at most. */
enum { POINTS_MOST = 100 };
/* Of the step in which a sign has changed, and of a valley that may be like a V. */
enum { BISECTIONS = 30, SECTIONS = 58 };

void regularity_clear(regularity *w)
{
    if (w->allocator) {
        leading_clear(&w->leading);
        arena_clear(&w->arena);
    }
    *w = (regularity){.looks = 0};
}

void regularity_forget(regularity *w)
{
    w->looks = 0;
}

/* ---- what is watched ------------------------------------------------------------- */

/* F by highest derivatives, F_i^(c_i) by x_j^(d_j); of a pick by numbers the rows and
 * columns that it leaves: redundant constraints leave unknowns that no rows of their own
 * determine, and nothing is watched. */
static size_t list(regularity *w, const run *r, const pick *p)
{
    const reduction *d = r->reduction;
    const extended *e = d ? d->extended : NULL;
    const layout *l = &r->engine->layout;
    const size_t n = d ? d->structure.n : l->unknowns;
    size_t rows = 0, columns = 0;
    if (d && d->is_by_numbers) {
        for (size_t i = 0; i < e->rows; i++)
            if (!p->is_out[i]) w->row[rows++] = (int32_t)i;
        for (size_t c = 0; c < e->columns; c++)
            if (!p->is_state[c] && !p->is_frozen[c])
                w->column[columns++] = (int32_t)c;
        return rows == columns ? rows : 0;
    }
    for (size_t k = 0; k < n; k++) {
        w->row[k] = (int32_t)(d ? e->row_first[k + 1] - 1 : k);
        w->column[k] = (int32_t)(d
                ? e->column_first[k] + (size_t)d->structure.d[k]
                : layout_highest(l, k));
    }
    return n;
}

/* Of the problem that the run steps, with pick p if that goes by numbers. */
static dae_status begin(regularity *w, const run *r, const pick *p)
{
    const reduction *d = r->reduction;
    const layout *l = &r->engine->layout;
    arena *a = &w->arena;
    regularity_clear(w);
    w->problem = d ? &d->extended->problem : r->engine->problem;
    w->states = d ? d->extended->columns : l->states;
    w->slopes = d ? 0 : l->unknowns;
    if (!w->problem->jacobian || !w->problem->pattern) return DAE_OK;
    const size_t rows = d ? d->extended->rows : l->unknowns;
    const int64_t *end = w->problem->pattern->column_start;
    w->allocator = r->allocator;
    arena_init(a, r->allocator, 0);
    dae_status st = DAE_MEMORY;
    if (TAKE(a, w->row, rows) && TAKE(a, w->column, w->states + w->slopes)
        && TAKE(a, w->x, w->states) && TAKE(a, w->xp, w->slopes)
        && TAKE(a, w->values, (size_t)end[w->states + w->slopes])) {
        const leading_request q = {w->problem->pattern, rows, list(w, r, p),
            w->column, w->row, FULL_MOST, r->allocator};
        st = q.n > UNKNOWNS_LARGEST ? DAE_OK : leading_init(&w->leading, &q, a);
        w->block = ARENA_ARRAY(a, regularity_block, w->leading.blocks + 1);
        if (!w->block) st = DAE_MEMORY;
    }
    if (st || w->leading.blocks == 0) regularity_clear(w);
    return st == DAE_LIMIT ? DAE_OK : st;
}

dae_status regularity_begin(run *r)
{
    return begin(&r->regularity, r, r->reduction ? &r->reduction->pick : NULL);
}

/* ---- looks --------------------------------------------------------------------- */

/* The oldest time of dense output: the polynomial that meets two points before the
 * newest covers two steps. */
static double oldest(const run *r)
{
    const stepper *s = &r->engine->stepper;
    const double two = s->history.past[2];
    const bool has_two = s->last_order >= 2 && fabs(two) > fabs(s->last_h);
    return s->history.t - (has_two ? two : s->last_h);
}

/* x and xp of the problem that is watched; an extended one has no xp. */
static void show(const run *r, regularity *w, double t)
{
    const stepper *s = &r->engine->stepper;
    const reduction *d = r->reduction;
    double *x = d ? d->stepped_x : w->x, *xp = d ? d->stepped_xp : w->xp;
    interpolate(&s->history, s->layout, s->last_order, t, x, xp);
    if (d) reduced_scatter(d->now, x, xp, w->x);
    else bounds_clip(&s->newton->bounds, x);
}

/* False: a value is missing, and what comes of that is Newton's to say. */
static bool evaluate(run *r, regularity *w, double t)
{
    const dae_problem *p = w->problem;
    const size_t columns = w->states + w->slopes;
    const size_t entries = (size_t)p->pattern->column_start[columns];
    r->stats.jacobian_evals++;
    return !p->jacobian(p->self, DAE_ALL, t, w->x, w->xp, w->values)
        && !any_overflow(w->values, entries);
}

/* Of the values at hand, over that of the first look. */
static double determinant_of(regularity *w, double t, size_t block)
{
    const leading_view v = leading_look(&w->leading, w->values, block);
    w->lost = (regularity_place){.t = t,
        .row = (size_t)w->leading.row[v.row],
        .column = (size_t)w->leading.column[v.column]};
    return v.sign ? v.sign * exp(v.size - w->block[block].first) : 0;
}

/* The same on the solution's curve; NAN: there is none. */
static double determinant_at(run *r, regularity *w, double t, size_t block)
{
    show(r, w, t);
    return evaluate(r, w, t) ? determinant_of(w, t, block) : (double)NAN;
}

/* The matrix at hand makes the units; a block that is not clear can lose nothing. */
static void begin_units(regularity *w, double t)
{
    leading_begin(&w->leading, w->values);
    for (size_t b = 0; b < w->leading.blocks; b++) {
        const leading_view v = leading_look(&w->leading, w->values, b);
        const bool is_clear = v.pivot > VALUES_ERROR && isfinite(v.size);
        w->block[b] = (regularity_block){.sign = is_clear ? v.sign : 0,
            .first = v.size,
            .clear = v.pivot,
            .now = {v.sign}};
    }
    w->t[0] = t;
    w->looks = 1;
}

/* Time by which D/D' would have D come to 0 at once; it shrinks with what is left
 * where D runs into 0 like a power of that. */
static void follow_fall(regularity_block *k, double gone)
{
    const double now = fabs(k->now[0]), before = fabs(k->now[1]);
    const double decay = (now + before) / 2 * gone / (before - now);
    if (!(now < before) || now > LINEAR_RATE || !(gone > 0)) {
        k->decay = k->decay_most = 0;
        return;
    }
    k->decay_most = fmax(k->decay_most, decay);
    k->decay = decay;
}

static void look(regularity *w, double t)
{
    for (size_t b = 0; b < w->leading.blocks; b++) {
        regularity_block *k = &w->block[b];
        if (k->sign == 0) continue;
        k->now[2] = k->now[1];
        k->now[1] = k->now[0];
        k->now[0] = determinant_of(w, t, b);
        follow_fall(k, fabs(t - w->t[0]));
    }
    w->t[2] = w->t[1];
    w->t[1] = w->t[0];
    w->t[0] = t;
    if (w->looks < 3) w->looks++;
}

/* In relative tolerances: below that share of what was, they do not tell whether
 * a solution comes to a place or passes beside it. */
static double share_of(const run *r)
{
    return fmin(fmax(HAS_JUMPED * r->options.rtol, PART_GONE), 1 / TWO_DIGITS);
}

/* Whether it has been running into 0 for as long as that can be told, with steps
 * that shrink with what is left: an impasse, which none of them reaches. Those of given
 * length do not: one of them ends where nothing is. What comes to 0 at the end of the
 * interval or behind it ends nothing: the last step may end there. */
static bool runs_out(const run *r, const regularity_block *k)
{
    const stepper *s = &r->engine->stepper;
    const bool is_given = r->options.step > 0;
    const double low = is_given ? PART_GONE : 1 / TWO_DIGITS;
    const double part = is_given ? 1 / HALF_MORE : share_of(r);
    return r->problem->is_smooth && fabs(k->now[0]) <= low && k->decay > 0
        && k->decay <= part * k->decay_most
        && k->decay < fabs(s->t_end - s->history.t);
}

static void plan_wait(regularity *w)
{
    const double gone = fabs(w->t[0] - w->t[1]);
    const double before = fabs(w->t[1] - w->t[2]);
    w->wait = WAIT_GROWTH * gone;
    for (size_t b = 0; b < w->leading.blocks; b++) {
        const regularity_block *k = &w->block[b];
        if (k->sign == 0) continue;
        const double speed = fabs(k->now[0] - k->now[1]) / gone;
        const double last = fabs(k->now[1] - k->now[2]) / before;
        const double gain = w->looks > 2 ? fabs(speed - last) / gone : 0;
        w->wait = fmin(
            w->wait, gauge_time_left(fabs(k->now[0]), speed, gain) / 2);
    }
}

/* ---- what was passed ------------------------------------------------------------ */

/* The start of the last step, or of the last `looks - 1` ones, as far back as there is
 * dense output. */
static double since_look(const run *r, const regularity *w, int look)
{
    const double t = w->t[0], from = oldest(r);
    return fabs(t - w->t[look]) < fabs(t - from) ? w->t[look] : from;
}

/* Where the sign of the newest look begins. */
static regularity_place bisect(run *r, regularity *w, size_t block)
{
    double low = since_look(r, w, 1), high = w->t[0];
    for (int i = 0; i < BISECTIONS; i++) {
        const double middle = (low + high) / 2;
        const double d = determinant_at(r, w, middle, block);
        *(d * w->block[block].sign > 0 ? &low : &high) = middle;
    }
    w->lost.t = high;
    return w->lost;
}

/* Up or down by chance, further than the error of a run. */
static void move_by_tolerances(
    const dae_options *o, double *x, size_t count, uint64_t *counter)
{
    for (size_t k = 0; k < count; k++) {
        const double by = (o->rtol * fabs(x[k]) + o->atol) / DIGIT;
        x[k] += splitmix((*counter)++) & 1 ? by : -by;
    }
}

/* A change of sign has the place where it begins; it is believed if the sign is another
 * one at all points that far away. */
static bool has_turned(run *r, regularity *w, size_t block)
{
    uint64_t counter = 0;
    const double t = w->t[0];
    const regularity_place lost = bisect(r, w, block);
    int turned = 0;
    for (int i = 0; i < TRIALS; i++) {
        show(r, w, t);
        move_by_tolerances(&r->options, w->x, w->states, &counter);
        move_by_tolerances(&r->options, w->xp, w->slopes, &counter);
        if (!evaluate(r, w, t)) return false;
        const double d = determinant_of(w, t, block);
        turned += d * w->block[block].sign < 0;
    }
    w->lost = lost;
    return turned == TRIALS;
}

/* Whether the line through two looks comes to 0 between one of them and a
 * third one. */
static bool meets_zero(const double *t, const double *d, int from, int beyond)
{
    const double zero = t[1] + d[1] * (t[1] - t[from]) / (d[from] - d[1]);
    return (zero - t[1]) * (zero - t[beyond]) <= 0;
}

/* Whether a valley between three looks touches 0, beside its ends, as far as
 * tolerances let that be told: one of which the steps have seen nothing. Where it is
 * convex one of the lines through its looks does, too. Beyond 0 the sign has
 * changed twice. */
static bool touches(run *r, regularity *w, size_t block)
{
    const regularity_block *k = &w->block[block];
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = fabs(k->now[i]);
    if (w->looks < 3 || !(d[1] < d[2] && d[1] <= d[0])) return false;
    if (!meets_zero(w->t, d, 0, 2) && !meets_zero(w->t, d, 2, 0)) return false;
    double low = since_look(r, w, 2), high = w->t[0], bottom = d[1];
    for (int i = 0; i < SECTIONS && bottom > 0; i++) {
        const double aside = 2 / (3 + sqrt(5)) * (high - low);
        const double left = k->sign * determinant_at(r, w, low + aside, block);
        const double right = k->sign
            * determinant_at(r, w, high - aside, block);
        *(left < right ? &high : &low) += left < right ? -aside : aside;
        bottom = fmin(left, right);
    }
    return bottom <= share_of(r) * share_of(r) * fmin(d[0], d[2]);
}

static bool is_lost(run *r, regularity *w, size_t block)
{
    const regularity_block *k = &w->block[block];
    const bool has_other = k->now[0] * k->sign < 0;
    if (has_other && has_turned(r, w, block)) return true;
    if (runs_out(r, k)) {
        (void)determinant_at(r, w, w->t[0], block); /* where */
        return true;
    }
    return r->problem->is_smooth && !has_other && touches(r, w, block);
}

bool regularity_is_passed(run *r)
{
    regularity *w = &r->regularity;
    const stepper *s = &r->engine->stepper;
    const double t = s->history.t;
    if (w->leading.blocks == 0) return false;
    const bool is_far = fabs(t - w->t[0]) + fabs(s->h) <= w->wait;
    if (w->looks > 0 && is_far && t != s->t_end && ++w->since < POINTS_MOST)
        return false;
    show(r, w, t);
    if (!evaluate(r, w, t)) return false;
    w->since = 0;
    if (w->looks == 0) {
        begin_units(w, t);
        return false;
    }
    look(w, t);
    for (size_t b = 0; b < w->leading.blocks; b++)
        if (w->block[b].sign != 0 && is_lost(r, w, b)) return true;
    plan_wait(w);
    return false;
}

bool regularity_is_near(run *r)
{
    regularity *w = &r->regularity;
    const double t = r->engine->stepper.history.t;
    double least = r->problem->is_smooth ? 1 / TWO_DIGITS
                                         : SHORT_SHARE / TWO_DIGITS;
    bool has_low = false;
    if (w->looks == 0) return false;
    show(r, w, t);
    if (!evaluate(r, w, t)) return false;
    for (size_t b = 0; b < w->leading.blocks; b++) {
        const leading_view v = leading_look(&w->leading, w->values, b);
        const double ratio = v.pivot / w->block[b].clear;
        if (w->block[b].sign == 0 || !(ratio < least)) continue;
        least = ratio;
        has_low = true;
        (void)determinant_of(w, t, b); /* where */
    }
    return has_low;
}

/* ---- whose rank it is -------------------------------------------------------------- */

/* The least that is left at `to` of what blocks had at `from`. */
static double share_left(run *r, regularity *w, double from, double to)
{
    double least = 1;
    for (size_t b = 0; b < w->leading.blocks; b++) {
        if (w->block[b].sign == 0) continue;
        const double share = determinant_at(r, w, to, b)
            / determinant_at(r, w, from, b);
        if (!(share >= least)) least = share;
    }
    return least;
}

/* Where the equations lose rank, no pick has more left of its determinants than
 * a share like that of the pick at hand; one that stays regular keeps much. */
static bool keeps_rank(run *r, regularity *other)
{
    const double t = r->engine->stepper.history.t, from = oldest(r);
    const regularity_place lost = r->regularity.lost;
    const double own = share_left(r, &r->regularity, from, lost.t);
    const double least = fmax(SHORT_SHARE, sqrt(fmax(own, 0)));
    r->regularity.lost = lost;
    if (other->leading.blocks == 0) return true;
    show(r, other, from);
    if (!evaluate(r, other, from)) return false;
    begin_units(other, from);
    for (size_t b = 0; b < other->leading.blocks; b++)
        if (other->block[b].sign == 0) return false;
    return share_left(r, other, from, lost.t) > least
        && share_left(r, other, from, t) > least;
}

dae_status regularity_is_of_pick(run *r, bool *is_of_pick)
{
    regularity other = {.looks = 0};
    const reduction *d = r->reduction;
    assert(d && d->extended);
    *is_of_pick = false;
    if (!d->is_by_numbers) return DAE_OK;
    const dae_status st = begin(&other, r, &d->other);
    if (!st) *is_of_pick = keeps_rank(r, &other);
    regularity_clear(&other);
    return st;
}

/* ---- what is said ------------------------------------------------------------------- */

/* Of the problem that is watched; the place is that of the caller's. */
static named_place name_of(const run *r, dae_name_kind kind, size_t index)
{
    const dae_problem *p = r->regularity.problem;
    const bool is_row = kind == DAE_NAME_EQUATION;
    if (!r->reduction && !is_row)
        return naming_of_slot(p, &r->engine->layout, index);
    named_place n = naming_of(p, kind, index);
    if (!r->reduction) return n;
    const extended *e = r->reduction->extended;
    const int32_t own = is_row ? e->row_equation[index]
                               : e->column_unknown[index];
    naming_place(r->problem, kind, (size_t)own, &n.source, &n.span);
    return n;
}

static void add_help(run *r, const char *equation)
{
    if (event_report_help_kink(r)) return;
    report_help(r->ds,
        r->reduction ? "%s"
                     : "%s; where the derivative of `%s` has a factor that "
                       "vanishes, write it without",
        "the solution turns, ends or branches here, and what would follow may "
        "be another one: end before it, or where it only comes close to that, "
        "take smaller tolerances",
        equation);
}

dae_status regularity_report(run *r, bool is_passed)
{
    const regularity *w = &r->regularity;
    const regularity_place *at = &w->lost;
    const size_t n = w->leading.total;
    assert(n > 0 && at->t == at->t);
    const stepper *s = &r->engine->stepper;
    const named_place equation = name_of(r, DAE_NAME_EQUATION, at->row);
    const named_place unknown = name_of(r, DAE_NAME_UNKNOWN, at->column);
    report(r->ds, DIAG_E0502, equation.source, equation.span,
        "%s t = %.*g the equations lose rank: `%s` does not determine `%s` "
        "there (rank %zu of %zu)",
        is_passed ? "near" : "at", is_passed ? 5 : 10, at->t, equation.text,
        unknown.text, n - 1, n);
    report_numeric(r->ds, s->history.t, s->h, s->selector.order, equation.text,
        unknown.text);
    if (unknown.source)
        report_also(r->ds, unknown.source, unknown.span, "not determined");
    add_help(r, equation.text);
    return DAE_NUMERIC;
}
