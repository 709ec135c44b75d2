/* Beside a slot's tolerance the row changes by its slope times that, or by more
 * where it bends upwards; where it changes by less, the slope is one of a place
 * too small to count. Then a zero of the row within the tolerance, or at
 * the end of its values, has to be seen. */
#include "start/claims.h"
#include "start/scan.h"
#include <float.h>
#include <math.h>

enum { HALVINGS = 1200 };
/* The part of what a slope says that the row has to change by. */
static const double KEPT = 0.9;
/* Rounding of the slot, as unknowns_measure takes it. */
static const double ROUNDING = 32 * DBL_EPSILON;
/* Left at the end of the values: a zero. */
static const double NOTHING = 1e-6;
/* Of its tolerance: so little a move of the slot is not worth. */
static const double WORTH = 1e-6;
/* What a refuted row may keep from now on. */
static const double ADMITTED = 0.5;

/* One slope of one row. */
typedef struct claim {
    scan c;
    double at, left;    /* the slot's value, the row's residual */
    double slope, most; /* as far as the slot may move */
    double way;         /* 1 or -1: to where the row becomes smaller */
} claim;

typedef struct judging {
    init_system *s;
    uint8_t *is_open;   /* rows: nothing explains it so far */
    double *res;        /* rows: scratch */
    double least, most; /* rows with so many times their rounding */
    bool may_move, is_moved;
} judging;

static bool is_change(double a, double b)
{
    return (a < 0 && b > 0) || (a > 0 && b < 0);
}

/* Does the row change as the slope says, away from its zero? Not where its
 * values end so near. */
static dae_status does_change(claim *w, bool *is_so)
{
    double f;
    const dae_status st = scan_evaluate(&w->c, w->at - w->way * w->most, &f);
    *is_so = fabs(f - w->left) >= KEPT * fabs(w->slope) * w->most;
    return st;
}

/* Is all that is left no more than rounding of the slot makes of the row? */
static dae_status is_rounding(claim *w, bool *is_so)
{
    double f;
    const double by = ROUNDING * fabs(w->at);
    const dae_status st = scan_evaluate(&w->c, w->at - w->way * by, &f);
    *is_so = fabs(f - w->left) >= fabs(w->left);
    return st;
}

/* From a place with a value towards one without; *to is the place before a
 * change of sign or a zero and the one behind it or at it, or else the last one
 * with a value. */
static dae_status approach(claim *w, double inside, double before,
    double outside, scan_bracket *to, bool *is_zero)
{
    double f;
    for (int k = 0; k < HALVINGS; k++) {
        const double m = scan_middle(
            fmin(inside, outside), fmax(inside, outside));
        if (m == inside || m == outside) break;
        const dae_status st = scan_evaluate(&w->c, m, &f);
        if (st) return st;
        if (isnan(f)) {
            outside = m;
            continue;
        }
        *is_zero = fabs(f) <= NOTHING * fabs(w->left);
        *to = (scan_bracket){inside, m, before, f};
        if (*is_zero || is_change(w->left, f)) return DAE_OK;
        inside = m;
        before = f;
    }
    return DAE_OK;
}

/* A zero of the row, or a change of its sign, as far as the slot may move. */
static dae_status seek(claim *w, scan_bracket *to, bool *is_zero)
{
    double inside = w->at, before = w->left, f = 0;
    double by = 2 * fabs(w->left / w->slope);
    *is_zero = false;
    *to = (scan_bracket){w->at, w->at, w->left, w->left};
    for (;; by *= 8) {
        const double next = w->at + w->way * fmin(by, w->most);
        const dae_status st = scan_evaluate(&w->c, next, &f);
        if (st) return st;
        if (isnan(f)) return approach(w, inside, before, next, to, is_zero);
        *is_zero = fabs(f) <= NOTHING * fabs(w->left);
        *to = (scan_bracket){inside, next, before, f};
        if (*is_zero || is_change(w->left, f) || by >= w->most) return DAE_OK;
        inside = next;
        before = f;
    }
}

/* Has the point a Jacobian with `value` for the slot? */
static dae_status has_slopes(judging *v, size_t slot, double value, bool *is_so)
{
    init_system *s = v->s;
    const double before = s->z[slot];
    s->z[slot] = value;
    dae_status st = unknowns_residual(s, s->z, v->res);
    if (!st) st = unknowns_jacobian(s);
    *is_so = !st;
    s->z[slot] = before;
    return st == DAE_RETRY ? DAE_OK : st;
}

/* The zero at the end of the values, or as near to it as there are slopes. */
static dae_status find_end(
    judging *v, const claim *w, double zero, double *root, bool *is_found)
{
    const double back = fmax(
        ROUNDING * fabs(zero), NOTHING * NOTHING * fabs(zero - w->at));
    *root = zero;
    dae_status st = has_slopes(v, w->c.slot, zero, is_found);
    if (st || *is_found) return st;
    *root = zero - w->way * back;
    return has_slopes(v, w->c.slot, *root, is_found);
}

/* To the zero that was seen, where that is a place for the slot. */
static dae_status go_to_zero(judging *v, claim *w, scan_bracket to)
{
    init_system *s = v->s;
    const size_t k = w->c.slot;
    const bool is_end = !is_change(to.fa, to.fb);
    double root;
    bool is_found;
    if (!s->is_free[k]) return DAE_OK;
    if (to.a > to.b && !is_end) to = (scan_bracket){to.b, to.a, to.fb, to.fa};
    const dae_status st = is_end ? find_end(v, w, to.b, &root, &is_found)
                                 : scan_narrow(&w->c, to, &root, &is_found);
    if (st || !is_found || root < s->low[k] || root > s->high[k]) return st;
    if (fabs(root - s->z[k]) <= WORTH * w->most) return DAE_OK;
    v->is_moved = true;
    s->z[k] = root;
    return DAE_OK;
}

