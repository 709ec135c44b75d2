/* Inside a step the solution is one polynomial, of degree six at most, so few
 * places tell where its curves turn; a parabola through three of them leads to the
 * peak, and is laid again through the best three until nothing is gained. */
#include "run/monitor.h"
#include "run/walk.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* A step has so many parts at least: a polynomial of the usual degrees has no two
 * turns within one of them but by chance. */
enum { LEAST_PARTS = 4 };

/* So often a parabola is laid anew. Two or three do. */
enum { MOST_TRIES = 6 };

/* What a peak may rise above what its parabola says, of the rise from the best
 * place. */
static const double DOUBT = 1;

/* A rise by less than this, of what is known, is not worth a look. */
static const double WORTH = 1e-9;

/* A place closer than this to one that is known, of their distance, tells nothing
 * new. */
static const double CLOSE = 1e-3;

dae_status between_init(between *b, const between_asker *asker, arena *memory)
{
    *b = (between){.memory = memory, .asker = *asker};
    b->least = ARENA_ARRAY(b->memory, double, asker->count);
    b->peak = ARENA_ARRAY(b->memory, double, asker->count);
    b->first = ARENA_ARRAY(b->memory, double, asker->count);
    return b->least && b->peak && b->first ? DAE_OK : DAE_MEMORY;
}

/* As many as output times would be where nothing is said of them. */
static size_t count_parts(const solution *r, double before, double end)
{
    grid dense = r->grid;
    dense.kind = GRID_DENSE;
    size_t parts = (size_t)grid_parts(&dense, before, end);
    while (parts < LEAST_PARTS) parts *= 2;
    return parts;
}

/* What was there before stays with the arena: room doubles. */
static dae_status make_room(between *b, size_t places)
{
    if (places <= b->room) return DAE_OK;
    const size_t room = places > 2 * b->room ? places : 2 * b->room;
    b->room = 0;
    b->t = ARENA_ARRAY(b->memory, double, room);
    b->rise = ARENA_ARRAY(b->memory, double, room *(b->asker.count + 1));
    if (!b->t || !b->rise) return DAE_MEMORY;
    b->room = room;
    return DAE_OK;
}

/* ---- peaks ---- */

/* Three places and the values of one curve there. */
typedef struct triple {
    double t[3], y[3];
} triple;

/* Of numbers; fmax is a call. */
static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double best_of(const triple *p)
{
    return larger(p->y[1], larger(p->y[0], p->y[2]));
}

/* Where the parabola has its peak, and how far that is above the best of the
 * three; false: it has none. */
static inline bool find_vertex(const triple *p, double *t, double *rise)
{
    const double left = p->t[0] - p->t[1], right = p->t[2] - p->t[1];
    const double a = (p->y[0] - p->y[1]) / left;
    const double b = (p->y[2] - p->y[1]) / right;
    const double bend = (b - a) / (right - left);
    const double slope = a - bend * left;
    if (!(bend < 0)) return false; /* nor where one of them is no number */
    const double at = -slope / (2 * bend);
    *t = p->t[1] + at;
    *rise = larger(p->y[1] + slope * at / 2 - best_of(p), 0);
    return isfinite(*t) && isfinite(*rise);
}

/* Strictly within the three, and none of them. */
static bool is_new(const triple *p, double t)
{
    const double length = fabs(p->t[2] - p->t[0]);
    if (!((t - p->t[0]) * (t - p->t[2]) < 0)) return false;
    for (int i = 0; i < 3; i++)
        if (!(fabs(t - p->t[i]) > CLOSE * length)) return false;
    return true;
}

/* The three around the better of the two inner ones of four. */
static void take(triple *p, double t, double y)
{
    const bool is_first = (t - p->t[1]) * (p->t[2] - p->t[1]) < 0;
    const triple old = *p;
    const int i = is_first ? 1 : 2; /* its place among the four */
    double at[4], value[4];
    for (int k = 0, from = 0; k < 4; k++) {
        at[k] = k == i ? t : old.t[from];
        value[k] = k == i ? y : old.y[from];
        from += k != i;
    }
    const int first = value[1] >= value[2] ? 0 : 1;
    memcpy(p->t, at + first, sizeof p->t);
    memcpy(p->y, value + first, sizeof p->y);
}

static bool is_worth(const triple *p, double rise, double least)
{
    return best_of(p) + (1 + DOUBT) * rise > least + WORTH * fabs(least);
}

static dae_status climb(between *b, solution *r, size_t curve, triple *p)
{
    for (int i = 0; i < MOST_TRIES; i++) {
        double t, rise;
        dae_point found;
        if (!find_vertex(p, &t, &rise)) return DAE_OK;
        b->asker.interest(b->asker.context, b->least);
        if (!is_worth(p, rise, b->least[curve]) || !is_new(p, t)) return DAE_OK;
        dae_status st = walk_inside(r, t, &found);
        if (st) return st;
        b->asker.see_peak(b->asker.context, &found);
        b->asker.measure(b->asker.context, &found, b->peak);
        take(p, t, b->peak[curve]);
    }
    return DAE_OK;
}

