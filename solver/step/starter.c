#include "step/starter.h"

#include "step/attempt.h"

#include <assert.h>
#include <math.h>

/* Orders of a formula below which order 1 is as good a beginning. */
enum { order_least = 3 };

static bool has_algebraic(const layout *l)
{
    for (size_t j = 0; j < l->unknowns; j++)
        if (l->order[j] == 0) return true;
    return false;
}

dae_status stepper_take_starter(stepper *s, const formula *f, arena *a)
{
    if (s->formula->one_step || s->formula->parts) return DAE_OK;
    if (s->selector.max_order < order_least) return DAE_OK;
    assert(f->one_step && f->parts && f->parts->error_order > 0);
    assert(f->parts->kept == 0 && !f->parts->curve && !f->parts->begin);
    const dae_status st = method_take_room(s, f, a);
    s->starter.share = 1;
    if (!st) s->starter.formula = f;
    return st;
}

bool starter_works(const stepper *s)
{
    return s->starter.left > 0;
}

/* The part of a step over which slopes are differenced. */
static const double difference = 1e-4;
/* Its first steps at tight tolerances are shorter than those of the formula, not by
 * more than this. */
static const double share_least = 0.1, share_fallen = 0.3;

/* Ahead of the point where that is a start, else behind it. */
static dae_status find_slopes(stepper *s, double delta)
{
    starter *p = &s->starter;
    point *at = &s->point;
    if (!has_algebraic(s->layout)) return DAE_OK;
    if (!p->slopes) return DAE_NUMERIC;
    return p->slopes(p->self, at->t, delta, at->x, at->xp);
}

static dae_status begin_slopes(stepper *s, double h)
{
    const layout *l = s->layout;
    history *hi = &s->history;
    const dae_status st = find_slopes(s, copysign(difference * h, s->h));
    for (size_t j = 0; j < l->unknowns && !st; j++)
        if (l->order[j] == 0)
            hi->phi[1][l->first[j]] = s->point.xp[j] * hi->scale[1];
    return st;
}

/* Between its ends a step is a cubic, which is off by h^4 x^(4)/384. The fourth term of the
 * series is taken to be to the third as that is to the second, at most. Unknowns without
 * derivative are what the others make of them, and have no other error of their own; where
 * the terms of a state do not fall, the end has forgotten how the step began, and the
 * estimate of the method, which is filtered, says nothing of that. */
static void note_curves(stepper *s)
{
    const layout *l = s->layout;
    const history *hi = &s->history;
    const double *x = s->point.x;
    double *error = s->memory.error;
    for (size_t j = 0; j < l->unknowns; j++) {
        const size_t high = l->first[j + 1] - 1;
        for (size_t i = l->first[j]; i <= high; i++) {
            const double slope = i < high ? x[i + 1] : s->point.xp[j];
            const double first = s->h * hi->phi[1][i] / hi->scale[1];
            const double last = s->h * slope, change = x[i] - hi->phi[0][i];
            const double second = fabs(last - change);
            const double third = fabs(first + last - 2 * change);
            const double ratio = third < second ? third / second : 1;
            if (l->order[j] > 0 && ratio < 1) continue;
            error[i] = fmax(fabs(error[i]), third * ratio * 24 / 384);
        }
    }
}

dae_status starter_slopes(stepper *s)
{
    const dae_status st = find_slopes(s, -difference * s->h);
    if (!st) note_curves(s);
    return st;
}

bool starter_begin(stepper *s, double h)
{
    starter *p = &s->starter;
    if (!p->formula || s->fixed.length > 0) return false;
    assert(p->left == 0 && s->history.count == 2);
    const dae_status st = begin_slopes(s, h);
    p->awaited = st == DAE_MEMORY ? h : 0;
    if (st) return false;
    p->left = s->selector.max_order / 2;
    p->main = s->formula;
    p->constant = s->newton->constant;
    p->longest = h;
    s->formula = p->formula;
    s->newton->constant = p->formula->parts->remainder;
    s->h = copysign(p->share * h, s->h);
    s->selector.only = s->selector.order = p->formula->parts->error_order;
    s->selector.is_ramping = false;
    weights_rescale(s->weights, s->h);
    return true;
}

bool starter_is_lost(stepper *s)
{
    starter *p = &s->starter;
    if (p->awaited > 0) (void)starter_begin(s, p->awaited);
    if (p->awaited > 0) s->newton->status = DAE_MEMORY;
    return p->awaited > 0;
}

/* The order that the points allow; more of them, more. */
void starter_end(stepper *s)
{
    starter *p = &s->starter;
    selector *c = &s->selector;
    p->awaited = 0;
    if (p->left == 0) return;
    p->left = 0;
    s->formula = p->main;
    s->newton->constant = p->constant;
    c->only = 0;
    selector_start(c);
    const int most = s->history.count - 1;
    c->order = most < c->max_order ? most : c->max_order;
    c->is_ramping = c->order < c->max_order;
}

void starter_fail(stepper *s)
{
    starter *p = &s->starter;
    p->share = fmax(share_fallen * p->share, share_least);
    starter_end(s);
}

void starter_follow(stepper *s)
{
    starter *p = &s->starter;
    if (p->left == 0) return;
    p->share = fmin(fmax(fabs(s->h) / p->longest, share_least), 1);
    if (p->left > 1) {
        p->left--;
        return;
    }
    starter_end(s);
    if (fabs(s->h) > p->longest) s->h = copysign(p->longest, s->h);
}
