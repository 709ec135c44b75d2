/* A switch is followed in either direction by itself: a ball's `height < 0` turns on
 * and, where the ball leaves, off again at the same instant. */
#include "events/recurrence.h"
#include "reduce/thresholds.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* Ratios that are compared with each other. */
enum { RATIOS = 4 };

/* What a series whose ratio has settled comes to. */
typedef struct promise {
    double limit, rest; /* when it ends, and how long that is to come */
    double ratio, interval;
    int64_t turns; /* intervals that have shrunk; 0: there is no promise */
} promise;

/* Turns of one switch in one direction. */
typedef struct train {
    double t, interval; /* the last turn, and the interval before it */
    double blur;        /* of the last turn's time */
    double ratio[RATIOS];
    int64_t shrinking;  /* intervals in a row that are shorter than the last */
    double whole_ratio; /* of intervals that are whole */
    promise last, once, former; /* the last one, and at about two powers of 2 */
    bool has_turned;
} train;

/* Turns since a time, as long as that is near. */
typedef struct window {
    double since;
    int64_t turns;
} window;

typedef struct record {
    train on, off;
    double t; /* the last turn */
    int64_t at_place;
    window little, some, small;
    double longest,
        steepest;    /* interval of its turns, and the slope behind it */
    double slope[2]; /* of the last turn up, and down */
} record;

struct recurrence {
    size_t count;
    record *records;
    double begin; /* of the run */
};

dae_status recurrence_init(recurrence **out, size_t count, arena *a)
{
    *out = NULL;
    recurrence *r = ARENA_NEW(a, recurrence);
    if (!r || !TAKE(a, r->records, count)) return DAE_MEMORY;
    r->count = count;
    *out = r;
    return DAE_OK;
}

void recurrence_begin(recurrence *r, double t)
{
    memset(r->records, 0, r->count * sizeof *r->records);
    r->begin = t;
}

/* What rounding makes of the last interval, and what blurs its end, beside it. */
static double doubt_of(const train *w)
{
    return (UNITS_OFF * DBL_EPSILON * fabs(w->t) + w->blur) / w->interval;
}

/* Whether the last ratios are about one number below 1. */
static bool has_settled(const train *w)
{
    if (w->shrinking <= RATIOS || !(w->whole_ratio > 0)) return false;
    double least = 1, most = 0;
    for (int i = 0; i < RATIOS; i++) {
        least = fmin(least, w->ratio[i]);
        most = fmax(most, w->ratio[i]);
    }
    return most < 1 && most - least <= (1 - most) / DOUBTED + 2 * doubt_of(w);
}

/* Whether rounding leaves the last interval two digits. */
static bool is_whole(const train *w)
{
    const double unit = WHOLE * UNITS_OFF * DBL_EPSILON * fabs(w->t);
    return w->interval > unit && w->interval > WHOLE * w->blur;
}

/* The one when there were two thirds of so many intervals, or fewer. */
static const promise *former_of(const train *w, int64_t turns)
{
    return 2 * turns >= 3 * w->once.turns ? &w->once : &w->former;
}

/* Over many intervals, where rounding does not let it be told from that of the last
 * ones: near 1 these do not say how much less it is. */
static double lasting_ratio(const train *w)
{
    const promise *o = former_of(w, w->shrinking);
    const double ratio = w->whole_ratio;
    if (!o->turns || !(w->shrinking > o->turns + RATIOS)) return ratio;
    const double lasting = pow(
        w->interval / o->interval, 1 / (double)(w->shrinking - o->turns));
    return fabs(lasting - ratio) <= doubt_of(w) ? lasting : ratio;
}

/* The sum is that of the last interval that is whole: it multiplies rounding. */
static void foretell(train *w, int sense)
{
    promise *p = &w->last;
    const double ratio = lasting_ratio(w);
    const bool is_anew = !p->turns || is_whole(w);
    const double sum = w->interval * (ratio / (1 - ratio));
    if (is_anew) *p = (promise){w->t + sense * sum, sum, ratio, w->interval, 0};
    p->rest = is_anew ? sum : fmax((p->limit - w->t) * sense, 0);
    p->turns = w->shrinking;
    if (p->turns < 2 * w->once.turns) return;
    w->former = w->once;
    w->once = *p;
}

static void turn(train *w, double t, double blur, int sense)
{
    const double interval = fabs(t - w->t), before = w->interval;
    const bool is_first = !w->has_turned;
    w->has_turned = true;
    w->t = t;
    if (is_first) return;
    w->blur = blur;
    w->interval = interval;
    if (interval < before) {
        memmove(w->ratio, w->ratio + 1, (RATIOS - 1) * sizeof *w->ratio);
        w->ratio[RATIOS - 1] = interval / before;
        w->shrinking++;
        double product = 1;
        for (int i = 0; i < RATIOS; i++) product *= w->ratio[i];
        if (is_whole(w) || !(w->whole_ratio > 0))
            w->whole_ratio = sqrt(sqrt(product));
        if (has_settled(w)) foretell(w, sense);
    } else {
        w->shrinking = 0;
        w->whole_ratio = 0;
    }
    /* longer than all that was to come: it goes on */
    if (interval > w->last.interval + w->last.rest)
        w->last.turns = w->once.turns = w->former.turns = 0;
}

