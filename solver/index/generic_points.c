/* Every unknown has a step on a ladder from points anywhere to points close to the
 * guesses, and goes down one step if an equation that contains it has no value. So
 * an equation that is hard to evaluate moves only its own unknowns to less generic
 * values. */
#include "index/generic_points.h"

#include "base/splitmix.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct ladder_step {
    bool is_multiple; /* of the guess (of the size where that is 0), which keeps
                         its sign; else the guess with something added */
    double size;
} ladder_step;

static const ladder_step ladder[] = {
    {false, 9.0 / 10},
    {false, 1.0 / 4},
    {true, 1.0 / 2},
    {false, 1.0 / 16},
    {true, 1.0 / 8},
    {false, 1.0 / 64},
    {true, 1.0 / 64},
    {false, 1.0 / 512},
    {true, 1.0 / 512},
    {false, 1.0 / 8192},
    {true, 1.0 / 8192},
    {false, 1.0 / 262144},
    {true, 1.0 / 262144},
};
enum {
    STEPS = sizeof ladder / sizeof *ladder,
    TIME_STEPS = 8, /* 2e-6 from the start */
    ROUNDS = 3 * STEPS,
    ROUNDS_ELSEWHERE = 4 /* nearer to 0 there are points of smaller sizes */
};

/* Entries are compared with those at a quarter of the way from the guesses. */
enum { WAY_PARTS = 4 };
/* Operations for an entry, about. */
enum { ENTRY_COST = 5 };

double points_number(uint64_t stream, uint64_t k)
{
    return splitmix_unit(splitmix(splitmix(stream) ^ splitmix(~k)));
}

typedef struct search {
    sampler *s;
    arena memory;
    uint64_t stream;
    unsigned
        time_step;  /* time has a ladder of its own; the last is the start */
    uint8_t *step;  /* n: of each unknown */
    uint8_t *row;   /* n: something is wrong with the equation */
    uint8_t *moved; /* n: the unknown goes down */
    /* the point at a part of the way, and at its end, and the step of each unknown
     * for which it was computed; STEPS: it was not */
    double *at[2]; /* slots, by unknown */
    uint8_t *placed[2];
    double *nearer; /* entries at a part of the way; NULL: they do not vary */
    bool has_nearer;
    /* the best that was found, and how many entries were wild there */
    double best_t, *best_x, *best_xp;
    size_t best_wild; /* SIZE_MAX: none was found */
} search;

static bool is_elsewhere(const search *w)
{
    return w->stream >= POINTS_ELSEWHERE && w->stream < POINTS_ELSEWHERE_END;
}

static dae_status search_init(search *w, sampler *s, unsigned number)
{
    const layout *l = s->layout;
    const size_t n = l->unknowns;
    arena *m = &w->memory;
    *w = (search){.s = s, .stream = number, .best_wild = SIZE_MAX};
    arena_init(m, s->memory.allocator, 0);
    w->step = ARENA_ARRAY(m, uint8_t, n);
    w->row = ARENA_ARRAY(m, uint8_t, n);
    w->moved = ARENA_ARRAY(m, uint8_t, n);
    for (int k = 0; k < 2; k++) {
        w->at[k] = ARENA_ARRAY(m, double, l->states + n);
        w->placed[k] = ARENA_ARRAY(m, uint8_t, n);
        if (!w->at[k] || !w->placed[k]) return DAE_MEMORY;
        memset(w->placed[k], STEPS, n);
    }
    w->best_x = ARENA_ARRAY(m, double, l->states);
    w->best_xp = ARENA_ARRAY(m, double, n);
    if (s->varies) w->nearer = ARENA_ARRAY(m, double, sampler_entries(s));
    return w->step && w->row && w->moved && w->best_x && w->best_xp
            && (w->nearer || !s->varies)
        ? DAE_OK
        : DAE_MEMORY;
}

/* ---- a point from the steps ----------------------------------------------------- */

/* Not near 0, so that the point differs from the guess in every slot. */
static double part_of_range(uint64_t stream, uint64_t k)
{
    const double r = points_number(stream, k);
    return ((r < 0 ? -1 : 1) + 3 * r) / 4;
}