/* The slope of `slot` in `row`, which explains what is left, if it is right. */
static dae_status try_slope(judging *v, size_t row, size_t slot, double slope)
{
    init_system *s = v->s;
    const double at = s->z[slot], left = s->res[row];
    const double most = fmax(
        s->request->rtol * fabs(at) + s->atol[slot], ROUNDING * fabs(at));
    claim w = {.c = {.s = s,
                   .row = row,
                   .slot = slot,
                   .res = v->res,
                   .work = &s->claims_work},
        .at = at,
        .left = left,
        .slope = slope,
        .most = most,
        .way = (left > 0) == (slope > 0) ? -1 : 1};
    scan_bracket to;
    bool is_so = false;
    dae_status st = does_change(&w, &is_so);
    if (!st && !is_so) st = is_rounding(&w, &is_so);
    if (st || is_so) {
        v->is_open[row] = !is_so;
        return st;
    }
    if ((st = seek(&w, &to, &is_so))) return st;
    is_so = is_so || is_change(to.fa, to.fb);
    if (is_so || !(s->claims_work > 0)) v->is_open[row] = 0;
    return is_so && v->may_move ? go_to_zero(v, &w, to) : DAE_OK;
}

/* Slopes that never change are right. */
static dae_status try_slot(judging *v, size_t k, bool is_constant)
{
    init_system *s = v->s;
    entry_range e[2];
    const int count = unknowns_column(s, k, e);
    const double size = fabs(s->z[k]);
    const double change = fmax(
        s->request->rtol * size + s->atol[k], ROUNDING * size);
    for (int q = 0; q < count; q++) {
        for (int64_t p = e[q].begin; p < e[q].end && !v->is_moved; p++) {
            const size_t i = (size_t)e[q].row[p] + e[q].offset;
            const double slope = entry_value(&e[q], p);
            const bool varies = !e[q].kind || e[q].kind[p] == DAE_ENTRY_VARYING;
            if (!v->is_open[i] || varies == is_constant) continue;
            if (!(fabs(slope) * change >= fabs(s->res[i]))) continue;
            if (!(s->claims_work > 0)) return DAE_OK;
            v->is_open[i] = varies;
            const dae_status st = varies ? try_slope(v, i, k, slope) : DAE_OK;
            if (st) return st;
        }
    }
    return DAE_OK;
}

/* Rows that hold, though so much is left beside their rounding. */
static bool open_rows(judging *v, const int32_t *rows, size_t count)
{
    const init_system *s = v->s;
    bool is_any = false;
    for (size_t k = 0; k < count; k++) {
        const size_t i = (size_t)rows[k];
        const double left = fabs(s->res[i]), noise = s->noise[i];
        v->is_open[i] = left > v->least * noise
            && (left <= v->most * noise || isinf(v->most))
            && unknowns_ratio(s, i) <= 1;
        is_any = is_any || v->is_open[i];
    }
    return is_any;
}

/* One pass over the slots for each kind of slope; rows that stay open are
 * refuted. */
static dae_status judge(
    judging *v, const int32_t *rows, size_t count, claims_verdict *verdict)
{
    init_system *s = v->s;
    dae_status st = DAE_OK;
    for (int varying = 0; varying < 2; varying++)
        for (size_t k = 0; k < s->slots && !v->is_moved; k++)
            if ((st = try_slot(v, k, !varying))) return st;
    if (v->is_moved) *verdict = CLAIMS_MOVED;
    if (v->is_moved || !(s->claims_work > 0)) return DAE_OK;
    for (size_t k = 0; k < count; k++) {
        const size_t i = (size_t)rows[k];
        if (!v->is_open[i]) continue;
        s->admitted[i] = fmin(s->admitted[i], ADMITTED * fabs(s->res[i]));
        *verdict = CLAIMS_REFUTED;
    }
    if (*verdict == CLAIMS_REFUTED) unknowns_measure(s);
    return DAE_OK;
}

/* First rows with more left than rounding explains, then those where slopes
 * may have too much rounding explained. */
static dae_status judge_all(init_system *s, const int32_t *rows, size_t count,
    bool may_move, claims_verdict *verdict)
{
    const double parts[] = {(double)INFINITY, 1, 1.0 / 32};
    dae_status st = DAE_OK;
    judging v = {.s = s, .may_move = may_move};
    *verdict = CLAIMS_HOLD;
    if (unknowns_are_constant(s)) return DAE_OK;
    const arena_position mark = arena_mark(&s->arena);
    v.is_open = ARENA_ARRAY(&s->arena, uint8_t, s->rows);
    v.res = ARENA_ARRAY(&s->arena, double, s->rows);
    if (!v.is_open || !v.res) st = DAE_MEMORY;
    for (int k = 0; k < 2 && !st && *verdict == CLAIMS_HOLD; k++) {
        v.most = parts[k];
        v.least = parts[k + 1];
        if (!open_rows(&v, rows, count)) continue;
        if ((st = unknowns_jacobian(s))) break;
        unknowns_measure(s);
        if (open_rows(&v, rows, count)) st = judge(&v, rows, count, verdict);
    }
    arena_release(&s->arena, mark);
    return st;
}

dae_status claims_judge(
    init_system *s, const int32_t *rows, size_t count, claims_verdict *verdict)
{
    return judge_all(s, rows, count, true, verdict);
}

dae_status claims_refute(init_system *s, const int32_t *rows, size_t count)
{
    claims_verdict verdict;
    const dae_status st = judge_all(s, rows, count, false, &verdict);
    return st == DAE_RETRY ? DAE_OK : st;
}
