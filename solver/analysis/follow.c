/* Comes into play after index/ has found a point of a small system far from
 * the start: given values, the time and guesses are moved there in small
 * steps, each solved on the derivative array, with what determines the rest
 * held. */
#include "analysis/follow.h"
#include "index/manifold.h"
#include <math.h>
#include <string.h>

/* The shortest part of the way that is tried, and how many in all. */
static const double SHORTEST = 1.0 / 1024;
enum { STEPS = 100 };
/* A step that changes a value by more of what it measures is too long. */
static const double FARTHEST = 1;
/* Multiplications that ranks may take. */
static const double WORK = 2e9;

typedef struct trail {
    analysis *a;
    array_work work;
    level level;     /* where it is: level.t, level.z */
    size_t columns;  /* of it */
    double *z;       /* columns: where the last step ended */
    double *slope;   /* columns: by part of the way, of the last step */
    uint8_t *role;   /* columns: where nothing is held */
    uint8_t *held;   /* columns: led, all others follow */
    uint8_t *is_led; /* columns: those held that move now */
    double *from, *to;
} trail;

static dae_slot slot_of(const trail *w, size_t k)
{
    const int32_t j = w->level.e->column_unknown[k];
    return (dae_slot){j, (int32_t)(k - w->level.e->column_first[j])};
}

/* The start's value, given or guessed; false: it has none there. */
static bool find_start(const trail *w, size_t k, double *value, bool *is_given)
{
    const dae_start *s = w->a->problem->start;
    const layout *l = &w->a->layout;
    const dae_slot at = slot_of(w, k);
    const size_t j = (size_t)at.unknown, o = (size_t)at.order;
    const size_t width = l->first[j + 1] - l->first[j];
    const bool is_top = o >= width;
    if (is_top && (o != l->order[j] || !s->xp)) return false;
    if (!is_top && !s->x) return false;
    *value = is_top ? s->xp[j] : s->x[l->first[j] + o];
    *is_given = is_top ? s->xp_fixed && s->xp_fixed[j]
                       : s->x_fixed && s->x_fixed[l->first[j] + o];
    return isfinite(*value);
}

static bool take_vectors(trail *w)
{
    arena *m = &w->a->memory;
    const size_t n = w->columns;
    w->z = ARENA_ARRAY(m, double, n);
    w->slope = ARENA_ARRAY(m, double, n);
    w->from = ARENA_ARRAY(m, double, n);
    w->to = ARENA_ARRAY(m, double, n);
    w->role = ARENA_ARRAY(m, uint8_t, n);
    w->held = ARENA_ARRAY(m, uint8_t, n);
    w->is_led = ARENA_ARRAY(m, uint8_t, n);
    return w->z && w->slope && w->from && w->to && w->role && w->held
        && w->is_led;
}

static dae_status trail_init(trail *w, const array_request *q)
{
    const array_findings *f = &w->a->array;
    dae_status st = array_work_init(&w->work, q);
    if (st) return st;
    if ((st = level_open(&w->level, &w->work, (int)f->index))) return st;
    w->columns = w->level.columns;
    if (!take_vectors(w)) return DAE_MEMORY;
    memcpy(w->role, w->level.role, w->columns);
    w->level.t = f->point_t;
    for (size_t k = 0; k < w->columns; k++) {
        const dae_slot s = slot_of(w, k);
        const size_t at = f->point_first[s.unknown] + (size_t)s.order;
        if (at < f->point_first[s.unknown + 1]) w->level.z[k] = f->point[at];
    }
    return DAE_OK;
}

static void trail_clear(trail *w)
{
    level_close(&w->level);
    array_work_clear(&w->work);
}

/* Held slots are no unknowns. */
static void hold(trail *w)
{
    for (size_t k = 0; k < w->columns; k++)
        w->level.role[k] = w->held[k] ? 0 : w->role[k];
}

/* ---- what is held ---------------------------------------------------------------- */

/* A slot may be held where the others then determine as much as before. */
static dae_status try_holding(trail *w, size_t k, size_t rank, size_t *count)
{
    bool is_sure = true;
    size_t left;
    w->held[k] = 1;
    hold(w);
    const dae_status st = level_rank(&w->level, LEVEL_ALL, &left, &is_sure);
    if (!st && is_sure && left == rank) *count += 1;
    else w->held[k] = 0;
    return st;
}

/* As much as there is freedom: given values as long as they say something new,
 * then guesses of states. */
static dae_status choose_held(trail *w, bool *is_found)
{
    const size_t freedom = (size_t)w->a->array.degrees_of_freedom;
    size_t rank, count = 0;
    bool is_sure = true;
    dae_status st = level_rank(&w->level, LEVEL_ALL, &rank, &is_sure);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t k = 0; k < w->columns && !st && count < freedom; k++) {
            bool is_given;
            if (w->held[k] || !find_start(w, k, &w->to[k], &is_given)) continue;
            if (pass == 0 ? !is_given : w->role[k] != LEVEL_STATE) continue;
            st = try_holding(w, k, rank, &count);
            if (w->held[k] && is_given) w->is_led[k] = 1;
        }
    }
    hold(w);
    *is_found = !st && is_sure;
    return st;
}

/* ---- the way ----------------------------------------------------------------------- */

/* Where the way leads to after `length` more of it. */
static double expected(const trail *w, size_t k, double length)
{
    return w->z[k] + length * w->slope[k];
}