/* Whether the rest of the series is nothing. */
static bool has_ended(const train *w, double resolution)
{
    const promise *p = &w->last;
    if (!p->turns) return false;
    /* The next interval is no more than rounding of g makes of its ends, and the bounce may
     * not be seen at all: it is shorter by the ratio, and what passes the threshold is
     * slower, so that rounding makes more of its time. A limit was foretold. */
    if (w->interval * p->ratio * p->ratio <= UNITS_OFF * w->blur
        && fabs(w->t - p->limit) <= p->rest + p->interval)
        return true;
    return p->turns == w->shrinking && p->rest <= resolution;
}

static void count_in(window *w, double t, double width)
{
    if (w->turns > 0 && fabs(t - w->since) <= width) w->turns++;
    else *w = (window){t, 1};
}

/* Swings that a jump of the equations drives: as short as they become, the slope at
 * the threshold is in proportion to them, where that of a free oscillation is in proportion
 * to its amplitude alone. */
static void count_small(
    record *c, const search_crossing *at, double t, double noise)
{
    const double interval = fabs(t - c->t), slope = fabs(at->slope);
    if (!(c->t != 0) && c->at_place == 0) return; /* the first one */
    if (!(interval <= c->longest)) {
        c->longest = interval;
        c->steepest = slope;
    }
    const double quotient = slope * c->longest / (interval * c->steepest);
    const double height = slope * interval / 4; /* of a parabola over it */
    const bool is_small = height <= noise && interval <= c->longest / MANY
        && quotient <= ALIKE && quotient * ALIKE >= 1;
    count_in(&c->small, t, is_small ? fabs(t - c->small.since) : -1);
}

/* A switch that turns where it stands, or as good as that: a ball at equilibrium but
 * for rounding, in hops that do not get shorter any more. */
static bool stays(
    record *c, double t, double resolution, double still, double elapsed)
{
    const bool is_still = fabs(t - c->t) <= MANY * still;
    if (c->at_place > 0 && fabs(t - c->t) <= resolution) c->at_place++;
    else c->at_place = 1;
    count_in(&c->little, t, VALUES_ERROR * elapsed);
    count_in(&c->some, t, is_still ? PART_GONE * elapsed : -1);
    c->t = t;
    return c->at_place >= TURNS_AT_A_PLACE || c->little.turns >= MANY
        || c->some.turns >= TURNS_MANY || c->small.turns >= TURNS_MANY;
}

/* A series that was to end here, whatever its last turns were. */
static const promise *promise_of(const record *c, double t, double resolution)
{
    const train *const ways[] = {&c->on, &c->off};
    for (int i = 0; i < 2; i++) {
        const promise *p = &ways[i]->last;
        if (p->turns
            && fabs(t - p->limit) <= p->rest + p->interval + resolution)
            return p;
    }
    return NULL;
}

static void tell_zeno(const recurrence *r, size_t i, const promise *p, double t,
    recurrence_verdict *v)
{
    const bool is_over = (p->limit >= t) != (t >= r->begin);
    *v = (recurrence_verdict){.kind = RECURRENCE_ZENO,
        .limit = is_over ? t : p->limit,
        .ratio = p->ratio,
        .last = p->interval,
        .turns = p->turns,
        .first = i};
}

static void tell_chattering(
    const record *c, size_t i, double t, recurrence_verdict *v)
{
    const bool is_place = c->at_place >= TURNS_AT_A_PLACE;
    const window *w = c->some.turns >= TURNS_MANY ? &c->some
        : c->small.turns >= TURNS_MANY            ? &c->small
                                                  : &c->little;
    *v = (recurrence_verdict){.kind = RECURRENCE_CHATTERING,
        .limit = t,
        .is_small = w == &c->small,
        .up = c->slope[1],
        .down = c->slope[0],
        .turns = is_place ? c->at_place : w->turns,
        .first = i};
}

/* Times are one place if they are no farther apart. */
static double resolution_at(double t)
{
    return WHOLE * DBL_EPSILON * fabs(t);
}

bool recurrence_ends(
    const recurrence *r, size_t i, double t, recurrence_verdict *v)
{
    const promise *p = promise_of(r->records + i, t, resolution_at(t));
    if (p) tell_zeno(r, i, p, t, v);
    return p != NULL;
}

void recurrence_note(recurrence *r, double t, double still, const double *noise,
    const search_crossing *turned, size_t count, recurrence_verdict *v)
{
    const double resolution = resolution_at(t);
    const int sense = t >= r->begin ? 1 : -1;
    *v = (recurrence_verdict){.kind = RECURRENCE_NONE};
    for (size_t k = 0; k < count; k++) {
        const size_t i = turned[k].index;
        record *c = r->records + i;
        train *w = turned[k].direction > 0 ? &c->on : &c->off;
        turn(w, t, turned[k].blur, sense);
        c->slope[turned[k].direction > 0] = turned[k].slope;
        count_small(c, turned + k, t, noise ? noise[i] : 0);
        const bool is_stuck = stays(
            c, t, resolution, still, fabs(t - r->begin));
        if (v->kind != RECURRENCE_NONE) continue;
        /* whether the same end was foretold when there were two thirds of the intervals */
        const promise *p = &w->last, *o = former_of(w, p->turns);
        const bool is_foretold = p->turns > 0 && o->turns > 0
            && fabs(p->limit - o->limit) <= o->rest / TWO_DIGITS;
        p = is_stuck ? promise_of(c, t, resolution) : NULL;
        if (p && p->rest > MANY * p->interval && !is_foretold) p = NULL;
        if (has_ended(w, resolution)) p = &w->last;
        if (p) tell_zeno(r, i, p, t, v);
        else if (is_stuck) tell_chattering(c, i, t, v);
    }
}