/* Inside the bounds of the unknown where it is not. */
static double bounded(
    const sampler *s, size_t j, double value, double part, double reach)
{
    const dae_scales *scales = s->problem->scales;
    const double low = scales && scales->minimum ? scales->minimum[j]
                                                 : -(double)INFINITY;
    const double high = scales && scales->maximum ? scales->maximum[j]
                                                  : (double)INFINITY;
    if (!(value <= low) && !(value >= high)) return value;
    const double room = high - low;
    if (isfinite(room)) return low + room * (5 + 4 * part) / 10;
    return value <= low ? low + reach * fabs(part) : high - reach * fabs(part);
}

/* The centre of the points, and their distance. */
static double centre(const search *w, size_t j, size_t order)
{
    return is_elsewhere(w) ? 0 : sampler_guess(w->s, j, order);
}

static double spread(const search *w, size_t j, size_t order)
{
    const dae_scales *scales = w->s->problem->scales;
    double size = scales && scales->nominal ? scales->nominal[j] : 0;
    if (!is_elsewhere(w)) return sampler_size(w->s, j, order);
    if (!(size > 0) || !isfinite(size)) size = 1;
    for (uint64_t k = POINTS_ELSEWHERE; k < w->stream; k++) size *= 100;
    return size;
}

/* `way` 1, or a part of it. */
static double place(
    const search *w, size_t j, size_t order, double way, uint64_t k)
{
    const ladder_step at = ladder[w->step[j]];
    const double guess = centre(w, j, order);
    const double size = spread(w, j, order);
    const double part = part_of_range(w->stream * STEPS + w->step[j], k);
    const double base = at.is_multiple && guess == 0 ? size : guess;
    const double reach = way * at.size * (at.is_multiple ? fabs(base) : size);
    const double value = base + reach * part;
    return order == 0 ? bounded(w->s, j, value, part, reach) : value;
}

static double start_time(const search *w)
{
    const dae_start *start = w->s->problem->start;
    return start && isfinite(start->t0) ? start->t0 : 0;
}

/* Quadratically nearer to the start, as the scale of time is unknown. */
static double place_time(const search *w)
{
    const double t0 = start_time(w), size = ladder[w->time_step].size;
    const double part = part_of_range(
        w->stream * STEPS + w->time_step, UINT64_MAX);
    if (w->time_step + 1 == STEPS) return t0;
    return t0 + fmax(1, fabs(t0)) * size * size * fabs(part) / 2;
}

/* An unknown on the same step as before keeps its value. */
static dae_status evaluate_steps(search *w, double way)
{
    sampler *s = w->s;
    const layout *l = s->layout;
    const int end = way < 1 ? 0 : 1;
    double *at = w->at[end];
    size_t k = 0;
    for (size_t j = 0; j < l->unknowns; j++) {
        const bool is_there = w->placed[end][j] == w->step[j];
        for (size_t o = 0; o <= l->order[j]; o++, k++) {
            if (!is_there) at[k] = place(w, j, o, way, k);
            *sampler_slot(s, j, o) = at[k];
        }
        w->placed[end][j] = w->step[j];
    }
    s->t = way < 1 ? start_time(w) : place_time(w);
    return sampler_evaluate(s);
}

/* Entries at a part of the way, at the start's time, then those at its end, where the
 * sampler remains. */
static dae_status evaluate_way(search *w)
{
    w->has_nearer = false;
    if (w->nearer) {
        const dae_status st = evaluate_steps(w, 1.0 / WAY_PARTS);
        if (st && st != DAE_RETRY) return st;
        w->has_nearer = !st;
        if (!st)
            memcpy(w->nearer, sampler_values(w->s),
                sampler_entries(w->s) * sizeof *w->nearer);
    }
    return evaluate_steps(w, 1);
}

/* ---- equations without usable values --------------------------------------------- */

/* Marks the equations without a value, or without a derivative. */
static void mark_missing(search *w)
{
    const sampler *s = w->s;
    const double *v = sampler_values(s);
    const int32_t *row = sampler_pattern(s)->row;
    const size_t n = s->layout->unknowns, entries = sampler_entries(s);
    bool some = false;
    for (size_t i = 0; i < n; i++) {
        w->row[i] = is_overflow(s->res[i]);
        some = some || w->row[i];
    }
    for (size_t p = 0; !some && p < entries; p++)
        if (is_overflow(v[p])) w->row[row[p]] = 1;
}

static bool is_wild(double value, double nearer)
{
    const double a = fabs(value), b = fabs(nearer);
    return b > 0 && a > 0 && (a > WILD_CHANGE * b || b > WILD_CHANGE * a);
}