/* Whether a vertex belongs to the triple around place j, and not to that of its
 * neighbours. */
static inline bool is_own(const between *b, size_t parts, size_t j, double t)
{
    const double length = b->t[parts] - b->t[0];
    const double from = j == 1 ? b->t[0] : (b->t[j - 1] + b->t[j]) / 2;
    const double to = j + 1 == parts ? b->t[parts]
                                     : (b->t[j] + b->t[j + 1]) / 2;
    return (t - from) * length >= 0 && (to - t) * length >= 0;
}

/* Whether any parabola through three neighbours may lead to a peak that is worth a
 * look. Its vertex is no farther outside the nearest of its places than half a part,
 * where it is above the best of them by at most an eighth of what they differ. */
static bool may_rise(const between *b, size_t parts, size_t curve)
{
    const size_t n = b->asker.count;
    double low = b->rise[curve], high = low;
    for (size_t j = 1; j <= parts; j++) {
        const double y = b->rise[j * n + curve];
        if (isnan(y)) return true;
        if (y > high) high = y;
        if (y < low) low = y;
    }
    const double most = high + (1 + DOUBT) * (high - low) / 8;
    const double least = b->least[curve];
    return !(most <= least + WORTH * fabs(least));
}

static dae_status look_at_curve(
    between *b, solution *r, size_t parts, size_t curve)
{
    const size_t n = b->asker.count;
    dae_status st = DAE_OK;
    if (!may_rise(b, parts, curve)) return DAE_OK;
    for (size_t j = 1; j < parts && !st; j++) {
        triple p;
        double t, rise;
        for (size_t i = 0; i < 3; i++) {
            p.t[i] = b->t[j - 1 + i];
            p.y[i] = b->rise[(j - 1 + i) * n + curve];
        }
        if (find_vertex(&p, &t, &rise) && is_own(b, parts, j, t))
            st = climb(b, r, curve, &p);
    }
    return st;
}

/* ---- the step ---- */

void between_note(between *b, const dae_point *p)
{
    b->asker.measure(b->asker.context, p, b->first);
}

/* Places from `first` on, as many as are requested together; *standing: the last of
 * them, valid until others are requested. The end of the step is not shown. */
static dae_status measure_some(
    between *b, solution *r, size_t parts, size_t *first, dae_point *standing)
{
    dae_point p[WALK_PLACES];
    size_t count = parts + 1 - *first;
    if (count > WALK_PLACES) count = WALK_PLACES;
    dae_status st = walk_places(r, count, b->t + *first, p);
    if (st == DAE_UNSUPPORTED) {
        count = 1;
        st = walk_inside(r, b->t[*first], p);
    }
    if (st) return st;
    const bool is_last = *first + count > parts;
    b->asker.see(b->asker.context, p, count - is_last);
    double *rise = b->rise + *first * b->asker.count;
    for (size_t k = 0; k < count; k++, rise += b->asker.count)
        b->asker.measure(b->asker.context, &p[k], rise);
    *first += count;
    *standing = p[count - 1];
    return st;
}

static dae_status measure_places(
    between *b, solution *r, size_t parts, dae_point *standing)
{
    const double before = b->t[0], length = b->t[parts] - before;
    memcpy(b->rise, b->first, b->asker.count * sizeof *b->rise);
    for (size_t j = 1; j < parts; j++)
        b->t[j] = before + length * ((double)j / (double)parts);
    dae_status st = DAE_OK;
    for (size_t j = 1; j <= parts && !st;)
        st = measure_some(b, r, parts, &j, standing);
    return st;
}

/* A step to an event that follows another one may be shorter than rounding of the
 * time, and then even end before it begins. */
static bool has_inside(const solution *r, double before, double end)
{
    const double grain = DBL_EPSILON * larger(fabs(before), fabs(end));
    return r->schedule.direction * (end - before) > 16 * grain;
}

dae_status between_look(between *b, solution *r, double before, double end)
{
    if (!has_inside(r, before, end)) return DAE_OK;
    const size_t parts = count_parts(r, before, end);
    dae_status st = make_room(b, parts + 1);
    if (st) return st;
    b->t[0] = before;
    b->t[parts] = end;
    dae_point last;
    st = measure_places(b, r, parts, &last);
    b->asker.interest(b->asker.context, b->least);
    for (size_t curve = 0; curve < b->asker.count && !st; curve++)
        st = look_at_curve(b, r, parts, curve);
    if (!st && last.x != r->x) walk_stand(r, &last);
    return st;
}
