/* The rules follow DASSL's guard on differences that stop falling [BCP96
 * 5.2.2] joined with CVODE's choice of the order that promises the longest
 * step [HBGLSSW05]; docs/numerics.md gives the measurements behind each
 * number below. */
#include "step/select.h"

#include "base/real.h"

#include <math.h>

/* The next step aims at 1 / bias of the allowed error; below this tolerance relative to a
 * value the bias grows (by 2.5 to 1e-10), as errors at the end otherwise do. */
static const double bias_usual = 4, bias_rtol = 1e-8, bias_power = 0.2;
/* What a change of order must gain, down and up. */
static const double favour_lower = 0.95, favour_higher = 0.9;
/* A longer step must gain this much, a shorter one is between these. */
static const double growth_min = 1.2, shrink_max = 0.9, shrink_min = 0.5;
static const double growth_max = 4, growth_max_start = 10;
/* A lengthened step that passed relaxes the learned limit by this. */
static const double growth_relax = 1.2;
/* Where algebraic unknowns amplify the errors of others, the differences of a
 * smooth history promise too much for a lower order; each time that fails
 * the promise counts half. */
static const double trust_min = 0.1, trust_relax = 1.1;
/* Steps of one length, beyond the order, after a lengthened step failed: the
 * differences are then free of kinks and the order can be judged. Methods with a safety
 * of their own have no differences. */
enum { hold_more = 2 };
/* Variables of index 2 and 3 lose their accuracy when the length changes and get
 * it back within as many steps as the order says [BCP96 3.2]; a length that would
 * do no worse than this is kept so long. */
static const double steady_most = 0.7;
/* Accepted steps that count as the start. */
enum { start_steps = 10 };
/* Step factors after failures. */
static const double failure_max = 0.9, failure_min = 0.2, failure_cut = 0.25;
/* From this failure on the slope itself must jump: an error that falls as h
 * does, not as its square. */
enum { late = 5 };
static const double failure_cut_late = 0.01;
/* A step that is longer by this than the lower end of a band stays. */
static const double band_slack = 0.95;
/* Errors below this are none that the next one could have grown from. */
static const double before_least = 0.01;
/* No estimate is taken below this: it bounds the factor, not the error. */
static const double least_error = 1e-12;

void selector_init(selector *s, int max_order)
{
    *s = (selector){.max_order = max_order, .bias = bias_usual};
    selector_start(s);
}

void select_aim(selector *s, double tolerance)
{
    const double tight = larger(bias_rtol / tolerance, 1);
    s->bias = bias_usual * pow(tight, bias_power);
}

void selector_start(selector *s)
{
    *s = (selector){.max_order = s->max_order,
        .only = s->only,
        .is_steady = s->is_steady,
        .moves_past = s->moves_past,
        .bias = s->bias,
        .safety = s->safety,
        .order = s->only > 0 ? s->only : 1};
    s->is_ramping = s->only == 0;
    s->grown = 1;
    s->growth = growth_max;
    s->trust_lower = 1;
}

bool select_wants_higher(const selector *s)
{
    /* The coming step is not counted yet. */
    return s->order < s->max_order && s->steps_at_order >= s->order;
}

double select_part(const selector *s, double h)
{
    return s->turns > 0 ? smaller(1, s->turning * h) : 1;
}

/* x^(1/n): square roots take a tenth of the time of a power. */
static double root(double x, int n)
{
    switch (n) {
    case 4: return sqrt(sqrt(x));
    case 6: return cbrt(sqrt(x));
    case 8: return sqrt(sqrt(sqrt(x)));
    default: return pow(x, 1.0 / n);
    }
}

/* The same by the method's own safety; where errors grow from step to step, the next one
 * is taken to have grown by as much. */
static double safe_factor(const selector *s, double error, int q)
{
    const double now = larger(error, least_error);
    const double factor = s->safety / root(now, q + 1);
    if (!(s->before_length > 0)) return factor;
    const double grown = s->safety * (s->length / s->before_length)
        * root(s->before_error / (now * now), q + 1);
    return smaller(factor, grown);
}

/* The factor that brings the error of order q to its aim. Where that is a part that
 * falls with the step, it takes one power more of it. */
static double factor_for(const selector *s, double error, int q)
{
    if (s->only > 0 && s->safety > 0) return safe_factor(s, error, q);
    const double aimed = s->bias * larger(error, least_error);
    const double factor = 1 / pow(aimed, 1.0 / (q + 1));
    if (s->turns == 0) return factor;
    return smaller(factor, pow(s->turning * s->length / aimed, 1.0 / q));
}

/* A factor that keeps the step out of the band of order q. */
static double outside(const selector *s, int q, double factor)
{
    const band *b = &s->bands[q];
    const double length = factor * s->length;
    if (s->banned == 0 || !(length > b->from && length < b->to)) return factor;
    const double room = b->from / s->length;
    return room > band_slack && room < growth_min ? 1 : room;
}

static void set_order(selector *s, int order)
{
    if (order == s->order || s->only > 0) return;
    s->order = order;
    s->steps_at_order = 0;
}

/* Differences that no longer fall with their order: the history is not
 * smooth at this order, or the order is not stable here. */
static bool must_lower(const estimates *e)
{
    const double *t = e->term;
    if (e->k == 2) return t[LOWER] <= 0.5 * t[SAME];
    return e->k > 2 && larger(t[LOWER], t[LOWER2]) <= t[SAME];
}