static size_t mark_wild(search *w)
{
    const sampler *s = w->s;
    const double *v = sampler_values(s);
    const int32_t *row = sampler_pattern(s)->row;
    const size_t entries = w->has_nearer ? sampler_entries(s) : 0;
    size_t count = 0;
    memset(w->row, 0, s->layout->unknowns);
    for (size_t p = 0; p < entries; p++) {
        if (!is_wild(v[p], w->nearer[p])) continue;
        w->row[row[p]] = 1;
        count++;
    }
    return count;
}

/* The unknowns of the equations marked go down one step; where none is
 * marked, or none is left in them, all do if values are missing. Time goes down
 * faster, as it may or may not be the cause, but to the start itself only if values
 * are missing: terms that are 0 at that time would not be found. False: no step is
 * left. */
static bool go_down(search *w, bool is_missing)
{
    const layout *l = w->s->layout;
    const dae_pattern *p = sampler_pattern(w->s);
    bool some = false;
    memset(w->moved, 0, l->unknowns);
    for (size_t j = 0; j < l->unknowns; j++) {
        for (size_t o = 0; o <= l->order[j]; o++) {
            const size_t c = layout_column(l, j, o);
            for (int64_t k = p->column_start[c]; k < p->column_start[c + 1];
                 k++)
                if (w->row[p->row[k]]) w->moved[j] = 1;
        }
        if (w->moved[j] && w->step[j] + 1 < STEPS) some = true;
    }
    const unsigned last = is_missing ? STEPS - 1 : TIME_STEPS;
    bool is_left = w->time_step < last;
    if (is_left)
        w->time_step = w->time_step + 4 < last ? w->time_step + 4 : last;
    for (size_t j = 0; j < l->unknowns; j++) {
        const bool is_meant = some || !is_missing ? w->moved[j] : true;
        if (!is_meant || w->step[j] + 1 >= STEPS) continue;
        w->step[j]++;
        is_left = true;
    }
    return is_left;
}

/* ---- the search ------------------------------------------------------------------- */

static void keep_better(search *w, size_t wild)
{
    const sampler *s = w->s;
    if (wild >= w->best_wild) return;
    assert(wild < SIZE_MAX);
    w->best_wild = wild;
    w->best_t = s->t;
    memcpy(w->best_x, s->x, s->layout->states * sizeof *s->x);
    memcpy(w->best_xp, s->xp, s->layout->unknowns * sizeof *s->xp);
}

/* Points with values may cost more rounds than better ones. */
static int rounds_for_better(const search *w)
{
    const double entries = 1 + (double)sampler_entries(w->s);
    const double most = WORK_OF_SECOND / 10 / (ENTRY_COST * entries);
    return (int)fmax(4, fmin(ROUNDS, most));
}

static dae_status find(search *w)
{
    int left = rounds_for_better(w);
    const int rounds = is_elsewhere(w) ? ROUNDS_ELSEWHERE : ROUNDS;
    for (int k = 0; k < rounds && left > 0; k++) {
        const dae_status st = evaluate_way(w);
        if (st && st != DAE_RETRY) return st;
        if (st) {
            mark_missing(w);
        } else {
            const size_t wild = mark_wild(w);
            if (wild == 0) return DAE_OK;
            keep_better(w, wild);
            left--;
        }
        if (!go_down(w, st != DAE_OK)) break;
    }
    if (w->best_wild == SIZE_MAX) return DAE_RETRY;
    return sampler_evaluate_at(w->s, w->best_t, w->best_x, w->best_xp);
}

dae_status points_sample(sampler *s, unsigned number)
{
    search w;
    dae_status st = search_init(&w, s, number);
    if (!st) st = find(&w);
    arena_clear(&w.memory);
    return st;
}

dae_status points_draw(const dae_problem *problem, const layout *l,
    unsigned number, const dae_allocator *allocator, double *t, double *x,
    double *xp)
{
    sampler *s;
    dae_status st = sampler_create(problem, l, allocator, &s);
    if (!st) st = points_sample(s, number);
    if (!st) {
        *t = s->t;
        memcpy(x, s->x, l->states * sizeof *x);
        memcpy(xp, s->xp, l->unknowns * sizeof *xp);
    }
    sampler_free(s);
    return st;
}