static bool is_near(const trail *w, double length)
{
    for (size_t k = 0; k < w->columns; k++) {
        const double size = w->level.w->size[w->level.e->column_unknown[k]];
        const double most = fmax(fmax(size, 1), fabs(w->z[k]));
        const double error = w->level.z[k] - expected(w, k, length);
        if (!w->is_led[k] && !(fabs(error) <= FARTHEST * most)) return false;
    }
    return true;
}

/* Onwards from part `done` of the way by `length`: straight on, then to the
 * nearest solution. */
static dae_status step(
    trail *w, double done, double length, double t_from, bool *has_moved)
{
    level *v = &w->level;
    const double t = v->t, t_to = w->a->t0, s = done + length;
    memcpy(w->z, v->z, w->columns * sizeof *w->z);
    v->t = s < 1 ? t_from + s * (t_to - t_from) : t_to;
    for (size_t k = 0; k < w->columns; k++) {
        const double led = w->from[k] + s * (w->to[k] - w->from[k]);
        if (w->is_led[k]) v->z[k] = s < 1 ? led : w->to[k];
        else if (!w->held[k]) v->z[k] = expected(w, k, length);
    }
    const dae_status st = manifold_reach(v, false, has_moved);
    if (*has_moved && !is_near(w, length)) *has_moved = false;
    for (size_t k = 0; k < w->columns && *has_moved; k++)
        w->slope[k] = (v->z[k] - w->z[k]) / length;
    if (*has_moved) return st;
    v->t = t;
    memcpy(v->z, w->z, w->columns * sizeof *w->z);
    return st;
}

/* Leads those that move now, and the time, to where they are to be. */
static dae_status lead(trail *w, bool *is_there)
{
    double done = 0, part = 1;
    const double t_from = w->level.t;
    memcpy(w->from, w->level.z, w->columns * sizeof *w->from);
    memset(w->slope, 0, w->columns * sizeof *w->slope);
    for (int k = 0; k < STEPS && done < 1 && part >= SHORTEST; k++) {
        bool has_moved = false;
        const double length = fmin(part, 1 - done);
        const dae_status st = step(w, done, length, t_from, &has_moved);
        if (st) return st;
        if (has_moved) done = length < 1 - done ? done + length : 1;
        part = has_moved ? 2 * part : part / 2;
    }
    *is_there = done >= 1;
    return DAE_OK;
}

/* The given values and the time, which must come to the end, then the guesses,
 * which need not. */
static dae_status lead_all(trail *w, bool *is_there)
{
    bool is_end;
    dae_status st = lead(w, is_there);
    if (st || !*is_there) return st;
    for (size_t k = 0; k < w->columns; k++)
        w->is_led[k] = w->held[k] && !w->is_led[k];
    return lead(w, &is_end);
}

static dae_status leave_seed(const trail *w)
{
    analysis *a = w->a;
    const size_t n = a->problem->unknown_count;
    size_t *first = ARENA_ARRAY(&a->memory, size_t, n + 1);
    double *seed = ARENA_ARRAY(&a->memory, double, w->columns);
    if (!first || !seed) return DAE_MEMORY;
    memcpy(first, w->level.e->column_first, (n + 1) * sizeof *first);
    memcpy(seed, w->level.z, w->columns * sizeof *seed);
    a->seed = seed;
    a->seed_first = first;
    return DAE_OK;
}

/* A value is refuted by a difference that no tolerance explains. */
static const double REFUTED = 100;

/* The first given value that is not held, as those held determine it, and is
 * something else here. */
static void find_refuted(const trail *w)
{
    analysis *a = w->a;
    for (size_t k = 0; k < w->columns; k++) {
        double value;
        bool is_given;
        if (w->held[k] || !find_start(w, k, &value, &is_given) || !is_given)
            continue;
        const double here = w->level.z[k];
        const double size = fmax(fabs(value), fabs(here));
        const double most = a->options.rtol * size + a->options.atol;
        if (!(fabs(value - here) > REFUTED * most)) continue;
        a->refuted = slot_of(w, k);
        a->refuted_given = value;
        return;
    }
}

static dae_status follow(trail *w, bool *is_found)
{
    dae_status st = manifold_reach(&w->level, false, is_found);
    if (st || !*is_found) return st;
    if ((st = choose_held(w, is_found)) || !*is_found) return st;
    if ((st = lead_all(w, is_found)) || !*is_found) return st;
    find_refuted(w);
    return leave_seed(w);
}

static bool is_small(const analysis *a)
{
    const double times = (double)a->array.index + 1;
    const double rows = times * (double)a->problem->unknown_count;
    return rows * rows * rows * (double)a->layout.states <= WORK;
}

dae_status start_follow(analysis *a, bool *is_found)
{
    trail w = {.a = a};
    const array_request q = {.problem = a->problem,
        .allocator = a->allocator,
        .interrupt = a->options.interrupt,
        .interrupt_context = a->options.interrupt_context};
    *is_found = false;
    a->seed = NULL;
    a->refuted.unknown = -1;
    if (a->array.outcome != ARRAY_FOUND || !a->array.point || !is_small(a))
        return DAE_OK;
    dae_status st = trail_init(&w, &q);
    if (!st) st = follow(&w, is_found);
    trail_clear(&w);
    return st == DAE_LIMIT || st == DAE_UNSUPPORTED ? DAE_OK : st;
}