/* Held back by a band, an order is left where a lower one, two orders off or of
 * no band itself, would make longer steps: one in between may be held back
 * more than this one. */
static bool leads_out(const selector *s, const estimates *e, double f)
{
    const int at = e->k > 3 ? LOWER2 : LOWER, q = e->k > 3 ? e->k - 2 : 2;
    return e->k >= 3
        && favour_lower * s->trust_lower * factor_for(s, e->error[at], q) > f;
}

/* The order with the longest step; *factor is that step's. */
static int best_order(const selector *s, const estimates *e, double *factor)
{
    int k = e->k, best = k;
    const double wanted = factor_for(s, e->error[SAME], k);
    *factor = wanted;
    if (s->only > 0) return k;
    double f = outside(s, k, wanted);
    bool is_settled = s->steps_at_order >= k + 1;
    if (k > 1) {
        /* Right after a change of order or of step the differences hold the
         * change and not the solution. */
        bool is_clean = s->grown <= 1 && (is_settled || f < 1);
        bool is_due = is_settled && must_lower(e);
        if (f < wanted && leads_out(s, e, f)) is_due = is_clean = true;
        if (is_clean) {
            const double lower = favour_lower * s->trust_lower
                * outside(s, k - 1, factor_for(s, e->error[LOWER], k - 1));
            if (is_due || lower > f) best = k - 1, f = lower;
        }
    }
    if (best == k && e->has[HIGHER] && is_settled
        && e->term[HIGHER] < e->term[SAME]) {
        double higher = favour_higher
            * outside(s, k + 1, factor_for(s, e->error[HIGHER], k + 1));
        if (higher > f) best = k + 1, f = higher;
    }
    *factor = f;
    return best;
}

/* After a start every step raises the order while that lowers the error. */
static int ramp_order(selector *s, const estimates *e, double *factor)
{
    int k = e->k;
    *factor = factor_for(s, e->error[SAME], k);
    if (k > 1 && e->term[SAME] >= 0.5 * e->term[LOWER]) s->is_ramping = false;
    if (k == s->max_order) s->is_ramping = false;
    return s->is_ramping ? k + 1 : best_order(s, e, factor);
}

static double limit(const selector *s, double factor)
{
    if (s->is_steady && s->hold > 0 && factor > steady_most && factor < 1)
        return 1;
    if (factor < 1) return smaller(larger(factor, shrink_min), shrink_max);
    if (factor < growth_min || s->hold > 0) return 1;
    bool is_starting = s->accepted <= start_steps && s->growth >= growth_max;
    return smaller(factor, is_starting ? growth_max_start : s->growth);
}

/* A change of step shows in the differences of stiff and algebraic unknowns
 * as a kink that the estimates before it know nothing of; where lengthened
 * steps fail, shorter leaps are taken until they succeed again. */
static void learn_growth(selector *s, bool has_failed)
{
    if (s->grown > 1 && has_failed)
        s->growth = larger(growth_min, sqrt(s->grown));
    else if (s->grown > 1)
        s->growth = smaller(growth_max, s->growth * growth_relax);
    s->grown = 1;
    if (s->has_lowered)
        s->trust_lower = has_failed ? larger(trust_min, 0.5 * s->trust_lower)
                                    : smaller(1, trust_relax * s->trust_lower);
    s->has_lowered = false;
}

/* Past points that were moved to a longer step are values of the old polynomial:
 * differences of them promise too much, and a step that is lengthened again on
 * that promise is off by a tolerance and more. So they hold new points alone
 * before [SR97 2]; shorter steps are not put off. */
static void keep_length(selector *s, double factor)
{
    const bool is_changed = factor > 1 || factor < 1;
    if (s->is_steady && is_changed) s->hold = s->order + 1;
    else if (s->moves_past && factor > 1 && s->accepted > start_steps)
        s->hold = s->order;
}

double select_after_step(selector *s, const estimates *e)
{
    double factor;
    s->accepted++;
    s->steps_at_order++;
    int order = s->is_ramping ? ramp_order(s, e, &factor)
                              : best_order(s, e, &factor);
    s->before_error = larger(e->error[SAME], before_least);
    s->before_length = s->length;
    learn_growth(s, false);
    s->has_lowered = order < s->order;
    set_order(s, order);
    factor = outside(s, order, limit(s, factor));
    if (s->banned > 0) s->banned--;
    if (s->turns > 0) s->turns--;
    if (s->hold > 0) s->hold--;
    keep_length(s, factor);
    s->grown = factor;
    return factor;
}

double select_after_failure(selector *s, const estimates *e, int failure)
{
    bool has_grown = s->grown > 1;
    s->is_ramping = false;
    s->hold = has_grown && !(s->safety > 0) ? s->order + hold_more : 1;
    learn_growth(s, true);
    if (failure >= late) {
        set_order(s, 1);
        return smaller(
            larger(0.5 / e->error[SAME], failure_cut_late), failure_cut);
    }
    if (failure >= 3) {
        set_order(s, 1);
        return failure_cut;
    }
    if (failure == 2) {
        if (s->order > 1) set_order(s, s->order - 1);
        return failure_cut;
    }
    int order = s->order;
    double f = 0.9 * factor_for(s, e->error[SAME], order);
    if (order > 1 && s->only == 0 && must_lower(e)) {
        set_order(s, order - 1);
        f = 0.9 * factor_for(s, e->error[LOWER], order - 1);
    }
    return smaller(larger(f, failure_min), failure_max);
}
